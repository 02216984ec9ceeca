#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY

`jitwarm export` and `import` on the simulated driver: two machines, kills at any instant, crowds,
hostile folders and hostile packs. Nothing here is about hardware. Packs are made and caches are
read by code that is not the tool's (packs.py, ../rigs/machine.py), but where `jitwarm export`
itself is the point. Each case is a function here, in hostile.py or in trust.py; `list` prints their
names. Exit 77: the case cannot be tried here.
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
import time

import hostile  # noqa: F401: its cases are run here, too
import trust  # noqa: F401: likewise
import packs
from grounds import (case, contents, count_calls, counts, forget_memory, is_imported, key_pair,
                     need_root, NOBODY, primed, Repeated, texts, trust_for_good, User, words)
from machine import kill
from cases import check, failing_calls, finish, same

# ---- two machines ----

@case
def two_machines(m):
    """Prime on one, export, import on the other: there a fresh process adds no entry, and another
    user's programs find all."""
    root = os.geteuid() == 0
    one, two = User(m.opt, m.folder / "one",
                    10001 if root else os.getuid()), User(m.opt, m.folder / "two",
                                                          10002 if root else os.getuid())
    os.chmod(m.folder, 0o755)
    for laptop in (one, two):
        laptop.library("app/libapp.so", count=40)
        laptop.give()
    answer, code = one.answer("prime", one.folder / "app")
    same((code, answer["answer"]["is"]), (0, "warm"), "prime on the one")
    for name in "app", "again":
        done = one.run("export", "-o", one.folder / f"{name}.tar.zst", one.folder / "app")
        same(done.returncode, 0, f"export: {done.stdout}{done.stderr}")
    pack = one.folder / "app.tar.zst"
    same(pack.read_bytes(), (one.folder / "again.tar.zst").read_bytes(),
         "the same entries give the same bytes")
    shutil.copy(pack, two.folder / "app.tar.zst")
    os.chmod(two.folder / "app.tar.zst", 0o644)
    told = subprocess.run(
        ["tar", "--zstd", "-xOf", two.folder / "app.tar.zst", "jitwarm/manifest.json"],
        capture_output=True, text=True, check=True).stdout
    for word in (str(one.folder), "10001", os.uname().nodename):
        check(not re.search(rf"(?<![0-9A-Za-z]){re.escape(word)}(?![0-9A-Za-z])", told),
              f"the pack does not tell {word}")
    answer, code = two.answer("import", "--allow-unsigned", two.folder / "app.tar.zst",
                              two.folder / "app")
    same((code, answer["result"], counts(answer), answer["answer"]["is"]),
         (0, "done", (40, 0), "warm"), f"import on the other: {answer}")
    same((answer["proof"]["proven"], answer["proof"]["loaded"]), (True, 20), "a sample was loaded")
    before = contents(two.root)
    same(packs.files_of(one.root), packs.files_of(two.root), "the same entries")
    answer, code = two.answer("doctor", two.folder / "app")
    same(code, 0, f"doctor there: {answer}")
    same(contents(two.root), before, "doctor added and changed nothing")
    answer, code = two.answer("status")
    same((code, answer["answer"]["is"], answer["answer"]["modules"]), (0, "warm", 40),
         f"the software is a root there: {answer}")
    answer, code = two.answer("import", "--allow-unsigned", two.folder / "app.tar.zst")
    same((code, answer["result"], counts(answer)), (0, "there", (0, 40)), "once more")


