/* baretrim.cfg and the load options: what is accepted, what stops, and with which words. */
#include "ui/config.h"

#include <stdlib.h>

#include "tests/test.h"

static struct config config;
static char why[CONFIG_WHY_MAX];

/* A copy in exactly as many bytes, so that the sanitizer sees a read behind its end. */
static bool parse_bytes(const char *text, size_t bytes)
{
    char *exact = malloc(bytes == 0 ? 1 : bytes);
    memcpy(exact, text, bytes);
    config_init(&config);
    memset(why, 'x', sizeof(why));
    bool good = config_parse_file(&config, exact, bytes, why);
    free(exact);
    return good;
}

/* On failure the sentence must be one a console can show: ended, in one line, 7-bit. */
static void check_sentence(void)
{
    CHECK(memchr(why, '\0', sizeof(why)) != NULL);
    size_t length = strlen(why);
    CHECK(length > 10);
    for (size_t i = 0; i < length; i++) {
        CHECK(why[i] >= 0x20 && why[i] <= 0x7e);
    }
}

static void accepts_file(const char *text)
{
    bool good = parse_bytes(text, strlen(text));
    if (!good) {
        printf("  %s\n", why);
    }
    CHECK(good);
}

/* The text of BYTES bytes is refused with a sentence that holds WORDS. */
static void refuses_bytes(const char *text, size_t bytes, const char *words)
{
    bool good = parse_bytes(text, bytes);
    if (good) {
        printf("  accepted: %s\n", text);
    }
    CHECK(!good);
    check_sentence();
    if (strstr(why, words) == NULL) {
        printf("  not \"%s\" in: %s\n", words, why);
    }
    CHECK(strstr(why, words) != NULL);
}

static void refuses_file(const char *text, const char *words)
{
    refuses_bytes(text, strlen(text), words);
}

/* On top of what `config` holds already. */
static void accepts_options(const char *options)
{
    bool good = config_parse_options(&config, options, why);
    if (!good) {
        printf("  %s: %s\n", options, why);
    }
    CHECK(good);
}

static void refuses_options(const char *options, const char *words)
{
    config_init(&config);
    memset(why, 'x', sizeof(why));
    bool good = config_parse_options(&config, options, why);
    if (good) {
        printf("  accepted: %s\n", options);
    }
    CHECK(!good);
    check_sentence();
    if (strstr(why, words) == NULL) {
        printf("  not \"%s\" in: %s\n", words, why);
    }
    CHECK(strstr(why, words) != NULL);
}

static bool fits(const char *options)
{
    config_init(&config);
    accepts_options(options);
    memset(why, 'x', sizeof(why));
    bool good = config_check(&config, why);
    if (!good) {
        check_sentence();
    }
    return good;
}

static void misfits(const char *options, const char *words)
{
    bool good = fits(options);
    if (good) {
        printf("  fits: %s\n", options);
    }
    CHECK(!good);
    if (strstr(why, words) == NULL) {
        printf("  not \"%s\" in: %s\n", words, why);
    }
    CHECK(strstr(why, words) != NULL);
}

/* --- the file -------------------------------------------------------------------------------------- */

TEST(config_nothing_leaves_the_defaults)
{
    accepts_file("");
    CHECK(config.plan == NULL);
    CHECK_STR(config.target, "");
    CHECK_STR(config.confirmed, "");
    CHECK_EQ(config.max_write_bytes, 0);
    CHECK_EQ(config.settle_s, 1);
    CHECK_EQ(config.log, LOG_SCREEN);
    CHECK_EQ(config.exit, EXIT_CHOICE_MENU);
    CHECK(config_check(&config, why));
}

