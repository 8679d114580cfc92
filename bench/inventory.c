/* What is plugged in, and why each thing is or is not a possible target. */
#include "bench/inventory.h"

#include "ata/dev.h"
#include "lib/text.h"

static const struct {
    const char *name;
    const char *text;
} statuses[] = {
    [PORT_DRIVE] = { "drive", "can be tested" },
    [PORT_EMPTY] = { "empty", "nothing is plugged in" },
    [PORT_LINK_DOWN] = { "link down",
                         "something is plugged in but the link does not come up: cable or power?" },
    [PORT_OFFLINE] = { "switched off", "the port is switched off by the firmware" },
    [PORT_ATAPI] = { "ATAPI",
                     "an optical drive or a controller's own virtual device; never spoken to" },
    [PORT_MULTIPLIER] = { "port multiplier",
                          "drives behind a port multiplier cannot be tested; plug "
                          "the drive in directly" },
    [PORT_ENCLOSURE] = { "enclosure", "an enclosure management device, not a drive" },
    [PORT_BOOT_MEDIUM] = { "boot medium", "this program was started from it; never a target" },
    [PORT_BOOT_UNKNOWN] = { "not a target here", "this start cannot tell which drive it came from, "
                                                 "so nothing is written" },
    [PORT_NOT_IDENTIFIED] = { "not identified",
                              "a drive answers, but the firmware has not identified "
                              "it: rescan, or start again with it plugged in" },
    [PORT_UNUSABLE] = { "not a target", "the drive cannot be a target" },
};
_Static_assert(ARRAY_LEN(statuses) == PORT_STATUS_COUNT, "one row a status");

const char *port_status_name(enum port_status status)
{
    return (unsigned)status < ARRAY_LEN(statuses) ? statuses[status].name : "unknown";
}

const char *port_status_text(enum port_status status)
{
    return (unsigned)status < ARRAY_LEN(statuses) ? statuses[status].text : "unknown";
}

void inventory_address_text(const struct pci_address *at, char *buf, size_t cap)
{
    struct text t;
    text_init(&t, buf, cap);
    if (at->segment != 0) {
        text_fmt(&t, "%04x:", at->segment);
    }
    text_fmt(&t, "%02x:%02x.%x", at->bus, at->device, at->function);
}

/* What the port's own registers say about it, before anyone is asked for an identity. PORT_DRIVE: worth asking. */
static enum port_status status_by_registers(uint32_t ssts, uint32_t sig)
{
    switch (ssts & PxSSTS_DET_MASK) {
    case PxSSTS_DET_NONE:
        return PORT_EMPTY;
    case PxSSTS_DET_UP:
        break;
    case PxSSTS_DET_OFFLINE:
        return PORT_OFFLINE;
    default:
        if ((ssts & PxSSTS_IPM_MASK) <= PxSSTS_IPM_ACTIVE) {
            return PORT_LINK_DOWN;
        }
        break; /* asleep (3.3.10): some parts show presence without communication then */
    }
    switch (sig) {
    case SIG_ATAPI:
        return PORT_ATAPI;
    case SIG_PMP:
        return PORT_MULTIPLIER;
    case SIG_SEMB:
        return PORT_ENCLOSURE;
    default:
        return PORT_DRIVE; /* also FFFFFFFFh: a port that the firmware never touched */
    }
}

/* Our own driver asks, on platforms where the firmware cannot (the controller is ours just for that). */
static enum err identify_ourselves(struct ahci_hba *hba, unsigned number, struct ata_identity *id,
                                   uint32_t *sig)
{
    struct ahci_port *port = NULL;
    struct ata_dev dev = { .arena.cpu = NULL };
    enum err err = ahci_port_start(hba, number, &port);
    if (err != OK) {
        *sig = hba->port[number].sig;
        return err;
    }
    *sig = port->sig;
    err = ata_dev_open(&dev, port, BOOT_MEDIUM_UNKNOWN);
    if (err == OK) {
        *id = dev.id;
    }
    ahci_port_stop(port);
    ata_dev_close(&dev);
    return err;
}

