"""A disk that completes TRIM and does nothing: command OK, NO CHANGE SEEN, and never a PASS.

QEMU's disk promises that trimmed sectors read the same each time (DRAT), not that they read as zeros, so this
is no broken promise either."""

from common import SERIAL, expect, expect_verdict, options
from vm import GiB, Machine


def main():
    with Machine("trim_ignored") as vm:
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL, discard="ignore")
        vm.kernel(options())
        vm.run()
        said = expect_verdict(vm, command="OK", logical="NO CHANGE SEEN")
        expect(said["overall"] in ("INCONCLUSIVE", "FAIL"), said.line)


main()
