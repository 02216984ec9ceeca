#!/usr/bin/env python3
"""manager.py JITWARM: systemd's own manager of a user runs here, with what startup install writes,
and starts the service when the driver's library comes, is replaced as a package manager does it,
is written anew, or is a link that ldconfig changes; and not for other files beside it. The manager
has a nice value above 0 and may not lower it, as a login with `priority 5` in limits.conf. What
jitwarm says of a run that failed, and of an installation for everybody, is asked here, too.

In namespaces of its own, with a /run of its own. Exit 77: there is no systemd, or its manager
cannot run here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SYSTEMD = pathlib.Path("/usr/lib/systemd/systemd")
PATH_UNIT, SERVICE = "jitwarm-startup.path", "jitwarm-startup.service"
LIBRARY = pathlib.Path(
    "/run/opengl-driver/lib/libcuda.so.1")  # one of the places that the path unit watches
LOADER_CACHE = pathlib.Path("/etc/ld.so.cache")
FOR_ALL = pathlib.Path("/etc/systemd/user")


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def check(ok, what, *more):
    if not ok:
        sys.exit(f"not so: {what} {' '.join(map(str, more))}")


class ControlGroup:
    """An own one, in systemd's hierarchy. A manager moves all processes of the group in which it is
    started: these are of this test alone."""

    def __init__(self):
        self.name, self.parents, self.alone = f"jitwarm-manager-{os.getpid()}", [], False
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            for mount in {"name=systemd": ["systemd"], "": ["unified", "."]}.get(controllers, []):
                parent = pathlib.Path("/sys/fs/cgroup") / mount / path.lstrip("/")
                if (parent / "cgroup.procs").exists():
                    self.enter(parent)
                    break
        now = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
        self.alone = bool(self.parents) and all(
            x.endswith(self.name) for x in now if ":name=systemd:" in x or x.startswith("0::"))

    def enter(self, parent):
        try:
            (parent / self.name).mkdir()
            self.parents.append(parent)
            (parent / self.name / "cgroup.procs").write_text(str(os.getpid()))
        except OSError as e:
            print(f"{parent}: {e}")

    def leave(self):
        for parent in self.parents:
            (parent / "cgroup.procs").write_text(str(os.getpid()))
        for folder in [
                *pathlib.Path("/sys/fs/cgroup").glob(f"*/{self.name}"),
                *(p / self.name for p in self.parents)
        ]:
            for inner, _, _ in os.walk(folder, topdown=False):
                os.rmdir(inner)


def enter():
    """This script again: nobody else sees its mounts, and all its processes end with it."""
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid(
    ) or not SYSTEMD.exists() or not shutil.which("unshare") or not shutil.which("systemctl"):
        skip("there is no systemd, or this is not root")
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        skip("no namespace can be made")
    group = ControlGroup()
    try:
        code = subprocess.run([*words, sys.executable, __file__, sys.argv[1], "inside"
                               ]).returncode if group.alone else None
    finally:
        group.leave()
    if code is None:
        skip("no control group can be made")
    sys.exit(code)


class Manager:
    def __init__(self, home):
        self.home, self.log = home, home / "log"
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        runtime = pathlib.Path(f"/run/user/{os.getuid()}")
        runtime.mkdir(mode=0o700, parents=True)
        pathlib.Path("/run/systemd/system").mkdir(parents=True)
        self.env = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(runtime)
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                ["nice", "-n", "5", "setpriv", "--bounding-set=-sys_nice", SYSTEMD, "--user",
                 "--log-target=console"], env=self.env, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)
        if not self.within(
                20, lambda:
            (runtime / "systemd/private").exists() and self.says("is-system-running") in
            ("running", "degraded")):
            skip(f"systemd's manager does not run here: {self.log.read_text()[-400:]}")

    def ends(self):
        """By itself: it takes its control groups away."""
        self.says("exit")
        self.process.wait(20)

    def within(self, seconds, so):
        end = time.monotonic() + seconds
        while not so():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def says(self, *words):
        return subprocess.run(["systemctl", "--user", *words], env=self.env, capture_output=True,
                              text=True).stdout.strip()

    def last(self):
        """When the service last began; whether that run has ended, and how."""
        shown = self.says(
            "show",
            "--property=ExecMainStartTimestampMonotonic,ExecMainExitTimestampMonotonic,"
            "Result,ActiveState",
            SERVICE)
        value = dict(re.findall(r"^(\w+)=(.*)$", shown, re.M))
        began, ended = (int(value[f"ExecMain{what}TimestampMonotonic"])
                        for what in ("Start", "Exit"))
        return began, ended >= began and value["ActiveState"] == "inactive", value["Result"]

    def starts(self, what, change):
        before, _, _ = self.last()
        change()
        began = self.within(20, lambda: self.last()[0] > before)
        ended = began and self.within(60, lambda: self.last()[1])
        check(ended and self.last()[2] == "success", f"{what} starts the service", self.last(),
              self.log.read_text()[-1500:])

    def fails(self, tool, profile, settings, problem, remedy):
        """A run that fails, and what jitwarm says of it."""
        own = self.home / f".config/systemd/user/{SERVICE}.d/own.conf"
        own.parent.mkdir(exist_ok=True)
        own.write_text(f"[Service]\n{settings}\n")
        (self.home / ".profile").write_text(profile)
        self.says("daemon-reload")
        self.says("start", SERVICE)
        self.status(tool, f"Not working: {problem}", f"To do +{remedy}")
        self.says("reset-failed", SERVICE)
        (self.home / ".profile").unlink()
        own.unlink()
        self.says("daemon-reload")

    def status(self, tool, *lines):
        done = subprocess.run([tool, "startup"], env=self.env, capture_output=True, text=True,
                              check=False)
        for line in lines:
            check(re.search(line, done.stdout), line, done.stdout, done.stderr)


def replace(text):
    new = LIBRARY.with_name("libcuda.so.1.dpkg-new")
    new.write_bytes(text)
    new.rename(LIBRARY)


def copy_of(file, folder):
    return shutil.copy(file, folder / "copy")


def inside(tool):
    home, text = pathlib.Path("~root").expanduser(), pathlib.Path(tool).read_bytes()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", home], check=True)
    m, tool = Manager(home), home / "jitwarm"
    tool.write_bytes(text)
    tool.chmod(0o755)
    done = subprocess.run([tool, "startup", "install", "--as-root"], env=m.env, capture_output=True,
                          text=True)
    check(done.returncode == 0, "install", done.stdout, done.stderr)
    check(
        m.says("is-active", PATH_UNIT) == "active",
        "the path unit is active as soon as it is installed",
        m.log.read_text()[-1500:])
    check(m.last()[0] == 0, "nothing was started yet", m.last())
    LIBRARY.parent.mkdir(parents=True)
    m.starts("a library that comes", lambda: LIBRARY.write_bytes(b"first"))
    m.starts("one that a package manager replaces", lambda: replace(b"second"))
    m.starts("one that is written anew", lambda: LIBRARY.write_bytes(b"third"))
    before = m.last()
    LIBRARY.with_name("libother.so.1").write_bytes(b"other")
    time.sleep(1)
    check(m.last() == before, "another library starts nothing", before, m.last())
    subprocess.run(["mount", "--bind", copy_of(LOADER_CACHE, home), LOADER_CACHE], check=True)
    m.says("restart", PATH_UNIT)
    m.starts("a link that ldconfig changes", lambda: LOADER_CACHE.write_bytes(b"another"))
    m.fails(tool, "exit 4\n", "", r"its last run failed \(status 4\)", "jitwarm prime")
    m.fails(tool, "", "CPUSchedulingPolicy=batch",
            r"systemd could not start its last run \(status 214\)",
            f"journalctl --user -u {SERVICE}")
    m.says("stop", "jitwarm-startup.timer")
    m.status(tool, "Not working: its timer is not active",
             "To do +systemctl --user start jitwarm-startup.timer")
    m.says("start", "jitwarm-startup.timer")
    before = m.last()
    gone = tool.rename(tool.with_name("gone"))
    replace(b"program gone")
    check(
        m.within(
            20,
            lambda: m.says("show", "--property=ConditionResult", SERVICE) == "ConditionResult=no"),
        "without the program nothing starts", m.last())
    check(m.last() == before, "and nothing fails", before, m.last())
    gone.rename(tool)
    (home / ".profile").write_text("sleep 99\n")
    replace(b"slow")
    check(m.within(20, lambda: m.says("is-active", SERVICE) == "activating"), "a run goes on",
          m.last())
    done = subprocess.run([tool, "startup", "remove", "--as-root"], env=m.env, capture_output=True,
                          text=True)
    check(done.returncode == 0 and m.says("is-active", PATH_UNIT) != "active", "remove ends it",
          done.stdout, done.stderr)
    replace(b"fourth")
    time.sleep(1)
    check(
        m.says("show", "--property=LoadState,ActiveState",
               SERVICE) == "LoadState=not-found\nActiveState=inactive", "nothing is left",
        m.says("status", SERVICE))
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", FOR_ALL], check=True)
    done = subprocess.run([tool, "startup", "install", "--system"], env=m.env, capture_output=True,
                          text=True, check=False)
    check(done.returncode == 0, "install for everybody", done.stdout, done.stderr)
    m.status(tool, "Installed for every user")
    for file in FOR_ALL.glob("*/*"):
        os.utime(file, (0, 0), follow_symlinks=False)  # as if this login came after it
    m.status(tool, "Not working: its timer is not active")
    m.ends()
    print("five changes, four runs")


if __name__ == "__main__":
    if sys.argv[2:] == ["inside"]:
        inside(pathlib.Path(sys.argv[1]).resolve())
    else:
        enter()
