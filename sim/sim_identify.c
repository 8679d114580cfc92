/* IDENTIFY DEVICE of a modelled drive (ACS-3 7.12.7). */
#include "sim/sim_drive_internal.h"

#define VALID 0x4000u /* bits 15:14 = 01b: the word means something */

static void put_string(uint16_t *words, size_t count, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < count; i++) {
        uint8_t first = 2 * i < length ? (uint8_t)text[2 * i] : ' ';
        uint8_t second = 2 * i + 1 < length ? (uint8_t)text[2 * i + 1] : ' ';
        words[i] = (uint16_t)(first << 8 | second);
    }
}

static void put_words(uint16_t *words, size_t count, uint64_t value)
{
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint16_t)(value >> 16 * i);
    }
}

static uint64_t get_words(const uint16_t *words, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)words[i] << 16 * i;
    }
    return value;
}

/* Word 255: A5h, and all 512 bytes sum to 0. */
static void put_checksum(uint16_t *w)
{
    uint8_t sum = 0xa5;
    for (size_t i = 0; i < 255; i++) {
        sum = (uint8_t)(sum + (w[i] & 0xff) + (w[i] >> 8));
    }
    w[ID_W255_INTEGRITY] = (uint16_t)(0xa5u | (uint32_t)(uint8_t)(0x100 - sum) << 8);
}

static void put_geometry(const struct sim_drive_config *c, uint16_t *w)
{
    w[1] = 0x3fff;
    w[3] = 16;
    w[6] = 63;
    put_words(&w[ID_W060_LBA28], 2, min_u64(c->sectors, 0x0fffffff));
    if (!c->lba28_only) {
        put_words(&w[ID_W100_LBA48_SECTORS], 4, c->sectors);
    }
    uint32_t exponent = 0;
    while (c->logical_bytes << exponent < c->physical_bytes) {
        exponent++;
    }
    w[ID_W106_SECTOR_SIZE] = (uint16_t)(VALID | (exponent > 0 ? 1u << 13 : 0) |
                                        (c->logical_bytes > 512 ? 1u << 12 : 0) | exponent);
    if (c->logical_bytes > 512) {
        put_words(&w[ID_W117_LOGICAL_WORDS], 2, c->logical_bytes / 2);
    }
    w[ID_W209_ALIGNMENT] = VALID;
}

static void put_features(const struct sim_drive_config *c, uint16_t *w)
{
    uint32_t security = c->security != 0 ? 1u << 1 : 0;
    w[ID_W082_SUPPORTED] = (uint16_t)(1u << 5 | 1u << 6 | security);
    w[ID_W085_ENABLED] = (uint16_t)(1u << 5 | 1u << 6 | ((c->security & 2) != 0 ? security : 0));
    uint32_t set2 = 1u << 12; /* FLUSH CACHE */
    if (!c->lba28_only) {
        set2 |= 1u << 10 | 1u << 13;
    }
    if (c->standby) {
        set2 |= 1u << 5 | 1u << 6;
    }
    w[ID_W083_LBA48] = (uint16_t)(VALID | set2);
    w[ID_W086_ENABLED2] = (uint16_t)(0x8000 | set2);
    uint32_t set3 = (c->no_gpl ? 0 : 1u << 5) | (c->wwn != 0 ? 1u << 8 : 0);
    if (!c->lba28_only) {
        set3 |= 1u << 6; /* WRITE DMA FUA EXT */
    }
    w[ID_W084_SUPPORTED_EXT] = (uint16_t)(VALID | set3);
    w[ID_W087_ENABLED_EXT] = (uint16_t)(VALID | set3);
    w[ID_W119_SUPPORTED3] = VALID;
    w[ID_W120_ENABLED3] = VALID;
    for (unsigned i = 0; i < 4; i++) {
        w[ID_W108_WWN + i] = (uint16_t)(c->wwn >> (48 - 16 * i));
    }
    if (c->security != 0) {
        w[ID_W089_ERASE_TIME] = 1; /* times two minutes */
        w[ID_W090_ENH_ERASE_TIME] = (c->security & 1u << 5) != 0 ? 1 : 0;
        w[ID_W092_MASTER_ID] = 0xfffe;
        w[ID_W128_SECURITY] = c->security;
    }
    w[ID_W069_ADDITIONAL] = (uint16_t)((c->drat ? 1u << 14 : 0) | (c->rzat ? 1u << 5 : 0));
    w[ID_W105_DSM_BLOCKS] = (uint16_t)c->dsm_blocks;
    w[ID_W169_DSM] = c->no_trim ? 0 : 1;
}

