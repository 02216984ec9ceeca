#!/usr/bin/env python3
"""truth.py CASE (the options of real.py) [--runs N] [--seed N]
What jitwarm says of modules, against what the driver does: a loader that shares no code with
jitwarm (loader.py) loads the files on a copy of the cache, and either the compiler is in its
process and an entry is new, or neither.

    stays      after prime, things are done that matter to no driver: each verb says warm and ends
               with 0
    changes    rounds of 1 to 44 random changes of files (PTX, containers, libraries), cache, index,
               driver, GPUs and settings; after each round,
               warm is said where a start compiles nothing and cold where it compiles, of each file;
               stopped only for a setting by which each start compiles
    files      single files: old times, PTX in a C string, containers among data, bytes of an entry
               changed, a link as entry
    marks      containers of which the driver chooses one by its marks
    settings   what each value of a setting does; another GPU
    locks      a process that keeps the index locked
    level      a build whose names are said to be unknown (level 1): the driver decides, and a fresh
               process proves it
    texts      PTX in a program, side by side with other words: what it loads is foretold where the
               file says where a text ends, and said to be unknown elsewhere
    places     a path that is a link and leads elsewhere later; a package that gets a file
    forgotten  what jitwarm remembers is deleted at random between any two verbs, and the second one
               still says what the driver does"""
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

import loads
import real
from real import Machine, Skip, check, why_not

PTX = real.PTX.replace(".version 6.4", ".version 6.0")  # which 390 reads, too
LOADER = pathlib.Path(__file__).with_name("loader.py")
HARMLESS = next((str(p) for p in pathlib.Path("/usr/lib").glob("*/libz.so.1")), None)


class Folder(Machine):
    """A folder of files, each of another module: PTX, a container, or a library with one."""

    def __init__(self, o, driver=None):
        super().__init__(o, driver, alone=True)
        self.n, self.folder = 42, self.home / "app"
        self.folder.mkdir()

    def put(self, name):
        self.n += 1
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = PTX.replace("42", str(self.n))
        code = real.container(real.item(text, packed=self.n % 2 == 0, isa_minor=0))
        if file.suffix == ".so":
            source = (
                "const unsigned char code[] __attribute__((section(\".nv_fatbin\"), "
                "aligned(8))) = {"
                + ",".join(map(str, code)) + "};\n")
            subprocess.run(["cc", "-shared", "-o", file, "-xc", "-"], input=source, text=True,
                           check=True)
        elif file.suffix == ".fatbin":
            file.write_bytes(code)
        else:
            file.write_text(text)
        return file

    def files(self):
        return sorted(p for p in self.folder.rglob("*") if p.suffix in (".ptx", ".fatbin", ".so"))

    def compiles(self, gpus=None, **variables):
        """The files of which a start that loads all of them compiles something, on any of the GPUs;
        None: it is not known of which."""
        made = set()
        where = pathlib.Path(variables.get("CUDA_CACHE_PATH") or self.cache)
        for i in range(len(gpus or [1])):
            copy = self.home / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            if where.exists():
                shutil.copytree(where, copy, symlinks=True)
            one = {"CUDA_VISIBLE_DEVICES": str(i)} if len(gpus or [1]) > 1 else {}
            said = self.loaded(self.files(), copy, "--each", gpus=gpus, **variables | one)
            # 390 fails a load (2, 999) whose code it compiled and cannot keep; the others load it
            # all the same.
            kept = said["loaded"] == len(self.files())
            check(
                kept or ("390" in pathlib.Path(self.driver).name and said["compiler"]
                         and set(said["failed"]) <= {"2", "999"}), "all is loaded", said)
            if said["compiler"] or said["new_entries"]:
                made |= set(said["made"]) or {None}
        return made

    def loaded(self, files, cache, *words, **more):
        """What a program says of itself that loads these files with this cache."""
        if getattr(self.o, "loads", None):
            return loads.loaded(self, files, cache, **more)
        return json.loads(
            self.run(sys.executable, LOADER, *files, *words, "--set", f"CUDA_CACHE_PATH={cache}",
                     **more))

    def load(self, *files, **variables):
        if not getattr(self.o, "loads", None):
            return super().load(*files, **variables)
        said = self.run(self.o.loads, *files, **variables)
        return [int(word) for word in said.split()[:-1]]

    def starts(self, *files, **more):
        """The same of these files, in the machine of `more`."""
        copy = self.home / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.cache, copy, symlinks=True)
        said = self.loaded(files, copy, **more)
        check(said["loaded"] == len(files), "all is loaded", said)
        return bool(said["compiler"] or said["new_entries"])

    def judge(self, what, *files, words=None, stays=False, **more):
        """The start compiles: no verb says warm. After a prime it does not, and all say warm; where
        it `stays` so, none does."""
        words = (self.folder,) if words is None else words
        check(self.starts(*files, **more), f"{what}: the start compiles")
        for verb in ("status", *words), ("doctor", *words):
            check(self.answer(*verb, **more) != "warm", f"{what}: {verb}")
        answers = [self.answer(*verb, *words, **more) for verb in (("prime", "--yes"), ("status",))]
        check(all(stays != (answer == "warm") for answer in answers),
              f"{what}: prime, and status after it", answers)
        check(self.starts(*files, **more) == stays, f"{what}: and after it")

    def answer(self, *words, **more):
        """warm, cold, incomplete, or stopped: by a setting of this process."""
        said = json.loads(self.jitwarm(words[0], "--json", *words[1:], expect=range(8), **more))
        return said.get("answer", {}).get("is") or "stopped"


