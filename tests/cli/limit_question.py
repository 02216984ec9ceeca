#!/usr/bin/env python3
"""Questions, answered on a terminal. A cache limit that is too small: yes raises it for good, and the same run compiles everything, or
imports it; no does what fits, without another question; --yes does not touch settings. What is gone: yes forgets it."""
import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import sys
import tempfile

LIMIT = "14000"  # room for one of the two libraries
QUESTION = re.compile(r"The cache limit is too small \(14 KiB, needed 2\d KiB\): 1 of 2 (modules will not be warm|entries do not fit)\. "
                      r"Raise it to 1 GiB\? \[Y/n\] ")


def on_terminal(command, env, folder, answers):
    """Runs it on a terminal of its own; `answers`: what is typed after each question. What it printed, and its exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, env)
    said, left = "", list(answers)
    while select.select([fd], [], [], 60)[0]:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        said += piece.decode("utf-8", "replace")
        if left and said.rstrip(" ").endswith(("[Y/n]", "[y/N]")):
            os.write(fd, (left.pop(0) + "\n").encode())
            said += "\n"
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", said), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Machine:
    def __init__(self, opt, folder):
        self.opt, self.folder = opt, folder
        (folder / "lib").mkdir()
        (folder / "home").mkdir()
        for name in ("registered.so", "only-ptx.so"):
            shutil.copy(opt.gen / "elf" / name, folder / "lib")
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "SHELL": "/bin/sh", "TERM": "xterm", "COLUMNS": "300",
                    "JITWARM_DRIVER": str(opt.sim / "libcuda.so.1"), "CUDA_CACHE_MAXSIZE": LIMIT}

    def run(self, *args, answers=()):
        return on_terminal([str(self.opt.tool), *args], self.env, self.folder, answers)

    def settings(self):
        """What jitwarm wrote for new logins."""
        file = self.folder / "home/.profile"
        return file.read_text() if file.exists() else ""


def check(holds, what, said):
    if not holds:
        sys.exit(f"{what}\n{said}")


def yes_warms_everything(opt, folder):
    m = Machine(opt, folder)
    said, code = m.run("prime", "--as-root", "--cache", str(folder / "cache"), "-j", "1", "lib", answers=[""])
    check(QUESTION.search(said), "prime does not ask", said)
    check("1 of 2 modules would be compiled" in said.split("The cache limit")[0], "the question has no plan before it", said)
    check(code == 0 and "Warmed 2 modules" in said and "loaded both modules and compiled nothing" in said, f"prime: exit {code}", said)
    check("CUDA_CACHE_MAXSIZE=1073741824" in m.settings(), "a new login has no larger limit", m.settings())


def no_changes_nothing(opt, folder):
    m = Machine(opt, folder)
    said, code = m.run("prime", "--as-root", "--cache", str(folder / "cache"), "-j", "1", "lib", answers=["n"])
    check(QUESTION.search(said) and said.count("?") == 1, "prime does not ask once", said)
    check(code == 1 and "1 of 2 modules is warm" in said, f"prime: exit {code}", said)
    check(not m.settings(), "a no has changed a file", m.settings())


def option_yes_leaves_settings_alone(opt, folder):
    m = Machine(opt, folder)
    said, code = m.run("prime", "--as-root", "--cache", str(folder / "cache"), "-j", "1", "--yes", "lib")
    check(code == 1 and not QUESTION.search(said), f"prime --yes: exit {code}", said)
    check(not m.settings(), "--yes has changed a file", m.settings())


def import_offers_it(opt, folder):
    m = Machine(opt, folder)
    pack = str(folder / "x.tar.zst")
    del m.env["CUDA_CACHE_MAXSIZE"]
    said, code = m.run("prime", "--as-root", "--cache", str(folder / "one"), "-q", "lib")
    check(code == 0, "prime", said)
    said, code = m.run("export", "--cache", str(folder / "one"), "--yes", "-o", pack, "lib")
    check(code == 0, "export", said)
    m.env["CUDA_CACHE_MAXSIZE"] = LIMIT
    said, code = m.run("import", "--as-root", "--cache", str(folder / "two"), "--allow-unsigned", pack, "lib", answers=["y"])
    check(QUESTION.search(said), "import does not ask", said)
    check(code == 0 and "has no room" not in said, f"import: exit {code}", said)
    check("CUDA_CACHE_MAXSIZE=1073741824" in m.settings(), "a new login has no larger limit", m.settings())


def what_is_gone_is_forgotten(opt, folder):
    m = Machine(opt, folder)
    del m.env["CUDA_CACHE_MAXSIZE"]
    cache = ("--cache", str(folder / "cache"))
    m.run("prime", "--as-root", *cache, "-q", "lib")
    shutil.rmtree(folder / "lib")
    said, code = m.run("prune", "--gone", *cache, answers=["n"])
    check("Gone" in said and "Forget what is gone? [y/N]" in said and "--yes" not in said and code == 0, f"a no: exit {code}", said)
    said, code = m.run("prune", "--gone", "--dry-run", *cache)
    check("Gone" in said and "?" not in said and code == 0, f"a dry run: exit {code}", said)
    lock, = folder.glob("home/**/caches/*/lock")
    with open(lock, "r+b") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        said, code = m.run("prune", "--gone", *cache, answers=["y"])
    check("nothing of it was forgotten" in said and "Forgot" not in said and code == 7, f"a yes while another works: exit {code}", said)
    said, code = m.run("prune", "--gone", *cache, answers=["y"])
    check("Forgot what is gone." in said and code == 0, f"a yes: exit {code}", said)
    said, code = m.run("prune", "--gone", *cache)
    check("nothing is gone" in said and code == 0, f"again: exit {code}", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, type=pathlib.Path)
    parser.add_argument("--gen", required=True, type=pathlib.Path)
    parser.add_argument("--sim", required=True, type=pathlib.Path)
    opt = parser.parse_args()
    opt.tool, opt.gen, opt.sim = opt.tool.resolve(), opt.gen.resolve(), opt.sim.resolve()
    trials = (yes_warms_everything, no_changes_nothing, option_yes_leaves_settings_alone, import_offers_it, what_is_gone_is_forgotten)
    for trial in trials:
        with tempfile.TemporaryDirectory(prefix="jitwarm-limit-", dir=os.environ.get("JW_TEST_MEMORY")) as folder:
            trial(opt, pathlib.Path(folder).resolve())
    print(f"{len(trials)} trials")


if __name__ == "__main__":
    main()
