#!/usr/bin/env python3
"""linked.py FILE --driver 550 --gpu sm_90 [--runs N] [--jobs N] (of the release build)
What programs cost that the driver links at load (nvcc -rdc=true), on NVIDIA's own drivers over src/phantom: a start with an empty cache, prime, a start
after prime, and the link alone, which is the start of a program that finds what it stored itself. The start is tests/real/linker.py's, which shares
no code with jitwarm."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "real"))
import links  # noqa: E402
from real import container  # noqa: E402

WHEEL, MEMBER = "cupy-cuda90==5.4.0", "cupy/_lib/libnccl.so.2"
# What, driver, GPU, runs. Of a cold start one: it is the long one.
CASES = (("two inputs", "550", "sm_90", 10), ("NCCL 2.3.7", "550", "sm_90", 5), ("NCCL 2.3.7", "470", "sm_86", 5))


def two_inputs(file):
    file.write_bytes(links.linked(container(links.item(links.CALLER)), container(links.item(links.HELPER))))


def nccl(file):
    """Out of the wheel, by name; False where it cannot be had."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        fetched = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--platform", "manylinux1_x86_64", *links.of("36"), "-d", folder,
                                  WHEEL], capture_output=True, check=False)
        if fetched.returncode:
            return False
        with tempfile.TemporaryDirectory(dir=folder) as tree:
            subprocess.run([sys.executable, "-m", "zipfile", "-e", *map(str, pathlib.Path(folder).glob("*.whl")), tree], check=True)
            (pathlib.Path(tree) / MEMBER).rename(file)
    return True


def driver_is_here(driver):
    return subprocess.run([ROOT / "scripts/with-driver", "--driver", driver, "--fetch-only"], capture_output=True, check=False).returncode == 0


def measure(build, file, driver, gpu, runs, *options):
    """Seconds: {cold, prime, primed: [], alone: []}. That the start after prime adds no entry is checked."""
    with tempfile.TemporaryDirectory(prefix="jitwarm-links-") as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "JITWARM_", "XDG_"))}
        env |= {"HOME": home, "SHELL": "/bin/false", "JITWARM_PHANTOM": str(build / "libjitwarm-phantom.so"), "CUDA_CACHE_MAXSIZE": "4294967296",
                "JITWARM_DRIVERS": os.environ.get("JITWARM_DRIVERS", os.path.expanduser("~/.cache/jitwarm-drivers"))}

        def run(cache, *words):
            return subprocess.run([ROOT / "scripts/with-driver", "--driver", driver, "--gpu", gpu, "--", *words], stdout=subprocess.PIPE, text=True,
                                  env=env | {"CUDA_CACHE_PATH": f"{home}/{cache}"}, check=True).stdout

        def start(cache, new):
            answer = json.loads(run(cache, sys.executable, ROOT / "tests/real/linker.py", file))
            if answer["answer"] or bool(answer["new_entries"]) != new:
                sys.exit(f"the start of {file.name} with the cache {cache}: {answer}")
            return answer["seconds"]

        cold = start("own", True)
        began = time.monotonic()
        run("primed", build / "jitwarm", "prime", "--as-root", "--quiet", "--yes", *options, file)
        primed = time.monotonic() - began
        pairs = [(start("primed", False), start("own", False)) for _ in range(runs)]
    return {"cold": cold, "prime": primed, "primed": [p for p, _ in pairs], "alone": [a for _, a in pairs]}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file", type=pathlib.Path)
    p.add_argument("--driver", required=True)
    p.add_argument("--gpu", required=True)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--jobs", default="1")
    o = p.parse_args()
    took = measure(ROOT / "build" / "release", o.file.resolve(), o.driver, o.gpu, o.runs, "--jobs", o.jobs)
    print(json.dumps(took, indent=1))


if __name__ == "__main__":
    main()
