"""A disk that fails to write one sector: the error is reported with its sector, the run ends, no PASS."""

from common import SERIAL, options
from faults import FAULT_LBA, expect_reported
from vm import GiB, Machine


def main():
    with Machine("error_write") as vm:
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL,
                    faults=[{"iotype": "write", "sector": FAULT_LBA, "errno": 5, "once": False}])
        vm.kernel(options())
        vm.run()
        expect_reported(vm, FAULT_LBA)


main()
