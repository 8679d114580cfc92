/* IDENTIFY DEVICE: every word a plan needs, with the validity rule of each (ACS-3 7.12.7). Words of old drives hold
 * 0 or FFFFh where a field did not exist yet, so nothing is read without its validity pair. */
#include "ata/identify.h"

#include "lib/text.h"

#define PHYSICAL_BYTES_SANE (1u << 20)

/* Bits 15:14 = 01b say that the word means something. */
static bool valid_01b(uint16_t word)
{
    return (word & 0xc000) == 0x4000;
}

static bool bit(uint16_t word, unsigned n)
{
    return (word >> n & 1) != 0;
}

static bool stated(uint16_t word)
{
    return word != 0 && word != 0xffff;
}

/* ATA strings: first character in the high byte of each word. */
static void get_string(const struct ata_identity *id, unsigned word, unsigned words, char *out)
{
    char raw[40];
    for (unsigned i = 0; i < words; i++) {
        raw[(size_t)2 * i] = (char)(id->raw[word + i] >> 8);
        raw[(size_t)2 * i + 1] = (char)id->raw[word + i];
    }
    text_copy_trimmed(out, (size_t)words * 2 + 1, raw, (size_t)words * 2);
}

static bool string_is_printable(const struct ata_identity *id, unsigned word, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        uint8_t high = (uint8_t)(id->raw[word + i] >> 8);
        uint8_t low = (uint8_t)id->raw[word + i];
        if ((high != 0 && (high < 0x20 || high > 0x7e)) ||
            (low != 0 && (low < 0x20 || low > 0x7e))) {
            return false;
        }
    }
    return true;
}

static uint64_t get_words(const struct ata_identity *id, unsigned word, unsigned words)
{
    uint64_t value = 0;
    for (unsigned i = words; i > 0; i--) {
        value = value << 16 | id->raw[word + i - 1];
    }
    return value;
}

static void parse_names(struct ata_identity *id)
{
    get_string(id, ID_W010_SERIAL, 10, id->serial);
    get_string(id, ID_W023_FIRMWARE, 4, id->firmware);
    get_string(id, ID_W027_MODEL, 20, id->model);
    if (id->serial[0] == '\0') {
        id->oddities |= ATA_ODD_NO_SERIAL;
    }
    if (!string_is_printable(id, ID_W010_SERIAL, 10)) {
        id->oddities |= ATA_ODD_SERIAL_CHARS;
    }
    /* Words 108-111, first word most significant; NAA in its upper nibble. */
    for (unsigned i = 0; i < 4; i++) {
        id->wwn = id->wwn << 16 | id->raw[ID_W108_WWN + i];
    }
    uint64_t oui = id->wwn >> 36 & 0xffffff;
    id->wwn_valid = id->wwn >> 60 == 5 && oui != 0 && valid_01b(id->raw[ID_W087_ENABLED_EXT]) &&
                    bit(id->raw[ID_W087_ENABLED_EXT], 8);
}

static void parse_sector_size(struct ata_identity *id)
{
    uint16_t w106 = id->raw[ID_W106_SECTOR_SIZE];
    id->logical_bytes = 512;
    if (valid_01b(w106) && bit(w106, 12)) {
        uint64_t words = get_words(id, ID_W117_LOGICAL_WORDS, 2);
        id->logical_bytes = words > UINT32_MAX / 2 ? 0 : (uint32_t)words * 2;
    }
    id->physical_bytes = id->logical_bytes;
    if (valid_01b(w106) && bit(w106, 13)) {
        uint64_t physical = (uint64_t)id->logical_bytes << (w106 & 0x0f);
        id->physical_bytes = physical > UINT32_MAX ? 0 : (uint32_t)physical;
    }
    if (id->physical_bytes == 0 || id->physical_bytes > PHYSICAL_BYTES_SANE ||
        (valid_01b(w106) && !bit(w106, 13) && (w106 & 0x0f) != 0)) {
        id->oddities |= ATA_ODD_SECTOR_SIZE;
    }
    uint16_t w209 = id->raw[ID_W209_ALIGNMENT];
    if (valid_01b(w209)) {
        id->alignment_offset = w209 & 0x3fff;
    }
}