@case
def another_build(m):
    """With another build of the driver, another GPU, another system: refused with both values, and
    no cache; of a folder it is passed over."""
    _, pack = primed(m, count=5)
    file = pack.write(m.folder / "x.tar.zst")
    other = "aarch64" if packs.HERE != "aarch64" else "x86_64"

    def refused(what, expected, change=None, **env):
        changed = packs.Pack(pack.files, pack.manifest["stamp"], 86, origin="lib.so")
        changed.manifest.update(change or {})
        changed.write(file)
        answer, code = m.answer("import", "--allow-unsigned", file, **env)
        same((code, answer["message"]),
             (5, "Nothing was imported: nothing there is for this machine."),
             f"{what}: {answer['why']}")
        check("for this machine" in answer["todo"][0]["text"], answer)
        for word in expected:
            check(word in answer["why"], f"{what}: {word} in: {answer['why']}")
        check(not m.root.exists(), f"{what}: there is no cache")
        folder = m.folder / "folder"
        folder.mkdir(exist_ok=True)
        shutil.copy(file, folder)
        answer, code = m.answer("import", "--allow-unsigned", folder, **env)
        same((code, answer["passed_over"]), (5, 1), f"{what}, in a folder: {answer['why']}")
        for word in expected:
            check(word in answer["why"], f"{what}: {word} in: {answer['why']}")

    refused("another build", ["20260218-010203", "20260107-625146"],
            {"stamp": "Feb 18 202601:02:03"})
    refused("another GPU", ["sm_86", "sm_90"], SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    refused("another system", ["windows", "linux", other, packs.HERE],
            {"os": "windows", "arch": other})
    good = pack.write(m.folder / "folder" / "good.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", good.parent)
    same((code, counts(answer), answer["passed_over"]), (0, (5, 0), 1),
         f"a folder with one that fits: {answer}")
    is_imported(m, pack)


@case
def levels(m):
    """Below level 3 there are no packs, and one sentence says so."""
    _, pack = primed(m, count=4)
    pack.write(m.folder / "x.tar.zst")
    for level in "0", "1", "2":
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "x.tar.zst",
                                SIMCUDA_KNOWLEDGE=level)
        check(code in (1, 3, 5), f"level {level}: {code}: {answer['why']}")
        check(not packs.files_of(m.root), "nothing is in the cache")


# ---- export ----

@case
def damaged_entries_are_left_out(m):
    lib, _ = m.library(count=6)
    m.answer("prime", lib)
    names = sorted(packs.files_of(m.root))
    m.damage(int(names[1].replace("/", ""), 16))
    (m.root / names[2]).unlink()
    answer, code = m.answer("export", "-o", m.folder / "x.tar.zst", lib)
    pack, = answer["packs"]
    same((code, answer["result"], pack["entries"], pack["damaged"], pack["missing"]),
         (1, "partly", 4, 1, 1), f"export: {answer}")
    check(
        f"not packed for sm_86: 1 missing (one of {lib}), 1 damaged"
        in [note["text"] for note in answer["notes"]], f"export: {answer}")
    listed = subprocess.run(["tar", "--zstd", "-tf", m.folder / "x.tar.zst"], capture_output=True,
                            text=True, check=True).stdout.split()
    same(listed,
         [f"cache/{n}" for i, n in enumerate(names) if i not in (1, 2)] + ["jitwarm/manifest.json"],
         "what is in it")
    # Of two libraries, the pack has another name without the damaged one.
    m.answer("prime", m.library("other.so", count=2, seed=7)[0])
    (m.folder / "all").mkdir()
    left = pathlib.Path(m.answer("export", "-o", m.folder / "all")[0]["packs"][0]["path"])
    left.write_text("mine")
    answer, code = m.answer("export", "-o", m.folder / "all")
    same((code, answer["result"], left.read_text()), (7, "consent", "mine"),
         f"a file of that name that is no pack: {answer}")


@case
def outputs(m):
    """A name that other users may have planted, one that is no pack, and folders."""
    lib, _ = m.library(count=3)
    m.answer("prime", lib)
    victim, sticky = m.folder / "victim", m.folder / "sticky"
    victim.write_text("secret")
    sticky.mkdir()
    os.chmod(sticky, 0o1777)
    (sticky / "out").symlink_to(victim)
    (sticky / "folder").symlink_to(m.folder)
    folder = sticky / "folder"
    for target in sticky / "out", folder / "new.tar.zst", folder, f"{folder}/":
        done = m.run("export", "--yes", "-o", target)
        same((done.returncode, victim.read_text(), "is a link" in done.stderr), (2, "secret", True),
             f"-o {target}: {done.stderr}")
    check(not (m.folder / "new.tar.zst").exists(), "behind a link to a folder")
    (m.folder / "shared").mkdir()
    name = pathlib.Path(m.answer("export", "-o", m.folder / "shared")[0]["packs"][0]["path"]).name
    (sticky / name).symlink_to(victim)
    done = m.run("export", "--yes", "-o", sticky)
    same((done.returncode, victim.read_text(), "other users can make links in" in done.stderr),
         (2, "secret", True), f"in a folder: {done.stderr}")
    (m.folder / "mine").symlink_to(victim)  # a link that only this user can have made
    answer, code = m.answer("export", "-o", m.folder / "mine")
    same((code, answer["result"], victim.read_text()), (7, "consent", "secret"),
         f"a file that is no pack: {answer}")
    answer, code = m.answer("export", "--yes", "-o", m.folder / "mine")
    same((code, victim.read_bytes()[:4], (m.folder / "mine").is_symlink()),
         (0, b"\x28\xb5\x2f\xfd", True), "it is replaced, and the link stays")
    for target, code in (m.folder / "none" / "x", 2), (f"{m.folder}/none/", 2), ("/dev/null", 2):
        same(m.run("export", "-o", target).returncode, code, f"-o {target}")
    old = m.folder / "signed.tar.zst"
    (m.folder / "signed.tar.zst.minisig").write_text("of an older file")
    same(m.run("export", "-o", old).returncode, 0, "over an older one")
    check(not (m.folder / "signed.tar.zst.minisig").exists(), "its signature went with it")
    (m.folder / "signed.tar.zst.minisig").write_text("of what stays")
    for name in packs.files_of(m.root):
        m.damage(int(name.replace("/", ""), 16))
    same((m.run("export", "-o", old).returncode, (m.folder / "signed.tar.zst.minisig").exists()),
         (1, True), "nothing is written")


