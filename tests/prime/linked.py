"""Programs that the driver links at load (nvcc -rdc=true): their inputs are jobs like modules, through the driver's linker."""
import json
import pathlib
import struct
import subprocess
import sys

from limits import own_driver
from warm import case, states
from cases import check, same

REAL = pathlib.Path(__file__).resolve().parent.parent / "real"
sys.path.append(str(REAL))
from real import container, item as module  # noqa: E402
from links import CALLER, HELPER, elf, item, link_time_code, linked, machine_code  # noqa: E402


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
    """Cold, primed, again; one entry gone: each verb tells the truth, and the program compiles what it says.
    Set-up: the program was linked on the device, for other GPUs | would compile its inputs, 1 | compiles the inputs | passes, when they are warm | links (N s), compiles nothing | compiles the inputs first"""
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


def link_of(answer):
    one, = answer["verify"]["links"]
    return one


def scanned(m, file):
    verdict, = json.loads(m.run("scan", "--json", "--gpu", "sm_86", file).stdout)["files"][0]["verdicts"]
    return verdict


@case
def seconds_of_a_link(m):
    """The link that remains is measured by a worker and remembered; no number is printed where none was measured."""
    own_driver(m)
    file = program(m, *pair())
    check("(how long was not measured)" in " ".join(m.run("scan", "--gpu", "sm_86", file).stdout.split()), "scan before")
    same(scanned(m, file)["link_milliseconds"], None, "scan --json before")
    answer, code = m.answer("prime", file, SIMCUDA_FAULTS="slow@link=300ms")
    one = link_of(answer)
    same((code, one["inputs"], one["why"], one["path"]), (0, 2, None, str(file)), "prime")
    check(one["milliseconds"] >= 300, f"it is the link's own time: {one}")
    same(scanned(m, file)["link_milliseconds"], one["milliseconds"], "scan remembers it")
    answer, code = m.answer("prime", file)
    same((code, answer["end"], answer["receipt"], answer["link_milliseconds"]), (0, "nothing", True, one["milliseconds"]), "a receipt does, too")
    check("programs link while they start (" in " ".join(m.run("prime", file).stdout.split()), "and says it")
    answer, code = m.answer("verify", file, SIMCUDA_FAULTS="slow@link=600ms")
    check(link_of(answer)["milliseconds"] >= 600, f"verify measures again: {answer['verify']}")


@case
def a_link_that_fails(m):
    """The driver refuses it, or dies of it: the entries are warm, and the program fails at its start, which is said each time."""
    own_driver(m)
    file = program(m, *pair())
    for fault, why in (("oom@link", "error 2): simulated ptxas: "), ("crash@link", "signal 11")):
        m.forget_cache()
        answer, code = m.answer("prime", file, SIMCUDA_FAULTS=fault)
        one = link_of(answer)
        same((code, answer["end"], states(answer), one["milliseconds"], one["fails"]), (1, "partly", {"warmed": 2}, None, True), fault)
        check(why in one["why"], f"{fault}: {one}")
        same(scanned(m, file)["link_milliseconds"], None, "nothing is remembered")
        for verb in ("prime", "verify"):
            done = m.run(verb, file, SIMCUDA_FAULTS=fault)
            said = " ".join(done.stdout.split())
            same(done.returncode, 1, f"{verb} again")
            check(f"programs that link {file} fail at their start" in said and why in said and "othing to do" not in said, said)
            check("but programs that link them fail at their start" in said and "could be verified" not in said, f"its first line says so: {said}")
        answer, code = m.answer("prime", "--check", file)
        same((code, answer["next_start"], answer["next_start_why"]), (1, "unknown", "programs that link them fail at their start"), "--check")
        said = " ".join(m.run("prime", file, SIMCUDA_FAULTS=fault).stdout.split())
        check(f"To do jitwarm scan {file}" in said, f"and what is left to do: {said}")
    answer, code = m.answer("prime", file)
    same((code, states(answer), link_of(answer)["fails"]), (0, {"warm": 2}, False), "and once the driver makes it")


@case
def an_input_that_is_refused(m):
    """The driver's words about it are asked for, as about a module."""
    own_driver(m)
    file = program(m, *pair())
    answer, _ = m.answer("prime", "--dry-run", file)
    answer, code = m.answer("prime", file, SIMCUDA_FAULTS=f"badptx@{answer['jobs'][0]['entry']['name'].replace('/', '')[:12]}")
    same((code, states(answer)), (1, {"failed": 1, "warmed": 1}), "prime")
    refused, = [job for job in answer["jobs"] if job["state"] == "failed"]
    check(refused["log"].startswith("simulated ptxas: "), f"its log: {refused}")


