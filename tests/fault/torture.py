#!/usr/bin/env python3
"""torture.py BUILD [--seconds N] [--seed N]

All that can be done to jitwarm from outside, with the programs of a build (scripts/build --tests dev): kills at random instants, each
drawn system call failing in turn, packs that are not what they should be, surroundings that lie, and programs, primes, imports,
prunes, exports and verifies on one cache for three minutes (--seconds). Everything runs on the simulated driver. The parts are the
proofs that stand beside this file and in tests/pack; here they are run with other numbers, and counted. The
last line but one is the figures.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77


# What is counted, by which pattern.
COUNTED = {"kills": r"(\d+) kills", "killed": r"runs, (\d+) killed", "faults": r"(\d+) failed in turn", "packs": r"(\d+) bad packs", "runs": r"(\d+) runs,"}
# Script, cases, --rounds, what it counts.
PARTS = (
    ("fault/probe.py", "kill", 12, "kills"), ("fault/env.py", "kill-at", 12, "faults"), ("pack/proof.py", "export-kills", 40, "kills"),
    ("pack/proof.py", "import-kills", 40, "kills"), ("pack/prune_proof.py", "prune-kills", 150, "kills"), ("fault/prime.py", "kills", 40, "kills"),
    ("fault/prime.py", "syscalls", 200, "faults"), ("fault/prime.py", "disks", 40, ""), ("fault/probe.py", "syscalls", 12, "faults"),
    ("fault/env.py", "syscalls", 20, "faults"), ("fault/export.py", "syscalls", 60, "faults"), ("pack/proof.py", "syscalls", 400, "faults"),
    ("pack/prune_proof.py", "syscalls", 400, "faults"), ("pack/proof.py", "bad-packs-by-name", 0, "packs"),
    ("pack/proof.py", "hostile-root swapped-during-import others-above", 0, ""), ("fault/surroundings.py", "all", 0, ""),
    ("fault/together.py", "together", 180, "runs killed"),
)


def rig(build):
    sim = next(iter((build / "simcuda").glob("libcuda.so*"))).resolve()
    return ["--tool", build / "jitwarm", "--sim", sim, "--gen", build / "tests/gen/gen_modules", "--play", build / "tests/fakes/play"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=int, default=0, help="of all at once")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    opt = parser.parse_args()
    env = {k: v for k, v in os.environ.items() if not re.match(r"ASDF_DATA_DIR|CONDA_|MAMBA_|MISE_|PYENV_|VIRTUAL_ENV|WORKON_HOME", k)}
    env |= dict(PACK_ARCH=os.uname().machine, container="jitwarm-tests")  # as ctest sets it
    total = dict.fromkeys(COUNTED, 0)
    ends = {"passed": [], "failed": [], "skipped": []}
    began = time.monotonic()
    print(f"torture: seed {opt.seed}", flush=True)
    for path, cases, rounds, counted in PARTS:
        start, name = time.monotonic(), f"{path} {cases}"
        rounds = opt.seconds or rounds if "together" in cases else rounds
        command = [sys.executable, TESTS / path, *cases.split(), *rig(opt.build), "--rounds", rounds, "--seed", opt.seed]
        done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        end = "passed" if done.returncode == 0 else "skipped" if done.returncode == SKIPPED else "failed"
        ends[end].append(name)
        for what in counted.split():
            found = re.findall(COUNTED[what], said)
            # A part that passed and counted nothing has proven nothing.
            if end == "passed" and not found:
                ends["failed"].append(name)
                print(f"{name}: it counts no {what}", flush=True)
            total[what] += sum(map(int, found))
        print(f"{end:8} {name:30} {time.monotonic() - start:6.1f} s", flush=True)
        if end == "failed":
            print(said[-3000:])
        elif end == "skipped":
            print(said.strip().splitlines()[-1:])
    print(f"torture: {total['kills'] + total['killed']} kills, {total['faults']} injected faults, {total['packs']} hostile packs, {total['runs']} concurrent "
          f"runs in {time.monotonic() - began:.0f} s: {len(ends['failed'])} parts failed")
    print(f"{len(ends['passed'])} passed, {len(ends['failed'])} failed, {len(ends['skipped'])} skipped")
    sys.exit(1 if ends["failed"] else 0)


if __name__ == "__main__":
    main()
