#!/usr/bin/env python3
"""watch.py --tool TOOL --sim FOLDER --gen FOLDER

doctor --watch tells PTX that fails from PTX that is slow. It fails where that is known of the software (TensorFlow 2.19 on an RTX 50: its
compiling ends with CUDA_ERROR_INVALID_PTX, error 218), and where the PTX is newer than the driver reads (error 222). A program that is still
at work goes on: what it has so far is no total. One that ended has one, of all that it compiled. The program maps a package's library, loads a module, and waits or works on.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from machines import SCRUBBED, WITH_SIMCUDA, Machine

PROGRAM = """
import ctypes, mmap, sys
cuda = ctypes.CDLL("libcuda.so.1")
device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
file = open(sys.argv[1], "rb")
held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
ptx = b".version 8.0\\n.target sm_70\\n.address_size 64\\n.visible .entry k()\\n{\\nret;\\n}\\n\\0"
print(cuda.cuModuleLoadData(ctypes.byref(module), ptx), flush=True)
while sys.argv[2] == "works":
    pass
for line in sys.stdin:  # one module more for each, with processor time as a compile takes it
    sum(range(5000000))
    print(cuda.cuModuleLoadData(ctypes.byref(module), ptx.replace(b"k()", b"k%d()" % len(line))), flush=True)
