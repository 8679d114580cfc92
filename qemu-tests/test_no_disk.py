"""No disk at all: every port is listed as empty, a named target is not found, and the program ends."""

from common import expect, expect_equal, expect_refused, options
from vm import Machine


def main():
    with Machine("no_disk") as vm:
        vm.kernel(options())
        vm.run(timeout_s=60)
        expect_refused(vm, "no drive here has the serial number")
        ports = [e["status"] for e in vm.events("port")]
        expect_equal(ports, ["empty"] * 6, "the six ports of the controller")
        expect("nothing to test" in vm.flat(), "the screen does not say that there is nothing to test")


main()
