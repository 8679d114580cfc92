/* Processor exceptions: nothing is handled, everything is told. The handlers run on a stack of their own, so that
 * a broken stack pointer can still be reported. */
#include "boot/bios/bios.h"
#include "lib/text.h"

enum {
    EXCEPTIONS = 32,
    SELECTOR_CODE64 = 0x18,
    SELECTOR_TSS = 0x20,
    GATE_INTERRUPT = 0x8e, /* present, ring 0, 64-bit interrupt gate */
    IST_FIRST = 1,
    STACK_BYTES = 8192,
};

/* Intel SDM volume 3, figure 6-8. */
struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t ist;
    uint8_t type;
    uint16_t offset_mid;
    uint32_t offset_high;
    uint32_t reserved;
};
_Static_assert(sizeof(struct gate) == 16, "SDM 6.14.1");

/* SDM volume 3, figure 8-11. */
struct tss {
    uint32_t reserved0;
    uint32_t rsp[6];
    uint32_t reserved1[2];
    uint32_t ist[14]; /* IST1..IST7, low and high halves */
    uint32_t reserved2[2];
    uint16_t reserved3;
    uint16_t io_map;
};
_Static_assert(offsetof(struct tss, ist) == 36 && sizeof(struct tss) == 104, "SDM 8.7");

/* What start.S and the processor push, lowest address first. */
struct exception_frame {
    uint64_t vector;
    uint64_t error_code;
    uint64_t rip;
    uint64_t cs;
    uint64_t rflags;
    uint64_t rsp;
    uint64_t ss;
};

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

extern const uint64_t exception_entries[EXCEPTIONS];
extern uint64_t gdt_tss[2];
_Noreturn void exception_report(const struct exception_frame *frame);

static struct {
    struct gate idt[EXCEPTIONS];
    struct tss tss;
    bool reporting; /* an exception inside the report must not start another one */
    uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
} exceptions;

static const char *const names[EXCEPTIONS] = {
    [0] = "divide error",
    [1] = "debug",
    [2] = "NMI",
    [3] = "breakpoint",
    [4] = "overflow",
    [5] = "bound range",
    [6] = "invalid opcode",
    [7] = "no coprocessor",
    [8] = "double fault",
    [10] = "invalid TSS",
    [11] = "segment missing",
    [12] = "stack fault",
    [13] = "general protection",
    [14] = "page fault",
    [16] = "x87 error",
    [17] = "alignment check",
    [18] = "machine check",
    [19] = "SIMD error",
};

void exceptions_init(void)
{
    for (size_t i = 0; i < EXCEPTIONS; i++) {
        uint64_t entry = exception_entries[i];
        exceptions.idt[i] = (struct gate){
            .offset_low = (uint16_t)entry,
            .selector = SELECTOR_CODE64,
            .ist = IST_FIRST,
            .type = GATE_INTERRUPT,
            .offset_mid = (uint16_t)(entry >> 16),
            .offset_high = (uint32_t)(entry >> 32),
        };
    }
    uint64_t stack_top = (uint64_t)(exceptions.stack + STACK_BYTES);
    exceptions.tss.ist[0] = (uint32_t)stack_top;
    exceptions.tss.ist[1] = (uint32_t)(stack_top >> 32);
    exceptions.tss.io_map = sizeof(exceptions.tss);

    /* An available 64-bit TSS descriptor takes two GDT slots (SDM volume 3, figure 8-4). */
    uint64_t base = (uint64_t)&exceptions.tss;
    gdt_tss[0] = (sizeof(exceptions.tss) - 1) | (base & 0xffffff) << 16 | UINT64_C(0x89) << 40 |
                 (base >> 24 & 0xff) << 56;
    gdt_tss[1] = base >> 32;

    struct table_pointer idt = { sizeof(exceptions.idt) - 1, (uint64_t)exceptions.idt };
    uint16_t selector = SELECTOR_TSS;
    __asm__ volatile("ltr %0\n\tlidt %1" : : "r"(selector), "m"(idt) : "memory");
}

_Noreturn void exception_report(const struct exception_frame *frame)
{
    if (exceptions.reporting) {
        bios_halt();
    }
    exceptions.reporting = true;
    uint64_t cr2;
    __asm__ volatile("movq %%cr2, %0" : "=r"(cr2));
    const char *name = frame->vector < EXCEPTIONS ? names[frame->vector] : NULL;
    char line[160];
    (void)text_print(line, sizeof(line),
                     "\nException %lu (%s): RIP %lx, error code %lx\n"
                     "  RSP %lx, RFLAGS %lx, CR2 %lx. Stopped.\n",
                     frame->vector, name != NULL ? name : "reserved", frame->rip, frame->error_code,
                     frame->rsp, frame->rflags, cr2);
    bios_con_write(&bios.platform, STYLE_BAD, line);
    bios_halt();
}
