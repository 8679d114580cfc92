/* Device paths: which port a disk is on, and where the boot medium is. The paths are those real firmware
 * makes, and the same ones broken. */
#include "boot/devpath.h"

#include "tests/test.h"

#define ACPI(hid, uid)                                                                             \
    0x02, 0x01, 12, 0, (uint8_t)(hid), (uint8_t)((hid) >> 8), (uint8_t)((hid) >> 16),              \
        (uint8_t)((hid) >> 24), (uint8_t)(uid), (uint8_t)((uid) >> 8), 0, 0
#define ROOT            ACPI(0x0a0341d0u, 0u)
#define PCI(dev, fn)    0x01, 0x01, 6, 0, fn, dev
#define SATA(port, pmp) 0x03, 0x12, 10, 0, (port)&0xff, (port) >> 8, (pmp)&0xff, (pmp) >> 8, 0, 0
#define ATAPI(pri, sla) 0x03, 0x01, 8, 0, pri, sla, 0, 0
#define USB(port)       0x03, 0x05, 6, 0, port, 0
#define UART            0x03, 0x0e, 19, 0, 0, 0, 0, 0, 0, 0xc2, 1, 0, 0, 0, 0, 0, 8, 1, 1
#define PARTITION       0x04, 0x01, 8, 0, 1, 0, 0, 0 /* shorter than a real one; nobody looks inside */
#define VENDOR(type, g0)                                                                           \
    type, type == 1 ? 0x04 : 0x03, 20, 0, g0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
#define QEMU_KERNEL                                                                                \
    0x04, 0x03, 20, 0, 0x72, 0xf7, 0x28, 0x14, 0x4a, 0xb6, 0x1e, 0x44, 0xb8, 0xc3, 0x9e, 0xbd,     \
        0xd7, 0xf8, 0x93, 0xc7
#define FIRMWARE_VOLUME 0x04, 0x07, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
#define RAM_DISK        0x04, 0x09, 8, 0, 1, 2, 3, 4
#define MEMORY          0x01, 0x03, 8, 0, 1, 2, 3, 4
#define END             0x7f, 0xff, 4, 0
#define PATH(...)       ((const uint8_t[]){ __VA_ARGS__, END })

static const uint8_t controller[] = { ROOT, PCI(0x1f, 2), END };
static const uint8_t other[] = { ROOT, PCI(0x1f, 5), END };

TEST(devpath_length_counts_the_end_node)
{
    CHECK_EQ(devpath_bytes(controller), sizeof(controller));
    CHECK_EQ(devpath_bytes((const uint8_t[]){ END }), 4);
}

TEST(devpath_malformed_has_no_length)
{
    const uint8_t zero[] = { 0x01, 0x01, 0, 0, END };
    const uint8_t short_node[] = { 0x01, 0x01, 3, 0, END };
    const uint8_t huge[] = { 0x01, 0x01, 0xff, 0xff, END };
    static uint8_t endless[DEVPATH_BYTES_MAX + 64];

    for (size_t i = 0; i + 4 <= sizeof(endless); i += 4) {
        memcpy(&endless[i], (const uint8_t[]){ 0x04, 0x04, 4, 0 }, 4);
    }
    CHECK_EQ(devpath_bytes(NULL), 0);
    CHECK_EQ(devpath_bytes(zero), 0);
    CHECK_EQ(devpath_bytes(short_node), 0);
    CHECK_EQ(devpath_bytes(huge), 0);
    CHECK_EQ(devpath_bytes(endless), 0);
}

TEST(devpath_equal_needs_every_byte)
{
    CHECK(devpath_equal(controller, PATH(ROOT, PCI(0x1f, 2))));
    CHECK(!devpath_equal(controller, other));
    CHECK(!devpath_equal(controller, PATH(ROOT, PCI(0x1f, 2), SATA(0, 0xffff))));
    CHECK(!devpath_equal(NULL, NULL));
}

TEST(devpath_disk_is_found_by_its_port)
{
    const uint8_t *disk = PATH(ROOT, PCI(0x1f, 2), SATA(3, 0xffff));
    CHECK(devpath_is_disk(disk, controller, 3));
    CHECK(!devpath_is_disk(disk, controller, 2));
    CHECK(!devpath_is_disk(disk, other, 3));
    CHECK(devpath_is_disk(PATH(ROOT, PCI(0x1f, 2), SATA(3, 0)), controller, 3));
}

TEST(devpath_disk_is_no_partition_and_not_behind_a_multiplier)
{
    CHECK(!devpath_is_disk(PATH(ROOT, PCI(0x1f, 2), SATA(3, 0xffff), PARTITION), controller, 3));
    CHECK(!devpath_is_disk(PATH(ROOT, PCI(0x1f, 2), SATA(3, 2)), controller, 3));
    CHECK(!devpath_is_disk(PATH(ROOT, PCI(0x1f, 2), ATAPI(0, 0)), controller, 0));
    CHECK(!devpath_is_disk(controller, controller, 0));
    CHECK(!devpath_is_disk(NULL, controller, 0));
    CHECK(!devpath_is_disk(PATH(ROOT, PCI(0x1f, 2), SATA(3, 0xffff)), NULL, 3));
}

