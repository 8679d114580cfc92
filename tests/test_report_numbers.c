/* report.json holds the numbers of the run, each in its place, and the largest report there can be fits. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "tests/report_files.h"

/* --- the largest report, with a number of its own in every place --------------------------------------------------- */

static uint64_t handed_out;

static uint64_t number(void)
{
    return UINT64_MAX - handed_out++;
}

/* The worst byte there is: six characters in JSON. */
#define FILL_ARRAY(array)                                                                          \
    (memset(array, 0xff, sizeof(array) - 1), (array)[sizeof(array) - 1] = '\0')

static void fill_drive(void)
{
    uint8_t words[ATA_IDENTIFY_BYTES];
    for (size_t i = 0; i < sizeof(words); i++) {
        words[i] = (uint8_t)(i % 2 == 0 ? '"' : '\\');
    }
    ata_identify_parse(words, &report.drive);
    report.drive.wwn_valid = true;
    report.drive.oddities = 0x3ff;
    report.drive.security.supported = report.drive.security.enabled = true;
    report.drive.security.locked = report.drive.security.count_expired = true;
    report.drive.security.enhanced_erase = report.drive.security.level_maximum = true;
    report.drive_after = report.drive;
    report.drive_identified = report.drive_identified_after = true;
}

static void fill_run(void)
{
    static char reason[REPORT_TEXT_MAX];
    static char name[REPORT_TEXT_MAX];
    FILL_ARRAY(reason);
    FILL_ARRAY(name);
    memset(&report, 0, sizeof(report));
    report.run_id = number();
    report.plan = "proof";
    report.started = (struct utc_time){ 2099, 12, 31, 23, 59, 59 };
    report.started_ns = number();
    report.finished_ns = number();
    report.poll_gap_ns_max = number();
    report.step = STEP_ABORTED;
    report.settle_s = 86400;
    FILL_ARRAY(report.failure);
    report.environment = (struct platform_info){ .name = "UEFI", .clock_error_ppm = 4000000000 };
    report.environment.tsc_hz = number();
    FILL_ARRAY(report.environment.firmware_vendor);
    FILL_ARRAY(report.environment.firmware_revision);
    FILL_ARRAY(report.environment.cpu);
    FILL_ARRAY(report.environment.clock_source);
    report.pci = (struct pci_function){ .at = { 0xffff, 0xff, 0x1f, 7 }, .bar5_bytes = number() };
    report.controller_name = name;
    report.port = 31;
    report.ssts = UINT32_MAX;
    report.cost_bytes = number();
    report.cost_ns = number();
    report.permit = (struct ata_permit){ .port = 31, .effects = ATA_EFFECT_TRIM };
    report.permit.lba_first = number();
    report.permit.lba_count = number();
    report.permit.budget_bytes = number();
    report.permit.spent_bytes = number();
    memset(report.permit.serial, '\\', sizeof(report.permit.serial) - 1);
    report.refusal.reason = reason;
    report.refusal.command = "WRITE FPDMA QUEUED";
    report.refusal.lba = number();
    report.refusal.count = number();
    report.canary_faults = number();
    report.granularity_sectors = UINT32_MAX - 1;
    report.findings_left_off = UINT32_MAX - 2;
}

static void fill_times(struct ata_times *t)
{
    *t = (struct ata_times){ .commands = 3 };
    t->bytes = number();
    t->wall_ns = number();
    t->latency_ns_min = number();
    t->latency_ns_max = number();
    t->latency_ns_sum = number();
    t->poll_gap_ns_max = number();
}

static void fill_contact(void)
{
    static const char *const ways[] = { "PIO", "DMA", "NCQ depth 1", "NCQ depth 32" };
    struct contact *c = &report.contact;
    *c = (struct contact){ .step = STEP_FAILED, .sectors = 63, .informative = 62, .ways = 4 };
    c->poll_gap_ns_max = number();
    FILL_ARRAY(c->reason);
    for (unsigned i = 0; i < c->ways; i++) {
        struct contact_way *w = &c->way[i];
        *w = (struct contact_way){ .name = ways[i], .step = STEP_FAILED, .err = ERR_REFUSED };
        w->sectors = number();
        w->different = number();
        w->different_late = number();
        w->first_lba = number();
        fill_times(&w->times);
    }
    report.firmware.step = STEP_FAILED;
    report.firmware.sectors = 61;
    report.firmware.different = number();
    report.firmware.first_lba = number();
    report.data_fault.prdbc = UINT32_MAX - 3;
    report.data_fault.expected_bytes = UINT32_MAX - 4;
    report.data_fault.count = number();
    report.data_fault.late = number();
    report.data_fault.lba = number();
    report.data_fault.offset_bytes = number();
    report.data_fault.missing_bytes_first = number();
    report.data_fault.missing_bytes_second = number();
}

