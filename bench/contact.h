/* Contact: do our own reads agree with the firmware's? Read-only; runs before the first write. */
#ifndef BENCH_CONTACT_H
#define BENCH_CONTACT_H

#include "bench/run.h"

/* Before take-over: choose the sample sectors and let the firmware read them. Never fails; what the firmware cannot
 * give is noted in the report. */
void contact_sample(struct run *run, const struct ata_identity *id);

/* With the drive open: read the same sectors by PIO, DMA and NCQ and compare. Fills report->contact and sets
 * dev->contact_ok. OK also when the comparison failed (contact.ok says so); an error when the drive was lost. */
enum err contact_check(struct run *run);

/* After hand-back: the firmware reads run->expect again. */
void contact_recheck(struct run *run);

#endif
