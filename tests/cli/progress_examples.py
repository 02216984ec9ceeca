#!/usr/bin/env python3
"""The examples of docs/progress.md, run against the simulated driver: each compiles or runs as it stands, shows percentages that
never fall, and ends with prime's exit code. The stream itself is held against its schema's promises."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None


def check(holds, what, said):
    if not holds:
        sys.exit(f"{what}\n{said}")


def run(command, env, folder):
    got = subprocess.run([str(word) for word in command], env=env, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    return got.returncode, got.stdout, got.stderr


def check_schema(opt, lines):
    if not jsonschema:
        return
    schema = json.loads((opt.examples.parents[1] / "schema/jitwarm.progress.json").read_text(encoding="utf-8"))
    for line in lines:
        jsonschema.validate(line, schema, jsonschema.Draft7Validator)
        missing = set(line) - set(schema["properties"])
        check(not missing, "the schema has all fields", str(missing))


def stream(opt, env, folder):
    code, out, err = run([opt.tool, "prime", "--as-root", "--yes", "--progress", "json", "--cache", folder / "c0", "lib"], env, folder)
    lines = [json.loads(line) for line in out.splitlines()]
    last = lines[-1]
    phases = [line["phase"] for line in lines]
    percents = [line["percent"] for line in lines if line["phase"] == "compile"]
    check(code == 0 and last["exit"] == 0 and last["end"] == "done" and last["warm"] == last["total"] > 0, "the last line", out + err)
    check(all(line["schema"] == "jitwarm.progress/1" for line in lines), "the schema", out)
    check(len({line["started"] for line in lines[:-1]}) == 1, "it started once", out)
    check(phases.count("end") == 1 and "compile" in phases, "the phases", out)
    check(percents == sorted(percents) and percents[-1] == 100, "percentages of one phase never fall, and end at 100", out)
    check_schema(opt, lines)
    whats = [slot["what"] for line in lines[:-1] for slot in line["slots"]]
    check(not any("_Z" in what for what in whats), "plain names", out)
    code, out, err = run([opt.tool, "prime", "--as-root", "--progress", "json", "--json", "lib"], env, folder)
    check(code == 2 and json.loads(out)["schema"] == "jitwarm.error/1", "two answers on one stream are refused", out + err)
    (folder / "empty").mkdir()
    code, out, err = run([opt.tool, "prime", "--as-root", "--progress", "json", "--cache", folder / "c0", "nowhere"], env, folder)
    check(code == 2 and json.loads(out)["exit"] == 2, "a failure has a last line, too", out + err)


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "gen", "sim", "examples"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("lib", "home", "bin"):
            (folder / part).mkdir()
        (folder / "bin/jitwarm").symlink_to(opt.tool)
        for sample in ("registered.so", "only-ptx.so"):
            shutil.copy(opt.gen / "elf" / sample, folder / "lib")
        env = {"container": "test", "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder / "home"), "JITWARM_DRIVER": str(opt.sim / "libcuda.so.1"),
               "SIMCUDA_COST": "0+400"}
        stream(opt, env, folder)
        subprocess.run([opt.cc, "-std=c11", "-Wall", "-Werror", "-o", folder / "example", opt.examples / "progress.c"], check=True)
        for i, command in enumerate(([folder / "example"], [sys.executable, opt.examples / "progress.py"], ["sh", opt.examples / "progress.sh"])):
            code, out, err = run([*command, "--as-root", "--yes", "--cache", folder / f"c{i + 1}", "lib"], env, folder)
            check(code == 0 and re.search(r"(?m)^100 %", out), f"{command[-1]}: the bar gets to its end", f"exit {code}\n{out}{err}")
            code, out, err = run([*command, "nowhere"], env, folder)
            check(code == 2, f"{command[-1]}: the exit code is prime's", f"exit {code}\n{out}{err}")


main()
