#!/usr/bin/env python3
"""prune_proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY

`jitwarm prune` on the simulated driver: kills at any instant, failing system calls, programs that
use the cache meanwhile, full disks, hostile folders. Nothing here is about hardware. Caches are
read by code that is not the tool's. Each case is a function below; `list` prints their names. Exit
77: the case cannot be tried here.
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

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "rigs")]
import packs  # noqa: E402
from cases import Cases, check, failing_calls, finish, same  # noqa: E402
from grounds import (  # noqa: E402
    contents, count_calls, mounted, need_root, NOBODY, Repeated, swapping, texts, untouched, User,
    words)

case = Cases()
HOUR = 3600
OLD_STAMP = "Feb  3 2024 41:02:03"


def stamp_in(data):
    return data[28:47].decode("latin-1")


def age(folder, seconds):
    """Everything below was written so long ago."""
    then = time.time() - seconds
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name != "index":
            os.utime(path, (then, then))


def packs_of(m):
    """This user's packs."""
    return m.home / ".local/share/jitwarm/packs"


def sound(m, n):
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same([f"{h:016x}" for h, _ in cache.records if h not in cache.entries], [],
         "records without a file")
    same(len(cache.entries), n, "entries")
    same(m.wait_for_silence(), [], "processes left behind")


class Trial(Repeated):
    """A cache in which an old driver build's entries lie between those of this machine's."""

    def __init__(self, m, count=40, dead=60):
        self.m = m
        self.lib, _ = m.library("first/first.so", count=count, least=300, most=3000)
        self.second, _ = m.library("second/second.so", count=count, least=300, most=3000, seed=5)
        old, _ = m.library("old/old.so", count=dead, least=300, most=3000, seed=9)
        for lib, env in ((self.lib, {}), (old, m.another_build(OLD_STAMP)), (self.second, {})):
            answer, code = m.answer("prime", lib, **env)
            same((code, answer["answer"]["is"]), (0, "warm"), f"prime {lib.name}")
        (m.folder / "libcuda.so.999.1").unlink()  # no program loads it any more
        files = packs.files_of(m.root)
        now = stamp_in(files[next(iter(files))])
        stamps = {stamp_in(d) for d in files.values()}
        same(len(stamps), 2, "driver builds in the cache")
        old_stamp = next(s for s in stamps if s.startswith("Feb  3 2024"))
        now = next(s for s in stamps if s != old_stamp)
        self.dead = {n: d for n, d in files.items() if stamp_in(d) == old_stamp}
        self.kept = {n: d for n, d in files.items() if stamp_in(d) == now}
        same((len(self.dead), len(self.kept) > count), (dead, True), "entries")
        self.times = {n: (m.root / n).stat().st_mtime_ns for n in self.kept}
        self.order = [
            h for h, _ in m.cache().records
            if f"{h:016x}"[0] + "/" + f"{h:016x}"[1] + "/" + f"{h:016x}"[2:] in self.kept
        ]
        self.copies = [(m.root, m.folder / "cache-as-it-was"),
                       (m.folder / "state", m.folder / "state-as-it-was")]
        for path, copy in self.copies:
            shutil.copytree(path, copy, symlinks=True)
        self.args = ("prune", "--yes", "--no-pack")

    def reset(self):
        for path, copy in self.copies:
            shutil.rmtree(path)
            shutil.copytree(copy, path, symlinks=True)
        shutil.rmtree(packs_of(self.m), ignore_errors=True)

    def problems(self):
        """What no prune may leave behind, however it ended."""
        cache = self.m.cache(deep=False)  # every byte is compared below
        out = list(cache.problems)
        recorded = [h for h, _ in cache.records]
        out += [
            f"{h:016x} is recorded, and no such entry is there" for h, s in cache.records
            if cache.entries.get(h) != s
        ]
        there = packs.files_of(self.m.root)
        for name, data in self.kept.items():
            if there.pop(name, None) != data or (self.m.root /
                                                 name).stat().st_mtime_ns != self.times[name]:
                out.append(f"{name}, which is alive, was touched")
        out += [
            f"{n} is neither what it was nor gone" for n, d in there.items()
            if self.dead.get(n) != d
        ]
        seen = [h for h in recorded if h in set(self.order)]
        if seen != self.order[:len(seen)]:
            out.append("records of living entries are in another order")
        lost = set(self.order) - set(recorded)
        out += [f"{h:016x} is alive, and has no record" for h in lost]
        known = {"index", *self.kept, *self.dead}
        out += [
            f"{p} is in the cache, and is no entry" for p in (str(q.relative_to(self.m.root))
                                                              for q in self.m.root.rglob("*")
                                                              if q.is_file()) if p not in known
        ]
        return out

    def next_run_goes_on(self):
        answer, code = self.m.answer(*self.args)
        same((code, answer["result"] in ("done", "nothing")), (0, True),
             f"the next run: {answer['why']}")
        same(self.problems(), [], "the cache after the next run")
        same(packs.files_of(self.m.root), self.kept, "what is left")
        same([h for h, _ in self.m.cache(deep=False).records], self.order,
             "the index, in its old order")
        same(self.m.leftovers(), [], "what should be gone")


