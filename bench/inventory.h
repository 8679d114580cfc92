/* Everything that is plugged in: every mass-storage controller and every implemented port, with the drive
 * behind it or the reason why there is none or why it is no target. Looking changes nothing. */
#ifndef BENCH_INVENTORY_H
#define BENCH_INVENTORY_H

#include "ahci/ahci.h"
#include "ata/identify.h"

enum {
    INVENTORY_CONTROLLERS_MAX = 16,
    INVENTORY_PORTS_MAX = 64,
};

enum port_status {
    PORT_DRIVE,     /* an ATA drive that can be a target */
    PORT_EMPTY,     /* no device detected (DET 0) */
    PORT_LINK_DOWN, /* a device is detected but the link is not up */
    PORT_OFFLINE,   /* the port is switched off (DET 4) */
    PORT_ATAPI,     /* optical drive, or a controller's virtual device: nothing is sent to it */
    PORT_MULTIPLIER,
    PORT_ENCLOSURE,      /* SEMB */
    PORT_BOOT_MEDIUM,    /* this program was started from it */
    PORT_BOOT_UNKNOWN,   /* the platform cannot say whether it is the boot medium */
    PORT_NOT_IDENTIFIED, /* link up, but nobody has IDENTIFY data yet */
    PORT_UNUSABLE,       /* identity.unusable says why */
    PORT_STATUS_COUNT
};

struct inventory_port {
    unsigned controller; /* index into inventory.controller */
    unsigned number;
    enum port_status status;
    uint32_t ssts;
    uint32_t sig;
    bool identified;
    struct ata_identity id; /* valid when identified */
    bool twin;              /* another drive has the same serial number: name it with its port */
};

struct inventory {
    struct platform *plat;
    unsigned controllers;
    unsigned controllers_left_off; /* found, no room */
    struct ahci_hba controller[INVENTORY_CONTROLLERS_MAX];
    unsigned ports;
    unsigned ports_left_off;
    struct inventory_port port[INVENTORY_PORTS_MAX];
};

/* Fill *inv. Writes to no drive. Where the platform has no firmware I/O, each controller is taken over, asked, and
 * given back: for each port with something on it as long as ahci_port_start() and ata_identify() may take. Else the
 * firmware's own time to connect its drivers. */
void inventory_scan(struct inventory *inv, struct platform *plat);

/* "00:1f.2" or "0001:00:1f.2" */
void inventory_address_text(const struct pci_address *at, char *buf, size_t cap);

/* Short words for a status ("empty", "boot medium"), and a sentence saying why and what to do. */
const char *port_status_name(enum port_status status);
const char *port_status_text(enum port_status status);

/* Find the drive the user named: "SERIAL" or "SERIAL@bus:dev.fn/port". ERR_NOT_FOUND, ERR_INVALID (two
 * drives share the serial number and no port was given, or the syntax is wrong), ERR_REFUSED (the drive is
 * there and is no target). `why` gets the sentence. *out is set on OK and on ERR_REFUSED. */
enum err inventory_find(const struct inventory *inv, const char *target,
                        struct inventory_port const **out, char *why, size_t why_bytes);

#endif
