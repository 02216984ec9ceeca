#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES

`jitwarm prime` and `verify` on the simulated driver: what they promise, and all that can go wrong around them. Nothing here
is about hardware. Each case is a function below; `list` prints their names. Exit 77: the case cannot be tried here.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from bench import Cache, kill  # noqa: E402
from cases import Cases, Skip, check, finish, same  # noqa: E402

case = Cases()


def states(answer):
    return {s: n for s, n in answer["counts"].items() if n}


def by_state(answer, state):
    """The kernels of the jobs in this state: gen_modules gives each module one of its own."""
    return sorted(j["kernels"][0] for j in answer["jobs"] if j["state"] == state)


def sound(m, n):
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), n, "entries")
    same(m.leftovers(), [], "folders left behind")
    same(m.wait_for_silence(), [], "processes left behind")


def names(m, lib, **env):
    """Which entry each module will be: by size order of the plan's jobs, through a machine without faults."""
    answer, _ = m.answer("plan", lib, **env)
    return answer["jobs"]


# ---- the promise ----

@case
def cold_then_warm(m):
    lib, _ = m.library(count=60)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 60}), "first run")
    check(answer["simulated"] is True, "it says that the driver is simulated")
    same([(p["hits"], p["misses"], p["new_entries"]) for p in answer["verify"]["passes"]], [(60, 0, 0)], "verify")
    sound(m, 60)
    before = m.cache()
    answer, code = m.answer("prime", lib)
    same((code, answer["end"], answer["receipt"]), (0, "nothing", True), "second run")
    # Not even asked: a driver that cannot be used changes nothing.
    answer, code = m.answer("prime", lib, SIMCUDA_INIT="999")
    same((code, answer["end"], answer["receipt"]), (0, "nothing", True), "with a driver that is broken")
    answer, code = m.answer("verify", lib)
    same((code, answer["verify"]["passes"][0]["hits"]), (0, 60), "verify")
    same(m.cache().entries, before.entries, "the cache afterwards")


@case
def nothing_is_assumed(m):
    """The receipt does not hold when a file, the driver, a setting or the cache changed."""
    lib, _ = m.library("libs/lib.so", count=12)
    folder = lib.parent
    m.answer("prime", folder)

    def again(what, warmed, **env):
        answer, code = m.answer("prime", folder, **env)
        same((code, answer["receipt"]), (0, False), what)
        same(states(answer).get("warmed", 0), warmed, what + ": compiled")
        answer, code = m.answer("prime", folder, **env)
        same((code, answer["receipt"]), (0, True), what + ", and then again")

    os.utime(lib)
    again("a library with another time", 0)
    m.library("libs/other.so", count=3, seed=9)
    again("a new library", 3)
    victim = next(iter(m.cache().entries))
    (m.root / f"{victim:016x}"[0] / f"{victim:016x}"[1] / f"{victim:016x}"[2:]).unlink()
    again("an entry that is gone", 1)
    shutil.rmtree(m.root)
    again("rm -rf of the cache", 15)
    again("another limit", 0, CUDA_CACHE_MAXSIZE="1000000000")
    again("another folder", 15, CUDA_CACHE_PATH=str(m.folder / "elsewhere"))
    other = m.folder / "libcuda.so.999.1"
    shutil.copy(m.opt.sim, other)
    data = bytearray(other.read_bytes())
    at = data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"))
    data[at + 4] ^= 0xFF
    other.write_bytes(data)
    again("another driver", 15, JITWARM_DRIVER=str(other), SIMCUDA_STAMP="Feb  3 2026 01:02:03")


@case
def changed_meanwhile(m):
    """What changes while a prime is at work is seen by the next one."""
    lib, _ = m.library("libs/lib.so", count=4)
    (m.folder / "libs/empty").mkdir()

    m.answer("doctor", "--probe")

    def during(what, change, warmed):
        run = m.start("prime", m.folder / "libs", "--json", SIMCUDA_FAULTS="slow@init=2s")
        m.until(run, "compile")  # all was looked at; a worker begins for two seconds more
        os.kill(run.pid, signal.SIGSTOP)
        change()
        os.kill(run.pid, signal.SIGCONT)
        run.communicate(timeout=60)
        same(run.returncode, 0, what)
        answer, code = m.answer("prime", m.folder / "libs")
        same((code, answer["receipt"], states(answer).get("warmed", 0)), (0, False, warmed), what)
        answer, code = m.answer("prime", m.folder / "libs")
        same((code, answer["receipt"]), (0, True), what + ", and then again")
        m.forget_cache()

    during("a new library beside it", lambda: m.library("libs/new.so", count=3, seed=2), 3)
    other, _ = m.library("other.so", count=2, seed=3)
    half = m.folder / "libs/half.so"
    half.write_bytes(other.read_bytes()[:-200])
    during("a library that was not wholly there", lambda: half.write_bytes(other.read_bytes()), 2)
    shutil.copytree(m.folder / "libs", m.home / "libs")
    m.answer("prime", m.home)
    answer, code = m.answer("prime", m.home)
    same((code, answer["receipt"]), (0, True), "a folder with the cache in it")
    m.answer("prime", m.folder / "libs")
    m.library("libs/empty/new.so", count=2, seed=4)
    answer, code = m.answer("prime", m.folder / "libs")
    same((code, states(answer).get("warmed", 0)), (0, 2), "a library in a folder that had none")


