"""One core, compiled once: the code of build/core.o stands, byte for byte, in both the UEFI and the BIOS program.

Every function whose code needs no relocation is looked for at its linked place in both."""

from common import expect
from vm import BUILD, run_tool


def functions(path):
    """name -> (address, size) of every function in an ELF file."""
    found = {}
    for line in run_tool("readelf", "-sW", path).decode().splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] == "FUNC" and words[6] != "UND" and int(words[2], 0):
            found.setdefault(words[7], []).append((int(words[1], 16), int(words[2], 0)))
    return found


def text_section(path):
    """(address, bytes) of .text"""
    for line in run_tool("readelf", "-SW", path).decode().splitlines():
        words = line.replace("[", " ").replace("]", " ").split()
        if len(words) > 5 and words[1] == ".text":
            address, offset, size = (int(w, 16) for w in words[3:6])
            return address, path.read_bytes()[offset:offset + size]
    raise AssertionError(f"{path} has no .text")


def relocated(path):
    """Offsets in .text that the linker fills in."""
    found, inside = [], False
    for line in run_tool("readelf", "-rW", path).decode().splitlines():
        if line.startswith("Relocation section"):
            inside = "'.rela.text'" in line
        elif inside and line[:1] in "0123456789abcdef" and line:
            found.append(int(line.split()[0], 16))
    return found


def main():
    core, links = BUILD / "core.o", [BUILD / "baretrim.so", BUILD / "bios.elf"]
    base, code = text_section(core)
    holes = relocated(core)
    compared = 0
    linked = [(functions(p), *text_section(p)) for p in links]
    for name, places in functions(core).items():
        address, size = places[0]
        if len(places) > 1 or size < 16 or any(address <= h < address + size for h in holes):
            continue
        want = code[address - base:address - base + size]
        for path, (names, start, text) in zip(links, linked):
            expect(name in names, f"{path.name} has no {name}")
            got = [text[a - start:a - start + n] for a, n in names[name]]
            expect(want in got, f"{name} in {path.name} is not the core's")
        compared += 1
    expect(compared >= 20, f"only {compared} functions could be compared")


main()
