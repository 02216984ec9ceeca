#!/usr/bin/env python3
"""real.py CASE --tool JITWARM --phantom LIB --with-driver SCRIPT --work FOLDER [--driver N --gpu G]
jitwarm on NVIDIA's own user-space drivers, over src/phantom: no GPU, and no kernel is executed. The
case `fetch` gets the drivers and notes in WORK why one cannot be had; the others are skipped with
that reason."""
import argparse
import atexit
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SCRUBBED = re.compile(
    r"^(CUDA_|NVIDIA_|JITWARM_(?!DRIVERS$|OWN_DRIVER$)|SIMCUDA_|LD_PRELOAD$|LD_LIBRARY_PATH$|SUDO_)"
)
PTX = """.version 6.4
.target sm_50
.address_size 64
.visible .entry add(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [out];
    ld.param.u32 %r1, [n];
    add.s32 %r2, %r1, 42;
    cvta.to.global.u64 %d2, %d1;
    st.global.u32 [%d2], %r2;
    ret;
}
"""


LOAD = """import ctypes, sys
c, context, module = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p()
assert c.cuInit(0) == 0 and c.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
for file in {files}:
    image = ctypes.create_string_buffer(open(file, 'rb').read() + bytes(64))
    print(c.cuModuleLoadData(ctypes.byref(module), image), flush=True)
"""


# Root may write what modes forbid, but for this.
WITHOUT_RIGHTS = """import ctypes
ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())
"""


# The same for a program: PR_SET_SECUREBITS keeps root without rights when it starts.
AND_START = """import os, sys
ctypes.CDLL(None).prctl(28, 1, 0, 0, 0)
"""


# What the CUDA runtime asks before it runs anything; numbers that a driver does not know are error
# 1.
ATTRIBUTES = """import ctypes
c, got, wrong = ctypes.CDLL('libcuda.so.1'), ctypes.c_int(), []
assert c.cuInit(0) == 0
for n in range(1, 150):
    wrong += [n] if c.cuDeviceGetAttribute(ctypes.byref(got), n, 0) not in (0, 1) else []
    wrong += ['clock'] if n in (13, 36) and got.value != 1500000 else []
print(wrong)
"""


# The image ends where a page that cannot be read begins.
PAST_END = """import ctypes, mmap, sys
c, context, module, libc = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.CDLL(None)
libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
assert c.cuInit(0) == 0 and c.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
for file in {files}:
    image, short = open(file, 'rb').read(), {short}
    end = libc.mmap(None, 1 << 20, 3, 0x22, -1, 0) + (1 << 19)
    assert libc.mprotect(end, 1 << 19, 0) == 0
    ctypes.memmove(end - len(image) + short, image, len(image) - short)
    print(c.cuModuleLoadData(ctypes.byref(module), ctypes.c_void_p(end - len(image) + short)), flush=True)
"""


# What the driver of a version makes for a GPU of the modules of `compile`, so many: SHA-256 of the
# names and bytes of the entries. Written down on a machine with an AMD EPYC and Linux 6.18,
# 2026-11-22: each other machine that runs the test is the second one. A virtual Intel Nehalem with
# Linux 6.1 made the same.
ENTRIES = """
460.106.00 sm_75 24 2cb8633cc8403e391d73a6df1eebdac7173f1972691433a5b1f35f8f35478669
460.106.00 sm_86 24 0d659f071e2a29c4eb8170fdca4127f412f30354ce9fd58a6e31e0b347784fb2
470.256.02 sm_70 2 a4ef776b2727c2c1e106a0fea5e00d31a2ac6091066495ec66e135b5115c811e
470.256.02 sm_75 2 86193b3a467767deea50600fbfa8978e579a5dc9b3dd9a79f3d35401ddbdafa2
470.256.02 sm_75 24 0ba4aa5b72684de4ac43c310996a50a42f0148e2d729714c7e404c213e60bc51
470.256.02 sm_80 2 4e12fa40460875ccfcbc1b4cffd3456939e9a8879483f656f7b8b7120c860c37
470.256.02 sm_80 24 7bd0a2214c0687c43b44a5498f5ed6cbb4c2db4bc9f18ceeacff5b4a4b1ac786
470.256.02 sm_86 2 84f360827397f5751791416dc494a95099bc04a9b95fe9c3b4466c7a543bafac
525.147.05 sm_80 24 5d7daa0fd6d451056cc71867c42f91757b72acfbf5244d8b6a343685fa502d02
525.147.05 sm_89 24 f16862d379da27a2c5c98be888f854d283866faa9d994a346b2b761dc30bf68d
535.261.03 sm_86 24 5d6ee5b0b9b967b306482512633f4d9afaff730fb2d509fbe01d609e9f8affcd
535.261.03 sm_89 2 dd9424aa1fc89acf4025a37c9605aea3f873d86736cf1dbd9e27557862069b93
535.261.03 sm_90 2 0b75d89f59c810cc2d3284e3c4c9071f73ec10db6f6a8da432fd40206b876006
535.261.03 sm_90 24 b84cb74374e1730e2bd26db4d51f1d0141a797027abcd6453d4f5aafac55afed
550.163.01 sm_86 2 ee738eb2cd8e87423e926532cacd797b9861abb6260a37355bc88a3a787052a3
550.163.01 sm_89 2 bbcf5561e5bb4a9682a44b94837ce179a50b618bf85f3f182ece84c4a19c7da2
550.163.01 sm_89 24 3712409244fba188cec719cd509feb434f449c7d595d2065b310833d1bf01c9b
550.163.01 sm_90 24 080ce46145b1f5fae54097397413f233d191cb4757c84bc25fb8327f34537f5d
555.58.02 sm_70 24 0afd3f6be31ea8b6c4759b257652612550c8cc242be065476d6f278762fb93c4
555.58.02 sm_90 24 7ad87aea5b2e1e82fcc8700450de90f7108e5da7600b6dbd4c782523f88910f5
"""


class Skip(Exception):
    pass


def compare_with_written_down(driver, gpu, entries):
    digest = hashlib.sha256()
    for name, data in sorted(entries.items()):
        digest.update(name.encode() + hashlib.sha256(data).digest())
    row = f"{driver} {gpu} {len(entries)} {digest.hexdigest()}"
    known = [
        line for line in ENTRIES.split("\n") if line.rsplit(" ", 1)[0] == row.rsplit(" ", 1)[0]
    ]
    processor = re.search(r"^model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    check(row in known or not known, "the entries are those that the other machine made",
          (row, known))
    print(row, "as written down" if known else "not written down yet",
          f"({processor[1] if processor else '?'}, Linux {os.uname().release})")


def check(true, what, said=""):
    if not true:
        raise AssertionError(f"{what}\n{said}")


def literals(data):
    """LZ4 that packs nothing: one run of literals."""
    rest = len(data) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def frame(data):
    """Zstd that packs nothing: one raw block, in a frame that tells its size."""
    return b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H",
                                                 len(data) - 256) + (len(data) << 3 | 1).to_bytes(
                                                     3, "little") + data


def item(ptx, nuls=1, packed=True, target=50, zstd=False, isa_minor=4, options=""):
    plain = ptx.encode() + b"\0" * nuls
    stored = frame(plain) if zstd else literals(plain) if packed else plain
    padded, text = stored + b"\0" * (-len(stored) % 8), options.encode()
    text += b"\0" * (-len(text) % 8 or 8)
    head = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 72 + len(text), len(padded),
                       len(stored) if packed else 0, 64, isa_minor, 6, target, 0, 0,
                       1 | (0x8000 if zstd else 0x2000 if packed else 0), 0,
                       len(plain) if packed else 0)
    return head + struct.pack("<II", 72, len(options)) + text + padded


def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return h


def parts(entry):
    """Key and payload."""
    n = struct.unpack_from("<Q", entry, 4)[0]
    return entry[28:28 + n], entry[28 + n:]


def place(cache, key, payload):
    """An entry with a right checksum under its right name, and the index's record of it."""
    name, index = f"{fnv(key):016x}", cache / "index"
    file = cache / name[0] / name[1] / name[2:]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(
        struct.pack("<IQQQ", 0x41, len(key), len(payload), fnv(payload)) + key + payload)
    records = [r for r in records_of(cache) if r[0] != fnv(key)
               ] + [(fnv(key), len(key) + len(payload))]
    write_index(index, records)
    return file


def records_of(cache):
    data = (cache / "index").read_bytes() if (cache / "index").exists() else bytes(16)
    return [
        struct.unpack_from("<QQ", data, 16 + 16 * n)
        for n in range(struct.unpack_from("<I", data, 4)[0])
    ]


def write_index(index, records, total=None, form=0x41):
    index.write_bytes(
        struct.pack("<IIQ", form, len(records),
                    sum(r[1] for r in records) if total is None else total) +
        b"".join(struct.pack("<QQ", *r) for r in records))


def container(*items):
    """A fatbin. Toolkits up to CUDA 10.1 store no NUL behind PTX, newer ones one."""
    body = b"".join(items)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def with_driver(o, driver):
    """The beginning of a command line. `arch`: of the driver and of the programs that it serves."""
    return [o.with_driver, "--arch", getattr(o, "arch", os.uname().machine), "--driver", driver]


