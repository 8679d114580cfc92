/* The schema of report.json can say no, and knows every word the program can write. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "tests/report_files.h"

static char good[REPORT_JSON_MAX];
static char edited[REPORT_JSON_MAX + 256];

/* The same report with one thing changed. */
static void keep_edited(const char *name, const char *from, const char *to)
{
    const char *at = strstr(good, from);
    if (at == NULL) {
        printf("  %s: the report has no %s\n", name, from);
    }
    CHECK(at != NULL);
    int length =
        snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    CHECK(length > 0 && (size_t)length < sizeof(edited));
    write_file(name, edited, (size_t)length);
}

/* It was refused, and for this among other things. */
static void check_refused(const char *name, const char *why)
{
    char begin[64];
    char line[512];
    bool found = false;
    snprintf(begin, sizeof(begin), FOLDER "%s.json: ", name);
    for (const char *at = said; *at != '\0'; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)length, at);
        found |= strncmp(line, begin, strlen(begin)) == 0 && strstr(line, why) != NULL;
        at += length;
    }
    if (!found) {
        printf("  %s is not refused for %s\n", name, why);
    }
    CHECK(found);
}

struct edit {
    const char *name, *from, *to, *why;
};

/* The unchanged report is valid, so each edit is what the schema refuses. */
static void check_edits(const struct edit *edits, size_t count)
{
    bool cut = true;
    (void)report_json(&report, good, sizeof(good), &cut);
    CHECK(!cut);
    write_file("good", good, strlen(good));
    check_all_valid();
    for (size_t i = 0; i < count; i++) {
        keep_edited(edits[i].name, edits[i].from, edits[i].to);
    }
    CHECK_EQ(judge("--reject"), 0);
    for (size_t i = 0; i < count; i++) {
        check_refused(edits[i].name, edits[i].why);
    }
}

TEST(schema_refuses_what_no_run_can_give)
{
    static const struct edit edits[] = {
        { "extra", "\"findings_left_off\": ", "\"surprise\": 1, \"findings_left_off\": ",
          "'surprise' was unexpected" },
        { "extra-deep", "\"zeroed\": ", "\"sure\": true, \"zeroed\": ", "sure" },
        { "missing", "\"granularity_sectors\": 1,", "", "'granularity_sectors' is a required" },
        { "missing-deep", "   \"deterministic\": true,\n", "", "'deterministic' is a required" },
        { "overall", "\"overall\": \"PASS\"", "\"overall\": \"GOOD\"", "verdict/overall" },
        { "none", "\"overall\": \"PASS\"", "\"overall\": \"NONE\"", "verdict/overall" },
        { "step", "\"step\": \"DONE\"", "\"step\": \"done\"", "trimtest/step" },
        { "kind", "\"kind\": \"stamp\"", "\"kind\": \"erase\"", "passes/0/kind" },
        { "method", "\"method\": \"NCQ\"", "\"method\": \"UDMA\"", "passes/0/method" },
        { "form", "\"name\": \"64 entries\"", "\"name\": \"65 entries\"", "trim_cases/4/name" },
        { "plan", "\"plan\": \"proof\"", "\"plan\": \"erase\"", "trimtest/plan" },
        { "version", "\"json_format_version\": [\n  1,", "\"json_format_version\": [\n  2,",
          "json_format_version/0" },
        { "negative", "\"settle_s\": 1,", "\"settle_s\": -1,", "less than the minimum" },
        { "text", "\"settle_s\": 1,", "\"settle_s\": \"1\",", "is not of type 'integer'" },
        { "float", "\"settle_s\": 1,", "\"settle_s\": 1.0,", "not an integer: 1.0" },
        { "nan", "\"settle_s\": 1,", "\"settle_s\": NaN,", "not an integer: NaN" },
        { "twice", "\"settle_s\": 1,", "\"settle_s\": 1, \"settle_s\": 2,", "twice" },
        { "hex-short", "\"vendor_id\": \"8086\"", "\"vendor_id\": \"086\"", "vendor_id" },
        { "hex-upper", "\"device_id\": \"1c02\"", "\"device_id\": \"1C02\"", "device_id" },
        { "time", "\"started\": \"2026-01-02T", "\"started\": \"2026-01-02 ", "started" },
        { "depth", "\"iodepth\": 32", "\"iodepth\": 33", "greater than the maximum" },
        { "8-bit", "\"cpu\": \"modelled\"",
          "\"cpu\": \"m\xc3\xb6"
          "delled\"",
          "ascii" },
        { "broken", "\"verdict\": {", "\"verdict\": {{", "Expecting property name" },
        /* what belongs together */
        { "unjudged", "\"plan\": \"proof\"", "\"plan\": \"identify\"", "" },
        { "half-done", "\"step\": \"DONE\"", "\"step\": \"RUNNING\"", "verdict" },
        { "no-failure", "\"step\": \"DONE\",\n   \"err\": \"ok\"",
          "\"step\": \"FAILED\",\n   \"err\": \"timed out\"", "'failure' is a required" },
        { "err", "\"step\": \"DONE\",\n   \"err\": \"ok\"",
          "\"step\": \"DONE\",\n   \"err\": \"timed out\"", "/err" },
        { "no-damage", "\"damaged\": 0", "\"damaged\": 1", "'damage' is a required" },
        { "no-old", "\"old_inside\": 0", "\"old_inside\": 1", "old_first_lba" },
    };
    machine_start(&(struct sim_config){ .drive = { { .serial = "P1", .drat = true } } });
    CHECK_EQ(machine_run("proof", "P1"), OK);
    check_edits(edits, ARRAY_LEN(edits));
    machine_stop();
}

