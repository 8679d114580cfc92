/* The report's folder on the medium the program was started from. */
#ifndef UI_SAVE_H
#define UI_SAVE_H

#include "bench/report.h"
#include "ui/report_json.h"

struct save {
    struct platform *plat;
    char folder[64];    /* "BARETRIM/20261201-103000-SERIAL" */
    char sentence[160]; /* where the report is, or why it is nowhere */
    enum err err;
    bool tried;
    char json[REPORT_JSON_MAX];
};

/* Name the run's folder: UTC where the platform has it, else the run id. */
void save_begin(struct save *s, struct platform *plat, const struct report *r);

/* Write report.json, and identify.txt once the drive is identified. Sets s->sentence either way. ERR_NO_SPACE,
 * ERR_READ_ONLY, ERR_UNSUPPORTED, ERR_IO: nothing else is lost; may be called again. */
enum err save_report(struct save *s, const struct report *r);

#endif
