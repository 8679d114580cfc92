/* The write gate's judgement. Each case starts from a permit that allows everything asked for and takes one thing away. */
#include "ata/permit.h"

#include "tests/test.h"

static struct ata_permit good(void)
{
    return (struct ata_permit){ .granted = true,
                                .serial = "SERIAL1",
                                .effects = ATA_EFFECT_WRITE | ATA_EFFECT_TRIM,
                                .lba_first = 1000,
                                .lba_count = 1000,
                                .budget_bytes = 100 * 512 };
}

static const char *ask_write(const struct ata_permit *p, uint64_t lba, uint32_t count)
{
    struct ata_taskfile tf = { .id = ATA_CMD_WRITE_DMA_EXT, .lba = lba, .count = count };
    return ata_permit_check(p, "SERIAL1", &tf, 512, NULL);
}

static const char *ask_trim(const struct ata_permit *p, uint64_t lba, uint64_t count)
{
    uint8_t block[512] = { 0 };
    struct ata_taskfile tf = { .id = ATA_CMD_TRIM, .count = 1 };
    put_le64(block + 8 * 5, lba | count << 48); /* not the first entry: all 64 are looked at */
    return ata_permit_check(p, "SERIAL1", &tf, 512, block);
}

TEST(permit_reads_need_none)
{
    struct ata_permit none = { .granted = false };
    struct ata_taskfile tf = { .id = ATA_CMD_READ_DMA_EXT, .lba = 5, .count = 1 };
    CHECK(ata_permit_check(&none, "", &tf, 512, NULL) == NULL);
}

TEST(permit_good_write_passes)
{
    struct ata_permit p = good();
    CHECK(ask_write(&p, 1000, 100) == NULL);
    CHECK(ask_write(&p, 1999, 1) == NULL);
}

TEST(permit_not_granted_refuses)
{
    struct ata_permit p = good();
    p.granted = false;
    CHECK(ask_write(&p, 1000, 1) != NULL);
    CHECK(ask_trim(&p, 1000, 1) != NULL);
}

TEST(permit_other_or_empty_serial_refuses)
{
    struct ata_permit p = good();
    struct ata_taskfile tf = { .id = ATA_CMD_WRITE_DMA_EXT, .lba = 1000, .count = 1 };
    CHECK(ata_permit_check(&p, "SERIAL2", &tf, 512, NULL) != NULL);
    CHECK(ata_permit_check(&p, "SERIAL", &tf, 512, NULL) != NULL);
    p.serial[0] = '\0';
    CHECK(ata_permit_check(&p, "", &tf, 512, NULL) != NULL);
}

TEST(permit_range_edges)
{
    struct ata_permit p = good();
    CHECK(ask_write(&p, 999, 1) != NULL);
    CHECK(ask_write(&p, 999, 2) != NULL);
    CHECK(ask_write(&p, 1999, 2) != NULL);
    CHECK(ask_write(&p, 2000, 1) != NULL);
    CHECK(ask_write(&p, UINT64_MAX, 1) != NULL);
}

TEST(permit_budget_is_spent)
{
    struct ata_permit p = good();
    p.spent_bytes = 51 * 512;
    CHECK(ask_write(&p, 1000, 49) == NULL);
    CHECK(ask_write(&p, 1000, 50) != NULL);
    p.spent_bytes = p.budget_bytes;
    CHECK(ask_write(&p, 1000, 1) != NULL);
}

TEST(permit_kind_of_command_counts)
{
    struct ata_permit p = good();
    p.effects = ATA_EFFECT_WRITE;
    CHECK(ask_trim(&p, 1000, 1) != NULL);
    p.effects = ATA_EFFECT_TRIM;
    CHECK(ask_trim(&p, 1000, 1) == NULL);
    CHECK(ask_write(&p, 1000, 1) != NULL);
}

TEST(permit_trim_entries_are_all_checked)
{
    struct ata_permit p = good();
    CHECK(ask_trim(&p, 1000, 1000) == NULL);
    CHECK(ask_trim(&p, 1000, 1001) != NULL);
    CHECK(ask_trim(&p, 999, 1) != NULL);
    CHECK(ask_trim(&p, 500, 0) != NULL); /* zero length, pointing outside */
    CHECK(ask_trim(&p, 1500, 0) == NULL);
    CHECK(ask_trim(&p, (UINT64_C(1) << 48) - 1, 65535) != NULL);
}

TEST(permit_trim_without_its_data_refuses)
{
    struct ata_permit p = good();
    struct ata_taskfile tf = { .id = ATA_CMD_TRIM, .count = 1 };
    CHECK(ata_permit_check(&p, "SERIAL1", &tf, 512, NULL) != NULL);
}

TEST_MAIN
