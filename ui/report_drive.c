/* The drive in the report: smartctl's names wherever it has one. */
#include "ui/report_drive.h"

/* `value` as smartctl gives it: the speed bits of word 76, the field of word 77. */
static void put_speed(struct json *j, const char *key, unsigned generation, unsigned value)
{
    static const uint64_t units[] = { 0, 15, 30, 60 };
    if (generation == 0 || generation >= ARRAY_LEN(units)) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_u64(j, "sata_value", value);
    json_str(j, "string", ata_link_text(generation));
    json_u64(j, "units_per_second", units[generation]);
    json_u64(j, "bits_per_unit", 100000000);
    json_object_end(j);
}

static void put_erase_time(struct json *j, const char *key, const struct ata_erase_time *t)
{
    if (t->kind == ATA_ERASE_TIME_NOT_REPORTED) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_u64(j, "minutes", t->minutes);
    json_bool(j, "or_more", t->kind == ATA_ERASE_TIME_AT_LEAST);
    json_object_end(j);
}

static void put_security(struct json *j, const struct ata_identity *id)
{
    char text[120];
    const struct ata_security *s = &id->security;
    ata_identify_security_text(id, text, sizeof(text));
    json_object(j, "ata_security");
    json_u64(j, "state", id->raw[ID_W128_SECURITY]);
    json_str(j, "string", text);
    json_bool(j, "supported", s->supported);
    json_bool(j, "enabled", s->enabled);
    json_bool(j, "locked", s->locked);
    json_bool(j, "frozen", s->frozen);
    json_bool(j, "pw_level_max", s->level_maximum);
    json_bool(j, "pw_attempts_exceeded", s->count_expired);
    json_bool(j, "enhanced_erase", s->enhanced_erase);
    json_u64(j, "master_password_id", s->master_id);
    put_erase_time(j, "erase_time", &s->erase);
    put_erase_time(j, "enhanced_erase_time", &s->enhanced);
    json_object_end(j);
}

static void put_features(struct json *j, const struct ata_identity *id)
{
    json_object(j, "trim");
    json_bool(j, "supported", id->trim);
    json_bool(j, "deterministic", id->drat);
    json_bool(j, "zeroed", id->rzat);
    json_u64(j, "blocks_max", id->dsm_blocks_max);
    json_bool(j, "blocks_stated", id->dsm_blocks_stated);
    json_object_end(j);
    json_object(j, "ncq");
    json_bool(j, "supported", id->ncq);
    json_u64(j, "queue_depth", id->queue_depth);
    json_bool(j, "send_receive", id->ncq_send_receive);
    json_object_end(j);
    json_object(j, "interface_speed");
    put_speed(j, "max", id->sata_gen_max, id->raw[ID_W076_SATA_CAP] & 0xfe);
    put_speed(j, "current", id->sata_gen_now, id->sata_gen_now);
    json_object_end(j);
    put_security(j, id);
    json_object(j, "write_cache");
    json_bool(j, "supported", id->write_cache_supported);
    json_bool(j, "enabled", id->write_cache_enabled);
    json_object_end(j);
    json_object(j, "read_lookahead");
    json_bool(j, "supported", id->look_ahead_supported);
    json_bool(j, "enabled", id->look_ahead_enabled);
    json_object_end(j);
    json_object(j, "sanitize");
    json_bool(j, "supported", id->sanitize);
    json_bool(j, "block_erase", id->sanitize_block);
    json_bool(j, "crypto_scramble", id->sanitize_crypto);
    json_bool(j, "overwrite", id->sanitize_overwrite);
    json_object_end(j);
}

static void put_wwn(struct json *j, const struct ata_identity *id)
{
    if (!id->wwn_valid) {
        json_null(j, "wwn");
        return;
    }
    json_object(j, "wwn");
    json_u64(j, "naa", id->wwn >> 60);
    json_u64(j, "oui", id->wwn >> 36 & 0xffffff);
    json_u64(j, "id", id->wwn & UINT64_C(0xfffffffff));
    json_object_end(j);
}

