/* The host's platform: time, memory, ownership, firmware, console, files; and the small parts below it. */
#include "tests/sim_driver.h"

#define PLATFORM(...)                                                                              \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .platform = { __VA_ARGS__ }                                                                \
    }

/* --- the parts -------------------------------------------------------------------------------- */

struct diary {
    struct sim_clock clock;
    uint64_t argument[4];
    uint64_t at_ns[4];
    unsigned entries;
};

static void write_down(void *context, uint64_t argument)
{
    struct diary *d = context;
    d->argument[d->entries] = argument;
    d->at_ns[d->entries++] = d->clock.now_ns;
    if (argument == 1) {
        sim_clock_after(&d->clock, 5, write_down, d, 9);
    }
}

TEST(sim_clock_runs_events_in_order_and_at_their_time)
{
    static struct diary d;
    memset(&d, 0, sizeof(d));
    sim_clock_init(&d.clock);
    sim_clock_after(&d.clock, 30, write_down, &d, 3);
    sim_clock_after(&d.clock, 10, write_down, &d, 1);
    sim_clock_after(&d.clock, 10, write_down, &d, 2);
    sim_clock_after(&d.clock, UINT64_MAX, write_down, &d, 4);
    CHECK_EQ(sim_clock_next(&d.clock), 10);
    sim_clock_move_to(&d.clock, 20);
    CHECK_EQ(d.entries, 3);
    CHECK_EQ(d.argument[0], 1);
    CHECK_EQ(d.argument[1], 2);
    CHECK_EQ(d.argument[2], 9); /* entered by the first, due on the way */
    CHECK_EQ(d.at_ns[2], 15);
    CHECK_EQ(d.clock.now_ns, 20);
    sim_clock_move_to(&d.clock, 5); /* never back */
    CHECK_EQ(d.clock.now_ns, 20);
    sim_clock_cancel(&d.clock, &d);
    CHECK(sim_clock_next(&d.clock) == UINT64_MAX);
    sim_clock_advance(&d.clock, 100);
    CHECK_EQ(d.entries, 3);
}

TEST(sim_judge_counts_all_and_keeps_some)
{
    static struct sim_judge j;
    sim_judge_init(&j);
    CHECK_STR(j.text, "");
    sim_judge_note(&j, "rule %d", 1);
    sim_judge_note(&j, "rule %d", 2);
    CHECK_STR(j.text, "rule 1\nrule 2\n");
    for (unsigned i = 0; i < 1000; i++) {
        sim_judge_note(&j, "a rule with a rather long sentence that fills the text");
    }
    CHECK_EQ(j.count, 1002);
    CHECK(strlen(j.text) < sizeof(j.text));
    sim_judge_clear(&j);
    CHECK_EQ(j.count, 0);
    CHECK_STR(j.text, "");
}

TEST(sim_store_keeps_many_scattered_sectors)
{
    static struct sim_store s;
    uint8_t sector[512];
    sim_store_init(&s, 512, SIM_CONTENT_ONES, SIM_TRIMMED_ZEROS, 1);
    for (uint64_t i = 0; i < 5000; i++) {
        memset(sector, (int)(i & 0x7f), sizeof(sector));
        sim_store_write(&s, i * 1000003, sector);
    }
    for (uint64_t i = 0; i < 5000; i++) {
        sim_store_read(&s, i * 1000003, sector);
        CHECK_EQ(sector[511], i & 0x7f);
        CHECK(sim_store_is_written(&s, i * 1000003));
        CHECK(!sim_store_is_written(&s, i * 1000003 + 1));
    }
    sim_store_read(&s, 1000002, sector);
    CHECK_EQ(sector[0], 0xff);
    sim_store_trim(&s, 0, 1000);
    sim_store_read(&s, 0, sector);
    CHECK_EQ(sector[0] | sector[511], 0);
    CHECK(sim_store_is_trimmed(&s, 999) && !sim_store_is_trimmed(&s, 1000));
    sim_store_free(&s);
}

/* --- time ----------------------------------------------------------------------------------------- */

