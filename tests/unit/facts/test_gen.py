#!/usr/bin/env python3
"""test_gen.py GENERATOR TABLES: damages the tables one way after another, reads what the generator says."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

generator, tables = sys.argv[1:3]

# file, text of the line that is changed, what replaces it (None: the line stands twice), what must be said
DAMAGE = [
    ("gpus.csv", "2484,,NVIDIA", "24z4,,NVIDIA", "pci_device_id: does not look like"),
    ("gpus.csv", "2484,,NVIDIA", "0001,,NVIDIA", "pci_device_id: out of order"),
    ("gpus.csv", "2484,,NVIDIA", None, "pci_device_id: the same as line"),
    ("gpus.csv", ",GA104,", ",GA1X4,", "chip: not in chips.csv"),
    ("gpus.csv", "pci_device_id,", "pci_id,", "pci_device_id: missing"),
    ("chips.csv", "GA104,sm_86", "GA104,sm_85", "sm: not in archs.csv"),
    ("archs.csv", "87,,Ampere,tegra,,7.4,1", "87,,Ampere,tegra,,7.4,0", "isolated: a Tegra arch"),
    ("driver_branches.csv", "590,13.1,9.1", "590,12.1,9.1", "cuda_version_reported: older than"),
    ("driver_branches.csv", "590,13.1,9.1", "561,13.1,9.1", "driver_branch: out of order"),
    ("errors.csv", "cuda,222,", "cuda,x,", "code_or_text: a CUDA error is a number"),
    ("errors.csv", ",CUDA_LAUNCH_BLOCKING,1,,", ",,,export CUDA_LAUNCH_BLOCKING=1,", "command: a variable has columns of its own"),
    ("errors.csv", ",CUDA_LAUNCH_BLOCKING,1,,", ",CUDA_LAUNCH_BLOCKING,1,nvidia-smi,", "variable: a row sets it"),
    ("cache_choosers.csv", ",high,", ",sure,", "confidence: does not look like"),
    ("cache_choosers.csv", ",/sglang/nv,", ",sglang/nv,", "folder: does not look like"),
]


def run(folder, *more):
    command = [sys.executable, generator, str(folder), *map(str, more)]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    bad = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        outs = [work / "a.c", work / "b.c"]
        for out in outs:
            if run(tables, out).returncode != 0:
                sys.exit("the tables themselves are refused")
        if outs[0].read_bytes() != outs[1].read_bytes():
            bad.append("the same tables gave different bytes")
        for name, old, new, said in DAMAGE:
            folder = work / "tables"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(tables, folder)
            lines = (folder / name).read_text(encoding="utf-8").split("\n")
            at = next((i for i, line in enumerate(lines) if old in line), None)
            if at is None:
                bad.append(f"{name} has no {old!r}")
                continue
            lines[at:at + 1] = [lines[at]] * 2 if new is None else [lines[at].replace(old, new, 1)]
            (folder / name).write_text("\n".join(lines), encoding="utf-8")
            answer, line = run(folder, work / "c.c"), at + 1
            if answer.returncode == 0 or (work / "c.c").exists():
                bad.append(f"{name}: {old!r} -> {new!r} was taken")
            # Of two lines that contradict each other the second is the wrong one.
            elif not any(f"{name}:{n}: {said}" in answer.stderr for n in (line, line + 1)):
                bad.append(f"{name}: {old!r} -> {new!r}: {said!r} not in {answer.stderr!r}")
    print("\n".join(bad) or f"{len(DAMAGE)} damaged tables refused")
    sys.exit(1 if bad else 0)


main()