@case
def lazy_and_native_and_vendor(m):
    lib, _ = m.library(count=5, target="compute_90")
    answer, code = m.answer("prime", lib)
    same((code, answer["end"], answer["left_out"]["nothing"]["modules"]), (0, "nothing", 5), "PTX for a newer GPU")
    lib, _ = m.library("libcublas.so.12", count=5)
    (m.folder / "d").mkdir()
    shutil.move(lib, m.folder / "d" / "libcublas.so.12")
    answer, code = m.answer("prime", m.folder / "d")
    same((code, answer["left_out"]["vendor"]["modules"], states(answer)), (0, 5, {}), "NVIDIA's own")
    answer, code = m.answer("prime", m.folder / "d", "--all")
    same((code, states(answer)), (0, {"warmed": 5}), "--all")


@case
def recorded_targets(m):
    one, _ = m.library("one.so", count=4, seed=1)
    two, _ = m.library("two.so", count=5, seed=2)
    m.answer("prime", one)
    m.answer("prime", two)
    shutil.rmtree(m.root)
    answer, code = m.answer("prime")
    same((code, answer["targets"]["from"], states(answer)), (0, "recorded", {"warmed": 9}), "without a path")
    answer, code = m.answer("prime", "--if-stale")
    same((code, answer["receipt"]), (0, True), "--if-stale")


@case
def damaged_file(m):
    """What the user named and cannot be understood is not passed over."""
    lib, _ = m.library(count=4)
    cut = m.folder / "cut.so"
    cut.write_bytes(lib.read_bytes()[:3000])
    done = m.run("prime", cut)
    same(done.returncode, 6, "alone")
    check("cut.so: elf:" in done.stderr, done.stderr)
    answer, code = m.answer("prime", cut, lib)
    same((code, answer["end"], states(answer)), (1, "partly", {"warmed": 4}), "beside a sound one")
    check(any("cut.so" in n for n in answer["notes"]), "it is named")


@case
def two_gpus(m):
    lib, _ = m.library(count=10)
    gpus = "sm_86:NVIDIA GeForce RTX 3070:8G;sm_89:NVIDIA GeForce RTX 4090:24G;sm_86:NVIDIA RTX A2000:6G"
    answer, code = m.answer("prime", lib, SIMCUDA_GPUS=gpus)
    same((code, states(answer)), (0, {"warmed": 20}), "two architectures")
    sound(m, 20)
    answer, code = m.answer("prime", lib, "--gpu", "sm_89", SIMCUDA_GPUS=gpus)
    same((code, states(answer)), (0, {"warm": 10}), "--gpu")


@case
def one_gpu_is_lost(m):
    """A GPU that takes no context costs its own modules; the other one's are warm, and verified."""
    lib, _ = m.library(count=6)
    gpus = "sm_86:NVIDIA GeForce RTX 3070:8G;sm_89:NVIDIA GeForce RTX 4090:64M"
    answer, code = m.answer("prime", lib, SIMCUDA_GPUS=gpus)
    same((code, answer["end"]), (1, "partly"), "two GPUs, one without memory for a context")
    same(sorted((j["gpu"], j["state"] == "warmed") for j in answer["jobs"]),
         [("sm_86", True)] * 6 + [("sm_89", False)] * 6, "jobs")
    sound(m, 6)


@case
def levels(m):
    """What cannot be predicted or placed is primed in the user's own folder, and known again."""
    lib, _ = m.library(count=15)
    for level in "0", "1", "2":
        m.forget_cache()
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        answer, code = m.answer("prime", lib, SIMCUDA_KNOWLEDGE=level)
        same((code, answer["driver"]["level"], states(answer)), (0, int(level), {"warmed": 15}), f"level {level}")
        same(answer["verify"]["passes"][0]["new_entries"], 0, f"level {level}, verify")
        answer, code = m.answer("prime", lib, SIMCUDA_KNOWLEDGE=level)
        same((code, states(answer).get("warmed", 0)), (0, 0), f"level {level} again")
        check(answer["receipt"] or states(answer) == {"warm": 15}, f"level {level} again: {states(answer)}")
        same(answer["advice"], [], f"level {level}: nothing is wrong with what cannot be read")


