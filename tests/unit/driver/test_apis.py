#!/usr/bin/env python3
"""test_apis.py TABLE COMPILER SOURCE_DIR: the rows of src/driver/api/TABLE.def have the types of
NVIDIA's header, and a row that has not is found. Exit 77: there is no such header here."""
import os
import pathlib
import subprocess
import sys
import tempfile

NAME, CC, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
# Of each table: its part of apis.c, its header, and what must not pass for what.
HEADER, WRONG = {
    "driver_api": ("cudaTypedefs.h", [("int *count", "long *count"),
                                      ("(unsigned flags)", "(unsigned flags, int more)"),
                                      ("_v2, 3020", "_v2, 3021"),
                                      ("struct CUmod_st **module, const",
                                       "struct CUctx_st **module, const")]),
    "nvrtc_api": ("nvrtc.h", [("int *count", "long *count"), ("char *ptx", "const char *ptx"),
                              ("MUST, const char *", "MUST, char *")]),
}[NAME]


def headers():
    """CUDA_HOME is a toolkit; JITWARM_CORPUS holds one in toolkit/; the rest are where they are
    installed."""
    places = [os.environ.get("CUDA_HOME"),
              os.path.join(os.environ.get("JITWARM_CORPUS", "/nonexistent"), "toolkit"),
              os.path.expanduser("~/.cache/jitwarm-corpus/toolkit"), "/usr/local/cuda", "/usr"]
    for place in filter(None, places):
        folder = pathlib.Path(place) / "include"
        if os.path.exists(folder / HEADER):
            return folder
    return None


def compile_with(table, include):
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / f"{NAME}.def").write_text(table, encoding="utf-8")
        return subprocess.run([
            CC, "-std=c11", "-fsyntax-only", "-Wall", "-Werror",
            f"-D{NAME.upper().removesuffix('_API')}", "-isystem", include, "-I", scratch,
            pathlib.Path(__file__).parent / "apis.c"
        ], capture_output=True, text=True)


include = headers()
if not include:
    print(f"SKIP: there is no {HEADER} here (CUDA_HOME names a toolkit)")
    sys.exit(77)
table = (ROOT / f"src/driver/api/{NAME}.def").read_text(encoding="utf-8")
sound = compile_with(table, include)
if sound.returncode:
    sys.exit(sound.stderr)
for good, bad in WRONG:
    if good not in table:
        sys.exit(f"this test is out of date: the table has no '{good}'")
    if not compile_with(table.replace(good, bad, 1), include).returncode:
        sys.exit(f"'{bad}' instead of '{good}' was not noticed")
print(f"{table.count(chr(10) + 'F(')} rows as in {include}; {len(WRONG)} wrong ones noticed")
