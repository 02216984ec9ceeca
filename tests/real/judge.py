#!/usr/bin/env python3
"""judge.py ROW|all [DRIVER[@GPU]...] [--build FOLDER]
Whether what jitwarm says of real libraries is true, on NVIDIA's own drivers over src/phantom, so no
kernel runs. Of each: the driver alone loads the modules into an empty cache, by a program that
shares no code with jitwarm (linker.py); scan; --check; prime; --check; the driver alone loads them
again from the cache that prime made, and may add or change no entry, nor open its compiler; the
entries of both caches are equal to the byte. What the driver refuses, scan and prime have to refuse
with its error. ROW: `pair`, of two link inputs, or a row of libraries.csv; one with more modules
than a minute compiles is judged by some of them, and says "8 of 143". Without DRIVER those of the
row, or five."""
import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import real
from linker import containers
from links import CALLER, HELPER, LINKER, item, linked
from real import Machine, check, container

HERE = pathlib.Path(__file__).resolve().parent
GPUS = {"390": "sm_61", "470": "sm_86", "535": "sm_90", "550": "sm_90",
        "555": "sm_90"}  # of another driver the line says it: 525@sm_89
# What scan says of code that is too new, and the driver's answers to it and to what needs an older
# driver (docs/scan.md, *When a driver is too old*).
TOO_NEW = {
    "PTX of ISA": "222 218", "compressed with": "218", "code of CUDA 13": "200 signal-11",
    "machine code of CUDA 12": "200"
}


def library(o, row, folder):
    """The file of a row, and which part of it that is."""
    if row["row"] == "pair":
        (folder / "pair.so").write_bytes(linked(container(item(CALLER)), container(item(HELPER))))
        return folder / "pair.so", ""
    if row["package"]:
        abi = [
            "--python-version", row["python"].rstrip("m"), "--implementation", "cp", "--abi",
            f"cp{row['python']}"
        ] if row["python"] else []
        real.unpack_wheel(o, row["package"], folder, *abi, platform=row["platform"])
    file = folder / row["library"] if row["package"] else real.corpus(
        ".", row["library"], "scripts/fetch-corpus gets it")[0]
    if most := int(row["most"]):  # every third of the smaller ones, as they are
        parts = sorted(containers(file.read_bytes(), b".nv_fatbin"), key=len)
        file = folder / "part.so"
        file.write_bytes(real.library_of(*parts[:3 * most:3]))
    return file, f", {most} of {len(parts)}" if most else ""


