/* Looking things up in the firmware's handle database, and the identifiers that takes. */
#include "boot/uefi/uefi.h"

/* Protocols of the UEFI specification come with GNU-EFI; Disk Info is of the Platform Initialization
 * specification (1.7 vol. 5, 6.1). */
const EFI_GUID uefi_guid_acpi10 = ACPI_TABLE_GUID;
const EFI_GUID uefi_guid_acpi20 = ACPI_20_TABLE_GUID;
const EFI_GUID uefi_guid_block_io = EFI_BLOCK_IO_PROTOCOL_GUID;
const EFI_GUID uefi_guid_device_path = EFI_DEVICE_PATH_PROTOCOL_GUID;
const EFI_GUID uefi_guid_disk_info = {
    0xd432a67f, 0x14dc, 0x484b, { 0xb3, 0xbb, 0x3f, 0x02, 0x91, 0x84, 0x93, 0x27 }
};
const EFI_GUID uefi_guid_disk_info_ahci = {
    0x9e498932, 0x4abc, 0x45af, { 0xa3, 0x4d, 0x02, 0x47, 0x78, 0x7b, 0xe7, 0xc6 }
};
const EFI_GUID uefi_guid_disk_info_ide = {
    0x5e948fe3, 0x26d3, 0x42b5, { 0xaf, 0x17, 0x61, 0x02, 0x87, 0x18, 0x8d, 0xec }
};
const EFI_GUID uefi_guid_file_info = EFI_FILE_INFO_ID;
const EFI_GUID uefi_guid_file_system_info = EFI_FILE_SYSTEM_INFO_ID;
const EFI_GUID uefi_guid_file_system = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
const EFI_GUID uefi_guid_global_variable = EFI_GLOBAL_VARIABLE;
const EFI_GUID uefi_guid_loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
const EFI_GUID uefi_guid_pci_io = EFI_PCI_IO_PROTOCOL_GUID;
const EFI_GUID uefi_guid_serial_io = EFI_SERIAL_IO_PROTOCOL_GUID;
const EFI_GUID uefi_guid_text_input_ex = EFI_SIMPLE_TEXT_INPUT_EX_PROTOCOL_GUID;

bool uefi_guid_equal(const EFI_GUID *a, const EFI_GUID *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

void *uefi_protocol(const struct uefi *u, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *interface = NULL;
    if (handle == NULL ||
        EFI_ERROR(u->bs->HandleProtocol(handle, (EFI_GUID *)(uintptr_t)guid, &interface))) {
        return NULL;
    }
    return interface;
}

size_t uefi_handles(const struct uefi *u, const EFI_GUID *guid, EFI_HANDLE **handles)
{
    UINTN count = 0;

    *handles = NULL;
    if (EFI_ERROR(u->bs->LocateHandleBuffer(ByProtocol, (EFI_GUID *)(uintptr_t)guid, NULL, &count,
                                            handles))) {
        *handles = NULL;
        return 0;
    }
    return count;
}

void uefi_free(const struct uefi *u, void *pool)
{
    if (pool != NULL) {
        u->bs->FreePool(pool);
    }
}

bool uefi_has_driver(const struct uefi *u, EFI_HANDLE handle, const EFI_GUID *guid)
{
    EFI_OPEN_PROTOCOL_INFORMATION_ENTRY *entry = NULL;
    UINTN count = 0;
    bool found = false;

    if (EFI_ERROR(
            u->bs->OpenProtocolInformation(handle, (EFI_GUID *)(uintptr_t)guid, &entry, &count))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        found |= (entry[i].Attributes & EFI_OPEN_PROTOCOL_BY_DRIVER) != 0;
    }
    uefi_free(u, entry);
    return found;
}
