/* IDENTIFY DEVICE in words, and as a dump other tools can read. */
#include "ata/identify.h"
#include "lib/text.h"

const char *ata_oddity_text(enum ata_oddity bit)
{
    switch (bit) {
    case ATA_ODD_CHECKSUM:
        return "IDENTIFY data: the checksum is wrong";
    case ATA_ODD_NO_CHECKSUM:
        return "IDENTIFY data carry no checksum (normal on old drives)";
    case ATA_ODD_TRIM_WORDS:
        return "words 69 and 105 speak of TRIM, word 169 says there is none; word 169 decides";
    case ATA_ODD_SECTOR_SIZE:
        return "the physical sector size in word 106 makes no sense";
    case ATA_ODD_QUEUE_DEPTH:
        return "NCQ without a queue depth; depth 1 is used";
    case ATA_ODD_INCOMPLETE:
        return "IDENTIFY data are incomplete until the drive is spun up";
    case ATA_ODD_CAPACITY28:
        return "the 28-bit and 48-bit capacities contradict each other; the 48-bit one is used";
    case ATA_ODD_NO_SERIAL:
        return "no serial number";
    case ATA_ODD_SERIAL_CHARS:
        return "the serial number holds unprintable bytes";
    case ATA_ODD_BLANK:
        return "IDENTIFY data are blank";
    }
    return "unknown oddity";
}

size_t ata_identify_dump(const struct ata_identity *id, char *buf, size_t cap)
{
    struct text t;
    text_init(&t, buf, cap);
    for (unsigned i = 0; i < ARRAY_LEN(id->raw); i++) {
        /* hdparm --Istdin wants each word as it lies in a little-endian host's memory. */
        text_fmt(&t, "%04x%c", id->raw[i], i % 8 == 7 ? '\n' : ' ');
    }
    return t.len;
}

void ata_identify_trim_text(const struct ata_identity *id, char *buf, size_t cap)
{
    const char *promise = id->rzat   ? "promises zeros (RZAT)"
                          : id->drat ? "promises stable reads (DRAT)"
                                     : "promises nothing about reads";
    if (!id->trim) {
        text_print(buf, cap, "not supported");
    } else if (id->dsm_blocks_stated) {
        text_print(buf, cap, "yes, %s, up to %u blocks a command", promise, id->dsm_blocks_max);
    } else {
        text_print(buf, cap, "yes, %s, block limit not stated", promise);
    }
}

void ata_identify_security_text(const struct ata_identity *id, char *buf, size_t cap)
{
    const struct ata_security *s = &id->security;
    struct text t;
    text_init(&t, buf, cap);
    if (!s->supported) {
        text_str(&t, "not supported");
        return;
    }
    text_str(&t, s->enabled ? "password set" : "no password");
    if (s->enabled) {
        text_str(&t, s->level_maximum ? ", level maximum" : ", level high");
    }
    text_str(&t, s->locked ? ", LOCKED" : ", unlocked");
    text_str(&t, s->frozen ? ", frozen" : ", not frozen");
    if (s->count_expired) {
        text_str(&t, ", password attempts exceeded");
    }
    if (s->enhanced_erase) {
        text_str(&t, ", enhanced erase");
    }
}

void ata_erase_time_text(const struct ata_erase_time *t, char *buf, size_t cap)
{
    switch (t->kind) {
    case ATA_ERASE_TIME_NOT_REPORTED:
        text_print(buf, cap, "not reported");
        break;
    case ATA_ERASE_TIME_MINUTES:
        text_print(buf, cap, "%u min", t->minutes);
        break;
    case ATA_ERASE_TIME_AT_LEAST:
        text_print(buf, cap, "> %u min", t->minutes);
        break;
    }
}

const char *ata_version_text(unsigned ata_version)
{
    static const char *const names[] = {
        "not stated",  "ATA-1",    "ATA-2", "ATA-3", "ATA/ATAPI-4", "ATA/ATAPI-5", "ATA/ATAPI-6",
        "ATA/ATAPI-7", "ATA8-ACS", "ACS-2", "ACS-3", "ACS-4",       "ACS-5",       "ACS-6",
    };
    return ata_version < ARRAY_LEN(names) ? names[ata_version] : "unknown";
}

const char *ata_link_text(unsigned generation)
{
    static const char *const names[] = { "unknown", "1.5 Gb/s", "3.0 Gb/s", "6.0 Gb/s" };
    return generation < ARRAY_LEN(names) ? names[generation] : "unknown";
}
