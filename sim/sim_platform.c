/* The hardware side of the host's platform: PCI, registers, ownership, firmware, time. */
#include "sim/sim_platform.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/sim_platform_internal.h"

#define QUIET_NS    (5 * NS_PER_MS) /* of looking before time hurries */
#define HURRY_SHARE 200             /* then a look takes this fraction of the quiet time */
#define HURRY_NS    (2 * NS_PER_MS) /* at most */

/* --- time -------------------------------------------------------------------------------------- */

void sim_platform_busy(struct sim_platform *plat)
{
    plat->quiet_since_ns = plat->clock->now_ns;
}

/* A look at a register or the clock takes step_ns; when nothing else was done for long, more and more,
 * but never past what happens next. */
static void look(struct sim_platform *plat)
{
    struct sim_clock *clock = plat->clock;
    uint64_t step = plat->config.step_ns;
    uint64_t quiet = clock->now_ns - plat->quiet_since_ns;
    if (!plat->config.steady && quiet > QUIET_NS) {
        step = max_u64(step, min_u64(quiet / HURRY_SHARE, HURRY_NS));
    }
    uint64_t next = sim_clock_next(clock);
    if (next <= clock->now_ns + step) {
        step = max_u64(plat->config.step_ns, next - min_u64(next, clock->now_ns));
        plat->quiet_since_ns = clock->now_ns + step;
    }
    sim_clock_advance(clock, step);
}

static uint64_t clock_ns(struct platform *p)
{
    struct sim_platform *plat = sim_of(p);
    look(plat);
    return plat->clock->now_ns;
}

static void stall_us(struct platform *p, uint32_t us)
{
    struct sim_platform *plat = sim_of(p);
    sim_clock_advance(plat->clock, us * NS_PER_US);
    if (us >= 1000) {
        sim_platform_busy(plat); /* a pause on purpose, not a step of a polling loop */
    }
}

static struct utc_time utc(struct platform *p)
{
    struct sim_platform *plat = sim_of(p);
    if (plat->config.no_utc) {
        return (struct utc_time){ 0 };
    }
    uint64_t s = plat->clock->now_ns / NS_PER_S;
    return (struct utc_time){ .year = 2026,
                              .month = 1,
                              .day = (uint8_t)(2 + s / 86400 % 28),
                              .hour = (uint8_t)(s / 3600 % 24),
                              .minute = (uint8_t)(s / 60 % 60),
                              .second = (uint8_t)(s % 60) };
}

/* --- PCI and registers -------------------------------------------------------------------------- */

static size_t pci_scan(struct platform *p, struct pci_function *out, size_t cap)
{
    struct sim_platform *plat = sim_of(p);
    for (size_t i = 0; i < plat->functions && i < cap; i++) {
        struct sim_function *f = &plat->function[i];
        bool bar = !f->config.no_bar5 && f->hba != NULL;
        out[i] = (struct pci_function){ .at = f->config.at,
                                        .vendor_id = f->config.vendor_id,
                                        .device_id = f->config.device_id,
                                        .subsystem_vendor_id = 0x1af4,
                                        .subsystem_id = 0x1100,
                                        .class_base = f->config.class_base,
                                        .class_sub = f->config.class_sub,
                                        .prog_if = f->config.prog_if,
                                        .revision = f->config.revision,
                                        .bar5_address = bar ? f->bar5 : 0,
                                        .bar5_bytes = bar ? f->hba->config.bar_bytes : 0,
                                        .handle = f };
    }
    return plat->functions;
}

static uint32_t pci_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    struct sim_platform *plat = sim_of(p);
    if ((offset & 3) != 0 || offset > 0xfc) {
        sim_judge_note(plat->judge, "PCI configuration read at %03Xh", offset);
        return UINT32_MAX;
    }
    return function_of(f)->space[offset / 4];
}

static void pci_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                        uint32_t value)
{
    struct sim_platform *plat = sim_of(p);
    if (offset != 0x04) {
        sim_judge_note(plat->judge, "PCI configuration write at %03Xh", offset);
        return;
    }
    uint32_t *word = &function_of(f)->space[1];
    *word = (*word & ~0x0547u) | (value & 0x0547u);
}

static bool register_allowed(struct sim_platform *plat, const struct sim_function *f,
                             uint32_t offset, bool write)
{
    if (f->hba == NULL || (offset & 3) != 0 || offset >= f->hba->config.bar_bytes) {
        sim_judge_note(plat->judge, "register %03Xh %s: outside BAR5", offset,
                       write ? "written" : "read");
        return false;
    }
    if (write && !f->ours) {
        sim_judge_note(plat->judge, "register %03Xh written without take_over", offset);
        return false;
    }
    return (f->space[1] & PCI_COMMAND_MEMORY) != 0;
}

static uint32_t mmio_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    look(plat);
    uint32_t value = register_allowed(plat, function, offset, false)
                         ? sim_hba_read(function->hba, offset)
                         : UINT32_MAX;
    if (plat->config.trace) {
        fprintf(stderr, "sim %12lu  %03x -> %08x\n", plat->clock->now_ns, offset, value);
    }
    return value;
}