TEST(schema_refuses_what_no_failed_run_can_give)
{
    static const struct edit edits[] = {
        { "failed-code", "\"code\": \"ncq_failed\"", "\"code\": \"ncq_failure\"",
          "findings/0/code" },
        { "failed-severity", "\"severity\": \"warning\"", "\"severity\": \"warn\"",
          "findings/0/severity" },
        { "failed-command", "\"command\": \"WRITE DMA EXT\"", "\"command\": \"WRITE\"",
          "failure/command" },
        { "failed-err", "\"err\": \"device error\"", "\"err\": \"broken\"", "/err" },
        { "failed-silent", "\"failure\": \"stamping", "\"failure\": \"\", \"x\": \"", "" },
        { "failed-status", "\"status\": \"51\"", "\"status\": \"0x51\"", "failure/status" },
    };
    machine_start(&(struct sim_config){ .drive = { { .serial = "P1" } },
                                        .faults = { { .what = SIM_DEVICE_ERROR,
                                                      .lba_first = 6000,
                                                      .lba_count = 1,
                                                      .times = SIM_ALWAYS,
                                                      .error = ATA_ERR_IDNF } } });
    CHECK_EQ(machine_run("proof", "P1"), ERR_DEVICE);
    check_edits(edits, ARRAY_LEN(edits));
    machine_stop();
}

TEST(schema_refuses_files_that_are_no_report)
{
    write_file("empty", "", 0);
    write_file("list", "[]", 2);
    write_file("nothing", "{}", 2);
    CHECK_EQ(judge("--reject"), 0);
    check_refused("list", "is not of type 'object'");
    check_refused("nothing", "is a required property");
}

/* The judge itself: no file is no success, nor is a missing one, nor one bad file among good ones. */
TEST(validate_report_fails_when_it_should)
{
    files[0] = '\0';
    CHECK(judge("") != 0);
    strcat(files, " " FOLDER "there-is-none.json");
    CHECK(judge("") != 0);
    strcat(files, " " FOLDER "there-is-none.json");
    CHECK(judge("--reject") != 0);
    machine_start(&(struct sim_config){ .drive = { { .serial = "P1" } } });
    CHECK_EQ(machine_run("identify", "P1"), OK);
    machine_stop();
    keep("valid");
    CHECK_EQ(judge(""), 0);
    keep("valid");
    CHECK(judge("--reject") != 0);
    write_file("invalid", "{}", 2);
    keep("valid");
    CHECK(judge("") != 0);
}

