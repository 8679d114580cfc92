"""A serial number that does not match, in the target or in the confirmation, or no confirmation: refused, and
the medium stays what it was."""

from common import SERIAL, expect, expect_no_write, expect_refused, options
from vm import GiB, Machine, medium_hash

CASES = [
    ("other target", dict(target="BT-TEST-0002"), "no drive here has the serial number"),
    ("only the beginning", dict(target="BT-TEST"), "no drive here has the serial number"),
    ("other confirmation", dict(confirm=None) | dict(more="confirm=ERASE,BT-TEST-0002"), "confirm"),
    ("word missing", dict(confirm=None) | dict(more=f"confirm={SERIAL}"), "confirm"),
    ("no confirmation", dict(confirm=None), "confirm"),
]


def main():
    for name, keys, words in CASES:
        with Machine("wrong_serial") as vm:
            disk = vm.make_disk("target.raw", 16 * GiB)
            with open(disk, "r+b") as image:
                image.write(b"mine" * 4096)
            before = medium_hash(disk)
            vm.add_disk(0, disk, serial=SERIAL)
            more = keys.pop("more", "")
            vm.kernel(f"{options(**keys)} {more}".strip())
            vm.run(timeout_s=60)
            expect_refused(vm, words)
            expect_no_write(disk, before)
            print("ok", name)
    expect(True, "")


main()
