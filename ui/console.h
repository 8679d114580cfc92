/* Text on the firmware's console: styles, pages, questions. Every action has a letter or digit key, because serial
 * terminals under firmware deliver little else. */
#ifndef UI_CONSOLE_H
#define UI_CONSOLE_H

#include "boot/platform.h"
#include "lib/text.h"

struct console {
    struct platform *plat;
    bool attended; /* somebody may press a key: long texts stop at the end of each page */
    unsigned rows;
    unsigned lines; /* since the page began */
};

void console_init(struct console *con, struct platform *plat, bool attended);

/* Start a fresh page. Clears the screen only where somebody is reading it: a log keeps its past. */
void console_page(struct console *con, const char *title);

/* Print; '\n' ends a line. With `attended` a full page waits for a key. */
void console_say(struct console *con, enum style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Print a sentence broken at blanks to the screen's width, indented. */
void console_wrap(struct console *con, enum style style, unsigned indent, const char *text);

/* Write over the current line, for progress. */
void console_over(struct console *con, const char *text);

/* Wait for one key, as long as it takes. Letters come back in lower case. */
int console_key(struct console *con);

/* Is a key waiting? KEY_NONE at once if not. */
int console_peek(struct console *con);

/* Read a line of text with echo. False: the user pressed Esc. */
bool console_line(struct console *con, char *buf, size_t cap);

#endif
