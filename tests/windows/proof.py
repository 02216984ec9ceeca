#!/usr/bin/env python3
"""proof.py CASE... --tool JITWARM.EXE --sim NVCUDA.DLL --gen GEN_MODULES.EXE --hold HOLD.EXE --prefix FOLDER [--other FOLDER]
proof.py make [--from FOLDER] --sim NVCUDA.DLL FOLDER...

The Windows program under Wine with the simulated driver in System32: what is promised of both systems, tried on this one. The
user is called `홍 길동` throughout. Caches are read and packs are made by code that is not the tool's. `make` makes the
machines. Nothing here is about hardware, and nothing here was seen on Windows itself. `list` prints the cases; exit 77: the
case cannot be tried here.
"""
import argparse
import functools
import html
import http.server
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from wine import ROOT, USER, Windows, clone  # noqa: E402
import packs  # noqa: E402  (found by the paths that wine.py adds)
import network  # noqa: E402
from bench import kill  # noqa: E402
from cases import Cases, Skip, check, finish, same  # noqa: E402

case = Cases()


def states(answer):
    return {s: n for s, n in answer["counts"].items() if n}


def passes(answer):
    return [(p["hits"], p["misses"], p["new_entries"]) for p in answer["verify"]["passes"]]


def sound(m, n):
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), n, "entries")
    nothing_left(m)


def nothing_left(m):
    same(m.wait_for_silence(), [], "processes left behind")
    same(m.leftovers(), [], "folders left behind")


def guilty(m, lib, fault, n=1):
    """A fault for the first `n` modules of the plan, by the names of their entries."""
    jobs = m.answer("prime", "--dry-run", lib)[0]["jobs"][:n]
    return " ".join(f"{fault}@{job['entry']['name'].replace('/', '')[:12]}" for job in jobs), {job["id"] for job in jobs}


# ---- the promise ----

@case
def prime_verify(m):
    """What was warmed is found by fresh processes, which compile nothing; the next run does not even ask the driver."""
    lib = m.library(count=16)
    answer, code = m.answer("prime", lib)
    same((code, states(answer), passes(answer)), (0, {"warmed": 16}, [(16, 0, 0)]), "cold")
    check(answer["driver"]["simulated"] is True, "it says that the driver is simulated")
    same(answer["cache"]["folder"], m.path(m.root), "the cache is the driver's own")
    sound(m, 16)
    before = packs.files_of(m.root)
    answer, code = m.answer("prime", lib, SIMCUDA_INIT="999")
    same((code, answer["end"], answer["receipt"]), (0, "nothing", True), "again, with a driver that is broken")
    answer, code = m.answer("verify", lib)
    same((code, passes(answer)), (0, [(16, 0, 0)]), "verify")
    same(packs.files_of(m.root), before, "the cache afterwards, to the byte")
    m.damage(sorted(m.cache().entries)[0])
    answer, code = m.answer("verify", lib)
    same((code, passes(answer)[0][:2]), (1, (15, 1)), "verify, with a damaged entry")
    answer, code = m.answer("status")
    builds = [d["build"] for d in answer["drivers"] if d["current"]]
    check(len(builds) == 1 and builds[0].startswith("pe:"), f"the driver is known by its file: {answer['drivers']}")


@case
def setting_of_a_login(m):
    """setx in another window: this process keeps its own variables, programs that are started from now on do not. No receipt holds then."""
    lib = m.library(count=2)
    same(m.answer("prime", lib)[1], 0, "prime")
    same(m.answer("prime", lib)[0]["receipt"], True, "again")
    try:
        m.wine("reg", "add", "HKCU\\Environment", "/v", "CUDA_CACHE_PATH", "/t", "REG_SZ", "/d", "C:\\elsewhere", "/f")
        answer, _ = m.answer("status")
        check(answer["next_start"] != "warm", f"status: {answer['next_start_why']}")
        same(m.answer("prime", lib)[0]["receipt"], False, "prime looks at everything again")
    finally:
        m.wine("reg", "delete", "HKCU\\Environment", "/v", "CUDA_CACHE_PATH", "/f", check=False)


