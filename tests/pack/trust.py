"""Whom import believes: signatures, and what the driver itself makes of a sample."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import packs
from grounds import case, forget_memory, NOBODY, own_store, primed, states, texts, trust_for_good
from cases import check, same, Skip
from limits import NAP, own_driver

# ---- signatures ----

@case
def signatures(m):
    """Whose packs are believed: keys and signatures of the real minisign."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    stranger = packs.key_pair(m.folder, "stranger")
    lib, pack = primed(m, count=4)
    file = pathlib.Path(pack.write(m.folder / "x.tar.zst"))
    beside = pathlib.Path(f"{file}.minisig")
    keys = m.home / ".config" / "jitwarm" / "keys"
    other = m.folder / "other"
    other.write_text("other bytes\n")

    def tried(what, code, state, words=(), *args):
        m.forget_cache()
        forget_memory(m)
        answer, got = m.answer("import", file, lib, *args)
        same((got, answer["pack"]["signature"]["state"]), (code, state), f"{what}: {answer['why']}")
        said = json.dumps(answer, ensure_ascii=False) + m.run("import", file, lib, *args).stdout
        for word in words:
            check(word in said, f"{what}: {word} is not in {said}")
        same(m.root.exists(), code == 0, f"{what}: the cache")
        return answer

    tried("not signed", 6, "unsigned", ["--allow-unsigned"])
    packs.sign(file, secret, comment="for the lab \u2713")
    key_id = packs.key_id(public)
    tried("by nobody we know", 6, "unknown", [key_id])
    tried("by nobody we know, but that is allowed", 0, "unknown", [key_id], "--allow-unsigned")
    tried("--trust another one", 6, "unknown", [key_id], "--trust", stranger[0])
    answer = tried("--trust", 0, "trusted", [key_id, "for the lab \u2713", str(public)], "--trust", public)
    same(answer["pack"]["signature"]["trusted_comment"], "for the lab \u2713", "the trusted comment")
    text = m.run("import", file, lib, "--trust", public).stdout
    check(key_id in text and "for the lab" in " ".join(text.split()), text)
    keys.mkdir(parents=True, mode=0o700)
    shutil.copy(public, keys / "lab.pub")
    tried("a key in the folder", 0, "trusted", ["lab.pub"])
    # A key that an older jitwarm would have limited to some software is no key for everything.
    bound = public.read_text().rstrip("\n")
    (keys / "lab.pub").write_text(bound + "\n# origins: lib*\n")
    tried("a key with more in its file", 6, None, ["lab.pub", "nothing may follow"])
    # Files that others can write to.
    (keys / "lab.pub").write_text(bound + "\n")
    os.chmod(keys / "lab.pub", 0o666)
    done = tried("a key file that everybody can write to", 6, None, ["lab.pub"])
    check(str(keys / "lab.pub") in done["why"], done["why"])
    os.chmod(keys / "lab.pub", 0o644)
    os.chmod(keys, 0o777)
    tried("a key folder that everybody can write to", 6, None, [str(keys)])
    os.chmod(keys, 0o700)
    if os.geteuid() == 0:
        os.chown(keys / "lab.pub", NOBODY, NOBODY)
        tried("a key file of somebody else's", 6, None, ["lab.pub"])
        os.chown(keys / "lab.pub", 0, 0)
    (keys / "link.pub").symlink_to(public)
    tried("a link in the key folder", 6, None, ["link.pub"])
    (keys / "link.pub").unlink()
    # Signatures that do not hold, though the key is trusted.
    good = beside.read_bytes()
    packs.sign(other, secret)
    beside.write_bytes(pathlib.Path(f"{other}.minisig").read_bytes())
    tried("a signature of other bytes", 6, "wrong", ["x.tar.zst.minisig"])
    tried("a signature of other bytes, and unsigned is allowed", 6, "wrong", [], "--allow-unsigned")
    beside.write_bytes(good[:-20])
    tried("a signature that is cut", 6, "wrong")
    beside.write_bytes(good.replace(b"for the lab", b"for the fab"))
    tried("another trusted comment", 6, "wrong")
    beside.write_bytes(b"")
    tried("an empty signature", 6, "wrong")
    beside.write_bytes(good)
    tried("whole again", 0, "trusted")
    beside.unlink()
    tried("the signature is gone", 6, "unsigned")
    beside.write_bytes(good)
    # By jitwarm.conf.
    (keys / "lab.pub").unlink()
    conf = m.home / ".config" / "jitwarm" / "jitwarm.conf"
    named = m.home / "named.pub"  # below the home: what is above it is not asked
    shutil.copy(public, named)
    conf.write_text(f"trust = {named}\n")
    tried("a trust line", 0, "trusted", ["jitwarm.conf"])
    os.chmod(conf, 0o666)
    tried("a trust line that everybody can change", 6, None, ["jitwarm.conf"])
    os.chmod(conf, 0o644)
    conf.write_text(f"trust = {named} numpy\n")
    tried("a trust line with more behind it", 6, None, ["jitwarm.conf:1", "nothing behind it"])