static void fill_passes(void)
{
    report.passes = REPORT_PASSES_MAX;
    for (unsigned i = 0; i < report.passes; i++) {
        struct pass *p = &report.pass[i];
        *p = (struct pass){ .name = "read back", .place = "middle", .step = STEP_FAILED };
        p->kind = PASS_SETTLE;
        p->err = ERR_REFUSED;
        p->depth = 1 + i % 32;
        p->lba = number();
        p->count_sectors = number();
        p->started_ns = number();
        fill_times(&p->times);
        p->mismatches = number();
        p->mismatches_late = number();
        p->measured_permille = 1000 - i;
        p->failure = (struct ata_failure){ .err = ERR_REFUSED, .lba_exact = true };
        p->failure.command = "DATA SET MANAGEMENT (TRIM)";
        p->failure.lba = number();
        p->failure.count = number();
        p->failure.device_lba = number();
        p->failure.status = (uint8_t)i;
        p->failure.error = (uint8_t)(i + 100);
        p->failure.is = (uint32_t)number();
        p->failure.serr = (uint32_t)number();
        p->failure.ssts = (uint32_t)number();
    }
}

static void fill_counts(struct sector_counts *c)
{
    for (unsigned i = 0; i < SECTOR_KIND_COUNT; i++) {
        c->kind[i] = number();
    }
    c->unstable = number();
    c->unread = number();
}

static void fill_cases(void)
{
    report.cases = REPORT_CASES_MAX;
    for (unsigned i = 0; i < report.cases; i++) {
        struct trim_case *c = &report.trim_case[i];
        *c = (struct trim_case){ .place = "middle", .name = "zero length", .step = STEP_NOT_RUN };
        c->err = ERR_REFUSED;
        c->entries = 64 - i;
        c->lba = number();
        c->count = number();
        c->trim_ns = number();
        fill_counts(&c->inside);
        fill_counts(&c->guard);
        c->damaged = number();
        c->damage_lba = number();
        c->damage_kind = SECTOR_MISPLACED;
        c->damage_bytes_known = true;
        memset(c->damage_bytes, (int)(0x80 + i), sizeof(c->damage_bytes));
        c->edge_sectors_max = number();
        c->old_inside = number();
        c->old_lba = number();
    }
    report.findings = REPORT_FINDINGS_MAX;
    for (unsigned i = 0; i < report.findings; i++) {
        report.finding[i].code = "not_rechecked_by_firmware";
        report.finding[i].severity = SEVERITY_WARN;
        FILL_ARRAY(report.finding[i].text);
    }
    report.verdict = (struct verdict){ .overall = OVERALL_INCONCLUSIVE };
    report.verdict.logical = LOGICAL_UNSTABLE;
    FILL_ARRAY(report.verdict.sentence);
    FILL_ARRAY(report.verdict.next);
}

static void fill_to_the_brim(void)
{
    handed_out = 0;
    fill_run();
    fill_drive();
    fill_contact();
    fill_passes();
    fill_cases();
}

TEST(report_the_largest_there_can_be_fits_and_is_valid)
{
    fill_to_the_brim();
    keep("largest");
    printf("  %zu of %d bytes\n", strlen(text), REPORT_JSON_MAX);
    check_all_valid();
}

TEST(report_that_does_not_fit_says_so_wherever_it_ends)
{
    fill_to_the_brim();
    bool cut = false;
    size_t whole = report_json(&report, text, sizeof(text), &cut);
    for (size_t room = 1; room <= whole + 1; room += 1 + room / 8) {
        size_t bytes = report_json(&report, text, room, &cut);
        CHECK(cut);
        CHECK(bytes < room);
    }
    CHECK_EQ(report_json(&report, text, whole, &cut), whole - 1);
    CHECK(cut);
    CHECK_EQ(report_json(&report, text, whole + 1, &cut), whole);
    CHECK(!cut);
}

/* --- the numbers in the file are the numbers of the run --------------------------------------------------------------- */

static const char *cursor; /* in text */

