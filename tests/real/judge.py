#!/usr/bin/env python3
"""judge.py PROGRAM|all [--driver 470:550@sm_80] (the options of real.py)
Whether what jitwarm says of programs that were linked on the device (nvcc -rdc=true) is true, on each driver. Of each: scan; --check; prime; then a
program that shares no code with jitwarm (linker.py) links the inputs and loads all modules of the file, and may add or change no entry; --check again.
Prints the matrix, a line when it is known. Without --driver: 390, 470, 535, 550 and 555. Real drivers over src/phantom, so no kernel runs."""
import functools
import json
import mmap
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import real
from linker import containers
from links import CALLER, HELPER, LINKER, item, linked
from real import Machine, check, container

GPUS = {"390": "sm_61", "418": "sm_75", "450": "sm_80", "460": "sm_86", "470": "sm_86", "525": "sm_89", "535": "sm_90", "550": "sm_90", "555": "sm_90"}

def of(python, implementation="cp"):
    abi = f"cp{python}m" if int(python[1:]) < 8 else f"cp{python}"
    return "--python-version", python, "--implementation", implementation, "--abi", abi


# Wheel, library, its inputs, what pip is given. TensorFlow: 113 entries of its inputs, and 242 of modules;
# minutes of compiling.
LIBRARIES = {
    "nccl": ("cupy-cuda90==5.4.0", "cupy/_lib/libnccl.so.2", 21, of("36"), "manylinux1_x86_64"),
    "tensorflow": ("tensorflow==2.4.1", "tensorflow/python/_pywrap_tensorflow_internal.so", 217, of("38"), "manylinux2010_x86_64"),
    "k2": ("k2==1.23.4", "k2-1.23.4.data/platlib/_k2.cpython-39-x86_64-linux-gnu.so", 21, (), "manylinux1_x86_64"),
    "k2-context": ("k2==1.23.4", "k2-1.23.4.data/platlib/k2/lib/libk2context.so", 34, (), "manylinux1_x86_64"),
    "bitsandbytes": ("bitsandbytes==0.43.3", "bitsandbytes/libbitsandbytes_cuda117.so", 2, (), "manylinux_2_24_x86_64"),
    "bitsandbytes-windows": ("bitsandbytes==0.43.3", "bitsandbytes/libbitsandbytes_cuda117.dll", 2, (), "win_amd64"),
    "xgboost-0.82": ("xgboost==0.82", "xgboost/lib/libxgboost.so", 21, (), "manylinux1_x86_64"),
    "xgboost-0.90": ("xgboost==0.90", "xgboost/lib/libxgboost.so", 22, (), "manylinux1_x86_64"),
    "xgboost": ("xgboost==1.2.1", "xgboost/lib/libxgboost.so", 182, (), "manylinux2010_x86_64"),
    "h2o4gpu": ("h2o4gpu==0.4.1", "h2o4gpu-0.4.1.data/purelib/xgboost/lib/libxgboost.so", 181, of("36"), "manylinux1_x86_64"),
    "gpu4pyscf": ("gpu4pyscf-cuda11x==1.9.0", "gpu4pyscf/lib/libgvhf_rys.so", 25, (), "manylinux_2_17_x86_64"),
    "cntk-nccl": ("cntk-gpu==2.7", "cntk/libs/libnccl.so.2", 21, of("36"), "manylinux1_x86_64"),
    "cufft": ("nvidia-cufft-cu11==10.9.0.58", "nvidia/cufft/lib/libcufft.so.10", 4, (), "manylinux1_x86_64"),
    "cutensornet": ("cutensornet-cu11==2.8.0", "cuquantum/lib/libcutensornet.so.2", 2, (), "manylinux2014_x86_64"),
    "dali": ("nvidia-dali-cuda110==1.34.0", "nvidia/dali/libdali_kernels.so", 32, (), "manylinux2014_x86_64"),
    "nccl-cu13": ("nvidia-nccl-cu13==2.28.9", "nvidia/nccl/lib/libnccl.so.2", 127, (), "manylinux_2_18_x86_64"),
    "pyuipc": ("pyuipc==0.0.5", "uipc/_native/libuipc_backend_cuda.so", 157, of("311"), "manylinux_2_34_x86_64"),
    "nvshmem-cu11": ("nvidia-nvshmem-cu11==3.2.5", "nvidia/nvshmem/lib/libnvshmem_host.so.3", 27, (), "manylinux2014_x86_64"),
    "nvshmem": ("nvidia-nvshmem-cu12==3.1.7", "nvidia/nvshmem/lib/libnvshmem_host.so.3", 27, (), "manylinux2014_x86_64"),
    "paddle": ("paddlepaddle-gpu==2.5.2", "paddle/fluid/libpaddle.so", 7, of("38"), "manylinux1_x86_64"),
}

