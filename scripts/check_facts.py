#!/usr/bin/env python3
"""check_facts.py [ROOT]: the beliefs about the driver. What code names by `driver-fact: F01-...` is
an item of docs/dev/driver-facts.md; each is whole, stands there once, and says how sure it is:
measured (driver, GPU or phantom, date), or inferred (tag: from what). The files that it names are
there, and the cases of tests/real name the item. One line for each offence, exit 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) >
                    1 else pathlib.Path(__file__).resolve().parent.parent)
PAGE = ROOT / "docs" / "dev" / "driver-facts.md"
ENDINGS = {".c", ".h", ".def", ".py", ".sh", ".ptx", ".txt", ""}
ITEM = re.compile(r"\* \*\*(\S+)\*\*: (.+) \*((?:measured|inferred) .*)\*")
ID = re.compile(r"F\d\d+-[a-z0-9]+(-[a-z0-9]+)*")
NAMED = re.compile(r"driver-fact:[ \t]*([^\s.,;:)*/`]+(?:[ \t]*,[ \t]*F[^\s.,;:)*/`]+)*)")
MEASURED = re.compile(
    r"measured \(\d{3}[\d., to]*(, (?!sim)[a-zA-Z]\w*, | on the \w+, )\d{4}-\d\d-\d\d\b.*\)")
CASES = re.compile(r"tests/real: ([a-z-]+(?:, [a-z-]+)*)")
INFERRED = re.compile(r"inferred \((?=.*\b[VORNMI]\b).+\)")


def real_tests():
    """Of each file of tests/real, and of each case there, the text."""
    texts = {}
    for file in (ROOT / "tests" / "real").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        for name in file.stem, *re.findall(r"^def (\w+)\(o\)", text, re.M):
            texts[name.replace("_", "-")] = texts.get(name.replace("_", "-"), "") + text
    return texts


def offences_of_row(slug, line, tests):
    for path in re.findall(r"\b(?:tests|scripts|src)/[\w./-]+\.\w+", line):
        if not (ROOT / path).exists():
            yield f"{slug} names {path}, which is not there"
    for name in (name for group in CASES.findall(line) for name in group.split(", ")):
        if not re.search(slug.split("-")[0] + r"\b", tests.get(name, "")):
            yield (f"{slug} names tests/real: {name}, which is not there, or does not name "
                   f"{slug.split('-')[0]}")


def items_of_page():
    """(number of its first line, its lines joined) of each belief."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("* **F")]
    for at in starts:
        end = at + 1
        while lines[end].startswith("  "):
            end += 1
        yield at + 1, " ".join(line.strip() for line in lines[at:end])


def offences_of_page(known):
    tests = real_tests()
    for number, text in items_of_page():
        here, item = f"docs/dev/driver-facts.md:{number}", ITEM.fullmatch(text)
        if not item:
            yield f"{here}: an item has an id, a belief, and in its last lines how sure it is"
            continue
        slug, _, sure = item.groups()
        if not ID.fullmatch(slug):
            yield f"{here}: '{slug}' is no id; they are like F01-some-words"
        if slug.split("-")[0] in {other.split("-")[0] for other in known}:
            yield f"{here}: {slug} stands there twice"
        known.add(slug)
        if not (MEASURED if sure.startswith("measured") else INFERRED).fullmatch(sure):
            yield (f"{here}: {slug} is neither measured (driver, GPU or phantom, never simulated; "
                   f"date) nor inferred (tag: from what)")
        yield from (f"{here}: {offence}" for offence in offences_of_row(slug, text, tests))


def offences_of_code(known):
    for folder in ("src", "include", "tests", "ptx", "scripts"):
        for file in sorted((ROOT / folder).rglob("*")):
            if not file.is_file() or file.suffix not in ENDINGS:
                continue
            if file.name == "check_facts.py" or "corpus" in file.parts:
                continue
            try:
                text = file.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            for number, line in enumerate(text.split("\n"), 1):
                for slug in (slug for group in NAMED.findall(line)
                             for slug in re.split(r"[ \t]*,[ \t]*", group)):
                    if slug not in known:
                        yield (f"{file.relative_to(ROOT)}:{number}: names {slug}, which docs/dev/"
                               f"driver-facts.md does not list")


known = set()
found = list(offences_of_page(known))
if not known:
    found.append("docs/dev/driver-facts.md: there is no belief in it")
found += offences_of_code(known)
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