static void look_at_port(struct inventory *inv, struct ahci_hba *hba, struct inventory_port *port)
{
    struct platform *plat = inv->plat;
    uint8_t data[ATA_IDENTIFY_BYTES];
    port->ssts = ahci_port_read(&hba->port[port->number], PxSSTS);
    port->sig = ahci_port_read(&hba->port[port->number], PxSIG);
    port->status = status_by_registers(port->ssts, port->sig);
    if (port->status == PORT_DRIVE) {
        enum err err = ERR_UNSUPPORTED;
        if (hba->running) {
            err = identify_ourselves(hba, port->number, &port->id, &port->sig);
            port->status = status_by_registers(port->ssts, port->sig);
        } else {
            err = plat->fw_identify(plat, &hba->pci, port->number, data);
            if (err == OK) {
                ata_identify_parse(data, &port->id);
            }
        }
        port->identified = err == OK;
    }
    enum boot_medium boot = plat->boot_medium(plat, &hba->pci, port->number);
    if (port->status != PORT_DRIVE) {
        return;
    }
    if (boot == BOOT_MEDIUM_YES) {
        port->status = PORT_BOOT_MEDIUM;
    } else if (!port->identified) {
        port->status = PORT_NOT_IDENTIFIED;
    } else if (port->id.unusable != NULL) {
        port->status = PORT_UNUSABLE;
    } else if (boot == BOOT_MEDIUM_UNKNOWN) {
        port->status = PORT_BOOT_UNKNOWN;
    }
}

static void look_at_controller(struct inventory *inv, unsigned index)
{
    struct ahci_hba *hba = &inv->controller[index];
    struct platform *plat = inv->plat;
    bool ours = false;
    if (hba->state != AHCI_USABLE) {
        return;
    }
    if (!plat->info.has_firmware_io && plat->take_over(plat, &hba->pci) == OK) {
        ours = true;
        (void)ahci_hba_start(hba); /* on error the ports are listed by their registers alone */
    }
    for (unsigned n = 0; n < PORT_MAX; n++) {
        if ((hba->ports >> n & 1) == 0) {
            continue;
        }
        if (inv->ports == INVENTORY_PORTS_MAX) {
            inv->ports_left_off++;
            continue;
        }
        struct inventory_port *port = &inv->port[inv->ports++];
        port->controller = index;
        port->number = n;
        look_at_port(inv, hba, port);
    }
    if (ours) {
        ahci_hba_stop(hba);
        (void)plat->hand_back(plat, &hba->pci);
    }
}

static void mark_twins(struct inventory *inv)
{
    for (unsigned i = 0; i < inv->ports; i++) {
        for (unsigned j = 0; j < inv->ports; j++) {
            const struct inventory_port *other = &inv->port[j];
            if (i != j && inv->port[i].identified && other->identified &&
                strcmp(inv->port[i].id.serial, other->id.serial) == 0) {
                inv->port[i].twin = true;
            }
        }
    }
}

void inventory_scan(struct inventory *inv, struct platform *plat)
{
    struct pci_function found[INVENTORY_CONTROLLERS_MAX];
    memset(inv, 0, sizeof(*inv));
    inv->plat = plat;
    size_t total = plat->pci_scan(plat, found, ARRAY_LEN(found));
    inv->controllers = (unsigned)min_u64(total, ARRAY_LEN(found));
    inv->controllers_left_off = (unsigned)(total - inv->controllers);
    for (unsigned i = 0; i < inv->controllers; i++) {
        ahci_hba_probe(&inv->controller[i], plat, &found[i]);
        look_at_controller(inv, i);
    }
    mark_twins(inv);
}

