/* The permit: what one run may do to one drive. Nothing that changes a drive is sent without one. It is
 * bound to a serial number and a port, carries an LBA range, the kinds of command and a byte budget, and it
 * dies with the run. A drive that holds (or may hold) the boot medium never gets one. */
#ifndef ATA_PERMIT_H
#define ATA_PERMIT_H

#include "ata/command.h"
#include "lib/err.h"

struct ata_permit {
    bool granted;
    char serial[21];
    unsigned port;    /* the controller's port the drive is on */
    uint32_t effects; /* enum ata_effect bits allowed */
    uint64_t lba_first;
    uint64_t lba_count;
    uint64_t budget_bytes; /* written bytes that may still be spent in all */
    uint64_t spent_bytes;
};

/* What the gate refused last, for the report. */
struct ata_refusal {
    const char *reason; /* NULL: nothing was refused */
    const char *command;
    uint64_t lba;
    uint64_t count;
};

/* May this command go out? A pure function: no permit is needed for rows without effect. `trim` is the
 * DSM data for ATA_CMD_TRIM (tf->count blocks), else NULL. Returns NULL for yes, else the reason. */
const char *ata_permit_check(const struct ata_permit *permit, const char *drive_serial,
                             const struct ata_taskfile *tf, uint32_t logical_bytes,
                             const uint8_t *trim);

#endif
