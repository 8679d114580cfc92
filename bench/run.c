/* The run: one way from a confirmed request to a judged report. Every exit passes give_back(). */
#include "bench/run.h"

#include "bench/contact.h"
#include "bench/verdict.h"
#include "lib/text.h"

#define PROGRESS_EVERY_NS (100 * NS_PER_MS)

void run_event(const struct run *run, enum run_event event)
{
    if (run->observer != NULL && run->observer->event != NULL) {
        run->observer->event(run->observer->context, event, run);
    }
}

bool run_cancelled(const struct run *run)
{
    return run->observer != NULL && run->observer->cancelled != NULL &&
           run->observer->cancelled(run->observer->context);
}

void run_progress(struct run *run, uint64_t bytes)
{
    uint64_t now = run->plat->clock_ns(run->plat);
    run->work_done = min_u64(run->work_done + bytes, run->work_total);
    if (now - run->progress_ns >= PROGRESS_EVERY_NS) {
        run->progress_ns = now;
        run_event(run, RUN_PROGRESS);
    }
}

uint64_t run_eta_ns(const struct run *run)
{
    uint64_t elapsed = run->plat->clock_ns(run->plat) - run->work_started_ns;
    if (run->work_done == 0 || run->work_total == 0) {
        return 0;
    }
    /* In per mille first: bytes x ns would not fit 64 bits on a large drive. */
    uint64_t done_permille = max_u64(run->work_done * 1000 / run->work_total, 1);
    return elapsed * (1000 - min_u64(done_permille, 1000)) / done_permille;
}

/* A command ended well and its data are not to be trusted. */
static void explain_data(struct run *run, const char *doing)
{
    struct report *r = run->report;
    const struct ata_data_fault *d = &run->dev.data_fault;
    uint64_t lba = d->lba + d->offset_bytes / max_u64(run->dev.id.logical_bytes, 1);
    if (d->count == 0) {
        text_print(r->failure, sizeof(r->failure),
                   "%s: the controller wrote outside the buffer it was given", doing);
    } else if (d->missing_bytes_first == 0) {
        text_print(r->failure, sizeof(r->failure),
                   "%s: %s at LBA %lu ended well, but the controller counted %u of %u bytes", doing,
                   run->dev.failure.command, lba, d->prdbc, d->expected_bytes);
    } else {
        text_print(r->failure, sizeof(r->failure),
                   "%s: %s ended well but not all its data arrived: from LBA %lu on %lu bytes were "
                   "missing, %lu of them still 1 ms later",
                   doing, run->dev.failure.command, lba, d->missing_bytes_first,
                   d->missing_bytes_second);
    }
}

void run_explain(struct run *run, const char *doing, enum err err)
{
    struct report *r = run->report;
    const struct ata_failure *f = &run->dev.failure;
    if (r->failure[0] != '\0') {
        return;
    }
    switch (err) {
    case ERR_REFUSED:
        text_print(r->failure, sizeof(r->failure), "%s: the write gate refused %s at LBA %lu: %s",
                   doing, run->dev.refusal.command, run->dev.refusal.lba, run->dev.refusal.reason);
        break;
    case ERR_DATA:
        explain_data(run, doing);
        break;
    case ERR_DEVICE:
        if (f->count == 0) {
            text_print(r->failure, sizeof(r->failure),
                       "%s: %s ended with status %02xh, error %02xh", doing, f->command, f->status,
                       f->error);
        } else {
            text_print(r->failure, sizeof(r->failure),
                       "%s: %s at LBA %lu (%lu sectors) ended with status %02xh, error %02xh",
                       doing, f->command, f->lba_exact ? f->device_lba : f->lba,
                       f->lba_exact ? UINT64_C(1) : f->count, f->status, f->error);
        }
        break;
    case ERR_CANCELLED:
        text_print(r->failure, sizeof(r->failure), "%s: stopped by the user", doing);
        break;
    default:
        text_print(r->failure, sizeof(r->failure), "%s: %s%s%s", doing, err_name(err),
                   f->err == err ? " in " : "", f->err == err ? f->command : "");
        break;
    }
}

static enum err refuse(struct run *run, const char *why)
{
    text_print(run->report->failure, sizeof(run->report->failure), "%s", why);
    return ERR_REFUSED;
}

void run_note_drive(struct run *run)
{
    run->report->permit = run->dev.permit;
    run->report->refusal = run->dev.refusal;
    run->report->data_fault = run->dev.data_fault;
    run->report->canary_faults = run->dev.canary_faults;
}

