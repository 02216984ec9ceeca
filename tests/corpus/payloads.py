#!/usr/bin/env python3
"""payloads.py PROGRAM FILE: PROGRAM (verify_payloads) decodes every entry of this file of the
corpus, and there are as many of each kind, and as many MB, as other programs found (expected.py).
Exit 77: the file is not here."""
import re
import subprocess
import sys

import corpus
import expected

if __name__ == "__main__":
    program, name = sys.argv[1:]
    path = corpus.find_or_skip([name])[name]
    done = subprocess.run([program, path], stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    entries, elf, ptx, plain, nvvm = map(
        int,
        re.search(
            r": (\d+) entries, (\d+) ELF and (\d+) PTX of (\d+) plain bytes decoded, (\d+) "
            r"obfuscated, ",
            done.stdout).groups())
    want = expected.CENSUS[name]
    found = {kind: n for kind, n in (("elf", elf), ("ptx", ptx), ("nvvm", nvvm)) if n}
    if (entries, found) != (want.entries, want.kinds):
        sys.exit(f"{entries} entries, {found}: not {want.entries}, {want.kinds}")
    if not nvvm and f"{plain / 1e6:.1f}" != f"{want.plain:.1f}":
        sys.exit(f"{plain / 1e6:.1f} MB, not {want.plain}")
    sys.exit(done.returncode)
