"""Every set-up in which a start may compile although prime ran: what each verb says of it. SETUPS are the rows of the table in docs/set-ups.md."""
import os
import shutil

from limits import command_of, other_driver
from warm import case
from cases import check, same

VERBS = ("dry run", "verify", "verify --run", "run", "prime", "then")  # in this order; `then` is verify --run again
SETUPS = {}

WARM, KNOWS_NOT = (0, "both modules are warm"), (0, "Nothing to do")
PROVEN = (0, "verified: a fresh process loaded both modules and compiled nothing")
NOTHING = (0, "the driver compiled nothing for it")
COMPILED = (1, "the driver compiled")
STARTS = (0, "load 0")


class World:
    """Two modules in a folder, primed, and a program that loads both. Its home and its records are its own."""

    def __init__(self, m, name, settings, extra):
        self.m, self.folder = m, m.folder / name / "texts"
        self.folder.mkdir(parents=True)
        m.home = m.folder / name / "home"
        m.home.mkdir()
        m.root = m.home / ".nv/ComputeCache"
        m.env.update(HOME=str(m.home), JITWARM_STATE=str(m.folder / name / "state"))
        settings = [text.format(here=m.folder / name) for text in settings]
        self.command = [str(word) for word in command_of(m, 2, settings=settings)]
        for i in range(2):
            shutil.move(m.folder / f"k{i}.ptx", self.folder)
        self.move(m.folder, self.folder)
        if extra:
            self.command[-1:-1] = [word.format(here=self.folder) for word in extra]
        same(m.run("prime", self.folder).returncode, 0, f"{name}: prime before")

    def move(self, old, new):
        self.command = [word.replace(f"load {old}/", f"load {new}/") for word in self.command]

    def words(self, verb):
        return {"dry run": ("prime", self.folder, "--check"), "verify": ("verify", self.folder), "run": ("run", "--", *self.command),
                "prime": ("prime", self.folder)}.get(verb, ("verify", "--run", *self.command))


def setup(name, *answers, settings=(), extra=()):
    """The function brings it about and may return the environment of what follows."""
    def add(change):
        SETUPS[name] = change, dict(zip(VERBS, answers, strict=True)), settings, extra
        return change
    return add


# Set-up: the program uses a cache of its own | of PATH: warm; of all: 1, where a recorded command misses something there | of PATH: warm; of all: warms what recorded commands load there | as the dry run | compiled, and in which cache | says which; primes it from its second start on
@setup("the program uses a cache of its own", WARM, PROVEN, COMPILED, STARTS, WARM, (0, "it uses a cache of its own"),
       settings=["CUDA_CACHE_PATH={here}/own"])
def own_cache(_):
    pass


# Set-up: the program turns its cache off | warm | warm | passes | compiled, kept nothing: names the setting, 1 | names the setting, once a day
@setup("the program turns its cache off", WARM, PROVEN, (1, "kept nothing (CUDA_CACHE_DISABLE=1)"), STARTS, WARM, (1, "CUDA_CACHE_DISABLE=1"),
       settings=["CUDA_CACHE_DISABLE=1"])
def turned_off(_):
    pass


# Set-up: the program makes its cache too small | warm | warm | passes | compiled, kept nothing: names the setting, 1 | starts it
@setup("the program makes its cache too small", WARM, PROVEN, (1, "kept nothing (CUDA_CACHE_MAXSIZE=100)"), STARTS, WARM, (1, "CUDA_CACHE_MAXSIZE=100"),
       settings=["CUDA_CACHE_MAXSIZE=100", "CUDA_CACHE_PATH={here}/own"])
def made_small(_):
    pass


OFF = "CUDA_CACHE_DISABLE=1: the driver caches nothing"


# Set-up: `CUDA_CACHE_DISABLE=1` is set here | says so, 1 | says so, 1 | says so, 1 | says so, 1 | says so, starts it
@setup("`CUDA_CACHE_DISABLE=1` is set here", (1, OFF), (1, OFF), (1, OFF), (0, OFF), (1, OFF), (1, OFF))
def off_here(_):
    return {"CUDA_CACHE_DISABLE": "1"}


FORCED = "CUDA_FORCE_PTX_JIT makes the driver compile at every start"


# Set-up: `CUDA_FORCE_PTX_JIT=1` is set here | says so, 1 | says so, 1 | says so, 1 | says so, 1 | says so, starts it
@setup("`CUDA_FORCE_PTX_JIT=1` is set here", (1, FORCED), (1, FORCED), (1, FORCED), (0, FORCED), (1, FORCED), (1, FORCED))
def forced_here(_):
    return {"CUDA_FORCE_PTX_JIT": "1"}


# Set-up: the cache is too small | says what has no room, 1 | compiles what fits, 1 | names what is missing, 1 | compiled, 1 | compiles what fits, starts it
@setup("the cache is too small", (1, "there is no room"), (1, "Missing 2 modules"), COMPILED, STARTS, (1, "there is no room"), COMPILED)
def too_small(w):
    shutil.rmtree(w.m.root)
    return {"CUDA_CACHE_MAXSIZE": "1000"}


