"""What several tests say: options of a run, what its verdict was, what the medium must look like after it."""

import json
import struct

from vm import GiB, KiB, ROOT, SECTOR, Failure, extents, is_hole, medium_hash, qemu_map

SERIAL = "BT-TEST-0001"
STAMP_MAGIC = b"BARETRIM"


def options(plan="proof", target=SERIAL, confirm=True, **more):
    """The load options of an unattended run; a value of None leaves a key out."""
    return " ".join(f"{k}={v}" for k, v in pairs(plan, target, confirm, **more))


def config(plan="proof", target=SERIAL, confirm=True, **more):
    """The text of a baretrim.cfg."""
    return "".join(f"{k} = {v}\n" for k, v in pairs(plan, target, confirm, **more))


def pairs(plan, target, confirm, **more):
    keys = {"plan": plan, "target": target}
    if confirm:
        keys["confirm"] = "ERASE," + target.split("@")[0]
    keys.update({"serial": "log", "exit": "poweroff"})
    keys.update(more)
    return [(k, v) for k, v in keys.items() if v is not None]


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_equal(got, want, what):
    if got != want:
        raise Failure(f"{what}: {got!r}, wanted {want!r}")


def verdict(vm):
    """The run's verdict event; there is exactly one."""
    events = vm.events("verdict")
    expect_equal(len(events), 1, "verdict events")
    return events[0]


def expect_verdict(vm, **wanted):
    got = verdict(vm)
    for key, value in wanted.items():
        expect_equal(got.get(key), value, f"verdict {key} in {got.line}")
    return got


def expect_refused(vm, words, wait_s=0):
    """Nothing was started, the screen says why in these words, and no verdict was given."""
    if wait_s:
        vm.wait_console("REFUSED", wait_s)
    flat = vm.flat()
    expect("REFUSED" in flat, "the screen does not say REFUSED")
    expect(words in flat, f"the screen does not say why ({words!r})")
    expect("Nothing was written" in flat, "the screen does not say that nothing was written")
    passed = [e for e in vm.events("verdict") if e["overall"] != "INCONCLUSIVE"]
    expect_equal(passed, [], "verdicts of a refused run")
    expect_equal(vm.events("pass"), [], "passes of a refused run")


def expect_no_write(path, before):
    """The medium is what it was, byte for byte."""
    expect_equal(medium_hash(path), before, "hash of the medium")


def sentinels(path, size, step=4 * GiB, length=64 * KiB):
    """Put recognisable data all over an empty disk, away from round numbers; returns where."""
    places = []
    with open(path, "r+b") as disk:
        for at in range(step // 2 + 12345 * SECTOR, size - length, step):
            block = b"".join(b"SENTINEL" + (at + i).to_bytes(8, "little") * 63 for i in range(0, length, SECTOR))
            disk.seek(at)
            disk.write(block)
            places.append((at, length))
    return places


def stamp_of(sector):
    """(lba, run id) of a stamped sector, or None."""
    return struct.unpack_from("<QQ", sector, 8) if sector[:8] == STAMP_MAGIC else None


def load_schema():
    return json.loads((ROOT / "docs" / "report.schema.json").read_text())


def validate(report):
    """Hold a report against its schema. jsonschema is a Debian package that scripts/setup installs."""
    import jsonschema
    try:
        jsonschema.Draft7Validator.check_schema(load_schema())
        jsonschema.validate(report, load_schema())
    except jsonschema.ValidationError as error:
        raise Failure(f"report.json: {'/'.join(map(str, error.absolute_path))}: {error.message}") from None


def allocated_outside(path, ranges, block=4 * KiB):
    """Parts of the file with data in them that no range explains, with each range widened to whole blocks:
    the file system below allocates in blocks."""
    wide = [(a - a % block, n + a % block + block) for a, n in ranges]
    stray = []
    for start, size in extents(path):
        for at in range(start, start + size, block):
            if not any(a <= at < a + n for a, n in wide):
                stray.append(at)
    return stray


__all__ = ["SERIAL", "allocated_outside", "config", "expect", "expect_equal", "expect_no_write", "expect_refused",
           "expect_verdict", "is_hole", "options", "qemu_map", "sentinels", "stamp_of", "validate", "verdict"]