# A kernel that asks the device runtime: CUDA 12 has new names for what programs use.
ASKS = """.version 6.0
.target sm_30
.address_size 64
.extern .func (.param .b32 r) NAME ();
.visible .entry asks(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    { .param .b32 y; call.uni (y), NAME, (); ld.param.b32 %r1, [y]; }
    ld.param.u64 %d1, [p];
    st.global.u32 [%d1], %r1;
    ret;
}
"""


def pair(o, folder):
    file = folder / "pair.so"
    file.write_bytes(linked(container(item(CALLER)), container(item(HELPER))))
    return file


def members(archive):
    """Of a static library."""
    data, at = archive.read_bytes(), 8
    while at + 60 <= len(data):
        size = int(data[at + 48:at + 58])
        yield data[at + 60:at + 60 + size]
        at += 60 + size + size % 2


def device_runtime(cuda, o, folder):
    """libcudadevrt. That of CUDA 9.0 and 10.0 is the last input of XGBoost's libraries; later ones are in Debian's packages."""
    if cuda in INSIDE:
        with wheel(LIBRARIES[INSIDE[cuda]], o, folder).open("rb") as file:
            inputs = list(containers(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), b"__nv_relfatbin"))[-1:]
    else:
        archive, = real.corpus(f"device-runtime/{cuda}", "libcudadevrt.a", "scripts/fetch-corpus --device-runtime gets it")
        inputs = [c for m in members(archive) if m[:4] == b"\x7fELF" for c in containers(m, b"__nv_relfatbin")]
    file = folder / f"device-runtime-{cuda}.so"
    file.write_bytes(linked(container(item(ASKS.replace("NAME", "__cudaCDP2GetLastError" if cuda.startswith("12") else "cudaGetLastError"))), *inputs))
    return file


def wheel(what, o, folder):
    package, inside, _, python, platform = what
    real.unpack_wheel(o, package, folder / "wheel", *python, platform=platform)
    return folder / "wheel" / inside


PROGRAMS = {"pair": pair}
INSIDE = {"9.0": "xgboost-0.90", "10.0": "xgboost"}
PROGRAMS |= {f"device-runtime-{cuda}": functools.partial(device_runtime, cuda) for cuda in (*INSIDE, "11.2", "11.8", "12.4")}
PROGRAMS |= {name: functools.partial(wheel, what) for name, what in LIBRARIES.items()}
# Of the others one driver: the question is whether their inputs are understood.
WHERE = dict.fromkeys(LIBRARIES, "550") | dict.fromkeys(("nccl", "tensorflow", "xgboost-0.90"), "") | {"paddle": "550@sm_80", "xgboost-0.82": "390@sm_70:470:535:550:555"}


