/* A tiny AHCI driver for the model's own tests. It knows nothing of the product's driver and types its numbers
 * by hand, so that model and driver are judged apart. */
#ifndef TESTS_SIM_DRIVER_H
#define TESTS_SIM_DRIVER_H

#include "sim/sim_bench.h"
#include "tests/test.h"

static struct sim_bench b;
static struct pci_function pci;
static struct dma_buffer own;  /* 0: command list, 400h: FIS area, 1000h: 32 tables of 1 KiB */
static struct dma_buffer data; /* 1 MiB */
static unsigned portno;

enum { DATA_BYTES = 1 << 20, FAR_US = 40000000 };

static inline struct platform *plat(void)
{
    return &b.plat.platform;
}

static inline uint32_t get(uint32_t offset)
{
    return plat()->mmio_read32(plat(), &pci, offset);
}

static inline void put(uint32_t offset, uint32_t value)
{
    plat()->mmio_write32(plat(), &pci, offset, value);
}

static inline uint32_t pget(uint32_t reg)
{
    return get(0x100 + 0x80 * portno + reg);
}

static inline void pput(uint32_t reg, uint32_t value)
{
    put(0x100 + 0x80 * portno + reg, value);
}

static inline void pause_us(uint32_t us)
{
    plat()->stall_us(plat(), us);
}

/* Wait until (register & mask) == value, at most us. */
static inline bool until(uint32_t reg, uint32_t mask, uint32_t value, uint64_t us)
{
    uint64_t end = plat()->clock_ns(plat()) + us * 1000;
    while ((pget(reg) & mask) != value) {
        if (plat()->clock_ns(plat()) > end) {
            return false;
        }
    }
    return true;
}

/* The machine, its controller taken over, memory for one port; nothing done to the port yet. */
static inline void machine(const struct sim_config *config)
{
    sim_bench_init(&b, config);
    portno = 0;
    while (portno < 31 && (b.hba[0].pi >> portno & 1) == 0) {
        portno++;
    }
    CHECK(plat()->pci_scan(plat(), &pci, 1) >= 1);
    CHECK_EQ(plat()->take_over(plat(), &pci), OK);
    CHECK_EQ(plat()->dma_alloc(plat(), &pci, 0x9000, &own), OK);
    CHECK_EQ(plat()->dma_alloc(plat(), &pci, DATA_BYTES, &data), OK);
}

static inline void port_quiet(void)
{
    pput(0x18, pget(0x18) & ~1u);
    until(0x18, 0x8000, 0, 500000);
    pput(0x18, pget(0x18) & ~0x10u);
    until(0x18, 0x4000, 0, 500000);
}

static inline void port_memory(void)
{
    pput(0x00, (uint32_t)own.bus);
    pput(0x04, 0);
    pput(0x08, (uint32_t)own.bus + 0x400);
    pput(0x0c, 0);
}

/* COMRESET and wait for the signature. True: DET = 3 and not busy. */
static inline bool port_comreset(void)
{
    pput(0x2c, 0x301);
    pause_us(1100);
    pput(0x2c, 0x300);
    if (!until(0x28, 0xf, 3, 1000000)) {
        return false;
    }
    pput(0x30, 0xffffffff);
    return until(0x20, 0x88, 0, 31000000);
}

static inline void port_go(void)
{
    pput(0x30, 0xffffffff);
    pput(0x10, 0xffffffff);
    pput(0x18, pget(0x18) | 1);
}

/* From any state to running. */
static inline void up(const struct sim_config *config)
{
    machine(config);
    put(0x04, get(0x04) | 0x80000000);
    port_quiet();
    port_memory();
    pput(0x18, pget(0x18) | 0x16); /* FRE, SUD, POD */
    CHECK(port_comreset());
    port_go();
}

/* ST off and on again, as after an error. */
static inline void port_restart(void)
{
    pput(0x18, pget(0x18) & ~1u);
    CHECK(until(0x18, 0x8000, 0, 500000));
    port_go();
}

/* End of a case: what the driver did wrong must be exactly this much. */
static inline void down_noting(unsigned notes)
{
    port_quiet();
    /* Give the port back as the firmware had it. */
    pput(0x00, 0);
    pput(0x08, 0);
    plat()->dma_free(plat(), &pci, &own);
    plat()->dma_free(plat(), &pci, &data);
    plat()->hand_back(plat(), &pci);
    if (b.judge.count != notes) {
        printf("%s", sim_bench_violations(&b));
    }
    CHECK_EQ(b.judge.count, notes);
    CHECK_EQ(b.plat.buffers_live, 0);
    sim_bench_free(&b);
}

static inline void down(void)
{
    down_noting(0);
}

static inline bool noted(const char *words)
{
    bool found = strstr(sim_bench_violations(&b), words) != NULL;
    if (!found) {
        printf("  not among the notes: %s\n%s", words, sim_bench_violations(&b));
    }
    return found;
}

/* --- commands ------------------------------------------------------------------------------- */

struct cmd {
    uint8_t op;
    uint16_t feature;
    uint64_t lba;
    uint32_t count; /* the count register */
    uint8_t device; /* 0: 40h */
    bool lba28;
    bool out;
    bool queued;
    uint32_t bytes; /* of data */
    uint32_t at;    /* where in the data buffer */
    unsigned slot;
    unsigned regions; /* 0: one; else so many of equal size */
};

