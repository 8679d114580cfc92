/* Time from the TSC. The rate is never taken from a table: a hypervisor may say anything. */
#include "boot/clock.h"

#include "boot/port_io.h"

#define PM_TIMER_HZ   UINT64_C(3579545)
#define PM_TIMER_MASK 0x00ffffffu        /* the bits every timer has; wraps after 4.7 s */
#define PM_TICKS      (PM_TIMER_HZ / 20) /* 50 ms */
/* When the timer has not moved by then it never will: over 0.5 s on any processor made so far. */
#define PM_GIVE_UP_TSC (UINT64_C(1) << 31)

enum {
    CALIBRATE_TRIES = 10,
    CALIBRATE_GOOD_PPM = 500,
    CALIBRATE_USABLE_PPM = 10000,
};

uint64_t clock_tsc(void)
{
    uint32_t low, high;
    /* LFENCE keeps RDTSC from being executed before earlier loads have their values. */
    __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

void clock_start(struct clock *clock, uint64_t hz)
{
    clock->mult = (NS_PER_S << 32) / (hz != 0 ? hz : NS_PER_S);
    clock->last_ns = 0;
    clock->tsc_start = clock_tsc();
}

uint64_t clock_now_ns(struct clock *clock)
{
    uint64_t ticks = clock_tsc() - clock->tsc_start;
    uint64_t now = (uint64_t)((unsigned __int128)ticks * clock->mult >> 32);

    /* A processor that slept may come back with an older count. */
    clock->last_ns = max_u64(clock->last_ns, now);
    return clock->last_ns;
}

uint64_t clock_measure_pm(uint16_t port)
{
    uint32_t pm_start = inl(port) & PM_TIMER_MASK;
    uint64_t tsc_start = clock_tsc();
    uint32_t ticks;
    uint64_t elapsed;

    do {
        ticks = ((inl(port) & PM_TIMER_MASK) - pm_start) & PM_TIMER_MASK;
        elapsed = clock_tsc() - tsc_start;
        if (elapsed > PM_GIVE_UP_TSC) {
            return 0;
        }
    } while (ticks < PM_TICKS);
    /* elapsed is below 2^31 and PM_TIMER_HZ below 2^22. */
    return elapsed * PM_TIMER_HZ / ticks;
}

static uint64_t clock_meter_read(const struct clock_meter *meter)
{
    return meter->measure_hz != NULL ? meter->measure_hz(meter->context) : 0;
}

static uint32_t clock_difference_ppm(uint64_t a, uint64_t b)
{
    uint64_t high = max_u64(a, b);
    /* Rates are below 2^40; high is not 0 here. */
    return (uint32_t)((high - min_u64(a, b)) * 1000000 / high);
}

void clock_calibrate(struct platform_info *info, const struct clock_meter *best,
                     const struct clock_meter *other)
{
    info->clock_error_ppm = UINT32_MAX;
    for (unsigned i = 0; i < CALIBRATE_TRIES; i++) {
        /* The first measurement runs code for the first time; the second is the one to keep. */
        uint64_t b = clock_meter_read(best);
        b = b != 0 ? clock_meter_read(best) : 0;
        uint64_t o = clock_meter_read(other);

        if (b == 0 || o == 0) {
            info->tsc_hz = b != 0 ? b : o;
            info->clock_error_ppm = UINT32_MAX;
            info->clock_usable = info->tsc_hz != 0;
            return;
        }
        uint32_t ppm = clock_difference_ppm(b, o);
        if (ppm < info->clock_error_ppm) {
            info->clock_error_ppm = ppm;
            info->tsc_hz = b;
        }
        if (info->clock_error_ppm < CALIBRATE_GOOD_PPM) {
            break;
        }
    }
    info->clock_usable = info->clock_error_ppm <= CALIBRATE_USABLE_PPM;
}
