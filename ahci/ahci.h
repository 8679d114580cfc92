/* The AHCI driver's own state and its functions. It moves FIS bytes and data; what a command means
 * is ata/'s business. Polling only, no interrupts. Order of calls:
 *
 *   ahci_hba_probe (read-only, any time) -> platform take_over -> ahci_hba_start
 *     -> ahci_port_start -> ahci_port_issue / ahci_port_poll ... -> ahci_port_stop
 *   -> ahci_hba_stop -> platform hand_back
 *
 * All section numbers are AHCI 1.3.1's. */
#ifndef AHCI_AHCI_H
#define AHCI_AHCI_H

#include "ahci/ahci_regs.h"
#include "boot/platform.h"

/* Deadlines (ms). Each names where the figure comes from. */
enum {
    AHCI_WAIT_ENGINE_MS = 500,   /* CR and FR to clear (10.1.2) */
    AHCI_WAIT_HANDOFF_MS = 2025, /* 25 ms, and the 2 s a busy BIOS may take (10.6.3) */
    AHCI_WAIT_PHY_MS =
        1000, /* DET = 3 once DET left 0; drives seen later than the 10 ms of 10.4.2 */
    AHCI_WAIT_PRESENCE_MS =
        200,                    /* DET to leave 0 after COMRESET; slow add-in chips need > 100 ms */
    AHCI_WAIT_READY_MS = 30000, /* BSY to clear after COMRESET (spin-up) */
    AHCI_COMRESET_MS = 2,       /* DET = 1 held for at least 1 ms (10.4.2) */
};

/* A row of the table of known controllers. */
struct ahci_known {
    uint16_t vendor_id;
    uint16_t device_id;
    const char *name;
    bool tried;       /* BareTrim ran there; the list is shown in docs/HARDWARE.md */
    bool not_ahci;    /* class or ID looks like AHCI and is not */
    const char *note; /* NULL or one sentence for the user */
};

/* Why a controller or its ports cannot be used. */
enum ahci_state {
    AHCI_USABLE,
    AHCI_NOT_AHCI,   /* other storage class or interface */
    AHCI_RAID_CLASS, /* class 0104h */
    AHCI_IDE_CLASS,  /* class 0101h */
    AHCI_NVME,       /* class 0108h */
    AHCI_BAD_BAR,    /* BAR5 missing or too short for PI */
    AHCI_UNREADABLE, /* registers read all ones */
    AHCI_NO_PORTS,   /* PI names no port */
    AHCI_STATE_COUNT
};

/* The values a run compares before and after. */
struct ahci_global_regs {
    uint32_t cap;
    uint32_t cap2; /* 0 where VS < 1.2 */
    uint32_t pi;
    uint32_t vs;
    uint32_t ghc;
};

struct ahci_hba;

/* What the registers said when a command failed, taken before anything was cleared (6.2.2). */
struct ahci_snapshot {
    uint32_t is;
    uint32_t tfd;
    uint32_t serr;
    uint32_t ssts;
    uint32_t ci;
    uint32_t sact;
    uint32_t cmd;
    uint8_t d2h[FIS_H2D_BYTES]; /* last D2H Register FIS in the received-FIS area */
};

enum ahci_port_state {
    AHCI_PORT_OFF,    /* not ours */
    AHCI_PORT_READY,  /* ST = 1, commands may be issued */
    AHCI_PORT_FAILED, /* stopped after an error; ahci_port_recover() is due */
};

/* One command as the port sees it: a whole H2D FIS, and one contiguous stretch of DMA memory. */
struct ahci_request {
    uint8_t cfis[FIS_H2D_BYTES];
    uint64_t data_bus;   /* even */
    uint32_t data_bytes; /* even; 0: no data; at most 8 x 4 MiB */
    bool write;          /* host to device */
    bool queued;         /* NCQ: PxSACT before PxCI, the slot is the tag (5.6.4.1) */
};

/* One command slot while it is in flight and after it completed. */
struct ahci_slot {
    uint64_t issued_ns; /* just before PxCI was written */
    uint64_t done_ns;   /* at the poll that first saw it clear */
    uint32_t prdbc;     /* bytes moved, as the controller counted (not kept for NCQ by all parts) */
};

struct ahci_port {
    struct ahci_hba *hba;
    unsigned number;
    enum ahci_port_state state;
    uint32_t sig;       /* PxSIG after start */
    uint32_t in_flight; /* slots issued and not yet seen complete */
    uint32_t queued;    /* those of in_flight that are NCQ */
    struct ahci_slot slot[32];
    struct ahci_snapshot failure; /* valid in AHCI_PORT_FAILED */
    uint64_t poll_last_ns;
    uint64_t status_seen_ns; /* when PxIS was last read and named no trouble */
    bool stuck; /* the engine did not stop: whatever DMA memory it knows is lost, never reused */
    uint64_t poll_gap_ns_max; /* longest time between two polls while commands were in flight */