static void mmio_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                         uint32_t value)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    sim_platform_busy(plat);
    look(plat);
    if (plat->config.trace) {
        fprintf(stderr, "sim %12lu  %03x <- %08x\n", plat->clock->now_ns, offset, value);
    }
    if (register_allowed(plat, function, offset, true)) {
        sim_hba_write(function->hba, offset, value);
    }
}

/* --- ownership and firmware ------------------------------------------------------------------------ */

static enum err take_over(struct platform *p, const struct pci_function *f)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    sim_platform_busy(plat);
    sim_clock_advance(plat->clock, NS_PER_MS);
    if (plat->config.firmware == SIM_FIRMWARE_KEEPS) {
        return ERR_BUSY;
    }
    if (function->ours) {
        sim_judge_note(plat->judge, "take_over of a controller that is ours");
    }
    function->ours = true;
    function->taken++;
    function->space[1] |= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX;
    return OK;
}

/* No port may go on with memory that is not ours any more. */
static void check_ports(struct sim_platform *plat, const struct sim_function *f)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        const struct sim_hba_port *port = &f->hba->port[i];
        uint64_t list = port->clb | (uint64_t)port->clbu << 32;
        uint64_t rfis = port->fb | (uint64_t)port->fbu << 32;
        const struct sim_buffer *a = sim_buffer_at(plat, list, 1024);
        const struct sim_buffer *b = sim_buffer_at(plat, rfis, RFIS_BYTES);
        if ((port->cmd & (PxCMD_ST | PxCMD_CR)) != 0 && (a == NULL || !a->firmware)) {
            sim_judge_note(plat->judge, "port %u handed back running on command list %lxh", i,
                           list);
        }
        if ((port->cmd & (PxCMD_FRE | PxCMD_FR)) != 0 && (b == NULL || !b->firmware)) {
            sim_judge_note(plat->judge, "port %u handed back receiving at %lxh", i, rfis);
        }
    }
}

static enum err hand_back(struct platform *p, const struct pci_function *f)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    sim_platform_busy(plat);
    if (!function->ours) {
        return OK;
    }
    function->ours = false;
    function->given_back++;
    sim_clock_advance(plat->clock, 50 * NS_PER_MS);
    if (function->hba == NULL) {
        return OK;
    }
    if (function->hba->gone) {
        return ERR_IO;
    }
    check_ports(plat, function);
    unsigned drives = 0;
    unsigned answering = 0;
    for (unsigned i = 0; i < PORT_MAX; i++) {
        const struct sim_drive *drive = plat->drive[function - plat->function][i];
        if (drive != NULL) {
            drives++;
            answering += drive->plugged ? 1u : 0;
        }
    }
    return drives > 0 && answering == 0 ? ERR_IO : OK;
}

/* The drive the firmware has a driver for, or why it has none. */
static enum err firmware_disk(struct sim_platform *plat, const struct sim_function *f,
                              unsigned port, struct sim_drive **out)
{
    sim_platform_busy(plat);
    if (plat->config.firmware == SIM_FIRMWARE_NO_SERVICE) {
        return ERR_UNSUPPORTED;
    }
    if (f->ours) {
        sim_judge_note(plat->judge, "the firmware was asked while it does not own the controller");
        return ERR_IO;
    }
    size_t index = (size_t)(f - plat->function);
    struct sim_drive *drive =
        index < SIM_HBAS_MAX && port < PORT_MAX ? plat->drive[index][port] : NULL;
    if (plat->config.firmware == SIM_FIRMWARE_NO_DISK || drive == NULL || !drive->plugged ||
        f->hba->gone || drive->config.signature != SIG_ATA) {
        return ERR_NOT_FOUND;
    }
    *out = drive;
    return OK;
}

static enum err fw_identify(struct platform *p, const struct pci_function *f, unsigned port,
                            uint8_t out[512])
{
    struct sim_platform *plat = sim_of(p);
    struct sim_drive *drive;
    enum err err = firmware_disk(plat, function_of(f), port, &drive);
    if (err == OK) {
        sim_drive_identify(drive, out);
    }
    return err;
}

static enum err fw_read(struct platform *p, const struct pci_function *f, unsigned port,
                        uint64_t lba, uint32_t count, uint32_t sector_bytes, void *buf)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_drive *drive;
    enum err err = firmware_disk(plat, function_of(f), port, &drive);
    if (err != OK) {
        return err;
    }
    sim_clock_advance(plat->clock, 100 * NS_PER_US + count * NS_PER_US);
    if (sector_bytes != drive->sector_bytes || count > drive->sectors ||
        lba > drive->sectors - count) {
        sim_judge_note(plat->judge, "fw_read of LBA %lu + %u, %u bytes each", lba, count,
                       sector_bytes);
        return ERR_IO;
    }
    if (plat->config.firmware == SIM_FIRMWARE_FAILS || drive->locked) {
        return ERR_IO;
    }
    uint8_t *to = buf;
    for (uint32_t i = 0; i < count; i++) {
        sim_drive_peek(drive, lba + i, to + (size_t)i * sector_bytes);
        if (plat->config.firmware == SIM_FIRMWARE_LIES) {
            to[(size_t)i * sector_bytes + 7] ^= 1;
        }
    }
    return OK;
}

