/* IDENTIFY DEVICE of real drives, and of drives that lie. The expectations were taken from the publishers' own
 * descriptions and from `hdparm -I`, not from this parser. */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "ata/identify.h"

#include <stdlib.h>

#include "tests/test.h"

struct expectation {
    const char *file;
    uint64_t sectors;
    bool lba48;
    uint32_t logical, physical;
    bool trim, drat, rzat; /* as the words stand */
    unsigned word105;
    bool security, enabled, frozen, enhanced;
    uint32_t erase_min, enhanced_min; /* 0: not reported */
    bool ncq;
    unsigned depth, gen_max, gen_now;
    uint32_t checksum; /* oddity about the checksum */
};

/* clang-format off */
static const struct expectation drives[] = {
    { "Crucial_CT120M500SSD1_fw_MU05.txt", 234441648, true, 512, 131072, false, true, true, 8, true, false, true, true, 2, 2, true, 32, 3, 3, ATA_ODD_CHECKSUM },
    { "INTEL_SSDSA2CW120G3_fw_4PC10302.txt", 234441648, true, 512, 512, true, true, true, 8, true, true, true, true, 2, 2, true, 32, 2, 0, 0 },
    { "INTEL_SSDSA2MH080G1GC_fw_045C8820.txt", 156301488, true, 512, 512, false, false, false, 0, true, false, false, true, 2, 2, true, 31, 2, 0, 0 },
    { "MCCOE64GEMPP_fw_2.9.09.txt", 117231408, false, 512, 512, false, false, false, 0, true, false, false, false, 2, 0, false, 1, 0, 0, 0 },
    { "SAMSUNG_MMCQE28G8MUP-0VA_fw_VAM08L1Q.txt", 250069680, true, 512, 512, false, false, false, 0, true, false, true, true, 6, 6, false, 1, 2, 0, 0 },
    { "Samsung_SSD_840_EVO_750GB_fw_EXT0DB6Q.txt", 1465149168, true, 512, 512, true, false, false, 8, true, false, true, true, 2, 8, true, 32, 3, 3, ATA_ODD_CHECKSUM },
    { "Samsung_SSD_850_EVO_1TB_fw_EMT01B6Q.txt", 1953525168, true, 512, 512, true, false, false, 8, true, false, false, true, 2, 8, true, 32, 3, 2, 0 },
    { "Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", 976773168, true, 512, 512, true, true, true, 8, true, false, true, true, 4, 8, true, 32, 3, 3, 0 },
    { "Samsung_SSD_870_EVO_2TB_fw_SVT02B6Q.txt", 3907029168, true, 512, 512, true, true, true, 8, true, false, false, true, 4, 8, true, 32, 3, 3, 0 },
    { "StarDrive_Phison_SBFM61.2.txt", 468862128, true, 512, 512, true, false, false, 8, true, false, true, true, 20, 60, true, 32, 3, 3, 0 },
    { "FUJITSU_MHY2120BH_fw_0084000D.txt", 234441648, true, 512, 512, false, false, false, 0, true, false, true, false, 120, 0, true, 32, 1, 0, 0 },
    { "FUJITSU_MHY2120BH_fw_0085000B.txt", 234441648, true, 512, 512, false, false, false, 0, true, false, true, false, 120, 0, true, 32, 1, 0, 0 },
    { "FUJITSU_MHY2250BH_fw_0085000B.txt", 488397168, true, 512, 512, false, false, false, 0, true, false, true, false, 250, 0, true, 32, 1, 0, 0 },
    { "FUJITSU_MHZ2160BH_G1_fw_0084000A.txt", 312581808, true, 512, 512, false, false, false, 0, true, false, false, false, 160, 0, true, 32, 1, 0, 0 },
    { "Hitachi_HDE721010SLA330_fw_ST6OA3AA.txt", 1953525168, true, 512, 512, false, false, false, 0, true, false, true, false, 324, 0, true, 32, 2, 0, 0 },
    { "Hitachi_HUA722010CLA330_fw_JP4OA3EA.txt", 1953525168, true, 512, 512, false, false, false, 0, true, false, false, false, 232, 0, true, 32, 2, 0, ATA_ODD_CHECKSUM },
    { "Maxtor_96147H8_fw_BAC51KJ0.txt", 120060864, false, 512, 512, false, false, false, 0, false, false, false, false, 0, 0, false, 1, 0, 0, 0 },
    { "SAMSUNG_HD501LJ_fw_CR100-12.txt", 976773168, true, 512, 512, false, false, false, 0, true, false, false, true, 168, 168, true, 32, 2, 0, 0 },
    { "SAMSUNG_MP0804H_fw_UE100-14.txt", 156368016, true, 512, 512, false, false, false, 0, true, false, false, true, 88, 88, false, 1, 0, 0, 0 },
    { "ST3160023AS_fw_3.18.txt", 312581808, true, 512, 512, false, false, false, 0, true, false, false, false, 0, 0, false, 1, 1, 0, 0 },
    { "ST320410A_fw_3.39.txt", 39100223, false, 512, 512, false, false, false, 0, true, false, false, false, 0, 0, false, 1, 0, 0, 0 },
    { "ST380013AS_fw_3.18_via_SAT_page.txt", 156301488, true, 512, 512, false, false, false, 0, true, false, false, false, 0, 0, false, 1, 1, 0, 0 },
    { "ST9100821AS_fw_3.CME.txt", 195371568, true, 512, 512, false, false, false, 0, true, false, false, true, 42, 42, true, 32, 1, 0, 0 },
    { "ST9160821AS_fw_3.CLH.txt", 312581808, true, 512, 512, false, false, false, 0, true, false, true, true, 88, 88, true, 32, 1, 0, 0 },
    { "TOSHIBA_MK1651GSY_fw_LD001D.txt", 312581808, true, 512, 512, false, false, false, 0, true, false, true, false, 68, 0, true, 32, 2, 0, 0 },
    { "TOSHIBA_MK4025GAS_fw_KA100A.txt", 78140160, false, 512, 512, false, false, false, 0, true, false, false, false, 36, 0, false, 1, 0, 0, 0 },
    { "WDC_WD2500JB-00REA0_fw_20.00K20.txt", 488397168, true, 512, 512, false, false, false, 0, true, false, false, false, 0, 0, false, 1, 0, 0, 0 },
    { "WDC_WD2500JS-75NCB3_fw_10.02E04.txt", 488281250, true, 512, 512, false, false, false, 0, true, false, false, false, 0, 0, true, 32, 2, 0, 0 },
    { "WDC_WD5000AAKS-00TMA0_fw_12.01C01.txt", 976773168, true, 512, 512, false, false, false, 0, true, false, false, false, 122, 0, true, 32, 2, 0, 0 },
};
/* clang-format on */

