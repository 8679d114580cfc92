/* One run from plan to verdict. Only bench writes it; ui reads it. Every number on the screen and every
 * reason in the verdict comes from here. Sizes in bytes, times in nanoseconds, places in logical sectors. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "ahci/ahci.h"
#include "ata/dev.h"
#include "bench/stamp.h"

#define REPORT_FORMAT_VERSION 1

enum {
    REPORT_PASSES_MAX = 96,
    REPORT_CASES_MAX = 32,
    REPORT_FINDINGS_MAX = 32,
    REPORT_TEXT_MAX = 200,
};

enum step {
    STEP_NOT_RUN,
    STEP_RUNNING,
    STEP_DONE,
    STEP_FAILED,
    STEP_ABORTED,
};
const char *step_name(enum step step);

enum pass_kind {
    PASS_STAMP, /* write stamps */
    PASS_FLUSH,
    PASS_READ, /* read and judge */
    PASS_TRIM,
    PASS_SETTLE, /* wait */
};
const char *pass_kind_name(enum pass_kind kind);

/* One step of a run over one range. */
struct pass {
    const char *name;  /* "stamp", "read 1" */
    const char *place; /* "first", "2^28"; NULL: none in particular */
    enum pass_kind kind;
    enum ata_method method;
    unsigned depth;
    uint64_t lba;
    uint64_t count_sectors;
    enum step step;
    enum err err;
    struct ata_failure failure; /* when step is STEP_FAILED */
    struct ata_times times;
    uint64_t started_ns;        /* since the start of the program */
    uint64_t mismatches;        /* guards that were not their stamp when first looked at */
    uint64_t mismatches_late;   /* and that still were not 1 ms later, in the same buffer */
    uint64_t measured_permille; /* share of the pass's wall time spent inside commands */
};

/* What one case of TRIM left behind: the sectors named by its entries, and the stamped sectors around. */
struct sector_counts {
    uint64_t kind[SECTOR_KIND_COUNT];
    uint64_t unstable; /* differed between two reads */
    uint64_t unread;   /* could not be read */
};

struct trim_case {
    const char *place; /* "first", "middle", "2^28", "last" */
    const char *name;  /* "aligned", "unaligned", "one sector", "64 entries", "zero length" */
    uint64_t
        lba; /* first sector named by an entry (or, for "zero length", the sector it points at) */
    uint64_t count; /* sectors named, all entries */
    unsigned entries;
    enum step step;
    enum err err;
    uint64_t trim_ns;
    struct sector_counts inside;
    struct sector_counts guard; /* must all be SECTOR_STAMP, both times */
    uint64_t damaged;           /* guards that were something else at both readings */
    uint64_t damage_lba;        /* first damaged guard sector */
    enum sector_kind damage_kind;
    bool damage_bytes_known;  /* only the first damaged guard of a place has them kept */
    uint8_t damage_bytes[16]; /* what stands there now */
    uint64_t
        garbage; /* named sectors that prove nothing: stable data of no kind, or old data that came back */
    uint64_t edge_sectors_max; /* untouched sectors at one edge of one entry: granularity */
    uint64_t old_inside;       /* old data that no granularity explains */
    uint64_t old_lba;          /* the first such sector */
};

enum severity {
    SEVERITY_NOTE,  /* worth knowing, changes nothing */
    SEVERITY_WARN,  /* a finding in the sense of the verdict: no PASS */
    SEVERITY_ERROR, /* the run cannot carry a verdict */
};
const char *severity_name(enum severity severity);

struct finding {
    const char *code; /* stable, lower_snake */
    enum severity severity;
    char text[REPORT_TEXT_MAX];
};

enum command_class {
    COMMAND_NOT_TESTED,
    COMMAND_OK,
    COMMAND_REJECTED,
    COMMAND_TIMED_OUT,
    COMMAND_NOT_SUPPORTED,
};
const char *command_class_name(enum command_class c);

