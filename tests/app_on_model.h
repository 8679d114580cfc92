/* For tests of the whole program on the model: start it, let it run to its end or until it waits for keys that never
 * come, and look at what it said and did. */
#ifndef TESTS_APP_ON_MODEL_H
#define TESTS_APP_ON_MODEL_H

#include "sim/sim_bench.h"
#include "tests/test.h"

static struct sim_bench machine;
static char flat[1 << 20];
static jmp_buf idle_jump;

static inline void app_idle(void *context)
{
    (void)context;
    longjmp(idle_jump, 1);
}

/* Build the machine; a test may change it before app_go(). */
static inline struct platform *app_prepare(const struct sim_config *config)
{
    struct sim_config c = *config;
    c.platform.on_idle = app_idle;
    c.platform.idle_limit_ms = c.platform.idle_limit_ms == 0 ? 120000 : c.platform.idle_limit_ms;
    sim_bench_init(&machine, &c);
    return &machine.plat.platform;
}

/* The console's text with every line end and run of blanks made one blank, so that wrapped sentences can be found. */
static inline void app_flatten(void)
{
    size_t n = 0;
    for (const char *c = machine.plat.console.at; *c != '\0' && n + 2 < sizeof(flat); c++) {
        bool blank = *c == ' ' || *c == '\n' || *c == '\r' || *c == '\f';
        if (!blank) {
            flat[n++] = *c;
        } else if (n > 0 && flat[n - 1] != ' ') {
            flat[n++] = ' ';
        }
    }
    flat[n] = '\0';
}

enum { APP_IDLE = -1 };

/* Run it. APP_IDLE: it waited for a key for idle_limit_ms. */
static inline int app_go(void)
{
    volatile int result = APP_IDLE;
    if (setjmp(idle_jump) == 0) {
        result = core_main(&machine.plat.platform);
    }
    app_flatten();
    return result;
}

static inline int app_run(const struct sim_config *config)
{
    app_prepare(config);
    return app_go();
}

static inline bool said(const char *words)
{
    return strstr(flat, words) != NULL;
}

static inline void check_said(const char *words)
{
    if (!said(words)) {
        size_t length = strlen(flat);
        printf("  not said: \"%s\"; said: ...%s\n", words,
               flat + (length > 3000 ? length - 3000 : 0));
    }
    CHECK(said(words));
}

/* A line of the event log: this event, with these words behind it. */
static inline bool logged(const char *event, const char *words)
{
    char line[2048];
    for (const char *at = machine.plat.serial.at; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char name[32] = "";
        snprintf(line, sizeof(line), "%.*s", (int)length, at);
        if (sscanf(line, "BT1 %*u %31s", name) == 1 && strcmp(name, event) == 0 &&
            strstr(line, words) != NULL) {
            return true;
        }
        at += length + (at[length] == '\n');
    }
    return false;
}

static inline void check_logged(const char *event, const char *words)
{
    if (!logged(event, words)) {
        printf("  not logged: %s ... %s\n", event, words);
    }
    CHECK(logged(event, words));
}

/* Nothing of any kind was changed on this drive. */
static inline void check_medium_untouched(unsigned drive)
{
    const struct sim_drive *d = &machine.drive[drive];
    CHECK_EQ(sim_drive_count_changes(d), 0);
    CHECK_EQ(d->log.sectors_written, 0);
    CHECK_EQ(d->log.trims, 0);
    CHECK_EQ(d->store.used, 0); /* no sector was ever stored */
}

/* Nothing changed on any drive. */
static inline void check_nothing_written(void)
{
    for (unsigned i = 0; i < machine.drives; i++) {
        check_medium_untouched(i);
    }
}

/* No controller was even taken over. */
static inline void check_nothing_taken(void)
{
    for (size_t i = 0; i < machine.plat.functions; i++) {
        CHECK_EQ(machine.plat.function[i].taken, 0);
    }
}

static inline void check_handed_back(void)
{
    for (size_t i = 0; i < machine.plat.functions; i++) {
        CHECK_EQ(machine.plat.function[i].taken, machine.plat.function[i].given_back);
        CHECK(!machine.plat.function[i].ours);
    }
    CHECK_EQ(machine.plat.buffers_live, 0);
}

/* The saved file with this name holds these words. */
static inline void check_saved(const char *name, const char *words)
{
    const struct sim_file *file = sim_platform_file_ending(&machine.plat, name);
    CHECK(file != NULL);
    if (strstr((const char *)file->data, words) == NULL) {
        printf("  %s has no %s\n", file->path, words);
    }
    CHECK(strstr((const char *)file->data, words) != NULL);
}

static inline void check_nothing_saved(void)
{
    for (size_t i = 0; i < machine.plat.files; i++) {
        CHECK_STR(machine.plat.file[i].path, "baretrim.cfg");
    }
}

/* No line of the console reaches the last column, and no page is longer than `rows` (0: no matter). A page ends at a clear
 * or a pause. */
static inline void check_pages(unsigned columns, unsigned rows)
{
    static const char pause[] = "-- more";
    unsigned column = 0;
    unsigned line = 0;
    const char *start = machine.plat.console.at;
    for (const char *c = start; *c != '\0'; c++) {
        if (strncmp(c, pause, sizeof(pause) - 1) == 0 || *c == '\f') {
            line = 0;
        }
        if (*c == '\n' || *c == '\r') {
            line += *c == '\n';
            column = 0;
            start = c + 1;
            continue;
        }
        column += *c == '\b' ? 0u - 1u : 1u;
        if (column >= columns || (rows != 0 && line >= rows)) {
            printf("  column %u, line %u: %.120s\n", column, line, start);
        }
        CHECK(column < columns);
        CHECK(rows == 0 || line < rows);
    }
}

/* End of a case: no rule was broken, every line fits the screen, and the controller is the firmware's again. */
static inline void app_end(void)
{
    if (sim_bench_violations(&machine)[0] != '\0') {
        printf("  violations:\n%s\n", sim_bench_violations(&machine));
    }
    CHECK_STR(sim_bench_violations(&machine), "");
    check_handed_back();
    check_pages(machine.plat.config.columns, 0);
    sim_bench_free(&machine);
}

#endif
