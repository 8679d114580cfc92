/* One drive through the driver: the gate in front of real commands, honest reads, queueing, recovery. */
#include "tests/on_model.h"

static struct ahci_hba hba;
static struct ata_dev dev;

static void open_drive(const struct sim_config *config)
{
    struct pci_function found[4];
    struct ahci_port *port = NULL;
    sim_bench_init(&machine, config);
    struct platform *plat = &machine.plat.platform;
    CHECK(plat->pci_scan(plat, found, ARRAY_LEN(found)) >= 1);
    ahci_hba_probe(&hba, plat, &found[0]);
    CHECK_EQ(plat->take_over(plat, &hba.pci), OK);
    CHECK_EQ(ahci_hba_start(&hba), OK);
    CHECK_EQ(ahci_port_start(&hba, 0, &port), OK);
    CHECK_EQ(ata_dev_open(&dev, port, BOOT_MEDIUM_NO), OK);
}

static void close_drive(void)
{
    struct platform *plat = &machine.plat.platform;
    ahci_hba_stop(&hba);
    ata_dev_close(&dev);
    CHECK_EQ(plat->hand_back(plat, &hba.pci), OK);
    CHECK_EQ(machine.plat.buffers_live, 0);
    machine_stop();
}

static enum err permit_all(const char *serial)
{
    struct ata_permit all = { .effects = ATA_EFFECT_WRITE | ATA_EFFECT_TRIM,
                              .lba_count = dev.id.sectors,
                              .budget_bytes = 1 << 20 };
    const char *why = "";
    strcpy(all.serial, serial);
    return ata_dev_permit(&dev, &all, &why);
}

static enum err write_one(enum ata_method method)
{
    struct ata_transfer t = { .method = method, .write = true, .lba = 100, .count = 1, .depth = 1 };
    return ata_transfer(&dev, &t, NULL);
}

TEST(gate_without_permit_nothing_that_writes_reaches_the_drive)
{
    struct ata_range range = { 100, 1 };
    open_drive(&(struct sim_config){ 0 });
    CHECK_EQ(write_one(ATA_METHOD_DMA), ERR_REFUSED);
    CHECK_EQ(write_one(ATA_METHOD_NCQ), ERR_REFUSED);
    CHECK_EQ(ata_trim(&dev, &range, 1, NULL), ERR_REFUSED);
    CHECK(dev.refusal.reason != NULL);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    CHECK_EQ(ata_flush(&dev, NULL), OK);
    close_drive();
}

TEST(permit_needs_contact_serial_and_no_boot_medium)
{
    open_drive(&(struct sim_config){ .drive = { { .serial = "ABC" } } });
    CHECK_EQ(permit_all("ABC"), ERR_REFUSED); /* contact has not passed */
    dev.contact_ok = true;
    CHECK_EQ(permit_all("ABD"), ERR_REFUSED);
    CHECK_EQ(permit_all("AB"), ERR_REFUSED);
    struct ata_permit elsewhere = {
        .serial = "ABC", .port = 1, .effects = ATA_EFFECT_WRITE, .lba_count = 1, .budget_bytes = 512
    };
    const char *why = "";
    CHECK_EQ(ata_dev_permit(&dev, &elsewhere, &why), ERR_REFUSED);
    CHECK_STR(why, "the permit is for another port");
    dev.boot_medium = BOOT_MEDIUM_YES;
    CHECK_EQ(permit_all("ABC"), ERR_REFUSED);
    dev.boot_medium = BOOT_MEDIUM_UNKNOWN;
    CHECK_EQ(permit_all("ABC"), ERR_REFUSED);
    CHECK_EQ(write_one(ATA_METHOD_DMA), ERR_REFUSED);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    dev.boot_medium = BOOT_MEDIUM_NO;
    CHECK_EQ(permit_all("ABC"), OK);
    CHECK_EQ(write_one(ATA_METHOD_DMA), OK);
    close_drive();
}

