"""TRIM on a disk that honours it: PASS by data, real holes in the host's file, and nothing else touched.

160 GiB, so that one place lies across sector 2^28, with recognisable data all over it. Started from a USB
stick that is first in the boot order: the firmware has never touched the target's controller. The report on
the stick is held against its schema; what it says about each case is held against the host's file; the dump of
the drive's IDENTIFY is given to hdparm."""

import subprocess

from common import (SERIAL, allocated_outside, config, expect, expect_equal, expect_verdict, is_hole,
                    qemu_map, sentinels, stamp_of, validate)
from vm import GiB, KiB, SECTOR, Machine, fat_check, fat_find, fat_read, stick_reports

BLOCK = 4 * KiB  # what the host's file system allocates in


def zero_runs(disk, first, count):
    """[first, count] of every run of zeroed sectors in a stamped place; every other sector must be the stamp of
    its own LBA, all of one run."""
    runs, run_ids = [], set()
    for lba in range(first, first + count):
        disk.seek(lba * SECTOR)
        sector = disk.read(SECTOR)
        if sector == bytes(SECTOR):
            if runs and sum(runs[-1]) == lba:
                runs[-1][1] += 1
            else:
                runs.append([lba, 1])
            continue
        found = stamp_of(sector)
        expect(found is not None and found[0] == lba, f"sector {lba} is neither zeros nor its own stamp")
        run_ids.add(found[1])
    expect_equal(len(run_ids), 1, f"runs that stamped the place at {first}")
    return runs


def check_place(disk, mapping, first, count, cases):
    """On the host's side: just what the cases named is zeros, and whole blocks of it are holes."""
    runs = zero_runs(disk, first, count)
    named = [c for c in cases if first <= c["lba"] < first + count]
    expect_equal(sum(n for _, n in runs), sum(c["count"] for c in named), f"zeroed sectors in the place at {first}")
    for case in named:
        if case["entries"] == 1 and case["count"]:
            expect([case["lba"], case["count"]] in runs, f"{case['name']} at {case['lba']}: not just that is zeros")
        elif case["count"]:
            expect_equal(sum(a >= case["lba"] for a, _ in runs), case["entries"], f"runs of zeros of {case['name']}")
    holes = 0
    for lba, sectors in runs:
        start, end = -(-lba * SECTOR // BLOCK) * BLOCK, (lba + sectors) * SECTOR // BLOCK * BLOCK
        if end > start:
            expect(is_hole(mapping, start, end - start), f"no hole on the host for the {sectors} sectors at {lba}")
            holes += 1
    expect(holes > 0, f"no run at {first} is large enough for a hole")


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
        report = reports.popitem()[1]
        fat_check(stick)
        validate(report)
        expect_equal(report["verdict"]["overall"], "PASS", "verdict in the report")

        stamped = [(p["lba"], p["count_sectors"]) for p in report["passes"] if p["kind"] == "stamp"]
        expect(any(a < 1 << 28 < a + n for a, n in stamped), "no place lies across sector 2^28")
        written = sum(n for _, n in stamped) * SECTOR
        expect(0 < written < 160 * GiB // 100, f"{written} bytes written")
        mapping = qemu_map(target)
        with open(target, "rb") as disk:
            for first, count in stamped:
                check_place(disk, mapping, first, count, report["trim_cases"])
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
        # hdparm speaks of TRIM only where word 80 claims ATA8-ACS, which QEMU's disk does not.
        expect_equal(int(fat_read(stick, dump).split()[169], 16) & 1, 1, "TRIM bit of word 169 in identify.txt")
        for wanted in (SERIAL, "BARETRIM TEST SSD", f"LBA48  user addressable sectors:   {160 * GiB // SECTOR}\n",
                       "Queue depth: 32"):
            expect(wanted in said, f"hdparm does not say {wanted!r} from identify.txt:\n{said}")


main()
