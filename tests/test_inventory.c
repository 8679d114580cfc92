/* The list of what is plugged in: the status of every kind of port and controller, that looking changes nothing, and
 * how a user's words find a drive. */
#include "tests/on_model.h"

/* Everything that is not `inventory` itself. */
static void scan_again(void)
{
    inventory_scan(&inventory, &machine.plat.platform);
}

static const struct inventory_port *port_at(unsigned controller, unsigned number)
{
    for (unsigned i = 0; i < inventory.ports; i++) {
        if (inventory.port[i].controller == controller && inventory.port[i].number == number) {
            return &inventory.port[i];
        }
    }
    printf("  port %u of controller %u is not listed\n", number, controller);
    CHECK(!"listed");
    return NULL;
}

#define CHECK_STATUS(controller, number, want)                                                     \
    CHECK_STR(port_status_name(port_at(controller, number)->status), port_status_name(want))

/* Looking must not have sent a command, written a register or taken a controller. */
static void check_untouched(void)
{
    for (unsigned i = 0; i < machine.hbas; i++) {
        CHECK_EQ(machine.hba[i].writes, 0);
    }
    for (size_t i = 0; i < machine.plat.functions; i++) {
        CHECK_EQ(machine.plat.function[i].taken, 0);
    }
    for (unsigned i = 0; i < machine.drives; i++) {
        CHECK_EQ(machine.drive[i].log.commands, 0);
        CHECK_EQ(machine.drive[i].log.comresets, 0);
    }
}

/* --- ports ---------------------------------------------------------------------------------------------- */

TEST(inventory_lists_every_implemented_port)
{
    machine_start(&(struct sim_config){ .hba = { { .pi = 0x2d } } });
    CHECK_EQ(inventory.controllers, 1);
    CHECK_EQ(inventory.ports, 4);
    CHECK_STATUS(0, 0, PORT_DRIVE);
    CHECK_STATUS(0, 2, PORT_EMPTY);
    CHECK_STATUS(0, 3, PORT_EMPTY);
    CHECK_STATUS(0, 5, PORT_EMPTY);
    CHECK_STR(port_at(0, 0)->id.serial, "SIM0001");
    CHECK(port_at(0, 0)->identified);
    CHECK(!port_at(0, 2)->identified);
    check_untouched();
    machine_stop();
}

TEST(inventory_status_by_the_ports_registers)
{
    machine_start(&(struct sim_config){
        .drives = 5,
        .drive = { { .serial = "D0" },
                   { .serial = "D1", .signature = SIG_ATAPI },
                   { .serial = "D2", .signature = SIG_PMP },
                   { .serial = "D3", .signature = SIG_SEMB },
                   { .serial = "D4" } },
    });
    CHECK_STATUS(0, 0, PORT_DRIVE);
    CHECK_STATUS(0, 1, PORT_ATAPI);
    CHECK_STATUS(0, 2, PORT_MULTIPLIER);
    CHECK_STATUS(0, 3, PORT_ENCLOSURE);
    CHECK_STATUS(0, 4, PORT_DRIVE);
    CHECK_STATUS(0, 5, PORT_EMPTY);
    for (unsigned i = 1; i <= 3; i++) {
        CHECK(!port_at(0, i)->identified);
    }
    check_untouched();
    machine_stop();
}

TEST(inventory_link_down_and_switched_off)
{
    machine_start(
        &(struct sim_config){ .drives = 2, .drive = { { .serial = "D0" }, { .serial = "D1" } } });
    machine.hba[0].port[0].ssts = 0x001; /* seen, no communication */
    machine.hba[0].port[1].ssts = 0x004; /* off, or in BIST */
    machine.hba[0].port[2].ssts = 0x112; /* reserved, and awake */
    scan_again();
    CHECK_STATUS(0, 0, PORT_LINK_DOWN);
    CHECK_STATUS(0, 1, PORT_OFFLINE);
    CHECK_STATUS(0, 2, PORT_LINK_DOWN);
    CHECK_EQ(port_at(0, 0)->ssts, 1);
    check_untouched();
    machine_stop();
}

/* A port the firmware never touched shows FFFFFFFFh as signature, a sleeping link perhaps DET = 1: both are drives. */
TEST(inventory_any_state_the_firmware_left)
{
    static const enum sim_start starts[] = { SIM_START_STOPPED, SIM_START_RUNNING,
                                             SIM_START_UNTOUCHED, SIM_START_PARTIAL,
                                             SIM_START_GARBAGE };
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        machine_start(&(struct sim_config){ .hba = { { .start = starts[i] } } });
        CHECK_STATUS(0, 0, PORT_DRIVE);
        check_untouched();
        machine_stop();
    }
}

