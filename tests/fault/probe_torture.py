#!/usr/bin/env python3
"""probe_torture.py kill|syscalls TOOL DRIVER [--runs N] [--call NAME:NUMBER]

`jitwarm doctor --probe` on the simulated driver, and all that can go wrong around it.

    kill       a random process of the tree (the tool, or one of its workers) is killed with SIGKILL, N times
    syscalls   each system call of the tool itself fails in turn (strace; the workers go on undisturbed), or N of them
               (sample.py), or one alone

After each run: no process of it lives, the cache of the user is as it was, byte for byte, what is remembered is the
truth or nothing, and there is nothing else but jitwarm-work-* folders, which the next run removes. Exit 77: no strace.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rigs"))
import sample  # noqa: E402
from machine import Machine, fnv, kill  # noqa: E402
from sample import report  # noqa: E402

PATIENCE = 90  # seconds for one run; the longest wait for a worker is that of --timeout in the tool


class Trial(Machine):
    """A home of its own, with a cache in it that nobody may touch."""

    def __init__(self, opt, folder):
        super().__init__(opt, folder)
        self.state = folder / "state"
        (self.root / "4" / "2").mkdir(parents=True)
        (self.root / "index").write_bytes(b"the user's own index")
        (self.root / "4" / "2" / "3e06b9e6ec62aa").write_bytes(b"the user's own entry")
        self.before = self.contents()
        # A machine with one library: all that is installed here has nothing to do with the probe, and thousands of calls.
        software = folder / "machine" / "opt" / "app"
        software.mkdir(parents=True)
        shutil.copy(opt.sim, software / "libapp.so")
        self.env["ASAN_OPTIONS"] = "detect_leaks=0"  # which does not go with strace

    def contents(self):
        return {str(p.relative_to(self.home)): (p.stat().st_mtime_ns, p.read_bytes() if p.is_file() else b"")
                for p in sorted(self.home.rglob("*"))}

    def command(self):
        return [str(self.opt.tool), "doctor", "--probe", "--json"]

    def problems(self):
        """What one run should not have left behind."""
        out = [f"process {p} is still there: {cmdline(p)}" for p in self.wait_for_silence()]
        for pid in self.processes():
            kill(pid)
        if self.contents() != self.before:
            out.append("the user's cache or home was touched")
        if not self.state.exists():
            return out
        for path in self.state.iterdir():
            if path.name == "drivers":
                out += self.problems_of_memory(path)
            elif path.name in ("caches", "ledger"):
                continue
            elif not (path.name.startswith("jitwarm-work-") and path.is_dir()):
                out.append(f"{path.name} was left in the state folder")
        return out

    def problems_of_memory(self, folder):
        """Temporary names may be left by a kill; what bears a whole name is whole."""
        out = []
        for path in folder.iterdir():
            if path.name.endswith(".record") and not path.name.startswith(".") and not is_record(path.read_bytes()):
                out.append(f"{path.name} is torn")
        return out

    def next_run_cleans_up(self):
        done = subprocess.run(self.command(), env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        out = self.problems()
        if done.returncode not in (0, 1) or '"level": "placeable"' not in done.stdout:
            out.append(f"the next run ends with {done.returncode}: {done.stderr.strip()} {done.stdout}")
        out += [f"{p.name} is still there after the next run" for p in self.state.iterdir() if p.name not in ("drivers", "caches", "ledger")]
        return out


def is_record(data):
    """One record of memory as base/fields.h has it: its length, kind, fields, and FNV-1a of them."""
    if len(data) < 14 or struct.unpack_from("<I", data)[0] != len(data) - 14:
        return False
    return fnv(data[:-8]) == struct.unpack("<Q", data[-8:])[0]


def cmdline(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "gone"


def kill_loop(trial, rounds):
    begun = time.monotonic()
    failed = report("a run in peace", trial.next_run_cleans_up())
    length = time.monotonic() - begun
    hit = collections.Counter()
    # A run that ended before its kill has proven nothing: it is not a round, and the next kill comes sooner.
    while (n := hit["the tool"] + hit["a worker"]) < rounds:
        if hit["nobody"] > 50 + 5 * rounds:
            sys.exit(f"{hit['nobody']} runs ended before their kill, {n} did not")
        running = subprocess.Popen(trial.command(), env=trial.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait = random.uniform(0, length)
        time.sleep(wait)
        alive = trial.processes()
        workers = [p for p in alive if p != running.pid]
        victim = random.choice(workers if workers and n % 2 else alive) if alive else None
        hit["nobody" if victim is None else "the tool" if victim == running.pid else "a worker"] += 1
        told = cmdline(victim) if victim else "nobody"
        if victim:
            kill(victim)
        else:
            length *= 0.9
        try:
            running.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            kill(running.pid)
            running.wait()
            failed += report(f"round {n}", ["it hung"])
        failed += report(f"round {n}, {told} killed after {wait * 1000:.1f} ms", trial.problems())
        if n % 10 == 9:
            failed += report(f"the run after round {n}", trial.next_run_cleans_up())
    failed += report("the last run", trial.next_run_cleans_up())
    print(f"{rounds} rounds, killed: {dict(hit)}; {failed} problems")
    return failed


def calls_of(trial, folder):
    log = folder / "strace"
    subprocess.run(["strace", "-qq", "-o", log] + trial.command(), env=trial.env, capture_output=True, timeout=PATIENCE)
    return sample.calls_in(log.read_text(errors="replace"))


ERRORS = {"fork": "EAGAIN", "clone": "EAGAIN", "clone3": "EAGAIN", "mmap": "ENOMEM", "brk": "ENOMEM", "write": "ENOSPC",
          "mkdir": "ENOSPC", "mkdirat": "ENOSPC"}


def syscall_loop(trial, folder):
    calls = calls_of(trial, folder)
    if not calls:
        print("SKIP: strace may not trace here")
        return None
    failed = runs = 0
    for name, nth in sample.draw(calls, trial.opt.runs, trial.opt.call):
        shutil.rmtree(trial.state, ignore_errors=True)
        inject = f"inject={name}:error={ERRORS.get(name, 'EIO')}:when={nth}"
        command = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject] + trial.command()
        runs += 1
        what = f"{name} number {nth}"
        try:
            done = subprocess.run(command, env=trial.env, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            failed += report(what, ["it hung"] + trial.problems())
            continue
        if done.returncode < 0 or done.returncode > 130:
            failed += report(what, [f"it ended with {done.returncode}: {done.stderr.strip()[-200:]}"])
        failed += report(what, trial.problems())
        if runs % 10 == 0:
            failed += report(f"the run after {what}", trial.next_run_cleans_up())
    failed += report("the last run", trial.next_run_cleans_up())
    sample.again(failed)
    print(f"{len(calls)} calls of {len(dict(calls))} kinds, {runs} failed in turn; {failed} problems")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kill", "syscalls"))
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("sim", type=pathlib.Path)
    sample.add_options(parser)
    opt = parser.parse_args()
    if opt.what == "syscalls" and not shutil.which("strace"):
        print("SKIP: there is no strace")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="jitwarm-torture-", dir=os.environ.get("JW_TEST_MEMORY")) as name:
        trial = Trial(opt, pathlib.Path(name))
        failed = kill_loop(trial, opt.runs or 25) if opt.what == "kill" else syscall_loop(trial, pathlib.Path(name))
    sys.exit(77 if failed is None else 1 if failed else 0)


if __name__ == "__main__":
    main()
