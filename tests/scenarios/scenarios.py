#!/usr/bin/env python3
"""scenarios.py TOOL scenario ID | list

What jitwarm must tell the people that it is made for: by a log, or by the name and version of software that is not here. A
scenario is one line of their list: what they ask, how jitwarm ends, and what the answer must say.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LOG = str(HERE / "logs" / "tf231-rtx3070.log")
RTX3070, GTX965M = "10de:2484", "10de:1427"
GTX1060, PRO6000, RTX3060TI = "10de:1c03", "10de:2bb1", "10de:2486"


def scan(software, *gpus, driver=None):
    line = ["scan", software]
    for gpu in gpus:
        line += ["--gpu", gpu]
    return line + (["--driver", driver] if driver else [])


# id: what is asked, the exit code, what must all be in the text
SCENARIOS = {
    # TensorFlow on an RTX 3070 under Windows: the log, and the name
    "000-log": (["doctor", "--log", LOG], 1, "pauses for 235.7 s", "Adding visible gpu devices: 0",
                "waits while the driver compiles", "GeForce RTX 3070 (compute capability 8.6)", "(compute_70)",
                "CUDA_CACHE_MAXSIZE=1073741824", "once per driver version", "TensorFlow 2.4.0 has machine code for it"),
    "000-1": (scan("tensorflow==2.3.1", RTX3070), 0, "jit", "compiled from compute_70",
              "CUDA_CACHE_MAXSIZE=1073741824", "tensorflow 2.4.0 compiles nothing", "sm_35 sm_37 sm_52 sm_60 sm_61 sm_70",
              "on one core", "pip download --no-deps tensorflow==2.3.1"),
    "000-1-check": ([*scan("tensorflow==2.3.1", RTX3070), "--check"], 1, "jit"),
    "000-3": (scan("tensorflow==2.4.0", RTX3070), 0, "native", "ptxas of CUDA 11.0 does not know sm_86; CUDA 11.1 does"),
    "000-4": (scan("tensorflow==2.10.0", RTX3070), 0, "native", "machine code for all"),
    "000-5": (scan("tensorflow==2.3.1", GTX965M), 0, "native"),

    # three equal laptops
    "001-2": (scan("tensorflow-gpu==2.10.0", "10de:24a0"), 0, "native"),

    # TensorFlow on Pascal
    "002-2": (scan("tensorflow==0.12", GTX1060, driver="361.62"), 1, "driver 361.62 does not drive this GPU", ">= 367"),
    "002-3-listed": (scan("tensorflow==1.4", GTX1060, driver="375.26"), 0, "native"),
    "002-3-not-listed": (scan("tensorflow==1.0.1", GTX1060, driver="375.26"), 0, "jit", "compute_52"),
    "002-6": (scan("torch==2.11", GTX1060), 0, "none", "error 209"),
    "002-6-new-driver": (scan("torch==2.6", GTX1060, driver="590.44.01"), 1, "does not drive this GPU"),

    "002-1": (["doctor", "--log", str(HERE / "logs" / "tf09-gtx1070.log")], 1, "may compute wrong results", "CUDA 8.0 or newer"),

    # a learner with one GPU or several
    "003-1": (scan("tensorflow==2.0.0", "10de:102d", "10de:15f8", "10de:1eb8"), 0, "native"),
    "003-2": (scan("tensorflow==2.0.0", "10de:1b80", RTX3070), 0, "native GeForce GTX 1080 (sm_61)",
              "jit NVIDIA GeForce RTX 3070 (sm_86)"),
    "003-4-cpu-wheel": (scan("tensorflow-cpu==2.3.1", RTX3070), 9, "without CUDA code"),

    # renting and buying GPUs
    "004-1": (scan("torch==2.1", "10de:2236", "10de:2231", "10de:20b0", RTX3060TI), 0, "native"),
    "004-2": (scan("torch==2.6", PRO6000), 0, "none", "error 209", "torch 2.8.0 compiles nothing"),
    "004-2-default": (scan("torch==2.7.1", PRO6000), 0, "none", "torch 2.8.0 compiles nothing"),
    "004-3": (scan("torch==2.8", PRO6000, driver="570.124.06"), 0, "native"),
    "004-4": (scan("torch==2.11", PRO6000, driver="570.124.06"), 1, "CUDA 13.0, which needs a driver >= 580",
              "compiles nothing (older)"),
    "004-5": (scan("tensorflow==2.19", PRO6000), 0, "jit", "compiling is known to fail", "CUDA_ERROR_INVALID_PTX", "25.02"),
    "004-6": (scan("onnxruntime-gpu==1.23", PRO6000), 0, "jit", "compute_90"),
    "004-9": (scan("torch==1.10", RTX3060TI), 0, "none", "torch 1.13.1 compiles nothing"),

    # what the table does not know
    "unknown-version": (scan("tensorflow==2.3.3", RTX3070), 9, "was not scanned", "2.3.1", "pip download --no-deps tensorflow==2.3.3"),
    "unknown-build": (scan("torch==2.9+cu130", PRO6000), 9, "was not scanned"),
    "unknown-name": (scan("tensorflwo==2.3.1", RTX3070), 9, "did you mean tensorflow?"),
    "name-alone": (["scan", "Onnxruntime_GPU"], 0, "scanned builds for Linux", "1.23"),
}


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(SCENARIOS))
        return
    tool, _, name = sys.argv[1:]
    args, code, *says = SCENARIOS[name]
    env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|NVIDIA_|JITWARM|XDG_|PYTHON|CONDA|VIRTUAL", k)}
    with tempfile.TemporaryDirectory(prefix="jitwarm-scenario-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        env.update(HOME=scratch, LC_ALL="C.UTF-8", XDG_STATE_HOME=f"{scratch}/state", TERM="dumb")
        done = subprocess.run([tool, *args], cwd=scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    text = re.sub(r"\s+", " ", done.stdout + done.stderr)
    bad = [f"the answer does not say {one!r}" for one in says if one not in text]
    if done.returncode != code:
        bad.append(f"exit {done.returncode} instead of {code}")
    if bad:
        sys.exit("\n".join([*bad, done.stdout, done.stderr]))


if __name__ == "__main__":
    main()
