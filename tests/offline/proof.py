#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --ptxas SIMPTXAS

`jitwarm compile` on a machine without driver and GPU, and what another machine does with its pack, on the simulated
driver. Nothing here is about hardware. Each case is a function below; `list` prints their names.
"""
import json
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "prime"), str(HERE.parent / "pack")]
import packs  # noqa: E402
from cases import Cases, Skip, check, finish, same  # noqa: E402
from grounds import mounted  # noqa: E402
from steps import KEY_STAMP, SM, STAMP, image, inspect, offline, own_store, states_of, take  # noqa: E402

case = Cases()
REAL = pathlib.Path.home() / ".cache/jitwarm-corpus/toolkit/bin/ptxas"


# ---- the build machine ----

@case
def made(m):
    """A pack of every module, with the compiler's name, without a driver, a GPU or a cache; into a file or the store."""
    lib, _ = m.library(count=12)
    pack = m.folder / "x.tar.zst"
    answer, code = offline(m, "-o", pack, lib)
    same((code, answer["end"], answer["modules"], answer["compiled"], answer["failed"]), (0, "done", 12, 12, []), "made")
    same((answer["compiler"]["name"], answer["compiler"]["version"]), ("ptxas", "13.0.88"), "the compiler")
    check(answer["simulated"] and answer["stamp"] == KEY_STAMP and answer["sm"] == SM, f"{answer}")
    seen = inspect(m, pack)
    same((seen["compiler"], seen["level"], seen["stamp"]), ({"name": "ptxas", "version": "13.0.88"}, 5, KEY_STAMP), "inspect")
    same((len(seen["entries"]), {e["made"] for e in seen["entries"]}), (13, {"forged"}), "its entries")
    same([o["name"] for o in seen["origins"]], ["lib.so"], "whose they are")
    check("ptxas 13.0.88" in m.run("inspect", pack).stdout, "inspect says it")
    check(not m.root.exists(), "no cache was touched")
    again, code = offline(m, "--jobs", "1", "-o", m.folder / "y.tar.zst", lib)
    same((code, again["pack"]["manifest_digest"]), (0, answer["pack"]["manifest_digest"]), "the same bytes again")
    answer, code = offline(m, lib)
    same((code, answer["pack"]["stored"]), (0, True), "without --pack")
    check(pathlib.Path(answer["pack"]["path"]).parent == m.folder / "store", answer["pack"]["path"])
    shown, code = m.answer("list")
    same((code, shown["packs"][0]["manifest"]["forged"]), (0, 13), "list")
    same([p.name for p in (m.folder / "state").glob("offline-*")], [], "folders left behind")
    before = image(m.folder / "store")
    answer, code = offline(m, "--dry-run", lib)
    same((code, answer["modules"], answer["pack"], image(m.folder / "store")), (0, 12, None, before), "--dry-run")


@case
def lost_modules(m):
    """A module that crashes or hangs the compiler, or comes out as anything but code for this GPU, costs itself alone."""
    lib, _ = m.library(count=6)
    words = {"crash": "signal", "hang": "ran longer", "fail": "refuses it", "garbage": "no GPU code",
             "wrong-sm": "code for sm_87", "nothing": "wrote no code"}
    for fault, word in words.items():
        pack = m.folder / f"{fault}.tar.zst"
        answer, code = offline(m, "--timeout", "2s", "-o", pack, lib, SIMPTXAS_FAULT=fault, SIMPTXAS_AT="m0003(")
        same((code, answer["end"], answer["compiled"]), (1, "partly", 5), f"{fault}: {answer['why']}")
        same([(pathlib.Path(x["path"]).name, x["kernel"]) for x in answer["failed"]], [("lib.so", "m0003")], fault)
        check(word in answer["failed"][0]["why"], f"{fault}: {answer['failed']}")
        same(len(inspect(m, pack)["entries"]), 6, f"{fault}: the others")
    # The output's folder goes away meanwhile: that is a failure, although a module was lost before.
    gone, compiler = m.folder / "gone", m.folder / "ptxas"
    gone.mkdir()
    compiler.write_text(f'#!/bin/sh\nrm -rf "{gone}"\nexec "{m.opt.ptxas}" "$@"\n')
    compiler.chmod(0o755)
    done = m.run("compile", "--for", f"driver={STAMP},sm={SM}", "--compiler", compiler, "-o", gone / "x.tar.zst", lib,
                 SIMPTXAS_FAULT="fail", SIMPTXAS_AT="m0003(")
    check(done.returncode == 2 and "no such folder" in done.stderr, f"{done.returncode}: {done.stdout}{done.stderr}")
    same(m.wait_for_silence(), [], "processes left behind")


