#!/usr/bin/env python3
"""links.py CASE (the options of real.py)
What the driver links at load: scan says it, prime compiles the inputs, and a program that shares no code with jitwarm (linker.py) finds
all of it. Real drivers over src/phantom.
Set-up: the program was linked on the device, for other GPUs"""
import json
import pathlib
import shutil
import signal
import struct
import subprocess
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
KERNEL = """.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.b32 [%rd1], 7;
    ret;
}
"""
# As a program that has the library loaded, by whose files doctor --watch knows what it compiles.
HOLDS = "import mmap, runpy, sys; file = open(sys.argv[2], 'rb'); held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ); sys.argv[:] = sys.argv[1:]; " \
        "runpy.run_path(sys.argv[0], run_name='__main__')"
LOADER_OF_FILES = pathlib.Path(__file__).with_name("loader.py")
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


def item(ptx, options="--compile-only ", packed=True):
    """PTX with the options that nvcc -dc stores beside it."""
    plain = ptx.encode() + b"\0"
    stored = real.literals(plain) if packed else plain
    padded, text = stored + b"\0" * (-len(stored) % 8), options.encode()
    text += b"\0" * (-len(text) % 8 or 8)
    head = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 72 + len(text), len(padded), len(stored) if packed else 0, 64, 0, 6, 30, 0, 0,
                       1 | (0x2000 if packed else 0), 0, len(plain) if packed else 0)
    return head + struct.pack("<II", 72, len(options)) + text + padded


def machine_code(sm):
    """As much of an item as counts: the driver looks at its architecture, and never into it where it does not fit."""
    return struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, 8192, 0, 0, 7, 1, sm, 0, 0, 1, 0, 0) + b"\x7fELF" + bytes(8188)


def link_time_code(sm=70):
    """As much of an input with link-time code alone as counts: a driver looks at its kind."""
    return struct.pack("<HHIQIIHHIIIQQQ", 8, 0x101, 64, 64, 0, 0, 0, 0, sm, 0, 0, 1, 0, 0) + b"BC\xc0\xde" + bytes(60)