static void load(const char *name, uint8_t out[ATA_IDENTIFY_BYTES])
{
    char path[256];
    char line[4096];
    unsigned words = 0;
    snprintf(path, sizeof(path), "tests/identify/%s", name);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    while (fgets(line, sizeof(line), f) != NULL && words < 256) {
        if (line[0] == '#') {
            continue;
        }
        for (char *at = line; words < 256;) {
            char *end;
            unsigned long word = strtoul(at, &end, 16);
            if (end == at) {
                break;
            }
            put_le16(out + 2 * (size_t)words++, (uint16_t)word);
            at = end;
        }
    }
    fclose(f);
    CHECK_EQ(words, 256);
}

static struct ata_identity parsed(const char *name)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load(name, data);
    ata_identify_parse(data, &id);
    return id;
}

static void check_drive(const struct expectation *e)
{
    struct ata_identity id = parsed(e->file);
    printf("  %s: %s, serial %s\n", e->file, id.model, id.serial);
    CHECK_EQ(id.sectors, e->sectors);
    CHECK_EQ(id.lba48, e->lba48);
    CHECK_EQ(id.logical_bytes, e->logical);
    CHECK_EQ(id.physical_bytes, e->physical);
    CHECK_EQ(id.trim, e->trim);
    CHECK_EQ(id.drat, e->trim && e->drat);
    CHECK_EQ(id.rzat, e->trim && e->rzat);
    CHECK_EQ(id.dsm_blocks_max, e->word105 == 0 ? 1 : e->word105);
    CHECK_EQ(id.security.supported, e->security);
    CHECK_EQ(id.security.enabled, e->enabled);
    CHECK_EQ(id.security.frozen, e->frozen);
    CHECK_EQ(id.security.enhanced_erase, e->enhanced);
    CHECK_EQ(id.security.erase.minutes, e->erase_min);
    CHECK_EQ(id.security.erase.kind,
             e->erase_min == 0 ? ATA_ERASE_TIME_NOT_REPORTED : ATA_ERASE_TIME_MINUTES);
    CHECK_EQ(id.security.enhanced.minutes, e->enhanced_min);
    CHECK_EQ(id.ncq, e->ncq);
    CHECK_EQ(id.queue_depth, e->depth);
    CHECK_EQ(id.sata_gen_max, e->gen_max);
    CHECK_EQ(id.sata_gen_now, e->gen_now);
    CHECK_EQ(id.oddities & (ATA_ODD_CHECKSUM | ATA_ODD_NO_CHECKSUM), e->checksum);
    CHECK(id.serial[0] != ' ');
    if (id.serial[0] == '\0') {
        CHECK((id.oddities & ATA_ODD_NO_SERIAL) != 0 && id.unusable != NULL);
    } else {
        CHECK(id.serial[strlen(id.serial) - 1] != ' ' && id.unusable == NULL);
    }
}

