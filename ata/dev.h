/* One ATA drive behind one AHCI port: identify, read, write, flush, TRIM. Every command goes through one
 * function that asks the write gate first. Reads are honest: the buffer is poisoned before the command, the
 * byte count checked after it, and data that did not arrive is ERR_DATA, never zeros. */
#ifndef ATA_DEV_H
#define ATA_DEV_H

#include "ahci/ahci.h"
#include "ata/command.h"
#include "ata/identify.h"
#include "ata/permit.h"

enum ata_method {
    ATA_METHOD_PIO,
    ATA_METHOD_DMA,
    ATA_METHOD_NCQ,
};

/* Numbers of one transfer (or of many, added up). Times are PxCI write to the poll that saw completion. */
struct ata_times {
    uint64_t commands;
    uint64_t bytes;
    uint64_t wall_ns;        /* first issue to last completion */
    uint64_t latency_ns_min; /* of one command; 0 when commands is 0 */
    uint64_t latency_ns_max;
    uint64_t latency_ns_sum;
    uint64_t poll_gap_ns_max;
};

/* The last thing that went wrong, kept for the report until the next error. */
struct ata_failure {
    enum err err; /* OK: nothing yet */
    const char *command;
    uint64_t lba; /* of the failing command */
    uint64_t count;
    bool lba_exact; /* device_lba is inside the command and comes from the drive */
    uint64_t device_lba;
    uint8_t status;
    uint8_t error;
    uint32_t is, serr, ssts;
    bool was_reset; /* recovery needed a COMRESET */
    bool recovered; /* the port works again */
};

/* Data that arrived late or not at all. Both looks are kept. */
struct ata_data_fault {
    uint64_t count; /* how many reads had it */
    uint64_t late;  /* of those, how many were complete 1 ms later */
    uint64_t
        lba; /* the first one: start of its transfer (of its command where only PRDBC was wrong) */
    uint64_t offset_bytes;         /* first missing byte, counted from there */
    uint64_t missing_bytes_first;  /* at the first look */
    uint64_t missing_bytes_second; /* 1 ms later */
    uint32_t prdbc;
    uint32_t expected_bytes;
};

struct ata_dev {
    struct ahci_port *port;
    struct platform *plat;
    struct ata_identity id;
    bool identified; /* id is what this drive said after the last reset */
    enum boot_medium boot_medium;
    bool contact_ok; /* set by the contact check; no permit before */
    struct ata_permit permit;
    struct ata_refusal refusal;
    struct ata_failure failure;
    struct ata_data_fault data_fault;
    uint64_t canary_faults; /* DMA arena: bytes outside a read's buffer that changed */
    uint64_t poison;        /* changes with every read */

    struct dma_buffer arena; /* guard | page | guard | data | guard */
    uint8_t *page;           /* IDENTIFY, log and TRIM data */
    uint64_t page_bus;
    uint8_t *data; /* the caller's window into the arena */
    uint64_t data_bus;
    size_t data_bytes;
};

enum {
    ATA_DATA_BYTES = 4 << 20, /* data window */
    ATA_PAGE_BYTES = 4096,
    ATA_LATE_LOOK_US =
        1000, /* a buffer with something wrong in it is looked at again after so long */
    ATA_GUARD_BYTES = 4096, /* canaries in front of, between and behind them */
    ATA_TRIM_BLOCKS_MAX = ATA_PAGE_BYTES / 512,
};

/* A range of sectors to move through dev->data, from its start. */
struct ata_transfer {
    enum ata_method method;
    bool write;
    uint64_t lba;
    uint32_t count;         /* sectors; count x logical_bytes <= dev->data_bytes */
    uint32_t chunk_sectors; /* per command; 0: as large as the command allows, up to 1 MiB */
    unsigned depth;         /* commands in flight, 1..queue depth; 1 unless NCQ */
};

/* Attach to a started port: DMA memory, IDENTIFY (with SET FEATURES spin-up never sent: it is not on the
 * allow-list; such a drive is reported). ERR_NO_MEMORY; else as ata_identify(). */
enum err ata_dev_open(struct ata_dev *dev, struct ahci_port *port, enum boot_medium boot_medium);
/* Frees the memory (unless the engine never stopped) and forgets the permit. Stop the port first. Idempotent. */
void ata_dev_close(struct ata_dev *dev);

/* IDENTIFY DEVICE into dev->id. Errors as ata_transfer(). At most 10 s, plus recovery as there. */
enum err ata_identify(struct ata_dev *dev);

/* Grant the permit. `why` gets a sentence on ERR_REFUSED: serial number or port differs from the drive's, boot
 * medium (or not known), contact not passed, empty range, range beyond the drive, zero budget. */
enum err ata_dev_permit(struct ata_dev *dev, const struct ata_permit *wanted, const char **why);

/* May this drive be sent queued commands here: drive and controller say so, and it has 48-bit addressing. */
static inline bool ata_dev_queues(const struct ata_dev *dev)
{
    return dev->id.ncq && dev->id.lba48 && (dev->port->hba->before.cap & CAP_SNCQ) != 0;
}

/* Move one range. Reads: bytes of dev->data beyond what arrived are poison. Adds to *times (may be NULL).
 * ERR_REFUSED (see dev->refusal), ERR_DEVICE, ERR_BUS, ERR_TIMEOUT, ERR_LINK, ERR_GONE, ERR_CHANGED (see
 * dev->failure; the port was recovered where it could be), ERR_DATA (see dev->data_fault), ERR_INVALID:
 * outside the drive or the window. Longest time: 30 s a command, plus recovery (at most 60 s) once. */
enum err ata_transfer(struct ata_dev *dev, const struct ata_transfer *t, struct ata_times *times);

/* FLUSH CACHE (EXT). As ata_transfer(); at most 60 s. */
enum err ata_flush(struct ata_dev *dev, struct ata_times *times);

/* One TRIM range entry (ACS-3 7.5.3.2): count 0..65535, 0 is ignored by the drive. */
struct ata_range {
    uint64_t lba;
    uint32_t count;
};

/* One DATA SET MANAGEMENT command with exactly these entries (padded with zeros to whole blocks, at most
 * id.dsm_blocks_max blocks of 64, and ATA_TRIM_BLOCKS_MAX). As ata_transfer(); at most 120 s. */
enum err ata_trim(struct ata_dev *dev, const struct ata_range *entries, unsigned count,
                  struct ata_times *times);

/* The canaries around the data window: counts damage into dev->canary_faults and repairs them. */
bool ata_dev_canaries_intact(struct ata_dev *dev);

void ata_times_add(struct ata_times *sum, const struct ata_times *part);

#endif