@case
def signed_again(m):
    """What came in unsigned goes out under a signature of this user only after a yes; the cache does not wash it clean."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    lib, pack = primed(m, count=4)
    file = pack.write(m.folder / "x.tar.zst")
    out = m.folder / "out.tar.zst"

    def exported(*args):
        answer, code = m.answer("export", "-o", out, lib, *args)
        return answer["end"], code, answer["why"]

    answer, code = m.answer("import", "--allow-unsigned", file, lib)
    same((code, states(answer)), (0, {"imported": 4}), "unsigned")
    same(exported()[:2], ("done", 0), "not signed")
    answer, code = m.answer("export", "-o", out)
    same((code, list((m.folder / "store").glob("*.tar.zst"))), (0, []), "what others made is not kept as our own")
    check(any("no copy of the pack is kept in the store: 4 entries came" in n for n in answer["notes"]), answer["notes"])
    end, code, why = exported("--sign", secret)
    same((end, code), ("consent", 7), "entries that came from it")
    check("4 entries came from packs that no trusted key signed" in why, why)
    same(exported("--sign", secret, "--yes")[:2], ("done", 0), "--yes")
    m.forget_cache()
    forget_memory(m)
    shutil.rmtree(m.folder / "store", ignore_errors=True)
    beside = packs.sign(file, secret)
    same(m.answer("import", "--trust", public, file, lib)[1], 0, "a key that is trusted for a run")
    same(list((m.folder / "store").glob("*.tar.zst")), [], "prime would not trust it")
    trust_for_good(m, public)
    same(m.answer("import", file, lib)[1], 0, "a key that is trusted for good")
    same(exported("--sign", secret)[:2], ("done", 0), "of what a trusted key signed")
    kept = next((m.folder / "store").glob("*.tar.zst"))
    same(kept.with_name(kept.name + ".minisig").read_bytes(), beside.read_bytes(), "the signature that was verified")


# ---- what a command loads ----

def command_with_linker(m):
    """A program that gives the driver one text as a module, and one to its linker."""
    one, two = texts(m, 2)
    return [m.opt.play, own_driver(m), "init", "ctx 0", f"load {one}", f"link {two}", NAP]


def exported_command(m, file, command, *args):
    """What follows --run is the command's."""
    done = m.run("export", "--json", "-o", file, *args, "--run", *command)
    check("{" in done.stdout, done.stdout + done.stderr)
    return json.loads(done.stdout), done.returncode


