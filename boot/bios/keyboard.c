/* Keys: the keyboard controller at ports 60h/64h (scan code set 1, US layout) and the serial console, both by
 * polling. A USB keyboard is seen only where the firmware emulates the controller for it. */
#include "boot/bios/bios.h"
#include "boot/port_io.h"

enum {
    KBC_DATA = 0x60,
    KBC_STATUS = 0x64,
    STATUS_FULL = 0x01,
    STATUS_MOUSE = 0x20,
    STATUS_ABSENT = 0xff,
};

/* Scan codes, set 1. */
enum {
    SCAN_EXTENDED = 0xe0,
    SCAN_RELEASE = 0x80,
    SCAN_LEFT_SHIFT = 0x2a,
    SCAN_RIGHT_SHIFT = 0x36,
    SCAN_CAPS_LOCK = 0x3a,
    SCAN_KEYPAD_SLASH = 0x35, /* after E0 */
    SCAN_ENTER = 0x1c,        /* after E0: the keypad's */
};

enum {
    POLL_US = 500,
    ESCAPE_GAP_US = 20000, /* within a sequence the bytes follow at once: 87 us each at 115200 */
    ESCAPE_BYTES_MAX = 8,
};

/* 00h..39h, then the keypad from 47h. '\0': a key without a meaning here. */
static const char plain[] =
    "\0\0331234567890-=\b\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char shifted[] =
    "\0\033!@#$%^&*()_+\b\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";
_Static_assert(sizeof(plain) == 0x3a + 1 && sizeof(shifted) == sizeof(plain), "one entry a code");
enum { KEYPAD_FIRST = 0x47 };
static const char keypad[] = "789-456+1230.";

bool keyboard_present(void)
{
    return inb(KBC_STATUS) != STATUS_ABSENT;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static int key_of(uint8_t code, bool was_extended)
{
    struct bios_keyboard *k = &bios.keyboard;
    if (was_extended) { /* arrows and the like have no meaning here */
        return code == SCAN_ENTER ? KEY_ENTER : code == SCAN_KEYPAD_SLASH ? '/' : KEY_NONE;
    }
    if (code >= KEYPAD_FIRST && code < KEYPAD_FIRST + sizeof(keypad) - 1) {
        return keypad[code - KEYPAD_FIRST];
    }
    if (code >= sizeof(plain) - 1) {
        return KEY_NONE;
    }
    bool upper = k->shift != (k->caps && is_lower(plain[code]));
    char c = upper ? shifted[code] : plain[code];
    return c == '\t' ? KEY_NONE : c;
}

/* Take one byte from the keyboard controller, if there is one. */
static int keyboard_key(void)
{
    struct bios_keyboard *k = &bios.keyboard;
    uint8_t status = inb(KBC_STATUS);
    if (status == STATUS_ABSENT || (status & STATUS_FULL) == 0) {
        return KEY_NONE;
    }
    uint8_t code = inb(KBC_DATA);
    if ((status & STATUS_MOUSE) != 0) {
        return KEY_NONE;
    }
    if (code == SCAN_EXTENDED) {
        k->extended = true;
        return KEY_NONE;
    }
    bool was_extended = k->extended;
    k->extended = false;
    bool released = (code & SCAN_RELEASE) != 0;
    code &= (uint8_t)~SCAN_RELEASE;
    if (code == SCAN_LEFT_SHIFT || code == SCAN_RIGHT_SHIFT) {
        /* With E0 it is the fake shift around the grey keys. */
        k->shift = was_extended ? k->shift : !released;
        return KEY_NONE;
    }
    if (released) {
        return KEY_NONE;
    }
    if (code == SCAN_CAPS_LOCK) {
        k->caps = !k->caps;
        return KEY_NONE;
    }
    return key_of(code, was_extended);
}

static int serial_byte_within(struct platform *p, uint32_t us)
{
    uint64_t deadline = bios_clock_ns(p) + us * NS_PER_US;
    for (;;) {
        bool late = bios_clock_ns(p) >= deadline;
        int byte = console_serial_byte();
        if (byte >= 0 || late) {
            return byte;
        }
    }
}

/* A key from the serial terminal. The arrow and function keys come as ESC [ ... letter or ESC O letter: swallow
 * those whole, so that they are neither an ESC nor a letter. */
static int serial_key(struct platform *p)
{
    int byte = console_serial_byte();
    if (byte == 0x7f || byte == KEY_BACKSPACE) {
        return KEY_BACKSPACE;
    }
    if (byte == KEY_ENTER || (byte >= 0x20 && byte <= 0x7e)) {
        return byte;
    }
    if (byte != KEY_ESC) {
        return KEY_NONE;
    }
    byte = serial_byte_within(p, ESCAPE_GAP_US);
    if (byte != '[' && byte != 'O') {
        return KEY_ESC;
    }
    for (int i = 0; i < ESCAPE_BYTES_MAX; i++) {
        byte = serial_byte_within(p, ESCAPE_GAP_US);
        if (byte < 0 || (byte >= '@' && byte <= '~')) {
            break;
        }
    }
    return KEY_NONE;
}

int bios_con_key(struct platform *p, uint32_t timeout_ms)
{
    uint64_t deadline = bios_clock_ns(p) + timeout_ms * NS_PER_MS;
    for (;;) {
        bool late = bios_clock_ns(p) >= deadline;
        int key = keyboard_key();
        if (key == KEY_NONE) {
            key = serial_key(p);
        }
        if (key != KEY_NONE || late) {
            return key;
        }
        bios_stall_us(p, POLL_US);
    }
}
