"""The boot medium is the only disk: it is refused as a target even when named and confirmed, the screen says
that there is nothing to test, and its sectors stay what they were."""

from common import config, expect, expect_equal, expect_no_write, expect_refused
from vm import Machine, medium_hash, stick_reports

BOOT_SERIAL = "BT-BOOT-0001"


def main():
    with Machine("boot_medium_only_disk") as vm:
        boot = vm.copy_stick(config(target=BOOT_SERIAL))
        before = medium_hash(boot)
        vm.add_disk(0, boot, serial=BOOT_SERIAL, bootindex=0)
        vm.run()
        expect_refused(vm, "started from it")
        expect_equal([e["status"] for e in vm.events("port") if e.get("serial")], ["boot medium"], "the list")
        expect("nothing to test" in vm.flat(), "the screen does not say that there is nothing to test")
        expect_equal(stick_reports(boot), {}, "reports of a run that never was")
        expect_no_write(boot, before)


main()
