#!/usr/bin/env python3
"""test_nvrtc_api.py COMPILER SOURCE_DIR: the rows of nvrtc_api.def have the types of NVIDIA's header,
and a row that has not is found."""
import os
import pathlib
import subprocess
import sys
import tempfile

CC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).parent


def headers():
    """Of the NVRTC that JITWARM_REAL_NVRTC names; CUDA_HOME is a toolkit; the rest are where they are installed."""
    library = os.environ.get("JITWARM_REAL_NVRTC")
    places = [pathlib.Path(library).parent.parent if library else None, os.environ.get("CUDA_HOME"),
              os.path.join(os.environ.get("JITWARM_CORPUS", "/nonexistent"), "toolkit"),
              os.path.expanduser("~/.cache/jitwarm-corpus/toolkit"), "/usr/local/cuda", "/usr"]
    for place in filter(None, places):
        folder = pathlib.Path(place) / "include"
        if (folder / "nvrtc.h").exists():
            return folder
    return None


def compile_with(table, include):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "gpu"
        folder.mkdir()
        (folder / "nvrtc_api.def").write_text(table, encoding="utf-8")
        return subprocess.run([CC, "-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-isystem", include, "-I", scratch,
                               HERE / "nvrtc_api.c"], capture_output=True, text=True)


include = headers()
if not include:
    print("SKIP: there is no nvrtc.h here (CUDA_HOME names a toolkit)")
    sys.exit(77)
table = (ROOT / "src/driver/api/nvrtc_api.def").read_text(encoding="utf-8")
sound = compile_with(table, include)
if sound.returncode:
    sys.exit(sound.stderr)
wrong = [("int *count", "long *count"), ("char *ptx", "const char *ptx"), ("MUST, const char *", "MUST, char *")]
for good, bad in wrong:
    if good not in table:
        sys.exit(f"this test is out of date: the table has no '{good}'")
    if not compile_with(table.replace(good, bad, 1), include).returncode:
        sys.exit(f"'{bad}' instead of '{good}' was not noticed")
print(f"{table.count(chr(10) + 'F(')} rows as in {include}; {len(wrong)} wrong ones noticed")
