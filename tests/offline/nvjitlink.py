#!/usr/bin/env python3
"""nvjitlink.py CASE... --tool JITWARM --sim LIBRARY --gen GEN_MODULES --jitlink LIBRARY --old LIBRARY

`jitwarm compile --compiler nvjitlink`: what proof.py shows of ptxas, of a library that a worker loads. Nothing here is
about hardware. Each case is a function below; `list` prints their names.
"""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "prime"), str(HERE.parent / "pack")]
from cases import Cases, Skip, check, finish, same  # noqa: E402
from steps import KEY_STAMP, SM, STAMP, image, inspect, offline, own_store, states_of, take  # noqa: E402

case = Cases()
TOOLKIT = pathlib.Path.home() / ".cache/jitwarm-corpus/toolkit"
REAL = TOOLKIT / "lib/libnvJitLink.so.13"
GOOD = f"driver={STAMP},sm={SM}"
NO_ENV = ("CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH")


def made_by(m, *args, compiler=None, **env):
    return offline(m, *args, compiler=compiler or m.opt.jitlink, **env)


def bare(m, *args, cwd=None, **env):
    """Without the variables that lead to a library."""
    kept = {k: v for k, v in m.env.items() if k not in NO_ENV}
    return subprocess.run(m.command("compile", "--for", GOOD, *args), env=dict(kept, **env),
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=cwd or m.folder)


