/* The sectors of a modelled medium: as many as the drive claims, with memory only for what was written. */
#ifndef SIM_SIM_STORE_H
#define SIM_SIM_STORE_H

#include "lib/util.h"

/* What sectors hold that nobody has written in this test. */
enum sim_content {
    SIM_CONTENT_ZEROS,
    SIM_CONTENT_USED, /* incompressible, differs by sector: a drive with a past */
    SIM_CONTENT_ONES,
};

/* What a trimmed sector reads as. */
enum sim_trimmed {
    SIM_TRIMMED_ZEROS,
    SIM_TRIMMED_ONES,
    SIM_TRIMMED_UNSTABLE, /* different on each read */
};

enum { SIM_CHUNK_BYTES = 64 << 10, SIM_CHUNK_SECTORS_MAX = SIM_CHUNK_BYTES / 512 };

struct sim_chunk {
    uint64_t key;        /* number of the chunk + 1; 0: this place in the table is free */
    uint8_t *data;       /* NULL while no sector of it was written */
    uint64_t written[2]; /* a bit a sector */
    uint64_t trimmed[2];
};

struct sim_store {
    uint32_t sector_bytes;
    enum sim_content content;
    enum sim_trimmed trimmed;
    uint64_t seed;
    uint64_t random;
    struct sim_chunk *table;
    size_t slots; /* a power of two */
    size_t used;
};

void sim_store_init(struct sim_store *store, uint32_t sector_bytes, enum sim_content content,
                    enum sim_trimmed trimmed, uint64_t seed);
void sim_store_free(struct sim_store *store);

/* One sector. The caller keeps lba inside the drive. */
void sim_store_read(struct sim_store *store, uint64_t lba, uint8_t *to);
void sim_store_write(struct sim_store *store, uint64_t lba, const uint8_t *from);

/* A range becomes trimmed. */
void sim_store_trim(struct sim_store *store, uint64_t lba, uint64_t count);

/* Written and not trimmed since / trimmed and not written since. */
bool sim_store_is_written(const struct sim_store *store, uint64_t lba);
bool sim_store_is_trimmed(const struct sim_store *store, uint64_t lba);

#endif
