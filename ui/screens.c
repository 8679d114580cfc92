/* The screens. */
#include "ui/screens.h"

void size_text(uint64_t bytes, char *buf, size_t cap)
{
    static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
    uint64_t whole = bytes;
    uint64_t rest = 0;
    unsigned unit = 0;
    while (whole >= 1000 && unit + 1 < ARRAY_LEN(units)) {
        rest = whole % 1000;
        whole /= 1000;
        unit++;
    }
    if (unit == 0) {
        text_print(buf, cap, "%lu bytes", bytes);
    } else {
        text_print(buf, cap, "%lu.%lu %s", whole, rest / 100, units[unit]);
    }
}

static void place_text(const struct inventory *inv, const struct inventory_port *port, char *buf,
                       size_t cap)
{
    char address[16];
    inventory_address_text(&inv->controller[port->controller].pci.at, address, sizeof(address));
    text_print(buf, cap, "%s/%u", address, port->number);
}

/* --- list --------------------------------------------------------------------------------------------- */

const struct inventory_port *screen_choice(const struct inventory *inv, unsigned number)
{
    unsigned n = 0;
    for (unsigned i = 0; i < inv->ports; i++) {
        n += inv->port[i].identified;
        if (inv->port[i].identified && n == number) {
            return &inv->port[i];
        }
    }
    return NULL;
}

unsigned screen_targets(const struct inventory *inv)
{
    unsigned n = 0;
    for (unsigned i = 0; i < inv->ports; i++) {
        n += inv->port[i].status == PORT_DRIVE;
    }
    return n;
}

static void show_port(struct console *con, const struct inventory_port *p, unsigned number)
{
    char size[32];
    if (!p->identified) {
        console_say(con, STYLE_NORMAL, "     port %2u  %-14s ", p->number,
                    port_status_name(p->status));
        if (p->status == PORT_EMPTY) {
            console_say(con, STYLE_NORMAL, "\n");
        } else {
            console_say(con, STYLE_NORMAL, "\n");
            console_wrap(con, STYLE_NORMAL, 14, port_status_text(p->status));
        }
        return;
    }
    size_text(p->id.sectors * p->id.logical_bytes, size, sizeof(size));
    console_say(con, p->status == PORT_DRIVE ? STYLE_STRONG : STYLE_NORMAL,
                " %2u) port %2u  %-24.24s %-20s %s\n", number, p->number, p->id.model, p->id.serial,
                size);
    console_say(con, STYLE_NORMAL, "              %s, TRIM %s, security: %s%s\n",
                ata_link_text((p->ssts & PxSSTS_SPD_MASK) >> PxSSTS_SPD_SHIFT),
                p->id.trim ? "yes" : "no",
                !p->id.security.supported ? "none"
                : p->id.security.locked   ? "LOCKED"
                : p->id.security.frozen   ? "frozen"
                : p->id.security.enabled  ? "password set"
                                          : "not frozen",
                p->twin ? ", SERIAL NUMBER NOT UNIQUE" : "");
    if (p->status != PORT_DRIVE) {
        console_say(con, STYLE_WARN, "              %s:\n", port_status_name(p->status));
        console_wrap(con, STYLE_WARN, 14,
                     p->status == PORT_UNUSABLE ? p->id.unusable : port_status_text(p->status));
    }
}

static void show_controller(struct console *con, const struct ahci_hba *hba)
{
    char address[16];
    inventory_address_text(&hba->pci.at, address, sizeof(address));
    console_say(con, STYLE_STRONG, "%s  %04x:%04x class %02x%02x  %s\n", address,
                hba->pci.vendor_id, hba->pci.device_id, hba->pci.class_base, hba->pci.class_sub,
                hba->known != NULL          ? hba->known->name
                : hba->state == AHCI_USABLE ? "AHCI controller (not in the table)"
                                            : "storage controller");
    if (hba->state != AHCI_USABLE) {
        console_wrap(con, STYLE_WARN, 5, ahci_state_text(hba->state));
    }
    if (hba->nvme_remapped != 0) {
        console_say(con, STYLE_WARN,
                    "     %u NVMe drives are hidden behind it (remapping); switch the firmware to "
                    "AHCI to see them\n",
                    hba->nvme_remapped);
    }
}