"""


class Watched:
    """A machine with TensorFlow 2.19's name on a library, doctor --watch, and the program beside it."""

    def __init__(self, o, folder, library, *play):
        self.o = o
        m = Machine(o, folder)
        _, site = m.environment("tensorflow", library)
        info = site / "tensorflow-2.19.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.19.0\n")
        (info / "RECORD").write_text("tensorflow/libtensorflow.so,,\n")
        self.library = site / "tensorflow/libtensorflow.so"
        self.env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        self.env.update(HOME=str(m.home), JITWARM_SYSROOT=str(m.root), SIMCUDA_DIR=o.sim, LC_ALL="C.UTF-8", XDG_STATE_HOME=str(m.home / "state"))
        self.play = [str(WITH_SIMCUDA), *play]

    def watch(self, *options):
        return subprocess.Popen([*self.play, "--", self.o.tool, "doctor", "--watch", *options], env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def program(self, then, *faults, cwd=None):
        return subprocess.Popen([*self.play, *faults, "--", sys.executable, "-c", PROGRAM, str(self.library), then], env=self.env, cwd=cwd,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def fails(o, folder, row):
    """What its end says."""
    library, play, words = row
    w = Watched(o, folder, library, *play)
    with w.watch("--json") as watch:
        try:
            assert "watching" in watch.stderr.readline()
            program = w.program("waits", "--faults", "badptx@*")
            code = program.stdout.readline().strip()
            began = json.loads(watch.stdout.readline())
            program.communicate()
            event = json.loads(watch.stdout.readline())
            while event["event"] == "paused":
                event = json.loads(watch.stdout.readline())
        finally:
            watch.kill()
    if (code, began["event"], event["event"], event["new_entries"], event["cause"]) != ("218", "began", "ended", 0, "fails"):
        sys.exit(f"{code} {began} {event}")
    for word in words:
        if word not in event["why"]:
            sys.exit(f"{word!r} is not said: {event}")


def goes_on(o, folder):
    """A watch that ends before the program, which is at work."""
    w = Watched(o, folder, "only-ptx.so", "--gpu", "sm_86")
    with w.watch() as watch:
        program = None
        try:
            assert "watching" in watch.stderr.readline()
            program = w.program("works")
            code = program.stdout.readline().strip()
            began = watch.stdout.readline()
            watch.send_signal(signal.SIGINT)
            rest, _ = watch.communicate(timeout=60)
        finally:
            if program:
                program.kill()
                program.communicate()
            watch.kill()
    if code != "0" or "makes the driver compile" not in began:
        sys.exit(f"{code} {began}")
    line, todo = rest.splitlines()[0], rest.splitlines()[-1]
    if "goes on: 1 new entry (" not in line or "so far" not in line or "of processor time" not in line:
        sys.exit(f"it is not said to go on: {rest}")
    if not todo.startswith("To do     jitwarm prime --run ") or subprocess.run(["sh", "-n", "-c", todo.split(maxsplit=2)[2]], check=False).returncode:
        sys.exit(f"the last line is no command: {rest}")


def earlier(o, folder):
    """A watch that begins while a program is at work already, which is when people ask: what compiles is shown, and what may compile is said."""
    for then in "waits", "works":
        w = Watched(o, folder / then, "only-ptx.so", "--gpu", "sm_86")
        program = w.program(then)
        try:
            codes = [program.stdout.readline().strip()]
            with w.watch() as watch:
                try:
                    assert "watching" in watch.stderr.readline()
                    if then == "waits":
                        program.stdin.write("x\n")
                        program.stdin.flush()
                        codes += [program.stdout.readline().strip(), watch.stdout.readline()]
                    else:
                        time.sleep(1)
                    watch.send_signal(signal.SIGINT)
                    rest, _ = watch.communicate(timeout=60)
                finally:
                    watch.kill()
        finally:
            program.kill()
            program.communicate()
        if then == "waits" and (codes[:2] != ["0", "0"] or "makes the driver compile or link, since before this watch" not in codes[2] or "1 new entry (" not in rest
                                or "compiled for 1 program." not in rest):
            sys.exit(f"a program that had compiled before: {codes} {rest}")
        if then == "works" and ("is at work (" not in rest or "for no program that could be seen; of 1 program it is not known" not in rest or "To do     jitwarm doctor --watch" not in rest):
            sys.exit(f"a program that may compile: {codes} {rest}")


def entries_of(w):
    """How many there are in the driver's cache, and their bytes."""
    files = [f for f in pathlib.Path(w.env["HOME"], ".nv/ComputeCache").glob("*/*/*") if f.is_file()]
    return len(files), sum(f.stat().st_size for f in files)


def totals(o, folder):
    """A program that compiles, waits until that is reported, compiles again and ends: the last event has all of it, and so has the last line."""
    for json_too in True, False:
        w = Watched(o, folder / str(json_too), "only-ptx.so", "--gpu", "sm_86")
        with w.watch(*["--json"] * json_too) as watch:
            program = None
            try:
                assert "watching" in watch.stderr.readline()
                program = w.program("waits")
                codes = [program.stdout.readline().strip()]
                told = [watch.stdout.readline(), watch.stdout.readline()]  # it began, and has compiled one
                for more in "\n", "x\n":
                    program.stdin.write(more)
                    program.stdin.flush()
                    codes.append(program.stdout.readline().strip())
                program.communicate()
                told.append(watch.stdout.readline())
            finally:
                if program:
                    program.kill()
                    program.communicate()
                watch.kill()
        count, size = entries_of(w)
        if codes != ["0"] * 3 or count != 3:
            sys.exit(f"the program did not compile three modules: {codes}, {count} entries")
        if json_too:
            paused, ended = json.loads(told[1]), json.loads(told[2])
            seen = [(e["event"], e["running"], e["goes_on"], e["new_entries"]) for e in (paused, ended)]
            if seen != [("paused", True, False, 1), ("ended", False, False, 3)] or ended["new_bytes"] != size:
                sys.exit(f"no total of {size} bytes: {told}")
            if ended["processor_seconds"] < paused["processor_seconds"]:
                sys.exit(f"the total is less than a part of it: {told}")
        elif "has compiled, and left 1 new entry (" not in told[1] or "ended and left 3 new entries (" not in told[2] \
                or "of processor time" not in told[2]:
            sys.exit(f"the total is not said: {told}")


def advises(o, folder):
    """A program that ended: its command is advised in its own folder, and not once a file that it names is gone."""
    for gone in False, True:
        w = Watched(o, folder / str(gone), "only-ptx.so", "--gpu", "sm_86")
        place = folder / str(gone) / "its own place"
        place.mkdir(parents=True, exist_ok=True)
        with w.watch() as watch:
            try:
                assert "watching" in watch.stderr.readline()
                program = w.program("waits", cwd=place)
                code = program.stdout.readline().strip()
                began = watch.stdout.readline()
                program.communicate()
                if gone:
                    w.library.unlink()
                watch.send_signal(signal.SIGINT)
                rest, _ = watch.communicate(timeout=60)
            finally:
                watch.kill()
        if code != "0" or "makes the driver compile" not in began or "1 new entry" not in rest:
            sys.exit(f"{code} {began} {rest}")
        advised = f"To do     cd '{place}' && jitwarm prime --run " in rest
        if advised == gone or ("To do" in rest) == gone:
            sys.exit(f"its file is {'gone' if gone else 'there'}: {rest}")


# Library, machine, and words of the reason. The simulated driver says error 218 for both: it refuses PTX that is too new before it loads its
# compiler, and NVIDIA's does so after that (error 222).
FAILS = (("only-ptx.so", ("--gpu", "sm_120"), ("tensorflow 2.19.0 on sm_120", "CUDA_ERROR_INVALID_PTX")),
         ("ptx-too-new.so", ("--driver", "535.261.03", "--gpu", "sm_86"), ("PTX 8.4", "newer than driver 535.261.03", "error 222")))


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    o = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="jitwarm-watch-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        for number, row in enumerate(FAILS):
            fails(o, pathlib.Path(scratch) / str(number), row)
        goes_on(o, pathlib.Path(scratch) / "works")
        earlier(o, pathlib.Path(scratch) / "earlier")
        totals(o, pathlib.Path(scratch) / "totals")
        advises(o, pathlib.Path(scratch) / "advised")


if __name__ == "__main__":
    main()
