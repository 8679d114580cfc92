/* The controller model by itself: registers, bring-up, and the rules it watches over. */
#include "tests/sim_driver.h"

#define PLAIN                                                                                      \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        0                                                                                          \
    }

TEST(sim_hba_start_states_look_as_named)
{
    static const struct {
        enum sim_start start;
        uint32_t ssts, sig, tfd, cmd; /* ST, FRE, FR, CR of cmd */
        bool list;
    } want[] = {
        { SIM_START_STOPPED, 0x133, 0x101, 0x150, 0, true },
        { SIM_START_RUNNING, 0x133, 0x101, 0x150, 0xc011, true },
        { SIM_START_UNTOUCHED, 0x133, 0xffffffff, 0x7f, 0, false },
        { SIM_START_COLD, 0, 0xffffffff, 0x7f, 0, false },
        { SIM_START_PARTIAL, 0x231, 0x101, 0x150, 0, true },
        { SIM_START_GARBAGE, 0x133, 0x101, 0x150, 0, true },
    };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        sim_bench_init(&b, &(struct sim_config){ .hba = { { .start = want[i].start } } });
        const struct sim_hba_port *p = &b.hba[0].port[0];
        CHECK_EQ(p->ssts, want[i].ssts);
        CHECK_EQ(p->sig, want[i].sig);
        CHECK_EQ(p->tfd, want[i].tfd);
        CHECK_EQ(p->cmd & 0xc011, want[i].cmd);
        CHECK_EQ(p->clb != 0, want[i].list);
        CHECK_EQ(p->clbu != 0, want[i].start == SIM_START_GARBAGE);
        CHECK_EQ(p->serr | p->is, 0);
        /* an empty port of the same controller */
        CHECK_EQ(b.hba[0].port[1].ssts, 0);
        CHECK_EQ(b.hba[0].port[1].sig, 0xffffffff);
        CHECK_STR(sim_bench_violations(&b), "");
        sim_bench_free(&b);
    }
}

TEST(sim_hba_comreset_goes_through_its_stages)
{
    machine(PLAIN);
    port_quiet();
    port_memory();
    pput(0x18, pget(0x18) | 0x16);
    CHECK(until(0x18, 0x4000, 0x4000, 100));
    pput(0x2c, 0x301);
    CHECK_EQ(pget(0x28) & 0xf, 0);
    CHECK_EQ(pget(0x20), 0x7f);
    CHECK((pget(0x30) & 1u << 16) != 0); /* PhyRdy change */
    pause_us(1100);
    pput(0x2c, 0x300);
    CHECK_EQ(pget(0x24), 0xffffffff);
    CHECK(until(0x28, 0xf, 1, 500));
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    CHECK(until(0x28, 0xf, 3, 2000));
    CHECK_EQ(pget(0x28), 0x133);
    /* Exchanged: PCS shows it, and no signature gets through while it stands. */
    CHECK((pget(0x30) & 1u << 26) != 0);
    CHECK((pget(0x10) & 1u << 6) != 0);
    pause_us(100000);
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    CHECK_EQ(pget(0x24), 0xffffffff);
    pput(0x10, 0xffffffff);
    CHECK((pget(0x10) & 1u << 6) != 0); /* not its own bit */
    pput(0x30, 1u << 26);
    CHECK_EQ(pget(0x10) & 1u << 6, 0);
    CHECK_EQ(pget(0x20), 0x150);
    CHECK_EQ(pget(0x24), 0x101);
    CHECK_EQ(rfis(0x40)[0], 0x34);
    CHECK_EQ(rfis(0x40)[12], 1);
    CHECK_EQ(b.drive[0].log.comresets, 1);
    down();
}

TEST(sim_hba_empty_port_shows_nothing)
{
    machine(PLAIN);
    portno = 3;
    port_memory();
    pput(0x18, pget(0x18) | 0x16);
    CHECK(!port_comreset());
    CHECK_EQ(pget(0x28), 0);
    CHECK_EQ(pget(0x24), 0xffffffff);
    down();
}