def elf(**sections):
    """An ELF library with these sections."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in sections) + b".shstrtab\0"
    n, body, rows = len(sections) + 2, b"", struct.pack("<IIQQQQIIQQ", *([0] * 10))
    at = 64 + 64 * n
    for name, data in sections.items():
        rows += struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), 1, 2, at + len(body), at + len(body), len(data), 0, 0, 8, 0)
        body += data
    rows += struct.pack("<IIQQQQIIQQ", names.index(b".shstrtab"), 3, 0, 0, at + len(body), len(names), 0, 0, 1, 0)
    return b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, n, n - 1) + rows + body + names


def linked(*inputs, result=None):
    return elf(**{".nv_fatbin": result or container(machine_code(35)), "__nv_relfatbin": b"".join(inputs)})


def scan(machine, file):
    verdict, = json.loads(machine.jitwarm("scan", "--json", "--gpu", machine.o.gpu, file))["files"][0]["verdicts"]
    return verdict


def start(machine, file, door="link", **variables):
    return json.loads(machine.run(sys.executable, LINKER, file, "--door", door, patience=600, **variables))


def made(o):
    """F87, F89, F90, F92: two inputs. --check is 1 before and 0 after, the program adds no entry, and what it stored itself is the same
    to the byte; an input of which nothing fits is passed over, so that the link of what needs it fails."""
    why_not(o)
    machine = Machine(o, alone=True)
    file = machine.home / "app.so"
    file.write_bytes(linked(container(item(CALLER)), container(item(HELPER, packed=False))))
    doors = ["link", "library"] if int(o.driver) >= 550 else ["link"]
    for door in doors:
        shutil.rmtree(machine.cache, ignore_errors=True)
        cold = start(machine, file, door)
        check(cold["answer"] == 0 and cold["new_entries"] == 2 and cold["compiler"], f"cold by {door}: two entries", cold)
        own = own_made = machine.entries()
        again = start(machine, file, door)
        check(again["answer"] == 0 and not again["new_entries"] and again["compiler"], f"again by {door}: the compiler is there on hits, too", again)
    shutil.rmtree(machine.cache)
    verdict = scan(machine, file)
    check((verdict["verdict"], verdict["links"], verdict["inputs"], verdict["jit"]) == ("links", 1, 2, 2), "scan", verdict)
    check("2 modules" in machine.jitwarm("prime", "--check", file, expect=(1,)), "--check before")
    machine.jitwarm("prime", "--yes", file)
    check(machine.entries() == own, "prime makes what the program makes", (sorted(own), sorted(machine.entries())))
    machine.jitwarm("prime", "--check", file)
    check(json.loads(machine.jitwarm("prime", "--json", file))["end"] == "nothing", "again: nothing to do")
    proof = json.loads(machine.jitwarm("verify", "--json", file))["verify"]
    link, = proof["links"]
    check(link["inputs"] == 2 and link["milliseconds"] and not link["why"], "the link that remains is measured", link)
    check(all(p["inputs"] == 2 and not p["misses"] and not p["new_entries"] for p in proof["passes"]), "verify", proof)
    for door in doors:
        warm = start(machine, file, door)
        check(warm["answer"] == 0 and not warm["new_entries"], f"primed, by {door}: no entry", warm)
    check(machine.entries() == own, "and nothing was changed")
    turned = machine.home / "turned.so"
    turned.write_bytes(linked(container(item(HELPER, packed=False)), container(item(CALLER))))
    check(not start(machine, turned)["new_entries"], "the order of the inputs changes no name")
    verdict = scan(machine, file)
    # scan does not know that older drivers end PTX at its first NUL (F13), of modules neither
    check(int(o.driver) < 460 or (verdict["verdict"], verdict["jit"], verdict["warm"]) == ("links", 0, 2), "scan, warm", verdict)
    # a program that links opens the compiler, and is seen to compile nothing
    command = [sys.executable, LINKER, file, "--door", doors[-1], "--nap", "0.5"]
    said = machine.jitwarm("verify", "--json", "--run", *command)
    seen = json.loads(said)["run"]
    check(seen["compiled"] == "nothing" and seen["links"] and seen["processes"][0]["compiled"], "verify --run", seen)
    check(seen["link_milliseconds"], "and the time of its link is remembered", seen)
    # one is gone: false if it said warm
    next(iter(machine.cache.glob("?/?/*"))).unlink()
    machine.jitwarm("prime", "--check", file, expect=(1,))
    said = machine.jitwarm("verify", "--json", "--run", *command, expect=(1,))
    seen = json.loads(said)["run"]
    check((seen["compiled"], seen["new_entries"], seen["links"]) == ("compiled", 1, False), "the driver compiles that one", seen)
    # an input without anything for this GPU
    lame = machine.home / "lame.so"
    lame.write_bytes(linked(container(item(CALLER)), container(machine_code(35))))
    for text, fails in ((CALLER.replace("caller", "lame"), True), (HELPER.replace("helper", "lame"), False)):
        shutil.rmtree(machine.cache)
        lame.write_bytes(linked(container(item(text)), container(machine_code(35))))
        check(scan(machine, lame)["verdict"] == "links" and scan(machine, lame)["inputs_missing"] == 1, "scan", scan(machine, lame))
        machine.jitwarm("prime", "--check", lame, expect=(1,))
        link, = json.loads(machine.jitwarm("prime", "--json", "--yes", lame, expect=(int(fails),)))["verify"]["links"]
        check("could not link" in link["why"] and "Undefined reference to 'helper' in 'input at 0x" in link["why"] if fails else link["milliseconds"], "whether the rest can be linked is asked", link)
        check(link["fails"] == fails, "prime says that the program fails at its start, as it does without it", link)
        own = start(machine, lame)
        check((bool(own["answer"]), own["new_entries"]) == (fails, 0), "the driver passes over what has nothing here", own)
    # what nvcc -rdc=true leaves where it was asked for PTX alone: a result without any entry
    empty = machine.home / "empty.so"
    empty.write_bytes(linked(container(item(CALLER)), container(item(HELPER, packed=False)), result=container()))
    for door in doors[-1:] if int(o.driver) >= 550 else ():  # by cuLinkCreate the result is not looked at
        shutil.rmtree(machine.cache)
        machine.jitwarm("prime", "--check", empty, expect=(1,))
        cold = start(machine, empty, door)
        check(cold["answer"] == 0 and cold["new_entries"] == 2 and machine.entries() == own_made, f"an empty result, by {door}: two entries", cold)
        shutil.rmtree(machine.cache)
        machine.jitwarm("prime", "--yes", empty)
        check(machine.entries() == own_made and not start(machine, empty, door)["new_entries"], "prime makes what the program makes")
    check(scan(machine, empty)["verdict"] == "links", "scan", scan(machine, empty))
    # of a native result no input is looked at
    native = machine.home / "native.so"
    native.write_bytes(linked(container(item(CALLER.replace("caller", "other"))), result=container(machine_code(int(o.gpu[3:5])))))
    check(scan(machine, native)["verdict"] == "native", "native", scan(machine, native))


def code_item(code, sm):
    code += bytes(-len(code) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, len(code), 0, 0, 7, 1, sm, 0, 0, 1, 0, 0) + code


def code_of(machine, file, sm):
    """The relocatable machine code that the driver made of this file's one input, as an item of a container."""
    check(start(machine, file)["new_entries"] == 1, "one input")
    code = parts(next(iter(machine.entries().values())))[1]
    shutil.rmtree(machine.cache)
    return code_item(code, sm)


