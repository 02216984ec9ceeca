#!/usr/bin/env python3
"""Golden tests of the command line.

A case is a folder tests/cli/VERB/CASE/ with

    cmd               a shell line; "$JITWARM" is the tool, $GEN the folder of generated sample files, $SIM that of the
                      simulated driver, in front of which "$WITH_SIMCUDA" puts a command (scripts/with-simcuda);
                      $ANYWHERE has doctor's options that leave out what depends on the machine of the tests
    in/               optional: the line runs in a copy of it, else in an empty folder
    stdout            what must come out, to the byte; or stdout.glob, whose lines may hold * for anything
    stderr            likewise, or stderr.glob; none: nothing may come out
    exit              the exit code
    stdout.windows  optional, as stdout.windows.glob and of stderr: where a Windows program has other words
    skip-on-windows   optional: why; the case does not run where the tool is a Windows program
    skip-on-aarch64   optional: the same, of a tool for aarch64
    skip-with-gpu     optional: why; the case does not run where an NVIDIA GPU is plugged in

{VERSION}, {SCRATCH} and {GEN} in a golden file stand for the tool's version and for those folders.
With --bless the golden files are written instead of compared: read the diff before you commit it.
"""
import argparse
import difflib
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import windows

HERE = pathlib.Path(__file__).resolve().parent
WITH_SIMCUDA = HERE.parent.parent / "scripts" / "with-simcuda"
SCRUBBED = re.compile(r"^(CUDA_|NVIDIA_|JITWARM|XDG_|SIMCUDA_|LC_|LANG|CONDA|VIRTUAL_ENV|PYTHON|LD_LIBRARY_PATH$|COLUMNS$|NO_COLOR$)")

# Where the scratch folder lies, who runs the tests, and what else runs there.
ANYWHERE = ("cache-container", "cache-path-memory", "cache-path-network", "cache-disk-full", "cache-home-differs",
            "cache-root-user", "cache-service-user", "setting-old-in-program")


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


def find_cases(wanted):
    cases = sorted(p.parent for p in HERE.glob("*/*/cmd"))
    names = {c: f"{c.parent.name}/{c.name}" for c in cases}
    chosen = [c for c in cases if not wanted or names[c] in wanted or c.parent.name in wanted]
    return [(names[c], c) for c in chosen]


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
    env.update(LC_ALL="C.UTF-8", HOME=str(home), JITWARM=str(tools[0]), TERM="dumb", PACK_ARCH=opt.arch,
               ANYWHERE=" ".join(f"--ignore {name}" for name in ANYWHERE))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(home / name.lower())
    if opt.windows:
        env["WINE_RUN_STDIN"] = "1"
        env["BARE"] = os.environ.get("WINE_RUN_PREFIX") or str(HERE.parent.parent / "build" / "wine")
    if opt.gen:
        env["GEN"] = str(opt.gen.resolve())
    if opt.sim:
        env.update(SIM=str(opt.sim.resolve()), SIMCUDA_DIR=str(opt.sim.resolve()), WITH_SIMCUDA=str(WITH_SIMCUDA))
    if simulated:
        env.update(JITWARM=str(tools[1]), WITH_SIMCUDA=str(tools[2]), MACHINE=str(opt.machine.resolve()), CASE=str(scratch),
                   PACK_OS="windows")
    return env


def run_case(opt, case, tools):
    """(exit code, stdout, stderr), volatile text replaced by its placeholder."""
    with tempfile.TemporaryDirectory(prefix="jitwarm-cli-", ignore_cleanup_errors=opt.windows) as name:
        scratch = pathlib.Path(name).resolve()
        work = scratch / "work"
        if (case / "in").is_dir():
            shutil.copytree(case / "in", work, symlinks=True)
        else:
            work.mkdir()
        cmd = (case / "cmd").read_text()
        simulated = opt.windows and opt.machine is not None and windows.is_simulated(cmd)
        if simulated:
            windows.forget(opt.machine, opt.sim)
        done = subprocess.run(["sh", "-c", cmd], cwd=work, stdin=subprocess.DEVNULL,
                              env=environment(opt, scratch, tools, simulated), capture_output=True, timeout=300)
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
        raw = done.stdout
        out, err = WINE_SAYS.sub(b"", STORY.sub(b"", out)), WINE_SAYS.sub(b"", STORY.sub(b"", err))
    return done.returncode, out, err, raw


# Told every five seconds: only a machine that is very busy, or emulated, gets that far. In stdout where a case joins them.
STORY = re.compile(rb"(?m)^jitwarm: (looking for CUDA code(: .*)?|asking the driver|(verifying: )?\d+ of \d+ modules?, .* failed)\n")


