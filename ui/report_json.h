/* report.json: the whole report for other programs. docs/REPORT.md explains it, docs/report.schema.json holds it. */
#ifndef UI_REPORT_JSON_H
#define UI_REPORT_JSON_H

#include "bench/report.h"

enum { REPORT_JSON_MAX = 256 << 10 }; /* the largest report there can be fits; a test proves it */

/* Write the report as it stands. Returns the length; *cut (may not be NULL) is set when it did not fit. */
size_t report_json(const struct report *r, char *buf, size_t cap, bool *cut);

#endif