@case
def driver_update(m):
    """Another nvcuda.dll in System32 is another driver: what the earlier one made is compiled again, and nothing is lost."""
    lib = m.library(count=6)
    m.answer("prime", lib)
    dll = m.drive / "windows" / "system32" / "nvcuda.dll"
    kept = dll.read_bytes()
    try:
        data = bytearray(kept)
        at = int.from_bytes(data[60:64], "little") + 8  # the time stamp of the PE header
        data[at] ^= 0xFF
        dll.unlink()
        dll.write_bytes(data)
        answer, code = m.answer("prime", "--if-stale", SIMCUDA_STAMP="Feb 18 2026 01:02:03")
        same((code, answer["receipt"], states(answer)), (0, False, {"warmed": 6}), "prime --if-stale")
        sound(m, 12)
    finally:
        dll.write_bytes(kept)


@case
def driver_elsewhere(m):
    """A nvcuda.dll beside the program, in the current folder or on PATH is never loaded."""
    lib = m.library(count=2)
    dll = m.drive / "windows" / "system32" / "nvcuda.dll"
    hidden = m.drive / "proof" / "nvcuda.dll"
    tool = m.folder / "jitwarm.exe"
    shutil.copy(m.opt.tool, tool)
    dll.rename(hidden)
    try:
        m.tool = tool
        answer, code = m.answer("prime", lib, WINEPATH="C:\\proof")
        same((code, answer["end"]), (3, "no-gpu"), "beside the program, which is also where it runs")
        check("nvcuda.dll: there is no such library" in answer["why"], answer["why"])
    finally:
        hidden.rename(dll)


# ---- modules that are the driver's end ----

@case
def worker_crash(m):
    """An access violation in the driver costs the one module, is named, and is not tried again."""
    lib = m.library(count=16)
    script, culprits = guilty(m, lib, "crash")
    answer, code = m.answer("prime", lib.parent, SIMCUDA_FAULTS=script)
    same((code, states(answer)), (1, {"crashed": 1, "warmed": 15}), "prime")
    job = next(j for j in answer["jobs"] if j["state"] == "crashed")
    check(job["id"] in culprits and job["kernel"], "the module that crashed is named")
    sound(m, 15)
    done = m.run("prime", lib.parent)
    check("0xC0000005" in done.stderr + done.stdout or "access violation" in done.stderr + done.stdout or "crash" in done.stderr + done.stdout,
          f"what happened is told: {done.stdout}{done.stderr}")
    answer, code = m.answer("prime", lib.parent)
    same((code, states(answer)), (1, {"skipped": 1, "warm": 15}), "again")
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warm": 15, "warmed": 1}), "the file itself, with a driver that is mended")


@case
def worker_hang(m):
    """A module that never ends is given up after jitwarm.conf's timeout, with its worker."""
    lib = m.library(count=10)
    script, _ = guilty(m, lib, "hang")
    with m.configured("timeout = 2\n"):
        began = time.monotonic()
        answer, code = m.answer("prime", lib, SIMCUDA_FAULTS=script)
    same((code, states(answer)), (1, {"timeout": 1, "warmed": 9}), "prime")
    check(time.monotonic() - began < 20, "in time")
    sound(m, 9)


# ---- killed ----

def slowly(m, lib, *args):
    """A prime at work, with its workers."""
    run = m.start("prime", lib, "--json", "--jobs", "2", *args, SIMCUDA_COST="0+800")
    check(len(m.wait_for_processes(3)) >= 3, "the tool and two workers are running")
    end = time.monotonic() + 20
    while not m.cache(deep=False).entries and time.monotonic() < end:
        time.sleep(0.05)
    return run


def parent(m):
    """The process that was started by hand: only it has the verb among its words."""
    for pid in m.processes():
        if b"prime" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            return pid
    raise AssertionError("the tool is not running")