# Wine, of its own, about a disk that only root may read.
WINE_SAYS = re.compile(rb"(?m)^wine: Read access denied for device .*\n")


def glob_pattern(line):
    """Only * is special in a .glob file."""
    return re.sub(r"([?\[])", r"[\1]", line)


def of_this_system(opt, case, name):
    """The name of the golden file: Windows has its own words in some cases."""
    own = f"{name}.windows"
    return own if opt.windows and ((case / own).exists() or (case / f"{own}.glob").exists()) else name


def compare(case, name, got):
    """What is wrong with this stream, as lines; none: nothing."""
    if b"\r\n" in got:
        return [f"{name} holds \\r\\n"]
    text = got.decode("utf-8", "backslashreplace")
    globbed = case / f"{name}.glob"
    if globbed.exists():
        want = globbed.read_text(encoding="utf-8").splitlines()
        lines = text.splitlines()
        if len(want) == len(lines) and all(fnmatch.fnmatchcase(g, glob_pattern(w)) for g, w in zip(lines, want)):
            return []
    else:
        exact = case / name
        if name.startswith("stdout") and not exact.exists():
            return ["there is no golden file stdout; --bless writes it"]
        whole = exact.read_text(encoding="utf-8") if exact.exists() else ""
        if whole == text:
            return []
        want = whole.splitlines()
        if want == text.splitlines():
            return [f"{name} differs in its last line break"]
    return list(difflib.unified_diff(want, text.splitlines(), f"golden {name}", f"this {name}", lineterm=""))


def bless(opt, case, code, out, err):
    (case / "exit").write_text(f"{code}\n")
    for name, got in ((of_this_system(opt, case, "stdout"), out), (of_this_system(opt, case, "stderr"), err)):
        if (case / f"{name}.glob").exists():
            if compare(case, name, got):
                print(f"{case.parent.name}/{case.name}: {name}.glob does not match; change it by hand")
        elif got or name.startswith("stdout"):
            (case / name).write_bytes(got)
        else:
            (case / name).unlink(missing_ok=True)


def gpu_is_here():
    """An NVIDIA GPU on the bus, which some answers then speak of."""
    vendors = pathlib.Path("/sys/bus/pci/devices").glob("*/vendor")
    return any(v.read_text().strip() == "0x10de" for v in vendors)


def why_skipped(opt, case):
    """None: it runs."""
    cmd = (case / "cmd").read_text()
    if opt.part and windows.is_simulated(cmd) and (f"{case.parent.name}/{case.name}" in windows.QUICK) != (opt.part == "quick"):
        return "of the other part"
    if opt.part == "rest" and not windows.is_simulated(cmd):
        return "of the other part"
    for name, holds in (("skip-on-windows", opt.windows), ("skip-on-aarch64", opt.arch == "aarch64"), ("skip-with-gpu", gpu_is_here())):
        if holds and (case / name).exists():
            return (case / name).read_text().strip()
    if not opt.gen and "$GEN" in cmd:
        return "needs --gen"
    if not opt.sim and ("$SIM" in cmd or "$WITH_SIMCUDA" in cmd):
        return "needs --sim"
    return None


def check(opt, case, code, out, err):
    problems = []
    if not (case / "exit").exists():
        problems.append("there is no golden file exit; --bless writes it")
    elif int((case / "exit").read_text()) != code:
        problems.append(f"exit code {code}, golden {(case / 'exit').read_text().strip()}")
    return problems + compare(case, of_this_system(opt, case, "stdout"), out) + compare(case, of_this_system(opt, case, "stderr"), err)


def main():
    opt = options()
    cases = find_cases(set(opt.cases))
    failed = skipped = 0
    if not cases:
        sys.exit("run.py: no such case")
    if opt.answers:
        shutil.rmtree(opt.answers, ignore_errors=True)
        opt.answers.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="jitwarm-tool-") as folder:
        tools = wrapper(opt, pathlib.Path(folder))
        for name, case in cases:
            reason = why_skipped(opt, case)
            if reason:
                print(f"SKIP {name}: {reason}")
                skipped += 1
                continue
            code, out, err, raw = run_case(opt, case, tools)
            if opt.windows and windows.ended_before_its_start(code, out, err):
                print(f"  {name}: a program ended before its start; tried again (docs/windows.md)")
                code, out, err, raw = run_case(opt, case, tools)
            if opt.answers and raw.startswith(b"{"):
                (opt.answers / (name.replace("/", "-") + ".json")).write_bytes(raw)
            if opt.bless:
                bless(opt, case, code, out, err)
                continue
            problems = check(opt, case, code, out, err)
            if problems:
                failed += 1
                print(f"FAIL {name}", *problems, sep="\n    ")
    print(f"{len(cases)} cases, {skipped} skipped, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