void screen_inventory(struct console *con, const struct inventory *inv)
{
    unsigned number = 0;
    for (unsigned c = 0; c < inv->controllers; c++) {
        show_controller(con, &inv->controller[c]);
        for (unsigned i = 0; i < inv->ports; i++) {
            const struct inventory_port *p = &inv->port[i];
            if (p->controller == c) {
                number += p->identified;
                show_port(con, p, number);
            }
        }
    }
    if (inv->controllers == 0) {
        console_say(con, STYLE_WARN, "No storage controller was found.\n");
    }
    if (inv->controllers_left_off != 0 || inv->ports_left_off != 0) {
        console_say(con, STYLE_WARN, "Not shown for want of room: %u controllers, %u ports.\n",
                    inv->controllers_left_off, inv->ports_left_off);
    }
    if (screen_targets(inv) == 0) {
        console_say(con, STYLE_WARN, "There is nothing to test: no drive here can be a target.\n");
    }
}

/* --- one drive ---------------------------------------------------------------------------------------- */

static void show_state(struct console *con, const struct ata_identity *id)
{
    char text[120];
    char enhanced[32];
    ata_identify_trim_text(id, text, sizeof(text));
    console_say(con, STYLE_NORMAL, "  TRIM       %s\n", text);
    ata_identify_security_text(id, text, sizeof(text));
    console_say(con, STYLE_NORMAL, "  Security   %s\n", text);
    if (id->security.supported) {
        ata_erase_time_text(&id->security.erase, text, sizeof(text));
        ata_erase_time_text(&id->security.enhanced, enhanced, sizeof(enhanced));
        console_say(con, STYLE_NORMAL, "  Erase time %s, enhanced %s\n", text, enhanced);
    }
    console_say(con, STYLE_NORMAL, "  Sanitize   %s%s%s%s\n", id->sanitize ? "" : "not supported",
                id->sanitize_block ? "block erase " : "",
                id->sanitize_crypto ? "crypto scramble " : "",
                id->sanitize_overwrite ? "overwrite" : "");
    console_say(con, STYLE_NORMAL, "  Cache      write %s, look-ahead %s\n",
                id->write_cache_enabled ? "on" : "off", id->look_ahead_enabled ? "on" : "off");
    for (uint32_t bits = id->oddities; bits != 0; bits &= bits - 1) {
        console_say(con, STYLE_WARN, "  Note       %s\n",
                    ata_oddity_text((enum ata_oddity)(bits & (0 - bits))));
    }
}

void screen_drive(struct console *con, const struct inventory *inv,
                  const struct inventory_port *port)
{
    const struct ata_identity *id = &port->id;
    char text[48];
    char place[24];
    uint64_t bytes = id->sectors * id->logical_bytes;
    place_text(inv, port, place, sizeof(place));
    size_text(bytes, text, sizeof(text));
    console_say(con, STYLE_STRONG, "  %s\n", id->model);
    console_say(con, STYLE_STRONG, "  Serial     %s\n", id->serial);
    console_say(con, STYLE_NORMAL, "  Firmware   %s\n", id->firmware);
    console_say(con, STYLE_NORMAL, "  At         %s\n", place);
    if (id->wwn_valid) {
        console_say(con, STYLE_NORMAL, "  WWN        %016lx\n", id->wwn);
    }
    console_say(con, STYLE_NORMAL, "  Capacity   %s, %lu bytes\n", text, bytes);
    console_say(con, STYLE_NORMAL, "  Sectors    %lu of %u bytes (physical %u)\n", id->sectors,
                id->logical_bytes, id->physical_bytes);
    console_say(con, STYLE_NORMAL, "  Link       %s now, drive can %s\n",
                ata_link_text((port->ssts & PxSSTS_SPD_MASK) >> PxSSTS_SPD_SHIFT),
                ata_link_text(id->sata_gen_max));
    console_say(con, STYLE_NORMAL, "  Standard   %s, %s, NCQ %s depth %u\n",
                ata_version_text(id->ata_version),
                id->rotation == 1   ? "solid state"
                : id->rotation == 0 ? "rotation not stated"
                                    : "rotating",
                id->ncq ? "yes" : "no", id->queue_depth);
    show_state(con, id);
    if (port->status != PORT_DRIVE) {
        console_say(con, STYLE_BAD, "  No target:\n");
        console_wrap(con, STYLE_BAD, 13,
                     port->status == PORT_UNUSABLE ? id->unusable : port_status_text(port->status));
    }
}

void screen_plans(struct console *con, const struct inventory_port *port)
{
    size_t count = 0;
    const struct plan *plan = plan_table(&count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = 0;
        uint64_t ns = 0;
        char size[32];
        plan[i].cost(&port->id, &bytes, &ns);
        size_text(bytes, size, sizeof(size));
        console_say(con, STYLE_STRONG, "  %c  %-9s", plan[i].key, plan[i].name);
        console_say(con, STYLE_NORMAL, " %s\n", plan[i].what);
        console_say(con, STYLE_NORMAL, "               shows %s\n", plan[i].proves);
        if (plan[i].effects == 0) {
            console_say(con, STYLE_NORMAL, "               reads only, about %lu s\n",
                        ns / NS_PER_S);
        } else {
            console_say(con, STYLE_WARN,
                        "               DESTROYS DATA: writes up to %s, about %lu s\n", size,
                        ns / NS_PER_S);
        }
    }
}