TEST(identify_real_drives_parse_as_published)
{
    for (size_t i = 0; i < ARRAY_LEN(drives); i++) {
        check_drive(&drives[i]);
    }
}

TEST(identify_right_aligned_serial_is_trimmed)
{
    struct ata_identity id = parsed("TOSHIBA_MK4025GAS_fw_KA100A.txt");
    CHECK(id.raw[ID_W010_SERIAL] == 0x2020);
    CHECK(id.serial[0] != ' ');
}

TEST(identify_intel_320_shows_password_maximum_frozen)
{
    struct ata_identity id = parsed("INTEL_SSDSA2CW120G3_fw_4PC10302.txt");
    char text[120];
    ata_identify_security_text(&id, text, sizeof(text));
    CHECK_STR(text, "password set, level maximum, unlocked, frozen, enhanced erase");
    CHECK(id.unusable == NULL);
}

TEST(identify_contradictory_trim_words_believe_word_169)
{
    struct ata_identity id = parsed("Crucial_CT120M500SSD1_fw_MU05.txt");
    CHECK(!id.trim);
    CHECK((id.oddities & ATA_ODD_TRIM_WORDS) != 0);
}

/* hdparm is the second judge of our dump: it must read back the same model and size. */
TEST(identify_dump_is_read_by_hdparm)
{
    char dump[2048];
    char line[512];
    char want[64];
    for (size_t i = 0; i < ARRAY_LEN(drives); i++) {
        struct ata_identity id = parsed(drives[i].file);
        size_t length = ata_identify_dump(&id, dump, sizeof(dump));
        CHECK(length < sizeof(dump) - 1);
        FILE *f = fopen("build/tests/identify-dump.txt", "w");
        CHECK(f != NULL);
        CHECK_EQ(fwrite(dump, 1, length, f), length);
        fclose(f);
        FILE *p = popen(
            "PATH=$PATH:/usr/sbin:/sbin hdparm --Istdin < build/tests/identify-dump.txt 2>&1", "r");
        CHECK(p != NULL);
        bool model = false;
        bool size = drives[i].sectors == 0;
        snprintf(want, sizeof(want), "%" PRIu64, drives[i].sectors);
        while (fgets(line, sizeof(line), p) != NULL) {
            model |= strstr(line, "Model Number:") != NULL && strstr(line, id.model) != NULL;
            size |= strstr(line, "user addressable") != NULL && strstr(line, want) != NULL;
        }
        CHECK_EQ(pclose(p), 0);
        if (!model || !size) {
            printf("  %s: model %d size %d\n", drives[i].file, model, size);
        }
        CHECK(model && size);
    }
}

