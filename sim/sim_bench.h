/* A whole machine for one test: platform, controllers, drives, faults.
 *
 *   static struct sim_bench b;
 *   sim_bench_init(&b, &(struct sim_config){
 *       .drive = { { .serial = "ABC", .sectors = 300000000, .content = SIM_CONTENT_USED } },
 *       .faults = { { .what = SIM_DATA_NEVER, .opcode = ATA_READ_DMA_EXT, .nth = 2 } } });
 *   struct platform *plat = &b.plat.platform;
 *   ...
 *   CHECK_STR(sim_bench_violations(&b), "");
 *   sim_bench_free(&b);
 *
 * Without any setting: one Intel controller of six ports, one 10 GB SSD on port 0, everything good. */
#ifndef SIM_SIM_BENCH_H
#define SIM_SIM_BENCH_H

#include "sim/sim_platform.h"

struct sim_config {
    unsigned controllers; /* 0: one */
    struct sim_hba_config hba[SIM_HBAS_MAX];
    struct sim_pci_config pci[SIM_HBAS_MAX];
    unsigned drives; /* 0: one, unless no_drive */
    bool no_drive;
    struct sim_drive_config drive[SIM_DRIVES_MAX];
    struct {
        unsigned controller;
        unsigned port;    /* must be in PI */
    } at[SIM_DRIVES_MAX]; /* where each drive is; all zero with several drives: ports 0, 1, 2, ... */
    struct sim_pci_config other[8]; /* more mass-storage functions, without a model behind them */
    unsigned others;
    struct sim_fault faults[SIM_FAULTS_MAX];
    struct sim_platform_config platform;
};

struct sim_bench {
    bool live;
    struct sim_config config;
    struct sim_clock clock;
    struct sim_judge judge;
    struct sim_faults faults;
    struct sim_platform plat;
    unsigned hbas;
    struct sim_hba hba[SIM_HBAS_MAX];
    unsigned drives;
    struct sim_drive drive[SIM_DRIVES_MAX];
};

/* Build the machine. *b must be static (zero before the first use) and must not move afterwards; what a failed
 * case left in it is freed. Aborts on a configuration that makes no sense. */
void sim_bench_init(struct sim_bench *b, const struct sim_config *config);
/* Free its memory. Registers and counters can still be read; media, logs, console and files cannot. */
void sim_bench_free(struct sim_bench *b);

/* Everything the program did wrong, a line each; "" when nothing. */
const char *sim_bench_violations(const struct sim_bench *b);

/* Let time pass. */
void sim_bench_run_us(struct sim_bench *b, uint64_t us);

#endif
