/* The run: from a named drive and a plan to a report. One state machine: firmware samples, take over, start the
 * port, identify, contact, permit, plan, flush, give back, firmware check, verdict. Whatever happens in between,
 * the controller is given back. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/inventory.h"
#include "bench/plan.h"
#include "bench/report.h"

enum run_event {
    RUN_STARTED,
    RUN_CONTACT_DONE,
    RUN_PASS_STARTED, /* r->pass[r->passes - 1] */
    RUN_PASS_DONE,
    RUN_PROGRESS,     /* inside a pass; at most ten a second */
    RUN_CASE_DONE,    /* r->trim_case[r->cases - 1] */
    RUN_HANDED_BACK,  /* files of a boot medium on the same controller can be written again */
    RUN_FINISHED,
};

/* The observer: gets const events, never influences the run, except that `cancelled` is asked between commands. */
struct run_observer {
    void (*event)(void *context, enum run_event event, const struct run *run);
    bool (*cancelled)(void *context);
    void *context;
};

/* What to run, all of it decided before anything happens. */
struct run_request {
    const struct plan *plan;
    const struct inventory_port *target;
    bool confirmed;            /* the user typed ERASE and this serial number */
    char confirmed_serial[21];
    uint64_t max_write_bytes;  /* 0: the plan's own cost */
    uint32_t settle_s;
    bool unattended;
};

enum { RUN_SAMPLES_MAX = 64 };

struct run {
    struct platform *plat;
    const struct run_request *request;
    const struct run_observer *observer;
    struct report *report;
    struct ahci_hba *hba;
    struct ahci_port *port;
    struct ata_dev dev;
    /* progress */
    uint64_t work_total; /* bytes to move in all */
    uint64_t work_done;
    uint64_t work_started_ns;
    uint64_t progress_ns; /* when the last RUN_PROGRESS went out */
    /* what the firmware read before, and shall read again after */
    unsigned samples;
    struct {
        uint64_t lba;
        uint64_t sum; /* of the sector's bytes */
        bool zero;
    } sample[RUN_SAMPLES_MAX];
    unsigned expects;
    struct {
        uint64_t lba;
        uint64_t sum;
    } expect[RUN_SAMPLES_MAX];
};

/* Run it. Always leaves a complete report and the controller with the firmware. Returns OK when the run
 * went to its end (whatever the verdict), else why not (also in report->failure). */
enum err run_execute(struct run *run, struct platform *plat, struct inventory *inv,
                     const struct run_request *request, struct report *report,
                     const struct run_observer *observer);

/* Bytes per second so far and the time left, 0 when not known yet. */
uint64_t run_eta_ns(const struct run *run);

#endif
