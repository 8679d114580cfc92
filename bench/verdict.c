/* The verdict of a run that sent TRIM, from the report alone. First the findings that follow from the evidence, then a
 * class for each axis, then the overall line: FAIL before PASS before WARN, and INCONCLUSIVE for everything else. */
#include "bench/verdict.h"

#include "lib/text.h"

/* The evidence of all cases, added up. */
struct evidence {
    unsigned sent;
    unsigned rejected;
    unsigned timed_out;
    uint64_t inside;  /* named sectors that could be read twice */
    uint64_t changed; /* of them, no longer the old data */
    uint64_t zeros;
    uint64_t foreign; /* of the changed: older or misplaced stamps */
    uint64_t garbage; /* named sectors that prove nothing */
    uint64_t unstable;
    uint64_t old;   /* old data that no granularity explains */
    uint64_t edges; /* old data at edges */
    uint64_t guards;
    uint64_t damaged;
    uint64_t unread;
    uint64_t unsteady; /* guards that read differently the second time */
    uint64_t old_lba;
    const struct trim_case *damage;  /* first case with damage */
    const struct trim_case *refused; /* first case whose command failed */
};

static void add_case(struct evidence *e, const struct trim_case *c)
{
    const uint64_t *kind = c->inside.kind;
    uint64_t read = 0;
    for (unsigned i = 0; i < SECTOR_KIND_COUNT; i++) {
        read += kind[i];
        e->guards += c->guard.kind[i];
    }
    e->sent += c->step == STEP_DONE;
    e->rejected += c->err == ERR_DEVICE;
    e->timed_out += c->err == ERR_TIMEOUT;
    if (c->err != OK && e->refused->err == OK) {
        e->refused = c;
    }
    e->damaged += c->damaged;
    if (c->damaged != 0 && e->damage->damaged == 0) {
        e->damage = c;
    }
    e->unsteady += c->guard.unstable;
    e->unread += c->inside.unread + c->guard.unread;
    if (c->step == STEP_NOT_RUN) {
        return; /* never named to the drive */
    }
    e->inside += read;
    e->changed += read - kind[SECTOR_STAMP];
    e->zeros += kind[SECTOR_ZEROS];
    e->foreign += kind[SECTOR_STALE_STAMP] + kind[SECTOR_MISPLACED];
    e->unstable += c->inside.unstable;
    e->garbage += c->garbage;
    if (c->old_inside != 0 && e->old == 0) {
        e->old_lba = c->old_lba;
    }
    e->old += c->old_inside;
    e->edges += kind[SECTOR_STAMP] - c->old_inside;
}

static void gather(const struct report *r, struct evidence *e)
{
    static const struct trim_case none = { .place = "", .name = "" };
    *e = (struct evidence){ .damage = &none, .refused = &none };
    for (unsigned i = 0; i < r->cases; i++) {
        add_case(e, &r->trim_case[i]);
    }
}

static enum command_class judge_command(const struct report *r, const struct evidence *e)
{
    if (r->verdict.command == COMMAND_NOT_SUPPORTED) {
        return COMMAND_NOT_SUPPORTED;
    }
    if (e->timed_out != 0) {
        return COMMAND_TIMED_OUT;
    }
    if (e->rejected != 0) {
        return COMMAND_REJECTED;
    }
    return e->sent != 0 && e->sent == r->cases ? COMMAND_OK : COMMAND_NOT_TESTED;
}

static enum logical_class judge_logical(const struct evidence *e)
{
    if (e->damaged != 0) {
        return LOGICAL_DAMAGED;
    }
    if (e->inside == 0 || e->sent == 0) {
        return LOGICAL_NOT_TESTED;
    }
    if (e->changed == 0 && e->unstable == 0) {
        return e->unread != 0 ? LOGICAL_NOT_TESTED : LOGICAL_NO_CHANGE;
    }
    if (e->unstable != 0) {
        return LOGICAL_UNSTABLE;
    }
    return e->zeros == e->changed ? LOGICAL_ZEROS : LOGICAL_CONSTANT;
}

static bool deallocated(enum logical_class c)
{
    return c == LOGICAL_ZEROS || c == LOGICAL_CONSTANT || c == LOGICAL_UNSTABLE;
}

/* What the drive did, seen against what it promised. */
static void find_behaviour(struct report *r, const struct evidence *e)
{
    const struct ata_identity *id = &r->drive;
    bool zeros_kept = e->old == 0 && e->zeros == e->changed && e->unstable == 0;
    if (e->sent == 0 || e->inside == 0) {
        return;
    }
    if (r->granularity_sectors > 1) {
        report_find(
            r, "granularity", SEVERITY_WARN,
            "TRIM works on whole units of %lu bytes; %lu sectors at the edges of ranges kept "
            "their data (the standard allows it)",
            (uint64_t)r->granularity_sectors * id->logical_bytes, e->edges);
    }
    if (e->old != 0 && e->changed != 0) {
        report_find(
            r, "trim_incomplete", SEVERITY_WARN,
            "%lu trimmed sectors still hold their old data (first: LBA %lu) while others were "
            "deallocated",
            e->old, e->old_lba);
    }
    if (id->rzat && !zeros_kept) {
        report_find(r, "promise_rzat", SEVERITY_WARN,
                    "the drive promises zeros after TRIM (RZAT) and does not keep it");
    }
    if (id->drat && e->unstable != 0) {
        report_find(
            r, "promise_drat", SEVERITY_WARN,
            "the drive promises stable data after TRIM (DRAT); %lu sectors read differently "
            "the second time",
            e->unstable);
    }
    if (e->foreign != 0) {
        report_find(r, "older_data_returned", SEVERITY_WARN,
                    "%lu trimmed sectors returned data of an earlier time or of another sector",
                    e->foreign);
    }
}

