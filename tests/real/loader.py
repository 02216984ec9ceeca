#!/usr/bin/env python3
"""loader.py FILE... [--door module|library] [--set NAME=VALUE]... [--default NAME=VALUE]...
[--link] [--linked] [--jit NUMBER=VALUE]... What a program does that loads all CUDA code of these
files, and shares nothing with jitwarm: libcuda by ctypes, each container of .nv_fatbin (or a
.fatbin or .ptx file) through one door of the driver. One line of JSON: how many were loaded, how
many entries are new in the cache, whether the driver's compiler is in this process, how long it
took; with --each the files that made an entry, or failed."""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import time

from linker import containers, entries


def main():
    p = argparse.ArgumentParser()
    p.add_argument("files", nargs="+", type=pathlib.Path)
    p.add_argument("--door", default="module", choices=("module", "library"))
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--default", action="append", default=[], help="the same, where it is not set")
    p.add_argument("--link", action="store_true", help="begin to link, as Numba does")
    p.add_argument("--linked", action="store_true",
                   help="give each to the driver's linker, too: PTX alone")
    p.add_argument("--jit", action="append", default=[],
                   help="load each once more with this CU_JIT option")
    p.add_argument("--each", action="store_true")
    p.add_argument("--nap", type=float, default=0)
    o = p.parse_args()
    os.environ.update(text.split("=", 1) for text in o.set)
    for text in o.default:
        os.environ.setdefault(*text.split("=", 1))
    before, began, results, made = entries(), time.monotonic(), collections.Counter(), []
    last = before
    cuda, out = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(out), 0, 0) == 0
    if o.link:
        assert cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(out)) == 0
    for file in o.files:
        good = results[0]
        data = file.read_bytes()
        for image in containers(data, b".nv_fatbin") if data[:4] == b"\x7fELF" else [data]:
            size, image = ctypes.c_size_t(len(image) + 1), ctypes.create_string_buffer(image +
                                                                                       bytes(64))
            results[cuda.cuModuleLoadData(ctypes.byref(out), image) if o.door == "module" else cuda.
                    cuLibraryLoadData(ctypes.byref(out), image, None, None, 0, None, None, 0)] += 1
            for number, value in (map(int, text.split("=")) for text in o.jit):
                results[cuda.cuModuleLoadDataEx(ctypes.byref(out), image, 1,
                                                ctypes.byref(ctypes.c_int(number)),
                                                ctypes.byref(ctypes.c_void_p(value)))] += 1
            if o.linked:
                assert cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(out)) == 0
                results[cuda.cuLinkAddData_v2(out, 1, image, size, b"a", 0, None, None)] += 1
        if o.each:
            now = entries()
            made += [str(file)] if results[0] == good or any(
                last.get(f) != t for f, t in now.items()) else []
            last = now
    took, after = time.monotonic() - began, entries()
    print(
        json.dumps({
            "made": made, "loaded": results.pop(0, 0), "failed": results, "new_entries": sum(
                before.get(f) != t for f, t in after.items()), "compiler": "ptxjitcompiler"
            in pathlib.Path("/proc/self/maps").read_text(), "seconds": round(took, 3)
        }), flush=True)
    time.sleep(o.nap)


if __name__ == "__main__":
    main()