@case
def planted_by_another_user(m):
    """In a sticky folder another user's link in the place of -o is refused, also one that comes
    while a first pack is written; a file stays."""
    need_root()
    os.chmod(m.folder, 0o755)
    u = User(m.opt, m.folder / "user", 10003)
    u.library("lib.so", count=30, least=20000, most=60000)
    sticky = m.folder / "sticky"
    sticky.mkdir()
    os.chmod(sticky, 0o1777)
    victim = u.folder / "victim"
    victim.write_text("secret")
    u.give()
    same(u.answer("prime", "lib.so")[1], 0, "prime")
    subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", "--clear-groups", "ln", "-s", victim, sticky / "out"],
        check=True)
    done = u.run("export", "--yes", "-o", sticky / "out")
    same((done.returncode, victim.read_text()), (2, "secret"), done.stderr)
    (sticky / "file").write_text("mine")
    os.chown(sticky / "file", NOBODY, NOBODY)
    done = u.run("export", "--yes", "-o", sticky / "file")
    check(done.returncode in (2, 4), f"another user's file: {done.returncode} {done.stderr}")
    same((sticky / "file").read_text(), "mine", "another user's file")
    u.env["SIMCUDA_GPUS"] = "sm_86:one:8G;sm_90:two:8G"
    same(u.answer("prime", "lib.so")[1], 0, "prime for two GPUs")
    second = pathlib.Path(u.answer("export", "-o", sticky)[0]["packs"][1]["path"])
    # the first pack may be written before it can be made; or the kernel refuses the link first
    while not second.is_symlink() or run.returncode == 4:
        second.unlink()
        run = u.start("export", "-o", sticky)
        while run.poll() is None and not list(sticky.glob(".jw-*")):
            pass
        with contextlib.suppress(FileExistsError):
            second.symlink_to(victim)
        said = run.communicate()
    same((run.returncode, victim.read_text(), "a link was put in its place" in said[1]),
         (2, "secret", True), f"a link that came later: {said}")


@case
def export_kills(m):
    """kill -9 at a random instant: the name has the older file or the whole new one, and the next
    run removes what was left."""
    lib, _ = m.library(count=30, least=20000, most=60000)
    m.answer("prime", lib)
    out, rng = m.folder / "out", random.Random(m.opt.seed)
    out.mkdir()
    file = out / "x.tar.zst"
    began = time.monotonic()
    same(m.run("export", "-o", file).returncode, 0, "export")
    length, whole = time.monotonic() - began, file.read_bytes()
    kept = 0
    for i in range(m.opt.rounds or 20):
        file.write_bytes(b"")
        run = m.start("export", "-o", file)
        time.sleep(rng.uniform(0, length))
        kill(run.pid)
        run.communicate(timeout=60)
        data = file.read_bytes()
        check(data in (b"", whole), f"round {i}: {len(data)} bytes of {len(whole)}")
        kept += data == b""
    same(m.run("export", "-o", file).returncode, 0, "export again")
    same([p.name for p in out.iterdir()], ["x.tar.zst"], "what was left is gone")
    print(f"  {m.opt.rounds or 20} kills, {kept} kept the older file")


# ---- kills ----

