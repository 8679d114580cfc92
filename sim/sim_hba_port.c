/* One port's registers and its link. Section numbers are AHCI 1.3.1's. */
#include "sim/sim_hba_internal.h"

#define COMRESET_NS (1 * NS_PER_MS) /* DET = 1 for at least so long (10.4.2) */

static bool is_running(const struct sim_hba_port *port)
{
    return (port->cmd & (PxCMD_ST | PxCMD_CR)) != 0;
}

/* PCS and PRCS have no bits of their own: they show PxSERR (3.3.5). */
static uint32_t status_now(const struct sim_hba_port *port)
{
    return port->is | ((port->serr & PxSERR_DIAG_X) != 0 ? PxIS_PCS : 0) |
           ((port->serr & PxSERR_DIAG_N) != 0 ? PxIS_PRCS : 0);
}

uint32_t sim_port_read(struct sim_hba_port *port, uint32_t reg)
{
    switch (reg) {
    case PxCLB:
        return port->clb;
    case PxCLBU:
        return port->clbu;
    case PxFB:
        return port->fb;
    case PxFBU:
        return port->fbu;
    case PxIS:
        return status_now(port);
    case PxIE:
        return port->ie;
    case PxCMD: {
        unsigned ccs = (port->current + (port->ccs_wrong ? 1u : 0)) & 0x1f;
        uint32_t shown = (port->cmd & PxCMD_ST) != 0 ? ccs << PxCMD_CCS_SHIFT : 0;
        return (port->cmd & ~PxCMD_CCS_MASK) | shown;
    }
    case PxTFD:
        return port->tfd;
    case PxSIG:
        return port->sig;
    case PxSSTS:
        return port->ssts;
    case PxSCTL:
        return port->sctl;
    case PxSERR:
        return port->serr;
    case PxSACT:
        return port->sact;
    case PxCI:
        return port->ci;
    case PxFBS:
        return port->fbs;
    case PxDEVSLP:
        return port->devslp;
    default:
        return 0;
    }
}

/* --- PxCMD ------------------------------------------------------------------------------------ */

static void start_engine(struct sim_hba_port *port)
{
    if ((port->cmd & PxCMD_FRE) == 0) {
        PORT_NOTE(port, "ST set while FRE = 0 (10.3.1)");
    }
    if ((port->cmd & PxCMD_CR) != 0) {
        PORT_NOTE(port, "ST set while CR = 1 (10.3.1)");
    }
    if ((port->tfd & (TFD_BSY | TFD_DRQ)) != 0 || (port->ssts & PxSSTS_DET_MASK) != PxSSTS_DET_UP) {
        PORT_NOTE(port, "ST set with PxTFD %04Xh, PxSSTS %03Xh (10.3.1)", port->tfd, port->ssts);
    }
    port->cmd |= PxCMD_ST;
    port->fatal = false;
    sim_hba_later(port, port->hba->config.engine_us * NS_PER_US, HBA_EVENT_CR_SET);
}

/* Does an engine refuse to stop this time? */
static bool sticks(struct sim_hba_port *port, enum sim_fault_what what)
{
    struct sim_occasion occasion = { .port = port->number };
    return sim_fault_strikes(port->hba->faults, what, what, &occasion) != NULL;
}

static void stop_engine(struct sim_hba_port *port)
{
    port->cmd &= ~PxCMD_ST;
    sim_engine_stop(port);
    if ((port->cmd & PxCMD_CR) != 0 && sticks(port, SIM_CR_STUCK)) {
        return;
    }
    sim_hba_later(port, port->hba->config.engine_us * NS_PER_US, HBA_EVENT_CR_CLEAR);
}

