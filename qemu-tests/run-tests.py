#!/usr/bin/python3
"""Run the tests that boot the real program in QEMU: run-tests.py [NAME...], two at a time.

A test is one script, qemu-tests/test_NAME.py, whose first line says what it proves. Exit status 0: passed;
77: skipped, the last line it printed says why; anything else, or longer than its time: failed, and what it
printed is shown. A line "# slow" in a script starts it before the others, "# timeout: N" gives it N seconds.
Ends with "N passed, M failed, K skipped"; exit 1 when any failed.
"""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
AT_ONCE = 2
TIMEOUT_S = 150
SKIPPED = 77


def run(script):
    """(exit status or None after a time-out, output, seconds)"""
    limit = re.search(r"^# timeout: (\d+)$", script.read_text(), re.MULTILINE)
    limit_s = int(limit.group(1)) if limit else TIMEOUT_S
    began = time.monotonic()
    # -B: no compiled files beside the scripts; everything made lies in build/.
    with subprocess.Popen([sys.executable, "-B", str(script)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as child:
        try:
            output, status = child.communicate(timeout=limit_s)[0], child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)  # its own session: the script and the QEMU it started
            time.sleep(2)
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            output, status = child.communicate()[0] + f"still running after {limit_s} s\n".encode(), None
    return status, output.decode("utf-8", "replace").rstrip(), time.monotonic() - began


def main():
    scripts = sorted(HERE.glob("test_*.py"))
    if sys.argv[1:]:
        wanted = {re.sub(r"^(.*/)?(test_)?|\.py$", "", name) for name in sys.argv[1:]}
        scripts = [s for s in scripts if s.stem[5:] in wanted]
    scripts.sort(key=lambda s: "\n# slow\n" not in s.read_text())
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(run, script): script.stem[5:] for script in scripts}
        for done in concurrent.futures.as_completed(running):
            name, (status, output, seconds) = running[done], done.result()
            if status == 0:
                passed += 1
                print(f"ok qemu {name} ({seconds:.0f} s)", flush=True)
            elif status == SKIPPED:
                skipped += 1
                print(f"skip qemu {name}: {output.splitlines()[-1] if output else 'no reason given'}", flush=True)
            else:
                failed += 1
                print(f"FAIL qemu {name} ({seconds:.0f} s)\n{output}", flush=True)
    if not scripts:
        print("FAIL qemu: no test of that name")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
