#!/usr/bin/env python3
"""check_size.py [ROOT]: how large jitwarm may be. Lines of C of each room, of the tests, of the pages; verbs and options. A number in this table
only falls: what one room needs more, another gives in the same change. They rose once, by the 334 lines of tables (*.def), which are C and were
counted nowhere. It is a brake on scope, never on a comment, a name or a short line: so lines that are too wide are counted, too. Prints what
each has and may have; exit 1 when one has more."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)

ROOMS = {
    "include": 457, "base": 2_574, "os": 6_180, "facts": 1_450, "formats": 3_387, "machine": 2_285, "driver": 5_521, "cache": 3_944,
    "memory session": 1_849, "software": 3_569, "prime": 4_653, "pack": 4_804, "fleet": 1_943, "cause doctor": 2_171, "setup": 1_285,
    "cli": 1_975, "verbs": 3_777, "phantom": 3_869,
}
# Beside their rooms, and in the sum. Windows' wire is there because companies set proxies by scripts, which WinHTTP runs and libcurl does
# not know (src/fleet/README.md): a second implementation of a door that fleet has, which no system but Windows builds.
BESIDE = {"fleet's wire of Windows": ("src/fleet/remote/wire_windows.c", 279)}
VERB_LINES = 600   # of one file of verbs/
OPTIONS, OPTIONS_OF_PRIME = 38, 9   # rows; of prime all that it takes, but yes, gpu, cache and json, as many verbs do; the goal is 12
VERBS = 16         # help and version among them; hidden ones apart
PAGES, PAGE_LINES, README_LINES, JSON_LINES = 13, 1_388, 72, 80
SUM = 52_103       # of all rooms but phantom, of which each may have more where another has less; the goal is 57,750
WIDE, WIDE_FROM = 123, 131   # lines of src and include that are no longer read in two columns of a screen
TESTS = 50_399     # the goal is 60,000; and never more than the sources


def lines(*files):
    return sum(len(file.read_bytes().splitlines()) for file in files)


def c_files(folder):
    return [file for file in folder.rglob("*") if file.suffix in (".c", ".h", ".def")]


def options(text):
    """Rows of option tables: { "name", 'n', OPT_KIND, and the shared rows, which count once, in cli/."""
    return len(re.findall(r'\{\s*"[\w-]+",\s*(?:0|\'.\'),\s*OPT_', text))


def measured():
    """(what, has, may have) of each."""
    total = 0
    beside = [ROOT / file for file, _ in BESIDE.values()]
    for rooms, most in ROOMS.items():
        folders = [ROOT / "include" if name == "include" else ROOT / "src" / name for name in rooms.split()]
        has = lines(*(file for folder in folders for file in c_files(folder) if file not in beside))
        total += has if rooms != "phantom" else 0
        yield rooms.replace(" ", " and "), has, most
    for what, (file, most) in BESIDE.items():
        total += lines(ROOT / file)
        yield what, lines(ROOT / file), most
    yield "all rooms but phantom", total, SUM
    verbs = sorted((ROOT / "src" / "verbs").glob("*.c"))
    longest = max(verbs, key=lambda file: lines(file), default=None)
    if longest:
        yield f"longest verb, {longest.name}", lines(longest), VERB_LINES
    yield "options", sum(options(file.read_text(encoding="utf-8")) for file in [*verbs, *(ROOT / "src" / "cli").glob("*.c")]), OPTIONS
    prime = ROOT / "src" / "verbs" / "prime.c"
    if prime.exists():
        order = re.search(r"\.order =\s+([^,]*),", prime.read_text(encoding="utf-8"))[1].replace('"', "").split()
        yield "options of prime", len(set(order) - {"JW_OF_ALL", "yes", "gpu", "cache", "json"}), OPTIONS_OF_PRIME
    named = re.findall(r"^[GV]\((?:\"[^\"]*\", )?(\w+)\)", (ROOT / "src/cli/verbs.def").read_text(encoding="utf-8"), re.M)
    yield "verbs", sum(1 for name in named if not name.startswith(("worker", "installer"))), VERBS
    pages = sorted((ROOT / "docs").rglob("*.md"))
    yield "pages", len(pages), PAGES
    yield "lines of pages", lines(*pages), PAGE_LINES
    yield "README.md", lines(ROOT / "README.md"), README_LINES
    yield "docs/json.md", lines(ROOT / "docs/json.md"), JSON_LINES
    every = [*c_files(ROOT / "src"), *c_files(ROOT / "include")]
    yield "lines of C that are too wide", sum(len(row) >= WIDE_FROM for file in every for row in file.read_text(encoding="utf-8").splitlines()), WIDE
    sources = lines(*every)
    tests = lines(*(file for file in (ROOT / "tests").rglob("*") if file.suffix in (".c", ".h", ".py", ".sh", ".t")))
    yield "tests", tests, min(TESTS, sources)


over = 0
for what, has, most in measured():
    print(f"{what:32} {has:7,} of {most:7,}{'  TOO MANY' if has > most else ''}")
    over += has > most
sys.exit(1 if over else 0)
