#!/usr/bin/env python3
"""damaged_tables.py GENERATOR TABLES: the generator refuses a damaged table by file, line and
column, and makes nothing of it. A row: file, text of the line, what replaces it (None: it stands
twice, and the second is wrong), what must be said."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

DAMAGE = (
    ("gpus.csv", "2484,,NVIDIA", "24z4,,NVIDIA", "pci_device_id: does not look like"),
    ("gpus.csv", "2484,,NVIDIA", None, "pci_device_id: the same as line"),
    ("gpus.csv", ",GA104,", ",GA1X4,", "chip: not in chips.csv"),
    ("gpus.csv", "pci_device_id,", "pci_id,", "pci_device_id: missing"),
    ("chips.csv", "GA104,sm_86", "GA104,sm_85", "sm: not in archs.csv"),
    ("archs.csv", "87,,Ampere,tegra,,7.4,1", "87,,Ampere,tegra,,7.4,0", "isolated: a Tegra arch"),
    ("driver_branches.csv", "590,13.1,9.1", "590,12.1,9.1", "cuda_version_reported: older than"),
    ("errors.csv", "cuda,222,", "cuda,x,", "code_or_text: a CUDA error is a number"),
)
generator, tables = sys.argv[1:3]
for name, old, new, said in DAMAGE:
    with tempfile.TemporaryDirectory() as work:
        folder, out = pathlib.Path(shutil.copytree(tables,
                                                   f"{work}/tables")), pathlib.Path(work, "c.c")
        lines = (folder / name).read_text(encoding="utf-8").split("\n")
        at = next(i for i, line in enumerate(lines) if old in line)
        lines[at:at + 1] = [lines[at]] * 2 if new is None else [lines[at].replace(old, new, 1)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
        answer = subprocess.run([sys.executable, generator, folder, out], capture_output=True,
                                text=True)
        if answer.returncode == 0 or out.exists() or not any(f"{name}:{n}: {said}" in answer.stderr
                                                             for n in (at + 1, at + 2)):
            sys.exit(f"{name}: {old!r} -> {new!r}: {said!r} not in {answer.stderr!r}")