class Cell:
    """Of one file, on one driver: what jitwarm says, and what the driver does."""

    def __init__(self, o, file, driver, gpu):
        self.driver, self.gpu, self.file, self.seconds = driver, gpu, str(
            file), collections.Counter()
        self.machine = Machine(argparse.Namespace(**vars(o) | {"gpu": gpu}), driver, alone=True)
        self.machine.play()
        self.env = self.machine.played | {"CUDA_CACHE_MAXSIZE": "4294967296"}
        self.verdict, = json.loads(
            self.jitwarm("scan", "--json", "--gpu", gpu, "--driver", driver)[1])["verdicts"]
        self.word = self.verdict["state"]
        self.alone = self.load("alone", self.machine.home / "alone")
        self.before, _ = self.jitwarm("status")
        self.asked = self.ask_otherwise()
        self.primed, said = self.jitwarm("prime", "--json", "--yes")
        self.said = json.loads(said)
        self.after, _ = self.jitwarm("status")
        self.status = json.loads(self.run("status", self.machine.o.tool, "status",
                                          "--json")[1])["answer"]
        self.again = self.load("again", self.machine.cache)
        differ = {
            name
            for name, digest in self.alone.entries.items()
            if self.again.entries.get(name, digest) != digest
        }
        twice = self.load("twice", self.machine.home / "twice").entries if differ else {}
        self.differ = {name
                       for name in differ if twice[name] == self.alone.entries[name]
                       }  # not by the driver itself: F109-unsteady-lines
        os.chdir("/")  # before this folder is gone
        shutil.rmtree(self.machine.home, ignore_errors=True)

    def run(self, what, *command, **more):
        began = os.times()
        done = subprocess.run(command, env=self.env | more, text=True, capture_output=True,
                              timeout=7200, check=False)
        self.seconds[what] += sum(os.times()[2:4]) - sum(began[2:4])
        check(done.returncode in (0, 1, -11) and "phantom:" not in done.stderr, command,
              f"{done.returncode} {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.returncode, done.stdout

    def jitwarm(self, *words):
        return self.run(words[0], self.machine.o.tool, *words, self.file)

    def ask_otherwise(self):
        """The answers of status and doctor about the file, a folder with it, and a wheel of it."""
        name, found = pathlib.Path(self.file).name, self.machine.home / "found"
        found.mkdir()
        shutil.copy(self.file, found)
        with zipfile.ZipFile(self.machine.home / "x-1-py3-none-any.whl", "w") as wheel:
            wheel.write(self.file, f"x/{name}")
        paths = self.file, str(found), wheel.filename
        said = [json.loads(self.run(verb, self.machine.o.tool, verb, "--json", path)[1])["answer"]
                for path in paths for verb in ("status", "doctor")]
        return {
            tuple(a[key] for key in ("is", "modules", "warm", "blocked"))
            for a in said if a["modules"] or not a["skipped"]
        }  # of a folder, without what loads on demand

    def load(self, what, cache):
        """What the driver answers for the modules, and for their link; new or changed entries;
        whether a module needed its compiler."""
        cache.mkdir(parents=True, exist_ok=True)
        doors, answers, new, compiler = ["modules"], collections.Counter(), 0, False
        for door in doors:
            code, said = self.run(what, sys.executable, LINKER, self.file, "--door", door,
                                  CUDA_CACHE_PATH=str(cache))
            said = json.loads(said) if not code else {
                "answer": {"signal-11": 1}, "inputs": 0, "new_entries": 0, "compiler": False
            }
            answers.update(
                said["answer"] if door == "modules" or code else {f"link-{said['answer']}": 1})
            new, compiler = new + said["new_entries"], compiler or (said["compiler"]
                                                                    and door == "modules")
            if door == "modules" and said["inputs"] and self.word != "native":
                doors.append("library" if int(self.driver) >= 550 else "link")
        entries = {
            str(p.relative_to(cache)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in cache.glob("?/?/*")
        }
        return argparse.Namespace(answers=answers, new=new, compiler=compiler, entries=entries)

    def wrong(self):
        """What is not true, or nothing."""
        own, made, word = self.alone.entries, self.again.entries, self.word
        refused = {
            code.removeprefix("link-")
            for code in self.alone.answers if code not in ("0", "209", "link-0")
        }
        tried = {
            job["why"].partition("(")[2].partition(")")[0]
            for job in self.said["jobs"] if "why" in job
        }
        odd = any(
            code.startswith(("link", "signal"))
            for code in self.alone.answers)  # counts inputs, too, or ends before the last module
        blocked = sum(n for code, n in self.alone.answers.items()
                      if code != "0" and (word == "none" or code != "209"))
        opens = refused or (self.driver == "555" and "209" in self.alone.answers
                            )  # F86-compiler-opened
        too_new = {
            code
            for words, codes in TOO_NEW.items()
            if word == "blocked" and words in self.verdict["why"] for code in codes.split()
        }
        return "; ".join(
            rule for rule, broken in {
                "a start compiles what prime left": self.again.new or (
                    self.again.compiler and not opens), "it loads otherwise after prime": self.alone
                .answers != self.again.answers, "the driver makes what prime does not": own.keys() -
                made.keys(), "prime makes what the driver does not": made.keys() -
                own.keys(), "entries differ": self.differ,
                "doctor, or a folder or wheel, has another answer": len(self.asked) > 1
                and word != "none", "status after prime": self.status != self.said["answer"],
                "status before": self.before != int(
                    bool(own or refused or word in ("none",
                                                    "blocked"))), "prime, or status after it": own
                and not refused and (self.primed or self.after), "what does not run is warm": (
                    refused or word in ("none", "blocked")) and not (self.primed and self.after),
                "the driver's errors": refused - tried - too_new, "what is blocked": word in (
                    "none", "blocked") and blocked != self.said["answer"]["blocked"] and not odd
            }.items() if broken)

    def row(self):
        own, made = self.alone.entries, self.again.entries
        answers = " ".join(f"{n}" if code == "0" else f"{n}x{code}"
                           for code, n in sorted(self.alone.answers.items()))
        return (self.driver, self.gpu, self.word, answers, self.before, self.said["compiled"],
                self.after, self.again.new, len(own),
                sum(made.get(name) == d for name, d in own.items()), f"{self.seconds['prime']:.1f}",
                f"{self.seconds['alone']:.1f}", self.wrong() or "true")


HEADS = ("library", "driver", "GPU", "scan", "modules loaded, and errors", "status",
         "prime compiles", "status", "new entries after", "entries alone", "equal",
         "processor s of prime", "alone", "so")


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("row")
    p.add_argument("driver", nargs="*")
    p.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(),
                   default=HERE.parent.parent / "build/dev")
    o = p.parse_args()
    o.tool, o.phantom, o.with_driver = str(o.build / "jitwarm"), str(
        o.build / "libjitwarm-phantom.so"), str(HERE.parent.parent / "scripts/with-driver")
    o.work, answers = o.build / "tests/real/work", []
    o.work.mkdir(parents=True, exist_ok=True)
    rows = [{"row": "pair", "drivers": ""}, *csv.DictReader((HERE / "libraries.csv").open())]
    print(f"| {' | '.join(HEADS)} |\n|{' --- |' * len(HEADS)}", flush=True)
    for row in [r for r in rows if o.row in ("all", r["row"])]:
        with tempfile.TemporaryDirectory(prefix="judge-", dir=o.work) as folder:
            try:
                file, part = library(o, row, pathlib.Path(folder))
                for driver, _, gpu in (text.partition("@")
                                       for text in o.driver or row["drivers"].split() or GPUS):
                    said = Cell(o, file, driver, gpu or GPUS[driver]).row()
                    answers.append(said[-1])
                    print(f"| {row['row']}{part} | {' | '.join(map(str, said))} |", flush=True)
            except real.Skip as why:
                print(f"SKIP: {row['row']}: {why}", flush=True)
    return 77 if not answers else int(any(a != "true" for a in answers))


if __name__ == "__main__":
    sys.exit(main())
