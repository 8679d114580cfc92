/* Text building: every conversion against the C library's printf, room that runs out at every length, and the
 * number parser's limits. */
#include "lib/text.h"

#include <stdlib.h>

#include "lib/err.h"
#include "tests/test.h"

/* The same call through ours and the C library's. `%z`, `%l` and LP64 make the argument lists equal. */
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char ours[256];                                                                            \
        char theirs[256];                                                                          \
        CHECK(text_print(ours, sizeof(ours), __VA_ARGS__));                                        \
        snprintf(theirs, sizeof(theirs), __VA_ARGS__);                                             \
        CHECK_STR(ours, theirs);                                                                   \
    } while (0)

TEST(text_strings_and_characters)
{
    SAME("plain");
    SAME("%s", "");
    SAME("[%s] [%8s] [%-8s] [%2s]", "abc", "abc", "abc", "abc");
    SAME("[%.2s] [%.0s] [%.9s] [%8.2s] [%-8.2s]", "abc", "abc", "abc", "abc", "abc");
    SAME("[%.*s] [%*s] [%-*s]", 2, "abc", 5, "abc", 5, "abc");
    SAME("[%c] [%3c] [%-3c] 100%%", 'a', 'b', 'c');
}

TEST(text_a_piece_without_terminator_is_not_read_beyond)
{
    char *exact = malloc(3);
    char out[16];
    memcpy(exact, "abc", 3);
    CHECK(text_print(out, sizeof(out), "%.*s", 3, exact));
    CHECK_STR(out, "abc");
    free(exact);
}

TEST(text_unsigned_numbers)
{
    SAME("%u %u %u", 0u, 1u, UINT32_MAX);
    SAME("%lu %lu", 0ul, UINT64_MAX);
    SAME("%zu %llu", (size_t)UINT64_MAX, 12345678901234ull);
    SAME("[%5u] [%-5u] [%05u] [%1u] [%020lu]", 42u, 42u, 42u, 42u, UINT64_MAX);
    SAME("%x %X %lx %08x %02x %-8x|", 0xbeefu, 0xbeefu, UINT64_MAX, 0xbeefu, 0x123u, 0xau);
    SAME("%0*lx", 16, 0xabcul);
}

TEST(text_signed_numbers)
{
    SAME("%d %d %d %d", 0, -1, (int)INT32_MAX, (int)INT32_MIN);
    SAME("%ld %ld", (long)INT64_MAX, (long)INT64_MIN);
    SAME("[%6d] [%-6d]", -42, -42);
}

TEST(text_an_int_is_not_taken_for_a_long)
{
    /* The upper half of an argument's register may hold anything. */
    volatile uint64_t dirty = UINT64_C(0x1122334400000007);
    SAME("%u %d", (unsigned)dirty, (int)dirty);
}

/* Whatever the room, the text ends with NUL inside it, is a beginning of the whole, and `cut` is true exactly
 * when something is missing. */
TEST(text_room_runs_out_at_every_length)
{
    const char *whole = "ab 00042 cdefg -7 h";
    for (size_t cap = 1; cap <= 24; cap++) {
        char *exact = malloc(cap);
        struct text t;
        text_init(&t, exact, cap);
        CHECK_STR(exact, "");
        text_fmt(&t, "a%c %05u %s", 'b', 42u, "cde");
        text_str(&t, "fg ");
        text_fmt(&t, "%d", -7);
        text_char(&t, ' ');
        text_char(&t, 'h');
        size_t want = min_u64(cap - 1, strlen(whole));
        CHECK_EQ(strlen(exact), want);
        CHECK_EQ(t.len, want);
        CHECK(memcmp(exact, whole, want) == 0);
        CHECK_EQ(t.cut, cap - 1 < strlen(whole));
        free(exact);
    }
}

