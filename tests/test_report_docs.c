/* docs/REPORT.md against the program: every field, finding, verdict word, event and key, and the example of a stamp. Both
 * ways where it can be: what is written is described, and what is described exists. Runs from the top of the tree. */
#include "tests/app_on_model.h"

#include <ctype.h>
#include <glob.h>

#include "bench/report.h"
#include "ui/log.h"

static char doc[128 << 10];
static char schema[256 << 10];
static char source[128 << 10];

static void read_into(char *buf, size_t cap, const char *path)
{
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    size_t n = fread(buf, 1, cap - 1, f);
    fclose(f);
    CHECK(n > 0 && n < cap - 1);
    buf[n] = '\0';
}

/* The part of the document from this heading to the next of its rank, cut out into `doc`. */
static const char *section(const char *heading)
{
    read_into(doc, sizeof(doc), "docs/REPORT.md");
    char *at = strstr(doc, heading);
    CHECK(at != NULL);
    char *end = strstr(at + 1, "\n## ");
    if (end != NULL) {
        end[1] = '\0';
    }
    return at;
}

static bool has_word(const char *in, const char *word)
{
    char want[72];
    snprintf(want, sizeof(want), "`%s`", word);
    return strstr(in, want) != NULL;
}

/* The next word in backticks from *at on, before `end`. */
static bool next_word(const char **at, const char *end, char word[64])
{
    const char *from = strchr(*at, '`');
    const char *to = from == NULL || from >= end ? NULL : strchr(from + 1, '`');
    if (to == NULL || to >= end || to - from > 60) {
        return false;
    }
    snprintf(word, 64, "%.*s", (int)(to - from - 1), from + 1);
    *at = to + 1;
    return true;
}

/* --- fields --------------------------------------------------------------------------------------------------------- */

/* Every member's name in the saved report. Returns how many there were. */
static unsigned check_members_are_described(const char *fields)
{
    unsigned count = 0;
    const struct sim_file *file = sim_platform_file_ending(&machine.plat, "report.json");
    CHECK(file != NULL);
    for (const char *at = (const char *)file->data; (at = strstr(at, "\": ")) != NULL; at += 3) {
        const char *from = at;
        while (from[-1] != '"' && from[-1] != '\n') {
            from--;
        }
        if (from[-1] != '"' || from[-2] != ' ') {
            continue; /* inside a text */
        }
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)(at - from), from);
        if (!has_word(fields, name)) {
            printf("  not described: %s\n", name);
        }
        CHECK(has_word(fields, name));
        count++;
    }
    return count;
}

TEST(report_docs_describe_every_field)
{
    static const struct sim_config config = {
        .drive = { { .serial = "S1",
                     .content = SIM_CONTENT_USED,
                     .trim_granule = 8,
                     .trim_rounding = SIM_ROUND_OUTWARD } },
        .faults = { { .what = SIM_DEVICE_ERROR,
                      .opcode = ATA_READ_DMA_EXT,
                      .lba_first = 5000,
                      .lba_count = 1,
                      .nth = 2,
                      .times = SIM_ALWAYS,
                      .error = ATA_ERR_UNC } },
        .platform = { .cmdline = "x plan=proof target=S1 confirm=ERASE,S1 exit=reboot" },
    };
    CHECK_EQ(app_run(&config), 1);
    check_saved("report.json", "\"damage\": {");
    check_saved("report.json", "\"failure\": {");
    check_saved("report.json", "\"code\": \"damaged\"");
    CHECK(check_members_are_described(section("## Fields")) > 500);
    app_end();
}

TEST(report_docs_describe_no_other_field)
{
    unsigned fields = 0;
    const char *at = section("## Fields");
    read_into(schema, sizeof(schema), "docs/report.schema.json");
    while ((at = strstr(at, "\n| `")) != NULL) {
        char word[64];
        const char *end = strstr(at + 3, " |");
        CHECK(end != NULL);
        at++;
        while (next_word(&at, end, word)) {
            char want[80];
            snprintf(want, sizeof(want), "\"%s\": {", word);
            if (strstr(schema, want) == NULL) {
                printf("  not in the schema: %s\n", word);
            }
            CHECK(strstr(schema, want) != NULL);
            fields++;
        }
    }
    CHECK(fields > 80);
}

