/* The event log: one line an event, 7-bit, for machines.
 *
 *   BT1 <ns since start> <event> key=value key="value with blanks" ...
 *
 * In quotes \" \\ and \xNN are escapes. docs/REPORT.md lists the events. */
#ifndef UI_LOG_H
#define UI_LOG_H

#include "bench/inventory.h"
#include "bench/run.h"
#include "lib/text.h"

/* The longest line there can be, a verdict's sentence with every byte escaped, fits. */
enum { LOG_LINE_MAX = 2048 };

struct event_log {
    struct platform *plat;
    bool on;
    char line[LOG_LINE_MAX];
    struct text text;
};

/* `on` false: every call is silent. */
void log_init(struct event_log *log, struct platform *plat, bool on);

/* A line of its own: begin, any number of fields, end. */
void log_begin(struct event_log *log, const char *event);
void log_str(struct event_log *log, const char *key, const char *value);
void log_u64(struct event_log *log, const char *key, uint64_t value);
void log_end(struct event_log *log);

/* The events of the product. */
void log_start(struct event_log *log);
void log_inventory(struct event_log *log, const struct inventory *inv);
void log_sentence(struct event_log *log, const char *event, const char *text);
void log_run(struct event_log *log, enum run_event event, const struct run *run);

#endif
