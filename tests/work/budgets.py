#!/usr/bin/env python3
"""budgets.py --tool JITWARM --gen SAMPLES --modules GEN_MODULES --sim FOLDER [ROW...]: no verb does more work than its row allows.

Time differs from machine to machine; counts do not (src/base/work.h). A row is a set-up, a command and the most that it may count.
A budget is a tenth above what was counted when the row was written, that of memory a quarter; a change that has a reason to raise one does so
in the same commit. A count that is not in a row is not limited. `peak_mib` is the largest process of the command.
With ROWs, only these; with --show, what each counts now. With --corpus, scans of the files of scripts/fetch-corpus instead; exit
77: none is here.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import made

MIB = 1 << 20
MEMORY = "/dev/shm"  # 6,000 syncs of a disk that others use take half a minute; barriers, and so these numbers, differ by file system


def write_library(path, sections):
    """An ELF of these sections: (name, bytes or a size of zeros). Zeros are holes."""
    names, out, table = b"\0", 64, [(0,) * 10]
    with open(path, "wb") as file:
        for name, data in sections:
            size = data if isinstance(data, int) else len(data)
            out = -(-out // 64) * 64
            table.append((len(names), 1, 2, out, out, size, 0, 0, 64, 0))
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
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 0, out, 0, 64, 0, 0, 64, len(table), len(table) - 1))


class Machine:
    """One folder, one home, one simulated GPU. Its driver is in the folder: jitwarm writes down the driver's path, and a checkout's path
    may have any length."""

    def __init__(self, opt, folder):
        self.opt, self.folder = opt, folder
        for name in ("home", "root", "driver"):
            (folder / name).mkdir()
        for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
            if opt.sim:
                shutil.copy(opt.sim / name, folder / "driver" / name)
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "container": "jitwarm-tests",
                    "XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
                    "JITWARM_DRIVER": str(folder / "driver/libcuda.so.1"),
                    "JITWARM_SYSROOT": str(folder / "root"), "JITWARM_STORE": str(folder / "store"), "JITWARM_WORK": str(folder / "work")}

    def run(self, *args, code=0):
        """Counts of all processes of this command, and what it printed."""
        work, out = self.folder / "work", self.folder / "out"
        work.unlink(missing_ok=True)
        argv = [str(self.opt.tool), *map(str, args)]
        with open(out, "wb") as to:
            files = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, to.fileno(), 1),
                     (os.POSIX_SPAWN_DUP2, to.fileno(), 2)]
            here = os.getcwd()
            os.chdir(self.folder)
            pid = os.posix_spawn(argv[0], argv, self.env, file_actions=files)
            os.chdir(here)
            _, status = os.waitpid(pid, 0)
        said = out.read_text(encoding="utf-8", errors="replace")
        if os.waitstatus_to_exitcode(status) != code:
            sys.exit(f"{' '.join(argv)}: exit {os.waitstatus_to_exitcode(status)}, not {code}\n{said}")
        lines = [json.loads(line) for line in work.read_text(encoding="utf-8").splitlines()]
        counts = {name: sum(line[name] for line in lines) for name in lines[0]}
        counts["peak_mib"] = max(line["peak_bytes"] for line in lines) / MIB
        return counts, said

    def sample(self, name):
        return (self.opt.gen / name).read_bytes()


def padded(fat):
    return fat + bytes(-len(fat) % 8)


def a_library(m):
    """290 MiB: 400 containers where they are usual, and large sections of data that hold none: these are searched in samples."""
    write_library(m.folder / "lib.so", [(".text", 160 * MIB), (".rodata", 80 * MIB), (".nv_fatbin", padded(m.sample("fatbin/layout-12.5.fatbin")) * 400),
                                        (".eh_frame", 8 * MIB), (".data", 2 * MIB), (".ldata", 32 * MIB), (".debug_info", 8 * MIB)])


def a_library_with_data(m):
    """180 MiB: 30 containers among 12 MiB of data, which are therefore searched to the last byte."""
    fat, noise = padded(m.sample("fatbin/layout-12.5.fatbin")), bytes(range(1, 251)) * 1024
    write_library(m.folder / "lib.so", [(".text", 160 * MIB), (".rodata", 8 * MIB), (".data", noise + fat * 20), (".ldata", noise * 8 + fat * 10),
                                        (".lrodata", 2 * MIB), (".debug_info", 8 * MIB)])


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
    write_library(library, [(".text", dice.randbytes(1 << 16) * 100), (".nv_fatbin", (fat + bytes(-len(fat) % 8)) * 100), (".data", 2 * MIB)])
    with zipfile.ZipFile(m.folder / "app-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for i in range(200):
            wheel.writestr(f"app/{i}.py", dice.randbytes(8000).hex())
        wheel.write(library, "app/lib.so")


def library_of_kernels(m, plan):
    """Each container has machine code of one GPU, and one kernel. The same as a wheel."""
    library = m.folder / "lib.so"
    library.write_bytes(made.elf({".nv_fatbin": b"".join(made.container([made.entry(made.KIND_ELF, sm, made.cubin(sm, kernel, 20000))]) for sm, kernel in plan)}))
    with zipfile.ZipFile(m.folder / "app-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(library, "app/lib.so")


def a_library_that_chooses(m):
    """As cuBLASLt and cuDNN: one module of ten is for this GPU, and the others have kernels of other names."""
    library_of_kernels(m, [(86 if k % 10 == 0 else 90, f"kernel_{k}") for k in range(400)])


def a_library_that_cannot_run(m):
    """As libpaddle.so on an H100, a fifth of a large library: what a program needs of it is for another GPU."""
    library_of_kernels(m, [(86 if k % 10 == 0 else 90, f"kernel_{k}") for k in range(200)])


def a_library_per_gpu(m):
    """The same kernels for three GPUs, each in a module of its own."""
    library_of_kernels(m, [(sm, f"kernel_{k}") for k in range(80) for sm in (70, 86, 90)])


def two_libraries(m):
    (m.folder / "lib").mkdir()
    for name in ("registered.so", "only-ptx.so"):
        shutil.copy(m.opt.gen / "elf" / name, m.folder / "lib")


def primed(m):
    two_libraries(m)
    m.run("prime", "--as-root", "-j", "1", "-q", "lib")


def ran(m):
    primed(m)
    m.run("run", "--", "true")


def loader_finds_driver(m, folders):
    del m.env["JITWARM_DRIVER"]
    m.env["LD_LIBRARY_PATH"] = ":".join(map(str, [m.folder / "driver", *folders]))
    (m.folder / "home/.profile").write_text(f"export LD_LIBRARY_PATH={m.env['LD_LIBRARY_PATH']}\n")


def copied(m):
    """A file of a recorded command is another copy now, which one verb has compared. The copy is no longer so new that a change of it might not be seen."""
    loader_finds_driver(m, [])
    primed(m)
    model, copy = m.folder / "model.bin", m.folder / "copy"
    model.write_bytes(bytes(20 * MIB))
    (m.folder / "load.py").write_text(LOAD)
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "ptx/canary.ptx", m.folder)
    m.run("prime", "--as-root", "-q", "--run", sys.executable, "load.py", "canary.ptx", "model.bin")
    shutil.copy(model, copy)
    copy.rename(model)
    time.sleep(0.1)
    m.run("status")


def a_thousand_files(m):
    primed(m)
    (m.folder / "files").mkdir()
    for i in range(1000):
        (m.folder / f"files/{i:04}").write_text("x")


def cold(m):
    """The loader's cache is read for the driver and for its compiler."""
    primed(m)
    shutil.rmtree(m.folder / "home/.nv")
    del m.env["JITWARM_DRIVER"]
    m.env["LD_LIBRARY_PATH"] = str(m.folder / "driver")