static void parse_capacity(struct ata_identity *id)
{
    uint16_t w83 = id->raw[ID_W083_LBA48];
    uint64_t lba28 = get_words(id, ID_W060_LBA28, 2);
    id->lba = bit(id->raw[ID_W049_CAPABILITIES], 9);
    id->dma = bit(id->raw[ID_W049_CAPABILITIES], 8);
    id->lba48 = valid_01b(w83) && bit(w83, 10);
    id->sectors = lba28;
    if (id->lba48) {
        id->sectors = get_words(id, ID_W100_LBA48_SECTORS, 4);
        if (bit(id->raw[ID_W069_ADDITIONAL], 3) && stated(id->raw[ID_W069_ADDITIONAL])) {
            uint64_t extended = get_words(id, ID_W230_EXT_SECTORS, 4);
            id->sectors = extended != 0 ? extended : id->sectors;
        }
        /* Below 2^28 - 1 sectors both fields give the same number. */
        if (id->sectors < ATA_LBA28_END - 1 && lba28 != id->sectors) {
            id->oddities |= ATA_ODD_CAPACITY28;
        }
    }
}

static void parse_queueing(struct ata_identity *id)
{
    uint16_t w76 = id->raw[ID_W076_SATA_CAP];
    uint16_t w77 = id->raw[ID_W077_SATA_CAP2];
    uint16_t w78 = id->raw[ID_W078_SATA_FEATURES];
    uint16_t w79 = id->raw[ID_W079_SATA_ENABLED];
    id->queue_depth = 1;
    id->sata = stated(w76) && (w76 & 1) == 0;
    if (!id->sata) {
        return;
    }
    id->sata_gen_max = bit(w76, 3) ? 3 : bit(w76, 2) ? 2 : bit(w76, 1) ? 1 : 0;
    id->ncq = bit(w76, 8);
    if (stated(w77)) {
        unsigned now = w77 >> 1 & 7;
        id->sata_gen_now = now <= 3 ? now : 0;
        id->ncq_non_data = bit(w77, 5);
        id->ncq_send_receive = bit(w77, 6);
    }
    if (stated(w78)) {
        id->ssp_supported = bit(w78, 6);
        id->devsleep = bit(w78, 8);
    }
    if (stated(w79)) {
        id->dipm = bit(w79, 3);
        id->ssp_enabled = bit(w79, 6);
    }
    if (id->ncq) {
        uint16_t w75 = id->raw[ID_W075_QUEUE_DEPTH];
        id->queue_depth = (w75 & 0x1f) + 1u;
        if (w75 == 0 || w75 == 0xffff) {
            id->oddities |= ATA_ODD_QUEUE_DEPTH;
            id->queue_depth = 1;
        }
    }
}

static void parse_trim(struct ata_identity *id)
{
    uint16_t w69 = stated(id->raw[ID_W069_ADDITIONAL]) ? id->raw[ID_W069_ADDITIONAL] : 0;
    uint16_t w105 = id->raw[ID_W105_DSM_BLOCKS];
    uint16_t w169 = id->raw[ID_W169_DSM];
    id->trim = bit(w169, 0) && w169 != 0xffff;
    id->drat = id->trim && bit(w69, 14);
    id->rzat = id->trim && bit(w69, 5);
    id->dsm_blocks_stated = stated(w105);
    id->dsm_blocks_max = id->dsm_blocks_stated ? w105 : 1;
    if (!id->trim && (bit(w69, 14) || bit(w69, 5) || id->dsm_blocks_stated)) {
        id->oddities |= ATA_ODD_TRIM_WORDS;
    }
}

