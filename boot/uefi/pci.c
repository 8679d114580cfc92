/* PCI functions through the firmware's PCI I/O protocol (UEFI 2.10 14.4): finding them, their registers,
 * who owns them, and memory they can reach. */
#include "boot/uefi/uefi.h"

/* clang-format off */
/* PCI configuration header, offsets (PCI 3.0 6.1) */
#define PCI_ID          0x00u
#define PCI_COMMAND     0x04u /* with the status register above it */
#define PCI_CLASS       0x08u
#define PCI_BAR0        0x10u
#define PCI_BAR4        0x20u
#define PCI_BAR5        0x24u
#define PCI_SUBSYSTEM   0x2cu

#define COMMAND_MEMORY     (1u << 1)
#define COMMAND_BUS_MASTER (1u << 2)
#define COMMAND_INTX_OFF   (1u << 10)
#define COMMAND_MASK       0xffffu /* the status half is write-one-to-clear: never write it back */

#define BAR_IO          (1u << 0)
#define BAR_TYPE_MASK   0x7u
#define BAR_TYPE_64     0x4u /* memory, 64 bits: the next BAR is its upper half */
#define BAR_MEMORY_MASK 0xfffffff0u

#define CLASS_STORAGE   0x01u

/* QWORD address space descriptor, as GetBarAttributes() gives them (ACPI 6.4 6.4.3.5.1) */
#define DESC_QWORD      0x8au
#define DESC_TYPE       3u
#define DESC_MIN        14u
#define DESC_LENGTH     38u
#define DESC_BYTES      46u
#define DESC_MEMORY     0u
/* clang-format on */

enum { BARS = 6 };

#define FOUR_GIB (UINT64_C(1) << 32)

static uint32_t pci_config_read(EFI_PCI_IO_PROTOCOL *io, uint32_t offset)
{
    uint32_t value = UINT32_MAX;
    return EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, offset, 1, &value)) ? UINT32_MAX : value;
}

static void pci_config_write(EFI_PCI_IO_PROTOCOL *io, uint32_t offset, uint32_t value)
{
    io->Pci.Write(io, EfiPciIoWidthUint32, offset, 1, &value);
}

static uint32_t pci_command_read(EFI_PCI_IO_PROTOCOL *io)
{
    return pci_config_read(io, PCI_COMMAND) & COMMAND_MASK;
}

/* Address and length of one BAR in the protocol's own numbering; false when it is no memory BAR. */
static bool pci_bar_describe(const struct uefi *u, EFI_PCI_IO_PROTOCOL *io, uint8_t index,
                             uint64_t *address, uint64_t *bytes)
{
    void *resources = NULL;
    bool found = false;

    if (EFI_ERROR(io->GetBarAttributes(io, index, NULL, &resources)) || resources == NULL) {
        return false;
    }
    const uint8_t *d = resources;
    if (d[0] == DESC_QWORD && get_le16(d + 1) + 3u >= DESC_BYTES && d[DESC_TYPE] == DESC_MEMORY) {
        *address = get_le64(d + DESC_MIN);
        *bytes = get_le64(d + DESC_LENGTH);
        found = *bytes != 0;
    }
    uefi_free(u, resources);
    return found;
}

/* Size of BAR5 by writing ones to it (PCI 3.0 6.2.5.1), for firmware that does not tell. Memory decoding is
 * off meanwhile, and at the highest priority level no driver of the firmware can run and miss it. */
static uint64_t pci_bar5_probe_size(const struct uefi *u, EFI_PCI_IO_PROTOCOL *io)
{
    EFI_TPL before = u->bs->RaiseTPL(TPL_HIGH_LEVEL);
    uint32_t command = pci_command_read(io);
    uint32_t bar = pci_config_read(io, PCI_BAR5);

    pci_config_write(io, PCI_COMMAND, command & ~COMMAND_MEMORY);
    pci_config_write(io, PCI_BAR5, UINT32_MAX);
    uint32_t mask = pci_config_read(io, PCI_BAR5) & BAR_MEMORY_MASK;
    pci_config_write(io, PCI_BAR5, bar);
    pci_config_write(io, PCI_COMMAND, command);
    u->bs->RestoreTPL(before);
    return mask != 0 ? ~mask + UINT64_C(1) : 0;
}

