#!/usr/bin/env python3
"""make_caches.py: writes the caches and state folders that the cases of status and prune look at (tests/cli/in), made of a few small
entries in the driver's format. Run it after changing it, then bless the cases and read the diff."""
import json
import pathlib
import shutil
import struct

HERE = pathlib.Path(__file__).resolve().parent
NOW, BEFORE, OTHER = "Jan  7 202622:51:46", "Jun 14 202515:40:11", "Feb  9 201919:17:30"
CUBIN = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 2, 190) + bytes(44)
PTX = ".version 8.0\n.target sm_70\n.address_size 64\n// kernel {}\n"


def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return h


class Cache:
    def __init__(self, folder):
        self.root, self.records = folder, []

    def add(self, key, payload=CUBIN, record=True):
        name = f"{fnv(key):016x}"
        path = self.root / name[0] / name[1] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(struct.pack("<IQQQ", 0x41, len(key), len(payload), fnv(payload)) + key + payload)
        if record:
            self.records.append((fnv(key), len(key) + len(payload)))
        return path

    def module(self, stamp, arch, number, payload=CUBIN, record=True):
        ptx = PTX.format(number).encode()
        return self.add(stamp.encode() + b"HOST64" + arch.encode() + ptx + b"\0\0 ", payload, record)

    def index(self):
        total = sum(size for _, size in self.records)
        data = struct.pack("<IIQ", 0x41, len(self.records), total) + b"".join(struct.pack("<QQ", *r) for r in self.records)
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "index").write_bytes(data)


def driver(folder, build, stamp, version, level, simulated, proven):
    names = ["opaque", "readable", "predictable", "placeable", "carryable", "forgeable"]
    path = folder / "drivers" / (build.replace(":", "-") + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schema": "jitwarm.driver/1", "build": build, "stamp": stamp, "version": version,
                                "level": level, "level_name": names[level], "simulated": simulated,
                                "proven_at": proven, "nuls": 2, "evidence": ["all of them parse"]}, indent=2) + "\n")


def mixed(folder):
    """Three builds, two architectures, OpenCL, NVRTC, an orphan, a record without a file, a foreign name."""
    cache = Cache(folder / "cache")
    for number in range(3):
        cache.module(NOW, "sm_86", number, CUBIN + bytes(1000 * number))
    cache.module(NOW, "sm_89", 0)
    cache.module(BEFORE, "sm_86", 0)
    cache.module(OTHER, "sm_61", 0)
    cache.add(NOW.encode() + b"HOST64sm_86BC\xc0\xde" + bytes(80) + b" -arch=sm_86")
    cache.add(b"__kernel void f(void) { }  // a source that is longer than what is read of it\0-cl-nv-arch sm_86 -nv-m64\0NVVM70",
              PTX.format("cl").encode())
    cache.module(NOW, "sm_86", 50, record=False)
    cache.module(NOW, "sm_86", 60).unlink()
    cache.index()
    (cache.root / "notes.txt").write_text("not the driver's\n")


def torn(folder, whole_index=True):
    cache = Cache(folder / "cache")
    cache.module(NOW, "sm_86", 0)
    torn = cache.module(NOW, "sm_86", 1)
    torn.write_bytes(torn.read_bytes()[:-7])
    flipped = cache.module(NOW, "sm_86", 2)
    data = bytearray(flipped.read_bytes())
    data[-1] ^= 1
    flipped.write_bytes(data)
    cache.module(NOW, "sm_86", 3).write_bytes(b"")
    cache.index()
    if not whole_index:
        index = cache.root / "index"
        index.write_bytes(index.read_bytes()[:-5])


def damaged(folder):
    torn(folder, False)


def probed(folder, simulated):
    driver(folder / "state", "gnu:5d1c0ffee", NOW, "580.126.09", 3, simulated, 1790000000)
    driver(folder / "state", "gnu:0ldbu1ld", BEFORE, "535.261.03", 1, simulated, 1750000000)


FOLDERS = {
    "cache-several-builds": [mixed], "cache-and-state": [mixed, lambda f: probed(f, False)],
    "cache-simulated": [mixed, lambda f: probed(f, True)], "cache-damaged": [torn], "cache-index-damaged": [damaged],
}

for name, makers in FOLDERS.items():
    folder = HERE / "in" / name
    shutil.rmtree(folder, ignore_errors=True)
    for make in makers:
        make(folder)
