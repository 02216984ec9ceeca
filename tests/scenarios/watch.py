#!/usr/bin/env python3
"""watch.py --tool TOOL --sim FOLDER --gen FOLDER

doctor --watch tells PTX that fails from PTX that is slow: TensorFlow 2.19 on an RTX 50, of which it is reported that compiling ends with
CUDA_ERROR_INVALID_PTX. The program maps the package's library and loads a module, which the simulated driver refuses (error 218).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

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
sys.stdin.read()
"""


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    o = p.parse_args()
    with tempfile.TemporaryDirectory(prefix="jitwarm-watch-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        m = Machine(o, pathlib.Path(scratch) / "m")
        _, site = m.environment("tensorflow")
        info = site / "tensorflow-2.19.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.19.0\n")
        (info / "RECORD").write_text("tensorflow/libtensorflow.so,,\n")
        env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        env.update(HOME=str(m.home), JITWARM_SYSROOT=str(m.root), SIMCUDA_DIR=o.sim, LC_ALL="C.UTF-8", XDG_STATE_HOME=str(m.home / "state"))
        play = [str(WITH_SIMCUDA), "--gpu", "sm_120"]
        with subprocess.Popen([*play, "--", o.tool, "doctor", "--watch", "--json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
            try:
                assert "watching" in watch.stderr.readline()
                program = subprocess.Popen([*play, "--faults", "badptx@*", "--", sys.executable, "-c", PROGRAM, str(site / "tensorflow/libtensorflow.so")],
                                           env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
    for word in ("tensorflow 2.19.0 on sm_120", "CUDA_ERROR_INVALID_PTX"):
        if word not in event["why"]:
            sys.exit(f"{word!r} is not said: {event}")


if __name__ == "__main__":
    main()
