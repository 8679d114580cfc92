/* The plan `proof`. In each of a few places of the LBA space: stamp 5 MiB, read it back, TRIM parts of it in different
 * forms, read it twice. Every sector of a place is either named by one TRIM form or is a guard that must keep its
 * stamp. Layout of a place, in MiB: | small forms | aligned, 2 MiB | unaligned | 64 entries |. */
#include "bench/proof.h"

#include "lib/text.h"

enum {
    PASS_NUMBER = 1, /* of the stamps */
    PIECE_BYTES = 1 << 20,
    NCQ_CHUNK_BYTES = 128 << 10,
    TIMEOUTS_MAX = 3, /* reads that hang, in a whole run: each costs half a minute and a reset */
    SECTOR_ERRORS_MAX =
        8, /* single bad sectors looked at one by one, then the rest of a piece is given up */
    EXPECTS_PER_KIND = 8,
    COST_BYTES_PER_S = 50000000,
    DRIVE_BYTES_MIN = 64 << 20,
};

enum form {
    FORM_ONE_SECTOR,
    FORM_ZERO_LENGTH,
    FORM_ALIGNED,
    FORM_UNALIGNED,
    FORM_64_ENTRIES,
    FORM_COUNT
};

static const char *const form_names[] = {
    [FORM_ONE_SECTOR] = "one sector", [FORM_ZERO_LENGTH] = "zero length",
    [FORM_ALIGNED] = "aligned",       [FORM_UNALIGNED] = "unaligned",
    [FORM_64_ENTRIES] = "64 entries",
};
_Static_assert(ARRAY_LEN(form_names) == FORM_COUNT, "one name a form");
_Static_assert(FORM_COUNT *PROOF_PLACES_MAX <= REPORT_CASES_MAX, "every case has its row");

static bool overlaps(uint64_t a, uint64_t b, uint64_t sectors)
{
    return a < b + sectors && b < a + sectors;
}

unsigned proof_places(const struct ata_identity *id, struct proof_spot spot[PROOF_PLACES_MAX])
{
    uint64_t mib = (1u << 20) / id->logical_bytes;
    uint64_t size = PROOF_PLACE_BYTES / id->logical_bytes;
    if (id->sectors < DRIVE_BYTES_MIN / id->logical_bytes) {
        return 0;
    }
    uint64_t last = id->sectors - size;
    uint64_t middle = id->sectors / 2 / mib * mib;
    uint64_t border = ATA_LBA28_END - 2 * mib; /* its aligned TRIM lies across 2^28 */
    bool has_border = id->lba48 && border + size <= last;
    if (has_border && overlaps(middle, border, size)) {
        middle = border - 2 * size;
    }
    unsigned count = 0;
    spot[count++] = (struct proof_spot){ "first", 0, (uint32_t)size };
    spot[count++] = (struct proof_spot){ "middle", middle, (uint32_t)size };
    if (has_border) {
        spot[count++] = (struct proof_spot){ "2^28", border, (uint32_t)size };
    }
    spot[count++] = (struct proof_spot){ "last", last, (uint32_t)size };
    return count;
}

void proof_cost(const struct ata_identity *id, uint64_t *bytes, uint64_t *ns)
{
    struct proof_spot spot[PROOF_PLACES_MAX];
    *bytes = (uint64_t)proof_places(id, spot) * PROOF_PLACE_BYTES;
    /* One piece and a bit in reserve, should a queued write have to be repeated without queueing. */
    *bytes += *bytes == 0 ? 0 : 2 * PIECE_BYTES;
    /* Written once, read three times, and a second for what has no size. */
    *ns = *bytes * 4 * (NS_PER_S / COST_BYTES_PER_S) + NS_PER_S;
}

/* --- passes ------------------------------------------------------------------------------------- */

