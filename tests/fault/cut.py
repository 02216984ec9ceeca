#!/usr/bin/env python3
"""cut.py TOOL DRIVER SAMPLES CUT.so [--only WORD] [--all]

A file that is cut to half while it is read: for each verb and each kind of file that it reads -
software, wheels, packs, signatures, keys, cache entries, the index, what is remembered, settings,
logs - the first read of that kind and the last; --all: each read. CUT.so (cut.c) does it between
the question for the size and the read. No run may end by a signal, nor a worker of it; one that
does not end well says something. Everything runs on the simulated driver.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SAID = re.compile(
    r"shrank|ends |end in the middle|cut|too short|damage|truncat|not (a|an) |no longer|changed|"
    r"cannot|could not|does not|is none|"
    r"not believed|torn|lost|broken|unread|skipped|again|missing|none of|was not|gone|past the end|"
    r"not read|To add|Compiled",
    re.I)
BAD = re.compile(r"SIGBUS|SIGSEGV|signal (7|11)\b|Sanitizer|core dumped", re.I)


def preload(env, library):
    """By its name: the loader cuts LD_PRELOAD at the blanks of a path."""
    folders = [str(library.parent), env.get("LD_LIBRARY_PATH")]
    env.update(LD_PRELOAD=library.name, LD_LIBRARY_PATH=":".join(filter(None, folders)))


def environment(home, driver):
    env = {
        k: v
        for k, v in os.environ.items()
        if not re.match(r"CUDA_|SIMCUDA_|JITWARM|XDG_|LD_PRELOAD|SUDO_", k)
    }
    return dict(env, LC_ALL="C.UTF-8", HOME=str(home), JITWARM_DRIVER=str(driver),
                JITWARM_SYSROOT=str(home / "sysroot"), CUDA_CACHE_PATH=str(home / "cache"))


def prepare(opt, home):
    """A machine: software, a warm cache, packs kept and not, a key, a configuration, a log."""
    def jitwarm(*words):
        done = subprocess.run([opt.tool, *words], env=environment(home, opt.driver), cwd=home,
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              timeout=120)
        if done.returncode:
            sys.exit(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")

    for name in ("lib", "sysroot", "keys"):
        (home / name).mkdir()
    for name in ("registered.so", "only-ptx.so"):
        shutil.copy(opt.samples / "elf" / name, home / "lib" / name)
    with zipfile.ZipFile(home / "lib/app-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(opt.samples / "elf/only-ptx.so", "app/wheel.so")
        wheel.writestr("app-1.0.dist-info/METADATA", "Name: app\nVersion: 1.0\n")
    conf = home / ".config/jitwarm/jitwarm.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text(f"search = {home}/lib\n")
    (home / ".profile").write_text(
        "export CUDA_CACHE_PATH=$HOME/cache\n")  # as in environment(), or prime asks which holds
    (home / "a.log").write_text(
        "2020-11-22 22:35:25.2: I tensorflow/core: x\nRuntimeError: CUDA error: out of memory\n" *
        400)
    jitwarm("key", "--no-passphrase", "--new", "keys/a.key")
    jitwarm("prime", "--as-root", "--yes", "-j", "1", "lib")
    jitwarm("export", "--sign", "keys/a.key", "-o", "app.tar.zst", "--yes")
    jitwarm("import", "--as-root", "--trust", "keys/a.pub", "app.tar.zst")


VERBS = (
    ("scan", "lib"),
    ("status", "lib"),
    ("prime", "--as-root", "--yes", "-j", "1", "lib"),
    ("prime", "--as-root", "--yes", "-j", "1", "--cache", "other", "lib"),
    ("status", ),
    ("prune", "--yes"),
    ("doctor", ),
    ("import", "--dry-run", "--as-root", "--trust", "keys/a.pub", "app.tar.zst"),
    ("import", "--as-root", "--trust", "keys/a.pub", "--cache", "other", "app.tar.zst"),
    ("export", "--sign", "keys/a.key", "-o", "new.tar.zst", "--yes"),
    ("doctor", "--log", "a.log"),
)


def plain(told):
    """Without figures: sizes and times differ; and a process may end before its files could be
    looked at. A slow run shows how far it is."""
    told = re.sub(r"^jitwarm: (\w+ing|[0-9,]+ of) .*$", "",
                  told.replace("added no entry", "compiled nothing"), flags=re.M)
    return re.sub(r"[0-9.]+ ?(ms|s|KiB|MiB|GiB|B)?\b", "N", " ".join(told.split()))


def run(opt, verb, which):
    """One read is cut, or none and all are listed: (number, file) of each."""
    home, said = opt.folder / "home", opt.folder / "said"
    shutil.rmtree(home, ignore_errors=True)
    said.unlink(missing_ok=True)
    shutil.copytree(opt.folder / "before", home, symlinks=True)
    env = environment(home, opt.driver)
    preload(env, opt.cut)
    env.update(CUT_BELOW=f"{home}/", CUT_AT=str(which), CUT_SAID=str(said))
    done = subprocess.run([opt.tool, *verb], env=env, cwd=home, capture_output=True, text=True,
                          check=False, errors="replace", stdin=subprocess.DEVNULL, timeout=120)
    told = done.stdout + done.stderr
    lines = [line.split(" ", 1) for line in said.read_text().splitlines()] if said.exists() else []
    reads = [(int(number), path.removeprefix(f"{home}/")) for number, path in lines]
    if not which:
        opt.usual[verb] = plain(told)
    elif reads:
        silent = not done.returncode and plain(told) != opt.usual[verb] and not SAID.search(told)
        if silent or done.returncode < 0 or done.returncode > 130 or BAD.search(told) or (
                done.returncode and not told.strip()):
            opt.wrong.append(
                f"{' '.join(verb)}: read {which} ({reads}): exit code {done.returncode}\n{told}")
        opt.codes[done.returncode] = opt.codes.get(done.returncode, 0) + 1
        opt.kinds.update(kind(path) for _, path in reads)
    return reads


def kind(path):
    """Names of entries, builds and workers differ; the rest is the kind of a file."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "N", path)


