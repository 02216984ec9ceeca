#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY

`jitwarm import` on the simulated driver: two machines, kills at any instant, crowds, hostile folders and hostile packs. Nothing
here is about hardware. Packs are made and caches are read by code that is not the tool's (packs.py, ../prime/bench.py), but
where `jitwarm export` itself is the point. Each case is a function here, in hostile.py or in trust.py; `list` prints
their names. Exit 77: the case cannot be tried here.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import hostile  # noqa: F401: its cases are run here, too
import kits  # noqa: F401: likewise
import trust  # noqa: F401: likewise
import packs
from grounds import case, contents, count_calls, forget_memory, is_imported, own_store, primed, states, texts, User
from bench import kill
from cases import check, failing_calls, finish, same

# ---- two machines ----

@case
def two_machines(m):
    """Prime on one, export, import on the other: there verify adds no entry, and another user's programs find all."""
    root = os.geteuid() == 0
    one, two = User(m.opt, m.folder / "one", 10001 if root else os.getuid()), User(m.opt, m.folder / "two", 10002 if root else os.getuid())
    os.chmod(m.folder, 0o755)
    for laptop in (one, two):
        laptop.library("app/libapp.so", count=40)
        laptop.give()
    answer, code = one.answer("prime", one.folder / "app")
    same((code, answer["counts"]["warmed"]), (0, 40), "prime on the one")
    done = one.run("export", "-o", one.folder / "app.tar.zst", one.folder / "app")
    same(done.returncode, 0, f"export: {done.stdout}{done.stderr}")
    shutil.copy(one.folder / "app.tar.zst", two.folder / "app.tar.zst")
    os.chmod(two.folder / "app.tar.zst", 0o644)
    told = subprocess.run(["tar", "--zstd", "-xOf", two.folder / "app.tar.zst", "jitwarm/manifest.json"], capture_output=True,
                          text=True, check=True).stdout
    for word in (str(one.folder), "10001", os.uname().nodename):
        check(not re.search(rf"(?<![0-9A-Za-z]){re.escape(word)}(?![0-9A-Za-z])", told), f"the pack does not tell {word}")
    answer, code = two.answer("import", "--allow-unsigned", two.folder / "app.tar.zst", two.folder / "app")
    same((code, answer["end"], states(answer)), (0, "done", {"imported": 40}), f"import on the other: {answer['why']}")
    same(answer["verify"]["verified"], True, "verified at once")
    before = contents(two.root)
    same({e: d for e, d in packs.files_of(one.root).items()}, packs.files_of(two.root), "the same entries")
    answer, code = two.answer("verify", two.folder / "app")
    same((code, [(p["hits"], p["misses"], p["new_entries"]) for p in answer["verify"]["passes"]]), (0, [(40, 0, 0)]), "verify there")
    same(contents(two.root), before, "verify added and changed nothing")
    answer, code = two.answer("prime", two.folder / "app")
    same((code, answer["counts"]["warm"], answer["counts"]["warmed"]), (0, 40, 0), f"prime has nothing to compile: {answer['why']} {answer['verify']}")
    answer, code = two.answer("import", "--allow-unsigned", two.folder / "app.tar.zst", two.folder / "app")
    same((code, answer["end"], states(answer)), (0, "nothing", {"present": 40}), "once more")
    two.forget_cache()
    answer, code = two.answer("import", "--allow-unsigned", two.folder / "app.tar.zst", two.folder / "app")
    same((code, states(answer), answer["verify"]["passes"][0]["loaded"]), (0, {"imported": 40}, 16), "without --verify a sample of 16 is loaded")
    two.forget_cache()
    said = " ".join(two.run("import", "--allow-unsigned", two.folder / "app.tar.zst", two.folder / "app").stdout.split())
    check("loaded 16 of 40 and compiled nothing; this is a sample, the others were not loaded" in said, f"and why not the rest: {said}")
    answer, _ = two.answer("status")
    check("libapp.so" in json.dumps(answer), "status knows whose the entries are")


