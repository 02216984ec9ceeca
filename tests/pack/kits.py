"""What travels of other caches than the driver's: a made-up engine that keeps its files where CuPy does."""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import packs
from bench import kill
from cases import check, same, Skip
from grounds import case, contents, mounted, need_root, own_store, texts, trust_for_good, untouched
from limits import NAP, own_driver
from trust import OTHER_COMPILERS

# Keys by the source alone; `--refuse` is one that reads, is not content and cannot keep what it makes.
ENGINE = """#!/usr/bin/env python3
import os, pathlib, sys, tempfile, time
root = pathlib.Path(os.environ["CUPY_CACHE_DIR"])
for name in sys.argv[1:]:
    file = root / name
    if file.is_file() and not os.environ.get("ENGINE_REFUSES"):
        file.read_bytes()
        if os.environ.get("ENGINE_TOUCHES"):  # as cuda.core does; it makes a folder for what it does not need, too
            (root / "tmp").mkdir(exist_ok=True)
            os.utime(file, ns=(file.stat().st_atime_ns + 10**9, file.stat().st_mtime_ns))
        continue
    if file.is_file():
        file.read_bytes()
    code, was = b"code of " + name.encode() + b" " * 4000, file.stat() if file.is_file() else None
    if os.environ.get("ENGINE_BUILDS_ASIDE"):  # as Warp does, in a folder that it then cannot rename
        with tempfile.TemporaryDirectory(dir=root) as aside:
            (pathlib.Path(aside) / "new").write_bytes(code)
        continue
    if os.environ.get("ENGINE_MAKES_FOLDER"):
        (root / "new").mkdir(exist_ok=True)
        time.sleep(0.02)
        (root / "new" / "begun").write_bytes(code)
        (root / "new" / "begun").unlink()
        continue
    if os.environ.get("ENGINE_REMOVES"):
        file.unlink(missing_ok=True)
        continue
    if os.environ.get("ENGINE_HIDES"):
        file.write_bytes(code)
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        continue
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name("new." + file.name)
    new.write_bytes(code)
    os.chmod(new, 0o755 if name.endswith(".so") else 0o640)
    if os.environ.get("ENGINE_LOSES"):
        new.unlink()
    else:
        new.rename(file)
"""
NAMES = ["one.cubin", "sub/two.cubin", "sub/deep/utils.so"]