TEST(sim_hba_status_bits_clear_by_ones_only)
{
    up(PLAIN);
    CHECK(run(dma_read(0, 1, 512)));
    CHECK_EQ(pget(0x10), 1); /* DHRS */
    pput(0x10, 0);
    CHECK_EQ(pget(0x10), 1);
    pput(0x10, 0x40000000);
    CHECK_EQ(pget(0x10), 1);
    pput(0x10, 1);
    CHECK_EQ(pget(0x10), 0);
    down();
}

TEST(sim_hba_global_status_needs_the_port_enabled)
{
    up(PLAIN);
    CHECK(run(dma_read(0, 1, 512)));
    CHECK_EQ(get(0x08), 0);
    pput(0x14, 1);
    CHECK_EQ(get(0x08), 1);
    put(0x08, 1);
    CHECK_EQ(get(0x08), 1); /* the port still says so */
    pput(0x10, 1);
    put(0x08, 1);
    CHECK_EQ(get(0x08), 0);
    down();
}

TEST(sim_hba_read_only_registers_stay)
{
    up(PLAIN);
    uint32_t cap = get(0x00);
    put(0x00, 0);
    put(0x0c, 0);
    CHECK_EQ(get(0x00), cap);
    CHECK_EQ(get(0x0c), 0x3f);
    pput(0x20, 0);
    pput(0x24, 0);
    pput(0x28, 0);
    CHECK_EQ(pget(0x20), 0x150);
    CHECK_EQ(pget(0x24), 0x101);
    CHECK_EQ(pget(0x28), 0x133);
    CHECK(noted("read-only register 20h"));
    down_noting(3);
}

TEST(sim_hba_engines_follow_their_switches_later)
{
    up(&(struct sim_config){ .hba = { { .engine_us = 50 } } });
    CHECK(until(0x18, 0x8000, 0x8000, 1000));
    pput(0x18, pget(0x18) & ~1u);
    CHECK_EQ(pget(0x18) & 0x8001, 0x8000);
    pause_us(60);
    CHECK_EQ(pget(0x18) & 0x8001, 0);
    CHECK_EQ(pget(0x18) & 0x4010, 0x4010);
    pput(0x18, pget(0x18) & ~0x10u);
    CHECK_EQ(pget(0x18) & 0x4010, 0x4000);
    pause_us(60);
    CHECK_EQ(pget(0x18) & 0x4010, 0);
    down();
}

TEST(sim_hba_stopping_forgets_the_slots)
{
    up(&(struct sim_config){ .faults = { { .what = SIM_HANG, .opcode = 0x60 } } });
    struct cmd c = ncq_read(5, 0, 1);
    issue(&c);
    pause_us(10);
    CHECK_EQ(pget(0x34), 1u << 5);
    pput(0x18, pget(0x18) & ~1u);
    CHECK_EQ(pget(0x34), 0);
    CHECK_EQ(pget(0x38), 0);
    down();
}

TEST(sim_hba_clo_clears_busy)
{
    up(&(struct sim_config){ .faults = { { .what = SIM_HANG } } });
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 1000));
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    pput(0x18, pget(0x18) & ~1u);
    CHECK(until(0x18, 0x8000, 0, 1000));
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    pput(0x18, pget(0x18) | 8);
    CHECK(until(0x18, 8, 0, 1000));
    CHECK_EQ(pget(0x20) & 0x80, 0);
    down();
}

TEST(sim_hba_ccs_names_the_slot)
{
    up(&(struct sim_config){ .faults = { { .what = SIM_HANG, .opcode = 0x25 } } });
    struct cmd c = dma_read(0, 1, 512);
    c.slot = 7;
    issue(&c);
    pause_us(10);
    CHECK_EQ(pget(0x18) >> 8 & 0x1f, 7);
    down();
}

