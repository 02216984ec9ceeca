#!/usr/bin/env python3
"""check_facts.py [ROOT]: the beliefs about the driver. What code names by `driver-fact: F01-...` stands in
docs/driver-facts.md, each row is whole and points at files that exist, and says how sure it is: measured (driver, GPU,
date), or inferred (tag: from what). Each names questions that scripts/gpu-lab.sh asks, in an experiment that says what it
finds of this very row, or why none can settle it. One line for each offence, exit 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
PAGE = ROOT / "docs" / "driver-facts.md"
FOLDERS = ("src", "include", "tests", "ptx", "scripts")
ENDINGS = {".c", ".h", ".def", ".py", ".sh", ".ptx", ".txt", ""}

ID = re.compile(r"F\d\d+-[a-z0-9]+(-[a-z0-9]+)*")
NAMED = re.compile(r"driver-fact:[ \t]*([^\s.,;:)*/`]+(?:[ \t]*,[ \t]*F[^\s.,;:)*/`]+)*)")
MEASURED = re.compile(r"measured \(\d{3}[\d., to]*(, (?!sim)[a-zA-Z]\w*, | on the \w+, )\d{4}-\d\d-\d\d\b.*\)")
INFERRED = re.compile(r"inferred \((?=.*\b[VORNMI]\b).+\)")
EXPERIMENT = re.compile(r"none: .{8,}|E\d+[a-z]?(, E\d+[a-z]?)*")
SCRIPT = ROOT / "scripts" / "gpu-lab.sh"
LAB_SAYS = re.compile(r'"(F\d\d-[a-z0-9-]+)"')
COLUMNS = 5


def rows():
    """The number of the line and the cells, of each row whose first cell begins like an id."""
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").split("\n"), 1):
        if re.match(r"\|\s*F", line):
            yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def questions():
    """Question: the experiments that ask it."""
    text = SCRIPT.read_text(encoding="utf-8") if SCRIPT.is_file() else ""
    table = re.search(r"^asks\(\)\n{\n.*?<<'END'\n(.*?)^END$", text, re.M | re.S)
    found = {}
    for line in table[1].splitlines() if table else ():
        for question in line.split()[1:]:
            found.setdefault(question, []).append(line.split()[0])
    return found


def source_of(experiment):
    """Some files hold several: e4c is asked in e4.c."""
    folder = ROOT / "tests" / "gpu"
    file = next((f for f in (folder / f"{experiment}.c", folder / f"{experiment[:-1]}.c") if f.is_file()), None)
    return file.read_text(encoding="utf-8") if file else ""


def offences_of_experiment(here, slug, cell, asked):
    if not EXPERIMENT.fullmatch(cell):
        yield f"{here}: {slug}: '{cell}' is no experiment, and no reason why there is none ('none: why')"
        return
    if cell.startswith("none"):
        return
    wanted = cell.split(", ")
    yield from (f"{here}: {slug}: nothing asks {one} (scripts/gpu-lab.sh --list)" for one in wanted if one not in asked)
    sources = [source_of(name) for one in wanted for name in asked.get(one, ())]
    if sources and not any(f'"{slug}"' in text or f"{slug} " in text or f'{slug}"' in text for text in sources):
        yield f"{here}: {slug}: no experiment of {cell} says what it finds of it"


def offences_of_page(known):
    asked = questions()
    for number, cells in rows():
        here = f"docs/driver-facts.md:{number}"
        if len(cells) != COLUMNS or not all(cells):
            yield f"{here}: {len(cells)} cells, some of them empty; a row has {COLUMNS}"
            continue
        slug, _, files, experiment, sure = cells
        if not ID.fullmatch(slug):
            yield f"{here}: '{slug}' is no id; they are like F01-some-words"
        if slug in known or slug.split("-")[0] in {other.split("-")[0] for other in known}:
            yield f"{here}: {slug} stands there twice"
        known.add(slug)
        named = re.findall(r"`([^`]+)`", files)
        if not named and files != "later":
            yield f"{here}: {slug} names no file, and does not say 'later'"
        yield from (f"{here}: {slug} names {name}, which is not there" for name in named if not (ROOT / name).is_file())
        yield from offences_of_experiment(here, slug, experiment, asked)
        if sure.startswith("measured") and not MEASURED.fullmatch(sure):
            yield f"{here}: {slug} is measured, but by which driver, on which GPU or phantom (never simulated), on what date?"
        elif not sure.startswith("measured") and not INFERRED.fullmatch(sure):
            yield f"{here}: {slug} is neither measured (driver, GPU, date) nor inferred (tag: from what)"


def code_files():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix in ENDINGS and file.name != "check_facts.py" \
                    and "corpus" not in file.parts and "check_facts" not in file.parts:
                yield file


def offences_of_code(known):
    for file in code_files():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for slug in LAB_SAYS.findall(line) if file.parent.name == "gpu" and file.suffix == ".c" else ():
                if slug not in known:
                    yield f"{file.relative_to(ROOT)}:{number}: the lab finds {slug}, which docs/driver-facts.md does not list"
            for group in NAMED.findall(line):
                for slug in re.split(r"[ \t]*,[ \t]*", group):
                    if slug not in known:
                        yield f"{file.relative_to(ROOT)}:{number}: names {slug}, which docs/driver-facts.md does not list"


if __name__ == "__main__":
    known = set()
    found = list(offences_of_page(known))
    if not known:
        found.append("docs/driver-facts.md: there is no row in it")
    found += offences_of_code(known)
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