class Machine:
    """A home of its own, and a driver, in a container: a fresh login has another home, and would be
    another machine's."""

    def __init__(self, o, driver=None, alone=False):
        self.o, self.driver = o, driver or o.driver
        made = pathlib.Path(o.work) / "machine"
        made.mkdir(exist_ok=True)
        (made / ".dockerenv").touch()
        self.home = pathlib.Path(
            tempfile.mkdtemp(prefix="real-", dir=os.environ.get("JW_TEST_MEMORY", o.work)))
        self.cache, self.played, self.errors = self.home / ".nv/ComputeCache", None, ""
        self.env = {
            k: v
            for k, v in os.environ.items() if not SCRUBBED.match(k) and not k.startswith("XDG_")
        }
        # A machine that has a GPU plays another one beside it.
        self.env |= {
            "HOME": str(self.home),  "JITWARM_PHANTOM_BESIDE": "1",
            "JITWARM_DRIVERS": drivers_folder(), "JITWARM_SYSROOT": str(made)
        }
        os.chdir(
            self.home
        )  # the homes of other tests are beside it, and what is below the working folder is searched
        if alone:
            self.driver = self.own_files(self.driver)
        else:
            self.know(self.driver)

    def know(self, driver):
        """What the first machine probed of this build, as a machine remembers it that met it
        before: it takes as long as a prime. The case `fetch`, with which each run begins, forgets
        it."""
        known, mine = pathlib.Path(
            self.o.work) / f"known-{driver}", self.home / ".local/state/jitwarm/drivers"
        if known.exists():
            shutil.copytree(known, mine, dirs_exist_ok=True)
            return
        text, there = self.home / "known.ptx", set(mine.glob("*"))
        text.write_text(PTX.replace("6.4", "6.0"))
        self.jitwarm("status", text, expect=(0, 1), gpus=["sm_61"], driver=driver)
        text.unlink()
        made = pathlib.Path(tempfile.mkdtemp(prefix="real-", dir=self.o.work))
        for record in set(mine.glob("*")) - there:
            shutil.copy(record, made)
        with contextlib.suppress(OSError):  # another test was first
            made.rename(known)

    def forget_drivers(self):
        shutil.rmtree(self.home / ".local/state/jitwarm/drivers", ignore_errors=True)

    def own_files(self, driver):
        """A copy of the driver's files. Who watches from outside whether a program loads the
        compiler watches the file: another test that loads the same one as the program ends may be
        that program, and the answer would be "unknown"."""
        copy = self.home / f"driver-{driver}"
        if not copy.exists() and "JITWARM_OWN_DRIVER" not in os.environ:
            kept = subprocess.run([*with_driver(self.o, driver), "--fetch-only"],
                                  capture_output=True, text=True, check=True)
            shutil.copytree(kept.stdout.strip(), copy, symlinks=True)
            atexit.register(shutil.rmtree, copy, ignore_errors=True)
            self.know(driver)
        return str(copy)

    def run(self, *command, expect=(0,), gpus=None, driver=None, patience=120, **variables):
        gpus = [word for gpu in gpus or [self.o.gpu] for word in ("--gpu", gpu)]
        done = subprocess.run(
            [*with_driver(self.o, driver or self.driver), *gpus, "--", *command],
            text=True, env=self.env | variables, capture_output=True, timeout=patience, check=False)
        said = f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
        check(done.returncode in expect, f"status {expect} expected", said)
        check("phantom:" not in done.stderr, "phantom does not know something", said)
        self.errors = done.stderr
        return done.stdout

    def said_by_program(self):
        """What the program of --run said, which stands on standard error beside a report in
        JSON."""
        return json.loads(next(line for line in self.errors.splitlines() if line.startswith("{")))

    def play(self):
        """Keeps the environment in which programs find the driver."""
        if not self.played:
            self.played = dict(
                line.split("=", 1) for line in self.run("env", "-0").split("\0") if line)

    def plainly(self, *command, expect, **variables):
        """A program, without rights beyond those of the files' modes."""
        self.play()
        lines = WITHOUT_RIGHTS.split("\n", 1)
        start = lines[0] + "\n" + AND_START + lines[1] + "os.execv(sys.argv[1], sys.argv[1:])\n"
        done = subprocess.run([sys.executable, "-c", start, *command], text=True,
                              env=self.played | variables, capture_output=True, timeout=120,
                              check=False)
        said = f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        check(done.returncode in expect, f"status {expect} expected", said)
        return done

    def without_rights(self, *words, expect, **variables):
        done = self.plainly(self.o.tool, *words, expect=expect, **variables)
        self.errors = done.stderr
        return done.stdout

    def load(self, *files, **variables):
        """What loading each file gives, in a process of its own that has no rights beyond those of
        the files' modes; the last may be that it dies."""
        self.play()
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_RIGHTS + LOAD.format(files=[str(f) for f in files])],
            text=True, env=self.played | variables, capture_output=True, timeout=120, check=False)
        check(done.returncode in (0, -4, -11) and "phantom:" not in done.stderr, "loaded",
              f"{done.returncode} {variables} {done.stdout}{done.stderr}")
        return [int(word) for word in done.stdout.split()] + (["dies"] if done.returncode else [])

    def jitwarm(self, *words, **more):
        return self.run(self.o.tool, *words, **more)

    def doctor(self, *words, **more):
        """Status 1 is a finding about this very home."""
        return json.loads(self.jitwarm("doctor", "--json", *words, expect=(0, 1), **more))

    def entries(self):
        return {str(p.relative_to(self.cache)): p.read_bytes() for p in self.cache.glob("?/?/*")}


def absent_gpu_once(o):
    """Whether a driver build compiles for other GPUs is asked once, of one GPU, and remembered of
    this build alone: one more process that starts the driver."""
    why_not(o)
    first, second = o.driver.split(":")
    machine = Machine(o, first)
    log, app = machine.home / "log", machine.home / "app"
    app.mkdir()
    (app / "add.ptx").write_text(PTX)

    def starts(*words, expect=(0,)):
        log.unlink(missing_ok=True)
        machine.jitwarm(*words, expect=expect, JITWARM_PHANTOM_LOG=str(log))
        return len({
            line.split()[0]
            for line in log.read_text().splitlines() if " open /dev/nvidiactl" in line
        })

    plan = "export", "--dry-run", "--gpu", "sm_80", app
    machine.forget_drivers()
    for driver in first, second:
        machine.driver = driver
        check(starts("doctor", expect=(0, 1)) > 3, "the probe")
        asked, later, other = starts(*plan), starts(*plan), starts("export", "--dry-run", "--gpu",
                                                                   "sm_75", app)
        check(asked == later + 1 and other == later > 0, f"{driver}: one more, once",
              (asked, later, other))
    machine.driver = first
    check(starts(*plan) == later, f"{first} is remembered beside {second}")
    check(not machine.entries(), "the user's cache", sorted(machine.entries()))


def drivers_folder():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/nowhere"),
                                                            ".cache")
    return os.environ.get("JITWARM_DRIVERS") or os.path.join(home, "jitwarm-drivers")


def why_not(o):
    for driver in o.driver.split(":"):
        note = pathlib.Path(o.work) / f"no-{driver.split('@')[0]}"
        if note.exists():
            raise Skip(note.read_text())


def fetch(o):
    """One that cannot be had is no failure; where the first cannot, the network is not there for
    the others either."""
    why = None
    for driver in o.driver.split(","):
        note = pathlib.Path(o.work) / f"no-{driver}"
        note.unlink(missing_ok=True)
        shutil.rmtree(note.with_name(f"known-{driver}"), ignore_errors=True)
        env = os.environ | {"JITWARM_DRIVERS": drivers_folder()}
        if why is None or pathlib.Path(drivers_folder()).exists():
            done = subprocess.run([*with_driver(o, driver), "--fetch-only"],
                                  capture_output=True, text=True, env=env,
                                  check=False) if why is None else None
            if done is not None and done.returncode == 0:
                print(driver, done.stdout.strip())
                continue
            said = [line for line in done.stderr.splitlines()
                    if line.startswith("fetch-driver: ")] if done else []
            why = why or "no driver: " + (said or done.stderr.splitlines()
                                          or ["?"])[-1].removeprefix("fetch-driver: ")
        note.write_text(why)
    if why:
        raise Skip(why)


def probe(o):
    """The driver is understood up to placing."""
    why_not(o)
    machine = Machine(o)
    check(
        machine.run(sys.executable, "-c", ATTRIBUTES) == "[]\n",
        "each attribute of the GPU is answered")
    machine.forget_drivers()
    scope = machine.doctor()["scope"]
    check(scope["driver"].split(".")[0] == o.driver, "the driver's version", scope)
    check(scope["gpus"] == [o.gpu], "the GPU", scope)
    check(scope["level"] == "placeable", "the level", scope)
    check(machine.doctor()["scope"]["level"] == "placeable", "what is remembered")
    nowhere = machine.home / "nowhere"
    machine.doctor(HOME=str(nowhere))
    machine.jitwarm("prime", machine.home, HOME=str(nowhere), expect=(1, 4))
    check(not nowhere.exists(), "no home is made, not by the driver either",
          sorted(nowhere.rglob("*")))
    print(scope["stamp"])


def round_trip(o):
    """Primed, verified; packed; the home wiped; taken back: the same bytes, and nothing is
    compiled."""
    why_not(o)
    machine = Machine(o)
    app, pack = machine.home / "app", machine.home / "app.tar.zst"
    app.mkdir()
    (app / "add.ptx").write_text(PTX)
    machine.jitwarm("prime", "--yes", app)
    first = machine.entries()
    check(len(first) == 1, "one entry", sorted(first))
    machine.jitwarm("doctor", app)
    check(machine.entries() == first, "doctor compiled something")
    machine.jitwarm("export", "-o", pack, app)
    kept = pack.read_bytes()
    shutil.rmtree(machine.home)
    app.mkdir(parents=True)
    (app / "add.ptx").write_text(PTX)
    pack.write_bytes(kept)
    machine.jitwarm("import", "--allow-unsigned", pack, app)
    check(machine.entries() == first, "the entry is another one", sorted(machine.entries()))
    machine.jitwarm("doctor", app)
    check(machine.entries() == first, "doctor compiled something after the import")


def older(o):
    """F13: drivers before 460 read PTX up to its first NUL, so their keys hold one NUL, however it
    is stored. The probe and prime compute the names so, and doctor compiles nothing."""
    why_not(o)
    machine = Machine(o)
    check(
        machine.run(sys.executable, "-c", ATTRIBUTES) == "[]\n",
        "each attribute of the GPU is answered")
    machine.forget_drivers()
    scope = machine.doctor()["scope"]
    check(scope["level"] == "placeable", "the level", scope)
    app = machine.home / "app"
    app.mkdir()
    for nuls, packed in ((0, True), (1, True), (2, True), (0, False), (9, False)):
        text = PTX.replace("6.4", "6.0").replace("42", str(nuls * 2 + packed))
        (app / f"{nuls}-{packed}.fatbin").write_bytes(
            container(item(text, nuls, packed, isa_minor=0)))
    machine.jitwarm("prime", "--yes", app)
    made = machine.entries()
    check(len(made) == 5, "an entry of each", sorted(made))
    check(all(b"}\n\0 \x7fELF" in entry for entry in made.values()),
          "one NUL, no options, then machine code")
    machine.jitwarm("doctor", app)
    check(machine.entries() == made, "doctor compiled something")
    folder = machine.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip()
    machine.jitwarm("export", "--driver-files", folder, "--gpu", o.gpu, "-o",
                    machine.home / "one.tar.zst", app)
    shutil.rmtree(machine.cache)
    machine.jitwarm("import", "--allow-unsigned", machine.home / "one.tar.zst", app)
    check(machine.entries() == made, "the pack that was made of the driver's files")


