/* Time: the TSC, measured against the ACPI timer and against the firmware's Stall(). */
#include "boot/uefi/uefi.h"

#include "boot/acpi.h"
#include "lib/text.h"

enum {
    STALL_MEASURE_US = 50000,
    MINUTES_PER_DAY = 24 * 60,
};

static uint64_t clock_pm_hz(void *context)
{
    const uint16_t *port = context;
    return clock_measure_pm(*port);
}

static uint64_t clock_stall_hz(void *context)
{
    const struct uefi *u = context;
    uint64_t start = clock_tsc();

    u->bs->Stall(STALL_MEASURE_US);
    return (clock_tsc() - start) * (1000000 / STALL_MEASURE_US);
}

/* The ACPI root pointer of version 2 if there is one: that of version 1 ends before the 64-bit fields. */
static const void *clock_find_rsdp(const struct uefi *u)
{
    const void *old = NULL;

    for (size_t i = 0; i < u->st->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry = &u->st->ConfigurationTable[i];
        if (uefi_guid_equal(&entry->VendorGuid, &uefi_guid_acpi20)) {
            return entry->VendorTable;
        }
        if (uefi_guid_equal(&entry->VendorGuid, &uefi_guid_acpi10)) {
            old = entry->VendorTable;
        }
    }
    return old;
}

static uint64_t uefi_clock_ns(struct platform *p)
{
    return clock_now_ns(&uefi_of(p)->clock);
}

static void uefi_stall_us(struct platform *p, uint32_t us)
{
    uefi_of(p)->bs->Stall(us);
}

static bool clock_is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned clock_days_in(unsigned year, unsigned month)
{
    static const uint8_t days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return month == 2 && clock_is_leap(year) ? 29u : days[month - 1];
}

/* Move by less than two days. */
static void clock_add_minutes(struct utc_time *t, int minutes)
{
    int at = t->hour * 60 + t->minute + minutes;

    for (; at < 0; at += MINUTES_PER_DAY) {
        if (--t->day == 0) {
            t->month = (uint8_t)(t->month == 1 ? 12 : t->month - 1);
            t->year = (uint16_t)(t->month == 12 ? t->year - 1 : t->year);
            t->day = (uint8_t)clock_days_in(t->year, t->month);
        }
    }
    for (; at >= MINUTES_PER_DAY; at -= MINUTES_PER_DAY) {
        if (++t->day > clock_days_in(t->year, t->month)) {
            t->day = 1;
            t->month = (uint8_t)(t->month == 12 ? 1 : t->month + 1);
            t->year = (uint16_t)(t->month == 1 ? t->year + 1 : t->year);
        }
    }
    t->hour = (uint8_t)(at / 60);
    t->minute = (uint8_t)(at % 60);
}

static struct utc_time uefi_utc(struct platform *p)
{
    struct utc_time none = { .year = 0 };
    EFI_TIME now;

    memset(&now, 0, sizeof(now));
    if (EFI_ERROR(uefi_of(p)->st->RuntimeServices->GetTime(&now, NULL)) || now.Year < 1998 ||
        now.Year > 9999 || now.Month < 1 || now.Month > 12 || now.Day < 1 ||
        now.Day > clock_days_in(now.Year, now.Month) || now.Hour > 23 || now.Minute > 59 ||
        now.Second > 59) {
        return none;
    }
    struct utc_time t = {
        .year = now.Year,
        .month = now.Month,
        .day = now.Day,
        .hour = now.Hour,
        .minute = now.Minute,
        .second = now.Second,
    };
    /* Local time = UTC - TimeZone (UEFI 2.10 8.3.1). Where no zone is set the clock is taken for UTC. */
    if (now.TimeZone >= -MINUTES_PER_DAY && now.TimeZone <= MINUTES_PER_DAY) {
        clock_add_minutes(&t, now.TimeZone);
    }
    return t;
}

void uefi_clock_init(struct uefi *u)
{
    struct platform *p = &u->plat;
    uint16_t port = acpi_pm_timer_port(clock_find_rsdp(u));
    struct clock_meter pm = { .measure_hz = port != 0 ? clock_pm_hz : NULL, .context = &port };
    struct clock_meter stall = { .measure_hz = clock_stall_hz, .context = u };

    clock_calibrate(&p->info, &pm, &stall);
    bool one = p->info.clock_error_ppm == UINT32_MAX;
    text_print(p->info.clock_source, sizeof(p->info.clock_source), "TSC by %s",
               one ? "firmware Stall" : "ACPI PM timer, checked by Stall");
    clock_start(&u->clock, p->info.tsc_hz);
    p->clock_ns = uefi_clock_ns;
    p->stall_us = uefi_stall_us;
    p->utc = uefi_utc;
}