@case
def what_a_command_loads(m):
    """No software asks for what is made while a program runs: it travels with the name of its command.
    Set-up: code is made while the program runs"""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    own_store(m)
    command = command_with_linker(m)
    lib, _ = m.library(count=3)
    file = m.folder / "x.tar.zst"
    same(m.answer("prime", lib)[1], 0, "other software")
    answer, code = exported_command(m, file, command)
    same((code, answer["end"], file.exists()), (1, "nothing", False), "not recorded yet")
    m.run("prime", "--run", *command)
    same(len(m.cache().entries), 5, "three of the library, one module, one of the linker")
    answer, code = exported_command(m, file, command, "--sign", secret)
    same((code, [p["entries"] for p in answer["packs"]], answer["packs"][0]["not_compiled_again"]), (0, [2], 0), f"export: {answer['why']}")
    told = subprocess.run(["tar", "--zstd", "-xOf", file, "jitwarm/manifest.json"], capture_output=True, text=True, check=True).stdout
    check(re.fullmatch("play [0-9a-f]{16}", json.loads(told)["command"]), f"its name: {told}")
    check(str(m.folder) not in told, "the pack does not tell where the command is")
    kept = packs.files_of(m.root)

    def lose_all():
        m.forget_cache()
        forget_memory(m)
        shutil.rmtree(m.folder / "store", ignore_errors=True)

    lose_all()
    answer, code = m.answer("import", file, "--trust", public)
    same((code, states(answer)), (0, {"imported": 2}), f"a trusted key: {answer['why']}")
    check(all(kept[name] == data for name, data in packs.files_of(m.root).items()), "the same bytes")
    same(m.answer("import", file, "--trust", public)[0]["end"], "nothing", "once more")
    again = m.folder / "again.tar.zst"
    answer, code = exported_command(m, again, command)
    same((code, answer["end"], [p["entries"] for p in answer["packs"]]), (0, "done", [2]), f"the import recorded what it loads: {answer['why']}")
    same(answer["packs"][0]["not_compiled_again"], 0, "exported again")
    before = packs.files_of(m.root)
    same(m.run("run", "--", *command).returncode, 0, "run")
    same(packs.files_of(m.root), before, "the driver made nothing for it")
    lose_all()
    for path in m.folder.glob("*.minisig"):
        path.unlink()
    for plan in [["--dry-run"], []]:
        answer, code = m.answer("import", "--allow-unsigned", again, *plan)
        same((code, states(answer)), (0, {"new" if plan else "imported": 2}), f"unsigned: {answer['why']}")
    same(answer["totals"]["audited"], 2, "both were compiled again, and compared")
    check(all(kept[name] == data for name, data in packs.files_of(m.root).items()), "the same bytes, once more")


# NVRTC, nvJitLink and OpenCL keep theirs in the driver's cache: one file a key, in the formats of docs/driver-facts.md (F09).
OTHER_COMPILERS = """import os, pathlib, struct, sys
def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 % 2**64
    return h
stamp, sm, version = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
stamp, other = stamp.encode(), b"May 27 202502:34:13"
made = os.environ.get("OTHER_MADE", "made").encode()
ptx = b"//\\n// " + made + b"\\n//\\n.version 8.3\\n.target sm_%s%s\\n.address_size 64\\n.visible .entry k() { ret; }\\n\\0"
for key in [
    other + b"HOST64sm_%sa" % sm + b"BC\\xc0\\xde" + b"bitcode" * 30 + b"\\0\\0 -arch=compute_%sa -arch=sm_%sa" % (sm, sm),
    other + b"HOST64sm_%sf" % sm + ptx % (sm, b"f") + b" -arch=sm_%sf" % sm,
    b"__kernel void twice(__global float *a) { a[0] *= 2; } // its source" + bytes(1) + b"-cl-nv-arch sm_%s  -nv-m64" % sm
    + struct.pack("<9Q", 3, 0x5a, 4, 30, 5, 1, 2, 1, 0) + version + b"\\0NVVM70",
    stamp + b"HOST64sm_%s" % sm + ptx % (sm, b", texmode_independent") + b" --reserve-null-pointer  -pic=false",
    stamp + b"HOST64sm_%s" % sm + ptx % (sm, b",texmode_independent") + b" ",
]:
    name = "%016x" % fnv(key)
    file = pathlib.Path(sys.argv[4]) / name[0] / name[1] / name[2:]
    if file.is_file():
        file.read_bytes()
        continue
    code = b"\\x7fELF\\2\\1\\1" + bytes(9) + struct.pack("<HH", 2, 190) + name.encode() * 9
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(struct.pack("<IQQQ", 0x41, len(key), len(code), fnv(code)) + key + code)
"""


