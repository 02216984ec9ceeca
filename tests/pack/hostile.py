"""import among hostile folders, on full disks, without rights, and with packs that are not what
they should be."""
import os
import shutil
import subprocess
import threading

import packs
from grounds import (case, contents, counts, is_imported, mounted, need_root, primed, swapping,
                     untouched, User, words)
from cases import check, same

# ---- hostile folders ----

@case
def hostile_root(m):
    """What the publisher refuses (unit.cache.publish_posix has each way) is said, nothing behind a
    link is touched, and nothing goes where others may write."""
    lib, pack = primed(m, count=30, least=500, most=5000)
    args = "import", "--allow-unsigned", pack.write(m.folder / "x.tar.zst")
    first = sorted(pack.files)[0][0]
    victim = m.folder / "victim"
    victim.mkdir(mode=0o700)
    (victim / "mine").write_text("untouched\n")
    m.root.mkdir(parents=True)
    (m.root / first).symlink_to(victim)
    with untouched(victim, "the folder behind a link"):
        answer, code = m.answer(*args)
    check(code in (0, 1, 4) and "link" in words(answer) and counts(answer)[0] < 30,
          f"a link: {code}: {answer}")
    check((m.root / first).is_symlink(), "the link is left alone")
    for path in m.root, m.root / first:
        m.forget_cache()
        path.mkdir(parents=True)
        os.chmod(path, 0o777)
        answer, code = m.answer(*args)
        said = "may be changed by everybody" if path == m.root else "may write to it"
        check(code in (0, 1, 4) and said in str(answer),
              f"{path.name} is open to everybody: {code}: {answer}")
        same([p for p in path.rglob("?" * 14)], [],
             f"{path.name} is open to everybody: what is there")
    # The cache itself behind a link is the user's own business.
    m.forget_cache()
    real = m.folder / "elsewhere"
    real.mkdir(mode=0o700)
    m.root.symlink_to(real)
    answer, code = m.answer(*args)
    same((code, counts(answer)), (0, (30, 0)), "a cache behind a link")


@case
def swapped_during_import(m):
    """Another process keeps changing a folder of the cache for a link to another one while entries
    are put into it. They are NVRTC's: no driver, which follows links, is asked to load them."""
    _, pack = primed(m, count=1)
    stamp, sm = packs.stamp_of(next(iter(pack.files.values())))
    pack = packs.Pack(dict(nvrtc(sm, i) for i in range(150)), stamp, sm)
    file = pack.write(m.folder / "x.tar.zst")
    victim = m.folder / "victim"
    victim.mkdir(mode=0o700)
    for h in "0123456789abcdef":
        (victim / h).mkdir()
    before = contents(victim)
    codes = []
    for _ in range(6):
        m.forget_cache()
        for h in "0123456789abcdef":
            (m.root / h).mkdir(parents=True)
        with swapping(m.root, lambda name: victim):
            answer, code = m.answer("import", "--allow-unsigned", file)
        check(code in (0, 1, 4), f"exit {code}: {answer['why']}")
        codes.append(code)
        same({k: v[3]
              for k, v in contents(victim).items()}, {k: v[3]
                                                      for k, v in before.items()},
             "the folder behind the link")
        for path in list(m.root.glob("*-aside")):
            shutil.rmtree(path)
    m.forget_cache()
    answer, code = m.answer("import", "--allow-unsigned", file)
    same((code, counts(answer)), (0, (150, 0)), "in peace")
    is_imported(m, pack)
    print(f"  exit codes while folders were swapped: {codes}")