# A program of the CUDA runtime whose objects have registered themselves with the list behind the wrapper (crt/link.stub). What its start, and then the use of a
# kernel, stored.
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
LINKS = """import ctypes as c, pathlib, sys
from linker import containers
d, context, state, out, size = c.CDLL("libcuda.so.1"), c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_size_t()
assert d.cuInit(0) == 0 and d.cuCtxCreate_v2(c.byref(context), 0, 0) == 0 and d.cuLinkCreate_v2(0, None, None, c.byref(state)) == 0
for file in sys.argv[2:]:
    data = pathlib.Path(file).read_bytes()
    assert d.cuLinkAddData_v2(state, 2, data, c.c_size_t(len(data)), b"input", 0, None, None) == 0
assert d.cuLinkComplete(state, c.byref(out), c.byref(size)) == 0
pathlib.Path(sys.argv[1]).write_bytes(c.string_at(out, size.value))
"""


def forced(machine, inputs):
    """With CUDA_FORCE_PTX_JIT: drivers before 525 keep an entry without a key, which serves no start, under the name that is FNV of nothing."""
    made = sorted(machine.entries())
    return len(made) == inputs if int(machine.driver) >= 525 else made == ["c/b/f29ce484222325"]


def runtime(o):
    """F87, F93: the CUDA runtime's own start. Where modules are loaded lazily the link is made when a kernel is used; a result with machine code is not linked,
    unless CUDA_FORCE_PTX_JIT ignores that."""
    why_not(o)
    machine, lazy = Machine(o), int(o.driver) >= 535
    machine.env |= {"PYTHONPATH": str(LINKER.parent)}
    result, code, *inputs = (machine.home / name for name in ("result", "code", "caller", "helper"))
    for file, text in zip(inputs, (CALLER, HELPER)):
        file.write_bytes(container(item(text)))
    machine.run(sys.executable, "-c", LINKS, code, *inputs)
    wheels = [("nvidia-cuda-runtime-cu11==11.8.89", "libcudart.so.11.0")] + [("nvidia-cuda-runtime-cu12==12.4.127", "libcudart.so.12")] * (int(o.driver) >= 550)
    for package, library in wheels:
        real.unpack_wheel(o, package, machine.home / "wheel")
        start = lambda **more: json.loads(machine.run(sys.executable, "-c", RUNTIME, machine.home / "wheel/nvidia/cuda_runtime/lib" / library, result, *inputs, **more))
        result.write_bytes(container(machine_code(35)))
        for more, early in (({}, not lazy), ({"CUDA_MODULE_LOADING": "EAGER"}, True)):
            shutil.rmtree(machine.cache, ignore_errors=True)
            check(start(**more) == [0, 2 * early, 2], f"{library}: a result without code", more)
            check(start(**more) == [0, 0, 0], f"{library}: again", more)
        shutil.rmtree(machine.cache)
        result.write_bytes(container(code_item(code.read_bytes(), int(o.gpu[3:5]))))
        check(start() == [0, 0, 0], f"{library}: a result with code")
        for _ in range(2):
            check(start(CUDA_FORCE_PTX_JIT="1")[0] == 0 and forced(machine, 2), f"{library}: ignored, the inputs are linked", machine.entries().keys())


