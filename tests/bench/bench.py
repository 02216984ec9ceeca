#!/usr/bin/env python3
"""bench.py --build DIR --scratch DIR [--runs N] [NAME...]

Measures the release build against its budgets and prints a table, each row when it is known.
Yardsticks run in turn with the tool, in one run, so that a busy machine slows both; of the ratios
of the pairs the least (ratio) and the median are reported. NAMEs:

    cuobjdump  scan of three libraries (946 MB) against cuobjdump --list-elf --list-ptx
    walk       the same against a bare walk over container and entry headers and a bare search of
               the other sections, on all
               processors and on one
    read       the same on one processor against reading the files once
    wheel      scan inside a wheel against inflating its CUDA members once
    memory     peak RSS of all of these scans, and of files that mean harm
    pool       500 modules of known cost on the simulated driver by 2 and 8 workers, against the
               least possible time
    status     of 555 modules that are warm, in milliseconds; it may start no process
    pack       export of a cache of about 370 MB, made of a real library's PTX by the simulated
               driver, against tar | zstd and both checksums, on all processors and on one; import
               against b2sum, zstd | tar,
               both checksums and sync; import from a registry here against the same after curl and
               sha256sum; sizes; peak RSS
    carry      prime after an update of the simulated driver, which carries the entries of 138
               modules over, against cp, both checksums and sync of the same files, and doctor,
               which loads them in a fresh process as prime does
    start      jitwarm version against an empty program with the same libraries
    size       the stripped program

Exit 1: the median of a ratio (of *least by least* the least time by the least), or a size, is
beyond its budget. What needs a file that is not here is skipped.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types

import made

sys.path += [
    str(pathlib.Path(__file__).resolve().parent.parent / name) for name in ("corpus", "fleet",
        "work")
]
import budgets  # noqa: E402
import corpus  # noqa: E402
import registry  # noqa: E402

LIBRARIES = ("toolkit/lib/libcublasLt.so.13", "linux/libggml-cuda.so",
             "toolkit/lib/libcudnn_engines_precompiled.so.9")
WHEEL = "bench/nvidia_curand_cu12-10.3.10.19-py3-none-manylinux_2_27_x86_64.whl"
KIB = 1024
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Absent(Exception):
    pass


HEADS = ("what", "jitwarm", "yardstick", "least", "median", "budget", "")
WIDTHS = (56, 16, 16, 7, 7, 14, 6)


class Page:
    """Rows as they become known: who waits for the long ones sees the short ones."""

    def __init__(self):
        self.rows = []
        print(f"{machine()}; {say_whether_quiet()}", flush=True)
        self.show(HEADS)

    def show(self, row):
        print(
            "  ".join(
                cell.ljust(w) if i in (0, 6) else cell.rjust(w)
                for i, (cell, w) in enumerate(zip(row, WIDTHS))).rstrip(), flush=True)

    def add(self, row):
        self.rows.append(row)
        self.show(row)

    def end(self, took, skipped):
        missed = sum(row[-1] == "MISSED" for row in self.rows)
        held = sum(row[-1] == "ok" for row in self.rows)
        line = f"{held} budgets held, {missed} missed, in {sum(took.values()):.0f} s"
        line += (f" (the longest: "
                 f"{', '.join(f'{name} {s:.0f} s' for name, s in sorted(took.items(), key=lambda x: -x[1])[:4])})")
        print(line + (f". Skipped: {', '.join(skipped)}." if skipped else "."))
        return 1 if missed else 0


def median(values):
    return statistics.median(values)


class Bench:
    def __init__(self, opt, page):
        self.page = page
        self.build = opt.build
        self.tool = str(opt.build / "jitwarm")
        self.scratch = opt.scratch
        self.runs = opt.runs
        self.peak = {}

    def yardstick(self, name):
        path = self.build / "bench" / f"bench_{name}"
        if not path.exists():
            raise Absent(f"{path} is not built")
        return str(path)

    def libraries(self):
        paths = [corpus.find(name) for name in LIBRARIES]
        if None in paths:
            raise Absent("the libraries are not here (scripts/fetch-corpus --toolkit)")
        return [str(p) for p in paths]

    def run(self, commands, runs, cpus=0, codes=(0,)):
        """For each command the list of (seconds, peak RSS in bytes, bytes read from the disk),
        without first runs."""
        line = [self.yardstick("pair"), str(runs), str(cpus)]
        for command in commands:
            line += ["--", *command]
        done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True)
        results = [[] for _ in commands]
        for row in done.stdout.splitlines():
            number, time, rss, read, code = map(int, row.split())
            if code not in codes:
                sys.exit(f"{' '.join(commands[number])}: exit code {code}")
            results[number].append((time / 1e9, rss * KIB, read * KIB))
        return results

    def note_peak(self, what, results):
        self.peak[what] = max(self.peak.get(what, 0), *(rss for _, rss, _ in results))

    def tell(self, *row, ok=None):
        """what, the tool's, the yardstick's, least and median ratio, budget"""
        self.page.add((*row, {True: "ok", False: "MISSED", None: ""}[ok]))

    def compare(self, what, tool, yardstick, budget, runs, cpus=0, faster=False, least=False):
        self.run((tool, yardstick), 1, cpus)
        ours, theirs = self.run((tool, yardstick), runs, cpus)
        if not cpus:
            self.note_peak(what, ours)
        ratios = [b[0] / a[0] if faster else a[0] / b[0] for a, b in zip(ours, theirs)]
        judged = min(ours)[0] / min(theirs)[0] if least else median(ratios)
        self.tell(what, milliseconds(min(t for t, *_ in ours)),
                  milliseconds(min(t for t, *_ in theirs)), f"{min(ratios):.2f}",
                  f"{median(ratios):.2f}", f"{'>=' if faster else '<='} {budget}" if budget else "",
                  ok=None if not budget else judged >= budget if faster else judged <= budget)


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def bench_cuobjdump(b):
    program = corpus.find_cuobjdump()
    if not program:
        raise Absent("there is no cuobjdump (scripts/fetch-corpus --cuobjdump)")
    files = b.libraries()
    each = 'for f; do "$0" --list-elf --list-ptx "$f" || exit; done'
    b.compare("three libraries, cuobjdump", [b.tool, "scan", *files],
              ["sh", "-c", each, program, *files], 100, max(3, b.runs // 10), faster=True)


def bench_walk(b):
    files = b.libraries()
    walk = [b.yardstick("walk"), *files]
    for cpus, budget in (0, 0.5), (1, 0.6):
        b.compare(f"three libraries, {'one processor' if cpus else 'bare walk'}, least by least",
                  [b.tool, "scan", *files], walk, budget, b.runs, cpus, least=True)


def bench_read(b):
    files = b.libraries()
    b.compare("three libraries, a bare read on one processor", [b.tool, "scan", *files],
              [b.yardstick("read"), *files], 1.5, b.runs, 1)


def ready(folder, name, make):
    """Made once; a name that is there is whole."""
    path = folder / name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        make(part)
        part.rename(path)
    return str(path)


def bench_wheel(b):
    wheel = corpus.find(WHEEL)
    if not wheel:
        raise Absent(
            f"{corpus.folder() / WHEEL} is not here (scripts/bench fetches it where pip is)")
    answer = subprocess.run([b.tool, "scan", "--json", wheel], stdout=subprocess.PIPE,
                            check=True).stdout
    members = list(
        dict.fromkeys(v["path"].partition("!")[2] for v in json.loads(answer)["verdicts"]))
    b.compare("a wheel of 68 MB", [b.tool, "scan", str(wheel)],
              [b.yardstick("inflate"), str(wheel), *members], 0.9, max(3, b.runs // 5))


def bench_memory(b):
    nested = ready(b.scratch, "nested.fatbin", made.make_nested)
    containers = ready(b.scratch, "containers.fatbin", made.make_tiny_containers)
    hostile = {
        "262,144 entries in 65,536 containers": (containers,),
        "100 MB of nested headers": (nested,),
        "a wheel of 100,000 members": (ready(b.scratch, "many.whl", made.make_wheel),),
    }
    for what, words in hostile.items():
        (ours, ) = b.run(([b.tool, "scan", *words], ), 1,
                         codes=(0, 1, 2, 6))  # 1: not known; 2: has to be unpacked first
        b.note_peak(what, ours)
        b.tell(what, milliseconds(ours[0][0]), "", "", "", "")
    for what, peak in b.peak.items():
        most = 220 if what.startswith("a wheel of 68") else 64  # 192 MiB of a member
        b.tell(f"peak RSS: {what}", megabytes(peak), "", "", "", f"<= {most} MiB", ok=peak
               <= most << 20)


def bench_pool(b):
    driver = b.build / "simcuda" / "libcuda.so.1"
    if not driver.exists():
        raise Absent(f"{driver} is not built")
    jobs, seconds = 500, 10
    env = {
        name: value
        for name, value in os.environ.items() if not name.startswith(("SIMCUDA_", "CUDA_"))
    }
    env |= {"SIMCUDA_COST": "1000", "SIMCUDA_GPUS": "sm_86:Large GPU:1024G"}
    memory = pathlib.Path(
        "/dev/shm")  # so that the making of files on a disk is not what is measured
    for workers in (2, 8):
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else b.scratch) as folder:
            places = (str(pathlib.Path(p).resolve()) for p in (driver, b.tool, folder))
            line = [b.yardstick("pool"), *places, str(workers), str(jobs), str(seconds)]
            done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True, env=env)
        took, least = (int(word) / 1e9 for word in done.stdout.split())
        b.tell(f"{jobs:,} modules of {seconds} s, {workers} workers", milliseconds(took),
               milliseconds(least), f"{took / least:.2f}", "", "<= 1.05 + 0.3 s", ok=took
               <= 1.05 * least + 0.3)


STATUS_MS = 25


def bench_status(b):
    driver, _ = simulated(b)
    with tempfile.TemporaryDirectory() as folder:
        there = budgets.Machine(
            types.SimpleNamespace(tool=b.tool, sim=driver.parent,
                                  modules=b.build / "tests/gen/gen_modules"), pathlib.Path(folder))
        budgets.primed_555(there)
        counts, _ = there.run("status")
        there.env.pop("JITWARM_WORK")
        line = ["env", "-C", folder, *(f"{k}={v}" for k, v in there.env.items()), b.tool, "status"]
        (ours,) = b.run((line,), b.runs)
    times = [seconds for seconds, *_ in ours]
    b.tell("status, 555 modules that are warm", milliseconds(median(times)),
           f"{counts['processes']} processes", "", "", f"<= {STATUS_MS} ms", ok=counts["processes"]
           == 0 and median(times) <= STATUS_MS / 1e3)


def simulated(b):
    driver = b.build / "simcuda" / "libcuda.so.1"
    if not driver.exists():
        raise Absent(f"{driver} is not built")
    ours = ("SIMCUDA_", "CUDA_", "JITWARM_", "PYENV_", "ASDF_", "MISE_"
            )  # the last three name places where software is here
    env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    env["container"] = "jitwarm-bench"  # as the tests: what the machine's logins set, and that root has a cache of its own, does not matter
    return driver.resolve(), env


PACKED = "linux/libggml-cuda.so"
PACK_GPU, PACK_DRIVER = "sm_90:NVIDIA H100:80G", "590.44.01"


def make_pack_cache(b, env, folder):
    """What the simulated driver keeps of one real library: its PTX, and what the stand-in makes of
    it. Once."""
    folder.mkdir()
    prime = [
        b.tool, "prime", "--as-root", "--yes", "--quiet", "--cache", folder,
        corpus.find(PACKED)
    ]
    subprocess.run(prime, check=True, env=env, stdout=subprocess.DEVNULL)


def bench_pack(b):
    driver, env = simulated(b)
    if not corpus.find(PACKED):
        raise Absent(f"{PACKED} is not here (scripts/fetch-corpus)")
    for program in ("tar", "zstd"):
        if not shutil.which(program):
            raise Absent(f"there is no {program}")
    b.scratch.mkdir(parents=True, exist_ok=True)
    home = (b.scratch / "pack").resolve()
    mine = {
        "HOME": str(home), "JITWARM_STATE": f"{home}/state", "JITWARM_DRIVER": str(driver),
        "SIMCUDA_DRIVER": PACK_DRIVER, "SIMCUDA_GPUS": PACK_GPU, "SHELL": "/bin/false",
        "CUDA_CACHE_MAXSIZE": str(4 << 30)
    }
    cache = ready(home, "cache", lambda part: make_pack_cache(b, env | mine, part))
    sums, with_env = b.yardstick("sums"), ["env", *(f"{k}={v}" for k, v in mine.items())]
    pack, theirs = str(home / "ours.tar.zst"), str(home / "theirs.tar.zst")
    runs = max(3, b.runs // 10)


    def make_keys(part):
        part.mkdir()
        subprocess.run([b.tool, "key", "--no-passphrase", "--new", part / "key"], check=True,
                       stdout=subprocess.DEVNULL)

    key = f"{ready(home, 'keys', make_keys)}/key"
    export = [
        *with_env, b.tool, "export", "--quiet", "--whole-cache", "--yes", "--sign", key, "--cache",
        cache, "-o", pack
    ]

    def tar(after="true"):
        return [
            "sh", "-c", f'tar c -C "$1" . | zstd -3 -T0 -qfo "$2" && {after}', "sh", cache, theirs
        ]

    both = (f'find "$1" -type f -print0 | xargs -0 -n 16 -P $(nproc) sh -c \'printf "%s\\0" "$@" | '
            f'{sums}\' sh >/dev/null')
    subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
    for what, cpus, budget in (("export", 0, 0.6), ("export on one processor", 1, 0.55)):
        b.compare(what, export, tar(both), budget, runs, cpus)
    compare_sizes(b, export, tar, pack, theirs)
    bench_import(b, with_env, pack, f"{key}.pub", sums, home, runs)
    bench_pull(b, with_env, pack, f"{key}.pub", sums, home, runs)
    for what, peak in b.peak.items():
        if what.startswith("export"):
            b.tell(f"peak RSS: {what}", megabytes(peak), "", "", "", "<= 256 MB", ok=peak <= 256e6)


def compare_sizes(b, export, tar, pack, theirs):
    (ours,) = b.run((export,), 1)
    subprocess.run(tar(), check=True)
    b.note_peak("export", ours)
    mine, zstd = os.path.getsize(pack), os.path.getsize(theirs)
    plain = int(
        subprocess.run(f"zstd -qdc {theirs} | wc -c", shell=True, stdout=subprocess.PIPE,
                       check=True).stdout)
    b.tell(f"size of the pack ({plain / mine:.1f} to 1)", megabytes(mine), megabytes(zstd),
           f"{mine / zstd:.3f}", milliseconds(ours[0][0]), "<= 1.01", ok=mine / zstd <= 1.01)


def unpack_plain(sums):
    """By the standard tools what an import does: the digest that is signed, the entries, both
    checksums of each, and all of it on the disk. Nothing of it lets a fresh process load a
    sample."""
    return (f'b2sum "$1" && mkdir "$0" && zstd -qdc "$1" | tar x -C "$0" && find "$0" -type f '
            f'-print0 | {sums} && sync -f "$0"')


def bench_import(b, with_env, pack, public, sums, home, runs):
    new, plain = str(home / "new"), str(home / "plain")
    ours = ["sh", "-c", 'rm -rf "$0"; exec "$@"', new, *with_env, b.tool, "import", "--quiet",
            "--trust", public, "--as-root", "--cache", new, pack]
    theirs = ["sh", "-c", f'rm -rf "$0"; {unpack_plain(sums)}', plain, pack]
    for what, cpus, budget in (("import", 0, 0.5), ("import on one processor", 1, 0.65)):
        b.compare(what, ours, theirs, budget, runs, cpus)
    for folder in (new, plain):
        shutil.rmtree(folder, ignore_errors=True)


def bench_pull(b, with_env, pack, public, sums, home, runs):
    if not all(map(shutil.which, ("docker-registry", "curl"))):
        print("skipped: import from a registry: there is no docker-registry, or no curl",
              file=sys.stderr)
        return
    new, plain, fetched = str(home / "new"), str(home / "plain"), str(home / "fetched")
    shutil.rmtree(home / "registry", ignore_errors=True)
    with registry.Registry(types.SimpleNamespace(dir=home), "registry") as there:
        ref = f"127.0.0.1:{there.port}/bench/jit"
        pushed = subprocess.run([*with_env, b.tool, "export", "--json", "-o", f"oci://{ref}", pack],
                                stdout=subprocess.PIPE, check=True).stdout
        digest = json.loads(pushed)["packs"][0]["digest"]
        ours = [
            "sh", "-c", 'rm -rf "$0"; exec "$@"', new, *with_env, b.tool, "import", "--quiet",
            "--trust", public, "--as-root", "--cache", new, f"oci://{ref}"
        ]
        fetch = (f'curl -sf -o "$1" http://127.0.0.1:{there.port}/v2/bench/jit/blobs/{digest} && '
                 f'echo "{digest[7:]}  $1" | sha256sum -c')
        theirs = [
            "sh", "-c", f'rm -rf "$0"; {fetch} && {unpack_plain(sums)} && rm "$1"', plain, fetched
        ]
        b.compare("import from a registry", ours, theirs, 0.8, runs)
    for folder in (new, plain, home / "registry"):
        shutil.rmtree(folder, ignore_errors=True)


OLD_BUILD, NEW_BUILD, COMPILER = "535.216.03", "535.274.02", "12.2"
MODULES = 138


def updated(b, build, home):
    """The environment of a machine with this build of the simulated driver."""
    _, env = simulated(b)
    mine = {
        "HOME": str(home), "CUDA_CACHE_PATH": f"{home}/cache", "JITWARM_STATE": f"{home}/state",
        "SHELL": "/bin/false", "SIMCUDA_DIR": str(b.build / "simcuda"),
        "CUDA_CACHE_MAXSIZE": str(4 << 30)
    }
    play = [
        ROOT / "scripts/with-simcuda", "--driver", build, "--compiler", COMPILER, "--", "env", "-0"
    ]
    said = subprocess.run(play, check=True, env=env | mine, stdout=subprocess.PIPE, text=True)
    return dict(line.split("=", 1) for line in said.stdout.split("\0") if line)


def prime_updated(b, home, build, *words):
    prime = [b.tool, "prime", "--as-root", "--yes", *words, home.parent / "library.so"]
    done = subprocess.run(prime, check=True, env=updated(b, build, home), stdout=subprocess.PIPE)
    return done.stdout


def bench_carry(b):
    """Both sides begin with links to the old entries, and end with a fresh process that loads all
    modules: of the yardstick doctor, under the old driver. So what differs is the copying."""
    generate = b.build / "tests/gen/gen_modules"
    if not generate.exists():
        raise Absent(f"{generate} is not built")
    home = (b.scratch / "carry").resolve()
    old, new, plain = home / "old", home / "new", home / "plain"
    make = [generate, "", str(MODULES), "20000", "3000000", "1"]
    ready(home, "library.so", lambda part: subprocess.run(
        [*make[:1], part, *make[2:]], check=True, stdout=subprocess.DEVNULL))
    shutil.rmtree(old, ignore_errors=True)
    old.mkdir()
    prime_updated(b, old, OLD_BUILD, "--quiet")
    again = ('rm -rf "$1/new" "$1/plain" && cp -al "$1/old" "$1/new" && '
             'cp --remove-destination "$1/old/cache/index" "$1/new/cache/index"')
    subprocess.run(["sh", "-c", again, "sh", home], check=True)
    said = json.loads(prime_updated(b, new, NEW_BUILD, "--json"))
    if (said["carried"], said["compiled"], said["proof"]["proven"]) != (MODULES, 0, True):
        sys.exit(f"carry: {said['carried']} carried, {said['compiled']} compiled, {said['proof']}")

    def then(steps, build, *words):
        settings = [f"{name}={value}" for name, value in updated(b, build, new).items()]
        line = f'{again} && {steps} && shift && exec "$@"'
        return list(map(str, ["sh", "-c", line, "sh", home, "env", "-i", *settings, b.tool, *words,
                              "--quiet", home / "library.so"]))

    copy = ('mkdir "$1/plain" && find "$1/new/cache" -type f -exec cp -t "$1/plain" {} + && '
            f'find "$1/plain" -type f -print0 | {b.yardstick("sums")} && sync -f "$1/plain"')
    b.compare(f"update: {MODULES} modules carried over",
              then("true", NEW_BUILD, "prime", "--as-root", "--yes"),
              then(copy, OLD_BUILD, "doctor"), 1.5, max(5, b.runs // 3))
    for folder in (new, plain):
        shutil.rmtree(folder, ignore_errors=True)


def libraries_of(program):
    listed = subprocess.run(["readelf", "-dW", program], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    return {
        line.rpartition("[")[2].rstrip("]")
        for line in listed.splitlines() if "(NEEDED)" in line
    }


PACKS = 10_000


def bench_packs(b):
    """A folder of packs that are all in the cache: each is opened, hashed, and compared with it."""
    generate = b.build / "tests/gen/gen_modules"
    if not generate.exists():
        raise Absent(f"{generate} is not built")
    home = (b.scratch / "packs").resolve()
    shutil.rmtree(home, ignore_errors=True)
    (home / "there").mkdir(parents=True)
    library, env = home / "library.so", updated(b, NEW_BUILD, home)
    for words in ((generate, library, "1", "2000", "3000", "1"),
                  (b.tool, "prime", "--as-root", "--yes", "--quiet", library),
                  (b.tool, "export", "--quiet", "-o", f"{home}/there/0.tar.zst", library)):
        subprocess.run(words, check=True, env=env, stdout=subprocess.DEVNULL)
    for i in range(1, PACKS):
        shutil.copy(home / "there/0.tar.zst", home / f"there/{i}.tar.zst")
    settings = [f"{name}={value}" for name, value in env.items()]
    ours = ["env", "-i", *settings, b.tool, "import", "--quiet", "--as-root", "--allow-unsigned",
            str(home / "there")]
    each = 'find "$0" -type f -print0 | xargs -0'
    b.compare(f"import of {PACKS:,} packs that are there", ours,
              ["sh", "-c", f"{each} b2sum && {each} zstd -tq", str(home / "there")], 1.5,
              max(5, b.runs // 3))
    shutil.rmtree(home)


def bench_start(b):
    differ = libraries_of(b.tool) ^ libraries_of(b.yardstick("empty"))
    if differ:
        sys.exit(
            f"tests/bench/CMakeLists.txt: bench_empty and jitwarm differ in "
            f"{', '.join(sorted(differ))}"
        )
    b.compare("jitwarm version", [b.tool, "version"], [b.yardstick("empty")], 1.5, 20 * b.runs)


def bench_size(b):
    stripped = b.scratch / "stripped"
    b.scratch.mkdir(parents=True, exist_ok=True)
    subprocess.run(["strip", "-o", stripped, b.tool], check=True)
    size = stripped.stat().st_size
    b.tell("stripped program", f"{size / 1e6:.2f} MB", "", "", "", "< 2 MB", ok=size < 2e6)


BENCHES = {name: globals()[f"bench_{name}"]
           for name in ("cuobjdump", "walk", "read", "wheel", "memory", "pool", "status", "pack",
                        "packs", "carry", "start", "size")}
RUNS = 30


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (f"release build, {len(os.sched_getaffinity(0))} processors "
            f"({names[0] if names else os.uname().machine})")


def say_whether_quiet():
    """A loop that needs only the processor: when it takes longer by the clock than by its own time,
    there is other work."""
    began, work = time.monotonic(), os.times()
    while time.monotonic() - began < 1:
        sum(range(10000))
    own = sum(os.times()[:2]) - sum(work[:2])
    load = os.getloadavg()[0]
    quiet = own > 0.97 and load < 0.7 * os.cpu_count()
    return (f"load {load:.1f}, {own:.0%} of a processor for a loop: " +
            ("the machine is quiet"
             if quiet else "the machine is BUSY, the figures are not to be quoted"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=RUNS,
                        help="of the quick ones; the long ones run less often")
    parser.add_argument("names", nargs="*", metavar="NAME")
    opt = parser.parse_args()
    opt.build = opt.build.resolve()  # some benchmarks run in a folder of their own

    unknown = set(opt.names) - set(BENCHES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(BENCHES)}")
    page, took, skipped = Page(), {}, []
    bench = Bench(opt, page)
    for name, measure in BENCHES.items():
        if opt.names and name not in opt.names:
            continue
        began = time.monotonic()
        try:
            measure(bench)
        except Absent as why:
            print(f"skipped: {name}: {why}", file=sys.stderr)
            skipped.append(name)
        took[name] = time.monotonic() - began
    return page.end(took, skipped)


if __name__ == "__main__":
    sys.exit(main())
