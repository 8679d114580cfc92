/* The driver's bring-up, hand-back and recovery on the model, from every state a firmware may leave. */
#include "tests/on_model.h"

static struct ahci_hba hba;
static struct ahci_port *port;

/* Probe and start port 0's controller; the caller starts ports. */
static void start(const struct sim_config *config)
{
    struct pci_function found[4];
    machine_runs = true;
    sim_bench_init(&machine, config);
    struct platform *plat = &machine.plat.platform;
    CHECK(plat->pci_scan(plat, found, ARRAY_LEN(found)) >= 1);
    ahci_hba_probe(&hba, plat, &found[0]);
    CHECK_EQ(hba.state, AHCI_USABLE);
    CHECK_EQ(plat->take_over(plat, &hba.pci), OK);
}

static void give_back(void)
{
    ahci_hba_stop(&hba);
    struct platform *plat = &machine.plat.platform;
    CHECK_EQ(plat->hand_back(plat, &hba.pci), OK);
}

static void stop(void)
{
    give_back();
    CHECK_EQ(machine.plat.buffers_live, 0);
    machine_stop();
}

static void check_start_works(const struct sim_config *config)
{
    start(config);
    CHECK_EQ(ahci_hba_start(&hba), OK);
    CHECK_EQ(ahci_port_start(&hba, 0, &port), OK);
    CHECK_EQ(port->sig, SIG_ATA);
    CHECK_EQ(machine.hba[0].resets, 0);
    stop();
}

TEST(port_start_from_every_state_left_by_firmware)
{
    static const enum sim_start states[] = { SIM_START_STOPPED,   SIM_START_RUNNING,
                                             SIM_START_UNTOUCHED, SIM_START_COLD,
                                             SIM_START_PARTIAL,   SIM_START_GARBAGE };
    for (size_t i = 0; i < ARRAY_LEN(states); i++) {
        printf("  state %zu\n", i);
        check_start_works(&(struct sim_config){ .hba = { { .start = states[i] } } });
    }
}

TEST(port_stop_puts_back_what_the_firmware_left)
{
    start(&(struct sim_config){ .hba = { { .start = SIM_START_RUNNING } } });
    uint32_t clb = machine.hba[0].port[0].clb;
    uint32_t fb = machine.hba[0].port[0].fb;
    uint32_t ghc = machine.hba[0].ghc;
    CHECK_EQ(ahci_hba_start(&hba), OK);
    CHECK_EQ(ahci_port_start(&hba, 0, &port), OK);
    CHECK(machine.hba[0].port[0].clb != clb);
    give_back();
    CHECK_EQ(machine.hba[0].port[0].clb, clb);
    CHECK_EQ(machine.hba[0].port[0].fb, fb);
    CHECK_EQ(machine.hba[0].ghc, ghc);
    CHECK((machine.hba[0].port[0].cmd & PxCMD_ST) != 0);
    machine_stop();
}

TEST(hba_start_ae_needs_several_writes)
{
    check_start_works(&(struct sim_config){ .hba = { { .ae_off = true } },
                                            .faults = { { .what = SIM_AE_NEEDS, .value = 3 } } });
}

TEST(hba_start_ae_that_never_sticks_is_a_timeout)
{
    start(&(struct sim_config){ .hba = { { .ae_off = true } },
                                .faults = { { .what = SIM_AE_NEEDS, .value = 1000 } } });
    CHECK_EQ(ahci_hba_start(&hba), ERR_TIMEOUT);
    stop();
}

TEST(hba_start_bios_handoff)
{
    check_start_works(&(struct sim_config){ .hba = { { .bios_owned = true, .cap2 = CAP2_BOH } } });
    start(&(struct sim_config){
        .hba = { { .bios_owned = true, .cap2 = CAP2_BOH, .handoff_us = UINT64_MAX } } });
    CHECK_EQ(ahci_hba_start(&hba), ERR_TIMEOUT);
    stop();
}

static void check_start_fails(const struct sim_config *config, enum err want, uint64_t at_most_ms)
{
    start(config);
    CHECK_EQ(ahci_hba_start(&hba), OK);
    struct platform *plat = &machine.plat.platform;
    uint64_t before = plat->clock_ns(plat);
    CHECK_EQ(ahci_port_start(&hba, 0, &port), want);
    uint64_t took_ms = (plat->clock_ns(plat) - before) / NS_PER_MS;
    printf("  took %lu ms\n", took_ms);
    CHECK(took_ms <= at_most_ms);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    give_back();
    /* Memory that an engine may still write to is lost on purpose, never reused. */
    CHECK_EQ(machine.plat.buffers_live, want == ERR_TIMEOUT && at_most_ms < 3000 ? 1 : 0);
    machine_stop();
}

