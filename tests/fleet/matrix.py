#!/usr/bin/env python3
"""matrix.py --tool JITWARM --phantom LIBRARY --with-driver SCRIPT CASE

A publisher's matrix: one push without a GPU for several GPUs and NVIDIA's own drivers (docs/developing.md), and then machines of
those kinds, whose prime compiles nothing. Exit 77: a driver, or a program that the case needs, is not here.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

from registry import Registry
from slurm import Cluster

PTX = """.version 6.4
.target sm_50
.address_size 64
.visible .entry {name}(.param .u64 p)
{{
	.reg .u64 %rd<3>;
	.reg .u32 %r<3>;
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd2, %rd1;
	ld.global.u32 %r1, [%rd2];
	add.u32 %r2, %r1, {n};
	st.global.u32 [%rd2], %r2;
	ret;
}}
"""
DRIVERS = ("535", "550")
# A wheel of 4 MiB. Six modules: machine code up to sm_75, and PTX for all later GPUs.
WHEEL, LIBRARY, MODULES = "torchvision==0.5.0", "torchvision/_C.so", 6


def check(ok, what, *more):
    if not ok:
        sys.exit(f"not so: {what} {' '.join(map(str, more))}")


class Rig:
    def __init__(self, opt, folder):
        self.opt, self.dir, self.place = opt, folder, str(folder / "place")
        self.app = folder / "app"
        self.app.mkdir()
        for n in range(3):
            (self.app / f"m{n}.ptx").write_text(PTX.format(name=f"k{n}", n=n + 1))
        self.drivers = {}
        for branch in DRIVERS:
            done = subprocess.run([opt.with_driver, "--driver", branch, "--fetch-only"], capture_output=True, text=True)
            if done.returncode == 77:
                print(done.stderr)
                sys.exit(77)
            self.drivers[branch] = done.stdout.strip().splitlines()[-1]
        (folder / "made").mkdir()

    def home(self, name):
        home = self.dir / name
        home.mkdir(exist_ok=True)
        return home

    def env(self, name):
        home = self.home(name)
        return {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "JITWARM_PHANTOM": str(self.opt.phantom),
                "JITWARM_SYSROOT": str(self.dir / "made"), "JITWARM_DRIVERS": os.environ.get("JITWARM_DRIVERS", os.path.expanduser("~/.cache/jitwarm-drivers"))}

    def run(self, name, *words, code=0, before=()):
        done = subprocess.run([*map(str, before), self.opt.tool, *map(str, words)], env=self.env(name), cwd=self.dir, capture_output=True, text=True,
                              timeout=500)
        check(code is None or done.returncode == code, f"{words}: exit {done.returncode}, not {code}", done.stdout, done.stderr)
        return done

    def push(self, name, gpus, drivers=DRIVERS, **more):
        done = self.run(name, "push", self.place, self.app, "--gpu", gpus, "--driver-files", ",".join(self.drivers[d] for d in drivers),
                        "--sign", self.dir / "k.key", **more)
        self.shown = done.stdout
        return done.stderr

    def listed(self):
        return json.loads(self.run("builder", "list", "--json", self.place).stdout)

    def primes(self, name, driver, gpu):
        """A machine of that kind, enrolled: what its prime compiled."""
        conf = self.home(name) / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text(f"source = {self.place}\ntrust = {(self.dir / 'k.pub').read_text().splitlines()[1]}\n")
        answer = json.loads(self.run(name, "prime", "--json", "--yes", "--as-root", self.app,
                                     before=(self.opt.with_driver, "--driver", driver, "--gpu", gpu, "--")).stdout)
        check(answer["verify"]["verified"], f"{name} is warm", answer["verify"])
        return answer["counts"]["warmed"]


def matrix(rig):
    rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
    for words, why in ((["--gpu", "sm_86"], "name the files"), ([rig.app], "name the GPUs"), ([rig.app, "--gpu", "sm_86", "--cache", "x"], "cache of its own")):
        done = rig.run("builder", "push", rig.dir / "place", *words, "--driver-files", rig.drivers["550"], code=2)
        check(why in done.stderr, why, done.stderr)
    said = rig.push("builder", "sm_86,sm_89")
    check(said.count("to compile and push: sm_86, sm_89") == 2 and "driver 2 of 2" in said, "one command for four kinds", said)
    check(said.index("12 modules to compile") < said.index("driver 1 of 2") and said.count("NVIDIA's licence") == 2, "what all of it is comes first", said)
    enrol = f"sudo jitwarm startup install --system --source {rig.place} --trust {(rig.dir / 'k.pub').read_text().splitlines()[1]}"
    check(rig.shown.count("Use it") == 1 and rig.shown.strip().endswith(enrol), "it ends with what those run who use it", rig.shown)
    check(all(f"{pathlib.Path(rig.drivers[d]).name}  {sm}  pushed" in rig.shown for d in DRIVERS for sm in ("sm_86", "sm_89")), "a row for each kind", rig.shown)
    listed = rig.listed()
    check([(k["driver"].split(".")[0], k["sm"], k["entries"]) for k in listed["kinds"]] == [(d, sm, 3) for d in DRIVERS for sm in (86, 89)]
          and not listed["missing"] and all(k["key"] and k["packed_bytes"] for k in listed["kinds"]), "the matrix", listed)
    said = rig.push("builder", "sm_86,sm_89")
    check(said.count("sm_86, sm_89 are there already") == 2 and "to compile" not in said, "again: nothing to do", said)
    said = rig.push("another", "sm_86,sm_89,sm_90", drivers=("550",))
    check("to compile and push: sm_90" in said and "sm_86, sm_89 are there already" in said, "another builder compiles only what is not there", said)
    listed = rig.listed()
    check(len(listed["kinds"]) == 5 and listed["missing"] == [f"sm_90 for driver {pathlib.Path(rig.drivers['535']).name}"], "what is missing", listed["missing"])
    text = rig.run("builder", "list", rig.dir / "place").stdout
    check("Missing" in text and "sm_90 for driver 535" in text and "DRIVER" in text, "as text", text)
    rig.push("builder", "sm_86,sm_89,sm_90")
    for driver in DRIVERS:
        for gpu in ("sm_86", "sm_89", "sm_90"):
            check(rig.primes(f"m{driver}-{gpu}", driver, gpu) == 0, f"a machine with {driver} and {gpu} compiles nothing")
    check(rig.primes("other", "550", "sm_75") == 3, "the seventh, for which nothing fits, compiles")
    rig.run("other", "push", rig.dir / "place", rig.app, "--sign", rig.dir / "k.key", before=(rig.opt.with_driver, "--driver", "550", "--gpu", "sm_75", "--"))
    check(rig.primes("twin", "550", "sm_75") == 0, "and pushes, where it may: the next of its kind compiles nothing")
    said = rig.push("builder", "sm_86,sm_120", drivers=("550",))
    check("it does not support sm_120" in said and "sm_86 is there already" in said, "what no machine is of is left out", said)
    check("does not support sm_120" in rig.push("builder", "sm_120", drivers=("550",), code=3), "nothing else: an error")
    (rig.app / "new.ptx").write_text(PTX.format(name="k9", n=9))
    said = rig.push("builder", "sm_86", drivers=("550",))
    check("to compile and push: sm_86" in said, "the software has changed", said)


def lines_of(rig, name, *words, code=0):
    """What --progress json writes: its lines, and that nothing else stands there."""
    lines = [json.loads(line) for line in rig.run(name, "push", "--progress", "json", *words, code=code).stdout.splitlines()]
    check(all(x["schema"] == "jitwarm.progress/1" for x in lines), "lines of the schema", lines)
    check([x["phase"] for x in lines].count("end") == 1 and lines[-1]["phase"] == "end" and lines[-1]["exit"] == code, "the last line", lines[-1])
    return lines[:-1], lines[-1]


def progress(rig):
    """One progress over all drivers and GPUs, as lines of JSON and as text; and of a push of what was primed here."""
    rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
    check("both write" in rig.run("builder", "push", rig.place, "--json", "--progress", "json", code=2).stderr, "one of the two")
    drivers = ",".join(rig.drivers[d] for d in DRIVERS)
    words = (rig.place, rig.app, "--gpu", "sm_86,sm_89", "--driver-files", drivers, "--sign", rig.dir / "k.key")
    lines, end = lines_of(rig, "builder", *words)
    whole = [x for x in lines if x["total"]]
    check({x["total"] for x in whole} == {12} and whole[0]["done"] == 0 and whole[-1]["done"] == 12, "twelve modules in all", whole)
    percents, done, seconds = ([x[key] for x in lines] for key in ("percent", "done", "seconds"))
    check(percents == sorted(percents) and percents[-1] >= 99, "the percentage of all never falls", percents)
    check(done == sorted(done), "nor do the modules", done)
    check([x["seconds"] for x in whole] == sorted(x["seconds"] for x in whole), "nor does the time", seconds)
    phases = [x["phase"] for x in lines]
    check(set(phases) == {"look", "ask-driver", "compile", "verify", "pack", "send"} and phases.index("send") < len(phases) - 1 - phases[::-1].index("compile"),
          "each driver compiles and sends", phases)
    check((end["warm"], end["total"]) == (12, 12), "all of it is there", end)
    lines, end = lines_of(rig, "builder", *words)
    check({x["phase"] for x in lines} <= {"look", "ask-driver"} and (end["warm"], end["total"]) == (12, 12), "again: nothing but the plan", lines)
    report = json.loads(rig.run("builder", "push", "--json", *words[:-4], "--driver-files", rig.drivers["550"], *words[-2:]).stdout)
    check(report["kinds"] == [], "as a report, too", report)
    with subprocess.Popen([*map(str, (rig.opt.tool, "push", "--progress", "json", rig.dir / "unfilled", *words[1:]))], env=rig.env("ended"), cwd=rig.dir,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as push:
        push.stdout.readline()
        push.send_signal(signal.SIGTERM)  # as an installer does: to this process alone
        last = push.stdout.read().splitlines()[-1]
    check(push.returncode == 130 and json.loads(last)["exit"] == 130 and not (rig.dir / "unfilled").exists(), "it ends when it is asked to", push.returncode, last)
    rig.primes("here", "550", "sm_75")
    before = (rig.opt.with_driver, "--driver", "550", "--gpu", "sm_75", "--")
    done = rig.run("here", "push", "--progress", "json", rig.dir / "other", rig.app, "--sign", rig.dir / "k.key", before=before)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    check([x["phase"] for x in lines if x["phase"] not in ("look", "ask-driver")][-2:] == ["send", "end"] and lines[-2]["percent"] == 100, "what was primed here", lines)


def passphrase(rig):
    """The passphrase of the key is asked once, however many drivers there are; the packs are signed."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
    import passphrase as terminals
    os.environ.update(rig.env("builder"))
    t = terminals.Terminal(str(rig.opt.tool), "key", "--new", str(rig.dir / "k.key"), folder=rig.dir)
    for prompt in (b"Passphrase for the new key: ", b"Once more: "):
        t.wait_for(prompt)
        t.type("correct horse\n")
    check(t.end()[0] == 0, "a locked key")
    t = terminals.Terminal(str(rig.opt.tool), "push", rig.place, str(rig.app), "--gpu", "sm_86", "--driver-files", ",".join(rig.drivers[d] for d in DRIVERS),
                           "--sign", str(rig.dir / "k.key"), folder=rig.dir)
    t.wait_for(b"Passphrase of ", 120)
    t.type("correct horse\n")
    code, said = t.end()
    check(code == 0 and t.shown.count(b"Passphrase") == 1, "asked once", code, said, t.shown)
    check(b"correct" not in t.shown and "correct" not in said, "and never shown")
    check(len(rig.listed()["kinds"]) == 2 and all(k["key"] for k in rig.listed()["kinds"]), "both are signed", rig.listed())
    check(rig.primes("laptop", "550", "sm_86") == 0, "by that key")


