#!/usr/bin/env python3
"""Golden tests of the command line: runs the cases of tests/cli/*.t (transcript.py tells their form) and compares.

"$JITWARM" is the tool, $GEN the folder of generated sample files, $SIM that of the simulated driver, in front of which
"$WITH_SIMCUDA" puts a command (scripts/with-simcuda); $ANYWHERE has doctor's options that skip what depends on the machine of the
tests. That doctor names them (Ignored), and that an answer is of the simulated driver, is compared in the cases that show it. {VERSION}, {SCRATCH}, {GEN} and {DIGEST} in what must come out stand for the tool's version, for those folders, and for what a pack's
name ends in.
With --bless the files are written again instead: a line with * stays where it holds. Read the diff before you commit it.
"""
import argparse
import concurrent.futures
import copy
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import transcript
import windows
from begin import DRIVER, begin

HERE = pathlib.Path(__file__).resolve().parent
SETUPS = HERE / "setups.sh"
WITH_SIMCUDA = HERE.parent.parent / "scripts" / "with-simcuda"
SCRUBBED = re.compile(r"^(CUDA_|NVIDIA_|JITWARM|XDG_|SIMCUDA_|LC_|LANG|CONDA|VIRTUAL_ENV|PYENV_ROOT$|ASDF_DATA_DIR$|MISE_DATA_DIR$|PYTHON|LD_LIBRARY_PATH$|COLUMNS$|NO_COLOR$)")

# Where the scratch folder lies, who runs the tests, and what else runs there.
ANYWHERE = ("cache-container", "cache-path-memory", "cache-path-network", "cache-disk-full", "cache-home-differs",
            "cache-root-user", "cache-service-user")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, type=pathlib.Path, help="the jitwarm to test")
    parser.add_argument("--version", required=True, help="what {VERSION} stands for")
    parser.add_argument("--emulator", default="", help="a command in front of the tool (wine)")
    parser.add_argument("--arch", default="x86_64", help="the machine that the tool was built for")
    parser.add_argument("--windows", action="store_true", help="the tool is a Windows program")
    parser.add_argument("--gen", type=pathlib.Path, help="folder of generated sample files")
    parser.add_argument("--sim", type=pathlib.Path, help="folder of the built simulated driver")
    parser.add_argument("--machine", type=pathlib.Path, help="with --windows and --sim: Wine's prefix that has that driver")
    parser.add_argument("--part", choices=("quick", "rest"), help="with --machine: of the cases of that driver the quick ones, or the others alone")
    parser.add_argument("--answers", type=pathlib.Path, help="folder for every answer in JSON")
    parser.add_argument("--bless", action="store_true", help="write the golden files")
    parser.add_argument("cases", nargs="*", help="VERB or VERB/CASE; none: all")
    return parser.parse_args()


def find_files(wanted):
    """{file: its cases}, those that are wanted alone."""
    files = {path: transcript.read(path) for path in sorted(HERE.glob("*.t"))}
    return {path: cases for path, cases in files.items() if any(is_wanted(c, wanted) for c in cases)}


def is_wanted(case, wanted):
    return not wanted or case.name in wanted or case.name.split("/")[0] in wanted


def wrapper(opt, folder):
    """"$JITWARM" is one word, whatever stands in front of the tool; and what it and "$WITH_SIMCUDA" are in a case of the simulated
    driver where the tool is a Windows program."""
    path = folder / "jitwarm"
    emulator = " ".join(shlex.quote(w) for w in shlex.split(opt.emulator))
    path.write_text(f"#!/bin/sh\nexec {emulator} {shlex.quote(str(opt.tool.resolve()))} \"$@\"\n")
    path.chmod(0o755)
    return path, *windows.scripts(folder, emulator, shlex.quote(str(opt.tool.resolve())))


def environment(opt, scratch, tools, simulated):
    env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
    home = scratch / "home"
    home.mkdir()
    env.update(LC_ALL="C.UTF-8", HOME=str(home), LOGNAME="ada", SHELL="/bin/sh", JITWARM=str(tools[0]), TERM="dumb", PACK_ARCH=opt.arch, ANSWER=str(scratch / "answer"),
               ANYWHERE=" ".join(f"--ignore {name}" for name in ANYWHERE))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(home / name.lower())
    if opt.windows:
        env["WINE_RUN_STDIN"] = "1"
        env["BARE"] = os.environ.get("WINE_RUN_PREFIX") or str(HERE.parent.parent / "build" / "wine")
    if opt.gen:
        env["GEN"] = str(opt.gen.resolve())
    env["WITH_SIMCUDA"] = str(WITH_SIMCUDA)
    env["SOURCE_DATE_EPOCH"] = "1790000000"  # packs are the same on every day
    # A container without software: no case sees the tests' own machine.
    machine = scratch / "machine"
    machine.mkdir(exist_ok=True)
    (machine / ".dockerenv").touch()
    env["JITWARM_SYSROOT"] = str(machine)
    if opt.sim:
        env.update(SIM=str(opt.sim.resolve()), SIMCUDA_DIR=str(opt.sim.resolve()))
    if simulated:
        env.update(JITWARM=str(tools[1]), WITH_SIMCUDA=str(tools[2]), MACHINE=str(opt.machine.resolve()), CASE=str(scratch),
                   PACK_OS="windows")
    return env