TEST(config_every_key_is_taken)
{
    accepts_file("plan = proof\ntarget = S1@00:1f.2/3\nconfirm = ERASE,S1\nmax_write_bytes = "
                 "1000000\nsettle = 30\nserial = log\nexit = poweroff\n");
    CHECK(config.plan != NULL);
    CHECK_STR(config.plan->name, "proof");
    CHECK_STR(config.target, "S1@00:1f.2/3");
    CHECK_STR(config.confirmed, "S1");
    CHECK_EQ(config.max_write_bytes, 1000000);
    CHECK_EQ(config.settle_s, 30);
    CHECK_EQ(config.log, LOG_SERIAL);
    CHECK_EQ(config.exit, EXIT_CHOICE_POWEROFF);
    CHECK(config_check(&config, why));
}

TEST(config_every_word_of_each_choice)
{
    accepts_file("serial = screen\nexit = menu\nsettle = auto");
    CHECK_EQ(config.log, LOG_SCREEN);
    CHECK_EQ(config.exit, EXIT_CHOICE_MENU);
    CHECK_EQ(config.settle_s, 1);
    accepts_file("serial = off\nexit = reboot\nsettle = 0\nplan = identify");
    CHECK_EQ(config.log, LOG_OFF);
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    CHECK_EQ(config.settle_s, 0);
    CHECK_STR(config.plan->name, "identify");
    accepts_file("plan = contact\nsettle = 86400");
    CHECK_STR(config.plan->name, "contact");
    CHECK_EQ(config.settle_s, 86400);
}

TEST(config_blanks_tabs_and_line_ends_do_not_matter)
{
    accepts_file("\t plan=identify\r\n\r\n   \t\r\ntarget\t=\tS1  \t\r\nexit = reboot\r");
    CHECK_STR(config.plan->name, "identify");
    CHECK_STR(config.target, "S1");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
}

TEST(config_last_line_without_end_counts)
{
    accepts_file("exit = reboot");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    refuses_file("exit = reboot\nexit = nonsens", "line 2");
}

TEST(config_utf8_mark_is_skipped_and_utf16_stops)
{
    accepts_file("\xef\xbb\xbf"
                 "exit = reboot\r\n");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    accepts_file("\xef\xbb\xbf");
    refuses_file("\xef\xbb", "plain text");
    refuses_file("exit = reboot\n\xef\xbb\xbf", "line 2");
    refuses_bytes("\xff\xfe#\0\n\0", 6, "plain text");
    refuses_bytes("#\0\n\0p\0l\0a\0n\0", 12, "line 2");
}

TEST(config_comments_may_hold_anything)
{
    static const char bytes[] = "# \0 \x1b[2J \xff\xc3\xa4 plan = proof\nexit = reboot";
    char exact[sizeof(bytes) - 1];
    memcpy(exact, bytes, sizeof(exact));
    CHECK(parse_bytes(exact, sizeof(exact)));
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    CHECK(config.plan == NULL);
    accepts_file("   # plan = proof\n\t#\n#plan = proof\n");
    CHECK(config.plan == NULL);
}

TEST(config_a_long_comment_is_no_long_line)
{
    char text[2000];
    memset(text, '-', sizeof(text));
    text[0] = '#';
    memcpy(text + sizeof(text) - 15, "\nexit = reboot ", 15);
    CHECK(parse_bytes(text, sizeof(text)));
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
}

TEST(config_comment_behind_a_value)
{
    accepts_file(
        "plan = identify     # identify, contact, proof\r\ntarget = S1ABC # = it\"s \xc3\xa4\n"
        "exit = reboot\t#\nserial = log # # no\n");
    CHECK_STR(config.plan->name, "identify");
    CHECK_STR(config.target, "S1ABC");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    CHECK_EQ(config.log, LOG_SERIAL);
    refuses_file("exit = # reboot", "exit");
    refuses_file("exit # = reboot", "not key = value");
}

/* A '#' that touches other letters is part of the value: half a serial number must never name a drive. */
TEST(config_number_sign_inside_a_value_is_kept)
{
    accepts_file("target = AB #1");
    CHECK_STR(config.target, "AB #1");
    accepts_file("target = AB# 1");
    CHECK_STR(config.target, "AB# 1");
    accepts_file("target = \"AB # 1\" # the old one");
    CHECK_STR(config.target, "AB # 1");
}