def real_library(rig):
    done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--python-version", "3.8", "--platform",
                           "manylinux1_x86_64", "-d", rig.dir, WHEEL], capture_output=True, text=True, timeout=600)
    if done.returncode:
        print(f"SKIP: pip does not have {WHEEL}: {done.stderr.strip()[-300:]}")
        sys.exit(77)
    wheel = next(rig.dir.glob("*.whl"))
    shutil.rmtree(rig.app)
    rig.app.mkdir()
    with zipfile.ZipFile(wheel) as z:
        (rig.app / pathlib.PurePath(LIBRARY).name).write_bytes(z.read(LIBRARY))


def killed_push(rig, gpus):
    """A push that is killed, with its workers, when it has begun with the second driver."""
    words = [rig.opt.tool, "push", rig.place, rig.app, "--gpu", gpus, "--driver-files", ",".join(rig.drivers[d] for d in DRIVERS), "--sign", rig.dir / "k.key"]
    with subprocess.Popen([*map(str, words)], env=rig.env("builder"), cwd=rig.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as push:
        said = ""
        for line in push.stderr:
            said += line
            if "driver 2 of 2" in line:
                break
        os.killpg(push.pid, signal.SIGKILL)
    check(push.returncode == -signal.SIGKILL, "it was at work when it was killed", said)


def library(rig):
    """A real library for six kinds, through docker-registry: killed after the first driver, gone on with, and then each kind of machine."""
    if not shutil.which("docker-registry"):
        print("SKIP: there is no docker-registry")
        sys.exit(77)
    real_library(rig)
    rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
    gpus = ("sm_80", "sm_86", "sm_90")
    with Registry(rig, "registry") as registry:
        rig.place = f"oci://127.0.0.1:{registry.port}/team/jit:v1"
        killed_push(rig, ",".join(gpus))
        check([k["driver"].split(".")[0] for k in rig.listed()["kinds"]] == [DRIVERS[0]] * 3, "the first driver's are there", rig.listed())
        said = rig.push("builder", ",".join(gpus))
        check("sm_80, sm_86, sm_90 are there already" in said and said.count("to compile and push") == 1, "it goes on where it was", said)
        kinds = rig.listed()["kinds"]
        check([(k["driver"].split(".")[0], f"sm_{k['sm']}", k["entries"]) for k in kinds] == [(d, gpu, MODULES) for d in DRIVERS for gpu in gpus], "six kinds", kinds)
        for k in kinds:
            print(f"driver {k['driver']} sm_{k['sm']}: {k['bytes']} bytes compiled, {k['packed_bytes']} packed")
        for driver in DRIVERS:
            for gpu in gpus:
                check(rig.primes(f"m{driver}-{gpu}", driver, gpu) == 0, f"a machine with {driver} and {gpu} compiles nothing")
        check(rig.primes("other", "550", "sm_89") == MODULES, "the seventh, for which nothing fits, compiles")
        rig.run("other", "push", rig.place, rig.app, "--sign", rig.dir / "k.key", before=(rig.opt.with_driver, "--driver", "550", "--gpu", "sm_89", "--"))
        check(rig.primes("twin", "550", "sm_89") == 0, "and pushes, where it may: the next of its kind compiles nothing")


def runs_job(rig, files, place, name, command, number, branch):
    for what, by in (("oci://reg.example/team/jit", place), ("sm_86,sm_89,sm_120", "sm_86"), ("/keys/jitwarm.key", rig.dir / "k.key"),
                     ("/scripts/push-one", "push-one"), ("scripts/push-one", "push-one"), ("push-one", files / "push-one")):
        command = command.replace(what, str(by)) if what != "push-one" or str(files) not in command else command
    command = command.replace(" dist", f" {rig.app}").replace(" /app", f" {rig.app}") if str(rig.app) not in command else command
    env = {**rig.env(name), **number, "DRIVER_FOLDERS": " ".join(rig.drivers[d] for d in DRIVERS), "PATH": f"{rig.dir / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-e", "-c", command], env=env, cwd=rig.home(name), capture_output=True, text=True, timeout=300)
    check(done.returncode == 0, f"{name}: {command}", done.stdout, done.stderr)
    kinds = json.loads(rig.run("builder", "list", "--json", place).stdout)["kinds"]
    check([(k["driver"].split(".")[0], k["sm"]) for k in kinds] == [(str(branch), 86)], f"{name}: the driver of its number", kinds)


