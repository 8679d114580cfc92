/* A 16550-compatible UART at one of the PC's four legacy ports, output only, by polling. Shared by
 * the platforms; whether a port is free to use is each platform's own question. */
#ifndef BOOT_UART_H
#define BOOT_UART_H

#include "boot/platform.h"

enum { UART_PORTS = 4 };

/* I/O addresses of COM1..COM4. */
extern const uint16_t uart_port[UART_PORTS];

struct uart {
    uint16_t port;       /* 0: not open, writes are dropped */
    unsigned fifo_bytes; /* bytes it takes at once when empty */
    bool stuck;          /* it stopped draining: off for good */
};

/* Does a UART answer at this address? Tells by its scratch register, which is put back. Under 0.1 ms. */
bool uart_probe(uint16_t port);

/* Set it up for 115200 8N1, no interrupts, FIFO on where there is one. */
void uart_open(struct uart *uart, uint16_t port);

/* Send bytes as they are. Waits at most 50 ms for room; when none comes the UART stays off. Uses
 * stall_us() of the platform, so it works before any clock does. */
void uart_write(struct uart *uart, struct platform *plat, const char *data, size_t bytes);

#endif
