#!/usr/bin/env python3
"""prime.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY [--rounds N] [--call
NAME:NUMBER]

prime on the simulated driver, and all that can go wrong around it. After each failure the cache
holds no torn entry and every entry that it held before, no process is left, and the next prime does
the rest.
"""
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rigs"))
from cases import Cases, check, failing_calls, finish, killed, same, small_disk  # noqa: E402

case = Cases()
COUNT = 60


def primed_path(m, lib):
    """Is it a root? Of status, in JSON."""
    return str(lib) in [r["what"] for r in m.answer("status")[0].get("remembered", [])]


def is_sound(m, before, what):
    """Nothing torn, nothing lost, nobody left."""
    same(m.wait_for_silence(), [], f"{what}: processes left behind")
    cache = m.cache(deep=False)
    same(cache.problems, [], f"{what}: the cache")
    lost = set(before) - set(cache.entries)
    check(not lost, f"{what}: {len(lost)} entries were lost")
    return cache.entries


def completes(m, lib, count=COUNT):
    """The next prime makes all of it warm, and leaves nothing but the cache and its memory."""
    cold = len(m.cache(deep=False).entries) < count
    answer, code = m.answer("prime", "--as-root", "--yes", lib)
    same((code, answer["answer"]["is"], answer["answer"]["warm"], not cold
          or answer["proof"]["proven"]), (0, "warm", count, True), "the next prime")
    cache = m.cache()
    same((cache.whole(), len(cache.entries)), ([], count), "the cache")
    check(primed_path(m, lib), "the path is a root")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")


@case
def kills(m):
    """prime, or a process of it, is killed at a random instant, again and again: from its start,
    and where it was."""
    lib, _ = m.library(count=COUNT, least=2000, most=20000)
    chance, before = random.Random(m.opt.seed), {}
    m.answer("doctor")

    def reset():
        before.clear()
        if chance.random() < 0.3 or len(m.cache(deep=False).entries) == COUNT:
            m.forget_cache()
        before.update(m.cache(deep=False).entries)

    for n, what in enumerate(
            killed(m, ("prime", "--as-root", "--yes", "--json", "--jobs", "2", lib), chance,
                   m.opt.rounds, reset, SIMCUDA_COST="0+40")):
        after = is_sound(m, before, what)
        if len(after) > len(
                before):  # it had begun to compile, so what it was asked for was written
            check(primed_path(m, lib), f"{what}: it compiled, and the path is no root")
        if n % 20 == 19:
            completes(m, lib)
    completes(m, lib)


@case
def syscalls(m):
    """Each system call of prime fails in turn: it ends with a sentence, the cache is sound, and the
    next prime completes."""
    lib, _ = m.library(count=4, least=500, most=900)
    answer, code = m.answer("prime", "--as-root", "--yes", "--jobs", "1", lib)
    same((code, answer["answer"]["is"]), (0, "warm"), "in peace")
    done = 0
    for what, code, _ in failing_calls(m, lambda:
                                       ("prime", "--as-root", "--yes", "--jobs", "1", lib),
                                       m.forget_cache):
        is_sound(m, [], what)
        if code == 0:
            same(len(m.cache().entries), 4, f"{what}: it says that all is warm")
        done += 1
        if done % 10 == 0:
            completes(m, lib, 4)
    completes(m, lib, 4)


@case
def modules(m):
    """Modules on which the driver crashes, hangs or fails: they are named cold, the others are
    warm, and the cache is sound."""
    lib, entries = m.library(count=100, least=2000, most=20000)
    m.answer("prime", "--as-root", "--yes", lib)
    names = sorted(f"{n:016x}" for n in m.cache().entries)
    m.forget_cache()
    faults = [
        f for f in ("crash", "kill", "exit", "hang", "spin", "oom", "badptx", "enospc", "short")
        for _ in range(2)
    ]
    drawn = random.Random(m.opt.seed).sample(names, len(faults))
    conf = m.home / ".config/jitwarm/jitwarm.conf"
    conf.parent.mkdir(parents=True, exist_ok=True)
    conf.write_text("timeout = 3\n")
    script = " ".join(f"{fault}@{name[:12]}" for fault, name in zip(faults, drawn))
    answer, code = m.answer("prime", "--as-root", "--yes", lib, SIMCUDA_FAULTS=script, timeout=600)
    same((code, answer["answer"]["is"], answer["answer"]["warm"]), (1, "cold", 100 - len(faults)),
         "with them")
    cache = m.cache()
    same((cache.whole(), len(cache.entries)), ([], 100 - len(faults)), "the cache")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    check(all(int(name, 16) not in cache.entries for name in drawn), "these are not there")
    # What the driver refused is not tried again before it changes; --retry does.
    answer, code = m.answer("prime", "--as-root", "--yes", lib)
    same((code, answer["answer"]["is"]), (1, "cold"), "again")
    refused = sum(job["state"] == "skipped" for job in answer["jobs"])
    check(refused >= 10, f"{refused} are refused")
    answer, code = m.answer("prime", "--as-root", "--yes", "--retry", lib)
    same((code, answer["answer"]["warm"]), (0, 100), "--retry")


@case
def disks(m):
    """The file system of the cache is full, at several sizes: what is there stays, nothing is torn,
    and with room it completes."""
    lib, _ = m.library(count=24, least=20000, most=60000)
    before, codes = {}, []
    with small_disk(m, "size=64k") as resize:
        for kilobytes in [64] + [1500 + n * 800 // m.opt.rounds
                                 for n in range(m.opt.rounds)]:  # none, then room for most
            resize(f"{kilobytes}k")
            done = m.run("prime", "--as-root", "--yes", lib)
            says = done.returncode != 4 or re.search(
                "(The cache's disk has no room|the next run).*To do", done.stdout, re.S)
            check(done.returncode in (0, 1, 4, 7) and says,
                  f"{kilobytes} kB: exit {done.returncode}: {done.stdout} {done.stderr}")
            codes.append(done.returncode)
            before = is_sound(m, before, f"{kilobytes} kB")
        resize("200m")
        completes(m, lib, 24)
    with small_disk(m, "size=200m,nr_inodes=60"):  # much room, and hardly an inode
        done = m.run("prime", "--as-root", "--yes", lib)
        check(done.returncode == 4
              and "no space or no inode is free" in " ".join(done.stdout.split()),
              f"exit {done.returncode}: {done.stdout} {done.stderr}")
    print(f"  {len(codes)} full disks, exit codes { {c: codes.count(c) for c in set(codes)} }")


def prepare(m):
    os.environ.setdefault("PACK_ARCH", os.uname().machine)


if __name__ == "__main__":
    finish(case, __doc__, 10, prepare=prepare)