/* Go to the inside of the next object or array of this name. */
static void into(const char *name)
{
    char want[48];
    snprintf(want, sizeof(want), "\"%s\": ", name);
    const char *at = strstr(cursor, want);
    CHECK(at != NULL);
    CHECK(at[strlen(want)] == '{' || at[strlen(want)] == '[');
    cursor = at + strlen(want) + 1;
}

/* A text, which other tests look at. */
static void pass_over_line(void)
{
    cursor += strcspn(cursor + 1, "\n") + 1;
}

/* The very next member that is neither object nor array has this name and this value. */
static void expect(const char *name, const char *value)
{
    char want[256];
    char got[256];
    for (;;) {
        cursor += strspn(cursor, " \n,{}[]");
        size_t length = strcspn(cursor, "\n");
        snprintf(got, sizeof(got), "%.*s", (int)length, cursor);
        cursor += length;
        size_t last = strlen(got) - 1;
        if (got[last] == ',') {
            got[last--] = '\0';
        }
        if (got[last] != '{' && got[last] != '[') {
            break;
        }
    }
    snprintf(want, sizeof(want), "\"%s\": %s", name, value);
    CHECK_STR(got, want);
}

static void expect_u64(const char *name, uint64_t value)
{
    char want[24];
    snprintf(want, sizeof(want), "%" PRIu64, value);
    expect(name, want);
}

static void expect_hex(const char *name, uint64_t value, int digits)
{
    char want[24];
    snprintf(want, sizeof(want), "\"%0*" PRIx64 "\"", digits, value);
    expect(name, want);
}

static void expect_str(const char *name, const char *value)
{
    char want[128];
    snprintf(want, sizeof(want), "\"%s\"", value);
    expect(name, want);
}

static void expect_times(const struct ata_times *t)
{
    expect_u64("total_ios", t->commands);
    expect_u64("io_bytes", t->bytes);
    expect_u64("runtime_ns", t->wall_ns);
    expect_u64("bw_bytes", rate_bytes_per_s(t->bytes, t->wall_ns));
    expect_u64("min", t->latency_ns_min);
    expect_u64("max", t->latency_ns_max);
    expect_u64("mean", t->commands == 0 ? 0 : t->latency_ns_sum / t->commands);
    expect_u64("N", t->commands);
    expect_u64("poll_gap_ns_max", t->poll_gap_ns_max);
}

static void expect_failure(const struct ata_failure *f)
{
    expect_str("err", err_name(f->err));
    expect_str("command", f->command);
    expect_u64("lba", f->lba);
    expect_u64("count_sectors", f->count);
    expect_u64("device_lba", f->device_lba);
    expect_hex("status", f->status, 2);
    expect_hex("error", f->error, 2);
    expect_hex("is", f->is, 8);
    expect_hex("serr", f->serr, 8);
    expect_hex("ssts", f->ssts, 3);
    expect("was_reset", f->was_reset ? "true" : "false");
    expect("recovered", f->recovered ? "true" : "false");
}

static void expect_passes(void)
{
    static const char *const methods[] = { "PIO", "DMA", "NCQ" };
    into("passes");
    for (unsigned i = 0; i < report.passes; i++) {
        const struct pass *p = &report.pass[i];
        expect_str("name", p->name);
        expect_str("place", p->place == NULL ? "" : p->place);
        expect_str("kind", pass_kind_name(p->kind));
        if (p->kind == PASS_STAMP || p->kind == PASS_READ) {
            expect_str("method", methods[p->method]);
        } else {
            expect("method", "null");
        }
        expect_u64("iodepth", p->depth);
        expect_u64("lba", p->lba);
        expect_u64("count_sectors", p->count_sectors);
        expect_str("step", step_name(p->step));
        expect_str("err", err_name(p->err));
        expect_u64("started_ns", p->started_ns);
        expect_times(&p->times);
        expect_u64("mismatches", p->mismatches);
        expect_u64("mismatches_late", p->mismatches_late);
        expect_u64("measured_permille", p->measured_permille);
        if (p->step == STEP_FAILED) {
            expect_failure(&p->failure);
        }
    }
}

static void expect_counts(const struct sector_counts *c)
{
    expect_u64("stamp", c->kind[SECTOR_STAMP]);
    expect_u64("older_stamp", c->kind[SECTOR_STALE_STAMP]);
    expect_u64("misplaced", c->kind[SECTOR_MISPLACED]);
    expect_u64("zeros", c->kind[SECTOR_ZEROS]);
    expect_u64("constant", c->kind[SECTOR_CONSTANT]);
    expect_u64("other", c->kind[SECTOR_OTHER]);
    expect_u64("unstable", c->unstable);
    expect_u64("unread", c->unread);
}

