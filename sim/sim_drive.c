/* The drive's front: link, frames, the command queue, errors, the log. */
#include "sim/sim_drive.h"

#include <stdio.h>
#include <stdlib.h>

#include "ahci/ahci_regs.h"
#include "sim/sim_drive_internal.h"

/* Events carry what they are and the epoch they belong to; after a reset the old ones are void. */
enum drive_event { EVENT_EXECUTE, EVENT_SEEN, EVENT_UP, EVENT_SIGNATURE, EVENT_RETURN };

static uint64_t event_argument(const struct sim_drive *drive, enum drive_event event, unsigned tag)
{
    return (uint64_t)drive->epoch << 16 | (uint64_t)event << 8 | tag;
}

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
    for (unsigned i = 0; i < 3; i++) {
        fis[4 + i] = (uint8_t)(lba >> 8 * i);
        fis[8 + i] = (uint8_t)(lba >> (24 + 8 * i));
    }
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
    } else if (row->protocol != SIM_PIO_IN) {
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

static void drop_link(struct sim_drive *drive)
{
    drive->epoch++;
    drive->link_up = false;
    drive->plugged = false;
    drive->ncq_error = false;
    memset(drive->work, 0, sizeof(drive->work));
    drive->host.phy(drive->host.self, SIM_PHY_NONE, 0);
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
        drop_link(drive);
        if (us > 0) {
            sim_clock_after(drive->clock, us * NS_PER_US, drive->run, drive,
                            event_argument(drive, EVENT_RETURN, 0));
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
                        event_argument(drive, EVENT_EXECUTE, tag));
    }
}

static void receive(void *self, const uint8_t *fis, size_t bytes)
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

/* --- the link --------------------------------------------------------------------------------- */

static void send_signature(struct sim_drive *drive, uint32_t signature)
{
    uint64_t lba = signature >> 8;
    bool ata = signature == 0x00000101;
    uint8_t fis[20] = { FIS_REG_D2H, 0, ata ? STATUS_GOOD : 0, 0x01 };
    put_lba(fis, lba);
    fis[12] = (uint8_t)signature;
    drive->host.receive(drive->host.self, fis, sizeof(fis));
}

static void set_generation(struct sim_drive *drive)
{
    unsigned limit = drive->generation_limit;
    drive->generation = drive->config.generation;
    if (limit != 0 && limit < drive->generation) {
        drive->generation = limit;
    }
}

static void start_link(struct sim_drive *drive)
{
    const struct sim_drive_config *c = &drive->config;
    set_generation(drive);
    struct sim_occasion occasion = { .port = drive->port };
    const struct sim_fault *fault =
        sim_fault_strikes(drive->faults, SIM_BSY_STUCK, SIM_SIGNATURE, &occasion);
    enum sim_fault_what what = fault == NULL ? SIM_NO_FAULT : fault->what;
    if (what == SIM_NO_PRESENCE) {
        return;
    }
    uint64_t seen_ns = c->link_us * NS_PER_US / 10;
    uint64_t up_ns = what == SIM_DET_LATE ? fault->us * NS_PER_US : c->link_us * NS_PER_US;
    sim_clock_after(drive->clock, seen_ns, drive->run, drive, event_argument(drive, EVENT_SEEN, 0));
    if (what == SIM_NO_LINK) {
        return;
    }
    sim_clock_after(drive->clock, up_ns, drive->run, drive, event_argument(drive, EVENT_UP, 0));
    drive->signature_now = what == SIM_SIGNATURE ? (uint32_t)fault->value : c->signature;
    if (what != SIM_BSY_STUCK) {
        sim_clock_after(drive->clock, up_ns + c->ready_us * NS_PER_US, drive->run, drive,
                        event_argument(drive, EVENT_SIGNATURE, 0));
    }
}

static void comreset(void *self, unsigned generation_limit)
{
    struct sim_drive *drive = self;
    drive->log.comresets++;
    drive->generation_limit = generation_limit;
    if (!drive->plugged) {
        return;
    }
    drive->epoch++;
    drive->link_up = false;
    drive->ncq_error = false;
    memset(drive->work, 0, sizeof(drive->work));
    start_link(drive);
}

static void become_other(struct sim_drive *drive, const char *serial)
{
    snprintf(drive->serial, sizeof(drive->serial), "%s", serial);
    drive->other = true;
    sim_store_free(&drive->store);
    sim_identify_build(drive);
    sim_store_init(&drive->store, drive->sector_bytes, drive->config.content, drive->store_trimmed,
                   drive->config.seed + 1);
}

void sim_drive_plug(struct sim_drive *drive, const char *other_serial)
{
    if (other_serial != NULL) {
        become_other(drive, other_serial);
    }
    drive->plugged = true;
    drive->standing_by = drive->config.standby;
    start_link(drive);
}

void sim_drive_unplug(struct sim_drive *drive)
{
    drop_link(drive);
}

static void run_event(void *context, uint64_t argument)
{
    struct sim_drive *drive = context;
    if (argument >> 16 != drive->epoch) {
        return;
    }
    unsigned tag = argument & 0xff;
    switch ((enum drive_event)(argument >> 8 & 0xff)) {
    case EVENT_EXECUTE:
        sim_ata_execute(drive, tag);
        break;
    case EVENT_SEEN:
        drive->host.phy(drive->host.self, SIM_PHY_SEEN, 0);
        break;
    case EVENT_UP:
        drive->link_up = true;
        drive->host.phy(drive->host.self, SIM_PHY_UP, drive->generation);
        break;
    case EVENT_SIGNATURE:
        send_signature(drive, drive->signature_now);
        break;
    case EVENT_RETURN:
        sim_drive_plug(drive, drive->replaced ? "OTHER-DRIVE-1" : NULL);
        drive->replaced = false;
        break;
    }
}

