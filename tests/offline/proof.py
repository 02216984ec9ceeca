#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --ptxas SIMPTXAS

`jitwarm prime --offline` on a machine without driver and GPU, and what another machine does with its pack, on the simulated
driver. Nothing here is about hardware. Each case is a function below; `list` prints their names.
"""
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "prime"))
from cases import Cases, Skip, check, finish, same  # noqa: E402

case = Cases()
STAMP, SM = "Jan  7 2026 22:51:46", 86
KEY_STAMP = STAMP[:11] + STAMP[12:]
REAL = pathlib.Path.home() / ".cache/jitwarm-corpus/toolkit/bin/ptxas"


def states(answer):
    return {s: n for s, n in answer["counts"].items() if n}


def image(folder):
    """Every file below it, to the byte."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def offline(m, *args, compiler=None, stamp=STAMP, sm=SM, simulated=True, **env):
    """On a build machine: it has no driver."""
    target = f"driver={stamp},sm={sm}" + (",simulated" if simulated else "")
    return m.answer("prime", "--offline", "--for", target, "--compiler", compiler or m.opt.ptxas, *args,
                    **dict(dict(JITWARM_DRIVER="/nonexistent/libcuda.so.1"), **env))


def inspect(m, pack):
    answer, code = m.answer("inspect", "--entries", pack)
    same(code, 0, "inspect")
    return answer


# ---- the build machine ----

@case
def made(m):
    """A pack of every module, with the compiler's name, without a driver, a GPU or a cache; into a file or the store."""
    lib, _ = m.library(count=12)
    pack = m.folder / "x.tar.zst"
    answer, code = offline(m, "--pack", pack, lib)
    same((code, answer["end"], answer["modules"], answer["compiled"], answer["lost"]), (0, "done", 12, 12, []), "made")
    same((answer["compiler"]["name"], answer["compiler"]["version"]), ("ptxas", "13.0.88"), "the compiler")
    check(answer["simulated"] and answer["stamp"] == KEY_STAMP and answer["sm"] == SM, f"{answer}")
    seen = inspect(m, pack)
    same((seen["compiler"], seen["level"], seen["stamp"]), ({"name": "ptxas", "version": "13.0.88"}, 5, KEY_STAMP), "inspect")
    same((len(seen["entries"]), {e["made"] for e in seen["entries"]}), (13, {"forged"}), "its entries")
    same([o["name"] for o in seen["origins"]], ["lib.so"], "whose they are")
    check("ptxas 13.0.88" in m.run("inspect", pack).stdout, "inspect says it")
    check(not m.root.exists(), "no cache was touched")
    again, code = offline(m, "--jobs", "1", "--pack", m.folder / "y.tar.zst", lib)
    same((code, again["pack"]["tar_digest"]), (0, answer["pack"]["tar_digest"]), "the same bytes again")
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
    words = {"crash": "signal", "hang": "ran longer", "fail": "refuses it", "garbage": "no machine code",
             "wrong-sm": "is for sm_87", "nothing": "nothing came out"}
    for fault, word in words.items():
        pack = m.folder / f"{fault}.tar.zst"
        answer, code = offline(m, "--timeout", "2s", "--pack", pack, lib, SIMPTXAS_FAULT=fault, SIMPTXAS_AT="m0003(")
        same((code, answer["end"], answer["compiled"]), (1, "partly", 5), f"{fault}: {answer['why']}")
        same([(pathlib.Path(x["path"]).name, x["kernel"]) for x in answer["lost"]], [("lib.so", "m0003")], fault)
        check(word in answer["lost"][0]["why"], f"{fault}: {answer['lost']}")
        same(len(inspect(m, pack)["entries"]), 6, f"{fault}: the others")
    same(m.wait_for_silence(), [], "processes left behind")


@case
def old_toolkit(m):
    """PTX of a newer ISA than the toolkit reads is not tried, and told in one sentence."""
    lib, _ = m.library(count=4)
    log = m.folder / "calls"
    answer, code = offline(m, lib, SIMPTXAS_VERSION="11.2.152", SIMPTXAS_LOG=str(log))
    same((code, answer["end"], answer["compiled"], len(answer["lost"])), (1, "nothing", 0, 4), "made")
    same({x["why"] for x in answer["lost"]},
         {"its PTX is of ISA 7.8, and ptxas 11.2.152 reads up to 7.2: a newer toolkit is needed"}, "the sentence")
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
            (["--for", "sm=86", lib], "wants both"), (["--for", "driver=580.126.09,sm=86", lib], "is no stamp"),
            (["--for", "driver=Foo  7 202622:51:46,sm=86", lib], "is no stamp"), (["--for", f"driver={STAMP},sm=x", lib], "sm=x"),
            (["--for", f"{good},colour=red", lib], "colour=red"), (["--for", good], "files or folders"), ([lib], "--for"),
            (["--for", good, m.folder / "gone"], "no such file"), (["--for", good, "--gpu", "0", lib], "--gpu"),
            (["--for", good, "--cache", m.root, lib], "--cache"), (["--for", good, "--compiler", "gcc", lib], "ptxas"),
            (["--for", good, "--compiler", "/bin/true", lib], "version"), (["--for", good, "--compiler", "/no/ptxas", lib], "/no/ptxas"),
            (["--for", good, "--pack", "/no/such/folder/x", lib], "/no/such/folder")):
        compiler = [] if "--compiler" in args else ["--compiler", m.opt.ptxas]
        done = m.run("prime", "--offline", *compiler, *args)
        same((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{args}: {done.stderr}")
        check(word in done.stderr, f"{args}: {done.stderr}")
    done = m.run("prime", "--for", good, lib)
    check(done.returncode == 2 and "--offline" in done.stderr, done.stderr)
    check(not m.root.exists(), "no cache was touched")


@case
def stopped(m):
    """Ctrl-C: nothing is left, no process stays."""
    lib, _ = m.library(count=4)
    pack = m.folder / "x.tar.zst"
    run = m.start("prime", "--offline", "--for", f"driver={STAMP},sm={SM}", "--compiler", m.opt.ptxas, "--pack", pack, lib,
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


@case
def real_ptxas(m):
    """NVIDIA's own ptxas, where there is one."""
    if not REAL.exists():
        raise Skip(f"there is no {REAL}")
    version = subprocess.run([REAL, "--version"], capture_output=True, text=True, check=True).stdout
    lib, _ = m.library(count=4, most=6000)
    for sm in 75, 86, 90:
        answer, code = offline(m, "--pack", m.folder / f"{sm}.tar.zst", lib, compiler=REAL, sm=sm)
        same((code, answer["compiled"]), (0, 4) if sm >= 80 else (1, 0), f"sm_{sm}: {answer['why']}")
    check(f"V{answer['compiler']['version']}" in version, answer["compiler"]["version"])


def own_store(m):
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    m.env["SIMCUDA_STAMP"] = STAMP


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=own_store, paths=("ptxas",))
