/* The report as JSON. Names follow fio's JSON for times and bytes, and smartctl's for the drive (report_drive.c). */
#include "ui/report_json.h"

#include "bench/inventory.h"
#include "lib/version.h"
#include "ui/report_drive.h"

static void put_time(struct json *j, const char *key, const struct utc_time *t)
{
    char text[24];
    if (t->year == 0) {
        json_null(j, key);
        return;
    }
    text_print(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02uZ", t->year, t->month, t->day,
               t->hour, t->minute, t->second);
    json_str(j, key, text);
}

static void put_environment(struct json *j, const struct platform_info *info)
{
    json_object(j, "environment");
    json_str(j, "platform", info->name);
    json_str(j, "firmware_vendor", info->firmware_vendor);
    json_str(j, "firmware_revision", info->firmware_revision);
    json_bool(j, "secure_boot", info->secure_boot);
    json_str(j, "cpu", info->cpu);
    json_u64(j, "tsc_hz", info->tsc_hz);
    json_str(j, "clock_source", info->clock_source);
    if (info->clock_error_ppm == UINT32_MAX) {
        json_null(j, "clock_error_ppm");
    } else {
        json_u64(j, "clock_error_ppm", info->clock_error_ppm);
    }
    json_bool(j, "clock_usable", info->clock_usable);
    json_object_end(j);
}

static void put_global(struct json *j, const char *key, const struct ahci_global_regs *g)
{
    json_object(j, key);
    json_hex(j, "cap", g->cap, 8);
    json_hex(j, "cap2", g->cap2, 8);
    json_hex(j, "pi", g->pi, 8);
    json_hex(j, "vs", g->vs, 8);
    json_hex(j, "ghc", g->ghc, 8);
    json_object_end(j);
}

static void put_controller(struct json *j, const struct report *r)
{
    char address[16];
    inventory_address_text(&r->pci.at, address, sizeof(address));
    json_object(j, "controller");
    json_str(j, "address", address);
    json_str(j, "name", r->controller_name);
    json_bool(j, "tried", r->controller_tried);
    json_hex(j, "vendor_id", r->pci.vendor_id, 4);
    json_hex(j, "device_id", r->pci.device_id, 4);
    json_hex(j, "subsystem_vendor_id", r->pci.subsystem_vendor_id, 4);
    json_hex(j, "subsystem_id", r->pci.subsystem_id, 4);
    json_hex(j, "class",
             (uint64_t)r->pci.class_base << 16 | (uint64_t)r->pci.class_sub << 8 | r->pci.prog_if,
             6);
    json_hex(j, "revision", r->pci.revision, 2);
    json_u64(j, "bar5_bytes", r->pci.bar5_bytes);
    json_hex(j, "ports_implemented", r->regs_before.pi, 8);
    json_u64(j, "ncq_depth",
             (r->regs_before.cap & CAP_SNCQ) == 0
                 ? 0
                 : ((r->regs_before.cap & CAP_NCS_MASK) >> CAP_NCS_SHIFT) + 1);
    put_global(j, "registers_before", &r->regs_before);
    put_global(j, "registers_after", &r->regs_after);
    json_u64(j, "port", r->port);
    json_hex(j, "port_ssts", r->ssts, 3);
    json_bool(j, "boot_medium_on_controller", r->boot_medium_on_controller);
    json_object_end(j);
}

static void put_times(struct json *j, const struct ata_times *t)
{
    json_u64(j, "total_ios", t->commands);
    json_u64(j, "io_bytes", t->bytes);
    json_u64(j, "runtime_ns", t->wall_ns);
    json_u64(j, "bw_bytes", rate_bytes_per_s(t->bytes, t->wall_ns));
    json_object(j, "lat_ns");
    json_u64(j, "min", t->latency_ns_min);
    json_u64(j, "max", t->latency_ns_max);
    json_u64(j, "mean", t->commands == 0 ? 0 : t->latency_ns_sum / t->commands);
    json_u64(j, "N", t->commands);
    json_object_end(j);
    json_u64(j, "poll_gap_ns_max", t->poll_gap_ns_max);
}

