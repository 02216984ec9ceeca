#!/usr/bin/env python3
"""machines.py --tool TOOL --sim FOLDER --gen FOLDER machine NAME | list

doctor's last line is one command. Each machine is made up (JITWARM_SYSROOT, a home, the simulated driver) with one thing wrong.
A shell asks doctor, runs the last line as it stands, and asks again, until nothing is left to do: each time the finding is gone, or
the next one stands there. What needs root or hardware (a package manager, a reboot, docker) is a program of the same name on the
PATH, which does to the made machine what the real one would.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WITH_SIMCUDA = HERE.parent.parent / "scripts" / "with-simcuda"
sys.path.insert(0, str(HERE.parent / "cli"))
from begin import SIM_BEFORE, SIM_NOW, Cache  # noqa: E402
from disk import folder_on_disk  # noqa: E402
from wheels import write_fatbin  # noqa: E402
NOBODY = 65534
LAST = "jitwarm doctor --watch=60s"
PRIME = "jitwarm prime"
WHEN_FINE = "if something is slow: start it, and run this beside it:"
STEPS = 6
ID = "4f1c9b0a7d3e" + "5" * 52  # of a container
SCRUBBED = re.compile(r"CUDA_|NVIDIA_|JITWARM|XDG_|PYTHON|CONDA|VIRTUAL|LD_|SUDO|container$|SIMCUDA_")

# The shell of a person: it keeps what the commands set. Each answer is kept with its number.
SHELL = """
for step in $(seq 1 $STEPS); do
    jitwarm doctor >"$OUT/$step.txt" 2>"$OUT/$step.err"; echo $? >"$OUT/$step.code"
    jitwarm doctor --json >"$OUT/$step.json" 2>/dev/null
    todo=$(sed -n '$s/^To do  *//p' "$OUT/$step.txt")
    [ -n "$todo" ] && [ "$todo" != "$LAST" ] || break
    eval "$todo" >"$OUT/$step.did" 2>&1 || echo "ended with $?" >>"$OUT/$step.did"
    [ ! -e "$OUT/container" ] || . "$OUT/container"  # the shell of the new one
done
echo "$CUDA_CACHE_PATH" >"$OUT/cache"
"""

# Docker, Podman and kubectl of the host: they give the made machine a GPU, a volume and variables.
ENGINE = r"""
import json, pathlib, sys
root, folder, driver, out, *words = map(str, sys.argv[1:])
program, words = words[0], words[1:]

def gpu():
    pathlib.Path(driver).write_text("--driver 580.126.09 --gpu sm_86")

def volume(point):
    here = pathlib.Path(folder + point)
    here.mkdir(exist_ok=True)
    with open(root + "/proc/self/mountinfo", "a") as mounts:
        mounts.write(f"505 500 8:1 /v {here} rw,relatime - ext4 /dev/sda1 rw\n")

def variable(name, value):
    with open(out + "/container", "a") as shell:
        shell.write(f"export {name}={folder + value if value.startswith('/jit-caches') else value}\n")

if program == "kubectl":
    assert words[:2] == ["-n", "ml"], words
    if words[2:] == ["set", "resources", "deployment/app", "-c", "web", "--limits=nvidia.com/gpu=1"]:
        gpu()
    else:
        assert words[2:5] == ["patch", "deployment/app", "-p"], words
        spec = json.loads(words[5])["spec"]["template"]["spec"]
        (held,), (container,) = spec["volumes"], spec["containers"]
        (mount,) = container["volumeMounts"]
        assert container["name"] == "web" and mount["name"] == held["name"], words
        if container.get("resources") == {"limits": {"nvidia.com/gpu": 1}}:
            gpu()
        volume(mount["mountPath"])
        for one in container["env"]:
            variable(one["name"], one["value"])
    sys.exit()
field, gpus = {"docker": ("{{.Config.Image}}", ["--gpus", "all"]), "podman": ("{{.ImageName}}", ["--device", "nvidia.com/gpu=all"])}[program]
if words[0] == "inspect":
    assert words[1:] == ["-f", field, "4f1c9b0a7d3e"], words
    print("an/image:1")
    sys.exit()
