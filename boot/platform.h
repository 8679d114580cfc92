/* The one interface between the core and whatever it was booted by: UEFI, a legacy BIOS, or the
 * host with a simulated controller. The core is compiled once; a platform is one folder that fills
 * one struct of functions.
 *
 * Conventions: `p` is the platform itself; a `struct pci_function` is always one that pci_scan()
 * returned. Unless a comment says otherwise a function returns within 10 ms. */
#ifndef BOOT_PLATFORM_H
#define BOOT_PLATFORM_H

#include "lib/err.h"
#include "lib/util.h"

enum {
    PLATFORM_CMDLINE_MAX = 1024, /* bytes kept of the load options, with the NUL */
    PLATFORM_SECTOR_MAX = 4096,  /* largest logical sector the program works with */
};

struct pci_address {
    uint16_t segment;
    uint8_t bus;
    uint8_t device;
    uint8_t function;
};

/* One PCI function, as found. `bar5_bytes` is 0 when BAR5 is absent, an I/O BAR or unmapped.
 * `handle` belongs to the platform. */
struct pci_function {
    struct pci_address at;
    uint16_t vendor_id;
    uint16_t device_id;
    uint16_t subsystem_vendor_id;
    uint16_t subsystem_id;
    uint8_t class_base;
    uint8_t class_sub;
    uint8_t prog_if;
    uint8_t revision;
    uint64_t bar5_address;
    uint64_t bar5_bytes;
    void *handle;
};

/* Memory both the CPU and the controller see, below 4 GiB. The CPU address and the bus address are
 * never assumed equal. Page aligned, zeroed. */
struct dma_buffer {
    void *cpu;
    uint64_t bus;
    size_t bytes;
    void *handle;
};

/* Is this controller's port the medium the program was started from? */
enum boot_medium {
    BOOT_MEDIUM_NO,
    BOOT_MEDIUM_YES,
    BOOT_MEDIUM_UNKNOWN, /* the platform cannot tell: treated like YES, no plan runs on it */
};

enum style {
    STYLE_NORMAL,
    STYLE_STRONG, /* headings, the thing to look at */
    STYLE_GOOD,
    STYLE_WARN,
    STYLE_BAD,
};

/* Keys: printable characters are themselves (20h..7Eh); the rest here. 0 means no key. */
enum key {
    KEY_NONE = 0,
    KEY_BACKSPACE = 8,
    KEY_ENTER = 13,
    KEY_ESC = 27,
};

enum exit_kind {
    EXIT_RETURN, /* back to whoever started us (the shell, the boot menu) */
    EXIT_REBOOT,
    EXIT_POWEROFF,
};

struct utc_time {
    uint16_t year; /* 0: the platform has no time of day */
    uint8_t month;
    uint8_t day;
    uint8_t hour;
    uint8_t minute;
    uint8_t second;
};

/* What the report says about the machine. Filled by the platform before core_main(). */
struct platform_info {
    const char *name; /* "UEFI", "BIOS", "host" */
    char firmware_vendor[64];
    char firmware_revision[32];
    char cpu[52];
    uint64_t tsc_hz;
    char clock_source[48];    /* how tsc_hz was found */
    uint32_t clock_error_ppm; /* disagreement of the two sources; UINT32_MAX: only one source */
    bool clock_usable;        /* false: the sources disagree by more than 1 % */
    bool secure_boot;
    bool has_files;       /* there is a folder we were started from that files can be read in */
    bool has_firmware_io; /* fw_identify / fw_read can work at all */
    bool has_keyboard;    /* con_key can ever return a key */
};

struct platform {
    struct platform_info info;

    /* The load options as 7-bit text, NUL-terminated (what was not 7-bit is '?'). cmdline_cut: it
     * was longer than the buffer; the caller must refuse to run from it. */
    char cmdline[PLATFORM_CMDLINE_MAX];
    bool cmdline_cut;

    /* --- PCI ------------------------------------------------------------------------------- */

    /* List every PCI function of mass-storage class (01h). Stores at most `cap` and returns how
     * many there are. Under UEFI connects the firmware's own drivers to them first, so that
     * fw_identify() works; may take some seconds for that. */
    size_t (*pci_scan)(struct platform *p, struct pci_function *out, size_t cap);
    /* Aligned 32-bit config access, offset 0..FCh. Reads of what is not there return all ones. */
    uint32_t (*pci_read32)(struct platform *p, const struct pci_function *f, uint32_t offset);
    void (*pci_write32)(struct platform *p, const struct pci_function *f, uint32_t offset,
                        uint32_t value);

    /* --- Registers in BAR5: offset is 4-aligned and below bar5_bytes ------------------------- */
    uint32_t (*mmio_read32)(struct platform *p, const struct pci_function *f, uint32_t offset);
    void (*mmio_write32)(struct platform *p, const struct pci_function *f, uint32_t offset,
                         uint32_t value);