TEST(sim_time_looks_cost_little_and_long_waits_hurry)
{
    sim_bench_init(&b, PLATFORM(.step_ns = 100));
    uint64_t first = plat()->clock_ns(plat());
    CHECK_EQ(plat()->clock_ns(plat()), first + 100);
    uint64_t looks = 0;
    while (plat()->clock_ns(plat()) < first + UINT64_C(30000000000)) {
        looks++;
    }
    CHECK(looks > 5000 && looks < 100000);
    sim_bench_free(&b);
    sim_bench_init(&b, PLATFORM(.steady = true));
    for (unsigned i = 0; i < 100000; i++) {
        plat()->clock_ns(plat());
    }
    CHECK_EQ(b.clock.now_ns, 25000000);
    sim_bench_free(&b);
}

TEST(sim_time_never_hurries_past_what_happens)
{
    up(PLATFORM(.steady = false));
    struct cmd c = dma_read(0, 1, 512);
    sim_bench_run_us(&b, 1000000); /* quiet for long */
    uint64_t before = b.clock.now_ns;
    issue(&c);
    CHECK(finish(1, FAR_US));
    CHECK(b.clock.now_ns - before < 60000);
    down();
}

TEST(sim_time_same_twice)
{
    uint64_t end[2];
    for (unsigned i = 0; i < 2; i++) {
        up(PLATFORM(0));
        for (unsigned tag = 0; tag < 32; tag++) {
            struct cmd c = ncq_read(tag, UINT64_C(100) * tag, 8);
            issue(&c);
        }
        CHECK(finish(0xffffffff, FAR_US));
        end[i] = b.clock.now_ns;
        down();
    }
    CHECK_EQ(end[0], end[1]);
}

/* --- memory and ownership ----------------------------------------------------------------------------- */

TEST(sim_dma_addresses_are_not_the_cpus)
{
    machine(&(struct sim_config){ 0 });
    CHECK(own.bus < UINT64_C(1) << 32 && data.bus < UINT64_C(1) << 32);
    CHECK(own.bus != (uint64_t)(uintptr_t)own.cpu);
    CHECK_EQ(own.bus & 0xfff, 0);
    CHECK_EQ((uint64_t)(uintptr_t)own.cpu & 0xfff, 0);
    CHECK(data.bus >= own.bus + own.bytes + 0x10000 || own.bus >= data.bus + data.bytes + 0x10000);
    CHECK(all(0, DATA_BYTES, 0));
    CHECK_EQ(b.plat.buffers_live, 2);
    down();
}

TEST(sim_dma_limit_and_wrong_frees)
{
    machine(PLATFORM(.dma_limit_bytes = 0x9000 + DATA_BYTES));
    struct dma_buffer more;
    CHECK_EQ(plat()->dma_alloc(plat(), &pci, 4096, &more), ERR_NO_MEMORY);
    struct dma_buffer wild = own;
    wild.handle = (void *)(uintptr_t)0x1234;
    plat()->dma_free(plat(), &pci, &wild);
    CHECK(noted("dma_free of what was not allocated"));
    down_noting(1);
}

TEST(sim_dma_many_buffers_one_after_the_other)
{
    machine(&(struct sim_config){ 0 });
    for (unsigned i = 0; i < 500; i++) {
        struct dma_buffer more;
        CHECK_EQ(plat()->dma_alloc(plat(), &pci, 4096, &more), OK);
        plat()->dma_free(plat(), &pci, &more);
    }
    down();
}

TEST(sim_platform_registers_need_take_over)
{
    sim_bench_init(&b, &(struct sim_config){ 0 });
    CHECK_EQ(plat()->pci_scan(plat(), &pci, 1), 1);
    CHECK_EQ(get(0x0c), 0x3f); /* looking is free */
    uint32_t cmd = get(0x118);
    put(0x118, 1);
    CHECK_EQ(get(0x118), cmd);
    CHECK(noted("register 118h written without take_over"));
    get(0x800);
    CHECK(noted("outside BAR5"));
    CHECK_EQ(plat()->dma_alloc(plat(), &pci, 1, &own), ERR_NO_MEMORY);
    CHECK_EQ(b.judge.count, 3);
    CHECK_EQ(plat()->hand_back(plat(), &pci), OK);
    CHECK_EQ(b.plat.function[0].given_back, 0);
    sim_bench_free(&b);
}