static void parse_features(struct ata_identity *id)
{
    uint16_t w82 = stated(id->raw[ID_W082_SUPPORTED]) ? id->raw[ID_W082_SUPPORTED] : 0;
    uint16_t w83 = valid_01b(id->raw[ID_W083_LBA48]) ? id->raw[ID_W083_LBA48] : 0;
    uint16_t w84 = valid_01b(id->raw[ID_W084_SUPPORTED_EXT]) ? id->raw[ID_W084_SUPPORTED_EXT] : 0;
    uint16_t w85 = stated(id->raw[ID_W085_ENABLED]) ? id->raw[ID_W085_ENABLED] : 0;
    uint16_t w86 = stated(id->raw[ID_W086_ENABLED2]) ? id->raw[ID_W086_ENABLED2] : 0;
    id->smart_supported = bit(w82, 0);
    id->smart_enabled = bit(w85, 0);
    id->write_cache_supported = bit(w82, 5);
    id->write_cache_enabled = bit(w85, 5);
    id->look_ahead_supported = bit(w82, 6);
    id->look_ahead_enabled = bit(w85, 6);
    id->hpa = bit(w82, 10);
    id->apm_supported = bit(w83, 3);
    id->apm_enabled = bit(w86, 3);
    id->apm_level = (uint8_t)id->raw[ID_W091_APM];
    id->puis = bit(w83, 5);
    id->needs_spin_up_command =
        id->raw[ID_W002_SPECIFIC] == 0x37c8 || id->raw[ID_W002_SPECIFIC] == 0x738c;
    id->dco = bit(w83, 11);
    id->flush_ext = bit(w83, 13);
    id->gpl = bit(w84, 5);
    id->fua = bit(w84, 6);
    if (bit(w86, 15)) {
        uint16_t w119 = id->raw[ID_W119_SUPPORTED3];
        uint16_t w120 = id->raw[ID_W120_ENABLED3];
        id->read_log_dma = valid_01b(w119) && valid_01b(w120) && bit(w119, 3) && bit(w120, 3);
        id->amax = valid_01b(w119) && bit(w119, 8);
    }
    if (stated(id->raw[ID_W053_VALIDITY]) && bit(id->raw[ID_W053_VALIDITY], 2)) {
        id->udma_supported = (uint8_t)id->raw[ID_W088_UDMA];
        id->udma_selected = (uint8_t)(id->raw[ID_W088_UDMA] >> 8);
    }
    id->trusted = valid_01b(id->raw[ID_W048_TRUSTED]) && bit(id->raw[ID_W048_TRUSTED], 0);
    id->form_factor = stated(id->raw[ID_W168_FORM_FACTOR]) ? id->raw[ID_W168_FORM_FACTOR] & 0xf : 0;
    id->rotation = id->raw[ID_W217_ROTATION] == 0xffff ? 0 : id->raw[ID_W217_ROTATION];
    id->transport = id->raw[ID_W222_TRANSPORT];
}

static void parse_version(struct ata_identity *id)
{
    id->major = id->raw[ID_W080_MAJOR];
    if (!stated(id->major)) {
        return;
    }
    for (unsigned i = 1; i < 15; i++) {
        if (bit(id->major, i)) {
            id->ata_version = i;
        }
    }
}

static struct ata_erase_time parse_erase_time(uint16_t word)
{
    /* Bit 15 chooses between an 8-bit and a 15-bit count of two-minute units. */
    uint32_t units = bit(word, 15) ? word & 0x7fffu : word & 0xffu;
    uint32_t limit = bit(word, 15) ? 0x7fffu : 0xffu;
    struct ata_erase_time t = { .kind = ATA_ERASE_TIME_MINUTES, .minutes = units * 2 };
    if (units == 0) {
        t = (struct ata_erase_time){ .kind = ATA_ERASE_TIME_NOT_REPORTED };
    } else if (units == limit) {
        t = (struct ata_erase_time){ .kind = ATA_ERASE_TIME_AT_LEAST, .minutes = (limit - 1) * 2 };
    }
    return t;
}

