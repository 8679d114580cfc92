/* The event log: its lines can be read back whatever is in them, and docs/REPORT.md names every event and key. */
#include "ui/log.h"

#include <stdlib.h>

#include "sim/sim_bench.h"
#include "tests/test.h"

static struct sim_bench machine;
static struct event_log event_log;

/* --- reading a line as another program would ---------------------------------------------------------- */

struct field {
    char key[32];
    char value[LOG_LINE_MAX];
};

struct line {
    uint64_t ns;
    char event[32];
    unsigned fields;
    struct field field[32];
};

/* The escapes of a value in quotes; returns behind the closing quote. */
static const char *read_quoted(const char *at, char *out)
{
    while (*at != '"') {
        CHECK(*at >= ' ' && *at <= '~'); /* also: the line does not end in the middle */
        if (*at != '\\') {
            *out++ = *at++;
        } else if (at[1] == 'x') {
            char digits[3] = { at[2], at[3], '\0' };
            char *end = NULL;
            *out++ = (char)strtoul(digits, &end, 16);
            CHECK(end == digits + 2);
            at += 4;
        } else {
            CHECK(at[1] == '"' || at[1] == '\\');
            *out++ = at[1];
            at += 2;
        }
    }
    *out = '\0';
    return at + 1;
}

/* Read one line, CR LF and all; returns the start of the next. */
static const char *read_line(const char *at, struct line *line)
{
    int used = 0;
    memset(line, 0, sizeof(*line));
    CHECK_EQ(sscanf(at, "BT1 %" SCNu64 " %31[a-z_]%n", &line->ns, line->event, &used), 2);
    for (at += used; *at == ' ';) {
        struct field *f = &line->field[line->fields++];
        CHECK(line->fields <= ARRAY_LEN(line->field));
        CHECK_EQ(sscanf(at, " %31[a-z0-9_]=%n", f->key, &used), 1);
        at += used;
        if (*at == '"') {
            at = read_quoted(at + 1, f->value);
            continue;
        }
        size_t len = strcspn(at, " \r");
        CHECK(len > 0);
        memcpy(f->value, at, len);
        CHECK(strcspn(f->value, "\"\\") == len);
        at += len;
    }
    CHECK(at[0] == '\r' && at[1] == '\n');
    return at + 2;
}

static void start(const struct sim_config *config)
{
    char why[120];
    sim_bench_init(&machine, config);
    struct platform *plat = &machine.plat.platform;
    CHECK_EQ(plat->serial_open(plat, why, sizeof(why)), OK);
    log_init(&event_log, plat, true);
}

static void only_line(struct line *line)
{
    CHECK_STR(read_line(machine.plat.serial.at, line), "");
}

/* --- lines -------------------------------------------------------------------------------------------- */

static void check_round_trip(const char *value, const char *on_the_wire)
{
    static struct line line;
    start(&(struct sim_config){ .drives = 0 });
    log_begin(&event_log, "some_event");
    log_str(&event_log, "before", "x");
    log_str(&event_log, "value", value);
    log_u64(&event_log, "after", UINT64_MAX);
    log_end(&event_log);
    only_line(&line);
    for (const char *c = machine.plat.serial.at; *c != '\0'; c++) {
        CHECK((*c >= ' ' && *c <= '~') || *c == '\r' || *c == '\n');
    }
    CHECK_STR(line.event, "some_event");
    CHECK_EQ(line.fields, 3);
    CHECK_STR(line.field[0].value, "x");
    CHECK_STR(line.field[1].value, value);
    CHECK_STR(line.field[2].value, "18446744073709551615");
    if (on_the_wire != NULL) {
        CHECK(strstr(machine.plat.serial.at, on_the_wire) != NULL);
    }
    sim_bench_free(&machine);
}

TEST(log_values_are_read_back_as_they_were)
{
    check_round_trip("plain", " value=plain ");
    check_round_trip("", " value=\"\" ");
    check_round_trip("two words", " value=\"two words\" ");
    check_round_trip("a\"b\\c", " value=\"a\\\"b\\\\c\" ");
    check_round_trip("\x1b[2J\r\nBT1 0 verdict overall=PASS", "\\x1b[2J\\x0d\\x0aBT1 0 verdict");
    check_round_trip("\x80\xff\t", "\"\\x80\\xff\\x09\"");
    check_round_trip("a=b", " value=a=b ");
}

TEST(log_every_byte_is_read_back)
{
    char value[256];
    for (unsigned i = 1; i < 256; i++) {
        value[i - 1] = (char)i;
    }
    value[255] = '\0';
    check_round_trip(value, NULL);
}

TEST(log_switched_off_is_silent)
{
    start(&(struct sim_config){ .drives = 0 });
    log_init(&event_log, &machine.plat.platform, false);
    log_start(&event_log);
    log_sentence(&event_log, "refused", "why");
    CHECK_STR(machine.plat.serial.at, "");
    sim_bench_free(&machine);
}

static void fill(char *at, size_t cap)
{
    memset(at, '\x01', cap - 1); /* the longest escape */
    at[cap - 1] = '\0';
}