# ---- what it does ----

@case
def old_and_current(m):
    """Shown, then done: the old entries are in a pack that is signed, and the others are untouched;
    where no driver is known, nothing is old."""
    trial = Trial(m)
    before = contents(m.root)
    answer, code = m.answer("prune")
    same((code, answer["result"], answer["removable"], answer["removed"]), (7, "consent", 60, 0),
         f"listed: {answer}")
    same(contents(m.root), before, "the cache, so far")
    answer, code = m.answer("prune", "--yes")
    same((code, answer["result"], answer["removed"], answer["not_saved"]), (0, "done", 60, 0),
         f"done: {answer}")
    same(packs.files_of(m.root), trial.kept, "what is left")
    same([h for h, _ in m.cache().records], trial.order, "the index, in its old order")
    pack, = answer["saved"]
    listed = subprocess.run(["tar", "--zstd", "-tf", pack], capture_output=True, text=True,
                            check=True).stdout.split()
    same(listed,
         sorted("cache/" + n for n in trial.dead) + ["jitwarm/manifest.json"],
         "the pack of the old ones")
    same(
        subprocess.run(["tar", "--zstd", "-xOf", pack, "cache/" + sorted(trial.dead)[0]],
                       capture_output=True, check=True).stdout, trial.dead[sorted(trial.dead)[0]],
        "an entry in it, to the byte")
    same(m.answer("prune", "--yes")[0]["result"], "nothing", "once more")
    trial.reset()
    shutil.rmtree(m.folder / "state" / "drivers")
    answer, code = m.answer("prune", "--yes", JITWARM_DRIVER="/no-such-folder/libcuda.so.1")
    same((code, answer["result"], "is not known" in words(answer)), (0, "nothing", True),
         f"no driver: {answer}")


def cut_off(path):
    """As a machine that lost its power leaves an entry."""
    os.truncate(path, 100)
    os.utime(path, (time.time() - 50 * HOUR,) * 2)


@case
def what_prune_saved_is_used(m):
    """Back on the old driver, prime takes the pack that prune saved: it compiles nothing, and the
    entries are those of before."""
    lib, _ = m.library(count=30, least=300, most=3000)
    update = m.another_build("Feb  3 2027 41:02:03")
    same(m.answer("prime", lib)[1], 0, "prime")
    before = packs.files_of(m.root)
    same(m.answer("prime", lib, **update)[1], 0, "prime after the update")
    updated = {n: d for n, d in packs.files_of(m.root).items() if n not in before}
    hidden = dict(update, JITWARM_DRIVER=update["JITWARM_DRIVER"])
    answer, code = m.answer("prune", "--yes", **hidden)
    same((code, answer["removed"]), (0, 0), "the other driver's library is here: nothing is old")
    check("30 entries of driver" in words(answer) and m.env["JITWARM_DRIVER"] in words(answer),
          f"and that is said: {answer}")
    real = pathlib.Path(m.env["JITWARM_DRIVER"])
    moved = m.folder / "moved"
    moved.mkdir()
    shutil.copy(real, moved)
    shutil.copy(real.parent / "libnvidia-ptxjitcompiler.so.1", moved)
    m.env["JITWARM_DRIVER"] = str(
        moved / real.name)  # from here on the old driver is a file that can go
    same(m.answer("prime", lib)[1], 0, "prime with it")
    (moved / real.name).rename(moved / "away")
    forget_drivers_but(m, update)
    answer, code = m.answer("prune", "--yes", **update)
    same((code, answer["removed"], packs.files_of(m.root)), (0, 30, updated), f"prune: {answer}")
    answer, code = m.answer("prime", lib, **update)
    same((code, answer["compiled"], packs.files_of(m.root)), (0, 0, updated),
         "the pack is not for the new driver")
    (moved / "away").rename(moved / real.name)
    answer, code = m.answer("prime", lib)
    check("30 entries were imported" in words(answer), f"back on the old driver: {answer}")
    same((code, answer["compiled"]), (0, 0), "prime compiled nothing")
    same(packs.files_of(m.root), {**updated, **before}, "to the byte")
    sound(m, 30 + len(updated))


