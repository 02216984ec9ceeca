#!/usr/bin/env python3
"""size.py [--whole] PROGRAM...: whether each is as small as docs/dev/developing.md promises

--whole   the libraries that it needs are linked in, as they are in what scripts/release makes for
every Linux and for Windows
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

# The libraries have about 0.5 MB of it: zstd, lz4, ISA-L, cJSON, libsodium. A program for Windows
# has tables for unwinding, which its system needs, and a C library's parts. In November 2026 it
# reached 3.50 MB.
WHOLE, WHOLE_FOR_WINDOWS, WITHOUT_LIBRARIES = 2_500_000, 3_700_000, 2_000_000


def is_for_windows(program):
    return program.read_bytes()[:2] == b"MZ"


def strip_for(program):
    if is_for_windows(program):
        return "x86_64-w64-mingw32-strip"
    return "aarch64-linux-gnu-strip" if program.read_bytes()[18:20] == b"\xb7\0" else "strip"


def stripped_size(program):
    """What is installed has no symbols."""
    tool = shutil.which(strip_for(program))
    if not tool:
        sys.exit(f"size: {program}: there is no {strip_for(program)}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "program")
        subprocess.run([tool, "-o", copy, program], check=True)
        return copy.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    opt = parser.parse_args()
    failed = False
    for program in opt.programs:
        most = WITHOUT_LIBRARIES if not opt.whole else WHOLE_FOR_WINDOWS if is_for_windows(
            program) else WHOLE
        size = stripped_size(program)
        print(f"size: {program}: {size} bytes of at most {most}")
        failed |= size >= most
    if failed:
        sys.exit(
            "size: larger than docs/dev/developing.md promises: make it smaller, or move the limit "
            "in scripts/package/size.py with its reason"
        )


if __name__ == "__main__":
    main()
