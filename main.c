/* The table of contents: start, configuration, inventory, then either one unattended run or the menu. */
#include "bench/run.h"
#include "ui/config.h"
#include "ui/console.h"
#include "ui/log.h"
#include "ui/save.h"
#include "ui/screens.h"

#include "lib/version.h"

#define DRAW_EVERY_NS (500 * NS_PER_MS)

/* All state of the program hangs from here. */
static struct app {
    struct platform *plat;
    struct config config;
    struct console con;
    struct event_log log;
    struct inventory inventory;
    struct run run;
    struct report report;
    struct save save;
    uint64_t drawn_ns;
    bool stop_asked;
    bool has_result;
    char config_text[CONFIG_FILE_MAX];
    char why[CONFIG_WHY_MAX];
} app;

/* --- observing a run ------------------------------------------------------------------------------- */

static void save_now(struct app *a)
{
    enum err err = save_report(&a->save, &a->report);
    log_begin(&a->log, err == OK ? "saved" : "save_failed");
    log_str(&a->log, "path", a->save.folder);
    log_str(&a->log, "reason", err_name(err));
    log_end(&a->log);
}

/* While the controller that also carries the boot medium is ours, its files are out of reach. */
static bool may_save(const struct app *a, enum run_event event)
{
    switch (event) {
    case RUN_PASS_DONE:
    case RUN_CONTACT_DONE:
        return !a->report.boot_medium_on_controller;
    case RUN_FINISHED:
        return true;
    default:
        return false;
    }
}

static void observe(void *context, enum run_event event, const struct run *run)
{
    struct app *a = context;
    char line[80];
    if (event == RUN_STARTED) {
        save_begin(&a->save, a->plat, &a->report);
    }
    log_run(&a->log, event, run);
    if (may_save(a, event) && (event == RUN_FINISHED || a->save.err == OK)) {
        save_now(a);
    }
    uint64_t now = a->plat->clock_ns(a->plat);
    if ((event == RUN_PROGRESS && now - a->drawn_ns >= DRAW_EVERY_NS) ||
        event == RUN_PASS_STARTED) {
        a->drawn_ns = now;
        screen_progress_text(run, line, sizeof(line));
        console_over(&a->con, line);
    }
    if (event == RUN_FINISHED) {
        console_over(&a->con, "");
    }
}

static bool stop_asked(void *context)
{
    struct app *a = context;
    int key = a->plat->info.has_keyboard ? console_peek(&a->con) : KEY_NONE;
    a->stop_asked |= key == 'q' || key == KEY_ESC;
    return a->stop_asked;
}

static void execute(struct app *a, const struct run_request *request)
{
    const struct run_observer observer = { .event = observe,
                                           .cancelled = stop_asked,
                                           .context = a };
    a->stop_asked = false;
    a->drawn_ns = 0;
    console_say(&a->con, STYLE_STRONG, "Running %s ...\n", request->plan->name);
    (void)run_execute(&a->run, a->plat, &a->inventory, request, &a->report, &observer);
    a->has_result = true;
    console_page(&a->con, "result");
    screen_result(&a->con, &a->report, a->save.sentence, a->save.err == OK);
}

/* --- configuration ------------------------------------------------------------------------------------ */

/* What is wrong with the file beside the program, into a->why; true: nothing. */
static bool read_config_file(struct app *a)
{
    size_t bytes = 0;
    enum err err = a->plat->file_read(a->plat, CONFIG_FILE_NAME, a->config_text,
                                      sizeof(a->config_text), &bytes);
    if (err == ERR_NO_SPACE) {
        text_print(a->why, sizeof(a->why), CONFIG_FILE_NAME ": longer than %u bytes",
                   (unsigned)CONFIG_FILE_MAX);
        return false;
    }
    if (err == ERR_IO) {
        text_print(a->why, sizeof(a->why), CONFIG_FILE_NAME " could not be read");
        return false;
    }
    return err != OK || config_parse_file(&a->config, a->config_text, bytes, a->why);
}

/* Both are read to their end, whatever is wrong with the first: `exit` may stand in the second. */
static bool read_config(struct app *a)
{
    char second[CONFIG_WHY_MAX] = "";
    config_init(&a->config);
    bool good = read_config_file(a);
    if (a->plat->cmdline_cut) {
        text_print(good ? a->why : second, CONFIG_WHY_MAX,
                   "load options: longer than %u characters", (unsigned)PLATFORM_CMDLINE_MAX - 1);
        return false;
    }
    good = config_parse_options(&a->config, a->plat->cmdline, good ? a->why : second) && good;
    return good && config_check(&a->config, a->why);
}

