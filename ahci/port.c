/* One port: from whatever the firmware left to "commands may be issued", back again, and out of trouble. */
#include "ahci/internal.h"

/* Layout of a port's own memory; each start is aligned as the structure wants it (4.2). */
enum {
    MEMORY_LIST = 0,    /* 32 headers, 1 KiB aligned */
    MEMORY_RFIS = 1024, /* 256 bytes, 256 aligned */
    MEMORY_TABLES = 2048,
    MEMORY_BYTES = MEMORY_TABLES + 32 * sizeof(struct ahci_cmd_table),
};
_Static_assert(32 * sizeof(struct ahci_cmd_header) <= MEMORY_RFIS, "AHCI 1.3.1 4.2.2");
_Static_assert(MEMORY_RFIS % RFIS_BYTES == 0, "AHCI 1.3.1 4.2.1");
_Static_assert(MEMORY_TABLES % 128 == 0, "AHCI 1.3.1 4.2.3");

#define TFD_BUSY (0x80u | 0x08u) /* STS.BSY, STS.DRQ (3.3.8) */

uint32_t ahci_port_read(const struct ahci_port *port, uint32_t offset)
{
    return port_read(port, offset);
}

enum err port_engine_stop(struct ahci_port *port)
{
    port_write(port, PxCMD, port_read(port, PxCMD) & ~PxCMD_ST);
    return port_wait(port, PxCMD, PxCMD_CR, 0, AHCI_WAIT_ENGINE_MS);
}

/* Command engine, then FIS reception (10.1.2 step 3): only then may CLB and FB move. */
static enum err stop_all(struct ahci_port *port)
{
    enum err err = port_engine_stop(port);
    if (err == OK) {
        port_write(port, PxCMD, port_read(port, PxCMD) & ~PxCMD_FRE);
        err = port_wait(port, PxCMD, PxCMD_FR, 0, AHCI_WAIT_ENGINE_MS);
    }
    return err;
}

static void save_registers(struct ahci_port *port)
{
    port->saved.clb = port_read(port, PxCLB);
    port->saved.clbu = port_read(port, PxCLBU);
    port->saved.fb = port_read(port, PxFB);
    port->saved.fbu = port_read(port, PxFBU);
    port->saved.ie = port_read(port, PxIE);
    port->saved.sctl = port_read(port, PxSCTL);
    port->saved.cmd = port_read(port, PxCMD);
}

/* Where our memory lies. The upper halves are written always: an old system's garbage may stand there, and our
 * memory is below 4 GiB whatever CAP.S64A says. */
static void set_memory(struct ahci_port *port, uint64_t list, uint64_t rfis)
{
    port_write(port, PxCLB, (uint32_t)list);
    port_write(port, PxCLBU, (uint32_t)(list >> 32));
    port_write(port, PxFB, (uint32_t)rfis);
    port_write(port, PxFBU, (uint32_t)(rfis >> 32));
}

static void clear_status(struct ahci_port *port)
{
    port_write(port, PxSERR, PxSERR_ALL);
    port_write(port, PxIS, UINT32_MAX);
    hba_write(port->hba, HBA_IS, 1u << port->number);
}

/* Device power, spin-up, link active; no link power management while we measure (3.3.7, 3.3.11). */
static void power_up(struct ahci_port *port)
{
    const struct ahci_global_regs *global = &port->hba->before;
    if ((global->cap & CAP_FBSS) != 0) {
        port_write(port, PxFBS, port_read(port, PxFBS) & ~PxFBS_EN);
    }
    if ((global->cap2 & CAP2_SDS) != 0) {
        port_write(port, PxDEVSLP, port_read(port, PxDEVSLP) & ~PxDEVSLP_ADSE);
    }
    uint32_t cmd = port_read(port, PxCMD);
    cmd &= ~(PxCMD_PMA | PxCMD_ALPE | PxCMD_ASP | PxCMD_APSTE | PxCMD_ATAPI | PxCMD_DLAE);
    cmd |= PxCMD_FRE | PxCMD_SUD | PxCMD_POD;
    if ((cmd & PxCMD_ICC_MASK) == 0) {
        cmd |= PxCMD_ICC_ACTIVE;
    }
    port_write(port, PxCMD, cmd);
}

/* Reset the link and wait for the drive to say what it is (10.4.2). FRE must be on, ST off. */
static enum err comreset(struct ahci_port *port)
{
    struct platform *plat = port->hba->plat;
    uint32_t quiet = PxSCTL_IPM_NO_PARTIAL_SLUMBER;
    if ((port->hba->before.cap2 & CAP2_SDS) != 0) {
        quiet |= PxSCTL_IPM_NO_DEVSLP;
    }
    /* Step 1: DET = 1 for at least 1 ms. SPD = 0: no speed limit, whatever stood there. */
    port_write(port, PxSCTL, quiet | PxSCTL_DET_COMRESET);
    plat->stall_us(plat, AHCI_COMRESET_MS * 1000);
    port_write(port, PxSCTL, quiet);
    /* Step 2: presence (DET 1 or 3), then the link. A drive that was seen gets longer than the 10 ms of the text. */
    enum err err = port_wait(port, PxSSTS, PxSSTS_DET_SEEN, PxSSTS_DET_SEEN, AHCI_WAIT_PRESENCE_MS);
    if (err == OK) {
        err = port_wait(port, PxSSTS, PxSSTS_DET_MASK, PxSSTS_DET_UP, AHCI_WAIT_PHY_MS);
    }
    if (err != OK) {
        return err == ERR_GONE ? ERR_GONE : ERR_LINK;
    }
    /* Step 3: DIAG.X must be clear before the signature FIS may update PxTFD and PxSIG. */
    port_write(port, PxSERR, PxSERR_ALL);
    err = port_wait(port, PxTFD, TFD_BUSY, 0, AHCI_WAIT_READY_MS);
    if (err == ERR_TIMEOUT && (port_read(port, PxSSTS) & PxSSTS_DET_MASK) != PxSSTS_DET_UP) {
        return ERR_LINK;
    }
    return err;
}

