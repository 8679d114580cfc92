/* PCI by configuration mechanism #1, ports CF8h and CFCh (PCI Local Bus 3.0, 3.2.2.3.2). Every chipset with AHCI
 * has it, also those without a memory-mapped window, and it reaches all of segment 0. */
#include "boot/bios/bios.h"
#include "boot/port_io.h"

enum {
    CONFIG_ADDRESS = 0xcf8,
    CONFIG_DATA = 0xcfc,
};
#define CONFIG_ENABLE 0x80000000u

/* Configuration header (PCI Local Bus 3.0, 6.1). */
enum {
    PCI_ID = 0x00,
    PCI_COMMAND = 0x04, /* status in the upper half */
    PCI_CLASS = 0x08,
    PCI_HEADER_TYPE = 0x0c, /* in the third byte */
    PCI_BAR5 = 0x24,
    PCI_SUBSYSTEM = 0x2c,
};
#define COMMAND_MEMORY     0x0002u
#define COMMAND_MASTER     0x0004u
#define COMMAND_INTX_OFF   0x0400u
#define COMMAND_MASK       0xffffu /* the status half is write-1-to-clear: always write zeros there */
#define HEADER_TYPE_MASK   0x7fu
#define HEADER_MULTI       0x80u
#define BAR_IO             0x1u
#define BAR_FLAGS          0xfu
#define CLASS_MASS_STORAGE 0x01u

enum {
    BUSES = 256,
    DEVICES = 32,
    FUNCTIONS = 8,
};

static void select(const struct pci_address *at, uint32_t offset)
{
    outl(CONFIG_ADDRESS, CONFIG_ENABLE | (uint32_t)at->bus << 16 | (uint32_t)at->device << 11 |
                             (uint32_t)at->function << 8 | (offset & 0xfc));
}

static uint32_t config_read(const struct pci_address *at, uint32_t offset)
{
    select(at, offset);
    return inl(CONFIG_DATA);
}

static void config_write(const struct pci_address *at, uint32_t offset, uint32_t value)
{
    select(at, offset);
    outl(CONFIG_DATA, value);
}

static void command_write(const struct pci_address *at, uint32_t command)
{
    config_write(at, PCI_COMMAND, command & COMMAND_MASK);
}

/* BAR5's address, and its size by writing ones and reading what sticks (PCI Local Bus 3.0, 6.2.5.1). Memory
 * decode is off meanwhile, so the window never shows up where the ones point to; all is put back. */
static void measure_bar5(struct pci_function *f)
{
    uint32_t bar = config_read(&f->at, PCI_BAR5);
    if ((bar & BAR_IO) != 0 || (bar & ~BAR_FLAGS) == 0) {
        return;
    }
    uint32_t command = config_read(&f->at, PCI_COMMAND);
    command_write(&f->at, command & ~COMMAND_MEMORY);
    config_write(&f->at, PCI_BAR5, UINT32_MAX);
    uint32_t sticks = config_read(&f->at, PCI_BAR5) & ~BAR_FLAGS;
    config_write(&f->at, PCI_BAR5, bar);
    command_write(&f->at, command);
    if (sticks == 0 || config_read(&f->at, PCI_BAR5) != bar) {
        return;
    }
    uint64_t bytes = (uint64_t)(~sticks) + 1;
    uint64_t address = bar & ~BAR_FLAGS;
    if (address % bytes != 0 || address + bytes > UINT64_C(1) << 32) {
        return; /* what stuck is no size */
    }
    f->bar5_address = address;
    f->bar5_bytes = bytes;
}

/* Fill *f when `at` is a mass-storage function. *header is its header type byte; false for nothing there. */
static bool look(const struct pci_address *at, struct pci_function *f, bool *is_storage,
                 uint8_t *header)
{
    uint32_t id = config_read(at, PCI_ID);
    if ((id & 0xffff) == 0xffff || id == 0) {
        return false;
    }
    uint32_t class_code = config_read(at, PCI_CLASS);
    *header = (uint8_t)(config_read(at, PCI_HEADER_TYPE) >> 16);
    *is_storage = class_code >> 24 == CLASS_MASS_STORAGE && (*header & HEADER_TYPE_MASK) == 0;
    if (!*is_storage) {
        return true;
    }
    uint32_t subsystem = config_read(at, PCI_SUBSYSTEM);
    *f = (struct pci_function){
        .at = *at,
        .vendor_id = (uint16_t)id,
        .device_id = (uint16_t)(id >> 16),
        .subsystem_vendor_id = (uint16_t)subsystem,
        .subsystem_id = (uint16_t)(subsystem >> 16),
        .class_base = (uint8_t)(class_code >> 24),
        .class_sub = (uint8_t)(class_code >> 16),
        .prog_if = (uint8_t)(class_code >> 8),
        .revision = (uint8_t)class_code,
    };
    measure_bar5(f);
    return true;
}