TEST(sim_platform_hand_back_of_a_running_port_is_noted)
{
    up(&(struct sim_config){ 0 });
    CHECK_EQ(plat()->hand_back(plat(), &pci), OK);
    CHECK(noted("port 0 handed back running"));
    CHECK(noted("port 0 handed back receiving"));
    sim_bench_free(&b);
}

TEST(sim_platform_pci_functions_as_configured)
{
    struct pci_function f[8];
    sim_bench_init(
        &b,
        &(struct sim_config){
            .controllers = 2,
            .pci = { [1] = { .vendor_id = 0x1b4b, .device_id = 0x9123, .revision = 0x11 } },
            .hba = { [1] = { .bar_bytes = 512, .pi = 3, .cap = 0xe237ff21 } },
            .drives = 2,
            .drive = { { .serial = "A" }, { .serial = "B" } },
            .at = { { 0, 2 }, { 1, 1 } },
            .others = 1,
            .other = { { .vendor_id = 0x144d, .class_base = 1, .class_sub = 8, .prog_if = 2 } } });
    CHECK_EQ(plat()->pci_scan(plat(), f, ARRAY_LEN(f)), 3);
    CHECK_EQ(f[0].at.device, 0x1f);
    CHECK_EQ(f[0].at.function, 2);
    CHECK_EQ(f[0].device_id, 0x1c02);
    CHECK_EQ(f[1].vendor_id, 0x1b4b);
    CHECK_EQ(f[1].bar5_bytes, 512);
    CHECK_EQ(f[2].class_sub, 8);
    CHECK_EQ(f[2].bar5_bytes, 0);
    CHECK_EQ(plat()->pci_read32(plat(), &f[1], 0), 0x91231b4b);
    CHECK_EQ(plat()->pci_read32(plat(), &f[1], 8), 0x01060111);
    CHECK_EQ(plat()->mmio_read32(plat(), &f[0], 0x228), 0x133);
    CHECK_EQ(plat()->mmio_read32(plat(), &f[1], 0x1a8), 0x133);
    uint8_t id[512];
    CHECK_EQ(plat()->fw_identify(plat(), &f[1], 1, id), OK);
    CHECK_EQ(id[21], 'B');
    CHECK_EQ(plat()->fw_identify(plat(), &f[1], 0, id), ERR_NOT_FOUND);
    CHECK_STR(sim_bench_violations(&b), "");
    sim_bench_free(&b);
}

TEST(sim_platform_master_off_is_a_bus_error)
{
    up(&(struct sim_config){ 0 });
    plat()->pci_write32(plat(), &pci, 4, 2);
    CHECK(!run(dma_read(0, 1, 512)));
    CHECK(noted("bus mastering is off"));
    sim_bench_free(&b);
}

/* --- firmware -------------------------------------------------------------------------------------------- */

static enum err firmware_reads(const struct sim_config *config, uint8_t *first)
{
    static uint8_t sectors[1024];
    sim_bench_init(&b, config);
    CHECK_EQ(plat()->pci_scan(plat(), &pci, 1), 1);
    enum err err = plat()->fw_read(plat(), &pci, 0, 5, 2, 512, sectors);
    *first = sectors[512 + 7];
    return err;
}

TEST(sim_firmware_kinds)
{
    uint8_t first;
    uint8_t id[512];
    CHECK_EQ(firmware_reads(&(struct sim_config){ .drive = { { .content = SIM_CONTENT_ONES } } },
                            &first),
             OK);
    CHECK_EQ(first, 0xff);
    CHECK_EQ(plat()->take_over(plat(), &pci), OK);
    CHECK_EQ(plat()->fw_identify(plat(), &pci, 0, id), ERR_IO);
    CHECK(noted("does not own the controller"));
    sim_bench_free(&b);
    CHECK_EQ(firmware_reads(PLATFORM(.firmware = SIM_FIRMWARE_LIES), &first), OK);
    CHECK_EQ(first, 1);
    sim_bench_free(&b);
    CHECK_EQ(firmware_reads(PLATFORM(.firmware = SIM_FIRMWARE_NO_DISK), &first), ERR_NOT_FOUND);
    sim_bench_free(&b);
    CHECK_EQ(firmware_reads(PLATFORM(.firmware = SIM_FIRMWARE_NO_SERVICE), &first),
             ERR_UNSUPPORTED);
    CHECK(!plat()->info.has_firmware_io);
    sim_bench_free(&b);
    CHECK_EQ(firmware_reads(PLATFORM(.firmware = SIM_FIRMWARE_FAILS), &first), ERR_IO);
    CHECK_EQ(plat()->fw_identify(plat(), &pci, 0, id), OK);
    sim_bench_free(&b);
    CHECK_EQ(firmware_reads(PLATFORM(.firmware = SIM_FIRMWARE_KEEPS), &first), OK);
    CHECK_EQ(plat()->take_over(plat(), &pci), ERR_BUSY);
    sim_bench_free(&b);
}

