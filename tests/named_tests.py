#!/usr/bin/env python3
"""named_tests.py CTEST BUILD: each test that a page names is there, under that name or as the first part of it; and the set-ups of docs/set-ups.md are
those of tests/prime/setups.py; and each case of tests/prime is a test."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAMILIES = "prime|real|unit|cli|pack|fault|startup|fleet|tree|demo|ci|scenario|fetch|corpus|package|gpu|work"
NAME = re.compile(rf"(?<![\w./$-])((?:{FAMILIES})\.[a-z][\w.-]*\w)(?![\w*/(])")
FILE = re.compile(r"\.(c|h|t|py|md|json|jsonl|ya?ml|svg|csv|tar|cu|cpp|ptx|pack|zst)\b")


def names():
    rooms = [page for top in ("src", "tests", "scripts", "include") for page in (ROOT / top).rglob("README.md")]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(rooms)]:
        if page.name != "windows.md":  # its tests are of another build
            for name in NAME.findall(page.read_text(encoding="utf-8")):
                if not FILE.search(name):
                    yield page.relative_to(ROOT), name


def main():
    listed = subprocess.run([sys.argv[1], "-N", "--test-dir", sys.argv[2]], check=True, capture_output=True, text=True).stdout
    tests = set(re.findall(r"^ *Test +#\d+: (\S+)$", listed, re.M))
    named = sorted(set(names()))
    wrong = [f"{page}: there is no test {name}" for page, name in named
             if name not in tests and not any(t.startswith((name + "-", name + ".")) for t in tests)]
    rows = re.findall(r"^\| ([^|]+) \|(?:[^|]+\|){5} [^|]*prime\.setups\b[^|]*\|$", (ROOT / "docs/set-ups.md").read_text(encoding="utf-8"), re.M)
    tried = re.findall(r'^@setup\("([^"]+)"', (ROOT / "tests/prime/setups.py").read_text(encoding="utf-8"), re.M)
    wrong += [f"docs/set-ups.md and tests/prime/setups.py differ in the set-up {row}" for row in sorted(set(rows) ^ set(tried))]
    cases = re.findall(r"^@case\ndef (\w+)", "".join(f.read_text(encoding="utf-8") for f in (ROOT / "tests/prime").glob("*.py")), re.M)
    wrong += [f"tests/prime/CMakeLists.txt: no test runs the case {case}" for case in cases if f"prime.{case.replace('_', '-')}" not in tests]
    if not named or not rows or not cases:
        wrong.append("no test is named anywhere")
    print("\n".join(wrong) or f"{len(named)} names of tests, {len(rows)} set-ups")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
