/* Device paths are walked node by node, with every length checked: they are the firmware's, and third-party
 * drivers make them too. */
#include "boot/devpath.h"

/* clang-format off */
#define NODE_HEADER        4u
#define NODE_TYPE          0u
#define NODE_SUBTYPE       1u
#define NODE_LENGTH        2u

#define TYPE_HARDWARE      0x01u /* UEFI 2.10 10.3.2 */
#define HARDWARE_PCI       0x01u
#define HARDWARE_MEMORY    0x03u
#define TYPE_ACPI          0x02u /* 10.3.3 */
#define ACPI_SIMPLE        0x01u
#define TYPE_MESSAGING     0x03u /* 10.3.4 */
#define MESSAGING_SATA     0x12u
#define TYPE_MEDIA         0x04u /* 10.3.5 */
#define MEDIA_VENDOR       0x03u
#define MEDIA_FV_FILE      0x06u
#define MEDIA_FV           0x07u
#define MEDIA_RAM_DISK     0x09u
#define TYPE_END           0x7fu
#define END_ENTIRE         0xffu

#define SATA_PORT          4u
#define SATA_MULTIPLIER    6u
#define SATA_BYTES         10u
#define SATA_DIRECT        0x8000u /* bit 15 of the multiplier's port: there is none */
#define SATA_PORT_MAX      31u

#define ACPI_HID           4u
#define ACPI_UID           8u
#define ACPI_BYTES         12u
#define PNP0501            0x050141d0u

#define VENDOR_GUID        4u
#define VENDOR_BYTES       20u
/* clang-format on */

/* QEMU's -kernel: OVMF offers the file on a volume of its own that lies in no disk. The GUID is EDK2's
 * gQemuKernelLoaderFsMediaGuid, 1428f772-b64a-441e-b8c3-9ebdd7f893c7. */
static const uint8_t guid_qemu_kernel[16] = { 0x72, 0xf7, 0x28, 0x14, 0x4a, 0xb6, 0x1e, 0x44,
                                              0xb8, 0xc3, 0x9e, 0xbd, 0xd7, 0xf8, 0x93, 0xc7 };

static bool node_is(const uint8_t *node, uint8_t type, uint8_t subtype)
{
    return (node[NODE_TYPE] & 0x7f) == type && node[NODE_SUBTYPE] == subtype;
}

static size_t node_bytes(const uint8_t *node)
{
    return get_le16(node + NODE_LENGTH);
}

size_t devpath_bytes(const void *path)
{
    const uint8_t *node = path;
    size_t total = 0;

    if (node == NULL) {
        return 0;
    }
    while (total + NODE_HEADER <= DEVPATH_BYTES_MAX) {
        size_t bytes = node_bytes(node);
        bool end = node_is(node, TYPE_END, END_ENTIRE);
        if (bytes < NODE_HEADER || bytes > DEVPATH_BYTES_MAX - total) {
            return 0;
        }
        total += bytes;
        if (end) {
            return total;
        }
        node += bytes;
    }
    return 0;
}

bool devpath_equal(const void *a, const void *b)
{
    size_t bytes = devpath_bytes(a);
    return bytes != 0 && bytes == devpath_bytes(b) && memcmp(a, b, bytes) == 0;
}

/* The first node of `path` behind all of `parent`, or NULL when it does not go through there. A parent
 * that is only an end node is no parent of anything. */
static const uint8_t *devpath_below(const void *path, const void *parent)
{
    size_t parent_bytes = devpath_bytes(parent);
    size_t bytes = devpath_bytes(path);

    if (parent_bytes <= NODE_HEADER || bytes == 0) {
        return NULL;
    }
    size_t prefix = parent_bytes - NODE_HEADER; /* without the end node */
    if (bytes < parent_bytes || memcmp(path, parent, prefix) != 0) {
        return NULL;
    }
    return (const uint8_t *)path + prefix;
}

/* The port a SATA node names; false when the node is none, or its number is no port of an AHCI controller
 * (drivers for RAID volumes put such numbers there). */
