#!/usr/bin/env python3
"""check_findings.py [ROOT]: the findings of doctor are those of src/doctor/finding_kinds.def, no more and no fewer: in the code
that makes them, in docs/findings.md, and in the unit tests (those about software in tests/scenarios). One line for each
offence, exit 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
DOCTOR = ROOT / "src" / "doctor"
KIND = re.compile(r'^F\("([a-z-]+)", ([A-Z]+), "[^"]+"\)$', re.M)
QUOTED = re.compile(r'"([a-z]+(?:-[a-z]+)+)"')
MAKES = re.compile(r'\.id = ([^,;]*)|\b(?:add|tell)\(f, ("[a-z-]+")')
HEADING = re.compile(r"^### ([a-z-]+)$", re.M)


OURS = re.compile(r'jitwarm ([a-z]+)((?: (?:[a-z]+|--[a-z-]+))*)')
COMMON = {"--as-root", "--json", "--yes", "--quiet", "--verbose", "--dry-run"}


def text_of(files):
    return "\n".join(f.read_text(encoding="utf-8") for f in sorted(files))


def verbs():
    """Verb: its options, and the words that may follow it."""
    found = {}
    for file in sorted([*(ROOT / "src").rglob("cmd_*.c"), *(ROOT / "src" / "verbs").glob("*.c")]):
        text = file.read_text(encoding="utf-8")
        near = re.findall(r'#include "((?:[a-z]+/)*command/[a-z_]+\.h|(?:cli|verbs)/[a-z_]+\.h)"', text)
        headers = text_of({*(ROOT / "src" / h for h in near), *(file.parent.glob("*.h") if file.parent.name == "command" else ())})
        for name in re.findall(r'\.name = "([a-z]+)"', text):
            found[name] = {f"--{o}" for o in re.findall(r'"([a-z-]+)"', text + headers)} | COMMON
            found[name] |= {"--cache"} if "OPT_CACHE(" in text else set()
    return found


def commands():
    """What doctor tells people to type must exist."""
    known = verbs()
    for file in sorted(DOCTOR.rglob("*.c")):
        text = re.sub(r'"\s*\n\s*"', "", file.read_text(encoding="utf-8"))
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            for verb, rest in OURS.findall(literal) if literal.startswith("jitwarm ") else []:
                if verb in ("doctor", "env", "prime", "prune", "status", "run", "verify") and verb not in known:
                    yield f"{file.name}: jitwarm {verb} is no verb"
                for option in re.findall(r"--[a-z-]+", rest):
                    if verb in known and option not in known[verb]:
                        yield f"{file.name}: jitwarm {verb} has no {option}"


def offences():
    yield from commands()
    table = (DOCTOR / "finding_kinds.def").read_text(encoding="utf-8")
    areas = dict(KIND.findall(table))
    kinds = [m[0] for m in KIND.findall(table)]
    rows = table.count("\nF(")
    if rows != len(kinds):
        yield f"finding_kinds.def: {rows} rows, of which {len(kinds)} can be read"
    for twice in sorted({k for k in kinds if kinds.count(k) > 1}):
        yield f"finding_kinds.def: {twice} is there twice"
    made = set(QUOTED.findall(text_of(DOCTOR.rglob("*.c"))))
    for id_, first in MAKES.findall(text_of(DOCTOR.rglob("*.c"))):
        yield from (f"{one}: is not in finding_kinds.def" for one in QUOTED.findall(id_ + first) if one not in kinds)
    tested = set(QUOTED.findall(text_of((ROOT / "tests" / "unit" / "doctor").glob("test_*.c"))))
    told = HEADING.findall((ROOT / "docs" / "findings.md").read_text(encoding="utf-8"))
    for kind in kinds:
        if kind not in made:
            yield f"{kind}: no file of src/doctor makes it"
        if kind not in tested and areas[kind] != "SOFTWARE":
            yield f"{kind}: no test of tests/unit/doctor asks for it"
    if told != kinds:
        yield from (f"docs/findings.md: {k} is missing" for k in kinds if k not in told)
        yield from (f"docs/findings.md: {k} is no finding" for k in told if k not in kinds)
        if sorted(told) == sorted(kinds):
            yield "docs/findings.md: its order is not that of finding_kinds.def"


if __name__ == "__main__":
    found = list(offences())
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
