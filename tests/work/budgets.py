#!/usr/bin/env python3
"""budgets.py --tool JITWARM --gen SAMPLES --modules GEN_MODULES --sim FOLDER [ROW...]: no verb does
more work than its row allows.

Time differs from machine to machine; counts do not (src/base/work.h). A row is a set-up, a command
and the most that it may count. A budget is a tenth above what was counted when the row was written,
that of memory a quarter (--show); a change that has a reason to raise one does so in the same
commit. A count that is not in a row is not limited. `peak_mib` is the largest process of the
command. With ROWs, only these; with --show, what each counts now. With --corpus, scans of the files
of scripts/fetch-corpus instead; exit 77: none is here.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

MIB = 1 << 20
# 6,000 syncs of a disk that others use take half a minute; barriers, and so these numbers, differ
# by file system.
MEMORY = "/dev/shm"


def write_library(path, sections):
    """An ELF of these sections: (name, bytes or a size of zeros). Zeros are holes."""
    names, out, table = b"\0", 64, [(0,) * 10]
    with open(path, "wb") as file:
        for name, data in sections:
            size = data if isinstance(data, int) else len(data)
            out = -(-out // 64) * 64
            table.append((len(names), {".dynsym": 11, ".dynstr": 3}.get(name, 1),
                          6 if name == ".text" else 2, out, out, size, 0, 0, 64, 0))
            names += name.encode() + b"\0"
            if not isinstance(data, int):
                file.seek(out)
                file.write(data)
            out += size
        table.append((len(names), 3, 0, 0, out, len(names) + 11, 0, 0, 1, 0))
        names += b".shstrtab\0\0"
        file.seek(out)
        file.write(names)
        out = -(-(out + len(names)) // 8) * 8
        file.seek(out)
        file.write(b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in table))
        file.seek(0)
        file.write(
            struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 0, out, 0, 64, 0, 0, 64,
                        len(table),
                        len(table) - 1))


class Machine:
    """One folder, one home, one simulated GPU, which the system lists. Its driver is in the folder:
    jitwarm writes down the driver's path, and a checkout's path may have any length."""

    def __init__(self, opt, folder):
        self.opt, self.folder = opt, folder
        for name in ("home", "root", "driver"):
            (folder / name).mkdir()
        for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
            if opt.sim:
                shutil.copy(opt.sim / name, folder / "driver" / name)
        bus = folder / "root/sys/bus/pci/devices/0000:01:00.0"
        bus.mkdir(parents=True)
        for name, text in (("vendor", "0x10de"), ("class", "0x030000"), ("device", "0x2484")):
            (bus / name).write_text(text)
        module = folder / "root/proc/driver/nvidia/version"
        module.parent.mkdir(parents=True)
        module.write_text(
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.126.09  Tue Jan  1 00:00:00 UTC "
            "2026\n"
        )
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8",
            "container": "jitwarm-tests", "XDG_STATE_HOME": str(folder / "state"),
            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
            "JITWARM_DRIVER": str(folder / "driver/libcuda.so.1"),
            "JITWARM_SYSROOT": str(folder / "root"), "JITWARM_WORK": str(folder / "work")
        }

    def run(self, *args, code=0):
        """Counts of all processes of this command, and what it printed."""
        work, out = self.folder / "work", self.folder / "out"
        work.unlink(missing_ok=True)
        argv = [str(self.opt.tool), *map(str, args)]
        with open(out, "wb") as to:
            files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                     (os.POSIX_SPAWN_DUP2, to.fileno(), 1), (os.POSIX_SPAWN_DUP2, to.fileno(), 2)]
            here = os.getcwd()
            os.chdir(self.folder)
            pid = os.posix_spawn(argv[0], argv, self.env, file_actions=files)
            os.chdir(here)
            _, status = os.waitpid(pid, 0)
        said = out.read_text(encoding="utf-8", errors="replace")
        if os.waitstatus_to_exitcode(status) != code:
            sys.exit(
                f"{' '.join(argv)}: exit {os.waitstatus_to_exitcode(status)}, not {code}\n{said}")
        lines = [json.loads(line) for line in work.read_text(encoding="utf-8").splitlines()]
        counts = {name: sum(line[name] for line in lines) for name in lines[0]}
        counts["folders_listed"] -= counts[
            "process_lists"]  # a slow machine looks at its processes more often
        counts["peak_mib"] = max(line["peak_bytes"] for line in lines) / MIB
        return counts, said

    def sample(self, name):
        return (self.opt.gen / name).read_bytes()


def padded(fat):
    return fat + bytes(-len(fat) % 8)


def a_library(m):
    """290 MiB: 400 containers where they are usual, and 123 MiB that hold none and are searched,
    tables of the linker among them."""
    write_library(m.folder / "lib.so",
                  [(".dynsym", MIB // 2), (".dynstr", MIB // 2), (".text", 160 * MIB),
                   (".rodata", 80 * MIB),
                   (".nv_fatbin", padded(m.sample("fatbin/layout-12.5.fatbin")) * 400),
                   (".eh_frame", 8 * MIB), (".data", 2 * MIB), (".ldata", 32 * MIB),
                   (".debug_info", 8 * MIB)])


def a_library_with_data(m):
    """180 MiB: 30 containers among 12 MiB of data."""
    fat, noise = padded(m.sample("fatbin/layout-12.5.fatbin")), bytes(range(1, 251)) * 1024
    write_library(m.folder / "lib.so", [(".text", 160 * MIB), (".rodata", 8 * MIB),
                                        (".data", noise + fat * 20),
                                        (".ldata", noise * 8 + fat * 10), (".lrodata", 2 * MIB),
                                        (".debug_info", 8 * MIB)])


def a_tree(m):
    """50 folders of 20 small files, three libraries among them."""
    for i in range(50):
        folder = m.folder / f"tree/{i % 7}/{i}"
        folder.mkdir(parents=True)
        for k in range(20):
            (folder / f"{k}.py").write_text("import this\n" * 400)
    for name in ("registered.so", "only-ptx.so", "lazy.so"):
        shutil.copy(m.opt.gen / "elf" / name, m.folder / "tree/3")


def a_wheel(m):
    """200 members without code, and a library of 8 MiB."""
    library, dice = m.folder / "lib8.so", random.Random(7)
    fat = m.sample("fatbin/layout-12.5.fatbin")
    write_library(library, [(".text", dice.randbytes(1 << 16) * 100),
                            (".nv_fatbin", (fat + bytes(-len(fat) % 8)) * 100), (".data", 2 * MIB)])
    with zipfile.ZipFile(m.folder / "app-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for i in range(200):
            wheel.writestr(f"app/{i}.py", dice.randbytes(8000).hex())
        wheel.write(library, "app/lib.so")


def a_large_wheel(m):
    """One member of 330 MiB, whose noise no level makes smaller: data before its containers, and
    what no program has in memory behind them."""
    library, noise = m.folder / "large.so", random.Random(7).randbytes(1 << 16)
    write_library(library, [(".rodata", noise * 960), (".text", noise * 1600),
                            (".nv_fatbin", padded(m.sample("fatbin/layout-12.5.fatbin")) * 400),
                            (".data", 2 * MIB), (".debug_info", noise * 2560)])
    with zipfile.ZipFile(m.folder / "app-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED,
                         compresslevel=0) as wheel:
        wheel.write(library, "app/lib.so")
    library.unlink()


def two_wheels(m):
    """Of modules of the same sizes, one of them in both, so that in the order of compilation one of
    them follows one of the other wheel."""
    (m.folder / "wheels").mkdir()
    for i in range(2):
        subprocess.run([m.opt.modules, m.folder / "many.so", "20", "300", "600",
                        str(i)], check=True, stdout=subprocess.DEVNULL)
        with zipfile.ZipFile(m.folder / f"wheels/app{i}-1.0-py3-none-any.whl", "w",
                             zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(m.folder / "many.so", f"app{i}/many.so")


def two_libraries(m):
    (m.folder / "lib").mkdir()
    for name in ("registered.so", "only-ptx.so"):
        shutil.copy(m.opt.gen / "elf" / name, m.folder / "lib")
    time.sleep(
        0.1)  # a file that is younger than the clock of its file system allows is not remembered


def primed(m):
    two_libraries(m)
    m.run("prime", "--as-root", "-j", "1", "-q", "lib")


# A real library's size: llama.cpp's for CUDA has 86 modules, PyTorch's 555.
def modules(m, n):
    (m.folder / "lib").mkdir()
    subprocess.run([m.opt.modules, m.folder / "lib/many.so",
                    str(n), "300", "600", "1"], check=True, stdout=subprocess.DEVNULL)
    shutil.copy("/bin/true", m.folder / "lib/none.so")  # a file without code
    time.sleep(0.1)  # as above


def primed_555(m):
    modules(m, 555)
    m.run("prime", "--as-root", "-j", "2", "-q", "lib")


def without_ledger(m):
    primed_555(m)
    shutil.rmtree(m.folder / "state/jitwarm/ledger")


def without_memory(m):
    primed_555(m)
    shutil.rmtree(m.folder / "state")


def cold_555(m):
    primed_555(m)
    shutil.rmtree(m.folder / "home/.nv")


def refused_555(m):
    cold_555(m)
    m.env["SIMCUDA_FAULTS"] = "badptx@*"


def one_cold(m):
    primed_555(m)
    entry = min(p for p in (m.folder / "home/.nv/ComputeCache").glob("?/?/*") if p.is_file())
    entry.unlink()


LOAD = """import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(ctypes.c_void_p()), 0, 0)
cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), open(sys.argv[1], "rb").read() + bytes(1))
"""


def recorded(m):
    """A command whose module is in no file that is mapped."""
    del m.env["JITWARM_DRIVER"]
    m.env["LD_LIBRARY_PATH"] = str(m.folder / "driver")
    (m.folder / "load.py").write_text(LOAD)
    (m.folder / "k.ptx").write_text(
        ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry add()\n{\n    ret;\n}\n")
    m.run("prime", "--as-root", "-q", "--run", sys.executable, "load.py", "k.ptx")


def a_home(m):
    """300 folders of 10 files, and an environment with code."""
    for i in range(300):
        folder = m.folder / f"home/p{i // 100}/q{i // 10 % 10}/r{i % 10}"
        folder.mkdir(parents=True)
        for k in range(10):
            (folder / f"{k}.txt").touch()
    site = m.folder / "home/tf/lib/python3.8/site-packages"
    site.mkdir(parents=True)
    (m.folder / "home/tf/pyvenv.cfg").touch()
    shutil.copy(m.opt.gen / "elf/only-ptx.so", site)
    time.sleep(0.1)  # as above
    m.run("prime", "--as-root", "--yes", "-q")


def packed(m):
    primed(m)
    m.run("export", "-q", "-o", "app.tar.zst")


def many(m):
    """2,000 modules, primed and exported, into a folder, too. Its rows share a machine: none of
    them changes what another one counts."""
    modules(m, 2000)
    m.run("prime", "--as-root", "-j", "2", "-q", "lib")
    m.run("export", "-q", "-o", "many.tar.zst")
    (m.folder / "layout").mkdir()
    m.run("export", "-q", "-o", "layout")


def many_files(m):
    """500 files without code, and one with it."""
    (m.folder / "n").mkdir()
    (m.folder / "n" / "k.ptx").write_text(
        ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry add()\n{\n    ret;\n}\n")
    for i in range(500):
        (m.folder / "n" / f"{i}.py").write_text("import torch")


def large_texts(m):
    """Two modules of 300 MiB as unpacked: zstd, a text and blanks."""
    text, block = b".version 8.4\n.target sm_86\n.address_size 64\n.entry k() { ret; }\n", 1 << 17
    plain = len(text) + 2400 * block
    frame = struct.pack("<IBBI", 0xFD2FB528, 0x80, 0x38, plain) + (len(text) << 3).to_bytes(
        3, "little") + text
    frame += b"".join(
        (block << 3 | 2 | (i == 2399)).to_bytes(3, "little") + b" " for i in range(2400))
    entry = struct.pack("<HHIQIIHHIIIQQQ", 1, 0x101, 64, len(padded(frame)), len(frame), 0, 4, 8,
                        86, 0, 0, 0x8011, 0, plain) + padded(frame)
    for name in "a.fatbin", "b.fatbin":
        (m.folder / name).write_bytes(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry)


def large_zst(m):
    """Texts of 150 MiB, packed to a few KiB."""
    text = b".version 8.4\n.target sm_86\n.address_size 64\n.entry k() { ret; }\n" + b" " * (150 *
                                                                                             MIB)
    for name in "ab":
        (m.folder / name).mkdir()
        subprocess.run(
            ["zstd", "-q", "--stream-size",
             str(len(text)), "-o", m.folder / name / "k.ptx.zst"], input=text, check=True)


# name, set-up, command, words that the answer must have, budget
ROWS = [
    ("scan of a library", a_library, ("scan", "--gpu", "sm_86", "--json", "lib.so"),
     ['"modules": 400'], {
         "files_opened": 6, "folders_listed": 2, "reads": 2400, "bytes_read": 152000000,
         "peak_mib": 5
     }),
    ("scan of a library with containers among its data", a_library_with_data,
     ("scan", "--gpu", "sm_86", "--json", "lib.so"), ['"modules": 20'],
     {"files_opened": 6, "folders_listed": 2, "reads": 400, "bytes_read": 23400000, "peak_mib": 5}),
    ("scan of a tree", a_tree, ("scan", "--gpu", "sm_86", "tree"),
     ["registered.so", "only-ptx.so", "lazy.so"], {
         "files_opened": 1200, "folders_listed": 65, "reads": 1200, "bytes_read": 110000,
         "peak_mib": 6
     }),
    # One at a time: 512 MiB of payloads are in memory, whatever the threads.
    ("gate of large modules", large_texts, ("scan", "--check", "--gpu", "sm_86", "a.fatbin",
                                            "b.fatbin"), ["Passed on "],
     {"files_opened": 9, "peak_mib": 380}),
    # So it is of what single files unpack to.
    ("scan of large texts, packed", large_zst, ("scan", "--gpu", "sm_86", "a", "b"),
     ["a/k.ptx.zst", "b/k.ptx.zst"], {"files_opened": 12, "peak_mib": 200}),
    # 192 MiB of a member are in memory. One that is larger is unpacked for its checksum, and again
    # for its code.
    ("scan of a wheel with a large member", a_large_wheel,
     ("scan", "--gpu", "sm_86", "--json", "app-1.0-py3-none-any.whl"), ['"modules": 400'], {
         "files_opened": 7, "folders_listed": 2, "reads": 11400, "bytes_read": 744000000,
         "bytes_inflated": 744000000, "peak_mib": 210
     }),
    ("scan of a wheel", a_wheel, ("scan", "--gpu", "sm_86", "app-1.0-py3-none-any.whl"),
     ["app/lib.so"], {
         "files_opened": 7, "folders_listed": 2, "reads": 570, "bytes_read": 7500000,
         "bytes_inflated": 9800000, "peak_mib": 15
     }),
    ("prime for the first time", two_libraries, ("prime", "--as-root", "-j", "1", "lib"),
     ["All 2 modules", "A fresh process"], {
         "files_opened": 160, "folders_listed": 44, "reads": 290, "bytes_read": 220000,
         "bytes_written": 13000, "syncs": 30, "processes": 6, "modules_decoded": 2,
         "bytes_hashed": 67000, "peak_mib": 6
     }),
    # Each wheel is read for the look and once more for the workers.
    ("prime of two wheels", two_wheels, ("prime", "--as-root", "-j", "1", "wheels"),
     ["All 39 modules", "A fresh process"], {"bytes_inflated": 38900, "modules_decoded": 88}),
    ("prime again with nothing changed", primed, ("prime", "--as-root", "-j", "1", "lib"),
     ["All 2 modules"], {
         "files_opened": 24, "folders_listed": 6, "reads": 42, "bytes_read": 46000,
         "bytes_written": 82, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
         "peak_mib": 5
     }),
    # No start of the driver, and no library is opened: the ledger and the listing of the cache
    # answer.
    ("prime again, 555 modules", primed_555, ("prime", "--as-root", "lib"), ["All 555 modules"], {
        "files_opened": 24, "folders_listed": 6, "reads": 49, "bytes_read": 210000,
        "bytes_written": 82, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 6
    }),
    # Each folder is listed once, and no file of it is opened.
    ("prime again in a home of 3,000 files", a_home, ("prime", "--as-root", "--yes"),
     ["The only module"], {
         "files_opened": 17, "files_asked": 162, "folders_listed": 380, "reads": 27,
         "bytes_read": 2500, "bytes_written": 82, "syncs": 0, "processes": 0, "modules_decoded": 0,
         "bytes_hashed": 650, "peak_mib": 5
     }),
    ("status, 555 modules", primed_555, ("status", "lib"), ["All 555 modules"], {
        "files_opened": 18, "folders_listed": 4, "reads": 42, "bytes_read": 190000,
        "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 6
    }),
    ("status, 555 modules", primed_555, ("status", ), ["All 555 modules"], {
        "files_opened": 640, "files_asked": 640, "folders_listed": 280, "reads": 880,
        "bytes_read": 590000, "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0,
        "bytes_hashed": 650, "peak_mib": 6
    }),
    # Each PTX is decoded once.
    ("prime again without the ledger", without_ledger, ("prime", "--as-root", "lib"),
     ["All 555 modules"], {
         "files_opened": 24, "folders_listed": 8, "reads": 1400, "bytes_read": 750000,
         "bytes_written": 110000, "syncs": 2, "processes": 0, "modules_decoded": 555,
         "bytes_hashed": 560000, "peak_mib": 7
     }),
    ("prime again without any memory", without_memory, ("prime", "--as-root", "-j", "2", "lib"),
     ["All 555 modules"], {
         "files_opened": 750, "folders_listed": 33, "reads": 3400, "bytes_read": 1500000,
         "bytes_written": 130000, "syncs": 19, "processes": 4, "modules_decoded": 555,
         "bytes_hashed": 580000, "peak_mib": 7
     }),
    ("prime of one cold module of 555", one_cold, ("prime", "--as-root", "-j", "1", "lib"),
     ["All 555 modules", "A fresh process"], {
         "files_opened": 2000, "folders_listed": 553, "reads": 2400, "bytes_read": 1350000,
         "bytes_written": 36000, "syncs": 9, "processes": 3, "modules_decoded": 0,
         "bytes_hashed": 240000, "peak_mib": 6
     }),
    ("check, 555 cold modules", cold_555, ("status", "lib"), [], {
        "files_opened": 14, "folders_listed": 4, "reads": 38, "bytes_read": 170000,
        "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 6
    }),
    # What a driver refuses is written once, and not anew for each of them.
    ("prime of 555 refused modules", refused_555, ("prime", "--as-root", "-j", "1", "lib"), ["555"],
     {"files_opened": 34, "reads": 700, "bytes_read": 580000, "bytes_written": 180000, "syncs": 2}),
    ("status", primed, ("status", ), [], {
        "files_opened": 26, "folders_listed": 9, "reads": 44, "bytes_read": 46000,
        "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 5
    }),
    ("prime of a recorded command again", recorded, ("prime", "--as-root"), ["module"], {
        "files_opened": 26, "folders_listed": 10, "reads": 52, "bytes_read": 9200,
        "bytes_written": 410, "syncs": 2, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 5
    }),
    ("run of a recorded command", recorded, ("run", "--", sys.executable, "load.py", "k.ptx"), [], {
        "files_opened": 22, "folders_listed": 5, "reads": 37, "bytes_read": 2900,
        "bytes_written": 82, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 5
    }),
    ("export", primed, ("export", "-o", "again.tar.zst"), ["again.tar.zst"], {
        "files_opened": 28, "folders_listed": 13, "reads": 84, "bytes_read": 120000,
        "bytes_written": 8900, "syncs": 3, "processes": 0, "modules_decoded": 2,
        "bytes_hashed": 58000, "peak_mib": 6
    }),
    ("import of what is here", packed, ("import", "--as-root", "--allow-unsigned", "app.tar.zst"),
     [], {
         "files_opened": 22, "folders_listed": 13, "reads": 49, "bytes_read": 75000,
         "bytes_written": 82, "syncs": 0, "processes": 0, "modules_decoded": 0,
         "bytes_hashed": 37000, "peak_mib": 5
     }),
    ("check of 2,000 modules", many, ("status", "lib"), [], {
        "files_opened": 18, "folders_listed": 4, "reads": 62, "bytes_read": 540000,
        "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0, "bytes_hashed": 650,
        "peak_mib": 8
    }),
    ("check of 500 named files", many_files, ("status", "n/k.ptx", *(f"n/{i}.py"
                                                                     for i in range(500))), [],
     {"files_opened": 600, "reads": 1230}),  # each once, also for the libraries that it loads
    ("doctor of 2,000 modules", many, ("doctor", "--as-root"), ["A fresh process"], {
        "files_opened": 4500, "folders_listed": 606, "reads": 8100, "bytes_read": 4500000,
        "bytes_written": 90000, "syncs": 2, "processes": 3, "modules_decoded": 0,
        "bytes_hashed": 860000, "peak_mib": 9
    }),
    ("status of 2,000 entries", many, ("status", ), [], {
        "files_opened": 2300, "files_asked": 2100, "folders_listed": 310, "reads": 3000,
        "bytes_read": 2060000, "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0,
        "bytes_hashed": 650, "peak_mib": 9
    }),
    ("export of 2,000 entries", many, ("export", "-o", "again.tar.zst"), ["again.tar.zst"], {
        "files_opened": 4500, "folders_listed": 310, "reads": 5100, "bytes_read": 4000000,
        "bytes_written": 380000, "syncs": 2, "processes": 0, "modules_decoded": 0,
        "bytes_hashed": 2800000, "peak_mib": 14
    }),
    ("import of 2,000 entries", many,
     ("import", "--as-root", "--allow-unsigned", "--cache", "imported", "many.tar.zst"), [], {
         "files_opened": 6700, "folders_listed": 606, "reads": 6100, "bytes_read": 4100000,
         "bytes_written": 2200000, "syncs": 24, "processes": 2, "modules_decoded": 0,
         "bytes_hashed": 2500000, "peak_mib": 11
     }),
    ("import of 2,000 entries from a folder", many,
     ("import", "--as-root", "--allow-unsigned", "--cache", "pulled", "./layout"), [], {
         "files_opened": 6700, "folders_listed": 606, "reads": 6100, "bytes_read": 4150000,
         "bytes_written": 2200000, "syncs": 24, "processes": 2, "modules_decoded": 0,
         "bytes_hashed": 2500000, "peak_mib": 12
     }),
    ("doctor", primed, ("doctor", ), ["A fresh process"], {
        "files_opened": 51, "folders_listed": 17, "reads": 93, "bytes_read": 110000,
        "bytes_written": 1100, "syncs": 2, "processes": 3, "modules_decoded": 0,
        "bytes_hashed": 11000, "peak_mib": 5
    }),
]


# The most that a plain scan of a file may read: its name in the corpus, reads, bytes in per mille
# of the file.
CORPUS = [
    ("toolkit/lib/libcublasLt.so.13", 6130, 447),
    ("toolkit/lib/libcudnn_engines_precompiled.so.9", 4440, 107),
    ("toolkit/lib/libcufft.so.12", 26020, 110),
    ("toolkit/lib/libcurand.so.10", 838, 350),
    ("toolkit/lib/libcusparse.so.12", 1566, 35),
    ("linux/libggml-cuda.so", 1377, 93),
    ("linux/index.node", 510, 48),
    ("windows/ggml-cuda.dll", 1235, 39),
]


def check(opt, name, counts, said, words, budget):
    """What is wrong with this row."""
    if opt.show:
        print(f"{name}: {json.dumps({what: round(n, 1) for what, n in counts.items()})}")
    wrong = [
        f"{name}: {word!r} is not in\n{said[-3000:]}" for word in words
        if word not in " ".join(said.split())
    ]
    return wrong + [
        f"{name}: {what} {counts[what]:.0f}, more than its budget of {most}"
        for what, most in budget.items() if counts[what] > most
    ]


def run_rows(opt):
    if os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > 1024 * MIB:
        tempfile.tempdir = MEMORY
    wrong, machine, folder, prepared = [], None, None, None
    for name, set_up, command, words, budget in ROWS:
        if opt.rows and name not in opt.rows:
            continue
        if not (set_up is many and prepared is many):
            folder = tempfile.TemporaryDirectory(prefix="jitwarm-work-",
                                                 dir=os.environ.get("JW_TEST_MEMORY"))
            machine = Machine(opt, pathlib.Path(folder.name))
            set_up(machine)
        prepared = set_up
        counts, said = machine.run(*command,
                                   code=int(set_up in (cold_555, refused_555, many_files)))
        wrong += check(opt, name, counts, said, words, budget)
    return wrong


def run_corpus(opt):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
    import corpus
    found = corpus.find_or_skip([name for name, *_ in CORPUS])
    wrong = []
    with tempfile.TemporaryDirectory(prefix="jitwarm-work-",
                                     dir=os.environ.get("JW_TEST_MEMORY")) as folder:
        machine = Machine(opt, pathlib.Path(folder))
        for name, reads, share in CORPUS:
            if name in found:
                counts, said = machine.run("scan", "--gpu", "sm_86", found[name])
                counts["per_mille"] = counts["bytes_read"] * 1000 / found[name].stat().st_size
                wrong += check(opt, name, counts, said, [],
                               {"reads": reads, "per_mille": share, "peak_mib": 10})
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    parser.add_argument("--gen", type=pathlib.Path)
    parser.add_argument("--modules", type=pathlib.Path)
    parser.add_argument("--sim", type=pathlib.Path)
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("rows", nargs="*")
    opt = parser.parse_args()
    for name in ("tool", "gen", "modules", "sim"):
        if getattr(opt, name):
            setattr(opt, name, getattr(opt, name).resolve())
    os.sched_setaffinity(0,
                         sorted(
                             os.sched_getaffinity(0))[:2])  # memory goes with the number of threads
    sys.exit("\n".join(run_corpus(opt) if opt.corpus else run_rows(opt)) or 0)


if __name__ == "__main__":
    main()
