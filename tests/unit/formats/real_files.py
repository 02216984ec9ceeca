#!/usr/bin/env python3
"""real_files.py LIST_ENTRIES GEN_SAMPLES DIR: containers in files that a real compiler, linker,
archiver and strip made, in all the ways in which builds treat them. What there are no tools for is
skipped, and said."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys

ASSEMBLY = """
    .section .nv_fatbin, "a"
    .p2align 3
first:  .incbin "one.fatbin"
    .p2align 3
second: .incbin "two.fatbin"
    .section .nvFatBinSegment, "aw"
    .p2align 3
    .long 0x466243B1, 1
    .quad first, 0
    .long 0x466243B1, 1
    .quad second, 0
    .section .note.GNU-stack, "", @progbits
"""
C = "int answer[1000]; int f(void) { return answer[0]; }\n"
SCRIPT = """
SECTIONS {
    .nvFatBinSegment : { *(.nvFatBinSegment) }
    .nv_fatbin : { *(.nv_fatbin) }
} INSERT AFTER .bss;
"""


class Work:
    def __init__(self, list_entries, folder):
        self.list_entries, self.folder, self.wrong, self.checked = list_entries, pathlib.Path(
            folder), 0, 0

    def run(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            print("  could not: " + " ".join(command) + "\n" + done.stderr[:500])
        return done.returncode == 0

    def check(self, name, containers, wrappers=None):
        answer = subprocess.run([self.list_entries, name], cwd=self.folder, capture_output=True,
                                text=True, check=False)
        lines = [line.split() for line in answer.stdout.splitlines()]
        found = [line for line in lines if line[0] == "container"]
        labelled = sum(line[3] != "0" for line in found)
        targets = sorted(line[2] for line in lines if line[0] == "entry")
        want = sorted(["compute_75", "sm_86", "compute_80"] * (containers // 2))
        problems = [line for line in lines if line[0] in ("problem", "error")]
        good = (len(found) == containers and targets == want and not problems
                and not answer.returncode and (wrappers is None or labelled == wrappers))
        self.checked += 1
        if not good:
            self.wrong += 1
            print(f"{name}: wanted {containers} containers, {wrappers} labelled; got")
            print(answer.stdout)


def prepare(work, gen_samples):
    """Two containers as files: the halves of a generated one, by the size in its header."""
    subprocess.run([gen_samples, work.folder / "samples"], check=True)
    whole = (work.folder / "samples/elf/lld-zero-wrappers.so").read_bytes()
    at = whole.index(b"\x50\xed\x55\xba\x01\x00\x10\x00")
    for name in ("one.fatbin", "two.fatbin"):
        size = 16 + struct.unpack_from("<Q", whole, at + 8)[0]
        (work.folder / name).write_bytes(whole[at:at + size])
        at += size
    (work.folder / "k.s").write_text(ASSEMBLY)
    (work.folder / "f.c").write_text(C)
    (work.folder / "after_bss.ld").write_text(SCRIPT)


def linked(work, cc, name, *options, wrappers=2):
    if work.run(cc, "-shared", "-o", name, "k.o", "f.o", *options):
        work.check(name, 2, wrappers)
        return True
    return False


def treated(work, name, wrappers):
    """What is done to a library after it was linked."""
    if shutil.which("strip") and work.run("strip", "-s", "-o", "stripped-" + name, name):
        work.check("stripped-" + name, 2, wrappers)
    if shutil.which("objcopy"):
        if work.run("objcopy", "--only-keep-debug", name, name + ".debug"):
            work.check(name + ".debug", 0)
        if work.run("objcopy", "--compress-debug-sections", name, "z-" + name):
            work.check("z-" + name, 2, wrappers)
    data = bytearray((work.folder / name).read_bytes())
    table = struct.unpack_from("<Q", data, 0x28)[0]
    struct.pack_into("<Q", data, 0x28, 0)
    struct.pack_into("<HHH", data, 0x3a, 0, 0, 0)
    (work.folder / ("sstripped-" + name)).write_bytes(data[:table])
    work.check("sstripped-" + name, 2)


def main():
    list_entries, gen_samples, folder = sys.argv[1:]
    cc = next((c for c in ("gcc", "clang", "cc") if shutil.which(c)), None)
    if not cc or os.uname().machine != "x86_64":
        print("SKIP: no C compiler for x86-64")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    work = Work(list_entries, folder)
    prepare(work, gen_samples)
    if not (work.run(cc, "-c", "k.s", "-o", "k.o")
            and work.run(cc, "-fPIC", "-c", "f.c", "-o", "f.o")):
        print("SKIP: the C compiler does not work")
        return 77
    work.check("k.o", 2, 0)
    if linked(work, cc, "libbfd.so", "-fuse-ld=bfd"):
        treated(work, "libbfd.so", 2)
        linked(work, cc, "libafter.so", "-fuse-ld=bfd", "-Wl,-T,after_bss.ld")
    lld = next((name for name in ("ld.lld", "ld.lld-14") if shutil.which(name)), None)
    if lld:
        if work.run(lld, "-shared", "-o", "liblld.so", "k.o", "f.o"):
            work.check("liblld.so", 2, 2)
            treated(work, "liblld.so", 2)
    else:
        print("skipped: lld is not here")
    if shutil.which("ld.gold"):
        linked(work, cc, "libgold.so", "-fuse-ld=gold")
    else:
        print("skipped: gold is not here")
    print(f"{work.checked} files checked, {work.wrong} wrong")
    return 1 if work.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
