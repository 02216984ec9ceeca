"""What the proofs have in common: cases by name, a machine for each, checks that say what they saw,
system calls that fail in turn, and a small disk."""
import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from machine import kill as kill_process, Machine

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "fault"))
import sample  # noqa: E402

ERRORS = {
    "fork": "EAGAIN", "clone": "EAGAIN", "clone3": "EAGAIN", "mmap": "ENOMEM", "write": "ENOSPC",
    "pwrite64": "ENOSPC", "mkdir": "ENOSPC", "mkdirat": "ENOSPC", "openat": "EMFILE",
    "rename": "EACCES", "fsync": "EIO", "fdatasync": "EIO"
}


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
        """`machine` is what a case is given; `paths` are options of its own; `seed` is that of
        chance, unless an option says another."""
        parser = argparse.ArgumentParser(description=doc,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
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
        with tempfile.TemporaryDirectory(prefix="jitwarm-proof-",
                                         dir=os.environ.get("JW_TEST_MEMORY")) as folder:
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


def killed(m, args, chance, rounds, reset=lambda: None, length=1.2, sooner=1, **env):
    """The command, or a process of it, is killed at a random instant, so often: what was done. No
    process stays. A run that ended before its kill has proven nothing: it is not a round, and the
    next kill comes `sooner`."""
    hit, late = {"the tool": 0, "a process of it": 0}, 0
    while (n := sum(hit.values())) < rounds:
        check(late <= 50 + 5 * rounds, f"{late} runs ended before their kill, {n} did not")
        reset()
        run, wait = m.start(*args, **env), chance.uniform(0, length)
        time.sleep(wait)
        if run.poll() is not None:
            run.communicate()
            late, length = late + 1, length * sooner
            continue
        tree = [p for p in m.processes() if p != run.pid]
        victim = chance.choice(tree if tree and n % 2 else [run.pid, *tree])
        who = "the tool" if victim == run.pid else "a process of it"
        hit[who] += 1
        kill_process(victim)
        try:
            run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"round {n}: it hangs")
        what = f"round {n}, {who} killed after {wait * 1000:.1f} ms"
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        yield what
    print(f"  {rounds} kills: {hit}")


@contextlib.contextmanager
def small_disk(m, options):
    """The machine's cache is in a file system of these options: gives what changes its size."""
    if os.geteuid():
        raise Skip("needs root, to mount a small file system")
    small = m.folder / "small"
    small.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"{options},mode=755", "tmpfs", small]
    if subprocess.run(mount, capture_output=True).returncode:
        raise Skip("a file system cannot be mounted here")
    m.root = small / "cache"
    m.env["CUDA_CACHE_PATH"] = str(m.root)
    try:
        yield lambda size: subprocess.run(["mount", "-o", f"remount,size={size}", small],
                                          check=True)
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def calls_of(m, args, env, names=None):
    """Each call that the command makes after it began, or of these: its name, and which of that
    name."""
    if not shutil.which("strace"):
        raise Skip("there is no strace")
    log = m.folder / "strace"
    subprocess.run(["strace", "-qq", "-o", log, *m.command(*args)], env=env, capture_output=True,
                   stdin=subprocess.DEVNULL)
    text = log.read_text(errors="replace") if log.exists() else ""
    if not text:
        raise Skip("strace may not trace here")
    return sample.calls_in(text, names)


def failing_calls(m, args, reset, names=None, kill=False):
    """Each system call of the command (of these names) fails in turn, or is its last, or --rounds
    of them (sample.py), or --call: what was done, how it ended, and its words. A failure is
    reported; no process stays."""
    env = dict(m.env, ASAN_OPTIONS="detect_leaks=0")
    todo = calls_of(m, args(), env, names)
    drawn = sample.draw(todo, m.opt.rounds, m.opt.call)
    ended = {}
    for name, nth in drawn:
        reset()
        what = f"{args()[:2]}, {name} number {nth}"
        fault = "signal=KILL" if kill else f"error={ERRORS.get(name, 'EIO')}"
        done = subprocess.run([
            "strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e",
            f"inject={name}:{fault}:when={nth}", *m.command(*args())
        ], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120,
                              cwd=m.folder)
        check(kill or 0 <= done.returncode <= 130 and done.returncode != 70,
              f"{what}: it ended with {done.returncode}: {done.stderr[-300:]}")
        check(kill or not done.returncode or done.stdout or done.stderr,
              f"{what}: exit {done.returncode}, and not a word")
        same(m.wait_for_silence(), [], f"{what}: processes left behind")
        yield what, done.returncode, done.stdout + done.stderr
        ended[done.returncode] = ended.get(done.returncode, 0) + 1
    print(f"  {len(todo)} calls, {len(drawn)} failed in turn; exit codes {ended}")


def finish(cases, doc, rounds, **options):
    sys.exit(cases.run(doc, rounds, **options))