    /* --- Ownership --------------------------------------------------------------------------- */

    /* Take the controller from the firmware's driver: afterwards only we talk to it; memory space
     * and bus mastering are on, its interrupt is off. ERR_BUSY: the firmware does not let go;
     * nothing changed. May take 1 s. */
    enum err (*take_over)(struct platform *p, const struct pci_function *f);
    /* Give it back; the firmware's driver is connected again and probes its ports (up to 20 s with
     * a slow drive). Safe to call when take_over() was not. ERR_IO: firmware found nothing there. */
    enum err (*hand_back)(struct platform *p, const struct pci_function *f);

    /* DMA memory for one controller; only between take_over() and hand_back(). ERR_NO_MEMORY. */
    enum err (*dma_alloc)(struct platform *p, const struct pci_function *f, size_t bytes,
                          struct dma_buffer *out);
    void (*dma_free)(struct platform *p, const struct pci_function *f, struct dma_buffer *buffer);

    /* --- The firmware as the second judge; only while the firmware owns the controller ---------- */

    /* The 512 bytes of IDENTIFY DEVICE the firmware has for this port. ERR_NOT_FOUND: the firmware
     * drives no ATA disk there. ERR_UNSUPPORTED: this platform has no such service. */
    enum err (*fw_identify)(struct platform *p, const struct pci_function *f, unsigned port,
                            uint8_t out[512]);
    /* Read `count` logical sectors into buf. Errors as fw_identify, and ERR_IO when the read fails.
     * May take as long as the firmware's own time-out (tens of seconds) on a broken drive. */
    enum err (*fw_read)(struct platform *p, const struct pci_function *f, unsigned port,
                        uint64_t lba, uint32_t count, uint32_t sector_bytes, void *buf);

    /* Is the boot medium behind this port / anywhere behind this controller? Never wrong in the
     * dangerous direction: UNKNOWN when in doubt. */
    enum boot_medium (*boot_medium)(struct platform *p, const struct pci_function *f,
                                    unsigned port);
    enum boot_medium (*boot_controller)(struct platform *p, const struct pci_function *f);

    /* --- Time ------------------------------------------------------------------------------------ */
    uint64_t (*clock_ns)(struct platform *p); /* monotonic since start */
    void (*stall_us)(struct platform *p, uint32_t us);
    struct utc_time (*utc)(struct platform *p);

    /* --- Console: 7-bit text, '\n' ends a line, '\r' and '\b' move the cursor ------------------------------------------------- */
    void (*con_write)(struct platform *p, enum style style, const char *text);
    void (*con_clear)(struct platform *p);
    void (*con_size)(struct platform *p, unsigned *columns, unsigned *rows);
    /* Wait up to timeout_ms for a key; KEY_NONE when none came. */
    int (*con_key)(struct platform *p, uint32_t timeout_ms);

    /* --- The event log's serial line -------------------------------------------------------------- */

    /* Claim the first UART that the firmware's console does not use, 115200 8N1. On error `why`
     * holds a sentence: ERR_NOT_FOUND no UART at all, ERR_BUSY the console has them all. */
    enum err (*serial_open)(struct platform *p, char *why, size_t why_bytes);
    /* Bounded: gives up on a UART that does not drain (50 ms a byte at most, then stays off). */
    void (*serial_write)(struct platform *p, const char *data, size_t bytes);

    /* --- Files: only ever on the volume the program was started from ------------------------------ */

    /* Read a whole file that lies beside the program. ERR_NOT_FOUND, ERR_UNSUPPORTED (no file
     * system where we came from), ERR_NO_SPACE (longer than cap), ERR_IO. */
    enum err (*file_read)(struct platform *p, const char *name, void *buf, size_t cap,
                          size_t *bytes);
    /* Replace (or create) the file at `path` ("BARETRIM/RUN/report.json", '/' separated, folders are
     * made). The old content stays until the new one is written whole. ERR_NO_SPACE, ERR_READ_ONLY,
     * ERR_UNSUPPORTED, ERR_IO (stick pulled: may be tried again). */
    enum err (*file_write)(struct platform *p, const char *path, const void *data, size_t bytes);

    /* --- Leave ----------------------------------------------------------------------------------- */

    /* REBOOT and POWEROFF do not come back unless the platform cannot; RETURN returns at once and
     * core_main() then returns. */
    void (*leave)(struct platform *p, enum exit_kind kind);

    void *context; /* the platform's own */
};

/* The core's entry: runs the whole program on this platform. Returns 0 when the verdict is PASS (or
 * the plan has no verdict and is DONE), 1 otherwise. */
int core_main(struct platform *p);

#endif
