"""The same core under a legacy BIOS: lists the drives on the VGA text screen and on the serial line, and writes
nothing."""

from common import SERIAL, expect, expect_no_write
from vm import BIOS, GiB, Machine, medium_hash, vga_text


def main():
    with Machine("bios_list") as vm:
        disk = vm.make_disk("target.raw", 16 * GiB)
        with open(disk, "r+b") as image:
            image.write(b"mine" * 4096)
        before = medium_hash(disk)
        vm.legacy_bios()
        vm.screen()
        vm.add_disk(2, disk, serial=SERIAL)
        vm.kernel(program=BIOS)
        vm.start(limit_s=60)
        vm.wait_console(SERIAL, 30)
        screen = vm.wait_for("the serial number on the VGA screen",
                             lambda: (t := vga_text(vm.memory(0xB8000, 4000))) and SERIAL in t and t, 10)
        expect("BareTrim" in screen, f"no title on the screen:\n{screen}")
        expect("00:1f.2" in screen, f"no controller on the screen:\n{screen}")
        vm.quit()
        expect_no_write(disk, before)


main()
