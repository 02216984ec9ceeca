#!/usr/bin/env python3
"""linker.py FILE [--door library|link|modules] [--nap SECONDS] [--out FILE]
What a program does whose device code was linked when it was built (nvcc -rdc=true), without
jitwarm's code: the containers of .nv_fatbin are results of the device linker, those of
__nv_relfatbin their inputs. The doors: the driver's linker as old CUDA runtimes use it (link), a
wrapper of version 2 with the list of inputs (library, from 550 on), each result alone (modules:
what the CUDA runtime does with those that have code, and with modules that were never linked). One
line of JSON: what the driver answered, how many entries are new or changed, whether its compiler is
in this process, how long it took."""
import argparse
import ctypes
import json
import mmap
import os
import pathlib
import struct
import time


def sections(data):
    """Names and places: of an ELF library, or of Windows' (names are cut at eight bytes)."""
    if data[:2] == b"MZ":
        head, = struct.unpack_from("<I", data, 60)
        n, _, size = struct.unpack_from("<H12sH", data, head + 6)
        for at in range(head + 24 + size, head + 24 + size + 40 * n, 40):
            used, _, stored, place = struct.unpack_from("<IIII", data, at + 8)
            yield data[at:at + 8].rstrip(b"\0"), place, min(used, stored)
        return
    at, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, at + size * i) for i in range(n)]
    for row in rows:
        name = rows[names][4] + row[0]
        yield data[name:data.find(b"\0", name)], row[4], row[5]


def containers(data, section):
    for name, place, size in sections(data):
        if name not in (section, section[:8]):
            continue
        end = place + size
        while place + 16 <= end:
            magic, _, head, body = struct.unpack_from("<IHHQ", data, place)
            if magic != 0xBA55ED50:
                place += 8
                continue
            yield data[place:place + head + body]
            place += head + body


def holds_ptx(image):
    at, kind = 16, 0
    while at < len(image) and kind != 1:
        kind, _, head, body = struct.unpack_from("<HHIQ", image, at)
        at += head + body
    return kind == 1


def entries():
    root = pathlib.Path(
        os.environ.get("CUDA_CACHE_PATH") or os.environ["HOME"] + "/.nv/ComputeCache")
    return {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in root.glob("?/?/*")}


class Wrapper(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_int), ("version", ctypes.c_int), ("data", ctypes.c_void_p),
                ("inputs", ctypes.c_void_p)]


def by_library(cuda, result, inputs):
    library, module = ctypes.c_void_p(), ctypes.c_void_p()
    listed = (ctypes.c_void_p * (len(inputs) + 1))(*[ctypes.addressof(i) for i, _ in inputs], None)
    wrapper = Wrapper(0x466243b1, 2, ctypes.addressof(result), ctypes.addressof(listed))
    r = cuda.cuLibraryLoadData(ctypes.byref(library), ctypes.byref(wrapper), None, None, 0, None,
                               None, 0)
    return r or cuda.cuLibraryGetModule(ctypes.byref(module), library)


def by_link(cuda, inputs, file):
    state, out, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    assert cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(state)) == 0
    for data, n in inputs:
        r = cuda.cuLinkAddData_v2(state, 2, data, ctypes.c_size_t(n), b"input", 0, None, None)
        if r:
            return r
    r = cuda.cuLinkComplete(state, ctypes.byref(out), ctypes.byref(size))
    if file and r == 0:
        file.write_bytes(ctypes.string_at(out, size.value))
    return r


def by_modules(cuda, results):
    """What is loaded, and the errors of the others: 209 is a module without code for this GPU."""
    module, answers = ctypes.c_void_p(), [0] * len(results)
    for n, image in enumerate(results):
        answers[n] = cuda.cuModuleLoadData(ctypes.byref(module), image)
    return {str(code): answers.count(code) for code in sorted(set(answers))}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file", type=pathlib.Path)
    p.add_argument("--door", default="link", choices=("library", "link", "modules"))
    p.add_argument("--out", type=pathlib.Path, help="keep what was linked")
    p.add_argument("--nap", type=float, default=0)
    o = p.parse_args()
    with o.file.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0,
                         prot=mmap.PROT_READ)  # it stays mapped, as a program's library is
    made = lambda image: ctypes.create_string_buffer(image + bytes(64))
    plain = list(containers(data, b".nv_fatbin"))
    results = [made(i) for i in plain]
    inputs = [(made(i), len(i)) for i in containers(data, b"__nv_relfatbin")]
    before, began = entries(), time.monotonic()
    cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    # The result with a list is the last one without PTX, of which the linker makes none; XGBoost
    # has another module behind it.
    result = next((r for r, image in reversed([*zip(results, plain)]) if not holds_ptx(image)),
                  results[-1])
    answer = by_library(cuda, result, inputs) if o.door == "library" else by_modules(
        cuda, results) if o.door == "modules" else by_link(cuda, inputs, o.out)
    took, after = time.monotonic() - began, entries()
    print(
        json.dumps({
            "answer": answer, "inputs": len(inputs), "new_entries": sum(
                before.get(f) != t for f, t in after.items()), "compiler": "ptxjitcompiler"
            in pathlib.Path("/proc/self/maps").read_text(), "seconds": round(took, 3)
        }), flush=True)
    time.sleep(o.nap)


if __name__ == "__main__":
    main()