# Set-up: another user, or another container | would compile all, 1 | fills the cache of the user who runs it | names all, 1 | compiled, 1; not known for processes of another user | primes the cache of the user who runs it
@setup("another user, or another container", (1, "2 modules would be compiled"), (1, "Missing 2 modules"), COMPILED, STARTS, KNOWS_NOT, NOTHING)
def another_user(w):
    other = w.m.folder / "ben"
    other.mkdir()
    return {"HOME": str(other), "JITWARM_STATE": str(other / "state")}


# Set-up: an entry was evicted or removed | would compile it, 1 | compiles it | names it, 1 | compiled, 1 | compiles it first
@setup("an entry was evicted or removed", (1, "1 module would be compiled"), (1, "Missing 1 module"), COMPILED, STARTS, WARM, NOTHING)
def evicted(w):
    next(w.m.root.glob("?/?/*")).unlink()


# Set-up: software was replaced in place | would compile what changed, 1 | reads it again, compiles what changed | names it, 1 | compiled, 1 | compiles it first
@setup("software was replaced in place", (1, "1 module would be compiled"), (1, "Missing 1 module"), COMPILED, STARTS, WARM, NOTHING)
def replaced(w):
    file = w.folder / "k0.ptx"
    before, text = file.stat(), file.read_text()
    with open(file, "r+") as out:
        out.write(text.replace("entry k0", "entry j0"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    w.command = [word if word != "fn k0" else "fn j0" for word in w.command]


# Set-up: the program gives other JIT options | warm | warm: only `prime --run` and `run` record them | passes | compiled, 1 | starts it; compiles first what was recorded
@setup("the program gives other JIT options", WARM, PROVEN, COMPILED, STARTS, WARM, NOTHING, extra=["loadopt {here}/k0.ptx"])
def other_options(_):
    pass


# Set-up: code is made while the program runs | warm | warm: only `prime --run` and `run` record it | passes | compiled, 1 | starts it; compiles first what was recorded
@setup("code is made while the program runs", WARM, PROVEN, COMPILED, STARTS, WARM, NOTHING, extra=["load {here}/../made.ptx"])
def made_code(w):
    (w.folder.parent / "made.ptx").write_text((w.folder / "k0.ptx").read_text().replace("entry k0", "entry made"))


# Set-up: the driver was updated | would compile all, 1 | compiles again | names all, 1 | compiled, 1 | compiles first
@setup("the driver was updated", (1, "2 modules would be compiled"), (1, "Missing 2 modules"), COMPILED, STARTS, WARM, (0, "compiled nothing"))
def updated(w):
    new = other_driver(w.m, "updated/libcuda.so.999.1")
    for name in "libnvidia-ptxjitcompiler.so.1", "libcuda.so.1":
        shutil.copy(w.m.opt.sim.parent / name if name[3] == "n" else new["JITWARM_DRIVER"], w.m.folder / "updated" / name)
    new["JITWARM_DRIVER"] = str(w.m.folder / "updated/libcuda.so.1")
    w.command = [word if not word.endswith("/libcuda.so.1") else new["JITWARM_DRIVER"] for word in w.command]
    return new


NEWER = "need a newer driver, 520 or later"


# Set-up: PTX of the software needs a newer driver | names the branch, 1 | names the branch, 1 | names the branch, 1 | compiled nothing: the driver refuses to load it | starts it, and it fails
@setup("PTX of the software needs a newer driver", (1, NEWER), (1, NEWER), NOTHING, (0, "load 222"), (1, NEWER), NOTHING)
def needs_newer(w):
    shutil.rmtree(w.m.folder / "needs_newer/state")
    return {"SIMCUDA_DRIVER": "11.4"}


GONE = (2, "no such file or folder")


# Set-up: the software was removed or moved | named: 2; else says so, and 1 where it had been named or nothing else is compiled here | named: 2; else says so | named: 2; else says so, and 1 where it had been named or nothing else is compiled here | compiled nothing where it still runs | starts it
@setup("the software was removed or moved", GONE, GONE, NOTHING, STARTS, GONE, NOTHING)
def removed(w):
    shutil.move(w.folder, w.m.folder / "moved")
    w.move(w.folder, w.m.folder / "moved")


@case
def setups(m):
    wrong, before = [], dict(m.env)
    for name, (change, answers, settings, extra) in SETUPS.items():
        m.env = dict(before)
        world = World(m, change.__name__, settings, extra)
        env = change(world) or {}
        for verb, (code, words) in answers.items():
            done = m.run(*world.words(verb), **env)
            said = " ".join((done.stdout + done.stderr).split())
            if done.returncode != code or words not in said:
                wrong.append(f"{name}: {verb}: {done.returncode}, not {code}: {words!r} is not in {said}")
        before.update(JITWARM_DRIVER=m.env["JITWARM_DRIVER"])
    check(not wrong, "\n".join(wrong))
