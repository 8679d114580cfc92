"""Started twice in a row from the UEFI shell, on the controller that also carries the shell's own disk; then a
file is read from that disk by the shell: everything was given back to the firmware as it was."""

from common import SERIAL, expect, expect_equal, options
from vm import EFI, GiB, MiB, Machine, fat_write, run_tool

PROOF = "the disk is still here"
SCRIPT = f"""@echo -off
fs0:
bt.efi {{options}}
echo first run over: %lasterror%
bt.efi {{options}}
echo second run over: %lasterror%
type file.txt
reset -s
"""


def main():
    with Machine("shell_twice") as vm:
        disk = vm.make_disk("fat.img", 64 * MiB)
        run_tool("mformat", "-i", disk, "-F", "::")
        fat_write(disk, "bt.efi", EFI.read_bytes())
        fat_write(disk, "startup.nsh", SCRIPT.format(options=options(exit="menu")).replace("\n", "\r\n"))
        fat_write(disk, "file.txt", PROOF + "\r\n")
        vm.add_disk(0, disk, serial="BT-SHELL-0001")
        vm.add_disk(1, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL)
        vm.start(limit_s=130)
        for turn in (1, 2):
            vm.wait_for(f"result {turn}", lambda: vm.flat().count("Press a key for the menu") == turn, 60)
            vm.keys(" ")
            vm.wait_for("the menu", lambda: vm.flat().count("q leave") == turn, 20)
            vm.keys("qx")
        vm.wait_off(60)
        expect_equal([e["overall"] for e in vm.events("verdict")], ["PASS", "PASS"], "verdicts of the two runs")
        flat = vm.flat()
        at = [flat.find(w) for w in ("first run over: 0x0", "second run over: 0x0", PROOF)]
        expect(-1 not in at and at == sorted(at), f"the shell's lines are not there, or not in order: {at}")


main()
