/* The whole program on the model, unattended: what it does by itself, what it refuses, what it leaves behind. */
#include "tests/app_on_model.h"

#include <stdlib.h>

#include "ui/config.h"

#define PROOF "plan = proof\ntarget = S1\nconfirm = ERASE,S1\nserial = log\nexit = poweroff\n"

/* One drive S1, and this baretrim.cfg. */
#define FILE_SAYS(...)                                                                             \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .drive = { { .serial = "S1", .content = SIM_CONTENT_USED } }, .platform = {                \
            .config_file = __VA_ARGS__                                                             \
        }                                                                                          \
    }

/* --- a run ------------------------------------------------------------------------------------------------ */

TEST(app_proof_passes_and_leaves_everything_behind)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF)), 0);
    CHECK_EQ(machine.plat.leaves, 1);
    CHECK_EQ(machine.plat.left, EXIT_POWEROFF);
    check_said("VERDICT PASS");
    check_said("Logical DEALLOCATED (zeros)");
    check_said("DESTROYS DATA");
    check_said("Report saved in BARETRIM/20260102-");
    CHECK(sim_drive_count_changes(&machine.drive[0]) > 0);
    CHECK(machine.drive[0].log.trims > 0);
    check_saved("report.json", "\"overall\": \"PASS\"");
    check_saved("report.json", "\"unattended\": true");
    check_saved("report.json", "\"step\": \"DONE\"");
    check_saved("report.json", "\"serial_number\": \"S1\"");
    CHECK(sim_platform_file_ending(&machine.plat, "-S1/report.json") != NULL);
    CHECK(sim_platform_file_ending(&machine.plat, "-S1/identify.txt") != NULL);
    CHECK_EQ(machine.plat.files, 3); /* with baretrim.cfg */
    CHECK_EQ(sim_platform_file(&machine.plat, "baretrim.cfg")->versions, 0);
    app_end();
}

TEST(app_report_is_saved_again_after_each_pass)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF)), 0);
    unsigned passes = 0;
    for (const char *at = machine.plat.serial.at; (at = strstr(at, " pass n=")) != NULL; at++) {
        passes++;
    }
    CHECK(passes >= 10);
    /* contact and the end count, too */
    CHECK_EQ(sim_platform_file_ending(&machine.plat, "report.json")->versions, passes + 2);
    app_end();
}

TEST(app_identify_file_is_what_the_drive_said)
{
    uint8_t words[512];
    CHECK_EQ(app_run(FILE_SAYS(PROOF)), 0);
    const struct sim_file *file = sim_platform_file_ending(&machine.plat, "identify.txt");
    CHECK(file != NULL);
    sim_drive_identify(&machine.drive[0], words);
    const char *at = (const char *)file->data;
    for (unsigned i = 0; i < 256; i++) {
        char *end = NULL;
        CHECK_EQ(strtoul(at, &end, 16), get_le16(words + (size_t)2 * i));
        at = end;
    }
    app_end();
}

TEST(app_event_log_tells_the_run_from_start_to_exit)
{
    static const struct {
        const char *event;
        const char *words;
    } lines[] = {
        { "start", "platform=host" },
        { "controller", "bdf=00:1f.2" },
        { "port", "serial=S1" },
        { "run", "plan=proof serial=S1" },
        { "contact_way", "name=\"NCQ depth 32\" step=DONE" },
        { "contact", "result=ok firmware_reference=1" },
        { "pass", "name=stamp" },
        { "progress", "done_bytes=" },
        { "trim_case", "place=first" },
        { "handed_back", "" },
        { "verdict", "overall=PASS" },
        { "end", "step=DONE" },
        { "saved", "path=BARETRIM/" },
        { "exit", "result=0" },
    };
    CHECK_EQ(app_run(FILE_SAYS(PROOF)), 0);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        check_logged(lines[i].event, lines[i].words);
    }
    app_end();
}

TEST(app_event_log_is_7_bit_lines_with_times_that_do_not_run_back)
{
    uint64_t before = 0;
    unsigned lines = 0;
    CHECK_EQ(app_run(FILE_SAYS(PROOF)), 0);
    for (const char *at = machine.plat.serial.at; *at != '\0'; lines++) {
        uint64_t ns = 0;
        size_t length = strcspn(at, "\n");
        CHECK_EQ(sscanf(at, "BT1 %lu ", &ns), 1);
        CHECK(ns >= before);
        CHECK(length > 10 && at[length] == '\n' && at[length - 1] == '\r');
        for (size_t i = 0; i + 1 < length; i++) {
            CHECK(at[i] >= 0x20 && at[i] <= 0x7e);
        }
        before = ns;
        at += length + 1;
    }
    CHECK(lines > 40);
    app_end();
}

