#!/usr/bin/env python3
"""figures.py: what one answer says twice is the same. In the golden transcripts and pages "all N of M" is said only of all, and a
plan's estimate is that of its table: the sum of its files, shared by the workers."""
import pathlib
import re
import sys

import transcript

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"s": 1, "second": 1, "seconds": 1, "min": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600}
TIME = r"(?:[\d.]+ (?:seconds?|minutes?|hours?|min|s|h)\b ?)+"
PLAN = re.compile(rf"would be compiled for .*?(?:about|up to) ({TIME})with (\d+) workers?(?:.*?one module needs ({TIME})of it)?")
ROW = re.compile(rf"^ *\d[\d,]* +[\d.]+ [KMG]?i?B +({TIME}) +[\d.]+ [KMG]?i?B ")
AT_LEAST = 5


def seconds(text):
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+) (\w+)", text))


def answers():
    """(name, lines): cases of the transcripts and pages of the unit tests."""
    for page in sorted([*HERE.glob("*.t"), *(HERE.parent / "unit/cli").glob("*.golden")]):
        for part in re.split(r"^(?:===|----) ", transcript.printed(page), flags=re.M)[1:]:
            name, *lines = part.split("\n")
            yield f"{page.name}: {name}", [line[2:] if page.suffix == ".t" else line for line in lines]


def wrong_plan(lines):
    """Why the estimate is not that of the table; None: it is, or there is no plan."""
    plan = PLAN.search(" ".join(" ".join(lines).split()))
    rows = [seconds(row[1]) for row in map(ROW.match, lines) if row]
    if not plan or not rows or any(re.match(r"and [\d,]+ more files", line) for line in lines):
        return None, bool(plan)
    said, workers = seconds(plan[1]), int(plan[2])
    wanted = max(sum(rows) / workers, seconds(plan[3] or ""))
    # Each time is rounded, the sum to what people say: 332 s are "up to 6 minutes".
    rounded = 60 if "minute" in plan[1] else 360 if "hour" in plan[1] else 0.5
    close = -0.5 * len(rows) - 0.5 < said - wanted < rounded + 0.5 * len(rows)
    return None if close else f"{plan[0]!r}: the table says {wanted:.0f} s", True


def main():
    wrong, plans = [], 0
    for name, lines in answers():
        text = " ".join(" ".join(lines).split())
        wrong += [f"{name}: {m[0]}" for m in re.finditer(r"\ball ([\d,]+) of ([\d,]+)", text) if m[1] != m[2]]
        why, planned = wrong_plan(lines)
        plans += planned
        wrong += [f"{name}: {why}"] if why else []
    if plans < AT_LEAST:
        sys.exit(f"only {plans} plans were found")
    print("\n".join(wrong) or f"{plans} plans")
    sys.exit(1 if wrong else 0)


main()
