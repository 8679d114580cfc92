/* What the documentation says about the program and a program can check. Runs from the top of the tree. */
#include "ahci/ahci.h"
#include "tests/test.h"

static char hardware[64 << 10];

static const char *read_hardware(void)
{
    FILE *f = fopen("docs/HARDWARE.md", "rb");
    CHECK(f != NULL);
    size_t n = fread(hardware, 1, sizeof(hardware) - 1, f);
    fclose(f);
    hardware[n] = '\0';
    CHECK(n < sizeof(hardware) - 1);
    return hardware;
}

static const char *status_of(const struct ahci_known *row)
{
    if (row->not_ahci) {
        return "not AHCI";
    }
    return row->tried ? "tried" : "modelled, not tried";
}

TEST(docs_hardware_table_shows_every_known_controller)
{
    size_t count = 0;
    const struct ahci_known *row = ahci_known_table(&count);
    const char *text = read_hardware();
    for (size_t i = 0; i < count; i++) {
        char want[256];
        snprintf(want, sizeof(want), "\n| %04x:%04x | %s | %s | %s%s|\n", row[i].vendor_id,
                 row[i].device_id, row[i].name, status_of(&row[i]),
                 row[i].note != NULL ? row[i].note : "", row[i].note != NULL ? " " : "");
        if (strstr(text, want) == NULL) {
            printf("  docs/HARDWARE.md has no line %s", want + 1);
        }
        CHECK(strstr(text, want) != NULL);
    }
}

TEST(docs_hardware_table_shows_no_other_controller)
{
    size_t count = 0;
    size_t lines = 0;
    (void)ahci_known_table(&count);
    for (const char *at = read_hardware(); (at = strstr(at, "\n| ")) != NULL; at += 3) {
        unsigned vendor;
        unsigned device;
        int used = 0;
        /* A row of the controller table begins with four and four hexadecimal digits. */
        if (sscanf(at, "\n| %4x:%4x |%n", &vendor, &device, &used) == 2 && used != 0) {
            CHECK(ahci_known_find((uint16_t)vendor, (uint16_t)device) != NULL);
            lines++;
        }
    }
    CHECK_EQ(lines, count);
}

TEST_MAIN
