/* For tests that drive the model: one machine, one run. */
#ifndef TESTS_ON_MODEL_H
#define TESTS_ON_MODEL_H

#include "bench/run.h"
#include "sim/sim_bench.h"
#include "tests/test.h"

static struct sim_bench machine;
static struct inventory inventory;
static struct run run;
static struct report report;

static bool machine_runs;

static inline void machine_stop(void);

/* Starting a second machine in a case ends the first. */
static inline struct platform *machine_start(const struct sim_config *config)
{
    if (machine_runs) {
        machine_stop();
    }
    machine_runs = true;
    sim_bench_init(&machine, config);
    inventory_scan(&inventory, &machine.plat.platform);
    return &machine.plat.platform;
}

/* End of a case: the driver broke no rule of the specifications. */
static inline void machine_stop(void)
{
    if (sim_bench_violations(&machine)[0] != '\0') {
        printf("  violations:\n%s\n", sim_bench_violations(&machine));
    }
    machine_runs = false;
    CHECK_STR(sim_bench_violations(&machine), "");
    sim_bench_free(&machine);
}

/* Run a plan on the drive with this serial number, confirmed. */
static inline enum err machine_run(const char *plan, const char *serial)
{
    const struct inventory_port *target = NULL;
    char why[200];
    enum err err = inventory_find(&inventory, serial, &target, why, sizeof(why));
    if (err != OK) {
        printf("  %s\n", why);
    }
    CHECK_EQ(err, OK);
    struct run_request request = { .plan = plan_find(plan), .target = target, .settle_s = 1 };
    strcpy(request.confirmed_serial, serial);
    err = run_execute(&run, &machine.plat.platform, &inventory, &request, &report, NULL);
    if (report.failure[0] != '\0') {
        printf("  failure: %s\n", report.failure);
    }
    for (unsigned i = 0; i < report.findings; i++) {
        printf("  finding %s: %s\n", report.finding[i].code, report.finding[i].text);
    }
    return err;
}

static inline bool has_finding(const char *code)
{
    for (unsigned i = 0; i < report.findings; i++) {
        if (strcmp(report.finding[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

#endif