assert words[:4] == ["run", "-it", *gpus] and words[-1] == "an/image:1", words
options = words[4:-1]
while options:
    option, value, *options = options
    if option == "-v":
        volume(value.split(":")[-1])
    else:
        assert option == "-e", words
        variable(*value.split("=", 1))
gpu()
"""


# The tool with the driver of this machine in front. What with-simcuda made for one driver is kept for the next times: it starts a dozen programs.
PLAYED = """read -r play <{driver}
[ -n "$play" ] || exec {tool} "$@"
wanted="$play|${{SIMCUDA_STAMP-}}|${{SIMCUDA_KNOWLEDGE-}}|$SIMCUDA_DIR|${{TMPDIR-}}"
{{ read -r kept && read -r library && read -r gpus && read -r version; }} 2>/dev/null <{kept} || kept=
if [ "$kept" != "$wanted" ] || [ ! -e "$library" ]; then
    exec bash {with_simcuda} $play -- sh -c 'printf "%s\\n" "$0" "$JITWARM_DRIVER" "$SIMCUDA_GPUS" "$SIMCUDA_DRIVER" 2>/dev/null >{kept}; exec "$@"' "$wanted" {tool} "$@"
fi
export JITWARM_DRIVER="$library" LD_LIBRARY_PATH="${{library%/*}}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" SIMCUDA_GPUS="$gpus" SIMCUDA_DRIVER="$version"
mkdir -p {shared}.$$ 2>/dev/null && export SIMCUDA_SHARED={shared}.$$
exec {tool} "$@"
"""


class Machine:
    """A home with one environment, below a root of its own; a GPU, and the simulated driver."""

    def __init__(self, o, folder):
        self.folder, self.root, self.home, self.bin = folder, folder / "root", folder / "root/home/ada", folder / "bin"
        self.driver = folder / "driver"  # options of with-simcuda; empty: there is none
        self.before = ""  # what the person's shell has set
        self.o = o
        for path in (self.root / "etc", self.home, self.bin, folder / "out"):
            path.mkdir(parents=True)
        (self.root / "etc/os-release").write_text("ID=ubuntu\n")
        (self.home / ".profile").write_text("")
        self.plays("580.126.09")
        self.program("jitwarm", PLAYED.format(driver=self.driver, kept=folder / "played", shared=folder / "shared", with_simcuda=WITH_SIMCUDA, tool=o.tool))
        self.program("sudo", 'exec "$@"')

    def program(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def plays(self, version, gpu="sm_86"):
        self.driver.write_text(f"--driver {version} --gpu {gpu}")

    def contained(self, engine, *mounts):
        """A container, of an engine whose program is on the PATH, too."""
        self.program(engine, f"exec {sys.executable} {self.folder}/engine.py {self.root} {self.folder} {self.driver} $OUT {engine} \"$@\"")
        (self.folder / "engine.py").write_text(ENGINE)
        marks = {"docker": ".dockerenv", "podman": "run/.containerenv", "kubectl": "var/run/secrets/kubernetes.io/serviceaccount/namespace"}
        for path in (self.root / marks[engine], self.root / "proc/self/mountinfo"):
            path.parent.mkdir(parents=True, exist_ok=True)
        (self.root / marks[engine]).write_text("ml" if engine == "kubectl" else "")
        own = {"docker": f"/var/lib/docker/containers/{ID}/hostname /etc/hostname", "podman": f"/x/overlay-containers/{ID}/userdata/hostname /etc/hostname",
               "kubectl": "/var/lib/kubelet/pods/1b2c/containers/web/0a1b /dev/termination-log"}[engine]
        lines = ["500 400 0:50 / / rw - overlay overlay rw", f"501 500 8:1 {own} rw - ext4 /dev/sda1 rw", *mounts]
        (self.root / "proc/self/mountinfo").write_text("\n".join(lines) + "\n")

    def on_the_bus(self, device, driver=None, slot=1):
        at = self.root / f"sys/bus/pci/devices/0000:{slot:02}:00.0"
        at.mkdir(parents=True)
        for name, text in (("vendor", "0x10de"), ("class", "0x030000"), ("device", device)):
            (at / name).write_text(text + "\n")
        if driver:
            self.module(driver)

    def module(self, version):
        path = self.root / "proc/driver/nvidia/version"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Tue Jan  1 00:00:00 UTC 2026\n")

    def installs(self, version):
        """The package manager, and what follows it."""
        module = self.root / "proc/driver/nvidia/version"
        self.program("ubuntu-drivers", f'[ "$1" = install ] && echo "--driver {version} --gpu sm_86" >{self.driver} && mkdir -p {module.parent} && '
                                       f'echo "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  x" >{module}')

    def environment(self, name, library="only-ptx.so"):
        """Below the home: a package with a library of tests/gen."""
        prefix = self.home / "venv"
        site = prefix / "lib/python3.11/site-packages"
        (site / name).mkdir(parents=True)
        (prefix / "bin").mkdir()
        (prefix / "pyvenv.cfg").write_text("")
        (site / "pip").mkdir()
        shutil.copyfile(pathlib.Path(self.o.gen) / "elf" / library, site / name / f"lib{name}.so")
        return prefix, site

    def goes(self):
        """The answers: (what was found, what to do, the text), one for each time that doctor was asked."""
        env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        out = self.folder / "out"
        env.update(HOME=str(self.home), LOGNAME="ada", JITWARM_SYSROOT=str(self.root), SHELL="/bin/sh", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="80",
                   PATH=f"{self.bin}:{env['PATH']}", SIMCUDA_DIR=self.o.sim, OUT=str(out), LAST=LAST, STEPS=str(STEPS),
                   XDG_STATE_HOME=str(self.home / "state"), XDG_CONFIG_HOME=str(self.home / ".config"), TMPDIR=str(self.folder))

        def nobody():  # rights are those of a person
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        if os.getuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        done = subprocess.run(["bash", "-c", self.before + SHELL], cwd=self.home, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=200, preexec_fn=nobody if os.getuid() == 0 else None, check=False)
        kept = pathlib.Path((out / "cache").read_text().strip() or "/nowhere")
        if str(kept).startswith("/var/tmp/cuda-cache."):
            shutil.rmtree(kept, ignore_errors=True)
        answers = []
        for step in range(1, STEPS + 1):
            if not (out / f"{step}.txt").exists():
                break
            text, whole = (out / f"{step}.txt").read_text(), (out / f"{step}.json").read_text()
            if not whole:
                raise SystemExit(f"no answer: {text}{(out / f'{step}.err').read_text()}{done.stderr}")
            answer = json.loads(whole)
            did = (out / f"{step}.did").read_text() if (out / f"{step}.did").exists() else ""
            wrong = [f for f in answer["findings"] if f["severity"] != "note"]
            answers.append((wrong, (answer["todo"] or [None])[0], text, did, (out / f"{step}.code").read_text().strip()))
        return answers


# ---- the machines: each returns the ids that must be met, the first one first ----

def names_library(path, *names):
    """A library that names others, in an ELF file with a section .rodata."""
    text, titles = b"\0" + b"\0".join(n.encode() for n in names) + b"\0", b"\0.rodata\0.shstrtab\0"
    data, table = 64, 64 + len(text) + len(titles)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 56, 0, 64, 3, 2)
    sections = [bytes(64), struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, data, len(text), 0, 0, 1, 0),
                struct.pack("<IIQQQQIIQQ", 9, 3, 0, 0, data + len(text), len(titles), 0, 0, 1, 0)]
    path.write_bytes(head + text + titles + b"".join(sections))


def wrong_libraries(m):
    prefix, site = m.environment("ctranslate2")
    info = site / "ctranslate2-4.4.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ctranslate2\nVersion: 4.4.0\n")
    (info / "RECORD").write_text("ctranslate2/libctranslate2.so,,\nctranslate2/libnames.so,,\n")
    names_library(site / "ctranslate2/libnames.so", "libcublas.so.12", "libcudnn_ops_infer.so.8")
    python = prefix / "bin/python"
    python.write_text(f"""#!/bin/sh
