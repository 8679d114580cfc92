/* Command slots: hand a command to the controller, see it end, keep the evidence when it ends badly. The CPU reads
 * the received-FIS area and PRDBC only after a register read that showed the slot clear; that read is the barrier:
 * it is an uncached access behind a function call, and x86 keeps loads in order. */
#include "ahci/internal.h"

#define IS_BUS     (PxIS_HBFS | PxIS_HBDS | PxIS_IFS | PxIS_OFS)
#define IS_LINK    (PxIS_PRCS | PxIS_PCS)
#define IS_TROUBLE (PxIS_TFES | IS_BUS | IS_LINK)
#define TFD_ERROR  (0x01u | 0x20u) /* STS.ERR, STS.DF */

/* A drive cannot be exchanged by hand in less than this; so long, PxIS need not be read again before a command. */
#define STATUS_FRESH_NS (5 * NS_PER_MS)

static void fill_slot(struct ahci_port *port, unsigned slot, const struct ahci_request *request)
{
    struct ahci_cmd_header *header = &port->header[slot];
    struct ahci_cmd_table *table = &port->table[slot];
    uint64_t at = request->data_bus;
    uint32_t left = request->data_bytes;
    uint32_t prds = 0;
    while (left > 0) {
        uint32_t bytes = (uint32_t)min_u64(left, PRD_BYTES_MAX);
        table->prdt[prds].dba = (uint32_t)at;
        table->prdt[prds].dbau = (uint32_t)(at >> 32);
        table->prdt[prds].reserved = 0;
        table->prdt[prds].dbc = bytes - 1;
        at += bytes;
        left -= bytes;
        prds++;
    }
    memcpy(table->cfis, request->cfis, sizeof(request->cfis));
    uint64_t table_bus =
        port->memory.bus + (uint64_t)((const uint8_t *)table - (const uint8_t *)port->memory.cpu);
    header->dw0 = FIS_H2D_BYTES / 4 | (request->write ? CH_W : 0) | prds << CH_PRDTL_SHIFT;
    header->prdbc = 0;
    header->ctba = (uint32_t)table_bus;
    header->ctbau = (uint32_t)(table_bus >> 32);
}

/* Keep the registers as they are (6.2.2: CCS and SACT are lost with ST), then stop the engine. */
static enum err fail(struct ahci_port *port, enum err err, uint32_t is)
{
    struct ahci_snapshot *s = &port->failure;
    s->is = is;
    s->tfd = port_read(port, PxTFD);
    s->serr = port_read(port, PxSERR);
    s->ssts = port_read(port, PxSSTS);
    s->ci = port_read(port, PxCI);
    s->sact = port_read(port, PxSACT);
    s->cmd = port_read(port, PxCMD);
    const volatile uint8_t *d2h =
        port->rfis + RFIS_RFIS; /* the device wrote it, not this program */
    for (size_t i = 0; i < sizeof(s->d2h); i++) {
        s->d2h[i] = d2h[i];
    }
    port->state = AHCI_PORT_FAILED;
    if (err != ERR_GONE && port_engine_stop(port) == ERR_GONE) {
        return ERR_GONE;
    }
    return err;
}

/* What PxIS says about a port in trouble. */
static enum err trouble(const struct ahci_port *port, uint32_t is)
{
    uint32_t det = port_read(port, PxSSTS) & PxSSTS_DET_MASK;
    if (det != PxSSTS_DET_UP) {
        return ERR_LINK;
    }
    if ((is & IS_LINK) != 0) {
        return ERR_CHANGED;
    }
    /* Some controllers raise IFS for an ordinary device error as well: the task file decides. */
    if ((is & PxIS_TFES) != 0 || (port_read(port, PxTFD) & TFD_ERROR) != 0) {
        return ERR_DEVICE;
    }
    return ERR_BUS;
}

