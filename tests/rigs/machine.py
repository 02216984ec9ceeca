"""A machine to prime on: a home, a state folder, a cache, the simulated driver; and a reader of
caches that shares no code with the tool."""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import time

import json_page

FORMAT = 0x41
SCRUBBED = re.compile(
    r"^(CUDA_|NVIDIA_|JITWARM|XDG_|SIMCUDA_|CONDA|VIRTUAL_ENV|PYENV_ROOT$|ASDF_DATA_DIR$|"
    r"MISE_DATA_DIR$|PYTHON|LD_PRELOAD$|LD_LIBRARY_PATH$|SUDO_)"
)


@functools.lru_cache(maxsize=1024)  # of the same bytes it is the same, and takes long here
def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


class Cache:
    """What is in a cache folder, and whether it is sound. `deep` reads and hashes every byte."""

    def __init__(self, root, deep=True):
        self.root = pathlib.Path(root)
        self.entries, self.problems, self.records = {}, [], []
        if self.root.exists():
            self.read_index()
            self.read_entries(deep)

    def read_index(self):
        path = self.root / "index"
        data = path.read_bytes() if path.exists() else b""
        if not data:
            return
        version, n, total = struct.unpack_from("<IIQ", data)
        self.records = [
            struct.unpack_from("<QQ", data, 16 + 16 * i) for i in range(n)
            if 32 + 16 * i <= len(data)
        ]
        if version != FORMAT or len(self.records) != n or total != sum(s for _, s in self.records):
            self.problems.append("the index is not sound")
        if len({h for h, _ in self.records}) != n:
            self.problems.append("the index names an entry twice")

    def read_entries(self, deep):
        for path in self.root.glob("[0-9a-f]/[0-9a-f]/" + "[0-9a-f]" * 14):
            name = int("".join(path.relative_to(self.root).parts), 16)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            problem = self.problem_of(name, data, deep)
            if problem:
                self.problems.append(f"{path.relative_to(self.root)}: {problem}")
            self.entries[name] = len(data) - 28

    @staticmethod
    def problem_of(name, data, deep):
        if len(data) < 28:
            return "torn"
        version, key, payload, check = struct.unpack_from("<IQQQ", data)
        if version != FORMAT or len(data) != 28 + key + payload:
            return "torn"
        if deep and (fnv(data[28:28 + key]) != name or fnv(data[28 + key:]) != check):
            return "damaged"
        return None

    def whole(self):
        """Problems, those of records and files that do not fit included."""
        recorded = dict(self.records)
        lost = [f"{n:016x} has no record" for n in self.entries if n not in recorded]
        wrong = [
            f"{n:016x} is recorded with {recorded[n]} bytes, and has {s}"
            for n, s in self.entries.items() if recorded.get(n, s) != s
        ]
        return self.problems + lost + wrong


class Machine:
    def __init__(self, opt, folder):
        self.opt = opt
        self.folder = pathlib.Path(folder)
        self.home = self.folder / "home"
        self.root = self.home / ".nv" / "ComputeCache"
        self.home.mkdir()
        self.mark = f"JITWARM_PROOF_MARK={os.getpid()}-{time.monotonic_ns()}"
        base = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        name, value = self.mark.split("=")
        self.env = dict(base, HOME=str(self.home), JITWARM_STATE=str(self.folder / "state"),
                        JITWARM_SYSROOT=str(self.folder / "machine"), JITWARM_DRIVER=str(opt.sim),
                        LC_ALL="C.UTF-8", CUDA_CACHE_MAXSIZE="4294967296", SHELL="/bin/false",
                        TMPDIR=str(self.folder / "tmp"))
        (self.folder / "tmp").mkdir()
        (self.folder / "machine").mkdir()
        (self.folder / "machine" / ".dockerenv").touch()
        self.env[name] = value

    def library(self, name="lib.so", count=60, least=2000, most=60000, seed=1, target="sm_80",
                options=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        out = subprocess.run(
            [self.opt.gen, path,
             str(count), str(least),
             str(most), str(seed), target] + ([options] if options else []), check=True,
            capture_output=True, text=True)
        return path, dict(line.split() for line in out.stdout.splitlines())

    def another_build(self, stamp):
        """What to put into the environment for another build of the simulated driver, with the
        same compiler."""
        other = self.folder / "libcuda.so.999.1"
        shutil.copy(self.opt.sim, other)
        shutil.copy(self.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", self.folder)
        data = bytearray(other.read_bytes())
        at = data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"))
        data[at + 4] ^= 0xFF
        other.write_bytes(data)
        return {"JITWARM_DRIVER": str(other), "SIMCUDA_STAMP": stamp}

    def command(self, *args):
        return [str(self.opt.tool), *map(str, args)]

    def run(self, *args, timeout=300, **env):
        return subprocess.run(self.command(*args), env=dict(self.env, **env), capture_output=True,
                              text=True, timeout=timeout, stdin=subprocess.DEVNULL, cwd=self.folder)

    def answer(self, *args, timeout=300, **env):
        """The JSON answer and the exit code."""
        done = self.run(*args, "--json", timeout=timeout, **env)
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            raise AssertionError(
                f"{args}: exit {done.returncode}, no JSON\n{done.stdout[:2000]}\n"
                f"{done.stderr[:2000]}"
            )
        assert not json_page.wrong_keys(report), f"{args}: {json_page.wrong_keys(report)}"
        return report, done.returncode

    def start(self, *args, **env):
        return subprocess.Popen(self.command(*args), env=dict(self.env, **env),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL, cwd=self.folder)

    def cache(self, deep=True):
        return Cache(self.root, deep)

    def damage(self, name):
        """Turns a byte of an entry's payload."""
        digits = f"{name:016x}"
        path = self.root / digits[0] / digits[1] / digits[2:]
        data = bytearray(path.read_bytes())
        data[-5] ^= 0xFF
        path.write_bytes(data)

    # ---- processes ----

    def processes(self):
        """Those of this machine, whichever process is their parent now."""
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) == os.getpid():
                continue
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0") \
                        and "\nState:\tZ" not in (folder / "status").read_text():
                    found.append(int(folder.name))
            except OSError:
                pass
        return found

    def wait_for_silence(self, seconds=8):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            left = self.processes()
            if not left:
                return []
            time.sleep(0.05)
        return left

    def leftovers(self):
        """Folders of jitwarm that should be gone."""
        return [str(p.relative_to(self.home)) for p in self.home.rglob("jitwarm-*")] + \
               [str(p.relative_to(self.folder)) for p in (self.folder / "state").glob(
                   "jitwarm-work-*")]

    def close(self):
        for pid in self.processes():
            kill(pid)

    def forget_cache(self):
        shutil.rmtree(self.root, ignore_errors=True)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
