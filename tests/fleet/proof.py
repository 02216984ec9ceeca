#!/usr/bin/env python3
"""proof.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

export and import through a folder that several machines share, on the simulated driver. Exit 77: a
program that the case needs is not here.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class Machine:
    """A machine of its own: its state, its cache, its keys; the two libraries that all have."""

    def __init__(self, rig, name, settings=(), **env):
        self.rig, self.home = rig, rig.dir / name
        self.home.mkdir()
        self.cache = self.home / "cache"
        self.env = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("CUDA_", "JITWARM", "XDG_", "SIMCUDA_"))
        }
        # In a container of its own: what the shell of the user who runs the tests starts with can
        # take longer than all else.
        self.env.update({"JITWARM_SYSROOT": str(rig.dir / "machine"), "SHELL": "/bin/sh", **env},
                        HOME=str(self.home), JITWARM_DRIVER=str(rig.sim),
                        JITWARM_STATE=str(self.home / "state"), LC_ALL="C.UTF-8")
        if settings:
            self.settings(*settings)

    def run(self, *args, code=0):
        done = subprocess.run([self.rig.tool, *map(str, args)], env=self.env, cwd=self.rig.dir,
                              text=True, capture_output=True, timeout=200, check=False)
        if code is not None and done.returncode != code:
            sys.exit(
                f"jitwarm {' '.join(map(str, args))}: exit {done.returncode}, not {code}\n"
                f"{done.stdout}{done.stderr}"
            )
        return done

    def kind(self):
        scope = json.loads(self.run("status", "--json", code=None).stdout)["scope"]
        return f"{scope['gpus'][0]}-{scope['compiler'][:12]}"

    def settings(self, *lines):
        conf = self.home / ".config/jitwarm/jitwarm.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        conf.write_text("".join(f"{line}\n" for line in lines))

    def prime(self, *paths):
        self.run("prime", "--as-root", "-q", "-j", "1", "--cache", self.cache,
                 *(self.rig.dir / p for p in paths))

    def export(self, ref, *args, code=0):
        """`moved`: how many layers were sent; `kept`: the software of those of earlier exports."""
        if "://" not in str(ref):
            (self.rig.dir / ref).mkdir(exist_ok=True)
        done = self.run("export", "--json", "--cache", self.cache, "-o", ref, *args, code=code)
        if code:
            return done
        out = json.loads(done.stdout)
        return dict(out, moved=sum(x["state"] == "sent" for x in out["packs"]),
                    kept=[x["software"] for x in out["packs"] if x["state"] == "kept"])

    def pull(self, ref, *args, code=0):
        """`fetched`: were packs downloaded, or read?"""
        done = self.run("import", "--json", "--as-root", "--cache", self.cache, ref, *args,
                        code=code)
        if code not in (0, 1, 5, 6):
            return done
        out = json.loads(done.stdout)
        return dict(
            out, fetched=out["fetched_bytes"] > 0
            or any(x["state"] != "there" for x in out["packs"]))

    def entries(self):
        return sorted(p.relative_to(self.cache).as_posix()
                      for p in self.cache.glob("?/?/*")) if self.cache.exists() else []


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

    def files(self, name="share"):
        """The packs in a folder, and their bytes."""
        return {p.name: p.read_bytes() for p in (self.dir / name).iterdir()}


def check(ok, what):
    if not ok:
        sys.exit(f"not so: {what}")


def folder(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    b.export("./share", *rig.sign)
    key, name = b.kind(), *rig.files()
    check(
        name.startswith(key) and c.kind() == key, "its name has the key, the same on both machines")
    check(
        c.pull("./share", code=6)["result"] == "refused" and not c.entries(),
        "a key that is not trusted: refused, and nothing is written")
    check(
        c.pull("./share", "--dry-run", *rig.trust)["packs"][0]["added"] == 2 and not c.entries(),
        "--dry-run only lists")
    check(c.pull("./share", *rig.trust)["added"] == 2, "pulled")
    check(c.entries() == b.entries(), "the same entries are in both caches")
    again = c.pull("./share", *rig.trust)
    check(again["result"] == "there" and not again["fetched"],
          "nothing is read when all of it is in the cache")
    os.remove(c.cache / c.entries()[0])
    check(c.pull("./share", *rig.trust)["added"] == 1, "a lost entry is taken again")
    damaged = c.cache / c.entries()[0]
    data = damaged.read_bytes()
    damaged.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    check(
        c.pull("./share", *rig.trust)["added"] == 1 and damaged.read_bytes() == data,
        "and one whose code is damaged")
    check(
        c.run("status", "--as-root", "--cache", c.cache, rig.dir / "lib").returncode == 0,
        "all is warm")
    check(
        c.pull("./nowhere", *rig.trust, code=2).returncode == 2,
        "a folder that is not there is exit 2")
    check(
        c.pull("./lib", code=5)["result"] == "unfit",
        "and one without a pack exit 5, as a registry without one")
    other = Machine(rig, "other", SIMCUDA_DRIVER="570.1", SIMCUDA_STAMP="Jan  1 2025 00:00:00")
    check(other.kind() == key, "another driver build of the same compiler has the same key")
    check(
        other.pull("./share", *rig.trust)["added"] == 2 and other.entries() == b.entries(),
        "which takes a pack of the first, for prime to carry over")


def reproducible(rig):
    a, b = rig.builder, Machine(rig, "second")
    for m, name in ((a, "one"), (b, "two")):
        m.prime("lib")
        m.export(f"./{name}", *rig.sign)
    check(
        rig.files("one") == rig.files("two"),
        "two machines of a kind export the same bytes, under the same name")


def names(rig):
    """Packs of the same software have one name, and the newer one takes it; those of other software
    never do."""
    b, c, ptx = rig.builder, Machine(rig, "client"), pathlib.Path(rig.libs[1]).read_bytes()
    files = [
        rig.dir / "lib" / name for name in ("x.so y", "x.so_y", "x" * 90 + "a", "x" * 90 + "b")
    ]
    for i, file in enumerate(files):
        file.write_bytes(ptx.replace(b"k0(", b"%c0(" % (97 + i)))
    b.prime("lib")
    for lib in (*rig.libs, *files):
        b.export("./share", *rig.sign, lib)
    check(len(rig.files()) == 6, f"a file for each: {rig.files().keys()}")
    b.run("key", "--no-passphrase", "--new", rig.dir / "other.key")
    before = rig.files()
    b.export("./share", "--sign", rig.dir / "other.key", rig.libs[1])
    changed, = (name for name, data in rig.files().items() if before[name] != data)
    check(changed.endswith("-only-ptx.so.tar.zst"),
          "one of the same software is replaced, by another's, too")
    check(
        c.pull("./share", *rig.trust, "--trust", rig.dir / "other.pub")["added"] == 6
        and c.entries() == b.entries(), "and all are imported")


def signed_stays(rig):
    """An export without a key does not take the place of what is signed."""
    b, c, ref = rig.builder, Machine(rig, "client"), "./share"
    b.prime("lib")
    key = b.export(ref, *rig.sign)["packs"][0]["signed_by"]
    before = rig.files()
    check(
        f"is signed by key {key}" in json.loads(b.export(ref, code=6).stdout)["why"]
        and before == rig.files() and c.pull(ref, *rig.trust)["added"] == 2,
        "what was there is there, and is imported")
    (name, data), = before.items()
    (rig.dir / "share" / name).unlink()
    b.export(ref)
    out = Machine(rig, "other").pull(ref, "--allow-unsigned")
    check(out["added"] == 2 and out["packs"][0]["signed_by"] is None, f"unsigned: {out}")
    beside = rig.dir / "share" / f"{name}.minisig"
    beside.write_bytes(re.search(rb"untrusted comment:.*\n.*\ntrusted comment:.*\n.*\n", data)[0])
    check(f"is signed by key {key}" in json.loads(b.export(ref, code=6).stdout)["why"],
          "a signature beside a pack counts, too")
    check(
        b.export(ref, *rig.sign)["result"] == "done" and not beside.exists()
        and rig.files() == before, "and goes with it; what is not signed is replaced")


def together(rig):
    """Four exports into one folder at the same time, two of the same software: a file for each
    software, each of them whole."""
    b = rig.builder
    b.prime("lib")
    for share in (f"share{i}" for i in range(5)):
        (rig.dir / share).mkdir()
        running = [
            subprocess.Popen(
                [rig.tool, "export", "-q", "--cache", b.cache, "-o", share, *rig.sign, lib],
                env=b.env, cwd=rig.dir) for lib in rig.libs * 2
        ]
        check([p.wait() for p in running] == [0] * 4 and len(rig.files(share)) == 2,
              f"two files: {rig.files(share).keys()}")
        check(
            Machine(rig, f"client-{share}").pull(f"./{share}", *rig.trust)["added"] == 2,
            "and what is there is whole")


def read_only(rig):
    b, c = rig.builder, Machine(rig, "client")
    b.prime("lib")
    b.export("./share", *rig.sign)
    before = {p: p.stat().st_mtime_ns for p in (rig.dir / "share").rglob("*")}
    check(c.pull("./share", *rig.trust)["added"] == 2, "pulled")
    check(before == {p: p.stat().st_mtime_ns
                     for p in (rig.dir / "share").rglob("*")}, "nothing there was written")


def other_tool(name):
    if not shutil.which(name):
        print(f"SKIP: there is no {name}")
        sys.exit(77)
    return name


def main(doc, *functions):
    """Runs the one that is named; a function is a case, under its name."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "sim", "gen"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    cases = {f.__name__.replace("_", "-"): f for f in functions}
    parser.add_argument("case", choices=cases)
    opt = parser.parse_args()
    os.environ["no_proxy"] = "*"
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        cases[opt.case](Rig(opt, pathlib.Path(scratch).resolve()))


if __name__ == "__main__":
    main(__doc__, folder, reproducible, names, signed_stays, together, read_only)