LOAD = """import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(ctypes.c_void_p()), 0, 0)
cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), open(sys.argv[1], "rb").read() + bytes(1))
"""


def commands_and_folders(m):
    """Three recorded commands, and ten folders of LD_LIBRARY_PATH of 300 files, without a library, behind the driver's."""
    folders = [m.folder / f"far/{i}" for i in range(10)]
    for folder in folders:
        folder.mkdir(parents=True)
        for i in range(300):
            (folder / f"{i}.txt").write_text("")
    loader_finds_driver(m, folders)
    primed(m)
    (m.folder / "load.py").write_text(LOAD)
    canary = (pathlib.Path(__file__).resolve().parents[2] / "ptx/canary.ptx").read_text()
    for i in range(3):
        (m.folder / f"k{i}.ptx").write_text(f"{canary}// {i}\n")
    for i in range(3):
        m.run("prime", "--as-root", "-q", "--run", sys.executable, "load.py", f"k{i}.ptx")


COMPILE = """import os, pathlib
for cache in ".cupy/kernel_cache/k.cubin", ".triton/cache/a/k.cubin":
    file = pathlib.Path(os.environ["HOME"], cache)
    if not file.exists():
        file.parent.mkdir(parents=True)
        file.write_text("code")
    file.read_text()
"""


