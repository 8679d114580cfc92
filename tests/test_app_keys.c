/* The whole program on the model, with a person at the keyboard: what a key starts, and that nothing else starts. */
#include "tests/app_on_model.h"

/* Keys typed on a screen long enough for every page; S1 on port 0 is the first in the list. */
#define TYPED(...)                                                                                 \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .drive = { { .serial = "S1", .content = SIM_CONTENT_USED } }, .platform = {                \
            .rows = 200,                                                                           \
            .keys = __VA_ARGS__                                                                    \
        }                                                                                          \
    }

/* --- a run ------------------------------------------------------------------------------------------------ */

TEST(keys_drive_plan_and_serial_number_run_the_proof)
{
    CHECK_EQ(app_run(TYPED("1pS1\nzqx")), 0);
    check_said("DESTROYS DATA on SIM SSD, serial S1, at 00:1f.2/0.");
    check_said("It writes up to ");
    check_said("It takes about ");
    check_said("Type the drive's serial number and Enter to ERASE, Esc to go back: > S1");
    check_said("VERDICT PASS");
    check_said("Report saved in BARETRIM/");
    check_saved("report.json", "\"overall\": \"PASS\"");
    check_saved("report.json", "\"unattended\": false");
    CHECK(machine.drive[0].log.trims > 0);
    CHECK_EQ(machine.plat.left, EXIT_RETURN);
    app_end();
}

TEST(keys_letters_may_be_capitals)
{
    CHECK_EQ(app_run(TYPED("1PS1\nzQX")), 0);
    check_said("VERDICT PASS");
    app_end();
}

TEST(keys_plans_that_read_start_without_confirmation)
{
    CHECK_EQ(app_run(TYPED("1iz1czqx")), 0);
    check_said("serial S1: identify DONE");
    check_said("serial S1: contact DONE");
    CHECK(!said("to ERASE, Esc to go back: >"));
    check_nothing_written();
    app_end();
}

TEST(keys_backspace_mends_the_serial_number)
{
    CHECK_EQ(app_run(TYPED("1pX\b\b\bS12\b\nzqx")), 0);
    check_said("VERDICT PASS");
    app_end();
}

TEST(keys_progress_is_shown_with_the_time_left)
{
    CHECK_EQ(app_run(TYPED("1pS1\nzqx")), 0);
    check_said("% stamp first");
    check_said("s left (q stops)");
    app_end();
}

TEST(keys_n_chooses_by_number)
{
    static const struct sim_drive_config used = { .serial = "S1" };
    CHECK_EQ(app_run(&(struct sim_config){ .drives = 2,
                                           .drive = { { .serial = "S0" }, used },
                                           .platform = { .rows = 200, .keys = "n2\npS1\nzqx" } }),
             0);
    check_said("VERDICT PASS");
    check_medium_untouched(0);
    CHECK_EQ(machine.drive[0].log.commands, 0);
    app_end();
}

TEST(keys_one_of_two_twins_is_chosen_by_its_number)
{
    static const struct sim_drive_config twin = { .serial = "S1" };
    CHECK_EQ(app_run(&(struct sim_config){ .drives = 2,
                                           .drive = { twin, twin },
                                           .platform = { .rows = 200, .keys = "2pS1\nzqx" } }),
             0);
    check_said("serial S1, at 00:1f.2/1.");
    check_said("VERDICT PASS");
    check_medium_untouched(0);
    CHECK_EQ(machine.drive[0].log.commands, 0);
    app_end();
}

TEST(keys_after_a_refused_configuration_the_menu_still_works)
{
    CHECK_EQ(app_run(TYPED("k1pS1\nzqb", .config_file = "plan = proof\ntarget = S2\n")), 0);
    check_said("REFUSED: ");
    check_said("VERDICT PASS");
    CHECK_EQ(machine.plat.left, EXIT_REBOOT);
    app_end();
}

TEST(keys_after_an_unattended_run_a_key_leads_to_the_menu)
{
    CHECK_EQ(
        app_run(TYPED("kqo", .config_file = "plan = proof\ntarget = S1\nconfirm = ERASE S1\n")), 0);
    check_said("VERDICT PASS");
    check_said("Press a key for the menu.");
    check_said("1-9 choose a drive");
    CHECK_EQ(machine.plat.left, EXIT_POWEROFF);
    app_end();
}

