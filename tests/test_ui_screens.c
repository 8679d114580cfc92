/* What the screens say of a report: the table of cases, where the report goes, what `w` does. */
#include "ui/screens.h"

#include "sim/sim_bench.h"
#include "tests/test.h"

static struct sim_bench machine;
static struct console con;
static struct report report;

static void start(const struct sim_platform_config *config)
{
    sim_bench_init(&machine, &(struct sim_config){ .platform = *config });
    console_init(&con, &machine.plat.platform, false);
    memset(&report, 0, sizeof(report));
    report.plan = "proof";
    report.step = STEP_DONE;
}

static void show(void)
{
    screen_result(&con, &report, "saved in X", true);
}

static void has(const char *words)
{
    if (strstr(machine.plat.console.at, words) == NULL) {
        printf("  not on the screen: %s\n%s\n", words, machine.plat.console.at);
    }
    CHECK(strstr(machine.plat.console.at, words) != NULL);
}

static void lacks(const char *words)
{
    CHECK(strstr(machine.plat.console.at, words) == NULL);
}

static struct trim_case *add_case(const char *name, enum step step)
{
    struct trim_case *c = &report.trim_case[report.cases++];
    *c = (struct trim_case){ .place = "middle", .name = name, .count = 10240, .step = step };
    return c;
}

/* --- the table ---------------------------------------------------------------------------------------- */

TEST(result_table_tells_each_kind_of_sector_apart)
{
    start(&(struct sim_platform_config){ .medium = SIM_MEDIUM_GOOD });
    struct trim_case *c = add_case("64 entries", STEP_DONE);
    c->inside.kind[SECTOR_ZEROS] = 10011;
    c->inside.kind[SECTOR_CONSTANT] = 22;
    c->inside.kind[SECTOR_OTHER] = 11;
    c->inside.kind[SECTOR_STALE_STAMP] = 12;
    c->inside.kind[SECTOR_MISPLACED] = 10;
    c->inside.kind[SECTOR_STAMP] = 44;
    c->inside.unstable = 55;
    c->guard.kind[SECTOR_STAMP] = 10066;
    c->damaged = 77;
    show();
    has("\n  place  TRIM         named  zeros  const  other    old  unst. guards damaged\n");
    has("\n  middle 64 entries   10240  10011     22     33     44     55  10066      77\n");
    lacks("not sent");
    lacks("failed");
    lacks("could not be read");
    sim_bench_free(&machine);
}

TEST(result_table_says_what_was_not_sent_what_failed_and_what_was_not_read)
{
    start(&(struct sim_platform_config){ .medium = SIM_MEDIUM_GOOD });
    add_case("one sector", STEP_NOT_RUN);
    add_case("aligned", STEP_FAILED)->err = ERR_DEVICE;
    struct trim_case *c = add_case("unaligned", STEP_DONE);
    c->inside.unread = 3;
    c->guard.unread = 4;
    show();
    has("\n  middle one sector   10240  not sent\n");
    has("the command failed: device error\n");
    has("7 sectors could not be read\n");
    sim_bench_free(&machine);
}

TEST(result_lines_fit_80_columns_whatever_is_in_them)
{
    start(&(struct sim_platform_config){ .medium = SIM_MEDIUM_GOOD });
    memset(report.drive.model, 'M', sizeof(report.drive.model) - 1);
    memset(report.drive.serial, 'S', sizeof(report.drive.serial) - 1);
    struct trim_case *c = add_case("zero length", STEP_FAILED);
    c->err = ERR_REFUSED;
    c->inside.unread = 10240;
    c->inside.kind[SECTOR_ZEROS] = 10240;
    c->guard.kind[SECTOR_STAMP] = 10240;
    c->damaged = 10240;
    report.contact = (struct contact){ .step = STEP_FAILED, .sectors = 64, .informative = 64 };
    report_find(&report, "not_rechecked_by_firmware", SEVERITY_WARN, "%0*u", 190, 1u);
    memset(report.failure, 'f', sizeof(report.failure) - 1);
    report.verdict.overall = OVERALL_INCONCLUSIVE;
    report.verdict.logical = LOGICAL_CONSTANT;
    memset(report.verdict.sentence, 's', sizeof(report.verdict.sentence) - 1);
    show();
    for (const char *line = machine.plat.console.at; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        if (len > 79) {
            printf("  %zu columns: %.*s\n", len, (int)len, line);
        }
        CHECK(len <= 79);
        line += len + (line[len] == '\n');
    }
    sim_bench_free(&machine);
}

/* --- before the start --------------------------------------------------------------------------------- */

static void warn(enum sim_medium medium, bool same_controller)
{
    static struct inventory inventory;
    start(&(struct sim_platform_config){ .medium = medium });
    inventory_scan(&inventory, &machine.plat.platform);
    screen_warning(&con, &inventory, &inventory.port[0], plan_find("proof"), same_controller);
}

TEST(warning_says_where_the_report_goes)
{
    warn(SIM_MEDIUM_GOOD, false);
    has("saved after each step");
    has("BARETRIM");
    warn(SIM_MEDIUM_GOOD, true);
    has("saved at the end");
    lacks("after each step");
    warn(SIM_MEDIUM_NONE, false);
    has("no medium to save the report on");
    lacks("saved after each step");
    warn(SIM_MEDIUM_NONE, true);
    has("no medium to save the report on");
    sim_bench_free(&machine);
}

/* --- after it ----------------------------------------------------------------------------------------- */

static uint64_t report_versions(const char *cmdline, const char *keys)
{
    sim_bench_init(&machine,
                   &(struct sim_config){ .drive = { { .drat = true } },
                                         .platform = { .cmdline = cmdline, .keys = keys } });
    (void)core_main(&machine.plat.platform);
    const struct sim_file *file = sim_platform_file_ending(&machine.plat, "report.json");
    return file == NULL ? 0 : file->versions;
}

#define PROOF "x plan=proof target=SIM0001 confirm=ERASE,SIM0001"

TEST(unattended_result_can_be_saved_again)
{
    uint64_t versions = report_versions(PROOF, " qx");
    CHECK(versions > 2);
    CHECK_EQ(report_versions(PROOF, "w qx"), versions + 1);
    CHECK_EQ(report_versions(PROOF, "wWw qx"), versions + 3);
    has("w save the report again   Press a key for the menu.\n");
    sim_bench_free(&machine);
}

TEST(without_a_run_there_is_nothing_to_save_again)
{
    CHECK_EQ(report_versions(PROOF " colour=blue", "wqx"), 0); /* w is any key then */
    lacks("save the report again");
    has("BareTrim - drives");
    CHECK_EQ(machine.plat.leaves, 1);
    sim_bench_free(&machine);
}

TEST_MAIN
