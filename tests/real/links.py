#!/usr/bin/env python3
"""links.py CASE (the options of real.py)
What the driver links at load: its inputs are modules like others. prime compiles them, and a
program that shares no code with jitwarm (linker.py) finds all of them: its start links, and
compiles nothing. Real drivers over src/phantom.

    made      two inputs, by each door; inputs and results that have nothing for the GPU
    mixed     one input with machine code, one of PTX alone; CUDA_FORCE_PTX_JIT
    newer     PTX that is newer than the driver
    crash     an input of which the driver dies, or that it refuses
    copies    packs of inputs, also of a machine without a GPU
    runtime   what the CUDA runtime's own start links
    thousand  inputs"""
import functools
import json
import pathlib
import shutil
import struct
import sys

import real
from real import Machine, check, container, parts, why_not

LINKER = pathlib.Path(__file__).with_name("linker.py")
CALLER = """.version 6.0
.target sm_30
.address_size 64
.extern .func (.param .b32 r) helper (.param .b32 x);
.visible .entry caller(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<2>;
    mov.u32 %r1, %tid.x;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), helper, (x); ld.param.b32 %r2, [y]; }
    ld.param.u64 %d1, [p];
    st.global.u32 [%d1], %r2;
    ret;
}
"""
HELPER = """.version 6.0
.target sm_30
.address_size 64
.visible .func (.param .b32 r) helper (.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    mad.lo.s32 %r2, %r1, %r1, 7;
    st.param.b32 [r], %r2;
    ret;
}
"""


item = functools.partial(real.item, options="--compile-only ", target=30,
                         isa_minor=0)  # as nvcc -dc stores it


def code_item(code, sm):
    code += bytes(-len(code) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(code), 0, 0, 7, 1, sm, 0, 0, 1, 0,
                       0) + code


def machine_code(sm):
    """As much of an item as counts: the driver looks at its architecture, and never into it where
    it does not fit."""
    return code_item(b"\x7fELF" + bytes(8188), sm)


def linked(*inputs, result=None):
    return real.elf(
        **{".nv_fatbin": result or container(machine_code(35)), "__nv_relfatbin": b"".join(inputs)})


def scan(machine, file):
    verdict, = json.loads(
        machine.jitwarm("scan", "--json", "--gpu", machine.o.gpu, file, expect=(0, 1)))["verdicts"]
    return verdict["state"]


def start(machine, file, door="link", **variables):
    return json.loads(
        machine.run(sys.executable, LINKER, file, "--door", door, patience=600, **variables))


def prime(machine, *words, expect=(0,), **more):
    return json.loads(machine.jitwarm("prime", "--json", *words, expect=expect, **more))


def status(machine, *words, expect=(0,), **more):
    return json.loads(machine.jitwarm("status", "--json", *words, expect=expect, **more))


def program(machine, *inputs, result=None):
    file = machine.home / "app" / "app.so"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(linked(*inputs, result=result))
    return file


def both(machine):
    return program(machine, container(item(CALLER)), container(item(HELPER, packed=False)))