static void set_fre(struct sim_hba_port *port, bool on)
{
    uint64_t delay_ns = port->hba->config.engine_us * NS_PER_US;
    if (on) {
        if (port->fb == 0 && port->fbu == 0) {
            PORT_NOTE(port, "FRE set while PxFB = 0 (10.3.2)");
        }
        port->cmd |= PxCMD_FRE;
        sim_hba_later(port, delay_ns, HBA_EVENT_FR_SET);
        return;
    }
    if (is_running(port)) {
        PORT_NOTE(port, "FRE cleared while ST or CR = 1 (10.3.2)");
    }
    port->cmd &= ~PxCMD_FRE;
    if ((port->cmd & PxCMD_FR) == 0 || !sticks(port, SIM_FR_STUCK)) {
        sim_hba_later(port, delay_ns, HBA_EVENT_FR_CLEAR);
    }
}

static void request_clo(struct sim_hba_port *port)
{
    if ((port->hba->cap & CAP_SCLO) == 0) {
        PORT_NOTE(port, "CLO set, CAP.SCLO = 0");
        return;
    }
    if (is_running(port)) {
        PORT_NOTE(port, "CLO set while ST or CR = 1 (3.3.7)");
    }
    port->cmd |= PxCMD_CLO;
    sim_hba_later(port, NS_PER_US, HBA_EVENT_CLO);
}

static void write_icc(struct sim_hba_port *port, uint32_t icc)
{
    if ((port->cmd & PxCMD_ICC_MASK) != 0) {
        PORT_NOTE(port, "ICC written while it is not idle (3.3.7)");
    }
    port->cmd |= icc;
    sim_hba_later(port, 10 * NS_PER_US, HBA_EVENT_WAKE);
}

static void write_cmd(struct sim_hba_port *port, uint32_t value)
{
    const struct sim_hba *hba = port->hba;
    uint32_t plain = PxCMD_ATAPI | PxCMD_DLAE; /* what software may simply set */
    plain |= (hba->cap & CAP_SPM) != 0 ? PxCMD_PMA : 0;
    plain |= (hba->cap & CAP_SALP) != 0 ? PxCMD_ALPE | PxCMD_ASP : 0;
    plain |= (hba->cap2 & CAP2_APST) != 0 ? PxCMD_APSTE : 0;
    plain |= (port->cmd & PxCMD_CPD) != 0 ? PxCMD_POD : 0;
    bool spins_up =
        (hba->cap & CAP_SSS) != 0 && (value & PxCMD_SUD) != 0 && (port->cmd & PxCMD_SUD) == 0;
    plain |= (hba->cap & CAP_SSS) != 0 ? PxCMD_SUD : 0;
    uint32_t changed = value ^ port->cmd;

    /* ST goes off before everything else, and on after it. */
    if ((changed & PxCMD_ST) != 0 && (value & PxCMD_ST) == 0) {
        stop_engine(port);
    }
    if ((changed & PxCMD_FRE) != 0) {
        set_fre(port, (value & PxCMD_FRE) != 0);
    }
    port->cmd = (port->cmd & ~plain) | (value & plain);
    if ((value & PxCMD_CLO) != 0 && (port->cmd & PxCMD_CLO) == 0) {
        request_clo(port);
    }
    if ((value & PxCMD_ICC_MASK) != 0) {
        write_icc(port, value & PxCMD_ICC_MASK);
    }
    if (spins_up && (port->sctl & PxSCTL_DET_MASK) == 0 &&
        (port->ssts & PxSSTS_DET_MASK) == PxSSTS_DET_NONE) {
        sim_port_comreset(port);
    }
    if ((changed & PxCMD_ST) != 0 && (value & PxCMD_ST) != 0) {
        start_engine(port);
    }
}

