/* What the driver under test did wrong: every rule of the specifications it broke, in words. The models
 * write it, tests want it empty. */
#ifndef SIM_SIM_JUDGE_H
#define SIM_SIM_JUDGE_H

#include "lib/util.h"

enum {
    SIM_JUDGE_LINES = 24, /* kept; all are counted */
    SIM_JUDGE_LINE_BYTES = 160,
};

struct sim_judge {
    /* Also note what is legal but not what this program promises: a PRDT longer than the data. */
    bool strict;
    unsigned count;
    char text[SIM_JUDGE_LINES * SIM_JUDGE_LINE_BYTES]; /* the lines kept, '\n' behind each */
};

void sim_judge_init(struct sim_judge *judge);

/* Note one broken rule; the sentence names the rule and its section. */
void sim_judge_note(struct sim_judge *judge, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Forget everything, for tests that break a rule on purpose. */
void sim_judge_clear(struct sim_judge *judge);

#endif
