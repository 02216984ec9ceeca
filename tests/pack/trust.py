"""Whom import believes: signatures, and what the driver itself makes of a sample."""
import json
import os
import pathlib
import shutil

import packs
from grounds import case, forget_memory, NOBODY, primed, states
from cases import check, same, Skip

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
        for word in words:
            check(word in json.dumps(answer, ensure_ascii=False), f"{what}: {word} is not in {answer['why']}")
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
    # A key bound to software.
    bound = public.read_text().rstrip("\n")
    (keys / "lab.pub").write_text(bound + "\n# origins: lib*\n")
    tried("a key for this software", 0, "trusted")
    (keys / "lab.pub").write_text(bound + "\n# origins: torch numpy\n")
    tried("a key for other software", 6, "trusted", ["lib.so"])
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
    elsewhere = m.folder / "elsewhere.sig"
    beside.rename(elsewhere)
    tried("the signature is gone", 6, "unsigned")
    tried("--signature", 0, "trusted", [], "--signature", elsewhere)
    tried("--signature of another file", 6, "wrong", [], "--signature", pathlib.Path(f"{other}.minisig"))
    # By jitwarm.conf.
    (keys / "lab.pub").unlink()
    conf = m.home / ".config" / "jitwarm" / "jitwarm.conf"
    named = m.home / "named.pub"  # below the home: what is above it is not asked
    shutil.copy(public, named)
    conf.write_text(f"trust = {named}\n")
    elsewhere.rename(beside)
    tried("a trust line", 0, "trusted", ["jitwarm.conf"])
    os.chmod(conf, 0o666)
    tried("a trust line that everybody can change", 6, None, ["jitwarm.conf"])
    os.chmod(conf, 0o644)
    conf.write_text(f"trust = {named} numpy\n")
    tried("a trust line for other software", 6, "trusted", ["lib.so"])


