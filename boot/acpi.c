/* From the root pointer to the FADT. Every length is checked: the tables are the firmware's, and vary. */
#include "boot/acpi.h"

/* clang-format off */
/* Root System Description Pointer (ACPI 6.4 5.2.5.3) */
#define RSDP_REVISION   15u
#define RSDP_RSDT       16u
#define RSDP_LENGTH     20u /* from revision 2 */
#define RSDP_XSDT       24u
#define RSDP_BYTES_V1   20u
#define RSDP_BYTES_V2   36u

/* System Description Table Header (5.2.6) */
#define SDT_LENGTH      4u
#define SDT_HEADER      36u

/* Fixed ACPI Description Table (5.2.9) */
#define FADT_PM_TMR_BLK 76u
#define FADT_PM_TMR_LEN 91u
#define FADT_FLAGS      112u
#define FADT_X_PM_TMR   208u
#define FADT_HW_REDUCED (1u << 20)

/* Generic Address Structure (5.2.3.2) */
#define GAS_BYTES       12u
#define GAS_SPACE       0u
#define GAS_ADDRESS     4u
#define GAS_SPACE_IO    1u
/* clang-format on */

enum { SDT_BYTES_MAX = 1 << 20 };

static bool acpi_sum_is_zero(const uint8_t *at, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (uint8_t)(sum + at[i]);
    }
    return sum == 0;
}

const uint8_t *acpi_table(uint64_t address, const char *signature)
{
    if (address == 0) {
        return NULL;
    }
    const uint8_t *table = (const uint8_t *)(uintptr_t)address;
    uint32_t bytes = get_le32(table + SDT_LENGTH);
    bool good = memcmp(table, signature, 4) == 0 && bytes >= SDT_HEADER && bytes <= SDT_BYTES_MAX;
    return good ? table : NULL;
}

const uint8_t *acpi_fadt(const void *root_pointer)
{
    const uint8_t *rsdp = root_pointer;
    if (rsdp == NULL || memcmp(rsdp, "RSD PTR ", 8) != 0 ||
        !acpi_sum_is_zero(rsdp, RSDP_BYTES_V1)) {
        return NULL;
    }
    /* A version 1 pointer ends before the XSDT's address. */
    const uint8_t *root = NULL;
    size_t entry_bytes = 8;
    if (rsdp[RSDP_REVISION] >= 2 && get_le32(rsdp + RSDP_LENGTH) >= RSDP_BYTES_V2) {
        root = acpi_table(get_le64(rsdp + RSDP_XSDT), "XSDT");
    }
    if (root == NULL) {
        root = acpi_table(get_le32(rsdp + RSDP_RSDT), "RSDT");
        entry_bytes = 4;
    }
    if (root == NULL) {
        return NULL;
    }
    size_t bytes = get_le32(root + SDT_LENGTH);
    for (size_t at = SDT_HEADER; at + entry_bytes <= bytes; at += entry_bytes) {
        uint64_t address = entry_bytes == 8 ? get_le64(root + at) : get_le32(root + at);
        const uint8_t *fadt = acpi_table(address, "FACP");
        if (fadt != NULL) {
            return fadt;
        }
    }
    return NULL;
}

uint16_t acpi_pm_timer_port(const void *rsdp)
{
    const uint8_t *fadt = acpi_fadt(rsdp);
    if (fadt == NULL) {
        return 0;
    }
    size_t bytes = get_le32(fadt + SDT_LENGTH);
    if (bytes < FADT_FLAGS + 4 || fadt[FADT_PM_TMR_LEN] != 4 ||
        (get_le32(fadt + FADT_FLAGS) & FADT_HW_REDUCED)) {
        return 0;
    }
    uint64_t port = get_le32(fadt + FADT_PM_TMR_BLK);
    if (bytes >= FADT_X_PM_TMR + GAS_BYTES) {
        const uint8_t *gas = fadt + FADT_X_PM_TMR;
        uint64_t extended = get_le64(gas + GAS_ADDRESS);
        if (extended != 0) {
            port = gas[GAS_SPACE] == GAS_SPACE_IO ? extended : 0;
        }
    }
    return port <= UINT16_MAX ? (uint16_t)port : 0;
}