/* What takes away from the evidence itself. */
static void find_doubts(struct report *r, const struct evidence *e)
{
    if (e->garbage != 0) {
        report_find(r, "other_data_returned", SEVERITY_ERROR,
                    "%lu trimmed sectors prove nothing: they read, both times, as data that is "
                    "neither zeros nor one repeated byte, or their old data came back",
                    e->garbage);
    }
    const struct ata_data_fault *d = &r->data_fault;
    if (e->damaged != 0) {
        report_find(
            r, "damaged", SEVERITY_ERROR,
            "%lu sectors that TRIM did not name changed; first: LBA %lu (%s, near \"%s\"), now "
            "%s",
            e->damaged, e->damage->damage_lba, e->damage->place, e->damage->name,
            sector_kind_name(e->damage->damage_kind));
    }
    if (d->count != 0) {
        report_find(
            r, "data_fault", SEVERITY_ERROR,
            "%lu reads ended well without all their data (%lu of them complete 1 ms later); "
            "first: LBA %lu, %lu of %u bytes missing, controller counted %u",
            d->count, d->late, d->lba, d->missing_bytes_first, d->expected_bytes, d->prdbc);
    }
    if (e->unsteady != 0 && e->damaged == 0) {
        report_find(r, "unsteady_reads", SEVERITY_ERROR,
                    "%lu sectors that TRIM did not name read differently the second time",
                    e->unsteady);
    }
    if (r->canary_faults != 0) {
        report_find(r, "dma_outside", SEVERITY_ERROR,
                    "the controller wrote outside its buffer %lu times", r->canary_faults);
    }
    if (e->unread != 0) {
        report_find(r, "unread", SEVERITY_ERROR, "%lu sectors could not be read: %s", e->unread,
                    r->failure);
    }
    if (r->firmware.different != 0) {
        report_find(r, "firmware_disagrees", SEVERITY_ERROR,
                    "the firmware reads %lu of %lu sectors otherwise than we did (first: LBA %lu)",
                    r->firmware.different, r->firmware.sectors, r->firmware.first_lba);
    }
    if (r->drive_identified_after && (strcmp(r->drive.serial, r->drive_after.serial) != 0 ||
                                      r->drive.sectors != r->drive_after.sectors)) {
        report_find(r, "identity_changed", SEVERITY_ERROR,
                    "the drive gives another identity after the run");
    }
}

/* A command that failed and then worked when repeated costs the PASS. */
static void find_retries(struct report *r)
{
    for (unsigned i = 0; i < r->passes; i++) {
        const struct pass *p = &r->pass[i];
        if (r->step == STEP_DONE && p->step == STEP_FAILED) {
            report_find(r, "retried", SEVERITY_WARN,
                        "%s (%s): %s at LBA %lu: %s; its sectors were read again one by one",
                        p->name, p->place, p->failure.command, p->failure.lba, err_name(p->err));
        }
    }
}

static void find_notes(struct report *r)
{
    const struct ata_identity *id = &r->drive;
    for (uint32_t bits = id->oddities; bits != 0; bits &= bits - 1) {
        uint32_t bit = bits & (0 - bits);
        report_find(r, "identify_oddity", SEVERITY_NOTE, "%s",
                    ata_oddity_text((enum ata_oddity)bit));
    }
    if (id->sata_gen_now != 0 && id->sata_gen_now < id->sata_gen_max) {
        report_find(r, "link_below_drive", SEVERITY_NOTE, "link runs at %s, the drive can %s",
                    ata_link_text(id->sata_gen_now), ata_link_text(id->sata_gen_max));
    }
    if (r->firmware.step == STEP_NOT_RUN && r->step == STEP_DONE) {
        report_find(r, "not_rechecked_by_firmware", SEVERITY_NOTE,
                    "the firmware could not be asked to read the sectors again");
    }
}

static bool has_finding(const struct report *r, enum severity at_least)
{
    for (unsigned i = 0; i < r->findings; i++) {
        if (r->finding[i].severity >= at_least) {
            return true;
        }
    }
    return false;
}

