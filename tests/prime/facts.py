"""A receipt is the trace of what was asked: it holds while each fact is as it was, and no longer."""
import collections
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from limits import command_of, other_driver, own_driver, update_driver
from receipts import path_of, texts
from warm import case, plain, states
from cases import Skip, check, same

LOADER = pathlib.Path(__file__).resolve().parent.parent / "real/loader.py"
PTX = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry {0}()\n{{\n\tret;\n}}\n"


def put(path, kernel):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PTX.format(kernel))
    return path


def holds(m, *words, **env):
    answer, code = m.answer("prime", *words, **env)
    same((code, answer["receipt"]), (0, True), f"nothing has changed: {words}")


def warms(m, n, what, *words, **env):
    """The receipt does not hold: so many modules are new. The first page and status do not say that all is warm before."""
    last = m.answer("status", **env)[0]["last_prime"]
    check(last["changed"] or last["other_driver"] or last["warm"] < last["modules"], f"{what}: status")
    check("Everything primed is warm" not in m.run(**env).stdout, f"{what}: the first page")
    answer, code = m.answer("prime", *words, **env)
    same((code, answer["receipt"], states(answer).get("warmed", 0)), (0, False, n), what)


def put_back(path, before):
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@case
def files_that_come_with_old_times(m):
    """cp -a, rsync -a and tar put the folder's time back; a program may write into a file that held no code, or change where a link leads."""
    folder = texts(m, 2)
    (folder / "deep/deeper").mkdir(parents=True)
    (folder / "deep/notes.txt").write_text("nothing")
    (folder / "deep/later.ptx").symlink_to(m.folder / "elsewhere.ptx")
    (folder / "deep/known.ptx").symlink_to(folder / "k0.ptx")
    m.answer("prime", folder)
    holds(m, folder)

    before = (folder / "deep/deeper").stat()
    put(folder / "deep/deeper/new.ptx", "new")
    put_back(folder / "deep/deeper/new.ptx", before)
    put_back(folder / "deep/deeper", before)
    warms(m, 1, "a new file", folder)

    before = (folder / "deep/notes.txt").stat()
    put(folder / "deep/notes.txt", "notes")
    put_back(folder / "deep/notes.txt", before)
    warms(m, 1, "a file that held no code", folder)

    put(m.folder / "elsewhere.ptx", "elsewhere")
    warms(m, 1, "a link that led nowhere", folder)

    before = (folder / "deep").stat()
    (folder / "deep/known.ptx").unlink()
    (folder / "deep/known.ptx").symlink_to(put(m.folder / "other.ptx", "other"))
    put_back(folder / "deep", before)
    warms(m, 1, "a link that led to a known file", folder)
    holds(m, folder)


@case
def folders_that_change_without_a_change(m):
    """What Python writes at the first import, and a file that came and went: the names are the same."""
    folder = texts(m, 2)
    (folder / "package").mkdir()
    m.answer("prime", folder)
    (folder / "package/__pycache__").mkdir()
    put(folder / "package/gone.ptx", "gone").unlink()
    holds(m, folder)


@case
def more_folders_than_are_compared(m):
    folder = texts(m, 1)
    for i in range(16400):
        (folder / f"d{i:05}").mkdir()
    answer, _ = m.answer("prime", folder)
    check("jitwarm compares at most 16,384" in " ".join(answer["notes"]), answer["notes"])
    put(folder / "d16399/new.ptx", "new")
    answer, _ = m.answer("prime", folder)
    same((answer["receipt"], states(answer)), (False, {"warm": 1, "warmed": 1}), "a new file in the last one")


@case
def found_software_that_grows(m):
    """Without PATH: an editable install gets a library where there was none; a file that Git LFS had not fetched is fetched."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    (site / "pa/kernels").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 75\n")
    (site / "pb").mkdir()
    (m.folder / "venv/bin").mkdir()
    (m.folder / "venv/bin/python").symlink_to(shutil.which("python3"))
    (m.folder / "venv/pyvenv.cfg").touch()
    env = {"VIRTUAL_ENV": str(m.folder / "venv"), "PATH": "/usr/bin:/bin", "JITWARM_SYSROOT": str(m.folder / "root")}
    (m.folder / "root").mkdir()
    m.answer("prime", "--as-root", **env)
    holds(m, "--as-root", **env)
    put(site / "pb/b.ptx", "b")
    warms(m, 1, "a file in a package that held no code", "--as-root", **env)
    (site / "pb/__pycache__").mkdir()
    holds(m, "--as-root", **env)
    put(site / "pa/kernels", "fetched")
    warms(m, 1, "a file that was a pointer", "--as-root", **env)


def activated(m):
    """The machine's virtual environment is the only place that is searched."""
    (m.folder / "venv/bin").mkdir()
    (m.folder / "venv/bin/python").symlink_to(shutil.which("python3"))
    (m.folder / "venv/pyvenv.cfg").touch()
    (m.folder / "root").mkdir()
    return {"VIRTUAL_ENV": str(m.folder / "venv"), "PATH": "/usr/bin:/bin", "JITWARM_SYSROOT": str(m.folder / "root")}


@case
def tests_of_packages(m):
    """What a package has for its own tests is no software of its users (Numba has PTX there); named itself, or with --all, it is."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    put(site / "pa/tests/t.ptx", "t")
    env = activated(m)
    answer, code = m.answer("prime", "--as-root", **env)
    same((code, states(answer), answer["left_out"]["test"]["modules"]), (0, {"warmed": 1}, 1), "found")
    answer, code = m.answer("prime", "--as-root", "--all", **env)
    same((code, states(answer)), (0, {"warm": 1, "warmed": 1}), "--all")
    m.forget_cache()
    answer, code = m.answer("prime", site, "--as-root", **env)
    same((code, states(answer), answer["left_out"]["test"]["modules"]), (0, {"warmed": 1}, 1), "a folder above")
    answer, code = m.answer("prime", site / "pa/tests", "--as-root", **env)
    same((code, states(answer)), (0, {"warmed": 1}), "named")
    answer, code = m.answer("prime", "--check", "--as-root", **env)
    same((code, states(answer)), (0, {"warm": 2}), "what was named before counts")


@case
def one_environment_for_scan_and_prime(m):
    """scan and prime speak of the same modules, found or named: not of NVIDIA's own libraries in it, nor of packages' own tests."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    for name in "pa/a", "pa/tests/t", "pb/b", "pb/test/u":
        put(site / f"{name}.ptx", pathlib.PurePath(name).name)
    for name in "nvidia/cublas/lib/libcublas.so.12", "pb/libcudnn.so.9":
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(m.library(count=1)[0], site / name)
    env = activated(m)

    def modules(verb, *words):
        done = m.run(*verb, "--gpu", "sm_86", *words, **env) if verb[0] == "scan" else m.run(*verb, "--as-root", *words, **env)
        return " ".join(done.stdout.split())

    for words in (), (m.folder / "venv",):
        scan, prime = modules(["scan"], *words), modules(["prime", "--dry-run"], *words)
        check("2 packages of 2 must be compiled" in scan or "2 files of 2 must be compiled" in scan, scan)
        check("2 modules of NVIDIA's own libraries are compiled when a program uses them" in scan, scan)
        check(prime.startswith("2 modules would be compiled"), prime)
        check("Skipped 2 modules are of packages' own tests (--all warms them, too); 2 modules of NVIDIA's own libraries are compiled" in prime, prime)
    check("2 modules of packages' own tests are not counted" in scan, scan)
    test, library = site / "pa/tests/t.ptx", site / "pb/libcudnn.so.9"
    check("is compiled when the package's own tests run" in modules(["scan"], site / "pa"), "each file by itself")
    for words, todo in ("--dry-run", "prime"), ("-q", ""), ("--check", "verify"):
        line = modules(["prime", "--all", words], m.folder / "venv")
        check(not todo or re.search(rf"To do jitwarm {todo} (--as-root )?--all \S*/venv", line), f"what looks at no less: {line}")
    m.forget_cache()
    for path in test, test.parent, library:
        check(modules(["prime", "--dry-run"], path).startswith("1 module would be compiled"), path)
        same(m.run("scan", "--check", "--gpu", "sm_86", path, **env).returncode, 1, path)
    same(m.run("scan", "--check", "--gpu", "sm_86", library.parent.parent / "nvidia", **env).returncode, 0, "NVIDIA's own raise no alarm")