@case
def kill_tool(m):
    """The tool is killed: the job object takes its workers along, the cache is whole, and the next run goes on."""
    lib = m.library(count=16)
    m.answer("doctor", "--probe")
    run = slowly(m, lib)
    kill(parent(m))
    run.communicate(timeout=60)
    same(m.wait_for_silence(5), [], "workers left behind")
    same(m.cache().problems, [], "the cache")
    done = len(m.cache().entries)
    check(done < 16, "it was killed at work")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 16), "the next run")
    sound(m, 16)


@case
def kill_worker(m):
    """A worker is killed from outside: its module is compiled by another one, or reported."""
    lib = m.library(count=10)
    m.answer("doctor", "--probe")
    run = slowly(m, lib)
    tool = parent(m)
    kill(next(pid for pid in m.processes() if pid != tool))
    out, _ = run.communicate(timeout=60)
    answer = json.loads(out)
    check(run.returncode in (0, 1) and states(answer).get("warmed", 0) >= 9, f"exit {run.returncode}: {states(answer)}")
    same(m.cache().whole(), [], "the cache")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 10), "the next run")


@case
def one_at_a_time(m):
    """A second prime names the first one, or waits for it in its time limit, and then has nothing to do."""
    lib = m.library(count=20)
    m.answer("doctor", "--probe")
    first = slowly(m, lib)
    answer, code = m.answer("status")
    pid = answer["running"]["pid"]
    same(answer["running"]["total"], 20, "status tells of it")
    answer, code = m.answer("prime", lib)
    same((code, answer["end"]), (7, "busy"), "the second")
    check(str(pid) in answer["why"], answer["why"])
    answer, code = m.answer("prime", lib, "--time-limit", "2m")
    same((code, answer["end"]), (0, "nothing"), "the third, which waits")
    first.communicate(timeout=60)
    same(first.returncode, 0, "the first")
    sound(m, 20)


# ---- packs ----

def other_machine(m):
    if not m.opt.other:
        raise Skip("--other names no second machine")
    return Windows(m.opt, m.folder, m.opt.other)


for one in network.CASES:
    case(one)


@case
def export_import(m):
    """A signed pack moves to a second machine, where nothing is compiled any more. Any tar lists it."""
    other = other_machine(m)
    lib = m.library("app/lib.dll", count=16)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 16}), "prime on the one")
    done = m.run("key", "--no-passphrase", "--new", m.folder / "signer.key")
    same(done.returncode, 0, f"key --new: {done.stderr}")
    pack, public = m.folder / "app.tar.zst", m.folder / "signer.pub"
    done = m.run("export", lib, "--sign", m.folder / "signer.key", "-o", pack)
    same(done.returncode, 0, f"export: {done.stderr}")
    if shutil.which("zstd"):
        listed = subprocess.run(["tar", "--zstd", "-tf", pack], check=True, capture_output=True, text=True).stdout.split()
        same(listed, [*(f"cache/{name}" for name in sorted(packs.files_of(m.root))), "jitwarm/manifest.json"], "tar --zstd -tf")
    for path in pack, pathlib.Path(f"{pack}.minisig"), public:
        shutil.copy(path, other.folder)
    (other.folder / "app").mkdir()
    shutil.copy(lib, other.folder / "app")
    there = other.folder / "app" / "lib.dll"
    done = other.run("import", other.folder / pack.name, there)
    same((done.returncode, other.root.exists()), (6, False), f"by a key that nobody trusts: {done.stderr}")
    answer, code = other.answer("import", "--trust", other.folder / public.name, other.folder / pack.name, there)
    same((code, answer["end"], answer["counts"]["imported"]["entries"]), (0, "done", 16), f"import: {answer['why']}")
    same(packs.files_of(other.root), packs.files_of(m.root), "the same entries, to the byte")
    sound(other, 16)
    answer, code = other.answer("verify", there)
    same((code, passes(answer)), (0, [(16, 0, 0)]), "verify there")
    answer, code = other.answer("list")
    same((code, len(answer["packs"])), (0, 0), f"a pack whose key was trusted for this run alone is not stored: {answer}")