/* Everything that can be known before anything is touched. */
static enum err check_request(struct run *run)
{
    const struct run_request *q = run->request;
    const struct ata_identity *id = &q->target->id;
    struct report *r = run->report;
    if (q->target->status != PORT_DRIVE) {
        return refuse(run, port_status_text(q->target->status));
    }
    q->plan->cost(id, &r->cost_bytes, &r->cost_ns);
    if (q->plan->effects == 0) {
        return OK;
    }
    if (q->confirmed_serial[0] == '\0' || strcmp(q->confirmed_serial, id->serial) != 0) {
        return refuse(run, "not confirmed: this plan destroys data and needs the drive's serial "
                           "number typed");
    }
    if ((q->plan->effects & ATA_EFFECT_TRIM) != 0 && !id->trim) {
        r->verdict.command = COMMAND_NOT_SUPPORTED;
        return refuse(run, "the drive does not support TRIM (IDENTIFY word 169); nothing was sent");
    }
    if (r->cost_bytes == 0) {
        return refuse(run, "the drive is too small for this plan");
    }
    if (q->max_write_bytes != 0 && q->max_write_bytes < r->cost_bytes) {
        text_print(r->failure, sizeof(r->failure),
                   "this plan writes %lu bytes, max_write_bytes allows %lu", r->cost_bytes,
                   q->max_write_bytes);
        return ERR_REFUSED;
    }
    return OK;
}

static void fill_in(struct run *run)
{
    struct report *r = run->report;
    struct platform *plat = run->plat;
    const struct inventory_port *target = run->request->target;
    r->plan = run->request->plan->name;
    r->started = plat->utc(plat);
    r->started_ns = plat->clock_ns(plat);
    r->run_id = mix64(r->started_ns ^
                      mix64(sum64(target->id.raw, sizeof(target->id.raw)) +
                            ((uint64_t)r->started.minute << 32 | (uint64_t)r->started.second << 40 |
                             (uint64_t)r->started.day << 48)));
    r->unattended = run->request->unattended;
    r->settle_s = run->request->settle_s;
    r->environment = plat->info;
    r->pci = run->hba->pci;
    r->controller_name =
        run->hba->known != NULL ? run->hba->known->name : "AHCI controller not in the table";
    r->controller_tried = run->hba->known != NULL && run->hba->known->tried;
    r->regs_before = run->hba->before;
    r->port = target->number;
    r->boot_medium_on_controller = plat->boot_controller(plat, &run->hba->pci) != BOOT_MEDIUM_NO;
    r->drive = target->id;
    r->drive_identified = target->identified;
    if (!plat->info.clock_usable) {
        report_find(r, "clock_unsteady", SEVERITY_NOTE,
                    "the machine's clocks disagree by %u ppm; times in this report are not to be "
                    "trusted",
                    plat->info.clock_error_ppm);
    }
}

static enum err take_controller(struct run *run)
{
    struct platform *plat = run->plat;
    enum err err = plat->take_over(plat, &run->hba->pci);
    if (err == OK) {
        err = ahci_hba_start(run->hba);
    }
    if (err == OK) {
        err = ahci_port_start(run->hba, run->request->target->number, &run->port);
    }
    if (err != OK) {
        run_explain(run, "taking the controller over", err);
        return err;
    }
    run->report->ssts = ahci_port_read(run->port, PxSSTS);
    err = ata_dev_open(&run->dev, run->port,
                       plat->boot_medium(plat, &run->hba->pci, run->request->target->number));
    if (err != OK) {
        run_explain(run, "identifying the drive", err);
    }
    return err;
}

/* Is this still the drive the user chose from the list? */
static enum err check_identity(struct run *run)
{
    const struct ata_identity *listed = &run->request->target->id;
    const struct ata_identity *now = &run->dev.id;
    if (strcmp(listed->serial, now->serial) != 0 || strcmp(listed->model, now->model) != 0 ||
        listed->sectors != now->sectors || listed->logical_bytes != now->logical_bytes ||
        listed->trim != now->trim) {
        text_print(run->report->failure, sizeof(run->report->failure),
                   "the drive on this port is not the one that was listed (now %s, serial %s)",
                   now->model, now->serial);
        return ERR_CHANGED;
    }
    run->report->drive = *now;
    run->report->drive_identified = true;
    if (now->unusable != NULL) {
        return refuse(run, now->unusable);
    }
    return OK;
}

