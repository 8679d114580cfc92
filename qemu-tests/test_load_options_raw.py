"""Load options as a boot entry can hold them, bytes without a terminator and with a byte order mark: understood.

The shell adds a boot entry with such bytes as its optional data, and the firmware starts it after a reset."""

from common import SERIAL, expect_equal
from vm import GiB, Machine, fat_write

SCRIPT = """@echo -off
fs0:
if exist opts.bin then
  bcfg boot add 0 EFI\\BOOT\\BOOTX64.EFI BareTrim
  bcfg boot -opt 0 opts.bin
  rm opts.bin
  reset
endif
"""


def main():
    for mark in (b"\xff\xfe", b""):
        with Machine("load_options_raw") as vm:
            vm.args.remove("-no-reboot")
            vm.pflash()
            stick = vm.copy_stick("")
            text = f"plan=identify target={SERIAL} serial=log exit=poweroff"
            fat_write(stick, "opts.bin", mark + text.encode("utf-16-le"))
            fat_write(stick, "startup.nsh", SCRIPT.replace("\n", "\r\n"))
            vm.add_stick(stick, bootindex=None)
            vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL)
            vm.kernel(program="/nonexistent")
            vm.run(timeout_s=90)
            expect_equal(vm.events("end")[-1]["step"], "DONE", "the plan identify")


main()
