#!/usr/bin/env python3
"""aarch64.py CASE (the options of real.py) --arch aarch64 --loads PROGRAM
NVIDIA's own driver for aarch64, under qemu-user on this machine, over src/phantom: what jitwarm
says and does there, against loads.c, which shares no code with jitwarm.

    works          one small application: its names are foretold, and each verb says what the driver
                   does, cold and warm; packed, taken back, started
    driver_files   packs made of a driver's files, as on a build server, by jitwarm for aarch64 and
                   by that for x86-64 (which takes a build of it)
    locks          other programs compile while prime publishes, and while the index is locked
    kills          prime is killed at any moment: what is there is whole, and the next one ends it
    changes        random changes, as truth.py has them
    libraries      real libraries: what the driver makes alone, what prime makes, and what the same
                   version for x86-64 makes (F122-two-architectures)"""
import contextlib
import csv
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import judge
import loads
import real
import truth
from real import check, container, item, records_of, why_not, with_driver

HERE = pathlib.Path(__file__).parent
LOADER = HERE / "loader.py"
PRIMED = "thundersvm torchvision tensorflow-addons torchcsprng itk-rtk".split()
LIBRARIES = [*PRIMED, *"cutwed cupy-random spconv warp".split()]
X86_64 = b"\x3e\0"  # of an ELF file
STAMP = 19  # characters at the beginning of a key: when libcuda was built


class Server(truth.Folder):
    """A server with files of PTX, containers and libraries."""

    def __init__(self, o, driver=None):
        super().__init__(o, driver)
        self.log = self.home / "phantom.log"

    def ask(self, *words, expect=(0,), **more):
        return json.loads(self.jitwarm(words[0], "--json", *words[1:], expect=expect, patience=600,
                                       **more))

    def command(self, *files):
        return [self.o.loads, *files]

    def names(self):
        return {name.replace("/", "") for name in self.entries()}

    def lose(self):
        shutil.rmtree(self.cache)

    def made_alone(self, files):
        """The entries that the driver makes without jitwarm."""
        cache = self.home / "alone"
        shutil.rmtree(cache, ignore_errors=True)
        said = loads.loaded(self, files, cache)
        check(said["compiler"] and not said["failed"], "the driver compiles by itself", said)
        return {str(p.relative_to(cache)): p.read_bytes() for p in cache.glob("?/?/*")}

    def compiles_nothing(self, files, what):
        before = self.entries()
        said = loads.loaded(self, files, self.cache)
        check(not said["compiler"] and not said["new_entries"] and not said["failed"], what, said)
        check(self.entries() == before, f"{what}: the cache stays", sorted(self.entries()))


# ---- works ----

def application(m):
    """A module in each form in which toolkits store PTX."""
    files = [m.put("a.ptx"), m.put("b.fatbin"), m.put("c.fatbin")]
    if shutil.which("cc"):
        files.append(m.put("d.so"))
    old = m.folder / "old.fatbin"
    old.write_bytes(container(item(truth.PTX.replace("42", "1"), nuls=0, isa_minor=0)))
    return [*files, old]


def is_foretold(m, files):
    scope = m.ask("doctor", m.folder, expect=(1,))["scope"]
    check(scope["level"] == "placeable" and scope["gpus"] == [m.o.gpu], "what is known", scope)
    said = m.ask("status", m.folder, expect=(1,))
    check(said["answer"]["is"] == "cold", "an empty cache", said["answer"])
    foretold = {job["entry"].replace("/", "") for job in said["jobs"]}
    own = m.made_alone(files)
    check({name.replace("/", "") for name in own} == foretold, "the names", (own.keys(), foretold))
    return own


def words_of(said):
    return " ".join(said.split())


def sees_a_start(m, file):
    """Whether a start compiled is seen from outside, by the files that its process has mapped."""
    cache = {"CUDA_CACHE_PATH": str(m.home / "seen")}
    said = words_of(m.jitwarm("doctor", "--run", *m.command(file), expect=(1,), **cache)
                    + m.errors)
    check("compiled nothing" not in said and "Compiled 1" in said, "a start that compiles", said)
    said = words_of(m.jitwarm("doctor", "--run", *m.command(file), **cache) + m.errors)
    check("This start compiled nothing" in said, "the same start again", said)