@case
def pack_of_linux(m):
    """It is refused with the factor os and both values, after its digest was found right; it can be listed; no cache comes of it."""
    lib = m.library(count=4)
    m.answer("prime", lib)
    pack = packs.pack_of(m.root, origin="lib.dll", os="linux")
    there = m.folder / "linux.tar.zst"
    pack.write(there)
    shutil.rmtree(m.root)
    answer, code = m.answer("import", "--allow-unsigned", there, lib)
    same((code, answer["end"], [d["factor"] for d in answer["differs"]]), (5, "unfit", ["os"]), "import")
    check("linux" in answer["why"] and "windows" in answer["why"], answer["why"])
    check(not m.root.exists(), "there is no cache")
    answer, code = m.answer("list", there)
    same((code, answer["os"], len(answer["entries"])), (0, "linux", 4), "list")
    data = bytearray(there.read_bytes())
    data[len(data) // 2] ^= 1
    there.write_bytes(data)
    answer, code = m.answer("import", "--allow-unsigned", there, lib)
    same((code, m.root.exists()), (6, False), f"with a bit turned it is damaged, before anything else: {answer['why']}")


@case
def hangul_and_blanks(m):
    """Program, library, user, pack and cache have names that no code page of a console knows."""
    m.tool = m.folder / "한글 폴더" / "jit warm.exe"
    m.tool.parent.mkdir()
    shutil.copy(m.opt.tool, m.tool)
    lib = m.library("모델 파일/라이브러리 1.dll", count=6)
    answer, code = m.answer("prime", lib.parent)
    same((code, states(answer), passes(answer)), (0, {"warmed": 6}, [(6, 0, 0)]), "prime")
    check(USER in answer["cache"]["folder"], answer["cache"]["folder"])
    sound(m, 6)
    answer, code = m.answer("scan", lib, "--gpu", "sm_86")
    same((code, answer["files"][0]["path"]), (0, m.path(lib)), "scan")
    pack = m.folder / "꾸러미 함" / "내 팩.tar.zst"
    pack.parent.mkdir()
    same(m.run("export", lib, "-o", pack).returncode, 0, "export")
    other = m.folder / "다른 캐시"
    answer, code = m.answer("import", "--allow-unsigned", pack, lib, "--cache", other)
    same((code, answer["counts"]["imported"]["entries"]), (0, 6), "import --cache")
    done = m.run("verify", "--cache", other, lib)
    same(done.returncode, 0, "verify --cache")
    check(str(m.path(other)) in done.stdout, f"the path is printed as it is: {done.stdout}")
    long = m.folder.joinpath(*["아주 긴 이름의 폴더"] * 25)  # 12 units each: beyond the 260 of old
    long.mkdir(parents=True)
    shutil.copy(lib, long / "깊은 곳.dll")
    check(len(m.path(long)) > 260, "it is long")
    answer, code = m.answer("scan", long, "--gpu", "sm_86")
    same((code, len(answer["files"]), answer["skipped"]), (0, 1, []), "a path beyond 260 characters")


def variables(m, key="HKCU\\Environment"):
    """Names, types and values of a key."""
    out = m.wine("reg", "query", key).stdout
    return sorted(line.strip() for line in out.splitlines() if line.startswith("    "))


@case
def env_registry(m):
    """apply and undo leave the registry as it was; a new program has the settings in between."""
    m.wine("reg", "add", "HKCU\\Environment", "/v", "CUDA_MODULE_LOADING", "/t", "REG_SZ", "/d", "LAZY", "/f")
    try:
        before = variables(m)
        same(m.run("env", "apply", "--max-size", "2GiB", "--dry-run").returncode, 0, "env apply --dry-run")
        same(variables(m), before, "a dry run changes nothing")
        done = m.run("env", "apply", "--max-size", "2GiB")
        same(done.returncode, 0, f"env apply: {done.stdout}{done.stderr}")
        now = variables(m)
        check(any(line.split() == ["CUDA_CACHE_MAXSIZE", "REG_SZ", "2147483648"] for line in now), f"it is there: {now}")
        check(any(line.split() == ["JITWARM_ENV_CUDA_CACHE_MAXSIZE", "REG_SZ", "2147483648"] for line in now), f"its mark: {now}")
        same([line for line in now if "MAXSIZE" not in line], before, "all else")
        answer, code = m.answer("env")
        told = json.dumps(answer, ensure_ascii=False)
        check("HKEY_CURRENT_USER\\\\Environment" in told and "2147483648" in told, f"env tells who set it: {told}")
        same(m.run("env", "apply", "--max-size", "2GiB").returncode, 0, "once more")
        done = m.run("env", "undo")
        same(done.returncode, 0, f"env undo: {done.stdout}{done.stderr}")
        same(variables(m), before, "the registry afterwards")
        same(m.run("env", "undo").returncode, 0, "with nothing to undo")
    finally:
        for name in "CUDA_CACHE_MAXSIZE", "CUDA_MODULE_LOADING":
            m.wine("reg", "delete", "HKCU\\Environment", "/v", name, "/f", check=False)


@case
def env_changed_by_hand(m):
    """What was set by hand after apply stays: undo leaves it."""
    same(m.run("env", "apply", "--max-size", "2GiB").returncode, 0, "env apply")
    try:
        m.wine("reg", "add", "HKCU\\Environment", "/v", "CUDA_CACHE_MAXSIZE", "/t", "REG_SZ", "/d", "1000000000", "/f")
        done = m.run("env", "undo")
        check("changed since, and is kept" in done.stdout + done.stderr, f"it is told: {done.stdout}{done.stderr}")
        check(any("1000000000" in line for line in variables(m)), "it is still there")
    finally:
        m.wine("reg", "delete", "HKCU\\Environment", "/v", "CUDA_CACHE_MAXSIZE", "/f", check=False)


@case
def startup_task(m):
    """Installed, run as the task would run it, told in one line, removed. (The task's text: unit.setup.startup_text.)"""
    lib = m.library(count=5)
    m.answer("prime", lib)
    m.run("startup", "remove")
    same(m.run("startup").returncode, 1, "not installed")
    same(m.run("startup", "install").returncode, 0, "install")
    shutil.rmtree(m.root)
    command = "prime", "--if-stale", "--background", "--jobs", "2"
    done = m.run(*command)
    same(done.returncode, 0, f"the task's own command: {done.stdout}{done.stderr}")
    sound(m, 5)
    left = {p: p.stat().st_mtime_ns for p in m.root.rglob("*")}
    same(m.run(*command).returncode, 0, "again")
    same({p: p.stat().st_mtime_ns for p in m.root.rglob("*")}, left, "with nothing to do it changes nothing")
    done = m.run("startup")
    same((done.returncode, len(done.stdout.splitlines())), (0, 1), f"status: {done.stdout}")
    same(m.run("startup", "remove").returncode, 0, "remove")
    same(m.run("startup").returncode, 1, "gone")


def as_the_scheduler(m, task):
    """Program and arguments as the task's definition has them, started as the Task Scheduler does: by one command line."""
    words = {name: html.unescape(re.search(f"<{name}>(.*?)</{name}>", task, re.DOTALL).group(1)) for name in ("Command", "Arguments")}
    return m.wine(words["Command"].strip('"'), *words["Arguments"].split(), check=False)


@case
def enrolled(m):
    """A machine with a source, a folder and then https: what the logon task runs takes all of it and compiles nothing; uninstall leaves
    nothing."""
    m.run("startup", "remove")  # of a run that failed
    lib = m.library(count=5)
    m.answer("prime", lib)
    key, public = m.folder / "signer.key", m.folder / "signer.pub"
    same(m.run("key", "--no-passphrase", "--new", key).returncode, 0, "key --new")
    share = m.folder / "share"
    done = m.run("push", share, lib, "--sign", key)
    same(done.returncode, 0, f"push: {done.stdout}{done.stderr}")
    made = packs.files_of(m.root)
    if not shutil.which("openssl"):
        raise Skip("there is no openssl")
    pem, secret = m.folder / "cert.pem", m.folder / "cert.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", secret, "-out", pem], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem, secret)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(share)))
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with network.trusted([m], pem):
        for source in m.path(share), f"https://localhost:{server.server_port}/":
            done = m.run("startup", "install", "--source", source, "--trust", public)
            same(done.returncode, 0, f"startup install --source {source}: {done.stdout}{done.stderr}")
            shutil.rmtree(m.root)
            task = m.run("startup", "install", "--dry-run").stdout
            done = as_the_scheduler(m, task)
            same(done.returncode, 0, f"the task's command line: {done.stdout}{done.stderr}")
            same(packs.files_of(m.root), made, f"all of it came from {source}, to the byte")
            (one,) = m.answer("status")[0]["sources"]
            same((one["from"], one["state"], one["entries"]), (source, "gave", 5), f"status: {one}")
            sound(m, 5)
            answer, code = m.answer("verify", lib)
            same((code, passes(answer)), (0, [(5, 0, 0)]), "verify")
            same(m.run("startup", "remove").returncode, 0, "remove")
    server.shutdown()
    done = m.run("uninstall", "--yes")
    same(done.returncode, 0, f"uninstall: {done.stdout}{done.stderr}")
    same(m.run("startup").returncode, 1, "no task")
    same([p for p in (m.state, m.home / "AppData/Roaming/jitwarm") if p.exists() and any(x.is_file() for x in p.rglob("*"))], [], "no file of it")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@case
