"""One virtual machine for one test: builds QEMU's command line, starts it, reads what the program says on
serial lines, types keys and takes screenshots by QMP, and never leaves a QEMU behind.

    with Machine("name") as vm:
        vm.add_disk(0, vm.make_disk("target.raw", 8 * GiB), serial="BT-1")
        vm.kernel("plan=proof target=BT-1 confirm=ERASE,BT-1 serial=log exit=poweroff")
        vm.run(timeout_s=60)                      # start, wait until the machine is off
        assert vm.events("verdict")[-1]["overall"] == "PASS"

COM1 is the firmware's console. OVMF uses COM2 as a console too, so the event log comes out of COM3.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
EFI = BUILD / "baretrim.efi"
BIOS = BUILD / "baretrim.bios"
STICK = BUILD / "stick.img"
OVMF_ONE_FILE = "/usr/share/ovmf/OVMF.fd"  # no stored variables; starts about a second sooner
OVMF_CODE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
OVMF_VARS = "/usr/share/OVMF/OVMF_VARS_4M.fd"

KiB, MiB, GiB = 1 << 10, 1 << 20, 1 << 30
SECTOR = 512

ESCAPE = re.compile(r"\x1b\[([0-9;?=]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>78c]")
PAIR = re.compile(r'([a-z0-9_.]+)=("(?:[^"\\]|\\.)*"|\S*)')
QCODES = {" ": "spc", "-": "minus", ".": "dot", "/": "slash", ",": "comma", "=": "equal", "\n": "ret", "\r": "ret",
          "\x1b": "esc", "\b": "backspace", ":": ["shift", "semicolon"], "@": ["shift", "2"], "_": ["shift", "minus"]}


class Failure(AssertionError):
    """The machine did not do what the test waited for."""


class Event(dict):
    """One line of the event log: event["key"], event.name, event.ns, event.line"""

    def __init__(self, line):
        super().__init__()
        self.line = line
        _, ns, self.name, *rest = line.split(" ", 3)
        self.ns = int(ns)
        for key, value in PAIR.findall(rest[0] if rest else ""):
            if value.startswith('"'):
                value = re.sub(r"\\(.)", r"\1", value[1:-1])
            self[key] = value


def parse_log(data):
    """Every whole event line in the bytes of the log; a line cut short at the end is left out."""
    events = []
    for raw in data.split(b"\n")[:-1]:
        line = raw.decode("ascii", "replace").strip("\r")
        if re.match(r"BT1 \d+ \S+", line):
            events.append(Event(line))
    return events


def console_text(data):
    """What the console printed, in order, without colours. The firmware's serial console writes code page
    437 and places the cursor before almost every word: a move to where the cursor is already is dropped, any
    other becomes a line end."""
    text, out, row, column, at = data.decode("cp437"), [], 1, 1, 0
    while at < len(text):
        escape = ESCAPE.match(text, at)
        if escape:
            at = escape.end()
            if escape.group(2) in ("H", "f"):
                place = [int(n or 1) for n in escape.group(1).split(";")] + [1, 1]
                # A console that scrolled stands on its last row, which this does not know.
                if place[1] != column or place[0] != row and not place[0] < row:
                    out.append("\n")
                row, column = place[:2]
            continue
        c, at = text[at], at + 1
        if c == "\n":
            row += 1
        if c == "\r":
            column = 1
        elif c == "\b":
            column -= 1
        else:
            column += c >= " "
            out.append(c)
    return "".join(out)


def run_tool(*command, check=True, **options):
    done = subprocess.run([str(c) for c in command], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, **options)
    if check and done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


# --- images ------------------------------------------------------------------------------------------------


def extents(path):
    """(offset, bytes) of every part of a sparse file that is not a hole."""
    with open(path, "rb") as image:
        at, end = 0, os.fstat(image.fileno()).st_size
        while at < end:
            try:
                start = os.lseek(image.fileno(), at, os.SEEK_DATA)
            except OSError:  # ENXIO: nothing but a hole from here on
                return
            at = os.lseek(image.fileno(), start, os.SEEK_HOLE)
            yield start, at - start


def medium_hash(path):
    """SHA-256 over every 4 KiB block that is not all zeros, with its place: the same for a hole and for
    written zeros, and quick for a large sparse file."""
    import hashlib
    total, zeros = hashlib.sha256(), bytes(4 * KiB)
    with open(path, "rb") as image:
        for start, size in extents(path):
            first = start - start % len(zeros)
            image.seek(first)
            for at in range(first, start + size, len(zeros)):
                block = image.read(len(zeros))
                if block != zeros[:len(block)]:
                    total.update(at.to_bytes(8, "little") + block)
    return total.hexdigest()


def qemu_map(path):
    """What qemu-img says about each extent: dicts with start, length, zero, data."""
    return json.loads(run_tool("qemu-img", "map", "-f", "raw", "--output=json", path))


def is_hole(mapping, start, length):
    """Is all of [start, start + length) unallocated in a qemu_map()?"""
    return all(not e["data"] for e in mapping
               if e["start"] < start + length and e["start"] + e["length"] > start)


def mtools_name(image):
    """How mtools addresses the FAT volume in an image: whole, or in the first partition."""
    with open(image, "rb") as raw:
        head = raw.read(SECTOR)
    if head[54:57] == b"FAT" or head[82:85] == b"FAT":
        return str(image)
    return f"{image}@@{int.from_bytes(head[454:458], 'little') * SECTOR}"


def fat_list(image):
    """Every file and folder ("::/EFI/BOOT/BOOTX64.EFI", folders end in "/")."""
    listed = run_tool("mdir", "-/", "-b", "-i", mtools_name(image), "::").decode("cp437")
    return [line for line in listed.split("\n") if line]


def fat_write(image, path, data):
    """Replace or create a file; the folder must exist."""
    with tempfile.NamedTemporaryFile() as source:
        source.write(data if isinstance(data, bytes) else data.encode())
        source.flush()
        run_tool("mcopy", "-o", "-i", mtools_name(image), source.name, f"::/{path.lstrip(':/')}")


def fat_read(image, path):
    return run_tool("mtype", "-i", mtools_name(image), f"::/{path.lstrip(':/')}")


def fat_find(image, name):
    """The path of the one file with this name, wherever it lies; None if there is none."""
    found = [f for f in fat_list(image) if f.rstrip("/").split("/")[-1].lower() == name.lower()]
    return found[0] if found else None


def stick_config(image, text):
    """Put a baretrim.cfg beside the program on a stick image."""
    program = fat_find(image, "BOOTX64.EFI")
    if program is None:
        raise Failure(f"{image} has no BOOTX64.EFI")
    old = fat_find(image, "baretrim.cfg")
    fat_write(image, old or program.rsplit("/", 1)[0] + "/baretrim.cfg", text)


def stick_reports(image):
    """The report folders on a stick: name -> report.json, parsed."""
    found = {}
    for path in fat_list(image):
        parts = path.split("/")
        if parts[-1].lower() == "report.json":
            found[parts[-2]] = json.loads(fat_read(image, path))
    return found


def fat_check(image):
    """The FAT volume of an image is sound: nothing lost, nothing crossed, both tables equal."""
    run_tool("fsck.fat", "-n", image)


# --- the machine -------------------------------------------------------------------------------------------


class Machine:
    """See the head of this file. Everything a test makes lies in build/qemu/<name>/."""

    def __init__(self, name, memory_mib=256):
        self.dir = BUILD / "qemu" / name
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir(parents=True)
        self.sockets = tempfile.mkdtemp(prefix="bt-")  # a socket's path must be short
        self.console_path = self.dir / "console.txt"
        self.log_path = self.dir / "log.txt"
        self.args = ["-nodefaults", "-no-user-config", "-no-reboot", "-m", str(memory_mib), "-cpu", "Nehalem",
                     "-machine", "q35,accel=" + os.environ.get("BARETRIM_QEMU_ACCEL", "tcg")]
        self.firmware = ["-bios", OVMF_ONE_FILE]
        self.video = ["-vga", "none"]
        self.process = None
        self.qmp = None
        self.nodes = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.kill()
        if kind is not None:
            print(self.tail())
        shutil.rmtree(self.sockets, ignore_errors=True)

    # --- what it is made of

    def make_disk(self, name, size):
        """A sparse raw disk, all zeros."""
        path = self.dir / name
        with open(path, "wb") as disk:
            disk.truncate(size)
        return path

    def copy_stick(self, config=None, name="stick.img"):
        """A copy of the built stick image; config: the text of its baretrim.cfg."""
        path = self.dir / name
        shutil.copyfile(STICK, path)
        if config is not None:
            stick_config(path, config)
        return path

    def kernel(self, options=None, program=EFI):
        """Start the program directly, without an image; options are its load options."""
        self.args += ["-kernel", str(program)]
        if options:
            self.args += ["-append", options]

    def pflash(self):
        """Firmware with a variable store of its own, for tests of boot paths; returns the store's file."""
        variables = self.dir / "vars.fd"
        shutil.copyfile(OVMF_VARS, variables)
        self.firmware = ["-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={OVMF_CODE}",
                         "-drive", f"if=pflash,unit=1,format=raw,file={variables}"]
        return variables

    def legacy_bios(self):
        self.firmware = []

    def screen(self):
        self.video = ["-vga", "std"]

    def add_node(self, path, discard="unmap", read_only=False, faults=(), fmt="raw"):
        """A block node over a file. faults: dicts for blkdebug's inject-error (iotype, sector, errno, once)."""
        self.nodes += 1
        name, common = f"n{self.nodes}", {"discard": discard, "read-only": read_only}
        below = {"driver": "file", "filename": str(path), **common}
        if faults:
            # Event "none" arms a rule at once, for as long as the machine runs.
            rules = [{"event": "none", "immediately": False, **fault} for fault in faults]
            below = {"driver": "blkdebug", "image": below, "inject-error": rules, **common}
        self.args += ["-blockdev", json.dumps({"driver": fmt, "node-name": name, "file": below, **common})]
        return name

    def add_disk(self, port, path, serial, model="BARETRIM TEST SSD", bus="ide", bootindex=None, extra="", **node):
        """A hard disk on a port of the built-in AHCI controller (or of one added with add_ahci)."""
        name = self.add_node(path, **node)
        boot = f",bootindex={bootindex}" if bootindex is not None else ""
        self.args += ["-device", f"ide-hd,bus={bus}.{port},drive={name},serial={serial},model={model},"
                                 f"werror=report,rerror=report{boot}{extra}"]

    def add_cd(self, port, path=None, bus="ide"):
        drive = f",drive={self.add_node(path, read_only=True)}" if path else ""
        self.args += ["-device", f"ide-cd,bus={bus}.{port}{drive}"]

    def add_ahci(self, bus="ahci1", extra=""):
        """A second AHCI controller."""
        self.args += ["-device", f"ich9-ahci,id={bus}{extra}"]

    def add_stick(self, path, bootindex=0, read_only=False):
        """A USB stick; bootindex None: the firmware finds it by itself, connecting everything it has."""
        name = self.add_node(path, read_only=read_only)
        boot = f",bootindex={bootindex}" if bootindex is not None else ""
        self.args += ["-device", "qemu-xhci,id=xhci", "-device", f"usb-storage,bus=xhci.0,drive={name}{boot}"]

    def add_keyboard(self):
        self.args += ["-device", "usb-kbd"]

    # --- running

    def command(self):
        serial = ["-serial", f"file:{self.console_path}", "-serial", "null", "-serial", f"file:{self.log_path}"]
        qmp = ["-qmp", f"unix:{self.sockets}/qmp,server=on,wait=off"]
        return ["qemu-system-x86_64", *self.args, *self.firmware, *self.video, "-display", "none", "-monitor", "none",
                *serial, *qmp]

    def command_on_terminal(self):
        """The same machine with the firmware's console on this terminal, for a person."""
        return ["qemu-system-x86_64", *self.args, *self.firmware, *self.video, "-display", "none",
                "-serial", "mon:stdio"]

    def start(self, limit_s=150):
        """limit_s: after this long the machine is killed, whatever becomes of this script."""
        with open(self.dir / "qemu.txt", "wb") as said:
            said.write((" ".join(self.command()) + "\n").encode())
            said.flush()
            self.process = subprocess.Popen(["timeout", "--foreground", "-k", "5", str(limit_s), *self.command()],
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def wait_off(self, timeout_s):
        """Wait until the machine has switched itself off."""
        try:
            status = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise Failure(f"the machine is still running after {timeout_s} s") from None
        if status != 0:
            raise Failure(f"QEMU ended with {status}: {(self.dir / 'qemu.txt').read_text()[-500:]}")

    def run(self, timeout_s=90):
        self.start(limit_s=timeout_s + 10)
        self.wait_off(timeout_s)

    def wait_for(self, what, condition, timeout_s):
        """Poll condition() until it is true; what: for the message. Returns its value."""
        deadline = time.monotonic() + timeout_s
        while True:
            value = condition()
            if value:
                return value
            if self.process.poll() is not None:
                value = condition()  # what it wrote last
                if value:
                    return value
                raise Failure(f"the machine went off before: {what}")
            if time.monotonic() > deadline:
                raise Failure(f"not within {timeout_s} s: {what}")
            time.sleep(0.1)

    def wait_event(self, name, timeout_s=60, **pairs):
        return self.wait_for(f"event {name} {pairs or ''}", lambda: self.events(name, **pairs), timeout_s)[-1]

    def wait_console(self, text, timeout_s=60):
        self.wait_for(f"{text!r} on the console", lambda: text in self.flat(), timeout_s)

    def kill(self):
        if self.qmp is not None:
            self.qmp.close()
            self.qmp = None
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()  # timeout(1) passes it on, and makes sure
            self.process.wait(15)

    # --- what it said

    def events(self, name=None, **pairs):
        """Events so far, of one name, with these values."""
        data = self.log_path.read_bytes() if self.log_path.exists() else b""
        return [e for e in parse_log(data) if (name is None or e.name == name)
                and all(e.get(k) == v for k, v in pairs.items())]

    def console(self):
        return console_text(self.console_path.read_bytes() if self.console_path.exists() else b"")

    def flat(self):
        """The console's text with every run of blanks and line ends as one blank."""
        return " ".join(self.console().split())

    def tail(self):
        """The end of both lines, for a failure."""
        log = self.log_path.read_bytes().decode("ascii", "replace") if self.log_path.exists() else ""
        console = [s.rstrip() for s in self.console().split("\n") if s.strip()]
        return "\n".join(["  --- console"] + ["  " + s for s in console[-40:]] +
                         ["  --- event log"] + ["  " + s for s in log.splitlines()[-30:]] + [f"  --- {self.dir}"])

    # --- QMP

    def qmp_command(self, execute, **arguments):
        if self.qmp is None:
            deadline = time.monotonic() + 10
            while True:
                try:
                    connection = socket.socket(socket.AF_UNIX)
                    connection.settimeout(30)
                    connection.connect(f"{self.sockets}/qmp")
                    break
                except OSError:
                    connection.close()
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.05)
            self.qmp = connection.makefile("rw", encoding="utf-8")
            connection.close()  # the file keeps it open
            self.qmp.readline()  # the greeting
            self.qmp_command("qmp_capabilities")
        self.qmp.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self.qmp.flush()
        while True:
            answer = json.loads(self.qmp.readline())
            if "error" in answer:
                raise Failure(f"QMP {execute}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def keys(self, text, gap_s=0.12):
        """Type text on the machine's keyboard; capitals by shift. A faster hand loses keys."""
        for c in text:
            code = QCODES.get(c, c)
            if isinstance(code, str):
                code = ["shift", code.lower()] if code.isalpha() and code.isupper() else [code]
            self.qmp_command("send-key", keys=[{"type": "qcode", "data": q} for q in code])
            time.sleep(gap_s)

    def screenshot(self, path):
        self.qmp_command("screendump", filename=str(path), format="png")
        return path

    def memory(self, address, size):
        """Physical memory, by way of a file."""
        path = self.dir / "memory.bin"
        self.qmp_command("pmemsave", val=address, size=size, filename=str(path))
        return path.read_bytes()

    def quit(self):
        with contextlib.suppress(OSError, ValueError):
            self.qmp_command("quit")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()


def vga_text(memory):
    """The 80x25 text screen from its memory at B8000h."""
    cells = memory[0:4000:2].decode("cp437")
    return "\n".join(cells[row * 80:row * 80 + 80].rstrip(" \0") for row in range(25))
