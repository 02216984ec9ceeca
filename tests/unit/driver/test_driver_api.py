#!/usr/bin/env python3
"""test_driver_api.py COMPILER SOURCE_DIR: the rows of driver_api.def have the types of NVIDIA's headers,
and a row that has not is found."""
import os
import pathlib
import subprocess
import sys
import tempfile

CC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).parent


def headers():
    """CUDA_HOME is a toolkit; JITWARM_CORPUS holds one in toolkit/; the rest are where they are installed."""
    places = [os.environ.get("CUDA_HOME"), os.path.join(os.environ.get("JITWARM_CORPUS", "/nonexistent"), "toolkit"),
              os.path.expanduser("~/.cache/jitwarm-corpus/toolkit"), "/usr/local/cuda", "/usr"]
    for place in filter(None, places):
        folder = pathlib.Path(place) / "include"
        if (folder / "cudaTypedefs.h").exists():
            return folder
    return None


def compile_with(table, include):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "gpu"
        folder.mkdir()
        (folder / "driver_api.def").write_text(table, encoding="utf-8")
        return subprocess.run([CC, "-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-isystem", include, "-I", scratch,
                               HERE / "driver_api.c"], capture_output=True, text=True)


include = headers()
if not include:
    print("SKIP: there is no cudaTypedefs.h here (CUDA_HOME names a toolkit)")
    sys.exit(77)
table = (ROOT / "src/driver/api/driver_api.def").read_text(encoding="utf-8")
sound = compile_with(table, include)
if sound.returncode:
    sys.exit(sound.stderr)
wrong = [("int *count", "long *count"), ("(unsigned flags)", "(unsigned flags, int more)"), ("_v2, 3020", "_v2, 3021"),
         ("struct CUmod_st **module, const void *image)", "struct CUctx_st **module, const void *image)")]
for good, bad in wrong:
    if good not in table:
        sys.exit(f"this test is out of date: the table has no '{good}'")
    if not compile_with(table.replace(good, bad, 1), include).returncode:
        sys.exit(f"'{bad}' instead of '{good}' was not noticed")
print(f"{table.count(chr(10) + 'F(')} rows as in {include}; {len(wrong)} wrong ones noticed")