TEST(keys_the_configured_budget_holds_in_the_menu)
{
    CHECK_EQ(app_run(TYPED("1pS1\nzqx", .config_file = "max_write_bytes = 1000000\n")), 1);
    check_said("max_write_bytes allows 1000000");
    check_nothing_written();
    app_end();
}

/* --- no run -------------------------------------------------------------------------------------------------- */

TEST(keys_anything_but_the_serial_number_does_nothing)
{
    static const char *const typed[] = {
        "S2\nk",  "s1\nk",    "S\nk",        "S11\nk",
        "S1 \nk", " S1\nk",   "ERASE S1\nk", "ERASE\nk",
        "y\nk",   "yes\nk",   "S1\x1b",      "\x1b",
        "\n",     "S1\b\b\n", "S1\b\nk",     "S1S1S1S1S1S1S1S1S1S1S1S1S1S1S1S1S1S1\nk",
    };
    for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
        char keys[80];
        snprintf(keys, sizeof(keys), "1p%sqx", typed[i]);
        CHECK_EQ(app_run(TYPED(keys)), 0);
        CHECK(!said("Running proof"));
        CHECK_EQ(said("That is not this drive's serial number; nothing was done."),
                 typed[i][strlen(typed[i]) - 1] == 'k');
        check_nothing_written();
        check_nothing_taken();
        check_nothing_saved();
        app_end();
    }
}

TEST(keys_a_question_left_open_is_no_answer)
{
    static const char *const typed[] = { "1", "1p", "1pS1", "1pS2\n", "n1", "q", "h" };
    for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
        CHECK_EQ(app_run(TYPED(typed[i])), APP_IDLE);
        check_nothing_written();
        check_nothing_taken();
        CHECK_EQ(machine.plat.leaves, 0);
        app_end();
    }
}

TEST(keys_that_mean_nothing_do_nothing)
{
    CHECK_EQ(app_run(TYPED("p29n9\nn0\nnx\nn\nn\x1b"
                           "1z1 h.r\n\x1b"
                           "0S1\nqzqx")),
             0);
    check_nothing_written();
    check_nothing_taken();
    app_end();
}

TEST(keys_every_single_key_in_the_menu_and_on_the_drives_page)
{
    for (char c = 0x20; c < 0x7f; c++) {
        char keys[] = { c, '\x01', '\0' };
        app_run(TYPED(keys));
        check_nothing_written();
        check_nothing_taken();
        app_end();
        if (c == 'i' || c == 'I' || c == 'c' || c == 'C') {
            continue; /* the plans that read */
        }
        char pages[] = { '1', c, '\x01', '\0' };
        app_run(TYPED(pages));
        check_nothing_written();
        check_nothing_taken();
        app_end();
    }
}

