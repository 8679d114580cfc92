"""Load options as a boot entry can hold them, UCS-2 without a terminator, with and without a byte order mark:
understood.

One machine's shell adds a boot entry with such bytes as its optional data; the next one, with the same variables
and the same stick, starts it."""

import shutil

from common import SERIAL, expect_equal
from vm import EFI, GiB, MiB, Machine, fat_write, run_tool

SCRIPT = """@echo -off
fs0:
bcfg boot add 0 bt.efi BareTrim
bcfg boot -opt 0x0 opts.bin
reset -s
"""


def check(mark):
    with Machine("load_options_entry") as vm:
        variables = vm.pflash()
        stick = vm.make_disk("fat.img", 64 * MiB)
        run_tool("mformat", "-i", stick, "-F", "::")
        text = f"plan=identify target={SERIAL} serial=log exit=poweroff"
        fat_write(stick, "opts.bin", mark + text.encode("utf-16-le"))
        fat_write(stick, "bt.efi", EFI.read_bytes())
        fat_write(stick, "startup.nsh", SCRIPT.replace("\n", "\r\n"))
        vm.add_stick(stick, bootindex=None)
        vm.run(timeout_s=60)

    with Machine("load_options_raw") as vm:
        shutil.copyfile(variables, vm.pflash())
        vm.add_stick(stick, bootindex=None)
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL)
        vm.run(timeout_s=60)
        expect_equal(vm.events("end")[-1]["step"], "DONE", "the plan identify")


def main():
    check(b"\xff\xfe")
    check(b"")


main()
