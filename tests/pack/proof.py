#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY

`jitwarm import` on the simulated driver: two machines, kills at any instant, crowds, hostile folders and hostile packs. Nothing
here is about hardware. Packs are made and caches are read by code that is not the tool's (packs.py, ../prime/bench.py), but
where `jitwarm export` itself is the point. Each case is a function below; `list` prints their names. Exit 77: the case cannot
be tried here.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "prime")]
import packs  # noqa: E402
from bench import Machine, kill  # noqa: E402
from cases import Cases, Skip, check, failing_calls, finish, same  # noqa: E402

case = Cases()
NOBODY = 65534


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


class User(Machine):
    """A machine whose user is another one, where that can be had."""

    def __init__(self, opt, folder, uid):
        folder.mkdir(mode=0o755)
        super().__init__(opt, folder)
        self.uid = uid
        self.env["JITWARM_STORE"] = str(self.folder / "store")
        self.give()

    def give(self):
        """All that was put there so far."""
        if os.geteuid() == 0:
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def command(self, *args):
        plain = super().command(*args)
        if os.geteuid() != 0:
            return plain
        return ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--", *plain]


def contents(folder):
    """Names, kinds, times, owners and bytes of all that is below a folder."""
    out = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        info = path.lstat()
        body = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        out[str(path.relative_to(folder))] = (info.st_mode, info.st_uid, info.st_mtime_ns, body)
    return out


def primed(m, name="lib.so", **options):
    """A library, and a pack of its entries; the cache is empty again."""
    lib, _ = m.library(name, **options)
    answer, code = m.answer("prime", lib, "--no-verify")
    same((code, answer["end"]), (0, "done"), "prime")
    pack = packs.pack_of(m.root, origin=pathlib.Path(name).name)
    m.forget_cache()
    forget_memory(m)
    return lib, pack


def forget_memory(m):
    shutil.rmtree(m.folder / "state" / "roots", ignore_errors=True)


def states(answer):
    return {s: c["entries"] for s, c in answer["counts"].items() if c["entries"]}


def is_imported(m, pack, others=0):
    """The cache is sound, every entry of the pack is in it to the byte, and nothing of ours is left."""
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    there = packs.files_of(m.root)
    for name, data in pack.files.items():
        check(there.get(name) == data, f"{name} is in the cache, to the byte")
    same(len(there), len(pack.files) + others, "entries")
    same(m.leftovers(), [], "folders left behind")
    same(m.wait_for_silence(), [], "processes left behind")


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
    answer, code = two.answer("import", "--allow-unsigned", "--verify", two.folder / "app.tar.zst", two.folder / "app")
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
    answer, _ = two.answer("status")
    check("libapp.so" in json.dumps(answer), "status knows whose the entries are")


