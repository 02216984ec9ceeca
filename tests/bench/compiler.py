#!/usr/bin/env python3
"""compiler.py --modules CACHE [--drivers 470,550] [--gpus sm_75,sm_90] [--sizes 100K,300K] [--runs N] [--threads] [-o FILE.csv]

What NVIDIA's own PTX compiler costs, by driver and GPU, over src/phantom (no GPU is needed): processor seconds for each MB of PTX,
memory of the process, size of the entry. The modules are those of the size nearest to SIZES in CACHE, a cache that a driver made
(jitwarm prime --cache CACHE LIBRARY, on any driver): its keys hold the PTX. Each module is compiled in a fresh process.

Seconds are the processor's, not the clock's, so that a busy machine matters less; a yardstick shows how much it still does, a
fixed sum that each process does before it compiles. --threads: do two threads of one process compile at once? Told by the
processor time that the second one got before the first was done, which no load changes."""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
START = """
import ctypes, hashlib, json, resource, sys, threading, time
def spent():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime
def peak():
    return int([l for l in open('/proc/self/status') if l.startswith('VmHWM')][0].split()[1])
def check(code):
    if code: sys.exit('error %d' % code)
began = spent(); block = bytes(1 << 20); h = hashlib.sha256()
for _ in range(100): h.update(block)
yardstick = spent() - began
c, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p()
check(c.cuInit(0)); check(c.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
images = [ctypes.create_string_buffer(open(p, 'rb').read() + bytes(64)) for p in sys.argv[1:]]
def load(image):
    module = ctypes.c_void_p()
    check(c.cuModuleLoadData(ctypes.byref(module), image))
"""
ONE = START + """
before, memory = spent(), peak()
load(images[0])
print(json.dumps({'yardstick': yardstick, 'seconds': spent() - before, 'before_kb': memory, 'peak_kb': peak()}))
"""
TWO = START + """
clocks, order = [None, None], []
def work(n):
    check(c.cuCtxSetCurrent(context))
    clocks[n] = time.pthread_getcpuclockid(threading.get_ident())
    both.wait()
    load(images[n])
    order.append((n, [time.clock_gettime(clock) for clock in clocks]))
    done.wait()
both, done = threading.Barrier(2), threading.Barrier(2)
threads = [threading.Thread(target=work, args=(n,)) for n in (0, 1)]
for t in threads: t.start()
for t in threads: t.join()
(first, then), (second, last) = order
print(json.dumps({'first': then[first], 'second': last[second], 'second_meanwhile': then[second]}))
"""


def modules(cache):
    """PTX by its text, out of the keys of entries."""
    found = set()
    for path in pathlib.Path(cache).glob("?/?/*"):
        data = path.read_bytes()
        at = data.find(b".version", 28, 1 << 16)
        if at > 0:
            text = data[at:data.index(b"\0", at)]
            found.add(text)
    return sorted(found, key=len)


def run(o, code, driver, gpu, *files):
    with tempfile.TemporaryDirectory() as home:
        env = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "CUDA_CACHE_MAXSIZE": "4294967296",
               "JITWARM_DRIVERS": os.environ.get("JITWARM_DRIVERS", str(pathlib.Path.home() / ".cache/jitwarm-drivers")),
               "JITWARM_PHANTOM": str(o.build / "libjitwarm-phantom.so"), "JITWARM_PHANTOM_BESIDE": "1"}
        done = subprocess.run([ROOT / "scripts/with-driver", "--driver", driver, "--gpu", gpu, "--", sys.executable, "-c", code,
                               *files], env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            return {"failed": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
        entries = [p.stat().st_size for p in pathlib.Path(home).glob(".nv/ComputeCache/?/?/*")]
        return json.loads(done.stdout.splitlines()[-1]) | {"entry": sum(entries)}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--modules", required=True)
    p.add_argument("--drivers", default="470,525,535,550,555")
    p.add_argument("--gpus", default="sm_70,sm_75,sm_86,sm_89,sm_90")
    p.add_argument("--sizes", default="100K,300K,600K")
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    p.add_argument("--runs", type=int, default=2, help="of which the fastest counts")
    p.add_argument("--threads", action="store_true")
    p.add_argument("-o", "--output", type=argparse.FileType("w"), default=sys.stdout)
    o = p.parse_args()
    have = modules(o.modules)
    sizes = [int(s[:-1]) * (1000 if s[-1] == "K" else 1000000) for s in o.sizes.split(",")]
    out = csv.writer(o.output, lineterminator="\n")
    names = ["seconds", "yardstick", "before_kb", "peak_kb", "entry", "failed"]
    if o.threads:
        names = ["first", "second", "second_meanwhile", "failed"]
    out.writerow(["driver", "gpu", "ptx", *names])
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for n, size in enumerate(sizes):
            text = min(have, key=lambda t: abs(len(t) - size))
            have.remove(text)
            files.append(pathlib.Path(folder) / f"{n}.ptx")
            files[-1].write_bytes(text)
        for driver in o.drivers.split(","):
            for gpu in o.gpus.split(","):
                for group in [files[:2]] if o.threads else [[f] for f in files]:
                    all_runs = [run(o, TWO if o.threads else ONE, driver, gpu, *group) for _ in range(o.runs)]
                    got = min(all_runs, key=lambda r: r.get("seconds", 0))
                    cells = [round(got[k], 3) if isinstance(got.get(k), float) else got.get(k, "") for k in names]
                    out.writerow([driver, gpu, sum(f.stat().st_size for f in group), *cells])
                    o.output.flush()


if __name__ == "__main__":
    main()
