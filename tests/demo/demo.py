#!/usr/bin/env python3
"""demo.py SCRIPT BUILD [--nvidia]: scripts/demo runs to its end, and what its table says is so: the program started slowly once,
and fast after prime and after import, in a home where the driver wrote nothing new."""
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def fail(what, output):
    sys.exit(f"{what}\n{output}")


def shown_by_readme(out):
    """README.md's example, line for line; each time is another, and ... stands for lines."""
    part = README.read_text(encoding="utf-8").split("## See it in a minute", 1)[1].split("\n## ", 1)[0]
    example = re.search(r"(?:^    .*\n|^\n)*^    \$ \./app\n(?:^    .*\n)+", part, re.M)[0]
    pieces = re.sub(r"^    ", "", example[example.index("    $ ./app"):], flags=re.M).split("...\n")

    def without_times(text):
        return re.sub(r" +[\d.]+(?= s\b|$)", " TIME", text, flags=re.M)
    at, text = 0, without_times(out)
    for line in (line for piece in pieces for line in without_times(piece).splitlines()):
        found = text.find(line + "\n", at)
        if found < 0:
            fail(f"README.md shows: {line}", out)
        at = found + len(line)


def main():
    script, build, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    run = subprocess.run([script, *options, build], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out = run.stdout
    if run.returncode == 77 or (options and "could not be fetched" in out):
        print("SKIP: " + out.strip().splitlines()[-1])
        return 77
    if run.returncode != 0:
        fail(f"exit code {run.returncode}", out)
    starts = [float(s) for s in re.findall(r"^app: 16 modules loaded, ready after ([\d.]+) s$", out, re.M)]
    table = [float(s) for s in re.findall(r"^(?:without|after|on a second).* ([\d.]+)$", out, re.M)]
    if len(starts) != 3 or table != starts:
        fail(f"three starts, and the same in the table: {starts} {table}", out)
    cold, warm, imported = starts
    if not (warm * 4 < cold and imported * 4 < cold):
        fail(f"the warm starts are fast: {starts}", out)
    if "all 16 and compiled nothing" not in out or "Imported 16 entries" not in out:
        fail("verified, and all entries imported", out)
    if not options and "simulated" not in out.split("$", 1)[0]:
        fail("it says first that the driver is simulated", out)
    if not options:
        shown_by_readme(out)
    print(out)
    return 0


sys.exit(main())
