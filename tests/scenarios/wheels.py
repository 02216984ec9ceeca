"""Wheels whose fatbins hold what real ones hold: the machine code and PTX of these are recorded, the bytes are made."""
import shutil
import struct
import zipfile

CUBIN, MOST_MB = 1 << 16, 200
LINUX, WINDOWS = "manylinux2014_x86_64", "win_amd64"

# NAME==VERSION: Pythons, systems, machine code, PTX, its ISA, MB of it. As jitwarm scan found it in the wheels of PyPI.
HOLDS = {
    "tensorflow==0.12.0": ("27m", (LINUX,), "35 52", "52", "4.3", 20),
    "tensorflow==1.0.1": ("27m 36m", (LINUX,), "30 35 52", "52", "5.0", 40),
    "tensorflow==1.4.0": ("27m 36m", (LINUX,), "30 35 37 52 60 61", "61", "5.0", 64),
    "tensorflow==2.0.0": ("36m 37m", (LINUX, WINDOWS), "35 37 52 60 61 70", "70", "6.3", 126),
    "tensorflow==2.3.1": ("35m 36m 37m 38", (LINUX, WINDOWS), "35 37 52 60 61 70", "70", "6.4", 145),
    "tensorflow==2.4.0": ("36m 37m 38", (LINUX, WINDOWS), "35 50 60 70 75 80", "80", "7.0", 160),
    "tensorflow==2.10.0": ("37m 38 39 310", (LINUX, WINDOWS), "35 50 60 70 75 80", "80", "7.2", 211),
    "tensorflow==2.11.0": ("37m 38 39 310", (WINDOWS,), "", "", "", 0),
    "tensorflow==2.19.0": ("39 310 311 312", (LINUX,), "60 70 80 89 90", "90", "8.3", 297),
    "tensorflow-cpu==2.3.1": ("38", (LINUX, WINDOWS), "", "", "", 0),
    "torch==1.10.0": ("36m 39", (LINUX,), "37 50 60 70", "", "", 0),
    "torch==2.1.0": ("38 311", (LINUX,), "50 60 70 75 80 86 90", "", "", 0),
    "torch==2.6.0": ("39 311", (LINUX,), "50 60 70 75 80 86 90", "", "", 0),
    "torch==2.7.1": ("39 311", (LINUX,), "50 60 70 75 80 86 90", "", "", 0),
    "torch==2.8.0": ("39 311", (LINUX,), "70 75 80 86 90 100 120", "", "", 0),
    "torch==2.11.0": ("310 311", (LINUX,), "75 80 86 90 100 120", "", "", 0),
    "onnxruntime-gpu==1.23.0": ("310 311", (LINUX, WINDOWS), "52 61 75 86 89", "90", "8.2", 561),
    "ctranslate2==4.4.0": ("311", (LINUX,), "53 60 61 70 75 80 86", "86", "8.2", 11),
    "pure==1.0": (None, ("any",), "", "", "", 0),
}


def entry(kind, sm, version, payload, room):
    major, minor = version
    header = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x0101, 64, room, 0, 0, minor, major, sm, 0, 0, 0x11, 0, 0)
    return header + payload


def write_fatbin(out, sass, ptx, isa, mb):
    head = f".version {isa}\n.target sm_{ptx}\n.address_size 64\n.visible .entry k()\n{{\n\tret;\n}}\n".encode()
    size, step = mb << 20, b"\n" * (1 << 20)
    entries = [entry(2, int(sm), (1, 7), bytes(CUBIN), CUBIN) for sm in sass.split()]
    if ptx:
        entries.append(entry(1, int(ptx), tuple(map(int, isa.split("."))), head, size))
    total = sum(map(len, entries)) + (size - len(head) if ptx else 0)
    out.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, total) + b"".join(entries))
    left = size - len(head) if ptx else 0
    while left > 0:
        out.write(step[:left])
        left -= min(left, len(step))


def make(folder, requirement):
    """The wheels of one package for its Pythons and systems; returns their names."""
    name, version = requirement.split("==")
    pythons, systems, sass, ptx, isa, mb = HOLDS[requirement]
    stem, names = name.replace("-", "_"), []
    for system in systems:
        for python in (pythons or "").split() or [None]:
            tags = f"cp{python.rstrip('m')}-cp{python}" if python else "py3-none"
            names.append(f"{stem}-{version}-{tags}-{system}.whl")
            if len(names) > 1:
                shutil.copy(folder / names[0], folder / names[-1])
                continue
            with zipfile.ZipFile(folder / names[0], "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
                info = f"{stem}-{version}.dist-info"
                z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
                z.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: false\nTag: {tags}-{system}\n")
                z.writestr(f"{info}/RECORD", "")
                z.writestr(f"{stem}/__init__.py", "raise SystemExit('nothing of a package is executed')\n")
                if sass or ptx:
                    for i in range(-(-mb // MOST_MB) or 1):
                        with z.open(f"{stem}/kernels{i}.fatbin", "w") as out:
                            write_fatbin(out, sass, ptx, isa, min(mb - i * MOST_MB, MOST_MB))
    return names