void sim_port_event(struct sim_hba_port *port, enum hba_event event)
{
    switch (event) {
    case HBA_EVENT_FETCH:
        port->fetching = false;
        sim_engine_fetch(port);
        break;
    case HBA_EVENT_CR_SET:
        if ((port->cmd & PxCMD_ST) != 0) {
            port->cmd |= PxCMD_CR;
            sim_engine_fetch(port);
        }
        break;
    case HBA_EVENT_CR_CLEAR:
        if ((port->cmd & PxCMD_ST) == 0) {
            port->cmd &= ~PxCMD_CR;
        }
        break;
    case HBA_EVENT_FR_SET:
        if ((port->cmd & PxCMD_FRE) != 0) {
            port->cmd |= PxCMD_FR;
            sim_engine_post_held(port);
        }
        break;
    case HBA_EVENT_FR_CLEAR:
        if ((port->cmd & PxCMD_FRE) == 0) {
            port->cmd &= ~PxCMD_FR;
        }
        break;
    case HBA_EVENT_CLO:
        port->cmd &= ~PxCMD_CLO;
        port->tfd &= ~(TFD_BSY | TFD_DRQ);
        break;
    case HBA_EVENT_WAKE:
        if ((port->cmd & PxCMD_ICC_MASK) == PxCMD_ICC_ACTIVE &&
            (port->ssts & PxSSTS_IPM_MASK) > 1u << PxSSTS_IPM_SHIFT) {
            port->ssts = (port->ssts & PxSSTS_SPD_MASK) | 1u << PxSSTS_IPM_SHIFT | PxSSTS_DET_UP;
        }
        port->cmd &= ~PxCMD_ICC_MASK;
        break;
    }
}

/* --- the link ------------------------------------------------------------------------------------ */

static void link_lost(struct sim_hba_port *port)
{
    if ((port->ssts & PxSSTS_DET_MASK) == PxSSTS_DET_UP) {
        port->serr |= PxSERR_DIAG_N;
    }
    port->ssts = 0;
    port->held = false;
    port->unposted = false;
}

static unsigned generation_limit(const struct sim_hba_port *port)
{
    unsigned limit = (port->hba->cap & CAP_ISS_MASK) >> CAP_ISS_SHIFT;
    unsigned wanted = port->sctl >> 4 & 0xf;
    return wanted != 0 && wanted < limit ? wanted : limit;
}

void sim_port_comreset(struct sim_hba_port *port)
{
    port->awaits_signature = true;
    port->sig = SIG_NONE;
    bool spun = (port->hba->cap & CAP_SSS) == 0 || (port->cmd & PxCMD_SUD) != 0;
    if (port->connected && spun) {
        port->device.comreset(port->device.self, generation_limit(port));
    }
}

void sim_port_phy(struct sim_hba_port *port, enum sim_phy phy, unsigned generation)
{
    if ((port->sctl & PxSCTL_DET_MASK) != 0 || port->hba->resetting) {
        return; /* held in reset, or switched off */
    }
    switch (phy) {
    case SIM_PHY_NONE:
        link_lost(port);
        break;
    case SIM_PHY_SEEN:
        port->ssts = PxSSTS_DET_SEEN;
        port->serr |= PxSERR_DIAG_X;
        port->tfd |= TFD_BSY; /* 10.4.2 */
        port->awaits_signature = true;
        port->held = false;
        break;
    case SIM_PHY_UP: {
        unsigned limit = generation_limit(port);
        unsigned speed = limit != 0 && limit < generation ? limit : generation;
        port->ssts = 1u << PxSSTS_IPM_SHIFT | speed << PxSSTS_SPD_SHIFT | PxSSTS_DET_UP;
        port->serr |= PxSERR_DIAG_N;
        break;
    }
    }
}

static void write_sctl(struct sim_hba_port *port, uint32_t value)
{
    uint32_t before = port->sctl & PxSCTL_DET_MASK;
    uint32_t after = value & PxSCTL_DET_MASK;
    port->sctl = value & 0xfff;
    if (before == after) {
        return;
    }
    if ((port->cmd & PxCMD_ST) != 0) {
        PORT_NOTE(port, "PxSCTL.DET written while ST = 1 (3.3.11)");
    }
    if (after != 0) {
        link_lost(port);
        port->tfd = TFD_NONE;
        port->ssts = after == PxSSTS_DET_OFFLINE ? PxSSTS_DET_OFFLINE : 0;
        port->comreset_ns = port->hba->clock->now_ns;
        return;
    }
    if (before != PxSCTL_DET_COMRESET) {
        port->ssts = 0;
        return;
    }
    if (port->hba->clock->now_ns - port->comreset_ns < COMRESET_NS) {
        PORT_NOTE(port, "COMRESET of only %lu ns (10.4.2: 1 ms)",
                  port->hba->clock->now_ns - port->comreset_ns);
    }
    sim_port_comreset(port);
}

