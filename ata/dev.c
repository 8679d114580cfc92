/* One drive: the write gate in front of the port, single commands, and recovery. */
#include "ata/dev.h"

#include "ata/internal.h"

enum {
    SLOT = 0, /* unqueued commands use one slot */
    LOG_BYTES = 512,
    TAG_UNKNOWN = 32,
};

enum err dev_send(struct ata_dev *dev, unsigned slot, const struct ata_taskfile *tf,
                  const struct data_area *area)
{
    const struct ata_command *c = ata_command_get(tf->id);
    const uint8_t *trim = tf->id == ATA_CMD_TRIM ? area->cpu : NULL;
    const char *reason =
        ata_permit_check(&dev->permit, dev->id.serial, tf, dev->id.logical_bytes, trim);
    if (reason == NULL && c->effect != ATA_EFFECT_NONE && !dev->identified) {
        reason = "the drive was not identified since its last reset";
    }
    if (reason != NULL) {
        dev->refusal = (struct ata_refusal){
            .reason = reason, .command = c->name, .lba = tf->lba, .count = tf->count
        };
        return ERR_REFUSED;
    }
    struct ahci_request request = {
        .data_bus = area->bus,
        .data_bytes = area->bytes,
        .write = ata_command_out(c),
        .queued = ata_command_queued(c),
    };
    ata_taskfile_to_fis(tf, request.cfis);
    enum err err = ahci_port_issue(dev->port, slot, &request);
    if (err == OK && (c->effect & ATA_EFFECT_WRITE) != 0) {
        dev->permit.spent_bytes += area->bytes;
    }
    return err;
}

void ata_times_add(struct ata_times *sum, const struct ata_times *part)
{
    if (part->commands == 0) {
        return;
    }
    sum->latency_ns_min = sum->commands == 0 ? part->latency_ns_min
                                             : min_u64(sum->latency_ns_min, part->latency_ns_min);
    sum->latency_ns_max = max_u64(sum->latency_ns_max, part->latency_ns_max);
    sum->latency_ns_sum += part->latency_ns_sum;
    sum->poll_gap_ns_max = max_u64(sum->poll_gap_ns_max, part->poll_gap_ns_max);
    sum->commands += part->commands;
    sum->bytes += part->bytes;
    sum->wall_ns += part->wall_ns;
}

enum err dev_exec(struct ata_dev *dev, const struct ata_taskfile *tf, const struct data_area *area,
                  struct ata_times *times)
{
    const struct ata_command *c = ata_command_get(tf->id);
    struct platform *plat = dev->plat;
    dev->port->poll_gap_ns_max = 0;
    enum err err = dev_send(dev, SLOT, tf, area);
    if (err == OK) {
        uint64_t deadline = plat->clock_ns(plat) + c->timeout_ms * NS_PER_MS;
        err = ahci_port_wait_slots(dev->port, 1u << SLOT, deadline);
    }
    if (err == OK && times != NULL) {
        const struct ahci_slot *slot = &dev->port->slot[SLOT];
        uint64_t took = slot->done_ns - slot->issued_ns;
        struct ata_times one = { .commands = 1,
                                 .bytes = area->bytes,
                                 .wall_ns = took,
                                 .latency_ns_min = took,
                                 .latency_ns_max = took,
                                 .latency_ns_sum = took,
                                 .poll_gap_ns_max = dev->port->poll_gap_ns_max };
        ata_times_add(times, &one);
    }
    return err;
}

static struct data_area page_area(const struct ata_dev *dev, uint32_t bytes)
{
    return (struct data_area){ .bus = dev->page_bus, .bytes = bytes, .cpu = dev->page };
}

/* Read `bytes` into the page, honestly, without recovery. */
static enum err read_page(struct ata_dev *dev, const struct ata_taskfile *tf, uint32_t bytes,
                          struct ata_times *times)
{
    struct data_area area = page_area(dev, bytes);
    uint64_t nonce = ++dev->poison;
    poison_fill(dev->page, bytes, nonce);
    enum err err = dev_exec(dev, tf, &area, times);
    if (err == OK) {
        err = dev_check_count(dev, tf->lba, dev->port->slot[SLOT].prdbc, bytes);
    }
    if (err == OK) {
        err = dev_check_arrival(dev, dev->page, bytes, nonce, tf->lba);
    }
    return err;
}