@case
def packs_of_others_stay(m):
    """What prune saves replaces no pack of another signer, though both have the same entries; nor
    one that has more of them."""
    for seed in 1, 2:
        m.answer("prime", m.library(f"lib{seed}.so", count=3, seed=seed)[0])
    key, folder = m.folder / "lab.key", packs_of(m)
    folder.mkdir(parents=True)
    m.run("key", "--new", key, "--no-passphrase")
    for entries in 6, 5:
        same(
            m.run("export", "--sign", key, "-o", folder).returncode, 6 - entries,
            f"export of {entries}")
        same(len(contents(folder)), 7 - entries, f"packs with {entries} entries")
        if entries == 6:
            m.damage(next(iter(m.cache().entries)))
    there = contents(folder)
    answer, code = m.answer("prune", "--whole-cache", "--yes")
    same((code, answer["not_saved"], len(answer["saved"])), (0, 0, 1), f"prune: {answer}")
    same({p: contents(folder)[p] for p in there}, there, "the packs of lab.key")


def forget_drivers_but(m, env):
    """The records of driver builds, but of the one that is met now."""
    shutil.rmtree(m.folder / "state" / "drivers", ignore_errors=True)
    m.answer("status", **env)
    m.run("status", **env)


@case
def damaged(m):
    """Torn files, a flipped byte, an orphan, a record of nothing, a stranger's file: each as it is
    reported."""
    lib, _ = m.library(count=20, least=300, most=3000)
    m.answer("prime", lib)
    names = sorted(packs.files_of(m.root))
    torn, empty, flipped, gone = (m.root / n for n in names[:4])
    torn.write_bytes(torn.read_bytes()[:-9])
    empty.write_bytes(b"")
    data = bytearray(flipped.read_bytes())
    data[-5] ^= 0xFF
    flipped.write_bytes(data)
    gone.unlink()
    (m.root / "a file of somebody").write_text("mine")
    (m.root / "0" / "notes").mkdir(parents=True, exist_ok=True)
    (m.root / "0" / "notes" / "x").write_text("mine, too")
    answer, code = m.answer("prune", "--yes")
    same((code, answer["removed"]), (0, 0), "they may still be being written")
    age(m.root, 2 * HOUR)
    answer, code = m.answer("prune", "--yes")
    same((code, answer["removed"]), (0, 3), f"damaged: {answer}")
    sound(m, 16)
    same([(m.root / n).read_text() for n in ("a file of somebody", "0/notes/x")],
         ["mine", "mine, too"], "what is no entry")
    (m.root / "index").write_bytes(struct.pack("<IIQ", 0x41, 0,
                                               0))  # programs find entries without records, too
    age(m.root, 30 * HOUR)
    same(m.answer("prune", "--yes")[0]["result"], "nothing", "without records")
    behind = m.root / names[5]
    behind.write_bytes(b"torn")
    os.utime(behind, (1, 1))
    behind.parent.rename(m.folder / "moved")
    behind.parent.symlink_to(m.folder / "moved")
    answer = m.answer("prune", "--yes")[0]
    same((answer["result"], answer["notes"]), ("nothing", []),
         "behind a link it is kept, whatever its age is")


# ---- kills ----

