/* The console. */
#include "ui/console.h"

enum {
    TEXT_MAX = 640,
    WAIT_MS = 1000,
};

void console_init(struct console *con, struct platform *plat, bool attended)
{
    unsigned columns = 80;
    unsigned rows = 25;
    plat->con_size(plat, &columns, &rows);
    *con = (struct console){ .plat = plat, .attended = attended, .rows = rows };
}

static unsigned columns_of(const struct console *con)
{
    unsigned columns = 80;
    unsigned rows = 25;
    con->plat->con_size(con->plat, &columns, &rows);
    return columns < 40 ? 80 : columns;
}

void console_page(struct console *con, const char *title)
{
    if (con->attended) {
        con->plat->con_clear(con->plat);
    }
    con->lines = 0;
    console_say(con, STYLE_STRONG, "BareTrim - %s\n", title);
}

/* The page is full: hold it until somebody has read it. */
static void hold(struct console *con)
{
    con->plat->con_write(con->plat, STYLE_STRONG, "-- more: press a key --");
    while (con->plat->con_key(con->plat, WAIT_MS) == KEY_NONE) {
    }
    con->plat->con_write(con->plat, STYLE_NORMAL, "\r                       \r");
    con->lines = 0;
}

void console_say(struct console *con, enum style style, const char *fmt, ...)
{
    char text[TEXT_MAX];
    struct text t;
    va_list args;
    text_init(&t, text, sizeof(text));
    va_start(args, fmt);
    text_vfmt(&t, fmt, args);
    va_end(args);
    con->plat->con_write(con->plat, style, text);
    for (const char *c = text; *c != '\0'; c++) {
        con->lines += *c == '\n';
    }
    if (con->attended && con->lines + 2 >= con->rows) {
        hold(con);
    }
}

void console_wrap(struct console *con, enum style style, unsigned indent, const char *text)
{
    size_t width = columns_of(con) - indent - 1;
    while (*text != '\0') {
        size_t len = strlen(text);
        if (len > width) {
            len = width;
            while (len > 0 && text[len] != ' ') {
                len--;
            }
            len = len == 0 ? width : len;
        }
        console_say(con, style, "%*s%.*s\n", indent, "", (int)len, text);
        text += len;
        while (*text == ' ') {
            text++;
        }
    }
}

void console_over(struct console *con, const char *text)
{
    char line[80];
    text_print(line, sizeof(line), "\r%-77.77s\r", text);
    con->plat->con_write(con->plat, STYLE_NORMAL, line);
}

static int lower(int key)
{
    return key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key;
}

int console_key(struct console *con)
{
    int key = KEY_NONE;
    while (key == KEY_NONE) {
        key = con->plat->con_key(con->plat, WAIT_MS);
    }
    return lower(key);
}

int console_peek(struct console *con)
{
    return lower(con->plat->con_key(con->plat, 0));
}

bool console_line(struct console *con, char *buf, size_t cap)
{
    size_t len = 0;
    for (;;) {
        int key = con->plat->con_key(con->plat, WAIT_MS);
        if (key == KEY_ESC) {
            console_say(con, STYLE_NORMAL, "\n");
            return false;
        }
        if (key == KEY_ENTER) {
            buf[len] = '\0';
            console_say(con, STYLE_NORMAL, "\n");
            return true;
        }
        if (key == KEY_BACKSPACE && len > 0) {
            len--;
            con->plat->con_write(con->plat, STYLE_NORMAL, "\b \b");
        }
        if (key >= ' ' && key <= '~' && len + 1 < cap) {
            char echo[2] = { (char)key, '\0' };
            buf[len++] = (char)key;
            con->plat->con_write(con->plat, STYLE_STRONG, echo);
        }
    }
}