@case
def texts_and_wheels(m):
    ptx = m.folder / "k.ptx"
    ptx.write_text(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry text_kernel()\n{\n\tret;\n}\n")
    lib, _ = m.library("pkg/lib.so", count=4)
    subprocess.run([sys.executable, "-m", "zipfile", "-c", str(m.folder / "pkg-1.0-py3-none-any.whl"), "pkg/"],
                   check=True, cwd=m.folder)
    answer, code = m.answer("prime", ptx, m.folder / "pkg-1.0-py3-none-any.whl")
    same((code, states(answer)), (0, {"warmed": 5}), "a text and a wheel")
    sound(m, 5)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warm": 4}), "the wheel's library, once it is installed")
    ptx.write_bytes(b"// of Windows\r\n" + ptx.read_bytes().replace(b"\n", b"\r\n") + b"\0\0")
    answer, code = m.answer("prime", ptx)
    same((code, states(answer)), (0, {"warmed": 1}), "a text with NULs behind it")


@case
def sources(m):
    """A .cu file: compiled by an NVRTC that is found, its words shown, its PTX written where it is wanted."""
    fake = m.opt.sim.parent / "libnvrtc-sim.so"
    if not fake.exists():
        raise Skip("the fake NVRTC is not built")
    source = m.folder / "k.cu"
    source.write_text('extern "C" __global__ void jw_canary_k_5(unsigned long *out, unsigned x) {}\n')
    answer, code = m.answer("prime", source)
    same((code, answer["end"]), (1, "stopped"), "without an NVRTC")
    check("no NVRTC was found" in answer["why"], answer["why"])
    (m.folder / "cuda" / "lib64").mkdir(parents=True)
    shutil.copy(fake, m.folder / "cuda" / "lib64" / "libnvrtc.so.13")
    cuda = dict(CUDA_HOME=str(m.folder / "cuda"))
    ptx = m.folder / "k.ptx"
    answer, code = m.answer("prime", source, "-o", ptx, **cuda)
    same((code, states(answer)), (0, {"warmed": 1}), "a source")
    check(ptx.read_text().lstrip().startswith((".version", "//")), "the PTX is there")
    answer, code = m.answer("prime", ptx)
    same((code, sum(states(answer).values())), (0, 1), "its PTX")
    same(states(answer).get("warmed", 0), 0, "it is the very same")
    source.write_text("#error it does not compile\n")
    done = m.run("prime", source, **cuda)
    same(done.returncode, 6, "one that does not compile")
    check("does not compile" in done.stderr and "error" in done.stderr.splitlines()[0], done.stderr)
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")


@case
def after_a_driver_update(m):
    """What an earlier driver compiled is compiled again, from the files, else from the cache itself."""
    lib, _ = m.library(count=8)
    m.answer("prime", lib, SIMCUDA_STAMP="Jun 14 2025 15:40:11")
    update = dict(SIMCUDA_STAMP="Jan  7 2026 22:51:46", JITWARM_STATE=str(m.folder / "other-state"))
    lib.unlink()
    answer, code = m.answer("prime", "--from-cache", m.home, **update)
    same((code, states(answer)), (0, {"warmed": 8}), "--from-cache")
    check(all(j["used"] for j in answer["jobs"]), "these are known to be used")
    lib, _ = m.library(count=8)
    answer, code = m.answer("prime", lib, **update)
    same((code, states(answer)), (0, {"warm": 8}), "the library finds them")


# ---- limits ----

@case
def small_limit(m):
    lib, sizes = m.library(count=40, least=20000, most=200000)
    need = sum(map(int, sizes.values()))
    limit = dict(CUDA_CACHE_MAXSIZE=str(need))
    answer, code = m.answer("prime", lib, **limit)
    same((code, answer["end"]), (7, "consent"), "without consent")
    check(any("CUDA_CACHE_MAXSIZE=" in a for a in answer["advice"]), "the command is told")
    same(len(m.cache().entries), 0, "nothing was done")
    answer, code = m.answer("prime", lib, "--yes", **limit)
    same((code, answer["end"]), (1, "partly"), "with consent")
    check(states(answer).get("warmed", 0) > 10 and states(answer).get("no-room", 0) > 5, f"some fit: {states(answer)}")
    check(sum(s for _, s in m.cache().records) <= need, "the limit is kept")
    same(m.cache().whole(), [], "the cache")
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warm": states(answer)["warm"], "warmed": states(answer)["warmed"]}), "with room")


@case
def tiny_limit(m):
    """Sizes of tiny modules are hard to predict: what turns out too large is left out, not squeezed in."""
    lib, _ = m.library(count=12, least=600, most=1500)
    answer, code = m.answer("prime", lib, "--yes", CUDA_CACHE_MAXSIZE="20000")
    check(code in (0, 1), f"exit code {code}")
    check(sum(s for _, s in m.cache().records) <= 20000, "the limit is kept")
    same(m.cache().whole(), [], "the cache")
    same(states(answer).get("warmed", 0), len(m.cache().entries), "entries")


@case
def switched_off(m):
    lib, _ = m.library(count=3)
    for name, word in ("CUDA_CACHE_DISABLE", "keeps nothing"), ("CUDA_DISABLE_PTX_JIT", "compiles nothing"):
        answer, code = m.answer("prime", lib, **{name: "1"})
        same((code, answer["end"]), (1, "stopped"), name)
        check(name in answer["why"] and word in answer["why"], answer["why"])
    answer, code = m.answer("prime", lib, "--cache", "relative/folder")
    same((code, answer["cache"]["root"]), (0, str((m.folder / "relative" / "folder").resolve())), "--cache, relative")
    answer, code = m.answer("prime", lib, CUDA_CACHE_PATH="relative/folder")
    same((code, answer["end"]), (1, "stopped"), "a relative path")


@case
def no_driver(m):
    lib, _ = m.library(count=3)
    for env, word in ((dict(SIMCUDA_INIT="100"), "100"), (dict(SIMCUDA_INIT="803"), "reboot"), (dict(SIMCUDA_INIT="34"), "stub"),
                      (dict(SIMCUDA_FAULTS="crash@init"), "SIGSEGV"), (dict(JITWARM_DRIVER="/nowhere/libcuda.so"), "nowhere")):
        answer, code = m.answer("prime", lib, **env)
        same((code, answer["end"]), (3, "no-gpu"), str(env))
        check(word in answer["why"], answer["why"])
        answer, code = m.answer("plan", lib, **env)
        same(code, 0, f"plan, {env}")


@case
def cannot_write(m):
    if os.geteuid() != 0:
        raise Skip("needs root, to have a file system of its own mounted")
    lib, _ = m.library(count=30, least=20000, most=90000)
    small = m.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k,mode=755", "tmpfs", small], capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        root = small / "ComputeCache"
        answer, code = m.answer("prime", lib, "--yes", CUDA_CACHE_PATH=str(root))
        check(code in (1, 4), f"a disk that is too small: {code}")
        check(answer["end"] in ("partly", "cannot-write"), answer["end"])
        same(Cache(root).problems, [], "the cache on the full disk")
        subprocess.run(["mount", "-o", "remount,size=50m", small], check=True)
        answer, code = m.answer("prime", lib, CUDA_CACHE_PATH=str(small / "spared"))
        same((code, answer["advice"]), (1, [f"free space on the disk of {small / 'spared'}"]), "room that is left to others")
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
        answer, code = m.answer("prime", lib, "--yes", CUDA_CACHE_PATH=str(small / "new"))
        same((code, answer["end"]), (4, "cannot-write"), "a read-only file system")
        check("read-only" in answer["why"], answer["why"])
        answer, code = m.answer("verify", lib, CUDA_CACHE_PATH=str(root))
        check(answer["verify"]["done"], "what is there can be verified")
    finally:
        subprocess.run(["umount", small], check=True)


@case
def more_than_4_gib(m):
    """One cache cannot hold it: that is said, and what fits is compiled only with consent."""
    lib, _ = m.library(count=6, least=8000, most=9000)
    m.root.mkdir(parents=True)
    taken = 4294967296 - 50000
    (m.root / "index").write_bytes(struct.pack("<IIQ", 0x41, 4, taken)
                                   + b"".join(struct.pack("<QQ", i, taken // 4) for i in range(4)))
    answer, code = m.answer("prime", lib)
    same((code, answer["end"]), (7, "consent"), "without consent")
    check(any("4 GiB" in a for a in answer["advice"]), f"advice: {answer['advice']}")


@case
def other_file_system(m):
    """A cache on a volume of its own: entries are still moved, not copied, and nothing is left beside it."""
    if os.geteuid() != 0:
        raise Skip("needs root, to mount a file system")
    lib, _ = m.library(count=12)
    volume = m.folder / "volume"
    volume.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", volume], capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        answer, code = m.answer("prime", lib, CUDA_CACHE_PATH=str(volume))
        same((code, states(answer)), (0, {"warmed": 12}), "at the top of a volume")
        same(Cache(volume).whole(), [], "the cache")
        same(sorted(p.name for p in volume.iterdir() if len(p.name) > 1), ["index"], "names in it")
    finally:
        subprocess.run(["umount", volume], check=True)


@case
def vanishing_root(m):
    """Somebody removes the cache while it is filled: an answer, no crash; the next run makes it whole."""
    lib, _ = m.library(count=30)
    run = m.start("prime", lib, "--json", "--jobs", "2", "--no-verify", SIMCUDA_COST="0+100")
    while run.poll() is None and len(m.cache(deep=False).entries) < 5:
        time.sleep(0.02)
    while m.root.exists():  # what is filled meanwhile cannot be removed at once
        shutil.rmtree(m.root, ignore_errors=True)
    run.communicate(timeout=60)
    check(run.returncode in (0, 1, 4), f"exit code {run.returncode}")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 30), "the next run")
    sound(m, 30)


@case
def purged_meanwhile(m):
    """Another program with a small limit throws entries out while prime fills the cache: verify tells."""
    lib, _ = m.library(count=40, least=20000, most=60000)
    other = m.folder / "other.ptx"
    other.write_text(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry other()\n{\n" + "\tadd.u32 %r1, %r1, 1;\n" * 500
                     + "\tret;\n}\n")
    for _ in range(5):  # until it was thrown out before verify looked
        m.forget_cache()
        run = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+60", SIMCUDA_FAULTS="slow@init=1s")
        n, seen = 0, 0
        while run.poll() is None and n < 20:
            time.sleep(0.02)
            seen, n = time.monotonic(), len(m.cache(deep=False).entries)
        subprocess.run([m.opt.play, m.opt.sim, "init", "ctx 0", f"load {other}", "fn other"], check=True, capture_output=True,
                       env=dict(m.env, CUDA_CACHE_MAXSIZE="200000"))
        early = n < 40 and time.monotonic() < seen + 1  # not all was compiled then, and to verify a worker begins for a second
        out, _ = run.communicate(timeout=120)
        if early:
            break
    else:
        raise Skip("the machine is too busy for it: verify always came first")
    answer = json.loads(out)
    cache = m.cache(deep=False)
    lost = sum(int(j["entry"]["name"].replace("/", ""), 16) not in cache.entries for j in answer["jobs"])
    same(cache.problems, [], "the cache")
    misses = answer["verify"]["passes"][0]["misses"]
    check(run.returncode == (1 if misses else 0), f"exit code {run.returncode} with {misses} misses")
    check(misses > 0 or lost == 0, f"{lost} entries are gone, and verify found no miss")
    answer, code = m.answer("prime", lib)
    same(code, 0, "the next run")
    sound(m, len(m.cache().entries))


@case
def profiles(m):
    """A command is learned once, and kept warm; whatever happens, it is run, and its streams and exit code are its own."""
    ptx = m.folder / "k.ptx"
    ptx.write_text(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n\tret;\n}\n")
    command = [m.opt.play, m.opt.sim, "init", "ctx 0", f"load {ptx}", "fn one"]
    done = m.run("verify", "--run", *command)
    same(done.returncode, 1, "verify --run, cold")
    m.forget_cache()
    answer = m.run("prime", "--json", "--run", *command)
    same(answer.returncode, 0, "prime --run")
    said = json.loads(answer.stdout[answer.stdout.index("{"):])
    same((said["run"]["profile_modules"], states(said)), (1, {"warm": 1}), "what was learned")
    sound(m, 1)
    same(m.run("verify", "--run", *command).returncode, 0, "verify --run, warm")
    done = m.run("run", "--", *command)
    same((done.returncode, done.stdout.split("\n")[-2]), (0, "fn 0"), "run")
    # An update of the driver: the profile's module is compiled again before the command starts.
    done = m.run("run", "--", *command, SIMCUDA_STAMP="Feb  3 2026 01:02:03", JITWARM_STATE=str(m.folder / "state"))
    same(done.returncode, 0, "run after an update")
    done = subprocess.run(m.command("run", "--", "sh", "-c", "cat; echo err >&2; exit 7"), env=m.env, input="in\n",
                          capture_output=True, text=True, cwd=m.folder)
    same((done.returncode, done.stdout), (7, "in\n"), "streams and exit code")
    check(done.stderr.endswith("err\n"), done.stderr)
    same(m.run("run", "--", "sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM, "a signal")
    same(m.run("run", "--", "no-such-command").returncode, 127, "no such command")
    same(m.run("run", "--", "true", SIMCUDA_INIT="999").returncode, 0, "with a driver that is broken")


def command_of(m, n, lines=1):
    """A program that loads so many modules, each of a text of its own."""
    command = [m.opt.play, m.opt.sim, "init", "ctx 0"]
    for i in range(n):
        ptx = m.folder / f"k{i}.ptx"
        ptx.write_text(f".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k{i}()\n{{\n"
                       + "\tadd.u32 %r1, %r1, 1;\n" * lines + "\tret;\n}\n")
        command += [f"load {ptx}", f"fn k{i}"]
    return command


def learn(m, *command, **env):
    done = m.run("prime", "--json", "--run", *command, **env)
    return json.loads(done.stdout[done.stdout.index("{\n  \"schema"):]), done.returncode


@case
def profiles_and_the_rest(m):
    """What was learned of a command says nothing of other modules, and fills no cache beyond its limit."""
    lib, _ = m.library(count=8)
    command = command_of(m, 6, lines=2000)
    m.answer("prime", lib)
    m.forget_cache()
    answer, code = learn(m, *command)
    same((code, states(answer)), (0, {"warm": 6}), "prime --run")
    answer, code = m.answer("prime")
    same((code, states(answer)), (0, {"warmed": 8}), "the recorded library, afterwards")
    m.forget_cache()
    limit = dict(CUDA_CACHE_MAXSIZE="200000")
    answer, code = learn(m, *command, **limit)
    same((code, states(answer), len(answer["notes"])), (1, {"warm": 3}, 3), "prime --run with a small limit")
    check(sum(s for _, s in m.cache().records) <= 200000, "the limit is kept")
    done = m.run("run", "--", *command, **limit)
    same(done.returncode, 0, "run")
    check("not all that it loads is warm" in done.stderr, done.stderr)


@case
def verify_a_command(m):
    """What is compiled again is seen, also where an entry of that name was there, and in the cache that is meant."""
    command = command_of(m, 2)
    elsewhere = m.folder / "elsewhere"
    same(m.run("verify", "--cache", elsewhere, "--run", *command).returncode, 1, "cold, in another cache")
    same(m.run("verify", "--cache", elsewhere, "--run", *command).returncode, 0, "warm, in another cache")
    same(len(m.cache().entries), 0, "entries in the usual one")
    same(learn(m, *command)[1], 0, "prime --run")
    same(m.run("verify", "--run", *command).returncode, 0, "warm")
    m.damage(next(iter(m.cache().entries)))
    same(m.run("verify", "--run", *command).returncode, 1, "a damaged entry")


@case
def learned_by_ctrl_c(m):
    """A server is ended with Ctrl-C, which ends us, too: what it had loaded by then is its profile."""
    server = m.folder / "server.sh"
    server.write_text("#!/bin/sh\n" + " ".join(f"'{word}'" for word in command_of(m, 2)) + "\nexec sleep 100\n")
    server.chmod(0o755)
    run = subprocess.Popen(m.command("prime", "--run", server), env=m.env, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for _ in range(300):  # both, and their records
        if any(len(Cache(p, deep=False).records) == 2 for p in (m.home / ".nv").glob("jitwarm-work*/profile")):
            break
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGINT)
    run.communicate(timeout=30)
    same(run.returncode, 130, "exit code")
    sound(m, 2)
    same(m.run("run", "--", "true").returncode, 0, "run")
    answer = m.run("status", "--json")
    same(answer.returncode, 0, "status")
    m.forget_cache()
    done = subprocess.run(["timeout", "-s", "INT", "3", *m.command("run", "-v", "--", server)], env=m.env,
                          capture_output=True, text=True)
    check("is not known" not in done.stderr, done.stderr)


@case
def damaged_orphans(m):
    """An entry that the index has lost is taken in again; one that is damaged besides is compiled again."""
    lib, _ = m.library(count=8)
    m.answer("prime", lib)
    for name in sorted(m.cache().entries)[:2]:
        m.damage(name)
    (m.root / "index").unlink()
    answer, code = m.answer("prime", lib)
    same((code, states(answer), m.cache().whole()), (0, {"warmed": 8}, []), "repaired")


class Cgroup:
    """A group with so much memory, below the one that we are in; version 2 or 1."""

    def __init__(self, limit):
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        one = next((path for _, names, path in lines if "memory" in names.split(",")), None)
        two = next((path for _, names, path in lines if not names), "/")
        base = pathlib.Path("/sys/fs/cgroup") / ("memory" + one if one else two.lstrip("/"))
        self.path = base / f"jitwarm-proof-{os.getpid()}"
        self.events = "memory.oom_control" if one else "memory.events"
        name = "memory.limit_in_bytes" if one else "memory.max"
        try:
            self.path.mkdir()
            if not (self.path / name).exists():
                raise OSError(f"{name} is not there")
            (self.path / name).write_text(str(limit))
        except OSError as why:
            self.remove()
            raise Skip(f"a memory cgroup cannot be made here: {why}")

    def killed(self):
        words = (self.path / self.events).read_text().split()
        return int(words[words.index("oom_kill") + 1])

    def remove(self):
        for _ in range(50):
            try:
                self.path.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)


@case
def little_cgroup(m):
    """A container with little memory: fewer workers, and none is killed."""
    group = Cgroup(800 << 20)
    try:
        lib, _ = m.library(count=16, least=20000, most=60000)
        run = subprocess.run(["sh", "-c", f'echo $$ > {group.path}/cgroup.procs && exec "$@"', "sh",
                              *m.command("prime", lib, "--json", "--jobs", "8")],
                             env=dict(m.env, SIMCUDA_COST="0+50"), capture_output=True, text=True, timeout=300, cwd=m.folder)
        answer = json.loads(run.stdout)
        same((run.returncode, states(answer)), (0, {"warmed": 16}), "in 800 MiB")
        check(1 <= answer["predicted"]["workers"] <= 2, f"workers: {answer['predicted']['workers']}")
        same(group.killed(), 0, "killed")
    finally:
        group.remove()


# ---- time, company ----

@case
def time_box(m):
    lib, _ = m.library(count=30, least=20000, most=40000)
    cost = dict(SIMCUDA_COST="0+300")
    m.answer("doctor", "--probe")
    answer, code = m.answer("prime", lib, "--time-box", "3s", "--jobs", "2", **cost)
    same((code, answer["end"]), (7, "time"), "the box")
    first = states(answer).get("warmed", 0)
    check(1 <= first <= 22, f"some were done: {first}")
    answer, code = m.answer("prime", lib, "--jobs", "4", **cost)
    same((code, states(answer)), (0, {"warm": first, "warmed": 30 - first}), "the rest")
    sound(m, 30)


@case
def interrupted(m):
    lib, _ = m.library(count=30)
    run = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+300")
    m.until(run, "compile")
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    began = time.monotonic()
    run.communicate(timeout=60)
    same(run.returncode, 130, "exit code")
    check(time.monotonic() - began < 30 and len(m.cache().entries) < 30, "it ends at once")
    same(m.cache().whole(), [], "the cache")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 30), "the rest")


@case
def time_box_in_verify(m):
    """What was not proven in time is not said to be lacking; and --stop is heard there, too."""
    lib, _ = m.library(count=4)
    m.answer("doctor", "--probe")
    slow = dict(SIMCUDA_FAULTS="slow@init=2s")  # to ask, to compile, to verify: two seconds each
    for seconds in range(5, 15):  # a busy machine needs longer until it verifies
        m.forget_cache()
        answer, code = m.answer("prime", lib, "--time-box", f"{seconds}s", **slow)
        if states(answer) == {"warmed": 4}:
            break
    same((code, answer["end"], states(answer)), (7, "time", {"warmed": 4}), "the box")
    same(answer["verify"]["done"], False, "verify")
    check("verified" in answer["why"], answer["why"])
    run = m.start("prime", lib, "--json", SIMCUDA_FAULTS="slow@init=3s")
    same(m.until(run, "verify")["total"], 4, "what status tells of it")
    same(m.run("prime", "--stop").returncode, 0, "--stop")
    run.communicate(timeout=30)
    same(run.returncode, 130, "the one that was stopped")
    answer, code = m.answer("prime", lib)
    same((code, answer["receipt"], states(answer)), (0, False, {"warm": 4}), "then")


@case
def two_at_once(m):
    lib, _ = m.library(count=20)
    first = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+400")
    running = m.until(first, "compile")
    os.kill(first.pid, signal.SIGSTOP)  # it holds its lock for as long as we need
    same((running["pid"], running["total"], running["simulated"]), (first.pid, 20, True), "what status tells of it")
    answer, code = m.answer("prime", lib)
    same((code, answer["end"]), (7, "busy"), "the second")
    check(str(first.pid) in answer["why"], answer["why"])
    began = time.monotonic()
    answer, code = m.answer("prime", lib, "--wait", "--time-box", "1s")
    same((code, answer["end"]), (7, "busy"), "waiting in a box")
    check(time.monotonic() - began < 30, "it waits no longer than the box")
    waiting = m.start("prime", lib, "--json", "--wait=60s")
    os.kill(first.pid, signal.SIGCONT)
    first.communicate(timeout=120)
    same(first.returncode, 0, "the first")
    out, _ = waiting.communicate(timeout=120)
    same(waiting.returncode, 0, "the one that waited")
    shutil.rmtree(m.root)
    first = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+400")
    m.until(first, "compile")
    done = m.run("prime", "--stop")
    same(done.returncode, 0, "--stop")
    first.communicate(timeout=30)
    same(first.returncode, 130, "the one that was stopped")
    sound(m, len(m.cache().entries))


# ---- modules that are the driver's end ----

def guilty(m, lib, faults, seed, **options):
    """Faults by entry name, one for each module that is drawn; the truth is compared with what is said of each."""
    rng = random.Random(seed)
    jobs = names(m, lib)
    drawn = rng.sample(jobs, len(faults))
    script = " ".join(f"{fault}@{job['entry']['name'].replace('/', '')[:12]}" for fault, job in zip(faults, drawn))
    answer, code = m.answer("prime", lib, "--timeout", "3s", "--no-verify", SIMCUDA_FAULTS=script, timeout=600, **options)
    return answer, code, dict(zip((j["id"] for j in drawn), faults))


@case
def faults(m):
    lib, _ = m.library(count=200, least=2000, most=20000)
    expected = {"crash": "crashed", "kill": "crashed", "exit": "crashed", "hang": "timeout", "spin": "timeout",
                "oom": "failed", "badptx": "failed", "enospc": "unstored", "short": "unstored"}
    script = [f for f in expected for _ in range(2)]
    answer, code, truth = guilty(m, lib, script, m.opt.seed)
    same(code, 1, "exit code")
    for job in answer["jobs"]:
        fault = truth.get(job["id"])
        same(job["state"], expected[fault] if fault else "warmed", f"job {job['id'][:8]} ({fault})")
        if fault in ("crash", "kill", "exit", "hang", "spin", "badptx"):
            check(job["kernels"] and job["kernels"][0].startswith("m"), f"kernels of {fault}")
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), 200 - len(script), "entries")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    check(any("bad PTX" in (j["log"] or "") or j["log"] for j in answer["jobs"] if truth.get(j["id"]) == "badptx"),
          "the driver's own words")
    # What crashed or hung is not tried again with this driver; the rest is. (Who is killed is no culprit.)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (1, {"warm": 200 - len(script), "warmed": 10, "banned": 8}), "again")
    check(any("--retry" in line for line in answer["advice"]), "the way out is told")
    # Unless that is asked for; and what went well then is not held against it any more.
    answer, code = m.answer("prime", lib, "--retry")
    same((code, states(answer)), (0, {"warm": 192, "warmed": 8}), "once more")
    m.forget_cache()
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 200}), "nothing is banned any more")