TEST(config_value_may_stand_in_quotes)
{
    accepts_file("target = \"S1 2\"\nplan=\"identify\"\nconfirm = \"ERASE S1 2\"");
    CHECK_STR(config.target, "S1 2");
    CHECK_STR(config.confirmed, "S1 2");
    CHECK_STR(config.plan->name, "identify");
    refuses_file("target = \"S1", "quotes");
    refuses_file("target = S1\"", "quotes");
    refuses_file("target = \"", "quotes");
    refuses_file("confirm = ERASE \"S1\"", "quotes");
    refuses_file("target = \"S1\" \"S2\"", "quotes");
    refuses_file("target = \"\"", "target = \"\" is not");
}

TEST(config_unknown_key_names_line_and_key)
{
    refuses_file("\n# x\nplam = proof\n", "baretrim.cfg line 3: unknown key \"plam\"");
    refuses_file("Plan = proof", "\"Plan\"");
    refuses_file("pla = proof", "\"pla\"");
    refuses_file("plan2 = proof", "\"plan2\"");
    refuses_file(" = proof", "unknown key \"\"");
    refuses_file("target.serial = S1", "unknown key");
}

/* Words that are harmless in load options are no keys of the file. */
TEST(config_loader_words_are_unknown_in_the_file)
{
    refuses_file("BOOT_IMAGE=x", "unknown key");
    refuses_file("initrd = x", "unknown key");
    refuses_file("auto", "not key = value");
    refuses_file("BOOTX64.EFI", "not key = value");
}

TEST(config_key_twice_stops_and_the_first_stands)
{
    refuses_file("target = S1\nplan = identify\ntarget = S1\n", "line 3: target is given twice");
    refuses_file("exit = reboot\nexit = poweroff\n", "twice");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    refuses_file("exit = menu\nexit = menu", "twice");
}

TEST(config_missing_equals_sign)
{
    refuses_file("exit reboot", "line 1: \"exit reboot\" is not key = value");
    refuses_file("exit: reboot", "not key = value");
    refuses_file("plan", "not key = value");
}

TEST(config_empty_value)
{
    static const char *const names[] = { "plan",   "target", "confirm", "max_write_bytes",
                                         "settle", "serial", "exit" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char text[64];
        snprintf(text, sizeof(text), "%s =", names[i]);
        refuses_file(text, names[i]);
        snprintf(text, sizeof(text), "%s = \t \r\n", names[i]);
        refuses_file(text, "= \"\" is not");
    }
}

TEST(config_bad_value_is_shown_with_what_is_wanted)
{
    refuses_file("plan = prof", "plan = \"prof\" is not the name of a plan (identify, contact, ");
    refuses_file("plan = Proof", "plan");
    refuses_file("plan = proof contact", "plan");
    refuses_file("plan = proofproofproofproofproofproof", "plan");
    refuses_file("exit = shutdown", "menu, reboot or poweroff");
    refuses_file("serial = 115200", "screen, log or off");
    refuses_file("settle = soon", "auto, or seconds");
    refuses_file("settle = 86401", "86400");
    refuses_file("settle = -1", "settle");
    refuses_file("settle = 4294967297", "settle"); /* 1 + 2^32 */
    refuses_file("exit = reboot = now", "exit");
    CHECK_EQ(config.exit, EXIT_CHOICE_MENU);
    CHECK_EQ(config.settle_s, 1);
}

TEST(config_every_plan_there_is_can_be_named_and_the_message_lists_it)
{
    size_t count = 0;
    const struct plan *plan = plan_table(&count);
    refuses_file("plan = x", "plan");
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        CHECK(strstr(why, plan[i].name) != NULL);
        snprintf(text, sizeof(text), "plan=%s", plan[i].name);
        config_init(&config);
        accepts_options(text);
        CHECK(config.plan == &plan[i]);
    }
}

