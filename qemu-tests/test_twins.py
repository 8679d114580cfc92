"""Two drives with the same model and serial number: the number alone is refused and both stay untouched; with
its port one of them is tested and the other stays untouched."""

from common import SERIAL, expect, expect_no_write, expect_refused, expect_verdict, options
from vm import GiB, Machine, medium_hash


def boot(name, target):
    with Machine(name) as vm:
        disks = [vm.make_disk(f"twin{port}.raw", 16 * GiB) for port in (0, 3)]
        for disk in disks:
            with open(disk, "r+b") as image:
                image.write(b"twin" * 1024)
        before = [medium_hash(d) for d in disks]
        vm.add_disk(0, disks[0], serial=SERIAL)
        vm.add_disk(3, disks[1], serial=SERIAL)
        vm.kernel(options(target=target))
        vm.run()
        return vm, disks, before


def main():
    vm, disks, before = boot("twins_by_name", SERIAL)
    expect_refused(vm, "more than one drive")
    expect(f"{SERIAL}@00:1f.2/" in vm.flat(), "the message does not show how to name one of them")
    expect_no_write(disks[0], before[0])
    expect_no_write(disks[1], before[1])

    vm, disks, before = boot("twins_by_port", f"{SERIAL}@00:1f.2/3")
    expect_verdict(vm, overall="PASS")
    expect_no_write(disks[0], before[0])
    expect(medium_hash(disks[1]) != before[1], "the run left no trace on the drive that was named")


main()