static void put_form_factor(struct json *j, const struct ata_identity *id)
{
    /* ACS-3 table 45, word 168 */
    static const char *const names[] = { "",           "5.25 inches",  "3.5 inches", "2.5 inches",
                                         "1.8 inches", "< 1.8 inches", "mSATA",      "M.2",
                                         "MicroSSD",   "CFast" };
    if (id->form_factor == 0) {
        json_null(j, "form_factor");
        return;
    }
    json_object(j, "form_factor");
    json_u64(j, "ata_value", id->form_factor);
    json_str(j, "name", id->form_factor < ARRAY_LEN(names) ? names[id->form_factor] : "unknown");
    json_object_end(j);
}

static void put_sata_version(struct json *j, const struct ata_identity *id)
{
    /* ACS-3 table 45, word 222: the highest bit set names the newest version */
    static const char *const names[] = { "ATA8-AST", "SATA 1.0a", "SATA II Ext", "SATA 2.5",
                                         "SATA 2.6", "SATA 3.0",  "SATA 3.1",    "SATA 3.2",
                                         "SATA 3.3", "SATA 3.4",  "SATA 3.5" };
    const char *name = "unknown";
    if (id->transport >> 12 != 1) {
        json_null(j, "sata_version"); /* not stated, or not a serial transport */
        return;
    }
    for (unsigned i = 0; i < 12; i++) {
        if ((id->transport >> i & 1) != 0) {
            name = i < ARRAY_LEN(names) ? names[i] : "newer than SATA 3.5";
        }
    }
    json_object(j, "sata_version");
    json_str(j, "string", name);
    json_u64(j, "value", id->transport);
    json_object_end(j);
}

static void put_versions(struct json *j, const struct ata_identity *id)
{
    json_object(j, "ata_version");
    json_str(j, "string", ata_version_text(id->ata_version));
    json_u64(j, "major_value", id->major);
    json_u64(j, "minor_value", id->raw[ID_W081_MINOR]);
    json_object_end(j);
    put_sata_version(j, id);
}

/* smartctl's way: 0 is solid state. */
static void put_rotation(struct json *j, const struct ata_identity *id)
{
    if (id->rotation == 0) {
        json_null(j, "rotation_rate");
    } else {
        json_u64(j, "rotation_rate", id->rotation == 1 ? 0 : id->rotation);
    }
}

static void put_identify(struct json *j, const struct ata_identity *id)
{
    json_array(j, "oddities");
    for (uint32_t bits = id->oddities; bits != 0; bits &= bits - 1) {
        json_str(j, NULL, ata_oddity_text((enum ata_oddity)(bits & (0 - bits))));
    }
    json_array_end(j);
    json_array(j, "identify");
    for (unsigned i = 0; i < ARRAY_LEN(id->raw); i += 16) {
        char line[16 * 5 + 1];
        struct text t;
        text_init(&t, line, sizeof(line));
        for (unsigned n = i; n < i + 16; n++) {
            text_fmt(&t, n == i ? "%04x" : " %04x", id->raw[n]);
        }
        json_str(j, NULL, line);
    }
    json_array_end(j);
}

void report_drive(struct json *j, const char *key, const struct ata_identity *id)
{
    json_object(j, key);
    json_str(j, "model_name", id->model);
    json_str(j, "serial_number", id->serial);
    json_str(j, "firmware_version", id->firmware);
    put_wwn(j, id);
    json_object(j, "user_capacity");
    json_u64(j, "blocks", id->sectors);
    if (id->logical_bytes != 0 && id->sectors > UINT64_MAX / id->logical_bytes) {
        json_null(j, "bytes"); /* IDENTIFY data that lie */
    } else {
        json_u64(j, "bytes", id->sectors * id->logical_bytes);
    }
    json_object_end(j);
    json_u64(j, "logical_block_size", id->logical_bytes);
    json_u64(j, "physical_block_size", id->physical_bytes);
    json_u64(j, "alignment_offset", id->alignment_offset);
    put_rotation(j, id);
    put_form_factor(j, id);
    put_versions(j, id);
    json_bool(j, "lba48", id->lba48);
    put_features(j, id);
    put_identify(j, id);
    json_object_end(j);
}
