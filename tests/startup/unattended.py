#!/usr/bin/env python3
"""unattended.py JITWARM LIBCUDA SAMPLES: what nobody watches primes the cache that programs use.

In a mount namespace of its own, which has a user ada with a home and a login shell, and is no
container for jitwarm: `prime --post-install` as a package's script calls it, and the command of the
unit, with CUDA_CACHE_PATH set in each of the places where a login gets it. Then a login of ada
finds all modules warm. Exit 77: this is not root, or no namespace can be made.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from manager import check, skip

USER, ID = "jitwarm-ada", 1777


class Machine:
    def __init__(self, base, tool, driver, samples):
        self.base, self.home = base, base / "home"
        for name in ("bin", "lib", "root/etc", "root/run/systemd/system"):
            (base / name).mkdir(parents=True)
        self.tool = shutil.copy(tool, base / "bin/jitwarm")
        shutil.copytree(driver.parent, base / "driver")
        self.driver = base / "driver" / driver.name
        for name in ("registered.so", "only-ptx.so"):
            shutil.copy(samples / "elf" / name, base / "lib")
        for name, line in (("passwd", f"{USER}:x:{ID}:{ID}::{self.home}:/bin/bash\n"),
                           ("group", f"{USER}:x:{ID}:\n")):
            (base / name).write_text(pathlib.Path("/etc", name).read_text() + line)
            subprocess.run(["mount", "--bind", base / name, f"/etc/{name}"], check=True)
        for path in (base, *base.rglob("*")):
            path.chmod(0o755)

    def fresh(self, profile="", environment="", roots="lib"):
        while subprocess.run(["pgrep", "-r", "D,R,S", "-u", str(ID)], stdout=subprocess.DEVNULL,
                             check=False).returncode == 0:
            time.sleep(0.1)  # the case before may still be proving, in this home; zombies may stay
        shutil.rmtree(self.home, ignore_errors=True)
        conf = self.home / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True)
        conf.write_text(f"search = {self.base / roots}\n")
        (self.home /
         ".profile").write_text(f"echo Welcome\nexport JITWARM_DRIVER={self.driver}\n{profile}\n")
        (self.base / "root/etc/environment").write_text(environment)
        subprocess.run(["chown", "-R", f"{ID}:{ID}", self.home], check=True)

    def env(self, **more):
        return {
            "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "JITWARM_SYSROOT": str(self.base / "root"), "JITWARM_DRIVER": str(self.driver), **more
        }

    def login(self, line):
        """A login of ada: what PAM does with /etc/environment, and her shell."""
        words = [
            "setpriv", "--reuid",
            str(ID), "--regid",
            str(ID), "--clear-groups", "env", "-i", f"HOME={self.home}", f"USER={USER}",
            "PATH=/usr/bin:/bin", f"JITWARM_SYSROOT={self.base / 'root'}", *shlex.split(
                (self.base / "root/etc/environment").read_text()), "bash", "-l", "-c", line
        ]
        return subprocess.run(words, cwd="/", capture_output=True, text=True, check=False)

    def is_filled(self, where, what):
        end = time.monotonic() + 90
        while time.monotonic() < end and len(list(where.glob("?/?/*"))) < 2:
            time.sleep(0.2)
        check(len(list(where.glob("?/?/*"))) == 2, f"{what}: two modules are in {where}")

    def is_primed(self, where, what):
        self.is_filled(where, what)
        done = self.login(f"exec {self.tool} status {self.base / 'lib'}")
        check(done.returncode == 0, f"{what}: a login finds them", done.stdout, done.stderr)
        check(
            where == self.home / ".nv/ComputeCache"
            or not (self.home / ".nv/ComputeCache").exists(),
            f"{what}: and nothing is in the usual cache")

    def post_install(self, *paths, behind=USER,
                     says=f"for {USER}, into the cache of a fresh login"):
        done = subprocess.run([self.tool, "prime", "--post-install", *paths],
                              env=self.env(SUDO_USER=behind, HOME="/root"), cwd=self.base,
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0 and says in done.stdout + done.stderr, "it ends well, and says",
              says, done.stdout, done.stderr)

    def unit(self, shell="/bin/bash"):
        """The words of ExecStart=, as systemd reads them, in the environment of ada's manager
        (which has /etc/environment and environment.d)."""
        subprocess.run([self.tool, "startup", "install", "--system"], env=self.env(HOME="/root"),
                       check=True, capture_output=True)
        done = self.login(
            f"{self.tool} startup install; {self.tool} startup remove | grep 'sudo jitwarm startup "
            f"remove --system'"
        )
        check(
            "Already installed for every user" in done.stdout and not done.returncode
            and not (self.home / ".config/systemd").exists(), "no second one", done.stdout,
            done.stderr)
        (self.base / "root/etc/systemd/user/timers.target.wants/jitwarm-startup.timer").unlink()
        done = self.login(
            f"{self.tool} uninstall; {self.tool} startup install && {self.tool} startup remove")
        check(
            "jitwarm-startup.service and what belongs to it" in " ".join(done.stdout.split())
            and "Installed for you" in done.stdout, "everybody's is not whole", done.stdout,
            done.stderr)
        text = (self.base / "root/etc/systemd/user/jitwarm-startup.service").read_text()
        words = [
            w.replace("$$", "$").replace("%%", "%")
            for w in shlex.split(re.search(r"^ExecStart=(.*)$", text, re.M)[1])
        ]
        files = [
            self.base / "root/etc/environment",
            *(self.home / ".config/environment.d").glob("*.conf")
        ]
        sets = [x for f in files for x in shlex.split(f.read_text(), comments=True)]
        done = subprocess.run([
            "setpriv", "--reuid",
            str(ID), "--regid",
            str(ID), "--clear-groups", "env", "-i", f"HOME={self.home}", f"SHELL={shell}",
            "PATH=/usr/bin:/bin", f"JITWARM_SYSROOT={self.base / 'root'}", *sets, *words
        ], cwd="/", capture_output=True, text=True, check=False)
        fine = re.search(r"^SuccessExitStatus=(.*)$", text, re.M)[1].split()
        check(
            str(done.returncode) in ("0", *fine), "the unit's command ends well", done.returncode,
            done.stdout, done.stderr)


def inside(words):
    with tempfile.TemporaryDirectory(prefix="jitwarm-unattended-") as folder:
        m = Machine(pathlib.Path(folder).resolve(), *map(pathlib.Path, words))
        cache = m.home / "my cache"

        def applied(with_line=True):
            m.fresh()
            done = m.login(f"{m.tool} env apply --path '{cache}' --json")
            m.login(
                json.loads(done.stdout.removeprefix("Welcome\n")
                           )["todo"][-1]["command"] if with_line else ":")

        places = {
            "nowhere": (m.fresh, m.home / ".nv/ComputeCache"),
            ".profile": (lambda: m.fresh(profile=f"export CUDA_CACHE_PATH='{cache}'"), cache),
            "/etc/environment": (lambda: m.fresh(environment=f'CUDA_CACHE_PATH="{cache}"\n'),
                                 cache), "env apply": (applied, cache)
        }
        for what, (begin, where) in places.items():
            for start in (m.post_install, m.unit):
                begin()
                start()
                m.is_primed(where, f"{what}, {start.__name__}")
        if shutil.which("csh"):
            m.fresh()
            page = pathlib.Path(__file__).resolve().parents[2] / "docs/setup.md"
            line, file = re.search(r"put `(setenv CUDA_CACHE_PATH) DIR` into `~/(\S+)` \(csh\)",
                                   page.read_text()).groups()
            (m.home / file).write_text(f"setenv JITWARM_DRIVER {m.driver}\n{line} '{cache}'\n")
            m.unit(shell=shutil.which("csh"))
            m.is_filled(cache, "csh, with the line of the page")
        applied(with_line=False)  # a login's programs and a desktop's have a cache each
        m.post_install()
        m.is_filled(cache, "environment.d alone, a desktop's")
        m.is_primed(m.home / ".nv/ComputeCache", "environment.d alone, a login's")
        m.fresh()
        m.login(f"cp -r {m.base / 'lib'} ~/app && {m.tool} prime --yes ~/app; rm -r ~/app")
        m.unit()  # software that is gone is no failure of the service
        m.fresh(roots="elsewhere")
        m.post_install("lib")  # where no search would find it
        m.is_primed(m.home / ".nv/ComputeCache", "what the package names")
        done = subprocess.run([m.tool, "env", "apply"], env=m.env(SUDO_USER=USER, HOME="/root"),
                              capture_output=True, text=True, check=False)
        check(done.returncode == 2 and "--as-root" in done.stderr,
              "root's settings are not those of who called sudo", done.stdout, done.stderr)
        m.fresh()
        m.post_install(behind="root", says="no user but root")
        shutil.rmtree(m.home)
        m.post_install(says="does not exist")
        print(f"{2 * len(places)} unattended runs, each warm for a login")


def enter():
    words = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() or not shutil.which("unshare") or subprocess.run(
        [*words, "true"], capture_output=True, check=False).returncode:
        skip("this is not root, or no namespace can be made")
    sys.exit(
        subprocess.run([
            *words, sys.executable, __file__, "inside", *(str(pathlib.Path(x).resolve())
                                                          for x in sys.argv[1:4])
        ], check=False).returncode)


if __name__ == "__main__":
    sys.exit(inside(sys.argv[2:]) if sys.argv[1] == "inside" else enter())
