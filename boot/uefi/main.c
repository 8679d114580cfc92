/* Entry of the UEFI program: fills the platform, runs the core, and leaves the machine as it was found. */
#include "boot/uefi/uefi.h"

#include "boot/load_options.h"
#include "lib/text.h"
#include "lib/version.h"

/* shim refuses a program without this section (shim's SBAT.md). */
__attribute__((section(".sbat"), used)) static const char sbat[] =
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    "baretrim,1,BareTrim,baretrim," BARETRIM_VERSION ",-\n";

enum { PANIC_WAIT_MS = 60000 };

/* The platform's one context, static because panic() has no argument to find it by. */
static struct uefi uefi;

/* GNU-EFI's start-up code calls this by the System V convention, so it must not be EFIAPI. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);

_Noreturn void panic(const char *file, int line, const char *what)
{
    struct platform *p = &uefi.plat;
    char text[256];

    if (!uefi.panicking && p->con_write != NULL) {
        uefi.panicking = true;
        uefi_pci_stop_dma(&uefi);
        text_print(text, sizeof(text),
                   "\nBareTrim stopped: an internal check failed. This is a bug in BareTrim.\n"
                   "  %s:%d: %s\n"
                   "Please report these lines. Press a key.\n",
                   file, line, what);
        p->con_write(p, STYLE_BAD, text);
        if (p->con_key != NULL && p->clock_ns != NULL) {
            p->con_key(p, PANIC_WAIT_MS);
        }
        uefi_pci_hand_back_all(&uefi);
        uefi_console_close(&uefi);
    }
    uefi.bs->Exit(uefi.image, EFI_ABORTED, 0, NULL);
    for (;;) {
        uefi.bs->Stall(1000000);
    }
}

static void main_copy_vendor(const CHAR16 *from, char *to, size_t cap)
{
    size_t len = 0;

    for (; from != NULL && from[len] != 0 && len + 1 < cap; len++) {
        to[len] = from[len] >= 0x20 && from[len] <= 0x7e ? (char)from[len] : '?';
    }
    to[len] = '\0';
}

static void main_cpuid(uint32_t leaf, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(0));
}

/* The brand string of leaves 80000002h to 80000004h, or the vendor's name of leaf 0. */
static void main_copy_cpu(char *to, size_t cap)
{
    uint32_t brand[12];
    uint32_t out[4];

    main_cpuid(0x80000000, out);
    if (out[0] >= 0x80000004) {
        for (uint32_t i = 0; i < 3; i++) {
            main_cpuid(0x80000002 + i, out);
            memcpy(&brand[ARRAY_LEN(out) * i], out, sizeof(out));
        }
        text_copy_trimmed(to, cap, (const char *)brand, sizeof(brand));
        return;
    }
    main_cpuid(0, out);
    brand[0] = out[1];
    brand[1] = out[3];
    brand[2] = out[2];
    text_copy_trimmed(to, cap, (const char *)brand, 3 * sizeof(brand[0]));
}

static bool main_secure_boot(const struct uefi *u)
{
    EFI_GUID guid = uefi_guid_global_variable;
    UINT8 value = 0;
    UINTN bytes = sizeof(value);
    CHAR16 name[] = L"SecureBoot";

    return !EFI_ERROR(u->st->RuntimeServices->GetVariable(name, &guid, NULL, &bytes, &value)) &&
           value == 1;
}

static void main_fill_info(struct uefi *u)
{
    struct platform_info *info = &u->plat.info;
    uint32_t spec = u->st->Hdr.Revision;

    info->name = "UEFI";
    main_copy_vendor(u->st->FirmwareVendor, info->firmware_vendor, sizeof(info->firmware_vendor));
    /* The low half counts tenths and hundredths: 2.70 is 0002_0046h (UEFI 2.10 4.2). */
    text_print(info->firmware_revision, sizeof(info->firmware_revision), "%08x, UEFI %u.%u",
               u->st->FirmwareRevision, spec >> 16, (spec & 0xffff) / 10);
    main_copy_cpu(info->cpu, sizeof(info->cpu));
    info->secure_boot = main_secure_boot(u);
    if (u->loaded != NULL && u->loaded->LoadOptions != NULL) {
        u->plat.cmdline_cut = load_options_text(u->loaded->LoadOptions, u->loaded->LoadOptionsSize,
                                                u->plat.cmdline, sizeof(u->plat.cmdline));
    }
}

static void uefi_leave(struct platform *p, enum exit_kind kind)
{
    struct uefi *u = uefi_of(p);

    if (kind == EXIT_RETURN) {
        return;
    }
    uefi_pci_hand_back_all(u);
    u->st->RuntimeServices->ResetSystem(kind == EXIT_REBOOT ? EfiResetCold : EfiResetShutdown,
                                        EFI_SUCCESS, 0, NULL);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    struct uefi *u = &uefi;
    struct platform *p = &u->plat;
    char first_line[80];

    u->image = image;
    u->st = st;
    u->bs = st->BootServices;
    p->context = u;
    /* The boot manager gives a boot option five minutes; a run takes longer. */
    u->bs->SetWatchdogTimer(0, 0, 0, NULL);
    uefi_console_init(u);
    text_print(first_line, sizeof(first_line), "BareTrim %s starting ...\n", version_text);
    p->con_write(p, STYLE_NORMAL, first_line);

    u->loaded = uefi_protocol(u, image, &uefi_guid_loaded_image);
    main_fill_info(u);
    uefi_clock_init(u);
    uefi_pci_init(u);
    uefi_firmware_io_init(u);
    uefi_serial_init(u);
    uefi_files_init(u);
    p->leave = uefi_leave;

    int result = core_main(p);

    uefi_pci_hand_back_all(u);
    uefi_console_close(u);
    return result == 0 ? EFI_SUCCESS : EFI_ABORTED;
}
