/* The controllers BareTrim knows by name. A controller that is not here runs with the same defaults; a row
 * adds a name, says whether anyone ran BareTrim there, or keeps us away from what only looks like AHCI.
 * docs/HARDWARE.md shows this table. */
#include "ahci/ahci.h"

/* clang-format off */
static const struct ahci_known known[] = {
    { 0x8086, 0x2922, "Intel ICH9 AHCI", .tried = true, .note = "as QEMU models it" },
    { 0x8086, 0x2829, "Intel ICH8M AHCI" },
    { 0x8086, 0x2821, "Intel ICH8 AHCI" },
    { 0x8086, 0x2929, "Intel ICH9M AHCI" },
    { 0x8086, 0x3a22, "Intel ICH10 AHCI" },
    { 0x8086, 0x3b22, "Intel 5 Series AHCI (6 ports)" },
    { 0x8086, 0x3b29, "Intel 5 Series mobile AHCI (4 ports)" },
    { 0x8086, 0x1c02, "Intel 6 Series AHCI" },
    { 0x8086, 0x1e02, "Intel 7 Series AHCI" },
    { 0x8086, 0x8c02, "Intel 8 Series AHCI" },
    { 0x8086, 0xa102, "Intel 100 Series AHCI" },
    { 0x8086, 0xa282, "Intel 200 Series AHCI" },
    { 0x8086, 0xa352, "Intel 300 Series AHCI" },
    { 0x1b4b, 0x9120, "Marvell 88SE9120" },
    { 0x1b4b, 0x9123, "Marvell 88SE9123" },
    { 0x1b4b, 0x9125, "Marvell 88SE9125" },
    { 0x1b4b, 0x9128, "Marvell 88SE9128" },
    { 0x1b4b, 0x9130, "Marvell 88SE9130" },
    { 0x1b4b, 0x9172, "Marvell 88SE9172" },
    { 0x1b4b, 0x9215, "Marvell 88SE9215" },
    { 0x1b4b, 0x9230, "Marvell 88SE9230" },
    { 0x1b4b, 0x9235, "Marvell 88SE9235" },
    { 0x1b4b, 0x9445, "Marvell 88SE9445", .not_ahci = true, .note = "a SAS controller with another register set" },
    { 0x1b4b, 0x9480, "Marvell 88SE9480", .not_ahci = true, .note = "a SAS controller with another register set" },
    { 0x1b4b, 0x9485, "Marvell 88SE9485", .not_ahci = true, .note = "a SAS controller with another register set" },
    { 0x1b21, 0x0612, "ASMedia ASM1062" },
    { 0x197b, 0x2362, "JMicron JMB362" },
    { 0x1022, 0x7901, "AMD FCH AHCI" },
};
/* clang-format on */

const struct ahci_known *ahci_known_find(uint16_t vendor_id, uint16_t device_id)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (known[i].vendor_id == vendor_id && known[i].device_id == device_id) {
            return &known[i];
        }
    }
    return NULL;
}

const struct ahci_known *ahci_known_table(size_t *count)
{
    *count = ARRAY_LEN(known);
    return known;
}
