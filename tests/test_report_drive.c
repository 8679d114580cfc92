/* The drive in the report: a reader of smartctl's JSON finds the same names with the same meaning. */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "tests/report_files.h"

static void begin(void)
{
    memset(&report, 0, sizeof(report));
    report.plan = "identify";
    report.step = STEP_DONE;
    report.environment.name = "host";
    report.controller_name = "a controller";
    report.drive_identified = true;
    report.drive.queue_depth = 1;
    report.drive.dsm_blocks_max = 1;
}

static void check(const char *name, const char *const *wanted, size_t count)
{
    keep(name);
    int status = judge("");
    if (status != 0) {
        printf("  %s\n", said);
    }
    CHECK_EQ(status, 0);
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, wanted[i]) == NULL) {
            printf("  not there: %s\n", wanted[i]);
        }
        CHECK(strstr(text, wanted[i]) != NULL);
    }
}

TEST(report_drive_has_the_names_and_values_of_smartctl)
{
    static const char *const wanted[] = {
        "\"wwn\": {\n   \"naa\": 5,\n   \"oui\": 9528,\n   \"id\": 5185226097\n  }",
        "\"rotation_rate\": 0",
        "\"form_factor\": {\n   \"ata_value\": 3,\n   \"name\": \"2.5 inches\"\n  }",
        "\"sata_version\": {\n   \"string\": \"SATA 3.2\",\n   \"value\": 4351\n  }",
        "\"ata_version\": {\n   \"string\": \"ACS-4\",\n   \"major_value\": 3072,\n   "
        "\"minor_value\": 94\n  }",
        "\"max\": {\n    \"sata_value\": 14,\n    \"string\": \"6.0 Gb/s\",\n    "
        "\"units_per_second\": 60,\n    \"bits_per_unit\": 100000000",
        "\"current\": {\n    \"sata_value\": 2,\n    \"string\": \"3.0 Gb/s\",\n    "
        "\"units_per_second\": 30,\n    \"bits_per_unit\": 100000000",
        "\"state\": 41,",
        "\"erase_time\": {\n    \"minutes\": 508,\n    \"or_more\": true\n   }",
        "\"enhanced_erase_time\": null",
    };
    begin();
    struct ata_identity *id = &report.drive;
    id->wwn_valid = true;
    id->wwn = UINT64_C(0x5002538135104571);
    id->rotation = 1;
    id->form_factor = 3;
    id->transport = 0x10ff;
    id->ata_version = 11;
    id->major = 0x0c00;
    id->raw[ID_W081_MINOR] = 94;
    id->raw[ID_W076_SATA_CAP] = 0x850e;
    id->sata_gen_max = 3;
    id->sata_gen_now = 2;
    id->raw[ID_W128_SECURITY] = 41;
    id->security.erase = (struct ata_erase_time){ ATA_ERASE_TIME_AT_LEAST, 508 };
    check("smartctl", wanted, ARRAY_LEN(wanted));
}

TEST(report_drive_that_turns_has_its_speed)
{
    static const char *const wanted[] = { "\"rotation_rate\": 7200" };
    begin();
    report.drive.rotation = 7200;
    check("turns", wanted, ARRAY_LEN(wanted));
}

TEST(report_drive_that_states_nothing_has_nulls)
{
    static const char *const wanted[] = {
        "\"wwn\": null",     "\"rotation_rate\": null", "\"form_factor\": null", "\"max\": null",
        "\"current\": null", "\"sata_version\": null",  "\"erase_time\": null",
    };
    uint8_t data[ATA_IDENTIFY_BYTES] = { 0x40 };
    begin();
    ata_identify_parse(data, &report.drive);
    check("silent", wanted, ARRAY_LEN(wanted));
}

/* Whatever 512 bytes a drive sends, the report of it is valid. */
TEST(report_of_drives_that_lie_is_valid)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < 40; i++) {
        char name[16];
        uint8_t data[ATA_IDENTIFY_BYTES];
        for (size_t n = 0; n < sizeof(data); n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            data[n] = i == 0 ? 0xff : i == 1 ? 0 : (uint8_t)(seed >> 56);
        }
        begin();
        ata_identify_parse(data, &report.drive);
        snprintf(name, sizeof(name), "liar%u", i);
        keep(name);
    }
    int status = judge("");
    if (status != 0) {
        printf("  %.2000s\n", said);
    }
    CHECK_EQ(status, 0);
}

TEST_MAIN
