"""Where the files of scripts/fetch-corpus are, and what the tool says about them."""
import glob
import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
GPUS = tuple(f"sm_{sm}" for sm in (61, 75, 80, 86, 89, 90, 100, 120))

DEFAULT = ("linux/index.node", "linux/libggml-cuda.so", "windows/ggml-cuda.dll")
TOOLKIT = tuple(
    f"toolkit/lib/{name}"
    for name in ("libcublas.so.13", "libcublasLt.so.13", "libcudnn_adv.so.9", "libcudnn_cnn.so.9",
                 "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9",
                 "libcudnn_ops.so.9", "libcufft.so.12", "libcufftw.so.12", "libcurand.so.10",
                 "libcusolver.so.12", "libcusolverMg.so.12", "libcusparse.so.12", "libnccl.so.2"))
NAMES = DEFAULT + TOOLKIT


def folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME", "/root"),
                                                             ".cache")
    return pathlib.Path(os.environ.get("JITWARM_CORPUS") or os.path.join(cache, "jitwarm-corpus"))


def find(name):
    """The file of that name in the corpus, or None."""
    path = folder() / name
    return path if path.is_file() else None


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def find_or_skip(names):
    """{name: path} of those that are here; ends the test as skipped when none is."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.exit(f"the corpus has no {', '.join(unknown)}")
    found = {name: path for name in names if (path := find(name))}
    for name in names:
        if name not in found and len(names) > 1:
            print(f"{name} is not here")
    if not found:
        option = " --toolkit" if set(names) <= set(TOOLKIT) else ""
        what = names[0] if len(names) == 1 else f"none of {len(names)} files"
        skip(f"{what} is not in {folder()}; scripts/fetch-corpus{option} fetches it")
    return found


def scan(tool, path, *options):
    """What the tool says about one file, by GPU: {"sm_86": {"native": 1, ...}, ...}; with "none",
    which is the rest of its modules. A tool for Windows runs by scripts/wine-run, where / is drive
    Z."""
    command = [tool, "scan", "--json", "--gpu", ",".join(GPUS), *options]
    if str(tool).endswith(".exe"):
        command.insert(0, pathlib.Path(__file__).resolve().parents[2] / "scripts" / "wine-run")
        path = "Z:" + str(path).replace("/", "\\")
    answer = subprocess.run([*command, "--", path], stdout=subprocess.PIPE, check=True)
    report = json.loads(answer.stdout)
    return {
        v["gpu"]: dict(v, none=v["modules"] - v["native"] - v["jit"])
        for v in report["verdicts"]
    }


def find_cuobjdump():
    """CUOBJDUMP, the PATH, an installed toolkit, or what scripts/fetch-corpus --cuobjdump
    unpacked."""
    places = [
        pathlib.Path(d) / "cuobjdump" for d in os.environ.get("PATH", "").split(os.pathsep) if d
    ]
    places += [
        pathlib.Path(p) for p in sorted(glob.glob("/usr/local/cuda*/bin/cuobjdump"), reverse=True)
    ]
    places.append(folder() / "cuobjdump/bin/cuobjdump")
    if os.environ.get("CUOBJDUMP"):
        places = [pathlib.Path(os.environ["CUOBJDUMP"])]
    return next((str(p) for p in places if os.access(p, os.X_OK) and p.is_file()), None)