def commands_of_an_environment(m):
    """Three commands of one environment, each with files in two compilers' caches."""
    loader_finds_driver(m, [])
    primed(m)
    site = m.folder / "venv/lib/python3.11/site-packages"
    for package in "cupy_cuda12x-13.4.0", "triton-3.2.0", "numpy-2.0.0":
        (site / f"{package}.dist-info").mkdir(parents=True)
    (m.folder / "venv/bin").mkdir()
    python = m.folder / "venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    (m.folder / "load.py").write_text(LOAD + COMPILE)
    canary = (pathlib.Path(__file__).resolve().parents[2] / "ptx/canary.ptx").read_text()
    for i in range(3):
        (m.folder / f"k{i}.ptx").write_text(f"{canary}// {i}\n")
    for i in range(3):
        m.run("prime", "--as-root", "-q", "--run", python, "load.py", f"k{i}.ptx")


def a_command_of_many_modules(m):
    """As one that imports PyTorch: 2,500 modules in 250 folders, with names as long as there. `many.py` reads each, as an import does."""
    loader_finds_driver(m, [])
    primed(m)
    shutil.copy(pathlib.Path(__file__).resolve().parents[2] / "ptx/canary.ptx", m.folder / "k0.ptx")
    for i in range(250):
        folder = m.folder / f"env/lib/python3.11/site-packages/torch/part{i % 25}/component{i}"
        folder.mkdir(parents=True)
        for k in range(10):
            (folder / f"module_of{i}_{k}.py").write_text(f"{i} {k}\n" * 1000)
    (m.folder / "many.py").write_text("import glob\nfor path in glob.glob('env/**/*.py', recursive=True):\n    open(path).close()\n" + LOAD)


def a_command_of_many_modules_recorded(m):
    a_command_of_many_modules(m)
    m.run("prime", "--as-root", "-q", "--run", sys.executable, "many.py", "k0.ptx")


def started_today(m):
    """The first start of a day (UTC) writes the whole record of the command."""
    commands_and_folders(m)
    left = 86400 - time.time() % 86400
    if left < 60:
        time.sleep(left)
    m.run("verify", "--as-root", "--run", sys.executable, "load.py", "k0.ptx")


def packed(m):
    primed(m)
    m.run("export", "-q", "-o", "app.tar.zst")


def many(m):
    """2,000 modules, primed, exported and pushed. Its rows share a machine: none of them changes what another one counts."""
    (m.folder / "lib").mkdir()
    subprocess.run([m.opt.modules, m.folder / "lib/many.so", "2000", "300", "600", "1"], check=True, stdout=subprocess.DEVNULL)
    m.run("prime", "--as-root", "-j", "2", "-q", "lib")
    m.run("export", "-q", "-o", "many.tar.zst")
    m.run("push", "-q", "./layout")