[ "$*" = "-m pip install nvidia-cublas-cu12 nvidia-cudnn-cu12==8.*" ] || {{ echo "pip: $*"; exit 1; }}
mkdir -p {site}/nvidia/cublas/lib {site}/nvidia/cudnn/lib
: >{site}/nvidia/cublas/lib/libcublas.so.12
: >{site}/nvidia/cudnn/lib/libcudnn_ops_infer.so.8
""")
    python.chmod(0o755)
    return ["framework-libs-missing"]


def software_newer_than_the_driver(m):
    """Its files name CUDA 12, and it brings machine code: nothing else says that driver 470 cannot start it."""
    _, site = m.environment("ctranslate2", "registered.so")
    info = site / "ctranslate2-4.4.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ctranslate2\nVersion: 4.4.0\n")
    (info / "RECORD").write_text("ctranslate2/libctranslate2.so,,\nctranslate2/libnames.so,,\n")
    names_library(site / "ctranslate2/libnames.so", "libcublas.so.12")
    m.plays("470.256.02")
    m.on_the_bus("0x2484", "470.256.02")
    (site / "nvidia/cublas/lib").mkdir(parents=True)
    (site / "nvidia/cublas/lib/libcublas.so.12").write_text("")
    (site / "ctranslate2/__init__.py").write_text("import nvidia.cublas.lib\n")
    m.installs("580.126.09")
    return ["framework-driver-old"]


def named_software_newer_than_the_driver(m):
    """It lies where nothing is searched: prime was given its path, and says to ask doctor."""
    m.on_the_bus("0x2484", "535.261.03")
    m.plays("535.261.03")
    m.installs("580.126.09")
    (m.home / "solver").mkdir()
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/ptx-too-new.so", m.home / "solver/libsolve.so")
    m.before = f"jitwarm prime {m.home}/solver >/dev/null 2>&1\n"
    return ["framework-ptx-too-new", "framework-jit-little"]


def moved_cache(m):
    m.before = f"export CUDA_CACHE_PATH={m.home}/elsewhere/cache\n"
    return ["setting-differs-at-login"]


def cache_in_memory(m):
    """The driver's own place is on a disk: no new folder is needed."""
    if not os.path.isdir("/dev/shm"):
        print("there is no /dev/shm")
        sys.exit(77)
    m.before = f"export CUDA_CACHE_PATH=/dev/shm/jitwarm-{os.getpid()}/cache\n"
    return ["cache-path-memory"]