void sim_port_reset(struct sim_hba_port *port)
{
    sim_clock_cancel(port->hba->clock, port);
    port->fetching = false;
    port->is = port->ie = port->serr = port->sact = port->ci = port->fbs = port->devslp = 0;
    port->sctl = 0;
    port->ssts = 0;
    port->sig = SIG_NONE;
    port->tfd = TFD_NONE;
    port->held = port->unposted = port->fatal = false;
    port->awaits_signature = true;
    port->cmd = PxCMD_POD | ((port->hba->cap & CAP_SSS) != 0 ? 0 : PxCMD_SUD);
    port->last_slot = 31;
    memset(port->slot, 0, sizeof(port->slot));
}

/* --- writes ---------------------------------------------------------------------------------------- */

static void write_address(struct sim_hba_port *port, uint32_t *to, uint32_t value, uint32_t align)
{
    static const char *const names[] = {
        [0] = "PxCLB", [1] = "PxCLBU", [2] = "PxFB", [3] = "PxFBU"
    };
    size_t which = to == &port->clb ? 0 : to == &port->clbu ? 1 : to == &port->fb ? 2 : 3;
    if ((value & (align - 1)) != 0) {
        PORT_NOTE(port, "%s = %08Xh is not %u-byte aligned (3.3)", names[which], value, align);
    }
    bool list = which < 2;
    uint32_t busy = list ? PxCMD_ST | PxCMD_CR : PxCMD_FRE | PxCMD_FR;
    if ((port->cmd & busy) != 0 && value != *to) {
        PORT_NOTE(port, "%s changed while %s = 1 (10.3)", names[which],
                  list ? "ST or CR" : "FRE or FR");
    }
    *to = value & ~(align - 1);
}

static void write_serr(struct sim_hba_port *port, uint32_t value)
{
    bool opens = (port->serr & value & PxSERR_DIAG_X) != 0;
    port->serr &= ~value;
    if (opens) {
        sim_engine_release(port);
    }
}

static void write_sact(struct sim_hba_port *port, uint32_t value)
{
    if ((port->cmd & PxCMD_ST) == 0) {
        PORT_NOTE(port, "PxSACT written while ST = 0 (3.3.13)");
        return;
    }
    if ((port->sact & value) != 0) {
        PORT_NOTE(port, "PxSACT bits %08Xh set while outstanding (3.3.13)", port->sact & value);
    }
    port->sact |= value;
}

void sim_port_write(struct sim_hba_port *port, uint32_t reg, uint32_t value)
{
    bool wide = (port->hba->cap & CAP_S64A) != 0;
    switch (reg) {
    case PxCLB:
        write_address(port, &port->clb, value, 1024);
        break;
    case PxCLBU:
        write_address(port, &port->clbu, wide ? value : 0, 1);
        break;
    case PxFB:
        write_address(port, &port->fb, value, 256);
        break;
    case PxFBU:
        write_address(port, &port->fbu, wide ? value : 0, 1);
        break;
    case PxIS:
        port->is &= ~value;
        break;
    case PxIE:
        port->ie = value;
        break;
    case PxCMD:
        write_cmd(port, value);
        break;
    case PxSCTL:
        write_sctl(port, value);
        break;
    case PxSERR:
        write_serr(port, value);
        break;
    case PxSACT:
        write_sact(port, value);
        break;
    case PxCI:
        sim_engine_issue(port, value);
        break;
    case PxFBS:
        if (is_running(port)) {
            PORT_NOTE(port, "PxFBS written while ST or CR = 1 (3.3.16)");
        }
        port->fbs = (port->hba->cap & CAP_FBSS) != 0 ? value & PxFBS_EN : 0;
        break;
    case PxDEVSLP:
        port->devslp = (port->hba->cap2 & CAP2_SDS) != 0 ? value : 0;
        break;
    case PxTFD:
    case PxSIG:
    case PxSSTS:
        PORT_NOTE(port, "read-only register %02Xh written", reg);
        break;
    default:
        break;
    }
}
