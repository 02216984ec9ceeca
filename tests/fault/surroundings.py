#!/usr/bin/env python3
"""surroundings.py TOOL DRIVER GEN_SAMPLES [TEST...]

What stands around jitwarm and was not made by it: a user's home that root works in, an image whose links lead out of it, the leavings
of a process that was killed. DRIVER is the simulated one. As root, because the first two are about root; exit 77 without.
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
        self.keep(pathlib.Path(pwd.getpwuid(0).pw_dir) / ".local/state")
        for words in (["doctor"], ["doctor", "--probe"], ["prime", "--dry-run", library], ["status"], ["verify"], ["list"], ["scan", library],
                      ["startup"], ["env"]):
            self.jitwarm(*words, HOME=home)
            self.assertEqual(below(home), [], words)
        (home / ".config/jitwarm").mkdir(parents=True)
        (home / ".config/jitwarm/jitwarm.conf").write_text("jobs = 3\n")
        self.give(home / ".config", home / ".config/jitwarm", home / ".config/jitwarm/jitwarm.conf")
        for words in ("list",):  # where packs are kept
            told = "".join(self.jitwarm(words, HOME=home).stdout.split())
            self.assertNotRegex(told, re.escape(str(home)) + "/[.](config|local)")
            self.assertIn(f"{pwd.getpwuid(0).pw_dir}/.", told)

    def prime(self, *words, **env):
        cache = self.folder / "cache"
        done = self.jitwarm("prime", "--as-root", "--yes", "-j", 1, "--cache", cache, *words, HOME=self.folder, JITWARM_SYSROOT=self.folder,
                            JITWARM_STATE=self.folder / "state", **env)
        done.told = " ".join((done.stdout + done.stderr).split())
        return done, len([p for p in cache.rglob("*") if p.is_file() and p.name != "index"])

    def give(self, *paths):
        for path in paths:
            os.chown(path, SOMEBODY, SOMEBODY)

    def test_a_run_for_everybody_reads_nothing_that_another_user_can_write(self):
        samples = self.folder / "samples"
        subprocess.run([GEN_SAMPLES, samples], check=True, capture_output=True)
        apps = self.folder / "opt"
        for name in ("mine", "theirs", "mixed"):
            (apps / name).mkdir(parents=True)
            shutil.copy(samples / "elf/only-ptx.so", apps / name / "lib.so")
        shutil.copy(samples / "elf/registered.so", apps / "mixed/theirs.so")
        self.give(apps / "theirs", apps / "theirs/lib.so", apps / "mixed/theirs.so")
        os.chmod(apps / "theirs/lib.so", 0o600)  # it would be read, and not understood: there would be another sentence
        # The folder of another, and a file of another in a folder of jitwarm's.
        done, entries = self.prime("--background", "--if-stale", apps / "theirs")
        self.assertEqual((done.returncode, entries), (0, 0), done.told)
        self.assertIn(f"skipped: {apps}/theirs belongs to user {SOMEBODY}", done.told)
        done, entries = self.prime("--background", "--if-stale", apps / "mixed")
        self.assertEqual((done.returncode, entries), (0, 1), done.told)
        self.assertIn(f"skipped: {apps}/mixed/theirs.so belongs to user {SOMEBODY}", done.told)
        # What everybody may write to, and what a link leads to, are no better.
        os.chmod(apps / "mine/lib.so", 0o666)
        os.symlink(apps / "theirs", apps / "mine/link")
        done, _ = self.prime("--background", "--if-stale", apps / "mine")
        self.assertIn(f"skipped: {apps}/mine/lib.so may be changed by everybody (and 1 other place)", done.told)
        # A line of a configuration of this user takes it in; one that another user may write to does not.
        conf = self.folder / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True)
        conf.write_text(f"roots = {apps}/mixed\n")
        self.give(conf)
        self.prime(apps / "mine")  # something is remembered now, so that a run by itself looks for more
        done, entries = self.prime("--background", "--if-stale")
        self.assertIn(f"skipped: {apps}/mi", done.told)
        self.assertEqual(entries, 1)
        os.chown(conf, 0, 0)
        done, entries = self.prime("--background", "--if-stale")
        self.assertNotIn("/mixed", done.told)
        self.assertGreater(entries, 1, done.told)

    def machine(self):
        """One that runs systemd."""
        (self.folder / "machine/run/systemd/system").mkdir(parents=True, exist_ok=True)
        return self.folder / "machine"

    def leavings(self, home):
        return [p for p in below(home) if ".jw-" in p or p.endswith(".tmp")]

    def test_what_a_killed_install_left_goes_with_the_next_install_or_remove(self):
        home = self.folder / "home"
        units = home / ".config/systemd/user"
        words = ["startup", "install", "--as-root"]
        for verb in ("install", "remove"):
            for installed in (False, True):
                shutil.rmtree(home, ignore_errors=True)
                home.mkdir()
                if installed:
                    self.jitwarm(*words, HOME=home, JITWARM_SYSROOT=self.machine(), rc=0)
                units.mkdir(parents=True, exist_ok=True)
                half = units / ".jitwarm-startup.service.jw-00000001-4194301-0.tmp"
                half.write_text("half a un")
                os.utime(half, (1e9, 1e9))  # of another system, so that nobody knows whether its process lives
                self.jitwarm("startup", verb, "--as-root", HOME=home, JITWARM_SYSROOT=self.machine(), rc=0)
                self.assertEqual(self.leavings(home), [], (verb, installed))

    def test_an_install_killed_at_any_instant_leaves_nothing_to_the_next(self):
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