static void expect_cases(void)
{
    into("trim_cases");
    for (unsigned i = 0; i < report.cases; i++) {
        const struct trim_case *c = &report.trim_case[i];
        expect_str("place", c->place);
        expect_str("name", c->name);
        expect_u64("lba", c->lba);
        expect_u64("count", c->count);
        expect_u64("entries", c->entries);
        expect_str("step", step_name(c->step));
        expect_str("err", err_name(c->err));
        expect_u64("trim_ns", c->trim_ns);
        expect_counts(&c->inside);
        expect_counts(&c->guard);
        expect_u64("damaged", c->damaged);
        if (c->damaged != 0) {
            char bytes[33];
            for (size_t n = 0; n < sizeof(c->damage_bytes); n++) {
                snprintf(bytes + 2 * n, 3, "%02x", c->damage_bytes[n]);
            }
            expect_u64("first_lba", c->damage_lba);
            expect_str("now", sector_kind_name(c->damage_kind));
            expect_str("first_bytes", bytes);
        }
        expect_u64("edge_sectors_max", c->edge_sectors_max);
        expect_u64("old_inside", c->old_inside);
        if (c->old_inside != 0) {
            expect_u64("old_first_lba", c->old_lba);
        } else {
            expect("old_first_lba", "null");
        }
    }
    expect_u64("granularity_sectors", report.granularity_sectors);
}

static void expect_rest(void)
{
    const struct ata_data_fault *d = &report.data_fault;
    into("data_faults");
    expect_u64("count", d->count);
    expect_u64("late", d->late);
    expect_u64("first_lba", d->lba);
    expect_u64("offset_bytes", d->offset_bytes);
    expect_u64("missing_bytes_first", d->missing_bytes_first);
    expect_u64("missing_bytes_second", d->missing_bytes_second);
    expect_u64("prdbc", d->prdbc);
    expect_u64("expected_bytes", d->expected_bytes);
    expect_u64("canary_faults", report.canary_faults);
    into("firmware_check");
    expect_str("step", step_name(report.firmware.step));
    expect_u64("sectors", report.firmware.sectors);
    expect_u64("different", report.firmware.different);
    expect_u64("first_lba", report.firmware.first_lba);
    into("findings");
    for (unsigned i = 0; i < report.findings; i++) {
        expect_str("code", report.finding[i].code);
        expect_str("severity", severity_name(report.finding[i].severity));
        pass_over_line(); /* its text */
    }
    expect_u64("findings_left_off", report.findings_left_off);
    into("verdict");
    expect_str("command", command_class_name(report.verdict.command));
    expect_str("logical", logical_class_name(report.verdict.logical));
    expect_str("write", speed_class_name(report.verdict.write));
    expect_str("read", speed_class_name(report.verdict.read));
    expect_str("overall", overall_name(report.verdict.overall));
}

static void expect_registers(const struct ahci_global_regs *g)
{
    expect_hex("cap", g->cap, 8);
    expect_hex("cap2", g->cap2, 8);
    expect_hex("pi", g->pi, 8);
    expect_hex("vs", g->vs, 8);
    expect_hex("ghc", g->ghc, 8);
}

static void expect_contact(void)
{
    const struct contact *c = &report.contact;
    into("contact");
    expect_str("step", step_name(c->step));
    expect("ok", c->ok ? "true" : "false");
    pass_over_line(); /* the reason */
    expect("firmware_reference", c->firmware_reference ? "true" : "false");
    expect_u64("sectors", c->sectors);
    expect_u64("informative", c->informative);
    expect_registers(&c->before);
    expect_registers(&c->after);
    expect("registers_unchanged", c->regs_unchanged ? "true" : "false");
    expect("ccs_sane", c->ccs_sane ? "true" : "false");
    expect_u64("poll_gap_ns_max", c->poll_gap_ns_max);
    for (unsigned i = 0; i < c->ways; i++) {
        const struct contact_way *w = &c->way[i];
        expect_str("name", w->name);
        expect_str("step", step_name(w->step));
        expect_str("err", err_name(w->err));
        expect_u64("sectors", w->sectors);
        expect_u64("different", w->different);
        expect_u64("different_late", w->different_late);
        expect_u64("first_lba", w->first_lba);
        expect_times(&w->times);
    }
}

