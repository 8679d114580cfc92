/* The verdict alone: reports made by hand, one thing changed at a time. */
#include "bench/verdict.h"

#include "tests/test.h"
#include "ui/report_json.h"

static struct report r;

/* A perfect run: 4 cases, each 10 sectors named, all zeros, 20 guards intact. */
static void perfect(void)
{
    memset(&r, 0, sizeof(r));
    r.step = STEP_DONE;
    r.drive.trim = true;
    r.drive.logical_bytes = 512;
    r.granularity_sectors = 1;
    r.firmware.step = STEP_DONE;
    r.cases = 4;
    for (unsigned i = 0; i < r.cases; i++) {
        struct trim_case *c = &r.trim_case[i];
        c->place = "first";
        c->name = "aligned";
        c->count = 10;
        c->entries = 1;
        c->step = STEP_DONE;
        c->inside.kind[SECTOR_ZEROS] = 10;
        c->guard.kind[SECTOR_STAMP] = 20;
    }
}

static void keep_old(unsigned i, uint64_t sectors)
{
    r.trim_case[i].inside.kind[SECTOR_ZEROS] -= sectors;
    r.trim_case[i].inside.kind[SECTOR_STAMP] += sectors;
    r.trim_case[i].old_inside += sectors;
}

static bool found(const char *code)
{
    for (unsigned i = 0; i < r.findings; i++) {
        if (strcmp(r.finding[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

static void check(enum command_class command, enum logical_class logical, enum overall overall)
{
    verdict_judge(&r);
    printf("  %s / %s / %s: %s\n", command_class_name(r.verdict.command),
           logical_class_name(r.verdict.logical), overall_name(r.verdict.overall),
           r.verdict.sentence);
    CHECK_EQ(r.verdict.command, command);
    CHECK_EQ(r.verdict.logical, logical);
    CHECK_EQ(r.verdict.overall, overall);
}

TEST(verdict_perfect_run_passes)
{
    perfect();
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_PASS);
    CHECK_EQ(r.findings, 0);
}

/* Twice the same evidence, twice the same words; the report as text, since a struct has padding. */
TEST(verdict_is_a_pure_function)
{
    static char first[REPORT_JSON_MAX];
    static char second[REPORT_JSON_MAX];
    bool cut = false;
    for (unsigned i = 0; i < 2; i++) {
        perfect();
        r.plan = "proof";
        r.environment.name = "host";
        r.controller_name = "none";
        keep_old(1, 3);
        verdict_judge(&r);
        CHECK(report_json(&r, i == 0 ? first : second, sizeof(first), &cut) > 1000 && !cut);
    }
    CHECK_STR(first, second);
}

TEST(verdict_one_damaged_guard_fails_whatever_else)
{
    perfect();
    r.trim_case[2].guard.kind[SECTOR_STAMP]--;
    r.trim_case[2].guard.kind[SECTOR_ZEROS]++;
    r.trim_case[2].damaged = 1;
    r.trim_case[2].damage_lba = 4711;
    r.trim_case[2].damage_kind = SECTOR_ZEROS;
    check(COMMAND_OK, LOGICAL_DAMAGED, OVERALL_FAIL);
    CHECK(strstr(r.verdict.sentence, "4711") != NULL);
}

TEST(verdict_old_data_with_rzat_fails_and_without_warns)
{
    perfect();
    keep_old(0, 1);
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_WARN);
    CHECK(found("trim_incomplete"));
    perfect();
    keep_old(0, 1);
    r.drive.rzat = true;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_FAIL);
}

TEST(verdict_edges_explained_by_granularity_warn_even_with_rzat)
{
    perfect();
    keep_old(0, 1);
    r.trim_case[0].old_inside = 0;
    r.granularity_sectors = 8;
    r.drive.rzat = true;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_WARN);
    CHECK(found("granularity"));
    CHECK(!found("promise_rzat"));
}

TEST(verdict_nothing_changed)
{
    perfect();
    for (unsigned i = 0; i < r.cases; i++) {
        keep_old(i, 10);
    }
    r.granularity_sectors = 0;
    check(COMMAND_OK, LOGICAL_NO_CHANGE, OVERALL_INCONCLUSIVE);
    r.findings = 0;
    r.drive.rzat = true;
    check(COMMAND_OK, LOGICAL_NO_CHANGE, OVERALL_FAIL);
}

TEST(verdict_unread_sectors_never_pass)
{
    perfect();
    r.trim_case[3].guard.kind[SECTOR_STAMP]--;
    r.trim_case[3].guard.unread = 1;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    CHECK(found("unread"));
}

TEST(verdict_nothing_read_is_not_tested)
{
    perfect();
    for (unsigned i = 0; i < r.cases; i++) {
        r.trim_case[i].inside.kind[SECTOR_ZEROS] = 0;
        r.trim_case[i].inside.unread = 10;
    }
    check(COMMAND_OK, LOGICAL_NOT_TESTED, OVERALL_INCONCLUSIVE);
}

TEST(verdict_rejected_and_timed_out_fail)
{
    perfect();
    r.step = STEP_FAILED;
    r.trim_case[1].step = STEP_FAILED;
    r.trim_case[1].err = ERR_DEVICE;
    check(COMMAND_REJECTED, LOGICAL_ZEROS, OVERALL_FAIL);
    perfect();
    r.step = STEP_FAILED;
    r.trim_case[1].step = STEP_FAILED;
    r.trim_case[1].err = ERR_TIMEOUT;
    check(COMMAND_TIMED_OUT, LOGICAL_ZEROS, OVERALL_FAIL);
}

TEST(verdict_incomplete_run_is_inconclusive)
{
    perfect();
    r.step = STEP_ABORTED;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    perfect();
    r.step = STEP_FAILED;
    r.cases = 0;
    check(COMMAND_NOT_TESTED, LOGICAL_NOT_TESTED, OVERALL_INCONCLUSIVE);
}

TEST(verdict_one_case_never_sent_is_not_ok)
{
    perfect();
    r.trim_case[3].step = STEP_NOT_RUN;
    check(COMMAND_NOT_TESTED, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
}

TEST(verdict_doubts_about_the_evidence_never_pass)
{
    perfect();
    r.data_fault.count = 1;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    perfect();
    r.canary_faults = 1;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    perfect();
    r.firmware.sectors = 64;
    r.firmware.different = 1;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    CHECK(found("firmware_disagrees"));
}

TEST(verdict_older_data_is_a_finding)
{
    perfect();
    r.trim_case[0].inside.kind[SECTOR_ZEROS] = 9;
    r.trim_case[0].inside.kind[SECTOR_STALE_STAMP] = 1;
    check(COMMAND_OK, LOGICAL_CONSTANT, OVERALL_WARN);
    CHECK(found("older_data_returned"));
}

TEST(verdict_stable_data_of_no_kind_proves_nothing)
{
    perfect();
    r.trim_case[0].inside.kind[SECTOR_ZEROS] = 9;
    r.trim_case[0].inside.kind[SECTOR_OTHER] = 1;
    r.trim_case[0].garbage = 1;
    check(COMMAND_OK, LOGICAL_CONSTANT, OVERALL_INCONCLUSIVE);
    CHECK(found("other_data_returned"));
}

TEST(verdict_zeros_first_and_old_data_second_is_unstable)
{
    perfect();
    for (unsigned i = 0; i < r.cases; i++) {
        r.trim_case[i].inside.kind[SECTOR_ZEROS] = 0;
        r.trim_case[i].inside.kind[SECTOR_STAMP] = 10;
        r.trim_case[i].inside.unstable = 10;
        r.trim_case[i].garbage = 10;
    }
    check(COMMAND_OK, LOGICAL_UNSTABLE, OVERALL_INCONCLUSIVE);
}

TEST(verdict_notes_do_not_cost_the_pass)
{
    perfect();
    r.drive.oddities = ATA_ODD_NO_CHECKSUM;
    r.drive.sata_gen_now = 2;
    r.drive.sata_gen_max = 3;
    check(COMMAND_OK, LOGICAL_ZEROS, OVERALL_PASS);
    CHECK(found("identify_oddity"));
    CHECK(found("link_below_drive"));
}

TEST(verdict_drive_without_trim)
{
    memset(&r, 0, sizeof(r));
    r.step = STEP_FAILED;
    r.verdict.command = COMMAND_NOT_SUPPORTED;
    check(COMMAND_NOT_SUPPORTED, LOGICAL_NOT_TESTED, OVERALL_INCONCLUSIVE);
}

TEST_MAIN