static inline uint8_t *header(unsigned slot)
{
    return (uint8_t *)own.cpu + (size_t)slot * 32;
}

static inline uint8_t *table(unsigned slot)
{
    return (uint8_t *)own.cpu + 0x1000 + (size_t)slot * 0x400;
}

static inline uint8_t *rfis(unsigned offset)
{
    return (uint8_t *)own.cpu + 0x400 + offset;
}

static inline void fill(const struct cmd *c)
{
    uint8_t *t = table(c->slot);
    unsigned regions = c->bytes == 0 ? 0 : c->regions == 0 ? 1 : c->regions;
    memset(t, 0, 0x400);
    t[0] = 0x27;
    t[1] = 0x80;
    t[2] = c->op;
    t[3] = (uint8_t)c->feature;
    t[4] = (uint8_t)c->lba;
    t[5] = (uint8_t)(c->lba >> 8);
    t[6] = (uint8_t)(c->lba >> 16);
    t[7] = c->device == 0 ? 0x40 : c->device;
    if (c->lba28) {
        t[7] = (uint8_t)(t[7] | (c->lba >> 24 & 0xf));
    } else {
        t[8] = (uint8_t)(c->lba >> 24);
        t[9] = (uint8_t)(c->lba >> 32);
        t[10] = (uint8_t)(c->lba >> 40);
    }
    t[11] = (uint8_t)(c->feature >> 8);
    put_le16(t + 12, (uint16_t)c->count);
    for (unsigned i = 0; i < regions; i++) {
        uint32_t part = c->bytes / regions;
        put_le32(&t[0x80 + 16 * i], (uint32_t)data.bus + c->at + i * part);
        put_le32(&t[0x80 + 16 * i + 12], part - 1);
    }
    memset(header(c->slot), 0, 32);
    put_le32(header(c->slot), 5u | (c->out ? 0x40u : 0) | regions << 16);
    put_le32(header(c->slot) + 8, (uint32_t)own.bus + 0x1000 + c->slot * 0x400);
}

static inline void issue(const struct cmd *c)
{
    fill(c);
    if (c->queued) {
        pput(0x34, 1u << c->slot);
    }
    pput(0x38, 1u << c->slot);
}

/* Poll until the slots are through, an error shows, or us have passed. */
static inline bool finish(uint32_t slots, uint64_t us)
{
    uint64_t end = plat()->clock_ns(plat()) + us * 1000;
    while (((pget(0x38) | pget(0x34)) & slots) != 0) {
        if ((pget(0x10) & 0x78000000) != 0 || plat()->clock_ns(plat()) > end) {
            return false;
        }
    }
    return true;
}

static inline bool run(struct cmd c)
{
    issue(&c);
    return finish(1u << c.slot, FAR_US);
}

static inline struct cmd dma_read(uint64_t lba, uint32_t sectors, uint32_t sector_bytes)
{
    return (
        struct cmd){ .op = 0x25, .lba = lba, .count = sectors, .bytes = sectors * sector_bytes };
}

static inline struct cmd dma_write(uint64_t lba, uint32_t sectors, uint32_t sector_bytes)
{
    return (struct cmd){
        .op = 0x35, .lba = lba, .count = sectors, .bytes = sectors * sector_bytes, .out = true
    };
}

static inline struct cmd ncq_read(unsigned tag, uint64_t lba, uint16_t sectors)
{
    return (struct cmd){ .op = 0x60,
                         .feature = sectors,
                         .lba = lba,
                         .count = tag << 3,
                         .queued = true,
                         .bytes = sectors * 512u,
                         .at = tag * 0x4000,
                         .slot = tag };
}

static inline struct cmd ncq_write(unsigned tag, uint64_t lba, uint16_t sectors)
{
    struct cmd c = ncq_read(tag, lba, sectors);
    c.op = 0x61;
    c.out = true;
    return c;
}

/* TRIM with the entries already in the data buffer. */
static inline struct cmd dsm(uint32_t blocks)
{
    return (struct cmd){
        .op = 0x06, .feature = 1, .count = blocks, .bytes = blocks * 512, .out = true
    };
}

static inline void entry(unsigned n, uint64_t lba, uint64_t count)
{
    put_le64((uint8_t *)data.cpu + 8 * (size_t)n, lba | count << 48);
}

static inline struct cmd error_log(void)
{
    return (struct cmd){ .op = 0x2f, .lba = 0x10, .count = 1, .bytes = 512 };
}

static inline uint32_t prdbc(unsigned slot)
{
    return get_le32(header(slot) + 4);
}

static inline void data_set(uint8_t value)
{
    memset(data.cpu, value, DATA_BYTES);
}

static inline uint8_t byte(size_t at)
{
    return ((const uint8_t *)data.cpu)[at];
}

/* Are all these bytes the same value? */
static inline bool all(size_t from, size_t bytes, uint8_t value)
{
    for (size_t i = from; i < from + bytes; i++) {
        if (byte(i) != value) {
            printf("  byte %zu is %02x\n", i, byte(i));
            return false;
        }
    }
    return true;
}

#endif
