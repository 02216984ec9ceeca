#!/usr/bin/env python3
"""cross_check.py oracle|cuobjdump --tool JITWARM [FILE...]

oracle      the walker that the environment's JITWARM_ORACLE names, a Python file with scan(path, deep): entries of each
            kind and architecture in each section, with --deep and without
cuobjdump   its --list-elf --list-ptx: entries of each kind and sm number. It sees registered containers, in objects and
            archives also those for the device linker; no Windows files, and nothing that libraries load themselves.

Exit 77: there is no such program, or no file of the corpus.
"""
import argparse
import collections
import importlib.util
import os
import re
import subprocess
import sys

import corpus

REGISTERED, NAMED = ("registered",), ("registered", "rdc")
KINDS = {1: "ptx", 2: "elf", 8: "nvvm"}


def load_oracle():
    path = os.environ.get("JITWARM_ORACLE")
    if not path:
        corpus.skip("JITWARM_ORACLE names no other walker")
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def section_of(container):
    return container.sec.rpartition(":")[2]


def count_oracle(containers):
    counts = collections.Counter()
    for container in containers:
        for e in container.entries:
            counts[section_of(container), KINDS.get(e.kind, "other"), f"{e.arch}{e.suffix}"] += 1
    return counts


def count_ours(file, roles):
    counts = collections.Counter()
    for module in file["modules"]:
        part = corpus.count_entries({"modules": [module]}, roles)
        counts.update({(module["section"], *key): n for key, n in part.items()})
    return counts


def by_oracle(oracle, tool, path):
    """How many entries were found with --deep, and the differences."""
    differ = []
    for deep, options, roles in ((False, [], NAMED), (True, ["--deep"], NAMED + ("lazy",))):
        theirs = count_oracle(oracle.scan(str(path), deep)[1])
        ours = count_ours(corpus.scan(tool, path, *options), roles)
        differ += [f"deep={deep} {key}: {ours[key]}, the oracle {theirs[key]}"
                   for key in sorted(ours.keys() | theirs.keys()) if ours[key] != theirs[key]]
    return sum(ours.values()), differ


def count_cuobjdump(program, path):
    """None when it does not understand the file."""
    listed = subprocess.run([program, "--list-elf", "--list-ptx", path], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=False)
    if listed.returncode:
        return None
    kinds = {"cubin": "elf", "ptx": "ptx"}
    found = re.findall(r"^(?:ELF|PTX) file +\d+: .*\.sm_(\d+)[af]?\.(cubin|ptx)$", listed.stdout, re.M)
    if len(found) != len(re.findall(r"^(?:ELF|PTX) file ", listed.stdout, re.M)):
        sys.exit(f"{program}: its list has lines of an unknown kind")
    return collections.Counter((kinds[kind], sm) for sm, kind in found)


def by_cuobjdump(program, tool, path):
    theirs = count_cuobjdump(program, path)
    if theirs is None:
        return None, []
    file = corpus.scan(tool, path)
    ours = corpus.count_entries(file, REGISTERED if file["containers"] else NAMED, suffix=False)
    return sum(ours.values()), [f"{key}: {ours[key]}, cuobjdump {theirs[key]}"
                                for key in sorted(ours.keys() | theirs.keys()) if ours[key] != theirs[key]]


def choose(by):
    if by == "oracle":
        oracle = load_oracle()
        return lambda tool, path: by_oracle(oracle, tool, path)
    program = corpus.find_cuobjdump()
    if not program:
        corpus.skip("there is no cuobjdump; scripts/fetch-corpus --cuobjdump unpacks one")
    return lambda tool, path: by_cuobjdump(program, tool, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("by", choices=("oracle", "cuobjdump"))
    parser.add_argument("--tool", required=True)
    parser.add_argument("files", nargs="*", metavar="FILE")
    opt = parser.parse_args()

    compare = choose(opt.by)
    found = corpus.find_or_skip(opt.files or corpus.NAMES)
    agreed = failed = 0
    for name, path in found.items():
        entries, differ = compare(opt.tool, path)
        for line in differ:
            print(f"{name}: {line}")
        said = "differ" if differ else "agree" if entries is not None else "cannot be read by it"
        print(f"{name}: {said if entries is None else f'{entries} entries {said}'}")
        failed += bool(differ)
        agreed += entries is not None and not differ
    if not agreed and not failed:
        corpus.skip(f"{opt.by} can read none of {len(found)} files")
    print(f"{agreed} agree, {failed} differ, {len(found) - agreed - failed} could not be read by {opt.by}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