    struct dma_buffer memory; /* command list, received FIS, tables */
    struct ahci_cmd_header *header;
    struct ahci_cmd_table *table;
    uint8_t *rfis;

    /* what the firmware left, put back by ahci_port_stop() */
    struct {
        uint32_t clb, clbu, fb, fbu, ie, sctl, cmd;
    } saved;
};

struct ahci_hba {
    struct platform *plat;
    struct pci_function pci;
    const struct ahci_known *known; /* NULL: not in the table */
    enum ahci_state state;
    struct ahci_global_regs before; /* at probe */
    uint32_t saved_ccc_ctl;
    uint32_t ports;         /* implemented ports inside the BAR; walk these bits, never CAP.NP */
    unsigned slots;         /* command slots, 1..32 */
    unsigned nvme_remapped; /* NVMe drives hidden behind an Intel AHCI function */
    bool running;
    struct ahci_port port[PORT_MAX];
};

/* The known row for an ID, or NULL. */
const struct ahci_known *ahci_known_find(uint16_t vendor_id, uint16_t device_id);

/* All rows, for the documentation test. */
const struct ahci_known *ahci_known_table(size_t *count);

/* One sentence for the user for a state other than AHCI_USABLE. Never NULL. */
const char *ahci_state_text(enum ahci_state state);

/* Look at a controller without writing anything to it. Always fills *hba; hba->state says whether it
 * can be used. Takes under 1 ms. */
void ahci_hba_probe(struct ahci_hba *hba, struct platform *plat, const struct pci_function *pci);

/* Bring the controller itself up (10.1.2 without reset): BIOS handoff, AE, interrupts and coalescing
 * off. Call after take_over(). ERR_GONE: registers read all ones. ERR_TIMEOUT: AE does not stick or the
 * BIOS keeps the handoff semaphore; the controller must be left alone. At most 2.1 s. */
enum err ahci_hba_start(struct ahci_hba *hba);

/* Put back what ahci_hba_start() changed. Ports must be stopped. Idempotent. */
void ahci_hba_stop(struct ahci_hba *hba);

/* Read the global registers now. cap2 is read only where VS says it exists. */
void ahci_hba_read(struct ahci_hba *hba, struct ahci_global_regs *out);

/* Port register access for reports and tests; `offset` is a Px... name. */
uint32_t ahci_port_read(const struct ahci_port *port, uint32_t offset);

/* Bring one port from any state the firmware left to READY: stop, own memory, power, COMRESET, wait for
 * the signature, start (10.1.2, 10.4.2). ERR_LINK: nothing answers. ERR_UNSUPPORTED: something that is not
 * an ATA disk answers (port->sig says what); the port is left stopped and nothing was sent to it.
 * ERR_TIMEOUT: the engine does not stop or the drive stays busy. ERR_NOT_FOUND: no such
 * port. ERR_NO_MEMORY, ERR_GONE. On error the port
 * is put back as found. At most 33 s with a drive that spins up, 0.5 s without a drive. */
enum err ahci_port_start(struct ahci_hba *hba, unsigned number, struct ahci_port **out);

/* Stop the port and put back what the firmware left. Idempotent. At most 2 s. */
void ahci_port_stop(struct ahci_port *port);

/* Hand one command to a free slot and return at once. ASSERTs on a busy slot, on mixing queued with
 * unqueued, and on a bad request. ERR_CHANGED: the link dropped since start and the drive may be another
 * one: nothing was sent; restart the port and identify again; else as ahci_port_poll(). */
enum err ahci_port_issue(struct ahci_port *port, unsigned slot, const struct ahci_request *request);

/* Look once. *completed gets the slots that ended well since the last poll. OK also when nothing did.
 * ERR_DEVICE (task file error), ERR_BUS (host bus or interface error), ERR_LINK (drive gone),
 * ERR_CHANGED (the link dropped and came back), ERR_GONE: the engine was stopped, port->failure holds the registers as they were, *completed still names the slots that
 * had really ended, port->in_flight those that had not; call ahci_port_recover(). */
enum err ahci_port_poll(struct ahci_port *port, uint32_t *completed);

/* Poll until slot set `mask` is complete or `deadline_ns` (on the platform's clock) passes. As
 * ahci_port_poll(); ERR_TIMEOUT stops the engine as well. */
enum err ahci_port_wait_slots(struct ahci_port *port, uint32_t mask, uint64_t deadline_ns);

/* After a failure: restart the engine (6.2.2.1), with COMRESET where BSY or DRQ hang, the link is not up, or
 * `reset` asks for it. All in-flight slots are forgotten. A port that did not
 * fail may be recovered with `reset`, to end a drive's queued error state. *was_reset says whether a COMRESET was sent (the
 * drive must then be identified again). Errors as ahci_port_start(). At most 32 s. */
enum err ahci_port_recover(struct ahci_port *port, bool reset, bool *was_reset);

/* How much data one command may carry. */
#define AHCI_REQUEST_BYTES_MAX (AHCI_PRDS_PER_TABLE * PRD_BYTES_MAX)

#endif
