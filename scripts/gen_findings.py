#!/usr/bin/env python3
"""gen_findings.py [--check]: makes docs/findings.md of the table of causes, src/cause/causes.def; --check: ends with 1 if it is not current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, PAGE = ROOT / "src/cause/causes.def", ROOT / "docs/findings.md"
ROW = re.compile(r'^CAUSE\(\w+, "([\w-]+)", \w+, ([\w |]+), ([\w |]+), ([\w |]+),\s.*?\n      "(.*?)",\n      "(.*?)",(.*?)\)$', re.S | re.M)
WHO = {"P": "prime", "V": "verify", "L": "status", "D": "doctor", "S": "start"}
HEAD = """# Causes

Why a CUDA program compiles at its start, or does not run, in the order in which `jitwarm doctor` asks. The first that holds is its answer,
with what was seen and one remedy (`jitwarm doctor --json`: `cause.id`). prime, verify and status ask the same table.

**stops**: the cause is the verb's answer, nothing after it is asked, and with its remedy it is gone. **cold**: it stops where something is
cold. **note**: it stands beside a warm answer. Of one that is not warm verify and status name what stops doctor, or the prime that would
help; prime itself, which has compiled, of these what it has as a note. *status* is also `prime --check`, *start* is `verify --run`. Where no
remedy stands here, it depends on what was seen: `jitwarm doctor` shows the line to paste.

This page is made of `src/cause/causes.def` by `scripts/gen_findings.py`.

"""
REMEDY = re.compile(r'(?:unset|RUN|AGAIN|RUN_IN|say)\((?:[^"()]*)((?:"[^"]*"(?:, )?)+)')


def state(letter, stops, cold, notes):
    for word, bits in ("stops", stops), ("cold", cold), ("note", notes):
        if bits == "ALL" or letter in bits.split(" | "):
            return word
    return ""


def remedy_of(code):
    """Of a row that has it in words; of others a function chooses it by what was seen."""
    found = REMEDY.search(code)
    if "unset(r, f->" in code:
        return "`unset` the variable"
    if not found or "?" in code:
        return ""
    words = re.findall(r'"([^"]*)"', found[1])
    if code.lstrip().startswith("say"):
        return words[0]
    words = ["unset", *words] if code.lstrip().startswith("unset") else [*words, "PATH"] if words[-1] == "--root" else words
    return f"`{' '.join(words)}`"


def page():
    text = re.sub(r'"\n +"', "", TABLE.read_text(encoding="utf-8"))  # a text on two lines
    rows = ROW.findall(text)
    other = [name for name in re.findall(r'^CAUSE\(\w+, "([\w-]+)"', text, re.M) if name not in {row[0] for row in rows}]
    if other:
        sys.exit(f"{TABLE}: the row {other[0]} is not laid out as the others, with its text on a line of its own")
    out = ["| id | what it says | remedy | " + " | ".join(WHO.values()) + " |", "|" + "---|" * (3 + len(WHO))]
    for name, stops, cold, notes, what, meaning, code in rows:
        meaning = re.sub(r'"\s*"', "", meaning)  # texts that C joins
        who = [state(letter, stops, cold, notes) for letter in WHO]
        out.append(f"| `{name}` | **{what}.** {meaning} | {remedy_of(code)} | {' | '.join(who)} |")
    return HEAD + "\n".join(out) + "\n"


def main():
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{PAGE} is not current: run scripts/gen_findings.py" if current != page() else 0)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
