#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES

`jitwarm prime` and `verify` on the simulated driver: what they promise, and all that can go wrong around them. Nothing here
is about hardware. Each case is a function here, in limits.py or in endings.py; `list` prints their names. Exit 77: the case
cannot be tried here.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

import endings  # noqa: F401: its cases are run here, too
import facts  # noqa: F401: likewise
import limits  # noqa: F401: likewise
import linked  # noqa: F401: likewise
import pasted  # noqa: F401: likewise
import receipts  # noqa: F401: likewise
import setups  # noqa: F401: likewise
import shared  # noqa: F401: likewise
import truth  # noqa: F401: likewise
from warm import case, sound, states
from cases import check, finish, same, Skip

# ---- the promise ----

@case
def cold_then_warm(m):
    lib, _ = m.library(count=60)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 60}), "first run")
    check(answer["driver"]["simulated"] is True, "it says that the driver is simulated")
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
    answer, code = m.answer("prime", folder, CUDA_CACHE_MAXSIZE="1000000000")
    same((code, answer["receipt"]), (0, True), "another limit, which is high enough")
    again("another folder", 15, CUDA_CACHE_PATH=str(m.folder / "elsewhere"))
    other = m.folder / "libcuda.so.999.1"
    shutil.copy(m.opt.sim, other)
    shutil.copy(m.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", other.parent)
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

    def during(what, change, warmed, ends=0):
        run = m.start("prime", m.folder / "libs", "--json", SIMCUDA_FAULTS="slow@init=2s")
        m.until(run, "compile")  # all was looked at; a worker begins for two seconds more
        os.kill(run.pid, signal.SIGSTOP)
        change()
        os.kill(run.pid, signal.SIGCONT)
        run.communicate(timeout=60)
        same(run.returncode, ends, what)
        answer, code = m.answer("prime", m.folder / "libs")
        same((code, answer["receipt"], states(answer).get("warmed", 0)), (0, False, warmed), what)
        answer, code = m.answer("prime", m.folder / "libs")
        same((code, answer["receipt"]), (0, True), what + ", and then again")
        m.forget_cache()

    during("a new library beside it", lambda: m.library("libs/new.so", count=3, seed=2), 3)
    other, _ = m.library("other.so", count=2, seed=3)
    half = m.folder / "libs/half.so"
    half.write_bytes(other.read_bytes()[:-200])
    during("a library that was not wholly there", lambda: half.write_bytes(other.read_bytes()), 2, ends=1)
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
    same((code, answer["end"], answer["left_out"]["nothing"]["modules"]), (1, "partly", 5), "PTX for a newer GPU: nothing runs")
    lib, _ = m.library("libcublas.so.12", count=5)
    (m.folder / "d").mkdir()
    shutil.move(lib, m.folder / "d" / "libcublas.so.12")
    answer, code = m.answer("prime", m.folder / "d")
    same((code, answer["left_out"]["vendor"]["modules"], states(answer)), (0, 5, {}), "NVIDIA's own")
    answer, code = m.answer("prime", m.folder / "d", "--all")
    same((code, states(answer)), (0, {"warmed": 5}), "--all")


@case
def libraries_of_nvidia(m):
    """Modules of NVIDIA's own libraries without code for the GPU are said by each verb, until --all has warmed them."""
    app, _ = m.library("d/app.so", count=3, seed=1)
    lib, _ = m.library("d/libcudnn.so.9", count=5, seed=2)
    words = "5 modules of NVIDIA's own libraries are compiled when a program uses them (jitwarm prime --all warms them, too)"

    def said(number, what, *runs):
        for run in runs:
            answer, code = m.answer(*run)
            last = answer.get("last_prime", answer)
            same((code, last["compiled_on_use"]), (0, number), f"{what}: {run}")
            text = " ".join(m.run(*run).stdout.split())
            check((words in text) == (number == 5), f"{what}: {run}: {text}")

    each = ("prime", m.folder / "d"), ("verify",), ("status",), ("prime", "--check", m.folder / "d")
    m.answer("prime", m.folder / "d")
    answer, code = m.answer("prime", m.folder / "d")
    same((code, answer["receipt"], answer["end"]), (0, True, "nothing"), "a second prime")
    said(5, "after a prime", *each)
    m.answer("prime", m.folder / "d", "--all")
    said(0, "after --all", *each)
    m.library("d/libcudnn.so.9", count=5, seed=3)
    m.answer("prime", m.folder / "d")
    said(5, "another cuDNN", *each)


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
    check(any("cut.so" in n for n in answer["unread"]), "it is named")


@case
def a_module_that_no_driver_gets(m):
    """An entry that is marked with two compressions, or a container that claims more than the file has: what a driver makes of it is not known, and nobody
    says "warm".
    Set-up: a module is damaged, or of an unknown form | says so, 1 | compiles the rest, says so, 1 | says so, 1 | compiled, where the driver did, 1 | compiles the rest, starts it"""
    lib, _ = m.library(count=3)
    good = lib.read_bytes()
    at = good.index(b"\x50\xed\x55\xba\x01\x00\x10\x00") + 16
    for place, byte in ((at + 41, good[at + 41] | 0x60), (at - 3, 1)):
        data = bytearray(good)
        data[place] = byte
        lib.write_bytes(data)
        m.forget_cache()
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        doubtful_module(m, lib)


def doubtful_module(m, lib):
    for words, n in (("--check",), {"todo": 2}), ((), {"warmed": 2}), ((), {"warm": 2}), (("--check",), {"warm": 2}):
        answer, code = m.answer("prime", lib, *words)
        same((code, states(answer), answer["left_out"]["doubtful"]["modules"], answer["receipt"]), (1, n, 1, False), words)
        check(answer["next_start"] == "compiles" or "1 module is damaged" in answer["next_start_why"], answer["next_start_why"])
    same(m.answer("verify", lib)[0]["next_start"], "unknown", "verify")
    check(m.answer("status")[0]["next_start"] != "warm", "status")
    head = m.run("prime", lib, "--check").stdout.split("\n\n")[0]
    check(head.startswith("Both modules are warm") and "1 module is damaged" in " ".join(head.split()), head)
    for verb in ("prime", "--check"), ("prime",), ("verify",):
        same(m.answer(*verb, lib)[0]["todo"], [f"jitwarm scan {lib}"], verb)
    check("Damaged" in m.run("scan", lib).stdout, "scan")


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
        same([a for a in answer["todo"] if not a.startswith(("jitwarm status", "jitwarm verify"))], [],
             f"level {level}: nothing is wrong with what cannot be read")


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
    """A .cu file is a path like any other: an NVRTC that is found makes its PTX, its words are shown, the PTX is written where it is wanted."""
    fake = m.opt.sim.parent / "libnvrtc-sim.so"
    if not fake.exists():
        raise Skip("the fake NVRTC is not built")
    source = m.folder / "k.cu"
    source.write_text('extern "C" __global__ void jw_canary_k_5(unsigned long *out, unsigned x) {}\n')
    ptx = m.folder / "k.ptx"
    done = m.run("prime", source, "-o", ptx)
    same((done.returncode, ptx.exists()), (3, False), "without an NVRTC")
    check("no NVRTC was found" in done.stderr, done.stderr)
    (m.folder / "cuda" / "lib64").mkdir(parents=True)
    shutil.copy(fake, m.folder / "cuda" / "lib64" / "libnvrtc.so.13")
    cuda = dict(CUDA_HOME=str(m.folder / "cuda"))
    answer, code = m.answer("prime", source, **cuda)
    same((code, states(answer)), (0, {"warmed": 1}), "a source like any other path")
    done = m.run("prime", source, **cuda)
    same((done.returncode, "Compiled" in done.stderr), (0, False), "NVRTC compiles nothing again")
    answer, code = m.answer("prime", source, **cuda)
    same((code, answer["end"], bool(answer["receipt"])), (0, "nothing", True), "a second prime has nothing to do")
    answer, code = m.answer("prime", source, "-o", ptx, **cuda)
    same((code, bool(answer["receipt"])), (0, True), "its PTX is the same")
    first = ptx.read_text()
    check(first.lstrip().startswith((".version", "//")) and ".target sm_86" in first, "the PTX is there")
    answer, code = m.answer("prime", ptx)
    same((code, states(answer)), (0, {"warm": 1}), "and a path, too")
    same(m.run("verify", source, **cuda).returncode, 0, "verify")
    done = m.run("prime", source, "--gpu", "sm_80", "-o", ptx, JITWARM_DRIVER="/nonexistent/libcuda.so.1", **cuda)
    same((done.returncode, ".target sm_80" in ptx.read_text()), (3, True), "the PTX needs no GPU")
    for wrong in (["other.cu"], ["-o", ptx, source], ["-o", ""]):
        same(m.run("prime", source, *wrong, **cuda).returncode, 2, str(wrong))
    header = m.folder / "size.h"
    header.write_text("extern \"C\" __global__ void first(int *p) {}\n")
    source.write_text('#inc\\\nlude "size.h"\nextern "C" __global__ void second(int *p) {}\n')
    for words in "headers are read again", "each time":
        done = m.run("prime", source, **cuda)
        same((done.returncode, "Compiled" in done.stderr), (0, True), words)
    same(len(list((m.folder / "state" / "sources").glob("*-k.ptx"))), 3, "one PTX for each source and architecture")
    twins = [m.folder / part / "twin.cu" for part in ("a", "b")]
    for at, twin in enumerate(twins):
        twin.parent.mkdir()
        (twin.parent / "size.h").write_text(f"#define SIZE {at}\n")
        twin.write_text(source.read_text())
    same(m.run("prime", *twins, **cuda).returncode, 0, "equal sources in two folders")
    same(len(list((m.folder / "state" / "sources").glob("*-twin.ptx"))), 2, "one PTX for each, as their headers differ")
    source.write_text("#error it does not compile\n")
    done = m.run("prime", source, "-o", ptx, **cuda)
    same(done.returncode, 6, "one that does not compile")
    check("does not compile" in done.stderr and "error" in done.stderr.splitlines()[0], done.stderr)
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")


@case
def after_a_driver_update(m):
    """What an earlier driver compiled is compiled again, from the files, else from the cache itself.
    Set-up: the driver was updated"""
    lib, _ = m.library(count=8)
    m.answer("prime", lib, SIMCUDA_STAMP="Jun 14 2025 15:40:11")
    update = dict(SIMCUDA_STAMP="Jan  7 2026 22:51:46", JITWARM_STATE=str(m.folder / "other-state"))
    lib.unlink()
    crashing = dict(SIMCUDA_STAMP="Mar  3 2026 03:03:03", JITWARM_STATE=str(m.folder / "crashed"))
    m.answer("doctor", "--probe", **crashing)
    crashed, _ = m.answer("prime", SIMCUDA_FAULTS="crash@*", **crashing)
    same(states(crashed), {"crashed": 8}, "a driver that crashes")
    for job in crashed["jobs"]:
        check((job["kernel"] or "").startswith("m"), f"its kernel: {job}")
    answer, code = m.answer("prime", **update)
    same((code, states(answer)), (0, {"warmed": 8}), "without a path")
    check(all(j["used"] for j in answer["jobs"]), "these are known to be used")
    lib, _ = m.library(count=8)
    answer, code = m.answer("prime", lib, **update)
    same((code, states(answer)), (0, {"warm": 8}), "the library finds them")


# ---- time, company ----

@case
def time_limit(m):
    lib, _ = m.library(count=30, least=20000, most=40000)
    cost = dict(SIMCUDA_COST="0+300")
    m.answer("doctor", "--probe")
    answer, code = m.answer("prime", lib, "--time-limit", "3s", "--jobs", "2", **cost)
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
def time_limit_in_verify(m):
    """What was not proven in time is not said to be lacking; and Ctrl-C is heard there, too."""
    lib, _ = m.library(count=4)
    m.answer("doctor", "--probe")
    slow = dict(SIMCUDA_FAULTS="slow@init=2s")  # to ask, to compile, to verify: two seconds each
    for seconds in range(5, 15):  # a busy machine needs longer until it verifies
        m.forget_cache()
        answer, code = m.answer("prime", lib, "--time-limit", f"{seconds}s", **slow)
        if states(answer) == {"warmed": 4}:
            break
    same((code, answer["end"], states(answer)), (7, "time", {"warmed": 4}), "the box")
    same(answer["verify"]["done"], False, "verify")
    check("verified" in answer["why"], answer["why"])
    run = m.start("prime", lib, "--json", SIMCUDA_FAULTS="slow@init=3s")
    same(m.until(run, "verify")["total"], 4, "what status tells of it")
    run.send_signal(signal.SIGTERM)
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
    same((running["pid"], running["total"]), (first.pid, 20), "what status tells of it")
    answer, code = m.answer("prime", lib)
    same((code, answer["end"]), (7, "busy"), "the second")
    check(str(first.pid) in answer["why"], answer["why"])
    same(answer["todo"], [f"jitwarm prime --time-limit 1h {lib} --json"], "nobody remembers it: the line waits")
    began = time.monotonic()
    answer, code = m.answer("prime", lib, "--time-limit", "1s")
    same((code, answer["end"]), (7, "busy"), "waiting in a box")
    check(time.monotonic() - began < 30, "it waits no longer than the box")
    waiting = m.start("prime", lib, "--json", "--time-limit", "60s")
    os.kill(first.pid, signal.SIGCONT)
    first.communicate(timeout=120)
    same(first.returncode, 0, "the first")
    out, _ = waiting.communicate(timeout=120)
    same(waiting.returncode, 0, "the one that waited")
    shutil.rmtree(m.root)
    first = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+400")
    m.until(first, "compile")
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=30)
    same(first.returncode, 130, "the one that was stopped")
    sound(m, len(m.cache().entries))


if __name__ == "__main__":
    finish(case, __doc__, 25)