def made(o):
    """F87, F89, F90, F92: status is 1 before and 0 after, the program adds no entry, and what it
    stored itself is the same to the byte; an input of which nothing fits is passed over, so that
    the link of what needs it fails."""
    why_not(o)
    machine = Machine(o, alone=True)
    file, doors = both(machine), ["link", "library"] if int(o.driver) >= 550 else ["link"]
    for door in doors:
        shutil.rmtree(machine.cache, ignore_errors=True)
        cold, own = start(machine, file, door), machine.entries()
        check(cold["answer"] == 0 and cold["new_entries"] == len(own) == 2 and cold["compiler"],
              f"cold by {door}: two entries", cold)
        again = start(machine, file, door)
        check(again["answer"] == 0 and not again["new_entries"] and again["compiler"],
              f"again by {door}: the compiler is there on hits, too", again)
    shutil.rmtree(machine.cache)
    check(scan(machine, file) == "compiles", "scan")
    said = status(machine, file, expect=(1,))
    check(said["answer"]["is"] == "cold" and len(said["jobs"]) == 2, "status before", said)
    said = prime(machine, "--yes", file)
    check(said["proof"]["proven"] and said["compiled"] == 2 and machine.entries() == own,
          "prime makes what the program makes", said)
    check(prime(machine, file)["compiled"] == 0, "again: nothing to do")
    for words in ("status", file), ("doctor", file), ("doctor",):
        answer = json.loads(machine.jitwarm(words[0], "--json", *words[1:]))["answer"]
        check(answer["is"] == "warm" and answer["modules"] == 2, words, answer)
    for door in doors:
        warm = start(machine, file, door)
        check(warm["answer"] == 0 and not warm["new_entries"], f"primed, by {door}: no entry", warm)
    check(machine.entries() == own, "and nothing was changed")
    turned = machine.home / "turned.so"
    turned.write_bytes(linked(container(item(HELPER, packed=False)), container(item(CALLER))))
    check(not start(machine, turned)["new_entries"], "the order of the inputs changes no name")
    # a program that links opens the compiler, and is seen to compile nothing
    command = ["--run", sys.executable, LINKER, file, "--door", doors[-1], "--nap", "0.5"]
    seen = json.loads(machine.jitwarm("doctor", "--json", *command))["command"]
    check((seen["compiled"], seen["made"],
           machine.said_by_program()["compiler"]) == ("nothing", 0, True), "doctor --run", seen)
    next(iter(machine.cache.glob("?/?/*"))).unlink()
    status(machine, file, expect=(1,))
    seen = json.loads(machine.jitwarm("doctor", "--json", *command, expect=(1,)))["command"]
    check((seen["compiled"], seen["made"]) == ("compiled", 1),
          "the driver compiles the one that is gone", seen)
    # an input without anything for this GPU
    for text, fails in ((CALLER.replace("caller", "lame"), True), (HELPER.replace("helper",
                                                                                  "lame"), False)):
        shutil.rmtree(machine.cache)
        lame = program(machine, container(item(text)), container(machine_code(35)))
        check(scan(machine, lame) is None, "scan")  # what needs the other one fails
        status(machine, lame, expect=(1,))
        said = prime(machine, "--yes", lame)
        check(said["answer"]["modules"] == 1, "the other input is one module", said)
        seen = start(machine, lame)
        check((bool(seen["answer"]), seen["new_entries"]) == (fails, 0),
              "the driver passes over what has nothing here", seen)
    # what nvcc -rdc=true leaves where it was asked for PTX alone: a result without any entry
    empty = program(machine, container(item(CALLER)), container(item(HELPER, packed=False)),
                    result=container())
    check(scan(machine, empty) == "compiles", "scan")
    for door in doors[1:]:  # by cuLinkCreate the result is not looked at
        shutil.rmtree(machine.cache)
        status(machine, empty, expect=(1,))
        check(
            start(machine, empty, door)["new_entries"] == 2 and machine.entries() == own,
            f"an empty result, by {door}: two entries")
        shutil.rmtree(machine.cache)
        prime(machine, "--yes", empty)
        check(machine.entries() == own and not start(machine, empty, door)["new_entries"],
              "prime makes what the program makes")
    # of a native result no input is looked at
    native = program(machine, container(item(CALLER.replace("caller", "other"))),
                     result=container(machine_code(int(o.gpu[3:5]))))
    check(scan(machine, native) == "native", "native")


def forced(machine, inputs):
    """With CUDA_FORCE_PTX_JIT: drivers before 525 keep an entry without a key, which serves no
    start, under the name that is FNV of nothing."""
    made = sorted(machine.entries())
    return len(made) == inputs if int(machine.driver) >= 525 else made == ["c/b/f29ce484222325"]


