#!/usr/bin/env python3
"""test_log_texts.py TOOL TABLE: doctor --log - explains each line of errors.csv that a program really printed."""
import csv
import json
import subprocess
import sys

tool, table = sys.argv[1:3]
bad = known = 0
with open(table, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
for row in rows:
    if not row["example"] or row["code_or_text"].startswith("Adding visible gpu"):
        continue
    text = f"an epoch went by\n{row['example']}\nanother one\n"
    done = subprocess.run([tool, "doctor", "--log", "-", "--json"], input=text, capture_output=True, text=True, check=False)
    findings = [f for f in json.loads(done.stdout)["findings"] if f["id"] == "log-complaint"]
    known += 1
    wanted = (row["meaning_for_doctor"], row["remedy"] or None, row["command"] or None)
    if not any(f["text"].endswith(wanted[0]) and (f["fix"], f["command"]) == wanted[1:] for f in findings):
        print(f"{row['example']}\n  is not told as: {wanted}\n  but as: {[(f['text'], f['fix']) for f in findings]}")
        bad += 1
if known < 60 or len(rows) < 130:
    sys.exit(f"only {known} real lines of {len(rows)} texts")
sys.exit(f"{bad} of {known} lines are not explained" if bad else 0)