TEST(config_max_write_bytes_is_a_number_above_0)
{
    accepts_file("max_write_bytes = 18446744073709551615");
    CHECK_EQ(config.max_write_bytes, UINT64_MAX);
    accepts_file("max_write_bytes = 1");
    CHECK_EQ(config.max_write_bytes, 1);
    refuses_file("max_write_bytes = 0", "above 0");
    refuses_file("max_write_bytes = 000", "above 0");
    refuses_file("max_write_bytes = 18446744073709551616", "number of bytes");
    refuses_file("max_write_bytes = 99999999999999999999999999999999999999999999", "number");
    refuses_file("max_write_bytes = -1", "number");
    refuses_file("max_write_bytes = +1", "number");
    refuses_file("max_write_bytes = 0x10", "number");
    refuses_file("max_write_bytes = 1e9", "number");
    refuses_file("max_write_bytes = 256M", "number");
    refuses_file("max_write_bytes = 1 000", "number");
    CHECK_EQ(config.max_write_bytes, 0);
}

TEST(config_bytes_that_are_no_text_stop)
{
    static const char nul[] = "plan = proof\0\ntarget = S1\n";
    refuses_bytes(nul, sizeof(nul) - 1, "line 1: NUL or other bytes");
    refuses_bytes("\0", 1, "NUL");
    refuses_bytes("\nexit\0= reboot", 14, "line 2");
    refuses_file("target = S1\x1b[2J", "plain text");
    refuses_file("target = S1\x7f", "plain text");
    refuses_file("target = \xc3\xa4", "plain text");
    refuses_file("exit = reboot\rserial = log\r", "plain text"); /* line ends of old Macs */
    refuses_file("target = A\tB", "target");
    refuses_file("unknown\tkey = 1", "unknown");
}

TEST(config_line_too_long)
{
    char text[400];
    memset(text, ' ', sizeof(text));
    memcpy(text, "exit = reboot", 13);
    CHECK(parse_bytes(text, sizeof(text))); /* blanks at the end are not the line */
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    memset(text, 'a', sizeof(text));
    memcpy(text, "target = ", 9);
    refuses_bytes(text, 257, "line 1: longer than 256");
    refuses_bytes(text, 256, "target = \"aaaa"); /* no line too long, but no serial number either */
    refuses_bytes(text, sizeof(text), "longer");
}

TEST(config_a_megabyte_of_anything_stops_at_its_first_line)
{
    size_t bytes = 1 << 20;
    char *text = malloc(bytes);
    memset(text, 'a', bytes);
    refuses_bytes(text, bytes, "line 1: longer");
    memset(text, 0, bytes);
    refuses_bytes(text, bytes, "line 1");
    memset(text, '\n', bytes);
    text[bytes - 1] = '!';
    refuses_bytes(text, bytes, "line 1048576");
    free(text);
}

TEST(config_target_of_any_sensible_length_fits_and_more_stops)
{
    accepts_file("target = ABCDEFGHIJKLMNOPQRST@ffff:ff:1f.7/31");
    CHECK_STR(config.target, "ABCDEFGHIJKLMNOPQRST@ffff:ff:1f.7/31");
    accepts_file("target = 123456789012345678901234567890123456789012345678901234567890123");
    CHECK_EQ(strlen(config.target), 63);
    refuses_file("target = 1234567890123456789012345678901234567890123456789012345678901234",
                 "target");
    CHECK_STR(config.target, "");
}

/* --- confirm ---------------------------------------------------------------------------------------- */

TEST(config_confirm_forms)
{
    static const char *const good[] = { "ERASE S1 2",   "ERASE,S1 2",  "ERASE, S1 2",
                                        "ERASE   S1 2", "ERASE\tS1 2", "\"ERASE,S1 2\"" };
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        char text[64];
        snprintf(text, sizeof(text), "confirm = %s", good[i]);
        accepts_file(text);
        CHECK_STR(config.confirmed, "S1 2");
    }
    accepts_file("confirm = ERASE ABCDEFGHIJKLMNOPQRST");
    CHECK_STR(config.confirmed, "ABCDEFGHIJKLMNOPQRST");
}

