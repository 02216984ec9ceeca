#!/usr/bin/env python3
"""matrix.py --tool JITWARM --phantom LIBRARY --with-driver SCRIPT --matrix SCRIPT

scripts/fleet/matrix without a GPU, with NVIDIA's own drivers: three GPUs for each of two builds,
then machines of these six kinds, whose prime compiles nothing, and a seventh that compiles and
exports. Each cell by itself, by the blocks of docs/packs.md, makes what the loop makes. Exit 77: a
driver is not here.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DRIVERS, GPUS = ("535", "550"), ("sm_80", "sm_86", "sm_89")
OTHER_BUILD = "535.274.02"  # with the compiler of the first


def check(ok, what, *more):
    if not ok:
        sys.exit(f"not so: {what} {' '.join(map(str, more))}")


class Rig:
    def __init__(self, opt, folder):
        self.opt, self.dir, self.place, self.app = opt, folder, folder / "place", folder / "app"
        self.app.mkdir()
        (folder / "made").mkdir()
        self.place.mkdir()
        for n in range(3):
            (self.app / f"m{n}.ptx").write_text(
                f".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k{n}()\n{{\n    "
                f"ret;\n}}\n"
            )
        self.drivers = {}
        for branch in (*DRIVERS, OTHER_BUILD):
            done = subprocess.run([opt.with_driver, "--driver", branch, "--fetch-only"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 77:
                print(done.stderr)
                sys.exit(77)
            self.drivers[branch] = done.stdout.strip().splitlines()[-1]

    def env(self, name):
        home = self.dir / name
        home.mkdir(exist_ok=True)
        return {
            "HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            "JITWARM_PHANTOM": str(self.opt.phantom), "JITWARM": str(self.opt.tool),
            "JITWARM_SYSROOT": str(self.dir / "made"), "JITWARM_DRIVERS": os.environ.get(
                "JITWARM_DRIVERS", os.path.expanduser("~/.cache/jitwarm-drivers"))
        }

    def run(self, name, *words, code=0):
        done = subprocess.run([*map(str, words)], env=self.env(name), cwd=self.dir,
                              capture_output=True, text=True, timeout=500, check=False)
        check(done.returncode == code, f"{words}: exit {done.returncode}, not {code}", done.stdout,
              done.stderr)
        return done

    def here(self, driver, gpu, *words):
        return (self.opt.with_driver, "--driver", driver, "--gpu", gpu, "--", self.opt.tool, *words)

    def primes(self, name, driver, gpu):
        """A machine of that kind, enrolled: what its prime compiled."""
        conf = self.dir / name / ".config/jitwarm/jitwarm.conf"
        self.env(name)
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text(
            f"source = {self.place}\ntrust = {(self.dir / 'k.pub').read_text().splitlines()[1]}\n")
        out = json.loads(
            self.run(name, *self.here(driver, gpu, "prime", "--json", "--yes", "--as-root",
                                      self.app)).stdout)
        check(out["answer"]["is"] == "warm", f"{name} is warm", out["answer"])
        return sum(j["state"] == "warmed" for j in out["jobs"])


def starts(page):
    """How GitHub, Slurm and Kubernetes start a cell, with the variable that has its number."""
    import yaml
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.S)
    github, kubernetes = (yaml.safe_load(text) for kind, text in blocks if kind == "yaml")
    slurm = next(text for kind, text in blocks if "sbatch" in text)
    make = github["jobs"]["make"]
    check(make["strategy"]["matrix"]["cell"] == "${{ fromJSON(needs.list.outputs.cells) }}",
          "GitHub's matrix is the list")
    check(make["env"]["CELL"] == "${{ matrix.cell.cell }}", "and each job has its cell")
    check(kubernetes["spec"]["completionMode"] == "Indexed", "Kubernetes counts")
    container = kubernetes["spec"]["template"]["spec"]["containers"][0]
    return [("CELL", make["steps"][-1]["run"]),
            ("SLURM_ARRAY_TASK_ID", re.search(r"--wrap '(.*)'", slurm)[1]),
            ("JOB_COMPLETION_INDEX", container["command"][-1])]


def cell_by_cell(rig, words, packs):
    """The file `cell` of the page, with this matrix: each cell is one command."""
    page = (rig.opt.matrix.parents[2] / "docs/packs.md").read_text()
    page = page[page.index("### A cell at a time"):]
    line = re.search(r"exec scripts/fleet/matrix .* (\"\$@\") /opt/app", page)
    check(line, "the page has the file")
    (rig.dir / "cell").write_text(
        "#!/bin/sh\nexec " + " ".join(map(str, (rig.opt.matrix, *words[:-1], line[1], words[-1]))))
    (rig.dir / "cell").chmod(0o755)
    cells = json.loads(rig.run("cells", "./cell", "--list").stdout)
    check([c["cell"] for c in cells] == list(range(6)), "six cells, by number", cells)
    check({(pathlib.Path(c["driver"]).name, c["gpu"]) for c in cells} ==
          {(pathlib.Path(rig.drivers[d]).name, gpu) for d in DRIVERS for gpu in GPUS},
          "one for each kind", cells)
    for pack in rig.place.iterdir():
        pack.unlink()
    for number in reversed(range(6)):
        name, command = starts(page)[number % 3]
        rig.run("cells", "env", f"{name}={number}", "sh", "-c", command)
        check(len(list(rig.place.iterdir())) == 6 - number, "a pack for each cell", number)
    check(packs == {p.name: p.read_bytes() for p in rig.place.iterdir()},
          "they are the loop's, byte for byte")
    rig.run("cells", "./cell", "--cell", "6", code=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "phantom", "with-driver", "matrix"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        rig = Rig(opt, pathlib.Path(scratch).resolve())
        rig.run("builder", opt.tool, "key", "--no-passphrase", "--new", rig.dir / "k.key")
        words = ("--to", rig.place, "--sign", rig.dir / "k.key", "--gpu", ",".join(GPUS),
                 "--driver-files", ",".join(rig.drivers.values()), rig.app)
        rig.run("builder", opt.matrix, *words)
        packs = {p.name: p.read_bytes() for p in rig.place.iterdir()}
        check(len(packs) == 6, "a pack for each of six kinds", packs.keys())
        rig.run("builder", opt.matrix, *words)
        check(packs == {p.name: p.read_bytes()
                        for p in rig.place.iterdir()}, "the second time gives the same bytes")
        cell_by_cell(rig, words, packs)
        for driver in (*DRIVERS, OTHER_BUILD):
            for gpu in GPUS:
                check(
                    rig.primes(f"m{driver}{gpu}", driver, gpu) == 0,
                    f"{driver} {gpu}: nothing is compiled")
        check(rig.primes("seventh", "550", "sm_90") == 3, "a seventh kind compiles")
        rig.run(
            "seventh",
            *rig.here("550", "sm_90", "export", "-o", rig.place, "--sign", rig.dir / "k.key",
                      rig.app))
        check(
            rig.primes("eighth", "550", "sm_90") == 0,
            "and exports, so that the next one of its kind compiles nothing")
        rig.run("builder", opt.matrix, "--to", rig.place, code=2)


if __name__ == "__main__":
    main()
