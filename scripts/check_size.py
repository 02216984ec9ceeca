#!/usr/bin/env python3
"""check_size.py [ROOT]: how large jitwarm may be.

Lines of C, of each room and of the tests have fixed ceilings, with room between them and what is
there: a fix of two lines is never refused for two lines. Nobody lowers a ceiling. A room may pass
its number by a tenth while the sum holds. What only falls is choice: verbs, options, causes, pages.
scripts/check_density.py holds how much a reader has to keep in mind at once.

Prints what each has and may have. Exit 1 when one has more."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) >
                    1 else pathlib.Path(__file__).resolve().parent.parent)

ROOMS = {
    "include": 500,
    "base": 2_700,
    "os": 6_500,
    "facts": 1_600,
    "formats": 3_800,
    "machine": 2_500,
    "driver": 5_900,
    "cache": 4_500,
    "memory session": 2_050,
    "software": 4_000,
    "prime": 5_200,
    "pack": 5_300,
    "fleet": 2_100,
    "cause doctor": 2_800,
    "setup": 1_400,
    "cli": 2_300,
    "verbs": 4_600,
    "phantom": 4_100,
}
SUM = 57_750       # of all rooms but phantom and Windows' wire
TESTS = 60_000     # and never more than the sources
# Beside their rooms, and not in the sum. Windows' wire is there because companies set proxies by
# scripts, which WinHTTP runs and libcurl does not know (src/fleet/README.md): a second
# implementation of a door that fleet has, which no system but Windows builds.
BESIDE = {"fleet's wire of Windows": ("src/fleet/remote/wire_windows.c", 300)}

VERB_LINES = 600   # of one file of verbs/
VERBS = 15         # help and version among them; hidden ones apart
OPTIONS = 36       # rows of all tables
OPTIONS_OF_PRIME = 8   # all that it takes, but yes, gpu, cache and json, as many verbs do
CAUSES = 35        # rows of causes.def
PAGES, PAGE_LINES, README_LINES, JSON_LINES = 13, 1_250, 72, 220


def lines(*files):
    return sum(len(file.read_bytes().splitlines()) for file in files)


def c_files(folder):
    return [file for file in folder.rglob("*") if file.suffix in (".c", ".h", ".def")]


def options(text):
    """Rows of option tables: { "name", 'n', OPT_KIND, and the shared rows, which count once, in
    cli/."""
    return len(re.findall(r'\{\s*"[\w-]+",\s*(?:0|\'.\'),\s*OPT_', text))


def measured():
    """(what, has, may have) of each."""
    total = 0
    beside = [ROOT / file for file, _ in BESIDE.values()]
    for rooms, most in ROOMS.items():
        folders = [
            ROOT / "include" if name == "include" else ROOT / "src" / name
            for name in rooms.split()
        ]
        has = lines(*(file for folder in folders for file in c_files(folder) if file not in beside))
        total += has if rooms != "phantom" else 0
        yield rooms.replace(" ", " and "), has, most + most // 10
    for what, (file, most) in BESIDE.items():
        yield what, lines(ROOT / file), most
    yield "all rooms but phantom", total, SUM
    verbs = sorted((ROOT / "src" / "verbs").glob("*.c"))
    longest = max(verbs, key=lambda file: lines(file), default=None)
    if longest:
        yield f"longest verb, {longest.name}", lines(longest), VERB_LINES + VERB_LINES // 10
    yield "options", sum(
        options(file.read_text(encoding="utf-8"))
        for file in [*verbs, *(ROOT / "src" / "cli").glob("*.c")]), OPTIONS
    prime = ROOT / "src" / "verbs" / "prime.c"
    if prime.exists():
        order = re.search(r"\.order =\s+([^,]*),",
                          prime.read_text(encoding="utf-8"))[1].replace('"', "").split()
        yield "options of prime", len(
            set(order) - {"JW_OF_ALL", "yes", "gpu", "cache", "json"}), OPTIONS_OF_PRIME
    named = re.findall(r"^[GV]\((?:\"[^\"]*\", )?(\w+)\)",
                       (ROOT / "src/cli/verbs.def").read_text(encoding="utf-8"), re.M)
    yield "verbs", sum(1 for name in named if not name.startswith(("worker", "installer"))), VERBS
    # The list of changes is no page to learn from: it grows with each version.
    pages = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name != "CHANGELOG.md")
    yield "pages", len(pages), PAGES
    of_users = [page for page in pages if page.parent.name == "docs"]
    yield "lines of users' pages", lines(*of_users), PAGE_LINES
    yield "README.md", lines(ROOT / "README.md"), README_LINES
    yield "docs/json.md", lines(ROOT / "docs/json.md"), JSON_LINES
    yield "causes", len(
        re.findall(r"^CAUSE\(", (ROOT / "src/cause/causes.def").read_text(encoding="utf-8"),
                   re.M)), CAUSES
    sources = lines(*c_files(ROOT / "src"), *c_files(ROOT / "include"))
    tests = lines(*(file for file in (ROOT / "tests").rglob("*")
                    if file.suffix in (".c", ".h", ".py", ".sh", ".t")))
    yield "tests", tests, min(TESTS, sources)


over = 0
for what, has, most in measured():
    print(f"{what:32} {has:7,} of {most:7,}{'  TOO MANY' if has > most else ''}")
    over += has > most
sys.exit(1 if over else 0)
