/* The drive model by itself, through the controller model. */
#include "tests/sim_driver.h"

#define PLAIN                                                                                      \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        0                                                                                          \
    }
#define DRIVE(...)                                                                                 \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .drive = { { __VA_ARGS__ } }                                                               \
    }

static uint16_t word(unsigned n)
{
    return get_le16((uint8_t *)data.cpu + 2 * (size_t)n);
}

static void pattern(size_t bytes, uint8_t seed)
{
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *)data.cpu)[i] = (uint8_t)(i * 13 + i / 512 * 5 + seed);
    }
}

/* PxTFD of an ended command: error in the high byte. */
static uint32_t tfd(void)
{
    return pget(0x20) & 0xffff;
}

static bool fails_with(struct cmd c, uint32_t want)
{
    bool ended = run(c);
    uint32_t got = tfd();
    bool told = (pget(0x10) & 0x40000000) != 0;
    if (ended || got != want || !told) {
        printf("  ended %d, PxTFD %04x, TFES %d\n", ended, got, told);
    }
    port_restart();
    return !ended && got == want && told;
}

TEST(sim_drive_identify_says_what_was_asked_for)
{
    up(DRIVE(.serial = "AB12", .model = "Model X", .sectors = 300000000, .dsm_blocks = 8,
             .drat = true, .rzat = true, .queue_depth = 31, .physical_bytes = 4096,
             .wwn = 0x5001234567890abc, .security = 0x0021));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK_EQ(prdbc(0), 512);
    CHECK_EQ(word(0), 0x0040);
    CHECK(memcmp(&((uint8_t *)data.cpu)[20], "BA21                ", 20) == 0);
    CHECK(memcmp(&((uint8_t *)data.cpu)[54], "oMed l X", 8) == 0);
    CHECK_EQ(word(60) | (uint32_t)word(61) << 16, 0x0fffffff);
    CHECK_EQ(word(100) | (uint32_t)word(101) << 16, 300000000);
    CHECK_EQ(word(102) | word(103), 0);
    CHECK_EQ(word(69), 0x4020);
    CHECK_EQ(word(75), 30);
    CHECK_EQ(word(76), 0x010e);
    CHECK_EQ(word(77), 3 << 1);
    CHECK_EQ(word(83) & 0xc400, 0x4400);
    CHECK_EQ(word(105), 8);
    CHECK_EQ(word(106), 0x6003);
    CHECK_EQ(word(108), 0x5001);
    CHECK_EQ(word(111), 0x0abc);
    CHECK_EQ(word(128), 0x0021);
    CHECK_EQ(word(169), 1);
    CHECK_EQ(word(217), 1);
    CHECK_EQ(word(255) & 0xff, 0xa5);
    uint8_t sum = 0;
    for (unsigned i = 0; i < 512; i++) {
        sum = (uint8_t)(sum + byte(i));
    }
    CHECK_EQ(sum, 0);
    down();
}

TEST(sim_drive_acts_by_given_identify_words)
{
    static uint16_t words[256];
    memset(words, 0, sizeof(words));
    words[49] = 0x0f00; /* LBA, DMA */
    words[60] = 5000;
    words[83] = 0x4000; /* no 48-bit */
    up(DRIVE(.identify = words));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK(memcmp(data.cpu, words, 512) == 0);
    CHECK(run((struct cmd){ .op = 0xc8, .lba = 4999, .count = 1, .lba28 = true, .bytes = 512 }));
    CHECK(fails_with(dma_read(0, 1, 512), 0x0451));
    CHECK(fails_with(ncq_read(0, 0, 1), 0x0451));
    CHECK(fails_with(dsm(1), 0x0451));
    down();
}

