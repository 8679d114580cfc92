/* Load options as the different loaders leave them. */
#include "boot/load_options.h"

#include "tests/test.h"

static char out[16];
static bool cut;

/* A string literal's bytes without the NUL the compiler adds. */
#define TEXT_OF(bytes) text_of(bytes, sizeof(bytes) - 1)

static const char *text_of(const void *raw, size_t bytes)
{
    /* A copy of its own in exactly as many bytes, so that the sanitizer sees a read behind its end. */
    uint8_t exact[64];
    memset(out, 'x', sizeof(out));
    memset(exact, 'E', sizeof(exact));
    memcpy(exact + sizeof(exact) - bytes, raw, bytes);
    cut = load_options_text(exact + sizeof(exact) - bytes, bytes, out, sizeof(out));
    return out;
}

TEST(load_options_none_are_empty)
{
    CHECK(!load_options_text(NULL, 0, out, sizeof(out)));
    CHECK_STR(out, "");
}

TEST(load_options_ucs2_with_terminator)
{
    CHECK_STR(TEXT_OF("a\0=\0b\0\0\0"), "a=b");
    CHECK(!cut);
}

TEST(load_options_ucs2_without_terminator)
{
    CHECK_STR(TEXT_OF("a\0=\0b\0"), "a=b");
}

TEST(load_options_byte_order_mark_is_skipped)
{
    CHECK_STR(TEXT_OF("\xff\xfe"
                      "a\0=\0b\0\0\0"),
              "a=b");
    CHECK_STR(TEXT_OF("\xff\xfe"), "");
}

TEST(load_options_odd_size_drops_the_half_character)
{
    CHECK_STR(TEXT_OF("a\0=\0b\0c"), "a=b");
    CHECK_STR(TEXT_OF("\xff\xfe"
                      "a\0b"),
              "a");
}

TEST(load_options_8bit_text_with_and_without_terminator)
{
    CHECK_STR(TEXT_OF("plan=x"), "plan=x");
    CHECK_STR(TEXT_OF("plan=x\0"), "plan=x");
    CHECK_STR(TEXT_OF("abc\0"), "abc"); /* the zero stands at an odd place */
    CHECK_STR(TEXT_OF("abc\0\0\0"), "abc");
    CHECK_STR(TEXT_OF("a"), "a");
}

TEST(load_options_one_letter_is_the_same_either_way)
{
    CHECK_STR(TEXT_OF("a\0"), "a");
    CHECK_STR(TEXT_OF("a\0\0\0"), "a");
}

TEST(load_options_text_ends_at_the_terminator)
{
    CHECK_STR(TEXT_OF("a\0b\0\0\0c\0"), "ab");
    CHECK_STR(TEXT_OF("\0\0a\0"), "");
}

TEST(load_options_foreign_characters_become_question_marks)
{
    CHECK_STR(TEXT_OF("a\0\xe9\0b\0"), "a?b");
    CHECK_STR(TEXT_OF("\x2d\x4e"
                      "a\0b\0"),
              "?ab"); /* the first character has no zero byte */
    CHECK_STR(TEXT_OF("a\x1b"
                      "b\x80"
                      "c"),
              "a?b?c");
}

TEST(load_options_line_ends_and_tabs_become_spaces)
{
    CHECK_STR(TEXT_OF("a\t\0b"), "a ");
    CHECK_STR(TEXT_OF("a\0\r\0\n\0b\0"), "a  b");
}

TEST(load_options_exact_fit_is_not_cut)
{
    CHECK_STR(TEXT_OF("123456789012345"), "123456789012345");
    CHECK(!cut);
    CHECK_STR(TEXT_OF("123456789012345\0"), "123456789012345");
    CHECK(!cut);
}

TEST(load_options_too_long_is_cut_and_says_so)
{
    CHECK_STR(TEXT_OF("1234567890123456"), "123456789012345");
    CHECK(cut);
    CHECK_STR(TEXT_OF("1\0002\0003\0004\0005\0006\0007\0008\0009\000a\0b\0c\0d\0e\0f\0g\0"),
              "123456789abcdef");
    CHECK(cut);
}

TEST_MAIN
