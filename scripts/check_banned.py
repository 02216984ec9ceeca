#!/usr/bin/env python3
"""check_banned.py [ROOT]: calls that src/ does without, the operating system outside of its layers,
calls of Linux that the C library of a release has no number for, declarations that
a long comment behind them has torn in two, a To do that the JSON lacks, and paths of a developer's
own machine in any file. One line for each offence, exit 1."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) >
                    1 else pathlib.Path(__file__).resolve().parent.parent)

# What to use instead stands beside each, because the reader of this message needs it.
NEVER = {
    "strcpy": "a capped buffer",
    "strcat": "a capped buffer",
    "sprintf": "snprintf or a capped buffer",
    "vsprintf": "vsnprintf",
    "gets": "the readers of os/files/file",
    "strtok": "the spans of base/text",
    "atoi": "a parser that can refuse",
    "atol": "a parser that can refuse",
    "atof": "a parser that can refuse",
    "qsort": "jw_sort",
    "bsearch": "jw_search",
    "system": "os/process/process",
    "popen": "os/process/process",
    "alloca": "the arena",
}
ONLY_IN_OS = {"getenv": "os/machine/env", "fopen": "os/files/file", "open": "os/files/file"}
WRAPPED = {"qsort": "src/base/sort.c", "bsearch": "src/base/sort.c"}  # the only file that calls it
# phantom is no part of the program: it stands in front of these very functions.
MAY_CALL_THE_SYSTEM = {"os", "phantom"}
MAY_KNOW_WINDOWS = {"os"}

# Younger than the C library of Debian 11, which scripts/release builds against; their numbers are
# the same on all processors.
YOUNG = re.compile(
    r"\bSYS_(openat2|pidfd_getfd|faccessat2|close_range|process_\w+|epoll_pwait2|mount_setattr|"
    r"landlock_\w+|memfd_secret|futex_wait\w*|cachestat|fchmodat2)\b"
)
NUMBERED = re.compile(r"^#ifndef (SYS_\w+)", re.M)

CALL = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join([*NEVER, *ONLY_IN_OS]))
WINDOWS = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*\b_WIN(32|64)\b")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'", re.S)
TORN = re.compile(
    r"^ *(?:const|struct|enum|unsigned|bool|char|u?int\d+_t|size_t)\b[\w *]*\n +\**\w+(?:\[[^]\n"
    r"]*\])?; */\*"
    r"|^[a-z][\w *]*\(\n[^;{}\n]*\); */\*", re.M)
PRIVATE_PATH = re.compile(r"(?<![\w.$}-])/" + r"work/|\." + r"library/")


def code_of(file):
    """The file's lines without comments and texts, so that prose may say what code may not."""
    text = file.read_text(encoding="utf-8")
    return NOT_CODE.sub(lambda hit: re.sub(r"[^\n]", " ", hit.group()), text).split("\n")


def banned_in(file):
    where = file.relative_to(ROOT)
    layer = where.parts[1]
    for number, line in enumerate(code_of(file), 1):
        for name in CALL.findall(line):
            if WRAPPED.get(name) == where.as_posix():
                continue
            if name in NEVER:
                yield f"{where}:{number}: {name}() is banned; use {NEVER[name]}"
            elif layer not in MAY_CALL_THE_SYSTEM:
                yield f"{where}:{number}: {name}() belongs to src/os; use {ONLY_IN_OS[name]}"
        if WINDOWS.match(line) and layer not in MAY_KNOW_WINDOWS:
            yield (f"{where}:{number}: only src/{', src/'.join(sorted(MAY_KNOW_WINDOWS))} may ask "
                   f"for _WIN32")


def unreadable_in(file):
    """Declarations that clang-format broke for a comment behind them."""
    where, text = file.relative_to(ROOT), file.read_text(encoding="utf-8")
    for hit in TORN.finditer(text):
        yield (f"{where}:{text.count(chr(10), 0, hit.start()) + 1}: put the comment above the "
               f"declaration, which it tears")


def unnumbered(files):
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    known = {name for text in texts.values() for name in NUMBERED.findall(text)}
    for file, text in texts.items():
        for name in sorted({hit.group() for hit in YOUNG.finditer(text)} - known):
            yield (f"{file.relative_to(ROOT)}: {name} has no number in older C libraries; #ifndef "
                   f"{name} and #define it, or a release does not build")


def text_alone(file):
    """A To do that only people see: the report call makes it, with the JSON's."""
    if file.stem != "report" and re.search(r'"(To do|On host|As admin)"',
                                           file.read_text(encoding="utf-8")):
        yield (f"{file.relative_to(ROOT)}: what is to be done is said by rep_todo, so that "
               f"\"todo\" of the JSON has it")


def project_files():
    """Tracked files and those that could become so; all but build/ where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
                                check=True, capture_output=True).stdout
        return [ROOT / name for name in listed.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        skip = {ROOT / "build", ROOT / ".git"}
        return [file for file in ROOT.rglob("*") if file.is_file() and not skip & set(file.parents)]


def private_paths(file):
    try:
        content = file.read_bytes()
    except OSError:
        return
    if b"\0" in content[:8192]:
        return
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        if PRIVATE_PATH.search(line):
            yield f"{file.relative_to(ROOT)}:{number}: names a path of one developer's machine"


if __name__ == "__main__":
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    found = [hit for file in sources for hit in banned_in(file)] + list(unnumbered(sources))
    found += [
        hit for file in [*sources, *sorted((ROOT / "include").rglob("*.h"))]
        for hit in unreadable_in(file)
    ]
    found += [hit for file in sources for hit in text_alone(file)]
    found += [hit for file in project_files() for hit in private_paths(file)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
