"""What a receipt says is what a driver finds: "nothing to do" and "warm" are never false."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time

from bench import Machine
from warm import case, states
from cases import check, same, Skip

NOBODY = 54321


class Ordinary(Machine):
    """The same machine for a user without rights: root may read and write what modes forbid."""

    def __init__(self, m):
        self.__dict__.update(m.__dict__)
        if os.geteuid() == 0:
            self.opt = type(m.opt)(**{**vars(m.opt), "tool": m.folder / "jitwarm", "sim": m.folder / "libcuda.so.1", "play": m.folder / "play"})
            for name in "tool", "sim", "play":
                shutil.copy(getattr(m.opt, name), getattr(self.opt, name))
            shutil.copy(m.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", m.folder)
            self.env = dict(m.env, JITWARM_DRIVER=str(self.opt.sim))
            m.folder.chmod(0o755)
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", m.folder], check=True)

    def command(self, *args):
        return self.as_user(self.opt.tool, *args)

    @staticmethod
    def as_user(*command):
        other = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
        return other + [str(word) for word in command]

    def compiles(self, ptx):
        """Whether a program that loads this makes the driver compile it: then it dies."""
        done = subprocess.run(self.as_user(self.opt.play, self.opt.sim, "init", "ctx 0", f"load {ptx}", f"fn {ptx.stem}"), capture_output=True, text=True,
                              env=dict(self.env, SIMCUDA_FAULTS="crash@1"), cwd=self.folder)
        return done.returncode != 0


def texts(m, n):
    """So many modules, each a file."""
    folder = m.folder / "texts"
    folder.mkdir()
    for i in range(n):
        (folder / f"k{i}.ptx").write_text(f".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k{i}()\n{{\n\tret;\n}}\n")
    return folder


def path_of(m, name):
    digits = f"{name:016x}"
    return m.root / digits[0] / digits[1] / digits[2:]


@contextlib.contextmanager
def read_only(m):
    """The cache is on a file system that is mounted read-only."""
    if os.geteuid() != 0:
        raise Skip("needs root, to mount")
    if subprocess.run(["mount", "--bind", m.root, m.root], capture_output=True).returncode:
        raise Skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", m.root], check=True)
        yield
    finally:
        subprocess.run(["umount", m.root], check=True)


@contextlib.contextmanager
def owned_by_root(m):
    if os.geteuid() != 0:
        raise Skip("needs root")
    os.chown(m.root / "index", 0, 0)
    (m.root / "index").chmod(0o644)
    yield
    os.chown(m.root / "index", NOBODY, NOBODY)


@contextlib.contextmanager
def mode_400(m):
    (m.root / "index").chmod(0o400)
    yield
    (m.root / "index").chmod(0o600)


@contextlib.contextmanager
def immutable(m):
    if subprocess.run(["chattr", "+i", m.root / "index"], capture_output=True).returncode:
        raise Skip("no file can be made immutable here")
    yield
    subprocess.run(["chattr", "-i", m.root / "index"], check=True)


def watched(m, program):
    watch = m.start("doctor", "--watch", "--json")
    watch.stderr.readline()
    time.sleep(0.5)
    subprocess.run(m.as_user(*program), env=m.env, stdout=subprocess.DEVNULL, cwd=m.folder, check=True)
    time.sleep(0.5)
    watch.send_signal(signal.SIGINT)
    event = [json.loads(line) for line in watch.communicate(timeout=30)[0].splitlines()][1]
    return event["cause"], event["new_entries"]


@case
def a_cache_that_drivers_cannot_write(m):
    """driver-fact: F64-read-only-hits. A hit opens the index for reading and writing; nobody says "warm" where it cannot.
    Set-up: drivers cannot write to the cache | stops, 4 | stops, 4 | stops, 4 | compiled, kept nothing: names the cache, 1 | says so, starts it"""
    m = Ordinary(m)
    folder = texts(m, 2)
    ptx = folder / "k0.ptx"
    answer, code = m.answer("prime", folder)
    same((code, states(answer)), (0, {"warmed": 2}), "prime")
    same(m.compiles(ptx), False, "a program, when all is warm")
    for harm in read_only, owned_by_root, mode_400, immutable:
        name = harm.__name__
        try:
            with harm(m):
                same(m.compiles(ptx), True, f"{name}: a program")
                answer, code = m.answer("prime", folder)
                same((code, answer["end"], answer["receipt"]), (4, "cannot-write", False), f"{name}: prime")
                check("index" in answer["why"], answer["why"])
                same(m.answer("prime", folder, "--check")[1], 4, f"{name}: the dry run")
                same(m.answer("verify", folder)[1], 4, f"{name}: verify")
                same(m.run("prime", "--if-stale").returncode, 4, f"{name}: prime --if-stale")
                check("all" not in m.run().stdout.split("warm")[0], f"{name}: the first page")
                check("index" in " ".join(m.answer("status")[0]["notes"]), f"{name}: status")
                program = [m.opt.play, m.opt.sim, "init", "ctx 0", f"load {ptx}", "fn k0", "nap 400"]
                done = m.run("verify", "--run", *program)
                said = " ".join(done.stdout.split())
                same(done.returncode, 1, f"{name}: verify --run: {said}")
                check(f"kept nothing (it cannot write to {m.root}/index)" in said, f"{name}: verify --run: {said}")
                done = m.run("run", "--", *program)
                check(done.returncode == 0 and "index" in done.stderr, f"{name}: run: {done.stderr}")
                same(watched(m, program), ("closed", 0), f"{name}: doctor --watch")
        except Skip as why:
            print(f"  {name}: {why}")
    answer, code = m.answer("prime", folder)
    same((code, answer["receipt"]), (0, True), "and afterwards")


@case
def an_entry_that_drivers_cannot_read(m):
    """Set-up: an entry cannot be read | would compile it, 1 | compiles it | names it, 1 | compiled, 1 | compiles it first"""
    m = Ordinary(m)
    folder = texts(m, 2)
    m.answer("prime", folder)
    for mode in 0o000, 0o200:
        victim = path_of(m, next(iter(m.cache().entries)))
        victim.chmod(mode)
        same(m.answer("prime", folder, "--check")[1], 1, f"{mode:o}: the dry run")
        answer, code = m.answer("prime", folder)
        same((code, states(answer)), (0, {"warm": 1, "warmed": 1}), f"{mode:o}: prime compiles it again")
        same([m.compiles(folder / f"k{i}.ptx") for i in range(2)], [False, False], f"{mode:o}: programs")
        answer, code = m.answer("prime", folder)
        same((code, answer["receipt"]), (0, True), f"{mode:o}: and then")


@case
def software_that_is_replaced_in_place(m):
    """cp -p, rsync --inplace -t and package managers with times of their own: the same inode, size and time, and other modules.
    Set-up: software was replaced in place"""
    lib, _ = m.library("libs/lib.so", count=4, seed=1)
    other, _ = m.library("other.so", count=4, seed=1, target="compute_75")
    same(other.stat().st_size, lib.stat().st_size, "the sizes")
    m.answer("prime", lib.parent)
    before = lib.stat()
    with open(lib, "r+b") as file:
        file.write(other.read_bytes())
    os.utime(lib, ns=(before.st_atime_ns, before.st_mtime_ns))
    same([getattr(lib.stat(), name) for name in ("st_ino", "st_size", "st_mtime_ns")],
         [getattr(before, name) for name in ("st_ino", "st_size", "st_mtime_ns")], "what is the same")
    answer, code = m.answer("prime", lib.parent)
    same((code, answer["receipt"], states(answer)), (0, False, {"warmed": 4}), "prime")


@case
def an_index_that_is_gone(m):
    """Programs find their entries, and the next one that stores an entry deletes all others (driver-fact: F83-damaged-index): it is made again."""
    folder = texts(m, 3)
    m.answer("prime", folder)
    for words in ("prime", folder), ("prime", "--if-stale"), ("run", "--", "true"):
        (m.root / "index").unlink()
        same(m.run(*words).returncode, 0, str(words))
        same((m.cache().whole(), len(m.cache().records)), ([], 3), f"{words}: the index")


@case
def a_command_that_compiles_nothing(m):
    """`jitwarm run` of it, and a prime that leaves everything out: neither makes status forget what is warm."""
    folder = texts(m, 2)
    m.answer("prime", folder)
    for words in [("run", "--", m.opt.play, m.opt.sim, "init", "ctx 0")] * 3 + [("prime", folder, "--exclude", "*")]:
        same(m.run(*words).returncode, 0, str(words))
        last = m.answer("status")[0]["last_prime"]
        same(last and (last["modules"], last["warm"]), (2, 2), f"{words}: status")


@case
def a_home_that_does_not_exist(m):
    """Nothing is made for it: a service, or root by sudo with another HOME."""
    folder = texts(m, 1)
    nowhere = m.folder / "nowhere" / "ada"
    for env in (dict(), dict(CUDA_CACHE_PATH=str(m.folder / "cache"))):
        done = m.run("prime", folder, **dict(env, HOME=str(nowhere), JITWARM_STATE="", XDG_STATE_HOME=""))
        check(done.returncode in (1, 4), f"{env}: {done.returncode} {done.stdout}{done.stderr}")
        check(str(nowhere) in done.stdout + done.stderr, f"{env}: it is named: {done.stdout}{done.stderr}")
        check(not nowhere.parent.exists(), f"{env}: nothing was made")
    nowhere.parent.write_text("a file\n")
    for verb in ("prime", folder), ("prime", "--check", folder), ("verify", folder), ("list",):
        done = m.run(*verb, HOME=str(nowhere.parent), JITWARM_STATE="", XDG_STATE_HOME="", XDG_DATA_HOME="", JITWARM_STORE="")
        check(f"the home folder {nowhere.parent} is not a folder" in " ".join((done.stdout + done.stderr).split()), f"{verb}: {done.stdout}{done.stderr}")


@case
def a_home_that_is_relative(m):
    """Each folder has another cache then: the last line names HOME, not a variable that is not set, and runs as it is pasted."""
    folder = texts(m, 1)
    env = {"HOME": "ada", "JITWARM_STATE": str(m.folder / "state")}
    for verb in ("prime", folder), ("prime", "--check", folder), ("verify", folder):
        done = m.run(*verb, **env)
        check(done.returncode == 4 and "not an absolute path" in " ".join(done.stdout.split()), f"{verb}: {done.returncode} {done.stdout}{done.stderr}")
        advised = done.stdout.rstrip().splitlines()[-1]
        check("export HOME=/" in advised and "CUDA_CACHE_PATH" not in advised, f"{verb}: {done.stdout}")
    for verb in ("status",), ("prune", "--dry-run"):
        check("HOME=ada is not an absolute path" in " ".join(m.run(*verb, **env).stdout.split()), verb)
    gone = str(m.folder / "gone")
    check(f"the home folder {gone} does not exist" in " ".join(m.run("prune", "--dry-run", HOME=gone).stdout.split()), "prune, without a home")