TEST(config_confirm_without_the_word_or_the_serial)
{
    static const char *const bad[] = { "S1",
                                       "ERASE",
                                       "ERASE,",
                                       "erase S1",
                                       "Erase S1",
                                       "ERASES1",
                                       "ERASE=S1",
                                       "ERASE:S1",
                                       "S1 ERASE",
                                       "yes",
                                       "ERAS E S1",
                                       "\"ERASE \"",
                                       "ERASE ABCDEFGHIJKLMNOPQRSTU" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char text[64];
        snprintf(text, sizeof(text), "confirm = %s", bad[i]);
        refuses_file(text, "the word ERASE");
        CHECK_STR(config.confirmed, "");
    }
}

/* --- load options ------------------------------------------------------------------------------------ */

TEST(config_options_same_keys_as_the_file)
{
    config_init(&config);
    accepts_options("plan=proof target=S1 confirm=ERASE,S1 max_write_bytes=5 settle=2 serial=log "
                    "exit=reboot");
    CHECK_STR(config.plan->name, "proof");
    CHECK_STR(config.target, "S1");
    CHECK_STR(config.confirmed, "S1");
    CHECK_EQ(config.max_write_bytes, 5);
    CHECK_EQ(config.settle_s, 2);
    CHECK_EQ(config.log, LOG_SERIAL);
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
}

TEST(config_options_empty_or_blank)
{
    config_init(&config);
    accepts_options("");
    accepts_options("  \t \r\n ");
    CHECK(config.plan == NULL);
}

TEST(config_options_override_the_file_key_by_key)
{
    accepts_file("plan = proof\ntarget = S1\nconfirm = ERASE S1\nexit = reboot\nserial = off\n");
    accepts_options("target=S2 exit=poweroff");
    CHECK_STR(config.plan->name, "proof");
    CHECK_STR(config.target, "S2");
    CHECK_STR(config.confirmed, "S1");
    CHECK_EQ(config.exit, EXIT_CHOICE_POWEROFF);
    CHECK_EQ(config.log, LOG_OFF);
    CHECK(!config_check(&config, why)); /* another drive than the confirmed one */
    accepts_options("plan=identify");
    CHECK(config_check(&config, why));
}

TEST(config_options_key_twice)
{
    refuses_options("exit=reboot exit=poweroff", "load options: exit is given twice");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
}

TEST(config_options_quotes)
{
    config_init(&config);
    accepts_options("plan=proof target=\"S1 2\" confirm=\"ERASE S1 2\" exit=\"reboot\"");
    CHECK_STR(config.target, "S1 2");
    CHECK_STR(config.confirmed, "S1 2");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    refuses_options("target=\"S1 exit=reboot", "quotes");
    refuses_options("target=S\"1 2\"", "quotes");
    refuses_options("target=\"\"", "is not");
    refuses_options("confirm=ERASE S1", "ERASE"); /* without quotes these are two words */
}

TEST(config_options_words_of_loaders_are_passed_over)
{
    static const char *const lines[] = {
        "BOOTX64.EFI",
        "\\EFI\\BOOT\\BOOTX64.EFI exit=reboot",
        "\"FS0:\\my tools\\baretrim.efi\" exit=reboot",
        "BOOT_IMAGE=/baretrim.bios exit=reboot initrd=x.img",
        "baretrim BOOT_IMAGE=/baretrim exit=reboot BOOTIF=01-52-54-00-12-34-56 auto",
        "auto BOOT_IMAGE=x ip=10.0.0.2:10.0.0.1:10.0.0.1:255.255.255.0 exit=reboot",
        "exit=reboot ip=dhcp ip=dhcp",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        config_init(&config);
        accepts_options(lines[i]);
        CHECK_EQ(config.exit, i == 0 ? EXIT_CHOICE_MENU : EXIT_CHOICE_REBOOT);
        CHECK(config.plan == NULL);
    }
}

