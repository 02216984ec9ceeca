#!/usr/bin/env python3
"""carry.py CASE (the options of real.py)
An update of the driver, as an administrator makes it: the new files take the place of the old
ones. Where the compiler is the same, prime carries the entries over; each of them is held against
what the new driver makes itself, by a loader that shares no code with jitwarm (linker.py,
loader.py), and strace counts who loads the compiler. Real drivers over src/phantom.
--driver 535.216.03:535.274.02: the builds.

    update     builds of one compiler, one after the other: all is carried
    libraries  the same of fifteen real libraries, in every order
    other      builds of two compilers: nothing is carried, and nothing is said of it
    kinds      inputs of the device linker, and PTX of a command that is in no file
    nvrtc      PTX that a command's NVRTC made
    unattended the startup unit's line, --background, --post-install and run carry over, too
    gpus       two architectures in one cache
    measure    how long CTranslate2 takes to be compiled, and to be carried over
    wrapper    the new libcuda calls the same compiler with one option more
    compiler   one byte of the new compiler's code, of a table, a text or a pointer is another
    record     what is remembered of the old build is lost, damaged, or says something else
    entries    old entries are damaged, cut off or gone
    forged     a record that says of another compiler that it is this one
    kills      prime is killed while it carries; two at once
    packs      a signed pack of one build serves the others
    lies       a signed pack that says that it is of this compiler
driver-fact: F112-one-compiler, F116-restamped, F115-near-compilers
"""
import contextlib
import csv
import itertools
import json
import os
import pathlib
import random
import pwd
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time

import real
from links import CALLER, HELPER, linked
from links import item as input_item
from linker import sections
from real import PTX, Machine, check, container, item, library_of, why_not

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "pack"))
from judge import library  # noqa: E402
from packs import pack_of, sign  # noqa: E402
LOADER, LINKER = HERE / "loader.py", HERE / "linker.py"
SAMPLE = 2  # modules that the new driver compiles, to compare them
STAMP = 19  # characters at the beginning of a key: when libcuda was built


class Updated(Machine):
    """A machine whose driver lies in one folder, whatever build that is."""

    def __init__(self, o, build):
        super().__init__(o, "", alone=True)
        self.app = self.home / "app"
        self.app.mkdir()
        self.update(build)

    def own_files(self, _):
        return str(self.home / "driver")

    def update(self, build):
        kept = subprocess.run([self.o.with_driver, "--driver", build, "--fetch-only"],
                              env=self.env, capture_output=True, text=True, check=True)
        new, folder = self.home / "driver.new", pathlib.Path(self.driver)
        shutil.copytree(kept.stdout.strip(), new, symlinks=True)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
        self.build = self.compiler_file().name.partition(".so.")[2]

    def compiler_file(self):
        return next(pathlib.Path(self.driver).glob("libnvidia-ptxjitcompiler.so.*.*"))

    def prime(self, *words, expect=(0,), **more):
        said = self.jitwarm("prime", "--yes", "--json", *(words or [self.app]), expect=expect,
                            patience=3600, **more)
        return json.loads(said)

    def prime_all(self):
        """All that is remembered."""
        return json.loads(self.jitwarm("prime", "--yes", "--json", patience=600))

    def own(self, *files, **variables):
        """What this build makes itself, in an empty cache."""
        cache = self.home / f"own-{self.build}"
        if not cache.exists():
            for file in files:
                self.load_all(file, CUDA_CACHE_PATH=str(cache), **variables)
        return {str(p.relative_to(cache)): p.read_bytes() for p in cache.glob("?/?/*")}

    def load_all(self, file, **variables):
        """How many entries a program adds that loads all of the file, and whether it needed the
        compiler for modules."""
        def through(door):
            return json.loads(self.run(sys.executable, LINKER, file, "--door", door, patience=3600,
                                       **variables))

        modules = through("modules")
        links = through("link")["new_entries"] if modules["inputs"] else 0
        return modules["new_entries"] + links, modules["compiler"]

    def keep(self):
        """A copy of the cache and of what is remembered, to try the same thing twice."""
        for name in ".nv", ".local":
            shutil.rmtree(self.home / f"kept{name}", ignore_errors=True)
            shutil.copytree(self.home / name, self.home / f"kept{name}", symlinks=True)

    def restore(self):
        for name in ".nv", ".local":
            shutil.rmtree(self.home / name)
            shutil.copytree(self.home / f"kept{name}", self.home / name, symlinks=True)

    def compilers(self, *command, expect=(0,)):
        """In how many processes the command loads the driver's compiler: jitwarm reads that file,
        too, and never as code."""
        log = self.home / "strace"
        self.run("strace", "-f", "-qq", "-y", "-e", "trace=mmap", "-e", "signal=none", "-o", log,
                 *command, expect=expect, patience=3600)
        lines = log.read_text(errors="replace").splitlines()
        return sum("PROT_EXEC" in line and "libnvidia-ptxjitcompiler.so" in line for line in lines)