@case
def what_other_compilers_made(m):
    """What else a command has in the driver's cache is recorded, counted as what it is, packed whole, and found again."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    own_store(m)
    (m.folder / "other_compilers.py").write_text(OTHER_COMPILERS)
    lib, _ = m.library(count=1)
    m.answer("prime", lib)
    stamp, sm = packs.stamp_of(next(iter(packs.files_of(m.root).values())))
    m.forget_cache()
    ptx, = texts(m, 1)
    driver = pathlib.Path(own_driver(m))
    driver.rename(driver.with_name("libcuda.so.580.126.09"))  # its name tells its version, as NVIDIA's
    driver.symlink_to("libcuda.so.580.126.09")
    play = f"'{m.opt.play}' '{driver}' init 'ctx 0' 'load {ptx}' '{NAP}'"
    command = ["sh", "-c", f"{play} && python3 '{m.folder}/other_compilers.py' '{stamp}' {sm} 580.126.09 '{m.root}'"]
    done = m.run("prime", "--run", *command)
    said = " ".join(done.stdout.split())
    check("5 entries that it uses cannot be compiled again from here (1 of NVRTC, 1 of nvJitLink, 3 of OpenCL)" in said, said + done.stderr)
    same(done.returncode, 0, said)
    text = " ".join(m.run("status").stdout.split())
    check("1 of programs" in text and "1 of NVRTC" in text and "1 of nvJitLink" in text and "3 of OpenCL" in text, text)
    same(m.run("verify", "--run", *command).returncode, 0, "verify where it was made")
    before = set(m.root.glob("?/?/*"))
    done = m.run("verify", "--run", *command, OTHER_MADE="anew")
    said = " ".join(done.stdout.split())
    check(done.returncode == 1 and "3 entries were not made when the command was recorded" in said and "prime PATH" not in said, f"options of another start: {said}")
    for extra in set(m.root.glob("?/?/*")) - before:
        extra.unlink()
    file, kept = m.folder / "x.tar.zst", packs.files_of(m.root)
    answer, code = exported_command(m, file, command, "--sign", secret)
    same((code, [p["entries"] for p in answer["packs"]], answer["packs"][0]["not_compiled_again"]), (0, [6], 5), f"export: {answer}")
    m.forget_cache()
    forget_memory(m)
    answer, code = m.answer("import", file, "--trust", public)
    same((code, states(answer), packs.files_of(m.root) == kept), (0, {"imported": 6}, True), f"import: {answer['why']}")
    same(m.run("verify", "--run", *command).returncode, 0, "verify elsewhere")
    same(packs.files_of(m.root), kept, "nothing was made again")
    for name, data in kept.items():  # another build's, or another GPU's, does not come in under this name
        if b"-cl-nv-arch" not in data:
            continue
        for what, bad in [("another driver", data.replace(b"580.126.09", b"580.126.08")), ("another GPU", data.replace(b"-cl-nv-arch sm_%d" % sm, b"-cl-nv-arch sm_%d" % (sm + 1)))]:
            size = struct.unpack("<Q", bad[4:12])[0]
            as_file = {packs.split_name("/".join([h[0], h[1], h[2:]])): bad for h in ["%016x" % packs.fnv(bad[28:28 + size])]}
            pack = packs.Pack(as_file, stamp, sm)
            pack.manifest["command"] = "sh 0123456789abcdef"
            pack.write(m.folder / "bad.tar.zst")
            packs.sign(m.folder / "bad.tar.zst", secret)
            answer, code = m.answer("import", m.folder / "bad.tar.zst", "--trust", public, "--everything")
            same((code, packs.files_of(m.root) == kept), (6, True), f"{what}: {answer['why']}")


@case
def what_a_command_loads_elsewhere(m):
    """Where the entries do not serve, on another GPU or driver, the list of what the command loads does: it is compiled first, and run warms it
    before the command's first start there."""
    own_store(m)
    app, file = m.folder / "app", m.folder / "x.tar.zst"
    app.mkdir()
    files = []
    for n, path in enumerate(texts(m, 8)):  # the ones that it loads are not the largest
        files.append(app / f"{n}.ptx")
        body = path.read_text()
        files[-1].write_text(body[:body.rindex("}")] + f"\tadd.u32 %r1, %r1, {n};\n" * (400 - 40 * n) + "}\n")
    command = [m.opt.play, own_driver(m), "init", "ctx 0", f"load {files[3]}", f"load {files[6]}", NAP]
    m.run("prime", "--run", *command)
    same(exported_command(m, file, command)[1], 0, "export")
    told = subprocess.run(["tar", "--zstd", "-xOf", file, "jitwarm/manifest.json"], capture_output=True, text=True, check=True).stdout
    same(len(json.loads(told)["modules"]), 2, "modules in the pack")

    def elsewhere(**env):
        m.forget_cache()
        shutil.rmtree(m.folder / "state", ignore_errors=True)
        m.env.update(env)
        plan = m.answer("prime", "--dry-run", app)[0]
        same([job["used"] for job in plan["jobs"]], [False] * 8, "not known before")
        answer, code = m.answer("import", "--allow-unsigned", file)
        same((code, answer["end"], m.root.exists()), (5, "unfit", False), f"import: {answer['why']}")
        check(any("list of 2 modules" in note for note in answer["notes"]), answer["notes"])
        plan = m.answer("prime", "--dry-run", app)[0]
        first = [job["places"][0]["path"] for job in plan["jobs"]]
        same((sorted(first[:2]), [job["used"] for job in plan["jobs"]]), (sorted(map(str, (files[3], files[6]))), [True] * 2 + [False] * 6), "first")
        answer, code = m.answer("prime", "--jobs", "1", app, SIMCUDA_COST="0+20")  # more than the clock of files has
        ended = sorted(((m.root / job["entry"]["name"]).stat().st_mtime_ns, job["places"][0]["path"]) for job in answer["jobs"])
        same((code, sorted(path for _, path in ended[:2])), (0, sorted(first[:2])), "and compiled first")
        m.forget_cache()

    elsewhere(SIMCUDA_GPUS="sm_90:NVIDIA H100:80G")
    forget_memory(m)
    m.answer("import", "--allow-unsigned", file)
    conf = m.home / ".config/jitwarm/jitwarm.conf"
    conf.parent.mkdir(parents=True, exist_ok=True)
    conf.write_text(f"roots = {app}\n")
    for start in "the first", "the second":
        same(m.run("run", "--", *command).returncode, 0, f"{start} start")
        same(len(m.cache().entries), 2, f"{start} start: what it loads was compiled")
    same(m.run("verify", "--run", *command).returncode, 0, "nothing is compiled for it")
    check("first start" not in m.run("status").stdout, "no start of it was cold")
    elsewhere(SIMCUDA_GPUS="sm_86:NVIDIA GeForce RTX 3090:24G", SIMCUDA_STAMP="Feb  3 2026 01:02:03")