def mixed(o):
    """F89, F94: an input with machine code for this GPU (libcudadevrt's is one) beside one of PTX alone. The driver compiles that one, and links
    both; with CUDA_FORCE_PTX_JIT the PTX of both, also where the result has machine code."""
    why_not(o)
    machine, sm = Machine(o), int(o.gpu[3:5])
    file = machine.home / "app.so"
    file.write_bytes(linked(container(item(HELPER))))
    helper = code_of(machine, file, sm)
    both = [container(item(CALLER)), container(helper + item(HELPER))]
    for inputs, settings in (([both[0], container(helper)], [{}]), (both, [{}, {"CUDA_FORCE_PTX_JIT": "1"}])):
        file.write_bytes(linked(*inputs))
        for setting in settings:
            shutil.rmtree(machine.cache, ignore_errors=True)
            cold = start(machine, file, **setting)
            own = machine.entries()
            if setting:
                check(cold["answer"] == 0 and forced(machine, 2), "the driver compiles both", (cold, own.keys()))
                check(start(machine, file, **setting)["new_entries"] == cold["new_entries"], "again, at each start")
                machine.jitwarm("prime", "--check", file, expect=(1,), **setting)
                continue
            check((cold["answer"], cold["new_entries"]) == (0, 1), "the driver compiles the one without machine code", cold)
            shutil.rmtree(machine.cache)
            machine.jitwarm("prime", "--check", file, expect=(1,))
            link, = json.loads(machine.jitwarm("prime", "--json", "--yes", file))["verify"]["links"]
            check(machine.entries() == own and not start(machine, file)["new_entries"], "prime makes what the program makes")
            machine.jitwarm("prime", "--check", file)
            check(link["inputs"] == 2 and link["milliseconds"], "the link of both", link)
    check(scan(machine, file)["inputs_native"] == 1, "scan", scan(machine, file))
    # what it takes is seen where the two differ: the PTX has not what the other input calls
    file.write_bytes(linked(both[0], container(helper + item(HELPER.replace("helper", "other")))))
    check(start(machine, file)["answer"] == 0 and start(machine, file, CUDA_FORCE_PTX_JIT="1")["answer"] != 0, "machine code; and PTX alone where it is forced")


def newer(o):
    """F76, F89: PTX that is newer than the driver in one input: its link ends with error 222, and scan says blocked."""
    why_not(o)
    machine = Machine(o)
    file = machine.home / "app.so"
    later = HELPER.replace(".version 6.0", ".version 9.9")
    image = bytearray(item(later))
    struct.pack_into("<HH", image, 24, 9, 9)
    file.write_bytes(linked(container(item(CALLER)), container(bytes(image))))
    verdict = scan(machine, file)
    check(start(machine, file)["answer"] in (222, 218) and verdict["verdict"] in ("blocked", "links"), "the link fails", verdict)
    check(machine.run(o.tool, "prime", "--check", file, expect=(1,)) is not None, "and is not warm")


def shipped(o):
    """What was compiled of inputs travels: push and pull by a folder, and from a machine without a GPU by the driver's files; the bytes are those
    of the program's own start."""
    why_not(o)
    builder, user = Machine(o), Machine(o)
    files = [m.home / "app.so" for m in (builder, user)]
    place, key = builder.home / "place", builder.home / "signer"
    for file in files:
        file.write_bytes(linked(container(item(CALLER)), container(item(HELPER))))
    check(start(user, files[1])["new_entries"] == 2, "its own start")
    own = user.entries()
    builder.jitwarm("key", "--new", key, "--no-passphrase")
    folder = builder.run("sh", "-c", "echo ${LD_LIBRARY_PATH%%:*}").strip()
    builder.jitwarm("push", place, files[0], "--gpu", o.gpu, "--driver-files", folder, "--sign", key)
    for again in range(2):
        shutil.rmtree(user.cache)
        user.jitwarm("pull", place, files[1], "--trust", f"{key}.pub")
        check(user.entries() == own, "the same bytes", (again, sorted(user.entries()), sorted(own)))
        check(not start(user, files[1])["new_entries"], "its start compiles nothing")
        user.jitwarm("prime", "--check", files[1])
        builder.jitwarm("prime", "--yes", files[0])
        shutil.rmtree(place)
        builder.jitwarm("push", place, "--sign", key)