# name, set-up, command, words that the answer must have, budget
ROWS = [
    ("scan of a library", a_library, ("scan", "--gpu", "sm_86", "--json", "lib.so"), ['"containers": 400', '"sampled_bytes": 119537664'],
     {"files_opened": 8, "reads": 190, "bytes_read": 2430000, "peak_mib": 7}),
    ("scan of a library with containers among its data", a_library_with_data, ("scan", "--gpu", "sm_86", "--json", "lib.so"),
     ['"containers": 20', '"lazy_containers": 10'], {"files_opened": 8, "reads": 255, "bytes_read": 14100000, "peak_mib": 6}),
    ("scan of a tree", a_tree, ("scan", "--gpu", "sm_86", "tree"), ["registered.so", "only-ptx.so", "lazy.so"],
     {"files_opened": 1110, "folders_listed": 65, "reads": 1150, "bytes_read": 92000, "peak_mib": 6}),
    ("scan of a wheel", a_wheel, ("scan", "--gpu", "sm_86", "app-1.0-py3-none-any.whl"), ["app/lib.so"],
     {"files_opened": 9, "folders_listed": 1, "reads": 574, "bytes_read": 7420000, "bytes_inflated": 9720000, "peak_mib": 8}),
    # Names of kernels are compared where most modules are for other GPUs, and each module is unpacked for that once, however many GPUs are asked for.
    ("scan of a library that chooses kernels by the GPU", a_library_that_chooses, ("scan", "--gpu", "sm_86", "lib.so"), ["40 of 400"],
     {"files_opened": 8, "reads": 470, "bytes_read": 138000, "modules_decoded": 0, "bytes_decoded": 0, "peak_mib": 6}),
    ("scan of a library that cannot run", a_library_that_cannot_run, ("scan", "--gpu", "sm_86", "--gpu", "sm_75", "lib.so"), ["20 of 200"],
     {"files_opened": 8, "reads": 290, "bytes_read": 989000, "modules_decoded": 41, "bytes_decoded": 831808, "peak_mib": 6}),
    ("scan of a library with the same kernels for three GPUs, for all", a_library_per_gpu, ("scan", "lib.so"), ["with the same kernels"],
     {"files_opened": 20, "reads": 560, "bytes_read": 5450000, "modules_decoded": 240, "bytes_decoded": 4869120, "peak_mib": 6}),
    ("scan of a wheel with the same kernels for three GPUs, for all", a_library_per_gpu, ("scan", "app-1.0-py3-none-any.whl"), ["with the same kernels"],
     {"files_opened": 20, "reads": 255, "bytes_read": 16000000, "bytes_inflated": 16200000, "modules_decoded": 240, "bytes_decoded": 4869120, "peak_mib": 8}),
    ("prime for the first time", two_libraries, ("prime", "--as-root", "-j", "1", "lib"), ["Warmed 2 modules"],
     {"files_opened": 144, "folders_listed": 98, "reads": 275, "bytes_read": 163000, "bytes_written": 16400, "syncs": 28, "processes": 8,
      "modules_decoded": 2, "bytes_decoded": 9168, "bytes_hashed": 65800, "peak_mib": 8}),
    ("prime again with nothing changed", primed, ("prime", "--as-root", "-j", "1", "lib"), ["Nothing to do"],
     {"files_opened": 19, "folders_listed": 3, "reads": 22, "bytes_read": 5800, "bytes_written": 64, "syncs": 0, "processes": 0,
      "modules_decoded": 0, "bytes_hashed": 240, "peak_mib": 6}),  # whether anything stands in the place of what jitwarm remembers
    ("verify", primed, ("verify", "--as-root"), ["compiled nothing"],
     {"files_opened": 46, "folders_listed": 39, "reads": 107, "bytes_read": 99000, "bytes_written": 2100, "syncs": 3, "processes": 4,
      "modules_decoded": 2, "bytes_hashed": 31400, "peak_mib": 7}),  # the working folder, made a moment ago, is read again; and what status would say; both ask for recordings that were killed
    ("status", primed, ("status",), ["2 entries"],
     {"files_opened": 20, "folders_listed": 8, "reads": 27, "bytes_read": 9500, "bytes_written": 0, "syncs": 0, "processes": 0, "peak_mib": 6}),
    ("status of a cold cache whose driver the loader finds", cold, ("status",), ["0 of 2"],  # also whether the folder is closed to its owner
     # the shells of a fresh login: what is to be done depends on how its programs start
     {"files_opened": 11, "folders_listed": 3, "bytes_written": 0, "syncs": 0, "processes": 2, "peak_mib": 6}),
    # What a start changes is written, and not all that is known of the command (25 kB of one that loads much).
    ("verify --run of a command that was started today", started_today, ("verify", "--as-root", "--run", sys.executable, "load.py", "k0.ptx"), ["the driver compiled"],
     {"bytes_written": 490}),
    # Each folder of LD_LIBRARY_PATH is listed once, however many commands are recorded: for a library that another start of them may find. For the driver's none is.
    ("status with ten folders of libraries and three commands", commands_and_folders, ("status",), ["Everything primed is warm"],
     {"folders_listed": 108, "bytes_written": 0, "syncs": 0, "processes": 0}),
    ("verify with ten folders of libraries and three commands", commands_and_folders, ("verify", "--as-root"), ["compiled nothing"],
     {"folders_listed": 342}),
    # The packages of an environment are listed once, for all commands and all of their caches.
    ("status with three commands of an environment", commands_of_an_environment, ("status",), ["Everything primed is warm"],
     {"folders_listed": 82, "bytes_written": 0, "syncs": 0, "processes": 0}),
    ("verify with three commands of an environment", commands_of_an_environment, ("verify", "--as-root"), ["compiled nothing"],
     {"folders_listed": 287}),
    # Each is read once, for its digest; the record is 35 bytes for each of them, and status asks what each is, and reads none.
    ("prime --run of a command that reads 2,500 modules", a_command_of_many_modules, ("prime", "--as-root", "--run", sys.executable, "many.py", "k0.ptx"), [],
     {"files_opened": 3100, "bytes_written": 110000}),
    ("status with a command that reads 2,500 modules", a_command_of_many_modules_recorded, ("status",), ["Everything primed is warm"],
     {"files_opened": 28, "folders_listed": 28, "reads": 68, "bytes_read": 165000, "bytes_written": 0, "syncs": 0, "processes": 0, "peak_mib": 7}),
    ("export", primed, ("export", "-o", "again.tar.zst"), ["again.tar.zst"],
     {"files_opened": 23, "folders_listed": 13, "reads": 44, "bytes_read": 99000, "bytes_written": 16400, "syncs": 6, "processes": 1,
      "bytes_hashed": 16300, "peak_mib": 7}),
    ("import of what is here", packed, ("import", "--as-root", "--allow-unsigned", "app.tar.zst"), [],
     {"files_opened": 38, "folders_listed": 27, "reads": 103, "bytes_read": 148000, "bytes_written": 1720, "syncs": 3, "processes": 3,
      "modules_decoded": 2, "bytes_hashed": 28800, "peak_mib": 7}),
    ("run of a command for the first time", primed, ("run", "--", "true"), [],
     {"files_opened": 50, "folders_listed": 19, "reads": 65, "bytes_read": 108000, "bytes_written": 1220, "syncs": 2, "processes": 3,
      "modules_decoded": 0, "bytes_hashed": 42000, "peak_mib": 7}),  # PATH's value, too, and the digest of its program; one answers the command's calls, which are traced; that it is recorded survives a power cut; it may end before a look finds its libraries mapped: the heads of those that it opened are read
    ("run of a command that opens 1,000 files for the first time", a_thousand_files, ("run", "--", "sh", "-c", "cat files/* >/dev/null"), [],
     {"files_opened": 50, "folders_listed": 19, "reads": 65, "bytes_read": 200000, "bytes_written": 1250, "syncs": 2, "processes": 3,
      "modules_decoded": 0, "bytes_hashed": 140000, "peak_mib": 7}),  # PATH's value, too, and the digest of the shell; none of them is looked at but by its name
    ("run again", ran, ("run", "--", "true"), [],
     {"files_opened": 24, "folders_listed": 5, "reads": 27, "bytes_read": 11600, "bytes_written": 64, "syncs": 0, "processes": 0,
      "modules_decoded": 0, "bytes_hashed": 480, "peak_mib": 6}),
    ("status after a recorded file was copied, and compared", copied, ("status",), ["Everything primed is warm"],
     {"bytes_written": 0, "bytes_hashed": 600}),
    ("dry run of 2,000 modules", many, ("prime", "--dry-run", "lib"), ["all 2,000 modules are warm"],
     {"files_opened": 2220, "folders_listed": 305, "reads": 6750, "bytes_read": 3090000, "bytes_written": 1050, "syncs": 2, "processes": 3,
      "modules_decoded": 2000, "bytes_decoded": 1050000, "bytes_hashed": 1990000, "peak_mib": 11}),
    ("verify of 2,000 modules", many, ("verify", "--as-root"), ["compiled nothing"],
     {"files_opened": 8050, "folders_listed": 909, "reads": 13400, "bytes_read": 4490000, "bytes_written": 89400, "syncs": 3,
      "processes": 4, "modules_decoded": 2000, "bytes_decoded": 1050000, "bytes_hashed": 2840000, "peak_mib": 12}),
    ("status of 2,000 entries", many, ("status",), ["2,000 entries"],
     {"files_opened": 4420, "folders_listed": 304, "reads": 2230, "bytes_read": 1200000, "bytes_written": 0, "syncs": 0, "processes": 0,
      "modules_decoded": 0, "bytes_hashed": 212, "peak_mib": 9}),
    ("export of 2,000 entries", many, ("export", "-o", "again.tar.zst"), ["again.tar.zst"],
     {"files_opened": 4420, "folders_listed": 306, "reads": 4430, "bytes_read": 2850000, "bytes_written": 375000, "syncs": 4,
      "processes": 1, "modules_decoded": 0, "bytes_hashed": 711000, "peak_mib": 17}),
    ("import of 2,000 entries", many, ("import", "--as-root", "--allow-unsigned", "--cache", "imported", "many.tar.zst", "lib"), ["Imported 2,000 entries"],
     {"files_opened": 8060, "folders_listed": 625, "reads": 9070, "bytes_read": 5600000, "bytes_written": 2620000, "syncs": 18,
      "processes": 3, "modules_decoded": 2000, "bytes_decoded": 1050000, "bytes_hashed": 2380000, "peak_mib": 12}),  # what is remembered of the cache that was primed is read, too: nothing was for this one
    ("push of 2,000 entries", many, ("push", "./other"), ["Pushed 1 layer"],
     {"files_opened": 4420, "folders_listed": 308, "reads": 4440, "bytes_read": 3660000, "bytes_written": 750000, "syncs": 10,
      "processes": 1, "modules_decoded": 0, "bytes_hashed": 1820000, "peak_mib": 17}),
    ("pull of 2,000 entries", many, ("pull", "--as-root", "--allow-unsigned", "--cache", "pulled", "./layout", "lib"), ["Imported 2,000 entries"],
     {"files_opened": 6680, "folders_listed": 629, "reads": 9090, "bytes_read": 4170000, "bytes_written": 2670000, "syncs": 19,
      "processes": 3, "modules_decoded": 2000, "bytes_decoded": 1050000, "bytes_hashed": 2760000, "peak_mib": 12}),
    ("home", primed, (), ["Warm      2 of 2 modules", "Everything primed is warm"],
     {"files_opened": 15, "folders_listed": 3, "reads": 20, "bytes_read": 9100, "bytes_written": 0, "syncs": 0, "processes": 0, "modules_decoded": 0, "peak_mib": 6}),
    ("version", lambda m: None, ("version",), ["jitwarm"],
     {"files_opened": 0, "folders_listed": 0, "reads": 0, "bytes_written": 0, "processes": 0, "bytes_hashed": 0, "peak_mib": 5}),
]


