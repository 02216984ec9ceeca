#!/usr/bin/env python3
"""gen_facts.py TABLES [OUT.c]: checks the tables of src/facts/tables, writes them as C for
src/facts/rows.h.

Same tables, same bytes. What is wrong is named by file, line and column, all of it before exit 1.
Without OUT.c it only checks."""
import csv
import pathlib
import re
import sys

CONFIDENCE = "high|medium|low"
SM = r"sm_\d{2,3}"
PLACES = ("tree", "folder", "prefix", "conda", "app", "list")

# column: what its text must look like; a column with ? may be missing.
COLUMNS = {
    "archs.csv": {
        "sm": r"\d{2,3}", "suffix": r"(a|a;f)?", "family": r"[A-Z][a-z]{1,10}",
        "first_driver_branch_linux": r"\d{3}|tegra", "last_driver_branch": r"(\d{3}|tegra)?",
        "first_ptx_isa": r"\d\.\d", "isolated": "[01]", "confidence": CONFIDENCE, "source": ".+",
        "notes": ".*"
    },
    "chips.csv": {
        "chip_prefix": "[A-Z0-9]{4,6}", "sm": SM, "confidence": CONFIDENCE, "notes": ".*"
    },
    "gpus.csv": {
        "pci_device_id": r"([0-9a-f]{4})?", "subsystem": r"([0-9a-f]{4}:[0-9a-f]{4})?",
        "name": "[ -~]{2,87}", "chip": r"[A-Z0-9]{4,6}", "source": ".+", "confidence": CONFIDENCE,
        "notes": ".*"
    },
    "driver_branches.csv": {
        "driver_branch": r"\d{3}", "cuda_version_reported": r"\d+\.\d", "max_ptx_isa": r"\d\.\d",
        "newest_code": r"(\d\d\.\d)?", "module_ms": r"(\d{1,3})?", "confidence": CONFIDENCE,
        "source": ".+", "notes": ".*"
    },
    "places.csv": {
        "when": "shell|usual", "systems": "linux|windows|both", "kind": "|".join(PLACES),
        "pattern": r"(\$[A-Za-z_]+|~)?(/[\w .*+-]+)+|\$[A-Z_]+", "package": "[ -~]*", "notes": ".*"
    },
    "errors.csv": {
        "kind": "cuda|log", "code_or_text": "[ -~]+", "name": "[ -~]*", "also": r"\w*",
        "says": "[ -~]*", "severity": "problem|warning|note", "meaning_for_doctor": "[ -~]+",
        "cause": "[ -~]*", "remedy": "[ -~]*", "variable": r"\w*", "value": "[ -~]*",
        "command": "[ -~]*", "example": "[ -~]*", "confidence": CONFIDENCE, "source": ".+"
    },
}
# What makes a row the only one of its kind.
KEYS = {
    "archs.csv": ("sm", ),
    "chips.csv": ("chip_prefix", ),
    "gpus.csv": ("pci_device_id", "subsystem", "name"),
    "driver_branches.csv": ("driver_branch", ),
    "errors.csv": ("kind", "code_or_text"),
    "places.csv": ("pattern", ),
}

problems = []


class Row(dict):
    """One line of a table: the text of each column, and where it stands."""
    def __init__(self, file, line, fields):
        super().__init__(fields)
        self.file, self.line = file, line

    def wrong(self, column, what):
        problems.append(f"{self.file}:{self.line}: {column}: {what} ({self.get(column, '')!r})")


