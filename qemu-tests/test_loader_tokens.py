"""Words that loaders add are ignored, whatever else is unknown stops the program before it looks at a drive."""

from common import SERIAL, expect, expect_equal, expect_no_write, expect_refused
from vm import GiB, Machine, medium_hash

LOADER = "bt.efi BOOT_IMAGE=/bt.efi BOOTIF=01-52-54-00-12-34-56 ip=10.0.2.15:10.0.2.2 initrd=x.img auto"
# What stands before a fault is honoured, so that the machine goes off.
ENDS = "serial=log exit=poweroff"
PROOF = f"{ENDS} plan=proof target={SERIAL} confirm=ERASE,{SERIAL}"
CASES = [
    # load options, words of the refusal or None: the plan runs
    (f"{LOADER} {ENDS} plan=identify target={SERIAL}", None),
    (f"{PROOF} colour=blue", "colour"),
    (f"{ENDS} plan=proff target={SERIAL} confirm=ERASE,{SERIAL}", "proff"),
    (f"{PROOF} max_write_bytes=-1", "max_write_bytes"),
    (f"{PROOF} settle=99999999999999999999", "settle"),
]


def main():
    for options, words in CASES:
        with Machine("loader_tokens") as vm:
            disk = vm.make_disk("target.raw", 16 * GiB)
            before = medium_hash(disk)
            vm.add_disk(0, disk, serial=SERIAL)
            vm.kernel(options)
            vm.run(timeout_s=60)
            if words is None:
                expect_equal(vm.events("end")[-1]["step"], "DONE", "the plan identify")
                expect(SERIAL in vm.flat(), "the drive is not on the screen")
            else:
                expect_refused(vm, words)
            expect_no_write(disk, before)


main()
