/* Shared by the files of ata/ only: the way one command takes to the port. */
#ifndef ATA_INTERNAL_H
#define ATA_INTERNAL_H

#include "ata/dev.h"

/* Where a command's data lie. */
struct data_area {
    uint64_t bus;
    uint32_t bytes;
    const uint8_t *cpu;
};

/* Ask the write gate, then hand the command to slot `slot`. The only way from ata/ to the drive. ERR_REFUSED:
 * nothing was sent (dev->refusal); else as ahci_port_issue(). */
enum err dev_send(struct ata_dev *dev, unsigned slot, const struct ata_taskfile *tf,
                  const struct data_area *area);

/* One unqueued command from start to end, without recovery. Adds to *times when it ended well. */
enum err dev_exec(struct ata_dev *dev, const struct ata_taskfile *tf, const struct data_area *area,
                  struct ata_times *times);

/* Keep the evidence of a failed command in dev->failure, then get the port working again. After a COMRESET the
 * drive is identified anew; when it is another one, or does not answer, the permit is gone. `tf` is the command to
 * blame; `slots` (queued transfers, else NULL) are the commands by tag, should the drive's log name another. */
void dev_recover(struct ata_dev *dev, enum err err, const struct ata_taskfile *tf,
                 const struct ata_taskfile *slots);

/* Fill bytes with poison that no drive holds, and count what is still poison. */
void poison_fill(uint8_t *at, size_t bytes, uint64_t nonce);
size_t poison_left(const uint8_t *at, size_t bytes, uint64_t nonce, size_t *first);

/* After a read ended well: is all of it there? Looks again after 1 ms. OK or ERR_DATA, dev->data_fault filled. */
enum err dev_check_arrival(struct ata_dev *dev, const uint8_t *at, size_t bytes, uint64_t nonce,
                           uint64_t lba);

/* Did the controller count as many bytes as the command asked for? PRDBC is defined for unqueued commands only
 * (AHCI 1.3.1 4.2.2). OK or ERR_DATA, dev->data_fault filled. */
enum err dev_check_count(struct ata_dev *dev, uint64_t lba, uint32_t prdbc, uint32_t expected);

#endif
