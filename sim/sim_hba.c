/* The controller as a whole: global registers, reset, BIOS handoff, start state. */
#include "sim/sim_hba.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim_hba_internal.h"

void sim_hba_note(struct sim_hba_port *port, const char *fmt, ...)
{
    char text[SIM_JUDGE_LINE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    sim_judge_note(port->hba->judge, "port %u: %s", port->number, text);
}

static void port_event(void *context, uint64_t event)
{
    sim_port_event(context, (enum hba_event)event);
}

void sim_hba_later(struct sim_hba_port *port, uint64_t ns, enum hba_event event)
{
    sim_clock_after(port->hba->clock, ns, port_event, port, event);
}

/* --- global registers ----------------------------------------------------------------------- */

static void reset_done(void *context, uint64_t unused)
{
    struct sim_hba *hba = context;
    (void)unused;
    hba->resetting = false;
    hba->ghc = (hba->cap & CAP_SAM) != 0 ? GHC_AE : 0;
    hba->ae_writes = 0;
    hba->is = 0;
    for (unsigned i = 0; i < PORT_MAX; i++) {
        struct sim_hba_port *port = &hba->port[i];
        if (port->implemented) {
            sim_port_comreset(port);
        }
    }
}

static void reset_begin(struct sim_hba *hba)
{
    struct sim_occasion occasion = { 0 };
    hba->resets++;
    hba->resetting = true;
    hba->ghc |= GHC_HR;
    for (unsigned i = 0; i < PORT_MAX; i++) {
        sim_port_reset(&hba->port[i]);
    }
    if (sim_fault_strikes(hba->faults, SIM_HR_STUCK, SIM_HR_STUCK, &occasion) == NULL) {
        sim_clock_after(hba->clock, hba->config.reset_us * NS_PER_US, reset_done, hba, 0);
    }
}

static void write_ghc(struct sim_hba *hba, uint32_t value)
{
    if ((value & GHC_HR) != 0) {
        if ((hba->ghc & GHC_AE) == 0) {
            sim_judge_note(hba->judge, "GHC.HR set while GHC.AE = 0 (10.4.3)");
        }
        reset_begin(hba);
        return;
    }
    uint32_t ae = value & GHC_AE;
    if (ae != 0 && (hba->ghc & GHC_AE) == 0) {
        const struct sim_fault *fault = sim_fault_find(hba->faults, SIM_AE_NEEDS, 0);
        hba->ae_writes++;
        if (fault != NULL && hba->ae_writes < fault->value) {
            ae = 0;
        }
    }
    hba->ghc = ae | (value & GHC_IE);
}

static void handoff_done(void *context, uint64_t unused)
{
    struct sim_hba *hba = context;
    (void)unused;
    hba->bohc &= ~BOHC_BOS;
}

static void write_bohc(struct sim_hba *hba, uint32_t value)
{
    if ((hba->cap2 & CAP2_BOH) == 0) {
        sim_judge_note(hba->judge, "BOHC written, CAP2.BOH = 0");
        return;
    }
    if ((value & BOHC_OOS) != 0 && (hba->bohc & BOHC_OOS) == 0 &&
        hba->config.handoff_us != UINT64_MAX) {
        sim_clock_after(hba->clock, hba->config.handoff_us * NS_PER_US, handoff_done, hba, 0);
    }
    hba->bohc = (hba->bohc & BOHC_BOS) | (value & (BOHC_OOS | BOHC_SOOE));
}

/* Is this access the one from which on the controller reads all ones? */
static bool is_gone(struct sim_hba *hba)
{
    struct sim_occasion occasion = { 0 };
    if (!hba->gone && hba->faults->count > 0 &&
        sim_fault_strikes(hba->faults, SIM_ALL_ONES, SIM_ALL_ONES, &occasion) != NULL) {
        hba->gone = true;
    }
    return hba->gone;
}

static uint32_t pending_ports(struct sim_hba *hba)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        struct sim_hba_port *port = &hba->port[i];
        if (port->implemented && (sim_port_read(port, PxIS) & port->ie) != 0) {
            hba->is |= 1u << i;
        }
    }
    return hba->is;
}

