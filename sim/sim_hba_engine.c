/* The command engine: fetches headers, tables and command frames, ends commands. Section numbers are
 * AHCI 1.3.1's. */
#include "ata/ata_regs.h"
#include "sim/sim_hba_internal.h"

void sim_engine_fatal(struct sim_hba_port *port, uint32_t why)
{
    port->is |= why;
    port->fatal = true;
}

bool sim_bus_read(struct sim_hba_port *port, uint64_t address, void *to, size_t bytes)
{
    struct sim_hba *hba = port->hba;
    if (!hba->gone && hba->bus.read(hba->bus.self, address, to, bytes)) {
        return true;
    }
    sim_engine_fatal(port, PxIS_HBFS);
    return false;
}

bool sim_bus_write(struct sim_hba_port *port, uint64_t address, const void *from, size_t bytes)
{
    struct sim_hba *hba = port->hba;
    if (!hba->gone && hba->bus.write(hba->bus.self, address, from, bytes)) {
        return true;
    }
    sim_engine_fatal(port, PxIS_HBFS);
    return false;
}

uint64_t sim_header_address(const struct sim_hba_port *port, unsigned slot)
{
    return sim_join(port->clb, port->clbu) + slot * sizeof(struct ahci_cmd_header);
}

/* --- issue ------------------------------------------------------------------------------------ */

void sim_engine_schedule(struct sim_hba_port *port)
{
    if (!port->fetching) {
        port->fetching = true;
        sim_hba_later(port, port->hba->config.fetch_ns, HBA_EVENT_FETCH);
    }
}

void sim_engine_issue(struct sim_hba_port *port, uint32_t slots)
{
    if ((port->cmd & PxCMD_ST) == 0) {
        PORT_NOTE(port, "PxCI written while ST = 0 (3.3.14)");
        return;
    }
    unsigned count = ((port->hba->cap & CAP_NCS_MASK) >> CAP_NCS_SHIFT) + 1;
    if (count < 32 && slots >> count != 0) {
        PORT_NOTE(port, "PxCI = %08Xh: only %u command slots", slots, count);
        slots &= (1u << count) - 1;
    }
    if ((port->ci & slots) != 0) {
        PORT_NOTE(port, "PxCI bits %08Xh set while outstanding", port->ci & slots);
    }
    for (unsigned i = 0; i < 32; i++) {
        if ((slots >> i & 1) != 0 && (port->ci >> i & 1) == 0) {
            port->slot[i] = (struct sim_hba_slot){ .sact_first = (port->sact >> i & 1) != 0 };
        }
    }
    port->ci |= slots;
    sim_engine_schedule(port);
}

void sim_engine_stop(struct sim_hba_port *port)
{
    port->ci = 0;
    port->sact = 0;
    port->pio_left = 0;
    port->last_slot = 31; /* slot 0 comes first again (5.3.2.1) */
    memset(port->slot, 0, sizeof(port->slot));
}

/* Round robin over what was issued and not sent (5.3.1). */
static bool next_slot(const struct sim_hba_port *port, unsigned *slot)
{
    for (unsigned i = 1; i <= 32; i++) {
        unsigned candidate = (port->last_slot + i) % 32;
        if ((port->ci >> candidate & 1) != 0 && !port->slot[candidate].sent) {
            *slot = candidate;
            return true;
        }
    }
    return false;
}

static bool is_queued(uint8_t opcode)
{
    return opcode >= ATA_READ_FPDMA_QUEUED && opcode <= 0x65;
}

/* Read all regions once: their rules (4.2.3.3) and their sum. */
static bool check_regions(struct sim_hba_port *port, struct sim_hba_slot *slot)
{
    uint32_t regions = slot->dw0 >> CH_PRDTL_SHIFT;
    for (uint32_t i = 0; i < regions; i++) {
        struct ahci_prd prd;
        if (!sim_bus_read(port, slot->table + CT_PRD_OFFSET + i * sizeof(prd), &prd, sizeof(prd))) {
            return false;
        }
        if ((prd.dba & 1) != 0 || (prd.dbc & 1) == 0) {
            PORT_NOTE(port, "region %u: address %08Xh or count field %08Xh of the wrong parity", i,
                      prd.dba, prd.dbc);
        }
        if (prd.dbau != 0) {
            PORT_NOTE(port, "region %u lies above 4 GiB", i);
        }
        slot->prd_bytes += (prd.dbc & PRD_DBC_MASK) + 1;
    }
    return true;
}

