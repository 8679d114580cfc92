"""A disk whose FLUSH CACHE fails: what was written may not be on the medium, so the run says so and ends
without a PASS."""

from common import SERIAL, expect, options, verdict
from vm import GiB, Machine


def main():
    with Machine("error_flush") as vm:
        vm.add_disk(0, vm.make_disk("target.raw", 16 * GiB), serial=SERIAL,
                    faults=[{"iotype": "flush", "errno": 5, "once": False}])
        vm.kernel(options())
        vm.run()
        expect("flush" in vm.flat().lower(), "the console does not name the flush")
        events = vm.events("verdict")
        expect(not events or verdict(vm)["overall"] != "PASS", "a failed flush ended in a PASS")
        expect(vm.events("end")[-1]["step"] == "FAILED", "the run did not end as FAILED")


main()