@case
def kills(m):
    """A random process of the tree is killed, again and again; the next run goes on where it was."""
    lib, _ = m.library(count=60, least=2000, most=20000)
    rng = random.Random(m.opt.seed)
    cost = dict(SIMCUDA_COST="0+40")
    m.answer("doctor", "--probe")
    for i in range(m.opt.rounds):
        if rng.random() < 0.2:
            m.forget_cache()
        run = m.start("prime", lib, "--json", "--jobs", "2", "--no-verify", **cost)
        time.sleep(rng.uniform(0.02, 1.2))
        tree = m.processes()
        if tree:
            kill(rng.choice(tree) if rng.random() < 0.6 else run.pid)
        try:
            run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"round {i}: it hangs")
        same(m.wait_for_silence(), [], f"round {i}: processes left behind")
        cache = m.cache(deep=False)
        same(cache.problems, [], f"round {i}: the cache")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 60), "at last")
    sound(m, 60)


@case
def many_workers(m):
    lib, _ = m.library(count=80)
    answer, code = m.answer("prime", lib, "--jobs", "64", SIMCUDA_CONTEXT_BYTES="1M")
    same((code, states(answer)), (0, {"warmed": 80}), "64 workers")
    sound(m, 80)


@case
def little_memory(m):
    lib, _ = m.library(count=10, least=20000, most=30000)
    answer, code = m.answer("prime", lib, "--jobs", "8", "--mem", "700M")
    same((code, states(answer)), (0, {"warmed": 10}), "with little memory")
    check(answer["predicted"]["workers"] <= 2, f"workers: {answer['predicted']['workers']}")