def disabled(m):
    (m.home / ".profile").write_text("export CUDA_CACHE_DISABLE=1\n")
    m.before = "export CUDA_CACHE_DISABLE=1\n"
    return ["cache-disabled"]


def too_small(m):
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=1M\n")
    m.before = "export CUDA_CACHE_MAXSIZE=1M\n"
    return ["cache-limit-junk"]


def read_only(m):
    cache = m.home / ".nv/ComputeCache"
    cache.mkdir(parents=True)
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    return ["cache-path-unwritable"]


def state_read_only(m):
    """The driver's own place is fine: doctor knows what prime would say."""
    (m.home / "closed").mkdir(mode=0o500)
    m.before = f"export JITWARM_STATE={m.home}/closed/state\n"
    return ["prime-stops"]


def container(m):
    (m.home / ".triton/cache").mkdir(parents=True)
    volume = m.folder / "workspace"
    volume.mkdir()
    m.contained("docker", f"504 500 8:1 /x {volume} rw,relatime - ext4 /dev/sda1 rw")
    return ["cache-container", "other-caches-lost"]


def container_with_a_passing_mount(m):
    """A FUSE mount of a person, and a folder of the host below /tmp: neither is a volume of this container."""
    mount = m.folder / "data"
    mount.mkdir()
    passing = pathlib.Path("/tmp")
    m.contained("docker", f"504 500 0:77 / {mount} rw,relatime - fuse /dev/fuse rw", f"506 500 8:1 /t {passing} rw,relatime - ext4 /dev/sda1 rw")
    return ["cache-container"]


