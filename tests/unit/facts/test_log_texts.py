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
bad = known = 0
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


def has_remedy(finding, remedy):
    """What the loader missed is also put on its path, and the words say so."""
    loader = "export LD_LIBRARY_PATH=" in (finding["command"] or "")
    return "have the loader look there" in finding["fix"] if loader else finding["fix"] == remedy


for row in rows:
    line = line_of(row)
    text = f"an epoch went by\n{line}\nanother one\n"
    done = subprocess.run([tool, "doctor", "--log", "-", "--json"], input=text, capture_output=True, text=True, check=False)
    findings = [f for f in json.loads(done.stdout)["findings"] if f["id"] == "log-complaint"]
    known += 1
    # "jitwarm scan" is for the file or package that the log names; without one, doctor looks for the software
    wanted = (row["meaning_for_doctor"], row["remedy"] or None, row["command"].replace("jitwarm scan", "jitwarm doctor") or None)
    # where the line names a library, the command installs that one
    if not any(re.sub(r" \(Xid \d+\)$", "", f["text"]).endswith(wanted[0]) and has_remedy(f, wanted[1]) and (f["command"] == wanted[2] or (f["command"] or "").startswith("pip install"))
               for f in findings):
        print(f"{line}\n  is not told as: {wanted}\n  but as: {[(f['text'], f['fix']) for f in findings]}")
        bad += 1
sys.exit(f"{bad} of {known} lines are not explained" if bad or known < len(rows) - 1 else 0)
