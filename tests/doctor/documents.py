#!/usr/bin/env python3
"""documents.py TOOL: what programs printed, and the answer of doctor --log: at most six lines, the
first of which a tired person can act on."""
import os
import subprocess
import sys

TF = "I tensorflow/x.cc:1] "
DOCUMENTS = {  # name: (log, exit code, lines of the answer)
    "TensorFlow on an RTX 30": (
        f"2020-11-22 22:35:25.2: {TF}Adding visible gpu devices: 0\n2020-11-22 22:39:20.9: "
        f"{TF}Device interconnect\n"
        "Relying on driver to perform ptx compilation.\n",
        1, ("Line 1: waited 3 min 56 s, as when the driver compiles.", "Also ", "jitwarm prime")),
    "an error on Windows": (
        "C:\\x.py\nRuntimeError: CUDA error: unspecified launch failure\n", 1, ("Line 2: ",
            'set "CUDA_LAUNCH_BLOCKING=1"')),
    "PyTorch on a Blackwell": (
        "NVIDIA RTX PRO 6000 Blackwell Workstation Edition with CUDA capability sm_120 is not "
        "compatible with the current PyTorch installation.\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n",
        1, ("Line 1: this PyTorch has no code for the GPU.", "install a build that has code "
                                                             "for it")),
}

bad = []
for name, (log, code, wanted) in DOCUMENTS.items():
    for width in (60, 80):
        done = subprocess.run([sys.argv[1], "doctor", "--log", "-"], input=log, capture_output=True,
                              text=True, check=False, env={**os.environ, "COLUMNS": str(width)})
        rows = sum(-(-len(line) // width) for line in done.stdout.splitlines())
        if done.returncode != code or rows > 6 or not done.stdout.startswith(wanted[0]) or not all(
                w in done.stdout for w in wanted):
            bad.append(f"{name}, {width} columns, ends with {done.returncode}:\n{done.stdout}")
sys.exit("\n".join(bad) or 0)
