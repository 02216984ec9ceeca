"""A receipt is the trace of what was asked: it holds while each fact is as it was, and no longer."""
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import time

from truth import other_driver
from receipts import path_of, texts
from warm import case, states
from cases import Skip, check, same

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
    """Without PATH: an editable install gets a library where there was none."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
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


@case
def tests_of_packages(m):
    """Without PATH: what a package has for its own tests is no software of its users (Numba has PTX there); named, or with --all, it is."""
    site = m.folder / "venv/lib/python3.11/site-packages"
    put(site / "pa/a.ptx", "a")
    put(site / "pa/tests/t.ptx", "t")
    (m.folder / "venv/bin").mkdir()
    (m.folder / "venv/bin/python").symlink_to(shutil.which("python3"))
    (m.folder / "venv/pyvenv.cfg").touch()
    (m.folder / "root").mkdir()
    env = {"VIRTUAL_ENV": str(m.folder / "venv"), "PATH": "/usr/bin:/bin", "JITWARM_SYSROOT": str(m.folder / "root")}
    answer, code = m.answer("prime", "--as-root", **env)
    same((code, states(answer), answer["left_out"]["test"]["modules"]), (0, {"warmed": 1}, 1), "found")
    answer, code = m.answer("prime", "--as-root", "--all", **env)
    same((code, states(answer)), (0, {"warm": 1, "warmed": 1}), "--all")
    m.forget_cache()
    answer, code = m.answer("prime", site, "--as-root", **env)
    same((code, states(answer)), (0, {"warmed": 2}), "named")


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
    not_warm(m, "the first has grown", f"2 of 2 modules; changed since the last run: {m.folder}/a")
    m.answer("prime", m.folder / "a")
    last = m.answer("status")[0]["last_prime"]
    same((last["modules"], last["warm"]), (3, 3), "all of both")
    is_warm(m, "primed again")
    put(m.folder / "b/new.ptx", "newer")
    m.answer("prime")
    put(m.folder / "a/newest.ptx", "newest")
    not_warm(m, "after a run for all", "4 of 4 modules; changed")
    m.answer("prime", m.folder / "a")
    is_warm(m, "the rest is as that run saw it")


def command_of_two(m):
    """A program that loads a module, and one that compiles another beside it: both are in no file when it is started again."""
    paths = [put(m.folder / f"gone/{k}.ptx", k) for k in ("r0", "r1")]
    return [m.opt.play, m.env["JITWARM_DRIVER"], "init", "ctx 0", *(word for p in paths for word in (f"load {p}", f"fn {p.stem}")), "nap 400"]


VERBS = ("prime", "--check"), ("verify",), ("prime",), ("prime", "--if-stale")


@case
def recorded_with_other_gpus(m):
    """By `run` alone, so that no receipt speaks of it: what it loads on another GPU, or under other settings, is not known."""
    command = command_of_two(m)
    for words in ("run", "--"), ("prime", "--run"):
        same(m.run(*words, *command).returncode, 0, words)
        is_warm(m, f"{words}: recorded")
        for env in dict(SIMCUDA_GPUS="sm_75:NVIDIA T4:16G"), dict(CUDA_VISIBLE_DEVICES="1"):
            receipt = m.answer("status")[0]["last_prime"]
            not_warm(m, f"{words}: {env}", "changed since the last run: settings" if receipt else "started with other settings", **env)
            for verb in VERBS:
                answer, code = m.answer(*verb, **env)
                check(code in (1, 3) and answer["next_start"] != "warm", f"{words}: {env}: {verb}: {code} {answer['next_start']}")
                said = m.run(*verb, **env).stdout
                check("Nothing to do" not in said, f"{words}: {env}: {verb}: {said}")
        for verb in VERBS:
            same(m.answer(*verb)[1], 0, f"{words}: {verb}, as it was recorded")


@case
def recorded_with_another_gpu_in_its_place(m):
    """The system names the GPUs: /proc has another model than when the command was recorded. Its next start is recorded again."""
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
        check("--run COMMAND" in done.stdout, f"{verb}: {done.stdout}")
    done = m.run("run", "--", *command, **env)
    check("recording what this start loads" in " ".join(done.stderr.split()) or done.returncode == 0, done.stderr)
    is_warm(m, "recorded again", **env)


@case
def recorded_with_another_driver(m):
    """Another PATH is primed for a new driver build: what the command loads is not in the cache for that one, until a prime has it."""
    command, lib = command_of_two(m), m.library(count=3)[0]
    same(m.run("run", "--", *command).returncode, 0, "run")
    is_warm(m, "recorded")
    update = other_driver(m)
    same(m.answer("prime", lib, **update)[1], 0, "another path")
    not_warm(m, "another driver", "1 recorded command was started with another driver", **update)
    same(m.answer("prime", "--check", **update)[1], 1, "--check")
    same(m.answer("prime", **update)[1], 0, "prime")
    is_warm(m, "its modules are compiled for this driver, too", **update)


@case
def entries_of_a_recorded_command(m):
    """One that no file has is lost: each run that speaks of all names it, and the one that named software does not."""
    command, folder = command_of_two(m), texts(m, 1)
    same(m.run("prime", "--run", *command).returncode, 0, "prime --run")
    shutil.rmtree(m.folder / "gone")
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


@case
def asked_for_and_not_finished(m):
    """Killed, out of time, out of room: what was named is taken up again by each run without PATH, and status names it until then."""
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
        shutil.rmtree(m.folder / "state/roots")
        m.forget_cache()


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
        words = f"{n} module{'' if n == 1 else 's'} compiled or imported" if n else f"unknown: not finished: {folder}"
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
        shutil.rmtree(m.folder / "state/roots")
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
                shutil.rmtree(m.folder / "state/roots")
            done = m.run("prime", folder, "--check")
            same((done.returncode, done.stdout.split("would")[0]), (1, "1 module "), f"byte {at}, {'no ' if forget else ''}receipt: {done.stdout}")
            check("Everything primed is warm" not in m.run().stdout, f"byte {at}: the first page")
            m.forget_cache()
    m.answer("prime", folder)
    flip(m.root / "index", 4)
    done = m.run("prime", folder, "--check")
    check(done.returncode == 1 and "index is damaged" in " ".join(done.stdout.split("\nCache")[0].split()), done.stdout)
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
    for name, value in ("CUDA_FORCE_PTX_JIT", "1"), ("CUDA_FORCE_JIT", "1"), ("CUDA_CACHE_DISABLE", "1"):
        env = {name: value}
        for words in (), ("status",), ("report", "--format", "md"):
            said = " ".join(m.run(*words, **env).stdout.split())
            check("Everything primed is warm" not in said and "2 of 2 modules" not in said, f"{env}: {words}: {said}")
            check(name in said, f"{env}: {words} names it: {said}")
        for words in ("prime", folder, "--check"), ("prime", folder), ("prime", "--if-stale"), ("verify", folder):
            done = m.run(*words, **env)
            check(done.returncode == 1 and name in done.stdout, f"{env}: {words}: {done.returncode} {done.stdout}")
        same(m.answer("status", **env)[0]["next_start"], "compiles", f"{env}: status --json")


@case
def a_limit_that_keeps_nothing(m):
    """What is in the cache is found under each limit (real.false-warm), and nothing new is kept: all verbs say the same of both."""
    folder, env = texts(m, 2), {"CUDA_CACHE_MAXSIZE": "0"}
    m.answer("prime", folder)
    said = " ".join(m.run("status", **env).stdout.split())
    check("Warm 2 of 2 modules; they need more than the cache's limit" in said, said)
    same(m.answer("status", **env)[0]["next_start"], "unknown", "status: another setting than that of the prime")
    answer, code = m.answer("prime", folder, "--check", **env)
    same((code, answer["next_start"]), (0, "warm"), "what is there is found")
    put(folder / "new.ptx", "new")
    answer, code = m.answer("prime", folder, "--check", **env)
    same((code, answer["next_start"]), (1, "compiles"), "what is not there is not kept")


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
        check(warm or repaired or not answer["receipt"], f"{what}: a full run says {full['next_start']}, {full['next_start_why']}, and the receipt held")
        if back:
            back()
            m.answer(*words)
        same(m.answer(*words, "--check")[0]["next_start"], "warm", f"{what}: and then")
        held += answer["receipt"]
        cold[name] += not warm
    print(f"the receipt held {held} times; not warm: {dict(cold)}")
