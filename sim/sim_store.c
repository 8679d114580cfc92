#include "sim/sim_store.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void *need(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "sim: out of memory for the medium\n");
        abort();
    }
    return memory;
}

void sim_store_init(struct sim_store *store, uint32_t sector_bytes, enum sim_content content,
                    enum sim_trimmed trimmed, uint64_t seed)
{
    memset(store, 0, sizeof(*store));
    store->sector_bytes = sector_bytes;
    store->content = content;
    store->trimmed = trimmed;
    store->seed = mix(seed + 1);
    store->random = store->seed;
    store->slots = 1024;
    store->table = need(calloc(store->slots, sizeof(store->table[0])));
}

void sim_store_free(struct sim_store *store)
{
    for (size_t i = 0; i < store->slots; i++) {
        free(store->table[i].data);
    }
    free(store->table);
    memset(store, 0, sizeof(*store));
}

/* The place of a chunk in the table, or the free place where it would go. */
static struct sim_chunk *place(const struct sim_store *store, uint64_t key)
{
    size_t at = (size_t)mix(key) & (store->slots - 1);
    while (store->table[at].key != 0 && store->table[at].key != key) {
        at = (at + 1) & (store->slots - 1);
    }
    return &store->table[at];
}

static void grow(struct sim_store *store)
{
    struct sim_chunk *old = store->table;
    size_t old_slots = store->slots;
    store->slots *= 2;
    store->table = need(calloc(store->slots, sizeof(store->table[0])));
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i].key != 0) {
            *place(store, old[i].key) = old[i];
        }
    }
    free(old);
}

static uint64_t sectors_per_chunk(const struct sim_store *store)
{
    return SIM_CHUNK_BYTES / store->sector_bytes;
}

static struct sim_chunk *chunk_for_change(struct sim_store *store, uint64_t key)
{
    if (store->used * 2 >= store->slots) {
        grow(store);
    }
    struct sim_chunk *chunk = place(store, key);
    if (chunk->key == 0) {
        chunk->key = key;
        store->used++;
    }
    return chunk;
}

static bool bit_get(const uint64_t *bits, uint64_t n)
{
    return (bits[n / 64] >> n % 64 & 1) != 0;
}

static void bit_set(uint64_t *bits, uint64_t n, bool on)
{
    uint64_t mask = UINT64_C(1) << n % 64;
    bits[n / 64] = on ? bits[n / 64] | mask : bits[n / 64] & ~mask;
}

static void fill_random(uint8_t *to, uint32_t bytes, uint64_t state)
{
    for (uint32_t i = 0; i < bytes; i += 8) {
        state += UINT64_C(0x9e3779b97f4a7c15);
        put_le64(to + i, mix(state));
    }
}

void sim_store_read(struct sim_store *store, uint64_t lba, uint8_t *to)
{
    uint64_t n = lba % sectors_per_chunk(store);
    const struct sim_chunk *chunk = place(store, lba / sectors_per_chunk(store) + 1);
    if (chunk->key != 0 && bit_get(chunk->written, n)) {
        memcpy(to, chunk->data + n * store->sector_bytes, store->sector_bytes);
        return;
    }
    if (chunk->key != 0 && bit_get(chunk->trimmed, n)) {
        switch (store->trimmed) {
        case SIM_TRIMMED_ZEROS:
            memset(to, 0, store->sector_bytes);
            break;
        case SIM_TRIMMED_ONES:
            memset(to, 0xff, store->sector_bytes);
            break;
        case SIM_TRIMMED_UNSTABLE:
            store->random = mix(store->random + lba + 1);
            fill_random(to, store->sector_bytes, store->random);
            break;
        }
        return;
    }
    switch (store->content) {
    case SIM_CONTENT_ZEROS:
        memset(to, 0, store->sector_bytes);
        break;
    case SIM_CONTENT_ONES:
        memset(to, 0xff, store->sector_bytes);
        break;
    case SIM_CONTENT_USED:
        fill_random(to, store->sector_bytes, mix(store->seed ^ (lba + 1)));
        break;
    }
}

void sim_store_write(struct sim_store *store, uint64_t lba, const uint8_t *from)
{
    uint64_t n = lba % sectors_per_chunk(store);
    struct sim_chunk *chunk = chunk_for_change(store, lba / sectors_per_chunk(store) + 1);
    if (chunk->data == NULL) {
        chunk->data = need(malloc(SIM_CHUNK_BYTES));
    }
    memcpy(chunk->data + n * store->sector_bytes, from, store->sector_bytes);
    bit_set(chunk->written, n, true);
    bit_set(chunk->trimmed, n, false);
}

void sim_store_trim(struct sim_store *store, uint64_t lba, uint64_t count)
{
    uint64_t per_chunk = sectors_per_chunk(store);
    while (count > 0) {
        struct sim_chunk *chunk = chunk_for_change(store, lba / per_chunk + 1);
        uint64_t n = lba % per_chunk;
        uint64_t now = min_u64(count, per_chunk - n);
        for (uint64_t i = n; i < n + now; i++) {
            bit_set(chunk->written, i, false);
            bit_set(chunk->trimmed, i, true);
        }
        if ((chunk->written[0] | chunk->written[1]) == 0) {
            free(chunk->data);
            chunk->data = NULL;
        }
        lba += now;
        count -= now;
    }
}

bool sim_store_is_written(const struct sim_store *store, uint64_t lba)
{
    const struct sim_chunk *chunk = place(store, lba / sectors_per_chunk(store) + 1);
    return chunk->key != 0 && bit_get(chunk->written, lba % sectors_per_chunk(store));
}

bool sim_store_is_trimmed(const struct sim_store *store, uint64_t lba)
{
    const struct sim_chunk *chunk = place(store, lba / sectors_per_chunk(store) + 1);
    return chunk->key != 0 && bit_get(chunk->trimmed, lba % sectors_per_chunk(store));
}