/* After COMRESET: is it an ATA disk? Anything else gets no command at all. */
static enum err classify(struct ahci_port *port)
{
    port->sig = port_read(port, PxSIG);
    if (port->sig == SIG_NONE) {
        return ERR_LINK;
    }
    return port->sig == SIG_ATA ? OK : ERR_UNSUPPORTED;
}

static void start_engine(struct ahci_port *port)
{
    clear_status(port);
    port_write(port, PxCMD, port_read(port, PxCMD) | PxCMD_ST);
    port->in_flight = 0;
    port->queued = 0;
    port->status_seen_ns = 0;
    port->state = AHCI_PORT_READY;
}

/* Undo everything: registers as found, memory freed. The firmware's engine runs again if it ran before. */
static void put_back(struct ahci_port *port)
{
    struct ahci_hba *hba = port->hba;
    enum err err = stop_all(port);
    if (err == OK) {
        clear_status(port);
        set_memory(port, port->saved.clb | (uint64_t)port->saved.clbu << 32,
                   port->saved.fb | (uint64_t)port->saved.fbu << 32);
        port_write(port, PxSCTL, port->saved.sctl & ~PxSCTL_DET_MASK);
        port_write(port, PxIE, port->saved.ie);
        uint32_t cmd = port->saved.cmd & ~(PxCMD_ST | PxCMD_FRE | PxCMD_CLO | PxCMD_ICC_MASK);
        port_write(port, PxCMD, cmd);
        if ((port->saved.cmd & PxCMD_FRE) != 0) {
            port_write(port, PxCMD, cmd | PxCMD_FRE);
        }
        if ((port->saved.cmd & PxCMD_ST) != 0) {
            port_write(port, PxCMD, cmd | PxCMD_FRE | PxCMD_ST);
        }
    }
    port->state = AHCI_PORT_OFF;
    port->header = NULL;
    port->table = NULL;
    port->rfis = NULL;
    if (err != OK && err != ERR_GONE) {
        /* The controller may still write to it: better lost than reused. */
        port->stuck = true;
        memset(&port->memory, 0, sizeof(port->memory));
        return;
    }
    hba->plat->dma_free(hba->plat, &hba->pci, &port->memory);
}

static enum err bring_up(struct ahci_port *port)
{
    port_write(port, PxIE, 0);
    enum err err = stop_all(port);
    if (err != OK) {
        return err;
    }
    set_memory(port, port->memory.bus + MEMORY_LIST, port->memory.bus + MEMORY_RFIS);
    /* FRE before spin-up, so that the first D2H FIS has a place to land (10.3.2). */
    clear_status(port);
    power_up(port);
    err = comreset(port);
    if (err == OK) {
        err = classify(port);
    }
    if (err == OK) {
        start_engine(port);
    }
    return err;
}

enum err ahci_port_start(struct ahci_hba *hba, unsigned number, struct ahci_port **out)
{
    ASSERT(hba->running);
    if (number >= PORT_MAX || (hba->ports >> number & 1) == 0) {
        return ERR_NOT_FOUND;
    }
    struct ahci_port *port = &hba->port[number];
    ASSERT(port->state == AHCI_PORT_OFF);
    if (port_read(port, PxCMD) == UINT32_MAX) {
        return ERR_GONE;
    }
    enum err err = hba->plat->dma_alloc(hba->plat, &hba->pci, MEMORY_BYTES, &port->memory);
    if (err != OK) {
        return err;
    }
    uint8_t *cpu = port->memory.cpu;
    port->header = (struct ahci_cmd_header *)(void *)(cpu + MEMORY_LIST);
    port->table = (struct ahci_cmd_table *)(void *)(cpu + MEMORY_TABLES);
    port->rfis = cpu + MEMORY_RFIS;
    port->poll_gap_ns_max = 0;
    port->stuck = false;
    save_registers(port);
    err = bring_up(port);
    if (err != OK) {
        put_back(port);
        return err;
    }
    *out = port;
    return OK;
}

void ahci_port_stop(struct ahci_port *port)
{
    if (port->state != AHCI_PORT_OFF) {
        put_back(port);
    }
}

enum err ahci_port_recover(struct ahci_port *port, bool reset, bool *was_reset)
{
    ASSERT(port->state == AHCI_PORT_FAILED || (port->state == AHCI_PORT_READY && reset));
    /* 6.2.2.1: the engine was stopped when the failure was seen, which cleared PxCI and PxSACT. */
    enum err err = port_engine_stop(port);
    if (err != OK) {
        return err;
    }
    clear_status(port);
    uint32_t tfd = port_read(port, PxTFD);
    uint32_t det = port_read(port, PxSSTS) & PxSSTS_DET_MASK;
    bool needed = reset || (tfd & TFD_BUSY) != 0 || det != PxSSTS_DET_UP;
    if (needed) {
        err = comreset(port);
        if (err == OK) {
            err = classify(port);
        }
        if (err != OK) {
            return err;
        }
    }
    start_engine(port);
    *was_reset = needed;
    return OK;
}
