/* What the files of the BIOS platform share. There is no firmware to ask once this program runs, except for
 * the tables it left in memory; everything is done by port I/O with interrupts off. */
#ifndef BOOT_BIOS_BIOS_H
#define BOOT_BIOS_BIOS_H

#include "boot/clock.h"
#include "boot/platform.h"
#include "boot/uart.h"

enum {
    BIOS_DMA_BYTES = 8 << 20,
    BIOS_TAKEN_MAX = 16, /* controllers taken over at the same time */
};

/* What power.c and rtc.c need of the ACPI tables; 0 where the machine does not say. */
struct bios_power {
    uint16_t pm1a_control; /* I/O ports */
    uint16_t pm1b_control;
    uint16_t smi_command;
    uint16_t reset_port;
    uint8_t acpi_enable; /* what to write to smi_command to switch to ACPI mode */
    uint8_t reset_value;
    uint8_t rtc_century; /* CMOS index */
    bool has_s5;
    uint8_t s5_type_a;
    uint8_t s5_type_b;
};

struct bios_console {
    struct uart uart; /* the first one; port 0: none */
    uint16_t *cells;  /* NULL: no text screen */
    uint16_t crtc_port;
    unsigned columns;
    unsigned rows;
    unsigned column;
    unsigned row;
};

struct bios_keyboard {
    bool shift;
    bool caps;
    bool extended; /* an E0 came: the next code is of the grey keys */
};

struct bios_dma {
    size_t used;
    unsigned buffers;
};

/* A controller between take_over and hand_back, and what its command register said before. */
struct bios_taken {
    bool is_taken;
    struct pci_address at;
    uint16_t command;
};

/* The platform's one piece of state. Not reached by p->context, because panic() and the exception handlers
 * have no p. */
struct bios {
    struct platform platform;
    struct bios_console console;
    struct bios_keyboard keyboard;
    struct clock clock;
    bool clock_ready;
    struct bios_dma dma;
    struct bios_taken taken[BIOS_TAKEN_MAX];
    struct bios_power power;
    struct uart log;
};
extern struct bios bios;

/* A physical address as a pointer. Memory is mapped one to one; the compiler must not reason that address
 * 400h (the BIOS data area) is an offset from NULL. */
static inline void *phys(uint64_t address)
{
    __asm__("" : "+r"(address));
    return (void *)address;
}

/* Stop for good. */
_Noreturn void bios_halt(void);

/* --- memory.c: what the loader told, and DMA memory ----------------------------------------------- */

/* Copy the command line of the multiboot information at `info` into p->cmdline. */
void multiboot_cmdline(uint32_t info, struct platform *p);

/* Does this program lie wholly in memory that the loader's map calls available, and in nothing it calls
 * otherwise? Without a map: true (the entry has checked the plain figure already). */
bool multiboot_memory_fits(uint32_t info);

enum err bios_dma_alloc(struct platform *p, const struct pci_function *f, size_t bytes,
                        struct dma_buffer *out);
void bios_dma_free(struct platform *p, const struct pci_function *f, struct dma_buffer *buffer);

/* --- exceptions.c ----------------------------------------------------------------------------------- */

/* From here on a processor exception prints where it happened and stops. */
void exceptions_init(void);

/* --- pci.c ------------------------------------------------------------------------------------------ */
size_t bios_pci_scan(struct platform *p, struct pci_function *out, size_t cap);
uint32_t bios_pci_read32(struct platform *p, const struct pci_function *f, uint32_t offset);
void bios_pci_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                      uint32_t value);
uint32_t bios_mmio_read32(struct platform *p, const struct pci_function *f, uint32_t offset);
void bios_mmio_write32(struct platform *p, const struct pci_function *f, uint32_t offset,
                       uint32_t value);
enum err bios_take_over(struct platform *p, const struct pci_function *f);
enum err bios_hand_back(struct platform *p, const struct pci_function *f);

/* --- tables.c, smbios.c ----------------------------------------------------------------------------- */

/* The structure with this signature on a 16-byte boundary in [first, first + bytes) whose first `checked` bytes
 * sum to zero. NULL: none. */
const uint8_t *find_anchor(uint64_t first, size_t bytes, const char *signature, size_t checked);

/* The ACPI root pointer, or NULL when there is none or its tables lie where this program maps no memory. */
const uint8_t *find_rsdp(void);

/* Fill *power from the tables. */
void read_power(const uint8_t *rsdp, struct bios_power *power);

/* The firmware's name and version; left as they are when the machine has no SMBIOS tables. */
void smbios_firmware(struct platform_info *info);

/* --- clock.c, rtc.c --------------------------------------------------------------------------------- */

/* Find the TSC's rate by the ACPI PM timer and PIT channel 2; fills the clock fields of p->info. `rsdp`
 * may be NULL. Takes about 0.2 s, at most some seconds where the timers disagree or stand still. */
void clock_init(struct platform *p, const void *rsdp);
uint64_t bios_clock_ns(struct platform *p);

/* Also before clock_init(), then only roughly. */
void bios_stall_us(struct platform *p, uint32_t us);
struct utc_time bios_utc(struct platform *p);

/* --- console.c, keyboard.c -------------------------------------------------------------------------- */

/* Find the text screen and the first serial port. */
void bios_console_init(void);

/* The next byte from the serial console, or -1. */
int console_serial_byte(void);
void bios_con_write(struct platform *p, enum style style, const char *text);
void bios_con_clear(struct platform *p);
void bios_con_size(struct platform *p, unsigned *columns, unsigned *rows);

/* Is there a keyboard controller? */
bool keyboard_present(void);
int bios_con_key(struct platform *p, uint32_t timeout_ms);

enum err bios_serial_open(struct platform *p, char *why, size_t why_bytes);
void bios_serial_write(struct platform *p, const char *data, size_t bytes);

/* --- power.c ---------------------------------------------------------------------------------------- */
void bios_leave(struct platform *p, enum exit_kind kind);

#endif