static enum overall judge_overall(const struct report *r, const struct evidence *e)
{
    const struct verdict *v = &r->verdict;
    if (v->command == COMMAND_REJECTED || v->command == COMMAND_TIMED_OUT ||
        v->logical == LOGICAL_DAMAGED) {
        return OVERALL_FAIL;
    }
    if (r->drive.rzat && v->command == COMMAND_OK && e->old != 0) {
        return OVERALL_FAIL; /* promises zeros, old data still reads, no speed axis speaks for it */
    }
    bool proven = v->command == COMMAND_OK && deallocated(v->logical) && r->step == STEP_DONE;
    if (!proven || has_finding(r, SEVERITY_ERROR)) {
        return OVERALL_INCONCLUSIVE;
    }
    return has_finding(r, SEVERITY_WARN) ? OVERALL_WARN : OVERALL_PASS;
}

/* The registers of the refused TRIM command. */
static const struct ata_failure *refusal_of(const struct report *r)
{
    static const struct ata_failure none = { .err = OK };
    for (unsigned i = 0; i < r->passes; i++) {
        if (r->pass[i].kind == PASS_TRIM && r->pass[i].step == STEP_FAILED) {
            return &r->pass[i].failure;
        }
    }
    return &none;
}

static void word_failure(const struct report *r, const struct evidence *e, struct text *s,
                         struct text *next)
{
    const struct verdict *v = &r->verdict;
    if (v->logical == LOGICAL_DAMAGED) {
        text_fmt(
            s,
            "DATA LOSS: TRIM changed %lu of %lu sectors it did not name (first: LBA %lu, now %s).",
            e->damaged, e->guards, e->damage->damage_lba, sector_kind_name(e->damage->damage_kind));
        text_str(next, "Do not use TRIM on this drive and controller; try the drive on another "
                       "controller to see which of them does it.");
    } else if (v->command == COMMAND_TIMED_OUT) {
        text_fmt(s, "The TRIM command \"%s\" (%s) did not end within its time.", e->refused->name,
                 e->refused->place);
        text_str(next, "Try the drive on another controller.");
    } else if (v->command == COMMAND_REJECTED) {
        text_fmt(s, "The TRIM command \"%s\" (%s) was refused with status %02xh, error %02xh.",
                 e->refused->name, e->refused->place, refusal_of(r)->status, refusal_of(r)->error);
        text_str(next, "The drive says it supports TRIM: try it on another controller.");
    } else {
        text_fmt(s,
                 "TRIM was accepted and the drive promises zeros, but %lu of %lu trimmed sectors "
                 "still read as their old data (first: LBA %lu).",
                 e->old, e->inside, e->old_lba);
        text_str(next, "Try the drive on another controller to see which of them loses TRIM.");
    }
}

static void word_inconclusive(const struct report *r, const struct evidence *e, struct text *s,
                              struct text *next)
{
    const struct verdict *v = &r->verdict;
    if (v->command == COMMAND_NOT_SUPPORTED) {
        text_str(s, "The drive does not support TRIM; nothing was written.");
        text_str(next, "Nothing to test here.");
    } else if (r->step != STEP_DONE) {
        text_fmt(s, "The run did not come to its end: %s.", r->failure);
        text_str(next, "Mend that and run proof again; one complete run settles it.");
    } else if (v->logical == LOGICAL_NO_CHANGE) {
        text_fmt(s,
                 "TRIM was accepted, but all %lu trimmed sectors still read as before. The drive "
                 "does not promise zeros, so this does not prove that TRIM is lost.",
                 e->inside);
        text_str(next,
                 "More runs of proof will not settle it: only a measurement of speed can, which "
                 "this version does not make.");
    } else {
        text_str(s, "The evidence of this run cannot carry a verdict; see the findings.");
        text_str(next,
                 "Mend what the findings name and run proof again; one complete run settles it.");
    }
}

static void word(struct report *r, const struct evidence *e)
{
    struct verdict *v = &r->verdict;
    struct text s;
    struct text next;
    text_init(&s, v->sentence, sizeof(v->sentence));
    text_init(&next, v->next, sizeof(v->next));
    switch (v->overall) {
    case OVERALL_FAIL:
        word_failure(r, e, &s, &next);
        break;
    case OVERALL_INCONCLUSIVE:
    case OVERALL_NONE:
        word_inconclusive(r, e, &s, &next);
        break;
    case OVERALL_PASS:
    case OVERALL_WARN:
        text_fmt(
            &s,
            "TRIM works: %lu of %lu trimmed sectors were deallocated (%lu read zeros), all %lu "
            "sectors around them are intact. This is proof by data; speed was not tested.",
            e->changed, e->inside, e->zeros, e->guards);
        text_str(&next, v->overall == OVERALL_PASS
                            ? "Nothing to do: command and data are as they should be."
                            : "Read the findings: they say what is not as it should be.");
        break;
    }
}

void verdict_judge(struct report *r)
{
    struct evidence e;
    gather(r, &e);
    r->verdict.command = judge_command(r, &e);
    r->verdict.logical = judge_logical(&e);
    r->verdict.write = SPEED_NOT_TESTED;
    r->verdict.read = SPEED_NOT_TESTED;
    find_behaviour(r, &e);
    find_doubts(r, &e);
    find_retries(r);
    find_notes(r);
    r->verdict.overall = judge_overall(r, &e);
    word(r, &e);
}
