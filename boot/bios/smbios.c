/* The firmware's name and version from its SMBIOS tables. */
#include "boot/bios/bios.h"
#include "lib/text.h"

#define MAPPED_END (UINT64_C(1) << 32)

/* String `number` (1 = first) of the SMBIOS structure at [at, end); NULL when it has none. */
static const char *smbios_string(const uint8_t *at, const uint8_t *end, uint8_t number, size_t *n)
{
    const uint8_t *s = at + at[1];
    for (; number > 0 && s < end && *s != '\0'; number--) {
        const uint8_t *stop = s;
        while (stop < end && *stop != '\0') {
            stop++;
        }
        if (number == 1) {
            *n = (size_t)(stop - s);
            return (const char *)s;
        }
        s = stop + 1;
    }
    return NULL;
}

/* SMBIOS 3.6, 5.2.1 (entry point) and 7.1 (type 0, which by convention stands first). */
void smbios_firmware(struct platform_info *info)
{
    enum { ENTRY_BYTES = 31, TABLE_LENGTH = 22, TABLE_ADDRESS = 24 };
    const uint8_t *anchor = find_anchor(0xf0000, 0x10000, "_SM_", ENTRY_BYTES);
    if (anchor == NULL) {
        return;
    }
    uint32_t length = get_le16(anchor + TABLE_LENGTH);
    uint64_t address = get_le32(anchor + TABLE_ADDRESS);
    if (address == 0 || address + length > MAPPED_END) {
        return;
    }
    const uint8_t *at = phys(address);
    const uint8_t *end = at + length;
    while (end - at >= 8 && at[0] != 127 && at[1] >= 4) {
        if (at[0] == 0 && at + at[1] < end) {
            size_t n = 0;
            const char *s = smbios_string(at, end, at[4], &n);
            if (s != NULL) {
                text_copy_trimmed(info->firmware_vendor, sizeof(info->firmware_vendor), s, n);
            }
            s = smbios_string(at, end, at[5], &n);
            if (s != NULL) {
                text_copy_trimmed(info->firmware_revision, sizeof(info->firmware_revision), s, n);
            }
            return;
        }
        at += at[1];
        while (end - at >= 2 && (at[0] != 0 || at[1] != 0)) {
            at++;
        }
        at += 2;
    }
}
