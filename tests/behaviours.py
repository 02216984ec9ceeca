#!/usr/bin/env python3
"""behaviours.py BUILD: what the tests of a build ask, one line each, sorted, so that two of these
lists can be compared.

The first word says which run has it: every (scripts/test), or the labels that only scripts/test
--all and .ci/run take. A unit test is followed by its functions, a transcript by its cases.
"""
import json
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent
LONG = {"slow", "corpus", "drivers", "ci"}


def functions(name):
    _, room, file = name.split(".", 2)
    source = TESTS / "unit" / room / f"test_{file}.c"
    return re.findall(r"^TEST\w*\((\w+)\)", source.read_text(
        encoding="utf-8"), re.M) if source.exists() else []


def transcript(name):
    source = TESTS / "cli" / f"{name.removeprefix('cli.')}.t"
    return re.findall(r"^case ([^:\n]+)", source.read_text(
        encoding="utf-8"), re.M) if source.exists() else []


def main():
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    for test in sorted(json.loads(listed)["tests"], key=lambda t: t["name"]):
        name = test["name"]
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
        when = "+".join(sorted(LONG.intersection(labels))) or "every"
        parts = {"unit": functions, "cli": transcript}.get(name.split(".")[0], lambda _: [])(name)
        print("\n".join(f"{when:7} {name}: {part.replace('_', ' ')}" for part in parts)
              or f"{when:7} {name}")


if __name__ == "__main__":
    main()
