/* The controller as a whole: what it says about itself, the handoff from the BIOS, its global switches. No HBA
 * reset: it would take every other port down with it. */
#include "ahci/internal.h"

enum {
    AE_TRIES = 5, /* some parts need AE written more than once */
    AE_PAUSE_US = 10000,
    WAIT_STEP_US = 20,
};

/* Intel's NVMe remapping: vendor-specific registers inside the AHCI BAR. */
#define REMAP_BAR_BYTES   (512u << 10)
#define REMAP_VSCAP       0xa4u
#define REMAP_CAPABILITY  0x800u
#define REMAP_CLASS_FIRST 0x880u
#define REMAP_CLASS_STEP  0x80u
#define REMAP_CLASS_NVME  0x010802u
#define REMAP_SLOTS       3u

static const char *const state_texts[] = {
    [AHCI_USABLE] = "usable",
    [AHCI_NOT_AHCI] = "not an AHCI controller; BareTrim cannot test drives behind it",
    [AHCI_RAID_CLASS] =
        "RAID class: switch SATA to AHCI in the firmware set-up to test its drives (an "
        "installed system may then not start until it is switched back)",
    [AHCI_IDE_CLASS] = "IDE mode: switch SATA to AHCI in the firmware set-up to test its drives",
    [AHCI_NVME] = "NVMe, not SATA; out of BareTrim's reach",
    [AHCI_BAD_BAR] = "its register window (BAR5) is missing or too short for its ports",
    [AHCI_UNREADABLE] = "its registers read as all ones: switched off, or gone",
    [AHCI_NO_PORTS] = "it implements no port (PI = 0)",
};
_Static_assert(ARRAY_LEN(state_texts) == AHCI_STATE_COUNT, "one text a state");

const char *ahci_state_text(enum ahci_state state)
{
    return (unsigned)state < ARRAY_LEN(state_texts) ? state_texts[state] : "unknown state";
}

enum err hba_wait(const struct ahci_hba *hba, uint32_t offset, uint32_t mask, uint32_t value,
                  uint32_t timeout_ms)
{
    uint64_t deadline = hba->plat->clock_ns(hba->plat) + timeout_ms * NS_PER_MS;
    for (;;) {
        /* The clock first: a last look always follows the deadline, however long we were kept away. */
        bool late = hba->plat->clock_ns(hba->plat) >= deadline;
        uint32_t now = hba_read(hba, offset);
        if (now == UINT32_MAX) {
            return ERR_GONE;
        }
        if ((now & mask) == value) {
            return OK;
        }
        if (late) {
            return ERR_TIMEOUT;
        }
        hba->plat->stall_us(hba->plat, WAIT_STEP_US);
    }
}

static enum ahci_state state_by_class(const struct ahci_hba *hba)
{
    const struct pci_function *f = &hba->pci;
    if (hba->known != NULL && hba->known->not_ahci) {
        return AHCI_NOT_AHCI;
    }
    switch (f->class_sub) {
    case 0x06:
        return f->prog_if == 0x01 ? AHCI_USABLE : AHCI_NOT_AHCI;
    case 0x04:
        return AHCI_RAID_CLASS;
    case 0x01:
        return AHCI_IDE_CLASS;
    case 0x08:
        return AHCI_NVME;
    default:
        return AHCI_NOT_AHCI;
    }
}

static unsigned count_remapped(const struct ahci_hba *hba)
{
    unsigned found = 0;
    if (hba->pci.vendor_id != 0x8086 || hba->pci.bar5_bytes < REMAP_BAR_BYTES ||
        (hba_read(hba, REMAP_VSCAP) & 1) == 0) {
        return 0;
    }
    uint32_t slots = hba_read(hba, REMAP_CAPABILITY);
    for (unsigned i = 0; i < REMAP_SLOTS; i++) {
        uint32_t class_code = hba_read(hba, REMAP_CLASS_FIRST + i * REMAP_CLASS_STEP);
        if ((slots >> i & 1) != 0 && class_code == REMAP_CLASS_NVME) {
            found++;
        }
    }
    return found;
}

/* The implemented ports that lie inside the BAR. PI rules; only an old controller whose PI is empty is asked
 * for CAP.NP (3.1.1, 3.1.4). */
static uint32_t usable_ports(const struct ahci_hba *hba)
{
    uint32_t pi = hba->before.pi;
    if (pi == 0 && hba->before.vs < VS_1_3) {
        pi = UINT32_MAX >> (31 - (hba->before.cap & CAP_NP_MASK));
    }
    uint64_t room = (hba->pci.bar5_bytes - PORT_BASE) / PORT_STRIDE;
    return room >= PORT_MAX ? pi : pi & ((1u << room) - 1);
}