/* A number in hexadecimal (or decimal) digits, up to `max`; *text is moved behind it. */
static bool take_number(const char **text, unsigned base, unsigned max, unsigned *out)
{
    unsigned value = 0;
    const char *at = *text;
    for (;; at++) {
        char c = (char)(*at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : base;
        if (digit >= base) {
            break;
        }
        value = value * base + digit;
        if (value > max) {
            return false;
        }
    }
    bool any = at != *text;
    *text = at;
    *out = value;
    return any;
}

static bool take_char(const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

struct place {
    unsigned segment, bus, device, function, port;
};

/* "bus:dev.fn/port" or "segment:bus:dev.fn/port", as shown on the screen. */
static bool parse_place(const char *text, struct place *out)
{
    struct place p = { .segment = 0 };
    if (!take_number(&text, 16, 0xffff, &p.bus) || !take_char(&text, ':') ||
        !take_number(&text, 16, 0xff, &p.device)) {
        return false;
    }
    if (take_char(&text, ':')) {
        p.segment = p.bus;
        p.bus = p.device;
        if (!take_number(&text, 16, 0x1f, &p.device)) {
            return false;
        }
    }
    *out = p;
    return p.bus <= 0xff && p.device <= 0x1f && take_char(&text, '.') &&
           take_number(&text, 16, 7, &out->function) && take_char(&text, '/') &&
           take_number(&text, 10, PORT_MAX - 1, &out->port) && *text == '\0';
}

static bool port_is_at(const struct inventory *inv, const struct inventory_port *port,
                       const struct place *place)
{
    const struct pci_address *at = &inv->controller[port->controller].pci.at;
    return at->segment == place->segment && at->bus == place->bus && at->device == place->device &&
           at->function == place->function && port->number == place->port;
}

/* What the user's text can mean. A serial number may hold an '@' itself, so both readings are tried. */
struct wanted {
    const char *text;
    size_t serial_length; /* where a place follows */
    bool placed;
    struct place place;
};

static bool is_wanted(const struct inventory *inv, const struct inventory_port *port,
                      const struct wanted *wanted)
{
    const char *serial = port->id.serial;
    if (!port->identified || serial[0] == '\0') {
        return false;
    }
    if (strcmp(serial, wanted->text) == 0) {
        return true;
    }
    return wanted->placed && strlen(serial) == wanted->serial_length &&
           strncmp(serial, wanted->text, wanted->serial_length) == 0 &&
           port_is_at(inv, port, &wanted->place);
}

static enum err explain_absence(const struct wanted *wanted, char *why, size_t why_bytes)
{
    const char *rest = wanted->text + wanted->serial_length;
    if (wanted->serial_length == 0) {
        text_print(why, why_bytes, "the target has no serial number");
        return ERR_INVALID;
    }
    if (*rest == '@' && !wanted->placed) {
        text_print(why, why_bytes,
                   "no drive here has the serial number %s, and \"%s\" is no place: "
                   "SERIAL@bus:dev.fn/port",
                   wanted->text, rest + 1);
        return ERR_INVALID;
    }
    text_print(why, why_bytes, "no drive here has the serial number %.*s%s%s",
               (int)wanted->serial_length, wanted->text, *rest == '@' ? " at " : "",
               *rest == '@' ? rest + 1 : "");
    return ERR_NOT_FOUND;
}

enum err inventory_find(const struct inventory *inv, const char *target,
                        struct inventory_port const **out, char *why, size_t why_bytes)
{
    const struct inventory_port *found = NULL;
    struct wanted wanted = { .text = target, .serial_length = strlen(target) };
    for (size_t i = 0; target[i] != '\0'; i++) {
        wanted.serial_length = target[i] == '@' ? i : wanted.serial_length;
    }
    wanted.placed = target[wanted.serial_length] == '@' &&
                    parse_place(target + wanted.serial_length + 1, &wanted.place);
    for (unsigned i = 0; i < inv->ports; i++) {
        const struct inventory_port *port = &inv->port[i];
        if (!is_wanted(inv, port, &wanted)) {
            continue;
        }
        if (found != NULL) {
            char address[16];
            inventory_address_text(&inv->controller[found->controller].pci.at, address,
                                   sizeof(address));
            text_print(
                why, why_bytes,
                "more than one drive has the serial number %s: add its place, as in %s@%s/%u",
                found->id.serial, found->id.serial, address, found->number);
            return ERR_INVALID;
        }
        found = port;
    }
    if (found != NULL && !wanted.placed &&
        (inv->ports_left_off != 0 || inv->controllers_left_off != 0)) {
        text_print(why, why_bytes,
                   "not every port fits in the list, so %s may be there twice: add its place, as "
                   "in SERIAL@bus:dev.fn/port",
                   found->id.serial);
        return ERR_INVALID;
    }
    if (found == NULL) {
        return explain_absence(&wanted, why, why_bytes);
    }
    *out = found;
    if (found->status != PORT_DRIVE) {
        text_print(why, why_bytes, "%s: %s", found->id.serial,
                   found->status == PORT_UNUSABLE ? found->id.unusable
                                                  : port_status_text(found->status));
        return ERR_REFUSED;
    }
    return OK;
}