/* --- findings and words ----------------------------------------------------------------------------------------------- */

/* The row of this code has this severity, and the schema knows the code. */
static void check_finding(const char *findings, const char *code, const char *severity)
{
    char want[96];
    snprintf(want, sizeof(want), "\n| `%s` | %s |", code, severity);
    if (strstr(findings, want) == NULL) {
        printf("  no row %s\n", want + 1);
    }
    CHECK(strstr(findings, want) != NULL);
    snprintf(want, sizeof(want), "\"%s\"", code);
    CHECK(strstr(schema, want) != NULL);
}

TEST(report_docs_list_every_finding_and_no_other)
{
    static const char *const words[][2] = { { "SEVERITY_NOTE", "note" },
                                            { "SEVERITY_WARN", "warning" },
                                            { "SEVERITY_ERROR", "error" } };
    static char known[4096];
    glob_t files;
    unsigned rows = 0;
    const char *findings = section("## Findings");
    read_into(schema, sizeof(schema), "docs/report.schema.json");
    known[0] = '\0';
    CHECK_EQ(glob("[abu]*/*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (strncmp(files.gl_pathv[i], "build", 5) == 0) {
            continue;
        }
        read_into(source, sizeof(source), files.gl_pathv[i]);
        for (const char *at = source; (at = strstr(at, "report_find(")) != NULL; at++) {
            char code[64] = "";
            char severity[32] = "";
            /* First the report, then the code in quotes, then the severity. The function itself has no quotes. */
            if (sscanf(at, "report_find( %*[^,\"], \"%63[a-z0-9_]\", %31[A-Z_]", code, severity) !=
                2) {
                CHECK(strncmp(at, "report_find(struct", 18) == 0);
                continue;
            }
            size_t n = 0;
            while (n < ARRAY_LEN(words) && strcmp(words[n][0], severity) != 0) {
                n++;
            }
            CHECK(n < ARRAY_LEN(words));
            check_finding(findings, code, words[n][1]);
            strcat(strcat(strcat(known, "`"), code), "`");
        }
    }
    globfree(&files);
    for (const char *at = findings; (at = strstr(at, "\n| `")) != NULL; rows++) {
        char word[64];
        CHECK(next_word(&at, at + strlen(at), word));
        CHECK(has_word(known, word));
    }
    CHECK(rows > 15);
}

static void check_row(const char *in, const char *word)
{
    char want[64];
    snprintf(want, sizeof(want), "\n| %s |", word);
    if (strstr(in, want) == NULL) {
        printf("  no row for %s\n", word);
    }
    CHECK(strstr(in, want) != NULL);
}

TEST(report_docs_explain_every_word_of_the_verdict)
{
    const char *verdict = section("## Verdict");
    for (unsigned i = 0; i <= COMMAND_NOT_SUPPORTED; i++) {
        check_row(verdict, command_class_name((enum command_class)i));
    }
    for (unsigned i = 0; i <= LOGICAL_DAMAGED; i++) {
        check_row(verdict, logical_class_name((enum logical_class)i));
    }
    for (unsigned i = OVERALL_PASS; i <= OVERALL_INCONCLUSIVE; i++) {
        check_row(verdict, overall_name((enum overall)i));
    }
}

/* --- the stamp ------------------------------------------------------------------------------------------------------------ */

/* `bytes` as the document writes them: groups of eight. */
static void check_hex(const char *in, const uint8_t *at)
{
    char want[17];
    for (unsigned i = 0; i < 8; i++) {
        snprintf(want + (size_t)2 * i, 3, "%02x", at[i]);
    }
    if (strstr(in, want) == NULL) {
        printf("  not in the example: %s\n", want);
    }
    CHECK(strstr(in, want) != NULL);
}

