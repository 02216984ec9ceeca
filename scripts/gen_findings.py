#!/usr/bin/env python3
"""gen_findings.py [--check]: makes docs/findings.md of the table of causes, src/cause/causes.def; --check: ends with 1 if it is not current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, PAGE = ROOT / "src/cause/causes.def", ROOT / "docs/findings.md"
ROW = re.compile(r'^CAUSE\(\w+, "([\w-]+)", \w+, ([\w |]+), ([\w |]+), ([\w |]+),\s.*?\n      "(.*?)",\n      "(.*?)",', re.S | re.M)
WHO = {"P": "prime", "V": "verify", "L": "status and prime --check", "D": "doctor", "S": "verify --run"}
HEAD = """# Causes

Why a CUDA program compiles at its start, or does not run: one row each, in the order in which `jitwarm doctor` asks. The first that holds is
its answer, with what was seen and one remedy (`jitwarm doctor --json`: `cause.id`). prime, verify, status and env ask the same table.

A cause that *stops* a verb is its answer: nothing after it is asked, and with its remedy it is gone. A *note* stands beside the answer.

This page is made of `src/cause/causes.def` by `scripts/gen_findings.py`.
"""


def names(bits):
    bits = list(WHO) if bits == "ALL" else [b for b in bits.split(" | ") if b in WHO]
    words = [WHO[b] for b in WHO if b in bits]
    return "all" if len(words) == len(WHO) else ", ".join(words)


def page():
    text = re.sub(r'"\n +"', "", TABLE.read_text(encoding="utf-8"))  # a text on two lines
    rows = ROW.findall(text)
    other = [name for name in re.findall(r'^CAUSE\(\w+, "([\w-]+)"', text, re.M) if name not in {row[0] for row in rows}]
    if other:
        sys.exit(f"{TABLE}: the row {other[0]} is not laid out as the others, with its text on a line of its own")
    out = [HEAD]
    for name, stops, cold, concerns, what, meaning in rows:
        meaning = re.sub(r'"\s*"', "", meaning)  # texts that C joins
        who = [f"Stops {names(stops)}."] if stops != "0" else []
        who += [f"Where something is cold it stops {names(cold)}."] if cold != "0" else []
        who += [f"A note for {names(concerns)}."] if concerns != "0" else []
        out.append(f"**{name}**: {what}. {meaning} {' '.join(who)}\n")
    return "\n".join(out)


def main():
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{PAGE} is not current: run scripts/gen_findings.py" if current != page() else 0)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
