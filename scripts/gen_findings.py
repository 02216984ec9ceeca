#!/usr/bin/env python3
"""gen_findings.py [--check]: makes docs/findings.md of the table of causes, src/cause/causes.def; --check: ends with 1 if it is not current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, PAGE = ROOT / "src/cause/causes.def", ROOT / "docs/findings.md"
ROW = re.compile(r'^CAUSE\(\w+, "([\w-]+)", \w+, ([\w |]+), ([\w |]+), ([\w |]+), ([\w |]+),\s.*?\n      "(.*?)",\n      "(.*?)",(.*?)\)$', re.S | re.M)
WHO = {"PRIME": "prime", "VERIFY": "verify", "LOOK": "status", "DOCTOR": "doctor", "START": "start"}
HEAD = """# Causes

Why a CUDA program compiles at its start, or does not run. `jitwarm doctor` asks for these causes in this order. Its answer is the first one
that holds, with the value that it saw and one remedy (`jitwarm doctor --json`: `cause.id`). If the column *remedy* is empty, the remedy
depends on what doctor saw.

The other verbs ask the same table. The last columns say what a verb does when a cause holds:

| word | what the verb does |
|---|---|
| stops | it shows the cause in place of its answer, and asks for no later cause |
| cold | the same, but only if a module is missing from the cache, or all that is remembered is for another cache |
| left | it does what it can, and names the cause if its answer is not warm after that; if it is, in a note |
| note | it answers, and names the cause in a note |
| | it does not ask for this cause |

The column *status* is also about `prime --check`, and *start* is about `verify --run`. If an answer of status or verify is not warm, and
no cause stops them, they name the first one that stops doctor.

This page is made of `src/cause/causes.def` by `scripts/gen_findings.py`.

"""
REMEDY = re.compile(r'(?:unset|RUN|AGAIN|RUN_IN|RUN_MORE|say)\((?:[^"()]*)((?:"[^"]*"(?:, )?)+)')


def state(asker, stops, cold, left, notes):
    for word, bits in ("stops", stops), ("cold", cold), ("left", left), ("note", notes):
        if bits == "ALL" or asker in bits.split(" | "):
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
    words = ["unset", *words] if code.lstrip().startswith("unset") else [*words, "PATH"] if words[-1] in ("--cache", "--forget") else words
    return f"`{' '.join(words)}`"


def page():
    text = re.sub(r'"\n +"', "", TABLE.read_text(encoding="utf-8"))  # a text on two lines
    rows = ROW.findall(text)
    other = [name for name in re.findall(r'^CAUSE\(\w+, "([\w-]+)"', text, re.M) if name not in {row[0] for row in rows}]
    if other:
        sys.exit(f"{TABLE}: the row {other[0]} is not laid out as the others, with its text on a line of its own")
    out = ["| id | what it says | remedy | " + " | ".join(WHO.values()) + " |", "|" + "---|" * (3 + len(WHO))]
    for name, stops, cold, left, notes, what, meaning, code in rows:
        meaning = re.sub(r'"\s*"', "", meaning)  # texts that C joins
        who = [state(asker, stops, cold, left, notes) for asker in WHO]
        out.append(f"| `{name}` | **{what}.** {meaning} | {remedy_of(code)} | {' | '.join(who)} |")
    return HEAD + "\n".join(out) + "\n"


def main():
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{PAGE} is not current: run scripts/gen_findings.py" if current != page() else 0)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
