/* The host tests' frame: one behaviour a case, named <unit>_<situation>_<expectation>. A failed check
 * prints both values and ends its case; the other cases still run.
 *
 *   TEST(text_number_too_large_is_refused) { CHECK(!text_parse_u64("99999999999999999999", 20, &v)); }
 *   int main(int argc, char **argv) { return test_main(argc, argv); }      // via TEST_MAIN
 *
 * A program prints "ok NAME" / "FAIL NAME" for each case and exits 1 when any failed. With arguments
 * only the named cases run. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "lib/util.h"

struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

static struct test_case *test_first;
static struct test_case **test_last = &test_first;
static jmp_buf test_failed;

#define TEST(id)                                                                                   \
    static void id(void);                                                                          \
    __attribute__((constructor)) static void id##_register(void)                                   \
    {                                                                                              \
        static struct test_case self = { .name = #id, .run = id };                                 \
        *test_last = &self;                                                                        \
        test_last = &self.next;                                                                    \
    }                                                                                              \
    static void id(void)

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                          \
            longjmp(test_failed, 1);                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_EQ(got, want)                                                                        \
    do {                                                                                           \
        uint64_t test_got = (uint64_t)(got), test_want = (uint64_t)(want);                         \
        if (test_got != test_want) {                                                               \
            printf("  %s:%d: %s is %" PRIu64 " (0x%" PRIx64 "), wanted %" PRIu64 " (0x%" PRIx64    \
                   ")\n",                                                                          \
                   __FILE__, __LINE__, #got, test_got, test_got, test_want, test_want);            \
            longjmp(test_failed, 1);                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *test_got = (got), *test_want = (want);                                         \
        if (strcmp(test_got, test_want) != 0) {                                                    \
            printf("  %s:%d: %s is \"%s\", wanted \"%s\"\n", __FILE__, __LINE__, #got, test_got,   \
                   test_want);                                                                     \
            longjmp(test_failed, 1);                                                               \
        }                                                                                          \
    } while (0)

/* Apart from test_main(): a jump back into this frame may spoil its locals, and there are none. */
static bool test_run(const struct test_case *t)
{
    if (setjmp(test_failed) != 0) {
        return false;
    }
    t->run();
    return true;
}

static int test_main(int argc, char **argv)
{
    int failures = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (struct test_case *t = test_first; t != NULL; t = t->next) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++) {
            wanted |= strcmp(argv[i], t->name) == 0;
        }
        if (!wanted) {
            continue;
        }
        bool passed = test_run(t);
        printf("%s %s\n", passed ? "ok" : "FAIL", t->name);
        failures += !passed;
    }
    return failures > 0;
}

#define TEST_MAIN                                                                                  \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return test_main(argc, argv);                                                              \
    }

#endif