@case
def prune_kills(m):
    """kill -9 at a random instant; and, where there is strace, at a random system call of the
    tool."""
    trial = Trial(m)
    rng = random.Random(m.opt.seed)
    length = trial.length()
    calls, first, last = count_calls(trial, ("pwrite64", "ftruncate", "unlinkat"))
    hit = {"before": 0, "within": 0, "after": 0}
    for i in range(m.opt.rounds):
        trial.args = ("prune", "--yes", *(("--no-pack",) if i % 5 else ()))
        if rng.random() < 0.9:
            trial.reset()
        if calls and i % 5 and i % 2:  # every other one of these while the index changes
            at = rng.randrange(len(calls)) if i % 4 == 1 else rng.randrange(first, last + 1)
            what = f"round {i}, {trial.killed_at(calls[at], calls[:at + 1].count(calls[at]))}"
        else:
            after = rng.uniform(0, length * (1 if i % 5 else 2))
            what = f"round {i}, {trial.signalled(signal.SIGKILL, after)[0]}"
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        same(trial.problems(), [], what)
        left = len(packs.files_of(m.root)) - len(trial.kept)
        if m.opt.verbose:
            print(f"  {what}: {left} dead ones are left")
        hit["before" if left == len(trial.dead) else "within" if left else "after"] += 1
        if i % 10 == 9:
            trial.next_run_goes_on()
    trial.next_run_goes_on()
    answer, code = m.answer("prime", trial.lib)
    same((code, answer["compiled"]), (0, 0), "prime afterwards")
    print(f"  {m.opt.rounds} kills: {hit}")


@case
def interrupted(m):
    Trial(m, count=60, dead=400).interrupted(8)


@case
def syscalls(m):
    """Each system call of a prune of a small cache fails in turn; or --rounds of them."""
    trial = Trial(m, count=4, dead=6)
    trial.args, saved = ("prune", "--yes"), m.home / ".local/share/jitwarm/packs"
    trial.reset()
    for what, code, _ in failing_calls(
            m, lambda: trial.args, lambda:
        (shutil.rmtree(saved, ignore_errors=True), trial.reset())):
        same(trial.problems(), [], f"{what} (exit {code})")
        packed = [
            n for p in saved.glob("*.tar.zst") for n in subprocess.run(
                ["tar", "--zstd", "-tf", p], capture_output=True, text=True).stdout.split()
        ]
        same([n for n in trial.dead if not (m.root / n).exists() and f"cache/{n}" not in packed],
             [], f"{what} (exit {code}): gone, and in no pack")
        trial.next_run_goes_on()


# ---- crowds ----

@case
def beside_programs(m):
    """4 programs compile into the cache, and load from it, while prune after prune goes over it."""
    lib, _ = m.library(count=300, least=300, most=3000)
    m.answer("prime", lib)
    names = sorted(packs.files_of(m.root))
    all_texts = texts(m, 32)
    programs = [
        subprocess.Popen([
            m.opt.play, m.opt.sim, "init", "ctx 0",
            *(w for k in range(8 * i, 8 * i + 8) for w in (f"load {all_texts[k]}", f"fn only{k}"))
        ], env=dict(m.env, SIMCUDA_COST="0+60"), stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL) for i in range(4)
    ]
    gone = 0
    for i in range(6):
        for name in names[50 * i:50 * i + 50]:
            cut_off(m.root / name)
        answer, code = m.answer("prune", "--yes")
        same((code, answer["result"]), (0, "done"), f"prune {i}: {answer['why']}")
        gone += answer["removed"]
    for program in programs:
        same(program.wait(120), 0, "a program")
    same(gone, 300, "entries that went")
    sound(m, 32)  # nothing that a program compiled meanwhile was lost


@case
def crowd(m):
    """8 prunes at once, and a prime: one at a time works, the others say so."""
    trial = Trial(m)
    runs = [m.start(*trial.args, "--json") for _ in range(8)]
    codes = []
    for run in runs:
        out, err = run.communicate(timeout=120)
        codes.append(run.returncode)
        check(
            run.returncode == 0
            or (run.returncode == 7 and "another jitwarm" in json.loads(out)["why"]),
            f"{run.returncode}: {out[:400]} {err}")
    check(0 in codes, "one of them did it")
    trial.next_run_goes_on()


# ---- hostile folders ----