/* Find the ABAR. Config offset 24h is what AHCI (1.3.1 2.1.11) means by BAR5; the protocol's index can be
 * another one, because some firmware counts a 64-bit BAR as one. */
static void pci_find_bar5(const struct uefi *u, struct uefi_function *fn, struct pci_function *out)
{
    uint32_t bar = pci_config_read(fn->io, PCI_BAR5);
    uint32_t bar4 = pci_config_read(fn->io, PCI_BAR4);

    if (bar == UINT32_MAX || (bar & BAR_IO) || (bar & BAR_MEMORY_MASK) == 0 ||
        (bar4 & BAR_TYPE_MASK) == BAR_TYPE_64) {
        return;
    }
    for (unsigned i = 0; i < BARS; i++) {
        uint8_t index = (uint8_t)(BARS - 1 - i);
        uint64_t address, bytes;
        if (pci_bar_describe(u, fn->io, index, &address, &bytes) &&
            (uint32_t)address == (bar & BAR_MEMORY_MASK)) {
            fn->bar_index = index;
            out->bar5_address = address;
            out->bar5_bytes = bytes;
            return;
        }
    }
    fn->bar_index = BARS - 1;
    out->bar5_address = bar & BAR_MEMORY_MASK;
    out->bar5_bytes = pci_bar5_probe_size(u, fn->io);
}

/* Direct access where it reads what the protocol reads; the protocol where it does not. */
static void pci_choose_access(struct uefi_function *fn, uint64_t address)
{
    volatile uint8_t *regs = (volatile uint8_t *)(uintptr_t)address;
    uint32_t by_protocol = 0;

    /* Offset 0 is CAP: constant, and reading it has no effect (AHCI 1.3.1 3.1.1). */
    if (EFI_ERROR(
            fn->io->Mem.Read(fn->io, EfiPciIoWidthUint32, fn->bar_index, 0, 1, &by_protocol))) {
        fn->regs = regs;
        return;
    }
    fn->regs = *(volatile uint32_t *)regs == by_protocol ? regs : NULL;
}

static struct uefi_function *pci_function_slot(struct uefi *u, EFI_HANDLE handle)
{
    for (unsigned i = 0; i < u->functions; i++) {
        if (u->function[i].handle == handle) {
            return &u->function[i];
        }
    }
    if (u->functions == UEFI_FUNCTIONS_MAX) {
        return NULL;
    }
    struct uefi_function *fn = &u->function[u->functions++];
    *fn = (struct uefi_function){ .handle = handle };
    return fn;
}

static void pci_describe(const struct uefi *u, struct uefi_function *fn, struct pci_function *out)
{
    UINTN segment = 0, bus = 0, device = 0, function = 0;
    uint32_t id = pci_config_read(fn->io, PCI_ID);
    uint32_t class = pci_config_read(fn->io, PCI_CLASS);
    uint32_t subsystem = pci_config_read(fn->io, PCI_SUBSYSTEM);

    fn->io->GetLocation(fn->io, &segment, &bus, &device, &function);
    *out = (struct pci_function){
        .at = { .segment = (uint16_t)segment,
                .bus = (uint8_t)bus,
                .device = (uint8_t)device,
                .function = (uint8_t)function },
        .vendor_id = (uint16_t)id,
        .device_id = (uint16_t)(id >> 16),
        .subsystem_vendor_id = (uint16_t)subsystem,
        .subsystem_id = (uint16_t)(subsystem >> 16),
        .class_base = (uint8_t)(class >> 24),
        .class_sub = (uint8_t)(class >> 16),
        .prog_if = (uint8_t)(class >> 8),
        .revision = (uint8_t) class,
        .handle = fn,
    };
    pci_find_bar5(u, fn, out);
    if (out->bar5_bytes == 0) {
        return;
    }
    /* Without a driver nobody may have switched the BAR on; reading it needs that. */
    if (!(pci_command_read(fn->io) & COMMAND_MEMORY)) {
        fn->io->Attributes(fn->io, EfiPciIoAttributeOperationEnable, EFI_PCI_IO_ATTRIBUTE_MEMORY,
                           NULL);
    }
    pci_choose_access(fn, out->bar5_address);
}