static struct pass *begin(struct run *run, const char *name, enum pass_kind kind,
                          const struct proof_spot *at)
{
    struct pass *pass = report_pass(run->report, name, kind, run->plat->clock_ns(run->plat));
    if (at != NULL) {
        pass->lba = at->lba;
        pass->count_sectors = at->sectors;
        pass->place = at->name;
    }
    run_event(run, RUN_PASS_STARTED);
    return pass;
}

static enum err end(struct run *run, struct pass *pass, enum err err)
{
    uint64_t wall = run->plat->clock_ns(run->plat) - pass->started_ns;
    pass->err = err;
    pass->step = err == OK ? STEP_DONE : err == ERR_CANCELLED ? STEP_ABORTED : STEP_FAILED;
    if (err != OK && err != ERR_CANCELLED) {
        pass->failure = run->dev.failure;
    }
    pass->measured_permille = wall == 0 ? 1000 : min_u64(pass->times.wall_ns * 1000 / wall, 1000);
    run->report->poll_gap_ns_max =
        max_u64(run->report->poll_gap_ns_max, pass->times.poll_gap_ns_max);
    run_note_drive(run);
    run_event(run, RUN_PASS_DONE);
    return err;
}

static bool use_ncq(const struct run *run)
{
    return !run->no_ncq && ata_dev_queues(&run->dev);
}

/* One piece of a place, by the method of the pass. */
static struct ata_transfer piece_of(const struct run *run, const struct pass *pass,
                                    const struct proof_spot *at, uint32_t offset)
{
    uint32_t bytes = run->dev.id.logical_bytes;
    struct ata_transfer t = {
        .method = pass->method,
        .lba = at->lba + offset,
        .count = (uint32_t)min_u64(PIECE_BYTES / bytes, at->sectors - offset),
        .depth = pass->depth,
    };
    if (t.method == ATA_METHOD_NCQ) {
        t.chunk_sectors = NCQ_CHUNK_BYTES / bytes / (pass->depth > 8 ? 4 : 1);
    }
    return t;
}

static void choose_method(const struct run *run, struct pass *pass, bool queued)
{
    pass->method = queued && use_ncq(run) ? ATA_METHOD_NCQ : ATA_METHOD_DMA;
    pass->depth = pass->method == ATA_METHOD_NCQ ? run->dev.id.queue_depth : 1;
}

static struct stamp stamp_of(const struct run *run, uint64_t lba)
{
    return (struct stamp){ .run_id = run->report->run_id, .lba = lba, .pass = PASS_NUMBER };
}

static void fill_stamps(struct run *run, const struct ata_transfer *t)
{
    uint32_t bytes = run->dev.id.logical_bytes;
    for (uint32_t i = 0; i < t->count; i++) {
        struct stamp s = stamp_of(run, t->lba + i);
        stamp_write(&s, run->dev.data + (size_t)i * bytes, bytes);
    }
}

/* A queued write failed. Not every drive says which command it was, so the piece is written again without queueing; if that
 * fails too, sector by sector within the failing command, so that the report names the place. */
static enum err write_unqueued(struct run *run, struct pass *pass, struct ata_transfer t)
{
    uint32_t chunk = t.chunk_sectors;
    report_find(run->report, "ncq_failed", SEVERITY_WARN,
                "%s at LBA %lu%s failed (status %02xh, error %02xh); the run goes on without "
                "queued commands",
                run->dev.failure.command,
                run->dev.failure.lba_exact ? run->dev.failure.device_lba : run->dev.failure.lba,
                run->dev.failure.lba_exact ? "" : " or near", run->dev.failure.status,
                run->dev.failure.error);
    run->no_ncq = true;
    choose_method(run, pass, false);
    t.method = pass->method;
    enum err err = ata_transfer(&run->dev, &t, &pass->times);
    if (err != ERR_DEVICE || !run->dev.identified) {
        return err;
    }
    uint64_t first = run->dev.failure.lba;
    for (uint32_t i = 0; i < chunk; i++) {
        struct ata_transfer one = {
            .method = t.method, .write = true, .lba = first + i, .count = 1
        };
        if (one.lba == t.lba + t.count) {
            break;
        }
        fill_stamps(run, &one);
        enum err again = ata_transfer(&run->dev, &one, &pass->times);
        if (again != OK) {
            return again;
        }
    }
    return err;
}

