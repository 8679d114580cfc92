/* Time: the TSC, its rate measured by the ACPI PM timer and, as the second opinion, by PIT channel 2 (Intel 8254:
 * 1.193182 MHz). Channel 2 is the speaker's; the BIOS needs channel 0 and does not mind. */
#include "boot/acpi.h"
#include "boot/bios/bios.h"
#include "boot/port_io.h"
#include "lib/text.h"

enum {
    PIT_HZ = 1193182,
    PIT_TICKS_MAX = 0xffff, /* 54.9 ms */
    PIT_WINDOW_TICKS = PIT_HZ / 20,
    PIT_CHANNEL2 = 0x42,
    PIT_COMMAND = 0x43,
    PIT_CH2_MODE0 = 0xb0, /* channel 2, low then high byte, count down once */
    PIT_CH2_LATCH = 0x80,
    PORT_61 = 0x61,
    PORT_61_GATE = 0x01,
    PORT_61_SPEAKER = 0x02,
    READS_MAX =
        500000, /* three port accesses each, over 0.5 us: a PIT that stands still ends the window */
    EDGE_TRIES = 16,
};

static uint32_t pit_elapsed(void)
{
    outb(PIT_COMMAND, PIT_CH2_LATCH);
    uint32_t count = inb(PIT_CHANNEL2);
    count |= (uint32_t)inb(PIT_CHANNEL2) << 8;
    return PIT_TICKS_MAX - count; /* it counts down */
}

struct pair {
    uint64_t tsc;
    uint32_t ticks;
};

/* PIT and TSC at the same moment: of several reads the one that took least time, so that a system-management
 * interrupt in between does no harm. */
static struct pair pit_pair(void)
{
    struct pair best = { 0 };
    uint64_t best_took = UINT64_MAX;
    for (int i = 0; i < EDGE_TRIES; i++) {
        uint64_t before = clock_tsc();
        uint32_t ticks = pit_elapsed();
        uint64_t took = clock_tsc() - before;
        if (took < best_took) {
            best_took = took;
            best = (struct pair){ .tsc = before + took / 2, .ticks = ticks };
        }
    }
    return best;
}

/* The TSC's rate over 50 ms of the PIT; 0 when the PIT does not count. */
static uint64_t pit_measure(void *context)
{
    (void)context;
    uint8_t saved_61 = inb(PORT_61);
    outb(PORT_61, (uint8_t)((saved_61 & ~PORT_61_SPEAKER) | PORT_61_GATE));
    outb(PIT_COMMAND, PIT_CH2_MODE0);
    outb(PIT_CHANNEL2, PIT_TICKS_MAX & 0xff);
    outb(PIT_CHANNEL2, PIT_TICKS_MAX >> 8);

    struct pair from = pit_pair();
    for (int i = 0; i < READS_MAX && pit_elapsed() < PIT_WINDOW_TICKS; i++) {
    }
    struct pair to = pit_pair();
    outb(PORT_61, saved_61);
    /* Past zero the count goes on from FFFFh: kept away so long, the window says nothing. */
    if (to.ticks < PIT_WINDOW_TICKS || to.ticks <= from.ticks) {
        return 0;
    }
    return (to.tsc - from.tsc) * PIT_HZ / (to.ticks - from.ticks);
}

struct pm_source {
    uint16_t port; /* 0: there is none */
    bool works;
};

static uint64_t pm_measure(void *context)
{
    struct pm_source *pm = context;
    uint64_t hz = pm->port != 0 ? clock_measure_pm(pm->port) : 0;
    pm->works = hz != 0;
    return hz;
}

void clock_init(struct platform *p, const void *rsdp)
{
    struct pm_source source = { .port = acpi_pm_timer_port(rsdp) };
    const struct clock_meter pm = { pm_measure, &source };
    const struct clock_meter pit = { pit_measure, NULL };
    struct platform_info *info = &p->info;
    clock_calibrate(info, &pm, &pit);

    const char *found = "TSC by PIT";
    if (info->tsc_hz == 0) {
        found = "no timer to measure the TSC by";
    } else if (info->clock_error_ppm != UINT32_MAX) {
        found = "TSC by ACPI PM timer, checked by PIT";
    } else if (source.works) {
        found = "TSC by ACPI PM timer";
    }
    (void)text_print(info->clock_source, sizeof(info->clock_source), "%s", found);
    clock_start(&bios.clock, info->tsc_hz);
    bios.clock_ready = true;
}

uint64_t bios_clock_ns(struct platform *p)
{
    (void)p;
    return clock_now_ns(&bios.clock);
}

void bios_stall_us(struct platform *p, uint32_t us)
{
    (void)p;
    if (!bios.clock_ready) {
        /* A read of port 61h takes 0.5 to 1.5 us on real chipsets, less in an emulator. */
        for (uint64_t i = 0; i < (uint64_t)us * 2; i++) {
            (void)inb(PORT_61);
        }
        return;
    }
    uint64_t end = clock_now_ns(&bios.clock) + us * NS_PER_US;
    while (clock_now_ns(&bios.clock) < end) {
        __asm__ volatile("pause");
    }
}
