/* The firmware as the second judge: its IDENTIFY data (Disk Info, PI 1.7 vol. 5 6.1) and its reads (Block
 * I/O, UEFI 2.10 13.9) for the disk on one port; and where the boot medium is. */
#include "boot/uefi/uefi.h"

/* GNU-EFI has no header for this protocol. */
struct disk_info {
    EFI_GUID interface; /* what the data below are: only the two ATA kinds are IDENTIFY DEVICE */
    EFI_STATUS(EFIAPI *inquiry)(struct disk_info *self, void *data, UINT32 *bytes);
    EFI_STATUS(EFIAPI *identify)(struct disk_info *self, void *data, UINT32 *bytes);
    EFI_STATUS(EFIAPI *sense_data)(struct disk_info *self, void *data, UINT32 *bytes, UINT8 *count);
    EFI_STATUS(EFIAPI *which_ide)(struct disk_info *self, UINT32 *channel, UINT32 *device);
};

enum {
    IDENTIFY_BYTES = 512,
    IDENTIFY_NOT_ATA =
        0x80, /* word 0 bit 15, here in byte 1: set by ATAPI devices (ACS-3 7.12.7.2) */
    IDENTIFY_CFA = 0x848a, /* word 0 of a CompactFlash card, which is an ATA disk all the same */
};

/* The Block I/O handle of the whole disk behind a port, or NULL. */
static EFI_HANDLE firmware_find_disk(const struct uefi *u, const struct uefi_function *fn,
                                     unsigned port)
{
    const void *controller = uefi_protocol(u, fn->handle, &uefi_guid_device_path);
    EFI_HANDLE *handles;
    size_t count = uefi_handles(u, &uefi_guid_block_io, &handles);
    EFI_HANDLE found = NULL;

    for (size_t i = 0; i < count && found == NULL; i++) {
        const void *path = uefi_protocol(u, handles[i], &uefi_guid_device_path);
        const EFI_BLOCK_IO_PROTOCOL *block = uefi_protocol(u, handles[i], &uefi_guid_block_io);
        if (block != NULL && !block->Media->LogicalPartition &&
            devpath_is_disk(path, controller, port)) {
            found = handles[i];
        }
    }
    uefi_free(u, handles);
    return found;
}

static enum err uefi_fw_identify(struct platform *p, const struct pci_function *f, unsigned port,
                                 uint8_t out[512])
{
    struct uefi *u = uefi_of(p);
    EFI_HANDLE disk = firmware_find_disk(u, f->handle, port);
    struct disk_info *info = uefi_protocol(u, disk, &uefi_guid_disk_info);
    uint8_t data[IDENTIFY_BYTES];
    UINT32 bytes = sizeof(data);

    if (info == NULL || (!uefi_guid_equal(&info->interface, &uefi_guid_disk_info_ahci) &&
                         !uefi_guid_equal(&info->interface, &uefi_guid_disk_info_ide))) {
        return ERR_NOT_FOUND;
    }
    if (EFI_ERROR(info->identify(info, data, &bytes)) || bytes != sizeof(data)) {
        return ERR_NOT_FOUND;
    }
    if ((data[1] & IDENTIFY_NOT_ATA) && get_le16(data) != IDENTIFY_CFA) {
        return ERR_NOT_FOUND;
    }
    memcpy(out, data, sizeof(data));
    return OK;
}

static enum err uefi_fw_read(struct platform *p, const struct pci_function *f, unsigned port,
                             uint64_t lba, uint32_t count, uint32_t sector_bytes, void *buf)
{
    struct uefi *u = uefi_of(p);
    EFI_HANDLE disk = firmware_find_disk(u, f->handle, port);
    EFI_BLOCK_IO_PROTOCOL *block = uefi_protocol(u, disk, &uefi_guid_block_io);

    if (block == NULL || !block->Media->MediaPresent) {
        return ERR_NOT_FOUND;
    }
    const EFI_BLOCK_IO_MEDIA *media = block->Media;
    if (media->BlockSize != sector_bytes || count == 0 || lba > media->LastBlock ||
        count - 1 > media->LastBlock - lba) {
        return ERR_IO;
    }
    size_t bytes = (size_t)count * sector_bytes;
    if (media->IoAlign <= 1 || (uintptr_t)buf % media->IoAlign == 0) {
        return EFI_ERROR(block->ReadBlocks(block, media->MediaId, lba, bytes, buf)) ? ERR_IO : OK;
    }
    /* Pages satisfy any alignment the specification allows for. */
    EFI_PHYSICAL_ADDRESS pages = 0;
    if (media->IoAlign > EFI_PAGE_SIZE ||
        EFI_ERROR(u->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, EFI_SIZE_TO_PAGES(bytes),
                                       &pages))) {
        return ERR_IO;
    }
    void *bounce = (void *)(uintptr_t)pages;
    enum err err =
        EFI_ERROR(block->ReadBlocks(block, media->MediaId, lba, bytes, bounce)) ? ERR_IO : OK;
    if (err == OK) {
        memcpy(buf, bounce, bytes);
    }
    u->bs->FreePages(pages, EFI_SIZE_TO_PAGES(bytes));
    return err;
}

static enum boot_medium uefi_boot_medium(struct platform *p, const struct pci_function *f,
                                         unsigned port)
{
    const struct uefi *u = uefi_of(p);
    const struct uefi_function *fn = f->handle;
    const void *controller = uefi_protocol(u, fn->handle, &uefi_guid_device_path);

    return devpath_boot_port(u->boot_path_known ? u->boot_path : NULL, controller, port);
}

static enum boot_medium uefi_boot_controller(struct platform *p, const struct pci_function *f)
{
    const struct uefi *u = uefi_of(p);
    const struct uefi_function *fn = f->handle;
    const void *controller = uefi_protocol(u, fn->handle, &uefi_guid_device_path);

    return devpath_boot_controller(u->boot_path_known ? u->boot_path : NULL, controller);
}

void uefi_firmware_io_init(struct uefi *u)
{
    struct platform *p = &u->plat;
    EFI_HANDLE device = u->loaded != NULL ? u->loaded->DeviceHandle : NULL;
    const void *path = uefi_protocol(u, device, &uefi_guid_device_path);

    if (path != NULL && devpath_bytes(path) != 0) {
        memcpy(u->boot_path, path, devpath_bytes(path));
        u->boot_path_known = true;
    }
    p->info.has_firmware_io = true;
    p->fw_identify = uefi_fw_identify;
    p->fw_read = uefi_fw_read;
    p->boot_medium = uefi_boot_medium;
    p->boot_controller = uefi_boot_controller;
}
