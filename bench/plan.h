/* The plans a user can name, one row each: what it does, what it costs, whether it writes. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "bench/report.h"

struct run;

struct plan {
    const char *name;
    char key;           /* in the menu */
    const char *what;   /* one line */
    const char *proves; /* one line */
    uint32_t effects;   /* enum ata_effect bits it needs a permit for; 0: only reads */
    bool contact;       /* the contact check runs first */
    /* Bytes written and time for this drive. */
    void (*cost)(const struct ata_identity *id, uint64_t *bytes, uint64_t *ns);
    /* Runs with the controller ours and the drive identified. */
    enum err (*run)(struct run *run);
};

const struct plan *plan_find(const char *name);
const struct plan *plan_table(size_t *count);

#endif