static void check_header(struct sim_hba_port *port, unsigned number,
                         const struct ahci_cmd_header *header, const uint8_t *cfis)
{
    const struct sim_hba_slot *slot = &port->slot[number];
    if ((header->dw0 & CH_CFL_MASK) != FIS_H2D_BYTES / 4) {
        PORT_NOTE(port, "command header DW0 %08Xh: CFL is not 5", header->dw0);
    }
    if ((header->dw0 & (CH_A | CH_R | CH_B | CH_C)) != 0 ||
        (header->dw0 >> CH_PMP_SHIFT & 0xf) != 0) {
        PORT_NOTE(port, "command header DW0 %08Xh: A, R, B, C or PMP set for an ATA command",
                  header->dw0);
    }
    if ((header->ctba & 127) != 0) {
        PORT_NOTE(port, "command table at %08Xh is not 128-byte aligned (4.2.2)", header->ctba);
    }
    if (!slot->queued && header->prdbc != 0) {
        PORT_NOTE(port, "PRDBC = %08Xh before the command (4.2.2)", header->prdbc);
    }
    if (cfis[0] != FIS_REG_H2D || (cfis[1] & 0x0f) != 0) {
        PORT_NOTE(port, "command frame starts %02X %02X", cfis[0], cfis[1]);
    }
    if (!slot->queued) {
        if (port->sact != 0) {
            PORT_NOTE(port, "unqueued command %02Xh while PxSACT = %08Xh (1.7)", cfis[2],
                      port->sact);
        }
        return;
    }
    if (!slot->sact_first) {
        PORT_NOTE(port, "queued command in slot %u: PxSACT was not set before PxCI (5.3.2.3)",
                  number);
    }
    if ((header->dw0 & CH_P) != 0) {
        PORT_NOTE(port, "P set for a queued command (4.2.2)");
    }
    unsigned tag = cfis[12] >> 3;
    if (tag != number) {
        PORT_NOTE(port, "queued command in slot %u has tag %u (5.3.2.3)", number, tag);
    }
    for (unsigned i = 0; i < 32; i++) {
        if (i != number && (port->ci >> i & 1) != 0 && port->slot[i].sent &&
            !port->slot[i].queued) {
            PORT_NOTE(port, "queued command while slot %u holds an unqueued one (1.7)", i);
        }
    }
}

static struct sim_occasion occasion_of(const struct sim_hba_port *port, const uint8_t *cfis)
{
    uint8_t opcode = cfis[2];
    bool queued = is_queued(opcode);
    bool short28 = opcode == ATA_READ_DMA || opcode == ATA_WRITE_DMA || opcode == ATA_READ_SECTORS;
    bool medium = short28 || queued || opcode == ATA_READ_DMA_EXT || opcode == ATA_WRITE_DMA_EXT ||
                  opcode == ATA_WRITE_DMA_FUA_EXT || opcode == ATA_READ_SECTORS_EXT ||
                  opcode == ATA_WRITE_SECTORS_EXT;
    struct sim_occasion o = { .port = port->number, .opcode = opcode };
    o.lba = cfis[4] | (uint64_t)cfis[5] << 8 | (uint64_t)cfis[6] << 16;
    if (short28) {
        o.lba |= (uint64_t)(cfis[7] & 0xf) << 24;
    } else {
        o.lba |= (uint64_t)cfis[8] << 24 | (uint64_t)cfis[9] << 32 | (uint64_t)cfis[10] << 40;
    }
    uint32_t count = queued ? cfis[3] | (uint32_t)cfis[11] << 8 : get_le16(cfis + 12);
    count = short28 ? cfis[12] : count;
    if (medium) {
        o.count = count != 0 ? count : short28 ? 256 : 65536;
    }
    return o;
}

/* Faults that end the command before the drive hears of it. True: done with it. */
static bool fails_here(struct sim_hba_port *port, unsigned number, const struct sim_fault *fault)
{
    if (fault == NULL) {
        return false;
    }
    uint32_t status = fault->status == 0 ? 0x51 : fault->status;
    uint32_t error = fault->error == 0 ? ATA_ERR_ABRT : fault->error;
    switch (fault->what) {
    case SIM_IFS:
        port->serr |= 1u << 10 | 1u << 22; /* ERR.P, DIAG.H */
        port->tfd |= TFD_BSY;
        sim_engine_fatal(port, PxIS_IFS);
        return true;
    case SIM_HBFS:
        sim_engine_fatal(port, PxIS_HBFS);
        return true;
    case SIM_TFES_NO_D2H:
        port->tfd = error << PxTFD_ERR_SHIFT | status;
        sim_engine_fatal(port, PxIS_TFES);
        return true;
    case SIM_QEMU_NCQ_ERROR:
        port->tfd = error << PxTFD_ERR_SHIFT | 0x41;
        port->is |= PxIS_SDBS;
        port->serr |= 1u << number;
        port->ci &= ~(1u << number);
        sim_engine_schedule(port);
        return true;
    case SIM_CCS_WRONG:
        port->ccs_wrong = true;
        return false;
    default:
        return false;
    }
}