static void parse_security(struct ata_identity *id)
{
    struct ata_security *s = &id->security;
    uint16_t w128 = id->raw[ID_W128_SECURITY];
    uint16_t w59 = id->raw[ID_W059_SANITIZE];
    s->supported = bit(w128, 0) && w128 != 0xffff;
    if (s->supported) {
        s->enabled = bit(w128, 1);
        s->locked = bit(w128, 2);
        s->frozen = bit(w128, 3);
        s->count_expired = bit(w128, 4);
        s->enhanced_erase = bit(w128, 5);
        s->level_maximum = bit(w128, 8);
        s->master_id = id->raw[ID_W092_MASTER_ID];
        s->erase = parse_erase_time(id->raw[ID_W089_ERASE_TIME]);
        s->enhanced = parse_erase_time(id->raw[ID_W090_ENH_ERASE_TIME]);
    }
    id->sanitize = bit(w59, 12) && w59 != 0xffff;
    if (id->sanitize) {
        id->sanitize_antifreeze = bit(w59, 10);
        id->sanitize_crypto = bit(w59, 13);
        id->sanitize_overwrite = bit(w59, 14);
        id->sanitize_block = bit(w59, 15);
    }
}

static void check_integrity(struct ata_identity *id, const uint8_t *data)
{
    uint8_t sum = 0;
    bool blank = true;
    for (unsigned i = 0; i < ATA_IDENTIFY_BYTES; i++) {
        sum = (uint8_t)(sum + data[i]);
        blank = blank && data[i] == data[0];
    }
    if (blank) {
        id->oddities |= ATA_ODD_BLANK;
    } else if (data[ATA_IDENTIFY_BYTES - 2] != 0xa5) {
        id->oddities |= ATA_ODD_NO_CHECKSUM;
    } else if (sum != 0) {
        id->oddities |= ATA_ODD_CHECKSUM;
    }
    if (id->raw[ID_W002_SPECIFIC] == 0x37c8 || id->raw[ID_W002_SPECIFIC] == 0x8c73 ||
        (bit(id->raw[ID_W000_GENERAL], 2) && id->raw[ID_W000_GENERAL] != 0x848a)) {
        id->oddities |= ATA_ODD_INCOMPLETE;
    }
}

/* Why this drive can be no target at all. */
static const char *judge(const struct ata_identity *id)
{
    if ((id->oddities & ATA_ODD_BLANK) != 0) {
        return "its IDENTIFY data are blank";
    }
    if (bit(id->raw[ID_W000_GENERAL], 15) && id->raw[ID_W000_GENERAL] != 0x848a) {
        return "it says that it is no ATA disk (word 0)";
    }
    if ((id->oddities & ATA_ODD_INCOMPLETE) != 0) {
        return "it waits for a spin-up command (power-up in standby) and gives incomplete data";
    }
    if (id->serial[0] == '\0') {
        return "it has no serial number, so it cannot be named safely";
    }
    if ((id->oddities & ATA_ODD_SERIAL_CHARS) != 0) {
        return "its serial number holds bytes that cannot be typed";
    }
    if (!id->lba) {
        return "it knows no LBA addressing";
    }
    if (!id->dma) {
        return "it knows no DMA transfers";
    }
    if (id->logical_bytes != 512 && id->logical_bytes != 4096) {
        return "its logical sectors are neither 512 nor 4096 bytes";
    }
    if (id->sectors == 0 || id->sectors > ATA_LBA48_END) {
        return "its capacity makes no sense";
    }
    if (!id->lba48 && id->sectors > ATA_LBA28_END) {
        return "its capacity does not fit its addressing";
    }
    if (id->security.locked) {
        return "it is locked with a password";
    }
    return NULL;
}

void ata_identify_parse(const uint8_t data[ATA_IDENTIFY_BYTES], struct ata_identity *out)
{
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < ARRAY_LEN(out->raw); i++) {
        out->raw[i] = get_le16(data + (size_t)2 * i);
    }
    check_integrity(out, data);
    parse_names(out);
    parse_sector_size(out);
    parse_capacity(out);
    parse_queueing(out);
    parse_trim(out);
    parse_features(out);
    parse_version(out);
    parse_security(out);
    out->unusable = judge(out);
}

void ata_identify_bytes(const struct ata_identity *id, uint8_t out[ATA_IDENTIFY_BYTES])
{
    for (unsigned i = 0; i < ARRAY_LEN(id->raw); i++) {
        put_le16(out + (size_t)2 * i, id->raw[i]);
    }
}
