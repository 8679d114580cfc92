/* The host's platform: fills struct platform with a virtual clock, modelled controllers, captured output and
 * files in memory. What the program must not do to a platform (write a register before it took the
 * controller over, ask the firmware while it does not own it, ...) is noted by the judge. */
#ifndef SIM_SIM_PLATFORM_H
#define SIM_SIM_PLATFORM_H

#include "boot/platform.h"
#include "sim/sim_drive.h"
#include "sim/sim_hba.h"

enum {
    SIM_HBAS_MAX = 4,
    SIM_DRIVES_MAX = 8,
    SIM_FUNCTIONS_MAX = 20,
    SIM_BUFFERS_MAX = 128,
    SIM_FILES_MAX = 64,
};

/* How the medium we were started from behaves. */
enum sim_medium {
    SIM_MEDIUM_GOOD,
    SIM_MEDIUM_NONE, /* PXE: no files at all */
    SIM_MEDIUM_FULL, /* ERR_NO_SPACE on every write */
    SIM_MEDIUM_READ_ONLY,
    SIM_MEDIUM_PULLED, /* ERR_IO */
};

/* How the firmware's own disk driver behaves. */
enum sim_firmware {
    SIM_FIRMWARE_GOOD,
    SIM_FIRMWARE_NO_DISK,    /* it drives no disk there: ERR_NOT_FOUND */
    SIM_FIRMWARE_NO_SERVICE, /* the platform has no such service: ERR_UNSUPPORTED */
    SIM_FIRMWARE_LIES,       /* one bit of every sector it reads is wrong */
    SIM_FIRMWARE_FAILS,      /* identifies the drive, ERR_IO on every read */
    SIM_FIRMWARE_KEEPS,      /* good, but does not let go of a controller: take_over ERR_BUSY */
};

/* A PCI function's face. Zeros mean the default named. */
struct sim_pci_config {
    struct pci_address at; /* 00:1f.2, the next ones 00:02.0, 00:03.0, ... */
    uint16_t vendor_id;    /* 8086h, and with it */
    uint16_t device_id;    /* 1C02h */
    uint8_t class_base;    /* 01h; the class is 01 06 01 when class_base is 0 */
    uint8_t class_sub;
    uint8_t prog_if;
    uint8_t revision;
    bool no_bar5;
};

struct sim_buffer {
    bool live;
    bool freed;        /* kept, so that a late access can be told from a wild one */
    bool firmware;     /* the firmware's own, for its command lists */
    const void *owner; /* the function it was allocated for */
    uint8_t *cpu;
    uint64_t bus;
    size_t bytes;
};

struct sim_function {
    struct sim_platform *plat;
    struct sim_pci_config config;
    struct sim_hba *hba; /* NULL: a function without a model behind it */
    uint32_t space[64];  /* config space */
    bool ours;           /* taken over */
    uint64_t taken;      /* how often */
    uint64_t given_back;
    uint64_t bar5;
};

struct sim_file {
    char path[128];
    uint8_t *data;
    size_t bytes;
    uint64_t versions; /* times written */
};

/* Text that grows. `at` is never NULL and ends with NUL. */
struct sim_text {
    char *at;
    size_t bytes;
    size_t room;
};

/* Zeros mean a good platform. */
struct sim_platform_config {
    enum sim_firmware firmware;
    enum sim_medium medium;
    size_t medium_bytes; /* room for files; 0: no limit */
    const char *cmdline;
    bool cmdline_cut;
    const char *config_file; /* text of baretrim.cfg; NULL: there is none */
    size_t config_bytes;     /* its length where it holds NULs; 0: up to the first */
    /* Typed one after the other, each when the program next waits for a key: '\n' is Enter, '\x1b' is Esc,
     * '\x01' lets one wait pass without a key. A look without waiting (time-out 0) gets only a key that has
     * '\x02' in front, so that a key for the next page is not lost to a running pass. */
    const char *keys;
    bool no_keyboard;
    unsigned columns, rows; /* 80 x 25 */
    enum err serial;        /* what serial_open returns */
    bool clock_unusable;
    size_t dma_limit_bytes; /* in all; 0: none */
    bool no_utc;
    struct {
        enum boot_medium kind; /* BOOT_MEDIUM_NO: on none of these controllers */
        unsigned controller;
        unsigned port;
    } boot;
    uint64_t step_ns; /* time a register access or a look at the clock takes; 250 */
    /* Never hurry. By default, after 5 ms of nothing but looking, each look takes longer, up to 2 ms, so that a
     * time-out of 30 s costs little host time; never past the next event. */
    bool steady;
    uint64_t idle_limit_ms; /* waiting for keys that do not come; 600,000. Then on_idle, or abort */
    void (*on_idle)(void *context); /* must not return (longjmp) */
    void *on_idle_context;
    /* Print every register access to stderr; also by SIM_TRACE in the environment. */
    bool trace;
};

struct sim_platform {
    struct platform platform; /* first: a struct platform * is a struct sim_platform * */
    struct sim_platform_config config;
    struct sim_clock *clock;
    struct sim_judge *judge;
    struct sim_function function[SIM_FUNCTIONS_MAX];
    size_t functions;
    struct sim_drive *drive[SIM_HBAS_MAX][PORT_MAX]; /* NULL: empty port */
    struct sim_buffer buffer[SIM_BUFFERS_MAX];
    size_t buffers;
    size_t buffers_live; /* the program's own */
    size_t dma_bytes;
    uint64_t bus_next;
    uint64_t quiet_since_ns; /* since then nothing but looking */
    uint64_t idle_ms;
    const char *key_next;
    struct sim_text console;
    struct sim_text serial;
    uint64_t console_clears;
    bool serial_opened;
    struct sim_file file[SIM_FILES_MAX];
    size_t files;
    uint64_t leaves;
    enum exit_kind left;
};

/* `clock` and `judge` are shared with the models. Functions and drives are added by sim_platform_add_*. */
void sim_platform_init(struct sim_platform *plat, const struct sim_platform_config *config,
                       struct sim_clock *clock, struct sim_judge *judge);
void sim_platform_free(struct sim_platform *plat);

/* Add a PCI function; `hba` may be NULL. Returns its index. */
size_t sim_platform_add_function(struct sim_platform *plat, const struct sim_pci_config *config,
                                 struct sim_hba *hba);

/* 4 KiB a port of the firmware's own memory, where its command lists lie. Returns the bus address. */
uint64_t sim_platform_firmware_memory(struct sim_platform *plat, size_t index);

/* Bus memory as function `index` reaches it. */
struct sim_bus sim_platform_bus(struct sim_platform *plat, size_t index);

/* A file on the medium, or NULL. Its data end with a NUL that `bytes` does not count. */
const struct sim_file *sim_platform_file(const struct sim_platform *plat, const char *path);
/* The one file whose path ends so ("report.json"), or NULL. */
const struct sim_file *sim_platform_file_ending(const struct sim_platform *plat, const char *end);

void sim_text_init(struct sim_text *text);
void sim_text_add(struct sim_text *text, const char *data, size_t bytes);
void sim_text_free(struct sim_text *text);

#endif
