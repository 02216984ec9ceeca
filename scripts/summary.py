#!/usr/bin/env python3
"""summary.py JUNIT.xml [AGAIN.xml]: which tests were skipped and why, which failed and what they said last, and the closing line.
What the second report has counts in place of the first one's, and is told.
summary.py --lost-by-wine JUNIT.xml: a pattern for ctest of the tests that failed where Wine ended a process before its first
instruction (docs/windows.md), which no program can help; nothing where there is none."""
import re
import sys
import xml.etree.ElementTree as xml


def reason(case):
    said = re.search(r"^SKIP: *(.*)", case.findtext("system-out") or "", re.M)
    return said.group(1).strip() if said else "it gave no reason"


def last_words(case, lines=25):
    """What a failed test printed last, set off by two columns."""
    said = (case.findtext("system-out") or "").rstrip().splitlines()
    return "".join(f"\n  | {line}" for line in said[-lines:])


def outcome(case):
    """One of passed, failed, skipped. A test that could not be started has failed."""
    skipped = case.find("skipped")
    if skipped is not None:
        by_itself = skipped.get("message", "").startswith("SKIP_")
        return "skipped" if by_itself or case.get("status") == "disabled" else "failed"
    return "passed" if case.get("status") == "run" and case.find("failure") is None else "failed"


def cases_of(path):
    try:
        return xml.parse(path).getroot().findall("testcase")
    except (OSError, xml.ParseError) as trouble:
        print(f"the tests left no report: {trouble}", file=sys.stderr)
        return []


def lost_by_wine(path):
    lost = [c.get("name") for c in cases_of(path)
            if outcome(c) == "failed" and ".exe: Internal error" in (c.findtext("system-out") or "")]
    if lost:
        print("^(" + "|".join(map(re.escape, lost)) + ")$")
    return 0


def main(path, again=None):
    cases = {case.get("name"): case for case in cases_of(path)}
    for case in cases_of(again) if again else ():
        if outcome(cases.get(case.get("name"), case)) == "failed":
            print(f"again: {case.get('name')}: Wine had ended a process before its first instruction; then it {outcome(case)}")
            cases[case.get("name")] = case
    cases = cases.values()
    results = {name: [] for name in ("passed", "failed", "skipped")}
    for case in cases:
        results[outcome(case)].append(case)
    for case in results["skipped"]:
        print(f"skipped: {case.get('name')}: {reason(case)}")
    for case in results["failed"]:
        print(f"failed: {case.get('name')}{last_words(case)}")
    if not results["passed"] and not results["failed"]:
        print("no test ran", file=sys.stderr)
    print(", ".join(f"{len(found)} {name}" for name, found in results.items()), flush=True)
    return 1 if results["failed"] or not results["passed"] else 0


if __name__ == "__main__":
    sys.exit(lost_by_wine(sys.argv[2]) if sys.argv[1] == "--lost-by-wine" else main(*sys.argv[1:]))
