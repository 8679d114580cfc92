/* What the firmware's tables in low memory say beyond the PM timer (that is boot/acpi.c's): soft-off, reset, the
 * RTC's century. Addresses are checked against the 4 GiB that are mapped before they are followed. */
#include "boot/acpi.h"
#include "boot/bios/bios.h"

enum {
    BDA_EBDA_SEGMENT = 0x40e, /* BIOS data area: segment of the extended one */
    EBDA_FIRST_MIN = 0x400,
    EBDA_SEARCH_BYTES = 1024,
    BASE_MEMORY_END = 0xa0000,
    ROM_FIRST = 0xe0000,
    ROM_END = 0x100000,
    RSDP_BYTES_V1 = 20,
    RSDP_REVISION = 15,
    RSDP_RSDT = 16,
    RSDP_XSDT = 24,
    SDT_LENGTH = 4,
    SDT_HEADER = 36,
};

/* Fixed ACPI Description Table (ACPI 6.4, 5.2.9). */
enum {
    FADT_DSDT = 40,
    FADT_SMI_CMD = 48,
    FADT_ACPI_ENABLE = 52,
    FADT_PM1A_CNT = 64,
    FADT_PM1B_CNT = 68,
    FADT_CENTURY = 108,
    FADT_FLAGS = 112,
    FADT_RESET_REG = 116, /* generic address structure: space, width, offset, size, address */
    FADT_RESET_ADDRESS = 120,
    FADT_RESET_VALUE = 128,
    FADT_X_DSDT = 140,
};
#define FADT_FLAG_RESET (1u << 10)
#define GAS_SYSTEM_IO   1
#define MAPPED_END      (UINT64_C(1) << 32)

static bool sums_to_zero(const uint8_t *at, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (uint8_t)(sum + at[i]);
    }
    return sum == 0;
}

const uint8_t *find_anchor(uint64_t first, size_t bytes, const char *signature, size_t checked)
{
    for (size_t at = 0; at + checked <= bytes; at += 16) {
        const uint8_t *candidate = phys(first + at);
        if (memcmp(candidate, signature, strlen(signature)) == 0 &&
            sums_to_zero(candidate, checked)) {
            return candidate;
        }
    }
    return NULL;
}

/* Does the XSDT, with everything it names, lie below 4 GiB? (What the RSDT names does: it has 32-bit
 * addresses.) */
static bool xsdt_is_mapped(const uint8_t *rsdp)
{
    uint64_t address = get_le64(rsdp + RSDP_XSDT);
    const uint8_t *xsdt = address < MAPPED_END ? acpi_table(address, "XSDT") : NULL;
    if (xsdt == NULL) {
        return address < MAPPED_END;
    }
    uint32_t bytes = get_le32(xsdt + SDT_LENGTH);
    for (uint32_t at = SDT_HEADER; at + 8 <= bytes; at += 8) {
        if (get_le64(xsdt + at) >= MAPPED_END) {
            return false;
        }
    }
    return true;
}

/* ACPI 6.4, 5.2.5.1: first KiB of the EBDA, then E0000h-FFFFFh. */
const uint8_t *find_rsdp(void)
{
    const char *signature = "RSD PTR ";
    uint64_t ebda = (uint64_t)get_le16(phys(BDA_EBDA_SEGMENT)) << 4;
    const uint8_t *rsdp = NULL;
    if (ebda >= EBDA_FIRST_MIN && ebda <= BASE_MEMORY_END - EBDA_SEARCH_BYTES) {
        rsdp = find_anchor(ebda, EBDA_SEARCH_BYTES, signature, RSDP_BYTES_V1);
    }
    if (rsdp == NULL) {
        rsdp = find_anchor(ROM_FIRST, ROM_END - ROM_FIRST, signature, RSDP_BYTES_V1);
    }
    bool usable = rsdp != NULL && (rsdp[RSDP_REVISION] < 2 || xsdt_is_mapped(rsdp));
    return usable ? rsdp : NULL;
}

/* One small integer of an AML package (ACPI 6.4, 20.2.3); false when it is anything else. */
static bool aml_small_integer(const uint8_t **at, uint8_t *value)
{
    enum { AML_ZERO = 0x00, AML_ONE = 0x01, AML_BYTE = 0x0a };
    const uint8_t *s = *at;
    if (s[0] != AML_ZERO && s[0] != AML_ONE && s[0] != AML_BYTE) {
        return false;
    }
    *value = s[0] == AML_BYTE ? s[1] : s[0];
    *at = s + (s[0] == AML_BYTE ? 2 : 1);
    return true;
}

/* \_S5 by its bytes, without an AML interpreter: its name, then a package whose first two elements are the sleep
 * types (ACPI 6.4, 7.4.2 and 20.2). */
static void find_s5(struct bios_power *power, const uint8_t *dsdt)
{
    enum { AML_PACKAGE = 0x12, S5_BYTES_MAX = 14, SLEEP_TYPE_MAX = 7 };
    uint32_t length = get_le32(dsdt + SDT_LENGTH);
    for (uint32_t i = SDT_HEADER; i + S5_BYTES_MAX <= length; i++) {
        const uint8_t *at = dsdt + i;
        if (memcmp(at, "_S5_", 4) != 0 || at[4] != AML_PACKAGE) {
            continue;
        }
        at += 5;
        at += 1 + (at[0] >> 6); /* the package's length: its lead byte counts those that follow */
        at += 1;                /* number of elements */
        uint8_t a = 0;
        uint8_t b = 0;
        if (aml_small_integer(&at, &a) && aml_small_integer(&at, &b) && a <= SLEEP_TYPE_MAX &&
            b <= SLEEP_TYPE_MAX) {
            power->has_s5 = true;
            power->s5_type_a = a;
            power->s5_type_b = b;
            return;
        }
    }
}

static uint16_t io_port(const uint8_t *at)
{
    uint32_t value = get_le32(at);
    return value <= UINT16_MAX ? (uint16_t)value : 0;
}

void read_power(const uint8_t *rsdp, struct bios_power *power)
{
    *power = (struct bios_power){ 0 };
    const uint8_t *fadt = acpi_fadt(rsdp);
    uint32_t length = fadt != NULL ? get_le32(fadt + SDT_LENGTH) : 0;
    if (length < FADT_FLAGS + 4) {
        return;
    }
    power->pm1a_control = io_port(fadt + FADT_PM1A_CNT);
    power->pm1b_control = io_port(fadt + FADT_PM1B_CNT);
    power->smi_command = io_port(fadt + FADT_SMI_CMD);
    power->acpi_enable = fadt[FADT_ACPI_ENABLE];
    power->rtc_century = fadt[FADT_CENTURY];
    if ((get_le32(fadt + FADT_FLAGS) & FADT_FLAG_RESET) != 0 && length > FADT_RESET_VALUE &&
        fadt[FADT_RESET_REG] == GAS_SYSTEM_IO) {
        power->reset_port = io_port(fadt + FADT_RESET_ADDRESS);
        power->reset_value = fadt[FADT_RESET_VALUE];
    }
    uint64_t address = get_le32(fadt + FADT_DSDT);
    if (address == 0 && length >= FADT_X_DSDT + 8) {
        address = get_le64(fadt + FADT_X_DSDT);
    }
    const uint8_t *dsdt = address < MAPPED_END ? acpi_table(address, "DSDT") : NULL;
    if (dsdt != NULL) {
        find_s5(power, dsdt);
    }
}