TEST(sim_boot_medium_by_port)
{
    sim_bench_init(&b, PLATFORM(.boot = { .kind = BOOT_MEDIUM_YES, .port = 2 }));
    CHECK_EQ(plat()->pci_scan(plat(), &pci, 1), 1);
    CHECK_EQ(plat()->boot_medium(plat(), &pci, 2), BOOT_MEDIUM_YES);
    CHECK_EQ(plat()->boot_medium(plat(), &pci, 0), BOOT_MEDIUM_NO);
    CHECK_EQ(plat()->boot_controller(plat(), &pci), BOOT_MEDIUM_YES);
    /* and it is out of reach while its controller is ours */
    CHECK_EQ(plat()->file_write(plat(), "a", "x", 1), OK);
    CHECK_EQ(plat()->take_over(plat(), &pci), OK);
    CHECK_EQ(plat()->file_write(plat(), "a", "x", 1), ERR_IO);
    sim_bench_free(&b);
    sim_bench_init(&b, PLATFORM(.boot = { .kind = BOOT_MEDIUM_UNKNOWN }));
    CHECK_EQ(plat()->pci_scan(plat(), &pci, 1), 1);
    CHECK_EQ(plat()->boot_medium(plat(), &pci, 4), BOOT_MEDIUM_UNKNOWN);
    sim_bench_free(&b);
}

/* --- people ---------------------------------------------------------------------------------------------- */

TEST(sim_console_captures_and_types)
{
    sim_bench_init(&b, PLATFORM(.keys = "a\n\x01\x02q\x1b"));
    plat()->con_write(plat(), STYLE_BAD, "hello\n");
    CHECK_STR(b.plat.console.at, "hello\n");
    CHECK_EQ(plat()->con_key(plat(), 0), KEY_NONE); /* a look does not take it */
    CHECK_EQ(plat()->con_key(plat(), 100), 'a');
    CHECK_EQ(plat()->con_key(plat(), 100), KEY_ENTER);
    uint64_t before = b.clock.now_ns;
    CHECK_EQ(plat()->con_key(plat(), 100), KEY_NONE);
    CHECK_EQ(b.clock.now_ns - before, 100 * NS_PER_MS);
    CHECK_EQ(plat()->con_key(plat(), 0), 'q');
    CHECK_EQ(plat()->con_key(plat(), 100), KEY_ESC);
    CHECK_EQ(plat()->con_key(plat(), 100), KEY_NONE);
    plat()->con_write(plat(), STYLE_NORMAL, "\xc3\xa4");
    CHECK(noted("not 7-bit"));
    sim_bench_free(&b);
}

static jmp_buf asleep;

static void fell_asleep(void *context)
{
    longjmp(asleep, *(int *)context);
}

TEST(sim_console_without_keys_ends_the_wait)
{
    static int value = 7;
    sim_bench_init(&b, PLATFORM(.no_keyboard = true, .idle_limit_ms = 120000,
                                .on_idle = fell_asleep, .on_idle_context = &value));
    int how = setjmp(asleep);
    if (how == 0) {
        for (;;) {
            plat()->con_key(plat(), 1000);
        }
    }
    CHECK_EQ(how, 7);
    CHECK_EQ(b.clock.now_ns, 120 * NS_PER_S);
    sim_bench_free(&b);
}