def gate(o):
    """F114: `scan --check` passes broken PTX and knows nothing of some options; with a driver's
    files it says what that driver does, also for a GPU that is not here."""
    why_not(o)
    machine = Machine(o)
    folder = machine.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip()
    text = PTX.replace(".version 6.4", ".version 6.0")
    files = {}
    for name, ptx, options in (("good", text, "-dlcm=ca -O3"),
                               ("broken", text.replace("add.s32", "add.s99"), ""),
                               ("knob", text, "-dlcm=ca -knob InsertYields=0"), ("link", text,
                                                                                "-ewp")):
        files[name] = machine.home / f"{name}.fatbin"
        files[name].write_bytes(container(item(ptx, isa_minor=0, options=options)))

    def verdicts(*words, passes):
        said = json.loads(
            machine.jitwarm("scan", "--check", "--json", *words, *files.values(),
                            expect=(0 if passes else 1, )))
        return {(pathlib.Path(v["path"]).stem, v["gpu"]): v["state"] for v in said["verdicts"]}

    alone = verdicts("--gpu", "sm_75", "--driver", o.driver, passes=False)
    check(
        alone == {("good", "sm_75"): "compiles", ("broken", "sm_75"): "compiles",
                  ("knob", "sm_75"): None, ("link", "sm_75"): None}, "without a driver", alone)
    asked = verdicts("--gpu", "sm_75", "--gpu", "sm_80", "--driver-files", folder, passes=False)
    for gpu in "sm_75", "sm_80":
        check([asked[name, gpu] for name in files] == ["compiles", "none", "none", "compiles"],
              f"with one, for {gpu}", asked)
    for name in "broken", "knob":
        del files[name]
    verdicts("--gpu", "sm_75", "--driver-files", folder, passes=True)


def outside(o):
    """A machine with logins, which have no LD_LIBRARY_PATH: the driver is found there, too; root
    makes packs for GPUs that are not here without a word, and its own cache when it says so."""
    why_not(o)
    machine = Machine(o)
    made, shell, app, packs = (machine.home / name for name in ("made", "shell", "app", "packs"))
    for folder in made, app, packs:
        folder.mkdir()
    shell.write_text('#!/bin/sh\nwhile [ "$1" != -c ]; do shift; done\neval "$2"\n')
    shell.chmod(0o755)
    (app / "add.ptx").write_text(PTX)
    there = {"JITWARM_SYSROOT": str(made), "SHELL": str(shell), "USER": "", "container": ""}
    words = ["export", "--json", "--gpu", "sm_80", "--gpu", "sm_75", "-o", packs, app]
    check(json.loads(machine.jitwarm(*words, **there))["proof"]["proven"], "for others")
    check(len(list(packs.iterdir())) == 2 and not machine.entries(), "their packs")
    root = ["--as-root"] if os.geteuid() == 0 else []
    machine.jitwarm("prime", "--yes", *root, app, **there)
    first = machine.entries()
    machine.jitwarm("export", "-o", machine.home / "one.tar.zst", app, **there)
    shutil.rmtree(machine.cache)
    machine.jitwarm("import", "--allow-unsigned", *root, machine.home / "one.tar.zst", app, **there)
    machine.jitwarm("doctor", app, **there)
    check(len(first) == 1 and machine.entries() == first, "the entry", sorted(machine.entries()))


def torn_index(o):
    """The header of the index is torn in a cache that was warm: told, repaired to the same bytes,
    and a fresh process compiles nothing. What another program compiles then costs no entry."""
    why_not(o)
    machine = Machine(o)
    app = machine.home / "app"
    app.mkdir()
    for n in range(3):
        (app / f"{n}.ptx").write_text(PTX.replace("42", str(42 + n)))
    machine.jitwarm("prime", "--yes", app)
    first, index = machine.entries(), machine.cache / "index"
    sound = index.read_bytes()
    check(len(first) == 3, "three entries", sorted(first))
    for torn in (bytes(16) + sound[16:], b""):
        index.write_bytes(torn)
        told = json.loads(machine.jitwarm("status", "--json", expect=(0, 1)))
        check(told.get("index") or told["unindexed"] == 3, "told", told)
        machine.jitwarm("prime", "--yes", app)
        check(sorted(index.read_bytes()) == sorted(sound), "the records are another ones")
        machine.jitwarm("doctor", app)
        check(machine.entries() == first, "doctor compiled something")
    (machine.home / "other.ptx").write_text(PTX.replace("42", "99"))
    machine.jitwarm("prime", "--yes", machine.home / "other.ptx")
    check(first.items() <= machine.entries().items(), "entries are gone", sorted(machine.entries()))


def containers(o):
    """Whatever kind of toolkit stored the PTX, and how: prime foretells the names, and doctor
    compiles nothing."""
    why_not(o)
    machine = Machine(o)
    kinds = {
        "old": (0, True), "new": (1, True), "two": (2, True), "raw-old": (0, False),
        "raw": (1, False)
    }
    for at, (kind, (nuls, packed)) in enumerate(kinds.items()):
        for pad in range(
                1 if packed else 8):  # so that the padding of what is not packed is 0 to 7 bytes
            image = container(
                item(PTX.replace("42", str(at + 1)) + "//" + "x" * pad + "\n", nuls, packed))
            (machine.home / f"{kind}-{pad}.fatbin").write_bytes(image)
    files = sorted(machine.home.glob("*.fatbin"))
    plan = json.loads(machine.jitwarm("status", "--json", *files, expect=(0, 1)))
    foretold = {job["entry"]: job for job in plan["jobs"]}
    answer = json.loads(machine.jitwarm("prime", "--json", "--yes", *files))
    check(answer["result"] == "warm", "primed", json.dumps(answer, indent=1))
    made = machine.entries()
    check({name.replace("/", "")
           for name in made} == {n.replace("/", "")
                                 for n in foretold}, "the foretold names",
          (sorted(made), sorted(foretold)))
    machine.jitwarm("doctor", *files)
    check(machine.entries() == made, "doctor compiled something")


