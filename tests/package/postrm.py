#!/usr/bin/env python3
"""postrm.py JITWARM: a package that goes takes along what `startup install --system` wrote, and
leaves what an administrator changed. By each shell that may be /bin/sh."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = "RWQYXmKnwmkbRI2mVVkL9sLV4JH3Ai233cnMNwHKXj6fbLcqTMc3trjr"
CHANGED = "systemd/user/jitwarm-startup.timer"


def check(ok, what, seen=""):
    if not ok:
        sys.exit(f"not so: {what}\n{seen}")


def files(etc):
    return sorted(str(path.relative_to(etc)) for path in etc.rglob("*") if not path.is_dir())


def installed(folder):
    etc = folder / "etc"
    (folder / "run/systemd/system").mkdir(parents=True)
    etc.mkdir()
    done = subprocess.run([sys.argv[1], "startup", "install", "--system", "--source", "/srv/jit",
                           "--trust", KEY], env={**os.environ, "JITWARM_SYSROOT": str(folder)},
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0 and len(files(etc)) == 5, "install", done.stdout + done.stderr)
    return etc


def removed(shell, etc, word):
    subprocess.run([shell, ROOT / "scripts/package/postrm", word], check=True,
                   env={**os.environ, "DPKG_ROOT": str(etc.parent)})
    return files(etc)


def with_shell(shell, scratch):
    etc = installed(scratch / "whole")
    check(removed(shell, etc, "upgrade") == files(etc), "an update takes nothing")
    left = removed(shell, etc, "remove")
    check(left == ["jitwarm/startup.conf"], "a removal takes the units, and leaves settings", left)
    check(removed(shell, etc, "purge") == [], "a purge takes these, too")

    etc = installed(scratch / "changed")
    timer = etc / CHANGED
    timer.write_text(timer.read_text().replace("45s", "99s"))
    left = removed(shell, etc, "0")
    check(len(left) == 2 and all("timer" in name for name in left),
          "a timer that somebody changed stays, and its link", left)


shells = [path for path in map(shutil.which, ("dash", "bash")) if path]
for name in shells:
    with tempfile.TemporaryDirectory() as folder:
        with_shell(name, pathlib.Path(folder))