enum logical_class {
    LOGICAL_NOT_TESTED,
    LOGICAL_ZEROS,
    LOGICAL_CONSTANT,
    LOGICAL_UNSTABLE,
    LOGICAL_NO_CHANGE,
    LOGICAL_DAMAGED,
};
const char *logical_class_name(enum logical_class c);

enum speed_class {
    SPEED_NOT_TESTED,
};
const char *speed_class_name(enum speed_class c);

enum overall {
    OVERALL_NONE, /* the plan has no verdict (identify, contact): DONE or FAILED by report.step */
    OVERALL_PASS,
    OVERALL_WARN,
    OVERALL_FAIL,
    OVERALL_INCONCLUSIVE,
};
const char *overall_name(enum overall o);

struct verdict {
    enum command_class command;
    enum logical_class logical;
    enum speed_class write;
    enum speed_class read;
    enum overall overall;
    char sentence[2 * REPORT_TEXT_MAX]; /* what was found and what it rests on */
    char next[REPORT_TEXT_MAX];         /* what to do next */
};

/* One way of reading, compared with the reference. */
struct contact_way {
    const char *name; /* "PIO", "DMA", "NCQ depth 1", "NCQ depth 32" */
    enum step step;
    enum err err;
    uint64_t sectors;
    uint64_t different;      /* at the first look */
    uint64_t different_late; /* of those, still different 1 ms later */
    uint64_t first_lba;      /* first differing sector */
    struct ata_times times;
};

struct contact {
    enum step step;
    bool
        firmware_reference; /* false: the firmware drives no disk there; ways are compared with each other */
    uint64_t sectors;
    uint64_t informative; /* of them not all-zero: equal zeros prove little */
    unsigned ways;
    struct contact_way way[4];
    struct ahci_global_regs before, after;
    bool regs_unchanged;
    bool ccs_sane;
    uint64_t poll_gap_ns_max;
    bool ok;
    char reason[REPORT_TEXT_MAX]; /* why not ok */
};

/* What the firmware read after it had its driver back. */
struct firmware_check {
    enum step step;
    uint64_t sectors;
    uint64_t different;
    uint64_t first_lba;
};

struct report {
    uint64_t run_id;
    const char *plan;
    struct utc_time started;
    uint64_t started_ns, finished_ns;
    enum step step;
    bool unattended;
    char failure[REPORT_TEXT_MAX]; /* why step is STEP_FAILED; else empty */

    struct platform_info environment;
    /* controller */
    struct pci_function pci;
    const char *controller_name;
    bool controller_tried;
    struct ahci_global_regs regs_before, regs_after;
    unsigned port;
    uint32_t ssts; /* after bring-up */
    bool boot_medium_on_controller;
    /* drive */
    bool drive_identified, drive_identified_after;
    struct ata_identity drive;
    struct ata_identity drive_after;
    struct ata_permit permit;
    struct ata_refusal refusal;
    uint64_t cost_bytes; /* the plan's own estimate, shown before the start */
    uint64_t cost_ns;
    uint32_t settle_s;

    struct contact contact;
    struct firmware_check firmware;
    unsigned passes;
    struct pass pass[REPORT_PASSES_MAX];
    unsigned cases;
    struct trim_case trim_case[REPORT_CASES_MAX];
    uint32_t granularity_sectors; /* of TRIM as seen; 1: every sector, 0: not known */
    struct ata_data_fault data_fault;
    uint64_t canary_faults;
    uint64_t poll_gap_ns_max;
    unsigned findings;
    unsigned findings_left_off;
    struct finding finding[REPORT_FINDINGS_MAX];
    struct verdict verdict;
};

/* Add a finding (text by format). When the table is full it is counted in findings_left_off. */
void report_find(struct report *r, const char *code, enum severity severity, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Bytes per second, rounded down; 0 where no time passed. */
uint64_t rate_bytes_per_s(uint64_t bytes, uint64_t ns);

/* Reserve the next pass and mark it running; ASSERTs on a full table. */
struct pass *report_pass(struct report *r, const char *name, enum pass_kind kind, uint64_t now_ns);

#endif