TEST(permit_budget_ends_a_queued_transfer_in_the_middle)
{
    open_drive(&(struct sim_config){ 0 });
    dev.contact_ok = true;
    struct ata_permit some = { .effects = ATA_EFFECT_WRITE,
                               .lba_count = 1000,
                               .budget_bytes = 10 * 512 };
    const char *why = "";
    strcpy(some.serial, dev.id.serial);
    CHECK_EQ(ata_dev_permit(&dev, &some, &why), OK);
    struct ata_transfer t = { .method = ATA_METHOD_NCQ,
                              .write = true,
                              .lba = 0,
                              .count = 64,
                              .chunk_sectors = 1,
                              .depth = 32 };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_REFUSED);
    CHECK_EQ(machine.drive[0].log.sectors_written, 10);
    CHECK_EQ(dev.port->in_flight, 0);
    t.write = false;
    CHECK_EQ(ata_transfer(&dev, &t, NULL), OK);
    close_drive();
}

TEST(transfer_all_methods_read_what_the_medium_holds)
{
    static const enum ata_method methods[] = { ATA_METHOD_PIO, ATA_METHOD_DMA, ATA_METHOD_NCQ };
    uint8_t want[512];
    open_drive(
        &(struct sim_config){ .drive = { { .sectors = 300000000, .content = SIM_CONTENT_USED } } });
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        struct ata_transfer t = { .method = methods[i],
                                  .lba = 300000000 - 300,
                                  .count = 300,
                                  .chunk_sectors = 7,
                                  .depth = 32 };
        struct ata_times times = { 0 };
        CHECK_EQ(ata_transfer(&dev, &t, &times), OK);
        CHECK_EQ(times.commands, 43);
        CHECK_EQ(times.bytes, 300 * 512);
        CHECK(times.latency_ns_min > 0 && times.latency_ns_min <= times.latency_ns_max);
        for (unsigned n = 0; n < 300; n++) {
            sim_drive_peek(&machine.drive[0], t.lba + n, want);
            CHECK_EQ(memcmp(dev.data + n * 512, want, 512), 0);
        }
    }
    close_drive();
}

TEST(transfer_depth_32_really_has_32_in_flight)
{
    open_drive(&(struct sim_config){ .drive = { { .command_us = 5000 } } });
    struct ata_transfer t = {
        .method = ATA_METHOD_NCQ, .lba = 0, .count = 64, .chunk_sectors = 1, .depth = 32
    };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), OK);
    unsigned tags = 0;
    for (size_t i = 0; i < machine.drive[0].log.commands; i++) {
        const struct sim_command *c = &machine.drive[0].log.command[i];
        tags |= c->opcode == ATA_READ_FPDMA_QUEUED ? 1u << c->tag : 0;
    }
    CHECK_EQ(tags, UINT32_MAX);
    close_drive();
}

TEST(transfer_depth_keeps_to_the_drive)
{
    open_drive(&(struct sim_config){ .drive = { { .queue_depth = 4, .command_us = 5000 } } });
    struct ata_transfer t = {
        .method = ATA_METHOD_NCQ, .lba = 0, .count = 64, .chunk_sectors = 1, .depth = 32
    };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), OK);
    for (size_t i = 0; i < machine.drive[0].log.commands; i++) {
        CHECK(machine.drive[0].log.command[i].tag < 4);
    }
    close_drive();
}

TEST(transfer_beyond_the_end_or_the_window_is_invalid)
{
    open_drive(&(struct sim_config){ .drive = { { .sectors = 200007 } } });
    struct ata_transfer t = { .method = ATA_METHOD_DMA, .lba = 200006, .count = 2, .depth = 1 };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_INVALID);
    t.lba = UINT64_MAX;
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_INVALID);
    t.lba = 0;
    t.count = ATA_DATA_BYTES / 512 + 1;
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_INVALID);
    t.count = 0;
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_INVALID);
    close_drive();
}

TEST(trim_payload_has_exactly_its_blocks)
{
    struct ata_range ranges[65];
    open_drive(&(struct sim_config){ .drive = { { .dsm_blocks = 8 } } });
    dev.contact_ok = true;
    CHECK_EQ(permit_all(dev.id.serial), OK);
    for (unsigned i = 0; i < ARRAY_LEN(ranges); i++) {
        ranges[i] = (struct ata_range){ 1000 + 100 * i, i == 64 ? 65535 : 1 };
    }
    CHECK_EQ(ata_trim(&dev, ranges, 65, NULL), OK);
    CHECK_EQ(sim_drive_last(&machine.drive[0], ATA_DATA_SET_MANAGEMENT)->count, 2);
    CHECK_EQ(machine.drive[0].log.trims, 65);
    CHECK_EQ(machine.drive[0].log.trim[64].lba, 7400);
    CHECK_EQ(machine.drive[0].log.trim[64].count, 65535);
    CHECK_EQ(ata_trim(&dev, ranges, 0, NULL), ERR_INVALID);
    ranges[0].count = 65536;
    CHECK_EQ(ata_trim(&dev, ranges, 1, NULL), ERR_INVALID);
    close_drive();
}

