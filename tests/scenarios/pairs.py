#!/usr/bin/env python3
"""pairs.py --tool TOOL --sim FOLDER --gen FOLDER [--seed TEXT] [--pairs N] [--show] [FIRST SECOND | known]

Two things happened to one machine: two states (states/) are made one after the other, of which the second knows nothing of the first.
The verbs do not contradict each other. The last line of doctor is pasted, and the next one, until doctor has nothing to do, or says that
only a person can mend what is left: no command fails, none leaves doctor with the same line, no finding comes a third time with one, and the way has an end.
Then the verbs do not contradict each other either, and a program of the person's shell loads what is called warm, and the driver adds no entry.

The pairs are drawn by a seed, which is printed and is the day's unless it is given, and a new state changes few of them; two names are that
pair. Where the second state cannot be made on what the first one left, another pair is drawn.
"""
import argparse
import contextlib
import hashlib
import io
import itertools
import re
import sys
import time

from disk import folder_on_disk
from machines import LAST
from states import STATES
from states.commands import LOAD
from states.machine import Skip, State
from states.rules import OF_ANY_MACHINE, named

COMMANDS = 6
# States that set the place of the home or of the program itself, such as take longer than all others, and one in which a terminal would ask.
ALONE = re.compile("home-|jitwarm-removed|stopped-then|made-by-root|login-.*-hangs|disk-full|state-full|cache-full|.*nobody-was-asked")
# What they start waits until it has loaded something, on a machine where that works.
FIRST = re.compile("a-recording|a-command-(that-goes|terminated|failed)")
FOR_A_PERSON = re.compile("no command mends this|this only looks|in its container|on the host of|^once, ")  # after "When"
# What installs, or looks: another person, or another machine, goes on.
NOT_PASTED = re.compile(r"(sudo )?(apt|dnf|ubuntu-drivers|reboot|docker|podman|kubectl|nvidia-)|jitwarm (report|scan|status(?! --repair)|env --shell|--help)|ls |sed -n |grep -n |"
                        "unset JITWARM_DRIVER|export LD_LIBRARY_PATH=")  # the played driver is named for each start of jitwarm
KNOWN = (  # in which verbs once differed, or doctor went in a circle
    ("import-and-verified-then-another-file", "terminal-shows-a-command-another-gpu"),
    ("command-with-its-own-cache", "crashed-on-it-with-another-compiler"),
    ("imported-and-index-lost", "variable-forgotten"),
    ("import-then-one-deleted", "named-file-closed"),
    ("probe-garbage", "everything-imported-then-another-driver"),
    ("login-ends-and-never-primed", "a-command-failed-and-a-file-added-to-its-folder"),
    ("a-command-failed-and-a-file-added-to-its-folder", "login-names-another-cache"),
    ("folder-closed-inside-the-package", "terminal-ends"),
    ("cache-open-to-others-at-login-too", "cache-open-to-others-and-a-prime-refused"),
    ("a-file-added-to-the-folder-of-a-command-with-its-own-cache", "other-cache-of-a-command-gone"),
    ("everything-imported-and-nothing-found-and-one-deleted", "pack-for-another-gpu"),
    ("shell-hides-another-gpu", "folder-deleted-and-primed"),
    ("command-with-its-own-cache", "a-library-of-a-command-replaced"),
    ("entry-closed", "other-cache-gone-beside-native-software"),
    ("other-cache-of-a-command-emptied", "older-driver"),
    ("software-moved", "login-and-terminal-limit-too-low"),
    ("index-lost-and-another-driver", "login-disables"),
    ("own-cache-of-a-command-deleted", "login-ends-and-never-primed"),
    ("own-cache-of-a-command-deleted", "login-names-another-cache-and-never-primed"),
    ("a-job-with-another-gpu", "limit-set-to-the-default"),
    ("a-command-terminated-and-its-file-gone", "index-counts-more"),
    ("folder-closed-inside-the-package", "folder-above-the-cache-closed"),
    ("a-library-without-machine-code-of-a-command-replaced", "cache-deleted"),
    ("import-of-everything", "compiler-missing"),
    ("crashed", "login-shows-a-command-another-gpu-and-primed"),
    ("named-file-a-pipe-and-primed", "compiler-closed"),
    ("software-and-a-command-gone-with-another-driver", "another-gpu"),
    ("a-command-failed-and-a-file-added-to-its-folder", "older-driver"),
    ("a-command-that-disables-its-cache-since", "cache-of-found-software-became-a-link"),
    ("a-command-failed-and-a-file-added-to-its-folder", "limit-lowered-and-one-deleted"),
    ("own-cache-of-a-command-deleted-and-its-file-excluded", "another-gpu"),
    ("own-cache-of-a-command-deleted", "a-job-with-another-gpu"),
    ("everything-imported-and-one-deleted-and-the-pack-gone", "a-command-in-a-container-of-another-image"),
    ("own-cache-of-a-command-deleted-and-its-file-excluded", "a-job-with-another-gpu"),
)


