/* UEFI device paths (UEFI 2.10 10) as bytes: which disk a path leads to, and the one question nothing else
 * in the program may get wrong, whether a port holds the boot medium. Pure functions, no firmware call. */
#ifndef BOOT_DEVPATH_H
#define BOOT_DEVPATH_H

#include "boot/platform.h"

enum { DEVPATH_BYTES_MAX = 1024 };

/* Length of a path with its end node. 0: NULL, malformed, or longer than DEVPATH_BYTES_MAX. The other
 * functions take such a path as one that leads nowhere. */
size_t devpath_bytes(const void *path);

bool devpath_equal(const void *a, const void *b);

/* Does the path name the whole disk (no partition) right behind this port of the controller? */
bool devpath_is_disk(const void *path, const void *controller, unsigned port);

/* Is the boot medium, whose path is `boot` (NULL: not known), behind this port / this controller? UNKNOWN
 * whenever the path does not tell: no path, a path through the controller that names no port, or a path
 * that starts from no hardware (a virtual disk may lie on any real one). */
enum boot_medium devpath_boot_port(const void *boot, const void *controller, unsigned port);
enum boot_medium devpath_boot_controller(const void *boot, const void *controller);

/* Which legacy serial port a path names: 0..3 for COM1..COM4 (its ACPI node PNP0501 with that UID), -1 for
 * none of them (a card on another bus), -2 when it is a serial port without telling which. */
int devpath_com_index(const void *path);

#endif
