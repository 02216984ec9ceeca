"""Whom import believes: signatures and keys, and the packs that prime takes by itself."""
import pathlib
import shutil
import struct
import subprocess

import packs
from grounds import case, counts, forget_memory, key_pair, primed, trust_for_good, words
from cases import calls_of, check, same

@case
def killed_while_a_key_is_made(m):
    """A secret key that is there is trusted here: what prune signs with one that is not, prime
    would never take."""
    make, env = ("key", "--no-passphrase", "--new"), dict(m.env, ASAN_OPTIONS="detect_leaks=0")
    calls_of(m, (*make, m.folder / "0.key"),
             env)  # else there is no strace, or it may not trace here
    shutil.rmtree(m.home / ".config")
    for nth in 1, 2:
        key = m.folder / f"{nth}.key"
        subprocess.run([
            "strace", "-qqo", "/dev/null", "-e", f"inject=renameat2:signal=KILL:when={nth}",
            *m.command(*make, key)
        ], env=env)
        same((key.exists(), bool(list(m.home.rglob("*.pub")))), (nth == 2, True),
             f"killed at rename {nth}")
    # And before the first half is trusted, by the other call that renames.
    inject = "inject=?rename,renameat:signal=KILL:when=1"
    subprocess.run(["strace", "-qqo", "/dev/null", "-e", inject,
                    *m.command(*make, m.folder / "3.key")], env=env, check=False)
    same(m.run(*make, m.folder / "3.key").returncode, 0, "the next one")
    left = [path for top in (m.folder, m.home) for path in top.rglob(".jw-*.tmp")]
    same(left, [], "sweeps what these left")


@case
def a_key_that_is_not_synced(m):
    """Where the sync of a folder fails, after its file has its name, nothing is left of the
    pair."""
    make, env = ("key", "--no-passphrase", "--new"), dict(m.env, ASAN_OPTIONS="detect_leaks=0")
    # Without it, there is no strace, or it may not trace here.
    calls_of(m, (*make, m.folder / "0.key"), env)
    shutil.rmtree(m.home / ".config")
    for nth in 1, 2, 3:
        key = m.folder / f"{nth}.key"
        fails = ["strace", "-qqo", "/dev/null", "-e", f"inject=fsync:error=EIO:when={nth}"]
        done = subprocess.run([*fails, *m.command(*make, key)], env=env, check=False)
        left = [path for path in (key, key.with_suffix(".pub")) if path.exists()]
        same((done.returncode, left, list(m.home.rglob("*.pub"))), (4, [], []), f"sync {nth} fails")


@case
def a_sample_that_a_fresh_process_cannot_read(m):
    """Where an import ends with 1, its text says why, also where one read fails of a process that
    loads the sample."""
    lib, _ = m.library(count=3)
    m.answer("prime", lib)
    pack = m.folder / "a.tar.zst"
    same(m.run("export", "-o", pack, lib).returncode, 0, "export")
    ours, env = ("import", "--allow-unsigned", pack), dict(m.env, ASAN_OPTIONS="detect_leaks=0")
    calls_of(m, ours, env)
    entry = min(m.root.glob("?/?/*"))
    for nth, code in (1, 0), (2, 1), (3, 1):
        m.forget_cache()
        fails = ["strace", "-f", "-qqo", "/dev/null", "-P", entry, "-e",
                 f"inject=pread64:error=EIO:when={nth}"]
        done = subprocess.run([*fails, *m.command(*ours)], env=env, check=False, text=True,
                              capture_output=True)
        said = "A fresh process could not use 1 entry." in done.stdout
        same((done.returncode, said), (code, code == 1), f"read {nth} fails: {done.stdout}")


@case
def minisign_agrees(m):
    """Its keys sign and are trusted here as ours are, and it verifies both."""
    lib, _ = m.library(count=2)
    m.answer("prime", lib)
    pairs, again, body = [key_pair(m.folder), (m.folder / "ours.pub", m.folder / "ours.key")
                          ], m.folder / "again.pub", m.folder / "body"
    same(m.run("key", "--no-passphrase", "--new", pairs[1][1]).returncode, 0, "key")
    for public, secret in pairs:
        subprocess.run(["minisign", "-R", "-s", secret, "-p", again], check=True,
                       capture_output=True)
        same(again.read_text().splitlines()[1],
             public.read_text().splitlines()[1], f"the public key of {secret.name}")
        again.unlink()
        pack = m.folder / f"{secret.stem}.tar.zst"
        same(
            m.run("export", "--sign", secret, "-o", pack, lib).returncode, 0,
            f"export by {secret.name}")
        data = pack.read_bytes()
        trailer = data[-8 - int.from_bytes(data[-12:-8], "little"):]
        body.write_bytes(data[:-len(trailer)])
        pathlib.Path(f"{body}.minisig").write_bytes(trailer[48:-12])
        subprocess.run(["minisign", "-V", "-p", public, "-m", body], check=True,
                       capture_output=True)
        same(
            m.answer("import", "--trust", public, pack)[0]["packs"][0]["signature"], "trusted",
            secret.name)


