#!/usr/bin/env python3
"""minisign.py bare|locked MINISIGN_PLAY DIR: keys and signatures that minisign makes are good here, ours are good there,
and where both write the same thing they write the same bytes. locked: with a passphrase, which costs minisign's
scrypt (1 GiB, seconds) each time."""
import base64
import pathlib
import shutil
import subprocess
import sys

MINISIGN = shutil.which("minisign")
PASSPHRASE = "correct horse battery"


def run(*command, answer=""):
    done = subprocess.run([str(word) for word in command], input=answer, capture_output=True, encoding="utf-8",
                          check=False)
    return done.returncode, done.stdout, done.stderr


class Pair:
    """One folder, both tools, one passphrase or none."""

    def __init__(self, play, where, passphrase):
        self.play, self.where, self.passphrase = play, where, passphrase
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        self.message = where / "message"
        self.message.write_bytes(bytes(range(256)) * 1000)

    def ours(self, *words):
        code, out, err = run(self.play, *words, *([self.passphrase] if self.passphrase else []))
        assert code == 0, f"minisign_play {words}: {err}"
        return out

    def theirs(self, *words):
        answer = f"{self.passphrase}\n" * 2 if self.passphrase else ""
        code, out, err = run(MINISIGN, *words, answer=answer)
        assert code == 0, f"minisign {words}: {out}{err}"
        return out

    def same(self, a, b):
        assert (self.where / a).read_bytes() == (self.where / b).read_bytes(), f"{a} and {b} differ"

    def same_public(self, theirs, ours):
        comment, key, end = self.file(theirs).read_text().split("\n")
        words, number = comment.rsplit(" ", 1)
        # minisign 0.11 leaves the leading zeros of an id out, later ones do not.
        assert self.file(ours).read_text() == f"{words} {number:0>16}\n{key}\n{end}", f"{theirs} and {ours} differ"

    def file(self, name):
        return self.where / name


def keys_of_theirs(p):
    p.theirs("-G", "-p", p.file("their.pub"), "-s", p.file("their.key"), *([] if p.passphrase else ["-W"]))
    p.ours("copy", p.file("their.key"), p.file("their.copy"))
    p.same("their.key", "their.copy")
    p.ours("public", p.file("their.key"), p.file("their.again"))
    p.same_public("their.pub", "their.again")


def keys_of_ours(p):
    p.ours("make", p.file("our.key"), p.file("our.pub"))
    p.theirs("-R", "-s", p.file("our.key"), "-p", p.file("our.again"))
    p.same_public("our.again", "our.pub")


def signatures(p, who):
    """With one key: the same signature by both, each good with the other."""
    key, public = p.file(f"{who}.key"), p.file(f"{who}.pub")
    trusted = "timestamp:1\tfile:message\thashed"
    p.theirs("-S", "-s", key, "-m", p.message, "-x", p.file("their.sig"), "-t", trusted)
    p.ours("sign", key, p.message, p.file("our.sig"), trusted)
    p.same("their.sig", "our.sig")
    p.theirs("-V", "-H", "-p", public, "-m", p.message, "-x", p.file("our.sig"))
    assert p.ours("verify", public, p.message, p.file("their.sig")) == trusted + "\n"


def refusals(p):
    """Both tools refuse the same: another message, another key, another comment."""
    changed = p.file("changed.sig")
    changed.write_bytes(p.file("our.sig").read_bytes().replace(b"timestamp:1\t", b"timestamp:2\t"))
    other = p.file("other")
    other.write_bytes(b"other")
    for public, message, signature in (("our.pub", other, "our.sig"), ("their.pub", p.message, "our.sig"),
                                       ("our.pub", p.message, "changed.sig")):
        words = p.file(public), message, p.file(signature)
        assert run(MINISIGN, "-V", "-p", words[0], "-m", words[1], "-x", words[2])[0] != 0, words
        code, _, err = run(p.play, "verify", *words)
        assert code == 1 and err.startswith("minisign signature: it"), (words, err)


def passphrase_taken_away(p):
    p.theirs("-C", "-W", "-s", p.file("their.key"))
    p.passphrase = None
    p.ours("public", p.file("their.key"), p.file("their.bare"))
    p.same_public("their.pub", "their.bare")


def zeros_in_an_id(p):
    """The id of a bare key can be changed: nothing vouches for it."""
    lines = p.file("our.key").read_text().split("\n")
    file = bytearray(base64.b64decode(lines[1]))
    file[54 + 5:54 + 8] = b"\n\0\0"
    p.file("zeros.key").write_text(f"{lines[0]}\n{base64.b64encode(file).decode()}\n")
    p.theirs("-R", "-s", p.file("zeros.key"), "-p", p.file("zeros.theirs"))
    p.ours("public", p.file("zeros.key"), p.file("zeros.ours"))
    p.same_public("zeros.theirs", "zeros.ours")


def bare(play, where):
    p = Pair(play, where, None)
    keys_of_theirs(p)
    keys_of_ours(p)
    signatures(p, "their")
    signatures(p, "our")
    refusals(p)
    zeros_in_an_id(p)


def locked(play, where):
    p = Pair(play, where, PASSPHRASE)
    keys_of_theirs(p)
    keys_of_ours(p)
    signatures(p, "our")
    code, _, err = run(play, "public", p.file("our.key"), p.file("no"), "another")
    assert code == 1 and err == "minisign secret key: the passphrase does not open it\n", err
    passphrase_taken_away(p)


if __name__ == "__main__":
    if not MINISIGN:
        print("SKIP: minisign is not installed")
        sys.exit(77)
    {"bare": bare, "locked": locked}[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