static size_t uefi_pci_scan(struct platform *p, struct pci_function *out, size_t cap)
{
    struct uefi *u = uefi_of(p);
    EFI_HANDLE *handles;
    size_t count = uefi_handles(u, &uefi_guid_pci_io, &handles);
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        EFI_PCI_IO_PROTOCOL *io = uefi_protocol(u, handles[i], &uefi_guid_pci_io);
        if (io == NULL || pci_config_read(io, PCI_CLASS) >> 24 != CLASS_STORAGE) {
            continue;
        }
        struct uefi_function *fn = pci_function_slot(u, handles[i]);
        if (fn == NULL || found >= cap) {
            found++;
            continue;
        }
        fn->io = io;
        if (!fn->taken) {
            /* Also where a driver is on it already: with a fast boot it may drive the boot disk only, and
             * this makes it look for the others. Nothing happens where there is nothing more to find. */
            u->bs->ConnectController(fn->handle, NULL, NULL, TRUE);
        }
        pci_describe(u, fn, &out[found++]);
    }
    uefi_free(u, handles);
    return found;
}

static uint32_t uefi_pci_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    const struct uefi_function *fn = f->handle;
    (void)p;
    return pci_config_read(fn->io, offset);
}

static void uefi_pci_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                             uint32_t value)
{
    const struct uefi_function *fn = f->handle;
    (void)p;
    pci_config_write(fn->io, offset, value);
}

static uint32_t uefi_mmio_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    const struct uefi_function *fn = f->handle;
    uint32_t value = UINT32_MAX;

    (void)p;
    ASSERT(offset % 4 == 0 && offset < f->bar5_bytes);
    if (fn->regs != NULL) {
        return *(const volatile uint32_t *)(fn->regs + offset);
    }
    fn->io->Mem.Read(fn->io, EfiPciIoWidthUint32, fn->bar_index, offset, 1, &value);
    return value;
}

static void uefi_mmio_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                              uint32_t value)
{
    const struct uefi_function *fn = f->handle;

    (void)p;
    ASSERT(offset % 4 == 0 && offset < f->bar5_bytes);
    if (fn->regs != NULL) {
        /* The memory clobbers keep what the controller is about to read from memory in front of the
         * register write that makes it read; x86 itself keeps that order. */
        __asm__ volatile("" : : : "memory");
        *(volatile uint32_t *)(fn->regs + offset) = value;
        __asm__ volatile("" : : : "memory");
        return;
    }
    fn->io->Mem.Write(fn->io, EfiPciIoWidthUint32, fn->bar_index, offset, 1, &value);
}

/* Memory decoding and bus mastering on, legacy interrupt off. False when the function does not obey. */
static bool pci_enable(EFI_PCI_IO_PROTOCOL *io)
{
    const uint32_t wanted = COMMAND_MEMORY | COMMAND_BUS_MASTER;

    io->Attributes(io, EfiPciIoAttributeOperationEnable,
                   EFI_PCI_IO_ATTRIBUTE_MEMORY | EFI_PCI_IO_ATTRIBUTE_BUS_MASTER, NULL);
    pci_config_write(io, PCI_COMMAND, pci_command_read(io) | wanted | COMMAND_INTX_OFF);
    return (pci_command_read(io) & wanted) == wanted;
}

static enum err uefi_take_over(struct platform *p, const struct pci_function *f)
{
    struct uefi *u = uefi_of(p);
    struct uefi_function *fn = f->handle;
    EFI_GUID guid = uefi_guid_pci_io;
    void *interface = NULL;

    if (fn->taken) {
        return OK;
    }
    fn->had_driver = uefi_has_driver(u, fn->handle, &guid);
    /* Refused by a driver that cannot stop; then some of its children may be gone already. */
    if (EFI_ERROR(u->bs->DisconnectController(fn->handle, NULL, NULL))) {
        u->bs->ConnectController(fn->handle, NULL, NULL, TRUE);
        return ERR_BUSY;
    }
    /* Holding the protocol as a driver keeps others from connecting while we run. */
    if (EFI_ERROR(u->bs->OpenProtocol(fn->handle, &guid, &interface, u->image, fn->handle,
                                      EFI_OPEN_PROTOCOL_BY_DRIVER | EFI_OPEN_PROTOCOL_EXCLUSIVE))) {
        u->bs->ConnectController(fn->handle, NULL, NULL, TRUE);
        return ERR_BUSY;
    }
    fn->io = interface;
    fn->taken = true;
    fn->command_found = pci_command_read(fn->io);
    if (!pci_enable(fn->io)) {
        p->hand_back(p, f);
        return ERR_BUSY;
    }
    if (f->bar5_bytes != 0) {
        pci_choose_access(fn, f->bar5_address);
    }
    return OK;
}