TEST(trim_more_blocks_than_word_105_is_invalid)
{
    struct ata_range ranges[65] = { { 1000, 1 } };
    open_drive(&(struct sim_config){ .drive = { { .dsm_blocks = 0 } } });
    dev.contact_ok = true;
    CHECK_EQ(permit_all(dev.id.serial), OK);
    CHECK_EQ(ata_trim(&dev, ranges, 65, NULL), ERR_INVALID);
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_DATA_SET_MANAGEMENT), 0);
    close_drive();
}

TEST(recover_after_reset_of_same_drive_keeps_the_permit)
{
    open_drive(
        &(struct sim_config){ .faults = { { .what = SIM_HANG, .opcode = ATA_READ_DMA_EXT } } });
    dev.contact_ok = true;
    CHECK_EQ(permit_all(dev.id.serial), OK);
    struct ata_transfer t = { .method = ATA_METHOD_DMA, .lba = 5, .count = 1, .depth = 1 };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_TIMEOUT);
    CHECK(dev.failure.was_reset && dev.failure.recovered && dev.permit.granted);
    CHECK_EQ(write_one(ATA_METHOD_DMA), OK);
    close_drive();
}

TEST(exchanged_drive_loses_the_permit)
{
    open_drive(&(struct sim_config){ 0 });
    dev.contact_ok = true;
    CHECK_EQ(permit_all(dev.id.serial), OK);
    /* Pulled and replaced between two commands, while nobody looks. */
    sim_drive_unplug(&machine.drive[0]);
    sim_bench_run_us(&machine, 1000000);
    sim_drive_plug(&machine.drive[0], "OTHER");
    sim_bench_run_us(&machine, 1000000);
    CHECK(write_one(ATA_METHOD_DMA) != OK);
    CHECK(!dev.permit.granted);
    CHECK_EQ(write_one(ATA_METHOD_DMA), ERR_REFUSED);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    close_drive();
}

TEST(close_keeps_memory_a_stuck_engine_may_still_write_to)
{
    open_drive(&(struct sim_config){ .faults = { { .what = SIM_CR_STUCK } } });
    struct platform *plat = &machine.plat.platform;
    ahci_hba_stop(&hba);
    CHECK(dev.port->stuck);
    ata_dev_close(&dev);
    CHECK_EQ(plat->hand_back(plat, &hba.pci), OK);
    CHECK_EQ(machine.plat.buffers_live, 2); /* the port's and the data arena */
    sim_judge_clear(&machine.judge);        /* handed back running: it cannot be helped */
    machine_stop();
}

TEST(queued_error_other_commands_survive_and_drive_works_on)
{
    open_drive(&(struct sim_config){ .faults = { { .what = SIM_DEVICE_ERROR,
                                                   .opcode = ATA_READ_FPDMA_QUEUED,
                                                   .lba_first = 40,
                                                   .lba_count = 1,
                                                   .error = ATA_ERR_UNC } } });
    struct ata_transfer t = {
        .method = ATA_METHOD_NCQ, .lba = 0, .count = 64, .chunk_sectors = 1, .depth = 32
    };
    CHECK_EQ(ata_transfer(&dev, &t, NULL), ERR_DEVICE);
    CHECK_EQ(dev.failure.lba, 40);
    CHECK(dev.failure.lba_exact);
    CHECK_EQ(dev.failure.device_lba, 40);
    CHECK_EQ(dev.failure.error, ATA_ERR_UNC);
    CHECK(!dev.failure.was_reset && dev.failure.recovered);
    CHECK_EQ(ata_transfer(&dev, &t, NULL), OK);
    close_drive();
}

TEST_MAIN
