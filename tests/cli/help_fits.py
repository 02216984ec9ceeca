#!/usr/bin/env python3
"""help_fits.py JITWARM: the overview and the short help of each verb fit a terminal of 24 lines and 80 columns."""
import re
import subprocess
import sys


def page(*words):
    return subprocess.run([sys.argv[1], *words], text=True, capture_output=True, check=True).stdout.splitlines()


def main():
    overview = page("help")
    verbs = [line[10:].split()[0] for line in overview if re.match(r"(\w+ +| {10})[a-z]+  ", line) and line[9] == ' ' != line[10]]
    if len(verbs) < 15 or "prime" not in verbs:
        sys.exit(f"the overview names the verbs: {verbs}")
    wrong = [f"{name}: {len(lines)} lines, {max(map(len, lines))} columns" for name, lines in
             [("help", overview), *((f"{verb} -h", page(verb, "-h")) for verb in verbs)] if len(lines) > 24 or max(map(len, lines)) > 80]
    print("\n".join(wrong) or f"{len(verbs)} verbs")
    sys.exit(1 if wrong else 0)


main()
