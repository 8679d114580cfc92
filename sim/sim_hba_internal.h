/* Shared by the files of the controller model only. */
#ifndef SIM_SIM_HBA_INTERNAL_H
#define SIM_SIM_HBA_INTERNAL_H

#include "sim/sim_hba.h"

#define TFD_BSY  0x80u
#define TFD_DRQ  0x08u
#define TFD_ERR  0x01u
#define TFD_NONE 0x7fu /* PxTFD while no device has spoken (3.3.8) */

enum hba_event {
    HBA_EVENT_FETCH,
    HBA_EVENT_CR_SET,
    HBA_EVENT_CR_CLEAR,
    HBA_EVENT_FR_SET,
    HBA_EVENT_FR_CLEAR,
    HBA_EVENT_CLO,
    HBA_EVENT_WAKE,
};

/* Note a broken rule, with the port in front. */
#define PORT_NOTE(port, ...) sim_hba_note((port), __VA_ARGS__)
void sim_hba_note(struct sim_hba_port *port, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void sim_hba_later(struct sim_hba_port *port, uint64_t ns, enum hba_event event);

/* Port registers. */
uint32_t sim_port_read(struct sim_hba_port *port, uint32_t reg);
void sim_port_write(struct sim_hba_port *port, uint32_t reg, uint32_t value);
void sim_port_event(struct sim_hba_port *port, enum hba_event event);
void sim_port_reset(struct sim_hba_port *port);
void sim_port_phy(struct sim_hba_port *port, enum sim_phy phy, unsigned generation);
/* Send COMRESET to the device, if SUD lets it. */
void sim_port_comreset(struct sim_hba_port *port);

/* Bus memory; a failure stops the port with HBFS. */
bool sim_bus_read(struct sim_hba_port *port, uint64_t address, void *to, size_t bytes);
bool sim_bus_write(struct sim_hba_port *port, uint64_t address, const void *from, size_t bytes);
uint64_t sim_header_address(const struct sim_hba_port *port, unsigned slot);

/* Command engine. */
void sim_engine_schedule(struct sim_hba_port *port);
/* BSY and DRQ went away: the slot in progress is through (5.3.11). */
void sim_engine_retire(struct sim_hba_port *port);
/* A slot's command is complete. */
void sim_engine_end(struct sim_hba_port *port, unsigned slot);
/* Write PRDBC. */
void sim_engine_count(struct sim_hba_port *port, unsigned slot);
/* Stop until software clears ST. */
void sim_engine_fatal(struct sim_hba_port *port, uint32_t why);
void sim_engine_issue(struct sim_hba_port *port, uint32_t slots);
void sim_engine_fetch(struct sim_hba_port *port);
void sim_engine_stop(struct sim_hba_port *port);
void sim_engine_frame(struct sim_hba_port *port, const uint8_t *fis, size_t bytes);
/* A frame that waited: for DIAG.X to be cleared, for FRE to be set. */
void sim_engine_release(struct sim_hba_port *port);
void sim_engine_post_held(struct sim_hba_port *port);
bool sim_engine_data(struct sim_hba_port *port, uint8_t *data, size_t bytes, bool in);

static inline uint64_t sim_join(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Is the link there for frames? */
static inline bool sim_port_linked(const struct sim_hba_port *port)
{
    return (port->sctl & PxSCTL_DET_MASK) == 0 && (port->ssts & PxSSTS_DET_MASK) == PxSSTS_DET_UP;
}

#endif
