"""A bar of your own: reads the lines of `jitwarm prime --progress json` (docs/progress.md)."""
import json
import subprocess
import sys


def prime(arguments):
    with subprocess.Popen(["jitwarm", "prime", "--progress", "json", *arguments], stdout=subprocess.PIPE, text=True,
                          encoding="utf-8") as run:
        for line in run.stdout:
            now = json.loads(line)
            if now["phase"] == "end":
                print(f"{now['warm']} of {now['total']} modules are warm ({now['end']})")
            else:
                print(f"{now['percent']} % {now['phase']}")
    return run.returncode


sys.exit(prime(sys.argv[1:]))