TEST(sim_drive_every_method_reads_what_any_wrote)
{
    static const uint64_t at[] = { 0, 4096, 0x0fffffff, 0x10000000, 299999992 };
    up(DRIVE(.sectors = 300000000));
    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        uint8_t want[4096];
        pattern(4096, (uint8_t)i);
        memcpy(want, data.cpu, sizeof(want));
        if (i % 2 == 0) {
            CHECK(run(dma_write(at[i], 8, 512)));
        } else {
            CHECK(run(ncq_write(0, at[i], 8)));
        }
        data_set(0xcc);
        CHECK(run(dma_read(at[i], 8, 512)));
        CHECK(memcmp(data.cpu, want, 4096) == 0);
        data_set(0xcc);
        CHECK(run(ncq_read(0, at[i], 8)));
        CHECK(memcmp(data.cpu, want, 4096) == 0);
        data_set(0xcc);
        CHECK(run((struct cmd){ .op = 0x24, .lba = at[i], .count = 8, .bytes = 4096 }));
        CHECK(memcmp(data.cpu, want, 4096) == 0);
        CHECK_EQ(prdbc(0), 4096);
    }
    CHECK_EQ(b.drive[0].log.sectors_written, 8 * ARRAY_LEN(at));
    CHECK_EQ(sim_drive_count(&b.drive[0], 0x60), ARRAY_LEN(at));
    CHECK_EQ(sim_drive_last(&b.drive[0], 0x25)->lba, 299999992);
    CHECK_EQ(sim_drive_count_changes(&b.drive[0]), ARRAY_LEN(at));
    /* and little memory for 153 GB */
    CHECK(b.drive[0].store.used <= 2 * ARRAY_LEN(at));
    down();
}

TEST(sim_drive_without_pio_setup_ends_by_register_frame)
{
    up(DRIVE(.no_pio_setup = true, .content = SIM_CONTENT_ONES));
    memset(rfis(0), 0, 256);
    CHECK(run((struct cmd){ .op = 0x24, .lba = 3, .count = 2, .bytes = 1024 }));
    CHECK(all(0, 1024, 0xff));
    CHECK_EQ(prdbc(0), 1024);
    CHECK_EQ(rfis(0x20)[0], 0);
    CHECK_EQ(rfis(0x40)[0], 0x34);
    down();
}

TEST(sim_drive_4k_sectors)
{
    up(DRIVE(.logical_bytes = 4096, .sectors = 1000));
    pattern(8192, 1);
    CHECK(run(dma_write(998, 2, 4096)));
    data_set(0);
    CHECK(run(dma_read(999, 1, 4096)));
    CHECK_EQ(byte(0), (uint8_t)(4096 * 13 + 8 * 5 + 1));
    CHECK_EQ(prdbc(0), 4096);
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK_EQ(word(106), 0x5000);
    CHECK_EQ(word(117), 2048);
    CHECK(fails_with(dma_read(999, 2, 4096), 0x1051));
    down_noting(1);
}

TEST(sim_drive_28_bit_only_refuses_the_rest)
{
    up(DRIVE(.lba28_only = true, .no_ncq = true, .sectors = 5000));
    CHECK(run((struct cmd){
        .op = 0xca, .lba = 4744, .count = 0, .lba28 = true, .out = true, .bytes = 256 * 512 }));
    CHECK_EQ(b.drive[0].log.sectors_written, 256);
    CHECK(run((struct cmd){ .op = 0x20, .lba = 4999, .count = 1, .lba28 = true, .bytes = 512 }));
    CHECK(fails_with(dma_read(0, 1, 512), 0x0451));
    CHECK(fails_with((struct cmd){ .op = 0xea }, 0x0451));
    CHECK(run((struct cmd){ .op = 0xe7 }));
    down();
}

TEST(sim_drive_range_past_the_end_is_idnf_and_noted)
{
    up(DRIVE(.sectors = 1000));
    CHECK(fails_with(dma_read(1000, 1, 512), 0x1051));
    CHECK(fails_with(dma_read(999, 2, 512), 0x1051));
    CHECK(run(dma_read(999, 1, 512)));
    CHECK(noted("beyond the end 1000"));
    down_noting(2);
}

TEST(sim_drive_unknown_and_refused_commands_abort)
{
    static const uint8_t ops[] = { 0x00, 0xf1, 0xf4, 0xb4, 0x64, 0xb0, 0xef };
    up(PLAIN);
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        struct cmd c = { .op = ops[i], .queued = ops[i] == 0x64 };
        CHECK(fails_with(c, 0x0451));
    }
    CHECK_EQ(sim_drive_count_changes(&b.drive[0]), ARRAY_LEN(ops));
    CHECK_EQ(b.drive[0].log.command[b.drive[0].log.commands - 1].status, 0x51);
    down();
}

TEST(sim_drive_other_signatures_want_no_commands)
{
    up(DRIVE(.signature = 0xeb140101));
    CHECK_EQ(pget(0x24), 0xeb140101);
    CHECK(fails_with((struct cmd){ .op = 0xec, .bytes = 512 }, 0x0451));
    CHECK(noted("signature EB140101h"));
    down_noting(1);
}

TEST(sim_drive_dev_bit_is_never_answered)
{
    up(PLAIN);
    struct cmd c = dma_read(0, 1, 512);
    c.device = 0x50;
    issue(&c);
    CHECK(!finish(1, 100000));
    CHECK(noted("DEV bit"));
    down_noting(1);
}

