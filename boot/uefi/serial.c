/* The event log's UART, driven directly: the firmware's own serial protocol belongs to its console. */
#include "boot/uefi/uefi.h"

#include "lib/text.h"

/* Bit n set: the firmware's console uses COM(n+1), as far as its device paths tell. */
static unsigned serial_console_ports(const struct uefi *u)
{
    EFI_HANDLE *handles;
    size_t count = uefi_handles(u, &uefi_guid_serial_io, &handles);
    unsigned used = 0;

    for (size_t i = 0; i < count; i++) {
        if (!uefi_has_driver(u, handles[i], &uefi_guid_serial_io)) {
            continue; /* known to the firmware, but nothing runs on it */
        }
        int com = devpath_com_index(uefi_protocol(u, handles[i], &uefi_guid_device_path));
        if (com >= 0) {
            used |= 1u << com;
        } else if (com == -2) {
            /* A console on a port that is not told; it is COM1 wherever that was found out. */
            used |= 1u << 0;
        }
    }
    uefi_free(u, handles);
    return used;
}

static enum err uefi_serial_open(struct platform *p, char *why, size_t why_bytes)
{
    struct uefi *u = uefi_of(p);
    unsigned used = serial_console_ports(u);
    bool any = false;

    for (unsigned i = 0; i < UART_PORTS; i++) {
        if (!uart_probe(uart_port[i])) {
            continue;
        }
        any = true;
        if (!(used & 1u << i)) {
            uart_open(&u->uart, uart_port[i]);
            return OK;
        }
    }
    if (!any) {
        text_print(why, why_bytes, "This machine has no serial port at 3F8h, 2F8h, 3E8h or 2E8h.");
        return ERR_NOT_FOUND;
    }
    text_print(why, why_bytes, "The firmware's console uses every serial port of this machine.");
    return ERR_BUSY;
}

static void uefi_serial_write(struct platform *p, const char *data, size_t bytes)
{
    uart_write(&uefi_of(p)->uart, p, data, bytes);
}

void uefi_serial_init(struct uefi *u)
{
    u->plat.serial_open = uefi_serial_open;
    u->plat.serial_write = uefi_serial_write;
}
