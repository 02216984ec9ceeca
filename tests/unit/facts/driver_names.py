#!/usr/bin/env python3
"""driver_names.py SOURCE: each name without a version by which a driver of JITWARM_DRIVERS
(~/.cache/jitwarm-drivers) asks the loader for a library of the driver is in the table of
facts/libraries.c, and each name of the table but those of newer drivers is asked for."""
import os
import pathlib
import re
import sys

NEWER = {"libnvidia-nvvm70.so.4", "libcuda.so"}  # of drivers that were not read; as programs ask
NAME = re.compile(rb"\0(lib(?:cuda|nvidia-[a-z0-9]+)\.so(?:\.[0-9])?)(?=\0)")

cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
drivers = pathlib.Path(os.environ.get("JITWARM_DRIVERS") or os.path.join(cache, "jitwarm-drivers"))
source = pathlib.Path(sys.argv[1]).read_text()
defines = dict(
    re.findall(r'#define (JW_\w+) (.*)',
               pathlib.Path(sys.argv[1]).with_suffix(".h").read_text()))


def text(words):
    """The C text of string literals and macros."""
    return "".join(w[1:-1] if w[0] == '"' else text(defines[w])
                   for w in re.findall(r'"[^"]*"|JW_\w+', words))


table = {
    text(words)
    for words in re.search(r"driver_names\[\] = \{(.*?),\s*NULL\s*\};", source, re.S)[1].split(",")
} - {""}
asked, read = set(), []
for folder in sorted(drivers.glob("*")):
    found = [
        f for f in folder.glob("*.so.*")
        if f.name.startswith(("libcuda.so.",
                              "libnvidia-fatbinaryloader.so.")) and f.name.endswith(folder.name)
    ]
    if found:
        read.append(folder.name)
    for file in found:
        asked |= {name.decode() for name in NAME.findall(file.read_bytes())}
if not read:
    print(f"skipped: no driver is in {drivers}: scripts/fetch-driver gets one")
    sys.exit(77)
lacking = sorted(asked - table)
unasked = sorted(table - asked - NEWER) if len(read) >= 8 else []
if lacking or unasked:
    sys.exit(f"not in the table: {lacking}; asked by no driver of {read}: {unasked}")
print(f"{len(read)} drivers ask for {', '.join(sorted(asked))}")
