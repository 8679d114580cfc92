/* The command table: every ATA command BareTrim can send, one row each, and the way a task file becomes
 * the bytes of an H2D Register FIS. What is not in the table cannot be sent. */
#ifndef ATA_COMMAND_H
#define ATA_COMMAND_H

#include "ahci/ahci_regs.h"
#include "ata/ata_regs.h"
#include "lib/util.h"

enum ata_protocol {
    ATA_NON_DATA,
    ATA_PIO_IN,
    ATA_PIO_OUT,
    ATA_DMA_IN,
    ATA_DMA_OUT,
    ATA_NCQ_IN,
    ATA_NCQ_OUT,
};

/* What a command can do to the drive. ATA_EFFECT_NONE is the allow-list: only those rows pass the gate
 * without a permit. Everything else needs a permit that names its kind. */
enum ata_effect {
    ATA_EFFECT_NONE = 0,
    ATA_EFFECT_WRITE = 1 << 0,    /* changes sectors of its LBA range */
    ATA_EFFECT_TRIM = 1 << 1,     /* changes sectors named by its data */
    ATA_EFFECT_ERASE = 1 << 2,    /* changes every sector */
    ATA_EFFECT_PASSWORD = 1 << 3, /* sets, removes or uses a password */
    ATA_EFFECT_SETTING = 1 << 4,  /* changes how the drive behaves */
};

enum ata_address {
    ATA_NO_ADDRESS,
    ATA_LBA28_COUNT, /* count 8 bits, LBA 28 bits */
    ATA_LBA48_COUNT,
    ATA_LBA48_QUEUED, /* count in features, tag in count (ACS-3 7.22) */
    ATA_LBA48_BLOCKS, /* count = 512-byte blocks of data, LBA as given (logs, DSM) */
};

enum ata_command_id {
    ATA_CMD_IDENTIFY,
    ATA_CMD_READ_SECTORS,
    ATA_CMD_READ_SECTORS_EXT,
    ATA_CMD_READ_DMA,
    ATA_CMD_READ_DMA_EXT,
    ATA_CMD_READ_FPDMA,
    ATA_CMD_READ_LOG_EXT,
    ATA_CMD_FLUSH,
    ATA_CMD_FLUSH_EXT,
    ATA_CMD_WRITE_DMA,
    ATA_CMD_WRITE_DMA_EXT,
    ATA_CMD_WRITE_FPDMA,
    ATA_CMD_TRIM,
    ATA_CMD_COUNT
};

struct ata_command {
    const char *name; /* the specification's own */
    uint8_t opcode;
    uint16_t feature;
    enum ata_protocol protocol;
    enum ata_address address;
    uint32_t effect; /* enum ata_effect bits */
    uint32_t timeout_ms;
};

/* One command to send. count is sectors, or 512-byte blocks for ATA_LBA48_BLOCKS. */
struct ata_taskfile {
    enum ata_command_id id;
    uint64_t lba;
    uint32_t count; /* 65536 is sent as 0 where the specification says so */
    unsigned tag;   /* queued commands only */
};

/* The row of an id. */
const struct ata_command *ata_command_get(enum ata_command_id id);

/* True when the address and count fit the command's registers. */
bool ata_taskfile_valid(const struct ata_taskfile *tf);

/* The 20 bytes of the H2D Register FIS (SATA 10.5.5). tf must be valid. */
void ata_taskfile_to_fis(const struct ata_taskfile *tf, uint8_t fis[FIS_H2D_BYTES]);

/* The LBA a D2H Register FIS carries. */
uint64_t ata_fis_lba(const uint8_t d2h[FIS_H2D_BYTES]);

static inline bool ata_command_queued(const struct ata_command *c)
{
    return c->protocol == ATA_NCQ_IN || c->protocol == ATA_NCQ_OUT;
}

static inline bool ata_command_out(const struct ata_command *c)
{
    return c->protocol == ATA_PIO_OUT || c->protocol == ATA_DMA_OUT || c->protocol == ATA_NCQ_OUT;
}

#endif
