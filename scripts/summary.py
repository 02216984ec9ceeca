#!/usr/bin/env python3
"""summary.py JUNIT.xml [AGAIN.xml]: which tests were skipped and why, which failed and what they
said last, and the closing line. A failed test that passed in the second report (alone) counts as
passed, and is reported as unsteady, with what it had said. summary.py --failed JUNIT.xml: how often
they are run again (once if one takes minutes), and a pattern for ctest of the failed tests; nothing
where there is none, or more than chance explains."""
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


MAX_UNSTEADY = 3
LONG_S = 60


def failed(path):
    cases = [case for case in cases_of(path) if outcome(case) == "failed"]
    if 0 < len(cases) <= MAX_UNSTEADY:
        times = 1 if any(float(case.get("time", 0)) > LONG_S for case in cases) else 3
        print(times, "^(" + "|".join(re.escape(case.get("name")) for case in cases) + ")$")
    return 0


def main(path, again=None):
    cases = {case.get("name"): case for case in cases_of(path)}
    for case in cases_of(again) if again else ():
        if outcome(cases.get(case.get("name"), case)) == "failed":
            steady = outcome(case) != "passed"
            print(f"{'failed again' if steady else 'unsteady'}: {case.get('name')}" +
                  ("" if steady else last_words(cases[case.get("name")])))
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
    sys.exit(failed(sys.argv[2]) if sys.argv[1] == "--failed" else main(*sys.argv[1:]))