def mixed(o):
    """F89, F94: an input with machine code for this GPU (libcudadevrt's is one) beside one of PTX
    alone. The driver compiles that one, and links both; with CUDA_FORCE_PTX_JIT the PTX of both,
    also where the result has machine code."""
    why_not(o)
    machine, sm, force = Machine(o), int(o.gpu[3:5]), {"CUDA_FORCE_PTX_JIT": "1"}
    check(
        start(machine, program(machine, container(item(HELPER))))["new_entries"] == 1, "one input")
    helper = code_item(parts(*machine.entries().values())[1], sm)
    shutil.rmtree(machine.cache)
    file = program(machine, container(item(CALLER)), container(helper))
    cold, own = start(machine, file), machine.entries()
    check((cold["answer"], cold["new_entries"]) == (0, 1),
          "the driver compiles the one without machine code", cold)
    shutil.rmtree(machine.cache)
    status(machine, file, expect=(1,))
    said = prime(machine, "--yes", file)
    check(
        said["compiled"] == 1 and machine.entries() == own
        and not start(machine, file)["new_entries"], "prime makes what the program makes", said)
    status(machine, file)
    file = program(machine, container(item(CALLER)), container(helper + item(HELPER)))
    shutil.rmtree(machine.cache)
    cold = start(machine, file, **force)
    check(cold["answer"] == 0 and forced(machine, 2), "the driver compiles both",
          (cold, machine.entries().keys()))
    check(
        start(machine, file, **force)["new_entries"] == cold["new_entries"], "again, at each start")
    check(machine.run(o.tool, "status", file, expect=(1,), **force), "and it is not warm")
    # what it takes is seen where the two differ: the PTX has not what the other input calls
    file = program(machine, container(item(CALLER)),
                   container(helper + item(HELPER.replace("helper", "other"))))
    check(
        start(machine, file)["answer"] == 0 and start(machine, file, **force)["answer"] != 0,
        "machine code; and PTX alone where it is forced")


def newer(o):
    """F76, F89: PTX that is newer than the driver in one input: its link ends with error 222."""
    why_not(o)
    machine = Machine(o)
    image = item(HELPER.replace(".version 6.0", ".version 9.9"))
    file = program(machine, container(item(CALLER)),
                   container(image[:24] + struct.pack("<HH", 9, 9) + image[28:]))
    check(
        start(machine, file)["answer"] in (222, 218)
        and scan(machine, file) in ("blocked", "compiles"), "the link fails")
    shutil.rmtree(machine.cache, ignore_errors=True)
    said = status(machine, file, expect=(1,))
    check(said["answer"]["is"] != "warm", "and is not warm", said)


def crash(o):
    """F49: 0xff in the text of an input: 550 and 555 die, as the program does without jitwarm. It
    costs that input alone, and where no file is named, it is not tried again."""
    why_not(o)
    machine = Machine(o)
    bad = bytearray(container(item(HELPER)))
    bad[-60:-20] = b"\xff" * 40
    file = program(machine, container(item(CALLER)), bytes(bad))
    dies = 550 <= int(o.driver) < 580
    said = machine.run(sys.executable, LINKER, file, expect=(139, -11) if dies else (0,))
    check(dies or json.loads(said)["answer"] == 218, "its own start", said)
    shutil.rmtree(machine.cache, ignore_errors=True)
    for place, states in (file, ["crashed" if dies else "failed",
                                 "warmed"]), (file.parent, ["skipped"]):
        said = prime(machine, "--yes", place, expect=(1,))
        check(
            sorted(job["state"] for job in said["jobs"]) == states
            and said["answer"]["is"] == "cold", "prime", said["jobs"])
        check(dies or "ptxas" in str([(job.get("why"), job.get("log")) for job in said["jobs"]]),
              "the driver's words", said["jobs"])
    for place in file, file.parent:
        status(machine, place, expect=(1,))
        machine.jitwarm("doctor", place, expect=(1,))


def copies(o):
    """Entries of inputs travel in packs as those of modules, also from a machine without a GPU, by
    the driver's files: the bytes are those of the program's own start."""
    why_not(o)
    builder, user = Machine(o), Machine(o)
    file, key, made = both(user), builder.home / "signer", builder.home / "made.tar.zst"
    check(start(user, file)["new_entries"] == 2, "its own start")
    own = user.entries()
    builder.jitwarm("key", "--new", key, "--no-passphrase")
    folder = builder.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip()
    builder.jitwarm("export", "--driver-files", folder, "--gpu", o.gpu, "-o", made, "--sign", key,
                    both(builder))
    builder.jitwarm("prime", "--yes", both(builder))
    builder.jitwarm("export", "-o", builder.home / "own.tar.zst", "--sign", key)
    for pack in made, builder.home / "own.tar.zst":
        shutil.rmtree(user.cache)
        user.jitwarm("import", pack, "--trust", f"{key}.pub")
        check(user.entries() == own and not start(user, file)["new_entries"],
              "the same bytes, and its start compiles nothing", (pack, own.keys()))
        status(user, file)


