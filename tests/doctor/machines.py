#!/usr/bin/env python3
"""machines.py --tool TOOL --sim FOLDER --gen FOLDER NAME | list

Each machine is made up (JITWARM_SYSROOT, a home, the simulated driver) with one thing wrong. A
shell asks doctor, pastes its remedy, and asks again, until all is warm: each time the cause is
gone, or the next one stands there. What needs root or hardware (a package manager, a reboot,
docker) is a program of that name on the PATH, which does to the made machine what the real one
would. And machines with nothing wrong, of which doctor ends with 0.
"""
import argparse
import ctypes.util
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

WITH_SIMCUDA = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "with-simcuda"
NOBODY, STEPS = 65534, 6
ROWS, WIDTH = 6, 60  # of an answer; of the terminal
SAID = ("cold", "no-code", "files-unread")  # by the answer, which has a path, too
UNABLE = 77  # what the machine lacks cannot be hidden, or its disk not be mounted
SCRUBBED = re.compile(
    r"CUDA_|NVIDIA_|JITWARM|XDG_|PYTHON|CONDA|VIRTUAL|LD_|SUDO|container$|SIMCUDA_")

# The shell of a person: it keeps what the commands set. Each answer is kept with its number.
SHELL = """
for step in $(seq 1 $STEPS); do
    jitwarm doctor --json $ASKED >"$OUT/$step.json" 2>"$OUT/$step.err"; echo $? >"$OUT/$step.code"
    COLUMNS=1000 jitwarm doctor $ASKED >"$OUT/$step.text" 2>&1
    todo=$(sed -n '/"todo": /,$s/^ *"command": "\\(.*\\)",*$/\\1/p' "$OUT/$step.json" | head -n 1)
    # what a person does who reads a sentence
    [ -n "$todo" ] || ! command -v by_hand >/dev/null || todo=by_hand
    grep -q '"cause"' "$OUT/$step.json" && [ -n "$todo" ] || break
    case "$todo" in 'jitwarm prime'*) todo="$todo --yes" ;; esac
    eval "$todo" >"$OUT/$step.did" 2>&1 || echo "ended with $?" >>"$OUT/$step.did"
    [ ! -e "$OUT/after" ] || . "$OUT/after"  # the shell of a new container, or after a reboot
done
"""

PLAYED = """read -r play <{driver}
[ -n "$play" ] || exec {tool} "$@"
exec bash {with_simcuda} $play -- env -u LD_LIBRARY_PATH {tool} "$@"
"""


