#include "sim/sim_clock.h"

#include <stdio.h>
#include <stdlib.h>

void sim_clock_init(struct sim_clock *clock)
{
    memset(clock, 0, sizeof(*clock));
}

void sim_clock_after(struct sim_clock *clock, uint64_t delay_ns,
                     void (*run)(void *context, uint64_t argument), void *context,
                     uint64_t argument)
{
    if (clock->events == SIM_EVENTS_MAX) {
        fprintf(stderr, "sim: more than %d events wait\n", SIM_EVENTS_MAX);
        abort();
    }
    uint64_t at = clock->now_ns + delay_ns;
    if (at < delay_ns) {
        return; /* later than the end of time: never */
    }
    /* Later ones stay in front; an equal time runs in order of entry, so it goes in front too. */
    size_t place = clock->events;
    while (place > 0 && clock->event[place - 1].at_ns <= at) {
        place--;
    }
    memmove(&clock->event[place + 1], &clock->event[place],
            (clock->events - place) * sizeof(clock->event[0]));
    clock->event[place] = (struct sim_event){ at, run, context, argument };
    clock->events++;
}

void sim_clock_cancel(struct sim_clock *clock, const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < clock->events; i++) {
        if (clock->event[i].context != context) {
            clock->event[kept++] = clock->event[i];
        }
    }
    clock->events = kept;
}

uint64_t sim_clock_next(const struct sim_clock *clock)
{
    return clock->events == 0 ? UINT64_MAX : clock->event[clock->events - 1].at_ns;
}

void sim_clock_move_to(struct sim_clock *clock, uint64_t to_ns)
{
    while (sim_clock_next(clock) <= to_ns) {
        struct sim_event due = clock->event[--clock->events];
        clock->now_ns = max_u64(clock->now_ns, due.at_ns);
        due.run(due.context, due.argument);
    }
    clock->now_ns = max_u64(clock->now_ns, to_ns);
}