def workflows(rig):
    """scripts/fleet/matrix: the command of each engine's job, with the number that the engine gives it, to docker-registry (a folder, where
    there is none)."""
    try:
        import yaml
    except ImportError:
        print("SKIP: there is no yaml")
        sys.exit(77)
    files = pathlib.Path(__file__).resolve().parents[2] / "scripts/fleet/matrix"
    load = {name: yaml.safe_load((files / name).read_text()) for name in ("github.yml", "gitlab.yml", "kubernetes.yaml")}
    job, container = load["github.yml"]["jobs"]["push"], load["kubernetes.yaml"]["spec"]["template"]["spec"]["containers"][0]
    folders = job["env"]["DRIVER_FOLDERS"]
    check(load["gitlab.yml"]["packs"]["variables"]["DRIVER_FOLDERS"] == container["env"][0]["value"] == folders, "the same drivers in all")
    check(len(folders.split()) == len(job["strategy"]["matrix"]["driver"]) == load["gitlab.yml"]["packs"]["parallel"]
          == load["kubernetes.yaml"]["spec"]["completions"], "a job for each")
    rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
    (rig.dir / "bin").mkdir()
    (rig.dir / "bin/jitwarm").symlink_to(rig.opt.tool)
    jobs = (("github", job["steps"][-1]["run"], {"DRIVER_INDEX": "1", "SIGN": (rig.dir / "k.key").read_text()}, 550),
            ("gitlab", load["gitlab.yml"]["packs"]["script"][0], {"CI_NODE_INDEX": "1", "JITWARM_KEY": str(rig.dir / "k.key")}, 535),
            ("kubernetes", container["args"][0], {"JOB_COMPLETION_INDEX": "1"}, 550),
            ("slurm", "scripts/push-one oci://reg.example/team/jit /keys/jitwarm.key sm_86,sm_89,sm_120 dist", {"SLURM_ARRAY_TASK_ID": "0"}, 535))
    with Registry(rig, "registry") if shutil.which("docker-registry") else contextlib.nullcontext() as registry:
        for job in jobs:
            runs_job(rig, files, f"oci://127.0.0.1:{registry.port}/team/{job[0]}" if registry else rig.dir / f"place-{job[0]}", *job)
    for args, why in ((["oci://h/n:v1", "k", "sm_86", "x"], "has a tag"), (["/place", "k", "sm_86", "x"], "this is number 7")):
        done = subprocess.run([files / "push-one", *args], env={"PATH": os.environ["PATH"], "DRIVER_FOLDERS": "/a /b", "DRIVER_INDEX": "7"},
                              capture_output=True, text=True)
        check(done.returncode == 2 and why in done.stderr, why, done.stderr)


