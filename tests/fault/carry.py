#!/usr/bin/env python3
"""carry.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --play PLAY [--rounds N] [--call
NAME:NUMBER]

After an update of the simulated driver that kept its compiler, prime carries entries over. What may
go wrong there: no old entry is lost that has to stay, each new one is an old one with another
stamp, and the next prime does the rest.
"""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rigs"))
from cases import Cases, check, failing_calls, finish, same, small_disk  # noqa: E402

case = Cases()
STAMP = slice(28, 47)  # of an entry's file: when libcuda was built
OLD_STAMP = "Feb  3 2024 41:02:03"


class Updated:
    """A machine whose cache is of an earlier build of its driver."""

    def __init__(self, m, count, **sizes):
        self.m, self.count = m, count
        self.lib, _ = m.library(count=count, **sizes)
        self.first = m.another_build(OLD_STAMP)
        answer, code = m.answer("prime", "--as-root", "--yes", self.lib, **self.first)
        same((code, answer["compiled"]), (0, count), "the first build compiles")
        self.old = self.files()
        m.answer("doctor")  # so that the new build is probed

    def files(self):
        return {p: p.read_bytes() for p in self.m.root.glob("?/?/*")}

    def contents(self, files):
        return {data[:STAMP.start] + data[STAMP.stop:] for data in files.values()}

    def is_sound(self, what, stays=True):
        """Returns the new entries."""
        same(self.m.wait_for_silence(), [], f"{what}: processes left behind")
        same(self.m.cache(deep=False).problems, [], f"{what}: the cache")
        there = self.files()
        new = {path: data for path, data in there.items() if path not in self.old}
        check(self.contents(new) <= self.contents(self.old), f"{what}: an entry is no old one")
        check(not stays or self.old.items() <= there.items(), f"{what}: an old entry is lost")
        return new

    def completes(self):
        answer, code = self.m.answer("prime", "--as-root", "--yes", self.lib)
        same((code, answer["answer"]["is"], answer["answer"]["warm"]), (0, "warm", self.count),
             "the next prime")
        same(len(self.is_sound("the next prime")), self.count, "each module has a new entry")
        same(self.m.cache(deep=False).whole(), [], "and a record")
        same(self.m.leftovers(), [], "what is left")
        return answer


@case
def disks(m):
    """The file system of the cache becomes full while entries are carried over, at several
    sizes."""
    with small_disk(m, "size=200m") as resize:
        u = Updated(m, 24, least=20000, most=60000)
        used = sum(-(-len(data) // 4096) * 4096 for data in u.old.values()) // 1024
        for n in range(m.opt.rounds):  # from no room for one to room for all
            size = used + 200 + n * 2 * used // m.opt.rounds
            resize(f"{size}k")
            done = m.run("prime", "--as-root", "--yes", u.lib)
            check(done.returncode in (0, 1, 4, 7), f"{size} kB: {done.stdout} {done.stderr}")
            u.is_sound(f"{size} kB")
        resize("200m")
        u.completes()


@case
def syscalls(m):
    """Each system call of a prime that carries over fails in turn."""
    u = Updated(m, 4, least=500, most=900)

    def reset():
        for path in u.files():
            if path not in u.old:
                path.unlink()
        m.run("prune", "--yes")

    for done, (what, code, _) in enumerate(
            failing_calls(m, lambda: ("prime", "--as-root", "--yes", u.lib), reset)):
        new = u.is_sound(what)
        if code == 0:
            same(len(new), 4, f"{what}: it says that all is warm")
        if done % 10 == 9:
            u.completes()
    u.completes()


@case
def limit(m):
    """The cache may hold the entries of one build, and some more. While the old build is on this
    machine its entries stay; else they go with the new ones."""
    u = Updated(m, 24, least=300000, most=500000)
    used = sum(map(len, u.old.values()))
    m.env["CUDA_CACHE_MAXSIZE"] = str(max(used * 3 // 2, 16 << 20))
    limit = int(m.env["CUDA_CACHE_MAXSIZE"])
    check(used < limit < 2 * used, f"{limit} is room for one: {used}")
    answer, _ = m.answer("prime", "--as-root", "--yes", u.lib)
    new = u.is_sound("the old build is here")
    check(0 < answer["carried"] < 24 and len(new) < 24, f"some have room: {answer['carried']}")
    pathlib.Path(u.first["JITWARM_DRIVER"]).unlink()
    answer, code = m.answer("prime", "--as-root", "--yes", u.lib)
    same((code, answer["answer"]["is"]), (0, "warm"), "all have room without the old ones")
    new = u.is_sound("the old build is gone", stays=False)
    same((len(new), answer["compiled"]), (24, 0), "all are carried over")
    check(sum(size for _, size in m.cache(deep=False).records) <= limit, "the limit holds")
    same((m.cache(deep=False).whole(), m.leftovers()), ([], []), "what is left")


@case
def pack_limit(m):
    """A signed pack of another build, whose entries no driver here uses: they stay where the cache
    has room for both, and go with the new ones where it has not."""
    u = Updated(m, 24, least=300000, most=500000)
    used = sum(map(len, u.old.values()))
    key, pack = m.folder / "k.key", m.folder / "old.tar.zst"
    m.run("key", "--no-passphrase", "--new", key)
    same(m.answer("export", "-o", pack, "--sign", key, u.lib, **u.first)[1], 0, "export")
    pathlib.Path(u.first["JITWARM_DRIVER"]).unlink()
    for limit, stays in (4 << 30, True), (max(used * 3 // 2, 16 << 20), False):
        m.env["CUDA_CACHE_MAXSIZE"] = str(limit)
        m.forget_cache()
        shutil.rmtree(m.folder / "state")
        answer, _ = m.answer("import", "--as-root", "--trust", m.folder / "k.pub", pack, u.lib)
        same((answer["added"], u.files()), (24, u.old), f"{limit}: what comes in")
        answer, code = m.answer("prime", "--as-root", "--yes", u.lib)
        same((code, answer["carried"], answer["compiled"]), (0, 24, 0), f"{limit}: prime")
        same(len(u.is_sound(f"{limit}", stays)), 24, f"{limit}: each has a new entry")
        check(stays or not u.old.items() <= u.files().items(), f"{limit}: old ones made room")
        same(m.answer("prune")[0]["removable"], len(u.files()) - 24, f"{limit}: prune takes them")
        check(sum(size for _, size in m.cache(deep=False).records) <= limit, "the limit holds")
        same((m.cache(deep=False).whole(), m.leftovers()), ([], []), f"{limit}: what is left")


if __name__ == "__main__":
    finish(case, __doc__, 8)
