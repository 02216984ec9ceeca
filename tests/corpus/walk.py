"""Reads a library's registered CUDA code with nothing of jitwarm: sections of ELF and PE,
containers back to back, entries by their headers.

A GPU of sm 86 runs machine code of the same major version up to itself, and compiles PTX up to
itself; code for an architecture with a letter (sm_90a) is for the same architecture alone, or for
its family (sm_100f)."""
import mmap
import struct

MAGIC, PTX, ELF = 0xBA55ED50, 1, 2
ONLY, FAMILY, OBFUSCATED = 0x100000, 0x200000, 0x10000


def sections(data, wanted):
    """(begin, end) in the file of the sections with these names."""
    if data[:4] == b"\x7fELF":
        table, size, n, names = *struct.unpack_from("<Q", data, 40), *struct.unpack_from(
            "<HHH", data, 58)
        strings, = struct.unpack_from("<Q", data, table + names * size + 24)
        for at in range(table, table + n * size, size):
            name = strings + struct.unpack_from("<I", data, at)[0]
            begin, length = struct.unpack_from("<QQ", data, at + 24)
            if data[name:data.find(b"\0", name)] in wanted:
                yield begin, begin + length
    elif data[:2] == b"MZ":
        pe, = struct.unpack_from("<I", data, 0x3C)
        n, optional = struct.unpack_from("<H", data,
                                         pe + 6)[0], struct.unpack_from("<H", data, pe + 20)[0]
        for at in range(pe + 24 + optional, pe + 24 + optional + 40 * n, 40):
            virtual, _, raw, begin = struct.unpack_from("<IIII", data, at + 8)
            if data[at:at + 8].rstrip(b"\0") in wanted:
                yield begin, begin + min(virtual, raw)


def containers(data):
    """Of each: [(kind, sm, flags, bytes of its text)]."""
    for at, end in sections(data, (b".nv_fatbin", b".nv_fatb")):
        while at + 16 <= end:
            magic, _, header, size = struct.unpack_from("<IHHQ", data, at)
            if magic != MAGIC:
                at += 8  # padding
                continue
            entries, inner, at = [], at + header, at + header + size
            while inner + 64 <= at:
                kind, _, header, stored = struct.unpack_from("<HHIQ", data, inner)
                sm, = struct.unpack_from("<I", data, inner + 28)
                flags, _, plain = struct.unpack_from("<QQQ", data, inner + 40)
                entries.append((kind, sm, flags, plain or stored))
                inner += header + stored
            yield entries


def fits(kind, sm, flags, gpu):
    if flags & ONLY:
        return sm == gpu
    if flags & FAMILY or kind == ELF:
        return sm <= gpu and sm // 10 == gpu // 10
    return kind == PTX and sm <= gpu


def verdict(entries, gpu):
    """(native or jit or none, bytes of the PTX that is compiled: the newest)"""
    mine = [e for e in entries if fits(*e[:3], gpu) and not e[2] & OBFUSCATED]
    if any(kind == ELF for kind, *_ in mine):
        return "native", 0
    texts = [(sm, plain) for kind, sm, _, plain in mine if kind == PTX]
    return ("jit", max(texts)[1]) if texts else ("none", 0)


def verdicts(path, gpus):
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = list(containers(data))
    counts = {gpu: {"native": 0, "jit": 0, "none": 0, "ptx_bytes": 0} for gpu in gpus}
    for gpu, count in counts.items():
        for entries in found:
            what, size = verdict(entries, int(gpu.removeprefix("sm_")))
            count[what] += 1
            count["ptx_bytes"] += size
    return counts