def registered_python(m):
    """Without a path, the software of a Python that its installer has registered (what py -0p lists) is found and primed."""
    prefix = m.folder / "파이썬 3.12"
    m.library("파이썬 3.12/Lib/site-packages/torch/lib/torch_cuda.dll", count=4)
    key = "HKCU\\Software\\Python\\PythonCore"
    m.wine("reg", "add", key + "\\3.12\\InstallPath", "/ve", "/t", "REG_SZ", "/d", m.path(prefix) + "\\", "/f")
    try:
        answer, code = m.answer("scan", "--gpu", "sm_86")
        found = [f["path"].replace("/", "\\") for f in answer["files"]]
        same((code, found), (0, [m.path(next(prefix.rglob("torch_cuda.dll")))]), "scan")
        answer, code = m.answer("prime")
        same((code, states(answer)), (0, {"warmed": 4}), "prime")
    finally:
        m.wine("reg", "delete", key, "/f", check=False)


# ---- folders and files that are in the way ----

def read_only(path):
    """A file system of its own that nobody may write to, root neither; undone by what is given back."""
    path.mkdir(parents=True)
    if os.geteuid() != 0:
        path.chmod(0o555)
        return lambda: path.chmod(0o755)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,mode=755", "tmpfs", path], capture_output=True).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    return lambda: subprocess.run(["umount", path], check=True)