TEST(report_docs_example_of_a_stamp_is_one)
{
    static const struct stamp s = { .run_id = 0x0123456789abcdef, .lba = 2048, .pass = 1 };
    uint8_t sector[4096];
    const char *stamp = section("## The stamp");
    stamp_write(&s, sector, 512);
    for (unsigned i = 0; i < 48; i += 8) {
        check_hex(stamp, sector + i);
    }
    check_hex(stamp, sector + 504);
    stamp_write(&s, sector, 4096);
    check_hex(stamp, sector + 4088);
}

/* Written from the document alone, not from the program. */
static uint64_t doc_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void doc_number(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static void doc_stamp(uint8_t *sector, uint64_t run_id, uint64_t lba, uint32_t pass, unsigned size)
{
    memcpy(sector, "BARETRIM", 8);
    doc_number(sector + 8, lba, 8);
    doc_number(sector + 16, run_id, 8);
    doc_number(sector + 24, pass, 4);
    doc_number(sector + 28, 0, 4);
    uint64_t s = doc_mix(run_id ^ doc_mix(lba + ((uint64_t)pass << 48)));
    for (unsigned i = 32; i < size - 8; i += 8) {
        s += UINT64_C(0x9e3779b97f4a7c15);
        doc_number(sector + i, doc_mix(s), 8);
    }
    uint64_t c = size - 8;
    for (unsigned i = 0; i < size - 8; i += 8) {
        uint64_t word = 0;
        for (unsigned n = 8; n > 0; n--) {
            word = word << 8 | sector[i + n - 1];
        }
        c = doc_mix(c ^ word);
    }
    doc_number(sector + size - 8, c, 8);
}

TEST(report_docs_stamp_is_what_the_program_writes)
{
    uint8_t ours[4096];
    uint8_t theirs[4096];
    for (unsigned size = 512; size <= 4096; size *= 8) {
        for (uint64_t n = 0; n < 200; n++) {
            struct stamp s = { .run_id = doc_mix(n), .lba = n * n * 77777777, .pass = (uint32_t)n };
            stamp_write(&s, ours, size);
            doc_stamp(theirs, s.run_id, s.lba, s.pass, size);
            CHECK_EQ(memcmp(ours, theirs, size), 0);
        }
    }
}

/* --- the event log ---------------------------------------------------------------------------------------------------------- */

static char logged_lines[4 << 20];

/* The next key of a line of the log, from *at on; its value is passed over. */
static bool next_key(const char **at, char key[32])
{
    const char *c = *at + strspn(*at, " ");
    size_t length = strcspn(c, "= \r\n");
    if (length == 0 || length > 31 || c[length] != '=') {
        return false;
    }
    snprintf(key, 32, "%.*s", (int)length, c);
    c += length + 1;
    if (*c == '"') {
        for (c++; *c != '"'; c++) {
            CHECK(*c != '\0' && *c != '\n');
            c += *c == '\\';
        }
        c++;
    } else {
        c += strcspn(c, " \r\n");
    }
    *at = c;
    return true;
}

/* Copies its line of the document. */
static bool row_of(const char *events, const char *event, char row[512])
{
    for (const char *at = events; (at = strstr(at, "\n| `")) != NULL;) {
        at++;
        snprintf(row, 512, "%.*s", (int)strcspn(at, "\n"), at);
        char *cells = strstr(row, " | ");
        CHECK(cells != NULL);
        *cells = '\0';
        bool found = has_word(row, event);
        *cells = ' ';
        if (found) {
            return true;
        }
    }
    return false;
}

/* Was this key ever logged with this event? */
static bool was_logged(const char *event, const char *wanted)
{
    for (const char *at = logged_lines; *at != '\0'; at += strcspn(at, "\n") + 1) {
        char name[32] = "";
        char key[32];
        int used = 0;
        if (sscanf(at, "BT1 %*u %31s%n", name, &used) == 1 && strcmp(name, event) == 0) {
            const char *keys = at + used;
            while (next_key(&keys, key)) {
                if (strcmp(key, wanted) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

#define PROOF "x plan=proof target=S1 confirm=ERASE,S1 serial=log exit=reboot"
#define S1    .drive = { { .serial = "S1", .content = SIM_CONTENT_USED } }

/* Every kind of line there is. */
static void log_everything(void)
{
    static const struct sim_config configs[] = {
        { S1, .platform = { .cmdline = PROOF } },
        { S1, .platform = { .cmdline = PROOF, .medium = SIM_MEDIUM_FULL } },
        { S1, .platform = { .cmdline = "x serial=log exit=reboot plan=nonsense" } },
        { S1, .platform = { .cmdline = "x plan=identify target=S2 serial=log exit=reboot" } },
        { S1, .platform = { .cmdline = PROOF },
          .faults = { { .what = SIM_DEVICE_ERROR,
                        .lba_first = 6000,
                        .lba_count = 1,
                        .times = SIM_ALWAYS,
                        .error = ATA_ERR_IDNF } } },
    };
    logged_lines[0] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(configs); i++) {
        (void)app_run(&configs[i]);
        CHECK(strlen(logged_lines) + machine.plat.serial.bytes < sizeof(logged_lines));
        strcat(logged_lines, machine.plat.serial.at);
        app_end();
    }
}

TEST(report_docs_describe_every_line_of_the_event_log)
{
    unsigned lines = 0;
    const char *events = section("## The event log");
    log_everything();
    for (const char *at = logged_lines; *at != '\0'; at += strcspn(at, "\n") + 1) {
        char name[32] = "";
        char row[512];
        char key[32];
        int used = 0;
        CHECK_EQ(sscanf(at, "BT1 %*u %31s%n", name, &used), 1);
        if (!row_of(events, name, row)) {
            printf("  no such event: %s\n", name);
        }
        CHECK(row_of(events, name, row));
        const char *keys = at + used;
        while (next_key(&keys, key)) {
            const char *cell = strstr(strstr(row, " | ") + 3, " | ");
            if (cell == NULL || !has_word(cell, key)) {
                printf("  not described: %s %s\n", name, key);
            }
            CHECK(cell != NULL && has_word(cell, key));
        }
        CHECK(*keys == '\r');
        lines++;
    }
    CHECK(lines > 100);
}

TEST(report_docs_describe_no_other_line_of_the_event_log)
{
    unsigned keys = 0;
    const char *events = section("## The event log");
    log_everything();
    for (const char *at = events; (at = strstr(at, "\n| `")) != NULL;) {
        char row[512];
        char event[64];
        char key[64];
        at++;
        snprintf(row, sizeof(row), "%.*s", (int)strcspn(at, "\n"), at);
        const char *names = row;
        const char *names_end = strstr(row, " | ");
        CHECK(names_end != NULL);
        while (next_word(&names, names_end, event)) {
            const char *cell = strstr(names_end + 3, " | ");
            CHECK(cell != NULL || strcmp(event, "handed_back") == 0);
            while (cell != NULL && next_word(&cell, row + strlen(row), key)) {
                if (!was_logged(event, key)) {
                    printf("  never logged: %s %s\n", event, key);
                }
                CHECK(was_logged(event, key));
                keys++;
            }
        }
    }
    CHECK(keys > 90);
}

/* The example in the text, and what makes a value be quoted. */
TEST(report_docs_quoting_is_what_the_log_does)
{
    char limit[64];
    snprintf(limit, sizeof(limit), "most %d characters long", LOG_LINE_MAX - 1);
    CHECK(strstr(section("## The event log"), limit) != NULL);
    log_everything();
    CHECK(strstr(logged_lines, " failure=\"\"\r\n") != NULL);
    CHECK(strstr(logged_lines, " name=\"one sector\" ") != NULL);
    CHECK(strstr(logged_lines, " place=first ") != NULL);
    for (const char *at = logged_lines; *at != '\0'; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n");
        CHECK(length + 1 < LOG_LINE_MAX && at[length - 1] == '\r');
        for (size_t i = 0; i + 1 < length; i++) {
            CHECK(isprint((unsigned char)at[i]) != 0);
        }
    }
}

TEST_MAIN