static uint32_t read_global(struct sim_hba *hba, uint32_t offset)
{
    switch (offset) {
    case HBA_CAP:
        return hba->cap;
    case HBA_GHC:
        return hba->ghc;
    case HBA_IS:
        return pending_ports(hba);
    case HBA_PI:
        return hba->pi;
    case HBA_VS:
        return hba->vs;
    case HBA_CCC_CTL:
        return hba->ccc_ctl;
    case HBA_CAP2:
    case HBA_BOHC:
        if (hba->vs < VS_1_2) {
            sim_judge_note(hba->judge, "register %02Xh read: reserved before AHCI 1.2", offset);
            return 0;
        }
        return offset == HBA_CAP2 ? hba->cap2 : hba->bohc;
    default:
        return 0;
    }
}

static void write_global(struct sim_hba *hba, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case HBA_GHC:
        write_ghc(hba, value);
        break;
    case HBA_IS:
        hba->is &= ~value;
        break;
    case HBA_CCC_CTL:
        hba->ccc_ctl = value;
        break;
    case HBA_BOHC:
        write_bohc(hba, value);
        break;
    case HBA_CAP:
    case HBA_PI:
        break; /* write-once for the firmware, which had its turn */
    default:
        sim_judge_note(hba->judge, "global register %02Xh written", offset);
        break;
    }
}

static struct sim_hba_port *port_at(struct sim_hba *hba, uint32_t offset)
{
    if (offset < PORT_BASE || offset >= PORT_BASE + PORT_MAX * PORT_STRIDE) {
        return NULL;
    }
    return &hba->port[(offset - PORT_BASE) / PORT_STRIDE];
}

uint32_t sim_hba_read(struct sim_hba *hba, uint32_t offset)
{
    hba->reads++;
    if (is_gone(hba)) {
        return UINT32_MAX;
    }
    struct sim_hba_port *port = port_at(hba, offset);
    if (port != NULL) {
        return port->implemented ? sim_port_read(port, (offset - PORT_BASE) % PORT_STRIDE) : 0;
    }
    return offset < PORT_BASE ? read_global(hba, offset) : 0;
}

void sim_hba_write(struct sim_hba *hba, uint32_t offset, uint32_t value)
{
    hba->writes++;
    if (is_gone(hba)) {
        return;
    }
    if (hba->resetting) {
        sim_judge_note(hba->judge, "register %03Xh written during an HBA reset", offset);
        return;
    }
    struct sim_hba_port *port = port_at(hba, offset);
    if (port == NULL) {
        if (offset < PORT_BASE) {
            write_global(hba, offset, value);
        }
        return;
    }
    if (!port->implemented) {
        sim_judge_note(hba->judge, "register %03Xh written: PI does not name port %u", offset,
                       port->number);
        return;
    }
    if ((hba->ghc & GHC_AE) == 0) {
        sim_judge_note(hba->judge, "register %03Xh written while GHC.AE = 0 (3.1.2)", offset);
        return;
    }
    sim_port_write(port, (offset - PORT_BASE) % PORT_STRIDE, value);
}

/* --- construction ---------------------------------------------------------------------------- */

static void set_defaults(struct sim_hba_config *c)
{
    if (!c->exact) {
        c->cap = c->cap == 0 ? 0xe730ff65 : c->cap;
        c->pi = c->pi == 0 ? 0x3f : c->pi;
        c->vs = c->vs == 0 ? VS_1_3 : c->vs;
    }
    if (c->bios_owned) {
        c->cap2 |= CAP2_BOH;
    }
    c->bar_bytes = c->bar_bytes == 0 ? 2048 : c->bar_bytes;
    c->handoff_us = c->handoff_us == 0 ? 100 : c->handoff_us;
    c->fetch_ns = c->fetch_ns == 0 ? 500 : c->fetch_ns;
    c->engine_us = c->engine_us == 0 ? 2 : c->engine_us;
    c->reset_us = c->reset_us == 0 ? 1000 : c->reset_us;
}

