#!/usr/bin/env python3
"""agree.py --tool TOOL --sim FOLDER --gen FOLDER state|each|show NAME | list

Every verb says the same of one machine, and what they say to do is done. Each state is a row of states/: a made machine (machines.py) on which
something was primed, and then one thing was changed. `status`, `prime --check`, `verify`, `doctor` and plain `jitwarm` are asked, and their
answers held against the rules (states/rules.py): those of any machine, and those that the row names.

Then the commands are followed as a person would follow them, those of status ("state") or of each verb ("each"): within five steps the machine
is warm and nobody asks for anything, or the row says that only a person can mend it, and no command that compiles stands there twice.
"""
import argparse
import itertools
import re
import sys

from disk import folder_on_disk
from states import STATES
from states.machine import Skip, State
from states.rules import commands

STEPS = 5


def followed(m, verb):
    """What a person does who reads one verb: (what was typed, whether it is warm then)."""
    typed, todo = [], m.ask(verb).todo
    for _ in range(STEPS):
        if m.ask("check").next_start == "warm":
            return typed, True
        command = (todo or m.ask(verb).todo or [None])[-1]
        if not command:
            break
        command = command.split("   #")[0]
        typed.append(command)
        done = m.run(command)
        text = done.stdout + done.stderr
        if done.returncode in (2, 126, 127):
            raise SystemExit(f"{typed}: ended with {done.returncode}: {text}")
        if re.match(r"jitwarm prime\b(?!.*--check)", command) and any(re.search("(HOME|CUDA_CACHE_PATH)=.*mktemp(?!.*jitwarm env apply)", c) for c in typed) and "of this shell alone" not in " ".join(text.split()):
            raise SystemExit(f"{typed}: another shell does not see it, and nobody says so: {text}")
        todo = commands(text)
    return typed, m.ask("check").next_start == "warm"


def what_verify_found_is_remembered(m):
    """status says the same after it, and names no other command for it."""
    passed = m.run("jitwarm verify").returncode == 0
    status = m.ask("status")
    if any(re.match("jitwarm verify(?! --run )", c) for c in status.todo):
        yield f"verify ran, and then status says {status.todo}"
    if passed and status.next_start != "warm":
        yield f"verify passed, and then status says {status.json.get('next_start_why')!r}"


def machines(o, row, scratch):
    """In the state of this row: the one that is asked, and then one for each way that is followed, of which it is the first where asking left it as it was."""
    for number in itertools.count():
        m = State(o, scratch / str(number))
        row.make(m)
        m.own_but_rights()
        yield m
        if not number and m.as_made:
            yield m


def judge(o, name, scratch):
    row = STATES[name]
    made = machines(o, row, scratch)
    answers = next(made).answers()
    bad = list(row.faults(answers))
    asks = any(re.match("jitwarm verify(?! --cache)", c) for c in answers.status.todo) and answers.verify.next_start != "compiles"
    if asks or answers.verify.next_start == "warm" != answers.status.next_start and not re.search("is full|no CUDA code was found", answers.check.text):
        bad += what_verify_found_is_remembered(next(made))
    if row.person is not None:  # a line that compiles does so once
        typed, _ = followed(next(made), "status")
        again = [c for c in set(typed) if typed.count(c) > 1 and re.search(r"^jitwarm prime(?!.*--check)", c)]
        bad += [f"status: {c!r} changes nothing: {typed}" for c in again]
        return bad, answers
    for verb in ("status", "check", "verify", "doctor") if o.what == "each" else ("status",):
        typed, warm = followed(next(made), verb)
        if not warm:
            bad.append(f"{verb}: not warm after {typed}")
    return bad, answers


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    p.add_argument("what", choices=("state", "each", "list", "show"))
    p.add_argument("name", nargs="?")
    o = p.parse_args()
    if o.what == "list":
        print("\n".join(STATES))
        return
    with folder_on_disk("jitwarm-state-") as folder:
        try:
            bad, answers = judge(o, o.name, folder)
        except Skip as why:
            print(why)
            sys.exit(77)
        finally:
            State.clear(folder)
    if bad or o.what == "show":
        print("\n".join([*bad, *(f"--- {v}: exit {a.code}, {a.next_start}\n{a.text}" for v, a in answers.items())]))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