TEST(text_print_says_when_it_was_cut)
{
    char out[4];
    CHECK(text_print(out, sizeof(out), "%s", "abc"));
    CHECK_STR(out, "abc");
    CHECK(!text_print(out, sizeof(out), "%s", "abcd"));
    CHECK_STR(out, "abc");
    CHECK(text_print(out, 1, "%s", ""));
    CHECK(!text_print(out, 1, "a"));
    CHECK_STR(out, "");
}

static const char *trimmed(const char *text, size_t n, size_t cap)
{
    static char out[32];
    char *exact = malloc(n == 0 ? 1 : n);
    memcpy(exact, text, n);
    memset(out, 'x', sizeof(out));
    text_copy_trimmed(out, cap, exact, n);
    free(exact);
    return out;
}

TEST(text_copy_trimmed_takes_blanks_and_nuls_off_both_ends)
{
    CHECK_STR(trimmed("  ab c \0 ", 9, 32), "ab c");
    CHECK_STR(trimmed("\0\0ab", 4, 32), "ab");
    CHECK_STR(trimmed("    ", 4, 32), "");
    CHECK_STR(trimmed("\0\0", 2, 32), "");
    CHECK_STR(trimmed("", 0, 32), "");
    CHECK_STR(trimmed("ab", 2, 32), "ab");
}

TEST(text_copy_trimmed_shows_no_other_bytes)
{
    CHECK_STR(trimmed("a\0b", 3, 32), "a?b");
    CHECK_STR(trimmed("\x1b[2J", 4, 32), "?[2J");
    CHECK_STR(trimmed("\x7f\x80\xff~ !", 6, 32), "???~ !");
    CHECK_STR(trimmed("\ta\n", 3, 32), "?a?");
}

TEST(text_copy_trimmed_keeps_to_its_room)
{
    CHECK_STR(trimmed("abcdef", 6, 4), "abc");
    CHECK_STR(trimmed("abcdef", 6, 1), "");
    CHECK_STR(trimmed("abcdef", 6, 7), "abcdef");
}

static bool parses(const char *text, uint64_t want)
{
    size_t n = strlen(text);
    char *exact = malloc(n == 0 ? 1 : n);
    uint64_t value = 77;
    memcpy(exact, text, n);
    bool good = text_parse_u64(exact, n, &value);
    free(exact);
    CHECK_EQ(value, good ? want : 77); /* untouched on failure */
    return good;
}

TEST(text_parse_u64_numbers)
{
    CHECK(parses("0", 0));
    CHECK(parses("7", 7));
    CHECK(parses("0042", 42));
    CHECK(parses("18446744073709551615", UINT64_MAX));
    CHECK(parses("18446744073709551609", UINT64_MAX - 6));
    CHECK(parses("00000000000000000000000018446744073709551615", UINT64_MAX));
}

TEST(text_parse_u64_refuses)
{
    static const char *const bad[] = { "",
                                       "18446744073709551616",
                                       "18446744073709551620",
                                       "99999999999999999999",
                                       "184467440737095516150",
                                       "-1",
                                       "+1",
                                       " 1",
                                       "1 ",
                                       "1a",
                                       "a1",
                                       "0x1",
                                       "1.0",
                                       "1e3",
                                       "/",
                                       ":" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (parses(bad[i], 0)) {
            printf("  accepted: \"%s\"\n", bad[i]);
        }
        CHECK(!parses(bad[i], 0));
    }
}

TEST(text_parse_u64_looks_at_n_bytes_only)
{
    uint64_t value = 0;
    CHECK(text_parse_u64("1234", 2, &value));
    CHECK_EQ(value, 12);
    CHECK(!text_parse_u64("12\0", 3, &value));
}

TEST(err_names_are_all_there_and_differ)
{
    for (int a = OK; a < ERR_COUNT; a++) {
        const char *name = err_name((enum err)a);
        CHECK(name != NULL && name[0] != '\0');
        for (int b = OK; b < a; b++) {
            CHECK(strcmp(name, err_name((enum err)b)) != 0);
        }
    }
    CHECK_STR(err_name((enum err)ERR_COUNT), "unknown error");
    CHECK_STR(err_name((enum err) - 1), "unknown error");
}

TEST_MAIN
