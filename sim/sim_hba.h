/* An AHCI controller: its registers with their side effects, and the engine that fetches commands, moves data
 * and posts frames. It reaches the world by callbacks only: bus memory by struct sim_bus, drives by their
 * cable (sim_link.h), time by struct sim_clock. Every rule of AHCI 1.3.1 that the driver breaks is noted. */
#ifndef SIM_SIM_HBA_H
#define SIM_SIM_HBA_H

#include "ahci/ahci_regs.h"
#include "sim/sim_clock.h"
#include "sim/sim_fault.h"
#include "sim/sim_judge.h"
#include "sim/sim_link.h"

/* Bus memory. False: nobody answers at this address. */
struct sim_bus {
    void *self;
    bool (*read)(void *self, uint64_t address, void *to, size_t bytes);
    bool (*write)(void *self, uint64_t address, const void *from, size_t bytes);
};

/* How whoever ran before left the ports. */
enum sim_start {
    SIM_START_STOPPED,   /* used and stopped: CLB and FB set, ST = FRE = 0, signature known */
    SIM_START_RUNNING,   /* ST = FRE = 1 on the firmware's memory */
    SIM_START_UNTOUCHED, /* CLB = FB = 0, SIG = FFFFFFFFh, TFD = 7Fh, link up */
    SIM_START_COLD,      /* as reset: no COMRESET was ever sent, DET = 0 */
    SIM_START_PARTIAL,   /* SSTS 231h: the link sleeps */
    SIM_START_GARBAGE,   /* stopped, with nonsense in the upper halves of CLB and FB */
};

struct sim_hba_config {
    uint32_t cap;       /* E730FF65h: six ports, 32 slots, 6 Gb/s, staggered spin-up off */
    uint32_t cap2;      /* 0 */
    uint32_t pi;        /* 3Fh */
    uint32_t vs;        /* 00010300h */
    bool exact;         /* take the four as they stand, zeros too */
    uint32_t bar_bytes; /* 2048; what lies beyond reads as zero */
    bool ae_off;        /* GHC.AE = 0 at the start */
    enum sim_start start;
    bool prdbc_ncq;      /* count PRDBC for queued commands too (5.4.1: need not) */
    bool bios_owned;     /* BOHC.BOS = 1 at the start */
    uint64_t handoff_us; /* BIOS lets go after; 100. UINT64_MAX: never */
    uint64_t fetch_ns;   /* PxCI to the frame on the wire; 500 */
    uint64_t engine_us;  /* CR and FR follow ST and FRE; 2 */
    uint64_t reset_us;   /* HBA reset; 1000 */
    /* Where the firmware's own command list and FIS area lie, 4 KiB a port; the bus must answer there. */
    uint64_t firmware_bus;
};

struct sim_hba_slot {
    bool sent; /* the frame went out */
    bool queued;
    bool sact_first; /* PxSACT had its bit when PxCI was written */
    uint32_t dw0;
    uint64_t table; /* bus address */
    uint32_t prd;   /* where the next byte goes: region, and byte in it */
    uint32_t prd_at;
    uint64_t prd_bytes; /* all regions together */
    uint64_t moved;     /* bytes the drive moved */
    const struct sim_fault *fault;
};

/* Data that arrive after their command ended. */
struct sim_late {
    struct sim_late *next;
    struct sim_hba *hba;
    uint64_t address;
    size_t bytes;
    uint8_t data[];
};

struct sim_hba_port {
    struct sim_hba *hba;
    unsigned number;
    bool implemented;
    uint32_t clb, clbu, fb, fbu, is, ie, cmd, tfd, sig, ssts, sctl, serr, sact, ci, fbs, devslp;
    bool connected;
    struct sim_device device;
    bool awaits_signature; /* the next D2H frame is the one after a reset */
    bool held;             /* it waits for DIAG.X to be cleared */
    uint8_t held_fis[20];
    bool unposted; /* it waits for FRE to be set */
    bool fatal;    /* stopped by an error until ST is cleared */
    bool fetching; /* a fetch is due */
    bool ccs_wrong;
    uint64_t comreset_ns; /* when DET = 1 was written */
    unsigned last_slot;
    unsigned current;   /* unqueued command, or the one sent last */
    unsigned data_slot; /* whose data move */
    uint8_t pio_end_status;
    uint64_t pio_left;
    bool pio_interrupt;
    struct sim_hba_slot slot[32];
};

struct sim_hba {
    struct sim_hba_config config;
    struct sim_clock *clock;
    struct sim_judge *judge;
    struct sim_faults *faults;
    struct sim_bus bus;
    uint32_t cap, cap2, pi, vs, ghc, is, ccc_ctl, bohc;
    uint32_t ae_writes;
    bool gone; /* all ones for good */
    bool resetting;
    uint64_t resets; /* HBA resets asked for */
    uint64_t reads, writes;
    bool misbehaving; /* memory is written by a fault of this model now */
    struct sim_late *late;
    struct sim_hba_port port[PORT_MAX];
};

void sim_hba_init(struct sim_hba *hba, const struct sim_hba_config *config, struct sim_clock *clock,
                  struct sim_judge *judge, struct sim_faults *faults, const struct sim_bus *bus);

void sim_hba_free(struct sim_hba *hba);

/* The controller's end of a port's cable; give it to the drive, then plug the drive's end in. */
struct sim_host sim_hba_host(struct sim_hba *hba, unsigned port);
void sim_hba_connect(struct sim_hba *hba, unsigned port, const struct sim_device *device);

/* Put the ports into config.start, after everything is connected and the drives are powered up. */
void sim_hba_start_state(struct sim_hba *hba);

/* Register access; offset is 4-aligned. Time does not pass here. */
uint32_t sim_hba_read(struct sim_hba *hba, uint32_t offset);
void sim_hba_write(struct sim_hba *hba, uint32_t offset, uint32_t value);

#endif