class Trial(Repeated):
    """A cache with entries of its own, that many imports are begun on."""

    def __init__(self, m, count):
        self.m = m
        _, old = primed(m, "other.so", count=15, seed=7)
        _, self.pack = primed(m, count=count, least=300, most=3000)
        old.write(m.folder / "old.tar.zst")
        self.args = ("import", "--allow-unsigned", self.pack.write(m.folder / "x.tar.zst"))
        answer, code = m.answer("import", "--allow-unsigned", m.folder / "old.tar.zst")
        same((code, answer["result"]), (0, "done"), "the entries that were there before")
        self.old = contents(m.root)
        self.records = m.cache().records
        self.copy = m.folder / "as-it-was"
        shutil.copytree(m.root, self.copy, symlinks=True)

    def reset(self):
        shutil.rmtree(self.m.root)
        shutil.copytree(self.copy, self.m.root, symlinks=True)

    def problems(self):
        """What no import may leave behind, however it ended."""
        cache = self.m.cache(deep=False)  # every byte is compared below
        out = list(cache.problems)
        there = packs.files_of(self.m.root)
        out += [
            f"{h:016x} is recorded, and no such entry is there" for h, s in cache.records
            if cache.entries.get(h) != s
        ]
        if cache.records[:len(self.records)] != self.records:
            out.append("the records that were there before are not what they were")
        for name, (mode, uid, mtime, body) in self.old.items():
            if body is not None and name != "index":
                if there.pop(name, None) != body:
                    out.append(f"{name}, which was there before, was touched")
        out += [
            f"{name} is not as it is in the pack" for name, data in there.items()
            if self.pack.files.get(name) != data
        ]
        known = {"index", *self.old, *self.pack.files}
        out += [
            f"{p} is in the cache, and is no entry"
            for p in (str(q.relative_to(self.m.root)) for q in self.m.root.rglob("*")
                      if q.is_file()) if p not in known and not p.startswith("jitwarm-work-")
        ]
        return out

    def next_run_goes_on(self):
        answer, code = self.m.answer(*self.args)
        same((code, sum(counts(answer))), (0, len(self.pack.files)),
             f"the next run: {answer['why']}")
        same(self.problems(), [], "the cache after the next run")
        same(self.m.cache(deep=False).whole(), [], "its index")
        same(self.m.leftovers(), [], "staging that the next run should have removed")
        same([str(p) for p in self.m.root.glob("jitwarm-*")], [], "folders of ours in the cache")


@case
def import_kills(m):
    """kill -9 at a random instant; and, where there is strace, at a random system call of the
    tool."""
    trial = Trial(m, count=120)
    rng = random.Random(m.opt.seed)
    trial.next_run_goes_on()
    length = trial.length()
    calls, first, last = count_calls(trial, "rename")
    hit = {"before": 0, "within": 0, "after": 0}
    for i in range(m.opt.rounds):
        if rng.random() < 0.9:
            trial.reset()
        # every other one of these while entries are put into the cache, or a thread writes one
        if calls and i % 2:
            at = rng.randrange(len(calls)) if i % 4 == 1 else rng.randrange(first, last + 1)
            name, nth = calls[at], calls[:at + 1].count(calls[at])
            if i % 8 == 7:
                name, nth = "pwrite64", rng.randrange(1, 40)
            what = f"round {i}, {trial.killed_at(name, nth, *['-f'] * (i % 8 == 7))}"
        else:
            what = f"round {i}, {trial.signalled(signal.SIGKILL, rng.uniform(0, length))[0]}"
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        same(trial.problems(), [], what)
        new = len(packs.files_of(m.root)) - len(
            [n for n, v in trial.old.items() if v[3] is not None and n != "index"])
        if m.opt.verbose:
            print(f"  {what}: {new} entries")
        hit["before" if not new else "after" if new == len(trial.pack.files) else "within"] += 1
        if i % 10 == 9:
            trial.next_run_goes_on()
    trial.next_run_goes_on()
    print(f"  {m.opt.rounds} kills: {hit}")


@case
def interrupted(m):
    """Whole entries only."""
    trial = Trial(m, count=200)
    trial.next_run_goes_on()
    trial.interrupted(12)


@case
def syscalls(m):
    """Each system call of an import on a small pack fails in turn; or --rounds of them."""
    trial = Trial(m, count=4)
    trial.next_run_goes_on()
    trial.reset()
    for what, code, _ in failing_calls(m, lambda: trial.args, trial.reset):
        same(trial.problems(), [], f"{what} (exit {code})")
        if code in (2, 3, 5, 6, 7):
            same({k: v
                  for k, v in contents(m.root).items() if v[3] is not None}, {
                      k: (m_, u, (m.root / k).lstat().st_mtime_ns, b)
                      for k, (m_, u, t, b) in trial.old.items() if b is not None
                  }, f"{what}: the cache after a refusal")
    trial.next_run_goes_on()


# ---- crowds ----