@case
def another_build(m):
    """With another build of the driver, another GPU, another system: refused with every value, no cache; kept in the store if it
    is signed, and imported by prime once the machine is like that."""
    lib, pack = primed(m, count=5)
    pair = packs.key_pair(m.folder)
    keys = m.home / ".config/jitwarm/keys"
    keys.mkdir(parents=True, mode=0o700)
    pack.write(m.folder / "x.tar.zst")
    stamp = "Feb 18 2026 01:02:03"

    def refused(what, factors, words, stored, **env):
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        shutil.rmtree(m.folder / "store", ignore_errors=True)
        file = pack.write(m.folder / "x.tar.zst")
        beside = m.folder / "x.tar.zst.minisig"
        beside.unlink(missing_ok=True)
        answer, code = m.answer("import", "--allow-unsigned", file, lib, **env)
        same((code, answer["end"], answer["store"]["path"]), (5, "unfit", None), f"{what}, not signed")
        if pair:
            packs.sign(file, pair[1])
            shutil.copy(pair[0], keys / "lab.pub")
            answer, code = m.answer("import", file, lib, **env)
        same((code, answer["end"], [d["factor"] for d in answer["differs"]]), (5, "unfit", factors), what)
        for word in words:
            check(word in answer["why"], f"{what}: {word} in: {answer['why']}")
        check(not m.root.exists(), f"{what}: there is no cache")
        same(answer["store"]["path"] is not None, stored and bool(pair), f"{what}: stored")
        if stored and pair:
            same(pathlib.Path(answer["store"]["path"]).read_bytes(), pack.bytes(), "the pack in the store")

    refused("another build", ["stamp"], ["Jan  7 2026 22:51:46", "Feb 18 2026 01:02:03", "580.126.09"], True, SIMCUDA_STAMP=stamp)
    refused("another GPU", ["sm"], ["sm_86", "sm_90"], True, SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    refused("both", ["stamp", "sm"], ["Feb 18 2026 01:02:03", "sm_90"], True, SIMCUDA_STAMP=stamp, SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    other = "aarch64" if packs.HERE != "aarch64" else "x86_64"
    pack.manifest["os"], pack.manifest["arch"] = "windows", other
    pack.write(m.folder / "x.tar.zst")
    refused("another system", ["os", "arch"], ["windows", "linux", other, packs.HERE], False)
    pack.manifest["os"], pack.manifest["arch"] = "linux", packs.HERE
    # It is of use once the machine is like that.
    pack = packs.Pack(pack.files, pack.manifest["stamp"], 86, origin="lib.so")
    refused("another build, again", ["stamp"], [], True, SIMCUDA_STAMP=stamp)
    shutil.rmtree(m.folder / "state", ignore_errors=True)
    done = m.run("prime", lib)
    check(("5 entries imported from 1 of 1 pack" in done.stderr) == bool(pair), f"prime: {done.stderr}")
    is_imported(m, pack)


@case
def levels(m):
    """Below level 3 there are no packs, and one sentence says so."""
    lib, pack = primed(m, count=4)
    pack.write(m.folder / "x.tar.zst")
    for level in "0", "1", "2":
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib, SIMCUDA_KNOWLEDGE=level)
        same((code, answer["end"]), (5, "unfit"), f"level {level}: {answer['why']}")
        check(f"proved {level} of 3 steps, and packs need all" in answer["why"], answer["why"])
        check(not m.root.exists(), "there is no cache")


@case
def whose_software(m):
    """A pack of two programs brings nothing for the one that is not here, unless that is said."""
    a, _ = m.library("a/liba.so", count=6, seed=1)
    b, _ = m.library("b/libb.so", count=5, seed=2)
    m.answer("prime", a, b)
    pack = packs.pack_of(m.root, origin="both")
    m.forget_cache()
    forget_memory(m)
    pack.write(m.folder / "x.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", a)
    same((code, states(answer)), (0, {"imported": 6, "foreign": 5}), "for the one")
    same(m.cache().whole(), [], "the cache")
    answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", a)
    same((code, states(answer)), (0, {"present": 6, "foreign": 5}), "again")
    # What was primed before is known.
    m.answer("prime", b)
    before = packs.files_of(m.root)
    for name in before:
        if name not in {e["name"] for e in answer["entries"] if e["state"] == "present"}:
            (m.root / name).unlink()
    answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst")
    same((code, states(answer)), (0, {"present": 6, "imported": 5}), "what was primed once")
    is_imported(m, pack)
    m.forget_cache()
    forget_memory(m)
    answer, code = m.answer("import", "--allow-unsigned", "--everything", m.folder / "x.tar.zst")
    same((code, states(answer), answer["verify"]["verified"]), (0, {"imported": 11}, True), "--everything")
    is_imported(m, pack)


@case
def old_and_damaged_entries(m):
    """What is there and sound stays; a damaged one is replaced; a lost record is added."""
    lib, pack = primed(m, count=12)
    pack.write(m.folder / "x.tar.zst")
    m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib)
    names = sorted(pack.files)
    damaged = int(names[3].replace("/", ""), 16)
    m.damage(damaged)
    (m.root / names[5]).unlink()
    kept = {n: (m.root / n).stat().st_mtime_ns for i, n in enumerate(names) if i not in (3, 5)}
    answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib)
    same((code, states(answer)), (0, {"present": 10, "imported": 2}), "a damaged and a missing one")
    same({n: (m.root / n).stat().st_mtime_ns for n in kept}, kept, "the others were not touched")
    is_imported(m, pack)
    # Records away: the index is rebuilt from the whole entries.
    (m.root / "index").unlink()
    answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib)
    same((code, states(answer)), (0, {"present": 12}), "without an index")
    is_imported(m, pack)


