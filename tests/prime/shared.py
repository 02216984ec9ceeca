"""A program that finds one kernel in several modules of its libraries, and takes it from another one at each start."""
import json
import pathlib
import struct
import sys

from limits import learn, own_driver
from warm import case, states
from cases import check, same

REAL = pathlib.Path(__file__).resolve().parent.parent / "real"
sys.path.append(str(REAL))
from real import container, item, library_of  # noqa: E402


def ptx(*kernels):
    return (".version 6.4\n.target sm_50\n.address_size 64\n"
            + "".join(f"{linkage} .entry {name}()\n{{\n\tret;\n}}\n" for linkage, name in kernels))


def program_of(m, weak=".visible", name="empty"):
    """Its first library has a module of its own and two that share a kernel with it; the second one has a module that shares it, too, and
    one that does not."""
    def module(n, *more):
        return container(item(ptx((".visible", f"own{n}"), *more)))

    shared = (weak, name)
    first, second = m.folder / "libfirst.so", m.folder / "libsecond.so"
    first.write_bytes(library_of(module(0, shared), module(1, shared), module(2, shared)))
    second.write_bytes(library_of(module(3, shared), module(4, (".visible", "another"))))
    (m.folder / "turn").write_text("0")
    return [sys.executable, str(REAL / "starts.py"), own_driver(m), str(m.folder / "turn"), "0.5", str(first), str(second)]


def turn(m, n):
    (m.folder / "turn").write_text(str(n))


@case
def modules_that_share_a_kernel(m):
    """What one start loads is closed under kernels that several modules have: the next starts compile nothing, whichever of them they load.
    Set-up: a start takes a kernel from another module | warm | warm | passes | compiled nothing after `prime --run` | compiles all that share it first"""
    command = program_of(m)
    done = m.run("prime", "--run", *command)
    said = " ".join(done.stdout.split())
    same(done.returncode, 0, said)
    check("loads 2 modules (recorded from 1 run), and 2 more modules share a kernel with them" in said, said)
    packed = json.loads(m.run("export", "--json", "-o", m.folder / "x.tar.zst", "--run", *command).stdout)
    same(packed["packs"][0]["entries"], 4, "what travels with it")
    for n in range(3):
        turn(m, n)
        done = m.run("verify", "--run", *command)
        same((done.returncode, len(m.cache().entries)), (0, 4), f"start {n}: {done.stdout}")
    turn(m, 3)
    same((m.run("verify", "--run", *command).returncode, len(m.cache().entries)), (1, 5), "one that shares nothing")
    m.forget_cache()
    answer, code = m.answer("prime")
    same((code, states(answer)), (1, {"warmed": 4}), "the cache is lost: made again from the libraries, but for what a start was seen to load beside")
    check("a start of 1 command compiled what no recorded start of it loads" in " ".join(m.run("prime", "--check").stdout.split()), "and that is said")
    m.forget_cache()
    turn(m, 2)
    same(m.run("run", "--", *command).returncode, 0, "and by run")
    for n in range(3):
        turn(m, n)
        same(m.run("verify", "--run", *command).returncode, 0, f"start {n} after run")
    turn(m, 0)
    answer, code = learn(m, *command)
    same((code, answer["run"]["profile_modules"], answer["run"]["shared_modules"]), (0, 2, 2), "recorded again")


@case
def recorded_by_run_and_closed(m):
    """The same of a command that was recorded by its first start: its second one warms all that it may load."""
    command = program_of(m, ".weak")
    same(m.run("run", "--", *command).returncode, 0, "the first start")
    same(len(m.cache().entries), 2, "what it loads")
    for n in range(1, 3):
        same(m.run("run", "--", *command).returncode, 0, f"start {n}")
        same(len(m.cache().entries), 4, "and what it may load")
    packed = json.loads(m.run("export", "--json", "-o", m.folder / "x.tar.zst", "--run", *command).stdout)
    same(packed["packs"][0]["entries"], 4, "what travels with it")
    turn(m, 0)
    same(m.run("verify", "--run", *command).returncode, 0, "verify --run")


@case
def recorded_by_run_and_asked(m):
    """What a first start recorded is not all that the next one may load: status says of it what --check says, before and after it is warm."""
    command = program_of(m)
    same(m.run("run", "--", *command).returncode, 0, "the first start")
    for answer, code in ("compiles", 1), ("warm", 0):
        same(m.answer("status")[0]["next_start"], answer, "status")
        same((m.answer("prime", "--check")[0]["next_start"], m.answer("prime", "--check")[1]), (answer, code), "--check")
        check(("Everything primed is warm" in m.run().stdout) == (code == 0), m.run().stdout)
        same(m.run("prime", "--yes").returncode, 0, "prime")
    same(len(m.cache().entries), 4, "what it may load")