/* READ LOG EXT page 0 of log 10h: which queued command failed. Reading it is also what ends the drive's queued
 * error state (ACS-3 13.7). False: the drive does not tell. */
static bool read_ncq_error_log(struct ata_dev *dev, unsigned *tag, uint64_t *lba)
{
    struct ata_taskfile tf = { .id = ATA_CMD_READ_LOG_EXT, .lba = ATA_LOG_NCQ_ERROR, .count = 1 };
    if (!dev->id.gpl || read_page(dev, &tf, LOG_BYTES, NULL) != OK) {
        return false;
    }
    bool not_queued = (dev->page[0] & 0x80) != 0;
    if (!not_queued) {
        *tag = dev->page[0] & 0x1f;
        *lba = ata_fis_lba(dev->page); /* bytes 4-6 and 8-10, as in a D2H FIS */
        dev->failure.status = dev->page[2];
        dev->failure.error = dev->page[3];
    }
    return true;
}

/* After a COMRESET another drive may answer: the permit survives only for the same one. */
static enum err identify_again(struct ata_dev *dev)
{
    struct ata_taskfile tf = { .id = ATA_CMD_IDENTIFY };
    struct ata_identity now;
    enum err err = read_page(dev, &tf, ATA_IDENTIFY_BYTES, NULL);
    if (err == OK) {
        ata_identify_parse(dev->page, &now);
        bool same = strcmp(now.serial, dev->id.serial) == 0 &&
                    strcmp(now.model, dev->id.model) == 0 && now.sectors == dev->id.sectors;
        err = same ? OK : ERR_CHANGED;
    }
    dev->identified = err == OK;
    if (err != OK) {
        dev->permit.granted = false;
    }
    return err;
}

/* COMRESET is due where the drive may still be at work, or may be another one. */
static bool needs_reset(enum err err)
{
    return err == ERR_TIMEOUT || err == ERR_LINK || err == ERR_CHANGED || err == ERR_BUS;
}

void dev_recover(struct ata_dev *dev, enum err err, const struct ata_taskfile *tf,
                 const struct ata_taskfile *slots)
{
    unsigned tag = TAG_UNKNOWN;
    const struct ahci_snapshot *s = &dev->port->failure;
    const struct ata_command *c = ata_command_get(tf->id);
    uint64_t device_lba = ata_fis_lba(s->d2h);
    struct ata_failure *f = &dev->failure;
    *f = (struct ata_failure){ .err = err, .command = c->name, .lba = tf->lba, .count = tf->count };
    if (dev->port->state != AHCI_PORT_FAILED) {
        f->recovered = true; /* the command ended well for the port; its data did not */
        return;
    }
    f->is = s->is;
    f->serr = s->serr;
    f->ssts = s->ssts;
    f->status = (uint8_t)(s->tfd & PxTFD_STS_MASK);
    f->error = (uint8_t)(s->tfd >> PxTFD_ERR_SHIFT);
    if (err == ERR_GONE) {
        dev->permit.granted = false;
        dev->identified = false;
        return;
    }
    err = ahci_port_recover(dev->port, needs_reset(err), &f->was_reset);
    if (err == OK && ata_command_queued(c) && !f->was_reset &&
        !read_ncq_error_log(dev, &tag, &device_lba)) {
        /* No log, or it failed: only a COMRESET ends the drive's error state. */
        err = ahci_port_recover(dev->port, true, &f->was_reset);
    }
    if (tag != TAG_UNKNOWN && slots != NULL) {
        tf = &slots[tag];
        f->lba = tf->lba;
        f->count = tf->count;
    }
    /* The LBA a drive names counts only with the bits that define it (ACS-3 6.2: UNC, IDNF). */
    if (c->address != ATA_LBA48_BLOCKS && (f->error & (ATA_ERR_UNC | ATA_ERR_IDNF)) != 0 &&
        device_lba >= tf->lba && device_lba - tf->lba < tf->count) {
        f->lba_exact = true;
        f->device_lba = device_lba;
    }
    if (err == OK && f->was_reset) {
        err = identify_again(dev);
    }
    if (err != OK) {
        dev->permit.granted = false;
        dev->identified = false;
    }
    f->recovered = err == OK;
}

