/* Entry of the BIOS program. A multiboot loader jumps here in 32-bit protected mode without paging (Multiboot
 * 0.6.96, 3.2); this file checks the machine, clears .bss, switches to long mode with memory 0-4 GiB mapped
 * one to one, and calls bios_main(). Interrupts stay off for good: the program only polls. */

#define MULTIBOOT_HEADER_MAGIC 0x1badb002
#define MULTIBOOT_LOADER_MAGIC 0x2badb002
#define MULTIBOOT_FLAGS        3 /* modules on page boundaries, tell us the memory */
#define INFO_FLAGS             0
#define INFO_MEM_UPPER         8 /* KiB from 1 MiB up to the first hole; valid with flag 0 */

#define SELECTOR_DATA   0x10
#define SELECTOR_CODE64 0x18

#define CR0_MP       (1 << 1)
#define CR0_EM       (1 << 2)
#define CR0_TS       (1 << 3)
#define CR0_NE       (1 << 5)
#define CR0_PG       (1 << 31)
#define CR4_SSE_PAE  ((1 << 5) | (1 << 9) | (1 << 10)) /* PAE, OSFXSR, OSXMMEXCPT */
#define MSR_EFER     0xc0000080
#define EFER_LME     (1 << 8)
#define EFLAGS_ID    (1 << 21)
#define CPUID_LM     (1 << 29) /* leaf 80000001h, EDX */
#define PAGE_TABLE   3         /* present, writable */
#define PAGE_2M      0x83      /* present, writable, 2 MiB */
#define DIRECTORIES  4         /* 1 GiB each */

#define VGA_TEXT     0xb8000
#define VGA_ROW      160
#define VGA_BOLD     0x0f00
#define COM1         0x3f8
#define UART_LSR     5
#define UART_THRE    0x20

    .section .multiboot, "a"
    .balign 4
    .long MULTIBOOT_HEADER_MAGIC
    .long MULTIBOOT_FLAGS
    .long -(MULTIBOOT_HEADER_MAGIC + MULTIBOOT_FLAGS)

    .section .text.start, "ax"
    .code32
    .globl _start
    .type _start, @function
_start:
    cli
    cld
    movl $text_loader, %esi
    cmpl $MULTIBOOT_LOADER_MAGIC, %eax
    jne stop32
    movl %ebx, %ebp

    /* Is there memory under all of us? Before .bss and the stack in it are touched. */
    testl $1, INFO_FLAGS(%ebp)
    jz 1f
    movl $text_memory, %esi
    cmpl $image_kib_above_1m, INFO_MEM_UPPER(%ebp)
    jb stop32
1:
    movl $bss_start, %edi
    movl $bss_end, %ecx
    subl %edi, %ecx
    shrl $2, %ecx
    xorl %eax, %eax
    rep stosl
    movl $stack_top, %esp

    /* Long mode? First whether CPUID is there at all (the ID flag can be changed), then leaf 80000001h. */
    movl $text_cpu, %esi
    pushfl
    popl %eax
    movl %eax, %ecx
    xorl $EFLAGS_ID, %eax
    pushl %eax
    popfl
    pushfl
    popl %eax
    pushl %ecx
    popfl
    xorl %ecx, %eax
    testl $EFLAGS_ID, %eax
    jz stop32
    movl $0x80000000, %eax
    cpuid
    cmpl $0x80000001, %eax
    jb stop32
    movl $0x80000001, %eax
    cpuid
    testl $CPUID_LM, %edx
    jz stop32

    /* Four page directories of 2 MiB pages map 0-4 GiB one to one. Write-back everywhere: for registers the
     * firmware's MTRRs say uncached, and uncached wins. */
    movl $page_directories, %edi
    movl $PAGE_2M, %eax
    movl $(DIRECTORIES * 512), %ecx
2:  movl %eax, (%edi)
    addl $0x200000, %eax
    addl $8, %edi
    decl %ecx
    jnz 2b
    movl $page_pointers, %edi
    movl $(page_directories + PAGE_TABLE), %eax
    movl $DIRECTORIES, %ecx