class Machine:
    """A home with a library that must be compiled, below a root of its own; a GPU, and the
    simulated driver."""

    def __init__(self, o, folder):
        self.o, self.folder = o, folder
        self.root, self.home, self.bin = folder / "root", folder / "ada", folder / "bin"
        self.driver, self.cache = folder / "driver", self.home / ".nv/ComputeCache"
        self.before, self.asked, self.disk = "", "", None
        for path in (self.root / "etc", self.root / "var/tmp", self.home, self.bin, folder / "out"):
            path.mkdir(parents=True)
        (self.root / "etc/os-release").write_text("ID=ubuntu\n")
        self.plays()
        self.on_the_bus("0x2484")
        self.module("580.126.09")
        self.program("jitwarm",
                     PLAYED.format(driver=self.driver, with_simcuda=WITH_SIMCUDA, tool=o.tool))
        self.program("sudo", 'exec "$@"')
        self.library("only-ptx.so")

    def program(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def then(self, name, words, after):
        """A program that is called with these words alone, and what it changes in the shell."""
        self.program(
            name,
            f'[ "$*" = "{words}" ] || {{ echo "unexpected: $*"; exit 1; }}\ncat >>"$OUT/after" '
            f'<<\'E\'\n{after}\nE'
        )

    def plays(self, options="--driver 580.126.09 --gpu sm_86"):
        if not options and ctypes.util.find_library("cuda"):
            print("SKIP: the loader of this machine finds a driver")
            sys.exit(UNABLE)
        self.driver.write_text(options + "\n" if options else "\n")

    def library(self, name):
        self.asked = str(self.home / name)
        shutil.copyfile(pathlib.Path(self.o.gen) / "elf" / name, self.asked)

    def contained(self):
        for path, text in (("root/.dockerenv", ""), ("root/proc/self/mountinfo",
                                                     "500 400 0:50 / / rw - overlay overlay rw\n")):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)

    def on_the_bus(self, device, bus="01"):
        at = self.root / f"sys/bus/pci/devices/0000:{bus}:00.0"
        at.mkdir(parents=True, exist_ok=True)
        for name, text in (("vendor", "0x10de"), ("class", "0x030000"), ("device", device)):
            (at / name).write_text(text + "\n")

    def module(self, version):
        path = self.root / "proc/driver/nvidia/version"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Tue Jan  1 00:00:00 UTC "
            f"2026\n"
        )
        return path

    def primed(self):
        self.before += 'jitwarm prime --yes $ASKED >"$OUT/prime.txt" 2>&1\n'

    def plain(self, text):
        """With the paths that a real machine has."""
        return text.replace(str(self.root), "").replace(str(self.folder),
                                                        "/home").replace(" (simulated)", "")

    def goes(self):
        """[(the cause's id or None, the result, the exit code, the remedy, the text without
        breaks)], and what was printed."""
        env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        out = self.folder / "out"
        env.update(HOME=str(self.home), LOGNAME="ada", JITWARM_SYSROOT=str(self.root),
                   SHELL="/bin/sh", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="80",
                   PATH=f"{self.bin}:{env['PATH']}", SIMCUDA_DIR=self.o.sim, OUT=str(out),
                   STEPS=str(STEPS), ASKED=self.asked, XDG_STATE_HOME=str(self.home / "state"),
                   XDG_CONFIG_HOME=str(self.home / ".config"), TMPDIR=str(self.folder))

        def nobody():  # rights are those of a person
            if self.disk:
                libc = ctypes.CDLL(None, use_errno=True)
                if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000,
                                                       None) or libc.mount(
                                                           b"none", bytes(self.disk), b"tmpfs", 0,
                                                           b"size=2m,uid=%d,mode=755" % NOBODY):
                    os._exit(UNABLE)
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        if os.getuid() == 0:
            for path in (p for p in (self.folder, *self.folder.rglob("*"))
                         if p.lstat().st_uid == 0):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        done = subprocess.run(["bash", "-c", self.before + SHELL], cwd=self.home, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
                              preexec_fn=nobody if os.getuid() == 0 else None, check=False)
        if done.returncode == UNABLE:
            sys.exit(UNABLE)
        steps, said = [], done.stdout + done.stderr
        for step in range(1, STEPS + 1):
            if not (out / f"{step}.json").exists():
                break
            text = (out / f"{step}.json").read_text()
            said += "".join((out / f"{step}.{part}").read_text() for part in ("json", "err", "did")
                            if (out / f"{step}.{part}").exists())
            answer = json.loads(text) if text else {}
            steps.append((answer.get("cause", {}).get("id"), answer.get("result"),
                          int((out / f"{step}.code").read_text()), "".join(
                              t.get("command") or t["text"] for t in answer.get("todo", [])[:1]),
                          self.plain((out / f"{step}.text").read_text())))
        said += (out / "prime.txt").read_text() if (out / "prime.txt").exists() else ""
        return steps, said


# ---- the machines: each returns the causes that must be met, in order; then all is warm ----