# The most that a plain scan of a file may read: its name in the corpus, reads, bytes in per mille of the file.
CORPUS = [
    ("toolkit/lib/libcublasLt.so.13", 2880, 20),
    ("toolkit/lib/libcudnn_engines_precompiled.so.9", 4100, 10),
    ("toolkit/lib/libcufft.so.12", 26020, 101),
    ("toolkit/lib/libcurand.so.10", 200, 8),
    ("toolkit/lib/libcusparse.so.12", 1530, 19),
    ("linux/libggml-cuda.so", 1160, 13),
    ("linux/index.node", 500, 21),
    ("windows/ggml-cuda.dll", 1160, 6),
]


def check(opt, name, counts, said, words, budget):
    """What is wrong with this row."""
    if opt.show:
        print(f"{name}: {json.dumps({what: round(n, 1) for what, n in counts.items()})}")
    wrong = [f"{name}: {word!r} is not in\n{said[-3000:]}" for word in words if word not in said]
    return wrong + [f"{name}: {what} {counts[what]:.0f}, more than its budget of {most}" for what, most in budget.items() if counts[what] > most]


def run_rows(opt):
    if os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > 1024 * MIB:
        tempfile.tempdir = MEMORY
    wrong, machine, folder, prepared = [], None, None, None
    for name, set_up, command, words, budget in ROWS:
        if opt.rows and name not in opt.rows:
            continue
        if not (set_up is many and prepared is many):
            folder = tempfile.TemporaryDirectory(prefix="jitwarm-work-", dir=os.environ.get("JW_TEST_MEMORY"))
            machine = Machine(opt, pathlib.Path(folder.name))
            set_up(machine)
        prepared = set_up
        counts, said = machine.run(*command)
        wrong += check(opt, name, counts, said, words, budget)
    return wrong


def run_corpus(opt):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
    import corpus
    found = corpus.find_or_skip([name for name, *_ in CORPUS])
    wrong = []
    with tempfile.TemporaryDirectory(prefix="jitwarm-work-", dir=os.environ.get("JW_TEST_MEMORY")) as folder:
        machine = Machine(opt, pathlib.Path(folder))
        for name, reads, share in CORPUS:
            if name in found:
                counts, said = machine.run("scan", "--gpu", "sm_86", found[name])
                counts["per_mille"] = counts["bytes_read"] * 1000 / found[name].stat().st_size
                wrong += check(opt, name, counts, said, [], {"reads": reads, "per_mille": share, "peak_mib": 10})
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
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])  # memory goes with the number of threads
    sys.exit("\n".join(run_corpus(opt) if opt.corpus else run_rows(opt)) or 0)


if __name__ == "__main__":
    main()
