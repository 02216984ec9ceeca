#!/usr/bin/env python3
"""oracle.py LIST_ENTRIES GEN_SAMPLES DIR: what we find in the generated samples, against another reader of the
same bytes. JITWARM_ORACLE names it: a Python file with scan(path, deep), whose second answer is a list of
containers."""
import collections
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ours(list_entries, file):
    """Entries by kind, target, version and packing; None where we refuse the file."""
    answer = subprocess.run([list_entries, file], capture_output=True, encoding="utf-8", check=False)
    if answer.returncode:
        return None
    found = collections.Counter()
    for line in answer.stdout.splitlines():
        word = line.split()
        if word[0] == "entry":
            found[(word[1], word[2].split("_")[1], word[3], word[4])] += 1
    return found


def theirs(oracle, file):
    kinds = {1: "ptx", 2: "elf", 8: "nvvm"}
    packing = {"lz4f": "lz4-frame"}
    found = collections.Counter()
    for container in oracle.scan(file, deep=False)[1]:
        for e in container.entries:
            found[(kinds.get(e.kind, "other"), f"{e.arch}{e.suffix}", f"{e.vmaj}.{e.vmin}",
                   packing.get(e.comp, e.comp))] += 1
    return found


# What the other program does not look at, or does otherwise by design.
BEYOND_IT = {"elf/no-section-table.so": "reads sections only", "elf/lazy.so": "finds it in its deep search",
             "far/in-data.so": "does not read .data", "far/alone.so": "does not read .data",
             "ar/windows.lib": "reads ELF members only",
             "pe/object.obj": "reads no COFF objects", "pe/bigobj.obj": "reads no COFF objects"}


def main():
    list_entries, gen_samples, folder = sys.argv[1:]
    path = os.environ.get("JITWARM_ORACLE")
    if not path or not os.path.exists(path):
        print("SKIP: JITWARM_ORACLE names no other reader")
        return 77
    oracle = load(path)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([gen_samples, folder], check=True)
    compared = wrong = 0
    for file in sorted(pathlib.Path(folder).rglob("*")):
        name = str(file.relative_to(folder))
        if not file.is_file() or name in BEYOND_IT or name.startswith(("traps/", "cubin/", "ptx/", "wheel/")):
            continue
        mine, other = ours(list_entries, file), theirs(oracle, str(file))
        compared += 1
        if mine != other:
            wrong += 1
            print(f"{name}: only ours {dict(mine - other)}, only theirs {dict(other - mine)}")
    print(f"{compared} files compared, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
