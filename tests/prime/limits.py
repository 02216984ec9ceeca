"""prime where the cache, the disk, the memory or a profile sets a limit."""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

from warm import case, sound, states
from bench import Cache
from cases import check, same, Skip

# ---- limits ----

HALF_OF_THE_SPARE = 32 << 20  # of JW_SPARE_DISK, which a plan leaves free: below it prime stops

def fills(disk):
    return f"du -xh -d 2 {disk} | sort -h | tail"


@case
def small_limit(m):
    lib, sizes = m.library(count=40, least=20000, most=200000)
    need = sum(map(int, sizes.values()))
    limit = dict(CUDA_CACHE_MAXSIZE=str(need))
    answer, code = m.answer("prime", lib, **limit)
    same((code, answer["end"]), (7, "consent"), "without consent")
    check(any("CUDA_CACHE_MAXSIZE=" in a for a in answer["todo"]), "the command is told")
    same(len(m.cache().entries), 0, "nothing was done")
    answer, code = m.answer("prime", lib, "--yes", **limit)
    same((code, answer["end"]), (1, "partly"), "with consent")
    check(states(answer).get("warmed", 0) > 10 and states(answer).get("no-room", 0) > 5, f"some fit: {states(answer)}")
    check(sum(s for _, s in m.cache().records) <= need, "the limit is kept")
    same(m.cache().whole(), [], "the cache")
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warm": states(answer)["warm"], "warmed": states(answer)["warmed"]}), "with room")


@case
def worth_least_first(m):
    """A cache that is full loses its oldest records first: of what is recorded at once, what took longest stands last."""
    lib, _ = m.library(count=40, least=600, most=60000)
    answer, code = m.answer("prime", lib, "--jobs", "4", SIMCUDA_COST="200+0")
    same(code, 0, "prime")
    took = {j["entry"]["bytes"]: j["milliseconds"] for j in answer["jobs"]}
    order = [took[size] for _, size in m.cache().records]
    up, down = (sum(a < b for a, b in zip(order, order[1:])), sum(a > b for a, b in zip(order, order[1:])))
    check(up > 2 * down, f"in this order: {order}")


@case
def tiny_limit(m):
    """Sizes of tiny modules are hard to predict: what turns out too large is skipped, not squeezed in."""
    lib, _ = m.library(count=12, least=600, most=1500)
    answer, code = m.answer("prime", lib, "--yes", CUDA_CACHE_MAXSIZE="20000")
    check(code in (0, 1), f"exit code {code}")
    check(sum(s for _, s in m.cache().records) <= 20000, "the limit is kept")
    same(m.cache().whole(), [], "the cache")
    same(states(answer).get("warmed", 0), len(m.cache().entries), "entries")


@case
def limits_in_a_row(m):
    """Each time limit finishes what fits into it, though the driver is ten times slower than is predicted; what does not fit is said."""
    lib, _ = m.library(count=20, least=20000, most=600000)
    m.answer("doctor", "--probe")
    cost, warm, box = dict(SIMCUDA_COST="10000+100"), 0, 5
    for i in range(5):
        answer, code = m.answer("prime", lib, "--time-limit", f"{box}s", "--jobs", "2", **cost)
        done = states(answer)
        same((code, answer["end"], done.get("warm", 0)), (7, "time", warm), f"box {i}")
        check(done.get("warmed", 0) or answer["totals"].get("next_limit_seconds"), f"box {i} finishes something, or says how long: {answer['why']}")
        warm += done.get("warmed", 0)
    check(warm >= 4, f"what five runs finished: {warm}")
    for _ in range(8):
        if answer["totals"].get("next_limit_seconds"):
            break
        answer, code = m.answer("prime", lib, "--time-limit", f"{box}s", "--jobs", "2", **cost)
    longer = answer["totals"]["next_limit_seconds"]
    check(f"use --time-limit {longer}s" in answer["why"] and "module needs about" in answer["why"], answer["why"])
    check(any(f"prime --time-limit {longer}s" in a for a in answer["todo"]), f"advice: {answer['todo']}")
    done, before = m.run("prime", lib, "--time-limit", f"{box}s", "--jobs", "2", **cost), len(m.cache().entries)
    said = " ".join(done.stdout.split())
    same(done.returncode, 7, said)
    check("0 finished: the first module needs about" in said, said)
    answer, code = m.answer("prime", lib, "--time-limit", f"{longer}s", "--jobs", "2", **cost)
    check(states(answer).get("warmed", 0) > 0 and len(m.cache().entries) > before, f"the box that was named: {states(answer)}")


@case
def switched_off(m):
    lib, _ = m.library(count=3)
    for name, word in ("CUDA_CACHE_DISABLE", "caches nothing"), ("CUDA_DISABLE_PTX_JIT", "compiles nothing"):
        answer, code = m.answer("prime", lib, **{name: "1"})
        same((code, answer["end"]), (1, "stopped"), name)
        check(name in answer["why"] and word in answer["why"], answer["why"])
    answer, code = m.answer("prime", lib, "--cache", "relative/folder")
    same((code, answer["cache"]["folder"]), (0, str((m.folder / "relative" / "folder").resolve())), "--cache, relative")
    answer, code = m.answer("prime", lib, CUDA_CACHE_PATH="relative/folder")
    same((code, answer["end"]), (4, "cannot-write"), "a relative path")


@case
def no_driver(m):
    lib, _ = m.library(count=3)
    for env, word in ((dict(SIMCUDA_INIT="100"), "100"), (dict(SIMCUDA_INIT="803"), "reboot"), (dict(SIMCUDA_INIT="34"), "stub"),
                      (dict(SIMCUDA_FAULTS="crash@init"), "SIGSEGV"), (dict(JITWARM_DRIVER="/nowhere/libcuda.so"), "nowhere")):
        answer, code = m.answer("prime", lib, **env)
        same((code, answer["end"]), (3, "no-gpu"), str(env))
        check(word in answer["why"], answer["why"])
        answer, code = m.answer("prime", "--dry-run", lib, **env)
        same(code, 0, f"plan, {env}")


@case
def hanging_driver(m):
    """It is waited for once, also where --gpu asks it first which GPUs are here."""
    lib, _ = m.library(count=1)
    began = time.monotonic()
    done = m.run("prime", lib, "--gpu", "sm_86", "--pack", str(m.folder / "packs"), SIMCUDA_FAULTS="hang@init", JW_TEST_HURRY="10")
    took = time.monotonic() - began
    same(done.returncode, 3, done.stdout + done.stderr)
    said = " ".join(done.stdout.split())
    same(said.count("within 6 s and was ended"), 1, said)
    check(5.5 < took < 11.8, f"after {took:.1f} s")  # to wait twice takes 12


@case
def a_bare_number(m):
    """90 is sm_90, not a part of the name RTX 3090; 3090 is."""
    lib, _ = m.library(count=1)
    gpu = dict(SIMCUDA_GPUS="sm_86:NVIDIA GeForce RTX 3090:24G")
    for given, absent in (("90", ["sm_90"]), ("3090", []), ("rtx 3090", []), ("86", []), ("8.6", [])):
        answer, code = m.answer("prime", "--dry-run", lib, "--gpu", given, **gpu)
        same((code, answer.get("absent_gpus", [])), (0, absent), f"--gpu {given}")
    done = m.run("prime", lib, "--gpu", "90", **gpu)
    same(done.returncode, 3, done.stdout + done.stderr)
    check("none of the GPUs that --gpu names is here" in " ".join(done.stdout.split()), done.stdout)


@case
def built_for_newer_gpus(m):
    """A library without anything for the GPU that is here compiles nothing, because its program fails: no verb calls that warm or done."""
    lib, _ = m.library(count=3)
    old = dict(SIMCUDA_GPUS="sm_50:GeForce GTX 750 Ti:2G")
    for words in ("prime",), ("prime", "--check"), ("prime", "--dry-run", "--check"), ("verify",):
        answer, code = m.answer(*words, lib, **old)
        same((code, answer["next_start"]), (1, "unknown"), words)
        check("programs that load it fail" in answer["next_start_why"], answer["next_start_why"])
        said = " ".join(m.run(*words, lib, **old).stdout.split())
        check("programs that load it fail" in said and "Nothing to do" not in said, said)


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
        subprocess.run(["mount", "-o", "remount,size=130m", small], check=True)
        fill(small / "fill", 48 << 20)
        answer, code = m.answer("prime", lib, CUDA_CACHE_PATH=str(small / "spared"))
        told = next(filter(None, (re.fullmatch(rf"free ([\d.]+) MiB on the disk of {small / 'spared'}; jitwarm leaves the last 64 MiB free, .*", n)
                                  for n in answer["notes"])), None)
        check(code == 1 and told and fills(small) in answer["todo"], f"room that is left to others: {code} {answer}")
        check(14 < float(told[1]) < 20, f"with what is left to others counted in: {answer['notes']}")
        answer, code = m.answer("prime", "--dry-run", lib, CUDA_CACHE_PATH=str(small / "spared"))
        check("verify" not in " ".join(answer["todo"]), f"a plan of which nothing fits: {answer['todo']}")
        (small / "state").mkdir()
        (small / "fill").write_bytes(b"")
        with contextlib.suppress(OSError), open(small / "fill", "wb", buffering=0) as whole:
            while whole.write(bytes(4096)):
                pass
        answer, code = m.answer("prime", lib, JITWARM_STATE=str(small / "state"))
        told = re.search(rf"free [\d.]+ MiB on the disk of {small / 'state'}; jitwarm leaves the last 64 MiB free, ", " ".join(answer["notes"]))
        check(code == 4 and told and answer["todo"] == [fills(small)], f"a full disk: {code} {answer['why']} {answer['todo']}")
        (small / "fill").unlink()
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
        answer, code = m.answer("prime", lib, "--yes", CUDA_CACHE_PATH=str(small / "new"))
        same((code, answer["end"]), (4, "cannot-write"), "a read-only file system")
        check("read-only" in answer["why"], answer["why"])
        same(answer["todo"], ['export CUDA_CACHE_PATH="$(mktemp -d /var/tmp/cuda-cache.XXXXXXXX)"'], "read-only")
        answer, code = m.answer("prime", lib, JITWARM_STATE=str(small / "state"))
        same((code, answer["todo"]), (4, [f"unset JITWARM_STATE && jitwarm prime {lib} --json"]), "a read-only state")
        answer, code = m.answer("verify", lib, CUDA_CACHE_PATH=str(root))
        check(code == 4 and "the driver finds nothing" in answer["why"] and "read-only" in answer["why"], f"what is there is not found: {answer['why']}")
        done = m.run("status", CUDA_CACHE_PATH=str(root))
        check("read-only" in done.stdout and done.stdout.partition("To do")[2].split()[:2] == ["unset", "CUDA_CACHE_PATH"], f"status advises no prime: {done.stdout}")
    finally:
        subprocess.run(["umount", small], check=True)