/* Read PxIS and say whether all is well. */
static enum err check_status(struct ahci_port *port, uint64_t now_ns)
{
    uint32_t is = port_read(port, PxIS);
    if (is == UINT32_MAX) {
        return fail(port, ERR_GONE, is);
    }
    if ((is & IS_TROUBLE) != 0) {
        return fail(port, trouble(port, is), is);
    }
    /* A queued error may come as a Set Device Bits FIS with ERR and no TFES (seen in QEMU). */
    if ((is & PxIS_SDBS) != 0 && port->queued != 0) {
        if ((port_read(port, PxTFD) & TFD_ERROR) != 0) {
            return fail(port, ERR_DEVICE, is);
        }
        port_write(port, PxIS, PxIS_SDBS);
    }
    port->status_seen_ns = now_ns;
    return OK;
}

enum err ahci_port_issue(struct ahci_port *port, unsigned slot, const struct ahci_request *request)
{
    struct platform *plat = port->hba->plat;
    ASSERT(port->state == AHCI_PORT_READY);
    ASSERT(slot < port->hba->slots && (port->in_flight >> slot & 1) == 0);
    ASSERT(request->data_bytes <= AHCI_REQUEST_BYTES_MAX);
    ASSERT(request->data_bytes % 2 == 0 && request->data_bus % 2 == 0);
    /* Queued and unqueued commands never meet (5.6.4.1); unqueued ones go one at a time. */
    ASSERT(port->in_flight == 0 || (request->queued && port->queued == port->in_flight));

    uint64_t now = plat->clock_ns(plat);
    if (port->in_flight == 0 && now - port->status_seen_ns > STATUS_FRESH_NS) {
        enum err err = check_status(port, now);
        if (err != OK) {
            return err;
        }
    }
    fill_slot(port, slot, request);
    uint32_t bit = 1u << slot;
    if (request->queued) {
        port_write(port, PxSACT, bit);
        port->queued |= bit;
    }
    port->in_flight |= bit;
    uint64_t issued = plat->clock_ns(plat);
    port->slot[slot].issued_ns = issued;
    if (port->in_flight == bit) {
        port->poll_last_ns = issued;
    }
    port_write(port, PxCI, bit);
    return OK;
}

enum err ahci_port_poll(struct ahci_port *port, uint32_t *completed)
{
    struct platform *plat = port->hba->plat;
    ASSERT(port->state == AHCI_PORT_READY);
    uint32_t active = port_read(port, PxCI);
    if (port->queued != 0) {
        active |= port_read(port, PxSACT);
    }
    uint64_t now = plat->clock_ns(plat);
    port->poll_gap_ns_max = max_u64(port->poll_gap_ns_max, now - port->poll_last_ns);
    port->poll_last_ns = now;

    uint32_t done = port->in_flight & ~active;
    for (uint32_t left = done; left != 0; left &= left - 1) {
        unsigned slot = (unsigned)__builtin_ctz(left);
        const volatile struct ahci_cmd_header *header = &port->header[slot];
        port->slot[slot].done_ns = now;
        port->slot[slot].prdbc = header->prdbc;
    }
    port->in_flight &= ~done;
    port->queued &= ~done;
    *completed = done;
    /* Trouble shows in PxIS; look when nothing moved, and once when the last command is through. */
    if (done == 0 || port->in_flight == 0) {
        return check_status(port, now);
    }
    return OK;
}

enum err ahci_port_wait_slots(struct ahci_port *port, uint32_t mask, uint64_t deadline_ns)
{
    struct platform *plat = port->hba->plat;
    while ((port->in_flight & mask) != 0) {
        bool late = plat->clock_ns(plat) >= deadline_ns;
        uint32_t completed;
        enum err err = ahci_port_poll(port, &completed);
        if (err != OK) {
            return err;
        }
        if (late && (port->in_flight & mask) != 0) {
            return fail(port, ERR_TIMEOUT, port_read(port, PxIS));
        }
    }
    return OK;
}
