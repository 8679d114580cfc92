/* Text building: a small printf into a bounded buffer. */
#include "lib/text.h"

void text_init(struct text *t, char *buf, size_t cap)
{
    ASSERT(cap >= 1);
    *t = (struct text){ .at = buf, .cap = cap };
    buf[0] = '\0';
}

void text_char(struct text *t, char c)
{
    if (t->len + 1 >= t->cap) {
        t->cut = true;
        return;
    }
    t->at[t->len++] = c;
    t->at[t->len] = '\0';
}

void text_str(struct text *t, const char *s)
{
    while (*s != '\0') {
        text_char(t, *s++);
    }
}

struct spec {
    bool left;
    bool zero;
    unsigned width;
    int precision; /* -1: none given */
};

static void put_padded(struct text *t, const struct spec *spec, const char *s, size_t len)
{
    size_t pad = spec->width > len ? spec->width - len : 0;
    for (size_t i = 0; !spec->left && i < pad; i++) {
        text_char(t, spec->zero ? '0' : ' ');
    }
    for (size_t i = 0; i < len; i++) {
        text_char(t, s[i]);
    }
    for (size_t i = 0; spec->left && i < pad; i++) {
        text_char(t, ' ');
    }
}

static void put_number(struct text *t, const struct spec *spec, uint64_t value, unsigned base,
                       bool negative, bool upper)
{
    char digits[24];
    size_t at = sizeof(digits);
    const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    do {
        digits[--at] = set[value % base];
        value /= base;
    } while (value != 0);
    if (negative) {
        digits[--at] = '-';
    }
    put_padded(t, spec, digits + at, sizeof(digits) - at);
}

/* The sources of one va_list are read in one place, so the list is never handed on by value. */
struct arguments {
    va_list list;
};

static uint64_t take_unsigned(struct arguments *args, bool is_long)
{
    return is_long ? va_arg(args->list, unsigned long) : va_arg(args->list, unsigned);
}

static void put_conversion(struct text *t, const struct spec *spec, char c, bool is_long,
                           struct arguments *args)
{
    switch (c) {
    case 's': {
        const char *s = va_arg(args->list, const char *);
        size_t len = 0;
        while ((spec->precision < 0 || len < (size_t)spec->precision) && s[len] != '\0') {
            len++;
        }
        put_padded(t, spec, s, len);
        break;
    }
    case 'c': {
        char one = (char)va_arg(args->list, int);
        put_padded(t, spec, &one, 1);
        break;
    }
    case 'd': {
        int64_t v = is_long ? va_arg(args->list, long) : va_arg(args->list, int);
        put_number(t, spec, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, v < 0, false);
        break;
    }
    case 'u':
        put_number(t, spec, take_unsigned(args, is_long), 10, false, false);
        break;
    case 'x':
    case 'X':
        put_number(t, spec, take_unsigned(args, is_long), 16, false, c == 'X');
        break;
    case '%':
        text_char(t, '%');
        break;
    default:
        ASSERT(!"a conversion this printf does not know");
    }
}

void text_vfmt(struct text *t, const char *fmt, va_list list)
{
    struct arguments args;
    va_copy(args.list, list);
    for (; *fmt != '\0'; fmt++) {
        if (*fmt != '%') {
            text_char(t, *fmt);
            continue;
        }
        struct spec spec = { .precision = -1 };
        bool is_long = false;
        fmt++;
        for (; *fmt == '-' || *fmt == '0'; fmt++) {
            spec.left |= *fmt == '-';
            spec.zero |= *fmt == '0';
        }
        if (*fmt == '*') {
            spec.width = va_arg(args.list, unsigned);
            fmt++;
        }
        for (; *fmt >= '0' && *fmt <= '9'; fmt++) {
            spec.width = spec.width * 10 + (unsigned)(*fmt - '0');
        }
        if (*fmt == '.') {
            fmt++;
            spec.precision = 0;
            if (*fmt == '*') {
                spec.precision = va_arg(args.list, int);
                fmt++;
            }
            for (; *fmt >= '0' && *fmt <= '9'; fmt++) {
                spec.precision = spec.precision * 10 + (*fmt - '0');
            }
        }
        for (; *fmt == 'l' || *fmt == 'z'; fmt++) {
            is_long = true;
        }
        put_conversion(t, &spec, *fmt, is_long, &args);
    }
    va_end(args.list);
}

void text_fmt(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vfmt(t, fmt, args);
    va_end(args);
}

bool text_print(char *buf, size_t cap, const char *fmt, ...)
{
    struct text t;
    va_list args;
    text_init(&t, buf, cap);
    va_start(args, fmt);
    text_vfmt(&t, fmt, args);
    va_end(args);
    return !t.cut;
}

void text_copy_trimmed(char *buf, size_t cap, const char *s, size_t n)
{
    struct text t;
    text_init(&t, buf, cap);
    while (n > 0 && (s[0] == ' ' || s[0] == '\0')) {
        s++;
        n--;
    }
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\0')) {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        text_char(&t, s[i] >= 0x20 && s[i] <= 0x7e ? s[i] : '?');
    }
}

bool text_parse_u64(const char *s, size_t n, uint64_t *out)
{
    uint64_t value = 0;
    if (n == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(s[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}
