"""Inputs that are made, not fetched: files that mean harm."""
import random
import struct
import zipfile

KIND_PTX = 1
LINUX_64BIT = 0x11


def entry(kind, sm, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x0101, 64, len(payload), 0, 0, 5, 8, sm, 0, 0,
                       LINUX_64BIT, 0, 0) + payload


def container(entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf(sections):
    """A shared object with these sections: {name: bytes}."""
    names, headers, body = b"\0", [bytes(64)], b""
    sections = {**sections, ".shstrtab": None}
    for name, data in sections.items():
        names += name.encode() + b"\0"
    for name, data in sections.items():
        data = names if data is None else data
        kind, flags = (1, 2) if name != ".shstrtab" else (3, 0)
        headers.append(
            struct.pack("<IIQQQQIIQQ",
                        names.index(b"\0" + name.encode() + b"\0") + 1, kind, flags,
                        0x1000 + len(body), 64 + len(body), len(data), 0, 0, 8, 0))
        body += data + bytes(-len(data) % 8)
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64,
                        len(headers),
                        len(headers) - 1)
    return head + body + b"".join(headers)


def text(rng, size):
    words = (b"import torch model layer weights data config index value return self None True 0.1 "
             b"1e-5").split(
    )
    return b" ".join(rng.choices(words, k=size // 6 + 1))[:size]


def make_tiny_containers(path, count=65_536):
    path.write_bytes(container([entry(KIND_PTX, 80, b"\0")] * 4) * count)


def make_nested(path, size=100 << 20):
    """Container in container in container: each ends 8 bytes before the one around it, so that none
    is sound."""
    out = bytearray(size)
    step = 16 + 64
    for at in range(0, size - 2 * step, step):
        left = (size - at) // 8 * 8 - 16
        struct.pack_into("<IHHQ", out, at, 0xBA55ED50, 1, 16, left)
        struct.pack_into("<HHIQ", out, at + 16, KIND_PTX, 0x0101, 64, left - 64 - 8)
    path.write_bytes(out)


def make_wheel(path, members=100_000):
    rng = random.Random(2)
    library = elf({".text": rng.randbytes(2000)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for i in range(members):
            if i % 100 == 0:
                wheel.writestr(f"package/part{i // 1000}/lib{i}.so", library)
            else:
                wheel.writestr(f"package/part{i // 1000}/a_rather_long_name_of_a_module_{i}.py",
                               text(rng, 300))