static void expect_the_struct(void)
{
    cursor = text;
    into("trimtest");
    expect_str("plan", report.plan);
    expect_hex("run_id", report.run_id, 16);
    expect("unattended", report.unattended ? "true" : "false");
    expect_u64("settle_s", report.settle_s);
    expect_str("step", step_name(report.step));
    pass_over_line(); /* failure */
    pass_over_line(); /* started */
    expect_u64("started_ns", report.started_ns);
    expect_u64("finished_ns", report.finished_ns);
    expect_u64("poll_gap_ns_max", report.poll_gap_ns_max);
    into("cost");
    expect_u64("write_bytes", report.cost_bytes);
    expect_u64("time_ns", report.cost_ns);
    into("permit");
    expect("granted", report.permit.granted ? "true" : "false");
    pass_over_line(); /* serial number */
    expect_u64("port", report.permit.port);
    expect_u64("lba", report.permit.lba_first);
    expect_u64("count_sectors", report.permit.lba_count);
    expect("may_write", (report.permit.effects & ATA_EFFECT_WRITE) != 0 ? "true" : "false");
    expect("may_trim", (report.permit.effects & ATA_EFFECT_TRIM) != 0 ? "true" : "false");
    expect_u64("budget_bytes", report.permit.budget_bytes);
    expect_u64("spent_bytes", report.permit.spent_bytes);
    if (report.refusal.reason == NULL) {
        expect("refusal", "null");
    } else {
        into("refusal");
        pass_over_line(); /* the reason */
        expect_str("command", report.refusal.command);
        expect_u64("lba", report.refusal.lba);
        expect_u64("count_sectors", report.refusal.count);
    }
    into("wear");
    expect_u64("host_bytes_written", report.permit.spent_bytes);
    expect_contact();
    expect_passes();
    expect_cases();
    expect_rest();
}

TEST(report_every_number_is_in_its_place)
{
    fill_to_the_brim();
    keep("numbers");
    expect_the_struct();
    files[0] = '\0';
}

TEST(report_numbers_are_what_the_machine_saw)
{
    machine_start(&(struct sim_config){ .drive = { { .serial = "P1" } },
                                        .faults = { { .what = SIM_DEVICE_ERROR,
                                                      .opcode = ATA_READ_DMA_EXT,
                                                      .lba_first = 5000,
                                                      .lba_count = 1,
                                                      .times = SIM_ALWAYS,
                                                      .error = ATA_ERR_UNC } } });
    (void)machine_run("proof", "P1");
    keep("machine");
    cursor = text;
    into("permit");
    cursor = strstr(cursor, "\"spent_bytes\"");
    expect_u64("spent_bytes", machine.drive[0].log.sectors_written * 512);
    cursor = strstr(text, "\"user_capacity\"");
    into("user_capacity");
    expect_u64("blocks", machine.drive[0].sectors);
    expect_u64("bytes", machine.drive[0].sectors * 512);
    machine_start(
        &(struct sim_config){ .drive = { { .serial = "P1", .rzat = true, .drat = true } } });
    CHECK_EQ(machine_run("proof", "P1"), OK);
    keep("machine");
    expect_the_struct();
    uint64_t trimmed = 0;
    for (size_t i = 0; i < machine.drive[0].log.trims; i++) {
        trimmed += machine.drive[0].log.trim[i].count;
    }
    uint64_t zeros = 0;
    cursor = strstr(text, "\"trim_cases\"");
    for (const char *at = cursor; (at = strstr(at, "\"inside\": {")) != NULL; at++) {
        zeros += strtoull(strstr(at, "\"zeros\": ") + strlen("\"zeros\": "), NULL, 10);
    }
    CHECK(trimmed > 3 * 4096);
    CHECK_EQ(zeros, trimmed);
    files[0] = '\0';
    machine_stop();
}

TEST(report_capacity_beyond_64_bits_is_null)
{
    fill_to_the_brim();
    report.drive.sectors = UINT64_MAX / 512 + 1;
    report.drive.logical_bytes = 512;
    report.drive_after.sectors = UINT64_MAX / 512;
    report.drive_after.logical_bytes = 512;
    keep("capacity");
    check_has("capacity", "\"blocks\": 36028797018963968,\n   \"bytes\": null");
    check_has("capacity", "\"blocks\": 36028797018963967,\n   \"bytes\": 18446744073709551104");
    check_all_valid();
}

TEST_MAIN
