"""A configuration file with NULs, of 1 MB, or with nonsense in it: a clear message, no hang, no write, although
target and confirmation in it are right."""

from common import SERIAL, config, expect_equal, expect_no_write, expect_refused
from vm import GiB, Machine, medium_hash, stick_reports

CASES = [
    ("NULs", config().encode() + b"\0\0\0\n", "NUL"),
    ("1 MB", config().encode() + b"# filling\n" * 105000, "long"),
    ("unknown key", config(color="blue").encode(), "color"),
    ("no target", config(target="", confirm=False).encode(), "target"),
]


def main():
    for name, text, words in CASES:
        with Machine("bad_config") as vm:
            stick = vm.copy_stick(text)
            disk = vm.make_disk("target.raw", 16 * GiB)
            before = medium_hash(disk)
            vm.add_stick(stick)
            vm.add_disk(0, disk, serial=SERIAL)
            vm.start(limit_s=60)
            expect_refused(vm, words, wait_s=40)
            vm.quit()
            expect_no_write(disk, before)
            expect_equal(stick_reports(stick), {}, f"reports ({name})")


main()
