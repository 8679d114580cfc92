/* The one error vocabulary of the core. A function returns OK or one of these; output parameters
 * are untouched on error. Each public header says which of them a function can return and what
 * the caller can do about it. */
#ifndef LIB_ERR_H
#define LIB_ERR_H

enum err {
    OK = 0,
    ERR_INVALID,     /* an argument or an input text makes no sense; nothing was done */
    ERR_NOT_FOUND,   /* the named thing does not exist */
    ERR_UNSUPPORTED, /* this platform, controller or drive cannot do it */
    ERR_REFUSED,     /* the write gate said no; nothing was sent to the drive */
    ERR_NO_MEMORY,   /* the arena or the firmware has no room left */
    ERR_TIMEOUT,     /* a deadline passed; the port needs recovery */
    ERR_LINK,        /* no link to a device on this port */
    ERR_GONE,        /* registers read all ones: controller or BAR is gone */
    ERR_DEVICE,      /* the drive ended the command with an error status */
    ERR_BUS,         /* the controller reported a fatal host or interface error */
    ERR_DATA,        /* a read ended well but its data never (or not wholly) arrived */
    ERR_CHANGED,     /* the drive behind the port may be another one now */
    ERR_BUSY,        /* something else is in the way; may be tried again */
    ERR_NO_SPACE,    /* the medium is full */
    ERR_READ_ONLY,   /* the medium is write-protected */
    ERR_IO,          /* the firmware's file or block service failed */
    ERR_CANCELLED,   /* the user said stop */
    ERR_COUNT
};

/* A short English name ("timeout", "link down"); never NULL, also for values out of range. */
const char *err_name(enum err err);

#endif
