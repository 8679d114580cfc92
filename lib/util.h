/* Small helpers every layer uses: array length, min/max, memory functions, little-endian access,
 * the assertion. Freestanding: nothing here needs a C library. */
#ifndef LIB_UTIL_H
#define LIB_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every target of the core is LP64, so "%lu" prints a uint64_t everywhere. */
_Static_assert(sizeof(unsigned long) == 8, "the core is LP64");

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *at, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint16_t get_le16(const void *at)
{
    const uint8_t *b = at;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t get_le32(const void *at)
{
    return get_le16(at) | (uint32_t)get_le16((const uint8_t *)at + 2) << 16;
}

static inline uint64_t get_le64(const void *at)
{
    return get_le32(at) | (uint64_t)get_le32((const uint8_t *)at + 4) << 32;
}

static inline void put_le16(void *at, uint16_t value)
{
    uint8_t *b = at;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
}

static inline void put_le32(void *at, uint32_t value)
{
    put_le16(at, (uint16_t)value);
    put_le16((uint8_t *)at + 2, (uint16_t)(value >> 16));
}

static inline void put_le64(void *at, uint64_t value)
{
    put_le32(at, (uint32_t)value);
    put_le32((uint8_t *)at + 4, (uint32_t)(value >> 32));
}

/* A broken promise inside the program (never inside a device): says where and stops for good.
 * Each platform provides panic(). */
_Noreturn void panic(const char *file, int line, const char *what);
#define ASSERT(cond)                                                                               \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            panic(__FILE__, __LINE__, #cond);                                                      \
        }                                                                                          \
    } while (0)

#endif