TEST(app_without_serial_log_nothing_goes_to_a_serial_line)
{
    CHECK_EQ(app_run(FILE_SAYS("plan=proof\ntarget=S1\nconfirm=ERASE S1\nexit=reboot")), 0);
    CHECK(!machine.plat.serial_opened);
    CHECK_EQ(machine.plat.left, EXIT_REBOOT);
    app_end();
    CHECK_EQ(app_run(FILE_SAYS("plan=identify\ntarget=S1\nserial=off\nexit=reboot")), 0);
    CHECK(!machine.plat.serial_opened);
    app_end();
}

TEST(app_no_free_uart_is_said_and_the_run_goes_on)
{
    CHECK_EQ(
        app_run(&(struct sim_config){ .drive = { { .serial = "S1" } },
                                      .platform = { .config_file = PROOF, .serial = ERR_BUSY } }),
        0);
    check_said("No event log: this machine's model has no serial port to give");
    check_said("VERDICT PASS");
    app_end();
}

TEST(app_load_options_alone_run_a_proof)
{
    CHECK_EQ(
        app_run(&(struct sim_config){
            .drive = { { .serial = "S 1" } },
            .platform = { .cmdline = "BOOTX64.EFI plan=proof target=\"S 1\" confirm=\"ERASE S 1\" "
                                     "exit=reboot" } }),
        0);
    check_said("VERDICT PASS");
    CHECK_EQ(machine.plat.left, EXIT_REBOOT);
    CHECK(sim_platform_file_ending(&machine.plat, "-S_1/report.json") != NULL);
    app_end();
}

TEST(app_load_options_win_over_the_file)
{
    CHECK_EQ(app_run(&(struct sim_config){
                 .drive = { { .serial = "S1" } },
                 .platform = { .config_file = PROOF, .cmdline = "x plan=identify exit=reboot" } }),
             0);
    CHECK_EQ(machine.plat.left, EXIT_REBOOT);
    check_logged("run", "plan=identify");
    check_nothing_written();
    app_end();
}

TEST(app_plans_that_read_need_no_confirm_and_have_no_verdict)
{
    static const char *const plans[] = { "identify", "contact" };
    for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
        char text[80];
        snprintf(text, sizeof(text), "plan=%s\ntarget=S1\nexit=poweroff\n", plans[i]);
        CHECK_EQ(app_run(FILE_SAYS(text)), 0);
        snprintf(text, sizeof(text), "serial S1: %s DONE", plans[i]);
        check_said(text);
        CHECK(!said("VERDICT"));
        check_saved("report.json", "\"verdict\": null");
        check_nothing_written();
        CHECK(machine.plat.function[0].taken > 0);
        app_end();
    }
}

TEST(app_result_is_1_for_every_other_verdict)
{
    CHECK_EQ(
        app_run(&(struct sim_config){ .drive = { { .serial = "S1", .trim = SIM_TRIM_IGNORED } },
                                      .platform = { .config_file = PROOF } }),
        1);
    check_said("VERDICT INCONCLUSIVE");
    check_logged("exit", "result=1");
    app_end();
    CHECK_EQ(
        app_run(&(struct sim_config){ .drive = { { .serial = "S1", .trim = SIM_TRIM_REJECTED } },
                                      .platform = { .config_file = PROOF } }),
        1);
    check_said("VERDICT FAIL");
    app_end();
}

TEST(app_settle_is_waited)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF "settle = 0")), 0);
    uint64_t quick = machine.clock.now_ns;
    app_end();
    CHECK_EQ(app_run(FILE_SAYS(PROOF "settle = 30")), 0);
    check_saved("report.json", "\"settle_s\": 30");
    CHECK(machine.clock.now_ns >= quick + 30 * NS_PER_S);
    app_end();
}

/* --- nothing asked for ---------------------------------------------------------------------------------------- */

TEST(app_no_config_and_no_keys_only_looks)
{
    CHECK_EQ(app_run(&(struct sim_config){ .drives = 2,
                                           .drive = { { .serial = "S1" }, { .serial = "S2" } } }),
             APP_IDLE);
    check_said("1-9 choose a drive");
    CHECK(machine.clock.now_ns >= 120 * NS_PER_S);
    CHECK_EQ(machine.plat.leaves, 0);
    check_nothing_written();
    check_nothing_taken();
    check_nothing_saved();
    app_end();
    CHECK_EQ(app_run(&(struct sim_config){ .platform = { .no_keyboard = true } }), APP_IDLE);
    check_nothing_written();
    check_nothing_taken();
    app_end();
}