TEST(config_options_every_other_word_stops)
{
    refuses_options("BOOTX64.EFI quiet", "load options: \"quiet\" is not key=value");
    refuses_options("exit=reboot proof", "\"proof\"");
    refuses_options("plan proof", "\"proof\"");
    refuses_options("x plan = proof", "\"plan\"");
    refuses_options("console=ttyS0", "unknown key \"console\"");
    refuses_options("initr=x", "unknown key");
    refuses_options("initrd2=x", "unknown key");
    refuses_options("boot_image=x", "unknown key");
    refuses_options("root=/dev/sda1", "unknown key");
    refuses_options("=proof", "unknown key \"\"");
    refuses_options("--plan=proof", "unknown key");
    refuses_options("\"plan=proof\"", "unknown key");
}

TEST(config_options_bad_values)
{
    refuses_options("plan=", "plan = \"\" is not");
    refuses_options("max_write_bytes=0", "above 0");
    refuses_options("confirm=S1", "ERASE");
    refuses_options("exit=reboot,now", "exit");
    refuses_options("x target=S\x1b[2J", "plain text");
    refuses_options("x target=S?\x80", "plain text");
    refuses_options("x unknown\x01=1", "plain text");
}

TEST(config_options_have_no_comments)
{
    refuses_options("exit=reboot # plan", "\"#\"");
    config_init(&config);
    accepts_options("target=#1");
    CHECK_STR(config.target, "#1");
}

/* --- a fault does not hide `exit` and `serial`, wherever they stand ------------------------------------------ */

TEST(config_exit_and_serial_are_read_around_a_fault)
{
    refuses_file("exit = poweroff\nserial = log\nplam = proof\nexit = reboot\n", "plam");
    CHECK_EQ(config.exit, EXIT_CHOICE_POWEROFF);
    CHECK_EQ(config.log, LOG_SERIAL);
    refuses_file("plam = proof\nexit = poweroff\nserial = log\nplum = 1\n",
                 "line 1: unknown key \"plam\"");
    CHECK_EQ(config.exit, EXIT_CHOICE_POWEROFF);
    CHECK_EQ(config.log, LOG_SERIAL);
    refuses_options("plam=1 exit=reboot serial=log plum=2", "plam");
    CHECK_EQ(config.exit, EXIT_CHOICE_REBOOT);
    CHECK_EQ(config.log, LOG_SERIAL);
}

TEST(config_a_bad_value_does_not_replace_the_files)
{
    accepts_file("exit = poweroff\nserial = log\ntarget = S1\nplan = identify\nsettle = 7");
    CHECK(!config_parse_options(&config, "exit=nonsense", why));
    CHECK_EQ(config.exit, EXIT_CHOICE_POWEROFF);
    CHECK(!config_parse_options(&config, "serial=nonsense", why));
    CHECK_EQ(config.log, LOG_SERIAL);
    CHECK(!config_parse_options(&config, "plan=nonsense", why));
    CHECK_STR(config.plan->name, "identify");
    CHECK(!config_parse_options(&config, "settle=nonsense", why));
    CHECK_EQ(config.settle_s, 7);
    CHECK(!config_parse_options(&config, "target=", why));
    CHECK_STR(config.target, "S1");
}

TEST(config_a_long_fault_still_makes_a_sentence)
{
    char text[300];
    memset(text, 'k', 250);
    memcpy(text + 250, "=v", 3);
    refuses_file(text, "unknown key \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\"");
    refuses_options(text, "unknown key");
    memset(text, 'v', 250);
    memcpy(text, "plan=", 5);
    text[250] = '\0';
    refuses_file(text, "is not the name of a plan (identify, contact, proof)");
}

/* --- does it fit together ---------------------------------------------------------------------------------- */

TEST(config_check_plan_that_writes_needs_target_and_confirm)
{
    misfits("plan=proof", "needs a target");
    misfits("plan=proof confirm=ERASE,S1", "needs a target");
    misfits("plan=proof target=S1", "needs confirm = ERASE,S1 to start");
    CHECK(fits("plan=proof target=S1 confirm=ERASE,S1"));
}