/* What every public command does with its result. */
static enum err finish(struct ata_dev *dev, enum err err, const struct ata_taskfile *tf)
{
    if (err != OK && err != ERR_REFUSED) {
        dev_recover(dev, err, tf, NULL);
    }
    return err;
}

enum err ata_identify(struct ata_dev *dev)
{
    struct ata_taskfile tf = { .id = ATA_CMD_IDENTIFY };
    enum err err = read_page(dev, &tf, ATA_IDENTIFY_BYTES, NULL);
    if (err == OK) {
        ata_identify_parse(dev->page, &dev->id);
        dev->identified = true;
    }
    return finish(dev, err, &tf);
}

enum err ata_flush(struct ata_dev *dev, struct ata_times *times)
{
    struct data_area none = { .bytes = 0 };
    struct ata_taskfile tf = { .id = dev->id.flush_ext ? ATA_CMD_FLUSH_EXT : ATA_CMD_FLUSH };
    return finish(dev, dev_exec(dev, &tf, &none, times), &tf);
}

enum err ata_trim(struct ata_dev *dev, const struct ata_range *entries, unsigned count,
                  struct ata_times *times)
{
    unsigned blocks = (count + ATA_DSM_ENTRIES_PER_BLOCK - 1) / ATA_DSM_ENTRIES_PER_BLOCK;
    if (count == 0 || blocks > dev->id.dsm_blocks_max || blocks > ATA_TRIM_BLOCKS_MAX) {
        return ERR_INVALID;
    }
    memset(dev->page, 0, (size_t)blocks * ATA_DSM_BLOCK_BYTES);
    for (unsigned i = 0; i < count; i++) {
        if (entries[i].count > ATA_DSM_ENTRY_SECTORS_MAX || entries[i].lba >= ATA_LBA48_END) {
            return ERR_INVALID;
        }
        put_le64(dev->page + (size_t)i * ATA_DSM_ENTRY_BYTES,
                 entries[i].lba | (uint64_t)entries[i].count << 48);
    }
    struct ata_taskfile tf = { .id = ATA_CMD_TRIM, .count = blocks };
    struct data_area area = page_area(dev, blocks * ATA_DSM_BLOCK_BYTES);
    enum err err = finish(dev, dev_exec(dev, &tf, &area, times), &tf);
    if (err != OK && err != ERR_REFUSED) {
        /* The command itself has no address; what it was about is its first real range. */
        unsigned first = 0;
        while (first + 1 < count && entries[first].count == 0) {
            first++;
        }
        dev->failure.lba = entries[first].lba;
        dev->failure.count = entries[first].count;
    }
    return err;
}

enum err ata_dev_permit(struct ata_dev *dev, const struct ata_permit *wanted, const char **why)
{
    const char *reason = NULL;
    dev->permit.granted = false;
    if (!dev->identified || dev->id.unusable != NULL) {
        reason = "the drive is not identified, or is no possible target";
    } else if (dev->boot_medium != BOOT_MEDIUM_NO) {
        reason = dev->boot_medium == BOOT_MEDIUM_YES
                     ? "it is the medium this program was started from"
                     : "it may be the medium this program was started from";
    } else if (strcmp(wanted->serial, dev->id.serial) != 0) {
        reason = "the serial number is not this drive's";
    } else if (wanted->port != dev->port->number) {
        reason = "the permit is for another port";
    } else if (!dev->contact_ok) {
        reason = "the contact check has not passed on this controller";
    } else if (wanted->effects == 0 || wanted->lba_count == 0 || wanted->budget_bytes == 0) {
        reason = "a permit for nothing";
    } else if (wanted->lba_first >= dev->id.sectors ||
               wanted->lba_count > dev->id.sectors - wanted->lba_first) {
        reason = "the range lies beyond the end of the drive";
    }
    if (reason != NULL) {
        *why = reason;
        return ERR_REFUSED;
    }
    dev->permit = *wanted;
    dev->permit.spent_bytes = 0;
    dev->permit.granted = true;
    return OK;
}