static enum err stamp_place(struct run *run, const struct proof_place *place)
{
    struct pass *pass = begin(run, "stamp", PASS_STAMP, &place->at);
    enum err err = OK;
    choose_method(run, pass, true);
    for (uint32_t done = 0; done < place->at.sectors && err == OK;) {
        struct ata_transfer t = piece_of(run, pass, &place->at, done);
        t.write = true;
        fill_stamps(run, &t);
        err = run_cancelled(run) ? ERR_CANCELLED : ata_transfer(&run->dev, &t, &pass->times);
        if (err == ERR_DEVICE && t.method == ATA_METHOD_NCQ && run->dev.identified) {
            err = write_unqueued(run, pass, t);
        }
        done += t.count;
        run_progress(run, (uint64_t)t.count * run->dev.id.logical_bytes);
    }
    if (err != OK) {
        run_explain(run, "stamping", err);
    }
    return end(run, pass, err);
}

/* One look at a piece in the buffer. Returns how many guards are not their stamp. */
static uint64_t look_at_piece(struct run *run, struct proof_place *place, uint32_t offset,
                              uint32_t count, bool second)
{
    uint32_t bytes = run->dev.id.logical_bytes;
    uint64_t mismatches = 0;
    for (uint32_t n = offset; n < offset + count; n++) {
        const uint8_t *sector = run->dev.data + (size_t)(n - offset) * bytes;
        struct stamp s = stamp_of(run, place->at.lba + n);
        place->sum[n] = sum64(sector, bytes);
        place->kind[n] = (uint8_t)stamp_judge(&s, sector, bytes);
        if (!second) {
            place->kind_first[n] = place->kind[n];
            place->sum_first[n] = place->sum[n];
            place->seen_first[n] = true;
        }
        if (proof_is_guard(run, place, n) && place->kind[n] != SECTOR_STAMP) {
            if (!place->damage_found) {
                place->damage_found = true;
                place->damage_lba = place->at.lba + n;
                memcpy(place->damage_bytes, sector, sizeof(place->damage_bytes));
            }
            mismatches++;
        }
    }
    return mismatches;
}

/* Judge a piece that arrived. Where a guard is not what it must be, the same buffer is looked at again: some
 * controllers say "done" before the last bytes are in memory. */
static void judge_piece(struct run *run, struct pass *pass, struct proof_place *place,
                        uint32_t offset, uint32_t count, bool second)
{
    uint64_t mismatches = look_at_piece(run, place, offset, count, second);
    pass->mismatches += mismatches;
    if (mismatches != 0) {
        run->plat->stall_us(run->plat, ATA_LATE_LOOK_US);
        pass->mismatches_late += look_at_piece(run, place, offset, count, second);
    }
    memset(place->unread + offset, 0, count);
}

/* A piece could not be read: sector by sector, so that the report can name the bad one and judge the rest. Gives up after
 * a few errors (each may take a drive many seconds). */
static enum err read_singly(struct run *run, struct pass *pass, struct proof_place *place,
                            uint32_t offset, uint32_t count, bool second)
{
    unsigned errors = 0;
    enum err first = OK;
    memset(place->unread + offset, true, count);
    for (uint32_t i = 0; i < count && errors < SECTOR_ERRORS_MAX; i++) {
        struct ata_transfer t = {
            .method = ATA_METHOD_DMA, .lba = place->at.lba + offset + i, .count = 1, .depth = 1
        };
        if (run_cancelled(run)) {
            return ERR_CANCELLED;
        }
        enum err err = ata_transfer(&run->dev, &t, &pass->times);
        if (err == OK) {
            judge_piece(run, pass, place, offset + i, 1, second);
            continue;
        }
        if (first == OK) {
            first = err;
            run_explain(run, pass->name, err);
        }
        run->timeouts += err == ERR_TIMEOUT;
        errors++;
        if (!run->dev.identified || run->timeouts >= TIMEOUTS_MAX) {
            break;
        }
    }
    return first;
}

