#!/usr/bin/env python3
"""scenarios.py TOOL scenario ID | list

What jitwarm must tell the people that it is made for. A scenario is one line of their list: what they ask, how jitwarm ends, and
what the answer must say.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LOG = str(HERE / "logs" / "tf231-rtx3070.log")
# id: what is asked, the exit code, what must all be in the text
SCENARIOS = {
    # TensorFlow on an RTX 3070 under Windows: the log, and the name
    "000-log": (["doctor", "--log", LOG], 1, "pauses for 235.7 s", "Adding visible gpu devices: 0",
                "waits while the driver compiles", "in this log it took 3 min 56 s", "GeForce RTX 3070 (compute capability 8.6)", "(compute_70)",
                "CUDA_CACHE_MAXSIZE=1073741824", "once per driver version", "TensorFlow 2.5 to 2.6 (CUDA 11.2) has machine code for it"),

    # the same on Linux, where the log names cuBLAS alone: what the evidence allows, and what to do
    "000-log-linux": (["doctor", "--log", str(HERE / "logs" / "tf-rtx3090-linux.log")], 1, "pauses for 690.1 s", "the log names CUDA 10.1 and no version",
                      "where it has none for the GPU", "(compute_70)", "in this log it took 11 min 30 s", "To do jitwarm env apply --max-size 1073741824"),

    # documents that speak of software, and hold nothing that a program printed
    **{f"prose-{name}": (["doctor", "--log", str(HERE / "logs" / f"prose-{name}.txt")], 1, "this is not what a program printed", "To do jitwarm doctor")
       for name in ("laptops", "gpu-chapter", "pods")},

    # TensorFlow on Pascal
    "002-1": (["doctor", "--log", str(HERE / "logs" / "tf09-gtx1070.log")], 1, "may compute wrong results", "CUDA 8.0 or newer"),
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