def records_a_command(m):
    """The PTX is in no file that the program maps: it is kept, and goes with the command."""
    text = m.put("../recorded.ptx")
    command = m.command(text)
    m.jitwarm("prime", "--yes", "--run", *command, patience=600)
    made = m.entries()
    m.lose()
    said = m.jitwarm("run", "--", *command, patience=600)
    check(said.split() == ["0", "none"], "run compiles before the program starts", said)
    check(m.entries().items() <= made.items(), "what it needs, byte for byte")
    said = m.jitwarm("run", "--no-compile", "--", *command)
    check(said.split() == ["0", "none"], "and again, where nothing may be compiled", said)


def works(o):
    why_not(o)
    m = Server(o)
    files = application(m)
    m.env["JITWARM_PHANTOM_LOG"] = str(m.log)
    own = is_foretold(m, files)
    sees_a_start(m, files[0])
    m.jitwarm("prime", "--yes", m.folder, patience=600)
    check(m.entries() == own, "each entry is the one that the driver makes", sorted(m.entries()))
    check(len(records_of(m.cache)) == len(own), "each has its record")
    m.compiles_nothing(files, "after prime")
    for verb in "status", "doctor":
        check(m.ask(verb, m.folder)["answer"]["is"] == "warm", verb)
    pack = m.home / "app.tar.zst"
    m.jitwarm("export", "-o", pack, m.folder)
    m.lose()
    m.jitwarm("import", "--allow-unsigned", pack, m.folder)
    check(m.entries() == own, "the entries of the pack")
    m.compiles_nothing(files, "after import")
    records_a_command(m)
    unknown = [line for line in m.log.read_text().splitlines() if "does not know" in line]
    check(not unknown, "phantom knows each call", unknown)


def jitwarms(o):
    """This one, and one for this machine, which starts the other: the one that was built last."""
    builds = [tool for tool in pathlib.Path(o.tool).parents[1].glob("*/jitwarm") if tool.is_file()]
    here = [tool for tool in builds if tool.read_bytes()[18:20] == X86_64]
    return [o.tool, *sorted(here, key=os.path.getmtime)[-1:]]


def driver_files(o):
    why_not(o)
    m = Server(o)
    files, pack = [m.put("a.ptx"), m.put("b.fatbin")], m.home / "pack.tar.zst"
    run = pathlib.Path(o.with_driver).with_name("qemu-run")
    words = ["export", "--driver-files", m.driver, "--gpu", o.gpu, "-o", pack, m.folder]
    own = m.made_alone(files)
    tools = jitwarms(o)
    for tool in tools:
        done = subprocess.run([run, tool, *words], text=True, capture_output=True, timeout=600,
                              env=m.env, check=False)
        check(done.returncode == 0 and not m.entries(), f"a pack by {tool}, and no entry", done)
        m.jitwarm("import", "--allow-unsigned", pack, m.folder)
        check(m.entries() == own, "the entries that a machine with this GPU makes")
        m.compiles_nothing(files, f"after the pack by {tool}")
        m.lose()
        pack.unlink()
        shutil.rmtree(m.home / ".local/state/jitwarm/absent-gpus")
    print(f"packed by {len(tools)} of 2")


# ---- others at work, and kills ----

def begin(m, *words):
    command = [*with_driver(m.o, m.driver), "--gpu", m.o.gpu, "--", m.o.tool, *words]
    return subprocess.Popen(command, env=m.env, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)



