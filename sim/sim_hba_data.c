/* Data between drive and memory, by the regions of a command table, and the faults that can happen to them.
 * Section numbers are AHCI 1.3.1's. */
#include <stdlib.h>

#include "sim/sim_hba_internal.h"

/* --- data ------------------------------------------------------------------------------------------ */

static void late_arrives(void *context, uint64_t unused)
{
    struct sim_late *late = context;
    struct sim_hba *hba = late->hba;
    (void)unused;
    hba->misbehaving = true;
    hba->bus.write(hba->bus.self, late->address, late->data, late->bytes);
    hba->misbehaving = false;
    struct sim_late **link = &hba->late;
    while (*link != late) {
        link = &(*link)->next;
    }
    *link = late->next;
    free(late);
}

static void keep_for_later(struct sim_hba *hba, uint64_t address, const uint8_t *data, size_t bytes,
                           uint64_t us)
{
    struct sim_late *late = malloc(sizeof(*late) + bytes);
    if (late == NULL) {
        abort();
    }
    *late = (struct sim_late){ .next = hba->late, .hba = hba, .address = address, .bytes = bytes };
    memcpy(late->data, data, bytes);
    hba->late = late;
    sim_clock_after(hba->clock, us * NS_PER_US, late_arrives, late, 0);
}

/* Bytes that do not reach memory although the drive sent them. */
static bool to_memory(struct sim_hba_port *port, struct sim_hba_slot *slot, uint64_t address,
                      const uint8_t *data, size_t bytes)
{
    const struct sim_fault *fault = slot->fault;
    enum sim_fault_what what = fault == NULL ? SIM_NO_FAULT : fault->what;
    size_t kept = bytes;
    switch (what) {
    case SIM_DATA_NEVER:
        return true;
    case SIM_DATA_LATE:
        keep_for_later(port->hba, address, data, bytes, fault->us);
        return true;
    case SIM_DATA_SHORT:
    case SIM_DATA_SHORT_HONEST:
        kept = slot->moved >= fault->bytes ? 0 : (size_t)min_u64(bytes, fault->bytes - slot->moved);
        break;
    default:
        break;
    }
    return kept == 0 || sim_bus_write(port, address, data, kept);
}

void sim_engine_count(struct sim_hba_port *port, unsigned number)
{
    struct sim_hba_slot *slot = &port->slot[number];
    const struct sim_fault *fault = slot->fault;
    uint64_t counted = slot->moved;
    uint8_t bytes[4];
    if (slot->queued && !port->hba->config.prdbc_ncq) {
        return;
    }
    if (fault != NULL && fault->what == SIM_DATA_SHORT_HONEST) {
        counted = min_u64(counted, fault->bytes);
    }
    if (fault != NULL && fault->what == SIM_PRDBC_WRONG) {
        counted = fault->value;
    }
    put_le32(bytes, (uint32_t)counted);
    sim_bus_write(port, sim_header_address(port, number) + offsetof(struct ahci_cmd_header, prdbc),
                  bytes, sizeof(bytes));
}

/* The region the next byte goes to, and how much of it is left. False: there is none, or no memory. */
static bool next_region(struct sim_hba_port *port, struct sim_hba_slot *slot, uint64_t *address,
                        uint64_t *room)
{
    while (slot->prd < slot->dw0 >> CH_PRDTL_SHIFT) {
        struct ahci_prd prd;
        if (!sim_bus_read(port, slot->table + CT_PRD_OFFSET + slot->prd * sizeof(prd), &prd,
                          sizeof(prd))) {
            return false;
        }
        uint64_t bytes = (prd.dbc & PRD_DBC_MASK) + 1;
        if (slot->prd_at < bytes) {
            *address = sim_join(prd.dba, prd.dbau) + slot->prd_at;
            *room = bytes - slot->prd_at;
            return true;
        }
        slot->prd++;
        slot->prd_at = 0;
    }
    port->is |= PxIS_OFS; /* 6.1.4: more data than regions */
    return false;
}

static void pio_moved(struct sim_hba_port *port, size_t bytes)
{
    if (port->pio_left == 0) {
        return;
    }
    port->pio_left -= min_u64(port->pio_left, bytes);
    if (port->pio_left > 0) {
        return;
    }
    port->tfd = (port->tfd & ~PxTFD_STS_MASK) | port->pio_end_status;
    if (port->pio_interrupt) {
        port->is |= PxIS_PSS;
    }
    if ((port->tfd & (TFD_BSY | TFD_DRQ | TFD_ERR)) == 0) {
        sim_engine_retire(port);
    }
}

bool sim_engine_data(struct sim_hba_port *port, uint8_t *data, size_t bytes, bool in)
{
    struct sim_hba_slot *slot = &port->slot[port->data_slot];
    bool active = (port->cmd & PxCMD_CR) != 0 && (port->cmd & PxCMD_ST) != 0 && !port->fatal &&
                  !port->hba->gone && sim_port_linked(port) && slot->sent;
    if (!active) {
        return false;
    }
    bool out = (slot->dw0 & CH_W) != 0;
    if (in == out) {
        PORT_NOTE(port, "data %s, command header bit W = %d", in ? "in" : "out", out);
        sim_engine_fatal(port, PxIS_IFS);
        return false;
    }
    for (size_t done = 0; done < bytes;) {
        uint64_t address, room;
        if (!next_region(port, slot, &address, &room)) {
            PORT_NOTE(port, "the regions hold %lu bytes, the drive moves more", slot->prd_bytes);
            return !port->fatal;
        }
        size_t now = (size_t)min_u64(room, bytes - done);
        bool moved = in ? to_memory(port, slot, address, data + done, now)
                        : sim_bus_read(port, address, data + done, now);
        if (!moved) {
            return false;
        }
        slot->prd_at += (uint32_t)now;
        slot->moved += now;
        done += now;
    }
    sim_engine_count(port, port->data_slot);
    pio_moved(port, bytes);
    return !port->fatal;
}
