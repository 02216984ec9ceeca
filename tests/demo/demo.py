#!/usr/bin/env python3
"""demo.py SCRIPT BUILD [--nvidia]: scripts/demo runs to its end, and what its table says is so: the
program started slowly once, and fast after prime and after import, in a home where the driver wrote
nothing new."""
import re
import subprocess
import sys

def fail(what, output):
    sys.exit(f"{what}\n{output}")


def main():
    script, build, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    run = subprocess.run([script, *options, build], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out = run.stdout
    if run.returncode == 77 or (options and "could not be fetched" in out):
        print("SKIP: " + out.strip().splitlines()[-1])
        return 77
    if run.returncode != 0:
        fail(f"exit code {run.returncode}", out)
    starts = [
        float(s) for s in re.findall(r"^app: 16 modules loaded, ready after ([\d.]+) s$", out, re.M)
    ]
    table = [float(s) for s in re.findall(r"^(?:without|after|on a second).* ([\d.]+)$", out, re.M)]
    if len(starts) != 3 or table != starts:
        fail(f"three starts, and the same in the table: {starts} {table}", out)
    cold, warm, imported = starts
    if not (warm * 4 < cold and imported * 4 < cold):
        fail(f"the warm starts are fast: {starts}", out)
    plain = " ".join(out.split())
    if plain.count(
            "All 16 modules"
    ) < 2 or "A fresh process loaded them and" not in plain or "Added 16" not in plain:
        fail("primed, and all entries imported", out)
    if not options and "simulated" not in out.split("$", 1)[0]:
        fail("it says first that the driver is simulated", out)
    played = subprocess.run([script, *options, "--shell", build], input="jitwarm doctor app\n",
                            capture_output=True, text=True).stdout
    if "jitwarm prime app" not in played.split("exit.")[-1]:
        fail("a shell to play on", played)
    print(out)
    return 0


sys.exit(main())