TEST(sim_drive_locked_aborts_access_to_the_medium)
{
    up(DRIVE(.security = 0x0027));
    CHECK(fails_with(dma_read(0, 1, 512), 0x0451));
    CHECK(fails_with(dma_write(0, 1, 512), 0x0451));
    CHECK(fails_with(dsm(1), 0x0451));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    down();
}

TEST(sim_drive_standing_by_needs_spin_up)
{
    up(DRIVE(.standby = true));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK_EQ(word(0) & 4, 4);
    CHECK_EQ(word(2), 0x37c8);
    CHECK_EQ(word(100), 0);
    CHECK(fails_with(dma_read(0, 1, 512), 0x0451));
    CHECK(run((struct cmd){ .op = 0xef, .feature = 7 }));
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK_EQ(word(2), 0xc837);
    CHECK(run(dma_read(0, 1, 512)));
    down();
}

TEST(sim_drive_check_power_mode_answers_in_the_count)
{
    up(PLAIN);
    CHECK(run((struct cmd){ .op = 0xe5 }));
    CHECK_EQ(rfis(0x40)[12], 0xff);
    down();
}

TEST(sim_drive_content_is_as_configured)
{
    static uint8_t first[1024];
    up(DRIVE(.content = SIM_CONTENT_USED));
    CHECK(run(dma_read(7, 2, 512)));
    memcpy(first, data.cpu, sizeof(first));
    CHECK(memcmp(first, first + 512, 512) != 0);
    data_set(0);
    CHECK(run(dma_read(7, 2, 512)));
    CHECK(memcmp(first, data.cpu, sizeof(first)) == 0);
    down();
    up(DRIVE(.content = SIM_CONTENT_ONES));
    CHECK(run(dma_read(7, 1, 512)));
    CHECK(all(0, 512, 0xff));
    down();
    up(PLAIN);
    data_set(1);
    CHECK(run(dma_read(7, 1, 512)));
    CHECK(all(0, 512, 0));
    down();
}

/* --- queued commands ---------------------------------------------------------------------------- */

TEST(sim_drive_queue_of_32_ends_out_of_order)
{
    up(DRIVE(.content = SIM_CONTENT_USED));
    for (unsigned tag = 0; tag < 32; tag++) {
        struct cmd c = ncq_read(tag, 1000 + tag, 1);
        issue(&c);
    }
    bool reordered = false;
    uint32_t left = 0xffffffff;
    while (left != 0) {
        uint32_t now = pget(0x34) | pget(0x38);
        uint32_t done = left & ~now;
        reordered |= done != 0 && (now & (done - 1)) != 0; /* an earlier one is still out */
        left &= now;
    }
    CHECK(reordered);
    for (unsigned tag = 0; tag < 32; tag++) {
        uint8_t want[512];
        sim_drive_peek(&b.drive[0], 1000 + tag, want);
        CHECK(memcmp((uint8_t *)data.cpu + (size_t)tag * 0x4000, want, 512) == 0);
    }
    CHECK_EQ(prdbc(0), 0); /* not counted for queued commands */
    down();
}

TEST(sim_drive_queued_error_stops_all_until_the_log_is_read)
{
    up(&(struct sim_config){
        .faults = {
            { .what = SIM_DEVICE_ERROR, .opcode = 0x60, .lba_first = 3001, .lba_count = 1 } } });
    for (unsigned tag = 0; tag < 4; tag++) {
        struct cmd c = ncq_read(tag, 3000 + 16 * tag, 8);
        issue(&c);
    }
    CHECK(!finish(0xf, FAR_US));
    CHECK_EQ(pget(0x10) & 0x40000008, 0x40000008); /* TFES, SDBS */
    CHECK_EQ(tfd(), 0x4051);
    CHECK_EQ(pget(0x34) & 1, 1);
    uint32_t out = pget(0x34);
    pause_us(10000);
    CHECK_EQ(pget(0x34), out); /* nothing ends any more */
    port_restart();
    CHECK(fails_with(dma_read(0, 1, 512), 0x0451));
    CHECK(fails_with((struct cmd){ .op = 0xec, .bytes = 512 }, 0x0451));
    CHECK(run(error_log()));
    CHECK_EQ(byte(0), 0); /* tag 0, queued */
    CHECK_EQ(byte(2), 0x51);
    CHECK_EQ(byte(3), 0x40);
    CHECK_EQ(byte(4) | byte(5) << 8, 3001);
    CHECK(run(dma_read(0, 1, 512)));
    CHECK(run(ncq_read(0, 3000, 8)));
    down();
}