# A program of the CUDA runtime, with the list of inputs behind the wrapper (crt/link.stub). What
# its start, and then the use of a kernel, stored.
RUNTIME = """import ctypes as c, json, pathlib, sys
from linker import Wrapper, entries
rt, n = c.CDLL(sys.argv[1]), [len(entries())]
images = [c.create_string_buffer(pathlib.Path(f).read_bytes() + bytes(64)) for f in sys.argv[2:]]
listed = (c.c_void_p * len(images))(*[c.addressof(i) for i in images[1:]], None)
wrapper = Wrapper(0x466243b1, 2, c.addressof(images[0]), c.addressof(listed))
rt.__cudaRegisterFatBinary.restype = c.c_void_p
handle = c.c_void_p(rt.__cudaRegisterFatBinary(c.byref(wrapper)))
rt.__cudaRegisterFunction(handle, c.c_void_p(1), b"caller", b"caller", -1, None, None, None, None, None)
rt.__cudaRegisterFatBinaryEnd(handle)
assert rt.cudaFree(None) == 0
n.append(len(entries()))
answer = rt.cudaFuncGetAttributes(c.create_string_buffer(512), c.c_void_p(1))
print(json.dumps([answer, n[1] - n[0], len(entries()) - n[0]]))
"""

def runtime(o):
    """F87, F93: the CUDA runtime's own start. Where modules are loaded lazily the link is made when
    a kernel is used; a result with machine code is not linked, unless CUDA_FORCE_PTX_JIT ignores
    that."""
    why_not(o)
    machine, lazy = Machine(o), int(o.driver) >= 535
    machine.env |= {"PYTHONPATH": str(LINKER.parent)}
    result, code, *inputs = (machine.home / name for name in ("result", "code", "caller", "helper"))
    for file, text in zip(inputs, (CALLER, HELPER)):
        file.write_bytes(container(item(text)))
    machine.run(sys.executable, LINKER, program(machine, *(file.read_bytes() for file in inputs)),
                "--out", code)
    wheels = [
        ("nvidia-cuda-runtime-cu11==11.8.89", "libcudart.so.11.0")
    ] + [("nvidia-cuda-runtime-cu12==12.4.127", "libcudart.so.12")] * (int(o.driver) >= 550)
    for package, library in wheels:
        real.unpack_wheel(o, package, machine.home / "wheel")
        start = lambda **more: json.loads(
            machine.run(sys.executable, "-c", RUNTIME, machine.home /
                        "wheel/nvidia/cuda_runtime/lib" / library, result, *inputs, **more))
        result.write_bytes(container(machine_code(35)))
        for more, early in (({}, not lazy), ({"CUDA_MODULE_LOADING": "EAGER"}, True)):
            shutil.rmtree(machine.cache, ignore_errors=True)
            check(start(**more) == [0, 2 * early, 2], f"{library}: a result without code", more)
            check(start(**more) == [0, 0, 0], f"{library}: again", more)
        shutil.rmtree(machine.cache)
        result.write_bytes(container(code_item(code.read_bytes(), int(o.gpu[3:5]))))
        check(start() == [0, 0, 0], f"{library}: a result with code")
        for _ in range(2):
            check(
                start(CUDA_FORCE_PTX_JIT="1")[0] == 0 and forced(machine, 2),
                f"{library}: ignored, the inputs are linked",
                machine.entries().keys())


def thousand(o):
    """A thousand inputs: a thousand modules, and one link that adds no entry."""
    why_not(o)
    machine = Machine(o)
    file = program(machine,
                   *(container(item(HELPER.replace("helper", f"helper{n}"))) for n in range(1000)))
    said = prime(machine, "--yes", file, patience=1200)
    check(said["compiled"] == 1000 and said["proof"]["proven"], "prime", said["answer"])
    warm = start(machine, file)
    check((warm["answer"], warm["inputs"], warm["new_entries"]) == (0, 1000, 0), "its link", warm)
    status(machine, file)


if __name__ == "__main__":
    real.CASES = {
        case.__name__: case
        for case in (made, mixed, newer, crash, copies, runtime, thousand)
    }
    sys.exit(real.main())
