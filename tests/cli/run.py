#!/usr/bin/env python3
"""Transcripts: runs the cases of tests/cli/VERB.t and compares what they promise. One case for each
ending of a verb.

    # a comment
    case warm: simulated_driver two_libraries    a new scratch folder; functions of setups.sh that
                                                 are called first
    skip windows                                 (or: aarch64) the case is left out there
    $ jitwarm prime --yes lib                    a command for sh; what must come of it is below
    [good] All 2 modules of these files are in this cache for sm_86, driver *
    Cache {work}/cache
    $ jitwarm doctor --json missing
    ? 2                                          the exit code; without this line: 0
    .result = "error"                            a field of the JSON on standard output: a path with
                                                 dots and numbers, and a value
    .todo.0.command ~ "jitwarm help"             the same, a part of a text
    [bad] jitwarm: *missing*                     standard error comes after standard output
    - [warn] *                                   no line is like this

An expected line is found in the output, each below the one before it; other lines may stand
between. Blanks are one blank, * is any text. Lines are not wrapped (COLUMNS=1000), so no case asks
for wraps. A tone in brackets, good, warn or bad, asks for the colour that the line, or its text
behind a label, begins with; without one any colour will do. {work}, {gen} and {version} are the
scratch folder, that of the generated sample files and the tool's version.

JSON on standard output has all keys that docs/json.md has of its verb, and no others.

Commands of one case share a folder, $HOME and their environment's changes (export). "$GEN" has
samples of tests/gen, "$SIM" the simulated driver, "$SOURCE" this repository. `jitwarm` is the tool
with colours; "$JITWARM" is the bare one.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "windows"))
sys.path.insert(0, str(HERE.parent / "rigs"))
import json_page  # noqa: E402
import prefix  # noqa: E402
TONES = {"32": "good", "33": "warn", "31": "bad"}
SCRUBBED = re.compile(
    r"^(CUDA_|NVIDIA_|JITWARM|XDG_|SIMCUDA_|LC_|LANG|CONDA|PYENV_|VIRTUAL_ENV|PYTHON|"
    r"LD_LIBRARY_PATH$|COLUMNS$|NO_COLOR$)"
)


class Command:
    def __init__(self, text, place):
        self.text, self.place = text, place
        self.code, self.expected = 0, []  # expected: (line number, line)


class Case:
    def __init__(self, name, setups):
        self.name, self.setups = name, setups
        self.commands, self.skips = [], set()


def read(path):
    """The cases of a file."""
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("case "):
            name, _, setups = line[5:].partition(":")
            cases.append(Case(f"{path.stem}/{name.strip()}", setups.split()))
        elif not cases:
            sys.exit(f"{place}: a line before the first case")
        elif line.startswith("skip "):
            cases[-1].skips |= set(line[5:].split())
        elif line.startswith("$ "):
            cases[-1].commands.append(Command(line[2:], place))
        elif not cases[-1].commands:
            sys.exit(f"{place}: a line before the first command")
        elif line.startswith("? "):
            cases[-1].commands[-1].code = int(line[2:])
        else:
            cases[-1].commands[-1].expected.append((place, line))
    return cases


# ---- the Windows machine, which Wine plays ----

def make_machine(folder):
    """Cases share it, one after the other. False: Wine has made no prefix of which it could be a
    copy."""
    source = pathlib.Path(
        os.environ.get("WINE_RUN_PREFIX") or HERE.parent.parent / "build" / "wine")
    if not (folder / ".ready").exists() and (source / ".ready").exists():
        prefix.clone(source, folder)
        (folder / ".ready").touch()
    return (folder / ".ready").exists()


def forget(folder):
    """No driver, and nothing of jitwarm's or of a cache."""
    drive = folder / "drive_c"
    (drive / "windows" / "system32" / "nvcuda.dll").unlink(missing_ok=True)
    for made in [*drive.glob("users/*/AppData/*/*"), *drive.glob("ProgramData/*")]:
        if made.name in ("jitwarm", "NVIDIA"):
            shutil.rmtree(made)


def as_on_linux(text):
    """Paths of drive Z, which is Linux's root, as cases write them; both kinds of slash in one path
    stay, and are found nowhere."""
    text = re.sub(r"(?m)^wine: Read access denied for device .*\n", "",
                  text)  # Wine, about a disk that only root may read
    return re.sub(r"Z:((?:\\{1,2}[^\\/\s\"']+)+)(?![/\\])", lambda m: re.sub(r"\\+", "/", m[1]),
                  text)


# ---- one case is run ----

