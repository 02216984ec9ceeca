"""Programs that the driver links at load (nvcc -rdc=true): their inputs are jobs like modules, through the driver's linker."""
import json
import pathlib
import subprocess
import sys

from limits import own_driver
from warm import case, states
from cases import check, same

REAL = pathlib.Path(__file__).resolve().parent.parent / "real"
sys.path.append(str(REAL))
from real import container  # noqa: E402
from links import CALLER, HELPER, elf, item, linked, machine_code  # noqa: E402


def program(m, *inputs, name="app.so", **more):
    file = m.folder / name
    file.write_bytes(linked(*inputs, **more))
    return file


def start(m, file, **env):
    """The program's own start: what is new in the cache, and whether the driver's linker took all."""
    done = subprocess.run([sys.executable, REAL / "linker.py", file, "--driver", own_driver(m)], env=dict(m.env, **env), capture_output=True, text=True,
                          timeout=120, check=False)
    check(done.returncode == 0, done.stderr)
    return json.loads(done.stdout)


def pair():
    return container(item(CALLER)), container(item(HELPER))


@case
def linked_at_load(m):
    """Cold, primed, again; one entry gone: each verb tells the truth, and the program compiles what it says."""
    own_driver(m)
    file = program(m, *pair())
    cold = start(m, file)
    same((cold["answer"], cold["new_entries"]), (0, 2), "its own start")
    own = m.cache().entries
    m.forget_cache()
    same(m.run("prime", "--check", file).returncode, 1, "--check before")
    answer, code = m.answer("prime", file)
    same((code, states(answer), m.cache().entries), (0, {"warmed": 2}, own), "prime makes what the program makes")
    same([(p["inputs"], p["hits"], p["compiled"]) for p in answer["verify"]["passes"]], [(2, 2, "unknown")], "verified: by entries, since the linker opens the compiler on hits")
    same(m.run("prime", "--check", file).returncode, 0, "--check after")
    answer, code = m.answer("prime", file)
    same((code, answer["end"], answer["receipt"]), (0, "nothing", True), "again")
    same(start(m, file)["new_entries"], 0, "the program finds all of it")
    same(m.run("verify", file).returncode, 0, "verify")
    next(m.root.glob("?/?/*")).unlink()
    same((m.run("prime", "--check", file).returncode, m.run("verify", file).returncode), (1, 1), "one entry is gone")
    same(start(m, file)["new_entries"], 1, "and the program compiles that one")


@case
def linked_beside_modules(m):
    """A module and an input of the same text are two jobs, with two entries."""
    own_driver(m)
    file = program(m, container(item(HELPER)), result=container(item(HELPER, options="")) + container(machine_code(35)))
    answer, code = m.answer("prime", file)
    same((code, states(answer), len(m.cache().entries)), (0, {"warmed": 2}, 2), "both")
    same(start(m, file)["new_entries"], 0, "the link")


@case
def links_that_fail(m):
    """An input without anything for this GPU: the driver cannot link, and prime does not say that all is well."""
    own_driver(m)
    file = program(m, container(item(CALLER)), container(machine_code(35)))
    done = m.run("scan", "--gpu", "sm_86", file)
    check("none" in done.stdout and "error 300" in " ".join(done.stdout.split()), done.stdout)
    same(m.run("scan", "--check", "--gpu", "sm_86", file).returncode, 1, "scan --check")
    check(start(m, file)["answer"] != 0, "the program's link fails")


@case
def a_thousand_inputs(m):
    """And one that kills the driver's linker: it costs that input alone, which is skipped from then on."""
    own_driver(m)
    inputs = [container(item(HELPER.replace("helper", f"helper{n}"))) for n in range(1000)]
    file = program(m, *inputs)
    answer, code = m.answer("prime", "--dry-run", file)
    same((code, len(answer["jobs"])), (0, 1000), "the plan")
    bad = answer["jobs"][7]["entry"]["name"].replace("/", "")
    answer, _ = m.answer("prime", file, SIMCUDA_FAULTS=f"crash@{bad}")
    same(states(answer), {"warmed": 999, "crashed": 1}, "one crashes")
    answer, code = m.answer("prime", "--yes", m.folder)
    same((code, states(answer)), (1, {"warm": 999, "banned": 1}), "it is not tried again")


LOAD = """import ctypes, sys
c, context, module = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_void_p()
assert c.cuInit(0) == 0 and c.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
print(c.cuModuleLoadData(ctypes.byref(module), ctypes.create_string_buffer(open(sys.argv[2], 'rb').read())))
"""
KERNEL = ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"


@case
def ptx_in_a_string(m):
    """A whole text among a program's data is a module; what is in pieces may become one, which only a run of the program shows."""
    own_driver(m)
    file, text = m.folder / "program", m.folder / "text"
    file.write_bytes(elf(**{".rodata": b"usage\0" + KERNEL.encode() + b"\0"}))
    text.write_text(KERNEL)
    same((m.run("scan", "--check", "--gpu", "sm_86", file).returncode, m.run("prime", "--check", file).returncode), (1, 1), "before")
    answer, code = m.answer("prime", file)
    same((code, states(answer)), (0, {"warmed": 1}), "prime")
    same(m.run("prime", "--check", file).returncode, 0, "--check after")
    own = m.cache().entries
    done = subprocess.run([sys.executable, "-c", LOAD, own_driver(m), text], env=m.env, capture_output=True, text=True, timeout=60, check=False)
    same((done.stdout, m.cache().entries), ("0\n", own), f"the program compiles nothing {done.stderr}")
    file.write_bytes(elf(**{".rodata": b".version %s\n.target sm_%d\n\0.visible .entry %s() { ret; }\n\0"}))
    done = m.run("scan", "--check", "--gpu", "sm_86", file)
    check(done.returncode == 1 and "may compile: 1 piece of PTX" in " ".join(done.stdout.split()), done.stdout)
    answer, code = m.answer("prime", file)
    same((code, states(answer), answer["left_out"]["made"]["modules"]), (0, {}, 1), "in pieces")
    done = m.run("prime", "--check", file)
    check(done.returncode == 1 and "no module has to be compiled" not in done.stdout, f"{done.returncode} {done.stdout}")
    same(m.run("verify", file).returncode, 1, "verify")
