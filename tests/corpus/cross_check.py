#!/usr/bin/env python3
"""cross_check.py --tool JITWARM [FILE...]

cuobjdump's --list-elf --list-ptx: entries of each kind and sm number. It sees registered containers, in objects and archives
also those for the device linker; no Windows files, and nothing that libraries load themselves.

Exit 77: there is no such program, or no file of the corpus.
"""
import argparse
import collections
import re
import subprocess
import sys

import corpus

REGISTERED, NAMED = ("registered",), ("registered", "rdc")


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("files", nargs="*", metavar="FILE")
    opt = parser.parse_args()

    program = corpus.find_cuobjdump()
    if not program:
        corpus.skip("there is no cuobjdump; scripts/fetch-corpus --cuobjdump unpacks one")
    found = corpus.find_or_skip(opt.files or corpus.NAMES)
    agreed = failed = 0
    for name, path in found.items():
        entries, differ = by_cuobjdump(program, opt.tool, path)
        for line in differ:
            print(f"{name}: {line}")
        said = "differ" if differ else "agree" if entries is not None else "cannot be read by it"
        print(f"{name}: {said if entries is None else f'{entries} entries {said}'}")
        failed += bool(differ)
        agreed += entries is not None and not differ
    if not agreed and not failed:
        corpus.skip(f"cuobjdump can read none of {len(found)} files")
    print(f"{agreed} agree, {failed} differ, {len(found) - agreed - failed} could not be read by cuobjdump")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
