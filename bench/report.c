/* The report's own small functions: names of its classes, findings, passes. */
#include "bench/report.h"

#include "lib/text.h"

#define NAMES(function, type, ...)                                                                 \
    const char *function(enum type value)                                                          \
    {                                                                                              \
        static const char *const names[] = { __VA_ARGS__ };                                        \
        return (unsigned)value < ARRAY_LEN(names) ? names[value] : "unknown";                      \
    }

NAMES(step_name, step, "NOT RUN", "RUNNING", "DONE", "FAILED", "ABORTED")
NAMES(pass_kind_name, pass_kind, "stamp", "flush", "read", "trim", "settle")
NAMES(severity_name, severity, "note", "warning", "error")
NAMES(command_class_name, command_class, "NOT TESTED", "OK", "REJECTED", "TIMED OUT",
      "NOT SUPPORTED")
NAMES(logical_class_name, logical_class, "NOT TESTED", "DEALLOCATED (zeros)",
      "DEALLOCATED (constant)", "DEALLOCATED (unstable)", "NO CHANGE SEEN", "DAMAGED")
NAMES(speed_class_name, speed_class, "NOT TESTED")
NAMES(overall_name, overall, "NONE", "PASS", "WARN", "FAIL", "INCONCLUSIVE")

void report_find(struct report *r, const char *code, enum severity severity, const char *fmt, ...)
{
    struct text t;
    va_list args;
    if (r->findings == REPORT_FINDINGS_MAX) {
        r->findings_left_off++;
        return;
    }
    struct finding *f = &r->finding[r->findings++];
    f->code = code;
    f->severity = severity;
    text_init(&t, f->text, sizeof(f->text));
    va_start(args, fmt);
    text_vfmt(&t, fmt, args);
    va_end(args);
}

uint64_t rate_bytes_per_s(uint64_t bytes, uint64_t ns)
{
    if (ns == 0) {
        return 0;
    }
    /* The finest unit in which the product still fits 64 bits. */
    for (uint64_t unit = 1;; unit *= 10) {
        uint64_t per_s = NS_PER_S / unit;
        if (per_s <= 1000 || bytes <= UINT64_MAX / per_s) {
            return bytes * per_s / max_u64(ns / unit, 1);
        }
    }
}

struct pass *report_pass(struct report *r, const char *name, enum pass_kind kind, uint64_t now_ns)
{
    ASSERT(r->passes < REPORT_PASSES_MAX);
    struct pass *pass = &r->pass[r->passes++];
    *pass = (struct pass){ .name = name, .kind = kind, .step = STEP_RUNNING, .started_ns = now_ns };
    return pass;
}
