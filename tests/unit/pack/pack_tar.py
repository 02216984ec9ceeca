#!/usr/bin/env python3
"""pack_tar.py GOLDEN FOLDER

Standard tools read a pack: GNU tar lists and unpacks the golden tar, and, where there is a zstd, one that is packed into
several frames with the golden trailer behind them. Exit 77: there is no GNU tar.
"""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True)
    if done.returncode or done.stderr:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def check_unpacked(folder, manifest_text):
    """What is there is the manifest and its entries, with their sizes and digests."""
    manifest = json.loads(manifest_text)
    check((folder / "jitwarm/manifest.json").read_bytes() == manifest_text, "the manifest is the golden one")
    for entry in manifest["entries"]:
        content = (folder / "cache" / entry["name"]).read_bytes()
        check(len(content) == 28 + entry["key_bytes"] + entry["payload_bytes"], f"size of {entry['name']}")
        check(hashlib.blake2b(content, digest_size=32).hexdigest() == entry["digest"], f"digest of {entry['name']}")
    files = [path for path in folder.rglob("*") if path.is_file()]
    check(len(files) == 1 + len(manifest["entries"]), "nothing else was unpacked")


def check_tar(tar, options, folder, manifest_text):
    names = [*("cache/" + e["name"] for e in json.loads(manifest_text)["entries"]), "jitwarm/manifest.json"]
    check(run("tar", *options, "-tf", tar).decode().split("\n") == [*names, ""], "tar lists the members in their order")
    verbose = run("tar", *options, "-tvf", tar, "--numeric-owner", "--utc").decode().splitlines()
    check(all(line.startswith("-rw-r--r-- 0/0 ") and " 1970-01-01 00:00 " in line for line in verbose), "no time, no owner")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run("tar", *options, "-xf", tar, "-C", folder)
    check_unpacked(folder, manifest_text)


def frames_of(tar, manifest_text):
    """The entries' members; the manifest's, and the end."""
    cut = len(tar) - 1024 - 512 - (len(manifest_text) + 511) // 512 * 512
    return tar[:cut], tar[cut:]


def main():
    golden, folder = (pathlib.Path(argument) for argument in sys.argv[1:3])
    if not shutil.which("tar") or b"GNU tar" not in run("tar", "--version"):
        print("SKIP: there is no GNU tar")
        sys.exit(77)
    manifest_text, tar = (golden / "manifest.json").read_bytes(), (golden / "pack.tar").read_bytes()
    check_tar(golden / "pack.tar", [], folder / "plain", manifest_text)
    trailer = (golden / "trailer").read_bytes()
    check(trailer[16:48] == hashlib.blake2b(tar).digest()[:32], "the trailer holds the digest")
    if not shutil.which("zstd"):
        print("1 tar read; there is no zstd")
        return
    packed = folder / "pack.tar.zst"
    packed.write_bytes(b"".join(subprocess.run(["zstd", "-c"], input=part, capture_output=True, check=True).stdout
                                for part in frames_of(tar, manifest_text)) + trailer)
    check_tar(packed, ["--zstd"], folder / "packed", manifest_text)
    print("2 tars read")


if __name__ == "__main__":
    main()