def watch(o):
    """doctor --watch says of a program that links what is in its cache that it links, with the processor time, and of the same program
    with one entry less that the driver compiled for it."""
    why_not(o)
    machine = Machine(o)
    file = machine.home / "app.so"
    file.write_bytes(linked(container(item(CALLER)), container(item(HELPER))))
    machine.jitwarm("prime", "--yes", file)
    machine.play()

    def watched():
        with subprocess.Popen([o.tool, "doctor", "--watch", "--json"], env=machine.played, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as live:
            try:
                check("watching" in live.stderr.readline(), "it watches")
                program = subprocess.Popen([sys.executable, LINKER, file, "--nap", "600"], env=machine.played, text=True, stdout=subprocess.PIPE)
                own = json.loads(program.stdout.readline())
                events = [json.loads(live.stdout.readline())]
                program.terminate()
                program.communicate(timeout=60)
                while events[-1]["event"] != "ended":
                    events.append(json.loads(live.stdout.readline()))
                live.send_signal(signal.SIGINT)
                live.communicate(timeout=60)
                return own, events[-1], live.returncode
            finally:
                live.kill()

    own, seen, code = watched()
    check(not own["new_entries"] and (seen["cause"], seen["new_entries"], seen["why"], code) == ("links", 0, str(file), 0), "a link", (own, seen, code))
    next(iter(machine.cache.glob("?/?/*"))).unlink()
    own, seen, code = watched()
    check(own["new_entries"] == 1 and (seen["cause"], seen["new_entries"], code) == ("cold", 1, 1), "a compile", (own, seen, code))


def compiles(o):
    """doctor --watch says of a program whether the driver compiled for it, kept nothing because the limit is too small, or
    refused its PTX (error 218), which is left to the program's own words."""
    why_not(o)
    machine = Machine(o)
    good, broken = (machine.home / f"{name}.so" for name in ("good", "broken"))
    good.write_bytes(elf(**{".nv_fatbin": container(item(KERNEL, options=""))}))
    broken.write_bytes(elf(**{".nv_fatbin": container(item(KERNEL.replace("st.global.b32", "st.no.such"), options=""))}))
    machine.play()

    def watched(file, **variables):
        environment = dict(machine.played, **variables)
        with subprocess.Popen([o.tool, "doctor", "--watch", "--json"], env=machine.played, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as live:
            try:
                check("watching" in live.stderr.readline(), "it watches")
                program = subprocess.Popen([sys.executable, "-c", HOLDS, LOADER_OF_FILES, file, "--nap", "600"], env=environment, text=True, stdout=subprocess.PIPE)
                own = json.loads(program.stdout.readline())
                events = [json.loads(live.stdout.readline())]
                program.terminate()
                program.communicate(timeout=60)
                while events[-1]["event"] != "ended":
                    events.append(json.loads(live.stdout.readline()))
                live.send_signal(signal.SIGINT)
                live.communicate(timeout=60)
                return own, events[-1]
            finally:
                live.kill()

    own, seen = watched(good, CUDA_CACHE_MAXSIZE="100")
    check((seen["cause"], seen["new_entries"], seen["setting"]) == ("disabled", 0, "CUDA_CACHE_MAXSIZE=100"), "a limit of nothing", (own, seen))
    own, seen = watched(good)
    check((seen["cause"], seen["new_entries"]) == ("cold", 1), "a compile", (own, seen))
    own, seen = watched(broken)
    check((seen["cause"], seen["new_entries"]) == ("unknown", 0), "what is no PTX", (own, seen))


def copies(o):
    """Entries of inputs travel in packs as those of modules, and are proven on the other machine; those of another build of the driver are
    made again from their own PTX."""
    why_not(o)
    one, other = Machine(o), Machine(o)
    file, pack, key = one.home / "app.so", one.home / "x.tar.zst", one.home / "signer"
    file.write_bytes(linked(container(item(CALLER)), container(item(HELPER))))
    one.jitwarm("prime", "--yes", file)
    one.jitwarm("key", "--new", key, "--no-passphrase")
    one.jitwarm("export", "-o", pack, "--sign", key)
    other.jitwarm("import", pack, "--trust", f"{key}.pub", "--everything")
    check(len(one.entries()) == 2 and other.entries() == one.entries(), "two machines, the same bytes", sorted(other.entries()))
    check(not start(other, file)["new_entries"], "the other's program compiles nothing")


def crash(o):
    """An input of which the driver dies, or that it refuses (0xff in its text: 550 and newer die, as the program does without jitwarm): it costs that input alone,
    and where no file is named, it is not tried again."""
    why_not(o)
    machine = Machine(o)
    file = machine.home / "app" / "app.so"
    file.parent.mkdir()
    bad = bytearray(container(item(HELPER)))
    bad[-60:-20] = b"\xff" * 40
    file.write_bytes(linked(container(item(CALLER)), bytes(bad)))
    dies = int(o.driver) >= 550
    if not dies:
        check(start(machine, file)["answer"] == 218, "its own start")
    else:
        machine.run(sys.executable, LINKER, file, expect=(139, -11))
    shutil.rmtree(machine.cache, ignore_errors=True)
    answer = json.loads(machine.jitwarm("prime", "--json", "--yes", file, expect=(1,)))
    states = sorted(job["state"] for job in answer["jobs"])
    check(states == ["crashed" if dies else "failed", "warmed"], "prime", states)
    check(dies or "ptxas" in next(job["log"] for job in answer["jobs"] if job["state"] == "failed"), "its words", answer["jobs"])
    link, = answer["verify"]["links"]
    check(link["why"] == "not all of its inputs are in the cache" and link["milliseconds"] is None, "no link is made of the rest", link)
    answer = json.loads(machine.jitwarm("prime", "--json", "--yes", file.parent, expect=(1,)))
    states = sorted(job["state"] for job in answer["jobs"])
    check(states == ["skipped", "warm"], "again", states)
    for place in (file, file.parent):
        machine.jitwarm("prime", "--check", place, expect=(1,))
        machine.jitwarm("verify", place, expect=(1,))


def thousand(o):
    """A thousand inputs: a thousand jobs, and one link that adds no entry."""
    why_not(o)
    machine = Machine(o)
    file = machine.home / "app.so"
    file.write_bytes(linked(*(container(item(HELPER.replace("helper", f"helper{n}"))) for n in range(1000))))
    answer = json.loads(machine.jitwarm("prime", "--json", "--yes", file, patience=1200))
    link, = answer["verify"]["links"]
    check((answer["counts"]["warmed"], link["inputs"], link["fails"]) == (1000, 1000, False) and link["milliseconds"], "prime", link)
    warm = start(machine, file)
    check((warm["answer"], warm["inputs"], warm["new_entries"]) == (0, 1000, 0), "its link", warm)
    machine.jitwarm("prime", "--check", file)


def of(python, implementation="cp"):
    abi = f"cp{python}m" if int(python[1:]) < 8 else f"cp{python}"
    return "--python-version", python, "--implementation", implementation, "--abi", abi


# Wheel, library, its inputs, what pip is given: tests/real/judge.py has each linked. TensorFlow: 113 entries of its inputs, and 242 of modules;
# minutes of compiling.
LIBRARIES = {
    "nccl": ("cupy-cuda90==5.4.0", "cupy/_lib/libnccl.so.2", 21, of("36"), "manylinux1_x86_64"),
    "tensorflow": ("tensorflow==2.4.1", "tensorflow/python/_pywrap_tensorflow_internal.so", 217, of("38"), "manylinux2010_x86_64"),
    "k2": ("k2==1.23.4", "k2-1.23.4.data/platlib/_k2.cpython-39-x86_64-linux-gnu.so", 21, (), "manylinux1_x86_64"),
    "k2-context": ("k2==1.23.4", "k2-1.23.4.data/platlib/k2/lib/libk2context.so", 34, (), "manylinux1_x86_64"),
    "bitsandbytes": ("bitsandbytes==0.43.3", "bitsandbytes/libbitsandbytes_cuda117.so", 2, (), "manylinux_2_24_x86_64"),
    "bitsandbytes-windows": ("bitsandbytes==0.43.3", "bitsandbytes/libbitsandbytes_cuda117.dll", 2, (), "win_amd64"),
    "xgboost-0.82": ("xgboost==0.82", "xgboost/lib/libxgboost.so", 21, (), "manylinux1_x86_64"),
    "xgboost-0.90": ("xgboost==0.90", "xgboost/lib/libxgboost.so", 22, (), "manylinux1_x86_64"),
    "xgboost": ("xgboost==1.2.1", "xgboost/lib/libxgboost.so", 182, (), "manylinux2010_x86_64"),
    "h2o4gpu": ("h2o4gpu==0.4.1", "h2o4gpu-0.4.1.data/purelib/xgboost/lib/libxgboost.so", 181, of("36"), "manylinux1_x86_64"),
    "gpu4pyscf": ("gpu4pyscf-cuda11x==1.9.0", "gpu4pyscf/lib/libgvhf_rys.so", 25, (), "manylinux_2_17_x86_64"),
    "cntk-nccl": ("cntk-gpu==2.7", "cntk/libs/libnccl.so.2", 21, of("36"), "manylinux1_x86_64"),
    "cufft": ("nvidia-cufft-cu11==10.9.0.58", "nvidia/cufft/lib/libcufft.so.10", 4, (), "manylinux1_x86_64"),
    "cutensornet": ("cutensornet-cu11==2.8.0", "cuquantum/lib/libcutensornet.so.2", 2, (), "manylinux2014_x86_64"),
    "dali": ("nvidia-dali-cuda110==1.34.0", "nvidia/dali/libdali_kernels.so", 32, (), "manylinux2014_x86_64"),
    "nccl-cu13": ("nvidia-nccl-cu13==2.28.9", "nvidia/nccl/lib/libnccl.so.2", 127, (), "manylinux_2_18_x86_64"),
    "pyuipc": ("pyuipc==0.0.5", "uipc/_native/libuipc_backend_cuda.so", 157, of("311"), "manylinux_2_34_x86_64"),
    "nvshmem-cu11": ("nvidia-nvshmem-cu11==3.2.5", "nvidia/nvshmem/lib/libnvshmem_host.so.3", 27, (), "manylinux2014_x86_64"),
    "nvshmem": ("nvidia-nvshmem-cu12==3.1.7", "nvidia/nvshmem/lib/libnvshmem_host.so.3", 27, (), "manylinux2014_x86_64"),
    "paddle": ("paddlepaddle-gpu==2.5.2", "paddle/fluid/libpaddle.so", 7, of("38"), "manylinux1_x86_64"),
}


def cannot_run(o):
    """PaddlePaddle 2.5.2 on an H100: of 736 modules one has code for it. Said of the wheel as of the file, and never that this is normal."""
    why_not(o)
    machine = Machine(o)
    wheel, inside, _, python, platform = LIBRARIES["paddle"]
    real.unpack_wheel(o, wheel, machine.home / "wheel", *python, platform=platform)
    packed = next((pathlib.Path(o.work) / "wheels").glob("paddlepaddle_gpu-2.5.2-*.whl"))
    for file in (packed, machine.home / "wheel" / inside):
        said = " ".join(machine.jitwarm("scan", "--gpu", "sm_90", file).split())
        check("1 of 736" in said and "none" in said and "normal" not in said, "scan", said)
        verdict, = [f for f in json.loads(machine.jitwarm("scan", "--json", "--gpu", "sm_90", file))["files"] if f["path"].endswith("libpaddle.so")][0]["verdicts"]
        check((verdict["verdict"], verdict["mostly_none"], verdict["native"], verdict["none"]) == ("none", True, 1, 735), "scan --json", verdict)
        machine.jitwarm("scan", "--check", "--gpu", "sm_90", file, expect=(1,), patience=600)


if __name__ == "__main__":
    real.CASES = {"made": made, "mixed": mixed, "runtime": runtime, "newer": newer, "shipped": shipped, "watch": watch, "compiles": compiles, "copies": copies, "crash": crash, "thousand": thousand, "cannot-run": cannot_run}
    sys.exit(real.main())
