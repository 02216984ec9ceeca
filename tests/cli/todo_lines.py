#!/usr/bin/env python3
"""Every "To do" line of the transcripts and the docs is one command as a person pastes it: whole, in one line, with no remark behind it (zsh takes none), no
word to fill in, and in the syntax of each shell that is installed. What stands below it is another command, or a remark of its own. (Where a transcript joins lines, a
remark has one blank before it.)"""
import pathlib
import re
import shutil
import subprocess
import sys

import transcript

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TODO = re.compile(r"^(?:[* ] |    )?(To do:? +)(\S.*)$")
PLACEHOLDER = re.compile(r"(?<![\w$./=-])(?:COMMAND|PATH|DIR|IMAGE|REF|FILE|NAME|PROGRAM|FOLDER)(?![\w=/])|\.service\b.*NAME")
COMMANDS = ("jitwarm", "sudo", "export", "unset", "set", "docker", "podman", "kubectl", "pip", "python", "cmake", "mv", "mkdir", "du", "cd", "move", "shutdown")
AT_LEAST = 60


def pages():
    yield from sorted(HERE.glob("*.t"))
    yield ROOT / "tests/unit/cli/prime_text.golden"
    yield from (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def todos(page):
    """(number, command, is it for Windows?)"""
    lines, windows = transcript.printed(page).split("\n"), False
    for at, line in enumerate(lines):
        windows = line == "on windows:" or windows and not line.startswith("=== ")
        found = TODO.match(line)
        if line.startswith(("$ ", "> ")) or not found:
            continue
        yield at + 1, found[2], windows
        for more in range(at + 1, len(lines)):
            rest = lines[more]
            if not rest[:found.end(1)].strip() in ("", "*") or not rest[found.end(1):].strip():
                break
            yield more + 1, rest[found.end(1):], windows


def wrong(command, windows, shells):
    if re.search(r"   # ", re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
        return "a remark behind a command"
    if PLACEHOLDER.search(re.sub(r"'[^']*'", "", command)):
        return "a word to fill in"
    if command.split()[0].split("/")[-1].rstrip("0123456789") not in COMMANDS and "*" not in command:
        return "no command: a part of a line, or a sentence"
    if windows or "*" in command or "..." in command:
        return None
    for shell in shells:
        done = subprocess.run([shell, "-n", "-c", command.replace("{SCRATCH}", "/s")], capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            return f"{shell}: {done.stderr.strip()}"
    return None


def main():
    shells = [s for s in ("sh", "bash", "zsh", "fish") if shutil.which(s)]
    seen, bad, parsed = 0, 0, {}
    for page in pages():
        for number, line, windows in todos(page):
            if line.startswith("# "):
                continue
            seen += 1
            if (line, windows) not in parsed:
                parsed[line, windows] = wrong(line, windows, shells)
            if why := parsed[line, windows]:
                print(f"{page.relative_to(ROOT)}:{number}: {why}: {line}")
                bad += 1
    for line in "jitwarm status   # what the cache holds", "jitwarm prime --run COMMAND", "the same command with --yes", "jitwarm prime 'a":
        if not wrong(line, False, shells):
            sys.exit(f"not found to be wrong: {line}")
    if seen < AT_LEAST:
        sys.exit(f"only {seen} lines were found")
    print(f"{seen} lines, in {' '.join(shells)}")
    sys.exit(bad > 0)


main()
