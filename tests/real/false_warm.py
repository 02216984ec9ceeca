#!/usr/bin/env python3
"""false_warm.py CASE (the options of real.py)
Set-ups in which a start compiles although all was warm a moment ago. The start is that of a program that shares nothing with jitwarm
(loader.py), on a copy of the cache; where it compiles, no verb may say before that nothing would, and after a prime that ended with 0 it
compiles nothing. Real drivers over src/phantom.
Set-up: a command was recorded with other GPUs or settings"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import real
from real import Machine, check, why_not

PTX = real.PTX.replace(".version 6.4", ".version 6.0")  # which 390 reads, too
LOADER = pathlib.Path(__file__).with_name("loader.py")
# A program that changes or unsets the setting of its cache when the driver has read it.
CHANGES = """import ctypes, os, sys, time
value, file, when = sys.argv[1:]
c, context, module = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p()
if when == 'unset': os.environ['CUDA_CACHE_PATH'] = value
c.cuInit(0), c.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
os.environ.pop('CUDA_CACHE_PATH') if when == 'unset' else os.environ.__setitem__('CUDA_CACHE_PATH', value)
c.cuModuleLoadData(ctypes.byref(module), ctypes.create_string_buffer(open(file, 'rb').read() + bytes(64)))
time.sleep(0.6)
"""
# It compiles for each program that connects; its own compiler is loaded before a watch begins.
SERVER = """import ctypes, socket, sys
c, context, module = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_void_p()
c.cuInit(0), c.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
def load(file):
    return c.cuModuleLoadData(ctypes.byref(module), ctypes.create_string_buffer(open(file, 'rb').read() + bytes(64)))
load(sys.argv[2])
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1]), s.listen(5), print('ready', flush=True)
while True:
    k, _ = s.accept()
    file = k.recv(300).decode()
    if file == 'quit': break
    k.sendall(str(load(file)).encode()), k.close()
