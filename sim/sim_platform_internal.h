/* Shared by the files of the host's platform only. */
#ifndef SIM_SIM_PLATFORM_INTERNAL_H
#define SIM_SIM_PLATFORM_INTERNAL_H

#include "sim/sim_platform.h"

#define PCI_COMMAND_MEMORY 0x0002u
#define PCI_COMMAND_MASTER 0x0004u
#define PCI_COMMAND_INTX   0x0400u

static inline struct sim_platform *sim_of(struct platform *p)
{
    return (struct sim_platform *)p;
}

static inline struct sim_function *function_of(const struct pci_function *f)
{
    return f->handle;
}

/* Something other than looking was done. */
void sim_platform_busy(struct sim_platform *plat);

/* DMA memory. */
void sim_platform_init_dma(struct sim_platform *plat);
void sim_platform_free_dma(struct sim_platform *plat);
/* The buffer, live or freed, that holds all these bytes; NULL: none. */
struct sim_buffer *sim_buffer_at(struct sim_platform *plat, uint64_t address, size_t bytes);

/* Console, keys, serial line, files, exit. */
void sim_platform_init_io(struct sim_platform *plat);
void sim_platform_free_io(struct sim_platform *plat);

#endif