def container_without_a_volume(m):
    """One other container has all of it."""
    (m.home / ".triton/cache").mkdir(parents=True)
    m.contained("docker")
    return ["cache-container"]


def container_with_settings(m):
    """What the shell can mend comes before another container."""
    m.before = "export CUDA_VISIBLE_DEVICES= CUDA_FORCE_PTX_JIT=1\n"
    m.contained("docker")
    return ["gpu-hidden", "setting-forces-compiling", "cache-container"]


def container_that_compiles(m):
    """A minute at each start before a volume."""
    _, site = m.environment("app")
    with open(site / "app/kernels.fatbin", "wb") as out:
        write_fatbin(out, "", "80", "8.0", 4)
    m.contained("podman")
    return ["framework-jit-every", "cache-container", "framework-jit-first"]


def pod_without_a_volume(m):
    (m.home / ".triton/cache").mkdir(parents=True)
    m.contained("kubectl")
    (m.root / "etc/hostname").write_text("app-5d4f8c7b9d-x2k4p\n")
    return ["cache-container"]


def docker_without_a_gpu(m):
    m.contained("docker")
    m.driver.write_text("")
    return ["driver-absent"]  # one container has both, a GPU and a volume


def podman_without_a_gpu(m):
    m.contained("podman")
    m.driver.write_text("")
    return ["driver-absent"]  # one container has both, a GPU and a volume


def pod_without_a_gpu(m):
    m.contained("kubectl")
    m.driver.write_text("")
    (m.root / "etc/hostname").write_text("app-5d4f8c7b9d-x2k4p\n")
    return ["driver-absent"]


def wsl(m):
    (m.root / "proc/sys/kernel").mkdir(parents=True)
    (m.root / "proc/sys/kernel/osrelease").write_text("5.15.167.4-microsoft-standard-WSL2\n")
    m.before = "export CUDA_VISIBLE_DEVICES=\n"
    return ["gpu-hidden"]


def two_drivers(m):
    cache = Cache(m.home / ".nv/ComputeCache")
    for number, stamp in enumerate((SIM_NOW, SIM_BEFORE, SIM_NOW, SIM_BEFORE)):
        os.utime(cache.module(stamp, "sm_86", number), (1790000000 + number, 1790000000 + number))
    cache.index()
    return []  # a note: what is warm for this driver stays


def old_driver(m):
    m.on_the_bus("0x2484", "535.261.03")
    m.plays("535.261.03")
    toolkit = m.root / "usr/local/cuda"
    toolkit.mkdir(parents=True)
    (toolkit / "version.json").write_text('{"cuda": {"name": "CUDA SDK", "version": "13.0.0"}}\n')
    m.installs("580.126.09")
    return ["driver-old-for-cuda"]


def no_driver(m):
    m.on_the_bus("0x2484")
    m.driver.write_text("")
    m.installs("580.126.09")
    return ["driver-absent"]


def gpu_too_new(m):
    m.on_the_bus("0x2b85", "535.261.03")  # RTX 5090
    m.driver.write_text("--driver 535.261.03 --gpu sm_86")
    m.installs("580.126.09")
    return ["driver-old-for-gpu"]


def number_of_no_gpu(m):
    m.before = "export CUDA_VISIBLE_DEVICES=7\n"
    return ["no-device"]


def link_that_leads_nowhere(m):
    (m.home / ".nv").mkdir()
    (m.home / ".nv/ComputeCache").symlink_to(m.home / "gone")
    return ["cache-path-file"]