"""
CLIENT = """import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1]), s.sendall(sys.argv[2].encode())
sys.exit(s.recv(20).decode() not in ('0', ''))
"""


class Warm(Machine):
    """A folder of one module that is warm."""

    def __init__(self, o):
        super().__init__(o, alone=True)
        self.n, self.folder = 42, self.home / "app"
        self.primed(self.folder / "a.ptx")

    def primed(self, *files):
        for file in files:
            self.put(file)
        self.jitwarm("prime", "--yes", self.folder)

    def put(self, file):
        self.n += 1
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PTX.replace("42", str(self.n)))
        return file

    def compiles(self, *files, **more):
        """Whether a start does, on a copy of the cache."""
        copy = self.home / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.cache, copy, symlinks=True)
        said = json.loads(self.run(sys.executable, LOADER, *files, "--set", f"CUDA_CACHE_PATH={copy}", **more))
        check(said["loaded"] == len(files), "all is loaded", said)
        return bool(said["compiler"] or said["new_entries"])

    def answer(self, *words, **more):
        """What a verb answers, however it ends."""
        return json.loads(self.jitwarm(words[0], "--json", *words[1:], expect=range(8), **more))

    def judge(self, what, *files, words=None, stays=False, **more):
        """The start compiles: nobody says before that it does not. After a prime that says so, it does not; where it `stays` so, none does."""
        words = (self.folder,) if words is None else words
        check(self.compiles(*files, **more), f"{what}: the start compiles")
        answer = self.answer("prime", "--check", *words, **more)
        check(answer["next_start"] != "warm", f"{what}: --check", answer["next_start"])
        self.jitwarm("prime", "--check", *words, expect=range(1, 8), **more)
        here = self.answer("status", **more)
        check(here["next_start"] != "warm", f"{what}: status", here["next_start"])
        check("Everything primed is warm" not in self.jitwarm(**more), f"{what}: the first page")
        answer = self.answer("prime", "--yes", *words, **more)
        check(not answer["receipt"], f"{what}: no receipt holds", answer)
        check(stays != (answer["next_start"] == "warm"), f"{what}: prime", json.dumps(answer))
        check(self.compiles(*files, **more) == stays, f"{what}: and after it")


def put_back(path, before):
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x41
    path.write_bytes(data)


def files(o):
    """A file that comes with the times of before; PTX in a C string of a program, and containers among its data; the entry damaged, or a link to a damaged one."""
    why_not(o)
    m = Warm(o)
    for verb in (), ("status",):  # the driver alone knows these GPUs, so that this is no "warm"
        text = " ".join(m.jitwarm(*verb).split())
        check("; only the driver knows which GPU is here" in text and "checks it for the GPUs that are here" in text, f"all is warm: {verb}", text)
    before = m.folder.stat()
    new = m.put(m.folder / "b.ptx")
    put_back(new, before), put_back(m.folder, before)
    m.judge("a new file with old times", new)
    for at in 24, 32, -5:
        entry = m.cache / sorted(m.entries())[0]
        flip(entry, at)
        m.judge(f"byte {at} of an entry", m.folder / "a.ptx", new)
    entry = m.cache / sorted(m.entries())[0]
    entry.rename(m.home / "moved")
    entry.symlink_to(m.home / "moved")
    flip(m.home / "moved", -5)
    m.judge("a link to a damaged entry", m.folder / "a.ptx", new, stays=True)  # links are left alone, and named
    entry.unlink()
    m.judge("an entry that is gone", m.folder / "a.ptx", new)
    if shutil.which("cc"):
        text, program = m.put(m.home / "c.ptx"), m.home / "program"
        source = m.home / "program.c"
        source.write_text(f"const char ptx[] = {json.dumps(text.read_text())};\nint main(void) {{ return ptx[0]; }}\n")
        subprocess.run(["cc", "-o", program, source], check=True)
        m.judge("PTX in a C string", text, words=(program,))
        for where in "", '__attribute__((section("kernels")))', "const":
            code = m.home / "embedded.fatbin"
            code.write_bytes(real.container(real.item(m.put(text).read_text(), packed=where == "", isa_minor=0)))
            data = ",".join(map(str, code.read_bytes()))
            source.write_text(f"{where} unsigned char code[] __attribute__((aligned(8))) = {{{data}}};\nint main(void) {{ return code[0]; }}\n")
            subprocess.run(["cc", "-o", program, source], check=True)
            m.judge(f"a container in {where or '.data'}", code, words=(program,))


def marks(o):
    """Entries of a container without the mark of 64-bit code, at which no driver looks; one that jitwarm gives to no driver, below one that is chosen."""
    why_not(o)
    m = Warm(o)

    def container(name, *marked):
        text = m.put(m.home / f"{name}.ptx").read_text()
        items = [real.item(text, packed=False, target=target, isa_minor=0) for _, target in marked]
        file = m.folder / f"{name}.fatbin"
        file.write_bytes(real.container(*(item[:40] + struct.pack("<Q", flags) + item[48:] for item, (flags, _) in zip(items, marked))))
        return file

    for n, marked in enumerate(([(0x10, 50)], [(0, 50)], [(0x10, 50), (0x11, 52)], [(0x11, 50), (0x10, 52)])):
        m.judge(f"F100-no-mark-of-64-bits: {marked}", container(f"mark{n}", *marked))
    m.judge("two compressions at once, in an entry that is not chosen", container("twice", (0x6011, 50), (0x11, 52)), stays=True)


def settings(o):
    """A setting that makes each start compile; another GPU while nothing else says so; a limit of 0, under which what is there is found."""
    why_not(o)
    m = Warm(o)
    a = m.folder / "a.ptx"
    for name in "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT":
        if m.compiles(a, **{name: "1"}):  # not each driver reads both
            m.judge(name, a, stays=True, **{name: "1"})
    nameless = {"CUDA_CACHE_PATH": ""}
    for _ in range(2):
        said = json.loads(m.run(sys.executable, LOADER, a, **nameless))
        check(said["loaded"] == 1 and said["compiler"], "F99-empty-path: nothing is kept", said)
    for words in ("prime", "--check", m.folder), ("prime", "--yes", m.folder), ("verify", m.folder), ("status",):
        answer = m.answer(*words, **nameless)
        check(answer["next_start"] == "compiles" and "CUDA_CACHE_PATH" in answer["next_start_why"], f"an empty CUDA_CACHE_PATH: {words}", answer)
    limit = {"CUDA_CACHE_MAXSIZE": "0"}
    answer = m.answer("prime", "--check", m.folder, **limit)
    kept = int(o.driver) < 440  # which takes 0 for no setting
    check((answer["next_start"], answer["cache"]["limit_bytes"]) == (("warm", 256 << 20) if kept else ("unknown", 0)), "a limit of 0: what is stored next may evict", answer)
    check(not m.compiles(a, **limit), "F53-plain-bytes: what is there is found")
    for value in "1x", "+1", "4294967297", "2", "yes", "-1", "0x1", "18446744073709551617":
        for name in "CUDA_CACHE_DISABLE", "CUDA_FORCE_PTX_JIT":
            env = {name: value}
            answer = m.answer("prime", "--check", m.folder, **env)["next_start"]
            check(m.compiles(a, **env) == (answer != "warm"), f"F58-disable, F81-force-disable: {env}", answer)
    other = "sm_61" if o.gpu != "sm_61" else "sm_70"
    m.judge("another GPU", a, gpus=[other])


LOCKED = """import fcntl, sys
f = open(sys.argv[1], 'r+b')
fcntl.lockf(f, fcntl.LOCK_EX)
print(flush=True)
sys.stdin.read()
"""


def locks(o):
    """A process that stays keeps the index locked; a file system has no locks (an NFS mount without them, Lustre without -o flock)."""
    why_not(o)
    m = Warm(o)
    a = m.folder / "a.ptx"

    def start(**more):
        m.play()
        done = subprocess.run([sys.executable, LOADER, a], env=m.played | more, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def refused(what):
        for words in ("prime", "--check", m.folder), ("prime", "--yes", m.folder), ("verify", m.folder), ("status",):
            answer = m.answer(*words)
            check(answer["next_start"] != "warm", f"{what}: {words}", answer["next_start"])

    held = subprocess.Popen([sys.executable, "-c", LOCKED, m.cache / "index"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    held.stdout.readline()
    if int(o.driver) >= 440:  # 390 waits for 40 s, and fails
        check(start()["compiler"], "F42-foreign-lock: the start compiles")
    refused("locked")
    held.communicate()
    check(not start()["compiler"], "dropped")
    check(m.answer("prime", "--check", m.folder)["next_start"] == "warm", "dropped")


def links(o):
    """Software that was named by a link, which leads to the next release now."""
    why_not(o)
    m = Warm(o)
    link = m.home / "current"
    link.symlink_to(m.folder)
    m.jitwarm("prime", "--yes", link)
    new = m.put(m.home / "next/a.ptx")
    link.unlink(), link.symlink_to(new.parent)
    m.judge("a link that leads elsewhere", link / "a.ptx", words=())


def found(o):
    """Without PATH: a package that held no code gets a file."""
    why_not(o)
    m = Warm(o)
    site = m.home / "venv/lib/python3.11/site-packages"
    m.put(site / "pa/a.ptx")
    (site / "pb").mkdir()
    (m.home / "venv/bin").mkdir()
    (m.home / "venv/bin/python").symlink_to(sys.executable)
    (m.home / "venv/pyvenv.cfg").touch()
    env = {"VIRTUAL_ENV": str(m.home / "venv"), "PATH": "/usr/bin:/bin"}
    m.jitwarm("prime", "--yes", **env)
    m.judge("a file in a package that held none", m.put(site / "pb/b.ptx"), words=(), **env)


def commands(o):
    """A program that changes the setting of its cache after the driver read it; one whose server compiles for it."""
    why_not(o)
    m = Warm(o)
    for when in "after", "unset":
        file, other = m.put(m.home / f"{when}.ptx"), m.home / f"other-{when}"
        other.mkdir()
        command = [sys.executable, "-c", CHANGES, other, file, when]
        answer = m.answer("verify", "--run", *command)
        check(answer["run"]["compiled"] != "nothing", f"{when}: it compiled", answer["run"])
        m.run(*command)
        answer = m.answer("prime", "--yes", "--run", *command)
        check(m.jitwarm("prime", "--yes", "--run", *command, expect=range(8)).find("nothing to warm") < 0, f"{when}: it loads a module", answer)
    socket, first, later = m.home / "socket", m.put(m.home / "first.ptx"), m.put(m.home / "later.ptx")
    m.play()
    server = subprocess.Popen([sys.executable, "-c", SERVER, socket, first], env=m.played | {"CUDA_CACHE_PATH": str(m.home / "servers")},
                              stdout=subprocess.PIPE, text=True)
    check(server.stdout.readline() == "ready\n", "the server")
    client = [sys.executable, "-c", CLIENT, socket]
    answer = m.answer("verify", "--run", *client, later)
    m.run(*client, "quit")
    server.wait(timeout=60)
    check(len(list((m.home / "servers").glob("?/?/*"))) == 2, "it compiled for its client")
    check(answer["run"]["compiled"] != "nothing", "the driver did for the command what it asked of a server", answer["run"])


def recorded(o):
    """What `run` alone recorded on one GPU is not warm on another; what a command has in a cache of its own is counted there."""
    why_not(o)
    m = Warm(o)
    m.jitwarm("prime", "--yes", "--run", "env", f"CUDA_CACHE_PATH={m.home}/own", sys.executable, LOADER, m.put(m.home / "own.ptx"))
    said = " ".join(m.jitwarm("status").split())
    check("(1 of 1 module warm)" in said and "0 of 1 module" not in said, "a cache of its own", said)
    shutil.rmtree(m.home / ".local"), shutil.rmtree(m.cache)
    file, other = m.put(m.home / "r.ptx"), ["sm_70"]
    command = [sys.executable, LOADER, file, "--nap", "0.6"]
    m.jitwarm("run", "--", *command)
    check(m.answer("prime", "--check")["next_start"] == "warm" and not m.compiles(file), "recorded")
    check(m.compiles(file, gpus=other), "another GPU: the start compiles")
    for words in ("status",), ("prime", "--check"), ("verify",), ("prime", "--yes"):
        answer = m.answer(*words, gpus=other)
        check(answer["next_start"] != "warm", f"another GPU: {words}", answer["next_start"])
    check("Everything primed is warm" not in m.jitwarm(gpus=other), "another GPU: the first page")
    check(m.answer("prime", "--check")["next_start"] == "warm", "on its GPU")


def builds(o):
    """Two driver builds that share a home: each has its own receipt, status speaks of the one that is here, and without one of none."""
    why_not(o)
    m, gpu = Warm(o), ["sm_70"]
    m.jitwarm("prime", "--yes", m.folder, gpus=gpu)
    here, other = m.driver, "535" if o.driver == "470" else "470"
    why_not_other = pathlib.Path(o.work) / f"no-{other}"
    if why_not_other.exists():
        raise real.Skip(why_not_other.read_text())
    new = m.put(m.home / "new/b.ptx")

    def last(**more):
        answer = m.answer("status", gpus=gpu, **more)
        return answer["last_prime"]["warm"], answer["last_prime"]["modules"], re.sub(r"(?<=found ).* \(sm_70\)$", "", answer["next_start_why"] or ""), answer

    asks = "only the driver knows which GPU is here, and it is not asked now; the last run found "
    for driver in m.own_files(other), here:
        m.driver = driver
        m.jitwarm("prime", "--yes", m.folder, gpus=gpu)
        check(last()[:3] == (1, 1, asks), driver, last())
    m.driver = m.own_files(other)
    check(last()[:3] == (1, 1, asks), "in turn", last())
    m.jitwarm("prime", "--yes", new, gpus=gpu)
    check(last()[:2] == (2, 2), "the other has both", last())
    m.driver = here
    check(last()[:2] == (1, 1) and last()[2], "its own", last())
    check(m.compiles(new, gpus=gpu), "what only the other has primed")
    check(m.answer("prime", "--check", gpus=gpu)["next_start"] == "compiles", "--check of all")
    m.jitwarm("prime", "--yes", gpus=gpu)
    check(last()[:3] == (2, 2, asks) and not m.compiles(new, gpus=gpu), "both", last())
    answer = json.loads(subprocess.run([o.tool, "status", "--json"], env=m.env, capture_output=True, text=True, check=True).stdout)
    check(not answer["cache"]["limit_known"] and not answer["counts"]["outdated"]["entries"] and not answer["driver"], "no driver", answer)
    check(answer["next_start"] == "unknown" and not any(d["current"] for d in answer["drivers"]), "no driver", answer)


if __name__ == "__main__":
    real.CASES = {"builds": builds, "recorded": recorded, "files": files, "marks": marks, "settings": settings, "locks": locks, "links": links, "found": found, "commands": commands}
    sys.exit(real.main())
