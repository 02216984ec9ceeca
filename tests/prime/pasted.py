"""What a person pastes: names of files, settings, packs, commands and processes that a shell would run, in every command that is advised.
Each is given to a real sh in which the programs that it may name only write down their words."""
import json
import os
import re
import signal
import subprocess
import time

from limits import command_of
from warm import case
from cases import check, same

HOSTILE = "a; touch PWNED $(touch PWNED)`touch PWNED`'&touch PWNED\"   (b)\\' \n\t\x1b[31m\u202e!x"
PROGRAMS = "jitwarm sudo mv mkdir chmod chown icacls pip systemctl conda du"
READ = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # all that a terminal would follow


class Desk:
    """Where a line is pasted: a folder of its own, and programs that do nothing."""

    def __init__(self, m):
        self.m, self.folder, self.log, bin_ = m, m.folder / "desk", m.folder / "desk.log", m.folder / "desk.bin"
        self.folder.mkdir()
        bin_.mkdir()
        for name in PROGRAMS.split():
            (bin_ / name).write_text(f"#!/bin/sh\n[ {name} = du ] || printf '%s\\0' {name} \"$@\" >>'{self.log}'\n")
            (bin_ / name).chmod(0o755)
        self.env = {"PATH": f"{bin_}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}

    def words(self, line):
        """What its program gets; nothing else happens."""
        self.log.unlink(missing_ok=True)
        subprocess.run(["sh", "-c", line], cwd=self.folder, env=self.env, capture_output=True, timeout=30, check=False)
        same(sorted(p.name for p in self.folder.iterdir()), [], f"what came of {line}")
        return self.log.read_bytes().decode("utf-8", "surrogateescape").split("\0")[:-1] if self.log.exists() else []

    def told(self, done, *words):
        """One of the advised commands of this answer has just these words, and stands whole on a line of the text."""
        lines = shown(done)
        found = [self.words(line) for line in lines]
        check([str(word) for word in words] in found, f"{words}\n in {found}\n of {lines}")


def shown(done):
    """The lines of an answer that may be pasted. No line moves the cursor."""
    text = done.stdout + done.stderr
    check(not READ.search(text), f"a terminal would follow {READ.search(text)}: {text!r}")
    lines = [re.sub(r"^(To do:?|Use it|Next|\s*Do)? *", "", line) for line in text.split("\n")]
    return [line for line in lines if line.split(" ")[0] in [*PROGRAMS.split(), "export"]]


@case
def hostile_names(m):
    desk, env = Desk(m), {"COLUMNS": "60"}
    folder, cache = m.folder / HOSTILE, m.folder / f"cache {HOSTILE}"
    command = command_of(m, 1)
    folder.mkdir()
    ptx = folder / f"{HOSTILE}.ptx"
    (m.folder / "k0.ptx").rename(ptx)

    done = m.run("prime", "-n", "--cache", cache, folder, **env)
    desk.told(done, "jitwarm", "prime", "--cache", cache, folder)
    done = m.run("prime", "--cache", cache, folder, **env)
    same(done.returncode, 0, "prime")
    desk.told(done, "jitwarm", "status", "--cache", cache)
    for words in (["verify", folder], ["status"], ["prune"], []):
        shown(m.run(*words, "--cache", cache, **env))
    shown(m.run("scan", folder, **env))
    (cache / "index").write_bytes(b"not an index")
    shown(m.run("status", "--cache", cache, **env))

    # commands
    same(m.run("prime", folder).returncode, 0, "prime")
    done = m.run("export", "-o", m.folder / "x.tar.zst", "--run", "sh", HOSTILE, "a b", **env)
    desk.told(done, "jitwarm", "prime", "--run", "sh", HOSTILE, "a b")

    # packs
    pack = m.folder / f"{HOSTILE}.tar.zst"
    done = m.run("export", "-o", pack, folder, **env)
    desk.told(done, "jitwarm", "import", pack.name, "--allow-unsigned")
    m.forget_cache()
    ptx.rename(m.folder / "elsewhere.ptx")
    done = m.run("import", "--allow-unsigned", pack, **env)
    desk.told(done, "jitwarm", "import", pack, "--allow-unsigned", "--everything")

    # settings
    missing = m.folder / "no" / HOSTILE
    done = m.run("doctor", "--json", CUDA_CACHE_PATH=str(missing))
    commands = [f["command"] for f in json.loads(done.stdout)["findings"] if f["command"]]
    check(not any("mkdir" in desk.words(line) for line in commands), f"drivers make it themselves: {commands}")
    done = m.run("doctor", "--json", CUDA_CACHE_PATH=str(m.folder / "elsewhere.ptx"))
    commands = [f["command"] for f in json.loads(done.stdout)["findings"] if f["command"]]
    check("unset CUDA_CACHE_PATH" in commands and not any("mv" in desk.words(line) for line in commands), commands)
    shown(m.run("doctor", CUDA_CACHE_PATH=str(missing), **env))



@case
def hostile_processes(m):
    """A process says itself which words it has; the one that is watched here is of another user where it can be."""
    desk = Desk(m)
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    command = [str(word) for word in command_of(m, 1, settings=[f"OF_ITS_OWN={HOSTILE}"])]
    argv0 = str(m.folder / HOSTILE)
    (m.folder / HOSTILE).touch()  # of a program that is gone no command is advised
    m.folder.chmod(0o755)
    cache = m.folder / "of-the-program"
    cache.mkdir()
    cache.chmod(0o777)
    watch = m.start("doctor", "--watch")
    check("watching" in watch.stderr.readline(), "it begins")
    line = "exec -a \"$0\" \"$@\""
    command[-1] = "nap 600000"
    program = subprocess.Popen([*other, "bash", "-c", line, argv0, *command], stdout=subprocess.PIPE, text=True, cwd=m.folder,
                               env=dict(m.env, CUDA_CACHE_PATH=str(cache)))
    try:
        check("makes the driver compile" in watch.stdout.readline(), "it is seen")
        until = time.monotonic() + 30
        while not any(cache.glob("?/?/*")) and time.monotonic() < until:
            time.sleep(0.05)  # of a program that stored nothing no command is advised
        program.terminate()
        program.communicate(timeout=30)
        watch.stdout.readline()
    finally:
        program.kill()
        watch.send_signal(signal.SIGINT)
    out, err = watch.communicate(timeout=30)
    desk.told(subprocess.CompletedProcess([], 0, out, err), *(["sudo", "-u", "#65534"] if other else []), "jitwarm", "prime", "--run", argv0, *command[1:])
