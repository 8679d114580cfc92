/* Contact: before anything is written, our reads by every method must agree with the firmware's. */
#include "bench/contact.h"

#include "lib/text.h"

static bool all_zero(const uint8_t *at, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

static void take_sample(struct run_sample *s, uint64_t lba, const uint8_t *sector, uint32_t bytes)
{
    s->lba = lba;
    s->digest = sum64(sector, bytes);
    s->zeros = all_zero(sector, bytes);
}

/* Two stretches: the first sectors and the last ones. */
static unsigned stretches(const struct ata_identity *id, uint64_t lba[2])
{
    lba[0] = 0;
    if (id->sectors < (uint64_t)2 * RUN_SAMPLE_STRETCH) {
        return 0;
    }
    lba[1] = id->sectors - RUN_SAMPLE_STRETCH;
    return 2;
}

void contact_sample(struct run *run, const struct ata_identity *id)
{
    struct contact *c = &run->report->contact;
    struct platform *plat = run->plat;
    uint64_t lba[2];
    unsigned count = stretches(id, lba);
    run->samples = 0;
    c->firmware_reference = true;
    for (unsigned i = 0; i < count; i++) {
        /* Not zeros, not what is on the medium: a firmware that says "done" without reading is found out. */
        memset(run->sector, 0xa5, sizeof(run->sector));
        enum err err = plat->fw_read(plat, &run->hba->pci, run->request->target->number, lba[i],
                                     RUN_SAMPLE_STRETCH, id->logical_bytes, run->sector);
        if (err != OK && err != ERR_NOT_FOUND && err != ERR_UNSUPPORTED) {
            text_print(c->reason, sizeof(c->reason),
                       "contact: the firmware could not read LBA %lu (%s)", lba[i], err_name(err));
        }
        if (err != OK) {
            report_find(
                run->report, "not_checked_by_firmware", SEVERITY_NOTE,
                "the firmware's own driver gave no reference data at LBA %lu (%s); our reading "
                "methods are compared with each other",
                lba[i], err_name(err));
            c->firmware_reference = false;
            run->samples = 0;
            return;
        }
        for (unsigned n = 0; n < RUN_SAMPLE_STRETCH; n++) {
            take_sample(&run->sample[run->samples++], lba[i] + n,
                        run->sector + (size_t)n * id->logical_bytes, id->logical_bytes);
        }
    }
}

/* Compare what lies in the data window with the samples of stretch `lba`; take them as reference if there are none. */
static uint64_t compare(struct run *run, struct contact_way *way, uint64_t lba)
{
    uint32_t bytes = run->dev.id.logical_bytes;
    uint64_t different = 0;
    for (unsigned n = 0; n < RUN_SAMPLE_STRETCH; n++) {
        struct run_sample now;
        struct run_sample *known = NULL;
        take_sample(&now, lba + n, run->dev.data + (size_t)n * bytes, bytes);
        for (unsigned i = 0; i < run->samples && known == NULL; i++) {
            known = run->sample[i].lba == now.lba ? &run->sample[i] : NULL;
        }
        if (known == NULL) {
            run->sample[run->samples++] = now;
        } else if (known->digest != now.digest) {
            way->first_lba = different == 0 && way->different == 0 ? now.lba : way->first_lba;
            different++;
        }
    }
    return different;
}

static enum err read_stretch(struct run *run, struct contact_way *way, enum ata_method method,
                             unsigned depth, uint64_t lba)
{
    struct ata_transfer t = { .method = method,
                              .lba = lba,
                              .count = RUN_SAMPLE_STRETCH,
                              .chunk_sectors = 1,
                              .depth = depth };
    enum err err = ata_transfer(&run->dev, &t, &way->times);
    if (err != OK) {
        return err;
    }
    uint64_t different = compare(run, way, lba);
    way->sectors += RUN_SAMPLE_STRETCH;
    if (different != 0) {
        /* Some controllers say "done" before the last bytes are in memory. */
        run->plat->stall_us(run->plat, ATA_LATE_LOOK_US);
        way->different += different;
        way->different_late += compare(run, way, lba);
    }
    return OK;
}

static void read_way(struct run *run, struct contact_way *way, enum ata_method method,
                     unsigned depth)
{
    uint64_t lba[2];
    unsigned count = stretches(&run->dev.id, lba);
    way->step = STEP_DONE;
    for (unsigned i = 0; i < count && way->err == OK; i++) {
        way->err = read_stretch(run, way, method, depth, lba[i]);
    }
    if (way->err != OK || way->different != 0) {
        way->step = STEP_FAILED;
    }
}

/* Write the reason; the first one counts. */
static void judge(struct run *run)
{
    struct contact *c = &run->report->contact;
    c->ok = false;
    if (c->reason[0] != '\0') {
        return; /* the firmware drives this disk and could not read it */
    }
    for (unsigned i = 0; i < c->ways; i++) {
        const struct contact_way *w = &c->way[i];
        if (w->err != OK) {
            run_explain(run, w->name, w->err);
            text_print(c->reason, sizeof(c->reason), "contact: %s", run->report->failure);
            return;
        }
        if (w->different != 0) {
            text_print(c->reason, sizeof(c->reason),
                       "contact: %s reads %lu of %lu sectors otherwise than %s (first: LBA %lu)%s",
                       w->name, w->different, w->sectors,
                       c->firmware_reference ? "the firmware" : c->way[0].name, w->first_lba,
                       w->different_late == 0 ? "; they were right 1 ms later" : "");
            return;
        }
    }
    if (!c->regs_unchanged) {
        text_print(c->reason, sizeof(c->reason),
                   "contact: CAP or PI changed (CAP %08x -> %08x, PI %08x -> %08x)", c->before.cap,
                   c->after.cap, c->before.pi, c->after.pi);
        return;
    }
    if (!c->ccs_sane) {
        text_print(c->reason, sizeof(c->reason),
                   "contact: PxCMD.CCS names a command slot this controller does not have");
        return;
    }
    c->ok = true;
}

static void check_registers(struct run *run)
{
    struct contact *c = &run->report->contact;
    c->before = run->hba->before;
    ahci_hba_read(run->hba, &c->after);
    c->regs_unchanged = c->before.cap == c->after.cap && c->before.pi == c->after.pi;
    uint32_t ccs = (ahci_port_read(run->port, PxCMD) & PxCMD_CCS_MASK) >> PxCMD_CCS_SHIFT;
    c->ccs_sane = ccs < run->hba->slots;
}

enum err contact_check(struct run *run)
{
    static const struct {
        const char *name;
        enum ata_method method;
        unsigned depth;
    } ways[] = {
        { "PIO", ATA_METHOD_PIO, 1 },
        { "DMA", ATA_METHOD_DMA, 1 },
        { "NCQ depth 1", ATA_METHOD_NCQ, 1 },
        { "NCQ depth 32", ATA_METHOD_NCQ, 32 },
    };
    struct contact *c = &run->report->contact;
    bool ncq = ata_dev_queues(&run->dev);
    uint64_t lba[2];
    c->step = STEP_RUNNING;
    if (stretches(&run->dev.id, lba) == 0) {
        text_print(c->reason, sizeof(c->reason), "contact: the drive is too small to compare");
        c->step = STEP_FAILED;
        return OK;
    }
    for (unsigned i = 0; i < ARRAY_LEN(ways); i++) {
        if (ways[i].method == ATA_METHOD_NCQ && !ncq) {
            continue;
        }
        struct contact_way *way = &c->way[c->ways++];
        way->name = ways[i].name;
        read_way(run, way, ways[i].method, ways[i].depth);
        c->poll_gap_ns_max = max_u64(c->poll_gap_ns_max, way->times.poll_gap_ns_max);
        if (!run->dev.identified) {
            judge(run);
            c->step = STEP_FAILED;
            return way->err == OK ? ERR_CHANGED : way->err; /* the drive is lost */
        }
    }
    c->sectors = run->samples;
    for (unsigned i = 0; i < run->samples; i++) {
        c->informative += !run->sample[i].zeros;
    }
    check_registers(run);
    judge(run);
    run->dev.contact_ok = c->ok;
    c->step = c->ok ? STEP_DONE : STEP_FAILED;
    return OK;
}

void contact_recheck(struct run *run)
{
    struct firmware_check *f = &run->report->firmware;
    uint32_t bytes = run->dev.id.logical_bytes;
    for (unsigned i = 0; i < run->expects; i++) {
        struct run_sample now;
        enum err err = run->plat->fw_read(run->plat, &run->hba->pci, run->request->target->number,
                                          run->expect[i].lba, 1, bytes, run->sector);
        if (err != OK) {
            f->step = STEP_NOT_RUN;
            if (run->report->contact.firmware_reference) {
                f->step = STEP_FAILED; /* it could before */
                report_find(run->report, "firmware_read_failed", SEVERITY_ERROR,
                            "after hand-back the firmware could not read LBA %lu (%s)",
                            run->expect[i].lba, err_name(err));
            }
            return;
        }
        take_sample(&now, run->expect[i].lba, run->sector, bytes);
        f->sectors++;
        if (now.digest != run->expect[i].digest) {
            f->first_lba = f->different == 0 ? now.lba : f->first_lba;
            f->different++;
        }
    }
    f->step = run->expects == 0 ? STEP_NOT_RUN : STEP_DONE;
}
