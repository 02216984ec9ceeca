#!/usr/bin/env python3
"""surroundings.py TOOL DRIVER GEN_SAMPLES [TEST...]

What stands around jitwarm and was not made by it: a user's home that root works in, the leavings of a process that was
killed. DRIVER is the simulated one. As root, because the first is about root; exit 77 without.
"""
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, DRIVER, GEN_SAMPLES = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
SOMEBODY = 65534


def clean_environment(**more):
    env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|SIMCUDA_|JITWARM|XDG_|LD_PRELOAD|SUDO_", k)}
    return dict(env, LC_ALL="C.UTF-8", **{k: str(v) for k, v in more.items()})


def below(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


class Surroundings(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jitwarm-around-", dir=os.environ.get("JW_TEST_MEMORY"))).resolve()
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def jitwarm(self, *words, rc=None, **env):
        done = subprocess.run([TOOL, *map(str, words)], env=clean_environment(JITWARM_DRIVER=DRIVER, **env), capture_output=True,
                              text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        if rc is not None:
            self.assertEqual(done.returncode, rc, done.stdout + done.stderr)
        return done

    def keep(self, state):
        """Root's own folder is used where the home is another user's: afterwards it is as it was."""
        new, kept = (state if not state.exists() else state / "jitwarm"), self.folder / "kept"
        if new.exists():
            shutil.copytree(new, kept, symlinks=True)

        def restore():
            shutil.rmtree(new, ignore_errors=True)
            if kept.exists():
                shutil.copytree(kept, new, symlinks=True)

        self.addCleanup(restore)

    def test_root_leaves_nothing_in_a_users_home(self):
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, SOMEBODY, SOMEBODY)
        library = self.folder / "lib"
        library.mkdir()
        (library / "a.ptx").write_text(".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n")
        self.keep(pathlib.Path(pwd.getpwuid(0).pw_dir) / ".local/state")
        for words in (["doctor"], ["doctor", "--probe"], ["prime", "--dry-run", library], ["status"], ["verify"], ["prime", "--check", library], ["scan", library],
                      ["startup"], ["env"], ["prime", library]):
            self.jitwarm(*words, HOME=home, JITWARM_SYSROOT=self.machine())
            self.assertEqual(below(home), [], words)

    def machine(self):
        """One that runs systemd."""
        (self.folder / "machine/run/systemd/system").mkdir(parents=True, exist_ok=True)
        return self.folder / "machine"

    def test_a_unit_of_an_install_killed_at_any_instant_is_removed(self):
        home = self.folder / "home"
        for n in range(20):
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            with subprocess.Popen([TOOL, "startup", "install", "--as-root"], env=clean_environment(HOME=home, JITWARM_SYSROOT=self.machine()),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(n * 0.0004)
                process.send_signal(signal.SIGKILL)
            self.jitwarm("startup", "remove", "--as-root", HOME=home, JITWARM_SYSROOT=self.machine(), rc=0)
            self.assertEqual([p for p in below(home) if "jitwarm-startup" in p], [], n)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIP: this is about root")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
