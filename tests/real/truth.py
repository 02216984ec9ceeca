#!/usr/bin/env python3
"""truth.py CASE (the options of real.py) [--runs N] [--seed N]
What jitwarm says of modules, against what the driver does: a loader that shares no code with jitwarm (loader.py) loads the files on a copy
of the cache, and either the compiler is in its process and an entry is new, or neither.

    stays      after prime, things are done that matter to no driver: each verb says warm and ends with 0
    changes    so many random changes of files, cache, index, driver, GPUs and settings; after each, warm is said only where a start compiles
               nothing, cold only where it compiles; another answer needs a setting of this process
    forgotten  what jitwarm remembers is deleted at random between any two verbs, and no answer about named files changes"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import real
from real import Machine, Skip, check, why_not

PTX = real.PTX.replace(".version 6.4", ".version 6.0")  # which 390 reads, too
LOADER = pathlib.Path(__file__).with_name("loader.py")
HARMLESS = next((str(p) for p in pathlib.Path("/usr/lib").glob("*/libz.so.1")), None)


class Folder(Machine):
    """A folder of files of PTX, each another module."""

    def __init__(self, o, driver=None):
        super().__init__(o, driver, alone=True)
        self.n, self.folder = 42, self.home / "app"
        self.folder.mkdir()

    def put(self, name):
        self.n += 1
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PTX.replace("42", str(self.n)))
        return file

    def files(self):
        return sorted(self.folder.rglob("*.ptx"))

    def compiles(self, gpus=None, **variables):
        """Does a start that loads all files compile, on any of the GPUs?"""
        where = pathlib.Path(variables.get("CUDA_CACHE_PATH") or self.cache)
        for i in range(len(gpus or [1])):
            copy = self.home / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            if where.exists():
                shutil.copytree(where, copy, symlinks=True)
            one = {"CUDA_VISIBLE_DEVICES": str(i)} if len(gpus or [1]) > 1 else {}
            said = json.loads(self.run(sys.executable, LOADER, *self.files(), "--set", f"CUDA_CACHE_PATH={copy}", gpus=gpus, **variables | one))
            check(said["loaded"] == len(self.files()), "all is loaded", said)
            if said["compiler"] or said["new_entries"]:
                return True
        return False

    def answer(self, *words, **more):
        """warm, cold, incomplete, or stopped: by a setting of this process."""
        said = json.loads(self.jitwarm(words[0], "--json", *words[1:], expect=range(8), **more))
        return said.get("answer", {}).get("is") or "stopped"


def stays(o):
    why_not(o)
    m = Folder(o)
    a, app = m.put("a.ptx"), m.folder
    m.put("b.ptx")
    other = next((d for d in ("535", "550") if not o.driver.startswith(d) and not (pathlib.Path(o.work) / f"no-{d}").exists()), None)

    def git(*words):
        subprocess.run(["git", "-C", app, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    def checkout():
        git("init", "-q"), git("add", "."), git("commit", "-qm", "all")
        a.unlink(), git("checkout", "-q", ".")

    def move_with_link():
        app.rename(m.home / "moved"), app.symlink_to("moved")

    def restore():
        subprocess.run(["cp", "-a", app, m.home / "backup"], check=True)
        shutil.rmtree(app), (m.home / "backup").rename(app)

    def again():
        text = {p: p.read_bytes() for p in m.files()}
        shutil.rmtree(app)
        for p, data in text.items():
            p.parent.mkdir(parents=True, exist_ok=True), p.write_bytes(data)

    def other_driver():
        mine = m.driver
        m.driver = m.own_files(other)
        m.jitwarm("prime", "--check", app, expect=(0, 1))
        m.driver = mine

    def reinstalled():
        kept = pathlib.Path(m.driver)
        shutil.copytree(kept, m.home / "new", symlinks=True)
        shutil.rmtree(kept), (m.home / "new").rename(kept)

    def cache_behind_link():
        (m.home / ".nv").rename(m.home / "nv2"), (m.home / ".nv").symlink_to("nv2")

    def two_shells():
        for more in {"LD_PRELOAD": HARMLESS}, {}, {"LD_LIBRARY_PATH": str(m.home)}, {}:
            m.jitwarm("prime", app, **more)
            m.jitwarm("doctor", expect=(0,))

    nothing, moved = (lambda: None), m.home / "away"
    cases = [
        ("a hard link more", lambda: os.link(a, m.home / "link.ptx"), {}),
        ("touch", lambda: os.utime(a), {}),
        ("the same bytes copied over", lambda: a.write_bytes(a.read_bytes()), {}),
        ("moved away and back", lambda: (app.rename(moved), moved.rename(app)), {}),
        ("moved, and a link in its place", move_with_link, {}),
        ("made again at its path", again, {}),
        ("checked out again", checkout, {}) if shutil.which("git") else None,
        ("restored from a backup", restore, {}),
        ("a file without code", lambda: (app / "README").write_text("hello"), {}),
        ("a package without code", lambda: ((app / "doc").mkdir(), (app / "doc/x.py").write_text("x = 1")), {}),
        ("the driver installed again", reinstalled, {}),
        ("another driver, and back", other_driver, {}) if other else None,
        ("the cache behind a link", cache_behind_link, {}),
        ("the cache by its own path", nothing, {"CUDA_CACHE_PATH": str(m.cache)}),
        ("a harmless LD_PRELOAD", nothing, {"LD_PRELOAD": HARMLESS}) if HARMLESS else None,
        ("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", nothing, {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "50"}),
        ("NVIDIA_VISIBLE_DEVICES", nothing, {"NVIDIA_VISIBLE_DEVICES": "all"}),
        ("CUDA_FORCE_PTX_JIT=0", nothing, {"CUDA_FORCE_PTX_JIT": "0"}),
        ("CUDA_MODULE_LOADING=LAZY", nothing, {"CUDA_MODULE_LOADING": "LAZY"}),
        ("a folder in LD_LIBRARY_PATH", nothing, {"LD_LIBRARY_PATH": str(m.home)}),
        ("LD_LIBRARY_PATH to the same driver", nothing, {"LD_LIBRARY_PATH": m.driver}),
        ("another working folder", lambda: os.chdir("/"), {}),
        ("a second GPU of the kind", nothing, {"gpus": [o.gpu, o.gpu]}),
        ("the first GPU of two of the kind", nothing, {"gpus": [o.gpu, o.gpu], "CUDA_VISIBLE_DEVICES": "1"}),
        ("two shells by turns", two_shells, {}),
    ]
    for name, change, more in filter(None, cases):
        for folder in ".nv", ".local/state/jitwarm/caches", ".local/state/jitwarm/ledger", "nv2", "moved", "backup":
            path = m.home / folder  # what the probe proved of the driver is kept: it takes seconds
            path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)
        if app.is_symlink():
            app.unlink(), app.mkdir(), m.put("a.ptx"), m.put("b.ptx")
        os.chdir(m.home)
        m.jitwarm("prime", "--yes", app)
        change()
        for words in ("prime", "--check", app), ("prime", "--check"), ("verify",), ("status",), ("doctor",):
            m.jitwarm(*words, **more)  # ends with 0
        check(not m.compiles(**more), f"{name}: the driver compiles nothing")
        (m.home / "link.ptx").unlink(missing_ok=True)
    print(f"{len(list(filter(None, cases)))} changes, no alarm")


def changes(o):
    why_not(o)
    dice = random.Random(o.seed)
    drivers = [d for d in o.driver.split(":") if not (pathlib.Path(o.work) / f"no-{d}").exists()]
    if not drivers:
        raise Skip("no driver is here")
    m = Folder(o, drivers[0])
    own = {d: m.own_files(d) for d in drivers}
    gpus = o.gpu.split(",")
    state = {"gpus": [gpus[0]], "set": {}}
    for i in range(4):
        m.put(f"{i}.ptx")

    def entry():
        return dice.choice([m.cache / name for name in sorted(m.entries())] or [m.cache / "none"])

    def flip():
        path = entry()
        if path.exists():
            data = bytearray(path.read_bytes())
            data[dice.randrange(len(data))] ^= 0x41
            path.write_bytes(data)

    def index(cut):
        path = m.cache / "index"
        if path.exists():
            path.write_bytes(path.read_bytes()[:cut]) if cut else path.unlink()

    def some(values):
        name, value = dice.choice(values)
        state["set"] = {name: value} if value else {}

    def prime():
        m.jitwarm("prime", "--yes", m.folder, expect=range(8), gpus=state["gpus"], **state["set"])

    doings = [
        (6, prime),
        (2, lambda: m.put(f"{dice.randrange(8)}.ptx")),
        (1, lambda: len(m.files()) > 1 and dice.choice(m.files()).unlink()),
        (1, lambda: os.utime(dice.choice(m.files()))),
        (1, lambda: (m.folder / f"{dice.randrange(8)}.ptx").write_bytes(dice.choice(m.files()).read_bytes())),
        (2, lambda: entry().unlink(missing_ok=True)),
        (2, flip),
        (1, lambda: index(dice.choice((0, 8, 20)))),
        (1, lambda: state.update(gpus=dice.sample(gpus, dice.randint(1, len(gpus))))),
        (1, lambda: setattr(m, "driver", own[dice.choice(drivers)])),
        (2, lambda: some([("", ""), ("CUDA_CACHE_DISABLE", "1"), ("CUDA_CACHE_DISABLE", "yes"), ("CUDA_FORCE_PTX_JIT", "1"),
                          ("CUDA_CACHE_MAXSIZE", "4G"), ("CUDA_CACHE_MAXSIZE", "4294967296"), ("CUDA_MODULE_LOADING", "EAGER")])),
        (1, lambda: shutil.rmtree(m.cache, ignore_errors=True)),
    ]
    said = {"warm": 0, "cold": 0, "incomplete": 0, "stopped": 0}
    for run in range(o.runs):
        doing = dice.choices([d for _, d in doings], [w for w, _ in doings])[0]
        doing()
        before = m.entries()
        answer = m.answer("prime", "--check", m.folder, gpus=state["gpus"], **state["set"])
        check(m.entries() == before, "--check changes nothing")
        compiles = m.compiles(gpus=state["gpus"], **state["set"])
        what = f"seed {o.seed}, change {run}, {m.driver}, {state}: says {answer}, and a start compiles: {compiles}"
        check(answer != "warm" or not compiles, what)
        check(answer != "cold" or compiles, what)
        said[answer] += 1
        check(answer in ("warm", "cold") or state["set"], what)
    check(said["warm"] and said["cold"], "both answers were given", said)
    print(said)


def forgotten(o):
    why_not(o)
    dice = random.Random(o.seed)
    m = Folder(o)
    for i in range(3):
        m.put(f"{i}.ptx")
    m.jitwarm("doctor", expect=(0, 1))
    verbs = [("prime", "--check", m.folder), ("prime", "--yes", m.folder), ("verify", m.folder), ("prime", "--dry-run", m.folder), ("status",)]
    for run in range(o.runs):
        state = m.home / ".local/state/jitwarm"
        kept = m.home / "kept"
        words = dice.choice(verbs[:4])
        with_all = m.answer(*words)
        there = sorted(p for p in state.rglob("*") if p.is_file())
        for path in dice.sample(there, dice.randint(0, len(there))):
            path.unlink()
        shutil.rmtree(kept, ignore_errors=True)
        check(m.answer(*words) == ("warm" if words[:2] == ("prime", "--yes") else with_all), f"seed {o.seed}, {run}: {words}", with_all)
        if dice.random() < 0.3:
            m.put(f"{dice.randrange(3)}.ptx")
    print(f"{o.runs} times")


if __name__ == "__main__":
    real.CASES = {"stays": stays, "changes": changes, "forgotten": forgotten}
    sys.exit(real.main())