class Answers:
    """Of one file, on one driver: what jitwarm says, and what the driver does."""

    def __init__(self, o, driver, file):
        self.machine = Machine(o, driver)
        self.machine.play()
        self.machine.played |= {"CUDA_CACHE_MAXSIZE": "4294967296"}
        self.file, self.driver = str(file), driver
        self.gpu = o.gpu
        self.verdict = self.scan("--driver", self.driver)
        self.planned = sum(job["state"] == "todo" for job in json.loads(self.jitwarm("prime", "--dry-run", "--json")[1])["jobs"])
        self.before, _ = self.jitwarm("prime", "--check")
        self.primed, said = self.jitwarm("prime", "--json", "--yes")
        self.jobs = json.loads(said)["counts"]["warmed"]
        own = self.entries()
        self.linked = self.start("library" if int(driver) >= 550 else "link")
        self.loaded = self.start("modules")
        self.kept = self.entries() == own
        self.after, _ = self.jitwarm("prime", "--check")
        os.chdir("/")  # pip, for the next one, cannot start in a folder that is gone
        shutil.rmtree(self.machine.home, ignore_errors=True)

    def jitwarm(self, *words):
        done = subprocess.run([self.machine.o.tool, *words, self.file], env=self.machine.played, text=True, capture_output=True, timeout=7200, check=False)
        check(done.returncode in (0, 1), f"{words}", f"{done.returncode} {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.returncode, done.stdout

    def scan(self, *options):
        verdict, = json.loads(self.jitwarm("scan", "--json", "--gpu", self.gpu, *options)[1])["verdicts"]
        return verdict

    def start(self, door):
        done = subprocess.run([sys.executable, LINKER, self.file, "--door", door], env=self.machine.played, text=True, capture_output=True, timeout=7200, check=False)
        if done.returncode == -11:  # the driver's crash is an answer
            return {"answer": {"signal 11": 1} if door == "modules" else "signal 11", "new_entries": 0, "compiler": None, "seconds": 0}
        check(done.returncode == 0 and "phantom:" not in done.stderr, f"{door}", f"{done.returncode} {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def entries(self):
        return {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in self.machine.cache.glob("?/?/*")}

    def wrong(self):
        """What is not true, or nothing."""
        word = self.verdict["verdict"]
        if word == "native":
            # prime compiles PTX that stands in its strings, which the program may give to the driver; it is no module of the file.
            rules = {"--check does not say what prime does": self.before != bool(self.planned), "a native file opens the compiler": self.loaded["compiler"],
                     "prime does not do what it plans": self.jobs != self.planned or self.after, "the driver refuses it": any(c not in ("0", "209") for c in self.loaded["answer"])}
        elif word == "none":
            rules = {"prime compiles for what cannot run": self.before or self.primed or self.jobs or self.planned, "each module is loaded": set(self.loaded["answer"]) == {"0"}}
        elif word == "links":  # a link that the driver cannot make is no matter of the cache
            rules = {"--check passes before prime": not self.before, "prime fails": self.primed, "--check fails after prime": self.after}
        elif word == "blocked" and not self.planned:
            rules = {"--check passes": not self.before or not self.after, "the driver loads it": "0" in self.loaded["answer"] and not self.loaded["answer"].keys() - {"0", "209"}}
        else:
            rules = {"--check passes before prime": not self.before, "prime passes": not self.primed}
        rules |= {"the link compiles": word != "native" and self.linked["new_entries"], "a module compiles": self.loaded["new_entries"],
                  "entries were changed": word != "native" and not self.kept}
        return "; ".join(rule for rule, broken in rules.items() if broken)

    def row(self, name):
        v, loaded = self.verdict, " ".join(f"{n} with {code}" if code != "0" else f"{n}" for code, n in self.loaded["answer"].items())
        said = v["verdict"]
        own = f"{self.linked['seconds']:.1f} s" if not self.linked["answer"] else f"error {self.linked['answer']}"
        return (name, f"{self.driver}, {self.gpu}", said, self.before, self.jobs, own if v["verdict"] != "native" else "-", loaded,
                self.linked["new_entries"] * (v["verdict"] != "native") + self.loaded["new_entries"], self.after, self.wrong() or "true")


HEADS = ("program", "driver, GPU", "scan", "--check before", "prime compiles", "its own link", "its modules loaded", "entries it adds", "--check after", "so")


def judge(names, o):
    print(f"{' | '.join(HEADS)}\n{' | '.join(['---'] * len(HEADS))}", flush=True)
    drivers, wrong, rows = o.driver, [], 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="judge-", dir=o.work) as folder:
            try:
                file = PROGRAMS[name](o, pathlib.Path(folder))
            except real.Skip as why:
                print(f"{name} | - | not had: {why}", flush=True)
                continue
            for one in (drivers or WHERE.get(name) or "390:470:535:550:555").split(":"):
                o.driver, _, gpu = one.partition("@")
                o.gpu = gpu or GPUS[o.driver]
                real.why_not(o)
                row = Answers(o, o.driver, file).row(name)
                print(" | ".join(map(str, row)), flush=True)
                wrong += [row] if row[-1] != "true" else []
                rows += 1
    if not rows:
        raise real.Skip("no program could be had")
    check(not wrong, "false", wrong)


if __name__ == "__main__":
    real.CASES = {name: functools.partial(judge, [name]) for name in PROGRAMS} | {"all": functools.partial(judge, list(PROGRAMS))}
    sys.exit(real.main())
