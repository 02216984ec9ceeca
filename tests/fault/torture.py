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


def parts(build, opt):
    """Name, what is counted by which pattern, command."""
    tool, sim = build / "jitwarm", next(iter((build / "simcuda").glob("libcuda.so*"))).resolve()
    gen, play = build / "tests/gen/gen_modules", build / "tests/unit/play"
    with_all = ["--tool", tool, "--sim", sim, "--gen", gen, "--play", play]
    seconds = opt.seconds or 180
    kills, faults = r"(\d+) kills", r"(\d+) failed in turn"

    def script(path, *words):
        return [sys.executable, TESTS / path, *words]

    yield "probe kills", {"kills": r"(\d+) rounds, killed"}, script("fault/probe_torture.py", "kill", tool, sim, "--runs", 12)
    yield "env kills", {"kills": faults}, script("fault/env_torture.py", "kill-at", tool, "--runs", 12)
    yield "export kills", {"kills": kills}, script("pack/proof.py", "export-kills", *with_all, "--rounds", 40)
    yield "import kills", {"kills": kills}, script("pack/proof.py", "import-kills", *with_all, "--rounds", 40)
    yield "prune kills", {"kills": kills}, script("pack/prune_proof.py", "prune-kills", *with_all, "--rounds", 150)
    yield "prime kills", {"kills": kills}, script("fault/prime.py", "kills", *with_all, "--rounds", 40)
    yield "prime faults", {"faults": faults}, script("fault/prime.py", "syscalls", *with_all, "--rounds", 200)
    yield "prime disks", {}, script("fault/prime.py", "disks", *with_all, "--rounds", 40)
    yield "probe faults", {"faults": faults}, script("fault/probe_torture.py", "syscalls", tool, sim, "--runs", 12)
    yield "env faults", {"faults": faults}, script("fault/env_torture.py", "syscalls", tool, "--runs", 20)
    yield "export faults", {"faults": faults}, script("fault/export_torture.py", "syscalls", tool, sim, gen, "--runs", 60)
    yield "import faults", {"faults": faults}, script("pack/proof.py", "syscalls", *with_all, "--rounds", 400)
    yield "prune faults", {"faults": faults}, script("pack/prune_proof.py", "syscalls", *with_all, "--rounds", 400)
    yield "hostile packs", {"packs": r"(\d+) bad packs"}, script("pack/proof.py", "bad-packs-by-name", *with_all)
    yield "hostile folders", {}, script("pack/proof.py", "hostile-root", "swapped-during-import", "others-above", *with_all)
    yield "surroundings", {}, script("fault/surroundings.py", tool, sim, gen.with_name("gen_samples"))
    yield "together", {"runs": r"(\d+) runs,", "kills": r"runs, (\d+) killed"}, script(
        "fault/together.py", "together", *with_all, "--rounds", seconds, "--seed", opt.seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=int, default=0, help="of all at once")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    opt = parser.parse_args()
    env = {k: v for k, v in os.environ.items() if not re.match(r"ASDF_DATA_DIR|CONDA_|MAMBA_|MISE_|PYENV_|VIRTUAL_ENV|WORKON_HOME", k)}
    env |= dict(PACK_ARCH=os.uname().machine, container="jitwarm-tests")  # as ctest sets it
    total = dict.fromkeys(("kills", "faults", "packs", "runs"), 0)
    ends = {"passed": [], "failed": [], "skipped": []}
    began = time.monotonic()
    print(f"torture: seed {opt.seed}", flush=True)
    for name, counted, command in parts(opt.build, opt):
        start = time.monotonic()
        done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        end = "passed" if done.returncode == 0 else "skipped" if done.returncode == SKIPPED else "failed"
        ends[end].append(name)
        for what, pattern in counted.items():
            found = re.findall(pattern, said)
            # A part that passed and counted nothing has proven nothing.
            if end == "passed" and not found:
                ends["failed"].append(name)
                print(f"{name}: it counts no {what}", flush=True)
            total[what] += sum(map(int, found))
        print(f"{end:8} {name:16} {time.monotonic() - start:6.1f} s", flush=True)
        if end == "failed":
            print(said[-3000:])
        elif end == "skipped":
            print(said.strip().splitlines()[-1:])
    print(f"torture: {total['kills']} kills, {total['faults']} injected faults, {total['packs']} hostile packs, {total['runs']} concurrent "
          f"runs in {time.monotonic() - began:.0f} s: {len(ends['failed'])} parts failed")
    print(f"{len(ends['passed'])} passed, {len(ends['failed'])} failed, {len(ends['skipped'])} skipped")
    sys.exit(1 if ends["failed"] else 0)


if __name__ == "__main__":
    main()