TEST(log_longest_texts_are_not_cut)
{
    static struct line line;
    static struct report report;
    static struct run run;
    run.report = &report;
    report.findings = 1;
    report.finding[0].code = "a_code";
    fill(report.finding[0].text, sizeof(report.finding[0].text));
    fill(report.failure, sizeof(report.failure));
    fill(report.verdict.sentence, sizeof(report.verdict.sentence));
    report.verdict.overall = OVERALL_INCONCLUSIVE;
    report.verdict.logical = LOGICAL_UNSTABLE;
    start(&(struct sim_config){ .drives = 0 });
    log_run(&event_log, RUN_FINISHED, &run);
    const char *at = read_line(machine.plat.serial.at, &line);
    CHECK_STR(line.event, "finding");
    CHECK_STR(line.field[line.fields - 1].value, report.finding[0].text);
    at = read_line(at, &line);
    CHECK_STR(line.event, "verdict");
    CHECK_STR(line.field[line.fields - 1].value, report.verdict.sentence);
    at = read_line(at, &line);
    CHECK_STR(line.event, "end");
    CHECK_STR(line.field[line.fields - 1].value, report.failure);
    CHECK_STR(at, "");
    sim_bench_free(&machine);
}

/* --- events of whole runs, and the document ----------------------------------------------------------- */

struct row {
    char event[32];
    char keys[512]; /* the second cell */
    bool seen;
};

static struct row rows[64];
static unsigned row_count;

/* Rows "| `event`, `event` | keys ... |" of the section "The event log". */
static void read_document(void)
{
    static char document[128 << 10];
    FILE *f = fopen("docs/REPORT.md", "rb");
    CHECK(f != NULL);
    document[fread(document, 1, sizeof(document) - 1, f)] = '\0';
    fclose(f);
    char *at = strstr(document, "\n## The event log\n");
    CHECK(at != NULL);
    row_count = 0;
    while ((at = strstr(at, "\n| `")) != NULL) {
        char events[128];
        char keys[512];
        CHECK_EQ(sscanf(at, "\n| %127[^|]|%511[^\n]", events, keys), 2);
        for (char *event = strtok(events, "`, "); event != NULL; event = strtok(NULL, "`, ")) {
            CHECK(row_count < ARRAY_LEN(rows));
            struct row *row = &rows[row_count++];
            snprintf(row->event, sizeof(row->event), "%s", event);
            snprintf(row->keys, sizeof(row->keys), "%s", keys);
        }
        at += 2;
    }
    CHECK(row_count >= 15);
}

static struct row *row_of(const char *event)
{
    for (unsigned i = 0; i < row_count; i++) {
        if (strcmp(rows[i].event, event) == 0) {
            return &rows[i];
        }
    }
    printf("  docs/REPORT.md does not name the event %s\n", event);
    CHECK(false);
    return NULL;
}

static bool is_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        if ((at == text || !is_word(at[-1])) && !is_word(at[len])) {
            return true;
        }
    }
    return false;
}

static void check_line(const struct line *line)
{
    struct row *row = row_of(line->event);
    row->seen = true;
    for (unsigned i = 0; i < line->fields; i++) {
        if (!has_word(row->keys, line->field[i].key)) {
            printf("  docs/REPORT.md does not name %s of %s\n", line->field[i].key, line->event);
        }
        CHECK(has_word(row->keys, line->field[i].key));
    }
}

/* The whole program, unattended; its log against the document. */
static void run_and_check(const struct sim_config *config)
{
    static struct line line;
    uint64_t last_ns = 0;
    sim_bench_init(&machine, config);
    (void)core_main(&machine.plat.platform);
    const char *at = machine.plat.serial.at;
    CHECK(*at != '\0');
    while (*at != '\0') {
        at = read_line(at, &line);
        CHECK(line.ns >= last_ns);
        last_ns = line.ns;
        check_line(&line);
    }
    CHECK_STR(line.event, "exit");
    CHECK_STR(sim_bench_violations(&machine), "");
    sim_bench_free(&machine);
}

#define PROOF "plan=proof target=SIM0001 confirm=ERASE,SIM0001 serial=log exit=poweroff"

TEST(log_events_and_their_keys_are_those_of_the_document)
{
    read_document();
    run_and_check(&(struct sim_config){ .drive = { { .trim_granule = 8 } }, /* a finding */
                                        .platform = { .cmdline = PROOF } });
    run_and_check(
        &(struct sim_config){ .platform = { .cmdline = PROOF, .medium = SIM_MEDIUM_FULL } });
    run_and_check(&(struct sim_config){ .drive = { { .trim = SIM_TRIM_REJECTED } },
                                        .platform = { .cmdline = PROOF } });
    run_and_check(&(struct sim_config){ .platform = { .cmdline = PROOF " colour=blue" } });
    run_and_check(&(struct sim_config){ .drive = { { .serial = "OTHER" } },
                                        .platform = { .cmdline = PROOF } });
    unsigned unseen = 0;
    for (unsigned i = 0; i < row_count; i++) {
        if (!rows[i].seen) {
            printf("  never logged: %s\n", rows[i].event);
        }
        unseen += !rows[i].seen;
    }
    CHECK_EQ(unseen, 0);
}

TEST_MAIN
