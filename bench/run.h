/* The run: from a named drive and a plan to a report. One straight way: check the request, firmware samples, take
 * over, start the port, identify, contact, permit, the plan's own passes, give back, firmware check, verdict. Whatever happens in between,
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
    RUN_PROGRESS,    /* inside a pass; at most ten a second */
    RUN_CASES_DONE,  /* every row of r->trim_case */
    RUN_HANDED_BACK, /* files of a boot medium on the same controller can be written again */
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
    char confirmed_serial[21]; /* as the user typed or configured it; empty: not confirmed */
    uint64_t max_write_bytes;  /* 0: the plan's own cost */
    uint32_t settle_s;
    bool unattended;
};

enum {
    RUN_SAMPLES_MAX = 64,    /* sectors compared with the firmware, before and after */
    RUN_SAMPLE_STRETCH = 32, /* they are read in stretches of this many */
    PROOF_PLACES_MAX = 4,
    PROOF_PLACE_BYTES = 5 << 20,
    PROOF_PLACE_SECTORS_MAX = PROOF_PLACE_BYTES / 512,
};

/* A place in the LBA space that the proof works on. */
struct proof_spot {
    const char *name;
    uint64_t lba;
    uint32_t sectors;
};

/* What the proof keeps of every sector of a place between the two readings. */
struct proof_place {
    struct proof_spot at;
    uint8_t kind_first[PROOF_PLACE_SECTORS_MAX]; /* enum sector_kind, at the first reading */
    uint8_t kind[PROOF_PLACE_SECTORS_MAX];       /* ... and at the last */
    uint8_t role[PROOF_PLACE_SECTORS_MAX];       /* 0 guard, else 1 + index of its trim case */
    uint64_t sum_first[PROOF_PLACE_SECTORS_MAX]; /* sum64 of the sector, likewise */
    uint64_t sum[PROOF_PLACE_SECTORS_MAX];
    bool seen_first[PROOF_PLACE_SECTORS_MAX]; /* arrived at the first reading after TRIM */
    bool unread[PROOF_PLACE_SECTORS_MAX];     /* ... not at the last */
    bool damage_found; /* a guard was not its stamp at the last reading; the first one: */
    uint64_t damage_lba;
    uint8_t damage_bytes[16];
};

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
    /* what the firmware read before we took over, and what it shall read again after */
    unsigned samples;
    struct run_sample {
        uint64_t lba;
        uint64_t digest;
        bool zeros;
    } sample[RUN_SAMPLES_MAX];
    unsigned expects;
    struct run_sample expect[RUN_SAMPLES_MAX];
    uint8_t sector[RUN_SAMPLE_STRETCH * PLATFORM_SECTOR_MAX];

    unsigned timeouts; /* of reads; a few of them end the run */
    bool no_ncq;       /* a queued command failed: the rest of the run goes without */
    unsigned places;
    struct proof_place place[PROOF_PLACES_MAX];
};

/* Run it. Always leaves a complete report and the controller with the firmware. Returns OK when the run
 * went to its end (whatever the verdict), else why not (also in report->failure). */
enum err run_execute(struct run *run, struct platform *plat, struct inventory *inv,
                     const struct run_request *request, struct report *report,
                     const struct run_observer *observer);

/* For the plans: tell the observer, ask whether the user wants to stop, count progress. */
void run_event(const struct run *run, enum run_event event);
bool run_cancelled(const struct run *run);
void run_progress(struct run *run, uint64_t bytes);

/* Take what the drive's side has counted (permit spent, refusals, faults of data) into the report; after every pass,
 * so that a report cut short tells it. */
void run_note_drive(struct run *run);

/* Write "command failed at LBA ..." for dev->failure, data fault or refusal into report->failure. Keeps the first. */
void run_explain(struct run *run, const char *doing, enum err err);

/* The time left; 0 when not known yet. */
uint64_t run_eta_ns(const struct run *run);

#endif