void screen_warning(struct console *con, const struct inventory *inv,
                    const struct inventory_port *port, const struct plan *plan,
                    bool boot_medium_on_controller)
{
    char size[32];
    char place[24];
    uint64_t bytes = 0;
    uint64_t ns = 0;
    uint64_t drive = port->id.sectors * port->id.logical_bytes;
    plan->cost(&port->id, &bytes, &ns);
    size_text(bytes, size, sizeof(size));
    place_text(inv, port, place, sizeof(place));
    console_say(con, STYLE_BAD, "  %s DESTROYS DATA on %s,\n  serial %s, at %s.\n", plan->name,
                port->id.model, port->id.serial, place);
    uint64_t share = bytes / max_u64(drive / 10000, 1); /* hundredths of a per cent */
    console_say(con, STYLE_NORMAL,
                "  It writes up to %s (%s%lu.%02lu %% of the drive) in several places,\n", size,
                share == 0 ? "under " : "", max_u64(share, 1) / 100, max_u64(share, 1) % 100);
    console_say(con, STYLE_NORMAL,
                "  the first and the last sector among them: the partition table and file\n"
                "  systems will be lost. It takes about %lu s.\n",
                ns / NS_PER_S);
    if (!con->plat->info.has_files) {
        console_wrap(con, STYLE_WARN, 2,
                     "There is no medium to save the report on: it stays on the screen, and in the "
                     "event log where there is one.");
    } else if (boot_medium_on_controller) {
        console_wrap(con, STYLE_WARN, 2,
                     "The boot medium is on the same controller: the report is saved at the end, "
                     "when the firmware has the controller back.");
    } else {
        console_wrap(con, STYLE_NORMAL, 2,
                     "The report is saved after each step, in the folder BARETRIM of the boot "
                     "medium.");
    }
}

/* --- run and result ------------------------------------------------------------------------------------- */

void screen_progress_text(const struct run *run, char *buf, size_t cap)
{
    const struct report *r = run->report;
    const struct pass *p = r->passes == 0 ? NULL : &r->pass[r->passes - 1];
    uint64_t permille = run->work_total == 0 ? 0 : run->work_done * 1000 / run->work_total;
    struct text t;
    text_init(&t, buf, cap);
    text_fmt(&t, "  %3lu.%lu %%  %s %s", permille / 10, permille % 10, p == NULL ? "" : p->name,
             p == NULL || p->place == NULL ? "" : p->place);
    uint64_t eta = run_eta_ns(run);
    if (eta != 0) {
        text_fmt(&t, ", about %lu s left", (eta + NS_PER_S - 1) / NS_PER_S);
    }
    text_str(&t, "  (q stops)");
}

static enum style style_of(enum overall o)
{
    switch (o) {
    case OVERALL_PASS:
        return STYLE_GOOD;
    case OVERALL_FAIL:
        return STYLE_BAD;
    case OVERALL_WARN:
    case OVERALL_INCONCLUSIVE:
        return STYLE_WARN;
    case OVERALL_NONE:
        break;
    }
    return STYLE_STRONG;
}

/* What became of the sectors one case named, and of the guards around them. */
static void show_case(struct console *con, const struct trim_case *c)
{
    const uint64_t *kind = c->inside.kind;
    uint64_t unread = c->inside.unread + c->guard.unread;
    bool bad = c->damaged != 0 || c->step == STEP_FAILED;
    if (c->step == STEP_NOT_RUN) {
        console_say(con, STYLE_NORMAL, "  %-6s %-11s %6lu  not sent\n", c->place, c->name,
                    c->count);
        return;
    }
    console_say(con, bad ? STYLE_BAD : STYLE_NORMAL,
                "  %-6s %-11s %6lu %6lu %6lu %6lu %6lu %6lu %6lu %7lu\n", c->place, c->name,
                c->count, kind[SECTOR_ZEROS], kind[SECTOR_CONSTANT],
                kind[SECTOR_OTHER] + kind[SECTOR_STALE_STAMP] + kind[SECTOR_MISPLACED],
                kind[SECTOR_STAMP], c->inside.unstable, c->guard.kind[SECTOR_STAMP], c->damaged);
    if (c->step == STEP_FAILED) {
        console_say(con, STYLE_BAD, "         the command failed: %s\n", err_name(c->err));
    }
    if (unread != 0) {
        console_say(con, STYLE_BAD, "         %lu sectors could not be read\n", unread);
    }
}