# ---- the audit ----

@case
def audit(m):
    """A sound pack stands it; one whose machine code is another does not, though every hash in it fits."""
    lib, pack = primed(m, count=10)
    file = pack.write(m.folder / "x.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "30%", file, lib)
    same((code, answer["totals"]["audited"], states(answer)), (0, 3, {"imported": 10}), "a sound one")
    m.forget_cache()
    forget_memory(m)
    answer, code = m.answer("import", "--allow-unsigned", "--everything", "--audit", "100", file)
    same((code, answer["totals"]["audited"]), (0, 10), "without the software")
    m.forget_cache()
    forget_memory(m)
    files = {}
    for i, (name, data) in enumerate(pack.files.items()):
        key = int.from_bytes(data[4:12], "little")
        payload = bytearray(data[28 + key:])
        payload[-3] ^= i == 4
        files[name] = packs.entry_file(data[28:28 + key], bytes(payload))
    packs.Pack(files, pack.manifest["stamp"], 86, origin="lib.so").write(m.folder / "forged.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "100%", m.folder / "forged.tar.zst", lib)
    same((code, answer["end"]), (6, "refused"), answer["why"])
    check(sorted(files)[4] in answer["why"] and "audit" in answer["why"], answer["why"])
    check(not m.root.exists() or not packs.files_of(m.root), "nothing was imported")
    same((m.leftovers(), m.wait_for_silence()), ([], []), "what is left")
    # A driver that crashes on it: no proof, no import.
    answer, code = m.answer("import", "--allow-unsigned", "--audit", "100%", file, lib,
                            SIMCUDA_FAULTS=f"crash@{sorted(files)[2].replace('/', '')[:12]}")
    same((code, answer["end"]), (6, "refused"), answer["why"])
    check("crashes" in answer["why"], answer["why"])


@case
def sample(m):
    """A pack without a trusted key is not believed unseen: a few entries are compiled again unasked."""
    lib, pack = primed(m, count=6)
    files = {}
    for name, data in pack.files.items():
        key = int.from_bytes(data[4:12], "little")
        payload = bytearray(data[28 + key:])
        payload[-3] ^= 1
        files[name] = packs.entry_file(data[28:28 + key], bytes(payload))
    altered = packs.Pack(files, pack.manifest["stamp"], 86, origin="lib.so").write(m.folder / "altered.tar.zst")
    sound = pack.write(m.folder / "x.tar.zst")

    def tried(what, code, audited, file, *args):
        m.forget_cache()
        forget_memory(m)
        answer, got = m.answer("import", file, lib, *args)
        same((got, answer["totals"]["audited"]), (code, audited), f"{what}: {answer['why']}")
        same(m.root.exists(), code == 0, f"{what}: the cache")
        return answer

    answer = tried("altered code that calls itself compiled", 6, 0, altered, "--allow-unsigned")
    check("failed the audit" in answer["why"], answer["why"])
    answer = tried("a sound one", 0, 6, sound, "--allow-unsigned")
    same(answer["totals"]["drawn"], 6, "drawn")
    pair = packs.key_pair(m.folder)
    if not pair:
        return
    public, secret = pair
    packs.sign(pathlib.Path(altered), secret)
    tried("a trusted key is believed", 0, 0, altered, "--trust", public)
    lib, pack = primed(m, name="many.so", count=40, least=300, most=1500, seed=3)
    many = pack.write(m.folder / "many.tar.zst")
    answer = tried("many", 0, 8, many, "--allow-unsigned")
    m.forget_cache()
    forget_memory(m)
    text = m.run("import", "--allow-unsigned", many, lib).stdout
    check("8 entries compiled again here" in text and "the others were not compared" in " ".join(text.split()), text)


# ---- the store ----

@case
def smaller_pack(m):
    """A pack takes the place of those in the store that have nothing it has not, and of no other one."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    trust_for_good(m, pair[0])
    lib, pack = primed(m, count=5)

    def sizes_with(name, entries, kit=False):
        part = packs.Pack(dict(list(pack.files.items())[:entries]), pack.manifest["stamp"], 86, origin="lib.so")
        if kit:
            part.add_kit([("kernel.cubin", b"code")])
        file = part.write(m.folder / f"{name}.tar.zst")
        packs.sign(file, pair[1])
        answer, code = m.answer("import", "--trust", pair[0], "--no-verify", file, lib)
        check(code in (0, 1), answer["why"])
        listed, _ = m.answer("list")
        return sorted(p["manifest"]["entries"] for p in listed["packs"])

    same(sizes_with("five", 5), [5], "the first")
    same(sizes_with("three", 3), [3, 5], "one that has fewer stands beside it")
    same(sizes_with("four", 4), [4, 5], "a third one that has all of the second takes its place alone")
    same(sizes_with("two", 2), [2, 4, 5], "a small one takes no place")
    same(sizes_with("kit", 5, kit=True), [5], "one that has all of all others takes the place of all")
    same(sizes_with("plain", 5), [5, 5], "files of other caches count as entries: the pack that has them stays")


@case
def newest_pack_first(m):
    """Where the cache has no room for the entries of two packs of the store, prime takes those of the newer one."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    trust_for_good(m, pair[0])
    lib, pack = primed(m, count=2)
    kept = {}
    for name, data in pack.files.items():
        file = packs.Pack({name: data}, pack.manifest["stamp"], 86, origin="lib.so").write(m.folder / "one.tar.zst")
        packs.sign(file, pair[1])
        answer, code = m.answer("import", "--trust", pair[0], "--no-verify", file, lib)
        check(code in (0, 1), answer["why"])
        kept.update({p["file"]: name for p in m.answer("list")[0]["packs"] if p["file"] not in kept})
    for newer, name in kept.items():
        m.forget_cache()
        forget_memory(m)
        for path in kept:
            os.utime(path, (1700000000 + 1000 * (path == newer),) * 2)
        m.run("prime", lib, CUDA_CACHE_MAXSIZE=str(max(map(len, pack.files.values())) + 1000))
        same([n for n in packs.files_of(m.root) if n in pack.files], [name], "what is in the cache")
