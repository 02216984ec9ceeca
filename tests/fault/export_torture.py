#!/usr/bin/env python3
"""export_torture.py syscalls|disk|rights|many|terminal TOOL DRIVER GEN_MODULES [--runs N] [--call NAME:NUMBER]

`jitwarm export` from a cache that the simulated driver filled, and all that can go wrong around it.

    syscalls   each system call of it fails in turn (strace), or N of them (sample.py), or one alone
    disk       the file system of the pack is full, at several sizes, and read-only (needs root, to mount one)
    rights     what may not be read or written
    many       eight at once, into one name
    terminal   what it asks and shows where a person sits

After each run: the name holds nothing or the old pack if it did before, or the whole new one, to the byte; a program that
shares no code with jitwarm reads it back, and compares each entry with the cache; the cache is as it was; beside the pack
there is nothing but a folder of jitwarm's, which the next run removes. Exit 77: it cannot be done here.
"""
import argparse
import hashlib
import io
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

import probe_torture
import sample
from machine import Machine, kill
from sample import report

PATIENCE = 120
MODULES = ("24", "20000", "400000", "7")  # of gen_modules: count, least, most, seed


class Wrong(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Wrong(what)


def read_back(pack, cache):
    """The pack as its format is written down, held against the cache's own files."""
    data = pack.read_bytes()
    check(data[-8:] == b"jitwend3", "the pack does not end as one")
    size, = struct.unpack("<I", data[-12:-8])
    body, frame = data[:len(data) - size - 8], data[len(data) - size - 8:]
    check(frame[:4] == struct.pack("<I", 0x184D2A5A) and struct.unpack("<I", frame[4:8])[0] == size, "no trailer")
    check(frame[8:16] == b"jitwarm3", "no trailer of ours")
    check(frame[16:48] == hashlib.blake2b(body).digest()[:32], "the digest is not of these bytes")
    plain = subprocess.run(["zstd", "-qdc"], input=data, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        members = tar.getmembers()
        check(members[-1].name == "jitwarm/manifest.json", "the manifest is not last")
        manifest = json.load(tar.extractfile(members[-1]))
        check([m.name for m in members[:-1]] == ["cache/" + e["name"] for e in manifest["entries"]], "other members")
        for member, entry in zip(members[:-1], manifest["entries"]):
            content = tar.extractfile(member).read()
            check(content == (cache / entry["name"]).read_bytes(), f"{entry['name']} is not what the cache holds")
    return len(manifest["entries"])


class Trial(probe_torture.Trial):
    """A home of its own, and a cache of 24 modules."""

    def __init__(self, opt, folder):
        Machine.__init__(self, opt, folder)
        self.state = folder / "state"
        self.out = folder / "out"
        self.out.mkdir()
        # A fixed date: where its memory cannot be read, the same entries are still the same bytes.
        self.env.update(SOURCE_DATE_EPOCH="1790000000", TERM="dumb", ASAN_OPTIONS="detect_leaks=0")  # leaks do not go with strace
        subprocess.run([opt.gen, folder / "modules.so", *MODULES], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([opt.tool, "prime", "--as-root", "--cache", self.root, "-q", folder / "modules.so"],
                       check=True, env=self.env, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        self.pack = self.out / "x.tar.zst"
        self.new = self.make(int(MODULES[0]))
        self.old = self.make_smaller()
        self.before = self.contents()

    def command(self):
        return [str(self.opt.tool), "export", "--cache", str(self.root), "-o", str(self.pack)]

    def make(self, n):
        subprocess.run(self.command(), env=self.env, stdout=subprocess.DEVNULL, timeout=PATIENCE)
        check(read_back(self.pack, self.root) == n, f"the pack has not {n} modules")
        return self.pack.read_bytes()

    def make_smaller(self):
        """Another pack of the same name: one entry is away meanwhile."""
        entry = min(p for p in self.root.glob("?/?/*") if p.is_file())
        away = self.folder / "away"
        entry.rename(away)
        try:
            return self.make(int(MODULES[0]) - 1)
        finally:
            away.rename(entry)

    def set_up(self, with_old):
        self.pack.unlink(missing_ok=True)
        if with_old:
            self.pack.write_bytes(self.old)

    def packed_anew(self, with_old):
        return self.pack.exists() and not (with_old and self.pack.read_bytes() == self.old)

    def problems_of(self, with_old, must_be_new=False):
        """What one run should not have left behind."""
        out = [f"process {p} is still there" for p in self.wait_for_silence()]
        for pid in self.processes():
            kill(pid)
        if self.contents() != self.before:
            out.append("the cache or the home was touched")
        held = self.pack.read_bytes() if self.pack.exists() else None
        allowed = [self.new] + ([] if must_be_new else [self.old if with_old else None])
        if held not in allowed:
            out.append(f"the name holds something else: {'nothing' if held is None else f'{len(held)} bytes'}")
        for path in self.out.iterdir():
            if path != self.pack and not (path.name.startswith(".jitwarm-export-") and path.is_dir()):
                out.append(f"{path.name} was left beside the pack")
        for path in self.state.iterdir():
            if path.name not in ("drivers", "caches", "ledger") and not re.match(r"(probe|export)-", path.name):
                out.append(f"{path.name} was left in the state folder")
        return out

    def next_run_cleans_up(self):
        done = subprocess.run(self.command(), env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        out = self.problems_of(False, must_be_new=True)
        if done.returncode != 0:
            out.append(f"the next run ends with {done.returncode}: {done.stderr.strip()} {done.stdout}")
        out += [f"{p.name} is still there after the next run" for p in self.out.iterdir() if p != self.pack]
        try:
            read_back(self.pack, self.root)
        except Wrong as e:
            out.append(str(e))
        return out


def told_of_unread(done):
    """What cannot be read is skipped, and reported."""
    return "could not be read" in done.stdout or "cannot read" in done.stdout or (done.returncode == 1 and re.search(r"^(Missing|Damaged) ", done.stdout, re.M))


def what_it_told(trial, done):
    """A pack that lacks something is whole all the same, and nothing is said of what was not seen."""
    out = []
    if "cannot read part of the cache" in done.stdout and "the cache has no such entries" in done.stdout:
        out.append(f"it knows what it has not seen: {done.stdout}")
    if told_of_unread(done) and trial.pack.exists():
        try:
            read_back(trial.pack, trial.root)
        except Wrong as e:
            out.append(f"it ended with {done.returncode}: {e}")
    return out


def syscall_loop(trial):
    calls = probe_torture.calls_of(trial, trial.folder)
    if not calls:
        print("SKIP: strace may not trace here")
        return None
    failed = runs = refused = 0
    drawn = sample.draw(calls, trial.opt.runs, trial.opt.call)
    for (name, nth), with_old in [(c, o) for c in drawn for o in (False, True) if trial.opt.call or o == sample.lot(c) % 2]:
        trial.set_up(with_old)
        inject = f"inject={name}:error={probe_torture.ERRORS.get(name, 'EIO')}:when={nth}"
        command = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject] + trial.command()
        runs += 1
        what = f"{name} number {nth}{', over an older pack' if with_old else ''}"
        try:
            done = subprocess.run(command, env=trial.env, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            failed += report(what, ["it hung"] + trial.problems_of(with_old))
            continue
        refused += done.returncode != 0
        if done.returncode < 0 or done.returncode > 130 or done.returncode == 70:
            failed += report(what, [f"it ended with {done.returncode}: {done.stderr.strip()[-200:]}"])
        if done.returncode and not (done.stdout + done.stderr).strip():
            failed += report(what, ["it failed without a word"])
        failed += report(what, what_it_told(trial, done))
        if done.returncode in (0, 1) and told_of_unread(done) and trial.packed_anew(with_old):
            trial.set_up(with_old)
            continue
        failed += report(what, trial.problems_of(with_old, must_be_new=done.returncode == 0))
        if runs % 10 == 0:
            failed += report(f"the run after {what}", trial.next_run_cleans_up())
    failed += report("the last run", trial.next_run_cleans_up())
    sample.again(failed)
    print(f"{len(calls)} calls of {len(dict(calls))} kinds, {runs} failed in turn, {refused} ended the run; {failed} problems")
    return failed


def expect(what, got, code, *words):
    problems = [] if got[0] == code else [f"it ended with {got[0]}"]
    problems += [f"it does not say {w!r}" for w in words if w not in got[1]]
    return report(what, problems + ([got[1]] if problems else []))


def disk_loop(trial, most):
    small = trial.folder / "small"
    small.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=755", "tmpfs", small],
                                      capture_output=True).returncode:
        print("SKIP: a file system cannot be mounted here")
        return None
    failed = 0
    try:
        pack = small / "x.tar.zst"
        need = 2 * len(trial.new) // 1024 + 64  # while it is made there are the compressed entries and the pack
        for kilobytes in [16 + n * need // (most or 12) for n in range(most or 12)] + [2 * need]:
            for old in (None, b"", trial.old):
                subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", small], check=True)
                for path in small.iterdir():
                    path.unlink() if path.is_file() else shutil.rmtree(path)
                if old is not None:
                    try:
                        pack.write_bytes(old)
                    except OSError:
                        continue
                command = trial.command()
                command[-1] = str(pack)
                done = subprocess.run(command, env=trial.env, capture_output=True, text=True, timeout=PATIENCE)
                held = pack.read_bytes() if pack.exists() else None
                problems = [f"{p.name} was left" for p in small.iterdir() if p != pack]
                if done.returncode == 0 and held != trial.new:
                    problems.append("it says that it is done")
                if done.returncode and (done.returncode != 4 or held != old or "disk is full" not in " ".join(done.stdout.split()) or pack.name not in done.stdout):
                    problems.append(f"it ended with {done.returncode}: {done.stdout} {done.stderr}")
                failed += report(f"{kilobytes} kB", problems)
        failed += report("room enough", [] if done.returncode == 0 else ["and still it fails"])
        pack.write_bytes(trial.old)
        subprocess.run(["mount", "-o", "remount,ro", small], check=True)
        done = subprocess.run(command, env=trial.env, capture_output=True, text=True, timeout=PATIENCE)
        ok = done.returncode == 4 and "file system is read-only" in " ".join(done.stdout.split()) and pack.read_bytes() == trial.old
        failed += report("read-only", [] if ok else [f"it ended with {done.returncode}: {done.stdout} {done.stderr}"])
        # One of two packs has room: a pack and its compressed entries are there while it is made.
        subprocess.run(["mount", "-o", f"remount,rw,size={3 * len(trial.new) // 2048}k", small], check=True)
        pack.unlink()
        done = subprocess.run([trial.opt.tool, "prime", "--as-root", "--yes", "--gpu", "sm_80", "--gpu", "sm_90", "--pack", small,
                               trial.folder / "modules.so"], env=trial.env, capture_output=True, text=True, timeout=PATIENCE)
        ok = done.returncode == 4 and re.search("Packed .* sm_80: .*not all packs were written: .*disk is full", done.stderr, re.S)
        failed += report("room for one of two", [] if ok else [f"it ended with {done.returncode}: {done.stdout} {done.stderr}"])
    finally:
        subprocess.run(["umount", small], check=True)
    print(f"{failed} problems")
    return failed


def rights(trial):
    """As a user without rights: root may read and write all."""
    failed, user = 0, {}
    if os.geteuid() == 0:
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        os.chmod(trial.folder, 0o755)
        subprocess.run(["chown", "-R", "65534:65534", trial.home, trial.state, trial.out, trial.folder / "tmp"], check=True)

    def run(*arguments, pack=trial.pack):
        command = trial.command()
        command[-1] = str(pack)
        done = subprocess.run(command + list(arguments), env=trial.env, capture_output=True, text=True, timeout=PATIENCE, **user)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    before = trial.pack.read_bytes()
    entries = sorted(p for p in trial.root.glob("?/?/*") if p.is_file())
    os.chmod(trial.out, 0o555)
    failed += expect("a folder that is not ours", run(), 4, "No pack was written", "ermission denied")
    left = [p.name for p in trial.out.iterdir() if p != trial.pack]
    failed += report("the same", [f"{left} was left"] if left or trial.pack.read_bytes() != before else [])
    os.chmod(trial.out, 0o755)
    os.chmod(entries[0], 0)
    failed += expect("an entry", run(), 1, "Entries 23", "1 missing", "permission denied")
    os.chmod(entries[0], 0o644)
    os.chmod(entries[0].parent, 0)
    failed += expect("a folder of the cache", run(), 1, "not all of it", "cannot read part of the cache")
    os.chmod(entries[0].parent, 0o755)
    os.chmod(trial.root, 0)
    failed += expect("the cache", run(), 4, "folder cannot be used")
    os.chmod(trial.root, 0o755)
    shutil.copy(trial.folder / "modules.so", trial.home / "mine.so")
    os.chmod(trial.home / "mine.so", 0)
    failed += expect("a file that was named", run(str(trial.home / "mine.so")), 2, "mine.so", "ermission denied")
    failed += expect("all of it again", run(), 0, "Entries 24")
    read_back(trial.pack, trial.root)
    print(f"{failed} problems")
    return failed


def many(trial):
    """Eight at once into one name: the last one wins, and all of it."""
    failed = 0
    for n in range(3):
        running = [subprocess.Popen(trial.command(), env=trial.env, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True) for i in range(8)]
        for one in running:
            said, _ = one.communicate(timeout=PATIENCE)
            failed += report(f"round {n}", [] if one.returncode == 0 else [f"it ended with {one.returncode}: {said}"])
        held = trial.pack.read_bytes()
        left = [p.name for p in trial.out.iterdir() if p != trial.pack]
        failed += report(f"round {n}", ([] if held in (trial.old, trial.new) else ["the pack is neither"])
                         + ([f"{left} was left"] if left else []))
    print(f"{failed} problems")
    return failed


def at_terminal(trial, arguments, answer=None, when=b"[y/N]", slowly=False):
    """(exit code, all that the terminal showed), of a run with a terminal on all three streams, at which `answer` is typed
    once it shows `when`. `slowly`: it runs a tenth of the time, so that a short run draws what a long one does."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(trial.opt.tool, [str(trial.opt.tool), "export", "--cache", str(trial.root), *arguments],
                  dict(trial.env, TERM="xterm"))
    shown, answered = b"", answer is None
    while True:
        if slowly and not answered:  # stopped while it is looked at: it cannot have ended when the answer comes
            time.sleep(0.01)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.1)
        ready, _, _ = select.select([master], [], [], 0 if slowly and not answered else PATIENCE)
        if slowly and not ready and not answered and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            os.kill(pid, signal.SIGCONT)
            continue
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        if not answered and when in shown:
            os.write(master, answer)
            answered = True
        if slowly:
            os.kill(pid, signal.SIGCONT)
    os.close(master)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace").replace("\r\n", "\n")


def terminal(trial):
    failed = 0
    failed += expect("a pack for the terminal", at_terminal(trial, ["-o", "-"]), 2, "to a terminal", "-o FILE")
    trial.pack.unlink()
    everything = ["-o", str(trial.pack), "--all"]
    failed += expect("no", at_terminal(trial, everything, b"n\n"), 7, "source (PTX)", "[y/N]")
    failed += expect("nothing", at_terminal(trial, everything, b"\n"), 7, "[y/N]")
    failed += report("after no", ["there is a pack"] if trial.pack.exists() else [])
    failed += expect("yes", at_terminal(trial, everything, b"y\n"), 0, "Packed")
    read_back(trial.pack, trial.root)
    trial.pack.write_text("notes")
    failed += expect("another file", at_terminal(trial, ["-o", str(trial.pack)], b"n\n"), 7, "is not a pack")
    failed += report("after no", [] if trial.pack.read_text() == "notes" else ["it was replaced"])
    failed += expect("another file", at_terminal(trial, ["-o", str(trial.pack)], b"yes\n"), 0, "Packed")
    # A bar is drawn, and then Ctrl-C comes: heard between two of the frames of 32 MiB.
    large = trial.folder / "large"
    subprocess.run([trial.opt.gen, trial.folder / "large.so", "100", "1000000", "2000000", "8"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([trial.opt.tool, "prime", "--as-root", "--cache", large, "-q", "--yes", trial.folder / "large.so"], check=True,
                   env=dict(trial.env, CUDA_CACHE_MAXSIZE="4294967296"), stdout=subprocess.DEVNULL, timeout=PATIENCE)
    trial.root, before = large, trial.pack.read_bytes()
    failed += expect("a bar", at_terminal(trial, ["-o", str(trial.pack)], b"\3", b" %, packing", slowly=True), 130,
                     " %", "No pack was written")
    left = [p.name for p in trial.out.iterdir() if p != trial.pack]
    failed += report("after Ctrl-C", [f"{left} was left"] if left or trial.pack.read_bytes() != before else [])
    print(f"{failed} problems")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("syscalls", "disk", "rights", "many", "terminal"))
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("sim", type=pathlib.Path)
    parser.add_argument("gen", type=pathlib.Path)
    sample.add_options(parser)
    opt = parser.parse_args()
    opt.tool, opt.sim, opt.gen = opt.tool.resolve(), opt.sim.resolve(), opt.gen.resolve()
    missing = [t for t in ("zstd", "strace") if not shutil.which(t) and (t == "zstd" or opt.what == "syscalls")]
    if missing:
        print(f"SKIP: there is no {missing[0]}")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="jitwarm-torture-", dir=os.environ.get("JW_TEST_MEMORY")) as name:
        trial = Trial(opt, pathlib.Path(name))
        run = {"syscalls": lambda: syscall_loop(trial),
               "disk": lambda: disk_loop(trial, opt.runs), "rights": lambda: rights(trial),
               "many": lambda: many(trial), "terminal": lambda: terminal(trial)}
        failed = run[opt.what]()
    sys.exit(77 if failed is None else 1 if failed else 0)


if __name__ == "__main__":
    main()