TEST(app_a_target_without_a_plan_starts_nothing)
{
    CHECK_EQ(app_run(FILE_SAYS("target = S1\nserial = log\nexit = poweroff\n")), APP_IDLE);
    check_nothing_written();
    check_nothing_taken();
    app_end();
}

/* --- refused --------------------------------------------------------------------------------------------------- */

/* The program refused with these words; no drive and no medium was touched. */
static void check_refused(int result, const char *words)
{
    CHECK_EQ(result, 1);
    check_said("REFUSED: ");
    check_said(words);
    check_said("Nothing was written to any drive.");
    check_nothing_written();
    check_nothing_taken();
    check_nothing_saved();
    CHECK_EQ(machine.plat.leaves, 1);
    app_end();
}

TEST(app_faults_of_the_file_are_refused)
{
    static const struct {
        const char *file;
        const char *words;
    } rows[] = {
        { "plan=proof\ntarget=S2\nconfirm=ERASE S2\n", "no drive here has the serial number S2" },
        { "plan=proof\ntarget=S\nconfirm=ERASE S\n", "no drive here has the serial number S" },
        { "plan=proof\ntarget=S1@00:1f.2/1\nconfirm=ERASE S1\n", "serial number S1 at 00:1f.2/1" },
        { "plan=proof\ntarget=S1\n", "needs confirm = ERASE,S1 to start" },
        { "plan=proof\ntarget=S1\nconfirm=ERASE S2\n", "they must be the same" },
        { "plan=proof\nconfirm=ERASE S1\n", "needs a target" },
        { "plan=proof\ntarget=S1\nconfirm=S1\n", "the word ERASE" },
        { "target=S1\nconfirm=ERASE S1\n", "no plan" },
        { "plan=identify\n", "needs a target" },
        { "plan=prof\ntarget=S1\nconfirm=ERASE S1\n", "line 3: plan = \"prof\"" },
        { "plan=proof\ntarget=S1\nconfirm=ERASE S1\nforce=yes\n", "line 6: unknown key \"force\"" },
        { "plan=proof\ntarget=S1\nconfirm=ERASE S1\nplan=proof\n", "plan is given twice" },
        { "plan=proof\ntarget=S1\nconfirm=ERASE S1\nmax_write_bytes=0\n", "above 0" },
        { "plan=proof\ntarget=S1\nconfirm=ERASE S1\nsettle\n", "is not key = value" },
        { "plan=proof\ntarget=S1\x1b[31m\nconfirm=ERASE S1\n", "not plain text" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[200];
        snprintf(text, sizeof(text), "exit=poweroff\nserial=log\n%s", rows[i].file);
        int result = app_run(FILE_SAYS(text));
        CHECK_EQ(machine.plat.left, EXIT_POWEROFF);
        CHECK(logged("config_error", "text=") || logged("refused", "text="));
        check_logged("exit", "result=1");
        check_refused(result, rows[i].words);
    }
}

TEST(app_faults_of_the_load_options_are_refused)
{
    static const struct {
        const char *cmdline;
        const char *words;
    } rows[] = {
        { "x plan=proof target=S1 confirm=ERASE,S1 quiet", "\"quiet\" is not key=value" },
        { "x plan=proof target=S1 confirm=ERASE,S1 root=/dev/sda", "unknown key \"root\"" },
        { "x plan=proof target=S1 confirm=ERASE,S1 target=S1", "target is given twice" },
        { "x plan=proof target=S1 confirm=ERASE S1", "ERASE" },
        { "x plan=proof target=S1 confirm=\"ERASE,S1", "quotes" },
        { "x plan=proof target=S? confirm=ERASE,S?", "no drive here has the serial number S?" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[120];
        snprintf(text, sizeof(text), "%s", rows[i].cmdline);
        int result = app_run(&(struct sim_config){
            .drive = { { .serial = "S1" } },
            .platform = { .config_file = "exit = reboot\n", .cmdline = text } });
        CHECK_EQ(machine.plat.left, EXIT_REBOOT);
        check_refused(result, rows[i].words);
    }
}

TEST(app_load_options_cut_short_are_refused)
{
    int result = app_run(&(struct sim_config){
        .drive = { { .serial = "S1" } },
        .platform = { .config_file = PROOF, .cmdline = "x exit=reboot", .cmdline_cut = true } });
    CHECK_EQ(machine.plat.left, EXIT_POWEROFF);
    check_refused(result, "load options: longer than 1023 characters");
}

/* A whole proof, and then blanks up to this length. */
static char *padded(size_t bytes)
{
    char *text = malloc(bytes + 1);
    memset(text, '\n', bytes);
    text[bytes] = '\0';
    memcpy(text, PROOF, sizeof(PROOF) - 1);
    return text;
}

TEST(app_config_of_64_kib_runs_and_a_longer_one_is_refused)
{
    char *text = padded(CONFIG_FILE_MAX);
    CHECK_EQ(app_run(FILE_SAYS(text)), 0);
    check_said("VERDICT PASS");
    app_end();
    free(text);
    const size_t longer[] = { CONFIG_FILE_MAX + 1, 1 << 20 };
    for (size_t i = 0; i < ARRAY_LEN(longer); i++) {
        text = padded(longer[i]);
        /* Not a line of it is believed, `exit` neither: it waits for a person. */
        int result = app_run(FILE_SAYS(text, .keys = "kqx"));
        CHECK_EQ(machine.plat.left, EXIT_RETURN);
        check_refused(result, "baretrim.cfg: longer than 65536 bytes");
        free(text);
    }
}

TEST(app_config_with_nul_bytes_is_refused)
{
    static const char text[] = "exit=poweroff\nplan=proof\ntarget=S1\nconfirm=ERASE S1\0\n";
    int result = app_run(FILE_SAYS(text, .config_bytes = sizeof(text) - 1));
    check_refused(result, "line 4: NUL");
}

TEST(app_config_that_cannot_be_read_is_refused)
{
    int result = app_run(&(struct sim_config){
        .drive = { { .serial = "S1" } },
        .platform = { .medium = SIM_MEDIUM_PULLED,
                      .cmdline = "x plan=proof target=S1 confirm=ERASE,S1 exit=reboot",
                      .keys = "kqx" } });
    check_refused(result, "baretrim.cfg could not be read");
}

TEST(app_after_a_refusal_nothing_more_happens_without_a_key)
{
    CHECK_EQ(app_run(FILE_SAYS("plan=proof\ntarget=S1\nconfirm=ERASE S1\nnonsense\n")), APP_IDLE);
    check_said("REFUSED: ");
    CHECK(!said("1-9 choose a drive"));
    check_nothing_written();
    check_nothing_taken();
    CHECK_EQ(machine.plat.leaves, 0);
    app_end();
}

/* --- drives that are no targets ------------------------------------------------------------------------------------ */

TEST(app_drive_without_trim_is_refused_before_the_first_write)
{
    CHECK_EQ(app_run(&(struct sim_config){ .drive = { { .serial = "S1", .no_trim = true } },
                                           .platform = { .config_file = PROOF } }),
             1);
    check_said("the drive does not support TRIM");
    check_said("NOT SUPPORTED");
    check_logged("refused", "does not support TRIM");
    check_saved("report.json", "\"command\": \"NOT SUPPORTED\"");
    check_nothing_written();
    check_nothing_taken();
    app_end();
}

TEST(app_locked_drive_is_refused)
{
    int result = app_run(&(struct sim_config){ .drive = { { .serial = "S1", .security = 0x0007 } },
                                               .platform = { .config_file = PROOF } });
    check_refused(result, "S1: it is locked with a password");
}

TEST(app_boot_medium_is_refused)
{
    int result = app_run(&(struct sim_config){
        .drive = { { .serial = "S1" } },
        .platform = { .config_file = PROOF, .boot = { .kind = BOOT_MEDIUM_YES } } });
    CHECK(said("There is nothing to test: no drive here can be a target."));
    check_refused(result, "this program was started from it; never a target");
}

TEST(app_unknown_boot_medium_spoils_every_drive_of_its_controller)
{
    int result = app_run(&(struct sim_config){
        .drives = 2,
        .drive = { { .serial = "S0" }, { .serial = "S1" } },
        .platform = { .config_file = PROOF, .boot = { .kind = BOOT_MEDIUM_UNKNOWN } } });
    check_refused(result, "cannot tell which drive it came from");
}

TEST(app_no_drive_and_no_controller)
{
    int result =
        app_run(&(struct sim_config){ .no_drive = true, .platform = { .config_file = PROOF } });
    CHECK(said("There is nothing to test"));
    check_refused(result, "no drive here has the serial number S1");
    app_prepare(&(struct sim_config){ .no_drive = true, .platform = { .config_file = PROOF } });
    machine.plat.functions = 0;
    result = app_go();
    CHECK(said("No storage controller was found."));
    check_refused(result, "no drive here has the serial number S1");
}

TEST(app_twins_are_refused_by_name_and_run_by_place)
{
    static const struct sim_drive_config twin = { .serial = "S1" };
    int result = app_run(&(struct sim_config){
        .drives = 2, .drive = { twin, twin }, .platform = { .config_file = PROOF } });
    CHECK(said("SERIAL NUMBER NOT UNIQUE"));
    check_refused(
        result, "more than one drive has the serial number S1: add its place, as in S1@00:1f.2/0");
    CHECK_EQ(app_run(&(struct sim_config){
                 .drives = 2,
                 .drive = { twin, twin },
                 .platform = { .config_file = PROOF, .cmdline = "x target=S1@00:1f.2/1" } }),
             0);
    check_said("VERDICT PASS");
    check_medium_untouched(0);
    CHECK_EQ(machine.drive[0].log.commands, 0);
    CHECK(machine.drive[1].log.trims > 0);
    app_end();
}

/* "A@B" can be read as serial number A at place B; only the drive's whole number confirms it. */
TEST(app_half_a_serial_number_confirms_nothing)
{
    static const struct sim_drive_config drive = { .serial = "A@B" };
    CHECK_EQ(
        app_run(&(struct sim_config){
            .drive = { drive },
            .platform = { .cmdline = "x plan=proof target=A@B confirm=ERASE,A exit=reboot" } }),
        1);
    check_said("not confirmed");
    check_nothing_written();
    check_nothing_taken();
    app_end();
    CHECK_EQ(
        app_run(&(struct sim_config){
            .drive = { drive },
            .platform = { .cmdline = "x plan=proof target=A@B confirm=ERASE,A@B exit=reboot" } }),
        0);
    check_said("VERDICT PASS");
    app_end();
}

TEST(app_budget_below_the_plans_cost_is_refused)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF "max_write_bytes = 1000000")), 1);
    check_said("max_write_bytes allows 1000000");
    check_nothing_written();
    check_nothing_taken();
    app_end();
    CHECK_EQ(app_run(FILE_SAYS(PROOF "max_write_bytes = 1000000000")), 0);
    app_end();
}

