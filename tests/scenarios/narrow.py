#!/usr/bin/env python3
"""narrow.py --tool TOOL --sim FOLDER --gen FOLDER: what every verb prints fits a terminal of 60 columns.

On made machines of states/, with a package of a long name. A line may be longer where it is one word that cannot be broken (a path), and where it is
copied: a command under "Do", "To do" and "Use it", or an example of the help.
"""
import argparse
import re
import shutil
import sys
import unicodedata

from disk import folder_on_disk
from states import STATES
from states.machine import State

COLUMNS = 60
MACHINES = ("warm", "never-primed", "limit-too-small", "login-ends", "disabled", "refused", "another-gpu", "a-command-recorded")
VERBS = ("", "status", "status -v", "prime --check", "prime --dry-run", "verify", "verify -v", "doctor", "doctor -v", "scan", "scan -v", "list", "env", "env apply --dry-run", "key",
         "startup", "prune", "prune --gone", "uninstall --dry-run", "version -v")
HELP = ("prime", "verify", "run", "scan", "doctor", "status", "report", "export", "import", "push", "pull", "key", "list", "startup", "env", "prune", "uninstall", "help", "completions",
        "version", "exit-codes", "environment", "files", "cache", "login", "jitwarm.conf")
COMMAND = re.compile(r"(sudo |export |unset |env |[A-Z_]+=\S* )*(jitwarm|sed|chmod|mv|timeout|du|export|unset|[A-Z_]+=\S+) ?\S")
LABEL = re.compile(r"^ *((Cache|Store|State|Seen|Do|To do|So|Note|Pack|Command)(  +|$)|(not )?searched +|# )?")


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def too_wide(text):
    for line in text.splitlines():
        body = LABEL.sub("", line).strip()
        if width(line) > COLUMNS and " " in body and not COMMAND.match(body) and not body.startswith("ssh "):
            yield line


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    o = p.parse_args()
    bad = []
    with folder_on_disk("jitwarm-state-") as folder:
        for number, name in enumerate(MACHINES):
            m = State(o, folder / str(number))
            m.env["COLUMNS"] = str(COLUMNS)
            long = m.app.parent / "a_package_with_quite_a_long_name_of_its_own"
            shutil.copytree(m.app, long)
            (long / "libapp.so").rename(long / "liba_library_with_a_long_name_of_its_own.so")
            STATES[name].make(m)
            m.own_but_rights()
            asked = [*VERBS, *(f"help {verb}" for verb in HELP), *(f"{verb} -h" for verb in HELP[:20])] if not number else VERBS
            for verb in asked:
                bad += [f"{name}: jitwarm {verb}: {width(line)} columns: {line}" for line in too_wide(m.run(f"jitwarm {verb}").stdout)]
    print("\n".join(bad) or f"{len(MACHINES)} machines")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
