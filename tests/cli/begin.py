#!/usr/bin/env python3
"""What a case begins with (`in: NAME`): a copy of in/NAME, or one of FOLDERS, made here: caches of a few small entries in the driver's
format, what is remembered of drivers, and packs of tests/samples."""
import hashlib
import os
import pathlib
import shutil
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKS = HERE.parent / "samples" / "packs"
NOW, BEFORE, OTHER = "Jan  7 202622:51:46", "Jun 14 202515:40:11", "Feb  9 201919:17:30"
SIM_NOW, SIM_BEFORE = "Jan  7 202662:51:46", "Jun 14 202555:40:11"
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


def text(words):
    return struct.pack("<I", len(words)) + words.encode() + b"\0"


def record(kind, body):
    body = struct.pack("<IH", len(body), kind) + body
    return body + struct.pack("<Q", fnv(body))


def driver(folder, build, stamp, version, level, proven, library=""):
    path = folder / "drivers" / (build.replace(":", "-") + ".record")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(record(33, b"".join(map(text, ("", "", build, stamp, version, library))) + struct.pack("<iBqq", level, 0, proven, 0)
                            + struct.pack("<I", 1) + text("all of them parse") + struct.pack("<I", 0)))


def remember(path, **now):
    """`rate`: seconds that a module takes for sm_86, without any other rate or proof. `at`: when the driver was last found."""
    data = path.read_bytes()[6:-8]

    def behind(at, texts):
        if texts > 64:
            raise ValueError(f"{path}: a driver's record has other fields than these")
        for _ in range(texts):
            at += 5 + int.from_bytes(data[at:at + 4], "little")
        return at

    at = behind(0, 6) + 5
    rates = behind(at + 20, int.from_bytes(data[at + 16:at + 20], "little"))
    if "rate" in now:
        data = data[:rates] + struct.pack("<IHddQ", 1, 86, float(now["rate"]), 1 / 1.1e6, 9)
    if "at" in now:
        data = data[:at] + struct.pack("<qq", int(now["at"]), int(now["at"])) + data[at + 16:]
    path.write_bytes(record(33, data))


def mixed(folder, now=NOW, before=BEFORE):
    """Three builds, two architectures, OpenCL, NVRTC, an orphan, a record without a file, a foreign name."""
    cache = Cache(folder / "cache")
    for number in range(3):
        cache.module(now, "sm_86", number, CUBIN + bytes(1000 * number))
    cache.module(now, "sm_89", 0)
    cache.module(before, "sm_86", 0)
    cache.module(OTHER, "sm_61", 0)
    cache.add(now.encode() + b"HOST64sm_86BC\xc0\xde" + bytes(80) + b" -arch=sm_86")
    cache.add(b"__kernel void f(void) { }  // a source that is longer than what is read of it\0-cl-nv-arch sm_86 -nv-m64\0NVVM70",
              PTX.format("cl").encode())
    cache.module(now, "sm_86", 50, record=False)
    lost = cache.module(now, "sm_86", 60)
    lost.unlink()
    lost.parent.rmdir()
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


DRIVER = pathlib.Path("driver/libcuda.so.1")  # what programs load in a folder that has it; its build is the digest of its bytes


def probed(folder, now=NOW, before=BEFORE):
    (folder / DRIVER).parent.mkdir()
    (folder / DRIVER).write_bytes(b"\x7fELF\2\1\1".ljust(18, b"\0") + b"\x3e\0" + bytes(44) + b"a driver")  # a header without sections
    (folder / DRIVER).with_name("libnvidia-ptxjitcompiler.so.1").write_bytes(b"\x7fELF\2\1\1".ljust(16, b"\0") + b"\3".ljust(48, b"\0"))
    build = "b2:" + hashlib.blake2b((folder / DRIVER).read_bytes(), digest_size=32).hexdigest()
    driver(folder / "state", build, now, "580.126.09", 3, 1790000000, str(DRIVER))
    driver(folder / "state", "gnu:0ldbu1ld", before, "535.261.03", 1, 1750000000)


def rehearsed(folder):
    mixed(folder, SIM_NOW, SIM_BEFORE)
    probed(folder, SIM_NOW, SIM_BEFORE)


def copied(**names):
    """A folder with files of tests/samples/packs: one, signed, frames, signature, key."""
    def make(folder):
        for kind, name in names.items():
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PACKS / SAMPLES[kind], to)
    return make


def written(name, text):
    def make(folder):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return make


SAMPLES = {"one": "one.tar.zst", "signed": "signed.tar.zst", "signature": "signed.tar.zst.minisig", "frames": "frames.tar.zst", "key": "tests.pub"}
KEPT, BEFORE = (f"packs/580.126.09-sm_86-20260107-625146-{digits}.tar.zst" for digits in ("1c0f8e0a7b6d", "4d5b0a1e9c72"))
FOLDERS = {
    "cache-several-builds": [mixed],
    "cache-and-state": [mixed, probed],
    "cache-simulated": [rehearsed],
    "cache-simulated-now": [lambda folder: mixed(folder, SIM_NOW)],
    "cache-and-store": [rehearsed, copied(one=KEPT, frames="packs/535.261.03-sm_90-20250614-554011-7b6d1c0f8e0a.tar.zst")],
    "cache-damaged": [torn],
    "cache-index-damaged": [damaged],
    "config": [copied(key="tests.pub")],
    "entry-and-log": [copied(one="x.tar.zst", signature="x.tar.zst.minisig")],
    "key": [copied(key="key.pub", signed=KEPT)],
    "pack": [copied(signed="x.tar.zst")],
    "pack-cut": [copied(one="x.tar.zst")],
    "pack-frames": [copied(frames="x.tar.zst")],
    "store-pack": [copied(one=KEPT)],
    "store-signed": [copied(signed=KEPT, signature=KEPT + ".minisig", one=BEFORE)],
    "store-strays": [written("packs/notes.txt", "hello\n"),
                     written(KEPT, "this is no pack, and never was one: somebody gave it that name for fun\n")],
    "store-two": [copied(frames=KEPT)],
    "store-with-strays": [copied(signed=KEPT, one=BEFORE), written("packs/notes.txt", "x")],
    "store-wrong-name": [copied(one="packs/580.126.09-sm_90-20260107-225146-1c0f8e0a7b6d.tar.zst")],
}


def begin(name, work):
    if name not in FOLDERS:
        shutil.copytree(HERE / "in" / name, work, symlinks=True)
        return
    # Not new: an empty entry would be one that a program is writing. Not of last month: nobody's entry would be lost.
    an_hour_ago = time.time() - 3600
    work.mkdir()
    for make in FOLDERS[name]:
        make(work)
    for path in work.rglob("*"):
        os.utime(path, (an_hour_ago, an_hour_ago))


def no_code(path):
    """The entry's payload becomes what is no code; its length and its checksum are right."""
    data = path.read_bytes()
    key, payload = struct.unpack_from("<QQ", data, 4)
    words = (b"no code " * payload)[:payload]
    path.write_bytes(struct.pack("<IQQQ", 0x41, key, payload, fnv(words)) + data[28:28 + key] + words)


if __name__ == "__main__":  # NAME=VALUE FILE...: see remember; no-code FILE...
    for file in sys.argv[2:]:
        if sys.argv[1] == "no-code":
            no_code(pathlib.Path(file))
        else:
            remember(pathlib.Path(file), **dict([sys.argv[1].split("=")]))