@case
def hostile_root(m):
    """Links at each level, a fifo, a folder where an entry should be: nothing behind them is
    touched."""
    lib, _ = m.library(count=40, least=300, most=900)
    args = ("prune", "--whole-cache", "--yes", "--no-pack")

    def again():
        m.forget_cache()
        m.answer("prime", lib)
        age(m.root, 2 * HOUR)
        return sorted(packs.files_of(m.root))

    names = again()
    first, second, last = names[0].split("/")
    victim = m.folder / "victim"
    for what, path in (("the first level", first), ("the second level", f"{first}/{second}")):
        again()
        shutil.rmtree(victim, ignore_errors=True)
        (m.root / path).rename(victim)
        (m.root / path).symlink_to(victim)
        with untouched(victim, f"{what} is a link"):
            answer, code = m.answer(*args)
        check(code in (0, 1), f"{what}: exit {code}")
        check(
            all(
                str(p.relative_to(m.root)).startswith(path) for p in m.root.rglob("?" * 14)
                if p.is_file()), f"{what}: the others went")
    again()
    (m.root / names[0]).unlink()
    outside = m.folder / "outside"
    outside.write_text("not yours")
    (m.root / names[0]).symlink_to(outside)
    os.mkfifo(m.root / first / second / ("f" * 14))
    (m.root / first / second / ("e" * 14)).mkdir()
    answer, code = m.answer(*args)
    check(code in (0, 1), f"an entry that is a link: exit {code}: {answer['why']}")
    same((outside.read_text(), (m.root / names[0]).is_symlink()), ("not yours", True),
         "what a link shows to")
    check((m.root / first / second / ("f" * 14)).exists()
          and (m.root / first / second / ("e" * 14)).is_dir(), "what is no entry stays")
    # The index itself.
    again()
    index = m.folder / "index-elsewhere"
    (m.root / "index").rename(index)
    (m.root / "index").symlink_to(index)
    before = index.read_bytes()
    answer, code = m.answer(*args)
    same(index.read_bytes(), before, "an index that is a link")
    check(code in (0, 1, 4), f"exit {code}")
    # The root: here the user says which folder, and a link is his.
    again()
    elsewhere = m.folder / "elsewhere"
    m.root.rename(elsewhere)
    m.root.symlink_to(elsewhere)
    answer, code = m.answer(*args)
    same((code, answer["removed"]), (0, 40), f"a root that is a link: {answer['why']}")


@case
def foreign_owners(m):
    """Folders of another user, at each level: what is there is his."""
    need_root()
    lib, _ = m.library(count=20, least=300, most=900)
    args = ("prune", "--whole-cache", "--yes", "--no-pack")
    for what, depth in (("the root", 0), ("the first level", 1), ("the second level", 2)):
        m.forget_cache()
        m.answer("prime", lib)
        age(m.root, 2 * HOUR)
        name = sorted(packs.files_of(m.root))[0]
        folder = m.root.joinpath(*name.split("/")[:depth])
        os.chown(folder, NOBODY, NOBODY)
        before = sorted(p for p in folder.rglob("?" * 14))
        answer, code = m.answer(*args)
        check(code in (1, 4), f"{what}: exit {code}")
        check("is owned by" in (answer["why"] or ""), f"{what}: {answer['why']}")
        same(sorted(p for p in folder.rglob("?" * 14)), before, f"{what}: what is there")


@case
def swapped_during_prune(m):
    """Another process keeps changing folders of the cache for links to another one while entries
    are removed."""
    lib, _ = m.library(count=150, least=300, most=900)
    m.answer("prime", lib)
    age(m.root, 2 * HOUR)
    keep, victim = m.folder / "as-it-was", m.folder / "victim"
    for copy in keep, victim:
        shutil.copytree(m.root, copy)
    os.chmod(victim, 0o700)
    before = contents(victim)
    codes = []
    for _ in range(6):
        m.forget_cache()
        shutil.copytree(keep, m.root)
        with swapping(m.root, lambda name: victim / name):
            answer, code = m.answer("prune", "--whole-cache", "--yes", "--no-pack")
        check(code in (0, 1, 4), f"exit {code}: {answer['why']}")
        codes.append(code)
        same(contents(victim), before, "the folder behind the links")
    print(f"  exit codes while folders were swapped: {codes}")


