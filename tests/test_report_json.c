/* report.json: every kind of run gives a file its schema accepts, the largest one fits, and the schema refuses what it
 * should. The schema is judged by python3-jsonschema. */
#include "tests/on_model.h"
#include "ui/report_json.h"

#include <stdlib.h>

static char text[REPORT_JSON_MAX];

static void write_file(const char *name, const char *data, size_t bytes)
{
    char path[128];
    CHECK_EQ(system("mkdir -p build/tests/reports"), 0);
    snprintf(path, sizeof(path), "build/tests/reports/%s.json", name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    CHECK_EQ(fwrite(data, 1, bytes, f), bytes);
    CHECK_EQ(fclose(f), 0);
}

static int validate(const char *how, const char *name)
{
    char command[256];
    snprintf(command, sizeof(command),
             "/usr/bin/python3 scripts/validate-report.py %s build/tests/reports/%s.json", how,
             name);
    return system(command);
}

/* The report as it stands is valid; it is left in `text`. */
static void check_valid(const char *name)
{
    bool cut = true;
    size_t bytes = report_json(&report, text, sizeof(text), &cut);
    CHECK(!cut);
    CHECK_EQ(bytes, strlen(text));
    write_file(name, text, bytes);
    CHECK_EQ(validate("", name), 0);
}

#define SOME_DRIVE .serial = "P1", .content = SIM_CONTENT_USED

static void run_and_check(const char *name, const char *plan, const struct sim_config *config)
{
    machine_start(config);
    (void)machine_run(plan, "P1");
    check_valid(name);
    machine_stop();
}

TEST(report_of_every_kind_of_run_is_valid)
{
    run_and_check("pass", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE, .drat = true, .rzat = true } } });
    run_and_check("identify", "identify", &(struct sim_config){ .drive = { { SOME_DRIVE } } });
    run_and_check("contact", "contact", &(struct sim_config){ .drive = { { SOME_DRIVE } } });
    run_and_check("damage", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE, .trim_granule = 8,
                                                     .trim_rounding = SIM_ROUND_OUTWARD } } });
    run_and_check("no-trim", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE, .no_trim = true } } });
    run_and_check("rejected", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE, .trim = SIM_TRIM_REJECTED } } });
    run_and_check("large", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE, .sectors = 400000000 } } });
}

TEST(report_of_every_kind_of_failure_is_valid)
{
    run_and_check(
        "late", "proof",
        &(struct sim_config){
            .drive = { { SOME_DRIVE } },
            .faults = {
                { .what = SIM_DATA_LATE, .opcode = ATA_READ_DMA_EXT, .nth = 84, .us = 500 } } });
    CHECK(strstr(text, "\"code\": \"data_fault\"") != NULL);
    run_and_check("write-error", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE } },
                                        .faults = { { .what = SIM_DEVICE_ERROR,
                                                      .lba_first = 6000,
                                                      .lba_count = 1,
                                                      .times = SIM_ALWAYS,
                                                      .error = ATA_ERR_IDNF } } });
    CHECK(strstr(text, "\"device_lba\": 6000") != NULL);
    run_and_check(
        "gone", "proof",
        &(struct sim_config){
            .drive = { { SOME_DRIVE } },
            .faults = { { .what = SIM_ALL_ONES, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5 } } });
    run_and_check(
        "lost", "proof",
        &(struct sim_config){
            .drive = { { SOME_DRIVE } },
            .faults = { { .what = SIM_LINK_DROP, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5 } } });
    run_and_check("contact-failed", "proof",
                  &(struct sim_config){ .drive = { { SOME_DRIVE } },
                                        .platform = { .firmware = SIM_FIRMWARE_LIES } });
}

TEST(report_numbers_are_the_struct_s)
{
    char want[160];
    machine_start(&(struct sim_config){ .drive = { { SOME_DRIVE } } });
    CHECK_EQ(machine_run("proof", "P1"), OK);
    check_valid("numbers");
    snprintf(want, sizeof(want), "\"run_id\": \"%016" PRIx64 "\"", report.run_id);
    CHECK(strstr(text, want) != NULL);
    snprintf(want, sizeof(want), "\"spent_bytes\": %" PRIu64,
             machine.drive[0].log.sectors_written * 512);
    CHECK(strstr(text, want) != NULL);
    CHECK(strstr(text, "\"zeros\": 4096") != NULL);
    machine_stop();
}

