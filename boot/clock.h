/* The processor's time-stamp counter as the program's clock, and how its rate is found. Shared by the
 * platforms; each brings its own second opinion. */
#ifndef BOOT_CLOCK_H
#define BOOT_CLOCK_H

#include "boot/platform.h"

struct clock {
    uint64_t tsc_start;
    uint64_t mult; /* nanoseconds per tick, times 2^32 */
    uint64_t last_ns;
};

/* The counter now, in order with the reads around it. */
uint64_t clock_tsc(void);

/* Nanoseconds start at 0 here. hz 0 is taken for 1 GHz: wrong, but it advances. */
void clock_start(struct clock *clock, uint64_t hz);

/* Nanoseconds since clock_start(); never goes back, good for centuries. */
uint64_t clock_now_ns(struct clock *clock);

/* The TSC's rate measured over 50 ms of the ACPI power management timer (ACPI 6.4 4.8.2.1) at this I/O
 * port. 0: the timer does not count. At most 1 s. */
uint64_t clock_measure_pm(uint16_t port);

/* One way to measure the TSC's rate: Hz, or 0 when it cannot. */
struct clock_meter {
    uint64_t (*measure_hz)(void *context);
    void *context;
};

/* Find the rate: `best` is believed, `other` must agree. Measures up to ten times until they differ by less
 * than 0.05 %, and keeps the closest pair. Fills tsc_hz, clock_error_ppm and clock_usable of *info.
 * With only one meter (measure_hz NULL, or it returns 0) the error is UINT32_MAX and the clock usable. */
void clock_calibrate(struct platform_info *info, const struct clock_meter *best,
                     const struct clock_meter *other);

#endif
