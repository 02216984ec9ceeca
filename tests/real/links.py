#!/usr/bin/env python3
"""links.py CASE (the options of real.py)
What the driver links at load: scan says it, prime compiles the inputs, and a program that shares no code with jitwarm (linker.py) finds
all of it. Real drivers over src/phantom."""
import json
import pathlib
import shutil
import struct
import sys

import real
from real import Machine, check, container, why_not

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
    to the byte; an input of which nothing fits makes the link fail, and scan says none."""
    why_not(o)
    machine = Machine(o, alone=True)
    file = machine.home / "app.so"
    file.write_bytes(linked(container(item(CALLER)), container(item(HELPER, packed=False))))
    doors = ["link", "library"] if int(o.driver) >= 550 else ["link"]
    for door in doors:
        shutil.rmtree(machine.cache, ignore_errors=True)
        cold = start(machine, file, door)
        check(cold["answer"] == 0 and cold["new_entries"] == 2 and cold["compiler"], f"cold by {door}: two entries", cold)
        own = machine.entries()
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
    check(all(p["inputs"] == 2 and not p["misses"] and not p["new_entries"] for p in proof["passes"]), "verify", proof)
    for door in doors:
        warm = start(machine, file, door)
        check(warm["answer"] == 0 and not warm["new_entries"], f"primed, by {door}: no entry", warm)
    check(machine.entries() == own, "and nothing was changed")
    verdict = scan(machine, file)
    # scan does not know that older drivers end PTX at its first NUL (F13), of modules neither
    check(int(o.driver) < 460 or (verdict["verdict"], verdict["jit"], verdict["warm"]) == ("links", 0, 2), "scan, warm", verdict)
    # a program that links opens the compiler, and is seen to compile nothing
    command = [sys.executable, LINKER, file, "--door", doors[-1], "--nap", "0.5"]
    said = machine.jitwarm("verify", "--json", "--run", *command)
    seen = json.loads(said[said.index("\n"):])["run"]
    check(seen["compiled"] == "nothing" and seen["links"] and seen["processes"][0]["compiled"], "verify --run", seen)
    # one is gone: false if it said warm
    next(iter(machine.cache.glob("?/?/*"))).unlink()
    machine.jitwarm("prime", "--check", file, expect=(1,))
    said = machine.jitwarm("verify", "--json", "--run", *command, expect=(1,))
    seen = json.loads(said[said.index("\n"):])["run"]
    check((seen["compiled"], seen["new_entries"], seen["links"]) == ("compiled", 1, False), "the driver compiles that one", seen)
    # an input without anything for this GPU
    lame = machine.home / "lame.so"
    lame.write_bytes(linked(container(item(CALLER)), container(machine_code(35))))
    check(scan(machine, lame)["verdict"] == "none" and start(machine, lame)["answer"], "a link that fails is none", scan(machine, lame))
    # of a native result no input is looked at
    native = machine.home / "native.so"
    native.write_bytes(linked(container(item(CALLER.replace("caller", "other"))), result=container(machine_code(int(o.gpu[3:5])))))
    check(scan(machine, native)["verdict"] == "native", "native", scan(machine, native))


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


def nccl(o):
    """libnccl.so.2 2.3.7 of the wheel cupy-cuda90 5.4.0: 21 inputs behind one result."""
    why_not(o)
    machine = Machine(o)
    folder = machine.home / "wheel"
    real.unpack_wheel(o, "cupy-cuda90==5.4.0", folder, "--python-version", "36", "--implementation", "cp", "--abi", "cp36m",
                      platform="manylinux1_x86_64")
    file = folder / "cupy/_lib/libnccl.so.2"
    check((scan(machine, file)["links"], scan(machine, file)["inputs"]) == (1, 21), "scan", scan(machine, file))
    machine.jitwarm("prime", "--check", file, expect=(1,), patience=600)
    machine.jitwarm("prime", "--yes", file, patience=1200, CUDA_CACHE_MAXSIZE="4294967296")
    machine.jitwarm("prime", "--check", file, patience=600)
    warm = start(machine, file, "library" if int(o.driver) >= 550 else "link", CUDA_CACHE_MAXSIZE="4294967296")
    check(warm["answer"] == 0 and warm["inputs"] == 21 and not warm["new_entries"], "its link adds no entry", warm)
    print(json.dumps(warm))


if __name__ == "__main__":
    real.CASES = {"made": made, "copies": copies, "nccl": nccl}
    sys.exit(real.main())
