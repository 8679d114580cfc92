/* The drive as a whole: its link, its construction, what a test can ask it. */
#include "sim/sim_drive.h"

#include <stdio.h>
#include <stdlib.h>

#include "ahci/ahci_regs.h"
#include "sim/sim_drive_internal.h"

uint64_t sim_drive_event(const struct sim_drive *drive, enum drive_event event, unsigned tag)
{
    return (uint64_t)drive->epoch << 16 | (uint64_t)event << 8 | tag;
}

/* --- the link --------------------------------------------------------------------------------- */

void sim_drive_drop_link(struct sim_drive *drive)
{
    drive->epoch++;
    drive->link_up = false;
    drive->plugged = false;
    drive->ncq_error = false;
    memset(drive->work, 0, sizeof(drive->work));
    drive->host.phy(drive->host.self, SIM_PHY_NONE, 0);
}

static void send_signature(struct sim_drive *drive, uint32_t signature)
{
    bool ata = signature == 0x00000101;
    uint8_t fis[20] = { FIS_REG_D2H, 0, ata ? STATUS_GOOD : 0, 0x01 };
    fis[4] = (uint8_t)(signature >> 8);
    fis[5] = (uint8_t)(signature >> 16);
    fis[6] = (uint8_t)(signature >> 24);
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
    sim_clock_after(drive->clock, seen_ns, drive->run, drive,
                    sim_drive_event(drive, EVENT_SEEN, 0));
    if (what == SIM_NO_LINK) {
        return;
    }
    sim_clock_after(drive->clock, up_ns, drive->run, drive, sim_drive_event(drive, EVENT_UP, 0));
    drive->signature_now = what == SIM_SIGNATURE ? (uint32_t)fault->value : c->signature;
    if (what != SIM_BSY_STUCK) {
        sim_clock_after(drive->clock, up_ns + c->ready_us * NS_PER_US, drive->run, drive,
                        sim_drive_event(drive, EVENT_SIGNATURE, 0));
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
    sim_drive_drop_link(drive);
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
    return (struct sim_device){ .self = drive, .receive = sim_drive_receive, .comreset = comreset };
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