# ---- kills ----

class Trial:
    """A cache with entries of its own, that many imports are begun on."""

    def __init__(self, m, count):
        self.m = m
        other, old = primed(m, "other.so", count=15, seed=7)
        self.lib, self.pack = primed(m, count=count, least=300, most=3000)
        old.write(m.folder / "old.tar.zst")
        self.file = self.pack.write(m.folder / "x.tar.zst")
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "old.tar.zst", other)
        same((code, answer["end"]), (0, "done"), "the entries that were there before")
        self.old = contents(m.root)
        self.records = m.cache().records
        self.copy = m.folder / "as-it-was"
        shutil.copytree(m.root, self.copy, symlinks=True)

    def reset(self):
        shutil.rmtree(self.m.root)
        shutil.copytree(self.copy, self.m.root, symlinks=True)

    def args(self, *more):
        return ("import", "--allow-unsigned", "--no-verify", self.file, self.lib, *more)

    def problems(self):
        """What no import may leave behind, however it ended."""
        cache = self.m.cache(deep=False)  # every byte is compared below
        out = list(cache.problems)
        there = packs.files_of(self.m.root)
        out += [f"{h:016x} is recorded, and no such entry is there" for h, s in cache.records if cache.entries.get(h) != s]
        if cache.records[:len(self.records)] != self.records:
            out.append("the records that were there before are not what they were")
        for name, (mode, uid, mtime, body) in self.old.items():
            if body is not None and name != "index":
                if there.pop(name, None) != body:
                    out.append(f"{name}, which was there before, was touched")
        out += [f"{name} is not as it is in the pack" for name, data in there.items() if self.pack.files.get(name) != data]
        known = {"index", *self.old, *self.pack.files}
        out += [f"{p} is in the cache, and is no entry" for p in (str(q.relative_to(self.m.root)) for q in self.m.root.rglob("*")
                if q.is_file()) if p not in known and not re.match(r"\.jitwarm-[^/]*/", p)]
        return out

    def length(self):
        """Seconds of a run in peace."""
        self.next_run_goes_on()
        times = []
        for _ in range(3):
            self.reset()
            began = time.monotonic()
            self.m.run(*self.args())
            times.append(time.monotonic() - began)
        return min(times)

    def next_run_goes_on(self):
        answer, code = self.m.answer(*self.args())
        same((code, sum(states(answer).values())), (0, len(self.pack.files)), f"the next run: {answer['why']}")
        same(self.problems(), [], "the cache after the next run")
        same(self.m.cache(deep=False).whole(), [], "its index")
        same(self.m.leftovers(), [], "staging that the next run should have removed")
        same([str(p) for p in self.m.root.glob(".jitwarm*")], [], "folders of ours in the cache")


@case
def import_kills(m):
    """kill -9 at a random instant; and, where there is strace, at a random system call of the tool."""
    trial = Trial(m, count=120)
    rng = random.Random(m.opt.seed)
    length = trial.length()
    calls, first, last = count_calls(trial, trial.args(), "rename")
    hit = {"before": 0, "within": 0, "after": 0}
    for i in range(m.opt.rounds):
        if rng.random() < 0.9:
            trial.reset()
        if calls and i % 2:  # every other one of these while entries are put into the cache, or a thread writes one
            at = rng.randrange(len(calls)) if i % 4 == 1 else rng.randrange(first, last + 1)
            name, nth = calls[at], calls[:at + 1].count(calls[at])
            if i % 8 == 7:
                name, nth = "pwrite64", rng.randrange(1, 40)
            subprocess.run(["strace", *["-f"] * (i % 8 == 7), "-qq", "-o", "/dev/null", "-e", f"inject={name}:signal=KILL:when={nth}",
                            *m.command(*trial.args())], env=dict(m.env, ASAN_OPTIONS="detect_leaks=0"), capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=120)
            what = f"round {i}, killed at call {nth} of {name}"
        else:
            run = m.start(*trial.args())
            wait = rng.uniform(0, length)
            time.sleep(wait)
            kill(run.pid)
            run.communicate(timeout=60)
            what = f"round {i}, killed after {wait * 1000:.0f} ms"
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        same(trial.problems(), [], what)
        new = len(packs.files_of(m.root)) - len([n for n, v in trial.old.items() if v[3] is not None and n != "index"])
        if m.opt.verbose:
            print(f"  {what}: {new} entries")
        hit["before" if not new else "after" if new == len(trial.pack.files) else "within"] += 1
        if i % 10 == 9:
            trial.next_run_goes_on()
    trial.next_run_goes_on()
    print(f"  {m.opt.rounds} kills: {hit}")