@contextlib.contextmanager
def small_disk(folder, size):
    if os.geteuid() != 0:
        raise Skip("needs root, to have a file system of its own mounted")
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", folder], capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(path, spare):
    """Another program writes until so many bytes are free. Returns how many are."""
    disk = os.statvfs(path.parent)
    want = disk.f_bavail * disk.f_frsize - spare
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as out:
        while want > 0:
            want -= out.write(bytes(min(want, 1 << 20)))
    disk = os.statvfs(path.parent)
    return disk.f_bavail * disk.f_frsize


@case
def files_that_may_not_become_large(m):
    """ulimit -f: what fits is warm, the rest is named with the limit; no process is ended by it."""
    lib, _ = m.library(count=4)
    limited = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh"]  # blocks of 512 bytes
    for _ in range(2):
        done = subprocess.run([*limited, *m.command("prime", lib, "--json")], env=m.env, capture_output=True, text=True, cwd=m.folder)
        answer = json.loads(done.stdout)
        states_now = states(answer)
        same((done.returncode, answer["end"], states_now.get("unstored", 0) + states_now.get("warmed", 0) + states_now.get("warm", 0)), (1, "partly", 4), states_now)
        check(states_now["unstored"] and "no file may become larger than 8 KiB here" in " ".join(answer["notes"]), answer["notes"])
        check(any(a.startswith("ulimit -f unlimited && jitwarm prime") for a in answer["todo"]), answer["todo"])
        same(m.cache().problems, [], "the cache")
    same(m.answer("prime", lib)[1], 0, "without the limit")


@case
def a_disk_that_fills(m):
    """Another program fills the disk while prime compiles: it stops at once and says how much is free; what is there is whole."""
    lib, _ = m.library(count=40, least=60000, most=90000)
    m.answer("doctor", "--probe")
    for spare, state in (20 << 20, m.folder / "state"), (0, m.folder / "state"), (0, "state"):
        with small_disk(m.folder / f"disk{spare}{len(str(state))}", "90m") as disk:
            m.home = disk
            m.root = disk / "cache"
            env = dict(CUDA_CACHE_PATH=str(m.root), JITWARM_STATE=str(disk / state), SIMCUDA_COST="0+400")
            run = m.start("prime", lib, "--json", "--jobs", "2", **env)
            until = time.monotonic() + 60
            while len(m.cache().entries) < 4 and time.monotonic() < until and run.poll() is None:
                time.sleep(0.05)
            free = fill(disk / "fill", spare)
            answer = json.loads(run.communicate(timeout=60)[0])
            done = states(answer)
            same((run.returncode, answer["end"]), (4, "cannot-write"), f"{spare} bytes free: {answer['why']} {done}")
            check(done.get("todo", 0) >= 20, f"it stops at once: {done}")
            if state != "state":
                told = re.search(rf"the disk of {m.root} filled up: ([\d.]+) (B|KiB|MiB) free", answer["why"])
                check(told, answer["why"])
                said = float(told[1]) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[told[2]]
                # It may have looked while the other program was still writing.
                check(free - (2 << 20) < said < HALF_OF_THE_SPARE, f"the true free space: {answer['why']}, and {free} are")
                check(done.get("warmed", 0) >= 4, f"what was done: {done}")
                check(abs(answer["cache"]["free_disk_bytes"] - free) < 2 << 20, f"{answer['cache']}, and {free} are")
            check(any(a.startswith("du -xh ") for a in answer["todo"]) and "free " in " ".join(answer["notes"]), f"advice: {answer['todo']}")
            same(m.cache().problems, [], "the cache on the full disk")
            same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
            (disk / "fill").unlink()
            answer, code = m.answer("prime", lib, **dict(env, SIMCUDA_COST="0"))
            same((code, sum(states(answer).values()), m.cache().whole()), (0, 40, []), "with room again")


@case
def a_small_file_system(m):
    """The home is a disk of 12 MiB: half of it stays free, and what fits beside that is primed."""
    lib, _ = m.library(count=3)
    m.answer("doctor", "--probe")
    with small_disk(m.folder / "small", "12m") as disk:
        m.home, m.root = disk, disk / "cache"
        env = dict(CUDA_CACHE_PATH=str(m.root), JITWARM_STATE=str(m.folder / "state"))
        answer, code = m.answer("prime", lib, **env)
        same((code, states(answer), answer["next_start"]), (0, {"warmed": 3}, "warm"), "what fits")
        fill(disk / "fill", 5 << 20)
        big, _ = m.library(count=2, least=60000, most=90000)
        answer, code = m.answer("prime", big, **env)
        check(code and "the last 6.0 MiB free" in " ".join(answer["notes"]) or "6 MiB" in " ".join(answer["notes"]), f"{code}: {answer['notes']}")
        (disk / "fill").unlink()


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
    check(any("4 GiB" in n for n in answer["notes"]) and "jitwarm prune" in answer["todo"], f"{answer}")
    check(f"not finished: {lib}" in " ".join(m.run("status").stdout.split()), "what was refused for want of room is remembered")


@case
def nameless_user(m):
    """A user that the system does not know, without HOME, as containers have them: no state, a sentence, and packs are tried all the same."""
    if os.geteuid() != 0:
        raise Skip("needs root, to be another user")
    packs = m.folder / "machine/var/lib/jitwarm/packs"
    packs.mkdir(parents=True)
    (packs / "x.tar.zst").write_text("no pack")
    tool = shutil.copy(m.opt.tool, m.folder / "jitwarm")
    m.folder.chmod(0o755)
    subprocess.run(["chown", "-R", "54321:54321", packs], check=True)
    done = subprocess.run(["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", tool, "prime",
                           "--cache", m.folder / "none", packs], env={"PATH": "/usr/bin:/bin", "JITWARM_SYSROOT": str(m.folder / "machine")},
                          capture_output=True, text=True, check=False)
    check(0 < done.returncode < 10, f"exit {done.returncode}")
    check("x.tar.zst" in done.stderr and "HOME is not set: jitwarm has no folder for what it remembers" in " ".join(done.stdout.split()), done.stdout + done.stderr)


def driver_in(m, folder, name="libcuda.so.1"):
    """A copy of the simulated driver, with its compiler."""
    driver = pathlib.Path(shutil.copy(m.opt.sim, folder / name))
    shutil.copy(m.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", driver.parent)
    return driver


@case
def closed_folder(m):
    """In an environment of this user a folder that only root may enter: it is named, also where there is nothing to do."""
    if os.geteuid() != 0:
        raise Skip("needs root, to be another user")
    lib, _ = m.library(count=2)
    tool, home = shutil.copy(m.opt.tool, m.folder / "jitwarm"), m.folder / "ada"
    driver = driver_in(m, m.folder)
    site = home / "venv/lib/python3.11/site-packages"
    (site / "closed").mkdir(parents=True)
    (home / "venv/pyvenv.cfg").touch()
    shutil.copy(lib, site)
    subprocess.run(["chown", "-R", "54321:54321", home], check=True)
    os.chown(site / "closed", 0, 0)
    (site / "closed").chmod(0o700)
    m.folder.chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "VIRTUAL_ENV": str(home / "venv"), "container": "test",
           "JITWARM_DRIVER": str(driver)}
    for words in ("Warmed 2 modules", "Nothing to do"):
        done = subprocess.run(["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", tool, "prime", "--yes"], env=env,
                              cwd=home, capture_output=True, text=True, check=False)
        said = " ".join((done.stdout + done.stderr).split())
        check(done.returncode == 0 and words in said and f"not searched: {site}/closed: " in said, words + said)
        check(re.search(r"Searched \d+ places?, not 1 other \(jitwarm scan -v lists them\)", said), said)
    done = subprocess.run(["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", tool, "doctor"], env=env, cwd=home, capture_output=True,
                          text=True, check=False)
    said = " ".join((done.stdout + done.stderr).split())
    check(f"could not be searched [files-unread] Seen {site}/closed: " in said and "[primed-not-warm]" not in said, said)


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


def as_container_user(m, env, *command):
    """In a new container each time: no home, the variables of the block alone."""
    return subprocess.run(["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", *map(str, command)], cwd=m.folder, text=True,
                          env=dict({"PATH": f"{m.folder}:/usr/bin:/bin", "HOME": "/nonexistent", "container": "test"}, **env),
                          capture_output=True, check=False)


# Root without HOME has its state in root's home, which is not the test's: an empty one is put over it.
IN_ANOTHER_HOME = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs "$(getent passwd 0 | cut -d : -f 6)" && exec "$@"', "sh"]


