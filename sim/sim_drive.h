/* One ATA drive: what it says about itself, what it stores, how it answers a command. It knows its cable
 * (sim_link.h) and nothing of the controller behind it.
 *
 * A drive acts as its IDENTIFY words say: they are made from the parameters, or given whole, and everything
 * the drive decides (capacity, sector size, 48-bit, queueing, TRIM, security) is read back from them. */
#ifndef SIM_SIM_DRIVE_H
#define SIM_SIM_DRIVE_H

#include "ata/ata_regs.h"
#include "sim/sim_clock.h"
#include "sim/sim_fault.h"
#include "sim/sim_judge.h"
#include "sim/sim_link.h"
#include "sim/sim_store.h"

enum sim_trim {
    SIM_TRIM_ZEROS,    /* trimmed sectors read as zeros */
    SIM_TRIM_ONES,     /* ... as FFh */
    SIM_TRIM_UNSTABLE, /* ... as something else each time */
    SIM_TRIM_IGNORED,  /* the command ends well, the old data stay */
    SIM_TRIM_REJECTED, /* ABRT */
    SIM_TRIM_HANGS,    /* never ends */
};

enum sim_rounding {
    SIM_ROUND_INWARD,  /* only whole granules inside the range: allowed */
    SIM_ROUND_OUTWARD, /* every granule touched: damages neighbours */
};

/* Zeros mean the default named with each. */
struct sim_drive_config {
    const char *model;       /* "SIM SSD" */
    const char *serial;      /* "SIM0001" */
    const char *firmware;    /* "1.0" */
    uint64_t wwn;            /* none */
    uint64_t sectors;        /* 20,000,000 */
    uint32_t logical_bytes;  /* 512 */
    uint32_t physical_bytes; /* as logical */
    bool lba28_only;
    bool no_dma;
    bool no_ncq;
    bool no_gpl;          /* no READ LOG EXT */
    unsigned queue_depth; /* 32 */
    unsigned generation;  /* 3: fastest link */
    uint16_t rotation;    /* 1: SSD */
    /* Word 128; 0: no security feature set. Its bit 2 (locked) makes reads, writes and TRIM abort. */
    uint16_t security;
    bool standby; /* incomplete IDENTIFY until SET FEATURES 07h */
    /* PIO data in come without PIO Setup and end with a Register frame, as in QEMU and on some chips. */
    bool no_pio_setup;
    const uint16_t *identify; /* 256 words used instead of everything above; the caller's */

    bool no_trim;
    bool drat, rzat;
    unsigned dsm_blocks; /* word 105; 0: not stated, one block works */
    enum sim_trim trim;
    uint32_t trim_granule; /* sectors; 1 */
    enum sim_rounding trim_rounding;
    uint64_t trim_shift; /* applied so many sectors further on */
    bool trim_first_entry_only;
    uint64_t trim_us; /* a command; 200 */

    enum sim_content content;
    uint64_t seed;
    uint64_t command_us; /* a command; 50 */
    uint64_t sector_ns;  /* and a sector; 1000 */
    uint64_t jitter_us;  /* up to so much more for queued commands, which reorders them; 40 */
    uint64_t flush_us;   /* 500 */
    uint64_t link_us;    /* COMRESET to DET = 3; 1000 */
    uint64_t ready_us;   /* then to the signature; 2000 */
    uint32_t signature;  /* 00000101h */
};

/* A command as it arrived. */
struct sim_command {
    uint64_t at_ns;
    uint8_t opcode;
    uint8_t device;
    uint8_t status; /* at its end; FFh while it has not ended */
    uint8_t error;
    uint16_t feature;
    uint16_t tag;   /* queued ones */
    uint32_t count; /* sectors (0 decoded to 256 or 65536); of other commands the count register */
    uint64_t lba;
};

struct sim_range {
    uint64_t lba;
    uint64_t count;
};

/* Everything the drive was asked, oldest first. */
struct sim_drive_log {
    struct sim_command *command;
    size_t commands;
    size_t command_room;
    struct sim_range *trim; /* entries with a count, as the host meant them */
    size_t trims;
    size_t trim_room;
    uint64_t by_opcode[256];
    uint64_t sectors_read;
    uint64_t sectors_written;
    uint64_t comresets;
};

enum { SIM_UNQUEUED = 32, SIM_TAGS = 33 };

/* A command being worked on. */
struct sim_work {
    bool busy;
    bool silent; /* never tells the host its end */
    size_t log;  /* its place in log.command */
    struct sim_command c;
    const struct sim_fault *fault;
};

struct sim_drive {
    struct sim_drive_config config;
    struct sim_clock *clock;
    struct sim_judge *judge;
    struct sim_faults *faults;
    struct sim_host host;
    unsigned port; /* for the fault script only */

    uint16_t identify[256];
    char serial[21];
    /* read from identify */
    uint64_t sectors;
    uint32_t sector_bytes;
    bool lba48, dma, ncq, gpl, trims;
    unsigned queue_depth;
    unsigned dsm_blocks;
    bool locked;

    struct sim_store store;
    struct sim_drive_log log;

    unsigned generation;       /* of the link now, 1..3 */
    unsigned generation_limit; /* the host's, 0: none */
    bool link_up;
    bool plugged;
    bool replaced; /* another drive will come back */
    bool other;    /* it is another drive by now */
    bool standing_by;
    bool ncq_error;       /* until log 10h is read */
    uint8_t ncq_log[512]; /* log 10h */
    uint32_t epoch;       /* of the events: older ones are void */
    uint64_t random;
    uint32_t signature_now;
    enum sim_trimmed store_trimmed;
    void (*run)(void *drive, uint64_t event);
    struct sim_work work[SIM_TAGS];
};

void sim_drive_init(struct sim_drive *drive, const struct sim_drive_config *config,
                    struct sim_clock *clock, struct sim_judge *judge, struct sim_faults *faults);
void sim_drive_free(struct sim_drive *drive);

/* Plug the cable in. `host` is copied; the drive's own end is returned. */
struct sim_device sim_drive_connect(struct sim_drive *drive, const struct sim_host *host,
                                    unsigned port);

/* Bring the link up and send the signature at once, as the firmware's own start did long ago. */
void sim_drive_power_up(struct sim_drive *drive, unsigned generation_limit);

/* Pull the drive out, and put one in (the same, or another one with this serial number and a medium of
 * its own). */
void sim_drive_unplug(struct sim_drive *drive);
void sim_drive_plug(struct sim_drive *drive, const char *other_serial);

/* The 512 bytes of IDENTIFY DEVICE, on the wire's byte order. */
void sim_drive_identify(const struct sim_drive *drive, uint8_t out[512]);

/* Look at and change the medium past the command set: what a judge on another computer would read. */
void sim_drive_peek(struct sim_drive *drive, uint64_t lba, void *sector);
void sim_drive_poke(struct sim_drive *drive, uint64_t lba, const void *sector);

/* How many commands with this opcode came, and the newest of them (NULL: none). */
uint64_t sim_drive_count(const struct sim_drive *drive, uint8_t opcode);
const struct sim_command *sim_drive_last(const struct sim_drive *drive, uint8_t opcode);

/* Commands that change something, of any kind. */
uint64_t sim_drive_count_changes(const struct sim_drive *drive);

#endif