static void put_contact(struct json *j, const struct contact *c)
{
    json_object(j, "contact");
    json_str(j, "step", step_name(c->step));
    json_bool(j, "ok", c->ok);
    json_str(j, "reason", c->reason);
    json_bool(j, "firmware_reference", c->firmware_reference);
    json_u64(j, "sectors", c->sectors);
    json_u64(j, "informative", c->informative);
    put_global(j, "registers_before", &c->before);
    put_global(j, "registers_after", &c->after);
    json_bool(j, "registers_unchanged", c->regs_unchanged);
    json_bool(j, "ccs_sane", c->ccs_sane);
    json_u64(j, "poll_gap_ns_max", c->poll_gap_ns_max);
    json_array(j, "ways");
    for (unsigned i = 0; i < c->ways; i++) {
        const struct contact_way *w = &c->way[i];
        json_object(j, NULL);
        json_str(j, "name", w->name);
        json_str(j, "step", step_name(w->step));
        json_str(j, "err", err_name(w->err));
        json_u64(j, "sectors", w->sectors);
        json_u64(j, "different", w->different);
        json_u64(j, "different_late", w->different_late);
        json_u64(j, "first_lba", w->first_lba);
        put_times(j, &w->times);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

static void put_failure(struct json *j, const struct ata_failure *f)
{
    json_object(j, "failure");
    json_str(j, "err", err_name(f->err));
    json_str(j, "command", f->command == NULL ? "" : f->command);
    json_u64(j, "lba", f->lba);
    json_u64(j, "count_sectors", f->count);
    if (f->lba_exact) {
        json_u64(j, "device_lba", f->device_lba);
    } else {
        json_null(j, "device_lba");
    }
    json_hex(j, "status", f->status, 2);
    json_hex(j, "error", f->error, 2);
    json_hex(j, "is", f->is, 8);
    json_hex(j, "serr", f->serr, 8);
    json_hex(j, "ssts", f->ssts, 3);
    json_bool(j, "was_reset", f->was_reset);
    json_bool(j, "recovered", f->recovered);
    json_object_end(j);
}

static void put_passes(struct json *j, const struct report *r)
{
    static const char *const methods[] = { "PIO", "DMA", "NCQ" };
    json_array(j, "passes");
    for (unsigned i = 0; i < r->passes; i++) {
        const struct pass *p = &r->pass[i];
        json_object(j, NULL);
        json_str(j, "name", p->name);
        json_str(j, "place", p->place == NULL ? "" : p->place);
        json_str(j, "kind", pass_kind_name(p->kind));
        if (p->kind == PASS_STAMP || p->kind == PASS_READ) {
            json_str(j, "method", methods[p->method]);
        } else {
            json_null(j, "method");
        }
        json_u64(j, "iodepth", p->depth);
        json_u64(j, "lba", p->lba);
        json_u64(j, "count_sectors", p->count_sectors);
        json_str(j, "step", step_name(p->step));
        json_str(j, "err", err_name(p->err));
        json_u64(j, "started_ns", p->started_ns);
        put_times(j, &p->times);
        json_u64(j, "mismatches", p->mismatches);
        json_u64(j, "mismatches_late", p->mismatches_late);
        json_u64(j, "measured_permille", p->measured_permille);
        if (p->step == STEP_FAILED) {
            put_failure(j, &p->failure);
        }
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_counts(struct json *j, const char *key, const struct sector_counts *c)
{
    json_object(j, key);
    json_u64(j, "stamp", c->kind[SECTOR_STAMP]);
    json_u64(j, "older_stamp", c->kind[SECTOR_STALE_STAMP]);
    json_u64(j, "misplaced", c->kind[SECTOR_MISPLACED]);
    json_u64(j, "zeros", c->kind[SECTOR_ZEROS]);
    json_u64(j, "constant", c->kind[SECTOR_CONSTANT]);
    json_u64(j, "other", c->kind[SECTOR_OTHER]);
    json_u64(j, "unstable", c->unstable);
    json_u64(j, "unread", c->unread);
    json_object_end(j);
}

static void put_damage(struct json *j, const struct trim_case *c)
{
    char bytes[2 * sizeof(c->damage_bytes) + 1];
    struct text t;
    text_init(&t, bytes, sizeof(bytes));
    for (unsigned i = 0; i < sizeof(c->damage_bytes); i++) {
        text_fmt(&t, "%02x", c->damage_bytes[i]);
    }
    json_object(j, "damage");
    json_u64(j, "first_lba", c->damage_lba);
    json_str(j, "now", sector_kind_name(c->damage_kind));
    if (c->damage_bytes_known) {
        json_str(j, "first_bytes", bytes);
    } else {
        json_null(j, "first_bytes");
    }
    json_object_end(j);
}

static void put_cases(struct json *j, const struct report *r)
{
    json_array(j, "trim_cases");
    for (unsigned i = 0; i < r->cases; i++) {
        const struct trim_case *c = &r->trim_case[i];
        json_object(j, NULL);
        json_str(j, "place", c->place);
        json_str(j, "name", c->name);
        json_u64(j, "lba", c->lba);
        json_u64(j, "count", c->count);
        json_u64(j, "entries", c->entries);
        json_str(j, "step", step_name(c->step));
        json_str(j, "err", err_name(c->err));
        json_u64(j, "trim_ns", c->trim_ns);
        put_counts(j, "inside", &c->inside);
        put_counts(j, "guard", &c->guard);
        json_u64(j, "damaged", c->damaged);
        if (c->damaged != 0) {
            put_damage(j, c);
        }
        json_u64(j, "edge_sectors_max", c->edge_sectors_max);
        json_u64(j, "old_inside", c->old_inside);
        if (c->old_inside != 0) {
            json_u64(j, "old_first_lba", c->old_lba);
        } else {
            json_null(j, "old_first_lba");
        }
        json_object_end(j);
    }
    json_array_end(j);
    json_u64(j, "granularity_sectors", r->granularity_sectors);
}

static void put_refusal(struct json *j, const struct ata_refusal *refusal)
{
    if (refusal->reason == NULL) {
        json_null(j, "refusal");
        return;
    }
    json_object(j, "refusal");
    json_str(j, "reason", refusal->reason);
    json_str(j, "command", refusal->command == NULL ? "" : refusal->command);
    json_u64(j, "lba", refusal->lba);
    json_u64(j, "count_sectors", refusal->count);
    json_object_end(j);
}

static void put_permit(struct json *j, const struct report *r)
{
    json_object(j, "cost");
    json_u64(j, "write_bytes", r->cost_bytes);
    json_u64(j, "time_ns", r->cost_ns);
    json_object_end(j);
    json_object(j, "permit");
    json_bool(j, "granted", r->permit.granted);
    json_str(j, "serial_number", r->permit.serial);
    json_u64(j, "port", r->permit.port);
    json_u64(j, "lba", r->permit.lba_first);
    json_u64(j, "count_sectors", r->permit.lba_count);
    json_bool(j, "may_write", (r->permit.effects & ATA_EFFECT_WRITE) != 0);
    json_bool(j, "may_trim", (r->permit.effects & ATA_EFFECT_TRIM) != 0);
    json_u64(j, "budget_bytes", r->permit.budget_bytes);
    json_u64(j, "spent_bytes", r->permit.spent_bytes);
    put_refusal(j, &r->refusal);
    json_object_end(j);
    json_object(j, "wear");
    json_u64(j, "host_bytes_written", r->permit.spent_bytes);
    json_object_end(j);
}

static void put_faults(struct json *j, const struct report *r)
{
    const struct ata_data_fault *d = &r->data_fault;
    json_object(j, "data_faults");
    json_u64(j, "count", d->count);
    json_u64(j, "late", d->late);
    json_u64(j, "first_lba", d->lba);
    json_u64(j, "offset_bytes", d->offset_bytes);
    json_u64(j, "missing_bytes_first", d->missing_bytes_first);
    json_u64(j, "missing_bytes_second", d->missing_bytes_second);
    json_u64(j, "prdbc", d->prdbc);
    json_u64(j, "expected_bytes", d->expected_bytes);
    json_u64(j, "canary_faults", r->canary_faults);
    json_object_end(j);
    json_object(j, "firmware_check");
    json_str(j, "step", step_name(r->firmware.step));
    json_u64(j, "sectors", r->firmware.sectors);
    json_u64(j, "different", r->firmware.different);
    json_u64(j, "first_lba", r->firmware.first_lba);
    json_object_end(j);
}

static void put_verdict(struct json *j, const struct report *r)
{
    const struct verdict *v = &r->verdict;
    json_array(j, "findings");
    for (unsigned i = 0; i < r->findings; i++) {
        json_object(j, NULL);
        json_str(j, "code", r->finding[i].code);
        json_str(j, "severity", severity_name(r->finding[i].severity));
        json_str(j, "text", r->finding[i].text);
        json_object_end(j);
    }
    json_array_end(j);
    json_u64(j, "findings_left_off", r->findings_left_off);
    if (v->overall == OVERALL_NONE) {
        json_null(j, "verdict");
        return;
    }
    json_object(j, "verdict");
    json_str(j, "command", command_class_name(v->command));
    json_str(j, "logical", logical_class_name(v->logical));
    json_str(j, "write", speed_class_name(v->write));
    json_str(j, "read", speed_class_name(v->read));
    json_str(j, "overall", overall_name(v->overall));
    json_str(j, "sentence", v->sentence);
    json_str(j, "next", v->next);
    json_object_end(j);
}

static void put_run(struct json *j, const struct report *r)
{
    json_object(j, "trimtest");
    json_str(j, "plan", r->plan);
    json_hex(j, "run_id", r->run_id, 16);
    json_bool(j, "unattended", r->unattended);
    json_u64(j, "settle_s", r->settle_s);
    json_str(j, "step", step_name(r->step));
    json_str(j, "failure", r->failure);
    put_time(j, "started", &r->started);
    json_u64(j, "started_ns", r->started_ns);
    json_u64(j, "finished_ns", r->finished_ns);
    json_u64(j, "poll_gap_ns_max", r->poll_gap_ns_max);
    json_object_end(j);
}

size_t report_json(const struct report *r, char *buf, size_t cap, bool *cut)
{
    struct json j;
    json_init(&j, buf, cap);
    json_object(&j, NULL);
    json_array(&j, "json_format_version");
    json_u64(&j, NULL, REPORT_FORMAT_VERSION);
    json_u64(&j, NULL, 0);
    json_array_end(&j);
    json_object(&j, "baretrim");
    json_str(&j, "version", version_text);
    json_str(&j, "build", version_build);
    json_object_end(&j);
    put_run(&j, r);
    put_environment(&j, &r->environment);
    put_controller(&j, r);
    if (r->drive_identified) {
        report_drive(&j, "drive", &r->drive);
    } else {
        json_null(&j, "drive");
    }
    if (r->drive_identified_after) {
        report_drive(&j, "drive_after", &r->drive_after);
    } else {
        json_null(&j, "drive_after");
    }
    put_permit(&j, r);
    put_contact(&j, &r->contact);
    put_passes(&j, r);
    put_cases(&j, r);
    put_faults(&j, r);
    put_verdict(&j, r);
    json_object_end(&j);
    *cut = j.text.cut;
    return j.text.len;
}