TEST(inventory_drive_the_firmware_does_not_know_is_not_identified)
{
    machine_start(&(struct sim_config){ .platform = { .firmware = SIM_FIRMWARE_NO_DISK } });
    CHECK_STATUS(0, 0, PORT_NOT_IDENTIFIED);
    CHECK(!port_at(0, 0)->identified);
    CHECK_STATUS(0, 1, PORT_EMPTY);
    check_untouched();
    machine_stop();
}

TEST(inventory_unusable_drives_say_why)
{
    static const struct {
        struct sim_drive_config drive;
        const char *why;
    } rows[] = {
        { { .serial = "D0", .security = 0x0007 }, "locked with a password" },
        { { .serial = "D0", .standby = true }, "spin-up" },
        { { .serial = "D0", .no_dma = true }, "DMA" },
        { { .serial = " " }, "no serial number" },
        { { .serial = "D\x01" }, "cannot be typed" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        machine_start(&(struct sim_config){ .drive = { rows[i].drive } });
        CHECK_STATUS(0, 0, PORT_UNUSABLE);
        CHECK(port_at(0, 0)->identified);
        CHECK(strstr(port_at(0, 0)->id.unusable, rows[i].why) != NULL);
        check_untouched();
        machine_stop();
    }
}

TEST(inventory_a_drive_without_trim_is_still_a_drive)
{
    machine_start(&(struct sim_config){ .drive = { { .serial = "D0", .no_trim = true } } });
    CHECK_STATUS(0, 0, PORT_DRIVE);
    CHECK(!port_at(0, 0)->id.trim);
    machine_stop();
}

/* --- the boot medium ---------------------------------------------------------------------------------------- */

TEST(inventory_boot_medium_is_marked_and_its_neighbour_is_not)
{
    machine_start(&(struct sim_config){
        .drives = 2,
        .drive = { { .serial = "D0" }, { .serial = "D1" } },
        .platform = { .boot = { .kind = BOOT_MEDIUM_YES, .port = 1 } },
    });
    CHECK_STATUS(0, 0, PORT_DRIVE);
    CHECK_STATUS(0, 1, PORT_BOOT_MEDIUM);
    check_untouched();
    machine_stop();
}

TEST(inventory_boot_medium_whatever_else_is_wrong_with_it)
{
    machine_start(&(struct sim_config){
        .drive = { { .serial = "D0", .security = 0x0007 } },
        .platform = { .boot = { .kind = BOOT_MEDIUM_YES } },
    });
    CHECK_STATUS(0, 0, PORT_BOOT_MEDIUM);
    machine_start(&(struct sim_config){
        .platform = { .boot = { .kind = BOOT_MEDIUM_YES }, .firmware = SIM_FIRMWARE_NO_DISK },
    });
    CHECK_STATUS(0, 0, PORT_BOOT_MEDIUM);
    machine_stop();
}

TEST(inventory_boot_medium_unknown_spoils_every_drive_of_that_controller_only)
{
    machine_start(&(struct sim_config){
        .controllers = 2,
        .drives = 3,
        .drive = { { .serial = "D0" }, { .serial = "D1" }, { .serial = "D2" } },
        .at = { { 0, 0 }, { 0, 3 }, { 1, 0 } },
        .platform = { .boot = { .kind = BOOT_MEDIUM_UNKNOWN, .controller = 0 } },
    });
    CHECK_STATUS(0, 0, PORT_BOOT_UNKNOWN);
    CHECK_STATUS(0, 3, PORT_BOOT_UNKNOWN);
    CHECK_STATUS(0, 1, PORT_EMPTY);
    CHECK_STATUS(1, 0, PORT_DRIVE);
    machine_stop();
}

/* --- our own driver asks --------------------------------------------------------------------------------------- */

static void check_given_back(void)
{
    CHECK(machine.plat.function[0].taken > 0);
    CHECK_EQ(machine.plat.function[0].taken, machine.plat.function[0].given_back);
    CHECK_EQ(machine.plat.buffers_live, 0);
}

TEST(inventory_without_firmware_service_asks_by_itself_and_gives_back)
{
    machine_start(&(struct sim_config){
        .drives = 3,
        .drive = { { .serial = "D0" },
                   { .serial = "D1", .signature = SIG_ATAPI },
                   { .serial = "D2", .security = 0x0007 } },
        .hba = { { .start = SIM_START_UNTOUCHED } },
        .platform = { .firmware = SIM_FIRMWARE_NO_SERVICE },
    });
    CHECK_STATUS(0, 0, PORT_DRIVE);
    CHECK_STR(port_at(0, 0)->id.serial, "D0");
    CHECK_STATUS(0, 1, PORT_ATAPI);
    CHECK_STATUS(0, 2, PORT_UNUSABLE);
    CHECK_STATUS(0, 3, PORT_EMPTY);
    CHECK_EQ(machine.drive[1].log.commands, 0);
    for (unsigned i = 0; i < machine.drives; i++) {
        CHECK_EQ(sim_drive_count_changes(&machine.drive[i]), 0);
    }
    check_given_back();
    machine_stop();
}

TEST(inventory_without_firmware_service_the_boot_medium_is_none_the_less)
{
    machine_start(&(struct sim_config){
        .platform = { .firmware = SIM_FIRMWARE_NO_SERVICE,
                      .boot = { .kind = BOOT_MEDIUM_UNKNOWN } },
    });
    CHECK_STATUS(0, 0, PORT_BOOT_UNKNOWN);
    check_given_back();
    machine_stop();
}

TEST(inventory_drive_that_does_not_answer_is_not_identified)
{
    machine_start(&(struct sim_config){
        .drives = 2,
        .drive = { { .serial = "D0" }, { .serial = "D1" } },
        .platform = { .firmware = SIM_FIRMWARE_NO_SERVICE },
        .faults = { { .what = SIM_HANG,
                      .opcode = ATA_IDENTIFY_DEVICE,
                      .ports = 1,
                      .times = SIM_ALWAYS } },
    });
    CHECK_STATUS(0, 0, PORT_NOT_IDENTIFIED);
    CHECK_STATUS(0, 1, PORT_DRIVE);
    check_given_back();
    machine_start(&(struct sim_config){
        .platform = { .firmware = SIM_FIRMWARE_NO_SERVICE },
        .faults = { { .what = SIM_BSY_STUCK, .times = SIM_ALWAYS } },
    });
    CHECK_STATUS(0, 0, PORT_NOT_IDENTIFIED);
    check_given_back();
    machine_stop();
}

TEST(inventory_controller_that_does_not_start_lists_ports_by_registers)
{
    machine_start(&(struct sim_config){
        .hba = { { .ae_off = true } },
        .platform = { .firmware = SIM_FIRMWARE_NO_SERVICE },
        .faults = { { .what = SIM_AE_NEEDS, .value = 1000 } },
    });
    CHECK_STATUS(0, 0, PORT_NOT_IDENTIFIED);
    CHECK_STATUS(0, 1, PORT_EMPTY);
    CHECK_EQ(machine.drive[0].log.commands, 0);
    check_given_back();
    machine_stop();
}

/* --- controllers ------------------------------------------------------------------------------------------- */

TEST(inventory_controllers_of_other_kinds_are_listed_with_their_reason)
{
    static const struct {
        struct sim_pci_config pci;
        enum ahci_state state;
        const char *says;
    } rows[] = {
        { { .class_base = 1, .class_sub = 4 }, AHCI_RAID_CLASS, "RAID" },
        { { .class_base = 1, .class_sub = 1, .prog_if = 0x8a }, AHCI_IDE_CLASS, "IDE" },
        { { .class_base = 1, .class_sub = 8, .prog_if = 2 }, AHCI_NVME, "NVMe" },
        { { .class_base = 1, .class_sub = 7 }, AHCI_NOT_AHCI, "not an AHCI" },
        { { .class_base = 1, .class_sub = 6, .prog_if = 0 }, AHCI_NOT_AHCI, "not an AHCI" },
        { { .vendor_id = 0x1b4b, .device_id = 0x9480 }, AHCI_NOT_AHCI, "not an AHCI" },
        { { .no_bar5 = true }, AHCI_BAD_BAR, "BAR5" },
    };
    struct sim_config config = { .others = ARRAY_LEN(rows) };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        config.other[i] = rows[i].pci;
    }
    machine_start(&config);
    CHECK_EQ(inventory.controllers, 1 + ARRAY_LEN(rows));
    CHECK_EQ(inventory.controller[0].state, AHCI_USABLE);
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_EQ(inventory.controller[1 + i].state, rows[i].state);
        CHECK(strstr(ahci_state_text(rows[i].state), rows[i].says) != NULL);
    }
    CHECK_EQ(inventory.ports, 6);
    check_untouched(); /* and a register read of a function without registers would be a violation */
    machine_stop();
}

