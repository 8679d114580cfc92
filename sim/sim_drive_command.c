/* Commands as they come in and as they end: frames both ways, the queue, errors, the log. */
#include <stdlib.h>

#include "ahci/ahci_regs.h"
#include "sim/sim_drive_internal.h"

static uint64_t next_random(struct sim_drive *drive)
{
    drive->random ^= drive->random << 13;
    drive->random ^= drive->random >> 7;
    drive->random ^= drive->random << 17;
    return drive->random;
}

/* --- frames to the host ------------------------------------------------------------------- */

static void put_lba(uint8_t *fis, uint64_t lba)
{
    fis[4] = (uint8_t)lba;
    fis[5] = (uint8_t)(lba >> 8);
    fis[6] = (uint8_t)(lba >> 16);
    fis[8] = (uint8_t)(lba >> 24);
    fis[9] = (uint8_t)(lba >> 32);
    fis[10] = (uint8_t)(lba >> 40);
}

static void send_d2h(struct sim_drive *drive, bool interrupt, uint8_t status, uint8_t error,
                     uint64_t lba, uint16_t count)
{
    uint8_t fis[20] = { FIS_REG_D2H, interrupt ? 0x40 : 0, status, error };
    put_lba(fis, lba);
    fis[7] = ATA_DEVICE_LBA;
    put_le16(fis + 12, count);
    drive->host.receive(drive->host.self, fis, sizeof(fis));
}

static void send_sdb(struct sim_drive *drive, uint8_t status, uint8_t error, uint32_t done)
{
    uint8_t fis[8] = { FIS_SDB, 0x40, (uint8_t)(status & 0x77), error };
    put_le32(fis + 4, done);
    drive->host.receive(drive->host.self, fis, sizeof(fis));
}

void sim_drive_pio_setup(struct sim_drive *drive, bool in, uint32_t bytes, bool last)
{
    const struct sim_work *work = &drive->work[SIM_UNQUEUED];
    if (in && drive->config.no_pio_setup) {
        return;
    }
    uint8_t fis[20] = { FIS_PIO_SETUP, (uint8_t)(0x40 | (in ? 0x20 : 0)), 0x58, 0 };
    put_lba(fis, work->c.lba);
    fis[7] = work->c.device;
    /* E_STATUS: inward data end with it, outward data are followed by a Register frame (SATA 10.5.11). */
    fis[15] = in && last && !work->silent ? STATUS_GOOD : STATUS_GOOD | ATA_STATUS_BSY;
    put_le16(fis + 16, (uint16_t)bytes);
    drive->host.receive(drive->host.self, fis, sizeof(fis));
}

void sim_drive_dma_setup(struct sim_drive *drive, unsigned tag, bool in, uint32_t bytes)
{
    uint8_t fis[28] = { FIS_DMA_SETUP, in ? 0x20 : 0 };
    fis[4] = (uint8_t)tag;
    put_le32(fis + 16, bytes);
    drive->host.receive(drive->host.self, fis, sizeof(fis));
}

/* --- the end of a command ------------------------------------------------------------------ */

static void note_end(struct sim_drive *drive, unsigned tag, uint8_t status, uint8_t error)
{
    struct sim_work *work = &drive->work[tag];
    drive->log.command[work->log].status = status;
    drive->log.command[work->log].error = error;
    work->busy = false;
}

void sim_drive_end_good(struct sim_drive *drive, unsigned tag)
{
    const struct sim_work *work = &drive->work[tag];
    const struct sim_opcode *row = sim_opcode_find(work->c.opcode);
    if (work->silent) {
        return; /* done, and nobody hears of it */
    }
    note_end(drive, tag, STATUS_GOOD, 0);
    if (tag != SIM_UNQUEUED) {
        send_sdb(drive, STATUS_GOOD, 0, 1u << tag);
    } else if (row->protocol != SIM_PIO_IN || drive->config.no_pio_setup) {
        uint16_t count = work->c.opcode == ATA_CHECK_POWER_MODE ? 0xff : 0;
        send_d2h(drive, true, STATUS_GOOD, 0, work->c.lba, count);
    }
}

/* Every queued command is given up when one fails (SATA 13.6.2). */
static void give_up_queue(struct sim_drive *drive)
{
    for (unsigned tag = 0; tag < SIM_UNQUEUED; tag++) {
        if (drive->work[tag].busy) {
            note_end(drive, tag, STATUS_ERROR, ATA_ERR_ABRT);
        }
    }
    drive->epoch++;
}

