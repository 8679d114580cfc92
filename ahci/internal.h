/* Shared by the files of ahci/ only: register access and the one bounded wait. */
#ifndef AHCI_INTERNAL_H
#define AHCI_INTERNAL_H

#include "ahci/ahci.h"

static inline uint32_t hba_read(const struct ahci_hba *hba, uint32_t offset)
{
    return hba->plat->mmio_read32(hba->plat, &hba->pci, offset);
}

static inline void hba_write(const struct ahci_hba *hba, uint32_t offset, uint32_t value)
{
    hba->plat->mmio_write32(hba->plat, &hba->pci, offset, value);
}

static inline uint32_t port_offset(const struct ahci_port *port, uint32_t reg)
{
    return PORT_BASE + port->number * PORT_STRIDE + reg;
}

static inline uint32_t port_read(const struct ahci_port *port, uint32_t reg)
{
    return hba_read(port->hba, port_offset(port, reg));
}

static inline void port_write(const struct ahci_port *port, uint32_t reg, uint32_t value)
{
    hba_write(port->hba, port_offset(port, reg), value);
}

/* Wait until (register & mask) == value. The only place that waits for a register. OK, ERR_TIMEOUT, or ERR_GONE
 * when the register reads all ones (never use it on a register that may legally do so). */
enum err hba_wait(const struct ahci_hba *hba, uint32_t offset, uint32_t mask, uint32_t value,
                  uint32_t timeout_ms);

static inline enum err port_wait(const struct ahci_port *port, uint32_t reg, uint32_t mask,
                                 uint32_t value, uint32_t timeout_ms)
{
    return hba_wait(port->hba, port_offset(port, reg), mask, value, timeout_ms);
}

/* ST off, CR off (10.1.2 step 3). ERR_TIMEOUT, ERR_GONE. */
enum err port_engine_stop(struct ahci_port *port);

#endif