TEST(sim_hba_reset_takes_time_and_clears_enable)
{
    up(PLAIN);
    put(0x04, 0x80000001);
    CHECK_EQ(get(0x04) & 1, 1);
    pause_us(1100);
    CHECK_EQ(get(0x04), 0);
    CHECK_EQ(b.hba[0].resets, 1);
    put(0x04, 0x80000000);
    CHECK_EQ(pget(0x18) & 0xc011, 0);
    CHECK(until(0x28, 0xf, 3, 10000)); /* no staggered spin-up here: COMRESET by itself */
    down();
}

TEST(sim_hba_without_ae_port_writes_are_lost)
{
    machine(&(struct sim_config){ .hba = { { .ae_off = true } } });
    pput(0x00, (uint32_t)own.bus);
    CHECK(pget(0x00) != (uint32_t)own.bus);
    CHECK(noted("GHC.AE = 0"));
    put(0x04, 0x80000000);
    pput(0x00, (uint32_t)own.bus);
    CHECK_EQ(pget(0x00), (uint32_t)own.bus);
    down_noting(1);
}

TEST(sim_hba_bios_lets_go_after_its_time)
{
    machine(&(struct sim_config){ .hba = { { .bios_owned = true, .handoff_us = 300 } } });
    CHECK_EQ(get(0x28) & 1, 1);
    put(0x28, get(0x28) | 2);
    CHECK_EQ(get(0x28) & 3, 3);
    pause_us(301);
    CHECK_EQ(get(0x28) & 3, 2);
    down();
}

TEST(sim_hba_cap2_is_reserved_in_old_versions)
{
    machine(&(struct sim_config){ .hba = { { .vs = 0x00010000 } } });
    CHECK_EQ(get(0x24), 0);
    CHECK(noted("reserved before AHCI 1.2"));
    down_noting(1);
}

TEST(sim_hba_sparse_ports_work_by_pi)
{
    up(&(struct sim_config){ .hba = { { .pi = 0xf0, .cap = 0xe534ff43 } } });
    CHECK_EQ(portno, 4);
    CHECK(run(dma_read(0, 1, 512)));
    portno = 0;
    CHECK_EQ(pget(0x28), 0);
    pput(0x10, 1);
    CHECK(noted("PI does not name port 0"));
    portno = 4;
    down_noting(1);
}

TEST(sim_hba_staggered_port_needs_sud)
{
    machine(&(struct sim_config){ .hba = { { .cap = 0xef20ff65, .start = SIM_START_COLD } } });
    port_memory();
    pput(0x18, 0x10);
    CHECK(!port_comreset());
    pput(0x18, 0x12);
    CHECK(until(0x28, 0xf, 3, 10000));
    CHECK_EQ(pget(0x28) & 0xf0, 0x20); /* the controller ends at 3 Gb/s */
    down();
}

TEST(sim_hba_regions_share_the_data)
{
    up(PLAIN);
    for (size_t i = 0; i < 8192; i++) {
        ((uint8_t *)data.cpu)[i] = (uint8_t)(i * 7 + i / 512);
    }
    struct cmd w = dma_write(100, 16, 512);
    w.regions = 4;
    CHECK(run(w));
    CHECK_EQ(prdbc(0), 8192);
    struct cmd r = dma_read(100, 16, 512);
    r.at = 0x10000;
    r.regions = 8;
    CHECK(run(r));
    CHECK_EQ(prdbc(0), 8192);
    CHECK(memcmp(data.cpu, (uint8_t *)data.cpu + 0x10000, 8192) == 0);
    down();
}

TEST(sim_hba_frames_land_where_the_specification_says)
{
    up(PLAIN);
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK_EQ(rfis(0x20)[0], 0x5f);
    CHECK_EQ(rfis(0x20)[15], 0x50);
    CHECK_EQ(pget(0x10), 2); /* PSS, and no D2H frame at the end of data in */
    CHECK(run(dma_read(0, 1, 512)));
    CHECK_EQ(rfis(0x40)[0], 0x34);
    CHECK(run(ncq_read(3, 0, 1)));
    CHECK_EQ(rfis(0x00)[0], 0x41);
    CHECK_EQ(rfis(0x00)[4], 3);
    CHECK_EQ(rfis(0x58)[0], 0xa1);
    CHECK_EQ(get_le32(rfis(0x58) + 4), 1u << 3);
    CHECK_EQ(pget(0x10) & 8, 8);
    down();
}

