/* Time of the model: nanoseconds that only move when someone moves them, and what is due at which of them.
 * In host tests the platform moves it a little with every call; a process that lives in real time moves it
 * to what its own clock says. */
#ifndef SIM_SIM_CLOCK_H
#define SIM_SIM_CLOCK_H

#include "lib/util.h"

enum { SIM_EVENTS_MAX = 512 };

struct sim_event {
    uint64_t at_ns;
    void (*run)(void *context, uint64_t argument);
    void *context;
    uint64_t argument;
};

struct sim_clock {
    uint64_t now_ns;
    size_t events;
    struct sim_event event[SIM_EVENTS_MAX]; /* sorted, the next one last */
};

void sim_clock_init(struct sim_clock *clock);

/* Run `run(context, argument)` when `delay_ns` have passed. Aborts when SIM_EVENTS_MAX are waiting. */
void sim_clock_after(struct sim_clock *clock, uint64_t delay_ns,
                     void (*run)(void *context, uint64_t argument), void *context,
                     uint64_t argument);

/* Forget every waiting event of this context (whatever its function). */
void sim_clock_cancel(struct sim_clock *clock, const void *context);

/* When the next event is due; UINT64_MAX: none waits. */
uint64_t sim_clock_next(const struct sim_clock *clock);

/* Move to a time, running what falls due on the way, each at its own time; of two at one time the
 * earlier entered runs first. A time in the past: nothing. */
void sim_clock_move_to(struct sim_clock *clock, uint64_t to_ns);

static inline void sim_clock_advance(struct sim_clock *clock, uint64_t ns)
{
    sim_clock_move_to(clock, clock->now_ns + ns);
}

#endif