static enum boot_medium boot_controller(struct platform *p, const struct pci_function *f)
{
    struct sim_platform *plat = sim_of(p);
    bool here = function_of(f) == &plat->function[plat->config.boot.controller];
    return here ? plat->config.boot.kind : BOOT_MEDIUM_NO;
}

static enum boot_medium boot_medium(struct platform *p, const struct pci_function *f, unsigned port)
{
    struct sim_platform *plat = sim_of(p);
    enum boot_medium kind = boot_controller(p, f);
    /* Not knowing the port is not knowing about any. */
    return kind == BOOT_MEDIUM_UNKNOWN || port == plat->config.boot.port ? kind : BOOT_MEDIUM_NO;
}

/* --- construction ------------------------------------------------------------------------------------- */

size_t sim_platform_add_function(struct sim_platform *plat, const struct sim_pci_config *config,
                                 struct sim_hba *hba)
{
    if (plat->functions == SIM_FUNCTIONS_MAX) {
        fprintf(stderr, "sim: more than %d PCI functions\n", SIM_FUNCTIONS_MAX);
        abort();
    }
    size_t index = plat->functions++;
    struct sim_function *f = &plat->function[index];
    *f = (struct sim_function){ .plat = plat, .config = *config, .hba = hba };
    struct sim_pci_config *c = &f->config;
    if (c->at.bus == 0 && c->at.device == 0 && c->at.function == 0 && c->at.segment == 0) {
        c->at.device = index == 0 ? 0x1f : (uint8_t)(index + 1);
        c->at.function = index == 0 ? 2 : 0;
    }
    if (c->vendor_id == 0) {
        c->vendor_id = 0x8086;
        c->device_id = 0x1c02;
    }
    if (c->class_base == 0) {
        c->class_base = 0x01;
        c->class_sub = 0x06;
        c->prog_if = 0x01;
    }
    f->bar5 = UINT64_C(0xfe000000) + index * 0x10000;
    f->space[0] = c->vendor_id | (uint32_t)c->device_id << 16;
    f->space[1] = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    f->space[2] = (uint32_t)c->class_base << 24 | (uint32_t)c->class_sub << 16 |
                  (uint32_t)c->prog_if << 8 | c->revision;
    f->space[9] = c->no_bar5 ? 0 : (uint32_t)f->bar5;
    return index;
}

static void fill_info(struct sim_platform *plat)
{
    struct platform_info *info = &plat->platform.info;
    const struct sim_platform_config *c = &plat->config;
    info->name = "host";
    snprintf(info->firmware_vendor, sizeof(info->firmware_vendor), "BareTrim model");
    snprintf(info->firmware_revision, sizeof(info->firmware_revision), "1");
    snprintf(info->cpu, sizeof(info->cpu), "modelled");
    info->tsc_hz = NS_PER_S;
    snprintf(info->clock_source, sizeof(info->clock_source), "virtual");
    info->clock_usable = !c->clock_unusable;
    info->has_files = c->medium != SIM_MEDIUM_NONE;
    info->has_firmware_io = c->firmware != SIM_FIRMWARE_NO_SERVICE;
    info->has_keyboard = !c->no_keyboard;
}

void sim_platform_init(struct sim_platform *plat, const struct sim_platform_config *config,
                       struct sim_clock *clock, struct sim_judge *judge)
{
    memset(plat, 0, sizeof(*plat));
    plat->config = *config;
    plat->config.step_ns = config->step_ns == 0 ? 250 : config->step_ns;
    plat->config.idle_limit_ms = config->idle_limit_ms == 0 ? 600000 : config->idle_limit_ms;
    plat->config.columns = config->columns == 0 ? 80 : config->columns;
    plat->config.rows = config->rows == 0 ? 25 : config->rows;
    plat->config.trace |= getenv("SIM_TRACE") != NULL;
    plat->clock = clock;
    plat->judge = judge;
    plat->key_next = plat->config.keys == NULL ? "" : plat->config.keys;
    fill_info(plat);
    struct platform *p = &plat->platform;
    p->pci_scan = pci_scan;
    p->pci_read32 = pci_read32;
    p->pci_write32 = pci_write32;
    p->mmio_read32 = mmio_read32;
    p->mmio_write32 = mmio_write32;
    p->take_over = take_over;
    p->hand_back = hand_back;
    p->fw_identify = fw_identify;
    p->fw_read = fw_read;
    p->boot_medium = boot_medium;
    p->boot_controller = boot_controller;
    p->clock_ns = clock_ns;
    p->stall_us = stall_us;
    p->utc = utc;
    p->context = plat;
    sim_platform_init_dma(plat);
    sim_platform_init_io(plat);
}

void sim_platform_free(struct sim_platform *plat)
{
    sim_platform_free_dma(plat);
    sim_platform_free_io(plat);
}
