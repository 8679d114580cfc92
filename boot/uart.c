/* The 16550 UART (National Semiconductor PC16550D data sheet), as much of it as printing needs. */
#include "boot/uart.h"

#include "boot/port_io.h"

/* clang-format off */
#define UART_THR 0u /* transmit holding register */
#define UART_DLL 0u /* divisor, low byte, while LCR_DLAB is set */
#define UART_IER 1u
#define UART_DLM 1u /* divisor, high byte, while LCR_DLAB is set */
#define UART_IIR 2u /* read */
#define UART_FCR 2u /* write */
#define UART_LCR 3u
#define UART_MCR 4u
#define UART_LSR 5u
#define UART_SCR 7u

#define LCR_8N1   0x03u
#define LCR_DLAB  0x80u
#define FCR_ON    0x01u
#define FCR_CLEAR 0x06u /* both FIFOs */
#define IIR_FIFO  0xc0u /* both bits: a FIFO that works (16550A) */
#define MCR_DTR   0x01u
#define MCR_RTS   0x02u
#define LSR_THRE  0x20u
/* clang-format on */

enum {
    UART_DIVISOR_115200 = 1, /* 1.8432 MHz / 16 / 115200 */
    UART_FIFO_BYTES = 16,
    UART_POLL_US = 10,
    UART_DRAIN_US = 50000, /* 16 bytes take 1.4 ms */
};

const uint16_t uart_port[UART_PORTS] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

bool uart_probe(uint16_t port)
{
    static const uint8_t pattern[] = { 0x5a, 0xa5, 0x00 };
    uint8_t saved = inb((uint16_t)(port + UART_SCR));
    bool answers = true;

    for (size_t i = 0; i < ARRAY_LEN(pattern); i++) {
        outb((uint16_t)(port + UART_SCR), pattern[i]);
        /* Another port in between, so that a value left floating on the bus is not taken for an answer. */
        (void)inb((uint16_t)(port + UART_LSR));
        answers &= inb((uint16_t)(port + UART_SCR)) == pattern[i];
    }
    outb((uint16_t)(port + UART_SCR), saved);
    /* No UART has all status bits set for good. */
    return answers && inb((uint16_t)(port + UART_LSR)) != 0xff;
}

void uart_open(struct uart *uart, uint16_t port)
{
    outb((uint16_t)(port + UART_IER), 0);
    outb((uint16_t)(port + UART_LCR), LCR_DLAB | LCR_8N1);
    outb((uint16_t)(port + UART_DLL), UART_DIVISOR_115200);
    outb((uint16_t)(port + UART_DLM), 0);
    outb((uint16_t)(port + UART_LCR), LCR_8N1);
    outb((uint16_t)(port + UART_FCR), FCR_ON | FCR_CLEAR);
    /* OUT2 stays low: it would connect the interrupt line. */
    outb((uint16_t)(port + UART_MCR), MCR_DTR | MCR_RTS);

    uart->port = port;
    uart->stuck = false;
    uart->fifo_bytes =
        (inb((uint16_t)(port + UART_IIR)) & IIR_FIFO) == IIR_FIFO ? UART_FIFO_BYTES : 1;
}

static bool uart_wait_empty(const struct uart *uart, struct platform *plat)
{
    for (unsigned us = 0; us <= UART_DRAIN_US; us += UART_POLL_US) {
        if (inb((uint16_t)(uart->port + UART_LSR)) & LSR_THRE) {
            return true;
        }
        plat->stall_us(plat, UART_POLL_US);
    }
    return false;
}

void uart_write(struct uart *uart, struct platform *plat, const char *data, size_t bytes)
{
    while (bytes > 0 && uart->port != 0 && !uart->stuck) {
        if (!uart_wait_empty(uart, plat)) {
            uart->stuck = true;
            return;
        }
        for (unsigned room = uart->fifo_bytes; room > 0 && bytes > 0; room--, bytes--) {
            outb((uint16_t)(uart->port + UART_THR), (uint8_t)*data++);
        }
    }
}