/* Read a whole place. A sector that cannot be read is marked and the reading goes on; an error is returned only when
 * the drive is lost or the user stopped. pass->err keeps the first read error. */
static enum err read_place(struct run *run, struct proof_place *place, const char *name,
                           bool queued, bool second)
{
    struct pass *pass = begin(run, name, PASS_READ, &place->at);
    enum err worst = OK;
    choose_method(run, pass, queued);
    place->damage_found = false;
    for (uint32_t done = 0; done < place->at.sectors;) {
        struct ata_transfer t = piece_of(run, pass, &place->at, done);
        if (run_cancelled(run)) {
            run_explain(run, name, ERR_CANCELLED);
            return end(run, pass, ERR_CANCELLED);
        }
        enum err err = ata_transfer(&run->dev, &t, &pass->times);
        if (err == OK) {
            judge_piece(run, pass, place, done, t.count, second);
        } else if (!run->dev.identified) {
            run_explain(run, name, err);
            return end(run, pass, err);
        } else {
            run->no_ncq = true; /* one queued command in trouble ends them all */
            run->timeouts += err == ERR_TIMEOUT;
            if (err == ERR_DATA || run->timeouts >= TIMEOUTS_MAX) {
                run_explain(run, name, err); /* the evidence of this read must not be read over */
            }
            enum err again = run->timeouts < TIMEOUTS_MAX
                                 ? read_singly(run, pass, place, done, t.count, second)
                                 : err;
            if (again == ERR_CANCELLED || !run->dev.identified || run->timeouts >= TIMEOUTS_MAX) {
                run_explain(run, name, again);
                return end(run, pass, again);
            }
            worst = worst != OK ? worst : err == ERR_DATA || again == OK ? err : again;
        }
        done += t.count;
        run_progress(run, (uint64_t)t.count * run->dev.id.logical_bytes);
    }
    (void)end(run, pass, worst);
    return OK;
}

/* --- TRIM ------------------------------------------------------------------------------------------ */

/* The entries of one form, relative to nothing: absolute LBAs. Returns how many. */
static unsigned entries_of(const struct run *run, const struct proof_spot *at, enum form form,
                           struct ata_range *out)
{
    uint64_t mib = (1u << 20) / run->dev.id.logical_bytes;
    uint32_t small = 4096 / run->dev.id.logical_bytes; /* 4 KiB */
    switch (form) {
    case FORM_ZERO_LENGTH:
        out[0] = (struct ata_range){ at->lba + mib / 2, 0 };
        return 1;
    case FORM_ONE_SECTOR:
        out[0] = (struct ata_range){ at->lba + mib / 4 + 1, 1 };
        return 1;
    case FORM_ALIGNED:
        out[0] = (struct ata_range){ at->lba + mib, (uint32_t)(2 * mib) };
        return 1;
    case FORM_UNALIGNED:
        out[0] = (struct ata_range){ at->lba + 3 * mib + mib / 8 + 1, (uint32_t)(mib / 2 + 1) };
        return 1;
    case FORM_64_ENTRIES:
        for (unsigned i = 0; i < ATA_DSM_ENTRIES_PER_BLOCK; i++) {
            out[i] = (struct ata_range){ at->lba + 4 * mib + (2 + 3 * i) * (uint64_t)small, small };
        }
        return ATA_DSM_ENTRIES_PER_BLOCK;
    case FORM_COUNT:
        break;
    }
    ASSERT(!"an unknown form");
    return 0;
}