static void show_cases(struct console *con, const struct report *r)
{
    if (r->cases == 0) {
        return;
    }
    console_say(con, STYLE_STRONG, "  %-6s %-11s %6s %6s %6s %6s %6s %6s %6s %7s\n", "place",
                "TRIM", "named", "zeros", "const", "other", "old", "unst.", "guards", "damaged");
    for (unsigned i = 0; i < r->cases; i++) {
        show_case(con, &r->trim_case[i]);
    }
}

static void show_contact(struct console *con, const struct contact *c)
{
    if (c->step == STEP_NOT_RUN) {
        return;
    }
    console_say(con, c->ok ? STYLE_NORMAL : STYLE_BAD,
                "  Contact    %s: %lu sectors (%lu not zeros), %s\n", c->ok ? "ok" : "FAILED",
                c->sectors, c->informative,
                c->firmware_reference ? "compared with the firmware" : "not checked by firmware");
    for (unsigned i = 0; i < c->ways; i++) {
        if (c->way[i].step != STEP_DONE) {
            console_say(con, STYLE_BAD, "             %s: %s, %lu of %lu sectors differ\n",
                        c->way[i].name, err_name(c->way[i].err), c->way[i].different,
                        c->way[i].sectors);
        }
    }
}

static void show_findings(struct console *con, const struct report *r)
{
    for (unsigned i = 0; i < r->findings; i++) {
        const struct finding *f = &r->finding[i];
        console_say(con, f->severity == SEVERITY_NOTE ? STYLE_NORMAL : STYLE_WARN,
                    "  %-8s   [%s]\n", severity_name(f->severity), f->code);
        console_wrap(con, STYLE_NORMAL, 13, f->text);
    }
}

/* Only bytes and time: at this size it says nothing about the drive's speed. Both units, so that no one mixes them. */
static void show_moved(struct console *con, const struct report *r)
{
    struct ata_times sum = { .commands = 0 };
    for (unsigned i = 0; i < r->passes; i++) {
        if (r->pass[i].kind == PASS_STAMP || r->pass[i].kind == PASS_READ) {
            ata_times_add(&sum, &r->pass[i].times);
        }
    }
    if (sum.commands != 0) {
        uint64_t rate = rate_bytes_per_s(sum.bytes, sum.wall_ns);
        console_say(con, STYLE_NORMAL,
                    "  Moved      %lu bytes in %lu commands, %lu us:\n"
                    "             %lu MB/s = %lu MiB/s (no measure of speed)\n",
                    sum.bytes, sum.commands, sum.wall_ns / NS_PER_US, rate / 1000000, rate >> 20);
    }
}

static void show_verdict(struct console *con, const struct report *r)
{
    const struct verdict *v = &r->verdict;
    if (v->overall == OVERALL_NONE) {
        return;
    }
    console_say(con, STYLE_NORMAL, "  Command    %s\n  Logical    %s\n",
                command_class_name(v->command), logical_class_name(v->logical));
    console_say(con, STYLE_NORMAL, "  Write      %s\n  Read       %s\n", speed_class_name(v->write),
                speed_class_name(v->read));
    console_say(con, style_of(v->overall), "  VERDICT    %s\n", overall_name(v->overall));
    console_wrap(con, style_of(v->overall), 2, v->sentence);
    console_wrap(con, STYLE_NORMAL, 2, v->next);
}

static void show_evidence(struct console *con, const struct report *r)
{
    show_contact(con, &r->contact);
    show_cases(con, r);
    show_moved(con, r);
    show_findings(con, r);
    if (r->failure[0] != '\0') {
        console_wrap(con, STYLE_BAD, 2, r->failure);
    }
}

void screen_result(struct console *con, const struct report *r, const char *saved, bool saved_well)
{
    console_say(con, STYLE_STRONG, "  %s,\n  serial %s: %s %s\n", r->drive.model, r->drive.serial,
                r->plan, step_name(r->step));
    /* A reader pages down from the top; on an unattended screen only the end is left. */
    if (con->attended) {
        show_verdict(con, r);
        show_evidence(con, r);
    } else {
        show_evidence(con, r);
        show_verdict(con, r);
    }
    console_say(con, STYLE_NORMAL, "  Report\n");
    console_wrap(con, saved_well ? STYLE_NORMAL : STYLE_WARN, 13, saved);
}
