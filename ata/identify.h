/* IDENTIFY DEVICE, read completely. Parsing never fails: a drive that lies is data. What does not
 * fit together is listed in `oddities`; what makes the drive unusable as a target is in `unusable`. */
#ifndef ATA_IDENTIFY_H
#define ATA_IDENTIFY_H

#include "ata/ata_regs.h"
#include "lib/err.h"
#include "lib/util.h"

/* Erase time estimate of words 89 / 90 (ACS-3 7.12.7.41). */
enum ata_erase_time_kind {
    ATA_ERASE_TIME_NOT_REPORTED,
    ATA_ERASE_TIME_MINUTES,
    ATA_ERASE_TIME_AT_LEAST, /* "n minutes or more" */
};

struct ata_erase_time {
    enum ata_erase_time_kind kind;
    uint32_t minutes;
};

struct ata_security {
    bool supported;
    bool enabled;
    bool locked;
    bool frozen;
    bool count_expired;
    bool enhanced_erase;
    bool level_maximum;
    uint16_t master_id; /* word 92; 0 and FFFFh: not supported */
    struct ata_erase_time erase;
    struct ata_erase_time enhanced;
};

/* Things that do not fit together; bits of `oddities`. */
enum ata_oddity {
    ATA_ODD_CHECKSUM = 1 << 0,     /* signature A5h present, sum wrong */
    ATA_ODD_NO_CHECKSUM = 1 << 1,  /* word 255 carries no signature: normal on old drives */
    ATA_ODD_TRIM_WORDS = 1 << 2,   /* words 69 / 105 speak of TRIM, word 169 does not */
    ATA_ODD_SECTOR_SIZE = 1 << 3,  /* physical sector above 1 MiB or word 106 contradictory */
    ATA_ODD_QUEUE_DEPTH = 1 << 4,  /* NCQ without a queue depth */
    ATA_ODD_INCOMPLETE = 1 << 5,   /* word 0 bit 2 or word 2: data not complete before spin-up */
    ATA_ODD_CAPACITY28 = 1 << 6,   /* 28-bit and 48-bit capacities contradict each other */
    ATA_ODD_NO_SERIAL = 1 << 7,    /* empty serial number: can never be named, so never a target */
    ATA_ODD_SERIAL_CHARS = 1 << 8, /* bytes outside 20h..7Eh in the serial number */
    ATA_ODD_BLANK = 1 << 9,        /* all words equal: no IDENTIFY data at all */
};

/* One line for each oddity bit (a single bit). */
const char *ata_oddity_text(enum ata_oddity bit);

struct ata_identity {
    char model[41];
    char serial[21]; /* trimmed both ends, printable; the raw bytes stay in `raw` */
    char firmware[9];
    bool wwn_valid; /* NAA 5 with a non-zero OUI */
    uint64_t wwn;

    uint64_t sectors; /* addressable logical sectors; 0: not usable */
    uint32_t logical_bytes;
    uint32_t physical_bytes;
    uint32_t alignment_offset; /* logical sectors before the first physical boundary (word 209) */
    bool lba;
    bool lba48;
    bool dma;

    bool ncq;
    unsigned queue_depth;  /* 1..32; 1 where there is no NCQ */
    bool ncq_send_receive; /* SEND/RECEIVE FPDMA QUEUED (word 77 bit 6) */
    bool ncq_non_data;

    bool trim;
    bool drat;               /* deterministic read after TRIM */
    bool rzat;               /* ... and the data are zeros */
    unsigned dsm_blocks_max; /* word 105; 1 where it is 0 */
    bool dsm_blocks_stated;

    bool sata;             /* word 76 says so */
    unsigned sata_gen_max; /* 0 unknown, 1..3 */
    unsigned sata_gen_now;
    uint8_t udma_supported; /* word 88 low byte where valid */
    uint8_t udma_selected;  /* its high byte */

    bool smart_supported, smart_enabled;
    bool write_cache_supported, write_cache_enabled;
    bool look_ahead_supported, look_ahead_enabled;
    bool apm_supported, apm_enabled;
    uint8_t apm_level;
    bool flush_ext;
    bool fua;
    bool gpl; /* general purpose logging: READ LOG EXT */
    bool read_log_dma;
    bool hpa;
    bool dco;
    bool amax;
    bool puis; /* power-up in standby */
    bool needs_spin_up_command;
    bool trusted; /* Trusted Computing: SECURITY may be hidden */
    bool dipm, devsleep, ssp_supported, ssp_enabled;

    bool sanitize, sanitize_crypto, sanitize_block, sanitize_overwrite, sanitize_antifreeze;
    struct ata_security security;

    uint16_t major;       /* word 80; 0 or FFFFh: not stated */
    unsigned ata_version; /* highest bit of word 80: 8 = ATA8-ACS, 9 = ACS-2, ...; 0 unknown */
    uint16_t rotation;    /* 0 not stated, 1 non-rotating, else rpm */
    unsigned form_factor; /* word 168, 0 not stated */
    uint16_t transport;   /* word 222 */

    uint32_t oddities;
    const char *unusable; /* NULL, or why this drive can be no target (one sentence) */

    uint16_t raw[256]; /* host byte order; word 0 first */
};

/* Parse the 512 bytes as they came over the wire. Fills all of *out. */
void ata_identify_parse(const uint8_t data[ATA_IDENTIFY_BYTES], struct ata_identity *out);

/* Put the identity back into wire order (for dumps). */
void ata_identify_bytes(const struct ata_identity *id, uint8_t out[ATA_IDENTIFY_BYTES]);

/* A plain-text dump that `hdparm --Istdin` reads back: 256 words in hex, eight a line. `cap` of 2048 is
 * always enough; returns the length. */
size_t ata_identify_dump(const struct ata_identity *id, char *buf, size_t cap);

/* "TRIM yes, reads zeros", "frozen", ... one line each, into buf[cap]. */
void ata_identify_trim_text(const struct ata_identity *id, char *buf, size_t cap);
void ata_identify_security_text(const struct ata_identity *id, char *buf, size_t cap);
void ata_erase_time_text(const struct ata_erase_time *t, char *buf, size_t cap);
/* "ACS-2", "ATA/ATAPI-7", "not stated" */
const char *ata_version_text(unsigned ata_version);
/* "6.0 Gb/s", "unknown" for a link generation 0..3. */
const char *ata_link_text(unsigned generation);

#endif
