/* Task files as bytes: every FIS typed by hand from ACS-3 and Serial ATA 10.5.5, not taken from the code. */
#include "ata/command.h"

#include "tests/test.h"

static void check_fis(const struct ata_taskfile *tf, const char *want)
{
    uint8_t fis[FIS_H2D_BYTES];
    char got[3 * FIS_H2D_BYTES + 1];
    CHECK(ata_taskfile_valid(tf));
    ata_taskfile_to_fis(tf, fis);
    for (unsigned i = 0; i < FIS_H2D_BYTES; i++) {
        snprintf(got + 3 * (size_t)i, 4, "%02x ", fis[i]);
    }
    got[3 * FIS_H2D_BYTES - 1] = '\0';
    CHECK_STR(got, want);
}

TEST(fis_identify_has_count_one)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_IDENTIFY },
              "27 80 ec 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00");
}

TEST(fis_read_dma_ext)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_READ_DMA_EXT,
                                      .lba = 0x123456789abc,
                                      .count = 0x1234 },
              "27 80 25 00 bc 9a 78 40 56 34 12 00 34 12 00 00 00 00 00 00");
}

TEST(fis_write_dma_ext_of_65536_sectors_is_zero)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_WRITE_DMA_EXT, .lba = 1, .count = 65536 },
              "27 80 35 00 01 00 00 40 00 00 00 00 00 00 00 00 00 00 00 00");
}

TEST(fis_read_dma_28_bit_puts_high_nibble_in_device)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_READ_DMA, .lba = 0xabcdef0, .count = 256 },
              "27 80 c8 00 f0 de bc 4a 00 00 00 00 00 00 00 00 00 00 00 00");
}

TEST(fis_read_fpdma_carries_count_in_features_and_tag_in_count)
{
    check_fis(
        &(struct ata_taskfile){
            .id = ATA_CMD_READ_FPDMA, .lba = 0x10000000, .count = 0x0102, .tag = 31 },
        "27 80 60 02 00 00 00 40 10 00 00 01 f8 00 00 00 00 00 00 00");
}

TEST(fis_write_fpdma)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_WRITE_FPDMA, .lba = 8, .count = 8, .tag = 1 },
              "27 80 61 08 08 00 00 40 00 00 00 00 08 00 00 00 00 00 00 00");
}

TEST(fis_trim_has_feature_one_and_block_count)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_TRIM, .count = 8 },
              "27 80 06 01 00 00 00 40 00 00 00 00 08 00 00 00 00 00 00 00");
}

TEST(fis_flush_ext)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_FLUSH_EXT },
              "27 80 ea 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
}

TEST(fis_read_log_10h)
{
    check_fis(&(struct ata_taskfile){ .id = ATA_CMD_READ_LOG_EXT, .lba = 0x10, .count = 1 },
              "27 80 2f 00 10 00 00 40 00 00 00 00 01 00 00 00 00 00 00 00");
}

TEST(taskfile_out_of_its_registers_is_invalid)
{
    static const struct ata_taskfile bad[] = {
        { .id = ATA_CMD_READ_DMA_EXT, .count = 0 },
        { .id = ATA_CMD_READ_DMA_EXT, .count = 65537 },
        { .id = ATA_CMD_READ_DMA_EXT, .lba = UINT64_C(1) << 48, .count = 1 },
        { .id = ATA_CMD_READ_DMA_EXT, .lba = (UINT64_C(1) << 48) - 1, .count = 2 },
        { .id = ATA_CMD_READ_DMA, .lba = 0xfffffff, .count = 2 },
        { .id = ATA_CMD_READ_DMA, .lba = 0, .count = 257 },
        { .id = ATA_CMD_READ_FPDMA, .count = 1, .tag = 32 },
        { .id = ATA_CMD_FLUSH_EXT, .count = 1 },
        { .id = ATA_CMD_WRITE_FPDMA, .lba = UINT64_MAX, .count = 1 },
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        CHECK(!ata_taskfile_valid(&bad[i]));
    }
}

/* The allow-list, typed again: a new row that changes a drive must not slip in without effect bits. */
TEST(command_table_only_reads_pass_without_permit)
{
    static const uint8_t harmless[] = { 0xec, 0x20, 0x24, 0xc8, 0x25, 0x60, 0x2f, 0xe7, 0xea };
    for (unsigned id = 0; id < ATA_CMD_COUNT; id++) {
        const struct ata_command *c = ata_command_get((enum ata_command_id)id);
        bool listed = memchr(harmless, c->opcode, sizeof(harmless)) != NULL;
        CHECK_EQ(c->effect == ATA_EFFECT_NONE, listed);
        CHECK(c->timeout_ms >= 10000 && c->timeout_ms <= 120000);
        CHECK(c->name != NULL);
    }
}

TEST_MAIN
