#!/usr/bin/env python3
"""test_log_texts.py TOOL TABLE: doctor --log - explains each row of errors.csv, by a line that a
program really printed, or by the driver's own name and sentence for it (driver_errors.txt)."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

tool, table = sys.argv[1:3]
bad = 0
with open(pathlib.Path(__file__).parent / "driver_errors.txt", encoding="utf-8") as file:
    driver = {
        number: (name, says.strip())
        for number, name, says in (line.split(" ", 2) for line in file)
    }
with open(table, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))


def line_of(row):
    if row["example"] or row["kind"] == "log":
        return row["example"]
    name, says = driver[row["code_or_text"]]
    if name != row["name"] or says.rstrip(".") != row["says"]:
        sys.exit(f"the driver calls {row['code_or_text']} {name}: {says}")
    return f"failed call to cuInit: {name}: {says}"


def told_wrongly(row, line, errors):
    library = re.search(r"(libcu\w*)[\w.]*", line)
    wanted = {
        "meaning": row["meaning_for_doctor"].replace("{library}", library[0] if library else ""),
        "remedy": row["remedy"],
        "command": row["command"].replace("{library}", library[1] if library else "") or None
    }
    if row["value"]:  # for sh, or for Windows, where a row in the same log is of it
        windows = any("set \"" in (e["command"] or "") for e in errors)
        wanted["command"] = ('set "{variable}={value}"'
                             if windows else "export {variable}={value}").format(**row)
    wanted["command"] = f"unset {row['variable']}" if row[
        "variable"] and not row["value"] else wanted["command"]
    if row["severity"] == "note" and errors:
        return f"{line}\n  is a note alone, and is told"
    if row["severity"] != "note" and not any(
            all(e[k] == wanted[k] for k in wanted) for e in errors):
        return f"{line}\n  is not told as: {wanted}\n  but as: {errors}"
    return None


# Each alone, in a terminal of 60 columns: five lines, and a sixth for what else the log names.
for row in rows:
    done = subprocess.run([tool, "doctor", "--log", "-"], input=line_of(row), capture_output=True,
                          text=True, check=False, env={**os.environ, "COLUMNS": "60"})
    if sum(-(-len(line) // 60) for line in done.stdout.splitlines()
           if not line.startswith("On ")) > 5:
        sys.exit(f"more than five lines: {done.stdout}")

# Eight rows in a log, which tells sixteen errors, each once: neighbours in the table may be alike.
for log in (rows[n::len(rows) // 8 + 1] for n in range(len(rows) // 8 + 1)):
    lines = [line_of(row) for row in log]
    text = "".join(f"an epoch went by\n{line}\n" for line in lines)
    done = subprocess.run([tool, "doctor", "--log", "-", "--json"], input=text, capture_output=True,
                          text=True, check=False, env={**os.environ, "SHELL": "/bin/sh"})
    told = json.loads(done.stdout)["errors"]
    for n, (row, line) in enumerate(zip(log, lines), 1):
        wrong = told_wrongly(row, line, [e for e in told if e["line"] == 2 * n])
        bad += wrong is not None
        print(wrong or "", end="\n" if wrong else "")
sys.exit(f"{bad} of {len(rows)} lines are not explained" if bad else 0)
