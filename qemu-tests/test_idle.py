"""No keyboard, no options, no configuration: after 120 s at the menu nothing has happened to the medium, and the
program is still there, waiting."""
# slow

import time

from common import SERIAL, expect, expect_equal, expect_no_write
from vm import GiB, Machine, medium_hash


def main():
    with Machine("idle") as vm:
        disk = vm.make_disk("target.raw", 16 * GiB)
        with open(disk, "r+b") as image:
            image.write(b"mine" * 4096)
        before = medium_hash(disk)
        vm.args += ["-machine", "i8042=off"]  # the firmware finds no keyboard either
        vm.add_disk(0, disk, serial=SERIAL)
        vm.kernel()
        vm.start(limit_s=145)
        vm.wait_console(SERIAL, 30)  # the list is on the screen
        time.sleep(120)
        expect(vm.process.poll() is None, "the program went away")
        expect_equal(vm.events(), [], "events without serial = log")
        vm.quit()
        expect_no_write(disk, before)


main()
