/* The verdict: a pure function of the report. */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/report.h"

/* Fill r->verdict (and the findings that follow from the evidence) of a run that sent TRIM. Reads nothing
 * but *r; the same report gives the same verdict. */
void verdict_judge(struct report *r);

#endif