@case
def kernels_of_one_module_alone(m):
    """A kernel that other modules cannot see (`static`) is taken from its own module: nothing more is compiled for it."""
    answer, code = learn(m, *program_of(m, ""))
    starts = int((m.folder / "turn").read_text())  # one, or two: it writes a file, which might be a cache
    same((code, answer["run"]["profile_modules"], answer["run"]["shared_modules"], len(m.cache().entries)), (0, 2, 0, 1 + starts), "static")


@case
def a_module_that_the_driver_refuses(m):
    """A module that shares a kernel and needs a newer driver is left alone, as anywhere else: this driver cannot load it."""
    newer = bytearray(item(ptx((".visible", "own5"), (".visible", "empty")).replace("6.4", "7.8")))
    newer[24:28] = struct.pack("<HH", 8, 7)  # ISA 7.8
    third = m.folder / "libthird.so"
    third.write_bytes(library_of(container(bytes(newer))))
    answer, code = learn(m, *program_of(m), str(third), SIMCUDA_DRIVER="11.4")
    made = states(answer)
    same((code, answer["run"]["profile_modules"], answer["run"]["shared_modules"], sum(made.values())), (0, 2, 2, 4), "prime --run")
    check(made["warm"] >= 2 and set(made) <= {"warm", "warmed"}, f"warm by the start, or by a second one, or warmed: {made}")


@case
def modules_that_share_with_those_that_share(m):
    """A module that shares a kernel only with one that was added, and not with what a start loaded, is not added: not at the next run, nor at
    any other. So no run asks for more than the one that said that all is warm."""
    def module(n, *names):
        return container(item(ptx((".visible", f"own{n}"), *((".visible", name) for name in names))))

    library = m.folder / "libchain.so"
    library.write_bytes(library_of(module(0), module(1, "a"), module(2, "a", "b"), module(3, "b", "c"), module(4, "c")))
    turn(m, 0)
    command = [sys.executable, str(REAL / "starts.py"), own_driver(m), str(m.folder / "turn"), "0.5", str(library)]
    answer, code = learn(m, *command)
    same((code, answer["run"]["profile_modules"], answer["run"]["shared_modules"], len(m.cache().entries)), (0, 2, 1, 3), "prime --run")
    for n in range(3):
        same((m.run("verify").returncode, m.answer("prime", "--dry-run")[0]["counts"]["todo"]), (0, 0), f"run {n}")
        turn(m, 0)
        same((m.run("run", "--", *command).returncode, len(m.cache().entries)), (0, 3), f"run {n}")
    answer, code = m.answer("prime")
    same((code, len(m.cache().entries)), (0, 3), f"prime: {answer}")
    for path in m.root.glob("?/?/*"):
        path.unlink()
    answer, code = m.answer("prime")
    same((code, states(answer), [job["used"] for job in answer["jobs"]]), (0, {"warmed": 3}, [True] * 3), "all three come first")


@case
def a_library_of_a_command_that_changes(m):
    """What was proven of a command holds while its libraries are the same: one that has a module more that shares a kernel is noticed, by run
    and by prime, which compiles that one."""
    def second(n):
        modules = [container(item(ptx((".visible", f"more{k}"), (".visible", "empty")))) for k in range(n)]
        (m.folder / "libsecond.so").write_bytes(library_of(*modules))

    command = program_of(m)
    second(1)
    same(m.run("run", "--", *command).returncode, 0, "recorded")
    for n in 1, 2:
        second(n)
        for start in "the first", "the next":
            turn(m, 0)
            same((m.run("run", "--", *command).returncode, len(m.cache().entries)), (0, 3 + n), f"{n} in the second one, {start} start")
    for n in 3, 4:
        second(n)
        answer, code = m.answer("prime")
        same((code, states(answer)), (1, {"warm": 2 + n, "warmed": 1}), f"prime, {n} in the second one: it compiles what it finds there")
        check("libsecond.so" in json.dumps(answer), f"and does not know whether that is all: {answer}")
        same(m.run("prime", "--run", *command).returncode, 0, "the program knows it")
        same(m.answer("prime")[1], 0, "from then on")
