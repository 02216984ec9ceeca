#!/usr/bin/env python3
"""setups_table.py [--check]: writes the table of set-ups of docs/set-ups.md, of what tests say of themselves. A test has in its docstring, or
in a comment before it, a line

    Set-up: NAME | dry run | prime | verify | verify --run | run

or, where another test says the rest, `Set-up: NAME` alone. --check: fails where the page differs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/set-ups.md"
TABLE = re.compile(r"(?<=\| set-up \| dry run \| prime \| verify \| verify --run \| run \| test \|\n\|---\|---\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)+")
LINE = re.compile(r'^\W*Set-up: (.*?)\s*(?:"""|\*/|$)')
FUNCTION = re.compile(r"^def (\w+)\(")


def test_of(path, function):
    """As ctest names it."""
    room, stem = path.relative_to(ROOT / "tests").parts[:-1], path.stem
    if room[0] == "unit":
        return f"unit.{room[1]}.{stem.removeprefix('test_')}"
    return f"{room[0]}.{(stem if stem in ('setups', 'links', 'false_warm') else function).replace('_', '-')}"


def setups():
    """Each with its cells, and the tests in their order."""
    rows, tests = {}, {}
    files = [p for kind in ("*.py", "*.c") for p in (ROOT / "tests").rglob(kind)]
    for path in sorted(files, key=lambda p: (p.name != "setups.py", p)):
        function = ""
        for line in path.read_text(encoding="utf-8").replace("\n * ", " ").splitlines():
            function = found[1] if (found := FUNCTION.match(line)) else function
            if found := LINE.match(line):
                name, *cells = found[1].split(" | ")
                if cells and rows.get(name):
                    sys.exit(f"{path.relative_to(ROOT)}: another test says the row of the set-up {name}, too")
                rows[name] = cells or rows.get(name)
                tests.setdefault(name, []).append(test_of(path, function))
    wrong = [name for name, cells in rows.items() if len(cells or ()) != 5]
    if wrong or not rows:
        sys.exit("\n".join(f"no test says the five answers of the set-up {name}" for name in wrong) or "no test names its set-up")
    return [f"| {name} | {' | '.join(cells)} | {', '.join(dict.fromkeys(tests[name]))} |\n" for name, cells in rows.items()]


def main():
    before = PAGE.read_text(encoding="utf-8")
    after, n = TABLE.subn("".join(setups()).replace("\\", "\\\\"), before)
    if n != 1:
        sys.exit("docs/set-ups.md has no table of set-ups")
    if sys.argv[1:] == ["--check"]:
        old, new = (set(TABLE.search(text)[0].splitlines()) for text in (before, after))
        if before != after:
            sys.exit("\n".join(["docs/set-ups.md and the tests differ (scripts/setups_table.py writes the table):", *sorted(old ^ new)]))
        print(f"{len(new)} set-ups")
    else:
        PAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
