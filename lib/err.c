/* Names of the error vocabulary. */
#include "lib/err.h"

#include "lib/util.h"

static const char *const names[] = {
    [OK] = "ok",
    [ERR_INVALID] = "invalid",
    [ERR_NOT_FOUND] = "not found",
    [ERR_UNSUPPORTED] = "not supported",
    [ERR_REFUSED] = "refused by the write gate",
    [ERR_NO_MEMORY] = "out of memory",
    [ERR_TIMEOUT] = "timed out",
    [ERR_LINK] = "no link",
    [ERR_GONE] = "device gone",
    [ERR_DEVICE] = "device error",
    [ERR_BUS] = "bus error",
    [ERR_DATA] = "data never arrived",
    [ERR_CHANGED] = "drive changed",
    [ERR_BUSY] = "busy",
    [ERR_NO_SPACE] = "medium full",
    [ERR_READ_ONLY] = "medium write-protected",
    [ERR_IO] = "firmware I/O error",
    [ERR_CANCELLED] = "cancelled",
};
_Static_assert(ARRAY_LEN(names) == ERR_COUNT, "one name an error");

const char *err_name(enum err err)
{
    return (unsigned)err < ARRAY_LEN(names) ? names[err] : "unknown error";
}
