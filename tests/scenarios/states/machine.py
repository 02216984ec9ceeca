"""A made machine of a person, which is asked with each verb."""
import json
import os
import pwd
import re
import shutil
import stat
import subprocess

from machines import SCRUBBED, Machine

from .rules import Answer, Answers

NOBODY = next((one.pw_uid for one in pwd.getpwall() if one.pw_name == "_apt"), 65534)  # not that of the machines: doctor sees what it runs
ASKED = {  # what is asked: its words and its JSON
    "status": ("status", "status --json"),
    "check": ("prime --check", "prime --check --json"),
    "verify": ("verify", "verify --json"),
    "doctor": ("doctor", "doctor --json"),
    "plain": ("", None),
}


class Skip(Exception):
    """This cannot be made here."""


class State(Machine):
    mounted = []  # of all machines of this run
    made = set()  # new folders that lines "To do" made below /var/tmp, of the same

    def __init__(self, o, folder):
        super().__init__(o, folder)
        self.app = self.environment("app")[1] / "app"
        self.out = folder / "out"
        self.nv = self.home / ".nv/ComputeCache"
        self.set = {}  # what the person's shell sets
        self.others = None  # a folder of another user
        self.env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        self.env.update(HOME=str(self.home), LOGNAME="ada", JITWARM_SYSROOT=str(self.root), SHELL="/bin/sh", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="100",
                        PATH=f"{self.bin}:{self.env['PATH']}", SIMCUDA_DIR=o.sim, OUT=str(self.out), TMPDIR=str(folder))

    @staticmethod
    def clear(folder):
        """What all machines of this run have left."""
        for path in State.mounted:
            subprocess.run(["umount", path], check=False)
        for path in State.made:
            shutil.rmtree(path, ignore_errors=True)
        State.mounted.clear()
        State.made.clear()
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)

    def own_but_rights(self):
        """What was made after the last prime is the person's, too."""
        self.own()

    def own(self):
        if os.getuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                if path.lstat().st_uid != NOBODY and not (self.others and path.is_relative_to(self.others)):  # else it would be a change
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def run(self, shell, env=None):
        """As the person. What the shell sets is kept."""
        def nobody():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        env = dict(self.env, **self.set) if env is None else env
        env = {k: v for k, v in env.items() if v is not None}
        done = subprocess.run(["bash", "-c", f"{shell}\nrc=$?; env -0 >\"$OUT/env\"; exit $rc"], cwd=str(self.folder), env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=200, preexec_fn=nobody if os.getuid() == 0 else None, check=False)
        kept = dict(one.split("=", 1) for one in (self.out / "env").read_bytes().decode().split("\0") if "=" in one)
        State.made |= {v for v in kept.values() if re.fullmatch(r"/var/tmp/(cuda-cache|jitwarm-state|home)\.\w{8}", v)}
        for name in set(env) - set(kept):
            self.set[name] = None
        self.set.update({k: v for k, v in kept.items() if env.get(k) != v and k not in ("_", "SHLVL", "PWD", "OLDPWD")})
        return done

    def prime(self, more=""):
        self.own()
        done = self.run(f"jitwarm prime {more}")
        if done.returncode:
            raise SystemExit(f"the prime of the state: {done.returncode}\n{done.stdout}{done.stderr}")

    def probe(self):
        """Before compiling takes time (SIMCUDA_COST), which the probe's own modules would wait, too."""
        self.own()
        self.run("jitwarm doctor --probe")

    def module(self, path):
        """A PTX file, whose code no other path has."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {path.parent.name}_{path.stem}()\n{{\n ret;\n}}\n")
        return path

    def compiler(self):
        """Of the driver that is played in this machine (with-simcuda)."""
        path, = self.folder.glob("simcuda-*/d*/lib/libnvidia-ptxjitcompiler.so.1")
        return path

    def entries(self):
        return [p for p in self.nv.glob("?/?/*") if p.is_file()]

    def ask(self, verb):
        words, as_json = ASKED[verb]
        done = self.run_and_put_back(f"jitwarm {words}")
        text = self.run_and_put_back(f"jitwarm {as_json}").stdout if as_json else ""
        try:
            return Answer(done.stdout + done.stderr, done.returncode, json.loads(text))
        except ValueError:
            return Answer(done.stdout + done.stderr, done.returncode)

    def stored(self):
        """All that lies in drivers' caches of this machine, as far as this process may read it."""
        found = {}
        for path in self.root.rglob("ComputeCache/**/*"):
            try:
                found[path] = path.read_bytes() if path.is_file() else None
            except OSError:
                found[path] = None
        return found

    def files(self):
        """All files of the person, but those that are put back, and when they were written."""
        own = (self.home / ".local/state", self.out, *self.folder.glob("shared.*"))
        found = ((path, path.lstat()) for path in self.folder.rglob("*") if not any(path.is_relative_to(one) for one in own))
        return {path: (s.st_size, s.st_mtime_ns) for path, s in found if not stat.S_ISDIR(s.st_mode)}

    def run_and_put_back(self, command):
        """verify remembers what it found: what is asked next is the same machine. No verb that asks changes a driver's cache."""
        stored, state, kept = self.stored(), self.home / ".local/state", self.folder.parent / "kept"
        known = state.is_dir() and os.access(state, os.R_OK)
        if known:
            shutil.copytree(state, kept, symlinks=True)
        done = self.run(command)
        if self.stored() != stored:
            raise SystemExit(f"{command} changed the driver's cache: {done.stdout}{done.stderr}")
        if known:
            shutil.rmtree(state)
            shutil.move(kept, state)
            self.own()
        return done

    def answers(self):
        """`as_made`: asking has left this machine as it was."""
        before = self.files(), (self.home / ".local/state").exists()
        answers = Answers({verb: self.ask(verb) for verb in ASKED})
        self.as_made = before == (self.files(), (self.home / ".local/state").exists())
        return answers
