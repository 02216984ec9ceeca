#!/usr/bin/env python3
"""export.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES [--rounds N] [--call
NAME:NUMBER]

`jitwarm export` from a cache that the simulated driver filled, and all that can go wrong around it
but kills, which are in tests/pack. After each run the name holds nothing or the old pack if it did
before, or the whole new one, to the byte; the cache is as it was; beside the pack there is nothing
but a folder of jitwarm's, which the next run removes. Exit 77: it cannot be done here.
"""
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("pack", "rigs")]
import packs  # noqa: E402
from cases import Cases, check, failing_calls, finish, same  # noqa: E402
from grounds import contents, mounted, need_root, NOBODY, User  # noqa: E402

case = Cases()
MODULES = 24


def said(done):
    return " ".join((done.stdout + done.stderr).split())


def of_the_cache(m, pack):
    """Its entries are files of the cache, to the byte; how many."""
    plain = subprocess.run(["zstd", "-qdc", pack], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        found = {x.name: tar.extractfile(x).read() for x in tar.getmembers()}
    check(found.pop("jitwarm/manifest.json"), "a manifest")
    there = {f"cache/{name}": data for name, data in packs.files_of(m.root).items()}
    same({name
          for name, data in found.items() if there.get(name) != data}, set(),
         "what the cache does not hold")
    return len(found)


class Ground:
    """A cache of 24 modules, the pack of it, and an older one that lacks an entry."""

    def __init__(self, m):
        self.m, self.out = m, m.folder / "out"
        self.out.mkdir()
        self.lib, _ = m.library(count=MODULES, least=20000, most=400000, seed=7)
        if isinstance(m, User):
            m.give()
        # where its memory cannot be read, the same entries are still the same bytes
        m.env["SOURCE_DATE_EPOCH"] = "1790000000"
        same(m.run("prime", "--as-root", "-q", self.lib).returncode, 0, "prime")
        self.pack = self.out / "x.tar.zst"
        self.args = ("export", "-o", self.pack)
        self.new = self.make(MODULES)
        entry, away = m.root / min(packs.files_of(m.root)), m.folder / "away"
        entry.rename(away)
        self.old = self.make(MODULES - 1)
        away.rename(entry)
        self.before = contents(m.home)

    def make(self, n):
        self.m.run(*self.args)
        same(of_the_cache(self.m, self.pack), n, "entries in the pack")
        return self.pack.read_bytes()

    def set_up(self, old):
        self.pack.unlink(missing_ok=True)
        if old:
            self.pack.write_bytes(self.old)

    def is_left(self, what, allowed):
        same(contents(self.m.home), self.before, f"{what}: the cache and the home")
        held = self.pack.read_bytes() if self.pack.exists() else None
        check(
            held in allowed,
            f"{what}: the name holds {'nothing' if held is None else f'{len(held)} other bytes'}")
        left = [p.name for p in self.out.iterdir() if p != self.pack] + [
            p.name for p in (self.m.folder / "state").iterdir()
            if p.name not in ("drivers", "caches", "ledger")
        ]
        same(left, [], f"{what}: left behind")

    def next_run_cleans_up(self, what):
        done = self.m.run(*self.args)
        same(done.returncode, 0, f"the run after {what}: {said(done)}")
        self.is_left(f"the run after {what}", [self.new])
        same([p.name for p in self.out.iterdir()], [self.pack.name], f"the run after {what}")


@case
def syscalls(m):
    """Each system call of it fails in turn, with and without an older pack."""
    g, old = Ground(m), [None]

    def reset():
        old[0] = None if old[0] else g.old
        g.set_up(old[0])

    for n, (what, code, told) in enumerate(failing_calls(m, lambda: g.args, reset)):
        what += ", over an older pack" if old[0] else ""
        check(
            not ("cannot read part of the cache" in told
                 and "the cache has no such entries" in told),
            f"{what}: it knows what it has not seen: {told}")
        held, allowed = g.pack.read_bytes() if g.pack.exists() else None, [
            g.new
        ] if code == 0 else [g.new, old[0]]
        if held != old[0] and (re.search("could not be read|cannot read", told)
                               or code == 1 and re.search(r"^(Missing|Damaged) ", told, re.M)):
            of_the_cache(m, g.pack)  # what cannot be read is skipped, and reported
            allowed = [held]
        g.is_left(what, allowed)
        if n % 10 == 9:
            g.next_run_cleans_up(what)
    g.next_run_cleans_up("the last one")


@case
def disk(m):
    """The file system of the pack is full, at several sizes, and read-only."""
    g = Ground(m)
    need = 2 * len(
        g.new) // 1024 + 64  # while it is made there are the compressed entries and the pack
    with mounted(m.folder / "small", "size=16k,mode=755") as small:
        pack = small / "x.tar.zst"

        def resized(how):
            subprocess.run(["mount", "-o", f"remount,{how}", small], check=True)

        for kilobytes in [16 + n * need // 12 for n in range(12)] + [2 * need]:
            for old in None, b"", g.old:
                resized(f"size={kilobytes}k")
                for path in small.iterdir():
                    path.unlink() if path.is_file() else shutil.rmtree(path)
                try:
                    if old is not None:
                        pack.write_bytes(old)
                except OSError:
                    continue
                done = m.run("export", "-o", pack)
                same([p.name for p in small.iterdir() if p != pack], [], f"{kilobytes} kB: left")
                held = pack.read_bytes() if pack.exists() else None
                if done.returncode:
                    same((done.returncode, held == old, "disk is full" in said(done), pack.name
                          in done.stdout), (4, True, True, True), f"{kilobytes} kB: {said(done)}")
                else:
                    check(held == g.new, f"{kilobytes} kB: it says that it is done")
        same(done.returncode, 0, "room enough")
        pack.write_bytes(g.old)
        resized("ro")
        done = m.run("export", "-o", pack)
        same(
            (done.returncode, "file system is read-only" in said(done), pack.read_bytes() == g.old),
            (4, True, True), said(done))
        # One of two packs has room: a pack and its compressed entries are there while it is made.
        resized(f"rw,size={3 * len(g.new) // 2048}k")
        pack.unlink()
        done = m.run("export", "--gpu", "sm_80", "--gpu", "sm_90", "-o", small, g.lib)
        check(
            done.returncode == 4 and re.search(
                "Not all packs were written.*sm_80-.*sm_90-.*disk is full", done.stdout, re.S),
            f"room for one of two: {said(done)}")
        for words in ["export", "-o", small, "--gpu", "sm_80",
                      g.lib], ["export", "-o", small], ["import", g.pack]:  # with and without names
            done = m.run(*words, JITWARM_STATE=str(small / "state"),
                         CUDA_CACHE_PATH=str(small / "cache"))
            check(done.returncode == 4 and done.stdout.count("The cache's disk has no room") == 1,
                  f"no room for the probe: {said(done)}")


@case
def rights(m):
    """What may not be read or written, as a user without rights: root may read and write all."""
    need_root()
    os.chmod(m.folder, 0o755)
    u = User(m.opt, m.folder / "user", NOBODY)
    g = Ground(u)

    def run(code, *words, args=()):
        done = u.run(*g.args, *args)
        same((done.returncode, [w for w in words if w not in said(done)]), (code, []), said(done))

    first = u.root / min(packs.files_of(u.root))
    os.chmod(g.out, 0o555)
    run(4, "No pack was written", "ermission denied")
    same(([p.name for p in g.out.iterdir()], g.pack.read_bytes() == g.old), ([g.pack.name], True),
         "a folder that is not ours")
    os.chmod(g.out, 0o755)
    closed = [
        (first, 0o644, (1, "Entries 23", "1 missing", "permission denied")),
        (first.parent, 0o755, (1, "not all of it", "cannot read part of the cache")),
        (u.root, 0o755, (4, "folder cannot be used")),
    ]
    for path, mode, expected in closed:
        os.chmod(path, 0)
        run(*expected)
        os.chmod(path, mode)
    mine = shutil.copy(g.lib, u.home / "mine.so")
    os.chmod(mine, 0)
    run(2, "mine.so", "ermission denied", args=(mine,))
    run(0, "Entries 24")
    same(of_the_cache(u, g.pack), MODULES, "all of it again")


@case
def terminal(m):
    """What it asks and shows where a person sits: a bar is drawn, and then Ctrl-C comes, heard
    between two of the frames of 32 MiB."""
    g = Ground(m)

    def at_terminal(code, expected, answer, question, *args, **env):
        done = subprocess.run(
            [HERE.parent / "cli/terminal.py", answer, question, *m.command("export", *args)],
            env=dict(m.env, TERM="xterm", **env), capture_output=True, text=True)
        same((done.returncode, expected in said(done)), (code, True), said(done))

    g.pack.unlink()
    for answer, code, expected in ("n", 7, "source (PTX)"), ("", 7, "[y/N]"), ("y", 0, "Packed"):
        check(not g.pack.exists(), "after no")
        at_terminal(code, expected, answer, "[y/N]", "-o", g.pack, "--whole-cache")
    same(of_the_cache(m, g.pack), MODULES, "after yes")
    g.pack.write_text("notes")
    at_terminal(7, "is not a pack", "n", "[y/N]", "-o", g.pack)
    same(g.pack.read_text(), "notes", "after no")
    at_terminal(0, "Packed", "yes", "[y/N]", "-o", g.pack)
    large, _ = m.library("large.so", count=100, least=1000000, most=2000000, seed=8)
    same(m.run("prime", "--as-root", "-q", "--yes", large).returncode, 0, "prime")
    before = g.pack.read_bytes()
    at_terminal(130, "No pack was written", "ctrl-c", " %, packing", "-o", g.pack, SLOWLY="1")
    same(([p.name for p in g.out.iterdir()], g.pack.read_bytes() == before), ([g.pack.name], True),
         "after Ctrl-C")


if __name__ == "__main__":
    finish(case, __doc__, 0)
