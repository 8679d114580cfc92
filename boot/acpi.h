/* The few ACPI facts a platform needs, read from the tables in memory. */
#ifndef BOOT_ACPI_H
#define BOOT_ACPI_H

#include "lib/util.h"

/* The I/O port of the power management timer (ACPI 6.4 4.8.3.3), found from a root pointer of either
 * version. 0: no such timer, or tables that make no sense. `rsdp` may be NULL. */
uint16_t acpi_pm_timer_port(const void *rsdp);

/* The table at this address when it looks like one with this signature, else NULL. */
const uint8_t *acpi_table(uint64_t address, const char *signature);

/* The Fixed ACPI Description Table, from a root pointer of either version. NULL: none to be found. `rsdp`
 * may be NULL. */
const uint8_t *acpi_fadt(const void *rsdp);

#endif