@case
def a_link_that_fails_beside_modules(m):
    """The file has another result, with code: the inputs may be that one's, so that no failure is predicted."""
    own_driver(m)
    file = program(m, *pair(), result=container(machine_code(35)) + container(machine_code(86)))
    answer, code = m.answer("prime", file, SIMCUDA_FAULTS="oom@link")
    one = link_of(answer)
    same((code, one["fails"], one["milliseconds"]), (0, False, None), "prime")
    check("error 2" in one["why"], f"{one}")


@case
def run_of_a_command_that_links(m):
    """run says before it starts the command how long the link takes that it makes at each start."""
    driver, file = own_driver(m), program(m, *pair())
    command = [sys.executable, REAL / "linker.py", file, "--driver", driver, "--nap", "0.4"]
    m.run("prime", "--run", *command, SIMCUDA_FAULTS="slow@link=300ms")
    answer, _ = m.answer("prime", file)
    done = m.run("run", "--", *command)
    said = " ".join(done.stderr.split())
    check(done.returncode == 0 and json.loads(done.stdout)["new_entries"] == 0, f"its streams are its own: {done.stdout} {done.stderr}")
    check(f"the command links while it starts ({link_of(answer)['milliseconds'] / 1000:.1f} s), compiles nothing" in said, (answer["verify"]["links"], done.stderr))


@case
def links_of_two_results(m):
    """Two results without code here: which inputs belong to which is in no file, so that no time is said."""
    own_driver(m)
    file = program(m, *pair(), result=container(machine_code(35)) + container(machine_code(37)))
    answer, code = m.answer("prime", file)
    one = link_of(answer)
    same((code, states(answer), one["milliseconds"]), (0, {"warmed": 2}, None), "prime")
    check("2 results" in one["why"], f"{one}")


@case
def link_time_code_alone(m):
    """An input with nothing but link-time code: what the driver does with that is not known, so nothing is said to be warm, nor to fail."""
    own_driver(m)
    for inputs, warmed in (([container(link_time_code())] * 2, 0), ([container(item(HELPER)), container(link_time_code())], 1)):
        file = program(m, *inputs)
        same(scanned(m, file)["verdict"], "links", "scan")
        said = " ".join(m.run("scan", "--gpu", "sm_86", file).stdout.split())
        check("link-time code (LTO) alone" in said and "compiles nothing" not in said, said)
        same((m.run("scan", "--check", "--gpu", "sm_86", file).returncode, m.run("prime", "--check", file).returncode), (1, 1), "--check")
        answer, code = m.answer("prime", file)
        same((code, answer["counts"]["warmed"]), (1, warmed), "prime")
        check(all(link["why"] for link in answer["verify"]["links"]), "no time is measured")
        same(m.run("prime", "--check", file).returncode, 1, "still not known")
        done = m.run("verify", file)
        check(done.returncode == 1 and "link-time code (LTO) alone; whether" in " ".join(done.stdout.split()), f"verify says why: {done.stdout}")


@case
def linked_beside_modules(m):
    """A module and an input of the same text are two jobs, with two entries."""
    own_driver(m)
    file = program(m, container(item(HELPER)), result=container(item(HELPER, options="")) + container(machine_code(35)))
    answer, code = m.answer("prime", file)
    same((code, states(answer), len(m.cache().entries)), (0, {"warmed": 2}, 2), "both")
    same(start(m, file)["new_entries"], 0, "the link")


@case
def inputs_passed_over(m):
    """An input without anything for this GPU is passed over: the driver compiles the other, whether or not the result needs both. Where none
    has anything, nothing runs."""
    own_driver(m)
    file = program(m, container(item(CALLER)), container(machine_code(35)))
    verdict = scanned(m, file)
    same((verdict["verdict"], verdict["jit"], verdict["inputs_missing"]), ("links", 1, 1), "scan")
    check("error 300" in " ".join(m.run("scan", "--gpu", "sm_86", file).stdout.split()), "what may fail is said")
    same((m.run("scan", "--check", "--gpu", "sm_86", file).returncode, m.run("prime", "--check", file).returncode), (1, 1), "--check before")
    answer, code = m.answer("prime", file)
    same((code, states(answer)), (0, {"warmed": 1}), "prime")
    same(start(m, file)["new_entries"], 0, "the program compiles nothing")
    same((m.run("prime", "--check", file).returncode, m.run("scan", "--check", "--gpu", "sm_86", file).returncode), (0, 1), "--check after: it may still fail")
    file = program(m, container(machine_code(35)), container(machine_code(37)), name="none.so")
    same(scanned(m, file)["verdict"], "none", "no input has anything")


