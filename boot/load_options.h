/* The load options a UEFI loader left, as plain text. */
#ifndef BOOT_LOAD_OPTIONS_H
#define BOOT_LOAD_OPTIONS_H

#include "lib/util.h"

/* Turn raw[0..bytes) into 7-bit text in out[cap], always terminated (cap >= 1). Takes UCS-2 with or without
 * byte order mark and terminator, an odd byte at the end, and plain 8-bit text (what a Boot#### variable
 * holds as optional data). Tabs and line ends become spaces, other things outside 20h..7Eh '?'. Returns
 * true when the text was longer than the buffer and was cut. `raw` may be NULL when bytes is 0. */
bool load_options_text(const void *raw, size_t bytes, char *out, size_t cap);

#endif
