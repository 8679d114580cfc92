/* Events as lines. */
#include "ui/log.h"

#include "lib/version.h"

void log_init(struct event_log *log, struct platform *plat, bool on)
{
    *log = (struct event_log){ .plat = plat, .on = on };
}

void log_begin(struct event_log *log, const char *event)
{
    text_init(&log->text, log->line, sizeof(log->line) - 2);
    text_fmt(&log->text, "BT1 %lu %s", log->plat->clock_ns(log->plat), event);
}

static bool needs_quotes(const char *value)
{
    for (const char *c = value; *c != '\0'; c++) {
        if (*c <= ' ' || *c > '~' || *c == '"' || *c == '\\') {
            return true;
        }
    }
    return *value == '\0';
}

void log_str(struct event_log *log, const char *key, const char *value)
{
    text_fmt(&log->text, " %s=", key);
    if (!needs_quotes(value)) {
        text_str(&log->text, value);
        return;
    }
    text_char(&log->text, '"');
    for (const char *c = value; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            text_fmt(&log->text, "\\%c", *c);
        } else if (*c < ' ' || *c > '~') {
            text_fmt(&log->text, "\\x%02x", (uint8_t)*c);
        } else {
            text_char(&log->text, *c);
        }
    }
    text_char(&log->text, '"');
}

void log_u64(struct event_log *log, const char *key, uint64_t value)
{
    text_fmt(&log->text, " %s=%lu", key, value);
}

void log_end(struct event_log *log)
{
    if (!log->on) {
        return;
    }
    size_t len = log->text.len;
    log->line[len++] = '\r';
    log->line[len++] = '\n';
    log->plat->serial_write(log->plat, log->line, len);
}

static void log_hex(struct event_log *log, const char *key, uint64_t value, unsigned digits)
{
    text_fmt(&log->text, " %s=%0*lx", key, digits, value);
}

void log_sentence(struct event_log *log, const char *event, const char *text)
{
    log_begin(log, event);
    log_str(log, "text", text);
    log_end(log);
}

void log_start(struct event_log *log)
{
    const struct platform_info *info = &log->plat->info;
    log_begin(log, "start");
    log_str(log, "version", version_text);
    log_str(log, "build", version_build);
    log_str(log, "platform", info->name);
    log_str(log, "firmware", info->firmware_vendor);
    log_str(log, "clock", info->clock_source);
    log_u64(log, "tsc_hz", info->tsc_hz);
    log_end(log);
}

static void log_controller(struct event_log *log, const struct ahci_hba *hba)
{
    char address[16];
    inventory_address_text(&hba->pci.at, address, sizeof(address));
    log_begin(log, "controller");
    log_str(log, "bdf", address);
    log_hex(log, "vendor", hba->pci.vendor_id, 4);
    log_hex(log, "device", hba->pci.device_id, 4);
    log_hex(log, "class", (uint64_t)hba->pci.class_base << 8 | hba->pci.class_sub, 4);
    log_str(log, "name", hba->known != NULL ? hba->known->name : "");
    log_str(log, "state", ahci_state_text(hba->state));
    if (hba->state == AHCI_USABLE) {
        log_hex(log, "cap", hba->before.cap, 8);
        log_hex(log, "pi", hba->before.pi, 8);
        log_hex(log, "vs", hba->before.vs, 8);
        log_u64(log, "nvme_remapped", hba->nvme_remapped);
    }
    log_end(log);
}

void log_inventory(struct event_log *log, const struct inventory *inv)
{
    char address[16];
    for (unsigned i = 0; i < inv->controllers; i++) {
        log_controller(log, &inv->controller[i]);
    }
    for (unsigned i = 0; i < inv->ports; i++) {
        const struct inventory_port *p = &inv->port[i];
        inventory_address_text(&inv->controller[p->controller].pci.at, address, sizeof(address));
        log_begin(log, "port");
        log_str(log, "bdf", address);
        log_u64(log, "port", p->number);
        log_str(log, "status", port_status_name(p->status));
        log_hex(log, "ssts", p->ssts, 3);
        if (p->identified) {
            log_str(log, "model", p->id.model);
            log_str(log, "serial", p->id.serial);
            log_u64(log, "sectors", p->id.sectors);
            log_u64(log, "trim", p->id.trim);
        }
        log_end(log);
    }
}

static void log_run_start(struct event_log *log, const struct report *r)
{
    char address[16];
    inventory_address_text(&r->pci.at, address, sizeof(address));
    log_begin(log, "run");
    log_str(log, "plan", r->plan);
    log_str(log, "serial", r->drive.serial);
    log_str(log, "model", r->drive.model);
    log_str(log, "bdf", address);
    log_u64(log, "port", r->port);
    log_u64(log, "cost_bytes", r->cost_bytes);
    log_u64(log, "cost_ns", r->cost_ns);
    log_hex(log, "run_id", r->run_id, 16);
    log_end(log);
}