@case
def read_only_root(m):
    """A cache that cannot be written is reported as that: exit 4, and no folder of jitwarm's stays."""
    lib = m.library(count=3)
    undo = read_only(m.root)
    try:
        answer, code = m.answer("prime", lib)
        same((code, answer["end"]), (4, "cannot-write"), f"prime: {answer['why']}")
        check(any(word in answer["why"] for word in ("write-protected", "read-only", "permission denied")), answer["why"])
        check(m.path(m.root) in answer["why"], f"the folder is named: {answer['why']}")
        same(m.run("status").returncode, 0, "status")
        same(m.run("env").returncode, 0, "env")
    finally:
        undo()
    nothing_left(m)
    answer, code = m.answer("prime", lib)
    same((code, states(answer)), (0, {"warmed": 3}), "once it can be written")
    sound(m, 3)


@case
def others_may_write(m):
    """A cache's folder whose list of rights lets everybody write: prime refuses it, doctor says so, both with the command that
    closes it."""
    lib = m.library(count=3)
    m.answer("prime", lib)
    same(m.answer("status")[0]["cache"]["other_writers"], None, "status, of a folder that is ours")
    m.root.chmod(0o777)  # Wine makes a list of rights of it
    same(m.answer("status")[0]["cache"]["other_writers"], "everybody", "status")
    before = packs.files_of(m.root)
    answer, code = m.answer("prime", m.library("more.dll", count=2, seed=9))
    closes = " ".join(answer["todo"])
    check(code == 4 and "everybody may write to the cache's folder" in answer["why"] and "icacls" in closes and "*S-1-1-0" in closes,
          f"prime refuses, as on Linux: exit {code}, {answer['why']} {closes}")
    same(packs.files_of(m.root), before, "the cache afterwards, to the byte")
    done = m.run("doctor")
    check("everybody may write to the cache's folder" in " ".join(done.stdout.split()), done.stdout)
    check("icacls" in done.stdout and "S-1-1-0" in done.stdout, done.stdout)