def updated_driver(m):
    """The kernel still runs the old one."""
    m.before = "export SIMCUDA_INIT=803\n"
    m.program("reboot", 'echo "unset SIMCUDA_INIT" >"$OUT/container"')  # the shell after it
    return ["driver-mismatch"]


def older_driver_on_the_path(m):
    """A library of another driver than the kernel's, in a folder of this person's own: no reboot helps."""
    old, played = m.home / "old", m.bin / "jitwarm-of-the-system"
    m.module("580.126.09")
    old.mkdir()
    shutil.copyfile(pathlib.Path(m.o.sim) / "libcuda.so.1", old / "libcuda.so.535.261.03")
    (old / "libcuda.so.1").symlink_to("libcuda.so.535.261.03")
    (m.bin / "jitwarm").rename(played)
    m.program("jitwarm", f'case ":$LD_LIBRARY_PATH:" in *:{old}:*) SIMCUDA_DRIVER=535.261.03 SIMCUDA_INIT=803 exec {m.o.tool} "$@" ;; esac\nexec {played} "$@"')
    m.program("reboot", 'echo "export SIMCUDA_INIT=803" >"$OUT/container"')  # in vain
    m.before = f"export LD_LIBRARY_PATH={old}:/opt/other\n"
    return ["driver-mismatch"]


def fine(m):
    m.environment("app", "registered.so")
    return []


MACHINES = {f.__name__.replace("_", "-"): f for f in (wrong_libraries, software_newer_than_the_driver, named_software_newer_than_the_driver, moved_cache, cache_in_memory, disabled, too_small, read_only, state_read_only, container, container_with_a_passing_mount, container_without_a_volume, container_with_settings,
                                                      container_that_compiles, pod_without_a_volume, docker_without_a_gpu,
                                                      podman_without_a_gpu, pod_without_a_gpu, wsl, two_drivers,
                                                      old_driver, no_driver, gpu_too_new, number_of_no_gpu,
                                                      link_that_leads_nowhere, updated_driver, older_driver_on_the_path, fine)}


def problems(answers, ids):
    met = [f["id"] for wrong, *_ in answers for f in wrong[:1]]
    if met[:len(ids)] != ids:
        yield f"the first finding is {met}, wanted {ids}"
    if list(dict.fromkeys(met)) != ids:
        yield f"more is to be done than wanted: {met}"
    for wrong, todo, text, did, code in answers:
        *_, when, last = text.splitlines()
        fine = not wrong and todo != PRIME  # the rest is too little for a warning
        if last != f"To do       {todo}" or (when == f"When        {WHEN_FINE}") != fine:
            yield f"the last line is not what to do ({todo})"
        if code != ("1" if wrong else "0"):
            yield f"exit {code} with {len(wrong)} findings"
    for (wrong, todo, *_), (after, then, *_) in zip(answers, answers[1:]):
        if wrong and after and (wrong[0]["id"], wrong[0]["subject"], todo) == (after[0]["id"], after[0]["subject"], then):
            yield f"{todo} changed nothing: {wrong[0]['id']} stands there again"
    if answers[-1][0] or answers[-1][1] != LAST:
        yield f"the end is not reached: {[f['id'] for f in answers[-1][0]]}, {answers[-1][1]}"


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    p.add_argument("what", choices=("machine", "list"))
    p.add_argument("name", nargs="?")
    o = p.parse_args()
    if o.what == "list":
        print("\n".join(MACHINES))
        return
    if any(v.read_text().strip() == "0x10de" for v in pathlib.Path("/sys/bus/pci/devices").glob("*/vendor")):
        print("skipped: a machine with a GPU may have a driver of its own")
        sys.exit(77)
    with folder_on_disk("jitwarm-machine-") as folder:
        m = Machine(o, folder / "m")
        ids = MACHINES[o.name](m)
        answers = m.goes()
    bad = list(problems(answers, ids))
    if bad:
        sys.exit("\n".join([*bad, *(f"{text}\n--- did: {did}" for _, _, text, did, _ in answers)]))


if __name__ == "__main__":
    main()
