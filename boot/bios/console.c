/* The console: VGA text memory as the BIOS left it (80x25 nearly always), mirrored on the first serial port with
 * ANSI colours. The second serial port is left for the event log. */
#include "boot/bios/bios.h"
#include "boot/port_io.h"
#include "lib/text.h"

/* BIOS data area (segment 40h). */
enum {
    BDA_VIDEO_MODE = 0x449,
    BDA_COLUMNS = 0x44a,
    BDA_CRTC_PORT = 0x463,
    BDA_LAST_ROW = 0x484, /* rows - 1; 0 on adapters older than EGA */
};

enum {
    MODE_MONO = 7, /* the only text mode of a monochrome adapter; 0..3 are the colour ones */
    MODE_COLOR_MAX = 3,
    CELLS_COLOR = 0xb8000,
    CELLS_MONO = 0xb0000,
    COLUMNS_DEFAULT = 80,
    ROWS_DEFAULT = 25,
    ROWS_MAX = 60,
    CRTC_CURSOR_HIGH = 0x0e,
    CRTC_CURSOR_LOW = 0x0f,
    UART_RBR = 0,
    UART_LSR = 5,
    LSR_DATA_READY = 1,
};

/* How each style looks: VGA attribute and ANSI. Readable on a monochrome adapter too, where any foreground bit
 * shows. */
static const struct {
    uint8_t attribute;
    const char *ansi;
} looks[] = {
    [STYLE_NORMAL] = { 0x07, "" },       [STYLE_STRONG] = { 0x0f, "\033[1m" },
    [STYLE_GOOD] = { 0x0a, "\033[32m" }, [STYLE_WARN] = { 0x0e, "\033[33m" },
    [STYLE_BAD] = { 0x0c, "\033[31m" },
};
static const char ansi_reset[] = "\033[0m";
static const char ansi_clear[] = "\033[2J\033[H";

void bios_console_init(void)
{
    struct bios_console *c = &bios.console;
    *c = (struct bios_console){ .columns = COLUMNS_DEFAULT, .rows = ROWS_DEFAULT };

    uint8_t mode = *(volatile uint8_t *)phys(BDA_VIDEO_MODE);
    unsigned columns = get_le16(phys(BDA_COLUMNS));
    unsigned rows = *(volatile uint8_t *)phys(BDA_LAST_ROW) + 1u;
    /* Fewer columns: no adapter at all (0), or a 40-column mode nothing here is laid out for. */
    if ((mode <= MODE_COLOR_MAX || mode == MODE_MONO) && columns == COLUMNS_DEFAULT) {
        c->cells = phys(mode == MODE_MONO ? CELLS_MONO : CELLS_COLOR);
        c->crtc_port = get_le16(phys(BDA_CRTC_PORT));
        c->rows = rows >= ROWS_DEFAULT && rows <= ROWS_MAX ? rows : ROWS_DEFAULT;
    }
    for (size_t i = 0; i < UART_PORTS && c->uart.port == 0; i++) {
        if (uart_probe(uart_port[i])) {
            uart_open(&c->uart, uart_port[i]);
        }
    }
}

static void put_cell(unsigned row, unsigned column, char ch, uint8_t attribute)
{
    struct bios_console *c = &bios.console;
    volatile uint16_t *cell = &c->cells[row * c->columns + column];
    *cell = (uint16_t)((uint8_t)ch | attribute << 8);
}

static void blank_row(unsigned row)
{
    for (unsigned column = 0; column < bios.console.columns; column++) {
        put_cell(row, column, ' ', looks[STYLE_NORMAL].attribute);
    }
}

static void show_cursor(void)
{
    struct bios_console *c = &bios.console;
    if (c->crtc_port == 0) {
        return;
    }
    /* The last column stays pending until the next character, so the cursor can stand one past it. */
    unsigned column = c->column < c->columns ? c->column : c->columns - 1;
    unsigned at = c->row * c->columns + column;
    outb(c->crtc_port, CRTC_CURSOR_HIGH);
    outb((uint16_t)(c->crtc_port + 1), (uint8_t)(at >> 8));
    outb(c->crtc_port, CRTC_CURSOR_LOW);
    outb((uint16_t)(c->crtc_port + 1), (uint8_t)at);
}

static void next_line(void)
{
    struct bios_console *c = &bios.console;
    c->column = 0;
    if (c->row + 1 < c->rows) {
        c->row++;
        return;
    }
    size_t row_bytes = c->columns * sizeof(*c->cells);
    memmove(c->cells, c->cells + c->columns, row_bytes * (c->rows - 1));
    blank_row(c->rows - 1);
}

static void screen_char(char ch, uint8_t attribute)
{
    struct bios_console *c = &bios.console;
    switch (ch) {
    case '\n':
        next_line();
        break;
    case '\r':
        c->column = 0;
        break;
    case '\b':
        c->column -= c->column > 0;
        break;
    default:
        if (c->column == c->columns) {
            next_line();
        }
        put_cell(c->row, c->column++, ch, attribute);
        break;
    }
}

static void serial_text(struct platform *p, const char *text)
{
    const char *from = text;
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            uart_write(&bios.console.uart, p, from, (size_t)(text - from));
            uart_write(&bios.console.uart, p, "\r\n", 2);
            from = text + 1;
        }
    }
    uart_write(&bios.console.uart, p, from, (size_t)(text - from));
}

void bios_con_write(struct platform *p, enum style style, const char *text)
{
    ASSERT((unsigned)style < ARRAY_LEN(looks));
    for (const char *s = text; bios.console.cells != NULL && *s != '\0'; s++) {
        screen_char(*s, looks[style].attribute);
    }
    if (bios.console.cells != NULL) {
        show_cursor();
    }
    bool colour = looks[style].ansi[0] != '\0';
    serial_text(p, looks[style].ansi);
    serial_text(p, text);
    serial_text(p, colour ? ansi_reset : "");
}

void bios_con_clear(struct platform *p)
{
    struct bios_console *c = &bios.console;
    for (unsigned row = 0; c->cells != NULL && row < c->rows; row++) {
        blank_row(row);
    }
    c->row = 0;
    c->column = 0;
    if (c->cells != NULL) {
        show_cursor();
    }
    serial_text(p, ansi_clear);
}

void bios_con_size(struct platform *p, unsigned *columns, unsigned *rows)
{
    (void)p;
    *columns = bios.console.columns;
    *rows = bios.console.rows;
}

int console_serial_byte(void)
{
    uint16_t port = bios.console.uart.port;
    if (port == 0 || (inb((uint16_t)(port + UART_LSR)) & LSR_DATA_READY) == 0) {
        return -1;
    }
    return inb((uint16_t)(port + UART_RBR));
}

enum err bios_serial_open(struct platform *p, char *why, size_t why_bytes)
{
    (void)p;
    if (bios.log.port != 0) {
        return OK;
    }
    if (bios.console.uart.port == 0) {
        (void)text_print(why, why_bytes, "there is no serial port");
        return ERR_NOT_FOUND;
    }
    for (size_t i = 0; i < UART_PORTS; i++) {
        if (uart_port[i] != bios.console.uart.port && uart_probe(uart_port[i])) {
            uart_open(&bios.log, uart_port[i]);
            return OK;
        }
    }
    (void)text_print(why, why_bytes, "the only serial port (%Xh) mirrors the screen",
                     (unsigned)bios.console.uart.port);
    return ERR_BUSY;
}

void bios_serial_write(struct platform *p, const char *data, size_t bytes)
{
    uart_write(&bios.log, p, data, bytes);
}