/* Before anything is written: which sector is named by which case, and which are guards. */
static void assign_roles(struct run *run, struct proof_place *place)
{
    struct ata_range entry[ATA_DSM_ENTRIES_PER_BLOCK];
    memset(place->role, 0, sizeof(place->role));
    for (unsigned form = 0; form < FORM_COUNT; form++) {
        struct trim_case *c = &run->report->trim_case[run->report->cases++];
        unsigned entries = entries_of(run, &place->at, (enum form)form, entry);
        *c = (struct trim_case){ .place = place->at.name,
                                 .name = form_names[form],
                                 .lba = entry[0].lba,
                                 .entries = entries,
                                 .step = STEP_NOT_RUN };
        for (unsigned i = 0; i < entries; i++) {
            uint32_t offset = (uint32_t)(entry[i].lba - place->at.lba);
            ASSERT(offset + entry[i].count <= place->at.sectors);
            /* A zero-length entry owns the sector it points at: that one must stay. */
            memset(place->role + offset, (int)run->report->cases, max_u64(entry[i].count, 1));
            c->count += entry[i].count;
        }
    }
}

static struct trim_case *case_of(struct run *run, const struct proof_place *place, enum form form)
{
    unsigned index = (unsigned)(place - run->place) * FORM_COUNT + form;
    return &run->report->trim_case[index];
}

static enum err send_form(struct run *run, const struct proof_place *place, enum form form,
                          struct pass *pass)
{
    struct ata_range entry[ATA_DSM_ENTRIES_PER_BLOCK + 1];
    struct trim_case *c = case_of(run, place, form);
    struct ata_times times = { .commands = 0 };
    unsigned entries = 0;
    if (form == FORM_ONE_SECTOR) {
        /* The zero-length entry travels in front of a real one: it must be skipped, not end the list. */
        entries = entries_of(run, &place->at, FORM_ZERO_LENGTH, entry);
    }
    entries += entries_of(run, &place->at, form, entry + entries);
    c->err = ata_trim(&run->dev, entry, entries, &times);
    c->step = c->err == OK ? STEP_DONE : STEP_FAILED;
    c->trim_ns = times.wall_ns;
    if (form == FORM_ONE_SECTOR) {
        struct trim_case *zero = case_of(run, place, FORM_ZERO_LENGTH);
        zero->err = c->err;
        zero->step = c->step;
        zero->trim_ns = c->trim_ns;
    }
    times.bytes = c->count * run->dev.id.logical_bytes;
    ata_times_add(&pass->times, &times);
    return c->err;
}

/* All forms on one place. The first refusal or time-out ends it: the rest would only repeat it. */
static enum err trim_place(struct run *run, const struct proof_place *place)
{
    struct pass *pass = begin(run, "trim", PASS_TRIM, &place->at);
    enum err err = OK;
    choose_method(run, pass, false);
    for (unsigned form = 0; form < FORM_COUNT && err == OK; form++) {
        if (form != FORM_ZERO_LENGTH) {
            err = run_cancelled(run) ? ERR_CANCELLED : send_form(run, place, (enum form)form, pass);
        }
    }
    if (err != OK) {
        run_explain(run, "TRIM", err);
    }
    return end(run, pass, err);
}

/* --- the run ---------------------------------------------------------------------------------------- */

static enum err flush(struct run *run)
{
    struct pass *pass = begin(run, "flush", PASS_FLUSH, NULL);
    enum err err = ata_flush(&run->dev, &pass->times);
    if (err != OK) {
        run_explain(run, "flushing the drive's cache", err);
    }
    return end(run, pass, err);
}

static enum err settle(struct run *run)
{
    struct pass *pass = begin(run, "settle", PASS_SETTLE, NULL);
    uint64_t until = pass->started_ns + run->report->settle_s * NS_PER_S;
    enum err err = OK;
    while (err == OK && run->plat->clock_ns(run->plat) < until) {
        run->plat->stall_us(run->plat, 10000);
        run_progress(run, 0);
        err = run_cancelled(run) ? ERR_CANCELLED : OK;
    }
    return end(run, pass, err);
}