TEST(devpath_boot_disk_on_the_controller_is_its_port_only)
{
    const uint8_t *boot = PATH(ROOT, PCI(0x1f, 2), SATA(3, 0xffff), PARTITION);
    CHECK_EQ(devpath_boot_controller(boot, controller), BOOT_MEDIUM_YES);
    CHECK_EQ(devpath_boot_port(boot, controller, 3), BOOT_MEDIUM_YES);
    CHECK_EQ(devpath_boot_port(boot, controller, 2), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_controller(boot, other), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(boot, other, 3), BOOT_MEDIUM_NO);
}

TEST(devpath_boot_behind_a_multiplier_is_that_port)
{
    CHECK_EQ(devpath_boot_port(PATH(ROOT, PCI(0x1f, 2), SATA(3, 2)), controller, 3),
             BOOT_MEDIUM_YES);
}

TEST(devpath_boot_through_the_controller_without_a_port_is_unknown)
{
    const uint8_t *ways[] = {
        PATH(ROOT, PCI(0x1f, 2), VENDOR(0x01, 1), PARTITION), /* a RAID driver's volume */
        PATH(ROOT, PCI(0x1f, 2), SATA(0xffff, 0xffff)),
        PATH(ROOT, PCI(0x1f, 2), SATA(32, 0xffff)),
        PATH(ROOT, PCI(0x1f, 2), ATAPI(0, 1)),
        PATH(ROOT, PCI(0x1f, 2)),
    };
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        CHECK_EQ(devpath_boot_controller(ways[i], controller), BOOT_MEDIUM_YES);
        for (unsigned port = 0; port < 32; port++) {
            CHECK_EQ(devpath_boot_port(ways[i], controller, port), BOOT_MEDIUM_UNKNOWN);
        }
    }
}

TEST(devpath_boot_from_other_hardware_is_no)
{
    CHECK_EQ(devpath_boot_port(PATH(ROOT, PCI(1, 0), USB(1)), controller, 0), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(PATH(ROOT, PCI(0x1c, 0), PCI(0, 0)), controller, 0), BOOT_MEDIUM_NO);
    /* The same device and function numbers behind a bridge, or on another root, are another device. */
    CHECK_EQ(
        devpath_boot_port(PATH(ROOT, PCI(0x1c, 0), PCI(0x1f, 2), SATA(0, 0xffff)), controller, 0),
        BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(PATH(ACPI(0x0a0341d0u, 1u), PCI(0x1f, 2), SATA(0, 0xffff)),
                               controller, 0),
             BOOT_MEDIUM_NO);
}

TEST(devpath_boot_from_memory_is_no)
{
    CHECK_EQ(devpath_boot_port(PATH(QEMU_KERNEL), controller, 0), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_controller(PATH(QEMU_KERNEL), controller), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(PATH(FIRMWARE_VOLUME), controller, 0), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(PATH(RAM_DISK), controller, 0), BOOT_MEDIUM_NO);
    CHECK_EQ(devpath_boot_port(PATH(MEMORY), controller, 0), BOOT_MEDIUM_NO);
}

TEST(devpath_boot_that_cannot_be_told_is_unknown)
{
    const uint8_t broken[] = { ROOT, 0x01, 0x01, 0, 0, END };
    const uint8_t *ways[] = {
        NULL,
        broken,
        (const uint8_t[]){ END },
        PATH(VENDOR(0x01, 1)), /* a virtual disk: its file may lie anywhere */
        PATH(VENDOR(0x04, 1)), /* not QEMU's */
        PATH(PARTITION),       /* a short-form path names no disk */
        PATH(ROOT),
    };
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        CHECK_EQ(devpath_boot_port(ways[i], controller, 0), BOOT_MEDIUM_UNKNOWN);
        CHECK_EQ(devpath_boot_controller(ways[i], controller), BOOT_MEDIUM_UNKNOWN);
    }
}

TEST(devpath_controller_without_a_path_is_unknown)
{
    const uint8_t *boot = PATH(ROOT, PCI(1, 0), USB(1));
    CHECK_EQ(devpath_boot_controller(boot, NULL), BOOT_MEDIUM_UNKNOWN);
    CHECK_EQ(devpath_boot_port(boot, (const uint8_t[]){ END }, 0), BOOT_MEDIUM_UNKNOWN);
}

TEST(devpath_serial_port_is_told_by_its_acpi_node)
{
    CHECK_EQ(devpath_com_index(PATH(ROOT, PCI(0x1f, 0), ACPI(0x050141d0u, 0u), UART)), 0);
    CHECK_EQ(devpath_com_index(PATH(ROOT, PCI(0x1f, 0), ACPI(0x050141d0u, 1u), UART)), 1);
    CHECK_EQ(devpath_com_index(PATH(ROOT, PCI(0x1f, 0), ACPI(0x050141d0u, 9u), UART)), -2);
    CHECK_EQ(devpath_com_index(PATH(ROOT, PCI(4, 0), UART)), -1);
    CHECK_EQ(devpath_com_index(PATH(VENDOR(0x01, 1), UART)), -2);
    CHECK_EQ(devpath_com_index(NULL), -2);
}

TEST_MAIN
