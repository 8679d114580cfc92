/* Stamps must be told from everything else a sector can hold. */
#include "bench/stamp.h"

#include "tests/test.h"

static const struct stamp mine = { .run_id = 0x1122334455667788, .lba = 77, .pass = 3 };
static uint8_t sector[4096];

TEST(stamp_written_reads_as_stamp)
{
    for (uint32_t bytes = 512; bytes <= 4096; bytes *= 8) {
        stamp_write(&mine, sector, bytes);
        CHECK_EQ(stamp_judge(&mine, sector, bytes), SECTOR_STAMP);
        CHECK_EQ(memcmp(sector, "BARETRIM", 8), 0);
    }
}

TEST(stamp_any_flipped_bit_is_other_data)
{
    for (uint32_t bit = 0; bit < 512 * 8; bit++) {
        stamp_write(&mine, sector, 512);
        sector[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_OTHER);
    }
}

TEST(stamp_of_another_lba_is_misplaced)
{
    struct stamp other = mine;
    other.lba = 78;
    stamp_write(&other, sector, 512);
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_MISPLACED);
}

TEST(stamp_of_another_pass_or_run_is_stale)
{
    struct stamp other = mine;
    other.pass = 2;
    stamp_write(&other, sector, 512);
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_STALE_STAMP);
    other = mine;
    other.run_id++;
    stamp_write(&other, sector, 512);
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_STALE_STAMP);
}

TEST(stamp_zeros_constant_and_almost)
{
    memset(sector, 0, sizeof(sector));
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_ZEROS);
    sector[511] = 1;
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_OTHER);
    memset(sector, 0xff, sizeof(sector));
    CHECK_EQ(stamp_judge(&mine, sector, 512), SECTOR_CONSTANT);
}

/* No 8-byte word twice in a MiB of stamps: neither compression nor deduplication has anything to take. */
TEST(stamp_filling_does_not_repeat)
{
    enum { WORDS = (1 << 20) / 8, SLOTS = 1 << 19 };
    static uint64_t seen[SLOTS];
    memset(seen, 0, sizeof(seen));
    unsigned repeats = 0;
    for (uint64_t lba = 0; lba < 2048; lba++) {
        struct stamp s = { .run_id = 5, .lba = lba, .pass = 1 };
        stamp_write(&s, sector, 512);
        for (unsigned i = 32; i < 504; i += 8) {
            uint64_t word = get_le64(sector + i);
            size_t slot = mix64(word) % SLOTS;
            while (seen[slot] != 0 && seen[slot] != word) {
                slot = (slot + 1) % SLOTS;
            }
            repeats += seen[slot] == word;
            seen[slot] = word;
        }
    }
    CHECK_EQ(repeats, 0);
}

TEST_MAIN
