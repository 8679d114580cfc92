/* Load options come as bytes without a type (UEFI 2.10 9.1: "LoadOptions"); whoever starts us decides. */
#include "boot/load_options.h"

/* UCS-2 is told from 8-bit text by its first zero byte: in UCS-2 it is the upper half of a character, so
 * it stands at an odd place and text goes on behind it; in 8-bit text it is the terminator. */
static bool options_are_ucs2(const uint8_t *raw, size_t bytes)
{
    size_t zero = 0;
    while (zero < bytes && raw[zero] != 0) {
        zero++;
    }
    if (zero == bytes || zero % 2 == 0) {
        return false;
    }
    return zero == 1 || (zero + 1 < bytes && raw[zero + 1] != 0);
}

static char options_char(unsigned c)
{
    if (c == '\t' || c == '\r' || c == '\n') {
        return ' ';
    }
    return c >= 0x20 && c <= 0x7e ? (char)c : '?';
}

bool load_options_text(const void *raw, size_t bytes, char *out, size_t cap)
{
    const uint8_t *at = raw;
    size_t step = 1;
    size_t len = 0;

    if (bytes >= 2 && at[0] == 0xff && at[1] == 0xfe) {
        at += 2;
        bytes -= 2;
        step = 2;
    } else if (options_are_ucs2(at, bytes)) {
        step = 2;
    }
    out[0] = '\0';
    for (; bytes >= step; at += step, bytes -= step) {
        unsigned c = step == 2 ? get_le16(at) : at[0];
        if (c == 0) {
            return false;
        }
        if (len + 1 == cap) {
            return true;
        }
        out[len++] = options_char(c);
        out[len] = '\0';
    }
    return false;
}