@case
def another_build(m):
    """With another build of the driver, another GPU, another system: refused with every value, kept in the store, no cache."""
    lib, pack = primed(m, count=5)
    pack.write(m.folder / "x.tar.zst")
    stamp = "Feb 18 2026 01:02:03"

    def refused(what, factors, words, stored, **env):
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        shutil.rmtree(m.folder / "store", ignore_errors=True)
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib, JITWARM_STORE=str(m.folder / "store"), **env)
        same((code, answer["end"], [d["factor"] for d in answer["differs"]]), (5, "unfit", factors), what)
        for word in words:
            check(word in answer["why"], f"{what}: {word} in: {answer['why']}")
        check(not m.root.exists(), f"{what}: there is no cache")
        same(answer["store"]["path"] is not None, stored, f"{what}: stored")
        if stored:
            same(pathlib.Path(answer["store"]["path"]).read_bytes(), pack.bytes(), "the pack in the store")

    refused("another build", ["stamp"], ["Jan  7 2026 22:51:46", "Feb 18 2026 01:02:03", "580.126.09"], True, SIMCUDA_STAMP=stamp)
    refused("another GPU", ["sm"], ["sm_86", "sm_90"], True, SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    refused("both", ["stamp", "sm"], ["Feb 18 2026 01:02:03", "sm_90"], True, SIMCUDA_STAMP=stamp, SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    other = "aarch64" if packs.HERE != "aarch64" else "x86_64"
    pack.manifest["os"], pack.manifest["arch"] = "windows", other
    pack.write(m.folder / "x.tar.zst")
    refused("another system", ["os", "arch"], ["windows", "linux", other, packs.HERE], False)
    pack.manifest["os"], pack.manifest["arch"] = "linux", packs.HERE
    del pack.manifest["simulated"]
    pack.write(m.folder / "x.tar.zst")
    refused("of a real driver", ["simulated"], ["real", "simulated"], False)
    # It is of use once the machine is like that.
    pack.manifest["simulated"] = True
    pack.manifest = dict(pack_head(pack), **pack.manifest)
    again = packs.Pack(pack.files, pack.manifest["stamp"], 86, origin="lib.so")
    again.write(m.folder / "x.tar.zst")
    refused("another build, again", ["stamp"], [], True, SIMCUDA_STAMP=stamp)
    shutil.rmtree(m.folder / "state", ignore_errors=True)
    stored = next((m.folder / "store").glob("*.tar.zst"))
    answer, code = m.answer("import", "--allow-unsigned", stored, lib)
    same((code, states(answer)), (0, {"imported": 5}), "from the store, with the build that it is for")
    is_imported(m, again)


def pack_head(pack):
    return {"schema": pack.manifest["schema"], "tool": pack.manifest["tool"], "simulated": True}


@case
def levels(m):
    """Below level 3 there are no packs, and one sentence says so."""
    lib, pack = primed(m, count=4)
    pack.write(m.folder / "x.tar.zst")
    for level in "0", "1", "2":
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst", lib, SIMCUDA_KNOWLEDGE=level)
        same((code, answer["end"]), (5, "unfit"), f"level {level}: {answer['why']}")
        check(f"level {level}" in answer["why"] and "level 3" in answer["why"], answer["why"])
        check(not m.root.exists(), "there is no cache")


@case
def whose_software(m):
    """A pack of two programs brings nothing for the one that is not here, unless that is said."""
    a, _ = m.library("a/liba.so", count=6, seed=1)
    b, _ = m.library("b/libb.so", count=5, seed=2)
    m.answer("prime", a, b, "--no-verify")
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
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", m.folder / "x.tar.zst")
    same((code, states(answer), answer["verify"]["verified"]), (0, {"imported": 11}, True), "--foreign")
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
    answer, code = m.answer("import", "--allow-unsigned", "--verify", m.folder / "x.tar.zst", lib)
    same((code, states(answer)), (0, {"present": 10, "imported": 2}), "a damaged and a missing one")
    same({n: (m.root / n).stat().st_mtime_ns for n in kept}, kept, "the others were not touched")
    is_imported(m, pack)
    # Records away: the index names nothing any more.
    (m.root / "index").unlink()
    answer, code = m.answer("import", "--allow-unsigned", "--verify", m.folder / "x.tar.zst", lib)
    same((code, states(answer), answer["verify"]["verified"]), (0, {"imported": 12}, True), "without an index")
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
    calls, first, last = count_calls(trial)
    hit = {"before": 0, "within": 0, "after": 0}
    for i in range(m.opt.rounds):
        if rng.random() < 0.9:
            trial.reset()
        if calls and i % 2:  # every other one of these while entries are put into the cache
            at = rng.randrange(len(calls)) if i % 4 == 1 else rng.randrange(first, last + 1)
            nth = calls[:at + 1].count(calls[at])
            subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", f"inject={calls[at]}:signal=KILL:when={nth}",
                            *m.command(*trial.args())], env=dict(m.env, ASAN_OPTIONS="detect_leaks=0"), capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=120)
            what = f"round {i}, killed at call {at} of {len(calls)}, {calls[at]}"
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


