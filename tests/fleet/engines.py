#!/usr/bin/env python3
"""engines.py --tool JITWARM --phantom LIBRARY --with-driver SCRIPT CASE
engines.py --fetch

scripts/fleet/matrix/*.yml, run by programs that read these files as GitHub and GitLab do: act (in Go) and gitlab-ci-local (of npm), which
--fetch gets. They decide which jobs there are, give each its number, variables and secrets, and run its script on this host. A real library
for three GPUs and two builds of NVIDIA's driver goes to docker-registry, and then machines of these six kinds, whose prime compiles nothing.
Not tried: containers, for the lines `image` and `container` are taken out. Exit 77: a program or a driver is not here.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from matrix import DRIVERS, MODULES, Rig, check, real_library
from registry import Registry

FILES = pathlib.Path(__file__).resolve().parents[2] / "scripts/fleet/matrix"
PLACE = pathlib.Path(os.environ.get("JITWARM_CORPUS") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "jitwarm-corpus") / "engines"
ACT, GITLAB_CI_LOCAL = "github.com/nektos/act@v0.2.89", "gitlab-ci-local@4.61.1"  # later ones of the second want Node 22
GPUS = ("sm_80", "sm_86", "sm_90")


def fetch():
    PLACE.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--prefix", PLACE, "--no-audit", "--no-fund", GITLAB_CI_LOCAL], check=True)
    subprocess.run(["go", "install", ACT], env={**os.environ, "GOBIN": str(PLACE / "bin")}, check=True)


def engine(name):
    for folder in (PLACE / "bin", PLACE / "node_modules/.bin"):
        if (folder / name).exists():
            return folder / name
    if not shutil.which(name):
        print(f"SKIP: there is no {name} (tests/fleet/engines.py --fetch gets it)")
        sys.exit(77)
    return shutil.which(name)


def replaced(text, *pairs):
    for old, new in pairs:
        check(text.count(old) == 1, f"{old!r} is in the file, once", text)
        text = text.replace(old, new)
    return text


def project(rig, registry, flow, name, *more):
    """A repository with the workflow, for this registry, these drivers and GPUs."""
    folder = rig.dir / "project"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(FILES / "push-one", folder / "scripts/push-one")
    shutil.copytree(rig.app, folder / "dist")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(replaced((FILES / flow).read_text(), ("oci://reg.example/team/jit", f"oci://127.0.0.1:{registry.port}/team/jit"),
                                        ("/drivers/535 /drivers/550 /drivers/580", " ".join(rig.drivers[d] for d in DRIVERS)),
                                        ("sm_86,sm_89,sm_120", ",".join(GPUS)), *more))
    for words in (["init", "-q", "-b", "main"], ["remote", "add", "origin", "https://code.example/team/app.git"], ["add", "."],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a release"], ["tag", "v1"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def runs(rig, folder, *words, **env):
    env = {**rig.env("runner"), "PATH": f"{rig.dir / 'bin'}:{os.environ['PATH']}", **env}
    done = subprocess.run([*map(str, words)], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500, check=False)
    return done.returncode, done.stdout + done.stderr


def warm_everywhere(rig, registry):
    rig.place = f"oci://127.0.0.1:{registry.port}/team/jit"
    kinds = [(k["driver"].split(".")[0], f"sm_{k['sm']}", k["entries"]) for k in rig.listed()["kinds"]]
    check(kinds == [(d, gpu, MODULES) for d in DRIVERS for gpu in GPUS], "six kinds", kinds)
    for driver in DRIVERS:
        for gpu in GPUS:
            check(rig.primes(f"m{driver}-{gpu}", driver, gpu) == 0, f"a machine with {driver} and {gpu} compiles nothing")
    check(rig.primes("other", "550", "sm_89") == MODULES, "the seventh, for which nothing fits, compiles")
    rig.run("other", "push", rig.place, rig.app, "--sign", rig.dir / "k.key", before=(rig.opt.with_driver, "--driver", "550", "--gpu", "sm_89", "--"))
    check(rig.primes("twin", "550", "sm_89") == 0, "and pushes, where it may: the next of its kind compiles nothing")


def gitlab(rig, registry, program):
    folder = project(rig, registry, "gitlab.yml", ".gitlab-ci.yml", ("  image: reg.example/team/builder:1\n", ""), ("parallel: 3", "parallel: 2"))
    (folder / ".gitlab-ci-local-variables.yml").write_text(json.dumps({"JITWARM_KEY": {"type": "file", "values": {"*": (rig.dir / "k.key").read_text()}}}))
    for tag, when in (((), "never"), (("--variable", "CI_COMMIT_TAG=v1"), "on_success")):
        done = subprocess.run([program, "--list-json", *tag], cwd=folder, env=rig.env("runner"), capture_output=True, text=True, check=True)
        jobs = [(job["name"], job["when"]) for job in json.loads(done.stdout)]
        check(jobs == [(f"packs: [{n}/2]", when) for n in (1, 2)], "a job for each driver, for a tag alone", jobs)
    for there in (0, 2):
        code, said = runs(rig, folder, program, *tag)
        check(code == 0 and said.count("are there already") == there, "all of it is pushed, once", code, said)


def github(rig, registry, program):
    folder = project(rig, registry, "github.yml", ".github/workflows/matrix.yml", ("    container: reg.example/team/builder:1\n", ""),
                     ("driver: [0, 1, 2]", "driver: [0, 1]"))
    words = (program, "release", "--platform", "ubuntu-latest=-self-hosted", "--env", f"HOME={rig.home('runner')}")
    code, said = runs(rig, folder, *words)
    check(code != 0 and said.count("this repository has no secret JITWARM_KEY") == 2, "without the key", code, said)
    for there in (0, 2):
        code, said = runs(rig, folder, *words, "--secret", "JITWARM_KEY", JITWARM_KEY=(rig.dir / "k.key").read_text())
        check(code == 0 and said.count("are there already") == there, "a job for each driver" + (", and again: nothing to do" if there else ""), code, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "phantom", "with-driver"):
        parser.add_argument(f"--{name}", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--fetch", action="store_true")
    cases = {"gitlab": (gitlab, "gitlab-ci-local"), "github": (github, "act")}
    parser.add_argument("case", choices=cases, nargs="?")
    opt = parser.parse_args()
    if opt.fetch:
        return fetch()
    if not opt.case:
        parser.error("which case?")
    run, name = cases[opt.case]
    program = engine(name)
    if not shutil.which("docker-registry"):
        print("SKIP: there is no docker-registry")
        sys.exit(77)
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        rig = Rig(opt, pathlib.Path(scratch).resolve())
        real_library(rig)
        rig.run("builder", "key", "--no-passphrase", "--new", rig.dir / "k.key")
        (rig.dir / "bin").mkdir()
        (rig.dir / "bin/jitwarm").symlink_to(opt.tool)
        with Registry(rig, "registry") as registry:
            run(rig, registry, program)
            warm_everywhere(rig, registry)


if __name__ == "__main__":
    main()
