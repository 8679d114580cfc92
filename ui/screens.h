/* What a person sees: pure views of the inventory and the report. Nothing here decides anything. */
#ifndef UI_SCREENS_H
#define UI_SCREENS_H

#include "bench/inventory.h"
#include "bench/run.h"
#include "ui/console.h"

/* The list of controllers and ports. Drives that can be looked at carry a number from 1, in the order of inv->port
 * with `identified`; screen_choice() turns the number back. */
void screen_inventory(struct console *con, const struct inventory *inv);
const struct inventory_port *screen_choice(const struct inventory *inv, unsigned number);
/* How many drives can be a target. */
unsigned screen_targets(const struct inventory *inv);

/* One drive's identity and state. */
void screen_drive(struct console *con, const struct inventory *inv,
                  const struct inventory_port *port);

/* A line for each plan: key, what it does, what it costs on this drive. */
void screen_plans(struct console *con, const struct inventory_port *port);

/* Before a plan that writes: what will be lost, what it costs. */
void screen_warning(struct console *con, const struct inventory *inv,
                    const struct inventory_port *port, const struct plan *plan,
                    bool boot_medium_on_controller);

/* One line on how far a run is. */
void screen_progress_text(const struct run *run, char *buf, size_t cap);

/* The result, whole. `saved`: where the report is, or why not. */
void screen_result(struct console *con, const struct report *r, const char *saved, bool saved_well);

/* "16.0 GB"; below 1 kB "512 bytes". */
void size_text(uint64_t bytes, char *buf, size_t cap);

#endif
