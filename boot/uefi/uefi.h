/* What the files of the UEFI platform share. Nothing outside this folder includes it.
 *
 * Memory: everything is in one static context; the only allocations are the firmware's own buffers, which
 * are freed where they are asked for, and DMA memory. Firmware handles and interfaces are looked up again
 * each time they are needed, because taking a controller over and giving it back replaces them. */
#ifndef BOOT_UEFI_UEFI_H
#define BOOT_UEFI_UEFI_H

#include <efi.h>

#include "boot/clock.h"
#include "boot/devpath.h"
#include "boot/platform.h"
#include "boot/uart.h"

enum {
    UEFI_FUNCTIONS_MAX = 64,
    UEFI_PATH_MAX = 256, /* characters of a file's path, with the NUL */
};

/* One PCI function of mass-storage class; struct pci_function.handle points here. */
struct uefi_function {
    EFI_HANDLE handle;
    EFI_PCI_IO_PROTOCOL *io;
    volatile uint8_t *regs; /* BAR5 as the CPU sees it; NULL: only through io->Mem */
    uint8_t bar_index;      /* BAR5 in the numbering of io->Mem */
    bool taken;
    bool had_driver;        /* a firmware driver was on it when it was taken */
    uint32_t command_found; /* PCI command register when it was taken, after the driver had left */
};

struct uefi {
    struct platform plat;
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_LOADED_IMAGE_PROTOCOL *loaded; /* NULL: the firmware does not say how we were started */
    /* Path of the device we were started from, copied: its handle goes away with the firmware's driver. */
    uint8_t boot_path[DEVPATH_BYTES_MAX];
    bool boot_path_known;
    struct clock clock;
    struct uart uart;
    EFI_EVENT key_timer;
    unsigned functions;
    struct uefi_function function[UEFI_FUNCTIONS_MAX];
    bool panicking;
};

extern const EFI_GUID uefi_guid_acpi10;
extern const EFI_GUID uefi_guid_acpi20;
extern const EFI_GUID uefi_guid_block_io;
extern const EFI_GUID uefi_guid_device_path;
extern const EFI_GUID uefi_guid_disk_info;
extern const EFI_GUID uefi_guid_disk_info_ahci;
extern const EFI_GUID uefi_guid_disk_info_ide;
extern const EFI_GUID uefi_guid_file_info;
extern const EFI_GUID uefi_guid_file_system;
extern const EFI_GUID uefi_guid_file_system_info;
extern const EFI_GUID uefi_guid_global_variable;
extern const EFI_GUID uefi_guid_loaded_image;
extern const EFI_GUID uefi_guid_pci_io;
extern const EFI_GUID uefi_guid_serial_io;
extern const EFI_GUID uefi_guid_text_input_ex;

static inline struct uefi *uefi_of(const struct platform *p)
{
    return p->context;
}

/* The interface of a protocol on a handle; NULL when it is not there (also when the handle is gone). */
void *uefi_protocol(const struct uefi *u, EFI_HANDLE handle, const EFI_GUID *guid);

/* All handles with a protocol. Returns how many; *handles must be given to uefi_free() (NULL when none). */
size_t uefi_handles(const struct uefi *u, const EFI_GUID *guid, EFI_HANDLE **handles);
void uefi_free(const struct uefi *u, void *pool);

/* Is the protocol on this handle opened by a driver of the firmware? */
bool uefi_has_driver(const struct uefi *u, EFI_HANDLE handle, const EFI_GUID *guid);

bool uefi_guid_equal(const EFI_GUID *a, const EFI_GUID *b);

/* Each file fills its part of u->plat. */
void uefi_pci_init(struct uefi *u);
void uefi_firmware_io_init(struct uefi *u);
void uefi_console_init(struct uefi *u);
void uefi_serial_init(struct uefi *u);
void uefi_files_init(struct uefi *u);
void uefi_clock_init(struct uefi *u);

/* Give every controller still taken back to the firmware. */
void uefi_pci_hand_back_all(struct uefi *u);

/* Stop every controller still taken from reaching memory; touches nothing else. */
void uefi_pci_stop_dma(struct uefi *u);

void uefi_console_close(struct uefi *u);

#endif
