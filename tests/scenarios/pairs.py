#!/usr/bin/env python3
"""pairs.py --tool TOOL --sim FOLDER --gen FOLDER [--seed N] [--pairs N] [FIRST SECOND | known]

Two things happened to one machine: two states of agree.py are made one after the other, of which the second knows nothing of the first.
No verb says warm where another says that it compiles, and the last line of doctor is pasted, and the next one, until doctor has nothing to do: no
line stands there twice in a row, none is refused, and at the end a program of the person's shell loads what jitwarm called warm, and the driver adds no entry.
Pairs at random that exclude each other are passed over: the second cannot be made where the first was, or only a person can mend one of them.
"""
import argparse
import contextlib
import io
import random
import re
import shutil
import subprocess
import sys
import time

import agree
from agree import PERSON, STATES, Skip, State, answer_of
from disk import folder_on_disk

STEPS = 8
# States that set the place of the home or of the program itself, such as take longer than all others, and one in which a terminal would ask.
ALONE = re.compile("home-|jitwarm-removed|stopped-then|made-by-root|login-.*-hangs|disk-full|state-full|cache-full|.*nobody-was-asked")
# What they start waits until it has loaded something, on a machine where that works.
FIRST = re.compile("a-recording|a-command-(that-goes|terminated|failed)")
# A machine may end with one of these: it asks for what only a person knows.
KNOWN = (  # in which verbs once differed, or doctor went in a circle
    ("import-and-verified-then-another-file", "terminal-shows-a-command-another-gpu"),
    ("command-with-its-own-cache", "crashed-on-it-with-another-compiler"),
    ("imported-and-index-lost", "variable-forgotten"),
    ("import-then-one-deleted", "named-file-closed"),
    ("probe-garbage", "everything-imported-then-another-driver"),
    ("login-ends-and-never-primed", "a-command-failed-and-a-file-added-to-its-folder"),
    ("a-command-failed-and-a-file-added-to-its-folder", "login-names-another-cache"),
    ("folder-closed-inside-the-package", "terminal-ends"),
)
ENDS = re.compile(r"jitwarm (scan -v|doctor --watch|status$|prune --gone$|--help|report )|ls |sed -n ")


class Pair(State):
    def prime(self, more=""):
        """It may end otherwise where something happened before."""
        self.own()
        self.run(f"jitwarm prime {more}")


def names():
    return [n for n in STATES if n not in PERSON and not ALONE.search(n)]


def made(o, first, second, folder):
    m = Pair(o, folder)
    m.note = ""
    # A state makes its own machine, and ends the run where it cannot: here that is no fault.
    with contextlib.redirect_stderr(io.StringIO()):
        for name in (first, second):
            try:
                STATES[name](m)
            except (Exception, SystemExit) as why:
                raise Skip(f"{name}: {why}") from why
    m.own_but_rights()
    return m


def stored(m):
    """What a start of the person's shell adds to the cache that its programs use."""
    paths = sorted(str(p) for p in m.app.rglob("*.ptx")) if m.app.is_dir() else []
    played = m.run("jitwarm --version >/dev/null; sed -n 2p \"$(dirname \"$OUT\")/played\"").stdout.strip()
    if not paths or not played:
        return None
    where = m.run('echo "${CUDA_CACHE_PATH:-$HOME/.nv/ComputeCache}"').stdout.strip()
    (m.folder / "load.py").write_text(agree.LOAD)
    count = f"find {where} -type f ! -name index 2>/dev/null | wc -l"
    script = f"{count}; lib={played}; " + "{ read -r w; read -r l; read -r SIMCUDA_GPUS; read -r SIMCUDA_DRIVER; } <" + f"{m.folder}/played; export SIMCUDA_GPUS SIMCUDA_DRIVER LD_LIBRARY_PATH=${{lib%/*}}; {sys.executable} {m.folder}/load.py {' '.join(paths)}; {count}"
    done = m.run(script)
    before, after = done.stdout.split()
    return int(after) - int(before), done.stderr


def judged(o, first, second, folder):
    m = made(o, first, second, folder)
    answers = m.answers()
    said = {v: answer_of(answers[v]) for v in ("status", "check", "verify")}
    narrow = agree.SCOPE in answers["status"]["text"]
    if {"warm", "compiles"} <= set(said.values()) and not narrow:
        yield f"they differ: {said}"
    for v in ("check", "verify"):
        if (answers[v]["code"] == 0) != (said[v] == "warm"):
            yield f"{v} ends with {answers[v]['code']} and says {said[v]}"
    typed = []
    for _ in range(STEPS):
        doctor = m.ask("doctor")
        line = (doctor["todo"] or [""])[-1].split("   #")[0]
        if not doctor["code"] or not line or ENDS.match(line):
            break
        if line in typed[-1:] or typed.count(line) > 1:
            yield f"doctor in a circle: {[*typed, line]}"
            break
        typed.append(line)
        done = m.run(line)
        if done.returncode in (2, 126, 127):
            yield f"{typed} ended with {done.returncode}: {done.stdout}{done.stderr}"
            break
    else:
        yield f"doctor does not come to an end: {typed}"
    if answer_of(m.ask("check")) == "warm" and (added := stored(m)) and added[0]:
        yield f"after {typed} all is warm, and a start adds {added[0]} entries {added[1]}"


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    p.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    p.add_argument("--pairs", type=int, default=6)
    p.add_argument("pair", nargs="*")
    o = p.parse_args()
    source, failed, asked = random.Random(o.seed), 0, 0
    named = list(KNOWN) if o.pair == ["known"] else [o.pair] if o.pair else []
    for _ in range(len(named) or 10 * o.pairs):
        if not named and asked == o.pairs:
            break
        first, second = named.pop(0) if named else source.sample(names(), 2)
        if FIRST.match(second) and not o.pair:
            first, second = second, first
        begun = time.monotonic()
        with folder_on_disk("jitwarm-state-") as folder:
            try:
                bad = list(judged(o, first, second, folder / "1"))
                asked += 1
            except Skip as why:
                print(f"passed over: {first} {second}: {why}".splitlines()[0])
                failed += bool(o.pair)
                continue
            finally:
                for path in State.mounted:
                    subprocess.run(["umount", path], check=False)
                State.mounted.clear()
                for path in State.made:
                    shutil.rmtree(path, ignore_errors=True)
                subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)
        print(f"{'bad' if bad else 'good'}: {first} {second} ({time.monotonic() - begun:.1f} s)", *bad, sep="\n    ", flush=True)
        failed += bool(bad)
    print(f"seed {o.seed}: {asked} pairs, {failed} of them bad")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