@case
def scoped_keys(m):
    """A key that is trusted for some software brings code for that alone, whatever its packs call the software."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    site = m.folder / "venv" / "lib" / "python3" / "site-packages"
    torch, _ = m.library("venv/lib/python3/site-packages/torch/lib/liba.so", count=4, seed=1)
    other, _ = m.library("opt/libb.so", count=3, seed=2)
    info = site / "torch-2.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.1\n")
    (info / "RECORD").write_text("torch/lib/liba.so,,\n")
    m.answer("prime", torch, other, "--no-verify")
    lie = packs.pack_of(m.root, origin="torch")
    m.forget_cache()
    forget_memory(m)
    bound = m.folder / "bound.pub"
    bound.write_text(public.read_text().rstrip("\n") + "\n# origins: torch*\n")
    file = lie.write(m.folder / "x.tar.zst")
    packs.sign(file, secret)
    answer, code = m.answer("import", "--trust", bound, file, torch, other)
    same((code, states(answer)), (1, {"imported": 4, "out-of-scope": 3}), f"its own label is no proof: {answer['why']}")
    same(len(packs.files_of(m.root)), 4, "what is in the cache")
    whys = {e["why"] for e in answer["entries"] if e["state"] == "out-of-scope"}
    check(len(whys) == 1 and "libb.so" in min(whys) and "not trusted" in min(whys), whys)
    text = m.run("import", "--trust", bound, file, torch, other).stdout
    check("is not trusted for libb.so" in " ".join(text.split()), text)
    # Nor is it when nothing here tells whose it is.
    m.forget_cache()
    forget_memory(m)
    for options in ([], [torch, other]):
        answer, code = m.answer("import", "--foreign", "--trust", bound, file, *options)
        same((code, answer["end"]), (6, "refused"), "--foreign")
        check("--foreign" in answer["why"] and "bound.pub" in answer["why"], answer["why"])
        check(not m.root.exists(), "nothing was imported")
    answer, code = m.answer("import", "--trust", bound, file, other)
    same((code, states(answer)), (1, {"foreign": 4, "out-of-scope": 3}), "of the other software alone")
    # A key that is trusted for everything is.
    answer, code = m.answer("import", "--trust", public, file, torch, other)
    same((code, states(answer)), (0, {"imported": 7}), "the same key, without a limit")


@case
def signed_again(m):
    """What is kept goes out under a signature of ours only if somebody vouched for it; its verdict stays with it."""
    pair = packs.key_pair(m.folder)
    if not pair:
        raise Skip("there is no minisign")
    public, secret = pair
    m.env["JITWARM_STORE"] = str(m.folder / "store")
    lib, pack = primed(m, count=4)
    file = pack.write(m.folder / "x.tar.zst")
    out = m.folder / "out.tar.zst"

    def exported(*args):
        answer, code = m.answer("export", "--from-store", "-o", out, "--yes", *args)
        return answer["end"], code

    def again():
        m.forget_cache()
        forget_memory(m)
        shutil.rmtree(m.folder / "store", ignore_errors=True)

    answer, code = m.answer("import", "--allow-unsigned", file, lib)
    same((code, states(answer)), (0, {"imported": 4}), "unsigned")
    same(exported(), ("done", 0), "not signed")
    same(exported("--sign", secret), ("consent", 7), "signed, and nobody vouched for it")
    text = m.run("export", "--from-store", "-o", out, "--yes", "--sign", secret).stdout
    check("--vouch" in text, text)
    same(exported("--sign", secret, "--vouch"), ("done", 0), "--vouch")
    # Nor does the cache wash it clean, nor a copy that an export of the cache keeps.
    cached = ("export", "-o", out, "--yes", lib)
    answer, code = m.answer(*cached, "--sign", secret)
    same((answer["end"], code), ("consent", 7), "entries of the cache that came from it")
    check("4 entries came from packs" in answer["why"], answer["why"])
    same(m.answer(*cached)[1], 0, "not signed")
    same(m.answer(*cached, "--sign", secret, "--vouch")[1], 0, "the cache, --vouch")
    again()
    beside = packs.sign(file, secret)
    bound = m.folder / "bound.pub"
    bound.write_text(public.read_text().rstrip("\n") + "\n# origins: lib*\n")
    same(m.answer("import", "--trust", bound, file, lib)[1], 0, "a key for some software")
    same(exported("--sign", secret), ("consent", 7), "it vouched for some of it")
    again()
    same(m.answer("import", "--trust", public, file, lib)[1], 0, "a key for everything")
    same(m.answer(*cached, "--sign", secret)[1], 0, "the cache, of what a key for everything signed")
    same(exported("--sign", secret), ("done", 0), "its verdict is remembered")
    kept = next((m.folder / "store").glob("*.tar.zst"))
    same(kept.with_name(kept.name + ".minisig").read_bytes(), beside.read_bytes(), "the signature that was verified")
    other = packs.Pack(dict(list(pack.files.items())[:2]), pack.manifest["stamp"], 86, origin="lib.so")
    kept.write_bytes(other.bytes())
    same(exported("--sign", secret), ("consent", 7), "another one under its name")
    same(m.run("export", "--vouch", "-o", out).returncode, 2, "--vouch alone")


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
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", "--audit", "100", file)
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
    """A pack that nobody vouches for is not believed unseen: a few entries are compiled again unasked."""
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
    tried("that is what the user asked for", 0, 0, altered, "--allow-unsigned", "--no-audit", "--no-verify")
    answer = tried("a sound one", 0, 6, sound, "--allow-unsigned")
    same(answer["totals"]["drawn"], 6, "drawn")
    pair = packs.key_pair(m.folder)
    if not pair:
        return
    public, secret = pair
    packs.sign(pathlib.Path(altered), secret)
    bound = m.folder / "bound.pub"
    bound.write_text(public.read_text().rstrip("\n") + "\n# origins: lib*\n")
    tried("a key for some software", 6, 0, altered, "--trust", bound)
    tried("a key for everything is believed", 0, 0, altered, "--trust", public, "--no-verify")
    lib, pack = primed(m, name="many.so", count=40, least=300, most=1500, seed=3)
    many = pack.write(m.folder / "many.tar.zst")
    answer = tried("many", 0, 8, many, "--allow-unsigned")
    m.forget_cache()
    forget_memory(m)
    text = m.run("import", "--allow-unsigned", many, lib).stdout
    check("8 entries compiled again here" in text and "the others were not compared" in " ".join(text.split()), text)


@case
def carried_and_forged(m):
    """Entries that no driver of this build compiled are left out, and told."""
    lib, pack = primed(m, count=6)
    for i, made in ((1, "carried"), (4, "forged")):
        pack.manifest["entries"][i]["made"] = made
    file = pack.write(m.folder / "x.tar.zst")
    answer, code = m.answer("import", "--allow-unsigned", "--foreign", file)
    same((code, states(answer)), (1, {"imported": 4, "unproven": 2}), answer["why"])
    same(m.cache().whole(), [], "the cache")
    text = m.run("import", "--allow-unsigned", "--foreign", file).stdout
    check("carried over or forged" in " ".join(text.split()), text)


# ---- old packs ----

@case
def downgrade(m):
    """An old pack with a good signature needs a yes once a newer one for the same driver and software was imported."""
    lib, pack = primed(m, count=4)
    other_lib, other = primed(m, name="libother.so", count=3, seed=5)

    def dated(name, date, counter=1, of=pack):
        pairs = list(of.manifest.items())
        if date:
            at = [k for k, _ in pairs].index("level") + 1
            pairs[at:at] = [("date", date), ("counter", counter)]
        p = packs.Pack(of.files, of.manifest["stamp"], 86, origin=of.manifest["origins"][0]["name"])
        p.manifest = dict(pairs)
        return pathlib.Path(p.write(m.folder / name)), p

    def tried(what, code, file, *args, lib=lib):
        m.forget_cache()
        forget_memory(m)
        answer, got = m.answer("import", file, lib, "--no-audit", "--no-verify", *args)
        same(got, code, f"{what}: {answer['why']}")
        if code:
            check(not m.root.exists() or not packs.files_of(m.root), f"{what}: nothing was imported")
        return answer

    any_ = ("--allow-unsigned",)
    new, _ = dated("new.tar.zst", 1790000000, 7)
    answer = tried("the first", 0, new, *any_)
    same([answer["pack"][k] for k in ("date", "counter", "newest_date")], [1790000000, 7, None], "its date")
    tried("the same again", 0, new, *any_)
    old, _ = dated("old.tar.zst", 1780000000, 9)
    answer = tried("an older one", 7, old, *any_)
    same((answer["end"], answer["pack"]["newest_date"], answer["pack"]["newest_counter"]), ("consent", 1790000000, 7), "told")
    for word in ("2026-05-28T20:26:40Z", "number 9", "2026-09-21T14:13:20Z", "number 7", "could bring back"):
        check(word in answer["why"], answer["why"])
    check(any("--yes" in a for a in answer["advice"]), answer["advice"])
    answer = tried("an older one of the same second", 7, dated("six.tar.zst", 1790000000, 6)[0], *any_)
    answer = tried("one without a date", 7, dated("none.tar.zst", 0)[0], *any_)
    check("has no date" in answer["why"], answer["why"])
    answer, code = m.answer("import", "--dry-run", old, lib, *any_)
    check(code == 0 and any("could bring back" in n for n in answer["notes"]), f"a dry run tells it: {answer['notes']}")
    tried("with a yes", 0, old, *any_, "--yes")
    tried("the next time again", 7, old, *any_)
    tried("a newer one", 0, dated("later.tar.zst", 1790000000, 8)[0], *any_)
    tried("other software", 0, dated("other.tar.zst", 1700000000, 1, other)[0], *any_, lib=other_lib)
    # What is all there brings nothing back.
    tried("all of it", 0, dated("later.tar.zst", 1790000000, 8)[0], *any_)
    answer, code = m.answer("import", old, lib, *any_)
    same((code, answer["end"]), (0, "nothing"), "nothing new is in it")
    pair = packs.key_pair(m.folder)
    if not pair:
        return
    public, secret = pair
    trust = ("--trust", public)
    packs.sign(old, secret)
    tried("what nobody vouched for says nothing of what a key signed", 0, old, *trust)
    packs.sign(new, secret)
    tried("signed, and newer", 0, new, *trust)
    tried("signed, and older", 7, old, *trust)
    # The signature covers the date.
    renewed, _ = dated("renewed.tar.zst", 1795000000, 9)
    pathlib.Path(f"{renewed}.minisig").write_bytes(pathlib.Path(f"{old}.minisig").read_bytes())
    tried("another date under the old signature", 6, renewed, *trust)
    # A key for some software says nothing of other software.
    bound = m.folder / "bound.pub"
    bound.write_text(public.read_text().rstrip("\n") + "\n# origins: libother*\n")
    liar = packs.Pack({**pack.files, **other.files}, pack.manifest["stamp"], 86, origin="libother.so")
    at = list(liar.manifest.items())
    at[8:8] = [("date", 3990000000), ("counter", 1)]
    liar.manifest = dict(at)
    file = pathlib.Path(liar.write(m.folder / "liar.tar.zst"))
    packs.sign(file, secret)
    m.forget_cache()
    forget_memory(m)
    same(m.answer("import", file, other_lib, "--no-audit", "--no-verify", "--trust", bound)[1], 0, "from the future")
    tried("other software is as old as it was", 0, dated("newer.tar.zst", 1791000000)[0], *any_)


@case
def ages_lost(m):
    """A memory of dates that is damaged or cannot be believed is told in one sentence, at import and at export."""
    lib, pack = primed(m, count=2)
    ages = m.folder / "state" / "pack-ages"

    def dated(name, date):
        pairs = list(pack.manifest.items())
        at = [k for k, _ in pairs].index("level") + 1
        pairs[at:at] = [("date", date), ("counter", 1)]
        p = packs.Pack(pack.files, pack.manifest["stamp"], 86, origin="lib.so")
        p.manifest = dict(pairs)
        return p.write(m.folder / name)

    new, old = dated("new.tar.zst", 1790000000), dated("old.tar.zst", 1780000000)

    def tried(what, code, file):
        m.forget_cache()
        answer, got = m.answer("import", file, lib, "--allow-unsigned", "--no-audit", "--no-verify")
        same(got, code, f"{what}: {answer['why']} {answer['notes']}")
        told = [n for n in answer["notes"] if "pack-ages" in n]
        check(all("nothing shows whether this pack is older" in n for n in told), f"{what}: {told}")
        return told

    same(tried("the first", 0, new), [], "nothing was lost")
    same(tried("an older one", 7, old), [], "nothing was lost")
    sound = ages.read_bytes()
    for what, data, word in (("cut", sound[:-3], "is damaged"), ("other bytes", b"\x01\xff\n", "is damaged"),
                             ("a zero", b"\0" + sound, "is damaged")):
        ages.write_bytes(data)
        told = tried(what, 0, old)
        check(len(told) == 1 and word in told[0] and str(ages) in told[0], f"{what}: {told}")
        same(tried("the next time", 0, new), [], f"{what}: it was written again")
    ages.write_bytes(sound)
    ages.chmod(0o666)
    told = tried("written by anybody", 0, old)
    check(len(told) == 1 and "everybody" in told[0], told)
    check(told[0].count("pack-ages") <= 2, told)
    ages.unlink(missing_ok=True)
    ages.write_bytes(b"made up\n")
    ages.chmod(0o600)
    answer, code = m.answer("export", "-o", m.folder / "out.tar.zst", "--yes", lib)
    told = [n for n in answer["notes"] if "pack-ages" in n]
    check(code == 0 and len(told) == 1 and "start from 1 again" in told[0], answer["notes"])


@case
def dated(m):
    """What is exported has a date that never goes back, and a counter; the same entries again are the same bytes."""
    lib, _ = m.library("lib.so", count=3)
    more, _ = m.library("more/lib.so", count=2, seed=4)
    out = m.folder / "out.tar.zst"

    def exported(at, *paths):
        m.env["SOURCE_DATE_EPOCH"] = str(at)
        answer, code = m.answer("export", "-o", out, "--yes", *paths)
        same(code, 0, answer["why"])
        seen = json.loads(m.run("inspect", "--json", out).stdout)
        return (seen["date"], seen["counter"]), out.read_bytes()

    same(m.answer("prime", lib, more, "--no-verify")[1], 0, "prime")
    age, first = exported(1790000000, lib)
    same(age, (1790000000, 1), "the first one")
    same(exported(1790000500, lib), (age, first), "the same entries again")
    same(exported(1790000600, more)[0], (1790000600, 2), "other entries of what has the same name")
    same(exported(1780000000, lib)[0], (1790000600, 3), "a clock that was set back")
    check("number 3" in m.run("inspect", out).stdout, "inspect tells it")