def place_of(opt, case):
    """Where it works. All names are as long: lines of an answer are broken after so many columns."""
    memory = os.environ.get("JW_TEST_MEMORY")
    # Wine shows /tmp as a folder that everybody may change, so that no packs below it are believed.
    if opt.windows and "folder_of_packs" in case.command():
        return {"prefix": "jitwarm-cli-", "dir": opt.machine}
    if memory and not case.on_disk and len(memory) == len("/tmp/jitwarm-cli"):
        return {"prefix": "", "dir": memory}
    return {"prefix": "jitwarm-cli-"}


def run_case(opt, case, tools):
    """(exit code, stdout, stderr), volatile text replaced by its placeholder."""
    with tempfile.TemporaryDirectory(**place_of(opt, case), ignore_cleanup_errors=True) as name:
        scratch = pathlib.Path(name).resolve()
        work = scratch / "work"
        if case.folder:
            begin(case.folder, work)
        else:
            work.mkdir()
        simulated = opt.windows and opt.machine is not None and is_simulated(case)
        if simulated:
            windows.forget(opt.machine, opt.sim)
        env = environment(opt, scratch, tools, simulated)
        if (work / DRIVER).exists():
            env["JITWARM_DRIVER"] = str(DRIVER)
        done = subprocess.run(["sh", "-c", f". {shlex.quote(str(SETUPS))}\n{case.command()}"], cwd=work, stdin=subprocess.DEVNULL,
                              env=env, capture_output=True, timeout=300)
        out, err = done.stdout, done.stderr
        if simulated:
            out, err = windows.as_on_linux(out), windows.as_on_linux(err)
        places = [(str(work), b"{SCRATCH}"), (opt.version, b"{VERSION}")]
        if opt.gen:
            places.insert(0, (str(opt.gen.resolve()), b"{GEN}"))
        if opt.windows:
            places = [("Z:" + t.replace("/", "\\"), p) for t, p in places] + [("Z:" + t, p) for t, p in places] + places
        for text, placeholder in places:
            out, err = out.replace(text.encode(), placeholder), err.replace(text.encode(), placeholder)
        answer = scratch / "answer"  # of `only`
        raw = answer.read_bytes() if answer.exists() else done.stdout
        out, err = WINE_SAYS.sub(b"", STORY.sub(b"", out)), WINE_SAYS.sub(b"", STORY.sub(b"", err))
        out, err = DIGEST.sub(rb"\1{DIGEST}.tar.zst", out), DIGEST.sub(rb"\1{DIGEST}.tar.zst", err)
    return done.returncode, out, err, raw


# Told every five seconds: only a machine that is very busy, or emulated, gets that far. In stdout where a case joins them.
STORY = re.compile(rb"(?m)^jitwarm: (looking for CUDA code(: .*)?|asking the driver|(verifying: )?\d+ of \d+ modules?, .* failed)\n")


# In the name of a pack of the store: its manifest says which processor it is for.
DIGEST = re.compile(rb"(-sm_\d+-\d{8}-\d{6}-)[0-9a-f]{12}\.tar\.zst")


# What the tests' own devices have answers say.
OF_THE_TESTS = (re.compile(rb"(?m)^Ignored {5}" + rb",\s+".join(name.encode() for name in ANYWHERE) + rb"\n"),
                re.compile(rb"(?m)^simulated: this was jitwarm's own simulated driver; nothing here is about hardware\n"))


# Wine, of its own, about a disk that only root may read.
WINE_SAYS = re.compile(rb"(?m)^wine: Read access denied for device .*\n")


def is_simulated(case):
    """Whether it asks the simulated driver, by itself or by a set-up."""
    return windows.is_simulated(case.command() + shared_text(case))


def shared_text(case):
    """What the set-ups of a case hold."""
    functions = re.findall(r"(?ms)^(\w+)\(\)\s*(\{.*?\}|\{.*?^\})$", SETUPS.read_text(encoding="utf-8"))
    text, seen = case.command(), None
    while text != seen:
        seen, words = text, set(re.findall(r"\w+", text))
        text = case.command() + "\n".join(body for name, body in functions if name in words)
    return text