def pasted(m, line, env):
    """Runs a line of advice in a shell: its exit code and what it printed."""
    programs = m.folder / "pasted"
    programs.mkdir(exist_ok=True)
    if not (programs / "jitwarm").exists():
        (programs / "jitwarm").symlink_to(m.opt.tool)
    done = subprocess.run(["sh", "-c", line], env={**m.env, **env, "PATH": f"{programs}:{env['PATH']}"}, capture_output=True, text=True, cwd=m.folder, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def about(answer):
    """Which modules it was about, for which GPUs."""
    return sorted((j["gpu"], j["kernel"]) for j in answer["jobs"])


@case
def the_next_command_asks_the_same_question(m):
    """What a run says to do next is about the same modules, and then the finding is gone: with each option that chooses them, of each verb."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    for name in "pa/a", "pa/tests/t", "pb/b":
        put(site / f"{name}.ptx", pathlib.PurePath(name).name)
    env = activated(m) | {"SIMCUDA_GPUS": "sm_86:NVIDIA GeForce RTX 3070:8G;sm_89:NVIDIA GeForce RTX 4090:24G"}
    (m.folder / "root/.dockerenv").touch()
    venv = m.folder / "venv"
    for words in ["--gpu", "RTX 4090"], ["--gpu", "0", venv], ["--exclude", "p b*", "--exclude", "pb"], ["--all"], ["--all", "--gpu", "1", "--exclude", "b.ptx", "--cache", m.folder / "other cache", venv]:
        for verb in ["prime", "--dry-run"], ["prime", "--check"], ["verify"]:
            for old in m.root, m.folder / "other cache", m.folder / "state":
                shutil.rmtree(old, ignore_errors=True)
            first, code = m.answer(*verb, *words, **env)
            same(code, 0 if "--dry-run" in verb else 1, f"{verb} {words}: cold")
            line = first["todo"][0]
            check(line.startswith("jitwarm prime "), line)
            same(pasted(m, line, env)[0], 0, line)
            again, code = m.answer(*verb, *words, **env)
            same((code, about(again), set(states(again))), (0, about(first), {"warm"}), f"{verb} {words}, after {line}")
            if verb[0] == "prime":
                proof = again["todo"][0].replace("verify", "verify --json", 1)
                code, said = pasted(m, proof, env)
                same((code, about(json.loads(said))), (0, about(first)), proof)
    m.forget_cache()
    other = m.folder / "for-others"
    first, code = m.answer("prime", "--dry-run", "--gpu", "sm_90", "--cache", other, venv, **env)
    same(pasted(m, first["todo"][0], env)[0], 0, first["todo"])
    again, code = m.answer("prime", "--check", "--gpu", "sm_90", "--cache", other, venv, **env)
    same((code, about(again)), (0, about(first)), f"for a GPU that is not here, after {first['todo'][0]}")


@case
def places_that_are_left_out(m):
    """How far a search went, and where it did not look though software may be there: of each verb, also where nothing is to do. scan -v lists them."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    named = put(m.folder / "named/n.ptx", "n").parent
    env = activated(m)
    (m.folder / "root/.dockerenv").touch()

    def searched(*words):
        done = m.run(*words, **env)
        said = re.search(r"Searched (\d+) places?(?:, not (\d+) others?)? \((jitwarm scan -v.*?) lists? them\)", plain(done.stdout))
        check(done.returncode == 0 and said, f"{words}: exit {done.returncode}: {done.stdout}{done.stderr}")
        listed = pasted(m, f"{said[3]} --gpu sm_86", env)[1].splitlines()
        same(int(said[1]), sum(line.strip().startswith("searched ") for line in listed), f"{words}: {listed}")
        left = [line for line in listed if line.strip().startswith("not searched ") or line.endswith("is not a folder here")]
        left = [line for line in left if "anybody may put an environment there" not in line]  # where none is
        same(int(said[2] or 0), len(left), f"{words}: {left}")
        return int(said[2] or 0)

    verbs = ["prime"], ["prime"], ["prime", "--check"], ["verify"]
    for words in verbs:
        same(searched(*words), 0, words)
    same(m.run("prime", named, **env).returncode, 0, "named")
    (m.home / ".config/jitwarm").mkdir(parents=True)
    (m.home / ".config/jitwarm/jitwarm.conf").write_text(f"roots = {m.folder}/nowhere\nexclude = other\n")
    shutil.copytree(m.folder / "venv", m.home / "other/.venv", symlinks=True)
    (site / "closed.pth").symlink_to("nowhere")
    for words in verbs:
        same(searched(*words), 3, words)
        same(searched(*words, "--exclude", "named"), 4, words)


@case
def editable_installs(m):
    """Folders that .pth files name are searched, and watched: those of lines, and those in the finder of an editable install."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    lib = put(m.folder / "src/one/one/b.ptx", "b")
    put(m.folder / "src/four/built.cpython-311.ptx", "built")
    put(m.folder / "src/four/others/k.ptx", "others")
    for name in "two", "three", "relative", "later":
        put(m.folder / f"src/{name}/k.ptx", name)
    (site / "easy-install.pth").write_text(f"# a remark\n\nimport os; os.environ.get({str(m.folder / 'src/later')!r})\n{m.folder}/src/one  \n{m.folder}/nowhere\n")
    (site / "distutils-precedence.pth").write_text(f"import os; {str(m.folder / 'src/later')!r}\n")
    (site / "__editable__.two-0.1.pth").write_text("import __editable___two_0_1_finder; __editable___two_0_1_finder.install()")
    (site / "__editable___two_0_1_finder.py").write_text(f"MAPPING: dict[str, str] = {{'two': '{m.folder}/src/two', 'built': '{m.folder}/src/four/built'}}\n")
    (site / "_three.pth").write_text("import _editable_impl_three")
    (site / "_editable_impl_three.py").write_text(f'F.map_module("three", "{m.folder}/src/three/__init__.py")\n')
    (m.folder / "src/three/__init__.py").touch()
    (site / "relative.pth").write_text("../../../../src/relative\n.\n..\n")
    env = activated(m)
    time.sleep(0.1)  # one that was written a moment before it is read may change once more without a trace in its time
    answer, code = m.answer("prime", "--as-root", **env)
    same((code, states(answer)), (0, {"warmed": 6}), "found")
    holds(m, "--as-root", **env)
    put(lib.parent / "deeper/new.ptx", "new")
    warms(m, 1, "a file in such a folder", "--as-root", **env)
    holds(m, "--as-root", **env)
    (site / "later.pth").write_text(f"{m.folder}/src/later\n")
    warms(m, 1, "a new .pth file", "--as-root", **env)
    before = site.stat()
    put(m.folder / "src/last/k.ptx", "last")
    (site / "__editable___two_0_1_finder.py").write_text(f"MAPPING = {{'two': '{m.folder}/src/last'}}\n")
    put_back(site, before)
    warms(m, 1, "a finder that names another folder", "--as-root", **env)
    (site / "closed.pth").symlink_to("nowhere")
    answer, code = m.answer("prime", "--as-root", **env)
    check(any("closed.pth" in n and "cannot be read" in n for n in answer["notes"]), answer["notes"])
    (site / "closed.pth").unlink()
    (site / "too-much.pth").write_text("/\n")
    answer, code = m.answer("prime", "--as-root", **env)
    check(any("too-much.pth was not searched: it names /" in n for n in answer["notes"]), answer["notes"])


@case
def another_driver_in_front(m):
    """cuda-compat: the loader looks into that folder first, and finds another build there since."""
    folder, front, own = texts(m, 2), m.folder / "front", m.folder / "own"
    own.mkdir()
    front.mkdir()
    for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
        shutil.copy(m.opt.sim.parent / name, own)
    env = {"JITWARM_DRIVER": "", "LD_LIBRARY_PATH": f"{front}:{own}"}
    m.answer("prime", folder, **env)
    holds(m, folder, **env)
    for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
        shutil.copy(own / name, front)
    answer, code = m.answer("prime", folder, **env)
    same((code, answer["receipt"]), (0, False), "a driver in front of it")
    holds(m, folder, **env)
    (front / "glibc-hwcaps").mkdir()
    answer, code = m.answer("prime", folder, **env)
    same((code, answer["receipt"]), (0, False), "a folder that the loader looks into before")


@case
def a_driver_in_a_folder_of_a_processor(m):
    """A loader before glibc 2.37 looks into folders below tls, haswell and x86_64 first; the upper one is there before the driver is."""
    folder, front = texts(m, 1), m.folder / "front"
    front.mkdir()
    for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
        shutil.copy(m.opt.sim.parent / name, front)
    env = {"JITWARM_DRIVER": "", "LD_LIBRARY_PATH": str(front)}
    for sub in "x86_64/x86_64", "haswell/x86_64", "tls/x86_64", "tls/haswell", "tls/haswell/x86_64", "tls/haswell/avx512_1/x86_64":
        below = front / sub
        below.parent.mkdir(parents=True, exist_ok=True)
        m.answer("prime", folder, **env)
        holds(m, folder, **env)
        below.mkdir()
        for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
            shutil.copy(front / name, below)
        answer, code = m.answer("prime", folder, **env)
        same((code, answer["receipt"]), (0, False), sub)
        for name in "tls", "haswell", "x86_64":
            shutil.rmtree(front / name, ignore_errors=True)


@case
def a_driver_that_the_loaders_cache_lists(m):
    """A folder that is not mounted now: the loader takes the driver there as soon as it is back, and its cache has not changed."""
    folder, own, away, cache = texts(m, 1), m.folder / "own", m.folder / "away", m.folder / "ld.so.cache"
    own.mkdir()
    for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
        shutil.copy(m.opt.sim.parent / name, own)
    real = pathlib.Path("/etc/ld.so.cache")
    cache.write_bytes((real.read_bytes() if real.exists() else b"") + f"\0{away}/libcuda.so.1\0".encode())
    inside = ["unshare", "-Urm", "sh", "-c", 'mount --bind "$0" /etc/ld.so.cache && exec "$@"', str(cache)]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        raise Skip("no other /etc/ld.so.cache may be mounted here")

    def prime():
        done = subprocess.run([*inside, *m.command("prime", folder, "--as-root", "--json")], capture_output=True, text=True,
                              env=m.env | {"JITWARM_DRIVER": "", "LD_LIBRARY_PATH": str(own)})
        same(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["receipt"]

    prime()
    same(prime(), True, "nothing has changed")
    shutil.copytree(own, away)
    same(prime(), False, "it is back")
    same(prime(), True, "nothing has changed since")


@case
def settings_and_gpus(m):
    """Each variable that the driver reads, and each device that this process may use."""
    folder, root = texts(m, 1), m.folder / "root"
    (root / "dev").mkdir(parents=True)
    (root / "dev/nvidia0").touch()
    model = root / "proc/driver/nvidia/gpus/0000:01:00.0/information"
    model.parent.mkdir(parents=True)
    model.write_text("Model: \t\t NVIDIA H100\nIRQ:   \t\t 12\n")
    env = {"JITWARM_SYSROOT": str(root)}
    m.answer("prime", folder, "--as-root", **env)
    holds(m, folder, "--as-root", **env)
    model.write_text("Model: \t\t NVIDIA H100\nIRQ:   \t\t 13\n")
    holds(m, folder, "--as-root", **env)

    def changed(what, **more):
        answer, _ = m.answer("prime", folder, "--as-root", **env, **more)
        same(answer["receipt"], False, what)
        m.answer("prime", folder, "--as-root", **env)
        holds(m, folder, "--as-root", **env)

    for name in "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_DISABLE_PERF_BOOST", "LD_PRELOAD", "LD_AUDIT":
        changed(name, **{name: "" if name.startswith("LD_") else "0"})
    (root / "dev/nvidia0").rename(root / "dev/nvidia1")
    changed("another device")
    model.write_text("Model: \t\t NVIDIA A100\n")
    changed("another model")


def not_warm(m, what, words, **env):
    """Status, the first page and the report, of what was primed: warm is not said, and why is."""
    check(m.answer("status", **env)[0]["next_start"] != "warm", f"{what}: status --json")
    for verb in ["status"], []:
        text = " ".join(m.run(*verb, **env).stdout.split())
        check(words in text and "Everything primed is warm" not in text, f"{what}: {verb}: {text}")
    report = m.folder / "report.html"
    m.run("report", "-o", report, "--yes", **env)
    check(words in report.read_text(), f"{what}: report")


def is_warm(m, what, **env):
    same(m.answer("status", **env)[0]["next_start"], "warm", f"{what}: status --json")
    check("Everything primed is warm" in m.run(**env).stdout, f"{what}: the first page")


@case
def each_that_was_primed(m):
    """What was primed first changes or loses its entries: the newest receipt is not about it."""
    for n, name in enumerate(("a", "b")):
        put(m.folder / name / "k.ptx", f"k{n}")
        m.answer("prime", m.folder / name)
        if not n:
            first = [path_of(m, e) for e in m.cache().entries]
    last = m.answer("status")[0]["last_prime"]
    same((last["modules"], last["warm"]), (2, 2), "both")
    is_warm(m, "both")
    first[0].rename(m.folder / "entry")
    not_warm(m, "an entry of the first", "1 of 2 modules")
    (m.folder / "entry").rename(first[0])
    is_warm(m, "it is back")
    put(m.folder / "a/new.ptx", "new")
    not_warm(m, "the first has grown", f"unknown: changed since the last run: {m.folder}/a (before, 2 of 2 modules were warm)")
    m.answer("prime", m.folder / "a")
    last = m.answer("status")[0]["last_prime"]
    same((last["modules"], last["warm"]), (3, 3), "all of both")
    is_warm(m, "primed again")
    put(m.folder / "b/new.ptx", "newer")
    m.answer("prime")
    put(m.folder / "a/newest.ptx", "newest")
    not_warm(m, "after a run for all", f"unknown: changed since the last run: {m.folder}/a (before, 4 of 4 modules were warm)")
    m.answer("prime", m.folder / "a")
    is_warm(m, "the rest is as that run saw it")


def command_of_two(m):
    """A program that loads a module, and one that compiles another beside it: both are in no file when it is started again."""
    paths = [put(m.folder / f"gone/{k}.ptx", k) for k in ("r0", "r1")]
    return [m.opt.play, m.env["JITWARM_DRIVER"], "init", "ctx 0", *(word for p in paths for word in (f"load {p}", f"fn {p.stem}")), "nap 400"]


VERBS = ("prime", "--check"), ("verify",), ("prime",), ("prime", "--if-stale")


@case
def recorded_with_other_gpus(m):
    """By `run` alone, so that no receipt speaks of it: what it loads on another GPU, or under other settings, is not known.
    Set-up: a command was recorded with other GPUs or settings | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | starts it, and records it again"""
    command = command_of_two(m)
    for words in ("run", "--"), ("prime", "--run"):
        same(m.run(*words, *command).returncode, 0, words)
        is_warm(m, f"{words}: recorded")
        for env in dict(SIMCUDA_GPUS="sm_75:NVIDIA T4:16G"), dict(CUDA_VISIBLE_DEVICES="1"):
            receipt = m.answer("status")[0]["last_prime"]
            not_warm(m, f"{words}: {env}", f"changed since the last run: {min(env)}" if receipt else "started with other settings", **env)
            for verb in VERBS:
                answer, code = m.answer(*verb, **env)
                check(code in (1, 3) and answer["next_start"] != "warm", f"{words}: {env}: {verb}: {code} {answer['next_start']}")
                said = m.run(*verb, **env).stdout
                check("Nothing to do" not in said, f"{words}: {env}: {verb}: {said}")
        for verb in VERBS:
            same(m.answer(*verb)[1], 0, f"{words}: {verb}, as it was recorded")


@case
def recorded_in_another_folder(m):
    """The same words name another file there: what it loads is recorded there again."""
    play = shlex.join(map(str, [m.opt.play, m.env["JITWARM_DRIVER"], "init", "ctx 0", "load m.ptx", "nap 400"]))
    command = ["sh", "-c", f"test -f m.ptx && {play}"]
    for n in 1, 2:
        folder, before = put(m.folder / f"in{n}/m.ptx", f"other{n}").parent, set(m.root.glob("?/?/*"))
        done = subprocess.run(m.command("run", "--", *command), env=m.env, cwd=folder, capture_output=True, text=True, check=False)
        same(done.returncode, 0, done.stderr)
        is_warm(m, f"{folder}: recorded")
    for entry in set(m.root.glob("?/?/*")) - before:
        entry.unlink()
    not_warm(m, "what it loads in the second", "entry that recorded commands load is not in the cache")


@case
def recorded_with_another_gpu_in_its_place(m):
    """The system names the GPUs: /proc has another model than when the command was recorded. Its next start is recorded again.
    Set-up: a command was recorded with other GPUs or settings"""
    root = m.folder / "root"
    model = root / "proc/driver/nvidia/gpus/0000:01:00.0/information"
    model.parent.mkdir(parents=True)
    model.write_text("Model: \t\t NVIDIA H100\n")
    env, command = {"JITWARM_SYSROOT": str(root)}, command_of_two(m)
    same(m.run("run", "--", *command, **env).returncode, 0, "run")
    is_warm(m, "recorded", **env)
    model.write_text("Model: \t\t NVIDIA T4\n")
    not_warm(m, "another model", "1 recorded command was started with other GPUs", **env)
    for verb in VERBS:
        done = m.run(*verb, "--as-root", **env)
        check(done.returncode == 1 and "1 recorded command was started with other GPUs" in " ".join(done.stdout.split()), f"{verb}: {done.stdout}")
        check(f" --run {shlex.join(map(str, command))}\n" in done.stdout and "COMMAND" not in done.stdout, f"{verb}: {done.stdout}")
    done = m.run("run", "--", *command, **env)
    check("recording what this start loads" in " ".join(done.stderr.split()) or done.returncode == 0, done.stderr)
    is_warm(m, "recorded again", **env)


@case
def gpus_are_named_before_settings(m):
    """Both have changed: the GPU is the one to name."""
    root, folder = m.folder / "root", texts(m, 1)
    model = root / "proc/driver/nvidia/gpus/0000:01:00.0/information"
    model.parent.mkdir(parents=True)
    model.write_text("Model: \t\t NVIDIA H100\n")
    env = {"JITWARM_SYSROOT": str(root)}
    same(m.answer("prime", "--as-root", folder, **env)[1], 0, "prime")
    is_warm(m, "primed", **env)
    model.write_text("Model: \t\t NVIDIA T4\n")
    not_warm(m, "another model, other settings", "changed since the last run: the GPUs", CUDA_VISIBLE_DEVICES="0", **env)


@case
def a_script_that_is_named(m):
    """What a script has programs load is not known from it, and a text in it may be PTX: it is refused with the command that records its start, and
    is not remembered. Among libraries it is no matter.
    Set-up: a script is named instead of what it loads | refused, 2 | refused, 2 | refused, 2 | compiled, 1 | compiles first what was recorded"""
    folder = texts(m, 1)
    script, notes = folder / "app.py", folder / "notes"
    script.write_text(f"PTX = '''{PTX.format('k')}'''\n"), notes.write_text("none\n")
    for words in ("prime", "--check"), ("prime", "--dry-run"), ("verify",), ("prime",), ("prime",):
        for named, command in (script, f"jitwarm prime --run python3 {script}"), (notes, "jitwarm prime --run COMMAND"):
            done = m.run(*words, named)
            check(done.returncode == 2 and f"{named}: " in done.stderr and command in done.stderr, f"{words}: {done.returncode} {done.stdout} {done.stderr}")
    check("not finished" not in (m.answer("status")[0]["next_start_why"] or ""), "not remembered")
    library = shutil.copy("/bin/true", folder / "without-code")
    for named in (script, library), (folder,), (script, folder / "k0.ptx"):
        same(m.answer("prime", *named)[1], 0, named)
    is_warm(m, "beside libraries")


@case
def a_driver_that_was_asked_beside(m):
    """verify asks another driver: status goes on to speak of the one that programs load, and calls none of its entries outdated."""
    folder = texts(m, 2)
    own_driver(m)
    m.answer("prime", folder)
    before = m.answer("status")[0]
    check(m.answer("verify", folder, **other_driver(m))[1] == 1, "the other driver has nothing there")
    after = m.answer("status")[0]
    for key in "next_start", "counts", "primed", "last_prime":
        same(after[key], before[key], key)
    same(after["next_start"], "warm", "status")


@case
def drivers_in_turn(m):
    """A home that machines with two driver builds share: what was primed with one stays known when the other has primed the same, and what only the
    other has primed is said."""
    own_driver(m)
    folder, other = texts(m, 2), other_driver(m)
    m.answer("prime", folder)
    before = m.answer("status")[0]
    same((before["next_start"], before["last_prime"]["modules"]), ("warm", 2), "the first")
    m.answer("prime", folder, **other)
    for env in {}, other:
        answer = m.answer("status", **env)[0]
        same((answer["next_start"], answer["last_prime"]["modules"], answer["last_prime"]["warm"]), ("warm", 2, 2), f"in turn: {env}")
        holds(m, folder, **env)
    lib = m.library(count=3)[0]
    m.answer("prime", lib, **other)
    answer = m.answer("status")[0]
    same((answer["next_start"], answer["next_start_why"]), ("unknown", f"not primed with this driver yet: {lib}"), "of the other alone")
    same((answer["last_prime"]["modules"], answer["last_prime"]["warm"]), (2, 2), "its own")
    same(m.answer("status", **other)[0]["next_start"], "warm", "the other")
    same(m.answer("prime", "--check")[1], 1, "--check")
    same(m.answer("prime")[1], 0, "prime")
    same(m.answer("status")[0]["next_start"], "warm", "of both")


@case
def recorded_with_another_driver(m):
    """Another PATH is primed for a new driver build: what the command loads is not in the cache for that one, until a prime has it.
    Set-up: a command was recorded with another driver build, and another PATH was primed since | of all: would compile, 1 | of all: compiles, 0 | of all: names what is missing, 1 | compiled, 1 | compiles first what was recorded"""
    own_driver(m)
    command, lib = command_of_two(m), m.library(count=3)[0]
    same(m.run("run", "--", *command).returncode, 0, "run")
    is_warm(m, "recorded")
    update_driver(m)
    same(m.answer("prime", lib)[1], 0, "another path")
    not_warm(m, "another driver", "1 recorded command was started with another driver")
    for verb in ("prime", "--check"), ("verify",):
        same(m.answer(*verb)[1], 1, verb)
    answer, code = m.answer("prime")
    same((code, answer["next_start_why"]), (0, None), "prime")
    is_warm(m, "its modules are compiled for this driver, too")
    for verb in VERBS:
        same(m.answer(*verb)[1], 0, verb)
    for path in [path_of(m, e) for e in m.cache().entries]:
        if path.exists():
            path.rename(m.folder / "entry")
            if m.answer("status")[0]["next_start"] == "warm":  # it was of the other driver
                continue
            for verb in VERBS[:2]:
                same(m.answer(*verb)[1], 1, f"without one of its entries: {verb}")
            (m.folder / "entry").rename(path)


@case
def files_that_a_command_names(m):
    """A script that was changed, and a program that was replaced, may load what nobody has seen: no verb calls them warm until their start is recorded
    again. What the command writes itself is not such a file.
    Set-up: a file that a recorded command names has changed | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | says what it did | records its start again"""
    own_driver(m)
    first, log, script, program = command_of(m, 2), m.folder / "log", m.folder / "start.sh", m.folder / "program"
    log.write_text("before\n")
    shutil.copy("/bin/sh", program)

    def write(*words):
        script.write_text(f"echo once more >>{log}\n{shlex.join(map(str, words))}\n")

    write(*first)
    command = [program, script, f"--log={log}"]
    same(m.run("run", "--", *command).returncode, 0, "run")
    is_warm(m, "recorded")
    for words in ("prime", "--check"), ("verify",), ("prime",):
        same(m.answer(*words)[1], 0, words)
    same(subprocess.run(command, env=m.env, capture_output=True).returncode, 0, "it writes to its log")
    is_warm(m, "a file that it writes")
    program.unlink()
    shutil.copy("/bin/sh", program)
    is_warm(m, "another copy of its program")
    for file, change in (script, lambda: write(*first, *first[-1:])), (program, lambda: program.write_bytes(program.read_bytes() + b"\n")):
        change()
        not_warm(m, file, f"changed since a command that names it was recorded: {file}")
        for words in ("prime", "--check"), ("verify",), ("prime",), ("prime",):
            same(m.answer(*words)[1], 1, f"{file}: {words}")
        same(m.run("run", "--", *command).returncode, 0, f"{file}: run")
        is_warm(m, f"{file}: recorded again")
    script.unlink()
    not_warm(m, "gone", f"gone since a command that names it was recorded: {script}")


@case
def folders_that_a_command_names(m):
    """A program that is given a folder loads what is in it, and one that is beside its kernels loads these: where one of them is changed, added or removed,
    no verb calls that warm. A log or a result there is nothing, and neither is CUDA code that the command writes itself.
    Set-up: a CUDA file changes in a folder that a recorded command names, or beside its script | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | says what it did | records its start again"""
    own_driver(m)
    models, tool = m.folder / "models", m.folder / "opt/tool"
    k = [put(models / f"deep/k{i}.ptx", f"k{i}") for i in range(2)]
    beside, script = put(tool / "kernels/beside.ptx", "beside"), tool / "start.sh"
    (tool / "kernels/loop.so").symlink_to("loop.so")  # these hold no code, then and now
    (tool / "kernels/nowhere.so").symlink_to("gone.so")
    os.mkfifo(tool / "kernels/pipe.so")

    def write(extra=""):
        files = [*sorted(models.rglob("*.ptx")), *sorted(tool.rglob("*.ptx"))]
        play = [m.opt.play, m.env["JITWARM_DRIVER"], "init", "ctx 0", *(f"load {p}" for p in files)]
        script.write_text(f"cd {models.parent}\necho step >>models/log; date +%s%N >>{tool}/out\n{extra}{shlex.join(map(str, play))}\n")

    write()
    command = ["sh", script, f"--models={models}"]
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")
    is_warm(m, "recorded")
    for words in ("prime", "--check"), ("verify",), ("prime",):
        same(m.answer(*words)[1], 0, words)
    said = " ".join(m.run("verify").stdout.split())
    check("loaded all 3 modules of the start that was recorded less than a minute ago, and compiled nothing" in said and f"jitwarm verify --run {shlex.join(map(str, command))}" in said, said)
    (models / "later.log").write_text("nothing")
    (tool / "result.json").write_text("{}")
    (models / "cfg").mkdir()
    same(subprocess.run(command, env=m.env, capture_output=True).returncode, 0, "it writes its log")
    is_warm(m, "logs and results")
    for words in ("prime", "--check"), ("verify",):
        same(m.answer(*words)[1], 0, f"logs and results: {words}")

    new = models / "cfg/new.ptx"
    for change, why, file in ((lambda: put(k[0], "another"), "changed", k[0]), (lambda: put(new, "new"), "new", new), (new.unlink, "gone", new),
                              (lambda: put(beside, "another beside"), "changed", beside)):
        change()
        not_warm(m, why, f"{why} since a command that {'loads it' if why == 'changed' else 'names its folder'} was recorded: {file}")
        for words in ("prime", "--check"), ("verify",), ("prime",), ("prime",):
            same(m.answer(*words)[1], 1, f"{why} {file}: {words}")
        command_words = shlex.join(map(str, command))
        check(f"jitwarm prime --run {command_words}" in m.run("prime", "--check").stdout, m.run("prime", "--check").stdout)
        same(m.run("run", "--", *command).returncode, 0, f"{why} {file}: run")
        is_warm(m, f"{why} {file}: recorded again")

    for i in range(5000):
        (models / f"row{i}").write_text("")
    not_watched = f"{models} is not watched: it holds too many files"
    is_warm(m, "many files of data")
    done = m.run("prime", "--run", *command)
    check(not_watched in " ".join(done.stdout.split()), done.stdout)
    is_warm(m, "not watched")
    check(not_watched in " ".join(m.run("verify").stdout.split()), m.run("verify").stdout)


@case
def program_files_beside_a_script(m):
    """What a script may import or source: where one of them changes, comes or goes, no verb calls that warm. Data and hidden folders are nothing.
    Set-up: a program file (*.py, *.sh) changes beside the script of a recorded command | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | records its start again"""
    own_driver(m)
    tool = m.folder / "opt/tool"
    (tool / "lib/deep/deeper").mkdir(parents=True)
    script, near, far = tool / "start.sh", tool / "lib/deep/deeper/play.sh", tool / "lib/deep/deeper/deepest"
    near.write_text(shlex.join(map(str, command_of(m, 2))) + "\n")
    script.write_text(f". {near}\n")
    command = ["sh", script]
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")
    is_warm(m, "recorded")
    os.utime(near, (1, 1))
    for folder in (".git", "node_modules", "__pycache__", "data", far.name):
        (tool / folder).mkdir() if folder != far.name else far.mkdir()
    for i in range(1001):
        (tool / f"data/{i}.sh").touch()
    for path in (tool / ".git/hook.py", tool / "node_modules/x.py", tool / "__pycache__/x.py", far / "x.py", tool / "notes.txt"):
        path.touch()
    is_warm(m, "what it does not import")
    for change, why, file in ((lambda: near.write_text(near.read_text() + "\n"), "changed", near), (lambda: (tool / "new.py").touch(), "new", tool / "new.py"), ((tool / "new.py").unlink, "gone", tool / "new.py")):
        change()
        not_warm(m, why, f"{why} since a command that names its folder was recorded: {file}")
        for words in ("prime", "--check"), ("verify",), ("prime",), ("prime",):
            same(m.answer(*words)[1], 1, f"{why} {file}: {words}")
        same(m.run("run", "--", *command).returncode, 0, f"{why} {file}: run")
        is_warm(m, f"{why} {file}: recorded again")
    for i in range(5):
        (tool / f"set{i}/rows").mkdir(parents=True)
        for k in range(900):
            (tool / f"set{i}/rows/{k}").touch()
    done = m.run("prime", "--run", *command)
    check(f"all below the first levels of {tool} is not watched: it holds too many files" in " ".join(done.stdout.split()), done.stdout)
    is_warm(m, "not watched")
    script.write_text("\n" + script.read_text())
    not_warm(m, "beside it is", f"changed since a command that names it was recorded: {script}")


@case
def source_files_that_a_command_reads(m):
    """Modules of Python and CUDA sources, wherever they lie: where one has other bytes, or is gone, no verb calls that warm. Nobody reads those of the folders beside it.
    Set-up: a source file (*.py, *.pyc, *.cu, *.sh) that a recorded command reads changes, or is gone | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | records its start again"""
    own_driver(m)
    lib = m.folder / "opt/lib"
    (lib / "deep").mkdir(parents=True)
    read, code, beside = lib / "deep/which.py", lib / "kernels.cu", lib / "unread.py"
    for path in read, code, beside:
        path.write_text("# 1\n")
    script = m.folder / "tool/start"
    script.parent.mkdir()
    script.write_text(f'for file in {lib}/*.py {lib}/*.cu {read}; do [ $file = {beside} ] || cat $file; done >/dev/null\n' + shlex.join(map(str, command_of(m, 2))) + "\n")
    command = ["sh", script]
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")
    is_warm(m, "recorded")
    read.touch()
    beside.write_text("# 2\n")
    code.unlink(), code.write_text("# 1\n")
    is_warm(m, "the same bytes")
    for change, why, file in ((lambda: read.write_text("# 3\n"), "changed", read), (lambda: code.write_text("# 3\n"), "changed", code), (code.unlink, "gone", code)):
        change()
        not_warm(m, why, f"{why} since a command that reads it was recorded: {file}")
        for words in ("prime", "--check"), ("verify",), ("prime",), ("prime",):
            same(m.answer(*words)[1], 1, f"{why} {file}: {words}")
        same(m.run("run", "--", *command).returncode, 0, f"{why} {file}: run")
        is_warm(m, f"{why} {file}: recorded again")
    packages, n = m.folder / "opt/lib/python3/site-packages", 0
    while n < 8193:  # as those of large packages: in many folders below one that has modules, too, and many in one folder
        folder = packages / ("triton_kernels/generated_for_attention" if n % 4 == 0 else f"transformers/models/model_family_{n // 32}")
        name = folder / f"configuration_and_modeling_of_{n}.py" if n % 64 else packages / f"single_module_{n}.py"
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_text(f"# {n}\n")
        n += 1
    script.write_text(f"find {packages} -name '*.py' -exec cat {{}} + >/dev/null\n" + shlex.join(map(str, command_of(m, 2))) + "\n")
    for words in ("prime", "--run", *command), ("verify",):
        done = m.run(*words)
        check("the rest of the source files that it reads is not watched: they are more than 8,192" in " ".join(done.stdout.split()), done.stdout)
    is_warm(m, "more than are compared")
    for file in packages / "single_module_64.py", packages / "transformers/models/model_family_3/configuration_and_modeling_of_97.py":
        kept = file.read_text()
        file.write_text("# another\n")
        not_warm(m, "of many", f"changed since a command that reads it was recorded: {file}")
        file.write_text(kept)
    is_warm(m, "all of many")


@case
def modules_of_a_python_whose_calls_are_not_seen(m):
    """Another program traces it already: who records it and who verifies it says that its modules are not compared."""
    load = m.folder / "load.py"
    load.write_text("import ctypes, time\ncuda, context = ctypes.CDLL(" + repr(own_driver(m)) + "), ctypes.c_void_p()\ncuda.cuInit(0)\ncuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)\n"
                    f"cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), open({str(put(m.folder / 'k.ptx', 'k0'))!r}, 'rb').read() + bytes(1))\ntime.sleep(0.4)\n")
    why = "what it imports is not watched: another program traces it already; a change there is not noticed"
    module = (sys.executable, "-m", "load")  # these words name no file of it
    for words in module, (sys.executable, load):
        done = m.run("run", "--", m.opt.tool, "prime", "--run", *words, PYTHONPATH=m.folder)
        said = " ".join((done.stdout + done.stderr).split())
        check(why in said, f"prime --run {words}: {said}")
    said = " ".join(m.run("verify").stdout.split())
    check(why in said, said)
    is_warm(m, "recorded")
    for words in module, (sys.executable, load):
        same(m.run("prime", "--run", *words, PYTHONPATH=m.folder).returncode, 0, f"prime --run {words}")
    said = " ".join(m.run("verify").stdout.split())
    check("is not watched" not in said, said)


@case
def programs_that_path_finds(m):
    """The same words start another program where PATH leads elsewhere, and the same one where that is the same file.
    Set-up: PATH finds another program than the recorded one | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | of what it starts | records its start again"""
    own_driver(m)
    path, one, other = m.env["PATH"], m.folder / "one/bin", m.folder / "two/bin"
    one.mkdir(parents=True), other.mkdir(parents=True)
    (one / "tool").write_text("#!/bin/sh\n" + shlex.join(map(str, command_of(m, 2))) + "\n")
    (one / "tool").chmod(0o755)
    same(m.run("prime", "--run", "tool", PATH=f"{one}:{path}").returncode, 0, "prime --run")
    is_warm(m, "recorded", PATH=f"{one}:{path}")
    is_warm(m, "nowhere")
    (other / "tool").symlink_to(one / "tool")
    env = {"PATH": f"{other}:{one}:{path}"}
    is_warm(m, "the same file", **env)
    (m.folder / "two/pyvenv.cfg").touch()
    why = f"tool is now {other}/tool, and not {one}/tool, which was recorded"
    not_warm(m, "of a virtual environment", why, **env)
    (m.folder / "two/pyvenv.cfg").unlink()
    (other / "tool").unlink()
    shutil.copy(one / "tool", other / "tool")
    not_warm(m, "another file", why, **env)
    for words in ("prime", "--check"), ("verify",), ("prime",), ("prime",):
        same(m.answer(*words, **env)[1], 1, words)
    check("jitwarm prime --run tool" in m.run("prime", "--check", **env).stdout, m.run("prime", "--check", **env).stdout)
    same(m.run("prime", "--run", "tool", **env).returncode, 0, "prime --run")
    is_warm(m, "recorded again", **env)


@case
def what_is_gone_is_forgotten(m):
    """A command whose script is gone cannot be started again. It and software that is gone are forgotten by prune --gone --yes alone: a volume may be mounted again.
    Set-up: a file that a recorded command names is gone | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | fails | says so; prune --gone --yes forgets it"""
    own_driver(m)
    stays, goes, script = m.library("stays.so", count=2)[0], m.library("goes.so", count=1, seed=2)[0], m.folder / "start.sh"
    script.write_text(shlex.join(map(str, command_of(m, 2))) + "\n")
    for words in ("prime", stays), ("prime", goes):
        same(m.answer(*words)[1], 0, words)
    same(m.run("run", "--", "sh", script).returncode, 0, "run")
    same(m.answer("prime")[1], 0, "prime")
    is_warm(m, "all of it")
    same(m.answer("prune", "--gone")[0]["gone"], [], "all is there")
    kept = script.read_text()
    script.unlink()
    why = f"gone since a command that names it was recorded: {script}"
    not_warm(m, "gone", why)
    done = m.run("prime", "--check")
    same(done.returncode, 1, "--check")
    check("jitwarm prune --gone" in done.stdout, done.stdout)
    for words in ("prune",), ("prune", "--yes"), ("prune", "--gone"), ("prune", "--gone", "--yes", "--dry-run"):
        answer = m.answer(*words)[0]
        same((answer["gone"], answer["forgotten"]), ([{"command": f"sh {script}", "file": str(script)}], False), words)
        not_warm(m, words, why)
    script.write_text(kept)  # it came back, with another time
    is_warm(m, "back")
    script.write_text(kept + "\n")
    not_warm(m, "another", f"changed since a command that names it was recorded: {script}")
    same(m.answer("prune", "--gone")[0]["gone"], [], "it came back")
    script.unlink()
    goes.unlink()
    answer, code = m.answer("prune", "--gone", "--yes")
    same((answer["end"], answer["forgotten"], code), ("done", True, 0), "forgotten")
    same(sorted(g["file"] for g in answer["gone"]), sorted((str(goes), str(script))), "forgotten")
    same(m.answer("prune", "--gone", "--yes")[0]["end"], "nothing", "again")
    for verb in VERBS:
        same(m.answer(*verb)[1], 0, verb)
    same(m.answer("prime")[1], 0, "prime")
    is_warm(m, "what is left")


@case
def what_holds_no_code_any_more(m):
    """A program that was primed by name and became a script, a text, an empty file, or a folder that was emptied: nobody says that nothing is to be done. A
    folder that was named and never had code is not missed.
    Set-up: what was primed by name holds no code any more | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | says what it did | says so; prune --gone --yes forgets it"""
    own_driver(m)
    other, texts = m.library("other.so", count=1, seed=2)[0], m.folder / "texts"
    texts.mkdir()
    (texts / "readme").write_text("text")
    for others in False, True:
        for text in "#!/bin/sh\nexec ./app.real\n", "text\n", "", None:
            app = m.library("app/app.so", count=2)[0]
            named = app.parent if text is None else app
            kept = app.read_bytes()
            same(m.run("prime", named, texts, *([other] if others else [])).returncode, 0, "prime by name")
            same(m.run("prime").returncode, 0, "prime of all")
            is_warm(m, "all of it")
            app.unlink() if text is None else app.write_text(text)
            why = f"what was primed holds no CUDA code any more: {named}"
            what = f"{text!r}, {'others are here' if others else 'alone'}"
            known = False  # a prime remembers it: before, there is nothing to forget
            for verb in ("prime", "--check"), ("verify",), ("prime",), ("prime", "--check"), ("verify",), ("status",):
                answer, code = m.answer(*verb)
                same((answer["next_start"], answer["next_start_why"], code), ("unknown", why, 0 if verb == ("status",) else 1), f"{what}: {verb}")
                done = " ".join(m.run(*verb).stdout.split())
                check(why in done and "Nothing to do" not in done, f"{what}: {verb}: {done}")
                known |= verb == ("prime",)
                same(re.findall("To do +(jitwarm [a-z]+( --gone)?)", done)[0][0], "jitwarm prune --gone" if known else "jitwarm prime", f"{what}: {verb}")
            same([f["id"] for f in m.answer("doctor")[0]["findings"] if f["id"] in ("primed-gone", "cache-evicted")], ["primed-gone"], f"{what}: doctor")
            same(m.answer("prune", "--gone")[0]["gone"], [{"command": None, "file": str(named)}], f"{what}: prune --gone")
            app.write_bytes(kept)
            same(m.answer("prime")[0]["next_start"], "warm", f"{what}: it came back")
            is_warm(m, f"{what}: it came back")
            app.unlink() if text is None else app.write_text(text)
            same(m.answer("prime")[1], 1, f"{what}: and went again")
            same(m.answer("prune", "--gone", "--yes")[0]["forgotten"], True, f"{what}: forgotten")
            same([(f["file"]) for f in m.answer("prune", "--gone")[0]["gone"]], [], f"{what}: forgotten")
            check(why not in m.run("status").stdout and why not in m.run("prime", "--check").stdout, f"{what}: forgotten")
            same(m.answer("prime", "--check")[1], 0 if others else 1, f"{what}: forgotten")


@case
def what_a_damaged_record_was_about(m):
    """Other software was found since, and is warm. What was named has entries in the cache, and no verb calls all of it warm, until it is named
    again, or forgotten.
    Set-up: the record was damaged; what is found now is less than the cache holds | of all: says so, 1 | of all: says so, 0 | of all: says so, 1 | compiles nothing where it is warm | says so; prune --gone --yes forgets it"""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    env = activated(m)
    solver, why = put(m.folder / "solver/k.ptx", "k").parent, "more is in the cache than the software that was found needs"

    def damage():
        same(m.run("prime", solver, "--as-root", **env).returncode, 0, "named")
        for log in pathlib.Path(m.env["JITWARM_STATE"] if "JITWARM_STATE" in m.env else m.folder).rglob("warm.log"):
            log.write_bytes(b"x" * 64 + log.read_bytes()[64:])
        for _ in range(2):
            same(m.run("prime", "--as-root", **env).returncode, 0, "found")

    def says(what, code):
        for words, ends in (("status",), 0), (("prime", "--as-root", "--check"), code), (("verify", "--as-root"), code), (("doctor", "--ignore", "cache-path-memory", "--ignore", "cache-container"), code):
            done = m.run(*words, **env)
            said = " ".join((done.stdout + done.stderr).split())
            same((done.returncode, why in said, "To do jitwarm prune --gone" in said), (ends, bool(code), bool(code)), f"{what}: {words}: {said}")

    damage()
    says("other software was found", 1)
    same(m.run("prune", "--gone", **env).returncode, 0, "listed")
    same(m.run("prune", "--gone", "--yes", **env).returncode, 0, "forgotten")
    says("forgotten", 0)
    damage()
    same(m.run("prime", solver, "--as-root", **env).returncode, 0, "named again")
    says("named again", 0)


@case
def files_in_the_words_of_a_shell(m):
    """sh -c 'cd DIR && ./start.sh': the script is named inside a word."""
    own_driver(m)
    first = command_of(m, 2)
    for k, line in enumerate(("true;sh '{}' 2>&1 | cat", 'umask 22 && sh "{}"')):
        script = m.folder / f"of {k}/my start.sh"
        script.parent.mkdir()
        script.write_text(shlex.join(map(str, first)) + "\n")
        command = ["sh", "-c", line.format(script)]
        same(m.run("run", "--", *command).returncode, 0, "run")
        is_warm(m, f"recorded: {line}")
        script.write_text(shlex.join(map(str, (*first, first[-1]))) + "\n")
        not_warm(m, line, f"changed since a command that names it was recorded: {script}")
        same(m.run("run", "--", *command).returncode, 0, "run")
        is_warm(m, f"recorded again: {line}")


@case
def made_with_another_driver(m):
    """What a command loaded with another driver build is of no module, as what NVRTC stores: no verb says that all is warm, until it is
    started with this one.
    Set-up: a command was recorded with another driver build, and what it loads is of no module (NVRTC) | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | compiles first what was recorded; the rest compiles"""
    own_driver(m)
    command, folder = command_of_two(m), texts(m, 1)
    same(m.run("run", "--", *command).returncode, 0, "run")
    shutil.rmtree(m.folder / "gone")
    for kept in (m.folder / "state").rglob("*.kept"):
        kept.unlink()
    m.forget_cache()
    update_driver(m)
    same(m.answer("prime", folder)[1], 0, "what was named")
    for _ in range(2):
        not_warm(m, "another driver", "1 recorded command was started with another driver")
        for verb in VERBS:
            answer, code = m.answer(*verb)
            same((code, answer["next_start"], answer["next_start_why"]), (1, "unknown", "1 recorded command was started with another driver"), verb)
            said = " ".join(m.run(*verb).stdout.split())
            check("was started with another driver" in said and "Nothing to do" not in said and "prime --run" in said, f"{verb}: {said}")


@case
def entries_of_a_recorded_command(m):
    """One that no file has is lost: each run that speaks of all names it, and the one that named software does not.
    Set-up: an entry that a recorded command loads, and that no file has, is gone | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | says so, starts it"""
    command, folder = command_of_two(m), texts(m, 1)
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")
    path_of(m, sorted(m.cache().entries)[0]).unlink()
    for words in ("status",), ("prime", "--check"):
        check(re.search(r"To do +jitwarm prime\n", m.run(*words).stdout), f"{words}: its PTX is kept: nothing has to be started")
    same((m.answer("prime")[1], len(m.cache().entries)), (0, 2), "prime compiles what is kept")
    for kept in (m.folder / "state").rglob("*.kept"):
        kept.unlink()
    m.answer("prime", folder)
    is_warm(m, "all is there")
    path_of(m, sorted(m.cache().entries)[0]).unlink()
    names = [e for e in m.cache().records if not path_of(m, e[0]).exists()]
    if states(m.answer("prime", folder)[0]) != {"warm": 1}:  # it was the folder's
        path_of(m, sorted(m.cache().entries)[1]).unlink()
    not_warm(m, f"an entry is lost: {names}", "1 entry that recorded commands load is not in the cache")
    for verb in VERBS:
        answer, code = m.answer(*verb)
        same((code, answer["next_start"]), (1, "compiles"), f"{verb}: {answer['next_start_why']}")
        said = " ".join(m.run(*verb).stdout.split())
        check("1 entry that recorded commands load is not in the cache" in said and "Nothing to do" not in said, f"{verb}: {said}")
    same(m.answer("prime", folder, "--check")[1], 0, "what was named is warm")
    start = f"jitwarm prime --run {shlex.join(map(str, command))}"
    for words in ("status",), ("prime", "--check"), ("verify",), ("prime",):
        done = m.run(*words)
        todo = " ".join(done.stdout.partition("To do")[2].split("#")[0].split("simulated:")[0].split())
        same(todo, start, f"{words}: {done.stdout}")
    done = m.run("doctor")
    check("[command-cold]" in done.stdout and start in done.stdout and done.returncode == 1, done.stdout)


@case
def asked_for_and_not_finished(m):
    """Killed, out of time, out of room: what was named is taken up again by each run without PATH, and status names it until then.
    Set-up: a prime of a named PATH did not finish (killed, no room, time limit) | of all: the rest, 1 | of all: takes it up again | of all: names what is missing, 1 | compiled, 1 | compiles what is left of what it knows"""
    a, b = m.folder / "a", m.folder / "b"
    put(a / "k.ptx", "k0")
    for i in range(6):
        put(b / f"k{i}.ptx", f"z{i}")

    def killed():
        run = m.start("prime", b, "--jobs", "1", SIMCUDA_COST="0+60", SIMCUDA_FAULTS="slow@init=1s")
        m.until(run, "compile")
        run.kill()
        run.wait()
        m.wait_for_silence()

    def killed_at_once():
        run = m.start("prime", b, "--jobs", "1", SIMCUDA_FAULTS="slow@init=1s", JITWARM_STATE=str(m.folder / "state"))
        until = time.monotonic() + 30
        while time.monotonic() < until and not any(b"b" in log.read_bytes() and str(b).encode() in log.read_bytes() for log in (m.folder / "state").rglob("warm.log")):
            time.sleep(0.01)
        run.kill()
        run.wait()
        m.wait_for_silence()

    def out_of_room():
        same(m.run("prime", b, "--yes", CUDA_CACHE_MAXSIZE="1500").returncode, 1, "no room")

    for stop in killed_at_once, killed, out_of_room:
        m.answer("prime", a)
        is_warm(m, "a alone")
        stop()
        stop()
        cold = 6 - sum(1 for _ in m.cache().entries) + 1
        check(cold > 0, f"{stop.__name__}: {cold} are left")
        not_warm(m, stop.__name__, f"not finished: {b}")
        last = m.answer("status")[0]["last_prime"]
        check(last["warm"] <= len(m.cache().entries), f"{stop.__name__}: {last}")
        same(m.run("prime", "--check").returncode, 1, f"{stop.__name__}: the dry run")
        same(m.run("verify").returncode, 1, f"{stop.__name__}: verify")
        answer, code = m.answer("prime", "--if-stale")
        same((code, states(answer).get("warmed")), (0, cold), f"{stop.__name__}: prime takes it up again")
        is_warm(m, f"{stop.__name__}: finished")
        shutil.rmtree(m.folder / "state/caches")
        m.forget_cache()


@case
def more_than_is_watched(m):
    """Of a command whose words name very many folders or files only the first ones are compared: who records it and who verifies it says so."""
    play = m.folder / "bin/play"  # not where tests of this build left thousands of files
    play.parent.mkdir()
    shutil.copy2(m.opt.play, play)
    for n, kind in (40, "d"), (80, "f"):
        named = [m.folder / f"{kind}/{i}" for i in range(n)]
        for path in named:
            (path if kind == "d" else path.parent).mkdir(parents=True, exist_ok=True)
            if kind == "f":
                path.write_text("a list")
        command = ["sh", "-c", f'exec "$0" "$1" init "ctx 0" "load {put(m.folder / "gone/r0.ptx", "r0")}" "fn r0"', play, own_driver(m), *named]
        said = " ".join(m.run("prime", "--run", *command).stdout.split())
        check("the rest of what its words name is not watched: they name more folders or files than are compared" in said, f"{kind}: {said}")
        said = " ".join(m.run("verify").stdout.split())
        check("the rest of what its words name is not watched" in said, f"{kind}: verify: {said}")
        shutil.rmtree(m.folder / "state/caches")
        m.forget_cache()


@case
def a_recording_that_is_killed(m):
    """A start that was to be recorded, and was not to its end, is remembered until one is. One that is still recorded is none of these.
    Set-up: a command was killed while `run` or `prime --run` recorded its start | of all: says so, 1 | of all: says so, 1 | of all: says so, 1 | compiled, 1 | starts it, and records it"""
    m.run("prime", put(m.folder / "a/k.ptx", "k0"))
    command = [*command_of_two(m)[:-1], "nap 4000"]
    told = "the start of 1 command was not recorded to its end"

    def begun():
        return list((m.folder / "state").rglob("*.begun"))

    for words in ("run", "--"), ("prime", "--run"):
        run = m.start(*words, *command)
        until = time.monotonic() + 30
        while not (begun() and len(m.cache(deep=False).records) >= 3) and time.monotonic() < until:
            time.sleep(0.02)
        same((run.poll(), len(begun())), (None, 1), f"{words}: it runs")
        check(told not in m.run("status").stdout, f"{words}: it is recorded now")
        run.kill()
        run.communicate(timeout=60)
        for lost in False, True:
            if lost:
                m.forget_cache()
                m.answer("prime")
            not_warm(m, f"{words}: killed", "2 entries that recorded commands load" if lost and words[0] == "prime" else told)
            for verb in VERBS:
                done = m.run(*verb)
                check(done.returncode == 1 and f"jitwarm prime --run {shlex.quote(str(command[0]))}" in done.stdout, f"{words}: {verb}: {done.returncode} {done.stdout}")
        same(m.run(*words, *command).returncode, 0, f"{words}: to its end")
        same(begun(), [], f"{words}: nothing is open")
        is_warm(m, f"{words}: recorded")


@case
def a_recording_whose_program_is_gone(m):
    """No start of it can compile anything."""
    m.run("prime", put(m.folder / "a/k.ptx", "k0"))
    script = m.folder / "serve"
    script.write_text("#!/bin/sh\nsleep 30\n")
    script.chmod(0o755)
    run = m.start("run", "--", script)
    check("recording" in run.stderr.readline(), "it runs")
    run.kill()
    run.communicate(timeout=60)
    until = time.monotonic() + 20
    while m.answer("status")[0]["next_start"] == "warm" and time.monotonic() < until:
        time.sleep(0.05)  # who traced its calls ends, too
    not_warm(m, "killed", "not recorded to its end")
    script.unlink()
    is_warm(m, "its program is gone")


@case
def a_first_prime_that_is_killed_twice(m):
    """Status says what is in the cache, and no more."""
    folder = texts(m, 4)
    for _ in range(2):
        run = m.start("prime", folder, "--jobs", "1", SIMCUDA_COST="0+60", SIMCUDA_FAULTS="slow@init=1s")
        m.until(run, "compile")
        run.kill()
        run.wait()
        m.wait_for_silence()
        n, said = len(m.cache().entries), " ".join(m.run("status").stdout.split())
        words = f"unknown: {n} module{'' if n == 1 else 's'} compiled or imported; not finished: {folder}" if n else f"unknown: not finished: {folder}"
        check(words in said and m.answer("status")[0]["next_start"] == "unknown", f"{n} entries: {said}")
    m.forget_cache()
    check("compiled or imported" not in m.run("status").stdout, "an empty cache")
    folder.rename(m.folder / "moved")
    check("nothing was primed here yet" in m.run("status").stdout, "it is gone")


@case
def primed_in_part(m):
    """For one of two GPUs, or without some of it: that says nothing of other starts."""
    gpus = {"SIMCUDA_GPUS": "sm_86:NVIDIA GeForce RTX 3070:8G;sm_89:NVIDIA GeForce RTX 4090:24G"}
    put(m.folder / "a/k.ptx", "k0")
    put(m.folder / "a/l.ptx", "k1")
    for option, value, words in ("--gpu", "0", "primed only for GPU 0"), ("--exclude", "*/l.ptx", "primed without */l.ptx"):
        same(m.answer("prime", m.folder / "a", option, value, **gpus)[1], 0, option)
        not_warm(m, option, words, **gpus)
        same(m.answer("prime", m.folder / "a", **gpus)[1], 0, "all of it")
        is_warm(m, f"all, after {option}", **gpus)
        same(m.answer("prime", m.folder / "a", option, value, **gpus)[1], 0, option)
        is_warm(m, f"{option}, after all", **gpus)
        shutil.rmtree(m.folder / "state/caches")
        shutil.rmtree(m.root)


@case
def an_auditor(m):
    """LD_AUDIT may have the loader take another driver for programs, and jitwarm's workers have none: no verb says that all is warm."""
    folder, env = texts(m, 1), {"LD_AUDIT": str(m.folder / "audit.so")}
    m.answer("prime", folder)
    for words in ("prime", folder, "--check"), ("verify", folder), ("prime", folder), ("prime", folder), ("prime", folder, "--check"):
        answer, code = m.answer(*words, **env)
        same((code, answer["next_start"]), (1, "unknown"), words)
        check("LD_AUDIT" in answer["next_start_why"], answer["next_start_why"])
        done = m.run(*words, **env)
        check(done.returncode == 1 and "Nothing to do" not in done.stdout, f"{words}: {done.stdout}")
    same(m.answer("status", **env)[0]["next_start"], "unknown", "status")
    m.answer("prime", folder)  # the last run was another one
    holds(m, folder)


@case
def files_that_a_login_reads(m):
    """A file that the profile reads, or one of environment.d, is changed in place: the same folder, another cache."""
    folder, root = texts(m, 1), m.folder / "root"
    root.mkdir()
    sourced, conf = m.home / ".gpu.sh", m.home / ".config/environment.d/x.conf"
    conf.parent.mkdir(parents=True)
    (m.home / ".profile").write_text(". ~/.gpu.sh\n")
    # Of a machine whose bus shows a GPU, so that no driver has to be asked.
    device = root / "sys/bus/pci/devices/0000:01:00.0"
    device.mkdir(parents=True)
    for name, text in dict(vendor="0x10de", device="0x2330", subsystem_vendor="0x10de", subsystem_device="0x16c1").items():
        (device / name).write_text(text + "\n")
    (device / "class").write_text("0x030200\n")
    env = {"JITWARM_SYSROOT": str(root), "SHELL": "/bin/sh"}
    for file, text in (sourced, "export CUDA_CACHE_PATH={}/other\n"), (conf, "CUDA_CACHE_PATH={}/other\n"):
        sourced.write_text("FOO=1\n")
        conf.write_text("FOO=1\n")
        answer, code = m.answer("prime", folder, "--as-root", **env)
        same(code, 0, answer)
        holds(m, folder, "--as-root", **env)
        file.write_text(text.format(m.home))
        done = m.run("prime", folder, "--as-root", "--check", **env)
        same(done.returncode, 1, f"{file.name}: the dry run: {done.stdout}")
        check("another cache" in " ".join(done.stdout.split("\nCache")[0].split()), done.stdout)
        same(m.run("verify", folder, "--as-root", **env).returncode, 1, f"{file.name}: verify")
        done = m.run("prime", folder, "--as-root", **env)
        check(done.returncode == 1 and "another cache" in done.stdout, f"{file.name}: prime: {done.stdout}{done.stderr}")


@case
def a_login_that_takes_long(m):
    """Its shell is asked while the driver starts, and a terminal shows what is waited for. No verb remembers what it said."""
    folder, root, beside = texts(m, 1), m.folder / "root", m.home / "beside"
    root.mkdir()
    env = {"JITWARM_SYSROOT": str(root), "SHELL": "/bin/sh"}
    (m.home / ".profile").write_text('i=0\nwhile [ $i -lt 100 ] && [ "$(cat /proc/$PPID/task/*/children | wc -w)" -lt 2 ]; do sleep 0.1; i=$((i + 1)); done\n'
                                     f"[ $i = 100 ] || echo >>{beside}\n")
    for n, words in enumerate((("prime", "--check", folder, "--as-root"), ("verify", folder, "--as-root"), ("doctor",)), 1):
        done = m.run(*words, SIMCUDA_FAULTS="slow@init=1s", **env)
        check(beside.exists() and len(beside.read_text()) == n, f"{words}: the driver was started beside the shell: {done.stdout}{done.stderr}")
    (m.home / ".profile").write_text("sleep 2\n")
    for words in ("status",), ("env",), ("doctor",), ("scan",), ("prime", "--check", folder, "--as-root"):
        pid, terminal = os.forkpty()
        if pid == 0:
            os.execvpe(str(m.opt.tool), ["jitwarm", *map(str, words)], dict(m.env, **env, TERM="xterm"))
        said = b""
        try:
            while more := os.read(terminal, 4096):
                said += more
        except OSError:  # its end
            pass
        os.waitpid(pid, 0)
        check(b"waiting for the start files of the login shell" in said, f"{words}: {said.decode(errors='replace')}")


@case
def imported_and_not_primed(m):
    """A pack was imported for a named folder, where nothing was primed: that folder is what each run without PATH looks at from then on."""
    folder = texts(m, 2)
    m.answer("prime", folder)
    pack = m.folder / "p.tar.zst"
    same(m.run("export", "-o", pack).returncode, 0, "export")
    m.forget_cache()
    shutil.rmtree(m.folder / "state/caches")
    same(m.run("import", "--allow-unsigned", "--dry-run", pack, folder).returncode, 0, "what would be imported")
    check("nothing was primed here yet" in m.run("status").stdout, "a dry run remembers nothing")
    same(m.run("import", "--allow-unsigned", pack, folder).returncode, 0, "import")
    for words in ("prime", "--check"), ("verify",):
        answer, code = m.answer(*words)
        same((code, states(answer)), (0, {"warm": 2}), f"{words}: what was imported")
    path_of(m, next(iter(m.cache().entries))).unlink()
    for words in ("prime", "--check"), ("verify",):
        same(m.answer(*words)[1], 1, f"{words}: an entry is gone")
    answer, code = m.answer("prime")
    same((code, states(answer)), (0, {"warm": 2}), "prime takes it from the pack in the store")
    is_warm(m, "primed")
    same(m.run("import", "--allow-unsigned", pack, folder).returncode, 0, "import again")
    is_warm(m, "what was primed stays so")


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x41
    path.write_bytes(data)


@case
def entries_that_are_damaged(m):
    """A byte of the key, of the payload's checksum, of the payload; the index's count; a link in place of an entry: with and without a receipt."""
    folder = texts(m, 2)
    for forget in False, True:
        for at in 24, 32, -5:
            m.answer("prime", folder)
            same(m.answer("prime", folder, "--check")[1], 0, "whole")
            flip(path_of(m, next(iter(m.cache().entries))), at)
            if forget:
                shutil.rmtree(m.folder / "state/caches")
            done = m.run("prime", folder, "--check")
            same((done.returncode, done.stdout.split("would")[0]), (1, "1 module "), f"byte {at}, {'no ' if forget else ''}receipt: {done.stdout}")
            check("damaged" in done.stdout, f"byte {at}: the plan names the cause: {done.stdout}")
            check("Everything primed is warm" not in m.run().stdout, f"byte {at}: the first page")
            check(forget or "damaged" in m.run("status").stdout, f"byte {at}: status names the cause")
            before = m.cache().entries
            done = m.run("verify", folder)
            check(done.returncode == 1 and "damaged in the cache" in done.stdout, f"byte {at}: verify names it: {done.stdout}")
            same(m.cache().entries, before, f"byte {at}: verify compiles nothing")
            m.forget_cache()
    m.answer("prime", folder)
    flip(m.root / "index", 4)
    done = m.run("prime", folder, "--check")
    check(done.returncode == 1 and "index is damaged" in done.stdout, done.stdout)
    answer, code = m.answer("prime", folder)
    same((code, states(answer).get("warm")), (0, 2), "prime makes the index again")
    victim = path_of(m, next(iter(m.cache().entries)))
    victim.rename(m.folder / "moved")
    victim.symlink_to(m.folder / "moved")
    flip(m.folder / "moved", -5)
    same(m.run("prime", folder, "--check").returncode, 1, "a link to a damaged file")
    answer, code = m.answer("prime", folder)
    same((code, answer["receipt"]), (1, False), "a link to a damaged file: prime")


@case
def settings_that_make_every_start_compile(m):
    """What is in the cache does not matter then: no verb says that it is warm."""
    folder = texts(m, 2)
    m.answer("prime", folder)
    for name, value in ("CUDA_FORCE_PTX_JIT", "1"), ("CUDA_FORCE_JIT", "1x"), ("CUDA_CACHE_DISABLE", "1"), ("CUDA_CACHE_DISABLE", "+1"), ("CUDA_CACHE_DISABLE", "4294967297"):
        env = {name: value}
        for words in (), ("status",), ("report",):
            said = plain(m.run(*words, **env).stdout)
            check("Everything primed is warm" not in said and "2 of 2 modules" not in said, f"{env}: {words}: {said}")
            check(name in said, f"{env}: {words} names it: {said}")
        for words in ("prime", folder, "--check"), ("prime", folder), ("prime", "--if-stale"), ("verify", folder):
            done = m.run(*words, **env)
            check(done.returncode == 1 and name in done.stdout, f"{env}: {words}: {done.returncode} {done.stdout}")
        same(m.answer("status", **env)[0]["next_start"], "compiles", f"{env}: status --json")
    for name in "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT", "CUDA_CACHE_DISABLE":
        for value in "0", "2", "yes", "0x1", "18446744073709551617":
            same(m.answer("prime", folder, "--check", **{name: value})[0]["next_start"], "warm", f"{name}={value} does nothing")


@case
def settings_that_forbid_to_compile(m):
    """What is in the cache runs, the rest fails with error 223: no verb says that a start compiles, and none says that all is warm."""
    folder, pack = texts(m, 2), m.folder / "x.tar.zst"
    m.answer("prime", folder)
    same(m.run("export", "-o", pack, folder).returncode, 0, "export")
    for name in "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT":
        why = f"{name} is set: the driver compiles nothing, and programs fail where neither they nor the cache have machine code for the GPU"
        for words in ("prime", folder, "--check"), ("prime", "--check"), ("prime", folder), ("prime", "--if-stale"), ("verify", folder), ("verify",), ("import", "--allow-unsigned", pack):
            answer, code = m.answer(*words, **{name: "1"})
            same((code, answer["next_start"], answer["next_start_why"]), (1, "unknown", why), words)
        for words in ("prime", folder, "--dry-run"), ("status",):
            answer, code = m.answer(*words, **{name: "1"})
            same((code, answer["next_start"], answer["next_start_why"]), (0, "unknown", why), words)
        for words in (), ("status",), ("report",):
            said = plain(m.run(*words, **{name: "1"}).stdout)
            check("Everything primed is warm" not in said and "2 of 2 modules" not in said and name in said, f"{name}: {words}: {said}")
        same(m.run("scan", "--check", "--gpu", "sm_80", folder, **{name: "1"}).returncode, 1, "scan")
        same(m.answer("prime", folder, "--check", **{name: "0"})[0]["next_start"], "warm", f"{name}=0 does nothing")


OVER = "the cache holds more than its limit: what is stored next evicts some"


@case
def a_limit_that_keeps_nothing(m):
    """What is in the cache is found under each limit (real.false-warm), and what is not there is not kept."""
    folder, env = texts(m, 2), {"CUDA_CACHE_MAXSIZE": "0"}
    m.answer("prime", folder)
    answer, code = m.answer("prime", folder, "--check", **env)
    same((code, answer["next_start"], answer["next_start_why"]), (1, "unknown", OVER), "what is there")
    put(folder / "new.ptx", "new")
    answer, code = m.answer("prime", folder, "--check", **env)
    same((code, answer["next_start"]), (1, "compiles"), "what is not there is not kept")


@case
def a_limit_below_what_is_cached(m):
    """More is stored than the limit keeps, by any program: what is stored next evicts some of it. No verb says that all is warm, and each
    says why; a run by itself has nothing to do.
    Set-up: more is in the cache than its limit keeps | says so, 1 | says so, 1 | says so, 1 | compiled nothing, until something is stored | says so, starts it"""
    folder, pack, remote = texts(m, 3), m.folder / "x.tar.zst", m.folder / "shared"
    own = command_of(m, 1, settings=[f"CUDA_CACHE_PATH={m.folder}/own"])
    for words in ("prime", folder), ("export", "-o", pack, folder), ("push", remote, folder), ("pull", "--allow-unsigned", remote, folder):
        done = m.run(*words)
        same(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
    env = {"CUDA_CACHE_MAXSIZE": str(sum(s for _, s in m.cache().records) - 1)}
    before = m.cache().entries
    for _ in range(2):  # the second one has what the first one recorded
        for words in ("prime", folder, "--check"), ("prime", "--check"), ("verify", folder), ("verify",), ("prime", folder), ("prime",), ("prime", "--if-stale"):
            answer, code = m.answer(*words, **env)
            same((code, answer["next_start"], answer["next_start_why"]), (1, "unknown", OVER), words)
            done = m.run(*words, **env)
            head = " ".join(done.stdout.split("\nCache")[0].split())
            check(done.returncode == 1 and OVER in head and "Nothing to do" not in head, f"{words}: {done.stdout}")
            check("To do export CUDA_CACHE_MAXSIZE=" in " ".join(done.stdout.split()), f"{words}: what helps: {done.stdout}")
    same(m.run("prime", folder, "--dry-run", **env).returncode, 0, "a dry run that asks for nothing")
    check(OVER in " ".join(m.run("prime", folder, "--dry-run", **env).stdout.split()), "a dry run")
    answer, code = m.answer("prime", "--if-stale", "--background", **env)
    same((code, answer["end"], answer["next_start"]), (0, "nothing", "unknown"), "a run by itself")
    for words in (), ("status",), ("report",):
        said = plain(m.run(*words, **env).stdout)
        check(OVER in said and "Everything primed is warm" not in said, f"{words}: {said}")
    answer = m.answer("status", **env)[0]
    same((answer["next_start"], answer["next_start_why"]), ("unknown", OVER), "status --json")
    said = " ".join(m.run("doctor", **env).stdout.split())
    check("compiles nothing" not in said and "CUDA_CACHE_MAXSIZE" in said, f"doctor: {said}")
    for words in ("import", "--allow-unsigned", pack, folder), ("import", "--allow-unsigned", "--dry-run", pack, folder), ("pull", "--allow-unsigned", remote, folder):
        done = m.run(*words, **env)
        said = " ".join(done.stdout.split())
        check(done.returncode == 1 and OVER in said and "Nothing to do" not in said, f"{words}: {done.returncode} {said}{done.stderr}")
    same(m.run("prime", "--run", *own).returncode, 0, "a command with a cache of its own")
    said = " ".join(m.run("run", "--", *own, CUDA_CACHE_MAXSIZE="1").stderr.split())
    check(OVER in said, f"run: {said}")
    answer, code = m.answer("prime", "--check", CUDA_CACHE_MAXSIZE="1")
    same((code, answer["own_caches"][0]["why"]), (1, OVER), "a cache that a command chose")
    same(m.cache().entries, before, "nothing was evicted")
    for words in ("prime", folder, "--check"), ("verify",), ("prime",), ("prime", "--if-stale"):
        same(m.answer(*words)[0]["next_start"], "warm", f"{words}, with the limit that it had")


@case
def a_new_folder_that_a_login_has(m):
    """prime says that other shells do not look into a folder which a line of To do made, unless a login sets the same."""
    own_driver(m)
    app, made = texts(m, 2), tempfile.mkdtemp(prefix="cuda-cache.", dir="/var/tmp")
    env = {"JITWARM_SYSROOT": str(m.folder / "root"), "SHELL": "/bin/sh", "CUDA_CACHE_PATH": made}
    (m.folder / "root").mkdir()
    profile, words = m.home / ".profile", "this cache is of this shell alone"
    try:
        alone = " ".join(m.answer("prime", "--as-root", app, CUDA_CACHE_PATH=made)[0]["notes"])
        check(words in alone, f"in a container, where nobody logs in: {alone}")
        profile.write_text(f"export CUDA_CACHE_PATH={made}\n")
        for _ in range(2):  # the second one asks no login
            answer, code = m.answer("prime", "--as-root", app, **env)
            same(code, 0, answer)
            check(words not in " ".join(answer["notes"]), f"a login has it, too: {answer['notes']}")
    finally:
        shutil.rmtree(made)


@case
def a_limit_that_a_login_sets(m):
    """Programs that are started after the next login keep less than is cached, by ~/.profile or environment.d: what they store evicts some. No verb says that
    all is warm, and each says why; a run by itself has nothing to do.
    Set-up: more is in the cache than a fresh login's limit keeps | says so, 1 | compiles what this shell's limit keeps, says so, 1 | says so, 1 | compiled nothing, until something is stored | starts it"""
    own_driver(m)
    folder, pack, remote = texts(m, 3), m.folder / "x.tar.zst", m.folder / "shared"
    env = {"JITWARM_SYSROOT": str(m.folder / "root"), "SHELL": "/bin/sh"}
    (m.folder / "root").mkdir()
    for words in ("prime", folder), ("export", "-o", pack, folder), ("push", remote, folder):
        same(m.run(*words, *(["--as-root"] if words[0] == "prime" else []), **env).returncode, 0, words)
    size = sum(s for _, s in m.cache().records)
    profile, systemd = m.home / ".profile", m.home / ".config/environment.d/cuda.conf"
    systemd.parent.mkdir(parents=True)
    why = OVER.replace("limit", "limit in a fresh login")
    before = m.cache().entries

    def says(answer, why, code, *words):
        got, ended = m.answer(*words, "--as-root", **env)
        said = m.run(*words, "--as-root", **env).stdout
        same((ended, got["next_start"], got["next_start_why"]), (code, answer, why), f"{words}: {said}")
        check(not why or ("Nothing to do" not in said and "To do jitwarm env apply --max-size" in " ".join(said.split())) or words[0] != "prime", f"{words}: {said}")

    def all_verbs(answer, why, code):
        for _ in range(2):  # the second one has what the first one recorded
            for words in ("prime", "--check", folder), ("prime", "--check"), ("verify", folder), ("verify",), ("prime", folder), ("prime",), ("prime", "--if-stale"):
                says(answer, why, code, *words)
        for words in ("import", "--allow-unsigned", pack, folder), ("import", "--allow-unsigned", "--dry-run", pack, folder), ("pull", "--allow-unsigned", remote, folder):
            says(answer, why, code, *words)
        got = m.answer("status", **env)[0]
        same((got["next_start"], got["next_start_why"]), (answer, why), "status")
        check(("Everything primed is warm" in m.run(**env).stdout) == (answer == "warm"), "the first page")
        same(m.answer("prime", "--if-stale", "--background", "--as-root", **env)[1], 0, "a run by itself")

    all_verbs("warm", None, 0)
    for file, line in (profile, f"export CUDA_CACHE_MAXSIZE={size - 1}"), (systemd, f"CUDA_CACHE_MAXSIZE={size - 1}"):
        file.write_text(line + "\n")
        all_verbs("unknown", why, 1)
        file.unlink()
    profile.write_text(f"export CUDA_CACHE_MAXSIZE={size}\n")
    all_verbs("warm", None, 0)
    profile.unlink()
    shutil.rmtree(m.root)
    profile.write_text(f"export CUDA_CACHE_MAXSIZE={size - 1}\n")
    says("unknown", why, 1, "prime", folder)
    same(m.cache().entries, before, "all is compiled for this shell, and nothing was evicted")


@case
def a_command_that_stays_unsure(m):
    """What a recorded command loads on this GPU only its start shows: a run by itself finds that out once, and then does nothing until the
    command is recorded again, or another fact changes. It never says warm."""
    own_driver(m)
    folder, env = texts(m, 2), dict(SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    command, words = command_of_two(m), ("prime", "--if-stale", "--background")
    same(m.run("run", "--", *command).returncode, 0, "recorded on another GPU")
    same(m.answer("prime", folder, **env)[1], 0, "its folder")
    def answer(receipt, next_start="unknown", **init):
        got, code = m.answer(*words, **env, **init)
        same((got["receipt"], got["next_start"]), (receipt, next_start), f"{got['end']} {got['why']} {got['next_start_why']}")
        same(code, 0 if receipt or next_start == "warm" else 1, got["why"])

    def answers(next_start="unknown"):
        answer(False, next_start)
        answer(True, next_start, SIMCUDA_INIT="999")  # the driver is not asked

    answers()
    not_warm(m, "unsure", "started with other", **env)
    answer(True, SIMCUDA_INIT="999")
    put(folder / "new.ptx", "new")
    answers()
    shutil.rmtree(m.root)
    answers("compiles")
    other = [m.opt.play, m.env["JITWARM_DRIVER"], "init", "ctx 0", f"load {folder}/k0.ptx", "fn k0", "nap 400"]
    same(m.run("run", "--", *other, **env).returncode, 0, "another command is recorded")
    answers("compiles")
    same(m.run("run", "--", *command, **env).returncode, 0, "recorded here")
    answer(True, "warm", SIMCUDA_INIT="999")


@case
def a_library_before_the_driver(m):
    """LD_PRELOAD may put another driver, or a library that stands before it, into programs, and jitwarm's workers start without it: no verb says that all is warm. An
    allocator is no such library.
    Set-up: LD_PRELOAD has another driver, or a library that stands before it | says so, 1 | says so, 1 | says so, 1 | compiled, 1 | starts it"""
    folder, own = texts(m, 1), own_driver(m)
    m.answer("prime", folder)
    (m.folder / "before").mkdir()
    other = other_driver(m, "before/libcuda.so.1")["JITWARM_DRIVER"]
    copy = shutil.copytree(m.root, m.folder / "copy")
    loaded = subprocess.run([sys.executable, LOADER, folder / "k0.ptx", "--set", f"CUDA_CACHE_PATH={copy}"], check=True, capture_output=True, text=True,
                            env=dict(m.env, LD_LIBRARY_PATH=str(pathlib.Path(own).parent), LD_PRELOAD=other))
    same(json.loads(loaded.stdout)["new_entries"], 1, "the start compiles")
    shim, allocator = m.folder / "libvgpu.so", m.folder / "liballoc.so"
    shim.write_bytes(b"\x7fELF\0dlsym\0cuModuleLoadData\0"), allocator.write_bytes(b"\x7fELF\0malloc\0cuM\0")
    for named in other, shim, f"{allocator}:{shim}", f"{allocator} {shim}":
        env = {"LD_PRELOAD": str(named)}
        for words in ("prime", folder, "--check"), ("verify", folder), ("prime", folder), ("prime", folder), ("prime", "--if-stale"):
            answer, code = m.answer(*words, **env)
            check(code == 1 and answer["next_start"] != "warm", f"{words}: {named}: {code} {answer['next_start']}")
            check("LD_PRELOAD has" in answer["next_start_why"] or words[0] == "verify", answer["next_start_why"])
        same(m.answer("status", **env)[0]["next_start"], "unknown", "status")
    same(m.answer("prime", folder, "--check", LD_PRELOAD=str(allocator))[0]["next_start"], "warm", "an allocator")
    m.answer("prime", folder)  # the last run was another one
    holds(m, folder)


@case
def a_link_that_leads_elsewhere(m):
    """Software is named by a link, as a release that goes live is: once the link leads to the next one, that is what was primed, for each verb."""
    own_driver(m)
    old, new, link = m.folder / "releases/1", m.folder / "releases/2", m.folder / "current"
    put(old / "lib/k.ptx", "old"), put(new / "lib/k.ptx", "new"), put(new / "lib/more.ptx", "more")
    for n, name in enumerate((link, link / "lib", link / "lib/k.ptx", "./current//lib/.", ".")):
        link.symlink_to(old)
        for _ in range(2):  # as a shell that went there says it
            done = subprocess.run(m.command("prime", "--json", name), env=dict(m.env, PWD=str(link if name == "." else m.folder)), capture_output=True, text=True,
                                  cwd=link if name == "." else m.folder)
            same((done.returncode, json.loads(done.stdout)["receipt"]), (0, _ == 1), name)
        holds(m, "--if-stale")
        link.unlink(), link.symlink_to(new)
        here = m.answer("status")[0]
        check(here["next_start"] != "warm" and "current" in here["next_start_why"], f"{name}: {here['next_start_why']}")
        check("Everything primed is warm" not in m.run().stdout, name)
        if n % 2:
            same(m.answer("prime", "--check")[1], 1, f"{name}: --check")
        for words in ("prime", "--if-stale", "--background"), ("prime", "--if-stale"), ("prime",):
            answer, code = m.answer(*words)
            same((code, answer["next_start"]), (0, "warm"), f"{name}: {words}")
        holds(m, "--if-stale")
        is_warm(m, name)
        check(states(m.answer("prime", new / "lib/k.ptx", "--dry-run")[0]) == {"warm": 1}, f"{name}: what it leads to")
        link.unlink(), shutil.rmtree(m.root), shutil.rmtree(m.folder / "state/caches")


@case
def an_index_that_stays_locked(m):
    """A program that was stopped while it stored keeps the index locked: the driver waits for 200 ms, and goes on without the cache. A lock that is
    soon dropped, and one for reading, say nothing.
    Set-up: another process keeps the cache's index locked | stops, 4 | stops, 4 | stops, 4 | compiled, kept nothing, 1 | says so, starts it"""
    folder = texts(m, 2)
    m.answer("prime", folder)
    lock = "import fcntl, sys, time\nf = open(sys.argv[1], 'r+b')\nfcntl.lockf(f, getattr(fcntl, sys.argv[2]))\nprint(flush=True)\ntime.sleep(float(sys.argv[3]))"

    def locked(kind, seconds):
        held = subprocess.Popen([sys.executable, "-c", lock, m.root / "index", kind, str(seconds)], stdout=subprocess.PIPE)
        held.stdout.readline()
        return held

    held = locked("LOCK_EX", 600)
    for words in ("prime", folder, "--check"), ("prime", "--check"), ("verify", folder), ("prime", folder), ("prime", "--if-stale"):
        answer, code = m.answer(*words)
        same((code, answer["next_start"]), (4, "unknown"), words)
        check("keeps it locked" in answer["next_start_why"], answer["next_start_why"])
    check(m.answer("status")[0]["next_start"] != "warm", "status")
    check("Everything primed is warm" not in m.run().stdout, "the first page")
    held.kill(), held.wait()
    for kind, seconds in ("LOCK_SH", 600), ("LOCK_EX", 0.05):
        held = locked(kind, seconds)
        same(m.answer("prime", folder, "--check")[0]["next_start"], "warm", kind)
        held.kill(), held.wait()
    held = locked("LOCK_EX", 1)  # by a program that stores: what changes the cache waits for it
    same(m.answer("prime", folder)[1], 0, "stores for a second")
    held.wait()
    holds(m, folder)


@case
def packs_that_are_there_already(m):
    """All of a pack is in the cache, and programs do not find it: the index is damaged, or a fresh login has another cache. import and pull say
    what prime --check says, with 1, and so do their dry runs."""
    folder, pack, remote = texts(m, 2), m.folder / "x.tar.zst", m.folder / "shared"
    env = {"JITWARM_SYSROOT": str(m.folder / "root"), "SHELL": "/bin/sh"}
    (m.folder / "root").mkdir()
    verbs = ("import", "--allow-unsigned", pack, folder), ("pull", "--allow-unsigned", remote, folder)
    for words in ("prime", folder), ("export", "-o", pack, folder), ("push", remote, folder), *verbs:
        same(m.run(*words, *(["--as-root"] if words[0] not in ("export", "push") else []), **env).returncode, 0, words)

    def says(words, code, answer, why):
        got, ended = m.answer(*words, "--as-root", **env)
        same((ended, got["next_start"], why in (got["next_start_why"] or "")), (code, answer, True), f"{words}: {got['next_start_why']}")
        check(not code or "Nothing to do" not in m.run(*words, "--as-root", **env).stdout, words)

    for words in verbs:
        says((*words, "--dry-run"), 0, "warm", "")
        says(words, 0, "warm", "")
    (m.home / ".profile").write_text("export CUDA_CACHE_PATH=$HOME/other\n")
    for words in ("prime", "--check", folder), *((*verb, "--dry-run") for verb in verbs):
        says(words, 1, "compiles", "programs of a fresh login use another cache")
    for words in verbs:
        says(words, 1, "compiles", "in a fresh login, so programs started there use another cache")
    (m.home / ".profile").unlink()
    flip(m.root / "index", 4)
    for words in ("prime", "--check", folder), (*verbs[0], "--dry-run"):
        says(words, 1, "compiles", "the cache's index is damaged, and programs find nothing in the cache")
    says((*verbs[1], "--dry-run"), 0, "unknown", "not all is downloaded")
    says(verbs[1], 0, "warm", "")
    says(("prime", "--check", folder), 0, "warm", "")


@case
def scan_says_what_prime_says(m):
    """scan --check counts what is in this machine's cache: it ends with 1 wherever prime --check does, for the same reason."""
    lib, _ = m.library(count=2)
    gpu = m.folder / "root/sys/bus/pci/devices/0000:01:00.0"
    gpu.mkdir(parents=True)
    for name, value in ("vendor", "0x10de"), ("device", "0x2484"), ("class", "0x030000"):
        (gpu / name).write_text(value + "\n")
    env = {"JITWARM_SYSROOT": str(m.folder / "root"), "SHELL": "/bin/sh"}

    def agree(what, want, **more):
        scan, prime = m.run("scan", "--check", lib, **env, **more), m.answer("prime", "--check", lib, "--as-root", **env, **more)
        same((scan.returncode, prime[1] != 0), (want, bool(want)), f"{what}: {scan.stdout}{scan.stderr}{prime[0]['why']}")
        return scan.stderr

    agree("cold", 1)
    m.answer("prime", lib, "--as-root", **env)
    agree("warm", 0)
    for name in "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT", "CUDA_CACHE_DISABLE", "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT":
        why = m.answer("prime", "--check", lib, "--as-root", **env, **{name: "1"})[0]["next_start_why"]
        said = " ".join(agree(name, 1, **{name: "1"}).split())
        check(name in why and said.count(why) == 1, f"{name}: {said}")
    check("more than its limit" in agree("a limit", 1, CUDA_CACHE_MAXSIZE="3000"), "why")
    entry, index = path_of(m, sorted(m.cache().entries)[0]), m.root / "index"
    for file, at in (entry, -1), (entry, 20), (entry, 40), (index, 4):
        before = file.read_bytes()
        flip(file, at)
        agree(f"byte {at} of {file.name}", 1)
        file.write_bytes(before)
    entry.rename(m.folder / "aside")
    agree("an entry that is gone", 1)
    (m.folder / "aside").rename(entry)
    index.rename(m.folder / "aside")
    agree("an index that is gone", 1)
    (m.folder / "aside").rename(index)
    agree("as before", 0)
    lock = "import fcntl, sys\nf = open(sys.argv[1], 'r+b')\nfcntl.lockf(f, fcntl.LOCK_EX)\nprint(flush=True)\nsys.stdin.read()"
    held = subprocess.Popen([sys.executable, "-c", lock, index], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    held.stdout.readline()
    check("keeps it locked" in agree("locked", 1), "why")
    held.communicate()
    (m.home / ".profile").write_text("export CUDA_CACHE_PATH=$HOME/other\n")
    check("a fresh login use another cache" in agree("another cache of a login", 1), "why")
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=3000\n")
    check("in a fresh login" in agree("a lower limit of a login", 1), "why")
    (m.home / ".profile").unlink()
    agree("as before", 0)


def old_times(path, change):
    """What change does to the file, with the times of before, and those of its folder."""
    before, above = path.stat() if path.exists() else None, path.parent.stat()
    change(path)
    put_back(path, before or above)
    put_back(path.parent, above)


class Changes:
    """One fact of a made machine at a time. Nothing here knows what a receipt compares. What a prime cannot mend (a setting, a login that has
    another cache) gives a function that takes it back."""

    def __init__(self, m, dice):
        self.m, self.dice, self.n, self.folder = m, dice, 0, texts(m, 3)
        for name in "a", "a/b", "c":
            (self.folder / name).mkdir()
            (self.folder / name / "plain.txt").write_text("plain")
            (self.folder / name / "link.ptx").symlink_to(self.folder / "k0.ptx")
        self.front, own, self.root = m.folder / "front", m.folder / "own", m.folder / "root"
        for path in self.front, own, self.root / "dev", m.home / ".config/environment.d":
            path.mkdir(parents=True)
        for name in "libcuda.so.1", "libnvidia-ptxjitcompiler.so.1":
            shutil.copy(m.opt.sim.parent / name, own)
        self.sourced, self.conf, self.device = m.home / ".gpu.sh", m.home / ".config/environment.d/x.conf", self.root / "dev/nvidia0"
        (m.home / ".profile").write_text(". ~/.gpu.sh\n")
        self.sourced.write_text("FOO=1\n")
        self.conf.write_text("FOO=1\n")
        self.device.touch()
        model = self.root / "proc/driver/nvidia/gpus/0000:01:00.0/information"
        model.parent.mkdir(parents=True)
        model.write_text("Model: \t\t NVIDIA H100\n")
        m.env.update(JITWARM_DRIVER="", LD_LIBRARY_PATH=f"{self.front}:{own}", JITWARM_SYSROOT=str(self.root), SHELL="/bin/sh")

    def one_of(self, pattern):
        return self.dice.choice(sorted(self.folder.rglob(pattern)))

    def kernel(self):
        self.n += 1
        return f"z{self.n:04}"

    def new_file(self):
        old_times(self.one_of("plain.txt").with_name(f"{self.kernel()}.ptx"), lambda path: put(path, self.kernel()))

    def plain_file(self):
        old_times(self.one_of("plain.txt"), lambda path: put(path, self.kernel()))

    def file_in_place(self):
        old_times(self.one_of("k*.ptx"), lambda path: put(path, self.kernel()[:2]))

    def renamed_over(self):
        def change(path):
            put(self.m.folder / "aside", self.kernel()).rename(path)
        old_times(self.one_of("k*.ptx"), change)

    def link(self):
        link, target = self.one_of("link.ptx"), self.m.folder / f"{self.kernel()}.ptx"
        above = link.parent.stat()
        link.unlink()
        link.symlink_to(put(target, self.kernel()))
        put_back(link.parent, above)

    def gone(self):
        found = sorted(self.folder.rglob("z*.ptx"))
        if found:
            found[0].unlink()

    def entry_gone(self):
        path_of(self.m, self.dice.choice(sorted(self.m.cache().entries))).unlink()

    def entry_damaged(self):
        path = path_of(self.m, self.dice.choice(sorted(self.m.cache().entries)))
        old_times(path, lambda path: flip(path, self.dice.choice((20, 28, 40, -1))))

    def index_damaged(self):
        flip(self.m.root / "index", 4)

    def index_gone(self):
        (self.m.root / "index").unlink(missing_ok=True)

    def entry_copied_over(self):
        """Other bytes, with the times of before, under another inode."""
        path = path_of(self.m, self.dice.choice(sorted(self.m.cache().entries)))

        def change(path):
            shutil.copy(path, self.m.folder / "aside")
            flip(self.m.folder / "aside", -1)
            (self.m.folder / "aside").rename(path)
        old_times(path, change)

    def entry_is_a_link(self):
        path = path_of(self.m, self.dice.choice(sorted(self.m.cache().entries)))
        path.rename(self.m.folder / "linked")
        path.symlink_to(self.m.folder / "linked")
        flip(self.m.folder / "linked", -1)
        return path.unlink

    def link_of_a_link(self):
        target = self.m.folder / "links/between.ptx"
        target.parent.mkdir(exist_ok=True)
        target.unlink(missing_ok=True)
        target.symlink_to(put(self.m.folder / f"{self.kernel()}.ptx", self.kernel()))
        self.m.folder.joinpath("texts/chain.ptx").unlink(missing_ok=True)
        (self.folder / "chain.ptx").symlink_to(target)

    def chain(self):
        """Only what a link leads to is another: the folder and the link are as they were."""
        target = self.m.folder / "links/between.ptx"
        if target.is_symlink():
            target.unlink()
            target.symlink_to(put(self.m.folder / f"{self.kernel()}.ptx", self.kernel()))

    def variable(self):
        names = ("CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT", "CUDA_CACHE_DISABLE", "CUDA_DISABLE_PTX_JIT", "CUDA_VISIBLE_DEVICES", "CUDA_CACHE_MAXSIZE",
                 "NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_MODULE_LOADING", "LD_PRELOAD", "FOO")
        name, before = self.dice.choice(names), dict(self.m.env)
        self.m.env[name] = {"LD_PRELOAD": "", "CUDA_MODULE_LOADING": "EAGER"}.get(name, self.dice.choice("01"))

        def back():
            self.m.env.clear()
            self.m.env.update(before)
        return back

    def other_gpu(self):
        """The device, its model and what the driver finds; the bus shows none."""
        sm, before = self.dice.choice(("sm_86", "sm_89", "sm_90")), self.device
        self.m.env["SIMCUDA_GPUS"] = f"{sm}:NVIDIA GPU {sm}:24G"
        self.device = before.with_name(f"nvidia{self.dice.choice('0123')}")
        before.rename(self.device)

    def driver_in_front(self):
        """Another build where the loader looks first, or none there any more."""
        library = self.front / "libcuda.so.1"
        if library.exists():
            shutil.rmtree(self.front)
            self.front.mkdir()
            return
        data, self.n = bytearray(self.m.opt.sim.read_bytes()), self.n + 1
        at = data.find(b"GNU\0", data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"))
        data[at + 4:at + 6] = self.n.to_bytes(2, "little")
        library.write_bytes(data.replace(b"Jan  7 202622:", f"Jan  7 2026{self.n % 24:02}:".encode()))
        shutil.copy(self.m.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", self.front)

    def folder_of_the_loader(self):
        (self.front / "glibc-hwcaps/x86-64-v2").mkdir(parents=True, exist_ok=True)

    def login(self):
        """Its programs use another cache from now on."""
        file = self.dice.choice((self.sourced, self.conf))
        before = file.read_text()
        old_times(file, lambda path: path.write_text(f"{'' if file == self.conf else 'export '}CUDA_CACHE_PATH={self.m.home}/other{self.n}\n"))
        return lambda: file.write_text(before)

    def login_that_means_nothing(self):
        self.sourced.write_text(f"FOO={self.n}\n")

    def cache_of_python(self):
        (self.one_of("plain.txt").parent / "__pycache__").mkdir(exist_ok=True)

    def nothing(self):
        pass


@case
def changes_at_random(m):
    """If a full run would answer differently, the receipt must not hold, and no verb says "warm". JITWARM_SEED repeats a run, JITWARM_CHANGES
    is their number."""
    seed = int(os.environ.get("JITWARM_SEED") or time.time_ns() % 10 ** 9)
    print(f"JITWARM_SEED={seed}", flush=True)
    dice, held, cold = random.Random(seed), 0, collections.Counter()
    changes = Changes(m, dice)
    all_of_them = [name for name, of in vars(Changes).items() if name[0] != "_" and callable(of) and name not in ("one_of", "kernel")]
    words = "prime", changes.folder, "--as-root"
    m.answer(*words)
    for n in range(int(os.environ.get("JITWARM_CHANGES") or 24)):
        name = dice.choice(all_of_them)
        back = getattr(changes, name)()
        full, _ = m.answer(*words, "--check")
        last = m.answer("status")[0]["next_start"]
        answer, code = m.answer(*words)
        what = f"JITWARM_SEED={seed}, change {n}: {name}"
        warm, repaired = full["next_start"] == "warm", name.startswith("index")  # prime makes it again before it looks at the receipt
        check(warm or last != "warm", f"{what}: a full run says {full['next_start']}, {full['next_start_why']}, and status says warm")
        by_limit = "its limit" in (full["next_start_why"] or "") and answer["next_start"] == full["next_start"]  # asked for each time, by a run with a receipt, too
        check(warm or repaired or by_limit or not answer["receipt"], f"{what}: a full run says {full['next_start']}, {full['next_start_why']}, and the receipt held")
        if back:
            back()
            m.answer(*words)
        same(m.answer(*words, "--check")[0]["next_start"], "warm", f"{what}: and then")
        held += answer["receipt"]
        cold[name] += not warm
    print(f"the receipt held {held} times; not warm: {dict(cold)}")


@case
def what_this_driver_cannot_compile(m):
    """Remembered for this driver build, whether it refused a module or crashed on it: each verb names the module and the reason, and none
    says that the next start compiles it, or that prime would help. Naming the file tries it once more.

    Set-up: the driver refuses a module, or crashes on it | says so, 1 | says so, 1; not tried again, unless its file is named | says so, 1 | compiled nothing: the program fails where it loads it | says so, starts it"""
    for fault, why in (("badptx", "CUDA_ERROR_INVALID_PTX (218): simulated ptxas: "), ("crash", "its process ended twice: ")):
        folder = m.folder / fault
        good, bad = put(folder / "good.ptx", f"good_{fault}"), put(folder / "bad.ptx", f"bad_{fault}")
        entry = m.answer("prime", "--dry-run", bad)[0]["jobs"][0]["entry"]["name"].replace("/", "")[:12]
        faults = dict(SIMCUDA_FAULTS=f"{fault}@{entry}")

        def says(what, *words, code=1, key="next_start_why", **env):
            answer, got = m.answer(*words, **env)
            same((got, answer["next_start"]), (code, "unknown"), f"{fault}: {what}")
            text = answer[key] or ""
            check(str(bad) in text and why in text and "another prime does not help" in text, f"{fault}: {what}: {text}")
            check(not any("jitwarm prime" in line for line in answer["todo"]), f"{fault}: {what}: {answer['todo']}")
            return answer

        same(states(says("prime", "prime", folder, **faults)),
             {"warmed": 1, {"badptx": "failed", "crash": "crashed"}[fault]: 1}, fault)
        same(states(says("prime again", "prime", folder)), {"warm": 1, "skipped": 1}, fault)
        same(states(says("--check", "prime", "--check", folder)), {"warm": 1, "skipped": 1}, fault)
        says("--check of the file", "prime", "--check", bad)
        says("verify", "verify", folder)
        says("--check of all", "prime", "--check")
        said = m.answer("status")[0]
        check(str(bad) in said["next_start_why"] and why in said["next_start_why"], f"{fault}: status: {said['next_start_why']}")
        page = " ".join(m.run().stdout.split())
        check("cannot compile 1 module" in page and "To do jitwarm doctor" in page, f"{fault}: the first page: {page}")
        found, = [f for f in m.answer("doctor")[0]["findings"] if f["id"] == "modules-refused"]
        check(str(bad) in found["evidence"] and why in found["evidence"], f"{fault}: doctor: {found}")
        m.answer("prime", "--if-stale", "--background")
        answer, code = m.answer("prime", "--if-stale", "--background")
        same((code, answer["receipt"]), (0, True), f"{fault}: a second run by itself")
        check(why in answer["why"], f"{fault}: a run by itself: {answer['why']}")
        # Another build of the driver, and a file that is named.
        answer, _ = m.answer("prime", "--check", folder, **other_driver(m, f"{fault}.so"))
        same(states(answer).get("skipped", 0), 0, f"{fault}: another build")
        answer, code = m.answer("prime", bad)
        same((code, states(answer)), (0, {"warmed": 1}), f"{fault}: the file, and a driver that compiles it")
        answer, code = m.answer("prime", "--check", folder)
        same((code, answer["next_start"]), (0, "warm"), f"{fault}: after that")
    # What a command is known to load, and another driver refuses.
    command = command_of(m, 1)
    same(m.run("run", "--", *command).returncode, 0, "recorded")
    update_driver(m)
    for words in (command, command):
        said = " ".join(m.run("run", "--", *words, SIMCUDA_FAULTS="badptx@*").stderr.split())
        check("this driver cannot compile 1 module" in said and "INVALID_PTX" in said, f"run: {said}")


@case
def packs_under_settings_that_change_what_a_start_does(m):
    """What is in the cache already is found by no start, or by one that may not compile: import, pull and their dry runs say what prime --check says, with 1."""
    folder, pack, remote = texts(m, 2), m.folder / "x.tar.zst", m.folder / "shared"
    verbs = ("import", "--allow-unsigned", pack, folder), ("pull", "--allow-unsigned", remote, folder)
    for words in ("prime", folder), ("export", "-o", pack, folder), ("push", remote, folder), *verbs:
        same(m.run(*words).returncode, 0, words)
    for name, answer in (("CUDA_CACHE_DISABLE", "compiles"), ("CUDA_FORCE_PTX_JIT", "compiles"), ("CUDA_FORCE_JIT", "compiles"),
                         ("CUDA_DISABLE_PTX_JIT", "unknown"), ("CUDA_DISABLE_JIT", "unknown")):
        for words in ("prime", "--check", folder), *verbs, *((*verb, "--dry-run") for verb in verbs):
            got, code = m.answer(*words, **{name: "1"})
            same((code, got["next_start"], name in got["next_start_why"]), (1, answer, True), f"{words}: {got['next_start_why']}")