# ---- full disks, rights ----

@case
def full_disk(m):
    """No room for the pack, for our memory, or in the cache itself."""
    trial = Trial(m)
    with mounted(m.folder / "small", "size=64k,mode=700") as small:
        (small / "filler").write_bytes(bytes(60 << 10))
        with untouched(m.root, "no room for the pack"):
            answer, code = m.answer("prune", "--yes", XDG_DATA_HOME=str(small))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check("--no-pack" in answer["why"] and str(small) in answer["why"], answer["why"])
        same(list(small.rglob("*.zst")), [], "half a pack")
    with mounted(m.folder / "state2", "size=256k,mode=700") as state:
        shutil.copytree(m.folder / "state" / "drivers", state / "drivers")
        room = os.statvfs(state)
        (state / "filler").write_bytes(bytes(room.f_bavail * room.f_frsize))
        answer, code = m.answer(*trial.args, JITWARM_STATE=str(state))
        check(code in (0, 4), f"no room for our memory: exit {code}, {answer['why']}")
        same(trial.problems(), [], "no room for our memory")
    trial.reset()
    # The disk of the cache is full: removing needs no room there.
    with mounted(m.folder / "cache2", "size=4m,mode=700") as disk:
        root = disk / "ComputeCache"
        shutil.copytree(m.root, root)
        os.chmod(root, 0o700)
        room = os.statvfs(disk)
        (disk / "filler").write_bytes(bytes(room.f_bavail * room.f_frsize))
        answer, code = m.answer(*trial.args, CUDA_CACHE_PATH=str(root))
        same((code, answer["result"], answer["removed"]), (0, "done", 60), answer["why"])
        same(packs.files_of(root), trial.kept, "what is left on the full disk")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        time.sleep(2.1)  # until all that is kept is older than a second, in whole seconds
        answer, code = m.answer("prune", "--whole-cache", "--yes", "--no-pack",
                                CUDA_CACHE_PATH=str(root))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check("read-only" in answer["why"].lower(), answer["why"])
        same(packs.files_of(root), trial.kept, "a disk that is read-only")


@case
def no_rights(m):
    """As a user who may not change a folder of his cache."""
    need_root()
    os.chmod(m.folder, 0o755)
    u = User(m.opt, m.folder / "user", 10003)
    u.library("lib.so", count=12)
    u.give()
    same(u.answer("prime", "lib.so")[1], 0, "prime")
    age(u.root, 2 * HOUR)
    name = sorted(packs.files_of(u.root))[0]
    folder = (u.root / name).parent
    os.chmod(folder, 0o500)
    answer, code = u.answer("prune", "--whole-cache", "--yes", "--no-pack")
    same((code, answer["result"]), (1, "partly"), answer["why"])
    check("denied" in answer["why"] and str(u.root) in answer["why"], answer["why"])
    check((u.root / name).exists(), "what could not be removed is there")
    same(u.cache().problems, [], "the cache")
    os.chmod(folder, 0o700)
    os.chmod(u.root / "index", 0o400)
    answer, code = u.answer("prune", "--whole-cache", "--yes", "--no-pack")
    same((code, answer["result"]), (4, "cannot-write"), answer["why"])
    check("denied" in answer["why"] and "index" in answer["why"], answer["why"])


@case
def everything(m):
    """--all: the cache is empty, its whole entries are in packs, one for each driver, and what was
    primed is still known."""
    trial = Trial(m)
    before = contents(m.root)
    answer, code = m.answer("prune", "--whole-cache")
    same((code, answer["result"]), (7, "consent"), "without --yes")
    same(contents(m.root), before, "the cache")
    answer, code = m.answer("prune", "--whole-cache", "--yes")
    same((code, answer["result"], answer["removed"], len(answer["saved"])),
         (0, "done", len(trial.kept) + 60, 2), f"--all: {answer}")
    sound(m, 0)
    same(m.answer("prune", "--whole-cache", "--yes")[0]["result"], "nothing", "once more")
    answer, code = m.answer("prime", trial.lib, trial.second)
    same((code, answer["compiled"], packs.files_of(m.root)), (0, 0, trial.kept),
         f"prime takes it back: {answer}")


if __name__ == "__main__":
    finish(case, __doc__, 0)
