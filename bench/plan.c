/* The table of plans. To add one: a row here and its two functions. */
#include "bench/plan.h"

#include "bench/proof.h"

static void no_cost(const struct ata_identity *id, uint64_t *bytes, uint64_t *ns)
{
    (void)id;
    *bytes = 0;
    *ns = 2 * NS_PER_S;
}

static enum err only_look(struct run *run)
{
    (void)run; /* identifying and, where the row asks for it, contact are steps of every run */
    return OK;
}

static const struct plan plans[] = {
    {
        .name = "identify",
        .key = 'i',
        .what = "Read the drive's identity with our own driver",
        .proves = "what the drive says it is and can do",
        .cost = no_cost,
        .run = only_look,
    },
    {
        .name = "contact",
        .key = 'c',
        .what = "Compare our reads (PIO, DMA, NCQ) with the firmware's",
        .proves = "that this controller and BareTrim's driver get along",
        .contact = true,
        .cost = no_cost,
        .run = only_look,
    },
    {
        .name = "proof",
        .key = 'p',
        .what = "Stamp, TRIM and re-read sectors in several places of the drive",
        .proves = "whether TRIM deallocates what it names, and nothing else",
        .effects = ATA_EFFECT_WRITE | ATA_EFFECT_TRIM,
        .contact = true,
        .cost = proof_cost,
        .run = proof_run,
    },
};

const struct plan *plan_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
        if (strcmp(plans[i].name, name) == 0) {
            return &plans[i];
        }
    }
    return NULL;
}

const struct plan *plan_table(size_t *count)
{
    *count = ARRAY_LEN(plans);
    return plans;
}
