"""A made machine of a person, which is asked with each verb."""
import json
import os
import pathlib
import pwd
import re
import shlex
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

    def own(self, below=None):
        if os.getuid() == 0:
            for path in below_and_itself(below or self.folder):
                if os.lstat(path).st_uid != NOBODY and not (self.others and pathlib.Path(path).is_relative_to(self.others)):  # else it would be a change
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def start(self, words, env=None):
        """As the person. Returns what it says, and its environment."""
        def nobody():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        env = dict(self.env, **self.set, PWD=str(self.folder)) if env is None else env
        env = {k: v for k, v in env.items() if v is not None}
        return subprocess.run(words, cwd=str(self.folder), env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
                              preexec_fn=nobody if os.getuid() == 0 else None, check=False), env

    def run(self, shell, env=None):
        """What the shell sets is kept."""
        done, env = self.start(["bash", "-c", f"{shell}\nrc=$?; env -0 >\"$OUT/env\"; exit $rc"], env)
        kept = dict(one.split("=", 1) for one in (self.out / "env").read_bytes().decode().split("\0") if "=" in one)
        State.made |= {v for v in kept.values() if re.fullmatch(r"/var/tmp/(cuda-cache|jitwarm-state|home)\.\w{8}", v)}
        for name in set(env) - set(kept):
            self.set[name] = None
        self.set.update({k: v for k, v in kept.items() if env.get(k) != v and k not in ("_", "SHLVL", "PWD", "OLDPWD")})
        return done

    def do(self, shell):
        """What must work, for this to be the state."""
        self.own()
        done = self.run(shell)
        if done.returncode:
            raise SystemExit(f"{shell} of the state: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def prime(self, more=""):
        self.do(f"jitwarm prime {more}")

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
        done = self.asked(words)
        text = self.asked(as_json).stdout if as_json else ""
        try:
            return Answer(done.stdout + done.stderr, done.returncode, json.loads(text))
        except ValueError:
            return Answer(done.stdout + done.stderr, done.returncode)

    def seen(self):
        """All that is on this machine, but what plays the driver: of drivers' caches the bytes, as far as this process may read them."""
        found = {}
        for path in below_and_itself(self.folder, re.compile(r"(simcuda-|shared\.|(out|played|programs|kept)$)")):
            info = os.lstat(path)
            found[path] = None if stat.S_ISDIR(info.st_mode) else (info.st_size, info.st_mtime_ns)
            if "/ComputeCache/" in path and stat.S_ISREG(info.st_mode):
                try:
                    found[path] = pathlib.Path(path).read_bytes()
                except OSError:
                    pass
        return found

    def asked(self, words):
        """verify remembers what it found: what is asked next is the same machine. No verb that asks changes a driver's cache."""
        before, state, kept = self.seen(), str(self.home / ".local/state"), str(self.folder / "kept")
        known = os.access(state, os.R_OK) and os.path.isdir(state)
        if known:
            shutil.copytree(state, kept, symlinks=True)
        done, _ = self.start([str(self.bin / "jitwarm"), *shlex.split(words)])
        after = self.seen()
        changed = {path for path in before.keys() | after.keys() if before.get(path, 0) != after.get(path, 0)}
        if any("/ComputeCache" in path for path in changed):
            raise SystemExit(f"jitwarm {words} changed the driver's cache: {done.stdout}{done.stderr}")
        if known and any(path.startswith(state) for path in changed):
            shutil.rmtree(state)
            shutil.copytree(kept, state, symlinks=True)
            self.own(state)
        if known:
            shutil.rmtree(kept)
        return done

    def answers(self):
        """`as_made`: asking has left this machine as it was."""
        before = self.seen()
        answers = Answers({verb: self.ask(verb) for verb in ASKED})
        self.as_made = self.seen() == before
        return answers


def below_and_itself(top, but=None):
    """Each path, without following links; none of `but`, by its name in `top`."""
    yield str(top)
    for at, folders, files in os.walk(top):
        if but and at == str(top):
            folders[:] = [name for name in folders if not but.match(name)]
        yield from (f"{at}/{name}" for name in (*folders, *files))
