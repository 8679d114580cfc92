/* The platforms' clock: how its rate is chosen, and where the ACPI timer is found. */
#define _DEFAULT_SOURCE /* MAP_32BIT */

#include <sys/mman.h>

#include "boot/acpi.h"
#include "boot/clock.h"
#include "tests/test.h"

/* A meter that gives prepared answers, and the last one for ever. */
struct answers {
    const uint64_t *hz;
    size_t count;
    size_t asked;
};

static uint64_t answer(void *context)
{
    struct answers *a = context;
    size_t i = a->asked < a->count ? a->asked : a->count - 1;
    a->asked++;
    return a->hz[i];
}

#define ANSWERS(...)                                                                               \
    &(struct answers)                                                                              \
    {                                                                                              \
        .hz = (const uint64_t[]){ __VA_ARGS__ },                                                   \
        .count = sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)                      \
    }

static struct platform_info calibrate(struct answers *best, struct answers *other)
{
    struct platform_info info = { .tsc_hz = 1, .clock_usable = false };
    struct clock_meter b = { best != NULL ? answer : NULL, best };
    struct clock_meter o = { other != NULL ? answer : NULL, other };
    clock_calibrate(&info, &b, &o);
    return info;
}

TEST(clock_calibrate_keeps_the_second_measurement)
{
    struct answers *best = ANSWERS(2100000000, 2000000000);
    struct platform_info info = calibrate(best, ANSWERS(2000100000));
    CHECK_EQ(info.tsc_hz, 2000000000);
    CHECK_EQ(info.clock_error_ppm, 49);
    CHECK(info.clock_usable);
    CHECK_EQ(best->asked, 2);
}

TEST(clock_calibrate_repeats_until_both_agree)
{
    struct answers *best = ANSWERS(1, 2000000000);
    struct answers *other = ANSWERS(1000000000, 2010000000, 2000000000);
    struct platform_info info = calibrate(best, other);
    CHECK_EQ(info.clock_error_ppm, 0);
    CHECK_EQ(other->asked, 3);
}

TEST(clock_calibrate_gives_up_after_ten_and_keeps_the_closest)
{
    struct answers *best = ANSWERS(2000000000);
    struct answers *other = ANSWERS(1000000000, 1990000000, 1500000000);
    struct platform_info info = calibrate(best, other);
    CHECK_EQ(other->asked, 10);
    CHECK_EQ(info.clock_error_ppm, 5000);
    CHECK(info.clock_usable);
}

TEST(clock_calibrate_more_than_one_percent_is_not_usable)
{
    struct platform_info info = calibrate(ANSWERS(2000000000), ANSWERS(1979000000));
    CHECK_EQ(info.clock_error_ppm, 10500);
    CHECK(!info.clock_usable);
    CHECK_EQ(info.tsc_hz, 2000000000);
}

TEST(clock_calibrate_with_one_meter_says_so)
{
    struct platform_info info = calibrate(NULL, ANSWERS(3000000000));
    CHECK_EQ(info.tsc_hz, 3000000000);
    CHECK_EQ(info.clock_error_ppm, UINT32_MAX);
    CHECK(info.clock_usable);
    info = calibrate(ANSWERS(0), ANSWERS(3000000000)); /* a timer that stands still */
    CHECK_EQ(info.tsc_hz, 3000000000);
    CHECK_EQ(info.clock_error_ppm, UINT32_MAX);
    info = calibrate(ANSWERS(2000000000), NULL);
    CHECK_EQ(info.tsc_hz, 2000000000);
}

TEST(clock_calibrate_without_any_meter_is_not_usable)
{
    CHECK(!calibrate(NULL, NULL).clock_usable);
    CHECK(!calibrate(ANSWERS(0), ANSWERS(0)).clock_usable);
}

TEST(clock_counts_from_zero_and_never_goes_back)
{
    struct clock clock;
    clock_start(&clock, 1000000000);
    uint64_t first = clock_now_ns(&clock);
    CHECK(first < NS_PER_S);
    uint64_t second = clock_now_ns(&clock);
    CHECK(second >= first);
    clock.tsc_start = clock_tsc() + 1000; /* a counter that was set back */
    clock.last_ns = UINT64_MAX - 1;
    CHECK(clock_now_ns(&clock) >= UINT64_MAX - 1);
}

