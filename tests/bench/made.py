"""Inputs that are made, not fetched: a tree of files, and files that mean harm."""
import random
import struct
import zipfile

FILES, FOLDERS, CUDA, LIBRARIES = 50_000, 2_000, 60, 400
ENTRIES = 10_000
KIND_PTX, KIND_ELF = 1, 2
LINUX_64BIT = 0x11


def entry(kind, sm, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x0101, 64, len(payload), 0, 0, 5, 8, sm, 0, 0, LINUX_64BIT, 0, 0) + payload


def cubin(sm, kernel, size):
    """As much of machine code as tells its kernel."""
    names = b"\0.text." + kernel.encode() + b"\0.shstrtab\0"
    rows = bytes(64) + struct.pack("<IIQQQQIIQQ", 1, 1, 6, 0, 64, size, 0, 0, 8, 0)
    rows += struct.pack("<IIQQQQIIQQ", names.index(b".shstrtab"), 3, 0, 0, 64 + size, len(names), 0, 0, 1, 0)
    body = random.Random(f"{kernel} {sm}").randbytes(size) + names
    body += bytes(-len(body) % 8)
    head = b"\x7fELF\2\1\1\x33\7" + bytes(7) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0x500 | sm, 64, 56, 0, 64, 3, 2)
    return head + body + rows


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
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(b"\0" + name.encode() + b"\0") + 1, kind, flags,
                                   0x1000 + len(body), 64 + len(body), len(data), 0, 0, 8, 0))
        body += data + bytes(-len(data) % 8)
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, len(headers), len(headers) - 1)
    return head + body + b"".join(headers)


def cuda_library(rng):
    ptx = b"\n.version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n ret;\n}\n" + b"// \n" * 300 + b"\0"
    cubin = b"\x7fELF\x02\x01\x01\x33\x07" + bytes(7) + struct.pack("<HHIQQQI", 2, 190, 1, 0, 0, 0, 0x00320556)
    code = container([entry(KIND_PTX, 80, ptx), entry(KIND_ELF, 86, cubin + rng.randbytes(6000))])
    return elf({".text": rng.randbytes(8000), ".nv_fatbin": code * 2})


def text(rng, size):
    words = b"import torch model layer weights data config index value return self None True 0.1 1e-5".split()
    return b" ".join(rng.choices(words, k=size // 6 + 1))[:size]


def make_tree(root):
    """50,000 files of 1 to 20 kB, as below site-packages; 60 hold CUDA code, 400 are libraries without."""
    rng = random.Random(1)
    folders = [root]
    for i in range(FOLDERS):
        folder = rng.choice(folders[-40:]) / f"part{i}"
        if len(folder.relative_to(root).parts) > 8:
            folder = root / f"part{i}"
        folder.mkdir(parents=True)
        folders.append(folder)
    for i in range(FILES):
        folder = folders[i % len(folders)]
        size = rng.randint(1000, 20000)
        if i < CUDA:
            (folder / f"libkernels{i}.so").write_bytes(cuda_library(rng))
        elif i < CUDA + LIBRARIES:
            (folder / f"libplain{i}.so").write_bytes(elf({".text": rng.randbytes(size)}))
        else:
            ending = rng.choice((".py", ".py", ".pyc", ".json", ".txt", ".h"))
            head = b"\xa7\x0d\x0d\x0a" + bytes(12) if ending == ".pyc" else b'{"' if ending == ".json" else b""
            (folder / f"file{i}{ending}").write_bytes(head + text(rng, size))


def make_tiny_containers(path, count=65_536):
    path.write_bytes(container([entry(KIND_PTX, 80, b"\0")] * 4) * count)


def make_named_archive(path, members=100):
    """Each member has a megabyte of section names."""
    code = container([entry(KIND_PTX, 80, bytes(2000))])
    names = {f".text.{i}{'x' * 50_000}": b"code" for i in range(20)}
    member = elf({**names, ".nv_fatbin": code})
    header = "k.o/".ljust(16) + "0".ljust(12) + "0".ljust(6) * 2 + "100644".ljust(8) + str(len(member)).ljust(10) + "`\n"
    path.write_bytes(b"!<arch>\n" + (header.encode() + member + b"\n" * (len(member) % 2)) * members)


def make_nested(path, size=100 << 20):
    """Container in container in container: each ends 8 bytes before the one around it, so that none is sound."""
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
                wheel.writestr(f"package/part{i // 1000}/a_rather_long_name_of_a_module_{i}.py", text(rng, 300))


def make_cache(root):
    """A cache of the simulated driver, of 10,000 entries of 4 KiB and its index. The names are not the hashes of the keys: only a
    check of every byte asks that."""
    records = []
    ptx = b".version 8.0\n.target sm_70\n" + b"// a kernel like many others\n" * 60
    for number in range(ENTRIES):
        name = number * 0x9e3779b97f4a7c15 % 2**64
        text = f"{name:016x}"
        key = b"Jan  7 202662:51:46HOST64sm_86" + ptx + b"// %d\n\0\0 " % number
        payload = b"\x7fELF" + bytes(2044)
        folder = root / text[0] / text[1]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / text[2:]).write_bytes(struct.pack("<IQQQ", 0x41, len(key), len(payload), 0) + key + payload)
        records.append((name, len(key) + len(payload)))
    index = struct.pack("<IIQ", 0x41, len(records), sum(size for _, size in records))
    (root / "index").write_bytes(index + b"".join(struct.pack("<QQ", *record) for record in records))