def script(case):
    """All commands in one shell, each between marks: its output, its errors apart, its exit
    code."""
    lines = [f". {shlex.quote(str(HERE / 'setups.sh'))}", "set -e"] + case.setups + ["set +e"]
    for i, command in enumerate(case.commands):
        lines += [
            f"{{ {command.text}\n}} >$RESULTS/{i}.out 2>$RESULTS/{i}.err",
            f"echo $? >$RESULTS/{i}.code"
        ]
    return "\n".join(lines)


def environment(opt, scratch):
    env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
    home = scratch / "home"
    for folder in ("home", "results", "bin", "machine"):
        (scratch / folder).mkdir()
    tool = f"{opt.emulator} {shlex.quote(str(opt.tool.resolve()))}".strip()
    (scratch / "bin" / "bare").write_text(f'#!/bin/sh\nexec {tool} "$@"\n')
    (scratch / "bin" / "jitwarm").write_text(
        f'#!/bin/sh\n[ $# -gt 0 ] || exec {tool}\nCLICOLOR_FORCE=1 exec {tool} "$@"\n')
    for name in ("bare", "jitwarm"):
        (scratch / "bin" / name).chmod(0o755)
    # A container without software: no case sees the tests' own machine.
    (scratch / "machine" / ".dockerenv").touch()
    env.update(LC_ALL="C.UTF-8", HOME=str(home), LOGNAME="ada", SHELL="/bin/sh", TERM="xterm",
               COLUMNS="1000", RESULTS=str(scratch / "results"),
               PATH=f"{scratch / 'bin'}:{env['PATH']}", JITWARM=str(scratch / "bin" / "bare"),
               SOURCE=str(HERE.parent.parent), JITWARM_SYSROOT=str(scratch / "machine"),
               SOURCE_DATE_EPOCH="1790000000")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(home / name.lower())
    if opt.windows:
        env.update(WINE_RUN_STDIN="1", USER="ada", WINE_RUN_PREFIX=str(opt.machine.resolve()))
        forget(opt.machine)
    for name, folder in (("GEN", opt.gen), ("SIM", opt.sim), ("SIMCUDA_DIR", opt.sim),
                         ("MACHINE", opt.machine)):
        if folder:
            env[name] = str(folder.resolve())
    return env