/* --- trouble on the way ----------------------------------------------------------------------------------------------- */

TEST(app_contact_that_differs_keeps_the_drive_unwritten)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF, .firmware = SIM_FIRMWARE_LIES)), 1);
    check_said("Contact FAILED");
    check_said("otherwise than the firmware");
    check_logged("contact", "result=failed");
    check_saved("report.json", "\"step\": \"FAILED\"");
    check_nothing_written();
    app_end();
}

TEST(app_firmware_that_does_not_let_go)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF, .firmware = SIM_FIRMWARE_KEEPS)), 1);
    check_said("taking the controller over: busy");
    check_nothing_written();
    app_end();
}

TEST(app_out_of_memory_is_no_end_of_the_program)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF, .dma_limit_bytes = 4096)), 1);
    check_said("out of memory");
    check_nothing_written();
    app_end();
}

static enum err (*real_take_over)(struct platform *p, const struct pci_function *f);

static enum err swap_then_take(struct platform *p, const struct pci_function *f)
{
    sim_drive_unplug(&machine.drive[0]);
    sim_drive_plug(&machine.drive[0], "OTHER");
    sim_bench_run_us(&machine, 100000);
    return real_take_over(p, f);
}

TEST(app_drive_exchanged_after_the_list_is_not_written)
{
    struct platform *plat = app_prepare(FILE_SAYS(PROOF));
    real_take_over = plat->take_over;
    plat->take_over = swap_then_take;
    CHECK_EQ(app_go(), 1);
    check_said("not the one that was listed (now SIM SSD, serial OTHER)");
    check_nothing_written();
    app_end();
}

TEST(app_clocks_that_disagree_are_said)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF, .clock_unusable = true)), 0);
    check_said("The machine's clocks disagree; times are not to be trusted.");
    app_end();
}

TEST(app_names_of_a_hostile_drive_stay_text)
{
    CHECK_EQ(app_run(&(struct sim_config){ .drive = { { .serial = "S1",
                                                        .model = "\x1b[2J\xff\r\nBEL\x07 %s%n",
                                                        .firmware = "\n\t" } },
                                           .platform = { .config_file = PROOF } }),
             0);
    check_said("?[2J???BEL? %s%n");
    app_end(); /* the model notes every byte that is no text */
}

TEST(app_without_time_of_day_the_folder_has_the_run_id)
{
    CHECK_EQ(app_run(FILE_SAYS(PROOF, .no_utc = true)), 0);
    const struct sim_file *file = sim_platform_file_ending(&machine.plat, "-S1/report.json");
    CHECK(file != NULL);
    CHECK_EQ(strspn(file->path + strlen("BARETRIM/"), "0123456789abcdef"), 8);
    check_saved("report.json", "\"started\": null");
    app_end();
}

TEST_MAIN