static void put_transport(const struct sim_drive_config *c, uint16_t *w)
{
    w[ID_W049_CAPABILITIES] = c->no_dma ? 0x2e00 : 0x2f00;
    w[ID_W053_VALIDITY] = 0x0006;
    if (!c->no_dma) {
        w[ID_W063_MWDMA] = 0x0007;
        w[ID_W088_UDMA] = 0x407f;
    }
    w[64] = 0x0003;
    for (unsigned i = 65; i <= 68; i++) {
        w[i] = 120;
    }
    if (!c->no_ncq) {
        w[ID_W075_QUEUE_DEPTH] = (uint16_t)(c->queue_depth - 1);
    }
    w[ID_W076_SATA_CAP] = (uint16_t)(((2u << c->generation) - 2) | (c->no_ncq ? 0 : 1u << 8));
    w[ID_W080_MAJOR] = 0x07f0; /* ATA/ATAPI-4 to ACS-3 */
    w[ID_W222_TRANSPORT] = 0x10ff;
}

static void read_back(struct sim_drive *drive)
{
    const uint16_t *w = drive->identify;
    uint16_t set2 = w[ID_W083_LBA48];
    uint16_t set3 = w[ID_W084_SUPPORTED_EXT];
    uint16_t size = w[ID_W106_SECTOR_SIZE];
    uint16_t sata = w[ID_W076_SATA_CAP];
    drive->lba48 = (set2 & 0xc000) == VALID && (set2 & 1u << 10) != 0;
    drive->sectors = drive->lba48 ? get_words(&w[ID_W100_LBA48_SECTORS], 4) : 0;
    if (drive->sectors == 0) {
        drive->sectors = get_words(&w[ID_W060_LBA28], 2);
    }
    drive->sector_bytes = 512;
    if ((size & 0xc000) == VALID && (size & 1u << 12) != 0) {
        uint64_t bytes = 2 * get_words(&w[ID_W117_LOGICAL_WORDS], 2);
        drive->sector_bytes =
            bytes == 1024 || bytes == 2048 || bytes == 4096 ? (uint32_t)bytes : 512;
    }
    drive->dma = (w[ID_W049_CAPABILITIES] & 1u << 8) != 0;
    drive->ncq = sata != 0 && sata != 0xffff && (sata & 1u << 8) != 0;
    drive->queue_depth = drive->ncq ? (w[ID_W075_QUEUE_DEPTH] & 0x1fu) + 1 : 1;
    drive->gpl = (set3 & 0xc000) == VALID && (set3 & 1u << 5) != 0;
    drive->trims = (w[ID_W169_DSM] & 1) != 0;
    drive->dsm_blocks = w[ID_W105_DSM_BLOCKS] == 0 ? 1 : w[ID_W105_DSM_BLOCKS];
    drive->locked = (w[ID_W128_SECURITY] & 1u << 2) != 0;
}

void sim_identify_build(struct sim_drive *drive)
{
    const struct sim_drive_config *c = &drive->config;
    uint16_t *w = drive->identify;
    memset(drive->identify, 0, sizeof(drive->identify));
    if (c->identify != NULL) {
        memcpy(w, c->identify, sizeof(drive->identify));
        if (drive->other) {
            put_string(&w[ID_W010_SERIAL], 10, drive->serial);
            put_checksum(w);
        }
        read_back(drive);
        return;
    }
    w[ID_W000_GENERAL] = 0x0040;
    w[ID_W002_SPECIFIC] = 0xc837;
    put_string(&w[ID_W010_SERIAL], 10, drive->serial);
    put_string(&w[ID_W023_FIRMWARE], 4, c->firmware);
    put_string(&w[ID_W027_MODEL], 20, c->model);
    w[47] = 0x8001;
    w[ID_W048_TRUSTED] = VALID;
    w[50] = VALID;
    put_geometry(c, w);
    put_transport(c, w);
    put_features(c, w);
    w[ID_W168_FORM_FACTOR] = 3;
    w[ID_W217_ROTATION] = c->rotation;
    w[ID_W255_INTEGRITY] = 0x00a5;
    read_back(drive);
}

void sim_identify_words(const struct sim_drive *drive, uint16_t out[256])
{
    memcpy(out, drive->identify, sizeof(drive->identify));
    if (drive->config.identify != NULL) {
        return; /* as given, with its own checksum */
    }
    out[ID_W077_SATA_CAP2] = (uint16_t)(drive->generation << 1);
    if (drive->standing_by) {
        out[ID_W000_GENERAL] |= 1u << 2;
        out[ID_W002_SPECIFIC] = 0x37c8;
        put_words(&out[ID_W060_LBA28], 2, 0);
        put_words(&out[ID_W100_LBA48_SECTORS], 4, 0);
    }
    put_checksum(out);
}