/* Every sector must be the stamp just written, else TRIM cannot be judged. */
static enum err check_stamped(struct run *run, const struct proof_place *place)
{
    const struct pass *pass = &run->report->pass[run->report->passes - 1];
    if (pass->err != OK) {
        return pass->err;
    }
    for (uint32_t n = 0; n < place->at.sectors; n++) {
        if (place->kind[n] != SECTOR_STAMP) {
            report_find(
                run->report, "stamp_not_read_back", SEVERITY_ERROR,
                "LBA %lu was stamped and flushed, and reads back as %s; nothing was trimmed",
                place->at.lba + n, sector_kind_name((enum sector_kind)place->kind[n]));
            text_print(run->report->failure, sizeof(run->report->failure),
                       "what was written does not read back (first: LBA %lu)", place->at.lba + n);
            return ERR_DATA;
        }
    }
    return OK;
}

static enum err stamp_all(struct run *run)
{
    enum err err = OK;
    for (unsigned i = 0; i < run->places && err == OK; i++) {
        err = stamp_place(run, &run->place[i]);
    }
    if (err == OK) {
        err = flush(run);
    }
    for (unsigned i = 0; i < run->places && err == OK; i++) {
        err = read_place(run, &run->place[i], "read back", false, false);
        err = err == OK ? check_stamped(run, &run->place[i]) : err;
    }
    return err;
}

static enum err read_all(struct run *run, const char *name, bool queued, bool second)
{
    enum err err = OK;
    for (unsigned i = 0; i < run->places && err == OK; i++) {
        err = read_place(run, &run->place[i], name, queued, second);
    }
    return err;
}

/* The firmware shall see what we saw: a few guards and a few trimmed sectors of every place. */
static void choose_expects(struct run *run)
{
    for (unsigned p = 0; p < run->places; p++) {
        const struct proof_place *place = &run->place[p];
        unsigned guards = 0;
        unsigned trimmed = 0;
        for (uint32_t n = 0; n < place->at.sectors && run->expects < RUN_SAMPLES_MAX; n++) {
            unsigned *taken = place->role[n] == 0 ? &guards : &trimmed;
            /* Spread them: every 97th sector, and never one whose reading is not settled. */
            if (n % 97 != 0 || *taken == EXPECTS_PER_KIND || place->unread[n] ||
                place->sum[n] != place->sum_first[n]) {
                continue;
            }
            (*taken)++;
            run->expect[run->expects++] =
                (struct run_sample){ .lba = place->at.lba + n, .digest = place->sum[n] };
        }
    }
}

enum err proof_run(struct run *run)
{
    struct proof_spot spot[PROOF_PLACES_MAX];
    run->places = proof_places(&run->dev.id, spot);
    for (unsigned i = 0; i < run->places; i++) {
        run->place[i].at = spot[i];
        assign_roles(run, &run->place[i]);
    }
    run->work_total = (uint64_t)run->places * PROOF_PLACE_BYTES * 4;
    enum err err = stamp_all(run);
    if (err != OK) {
        return err;
    }
    enum err trim = OK;
    for (unsigned i = 0; i < run->places && trim == OK; i++) {
        trim = trim_place(run, &run->place[i]);
    }
    if (!run->dev.identified || trim == ERR_CANCELLED) {
        return trim;
    }
    /* What "read back" saw is no reading after TRIM. */
    for (unsigned i = 0; i < run->places; i++) {
        memset(run->place[i].seen_first, 0, sizeof(run->place[i].seen_first));
    }
    /* Also after a refused TRIM: nothing may have changed then. */
    err = read_all(run, "read 1", false, false);
    if (err == OK) {
        err = settle(run);
    }
    if (err == OK) {
        err = read_all(run, "read 2", true, true);
    }
    if (err == OK) {
        run->report->granularity_sectors = proof_count(run);
        run_event(run, RUN_CASES_DONE);
        choose_expects(run);
    }
    return trim != OK ? trim : err;
}
