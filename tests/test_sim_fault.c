/* Each fault does what its name says, on the occasion it was written for, and nothing else. */
#include "tests/sim_driver.h"

#define FAULTS(...)                                                                                \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .faults = { __VA_ARGS__ }                                                                  \
    }

/* A drive whose sector n holds bytes n + 1, at 0..63. */
static void up_with(const struct sim_config *config)
{
    uint8_t sector[512];
    up(config);
    for (unsigned i = 0; i < 64; i++) {
        memset(sector, (int)i + 1, sizeof(sector));
        sim_drive_poke(&b.drive[0], i, sector);
    }
    data_set(0xcc);
}

static bool medium_is(uint64_t lba, uint8_t value)
{
    uint8_t sector[512];
    sim_drive_peek(&b.drive[0], lba, sector);
    for (unsigned i = 0; i < sizeof(sector); i++) {
        if (sector[i] != value) {
            printf("  byte %u of LBA %" PRIu64 " is %02x\n", i, lba, sector[i]);
            return false;
        }
    }
    return true;
}

/* --- when a fault strikes ------------------------------------------------------------------------ */

TEST(sim_fault_strikes_on_its_occasion_only)
{
    static const struct sim_fault script[] = {
        { .what = SIM_SLOW, .opcode = 0x25, .nth = 2, .times = 2 },
        { .what = SIM_HANG, .lba_first = 100, .lba_count = 10, .ports = 1u << 3 },
        { .what = SIM_NO_FAULT },
        { .what = SIM_HANG },
    };
    struct sim_faults f;
    sim_faults_init(&f, script, ARRAY_LEN(script));
    CHECK_EQ(f.count, 2);
    struct sim_occasion read = { .opcode = 0x25, .lba = 0, .count = 8 };
    struct sim_occasion write = { .opcode = 0x35, .lba = 0, .count = 8 };
    static const bool want[] = { false, true, true, false, false };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        CHECK(sim_fault_strikes(&f, SIM_DEVICE_ERROR, SIM_SERIAL_CHANGED, &write) == NULL);
        CHECK(sim_fault_strikes(&f, SIM_BSY_STUCK, SIM_SIGNATURE, &read) == NULL);
        CHECK_EQ(sim_fault_strikes(&f, SIM_DEVICE_ERROR, SIM_SERIAL_CHANGED, &read) == &script[0],
                 want[i]);
    }
    CHECK_EQ(sim_fault_fired(&f, 0), 2);
    struct sim_occasion touch = { .port = 3, .opcode = 0x35, .lba = 95, .count = 5 };
    CHECK(sim_fault_strikes(&f, SIM_HANG, SIM_HANG, &touch) == NULL); /* ends at 99 */
    touch.port = 2;
    touch.count = 6;
    CHECK(sim_fault_strikes(&f, SIM_HANG, SIM_HANG, &touch) == NULL); /* another port */
    touch.port = 3;
    CHECK(sim_fault_strikes(&f, SIM_HANG, SIM_HANG, &touch) == &script[1]);
    CHECK(sim_fault_strikes(&f, SIM_HANG, SIM_HANG, &touch) == NULL); /* once */
    struct sim_occasion no_address = { .port = 3, .opcode = 0xec };
    CHECK(sim_fault_strikes(&f, SIM_HANG, SIM_HANG, &no_address) == NULL);
}

/* --- data ------------------------------------------------------------------------------------------- */