TEST(sim_drive_comreset_ends_the_queued_error_too)
{
    up(&(struct sim_config){ .faults = { { .what = SIM_DEVICE_ERROR, .opcode = 0x61 } } });
    CHECK(!run(ncq_write(1, 0, 1)));
    port_quiet();
    pput(0x18, pget(0x18) | 0x10);
    CHECK(port_comreset());
    port_go();
    CHECK(run(dma_read(0, 1, 512)));
    down();
}

TEST(sim_drive_unqueued_into_a_queue_fails_both)
{
    up(PLAIN);
    struct cmd q = ncq_read(0, 0, 64);
    struct cmd u = dma_read(0, 1, 512);
    u.slot = 1;
    issue(&q);
    pause_us(5);
    issue(&u);
    CHECK(!finish(3, 100000));
    CHECK_EQ(tfd(), 0x0451);
    port_restart();
    CHECK(run(error_log()));
    CHECK_EQ(byte(0), 0x80); /* the failing one was not queued */
    CHECK(noted("while queued commands are outstanding"));
    down_noting(2);
}

TEST(sim_drive_tag_beyond_its_depth_aborts)
{
    up(DRIVE(.queue_depth = 8));
    CHECK(run(ncq_read(7, 0, 1)));
    CHECK(fails_with(ncq_read(8, 0, 1), 0x0451));
    CHECK(noted("tag 8 of 8"));
    down_noting(1);
}

TEST(sim_drive_log_directory_lists_the_error_log)
{
    up(PLAIN);
    CHECK(run((struct cmd){ .op = 0x2f, .count = 1, .bytes = 512 }));
    CHECK_EQ(word(0), 1);
    CHECK_EQ(word(0x10), 1);
    CHECK_EQ(word(4), 0);
    CHECK(fails_with((struct cmd){ .op = 0x2f, .lba = 4, .count = 1, .bytes = 512 }, 0x0451));
    down();
    up(DRIVE(.no_gpl = true));
    CHECK(fails_with(error_log(), 0x0451));
    down();
}

/* --- TRIM --------------------------------------------------------------------------------------------- */

/* Write FFh-free data to 0..63, trim 8..23 and 40..41 in one block. */
static void trim_some(void)
{
    pattern(32768, 3);
    CHECK(run(dma_write(0, 64, 512)));
    data_set(0);
    entry(0, 8, 16);
    entry(1, 500, 0); /* no count: nothing */
    entry(2, 40, 2);
    CHECK(run(dsm(1)));
    CHECK_EQ(b.drive[0].log.trims, 2);
    CHECK_EQ(b.drive[0].log.trim[1].lba, 40);
    CHECK_EQ(b.drive[0].log.trim[1].count, 2);
    data_set(0xcc);
    CHECK(run(dma_read(0, 64, 512)));
}

static bool holds(unsigned sector)
{
    for (unsigned i = 0; i < 512; i++) {
        size_t at = (size_t)sector * 512 + i;
        if (byte(at) != (uint8_t)(at * 13 + at / 512 * 5 + 3)) {
            return false;
        }
    }
    return true;
}

static bool holds_all(unsigned first, unsigned end)
{
    for (unsigned s = first; s < end; s++) {
        if (!holds(s)) {
            printf("  sector %u lost its data\n", s);
            return false;
        }
    }
    return true;
}

TEST(sim_trim_reads_as_zeros_or_ones_and_nothing_else_changes)
{
    static const struct {
        enum sim_trim trim;
        uint8_t value;
    } kinds[] = { { SIM_TRIM_ZEROS, 0 }, { SIM_TRIM_ONES, 0xff } };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        up(DRIVE(.trim = kinds[i].trim));
        trim_some();
        CHECK(all(4096, 8192, kinds[i].value));
        CHECK(all(20480, 1024, kinds[i].value));
        CHECK(holds_all(0, 8) && holds_all(24, 40) && holds_all(42, 64));
        CHECK(sim_store_is_trimmed(&b.drive[0].store, 8));
        CHECK(!sim_store_is_trimmed(&b.drive[0].store, 24));
        CHECK_EQ(pget(0x20) & 0xff, 0x50);
        down();
    }
}

TEST(sim_trim_unstable_differs_each_time)
{
    static uint8_t first[512];
    up(DRIVE(.trim = SIM_TRIM_UNSTABLE));
    trim_some();
    memcpy(first, (uint8_t *)data.cpu + 4096, 512);
    CHECK(run(dma_read(8, 1, 512)));
    CHECK(memcmp(first, data.cpu, 512) != 0);
    down();
}