TEST(inventory_controller_that_is_gone_or_has_no_ports)
{
    machine_start(&(struct sim_config){ .no_drive = true, .faults = { { .what = SIM_ALL_ONES } } });
    CHECK_EQ(inventory.controller[0].state, AHCI_UNREADABLE);
    CHECK_EQ(inventory.ports, 0);
    machine_start(&(struct sim_config){
        .no_drive = true,
        .hba = { { .exact = true, .cap = 0xe730ff65, .pi = 0, .vs = 0x00010300 } } });
    CHECK_EQ(inventory.controller[0].state, AHCI_NO_PORTS);
    CHECK_EQ(inventory.ports, 0);
    check_untouched();
    machine_stop();
}

TEST(inventory_no_controller_at_all)
{
    machine_start(&(struct sim_config){ .no_drive = true });
    machine.plat.functions = 0;
    scan_again();
    CHECK_EQ(inventory.controllers, 0);
    CHECK_EQ(inventory.ports, 0);
    CHECK_EQ(inventory.controllers_left_off, 0);
    machine_stop();
}

TEST(inventory_more_controllers_than_room_are_counted)
{
    static const struct sim_pci_config nvme = { .class_base = 1, .class_sub = 8, .prog_if = 2 };
    machine_start(&(struct sim_config){ .no_drive = true });
    while (machine.plat.functions < SIM_FUNCTIONS_MAX) {
        sim_platform_add_function(&machine.plat, &nvme, NULL);
    }
    scan_again();
    CHECK_EQ(inventory.controllers, INVENTORY_CONTROLLERS_MAX);
    CHECK_EQ(inventory.controllers_left_off, SIM_FUNCTIONS_MAX - INVENTORY_CONTROLLERS_MAX);
    machine_stop();
}