/* --- the rules ---------------------------------------------------------------------------------- */

static void breaks(void (*act)(void), const char *words)
{
    up(PLAIN);
    act();
    CHECK(noted(words));
    sim_bench_free(&b);
}

static void st_without_fre(void)
{
    port_quiet();
    pput(0x18, pget(0x18) | 1);
}
static void list_moved(void)
{
    pput(0x00, (uint32_t)own.bus + 0x2000);
}
static void list_crooked(void)
{
    port_quiet();
    pput(0x00, (uint32_t)own.bus + 0x200);
}
static void area_crooked(void)
{
    port_quiet();
    pput(0x08, (uint32_t)own.bus + 0x80);
}
static void ci_while_stopped(void)
{
    pput(0x18, pget(0x18) & ~1u);
    pput(0x38, 1);
}
static void sact_while_stopped(void)
{
    pput(0x18, pget(0x18) & ~1u);
    pput(0x34, 1);
}
static void short_comreset(void)
{
    port_quiet();
    pput(0x2c, 0x301);
    pause_us(500);
    pput(0x2c, 0x300);
}
static void comreset_while_running(void)
{
    pput(0x2c, 0x301);
}
static void st_too_soon(void)
{
    until(0x18, 0x8000, 0x8000, 1000);
    pput(0x18, pget(0x18) & ~1u);
    pput(0x18, pget(0x18) | 1);
}
static void fre_off_first(void)
{
    pput(0x18, pget(0x18) & ~0x10u);
}
static void st_while_busy(void)
{
    port_quiet();
    pput(0x2c, 0x301);
    pput(0x18, pget(0x18) | 0x11);
}
static void table_crooked(void)
{
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(header(0) + 8, (uint32_t)own.bus + 0x1040);
    memcpy(table(0) + 0x40, table(0), 0x40);
    pput(0x38, 1);
    pause_us(10);
}
static void odd_count(void)
{
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(table(0) + 0x8c, 512);
    pput(0x38, 1);
    pause_us(10);
}
static void wrong_length(void)
{
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(header(0), 4u | 1u << 16);
    pput(0x38, 1);
    pause_us(10);
}
static void prefetch_queued(void)
{
    struct cmd c = ncq_read(0, 0, 1);
    fill(&c);
    put_le32(header(0), get_le32(header(0)) | 0x80);
    pput(0x34, 1);
    pput(0x38, 1);
    pause_us(10);
}
static void ci_before_sact(void)
{
    struct cmd c = ncq_read(0, 0, 1);
    fill(&c);
    pput(0x38, 1);
    pput(0x34, 1);
    pause_us(10);
}
static void tag_not_slot(void)
{
    struct cmd c = ncq_read(2, 0, 1);
    c.slot = 4;
    issue(&c);
    pause_us(10);
}
static void mixed(void)
{
    struct cmd q = ncq_read(0, 0, 1);
    struct cmd u = dma_read(0, 1, 512);
    u.slot = 1;
    issue(&q);
    pause_us(5);
    issue(&u);
    pause_us(5);
}
static void stale_prdbc(void)
{
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(header(0) + 4, 512);
    pput(0x38, 1);
    pause_us(10);
}
static void regions_too_long(void)
{
    struct cmd c = dma_read(0, 1, 512);
    c.bytes = 1024;
    run(c);
}
static void regions_too_short(void)
{
    struct cmd c = dma_read(0, 2, 512);
    c.bytes = 512;
    run(c);
}
static void wrong_direction(void)
{
    struct cmd c = dma_read(0, 1, 512);
    c.out = true;
    run(c);
}
static void slot_twice(void)
{
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    pput(0x38, 1);
}
static void read_only_global(void)
{
    put(0x10, 0);
}

