#!/usr/bin/env python3
"""watch.py TOOL FOLDER: the second has the simulated driver.

A program that loads the driver's compiler and works is shown, once, with its cache, and so is its
end, when it stopped working; one that has a setting without a cache says that; one that loads
another library is not. Of one whose driver preloads the compiler nothing is known, and that is said.
"""
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Loads a library, works for a while, and then waits.
PROGRAM = """
import ctypes, sys, time
ctypes.CDLL(sys.argv[1])
end = time.monotonic() + 2
while time.monotonic() < end:
    pass
time.sleep(60)
"""


def main():
    tool, sim, started = sys.argv[1], pathlib.Path(sys.argv[2]), []
    compiler = sim / "libnvidia-ptxjitcompiler.so.1"
    env = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_CACHE_")}
    with tempfile.TemporaryDirectory() as home:
        env.update(HOME=home, XDG_STATE_HOME=home + "/state",
                   JITWARM_DRIVER=str(sim / "libcuda.so.1"), LC_ALL="C.UTF-8")
        watch = subprocess.Popen([tool, "doctor", "--watch=9s"], env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        for library, more in ((compiler, {}), (compiler, {"CUDA_CACHE_DISABLE": "1"}),
                              (sim / "libcuda.so.1", {}),
                              (compiler, {"CUDA_FORCE_PRELOAD_LIBRARIES": "1"})):
            started.append(
                subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, str(library)], env={**env, **more}))
        out, err = watch.communicate(timeout=60)
    for one in started:
        one.kill()
        one.wait()
    plain, off, other, preloads = (f"({one.pid})" for one in started)
    begun = [line for line in out.splitlines() if "compiles now" in line]
    done = [line for line in out.splitlines() if "is done" in line]
    first, last = ([datetime.datetime.fromisoformat(line[:19]) for line in lines]
                   for lines in (begun, done))
    wrong = []
    if len(begun) != 2 or not any(plain in b and b.endswith(f"into {home}/.nv/ComputeCache")
                                  for b in begun):
        wrong.append("the program that compiles is not shown with its cache")
    if not any(off in b and b.endswith("into no cache (CUDA_CACHE_DISABLE=1)") for b in begun):
        wrong.append("the program without a cache is not shown so")
    if other in out:
        wrong.append("a program without the compiler is shown")
    if preloads in out:
        wrong.append("a program whose driver preloads the compiler is shown")
    if "not known of 1 program that preloads" not in " ".join(err.split()):
        wrong.append("it is not said that one preloads it")
    if len(done) != 2 or any((end - start).seconds > 4 for start, end in zip(first, last)):
        wrong.append("the ends are not shown, once each")
    if watch.returncode != 0 or "Programs seen to compile: 2." not in err:
        wrong.append(f"it ends with {watch.returncode}")
    sys.exit("\n".join([out, err, *wrong]) if wrong else 0)


if __name__ == "__main__":
    main()