TEST(clock_does_not_overflow_after_years)
{
    struct clock clock;
    clock_start(&clock, UINT64_C(5000000000));
    uint64_t year_ticks = UINT64_C(5000000000) * 86400 * 365;
    clock.tsc_start -= 10 * year_ticks;
    uint64_t seconds = clock_now_ns(&clock) / NS_PER_S;
    CHECK(seconds >= UINT64_C(86400) * 365 * 10 - 1);
    CHECK(seconds <= UINT64_C(86400) * 365 * 10 + 60);
}

/* --- ACPI tables, built in memory below 4 GiB so that an RSDT can point to them ------------------ */

enum { RSDP = 0, ROOT = 64, FADT = 256, DECOY = 600, TABLES = 4096 };

static uint8_t *tables;

static void set_sum(uint8_t *at, size_t bytes, size_t sum_at)
{
    uint8_t sum = 0;
    at[sum_at] = 0;
    for (size_t i = 0; i < bytes; i++) {
        sum = (uint8_t)(sum + at[i]);
    }
    at[sum_at] = (uint8_t)-sum;
}

static void build(unsigned revision, const char *root_name, size_t entry_bytes)
{
    if (tables == NULL) {
        tables = mmap(NULL, TABLES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                      -1, 0);
        CHECK(tables != MAP_FAILED);
    }
    memset(tables, 0, TABLES);
    uint64_t base = (uint64_t)(uintptr_t)tables;

    memcpy(tables + RSDP, "RSD PTR ", 8);
    tables[RSDP + 15] = (uint8_t)revision;
    put_le32(tables + RSDP + 16, entry_bytes == 4 ? (uint32_t)base + ROOT : 0);
    if (revision >= 2) {
        put_le32(tables + RSDP + 20, 36);
        put_le64(tables + RSDP + 24, entry_bytes == 8 ? base + ROOT : 0);
    }
    set_sum(tables + RSDP, 20, 8);

    memcpy(tables + ROOT, root_name, 4);
    put_le32(tables + ROOT + 4, (uint32_t)(36 + 2 * entry_bytes));
    uint64_t entry[2] = { base + DECOY, base + FADT };
    for (size_t i = 0; i < 2; i++) {
        memcpy(tables + ROOT + 36 + i * entry_bytes, &entry[i], entry_bytes);
    }
    memcpy(tables + DECOY, "APIC", 4);
    put_le32(tables + DECOY + 4, 44);

    memcpy(tables + FADT, "FACP", 4);
    put_le32(tables + FADT + 4, 244);
    put_le32(tables + FADT + 76, 0x608);
    tables[FADT + 91] = 4;
}

TEST(acpi_timer_is_found_through_both_roots)
{
    build(0, "RSDT", 4);
    CHECK_EQ(acpi_pm_timer_port(tables), 0x608);
    build(2, "XSDT", 8);
    CHECK_EQ(acpi_pm_timer_port(tables), 0x608);
    build(2, "RSDT", 4); /* revision 2 with no XSDT */
    CHECK_EQ(acpi_pm_timer_port(tables), 0x608);
}

TEST(acpi_extended_address_wins)
{
    build(2, "XSDT", 8);
    tables[FADT + 208] = 1;
    put_le64(tables + FADT + 212, 0x1808);
    CHECK_EQ(acpi_pm_timer_port(tables), 0x1808);
    tables[FADT + 208] = 0; /* memory space: no port */
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    put_le32(tables + FADT + 4, 116); /* an ACPI 1.0 table ends before it */
    CHECK_EQ(acpi_pm_timer_port(tables), 0x608);
}

TEST(acpi_no_timer_is_zero)
{
    build(2, "XSDT", 8);
    tables[FADT + 91] = 0;
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    put_le32(tables + FADT + 112, 1u << 20); /* hardware-reduced */
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    memcpy(tables + FADT, "XXXX", 4);
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    CHECK_EQ(acpi_pm_timer_port(NULL), 0);
}

TEST(acpi_broken_tables_are_zero)
{
    build(2, "XSDT", 8);
    tables[RSDP + 8]++; /* checksum */
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    memcpy(tables, "RSD PTX ", 8);
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    put_le32(tables + ROOT + 4, 10); /* shorter than a header */
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    put_le32(tables + ROOT + 4, 0xffffffff);
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
    build(2, "XSDT", 8);
    put_le32(tables + FADT + 4, 80);
    CHECK_EQ(acpi_pm_timer_port(tables), 0);
}

TEST_MAIN