TEST(port_start_engine_that_does_not_stop_is_a_timeout)
{
    check_start_fails(&(struct sim_config){ .hba = { { .start = SIM_START_RUNNING } },
                                            .faults = { { .what = SIM_CR_STUCK } } },
                      ERR_TIMEOUT, 1100);
    check_start_fails(&(struct sim_config){ .hba = { { .start = SIM_START_RUNNING } },
                                            .faults = { { .what = SIM_FR_STUCK } } },
                      ERR_TIMEOUT, 2100);
}

TEST(port_start_no_device_returns_link_error)
{
    check_start_fails(&(struct sim_config){ .faults = { { .what = SIM_NO_PRESENCE } } }, ERR_LINK,
                      500);
    check_start_fails(&(struct sim_config){ .faults = { { .what = SIM_NO_LINK } } }, ERR_LINK,
                      1500);
}

TEST(port_start_late_phy_is_waited_for)
{
    check_start_works(&(struct sim_config){ .faults = { { .what = SIM_DET_LATE, .us = 200000 } } });
}

TEST(port_start_busy_for_ever_is_a_timeout)
{
    check_start_fails(&(struct sim_config){ .faults = { { .what = SIM_BSY_STUCK } } }, ERR_TIMEOUT,
                      33000);
}

TEST(port_start_other_signatures_get_no_command)
{
    static const uint32_t signatures[] = { SIG_ATAPI, SIG_PMP, SIG_SEMB };
    for (size_t i = 0; i < ARRAY_LEN(signatures); i++) {
        check_start_fails(
            &(struct sim_config){ .faults = { { .what = SIM_SIGNATURE, .value = signatures[i] } } },
            ERR_UNSUPPORTED, 1000);
        CHECK_EQ(machine.drive[0].log.commands, 0);
    }
    check_start_fails(
        &(struct sim_config){ .faults = { { .what = SIM_SIGNATURE, .value = 0xffffffff } } },
        ERR_LINK, 31000);
}

/* --- probe: what registers may say ------------------------------------------------------------------------ */

static void probe(const struct sim_config *config)
{
    struct pci_function found[4];
    machine_runs = true;
    sim_bench_init(&machine, config);
    struct platform *plat = &machine.plat.platform;
    CHECK(plat->pci_scan(plat, found, ARRAY_LEN(found)) >= 1);
    ahci_hba_probe(&hba, plat, &found[0]);
    machine_stop();
}

TEST(probe_sparse_pi_beyond_np_is_walked_by_its_bits)
{
    probe(&(struct sim_config){ .no_drive = true, .hba = { { .cap = 0xe534ff43, .pi = 0xf0 } } });
    CHECK_EQ(hba.state, AHCI_USABLE);
    CHECK_EQ(hba.ports, 0xf0);
}

TEST(probe_absurd_pi_is_cut_to_the_bar)
{
    probe(&(struct sim_config){ .no_drive = true,
                                .hba = { { .pi = 0xffffffff, .bar_bytes = 0x200 } } });
    CHECK_EQ(hba.ports, 3);
    probe(&(struct sim_config){ .no_drive = true,
                                .hba = { { .pi = 0xfffffffc, .bar_bytes = 0x200 } } });
    CHECK_EQ(hba.state, AHCI_BAD_BAR);
}

TEST(probe_empty_pi)
{
    struct sim_hba_config none = { .exact = true, .cap = 0xc0309f03, .pi = 0, .vs = 0x00010300 };
    probe(&(struct sim_config){ .no_drive = true, .hba = { none } });
    CHECK_EQ(hba.state, AHCI_NO_PORTS);
    none.vs = 0x00010000;
    probe(&(struct sim_config){ .no_drive = true, .hba = { none } });
    CHECK_EQ(hba.ports, 0xf);
}

TEST(probe_all_ones_is_unreadable)
{
    probe(&(struct sim_config){ .no_drive = true, .faults = { { .what = SIM_ALL_ONES } } });
    CHECK_EQ(hba.state, AHCI_UNREADABLE);
}

TEST(probe_classes)
{
    static const struct {
        uint8_t sub;
        uint8_t interface;
        enum ahci_state state;
    } classes[] = {
        { 0x06, 0x01, AHCI_USABLE },     { 0x06, 0x00, AHCI_NOT_AHCI },
        { 0x04, 0x00, AHCI_RAID_CLASS }, { 0x01, 0x8a, AHCI_IDE_CLASS },
        { 0x08, 0x02, AHCI_NVME },       { 0x07, 0x00, AHCI_NOT_AHCI },
    };
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        probe(&(struct sim_config){ .no_drive = true,
                                    .pci = { { .class_base = 1,
                                               .class_sub = classes[i].sub,
                                               .prog_if = classes[i].interface } } });
        CHECK_EQ(hba.state, classes[i].state);
        CHECK(ahci_state_text(hba.state)[0] != '\0');
    }
}

TEST(probe_sas_controllers_that_look_like_ahci_are_not)
{
    probe(&(struct sim_config){ .no_drive = true,
                                .pci = { { .vendor_id = 0x1b4b, .device_id = 0x9485 } } });
    CHECK_EQ(hba.state, AHCI_NOT_AHCI);
}

TEST_MAIN