@case
def no_home(m):
    """A service user's home does not exist, or root was given such a one: prime makes none, and its advice, followed once, is enough."""
    if os.geteuid() != 0:
        raise Skip("needs root, to be another user")
    lib, _ = m.library(count=2)
    shutil.copy(m.opt.tool, m.folder / "jitwarm")
    sim = driver_in(m, m.folder)
    m.folder.chmod(0o755)
    for uid in 54321, 0:
        own = m.folder / f"own{uid}"
        own.mkdir()
        os.chown(own, uid, uid)
        known = {"HOME": "/nonexistent", "PATH": f"{m.folder}:/usr/bin:/bin", "container": "test", "JITWARM_DRIVER": str(sim)}
        for home in "/nonexistent", None:
            env = {name: value for name, value in known.items() if home or name != "HOME"}
            apart = IN_ANOTHER_HOME if not home and not uid else []
            if apart and subprocess.run([*apart, "test", "-e", m.opt.tool], capture_output=True, check=False).returncode != 0:
                continue  # no mounts here, or this build is in root's home

            def prime(**more):
                return subprocess.run([*apart, "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "jitwarm", "prime", "--as-root", lib],
                                      env={**env, **more}, cwd=m.folder, text=True, capture_output=True, check=False)
            done = prime()
            same(done.returncode, 4, done.stdout + done.stderr)
            check(re.search(r'export HOME=("\$\(mktemp -d /var/tmp/home\.X+\)"|/\S+) && jitwarm prime', done.stdout), done.stdout)
            kept = own / str(home is None)
            kept.mkdir()
            os.chown(kept, uid, uid)
            done = prime(HOME=str(kept))
            check(done.returncode == 0 and "Warmed 2 modules" in done.stdout, f"uid {uid}, HOME={home}: {done.stdout}{done.stderr}")
    check(not pathlib.Path("/nonexistent").exists(), "a home was made")


@case
def container_block(m):
    """What `env --shell docker` prints, in the place of a container: a volume of root's, a user who is not root."""
    if os.geteuid() != 0:
        raise Skip("needs root, to have a volume of root's")
    lib, _ = m.library(count=4)
    shutil.copy(m.opt.tool, m.folder / "jitwarm")
    play, driver = shutil.copy(m.opt.play, m.folder / "play"), driver_in(m, m.folder)
    data = bytearray(pathlib.Path(driver).read_bytes())
    data[data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")) + 4] ^= 0xFF
    (m.folder / "newer").mkdir()
    newer = driver_in(m, m.folder / "newer")
    newer.write_bytes(data)
    m.folder.chmod(0o755)
    volume = m.folder / "volume"
    docker = as_container_user(m, {}, "jitwarm", "env", "--shell", "docker", "--path", volume).stdout
    env = dict(re.findall(r'^ENV (\w+)="(.*)"$', docker, re.M), JITWARM_DRIVER=driver)
    same(sorted(env), ["CUDA_CACHE_MAXSIZE", "CUDA_CACHE_PATH", "JITWARM_DRIVER", "JITWARM_STATE"], "the variables")
    entrypoint = json.loads(re.search(r"^ENTRYPOINT (.*)$", docker, re.M)[1])
    program = [play, driver, "init", "ctx 0", f"load {m.folder / 'k.ptx'}", "fn k"]
    (m.folder / "k.ptx").write_text(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n")
    volume.mkdir()
    # Without the owner nothing can be kept: the program starts all the same, and jitwarm says why.
    done = as_container_user(m, env, "jitwarm", "prime", lib)
    said = " ".join((done.stdout + done.stderr).split())
    check(done.returncode == 4 and str(volume) in said and "ermission denied" in said, f"prime without it: {done.returncode} {said}")
    done = as_container_user(m, env, *entrypoint, *program)
    check(done.returncode == 0 and "starting the command anyway" in done.stderr and str(volume) in done.stderr,
          f"run without it: {done.returncode} {done.stdout}{done.stderr}")
    same(list(volume.iterdir()), [], "what is kept without it")
    # With it the second container starts warm: its driver has no compiler.
    subprocess.run(["sh", "-c", re.search(r"^RUN (.*)$", docker, re.M)[1]], check=True)
    done = as_container_user(m, env, *entrypoint, *program)
    same(done.returncode, 0, f"the first container: {done.stdout}{done.stderr}")
    done = as_container_user(m, dict(env, SIMCUDA_JIT="none"), *entrypoint, *program)
    same(done.returncode, 0, f"the second container: {done.stdout}{done.stderr}")
    check("fn 0" in done.stdout, done.stdout)
    done = as_container_user(m, env, "jitwarm", "prime", lib)
    same(done.returncode, 0, f"prime: {done.stdout}{done.stderr}")
    updated = dict(env, SIMCUDA_STAMP="Feb  3 2026 01:02:03", JITWARM_DRIVER=newer)
    done = as_container_user(m, updated, *entrypoint, *[str(newer) if word == driver else word for word in program])
    same(done.returncode, 0, f"after a driver update: {done.stdout}{done.stderr}")
    done = as_container_user(m, updated, "jitwarm", "verify", lib)
    same(done.returncode, 0, f"what was primed is warm again: {done.stdout}{done.stderr}")


@case
def vanishing_root(m):
    """Another program removes the cache while it is filled: an answer, no crash; the next run makes it whole."""
    lib, _ = m.library(count=30)
    run = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+100")
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
    """Another program with a small limit throws entries out while prime fills the cache: verify tells.
    Set-up: an entry was evicted or removed"""
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
def purged_before_verify_loads_it(m):
    """An entry goes away after verify has looked at the cache: the driver stores it again where it is loaded, and verify says so. Nothing else is
    written by a verify that finds all of it."""
    lib, _ = m.library(count=4)
    same(m.run("prime", lib).returncode, 0, "prime")

    def stored():
        return {path.name: path.read_bytes() for path in m.root.rglob("*") if path.is_file()}

    before = stored()
    same(m.run("verify", lib).returncode, 0, "verify")
    same(stored(), before, "the cache after a verify")
    entry = sorted(m.root.glob("?/?/*"))[-1]
    for _ in range(5):  # until it was removed in time
        run = m.start("verify", lib, "--json", SIMCUDA_FAULTS="slow@init=2s")
        seen = set()
        while run.poll() is None and len(seen) < 2:  # the first worker tells which driver is here, the second one loads
            for task in pathlib.Path(f"/proc/{run.pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    seen |= set(task.read_text().split())
            time.sleep(0.02)
        time.sleep(0.5)  # of the two seconds that it takes to begin: the cache is looked at by now
        kept = entry.read_bytes()
        entry.unlink()
        answer = json.loads(run.communicate(timeout=60)[0])
        if answer["verify"]["passes"][0]["misses"]:
            break
        entry.write_bytes(kept)
    else:
        raise Skip("the machine is too busy for it: verify always came first")
    same(run.returncode, 1, "verify")
    check(entry.exists() == any("stored 1 entry while verify loaded" in note for note in answer["notes"]), f"what was stored is said: {answer['notes']}")
    check(entry.exists(), "the driver stored it again")


@case
def profiles(m):
    """A command is learned once, and kept warm; whatever happens, it is run, and its streams and exit code are its own."""
    ptx = m.folder / "k.ptx"
    ptx.write_text(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry one()\n{\n\tret;\n}\n")
    command = [m.opt.play, own_driver(m), "init", "ctx 0", f"load {ptx}", NAP, "fn one"]
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


NAP = "nap 400"  # no program that uses a GPU ends at once


BUILDS = b"Jan  7 202622:51:46", b"Feb  3 202601:02:03"


def own_driver(m):
    """Of this machine alone: what other tests compile is not seen."""
    folder = m.folder / "driver"
    if not folder.exists():
        folder.mkdir()
        for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
            shutil.copy(m.opt.sim.parent / name, folder / name)
        m.env["JITWARM_DRIVER"] = str(folder / "libcuda.so.1")
    return m.env["JITWARM_DRIVER"]


def other_driver(m, name="libcuda.so.999.1"):
    """Another build of the driver: its file has another identity, its entries another stamp."""
    other = driver_in(m, m.folder, name)
    data = bytearray(other.read_bytes())
    at = data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"))
    data[at + 4] ^= 0xFF
    check(BUILDS[0] in data, "the stamp of the usual build")
    other.write_bytes(data.replace(*BUILDS))
    return dict(JITWARM_DRIVER=str(other))


def update_driver(m):
    """As a package manager does it: another file in the same place."""
    os.replace(other_driver(m)["JITWARM_DRIVER"], own_driver(m))


def command_of(m, n, lines=1, settings=()):
    """A program that loads so many modules, each of a text of its own, and changes its settings before."""
    command = [m.opt.play, own_driver(m), *(f"set {s}" for s in settings), "init", "ctx 0"]
    for i in range(n):
        ptx = m.folder / f"k{i}.ptx"
        ptx.write_text(f".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k{i}()\n{{\n"
                       + "\tadd.u32 %r1, %r1, 1;\n" * lines + "\tret;\n}\n")
        command += [f"load {ptx}", f"fn k{i}"]
    return [*command, NAP]


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
    same((code, states(answer)), (0, {"warmed": 8, "warm": 6}), "the recorded library, and what the command made")
    m.forget_cache()
    limit = dict(CUDA_CACHE_MAXSIZE="200000")
    answer, code = learn(m, *command, **limit)
    same((code, states(answer), answer["end"]), (1, {}, "partly"), "prime --run with a small limit")
    check("CUDA_CACHE_MAXSIZE=200000 is small" in answer["why"], answer)
    same((answer["next_start"], answer["next_start_why"]), ("unknown", answer["why"]), "what was not seen")
    check(sum(s for _, s in m.cache().records) <= 200000, "the limit is kept")


@case
def code_made_while_it_runs(m):
    """PTX that no file holds is made again after the cache is lost, under this driver and the next.
    Set-up: code is made while the program runs"""
    command = command_of(m, 3)
    answer, code = learn(m, *command)
    same((code, states(answer)), (0, {"warm": 3}), "prime --run")
    answer, code = m.answer("prime")
    same((code, states(answer), answer["end"]), (0, {"warm": 3}, "nothing"), "listed like any module")
    m.forget_cache()
    answer, code = m.answer("prime", "--dry-run", "--check")
    same((code, states(answer)), (1, {"todo": 3}), "the cache is lost: what would be done")
    same(m.run("verify").returncode, 1, "and verify says that it is missing")
    answer, code = m.answer("prime")
    same((code, states(answer)), (0, {"warmed": 3}), "made again")
    same(m.run("verify", "--run", *command).returncode, 0, "and the command compiles nothing")
    m.forget_cache()
    same(m.run("run", "--", *command).returncode, 0, "run warms it again")
    same(m.run("verify", "--run", *command).returncode, 0, "and it compiled nothing more")
    m.forget_cache()
    driver = pathlib.Path(own_driver(m))
    before = driver.read_bytes()
    update_driver(m)
    answer, code = m.answer("prime")
    same((code, states(answer), answer["next_start_why"]), (0, {"warmed": 3}, None), "under another driver build")
    same(m.run("verify", "--run", *command).returncode, 0, "nothing is compiled there either")
    kept = list((m.folder / "state").rglob("*.kept"))
    same(len(kept), 3, "kept once, whatever the driver")
    kept[0].write_bytes(kept[0].read_bytes()[:40])
    driver.write_bytes(before)
    m.forget_cache()
    answer, code = m.answer("prime")
    same(states(answer), {"warmed": 2}, "a damaged one is passed over")
    m.run("uninstall", "--yes")
    same(list((m.folder / "state").rglob("*.kept")), [], "uninstall removes it")


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
def a_compiler_in_another_folder(m):
    """The driver has the loader find its compiler, which need not lie beside it: there it is watched."""
    elsewhere = m.folder / "compiler"
    elsewhere.mkdir()
    (pathlib.Path(own_driver(m)).parent / "libnvidia-ptxjitcompiler.so.1").rename(elsewhere / "libnvidia-ptxjitcompiler.so.1")
    m.env["LD_LIBRARY_PATH"] = str(elsewhere)
    command = command_of(m, 2)
    for seen in "compiled", "nothing":
        run = m.run("verify", "--json", "--run", *command)
        same(json.loads(run.stdout[run.stdout.index("{\n  \"schema"):])["run"]["compiled"], seen, "what was seen of the command")


@case
def a_cache_of_its_own(m):
    """A program that goes to another cache, keeps nothing, fails, leaves a process behind or uses no driver: never "nothing"."""
    own = m.folder / "own"
    m.env["JW_TEST_HURRY"] = "5"  # 2 s for processes that go on

    def said(*words):
        done = m.run(*words)
        text = done.stdout[done.stdout.index("{\n  \"schema"):]
        return json.loads(text)["run"], done.returncode

    def verify(*command):
        run, code = said("verify", "--json", "--run", *command)
        return run["compiled"], code

    command = command_of(m, 2, settings=[f"CUDA_CACHE_PATH={own}"])
    run, code = said("verify", "--json", "--run", *command)
    same((run["compiled"], run["new_entries"], code), ("compiled", 2, 1), "in a cache of its own")
    same([(c["folder"], c["other"], c["new_entries"]) for c in run["caches"]], [(str(m.root), False, 0), (str(own), True, 2)], "which one")
    same(verify(*command), ("nothing", 0), "warm there")
    words = " ".join(m.run("verify", "--run", *command).stdout.split())
    check(f"it uses a cache of its own: {own} (0 new there)" in words, words)
    answer, code = learn(m, *command)
    same((code, states(answer), answer["run"]["own_cache"], answer["cache"]["folder"]), (0, {"warm": 2}, True, str(own)), "prime --run")
    check(answer["run"]["cold_milliseconds"] and not answer["run"]["warm_milliseconds"], answer["run"])
    shutil.rmtree(own)
    m.forget_cache()
    done = m.run("run", "--", *command, SIMCUDA_FAULTS="slow@init=200ms")
    same((done.returncode, len(m.cache().entries)), (0, 0), "run")
    check(f"a cache of its own: {own}" in " ".join(done.stderr.split()), done.stderr)
    same(len(Cache(own).entries), 2, "run primes the cache that the command uses")
    answer, code = learn(m, *command)
    same((code, answer["run"]["compiled"], answer["cache"]["folder"]), (0, "nothing", str(own)), "prime --run again, warm")
    check(0 < answer["run"]["warm_milliseconds"] < answer["run"]["milliseconds"] - 50, answer["run"])  # not all of its nap of 400
    words = " ".join(m.run("verify", "--run", *command).stdout.split())
    check(re.search(r"Start first start (under )?[0-9]+\.[0-9] s, now (under )?[0-9]+\.[0-9] s", words), words)
    shared = m.folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    done = m.run("prime", "--run", *command_of(m, 2, settings=[f"CUDA_CACHE_PATH={shared}"]))
    same((done.returncode, "may be changed by everybody" in " ".join(done.stdout.split())), (1, True), "a cache that others can write to is not followed")
    off = command_of(m, 2, settings=["CUDA_CACHE_DISABLE=1"])
    run, code = said("verify", "--json", "--run", *off)
    same((run["compiled"], run["not_cached"], code), ("compiled", "CUDA_CACHE_DISABLE=1", 1), "kept nowhere")
    small = command_of(m, 2, settings=["CUDA_CACHE_MAXSIZE=100"])
    run, code = said("verify", "--json", "--run", *small)
    same((run["compiled"], run["not_cached"], code), ("compiled", "CUDA_CACHE_MAXSIZE=100", 1), "no room for an entry")
    same(verify("sleep", "0.3"), ("unknown", 1), "no driver")
    same(verify("sh", "-c", '"$@"; exit 1', "sh", *command), ("nothing", 1), "a command that fails")
    same(verify("sh", "-c", '("$@" & ); exit 0', "sh", *command[:-1], "nap 700"), ("nothing", 0), "a process that goes on is waited for")
    left = m.folder / "left"
    stays = f'("$@" </dev/null >/dev/null 2>&1 & echo $! >{shlex.quote(str(left))}); exit 0'
    try:
        same(verify("sh", "-c", stays, "sh", *command[:-1], "nap 600000"), ("unknown", 1), "a process that is left behind")
    finally:
        os.kill(int(left.read_text()), signal.SIGKILL)
    for words, why in ((off, "CUDA_CACHE_DISABLE=1"), (["false"], "exit code 1"), (["sleep", "0.3"], "loaded the driver")):
        done = m.run("prime", "--run", *words)
        same(done.returncode, 1, f"prime --run, {why}")
        check("Nothing was recorded of" in done.stdout and why in " ".join(done.stdout.split()), done.stdout)


@case
def watched_live(m):
    """doctor --watch names each program that makes the driver compile, and no other. Each one runs until it was seen."""
    cold, off = ([*command_of(m, n, settings=settings)[:-1], "nap 600000"] for n, settings in ((2, ()), (1, ["CUDA_CACHE_DISABLE=1"])))
    watch = m.start("doctor", "--watch", "--json")
    check("watching" in watch.stderr.readline(), "it begins")
    events, programs, paused = [], [], []

    def begin(command):
        programs.append(subprocess.Popen(command, env=m.env, stdout=subprocess.PIPE, cwd=m.folder, text=True))
        for _ in [word for word in command if str(word).startswith("fn ")]:
            check(any(line.startswith("fn 0") for line in iter(programs[-1].stdout.readline, "")), "its module is there")

    def end(program):
        with program:
            program.terminate()

    def told(event, pid):
        events.append(json.loads(watch.stdout.readline()))
        while events[-1]["event"] == "paused":  # it was idle for a while before it ended
            paused.append(events.pop())
            events.append(json.loads(watch.stdout.readline()))
        same((events[-1]["event"], events[-1].get("pid")), (event, pid), "events")

    try:
        begin(off)
        told("began", programs[0].pid)
        begin(cold)
        told("began", programs[1].pid)
        end(programs[1])
        told("ended", programs[1].pid)
        end(programs[0])  # entries were made meanwhile, by the other one
        told("ended", programs[0].pid)
    finally:
        for program in programs:
            program.kill()
    subprocess.run([*cold[:-1], NAP], env=m.env, stdout=subprocess.DEVNULL, cwd=m.folder, check=True)  # it is warm
    watch.send_signal(signal.SIGINT)
    told("summary", None)
    watch.communicate(timeout=30)
    same([(e["new_entries"], e["cause"], e["setting"], e["cache"]) for e in events[2:4]],
         [(2, "cold", None, str(m.root)), (0, "disabled", "CUDA_CACHE_DISABLE=1", str(m.root))], "what they left")
    same((events[-1]["programs"], watch.returncode), (2, 1), "summary")
    same([e["goes_on"] for e in events[2:4]], [False, False], "what has ended does not go on")

    # A program that is idle has compiled what it needed, and its total comes before its end.
    shutil.rmtree(m.root, ignore_errors=True)
    watch = m.start("doctor", "--watch", "--json")
    check("watching" in watch.stderr.readline(), "it begins again")
    programs.clear()
    begin(cold)
    same(json.loads(watch.stdout.readline())["event"], "began", "it begins")
    idle = json.loads(watch.stdout.readline())
    same((idle["event"], idle["running"], idle["new_entries"], idle["cause"]), ("paused", True, 2, "cold"), "idle")
    end(programs[0])
    watch.send_signal(signal.SIGINT)
    watch.communicate(timeout=30)
    done = m.run("doctor", "--watch=1s")
    same((done.returncode, "compiled for no program" in done.stdout), (0, True), "nothing")


@case
def watched_while_it_is_slow(m):
    """On a busy machine a program maps the driver's compiler long after it opened it, and doctor --watch looks for it until then."""
    compiler = pathlib.Path(own_driver(m)).parent / "libnvidia-ptxjitcompiler.so.1"
    slow = "import mmap, os, sys, time; fd = os.open(sys.argv[1], 0); time.sleep(1.5); m = mmap.mmap(fd, 0, prot=mmap.PROT_READ); time.sleep(600)"
    watch = m.start("doctor", "--watch", "--json")
    check("watching" in watch.stderr.readline(), "it begins")
    subprocess.run(["head", "-c", "1", compiler], stdout=subprocess.DEVNULL, check=True)  # this one ends, and nobody finds it
    program = subprocess.Popen([sys.executable, "-c", slow, compiler], env=m.env)
    try:
        event = json.loads(watch.stdout.readline())
        same((event["event"], event.get("pid")), ("began", program.pid), "it is seen")
    finally:
        program.kill()
        watch.send_signal(signal.SIGINT)
        out = watch.communicate(timeout=60)[0]
    summary = json.loads(out.splitlines()[-1])
    same((summary["event"], summary["programs"], summary["unseen"]), ("summary", 1, 1), summary)


@case
def learned_by_ctrl_c(m):
    """A server is ended with Ctrl-C, which ends us, too: what it had loaded by then is its profile."""
    server = m.folder / "server.sh"
    server.write_text("#!/bin/sh\n" + " ".join(f"'{word}'" for word in command_of(m, 2)) + "\nexec sleep 100\n")
    server.chmod(0o755)
    run = subprocess.Popen(m.command("prime", "--run", server), env=m.env, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for _ in range(300):  # both, and their records
        if len(m.cache(deep=False).records) == 2:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it does not load both")
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
def first_start_by_run(m):
    """An unknown command is recorded at its first start, and warm at the second; what it loads nobody has to say.
    Set-up: the program uses a cache of its own"""
    command = command_of(m, 3, lines=2000)
    done = m.run("run", "--", *command, SIMCUDA_FAULTS="slow@1=300ms")
    same((done.returncode, done.stdout.count("load 0")), (0, 3), "the first start")
    said = done.stderr.splitlines()
    check(len(said) == 2 and "recording what this start loads" in said[0], done.stderr)
    same(said[1], "jitwarm: this start: the driver compiled 3 entries", "and what it compiled")
    sound(m, 3)
    shown = m.answer("status")[0]["commands"]
    same([(c["command"], c["modules"]) for c in shown], [(shlex.join(map(str, command)), 3)], "status")
    check(shown[0]["cold_milliseconds"] > 300 and not shown[0]["warm_milliseconds"], shown)
    same(m.run("verify", "--run", *command).returncode, 0, "the second compiles nothing")
    check(0 < m.answer("status")[0]["commands"][0]["warm_milliseconds"] < shown[0]["cold_milliseconds"], "its time")
    m.forget_cache()
    done = m.run("run", "--", *command)
    same((done.returncode, "recording" in done.stderr), (0, False), "a known one")
    sound(m, 3)
    same(m.run("verify", "--run", *command).returncode, 0, "it was warmed before it began")
    # No driver: recorded once a day at most.
    for said in True, False:
        done = m.run("run", "--", "sh", "-c", "exit 0")
        same((done.returncode, "recording" in done.stderr), (0, said), "a command without a driver")
    own = m.folder / "sglang/nv"
    own.parent.mkdir()
    elsewhere = command_of(m, 2, settings=[f"CUDA_CACHE_PATH={own}"])
    done = m.run("run", "--", *elsewhere)
    same((done.returncode, f"a cache of its own: {own} (SGLang sets CUDA_CACHE_PATH" in " ".join(done.stderr.split())), (0, True), "which cache is in use")
    said = shlex.join(map(str, elsewhere))
    same([c["own_cache"] for c in m.answer("status")[0]["commands"] if c["command"] == said], [str(own)], "status")
    for verb in (["prune"], ["status"], ["report", "-o", m.folder / "page.html"]):
        done = m.run(*verb)
        shown = (m.folder / "page.html").read_text() if verb[0] == "report" else done.stdout
        check(str(own) in "".join(shown.split()).replace("\\", ""), f"{verb[0]} shows it: {shown}")
    check([f for f in m.answer("doctor")[0]["findings"] if f["id"] == "cache-own" and str(own) in f["evidence"]], "doctor shows it")
    done = m.run("export", "-o", m.folder / "own.tar.zst", "--yes", "--run", *elsewhere)
    same((done.returncode, "2 entries" in " ".join(done.stdout.split())), (0, True), "export takes it")
    shutil.rmtree(own)
    m.run("run", "--", *elsewhere)
    same((m.run("verify", "--run", *elsewhere).returncode, len(Cache(own).entries)), (0, 2), "its own cache is warmed")
    done = m.run("run", "--", *command_of(m, 1, settings=["CUDA_CACHE_DISABLE=1"]))
    check("keep nothing (CUDA_CACHE_DISABLE=1): every start compiles" in " ".join(done.stderr.split()), done.stderr)


@case
def run_stands_for_its_command(m):
    """While it is recorded, the command gets the signals that this process is sent, and ends it as it ends."""
    told = m.folder / "told"
    script = m.folder / "server.sh"
    script.write_text("#!/bin/sh\n" + " ".join(f"'{word}'" for word in command_of(m, 2)) + f"""
for s in HUP USR1 USR2 WINCH QUIT TTIN TTOU; do trap "echo $s >>{told}" $s; done
trap "echo TERM >>{told}; trap - TERM; kill -TERM $$" TERM
echo ready >>{told}
while :; do sleep 0.05; done
""")
    script.chmod(0o755)

    def until(word):
        for _ in range(400):
            if told.exists() and word in told.read_text().split():
                return
            time.sleep(0.05)
        raise AssertionError(f"{word}: {told.exists() and told.read_text()}")

    run = m.start("run", "--", script)
    until("ready")
    names = ["HUP", "USR1", "USR2", "WINCH", "QUIT", "TTIN", "TTOU", "TERM"]
    for name in names:
        run.send_signal(getattr(signal, "SIG" + name))
        until(name)
    run.communicate(timeout=60)
    same((run.returncode, told.read_text().split()), (-signal.SIGTERM, ["ready", *names]), "signals")
    same(m.answer("status")[0]["commands"][0]["modules"], 2, "what was loaded by then")
    same(m.wait_for_silence(), [], "processes")
    # Its whole start was not seen: the next one is watched again. Ignored signals stay so, and a code is passed on.
    done = m.run("run", "--", "sh", "-c", "trap '' HUP; kill -HUP $$; exit 7")
    same((done.returncode, done.stdout), (7, ""), "an exit code")
    done = subprocess.run(["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *m.command("run", "--", "sh", "-c", "kill -HUP $$; echo alive")],
                          env=m.env, capture_output=True, text=True)
    same(done.stdout, "alive\n", "what was ignored")
    # What cannot be started is not called recorded.
    (m.folder / "text").write_text("no program")
    done = m.run("run", "--", m.folder / "text")
    same((done.returncode, done.stderr.count("jitwarm:")), (126, 1), done.stderr)
    check("permission denied" in done.stderr and "record" not in done.stderr, done.stderr)
    # Who is known by its process number is that process.
    for name in "NOTIFY_SOCKET", "LISTEN_PID", "WATCHDOG_PID":
        run = m.start("run", "--", "sh", "-c", "echo $$ >number", **{name: "1"})
        said = run.communicate(timeout=60)[1]
        same(((m.folder / "number").read_text(), name in said), (f"{run.pid}\n", True), said)
    # What it leaves behind lives on, and is waited for by nobody.
    done = m.run("run", "--", "sh", "-c", "(sleep 1; echo late >>told) >/dev/null 2>&1 & exit 0")
    same((done.returncode, "late" in told.read_text()), (0, False), "a daemon")
    until("late")
    # Killed, it takes its command along.
    run = m.start("run", "--", "sleep", "600")
    check("recording" in run.stderr.readline(), "it runs")
    run.kill()
    run.communicate(timeout=60)
    same(m.wait_for_silence(), [], "the command of one that was killed")


@case
def commands_of_all_kinds(m):
    """A command that dies, replaces its program or the driver, or works beside very many entries: what it loaded is kept, and never
    is "nothing" said where it is not known."""
    command = [str(word) for word in command_of(m, 2)]
    dying = ["sh", "-c", '"$@"; kill -KILL $$', "sh", *command]
    answer, code = learn(m, *dying)
    same((code, answer["run"]["exit_code"], answer["run"]["profile_modules"], states(answer)), (0, 137, 2, {"warm": 2}), "one that dies")
    check(any("exit code 137" in note for note in answer["notes"]), answer["notes"])
    m.forget_cache()
    # Its program is replaced while it runs: its settings, and so its cache, are found all the same, or it is not known.
    own, program = m.folder / "own", m.folder / "program"
    moved = [str(word) for word in command_of(m, 2, settings=[f"CUDA_CACHE_PATH={own}"])]
    shutil.copy(moved[0], program)
    script = f'"$@" & sleep 0.1; cp {moved[0]} {program}.new; mv {program}.new {program}; wait'
    done = m.run("verify", "--json", "--run", "sh", "-c", script, "sh", program, *moved[1:])
    run = json.loads(done.stdout[done.stdout.index("{\n  \"schema"):])["run"]
    same((done.returncode, run["compiled"] != "nothing", len(Cache(own).entries)), (1, True, 2), "a program that is replaced")
    # The same of the driver's compiler: an open of the new file is not seen.
    compiler = pathlib.Path(own_driver(m)).parent / "libnvidia-ptxjitcompiler.so.1"
    script = f'cp {compiler} {compiler}.new; mv {compiler}.new {compiler}; sleep 0.2; "$@"'
    done = m.run("verify", "--json", "--run", "sh", "-c", script, "sh", *command)
    run = json.loads(done.stdout[done.stdout.index("{\n  \"schema"):])["run"]
    same((done.returncode, run["compiled"] != "nothing"), (1, True), "a driver that is replaced")


@case
def starts_that_differ(m):
    """A program that loads one more of several modules at each start is never called warm by what one start loaded, and verify --run
    says what helps.
    Set-up: a start loads what no recorded one did | warm | warm | passes | compiled, 1; until it is recorded no other verb says *warm* | compiles first what was recorded; the rest compiles"""
    words = [str(word) for word in command_of(m, 4)]
    script, turn = m.folder / "turn.sh", m.folder / "turn"
    script.write_text(f"#!/bin/sh\nn=$(cat {turn})\necho $((n + 1)) >{turn}\n"
                      + "exec " + " ".join(f"'{word}'" for word in words[:4]) + f' "load {m.folder}/k$n.ptx" "fn k$n" "{NAP}"\n')
    script.chmod(0o755)
    turn.write_text("0\n")
    answer, code = learn(m, script)
    same((code, answer["run"]["profile_modules"]), (0, 1), "the first")
    starts = int(turn.read_text())  # one, or two: it writes a file, which might be a cache
    for modules in starts + 1, starts + 2:
        done = m.run("verify", "--run", script)
        said = " ".join(done.stdout.split())
        check(done.returncode == 1 and "not every start loads the same modules: 1 module was not loaded" in said, said)
        same(len(m.cache().entries), modules, "entries")
        for words in ("prime", "--check"), ("verify",), ("doctor",), ("status",):
            done = m.run(*words)
            check("a start of 1 command compiled what no recorded start of it loads" in " ".join(done.stdout.split()) and f"jitwarm prime --run {script}" in done.stdout
                  and (done.returncode == 1 or words[0] == "status"), f"what verify --run saw is remembered: {words}: {done.stdout}")
    turn.write_text("0\n")
    same(learn(m, script)[1], 0, "it is recorded")
    same(m.answer("status")[0]["next_start"], "warm", "and the record has it")
    turn.write_text("1\n")
    done = m.run("verify", "--run", script)
    same((done.returncode, "not every start" in done.stdout), (0, False), "one that was there before")
    m.answer("prime", *(m.folder / f"k{n}.ptx" for n in range(3)))
    m.forget_cache()
    m.answer("prime", *(m.folder / f"k{n}.ptx" for n in range(3)))
    for n in range(3):
        turn.write_text(f"{n}\n")
        same(m.run("verify", "--run", script).returncode, 0, "its files were primed")


@case
def beside_many_entries(m):
    """A command in a cache of 100,000 entries of other software is recorded as what it is: its own."""
    command = command_of(m, 2)
    m.run("verify", "--run", *command)
    sample = next(p for p in m.root.glob("?/?/*")).read_bytes()
    at = sample.index(b"sm_")
    for n in range(100000):
        name = f"{n * 0x9E3779B97F4A7C15 & (1 << 64) - 1:016x}"
        folder = m.root / name[0] / name[1]
        if n < 4096:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / name[2:]).write_bytes(sample[:at])
    answer, code = learn(m, *command)
    same((code, answer["run"]["profile_modules"]), (0, 2), "what it loads")
    same(m.run("run", "--", *command).returncode, 0, "run")


@case
def recorded_once_is_recorded(m):
    """Of a command that loads no module, and of one whose code only the linker can make: run watches one start, and status knows."""
    def said(*words):
        return " ".join(m.run(*words).stdout.split())

    ptx = m.folder / "k0.ptx"
    command_of(m, 1)
    for words, loads in [([], "nothing to warm: 1 recorded command loads no module"), ([f"link {ptx}"], "1 of 1 module, primed just now")]:
        command = [m.opt.play, own_driver(m), "init", "ctx 0", *words, NAP]
        check("nothing was primed here yet" in said("status"), "a fresh machine")
        for start in range(3):
            done = m.run("run", "--", *command)
            same((done.returncode, "recording what this start loads" in done.stderr), (0, start == 0), f"start {start} of {words}: {done.stderr}")
        for verb in ["status"], []:
            text = said(*verb)
            check(loads in text and "Everything primed is warm" in text, f"{verb}: {text}")
        shutil.rmtree(m.folder / "state" / "caches")


@case
def settings_that_change_after_the_start(m):
    """A program that changes or unsets CUDA_CACHE_PATH after cuInit, for its children or to clean up: the driver read it before.
    Set-up: the program changes `CUDA_CACHE_PATH` after cuInit | 1, where its cache misses something | as of a cache of its own | as the dry run | by the cache that it used | primes that one"""
    own, ptx = m.folder / "own", m.folder / "k0.ptx"
    command_of(m, 1)
    after = [m.opt.play, own_driver(m), "init", "ctx 0", NAP, f"set CUDA_CACHE_PATH={own}", f"load {ptx}", "fn k0", NAP]
    unset = [m.opt.play, own_driver(m), f"set CUDA_CACHE_PATH={own}", "init", "ctx 0", NAP, "set CUDA_CACHE_PATH=", f"load {ptx}", "fn k0", NAP]
    for command, root in (after, m.root), (unset, own):
        for what in "cold", "warm":
            answer, code = learn(m, *command)
            same((code, states(answer), answer["cache"]["folder"]), (0, {"warm": 1}, str(root)), f"{what}: {answer['why']}")
            same((len(m.cache().entries), own.exists()), (root == m.root, root == own), "and no other has it")
        shutil.rmtree(root)
        same(m.run("prime", "--check").returncode, 1, "its cache is lost")
        shutil.rmtree(m.folder / "state" / "caches")


SERVER = """import ctypes, pathlib, sys, time
cuda, asked, answered, context = ctypes.CDLL(sys.argv[1]), *sys.argv[2:4], ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
def load(name):
    end = time.process_time() + 0.1
    while time.process_time() < end:  # compiling takes a processor
        pass
    return cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), pathlib.Path(name).read_bytes() + bytes(1))
print(load(sys.argv[4]), flush=True)
while True:
    with open(asked) as words:
        name = words.read().strip()
    result = load(name) if name else -1
    with open(answered, "w") as out:
        out.write(f"{result}\\n")
"""


@case
def a_server_that_compiles_for_its_clients(m):
    """It has the driver's compiler loaded, so that nothing is opened when it compiles, and is no process of the client's.
    Set-up: a server compiles for the program | warm | warm | passes | not known: names the server, 1 | starts it"""
    command_of(m, 4)
    texts = [m.folder / f"k{i}.ptx" for i in range(4)]
    asked, answered = m.folder / "asked", m.folder / "answered"
    for fifo in asked, answered:
        os.mkfifo(fifo)
    (m.folder / "server.py").write_text(SERVER)

    def client(text):
        ask = f"echo {text} >{asked}; read -r said <{answered}; test \"$said\" = 0" if text else "true"
        done = m.run("verify", "--json", "--run", "sh", "-c", f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' '{NAP}' && {ask}")
        answer = json.loads(done.stdout)  # the client's own output is not in it
        run, again = answer["run"], answer["todo"]
        same((run["exit_code"], "0" in done.stderr.split()), (0, True), "the client")
        same(any("verify" in a and "--run" in a for a in again), run["compiled"] == "unknown", "the line that asks again")
        return run["compiled"], done.returncode, run["why_unknown"]

    for settings, what in ({"CUDA_CACHE_PATH": str(m.folder / "its cache")}, "compiled meanwhile"), ({"CUDA_CACHE_DISABLE": "1", "SIMCUDA_FAULTS": "slow@init=1ms"}, "worked meanwhile"):
        env = {**m.env, **settings}
        server = subprocess.Popen([sys.executable, m.folder / "server.py", own_driver(m), asked, answered, texts[0]], env=env, stdout=subprocess.PIPE, text=True)
        try:
            same(server.stdout.readline(), "0\n", "it has compiled")
            time.sleep(0.1)  # what it made is older than the clock of files can be wrong
            same(client(None), ("nothing", 0, None), "it does nothing meanwhile")
            compiled, code, why = client(texts[1])
            check((compiled, code) == ("unknown", 1) and what in why and f"process {server.pid}" in why, f"it compiled: {compiled} {code} {why}")
            time.sleep(0.1)
            if "compiled" in what:
                same(client(texts[1]), ("nothing", 0, None), "it has that one")
        finally:
            server.kill()
            server.wait()


@case
def a_planted_cache(m):
    """A folder that looks like a driver's cache and belongs to another user is followed by nobody, whatever the command says."""
    own = m.folder / "planted"
    command = command_of(m, 2, settings=[f"CUDA_CACHE_PATH={own}"])
    m.run("verify", "--run", *command)
    same(len(Cache(own).entries), 2, "it looks like one")
    for path in [own, *own.rglob("*")]:
        os.chown(path, 65534, 65534)
    answer, code = learn(m, *command)
    same((code, states(answer), answer["run"]["own_cache"]), (1, {}, False), "prime --run")
    check(str(own) in answer["why"] and "belongs to user 65534" in answer["why"], answer["why"])
    done = m.run("run", "--", *command)
    check(done.returncode == 0 and "was not recorded" in done.stderr and "belongs to user 65534" in done.stderr, done.stderr)
    same([c for c in m.answer("status")[0]["commands"] if c["modules"] or c["own_cache"]], [], "its folder is not remembered")


@case
def a_cache_that_can_be_renamed(m):
    """A cache of this user below a folder in which another user can rename is followed by nobody: another one may stand in its place."""
    above = m.folder / "theirs"
    own = above / "deep" / "own"
    command = command_of(m, 2, settings=[f"CUDA_CACHE_PATH={own}"])
    m.run("verify", "--run", *command)
    same(len(Cache(own).entries), 2, "it is there")
    for change in (lambda: os.chown(above, 65534, 65534), lambda: (os.chown(above, 0, 0), above.chmod(0o777))):
        change()
        answer, code = learn(m, *command)
        same((code, states(answer), answer["run"]["own_cache"]), (1, {}, False), "prime --run")
        check(f"the folder above it, {above}, " in answer["why"], answer["why"])
    above.chmod(0o755)
    answer, code = learn(m, *command)
    same((code, answer["run"]["own_cache"]), (0, True), "what no other user can rename is followed")


@case
def root_with_the_home_of_a_user(m):
    """sudo -E, and an older sudo, keep HOME: what root makes in that user's cache closes it to his programs.
    Set-up: root with the home of a user (`sudo -E`) | of root's programs | stops, 1 | of root's programs | of root's programs | starts it"""
    lib, _ = m.library(count=2)
    (m.folder / "root").mkdir()
    env = {"JITWARM_SYSROOT": str(m.folder / "root")}
    os.chown(m.home, 65534, 65534)
    for more, sudo in ({"SUDO_USER": "anna"}, "sudo -u anna jitwarm prime"), ({}, "export HOME=/root && jitwarm prime"):
        answer, code = m.answer("prime", lib, "--as-root", **env, **more)
        same((code, answer["end"], (m.home / ".nv").exists()), (1, "stopped", False), more)
        check("belongs to user 65534" in answer["why"] and answer["todo"][0].startswith(sudo), (answer["why"], answer["todo"]))
        for words in ("prime", lib, "--as-root", "--check"), ("prime", lib, "--check"), ("verify", lib), ("prime", lib), ("prime", lib, "--as-root", "--cache", m.home / ".nv/ComputeCache"):
            line = "sudo -H -u '#65534'" if "--cache" in words and not more else sudo.split(" jitwarm")[0]
            answer, code = m.answer(*words, **env, **more)
            same((code, (m.home / ".nv").exists()), (1, False), words)
            check("belongs to user 65534" in answer["why"] and [a.startswith(line) for a in answer["todo"]] == [True], (words, answer["why"], answer["todo"]))
        text = m.run("status", **env, **more).stdout
        check("belongs to user 65534" in " ".join(text.split()) and re.search(f"^To do +{sudo.split(' &&')[0]}$", text, re.M), text)
    same(m.answer("prime", lib, "--as-root", "--cache", m.folder / "shared", **env)[1], 0, "a cache that is named")
    os.chown(m.folder / "shared", 65534, 65534)
    answer, code = m.answer("prime", lib, "--as-root", "--cache", m.folder / "shared/deep", **env)
    same((code, (m.folder / "shared/deep").exists()), (1, False), "below a folder of that user")
    os.chown(m.home, 0, 0)
    same(m.answer("prime", lib, "--as-root", **env)[1], 0, "root's own")


@case
def an_option_that_names_no_folder(m):
    """--cache took the name of a file, of a link that leads nowhere or of the kernel's files: a wrong option, whatever the verb. A folder that is
    not there yet is one that may be made."""
    lib, _ = m.library(count=1)
    (m.folder / "link").symlink_to(m.folder / "nowhere")
    for cache in lib, m.folder / "link", "/proc/x", "/dev/null":
        for words in (("prime",), ("prime", "--check"), ("verify",), ("status",), ("doctor",), ("prune",)):
            done = m.run(words[0], "--cache", cache, *words[1:])
            same((done.returncode, done.stdout), (2, ""), (words, cache))
            check(f"--cache {cache} " in " ".join(done.stderr.split()) and "To do" not in done.stderr, done.stderr)
    same(m.run("status", "--cache", m.folder / "new").returncode, 1, "a folder that is not there yet")


@case
def a_path_of_links_that_lead_to_each_other(m):
    m.library(count=1)
    (m.folder / "loop").symlink_to("loop")
    for words in ("prime",), ("prime", "--check"), ("verify",):
        done = m.run(*words, m.folder / "loop")
        check(done.returncode == 2 and "loop: the links lead in a circle" in " ".join(done.stderr.split()), (words, done.returncode, done.stderr))


@case
def what_quiet_says_of_a_command_that_crashes(m):
    m.library(count=1)
    done = m.run("prime", "-q", "--run", "sh", "-c", "kill -SEGV $$")
    check(done.returncode and "Nothing was recorded of sh" in done.stderr and "139" in done.stderr, (done.returncode, done.stderr))


@case
def a_command_that_changes_its_user(m):
    """Its processes cannot write to this user's cache: what the driver compiles for them is kept nowhere, and never "nothing"."""
    if not shutil.which("setpriv"):
        raise Skip("there is no setpriv")
    for path in (m.folder, *m.folder.parents):
        if path != pathlib.Path("/tmp") and os.access(path, os.W_OK) and str(path).startswith(tempfile.gettempdir()):
            path.chmod(0o755)
    command = ["setpriv", "--reuid=65534", "--clear-groups", *command_of(m, 2)]
    for verb in ("verify", "prime"):
        done = m.run(verb, "--json", "--run", *command)
        run = json.loads(done.stdout[done.stdout.index("{\n  \"schema"):])["run"]
        same((done.returncode, run["compiled"] in ("compiled", "unknown"), len(m.cache().entries)), (1, True, 0), verb)


@case
def doctor_without_proc(m):
    """A chroot: its own path is that by which it was started."""
    inside = ["unshare", "-Urm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        raise Skip("no namespace of mounts may be made here")
    done = subprocess.run([*inside, *m.command("doctor", "--json")], env=m.env, capture_output=True, text=True)
    same((done.returncode, done.stderr), (1, ""), "it answers")
    answer = json.loads(done.stdout)
    check(answer["driver"]["found"], "the driver was asked")
    check("proc-missing" in [f["id"] for f in answer["findings"]], "what it does not see is said")


@case
def run_as_the_first_process(m):
    """In a container: no signal has its usual effect on the first process, but on its command it has; orphans are reaped."""
    inside = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        raise Skip("no namespace of processes may be made here")
    script = m.folder / "entry.sh"
    script.write_text("#!/bin/sh\n" + " ".join(f"'{word}'" for word in command_of(m, 2))
                      + "\nfor i in 1 2 3; do (sleep 0.1 &); done\nsleep 1\necho orphans $(ps -o stat= ax | grep -c Z)\nexec sleep 600\n")
    script.chmod(0o755)
    run = subprocess.Popen([*inside, *m.command("run", "--", script)], env=m.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "orphans" not in (line := run.stdout.readline()) and line:
        pass
    same(line, "orphans 0\n", "nothing is left unreaped")
    first = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    os.kill(int(first[0]), signal.SIGTERM)
    run.communicate(timeout=60)
    same(run.returncode, 128 + signal.SIGTERM, "exit code")
    same(m.answer("status")[0]["commands"][0]["modules"], 2, "what was loaded by then")


@case
def a_server_that_is_killed(m):
    """A command that runs for long is recorded when its start is over: whatever ends it later, nothing is lost."""
    m.env["JW_TEST_HURRY"] = "5"
    command = [*command_of(m, 2, lines=2000)[:-1], "nap 600000"]
    run = m.start("run", "--", *command)
    for _ in range(400):
        if [c for c in m.answer("status")[0]["commands"] if c["modules"] == 2]:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it was not recorded")
    run.kill()
    run.communicate(timeout=60)
    m.forget_cache()
    run = m.start("run", "--", *command)
    for _ in range(400):
        if len(m.cache(deep=False).records) == 2:
            break
        time.sleep(0.1)
    run.kill()
    run.communicate(timeout=60)
    sound(m, 2)


@case
def an_idle_server(m):
    """Recording reads the cache itself: what jitwarm opens meanwhile is not what the command loads, and is recorded once."""
    same(m.run("verify", "--run", *command_of(m, 8)).returncode, 1, "what other software compiled")
    same(len(m.cache().entries), 8, "its entries")
    command = [*command_of(m, 2, lines=2000)[:-1], "nap 600000"]
    m.env["JW_TEST_HURRY"] = "5"
    run = m.start("run", "--", *command)

    def log():
        return b"".join(path.read_bytes() for path in (m.folder / "state/caches").rglob("warm.log"))

    before = log()
    for _ in range(400):
        if str(command[-2]).encode() in log()[len(before):]:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it was not recorded")
    time.sleep(0.5)
    then = log()
    time.sleep(5)  # twice as long as a start has to be quiet
    same(len(log()), len(then), "nothing was loaded since")
    m.answer("status")
    m.run("status", "--check")
    time.sleep(2.5)
    same(len(log()), len(then), "status opens the entries, and is not the command")
    run.terminate()
    run.communicate(timeout=60)
    shown = {c["command"]: c["modules"] for c in m.answer("status")[0]["commands"]}
    same(shown[shlex.join(map(str, command))], 2, "what it loads")


@contextlib.contextmanager
def while_opened(log, victim):
    """Opens a file each time when another one is opened: inotify, without a library."""
    libc = ctypes.CDLL(None, use_errno=True)
    events, over = libc.inotify_init1(os.O_NONBLOCK), threading.Event()
    check(libc.inotify_add_watch(events, os.fsencode(log), 0x20) >= 0, "inotify")  # IN_OPEN

    def react():
        while not over.is_set():
            if select.select([events], [], [], 0.1)[0] and os.read(events, 65536):
                with open(victim, "rb"):
                    pass

    thread = threading.Thread(target=react)
    thread.start()
    yield
    over.set()
    thread.join()
    os.close(events)


@case
def opened_while_it_is_recorded(m):
    """What a server loads while jitwarm records what it loaded before may be missing: it does not count as known."""
    m.env["JW_TEST_HURRY"] = "5"
    same(m.run("verify", "--run", *command_of(m, 8)).returncode, 1, "what other software compiled")
    victims = {p for p in m.root.glob("?/?/*")}

    def is_watched_again(turn, busy):
        command = [*command_of(m, 2, lines=2000 + turn)[:-1], f"nap {600000 + turn}"]  # one that is not known yet
        m.run("verify", "--run", *command[:-1], "nap 400")
        log, = (m.folder / "state/caches").rglob("warm.log")
        with while_opened(log, min(victims)) if busy else contextlib.nullcontext():
            run = m.start("run", "--", *command)
            check("recording" in run.stderr.readline(), "it is recorded")
            size = log.stat().st_size
            for _ in range(400):
                if log.stat().st_size > size:
                    break
                time.sleep(0.1)
            time.sleep(1)
        run.terminate()
        run.communicate(timeout=60)
        run = m.start("run", "--", *command)
        run.stdout.readline()  # of the command: what jitwarm says before it is said
        run.terminate()
        return "recording" in run.communicate(timeout=60)[1]

    # An open that comes a moment too late is seen, and recorded: then it is tried again.
    check(any(is_watched_again(turn, True) for turn in range(1, 6)), "others opened an entry meanwhile")
    check(not is_watched_again(0, False), "nobody did")


@case
def a_start_that_is_seen_in_part(m):
    """Where no opens can be watched, what was warm before is not seen: the next start is recorded, too, until one was seen whole."""
    inside = ["unshare", "-Ur", "sh", "-c", 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"', "sh"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        raise Skip("no user namespace with limits of its own may be made here")
    same(m.run("verify", "--run", *command_of(m, 1)).returncode, 1, "one module is there before")
    command = command_of(m, 3)

    def modules():
        return [c["modules"] for c in m.answer("status")[0]["commands"] if c["command"] == shlex.join(map(str, command))]

    done = subprocess.run([*inside, *m.command("run", "--", *command)], env=m.env, capture_output=True, text=True)
    same((done.returncode, "recording" in done.stderr, len(m.cache().entries)), (0, True, 3), done.stderr)
    for said in True, False:
        done = m.run("run", "--", *command)
        same((done.returncode, "recording" in done.stderr, modules()), (0, said, [3]), done.stderr)


@case
def ended_while_another_works(m):
    """Who ends a service waits for it: what it loads since the last record is not worth ten seconds."""
    lib, _ = m.library(count=1)
    command = [*command_of(m, 2)[:-1], "nap 600000"]
    run = m.start("run", "--", *command)
    check("recording" in run.stderr.readline(), "it runs")
    for _ in range(400):
        if len(m.cache(deep=False).records) == 2:
            break
        time.sleep(0.05)
    other = m.start("prime", lib, SIMCUDA_FAULTS="slow@1=30000ms")
    for _ in range(400):
        if m.answer("status")[0].get("running"):
            break
        time.sleep(0.05)
    else:
        raise AssertionError("the other one works")
    began = time.monotonic()
    run.terminate()
    run.communicate(timeout=60)
    took = time.monotonic() - began
    check(run.returncode == -signal.SIGTERM and took < 25, f"{run.returncode} after {took:.1f} s")
    other.kill()
    other.communicate(timeout=60)
    same(m.wait_for_silence(), [], "processes")


@case
def run_under_job_control(m):
    """At a terminal: Ctrl-Z stops both, fg continues both, Ctrl-C reaches the command once."""
    script = m.folder / "asked.sh"
    # It starts no process while Ctrl-Z is on its way: a shell that waits in vfork for a stopped child cannot stop itself.
    script.write_text("#!/bin/sh\ntrap 'echo INT; kill $s; exit 5' INT\nsleep 60 &\ns=$!\necho ready\nwhile :; do wait; done\n")
    script.chmod(0o755)
    pid, terminal = os.forkpty()
    if pid == 0:
        os.environ.update(m.env, PS1="", TERM="dumb", LC_ALL="C")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    seen = ""

    def until(word):
        nonlocal seen
        end = time.monotonic() + 60
        while word not in seen:
            check(time.monotonic() < end, f"{word!r} in {seen!r}")
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 4096).decode(errors="replace")
        seen = seen[seen.index(word) + len(word):]

    os.write(terminal, f"stty -echo; {m.opt.tool} run -- {script}\n".encode())
    until("ready")
    os.write(terminal, b"\x1a")
    until("Stopped")
    states = [pathlib.Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()[0] for p in m.processes() if p != pid
              and b"run\0--" in pathlib.Path(f"/proc/{p}/cmdline").read_bytes()]
    # What answers the command's calls goes on: a person may continue the command alone.
    check(sorted(states) in (["T"], ["S", "T"]), f"jitwarm is stopped, too: {states}")
    os.write(terminal, b"fg\n")
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    until("INT")
    os.write(terminal, b"echo code=$?\n")
    until("code=5")
    os.write(terminal, b"exit\n")
    os.waitpid(pid, 0)
    check("INT" not in seen, "once")


@case
def damaged_orphans(m):
    """An index that was lost is rebuilt from the whole entries; those that are damaged besides are compiled again."""
    lib, _ = m.library(count=8)
    m.answer("prime", lib)
    for name in sorted(m.cache().entries)[:2]:
        m.damage(name)
    (m.root / "index").unlink()
    answer, code = m.answer("prime", lib)
    same((code, states(answer), m.cache().whole()), (0, {"warm": 6, "warmed": 2}, []), "repaired")


class Cgroup:
    """A group with so much memory, below the one that we are in; version 2 or 1."""

    def __init__(self, limit):
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        one = next((path for _, names, path in lines if "memory" in names.split(",")), None)
        two = next((path for _, names, path in lines if not names), "/")
        base = pathlib.Path("/sys/fs/cgroup") / ("memory" + one if one else two.lstrip("/"))
        self.path = base / f"jitwarm-proof-{os.getpid()}-{time.monotonic_ns()}"
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


@case
def nothing_is_left_behind(m):
    """What any verb keeps in the state folder, uninstall removes: the folder itself goes. So does what a killed write left there."""
    state, packs, elsewhere = m.folder / "state", m.folder / "packs", dict(CUDA_CACHE_PATH=str(m.folder / "other"))
    lib, _ = m.library(count=2)
    source = m.folder / "k.cu"
    source.write_text('extern "C" __global__ void jw_canary_k_5(unsigned long *out, unsigned x) {}\n')
    (m.folder / "cuda" / "lib64").mkdir(parents=True)
    shutil.copy(m.opt.sim.parent / "libnvrtc-sim.so", m.folder / "cuda" / "lib64" / "libnvrtc.so.13")
    pack, kernels = m.folder / "a.tar.zst", m.folder / "kernels"
    kernels.mkdir()
    (kernels / "k.cubin").write_text("what CuPy made")
    m.env["CUPY_CACHE_DIR"] = str(kernels)
    engine = ["sh", "-c", f"cat '{kernels}/k.cubin' && exec \"$@\"", "sh", *command_of(m, 1)]
    for words in (["prime", lib, source], ["prime", "--run", *command_of(m, 1)], ["prime", "--run", *engine], ["prime"], ["doctor", "--probe"], ["scan"],
                  ["export", "-o", pack], ["push", packs]):
        done = m.run(*words, CUDA_HOME=str(m.folder / "cuda"))
        check(done.returncode in (0, 1), f"{words}: {done.stdout}{done.stderr}")
    for words in (["import", pack, "--allow-unsigned", "--everything"], ["pull", packs, "--allow-unsigned", "--everything"]):
        done = m.run(*words, **elsewhere)
        same(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
    m.run("prime", lib, "--gpu", "sm_90", "--pack", str(m.folder / "absent"))
    kept = {p.relative_to(state).parts[0] for p in state.rglob("*")}
    check({"caches", "drivers", "layers", "sources", "walks", "kits"} <= kept, kept)
    for half in (".packs-seen.jw-{}.tmp", "layers/.x.jw-{}.tmp", "drivers/.x.jw-{}.tmp", "kits/.x.jw-{}.tmp"):
        (state / half.format("0000000a-4194301-0")).write_text("half")
        os.utime(state / half.format("0000000a-4194301-0"), (0, 0))
    (state / "jitwarm-work-0000000a-4194301-0").mkdir()
    os.utime(state / "jitwarm-work-0000000a-4194301-0", (0, 0))
    (kernels / "jitwarm-kit-0000000a-4194301-0").mkdir()
    os.utime(kernels / "jitwarm-kit-0000000a-4194301-0", (0, 0))
    (state / "absent-gpus" / "0").mkdir(parents=True, exist_ok=True)
    (state / "absent-gpus" / "0" / "entry").write_text("code for a GPU that is not here")
    lock = state / "layers" / "lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()  # whether a pull is at work cannot be seen
    done = m.run("uninstall", "--yes")
    check(any(state.glob("layers/*.done")) and f"{lock}: is a folder" in " ".join((done.stdout + done.stderr).split()), done.stdout + done.stderr)
    lock.rmdir()
    done = m.run("uninstall", "--yes")
    same((done.returncode, sorted(map(str, state.rglob("*"))), state.exists()), (0, [], False), done.stdout + done.stderr)
    same([p.name for p in kernels.iterdir()], ["k.cubin"], "what an engine made stays, and what a killed import left there goes")


MANY = """import pathlib, struct, subprocess, sys
root, n, program = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
subprocess.run(program, check=True)
def fnv(data, h=0xcbf29ce484222325):
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return h
sample = next(root.glob("?/?/*")).read_bytes()
size, = struct.unpack_from("<Q", sample, 4)
key, payload = sample[28:28 + size], sample[28 + size:]
begun, code, records = fnv(key), fnv(payload), []
for i in range(n):
    more = b"--maxrregcount %d" % i
    name = fnv(more, begun)
    folder = root / f"{name:016x}"[0] / f"{name:016x}"[1]
    if not folder.exists():
        folder.mkdir(parents=True)
    (folder / f"{name:016x}"[2:]).write_bytes(struct.pack("<IQQQ", 0x41, size + len(more), len(payload), code) + key + more + payload)
    records.append((name, size + len(more) + len(payload)))
with open(root / "index", "r+b") as index:
    old = index.read()
    index.write(b"".join(struct.pack("<QQ", *r) for r in records))
    index.seek(4)
    index.write(struct.pack("<IQ", struct.unpack_from("<I", old, 4)[0] + n, struct.unpack_from("<Q", old, 8)[0] + sum(r[1] for r in records)))
"""


@case
def a_command_that_writes_very_many_entries(m):
    """A program that makes 100,000 variants of a kernel: all are counted, and what is recorded of it is whole."""
    n = 100000
    command = [sys.executable, "-c", MANY, m.root, n, *command_of(m, 2)]
    done = m.run("verify", "--json", "--run", *command)
    run = json.loads(done.stdout[done.stdout.index("{\n  \"schema"):])["run"]
    same((done.returncode, run["compiled"], run["new_entries"]), (1, "compiled", n + 2), "verify --run")
    m.forget_cache()
    done = m.run("run", "--", *command)
    same(done.returncode, 0, f"run: {done.stderr}")
    same([c["modules"] for c in m.answer("status")[0]["commands"]], [n + 2], "what is recorded")
    same(len(m.cache(deep=False).entries), n + 2, "entries")