IN_THE_CACHE = {
    "closed-below": ('rm $entry; chmod 555 "${entry%/*}"', "cache-place", "cache-damaged"),
    "closed-above": ('rm -r "${entry%/*}"; chmod 555 "${entry%/*/*}"', "cache-place",
                     "cache-damaged"),
    "closed-at-the-top": ('rm -r "${entry%/*/*}"; chmod 555 .', "cache-place", "cache-damaged"),
    "index-read-only": ("chmod 444 index", "cache-place"),
    "index-read-only-in-a-named-cache": ("export CUDA_CACHE_PATH=$PWD; chmod 444 index",
                                         "cache-place"),
    "index-is-a-pipe": ("rm index; mkfifo index", "cache-place", "cache-damaged"),
    "index-is-a-link": ("mv index ../x; ln -s ../x index", "cache-place", "cache-damaged"),
    "index-damaged": ("truncate -s 16 index", "cache-damaged"),  # its header counts records
}
SETTINGS = {
    "disabled": ("CUDA_CACHE_DISABLE=1", "cache-disabled"),
    "forced": ("CUDA_FORCE_PTX_JIT=1", "compiling-forced"),
    "forbidden": ("CUDA_DISABLE_PTX_JIT=1", "compiling-forbidden"),
    "path-empty": ("CUDA_CACHE_PATH=", "cache-place"),
    "path-relative": ("CUDA_CACHE_PATH=cache", "cache-place"),
    "path-of-root": ("CUDA_CACHE_PATH=/usr/lib/cache", "cache-place"),
    "limit-with-a-letter": ("CUDA_CACHE_MAXSIZE=4G", "cache-limit"),
    "home-is-a-device": ("HOME=/dev/null", "cache-place"),
    "state-is-a-device": ("XDG_STATE_HOME=/dev/null/x", "cache-state"),
    "no-home": ("-n HOME", "cache-place"),
    "hidden": ("CUDA_VISIBLE_DEVICES=-1", "no-gpu"),
}


def setting(m, variable, cause):
    m.before = f"export {variable}\n"
    return [cause, "cold"]


def cold(m):
    return ["cold"]


def small_modules_among_data(m):  # TensorFlow 2.10 on an RTX 30
    m.library("hidden-in-data.so")
    m.on_the_bus("0x2330")
    m.plays("--driver 580.126.09 --gpu sm_90")
    return ["cold"]


def two_unlike_gpus(m):  # one of them has machine code
    m.on_the_bus("0x13c0", "02")
    m.plays("--driver 580.126.09 --gpu sm_86 --gpu sm_52")
    return ["cold"]


def no_code_for_this_gpu(m):  # an older PyTorch on a Blackwell
    m.library("only-sass.so")
    m.on_the_bus("0x2bb1")
    m.plays("--driver 580.126.09 --gpu sm_120")
    m.before = f"by_hand() {{ cp {m.o.gen}/elf/only-ptx.so $ASKED; }}\n"
    return ["no-code", "cold"]


def file_in_the_way(m):
    m.cache.parent.mkdir()
    m.cache.write_text("a file\n")
    return ["cache-place", "cold"]


def closed_in_part(m, close):  # prime does what can be done, and says once what is left
    m.asked = str(m.home / "app")
    os.mkdir(m.asked)
    for n in range(20):
        (m.home / f"app/{n}.ptx").write_text(
            f".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k{n}() {{ ret; }}\n")
    m.before = (f"jitwarm prime --yes $ASKED/0.ptx; cd {m.cache}; mkdir -p 0 1 2 3 4 5 6 7; "
                f"{close}; cd; jitwarm prime --yes $ASKED\n")
    m.before += (f'[ $? = {4 if close == "chmod 555 ." else 1} ] && jitwarm prime --yes $ASKED; [ '
                 f'$? = 4 ] || rm -r "$ASKED"\n')
    return ["cache-place", "cold"]


def open_to_all(m):
    m.cache.mkdir(parents=True)
    m.cache.chmod(0o777)
    return ["cache-open", "cold"]


def in_the_cache(m, command, *causes):  # which knows its only entry
    m.primed()
    m.before += f"cd {m.cache}; entry=$(find [0-9a-f] -type f); {command}; cd\n"
    return causes


def index_locked(m):
    m.primed()
    m.before += (f"python3 -c 'import fcntl, time; f = open(\"{m.cache}/index\", \"r+\"); "
                 f"fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); time.sleep(99)' >held & "
                 f"holder=$!\n")
    m.before += ('while [ ! -s held ] && kill -0 $holder; do :; done\nfuser() { echo "$2: '
                 '$holder"; kill $holder; }\n')
    return ["cache-busy"]


def disk_full(m):
    m.disk = m.cache.parent
    m.disk.mkdir()
    m.before = f"head -c 1900K /dev/zero >{m.disk}/others\nby_hand() {{ rm {m.disk}/others; }}\n"
    return ["cache-disk-full", "cold"]


def unreadable(m):
    m.primed()
    m.before += 'chmod 0 "$ASKED"; ASKED=\n'
    return ["files-unread"]