/* --- edited copies: what no dump at hand shows ------------------------------------------------------ */

static void set(uint8_t *data, unsigned word, uint16_t value)
{
    put_le16(data + 2 * (size_t)word, value);
}

static struct ata_identity edited(unsigned word, uint16_t value)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    set(data, word, value);
    ata_identify_parse(data, &id);
    return id;
}

TEST(identify_drat_without_rzat)
{
    struct ata_identity id = edited(ID_W069_ADDITIONAL, 0x4000);
    CHECK(id.trim && id.drat && !id.rzat);
}

TEST(identify_word_105_zero_means_one_block)
{
    struct ata_identity id = edited(ID_W105_DSM_BLOCKS, 0);
    CHECK_EQ(id.dsm_blocks_max, 1);
    CHECK(!id.dsm_blocks_stated);
}

TEST(identify_ncq_with_queue_depth_zero_uses_depth_one)
{
    struct ata_identity id = edited(ID_W075_QUEUE_DEPTH, 0);
    CHECK(id.ncq);
    CHECK_EQ(id.queue_depth, 1);
    CHECK((id.oddities & ATA_ODD_QUEUE_DEPTH) != 0);
}

TEST(identify_erase_time_formats)
{
    static const struct {
        uint16_t word;
        enum ata_erase_time_kind kind;
        uint32_t minutes;
        const char *text;
    } times[] = {
        { 0x0000, ATA_ERASE_TIME_NOT_REPORTED, 0, "not reported" },
        { 0x0001, ATA_ERASE_TIME_MINUTES, 2, "2 min" },
        { 0x00fe, ATA_ERASE_TIME_MINUTES, 508, "508 min" },
        { 0x00ff, ATA_ERASE_TIME_AT_LEAST, 508, "> 508 min" },
        { 0x8000, ATA_ERASE_TIME_NOT_REPORTED, 0, "not reported" },
        { 0x8100, ATA_ERASE_TIME_MINUTES, 512, "512 min" },
        { 0xffff, ATA_ERASE_TIME_AT_LEAST, 65532, "> 65532 min" },
    };
    char text[40];
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        struct ata_identity id = edited(ID_W089_ERASE_TIME, times[i].word);
        CHECK_EQ(id.security.erase.kind, times[i].kind);
        CHECK_EQ(id.security.erase.minutes, times[i].minutes);
        ata_erase_time_text(&id.security.erase, text, sizeof(text));
        CHECK_STR(text, times[i].text);
    }
}

TEST(identify_locked_drive_is_no_target)
{
    struct ata_identity id = edited(ID_W128_SECURITY, 0x0127);
    CHECK(id.security.locked && id.security.level_maximum);
    CHECK(id.unusable != NULL);
}

TEST(identify_spin_up_needed_is_no_target)
{
    CHECK(edited(ID_W002_SPECIFIC, 0x37c8).unusable != NULL);
    CHECK(edited(ID_W002_SPECIFIC, 0x738c).unusable == NULL);
}

TEST(identify_520_byte_sectors_are_no_target)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    set(data, ID_W106_SECTOR_SIZE, 0x5000);
    set(data, ID_W117_LOGICAL_WORDS, 260);
    ata_identify_parse(data, &id);
    CHECK_EQ(id.logical_bytes, 520);
    CHECK(id.unusable != NULL);
}

TEST(identify_4kn_sectors)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    set(data, ID_W106_SECTOR_SIZE, 0x5000);
    set(data, ID_W117_LOGICAL_WORDS, 2048);
    ata_identify_parse(data, &id);
    CHECK_EQ(id.logical_bytes, 4096);
    CHECK_EQ(id.physical_bytes, 4096);
    CHECK(id.unusable == NULL);
}