TEST(keys_the_boot_medium_has_a_page_but_no_plans)
{
    static const struct {
        struct sim_drive_config drive;
        enum boot_medium boot;
        const char *why;
    } rows[] = {
        { { .serial = "S1" }, BOOT_MEDIUM_YES, "this program was started from it; never a target" },
        { { .serial = "S1" }, BOOT_MEDIUM_UNKNOWN, "cannot tell which drive it came from" },
        { { .serial = "S1", .security = 7 }, BOOT_MEDIUM_NO, "it is locked with a password" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(app_run(&(struct sim_config){ .drive = { rows[i].drive },
                                               .platform = { .rows = 200,
                                                             .keys = "1pS1\n1i1cqx",
                                                             .boot = { .kind = rows[i].boot } } }),
                 0);
        check_said("No target:");
        check_said(rows[i].why);
        check_nothing_written();
        check_nothing_taken();
        app_end();
    }
}

TEST(keys_drive_without_trim_is_refused_even_when_confirmed)
{
    CHECK_EQ(app_run(&(struct sim_config){ .drive = { { .serial = "S1", .no_trim = true } },
                                           .platform = { .rows = 200, .keys = "1pS1\nzqx" } }),
             1);
    check_said("the drive does not support TRIM");
    check_nothing_written();
    app_end();
}

/* --- stopping --------------------------------------------------------------------------------------------------- */

/* `looks` times no key is there, then this one. */
static int run_and_stop(const char *before, unsigned looks, const char *key, const char *after)
{
    static char keys[20000];
    size_t n = (size_t)snprintf(keys, sizeof(keys), "%s", before);
    for (unsigned i = 0; i < looks; i++) {
        n += (size_t)snprintf(keys + n, sizeof(keys) - n, "\x02\x01");
    }
    snprintf(keys + n, sizeof(keys) - n, "\x02%s%s", key, after);
    return app_run(TYPED(keys));
}

TEST(keys_q_and_esc_stop_a_run_wherever_it_is)
{
    static const unsigned looks[] = { 0, 1, 2, 10, 25, 40, 55, 80, 120 };
    for (size_t i = 0; i < ARRAY_LEN(looks); i++) {
        CHECK_EQ(run_and_stop("1pS1\n", looks[i], i % 2 == 0 ? "q" : "\x1b", "zqx"), 1);
        check_said("serial S1: proof ABORTED");
        check_said("stopped by the user");
        CHECK(!said("VERDICT PASS"));
        check_saved("report.json", "\"step\": \"ABORTED\"");
        CHECK_EQ(machine.plat.left, EXIT_RETURN);
        app_end(); /* handed back, no buffer left */
    }
}

TEST(keys_other_keys_do_not_stop_a_run)
{
    CHECK_EQ(run_and_stop("1pS1\n", 5, "x", "\x02p\x02 \x02\nzqx"), 0);
    check_said("VERDICT PASS");
    app_end();
}

TEST(keys_stop_an_unattended_run_too)
{
    CHECK_EQ(app_run(TYPED("\x02q",
                           .config_file = "plan=proof\ntarget=S1\nconfirm=ERASE S1\nexit=reboot")),
             1);
    check_said("proof ABORTED");
    CHECK_EQ(machine.plat.left, EXIT_REBOOT);
    app_end();
}

TEST(keys_a_run_can_follow_one_that_was_stopped)
{
    CHECK_EQ(run_and_stop("1pS1\n", 20, "q", "z1pS1\nzqx"), 0);
    check_said("proof ABORTED");
    check_said("VERDICT PASS");
    app_end();
}

/* --- menu ----------------------------------------------------------------------------------------------------------- */

TEST(keys_leaving_in_each_way)
{
    static const struct {
        const char *keys;
        enum exit_kind kind;
    } rows[] = { { "qx", EXIT_RETURN },
                 { "qb", EXIT_REBOOT },
                 { "qo", EXIT_POWEROFF },
                 { "qnqo", EXIT_POWEROFF } };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(app_run(TYPED(rows[i].keys)), 0);
        CHECK_EQ(machine.plat.left, rows[i].kind);
        CHECK_EQ(machine.plat.leaves, 1);
        check_nothing_taken();
        app_end();
    }
}

static int (*real_key)(struct platform *p, uint32_t timeout_ms);

static int plug_before_key(struct platform *p, uint32_t timeout_ms)
{
    int key = real_key(p, timeout_ms);
    if (key == 'r') {
        sim_drive_plug(&machine.drive[0], "NEW");
        sim_bench_run_us(&machine, 1000000);
    }
    return key;
}

TEST(keys_rescan_sees_a_new_drive)
{
    struct platform *plat = app_prepare(TYPED("1rqx"));
    sim_drive_unplug(&machine.drive[0]);
    sim_bench_run_us(&machine, 1000);
    real_key = plat->con_key;
    plat->con_key = plug_before_key;
    CHECK_EQ(app_go(), 0);
    check_said("There is nothing to test");
    check_said("SIM SSD NEW");
    CHECK(strstr(flat, "There is nothing to test") < strstr(flat, "SIM SSD NEW"));
    app_end();
}

TEST(keys_list_names_every_port_with_its_reason)
{
    CHECK_EQ(app_run(&(struct sim_config){
                 .drives = 3,
                 .drive = { { .serial = "S1" },
                            { .serial = "S2", .signature = SIG_ATAPI },
                            { .serial = "S3" } },
                 .others = 1,
                 .other = { { .class_base = 1, .class_sub = 4 } },
                 .platform = { .rows = 200,
                               .keys = "qx",
                               .boot = { .kind = BOOT_MEDIUM_YES, .port = 2 } } }),
             0);
    check_said("00:1f.2 8086:1c02 class 0106 Intel 6 Series AHCI");
    check_said("1) port 0 SIM SSD S1 10.2 GB 6.0 Gb/s, TRIM yes");
    check_said("port 1 ATAPI an optical drive");
    check_said("2) port 2 SIM SSD S3");
    check_said("boot medium: this program was started from it; never a target");
    check_said("port 5 empty");
    check_said("RAID class: switch SATA to AHCI");
    app_end();
}