def drawn(o):
    o.seed = o.seed or random.randrange(1 << 32)
    print(f"--seed {o.seed}", flush=True)
    return random.Random(o.seed)


def stays(o):
    why_not(o)
    m = Folder(o)
    a, app = m.put("a.ptx"), m.folder
    m.put("b.ptx")
    other = next(
        (d for d in ("535", "550")
         if not o.driver.startswith(d) and not (pathlib.Path(o.work) / f"no-{d}").exists()), None)

    def git(*words):
        subprocess.run(["git", "-C", app, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                       check=True, capture_output=True)

    def checkout():
        git("init", "-q"), git("add", "."), git("commit", "-qm", "all")
        a.unlink(), git("checkout", "-q", ".")

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
        m.jitwarm("status", app, expect=(0, 1))
        m.driver = mine

    def reinstalled():
        kept = pathlib.Path(m.driver)
        shutil.copytree(kept, m.home / "new", symlinks=True)
        shutil.rmtree(kept), (m.home / "new").rename(kept)

    def two_shells():
        for more in {"LD_PRELOAD": HARMLESS}, {}, {"LD_LIBRARY_PATH": str(m.home)}, {}:
            m.jitwarm("prime", app, **more)
            m.jitwarm("doctor", expect=(0,))

    def other_kind():
        m.jitwarm("prime", "--yes", app, gpus=[o.gpu, "sm_61"])

    nothing, moved = (lambda: None), m.home / "away"
    cases = [
        ("a hard link more", lambda: os.link(a, m.home / "link.ptx"), {}),
        ("touch", lambda: os.utime(a), {}),
        ("the same bytes copied over", lambda: a.write_bytes(a.read_bytes()), {}),
        ("moved away and back", lambda: (app.rename(moved), moved.rename(app)), {}),
        ("moved, and a link in its place", lambda:
         (app.rename(m.home / "moved"), app.symlink_to("moved")), {}),
        ("made again at its path", again, {}),
        ("checked out again", checkout, {}) if shutil.which("git") else None,
        ("restored from a backup", restore, {}),
        ("a file without code", lambda: (app / "README").write_text("hello"), {}),
        ("a package without code", lambda: ((app / "doc").mkdir(),
                                            (app / "doc/x.py").write_text("x = 1")), {}),
        ("the driver installed again", reinstalled, {}),
        ("another driver, and back", other_driver, {}) if other else None,
        ("the cache behind a link", lambda: ((m.home / ".nv").rename(m.home / "nv2"),
                                             (m.home / ".nv").symlink_to("nv2")), {}),
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
        ("the first GPU of two of the kind", nothing,
         {"gpus": [o.gpu, o.gpu], "CUDA_VISIBLE_DEVICES": "1"}),
        ("the other of two kinds, both warm", other_kind,
         {"gpus": [o.gpu, "sm_61"], "CUDA_VISIBLE_DEVICES": "1"}),
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
        for words in ("status", app), ("status",), ("doctor",):
            m.jitwarm(*words, **more)  # ends with 0
        check(not m.compiles(**more), f"{name}: the driver compiles nothing")
        (m.home / "link.ptx").unlink(missing_ok=True)
    print(f"{len(list(filter(None, cases)))} changes, no alarm")


def changes(o):
    why_not(o)
    dice = drawn(o)
    drivers = [d for d in o.driver.split(":") if not (pathlib.Path(o.work) / f"no-{d}").exists()]
    if not drivers:
        raise Skip("no driver is here")
    m = Folder(o, drivers[0])
    own = {d: m.own_files(d) for d in drivers}
    gpus = o.gpu.split(",")
    state = {"gpus": [gpus[0]], "set": {}, "whole": True}
    kinds = ["ptx", "fatbin", "ptx", "fatbin"] + ["so"] * bool(shutil.which("cc"))
    alike = {"CUDA_CACHE_DISABLE": "1", "CUDA_FORCE_PTX_JIT": "1"}  # each start compiles
    for i in range(10):
        m.put(f"{i}.{kinds[i % len(kinds)]}")

    def copy():
        file = dice.choice(m.files())
        (m.folder / f"{dice.randrange(12)}{file.suffix}").write_bytes(file.read_bytes())

    def entry():
        return dice.choice([m.cache / name for name in sorted(m.entries())] or [m.cache / "none"])

    def damage():
        if (path := entry()).exists():
            flip(path, dice.randrange(path.stat().st_size))

    def index():
        """Gone, cut, another number or sum, a record behind the counted ones: some of that the
        driver believes."""
        state["whole"], path = False, m.cache / "index"
        data = path.read_bytes() if path.exists() else b""
        path.unlink(missing_ok=True)
        if data and dice.random() < 0.8:
            n, at = 32 - dice.choice((4, 12, 16, 24)), dice.choice((4, 8))
            path.write_bytes(
                dice.choice((data[:n], data + data[16:n],
                             data[:at] + bytes([dice.randrange(3)]) + data[at + 1:])))

    def some(values):
        name, value = dice.choice(values)
        state["set"] = {name: value} if value else {}

    def prime():
        m.jitwarm("prime", "--yes", m.folder, expect=range(8), gpus=state["gpus"], **state["set"])
        state["whole"] = True

    doings = [
        (20, lambda: m.put(f"{dice.randrange(12)}.{dice.choice(kinds)}")),
        (20, lambda: len(m.files()) > 1 and dice.choice(m.files()).unlink()),
        (20, lambda: os.utime(dice.choice(m.files()))),
        (10, copy),
        (20, lambda: entry().unlink(missing_ok=True)),
        (20, damage),
        (2, index),
        (2, lambda: state.update(gpus=dice.sample(gpus, dice.randint(1, len(gpus))))),
        (2, lambda: setattr(m, "driver", own[dice.choice(drivers)])),
        (3,
         lambda: some([("", "")] * 3 + [("CUDA_CACHE_DISABLE", "1"), ("CUDA_CACHE_DISABLE", "yes"),
                                        ("CUDA_FORCE_PTX_JIT", "1"), ("CUDA_CACHE_MAXSIZE", "4G"),
                                        ("CUDA_CACHE_MAXSIZE", "4294967296"),
                                        ("CUDA_MODULE_LOADING", "EAGER")])),
        (1, lambda: shutil.rmtree(m.cache, ignore_errors=True)),
    ]
    said, done = {"warm": 0, "cold": 0, "stopped": 0}, 0
    for run in range(o.runs):
        if dice.random() < 0.5:
            prime()
        for doing in dice.choices([d for _, d in doings], [w for w, _ in doings], k=dice.choice(
            (1, 1, 16, 44))):
            doing()
            done += 1
        before = m.entries()
        told = json.loads(
            m.jitwarm("status", "--json", m.folder, expect=range(8), gpus=state["gpus"],
                      **state["set"]))
        answer = told.get("answer", {}).get("is") or "stopped"
        check(m.entries() == before, "status changes nothing")
        compiles = m.compiles(gpus=state["gpus"], **state["set"])
        what = (f"seed {o.seed}, round {run}, {m.driver}, {state}: says {answer}, and a start "
                f"compiles: {compiles}")
        stops = state["set"].items() <= alike.items() and state["set"]
        check(
            answer == ("stopped" if stops else "cold" if compiles else "warm")
            and (compiles or not stops), what)
        # By file, where what was compiled is kept and deletes no other entry; the same code in two
        # files is compiled once.
        cold = {
            pathlib.Path(j["path"]).read_bytes()
            for j in told.get("jobs", ()) if j["state"] in ("todo", "no-room")
        }
        check(
            answer != "cold" or None in compiles or not state["whole"]
            or {pathlib.Path(f).read_bytes()
                for f in compiles} == cold, what, told["jobs"])
        said[answer] += 1
    check(o.runs < 100 or all(said.values()), "each answer was given", said)
    print(done, "changes:", said)


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x41
    path.write_bytes(data)


def primed(o):
    why_not(o)
    m = Folder(o)
    m.put("a.ptx")
    m.jitwarm("prime", "--yes", m.folder)
    return m


def files(o):
    m = primed(o)
    a, before = m.folder / "a.ptx", m.folder.stat()
    new = m.put("b.ptx")
    for path in new, m.folder:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    m.judge("a new file with old times", new)
    for at in 24, 32, -5:
        flip(m.cache / sorted(m.entries())[0], at)
        m.judge(f"byte {at} of an entry", a, new)
    entry = m.cache / sorted(m.entries())[0]
    entry.rename(m.home / "moved")
    entry.symlink_to(m.home / "moved")
    flip(m.home / "moved", -5)
    m.judge("a link to a damaged entry", a, new, stays=True)  # links are left alone, and named
    entry.unlink()
    m.judge("an entry that is gone", a, new)
    if shutil.which("cc"):
        text, program = m.put("../c.ptx"), m.home / "program"
        source = m.home / "program.c"
        source.write_text(
            f"const char ptx[] = {json.dumps(text.read_text())};\nint main(void) {{ return ptx[0]; "
            f"}}\n"
        )
        subprocess.run(["cc", "-o", program, source], check=True)
        m.judge("PTX in a C string", text, words=(program,))
        for where in "", '__attribute__((section("kernels")))', "const":
            code = m.home / "embedded.fatbin"
            code.write_bytes(
                real.container(
                    real.item(m.put("../c.ptx").read_text(), packed=where == "", isa_minor=0)))
            data = ",".join(map(str, code.read_bytes()))
            source.write_text(
                f"{where} unsigned char code[] __attribute__((aligned(8))) = {{{data}}};\nint "
                f"main(void) {{ return code[0]; }}\n"
            )
            subprocess.run(["cc", "-o", program, source], check=True)
            m.judge(f"a container in {where or '.data'}", code, words=(program,))


def marks(o):
    m = primed(o)

    def container(name, *marked):
        texts = [m.put(f"../{name}-{n}.ptx").read_text() for n in range(len(marked))]
        items = [
            real.item(text, packed=False, target=target, isa_minor=0)
            for text, (_, target) in zip(texts, marked)
        ]
        file = m.folder / f"{name}.fatbin"
        file.write_bytes(
            real.container(*(item[:40] + struct.pack("<Q", flags) + item[48:]
                             for item, (flags, _) in zip(items, marked))))
        return file

    for n, marked in enumerate(([(0x10, 50)], [(0, 50)], [(0x10, 50), (0x11, 52)], [(0x11, 50),
                                                                                    (0x10, 52)])):
        m.judge(f"F100-no-mark-of-64-bits: {marked}", container(f"mark{n}", *marked))
    for old, label in (12, 13), (50, 55), (50, 88):
        m.judge(f"F111-unnamed: {label}", container(f"label{label}", (0x11, old), (0x11, label)))
    file = m.folder / "input.fatbin"  # as nvcc -fatbin -rdc=true makes it
    file.write_bytes(
        real.container(
            real.item(m.put("../input.ptx").read_text(), isa_minor=0, options="--compile-only  ")))
    m.judge("F90-link-alone: an input of the linker that is loaded alone", file)
    m.judge("two compressions at once, in an entry that is not chosen",
            container("twice", (0x6011, 50), (0x11, 52)), stays=True)


def settings(o):
    m = primed(o)
    a, one, other = m.folder / "a.ptx", {"CUDA_FORCE_PTX_JIT": "1"}, {"CUDA_FORCE_JIT": "1"}
    for forced in one, other, one | {"CUDA_FORCE_JIT": "0"}, {"CUDA_FORCE_PTX_JIT": "0"} | other:
        if m.starts(a, **forced):
            m.judge(forced, a, stays=True, **forced)
        else:
            check(
                m.answer("status", m.folder, **forced) == "warm",
                f"F81-force-disable: this driver ignores {forced}")
    both = one | {"CUDA_DISABLE_PTX_JIT": "1"}
    said = m.jitwarm("doctor", m.folder, expect=(1,), **both)
    check((m.load(a, **both) == [223]) == ("error 223" in said),
          "F81-force-disable: forced and forbidden", said)
    check(not m.starts(a, CUDA_CACHE_MAXSIZE="0"), "F53-plain-bytes: what is there is found")
    for value in "1x", "+1", "4294967297", "2", "yes", "-1", "0x1", "18446744073709551617":
        for name in "CUDA_CACHE_DISABLE", "CUDA_FORCE_PTX_JIT":
            answer = m.answer("status", m.folder, **{name: value})
            check(
                m.starts(a, **{name: value}) == (answer != "warm"),
                f"F58-disable, F81-force-disable: {name}={value}", answer)
    for path in "", "c", "d/e":
        for words in ("status", m.folder), ("prime", "--yes", m.folder), ("doctor",
                                                                          m.folder), ("status", ):
            check(
                m.answer(*words, CUDA_CACHE_PATH=path) == "stopped",
                f"F99-empty-path, F63-path-is-root: {words}")
        check(
            m.load(a, CUDA_CACHE_PATH=path) and (m.home / path / "index").exists() == (path == "c"),
            f"F99-empty-path, F63-path-is-root: {path}")
    if "JITWARM_OWN_DRIVER" not in os.environ:  # with the GPU of this machine
        m.judge("another GPU", a, gpus=["sm_61" if o.gpu != "sm_61" else "sm_70"])


LOCKED = """import fcntl, sys
f = open(sys.argv[1], 'r+b')
fcntl.lockf(f, fcntl.LOCK_EX)
print(flush=True)
sys.stdin.read()
"""


def locks(o):
    m = primed(o)
    held = subprocess.Popen([sys.executable, "-c", LOCKED, m.cache / "index"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    held.stdout.readline()
    for words in ("status", m.folder), ("prime", "--yes", m.folder), ("doctor",
                                                                      m.folder), ("status", ):
        check(m.answer(*words) != "warm", f"F42-foreign-lock: {words}")
    held.communicate()
    check(m.answer("status", m.folder) == "warm" and not m.compiles(), "the lock is dropped")


def texts(o):
    m = primed(o)
    if not shutil.which("cc"):
        raise Skip("there is no C compiler")
    program = m.folder / "program"

    def build(declared, *flags):
        source = declared + "\nint main(void) { return 0; }\n"
        subprocess.run(["cc", "-w", *flags, "-o", program, "-xc", "-"], input=source, text=True,
                       check=True)

    def array(name, content):
        return f"unsigned char {name}[] = {{{','.join(map(str, content))}}};\n"

    # An address and a length in data, as Go and Rust keep strings; Go's raw ones begin with a line.
    for flags in ("-no-pie", ), ("-fPIE", "-pie"):
        first, second = m.put("../1.ptx"), m.put("../2.ptx")
        first.write_text("\n" + first.read_text())
        words, one, two = b"main.go", first.read_bytes(), second.read_bytes()
        data = words + one + two + b"\nUsage: prog FILE"
        build(
            array("text", data) + "struct { void *at; long n; } table[] = {"
            f"{{ text + {len(words)}, {len(one)} }}, {{ text + {len(words + one)}, {len(two)} "
            f"}} }};",
            *flags)
        m.judge(f"slices, {flags}", first, second, words=(program, ))
    # `xxd -i`: no NUL, and a length whose first byte is a blank.
    counted = m.put("../3.ptx")
    text = counted.read_text()
    counted.write_text("//" + " " * (544 - len(text) - 3) + "\n" + text)
    check(len(counted.read_bytes()) == 0x220, "a length of blanks")
    build(array("k", counted.read_bytes()) + "unsigned k_len = 0x220;")
    m.judge("a length behind the text", counted, words=(program, ))
    # Nothing says where they end, whatever is beside them.
    build(array("text", data))
    for paths in (program, ), (m.folder, ), (m.folder / "a.ptx", program):
        for verb in ("prime", "--yes"), ("status", ):
            answer = m.answer(*verb, *paths)
            check(answer == "incomplete", f"texts of unknown ends: {verb} {paths}", answer)


def places(o):
    m = primed(o)
    link = m.home / "current"
    link.symlink_to(m.folder)
    m.jitwarm("prime", "--yes", link)
    new = m.put("../next/a.ptx")
    link.unlink(), link.symlink_to(new.parent)
    m.judge("a link that leads elsewhere", link / "a.ptx", words=())
    site = m.home / "venv/lib/python3.11/site-packages"
    m.put(site / "pa/a.ptx")
    (site / "pb").mkdir()
    m.jitwarm("prime", "--yes", site)
    m.judge("a file in a package that held none", m.put(site / "pb/b.ptx"), words=())


def level(o):
    m = primed(o)
    shutil.rmtree(m.cache)
    record, = (m.home / ".local/state/jitwarm/drivers").glob("*.record")
    data = bytearray(record.read_bytes()[:-8])
    at = 6
    for _ in range(7):  # texts before it
        at += 5 + struct.unpack_from("<I", data, at)[0]
    struct.pack_into("<i", data, at, 1)
    record.write_bytes(data + struct.pack("<Q", real.fnv(data)))
    check(
        m.answer("status", m.folder) == "incomplete"
        and m.answer("doctor", m.folder) in ("cold", "incomplete"), "an empty cache")
    check(m.answer("prime", "--yes", m.folder) == "warm" and not m.compiles(), "prime")
    check(m.answer("status", m.folder) == "incomplete", "the names are unknown still")
    known = "warm" if int(o.driver) >= 460 else "incomplete"  # older ones would compile
    check(m.answer("doctor", m.folder) == known, "a fresh process knows")


def forgotten(o):
    why_not(o)
    dice, m = drawn(o), Folder(o)
    state = m.home / ".local/state/jitwarm"
    for name in "0.ptx", "1.fatbin", "2.ptx":
        m.put(name)
    asks = [("status", m.folder), ("prime", "--yes", m.folder), ("doctor", m.folder)]
    for run in range(o.runs):
        first, second = dice.choice(
            [*asks, ("prime", "--yes"), ("status", ), ("doctor", ), ("prune", )]), dice.choice(asks)
        m.jitwarm(*first, expect=range(8))
        there = sorted(p for p in state.rglob("*") if p.is_file())
        for path in dice.sample(there, dice.choice([len(there), dice.randint(0, len(there))])):
            path.unlink()
        if dice.random() < 0.3:
            m.put(dice.choice(m.files()).name)
        if dice.random() < 0.2:
            shutil.rmtree(m.cache, ignore_errors=True)
        compiles = m.compiles()
        truth = "warm" if second[:2] == ("prime", "--yes") or not compiles else "cold"
        check(
            m.answer(*second) == truth,
            f"seed {o.seed}, {run}: {first}, then {second}; a start compiled: {compiles}")
        check(truth == "cold" or not m.compiles(), f"seed {o.seed}, {run}: after {second}")
    print(f"{o.runs} times")


if __name__ == "__main__":
    real.CASES = {
        "stays": stays, "changes": changes, "files": files, "marks": marks, "settings": settings,
        "locks": locks, "places": places, "texts": texts, "level": level, "forgotten": forgotten
    }
    sys.exit(real.main())
