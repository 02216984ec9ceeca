#!/usr/bin/env python3
"""size.py [COUNT]: the longest C files and functions. A function starts at a "{" in the first
column."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def functions(lines):
    start, name = None, ""
    for number, line in enumerate(lines):
        called = re.search(r"(\w+)\s*\(", line)
        if called and line[0] not in " \t#/*}":
            name = called.group(1)
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            yield number - start + 1, name, start
            start = None


def main(count=15):
    files, found = [], []
    for file in sorted(path for top in ("src", "include") for path in (ROOT / top).rglob("*.[ch]")):
        lines = file.read_text(encoding="utf-8").split("\n")
        where = file.relative_to(ROOT)
        files.append((len(lines) - 1, where))
        found += [(length, f"{where}:{start}: {name}") for length, name, start in functions(lines)]
    lengths = sorted(length for length, _ in found) or [0]
    print(f"{len(files)} files, {sum(size for size, _ in files)} lines; {len(found)} functions, "
          f"median {lengths[len(lengths) // 2]}, p90 {lengths[len(lengths) * 9 // 10]} lines")
    for title, rows in (("longest files", files), ("longest functions", found)):
        print(f"\n{title}")
        for length, where in sorted(rows, key=lambda row: -row[0])[:count]:
            print(f"{length:6} {where}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