def locks(o):
    why_not(o)
    m = Server(o)
    files = [m.put(f"{n}.ptx") for n in range(6)]
    others = [m.put(f"../other-{n}.ptx") for n in range(6)]
    own = m.made_alone([*files, *others])
    prime = begin(m, "prime", "--yes", m.folder)
    said = loads.loaded(m, others, m.cache)
    check(not said["failed"] and prime.wait(timeout=600) == 0, "both end well", said)
    check(m.entries() == own, "no entry is lost", (sorted(m.entries()), sorted(own)))
    check(len(records_of(m.cache)) == len(own), "and no record", records_of(m.cache))
    m.compiles_nothing([*files, *others], "all of them")
    m.lose()
    m.cache.mkdir(parents=True)
    with open(m.cache / "index", "w+b") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        m.jitwarm("prime", "--yes", files[0], expect=range(1, 8), patience=600)
        check(not held.read(), "nothing is written under another program's lock")
    m.jitwarm("prime", "--yes", files[0], patience=600)
    m.compiles_nothing(files[:1], "when the lock is dropped")


def kills(o):
    why_not(o)
    dice, m = truth.drawn(o), Server(o)
    files = [m.put(f"{n}.ptx") for n in range(4)]
    own = m.made_alone(files)
    began = time.monotonic()
    m.jitwarm("prime", "--yes", m.folder, patience=600)
    took = time.monotonic() - began
    for n in range(o.runs):
        shutil.rmtree(m.cache, ignore_errors=True)
        prime = begin(m, "prime", "--yes", m.folder)
        time.sleep(dice.random() * took)
        with contextlib.suppress(ProcessLookupError):
            os.kill(prime.pid, signal.SIGKILL)
        prime.wait()
        there = m.entries()
        check(there.items() <= own.items(), f"{n}: what is there is whole", sorted(there))
        warm = m.ask("status", m.folder, expect=(0, 1))["answer"]["warm"]
        check(warm == len(there), f"{n}: status counts it", (warm, sorted(there)))
        m.jitwarm("prime", "--yes", m.folder, patience=600)
        check(m.entries() == own, f"{n}: the next prime ends it", sorted(m.entries()))
    m.compiles_nothing(files, "at last")
    print(f"{o.runs} kills, prime took {took:.1f} s")


def changes(o):
    truth.changes(o)


# ---- real libraries ----

def made_on_x86_64(m, file):
    """The entries of the driver of the same version for this machine."""
    cache = m.home / "x86_64"
    command = [m.o.with_driver, "--arch", "x86_64", "--driver", m.o.driver, "--gpu", m.o.gpu]
    words = [sys.executable, LOADER, file, "--set", f"CUDA_CACHE_PATH={cache}"]
    env = {name: value for name, value in m.env.items() if name != "JITWARM_PHANTOM"}
    done = subprocess.run([*command, "--", *words], env=env, capture_output=True, text=True,
                          check=False)
    check(done.returncode == 0, f"{file}: loaded on x86_64", done)
    return [p.read_bytes() for p in cache.glob("?/?/*")]


def code_of(entries):
    """Machine code by key, without the time of the driver's build."""
    return {key[STAMP:]: code for key, code in map(real.parts, entries)}


def is_primed(m, file, own):
    said = m.ask("prime", "--yes", file)
    made = m.entries()
    check(said["result"] == "warm" and own.items() <= made.items(), f"prime of {file}",
          (said, sorted(own.keys() ^ made.keys())))
    m.compiles_nothing([file], f"{file}: after prime")
    check(m.ask("status", file)["answer"]["is"] == "warm", f"{file}: status")


def libraries(o):
    rows = {row["row"]: row for row in csv.DictReader((HERE / "libraries.csv").open())}
    why_not(o)
    for name in LIBRARIES:
        m = Server(o)
        file, _ = judge.library(o, rows[name], m.home)
        own = m.made_alone([file])
        here, there = code_of(made_on_x86_64(m, file)), code_of(own.values())
        check(here.keys() == there.keys(), f"{name}: the same modules", len(here))
        same = sum(here[key] == there[key] for key in here)
        if name in PRIMED:
            is_primed(m, file, own)
        print(f"{name}: {len(own)} entries, {same} with the code of x86_64", flush=True)
        os.chdir("/")
        shutil.rmtree(m.home)


CASES = {f.__name__: f for f in (works, driver_files, locks, kills, changes, libraries)}

if __name__ == "__main__":
    real.CASES = CASES | {"fetch": real.fetch}
    sys.exit(real.main())
