/* The memory and string functions that the compiler itself expects to find, and the few string
 * functions the core uses. The host build links the C library's instead. */
#include "lib/util.h"

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return result;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        return memcpy(to, from, bytes);
    }
    uint8_t *d = to;
    const uint8_t *s = from;
    for (size_t i = bytes; i > 0; i--) {
        d[i - 1] = s[i - 1];
    }
    return to;
}

void *memset(void *at, int value, size_t bytes)
{
    void *result = at;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
    return result;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *x = a;
    const uint8_t *y = b;
    for (size_t i = 0; i < bytes; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != '\0') {
        n++;
    }
    return n;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return (uint8_t)a[i] < (uint8_t)b[i] ? -1 : 1;
        }
        if (a[i] == '\0') {
            break;
        }
    }
    return 0;
}