static void fill_error_log(struct sim_drive *drive, uint8_t first, const uint8_t fields[2],
                           uint64_t lba, uint32_t count)
{
    uint8_t *log = drive->ncq_log;
    memset(log, 0, sizeof(drive->ncq_log));
    log[0] = first;
    log[2] = fields[0];
    log[3] = fields[1];
    put_lba(log, lba);
    log[7] = ATA_DEVICE_LBA;
    put_le16(log + 12, (uint16_t)count);
    uint8_t sum = 0;
    for (size_t i = 0; i < 511; i++) {
        sum = (uint8_t)(sum + log[i]);
    }
    log[511] = (uint8_t)(0x100 - sum);
}

void sim_drive_end_error(struct sim_drive *drive, unsigned tag, uint8_t status, uint8_t error,
                         uint64_t lba)
{
    const struct sim_work *work = &drive->work[tag];
    note_end(drive, tag, status, error);
    if (tag == SIM_UNQUEUED) {
        send_d2h(drive, true, status, error, lba, 0);
        return;
    }
    fill_error_log(drive, (uint8_t)tag, (const uint8_t[]){ status, error }, lba, work->c.count);
    drive->ncq_error = true;
    give_up_queue(drive);
    send_sdb(drive, status, error, 0);
}

/* --- commands from the host ----------------------------------------------------------------- */

static size_t log_command(struct sim_drive *drive, const struct sim_command *c)
{
    struct sim_drive_log *log = &drive->log;
    if (log->commands == log->command_room) {
        log->command_room = log->command_room == 0 ? 256 : log->command_room * 2;
        log->command = realloc(log->command, log->command_room * sizeof(log->command[0]));
        if (log->command == NULL) {
            abort();
        }
    }
    log->command[log->commands] = *c;
    log->by_opcode[c->opcode]++;
    return log->commands++;
}

static struct sim_command decode(const struct sim_drive *drive, const uint8_t *fis,
                                 const struct sim_opcode *row)
{
    bool ext = row == NULL || (row->traits & SIM_EXT) != 0;
    bool medium = row != NULL && (row->traits & SIM_MEDIA) != 0;
    bool queued =
        row != NULL && (row->protocol == SIM_QUEUED_IN || row->protocol == SIM_QUEUED_OUT);
    uint32_t features = fis[3] | (uint32_t)fis[11] << 8;
    uint32_t count = get_le16(fis + 12);
    struct sim_command c = {
        .at_ns = drive->clock->now_ns,
        .opcode = fis[2],
        .device = fis[7],
        .status = STATUS_NONE,
        .feature = (uint16_t)(ext ? features : features & 0xff),
        .lba = fis[4] | (uint64_t)fis[5] << 8 | (uint64_t)fis[6] << 16,
        .count = ext ? count : count & 0xff,
    };
    if (ext) {
        c.lba |= (uint64_t)fis[8] << 24 | (uint64_t)fis[9] << 32 | (uint64_t)fis[10] << 40;
    } else {
        c.lba |= (uint64_t)(fis[7] & 0x0f) << 24;
    }
    if (queued) {
        c.tag = (uint16_t)(count >> 3 & 0x1f);
        c.count = features;
    }
    if (medium && c.count == 0) {
        c.count = ext ? 65536 : 256;
    }
    return c;
}

static uint64_t duration_ns(struct sim_drive *drive, const struct sim_work *work, bool queued)
{
    const struct sim_drive_config *c = &drive->config;
    uint64_t ns = c->command_us * NS_PER_US;
    const struct sim_opcode *row = sim_opcode_find(work->c.opcode);
    if ((row->traits & SIM_MEDIA) != 0) {
        ns += work->c.count * c->sector_ns;
    }
    if (work->c.opcode == ATA_FLUSH_CACHE || work->c.opcode == ATA_FLUSH_CACHE_EXT) {
        ns = c->flush_us * NS_PER_US;
    }
    if (work->c.opcode == ATA_DATA_SET_MANAGEMENT) {
        ns = c->trim_us * NS_PER_US;
    }
    if (queued && c->jitter_us > 0) {
        ns += next_random(drive) % (c->jitter_us * NS_PER_US);
    }
    if (work->fault != NULL && work->fault->what == SIM_SLOW) {
        ns += work->fault->us * NS_PER_US;
    }
    return ns;
}

/* A command that never gets as far as being worked on. */
static void refuse(struct sim_drive *drive, struct sim_command *c, uint8_t error)
{
    struct sim_work *work = &drive->work[SIM_UNQUEUED];
    *work = (struct sim_work){ .busy = true, .log = log_command(drive, c), .c = *c };
    sim_drive_end_error(drive, SIM_UNQUEUED, STATUS_ERROR, error, c->lba);
}

static bool queue_is_empty(const struct sim_drive *drive)
{
    for (unsigned tag = 0; tag < SIM_UNQUEUED; tag++) {
        if (drive->work[tag].busy) {
            return false;
        }
    }
    return true;
}

