#!/usr/bin/env python3
"""env.py CASE... --tool JITWARM [--rounds N] [--call NAME:NUMBER]

`jitwarm env apply` and `env undo` in a home of their own, and all that can go wrong around them.
After each run every file is as it was or as it is to be, to the byte, with its mode. Then the same
command in peace finishes the work, and env undo restores the home to what it was before the first
apply. Of N system calls half are those of apply.
"""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rigs"))
from cases import Cases, check, failing_calls, finish, same  # noqa: E402

case = Cases()
WRITING = ("write|fsync|fdatasync|rename|renameat|renameat2|link|linkat|unlink|unlinkat|mkdir|"
           "mkdirat|rmdir|fchmod|fchown").split("|")
FILES = WRITING + ("open|openat|fstat|newfstatat|stat|lstat|read|pread64|readlink|getxattr|"
                   "getdents64|statfs|statx").split("|")


def apply(size):
    return "env", "apply", "--size", size


UNDO = "env", "undo"


def prepare(m):
    """A home with a profile of odd rights, and a file that others have written."""
    (m.home / ".config" / "environment.d").mkdir(parents=True)
    (m.home / ".profile").write_bytes(b"umask 022\nx=1 # and no line break at the end")
    (m.home / ".profile").chmod(0o640)
    (m.home / ".config" / "environment.d" / "10-own.conf").write_text("A=1\n")
    shutil.rmtree(m.folder / "machine")
    m.env["SHELL"] = "/bin/bash"
    del m.env["CUDA_CACHE_MAXSIZE"], m.env["JITWARM_DRIVER"]


def contents(m):
    """{path: what it is}, without temporary files of a killed run: they have another name, and the
    next run removes them."""
    return {
        str(p.relative_to(m.home)): (p.lstat().st_mode, p.readlink()
                                     if p.is_symlink() else p.read_bytes() if p.is_file() else None)
        for p in m.home.rglob("*") if not re.search(r"\.jw-[0-9a-f]+-\d+-\d+\.tmp$", p.name)
    }


def makes(m, args, wanted, what):
    done = m.run(*args)
    same((done.returncode, contents(m)), (0, wanted), f"{what}: {args}: {done.stderr}")


def each_call(m, names, **how):
    before, after = contents(m), {}
    for size in "1GiB", "2GiB":
        same(m.run(*apply(size)).returncode, 0, f"apply {size}")
        after[size] = contents(m)
    makes(m, UNDO, before, "in peace")
    m.opt.rounds //= 2
    for args, begin, end in (apply("2GiB"), before, after["2GiB"]), (UNDO, after["1GiB"], before):
        def reset():
            makes(m, UNDO, before, "undo")
            if begin != before:
                makes(m, apply("1GiB"), begin, "apply")

        reset()
        for what, code, _ in failing_calls(m, lambda: args, reset, names, **how):
            check("kill" in how or code in (0, 1, 2, 4, 6), f"{what}: exit {code}")
            there = contents(m)
            same(
                {
                    k: v
                    for k, v in there.items()
                    if v not in [x.get(k) for x in (before, *after.values())]
                }, {}, f"{what}: neither old nor new")
            same(before.keys() - there.keys(), set(), f"{what}: gone")
            makes(m, args, end, f"after {what}")


@case
def kill_at(m):
    """It is killed with SIGKILL at each system call that changes a file, in turn, or N of them."""
    each_call(m, WRITING, kill=True)


@case
def syscalls(m):
    """Each system call that touches a file fails in turn, or N of them."""
    each_call(m, FILES)


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=prepare)