static void open_log(struct app *a)
{
    char why[120];
    log_init(&a->log, a->plat, false);
    if (a->config.log != LOG_SERIAL) {
        return;
    }
    enum err err = a->plat->serial_open(a->plat, why, sizeof(why));
    if (err != OK) {
        console_say(&a->con, STYLE_WARN, "No event log: %s\n", why);
        return;
    }
    log_init(&a->log, a->plat, true);
    log_start(&a->log);
}

/* Hold the result until somebody has read it; `others` says what any other key does. */
static void hold_result(struct app *a, const char *others)
{
    for (;;) {
        console_say(&a->con, STYLE_STRONG, "  %s%s\n",
                    a->save.tried ? "w save the report again   " : "", others);
        if (console_key(&a->con) != 'w' || !a->save.tried) {
            return;
        }
        save_now(a);
        console_wrap(&a->con, a->save.err == OK ? STYLE_GOOD : STYLE_WARN, 2, a->save.sentence);
    }
}

/* --- unattended --------------------------------------------------------------------------------------- */

static void refuse(struct app *a, const char *event, const char *why)
{
    log_sentence(&a->log, event, why);
    console_say(&a->con, STYLE_BAD, "REFUSED:\n");
    console_wrap(&a->con, STYLE_BAD, 2, why);
    console_say(&a->con, STYLE_NORMAL, "Nothing was written to any drive.\n");
}

static void run_unattended(struct app *a)
{
    const struct inventory_port *target = NULL;
    struct run_request request = { .plan = a->config.plan,
                                   .max_write_bytes = a->config.max_write_bytes,
                                   .settle_s = a->config.settle_s,
                                   .unattended = true };
    if (inventory_find(&a->inventory, a->config.target, &target, a->why, sizeof(a->why)) != OK) {
        refuse(a, "refused", a->why);
        return;
    }
    request.target = target;
    memcpy(request.confirmed_serial, a->config.confirmed, sizeof(request.confirmed_serial));
    execute(a, &request);
    if (a->report.step == STEP_FAILED && a->report.passes == 0) {
        refuse(a, "refused", a->report.failure); /* the plan never began */
    }
}

/* --- menu --------------------------------------------------------------------------------------------- */

static void scan(struct app *a)
{
    inventory_scan(&a->inventory, a->plat);
    log_inventory(&a->log, &a->inventory);
}

/* The default is "back": anything but the whole serial number and Enter leaves the drive alone. */
static bool confirm(struct app *a, const struct inventory_port *port, const struct plan *plan)
{
    char typed[24];
    const struct ahci_hba *hba = &a->inventory.controller[port->controller];
    bool near_boot = a->plat->boot_controller(a->plat, &hba->pci) != BOOT_MEDIUM_NO;
    console_page(&a->con, "confirm");
    screen_warning(&a->con, &a->inventory, port, plan, near_boot);
    console_say(&a->con, STYLE_STRONG,
                "  Type the drive's serial number and Enter to ERASE, Esc to go back:\n  > ");
    if (!console_line(&a->con, typed, sizeof(typed)) || typed[0] == '\0') {
        return false;
    }
    if (strcmp(typed, port->id.serial) != 0) {
        console_say(&a->con, STYLE_WARN,
                    "  That is not this drive's serial number; nothing was done. Press a key.\n");
        (void)console_key(&a->con);
        return false;
    }
    return true;
}

static void start_plan(struct app *a, const struct inventory_port *port, const struct plan *plan)
{
    struct run_request request = { .plan = plan,
                                   .target = port,
                                   .max_write_bytes = a->config.max_write_bytes,
                                   .settle_s = a->config.settle_s };
    if (plan->effects != 0) {
        if (!confirm(a, port, plan)) {
            return;
        }
        memcpy(request.confirmed_serial, port->id.serial, sizeof(request.confirmed_serial));
    }
    execute(a, &request);
    hold_result(a, "any other key: back");
    scan(a);
}

static void show_drive(struct app *a, const struct inventory_port *port)
{
    size_t count = 0;
    const struct plan *plan = plan_table(&count);
    console_page(&a->con, "drive");
    screen_drive(&a->con, &a->inventory, port);
    if (port->status == PORT_DRIVE) {
        screen_plans(&a->con, port);
    }
    console_say(&a->con, STYLE_STRONG, "  %sAny other key: back\n",
                port->status == PORT_DRIVE ? "Letter: start that plan   " : "");
    int key = console_key(&a->con);
    for (size_t i = 0; i < count && port->status == PORT_DRIVE; i++) {
        if (plan[i].key == key) {
            start_plan(a, port, &plan[i]);
            return;
        }
    }
}