@case
def interrupted(m):
    """Ctrl-C: 130, whole entries only, nothing left behind, and the same command goes on."""
    trial = Trial(m, count=200)
    rng = random.Random(m.opt.seed)
    length = trial.length()
    codes = set()
    for i in range(60):
        if i >= 12 and 130 in codes:
            break
        trial.reset()
        run = m.start(*trial.args())
        wait = rng.uniform(0.01, length)
        time.sleep(wait)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        codes.add(run.returncode)
        what = f"round {i}, interrupted after {wait * 1000:.0f} ms"
        check(run.returncode in (0, 130, -signal.SIGINT), f"{what}: exit code {run.returncode}")
        same(trial.problems(), [], what)
        if run.returncode == 130:
            same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    trial.next_run_goes_on()
    check(130 in codes, f"it was interrupted at least once: {codes}")


@case
def syscalls(m):
    """Each system call of an import on a small pack fails in turn; or --rounds of them."""
    trial = Trial(m, count=4)
    trial.next_run_goes_on()
    trial.reset()
    for what, code in failing_calls(m, trial.args, trial.reset):
        same(trial.problems(), [], f"{what} (exit {code})")
        if code in (2, 3, 5, 6, 7):
            same({k: v for k, v in contents(m.root).items() if v[3] is not None},
                 {k: (m_, u, (m.root / k).lstat().st_mtime_ns, b) for k, (m_, u, t, b) in trial.old.items() if b is not None},
                 f"{what}: the cache after a refusal")
    trial.next_run_goes_on()


# ---- crowds ----

@case
def crowd(m):
    """16 imports of 4 packs that overlap, and 4 programs that compile into the same cache meanwhile."""
    lib, whole = primed(m, count=80, least=500, most=9000)
    names = sorted(whole.files)
    files = [packs.Pack({n: whole.files[n] for n in names[20 * i:20 * i + 40] or names}, whole.manifest["stamp"], 86, origin="lib.so")
             .write(m.folder / f"pack{i}.tar.zst") for i in range(4)]
    all_texts = texts(m, 32)
    programs = [subprocess.Popen([m.opt.play, m.opt.sim, "init", "ctx 0", *(w for k in range(8 * i, 8 * i + 8) for w in (f"load {all_texts[k]}", f"fn only{k}"))],
                                 env=dict(m.env, SIMCUDA_COST="0+60"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for i in range(4)]
    imports = [m.start("import", "--allow-unsigned", "--wait=120s", "--json", files[i % 4], lib) for i in range(16)]
    for i, run in enumerate(imports):
        out, err = run.communicate(timeout=300)
        same((run.returncode, json.loads(out)["end"] in ("done", "nothing")), (0, True), f"import {i}: {out[:300]} {err[-300:]}")
    for program in programs:
        same(program.wait(120), 0, "a program")
    is_imported(m, whole, others=32)
    # An import that does not wait names the one that is at work.
    m.forget_cache()
    runs = [m.start("import", "--allow-unsigned", "--json", files[i % 4], lib) for i in range(6)]
    codes = []
    for run in runs:
        out, err = run.communicate(timeout=300)
        codes.append(run.returncode)
        check(run.returncode == 0 or (run.returncode == 7 and "another jitwarm" in json.loads(out)["why"]), f"{run.returncode}: {out[:400]} {err}")
    check(0 in codes, "one of them did it")
    same(m.cache().problems, [], "the cache")


# ---- room ----

@case
def little_room(m):
    lib, pack = primed(m, count=20, least=3000, most=6000)
    file = pack.write(m.folder / "x.tar.zst")
    sizes = [e["key_bytes"] + e["payload_bytes"] for e in pack.manifest["entries"]]
    limit = str(sum(sizes) // 2)
    answer, code = m.answer("import", "--allow-unsigned", file, lib, CUDA_CACHE_MAXSIZE=limit)
    same((code, answer["end"]), (7, "consent"), answer["why"])
    check(any("CUDA_CACHE_MAXSIZE" in a for a in answer["todo"]) and any("--yes" in a for a in answer["todo"]), f"{answer['todo']}")
    check(not m.root.exists(), "nothing was done")
    answer, code = m.answer("import", "--allow-unsigned", "--yes", file, lib, CUDA_CACHE_MAXSIZE=limit)
    same((code, answer["end"]), (1, "partly"), answer["why"])
    check(sum(s for _, s in m.cache().records) <= int(limit), "the limit is kept")
    same((m.cache().whole(), answer["verify"]["verified"]), ([], True), "what fits is there")


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=own_store)
