#!/usr/bin/python3
"""Show BareTrim at work: run-proof.py boots the built stick image in QEMU with a test disk on QEMU's AHCI
controller, runs the plan `proof` unattended, shows the event log as it comes, then the result, and leaves the
report and a picture of the final screen in build/run/. Exit status 0 only if the proof passed: verdict PASS, every TRIM
completed, zeros read back.

run-proof.py --ui leaves the same machine at its menu, on this terminal.
"""

import json
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # everything made lies in build/

from common import config, validate
from vm import BUILD, GiB, STICK, Failure, Machine, fat_list, fat_read, parse_log

SERIAL = "BT-DEMO-0001"
MODEL = "BARETRIM DEMO SSD"
SIZE = 160 * GiB  # sparse; large enough that one place of the proof lies across sector 2^28
LIMIT_S = 180
QUIET = {"progress", "saved", "port", "contact_way", "trim_case", "finding"}  # in the table below, or in the report


def machine():
    vm = Machine("run")
    vm.screen()
    vm.add_disk(1, vm.make_disk("target.raw", SIZE), serial=SERIAL, model=MODEL)
    return vm


def show(event):
    if event.name == "pass":
        what = (f"{event['name']} {event['place']}: {int(event['bytes'])} bytes, {event['commands']} commands, "
                f"{int(event['ns']) / 1e6:.2f} ms, {event['step']}")
    else:
        what = "  ".join(f"{k} {v}" for k, v in event.items() if v != "")
    print(f"  {event.ns / 1e9:7.3f} s  {event.name:<11} {what}", flush=True)


def follow(vm):
    """Show events until the run has ended or the machine is off."""
    shown, deadline = 0, time.monotonic() + LIMIT_S
    while True:
        over = vm.process.poll() is not None
        data = vm.log_path.read_bytes() if vm.log_path.exists() else b""
        events = parse_log(data)
        for event in events[shown:]:
            if event.name not in QUIET:
                show(event)
        shown = len(events)
        if any(e.name == "end" for e in events):
            return
        if over or time.monotonic() > deadline:
            raise Failure("the run did not come to its end")
        time.sleep(0.2)


def copy_out(stick, to):
    """The report folders of the stick into a folder of the host; returns the paths."""
    copied = []
    for path in fat_list(stick):
        name = path.split("/", 1)[1]
        if name.startswith("BARETRIM/") and not name.endswith("/"):
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(fat_read(stick, path))
            copied.append(target)
    return copied


def table(report):
    """The verdict and what it rests on, as lines of text."""
    verdict = report["verdict"]
    yield ""
    yield f"{'place':<8} {'TRIM':<12} {'sectors':>8} {'zeros':>8} {'old':>8} {'guards':>8} {'damaged':>8} {'time':>10}"
    for case in report["trim_cases"]:
        yield (f"{case['place']:<8} {case['name']:<12} {case['count']:>8} {case['inside']['zeros']:>8} "
               f"{case['inside']['stamp']:>8} {case['guard']['stamp']:>8} {case['damaged']:>8} "
               f"{case['trim_ns'] / 1e6:>7.2f} ms")
    yield ""
    for finding in report["findings"]:
        yield f"{finding['severity']}: {finding['text']}"
    for axis in ("command", "logical", "write", "read", "overall"):
        yield f"{axis:<8} {verdict[axis]}"
    yield verdict["sentence"]


def unattended():
    to = BUILD / "run"
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    with machine() as vm:
        stick = vm.copy_stick(config(target=SERIAL, exit="menu"))
        vm.pflash()
        vm.add_stick(stick)
        print(f"Booting {STICK.relative_to(BUILD.parent)} in QEMU; target: {MODEL}, serial {SERIAL}, "
              f"{SIZE // GiB} GiB on QEMU's AHCI controller.", flush=True)
        vm.start(limit_s=LIMIT_S + 30)
        follow(vm)
        vm.wait_console("Press a key for the menu", 20)
        picture = vm.screenshot(to / "result.png")
        vm.quit()
        copied = copy_out(stick, to)
    report_path = next((p for p in copied if p.name == "report.json"), None)
    if report_path is None:
        raise Failure("there is no report on the stick")
    report = json.loads(report_path.read_text())
    validate(report)
    print("\n".join(table(report)))
    print()
    for path in [*copied, picture]:
        print(f"{path.name:<14} {os.path.relpath(path)}")
    verdict = report["verdict"]
    good = (verdict["overall"], verdict["command"], verdict["logical"]) == ("PASS", "OK", "DEALLOCATED (zeros)")
    print("\nThe proof passed." if good else "\nThe proof did NOT pass.", flush=True)
    return 0 if good else 1


def at_the_menu():
    with machine() as vm:
        vm.pflash()
        vm.add_stick(vm.copy_stick())
        print(f"The menu comes on this terminal in a few seconds. The test disk's serial number is {SERIAL}.\n"
              "Ctrl-A X ends the machine.", flush=True)
        return subprocess.call([*vm.command_on_terminal()])


def main():
    try:
        return at_the_menu() if sys.argv[1:] == ["--ui"] else unattended()
    except Failure as failure:
        print(f"run-proof: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