def read(folder, name):
    want, rows, seen = COLUMNS[name], [], {}
    with open(folder / name, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        head = next(reader, [])
        known = {column.rstrip("?"): pattern for column, pattern in want.items()}
        missing = [c for c in want if not c.endswith("?") and c not in head]
        for column in [*missing, *(c for c in head if c not in known)]:
            problems.append(
                f"{name}:1: {column}: {'missing' if column in missing else 'unknown column'}")
        if missing:
            return rows
        for fields in reader:
            row = Row(name, reader.line_num, zip(head, fields))
            if len(fields) != len(head):
                row.wrong(head[0], f"{len(fields)} columns instead of {len(head)}")
                continue
            for column in head:
                if column in known and not re.fullmatch(known[column], row[column]):
                    row.wrong(column, f"does not look like {known[column]}")
            key = tuple(row[c] for c in KEYS[name])
            if key in seen:
                row.wrong(KEYS[name][0], f"the same as line {seen[key]}")
            seen[key] = row.line
            rows.append(row)
    return rows


def version(text):
    return tuple(int(part) for part in text.split("."))


def check_order(rows, column, value):
    for before, row in zip(rows, rows[1:]):
        if value(row) <= value(before):
            row.wrong(column, "out of order")


def check_archs(rows):
    check_order(rows, "sm", lambda r: int(r["sm"]))
    for row in rows:
        first, last = row["first_driver_branch_linux"], row["last_driver_branch"]
        if (first == "tegra") != (last == "tegra") and last:
            row.wrong("last_driver_branch", "Tegra or not?")
        if first == "tegra" and row["isolated"] == "0":
            row.wrong("isolated", "a Tegra arch gives and takes no SASS across minors")
        if first.isdigit() and last.isdigit() and int(last) < int(first):
            row.wrong("last_driver_branch", "older than the first one")


def check_chips(chips, archs):
    known = {"sm_" + r["sm"] for r in archs}
    for row in chips:
        if row["sm"] not in known:
            row.wrong("sm", "not in archs.csv")


def check_gpus(gpus, chips):
    sm = {r["chip_prefix"]: r["sm"] for r in chips}
    check_order([r for r in gpus if r["pci_device_id"]], "pci_device_id",
                lambda r: (r["pci_device_id"], r["subsystem"]))
    for before, row in zip(gpus, gpus[1:]):
        if row["pci_device_id"] and not before["pci_device_id"]:
            row.wrong("pci_device_id", "behind the integrated GPUs, which come last")
    device = {}
    for row in gpus:
        if row["chip"] not in sm:
            row.wrong("chip", "not in chips.csv")
            continue
        if row["subsystem"] and not row["pci_device_id"]:
            row.wrong("subsystem", "without a device id")
        if row["pci_device_id"] and device.setdefault(row["pci_device_id"],
                                                      sm[row["chip"]]) != sm[row["chip"]]:
            row.wrong("chip", "another row of this device has one of another architecture")


def check_branches(rows):
    check_order(rows, "driver_branch", lambda r: int(r["driver_branch"]))
    for column in ("cuda_version_reported", "max_ptx_isa"):
        for before, row in zip(rows, rows[1:]):
            if version(row[column]) < version(before[column]):
                row.wrong(column, "older than that of an older driver")


def check_errors(rows):
    for row in rows:
        if row["kind"] == "cuda" and not (row["code_or_text"].isdigit() and row["name"]):
            row.wrong("code_or_text", "a CUDA error is a number with a name")
        if row["kind"] == "log" and not row["example"]:
            row.wrong("example", "a text of a log comes with a line that holds it")
        if row["severity"] == "problem" and not row["remedy"]:
            row.wrong("remedy", "a problem has a remedy")
        if row["variable"] and row["command"] or row["value"] and not row["variable"]:
            row.wrong("variable",
                      "a row sets it to a value, unsets it without one, or has a command")
        if re.search(r"(^|; *|& *)(export|set|setenv|unset) ", row["command"]):
            row.wrong(
                "command",
                "a variable has columns of its own, since each shell sets it by another line")


class Pool:
    """All texts behind one another, each once, named by their offset; 0 is the empty one."""
    def __init__(self):
        self.bytes, self.at = bytearray(b"\0"), {"": 0}

    def add(self, text):
        if text not in self.at:
            self.at[text] = len(self.bytes)
            self.bytes += text.encode() + b"\0"
        return self.at[text]


# ISO C promises no more than 4095 bytes for a string.
def lines(data):
    return ["    " + ", ".join(map(str, data[i:i + 30])) + "," for i in range(0, len(data), 30)]


def array(kind, name, rows):
    count = name + "_n"
    return [f"const struct {kind} {name}[] = {{", *(f"    {{ {row} }}," for row in rows), "};",
            f"const size_t {count} = {len(rows)};", ""]


def pair(text):
    return ", ".join(text.split(".")[:2])


def error_row(row, pool):
    """A number of CUDA's with its names and sentence, or a text of a log."""
    cuda = row["kind"] == "cuda"
    cells = [
        row["code_or_text"] if cuda else 0, ("problem", "warning", "note").index(row["severity"]),
        pool.add(row["name"] if cuda else row["code_or_text"]),
        *(pool.add(row[c]) for c in ("also", "says", "meaning_for_doctor", "cause", "remedy",
                                     "variable", "value", "command"))
    ]
    return ", ".join(map(str, cells))


def place_row(row):
    systems = [str(int(row["systems"] in (system, "both"))) for system in ("linux", "windows")]
    package = f'"{row["package"]}"' if row["package"] else "NULL"
    return ", ".join([
        str(int(row["when"] == "shell")), *systems, f"JW_PLACE_{row['kind'].upper()}",
        f'"{row["pattern"]}"', package
    ])


def c_source(t):
    pool, out = Pool(), ["/* Made by scripts/gen_facts.py from src/facts/tables; edit those. */",
                         '#include "facts/places.h"\n#include "facts/rows.h"', ""]

    def branch(text):
        return int(text) if text.isdigit() else 0

    out += array("jw_arch_fact", "jw_facts_archs", [
        f"{r['sm']}, {branch(r['first_driver_branch_linux'])}, {branch(r['last_driver_branch'])}, "
        f"{pair(r['first_ptx_isa'])}, {r['isolated']}, {int('a' in r['suffix'])}, "
        f"{int('f' in r['suffix'])}"
        for r in t["archs.csv"]
    ])
    at = {r["chip_prefix"]: i for i, r in enumerate(t["chips.csv"])}
    out += array("jw_chip_row", "jw_facts_chips",
                 [f"{r['sm'][3:]}, \"{r['chip_prefix']}\"" for r in t["chips.csv"]])
    out += array("jw_gpu_row", "jw_facts_gpus", [
        "0x{}, 0x{}, 0x{}, {}, {}".format(
            r["pci_device_id"] or "0", *(r["subsystem"] or "0:0").split(":"),
            pool.add("" if r["name"].startswith("(unnamed") else r["name"]), at[r["chip"]])
        for r in t["gpus.csv"]])
    ms = next(r["module_ms"] for r in t["driver_branches.csv"] if r["module_ms"])
    for r in t[
            "driver_branches.csv"]:  # one that was not measured is taken to be as the one before it
        ms = r["module_ms"] = r["module_ms"] or ms
    out += array("jw_branch_row", "jw_facts_branches", [
        f"{r['driver_branch']}, {pair(r['cuda_version_reported'])}, {pair(r['max_ptx_isa'])}, "
        f"{r['newest_code'].replace('.', '') or 0}, {r['module_ms']}"
        for r in t["driver_branches.csv"]
    ])
    errors = Pool()
    out += array("jw_error_row", "jw_facts_errors", [error_row(r, errors) for r in t["errors.csv"]])
    out += array("jw_place_row", "jw_facts_places", [place_row(r) for r in t["places.csv"]])
    if len(pool.bytes) > 0xffff:
        problems.append("all tables: the texts are longer than a 16-bit offset can say")
    for name, texts in ("jw_facts_pool", pool), ("jw_facts_texts", errors):
        out += [f"const char {name}[] = {{", *lines(texts.bytes), "};", ""]
    return "\n".join(out)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    t = {name: read(folder, name) for name in COLUMNS}
    if not problems:
        check_archs(t["archs.csv"])
        check_chips(t["chips.csv"], t["archs.csv"])
        check_gpus(t["gpus.csv"], t["chips.csv"])
        check_branches(t["driver_branches.csv"])
        check_errors(t["errors.csv"])
    text = "" if problems else c_source(t)
    if problems:
        sys.exit("\n".join(problems))
    if len(sys.argv) == 3:
        pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