static enum err pci_hand_back(struct uefi *u, struct uefi_function *fn)
{
    EFI_GUID guid = uefi_guid_pci_io;

    if (!fn->taken) {
        return OK;
    }
    fn->taken = false;
    /* As found, but with bus mastering off whatever was found: a port somebody forgot to stop cannot write
     * into freed memory then. The driver switches it on when it is ready. */
    pci_config_write(fn->io, PCI_COMMAND, fn->command_found & ~COMMAND_BUS_MASTER);
    u->bs->CloseProtocol(fn->handle, &guid, u->image, fn->handle);
    EFI_STATUS status = u->bs->ConnectController(fn->handle, NULL, NULL, TRUE);
    return EFI_ERROR(status) && fn->had_driver ? ERR_IO : OK;
}

static enum err uefi_hand_back(struct platform *p, const struct pci_function *f)
{
    return pci_hand_back(uefi_of(p), f->handle);
}

void uefi_pci_hand_back_all(struct uefi *u)
{
    for (unsigned i = 0; i < u->functions; i++) {
        pci_hand_back(u, &u->function[i]);
    }
}

void uefi_pci_stop_dma(struct uefi *u)
{
    for (unsigned i = 0; i < u->functions; i++) {
        struct uefi_function *fn = &u->function[i];
        if (fn->taken) {
            pci_config_write(fn->io, PCI_COMMAND, pci_command_read(fn->io) & ~COMMAND_BUS_MASTER);
        }
    }
}

static enum err uefi_dma_alloc(struct platform *p, const struct pci_function *f, size_t bytes,
                               struct dma_buffer *out)
{
    const struct uefi_function *fn = f->handle;
    EFI_PCI_IO_PROTOCOL *io = fn->io;
    UINTN pages = EFI_SIZE_TO_PAGES(bytes);
    UINTN mapped = bytes;
    EFI_PHYSICAL_ADDRESS bus = 0;
    void *cpu = NULL;
    void *mapping = NULL;

    (void)p;
    ASSERT(fn->taken && bytes > 0);
    /* No attributes: ordinary cached memory. Dual address cycles are never enabled for the function, so
     * that this memory lies below 4 GiB (UEFI 2.10 14.4, AllocateBuffer). */
    if (EFI_ERROR(io->AllocateBuffer(io, AllocateAnyPages, EfiBootServicesData, pages, &cpu, 0))) {
        return ERR_NO_MEMORY;
    }
    if (EFI_ERROR(
            io->Map(io, EfiPciIoOperationBusMasterCommonBuffer, cpu, &mapped, &bus, &mapping))) {
        io->FreeBuffer(io, pages, cpu);
        return ERR_NO_MEMORY;
    }
    if (mapped < bytes || bus > FOUR_GIB - bytes || bus % EFI_PAGE_SIZE != 0) {
        io->Unmap(io, mapping);
        io->FreeBuffer(io, pages, cpu);
        return ERR_NO_MEMORY;
    }
    memset(cpu, 0, bytes);
    *out = (struct dma_buffer){ .cpu = cpu, .bus = bus, .bytes = bytes, .handle = mapping };
    return OK;
}

static void uefi_dma_free(struct platform *p, const struct pci_function *f,
                          struct dma_buffer *buffer)
{
    const struct uefi_function *fn = f->handle;

    (void)p;
    if (buffer->cpu == NULL) {
        return;
    }
    fn->io->Unmap(fn->io, buffer->handle);
    fn->io->FreeBuffer(fn->io, EFI_SIZE_TO_PAGES(buffer->bytes), buffer->cpu);
    *buffer = (struct dma_buffer){ .cpu = NULL };
}

void uefi_pci_init(struct uefi *u)
{
    struct platform *p = &u->plat;

    p->pci_scan = uefi_pci_scan;
    p->pci_read32 = uefi_pci_read32;
    p->pci_write32 = uefi_pci_write32;
    p->mmio_read32 = uefi_mmio_read32;
    p->mmio_write32 = uefi_mmio_write32;
    p->take_over = uefi_take_over;
    p->hand_back = uefi_hand_back;
    p->dma_alloc = uefi_dma_alloc;
    p->dma_free = uefi_dma_free;
}