/* Device-controlled texts as nasty as parsing lets them be, every table full. */
static void fill_to_the_brim(void)
{
    memset(&report, 0xff, sizeof(report));
    report.plan = "proof";
    report.environment = (struct platform_info){ .name = "UEFI", .clock_error_ppm = 7 };
    memset(report.environment.firmware_vendor, '"', sizeof(report.environment.firmware_vendor) - 1);
    memset(report.environment.firmware_revision, '\x7f',
           sizeof(report.environment.firmware_revision) - 1);
    memset(report.environment.cpu, '\\', sizeof(report.environment.cpu) - 1);
    report.controller_name = "name";
    report.pci = (struct pci_function){ .at = { 0xffff, 0xff, 0x1f, 7 }, .bar5_bytes = UINT64_MAX };
    report.port = 31;
    report.settle_s = 86400;
    report.started = (struct utc_time){ 2099, 12, 31, 23, 59, 59 };
    report.step = STEP_FAILED;
    memset(report.failure, '"', sizeof(report.failure));
    report.failure[sizeof(report.failure) - 1] = '\0';
    uint8_t words[ATA_IDENTIFY_BYTES];
    for (size_t i = 0; i < sizeof(words); i++) {
        words[i] = (uint8_t)(i % 2 == 0 ? '"' : '\\');
    }
    ata_identify_parse(words, &report.drive);
    report.drive.queue_depth = 32;
    report.drive.oddities = 0x3ff;
    report.drive_after = report.drive;
    report.drive_identified = report.drive_identified_after = report.unattended = true;
    report.boot_medium_on_controller = report.controller_tried = true;
    report.permit = (struct ata_permit){
        .granted = true, .port = 31, .budget_bytes = UINT64_MAX, .spent_bytes = UINT64_MAX
    };
    report.refusal = (struct ata_refusal){ .reason = "reason" };
}

static void fill_tables(void)
{
    static const struct ata_failure failure = { .err = ERR_DEVICE,
                                                .command = "WRITE FPDMA QUEUED",
                                                .lba = UINT64_MAX,
                                                .count = UINT64_MAX,
                                                .device_lba = UINT64_MAX,
                                                .lba_exact = true };
    static const struct ata_times times = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                            UINT64_MAX, UINT64_MAX, UINT64_MAX };
    report.contact = (struct contact){ .step = STEP_FAILED, .ways = 4 };
    memset(report.contact.reason, '\\', sizeof(report.contact.reason) - 1);
    for (unsigned i = 0; i < 4; i++) {
        report.contact.way[i] =
            (struct contact_way){ .name = "NCQ depth 32", .sectors = UINT64_MAX, .times = times };
    }
    report.firmware = (struct firmware_check){ .step = STEP_FAILED };
    report.passes = REPORT_PASSES_MAX;
    for (unsigned i = 0; i < REPORT_PASSES_MAX; i++) {
        report.pass[i] = (struct pass){ .name = "read back",
                                        .place = "middle",
                                        .kind = PASS_READ,
                                        .method = ATA_METHOD_NCQ,
                                        .depth = 32,
                                        .lba = UINT64_MAX,
                                        .step = STEP_FAILED,
                                        .failure = failure,
                                        .times = times,
                                        .measured_permille = 1000 };
    }
    report.cases = REPORT_CASES_MAX;
    for (unsigned i = 0; i < REPORT_CASES_MAX; i++) {
        struct trim_case *c = &report.trim_case[i];
        memset(c, 0xff, sizeof(*c));
        c->place = "middle";
        c->name = "zero length";
        c->step = STEP_FAILED;
        c->err = ERR_DEVICE;
        c->damage_kind = SECTOR_MISPLACED;
    }
    report.findings = REPORT_FINDINGS_MAX;
    for (unsigned i = 0; i < REPORT_FINDINGS_MAX; i++) {
        struct finding *f = &report.finding[i];
        *f = (struct finding){ .code = "older_data_returned", .severity = SEVERITY_ERROR };
        memset(f->text, '"', sizeof(f->text) - 1);
    }
    report.verdict = (struct verdict){ .overall = OVERALL_FAIL };
    memset(report.verdict.sentence, '\\', sizeof(report.verdict.sentence) - 1);
    memset(report.verdict.next, '"', sizeof(report.verdict.next) - 1);
}

TEST(report_the_largest_there_can_be_fits_and_is_valid)
{
    fill_to_the_brim();
    fill_tables();
    check_valid("largest");
    printf("  %zu of %d bytes\n", strlen(text), REPORT_JSON_MAX);
}

TEST(report_that_does_not_fit_says_so)
{
    bool cut = false;
    fill_to_the_brim();
    fill_tables();
    (void)report_json(&report, text, 1000, &cut);
    CHECK(cut);
}

/* The schema can say no: a field too many, a word it does not know, a field missing, no JSON at all. */
TEST(report_schema_refuses_what_is_wrong)
{
    static const struct {
        const char *name, *from, *to;
    } edits[] = {
        { "extra", "\"findings_left_off\": ", "\"surprise\": 1, \"findings_left_off\": " },
        { "word", "\"overall\": \"PASS\"", "\"overall\": \"GOOD\"" },
        { "missing", "\"granularity_sectors\": 1,", "" },
        { "broken", "\"verdict\": {", "\"verdict\": {{" },
    };
    static char edited[REPORT_JSON_MAX + 64];
    machine_start(&(struct sim_config){ .drive = { { SOME_DRIVE } } });
    CHECK_EQ(machine_run("proof", "P1"), OK);
    check_valid("good");
    for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
        const char *at = strstr(text, edits[i].from);
        CHECK(at != NULL);
        int length = snprintf(edited, sizeof(edited), "%.*s%s%s", (int)(at - text), text,
                              edits[i].to, at + strlen(edits[i].from));
        write_file(edits[i].name, edited, (size_t)length);
        CHECK(validate("", edits[i].name) != 0);
        CHECK_EQ(validate("--reject", edits[i].name), 0);
    }
    machine_stop();
}

TEST_MAIN
