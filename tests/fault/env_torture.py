#!/usr/bin/env python3
"""env_torture.py kill-at|syscalls TOOL [--runs N] [--call NAME:NUMBER]

`jitwarm env apply` and `env undo` in a home of their own, and all that can go wrong around them.

    kill-at    the tool is killed with SIGKILL at each system call that changes a file, in turn (strace), or N of them
    syscalls   each system call of the tool that touches a file fails in turn (strace), or N of them (sample.py), or one alone

After each run every file is as it was or as it is to be, to the byte, with its mode. Then the same command
in peace finishes the work, and env undo restores the home to what it was before the first apply. Exit 77: no strace.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import sample
from sample import report

PATIENCE = 60
SIZES = ("1GiB", "2GiB")
PROFILE = b"umask 022\nx=1 # and no line break at the end"


class Trial:
    """A home with a profile of odd rights, and a file that others have written."""

    def __init__(self, opt, folder):
        self.opt, self.home = opt, folder / "home"
        (self.home / ".config" / "environment.d").mkdir(parents=True)
        (self.home / ".profile").write_bytes(PROFILE)
        (self.home / ".profile").chmod(0o640)
        (self.home / ".config" / "environment.d" / "10-own.conf").write_text("A=1\n")
        self.state = folder / "state"
        env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|JITWARM|XDG_|LD_PRELOAD|ZDOTDIR|CONDA", k)}
        self.env = dict(env, HOME=str(self.home), JITWARM_STATE=str(self.state), JITWARM_SYSROOT=str(folder / "machine"),
                        SHELL="/bin/bash", LC_ALL="C.UTF-8",
                        ASAN_OPTIONS="detect_leaks=0")
        self.copy = folder / "as-it-was"
        shutil.copytree(self.home, self.copy, symlinks=True)
        self.before = self.contents()
        self.after = {}
        for size in SIZES:
            self.must("apply", size)
            self.after[size] = self.contents()
        self.must("undo", None)
        if self.contents() != self.before:
            sys.exit("undo in peace does not restore the home")

    def contents(self):
        """{path: what it is}, without temporary files of a killed run: they have another name, and the next run removes them."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if re.search(r"\.jw-[0-9a-f]+-\d+-\d+\.tmp$", name):
                continue
            found[name] = (os.readlink(path) if path.is_symlink() else "folder" if path.is_dir() else path.read_bytes(),
                           path.lstat().st_mode)
        return found

    def command(self, verb, size):
        return [str(self.opt.tool), "env", verb, "--json"] + (["--size", size] if size else [])

    def run(self, verb, size, before=()):
        return subprocess.run([*before, *self.command(verb, size)], env=self.env, capture_output=True, text=True, timeout=PATIENCE)

    def must(self, verb, size):
        done = self.run(verb, size)
        if done.returncode != 0:
            sys.exit(f"env {verb} in peace ends with {done.returncode}: {done.stderr}")

    def problems(self):
        """Files that are neither old nor new, now."""
        out = []
        for name, what in self.contents().items():
            allowed = [known[name] for known in (self.before, *self.after.values()) if name in known]
            if what not in allowed:
                out.append(f"{name} is {what}")
        out += [f"{name} is gone" for name in self.before if name not in self.contents()]
        return out

    def finish(self, verb, size):
        """The same again in peace, then undo: all is as it was."""
        out = []
        done = self.run(verb, size)
        want = self.after[size] if verb == "apply" else self.before
        if done.returncode != 0:
            out.append(f"again it ends with {done.returncode}: {done.stderr.strip()}")
        elif self.contents() != want:
            out.append(f"again it makes {self.contents()}")
        done = self.run("undo", None)
        if done.returncode != 0 or self.contents() != self.before:
            out.append(f"undo ends with {done.returncode}: {done.stderr.strip()}, and leaves {self.contents()}")
            self.put_back()
        return out

    def put_back(self):
        """What was found once is not found again in all that follows."""
        shutil.rmtree(self.home)
        shutil.rmtree(self.state, ignore_errors=True)
        shutil.copytree(self.copy, self.home, symlinks=True)

    def prepare(self, verb, n):
        """What `verb` has to work on: nothing, or what was applied before."""
        if verb == "undo" or n % 2:
            self.must("apply", SIZES[0])


FILES = ("open|openat|fstat|newfstatat|stat|lstat|read|pread64|write|fsync|fdatasync|rename|renameat|renameat2|linkat|link|unlink|unlinkat|mkdir|"
         "mkdirat|rmdir|fchmod|fchown|readlink|getxattr|getdents64|statfs|statx").split("|")
ERRORS = {"write": "ENOSPC", "mkdir": "ENOSPC", "mkdirat": "ENOSPC", "fsync": "EIO", "rename": "EACCES"}


def calls_of(trial, verb, size, folder, names):
    log = folder / "strace"
    trial.run(verb, size, ["strace", "-qq", "-o", str(log)])
    return sample.calls_in(log.read_text(errors="replace") if log.exists() else "", names)


WRITING = "write|fsync|fdatasync|rename|renameat|renameat2|link|linkat|unlink|unlinkat|mkdir|mkdirat|rmdir|fchmod|fchown".split("|")


def syscall_loop(trial, folder, kill):
    failed = runs = total = 0
    for verb, size in (("apply", SIZES[1]), ("undo", None)):
        trial.prepare(verb, 0)
        calls = calls_of(trial, verb, size, folder, WRITING if kill else FILES)
        trial.run("undo", None)
        if not calls:
            print("SKIP: strace may not trace here")
            return None
        for name, nth in sample.draw(calls, trial.opt.runs // 2, trial.opt.call):
            runs += 1
            trial.prepare(verb, 0)
            fault = "signal=SIGKILL" if kill else f"error={ERRORS.get(name, 'EIO')}"
            inject = f"inject={name}:{fault}:when={nth}"
            done = trial.run(verb, size, ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject])
            what = f"{verb}, {name} number {nth}"
            if kill:
                pass
            elif done.returncode < 0 or done.returncode not in (0, 1, 2, 4, 6):
                failed += report(what, [f"it ended with {done.returncode}: {done.stderr.strip()[-200:]}"])
            elif done.returncode and not done.stderr.strip():
                failed += report(what, ["it failed without a sentence"])
            failed += report(what, trial.problems())
            failed += report(f"after {what}", trial.finish(verb, size))
        total += len(calls)
    sample.again(failed)
    print(f"{total} calls, {runs} failed in turn; {failed} problems")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("kill-at", "syscalls"))
    parser.add_argument("tool", type=pathlib.Path)
    sample.add_options(parser)
    opt = parser.parse_args()
    if not shutil.which("strace"):
        print("SKIP: there is no strace")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="jitwarm-env-", dir=os.environ.get("JW_TEST_MEMORY")) as name:
        trial = Trial(opt, pathlib.Path(name))
        failed = syscall_loop(trial, pathlib.Path(name), opt.what == "kill-at")
    sys.exit(77 if failed is None else 1 if failed else 0)


if __name__ == "__main__":
    main()
