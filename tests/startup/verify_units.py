#!/usr/bin/env python3
"""verify_units.py JITWARM: systemd itself reads the units that startup install writes, wherever the
program lies.

systemd-analyze verify must have nothing to say about the timer and the service, for one user and
for everybody. Exit 77: systemd-analyze is not here.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = [
    "jitwarm", "jit warm 100%", "jit$HOME %n", "it's", 'a "quoted" one', "back\\slash", "한글 프로그램",
    "semi;colon&so=on"
]
CACHE = "/data/한글 %h/it's \"so\"/back\\slash/`x`/$HOME;&"
UNITS = ["jitwarm-startup.timer", "jitwarm-startup.path", "jitwarm-startup.service"]
failures = []


def check(what, holds, more=""):
    if not holds:
        failures.append(what)
        print(f"FAIL {what}\n{more}")


def environment(home):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "JITWARM", "CUDA_"))}
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    (home / "machine/run/systemd/system").mkdir(parents=True)
    return env | {
        "HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "LC_ALL": "C.UTF-8",
        "JITWARM_SYSROOT": str(home / "machine")
    }


def verify(folder, env, what):
    for unit in UNITS:
        done = subprocess.run(["systemd-analyze", "--user", "verify", folder / unit], env=env,
                              capture_output=True, text=True)
        check(f"{what}: {unit}", done.returncode == 0 and not done.stderr, done.stderr)


def for_user(tool, name, base):
    home = base / "home"
    home.mkdir(mode=0o700)
    env = environment(home)
    program = home / "o dd" / name
    program.parent.mkdir()
    shutil.copy(tool, program)
    done = subprocess.run([program, "startup", "install", "--as-root"],
                          env=env | {"CUDA_CACHE_PATH": CACHE}, capture_output=True, text=True)
    check(f"install {name}", done.returncode == 0, done.stderr)
    verify(home / ".config/systemd/user", env, name)
    shutil.rmtree(home)


def for_everybody(tool, base):
    home = base / "home"
    home.mkdir(mode=0o700)
    env = environment(home)
    done = subprocess.run([tool, "startup", "install", "--system"], env=env, capture_output=True,
                          text=True)
    check("install --system", done.returncode == 0, done.stderr)
    verify(home / "machine/etc/systemd/user", env, "for everybody")
    shutil.rmtree(home)


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="jitwarm-units-") as folder:
        base = pathlib.Path(folder).resolve()
        if not shutil.which("systemd-analyze"):
            print("SKIP: there is no systemd-analyze")
            sys.exit(77)
        for name in NAMES:
            for_user(tool, name, base)
        for_everybody(tool, base)
    print(f"{len(NAMES) + 1} installations, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