static void send_slot(struct sim_hba_port *port, unsigned number)
{
    struct sim_hba *hba = port->hba;
    struct sim_hba_slot *slot = &port->slot[number];
    struct ahci_cmd_header header;
    uint8_t cfis[FIS_H2D_BYTES];
    port->last_slot = number;
    port->current = number;
    if (!sim_bus_read(port, sim_header_address(port, number), &header, sizeof(header))) {
        return;
    }
    slot->sent = true;
    slot->dw0 = header.dw0;
    slot->table = sim_join(header.ctba & ~127u, header.ctbau);
    if (!sim_bus_read(port, slot->table, cfis, sizeof(cfis))) {
        return;
    }
    slot->queued = is_queued(cfis[2]);
    check_header(port, number, &header, cfis);
    if (!check_regions(port, slot)) {
        return;
    }
    struct sim_occasion occasion = occasion_of(port, cfis);
    if (sim_fault_strikes(hba->faults, SIM_ALL_ONES, SIM_ALL_ONES, &occasion) != NULL) {
        hba->gone = true;
        return;
    }
    slot->fault = sim_fault_strikes(hba->faults, SIM_DATA_NEVER, SIM_CCS_WRONG, &occasion);
    if (fails_here(port, number, slot->fault)) {
        return;
    }
    port->data_slot = number;
    port->tfd |= TFD_BSY;
    port->device.receive(port->device.self, cfis, sizeof(cfis));
}

void sim_engine_fetch(struct sim_hba_port *port)
{
    unsigned slot;
    bool ready = (port->cmd & PxCMD_CR) != 0 && !port->fatal && !port->hba->gone &&
                 port->connected && sim_port_linked(port) && (port->serr & PxSERR_DIAG_X) == 0 &&
                 (port->tfd & (TFD_BSY | TFD_DRQ)) == 0;
    if (ready && next_slot(port, &slot)) {
        send_slot(port, slot);
    }
}

/* --- the end of a command ----------------------------------------------------------------------------- */

/* Scribble behind the last region, as a controller with a wrong byte count would. */
static void write_outside(struct sim_hba_port *port, const struct sim_hba_slot *slot)
{
    uint32_t regions = slot->dw0 >> CH_PRDTL_SHIFT;
    struct ahci_prd prd;
    struct sim_hba *hba = port->hba;
    uint64_t bytes = slot->fault->bytes == 0 ? 16 : slot->fault->bytes;
    if (regions == 0 ||
        !sim_bus_read(port, slot->table + CT_PRD_OFFSET + (regions - 1) * sizeof(prd), &prd,
                      sizeof(prd))) {
        return;
    }
    uint64_t end = sim_join(prd.dba, prd.dbau) + (prd.dbc & PRD_DBC_MASK) + 1;
    hba->misbehaving = true;
    for (uint64_t i = 0; i < bytes; i++) {
        hba->bus.write(hba->bus.self, end + i, "\xe5", 1);
    }
    hba->misbehaving = false;
}

void sim_engine_end(struct sim_hba_port *port, unsigned number)
{
    struct sim_hba_slot *slot = &port->slot[number];
    if (slot->fault != NULL && slot->fault->what == SIM_WRITE_OUTSIDE) {
        write_outside(port, slot);
    }
    if (port->hba->judge->strict && slot->moved < slot->prd_bytes) {
        PORT_NOTE(port, "regions of %lu bytes for a command that moved %lu", slot->prd_bytes,
                  slot->moved);
    }
    sim_engine_count(port, number);
    *slot = (struct sim_hba_slot){ 0 };
    sim_engine_schedule(port);
}

/* BSY and DRQ went away: the slot in progress is through its issue (5.3.11). */
void sim_engine_retire(struct sim_hba_port *port)
{
    uint32_t bit = 1u << port->current;
    struct sim_hba_slot *slot = &port->slot[port->current];
    if ((port->ci & bit) == 0 || !slot->sent) {
        return;
    }
    if (!slot->queued) {
        sim_engine_end(port, port->current);
    }
    port->ci &= ~bit;
    sim_engine_schedule(port);
}
