#!/usr/bin/env python3
"""sums.py: in each transcript, and in what tests/unit/cli expects, the numbers that one report of prime, verify or import prints add up: a
module stands in one line, and no module is missing.
"""
import pathlib
import re
import sys

import transcript

TESTS = pathlib.Path(__file__).resolve().parents[1]
HEAD = re.compile(r"(Not all: (?P<warm>[\d,]+) of (?P<of>[\d,]+) (modules|entries) (is|are) (?P<what>warm|in the cache)|Loaded (?P<loaded>[\d,]+) modules?"
                  r"|Found (?P<found>[\d,]+) of (?P<from>[\d,]+) modules? in the cache|(?P<none>Nothing is warm))")
LABELS = ("Not warm", "Missing", "Skipped")


def number(text):
    return int(text.replace(",", ""))


def reports(text):
    """The lines of each report: its first line, and labels with what belongs to them, lines that were wrapped joined."""
    lines, at = [], None
    for line in re.sub(r"(?m)^[*!]? {0,2}(?=\S)", "", re.sub(r"(?m)^\* ", "  ", text)).splitlines():
        if HEAD.match(line):
            if lines:
                yield lines
            lines, at = [line], "head"
        elif line.startswith(("=== ", "---- ", "$ ")):
            if lines:
                yield lines
            lines, at = [], None
        elif lines and re.match(r"(not )?verified: |[A-Z][a-z]+( [a-z]+)? {2,}", line):
            at = re.match(r"[A-Za-z]+( [a-z]+)?", line)[0]
            lines.append(line)
        elif lines and re.match(r" {10,12}(in a fresh login )?[\d,]+ (module|entr)", line):
            lines.append(at.ljust(10) + line.strip())
        elif lines and line.strip():
            lines[-1] += " " + line.strip()
    if lines:
        yield lines


def counted(lines, label, of=r"(?:modules?|entries|entry)", where=""):
    found = [re.match(rf"{label} +{where}([\d,]+) {of}", line) for line in lines]
    return sum(number(m[1]) for m in found if m)


def wrong(lines):
    """What does not add up in a report; empty: all does."""
    head = HEAD.match(lines[0])
    if any("--verbose lists all" in line for line in lines) or (head["what"] == "warm" and "(sm_" not in lines[0]):
        return []  # cut short
    if head["warm"]:
        label = "Not warm" if head["what"] == "warm" else "Skipped"
        left, said = number(head["of"]) - number(head["warm"]), counted(lines, label)
        return [f"{left} are not {head['what']}, and {label} says {said}"] if left != said else []
    verdict = next((line for line in lines if re.match("(not )?verified: ", line)), "")
    here = verdict.split(";")[0].replace("; in a fresh login", "")
    if "in this environment" not in here:
        return []
    missed = re.search(r"([\d,]+) of ([\d,]+) modules? (was|were) not found", here)
    failed = re.search(r"([\d,]+) modules? could not be loaded", here)
    gone, bad = number(missed[1]) if missed else 0, number(failed[1]) if failed else 0
    found = number(head["found"] or head["loaded"] or "0")
    every = number(head["from"] or (missed[2] if missed else str(found + bad)))
    problems = []
    if found + gone + bad != every:
        problems.append(f"found {found}, missing {gone}, not loaded {bad}: together not {every}")
    if (counted(lines, "Missing"), counted(lines, "Not warm")) != (gone, bad):
        problems.append(f"Missing says {counted(lines, 'Missing')} for {gone}, Not warm {counted(lines, 'Not warm')} for {bad}")
    return problems


def main():
    bad, n = [], 0
    for path in [*sorted((TESTS / "cli").glob("*.t")), TESTS / "unit/cli/prime_text.golden"]:
        for lines in reports(transcript.printed(path)):
            n += 1
            bad += [f"{path.name}: {why}:\n    " + "\n    ".join(lines) for why in wrong(lines)]
    print("\n".join(bad) or f"{n} reports add up")
    sys.exit(1 if bad or n < 20 else 0)


if __name__ == "__main__":
    main()
