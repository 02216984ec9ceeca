#!/usr/bin/env python3
"""programs [--fetch] [--driver 550]... [--only NAME]... [--case CASE]... [--tool JITWARM]

Real programs with caches of their own, on NVIDIA's user-space drivers without a GPU (docs/real-drivers.md). Each is recorded by
prime --run in one home, packed, signed, and imported:

  same    into an emptied home at the same path, as a container has it
  home    into a home at another path
  user    for another user, with a home and a temporary folder of his own (root is needed, and setpriv)
  path    into a home at another path, the program and its environment at another path, too

There the files that a start makes are counted twice: by strace of a plain start, and by verify --run. Both must be equal, and verify must
end with 0 where no cache made a file again and the driver compiled nothing, and with 1 elsewhere.

Environments are made by name from PyPI, in ${JITWARM_CORPUS:-~/.cache/jitwarm-corpus}/programs (13 GB), and drivers with OpenCL
from Debian (scripts/fetch-driver --opencl). Exit 77: nothing could be tried.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BOB = 54321
# A Python in a folder of root's is read by him, too.
AS_BOB = ["setpriv", f"--reuid={BOB}", f"--regid={BOB}", "--clear-groups", "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]

CUDA_12 = "nvidia-cuda-nvrtc-cu12==12.4.127 nvidia-cuda-runtime-cu12==12.4.127"
TORCH = "torch==2.5.1 numpy setuptools"
JAX = """import jax, jax.numpy as jnp
print(jax.jit(lambda x: jnp.sin(x) * 2 + x)(jnp.ones(64)).sum())
"""
NUMBA = """from numba import cuda
@cuda.jit('void(float32[:], float32)', cache=True)
def axpy(x, a):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * a + 1
"""
PROGRAMS = {  # the packages, the variables, the program
    "torch-compile": (TORCH, {}, """import torch
@torch.compile
def f(x): return torch.sin(x) * 2 + x
try:
    f(torch.ones(64, device="cuda"))
except RuntimeError as e:
    print(str(e)[:200])
"""),
    "torch-special": (TORCH, {}, """import torch
try:
    torch.special.bessel_j0(torch.ones(64, device="cuda"))
    torch.special.airy_ai(torch.ones(64, device="cuda"))
except RuntimeError as e:
    print(str(e)[:200])
"""),
    "torch-jiterator": (TORCH, {}, """import torch
try:
    torch.cuda.jiterator._create_jit_fn("template <typename T> T twice(T x) { return x * T(2); }")(torch.ones(64, device="cuda"))
except RuntimeError as e:
    print(str(e)[:200])
"""),
    "triton": (TORCH, {"TRITON_LIBCUDA_PATH": "{driver}"}, """import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.driver import CudaUtils
import ctypes
@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
k = triton.compile(ASTSource(fn=add, signature={0: '*fp32', 1: '*fp32', 2: 'i32'}, constants={3: 256}), target=GPUTarget('cuda', 90, 32))
c, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p()
assert c.cuInit(0) == 0 and c.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and c.cuCtxSetCurrent(context) == 0
CudaUtils().load_binary(k.metadata.name, k.asm['cubin'], 0, 0)
"""),
    "jax": ("jax[cuda12]", {"JAX_PLATFORMS": "cpu"}, JAX),
    "jax-cache": ("jax[cuda12]", {"JAX_PLATFORMS": "cpu", "JAX_COMPILATION_CACHE_DIR": "{home}/jax", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}, JAX),
    "numba": ("numba numba-cuda[cu12] numpy", {}, NUMBA),
    "numba-dir": ("numba numba-cuda[cu12] numpy", {"NUMBA_CACHE_DIR": "{home}/numba"}, NUMBA),
    "cupy": (f"cupy-cuda12x==13.4.0 {CUDA_12}", {"CUDA_PATH": "{venv}/lib/{python}/site-packages/nvidia/cuda_runtime"}, """import cupy
for i in range(4):
    cupy.RawKernel('extern "C" __global__ void k%d(float *x) { x[threadIdx.x] *= %d; }' % (i, i), 'k%d' % i).compile()
x = cupy.empty(64, dtype='f4')
cupy.ElementwiseKernel('float32 x', 'float32 y', 'y = sqrtf(x) * 3', 'root')(x)
(x * x).sum()
"""),
    "warp": ("warp-lang==1.5.1", {}, """import warp as wp
