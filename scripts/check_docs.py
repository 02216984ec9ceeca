#!/usr/bin/env python3
"""check_docs.py [FOLDER]: every link of the documentation leads to a file that is installed with
it, and to a heading (with FOLDER, where README.md and docs were installed, this alone),
docs/README.md has every page, the figure of the README is that of its data, every environment
variable that the code reads is in the manual, no retired word is used, and the commands that
messages, remedies and pages name have options of their verbs."""
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]*)(?:#([^)]*))?\)")


# Variables of the system, no settings of jitwarm.
SYSTEMS = {
    "APPDATA", "LOCALAPPDATA", "HOME", "LANG", "SHELL", "USER", "ZDOTDIR", "XDG_RUNTIME_DIR",
    "SUDO_USER", "PKEXEC_UID", "CUDA_VERSION", "CUDA_MPS_PIPE_DIRECTORY", "PATH", "TERM", "PATHEXT",
    "LD_LIBRARY_PATH", "NVIDIA_DRIVER_CAPABILITIES", "REGISTRY_AUTH_FILE", "DOCKER_CONFIG",
    "JITWARM_SYSROOT", "JITWARM_WORK"
}


def variables():
    """Every environment variable that the code reads is in the manual; and no retired word is
    used."""
    manual = (ROOT / "scripts" / "gen_pages.py").read_text(encoding="utf-8")
    for source in sorted((ROOT / "src").rglob("*.c")):
        for name in re.findall(r'jw_env\([^"();]*"([A-Z][A-Z0-9_]*)"\)',
                               source.read_text(encoding="utf-8")):
            if name not in SYSTEMS and not re.search(rf"\b{name}\b", manual):
                yield (f"{source.relative_to(ROOT)}: the manual does not have the variable {name} "
                       f"(VARIABLES of gen_pages.py)")


# Words that a reader would not search for.
RETIRED = re.compile(
    r"\b(whoever|needs not be said|is lacking|--yes lacks|is there sense in|foretold|ours|theirs|"
    r"to see that|diary|manners|of no use)\b",
    re.IGNORECASE)
# Of C, what is no message: comments, characters; and strings, which may be in pieces.
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\])+\'|((?:"(?:\\.|[^"\\])*"\s*)+)',
                   re.DOTALL)


def retired():
    """Words that are no longer used in messages, help and pages."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if found := RETIRED.search(re.sub(r"`[^`]*`", "", line)):
                yield f"{page.relative_to(ROOT)}:{number}: a retired word: {found.group()}"
    for source in sorted((ROOT / "src").rglob("*.[ch]")):
        for string in (re.sub(r'"\s*"', "", pieces)
                       for pieces in TOKEN.findall(source.read_text(encoding="utf-8"))):
            if found := RETIRED.search(string):
                yield f"{source.relative_to(ROOT)}: a retired word in a message: {found.group()}"


def options():
    """The options that each verb takes, by the table of its file."""
    taken = {}
    for source in sorted((ROOT / "src" / "verbs").glob("*.c")):
        for verb in re.findall(r"const struct cmd jw_cmd_\w+ = \{.*?\n\};",
                               source.read_text(encoding="utf-8"), re.DOTALL):
            name = re.search(r'\.name = "(\w+)"', verb)
            order = re.search(r'\.order = ((?:"[^"]*"|JW_OF_ALL|\s)+)', verb)
            words = " ".join(re.findall(r'"([^"]*)"', order.group(1))) if order else ""
            if name:
                taken[name.group(1)] = {*words.split(), "quiet", "verbose", "help"}
    return taken


def lines_to_type():
    """Each command of jitwarm in messages and pages: where it is, its verb, and its words."""
    line = re.compile(r"jitwarm ([a-z]+)((?: (?!jitwarm)[^\s;:()|&,]+)*)")
    word = re.compile(r'"([^"]*)"')
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for found in line.findall(page.read_text(encoding="utf-8")):
            yield page, found[0], found[1].split()
    for source in sorted((ROOT / "src").rglob("*.[cd]*")):
        text = source.read_text(encoding="utf-8")
        for string in (re.sub(r'"\s*"', "", pieces) for pieces in TOKEN.findall(text)):
            for found in line.findall(string):
                yield source, found[0], found[1].split()
        for listed in re.findall(r'"jitwarm",\s*([^;]*?)\)', text):
            words = word.findall(listed)
            yield source, words[0] if words else "", words[1:]
        for verb, rest in re.findall(r'\b(?:RUN_IN|again)\(f, [^"\n]*"(\w+)"([^;]*?)\)', text):
            yield source, verb, ["--cache", *word.findall(rest)]


def commands():
    """A command that a message, a remedy or a page names has options that its verb takes."""
    taken = options()
    for source, verb, words in lines_to_type():
        if verb == "run":  # behind its first word stand another program's
            words = list(itertools.takewhile(lambda word: word.startswith("-"), words))
        if "--run" in words:
            words = words[:words.index("--run") + 1]
        for text in words if verb in taken else ():
            named = re.match(r"--([a-z][a-z-]+)", text)
            if named and named.group(1) not in taken[verb]:
                yield (f"{source.relative_to(ROOT)}: jitwarm {verb} does not take "
                       f"--{named.group(1)}")


def headings(page):
    """The anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(root):
    installed = {root / "README.md", root / "LICENSE", root / "docs", *(root / "docs").rglob("*")}
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
            file = (page.parent / target).resolve() if target else page
            if "://" in target:
                continue
            if file not in installed or not file.exists():
                yield (f"{page.relative_to(root)}: the link {target} leads nowhere, or to what is "
                       f"not installed with the pages")
            elif anchor and anchor not in headings(file):
                yield f"{page.relative_to(root)}: {file.name} has no heading #{anchor}"


def problems():
    pages = sorted((ROOT / "docs").rglob("*.md"))
    yield from dead_links(ROOT)
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in pages:
        name = page.relative_to(ROOT / "docs")
        if page.name != "README.md" and f"({name})" not in index:
            yield f"docs/README.md: {name} is not in it"
    yield from variables()
    yield from retired()
    yield from commands()
    if subprocess.run([sys.executable, ROOT / "scripts" / "first-start-figure", "--check"],
                      check=False).returncode:
        yield "docs/first-start.svg is not what its data say"


found = list(dead_links(pathlib.Path(sys.argv[1]).resolve()) if sys.argv[1:] else problems())
print("\n".join(found) or "the documentation holds together")
sys.exit(1 if found else 0)