static enum err grant(struct run *run)
{
    const struct run_request *q = run->request;
    struct report *r = run->report;
    const char *why = "";
    struct ata_permit wanted = {
        .port = q->target->number,
        .effects = q->plan->effects,
        .lba_first = 0,
        .lba_count = run->dev.id.sectors,
        .budget_bytes = r->cost_bytes, /* max_write_bytes is not below it, see check_request() */
    };
    memcpy(wanted.serial, q->confirmed_serial, sizeof(wanted.serial));
    enum err err = ata_dev_permit(&run->dev, &wanted, &why);
    if (err != OK) {
        text_print(r->failure, sizeof(r->failure), "no permit to write: %s", why);
    }
    return err;
}

static enum err do_contact(struct run *run)
{
    enum err err = contact_check(run);
    run_event(run, RUN_CONTACT_DONE);
    if (err == OK && !run->report->contact.ok) {
        if (run->report->failure[0] == '\0') {
            text_print(run->report->failure, sizeof(run->report->failure), "%s",
                       run->report->contact.reason);
        }
        err = ERR_DATA;
    }
    return err;
}

/* With the controller ours. */
static enum err work(struct run *run)
{
    const struct plan *plan = run->request->plan;
    struct report *r = run->report;
    enum err err = check_identity(run);
    if (err == OK && plan->contact) {
        err = do_contact(run);
    }
    if (err == OK && plan->effects != 0) {
        err = grant(run);
    }
    if (err == OK) {
        run->work_started_ns = run->plat->clock_ns(run->plat);
        err = plan->run(run);
    }
    run_note_drive(run);
    run->dev.permit.granted = false;
    if (run->port->state == AHCI_PORT_READY) {
        struct ata_identity before = run->dev.id;
        r->drive_identified_after = ata_identify(&run->dev) == OK;
        r->drive_after = run->dev.id;
        run->dev.id = before;
    }
    if (!r->drive_identified_after) {
        report_find(r, "identify_after_failed", SEVERITY_ERROR,
                    "the drive did not give its identity after the run");
    }
    return err;
}

static void give_back(struct run *run)
{
    struct platform *plat = run->plat;
    if (run->port != NULL) {
        ahci_port_stop(run->port);
        if (run->port->stuck) {
            report_find(run->report, "engine_stuck", SEVERITY_ERROR,
                        "the port's command engine did not stop; switch the machine off before its "
                        "drives are used again");
        }
    }
    if (run->dev.port != NULL) {
        ata_dev_close(&run->dev);
    }
    if (run->hba->running) {
        const struct ahci_global_regs *before = &run->report->regs_before;
        struct ahci_global_regs *after = &run->report->regs_after;
        ahci_hba_read(run->hba, after);
        if (after->cap != before->cap || after->pi != before->pi) {
            report_find(run->report, "registers_changed", SEVERITY_ERROR,
                        "CAP or PI changed during the run (CAP %08x -> %08x, PI %08x -> %08x)",
                        before->cap, after->cap, before->pi, after->pi);
        }
    }
    ahci_hba_stop(run->hba);
    if (plat->hand_back(plat, &run->hba->pci) != OK) {
        report_find(run->report, "hand_back", SEVERITY_WARN,
                    "the firmware's driver did not come back for this controller");
    }
    run_event(run, RUN_HANDED_BACK);
}

static enum step step_of(enum err err)
{
    if (err == OK) {
        return STEP_DONE;
    }
    return err == ERR_CANCELLED ? STEP_ABORTED : STEP_FAILED;
}

enum err run_execute(struct run *run, struct platform *plat, struct inventory *inv,
                     const struct run_request *request, struct report *report,
                     const struct run_observer *observer)
{
    memset(run, 0, sizeof(*run));
    memset(report, 0, sizeof(*report));
    run->plat = plat;
    run->request = request;
    run->observer = observer;
    run->report = report;
    run->hba = &inv->controller[request->target->controller];
    fill_in(run);
    report->step = STEP_RUNNING;
    enum err err = check_request(run);
    run_event(run, RUN_STARTED);
    if (err == OK) {
        if (request->plan->contact) {
            contact_sample(run, &request->target->id);
        }
        err = take_controller(run);
        if (err == OK) {
            err = work(run);
        }
        give_back(run);
        contact_recheck(run);
    }
    if (err != OK) {
        run_explain(run, request->plan->name, err); /* where nobody nearer to it did */
    }
    report->step = step_of(err);
    if ((request->plan->effects & ATA_EFFECT_TRIM) != 0) {
        verdict_judge(report);
    }
    report->finished_ns = plat->clock_ns(plat);
    run_event(run, RUN_FINISHED);
    return err;
}