@wp.kernel
def kern(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0 + wp.sin(x[i])
wp.init()
wp.load_module(device='cuda:0')
"""),
    "taichi": ("taichi", {}, """import taichi as ti
ti.init(arch=ti.cuda, offline_cache=True)
x = ti.field(ti.f32, shape=16)
@ti.kernel
def fill():
    for i in x: x[i] = i * 2.0
fill()
ti.reset()
"""),
    "drjit": ("drjit", {}, """import drjit as dr
from drjit.cuda import Float
x = dr.arange(Float, 64)
dr.eval(dr.sin(x) * 2 + x)
"""),
    "pyopencl": ("pyopencl siphash24", {"OCL_ICD_VENDORS": "{driver}/libnvidia-opencl.so.1"}, """import pyopencl as cl
d = cl.get_platforms()[0].get_devices()[0]
cl.Program(cl.Context([d]), "__kernel void twice(__global float *a) { int i = get_global_id(0); a[i] = a[i] * 2 + sin(a[i]); }").build().twice
"""),
    "opencl-and-nvrtc": ("nvidia-cuda-nvrtc-cu12==12.9.86 pyopencl siphash24", {"OCL_ICD_VENDORS": "{driver}/libnvidia-opencl.so.1"}, """import ctypes as c
import pyopencl as cl
d = cl.get_platforms()[0].get_devices()[0]
cl.Program(cl.Context([d]), "__kernel void twice(__global float *a) { int i = get_global_id(0); a[i] = a[i] * 2 + sin(a[i]); }").build().twice
rtc, cuda, program, context, module, n = c.CDLL("libnvrtc.so.12"), c.CDLL("libcuda.so.1"), c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_size_t()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(c.byref(context), 0, 0) == 0
assert rtc.nvrtcCreateProgram(c.byref(program), b'extern "C" __global__ void k(float *x) { x[0] = 1; }', b"a.cu", 0, None, None) == 0
assert rtc.nvrtcCompileProgram(program, 1, (c.c_char_p * 1)(b"-arch=sm_90")) == 0 and rtc.nvrtcGetCUBINSize(program, c.byref(n)) == 0
code = c.create_string_buffer(n.value)
assert rtc.nvrtcGetCUBIN(program, code) == 0
for image in code, c.create_string_buffer(b".version 6.4\\n.target sm_50\\n.address_size 64\\n.visible .entry k()\\n{ ret; }\\n"):
    assert cuda.cuModuleLoadData(c.byref(module), image) == 0
"""),
    "cuda-core": ("cuda-core[cu12] numpy", {}, """from cuda.core import Device, Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache
Device().set_current()
with FileStreamProgramCache() as cache:
    Program('extern "C" __global__ void k(float *x) { x[0] = 1; }', 'c++', ProgramOptions(std='c++11', arch='sm_90')).compile('cubin', cache=cache).get_kernel('k')
"""),
    # For these there is not a line in jitwarm.
    "tinygrad": ("tinygrad nvidia-cuda-nvrtc-cu12==12.4.127 nvidia-cuda-runtime-cu12==12.4.127", {"DEV": "CUDA"}, """from tinygrad import Tensor
try:
    print((Tensor.ones(64).contiguous().sin() * 2).sum().item())
except RuntimeError as e:
    print(e)
"""),
    "pytensor": ("pytensor", {}, """import pytensor, pytensor.tensor as pt
x = pt.dvector()
print(pytensor.function([x], pt.sin(x) * 2 + x, mode="FAST_RUN")([1.0, 2.0]))
"""),
    "quadrants": ("quadrants", {}, """import quadrants as qd
qd.init(arch=qd.cuda, offline_cache=True)
x = qd.field(qd.f32, shape=16)
@qd.kernel
def fill():
    for i in x: x[i] = i * 2.0
fill()
qd.reset()
"""),
    "mitsuba": ("mitsuba", {}, """import mitsuba as mi
mi.set_variant("cuda_ad_rgb")
import drjit as dr
x = dr.arange(mi.Float, 64)
dr.eval(dr.sin(x) * 2 + x)
"""),
    "ffcx": ("fenics-ffcx cffi setuptools", {}, """import pathlib, basix.ufl, ufl, ffcx.codegeneration.jit
mesh = ufl.Mesh(basix.ufl.element("Lagrange", "triangle", 1, shape=(2,)))
space = ufl.FunctionSpace(mesh, basix.ufl.element("Lagrange", "triangle", 1))
form = ufl.inner(ufl.TrialFunction(space), ufl.TestFunction(space)) * ufl.dx
print(ffcx.codegeneration.jit.compile_forms([form], cache_dir=pathlib.Path.home() / ".cache/fenics")[0])
"""),
    "openmm": ("OpenMM-CUDA-12 nvidia-cuda-nvrtc-cu12==12.4.127", {}, """import openmm as mm
s = mm.System()
f = mm.CustomBondForce("k*(r-r0)^2+0.1*sin(r)")
f.addGlobalParameter("k", 10.0)
f.addGlobalParameter("r0", 0.1)
for i in range(2):
    s.addParticle(1.0)
f.addBond(0, 1, [])
s.addForce(f)
mm.Context(s, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName("CUDA")).setPositions([(0, 0, 0), (0.1, 0, 0)])
"""),
    "luisa": ("luisa-python", {}, """import luisa
from luisa import *
from luisa.mathtypes import *
luisa.init("cuda")
@luisa.func
def fill(buf):
    buf.write(dispatch_id().x, sin(float(dispatch_id().x)) * 2.0)
fill(luisa.Buffer(64, float), dispatch_size=64)
luisa.synchronize()
"""),
    "pyfr": ("pyfr nvidia-cuda-nvrtc-cu12==12.4.127", {"PYFR_NVRTC_LIBRARY_PATH": "{venv}/lib/{python}/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"}, """from pyfr.backends.cuda.compiler import CUDACompiler
from pyfr.backends.cuda.driver import CUDA
cuda = CUDA()
cuda.set_device(0)
cuda.load_module(CUDACompiler(cuda).build("kernel", 'extern "C" __global__ void k(float *x) { x[0] = 1; }', ["--gpu-architecture=sm_90"]))
"""),
    "gt4py": ("gt4py setuptools", {}, """import numpy as np
from gt4py.cartesian import gtscript
from gt4py.cartesian.gtscript import Field, PARALLEL, computation, interval
@gtscript.stencil(backend="gt:cpu_kfirst")
def twice(a: Field[np.float64], b: Field[np.float64]):
    with computation(PARALLEL), interval(...):
        b = a * 2.0 + 1.0
twice(np.ones((4, 4, 4)), np.zeros((4, 4, 4)))
"""),
    "pocl": ("pocl-binary-distribution pyopencl siphash24", {}, """import pyopencl as cl
c = cl.Context([p.get_devices()[0] for p in cl.get_platforms() if "Portable" in p.name])
q = cl.CommandQueue(c)
k = cl.Program(c, "__kernel void twice(__global float *a) { int i = get_global_id(0); a[i] = a[i] * 2 + sin(a[i]); }").build().twice
k(q, (64,), None, cl.Buffer(c, cl.mem_flags.READ_WRITE, 256))
q.finish()
"""),
    "tvm-ffi": ("apache-tvm-ffi ninja numpy setuptools", {}, """import tvm_ffi.cpp
module = tvm_ffi.cpp.load_inline(name="twice", cpp_sources="int64_t twice(int64_t x) { return 2 * x; }", functions=["twice"])
assert module.twice(21) == 42
"""),
    "cute-dsl": ("nvidia-cutlass-dsl numpy", {}, """import cutlass, cutlass.cute as cute
@cute.kernel
def kernel(n: cutlass.Int32):
    i, _, _ = cute.arch.thread_idx()
    if i == n:
        cute.printf("x")
@cute.jit
def launch(n: cutlass.Int32):
    kernel(n).launch(grid=[1, 1, 1], block=[32, 1, 1])
cute.compile(launch, cutlass.Int32(3))
"""),
    "gstaichi": ("gstaichi", {}, """import gstaichi as ti
ti.init(arch=ti.cuda, offline_cache=True)
x = ti.field(ti.f32, shape=16)
@ti.kernel
def fill():
    for i in x: x[i] = i * 2.0
fill()
ti.reset()
"""),
    "aesara": ("aesara setuptools<80 numpy<2", {}, """import aesara, aesara.tensor as at
x = at.dvector()
print(aesara.function([x], at.sin(x) * 2 + x)([1.0, 2.0]))
"""),
    "dace": ("dace networkx<3.5 cmake setuptools", {}, """import dace, numpy as np
N = dace.symbol("N")
@dace.program
def twice(a: dace.float64[N], b: dace.float64[N]):
    for i in dace.map[0:N]:
        b[i] = a[i] * 2 + 1
twice(np.ones(8), np.zeros(8), N=8)
"""),
    "ninetoothed": ("ninetoothed torch==2.5.1 numpy setuptools", {"TRITON_LIBCUDA_PATH": "{driver}"}, """import ninetoothed, torch
from ninetoothed import Symbol, Tensor
B = Symbol("BLOCK_SIZE", constexpr=True)
@ninetoothed.jit
def add(x: Tensor(1).tile((B,)), y: Tensor(1).tile((B,)), z: Tensor(1).tile((B,))):
    z = x + y
x = torch.ones(64, device="cuda")
add(x, x, torch.empty_like(x), BLOCK_SIZE=64)
"""),
    "transonic": ("transonic pythran numpy setuptools", {}, """import numpy as np
from transonic import jit, wait_for_all_extensions
@jit
def twice(a): return 2 * a + 1
twice(np.ones(8))
wait_for_all_extensions()
print(twice(np.ones(8)))
"""),
    "devito": ("devito", {}, """from devito import Grid, TimeFunction, Eq, Operator
g = Grid(shape=(8, 8))
u = TimeFunction(name="u", grid=g)
Operator([Eq(u.forward, u + 1)])(time_M=2)
"""),
    "brian2": ("brian2 numpy<2.3 setuptools", {}, """from brian2 import *
g = NeuronGroup(4, "dv/dt = -v / (10*ms) : 1", method="exact")
g.v = 1
run(2*ms)
"""),
    "pystencils": ("pystencils", {}, """import numpy as np, pystencils as ps
a, b = ps.fields("a, b: double[2D]")
k = ps.create_kernel([ps.Assignment(b.center, 2 * a.center + a[0, 1])])
k.compile()(a=np.ones((8, 8)), b=np.zeros((8, 8)))
"""),
}
# Nothing of these is a cache of the program; the driver's is looked after by jitwarm's other half.
PASSED_OVER = re.compile(r"^/(dev|proc|sys|run)/|\.(pyc|lock|lck)(\.\d+)?$|/\.nv/|/jitwarm-(state|store)/")
CALL = re.compile(r'^\d+ +(openat|open|creat|rename|renameat2?|linkat?)\((.*)\) += (-?\d+)')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


class Unable(Exception):
    pass


class Place:
    """Where a program is started: its home, temporary folder, program and environment, and whose they are."""

    def __init__(self, work, home, app, venv, bob=False):
        self.home, self.app, self.venv, self.bob = work / home, app, venv, bob
        self.tmp = work / ("tmp-of-bob" if bob else "tmp")

    def make(self):
        for folder in self.home, self.tmp, self.home / "jitwarm-state":
            folder.mkdir(exist_ok=True, mode=0o700)
            if self.bob:
                os.chown(folder, BOB, BOB)


class Judge:
    def __init__(self, o, driver, name, work):
        self.o, self.driver, self.name, self.work = o, driver, name, work
        self.packages, self.variables, text = PROGRAMS[name]
        venv = corpus() / re.split("[ =\\[]", self.packages)[0]
        if not (venv / "bin/python").exists():
            raise Unable(f"{venv.name} is not there (--fetch gets it)")
        app, other = work / "app", work / "other app"
        self.python = next(venv.glob("lib/python3*")).name
        for folder in app, other:
            folder.mkdir()
            (folder / "use.py").write_text(text)
            folder.chmod(0o755)
        moved = work / "moved-environment"
        moved.symlink_to(venv)
        self.lib = work / "driver"
        self.lib.mkdir()
        self.files = driver_folder(driver, self.packages)
        for file in self.files.iterdir():
            (self.lib / file.name).symlink_to(file)
        (self.lib / "libcuda.so").symlink_to(self.files / "libcuda.so.1")
        self.first = Place(work, "home", app, venv)
        self.places = {"same": self.first, "home": Place(work, "another-home", app, venv), "user": Place(work, "bob", app, venv, bob=True),
                       "path": Place(work, "another-home", other, moved)}
        work.chmod(0o755)

    def env(self, place):
        env = {"PATH": f"{place.venv}/bin:/usr/bin:/bin", "container": "jitwarm-tests", "LC_ALL": "C.UTF-8", "CC": "gcc", "HOME": str(place.home),
               "TMPDIR": str(place.tmp), "USER": "bob" if place.bob else "ada", "LOGNAME": "bob" if place.bob else "ada", "PYTHONDONTWRITEBYTECODE": "1",
               "JITWARM_STATE": str(place.home / "jitwarm-state"), "JITWARM_STORE": str(place.home / "jitwarm-store"),
               "JITWARM_DRIVERS": os.environ.get("JITWARM_DRIVERS") or os.path.expanduser("~/.cache/jitwarm-drivers"),
               "JITWARM_PHANTOM": os.environ.get("JITWARM_PHANTOM") or str(self.o.tool.parent / "libjitwarm-phantom.so")}
        nvidia = place.venv / "lib" / self.python / "site-packages/nvidia"
        env["LD_LIBRARY_PATH"] = ":".join([str(self.lib)] + [f"{nvidia}/{x}/lib" for x in ("cuda_nvrtc", "cuda_runtime")])
        for key, value in self.variables.items():
            env[key] = value.format(home=place.home, driver=self.lib, venv=place.venv, python=self.python)
        return env

    def run(self, place, *words, before=()):
        line = [*before, *(AS_BOB if place.bob else []), ROOT / "scripts/with-driver", "--driver", self.files, "--gpu", "sm_90", "--", *words]
        return subprocess.run(list(map(str, line)), cwd=place.app, env=self.env(place), text=True, capture_output=True, timeout=3600, errors="replace")

    def command(self, place):
        return ["python", "use.py"]

    def made_by_strace(self, place):
        """Files that a plain start writes, and that are there afterwards."""
        log = self.work / "calls"
        log.unlink(missing_ok=True)
        time.sleep(0.05)  # what import moved there is older than the start, also for a clock of coarse ticks
        began = time.time_ns() - 20_000_000
        # (by root: strace attaches to what runs as the other user)
        done = self.run(place, *self.command(place), before=["strace", "-f", "-y", "-s", "4096", "-e", "trace=/^(open|creat|rename|link).*", "-o", log])
        self.plain_code = done.returncode
        made = set()
        for line in log.read_text(errors="replace").splitlines():
            call = CALL.match(re.sub(r"<unfinished.*", "", line))
            if not call or int(call[3]) < 0:
                continue
            if call[1].startswith("open") and not re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", call[2]):
                continue
            names = TEXT.findall(call[2])
            base = re.findall(r"<([^<>]*)>, \"", call[2])
            path = names[-1] if names[-1].startswith("/") else os.path.join(base[-1] if base else str(place.app), names[-1])
            path = os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path)
            if not PASSED_OVER.search(path) and os.path.isfile(path) and path != str(log) and os.stat(path).st_ctime_ns >= began:
                made.add(path)
        if not made and not log.stat().st_size:
            raise Unable(f"strace: {done.stderr[-300:]}")
        return made

    def record(self):
        place = self.first
        place.make()
        done = self.run(place, self.o.tool, "prime", "--run", *self.command(place))
        self.said = " ".join((done.stdout + done.stderr).split())
        assert not re.search(r"recorded \d+ entr\w+ of the driver's cache.* Cache \S+: 0 B used", self.said), self.said
        self.recorded = done.returncode
        self.baseline = len(self.made_by_strace(place))
        key = self.work / "key"
        self.run(place, self.o.tool, "key", "--new", key, "--no-passphrase")
        pack = self.work / "pack.tar.zst"
        done = self.run(place, self.o.tool, "export", "--sign", key, "-o", pack, "--run", *self.command(place))
        for file in pack, self.work / "key.pub":
            if file.exists():
                file.chmod(0o644)
        if not pack.exists() and self.recorded:
            raise Unable(f"recorded with exit code {self.recorded}, and not packed: {' '.join((done.stdout + done.stderr).split())[-300:]} | {self.said[-900:]}")
        return pack if pack.exists() else None

    def placed(self, place, pack):
        for folder in place.home, place.tmp:
            shutil.rmtree(folder, ignore_errors=True)
        for app in self.first.app, place.app:  # of Numba, GT4Py and DaCe
            for folder in app.glob("__pycache__"), app.glob(".gt_cache"), app.glob(".dacecache"):
                for one in folder:
                    shutil.rmtree(one)
        place.make()
        if not pack:
            return {"other_caches": []}
        done = self.run(place, self.o.tool, "import", "--json", "--trust", self.work / "key.pub", pack)
        if "{" not in done.stdout:
            raise Unable(f"import: {done.stdout}{done.stderr}")
        return json.loads(done.stdout[done.stdout.index("{"):])

    def judge(self, case, pack):
        place = self.places[case]
        if place is not self.first:  # some find the first home by a path in their files
            shutil.rmtree(self.first.home, ignore_errors=True)
            shutil.rmtree(self.first.tmp, ignore_errors=True)
        self.placed(place, pack)
        made = self.made_by_strace(place)
        answer = self.placed(place, pack)
        done = self.run(place, self.o.tool, "verify", "--json", "--run", *self.command(place))
        told = json.loads(done.stdout[done.stdout.rindex('{\n  "schema"'):])
        uses = told["run"]["other_caches"]
        again, reused = sum(u["made"] for u in uses), sum(u["reused"] for u in uses)
        told_made = again + sum(u["others"] for u in uses) + told["run"]["other_files"]
        problems = []
        if told_made != len(made):
            problems.append("made")
        if (done.returncode == 0) != (not again and told["run"]["compiled"] == "nothing"):
            problems.append("exit code")
        if told["run"]["exit_code"] != self.plain_code:  # what cannot work there (a cache beside another user's program) fails alone, too
            problems.append(f"the program ended with {told['run']['exit_code']}, and alone with {self.plain_code}")
        print(f"| {self.name} | {self.driver} | {case} | {sum(k['placed'] for k in answer['other_caches'])} | {reused} | {again} | {told_made} | {len(made)} | {self.baseline} | {told['run']['compiled']}{' (' + told['run']['why_unknown'] + ')' if told['run'].get('why_unknown') else ''} | {done.returncode} | "
              f"{'yes' if not problems else 'NO: ' + ', '.join(problems)} |", flush=True)
        equal = not problems
        if not equal or self.o.verbose:
            print("    " + "\n    ".join([*told["notes"], *sorted(made)[:40]]), flush=True)
        return equal


def corpus():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("JITWARM_CORPUS") or f"{cache}/jitwarm-corpus") / "programs"


def with_opencl(driver):
    return corpus() / f"driver-{driver}-opencl"


def driver_folder(driver, packages):
    """Of its files; with OpenCL for what uses it."""
    if "pyopencl" in packages:
        if not (with_opencl(driver) / "libcuda.so.1").exists():
            raise Unable("this driver's OpenCL is not there (--fetch gets it)")
        return with_opencl(driver)
    found = subprocess.run([ROOT / "scripts/with-driver", "--driver", driver, "--fetch-only"], capture_output=True, text=True)
    if found.returncode:
        raise Unable(found.stderr.strip())
    return pathlib.Path(found.stdout.strip())


def fetch(names, drivers):
    for packages in sorted({PROGRAMS[n][0] for n in names}):
        venv = corpus() / re.split("[ =\\[]", packages)[0]
        if not (venv / "bin/python").exists():
            venv.parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run([sys.executable, "-m", "venv", venv]).returncode or subprocess.run([venv / "bin/pip", "install", "-q", *packages.split()]).returncode
            if done:
                shutil.rmtree(venv, ignore_errors=True)
        for folder, driver in ((with_opencl(d), d) for d in drivers if "pyopencl" in packages):
            if not (folder / "libcuda.so.1").exists() and subprocess.run([ROOT / "scripts/fetch-driver", "--branch", driver, "--opencl", folder]).returncode:
                shutil.rmtree(folder, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--fetch", action="store_true")
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--tool", default=ROOT / "build/dev/jitwarm", type=pathlib.Path)
    p.add_argument("--driver", action="append")
    p.add_argument("--only", action="append", choices=list(PROGRAMS))
    p.add_argument("--case", action="append", choices=["same", "home", "user", "path"])
    o = p.parse_args()
    o.tool = o.tool.resolve()
    names, drivers, tried, good = o.only or list(PROGRAMS), o.driver or ["550"], 0, True
    if o.fetch:
        fetch(names, drivers)
    if not shutil.which("strace"):
        print("SKIP: there is no strace")
        return 77
    cases = o.case or ["same", "home", "user", "path"]
    if os.geteuid() or not shutil.which("setpriv"):
        print("SKIP: user: it needs root and setpriv")
        cases = [c for c in cases if c != "user"]
    print("| program | driver | case | placed | reused | made again | all that it made | by strace | by strace, warm at home | the driver compiled | exit code | equal |\n" + "|---" * 12 + "|")
    for driver in drivers:
        for name in names:
            with tempfile.TemporaryDirectory(prefix="jitwarm-programs-") as work:
                try:
                    j = Judge(o, driver, name, pathlib.Path(work))
                    pack = j.record()
                    if o.verbose:
                        print("   ", j.said[-1200:])
                    for case in cases:
                        tried += 1
                        good &= j.judge(case, pack)
                except Unable as why:
                    print(f"SKIP: {name} on {driver}: {why}", flush=True)
                except subprocess.TimeoutExpired as why:
                    print(f"SKIP: {name} on {driver}: took longer than {why.timeout} s", flush=True)
    return 77 if not tried else 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