/* --- construction and inspection ----------------------------------------------------------------- */

static void set_defaults(struct sim_drive_config *c)
{
    c->model = c->model == NULL ? "SIM SSD" : c->model;
    c->serial = c->serial == NULL ? "SIM0001" : c->serial;
    c->firmware = c->firmware == NULL ? "1.0" : c->firmware;
    c->sectors = c->sectors == 0 ? 20000000 : c->sectors;
    c->logical_bytes = c->logical_bytes == 0 ? 512 : c->logical_bytes;
    c->physical_bytes = c->physical_bytes == 0 ? c->logical_bytes : c->physical_bytes;
    c->queue_depth = c->queue_depth == 0 ? 32 : c->queue_depth;
    c->generation = c->generation == 0 ? 3 : c->generation;
    c->rotation = c->rotation == 0 ? 1 : c->rotation;
    c->trim_granule = c->trim_granule == 0 ? 1 : c->trim_granule;
    c->trim_us = c->trim_us == 0 ? 200 : c->trim_us;
    c->command_us = c->command_us == 0 ? 50 : c->command_us;
    c->sector_ns = c->sector_ns == 0 ? 1000 : c->sector_ns;
    c->jitter_us = c->jitter_us == 0 ? 40 : c->jitter_us;
    c->flush_us = c->flush_us == 0 ? 500 : c->flush_us;
    c->link_us = c->link_us == 0 ? 1000 : c->link_us;
    c->ready_us = c->ready_us == 0 ? 2000 : c->ready_us;
    c->signature = c->signature == 0 ? 0x00000101 : c->signature;
}

void sim_drive_init(struct sim_drive *drive, const struct sim_drive_config *config,
                    struct sim_clock *clock, struct sim_judge *judge, struct sim_faults *faults)
{
    memset(drive, 0, sizeof(*drive));
    drive->config = *config;
    set_defaults(&drive->config);
    drive->clock = clock;
    drive->judge = judge;
    drive->faults = faults;
    drive->run = run_event;
    drive->plugged = true;
    drive->random = (config->seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    snprintf(drive->serial, sizeof(drive->serial), "%s", drive->config.serial);
    drive->generation = drive->config.generation;
    drive->standing_by = drive->config.standby;
    sim_identify_build(drive);
    drive->store_trimmed = config->trim == SIM_TRIM_ONES       ? SIM_TRIMMED_ONES
                           : config->trim == SIM_TRIM_UNSTABLE ? SIM_TRIMMED_UNSTABLE
                                                               : SIM_TRIMMED_ZEROS;
    sim_store_init(&drive->store, drive->sector_bytes, config->content, drive->store_trimmed,
                   config->seed);
}

void sim_drive_free(struct sim_drive *drive)
{
    if (drive->clock == NULL) {
        return;
    }
    sim_clock_cancel(drive->clock, drive);
    sim_store_free(&drive->store);
    free(drive->log.command);
    free(drive->log.trim);
    drive->log.command = NULL;
    drive->log.trim = NULL;
    drive->log.commands = 0;
    drive->log.trims = 0;
    drive->clock = NULL; /* the counters stay, to be looked at */
}

struct sim_device sim_drive_connect(struct sim_drive *drive, const struct sim_host *host,
                                    unsigned port)
{
    drive->host = *host;
    drive->port = port;
    return (struct sim_device){ .self = drive, .receive = receive, .comreset = comreset };
}

void sim_drive_power_up(struct sim_drive *drive, unsigned generation_limit)
{
    drive->generation_limit = generation_limit;
    set_generation(drive);
    drive->link_up = true;
    drive->host.phy(drive->host.self, SIM_PHY_SEEN, 0);
    drive->host.phy(drive->host.self, SIM_PHY_UP, drive->generation);
    send_signature(drive, drive->config.signature);
}

void sim_drive_identify(const struct sim_drive *drive, uint8_t out[512])
{
    uint16_t words[256];
    sim_identify_words(drive, words);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        put_le16(out + 2 * i, words[i]);
    }
}

void sim_drive_peek(struct sim_drive *drive, uint64_t lba, void *sector)
{
    sim_store_read(&drive->store, lba, sector);
}

void sim_drive_poke(struct sim_drive *drive, uint64_t lba, const void *sector)
{
    sim_store_write(&drive->store, lba, sector);
}

uint64_t sim_drive_count(const struct sim_drive *drive, uint8_t opcode)
{
    return drive->log.by_opcode[opcode];
}

const struct sim_command *sim_drive_last(const struct sim_drive *drive, uint8_t opcode)
{
    for (size_t i = drive->log.commands; i > 0; i--) {
        if (drive->log.command[i - 1].opcode == opcode) {
            return &drive->log.command[i - 1];
        }
    }
    return NULL;
}

uint64_t sim_drive_count_changes(const struct sim_drive *drive)
{
    uint64_t count = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct sim_opcode *row = sim_opcode_find((uint8_t)opcode);
        /* An opcode the model does not know may do anything. */
        if (row == NULL || (row->traits & SIM_CHANGES) != 0) {
            count += drive->log.by_opcode[opcode];
        }
    }
    return count;
}