STREAMS = {"": "stdout", "!": "stderr"}


def without_what_is_not_shown(stream, got):
    for said in OF_THE_TESTS:
        if not said.search(stream.text().encode()):
            got = said.sub(b"", got)
    return got


def compare(stream, name, got):
    """What is wrong with this stream, as lines; none: nothing."""
    if b"\r\n" in got:
        return [f"{name} holds \\r\\n"]
    text = got.decode("utf-8", "backslashreplace")
    if stream.matches(text):
        return []
    want = [g if transcript.agrees((True, w), g) else w for (_, w), g in zip(stream.lines, text.splitlines())]
    want += [w for _, w in stream.lines[len(want):]]
    if want == text.splitlines():
        return [f"{name} differs in its last line break, or in a line that may hold no *"]
    return list(difflib.unified_diff(want, text.splitlines(), f"golden {name}", f"this {name}", lineterm=""))


def bless(opt, case, code, streams):
    """Where a Windows program has other words, they get lines of their own."""
    case.code = code
    for mark, got in streams.items():
        if b"\r\n" in got:
            print(f"{case.name}: {STREAMS[mark]} holds \\r\\n")
        text = got.decode("utf-8", "backslashreplace")
        if not opt.windows:
            case.streams[False][mark].learn(text)
        elif case.streams[False][mark].matches(text):
            case.streams[True].pop(mark, None)
        else:
            case.streams[True].setdefault(mark, copy.deepcopy(case.streams[False][mark])).learn(text)


def gpu_is_here():
    """An NVIDIA GPU on the bus, which some answers then speak of."""
    vendors = pathlib.Path("/sys/bus/pci/devices").glob("*/vendor")
    return any(v.read_text().strip() == "0x10de" for v in vendors)


def why_skipped(opt, case):
    """None: it runs."""
    simulated = is_simulated(case)
    if opt.part and simulated and (case.name in windows.QUICK) != (opt.part == "quick"):
        return "of the other part"
    if opt.part == "rest" and not simulated:
        return "of the other part"
    for name, holds in (("windows", opt.windows), ("aarch64", opt.arch == "aarch64"), ("gpu", gpu_is_here())):
        if holds and name in case.skips:
            return case.skips[name]
    text = case.command() + shared_text(case)
    if not opt.gen and "$GEN" in text:
        return "needs --gen"
    if not opt.sim and ("$SIM" in text or "$WITH_SIMCUDA" in text):
        return "needs --sim"
    return None


def check(opt, case, code, streams):
    problems = [] if case.code == code else [f"exit code {code}, golden {case.code}"]
    for mark, got in streams.items():
        problems += compare(case.wanted(opt.windows)[mark], STREAMS[mark], got)
    return problems


def try_case(opt, case, tools):
    """What to report of it, and whether it failed; None where it was skipped."""
    reason = why_skipped(opt, case)
    if reason:
        return f"SKIP {case.name}: {reason}", None
    code, out, err, raw = run_case(opt, case, tools)
    told = ""
    if opt.windows and windows.ended_before_its_start(code, out, err):
        told = f"  {case.name}: a program ended before its start; tried again (docs/windows.md)"
        code, out, err, raw = run_case(opt, case, tools)
    if opt.answers and raw.startswith(b"{"):
        (opt.answers / (case.name.replace("/", "-") + ".json")).write_bytes(raw)
    streams = {mark: without_what_is_not_shown(case.wanted(opt.windows)[mark], got) for mark, got in (("", out), ("!", err))}
    if opt.bless:
        bless(opt, case, code, streams)
        return told, False
    problems = check(opt, case, code, streams)
    return "\n    ".join([told] * bool(told) + [f"FAIL {case.name}"] * bool(problems) + problems), bool(problems)


def main():
    opt = options()
    wanted = set(opt.cases)
    files = find_files(wanted)
    cases = [c for all_of_it in files.values() for c in all_of_it if is_wanted(c, wanted)]
    if not cases:
        sys.exit("run.py: no such case")
    if opt.answers:
        shutil.rmtree(opt.answers, ignore_errors=True)
        opt.answers.mkdir(parents=True)
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="jitwarm-tool-") as folder:
        tools = wrapper(opt, pathlib.Path(folder))
        # The machine that Wine plays is one for all of them.
        side_by_side = 1 if opt.machine else os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(side_by_side) as pool:
            for told, bad in pool.map(lambda case: try_case(opt, case, tools), cases):
                if told:
                    print(told)
                failed += bad is True
                skipped += bad is None
    if opt.bless:
        for path, all_of_it in files.items():
            transcript.write(path, all_of_it)
    print(f"{len(cases)} cases, {skipped} skipped, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
