/* Text building without a heap: a caller-owned buffer that fills up and then says so. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>

#include "lib/util.h"

/* A text under construction. `at` is caller-owned, always NUL-terminated (cap >= 1), `len` counts
 * without the NUL; `cut` is set when something did not fit (the text then ends where room ended). */
struct text {
    char *at;
    size_t cap;
    size_t len;
    bool cut;
};

/* Start an empty text in buf[cap]; cap >= 1. */
void text_init(struct text *t, char *buf, size_t cap);

/* Append. Never fails; what does not fit is dropped and t->cut set. */
void text_char(struct text *t, char c);
void text_str(struct text *t, const char *s);

/* Append by format: %s %.*s %c %d %u %x %X %% with l, ll and z lengths, width, '0' and '-' flags. */
void text_fmt(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vfmt(struct text *t, const char *fmt, va_list args);

/* One-shot: format into buf[cap]; returns false when it was cut. */
bool text_print(char *buf, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Copy s[0..n) as trimmed, printable 7-bit text into buf[cap] (always terminated): spaces and NULs
 * at both ends go, any other byte outside 20h..7Eh becomes '?'. */
void text_copy_trimmed(char *buf, size_t cap, const char *s, size_t n);

/* Decimal digits only, whole string of n bytes. False (and *out untouched) when empty, not a number
 * or above UINT64_MAX. */
bool text_parse_u64(const char *s, size_t n, uint64_t *out);

#endif