def state_open_to_all(m):
    m.primed()
    m.before += "chmod 666 ~/state/jitwarm/caches/*/roots.*; chmod 777 ~/state; ASKED=\n"
    return ["cache-state", "roots-damaged"]


def of_another_user(m):
    shared = m.folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    if os.getuid() == 0:
        os.chown(shared, 12345, 12345)
    m.before = f"export CUDA_CACHE_PATH={shared}\n"
    return ["cache-open", "cold"]


def no_driver(m):
    m.plays("")
    m.program("ubuntu-drivers",
              f'[ "$1" = install ] && echo "--driver 580.126.09 --gpu sm_86" >{m.driver}')
    return ["driver-library", "cold"]


def wsl_where_no_loader_looks(m):
    shutil.copytree(m.o.sim, m.root / "usr/lib/wsl/lib")
    shutil.rmtree(m.root / "sys")
    (m.root / "dev").mkdir()
    (m.root / "dev/dxg").touch()
    m.plays("")
    return ["driver-library", "cold"]


def gpu_newer_than_the_driver(m):
    m.on_the_bus("0x2b85")
    m.plays("--driver 550.163.01 --gpu sm_86")
    path = m.module("550.163.01")
    m.before = "export SIMCUDA_INIT=100\n"
    m.then(
        "ubuntu-drivers", "install",
        f"unset SIMCUDA_INIT; sed -i s/550.163.01/580.126.09/ {path}; echo '--driver 580.126.09 "
        f"--gpu sm_120' >{m.driver}"
    )
    return ["driver-unfit", "cold"]


def module_not_loaded(m):
    m.module("x").unlink()
    m.before = "export SIMCUDA_INIT=100\n"
    m.then("modprobe", "nvidia", "unset SIMCUDA_INIT")
    return ["no-gpu", "cold"]


def updated_and_not_rebooted(m):
    m.before = "export SIMCUDA_INIT=803\n"
    m.then("reboot", "", "unset SIMCUDA_INIT")
    return ["driver-library", "cold"]


def links_not_ready(m):
    m.before = "export SIMCUDA_INIT=802\n"
    m.then("systemctl", "start nvidia-fabricmanager", "unset SIMCUDA_INIT")
    return ["driver-error", "cold"]


def driver_that_crashes(m):
    m.before = "export SIMCUDA_FAULTS=crash@init\n"
    m.then("reboot", "", "unset SIMCUDA_FAULTS")
    return ["driver-error", "cold"]


def no_compiler(m):
    m.plays("--driver 580.126.09 --gpu sm_86 --jit none")
    m.before = f"by_hand() {{ echo '--driver 580.126.09 --gpu sm_86' >{m.driver}; }}\n"
    return ["compiler-missing", "cold"]


def old_container_toolkit(m):
    (m.root / "proc/1").mkdir(parents=True)
    (m.root / "proc/1/cgroup").write_text("0::/lxc/app\n")
    m.plays("--driver 580.126.09 --gpu sm_86 --jit none")
    m.before = "export NVIDIA_DRIVER_CAPABILITIES=compute,utility\n"
    m.program(
        "apt-get",
        f'[ "$*" = "install --only-upgrade nvidia-container-toolkit" ] && echo "--driver '
        f'580.126.09 --gpu sm_86" >{m.driver}'
    )
    return ["compiler-missing", "cold"]


def container_without_a_gpu(m):
    m.contained()
    m.plays("")
    m.then(
        "docker", "run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...",
        f"rm -f {m.root}/.dockerenv {m.root}/proc/self/mountinfo; echo '--driver 580.126.09 --gpu "
        f"sm_86' >{m.driver}"
    )
    return ["driver-library", "cold"]


def container_without_a_volume(m):
    m.contained()
    return ["cold"]


def updated(m):
    m.primed()
    m.before += (f'echo "--driver 590.10 --gpu sm_86" >{m.driver}; jitwarm status --json $ASKED | '
                 f'grep -q cache-of-other || rm $ASKED\n')
    return ["cache-of-other"]


def login_has_another_cache(m):
    (m.home / ".profile").write_text(f"export CUDA_CACHE_PATH={m.home}/other\n")
    return ["login", "cold"]