static void log_contact(struct event_log *log, const struct contact *c)
{
    for (unsigned i = 0; i < c->ways; i++) {
        const struct contact_way *w = &c->way[i];
        log_begin(log, "contact_way");
        log_str(log, "name", w->name);
        log_str(log, "step", step_name(w->step));
        log_str(log, "err", err_name(w->err));
        log_u64(log, "sectors", w->sectors);
        log_u64(log, "different", w->different);
        log_u64(log, "different_late", w->different_late);
        log_end(log);
    }
    log_begin(log, "contact");
    log_str(log, "result", c->ok ? "ok" : "failed");
    log_u64(log, "firmware_reference", c->firmware_reference);
    log_u64(log, "sectors", c->sectors);
    log_u64(log, "informative", c->informative);
    log_u64(log, "poll_gap_ns_max", c->poll_gap_ns_max);
    log_str(log, "reason", c->reason);
    log_end(log);
}

static void log_pass(struct event_log *log, const struct report *r)
{
    const struct pass *p = &r->pass[r->passes - 1];
    log_begin(log, "pass");
    log_u64(log, "n", r->passes);
    log_str(log, "name", p->name);
    log_str(log, "place", p->place == NULL ? "" : p->place);
    log_str(log, "kind", pass_kind_name(p->kind));
    log_u64(log, "depth", p->depth);
    log_u64(log, "lba", p->lba);
    log_u64(log, "count_sectors", p->count_sectors);
    log_u64(log, "commands", p->times.commands);
    log_u64(log, "bytes", p->times.bytes);
    log_u64(log, "ns", p->times.wall_ns);
    log_str(log, "step", step_name(p->step));
    log_str(log, "err", err_name(p->err));
    if (p->step == STEP_FAILED) {
        log_str(log, "command", p->failure.command == NULL ? "" : p->failure.command);
        log_u64(log, "fail_lba", p->failure.lba_exact ? p->failure.device_lba : p->failure.lba);
        log_u64(log, "fail_count", p->failure.lba_exact ? 1 : p->failure.count);
        log_hex(log, "status", p->failure.status, 2);
        log_hex(log, "error", p->failure.error, 2);
    }
    log_end(log);
}

static void log_cases(struct event_log *log, const struct report *r)
{
    for (unsigned i = 0; i < r->cases; i++) {
        const struct trim_case *c = &r->trim_case[i];
        log_begin(log, "trim_case");
        log_str(log, "place", c->place);
        log_str(log, "name", c->name);
        log_str(log, "step", step_name(c->step));
        log_u64(log, "lba", c->lba);
        log_u64(log, "count", c->count);
        log_u64(log, "entries", c->entries);
        log_u64(log, "trim_ns", c->trim_ns);
        log_u64(log, "old", c->inside.kind[SECTOR_STAMP]);
        log_u64(log, "zeros", c->inside.kind[SECTOR_ZEROS]);
        log_u64(log, "constant", c->inside.kind[SECTOR_CONSTANT]);
        log_u64(log, "other",
                c->inside.kind[SECTOR_OTHER] + c->inside.kind[SECTOR_STALE_STAMP] +
                    c->inside.kind[SECTOR_MISPLACED]);
        log_u64(log, "unstable", c->inside.unstable);
        log_u64(log, "unread", c->inside.unread + c->guard.unread);
        log_u64(log, "guards", c->guard.kind[SECTOR_STAMP] + c->damaged);
        log_u64(log, "damaged", c->damaged);
        log_end(log);
    }
}

static void log_finish(struct event_log *log, const struct report *r)
{
    const struct verdict *v = &r->verdict;
    for (unsigned i = 0; i < r->findings; i++) {
        log_begin(log, "finding");
        log_str(log, "code", r->finding[i].code);
        log_str(log, "severity", severity_name(r->finding[i].severity));
        log_str(log, "text", r->finding[i].text);
        log_end(log);
    }
    if (v->overall != OVERALL_NONE) {
        log_begin(log, "verdict");
        log_str(log, "command", command_class_name(v->command));
        log_str(log, "logical", logical_class_name(v->logical));
        log_str(log, "write", speed_class_name(v->write));
        log_str(log, "read", speed_class_name(v->read));
        log_str(log, "overall", overall_name(v->overall));
        log_str(log, "sentence", v->sentence);
        log_end(log);
    }
    log_begin(log, "end");
    log_str(log, "step", step_name(r->step));
    log_u64(log, "ns", r->finished_ns - r->started_ns);
    log_str(log, "failure", r->failure);
    log_end(log);
}

void log_run(struct event_log *log, enum run_event event, const struct run *run)
{
    const struct report *r = run->report;
    switch (event) {
    case RUN_STARTED:
        log_run_start(log, r);
        break;
    case RUN_CONTACT_DONE:
        log_contact(log, &r->contact);
        break;
    case RUN_PASS_STARTED:
        break;
    case RUN_PASS_DONE:
        log_pass(log, r);
        break;
    case RUN_PROGRESS:
        log_begin(log, "progress");
        log_u64(log, "done_bytes", run->work_done);
        log_u64(log, "total_bytes", run->work_total);
        log_u64(log, "eta_ns", run_eta_ns(run));
        log_end(log);
        break;
    case RUN_CASES_DONE:
        log_cases(log, r);
        break;
    case RUN_HANDED_BACK:
        log_begin(log, "handed_back");
        log_end(log);
        break;
    case RUN_FINISHED:
        log_finish(log, r);
        break;
    }
}