TEST(inventory_more_ports_than_room_are_counted)
{
    const struct sim_hba_config wide = { .pi = 0xffffffff, .bar_bytes = 0x1100 };
    machine_start(
        &(struct sim_config){ .no_drive = true, .controllers = 3, .hba = { wide, wide, wide } });
    CHECK_EQ(inventory.ports, INVENTORY_PORTS_MAX);
    CHECK_EQ(inventory.ports_left_off, 96 - INVENTORY_PORTS_MAX);
    CHECK_EQ(inventory.port[INVENTORY_PORTS_MAX - 1].controller, 1);
    CHECK_EQ(inventory.port[INVENTORY_PORTS_MAX - 1].number, 31);
    machine_stop();
}

TEST(inventory_scan_again_sees_what_changed)
{
    machine_start(
        &(struct sim_config){ .drives = 2, .drive = { { .serial = "D0" }, { .serial = "D0" } } });
    CHECK(port_at(0, 0)->twin);
    sim_drive_unplug(&machine.drive[1]);
    sim_bench_run_us(&machine, 1000);
    scan_again();
    CHECK_STATUS(0, 1, PORT_EMPTY);
    CHECK(!port_at(0, 0)->twin);
    sim_drive_plug(&machine.drive[1], "NEW");
    sim_bench_run_us(&machine, 1000000);
    scan_again();
    CHECK_STATUS(0, 1, PORT_DRIVE);
    CHECK_STR(port_at(0, 1)->id.serial, "NEW");
    machine_stop();
}

/* --- words ----------------------------------------------------------------------------------------------------- */

TEST(inventory_every_status_has_a_name_and_a_sentence)
{
    for (int i = 0; i < PORT_STATUS_COUNT; i++) {
        CHECK(strlen(port_status_name((enum port_status)i)) > 3);
        CHECK(strlen(port_status_text((enum port_status)i)) > 8);
    }
    CHECK_STR(port_status_name(PORT_STATUS_COUNT), "unknown");
    CHECK_STR(port_status_text((enum port_status) - 1), "unknown");
}

TEST(inventory_address_text_forms)
{
    char text[16];
    inventory_address_text(&(struct pci_address){ .device = 0x1f, .function = 2 }, text,
                           sizeof(text));
    CHECK_STR(text, "00:1f.2");
    inventory_address_text(&(struct pci_address){ 1, 0xa0, 0, 7 }, text, sizeof(text));
    CHECK_STR(text, "0001:a0:00.7");
}

