/* The BIOS program's C entry: finds out about the machine, fills the platform and runs the core. What a BIOS start
 * cannot do yet is refused, not faked: there are no files, no reads through the firmware, and the boot medium is
 * unknown, so the core's write gate never opens here. */
#include "boot/bios/bios.h"
#include "lib/text.h"

_Noreturn void bios_main(uint32_t multiboot_info);

static enum err fw_identify(struct platform *p, const struct pci_function *f, unsigned port,
                            uint8_t out[512])
{
    (void)p;
    (void)f;
    (void)port;
    (void)out;
    return ERR_UNSUPPORTED;
}

static enum err fw_read(struct platform *p, const struct pci_function *f, unsigned port,
                        uint64_t lba, uint32_t count, uint32_t sector_bytes, void *buf)
{
    (void)p;
    (void)f;
    (void)port;
    (void)lba;
    (void)count;
    (void)sector_bytes;
    (void)buf;
    return ERR_UNSUPPORTED;
}

/* A multiboot loader may name the BIOS drive number, which leads to no controller by itself. */
static enum boot_medium boot_medium(struct platform *p, const struct pci_function *f, unsigned port)
{
    (void)p;
    (void)f;
    (void)port;
    return BOOT_MEDIUM_UNKNOWN;
}

static enum boot_medium boot_controller(struct platform *p, const struct pci_function *f)
{
    (void)p;
    (void)f;
    return BOOT_MEDIUM_UNKNOWN;
}

static enum err file_read(struct platform *p, const char *name, void *buf, size_t cap,
                          size_t *bytes)
{
    (void)p;
    (void)name;
    (void)buf;
    (void)cap;
    (void)bytes;
    return ERR_UNSUPPORTED;
}

static enum err file_write(struct platform *p, const char *path, const void *data, size_t bytes)
{
    (void)p;
    (void)path;
    (void)data;
    (void)bytes;
    return ERR_UNSUPPORTED;
}

struct bios bios = {
    .platform = {
        .info = { .name = "BIOS", .firmware_vendor = "unknown" },
        .pci_scan = bios_pci_scan,
        .pci_read32 = bios_pci_read32,
        .pci_write32 = bios_pci_write32,
        .mmio_read32 = bios_mmio_read32,
        .mmio_write32 = bios_mmio_write32,
        .take_over = bios_take_over,
        .hand_back = bios_hand_back,
        .dma_alloc = bios_dma_alloc,
        .dma_free = bios_dma_free,
        .fw_identify = fw_identify,
        .fw_read = fw_read,
        .boot_medium = boot_medium,
        .boot_controller = boot_controller,
        .clock_ns = bios_clock_ns,
        .stall_us = bios_stall_us,
        .utc = bios_utc,
        .con_write = bios_con_write,
        .con_clear = bios_con_clear,
        .con_size = bios_con_size,
        .con_key = bios_con_key,
        .serial_open = bios_serial_open,
        .serial_write = bios_serial_write,
        .file_read = file_read,
        .file_write = file_write,
        .leave = bios_leave,
        .context = &bios,
    },
};

_Noreturn void panic(const char *file, int line, const char *what)
{
    char text[240];
    (void)text_print(text, sizeof(text), "\nPANIC %s:%d: %s. Stopped.\n", file, line, what);
    bios_con_write(&bios.platform, STYLE_BAD, text);
    bios_halt();
}

static void cpuid(uint32_t leaf, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(0));
}

#define LEAF_EXTENDED_MAX 0x80000000u
#define LEAF_BRAND        0x80000002u

/* The brand string where the processor has one, else its vendor. */
static void cpu_name(char *buf, size_t cap)
{
    uint32_t regs[12];
    cpuid(LEAF_EXTENDED_MAX, regs);
    if (regs[0] >= LEAF_BRAND + 2) {
        cpuid(LEAF_BRAND, regs);
        cpuid(LEAF_BRAND + 1, regs + 4);
        cpuid(LEAF_BRAND + 2, regs + 8);
        text_copy_trimmed(buf, cap, (const char *)regs, sizeof(regs));
        return;
    }
    cpuid(0, regs);
    uint32_t vendor[3] = { regs[1], regs[3], regs[2] };
    text_copy_trimmed(buf, cap, (const char *)vendor, sizeof(vendor));
}

_Noreturn void bios_main(uint32_t multiboot_info)
{
    struct platform *p = &bios.platform;
    bios_console_init();
    exceptions_init();
    if (!multiboot_memory_fits(multiboot_info)) {
        bios_con_write(
            p, STYLE_BAD,
            "\nNot enough memory: the memory map has no free stretch from 1 MiB that holds this "
            "program. Stopped.\n");
        bios_halt();
    }
    multiboot_cmdline(multiboot_info, p);
    const uint8_t *rsdp = find_rsdp();
    read_power(rsdp, &bios.power);
    clock_init(p, rsdp);
    smbios_firmware(&p->info);
    cpu_name(p->info.cpu, sizeof(p->info.cpu));
    p->info.has_keyboard = keyboard_present() || bios.console.uart.port != 0;
    bios_con_clear(p);

    (void)core_main(p);
    bios_con_write(p, STYLE_NORMAL, "\nHalted. The machine can be reset or switched off.\n");
    bios_halt();
}