void ahci_hba_read(struct ahci_hba *hba, struct ahci_global_regs *out)
{
    out->cap = hba_read(hba, HBA_CAP);
    out->ghc = hba_read(hba, HBA_GHC);
    out->pi = hba_read(hba, HBA_PI);
    out->vs = hba_read(hba, HBA_VS);
    out->cap2 = out->vs >= VS_1_2 ? hba_read(hba, HBA_CAP2) : 0;
}

void ahci_hba_probe(struct ahci_hba *hba, struct platform *plat, const struct pci_function *pci)
{
    memset(hba, 0, sizeof(*hba));
    hba->plat = plat;
    hba->pci = *pci;
    hba->known = ahci_known_find(pci->vendor_id, pci->device_id);
    hba->state = state_by_class(hba);
    if (hba->state != AHCI_USABLE) {
        return;
    }
    if (pci->bar5_bytes < PORT_BASE + PORT_STRIDE) {
        hba->state = AHCI_BAD_BAR;
        return;
    }
    ahci_hba_read(hba, &hba->before);
    if (hba->before.cap == UINT32_MAX || hba->before.vs == UINT32_MAX) {
        hba->state = AHCI_UNREADABLE;
        return;
    }
    hba->slots = ((hba->before.cap & CAP_NCS_MASK) >> CAP_NCS_SHIFT) + 1;
    hba->ports = usable_ports(hba);
    hba->nvme_remapped = count_remapped(hba);
    if (hba->ports == 0) {
        hba->state = hba->before.pi == 0 ? AHCI_NO_PORTS : AHCI_BAD_BAR;
    }
    for (unsigned i = 0; i < PORT_MAX; i++) {
        hba->port[i].hba = hba;
        hba->port[i].number = i;
    }
}

/* BIOS/OS handoff (10.6.3), only where VS and CAP2 say it exists. */
static enum err take_from_bios(struct ahci_hba *hba)
{
    if (hba->before.vs < VS_1_2 || (hba->before.cap2 & CAP2_BOH) == 0) {
        return OK;
    }
    if ((hba_read(hba, HBA_BOHC) & BOHC_BOS) == 0) {
        return OK;
    }
    hba_write(hba, HBA_BOHC, hba_read(hba, HBA_BOHC) | BOHC_OOS);
    return hba_wait(hba, HBA_BOHC, BOHC_BOS, 0, AHCI_WAIT_HANDOFF_MS);
}

static enum err enable_ahci(struct ahci_hba *hba)
{
    for (int i = 0; i < AE_TRIES; i++) {
        uint32_t ghc = hba_read(hba, HBA_GHC);
        if (ghc == UINT32_MAX) {
            return ERR_GONE;
        }
        if ((ghc & GHC_AE) != 0) {
            return OK;
        }
        hba_write(hba, HBA_GHC, (ghc & ~GHC_HR) | GHC_AE);
        if ((hba_read(hba, HBA_GHC) & GHC_AE) == 0) {
            hba->plat->stall_us(hba->plat, AE_PAUSE_US);
        }
    }
    return (hba_read(hba, HBA_GHC) & GHC_AE) != 0 ? OK : ERR_TIMEOUT;
}

enum err ahci_hba_start(struct ahci_hba *hba)
{
    ASSERT(hba->state == AHCI_USABLE);
    if (hba_read(hba, HBA_CAP) == UINT32_MAX) {
        return ERR_GONE;
    }
    enum err err = take_from_bios(hba);
    if (err == OK) {
        err = enable_ahci(hba);
    }
    if (err != OK) {
        return err;
    }
    /* Interrupts off; we poll. Coalescing off, so that nothing is held back (11). */
    hba_write(hba, HBA_GHC, hba_read(hba, HBA_GHC) & ~(GHC_IE | GHC_HR));
    if ((hba->before.cap & CAP_CCCS) != 0) {
        hba->saved_ccc_ctl = hba_read(hba, HBA_CCC_CTL);
        hba_write(hba, HBA_CCC_CTL, hba->saved_ccc_ctl & ~CCC_CTL_EN);
    }
    hba->running = true;
    return OK;
}

void ahci_hba_stop(struct ahci_hba *hba)
{
    if (!hba->running) {
        return;
    }
    for (unsigned i = 0; i < PORT_MAX; i++) {
        ahci_port_stop(&hba->port[i]);
    }
    if ((hba->before.cap & CAP_CCCS) != 0) {
        hba_write(hba, HBA_CCC_CTL, hba->saved_ccc_ctl);
    }
    hba_write(hba, HBA_GHC, hba->before.ghc & ~GHC_HR);
    hba->running = false;
}