TEST(sim_serial_line)
{
    char why[100] = "";
    sim_bench_init(&b, PLATFORM(.serial = ERR_BUSY));
    CHECK_EQ(plat()->serial_open(plat(), why, sizeof(why)), ERR_BUSY);
    CHECK(why[0] != '\0');
    sim_bench_free(&b);
    sim_bench_init(&b, PLATFORM(0));
    CHECK_EQ(plat()->serial_open(plat(), why, sizeof(why)), OK);
    plat()->serial_write(plat(), "one\ntwo", 4);
    CHECK_STR(b.plat.serial.at, "one\n");
    sim_bench_free(&b);
}

TEST(sim_files_live_in_memory)
{
    char buf[16];
    size_t bytes = 0;
    sim_bench_init(&b, PLATFORM(.config_file = "plan = proof\n", .medium_bytes = 40));
    CHECK_EQ(plat()->file_read(plat(), "baretrim.cfg", buf, 16, &bytes), OK);
    CHECK_EQ(bytes, 13);
    CHECK_EQ(plat()->file_read(plat(), "baretrim.cfg", buf, 12, &bytes), ERR_NO_SPACE);
    CHECK_EQ(plat()->file_read(plat(), "other", buf, 16, &bytes), ERR_NOT_FOUND);
    CHECK_EQ(plat()->file_write(plat(), "R/1/report.json", "first", 5), OK);
    CHECK_EQ(plat()->file_write(plat(), "R/1/report.json", "second", 6), OK);
    CHECK_STR((const char *)sim_platform_file(&b.plat, "R/1/report.json")->data, "second");
    CHECK_EQ(sim_platform_file_ending(&b.plat, "report.json")->versions, 2);
    CHECK_EQ(plat()->file_write(plat(), "big", "0123456789012345678901234567890", 31),
             ERR_NO_SPACE);
    CHECK(sim_platform_file(&b.plat, "big") == NULL);
    CHECK_EQ(plat()->file_write(plat(), "/abs", "x", 1), ERR_IO);
    CHECK(noted("no path for a FAT medium"));
    sim_bench_free(&b);
}

TEST(sim_files_media_in_trouble)
{
    static const struct {
        enum sim_medium medium;
        enum err read, write;
    } media[] = { { SIM_MEDIUM_NONE, ERR_UNSUPPORTED, ERR_UNSUPPORTED },
                  { SIM_MEDIUM_FULL, OK, ERR_NO_SPACE },
                  { SIM_MEDIUM_READ_ONLY, OK, ERR_READ_ONLY },
                  { SIM_MEDIUM_PULLED, ERR_IO, ERR_IO } };
    char buf[16];
    size_t bytes;
    for (size_t i = 0; i < ARRAY_LEN(media); i++) {
        sim_bench_init(&b, PLATFORM(.config_file = "a = b\n", .medium = media[i].medium));
        CHECK_EQ(plat()->file_read(plat(), "baretrim.cfg", buf, 16, &bytes), media[i].read);
        CHECK_EQ(plat()->file_write(plat(), "x", "y", 1), media[i].write);
        sim_bench_free(&b);
    }
}

TEST(sim_leave_is_recorded)
{
    sim_bench_init(&b, PLATFORM(.cmdline = "plan=identify", .no_utc = true));
    CHECK_STR(plat()->cmdline, "plan=identify");
    CHECK_EQ(plat()->utc(plat()).year, 0);
    plat()->leave(plat(), EXIT_POWEROFF);
    CHECK_EQ(b.plat.leaves, 1);
    CHECK_EQ(b.plat.left, EXIT_POWEROFF);
    sim_bench_free(&b);
}

TEST(sim_hot_plug_by_hand)
{
    up(&(struct sim_config){ 0 });
    CHECK(run(dma_read(0, 1, 512)));
    sim_drive_unplug(&b.drive[0]);
    CHECK_EQ(pget(0x28), 0);
    CHECK((pget(0x10) & 1u << 22) != 0);
    sim_drive_plug(&b.drive[0], "SECOND");
    pause_us(10000);
    CHECK_EQ(pget(0x28) & 0xf, 3);
    CHECK((pget(0x10) & 1u << 6) != 0);
    pput(0x30, 0xffffffff);
    CHECK_EQ(pget(0x24), 0x101);
    CHECK(run((struct cmd){ .op = 0xec, .bytes = 512 }));
    CHECK(memcmp((uint8_t *)data.cpu + 20, "ESOCDN", 6) == 0);
    down();
}

TEST_MAIN
