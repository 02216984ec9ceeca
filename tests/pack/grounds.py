"""What the proofs of import and prune share: users, machines that were primed, folders that are
watched, and the cases of import."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "rigs")]
import packs  # noqa: E402
from machine import Machine  # noqa: E402
from cases import Cases, Skip, check, same  # noqa: E402

case = Cases()
NOBODY = 65534


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


class User(Machine):
    """A machine whose user is another one, where that can be had."""

    def __init__(self, opt, folder, uid):
        folder.mkdir(mode=0o755)
        super().__init__(opt, folder)
        self.uid = uid
        self.give()

    def give(self):
        """All that was put there so far."""
        if os.geteuid() == 0:
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def command(self, *args):
        plain = super().command(*args)
        if os.geteuid() != 0:
            return plain
        return [
            "setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups", "--", *plain
        ]


def contents(folder):
    """Names, kinds, times, owners and bytes of all that is below a folder."""
    out = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        info = path.lstat()
        body = os.readlink(
            path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        out[str(path.relative_to(folder))] = (info.st_mode, info.st_uid, info.st_mtime_ns, body)
    return out


def key_pair(folder, name="signer"):
    """By the real minisign."""
    public, secret = folder / f"{name}.pub", folder / f"{name}.key"
    try:
        subprocess.run(["minisign", "-G", "-W", "-f", "-p", public, "-s", secret], check=True,
                       capture_output=True)
    except FileNotFoundError:
        raise Skip("there is no minisign")
    return public, secret


def trust_for_good(m, public):
    """As a key in the user's folder."""
    keys = m.home / ".config" / "jitwarm" / "keys"
    keys.mkdir(parents=True, mode=0o700, exist_ok=True)
    shutil.copy(public, keys / "lab.pub")


def primed(m, name="lib.so", **options):
    """A library, and a pack of its entries; the cache is empty again."""
    lib, _ = m.library(name, **options)
    answer, code = m.answer("prime", lib)
    same((code, answer["answer"]["is"]), (0, "warm"), f"prime: {answer}")
    pack = packs.pack_of(m.root, origin=pathlib.Path(name).name)
    m.forget_cache()
    forget_memory(m)
    return lib, pack


def forget_memory(m):
    shutil.rmtree(m.folder / "state" / "caches", ignore_errors=True)


def counts(answer):
    """(added, there before) of a single pack."""
    pack, = answer["packs"]
    return pack["added"], pack["there"]


def words(answer):
    """All that is said."""
    return json.dumps(answer, ensure_ascii=False)


def is_imported(m, pack, others=0):
    """The cache is sound, every entry of the pack is in it to the byte, and nothing of jitwarm's is
    left."""
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    there = packs.files_of(m.root)
    for name, data in pack.files.items():
        check(there.get(name) == data, f"{name} is in the cache, to the byte")
    same(len(there), len(pack.files) + others, "entries")
    same(m.leftovers(), [], "folders left behind")
    same(m.wait_for_silence(), [], "processes left behind")


def texts(m, n, first=0):
    """PTX that no library has."""
    out = []
    for i in range(first, first + n):
        path = m.folder / f"text{i}.ptx"
        path.write_text(
            f".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry only{i}()\n{{\n    "
            f"ret;\n}}\n"
            + f"// {i}\n" * 300)
        out.append(path)
    return out


@contextlib.contextmanager
def swapping(root, other):
    """Meanwhile another process keeps changing the folders of a cache for links to what `other`
    gives for their names."""
    stop = threading.Event()

    def swap():
        levels = [root / h for h in "0123456789abcdef"]
        while not stop.is_set():
            for level in levels:
                aside = level.with_name(level.name + "-aside")
                try:
                    level.rename(aside)
                    level.symlink_to(other(level.name))
                    time.sleep(0.0005)
                    level.unlink()
                    aside.rename(level)
                except OSError:
                    pass

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class Repeated:
    """A command that begins from the same cache again and again. A trial adds m, args, reset,
    problems and next_run_goes_on."""

    def length(self):
        """Seconds of a run in peace."""
        times = []
        for _ in range(3):
            self.reset()
            began = time.monotonic()
            self.m.run(*self.args)
            times.append(time.monotonic() - began)
        return min(times)

    def killed_at(self, name, nth, *options):
        """At this call of the tool; returns what was done."""
        subprocess.run([
            "strace", *options, "-qq", "-o", "/dev/null", "-e",
            f"inject={name}:signal=KILL:when={nth}", *self.m.command(*self.args)
        ], env=dict(self.m.env, ASAN_OPTIONS="detect_leaks=0"), capture_output=True,
                       stdin=subprocess.DEVNULL, timeout=120)
        return f"killed at call {nth} of {name}"

    def signalled(self, number, wait):
        """After so many seconds; returns what was done, and the exit code."""
        run = self.m.start(*self.args)
        time.sleep(wait)
        try:
            os.kill(run.pid, number)
        except ProcessLookupError:
            pass
        run.communicate(timeout=60)
        return f"signal {number:d} after {wait * 1000:.0f} ms", run.returncode

    def interrupted(self, rounds):
        """Ctrl-C at so many instants, and until one is heard: 130, nothing left behind, and the
        same command goes on."""
        rng, length, codes = random.Random(self.m.opt.seed), self.length(), set()
        for i in range(60):
            if i >= rounds and 130 in codes:
                break
            self.reset()
            what, code = self.signalled(signal.SIGINT, rng.uniform(0.01, length))
            codes.add(code)
            check(code in (0, 130, -signal.SIGINT), f"round {i}, {what}: exit code {code}")
            same(self.problems(), [], f"round {i}, {what}")
            if code == 130:
                same((self.m.leftovers(), self.m.wait_for_silence()), ([], []), "what is left")
        self.next_run_goes_on()
        check(130 in codes, f"it was interrupted at least once: {codes}")


def count_calls(trial, marks):
    """System calls of the tool alone, in order, and the first and last of those that begin so;
    none: strace may not trace here."""
    if not shutil.which("strace"):
        return [], 0, 0
    trial.reset()
    log = trial.m.folder / "strace"
    subprocess.run(["strace", "-qq", "-o", log, *trial.m.command(*trial.args)],
                   env=dict(trial.m.env, ASAN_OPTIONS="detect_leaks=0"), capture_output=True,
                   stdin=subprocess.DEVNULL, timeout=120)
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    calls = [line.split("(")[0] for line in lines if re.match(r"\w+\(", line)]
    marked = [i for i, name in enumerate(calls) if name.startswith(marks)] or [0]
    return calls, marked[0], marked[-1]


@contextlib.contextmanager
def untouched(folder, what):
    before = contents(folder)
    yield
    after = contents(folder)
    same(
        sorted(name for name in before.keys() | after.keys()
               if before.get(name) != after.get(name)), [], what)


@contextlib.contextmanager
def mounted(folder, options):
    need_root()
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder],
                      capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
