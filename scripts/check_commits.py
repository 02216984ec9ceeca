#!/usr/bin/env python3
"""check_commits.py: the subject of a commit is `room: what changes`, in at most 72 columns.

The why belongs into the body. Older commits stay as they are: FIRST is the last of them. Where the
history does not reach back so far, as in a shallow clone, those that are there are asked.

Exit 1: a subject is longer, or names no room.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST = "b28eeb1250bf"
LONGEST = 72
SUBJECT = re.compile(r"[\w./*-]+(, [\w./*-]+)*: \S")


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return done.returncode == 0, done.stdout.splitlines()


def new_commits():
    """(abbreviated hash, subject) of each commit after FIRST."""
    known, _ = git("merge-base", "--is-ancestor", FIRST, "HEAD")
    since = [f"{FIRST}..HEAD"] if known else ["--max-count=1", "HEAD"]
    _, lines = git("log", "--no-merges", "--format=%h %s", *since)
    return [line.split(" ", 1) for line in lines]


def fault_of(subject):
    if len(subject) > LONGEST:
        return f"{len(subject)} columns of at most {LONGEST}"
    if not SUBJECT.match(subject):
        return "it does not begin with a room and a colon"
    return None


def main():
    commits = new_commits()
    faults = [(commit, subject, fault_of(subject)) for commit, subject in commits]
    faults = [row for row in faults if row[2]]
    for commit, subject, fault in faults:
        print(f"{commit}: {fault}: {subject}")
    print(f"{len(commits)} commits, {len(faults)} with a subject that is not `room: what changes`")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