class Pair(State):
    def prime(self, more=""):
        """It may end otherwise where something happened before."""
        self.own()
        self.run(f"jitwarm prime {more}")


def made(o, names, folder):
    m = Pair(o, folder)
    # A state makes its own machine, and ends the run where it cannot: here that is no fault.
    with contextlib.redirect_stderr(io.StringIO()):
        for name in names:
            try:
                STATES[name].make(m)
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
    (m.folder / "load.py").write_text(LOAD)
    count = f"find {where} -type f ! -name index 2>/dev/null | wc -l"
    script = f"{count}; lib={played}; " + "{ read -r w; read -r l; read -r SIMCUDA_GPUS; read -r SIMCUDA_DRIVER; } <" + f"{m.folder}/played; export SIMCUDA_GPUS SIMCUDA_DRIVER LD_LIBRARY_PATH=${{lib%/*}}; {sys.executable} {m.folder}/load.py {' '.join(paths)}; {count}"
    done = m.run(script)
    before, after = done.stdout.split()
    return int(after) - int(before), done.stderr


def of(doctor):
    """Its worst finding and its line: what a person sees twice where a command was in vain."""
    worst = [(f["id"], f["subject"], f["text"]) for f in doctor.findings if f["severity"] != "note"]
    return worst[:1], doctor.todo[-1:]


def goes(m, way):
    """Adds to the way what was pasted and what it said; and what is wrong with the way."""
    seen = []
    while True:
        doctor = m.ask("doctor")
        if not doctor.json and not doctor.todo:
            return [f"doctor ends with {doctor.code}: {doctor.text}"]
        line = (doctor.lines or [LAST])[-1]
        when = " ".join(re.findall(r"^ *When  +(.*)$", doctor.text, re.M))
        if line == LAST or FOR_A_PERSON.search(when) or NOT_PASTED.match(line):
            return []
        if seen.count(of(doctor)) > 1 or way and line == way[-1][0]:
            return [f"{line!r} stands there again"]
        if len(way) == COMMANDS:
            return ["doctor does not come to an end"]
        seen.append(of(doctor))
        done = m.run(line + " --yes" * (line == "jitwarm prune --gone"))  # that lists what it forgets
        way.append((line, done.returncode, done.stdout + done.stderr))
        if done.returncode in (2, 126, 127) or (done.returncode and "jitwarm" not in line):
            return [f"{line!r} ends with {done.returncode}"]


def disagreements(when, answers):
    return [f"{when}: {fault}" for rule in OF_ANY_MACHINE for fault in named(rule, rule(answers))]


def judged(o, names, folder):
    """What is wrong, and what was said and typed."""
    m = made(o, names, folder)
    before, way = m.answers(), []
    bad = disagreements("before", before)
    bad += goes(m, way)
    typed = f"after {[line for line, *_ in way]}"
    after = m.answers() if way else before
    bad += disagreements(typed, after) if way else []
    if after.check.next_start == "warm" and (added := stored(m)) and added[0]:
        bad.append(f"{typed}: all is warm, and a start adds {added[0]} entries {added[1]}")
    return bad, [f"--- doctor\n{before.doctor.text}", *(f"--- {c}: exit {code}\n{text}" for c, code, text in way), *(f"--- {v}\n{a.text}" for v, a in after.items())]


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    p.add_argument("--seed", default=time.strftime("%Y-%m-%d"))
    p.add_argument("--pairs", type=int, default=6)
    p.add_argument("--show", action="store_true", help="what was said, of pairs that pass, too")
    p.add_argument("pair", nargs="*")
    o = p.parse_args()
    failed = asked = 0
    able = [n for n in STATES if not ALONE.search(n)]
    drawn = KNOWN if o.pair == ["known"] else [o.pair] if o.pair else sorted(
        itertools.permutations(able, 2), key=lambda pair: hashlib.sha256(" ".join((o.seed, *pair)).encode()).digest())[:10 * o.pairs]
    for first, second in drawn:
        if not o.pair and asked == o.pairs:
            break
        if FIRST.match(second) and not o.pair:
            first, second = second, first
        begun = time.monotonic()
        with folder_on_disk("jitwarm-state-") as folder:
            try:
                bad, texts = judged(o, (first, second), folder / "1")
                asked += 1
            except Skip as why:
                print(f"passed over: {first} {second}: {why}".splitlines()[0], flush=True)
                failed += bool(o.pair) and not str(why).endswith("here")  # what this machine cannot play is no failure
                continue
            finally:
                State.clear(folder)
        print(f"{'bad' if bad else 'good'}: {first} {second} ({time.monotonic() - begun:.1f} s)", *bad, sep="\n    ", flush=True)
        if bad or o.show:
            print(*texts, sep="\n", flush=True)
        failed += bool(bad)
    print(f"seed {o.seed}: {asked} pairs, {failed} of them bad")
    sys.exit(1 if failed or not asked else 0)


if __name__ == "__main__":
    main()