void sim_hba_init(struct sim_hba *hba, const struct sim_hba_config *config, struct sim_clock *clock,
                  struct sim_judge *judge, struct sim_faults *faults, const struct sim_bus *bus)
{
    memset(hba, 0, sizeof(*hba));
    hba->config = *config;
    set_defaults(&hba->config);
    hba->clock = clock;
    hba->judge = judge;
    hba->faults = faults;
    hba->bus = *bus;
    hba->cap = hba->config.cap;
    hba->cap2 = hba->config.cap2;
    hba->pi = hba->config.pi;
    hba->vs = hba->config.vs;
    hba->ghc = hba->config.ae_off ? 0 : GHC_AE;
    hba->bohc = hba->config.bios_owned ? BOHC_BOS : 0;
    for (unsigned i = 0; i < PORT_MAX; i++) {
        struct sim_hba_port *port = &hba->port[i];
        port->hba = hba;
        port->number = i;
        port->implemented = (hba->pi >> i & 1) != 0;
        sim_port_reset(port);
    }
}

void sim_hba_free(struct sim_hba *hba)
{
    if (hba->clock == NULL) {
        return;
    }
    sim_clock_cancel(hba->clock, hba);
    for (unsigned i = 0; i < PORT_MAX; i++) {
        sim_clock_cancel(hba->clock, &hba->port[i]);
    }
    while (hba->late != NULL) {
        struct sim_late *late = hba->late;
        sim_clock_cancel(hba->clock, late);
        hba->late = late->next;
        free(late);
    }
    hba->clock = NULL; /* the registers stay as they were, to be looked at */
}

static void host_receive(void *self, const uint8_t *fis, size_t bytes)
{
    sim_engine_frame(self, fis, bytes);
}

static bool host_data_in(void *self, const uint8_t *data, size_t bytes)
{
    return sim_engine_data(self, (uint8_t *)(uintptr_t)data, bytes, true);
}

static bool host_data_out(void *self, uint8_t *data, size_t bytes)
{
    return sim_engine_data(self, data, bytes, false);
}

static void host_phy(void *self, enum sim_phy phy, unsigned generation)
{
    sim_port_phy(self, phy, generation);
}

struct sim_host sim_hba_host(struct sim_hba *hba, unsigned port)
{
    return (struct sim_host){ .self = &hba->port[port],
                              .receive = host_receive,
                              .data_in = host_data_in,
                              .data_out = host_data_out,
                              .phy = host_phy };
}

void sim_hba_connect(struct sim_hba *hba, unsigned port, const struct sim_device *device)
{
    hba->port[port].device = *device;
    hba->port[port].connected = true;
}

static void start_port(struct sim_hba_port *port)
{
    const struct sim_hba_config *c = &port->hba->config;
    port->serr = 0;
    sim_engine_release(port);
    port->unposted = false;
    port->is = 0;
    bool linked = (port->ssts & PxSSTS_DET_MASK) != PxSSTS_DET_NONE;
    if (linked) {
        port->cmd |= PxCMD_SUD;
    }
    if (c->start == SIM_START_UNTOUCHED || c->start == SIM_START_COLD) {
        port->sig = SIG_NONE;
        port->tfd = TFD_NONE;
        return;
    }
    uint64_t memory = c->firmware_bus + (uint64_t)port->number * 4096;
    port->clb = (uint32_t)memory;
    port->fb = (uint32_t)memory + 1024;
    switch (c->start) {
    case SIM_START_RUNNING:
        port->cmd |= PxCMD_FRE | PxCMD_FR;
        if (linked) {
            port->cmd |= PxCMD_ST | PxCMD_CR;
        }
        break;
    case SIM_START_PARTIAL:
        if (linked) {
            port->ssts = 0x231;
        }
        break;
    case SIM_START_GARBAGE:
        port->clbu = 0xdeadbeef;
        port->fbu = 0xfeedface;
        break;
    default:
        break;
    }
}

void sim_hba_start_state(struct sim_hba *hba)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        if (hba->port[i].implemented) {
            start_port(&hba->port[i]);
        }
    }
}
