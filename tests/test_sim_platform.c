/* The host's platform: time, memory, ownership, firmware, console, files. */
#include "tests/sim_driver.h"

#include <setjmp.h>

#define PLATFORM(...)                                                                              \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .platform = { __VA_ARGS__ }                                                                \
    }

TEST(sim_clock_runs_events_in_order_at_their_time)
{
    static uint64_t seen[4];
    static size_t count;
    static struct sim_clock clock;
    struct note {
        struct sim_clock *clock;
    } at = { &clock };
    (void)at;
    count = 0;
    sim_clock_init(&clock);
    extern void sim_test_event(void *context, uint64_t argument);
    (void)seen;
    sim_clock_after(&clock, 30, sim_test_event, &clock, 3);
    sim_clock_after(&clock, 10, sim_test_event, &clock, 1);
    sim_clock_after(&clock, 10, sim_test_event, &clock, 2);
    CHECK_EQ(sim_clock_next(&clock), 10);
    sim_clock_move_to(&clock, 20);
    CHECK_EQ(clock.now_ns, 20);
    CHECK_EQ(clock.events, 1);
    sim_clock_cancel(&clock, &clock);
    CHECK_EQ(sim_clock_next(&clock), UINT64_MAX);
    CHECK_EQ(count, 0);
}

TEST_MAIN
