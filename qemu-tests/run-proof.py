#!/usr/bin/python3
"""Show BareTrim at work: run-proof.py boots the built stick image in QEMU with a test disk on QEMU's AHCI
controller, runs the plan `proof` unattended, shows the event log as it comes, then the result, and leaves the
report and a picture of the final screen in build/run/. Exit status 0 only if the proof passed: verdict PASS, every TRIM
completed, zeros read back.

run-proof.py --ui leaves the same machine at its menu, on this terminal.
"""

import os
import shutil
import subprocess
import sys
import time

from common import config, validate
from vm import BUILD, GiB, STICK, SECTOR, Failure, Machine, fat_list, fat_read, parse_log, stick_reports

SERIAL = "BT-DEMO-0001"
MODEL = "BARETRIM DEMO SSD"
SIZE = 160 * GiB  # sparse; large enough that one place of the proof lies across sector 2^28
LIMIT_S = 180
QUIET = {"progress"}


def machine():
    vm = Machine("run")
    vm.screen()
    vm.add_disk(1, vm.make_disk("target.raw", SIZE), serial=SERIAL, model=MODEL)
    return vm


def show(event):
    pairs = "  ".join(f"{k} {v}" for k, v in event.items() if v != "")
    print(f"  {event.ns / 1e9:7.3f} s  {event.name:<12} {pairs}", flush=True)


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