def chosen(reads, everything):
    """The numbers of the reads that are cut."""
    numbers = {}
    for number, path in reads:
        numbers.setdefault(number if everything else kind(path), set()).add(number)
    return sorted({one for of in numbers.values() for one in (min(of), max(of))})


def each_kind_of_read_of_each_verb():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "driver", "samples", "cut"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    opt = parser.parse_args()
    opt.wrong, opt.codes, opt.usual, opt.kinds, cuts = [], {}, {}, set(), 0
    with tempfile.TemporaryDirectory(prefix="jitwarm-halved-",
                                     dir=os.environ.get("JW_TEST_MEMORY")) as folder:
        opt.folder = pathlib.Path(folder).resolve()
        (opt.folder / "home").mkdir(mode=0o755)
        prepare(opt, opt.folder / "home")
        (opt.folder / "home").rename(opt.folder / "before")
        for verb in VERBS:
            if opt.only not in ("", verb[0]):
                continue
            reads = run(opt, verb, 0)
            numbers = chosen(reads, opt.all)
            hit = sum(bool(run(opt, verb, number)) for number in numbers)
            print(
                f"{' '.join(verb)}: {hit} of {len(reads)} reads, "
                f"{len({kind(path) for _, path in reads})} kinds of files",
                flush=True)
            if not opt.only and not hit:
                opt.wrong.append(f"{' '.join(verb)}: no read was cut")
            cuts += hit
    print(
        f"{cuts} reads of a file that was cut just then, exit codes "
        f"{dict(sorted(opt.codes.items()))}, {len(opt.wrong)} problems"
    )
    print("files:", *sorted(opt.kinds))
    print("\n".join(opt.wrong[:30]))
    sys.exit(1 if opt.wrong or not cuts else 0)


if __name__ == "__main__":
    each_kind_of_read_of_each_verb()