def limit(o):
    """What the driver evicts under a small limit, for a program that loads more, is cold
    afterwards; a limit that no real program fits is one line, and nothing is compiled; with room
    for all, all is warm again, and what was left stays."""
    why_not(o)
    machine = Machine(o)
    app = machine.home / "app"
    app.mkdir()
    for n in range(3):
        (app / f"{n}.ptx").write_text(PTX.replace("42", str(42 + n)))
    names = {
        job["path"]: job["entry"]
        for job in json.loads(machine.jitwarm("prime", "--yes", "--json", app))["jobs"]
    }
    first = machine.entries()
    small = {"CUDA_CACHE_MAXSIZE": str(len(first[names[str(app / "0.ptx")]]) * 5 // 2)}
    other = machine.home / "other.ptx"
    other.write_text(PTX.replace("42", "99"))
    check(
        machine.run(sys.executable, "-c", LOAD.format(files=[str(other)]),
                    **small).split() == ["0"], "a program loads another one")
    left = machine.entries()
    check(
        len(first.keys() & left.keys()) < 3, "the driver evicts for it",
        (sorted(first), sorted(left)))
    said = json.loads(machine.jitwarm("status", "--json", app, expect=(1,)))
    check(
        said["answer"]["is"] == "cold"
        and said["answer"]["warm"] == len(first.keys() & left.keys()), "that is seen",
        said["answer"])
    said = json.loads(machine.jitwarm("prime", "--json", "--yes", app, expect=(4,), **small))
    check(said["cause"]["id"] == "cache-limit" and machine.entries() == left,
          "the limit is named, and nothing is done", said["cause"])
    machine.jitwarm("prime", "--yes", app)
    check(first.items() <= machine.entries().items(), "with room for all",
          sorted(machine.entries()))
    machine.jitwarm("doctor", app)
    # A pack that would fill the cache: what a program stores next evicts nothing of it.
    machine.jitwarm("export", "-o", machine.home / "all.tar.zst", app)
    shutil.rmtree(machine.cache)
    full = {"CUDA_CACHE_MAXSIZE": str(sum(len(data) - 28 for data in first.values()))}
    machine.jitwarm("import", "--allow-unsigned", machine.home / "all.tar.zst", expect=(1,), **full)
    came = machine.entries()
    check(
        len(came) == 2 and came.items() <= first.items(), "two fit, and an eighth stays free",
        sorted(came))
    check(
        machine.run(sys.executable, "-c", LOAD.format(files=[str(other)]), **full).split() == ["0"],
        "a program loads another one")
    check(came.items() < machine.entries().items(), "nothing is evicted for it",
          sorted(machine.entries()))


def deadline(o):
    """A driver that does not end is ended, and costs the module that it had; the next run leaves
    that alone."""
    why_not(o)
    machine = Machine(o)
    software = machine.home / "software"  # a file that is named itself would be tried again
    software.mkdir()
    heavy, light = software / "heavy.ptx", software / "light.ptx"
    more = "".join(f"    mad.lo.s32 %r2, %r2, %r1, {7 * i + 1};\n    xor.b32 %r1, %r2, {i};\n"
                   for i in range(150000))  # most of a minute
    heavy.write_text(PTX.replace("    cvta", more + "    cvta"))
    light.write_text(PTX)
    conf = machine.home / ".config/jitwarm/jitwarm.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text("timeout = 8\n")
    for state in "timeout", "skipped":
        answer = json.loads(machine.jitwarm("prime", "--json", "--yes", software, expect=(1,)))
        states = {pathlib.Path(job["path"]).name: job["state"] for job in answer["jobs"]}
        check(
            states["heavy.ptx"] == state and states.get("light.ptx", "warm") in ("warmed", "warm"),
            "the light one is warm", states)
        check(len(machine.entries()) == 1, "one entry", sorted(machine.entries()))


def corpus(folder, pattern, how="scripts/fetch-containers gets them"):
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/nowhere"),
                                                            ".cache")
    top = pathlib.Path(os.environ.get("JITWARM_CORPUS")
                       or os.path.join(home, "jitwarm-corpus")) / folder
    files = sorted(top.glob(pattern))
    if not files:
        raise Skip(f"{top} has no {pattern}; {how}")
    return files


def toolkits(o):
    """One module as each toolkit's fatbinary stored it, out of real libraries: prime foretells its
    name."""
    why_not(o)
    newest = tuple(map(int, o.toolkit.split(".")))
    files = [
        f for f in corpus("containers", "*.fatbin") if tuple(map(int, f.stem.split("."))) <= newest
    ]
    machine = Machine(o)
    for file in files:
        plan = json.loads(machine.jitwarm("status", "--json", file, expect=(0, 1)))
        foretold = {job["entry"].replace("/", "") for job in plan["jobs"]}
        before = machine.entries()
        machine.jitwarm("prime", "--yes", file)
        new = {name.replace("/", "") for name in machine.entries().keys() - before.keys()}
        check(
            len(new) == 1 and new == foretold,
            f"the foretold name of the module of CUDA {file.stem}", (new, foretold))
    print("CUDA", *(f.stem for f in files))
    machine.jitwarm("doctor", *files)


def absent_gpus(o):
    """Packs for GPUs that are not here: the very bytes that these GPUs' own machines make, and
    nothing of it in this machine's own cache, whatever the variables of this shell are."""
    why_not(o)
    here, others = Machine(o), o.absent.split(",")

    def fill(machine):
        (machine.home / "app").mkdir()
        (machine.home / "app/add.ptx").write_text(PTX)
        newer = PTX.replace("sm_50", "sm_80").replace("6.4", "7.0")
        (machine.home / "app/two.fatbin").write_bytes(
            container(item(PTX.replace("42", "2")), item(newer, target=80)))
        (machine.home / "app/old.fatbin").write_bytes(
            container(item(PTX.replace("42", "3"), nuls=0)))
        return machine.home / "app"

    app, packs = fill(here), here.home / "packs"
    packs.mkdir()
    words = [word for gpu in others for word in ("--gpu", gpu)]
    answer = json.loads(
        here.jitwarm("export", "--json", *words, "-o", packs, app, CUDA_FORCE_PTX_JIT="1",
                     CUDA_DISABLE_PTX_JIT="1"))
    check(answer["proof"]["proven"] and answer["answer"]["modules"] == 3 * len(others), "primed",
          json.dumps(answer, indent=1))
    check(not here.entries(), "this machine's own cache", here.entries())
    kept = pathlib.Path(answer["scope"]["cache"])
    made = {str(p.relative_to(kept)): p.read_bytes() for p in kept.glob("?/?/*")}
    check(len(list(packs.iterdir())) == len(others), "a pack for each", list(packs.iterdir()))
    for gpu in others:
        there = Machine(o)
        fill(there)
        there.jitwarm("prime", "--yes", there.home / "app", gpus=[gpu])
        own = there.entries()
        check(
            len(own) == 3 and own.items() <= made.items(), f"what {gpu} makes itself",
            (sorted(own), sorted(made)))
        shutil.rmtree(there.cache)
        there.jitwarm("import", "--allow-unsigned", *packs.glob(f"{gpu}-*.tar.zst"),
                      there.home / "app", gpus=[gpu])
        check(there.entries() == own, f"the pack on {gpu}", sorted(there.entries()))


def compile(o):
    """Packs made without a GPU, from files of a driver, by one worker, by eight, and of what a
    program loads: the very bytes that machines with these GPUs make. The one worker is another
    user's of another home and host, where the system allows namespaces."""
    why_not(o)
    driver = subprocess.run([*with_driver(o, o.driver), "--fetch-only"],
                            capture_output=True, text=True, check=True,
                            env=os.environ | {"JITWARM_DRIVERS": drivers_folder()}).stdout.strip()
    build, others = Machine(o), o.absent.split(",")
    made = build.home / "made"
    made.mkdir()

    def fill(machine):
        (machine.home / "app").mkdir()
        (machine.home / "app/add.ptx").write_text(PTX)
        (machine.home / "app/old.fatbin").write_bytes(
            container(item(PTX.replace("42", "3"), nuls=0)))
        for n in range(o.modules):  # from some hundred bytes to some 100 KB
            more = "".join(f"    add.s32 %r2, %r2, {n * i};\n    xor.b32 %r2, %r2, %r1;\n"
                           for i in range(3 << n // 2))
            (machine.home / f"app/{n}.fatbin").write_bytes(
                container(item(PTX.replace("    cvta", more + "    cvta"), packed=n % 3 > 0)))
        return machine.home / "app"

    def elsewhere():
        """Another user and host, as far as namespaces go; nothing where there are none."""
        words = [
            "unshare", "-Ur", "--uts", "sh", "-c",
            'hostname elsewhere && exec unshare -U --map-user=4321 "$@"', "sh"
        ]
        there = shutil.which(words[0]) and subprocess.run([*words, "hostname"], capture_output=True,
                                                          text=True, check=False)
        return words if there and there.stdout == "elsewhere\n" else []

    def compile(*words, expect=0, home=build.home, before=(), jobs=8):
        conf = home / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text(f"jobs = {jobs}\n")
        # On a made machine, which is no container: root of a build server is not refused, nor do
        # settings of its programs count.
        done = subprocess.run(
            [*before, o.tool, "export", "--driver-files", *map(str, words)], env={
                "HOME": str(home), "PATH": os.environ["PATH"],
                "JITWARM_SYSROOT": str(made), "LC_ALL": "C.UTF-8", "CUDA_DISABLE_PTX_JIT": "1",
                "CUDA_FORCE_PTX_JIT": "1"
            }, capture_output=True, text=True)
        check(done.returncode == expect, f"compile {words}", done.stdout + done.stderr)
        return done.stdout + done.stderr

    app, packs, target = fill(build), build.home / "packs", [
        word for gpu in others for word in ("--gpu", gpu)
    ]
    packs.mkdir()
    one, bad, program = (build.home / name for name in ("one", "bad.ptx", "program.py"))
    one.mkdir()
    bad.write_text(PTX[:200])
    program.write_text(LOAD.format(files=sorted(map(str, app.iterdir()))) + "sys.exit(3)\n")
    check("NVIDIA's licence applies" in compile(driver, *target, "-o", packs, app),
          "whose driver it is is said")
    check(
        sorted(p.name for p in build.cache.rglob("*") if p.is_file()) == [],
        "the build machine's own cache is left alone", list(build.cache.rglob("*")))
    check("--extract-only" in compile(build.home, *target, "-o", packs, app, expect=2),
          "a folder without a driver")
    check("is not a folder. It takes" in compile(program, *target, "-o", packs, app, expect=2),
          "a file, as a .run file is one")
    check("the name is empty" in compile("", *target, "-o", packs, app, expect=2), "no name")
    (build.home / "pipe").mkdir()
    os.mkfifo(build.home / "pipe/libcuda.so.550.1")
    check("--extract-only" in compile(build.home / "pipe", *target, "-o", packs, app, expect=2),
          "a pipe is no driver, and nobody waits for it")
    check(
        "jitwarm: /nowhere: no such file" in compile(driver, *target, "-o", one, "/nowhere",
                                                     expect=2), "no such path")
    for name in ("libcuda.so", "libnvidia-ptxjitcompiler.so"):
        cut = build.home / f"cut-{name}"
        shutil.copytree(driver, cut, symlinks=True)
        library = next(cut.glob(f"{name}.*.*"))
        os.truncate(library, library.stat().st_size - 1)
        check(
            f"{library} is not a whole library" in compile(cut, *target, "-o", one, app, expect=6),
            "a library that was cut off")
        with library.open("r+b") as f:
            f.seek(4)
            f.write(b"\1")
        check("unpack the driver of 64 bits" in compile(cut, *target, "-o", one, app, expect=6),
              "a 32-bit one")
        library.chmod(0)
        if os.geteuid():
            check(
                f"{library}: permission denied" in compile(cut, *target, "-o", one, app, expect=4),
                "one that cannot be read")
    check("No pack was written" in compile(driver, *target, "-o", one, bad, expect=1),
          "PTX that no driver compiles")
    check("No CUDA code was found" in compile(driver, *target, "-o", one, program, expect=1),
          "a script")
    check(not list(one.iterdir()), "no pack is written")
    for gpu in others:
        there = Machine(o)
        fill(there)
        there.jitwarm("prime", "--yes", there.home / "app", gpus=[gpu])
        own = there.entries()
        shutil.rmtree(there.cache)
        there.jitwarm("import", "--allow-unsigned",
                      *packs.glob(f"{gpu}-*.tar.zst"), there.home / "app", gpus=[gpu])
        check(
            len(own) == 2 + o.modules and there.entries() == own, f"the pack on {gpu}",
            (sorted(there.entries()), sorted(own)))
        compare_with_written_down(pathlib.Path(driver).name, gpu, own)
    compile(driver, *target, "-o", one, app, home=one, before=elsewhere(), jobs=1)
    for pack in packs.iterdir():
        check((one / pack.name).read_bytes() == pack.read_bytes(),
              "eight workers and one make the same pack", pack)
    check(not list((build.home / ".local/state/jitwarm").glob("[cd]*-*")),
          "no links and caches are left")
    check(not (build.home / ".local/share").exists(),
          "the build machine's own store of packs is left alone")


NO_CODE = b"this is no code, and its checksum is right" * 20
MiB = 1 << 20


def rules(o):
    """What the driver does with its cache, so that no answer depends on time: an entry of what is
    no code is error 200 where it is found (on 550 the program dies of it), and 0 where the driver
    passes it over and compiles."""
    why_not(o)
    machine, driver = Machine(o), int(o.driver)
    cache, index = machine.cache, machine.cache / "index"
    a, b, c = (machine.home / f"{n}.ptx" for n in range(3))
    for n, file in enumerate((a, b, c)):
        file.write_text(PTX.replace("6.4", "6.0").replace("42", str(n + 1)))
    check(machine.load(a, b, c) == [0, 0, 0], "all are loaded")
    made, used = machine.entries(), "dies" if driver == 550 else 200
    passed = 999 if driver == 390 else 0  # over; 390 ends so where its cache cannot be used, after 40 s: asked once
    keys = [next(parts(e)[0] for e in made.values() if f.read_bytes() in e) for f in (a, b, c)]
    payloads = {parts(e)[0]: parts(e)[1] for e in made.values()}

    def fresh(*modules, marked=()):
        """A cache of these modules; what is marked is no code."""
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        return [
            place(cache, keys[n], NO_CODE if n in marked else payloads[keys[n]]) for n in modules
        ]

    def there():
        return {
            n
            for n, key in enumerate(keys)
            if fnv(key) in {fnv(parts(e)[0])
                            for e in machine.entries().values()}
        }

    # F34: only the checksum is checked.
    file, = fresh(0, marked={0})
    wrong = file.read_bytes()
    for _ in range(3):
        check(
            machine.load(a) == [used] and file.read_bytes() == wrong,
            "no code with a right checksum is found for ever")
    said = machine.jitwarm("doctor", a, expect=(1,))
    check("damaged: 1" in said, "doctor says so", said)
    said = machine.jitwarm("export", "-o", machine.home / "no-code.tar.zst", a, expect=(1,))
    check("No pack was written" in said and file.read_bytes() == wrong, "nothing of it is packed",
          said)
    os.utime(file, (1, 1))  # prune leaves alone what a program may be writing
    machine.jitwarm("prune", "--yes")
    check(not file.exists(), "prune removes it")
    machine.jitwarm("prime", "--yes", a)
    check(there() == {0} and parts(file.read_bytes())[1] == payloads[keys[0]],
          "prime makes it again")
    file.write_bytes(wrong[:20] + bytes([wrong[20] ^ 1]) + wrong[21:])
    check(
        machine.load(a) == [0] and parts(file.read_bytes())[1] == payloads[keys[0]],
        "with a wrong one it is made again")

    # F64: what cannot be written gives no hit, unless its index alone can. No folder is listed for
    # it.
    modes = (0o555, 0o444, 0o444, passed), (0o755, 0o644, 0o444, passed), (0o555, 0o444, 0o644,
                                                                           used), (0o311, 0o444,
                                                                                   0o644, used)
    for folder, entry, mode, wanted in modes[2 if passed else 0:]:
        file, = fresh(0, marked={0})
        index.chmod(mode)
        file.chmod(entry)
        for f in (file.parent, file.parent.parent, cache):
            f.chmod(folder)
        said = machine.load(a)
        for f in (cache, file.parent.parent, file.parent):
            f.chmod(0o755)
        check(said == [wanted] and file.read_bytes() == wrong,
              f"folder {folder:o}, entry {entry:o}, index {mode:o}", said)

    # What was primed is not said to be warm where the driver cannot look.
    fresh()
    machine.without_rights("prime", "--yes", a, b, expect=(0,))
    index.chmod(0o444)
    for words in ("prime", a, b), ("doctor", a, b), ("status", a, b):
        said = machine.without_rights(*words, expect=(1,) if words[0] == "doctor" else (4,))
        check("cannot be written" in " ".join(said.split()) and "fresh process" not in said,
              "nobody says that it is warm", said)
    check(passed == 999 or machine.load(a, b) == [0, 0], "both are compiled again")
    index.chmod(0o644)
    for folder in 0o311, 0o755:
        cache.chmod(folder)
        machine.without_rights("status", a, b, expect=(0,))

    # F40 to F42: another program's lock, held longer than the driver waits for it.
    for kind, how, wanted in (("record", fcntl.LOCK_EX, passed), ("record", fcntl.LOCK_SH, passed
                                                                  or used),
                              ("open file", fcntl.LOCK_EX, passed), ("flock", fcntl.LOCK_EX, used)):
        if passed and (kind, how) != ("open file", fcntl.LOCK_EX):
            continue
        fresh(0, marked={0})
        with open(index, "r+b") as held:
            if kind == "record":
                fcntl.lockf(held, how)
            elif kind == "flock":
                fcntl.flock(held, how)
            else:
                fcntl.fcntl(held, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0,
                                                  0))  # F_OFD_SETLK
            said = machine.load(a), [0] if passed else machine.load(b)
        stored = len(records_of(cache)) == 2
        check(said == ([wanted], [0]) and stored == (kind == "flock"),
              f"{kind} lock, {how}: {wanted}, and what is recorded", (said, stored))

    # F58, F81.
    for value in ("1", "01", " 1", "0", "2", "true", "yes", ""):
        fresh(0, marked={0})
        said = machine.load(b, a, CUDA_CACHE_DISABLE=value)
        off = value.strip().isdigit() and int(value) == 1
        check(said == [0, 0 if off else used] and (1 in there()) != off,
              f"CUDA_CACHE_DISABLE={value!r}", said)
    if driver >= 460:
        fresh(0)
        check(
            machine.load(a, b, CUDA_DISABLE_PTX_JIT="1") == [0, 223] and there() == {0},
            "what is warm runs, and nothing is compiled")

    # F51, F52: an index that claims so many bytes, and an entry more.
    size = len(keys[1]) + len(payloads[keys[1]])
    default, most = ((1024 if driver >= 525 else 256) * MiB, 4096 * MiB)
    values = {None: default
              } | ({"4294967296": default, "67108864": 64 * MiB} if driver < 450 else dict.fromkeys(
                  ("4294967296", "8589934592", "-1"), most))
    for value, limit in values.items():
        for spare in (4096, -4096):
            fresh(0)
            (hash_, _), = records_of(cache)
            write_index(index, [(hash_, limit - size - spare)])
            check(
                machine.load(b, **({"CUDA_CACHE_MAXSIZE": value} if value else {})) == [0],
                "loaded")
            check(there() == ({0, 1} if spare > 0 else {1}),
                  f"the limit of CUDA_CACHE_MAXSIZE={value} is {limit}", (spare, there()))

    # F83: an index that is not believed; and a wrong sum, which is.
    for what, kept in (("missing", False), ("short", False), ("another format", False),
                       ("counts more", False), ("a wrong sum", True)):
        fresh(0, 1, marked={0})
        work = cache / "jitwarm-work-0-1-0/1/4/2/3e06b9e6ec62aa"
        work.parent.mkdir(parents=True, exist_ok=True)
        work.touch()
        records = records_of(cache)
        if what == "missing":
            index.unlink()
        elif what == "short":
            os.truncate(index, 15)
        else:
            write_index(
                index, records,
                *((12345, ) if what == "a wrong sum" else
                  (None, 0x42) if what == "another format" else ()))
            if what == "counts more":
                index.write_bytes(index.read_bytes()[:4] + struct.pack("<I", 3) +
                                  index.read_bytes()[8:])
        if what == "counts more":
            said = machine.load(a)
            check((said, there()) == (([999], {0, 1}) if driver == 390 else ([0], {0})),
                  f"{what}: nothing is found, and the store deletes the others", (said, there()))
            check(work.exists(), f"{what}: a work folder stays")
            continue
        said = machine.load(a)
        check(said == [used] and there() == {0, 1}, f"{what}: entries are found all the same", said)
        said = machine.load(c)
        check(said == [0] and there() == ({0, 1, 2} if kept else {2}),
              f"{what}: the next that stores deletes the others, or not", (said, there()))
        check(work.exists(), f"{what}: a work folder stays")

    # F21, F24.
    if driver >= 525:
        mode = ("c, m = ctypes.CDLL('libcuda.so.1'), ctypes.c_int()\nassert c.cuInit(0) == 0 and "
                "c.cuModuleGetLoadingMode(ctypes.byref(m)) == 0\nprint(m.value)")
        default = 1 if driver == 525 else 2
        for value, wanted in ((None, default), ("EAGER", 1), ("eager", 1), ("LAZY", 2),
                              ("lazy", default), ("1", default), ("", default)):
            said = int(
                machine.run(sys.executable, "-c", "import ctypes\n" + mode,
                            **({} if value is None else {"CUDA_MODULE_LOADING": value})))
            check(said == wanted, f"CUDA_MODULE_LOADING={value}: {wanted} (1 eager, 2 lazy)", said)


def zstd(o):
    """What a driver makes of zstd, and that scan and prime say so."""
    why_not(o)
    machine = Machine(o)
    file = machine.home / "z.fatbin"
    file.write_bytes(container(item(PTX + "//" + "x" * 1000 + "\n", zstd=True)))
    said = machine.run(sys.executable, "-c", LOAD.format(files=[str(file)]),
                       expect=(0, 139, -11)).strip()
    wanted = {"470": "218", "525": "", "535": "218"}.get(o.driver, "0")
    check(said == wanted, f"{wanted!r} is the answer", said)
    words = " ".join(machine.jitwarm("scan", "--gpu", o.gpu, "--driver", o.driver, file).split())
    check((" compiles " if said == "0" else " needs driver 550 ") in words,
          "scan says what this driver makes of it", words)
    answer = json.loads(machine.jitwarm("status", "--json", file, expect=(0, 1)))["answer"]
    check(answer["is"] == ("warm" if said == "0" else "incomplete"),
          "what the driver loaded is there, and what it cannot read is no job", answer)


def given_files(o):
    """fetch-driver --files: a driver as NVIDIA's .run file and three distributions lay it out,
    their 32-bit libraries beside it; and folders that hold none."""
    why_not(o)
    here = pathlib.Path(Machine(o).run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip())
    libcuda = next(here.glob("libcuda.so.*.*"))
    top = pathlib.Path(
        tempfile.mkdtemp(prefix="real-", dir=os.environ.get("JW_TEST_MEMORY", o.work)))
    fetch_driver = pathlib.Path(o.with_driver).with_name("fetch-driver")

    def take(given, expect=0):
        out = top / "out"
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([fetch_driver, "--files", given, out], capture_output=True, text=True,
                              check=False)
        check(done.returncode == expect, f"{given}: status {expect}", done.stdout + done.stderr)
        return done.stderr if expect else {p.name for p in out.iterdir()}

    both = {
        "libcuda.so.1", libcuda.name, "libnvidia-ptxjitcompiler.so.1",
        libcuda.name.replace("libcuda", "libnvidia-ptxjitcompiler")
    }
    for name, folder, other in (("run", ".",
                                 "32"), ("debian", "usr/lib/x86_64-linux-gnu/nvidia/current",
                                         "usr/lib/i386-linux-gnu/nvidia/current"),
                                ("ubuntu", "usr/lib/x86_64-linux-gnu",
                                 "usr/lib/i386-linux-gnu"), ("fedora", "usr/lib64", "usr/lib")):
        for place in (folder, other):
            (top / name / place).mkdir(parents=True, exist_ok=True)
        for library in here.glob("lib*.so.*.*"):
            shutil.copy(library, top / name / folder)
            (top / name / other / library.name).write_bytes(b"\x7fELF\1 of another machine")
        check(take(top / name) == both, name)
        check((top / "out" / libcuda.name).read_bytes() == libcuda.read_bytes(),
              f"{name}: the library for 64 bits")
    (top / "run/LICENSE").touch()
    (top / "any.run").write_text(f'[ "$1" = --extract-only ] && cp -r {top / "run"} "$3"\n')
    check(take(top / "any.run") == both | {"LICENSE"}, "a .run file")
    if shutil.which("dpkg-deb"):
        (top / "debian/DEBIAN").mkdir()
        (top / "debian/DEBIAN/control").write_text(
            "Package: x\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@x.x>\nDescription: x\n")
        (top / "packages").mkdir()
        subprocess.run(["dpkg-deb", "-b", "-Znone", top / "debian", top / "packages/x.deb"],
                       capture_output=True, check=True)
        check(take(top / "packages") == both, "a folder of packages")
    (top / "empty").mkdir()
    check("no libcuda.so.VERSION" in take(top / "empty", 1), "a folder without a driver")
    (top / "bad.run").write_text("exit 3\n")
    check("could not be unpacked" in take(top / "bad.run", 1), "a file that is none")
    check("there is no" in take(top / "nowhere", 1), "nothing")


def past_end(o):
    """F82: the driver reads nothing behind an image. That such a read would be seen: one byte of
    the image less, and it dies."""
    why_not(o)
    machine = Machine(o)
    images = {
        "text.ptx": PTX.encode() + b"\0", "packed.fatbin": container(item(PTX.replace("42", "2"))),
        "plain.fatbin": container(item(PTX.replace("42", "3"), packed=False))
    }
    for name, image in images.items():
        (machine.home / name).write_bytes(image)
    files = [str(machine.home / name) for name in images]
    said = machine.run(sys.executable, "-c", PAST_END.format(files=files, short=0))
    check(said.split() == ["0"] * len(images), "all are loaded", said)
    machine.run(sys.executable, "-c", PAST_END.format(files=files[:1], short=1), expect=(139, -11))


def files(o):
    """How the driver locks and writes, as strace sees it: F26, F32, F40, F43, F45 of
    docs/dev/driver-facts.md. Nothing of this machine's /dev, /proc, /sys and /etc is made, changed
    or opened to be written, but names of its own threads; 550 asks for a profiler's file."""
    why_not(o)
    strace = shutil.which("strace")
    if not strace:
        raise Skip("strace is not installed")
    machine = Machine(o)
    (machine.home / "add.ptx").write_text(PTX)
    code = LOAD.format(files=[str(machine.home / "add.ptx")]) + "print(c.cuModuleUnload(module))\n"
    seen = []
    for run in "store", "hit", "deleted":
        log = machine.home / run
        said = machine.run(strace, "-f", "-y", "-o", log, "-e", "trace=file,desc", sys.executable,
                           "-c", code)
        check(said.split() == ["0", "0"], "loaded and unloaded", said)
        check(len(machine.entries()) == 1, "unloading leaves the entry", sorted(machine.entries()))
        lines = log.read_text().splitlines()
        seen.append([line for line in lines if str(machine.cache) in line])
        # The home may be below /dev/shm: the driver makes the folders above its cache, as mkdir -p
        # does, and a thread may come between.
        above = [f'"{folder}", 0700 <unfinished' for folder in machine.home.parents]
        ours = [
            line for line in lines
            if not any(one in line for one in above) and re.search(r'"/(dev|proc|sys|etc)\b', line)
            and str(machine.home) not in line and " = -1 E" not in line
        ]
        wrong = [
            line for line in ours if re.search(
                r"O_WRONLY|O_RDWR|O_CREAT|\b(mknod|mkdir|unlink|rename|symlink|link|chmod|chown|"
                r"truncate|utime)\w*\(",
                line)
            and not re.search(
                r'"/dev/null"|"/dev/shm/cuda_injection_path_shm", O_RDWR\|O_NOFOLLOW|"/proc/(self|'
                r'\d+)/task/\d+/comm"|readlink',
                line)
        ]
        check(ours and not wrong, "this machine's own files", wrong)
        if run == "hit":
            shutil.rmtree(machine.cache.parent)  # F32: what is above it is made, too
    store, hit, _ = ("\n".join(lines) for lines in seen)
    check(
        re.search(r"index>?, F_SETLK, {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=0, l_len=0}",
                  hit), "a read lock over all", hit)
    check(
        re.search(r'index", O_RDWR', hit) and "O_CREAT" not in hit and "F_WRLCK" not in hit,
        "a hit opens it for both", hit)
    check(re.search(r'[0-9a-f]{14}", O_WRONLY\|O_CREAT\|O_TRUNC', store),
          "an entry is created in place", store)
    check(not re.search(r"\b(rename\w*|fsync|fdatasync|flock)\(", store),
          "nothing is renamed or synced", store)
    tail = store[store.rindex("F_WRLCK"):]
    check(re.search(r"F_UNLCK.*\n.*write\(\d+<[^>]*index>", tail),
          "the record is written after the lock was dropped", tail)
    with open(machine.cache / "index", "r+b") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        machine.run(strace, "-f", "-y", "-o", machine.home / "held", "-e",
                    "trace=fcntl,clock_nanosleep,nanosleep", sys.executable, "-c", code)
    said = (machine.home / "held").read_text()
    first = next(line.split()[0] for line in said.splitlines()
                 if "F_SETLK" in line and str(machine.cache) in line)
    said = "".join(line for line in said.splitlines(True) if line.startswith(first))
    said = said[said.index("F_SETLK"):]
    naps = [int(n) for n in re.findall(r"nanosleep\(.*tv_sec=0, tv_nsec=(\d+)}", said)]
    locks = said.count("F_RDLCK, l_whence") > 0, said.count("F_WRLCK, l_whence") > 0
    check(
        all(locks) and max(naps) == 10000000 and 100000000 < sum(naps) <= 400000000,
        "for 200 ms each, 10 ms apart, to read and to write", (locks, naps))


def identity(o):
    """Another stamp comes with another build id: F11."""
    why_not(o)
    stamps, builds = set(), set()
    drivers = o.driver.split(":")
    for driver in drivers:
        machine = Machine(o, driver)
        (machine.home / "add.ptx").write_text(PTX)
        machine.run(sys.executable, "-c", LOAD.format(files=[str(machine.home / "add.ptx")]))
        stamps |= {data[28:47] for data in machine.entries().values()}
        library = pathlib.Path(
            machine.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip(),
            "libcuda.so.1").read_bytes()
        builds.add(re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", library, re.DOTALL)[1])
    check(
        len(stamps) == len(builds) == len(drivers), "as many stamps and builds as drivers",
        (stamps, builds))


def elf(**sections):
    """An ELF library with these sections."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in sections) + b".shstrtab\0"
    n, body, rows = len(sections) + 2, b"", struct.pack("<IIQQQQIIQQ", *([0] * 10))
    at = 64 + 64 * n
    for name, data in sections.items():
        rows += struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), 1, 2, at + len(body),
                            at + len(body), len(data), 0, 0, 8, 0)
        body += data
    rows += struct.pack("<IIQQQQIIQQ", names.index(b".shstrtab"), 3, 0, 0, at + len(body),
                        len(names), 0, 0, 1, 0)
    return b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64, 0, 64,
                                                     56, 0, 64, n, n - 1) + rows + body + names


def library_of(*containers):
    return elf(**{".nv_fatbin": b"".join(containers)})


@contextlib.contextmanager
def read_only_mount(cache):
    if subprocess.run(["mount", "--bind", cache, cache], capture_output=True,
                      check=False).returncode:
        raise Skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", cache], check=True)
        yield
    finally:
        subprocess.run(["umount", cache], check=True)


@contextlib.contextmanager
def index_of_mode_400(cache):
    (cache / "index").chmod(0o400)
    yield
    (cache / "index").chmod(0o600)


@contextlib.contextmanager
def index_of_another_user(cache):
    os.chown(cache / "index", 54321, 54321)
    (cache / "index").chmod(0o644)
    yield
    os.chown(cache / "index", os.getuid(), os.getgid())


@contextlib.contextmanager
def immutable_index(cache):
    if subprocess.run(["chattr", "+i", cache / "index"], capture_output=True,
                      check=False).returncode:
        raise Skip("no file can be made immutable here")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", cache / "index"], check=True)


@contextlib.contextmanager
def cache_of_another_user(cache):
    def give(user, folder, file):
        for path in [cache, *cache.rglob("*")]:
            os.chown(path, user, user)
            path.chmod(folder if path.is_dir() else file)

    give(54321, 0o755, 0o644)
    yield
    give(0, 0o700, 0o600)


@contextlib.contextmanager
def unreadable_entry(cache):
    entry = sorted(cache.glob("?/?/*"))[0]
    entry.chmod(0)
    yield
    entry.chmod(0o600)


def cannot_look(o):
    """F64: a cache that was primed, and in which this user's driver does not look: the independent
    loader compiles, and nobody says that nothing does. Set-up: drivers cannot write to the cache
    Set-up: an entry cannot be read"""
    why_not(o)
    if os.geteuid() != 0:
        raise Skip("needs root, for files of other users")
    machine = Machine(o, alone=True)
    app = machine.home / "app"
    app.mkdir()
    for n in range(3):
        (app / f"{n}.fatbin").write_bytes(container(item(PTX.replace("42", str(n)), nuls=n)))
    program = [
        sys.executable,
        pathlib.Path(__file__).with_name("loader.py"), *sorted(app.iterdir()), "--nap", "0.5"
    ]

    def alone():
        seen = json.loads(machine.plainly(*program, expect=(0,)).stdout)
        check(seen["loaded"] == 3, "the loader", seen)
        return seen["compiler"]

    def warm():
        machine.without_rights("prime", "--yes", app, expect=(0,))
        check(
            json.loads(machine.without_rights("prime", "--json", app, expect=(0, )))["compiled"]
            == 0 and not alone(), "primed")

    warm()
    machine.without_rights("prime", "--run", *program, expect=(0,))
    for harm in read_only_mount, index_of_mode_400, index_of_another_user, immutable_index, cache_of_another_user, unreadable_entry:
        try:
            with harm(machine.cache):
                wrong, unreadable = harm.__name__, harm == unreadable_entry
                for words in ("status", app), ("doctor", app), ("status",), *(() if unreadable else
                                                                             (("prime", app),
                                                                              ("prime", ))):
                    said = json.loads(machine.without_rights(*words, "--json", expect=(1, 4)))
                    # HOME is not the account's here, so no owner is changed: that is asked in
                    # tests/unit/cause
                    check(
                        said["result"] != "warm"
                        and ("export HOME=" in str(said["todo"])) == ("another_user" in wrong),
                        f"{wrong}: {words}", said)
                said = machine.without_rights("doctor", "--json", "--run", *program, expect=(1,))
                own, seen = machine.said_by_program(), json.loads(said)["command"]
                check(own["compiler"] and seen["compiled"] != "nothing", f"{wrong}: doctor --run",
                      said)
                check(seen["made"] == unreadable, f"{wrong}: what is kept", said)
                done = machine.plainly(o.tool, "run", "--", *program, expect=(0,))
                check(unreadable or json.loads(done.stdout)["compiler"], f"{wrong}: run", done)
        except Skip as why:
            print(f"{harm.__name__}: {why}")
        warm()


def several_gpus(o):
    """Three GPUs, names and sizes given; each compiles for itself."""
    why_not(o)
    machine = Machine(o)
    gpus = ["sm_75:Card One:4G", "sm_86:Card Two:8G", "sm_86"]
    (machine.home / "add.ptx").write_text(PTX)
    machine.jitwarm("prime", "--yes", machine.home / "add.ptx", gpus=gpus)
    check(len(machine.entries()) == 2, "an entry for each architecture", sorted(machine.entries()))


MULTIPROCESSORS = """import ctypes
c, n = ctypes.CDLL('libcuda.so.1'), ctypes.c_int()
assert c.cuInit(0) == 0 and c.cuDeviceGetCount(ctypes.byref(n)) == 0 and n.value == 1
assert c.cuDeviceGetAttribute(ctypes.byref(n), 16, 0) == 0
print(n.value)
"""


def mig(o):
    """A GPU that is cut into MIG instances: a program sees one of them, and CUDA_VISIBLE_DEVICES
    names which. The instances and the whole GPU use the same entries."""
    why_not(o)
    machine, named = Machine(o), int(o.driver) >= 470
    whole = o.gpu + ":Card:40G"
    cut = [whole + ":mig=1g.5gb+2g.10gb"]
    number = f"-6a772d70-6861-6e74-6f6d-000000{int(o.gpu[3:]):02x}%02x01"
    first, second = (f"MIG{number % 7}",
                     f"MIG{number % 8}") if named else (None, f"MIG-GPU{number % 0}/8/0")
    machine.forget_drivers()
    scope = machine.doctor(gpus=cut)["scope"]
    check(int(o.driver) < 460 or scope["level"] == "placeable", "the level", scope)
    check(
        machine.run(sys.executable, "-c", MULTIPROCESSORS, gpus=cut) == "12\n",
        "the part of its processors")
    (machine.home / "add.ptx").write_text(PTX)
    machine.jitwarm("prime", "--yes", machine.home / "add.ptx", gpus=cut)
    made = machine.entries()
    check(len(made) == 1, "one entry", sorted(made))
    other = {"gpus": cut, "CUDA_VISIBLE_DEVICES": second}
    check(
        machine.run(sys.executable, "-c", MULTIPROCESSORS, **other) == "24\n",
        "the part of its processors")
    machine.jitwarm("doctor", machine.home / "add.ptx", **other)
    if named:
        machine.jitwarm("doctor", "--gpu", first, machine.home / "add.ptx", gpus=cut)
    machine.jitwarm("doctor", machine.home / "add.ptx", gpus=[whole])
    check(machine.entries() == made, "an instance or the whole GPU compiled something")


def unpack_wheel(o, package, folder, *options, platform="manylinux2014_x86_64"):
    wheels = pathlib.Path(o.work) / "wheels"

    def had():
        return next((w
                     for w in wheels.glob(package.replace("-", "_").replace("==", "-") + "-*.whl")
                     if ("-win_" in w.name) == platform.startswith("win_")), None)

    if not had():  # pip is seconds of a processor, and eight tests want the same
        fetched = subprocess.run([
            sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
            "--platform", platform, *options, "-d", wheels, package
        ], capture_output=True, text=True, check=False)
        if fetched.returncode:
            raise Skip(f"{package} cannot be fetched: {(fetched.stderr.splitlines() or ['?'])[-1]}")
    shutil.unpack_archive(had(), folder, "zip")


RUNTIME = """import ctypes as c, sys
class Wrapper(c.Structure):
    _fields_ = [("magic", c.c_int), ("version", c.c_int), ("data", c.c_void_p), ("more", c.c_void_p)]
rt, kept = c.CDLL(sys.argv[1]), []
rt.__cudaRegisterFatBinary.restype = c.c_void_p
for n, file in enumerate(sys.argv[2:]):
    data = c.create_string_buffer(open(file, "rb").read() + bytes(64))
    wrapper = Wrapper(0x466243b1, 1, c.cast(data, c.c_void_p), None)
    kept += [data, wrapper]
    handle = c.c_void_p(rt.__cudaRegisterFatBinary(c.byref(wrapper)))
    rt.__cudaRegisterFunction(handle, c.c_void_p(n + 1), b"add", b"add", -1, None, None, None, None, None)
    rt.__cudaRegisterFatBinaryEnd(handle)
assert rt.cudaFree(None) == 0 and rt.cudaFuncGetAttributes(c.create_string_buffer(512), c.c_void_p(2)) == 0
"""


def runtime(o):
    """F22: a program of the CUDA runtime with three modules, of which it uses one kernel: that
    module's entry alone where modules are loaded lazily, else all."""
    why_not(o)
    machine = Machine(o)
    unpack_wheel(o, "nvidia-cuda-runtime-cu12==12.4.127", machine.home / "wheel")
    files = [machine.home / f"{n}.fatbin" for n in range(3)]
    for n, file in enumerate(files):
        file.write_bytes(container(item(PTX.replace("42", str(n + 1)))))
    for mode, wanted in (("LAZY", 1), ("EAGER", 3), ("eager", 3), (None,
                                                                   3 if o.driver == "525" else 1)):
        shutil.rmtree(machine.cache, ignore_errors=True)
        machine.run(sys.executable, "-c", RUNTIME,
                    machine.home / "wheel/nvidia/cuda_runtime/lib/libcudart.so.12", *files,
                    **({"CUDA_MODULE_LOADING": mode} if mode else {}))
        made = machine.entries()
        check(
            len(made) == wanted and any(b", 2;" in entry for entry in made.values()),
            f"CUDA_MODULE_LOADING={mode}: {wanted} of 3", sorted(made))


NVRTC = """import ctypes, sys
c, context, program, n = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.CDLL(sys.argv[1])
assert c.cuInit(0) == 0 and c.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert n.nvrtcCreateProgram(ctypes.byref(program), sys.argv[2].encode(), b'a.cu', 0, None, None) == 0
assert n.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b'-arch=sm_90')) == 0
"""


NVJITLINK = """import ctypes, sys
n, h, text = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), sys.argv[2].encode() + bytes(1)
assert n.__nvJitLinkCreate_12_9(ctypes.byref(h), 1, (ctypes.c_char_p * 1)(b'-arch=sm_90')) == 0
assert n.__nvJitLinkAddData_12_9(h, 2, text, ctypes.c_size_t(len(text)), b'a.ptx') == 0 and n.__nvJitLinkComplete_12_9(h) == 0
"""


def other_compilers(o):
    """F09: NVRTC and nvJitLink 12.9 keep their results in the driver's cache: the same index, and
    under the same limit each evicts the other's."""
    why_not(o)
    for package, place_, code, text in (("nvidia-cuda-nvrtc-cu12==12.9.86",
                                         "cuda_nvrtc/lib/libnvrtc.so.12", NVRTC,
                                         'extern "C" __global__ void f(int *p) {{ *p = {}; }}'),
                                        ("nvidia-nvjitlink-cu12==12.9.86",
                                         "nvjitlink/lib/libnvJitLink.so.12", NVJITLINK,
                                         PTX.replace("{", "{{").replace("}",
                                                                        "}}").replace("42", "{}"))):
        machine = Machine(o)
        unpack_wheel(o, package, machine.home / "wheel")
        share_a_cache(machine, machine.home / "wheel/nvidia" / place_, code, text)
        shutil.rmtree(machine.home / "wheel")


def share_a_cache(machine, library, code, text):
    (machine.home / "add.ptx").write_text(PTX)

    def compiles(number, **variables):
        machine.run(sys.executable, "-c", code, library, text.format(number), **variables)
        return set(machine.entries())

    def one_index():
        status, n = json.loads(machine.jitwarm("status", "--json",
                                               expect=(1, ))), len(machine.entries())
        named = {b["driver"] for b in status["builds"] if b["current"]} & {"NVRTC", "nvJitLink"}
        check(
            named and not status.get("index")
            and status["entries"] == n == len(records_of(machine.cache)), "one index", status)

    first = compiles(1)
    one_index()
    for name in first:  # as a file that is read for 100 days looks: reading leaves no trace
        os.utime(machine.cache / name, (time.time() - 100 * 86400,) * 2)
    machine.run(sys.executable, "-c", LOAD.format(files=[str(machine.home / "add.ptx")]))
    plan = json.loads(machine.jitwarm("prune", "--json"))
    check(first and plan["removable"] == 0, "prune keeps them", plan)
    shutil.rmtree(machine.cache)
    check(
        compiles(1) == first and compiles(2, CUDA_CACHE_DISABLE="1") == first,
        "a hit, and a cache that is off, add nothing")
    small = {"CUDA_CACHE_MAXSIZE": str(sum(map(len, machine.entries().values())))}
    machine.run(sys.executable, "-c", LOAD.format(files=[str(machine.home / "add.ptx")]), **small)
    both = set(machine.entries())
    check(both - first and first - both, "the driver evicts what the library kept", (first, both))
    last = compiles(3, **small)
    check(last - both and both - last, "the library evicts in its turn", (both, last))
    one_index()


def preload(o):
    """Under CUDA_FORCE_PRELOAD_LIBRARIES cuInit loads compilers: the one that is missing is named,
    and the variable."""
    why_not(o)
    machine = Machine(o)
    (machine.home / "add.ptx").write_text(PTX)
    driver = pathlib.Path(machine.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip())
    if list(driver.glob("libnvidia-nvvm*")):
        raise Skip("this driver has all of them")
    for verb, code in (("prime", "--yes"), 3), (("doctor",), 1):
        words = *verb, machine.home / "add.ptx"
        said = " ".join(
            machine.jitwarm(*words, expect=(code,), CUDA_FORCE_PRELOAD_LIBRARIES="1").split())
        check("error 221" in said and "libnvidia-nvvm is missing" in said, "the missing library",
              said)
        check("To do unset CUDA_FORCE_PRELOAD_LIBRARIES" in said, "what to do", said)
    machine.jitwarm("prime", "--yes", machine.home / "add.ptx", CUDA_FORCE_PRELOAD_LIBRARIES="0")


def version(o):
    """A kernel module of another version: error 803, as on a real machine. A driver's file with
    another version's name gives it, too: then no reboot helps, and none is advised."""
    why_not(o)
    machine = Machine(o)
    code = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    check(machine.run(sys.executable, "-c", code).strip() == "0", "cuInit")
    check(
        machine.run(sys.executable, "-c", code, JITWARM_PHANTOM_DRIVER="550.1").strip() == "803",
        "cuInit, another version")
    (machine.home / "add.ptx").write_text(PTX)
    prime = "prime", machine.home / "add.ptx"
    kernel = pathlib.Path(machine.env["JITWARM_SYSROOT"] + "-of-version/proc/driver/nvidia/version")
    machine.env["JITWARM_SYSROOT"] = str(kernel.parents[3])
    kernel.parent.mkdir(parents=True, exist_ok=True)
    (kernel.parents[3] / ".dockerenv").touch()
    kernel.write_text(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.1  Tue Jan  1 00:00:00 UTC 2026\n")
    said = " ".join(machine.jitwarm(*prime, expect=(3,), JITWARM_PHANTOM_DRIVER="550.1").split())
    check("LD_LIBRARY_PATH" in said and "library that works" in said and "reboot" not in said,
          "in words, of a library that LD_LIBRARY_PATH leads to", said)
    here = pathlib.Path(machine.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip())
    renamed, own = machine.home / "renamed", next(
        here.glob("libcuda.so.*.*")).name.removeprefix("libcuda.so.")
    renamed.mkdir()
    for library in here.glob(f"lib*.so.{own}"):
        shutil.copy(library, renamed / library.name.replace(own, "551.1"))
    (renamed / "libcuda.so.1").symlink_to("libcuda.so.551.1")
    machine.driver = str(renamed)
    kernel.write_text(
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  551.1  Tue Jan  1 00:00:00 UTC 2026\n")
    said = " ".join(machine.jitwarm(*prime, expect=(3,)).split())
    check("library that works" in said and "reboot" not in said,
          "in words, of a library with another version's name", said)
    check(machine.doctor()["cause"]["id"] == "driver-library", "doctor")


def alone(o):
    """Without a driver: what the library does by itself."""
    blank = " " in o.phantom  # then it is preloaded by its name, from a folder of LD_LIBRARY_PATH
    front = f"{pathlib.Path(o.phantom).parent}:" if blank else ""
    behind = f":{front[:-1]}" if blank else ""
    preload = pathlib.Path(o.phantom).name if blank else o.phantom

    def run(code, **variables):
        env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        env |= {"LD_PRELOAD": preload, "JITWARM_PHANTOM_BESIDE": "1"} | variables
        env["LD_LIBRARY_PATH"] = front + env.get("LD_LIBRARY_PATH", "")
        return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, env=env,
                              check=False)

    devices = ("import os; print([os.path.exists('/dev/nvidia' + n) for n in ('ctl', '0', '1', "
               "'-uvm')])")
    seen = "print(open('/proc/driver/nvidia/version').read().split()[-1])"
    ours = {"JITWARM_PHANTOM_GPUS": "sm_86", "JITWARM_PHANTOM_DRIVER": "550.163.01"}
    done = run(devices + ";" + seen, **ours)
    check(done.stdout == "[True, True, False, True]\n550.163.01\n", "what is there", done)
    if not os.path.exists("/dev/nvidiactl"):
        done = run(devices)
        check(done.stdout == "[False, False, False, False]\n", "without a GPU nothing is played",
              done)
    done = run("pass", JITWARM_PHANTOM_GPUS="sm_86;sm_87")
    check(
        done.returncode == 125 and "sm_87" in done.stderr and " sm_50 " in done.stderr
        and " sm_121." in done.stderr, "a GPU that there is not", done)
    for gpu, why in (("sm_86:::mig=1g.5gb",
                      "sm_86 with 24 GiB has no room for a MIG instance 1g.5gb"),
                     ("sm_80:::mig=4g.20gb+4g.20gb",
                      "MIG instance 4g.20gb"), ("sm_80:::mig=5g.5gb", "MIG instance 5g.5gb"),
                     ("sm_80:::mig=", "MIG instance"), ("sm_80:::slices",
                                                        "cannot read sm_80:::slices")):
        done = run("pass", JITWARM_PHANTOM_GPUS=gpu)
        check(done.returncode == 125 and why in done.stderr, f"{gpu} cannot be", done)
    done = run("pass", JITWARM_PHANTOM_GPUS="sm_86:Card:lots")
    check(done.returncode == 125 and "cannot read" in done.stderr, "a size that is none", done)

    # On a machine with a driver, as far as namespaces make one.
    script = ('mount -t tmpfs none /dev && touch /dev/nvidiactl && exec env LD_PRELOAD="$0" '
              '"LD_LIBRARY_PATH=$@"')
    machine = ["unshare", "-Urm", "sh", "-c", script, preload, front]
    if shutil.which("unshare") and subprocess.run([*machine, "true"], capture_output=True,
                                                  check=False).returncode == 0:
        for beside, status in ((None, 125), ("1", 0)):
            env = {
                "PATH": os.environ["PATH"], "JITWARM_PHANTOM_GPUS": "sm_86",
                "JITWARM_PHANTOM_DRIVER": "550.163.01"
            }
            done = subprocess.run([*machine, "true"], text=True, capture_output=True, check=False,
                                  env=env | ({"JITWARM_PHANTOM_BESIDE": beside} if beside else {}))
            check(
                done.returncode == status
                and ("has a real /dev/nvidiactl" in done.stderr) == (status == 125),
                "beside a real driver", done)
    else:
        print("not asked: a machine with a driver, for want of namespaces")

    # An ioctl, a class and a control command that nobody knows: each is reported once, and refused.
    ask = """
import fcntl, os, struct, ctypes
fd = os.open('/dev/nvidiactl', os.O_RDWR)
def call(nr, data):
    data = bytearray(data)
    try:
        fcntl.ioctl(fd, 0xc0000000 | len(data) << 16 | ord('F') << 8 | nr, data)
    except OSError as e:
        print('errno', e.errno)
    return bytes(data)
for _ in range(2):
    call(0x77, bytes(8))
print(hex(struct.unpack('<I', call(0x2b, struct.pack('<4IQII', 0, 0, 0, 0xabcd, 0, 0, 0))[-4:])[0]))
print(hex(struct.unpack('<I', call(0x2a, struct.pack('<4IQII', 1, 1, 0x20801fff, 0, 0, 0, 0))[-4:])[0]))
"""
    done = run(ask, **ours)
    check(done.stdout == "errno 22\nerrno 22\n0x22\n0x56\n", "the answers", done)
    told = [
        line for line in done.stderr.splitlines()
        if line.startswith("phantom: driver 550.163.01 asks for ")
    ]
    check(len(told) == 3, "told once each", done.stderr)
    for word in ("the ioctl 0x77", "class 0xabcd", "the control command 0x20801fff"):
        check(word in done.stderr, f"{word} is named", done.stderr)

    # Programs that a played program starts, without LD_PRELOAD and the driver's folder, are played
    # to, and have it in front.
    folder = pathlib.Path(o.work) / "alone"  # no real-*, which the case fetch removes meanwhile
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "libcuda.so.550.1").touch()
    (folder / "libcuda.so.1").symlink_to("libcuda.so.550.1")
    for had in (None, "/nowhere"):
        libraries = {"LD_LIBRARY_PATH": had} if had else {}
        child = (
            f"import subprocess, sys; subprocess.run([sys.executable, '-c', "
            f"{devices + '; print(os.environ[' + repr('LD_LIBRARY_PATH') + '])'!r}], "
            f"env={ {'JITWARM_PHANTOM_GPUS': 'sm_86', 'JITWARM_PHANTOM_BESIDE': '1'} | libraries})")
        done = run(child, **ours, LD_LIBRARY_PATH=f"/somewhere:{folder}")
        check(
            done.stdout ==
            f"[True, True, False, True]\n{folder}{behind}{':' + had if had else ''}\n",
            "a child without LD_PRELOAD", done)
    done = run(
        "import os; os.mkdir('/dev/nvidia-caps'); os.mknod('/dev/nvidia7'); "
        "os.symlink('../nvidiactl', '/dev/char/195:255')",
        **ours)
    made = [
        node for node in ("/dev/nvidia-caps", "/dev/nvidia7", "/dev/char/195:255")
        if os.path.lexists(node)
    ]
    check(done.returncode == 0 and (not made or os.path.lexists("/dev/nvidia0")), "no node is made",
          (made, done))


CASES = {
    f.__name__.replace("_", "-"): f
    for f in (fetch, probe, round_trip, older, outside, torn_index, containers, limit, deadline,
              toolkits, absent_gpus, compile, gate, rules, zstd, files, given_files, identity,
              past_end, several_gpus, mig, runtime, other_compilers, absent_gpu_once, version,
              preload, cannot_look, alone)
}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("case", choices=CASES)
    for option in ("--tool", "--phantom", "--with-driver", "--work"):
        p.add_argument(option, required=True)
    p.add_argument("--arch", default=os.uname().machine)
    p.add_argument("--loads", help="a program of that architecture that loads modules (loads.c)")
    p.add_argument("--driver", default="")
    p.add_argument("--gpu", default="sm_86")
    p.add_argument("--absent", default="")
    p.add_argument("--runs", type=int, default=100)
    p.add_argument("--seed", type=int, default=0, help="0: drawn, and printed")
    p.add_argument("--modules", type=int, default=0, help="so many more than two")
    p.add_argument("--toolkit", default="", help="the newest that the driver reads")
    o = p.parse_args()
    pathlib.Path(o.work).mkdir(parents=True, exist_ok=True)
    try:
        CASES[o.case](o)
    except Skip as why:
        print(f"SKIP: {why}")
        return 77
    except AssertionError as failed:
        print(f"failed: {failed}")
        return 1
    for left in pathlib.Path(o.work).glob("real-*") if o.case == "fetch" else ():
        shutil.rmtree(left, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