/* Accept a checked command: start its clock, apply the script. */
static void accept(struct sim_drive *drive, const struct sim_opcode *row,
                   const struct sim_command *c)
{
    bool queued = row->protocol == SIM_QUEUED_IN || row->protocol == SIM_QUEUED_OUT;
    unsigned tag = queued ? c->tag : SIM_UNQUEUED;
    struct sim_occasion occasion = { .port = drive->port,
                                     .opcode = c->opcode,
                                     .lba = c->lba,
                                     .count = (row->traits & SIM_MEDIA) != 0 ? c->count : 0 };
    struct sim_work *work = &drive->work[tag];
    *work = (struct sim_work){ .busy = true, .log = log_command(drive, c), .c = *c };
    work->fault = sim_fault_strikes(drive->faults, SIM_DEVICE_ERROR, SIM_SERIAL_CHANGED, &occasion);
    enum sim_fault_what what = work->fault == NULL ? SIM_NO_FAULT : work->fault->what;
    if (what == SIM_LINK_DROP || what == SIM_SERIAL_CHANGED) {
        uint64_t us = work->fault->us;
        if (what == SIM_SERIAL_CHANGED) {
            drive->replaced = true;
            us = us == 0 ? 1000000 : us;
        }
        sim_drive_drop_link(drive);
        if (us > 0) {
            sim_clock_after(drive->clock, us * NS_PER_US, drive->run, drive,
                            sim_drive_event(drive, EVENT_RETURN, 0));
        }
        return;
    }
    if (queued) {
        send_d2h(drive, false, STATUS_GOOD, 0, c->lba, 0); /* accepted: the host may send more */
    }
    bool hangs = what == SIM_HANG ||
                 (c->opcode == ATA_DATA_SET_MANAGEMENT && drive->config.trim == SIM_TRIM_HANGS);
    work->silent = what == SIM_LOST_COMPLETION;
    if (!hangs) {
        sim_clock_after(drive->clock, duration_ns(drive, work, queued), drive->run, drive,
                        sim_drive_event(drive, EVENT_EXECUTE, tag));
    }
}

void sim_drive_receive(void *self, const uint8_t *fis, size_t bytes)
{
    struct sim_drive *drive = self;
    if (!drive->link_up || bytes != FIS_H2D_BYTES || fis[0] != FIS_REG_H2D) {
        sim_judge_note(drive->judge,
                       "frame of type %02Xh, %zu bytes: no command the drive can take", fis[0],
                       bytes);
        return;
    }
    if ((fis[1] & 0x80) == 0) {
        sim_judge_note(drive->judge, "device control frame (soft reset): not part of this model");
        return;
    }
    const struct sim_opcode *row = sim_opcode_find(fis[2]);
    struct sim_command c = decode(drive, fis, row);
    if ((c.device & 0x10) != 0) {
        log_command(drive, &c); /* addressed to a second drive: nobody answers */
        sim_judge_note(drive->judge, "command %02Xh with the DEV bit set", c.opcode);
        return;
    }
    if (drive->work[SIM_UNQUEUED].busy) {
        log_command(drive, &c);
        sim_judge_note(drive->judge, "command %02Xh while %02Xh is in progress", c.opcode,
                       drive->work[SIM_UNQUEUED].c.opcode);
        return;
    }
    bool queued =
        row != NULL && (row->protocol == SIM_QUEUED_IN || row->protocol == SIM_QUEUED_OUT);
    bool tag_taken = queued && (c.tag >= drive->queue_depth || drive->work[c.tag].busy);
    if (!queue_is_empty(drive) && (!queued || tag_taken)) {
        /* SATA 13.6.3.1: this ends the whole queue in error. */
        sim_judge_note(drive->judge,
                       queued ? "command %02Xh with a tag in use or beyond the depth: %u"
                              : "command %02Xh while queued commands are outstanding",
                       c.opcode, c.tag);
        fill_error_log(drive, 0x80, (const uint8_t[]){ STATUS_ERROR, ATA_ERR_ABRT }, c.lba,
                       c.count);
        drive->ncq_error = true;
        give_up_queue(drive);
        refuse(drive, &c, ATA_ERR_ABRT);
        return;
    }
    if (tag_taken) {
        sim_judge_note(drive->judge, "queued command with tag %u of %u", c.tag, drive->queue_depth);
        refuse(drive, &c, ATA_ERR_ABRT);
        return;
    }
    uint8_t error = sim_ata_check(drive, row, &c);
    if (error != 0) {
        refuse(drive, &c, error);
        return;
    }
    accept(drive, row, &c);
}
