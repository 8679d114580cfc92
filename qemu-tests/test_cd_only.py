"""Only a CD drive, with a disc in it: listed as ATAPI, never spoken to, nothing to test."""

from common import expect, expect_equal, expect_no_write, expect_refused, options
from vm import MiB, Machine, medium_hash


def main():
    with Machine("cd_only") as vm:
        disc = vm.make_disk("disc.iso", 16 * MiB)
        disc.write_bytes(b"disc" * (MiB // 4))
        before = medium_hash(disc)
        vm.add_cd(2, disc)
        vm.kernel(options(target="QM00005"))
        vm.run(timeout_s=60)
        expect_refused(vm, "no drive here has the serial number")
        ports = {e["port"]: e["status"] for e in vm.events("port")}
        expect_equal(ports["2"], "ATAPI", "the CD drive's port")
        expect("nothing to test" in vm.flat(), "the screen does not say that there is nothing to test")
        expect_no_write(disc, before)


main()