@case
def secret_key(m):
    """A secret key is this user's alone, in a folder that is open to all, and export signs with it; one that others may write is no key."""
    m.folder.chmod(0o777)  # Wine makes lists of rights of modes, and modes of lists
    key = m.folder / "a.key"
    done = m.run("key", "--no-passphrase", "--new", key)
    same((done.returncode, key.stat().st_mode & 0o007), (0, 0), f"key --new: {done.stderr}")  # Wine gives the group what the user has
    check((m.folder / "a.pub").stat().st_mode & 0o004, "the public key is for others")
    m.folder.chmod(0o755)
    lib = m.library(count=2)
    m.answer("prime", lib)
    same(m.run("export", lib, "--sign", key, "-o", m.folder / "x.tar.zst").returncode, 0, "export, signed")
    nothing_left(m)


@case
def locked_file(m):
    """A program is in the way, at the index, at a library, at the pack to be replaced: waited for, and told if it stays."""
    lib = m.library(count=6)
    m.answer("prime", lib)
    more = m.library("more.dll", count=3, seed=7)

    let_go = m.hold("lock", m.root / "index", seconds=1)
    answer, code = m.answer("prime", more)
    same((code, states(answer)), (0, {"warmed": 3}), f"the index is locked for a second: {answer['notes']}")
    let_go()
    sound(m, 9)

    third = m.library("third.dll", count=3, seed=8)
    let_go = m.hold("alone", third)
    done = m.run("prime", third)
    check(done.returncode not in (0, 70) and "third.dll" in done.stderr and "in use by another program" in done.stderr,
          f"a library that nobody else may open: exit {done.returncode}, {done.stderr}")
    let_go()

    pack = m.folder / "x.tar.zst"
    same(m.run("export", lib, "-o", pack).returncode, 0, "export")
    was = pack.read_bytes()
    let_go = m.hold("read", pack)
    done = m.run("export", more, "-o", pack)
    told = done.stdout + done.stderr
    check(done.returncode == 4 and "x.tar.zst: is in use by another program" in told, f"a pack that is being read: exit {done.returncode}, {told}")
    same(pack.read_bytes(), was, "the old pack")
    let_go()
    same(m.run("export", more, "-o", pack).returncode, 0, "export, once it is free")
    nothing_left(m)


@case
def locked_for_good(m):
    """A program keeps the index locked: no driver finds anything there then, so prime compiles nothing and says why, and the next run does it."""
    lib, third = m.library(count=6), m.library("third.dll", count=3, seed=8)
    m.answer("prime", lib)
    let_go = m.hold("lock", m.root / "index")
    answer, code = m.answer("prime", third)
    same((code, answer["end"]), (4, "cannot-write"), f"the index is locked for good: {answer['notes']}")
    check("keeps it locked" in answer["why"], f"it is told: {answer['why']}")
    let_go()
    same(m.cache().problems, [], "the cache")
    answer, code = m.answer("prime", third)
    same((code, sum(states(answer).values())), (0, 3), "once it is free")
    sound(m, 9)


