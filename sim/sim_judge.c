#include "sim/sim_judge.h"

#include <stdarg.h>
#include <stdio.h>

void sim_judge_init(struct sim_judge *judge)
{
    memset(judge, 0, sizeof(*judge));
    judge->strict = true;
}

void sim_judge_note(struct sim_judge *judge, const char *fmt, ...)
{
    char line[SIM_JUDGE_LINE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line) - 1, fmt, args);
    va_end(args);
    judge->count++;
    size_t used = strlen(judge->text);
    size_t length = strlen(line);
    if (used + length + 2 <= sizeof(judge->text)) {
        memcpy(judge->text + used, line, length);
        memcpy(judge->text + used + length, "\n", 2);
    }
}

void sim_judge_clear(struct sim_judge *judge)
{
    judge->count = 0;
    judge->text[0] = '\0';
}