def refused(m):
    m.before = "jitwarm doctor >/dev/null\nexport SIMCUDA_FAULTS=badptx@1\n"  # the probe is over
    m.primed()
    m.before += "unset SIMCUDA_FAULTS; by_hand() { jitwarm prime --yes --retry $ASKED; }\n"
    return ["refused"]


def login_turns_the_cache_off(m):
    m.primed()
    (m.home / ".profile").write_text("export CUDA_CACHE_DISABLE=1\n")
    m.before += "by_hand() { rm ~/.profile; }\n"
    return ["login"]


def login_has_no_cache(m):
    (m.home / ".profile").write_text("export CUDA_CACHE_PATH=/proc/none\n")
    m.before = "by_hand() { rm ~/.profile; }\n"
    return ["login", "cold"]


# ---- nothing is wrong: doctor ends with 0 at the first answer ----

def warm_and_a_login_differs(m):
    m.primed()
    (m.home / ".profile").write_text("export CUDA_CACHE_PATH=/var/tmp/x\n")
    return []


def warm_without_a_compiler(m):
    m.primed()
    m.before += f'echo "--driver 580.126.09 --gpu sm_86 --jit none" >{m.driver}\n'
    return []


def native(m):  # no cache matters
    m.library("only-sass.so")
    m.before = "export CUDA_CACHE_DISABLE=1 CUDA_CACHE_PATH=/proc/none\n"
    return []


MACHINES = {
    name: functools.partial(setting, variable=v, cause=c)
    for name, (v, c) in SETTINGS.items()
}
MACHINES |= {
    f"closed-in-part-{n}": functools.partial(closed_in_part, close=c)
    for n, c in enumerate(("chmod 500 [0-7]", "chmod 555 ."))
}
MACHINES |= {
    name: lambda m, told=told: in_the_cache(m, *told)
    for name, told in IN_THE_CACHE.items()
}
MACHINES |= {
    f.__name__.replace("_", "-"): f
    for f in (cold, index_locked, disk_full, small_modules_among_data, two_unlike_gpus,
              no_code_for_this_gpu, file_in_the_way, open_to_all, unreadable, of_another_user,
              no_driver, wsl_where_no_loader_looks, gpu_newer_than_the_driver, module_not_loaded,
              updated_and_not_rebooted, links_not_ready, driver_that_crashes, no_compiler,
              old_container_toolkit, container_without_a_gpu, container_without_a_volume,
              login_has_another_cache, login_turns_the_cache_off, login_has_no_cache, updated,
              refused, state_open_to_all, warm_and_a_login_differs, warm_without_a_compiler, native)
}


def problems(steps, wanted):
    met = [s[0] for s in steps]
    if met != [*wanted, None]:
        yield f"met {met}, not {[*wanted, None]}"
    if steps and (steps[-1][1] not in ("warm", "nothing") or steps[-1][2]):
        yield f"the last result is {steps[-1][1]}, and ends with {steps[-1][2]}"
    for cause, result, code, todo, text in steps[:-1]:
        if code != 1 or not todo or result in ("warm", "nothing"):
            yield f"{cause}: {result}, ends with {code}, and its remedy is {todo!r}"
        if cause not in SAID and len(text.split("\n")[0]) > WIDTH:
            yield f"more than a line to begin with: {text}"
    for text in (s[4] for s in steps):
        if sum(
                len(textwrap.wrap(line, WIDTH, subsequent_indent=" " * 10 * ("  " in line)))
                for line in text.splitlines()) > ROWS:
            yield f"more than {ROWS} lines: {text}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        parser.add_argument(f"--{name}")
    parser.add_argument("name")
    o = parser.parse_args()
    if o.name == "list":
        print("\n".join(MACHINES))
        return
    with tempfile.TemporaryDirectory(prefix="jw-", dir="/var/tmp") as folder:
        pathlib.Path(folder).chmod(0o755)
        m = Machine(o, pathlib.Path(folder))
        wanted = MACHINES[o.name](m)
        steps, said = m.goes()
        wrong = list(problems(steps, wanted))
        if wrong:
            sys.exit(said + "\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
