/* Stamps: writing and judging sectors. */
#include "bench/stamp.h"

enum {
    AT_MAGIC = 0,
    AT_LBA = 8,
    AT_RUN = 16,
    AT_PASS = 24,
    AT_ZERO = 28,
    AT_FILLING = 32,
    SUM_BYTES = 8,
};

static const char *const kind_names[] = {
    [SECTOR_STAMP] = "old data",
    [SECTOR_STALE_STAMP] = "older stamp",
    [SECTOR_MISPLACED] = "another sector's data",
    [SECTOR_ZEROS] = "zeros",
    [SECTOR_CONSTANT] = "one repeated byte",
    [SECTOR_OTHER] = "other data",
};
_Static_assert(ARRAY_LEN(kind_names) == SECTOR_KIND_COUNT, "one name a kind");

const char *sector_kind_name(enum sector_kind kind)
{
    return (unsigned)kind < ARRAY_LEN(kind_names) ? kind_names[kind] : "unknown";
}

uint64_t mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t sum64(const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t sum = bytes;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        sum = mix64(sum ^ get_le64(at + i));
    }
    return sum;
}

void stamp_write(const struct stamp *s, void *sector, uint32_t bytes)
{
    uint8_t *at = sector;
    put_le64(at + AT_MAGIC, STAMP_MAGIC);
    put_le64(at + AT_LBA, s->lba);
    put_le64(at + AT_RUN, s->run_id);
    put_le32(at + AT_PASS, s->pass);
    put_le32(at + AT_ZERO, 0);
    /* A counter through a 64-bit mix: no repeats within a sector, nothing to compress. */
    uint64_t seed = mix64(s->run_id ^ mix64(s->lba + ((uint64_t)s->pass << 48)));
    for (uint32_t i = AT_FILLING; i < bytes - SUM_BYTES; i += 8) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        put_le64(at + i, mix64(seed));
    }
    put_le64(at + bytes - SUM_BYTES, sum64(sector, bytes - SUM_BYTES));
}

static bool is_constant(const uint8_t *at, uint32_t bytes)
{
    for (uint32_t i = 1; i < bytes; i++) {
        if (at[i] != at[0]) {
            return false;
        }
    }
    return true;
}

enum sector_kind stamp_judge(const struct stamp *expected, const void *sector, uint32_t bytes)
{
    const uint8_t *at = sector;
    if (get_le64(at + AT_MAGIC) != STAMP_MAGIC) {
        if (!is_constant(at, bytes)) {
            return SECTOR_OTHER;
        }
        return at[0] == 0 ? SECTOR_ZEROS : SECTOR_CONSTANT;
    }
    if (get_le64(at + bytes - SUM_BYTES) != sum64(sector, bytes - SUM_BYTES)) {
        return SECTOR_OTHER;
    }
    if (get_le64(at + AT_LBA) != expected->lba) {
        return SECTOR_MISPLACED;
    }
    bool same =
        get_le64(at + AT_RUN) == expected->run_id && get_le32(at + AT_PASS) == expected->pass;
    return same ? SECTOR_STAMP : SECTOR_STALE_STAMP;
}
