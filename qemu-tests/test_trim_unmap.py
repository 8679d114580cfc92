"""TRIM on a disk that honours it: PASS by data, real holes in the host's file, and nothing else touched.

160 GiB, so that one place lies across sector 2^28, with recognisable data all over it. Started from a USB
stick that is first in the boot order: the firmware has never touched the target's controller. The report on
the stick is held against its schema; what it says about each case is held against the host's file; the dump of
the drive's IDENTIFY is given to hdparm."""

import subprocess

from common import (SERIAL, allocated_outside, config, covered, expect, expect_equal, expect_verdict, is_hole,
                    qemu_map, sentinels, stamp_of, validate)
from vm import KiB, SECTOR, GiB, Machine, fat_find, fat_read, stick_reports


def read(disk, lba, sectors=1):
    disk.seek(lba * SECTOR)
    return disk.read(sectors * SECTOR)


def check_case(disk, mapping, case, stamped):
    """What was named reads as zeros, its whole blocks are holes, its neighbours carry their own stamps."""
    first, count = case["lba"], case["count"]
    if count:
        data = read(disk, first, count)
        expect(data == bytes(len(data)), f"{case['name']} at {first}: old data on the host")
        start, end = first * SECTOR, (first + count) * SECTOR
        start, end = (start + 4 * KiB - 1) // (4 * KiB) * (4 * KiB), end // (4 * KiB) * (4 * KiB)
        if end > start:
            expect(is_hole(mapping, start, end - start), f"{case['name']} at {first}: no hole on the host")
    for lba in (first - 1, first + count):
        if covered(lba, 1, stamped):
            found = stamp_of(read(disk, lba))
            expect(found is not None and found[0] == lba, f"{case['name']}: guard sector {lba} lost its stamp")


def main():
    with Machine("trim_unmap") as vm:
        target = vm.make_disk("target.raw", 160 * GiB)
        kept = sentinels(target, 160 * GiB)
        vm.pflash()
        stick = vm.copy_stick(config())
        vm.add_stick(stick)
        vm.add_disk(1, target, serial=SERIAL)
        vm.run(timeout_s=120)

        expect_verdict(vm, overall="PASS", command="OK", logical="DEALLOCATED (zeros)")
        reports = stick_reports(stick)
        expect_equal(len(reports), 1, "reports on the stick")
        folder, report = reports.popitem()
        validate(report)
        expect_equal(report["verdict"]["overall"], "PASS", "verdict in the report")

        stamped = [(p["lba"], p["count_sectors"]) for p in report["passes"] if p["kind"] == "stamp"]
        expect(any(a < 1 << 28 < a + n for a, n in stamped), "no place lies across sector 2^28")
        written = sum(n for _, n in stamped) * SECTOR
        expect(0 < written < 160 * GiB // 100, f"{written} bytes written")
        mapping = qemu_map(target)
        with open(target, "rb") as disk:
            for case in report["trim_cases"]:
                check_case(disk, mapping, case, stamped)
            for at, length in kept:
                if not any(a * SECTOR < at + length and at < (a + n) * SECTOR for a, n in stamped):
                    disk.seek(at)
                    expect(disk.read(8) == b"SENTINEL", f"the data at byte {at} is gone")
        ranges = kept + [(a * SECTOR, n * SECTOR) for a, n in stamped]
        expect_equal(allocated_outside(target, ranges), [], "written outside the stamped places at bytes")

        dump = fat_find(stick, "identify.txt")
        expect(dump is not None, "no identify.txt beside the report")
        said = subprocess.run(["hdparm", "--Istdin"], input=fat_read(stick, dump), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False).stdout.decode(errors="replace")
        for wanted in (SERIAL, "BARETRIM TEST SSD", "Data Set Management TRIM supported"):
            expect(wanted in said, f"hdparm does not say {wanted!r} from identify.txt:\n{said}")


main()