def count_calls(trial):
    """System calls of the tool alone, in order, and from which to which it moves entries; none: strace may not trace here."""
    if not shutil.which("strace"):
        return [], 0, 0
    trial.reset()
    log = trial.m.folder / "strace"
    subprocess.run(["strace", "-qq", "-o", log, *trial.m.command(*trial.args())], env=dict(trial.m.env, ASAN_OPTIONS="detect_leaks=0"),
                   capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    calls = [line.split("(")[0] for line in lines if re.match(r"\w+\(", line)]
    moves = [i for i, name in enumerate(calls) if name.startswith("rename")] or [0]
    return calls, moves[0], moves[-1]


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

def texts(m, n, first=0):
    """PTX that no library has."""
    out = []
    for i in range(first, first + n):
        path = m.folder / f"text{i}.ptx"
        path.write_text(f".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry only{i}()\n{{\n    ret;\n}}\n" + f"// {i}\n" * 300)
        out.append(path)
    return out


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
    # Who does not wait is told who is at work.
    m.forget_cache()
    runs = [m.start("import", "--allow-unsigned", "--json", files[i % 4], lib) for i in range(6)]
    codes = []
    for run in runs:
        out, err = run.communicate(timeout=300)
        codes.append(run.returncode)
        check(run.returncode == 0 or (run.returncode == 7 and "another jitwarm" in json.loads(out)["why"]), f"{run.returncode}: {out[:400]} {err}")
    check(0 in codes, "one of them did it")
    same(m.cache().problems, [], "the cache")


# ---- hostile folders ----

@contextlib.contextmanager
def untouched(folder, what):
    before = contents(folder)
    yield
    same(contents(folder), before, what)


@case
def hostile_root(m):
    lib, pack = primed(m, count=30, least=500, most=5000)
    file = pack.write(m.folder / "x.tar.zst")
    victim = m.folder / "victim"
    victim.mkdir(mode=0o700)
    (victim / "mine").write_text("untouched\n")
    name = sorted(pack.files)[0]
    first, second, rest = name.split("/")
    args = ("import", "--allow-unsigned", file, lib)

    def fresh():
        m.forget_cache()
        m.root.mkdir(parents=True)

    def tried(what, words=(), code=(1, 4)):
        with untouched(victim, f"{what}: the folder behind it"):
            answer, got = m.answer(*args)
        check(got in code, f"{what}: exit {got}: {answer['why']}")
        told = json.dumps(answer, ensure_ascii=False)
        for word in words:
            check(word in told, f"{what}: nothing is said of {word}: {answer['why']} {answer['notes']}")
        return answer

    # Links at every level.
    for what, link in (("the first level", first), ("the second level", f"{first}/{second}"), ("an entry", name), ("the index", "index")):
        fresh()
        (m.root / link).parent.mkdir(parents=True, exist_ok=True)
        (m.root / link).symlink_to(victim / "mine" if what in ("an entry", "the index") else victim)
        answer = tried(f"a link for {what}", ["link"])
        check((m.root / link).is_symlink(), "the link is left alone")
        if what != "the index":
            same(states(answer).get("rejected", 0) >= 1, True, f"{what}: rejected")
    # Not a link but something else.
    for what, make in (("a pipe", os.mkfifo), ("a folder", os.mkdir)):
        fresh()
        (m.root / name).parent.mkdir(parents=True)
        make(m.root / name)
        tried(f"{what} where the entry belongs")
    fresh()
    (m.root / first).write_text("a file where a folder belongs")
    tried("a file for the first level")
    # Folders that others can write to.
    for what, path in (("the root", "."), ("the first level", first), ("the second level", f"{first}/{second}")):
        fresh()
        (m.root / path).mkdir(parents=True, exist_ok=True)
        os.chmod(m.root / path, 0o777)
        before = {k: v[3] for k, v in contents(m.root / path).items()}
        tried(f"{what} is open to everybody", ["may write to it"])
        same({k: v[3] for k, v in contents(m.root / path).items()}, before, f"{what} is open to everybody: nothing goes there")
        os.chmod(m.root / path, 0o700)
    # The cache itself behind a link is the user's own business.
    m.forget_cache()
    real = m.folder / "elsewhere"
    real.mkdir(mode=0o700)
    m.root.symlink_to(real)
    answer, code = m.answer(*args)
    same((code, states(answer)), (0, {"imported": 30}), "a cache behind a link")
    m.root.unlink()


@case
def foreign_owners(m):
    """Folders of another user, at each level: entries there could be changed by him, so none is put there."""
    need_root()
    lib, pack = primed(m, count=20, least=500, most=5000)
    file = pack.write(m.folder / "x.tar.zst")
    name = sorted(pack.files)[0]
    first, second, _ = name.split("/")
    for what, path in (("the root", "."), ("the first level", first), ("the second level", f"{first}/{second}")):
        m.forget_cache()
        (m.root / path).mkdir(parents=True, exist_ok=True)
        os.chown(m.root / path, NOBODY, NOBODY)
        answer, code = m.answer("import", "--allow-unsigned", file, lib)
        check(code in (1, 4), f"{what}: exit {code}")
        check("belongs to" in json.dumps(answer), f"{what}: {answer['why']} {answer['entries'][:1]}")
        same([p for p in (m.root / path).rglob("*") if p.is_file() and p.name != "index"], [], f"{what}: nothing is put there")


@case
def swapped_during_import(m):
    """Somebody keeps changing a folder of the cache for a link to another one while entries are put into it."""
    lib, pack = primed(m, count=150, least=300, most=1500)
    file = pack.write(m.folder / "x.tar.zst")
    victim = m.folder / "victim"
    victim.mkdir(mode=0o700)
    for h in "0123456789abcdef":
        (victim / h).mkdir()
    before = contents(victim)
    stop = threading.Event()

    def swap():
        levels = [m.root / h for h in "0123456789abcdef"]
        while not stop.is_set():
            for level in levels:
                aside = level.with_name(level.name + "-aside")
                try:
                    level.rename(aside)
                    level.symlink_to(victim)
                    time.sleep(0.0005)
                    level.unlink()
                    aside.rename(level)
                except OSError:
                    pass

    codes = []
    for _ in range(6):
        m.forget_cache()
        for h in "0123456789abcdef":
            (m.root / h).mkdir(parents=True)
        stop.clear()
        thread = threading.Thread(target=swap)
        thread.start()
        try:
            answer, code = m.answer("import", "--allow-unsigned", "--no-verify", file, lib)
        finally:
            stop.set()
            thread.join()
        check(code in (0, 1, 4), f"exit {code}: {answer['why']}")
        codes.append(code)
        same({k: v[3] for k, v in contents(victim).items()}, {k: v[3] for k, v in before.items()}, "the folder behind the link")
        for path in list(m.root.glob("*-aside")):
            shutil.rmtree(path)
    m.forget_cache()
    answer, code = m.answer("import", "--allow-unsigned", file, lib)
    same((code, states(answer)), (0, {"imported": 150}), "in peace")
    is_imported(m, pack)
    print(f"  exit codes while folders were swapped: {codes}")


@case
def others_above(m):
    """Where others may write to the folder above the cache, nothing of ours lies there: they could put something in its place."""
    lib, pack = primed(m, count=60)
    file = pack.write(m.folder / "x.tar.zst")
    above = m.folder / "above"
    above.mkdir()
    os.chmod(above, 0o777)
    seen, stop = set(), threading.Event()

    def watch():
        while not stop.is_set():
            seen.update(p.name for p in above.iterdir())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        answer, code = m.answer("import", "--allow-unsigned", file, lib, CUDA_CACHE_PATH=str(above / "ComputeCache"))
    finally:
        stop.set()
        thread.join()
    same((code, states(answer)), (0, {"imported": 60}), answer["why"])
    same(seen, {"ComputeCache"}, "what was seen there meanwhile")
    same([p.name for p in (above / "ComputeCache").glob("*jitwarm*")], [], "left in the cache")


@case
def proof_that_fails(m):
    """A driver that is not the one it was taken for finds nothing of it: exit 1, each miss with its cause, and entries stay."""
    lib, pack = primed(m, count=4)
    file = pack.write(m.folder / "x.tar.zst")
    m.answer("doctor", "--probe")
    answer, code = m.answer("import", "--allow-unsigned", file, lib, SIMCUDA_STAMP="Feb 18 2026 01:02:03")
    same((code, answer["end"], states(answer)), (1, "partly", {"imported": 4}), answer["why"])
    same((answer["verify"]["verified"], len(answer["verify"]["misses"])), (False, 4), "verified")
    check("another build" in answer["verify"]["misses"][0]["cause"], answer["verify"]["misses"][0]["cause"])
    is_imported(m, pack, others=4)


# ---- full disks, rights ----

@contextlib.contextmanager
def mounted(folder, options):
    need_root()
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@case
def full_disk(m):
    lib, pack = primed(m, count=40, least=20000, most=90000)
    file = pack.write(m.folder / "x.tar.zst")
    args = ("import", "--allow-unsigned", file, lib)
    with mounted(m.folder / "small", "size=2m,mode=755") as small:
        cache = small / "ComputeCache"
        cache.mkdir()
        (cache / "index").write_bytes(b"")
        with untouched(small, "a disk that is too small"):
            answer, code = m.answer(*args, CUDA_CACHE_PATH=str(cache))
        same((code, answer["end"]), (4, "cannot-write"), answer["why"])
        check("are needed" in answer["why"] and str(cache) in answer["why"], answer["why"])
    # Bytes enough, but no room for names: it is only noticed while entries are unpacked.
    with mounted(m.folder / "names", "size=200m,nr_inodes=40,mode=755") as names:
        cache = names / "ComputeCache"
        cache.mkdir()
        with untouched(names, "no room for names"):
            answer, code = m.answer(*args, CUDA_CACHE_PATH=str(cache))
        same((code, answer["end"]), (4, "cannot-write"), answer["why"])
        check("the disk is full" in answer["why"] and "tar" not in answer["why"].split(str(names))[0], answer["why"])
    with mounted(m.folder / "readonly", "size=200m,mode=755") as readonly:
        (readonly / "ComputeCache").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", readonly], check=True)
        answer, code = m.answer(*args, CUDA_CACHE_PATH=str(readonly / "ComputeCache"))
        same((code, answer["end"]), (4, "cannot-write"), answer["why"])
        check("read-only" in answer["why"], answer["why"])
    # What comes through a pipe has to lie somewhere: a full state folder.
    with mounted(m.folder / "state2", "size=64k,mode=700") as state:
        (state / "filler").write_bytes(bytes(48 << 10))
        done = subprocess.run(m.command("import", "--allow-unsigned", "-", lib, "--json"), stdin=open(file, "rb"), capture_output=True, text=True,
                              env=dict(m.env, JITWARM_STATE=str(state)), timeout=120)
        same(done.returncode, 4, f"a pipe, and no room for it: {done.stdout} {done.stderr}")
        same([p.name for p in state.iterdir() if p.name.startswith("import")], [], "the spool is gone")
    check(not m.root.exists(), "the user's own cache was not made")


@case
def no_rights(m):
    """As a user who may not."""
    need_root()
    os.chmod(m.folder, 0o755)
    u = User(m.opt, m.folder / "user", 10003)
    u.library("lib.so", count=4)
    u.give()
    answer, code = u.answer("prime", "lib.so", "--no-verify")
    same(code, 0, "prime")
    file = packs.pack_of(u.root, origin="lib.so").write(u.folder / "x.tar.zst")
    u.forget_cache()
    os.chmod(file, 0o000)
    done = u.run("import", "--allow-unsigned", file, "lib.so")
    same(done.returncode, 2, done.stderr)
    check("x.tar.zst" in done.stderr and "denied" in done.stderr, done.stderr)
    os.chmod(file, 0o644)
    closed = u.folder / "closed"
    closed.mkdir(mode=0o755)  # root's
    answer, code = u.answer("import", "--allow-unsigned", file, "lib.so", CUDA_CACHE_PATH=str(closed / "ComputeCache"))
    same((code, answer["end"]), (4, "cannot-write"), answer["why"])
    same(list(closed.iterdir()), [], "nothing is made there")


# ---- packs that are not what they should be ----

def bad_packs(good):
    """(name, bytes, exit code, words). Digests and checksums around what is spoilt hold again, unless they are the point."""
    whole, body = good.bytes(), good.body()
    first, rest = good.parts()
    names, files = list(good.files), list(good.files.values())
    members = [packs.member("cache/" + n, d) for n, d in good.files.items()]
    head = len(packs.frame(first))

    def remade(**changes):
        p = packs.Pack(good.files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so")
        for key, value in changes.items():
            setattr(p, key, value)
        return p

    def manifest(change):
        p = remade()
        p.manifest = json.loads(json.dumps(p.manifest))
        change(p.manifest)
        return p.bytes()

    def text(old, new):
        p = remade()
        p.text = p.manifest_text().replace(old, new, 1)
        assert p.text != p.manifest_text.__func__(remade()), old
        return p.bytes()

    def entries(*list_of_members):
        return remade(members=list(list_of_members)).bytes()

    def flipped(at, bit=0x10, data=whole):
        return data[:at] + bytes([data[at] ^ bit]) + data[at + 1:]

    def inner(change):
        """An entry changed, with the manifest's digest made to fit: only the entry's own hashes can tell."""
        files2 = dict(good.files)
        files2[names[0]] = change(files2[names[0]])
        p = packs.Pack(good.files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so")
        p.files = files2
        p.manifest["entries"][0]["digest"] = packs.blake(files2[names[0]])
        return p.bytes()

    def with_first(name=None, data=None, **fields):
        return entries(packs.member(name or "cache/" + names[0], files[0] if data is None else data, **fields), *members[1:])

    tail = len(whole) - len(body)
    yield "empty", b"", 6, "empty"
    yield "one byte", whole[:1], 6, ""
    yield "cut in the first frame", whole[:20], 6, ""
    yield "cut in the manifest", whole[:head // 2], 6, ""
    yield "cut after the manifest", whole[:head], 6, ""
    yield "cut in an entry", whole[:head + (len(body) - head) // 2], 6, ""
    yield "cut before the trailer", body, 6, ""
    yield "cut in the trailer", whole[:len(body) + tail // 2], 6, ""
    yield "cut by one byte", whole[:-1], 6, ""
    yield "trailing byte", whole + b"\0", 6, ""
    yield "trailing garbage", whole + b"garbage" * 1000, 6, ""
    yield "twice", whole + whole, 6, ""
    for what, at in (("the first frame's magic", 0), ("a frame's header", 6), ("the manifest", head // 2), ("a block's header", 14),
                     ("the manifest's checksum", head - 2), ("an entry", head + 1000), ("an entry's end", len(body) - 2000),
                     ("the trailer's magic", len(body)), ("the trailer's length", len(body) + 4), ("the trailer's name", len(body) + 9),
                     ("the digest", len(body) + 20), ("the length at the end", len(whole) - 11), ("the last byte", len(whole) - 1)):
        yield f"a flipped bit in {what}", flipped(at), 6, ""
    yield "a wrong digest", good.bytes(digest=bytes(32)), 6, "digest"
    yield "an entry that its digest does not fit", with_first(data=files[0][:-1] + b"\xff"), 6, "digest"
    yield "a frame that says it holds more", packs.finish(packs.frame(first) + packs.frame(rest, says=len(rest) + 512)), 6, ""
    yield "a frame that says it holds less", packs.finish(packs.frame(first) + packs.frame(rest, says=len(rest) - 512)), 6, ""
    yield "a bomb", packs.finish(packs.frame(first) + packs.bomb(4 << 30)), 6, ""
    yield "a bomb for a manifest", packs.finish(packs.bomb(1 << 30) + packs.frame(rest)), 6, ""
    yield "a frame more", packs.finish(body + packs.frame(b"x" * 512)), 6, ""
    yield "a frame less", packs.finish(packs.frame(first)), 6, ""
    yield "an entry twice", entries(members[0], *members), 6, ""
    yield "an entry twice in the manifest", manifest(lambda m: m["entries"].insert(0, m["entries"][0])), 6, ""
    yield "an entry that the manifest lacks", manifest(lambda m: m["entries"].pop(0)), 6, ""
    yield "an entry that the pack lacks", entries(*members[1:]), 6, ""
    yield "entries out of order", entries(members[1], members[0], *members[2:]), 6, ""
    yield "an entry of another size than the manifest's", manifest(lambda m: m["entries"][0].update(payload_bytes=m["entries"][0]["payload_bytes"] + 1)), 6, ""
    for what, name in (("a name with ..", "cache/../../../etc/x"), ("an absolute name", "/etc/passwd"), ("another name", "cache/x"),
                       ("a name outside", "jitwarm/x"), ("an index", "cache/index"), ("a name that is not UTF-8", b"cache/\xff\xfe")):
        yield what, with_first(name), 6, ""
    for what, kind in (("a link", b"2"), ("a hard link", b"1"), ("a device", b"3"), ("a block device", b"4"), ("a folder", b"5"),
                       ("a pipe", b"6"), ("a pax header", b"x"), ("a global pax header", b"g"), ("a sparse member", b"S"),
                       ("a long name", b"L"), ("an old member", b"\0")):
        yield what, with_first(kind=kind, link=b"/etc/passwd" if kind in b"12" else b""), 6, ""
    yield "a member with a mode", with_first(mode=b"0004755\0"), 6, ""
    yield "a member of a huge size", with_first(octal=b"77777777777\0"), 6, ""
    yield "a member with a binary size", with_first(octal=b"\x80" + b"\xff" * 11), 6, ""
    yield "a tar without its end", remade(end=b"").bytes(), 6, ""
    yield "a tar with more than its end", remade(end=bytes(10240)).bytes(), 6, ""
    yield "a manifest that is no JSON", remade(text=b"hello\n").bytes(), 6, "manifest"
    yield "a manifest that is not UTF-8", text(b'"lib.so"', b'"lib\xff.so"'), 6, "manifest"
    yield "another schema", text(b"jitwarm.pack/1", b"jitwarm.pack/2"), 6, "schema"
    yield "an unknown field", text(b'{"schema"', b'{"host":"x","schema"'), 6, "manifest"
    yield "a field twice", text(b'"sm":86,', b'"sm":86,"sm":86,'), 6, "manifest"
    yield "a huge number", text(b'"sm":86', b'"sm":99999999999999999999999'), 6, "manifest"
    yield "a negative number", text(b'"sm":86', b'"sm":-86'), 6, "manifest"
    yield "a path for an origin", manifest(lambda m: m["origins"][0].update(name="/home/user/lib.so")), 6, "manifest"
    yield "an origin that moves the cursor", manifest(lambda m: m["origins"][0].update(name="lib\x1b[2J.so")), 6, "manifest"
    yield "an origin that is not there", manifest(lambda m: m["entries"][0].update(origin=7)), 6, "manifest"
    yield "an unknown way of making", manifest(lambda m: m["entries"][0].update(made="bought")), 6, "manifest"
    yield "an entry's name with ..", manifest(lambda m: m["entries"][0].update(name="../../x")), 6, "manifest"
    yield "totals that do not add up", manifest(lambda m: m.update(totals={"entries": 1, "key_bytes": 1, "payload_bytes": 1})), 6, "manifest"
    yield "no entries", packs.Pack({}, good.manifest["stamp"], 86).bytes(), 6, "manifest"
    yield "another architecture than its entries'", manifest(lambda m: m.update(sm=75)), (5, 6), ""
    yield "an entry of another build", other_key(good, lambda k: k.replace(good.manifest["stamp"].encode(), b"Feb  8 202600:00:00", 1)), 6, "build"
    yield "an entry for another architecture", other_key(good, lambda k: k.replace(b"sm_86", b"sm_75", 1)), 6, "sm_75"
    yield "an entry of another kind", other_key(good, lambda k: b"some text that is no key of a module"), 6, ""
    yield "an entry of another format", inner(lambda d: b"\x42" + d[1:]), 6, "format"
    yield "an entry whose payload changed", inner(lambda d: d[:-1] + bytes([d[-1] ^ 1])), 6, "payload"
    yield "an entry whose key changed", inner(lambda d: d[:60] + bytes([d[60] ^ 1]) + d[61:]), 6, "key"
    yield "an entry that is no machine code", inner(other_payload), 6, "payload"


def other_payload(data):
    key, payload = int.from_bytes(data[4:12], "little"), int.from_bytes(data[12:20], "little")
    return packs.entry_file(data[28:28 + key], b"\x90" * payload)


def other_key(good, change):
    """The first entry under another key, whole in itself."""
    first = next(iter(good.files.values()))
    key, _ = (int.from_bytes(first[i:i + 8], "little") for i in (4, 12))
    new = change(first[28:28 + key])
    digits = f"{packs.fnv(new):016x}"
    files = dict(list(good.files.items())[1:])
    files[f"{digits[0]}/{digits[1]}/{digits[2:]}"] = packs.entry_file(new, first[28 + key:])
    return packs.Pack(files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so").bytes()


@case
def bad_packs_by_name(m):
    """Each is refused with a sentence that names the file, from a file and through a pipe, and the cache is as it was."""
    lib, pack = primed(m, count=6, least=400, most=900)
    other, old = primed(m, "other.so", count=5, seed=9)
    old.write(m.folder / "old.tar.zst")
    m.answer("import", "--allow-unsigned", m.folder / "old.tar.zst", other)
    before, n = contents(m.root), 0
    bad = m.folder / "bad.tar.zst"
    for name, data, codes, words in bad_packs(pack):
        bad.write_bytes(data)
        answer, code = m.answer("import", "--allow-unsigned", "--foreign", "--yes", bad)
        check(code in (codes if isinstance(codes, tuple) else (codes,)), f"{name}: exit {code}, {answer['end']}: {answer['why']}")
        check(answer["why"] and words in answer["why"], f"{name}: {words!r} is not in: {answer['why']}")
        if code == 6:
            check(str(bad) in answer["why"] and "\x1b" not in answer["why"], f"{name}: {answer['why']}")
        same(contents(m.root), before, f"{name}: the cache")
        same(m.leftovers(), [], f"{name}: folders left behind")
        done = subprocess.run(m.command("import", "--allow-unsigned", "--foreign", "--yes", "--json", "-"), env=m.env, stdin=open(bad, "rb"),
                              capture_output=True, text=True, timeout=120)
        same(done.returncode, code, f"{name}, through a pipe: {done.stdout[:400]} {done.stderr}")
        same(contents(m.root), before, f"{name}, through a pipe: the cache")
        if m.opt.verbose:
            print(f"  {name}: {code}: {answer['why']}")
        n += 1
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", pack.write(bad))
    same((code, states(answer)), (0, {"imported": 6}), "the good one")
    print(f"  {n} bad packs")


@case
def too_many_entries(m):
    """More members than there may be are refused by the manifest alone; tiny ones up to the limit are not."""
    lib, pack = primed(m, count=1)
    entry = dict(pack.manifest["entries"][0])
    key = entry["key_bytes"]
    for n, words in ((100001, ""),):
        pack.manifest["entries"] = [dict(entry, name=f"{h[0]}/{h[1]}/{h[2:]}") for h in (f"{i:016x}" for i in range(n))]
        pack.manifest["totals"] = {"entries": n, "key_bytes": n * key, "payload_bytes": n * entry["payload_bytes"]}
        pack.write(m.folder / "x.tar.zst")
        answer, code = m.answer("import", "--allow-unsigned", "--foreign", m.folder / "x.tar.zst")
        same((code, answer["end"]), (6, "refused"), answer["why"])
        check("100000" in answer["why"] or "100,000" in answer["why"] or "at most" in answer["why"], answer["why"])
        check(not m.root.exists(), "there is no cache")


# ---- signatures ----

@case
def signatures(m):
    """Whose packs are believed: keys and signatures of the real minisign."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    stranger = packs.key_pair(m.folder, "stranger")
    lib, pack = primed(m, count=4)
    file = pathlib.Path(pack.write(m.folder / "x.tar.zst"))
    beside = pathlib.Path(f"{file}.minisig")
    keys = m.home / ".config" / "jitwarm" / "keys"
    other = m.folder / "other"
    other.write_text("other bytes\n")

    def tried(what, code, state, words=(), *args):
        m.forget_cache()
        forget_memory(m)
        answer, got = m.answer("import", file, lib, *args)
        same((got, answer["pack"]["signature"]["state"]), (code, state), f"{what}: {answer['why']}")
        for word in words:
            check(word in json.dumps(answer, ensure_ascii=False), f"{what}: {word} is not in {answer['why']}")
        same(m.root.exists(), code == 0, f"{what}: the cache")
        return answer

    tried("not signed", 6, "unsigned", ["--allow-unsigned"])
    packs.sign(file, secret, comment="for the lab \u2713")
    key_id = packs.key_id(public)
    tried("by nobody we know", 6, "unknown", [key_id])
    tried("by nobody we know, but that is allowed", 0, "unknown", [key_id], "--allow-unsigned")
    tried("--trust another one", 6, "unknown", [key_id], "--trust", stranger[0])
    answer = tried("--trust", 0, "trusted", [key_id, "for the lab \u2713", str(public)], "--trust", public)
    same(answer["pack"]["signature"]["trusted_comment"], "for the lab \u2713", "the trusted comment")
    text = m.run("import", file, lib, "--trust", public).stdout
    check(key_id in text and "for the lab" in text, text)
    keys.mkdir(parents=True, mode=0o700)
    shutil.copy(public, keys / "lab.pub")
    tried("a key in the folder", 0, "trusted", ["lab.pub"])
    # A key bound to software.
    bound = public.read_text().rstrip("\n")
    (keys / "lab.pub").write_text(bound + "\n# origins: lib*\n")
    tried("a key for this software", 0, "trusted")
    (keys / "lab.pub").write_text(bound + "\n# origins: torch numpy\n")
    tried("a key for other software", 6, "trusted", ["lib.so"])
    # Files that others can write to.
    (keys / "lab.pub").write_text(bound + "\n")
    os.chmod(keys / "lab.pub", 0o666)
    done = tried("a key file that everybody can write to", 6, None, ["lab.pub"])
    check(str(keys / "lab.pub") in done["why"], done["why"])
    os.chmod(keys / "lab.pub", 0o644)
    os.chmod(keys, 0o777)
    tried("a key folder that everybody can write to", 6, None, [str(keys)])
    os.chmod(keys, 0o700)
    if os.geteuid() == 0:
        os.chown(keys / "lab.pub", NOBODY, NOBODY)
        tried("a key file of somebody else's", 6, None, ["lab.pub"])
        os.chown(keys / "lab.pub", 0, 0)
    (keys / "link.pub").symlink_to(public)
    tried("a link in the key folder", 6, None, ["link.pub"])
    (keys / "link.pub").unlink()
    # Signatures that do not hold, though the key is trusted.
    good = beside.read_bytes()
    packs.sign(other, secret)
    beside.write_bytes(pathlib.Path(f"{other}.minisig").read_bytes())
    tried("a signature of other bytes", 6, "wrong", ["x.tar.zst.minisig"])
    tried("a signature of other bytes, and unsigned is allowed", 6, "wrong", [], "--allow-unsigned")
    beside.write_bytes(good[:-20])
    tried("a signature that is cut", 6, "wrong")
    beside.write_bytes(good.replace(b"for the lab", b"for the fab"))
    tried("another trusted comment", 6, "wrong")
    beside.write_bytes(b"")
    tried("an empty signature", 6, "wrong")
    beside.write_bytes(good)
    tried("whole again", 0, "trusted")
    elsewhere = m.folder / "elsewhere.sig"
    beside.rename(elsewhere)
    tried("the signature is gone", 6, "unsigned")
    tried("--signature", 0, "trusted", [], "--signature", elsewhere)
    tried("--signature of another file", 6, "wrong", [], "--signature", pathlib.Path(f"{other}.minisig"))
    # By jitwarm.conf.
    (keys / "lab.pub").unlink()
    conf = m.home / ".config" / "jitwarm" / "jitwarm.conf"
    conf.write_text(f"trust = {public}\n")
    elsewhere.rename(beside)
    tried("a trust line", 0, "trusted", ["jitwarm.conf"])
    os.chmod(conf, 0o666)
    tried("a trust line that everybody can change", 6, None, ["jitwarm.conf"])
    os.chmod(conf, 0o644)
    conf.write_text(f"trust = {public} numpy\n")
    tried("a trust line for other software", 6, "trusted", ["lib.so"])


# ---- the audit ----

@case
def audit(m):
    """A sound pack stands it; one whose machine code is another does not, though every hash in it fits."""
    lib, pack = primed(m, count=10)
    file = pack.write(m.folder / "x.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "30%", file, lib)
    same((code, answer["totals"]["audited"], states(answer)), (0, 3, {"imported": 10}), "a sound one")
    m.forget_cache()
    forget_memory(m)
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", "--audit", "100", file)
    same((code, answer["totals"]["audited"]), (0, 10), "without the software")
    m.forget_cache()
    forget_memory(m)
    files = {}
    for i, (name, data) in enumerate(pack.files.items()):
        key = int.from_bytes(data[4:12], "little")
        payload = bytearray(data[28 + key:])
        payload[-3] ^= i == 4
        files[name] = packs.entry_file(data[28:28 + key], bytes(payload))
    packs.Pack(files, pack.manifest["stamp"], 86, origin="lib.so").write(m.folder / "forged.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "100%", m.folder / "forged.tar.zst", lib)
    same((code, answer["end"]), (6, "refused"), answer["why"])
    check(sorted(files)[4] in answer["why"] and "audit" in answer["why"], answer["why"])
    check(not m.root.exists() or not packs.files_of(m.root), "nothing was imported")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    # A driver that crashes on it: no proof, no import.
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "100%", file, lib,
                            SIMCUDA_FAULTS=f"crash@{sorted(files)[2].replace('/', '')[:12]}")
    same((code, answer["end"]), (6, "refused"), answer["why"])
    check("crashes" in answer["why"], answer["why"])


@case
def carried_and_forged(m):
    """Entries that no driver of this build compiled are left out, and told."""
    lib, pack = primed(m, count=6)
    for i, made in ((1, "carried"), (4, "forged")):
        pack.manifest["entries"][i]["made"] = made
    file = pack.write(m.folder / "x.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", file)
    same((code, states(answer)), (1, {"imported": 4, "unproven": 2}), answer["why"])
    same(m.cache().whole(), [], "the cache")
    text = m.run("import", "--allow-unsigned", "--foreign", file).stdout
    check("carried over or forged" in text, text)


# ---- room ----

@case
def little_room(m):
    lib, pack = primed(m, count=20, least=3000, most=6000)
    file = pack.write(m.folder / "x.tar.zst")
    sizes = [e["key_bytes"] + e["payload_bytes"] for e in pack.manifest["entries"]]
    limit = str(sum(sizes) // 2)
    answer, code = m.answer("import", "--allow-unsigned", file, lib, CUDA_CACHE_MAXSIZE=limit)
    same((code, answer["end"]), (7, "consent"), answer["why"])
    check(any("CUDA_CACHE_MAXSIZE" in a for a in answer["advice"]) and any("--yes" in a for a in answer["advice"]), f"{answer['advice']}")
    check(not m.root.exists(), "nothing was done")
    answer, code = m.answer("import", "--allow-unsigned", "--yes", file, lib, CUDA_CACHE_MAXSIZE=limit)
    same((code, answer["end"]), (1, "partly"), answer["why"])
    check(sum(s for _, s in m.cache().records) <= int(limit), "the limit is kept")
    same((m.cache().whole(), answer["verify"]["verified"]), ([], True), "what fits is there")
    answer, code = m.answer("import", "--allow-unsigned", "--force", "--no-verify", file, lib, CUDA_CACHE_MAXSIZE=limit)
    same((code, sum(states(answer).values())), (0, 20), "--force")
    is_imported(m, pack)


def own_store(m):
    m.env["JITWARM_STORE"] = str(m.folder / "store")


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=own_store)
