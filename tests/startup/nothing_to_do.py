#!/usr/bin/env python3
"""nothing_to_do.py JITWARM SIMCUDA SAMPLES: a background run that has nothing to do is one process, and leaves GPUs asleep.

strace watches all that it opens and starts: neither the driver nor a device of it, and of a PCI device nothing but the
identity that the kernel keeps in memory (reading its configuration space would wake it). Exit 77: strace is not here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WAKES = re.compile(r'"(/dev/nvidia[^"]*|[^"]*libcuda[^"]*|[^"]*/config|/proc/driver/nvidia/gpus/[^"]*)"')
HARMLESS = {"vendor", "class", "device", "subsystem_vendor", "subsystem_device"}


def main():
    tool, driver, samples = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    if not shutil.which("strace"):
        print("SKIP: there is no strace")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="jitwarm-asleep-") as name:
        home = pathlib.Path(name).resolve()
        (home / "lib").mkdir()
        shutil.copy(samples / "elf/only-ptx.so", home / "lib")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "JITWARM", "CUDA_", "LD_LIBRARY", "SIMCUDA"))}
        env |= {"HOME": str(home), "JITWARM_DRIVER": str(driver)}
        subprocess.run([tool, "prime", "--as-root", "-q", "--yes", "--cache", home / "cache", home / "lib"], env=env, check=True,
                       stdout=subprocess.DEVNULL)
        # The first run without PATH looks at what is installed, too.
        subprocess.run([tool, "prime", "--as-root", "-q", "--yes", "--cache", home / "cache"], env=env, check=True,
                       stdout=subprocess.DEVNULL)
        run = [tool, "prime", "--as-root", "--if-stale", "--background", "--jobs", "2", "--cache", home / "cache"]
        # What such a run looks at differs from a prime by hand: the first one may have something to prove.
        subprocess.run(run, env=env, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=open,openat,execve,fork,vfork,clone,clone3", *run], env=env,
                              capture_output=True, text=True)
        if "ptrace" in done.stderr and done.returncode:
            print(f"SKIP: strace may not watch here: {done.stderr[:200]}")
            sys.exit(77)
        lines = done.stderr.splitlines()
        wrong = [line for line in lines if WAKES.search(line) and "ld.so" not in line]
        wrong += [line for line in lines if "/sys/bus/pci/devices/" in line and "ENOENT" not in line
                  and line.split('"')[1].rsplit("/", 1)[-1] not in HARMLESS | {""} and "O_DIRECTORY" not in line]
        started = [line for line in lines if re.search(r"\b(execve|fork|vfork|clone3?)\(", line)]
        print(done.stdout, *wrong, *started, sep="\n")
        ok = done.returncode == 0 and not wrong and len(started) == 1 and "Nothing to do" in done.stdout
        sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