TEST(config_check_confirm_must_name_the_target)
{
    misfits("plan=proof target=S1 confirm=ERASE,S2", "confirm names S2, target names S1");
    misfits("plan=proof target=S1 confirm=ERASE,s1", "the same");
    misfits("plan=proof target=S12 confirm=ERASE,S1", "the same");
    misfits("plan=proof target=S1 confirm=ERASE,S12", "the same");
    misfits("plan=proof target=S1 confirm=\"ERASE S1 S1\"", "the same");
    misfits("plan=proof target=S1 confirm=ERASE,S", "the same");
}

TEST(config_check_place_behind_the_serial)
{
    CHECK(fits("plan=proof target=S1@00:1f.2/3 confirm=ERASE,S1"));
    misfits("plan=proof target=S1@00:1f.2/3 confirm=ERASE,S2", "target names S1:");
    misfits("plan=proof target=S1@00:1f.2/3", "confirm = ERASE,S1 to start");
    misfits("plan=proof target=@00:1f.2/3 confirm=ERASE,S1", "the same");
    misfits("plan=proof target=S1@00:1f.2/3 confirm=ERASE,S1@", "the same");
}

TEST(config_check_serial_number_with_an_at_sign)
{
    CHECK(fits("plan=proof target=AB@CD@00:1f.2/3 confirm=ERASE,AB@CD"));
    CHECK(fits("plan=proof target=AB@CD confirm=ERASE,AB@CD"));
    misfits("plan=proof target=AB@CD@00:1f.2/3 confirm=ERASE,AB", "target names AB@CD:");
}

TEST(config_check_plans_that_read_need_only_a_target)
{
    CHECK(fits("plan=identify target=S1"));
    CHECK(fits("plan=contact target=S1"));
    CHECK(fits("plan=identify target=S1 confirm=ERASE,S2"));
    misfits("plan=identify", "needs a target");
    misfits("plan=contact", "needs a target");
}

TEST(config_check_without_plan)
{
    CHECK(fits(""));
    CHECK(fits("target=S1 exit=reboot serial=log settle=5 max_write_bytes=7"));
    misfits("target=S1 confirm=ERASE,S1", "no plan");
}

/* --- what the documents show --------------------------------------------------------------------------------- */

static char document[16 << 10];

static size_t read_document(const char *name)
{
    FILE *f = fopen(name, "rb");
    CHECK(f != NULL);
    size_t n = fread(document, 1, sizeof(document) - 1, f);
    fclose(f);
    document[n] = '\0';
    CHECK(n < sizeof(document) - 1);
    return n;
}

/* Runs from the top of the tree. The file shipped on the stick starts nothing. */
TEST(config_shipped_file_is_good_and_starts_nothing)
{
    size_t n = read_document("image/baretrim.cfg");
    CHECK(parse_bytes(document, n));
    CHECK(config.plan == NULL);
    CHECK_STR(config.target, "");
    CHECK_STR(config.confirmed, "");
}

/* With the '#' taken away from its settings it is still good (of the two targets the second). */
TEST(config_shipped_file_with_its_settings_switched_on)
{
    char text[sizeof(document)] = "";
    size_t settings = 0;
    bool target_seen = false;
    read_document("image/baretrim.cfg");
    for (const char *line = strtok(document, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        bool setting = line[0] == '#' && line[1] >= 'a' && line[1] <= 'z';
        bool target = strncmp(line, "#target", 7) == 0;
        if (setting && !(target && target_seen)) {
            strcat(text, line + 1);
            strcat(text, "\n");
            settings++;
        }
        target_seen |= target;
    }
    accepts_file(text);
    CHECK_EQ(settings, 7);
    CHECK_STR(config.plan->name, "proof");
    CHECK(config_check(&config, why));
}

TEST(config_example_in_the_readme_is_good)
{
    read_document("README.md");
    const char *from = strstr(document, "    plan = ");
    CHECK(from != NULL);
    const char *to = strstr(from, "\n\n");
    CHECK(to != NULL);
    bool good = parse_bytes(from, (size_t)(to - from));
    if (!good) {
        printf("  %s\n", why);
    }
    CHECK(good);
    CHECK_STR(config.plan->name, "proof");
    CHECK(config_check(&config, why));
}

TEST_MAIN
