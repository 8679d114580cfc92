/* The configuration: what baretrim.cfg and the load options say. One table of keys serves both. */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "bench/plan.h"

enum {
    CONFIG_FILE_MAX = 64 << 10, /* longer files are refused */
    CONFIG_WHY_MAX = 200,
};
#define CONFIG_FILE_NAME "baretrim.cfg"

enum log_mode {
    LOG_SCREEN, /* nothing beyond what the firmware's console does */
    LOG_SERIAL, /* the event log goes to a UART of its own */
    LOG_OFF,
};

enum exit_choice {
    EXIT_CHOICE_MENU,
    EXIT_CHOICE_REBOOT,
    EXIT_CHOICE_POWEROFF,
};

struct config {
    const struct plan *plan;  /* NULL: none named, the menu decides */
    char target[64];          /* "SERIAL" or "SERIAL@bus:dev.fn/port"; empty: none */
    char confirmed[21];       /* the serial number behind the word ERASE; empty: none */
    uint64_t max_write_bytes; /* 0: the plan's own cost */
    uint32_t settle_s;
    enum log_mode log;
    enum exit_choice exit;
    uint32_t given; /* bit n: key n of the table was given by the text parsed last */
};

/* The defaults. */
void config_init(struct config *c);

/* Parse `key = value` lines. A line that begins with '#' is a comment, and so is the rest of a line from a '#' that
 * has blanks around it. A value may stand in double quotes. False: `why` (CONFIG_WHY_MAX) names the first fault and its
 * line; the rest was read all the same, so that `exit` and `serial` are honoured wherever they stand, but *c must not
 * start a plan. */
bool config_parse_file(struct config *c, const char *text, size_t bytes, char *why);

/* Parse load options: `key=value` words, the value may stand in double quotes. Words that loaders add are passed over:
 * a first word without '=', BOOT_IMAGE, BOOTIF, ip, initrd, auto. Options replace what the file said, key by key. */
bool config_parse_options(struct config *c, const char *options, char *why);

/* Does it all fit together? A plan needs a target; one that writes also `confirm` with the target's serial number. */
bool config_check(const struct config *c, char *why);

#endif
