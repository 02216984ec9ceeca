#!/usr/bin/env python3
"""wheel_sweep.py JITWARM FOLDER: members of a wheel are read as Python reads them, wherever a block of deflate begins.

Each member is PTX whose stream has one header of each kind (stored, fixed, dynamic; empty or not; last or not) at each byte
and bit around the places where jitwarm fetches the next piece. Each is listed with its size, and none is damaged: scan checks
the CRC-32 that Python wrote.
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import zipfile
import zlib

JITWARM, FOLDER = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PIECES = (512, 512 + 65536)  # where a fetch ends: formats/inflate.c
HEAD = b".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k%d()\n{\n    ret;\n}\n"


class Bits:
    """A deflate stream in the making."""

    def __init__(self):
        self.out, self.acc, self.n, self.plain = bytearray(), 0, 0, bytearray()

    def put(self, value, n):
        self.acc |= value << self.n
        self.n += n
        while self.n >= 8:
            self.out.append(self.acc & 255)
            self.acc >>= 8
            self.n -= 8

    def align(self):
        if self.n:
            self.put(0, 8 - self.n)

    def stored(self, data, last=0):
        self.put(last, 3)
        self.align()
        self.out += struct.pack("<HH", len(data), len(data) ^ 0xffff) + data
        self.plain += data

    def fixed(self, data, last=0):
        self.put(last | 2, 3)
        for byte in data:  # Huffman codes go in with their highest bit first
            code, n = (0x30 + byte, 8) if byte < 144 else (0x190 + byte - 144, 9)
            self.put(int(f"{code:0{n}b}"[::-1], 2), n)
        self.put(0, 7)
        self.plain += data

    def dynamic(self, data, last=0):
        """The one block that zlib makes of `data`, bit for bit, with another `last`."""
        z = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)
        packed = z.compress(data) + z.flush()
        assert packed[0] & 7 == 5, "one dynamic block, the last"
        tail = next(n for n in range(8) if self.unpacks(packed, n, data))  # bits of padding
        self.put(last | 4, 3)
        for i in range(3, 8 * len(packed) - tail):
            self.put(packed[i // 8] >> i % 8 & 1, 1)
        self.plain += data

    @staticmethod
    def unpacks(packed, cut, data):
        """Whether its block ends `cut` bits before the end: another block can follow there."""
        total = 8 * len(packed) - cut
        number = int.from_bytes(packed, "little") & ((1 << total) - 1) & ~1  # not the last one
        number |= 3 << total  # an empty fixed block, the last
        try:
            z = zlib.decompressobj(-15)
            return z.decompress(number.to_bytes((total + 10 + 7) // 8, "little")) == data and z.eof
        except zlib.error:
            return False


TEXT = b"// dynamic codes of this text have lengths of many kinds: 0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFG\n" * 3
KINDS = {
    "stored": (Bits.stored, b" a stored block\n"),
    "stored-empty": (Bits.stored, b""),
    "fixed": (Bits.fixed, b"// a fixed block\n"),
    "fixed-empty": (Bits.fixed, b""),
    "dynamic": (Bits.dynamic, TEXT),
}


def stream(number, kind, at, shift, last):
    """A member whose block of this kind begins `shift` bits behind byte `at` of its stream."""
    b = Bits()
    add, data = KINDS[kind]
    letters = (shift - 2) % 8 if shift else 0  # of nine bits each, in a fixed block whose head and end have ten
    ahead = (10 + 9 * letters) // 8 if shift else 0
    b.stored(HEAD % number)
    while len(b.out) < at - ahead:
        n = min(60000, at - ahead - len(b.out)) - 5
        b.stored(b"\n//" + b"x" * (n - 3))
    if shift:
        b.fixed(b"\xa7" * letters)
    assert (len(b.out), b.n) == (at, shift), (len(b.out), b.n, at, shift)
    add(b, data, int(last))
    if not last:
        b.fixed(b"// the end\n", 1)
    b.align()
    return bytes(b.out), bytes(b.plain)


def zip_of(path, members, descriptor=False, crc=None):
    """members: (name, packed, plain). With `descriptor` sizes and CRC follow the data."""
    out, directory = bytearray(), bytearray()
    for name, packed, plain in members:
        name, sums = name.encode(), (zlib.crc32(plain) if crc is None else crc, len(packed), len(plain))
        flags = 8 if descriptor else 0
        directory += struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, flags, 8, 0, 33, *sums, len(name), 0, 0, 0, 0, 0, len(out)) + name
        out += struct.pack("<4s5H3I2H", b"PK\3\4", 20, flags, 8, 0, 33, *((0, 0, 0) if descriptor else sums), len(name), 0) + name
        out += packed
        if descriptor:
            out += struct.pack("<4s3I", b"PK\7\x08", *sums)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(out), 0)
    path.write_bytes(out + directory + end)


def scan(wheel, *options):
    alone = {"PATH": os.environ["PATH"], "HOME": str(FOLDER / "home"), "JITWARM_SYSROOT": str(FOLDER)}
    return subprocess.run([JITWARM, "scan", "--gpu", "sm_86", *options, wheel], capture_output=True, text=True, timeout=300, check=False,
                          env=os.environ | alone if os.name == "nt" else alone)


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        (FOLDER / "home").mkdir(parents=True)

    def check_wheel(self, name, members, **how):
        wheel = FOLDER / f"{name}-1.0-py3-none-any.whl"
        zip_of(wheel, members, **how)
        with zipfile.ZipFile(wheel) as reference:
            self.assertIsNone(reference.testzip())
        made = scan(wheel, "--json")
        self.assertEqual((made.returncode, made.stderr), (0, ""), made.stdout[-2000:])
        told = json.loads(made.stdout)
        self.assertEqual(told["skipped"], [])
        got = sorted((f["path"].replace("\\", "/").partition("!")[2], f["size"]) for f in told["files"])
        self.assertEqual(got, sorted((member, len(plain)) for member, _, plain in members))
        wheel.unlink()

    def sweep(self, name, places, shifts, **how):
        members = []
        for kind in KINDS:
            for at in places:
                for shift in shifts:
                    for last in (False, True):
                        packed, plain = stream(len(members), kind, at, shift, last)
                        members.append((f"pkg/{len(members)}.ptx", packed, plain))
        self.check_wheel(name, members, **how)

    def test_each_block_at_each_byte_around_the_first_fetch(self):
        self.sweep("first", range(PIECES[0] - 70, PIECES[0] + 6), (0,))

    def test_each_block_at_each_bit_where_the_first_fetch_ends(self):
        self.sweep("bits", range(PIECES[0] - 9, PIECES[0] + 2), range(8))

    def test_each_block_around_the_second_fetch(self):
        self.sweep("second", range(PIECES[1] - 12, PIECES[1] + 3), (0, 3))

    def test_members_with_a_data_descriptor(self):
        self.sweep("descriptor", range(PIECES[0] - 12, PIECES[0] + 6), (0,), descriptor=True)

    def test_a_member_that_ends_where_a_fetch_ends(self):
        members = []
        for size in range(PIECES[0] - 3, PIECES[0] + 4):
            b = Bits()
            b.stored(HEAD % size)
            b.stored(b"//" + b"x" * (size - len(b.out) - 8) + b"\n", 1)
            assert len(b.out) == size
            members.append((f"pkg/{size}.ptx", bytes(b.out), bytes(b.plain)))
        self.check_wheel("end", members)

    def test_bytes_behind_the_stream_are_nobodys(self):
        packed, plain = stream(0, "dynamic", PIECES[0], 0, True)
        self.check_wheel("trailing", [("pkg/0.ptx", packed + b"\0" * 9, plain)])


class Damage(unittest.TestCase):
    """One sentence, exit code 6, and no verdict."""

    def refused(self, name, member, sentence, **how):
        (FOLDER / "home").mkdir(parents=True, exist_ok=True)
        wheel = FOLDER / f"{name}-1.0-py3-none-any.whl"
        zip_of(wheel, [member], **how)
        made = scan(wheel, "--json")
        self.assertEqual(made.returncode, 6, made.stdout)
        told = json.loads(made.stdout)
        self.assertEqual(told["files"], [])
        self.assertIn(f"{wheel}!{member[0]}", made.stdout.replace("\\/", "/"))
        self.assertIn(sentence, made.stdout)
        self.assertIn(sentence, " ".join(scan(wheel).stderr.split()))

    def test_another_crc(self):
        packed, plain = stream(0, "fixed", PIECES[0], 0, False)
        self.refused("crc", ("pkg/0.ptx", packed, plain),
                     f"zip: the member at 0x0 is damaged: its CRC-32 is 0x{zlib.crc32(plain):08x}, but should be 0x00000001", crc=1)

    def test_one_byte_of_a_sound_stream_changed(self):
        packed, plain = stream(0, "fixed", PIECES[0], 0, False)
        wrong = bytearray(packed)
        wrong[300] ^= 1
        self.refused("byte", ("pkg/0.ptx", bytes(wrong), plain), "is damaged: its CRC-32 is")

    def test_cut_off(self):
        packed, plain = stream(0, "dynamic", PIECES[0], 0, True)
        for n in (PIECES[0] - 1, PIECES[0], len(packed) - 1):
            self.refused("cut", ("pkg/0.ptx", packed[:n], plain), "zip: the member's data ends early, at ")

    def test_shorter_and_longer_than_it_claims(self):
        packed, plain = stream(0, "dynamic", PIECES[0], 0, True)
        self.refused("short", ("pkg/0.ptx", packed, plain + b"x"), f"zip: the member ends at {len(plain)}, but claims {len(plain) + 1} bytes")
        self.refused("long", ("pkg/0.ptx", packed, plain[:-1]), f"zip: the member unpacks to more than the {len(plain) - 1} bytes that it claims")

    def test_a_bomb(self):
        z = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = z.compress(HEAD % 0 + b" " * (300 << 20)) + z.flush()
        self.refused("bomb", ("pkg/0.ptx", packed, HEAD % 0 + b" " * (300 << 20)), "looks like a decompression bomb")


if __name__ == "__main__":
    unittest.main()
