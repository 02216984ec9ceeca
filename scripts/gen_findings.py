#!/usr/bin/env python3
"""gen_findings.py [--check]: makes docs/dev/findings.md of the table of causes, causes.def, and
of the remedies of help.c that are one and the same for a cause; --check: ends with 1 if it is not
current."""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/cause/causes.def"
HELP = ROOT / "src/cause/help.c"
CLASSES = ROOT / "src/cause/classes.def"
PAGE = ROOT / "docs/dev/findings.md"
ROW = re.compile(
    r'^CAUSE\(\w+, "([\w-]+)", (BY\(.*?\)|[^,]*), \w+,\s.*?'
    r'\n      "(.*?)",\n      "(.*?)",\s*(\w+)\)$', re.S | re.M)
ONE_REMEDY = re.compile(r'^void (help_\w+)\([^)]*\)\s\{\s+(?:\(void\)f;\n +)?(.*;)\s\}$', re.M)
CLASS = re.compile(r'^CLASS\((\w+), (\w+), (\w+), (\w+), \w+,\s+"(.*?)"\)$', re.M)
STOPS = {"ALL": "all", "PRIME": "prime", "COLD": "prime, while something is cold", "NONE": ""}
EXPLAINS = {
    "ANY": "any", "GOOD": "any; good ones stay so", "BAD": "all but good ones", "COLD": "cold ones",
    "NONE": ""
}
NOTED = {"ALL": "all", "LOOKS": "all but prime", "CHANGES": "doctor, and a prime that compiled"}
HEAD = """# Causes

These are the reasons why a CUDA program compiles at its start, or does not run. A verb names
the first that explains its answer, with the value that it saw and one remedy. Where no remedy is
listed here, it depends on that value. In JSON the name is `cause.id`.

The name of its class stands behind it; where there are several, what was seen decides:

* *stops*: the verbs that cannot go on.
* *explains*: the answers that it explains. *Cold ones* lack a module, or what was primed is not known.
  *Any* includes a good answer, which the cause undoes.
* *noted*: the verbs that mention it beside the answer. Only doctor asks a login shell, and
  `doctor --run` says the cause alone.

The cause is the first sentence where it stopped the run, where *doctor* asks, or where it undoes a
good answer, unless the answer says it itself. Else it is a line below the answer.
`scripts/gen_findings.py` makes this page.

%s

"""
REMEDY = re.compile(r'(?:unset|RUN|again|say)\((?:[^"()]*)((?:"[^"]*"(?:, )?)+)')


def word(name):
    return name.lower().replace("_", "-")


def words_of(classes):
    """Of the classes of a row; the facts decide which it is."""
    return " or ".join(
        word(name) for name in re.findall(r"\b[A-Z][A-Z_]+\b", classes) if name != "BY")


def remedy_of(code):
    """Of a function that has it in words; others choose it by what was seen."""
    found = REMEDY.search(code)
    if "unset(r, f->" in code:
        return "`unset` the variable"
    if not found or "?" in code or "%" in code:
        return ""
    words = re.findall(r'"([^"]*)"', found[1])
    if code.lstrip().startswith("say"):
        return words[0]
    first = {"unset": ["unset"], "again": ["jitwarm"]}.get(code.lstrip().split("(")[0], [])
    words = [*first, *words, *(["PATH"] if words[-1] == "--cache" else [])]
    return f"`{' '.join(words)}`"


def page():
    text = re.sub(r'"\n +"', "", TABLE.read_text(encoding="utf-8"))  # a text on two lines
    rows = ROW.findall(text)
    known = {row[0] for row in rows}
    named = re.findall(r'^CAUSE\(\w+, "([\w-]+)"', text, re.M)
    other = [name for name in named if name not in known]
    if other:
        sys.exit(
            f"{TABLE}: the row {other[0]} is not laid out as the others, with its text on a line "
            f"of its own"
        )
    classes = ["| class | stops | explains | noted | what it is |", "|" + "---|" * 5]
    for name, stops, explains, noted, meaning in CLASS.findall(CLASSES.read_text(encoding="utf-8")):
        classes.append(
            f"| {word(name)} | {STOPS[stops]} | {EXPLAINS[explains]} | {NOTED[noted]} | {meaning} |"
        )
    remedies = dict(ONE_REMEDY.findall(HELP.read_text(encoding="utf-8")))
    causes = []
    for name, of, what, meaning, function in rows:
        meaning = re.sub(r'"\s*"', "", meaning)  # texts that C joins
        remedy = remedy_of(remedies.get(function, ""))
        text = f"* `{name}` ({words_of(of)}): **{what}.** {meaning}"
        if remedy:
            text += f" *Remedy:* {remedy}"
        causes.append(
            textwrap.fill(text, 120, subsequent_indent="  ", break_long_words=False,
                          break_on_hyphens=False))
    return HEAD % "\n".join(classes) + "\n".join(causes) + "\n"


def main():
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"{PAGE} is not current: run scripts/gen_findings.py" if current != page() else 0)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