def stamp_of(entries):
    stamp, = {real.parts(entry)[0][:STAMP] for entry in entries.values()}
    return stamp


def under(stamp, entries):
    """Those of a cache that one build made, by name."""
    return {name: entry for name, entry in entries.items() if real.parts(entry)[0][:STAMP] == stamp}


def made_library(path, most=5):
    """Modules in each form in which toolkits store PTX, from some hundred bytes to some ten KB."""
    forms = [
        {"packed": False}, {"packed": True}, {"packed": True, "nuls": 0},
        {"packed": True, "options": "-maxrregcount=16 "}, {"packed": False, "nuls": 0}
    ]
    images = []
    for n in range(12):
        more = "".join(f"    add.s32 %r2, %r2, {n * i};\n    xor.b32 %r2, %r2, %r1;\n"
                       for i in range(2 << n // 2))
        text = PTX.replace("    cvta", more + "    cvta").replace("42", str(n))
        text = text.replace("6.4", "6.0")
        images.append(container(item(text, isa_minor=0, **forms[n % most])))
    path.write_bytes(library_of(*images))
    return path


# ---- one compiler ----

def has_link_inputs(entries):
    return any(real.parts(e)[0].rsplit(b"\0", 1)[-1].startswith(b" -c") for e in entries.values())


def is_carried(m, paths, files, own):
    """After an update to a build of the same compiler. How long prime took, where nobody looked."""
    old, links = m.entries(), has_link_inputs(own)
    said = m.jitwarm("status", *paths, expect=(1,), patience=600)
    check("carries" in said, f"{m.build}: status says what prime will carry", said)
    m.keep()
    count = m.compilers(m.o.tool, "prime", "--yes", *paths)
    # F92-link-opens-compiler: that of the sample, and that of the proof
    most = 1 + SAMPLE + 2 * links
    check(count <= most, f"{m.build}: the probe, and the sample", count)
    m.restore()
    began = time.monotonic()
    said = m.prime(*paths)
    took = time.monotonic() - began
    check(said["carried"] + said["compiled"] == len(own), f"{m.build}: all of it", said)
    check(said["carried"] and not said["compiled"], f"{m.build}: is carried", said)
    new = under(stamp_of(own), m.entries())
    check(new == own, f"{m.build}: each entry is the one that this driver makes",
          sorted(new.keys() ^ own.keys()))
    check(old.items() <= m.entries().items(), f"{m.build}: the old ones stay")
    for file in files:
        added, compiler = m.load_all(file)
        check(not added and not compiler, f"{m.build}: a program compiles nothing", file)
    check(m.entries().keys() == old.keys() | own.keys(), f"{m.build}: and nothing else was added")
    m.jitwarm("status", *paths, patience=600)
    return took


def update(o):
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    check(m.prime()["compiled"] == 12, "the first build compiles")
    check(m.entries() == m.own(library), "what it makes itself")
    for build in builds[1:]:
        m.update(build)
        took = is_carried(m, [m.app], [library], m.own(library))
        print(f"{build}: 12 entries, prime took {took:.2f} s")
    m.update(builds[0])
    said = m.prime()
    check(said["compiled"] + said["carried"] == 0, "back at the first build all is there", said)


# Rows of libraries.csv whose PTX these drivers compile in a minute each, or less.
LIBRARIES = ("thundersvm torchvision torchcsprng cutwed tensorflow-addons eigh k2 itk-rtk "
             "thundergbm cufinufft cupy-random bitsandbytes cntk-nccl cugraph xgboost-0.82").split()


def fetch_libraries(o, folder):
    rows = {row["row"]: row for row in csv.DictReader((HERE / "libraries.csv").open())}
    files = []
    for name in LIBRARIES:
        (folder / name).mkdir(parents=True)
        files.append(library(o, rows[name], folder / name)[0])
    return files


def libraries(o):
    """Fifteen real libraries, which programs loaded under the first build, and the builds in every
    order."""
    why_not(o)
    builds, own = o.driver.split(":"), {}
    store = Updated(o, builds[0])
    files = fetch_libraries(o, store.home / "libraries")
    for build in builds:
        store.update(build)
        own[build] = store.own(*files)
    for order in itertools.permutations(builds):
        m = Updated(o, order[0])
        shutil.copytree(store.home / f"own-{order[0]}", m.cache)
        check(not m.prime(*files)["compiled"], "programs under the first build compiled all")
        for build in order[1:]:
            m.update(build)
            took = is_carried(m, files, files, own[build])
            print(f"{' '.join(order)}: {len(own[build])} entries, prime took {took:.2f} s",
                  flush=True)
        shutil.rmtree(m.home)


def other(o):
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    m.prime()
    for build in builds[1:]:
        m.update(build)
        for verb in "status", "doctor":
            said = m.jitwarm(verb, m.app, expect=(1,))
            check("carries" not in said, f"{build}: {verb} says nothing of it", said)
        said = m.prime()
        check(said["compiled"] == 12 and not said.get("carried"), f"{build}: all is compiled", said)
        own = m.own(library)
        check(under(stamp_of(own), m.entries()) == own, f"{build}: by this build")


# ---- other kinds of modules ----

def kinds(o):
    """Two inputs that the driver links, and PTX that a command loads and no file has: all of it is
    carried over, and the command is not started."""
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    program = m.app / "program.so"
    program.write_bytes(linked(container(input_item(CALLER)),
                               container(input_item(HELPER, packed=False))))
    made = made_library(m.app / "made.so")
    texts = [m.home / f"{n}.ptx" for n in range(3)]
    for n, text in enumerate(texts):
        text.write_text(PTX.replace("42", str(70 + n)))
    m.prime()
    m.jitwarm("prime", "--yes", "--run", sys.executable, LOADER, *texts, patience=600)
    m.update(builds[1])
    own = m.own(program, made)
    for text in texts:
        m.run(sys.executable, LOADER, text, CUDA_CACHE_PATH=str(m.home / f"own-{m.build}"))
    own = m.own()
    for text in texts:
        text.rename(f"{text}.away")
    check("carries" in m.jitwarm("status", expect=(1,)), "status says what prime will carry")
    said = m.prime_all()
    sample = SAMPLE + 1  # an input of the linker, too
    check(said["carried"] >= len(own) - sample, "carried", said)
    check(under(stamp_of(own), m.entries()) == own, "each is the one that this driver makes")
    for text in texts:
        pathlib.Path(f"{text}.away").rename(text)
    seen = json.loads(m.run(sys.executable, LOADER, *texts))
    check(not seen["new_entries"] and not seen["compiler"], "the command compiles nothing", seen)
    check(not m.load_all(program)[0], "nor does the program that links")


def nvrtc(o):
    """A recorded command that makes its kernels itself: their PTX is kept, and carried over without
    a start of the command. NVRTC's own entries are of its build, and stay."""
    why_not(o)
    builds, count = o.driver.split(":"), 5
    m = Updated(o, builds[0])
    real.unpack_wheel(o, "nvidia-cuda-nvrtc-cu12==12.2.140", m.home / "wheel")
    library = m.home / "wheel/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
    command = sys.executable, HERE / "nvrtc.py", library, str(count)
    m.jitwarm("prime", "--yes", "--run", *command, patience=600)
    for build in builds[1:]:
        m.update(build)
        own = json.loads(m.run(*command, CUDA_CACHE_PATH=str(m.home / f"own-{m.build}")))
        check(own["compiler"], f"{build}: without jitwarm it compiles", own)
        own = {name: e for name, e in m.own().items() if is_of_driver(e)}
        check("carries" in m.jitwarm("status", expect=(1,)), f"{build}: status says so")
        said = m.prime_all()
        check((said["carried"], said["compiled"]) == (count, 0), f"{build}: is carried", said)
        check(under(stamp_of(own), m.entries()) == own, f"{build}: as this driver makes it")
        seen = json.loads(m.run(*command))
        check(seen == {"new_entries": 0, "compiler": False}, f"{build}: it compiles nothing", seen)


def is_of_driver(entry):
    """Not of NVRTC, which has its results in the same cache."""
    return real.parts(entry)[0].count(b".version") == 1


# ---- what nobody watches ----

def unit_words(m):
    """The words of the unit that `startup install` writes, as systemd reads them."""
    m.jitwarm("startup", "install", "--as-root")
    unit = (m.home / ".config/systemd/user/jitwarm-startup.service").read_text()
    line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1]
    return [word.replace("$$", "$").replace("%%", "%") for word in shlex.split(line)]


def as_login(m, *command):
    """The command, where a fresh login of this user has the machine's home, and its driver."""
    m.play()
    exports = [f"export {name}={shlex.quote(value)}\n" for name, value in m.played.items()
               if name.startswith(("LD_", "JITWARM_"))]
    (m.home / ".profile").write_text("".join(exports))
    accounts, user = m.home / "passwd", pwd.getpwuid(os.getuid())
    accounts.write_text(f"{user.pw_name}:x:{user.pw_uid}:{user.pw_gid}::{m.home}:/bin/bash\n")
    mount = 'mount --bind "$0" /etc/passwd && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, accounts, *command]


def wait_until_warm(m):
    """Until a prime in the background has ended."""
    end = time.monotonic() + 300
    while json.loads(m.jitwarm("status", "--json", m.app, expect=(0, 1)))["answer"]["is"] != "warm":
        check(time.monotonic() < end, "the prime in the background ends", m.entries().keys())
        time.sleep(0.5)


def unattended(o):
    """After an update each way in which a prime is started that nobody watches carries over."""
    why_not(o)
    if os.getuid():
        raise real.Skip("needs root, to give a login another home")
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    root = m.home / "root"
    (root / "run/systemd/system").mkdir(parents=True)
    (root / ".dockerenv").touch()
    m.env |= {"JITWARM_SYSROOT": str(root), "SHELL": "/bin/bash"}
    library = made_library(m.app / "made.so")
    command = sys.executable, LINKER, library, "--door", "modules"
    m.prime()
    m.jitwarm("prime", "--yes", "--run", *command, patience=600)
    m.update(builds[1])
    own = m.own(library)
    check("carries" in m.jitwarm("status", expect=(1,)), "status says what prime will carry")
    m.keep()
    ways = {
        "--background": [o.tool, "prime", "--background"],
        "the startup unit": as_login(m, *unit_words(m)),
        "--post-install": as_login(m, o.tool, "prime", "--post-install", "--as-root", m.app),
        "run": [o.tool, "run", "--", *command],
    }
    for what, words in ways.items():
        m.restore()
        m.run(*words, patience=600)
        wait_until_warm(m)
        check(under(stamp_of(own), m.entries()) == own, f"{what}: as this driver makes each")
        m.restore()
        count = m.compilers(*words)
        wait_until_warm(m)
        check(count <= 1 + SAMPLE, f"{what}: the probe, and the sample", count)


def gpus(o):
    """Entries for GPUs of two architectures, which one sample compares."""
    why_not(o)
    builds, both = o.driver.split(":"), ["sm_86", "sm_90"]
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    check(m.prime(gpus=both)["compiled"] == 24, "the first build compiles for both")
    m.update(builds[1])
    said = m.prime(gpus=both)
    check((said["carried"], said["compiled"]) == (24, 0), "all is carried over", said)
    for gpu in both:
        m.load_all(library, CUDA_CACHE_PATH=str(m.home / f"own-{m.build}"), gpus=[gpu])
        check(m.load_all(library, gpus=[gpu]) == (0, False), f"{gpu}: a program compiles nothing")
    own = m.own()
    check(under(stamp_of(own), m.entries()) == own, "each is the one that this driver makes")


def measure(o):
    """For README, on a quiet machine: what an update costs, compiled and carried over."""
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    real.unpack_wheel(o, "ctranslate2==4.1.0", m.app, "--python-version", "311",
                      platform="manylinux2014_x86_64")
    for build in builds:
        m.update(build)
        m.jitwarm("doctor", expect=(0, 1))  # the build is probed
        before = sum(map(len, m.entries().values()))
        began = time.monotonic()
        said = m.prime()
        took = time.monotonic() - began
        print(f"{build}: {said['compiled']} compiled, {said['carried']} carried, "
              f"{sum(map(len, m.entries().values())) - before:,} bytes, {took:.2f} s", flush=True)


# ---- what must not be carried ----

def section(data, wanted):
    return next((at, size) for name, at, size in sections(data) if name == wanted)


def change_code(data):
    """The filling between two functions, which is never run: an operand of a nop."""
    at, size = section(data, b".text")
    place = data.index(b"\x0f\x1f\x84\0\0\0\0\0", at, at + size)
    data[place + 7] = 1


def change_table(data):
    at, size = section(data, b".rodata")
    data[at + size // 2] ^= 1


def change_text(data):
    at, size = section(data, b".rodata")
    place = data.index(b"nternal error", at, at + size)
    data[place] = ord("N")


def change_pointer(data):
    """One that the loader writes, to a place eight bytes behind."""
    at, size = section(data, b".rela.dyn")
    place = at + size // 48 * 24 + 16
    addend, = struct.unpack_from("<q", data, place)
    struct.pack_into("<q", data, place, addend + 8)


def nothing_is_carried(m, what, expect=(0, 1)):
    said = m.jitwarm("status", m.app, expect=range(1, 8))
    check("carries" not in said, f"{what}: status says nothing of it", said)
    said = m.jitwarm("prime", "--yes", "--json", m.app, expect=range(8), patience=600)
    check(not json.loads(said).get("carried"), f"{what}: nothing is carried over", said)


def compiler(o):
    why_not(o)
    builds = o.driver.split(":")
    for change in change_code, change_table, change_text, change_pointer:
        m = Updated(o, builds[0])
        made_library(m.app / "made.so")
        m.prime()
        m.update(builds[1])
        file = m.compiler_file()
        data = bytearray(file.read_bytes())
        change(data)
        file.write_bytes(data)
        nothing_is_carried(m, change.__name__)


WRAPPER = """#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef long call(uint64_t what, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* Call 1 of driver 535 has the words of a command line. */
long __cuda_CallJitEntryPoint(uint64_t what, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                              uint64_t e)
{
    void *compiler = dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW);
    call *real = (call *)dlsym(compiler, "__cuda_CallJitEntryPoint");
    static const char *words[64] = {"ptxas", OPTION}; /* the compiler keeps it */

    if (what != 1)
        return real(what, a, b, c, d, e);
    memcpy(words + 2, (char *const *)b + 1, (a - 1) * sizeof *words);
    return real(what, a + 1, (uint64_t)words, c, d, e);
}
"""


def wrap_compiler(m, option):
    """libcuda loads another library, which hands its calls to the compiler with this option."""
    name, wrapped = b"libnvidia-ptxjitcompiler.so.1", b"libnvidia-ptxjitcompileO.so.1"
    libcuda = (pathlib.Path(m.driver) / "libcuda.so.1").resolve()
    data = libcuda.read_bytes()
    check(data.count(name) == 1, "libcuda names its compiler once")
    libcuda.write_bytes(data.replace(name, wrapped))
    source = m.home / "wrapper.c"
    source.write_text(WRAPPER)
    subprocess.run(["cc", "-shared", "-fPIC", f'-DOPTION="{option}"', "-o",
                    pathlib.Path(m.driver) / wrapped.decode(), source, "-ldl"], check=True)


def wrapper(o):
    """The compiler is the same, but the new libcuda calls it otherwise: what it makes otherwise is
    compiled. The records of the builds, and the sample, are asked one by one."""
    why_not(o)
    builds = o.driver.split(":")
    for option in "-O0", "-O1", "-O2":
        m = Updated(o, builds[0])
        library = made_library(m.app / "made.so")
        m.prime()
        first = m.build
        m.update(builds[1])
        wrap_compiler(m, option)
        own = m.own(library)
        m.jitwarm("doctor", expect=(0, 1))
        m.keep()
        said = m.prime()
        check(under(stamp_of(own), m.entries()) == own, f"{option}: each as this driver makes it")
        check(option != "-O0" or not said["carried"], f"{option}: nothing is carried over", said)
        m.restore()
        record = record_of(m, first)
        probed = re.search(rb"sm_\d+ [0-9a-f]{64}", record_of(m, m.build).read_bytes()).group()
        write_record(record, re.sub(rb"sm_\d+ [0-9a-f]{64}", probed, record.read_bytes()[:-8]))
        said = m.prime()
        check(under(stamp_of(own), m.entries()) == own, f"{option}: nor by the sample alone")
        check(option != "-O0" or not said["carried"], f"{option}: the sample shows it", said)


def record_of(m, build):
    for record in (m.home / ".local/state/jitwarm/drivers").glob("*.record"):
        if build.encode() in record.read_bytes():
            return record
    raise AssertionError(f"no record of {build}")


def write_record(record, data):
    record.write_bytes(data + struct.pack("<Q", real.fnv(data)))


def record(o):
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    made_library(m.app / "made.so")
    m.prime()
    m.update(builds[1])
    m.jitwarm("status", m.app, expect=(1,))
    m.keep()
    old = record_of(m, builds[0])
    whole = old.read_bytes()
    code = re.search(rb"[0-9a-f]{64}", whole).group()
    for what, data in (("lost", None), ("damaged", whole[:40] + b"x" + whole[41:]),
                       ("cut off", whole[:-9]), ("empty", b"")):
        m.restore()
        old.unlink() if data is None else old.write_bytes(data)
        nothing_is_carried(m, f"a record that is {what}")
    m.restore()
    write_record(old, whole[:-8].replace(code, code[::-1]))
    nothing_is_carried(m, "a record of another compiler")
    if os.getuid() == 0:
        m.restore()
        os.chown(old, 65534, 65534)
        nothing_is_carried(m, "a record of another user")


def forged(o):
    """Another compiler whose record says that it is this one, and that it made the same of the
    probe's modules: the sample shows that it is not so, once, and everything is compiled."""
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    m.prime()
    first = m.build
    m.update(builds[1])
    m.jitwarm("doctor", expect=(0, 1))
    old, now = record_of(m, first), record_of(m, m.build)
    told = old.read_bytes()[:-8]
    for pattern in rb"[0-9a-f]{64}", rb"sm_\d+ [0-9a-f]{64}":
        told = told.replace(re.search(pattern, told).group(),
                            re.search(pattern, now.read_bytes()).group())
    write_record(old, told)
    check("carries" in m.jitwarm("status", m.app, expect=(1,)), "the record is believed so far")
    said = m.prime()
    notes = " ".join(note["text"] for note in said["notes"])
    check("does not make the same code" in notes and not said.get("carried"), "the sample shows it",
          said)
    own = m.own(library)
    check(under(stamp_of(own), m.entries()) == own, "and all is compiled")


def entries(o):
    """Old entries that are not whole are compiled."""
    why_not(o)
    builds = o.driver.split(":")
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    m.prime()
    files = sorted(m.cache.glob("?/?/*"), key=lambda p: -p.stat().st_size)
    for file in files[0], files[-1]:  # both would be in the sample
        data = bytearray(file.read_bytes())
        data[-5] ^= 1
        file.write_bytes(data)
    os.truncate(files[1], files[1].stat().st_size - 1)
    files[2].unlink()
    m.update(builds[1])
    said = m.prime()
    own = m.own(library)
    check((said["compiled"], said["carried"]) == (4, 8), "four are compiled", said)
    check(under(stamp_of(own), m.entries()) == own, "each is the one that this driver makes")


# ---- in the middle ----

def begin(m, *words):
    m.play()
    return subprocess.Popen([m.o.tool, "prime", "--yes", m.app, *words], env=m.played,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def kills(o):
    """Whenever prime dies: what is there is whole, old entries stay, the next prime ends it."""
    why_not(o)
    dice, builds = random.Random(o.seed), o.driver.split(":")
    m = Updated(o, builds[0])
    library = made_library(m.app / "made.so")
    m.prime()
    old = m.entries()
    m.update(builds[1])
    m.jitwarm("status", m.app, expect=(1,))
    own = m.own(library)
    m.keep()
    began = time.monotonic()
    check(m.prime()["carried"], "it carries")
    took = time.monotonic() - began
    for n in range(o.runs):
        m.restore()
        prime = begin(m)
        time.sleep(dice.random() * took)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(prime.pid, signal.SIGKILL)
        prime.wait()
        there = m.entries()
        check(old.items() <= there.items(), f"{n}: the old entries stay")
        check(under(stamp_of(own), there).items() <= own.items(), f"{n}: what is there is whole")
        if n % 10 == 0:
            m.prime()
            check(under(stamp_of(own), m.entries()) == own, f"{n}: the next prime ends it")
    m.restore()
    both = [begin(m), begin(m)]
    check([p.wait() for p in both] == [0, 0], "two at once")
    check(under(stamp_of(own), m.entries()) == own, "and each entry is there once")


# ---- packs ----

def unsigned_and_signed(m, share):
    m.jitwarm("key", "--no-passphrase", "--new", m.home / "k.key")
    m.jitwarm("export", "-o", share / "unsigned.tar.zst", m.app)
    m.jitwarm("export", "-o", share / "signed.tar.zst", "--sign", m.home / "k.key", m.app)
    return shutil.copy(m.home / "k.pub", share)


def imports(m, *words, expect=(0,)):
    return json.loads(m.jitwarm("import", "--json", *words, expect=expect, patience=600))


def packs(o):
    """A pack of one build serves all builds of its compiler, if a trusted key signed it; two
    modules are compiled to compare them, and a build that was never probed is probed."""
    why_not(o)
    builds = o.driver.split(":")
    maker = Updated(o, builds[0])
    made_library(maker.app / "made.so", most=4)
    maker.prime()
    share = maker.home / "share"
    share.mkdir()
    public = unsigned_and_signed(maker, share)
    maker.jitwarm("export", "-o", share, "--sign", maker.home / "k.key", maker.app)
    named, = share.glob("sm_*")
    for build in builds[1:]:
        m = Updated(o, build)
        library = made_library(m.app / "made.so", most=4)
        own = m.own(library)
        said = imports(m, "--allow-unsigned", share / "unsigned.tar.zst", expect=(5,))
        check(not m.entries() and "no trusted key" in said["why"], "not one that is unsigned", said)
        said = imports(m, "--allow-unsigned", share / "signed.tar.zst", expect=(5,))
        check(not m.entries() and "no trusted key" in said["why"], "nor an unknown key's", said)
        m.forget_drivers()
        said = imports(m, "--trust", public, share / "signed.tar.zst", m.app, expect=(1,))
        check(said["added"] == 12 == said["carry"]["modules"], "all of it is to be carried", said)
        said = m.prime()
        check(said["carried"] == 12 and not said["compiled"], "and is", said)
        check(under(stamp_of(own), m.entries()) == own, "each is the one that this driver makes")
        check(m.load_all(library) == (0, False), "a program compiles nothing")
        said = imports(m, "--trust", public, share / "signed.tar.zst")
        check(said["result"] == "there", "the second time all is there", said)
        shutil.rmtree(m.cache)
        conf = m.home / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True)
        key = pathlib.Path(public).read_text().splitlines()[1]
        conf.write_text(f"source = {share}\ntrust = {key}\n")
        count = m.compilers(m.o.tool, "prime", "--yes", m.app)
        check(count <= SAMPLE, "an enrolled machine compiles the sample alone", count)
        check(under(stamp_of(own), m.entries()) == own, "and has each entry")
        check(named.name.startswith(f"{o.gpu}-"), "the pack's name", named.name)


def lies(o):
    """A signed pack whose manifest says that it is of the compiler that is here."""
    why_not(o)
    if not shutil.which("minisign"):
        raise real.Skip("there is no minisign")
    builds = o.driver.split(":")
    maker, m = (Updated(o, build) for build in builds)
    made_library(maker.app / "made.so")
    made_library(m.app / "made.so")
    maker.prime()
    m.jitwarm("key", "--no-passphrase", "--new", m.home / "k.key")
    m.jitwarm("status", m.app, expect=(1,))
    m.jitwarm("doctor", expect=(0, 1))
    now = record_of(m, m.build).read_bytes()
    pack = pack_of(maker.cache, driver=builds[0], origin="made.so")
    pack.manifest["compiler"] = re.search(rb"[0-9a-f]{64}", now).group().decode()
    file = pack.write(m.home / "lies.tar.zst")
    sign(file, m.home / "k.key")
    imports(m, file)
    said = m.prime()
    notes = " ".join(note["text"] for note in said["notes"])
    check("does not make the same code" in notes and not said["carried"], "the sample shows it",
          said)
    own = m.own(m.app / "made.so")
    check(under(stamp_of(own), m.entries()) == own, "and all is compiled")


CASES = {
    f.__name__: f
    for f in (update, libraries, other, kinds, nvrtc, unattended, gpus, measure, wrapper, compiler,
              record, forged, entries, kills, packs, lies)
}

if __name__ == "__main__":
    real.CASES = CASES
    sys.exit(real.main())
