/* The write gate's judgement. It knows nothing but its arguments, so that it can be tested whole. */
#include "ata/permit.h"

static bool inside(const struct ata_permit *permit, uint64_t lba, uint64_t count)
{
    return lba >= permit->lba_first && count <= permit->lba_count &&
           lba - permit->lba_first <= permit->lba_count - count;
}

static const char *check_trim(const struct ata_permit *permit, const uint8_t *trim, uint32_t blocks)
{
    if (trim == NULL) {
        return "TRIM without its ranges";
    }
    for (uint32_t i = 0; i < blocks * ATA_DSM_ENTRIES_PER_BLOCK; i++) {
        uint64_t entry = get_le64(trim + (size_t)i * ATA_DSM_ENTRY_BYTES);
        uint64_t count = entry >> 48;
        uint64_t lba = entry & (ATA_LBA48_END - 1);
        /* A zero-length entry with an address must name a place inside, too: a drive may get it wrong. */
        if (entry != 0 && !inside(permit, lba, max_u64(count, 1))) {
            return "a TRIM range outside the permitted sectors";
        }
    }
    return NULL;
}

const char *ata_permit_check(const struct ata_permit *permit, const char *drive_serial,
                             const struct ata_taskfile *tf, uint32_t logical_bytes,
                             const uint8_t *trim)
{
    const struct ata_command *c = ata_command_get(tf->id);
    if (c->effect == ATA_EFFECT_NONE) {
        return NULL;
    }
    if (!permit->granted) {
        return "no permit for this drive";
    }
    if (drive_serial[0] == '\0' || strcmp(permit->serial, drive_serial) != 0) {
        return "the permit is for another serial number";
    }
    if ((c->effect & ~permit->effects) != 0) {
        return "the permit does not cover this kind of command";
    }
    if ((c->effect & ATA_EFFECT_TRIM) != 0) {
        return check_trim(permit, trim, tf->count);
    }
    if ((c->effect & ATA_EFFECT_WRITE) != 0) {
        if (!inside(permit, tf->lba, tf->count)) {
            return "sectors outside the permitted range";
        }
        if ((uint64_t)tf->count * logical_bytes > permit->budget_bytes - permit->spent_bytes) {
            return "the byte budget is used up";
        }
        return NULL;
    }
    return "no permit covers this command";
}