def nvrtc(sm, i):
    """The name and the bytes of an entry of NVRTC."""
    key = b"May 27 202502:34:13HOST64sm_%da" % sm
    key += b"BC\xc0\xde" + b"bitcode%d" % i * 30
    key += b"\0\0 -arch=compute_%da" % sm
    digits = f"{packs.fnv(key):016x}"
    return f"{digits[0]}/{digits[1]}/{digits[2:]}", packs.entry_file(
        key, b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\xbe\0" + digits.encode() * 9)


@case
def others_above(m):
    """Where others may write to the folder above the cache, import adds nothing, as prime: they
    could put something in its place."""
    lib, pack = primed(m, count=60)
    file = pack.write(m.folder / "x.tar.zst")
    above = m.folder / "above"
    above.mkdir()
    os.chmod(above, 0o777)
    seen, stop = set(), threading.Event()

    def watch():
        while not stop.is_set():
            seen.update(p.name for p in above.iterdir())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        answer, code = m.answer("import", "--allow-unsigned", file,
                                CUDA_CACHE_PATH=str(above / "ComputeCache"))
    finally:
        stop.set()
        thread.join()
    same((code, answer["cause"]["id"], counts(answer)), (4, "cache-open", (0, 0)), answer)
    same(seen, set(), "what was seen there meanwhile")


# ---- full disks, rights ----

@case
def full_disk(m):
    lib, pack = primed(m, count=40, least=20000, most=90000)
    file = pack.write(m.folder / "x.tar.zst")
    args = ("import", "--allow-unsigned", file)
    with mounted(m.folder / "small", "size=2m,mode=755") as small:
        cache = small / "ComputeCache"
        cache.mkdir()
        (cache / "index").write_bytes(b"")
        with untouched(cache, "a disk that is too small"):
            answer, code = m.answer(*args, CUDA_CACHE_PATH=str(cache))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check(f"{small}: " in str(answer) and "are needed" in str(answer), answer)
        answer, code = m.answer("export", "-o", m.folder / "none.tar.zst", lib,
                                CUDA_CACHE_PATH=str(cache), JITWARM_STATE=str(small / "state"))
        same((code, answer["cause"]["id"]), (4, "cache-disk-full"),
             f"export where even the probe has no room: {answer}")
    # It would fit, but into what stays free.
    with mounted(m.folder / "little", "size=130m,mode=755") as little:
        (little / "ComputeCache").mkdir()
        with open(little / "filler", "wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, 112 << 20)
        with untouched(little / "ComputeCache", "a disk with little room"):
            answer, code = m.answer(*args, CUDA_CACHE_PATH=str(little / "ComputeCache"))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check("are needed" in str(answer) and "stay free" in str(answer), answer)
    # Bytes enough, but no room for names: it is only noticed while entries are unpacked.
    with mounted(m.folder / "names", "size=200m,nr_inodes=40,mode=755") as names:
        cache = names / "ComputeCache"
        cache.mkdir()
        with untouched(cache, "no room for names"):
            answer, code = m.answer(*args, CUDA_CACHE_PATH=str(cache))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check(
            "the disk is full" in answer["why"] and "tar" not in answer["why"].split(str(names))[0],
            answer["why"])
    with mounted(m.folder / "readonly", "size=200m,mode=755") as readonly:
        (readonly / "ComputeCache").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", readonly], check=True)
        answer, code = m.answer(*args, CUDA_CACHE_PATH=str(readonly / "ComputeCache"))
        same((code, answer["result"]), (4, "cannot-write"), answer["why"])
        check("read-only" in words(answer), answer["why"])
    check(not m.root.exists(), "the user's own cache was not made")


@case
def no_rights(m):
    """As a user who may not."""
    need_root()
    os.chmod(m.folder, 0o755)
    u = User(m.opt, m.folder / "user", 10003)
    u.library("lib.so", count=4)
    u.give()
    same(u.answer("prime", "lib.so")[1], 0, "prime")
    file = packs.pack_of(u.root, origin="lib.so").write(u.folder / "x.tar.zst")
    name = sorted(packs.files_of(u.root))[0]
    os.chmod(u.root / name, 0o000)
    for verb in ["export", "--dry-run", "lib.so"], ["prune"]:
        said = " ".join(u.run(*verb).stdout.split())
        check(f"{name}: permission denied" in said and "amaged" not in said, f"{verb}: {said}")
    shutil.copy(file, u.folder / "y.tar.zst")
    u.forget_cache()
    os.chmod(file, 0o000)
    answer, code = u.answer("import", "--allow-unsigned", u.folder)
    same((code, answer["added"]), (4, 4), f"a pack that is closed, and one beside it: {answer}")
    check(answer["packs"][0]["why"] == "permission denied", f"{answer}")
    os.chmod(file, 0o644)
    closed = u.folder / "closed"
    closed.mkdir(mode=0o755)  # root's
    answer, code = u.answer("import", "--allow-unsigned", file,
                            CUDA_CACHE_PATH=str(closed / "ComputeCache"))
    same((code, answer["result"]), (4, "cannot-write"), answer["why"])
    same(list(closed.iterdir()), [], "nothing is made there")


# ---- packs that are not what they should be ----

def bad_packs(good):
    """(name, bytes, exit code, words): one that is damaged, of which unit.pack has each way, and
    all that only an import looks at. Digests and checksums around what is spoilt hold again."""
    whole = good.bytes()
    names, files = list(good.files), list(good.files.values())

    def manifest(change):
        p = packs.Pack(good.files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so")
        change(p.manifest)
        return p.bytes()

    def inner(change):
        """An entry changed, and all around it made to fit: only the entry's own hashes can tell."""
        p = packs.Pack(good.files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so")
        p.files = {**good.files, names[0]: change(files[0])}
        return p.bytes()

    yield "a flipped bit", whole[:500] + bytes([whole[500] ^ 0x10]) + whole[501:], 6, "digest"
    yield "another architecture than its entries'", manifest(lambda m: m.update(sm=75)), (5, 6), ""
    yield "an entry of another build", other_key(
        good,
        lambda k: k.replace(good.manifest["stamp"].encode(), b"Feb  8 202600:00:00", 1)), 6, "build"
    yield "an entry for another architecture", other_key(
        good, lambda k: k.replace(b"sm_86", b"sm_75", 1)), 6, "sm_75"
    yield "of another driver by its version", other_key(
        good, lambda k: b"f" + bytes(1) + b"-cl-nv-arch sm_86  -nv-m64" + bytes(8) +
        b"580.126.09\0NVVM70"), 6, "580.126.09"
    yield "an entry of another kind", other_key(
        good, lambda k: b"some text that is no key of a module"), 6, ""
    yield "an entry of another format", inner(lambda d: b"\x42" + d[1:]), 6, "format"
    yield "an entry whose payload changed", inner(
        lambda d: d[:-1] + bytes([d[-1] ^ 1])), 6, "payload"
    yield "an entry whose key changed", inner(
        lambda d: d[:60] + bytes([d[60] ^ 1]) + d[61:]), 6, "key"
    yield "an entry that is no machine code", inner(other_payload), 6, "payload"


def other_payload(data):
    key, payload = int.from_bytes(data[4:12], "little"), int.from_bytes(data[12:20], "little")
    return packs.entry_file(data[28:28 + key], b"\x90" * payload)


def other_key(good, change):
    """The first entry under another key, whole in itself."""
    first = next(iter(good.files.values()))
    key, _ = (int.from_bytes(first[i:i + 8], "little") for i in (4, 12))
    new = change(first[28:28 + key])
    digits = f"{packs.fnv(new):016x}"
    files = dict(list(good.files.items())[1:])
    files[f"{digits[0]}/{digits[1]}/{digits[2:]}"] = packs.entry_file(new, first[28 + key:])
    return packs.Pack(files, good.manifest["stamp"], good.manifest["sm"], origin="lib.so").bytes()


@case
def bad_packs_by_name(m):
    """Each is refused with a reason beside its name, and the cache is as it was."""
    lib, pack = primed(m, count=6, least=400, most=900)
    other, old = primed(m, "other.so", count=5, seed=9)
    old.write(m.folder / "old.tar.zst")
    m.answer("import", "--allow-unsigned", m.folder / "old.tar.zst", other)
    before, n = contents(m.root), 0
    bad = m.folder / "bad.tar.zst"
    for name, data, codes, said in bad_packs(pack):
        bad.write_bytes(data)
        answer, code = m.answer("import", "--allow-unsigned", bad)
        check(code in (codes if isinstance(codes, tuple) else (codes, )),
              f"{name}: exit {code}, {answer['result']}: {answer['why']}")
        check(answer["why"] and said in answer["why"],
              f"{name}: {said!r} is not in: {answer['why']}")
        if code == 6:
            check(
                str(bad) == answer["packs"][0]["path"] and str(bad) not in answer["why"]
                and "\x1b" not in answer["why"], f"{name}: {answer['why']}")
        same(contents(m.root), before, f"{name}: the cache")
        same(m.leftovers(), [], f"{name}: folders left behind")
        if m.opt.verbose:
            print(f"  {name}: {code}: {answer['why']}")
        n += 1
    answer, code = m.answer("import", "--allow-unsigned", pack.write(bad))
    same((code, counts(answer)), (0, (6, 0)), "the good one")
    print(f"  {n} bad packs")
