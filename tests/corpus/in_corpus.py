#!/usr/bin/env python3
"""in_corpus.py PROGRAM FILE...: runs PROGRAM with the paths of these files of the corpus. Exit 77: none is here."""
import os
import sys

import corpus

if __name__ == "__main__":
    found = corpus.find_or_skip(sys.argv[2:])
    os.execv(sys.argv[1], [sys.argv[1], *map(str, found.values())])
