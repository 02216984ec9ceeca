#!/usr/bin/env python3
"""gen_findings.py [--check]: makes docs/findings.md of the table of causes, src/cause/causes.def; --check: ends with 1 if it is not current."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE, CLASSES, PAGE = ROOT / "src/cause/causes.def", ROOT / "src/cause/classes.def", ROOT / "docs/findings.md"
ROW = re.compile(r'^CAUSE\(\w+, "([\w-]+)", (\w+), \w+,\s.*?\n      "(.*?)",\n      "(.*?)",(.*?)\)$', re.S | re.M)
CLASS = re.compile(r'^CLASS\((\w+), ([\w, ]+),\n      "(.*?)"\)$', re.M)
EFFECTS = {"STOPS": "stops", "STOPS_COLD": "cold", "NOTED": "note", "IGNORED": ""}
HEAD = """# Causes

Why a CUDA program compiles at its start, or does not run. `jitwarm doctor` asks for these causes in this order. Its answer is the first one
that holds and stops doctor, with the value that it saw and one remedy (`jitwarm doctor --json`: `cause.id`). If the column *remedy* is empty, the remedy
depends on what doctor saw.

The other verbs ask the same table. Each cause is of a class, which says what a verb does when it holds. *stops*: it names the cause, and goes
no further. *cold*: the same while a module is not known to be in the cache, or what was primed is not known; else as with *note*. *note*: it
answers, as far as the driver uses the cache at all, and names the first cause that also stops doctor if the answer is not warm, else each in a
note. Nothing: it does not ask. The column *status* is also about `verify` and `prime --check`, the last two are about `verify --run`: *command* where the
command chooses its cache itself. The page is made of `src/cause/causes.def` and `classes.def` by `scripts/gen_findings.py`.

%s

"""
REMEDY = re.compile(r'(?:unset|RUN|AGAIN|RUN_IN|RUN_MORE|say)\((?:[^"()]*)((?:"[^"]*"(?:, )?)+)')


def word(name):
    return name.lower().replace("_", "-")


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
    words = ["unset", *words] if code.lstrip().startswith("unset") else [*words, "PATH"] if words[-1] in ("--cache", "forget") else words
    return f"`{' '.join(words)}`"


def page():
    text = re.sub(r'"\n +"', "", TABLE.read_text(encoding="utf-8"))  # a text on two lines
    rows = ROW.findall(text)
    other = [name for name in re.findall(r'^CAUSE\(\w+, "([\w-]+)"', text, re.M) if name not in {row[0] for row in rows}]
    if other:
        sys.exit(f"{TABLE}: the row {other[0]} is not laid out as the others, with its text on a line of its own")
    classes = ["| class | prime | status | doctor | start | command | what it is |", "|" + "---|" * 7]
    for name, effects, meaning in CLASS.findall(CLASSES.read_text(encoding="utf-8")):
        classes.append(f"| {word(name)} | {' | '.join(EFFECTS[effect] for effect in effects.split(', '))} | {meaning} |")
    out = ["| id | class | what it says | remedy |", "|" + "---|" * 4]
    for name, of, what, meaning, code in rows:
        meaning = re.sub(r'"\s*"', "", meaning)  # texts that C joins
        out.append(f"| `{name}` | {word(of)} | **{what}.** {meaning} | {remedy_of(code)} |")
    return HEAD % "\n".join(classes) + "\n".join(out) + "\n"


def main():
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{PAGE} is not current: run scripts/gen_findings.py" if current != page() else 0)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
