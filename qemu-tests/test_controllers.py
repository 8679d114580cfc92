"""Controllers that are no AHCI: NVMe, IDE and RAID are listed with the reason why their drives cannot be tested,
and the drive of the second AHCI controller is found and tested."""

from common import SERIAL, expect, expect_verdict, options
from vm import GiB, Machine


def main():
    with Machine("controllers") as vm:
        for device in ("piix3-ide", "megasas", "nvme,serial=BT-NVME-0001"):
            vm.args += ["-device", device]
        vm.add_ahci("second", extra=",addr=0x10")
        vm.add_disk(0, vm.make_disk("other.raw", 16 * GiB), serial="BT-OTHER-0001")
        vm.add_disk(4, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL, bus="second")
        vm.kernel(options(target=f"{SERIAL}@00:10.0/4"))
        vm.run()
        expect_verdict(vm, overall="PASS")
        flat = vm.flat()
        for word in ("NVMe", "RAID", "IDE"):
            expect(word in flat, f"the list does not name the {word} controller")


main()
