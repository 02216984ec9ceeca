"""What the proofs have in common: cases by name, a machine for each, checks that say what they saw, and system calls that fail
in turn."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from machine import Machine

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "fault"))
import sample  # noqa: E402

ERRORS = {"fork": "EAGAIN", "clone": "EAGAIN", "clone3": "EAGAIN", "mmap": "ENOMEM", "write": "ENOSPC", "pwrite64": "ENOSPC",
          "mkdir": "ENOSPC", "mkdirat": "ENOSPC", "openat": "EMFILE", "fsync": "EIO", "fdatasync": "EIO"}


class Skip(Exception):
    """The case cannot be tried here, and why."""


def same(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def check(cond, what):
    if not cond:
        raise AssertionError(what)


class Cases(dict):
    """`@case` makes a function one, under its name; `run` is the program."""

    def __call__(self, fn):
        self[fn.__name__.replace("_", "-")] = fn
        return fn

    def run(self, doc, rounds, prepare=lambda m: None, machine=Machine, paths=(), seed=1):
        """`machine` is what a case is given; `paths` are options of its own; `seed` is that of chance, unless an option says another."""
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("cases", nargs="+")
        for name in ("tool", "sim", "gen", "play", *paths):
            parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve())
        sample.add_options(parser, "--rounds", rounds)
        parser.add_argument("--seed", type=int, default=seed)
        parser.add_argument("--verbose", action="store_true")
        opt = parser.parse_args()
        if opt.cases == ["list"]:
            print("\n".join(self))
            return 0
        names = list(self) if opt.cases == ["all"] else opt.cases
        results = [self.run_one(name, opt, prepare, machine) for name in names]
        return 1 if "failed" in results else 77 if results.count("skipped") == len(results) else 0

    def run_one(self, name, opt, prepare, machine):
        with tempfile.TemporaryDirectory(prefix="jitwarm-proof-", dir=os.environ.get("JW_TEST_MEMORY")) as folder:
            began = time.monotonic()
            m = machine(opt, folder)
            prepare(m)
            try:
                self[name](m)
                print(f"{name}: {time.monotonic() - began:.1f} s")
                return "done"
            except Skip as why:
                print(f"SKIP: {name}: {why}")
                return "skipped"
            except (AssertionError, subprocess.SubprocessError, KeyError) as wrong:
                print(f"{name}: FAILED: {type(wrong).__name__}: {wrong}")
                return "failed"
            finally:
                m.close()


def calls_of(m, args, env):
    """Each call that the command makes after it began: its name, and which of that name."""
    if not shutil.which("strace"):
        raise Skip("there is no strace")
    log = m.folder / "strace"
    subprocess.run(["strace", "-qq", "-o", log, *m.command(*args)], env=env, capture_output=True, stdin=subprocess.DEVNULL)
    text = log.read_text(errors="replace") if log.exists() else ""
    if not text:
        raise Skip("strace may not trace here")
    return sample.calls_in(text)


def failing_calls(m, args, reset):
    """Each system call of the command fails in turn, or --rounds of them (sample.py), or --call: what was done, and how it ended.
    A failure is reported; no process stays."""
    env = dict(m.env, ASAN_OPTIONS="detect_leaks=0")
    todo = calls_of(m, args(), env)
    drawn = sample.draw(todo, m.opt.rounds, m.opt.call)
    ended = {}
    for name, nth in drawn:
        reset()
        what = f"{name} number {nth} fails"
        done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e",
                               f"inject={name}:error={ERRORS.get(name, 'EIO')}:when={nth}", *m.command(*args())],
                              env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        check(0 <= done.returncode <= 130, f"{what}: it ended with {done.returncode}: {done.stderr[-300:]}")
        if done.returncode:
            check(done.stdout or done.stderr, f"{what}: exit {done.returncode}, and not a word")
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        yield what, done.returncode
        ended[done.returncode] = ended.get(done.returncode, 0) + 1
    print(f"  {len(todo)} calls, {len(drawn)} failed in turn; exit codes {ended}")


def finish(cases, doc, rounds, **options):
    sys.exit(cases.run(doc, rounds, **options))