TEST(sim_hba_every_broken_rule_is_noted)
{
    breaks(st_without_fre, "ST set while FRE = 0");
    breaks(list_moved, "PxCLB changed while ST or CR = 1");
    breaks(list_crooked, "is not 1024-byte aligned");
    breaks(area_crooked, "is not 256-byte aligned");
    breaks(ci_while_stopped, "PxCI written while ST = 0");
    breaks(sact_while_stopped, "PxSACT written while ST = 0");
    breaks(short_comreset, "COMRESET of only");
    breaks(comreset_while_running, "PxSCTL.DET written while ST = 1");
    breaks(st_too_soon, "ST set while CR = 1");
    breaks(fre_off_first, "FRE cleared while ST or CR = 1");
    breaks(st_while_busy, "ST set with PxTFD");
    breaks(table_crooked, "not 128-byte aligned");
    breaks(odd_count, "of the wrong parity");
    breaks(wrong_length, "CFL is not 5");
    breaks(prefetch_queued, "P set for a queued command");
    breaks(ci_before_sact, "PxSACT was not set before PxCI");
    breaks(tag_not_slot, "queued command in slot 4 has tag 2");
    breaks(mixed, "unqueued command 25h while PxSACT");
    breaks(stale_prdbc, "PRDBC = 00000200h before the command");
    breaks(regions_too_long, "regions of 1024 bytes for a command that moved 512");
    breaks(regions_too_short, "the regions hold 512 bytes, the drive moves more");
    breaks(wrong_direction, "command header bit W");
    breaks(slot_twice, "PxCI bits 00000001h set while outstanding");
    breaks(read_only_global, "global register 10h written");
}

TEST(sim_hba_too_few_regions_raise_overflow)
{
    up(PLAIN);
    struct cmd c = dma_read(0, 2, 512);
    c.bytes = 512;
    run(c);
    CHECK_EQ(pget(0x10) & 1u << 24, 1u << 24); /* OFS */
    down_noting(1);
}

static void hbfs_at(uint64_t address, const char *words)
{
    up(PLAIN);
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(table(0) + 0x80, (uint32_t)address);
    put_le32(table(0) + 0x84, (uint32_t)(address >> 32));
    pput(0x38, 1);
    CHECK(!finish(1, 10000));
    CHECK_EQ(pget(0x10) & 1u << 29, 1u << 29);
    CHECK(noted(words));
    sim_bench_free(&b);
}

TEST(sim_hba_memory_that_is_not_ours_is_a_bus_error)
{
    hbfs_at(0x1000, "no buffer there");
    hbfs_at(UINT64_C(0x120000000), "above 4 GiB");
}

TEST(sim_hba_firmware_memory_is_there_and_taboo)
{
    up(&(struct sim_config){ .hba = { { .start = SIM_START_RUNNING } } });
    struct cmd c = dma_read(0, 1, 512);
    fill(&c);
    put_le32(table(0) + 0x80, (uint32_t)b.hba[0].config.firmware_bus);
    pput(0x38, 1);
    CHECK(finish(1, 10000));
    CHECK(noted("the firmware's memory"));
    sim_bench_free(&b);
}

TEST(sim_hba_freed_memory_is_a_bus_error)
{
    up(PLAIN);
    uint64_t bus = data.bus;
    plat()->dma_free(plat(), &pci, &data);
    data.bus = bus;
    CHECK(!run(dma_read(0, 1, 512)));
    CHECK(noted("freed buffer"));
    sim_bench_free(&b);
}

TEST(sim_hba_end_of_a_buffer_is_a_wall)
{
    up(PLAIN);
    struct cmd c = dma_read(0, 2, 512);
    c.at = DATA_BYTES - 512;
    CHECK(!run(c));
    CHECK(noted("no buffer there"));
    sim_bench_free(&b);
}

TEST_MAIN