TEST(identify_absurd_capacity_is_no_target)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    for (unsigned i = 0; i < 4; i++) {
        set(data, ID_W100_LBA48_SECTORS + i, 0xffff);
    }
    ata_identify_parse(data, &id);
    CHECK(id.unusable != NULL);
}

TEST(identify_capacity_at_the_28_bit_border_is_no_oddity)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    ata_identify_parse(data, &id);
    CHECK((id.oddities & ATA_ODD_CAPACITY28) == 0);
    set(data, ID_W060_LBA28, 0x1234);
    set(data, ID_W060_LBA28 + 1, 0x0001);
    set(data, ID_W100_LBA48_SECTORS, 0x1235);
    set(data, ID_W100_LBA48_SECTORS + 1, 0x0001);
    set(data, ID_W100_LBA48_SECTORS + 2, 0);
    ata_identify_parse(data, &id);
    CHECK((id.oddities & ATA_ODD_CAPACITY28) != 0);
}

TEST(identify_all_equal_bytes_are_no_drive)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    static const uint8_t fills[] = { 0x00, 0xff, 0x7f };
    for (size_t i = 0; i < ARRAY_LEN(fills); i++) {
        memset(data, fills[i], sizeof(data));
        ata_identify_parse(data, &id);
        CHECK((id.oddities & ATA_ODD_BLANK) != 0);
        CHECK(id.unusable != NULL);
    }
}

TEST(identify_cut_after_a_few_words_is_no_target)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    for (unsigned kept = 0; kept < 60; kept += 7) {
        load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
        memset(data + 2 * (size_t)kept, 0, sizeof(data) - 2 * (size_t)kept);
        ata_identify_parse(data, &id);
        CHECK(id.unusable != NULL);
    }
}

TEST(identify_full_length_strings_end_where_they_end)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    for (unsigned i = 0; i < 10; i++) {
        set(data, ID_W010_SERIAL + i, 0x4142);
    }
    for (unsigned i = 0; i < 20; i++) {
        set(data, ID_W027_MODEL + i, 0x5859);
    }
    ata_identify_parse(data, &id);
    CHECK_STR(id.serial, "ABABABABABABABABABAB");
    CHECK_EQ(strlen(id.model), 40);
}

TEST(identify_empty_or_unprintable_serial_is_no_target)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    set(data, ID_W010_SERIAL + 3, 0x0741);
    ata_identify_parse(data, &id);
    CHECK((id.oddities & ATA_ODD_SERIAL_CHARS) != 0 && id.unusable != NULL);
    for (unsigned i = 0; i < 10; i++) {
        set(data, ID_W010_SERIAL + i, 0x2020);
    }
    ata_identify_parse(data, &id);
    CHECK((id.oddities & ATA_ODD_NO_SERIAL) != 0 && id.unusable != NULL);
}

TEST(identify_wwn_without_oui_is_none)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_860_EVO_500GB_fw_RVT01B6Q.txt", data);
    ata_identify_parse(data, &id);
    CHECK(id.wwn_valid);
    CHECK_EQ(id.wwn >> 60, 5);
    set(data, ID_W108_WWN, 0x5000);
    set(data, ID_W108_WWN + 1, 0x0000);
    ata_identify_parse(data, &id);
    CHECK(!id.wwn_valid);
}

TEST(identify_bytes_round_trip)
{
    uint8_t data[ATA_IDENTIFY_BYTES];
    uint8_t back[ATA_IDENTIFY_BYTES];
    struct ata_identity id;
    load("Samsung_SSD_870_EVO_2TB_fw_SVT02B6Q.txt", data);
    ata_identify_parse(data, &id);
    ata_identify_bytes(&id, back);
    CHECK_EQ(memcmp(data, back, sizeof(data)), 0);
}

TEST_MAIN
