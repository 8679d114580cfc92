/* The whole program on the model, with media that do not take the report: the result stays on the screen and on the
 * serial line, a sentence says why nothing was saved, and a key tries again. */
#include "tests/app_on_model.h"

#define PROOF "plan=proof target=S1 confirm=ERASE,S1 serial=log exit=poweroff"

static struct sim_config with_medium(enum sim_medium medium)
{
    return (struct sim_config){
        .drive = { { .serial = "S1", .content = SIM_CONTENT_USED } },
        .platform = { .cmdline = "x " PROOF, .medium = medium },
    };
}

static void check_result_is_there(void)
{
    check_said("VERDICT PASS");
    check_said("Logical DEALLOCATED (zeros)");
    check_logged("verdict", "overall=PASS");
    CHECK_EQ(machine.plat.leaves, 1);
}

TEST(save_failures_keep_the_result_on_screen_and_serial)
{
    static const struct {
        enum sim_medium medium;
        const char *sentence;
        const char *reason;
    } rows[] = {
        { SIM_MEDIUM_FULL, "NOT SAVED: the medium is full (medium full)",
          "reason=\"medium full\"" },
        { SIM_MEDIUM_READ_ONLY, "NOT SAVED: the medium is write-protected", "write-protected" },
        { SIM_MEDIUM_NONE,
          "NOT SAVED: the program was not started from a medium with a file system",
          "reason=\"not supported\"" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sim_config config = with_medium(rows[i].medium);
        CHECK_EQ(app_run(&config), 0);
        check_result_is_there();
        check_said(rows[i].sentence);
        check_logged("save_failed", rows[i].reason);
        CHECK(!said("saved in BARETRIM"));
        check_nothing_saved();
        app_end();
    }
}

TEST(save_medium_too_small_for_the_report)
{
    struct sim_config config = with_medium(SIM_MEDIUM_GOOD);
    config.platform.medium_bytes = 1000;
    CHECK_EQ(app_run(&config), 0);
    check_result_is_there();
    check_said("NOT SAVED: the medium is full");
    check_nothing_saved();
    app_end();
}

/* The old report stands until the new one is whole: what was saved of the run so far is not lost. */
TEST(save_medium_that_fills_up_keeps_the_last_report)
{
    struct sim_config config = with_medium(SIM_MEDIUM_GOOD);
    CHECK_EQ(app_run(&config), 0);
    size_t whole = sim_platform_file_ending(&machine.plat, "report.json")->bytes;
    app_end();
    config.platform.medium_bytes = whole;
    CHECK_EQ(app_run(&config), 0);
    check_result_is_there();
    check_said("NOT SAVED: the medium is full");
    check_saved("report.json", "\"step\": \"RUNNING\"");
    check_saved("report.json", "\n}\n");
    app_end();
}

/* --- media that change during a run ------------------------------------------------------------------------- */

static enum err (*real_take_over)(struct platform *p, const struct pci_function *f);

static enum err pull_then_take(struct platform *p, const struct pci_function *f)
{
    machine.plat.config.medium = SIM_MEDIUM_PULLED;
    return real_take_over(p, f);
}

TEST(save_stick_pulled_during_the_run)
{
    struct sim_config config = with_medium(SIM_MEDIUM_GOOD);
    struct platform *plat = app_prepare(&config);
    real_take_over = plat->take_over;
    plat->take_over = pull_then_take;
    CHECK_EQ(app_go(), 0);
    check_result_is_there();
    check_said("NOT SAVED: the medium does not answer (pulled out?)");
    check_logged("save_failed", "firmware I/O error");
    app_end();
}

static enum err (*real_write)(struct platform *p, const char *path, const void *data, size_t bytes);
static unsigned failing;
static unsigned writes;

static enum err write_after_failing(struct platform *p, const char *path, const void *data,
                                    size_t bytes)
{
    writes++;
    if (writes <= failing) {
        return ERR_IO;
    }
    return real_write(p, path, data, bytes);
}

/* The first so many writes fail. */
static int run_failing(const struct sim_config *config, unsigned count)
{
    struct platform *plat = app_prepare(config);
    real_write = plat->file_write;
    plat->file_write = write_after_failing;
    failing = count;
    writes = 0;
    return app_go();
}

TEST(save_after_a_failure_is_tried_once_more_at_the_end)
{
    struct sim_config config = with_medium(SIM_MEDIUM_GOOD);
    CHECK_EQ(run_failing(&config, 1), 0);
    CHECK_EQ(writes, 1 + 2); /* report.json and identify.txt, at the end */
    check_said("Report saved in BARETRIM/");
    CHECK(!said("NOT SAVED"));
    check_saved("report.json", "\"overall\": \"PASS\"");
    app_end();
}

TEST(save_again_by_key_w)
{
    static const struct sim_config config = {
        .drive = { { .serial = "S1" } },
        .platform = { .rows = 200, .keys = "1pS1\nwwzqx" },
    };
    CHECK_EQ(run_failing(&config, 3), 0);
    CHECK_EQ(writes, 3 + 2); /* while it ran, at its end, first w; then both files */
    check_said("Report NOT SAVED: the medium does not answer (pulled out?)");
    check_said("w save the report again");
    check_said("saved in BARETRIM/");
    CHECK(strstr(flat, "NOT SAVED") < strstr(flat, "saved in BARETRIM/"));
    check_saved("report.json", "\"overall\": \"PASS\"");
    check_saved("identify.txt", "0040");
    app_end();
}

/* --- the boot medium beside the target ------------------------------------------------------------------------- */

TEST(save_on_the_targets_own_controller_waits_for_the_hand_back)
{
    struct sim_config config = with_medium(SIM_MEDIUM_GOOD);
    config.drives = 2;
    config.drive[1] = (struct sim_drive_config){ .serial = "BOOT" };
    config.platform.boot.kind = BOOT_MEDIUM_YES;
    config.platform.boot.port = 1;
    CHECK_EQ(app_run(&config), 0);
    check_result_is_there();
    check_said("Report saved in BARETRIM/");
    CHECK_EQ(sim_platform_file_ending(&machine.plat, "report.json")->versions, 1);
    check_saved("report.json", "\"boot_medium_on_controller\": true");
    check_medium_untouched(1);
    CHECK_EQ(machine.drive[1].log.commands, 0);
    app_end();
}

TEST(save_on_the_targets_own_controller_is_said_before_the_start)
{
    static const struct sim_config config = {
        .drives = 2,
        .drive = { { .serial = "S1" }, { .serial = "BOOT" } },
        .platform = { .rows = 200,
                      .keys = "1p\nqx",
                      .boot = { .kind = BOOT_MEDIUM_YES, .port = 1 } },
    };
    CHECK_EQ(app_run(&config), 0);
    check_said("The boot medium is on the same controller: the report is saved at the end");
    check_nothing_written();
    app_end();
}

TEST_MAIN
