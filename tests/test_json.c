/* The JSON writer: commas, escapes, and a buffer that is too small. */
#include "ui/json.h"

#include <stdlib.h>

#include "tests/test.h"

static void write_sample(struct json *j)
{
    json_object(j, NULL);
    json_str(j, "text", "a \"b\" \\ c\n\x80");
    json_u64(j, "most", UINT64_MAX);
    json_array(j, "list");
    json_u64(j, NULL, 0);
    json_null(j, NULL);
    json_object(j, NULL);
    json_object_end(j);
    json_array(j, NULL);
    json_array_end(j);
    json_array_end(j);
    json_bool(j, "yes", true);
    json_hex(j, "hex", 0xab, 4);
    json_null(j, "none");
    json_object_end(j);
}

static const char sample[] = "{\n"
                             " \"text\": \"a \\\"b\\\" \\\\ c\\u000a\\u0080\",\n"
                             " \"most\": 18446744073709551615,\n"
                             " \"list\": [\n"
                             "  0,\n"
                             "  null,\n"
                             "  {},\n"
                             "  []\n"
                             " ],\n"
                             " \"yes\": true,\n"
                             " \"hex\": \"00ab\",\n"
                             " \"none\": null\n"
                             "}\n";

TEST(json_nested_groups_have_their_commas)
{
    char buf[512];
    struct json j;
    json_init(&j, buf, sizeof(buf));
    write_sample(&j);
    CHECK_STR(buf, sample);
    CHECK_EQ(j.text.len, sizeof(sample) - 1);
    CHECK(!j.text.cut);
    CHECK_EQ(j.depth, 0);
}

TEST(json_too_small_a_buffer_is_reported_at_every_size)
{
    for (size_t cap = 1; cap < sizeof(sample); cap++) {
        char *buf = malloc(cap); /* exactly: the sanitizer watches its end */
        struct json j;
        json_init(&j, buf, cap);
        write_sample(&j);
        bool cut = j.text.cut;
        bool prefix = strncmp(buf, sample, strlen(buf)) == 0;
        free(buf);
        CHECK(cut);
        CHECK(prefix);
    }
}

TEST_MAIN
