#!/usr/bin/env python3
"""pack_tools.py KEPT FOLDER

What other tools make of the packs that are kept for ever: GNU tar and zstd list, test and unpack
them; minisign verifies their signatures. Exit 77: there is no GNU tar, no zstd and no minisign;
what is missing alone is said.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HEAD, TAIL, DIGEST = 8 + 8 + 32, 4 + 8, 32


def run(*command, code=0, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, **options)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}, expected {code}\n"
                 f"{done.stdout.decode(errors='replace')}{done.stderr.decode(errors='replace')}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def trailer_of(pack):
    """(the bytes before the trailer, the digest in it, the signature in it)"""
    data = pack.read_bytes()
    check(data[-8:] == b"jitwend5", f"{pack} ends in a trailer")
    n = int.from_bytes(data[-TAIL:-8], "little")
    frame = data[-n - 8:]
    return data[:-n - 8], frame[16:HEAD], frame[HEAD:-TAIL]


# ---- tar and zstd ----

def check_unpacked(folder, manifest):
    for entry in manifest["entries"]:
        size = (folder / "cache" / entry["name"]).stat().st_size
        check(size == 28 + entry["key_bytes"] + entry["payload_bytes"],
              f"{entry['name']} is as long as the manifest says")
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    check(
        files == sorted(
            ["jitwarm/manifest.json", *("cache/" + e["name"] for e in manifest["entries"])]),
        "nothing else was unpacked")


def check_listed(pack, sums, folder):
    run("zstd", "-q", "-t", pack)
    tar = run("zstd", "-dcq", pack)
    check(
        hashlib.blake2b(tar, digest_size=32).hexdigest() == sums[pack.name],
        f"{pack.name}: the tar is the one of record")
    listed = run("tar", "--zstd", "-tvf", pack, "--numeric-owner", "--utc").decode().splitlines()
    check(
        all(line.startswith("-rw-r--r-- 0/0 ") and " 1970-01-01 00:00 " in line for line in listed),
        "no time, no owner")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run("tar", "--zstd", "-xf", pack, "-C", folder)
    manifest = json.loads((folder / "jitwarm/manifest.json").read_text())
    check([line.split()[-1] for line in listed
           ] == [*("cache/" + e["name"] for e in manifest["entries"]), "jitwarm/manifest.json"],
          "tar lists the members in order")
    check_unpacked(folder, manifest)
    body, digest, _ = trailer_of(pack)
    check(
        hashlib.blake2b(body).digest()[:DIGEST] == digest,
        "the trailer has the digest of all before it")


def check_standard_tools(kept, folder):
    """GNU tar and zstd list and unpack a pack."""
    if not (shutil.which("tar") and b"GNU tar" in run("tar", "--version") and shutil.which("zstd")):
        print("left out: there is no GNU tar or no zstd")
        return 0
    sums = dict(reversed(line.split()) for line in (kept / "tar.b2sums").read_text().splitlines())
    for pack in sorted(kept.glob("*.tar.zst")):
        check_listed(pack, sums, folder / "unpacked")
    return 1


# ---- minisign ----

def check_minisign(kept, folder):
    """What is signed is good for Debian's minisign, beside and inside, and not when a bit of it is
    another."""
    if not shutil.which("minisign"):
        print("left out: there is no minisign")
        return 0
    body, _, signature = trailer_of(kept / "signed.tar.zst")
    (folder / "body").write_bytes(body)
    (folder / "body.minisig").write_bytes(signature)
    for signed in kept / "signed.tar.zst", folder / "body":
        check(
            b"Signature and comment signature verified"
            in run("minisign", "-V", "-p", kept / "tests.pub", "-m", signed), signed)
    (folder / "body").write_bytes(body[:-1] + bytes([body[-1] ^ 1]))
    run("minisign", "-V", "-p", kept / "tests.pub", "-m", folder / "body", code=1)
    return 1


def main():
    kept, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.umask(0o022)
    done = check_standard_tools(kept, folder) + check_minisign(kept, folder)
    if not done:
        print("SKIP: there is none of these tools")
        sys.exit(77)
    print(f"{done} of 2 checks ran")


if __name__ == "__main__":
    main()
