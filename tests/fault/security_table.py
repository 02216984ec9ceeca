#!/usr/bin/env python3
"""security_table.py: each test that docs/security.md names against an attack is there, under that name, and is run."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\|[^|]+\|[^|]+\| `(tests/[^:`]+): ([\w-]+)` \|$", re.M)


def main():
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    table = page[page.index("## Attack and test"):page.index("## Torture")]
    rows = ROW.findall(table)
    wrong = []
    if len(rows) != sum(line.startswith("|") for line in table.splitlines()) - 2 or not rows:
        wrong.append("a row of the table names no test")
    for path, name in rows:
        file = ROOT / path
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        defined = re.search(rf"TEST\w*\({name}\)|def {name}\(", text)
        if path.endswith(".t"):  # a transcript: each case of it is run
            if f"\n=== {name}\n" not in text:
                wrong.append(f"{path}: {name} is not a case there")
            continue
        run = f"T({name})" in text or "@case" in text or "unittest.main" in text or re.search(rf"\n +{name}\(.*\)\n|[(,] ?{name}[,)]", text)
        if not defined or not run:
            wrong.append(f"{path}: {name} is not a test there")
    print("\n".join(wrong) or f"{len(rows)} attacks, each with its test")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
