"""A byte budget below what the plan writes: the run ends before its first pass, saying both numbers, and the medium
stays what it was."""

from common import SERIAL, expect, expect_equal, expect_no_write, options
from vm import GiB, Machine, medium_hash


def main():
    with Machine("write_budget") as vm:
        disk = vm.make_disk("target.raw", 16 * GiB)
        with open(disk, "r+b") as image:
            image.write(b"mine" * 4096)
        before = medium_hash(disk)
        vm.add_disk(0, disk, serial=SERIAL)
        vm.kernel(options(max_write_bytes=4096))
        vm.run(timeout_s=60)
        end = vm.events("end")[-1]
        cost = vm.events("run")[-1]["cost_bytes"]
        expect_equal(end["step"], "FAILED", "the run's end")
        expect(f"writes {cost} bytes" in end["failure"] and "4096" in end["failure"], end["failure"])
        expect(f"writes {cost} bytes" in vm.flat(), "the screen does not say why")
        expect_equal(vm.events("pass"), [], "passes")
        expect_no_write(disk, before)


main()
