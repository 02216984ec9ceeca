#!/usr/bin/env python3
"""surroundings.py CASE... --tool JITWARM --sim LIBRARY

What stands around jitwarm and was not made by it: a user's home that root works in, the leavings of
a process that was killed. Exit 77: the case needs root.
"""
import os
import pathlib
import shutil
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("pack", "rigs")]
from cases import Cases, Skip, finish, same  # noqa: E402
from grounds import contents, need_root, NOBODY  # noqa: E402

case = Cases()


def prepare(m):
    """A machine that runs systemd, and the state folder that jitwarm finds by itself."""
    need_root()
    (m.folder / "machine/run/systemd/system").mkdir(parents=True)
    del m.env["JITWARM_STATE"]


@case
def root_leaves_nothing_in_a_users_home(m):
    os.chmod(m.folder, 0o755)
    os.chown(m.home, NOBODY, NOBODY)
    library = m.folder / "lib"
    library.mkdir()
    (library / "a.ptx"
     ).write_text(".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n")
    # Root's own folder is used where the home is another user's: here that of a root who lives in
    # this test.
    own, users, command = m.folder / "root", m.folder / "passwd", m.command
    own.mkdir()
    users.write_text(f"root:x:0:0::{own}:/bin/sh\n")
    m.command = lambda *words: [
        "unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/passwd && exec "$@"', users, *command(
            *words)
    ]
    if m.run("version").returncode:
        raise Skip("root may not mount here")
    for words in (["doctor"], ["status"], ["status", library], ["scan", library],
                  ["startup"], ["env"], ["prime", library]):
        m.run(*words)
        same(contents(m.home), {}, words)
    same((own / ".local/state/jitwarm").is_dir(), True, "root's own state folder")


@case
def a_unit_of_an_install_killed_at_any_instant_is_removed(m):
    for n in range(20):
        shutil.rmtree(m.home)
        m.home.mkdir()
        run = m.start("startup", "install", "--as-root")
        time.sleep(n * 0.0004)
        run.kill()
        run.communicate()
        same(m.run("startup", "remove", "--as-root").returncode, 0, n)
        same([p for p in contents(m.home) if "jitwarm-startup" in p], [], n)


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=prepare)
