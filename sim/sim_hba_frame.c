/* Frames from the drive: where each is posted, what it does to the registers. Section numbers are
 * AHCI 1.3.1's. */
#include "sim/sim_hba_internal.h"

#define FRAME_INTERRUPT 0x40u /* bit I of a frame's second byte */

/* --- frames from the drive ------------------------------------------------------------------------------ */

static void post(struct sim_hba_port *port, uint32_t offset, const uint8_t *fis, size_t bytes)
{
    if ((port->cmd & PxCMD_FR) != 0) {
        sim_bus_write(port, sim_join(port->fb, port->fbu) + offset, fis, bytes);
    }
}

static void take_signature(struct sim_hba_port *port, const uint8_t *fis)
{
    port->awaits_signature = false;
    port->tfd = (uint32_t)fis[3] << PxTFD_ERR_SHIFT | fis[2];
    port->sig = (uint32_t)fis[6] << 24 | (uint32_t)fis[5] << 16 | (uint32_t)fis[4] << 8 | fis[12];
    memcpy(port->held_fis, fis, sizeof(port->held_fis));
    if ((port->cmd & PxCMD_FR) != 0) {
        post(port, RFIS_RFIS, fis, FIS_H2D_BYTES);
    } else {
        port->unposted = true; /* stays in the controller until FRE is set (10.3.2) */
    }
    sim_engine_schedule(port);
}

void sim_engine_release(struct sim_hba_port *port)
{
    if (port->held) {
        port->held = false;
        take_signature(port, port->held_fis);
    }
    sim_engine_schedule(port);
}

void sim_engine_post_held(struct sim_hba_port *port)
{
    if (port->unposted) {
        port->unposted = false;
        post(port, RFIS_RFIS, port->held_fis, FIS_H2D_BYTES);
    }
}

static void take_register(struct sim_hba_port *port, const uint8_t *fis)
{
    post(port, RFIS_RFIS, fis, FIS_H2D_BYTES);
    port->tfd = (uint32_t)fis[3] << PxTFD_ERR_SHIFT | fis[2];
    if ((fis[1] & FRAME_INTERRUPT) != 0) {
        port->is |= PxIS_DHRS;
    }
    if ((fis[2] & TFD_ERR) != 0) {
        sim_engine_fatal(port, PxIS_TFES);
    } else if ((fis[2] & (TFD_BSY | TFD_DRQ)) == 0) {
        sim_engine_retire(port);
    }
}

static void take_device_bits(struct sim_hba_port *port, const uint8_t *fis)
{
    uint32_t done = get_le32(fis + 4) & port->sact;
    for (unsigned i = 0; i < 32; i++) {
        if ((done >> i & 1) != 0) {
            sim_engine_end(port, i);
        }
    }
    post(port, RFIS_SDBFIS, fis, 8);
    port->tfd = (port->tfd & 0x88) | (uint32_t)fis[3] << PxTFD_ERR_SHIFT | (fis[2] & 0x77);
    port->sact &= ~done;
    if ((fis[1] & FRAME_INTERRUPT) != 0) {
        port->is |= PxIS_SDBS;
    }
    if ((fis[2] & TFD_ERR) != 0) {
        sim_engine_fatal(port, PxIS_TFES);
    }
}

static void take_dma_setup(struct sim_hba_port *port, const uint8_t *fis, size_t bytes)
{
    unsigned tag = fis[4] & 0x1f;
    post(port, RFIS_DSFIS, fis, bytes);
    if ((port->sact >> tag & 1) == 0 || !port->slot[tag].sent) {
        PORT_NOTE(port, "the drive moves data of tag %u, which the driver no longer knows", tag);
        sim_engine_fatal(port, PxIS_IFS);
        return;
    }
    port->data_slot = tag;
}

void sim_engine_frame(struct sim_hba_port *port, const uint8_t *fis, size_t bytes)
{
    if (!sim_port_linked(port) || port->hba->resetting || port->hba->gone) {
        return;
    }
    switch (fis[0]) {
    case FIS_REG_D2H:
        if (!port->awaits_signature) {
            take_register(port, fis);
        } else if ((port->serr & PxSERR_DIAG_X) != 0) {
            port->held = true;
            memcpy(port->held_fis, fis, sizeof(port->held_fis));
        } else {
            take_signature(port, fis);
        }
        break;
    case FIS_SDB:
        take_device_bits(port, fis);
        break;
    case FIS_PIO_SETUP:
        post(port, RFIS_PSFIS, fis, FIS_H2D_BYTES);
        port->tfd = (uint32_t)fis[3] << PxTFD_ERR_SHIFT | fis[2];
        port->pio_end_status = fis[15];
        port->pio_left = get_le16(fis + 16);
        port->pio_interrupt = (fis[1] & FRAME_INTERRUPT) != 0;
        break;
    case FIS_DMA_SETUP:
        take_dma_setup(port, fis, bytes);
        break;
    default:
        sim_engine_fatal(port, PxIS_UFS);
        break;
    }
}
