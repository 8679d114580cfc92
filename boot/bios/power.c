/* The ways out: reset, soft-off, and standing still. */
#include "boot/bios/bios.h"
#include "boot/port_io.h"

enum {
    RESET_CONTROL = 0xcf9, /* Intel I/O controller hubs: RST_CNT */
    RESET_HARD = 0x02,
    RESET_GO = 0x04,
    KBC_STATUS = 0x64,
    KBC_INPUT_FULL = 0x02,
    KBC_PULSE_RESET = 0xfe,
    KBC_TRIES = 1000,
};

/* PM1 control register (ACPI 6.4, 4.8.3.2.1). */
enum {
    PM1_SCI_EN = 0x0001,
    PM1_SLP_TYP_SHIFT = 10,
    PM1_SLP_TYP_MASK = 7 << PM1_SLP_TYP_SHIFT,
    PM1_SLP_EN = 0x2000,
};

enum {
    STEP_US = 1000,
    SETTLE_US = 200000, /* how long a reset or soft-off may take to bite */
    ACPI_ENABLE_STEPS = 300,
};

static void reboot(struct platform *p)
{
    if (bios.power.reset_port != 0) {
        outb(bios.power.reset_port, bios.power.reset_value);
        bios_stall_us(p, SETTLE_US);
    }
    outb(RESET_CONTROL, RESET_HARD);
    bios_stall_us(p, STEP_US);
    outb(RESET_CONTROL, RESET_HARD | RESET_GO);
    bios_stall_us(p, SETTLE_US);

    for (int i = 0; i < KBC_TRIES && (inb(KBC_STATUS) & KBC_INPUT_FULL) != 0; i++) {
        bios_stall_us(p, 10);
    }
    outb(KBC_STATUS, KBC_PULSE_RESET);
    bios_stall_us(p, SETTLE_US);
}

/* Sleep types mean something only in ACPI mode; a BIOS hands over in legacy mode (ACPI 6.4, 4.8.2.1 and
 * 4.8.3.2.1). */
static void enter_acpi_mode(struct platform *p)
{
    const struct bios_power *power = &bios.power;
    if ((inw(power->pm1a_control) & PM1_SCI_EN) != 0 || power->smi_command == 0 ||
        power->acpi_enable == 0) {
        return;
    }
    outb(power->smi_command, power->acpi_enable);
    for (int i = 0; i < ACPI_ENABLE_STEPS && (inw(power->pm1a_control) & PM1_SCI_EN) == 0; i++) {
        bios_stall_us(p, STEP_US);
    }
}

static void sleep_write(uint16_t port, uint8_t type)
{
    unsigned value = inw(port) & ~(unsigned)(PM1_SLP_TYP_MASK | PM1_SLP_EN);
    value |= (unsigned)type << PM1_SLP_TYP_SHIFT;
    outw(port, (uint16_t)value);
    outw(port, (uint16_t)(value | PM1_SLP_EN));
}

static void power_off(struct platform *p)
{
    const struct bios_power *power = &bios.power;
    if (power->has_s5 && power->pm1a_control != 0) {
        enter_acpi_mode(p);
        sleep_write(power->pm1a_control, power->s5_type_a);
        if (power->pm1b_control != 0) {
            sleep_write(power->pm1b_control, power->s5_type_b);
        }
        bios_stall_us(p, SETTLE_US);
    }
}

void bios_leave(struct platform *p, enum exit_kind kind)
{
    switch (kind) {
    case EXIT_RETURN:
        return;
    case EXIT_REBOOT:
        reboot(p);
        bios_con_write(p, STYLE_STRONG, "This machine does not reset by itself: reset it now.\n");
        break;
    case EXIT_POWEROFF:
        power_off(p);
        bios_con_write(p, STYLE_STRONG, "It is now safe to switch the machine off.\n");
        break;
    default:
        ASSERT(!"an exit_kind");
    }
    bios_halt();
}

_Noreturn void bios_halt(void)
{
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}
