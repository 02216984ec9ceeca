#!/usr/bin/env python3
"""test_log_texts.py TOOL TABLE: doctor --log - explains each row of errors.csv, by a line that a program really printed, or
by the driver's own name and sentence for it (driver_errors.txt)."""
import csv
import json
import pathlib
import re
import subprocess
import sys

tool, table = sys.argv[1:3]
bad = 0
with open(pathlib.Path(__file__).parent / "driver_errors.txt", encoding="utf-8") as file:
    driver = {number: (name, says.strip()) for number, name, says in (line.split(" ", 2) for line in file)}
with open(table, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))


def line_of(row):
    if row["example"] or row["kind"] == "log":
        return row["example"]
    name, says = driver[row["code_or_text"]]
    if name != row["name"] or says.rstrip(".") != row["says"]:
        sys.exit(f"the driver calls {row['code_or_text']} {name}: {says}")
    return f"failed call to cuInit: {name}: {says}"


for row in rows:
    line = line_of(row)
    text = f"an epoch went by\n{line}\nanother one\n"
    done = subprocess.run([tool, "doctor", "--log", "-", "--json"], input=text, capture_output=True, text=True, check=False)
    errors = json.loads(done.stdout)["log"]["errors"]
    library = re.search(r"(libcu\w*)[\w.]*", line)
    wanted = {"meaning": row["meaning_for_doctor"].replace("{library}", library[0] if library else ""), "remedy": row["remedy"],
              "command": row["command"].replace("{library}", library[1] if library else "")}
    if row["severity"] == "note" and errors:
        print(f"{line}\n  is a note alone, and is told")
        bad += 1
    if row["severity"] != "note" and not any(all(e[k] == wanted[k] for k in wanted) and e["line"] == 2 for e in errors):
        print(f"{line}\n  is not told as: {wanted}\n  but as: {errors}")
        bad += 1
sys.exit(f"{bad} of {len(rows)} lines are not explained" if bad else 0)