TEST(sim_fault_data_never_ends_well_without_data)
{
    up_with(FAULTS({ .what = SIM_DATA_NEVER, .opcode = 0x25, .nth = 2 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK(all(0, 512, 1));
    data_set(0xcc);
    CHECK(run(dma_read(0, 2, 512)));
    CHECK_EQ(prdbc(0), 1024);
    CHECK(all(0, 1024, 0xcc));
    pause_us(1000000);
    CHECK(all(0, 1024, 0xcc));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK(all(0, 512, 1));
    down();
}

TEST(sim_fault_data_never_for_pio_and_queued)
{
    up_with(FAULTS({ .what = SIM_DATA_NEVER, .times = SIM_ALWAYS }));
    CHECK(run(ncq_read(0, 0, 2)));
    CHECK(run((struct cmd){ .op = 0x24, .count = 2, .bytes = 1024 }));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK(all(0, 1024, 0xcc));
    down();
}

TEST(sim_fault_data_late_arrives_after_the_end)
{
    up_with(FAULTS({ .what = SIM_DATA_LATE, .us = 500 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK_EQ(prdbc(0), 1024);
    CHECK(all(0, 1024, 0xcc));
    pause_us(501);
    CHECK(all(0, 512, 1));
    CHECK(all(512, 512, 2));
    down();
}

TEST(sim_fault_data_late_into_freed_memory_is_not_the_drivers_fault)
{
    up_with(FAULTS({ .what = SIM_DATA_LATE, .us = 500 }));
    CHECK(run(dma_read(0, 2, 512)));
    down(); /* frees everything first */
}

TEST(sim_fault_data_short_with_full_and_honest_count)
{
    up_with(FAULTS({ .what = SIM_DATA_SHORT, .bytes = 700 },
                   { .what = SIM_DATA_SHORT_HONEST, .bytes = 600, .nth = 2 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK_EQ(prdbc(0), 1024);
    CHECK(all(0, 512, 1) && all(512, 188, 2) && all(700, 324, 0xcc));
    data_set(0xcc);
    CHECK(run(dma_read(0, 2, 512)));
    CHECK_EQ(prdbc(0), 600);
    CHECK(all(0, 512, 1) && all(512, 88, 2) && all(600, 424, 0xcc));
    down();
}

TEST(sim_fault_wrong_count_only)
{
    up_with(FAULTS({ .what = SIM_PRDBC_WRONG, .value = 12 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK_EQ(prdbc(0), 12);
    CHECK(all(512, 512, 2));
    down();
}

TEST(sim_fault_bit_flip_is_one_bit)
{
    up_with(FAULTS(
        { .what = SIM_BIT_FLIP, .bytes = 600 },
        { .what = SIM_BIT_FLIP, .opcode = 0x35, .lba_first = 11, .lba_count = 1, .bytes = 3 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK(all(0, 512, 1) && all(512, 88, 2) && all(601, 423, 2));
    CHECK_EQ(byte(600), 3);
    CHECK(medium_is(1, 2));
    data_set(0x40);
    CHECK(run(dma_write(10, 3, 512)));
    CHECK(medium_is(10, 0x40) && medium_is(12, 0x40));
    uint8_t sector[512];
    sim_drive_peek(&b.drive[0], 11, sector);
    CHECK_EQ(sector[3], 0x41);
    CHECK_EQ(sector[4], 0x40);
    down();
}

TEST(sim_fault_other_lba_reads_and_writes_elsewhere)
{
    up_with(FAULTS(
        { .what = SIM_OTHER_LBA, .opcode = 0x25, .value = 5 },
        { .what = SIM_OTHER_LBA, .opcode = 0x35, .value = 20, .lba_first = 1, .lba_count = 1 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK(all(0, 512, 6) && all(512, 512, 7));
    data_set(0x99);
    CHECK(run(dma_write(0, 2, 512)));
    CHECK(medium_is(0, 0x99) && medium_is(1, 2) && medium_is(21, 0x99));
    down();
}

TEST(sim_fault_write_lost_stores_nothing)
{
    up_with(FAULTS({ .what = SIM_WRITE_LOST, .opcode = 0x35 }));
    CHECK(run(dma_write(0, 2, 512)));
    CHECK(medium_is(0, 1) && medium_is(1, 2));
    CHECK(run(dma_write(0, 1, 512)));
    CHECK(medium_is(0, 0xcc));
    down();
}

TEST(sim_fault_write_outside_scribbles_behind_the_data)
{
    up_with(FAULTS({ .what = SIM_WRITE_OUTSIDE, .bytes = 40 }));
    CHECK(run(dma_read(0, 2, 512)));
    CHECK(all(512, 512, 2));
    CHECK(all(1024, 40, 0xe5));
    CHECK(all(1064, 100, 0xcc));
    down();
}

/* --- ends of commands ------------------------------------------------------------------------------- */

TEST(sim_fault_device_error_names_lba_and_moves_what_is_good)
{
    up_with(FAULTS({ .what = SIM_DEVICE_ERROR, .lba_first = 3, .lba_count = 1, .error = 0x40 },
                   { .what = SIM_DEVICE_ERROR, .opcode = 0xea, .status = 0x61, .error = 0x04 }));
    CHECK(!run(dma_read(1, 8, 512)));
    CHECK_EQ(pget(0x20) & 0xffff, 0x4051);
    CHECK_EQ(pget(0x10) & 0x40000001, 0x40000001);
    CHECK_EQ(rfis(0x40)[4], 3);
    CHECK_EQ(prdbc(0), 1024);
    CHECK(all(0, 512, 2) && all(512, 512, 3) && all(1024, 512, 0xcc));
    CHECK_EQ(pget(0x38), 1);
    port_restart();
    CHECK(!run((struct cmd){ .op = 0xea }));
    CHECK_EQ(pget(0x20) & 0xffff, 0x0461);
    port_restart();
    CHECK(run(dma_read(1, 8, 512)));
    down();
}

TEST(sim_fault_hang_stays_busy_until_comreset)
{
    up_with(FAULTS({ .what = SIM_HANG, .opcode = 0x25 }));
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 60000000));
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    CHECK_EQ(pget(0x38), 1);
    port_quiet();
    pput(0x18, pget(0x18) | 0x10);
    CHECK(port_comreset());
    port_go();
    CHECK(run(dma_read(0, 1, 512)));
    down();
}

TEST(sim_fault_hang_of_a_queued_one_lets_the_others_end)
{
    up_with(FAULTS({ .what = SIM_HANG, .opcode = 0x60, .nth = 2 }));
    for (unsigned tag = 0; tag < 4; tag++) {
        struct cmd c = ncq_read(tag, tag, 1);
        issue(&c);
    }
    CHECK(!finish(0xf, 1000000));
    CHECK_EQ(pget(0x34), 2);
    CHECK_EQ(pget(0x38), 0);
    CHECK(all((size_t)3 * 0x4000, 512, 4));
    down();
}

TEST(sim_fault_slow_is_late_and_right)
{
    up_with(FAULTS({ .what = SIM_SLOW, .us = 3000000 }));
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 2900000));
    CHECK(finish(1, 200000));
    CHECK(all(0, 512, 1));
    down();
}

TEST(sim_fault_lost_completion_does_the_work)
{
    up_with(FAULTS({ .what = SIM_LOST_COMPLETION, .opcode = 0x35 },
                   { .what = SIM_LOST_COMPLETION, .opcode = 0xec }));
    struct cmd c = dma_write(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 1000000));
    CHECK(medium_is(0, 0xcc));
    down();
    up_with(FAULTS({ .what = SIM_LOST_COMPLETION, .opcode = 0xec }));
    c = (struct cmd){ .op = 0xec, .bytes = 512 };
    issue(&c);
    CHECK(!finish(1, 1000000));
    CHECK_EQ(byte(0), 0x40);
    down();
}

TEST(sim_fault_bus_and_interface_errors)
{
    up_with(FAULTS({ .what = SIM_HBFS, .opcode = 0x25 }, { .what = SIM_IFS, .opcode = 0x35 }));
    CHECK(!run(dma_read(0, 1, 512)));
    CHECK_EQ(pget(0x10), 1u << 29);
    CHECK_EQ(sim_drive_count(&b.drive[0], 0x25), 0);
    port_restart();
    CHECK(!run(dma_write(0, 1, 512)));
    CHECK_EQ(pget(0x10), 1u << 27);
    CHECK((pget(0x30) & 1u << 10) != 0);
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    CHECK(medium_is(0, 1));
    down();
}

TEST(sim_fault_task_file_error_without_a_frame)
{
    up_with(FAULTS({ .what = SIM_TFES_NO_D2H, .opcode = 0x25, .error = 0x10 }));
    memset(rfis(0), 0xcc, 256);
    CHECK(!run(dma_read(0, 1, 512)));
    CHECK_EQ(pget(0x10), 1u << 30);
    CHECK_EQ(pget(0x20) & 0xffff, 0x1051);
    CHECK_EQ(rfis(0x40)[0], 0xcc);
    down();
}

TEST(sim_fault_qemu_error_has_no_tfes_and_never_ends)
{
    up_with(FAULTS({ .what = SIM_QEMU_NCQ_ERROR, .opcode = 0x60, .nth = 2 }));
    for (unsigned tag = 0; tag < 3; tag++) {
        struct cmd c = ncq_read(tag, tag, 1);
        issue(&c);
    }
    CHECK(!finish(7, 1000000));
    CHECK_EQ(pget(0x34), 2);
    CHECK_EQ(pget(0x38), 0);
    CHECK_EQ(pget(0x10) & 0x40000000, 0);
    CHECK_EQ(pget(0x30), 2);
    CHECK(all((size_t)2 * 0x4000, 512, 3));
    down();
}

TEST(sim_fault_wrong_ccs)
{
    up_with(FAULTS({ .what = SIM_CCS_WRONG, .opcode = 0x25 }));
    CHECK(run(dma_read(0, 1, 512)));
    CHECK_EQ(pget(0x18) >> 8 & 0x1f, 1);
    down();
}

/* --- link and registers ----------------------------------------------------------------------------- */

TEST(sim_fault_link_drop_with_and_without_return)
{
    up_with(FAULTS({ .what = SIM_LINK_DROP, .opcode = 0x25 }));
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 5000000));
    CHECK_EQ(pget(0x28), 0);
    CHECK((pget(0x10) & 1u << 22) != 0); /* PRCS */
    port_quiet();
    pput(0x18, pget(0x18) | 0x10);
    CHECK(!port_comreset());
    down();
    up_with(FAULTS({ .what = SIM_LINK_DROP, .opcode = 0x25, .us = 100000 }));
    issue(&c);
    CHECK(!finish(1, 1000000));
    CHECK_EQ(pget(0x28) & 0xf, 3);
    CHECK((pget(0x10) & 1u << 6) != 0); /* PCS: something was plugged in */
    port_quiet();
    pput(0x18, pget(0x18) | 0x10);
    CHECK(port_comreset());
    port_go();
    CHECK(run(dma_read(0, 1, 512)));
    CHECK(all(0, 512, 1));
    down();
}

TEST(sim_fault_another_drive_comes_back)
{
    up_with(FAULTS({ .what = SIM_SERIAL_CHANGED, .opcode = 0x25 }));
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    CHECK(!finish(1, 2000000));
    port_quiet();
    pput(0x18, pget(0x18) | 0x10);
    CHECK(port_comreset());
    port_go();
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK(memcmp((uint8_t *)data.cpu + 20, "TOEH-RRDVI-E 1      ", 20) == 0);
    CHECK(run(dma_read(0, 1, 512)));
    CHECK(all(0, 512, 0)); /* and it has a medium of its own */
    down();
}

/* COMRESET under one fault; *sig_us is how long the signature took. */
static bool comreset_under(struct sim_fault fault, uint64_t *took_us)
{
    machine(&(struct sim_config){ .faults = { fault } });
    port_quiet();
    port_memory();
    pput(0x18, pget(0x18) | 0x16);
    uint64_t before = b.clock.now_ns;
    bool good = port_comreset();
    *took_us = (b.clock.now_ns - before) / 1000;
    return good;
}

TEST(sim_fault_comreset_kinds)
{
    uint64_t us;
    CHECK(!comreset_under((struct sim_fault){ .what = SIM_BSY_STUCK }, &us));
    CHECK_EQ(pget(0x28) & 0xf, 3);
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    down();
    CHECK(comreset_under((struct sim_fault){ .what = SIM_DET_LATE, .us = 200000 }, &us));
    CHECK(us >= 200000);
    down();
    CHECK(!comreset_under((struct sim_fault){ .what = SIM_NO_LINK }, &us));
    CHECK_EQ(pget(0x28) & 0xf, 1);
    down();
    CHECK(!comreset_under((struct sim_fault){ .what = SIM_NO_PRESENCE }, &us));
    CHECK_EQ(pget(0x28) & 0xf, 0);
    down();
    static const uint32_t signatures[] = { 0xeb140101, 0x96690101, 0xc33c0101, 0xffffffff };
    for (size_t i = 0; i < ARRAY_LEN(signatures); i++) {
        CHECK(comreset_under((struct sim_fault){ .what = SIM_SIGNATURE, .value = signatures[i] },
                             &us));
        CHECK_EQ(pget(0x24), signatures[i]);
        down();
    }
    CHECK(comreset_under((struct sim_fault){ .what = SIM_BSY_STUCK, .nth = 2 }, &us));
    CHECK(!port_comreset());
    CHECK(port_comreset());
    down();
}

TEST(sim_fault_engines_that_never_stop)
{
    up_with(FAULTS({ .what = SIM_CR_STUCK }));
    CHECK(until(0x18, 0x8000, 0x8000, 1000));
    pput(0x18, pget(0x18) & ~1u);
    CHECK(!until(0x18, 0x8000, 0, 5000000));
    sim_bench_free(&b);
    up_with(FAULTS({ .what = SIM_FR_STUCK, .times = 1 }));
    CHECK(until(0x18, 0x8000, 0x8000, 1000));
    port_quiet();
    CHECK_EQ(pget(0x18) & 0x4000, 0x4000);
    pput(0x18, pget(0x18) | 0x10);
    pput(0x18, pget(0x18) & ~0x10u);
    CHECK(until(0x18, 0x4000, 0, 1000)); /* the second try works */
    sim_bench_free(&b);
}

TEST(sim_fault_ae_needs_writes)
{
    machine(&(struct sim_config){ .hba = { { .ae_off = true } },
                                  .faults = { { .what = SIM_AE_NEEDS, .value = 3 } } });
    put(0x04, 0x80000000);
    put(0x04, 0x80000000);
    CHECK_EQ(get(0x04), 0);
    put(0x04, 0x80000000);
    CHECK_EQ(get(0x04), 0x80000000);
    down();
}

TEST(sim_fault_hba_reset_that_hangs)
{
    machine(FAULTS({ .what = SIM_HR_STUCK }));
    put(0x04, 0x80000001);
    pause_us(5000000);
    CHECK_EQ(get(0x04) & 1, 1);
    sim_bench_free(&b);
}

TEST(sim_fault_all_ones_by_access_and_by_command)
{
    machine(FAULTS({ .what = SIM_ALL_ONES, .nth = 3 }));
    CHECK_EQ(get(0x0c), 0x3f);
    CHECK_EQ(get(0x0c), 0x3f);
    CHECK_EQ(get(0x0c), 0xffffffff);
    CHECK_EQ(get(0x04), 0xffffffff);
    sim_bench_free(&b);
    up_with(FAULTS({ .what = SIM_ALL_ONES, .opcode = 0x25, .nth = 2 }));
    CHECK(run(dma_read(0, 1, 512)));
    data_set(0xcc);
    struct cmd c = dma_read(0, 1, 512);
    issue(&c);
    pause_us(1000);
    CHECK_EQ(pget(0x38), 0xffffffff);
    CHECK(all(0, 512, 0xcc));
    CHECK_EQ(plat()->hand_back(plat(), &pci), ERR_IO);
    sim_bench_free(&b);
}

TEST(sim_fault_absurd_controllers)
{
    machine(&(struct sim_config){ .no_drive = true, .hba = { { .exact = true } } });
    CHECK_EQ(get(0x00) | get(0x0c) | get(0x10), 0);
    sim_bench_free(&b);
    machine(&(struct sim_config){
        .no_drive = true, .hba = { { .cap = 0xffffffff, .pi = 0xffffffff, .vs = 0xffffffff } } });
    CHECK_EQ(get(0x00) & get(0x0c) & get(0x10), 0xffffffff);
    sim_bench_free(&b);
}

TEST_MAIN
