/* The firmware's text console: simple text output and input (UEFI 2.10 12.3, 12.4). */
#include "boot/uefi/uefi.h"

enum {
    CON_CHUNK = 120,       /* characters handed over at once */
    CON_KEY_SLICE_MS = 20, /* looked at this often even if the firmware's key event never comes */
    CON_COLUMNS_DEFAULT = 80,
    CON_ROWS_DEFAULT = 25,
};

static UINTN con_attribute(enum style style)
{
    switch (style) {
    case STYLE_NORMAL:
        return EFI_LIGHTGRAY | EFI_BACKGROUND_BLACK;
    case STYLE_STRONG:
        return EFI_WHITE | EFI_BACKGROUND_BLACK;
    case STYLE_GOOD:
        return EFI_LIGHTGREEN | EFI_BACKGROUND_BLACK;
    case STYLE_WARN:
        return EFI_YELLOW | EFI_BACKGROUND_BLACK;
    case STYLE_BAD:
        return EFI_LIGHTRED | EFI_BACKGROUND_BLACK;
    }
    return EFI_LIGHTGRAY | EFI_BACKGROUND_BLACK;
}

static void uefi_con_write(struct platform *p, enum style style, const char *text)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = uefi_of(p)->st->ConOut;
    CHAR16 chunk[CON_CHUNK + 3]; /* one more CR LF and the NUL */
    size_t n = 0;

    if (out == NULL) {
        return;
    }
    out->SetAttribute(out, con_attribute(style));
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            chunk[n++] = '\r';
            chunk[n++] = '\n';
        } else {
            /* Control characters other than these two would move a serial terminal about. */
            bool plain = (*text >= 0x20 && *text <= 0x7e) || *text == '\r' || *text == '\b';
            chunk[n++] = (CHAR16)(plain ? *text : '?');
        }
        if (n >= CON_CHUNK) {
            chunk[n] = 0;
            out->OutputString(out, chunk);
            n = 0;
        }
    }
    chunk[n] = 0;
    out->OutputString(out, chunk);
    if (style != STYLE_NORMAL) {
        out->SetAttribute(out, con_attribute(STYLE_NORMAL));
    }
}

static void uefi_con_clear(struct platform *p)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = uefi_of(p)->st->ConOut;

    if (out != NULL) {
        out->SetAttribute(out, con_attribute(STYLE_NORMAL));
        out->ClearScreen(out);
    }
}

static void uefi_con_size(struct platform *p, unsigned *columns, unsigned *rows)
{
    SIMPLE_TEXT_OUTPUT_INTERFACE *out = uefi_of(p)->st->ConOut;
    UINTN c = 0, r = 0;

    *columns = CON_COLUMNS_DEFAULT;
    *rows = CON_ROWS_DEFAULT;
    if (out != NULL && out->Mode != NULL && out->Mode->Mode >= 0 &&
        !EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &c, &r)) && c != 0 && r != 0) {
        *columns = (unsigned)c;
        *rows = (unsigned)r;
    }
}

/* Take one key from the firmware; false when none waits. The extended protocol first: some firmware feeds
 * only that one. */
static bool con_read(const struct uefi *u, EFI_INPUT_KEY *key)
{
    EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL *ex =
        uefi_protocol(u, u->st->ConsoleInHandle, &uefi_guid_text_input_ex);
    SIMPLE_INPUT_INTERFACE *in = u->st->ConIn;

    if (ex != NULL) {
        EFI_KEY_DATA data;
        memset(&data, 0, sizeof(data));
        if (EFI_ERROR(ex->ReadKeyStrokeEx(ex, &data))) {
            return false;
        }
        *key = data.Key;
        return true;
    }
    return in != NULL && !EFI_ERROR(in->ReadKeyStroke(in, key));
}

static int con_map(const EFI_INPUT_KEY *key)
{
    if (key->UnicodeChar >= 0x20 && key->UnicodeChar <= 0x7e) {
        return key->UnicodeChar;
    }
    switch (key->UnicodeChar) {
    case CHAR_CARRIAGE_RETURN:
    case CHAR_LINEFEED: /* some terminals send this one */
        return KEY_ENTER;
    case CHAR_BACKSPACE:
    case 0x7f: /* what the backspace key of a serial terminal sends */
        return KEY_BACKSPACE;
    default:
        /* A console that passes the byte through gives 1Bh without the scan code. */
        return key->ScanCode == SCAN_ESC || key->UnicodeChar == KEY_ESC ? KEY_ESC : KEY_NONE;
    }
}

/* Sleep until a key may be there. Waiting for events lets the processor halt, which polling would not. */
static void con_wait(const struct uefi *u, uint64_t us)
{
    EFI_EVENT event[2];
    UINTN which = 0;

    event[0] = u->key_timer;
    event[1] = u->st->ConIn != NULL ? u->st->ConIn->WaitForKey : NULL;
    if (u->key_timer == NULL || EFI_ERROR(u->bs->SetTimer(u->key_timer, TimerRelative, us * 10)) ||
        EFI_ERROR(u->bs->WaitForEvent(event[1] != NULL ? 2 : 1, event, &which))) {
        u->bs->Stall(us);
    }
}

static int uefi_con_key(struct platform *p, uint32_t timeout_ms)
{
    const struct uefi *u = uefi_of(p);
    uint64_t deadline = p->clock_ns(p) + timeout_ms * NS_PER_MS;

    for (;;) {
        EFI_INPUT_KEY pressed = { 0, 0 };
        int key = con_read(u, &pressed) ? con_map(&pressed) : KEY_NONE;
        uint64_t now = p->clock_ns(p);
        if (key != KEY_NONE || now >= deadline) {
            return key;
        }
        con_wait(u, min_u64(CON_KEY_SLICE_MS * NS_PER_MS, deadline - now) / NS_PER_US + 1);
    }
}

void uefi_console_close(struct uefi *u)
{
    if (u->key_timer != NULL) {
        u->bs->CloseEvent(u->key_timer);
        u->key_timer = NULL;
    }
}

void uefi_console_init(struct uefi *u)
{
    struct platform *p = &u->plat;

    if (EFI_ERROR(u->bs->CreateEvent(EVT_TIMER, TPL_CALLBACK, NULL, NULL, &u->key_timer))) {
        u->key_timer = NULL;
    }
    p->info.has_keyboard = u->st->ConIn != NULL;
    p->con_write = uefi_con_write;
    p->con_clear = uefi_con_clear;
    p->con_size = uefi_con_size;
    p->con_key = uefi_con_key;
}