@case
def held_entry(m):
    """A damaged entry that a program still has open: told, and repaired once it is closed."""
    lib = m.library(count=5)
    m.answer("prime", lib)
    name = f"{sorted(m.cache().entries)[0]:016x}"
    m.damage(int(name, 16))
    path = m.root / name[0] / name[1] / name[2:]
    let_go = m.hold("read", path)
    answer, code = m.answer("prime", lib)
    check(code in (1, 4), f"while it is held: exit {code}, {states(answer)}")
    let_go()
    answer, code = m.answer("prime", lib)
    same((code, passes(answer)), (0, [(5, 0, 0)]), "once it is closed")
    sound(m, 5)


# ---- long ones ----

@case
def kills(m):
    """Killed at any moment, again and again; the next run goes on where it was."""
    lib = m.library(count=40)
    m.answer("doctor", "--probe")
    for i in range(m.opt.rounds):
        run = m.start("prime", lib, "--json", "--jobs", "2", SIMCUDA_COST="0+100")
        m.wait_for_processes(1)
        time.sleep(0.15 * (i % 13))
        tree = m.processes()
        if tree:
            kill(tree[i % len(tree)])
        run.communicate(timeout=120)
        same(m.wait_for_silence(), [], f"round {i}: processes left behind")
        same(m.cache(deep=False).problems, [], f"round {i}: the cache")
    answer, code = m.answer("prime", lib)
    same((code, sum(states(answer).values())), (0, 40), "at last")
    sound(m, 40)


@case
def ggml(m):
    """The real library's modules for a GPU that it has no machine code for."""
    path = pathlib.Path(os.environ.get("JITWARM_CORPUS") or pathlib.Path(os.environ.get("XDG_CACHE_HOME")
                        or pathlib.Path.home() / ".cache") / "jitwarm-corpus") / "windows" / "ggml-cuda.dll"
    if not path.exists():
        raise Skip(f"{path} is not here; scripts/fetch-corpus fetches it")
    shutil.rmtree(m.state, ignore_errors=True)  # of a driver of another version, which this file would otherwise be taken for
    gpu = dict(SIMCUDA_GPUS="sm_90:NVIDIA H100:80G", SIMCUDA_DRIVER="590.48.01", CUDA_CACHE_MAXSIZE="4294967296")
    answer, code = m.answer("prime", path, "--yes", **gpu)
    same((code, answer["end"], {p[1:] for p in passes(answer)}), (0, "done", {(0, 0)}), f"prime: {states(answer)} {answer['notes']} {answer['todo']}")
    check(states(answer)["warmed"] >= 140, f"its modules: {states(answer)}")
    sound(m, states(answer)["warmed"])
    answer, code = m.answer("prime", path, SIMCUDA_INIT="999", **gpu)
    same((code, answer["receipt"]), (0, True), "again")
    shutil.rmtree(m.state)


def make(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--from", dest="source", type=pathlib.Path, default=os.environ.get("WINE_RUN_PREFIX") or ROOT / "build" / "wine")
    parser.add_argument("--sim", type=pathlib.Path, required=True)
    parser.add_argument("prefixes", nargs="+", type=pathlib.Path)
    opt = parser.parse_args(words)
    if not (pathlib.Path(opt.source) / ".ready").exists():
        print(f"{opt.source} is not there: scripts/test --wine has scripts/wine-run make it")
        return 77
    for prefix in opt.prefixes:
        clone(pathlib.Path(opt.source), prefix)
        shutil.copy(opt.sim, prefix / "drive_c/windows/system32/nvcuda.dll")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        sys.exit(make(sys.argv[2:]))
    finish(case, __doc__, rounds=20, machine=Windows, paths=("hold", "prefix", "other"))
