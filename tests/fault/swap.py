#!/usr/bin/env python3
"""swap.py TOOL DRIVER SAMPLES SWAP.so

A pack in the machine's folder for packs, whose place another one takes, which nobody signed: after
each time in turn that it was opened. SWAP.so (swap.c) does it. What is checked is what is read: the
other one's entries never come in. Everything runs on the simulated driver.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cut import environment, preload, prepare

PLACE = "sysroot/var/lib/jitwarm"  # of the folder for packs of this machine


def make(opt, home):
    """A folder of packs, and another with one entry more, where anybody may put packs."""
    home.mkdir(mode=0o755)
    prepare(opt, home)
    (home / ".config/jitwarm").chmod(0o700)
    (home / ".config/jitwarm/keys").mkdir(mode=0o700, exist_ok=True)
    shutil.copy(home / "keys/a.pub", home / ".config/jitwarm/keys")
    (home / PLACE).mkdir(parents=True)
    status = subprocess.run([opt.tool, "status", "--json"], check=False,
                            env=environment(home,
                                            opt.driver), capture_output=True, text=True).stdout
    scope = json.loads(status)["scope"]
    key = f"{scope['gpus'][0]}-{scope['stamp']}"
    opt.pack = f"{key}-app.tar.zst"
    for folder, libraries in (("packs", ["lib/only-ptx.so"]),
                              ("theirs", ["lib/only-ptx.so", "lib/registered.so"])):
        (home / PLACE / folder).mkdir(mode=0o755)
        pack = home / PLACE / folder / opt.pack
        subprocess.run([
            opt.tool, "export", *(["--sign", "keys/a.key"] if folder == "packs" else []), "-o",
            pack, "--yes", *libraries
        ], check=True, env=environment(home, opt.driver), cwd=home, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=120)
        pack.chmod(0o644)
    shutil.copy(home / PLACE / "theirs" / opt.pack, home / PLACE / f"theirs/{key}-new.tar.zst")
    (home / PLACE / "theirs").chmod(0o777)
    shutil.rmtree(home / ".local")
    shutil.rmtree(home / "cache")


def swapped(opt, folder, what, mode, says):
    """It may be swapped after each open; `says` how it is refused."""
    home, said = folder / "home", folder / "said"

    def run(which):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(folder / "before", home, symlinks=True)
        (home / PLACE / "theirs" / opt.pack).chmod(mode)
        env = environment(home, opt.driver)
        preload(env, opt.swap)
        env.update(SWAP=f"{home}/{PLACE}/{what}",
                   SWAP_BY=f"{home}/{PLACE}/{what.replace('packs', 'theirs')}", SWAP_AT=str(which),
                   SWAP_SAID=str(said), COLUMNS="1000")
        done = subprocess.run([opt.tool, "prime", "--as-root", "-j", "1", "lib"], env=env, cwd=home,
                              timeout=120, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        found = re.search(r"(\d+) entr(?:y was|ies were) imported", " ".join(
            (done.stdout + done.stderr).split()))
        was = said.exists()
        shutil.rmtree(said, ignore_errors=True)
        return was, int(found.group(1)) if found else 0, done.stdout + done.stderr

    _, usual, told = run(0)
    ends = []
    while (answer := run(len(ends) + 1))[0]:
        ends.append(answer[1:])
    counts = [n for n, _ in ends]
    print(
        f"{what}: {usual} entries without a swap; with one after each of {len(ends)} opens: "
        f"{counts}"
    )
    bad = [text for n, text in ends if n not in (0, usual) or (not n and not re.search(says, text))]
    if not usual or len(ends) < 2 or bad:
        sys.exit("\n".join(["what was read is not what was checked:", *bad, told]))


def a_pack_that_is_swapped_after_it_was_checked(opt, folder):
    swapped(opt, folder, f"packs/{opt.pack}", 0o666, "not imported")


def main():
    opt = argparse.Namespace(**dict(
        zip(("tool", "driver", "samples", "swap"), (pathlib.Path(a).resolve()
                                                    for a in sys.argv[1:5]))))
    with tempfile.TemporaryDirectory(prefix="jitwarm-swap-",
                                     dir=os.environ.get("JW_TEST_MEMORY")) as folder:
        folder = pathlib.Path(folder).resolve()
        make(opt, folder / "home")
        (folder / "home").rename(folder / "before")
        a_pack_that_is_swapped_after_it_was_checked(opt, folder)


if __name__ == "__main__":
    os.umask(0o022)
    main()
