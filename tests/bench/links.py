#!/usr/bin/env python3
"""links.py FILE... [--driver 550] [--gpu sm_90] [--runs N] [--cold-runs N] [--tool JITWARM] [--phantom LIBRARY]

What a library costs that the driver links at load, over src/phantom (no GPU is needed): its first start with an empty cache, its start
after prime, and the link alone. The start is that of tests/real/linker.py, which shares no code with jitwarm. A row of docs/benchmarks.md's
table for each file: medians of the runs; that the start after prime adds no entry is checked. One cold start by default: it is the long one, and --json has
all as a line of JSON. Run it alone on a machine: it is the clock's time.

docs/benchmarks.md names the libraries (libnccl.so.2 of the wheel cupy-cuda90 5.4.0 is one)."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def median(values):
    return round(statistics.median(values), 3)


def measure(o, file):
    with tempfile.TemporaryDirectory(prefix="jitwarm-links-") as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "JITWARM_", "XDG_"))}
        env |= {"HOME": home, "JITWARM_PHANTOM": str(o.phantom.resolve()), "CUDA_CACHE_MAXSIZE": "4294967296",
                "JITWARM_DRIVERS": os.environ.get("JITWARM_DRIVERS", os.path.expanduser("~/.cache/jitwarm-drivers"))}

        def run(cache, *words):
            done = subprocess.run([ROOT / "scripts/with-driver", "--driver", o.driver, "--gpu", o.gpu, "--", *words], capture_output=True, text=True,
                                  env=env | {"CUDA_CACHE_PATH": f"{home}/{cache}"}, check=False)
            if done.returncode:
                sys.exit(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        def start(cache):
            answer = json.loads(run(cache, sys.executable, ROOT / "tests/real/linker.py", file))
            if answer["answer"]:
                sys.exit(f"the driver answers {answer['answer']}")
            return answer

        cold = [start(f"cold{n}") for n in range(o.cold_runs)]
        began = time.monotonic()
        run("primed", o.tool, "prime", "--yes", file)
        primed = round(time.monotonic() - began, 3)
        links = [json.loads(run("primed", o.tool, "verify", "--json", file))["verify"]["links"] for _ in range(o.runs)]
        warm = [start("primed") for _ in range(o.runs)]
    if any(w["new_entries"] for w in warm):
        sys.exit(f"the start after prime compiles: {warm}")
    return {"file": file.name, "driver": o.driver, "gpu": o.gpu, "runs": o.runs, "cold_runs": o.cold_runs, "inputs": warm[0]["inputs"],
            "entries": cold[0]["new_entries"], "cold_seconds": median(c["seconds"] for c in cold), "prime_seconds": primed,
            "after_prime_seconds": median(w["seconds"] for w in warm),
            "link_seconds": median(sum(one["milliseconds"] or 0 for one in each) / 1000 for each in links)}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("files", type=pathlib.Path, nargs="+")
    p.add_argument("--driver", default="550")
    p.add_argument("--gpu", default="sm_90")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--cold-runs", type=int, default=1)
    p.add_argument("--json", action="store_true")
    p.add_argument("--tool", type=pathlib.Path, default=ROOT / "build/release/jitwarm")
    p.add_argument("--phantom", type=pathlib.Path, default=ROOT / "build/release/libjitwarm-phantom.so")
    o = p.parse_args()
    if not o.json:
        print("library | driver, GPU | inputs, their entries | an empty cache | prime | after prime | the link alone\n--- | --- | --- | --- | --- | --- | ---")
    for file in o.files:
        one = measure(o, file)
        print(json.dumps(one) if o.json else f"{one['file']} | {o.driver}, {o.gpu} | {one['inputs']}, {one['entries']} | {one['cold_seconds']} s | "
              f"{one['prime_seconds']} s | {one['after_prime_seconds']} s | {one['link_seconds']} s", flush=True)


if __name__ == "__main__":
    main()