# ---- a real compiler behind the simulated driver ----

def corpus(*names):
    """The real library and the real compiler, where scripts/fetch-corpus has put them."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/root"), ".cache")
    root = pathlib.Path(os.environ.get("JITWARM_CORPUS") or os.path.join(cache, "jitwarm-corpus"))
    for name in names:
        if not (root / name).exists():
            raise Skip(f"{name} is not in the corpus (scripts/fetch-corpus gets it)")
    return [root / name for name in names]


def real_compiler(m, wanted):
    """`wanted` picks the modules, by their size; each becomes a file of its own."""
    lib, ptxas = corpus("linux/libggml-cuda.so", "toolkit/bin/ptxas")
    env = dict(SIMCUDA_GPUS="sm_80:NVIDIA A100:40G", SIMCUDA_JIT="ptxas", SIMCUDA_PTXAS=str(ptxas), SIMCUDA_DRIVER="590.48.01")
    jobs = sorted(names(m, lib, **env), key=lambda j: j["ptx_bytes"])
    data = lib.read_bytes()
    folder = m.folder / "modules"
    folder.mkdir()
    for i, job in enumerate(wanted(jobs)):
        place = job["places"][0]
        (folder / f"{i:03}.fatbin").write_bytes(data[place["at"]:place["at"] + place["size"]])
    return folder, env


def timed(m, folder, jobs, env):
    m.forget_cache()
    answer, code = m.answer("prime", folder, "--yes", "--jobs", str(jobs), timeout=3000, **env)
    same(code, 0, f"{jobs} workers")
    return answer


def efficiency(m, wanted):
    folder, env = real_compiler(m, wanted)
    m.answer("doctor", "--probe", **env)
    plan, _ = m.answer("plan", folder, **env)
    two = timed(m, folder, 2, env)
    one = timed(m, folder, 1, env)
    n = len(two["jobs"])
    same((states(one), states(two)), ({"warmed": n}, {"warmed": n}), "both runs")
    real = sum(j["entry"]["bytes"] for j in two["jobs"])
    predicted = plan["cache"]["need_bytes"]
    # What the modules cost while both were at work: two compilers on two cores slow each other.
    costs = [j["milliseconds"] for j in two["jobs"]]
    least = max(sum(costs) / 2, max(costs))
    print(f"  {n} modules of libggml-cuda.so for sm_80, ptxas behind the simulated driver: serial "
          f"{one['totals']['compile_milliseconds'] / 1000:.1f} s, two workers {two['totals']['compile_milliseconds'] / 1000:.1f} s, "
          f"least possible {least / 1000:.1f} s; cache {real / 1e6:.1f} MB, predicted {predicted / 1e6:.1f} MB "
          f"({100 * predicted / real - 100:+.1f} %)")
    check(abs(predicted - real) <= 0.15 * real, "the size is predicted within 15 %")
    same(m.cache(deep=False).whole(), [], "the cache")
    return one, two, least


@case
def real_compiler_few(m):
    """Twelve modules of middling size. The machine may be busy: only what cannot be by chance is checked."""
    one, two, _ = efficiency(m, lambda jobs: jobs[len(jobs) // 2 - 6:len(jobs) // 2 + 6])
    if os.cpu_count() > 1:
        check(two["totals"]["compile_milliseconds"] < one["totals"]["compile_milliseconds"], "two are faster than one")


@case
def real_compiler_all(m):
    efficiency(m, lambda jobs: jobs)


if __name__ == "__main__":
    finish(case, __doc__, 25)