TEST(keys_help_says_what_matters)
{
    CHECK_EQ(app_run(TYPED("hzqx")), 0);
    check_said("never a target");
    check_said("ask for the drive's serial number first");
    app_end();
}

/* --- the screen's size ------------------------------------------------------------------------------------------------ */

/* Two controllers of 32 ports: some 70 lines. */
static struct sim_config long_list(const char *keys)
{
    const struct sim_hba_config wide = { .pi = 0xffffffff, .bar_bytes = 0x1100 };
    return (struct sim_config){
        .controllers = 2,
        .hba = { wide, wide },
        .drives = 2,
        .drive = { { .serial = "ABCDEFGHIJKLMNOPQRST",
                     .model = "A model name of forty letters, all of it",
                     .sectors = UINT64_C(30000000000) },
                   { .serial = "S2", .signature = SIG_PMP } },
        .at = { { 0, 0 }, { 1, 31 } },
        .platform = { .keys = keys },
    };
}

TEST(keys_long_list_stops_at_each_full_page)
{
    struct sim_config config = long_list("");
    CHECK_EQ(app_run(&config), APP_IDLE);
    check_said("-- more: press a key --");
    CHECK(!said("1-9 choose a drive"));
    check_pages(80, 25);
    app_end();
    config = long_list("          ");
    CHECK_EQ(app_run(&config), APP_IDLE);
    check_said("port 31 port multiplier");
    check_said("1-9 choose a drive");
    check_pages(80, 25);
    app_end();
}

TEST(keys_whoever_pressed_a_key_after_an_unattended_run_gets_pages)
{
    struct sim_config config = long_list("k");
    config.platform.config_file = "plan = proof\ntarget = S3\nconfirm = ERASE S3\n";
    CHECK_EQ(app_run(&config), APP_IDLE);
    check_said("Press a key for the menu.");
    check_said("-- more: press a key --");
    CHECK(strstr(flat, "Press a key for") < strstr(flat, "-- more"));
    app_end();
}

TEST(keys_short_list_does_not_stop)
{
    CHECK_EQ(app_run(&(struct sim_config){ .platform = { .keys = "qx" } }), 0);
    CHECK(!said("-- more"));
    check_pages(80, 25);
    app_end();
}

TEST(keys_nobody_there_nothing_stops)
{
    struct sim_config config = long_list("");
    config.platform.no_keyboard = true;
    CHECK_EQ(app_run(&config), APP_IDLE);
    CHECK(!said("-- more"));
    check_said("1-9 choose a drive");
    app_end();
    config = long_list("");
    config.platform.cmdline = "x plan=proof target=ABCDEFGHIJKLMNOPQRST "
                              "confirm=ERASE,ABCDEFGHIJKLMNOPQRST exit=reboot";
    CHECK_EQ(app_run(&config), 0);
    CHECK(!said("-- more"));
    check_said("VERDICT PASS");
    check_pages(80, 0);
    app_end();
}

/* Whatever pages there are: a space goes on at each, and the script's next key where a question stands. */
static int page_or_key(struct platform *p, uint32_t timeout_ms)
{
    static const char pause[] = "-- more: press a key --";
    const struct sim_text *console = &machine.plat.console;
    size_t n = sizeof(pause) - 1;
    if (timeout_ms != 0 && console->bytes >= n &&
        strcmp(console->at + console->bytes - n, pause) == 0) {
        return ' ';
    }
    return real_key(p, timeout_ms);
}

TEST(keys_every_page_fits_a_small_screen)
{
    static const unsigned sizes[][2] = { { 80, 25 }, { 80, 24 }, { 100, 31 }, { 132, 43 } };
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct sim_config config = long_list("1pABCDEFGHIJKLMNOPQRST\nwz1izhzrqx");
        config.drive[0].security = 0x0021;
        config.drive[0].trim_granule = 8;
        config.platform.columns = sizes[i][0];
        config.platform.rows = sizes[i][1];
        struct platform *plat = app_prepare(&config);
        real_key = plat->con_key;
        plat->con_key = page_or_key;
        CHECK_EQ(app_go(), 0);
        check_said("VERDICT WARN");
        check_pages(sizes[i][0], sizes[i][1]);
        app_end();
    }
}

TEST_MAIN