3:  movl %eax, (%edi)
    addl $0x1000, %eax
    addl $8, %edi
    decl %ecx
    jnz 3b
    movl $(page_pointers + PAGE_TABLE), page_root

    movl $page_root, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $CR4_SSE_PAE, %eax
    movl %eax, %cr4
    movl $MSR_EFER, %ecx
    rdmsr
    orl $EFER_LME, %eax
    wrmsr
    movl %cr0, %eax
    andl $~(CR0_EM | CR0_TS), %eax
    orl $(CR0_PG | CR0_NE | CR0_MP), %eax
    movl %eax, %cr0
    lgdt gdt_pointer
    ljmp $SELECTOR_CODE64, $entry64

/* Say the text at ESI on the screen and the first serial port, and stop. No stack, no .bss: neither is known
 * to be there. An absent UART reads all ones, which looks like "ready". */
stop32:
    movl $VGA_TEXT, %edi
    movl $(2 * VGA_ROW / 4), %ecx
    movl $((VGA_BOLD | ' ') * 0x10001), %eax
    rep stosl
    movl $VGA_TEXT, %edi
    movw $(COM1 + 3), %dx /* 115200 8N1, as boot/uart.c sets it */
    movb $0x80, %al
    outb %al, %dx
    movw $COM1, %dx
    movb $1, %al
    outb %al, %dx
    incw %dx
    xorb %al, %al
    outb %al, %dx
    movw $(COM1 + 3), %dx
    movb $3, %al
    outb %al, %dx
    movw $(COM1 + 4), %dx
    outb %al, %dx
4:  lodsb
    testb %al, %al
    jz 7f
    movb %al, %bl
    cmpb $' ', %al
    jb 5f
    movb $(VGA_BOLD >> 8), %ah
    stosw
5:  movl $100000, %ecx
    movw $(COM1 + UART_LSR), %dx
6:  inb %dx, %al
    testb $UART_THRE, %al
    loopz 6b
    movw $COM1, %dx
    movb %bl, %al
    outb %al, %dx
    jmp 4b
7:  cli
    hlt
    jmp 7b

    .code64
entry64:
    movl $SELECTOR_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movl $stack_top, %esp
    fninit
    ldmxcsr mxcsr_default
    movl %ebp, %edi
    xorl %ebp, %ebp
    call bios_main
    ud2 /* it does not return */
    .size _start, . - _start

/* The processor's exceptions: each entry pushes the vector (and a zero where the processor pushes no error
 * code) and goes on to exception_report(struct exception_frame *), which does not return. */
    .macro VECTOR number
exception_\number:
    .if (\number == 8) || ((\number >= 10) && (\number <= 14)) || (\number == 17) || (\number == 21) || \
        (\number == 29) || (\number == 30)
    .else
    pushq $0
    .endif
    pushq $\number
    jmp exception_common
    .endm

    .altmacro
    .set vector, 0
    .rept 32
    VECTOR %vector
    .set vector, vector + 1
    .endr

exception_common:
    cld
    movq %rsp, %rdi
    andq $-16, %rsp
    call exception_report
    ud2

    .macro VECTOR_ADDRESS number
    .quad exception_\number
    .endm

    .section .rodata, "a"
    .balign 8
    .globl exception_entries
exception_entries:
    .set vector, 0
    .rept 32
    VECTOR_ADDRESS %vector
    .set vector, vector + 1
    .endr

mxcsr_default:
    .long 0x1f80 /* every SSE exception masked */

/* One line each: the screen has room for 80 characters. */
text_loader:
    .asciz "BareTrim: this file must be started by a multiboot loader. Stopped.\r\n"
text_memory:
    .asciz "BareTrim: not enough memory above 1 MiB for this program. Stopped.\r\n"
text_cpu:
    .asciz "BareTrim needs a 64-bit x86 processor; this one has no long mode. Stopped.\r\n"

    .section .data
    .balign 8
    .globl gdt_tss
gdt:
    .quad 0
    .quad 0
    .quad 0x00cf93000000ffff /* 10h: data */
    .quad 0x00af9b000000ffff /* 18h: 64-bit code */
gdt_tss:
    .quad 0, 0               /* 20h: task state, filled by exceptions_init() */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .quad gdt

    .section .bss
    .balign 4096
page_root:
    .skip 4096
page_pointers:
    .skip 4096
page_directories:
    .skip DIRECTORIES * 4096
/* UEFI promises its programs 128 KiB of stack (UEFI 2.10, 2.3.4); the core gets the same here. */
    .skip 128 * 1024
stack_top:

    .section .note.GNU-stack, "", @progbits
