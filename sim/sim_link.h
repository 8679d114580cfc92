/* The cable between a controller model and a drive model: frames (FIS) and the state of the link. Neither
 * end knows more of the other than this. */
#ifndef SIM_SIM_LINK_H
#define SIM_SIM_LINK_H

#include "lib/util.h"

enum sim_phy {
    SIM_PHY_NONE, /* nothing answers */
    SIM_PHY_SEEN, /* COMINIT: something is there */
    SIM_PHY_UP,   /* communication established */
};

/* The host's end, as the drive sees it. */
struct sim_host {
    void *self;
    /* A frame other than data arrives at the host. */
    void (*receive)(void *self, const uint8_t *fis, size_t bytes);
    /* Data of the command in progress (for queued ones: of the last DMA Setup frame). False: the host does not
     * take it; the drive drops the transfer. */
    bool (*data_in)(void *self, const uint8_t *data, size_t bytes);
    bool (*data_out)(void *self, uint8_t *data, size_t bytes);
    /* The link changed; generation 1..3 with SIM_PHY_UP. */
    void (*phy)(void *self, enum sim_phy phy, unsigned generation);
};

/* The drive's end, as the host sees it. */
struct sim_device {
    void *self;
    void (*receive)(void *self, const uint8_t *fis, size_t bytes); /* Register H2D */
    /* COMRESET ended on the wire. The device answers by host->phy() and its signature. */
    void (*comreset)(void *self, unsigned generation_limit);
};

#endif