/* Every bus number is asked, not only those that bridges name: boards with several host bridges have buses no
 * bridge leads to. 8192 reads, some 20 ms. */
size_t bios_pci_scan(struct platform *p, struct pci_function *out, size_t cap)
{
    (void)p;
    size_t found = 0;
    for (unsigned slot = 0; slot < BUSES * DEVICES; slot++) {
        unsigned functions = 1;
        for (unsigned n = 0; n < functions; n++) {
            struct pci_address at = { .bus = (uint8_t)(slot / DEVICES),
                                      .device = (uint8_t)(slot % DEVICES),
                                      .function = (uint8_t)n };
            struct pci_function f;
            bool is_storage = false;
            uint8_t header = 0;
            if (!look(&at, &f, &is_storage, &header)) {
                continue;
            }
            if (n == 0 && (header & HEADER_MULTI) != 0) {
                functions = FUNCTIONS;
            }
            if (is_storage && found++ < cap) {
                out[found - 1] = f;
            }
        }
    }
    return found;
}

uint32_t bios_pci_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    (void)p;
    return config_read(&f->at, offset);
}

void bios_pci_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                      uint32_t value)
{
    (void)p;
    config_write(&f->at, offset, value);
}

uint32_t bios_mmio_read32(struct platform *p, const struct pci_function *f, uint32_t offset)
{
    (void)p;
    ASSERT(offset % 4 == 0 && offset + 4 <= f->bar5_bytes);
    return *(volatile uint32_t *)phys(f->bar5_address + offset);
}

void bios_mmio_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                       uint32_t value)
{
    (void)p;
    ASSERT(offset % 4 == 0 && offset + 4 <= f->bar5_bytes);
    *(volatile uint32_t *)phys(f->bar5_address + offset) = value;
}

static bool same_address(const struct pci_address *a, const struct pci_address *b)
{
    return a->segment == b->segment && a->bus == b->bus && a->device == b->device &&
           a->function == b->function;
}

static struct bios_taken *find_taken(const struct pci_address *at)
{
    for (size_t i = 0; i < ARRAY_LEN(bios.taken); i++) {
        struct bios_taken *t = &bios.taken[i];
        if (t->is_taken && same_address(&t->at, at)) {
            return t;
        }
    }
    return NULL;
}

static struct bios_taken *free_taken(void)
{
    for (size_t i = 0; i < ARRAY_LEN(bios.taken); i++) {
        if (!bios.taken[i].is_taken) {
            return &bios.taken[i];
        }
    }
    return NULL;
}

/* No driver has to be stopped here: the BIOS touches the controller only inside INT 13h, which nobody calls.
 * Its port state is the AHCI layer's to keep and put back. */
enum err bios_take_over(struct platform *p, const struct pci_function *f)
{
    (void)p;
    if (find_taken(&f->at) != NULL) {
        return OK;
    }
    struct bios_taken *taken = free_taken();
    if (taken == NULL) {
        return ERR_BUSY;
    }
    uint32_t command = config_read(&f->at, PCI_COMMAND) & COMMAND_MASK;
    uint32_t wanted = command | COMMAND_MEMORY | COMMAND_MASTER | COMMAND_INTX_OFF;
    command_write(&f->at, wanted);
    uint32_t needed =
        COMMAND_MEMORY | COMMAND_MASTER; /* functions older than PCI 2.3 have no INTx bit */
    uint32_t now = config_read(&f->at, PCI_COMMAND);
    if (now == UINT32_MAX || (now & needed) != needed) {
        command_write(&f->at, command);
        return ERR_BUSY;
    }
    *taken = (struct bios_taken){ .is_taken = true, .at = f->at, .command = (uint16_t)command };
    return OK;
}

enum err bios_hand_back(struct platform *p, const struct pci_function *f)
{
    (void)p;
    struct bios_taken *taken = find_taken(&f->at);
    if (taken != NULL) {
        command_write(&f->at, taken->command);
        taken->is_taken = false;
    }
    return OK;
}