static bool node_sata_port(const uint8_t *node, unsigned *port)
{
    if (!node_is(node, TYPE_MESSAGING, MESSAGING_SATA) || node_bytes(node) != SATA_BYTES ||
        get_le16(node + SATA_PORT) > SATA_PORT_MAX) {
        return false;
    }
    *port = get_le16(node + SATA_PORT);
    return true;
}

bool devpath_is_disk(const void *path, const void *controller, unsigned port)
{
    const uint8_t *node = devpath_below(path, controller);
    unsigned there;

    if (node == NULL || !node_sata_port(node, &there) || there != port) {
        return false;
    }
    /* Behind a port multiplier several disks share the port. Before UEFI 2.2 "none" was written as 0. */
    unsigned multiplier = get_le16(node + SATA_MULTIPLIER);
    if (!(multiplier & SATA_DIRECT) && multiplier != 0) {
        return false;
    }
    return node_is(node + node_bytes(node), TYPE_END, END_ENTIRE);
}

/* Does a path that is not below the controller surely lead somewhere else? */
static bool devpath_is_elsewhere(const void *path)
{
    const uint8_t *node = path;

    if (devpath_bytes(path) == 0) {
        return false;
    }
    /* Memory and firmware flash are no disk. */
    if (node_is(node, TYPE_HARDWARE, HARDWARE_MEMORY) || node_is(node, TYPE_MEDIA, MEDIA_FV) ||
        node_is(node, TYPE_MEDIA, MEDIA_FV_FILE) || node_is(node, TYPE_MEDIA, MEDIA_RAM_DISK)) {
        return true;
    }
    if (node_is(node, TYPE_MEDIA, MEDIA_VENDOR) && node_bytes(node) == VENDOR_BYTES &&
        memcmp(node + VENDOR_GUID, guid_qemu_kernel, sizeof(guid_qemu_kernel)) == 0) {
        return true;
    }
    /* A path through another PCI function: USB, NVMe, network, another SATA controller. */
    for (; !node_is(node, TYPE_END, END_ENTIRE); node += node_bytes(node)) {
        if (node_is(node, TYPE_HARDWARE, HARDWARE_PCI)) {
            return true;
        }
    }
    return false;
}

enum boot_medium devpath_boot_controller(const void *boot, const void *controller)
{
    if (devpath_bytes(controller) <= NODE_HEADER) {
        return BOOT_MEDIUM_UNKNOWN;
    }
    if (devpath_below(boot, controller) != NULL) {
        return BOOT_MEDIUM_YES;
    }
    return devpath_is_elsewhere(boot) ? BOOT_MEDIUM_NO : BOOT_MEDIUM_UNKNOWN;
}

enum boot_medium devpath_boot_port(const void *boot, const void *controller, unsigned port)
{
    enum boot_medium on_controller = devpath_boot_controller(boot, controller);
    unsigned boot_port;

    if (on_controller != BOOT_MEDIUM_YES) {
        return on_controller;
    }
    if (!node_sata_port(devpath_below(boot, controller), &boot_port)) {
        return BOOT_MEDIUM_UNKNOWN;
    }
    return boot_port == port ? BOOT_MEDIUM_YES : BOOT_MEDIUM_NO;
}

int devpath_com_index(const void *path)
{
    const uint8_t *node = path;
    bool on_pci_card = false;

    if (devpath_bytes(path) == 0) {
        return -2;
    }
    for (; !node_is(node, TYPE_END, END_ENTIRE); node += node_bytes(node)) {
        if (node_is(node, TYPE_ACPI, ACPI_SIMPLE) && node_bytes(node) >= ACPI_BYTES &&
            get_le32(node + ACPI_HID) == PNP0501) {
            uint32_t uid = get_le32(node + ACPI_UID);
            return uid < 4 ? (int)uid : -2;
        }
        on_pci_card |= node_is(node, TYPE_HARDWARE, HARDWARE_PCI);
    }
    /* PciRoot()/Pci()/Uart(): the port is a card's own. VenHw()/Uart(): anything. */
    return on_pci_card ? -1 : -2;
}
