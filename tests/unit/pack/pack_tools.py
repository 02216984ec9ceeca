#!/usr/bin/env python3
"""pack_tools.py PACK_PLAY JITWARM KEPT FOLDER

What other tools make of packs, and we of theirs: GNU tar and zstd list, test and unpack the packs that are kept for ever;
minisign verifies our signatures with our keys, signs our packs with its keys and with ours, and we verify that. Exit 77: there
is no GNU tar, no zstd and no minisign; what is missing alone is said.
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
    check(data[-8:] == b"jitwend3", f"{pack} ends in a trailer")
    n = int.from_bytes(data[-TAIL:-8], "little")
    frame = data[-n - 8:]
    return data[:-n - 8], frame[16:HEAD], frame[HEAD:-TAIL]


# ---- tar and zstd ----

def check_unpacked(folder, manifest):
    for entry in manifest["entries"]:
        size = (folder / "cache" / entry["name"]).stat().st_size
        check(size == 28 + entry["key_bytes"] + entry["payload_bytes"], f"{entry['name']} is as long as the manifest says")
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    check(files == sorted(["jitwarm/manifest.json", *("cache/" + e["name"] for e in manifest["entries"])]),
          "nothing else was unpacked")


def check_listed(pack, sums, folder):
    run("zstd", "-q", "-t", pack)
    tar = run("zstd", "-dcq", pack)
    check(hashlib.blake2b(tar, digest_size=32).hexdigest() == sums[pack.name], f"{pack.name}: the tar is the one of record")
    listed = run("tar", "--zstd", "-tvf", pack, "--numeric-owner", "--utc").decode().splitlines()
    check(all(line.startswith("-rw-r--r-- 0/0 ") and " 1970-01-01 00:00 " in line for line in listed), "no time, no owner")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run("tar", "--zstd", "-xf", pack, "-C", folder)
    manifest = json.loads((folder / "jitwarm/manifest.json").read_text())
    check([line.split()[-1] for line in listed] == [*("cache/" + e["name"] for e in manifest["entries"]), "jitwarm/manifest.json"], "tar lists the members in order")
    check_unpacked(folder, manifest)
    body, digest, _ = trailer_of(pack)
    check(hashlib.blake2b(body).digest()[:DIGEST] == digest, "the trailer has the digest of all before it")


def check_standard_tools(kept, play, folder):
    """GNU tar and zstd list and unpack a pack."""
    if not (shutil.which("tar") and b"GNU tar" in run("tar", "--version") and shutil.which("zstd")):
        print("left out: there is no GNU tar or no zstd")
        return 0
    sums = dict(reversed(line.split()) for line in (kept / "tar.b2sums").read_text().splitlines())
    for pack in sorted(kept.glob("*.tar.zst")):
        check_listed(pack, sums, folder / "unpacked")
    run(play, "make", folder / "new.tar.zst")
    listed = run("tar", "--zstd", "-tf", folder / "new.tar.zst").decode().split()
    check(listed[-1] == "jitwarm/manifest.json" and len(listed) == 4, "tar lists a pack that was just made")
    return 1


# ---- minisign ----

def says(play, pack, public):
    return run(play, "check", pack, public).decode().strip()


def key_id(public):
    return public.read_text().split("\n")[0].split()[-1].rjust(16, "0")


def ours_there(play, jitwarm, folder):
    """Our keys, our signatures; minisign's verdict."""
    secret, public, pack = folder / "ours.key", folder / "ours.pub", folder / "ours.tar.zst"
    run(jitwarm, "key", "--no-passphrase", "--new", secret)
    run(play, "make", pack, secret)
    check(b"Signature and comment signature verified" in run("minisign", "-V", "-p", public, "-m", pack), "beside")
    body, _, signature = trailer_of(pack)
    (folder / "body").write_bytes(body)
    (folder / "body.minisig").write_bytes(signature)
    check(b"Signature and comment signature verified" in run("minisign", "-V", "-p", public, "-m", folder / "body"), "inside")
    (folder / "body").write_bytes(body[:-1] + bytes([body[-1] ^ 1]))
    run("minisign", "-V", "-p", public, "-m", folder / "body", code=1)
    check(says(play, pack, public).startswith(f"signed {key_id(public)} ours.tar.zst.minisig: jitwarm pack for sm_86"), "ours here")
    return secret, public


def theirs_here(play, folder, secret, public, pack, *options):
    """A signature by minisign; our verdict."""
    run("minisign", "-S", *options, "-s", secret, "-m", pack, "-t", "said by minisign", input=b"\n")
    check(says(play, pack, public) == f"signed {key_id(public)} {pack.name}.minisig: said by minisign",
          f"{pack.name}: minisign {' '.join(options)} is verified")
    moved = folder / "moved.minisig"
    shutil.move(f"{pack}.minisig", moved)
    check(says(play, pack, public) == "unsigned", "nothing beside it any more")
    other = folder / "other.tar.zst"
    run(play, "make", other, secret)
    shutil.move(moved, f"{other}.minisig")
    check(says(play, other, public).startswith("wrong: minisign signature: it is not a signature of this content"),
          "a signature over other bytes")


def check_minisign(play, jitwarm, folder):
    """Debian's minisign and we read each other's keys and signatures."""
    if not shutil.which("minisign"):
        print("left out: there is no minisign")
        return 0
    ours = ours_there(play, jitwarm, folder)
    theirs = folder / "theirs.key", folder / "theirs.pub"
    run("minisign", "-G", "-W", "-f", "-s", theirs[0], "-p", theirs[1])
    for secret, public in (ours, theirs):
        for options in ([], ["-H"]):
            pack = folder / f"{secret.stem}{''.join(options)}.tar.zst"
            run(play, "make", pack)
            theirs_here(play, folder, secret, public, pack, *options)
    pack = folder / "unknown.tar.zst"
    run(play, "make", pack, theirs[0])
    check(says(play, pack, ours[1]) == f"unknown {key_id(theirs[1])}", "signed with a key that is not trusted")
    return 1


def main():
    play, jitwarm, kept, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    os.umask(0o022)
    os.environ.update(XDG_CONFIG_HOME=str(folder / "config"), JW_TEST_SCRATCH=str(folder / "scratch"))
    done = check_standard_tools(kept, play, folder) + check_minisign(play, jitwarm, folder)
    if not done:
        print("SKIP: there is none of these tools")
        sys.exit(77)
    print(f"{done} of 2 checks ran")


if __name__ == "__main__":
    main()
