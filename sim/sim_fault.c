#include "sim/sim_fault.h"

#include <stdio.h>
#include <stdlib.h>

/* These hold until the end of the test once they struck. */
static bool lasts(enum sim_fault_what what)
{
    return what == SIM_ALL_ONES || what == SIM_HR_STUCK || what == SIM_CR_STUCK ||
           what == SIM_FR_STUCK || what == SIM_CCS_WRONG;
}

void sim_faults_init(struct sim_faults *faults, const struct sim_fault *script, size_t cap)
{
    memset(faults, 0, sizeof(*faults));
    faults->script = script;
    while (faults->count < cap && script[faults->count].what != SIM_NO_FAULT) {
        faults->count++;
    }
    if (faults->count > SIM_FAULTS_MAX) {
        fprintf(stderr, "sim: more than %d faults\n", SIM_FAULTS_MAX);
        abort();
    }
}

static bool matches(const struct sim_fault *fault, const struct sim_occasion *occasion)
{
    if (fault->ports != 0 && (fault->ports >> occasion->port & 1) == 0) {
        return false;
    }
    if (fault->opcode != 0 && fault->opcode != occasion->opcode) {
        return false;
    }
    if (fault->what == SIM_ALL_ONES && fault->opcode != occasion->opcode) {
        return false; /* commands and register accesses are counted apart */
    }
    return fault->lba_count == 0 ||
           (occasion->count != 0 && fault->lba_first < occasion->lba + occasion->count &&
            occasion->lba < fault->lba_first + fault->lba_count);
}

const struct sim_fault *sim_fault_strikes(struct sim_faults *faults, enum sim_fault_what first,
                                          enum sim_fault_what last,
                                          const struct sim_occasion *occasion)
{
    const struct sim_fault *struck = NULL;
    for (size_t i = 0; i < faults->count; i++) {
        const struct sim_fault *fault = &faults->script[i];
        if (fault->what < first || fault->what > last || !matches(fault, occasion)) {
            continue;
        }
        uint32_t nth = fault->nth == 0 ? 1 : fault->nth;
        uint64_t times = fault->times;
        if (times == 0) {
            times = lasts(fault->what) ? SIM_ALWAYS : 1;
        }
        uint64_t seen = ++faults->seen[i];
        if (struck == NULL && seen >= nth && seen < nth + times) {
            faults->fired[i]++;
            struck = fault;
        }
    }
    return struck;
}

const struct sim_fault *sim_fault_find(const struct sim_faults *faults, enum sim_fault_what what,
                                       unsigned port)
{
    for (size_t i = 0; i < faults->count; i++) {
        const struct sim_fault *fault = &faults->script[i];
        if (fault->what == what && (fault->ports == 0 || (fault->ports >> port & 1) != 0)) {
            return fault;
        }
    }
    return NULL;
}

uint32_t sim_fault_fired(const struct sim_faults *faults, size_t index)
{
    return index < faults->count ? faults->fired[index] : 0;
}
