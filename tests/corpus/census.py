#!/usr/bin/env python3
"""census.py --tool JITWARM [FILE...]

Of each file of the corpus, for each GPU: how many of its modules run natively, are compiled, do
neither, and how much PTX is compiled. Compared with what other programs found (expected.py), and
with walk.py, which reads the file by itself. FILE is as "linux/index.node"; none: all. Exit 77:
none is here.
"""
import argparse
import sys

import corpus
import expected
import walk

COUNTS = ("native", "jit", "none", "ptx_bytes")


def say(counts):
    native, jit, none, size = (counts[key] for key in COUNTS)
    return f"{native}/{jit}/{none}" + (f":{size / 1e6:.1f}" if size else "")


def check(tool, name, path):
    failed = 0
    walked = walk.verdicts(path, corpus.GPUS)
    found = corpus.scan(tool, path)
    for gpu, wanted in zip(corpus.GPUS, expected.MATRIX[name].split(), strict=True):
        same = [found[gpu][key] for key in COUNTS] == [walked[gpu][key] for key in COUNTS]
        if say(found[gpu]) != wanted or not same:
            print(
                f"{name}: {gpu}: scan says {say(found[gpu])}, not {wanted}; walk.py says "
                f"{say(walked[gpu])}"
            )
            failed += 1
    print(f"{name}: {len(corpus.GPUS)} GPUs, {failed} differences")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("files", nargs="*", metavar="FILE")
    opt = parser.parse_args()
    found = corpus.find_or_skip(opt.files or list(expected.MATRIX))
    return 1 if sum(check(opt.tool, name, path) for name, path in found.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
