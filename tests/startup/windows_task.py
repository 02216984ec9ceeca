#!/usr/bin/env python3
"""windows_task.py TOOL [--emulator COMMAND]: startup install, status and remove by the Task Scheduler itself.

Under Wine its scheduler keeps a task and its name, and neither triggers nor command: so what is in the task is held against
golden files by unit.setup.startup_text, and here that it comes, is found, is replaced and goes. docs/windows.md lists the rest.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from windows import ended_before_its_start  # noqa: E402

failures = []


def check(what, holds, done=None):
    if not holds:
        failures.append(what)
        print(f"FAIL {what}", *( [done.returncode, done.stdout, done.stderr] if done else []), sep="\n  ")


class Tool:
    def __init__(self, words):
        self.words = words

    def __call__(self, *args):
        for _ in range(2):
            done = subprocess.run([*self.words, "startup", *args], capture_output=True, timeout=180, stdin=subprocess.DEVNULL)
            if not ended_before_its_start(done.returncode, done.stdout, done.stderr):
                break
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def life_of_a_task(tool, name):
    done = tool("remove")
    check(f"{name}: a clean start", done.returncode == 0, done)
    done = tool()
    check(f"{name}: nothing is installed", done.returncode == 1 and "Not installed" in done.stdout, done)
    done = tool("install", "--dry-run")
    check(f"{name}: a dry run shows the task", done.returncode == 0 and "<Delay>PT45S</Delay>" in done.stdout, done)
    check(f"{name}: a dry run registers nothing", tool().returncode == 1)
    done = tool("install")
    check(f"{name}: install", done.returncode == 0 and "Registered" in done.stdout, done)
    check(f"{name}: install again", tool("install").returncode == 0)
    done = tool("--json")
    answer = json.loads(done.stdout)
    check(f"{name}: status", done.returncode == 0 and answer["installed"] and answer["steps"][0]["kind"] == "task", done)
    done = tool("remove")
    check(f"{name}: remove", done.returncode == 0 and "Removed" in done.stdout, done)
    check(f"{name}: gone", tool().returncode == 1)


def for_everybody(tool, safe):
    done = tool("install", "--system")
    if safe:
        check("--system under Program Files", done.returncode == 0, done)
        check("--system status", tool("--system").returncode == 0)
        check("--system remove", tool("remove", "--system").returncode == 0)
        check("--system gone", tool("--system").returncode == 1)
    else:
        check("--system elsewhere", done.returncode == 4 and "Program Files" in done.stderr, done)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--emulator", default="")
    opt = parser.parse_args()
    before = shlex.split(opt.emulator)
    tool = Tool([*before, str(opt.tool.resolve())])
    life_of_a_task(tool, "where it was built")
    for_everybody(tool, False)
    root = pathlib.Path(__file__).resolve().parents[2]
    drive = pathlib.Path(os.environ.get("WINE_RUN_PREFIX", root / "build/wine")) / "drive_c" if before else pathlib.Path("C:/")
    for folder, name, safe in [("한글 폴더", "jit warm.exe", False), ("Program Files/jitwarm", "jitwarm.exe", True)]:
        place = drive / folder
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(opt.tool, place / name)
        there = Tool([*before, "C:\\" + folder.replace("/", "\\") + "\\" + name])
        life_of_a_task(there, folder)
        for_everybody(there, safe)
        shutil.rmtree(place)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
