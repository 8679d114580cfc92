"""A person at the keyboard: chooses the drive and the plan by letter keys, types a wrong serial number and is
refused, types the right one, and sees the result; every picture on the way has something on it."""

from common import SERIAL, expect, expect_no_write
from vm import GiB, Machine, medium_hash


def picture(vm, name, smallest=4000):
    size = vm.screenshot(vm.dir / f"{name}.png").stat().st_size
    expect(size > smallest, f"the picture {name}.png is blank ({size} bytes)")


def main():
    with Machine("keys") as vm:
        disk = vm.make_disk("target.raw", 16 * GiB)
        before = medium_hash(disk)
        vm.screen()
        vm.add_stick(vm.copy_stick())
        vm.add_disk(0, disk, serial=SERIAL)
        vm.start()
        vm.wait_console(SERIAL, 40)
        picture(vm, "list")
        vm.keys("1")
        vm.wait_console("proof", 20)
        vm.keys("p")
        vm.wait_console("ERASE", 30)
        picture(vm, "confirm")
        vm.keys("BT-TEST-0002\r")
        vm.wait_console("not", 20)
        expect_no_write(disk, before)
        vm.keys(" ")
        vm.wait_console("drives", 20)
        vm.keys("1p")
        vm.keys(SERIAL + "\r")
        vm.wait_console("DEALLOCATED", 60)
        picture(vm, "result")
        vm.quit()


main()
