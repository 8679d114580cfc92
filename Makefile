# BareTrim. `make help` lists the targets.
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
BUILD := build
VERSION := $(shell cat lib/VERSION)
# Asked when it is needed: on a bare machine set-up installs git first.
BUILD_ID = $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
CC := gcc
PYTHON := /usr/bin/python3

# --- sources ------------------------------------------------------------------------------------
CORE_SRC := main.c $(sort $(wildcard lib/*.c ahci/*.c ata/*.c bench/*.c ui/*.c))
UEFI_SRC := $(sort $(wildcard boot/uefi/*.c boot/*.c))
BIOS_SRC := $(sort $(wildcard boot/bios/*.c boot/*.c))
BIOS_ASM := $(sort $(wildcard boot/bios/*.S))
SIM_SRC  := $(sort $(wildcard sim/*.c))
TEST_SRC := $(sort $(wildcard tests/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz_*.c))
HEADERS  := $(wildcard */*.h */*/*.h)
C_FILES  := $(CORE_SRC) $(UEFI_SRC) $(BIOS_SRC) $(SIM_SRC) $(wildcard tests/*.c host/*.c)

# --- flags ---------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-missing-field-initializers -Werror
COMMON := -std=c11 -O2 -g $(WARN) -I. -ffile-prefix-map=$(CURDIR)/= -MMD -MP
# Freestanding code shared by all boot paths: System V ABI, position independent, no red zone (firmware
# interrupts run on our stack), no SSE registers (neither entry has to save them).
FREESTANDING := -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-common \
	-fcf-protection=none -mno-red-zone -mgeneral-regs-only -fno-builtin -fno-tree-loop-distribute-patterns
CORE_CFLAGS := $(COMMON) $(FREESTANDING) -fpic -fvisibility=hidden
UEFI_CFLAGS := $(COMMON) $(FREESTANDING) -fpic -fvisibility=hidden -fshort-wchar -DGNU_EFI_USE_MS_ABI \
	-isystem /usr/include/efi -isystem /usr/include/efi/x86_64 -DBARETRIM_VERSION='"$(VERSION)"'
BIOS_CFLAGS := $(COMMON) $(FREESTANDING) -fno-pic -mcmodel=small
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
HOST_CFLAGS := $(COMMON) $(SANITIZE) -DHOST_BUILD
FUZZ_SECONDS ?= 20

# One short line a step; `make V=1` shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')
.SECONDARY:

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: all
all: setup $(BUILD)/baretrim.efi $(BUILD)/baretrim.bios $(BUILD)/stick.img ## build the UEFI program, the BIOS program and a stick image

.PHONY: setup
setup: ## install what building and testing need (Debian 12, as root)
	@scripts/setup

# --- the core, once -------------------------------------------------------------------------------
$(BUILD)/core/%.o: %.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CORE_CFLAGS) -c $< -o $@

$(BUILD)/core.o: $(CORE_SRC:%.c=$(BUILD)/core/%.o) $(BUILD)/core/version.o
	$(call say,LD,$@)
	$(Q)ld -r -o $@ $^

# Only this object changes when the version or the commit does.
$(BUILD)/version.c: lib/VERSION FORCE | setup
	@mkdir -p $(@D)
	@printf '#include "lib/version.h"\nconst char version_text[] = "%s";\nconst char version_build[] = "%s";\n' \
		'$(VERSION)' '$(BUILD_ID)' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE
FORCE:

$(BUILD)/core/version.o: $(BUILD)/version.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CORE_CFLAGS) -c $< -o $@

# --- UEFI application -------------------------------------------------------------------------------
$(BUILD)/uefi/%.o: %.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(UEFI_CFLAGS) -c $< -o $@

$(BUILD)/uefi/boot/uefi/main.o: lib/VERSION # it carries the version in .sbat

$(BUILD)/baretrim.so: $(BUILD)/core.o $(UEFI_SRC:%.c=$(BUILD)/uefi/%.o) boot/uefi/uefi.lds
	$(call say,LD,$@)
	$(Q)ld -nostdlib -z nocombreloc -z noexecstack --build-id=none --no-undefined -T boot/uefi/uefi.lds \
		-shared -Bsymbolic -L/usr/lib /usr/lib/crt0-efi-x86_64.o $(filter %.o,$^) -lgnuefi -o $@
	$(Q)scripts/check-relocs $@

$(BUILD)/baretrim.efi: $(BUILD)/baretrim.so scripts/pe-finish
	$(call say,EFI,$@)
	$(Q)objcopy -S -j .text -j .rodata -j .rela -j .sbat -j .data -j .dynamic -j .bss -j .reloc \
		--target efi-app-x86_64 --subsystem=10 $< $@
	$(Q)$(PYTHON) scripts/pe-finish $@

# --- BIOS program -----------------------------------------------------------------------------------
$(BUILD)/bios/%.o: %.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BIOS_CFLAGS) -c $< -o $@

$(BUILD)/bios/%.o: %.S | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BIOS_CFLAGS) -c $< -o $@

$(BUILD)/bios.elf: $(BIOS_ASM:%.S=$(BUILD)/bios/%.o) $(BIOS_SRC:%.c=$(BUILD)/bios/%.o) $(BUILD)/core.o boot/bios/bios.lds
	$(call say,LD,$@)
	$(Q)ld -nostdlib -z noexecstack --build-id=none --no-undefined -T boot/bios/bios.lds $(filter %.o,$^) -o $@

$(BUILD)/baretrim.bios: $(BUILD)/bios.elf
	$(call say,BIOS,$@)
	$(Q)objcopy -S -O elf32-i386 $< $@

# --- host: the same sources under sanitizers ----------------------------------------------------------
HOST_CORE := $(patsubst %.c,$(BUILD)/host/%.o,$(filter-out lib/mem.c,$(CORE_SRC))) $(BUILD)/host/version.o
HOST_SIM := $(SIM_SRC:%.c=$(BUILD)/host/%.o)
HOST_BOOT := $(patsubst %,$(BUILD)/host/boot/%.o,acpi clock devpath load_options) # what needs no machine

$(BUILD)/host/version.o: $(BUILD)/version.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/host/%.o: %.c | setup
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -c $< -o $@

$(BUILD)/tests/%: $(BUILD)/host/tests/%.o $(HOST_SIM) $(HOST_CORE) $(HOST_BOOT)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANITIZE) $^ -o $@

.PHONY: test
test: setup $(TEST_SRC:tests/%.c=$(BUILD)/tests/%) $(BUILD)/baretrim.efi $(BUILD)/baretrim.bios ## host tests and build checks, under a minute
	scripts/run-host-tests $(TEST_SRC:tests/%.c=$(BUILD)/tests/%)

# --- fuzzing (libFuzzer needs clang) --------------------------------------------------------------------
FUZZ_CFLAGS := -std=c11 -O1 -g -I. -DHOST_BUILD -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
$(BUILD)/fuzz/%: tests/%.c $(CORE_SRC) $(HEADERS) $(BUILD)/version.c | setup
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)clang $(FUZZ_CFLAGS) $< $(filter-out lib/mem.c main.c,$(CORE_SRC)) $(BUILD)/version.c -o $@

.PHONY: fuzz
fuzz: $(FUZZ_SRC:tests/%.c=$(BUILD)/fuzz/%) ## fuzz the IDENTIFY and configuration parsers for FUZZ_SECONDS each
	scripts/run-fuzz $(FUZZ_SECONDS) $^

# --- static checks -----------------------------------------------------------------------------------------
.PHONY: lint
lint: setup compile_commands.json ## include rules, formatting, shellcheck, cppcheck, clang-tidy
	scripts/lint

compile_commands.json: Makefile $(C_FILES) | setup
	$(PYTHON) scripts/compile-commands > $@

.PHONY: format
format: setup ## reformat every C file
	clang-format -i $(wildcard $(C_FILES) $(HEADERS))

# --- images and QEMU ------------------------------------------------------------------------------------------
$(BUILD)/stick.img: $(BUILD)/baretrim.efi image/make-stick image/baretrim.cfg
	$(call say,IMAGE,$@)
	$(Q)image/make-stick $@ $(BUILD)/baretrim.efi image/baretrim.cfg

.PHONY: run
run: all ## boot the image in QEMU, prove TRIM on a test disk, show the result
	$(PYTHON) qemu-tests/run-proof.py

.PHONY: run-ui
run-ui: all ## the same machine, left at the menu for you
	$(PYTHON) qemu-tests/run-proof.py --ui

.PHONY: qemu-test
qemu-test: all ## boot the real image in QEMU, every test in qemu-tests/
	$(PYTHON) qemu-tests/run-tests.py

.PHONY: check
check: setup ## everything: lint, host tests, fuzzing, QEMU tests
	scripts/check

.PHONY: clean
clean: ## remove everything built
	rm -rf $(BUILD) compile_commands.json

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
