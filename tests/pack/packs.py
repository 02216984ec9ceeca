"""Packs, made by code that shares nothing with the tool: manifest, tar, zstd frames, trailer. Each
part can be spoilt on its way into the next, so that what is outside of it still holds."""
import hashlib
import json
import pathlib
import struct
import subprocess
from os import environ


def frame(content):
    """A zstd frame, by zstd's own program."""
    return subprocess.run(["zstd", "-qc1", f"--stream-size={len(content)}"], input=content,
                          stdout=subprocess.PIPE, check=True).stdout


def header(name, size, kind=b"0", link=b""):
    raw = bytearray(512)
    fields = ((0, name.encode()), (100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"),
              (124, b"%011o\0" % size), (136, b"00000000000\0"), (148, b" " * 8), (156, kind),
              (157, link), (257, b"ustar\00000"), (329, b"0000000\0"), (337, b"0000000\0"))
    for at, value in fields:
        raw[at:at + len(value)] = value
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)


def member(name, content, **fields):
    return header(name, len(content), **fields) + content + bytes(-len(content) % 512)


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def entry_file(key, payload):
    return struct.pack("<IQQQ", 0x41, len(key), len(payload), fnv(payload)) + key + payload


def split_name(path):
    """cache root / h / h / 14 digits -> "h/h/14 digits" """
    return "/".join(pathlib.Path(path).parts[-3:])


# The architecture of the machine of the tests, which is not always this one's.
HERE = environ.get("PACK_ARCH", "x86_64")
SYSTEM = environ.get("PACK_OS", "linux")


class Pack:
    """What is in a pack, and how it is put together; `files` are whole entry files by name."""

    def __init__(self, files, stamp, sm, os=SYSTEM, arch=HERE, driver="580.126.09", origin=None):
        self.files = dict(sorted(files.items()))
        entries = []
        for name, data in self.files.items():
            key, payload = struct.unpack_from("<QQ", data, 4)
            entries.append({"name": name, "key_bytes": key, "payload_bytes": payload})
        self.manifest = {
            "schema": "jitwarm.pack/5", "tool": "0.1.0", "os": os, "arch": arch, "driver": driver,
            "stamp": stamp, "compiler": None, "sm": sm,
            "software": [] if origin is None else [origin],
            "nameless": len(self.files) if origin is None else 0, "entries": entries
        }
        self.members = None  # another list of whole members

    def key(self):
        """What a pack of this driver build and GPU is named after."""
        built, months = self.manifest["stamp"], "JanFebMarAprMayJunJulAugSepOctNovDec"
        date = f"{built[7:11]}{months.index(built[:3]) // 3 + 1:02}{int(built[4:6]):02}"
        return f"sm_{self.manifest['sm']}-{date}-{built[11:].replace(':', '')}"

    def manifest_text(self):
        return json.dumps(self.manifest, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    def parts(self):
        """The entries' members; the manifest's, and the end."""
        entries = self.members if self.members is not None else [
            member("cache/" + n, d) for n, d in self.files.items()
        ]
        return b"".join(entries), member("jitwarm/manifest.json",
                                         self.manifest_text()) + bytes(1024)

    def body(self):
        entries, last = (frame(part) for part in self.parts())
        return entries + pointed(last, entries)

    def bytes(self, body=None):
        return finish(self.body() if body is None else body)

    def write(self, path, **options):
        pathlib.Path(path).write_bytes(self.bytes(**options))
        return path


def pointed(last, *frames):
    """The list of the frames of entries, the manifest's frame, and where both begin."""
    digests = b"".join(hashlib.blake2b(f, digest_size=32).digest() for f in frames)
    index = struct.pack("<II", 0x184D2A59, len(digests)) + digests + last
    return index + struct.pack("<IIQ", 0x184D2A5B, 8, len(index))


def finish(body):
    """The trailer behind a body."""
    inner = b"jitwarm5" + hashlib.blake2b(body).digest()[:32]
    n = len(inner) + 12
    return body + struct.pack("<II", 0x184D2A5A, n) + inner + struct.pack("<I", n) + b"jitwend5"


def files_of(cache):
    """Entry files of a cache folder, by name."""
    return {
        split_name(p): p.read_bytes()
        for p in pathlib.Path(cache).glob("[0-9a-f]/[0-9a-f]/" + "[0-9a-f]" * 14)
    }


def stamp_of(data):
    """As it stands in the key of an entry file, and the architecture behind it."""
    key = data[28:28 + 64]
    stamp, rest = key[:19].decode(), key[19:]
    assert rest.startswith(b"HOST64sm_"), rest
    digits = rest[9:]
    n = next(i for i, c in enumerate(digits) if not 48 <= c <= 57)
    return stamp, int(digits[:n])


def pack_of(cache, names=None, **options):
    """All of a cache, or these names of it."""
    files = {n: d for n, d in files_of(cache).items() if names is None or n in names}
    stamp, sm = stamp_of(next(iter(files.values())))
    return Pack(files, options.pop("stamp", stamp), options.pop("sm", sm), **options)


def sign(path, secret, comment="made for a test"):
    subprocess.run(["minisign", "-S", "-s", secret, "-m", path, "-t", comment], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL)
    return pathlib.Path(f"{path}.minisig")
