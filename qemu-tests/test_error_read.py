"""A disk that cannot read back one sector that was stamped: reported with its sector, no PASS, not taken
for zeros."""

from common import SERIAL, options
from faults import FAULT_LBA, expect_reported
from vm import GiB, Machine


def main():
    with Machine("error_read") as vm:
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL,
                    faults=[{"iotype": "read", "sector": FAULT_LBA, "errno": 5, "once": False}])
        vm.kernel(options())
        vm.run()
        expect_reported(vm, FAULT_LBA)


main()