TEST(sim_trim_ignored_keeps_everything)
{
    up(DRIVE(.trim = SIM_TRIM_IGNORED));
    trim_some();
    CHECK(holds_all(0, 64));
    down();
}

TEST(sim_trim_written_again_is_data_again)
{
    up(PLAIN);
    trim_some();
    pattern(512, 9);
    CHECK(run(dma_write(10, 1, 512)));
    data_set(0);
    CHECK(run(dma_read(10, 1, 512)));
    CHECK_EQ(byte(1), 13 + 9);
    CHECK(!sim_store_is_trimmed(&b.drive[0].store, 10));
    down();
}

TEST(sim_trim_rounds_inward_or_outward)
{
    up(DRIVE(.trim_granule = 16));
    trim_some();
    CHECK(all(8192, 0, 0));
    CHECK(holds_all(0, 64)); /* no whole granule inside 8..23 or 40..41 */
    data_set(0);
    entry(0, 8, 24);
    CHECK(run(dsm(1)));
    CHECK(run(dma_read(0, 64, 512)));
    CHECK(holds_all(0, 16) && holds_all(32, 64));
    CHECK(all(8192, 8192, 0));
    down();
    up(DRIVE(.trim_granule = 16, .trim_rounding = SIM_ROUND_OUTWARD));
    trim_some();
    CHECK(all(0, 24576, 0));
    CHECK(holds_all(48, 64));
    down();
}

TEST(sim_trim_shifted_and_first_entry_only)
{
    up(DRIVE(.trim_shift = 1));
    trim_some();
    CHECK(holds(8) && holds(40) && !holds(24) && !holds(42));
    down();
    up(DRIVE(.trim_first_entry_only = true));
    trim_some();
    CHECK(!holds(8) && holds(40) && holds(41));
    down();
}

TEST(sim_trim_rejected_and_hanging)
{
    up(DRIVE(.trim = SIM_TRIM_REJECTED));
    entry(0, 0, 1);
    CHECK(fails_with(dsm(1), 0x0451));
    down();
    up(DRIVE(.trim = SIM_TRIM_HANGS));
    struct cmd c = dsm(1);
    issue(&c);
    CHECK(!finish(1, 120000000));
    CHECK_EQ(pget(0x20) & 0x80, 0x80);
    down();
}

TEST(sim_trim_limit_of_blocks_and_wrong_feature)
{
    up(DRIVE(.dsm_blocks = 2));
    data_set(0);
    CHECK(run(dsm(2)));
    CHECK(fails_with(dsm(3), 0x0451));
    struct cmd c = dsm(1);
    c.feature = 0;
    CHECK(fails_with(c, 0x0451));
    CHECK(fails_with(dsm(0), 0x0451));
    down();
    up(PLAIN); /* not stated: one */
    CHECK(fails_with(dsm(2), 0x0451));
    down();
}

TEST(sim_trim_past_the_end_changes_nothing)
{
    up(DRIVE(.sectors = 1000, .content = SIM_CONTENT_ONES));
    data_set(0);
    entry(0, 10, 10);
    entry(1, 999, 2);
    CHECK(fails_with(dsm(1), 0x1051));
    CHECK(!sim_store_is_trimmed(&b.drive[0].store, 10));
    CHECK(noted("TRIM of LBA 999 + 2"));
    down_noting(1);
}

TEST(sim_trim_of_gigabytes_needs_little_memory)
{
    up(DRIVE(.sectors = 300000000, .content = SIM_CONTENT_USED));
    for (unsigned i = 0; i < 64; i++) {
        entry(i, 1000 + 65535ull * i, 65535);
    }
    CHECK(run(dsm(1)));
    CHECK(run(dma_read(1000 + 65535 * 64 - 1, 2, 512)));
    CHECK(all(0, 512, 0));
    CHECK(byte(512) != 0 || byte(513) != 0 || byte(514) != 0);
    down();
}

TEST(sim_trim_takes_its_time)
{
    up(DRIVE(.trim_us = 45000000));
    data_set(0);
    struct cmd c = dsm(1);
    uint64_t before = b.clock.now_ns;
    issue(&c);
    CHECK(!finish(1, 44000000));
    CHECK(finish(1, 2000000));
    CHECK(b.clock.now_ns - before >= UINT64_C(45000000000));
    down();
}

TEST_MAIN
