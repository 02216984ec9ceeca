#!/usr/bin/env python3
"""census.py --tool JITWARM [--write] [FILE...]

Compares what the tool finds in files of the corpus with census.csv to the byte, and with the numbers that other programs
found (expected.py); with --deep, without it, and by the samples of a plain scan. FILE is as "linux/index.node"; none: all. Exit 77: none is here.
--write makes census.csv again from the tool: read the diff before you commit it.

The lines of census.csv begin with what they are about:
    file,FILE,format,bytes,containers,lazy containers,containers for the device linker
    entries,FILE,kind,architecture,PTX ISA or format version,compression,lazy,count,stored bytes,plain bytes
    gpu,FILE,GPU,verdict,native,jit,none,lazy jit,bytes of PTX to compile,from
"""
import argparse
import collections
import csv
import pathlib
import sys

import corpus
import expected

CSV = pathlib.Path(__file__).with_name("census.csv")


def rows_of(name, file):
    yield ["file", name, *(file[k] for k in ("format", "size", "containers", "lazy_containers", "rdc_containers"))]
    for e in file["entries"]:
        version = e["isa"] if e["kind"] == "ptx" else e["code_version"]
        lazy = "lazy" if e["lazy"] else ""
        yield ["entries", name, e["kind"], e["arch"], version, e["compression"], lazy, e["count"], e["stored_bytes"],
               e["plain_bytes"]]
    for v in file["verdicts"]:
        yield ["gpu", name, v["gpu"], v["verdict"], v["native"], v["jit"], v["none"], v["lazy_jit"], v["jit_ptx_bytes"],
               " ".join(v["from"])]


def read_csv():
    with CSV.open(newline="", encoding="utf-8") as text:
        return list(csv.reader(text))


def write_csv(rows):
    with CSV.open("w", newline="", encoding="utf-8") as text:
        csv.writer(text, lineterminator="\n").writerows(rows)


class Findings:
    def __init__(self, name):
        self.name = name
        self.failed = 0

    def same(self, what, found, wanted):
        if found != wanted:
            print(f"{self.name}: {what}: {found}, not {wanted}")
            self.failed += 1


def check_csv(to, file, known):
    found = collections.Counter(",".join(map(str, row)) for row in rows_of(to.name, file))
    wanted = collections.Counter(",".join(row) for row in known if row[1] == to.name)
    for sign, rows in (("+", found - wanted), ("-", wanted - found)):
        for row in rows:
            print(f"{sign}{row}")
            to.failed += 1


def megabytes(count):
    return f"{count / 1e6:.1f}"


def total(file, key, of=lambda e: True):
    return sum(e[key] for e in file["entries"] if of(e))


def count_by(file, key):
    counts = collections.Counter()
    for e in file["entries"]:
        counts[e[key]] += e["count"]
    return dict(counts)


def check_census(to, file):
    want = expected.CENSUS[to.name]
    to.same("containers by section", dict(collections.Counter(m["section"] for m in file["modules"])), want.sections)
    to.same("entries", total(file, "count"), want.entries)
    to.same("entries by kind", count_by(file, "kind"), want.kinds)
    to.same("entries by compression", count_by(file, "compression"), want.compression)
    to.same("MB stored", megabytes(total(file, "stored_bytes")), megabytes(want.stored * 1e6))
    to.same("MB plain", megabytes(total(file, "plain_bytes")), megabytes(want.plain * 1e6))
    to.same("MB of plain PTX", megabytes(total(file, "plain_bytes", lambda e: e["kind"] == "ptx")),
            megabytes(want.ptx_plain * 1e6))
    if to.name in expected.ARCHS:
        to.same("architectures", {e["arch"] for e in file["entries"]}, expected.ARCHS[to.name])
    if to.name in expected.ISA:
        to.same("PTX ISA", {e["isa"] for e in file["entries"] if e["kind"] == "ptx"}, {expected.ISA[to.name]})


def check_matrix(to, file):
    """Of every registered container: native, jit or none."""
    for gpu, cell, v in zip(corpus.GPUS, expected.MATRIX[to.name].split(), file["verdicts"], strict=True):
        counts, _, size = cell.partition(":")
        native, jit, none = map(int, counts.split("/"))
        to.same(f"{gpu} native", v["native"], native)
        to.same(f"{gpu} jit and left out", (v["jit"], v["left_out"]), (jit, 0))
        to.same(f"{gpu} none", v["none"], none)
        to.same(f"{gpu} MB of PTX to compile", megabytes(v["jit_ptx_bytes"]), size or "0.0")


def check_lazy(to, file):
    for cell, v in zip(expected.LAZY[to.name].split(), file["verdicts"][1:], strict=True):
        count, _, size = cell.partition(":")
        to.same(f"{v['gpu']} lazy", (v["lazy_jit"], megabytes(v["lazy_ptx_bytes"])), (int(count), size))


def check(tool, name, path, known):
    to = Findings(name)
    deep = corpus.scan(tool, path, "--deep")
    quick = corpus.scan(tool, path)
    check_csv(to, deep, known)
    check_census(to, deep)
    if name in expected.MATRIX:
        check_matrix(to, deep)
    if name in expected.LAZY:
        check_lazy(to, deep)
    for key in sorted(deep.keys() | quick.keys()):
        if deep.get(key) != quick.get(key):
            print(f"{name}: {key} differ with and without --deep")
            to.failed += 1
    samples = corpus.scan(tool, path, entries=False)
    for key in sorted(samples.keys() - {"sampled_bytes"}):
        to.same(f"{key} by samples", samples[key], deep[key])
    print(f"{name}: {len(deep['modules'])} containers, {total(deep, 'count')} entries, {to.failed} differences")
    return to.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    opt = parser.parse_args()

    found = corpus.find_or_skip(opt.files or corpus.NAMES)
    known = read_csv() if CSV.exists() else []
    if opt.write:
        rows = [row for row in known if row[1] not in found]
        for name, path in found.items():
            rows += rows_of(name, corpus.scan(opt.tool, path, "--deep"))
        write_csv(sorted(rows, key=lambda row: corpus.NAMES.index(row[1])))
        return 0
    return 1 if sum(check(opt.tool, name, path, known) for name, path in found.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