/* --- words ---------------------------------------------------------------------------------------------------- */

static char schema[256 << 10];

static void check_word(const char *word)
{
    char want[160];
    if (schema[0] == '\0') {
        FILE *f = fopen("docs/report.schema.json", "r");
        CHECK(f != NULL);
        schema[fread(schema, 1, sizeof(schema) - 1, f)] = '\0';
        CHECK_EQ(fclose(f), 0);
        CHECK(strlen(schema) < sizeof(schema) - 1);
    }
    snprintf(want, sizeof(want), "\"%s\"", word);
    if (strstr(schema, want) == NULL) {
        printf("  not in the schema: %s\n", want);
    }
    CHECK(strstr(schema, want) != NULL);
}

#define CHECK_WORDS(function, type, end)                                                           \
    for (unsigned i = 0; i < (unsigned)(end); i++) {                                               \
        check_word(function((enum type)i));                                                        \
    }

TEST(schema_has_every_word_of_every_list)
{
    CHECK_WORDS(step_name, step, STEP_ABORTED + 1)
    CHECK_WORDS(err_name, err, ERR_COUNT)
    CHECK_WORDS(pass_kind_name, pass_kind, PASS_SETTLE + 1)
    CHECK_WORDS(severity_name, severity, SEVERITY_ERROR + 1)
    CHECK_WORDS(command_class_name, command_class, COMMAND_NOT_SUPPORTED + 1)
    CHECK_WORDS(logical_class_name, logical_class, LOGICAL_DAMAGED + 1)
    CHECK_WORDS(speed_class_name, speed_class, SPEED_NOT_TESTED + 1)
    CHECK_WORDS(sector_kind_name, sector_kind, SECTOR_KIND_COUNT)
    for (unsigned i = OVERALL_PASS; i <= OVERALL_INCONCLUSIVE; i++) {
        check_word(overall_name((enum overall)i));
    }
    for (unsigned i = 0; i < ATA_CMD_COUNT; i++) {
        check_word(ata_command_get((enum ata_command_id)i)->name);
    }
    for (unsigned i = 0; i < 4; i++) {
        check_word(ata_link_text(i));
    }
    for (unsigned i = 0; i < 16; i++) {
        check_word(ata_version_text(i));
    }
    for (uint32_t bit = ATA_ODD_CHECKSUM; bit <= ATA_ODD_BLANK; bit <<= 1) {
        check_word(ata_oddity_text((enum ata_oddity)bit));
    }
}

TEST(schema_has_every_plan)
{
    size_t count = 0;
    const struct plan *plan = plan_table(&count);
    CHECK(count >= 3);
    for (size_t i = 0; i < count; i++) {
        check_word(plan[i].name);
    }
}

/* The names and the lists must be as long as each other: one past the end is nobody's word. */
TEST(schema_lists_end_where_the_enums_end)
{
    CHECK_STR(step_name((enum step)(STEP_ABORTED + 1)), "unknown");
    CHECK_STR(pass_kind_name((enum pass_kind)(PASS_SETTLE + 1)), "unknown");
    CHECK_STR(severity_name((enum severity)(SEVERITY_ERROR + 1)), "unknown");
    CHECK_STR(command_class_name((enum command_class)(COMMAND_NOT_SUPPORTED + 1)), "unknown");
    CHECK_STR(logical_class_name((enum logical_class)(LOGICAL_DAMAGED + 1)), "unknown");
    CHECK_STR(speed_class_name((enum speed_class)(SPEED_NOT_TESTED + 1)), "unknown");
    CHECK_STR(overall_name((enum overall)(OVERALL_INCONCLUSIVE + 1)), "unknown");
    CHECK_STR(ata_oddity_text((enum ata_oddity)(ATA_ODD_BLANK << 1)), "unknown oddity");
}

TEST_MAIN
