/* What is written into a sector so that it can never be mistaken: its own LBA, the run, the pass, and
 * incompressible filling that both decide. */
#ifndef BENCH_STAMP_H
#define BENCH_STAMP_H

#include "lib/util.h"

#define STAMP_MAGIC UINT64_C(0x4d49525445524142) /* "BARETRIM" on the wire */

/* A sector begins with this, little-endian; the rest is filling; the last 8 bytes are a checksum over all
 * before them. docs/REPORT.md describes it for other programs. */
struct stamp {
    uint64_t run_id;
    uint64_t lba;
    uint32_t pass;
};

/* What a sector holds, seen against the stamp that was written there. */
enum sector_kind {
    SECTOR_STAMP,       /* exactly the stamp expected */
    SECTOR_STALE_STAMP, /* a good stamp of this LBA, of another run or pass */
    SECTOR_MISPLACED,   /* a good stamp of another LBA */
    SECTOR_ZEROS,
    SECTOR_CONSTANT, /* every byte the same, not zero */
    SECTOR_OTHER,
    SECTOR_KIND_COUNT
};

const char *sector_kind_name(enum sector_kind kind);

/* Write the stamp into one sector of `bytes` (512 or 4096). */
void stamp_write(const struct stamp *s, void *sector, uint32_t bytes);

/* Judge one sector. */
enum sector_kind stamp_judge(const struct stamp *expected, const void *sector, uint32_t bytes);

/* A 64-bit mix; good enough to tell data apart, not cryptographic. */
uint64_t mix64(uint64_t x);

/* 64-bit checksum of bytes (multiple of 8). */
uint64_t sum64(const void *data, size_t bytes);

#endif
