#!/usr/bin/env python3
"""swap.py TOOL DRIVER SAMPLES SWAP.so

A pack of a packs folder whose place another one takes, which anybody may change: after each time in turn that it was opened. SWAP.so
(swap.c) does it. What is judged is what is read: the other one's entries never come in. Everything runs on the simulated driver.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cut import environment, prepare


def a_pack_that_is_swapped_after_it_was_judged():
    opt = argparse.Namespace(**dict(zip(("tool", "driver", "samples", "swap"), (pathlib.Path(a).resolve() for a in sys.argv[1:5]))))
    with tempfile.TemporaryDirectory(prefix="jitwarm-swap-") as folder:
        folder = pathlib.Path(folder).resolve()
        before, home, said = folder / "before", folder / "home", folder / "said"
        home.mkdir(mode=0o755)
        prepare(opt, home)
        (home / "packs").mkdir(mode=0o755)
        (home / ".config/jitwarm").chmod(0o700)
        (home / ".config/jitwarm/keys").mkdir(mode=0o700)
        shutil.copy(home / "keys/a.pub", home / ".config/jitwarm/keys")
        subprocess.run([opt.tool, "export", "--sign", "keys/a.key", "-o", "packs/app.tar.zst", "--yes", "lib/only-ptx.so"], check=True,
                       env=environment(home, opt.driver), cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120)
        (home / "packs/app.tar.zst").chmod(0o644)
        (home / "packs/app.tar.zst.minisig").unlink()  # there is one in the pack, too
        (home / "app.tar.zst").rename(home / "other.tar.zst")
        (home / "other.tar.zst").chmod(0o666)
        shutil.rmtree(home / ".local")
        shutil.rmtree(home / "cache")
        home.rename(before)

        def run(which):
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(before, home, symlinks=True)
            env = environment(home, opt.driver)
            env.update(LD_PRELOAD=str(opt.swap), SWAP=f"{home}/packs/app.tar.zst", SWAP_BY=f"{home}/other.tar.zst", SWAP_AT=str(which),
                       SWAP_SAID=str(said), COLUMNS="1000")
            done = subprocess.run([opt.tool, "prime", "--as-root", "-j", "1", "--packs", home / "packs", "lib"], env=env, cwd=home, timeout=120,
                                  capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            found = re.search(r"(\d+) entr(?:y|ies) imported from", done.stderr)
            swapped = said.exists()
            shutil.rmtree(said, ignore_errors=True)
            return swapped, int(found.group(1)) if found else 0, done.stderr

        _, usual, told = run(0)
        ends = []
        while (answer := run(len(ends) + 1))[0]:
            ends.append(answer[1:])
        counts = [n for n, _ in ends]
        print(f"{usual} entries without a swap; with one after each of {len(ends)} opens: {counts}")
        bad = [text for n, text in ends if n not in (0, usual) or (not n and "may be changed by everybody" not in text)]
        if not usual or len(ends) < 2 or usual not in counts or bad:
            sys.exit("\n".join(["what was read is not what was judged:", *bad, told]))


if __name__ == "__main__":
    os.umask(0o022)
    a_pack_that_is_swapped_after_it_was_judged()