@case
def old_toolkit(m):
    """PTX of a newer ISA than the toolkit reads is not tried, and told in one sentence."""
    lib, _ = m.library(count=4)
    log = m.folder / "calls"
    answer, code = offline(m, lib, SIMPTXAS_VERSION="11.2.152", SIMPTXAS_LOG=str(log))
    same((code, answer["end"], answer["compiled"], len(answer["failed"])), (1, "nothing", 0, 4), "made")
    same({x["why"] for x in answer["failed"]},
         {"its PTX has ISA 7.8, but ptxas 11.2.152 reads up to 7.2: use a newer toolkit"}, "the sentence")
    same(len(log.read_text().splitlines()), 1, "calls: the test kernel alone")
    check(answer["pack"] is None, "no pack")


@case
def no_code_for_it(m):
    """A compiler that makes nothing for this GPU is told once, and not asked for each module."""
    lib, _ = m.library(count=4)
    log = m.folder / "calls"
    answer, code = offline(m, lib, SIMPTXAS_FAULT="fail", SIMPTXAS_LOG=str(log))
    same((code, answer["end"]), (1, "nothing"), "made")
    check("small test kernel for sm_86" in answer["why"], answer["why"])
    same(len(log.read_text().splitlines()), 1, "calls")


@case
def wrong_words(m):
    """What makes no sense is told with exit code 2, before anything is compiled."""
    lib, _ = m.library(count=2)
    good = f"driver={STAMP},sm={SM}"
    for args, word in (
            (["--for", "sm=86", lib], "needs driver=STAMP"), (["--for", "driver=580.126.09,sm=86", lib], "is no stamp"),
            (["--for", "driver=Foo  7 202622:51:46,sm=86", lib], "is no stamp"), (["--for", f"driver={STAMP},sm=x", lib], "sm=x"),
            (["--for", f"{good},colour=red", lib], "colour=red"), (["--for", good], "PATH... is missing"), ([lib], "--for"),
            (["--for", good, m.folder / "gone"], "no such file"), (["--for", good, "--gpu", "0", lib], "--gpu"),
            (["--for", good, "--cache", m.root, lib], "--cache"), (["--for", good, "--compiler", "gcc", lib], "ptxas"),
            (["--for", good, "--compiler", "/bin/true", lib], "version"), (["--for", good, "--compiler", "/no/ptxas", lib], "/no/ptxas"),
            (["--for", good, "-o", "/no/such/folder/x", lib], "/no/such/folder")):
        compiler = [] if "--compiler" in args else ["--compiler", m.opt.ptxas]
        done = m.run("compile", *compiler, *args)
        same((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{args}: {done.stderr}")
        check(word in done.stderr, f"{args}: {done.stderr}")
    done = m.run("prime", "--for", good, lib)
    check(done.returncode == 2 and "--for" in done.stderr, done.stderr)
    check(not m.root.exists(), "no cache was touched")


@case
def stopped(m):
    """Ctrl-C: nothing is left, no process stays."""
    lib, _ = m.library(count=4)
    pack = m.folder / "x.tar.zst"
    run = m.start("compile", "--for", f"driver={STAMP},sm={SM}", "--compiler", m.opt.ptxas, "-o", pack, lib,
                  SIMPTXAS_FAULT="hang", SIMPTXAS_AT="m000")
    end = time.monotonic() + 20
    while len(m.processes()) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    same((run.returncode, pack.exists()), (130, False), "stopped")
    same(m.wait_for_silence(), [], "processes left behind")
    same([p.name for p in (m.folder / "state").glob("offline-*")], [], "folders left behind")


def cannot_write(m, what, lib, place, word, *args, **env):
    """Exit 4, a sentence that names the place, no pack, and nothing is left in the state folder."""
    answer, code = offline(m, *args, lib, **env)
    same((code, answer["end"], answer["pack"]), (4, "cannot-write", None), f"{what}: {answer['why']}")
    check(word in answer["why"] and str(place) in answer["why"], f"{what}: {answer['why']}")
    same([p.name for p in (m.folder / "state").glob("offline-*")], [], f"{what}: folders left behind")


@case
def full_disk(m):
    """No room for the compiler's files, for the pack, or in the store."""
    lib, _ = m.library(count=4, least=60000, most=90000)
    pack = m.folder / "x.tar.zst"
    with mounted(m.folder / "small", "size=64k,mode=700") as small:
        cannot_write(m, "the state folder", lib, small, "the disk is full", "-o", pack, JITWARM_STATE=str(small))
        same([*small.iterdir()], [], "and it is empty again")
        cannot_write(m, "the output", lib, small, "the disk is full", "-o", small / "x.tar.zst")
        same([*small.iterdir()], [], "the old file or none")
        cannot_write(m, "the store", lib, small, "the disk is full", JITWARM_STORE=str(small))
        same([p.name for p in small.iterdir() if p.name != "lock"], [], "no pack in the store")
    check(not pack.exists(), "no pack")


@case
def no_folder(m):
    """A state, a store and an output that cannot be made: a file stands where their folder belongs."""
    lib, _ = m.library(count=2)
    file = m.folder / "file"
    file.write_text("not a folder\n")
    cannot_write(m, "the state", lib, file, "is not a folder", "-o", m.folder / "x.tar.zst", JITWARM_STATE=str(file / "state"))
    cannot_write(m, "the store", lib, file, "is not a folder", JITWARM_STORE=str(file / "store"))
    same(file.read_text(), "not a folder\n", "the file")
    check(not (m.folder / "x.tar.zst").exists(), "no pack")


@case
def real_ptxas(m):
    """NVIDIA's own ptxas, where there is one."""
    if not REAL.exists():
        raise Skip(f"there is no {REAL}")
    version = subprocess.run([REAL, "--version"], capture_output=True, text=True, check=True).stdout
    lib, _ = m.library(count=4, most=6000)
    for sm in 75, 86, 90:
        answer, code = offline(m, "-o", m.folder / f"{sm}.tar.zst", lib, compiler=REAL, sm=sm)
        same((code, answer["compiled"]), (0, 4) if sm >= 80 else (1, 0), f"sm_{sm}: {answer['why']}")
    check(f"V{answer['compiler']['version']}" in version, answer["compiler"]["version"])


# ---- the machine that imports ----

class Taken(packs.Pack):
    """A pack taken apart by tar, to be put together otherwise."""

    def __init__(self, m, path):
        with tempfile.TemporaryDirectory(dir=m.folder) as folder:
            subprocess.run(["tar", "--zstd", "-xf", path, "-C", folder], check=True)
            files = packs.files_of(pathlib.Path(folder) / "cache")
            manifest = json.loads((pathlib.Path(folder) / "jitwarm/manifest.json").read_text())
        super().__init__(files, KEY_STAMP, SM)
        del manifest["totals"]
        self.manifest = manifest

    def drop(self, name):
        del self.files[name]
        self.manifest["entries"] = [e for e in self.manifest["entries"] if e["name"] != name]

    def replace(self, name, data):
        """Another payload of the same size, all sums right."""
        key, = struct.unpack_from("<Q", data, 4)
        self.files[name] = packs.entry_file(data[28:28 + key], data[28 + key:])
        entry = next(e for e in self.manifest["entries"] if e["name"] == name)
        entry["digest"] = packs.blake(self.files[name])


def prepared(m, count=8):
    """A pack of a library, made elsewhere."""
    lib, _ = m.library(count=count)
    pack = m.folder / "x.tar.zst"
    answer, code = offline(m, "-o", pack, lib)
    same((code, answer["compiled"]), (0, count), "made")
    return lib, pack


def updated(m, stamp, name):
    """The driver as another build: a library with a build id of its own."""
    path = m.folder / name / "libcuda.so.1"
    path.parent.mkdir()
    data = bytearray(m.opt.sim.read_bytes())
    at = data.index(b"jitwarm-simcuda-0000")
    data[at:at + 20] = f"jitwarm-{name:<12.12}".encode()
    path.write_bytes(data)
    return dict(JITWARM_DRIVER=str(path), SIMCUDA_STAMP=stamp)


def caches(m):
    return {**image(m.root), **image(m.folder / "other-cache")}


@case
def imported(m):
    """The whole way: made without a driver, imported on a machine without a toolkit, found by programs, told, undone."""
    lib, pack = prepared(m)
    answer, code = take(m, pack, lib, "--dry-run")
    same((code, states_of(answer), m.root.exists()), (0, {"new": 8, "canary": 1}, False), "--dry-run")
    answer, code = take(m, pack, lib)
    same((code, answer["end"], states_of(answer)), (0, "done", {"imported": 8, "canary": 1}), f"import: {answer['why']}")
    check(answer["verify"]["verified"], "verify decides")
    check(any("code of ptxas 13.0.88" in n for n in answer["notes"]), f"it says what they are: {answer['notes']}")
    cache = m.cache()
    same((cache.whole(), len(cache.entries)), ([], 8), "the cache, without the test kernel")
    before = image(m.root)
    answer, code = m.answer("verify", lib)
    same((code, states_of(answer), image(m.root) == before), (0, {"warm": 8}, True), "verify adds no entry")
    answer, code = m.answer("status")
    same(answer["counts"]["carried"]["entries"], 8, "status")
    same([p.name for p in (m.folder / "state").glob("*-*") if p.is_dir()], [], "folders left behind")
    remembered = b"".join(p.read_bytes() for p in (m.folder / "state" / "drivers").iterdir())
    same(remembered.count(b"ptxas 13.0.88\0" + struct.pack("<H", 86)), 1, "what is remembered")
    answer, code = m.answer("export", "-o", m.folder / "out.tar.zst", lib)
    same(code, 1, "export leaves them out")
    check(not (m.folder / "out.tar.zst").exists(), "export leaves them out")
    answer, code = m.answer("export", "--include-carried", "-o", m.folder / "out.tar.zst", lib)
    same(code, 0, "export --include-carried")
    seen = inspect(m, m.folder / "out.tar.zst")
    same((seen["compiler"], {e["made"] for e in seen["entries"]}), ({"name": "ptxas", "version": "13.0.88"}, {"forged"}), "its mark")
    answer, code = take(m, pack, lib)
    same((code, answer["end"], states_of(answer)), (0, "nothing", {"present": 8, "canary": 1}), "once more")
    answer, code = m.answer("carry", "--undo")
    same((code, answer["counts"]["removed"], len(m.cache().entries)), (0, 8, 0), "undo")
    answer, code = take(m, m.folder / "out.tar.zst", lib)
    same((code, states_of(answer)), (0, {"imported": 8}), "without a test kernel, for a compiler that is proven here")


@case
def vouched(m):
    """No audit can compare such code, so somebody has to vouch for it: a key that is trusted for everything, or the user."""
    lib, pack = prepared(m, 4)

    def tried(what, code, *args):
        answer, got = m.answer("import", pack, lib, *args)
        same((got, answer["counts"]["imported"]["entries"]), (code, 4 if code == 0 else 0), f"{what}: {answer['why']}")
        same(m.root.exists(), code == 0, f"{what}: the cache")
        return answer

    for args in ((), ("--audit", "100%"), ("--yes", "--force", "--foreign"), ("--dry-run",)):
        answer = tried(f"unsigned {args}", 6, "--allow-unsigned", *args)
        check("ptxas 13.0.88" in answer["why"] and "cannot be audited" in answer["why"], answer["why"])
        check(any("--no-audit" in a for a in answer["advice"]), answer["advice"])
    pair = packs.key_pair(m.folder)
    if pair:
        public, secret = pair
        packs.sign(pathlib.Path(pack), secret)
        bound = m.folder / "bound.pub"
        bound.write_text(public.read_text().rstrip("\n") + "\n# origins: lib*\n")
        tried("a key for some software, which the test kernel is not of", 6, "--trust", bound)
        tried("a key for everything", 0, "--trust", public)
        m.forget_cache()
        pathlib.Path(f"{pack}.minisig").unlink()
    tried("the user believes it", 0, "--allow-unsigned", "--no-audit")
    if not pair:
        return
    # Once the compiler is proven here, a pack needs no test kernel.
    again = m.folder / "again.tar.zst"
    same(m.answer("export", "--include-carried", "-o", again, lib)[1], 0, "export --include-carried")
    packs.sign(again, secret)
    m.forget_cache()
    answer, code = m.answer("import", again, lib, "--trust", bound)
    check(code == 6 and "cannot be audited" in answer["why"], f"a key for this software: {code} {answer['why']}")
    check(not m.root.exists(), "nothing was imported")


@case
def renewed(m):
    """carry --renew puts the driver's own code in their place."""
    lib, pack = prepared(m, 5)
    take(m, pack, lib)
    answer, code = m.answer("carry", "--renew")
    same((code, answer["end"]), (0, "done"), f"renew: {answer['why']}")
    answer, code = m.answer("status")
    same(answer["counts"]["carried"]["entries"], 0, "status")
    same((m.cache().whole(), len(m.cache().entries)), ([], 5), "the cache")


OPTIONS = ([], ["--force"], ["--foreign"], ["--no-verify"], ["--verify"], ["--yes"], ["--dry-run"],
           ["--force", "--foreign", "--yes", "--no-verify", "--as-root"], ["--as-root", "--force"], ["--other-cache"])


def with_options(m, options, lib):
    cache = ["--cache", m.folder / "other-cache"] if "--other-cache" in options else []
    return [o for o in options if not o.startswith("--other")] + cache + [lib]


def refused(m, pack, lib, what, codes=(5,), **env):
    """Whatever the options: an end without a single entry, a sentence, and no cache touched."""
    before = caches(m)
    for options in OPTIONS:
        if "--dry-run" in options and what.startswith("driver"):
            continue  # what is to be proven is not proven by a dry run, which changes nothing either
        answer, code = take(m, pack, *with_options(m, options, lib), **env)
        check(code in codes and answer["counts"]["imported"]["entries"] == 0, f"{what} {options}: {code} {answer['end']}")
        check(answer["why"] or answer["notes"], f"{what} {options}: a sentence")
        same(caches(m), before, f"{what} {options}: the cache")
    return answer


@case
def not_proven(m):
    """A driver that refuses such code, computes wrong numbers with it, crashes or hangs on it: the canary catches each."""
    lib, pack = prepared(m, 4)
    for i, env in enumerate((dict(SIMCUDA_KNOWLEDGE="4"), dict(SIMCUDA_KNOWLEDGE="3"), dict(SIMCUDA_KNOWLEDGE="2"),
                             dict(SIMCUDA_WRONG_NUMBERS="1"), dict(SIMCUDA_KNOWLEDGE="1"))):
        state = dict(JITWARM_STATE=str(m.folder / f"state-{i}"))
        answer = refused(m, pack, lib, f"driver {env}", **env, **state)
        word = "computed" if "SIMCUDA_WRONG_NUMBERS" in env else "not used" if env["SIMCUDA_KNOWLEDGE"] in "34" else "knows this driver's cache to level"
        check(word in answer["why"], f"{env}: {answer['why']}")
    check(not m.root.exists(), "no cache was made")


@case
def proof_missing(m):
    """No test kernel in the pack, or a pack that does not say by which compiler: never imported, whatever the options."""
    lib, pack = prepared(m, 4)
    plain = Taken(m, pack)
    canary = [e for e in plain.manifest["entries"] if e["origin"] is None]
    same(len(canary), 1, "test kernels")
    for what in ("no canary", "no compiler"):
        p = Taken(m, pack)
        if what == "no canary":
            p.drop(canary[0]["name"])
        else:
            del p.manifest["compiler"]
        answer = refused(m, p.write(m.folder / "y.tar.zst"), lib, what)
        check(("test kernel" if what == "no canary" else "the compiler") in answer["why"], answer["why"])
    check(not m.root.exists(), "no cache was made")


@case
def proof_stale(m):
    """What one build of the driver proved says nothing of another one, nor does one compiler's proof of another's."""
    lib, pack = prepared(m, 4)
    answer, code = take(m, pack, lib)
    same((code, states_of(answer)), (0, {"imported": 4, "canary": 1}), "the first build")
    newer = "Feb  9 2026 41:02:03"
    later = m.folder / "later.tar.zst"
    answer, code = offline(m, "-o", later, lib, stamp=newer)
    same(code, 0, "made for the next build")
    env = dict(updated(m, newer, "next"), SIMCUDA_KNOWLEDGE="4")
    answer = refused(m, later, lib, "driver of another build", **env)
    check("not used" in answer["why"], answer["why"])
    without = Taken(m, pack)
    without.drop([e["name"] for e in without.manifest["entries"] if e["origin"] is None][0])
    without.manifest["compiler"]["version"] = "13.1.80"
    m.answer("carry", "--undo")
    answer = refused(m, without.write(m.folder / "y.tar.zst"), lib, "another version")
    check("test kernel" in answer["why"], answer["why"])


@case
def wrong_canary(m):
    """A canary whose code is the driver's own, or for the wrong number, proves nothing."""
    lib, pack = prepared(m, 4)
    p = Taken(m, pack)
    name = [e["name"] for e in p.manifest["entries"] if e["origin"] is None][0]
    data = p.files[name]
    at = data.index(b"jwcanary") + 8
    for number, word in ((401, "compiled again"), (7, "computed 1007")):
        p = Taken(m, pack)
        p.replace(name, data[:at] + number.to_bytes(4, "little") + data[at + 4:])
        answer = refused(m, p.write(m.folder / "y.tar.zst"), lib, f"driver, canary of {number}")
        check(word in answer["why"], answer["why"])
    check(not m.root.exists(), "no cache was made")


@case
def never_by_itself(m):
    """A folder of packs, as startup has one, brings nothing of another compiler into the cache, however trusted."""
    lib, _ = m.library(count=4)
    folder, keys = m.home / "packs", m.home / ".config" / "jitwarm" / "keys"
    keys.mkdir(parents=True)
    folder.mkdir()
    same(m.run("keygen", "--no-passphrase", "-o", m.folder / "lab.key").returncode, 0, "keygen")
    (keys / "lab.pub").write_text((m.folder / "lab.pub").read_text())
    answer, code = offline(m, "--sign", m.folder / "lab.key", "-o", folder / "x.tar.zst", lib)
    same((code, answer["pack"]["signature"]), (0, str(folder / "x.tar.zst.minisig")), f"signed: {answer['why']}")
    done = m.run("prime", "--packs", folder, "--yes", lib)
    same(done.returncode, 0, done.stderr)
    answer, code = m.answer("status")
    same((answer["counts"]["carried"]["entries"], len(m.cache().entries)), (0, 4), "status")
    check("0 entries imported" in done.stderr, f"it says so: {done.stderr}")
    m.forget_cache()
    answer, code = m.answer("import", folder / "x.tar.zst", lib)
    same((code, states_of(answer), answer["pack"]["signature"]["state"]), (0, {"imported": 4, "canary": 1}, "trusted"), "asked for")


@case
def real_way(m):
    """NVIDIA's ptxas on the build machine; the simulated driver reads the number out of its code."""
    if not REAL.exists():
        raise Skip(f"there is no {REAL}")
    lib, _ = m.library(count=4, most=6000)
    for sm in 86, 90, 120:
        pack = m.folder / f"{sm}.tar.zst"
        answer, code = offline(m, "-o", pack, lib, compiler=REAL, sm=sm)
        same(code, 0, f"made: {answer['why']}")
        gpu = dict(SIMCUDA_GPUS=f"sm_{sm}:NVIDIA Test:8G", JITWARM_STATE=str(m.folder / f"state-{sm}"))
        answer, code = take(m, pack, lib, **gpu)
        same((code, states_of(answer)), (0, {"imported": 4, "canary": 1}), f"sm_{sm}: {answer['why']}")


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=own_store, paths=("ptxas",))