@case
def a_list_that_is_no_list(m):
    """The wrapper's list of inputs is empty in a file: it is in .bss, and the program fills it while it starts (F88). So no byte of a file can make it
    point outside or to itself, and jitwarm reads none: wrappers that claim such a list change no answer."""
    own_driver(m)
    answers = []
    for at in (None, 0, 0x7fffffffffff, 64):
        file = m.folder / "app.so"
        wrapper = {} if at is None else {".nvFatBinSegment": struct.pack("<IIQQ", 0x466243b1, 2, 64, at)}
        file.write_bytes(elf(**{".nv_fatbin": container(machine_code(35)), "__nv_relfatbin": b"".join(pair())}, **wrapper))
        m.forget_cache()
        seen = scanned(m, file)
        answers.append([seen[k] for k in ("verdict", "links", "inputs", "jit")])
        same((m.run("prime", "--check", file).returncode, states(m.answer("prime", file)[0]), start(m, file)["new_entries"]), (1, {"warmed": 2}, 0), f"a list at {at}")
    same(answers, [["links", 1, 2, 2]] * 4, "scan")


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
    same((code, states(answer)), (1, {"warm": 999, "skipped": 1}), "it is not tried again")


LOAD = """import ctypes, sys
c, context, module = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_void_p()
assert c.cuInit(0) == 0 and c.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
print(c.cuModuleLoadData(ctypes.byref(module), ctypes.create_string_buffer(open(sys.argv[2], 'rb').read())))
"""
KERNEL = ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"


@case
def ptx_in_a_string(m):
    """A whole text among a program's data is a module; what is in pieces may become one, which only a run of the program shows.
    Set-up: PTX is a C string in a program that is named | would compile it, 1 | compiles it | names it, 1 | compiled, 1 | compiles it first
    Set-up: a program that is named has PTX in pieces | says that it may compile, 1 | the rest; `prime --run` records what it makes | says so, 1 | compiled, 1 | compiles first what was recorded"""
    own_driver(m)
    file, text = m.folder / "program", m.folder / "text"
    file.write_bytes(elf(**{".rodata": b"usage\0" + KERNEL.encode() + b"\0"}))
    text.write_text(KERNEL)
    same((m.run("scan", "--check", "--gpu", "sm_86", file).returncode, m.run("prime", "--check", file).returncode), (1, 1), "before")
    answer, code = m.answer("prime", file)
    same((code, states(answer)), (0, {"warmed": 1}), "prime")
    same(m.run("prime", "--check", file).returncode, 0, "--check after")
    same(m.run("scan", "--check", "--gpu", "sm_86", file).returncode, 1, "of machines with that GPU, whose caches are others")
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


@case
def containers_among_a_programs_data(m):
    """What bin2c, xxd -i, objcopy or the linker put into a program: nothing registers it, the program loads it itself.
    Set-up: a program that is named has a container among its data | would compile it, 1 | compiles it | names it, 1 | compiled, 1 | compiles it first"""
    own_driver(m)
    file, alone = m.folder / "program", m.folder / "alone.fatbin"
    for section in ".rodata", ".data", "kernels":
        code = container(module(KERNEL.replace("k()", f"{section.strip('.')}()")))
        alone.write_bytes(code)
        file.write_bytes(elf(**{section: b"usage".ljust(4096, b"\0") + code}))
        same((m.run("scan", "--check", "--gpu", "sm_86", file).returncode, m.run("prime", "--check", file).returncode, m.run("verify", file).returncode), (1, 1, 1), f"{section}: before")
        answer, code = m.answer("prime", file)
        same((code, states(answer)), (0, {"warmed": 1}), f"{section}: prime")
        same((m.run("prime", "--check", file).returncode, m.run("prime", "--check", alone).returncode), (0, 0), f"{section}: after, as the program loads it")


@case
def code_that_is_not_seen(m):
    """What a program has packed or encrypted is in no file. Where no code is found, nothing was asked about, and no verb says warm.
    Set-up: a program that is named has its code packed or encrypted | says that no code was found, 1 | says so, 0; `prime --run` records what it loads | says so, 1 | compiled, 1 | compiles first what was recorded"""
    own_driver(m)
    file = m.folder / "program"
    file.write_bytes(elf(**{".rodata": bytes(b ^ 0x55 for b in KERNEL.encode())}))
    for words, code in ((("prime", "--check", file), 1), (("verify", file), 1), (("prime", file), 0)):
        answer, got = m.answer(*words)
        why = "no CUDA code was found in what was named"
        same((got, answer["next_start"], answer["next_start_why"], answer["receipt"]), (code, "unknown", why, False), words)
    file.write_bytes(elf(**{".nv_fatbin": container(machine_code(86))}))
    same(m.answer("prime", "--check", file)[1], 0, "machine code for this GPU")