def run(opt, case):
    """What is wrong with it, as lines; none: nothing."""
    place = os.environ.get("JW_TEST_MEMORY") if opt.windows else None
    with tempfile.TemporaryDirectory(prefix="jitwarm-cli-", dir=place,
                                     ignore_cleanup_errors=True) as name:
        scratch = pathlib.Path(name).resolve()
        env = environment(opt, scratch)
        (scratch / "work").mkdir()
        done = subprocess.run(["sh", "-c", script(case)], cwd=scratch / "work", env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        names = [("{work}", str(scratch / "work")),
                 ("{version}", opt.version)] + [("{gen}", str(opt.gen.resolve()))] * bool(opt.gen)
        for i, command in enumerate(case.commands):
            results = [scratch / "results" / f"{i}.{kind}" for kind in ("out", "err", "code")]
            if not results[2].exists():
                return [f"{command.place}: the set-ups failed: {done.stderr.strip()}"]
            out, err, code = (r.read_bytes().decode("utf-8",
                                                    "backslashreplace").replace("\r\n", "\n")
                              for r in results)
            if opt.windows:
                out, err = as_on_linux(out), as_on_linux(err)
            problems = check(command, out, err, int(code), names)
            if problems:
                return [f"{command.place}: $ {command.text}"] + problems + ["got:"] + [
                    "  " + plain(x) for x in (out + err).splitlines()
                ]
    return []


# ---- what came is compared ----

def plain(line):
    """A line as a case writes it: "[good] text"."""
    tone = re.match(r"(?:\x1b\[2m[^\x1b]*\x1b\[0m)?\x1b\[(3[123])m",
                    line)  # behind a faint label, too
    text = re.sub(r"\x1b\[[0-9;]*[mK]", "", line)
    return (f"[{TONES[tone[1]]}] " if tone else "") + " ".join(text.split())


def is_like(line, expected, names):
    if not re.match(r"\[(good|warn|bad)\] ", expected):
        line = re.sub(r"^\[(good|warn|bad)\] ", "", line)
    parts = []
    for part in " ".join(expected.split()).split("*"):
        for name, value in names:
            part = part.replace(name, value)
        parts.append(re.escape(part))
    return re.fullmatch(".*".join(parts), line) is not None


def check_field(expected, out):
    """None: the JSON has it."""
    path, sign, value = re.fullmatch(r"(\.\S*) ([=~]) (.*)", expected).groups()
    try:
        at = json.loads(out)
        for key in path.strip(".").split(".") if path != "." else []:
            at = at[int(key)] if isinstance(at, list) else at[key]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return f"{path}: is not there ({error})"
    wanted = json.loads(value)
    if at == wanted if sign == "=" else isinstance(at, str) and wanted in at:
        return None
    return f"{path} is {json.dumps(at)}"


def verbs_never_asked():
    """Verbs of docs/json.md that no case asks for JSON."""
    asked = "\n".join(command.text for path in HERE.glob("*.t") for case in read(path)
                      for command in case.commands)
    return [
        verb for verb in sorted(json_page.verbs()) if not re.search(rf"\b{verb} .*--json", asked)
    ]


def check_keys(out):
    try:
        return json_page.wrong_keys(
            json.loads(out)) if out.startswith('{"schema"') or out.startswith("{\n") else []
    except ValueError as error:
        return [f"no JSON: {error}"]


def check(command, out, err, code, names):
    problems = [] if code == command.code else [f"  exit code {code}, expected {command.code}"]
    problems += [f"  {wrong}" for wrong in check_keys(out)]
    lines = [plain(line) for line in (out + err).splitlines()]
    at = 0
    for place, expected in command.expected:
        if re.fullmatch(r"\.\S* [=~] .*", expected):
            wrong = check_field(expected, out)
            problems += [f"  {place}: {wrong}"] if wrong else []
        elif expected.startswith("- "):
            problems += [
                f"  {place}: there is: {line}" for line in lines
                if is_like(line, expected[2:], names)
            ][:1]
        else:
            found = next((i for i in range(at, len(lines)) if is_like(lines[i], expected, names)),
                         None)
            problems += [f"  {place}: not found: {expected}"] if found is None else []
            at = at if found is None else found + 1
    return problems


# ---- all ----

def why_skipped(opt, case):
    text = " ".join(case.setups) + " ".join(
        c.text for c in case.commands) + (HERE / "setups.sh").read_text()
    if case.skips & {"windows" if opt.windows else "", opt.arch}:
        return "by its own word"
    if not opt.gen and "$GEN" in text or not opt.sim and "$SIM" in text:
        return "needs --gen and --sim"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=pathlib.Path, help="the jitwarm to test")
    parser.add_argument("--version", required=True, help="what {version} stands for")
    parser.add_argument("--emulator", default="", help="a command in front of the tool (wine)")
    parser.add_argument("--windows", action="store_true", help="the tool is a Windows program")
    parser.add_argument("--machine", type=pathlib.Path,
                        help="with --windows: the prefix of Wine that the cases share; it is made")
    parser.add_argument("--arch", default="x86_64")
    parser.add_argument("--gen", type=pathlib.Path, help="folder of generated sample files")
    parser.add_argument("--sim", type=pathlib.Path, help="folder of the built simulated driver")
    parser.add_argument("--all-keys", action="store_true",
                        help="only see that each verb of docs/json.md is asked for JSON")
    parser.add_argument("cases", nargs="*", help="VERB or VERB/CASE; none: all")
    opt = parser.parse_args()
    if opt.all_keys:
        sys.exit(f"docs/json.md: no case asks for JSON of: {', '.join(verbs_never_asked())}"
                 if verbs_never_asked() else 0)
    cases = [c for path in sorted(HERE.glob("*.t")) for c in read(path)
             if not opt.cases or c.name in opt.cases or c.name.split("/")[0] in opt.cases]
    if not cases:
        sys.exit("run.py: no such case")
    if opt.windows and not make_machine(opt.machine):
        print("there is no prefix of Wine: scripts/wine-run makes it")
        sys.exit(77)
    failed = skipped = 0
    # Wine starts its services with the first program and ends them with the last. One that waits
    # for input keeps them: a third of the time.
    waits = opt.windows and subprocess.Popen(
        [opt.emulator, "cmd"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=dict(
            os.environ, WINE_RUN_STDIN="1", WINE_RUN_TIMEOUT="600", WINE_RUN_PREFIX=str(
                opt.machine.resolve()), USER="ada", LOGNAME="ada"))
    with concurrent.futures.ThreadPoolExecutor(1 if opt.windows else 2) as pool:
        for case, problems in zip(
                cases, pool.map(lambda c: None if why_skipped(opt, c) else run(opt, c), cases)):
            skipped += problems is None
            failed += bool(problems)
            if problems:
                print(f"FAIL {case.name}\n" + "\n".join(problems))
    if waits:
        waits.communicate()
    print(f"{len(cases)} cases, {skipped} skipped, {failed} failed")
    sys.exit(1 if failed else 77 if skipped == len(cases) else 0)


if __name__ == "__main__":
    main()
