#!/usr/bin/env python3
"""check_docs.py: the README has at most 120 lines, every link of the documentation leads to a file, no page is left out of docs/README.md,
and the figure of the README is that of its data."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINES = 120
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def problems():
    readme = ROOT / "README.md"
    if len(readme.read_text(encoding="utf-8").splitlines()) > LINES:
        yield f"README.md: more than {LINES} lines"
    pages = [readme, *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: the link {target} leads nowhere"
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in pages[1:]:
        if page.name != "README.md" and f"({page.name})" not in index:
            yield f"docs/README.md: {page.name} is not in it"
    if subprocess.run([sys.executable, ROOT / "scripts" / "first-start-figure", "--check"], check=False).returncode:
        yield "docs/first-start.svg is not what its data say"


found = list(problems())
print("\n".join(found) or "the documentation holds together")
sys.exit(1 if found else 0)