class Place:
    """A machine with the engine: its command uses the driver, too."""

    def __init__(self, m, words):
        self.m = m
        self.cache = m.folder / "engine cache"
        m.env["CUPY_CACHE_DIR"] = str(self.cache)
        engine = m.folder / "engine.py"
        engine.write_text(ENGINE)
        self.command = ["sh", "-c", words]

    def verify(self, **env):
        done = self.m.run("verify", "--json", "--run", *self.command, **env)
        check("{" in done.stdout, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        uses = {u["name"]: u for u in answer["run"]["other_caches"]}
        return uses.get("cupy"), done.returncode, " ".join(answer["notes"])


def words_of(m, names=NAMES):
    text, = texts(m, 1)
    play = f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' '{NAP}'"
    return f"{play} && python3 '{m.folder}/engine.py' {' '.join(names)}"


def made(m, words=None):
    """Recorded, and exported with a signature."""
    own_store(m)
    place = Place(m, words or words_of(m))
    done = m.run("prime", "--run", *place.command)
    check("CuPy: 3 files of it in" in " ".join(done.stdout.split()), done.stdout + done.stderr)
    secret = m.folder / "signer"
    same(m.run("key", "--new", secret, "--no-passphrase").returncode, 0, "a key")
    pack = m.folder / "kit.tar.zst"
    done = m.run("export", "-o", pack, "--sign", secret, "--run", *place.command)
    check(pack.exists(), done.stdout + done.stderr)
    return place, pack, m.folder / "signer.pub"


def forget(m, place):
    """Another home: neither cache nor record is there."""
    shutil.rmtree(place.cache, ignore_errors=True)
    shutil.rmtree(m.folder / "state", ignore_errors=True)
    m.forget_cache()


def kit_of(answer):
    return {k["name"]: k for k in answer["other_caches"]}


@case
def kit_travels(m):
    """Recorded, packed, placed, and by behaviour found to be used."""
    place, pack, public = made(m)
    was = contents(place.cache)
    use, code, _ = place.verify()
    same((use["reused"], use["made"], code), (3, 0, 0), "where it was made")
    use, code, notes = place.verify(ENGINE_TOUCHES="1")
    same((use["reused"], use["made"], code), (3, 0, 0), f"it notes when it used them: {notes}")
    told = subprocess.run(["tar", "--zstd", "-xOf", pack, "jitwarm/manifest.json"], capture_output=True, text=True, check=True).stdout
    check(str(m.folder) not in told and "sub/two.cubin" in told, "the manifest has no absolute path")
    forget(m, place)
    answer, code = m.answer("import", pack, "--trust", public, "--dry-run")
    same((code, place.cache.exists(), kit_of(answer)["cupy"]["files"]), (0, False, 3), "a dry run")
    answer, code = m.answer("import", pack, "--trust", public)
    kit = kit_of(answer)["cupy"]
    same((code, kit["placed"], kit["programs"]), (0, 3, 1), f"import: {answer['why']}")
    now = contents(place.cache)
    for name, (mode, _, mtime, body) in was.items():
        if body is not None:
            same((now[name][0], now[name][2] // 1000, now[name][3]), (mode, mtime // 1000, body), name)
    same(sorted(now), sorted(was), "nothing of ours is left there")
    use, code, notes = place.verify()
    same((use["reused"], use["recorded"], use["made"], code), (3, 3, 0, 0), notes)
    answer, code = m.answer("import", pack, "--trust", public)
    same((code, kit_of(answer)["cupy"]["present"], answer["end"]), (0, 3, "nothing"), "once more")
    (place.cache / "sub" / "two.cubin").unlink()
    use, code, notes = place.verify()
    same((use["reused"], use["made"], code), (2, 1, 1), notes)


@case
def kit_without_modules(m):
    """Of a command that loads no module which jitwarm could compile (Numba, Triton), prime --run says what it recorded."""
    own_store(m)
    text, = texts(m, 1)
    linker = f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'link {text}' '{NAP}'"
    engine = f"python3 '{m.folder}/engine.py' {' '.join(NAMES)}"
    (m.folder / "other_compilers.py").write_text(OTHER_COMPILERS)
    others = f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' '{NAP}' && python3 '{m.folder}/other_compilers.py' 'Jan  7 202662:51:46' 86 580.126.09 '{m.root}'"
    for words, recorded, why, want in [
            (f"{others} && {engine}", "5 entries of the driver's cache and 3 files of other caches", "no module that jitwarm could compile", 0),
            (f"{engine} && sleep 0.3", "3 files of other caches", "loaded the driver", 1),
            (f"{engine} && CUDA_CACHE_DISABLE=1 {linker}", "3 files of other caches", "CUDA_CACHE_DISABLE=1", 1),
            (f"{others} && {engine} && exit 3", "5 entries of the driver's cache and 3 files of other caches", "exit code 3", 1)]:
        place = Place(m, words)
        done = m.run("prime", "--run", *place.command)
        said = " ".join(done.stdout.split())
        check(f"recorded {recorded}" in said and why in said and "Nothing was recorded" not in said, f"{words}: {said}")
        same(done.returncode, want, said)
        said = " ".join(m.run("prime", "--run", *place.command).stdout.split())
        check("nothing to warm" not in said and f"recorded {recorded}" in said, f"once more, {words}: {said}")
        forget(m, place)
    place = Place(m, f"{linker} && {engine}")
    m.run("prime", "--run", *place.command)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    pack = m.folder / "kit.tar.zst"
    done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    check(done.returncode == 0 and "CuPy: 3 files" in " ".join(done.stdout.split()), done.stdout + done.stderr)
    forget(m, place)
    answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
    same((code, kit_of(answer)["cupy"]["placed"]), (0, 3), answer["why"])


def recorded(m):
    """Files of each record."""
    return [[f["path"] for f in json.loads(p.read_text()).get("kit_files", [])] for p in (m.folder / "state/kits").glob("*.json")]


def last_start(m):
    """What status knows of the last start of the one command: the driver's part, and of each cache what was reused and made."""
    answer, _ = m.answer("status")
    start, = [c["last_start"] for c in answer["commands"] if c["last_start"]]
    return (start["compiled"], start["new_entries"], {u["name"]: (u["reused"], u["made"]) for u in start["other_caches"]})


@case
def kit_in_status(m):
    """status tells what the last start of a command that was watched did in the driver's cache and in others, and when: after prime --run of its last start,
    after verify --run, and of an imported kit nothing."""
    place, pack, public = made(m)
    same(last_start(m), ("nothing", 0, {"cupy": (3, 0)}), "prime --run starts it once more, which compiles nothing")
    words = " ".join(m.run("status").stdout.split())
    check(re.search(r"last start [\d.]+ m?s ago: the driver compiled nothing; CuPy: reused 3, made 0", words), words)
    (place.cache / "one.cubin").unlink()
    same(place.verify()[0]["made"], 1, "verify")
    same(last_start(m), ("nothing", 0, {"cupy": (2, 1)}), "of that start")
    shutil.rmtree(m.root)
    (place.cache / "one.cubin").unlink()
    said = m.run("verify", "--run", *place.command).stdout
    check(said.count("jitwarm prime --run") == 1 and "made 1" in said, f"both caches make something again: one thing to do: {said}")
    same(place.verify()[1], 0, "verify once more")
    same(last_start(m), ("nothing", 0, {"cupy": (3, 0)}), "of the next one")
    forget(m, place)
    same(m.run("import", pack, "--trust", public).returncode, 0, "import")
    same([c for c in m.answer("status")[0]["commands"] if c["last_start"]], [], "nobody has watched a start of it here")
    same(place.verify()[1], 0, "verify of what came")
    same(last_start(m), ("nothing", 0, {"cupy": (3, 0)}), "and now one was")


@case
def kit_of_a_start(m):
    """run records the kit of a command that it does not know, too: of a server when its start is over, whatever ends it later."""
    own_store(m)
    place = Place(m, words_of(m))
    done = m.run("run", "--", *place.command)
    check("this start: the driver compiled 1 entry; CuPy: reused 0, made 3" in " ".join(done.stderr.split()) and "may be a cache" not in done.stderr, done.stderr)
    same(last_start(m), ("compiled", 1, {"cupy": (0, 3)}), "status")
    same((done.returncode, recorded(m)), (0, [sorted(NAMES)]), "a command that ended")
    kept = (m.folder / "state/kits").glob("*.json")
    before = {p: p.stat().st_ino for p in kept}
    done = m.run("run", "--", *place.command)
    check(done.returncode == 0 and "other caches" not in done.stderr, f"it is known now: {done.stderr}")
    (place.cache / "one.cubin").unlink()
    said = " ".join(m.run("run", "--", *place.command).stderr.split())
    check(f"so this start may make them again (CuPy: 1 of 3 in {place.cache})" in said, said)
    same({p: p.stat().st_ino for p in before}, before, "and not recorded again")
    forget(m, place)
    m.env["JW_TEST_HURRY"] = "5"
    text, = texts(m, 1)
    place.command[2] = (f"python3 '{m.folder}/engine.py' {' '.join(NAMES)} && exec '{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' 'nap 600000'")
    run = m.start("run", "--", *place.command)
    for _ in range(400):
        if recorded(m):
            break
        time.sleep(0.1)
    run.kill()
    run.communicate(timeout=60)
    same(recorded(m), [sorted(NAMES)], "a server that was killed")


# An engine that jitwarm does not know: keys by the source and, with --path, by its folder. It keeps a log, a file of its own name at each start,
# and results; with --never it makes its files again each time; --lock as Taichi does.
STRANGER = """#!/usr/bin/env python3
import hashlib, os, pathlib, sys, time
home = pathlib.Path(os.environ["HOME"])
root = pathlib.Path(os.environ["STRANGER_DIR"]) if "STRANGER_DIR" in os.environ else home / ".cache/stranger/v1"
if "--tmp" in sys.argv:
    root = pathlib.Path(os.environ["TMPDIR"]) / "stranger_ada"
root.mkdir(parents=True, exist_ok=True)
if "--lock" in sys.argv:
    (root / "all.lock").touch()
for name in [a for a in sys.argv[1:] if a[0] != "-"]:
    key = hashlib.sha256(((str(root) if "--path" in sys.argv else "") + name).encode()).hexdigest()[:16]
    file = root / key[:2] / (key + ".bin")
    if file.is_file() and "--late" in sys.argv:  # as PyTorch, which makes a library when it finds all other files
        late = root / key[:2] / (key + ".late")
        late.read_bytes() if late.exists() else late.write_bytes(b"late")
    if "--marks" in sys.argv and file.is_file():  # as FFCx, which waits for a file that it never opens, and fails
        assert file.with_suffix(".ready").exists(), "it is not ready"
    if file.is_file() and "--never" not in sys.argv:
        assert file.read_bytes() == b"code of " + name.encode()
        if "STRANGER_REFUSES" not in os.environ:
            continue
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"code of " + name.encode())
    if "--marks" in sys.argv:
        file.with_suffix(".ready").write_text("yes")
    print("made", name)
if "--index" in sys.argv:
    index = root / "index.pkl"
    was = index.read_bytes() if index.exists() else b"names"
    index.write_bytes(was)
if "--database" in sys.argv:
    for name in "x.db", "x.db-shm":
        (root / name).read_bytes() if (root / name).exists() else (root / name).write_bytes(b"SQLite format 3" + bytes(4081))
with open(root / "log", "a") as log:
    log.write("started\\n")
(root / f"run-{os.getpid()}-{time.time_ns()}").write_text("mine")
(home / "results").mkdir(exist_ok=True)
(home / "results/out.txt").write_text("the result")
if "--lock" in sys.argv:
    (root / "all.lock").unlink()
"""


FILTERS = """
import ctypes, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
allow = (ctypes.c_uint64 * 1)(0x7fff0000 << 32 | 6)
class Program(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(1, ctypes.addressof(allow))
libc.prctl(38, 1, 0, 0, 0)
sys.exit(libc.syscall(317 if platform.machine() == "x86_64" else 277, 1, 8, ctypes.byref(program)) < 0)
"""


class Strange(Place):
    """A command with that engine, where a program's calls may be watched (a container may forbid it)."""

    def __init__(self, m, options=""):
        self.m = m
        if subprocess.run([sys.executable, "-c", FILTERS], check=False).returncode:
            raise Skip("this system has no seccomp filters that ask")
        (m.folder / "stranger.py").write_text(STRANGER)
        self.cache = m.home / ".cache" / "stranger" / "v1"
        text, = texts(m, 1)
        self.command = ["sh", "-c", f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' '{NAP}' && python3 '{m.folder}/stranger.py' one two three {options}"]

    def verified(self, **env):
        done = self.m.run("verify", "--json", "--run", *self.command, **env)
        answer = json.loads(done.stdout)
        use, = [u for u in answer["run"]["other_caches"] if "stranger" in u["folder"] or u["recorded"]]
        return (use["reused"], use["recorded"], sum(line.startswith("made") for line in done.stderr.splitlines())), done.returncode, answer["notes"]


@case
def kit_of_an_engine_that_nobody_knows(m):
    """What one start made and the next one opened is its cache, by that alone; logs, results and files of one start are not."""
    own_store(m)
    place = Strange(m, "--lock")
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check(f"stranger: 3 files of it in {m.home}/.cache/stranger" in said and "4 files that it made are no cache" in said, said + done.stderr)
    names = [f for record in recorded(m) for f in record]
    check(len(names) == 3 and all(n.endswith(".bin") for n in names), f"no log, no result: {names}")
    same(place.verified()[:2], ((3, 3, 0), 0), "where it was made")
    words = " ".join(m.run("status").stdout.split())
    check(f"stranger 3 files (35 B) in {m.home}/.cache/stranger" in words, words)
    done = m.run("prime", "--run", *place.command)
    check("may be a cache" not in " ".join(done.stdout.split()) and len([f for record in recorded(m) for f in record]) == 3, f"once more: {done.stdout}")
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    pack = m.folder / "kit.tar.zst"
    done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    check("stranger: 3 files" in " ".join(done.stdout.split()), done.stdout + done.stderr)
    forget(m, place)
    m.home.rename(m.folder / "first home")
    m.home = m.folder / "another home"  # what is below home moves with it
    m.home.mkdir()
    m.env["HOME"], m.root = str(m.home), m.home / ".nv" / "ComputeCache"
    answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
    kit, = answer["other_caches"]
    same((code, kit["placed"], kit["folder"]), (0, 3, str(m.home / ".cache/stranger")), answer["why"])
    same(place.verified()[:2], ((3, 3, 0), 0), "in another home")
    for file in m.home.glob(".cache/stranger/v1/*/*.bin"):
        file.unlink()
        break
    (reused, known, made), code, notes = place.verified()
    same((reused, known, made, code), (2, 3, 1, 1), notes)


@case
def kit_of_a_start_that_nobody_knows(m):
    """run starts a command once, so it says that what it made of an unknown engine is not known to be a cache. It remembers these files: where a start of
    prime --run opens them, they are one; what was changed meanwhile is not."""
    own_store(m)
    place = Strange(m, "--marks")
    said = " ".join(m.run("run", "--", *place.command).stderr.split())
    check("this start: the driver compiled 1 entry; it made 9 more files, which may be a cache: jitwarm prime --run shows that" in said, said)
    same([f for record in recorded(m) for f in record], [], "nothing is recorded of it")
    words = " ".join(m.run("status").stdout.split())
    check("9 files that commands made when run recorded them may be caches" in words and "last start" in words, words)
    first = sorted((m.home / ".cache/stranger").rglob("*.bin"))[0]
    done = m.run("verify", "--run", *place.command)
    check(f"it opened 3 files in {m.home}/.cache/stranger, which are in no record and may be a cache" in " ".join(done.stdout.split()), done.stdout)
    first.write_bytes(first.read_bytes())
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check(f"stranger: 5 files of it in {m.home}/.cache/stranger" in said and f"it opened 1 file in {m.home}/.cache/stranger, older than this start" in said, said)
    names = [f for record in recorded(m) for f in record]
    check(len(names) == 5 and not [n for n in names if n.endswith(first.name)] and all(n.endswith((".bin", ".ready")) for n in names), names)
    words = " ".join(m.run("status").stdout.split())
    check("when run recorded them" not in words and "stranger 5 files" in words, words)


# seccomp() itself is refused, as gVisor and some containers do.
REFUSES = """
import ctypes, os, platform, struct, sys
code = b"".join(struct.pack("HBBI", *i) for i in [(0x20, 0, 0, 0), (0x15, 0, 1, 317 if platform.machine() == "x86_64" else 277),
                                                  (0x06, 0, 0, 0x00050000 | 1), (0x06, 0, 0, 0x7fff0000)])
filter = ctypes.create_string_buffer(code, len(code))
class Program(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(Program(4, ctypes.addressof(filter)))) == 0
os.execvp(sys.argv[1], sys.argv[1:])
"""


@case
def kit_of_a_compiler_that_keeps_nothing(m):
    """Where each start opens NVIDIA's compiler and makes no file, it compiles each time: neither prime nor verify passes over that. Where a
    cache saves it, the next start does not open it."""
    own_store(m)
    compiler, source = m.folder / "nvvm/lib64/libnvvm.so.4", m.folder / "venv/numba/cuda/codegen.py"
    for file in compiler, source:
        file.parent.mkdir(parents=True)
        file.write_text("x")
    known, says = "libnvvm.so.4 was loaded for it, and no cache keeps what that makes: what it compiles is compiled again at every start", "@cuda.jit(cache=True)"
    compiles, engine = f"cat '{compiler}' >/dev/null", words_of(m)
    play = engine.split(" && ")[0]
    for words, expected, numba in ((f"{play} && {compiles}", True, False), (f"{play} && cat '{source}' >/dev/null && {compiles}", True, True),
                                   (f"{engine} && {compiles}", True, False), (f"if [ -e '{m.folder}/engine cache' ]; then {engine}; else {engine} && {compiles}; fi", False, False),
                                   (f"{compiles}; {play} && [ -e '{m.folder}/none' ]", False, False)):
        shutil.rmtree(m.folder / "engine cache", ignore_errors=True)
        place = Place(m, words)
        done = m.run("prime", "--verbose", "--run", *place.command)
        verified = place.verify()
        for said in " ".join(done.stdout.split()), verified[2]:
            same((known in said, says in said), (expected, numba), f"{words}: {said}")
        if expected:
            same((done.returncode, m.run("prime", "--check").returncode), (1, 1), f"{words}: it compiles at each start: {done.stdout}")
            check("no cache keeps what libnvvm.so.4 compiles for" in " ".join(m.run("prime", "--check").stdout.split()), "and each verb says so")


@case
def kit_of_a_compiler_that_keeps_nothing_where_filters_are_refused(m):
    """A start of which the calls cannot be seen does not show that a cache keeps what it compiles."""
    own_store(m)
    compiler = m.folder / "nvvm/lib64/libnvvm.so.4"
    compiler.parent.mkdir(parents=True)
    compiler.write_text("x")
    place = Place(m, f"{words_of(m).split(' && ')[0]} && cat '{compiler}' >/dev/null")
    same(m.run("prime", "--run", *place.command).returncode, 1, "it compiles at each start")
    for verb in "verify", "prime":
        done = subprocess.run([sys.executable, "-c", REFUSES, m.opt.tool, verb, "--run", *place.command], env=m.env, capture_output=True, text=True, check=False)
        same(done.returncode, 1, f"{verb}: {done.stdout}{done.stderr}")
        check("no cache keeps what libnvvm.so.4 compiles for" in " ".join(m.run("prime", "--check").stdout.split()), f"behind {verb}")


@case
def kit_where_filters_are_refused(m):
    """Then only the driver's part is known: said by each verb, recorded all the same, and never called reused."""
    own_store(m)
    place = Strange(m)

    def refused(*words):
        done = subprocess.run([sys.executable, "-c", REFUSES, m.opt.tool, *words], env=m.env, capture_output=True, text=True, check=False)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    code, said = refused("prime", "--run", *place.command)
    check("caches of other compilers were not recorded whole" in said and "this system allows no seccomp filters" in said and code == 0, f"{code}: {said}")
    code, said = refused("verify", "--run", *place.command)
    check("only what the driver compiles is known: " in said and code == 0, f"{code}: {said}")
    code, said = refused("run", "-v", "--", *place.command, "x")
    check("other caches were not seen whole: " in said and code == 0, f"{code}: {said}")
    shutil.rmtree(m.home / ".cache/stranger")
    m.run("prime", "--run", *place.command)
    code, said = refused("verify", "--run", *place.command)
    check(code == 1 and "reused 0 of 3, and it is not known whether more was made" in said, f"{code}: {said}")


@case
def kit_by_a_variable_and_by_a_path(m):
    """A cache that a variable moved goes where the same variable leads; one in the temporary folder, to the same path. A key with a path in it is made again,
    and that is said."""
    own_store(m)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    here, there, pack = m.folder / "here", m.folder / "there", m.folder / "kit.tar.zst"
    for options, env, moved in [("", {"STRANGER_DIR": str(here)}, {"STRANGER_DIR": str(there)}), ("--tmp", {}, {}), ("--path", {"STRANGER_DIR": str(here)}, {"STRANGER_DIR": str(there)})]:
        place = Strange(m, options)
        done = m.run("prime", "--run", *place.command, **env)
        check("stranger" in done.stdout and "3 files of it" in " ".join(done.stdout.split()), f"{options}: {done.stdout}{done.stderr}")
        done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--yes", "--run", *place.command, **env)
        check("3 files" in done.stdout, f"{options}: {done.stdout}{done.stderr}")
        told = subprocess.run(["tar", "--zstd", "-xOf", pack, "jitwarm/manifest.json"], capture_output=True, text=True, check=True).stdout
        check('"place":"$STRANGER_DIR"' in told.replace(" ", "") if env else "stranger_ada" in told, told)
        shutil.rmtree(here, ignore_errors=True)
        shutil.rmtree(m.folder / "tmp" / "stranger_ada", ignore_errors=True)
        forget(m, place)
        answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub", **moved)
        kit, = answer["other_caches"]
        same((code, kit["placed"]), (0, 3), f"{options}: {answer['why']}")
        (reused, known, made), code, notes = place.verified(**moved)
        same((reused, known, made, code), (0, 3, 3, 1) if "--path" in options else (3, 3, 0, 0), f"{options}: {notes}")
        check("--path" not in options or "different from the recorded start: the path of its folder" in " ".join(notes), notes)
        shutil.rmtree(there, ignore_errors=True)
    answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
    kit, = answer["other_caches"]
    same(kit["folder"], None, "no such variable here")


# As OpenMM: files right in the temporary folder, with digests for names.
FLAT = """import os, pathlib, sys
for name in sys.argv[1:]:
    file = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / name
    file.read_bytes() if file.exists() else file.write_bytes(b"code of " + name.encode())
"""


@case
def kit_in_a_folder_of_all_users(m):
    """In a temporary folder where each user may add files, and change those of nobody else, what is this user's own is recorded, packed and placed;
    where it is another user's, it is left alone."""
    own_store(m)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    (m.folder / "flat.py").write_text(FLAT)
    own, pack, text = m.folder / "of all", m.folder / "kit.tar.zst", texts(m, 1)[0]
    own.mkdir()
    own.chmod(0o1777)
    names = [f"jitwarm-{os.getpid()}-{time.time_ns()}-{n}" for n in "ab"]
    command = ["sh", "-c", f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' '{NAP}' && python3 '{m.folder}/flat.py' {' '.join(names)}"]
    for folder in own, pathlib.Path("/tmp"):
        m.env["TMPDIR"] = str(folder)
        if folder != own:
            del m.env["TMPDIR"]
        files = [folder / name for name in names]
        try:
            done = m.run("prime", "--run", *command)
            check(f"2 files of it in {folder}" in " ".join(done.stdout.split()), done.stdout + done.stderr)
            done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--yes", "--run", *command)
            check("2 files" in done.stdout, done.stdout + done.stderr)
            for file in files:
                file.unlink()
            same(m.run("verify", "--run", *command).returncode, 1, "after a restart of the machine they are gone, and made again")
            for file in files:
                file.unlink()
            answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
            same((code, answer["other_caches"][0]["placed"]), (0, 2), answer["other_caches"])
            same(m.run("verify", "--run", *command).returncode, 0, "they are reused")
            if os.geteuid() == 0:
                os.chown(files[1], 65534, 65534)
                answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
                left = answer["other_caches"][0]["left"]
                check(code == 1 and left and "user 65534 can change" in left and names[1] in left, f"another user put it there: {left}")
                done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--yes", "--run", *command)
                check(done.returncode == 6 and "user 65534 can change" in done.stderr, f"it is not signed: {done.stderr}")
        finally:
            for file in files:
                file.unlink(missing_ok=True)


@case
def kit_with_an_index(m):
    """What is read at the start and written again with the same bytes is a part of the cache, and nothing that is made again; what changes is neither."""
    own_store(m)
    place = Strange(m, "--index")
    done = m.run("prime", "--run", *place.command)
    check("4 files of it in" in " ".join(done.stdout.split()), done.stdout + done.stderr)
    check(any(f.endswith("index.pkl") for record in recorded(m) for f in record), recorded(m))
    same(place.verified()[:2], ((4, 4, 0), 0), "the same again")
    start, = [c["last_start"] for c in m.answer("status")[0]["commands"] if c["last_start"]]
    same([u["others"] for u in start["other_caches"]], [3], "what it writes each time is counted: a log, a file of its own name, and the index")
    (_, _, made), code, notes = place.verified(STRANGER_REFUSES="1")
    check((made, code) == (3, 1) and "reused 1 of 4, made 3" in " ".join(notes), f"it read them, and made the same bytes again: {notes}")
    (place.cache / "index.pkl").write_bytes(b"other names")
    (place.cache / "index.pkl").unlink()
    (reused, known, _), code, notes = place.verified()
    same((reused, known, code), (3, 4, 1), notes)


@case
def kit_with_marks(m):
    """A file of which a start only asks whether it is there belongs to the cache in which it is: without it the program fails. It is not called reused where nothing
    is read of the cache."""
    own_store(m)
    place = Strange(m, "--marks")
    said = " ".join(m.run("prime", "--run", *place.command).stdout.split())
    check("stranger: 6 files of it in" in said, said)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    pack = m.folder / "kit.tar.zst"
    m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    forget(m, place)
    answer, code = m.answer("import", pack, "--trust", m.folder / "signer.pub")
    same((code, kit_of(answer)["stranger"]["placed"]), (0, 6), answer["why"])
    same(place.verified()[:2], ((6, 6, 0), 0), "it does not fail")
    engine = (m.folder / "stranger.py").read_text()
    (m.folder / "stranger.py").write_text("")
    same(place.verified()[:2], ((0, 6, 0), 1), "one that reads nothing of it")
    (m.folder / "stranger.py").write_text(engine)
    next(m.home.glob(".cache/stranger/v1/*/*.ready")).unlink()
    check(place.verified()[1] == 1, "one that is gone")


@case
def kit_with_a_database(m):
    """What was looked up in a database no file tells, and a copy without its log is another one: it is not packed, and never called reused."""
    own_store(m)
    place = Strange(m, "--database")
    said = " ".join(m.run("prime", "--verbose", "--run", *place.command).stdout.split())
    check("3 files of it in" in said and f"it keeps a database in {m.home}/.cache/stranger, which no pack has" in said, said)
    words = " ".join(m.run("status").stdout.split())
    check("stranger 3 files (35 B) and a database, which no pack has, in" in words, words)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    said = " ".join(m.run("export", "-o", m.folder / "kit.tar.zst", "--sign", m.folder / "signer", "--run", *place.command).stdout.split())
    check("stranger: 3 files" in said and "stranger keeps a database, which is not in the pack" in said, said)
    m.run("prime", "--run", *place.command)
    check("and a database" in " ".join(m.run("status").stdout.split()), "recorded again, when it is there")
    check(not any("x.db" in f for record in recorded(m) for f in record), recorded(m))


@case
def kit_that_is_made_late(m):
    """What only the second start makes, and the third one opens, is a part of the cache, too. In the table's caches what no later start opens is none."""
    own_store(m)
    place = Strange(m, "--late")
    m.env["CUPY_CACHE_DIR"] = str(m.folder / "engine cache")
    (m.folder / "once.py").write_text("import os, pathlib\nif not pathlib.Path(os.environ['HOME'], '.cache/stranger').exists():\n"
                                      "    p = pathlib.Path(os.environ['CUPY_CACHE_DIR'])\n    p.mkdir()\n    (p / 'x').write_text('x')\n")
    place.command[2] = f"python3 '{m.folder}/once.py' && " + place.command[2]
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check("6 files of it in" in said and "cupy" not in said and said.count("made one") == 1 and said.count("init 0") >= 3, said + done.stderr)
    check(sum(f.endswith(".late") for record in recorded(m) for f in record) == 3, recorded(m))
    same(place.verified()[:2], ((6, 6, 0), 0), "where it was made")
    next(m.home.glob(".cache/stranger/v1/*/*.late")).unlink()
    done = m.run("verify", "--verbose", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check(done.returncode == 1 and "reused 5 of 6, made 1" in said and "1 file that it made is in no recorded cache" in said, said)


@case
def kit_that_was_there_before(m):
    """What an earlier start made is not recorded: that is said, with the folder that is to be moved away."""
    own_store(m)
    place = Strange(m)
    package = m.home / ".cache/uv/environments-v2/x/lib/python3.11/site-packages/x.py"  # of `uv run`
    package.parent.mkdir(parents=True)
    package.write_text("x")
    environment = package.parents[3] / "pyvenv.cfg"
    environment.write_text("x")
    place.command[2] += f" && cat '{package}' '{environment}' >/dev/null"
    subprocess.run(place.command, env=m.env, check=True, capture_output=True)
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check(f"in {m.home}/.cache/uv" not in said, f"an installed package is no cache: {said}")
    check(f"it opened 3 files in {m.home}/.cache/stranger, older than this start" in said and "rename the folder and run this again" in said, said + done.stderr)
    same([f for record in recorded(m) for f in record], [], "nothing is recorded")
    shutil.rmtree(m.home / ".cache/stranger")
    done = m.run("prime", "--run", *place.command)
    check("3 files of it in" in " ".join(done.stdout.split()) and "older than this start" not in done.stdout, done.stdout)
    place = Place(m, words_of(m))
    subprocess.run(place.command, env=m.env, check=True, capture_output=True)
    done = m.run("prime", "--run", *place.command, ENGINE_TOUCHES="1")
    check("CuPy: 3 files of it in" in " ".join(done.stdout.split()), f"a known one that notes when it was used: {done.stdout}")


@case
def kit_of_its_own_processes(m):
    """What another program makes and opens in the same folders at the same time is none of the command's, in a cache that nobody knows and in one that jitwarm
    knows."""
    own_store(m)
    place = Strange(m)
    m.env["CUPY_CACHE_DIR"] = str(m.folder / "engine cache")
    (m.folder / "engine.py").write_text(ENGINE)
    place.command[2] += f" && python3 '{m.folder}/engine.py' {' '.join(NAMES)}"
    folders = [place.cache, m.folder / "engine cache"]
    over = threading.Event()

    def other():
        for n in range(10**6):
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
                file = folder / f"other-{n}.bin"
                file.with_suffix(".new").write_bytes(b"another program's")
                file.with_suffix(".new").rename(file)
                for old in list(folder.glob("other-*.bin"))[-3:]:
                    old.read_bytes()
            if over.wait(0.05):
                return

    beside = threading.Thread(target=other)
    beside.start()
    try:
        done = m.run("prime", "-v", "--run", *place.command)
    finally:
        over.set()
        beside.join()
    said = " ".join(done.stdout.split())
    names = sorted(f for record in recorded(m) for f in record)
    check("stranger: 3 files of it" in said and "CuPy: 3 files of it" in said, said + done.stderr)
    check(len(names) == 6 and not any("other-" in n for n in names) and any(folders[0].glob("other-*")), f"{names}")


@case
def kit_of_an_engine_that_never_reads(m):
    """Files that each start makes again are no cache: said, and not packed. A command that makes nothing is started once."""
    own_store(m)
    place = Strange(m, "--never")
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check("6 files that it made are no cache: its next start did not open them" in said, said)
    same(recorded(m), [], "nothing is recorded of it")
    command = [m.opt.play, own_driver(m), "init", "ctx 0", NAP]
    same(m.run("prime", "--run", *command).stdout.count("init 0"), 1, "one start")


@case
def kit_of_workers_that_outlive(m):
    """Workers that end seconds after the program, as those of torch.compile: they are waited for, and what they made counts."""
    own_store(m)
    m.env["JW_TEST_HURRY"] = "4"
    place = Strange(m)
    text = m.folder / "text0.ptx"
    worker = f"'{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' 'nap 1200' & sleep 0.5; python3 '{m.folder}/stranger.py' one two three; wait"
    place.command = ["sh", "-c", f"({worker}) & '{m.opt.play}' '{own_driver(m)}' init 'ctx 0' '{NAP}'"]
    done = m.run("prime", "--run", *place.command)
    said = " ".join(done.stdout.split())
    check("Nothing was recorded" not in said and "3 files of it" in said, said + done.stderr)
    same(place.verified()[1], 0, "verify")
    stays = ["sh", "-c", f"sleep 40 >/dev/null 2>&1 & '{m.opt.play}' '{own_driver(m)}' init 'ctx 0' 'load {text}' '{NAP}'"]
    said = " ".join(m.run("prime", "--run", *stays).stdout.split())
    check("processes that it left behind still run: what they do from now on is not known" in said, f"one that makes nothing meanwhile: {said}")


@case
def kit_of_another_user(m):
    """Recorded by one user and placed for another one, below another absolute path: his own files, and they are used."""
    need_root()
    if not shutil.which("setpriv"):
        raise Skip("there is no setpriv")
    m.opt.play, tool = shutil.copy(m.opt.play, m.folder / "play"), shutil.copy(m.opt.tool, m.folder / "jitwarm")
    place, pack, public = made(m)
    before = contents(place.cache)
    home = m.folder / "bob"
    cache = home / "elsewhere" / "kernels"
    home.mkdir()
    os.chown(home, 54321, 54321)
    m.folder.chmod(0o755)
    env = dict(m.env, HOME=str(home), JITWARM_STATE=str(home / "state"), JITWARM_STORE=str(home / "store"), CUPY_CACHE_DIR=str(cache))

    def as_bob(*words):
        done = subprocess.run(["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", tool, *map(str, words)], env=env,
                              cwd=m.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check("{" in done.stdout, done.stdout + done.stderr)
        return json.loads(done.stdout[done.stdout.index("{\n"):]), done.returncode

    place.cache.chmod(0o700)  # his engine cannot read that one
    answer, code = as_bob("import", pack, "--trust", public, "--json")
    same((code, kit_of(answer)["cupy"]["placed"], kit_of(answer)["cupy"]["folder"]), (0, 3, str(cache)), answer["why"])
    same({(p.stat().st_uid, p.stat().st_gid) for p in [cache, *cache.rglob("*")]}, {(54321, 54321)}, "whose they are")
    same({n: (v[2] // 1000, v[3]) for n, v in contents(cache).items() if v[3] is not None},
         {n: (v[2] // 1000, v[3]) for n, v in before.items() if v[3] is not None}, "what they are")
    answer, code = as_bob("verify", "--json", "--run", *place.command)
    use, = answer["run"]["other_caches"]
    same((use["reused"], use["recorded"], use["made"], code), (3, 3, 0, 0), answer["notes"])
    os.chown(cache / "sub", 0, 0)
    (cache / "sub").chmod(0o777)
    answer, code = as_bob("verify", "--json", "--run", *place.command)
    same(code, 0, "reading goes on")
    answer, code = as_bob("import", pack, "--trust", public, "--json")
    left = kit_of(answer)["cupy"]["left"]
    check(code == 1 and "everybody can change" in left, f"a folder of root's that is open: {code} {left}")
    os.chown(cache / "sub", 65534, 65534)
    (cache / "sub").chmod(0o755)
    answer, code = as_bob("import", pack, "--trust", public, "--json")
    left = kit_of(answer)["cupy"]["left"]
    check(code == 1 and "user 65534 can change" in left, f"a folder of a third user: {code} {left}")


@case
def kit_false_warm(m):
    """The start that looks warm by its files, and is not."""
    place, _, _ = made(m)
    use, code, notes = place.verify(ENGINE_REFUSES="1")
    same((use["made"], code), (3, 1), f"it made them again: {notes}")
    use, code, notes = place.verify(ENGINE_REFUSES="1", ENGINE_LOSES="1")
    check(code == 1 and use["why_unknown"] and "begun there and not kept" in notes, f"it compiled and kept nothing: {notes}")
    use, code, notes = place.verify(ENGINE_REFUSES="1", ENGINE_BUILDS_ASIDE="1")
    check(code == 1 and use["why_unknown"] and "begun there and not kept" in notes, f"it compiled in a folder that is gone: {notes}")
    use, code, notes = place.verify(ENGINE_REFUSES="1", ENGINE_HIDES="1")
    same((use["made"], code), (3, 1), f"it wrote them again and set their times back: {notes}")
    use, code, notes = place.verify(ENGINE_REFUSES="1", ENGINE_MAKES_FOLDER="1")
    check(code == 1 and "begun there and not kept" in notes, f"it compiled in a folder of its own: {notes}")
    use, code, notes = place.verify(ENGINE_REFUSES="1", ENGINE_REMOVES="1")
    check(code == 1 and "removed there and not made again" in notes, f"it removed what it did not take: {notes}")
    m.run("prime", "--run", *place.command)
    place.command[2] = place.command[2].replace("utils.so", "other.so")
    use, code, notes = place.verify()
    same((use["made"], code), (1, 1), f"another source: {notes}")
    place = Place(m, words_of(m))
    use, code, notes = place.verify(CUPY_CACHE_DIR=str(m.folder / "elsewhere"))
    same((use["reused"], use["made"], code), (0, 3, 1), f"it was told another folder: {notes}")
    # It reads nothing of what its record has, and makes nothing either.
    shutil.copy(m.folder / "engine.py", m.folder / "kept.py")
    (m.folder / "engine.py").write_text("")
    use, code, notes = place.verify()
    same((use["reused"], use["made"], code), (0, 0, 1), f"it did not use its cache: {notes}")


@case
def kit_read_only(m):
    """Where nothing can be written, or no room is left, nobody sees what was compiled."""
    place, _, _ = made(m)
    with mounted(m.folder / "image", "size=1m,mode=0755") as folder:
        shutil.copytree(place.cache, folder, dirs_exist_ok=True)
        use, code, notes = place.verify(CUPY_CACHE_DIR=str(folder))
        check(code == 1 and use["reused"] == 3 and "its disk is full" in notes, f"{code}: {notes}")
        if subprocess.run(["mount", "-o", "remount,ro", folder], capture_output=True).returncode:
            raise Skip("a tmpfs cannot be made read-only here")
        use, code, notes = place.verify(CUPY_CACHE_DIR=str(folder))
        check(code == 1 and use["reused"] == 3 and "nothing can be written there" in notes, f"{code}: {notes}")


@case
def kit_trust(m):
    """Programs come in by a trusted signature, and by nothing else."""
    place, pack, public = made(m)
    unsigned = m.folder / "unsigned.tar.zst"
    done = m.run("export", "-o", unsigned, "--run", *place.command)
    check("skipped 3 files of other caches" in " ".join(done.stdout.split()), done.stdout)
    told = subprocess.run(["tar", "--zstd", "-tf", unsigned], capture_output=True, text=True, check=True).stdout
    check("kit/" not in told, told)
    forget(m, place)
    for args in [[], ["--allow-unsigned"], ["--allow-unsigned", "--yes"]]:
        answer, code = m.answer("import", pack, *args)
        same((code, place.cache.exists(), m.root.exists()), (6, False, False), f"{args}: {answer['why']}")
    check("--allow-unsigned does not" in answer["why"], answer["why"])
    place.cache.mkdir()
    place.cache.chmod(0o777)
    answer, code = m.answer("import", pack, "--trust", public)
    kit = kit_of(answer)["cupy"]
    check(code == 1 and "can change" in kit["left"] and kit["placed"] == 0, f"{code}: {kit}")
    same((contents(place.cache), [e["state"] for e in answer["entries"]]), ({}, ["imported"]), "a folder that others can write to is left alone, and the rest comes in")
    done = m.run("import", pack, "--trust", public)
    check("CuPy: 3 files skipped: " in " ".join(done.stdout.split()), done.stdout)


@case
def kit_open_to_others(m):
    """What others can write below the cache's folder is neither signed nor a place for programs."""
    place, pack, public = made(m)
    for what, mode in [("sub", 0o777), ("sub/deep", 0o777), ("sub/two.cubin", 0o666)]:
        was = (place.cache / what).stat().st_mode & 0o777
        (place.cache / what).chmod(mode)
        done = m.run("export", "-o", m.folder / "open.tar.zst", "--sign", m.folder / "signer", "--run", *place.command)
        said = " ".join((done.stdout + done.stderr).split())
        check(done.returncode not in (0, 1) and f"everybody can change" in said and what in said, f"export, {what}: {said}")
        same((m.folder / "open.tar.zst").exists(), False, "no pack")
        (place.cache / what).chmod(was)
    forget(m, place)
    for what in ["sub", "sub/deep"]:
        shutil.rmtree(place.cache, ignore_errors=True)
        (place.cache / what).mkdir(parents=True)
        (place.cache / what).chmod(0o777)
        before = sorted(contents(place.cache))
        for args in [["--dry-run"], [], ["--yes"]]:
            answer, code = m.answer("import", pack, "--trust", public, *args)
            left = kit_of(answer)["cupy"]["left"]
            check(code == 1 and "can change" in left and what in left, f"import, {what}: {code} {left}")
        same(sorted(contents(place.cache)), before, "nothing is placed")


@case
def kit_travels_by_file(m):
    """push and pull, which work unattended, bring entries alone, and each says so once."""
    place, pack, public = made(m)
    shared = m.folder / "shared"
    done = m.run("push", shared, "--pack", pack)
    said = " ".join(done.stderr.split())
    same((done.returncode, said.count("3 files of other caches")), (0, 1), said)
    check("pull does not place them" in said and "jitwarm import" in said, said)
    forget(m, place)
    answer, code = m.answer("pull", shared, "--trust", public, "--everything")
    notes = [n for n in answer["notes"] if "3 files of other caches" in n]
    same((code, answer["entries"]["imported"], len(notes), place.cache.exists()), (0, 1, 1, False), answer["notes"])
    check("jitwarm import" in notes[0], notes)
    done = m.run("push", m.folder / "other", lib := m.library(count=1)[0])
    check("other caches" not in done.stdout + done.stderr, f"{lib}: it has none: {done.stderr}")


ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0" + b"\x3e\0" + bytes(44)
SOUND = [("a/one.cubin", b"one" * 500), ("a/two", b"two" * 700), ("b", ELF)]


def bad_kits():
    """What a signer could put into a kit, by what is said of it: a change of the manifest's files, or of their members."""
    for path in ["../x", "a/../../x", "/tmp/x", "a//x", "", ".", "a/", "a\\..\\x", "C:x", "nul", "a/COM1.so", "a\x1b[2J", "x" * 256, "/".join("d" * 17)]:
        yield "the path of file 0", dict(path=path), None
    yield "is not behind the one before it", dict(path="b"), None
    yield "the mode of file 0", dict(mode=0o4755), None
    yield "the mode of file 0", dict(mode=0o666), None
    yield "the cache of file 0", dict(cache=1), None
    yield "file 0", dict(bytes=1 << 40), None
    for lie in (1499, 1501, 0, 512 << 20):
        yield "", dict(bytes=lie), None
    yield "digest", dict(digest=packs.blake(b"other")), None
    one = SOUND[0][1]
    for what in (packs.member("kit/000000", b"x" + one[1:]), packs.member("kit/000000", b"", kind=b"2", link=b"/etc/passwd"), packs.member("../x", one),
                 packs.member("kit/000001", one), packs.member("kit/000000", one, kind=b"1", link=b"x"), b"", packs.member("kit/000000", one) * 2):
        yield "", {}, what


@case
def kit_hostile(m):
    """A trusted key signed it, and no more is believed of it than that: it is refused before a file is placed."""
    place, _, _ = made(m)
    pair = packs.key_pair(m.folder, "minisign")
    if not pair:
        raise Skip("there is no minisign")
    base = packs.pack_of(m.root)
    m.forget_cache()
    shutil.rmtree(place.cache)

    def tried(pack, **options):
        file = pack.write(m.folder / "x.tar.zst", **options)
        packs.sign(file, pair[1])
        return m.answer("import", file, "--trust", pair[0], "--everything")

    def fresh():
        return packs.Pack(base.files, base.manifest["stamp"], base.manifest["sm"]).add_kit(SOUND)

    def refused(pack, why, what, **options):
        answer, code = tried(pack, **options)
        check(code == 6 and why in answer["why"], f"{what}: {code} {answer['why']}")
        check(not re.search("[\0-\x1f]", answer["why"]), f"{what}: {answer['why']!r}")
        same((list(place.cache.rglob("*")), packs.files_of(m.root)), ([], {}), f"{what}: nothing is placed")

    for why, changes, first in bad_kits():
        pack = fresh()
        pack.manifest["kit_files"][0].update(changes)
        if first is not None:
            pack.kit[0] = first
        refused(pack, why, f"{changes} {first and first[:110]}")
    pack = fresh()
    pack.manifest["kit_files"][0]["path"] = "a"
    refused(pack, "is the folder of", "a file that is a folder")
    for what, names in [("names", ["../x"]), ("the same twice", ["cupy", "cupy"])]:
        pack = fresh()
        pack.manifest["kit_caches"] = [dict(pack.manifest["kit_caches"][0], name=n) for n in names]
        refused(pack, "kit", f"caches, {what}")
    for count in 20001, 1000000:
        pack = fresh()
        pack.manifest["kit_files"] = [dict(pack.manifest["kit_files"][0], path=f"{i:07}", bytes=0, digest=packs.blake(b"")) for i in range(count)]
        entries, last = pack.parts()
        (m.folder / "last").write_bytes(last)
        last = subprocess.run(["zstd", "-1", "-c", "--check", m.folder / "last"], capture_output=True, check=True).stdout
        refused(pack, "", f"{count} files", body=packs.frame(entries) + packs.frame(pack.kit[0] * 2) + packs.pointed(last))
    answer, code = tried(fresh())
    kit = kit_of(answer)["cupy"]
    same((code, kit["placed"], kit["programs"]), (0, 3, 1), f"a sound one; its machine code is counted by what it is: {answer['why']}")
    pack = fresh()
    pack.manifest["kit_caches"][0]["name"] = "unheard-of"
    before = contents(place.cache)
    answer, code = tried(pack)
    same((kit_of(answer)["unheard-of"]["folder"], contents(place.cache) == before), (None, True), "a cache that is not known here")


def meanwhile(change, work):
    """What `work` gives while `change` is done again and again."""
    stop = threading.Event()

    def again():
        while not stop.is_set():
            try:
                change()
            except OSError:
                pass

    thread = threading.Thread(target=again)
    thread.start()
    try:
        return work()
    finally:
        stop.set()
        thread.join()


@case
def kit_that_changes(m):
    """Files change between check and use: a folder becomes a link while an import places files, and a file another one while it is packed."""
    place, pack, public = made(m)
    victim, aside, sub = m.folder / "victim", place.cache / "aside", place.cache / "sub"
    (victim / "deep").mkdir(parents=True)

    def swap():
        if sub.is_symlink():
            sub.unlink()
            aside.rename(sub)
        sub.rename(aside)
        sub.symlink_to(victim)
        time.sleep(0.0005)
        sub.unlink()
        aside.rename(sub)
        time.sleep(random.choice([0, 0.005, 0.02]))

    codes = set()
    for _ in range(12):
        forget(m, place)
        sub.mkdir(parents=True, mode=0o700)
        answer, code = meanwhile(swap, lambda: m.answer("import", pack, "--trust", public, "--no-verify"))
        codes.add(code)
        check(code in (0, 1, 4, 6), f"{code}: {answer['why']}")
        same(sorted(contents(victim)), ["deep"], "the folder behind the link")
    forget(m, place)
    same(m.answer("import", pack, "--trust", public)[1], 0, "in peace")

    def rewrite(turn=[0]):
        turn[0] += 1
        new = place.cache / "new"
        new.write_bytes(b"%d" % turn[0] * (3000 + turn[0] % 3))
        new.rename(sub / "two.cubin")

    packed = set()
    for i in range(8):
        file = m.folder / f"changing-{i}.tar.zst"
        done = meanwhile(rewrite, lambda: m.run("export", "-o", file, "--sign", m.folder / "signer", "--run", *place.command))
        packed.add(done.returncode)
        check(done.returncode == 0 or "changed or removed meanwhile" in " ".join((done.stdout + done.stderr).split()), done.stdout + done.stderr)
        same(file.exists(), done.returncode == 0, "no half of a pack")
        if file.exists():
            kept = place.cache.rename(m.folder / "kept")
            answer, code = m.answer("import", file, "--trust", public)
            same((code, kit_of(answer)["cupy"]["placed"]), (0, 3), f"what was packed is whole: {answer['why']}")
            shutil.rmtree(place.cache)
            kept.rename(place.cache)
    print(f"  imports: {codes}, exports: {packed}")


@case
def kit_other_content(m):
    """What is there stays, unless the user says otherwise; links and folders are never passed through."""
    place, pack, public = made(m)
    forget(m, place)
    (place.cache / "sub").mkdir(parents=True)
    mine = place.cache / "sub" / "two.cubin"
    mine.write_text("mine")
    answer, code = m.answer("import", pack, "--trust", public)
    same((code, kit_of(answer)["cupy"]["kept"], mine.read_text()), (1, 1, "mine"), "another content")
    answer, code = m.answer("import", pack, "--trust", public, "--yes")
    same((code, kit_of(answer)["cupy"]["placed"]), (0, 1), f"--yes: {answer['why']}")
    check(mine.read_bytes().startswith(b"code of sub/two.cubin"), "replaced")
    outside = m.folder / "outside"
    for what in ["folder", "file"]:
        shutil.rmtree(place.cache)
        place.cache.mkdir()
        shutil.rmtree(outside, ignore_errors=True)
        outside.mkdir()
        if what == "folder":
            (place.cache / "sub").symlink_to(outside)
        else:
            (outside / "victim").write_text("victim")
            (place.cache / "one.cubin").symlink_to(outside / "victim")
        before = contents(outside)
        answer, code = m.answer("import", pack, "--trust", public, "--yes")
        check(code not in (0, 1) and "is a link" in answer["why"], f"a link in place of a {what}: {code} {answer['why']}")
        same(contents(outside), before, "what the link leads to")
        same([p.name for p in place.cache.iterdir()], ["sub" if what == "folder" else "one.cubin"], "nothing was placed")
    shutil.rmtree(place.cache)
    (place.cache / "one.cubin").mkdir(parents=True)
    answer, code = m.answer("import", pack, "--trust", public, "--yes")
    check(code not in (0, 1) and "is a folder" in answer["why"], f"a folder in place of a file: {code} {answer['why']}")


@case
def kit_other_version(m):
    """The environment's packages are part of the key: what differs is named."""
    site = m.folder / "venv" / "lib" / "python3.11" / "site-packages"
    (site / "cupy_cuda12x-13.4.0.dist-info").mkdir(parents=True)
    m.env["VIRTUAL_ENV"] = str(m.folder / "venv")
    m.env["PATH"] = str(m.folder / "bin") + os.pathsep + m.env["PATH"]
    (m.folder / "bin").mkdir()
    os.symlink("/bin/sh", m.folder / "bin" / "sh")
    place, pack, public = made(m)
    forget(m, place)
    (site / "cupy_cuda12x-13.4.0.dist-info").rename(site / "cupy_cuda12x-13.6.0.dist-info")
    answer, code = m.answer("import", pack, "--trust", public)
    same((code, kit_of(answer)["cupy"]["placed"]), (0, 3), f"{answer['why']}")
    use, code, notes = place.verify(ENGINE_REFUSES="1")
    check(code == 1 and "its version (cupy_cuda12x-13.4.0, and here cupy_cuda12x-13.6.0)" in notes, notes)
    (site / "cupy_cuda12x-13.6.0.dist-info").rename(site / "cupy_cuda12x-13.4.0.dist-info")
    (site / "numpy-2.0.dist-info").mkdir()
    _, code, notes = place.verify(ENGINE_REFUSES="1")
    check(code == 1 and "the environment's packages" in notes and "variables (ENGINE_REFUSES is set here alone)" in notes, notes)
    (site / "numpy-2.0.dist-info").rmdir()
    _, code, notes = place.verify(ENGINE_REFUSES="1", SIMCUDA_GPUS="sm_90:One:8G")
    check(code == 1 and "the GPUs (sm_86, and here sm_90)" in notes, notes)
    site.parent.parent.parent.rename(m.folder / "moved")
    _, code, notes = place.verify(ENGINE_REFUSES="1", VIRTUAL_ENV=str(m.folder / "moved"))
    check(code == 1 and "the path of the environment" in notes, notes)
    done = m.run("verify", "--run", *place.command, ENGINE_REFUSES="1")
    check("To do jitwarm prime --run sh -c" in " ".join(done.stdout.split()), done.stdout)


@case
def kit_gone_files(m):
    """What is not there any more is not packed; what others can write is not signed."""
    place, pack, _ = made(m)
    (place.cache / "sub" / "two.cubin").unlink()
    done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    check("CuPy: 2 files" in " ".join(done.stdout.split()), done.stdout + done.stderr)
    (place.cache / "sub" / "two.cubin").symlink_to("/etc/passwd")
    done = m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    check("is a link" in done.stdout + done.stderr, done.stdout + done.stderr)


@case
def kit_with_a_damaged_record(m):
    """Each verb names the file and what to do; none says that all is well."""
    place, pack, _ = made(m)
    record, = (m.folder / "state/kits").glob("*.json")
    for text in ("{", record.read_text()[:200], record.read_text().replace('"sub/two.cubin"', '"../two.cubin"')):
        record.write_text(text)
        for words in (["export", "-o", pack, "--yes", "--sign", m.folder / "signer", "--run"], ["verify", "--run"], ["run", "--"], ["status"]):
            done = m.run(*words, *(place.command if words != ["status"] else []))
            said = " ".join((done.stdout + done.stderr).split())
            check(str(record) in said and "is damaged (" in said and "jitwarm prime --run" in said, f"{words}: {done.returncode} {said}")
            check(words[0] in ("run", "status") or done.returncode, f"{words}: {done.returncode}")
    record.unlink()
    same((m.run("prime", "--run", *place.command).returncode, place.verify()[1]), (0, 0), "recorded again")


@case
def kit_kills(m):
    """kill -9 at any instant: each file is whole or not there, and the next import goes on."""
    names = [f"f{i % 7}/{i}.cubin" for i in range(3)] + [f"g/{i}.cubin" for i in range(60)]
    own_store(m)
    place = Place(m, words_of(m, names))
    m.run("prime", "--run", *place.command)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    pack, public = m.folder / "kit.tar.zst", m.folder / "signer.pub"
    m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    whole = {n: v[3] for n, v in contents(place.cache).items() if v[3] is not None}
    same(len(whole), len(names), "files")
    rng, took, hit = random.Random(m.opt.seed), [], set()
    for i in range(m.opt.rounds):
        shutil.rmtree(place.cache)
        began = time.monotonic()
        run = m.start("import", pack, "--trust", public, "--no-verify")
        if i < 2:
            run.communicate(timeout=60)
            took.append(time.monotonic() - began)
        else:
            time.sleep(rng.uniform(0.5, 1.05) * min(took))
            kill(run.pid)
            run.communicate(timeout=60)
        there = {n: v[3] for n, v in contents(place.cache).items() if v[3] is not None and "jitwarm-kit" not in n} if place.cache.exists() else {}
        for name, body in there.items():
            check(whole.get(name) == body, f"round {i}: {name} is not whole")
        hit.add("none" if not there else "all" if len(there) == len(whole) else "some")
        if not place.cache.exists():
            place.cache.mkdir(mode=0o700)
    answer, code = m.answer("import", pack, "--trust", public)
    kit = kit_of(answer)["cupy"]
    same((code, kit["placed"] + kit["present"]), (0, len(names)), f"the next import: {answer['why']}")
    same({n: v[3] for n, v in contents(place.cache).items() if v[3] is not None}, whole, "nothing of ours is left")
    print(f"  {m.opt.rounds} kills: {sorted(hit)}")


@case
def kit_imports_at_once(m):
    """Two imports for two caches of the driver, of one kit into one folder: what the other one placed is there, and is no other content."""
    names = [f"g{i % 5}/{i}.cubin" for i in range(200)]
    own_store(m)
    place = Place(m, words_of(m, names))
    m.run("prime", "--run", *place.command)
    same(m.run("key", "--new", m.folder / "signer", "--no-passphrase").returncode, 0, "a key")
    pack, public = m.folder / "kit.tar.zst", m.folder / "signer.pub"
    m.run("export", "-o", pack, "--sign", m.folder / "signer", "--run", *place.command)
    whole = {n: v[3] for n, v in contents(place.cache).items() if v[3] is not None}
    for i in range(8):
        forget(m, place)
        runs = [m.start("import", pack, "--trust", public, "--no-verify", "--json", CUDA_CACHE_PATH=str(m.folder / f"cache {i} {k}")) for k in range(3)]
        for run in runs:
            out, err = run.communicate(timeout=60)
            answer = json.loads(out)
            kit = kit_of(answer)["cupy"]
            same((run.returncode, kit["kept"], kit["placed"] + kit["present"]), (0, 0, len(names)), f"{answer['why']} {err}")
        same({n: v[3] for n, v in contents(place.cache).items() if v[3] is not None}, whole, "all of it, and nothing of ours")


@case
def kit_full_disk(m):
    """A disk without room, or with less than stays reserved: one sentence, nothing is placed, nothing stays."""
    place, pack, public = made(m)
    forget(m, place)
    for size, taken, reserved in ("8k", 0, "4 KiB"), ("130m", 82 << 20, "64 MiB"):
        with mounted(m.folder / size, f"size={size},mode=0700") as folder:
            if taken:
                with open(folder / "filler", "wb") as filler:
                    os.posix_fallocate(filler.fileno(), 0, taken)
            for args in [["--dry-run"], []]:
                with untouched(folder, f"{size} {args}"):
                    answer, code = m.answer("import", pack, "--trust", public, *args, CUPY_CACHE_DIR=str(folder / "deep" / "cache"))
                same(code, 4, f"{answer['why']}")
                check("not enough disk space: 12 KiB needed" in answer["why"] and f"{reserved} stay reserved" in answer["why"], answer["why"])
    with mounted(m.folder / "few", "size=80m,nr_inodes=5,mode=0700") as folder:
        answer, code = m.answer("import", pack, "--trust", public, CUPY_CACHE_DIR=str(folder))
        same((code, [n for n, v in contents(folder).items() if v[3] is not None]), (4, []), f"no room for a folder, which the free space does not tell: {answer['why']}")
    with mounted(m.folder / "enough", "size=80m,mode=0700") as folder:
        answer, code = m.answer("import", pack, "--trust", public, CUPY_CACHE_DIR=str(folder))
        same((code, kit_of(answer)["cupy"]["placed"]), (0, 3), answer["why"])
        (folder / "fill").write_bytes(bytes(70 << 20))
        for args in [[], ["--yes"]]:
            answer, code = m.answer("import", pack, "--trust", public, *args, CUPY_CACHE_DIR=str(folder))
            same((code, kit_of(answer)["cupy"]["present"]), (0, 3), f"what is there needs no room: {answer['why']}")


@case
def kit_is_nobodys_to_prune(m):
    """status and doctor name such caches; prune and an import from the store leave them alone."""
    place, _, _ = made(m)
    words = " ".join(m.run("status").stdout.split())
    check("CuPy 3 files" in words, words)
    before = contents(place.cache)
    m.run("prune", "--yes")
    m.run("prune", "--everything", "--yes")
    m.forget_cache()
    m.run("prime")
    same(contents(place.cache), before, "the engine's cache")


@case
def kit_is_placed_by_import_alone(m):
    """prime takes packs out of the store by itself; what is a program stays in them."""
    place, pack, public = made(m)
    trust_for_good(m, public)
    forget(m, place)
    answer, code = m.answer("import", pack)
    check(code == 0 and answer["store"]["path"], f"import: {answer['why']}")
    forget(m, place)
    lib, _ = m.library(count=2)
    done = m.run("prime", lib)
    check("imported from 1 of 1 pack" in " ".join(done.stderr.split()), f"prime took the entry: {done.stderr}")
    same(place.cache.exists(), False, "and no program")
    other = m.folder / "other"
    answer, code = m.answer("import", pack, "--cache", other)
    check(not place.cache.exists() and "skipped 3 files of other caches" in " ".join(answer["notes"]), f"--cache: {answer['notes']}")