def refusal(m, *args, **env):
    """The one line of a command line that makes no sense."""
    done = bare(m, *args, **env)
    same((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"{args}: {done.stderr}")
    return done.stderr


# ---- the build machine ----

@case
def made(m):
    """A pack of every module, with the library's name and version, without a driver, a GPU or a cache."""
    lib, _ = m.library(count=12)
    pack = m.folder / "x.tar.zst"
    answer, code = made_by(m, "-o", pack, lib)
    same((code, answer["end"], answer["modules"], answer["compiled"], answer["failed"]), (0, "done", 12, 12, []), "made")
    same({k: answer["compiler"][k] for k in ("name", "version", "isa", "path")},
         {"name": "nvJitLink", "version": "13.0.88", "isa": "9.0", "path": str(m.opt.jitlink)}, "the compiler")
    check(answer["simulated"] and answer["stamp"] == KEY_STAMP and answer["sm"] == SM, f"{answer}")
    seen = inspect(m, pack)
    same((seen["compiler"], seen["level"]), ({"name": "nvJitLink", "version": "13.0.88"}, 5), "inspect")
    same((len(seen["entries"]), {e["made"] for e in seen["entries"]}), (13, {"forged"}), "its entries")
    check("nvJitLink 13.0.88" in m.run("inspect", pack).stdout.replace("\n         ", " "), "inspect says it")
    check(not m.root.exists(), "no cache was touched")
    again, code = made_by(m, "--jobs", "1", "-o", m.folder / "y.tar.zst", lib)
    same((code, again["pack"]["manifest_digest"]), (0, answer["pack"]["manifest_digest"]), "the same bytes again")
    answer, code = made_by(m, "-o", m.folder / "old.tar.zst", lib, compiler=m.opt.old)
    same((code, answer["compiled"], answer["compiler"]["version"], answer["compiler"]["isa"]), (0, 12, "12.0", "8.0"),
         "one of before 12.3, which tells no version and has its names with their release alone")
    same([p.name for p in (m.folder / "state").glob("offline-*")], [], "folders left behind")
    same(m.wait_for_silence(), [], "processes left behind")


@case
def parent_loads_none(m):
    """The library is loaded by processes that may be lost, one for each question, and never by the one that was started."""
    lib, _ = m.library(count=2)
    trace = m.folder / "trace"
    if not shutil.which("strace"):
        raise Skip("there is no strace")
    done = subprocess.run(["strace", "-ff", "-o", trace, "-e", "trace=openat,execve", m.opt.tool, "compile", "--for",
                           GOOD, "--compiler", m.opt.jitlink, "-o", m.folder / "x.tar.zst", lib],
                          capture_output=True, text=True, env={**m.env, "JITWARM_DRIVER": "/nonexistent/libcuda.so.1"})
    if done.returncode and "ptrace" in done.stderr.lower():
        raise Skip(f"strace may not look: {done.stderr.splitlines()[0]}")
    same(done.returncode, 0, done.stderr)
    loads = [t.read_text() for t in m.folder.glob("trace.*") if str(m.opt.jitlink) in t.read_text()
             and f'openat(AT_FDCWD, "{m.opt.jitlink}"' in t.read_text()]
    same(len(loads), 4, "processes that open it: its version, the test kernel, two modules")
    check(all("worker-nvjitlink" in t for t in loads), "and all of them are workers")


@case
def lost_modules(m):
    """A module that crashes or hangs the library, or comes out as anything but code for this GPU, costs itself alone."""
    lib, _ = m.library(count=6)
    words = {"crash": "signal", "hang": "did not finish within 2 s", "exit": "exit 3", "garbage": "no GPU code", "wrong-sm": "code for sm_87",
             "nothing": "wrote no code", "refuse": "nvJitLink 13.0.88 refuses it: simulated ptxas, line 1; error"}
    for fault, word in words.items():
        pack = m.folder / f"{fault}.tar.zst"
        answer, code = made_by(m, "--timeout", "2s", "-o", pack, lib, SIMNVJITLINK_FAULT=fault, SIMNVJITLINK_AT="m0003(")
        same((code, answer["end"], answer["compiled"]), (1, "partly", 5), f"{fault}: {answer['why']}")
        same([(pathlib.Path(x["path"]).name, x["kernel"]) for x in answer["failed"]], [("lib.so", "m0003")], fault)
        check(word in answer["failed"][0]["why"], f"{fault}: {answer['failed']}")
        same(len(inspect(m, pack)["entries"]), 6, f"{fault}: the others")
    answer, code = made_by(m, "-o", m.folder / "noise.tar.zst", lib, SIMNVJITLINK_FAULT="noise")
    same((code, answer["compiled"]), (0, 6), "what it prints is no answer of ours")
    same(m.wait_for_silence(), [], "processes left behind")


@case
def old_toolkit(m):
    """PTX of a newer ISA than the library reads is not tried, and told in one sentence."""
    lib, _ = m.library(count=4)
    log = m.folder / "calls"
    text = m.folder / "new.ptx"
    text.write_text(".version 8.7\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n")
    answer, code = made_by(m, text, SIMNVJITLINK_VERSION="12.3", SIMNVJITLINK_LOG=str(log))
    same((code, answer["end"], answer["compiled"]), (1, "nothing", 0), "made")
    same([x["why"] for x in answer["failed"]],
         ["its PTX has ISA 8.7, but nvJitLink 12.3 reads up to 8.3: use a newer toolkit"], "the sentence")
    same(len(log.read_text().splitlines()), 1, "calls: the test kernel alone")
    check(answer["pack"] is None, "no pack")
    check(any("nvJitLink 12.3 loads this machine's driver" in n for n in answer["notes"]), f"it says so: {answer['notes']}")
    answer, code = made_by(m, "-o", m.folder / "x.tar.zst", text, SIMNVJITLINK_VERSION="99.0")
    same((code, answer["compiler"]["version"], answer["compiler"]["isa"]), (0, "99.0", None), "a release that no table knows is asked itself")
    check(not any("driver" in n for n in answer["notes"]), f"{answer['notes']}")


@case
def no_code_for_it(m):
    """A library that makes nothing for this GPU is told once, and not asked for each module."""
    lib, _ = m.library(count=4)
    log = m.folder / "calls"
    answer, code = made_by(m, lib, SIMNVJITLINK_FAULT="refuse", SIMNVJITLINK_LOG=str(log))
    same((code, answer["end"]), (1, "nothing"), "made")
    check("small test kernel for sm_86" in answer["why"] and "nvJitLink 13.0.88" in answer["why"], answer["why"])
    same(len(log.read_text().splitlines()), 1, "calls")


@case
def wrong_words(m):
    """No such library, a file that is none, one of something else, one that crashes: exit code 2, one sentence each."""
    lib, _ = m.library(count=2)
    text = m.folder / "libnvJitLink.so.12"
    text.write_text("this is no library")
    for compiler, word in (("nvlink", "ptxas and nvjitlink"), ("libnvJitLink.so.13", "ptxas and nvjitlink"),
                           ("./libnvJitLink.so.12", "absolute path"), ("/no/libnvJitLink.so.13", "no such library"),
                           (text, "libnvJitLink.so.12: "), (m.opt.sim, "it is no nvJitLink"), (m.folder, "no"),
                           (m.opt.ptxas.parent / "libnvrtc-sim.so", "it is no nvJitLink")):
        said = refusal(m, "--compiler", compiler, lib)
        check(word in said, f"{compiler}: {said}")
    said = refusal(m, "--compiler", m.opt.jitlink, lib, SIMNVJITLINK_FAULT="load-crash")
    check(f"nvJitLink {m.opt.jitlink} ended its process while it was loaded: signal" in said, said)
    check(not m.root.exists(), "no cache was touched")


@case
def found(m):
    """nvjitlink: where variables say, then in Python's packages; never in the folder that we are in."""
    lib, _ = m.library(count=2)
    here, venv, toolkit = m.folder / "here", m.folder / "venv", m.folder / "toolkit"
    site = venv / "lib/python3.11/site-packages/nvidia/nvjitlink/lib"
    for folder in here, site, toolkit / "lib64":
        folder.mkdir(parents=True)
    shutil.copy(m.opt.jitlink, here / "libnvJitLink.so.13")
    shutil.copy(m.opt.jitlink, site / "libnvJitLink.so.12")
    (toolkit / "lib64/libnvJitLink.so.11").symlink_to(m.opt.old)

    def which(**env):
        done = bare(m, "--json", "--dry-run", "--compiler", "nvjitlink", lib, cwd=here, LD_LIBRARY_PATH=":.:", **env)
        check(done.returncode in (0, 2), done.stderr)
        return json.loads(done.stdout)["compiler"]["path"] if done.returncode == 0 else done.stderr

    if pathlib.Path("/usr/local/cuda").exists():
        raise Skip("a toolkit is installed here")
    check("no nvJitLink found" in which(), which())
    check("no nvJitLink found" in which(CUDA_HOME="."), "a relative folder is none")
    same(which(VIRTUAL_ENV=str(venv)), str(site / "libnvJitLink.so.12"), "a package of Python's")
    same(which(VIRTUAL_ENV=str(venv), CUDA_HOME=str(toolkit)), str(toolkit / "lib64/libnvJitLink.so.11"), "a variable goes first")
    same(which(VIRTUAL_ENV=str(venv), CUDA_PATH=str(toolkit)), str(toolkit / "lib64/libnvJitLink.so.11"), "either")


@case
def options(m):
    """What a file stores with its module reaches the library in its own words; what it does not take costs that module."""
    log, plain = m.folder / "calls", ["-arch=sm_86 -no-cache "]
    lib, _ = m.library(count=1, options="-v --maxrregcount=40 -O2  --generate-line-info")
    answer, code = made_by(m, "-o", m.folder / "x.tar.zst", lib, SIMNVJITLINK_LOG=str(log))
    same((code, log.read_text().splitlines()),
         (0, plain + ["-arch=sm_86 -maxrregcount=40 -Xptxas=-O2 -lineinfo -no-cache "]), "the test kernel and the module")
    log.unlink()
    answer, code = made_by(m, lib, compiler=m.opt.old, SIMNVJITLINK_LOG=str(log))
    same((code, log.read_text().splitlines()), (0, [x.replace("-no-cache ", "") for x in plain]
         + ["-arch=sm_86 -maxrregcount=40 -Xptxas=-O2 -lineinfo "]), "12.0 has no cache, nor a word against it")
    answer, code = made_by(m, lib, SIMNVJITLINK_UNKNOWN="-lineinfo")
    same((code, answer["compiled"]), (1, 0), "an option that it does not take")
    same(answer["failed"][0]["why"], "nvJitLink 13.0.88 refuses it: nvJitLink 13.0 does not take one of these options: -arch=sm_86 "
         "-maxrregcount=40 -Xptxas=-O2 -lineinfo", "and that is said")
    lib, _ = m.library(count=1, options="-ftz=true")
    answer, code = made_by(m, lib)
    same((code, answer["failed"][0]["why"]), (1, "it needs the option -ftz=true, which jitwarm does not pass on"), "as of ptxas")


@case
def stopped(m):
    """Ctrl-C: nothing is left, no process stays."""
    lib, _ = m.library(count=4)
    pack = m.folder / "x.tar.zst"
    run = m.start("compile", "--for", GOOD, "--compiler", m.opt.jitlink, "-o", pack, lib,
                  SIMNVJITLINK_FAULT="hang", SIMNVJITLINK_AT="m000")
    end = time.monotonic() + 20
    while len(m.processes()) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    same((run.returncode, pack.exists()), (130, False), "stopped")
    same(m.wait_for_silence(), [], "processes left behind")
    same([p.name for p in (m.folder / "state").glob("offline-*")], [], "folders left behind")


# ---- the machine that imports ----

@case
def imported(m):
    """The whole way; what was proven of nvJitLink says nothing of ptxas."""
    lib, _ = m.library(count=6)
    pack, other = m.folder / "x.tar.zst", m.folder / "other.tar.zst"
    answer, code = made_by(m, "-o", pack, lib)
    same((code, answer["compiled"]), (0, 6), "made")
    answer, code = take(m, pack, lib, SIMCUDA_KNOWLEDGE="4")
    same((code, answer["counts"]["imported"]["entries"], m.root.exists()), (5, 0, False), "a driver that refuses such code")
    own = dict(JITWARM_STATE=str(m.folder / "state-2"))
    answer, code = take(m, pack, lib, **own)
    same((code, states_of(answer)), (0, {"imported": 6, "canary": 1}), f"import: {answer['why']}")
    check(any("code of nvJitLink 13.0.88" in n for n in answer["notes"]), f"it says what they are: {answer['notes']}")
    before = image(m.root)
    answer, code = m.answer("verify", lib, **own)
    same((code, states_of(answer), image(m.root) == before), (0, {"warm": 6}, True), "verify adds no entry")
    remembered = b"".join(p.read_bytes() for p in (m.folder / "state-2" / "drivers").iterdir())
    same(remembered.count(b"nvJitLink 13.0.88\0" + struct.pack("<H", 86)), 1, "what is remembered")
    answer, code = m.answer("carry", "--undo", **own)
    same((code, answer["counts"]["removed"], len(m.cache().entries)), (0, 6, 0), "undo")


# ---- NVIDIA's own ----

def need_real():
    if not REAL.exists():
        raise Skip(f"there is no {REAL}")
    if os.environ.get("PACK_ARCH", "x86_64") not in ("x86_64", "AMD64"):
        raise Skip(f"{REAL} is for x86-64, and the program is not")


@case
def real_nvjitlink(m):
    """NVIDIA's own library, where there is one: found through CUDA_HOME; no driver is loaded; its refusals are told."""
    need_real()
    lib, _ = m.library(count=4, most=6000)
    for sm in 75, 86, 90:
        answer, code = made_by(m, "-o", m.folder / f"{sm}.tar.zst", lib, compiler="nvjitlink", sm=sm, CUDA_HOME=str(TOOLKIT))
        same((code, answer["compiled"]), (0, 4) if sm >= 80 else (1, 0), f"sm_{sm}: {answer['why']}")
    same((answer["compiler"]["name"], answer["compiler"]["version"][:5]), ("nvJitLink", "13.0."), "the compiler")
    same(os.path.realpath(answer["compiler"]["path"]), os.path.realpath(REAL), "where it was")
    wrong = {"bad": ("{ bogus.u32 %r1; ret; }", "Not a name of any known instruction: 'bogus'"),
             "open": ("{ call other; ret; }", "other")}
    for name, (body, word) in wrong.items():
        text = m.folder / f"{name}.ptx"
        head = ".extern .func other;\n" if name == "open" else ""
        text.write_text(f".version 7.0\n.target sm_80\n.address_size 64\n{head}.visible .entry k()\n{body}\n")
        answer, code = made_by(m, text, compiler=REAL)
        same((code, len(answer["failed"])), (1, 1), name)
        check("nvJitLink 13.0.88 refuses it: " in answer["failed"][0]["why"] and word in answer["failed"][0]["why"], f"{answer['failed']}")


@case
def real_nvjitlink_way(m):
    """NVIDIA's library on the build machine; the simulated driver reads the number out of its code."""
    need_real()
    lib, _ = m.library(count=4, most=6000)
    for sm in 86, 90, 120:
        pack = m.folder / f"{sm}.tar.zst"
        answer, code = made_by(m, "-o", pack, lib, compiler=REAL, sm=sm)
        same(code, 0, f"made: {answer['why']}")
        gpu = dict(SIMCUDA_GPUS=f"sm_{sm}:NVIDIA Test:8G", JITWARM_STATE=str(m.folder / f"state-{sm}"))
        answer, code = take(m, pack, lib, **gpu)
        same((code, states_of(answer)), (0, {"imported": 4, "canary": 1}), f"sm_{sm}: {answer['why']}")


if __name__ == "__main__":
    finish(case, __doc__, 0, prepare=own_store, paths=("ptxas", "jitlink", "old"))
