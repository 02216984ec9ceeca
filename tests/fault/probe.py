#!/usr/bin/env python3
"""probe.py CASE... --tool JITWARM --sim LIBRARY [--rounds N] [--call NAME:NUMBER]

The probe of a driver that nothing is remembered of, on the simulated driver, and all that can go
wrong around it. After each run no process of it lives, the cache of the user is as it was, byte for
byte, what is remembered is the truth or nothing, and there is nothing else but jitwarm-work-*
folders, which the next run removes.
"""
import pathlib
import random
import shutil
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("pack", "rigs")]
from cases import Cases, check, failing_calls, finish, killed, same  # noqa: E402
from grounds import contents, words  # noqa: E402
from machine import fnv  # noqa: E402

case = Cases()


def prepare(m):
    """A cache that nobody may touch, and a machine with one library: all that is installed here has
    nothing to do with the probe, and thousands of calls."""
    (m.root / "4" / "2").mkdir(parents=True)
    (m.root / "index").write_bytes(b"the user's own index")
    (m.root / "4" / "2" / "3e06b9e6ec62aa").write_bytes(b"the user's own entry")
    m.before = contents(m.home)
    software = m.folder / "machine" / "opt" / "app"
    software.mkdir(parents=True)
    shutil.copy(m.opt.sim, software / "libapp.so")


def is_record(data):
    """One record of memory as base/fields.h has it: its length, kind, fields, and FNV-1a of
    them."""
    return len(data) >= 14 and struct.unpack_from("<I", data)[0] == len(data) - 14 and fnv(
        data[:-8]) == struct.unpack("<Q", data[-8:])[0]


def is_left(m, what):
    """Temporary names may be left by a kill; what bears a whole name is whole."""
    same(contents(m.home), m.before, f"{what}: the user's cache and home")
    state = m.folder / "state"
    left = [
        p.name for p in state.glob("*")
        if p.name not in ("drivers", "caches",
                          "ledger") and not (p.name.startswith("jitwarm-work-") and p.is_dir())
    ]
    torn = [p.name for p in state.glob("drivers/[!.]*.record") if not is_record(p.read_bytes())]
    same((left, torn), ([], []), f"{what}: left in the state folder")


def forget(m):
    shutil.rmtree(m.folder / "state/drivers", ignore_errors=True)


def next_run_cleans_up(m, what):
    forget(m)
    answer, code = m.answer("doctor")
    check(code in (0, 1) and '"level": "placeable"' in words(answer),
          f"the run after {what}: {code}: {answer}")
    is_left(m, f"the run after {what}")
    same((m.wait_for_silence(), m.leftovers()), ([], []), f"the run after {what}")


@case
def kill(m):
    """A random process of the tree (the tool, or one of its workers) is killed with SIGKILL, again
    and again."""
    began = time.monotonic()
    next_run_cleans_up(m, "none")
    for n, what in enumerate(
            killed(m, ["doctor"], random, m.opt.rounds, lambda: forget(m),
                   length=time.monotonic() - began, sooner=0.9)):
        is_left(m, what)
        if n % 10 == 9:
            next_run_cleans_up(m, what)
    next_run_cleans_up(m, "the last one")


@case
def syscalls(m):
    """Each system call of the tool itself fails in turn; the workers go on undisturbed."""
    for n, (what, *_) in enumerate(
            failing_calls(m, lambda: ["doctor"],
                          lambda: shutil.rmtree(m.folder / "state", ignore_errors=True))):
        is_left(m, what)
        if n % 10 == 9:
            next_run_cleans_up(m, what)
    next_run_cleans_up(m, "the last one")


if __name__ == "__main__":
    finish(case, __doc__, 25, prepare=prepare)
