"""The plan `contact` on a disk full of data: PIO, DMA and NCQ at depth 1 and 32 read what the firmware read, in
every sector compared there is something to compare, and the medium stays what it was."""

import random

from common import SERIAL, expect, expect_equal, expect_no_write, options
from vm import GiB, MiB, Machine, medium_hash

WAYS = {"PIO", "DMA", "NCQ depth 1", "NCQ depth 32"}


def main():
    with Machine("contact") as vm:
        disk = vm.make_disk("target.raw", 1 * GiB)
        block = random.Random(1).randbytes(MiB)
        with open(disk, "r+b") as image:
            for at in range(1024):
                image.write(at.to_bytes(4, "little") + block[4:])
        before = medium_hash(disk)
        vm.add_disk(5, disk, serial=SERIAL)
        vm.kernel(options(plan="contact", confirm=False))
        vm.run(timeout_s=60)
        expect_equal(vm.events("end")[-1]["step"], "DONE", "the run's end")
        contact = vm.events("contact")[-1]
        expect_equal(contact["result"], "ok", contact.line)
        expect(int(contact["sectors"]) >= 64 and contact["informative"] == contact["sectors"], contact.line)
        expect_equal(contact["firmware_reference"], "1", contact.line)
        ways = vm.events("contact_way")
        expect_equal({w["name"] for w in ways}, WAYS, "ways of reading")
        expect(all(w["different"] == "0" and w["sectors"] == contact["sectors"] for w in ways), "a way differs")
        expect_equal(vm.events("verdict"), [], "verdicts of a plan that sends no TRIM")
        expect_no_write(disk, before)


main()
