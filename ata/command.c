/* The command table, and the one place where a task file becomes bytes. */
#include "ata/command.h"

/* Deadlines: what shipping drivers grant each class of command, see docs/SPEC-NOTES.md. */
enum {
    IDENTIFY_MS = 10000,
    TRANSFER_MS = 30000,
    LOG_MS = 15000,
    FLUSH_MS = 60000,
    TRIM_MS = 120000,
};

const struct ata_command *ata_command_get(enum ata_command_id id)
{
    /* clang-format off */
    static const struct ata_command table[ATA_CMD_COUNT] = {
        [ATA_CMD_IDENTIFY] = { "IDENTIFY DEVICE", ATA_IDENTIFY_DEVICE, 0, ATA_PIO_IN, ATA_NO_ADDRESS, ATA_EFFECT_NONE, IDENTIFY_MS },
        [ATA_CMD_READ_SECTORS] = { "READ SECTOR(S)", ATA_READ_SECTORS, 0, ATA_PIO_IN, ATA_LBA28_COUNT, ATA_EFFECT_NONE, TRANSFER_MS },
        [ATA_CMD_READ_SECTORS_EXT] = { "READ SECTOR(S) EXT", ATA_READ_SECTORS_EXT, 0, ATA_PIO_IN, ATA_LBA48_COUNT, ATA_EFFECT_NONE, TRANSFER_MS },
        [ATA_CMD_READ_DMA] = { "READ DMA", ATA_READ_DMA, 0, ATA_DMA_IN, ATA_LBA28_COUNT, ATA_EFFECT_NONE, TRANSFER_MS },
        [ATA_CMD_READ_DMA_EXT] = { "READ DMA EXT", ATA_READ_DMA_EXT, 0, ATA_DMA_IN, ATA_LBA48_COUNT, ATA_EFFECT_NONE, TRANSFER_MS },
        [ATA_CMD_READ_FPDMA] = { "READ FPDMA QUEUED", ATA_READ_FPDMA_QUEUED, 0, ATA_NCQ_IN, ATA_LBA48_QUEUED, ATA_EFFECT_NONE, TRANSFER_MS },
        [ATA_CMD_READ_LOG_EXT] = { "READ LOG EXT", ATA_READ_LOG_EXT, 0, ATA_PIO_IN, ATA_LBA48_BLOCKS, ATA_EFFECT_NONE, LOG_MS },
        [ATA_CMD_FLUSH] = { "FLUSH CACHE", ATA_FLUSH_CACHE, 0, ATA_NON_DATA, ATA_NO_ADDRESS, ATA_EFFECT_NONE, FLUSH_MS },
        [ATA_CMD_FLUSH_EXT] = { "FLUSH CACHE EXT", ATA_FLUSH_CACHE_EXT, 0, ATA_NON_DATA, ATA_NO_ADDRESS, ATA_EFFECT_NONE, FLUSH_MS },
        [ATA_CMD_WRITE_DMA] = { "WRITE DMA", ATA_WRITE_DMA, 0, ATA_DMA_OUT, ATA_LBA28_COUNT, ATA_EFFECT_WRITE, TRANSFER_MS },
        [ATA_CMD_WRITE_DMA_EXT] = { "WRITE DMA EXT", ATA_WRITE_DMA_EXT, 0, ATA_DMA_OUT, ATA_LBA48_COUNT, ATA_EFFECT_WRITE, TRANSFER_MS },
        [ATA_CMD_WRITE_FPDMA] = { "WRITE FPDMA QUEUED", ATA_WRITE_FPDMA_QUEUED, 0, ATA_NCQ_OUT, ATA_LBA48_QUEUED, ATA_EFFECT_WRITE, TRANSFER_MS },
        [ATA_CMD_TRIM] = { "DATA SET MANAGEMENT (TRIM)", ATA_DATA_SET_MANAGEMENT, ATA_DSM_FEATURE_TRIM, ATA_DMA_OUT, ATA_LBA48_BLOCKS, ATA_EFFECT_TRIM, TRIM_MS },
    };
    /* clang-format on */
    ASSERT((unsigned)id < ATA_CMD_COUNT);
    return &table[id];
}

bool ata_taskfile_valid(const struct ata_taskfile *tf)
{
    const struct ata_command *c = ata_command_get(tf->id);
    switch (c->address) {
    case ATA_NO_ADDRESS:
        return tf->lba == 0 && tf->count == 0;
    case ATA_LBA28_COUNT:
        return tf->count >= 1 && tf->count <= ATA_LBA28_SECTORS_MAX &&
               tf->lba + tf->count <= ATA_LBA28_END;
    case ATA_LBA48_QUEUED:
        return tf->tag < 32 && tf->count >= 1 && tf->count <= ATA_LBA48_SECTORS_MAX &&
               tf->lba < ATA_LBA48_END && tf->lba + tf->count <= ATA_LBA48_END;
    case ATA_LBA48_COUNT:
    case ATA_LBA48_BLOCKS:
        return tf->count >= 1 && tf->count <= ATA_LBA48_SECTORS_MAX && tf->lba < ATA_LBA48_END &&
               tf->lba + tf->count <= ATA_LBA48_END;
    }
    return false;
}

void ata_taskfile_to_fis(const struct ata_taskfile *tf, uint8_t fis[FIS_H2D_BYTES])
{
    const struct ata_command *c = ata_command_get(tf->id);
    uint32_t count = tf->count;
    uint32_t feature = c->feature;
    uint8_t device = 0;
    ASSERT(ata_taskfile_valid(tf));
    switch (c->address) {
    case ATA_NO_ADDRESS:
        /* Some bridges refuse a PIO command whose count is 0. */
        count = c->protocol == ATA_PIO_IN ? 1 : 0;
        break;
    case ATA_LBA28_COUNT:
        device = (uint8_t)(ATA_DEVICE_LBA | (tf->lba >> 24 & 0x0f));
        count &= 0xff; /* 256 is sent as 0 */
        break;
    case ATA_LBA48_COUNT:
    case ATA_LBA48_BLOCKS:
        device = ATA_DEVICE_LBA;
        break;
    case ATA_LBA48_QUEUED:
        device = ATA_DEVICE_LBA;
        feature = count; /* the count travels in the feature registers, the tag in count 7:3 */
        count = tf->tag << 3;
        break;
    }
    memset(fis, 0, FIS_H2D_BYTES);
    fis[0] = FIS_REG_H2D;
    fis[1] = 0x80; /* C: this is a command; port multiplier port 0 */
    fis[2] = c->opcode;
    fis[3] = (uint8_t)feature;
    fis[4] = (uint8_t)tf->lba;
    fis[5] = (uint8_t)(tf->lba >> 8);
    fis[6] = (uint8_t)(tf->lba >> 16);
    fis[7] = device;
    if (c->address != ATA_LBA28_COUNT) {
        fis[8] = (uint8_t)(tf->lba >> 24);
        fis[9] = (uint8_t)(tf->lba >> 32);
        fis[10] = (uint8_t)(tf->lba >> 40);
        fis[11] = (uint8_t)(feature >> 8);
    }
    fis[12] = (uint8_t)count;
    fis[13] = (uint8_t)(count >> 8);
}

uint64_t ata_fis_lba(const uint8_t d2h[FIS_H2D_BYTES])
{
    return d2h[4] | (uint64_t)d2h[5] << 8 | (uint64_t)d2h[6] << 16 | (uint64_t)d2h[8] << 24 |
           (uint64_t)d2h[9] << 32 | (uint64_t)d2h[10] << 40;
}