@case
def packs_that_wait(m):
    """prime takes the packs of the user, of the machine and of a source that are for this machine
    and signed by a trusted key, and compiles nothing of them; others are a note, and nothing of
    them comes in."""
    pair = key_pair(m.folder)
    lib, pack = primed(m, count=4)
    source = m.folder / "share"
    conf = m.home / ".config" / "jitwarm" / "jitwarm.conf"
    conf.parent.mkdir(parents=True, mode=0o700)
    conf.write_text(f"source = {source}\n")
    places = {
        "the user's": m.home / ".local/share/jitwarm/packs",
        "the machine's": m.folder / "machine/var/lib/jitwarm/packs", "a source": source
    }

    def taken(folder, name=f"{pack.key()}-lib.so.tar.zst", signer=pair[1], compiled=0, spoil=None):
        shutil.rmtree(m.home / ".nv", ignore_errors=True)
        forget_memory(m)
        for place in places.values():
            shutil.rmtree(place, ignore_errors=True)
        folder.mkdir(parents=True)
        file = pathlib.Path(pack.write(folder / name))
        if signer:
            packs.sign(file, signer)
        if spoil:
            file.write_bytes(spoil(file.read_bytes()))
        answer, code = m.answer("prime", lib)
        same((code, answer["answer"]["is"], answer["compiled"]), (0, "warm", compiled),
             f"{folder}: {answer}")
        return answer

    taken(places["the user's"], compiled=4)  # signed, and the key is not trusted
    trust_for_good(m, pair[0])
    for what, folder in places.items():
        check("4 entries were imported" in words(taken(folder)), what)
    other, _ = m.library("other.so", count=1, seed=9)
    for what, code, limit in (lib, 4, "1000000"), (
            other, 0,
            "100000000"):  # of what is cold alone, and nothing where the limit stops the run
        m.forget_cache()
        same((m.answer("prime", what, CUDA_CACHE_MAXSIZE=limit)[1], len(packs.files_of(m.root))),
             (code, what == other), f"{what}, limit {limit}")
    check("is not signed" in words(taken(source, signer=None, compiled=4)), "not signed")
    taken(source, name="lab.tar.zst")
    taken(source, name=f"{pack.key().replace('sm_86', 'sm_90')}-lib.so.tar.zst", compiled=4)
    taken(source, spoil=lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:], compiled=4)


# ---- what cannot be compiled again ----

def others(stamp, sm):
    """Entries as NVRTC, nvJitLink and both stages of OpenCL make them, by their keys."""
    arch, build = str(sm).encode(), stamp.encode()
    ptx = b"//\n.version 8.3\n.target sm_%s%s\n.address_size 64\n.visible .entry k() { ret; }\n\0"
    for key in (b"May 27 202502:34:13HOST64sm_%sa" % arch + b"BC\xc0\xde" + b"bitcode" * 30 +
                b"\0\0 -arch=compute_%sa -arch=sm_%sa" % (arch, arch),
                b"May 27 202502:34:13HOST64sm_%sf" % arch + ptx % (arch, b"f") +
                b" -arch=sm_%sf" % arch,
                b"__kernel void twice(__global float *a) { a[0] *= 2; } // its source" + bytes(1) +
                b"-cl-nv-arch sm_%s  -nv-m64" % arch +
                struct.pack("<9Q", 3, 0x5a, 4, 30, 5, 1, 2, 1, 0) + b"580.126.09\0NVVM70",
                build + b"HOST64sm_%s" % arch + ptx % (arch, b", texmode_independent") +
                b" --reserve-null-pointer  -pic=false"):
        digits = f"{packs.fnv(key):016x}"
        code = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HH", 2, 190) + digits.encode() * 9
        yield f"{digits[0]}/{digits[1]}/{digits[2:]}", packs.entry_file(key, code)


@case
def other_compilers(m):
    """Entries of NVRTC, nvJitLink and OpenCL are copied by an export of everything, counted as only
    that, and come back."""
    driver = m.folder / "driver"  # the name of its file tells its version, as NVIDIA's
    driver.mkdir()
    shutil.copy(m.opt.sim, driver / "libcuda.so.580.126.09")
    shutil.copy(m.opt.sim.parent / "libnvidia-ptxjitcompiler.so.1", driver)
    m.env["JITWARM_DRIVER"] = str(driver / "libcuda.so.580.126.09")
    lib, _ = m.library(count=3)
    m.answer("prime", lib)
    index = bytearray((m.root / "index").read_bytes())
    for name, data in others(*packs.stamp_of(next(iter(packs.files_of(m.root).values())))):
        (m.root / name).parent.mkdir(parents=True, exist_ok=True)
        (m.root / name).write_bytes(data)
        n, total = struct.unpack_from("<IQ", index, 4)
        struct.pack_into("<IQ", index, 4, n + 1, total + len(data) - 28)
        index += struct.pack("<QQ", int(name.replace("/", ""), 16), len(data) - 28)
    (m.root / "index").write_bytes(index)
    before = packs.files_of(m.root)
    answer, code = m.answer("export", "-o", m.folder / "paths.tar.zst", lib)
    same((code, answer["packs"][0]["entries"], answer["packs"][0]["once"]), (0, 3, 0),
         f"of a file: {answer}")
    for what, words_of in (("roots", ()), ("all", ("--whole-cache", "--yes"))):
        answer, code = m.answer("export", *words_of, "-o", m.folder / f"{what}.tar.zst")
        same((code, answer["packs"][0]["entries"], answer["packs"][0]["once"]), (0, 7, 4),
             f"of {what}: {answer}")
        m.forget_cache()
        answer, code = m.answer("import", "--allow-unsigned", m.folder / f"{what}.tar.zst")
        same((code, counts(answer)), (0, (7, 0)), f"import of {what}: {answer}")
        same(packs.files_of(m.root), before, "to the byte")
        index = (m.root / "index").read_bytes()
        magic, n, total = struct.unpack_from("<IIQ", index)
        (m.root / "index").write_bytes(
            struct.pack("<IIQ", magic, n - 1, total -
                        struct.unpack_from("<Q", index,
                                           len(index) - 8)[0]) + index[16:-16])
        answer, code = m.answer("import", "--allow-unsigned", m.folder / f"{what}.tar.zst")
        same((code, counts(answer), len(m.cache().records)), (0, (0, 7), 7),
             f"one that lacks its record alone was there: {answer}")
