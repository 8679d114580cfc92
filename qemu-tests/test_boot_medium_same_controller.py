"""Started from one disk of the controller whose other disk is the target: the target is tested, the boot disk
is no target, and the report is saved once the firmware has its driver back."""

from common import SERIAL, config, expect, expect_equal, expect_verdict, validate
from vm import GiB, Machine, stick_reports

BOOT_SERIAL = "BT-BOOT-0001"


def main():
    with Machine("boot_medium_same_controller") as vm:
        vm.pflash()  # with stored boot order the volume comes back on another handle
        boot = vm.copy_stick(config())
        program = (boot, boot.read_bytes()[:512])
        vm.add_disk(0, boot, serial=BOOT_SERIAL, bootindex=0)
        vm.add_disk(1, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL)
        vm.run()
        expect_verdict(vm, overall="PASS")
        ports = {e["serial"]: e["status"] for e in vm.events("port") if e.get("serial")}
        expect_equal(ports, {BOOT_SERIAL: "boot medium", SERIAL: "drive"}, "what the list says of the drives")
        reports = list(stick_reports(boot).values())
        expect_equal(len(reports), 1, "reports on the boot disk")
        validate(reports[0])
        expect(reports[0]["verdict"]["overall"] == "PASS", "the report on the boot disk has no PASS")
        expect_equal(boot.read_bytes()[:512], program[1], "boot sector of the boot disk")


main()