static void show_help(struct app *a)
{
    console_page(&a->con, "help");
    console_wrap(
        &a->con, STYLE_NORMAL, 2,
        "BareTrim shows whether TRIM works on a SATA drive behind this controller. Choose a "
        "drive by its number; its page says what it is and what can be done. Plans that destroy "
        "data ask for the drive's serial number first. Nothing starts by itself.");
    console_wrap(
        &a->con, STYLE_NORMAL, 2,
        "The medium this program was started from is never a target. The report is saved on it "
        "in the folder BARETRIM.");
    console_say(&a->con, STYLE_STRONG, "  Press a key.\n");
    (void)console_key(&a->con);
}

/* Returns false when the user chose to leave, with the way in *kind. */
static bool ask_leave(struct app *a, enum exit_kind *kind)
{
    console_say(&a->con, STYLE_STRONG,
                "  Leave: x back to the firmware   b reboot   o power off   any other key: stay\n");
    switch (console_key(&a->con)) {
    case 'x':
        *kind = EXIT_RETURN;
        return false;
    case 'b':
        *kind = EXIT_REBOOT;
        return false;
    case 'o':
        *kind = EXIT_POWEROFF;
        return false;
    default:
        return true;
    }
}

/* The drive a key chooses: a digit, or 'n' and a number where there are more than nine. NULL: none. */
static const struct inventory_port *choose(struct app *a, int key)
{
    char typed[8];
    uint64_t number = 0;
    if (key >= '1' && key <= '9') {
        return screen_choice(&a->inventory, (unsigned)(key - '0'));
    }
    if (key != 'n') {
        return NULL;
    }
    console_say(&a->con, STYLE_STRONG, "  Number and Enter: ");
    if (!console_line(&a->con, typed, sizeof(typed)) ||
        !text_parse_u64(typed, strlen(typed), &number) || number > INVENTORY_PORTS_MAX) {
        return NULL;
    }
    return screen_choice(&a->inventory, (unsigned)number);
}

static enum exit_kind menu(struct app *a)
{
    enum exit_kind kind = EXIT_RETURN;
    for (bool stay = true; stay;) {
        console_page(&a->con, "drives");
        screen_inventory(&a->con, &a->inventory);
        console_say(&a->con, STYLE_STRONG,
                    "  1-9 choose a drive   n by number   r rescan   h help   q leave\n");
        int key = console_key(&a->con);
        const struct inventory_port *chosen = choose(a, key);
        if (chosen != NULL) {
            show_drive(a, chosen);
        } else if (key == 'r') {
            scan(a);
        } else if (key == 'h') {
            show_help(a);
        } else if (key == 'q') {
            stay = ask_leave(a, &kind);
        }
    }
    return kind;
}

/* --- start -------------------------------------------------------------------------------------------- */

static enum exit_kind leave_as_configured(struct app *a)
{
    switch (a->config.exit) {
    case EXIT_CHOICE_REBOOT:
        return EXIT_REBOOT;
    case EXIT_CHOICE_POWEROFF:
        return EXIT_POWEROFF;
    case EXIT_CHOICE_MENU:
        break;
    }
    /* The result stays until somebody has read it. */
    hold_result(a, "Press a key for the menu.");
    a->con.attended = true;
    return menu(a);
}

static int result(const struct app *a)
{
    bool good = a->report.verdict.overall == OVERALL_PASS ||
                (a->report.verdict.overall == OVERALL_NONE && a->report.step == STEP_DONE);
    return a->has_result && !good ? 1 : 0;
}

int core_main(struct platform *p)
{
    struct app *a = &app;
    memset(a, 0, sizeof(*a));
    a->plat = p;
    console_init(&a->con, p, false);
    console_say(&a->con, STYLE_STRONG, "BareTrim %s (%s) on %s\n", version_text, version_build,
                p->info.name);
    console_say(&a->con, STYLE_STRONG, "It tests TRIM and DESTROYS DATA on the drive you name.\n");
    bool good = read_config(a);
    bool unattended = !good || a->config.plan != NULL;
    console_init(&a->con, p, !unattended && p->info.has_keyboard);
    open_log(a);
    if (!p->info.clock_usable) {
        console_say(&a->con, STYLE_WARN,
                    "The machine's clocks disagree; times are not to be trusted.\n");
    }
    enum exit_kind kind;
    if (!good) {
        refuse(a, "config_error", a->why);
        a->report.step = STEP_FAILED;
        a->has_result = true;
        scan(a);
        kind = leave_as_configured(a);
    } else if (unattended) {
        scan(a);
        screen_inventory(&a->con, &a->inventory);
        a->report.step = STEP_FAILED;
        a->has_result = true;
        run_unattended(a);
        kind = leave_as_configured(a);
    } else {
        scan(a);
        kind = menu(a);
    }
    log_begin(&a->log, "exit");
    log_u64(&a->log, "result", (uint64_t)result(a));
    log_end(&a->log);
    p->leave(p, kind);
    return result(a);
}
