"""What a run on a disk with one bad sector must look like."""

from common import expect, expect_equal, verdict

FAULT_LBA = 5000  # inside the proof's first place


def expect_reported(vm, lba):
    """The run ended as FAILED, named the sector, and gave no PASS."""
    end = vm.events("end")[-1]
    expect_equal(end["step"], "FAILED", "the run's end")
    expect(f"LBA {lba} " in end["failure"], f"the failure does not name sector {lba}: {end['failure']}")
    expect(f"LBA {lba} " in vm.flat(), f"the screen does not name sector {lba}")
    expect(verdict(vm)["overall"] != "PASS", "a run with an error ended in a PASS")
    failed = [e for e in vm.events("pass") if e["step"] == "FAILED"]
    expect(failed, "no pass is marked as failed")
    first, count = int(failed[-1]["fail_lba"]), int(failed[-1]["fail_count"])
    expect(first <= lba < first + count, f"the pass names {count} sectors from {first}, not {lba}")