@case
def crowd(m):
    """16 imports of 4 packs that overlap, and 4 programs that compile into the same cache
    meanwhile."""
    _, whole = primed(m, count=80, least=500, most=9000)
    names = sorted(whole.files)
    files = [
        packs.Pack({n: whole.files[n]
                    for n in names[20 * i:20 * i + 40] or names}, whole.manifest["stamp"], 86,
                   origin="lib.so").write(m.folder / f"pack{i}.tar.zst") for i in range(4)
    ]
    all_texts = texts(m, 32)
    programs = [
        subprocess.Popen([
            m.opt.play, m.opt.sim, "init", "ctx 0",
            *(w for k in range(8 * i, 8 * i + 8) for w in (f"load {all_texts[k]}", f"fn only{k}"))
        ], env=dict(m.env, SIMCUDA_COST="0+60"), stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL) for i in range(4)
    ]
    imports = [m.start("import", "--allow-unsigned", "--json", files[i % 4]) for i in range(16)]
    for i, run in enumerate(imports):
        out, err = run.communicate(timeout=300)
        same((run.returncode, json.loads(out)["result"] in ("done", "there")), (0, True),
             f"import {i}: {out[:300]} {err[-300:]}")
    for program in programs:
        same(program.wait(120), 0, "a program")
    is_imported(m, whole, others=32)


# ---- room ----

@case
def little_room(m):
    """Each writer takes of each cache what fits under its limit; all that was there stays, also
    when a program stores one more."""
    pair = key_pair(m.folder)
    trust_for_good(m, pair[0])
    lib, pack = primed(m, count=8, least=5000, most=5000)
    size = max(e["key_bytes"] + e["payload_bytes"] for e in pack.manifest["entries"])
    file, waiting, there = pack.write(
        m.folder / "x.tar.zst"), m.home / ".local/share/jitwarm/packs", m.folder / "there"
    packs.sign(file, pair[1])
    own, _ = m.library("own.so", count=2, least=6 << 20, most=6 << 20,
                       seed=2)  # prime stops where no real program fits the limit
    same(m.run("prime", own).returncode, 0, "what is there")
    m.root.rename(there)
    used = sum(len(data) - 28 for data in packs.files_of(there).values())
    prime = "prime", "--yes", lib

    def program_stores(limit):
        subprocess.run([m.opt.play, m.opt.sim, "init", "ctx 0", f"load {texts(m, 1)[0]}"], env=dict(
            m.env, CUDA_CACHE_MAXSIZE=str(limit)), check=True, stdout=subprocess.DEVNULL)

    shutil.copytree(there, m.root)
    records = [h for h, _ in m.cache().records]
    program_stores(used)
    same([h in m.cache().entries for h in records], [False, True],
         "the double evicts the first that came")
    for writer, command in ("prime", prime), ("packs", prime), ("import", ("import", file)):
        # Of a limit an eighth stays free.
        for fill, limit, fits in ("empty", size * 20 // 7,
                                  2 if writer == "import" else 0), ("near",
                                                                    (used + size * 5 // 2) * 8 // 7,
                                                                    2), ("over", used - 1,
                                                                         0), ("over", 0, 0):
            for folder in m.root, waiting:
                shutil.rmtree(folder, ignore_errors=True)
            forget_memory(m)
            if fill != "empty":
                shutil.copytree(there, m.root)
            if writer == "packs":
                waiting.mkdir(parents=True)
                for end in "", ".minisig":
                    shutil.copy(f"{file}{end}", waiting / f"{pack.key()}-lib.so.tar.zst{end}")
            what, small, before = f"{writer}, {fill}, limit {limit}", {
                "CUDA_CACHE_MAXSIZE": str(limit)
            }, packs.files_of(m.root)
            answer, code = m.answer(*command, **small)
            if writer == "import" and fits:
                same((code, answer["result"], "CUDA_CACHE_MAXSIZE" in words(answer)),
                     (1, "partly", True), words(answer))
            after = packs.files_of(m.root)
            fits -= writer == "prime" and fill == "near"  # it foretells sizes, with a margin
            same((before.items() <= after.items(), len(after) - len(before), m.cache().whole()),
                 (True, fits, []), f"{what}: {code}: {words(answer)}")
            if fill == "near":
                program_stores(limit)
                same((before.keys() <= packs.files_of(m.root).keys(), len(packs.files_of(m.root))),
                     (True, len(after) + 1), what)
                m.damage(int((after.keys() - before.keys()).pop().replace("/", ""), 16))
                m.run(*command, **small)
                same(m.cache().whole(), [],
                     f"{what}: one that is damaged is replaced, for its record counts already")


if __name__ == "__main__":
    finish(case, __doc__, 0)