/* --- finding a drive by name ------------------------------------------------------------------------------------- */

static char why[200];
static const struct inventory_port *found;

static enum err find(const char *target)
{
    found = NULL;
    memset(why, 'x', sizeof(why));
    enum err err = inventory_find(&inventory, target, &found, why, sizeof(why));
    CHECK(err == OK || memchr(why, '\0', sizeof(why)) != NULL);
    return err;
}

/* Not found, with these words in the sentence, and no drive given out. */
static void finds_none(const char *target, enum err want, const char *words)
{
    CHECK_EQ(find(target), want);
    CHECK(found == NULL);
    if (strstr(why, words) == NULL) {
        printf("  not \"%s\" in: %s\n", words, why);
    }
    CHECK(strstr(why, words) != NULL);
}

static void finds(const char *target, unsigned controller, unsigned number)
{
    enum err err = find(target);
    if (err != OK) {
        printf("  %s: %s\n", target, why);
    }
    CHECK_EQ(err, OK);
    CHECK_EQ(found->controller, controller);
    CHECK_EQ(found->number, number);
}

static void start_for_finding(void)
{
    machine_start(&(struct sim_config){
        .controllers = 2,
        .pci = { { .at = { .device = 0x1f, .function = 2 } },
                 { .at = { .segment = 1, .bus = 0xa0, .device = 3 } } },
        .hba = { { .pi = 0x3f }, { .pi = 0xffffffff, .bar_bytes = 0x1100 } },
        .drives = 6,
        .drive = { { .serial = "S1" },
                   { .serial = "S 12" },
                   { .serial = "A@B" },
                   { .serial = "S1X" },
                   { .serial = "TWIN" },
                   { .serial = "TWIN" } },
        .at = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 0 }, { 0, 5 }, { 1, 31 } },
    });
}

TEST(inventory_find_by_whole_serial_number)
{
    start_for_finding();
    finds("S1", 0, 0);
    finds("S 12", 0, 1);
    finds("S1X", 1, 0);
    finds_none("S", ERR_NOT_FOUND, "no drive here has the serial number S");
    finds_none("s1", ERR_NOT_FOUND, "no drive");
    finds_none("S12", ERR_NOT_FOUND, "no drive");
    finds_none("S1 ", ERR_NOT_FOUND, "no drive");
    finds_none("S1XX", ERR_NOT_FOUND, "no drive");
    machine_stop();
}

TEST(inventory_find_by_serial_number_and_place)
{
    start_for_finding();
    finds("S1@00:1f.2/0", 0, 0);
    finds("S1@00:1F.2/0", 0, 0);
    finds("S1@0000:00:1f.2/0", 0, 0);
    finds("S1@0:1f.2/00", 0, 0);
    finds("S1X@0001:a0:03.0/0", 1, 0);
    finds("TWIN@00:1f.2/5", 0, 5);
    finds("TWIN@0001:a0:03.0/31", 1, 31);
    machine_stop();
}

TEST(inventory_find_right_serial_number_at_the_wrong_place)
{
    start_for_finding();
    finds_none("S1@00:1f.2/1", ERR_NOT_FOUND,
               "no drive here has the serial number S1 at 00:1f.2/1");
    finds_none("S1@00:1f.3/0", ERR_NOT_FOUND, "no drive");
    finds_none("S1@00:1e.2/0", ERR_NOT_FOUND, "no drive");
    finds_none("S1@01:1f.2/0", ERR_NOT_FOUND, "no drive");
    finds_none("S1@0001:00:1f.2/0", ERR_NOT_FOUND, "no drive");
    finds_none("S1X@a0:03.0/0", ERR_NOT_FOUND, "no drive"); /* segment 0 is meant */
    finds_none("TWIN@00:1f.2/31", ERR_NOT_FOUND, "no drive");
    finds_none("S2@00:1f.2/0", ERR_NOT_FOUND, "no drive");
    machine_stop();
}

