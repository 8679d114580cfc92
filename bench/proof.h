/* The plan `proof`: does TRIM do what it says, and nothing else? Answered by data in under a minute. */
#ifndef BENCH_PROOF_H
#define BENCH_PROOF_H

#include "bench/run.h"

void proof_cost(const struct ata_identity *id, uint64_t *bytes, uint64_t *ns);
enum err proof_run(struct run *run);

/* The places the proof touches on this drive; returns how many, 0 when the drive is too small. */
unsigned proof_places(const struct ata_identity *id, struct proof_spot spot[PROOF_PLACES_MAX]);

/* Is sector n of the place a guard: named by no entry, or only pointed at by a zero-length one? */
bool proof_is_guard(const struct run *run, const struct proof_place *place, uint32_t n);

/* After the readings: fill the counts of report->trim_case from the places' sector maps, and the granularity: the
 * smallest power of two of sectors that explains which named sectors stayed. Returns it (1: every sector, or nothing explains it; 0: nothing changed). */
uint32_t proof_count(struct run *run);

#endif
