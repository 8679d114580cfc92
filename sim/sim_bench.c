#include "sim/sim_bench.h"

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void misuse(const char *what)
{
    fprintf(stderr, "sim: %s\n", what);
    abort();
}

static unsigned nth_port(uint32_t pi, unsigned n)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        if ((pi >> i & 1) != 0 && n-- == 0) {
            return i;
        }
    }
    misuse("more drives than implemented ports");
}

static void add_controllers(struct sim_bench *b)
{
    for (unsigned i = 0; i < b->hbas; i++) {
        size_t index = sim_platform_add_function(&b->plat, &b->config.pci[i], &b->hba[i]);
        struct sim_hba_config config = b->config.hba[i];
        struct sim_bus bus = sim_platform_bus(&b->plat, index);
        config.firmware_bus = sim_platform_firmware_memory(&b->plat, index);
        sim_hba_init(&b->hba[i], &config, &b->clock, &b->judge, &b->faults, &bus);
    }
    for (unsigned i = 0; i < b->config.others; i++) {
        sim_platform_add_function(&b->plat, &b->config.other[i], NULL);
    }
}

static void add_drives(struct sim_bench *b)
{
    bool placed = false;
    for (unsigned i = 0; i < b->drives; i++) {
        placed |= b->config.at[i].controller != 0 || b->config.at[i].port != 0;
    }
    for (unsigned i = 0; i < b->drives; i++) {
        unsigned controller = b->config.at[i].controller;
        if (controller >= b->hbas) {
            misuse("a drive on a controller that is not there");
        }
        struct sim_hba *hba = &b->hba[controller];
        unsigned port = placed ? b->config.at[i].port : nth_port(hba->pi, i);
        if (port >= PORT_MAX || !hba->port[port].implemented ||
            b->plat.drive[controller][port] != NULL) {
            misuse("a drive on a port that is not there, or two on one");
        }
        struct sim_drive *drive = &b->drive[i];
        sim_drive_init(drive, &b->config.drive[i], &b->clock, &b->judge, &b->faults);
        struct sim_host host = sim_hba_host(hba, port);
        struct sim_device device = sim_drive_connect(drive, &host, port);
        sim_hba_connect(hba, port, &device);
        b->plat.drive[controller][port] = drive;
        if (hba->config.start != SIM_START_COLD) {
            sim_drive_power_up(drive, (hba->cap & CAP_ISS_MASK) >> CAP_ISS_SHIFT);
        }
    }
}

void sim_bench_init(struct sim_bench *b, const struct sim_config *config)
{
    sim_bench_free(b); /* left over from a case that failed */
    memset(b, 0, sizeof(*b));
    b->live = true;
    b->config = *config;
    b->hbas = config->controllers == 0 ? 1 : config->controllers;
    b->drives = config->no_drive ? 0 : config->drives == 0 ? 1 : config->drives;
    if (b->hbas > SIM_HBAS_MAX || b->drives > SIM_DRIVES_MAX ||
        config->others > ARRAY_LEN(config->other)) {
        misuse("too many controllers, drives or other functions");
    }
    sim_clock_init(&b->clock);
    sim_judge_init(&b->judge);
    sim_faults_init(&b->faults, b->config.faults, ARRAY_LEN(b->config.faults));
    sim_platform_init(&b->plat, &b->config.platform, &b->clock, &b->judge);
    add_controllers(b);
    add_drives(b);
    for (unsigned i = 0; i < b->hbas; i++) {
        sim_hba_start_state(&b->hba[i]);
    }
}

void sim_bench_free(struct sim_bench *b)
{
    if (!b->live) {
        return;
    }
    b->live = false;
    for (unsigned i = 0; i < b->hbas; i++) {
        sim_hba_free(&b->hba[i]);
    }
    for (unsigned i = 0; i < b->drives; i++) {
        sim_drive_free(&b->drive[i]);
    }
    sim_platform_free(&b->plat);
}

const char *sim_bench_violations(const struct sim_bench *b)
{
    return b->judge.text;
}

void sim_bench_run_us(struct sim_bench *b, uint64_t us)
{
    sim_clock_advance(&b->clock, us * NS_PER_US);
}
