/* Faults as a script: what goes wrong, on which occasion. A test writes them as an array:
 *
 *   .faults = { { .what = SIM_DATA_NEVER, .opcode = ATA_READ_DMA_EXT, .nth = 3 },
 *               { .what = SIM_DEVICE_ERROR, .lba_first = 5000, .lba_count = 1, .error = ATA_ERR_UNC } }
 *
 * Each kind has its own occasion: a command, a COMRESET, a register access, an attempt to stop an engine.
 * nth counts the occasions that match. */
#ifndef SIM_SIM_FAULT_H
#define SIM_SIM_FAULT_H

#include "lib/util.h"

enum {
    SIM_FAULTS_MAX = 16,
    SIM_ALWAYS = 0x7fffffff, /* for `times` */
};

enum sim_fault_what {
    SIM_NO_FAULT,

    /* In the drive; the occasion is a command it received. */
    SIM_DEVICE_ERROR, /* ends with .status (51h) and .error (UNC); data before the bad LBA still move */
    SIM_HANG,         /* never ends; unqueued: BSY until COMRESET */
    SIM_SLOW,         /* takes .us longer */
    SIM_LOST_COMPLETION, /* does everything, tells nobody */
    SIM_BIT_FLIP,        /* byte .bytes of the data has bit 0 inverted, read or written */
    SIM_OTHER_LBA,       /* data of (or written to) the sector .value further on */
    SIM_WRITE_LOST,      /* ends well, nothing is stored */
    SIM_LINK_DROP,       /* link gone at the command, back after .us (0: for good) */
    SIM_SERIAL_CHANGED, /* the same, and it is another drive that comes back (after 1 s when .us is 0) */

    /* In the drive; the occasion is a COMRESET. */
    SIM_BSY_STUCK,   /* the signature never comes */
    SIM_DET_LATE,    /* presence is seen at once, DET = 3 only after .us */
    SIM_NO_LINK,     /* presence is seen, DET stays 1 */
    SIM_NO_PRESENCE, /* nothing answers */
    SIM_SIGNATURE,   /* the signature is .value; FFFFFFFFh: BSY clears without one */

    /* In the controller; the occasion is a command it fetched. */
    SIM_DATA_NEVER,        /* ends well with a full PRDBC, nothing arrived in memory */
    SIM_DATA_LATE,         /* ends well, the data arrive .us later */
    SIM_DATA_SHORT,        /* only the first .bytes arrive, PRDBC says all of them */
    SIM_DATA_SHORT_HONEST, /* the same with an honest PRDBC */
    SIM_PRDBC_WRONG,       /* PRDBC = .value */
    SIM_WRITE_OUTSIDE,  /* .bytes (16) beyond the end of the last region are overwritten as well */
    SIM_IFS,            /* interface fatal error; the drive never sees the command */
    SIM_HBFS,           /* host bus fatal error, the same */
    SIM_TFES_NO_D2H,    /* PxIS.TFES and PxTFD = .error, .status, no FIS in memory */
    SIM_QEMU_NCQ_ERROR, /* SDBS and PxTFD.STS.ERR, no TFES, PxSACT stays set, 1 << tag in PxSERR */
    SIM_CCS_WRONG,      /* CCS names another slot from then on */

    /* In the controller; the occasion is named with each. */
    SIM_ALL_ONES, /* any register access; a command where .opcode is set. Lasts for good */
    SIM_AE_NEEDS, /* (no occasion) AE takes only from the .value-th write on */
    SIM_HR_STUCK, /* HBA reset: never clears */
    SIM_CR_STUCK, /* ST written 0 while CR is 1: CR stays. Lasts for good unless .times says */
    SIM_FR_STUCK, /* FRE written 0 while FR is 1: FR stays. Lasts for good unless .times says */
};

struct sim_fault {
    enum sim_fault_what what;
    /* when */
    uint8_t opcode;     /* 0: any command */
    uint32_t nth;       /* from 1; 0: the first */
    uint32_t times;     /* so many occasions from then on; 0: one (or as the kind says) */
    uint64_t lba_first; /* only commands that touch these sectors; lba_count 0: any command */
    uint64_t lba_count;
    uint32_t ports; /* only on these ports, bit n is port n; 0: on any */
    /* how */
    uint8_t status;
    uint8_t error;
    uint64_t us;
    uint64_t bytes;
    uint64_t value;
};

struct sim_faults {
    const struct sim_fault *script;
    size_t count;
    uint32_t seen[SIM_FAULTS_MAX];  /* occasions that matched so far */
    uint32_t fired[SIM_FAULTS_MAX]; /* how often it struck */
};

/* What an occasion looks like to the script. */
struct sim_occasion {
    unsigned port;
    uint8_t opcode; /* 0 where it is no command */
    uint64_t lba;
    uint64_t count; /* sectors; 0 where the command has no address */
};

/* The script is the caller's and must outlive the faults; it ends at `cap` or at the first SIM_NO_FAULT. */
void sim_faults_init(struct sim_faults *faults, const struct sim_fault *script, size_t cap);

/* Does a fault of a kind first..last strike on this occasion? Counts the occasion for every fault of those
 * kinds that matches; returns the first that strikes, or NULL. */
const struct sim_fault *sim_fault_strikes(struct sim_faults *faults, enum sim_fault_what first,
                                          enum sim_fault_what last,
                                          const struct sim_occasion *occasion);

/* The first fault of this kind in the script, whether it struck or not; NULL: none. */
const struct sim_fault *sim_fault_find(const struct sim_faults *faults, enum sim_fault_what what,
                                       unsigned port);

/* How often the fault at this index of the script struck. */
uint32_t sim_fault_fired(const struct sim_faults *faults, size_t index);

#endif
