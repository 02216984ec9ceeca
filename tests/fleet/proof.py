#!/usr/bin/env python3
"""proof.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

push and pull through places that several machines share, on the simulated driver. skopeo, umoci: other makers' programs that
copy and clean what was pushed. Exit 77: a program that the case needs is not here.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Machine:
    """A machine of its own: its state, its cache, its keys; the two libraries that all have."""

    def __init__(self, rig, name, **env):
        self.rig, self.home = rig, rig.dir / name
        self.home.mkdir()
        self.cache = self.home / "cache"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "JITWARM", "XDG_", "SIMCUDA_"))}
        # In a container of its own: what the shell of the user who runs the tests starts with can take longer than all else.
        self.env.update({"JITWARM_SYSROOT": str(rig.dir / "machine"), "SHELL": "/bin/sh", **env}, HOME=str(self.home), JITWARM_DRIVER=str(rig.sim),
                        JITWARM_STATE=str(self.home / "state"), JITWARM_STORE=str(self.home / "store"), LC_ALL="C.UTF-8")

    def run(self, *args, code=0):
        done = subprocess.run([self.rig.tool, *map(str, args)], env=self.env, cwd=self.rig.dir, text=True, capture_output=True,
                              timeout=200, check=False)
        if code is not None and done.returncode != code:
            sys.exit(f"jitwarm {' '.join(map(str, args))}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        return done

    def settings(self, *lines):
        conf = self.home / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text("".join(f"{line}\n" for line in lines))

    def prime(self, *paths):
        self.run("prime", "--as-root", "-q", "-j", "1", "--cache", self.cache, *paths)

    def push(self, ref, *args, code=0):
        done = self.run("push", "--json", "--cache", self.cache, ref, *args, code=code)
        return json.loads(done.stdout) if code == 0 else done

    def pull(self, ref, *args, code=0):
        done = self.run("pull", "--json", "--as-root", "--cache", self.cache, ref, *args, code=code)
        return json.loads(done.stdout) if code in (0, 1, 5, 6) else done

    def entries(self):
        return sorted(p.relative_to(self.cache).as_posix() for p in self.cache.glob("?/?/*")) if self.cache.exists() else []


class Rig:
    def __init__(self, opt, folder):
        self.tool, self.sim, self.dir = opt.tool.resolve(), opt.sim.resolve(), folder
        (folder / "machine").mkdir(exist_ok=True)
        (folder / "machine/.dockerenv").touch()
        subprocess.run([opt.gen.resolve(), folder / "gen"], check=True, stdout=subprocess.DEVNULL)
        self.libs = []
        for name in ("registered.so", "only-ptx.so"):
            (folder / "lib").mkdir(exist_ok=True)
            self.libs.append(shutil.copy(folder / "gen/elf" / name, folder / "lib" / name))
        self.builder = Machine(self, "builder")
        self.builder.run("key", "--no-passphrase", "--new", folder / "k.key")
        self.sign, self.trust = ["--sign", folder / "k.key"], ["--trust", folder / "k.pub"]

    def layout(self, name="layout"):
        return self.dir / name

    def blobs(self, name="layout"):
        return {p.name: p.stat().st_size for p in (self.layout(name) / "blobs/sha256").iterdir()}


def check(ok, what):
    if not ok:
        sys.exit(f"not so: {what}")


def folder(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    out = b.push("./layout", *rig.sign)
    check(out["layers"] == out["layers_moved"] == 2, "one layer for each of the two libraries moved")
    key = b.run("key").stdout.strip()
    check(out["kinds"][0]["tag"] == key and c.run("key").stdout.strip() == key, "the tag is the key, the same on both machines")
    for name in rig.blobs():
        check(hashlib.sha256((rig.layout() / "blobs/sha256" / name).read_bytes()).hexdigest() == name, "blobs have their digest")
    done = c.pull("./layout", "lib", code=6)
    check(done["end"] == "refused" and not c.entries(), "a key that is not trusted: refused, and nothing is written")
    check(c.pull("./layout", "lib", *rig.trust)["changed"], "pulled")
    check(c.entries() == b.entries(), "the same entries are in both caches")
    again = c.pull("./layout", "lib", *rig.trust)
    check(not again["changed"] and again["layers_fetched"] == 0, "nothing is fetched when nothing changed")
    os.remove(c.cache / c.entries()[0])
    again = c.pull("./layout", "lib", *rig.trust)
    check(again["layers_fetched"] == 1 and again["entries"]["imported"] == 1, "a lost entry is fetched again, and no other layer")
    receipts = sorted((c.home / "state/layers").glob("*.done"))
    whole = receipts[0].read_bytes()
    receipts[0].write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    again = c.pull("./layout", "lib", *rig.trust)
    check(len(receipts) == 2 and again["layers_fetched"] == 1 and not again["changed"], "a layer with a damaged receipt is fetched again")
    check(c.run("verify", "--as-root", "--cache", c.cache, "lib", code=None).returncode == 0, "verify finds all of it")
    check(c.pull("./nowhere", *rig.trust, code=8).returncode == 8, "a folder that is not there is exit 8")
    other = Machine(rig, "other", SIMCUDA_DRIVER="570.1", SIMCUDA_STAMP="Jan  1 2025 00:00:00")
    check(other.run("key", code=None).stdout.strip() != key, "another driver build has another key")
    check(other.pull("./layout", *rig.trust, code=5)["end"] == "unfit", "and nothing fits it: exit 5")


def reproducible(rig):
    a, b = rig.builder, Machine(rig, "second")
    for m, name in ((a, "one"), (b, "two")):
        m.prime("lib")
        m.push(f"./{name}", *rig.sign)
    check(rig.blobs("one") == rig.blobs("two"), "two machines of a kind push the same bytes")
    check(b.push("./one", *rig.sign)["layers_moved"] == 0, "so that the second one moves nothing")


def one_layer_moves(rig):
    b = rig.builder
    b.prime(rig.libs[0])
    b.push("./layout", *rig.sign)
    before = rig.blobs()
    b.prime("lib")
    out = b.push("./layout", *rig.sign)
    check(out["layers"] == 2 and out["layers_moved"] == 1, "only the new library's layer moves")
    added = set(rig.blobs()) - set(before)
    check(len(added) == 3, "one layer, one manifest, one index are new")
    for name in b.entries():  # what is not read cannot be seen to be damaged
        path = b.cache / name
        path.write_bytes(path.read_bytes()[:-8] + b"otherend")
    out = b.push("./layout", *rig.sign)
    check(out["layers"] == 2 and out["layers_moved"] == 0, "where nothing changed no entry is read")
    layer = max(rig.blobs().items(), key=lambda x: x[1])[0]
    (rig.layout() / "blobs/sha256" / layer).unlink()
    shutil.rmtree(b.cache)
    b.prime("lib")
    out = b.push("./layout", *rig.sign)
    check(out["layers_moved"] == 1 and layer in rig.blobs(), "a layer that is lost there is made and moved again")
    check(b.push("./layout", "--replace")["layers_moved"] == 2, "one that is signed by another key, or by none, is another one")


def added(rig):
    """A push of one piece of software keeps the layers of others; --replace does not."""
    b, c, ref = rig.builder, Machine(rig, "client"), "./layout"
    b.run("prime", "--as-root", "-q", "--cache", b.cache, "lib")
    b.push(ref, *rig.sign, rig.libs[0])
    out = b.push(ref, *rig.sign, rig.libs[1])
    kept = [x["software"] for x in out["kinds"][0]["layers"] if x["kept"]]
    check((out["layers"], out["layers_moved"], kept) == (2, 1, ["registered.so"]), f"the first push's layer is kept: {out}")
    check(c.pull(ref, "lib", *rig.trust)["changed"] and c.entries() == b.entries(), "and both are pulled")
    b.run("key", "--no-passphrase", "--new", rig.dir / "other.key")
    out = b.push(ref, "--sign", rig.dir / "other.key", rig.libs[1])
    check((out["layers"], out["kinds"][0]["replaced"]) == (2, 1), "a layer of the same software is replaced")
    done = b.run("push", "--cache", b.cache, ref, *rig.sign)
    check("Replaced" in done.stdout and "Kept" not in done.stdout, f"without PATH both are pushed: {done.stdout}")
    check(b.push(ref, *rig.sign)["layers_moved"] == 0, "once")
    out = b.push(ref, *rig.sign, rig.libs[1], "--replace")
    check(out["layers"] == 1 and [x["software"] for x in out["kinds"][0]["layers"]] == ["only-ptx.so"], "--replace keeps none")
    layer = b.push(ref, *rig.sign, rig.libs[0])["kinds"][0]["layers"][0]["digest"]
    (rig.layout() / "blobs/sha256" / layer.split(":")[1]).unlink()
    out = b.push(ref, *rig.sign, rig.libs[0])
    check([x["software"] for x in out["kinds"][0]["layers"]] == ["registered.so"], "a layer that is lost there is not named any more")


def signed_stays(rig):
    """A push without a key does not take the place of what is signed, unless it is told to."""
    b, c, ref = rig.builder, Machine(rig, "client"), "./layout"
    b.prime("lib")
    layers = b.push(ref, *rig.sign)["kinds"][0]["layers"]
    key, = {x["key"] for x in layers}
    before = rig.blobs()
    done = b.push(ref, code=6)
    check(f"is signed by key {key}, and this push is not signed" in done.stderr and "--sign KEY" in done.stderr, done.stderr)
    check(rig.blobs() == before and c.pull(ref, "lib", *rig.trust)["changed"], "what was there is there, and is pulled")
    done = b.run("push", "--cache", b.cache, "--replace", ref)
    check(f"signed by key {key}" in done.stdout, f"--replace says what it replaced: {done.stdout}")
    done = Machine(rig, "other").run("pull", "--as-root", "--allow-unsigned", "--cache", rig.dir / "other/cache", ref, "lib").stdout
    check("Signed    no: nothing shows who made the packs" in done and "trusted key" not in done, done)
    check(b.push(ref, *rig.sign)["kinds"][0]["replaced"] == 2, "a signed push replaces what is not signed")
    b.run("key", "--no-passphrase", "--new", rig.dir / "other.key")
    out = b.push(ref, "--sign", rig.dir / "other.key")["kinds"][0]
    check(out["replaced"] == 2 and key not in str(out), "another key may follow one")


def damaged(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    out = b.push("./layout", *rig.sign)
    for layer in out["kinds"][0]["layers"]:
        path = rig.layout() / "blobs/sha256" / layer["digest"].split(":")[1]
        whole = path.read_bytes()
        for bad in (whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
            path.write_bytes(bad)
            done = c.pull("./layout", "lib", *rig.trust, code=8)
            check("damaged" in done.stderr, "a damaged layer gets a sentence")
        path.write_bytes(whole)
        break
    check(not c.entries(), "nothing was imported of it")
    index = rig.layout() / "index.json"
    text = index.read_text()
    for bad in ("", "{", text.replace("sha256:", "sha256:../"), text.replace('"size":', '"size":1')):
        index.write_text(bad)
        check(c.pull("./layout", "lib", *rig.trust, code=8).stderr.count("\n") == 1, "one sentence")
    index.write_text(text)
    check(c.pull("./layout", "lib", *rig.trust)["changed"], "and when it is whole again, all is taken")


def asked_as_a_driver_asks(rig):
    """A layer is there while a driver would find its entries: not after one was written over, not without the index."""
    rig.builder.prime("lib")
    rig.builder.push("./layout", *rig.sign)
    c = Machine(rig, "client")

    def pulled(what):
        out = c.pull("./layout", "lib", *rig.trust)
        check(out["layers_fetched"] == 1 and c.entries() == rig.builder.entries(), f"{what}: {out}")
        status = json.loads(c.run("status", "--json", "--check", "--cache", c.cache).stdout)
        check(status["index"]["records"] == len(c.entries()) and not status["index"]["damage"], f"{what}: {status['index']}")
        check(c.pull("./layout", "lib", *rig.trust)["layers_fetched"] == 0, f"{what}: then nothing is left to do")

    c.pull("./layout", "lib", *rig.trust)
    entry = c.cache / c.entries()[0]
    whole = entry.read_bytes()
    entry.write_bytes(bytes(len(whole)))
    pulled("an entry that another program wrote over")
    check(entry.read_bytes() == whole, "it is whole again")
    before = entry.stat()
    entry.write_bytes(whole[:-5] + bytes([whole[-5] ^ 0x41]) + whole[-4:])
    os.utime(entry, ns=(before.st_atime_ns, before.st_mtime_ns))
    pulled("an entry that is damaged, and as old as before")
    entry.unlink()
    pulled("an entry that is gone")
    for p in c.cache.glob("index"):
        p.unlink()
    out = c.pull("./layout", "lib", *rig.trust)
    check(out["layers_fetched"] == 2, f"without the index nothing is found: {out}")
    status = json.loads(c.run("status", "--json", "--cache", c.cache).stdout)
    check(status["index"]["records"] == len(c.entries()), f"the index is rebuilt: {status['index']}")
    c.cache.chmod(0o755)
    c.run("verify", "--as-root", "--cache", c.cache, "lib")


def read_only(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    b.push("./layout", *rig.sign)
    before = {p: p.stat().st_mtime_ns for p in rig.layout().rglob("*")}
    check(c.pull("./layout", "lib", *rig.trust)["changed"], "pulled")
    check(before == {p: p.stat().st_mtime_ns for p in rig.layout().rglob("*")}, "nothing there was written")


def other_tool(name):
    if not shutil.which(name):
        print(f"SKIP: there is no {name}")
        sys.exit(77)
    return name


def skopeo(rig):
    tool, b, c = other_tool("skopeo"), rig.builder, Machine(rig, "client")
    b.prime("lib")
    tag = b.push("./layout", *rig.sign)["kinds"][0]["tag"]
    subprocess.run([tool, "--insecure-policy", "copy", "-q", "--all", f"oci:layout:{tag}", f"oci:copied:{tag}"], cwd=rig.dir, check=True)
    lost = set(rig.blobs()) - set(rig.blobs("copied"))
    check(len(lost) <= 1, "skopeo copies layers and manifests as they are; 1.9 writes the index again, without artifactType")
    check(c.pull("./copied", "lib", *rig.trust)["changed"] and c.entries() == b.entries(), "its copy is pulled")


def umoci(rig):
    tool, b = other_tool("umoci"), rig.builder
    b.prime("lib")
    tag = b.push("./layout", *rig.sign)["kinds"][0]["tag"]
    before = rig.blobs()
    listed = subprocess.run([tool, "ls", "--layout", "layout"], cwd=rig.dir, check=True, text=True, capture_output=True).stdout
    check(listed.strip() == tag, "umoci lists the tag")
    subprocess.run([tool, "gc", "--layout", "layout"], cwd=rig.dir, check=True)
    check(rig.blobs() == before, "its garbage collection keeps all that was pushed")


def or_prime(rig):
    c = Machine(rig, "client")
    done = c.run("pull", "--as-root", "--or-prime", "--cache", c.cache, "./nowhere", "lib")
    check(len(c.entries()) == 2 and "nowhere" in done.stderr, "what no pack had is compiled, and the fault is one sentence")


def run_pull(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    b.push("./layout", *rig.sign)
    c.env["CUDA_CACHE_PATH"] = str(c.cache)
    command = ("--", "sh", "-c", "echo started; exit 3")
    for ref, trust, why in (("./nowhere", rig.trust, "nowhere"), ("oci://localhost:1/x", rig.trust, "localhost:1"), ("nonsense", [], "not a reference"),
                            ("./layout", [], "which you do not trust")):
        done = c.run("run", "--pull", ref, "--everything", *trust, *command, code=3)
        said = [line for line in done.stderr.splitlines() if "recording what this start loads" not in line]
        check(done.stdout == "started\n" and len(said) == 1 and why in said[0] and not c.entries(),
              f"{ref}: one sentence, and the command runs: {done.stderr}")
    done = c.run("run", "--pull", "./layout", "--everything", *rig.trust, *command, code=3)
    check("pulled 2 entries" in done.stderr and done.stdout == "started\n" and c.entries() == b.entries(), "pulled before the command ran")
    c.env["JITWARM_LOGIN"] = "ada:s3cret-word"
    done = c.run("run", "--pull", "./layout", "--everything", *rig.trust, "--", "sh", "-c", "echo ${JITWARM_LOGIN-none}")
    check(done.stdout == "none\n", "the command does not have the registry's login")
    done = c.run("run", "--pull", "./layout", "--everything", *rig.trust, *command, code=3)
    said = [line for line in done.stderr.splitlines() if "recording what this start loads" not in line]
    check(not said, f"the second time there is nothing to say of packs: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "sim", "gen"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    cases = {f.__name__.replace("_", "-"): f
             for f in (folder, reproducible, one_layer_moves, added, signed_stays, damaged, asked_as_a_driver_asks, read_only, skopeo, umoci, or_prime, run_pull)}
    parser.add_argument("case", choices=cases)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        cases[opt.case](Rig(opt, pathlib.Path(scratch).resolve()))


if __name__ == "__main__":
    main()