TEST(inventory_find_nonsense_for_a_place)
{
    static const char *const bad[] = {
        "S1@",
        "S1@0",
        "S1@port0",
        "S1@00:1f.2",
        "S1@00:1f.2/",
        "S1@00:1f/0",
        "S1@00:1f.2/0 ",
        "S1@ 00:1f.2/0",
        "S1@00:1f.2/0x0",
        "S1@00:1f.2/32",
        "S1@00:1f.8/0",
        "S1@00:20.2/0",
        "S1@100:1f.2/0",
        "S1@00:1f.2/-1",
        "S1@:1f.2/0",
        "S1@00:1f.2/0/",
        "S1@0:0:0:1f.2/0",
        "S1@00:1f.2@0",
        "S1@10000:00:1f.2/0",
        "S1@00:1f.2/4294967296",
        "S1@100000000:1f.2/0",
    };
    start_for_finding();
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        finds_none(bad[i], ERR_INVALID, "SERIAL@bus:dev.fn/port");
    }
    machine_stop();
}

TEST(inventory_find_nothing_named)
{
    start_for_finding();
    finds_none("", ERR_INVALID, "no serial number");
    finds_none("@00:1f.2/0", ERR_INVALID, "no serial number");
    finds_none("@", ERR_INVALID, "no serial number");
    machine_stop();
}

/* A drive without a serial number, and a port without a drive, cannot be named by an empty one. */
TEST(inventory_find_an_empty_serial_number_names_nothing)
{
    machine_start(&(struct sim_config){ .drive = { { .serial = " " } } });
    CHECK(port_at(0, 0)->identified);
    finds_none("", ERR_INVALID, "no serial number");
    finds_none("@00:1f.2/0", ERR_INVALID, "no serial number");
    finds_none("@00:1f.2/1", ERR_INVALID, "no serial number");
    machine_stop();
}

TEST(inventory_find_serial_number_with_an_at_sign)
{
    start_for_finding();
    finds("A@B", 0, 2);
    finds("A@B@00:1f.2/2", 0, 2);
    finds_none("A@B@00:1f.2/1", ERR_NOT_FOUND, "the serial number A@B at 00:1f.2/1");
    finds_none("A", ERR_NOT_FOUND, "no drive");
    finds_none("A@00:1f.2/2", ERR_NOT_FOUND, "no drive");
    machine_stop();
}

TEST(inventory_find_twins_by_name_is_refused_with_an_example)
{
    start_for_finding();
    CHECK(port_at(0, 5)->twin);
    CHECK(port_at(1, 31)->twin);
    CHECK(!port_at(0, 0)->twin);
    CHECK(!port_at(1, 0)->twin);
    CHECK(!port_at(1, 7)->twin); /* empty ports are nobody's twins */
    finds_none("TWIN", ERR_INVALID, "more than one drive has the serial number TWIN");
    CHECK(strstr(why, "TWIN@00:1f.2/5") != NULL);
    finds("TWIN@00:1f.2/5", 0, 5); /* as the example says */
    machine_stop();
}

/* The same number on a drive that cannot be a target is a twin all the same. */
TEST(inventory_find_a_twin_of_the_boot_medium_needs_its_place)
{
    machine_start(&(struct sim_config){
        .drives = 2,
        .drive = { { .serial = "TWIN" }, { .serial = "TWIN" } },
        .platform = { .boot = { .kind = BOOT_MEDIUM_YES, .port = 0 } },
    });
    finds_none("TWIN", ERR_INVALID, "more than one drive");
    finds("TWIN@00:1f.2/1", 0, 1);
    CHECK_EQ(find("TWIN@00:1f.2/0"), ERR_REFUSED);
    machine_stop();
}

TEST(inventory_find_what_is_no_target_is_refused_with_its_reason)
{
    machine_start(&(struct sim_config){
        .drives = 2,
        .drive = { { .serial = "BOOT" }, { .serial = "LOCKED", .security = 0x0007 } },
        .platform = { .boot = { .kind = BOOT_MEDIUM_YES, .port = 0 } },
    });
    CHECK_EQ(find("BOOT"), ERR_REFUSED);
    CHECK(found == port_at(0, 0));
    CHECK_STR(why, "BOOT: this program was started from it; never a target");
    CHECK_EQ(find("LOCKED"), ERR_REFUSED);
    CHECK(found == port_at(0, 1));
    CHECK_STR(why, "LOCKED: it is locked with a password");
    machine_start(&(struct sim_config){ .drive = { { .serial = "D0" } },
                                        .platform = { .boot = { .kind = BOOT_MEDIUM_UNKNOWN } } });
    CHECK_EQ(find("D0"), ERR_REFUSED);
    CHECK(strstr(why, "cannot tell which drive it came from") != NULL);
    machine_stop();
}

TEST_MAIN