def slurm(rig):
    """An array of Slurm itself, a task for each driver build, side by side: three GPUs and two builds at docker-registry, and then machines of
    these six kinds, whose prime compiles nothing."""
    if not shutil.which("docker-registry"):
        print("SKIP: there is no docker-registry")
        sys.exit(77)
    push_one = pathlib.Path(__file__).resolve().parents[2] / "scripts/fleet/matrix/push-one"
    rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
    (rig.dir / "bin").mkdir()
    (rig.dir / "bin/jitwarm").symlink_to(rig.opt.tool)
    gpus = ("sm_86", "sm_89", "sm_90")
    with Registry(rig, "registry") as registry, Cluster(rig.dir / "slurm", rig.dir / "bin") as cluster:
        rig.place = f"oci://127.0.0.1:{registry.port}/team/jit"
        env = {**cluster.env, **rig.env("builder"), "PATH": cluster.env["PATH"], "DRIVER_FOLDERS": " ".join(rig.drivers[d] for d in DRIVERS)}
        done = subprocess.run(["sbatch", "--wait", "--array=0-1", f"--output={rig.dir}/task-%a.log", push_one, rig.place, rig.dir / "k.key",
                               ",".join(gpus), rig.app], env=env, cwd=rig.dir, capture_output=True, text=True, timeout=400)
        logs = [p.read_text() for p in sorted(rig.dir.glob("task-*.log"))]
        check(done.returncode == 0 and len(logs) == 2, "the array", done.stdout, done.stderr, *logs)
        kinds = [(k["driver"].split(".")[0], k["sm"]) for k in rig.listed()["kinds"]]
        check(kinds == [(d, int(g[3:])) for d in DRIVERS for g in gpus], "six kinds", kinds)
        for driver in DRIVERS:
            for gpu in gpus:
                check(rig.primes(f"m{driver}-{gpu}", driver, gpu) == 0, f"a machine with {driver} and {gpu} compiles nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "phantom", "with-driver"):
        parser.add_argument(f"--{name}", required=True, type=lambda p: pathlib.Path(p).resolve())
    cases = {f.__name__: f for f in (matrix, progress, passphrase, library, workflows, slurm)}
    parser.add_argument("case", choices=cases)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        cases[opt.case](Rig(opt, pathlib.Path(scratch).resolve()))


if __name__ == "__main__":
    main()
