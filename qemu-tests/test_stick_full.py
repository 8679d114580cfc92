"""The stick has no room for the report, or is write-protected: the run's result still stands on the screen and on
the serial line, and the screen says why nothing was saved."""

from common import SERIAL, config, expect, expect_equal, expect_verdict
from vm import GiB, Machine, fat_check, fat_write, run_tool, mtools_name, stick_reports


def boot(name, words, full=False, read_only=False):
    with Machine(name) as vm:
        stick = vm.copy_stick(config())
        if full:
            said = run_tool("minfo", "-i", mtools_name(stick), "::").decode()
            free = int(said.split("free clusters=")[1].split()[0])
            size = int(said.split("cluster size:")[1].split()[0]) * 512
            fat_write(stick, "FILL.BIN", b"x" * (free * size))
        vm.add_stick(stick, read_only=read_only)
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL)
        vm.run()
        expect_verdict(vm, overall="PASS")
        flat = vm.flat()
        expect("PASS" in flat and "DEALLOCATED" in flat, "the result is not on the screen")
        expect(any(w in flat for w in words), f"the screen says none of {words}")
        fat_check(stick)
        expect_equal(stick_reports(stick), {}, "reports on a stick that could take none")


def main():
    boot("stick_full", ["full"], full=True)
    boot("stick_read_only", ["write-protected", "read-only"], read_only=True)


main()
