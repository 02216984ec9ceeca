"""A Windows machine that Wine plays: a prefix of its own with the simulated driver in System32, a user whose name is not ASCII.

The prefix is a copy of the one that scripts/wine-run has made; what nobody writes to is linked, not copied. Cases share it, and
each finds it without a cache and without a memory of the tool's.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "prime"), str(ROOT / "tests" / "pack")]
from prefix import clone  # noqa: E402,F401  (proof.py has it from here)
from bench import SCRUBBED, Cache, Machine  # noqa: E402

USER = "홍 길동"
WINE_RUN = ROOT / "scripts" / "wine-run"


class Windows(Machine):
    """`folder` is none of Windows': what the case makes is on drive C."""

    def __init__(self, opt, folder, prefix=None):
        self.opt = opt
        self.prefix = pathlib.Path(prefix or opt.prefix)
        self.drive = self.prefix / "drive_c"
        self.folder = self.drive / "proof"
        self.home = self.drive / "users" / USER
        self.root = self.home / "AppData" / "Roaming" / "NVIDIA" / "ComputeCache"
        self.state = self.home / "AppData" / "Local" / "jitwarm"
        self.tool = opt.tool
        self.mark = f"JITWARM_PROOF_MARK={os.getpid()}-{time.monotonic_ns()}"
        base = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        name, value = self.mark.split("=")
        self.env = dict(base, USER=USER, LOGNAME=USER, LC_ALL="C.UTF-8", WINE_RUN_PREFIX=str(self.prefix), WINE_RUN_TIMEOUT="300")
        self.env[name] = value
        self.holds = []
        self.forget()

    def forget(self):
        """What earlier cases made; of what the tool remembers, only what it has proven of the driver stays."""
        if self.root.is_mount():  # of a run that was killed
            subprocess.run(["umount", self.root], check=True)
        for path in self.folder, self.root.parent, *(p for p in self.state.glob("*/*") if p.parts[-2:] != ("state", "drivers")):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.folder.mkdir()

    @contextlib.contextmanager
    def configured(self, text):
        """With this jitwarm.conf."""
        conf = self.home / "AppData" / "Roaming" / "jitwarm" / "jitwarm.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text(text)
        try:
            yield
        finally:
            conf.unlink()

    def path(self, path):
        """As Windows names it."""
        path = pathlib.Path(path)
        if path.is_relative_to(self.drive):
            return "C:\\" + str(path.relative_to(self.drive)).replace("/", "\\")
        return "Z:" + str(path).replace("/", "\\")

    def program(self, program, *args):
        words = [self.path(a) if isinstance(a, pathlib.Path) else str(a) for a in args]
        return [str(WINE_RUN), str(program), *words]

    def command(self, *args):
        return self.program(self.tool if isinstance(self.tool, str) else self.path(self.tool), *args)

    def wine(self, program, *args, check=True):
        return subprocess.run(self.program(program, *args), env=self.env, check=check, capture_output=True, text=True,
                              errors="replace", timeout=300, stdin=subprocess.DEVNULL, cwd=self.folder)

    def run(self, *args, **more):
        """Once in some hundred runs a program under Wine ends with 1 and without a word; the tool has always a word to say
        when it ends with 1. That is reported here, and tried once more."""
        done = super().run(*args, **more)
        if done.returncode == 1 and not done.stdout and not done.stderr:
            print(f"  {args[0]}: ended with 1 and without a word; tried again")
            done = super().run(*args, **more)
        return done

    def library(self, name="lib.dll", count=8, least=2000, most=20000, seed=1, target="compute_80"):
        """Made once: equal arguments, equal bytes."""
        path, made = self.folder / name, self.prefix / "made"
        path.parent.mkdir(parents=True, exist_ok=True)
        made.mkdir(exist_ok=True)
        once = made / f"{count}-{least}-{most}-{seed}-{target}"
        if not once.exists():
            self.wine(self.opt.gen, once, count, least, most, seed, target)
        shutil.copy(once, path)
        return path

    def cache(self, deep=True):
        return Cache(self.root, deep)

    def hold(self, what, path, seconds=60):
        """Another program is in the way until `let_go`."""
        mark = self.folder / f"held-{time.monotonic_ns()}"
        process = subprocess.Popen(self.program(self.opt.hold, what, path, mark, int(seconds * 1000)), env=self.env,
                                   stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not mark.exists():
            if process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{path} could not be held: {process.poll()}")
            time.sleep(0.02)

        def let_go():
            mark.unlink(missing_ok=True)
            process.wait(timeout=30)
        self.holds.append(let_go)
        return let_go

    def close(self):
        for let_go in self.holds:
            let_go()
        super().close()

    def processes(self):
        """Those of the tool, as Linux knows them: Wine's own stay for a while."""
        names = {pathlib.PureWindowsPath(str(self.tool)).name[:15], "jitwarm.exe"}
        found = []
        for folder in pathlib.Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if (folder / "comm").read_text().strip() in names \
                        and self.mark.encode() in (folder / "environ").read_bytes().split(b"\0") \
                        and "\nState:\tZ" not in (folder / "status").read_text():
                    found.append(int(folder.name))
            except OSError:
                pass
        return found

    def wait_for_processes(self, n, seconds=30):
        end = time.monotonic() + seconds
        while len(found := self.processes()) < n and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def leftovers(self):
        places = [self.home.rglob("jitwarm-*"), self.state.rglob("probe-*"), (self.drive / "users/root/Temp").glob("jitwarm*")]
        return sorted(str(p.relative_to(self.drive)) for found in places for p in found)
