#!/usr/bin/env python3
"""sources.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

The sources of jitwarm.conf: what a publisher compiled once, a prime finds, checks and does not compile again; and sources that
are silent, lie or are hostile. On the simulated driver. Exit 77: a program that the case needs is not here.
"""
import argparse
import ctypes
import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from proof import Machine, Rig, check
from registry import Fronted, Registry, Server, free_port, is_layer


class Laptop(Machine):
    """A machine with sources in its jitwarm.conf; the key is trusted there, too."""

    def __init__(self, rig, name, *sources, key=True, more=(), **env):
        super().__init__(rig, name, **env)
        public = (rig.dir / "k.pub").read_text().splitlines()[1]
        self.env["CUDA_CACHE_PATH"] = str(self.cache)
        self.settings(*(f"source = {s}" for s in sources), *([f"trust = {public}"] if key else []), *more)

    def primes(self, *args, code=0):
        done = self.run("prime", "--json", "--yes", "--as-root", "-j", "1", *(args or ("lib",)), code=code)
        return json.loads(done.stdout)

    def compiles(self, *args):
        """How many modules a prime compiled, and its sources."""
        answer = self.primes(*args)
        check(answer["verify"]["verified"] or not answer["jobs"], f"all is warm then: {answer['verify']}")
        return answer["counts"]["warmed"], answer["sources"]

    def status(self):
        return json.loads(self.run("status", "--json").stdout)["sources"]


def pushed(rig, place="./layout"):
    rig.builder.prime("lib")
    rig.builder.push(place, *rig.sign)
    return rig.layout(place.removeprefix("./"))


def folder(rig):
    """From a folder that push filled: nothing is compiled, the report and status name it, and no key opens it for others."""
    place = pushed(rig)
    c = Laptop(rig, "client", place)
    compiled, sources = c.compiles()
    check(compiled == 0 and c.entries() == rig.builder.entries(), "a prime compiles nothing")
    (one,) = sources
    check((one["from"], one["state"], one["entries"], one["why"]) == (str(place), "gave", 2, None) and one["bytes"] and one["key"], f"the report: {one}")
    check([s["entries"] for s in c.status()] == [2], "status says what came")
    text = c.run("status").stdout
    check(f"{place}: 2 entries" in text and "signed by" in text, f"also as text: {text}")
    again = c.primes()
    check(again["receipt"] and again["sources"] == [], "while the receipt holds no source is asked")
    stranger = Laptop(rig, "stranger", place, key=False)
    compiled, (one,) = stranger.compiles()
    check(compiled == 2 and one["state"] == "refused" and "no key is trusted" in one["why"], f"without a key it compiles: {one}")
    other = Laptop(rig, "other", place, SIMCUDA_GPUS="sm_90:other:8G")
    compiled, (one,) = other.compiles()
    check(compiled and one["state"] == "nothing" and one["why"], f"for another GPU there is nothing: {one}")
    text = Laptop(rig, "reader", place).run("prime", "--yes", "--as-root", "-j", "1", "lib").stdout
    check(f"{place}: 2 entries" in " ".join(text.split()), f"the text of prime: {text}")


def packs(rig):
    """From a folder of pack files; what another key signed, or nobody, is not taken."""
    place = rig.dir / "share"
    place.mkdir()
    rig.builder.prime("lib")
    rig.builder.run("export", "--cache", rig.builder.cache, *rig.sign, "-o", place / "a.tar.zst", "lib")
    c = Laptop(rig, "client", place)
    compiled, (one,) = c.compiles()
    check(compiled == 0 and one["state"] == "gave" and one["entries"] == 2, f"a pack of the folder: {one}")
    rig.builder.run("export", "--cache", rig.builder.cache, "-o", place / "a.tar.zst", "lib")
    for pack in place.glob("*.minisig"):
        pack.unlink()
    compiled, (one,) = Laptop(rig, "second", place).compiles()
    check(compiled == 2 and one["state"] == "refused" and "is not signed" in one["why"], f"unsigned: {one}")
    shutil.rmtree(place)
    compiled, (one,) = Laptop(rig, "third", place).compiles()
    check(compiled == 2 and one["state"] == "silent" and str(place) in one["why"], f"no such folder: {one}")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        self.server.seen.append(self.path)


def shown(folder_of):
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder_of)))
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def web(rig):
    """A web server that shows the folder: also for pull, and never for push."""
    place = pushed(rig)
    server = shown(place.parent)
    url = f"http://127.0.0.1:{server.server_port}/{place.name}/"
    c = Laptop(rig, "client", url)
    compiled, (one,) = c.compiles()
    check(compiled == 0 and one["state"] == "gave" and c.entries() == rig.builder.entries(), f"from the web: {one}")
    asked = len(server.seen)
    check(c.primes()["receipt"] and len(server.seen) == asked, "no request while the receipt holds")
    check(Machine(rig, "puller").pull(url, "lib", *rig.trust)["changed"], "pull reads it, too")
    check(len(json.loads(c.run("list", "--json", url).stdout)["kinds"]) == 1, "and list")
    done = rig.builder.push(url, *rig.sign, code=2)
    check("can only be read" in done.stderr, f"push: {done.stderr}")
    for bad, why in (("http://example.test/x", "http:// is for this machine"), ("https://a b/c", "not a valid"), ("https://h/a?b", "the path of a URL")):
        done = Machine(rig, f"m{len(why)}").pull(bad, "lib", *rig.trust, code=None)
        check(done.returncode == 2 and why in done.stderr, f"{bad}: {done.stderr}")
    (place / "index.json").write_text("{}")
    compiled, (one,) = Laptop(rig, "second", url).compiles()
    check(compiled == 2 and one["state"] in ("silent", "failed") and "index.json" in one["why"], f"nonsense: {one}")


def registry(rig):
    """From a registry; run takes from it, too, before the command starts."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)
        c = Laptop(rig, "client", f.ref)
        compiled, (one,) = c.compiles()
        check(compiled == 0 and one["state"] == "gave", f"from the registry: {one}")
        f.server.seen.clear()
        check(c.primes()["receipt"] and not f.server.seen, "no request while the receipt holds")
        for where in (f.ref, f.ref + ":own"):
            rig.builder.push(where, *rig.sign)
            listed = json.loads(c.run("list", "--json", where).stdout)
            (kind,) = listed["kinds"]
            check((kind["entries"], listed["requests"], listed["missing"]) == (2, 1, []) and kind["key"] and kind["packed_bytes"], f"list: {listed}")
        shutil.rmtree(c.cache)
        done = c.run("run", "--", "sh", "-c", "echo started")
        check("2 entries" in done.stderr and c.entries() == rig.builder.entries(), f"the cache was lost: run takes it again: {done.stderr}")
        shutil.rmtree(c.cache)
        check(c.primes("--if-stale")["sources"][0]["state"] == "gave", "and so does a prime after login")


def silent(rig):
    """Sources that do not answer: named, once, five seconds in all, and no error."""
    with socket.socket() as hanging, socket.socket() as second:
        for s in (hanging, second):
            s.bind(("127.0.0.1", 0))
            s.listen(50)
        first, other = (f"oci://127.0.0.1:{s.getsockname()[1]}/team/jit" for s in (hanging, second))
        gone = f"oci://127.0.0.1:{free_port()}/team/jit"
        place = pushed(rig)
        c = Laptop(rig, "client", first, other, gone, place)
        began = time.monotonic()
        compiled, sources = c.compiles()
        check([s["state"] for s in sources] == ["silent", "silent", "silent", "gave"] and compiled == 0, f"the last one gives: {sources}")
        check(time.monotonic() - began < 60, "they do not hang it")
        check("reply" in sources[0]["why"] or "timed out" in sources[0]["why"].lower(), f"why: {sources[0]}")
        d = Laptop(rig, "offline", gone)
        done = d.run("prime", "--yes", "--as-root", "-j", "1", "lib")
        check(gone in done.stdout and len(d.entries()) == 2, f"offline is no error: {done.stdout}")
        shutil.rmtree(d.cache)
        done = d.run("run", "--", "sh", "-c", "true")
        check("onnect" in done.stderr and "not asked again yet" in done.stderr and len(d.entries()) == 2,
              f"a start does not wait for it a second time, and says why: {done.stderr}")


class Locked(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        status, name, value = self.server.answer
        self.send_response(status)
        self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()


def locked(rig):
    """A registry that wants a login, or to be left alone: that is said, now and by the starts that do not ask it again."""
    for answer, why in (((401, "WWW-Authenticate", 'Basic realm="r"'), "needs a login: run docker login or podman login"), ((403, "X-Why", "no"), "denies access (403)"),
                        ((429, "Retry-After", "7200"), "is busy (429), and asks to wait 7200 seconds"), ((503, "X-Why", "no"), "is busy (503)")):
        server = Server(("127.0.0.1", 0), Locked)
        server.answer = answer
        threading.Thread(target=server.serve_forever, daemon=True).start()
        c = Laptop(rig, f"client{answer[0]}", f"oci://127.0.0.1:{server.server_port}/team/jit", JITWARM_LOGIN="ada:s3cret-word")
        began = time.monotonic()
        compiled, (one,) = c.compiles()
        check(compiled == 2 and one["state"] == "silent" and one["why"].endswith(why) and time.monotonic() - began < 30, f"{answer}: {one}")
        shutil.rmtree(c.cache)
        said = c.run("run", "--", "sh", "-c", "true").stderr
        check(f"{why}, a few minutes ago; not asked again yet" in said and len(c.entries()) == 2, f"{answer}: a start: {said}")
        said = " ".join(c.run("status").stdout.split())
        check(f"{why}; asked" in said, f"{answer}: status: {said}")


class Unanswered:
    """A FUSE file system whose server says nothing, not even the first word: each call into it waits, as with a dead NFS server."""

    def __init__(self, folder):
        self.folder = folder
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR)
        except OSError as e:
            print(f"SKIP: /dev/fuse: {e}")
            sys.exit(77)
        options = f"fd={self.device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if libc.mount(b"nobody", os.fsencode(folder), b"fuse", 0, options):
            print(f"SKIP: mount: {os.strerror(ctypes.get_errno())}")
            sys.exit(77)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.device)  # who waits gets an error
        subprocess.run(["umount", "-l", self.folder], check=True)


def hanging(rig):
    """A folder whose file system hangs, before and behind a source that gives: five seconds in all, named, and no error."""
    place = pushed(rig)
    dead = rig.dir / "dead"
    dead.mkdir()
    c, d = Laptop(rig, "client", dead, place), Laptop(rig, "alone", dead)
    with Unanswered(dead):
        began = time.monotonic()
        compiled, sources = c.compiles()
        took = time.monotonic() - began
        check([s["state"] for s in sources] == ["silent", "gave"] and compiled == 0, f"the other one gives: {sources}")
        check("did not reply" in sources[0]["why"] and took < 30, f"named, after {took:.1f} s: {sources[0]}")
        compiled, (one,) = d.compiles()
        check(compiled == 2 and one["state"] == "silent", f"alone: the prime compiles: {one}")
        began = time.monotonic()
        shutil.rmtree(d.cache)
        done = d.run("run", "--", "sh", "-c", "true")
        check("not asked again yet" in done.stderr and time.monotonic() - began < 30, f"a start does not wait for it again: {done.stderr}")


def hostile(rig):
    """What a registry can do: nothing of it is believed, what is there stays, and the prime compiles."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)

        def forged(h, body):
            if not is_layer(h):
                return False
            status, headers, answer = h.forward(body)
            h.reply(status, headers, b"x" * len(answer))
            return True

        def longer(h, body):
            if not is_layer(h):
                return False
            status, headers, answer = h.forward(body)
            h.reply(status, headers, answer + b"more")
            return True

        def away(h, _):
            h.reply(307, [("Location", "http://127.0.0.1:1/elsewhere")], b"")
            return True

        def around(h, _):
            h.reply(307, [("Location", h.path)], b"")
            return True

        def manifest(h, body):
            if "/manifests/" not in h.path:
                return False
            status, headers, answer = h.forward(body)
            h.reply(status, headers, answer.replace(b"sha256:", b"sha256:0", 1))
            return True

        def scheme(h, _):
            h.reply(307, [("Location", "file:///etc/passwd")], b"")
            return True

        for n, fault in enumerate((forged, longer, away, around, manifest, scheme)):
            f.server.fault = fault
            c = Laptop(rig, f"client{n}", f.ref)
            compiled, (one,) = c.compiles()
            check(compiled == 2 and one["state"] in ("failed", "silent") and one["why"] and not one["entries"], f"{fault.__name__}: {one}")
            f.server.fault = None
            shutil.rmtree(c.cache)
            compiled, (one,) = c.compiles()
            check(compiled == 0 and one["state"] == "gave", f"{fault.__name__}: when it is honest again it gives: {one}")


def replaced(rig):
    """Who may write to the registry puts something else there, whole and with right digests: packs of a key that is not trusted, and packs
    of the trusted key that are for another GPU, under the name of this one. Nothing of it comes into the cache."""
    with Registry(rig, "registry") as r:
        f, other = Fronted(rig, r), Machine(rig, "ninety", SIMCUDA_GPUS="sm_90:other:8G")
        other.prime("lib")
        other.push(f.ref + ":ninety", *rig.sign)
        other.push(f.ref + ":plain")
        rig.builder.run("key", "--no-passphrase", "--new", rig.dir / "mallory.key")
        there, kind = http.client.HTTPConnection("127.0.0.1", r.port), "application/vnd.oci.image.index.v1+json"

        def index(tag):
            there.request("GET", f"/v2/team/jit/manifests/{tag}", headers={"Accept": kind})
            return json.loads(there.getresponse().read())

        def put(tag, content):
            there.request("PUT", f"/v2/team/jit/manifests/{tag}", json.dumps(content), {"Content-Type": kind})
            answer = there.getresponse()
            answer.read()
            check(answer.status == 201, f"the registry takes it: {answer.status}")

        tag = rig.builder.run("key").stdout.strip()
        honest = index(tag)

        def by_another_key():
            rig.builder.push(f.ref, "--replace", "--sign", rig.dir / "mallory.key")

        def for_another_gpu(of="ninety"):
            (mine,), (theirs,) = honest["manifests"], index(of)["manifests"]
            put(tag, dict(honest, manifests=[dict(theirs, annotations=mine["annotations"])]))

        def unsigned_for_another_gpu():
            for_another_gpu("plain")

        for n, act in enumerate((by_another_key, for_another_gpu, unsigned_for_another_gpu)):
            act()
            c = Laptop(rig, f"victim{n}", f.ref)
            compiled, (one,) = c.compiles()
            check(compiled == 2 and one["state"] in ("refused", "failed", "nothing") and one["why"] and not one["entries"], f"{act.__name__}: {one}")
            check(c.entries() == rig.builder.entries(), f"{act.__name__}: the cache has what this machine compiled, and nothing else: {c.entries()}")
            put(tag, honest)
            shutil.rmtree(c.cache)
            compiled, (one,) = c.compiles()
            check(compiled == 0 and one["state"] == "gave", f"{act.__name__}: when it is put right it gives: {one}")


def stalls(rig):
    """A registry that sends its index a byte at a time, and one that stops in the middle of a layer: neither holds the prime for long."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)

        def drips(h, body):
            status, headers, answer = h.forward(body)
            h.reply(status, headers, b"", len(answer))
            for n in range(len(answer)):
                h.wfile.write(answer[n:n + 1])
                h.wfile.flush()
                time.sleep(0.25)
            return True

        def stops(h, body):
            if not is_layer(h):
                return False
            status, headers, answer = h.forward(body)
            h.reply(status, headers, answer[:len(answer) // 2], len(answer))
            time.sleep(300)
            return True

        for fault, most in ((drips, 30), (stops, 75)):
            f.server.fault = fault
            began = time.monotonic()
            compiled, (one,) = Laptop(rig, fault.__name__, f.ref).compiles()
            took = time.monotonic() - began
            check(compiled == 2 and one["state"] in ("silent", "failed") and one["why"] and not one["entries"], f"{fault.__name__}: {one}")
            check(took < most, f"{fault.__name__}: {took:.0f} s")


def no_room(rig):
    """A full disk is a cause of its own, for a source, import and pull: never that no pack fits, or that the driver is another one."""
    place, packs_of = pushed(rig), rig.dir / "share"
    packs_of.mkdir()
    rig.builder.run("export", "--cache", rig.builder.cache, *rig.sign, "-o", packs_of / "a.tar.zst", "lib")
    if os.geteuid():
        sys.exit(77)
    for free, verb in ((1 << 16, "imports"), (1 << 16, "pulls"), (1 << 16, "primes"), (0, "primes")):
        c = Laptop(rig, f"{verb}-{free}", place)
        state = c.home / "state"
        state.mkdir(mode=0o700)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", state], check=False).returncode:
            sys.exit(77)
        try:
            (state / "other").write_bytes(b"x" * ((1 << 20) - free))
            if verb == "imports":
                said = c.run("import", "--as-root", packs_of, "lib", *rig.trust, code=4).stdout
            elif verb == "pulls":
                said = c.pull(place, "lib", *rig.trust, code=4).stdout
            else:
                said = c.run("prime", "--yes", "--as-root", "-j", "1", "lib", code=4 if not free else 0).stdout
        finally:
            subprocess.run(["umount", state], check=True)
        said = " ".join(said.split())
        check("disk" in said and "fit" not in said and "doctor" not in said, f"{verb} with {free} bytes free: {said}")


def thousand(rig):
    """A tag with packs for 1,000 kinds of machines: each verb reads one index, and what it computes is little."""
    def spent(of, *args, **options):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = of(*args, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return answer, round(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))

    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r, pushed=False), Machine(rig, "client")
        ref, kind = f.ref + ":all", "application/vnd.oci.image.index.v1+json"
        rig.builder.push(ref, *rig.sign)
        there = http.client.HTTPConnection("127.0.0.1", r.port)
        there.request("GET", "/v2/team/jit/manifests/all", headers={"Accept": kind})
        index = json.loads(there.getresponse().read())
        (own,) = index["manifests"]
        check(re.fullmatch(r"20\d\d-\d\d-\d\d", own["annotations"]["io.jitwarm.pushed"]), f"the day is in the index: {own}")
        for n in range(999):  # 200 driver builds of five GPUs each
            more = dict(own["annotations"])
            more.update({"io.jitwarm.stamp": f"Jan  1 2025{n // 5:02d}:00:00"[:19] + f"{n // 5:03d}", "io.jitwarm.driver": f"600.{n // 5}",
                         "io.jitwarm.sm": str((75, 80, 86, 89, 90)[n % 5])})
            index["manifests"].append(dict(own, annotations=more))
        text = json.dumps(index)
        there.request("PUT", "/v2/team/jit/manifests/all", text, {"Content-Type": kind})
        answer = there.getresponse()
        check(answer.status == 201, f"the registry takes an index of {len(text)} bytes: {answer.status} {answer.read()}")
        f.server.seen.clear()
        done, listing = spent(c.run, "list", "--json", ref)
        listed = json.loads(done.stdout)
        check(len(listed["kinds"]) == 1000 and len(f.server.seen) == 1, f"list: one request: {f.server.seen}")
        check({k["pushed"] for k in listed["kinds"]} == {own["annotations"]["io.jitwarm.pushed"]}, "with its day")
        check(own["annotations"]["io.jitwarm.pushed"] in c.run("list", ref).stdout, "as text, too")
        pulls = []
        c.pull(ref, "lib", *rig.trust)
        f.server.seen.clear()
        for _ in range(2):
            (answer, cost) = spent(c.pull, ref, "lib", *rig.trust)
            check(not answer["changed"], f"the second pull changes nothing: {answer}")
            pulls.append(cost)
        check(len(f.server.seen) == 4, f"a pull that changes nothing: index and manifest: {[x[:2] for x in f.server.seen]}")
        rig.builder.push(ref, *rig.sign)  # writes the index as jitwarm spells it
        f.server.seen.clear()
        answer, push = spent(rig.builder.push, ref, *rig.sign)
        seen = [x[:2] for x in f.server.seen]
        check(answer["layers_moved"] == 0 and not [x for x in seen if x[0] in ("PUT", "POST", "PATCH")] and len(seen) <= 8, f"a push of what is there: {seen}")
        small = {"manifests": [own], **{k: v for k, v in index.items() if k != "manifests"}}
        there.request("PUT", "/v2/team/jit/manifests/one", json.dumps(small), {"Content-Type": kind})
        check(there.getresponse().status == 201, "the same with one kind")
        one = f.ref + ":one"
        slow = any(name in rig.tool.read_bytes() for name in (b"__asan_init", b"__tsan_init"))
        limit = 2000 if slow else 100
        (_, list_one), (_, pull_one), (_, push_one) = spent(c.run, "list", "--json", one), spent(c.pull, one, "lib", *rig.trust), spent(rig.builder.push, one, *rig.sign)
        print(f"processor time in ms, of all processes: 1,000 kinds: list {listing}, pull {min(pulls)}, push {push}; one kind: list {list_one}, pull {pull_one}, push {push_one}")
        for what, many, single in (("list", listing, list_one), ("pull", min(pulls), pull_one), ("push", push, push_one)):
            check(many < limit, f"{what}: 1,000 kinds cost {many} ms of processor time, not {limit}; one costs {single}")


def older(rig):
    """A registry that goes back to an older signed pack: it gives less, takes nothing away, and the rest is compiled."""
    b = rig.builder
    b.prime(rig.libs[0])
    b.push("./layout", *rig.sign, "--replace", rig.libs[0])
    old = shutil.copytree(rig.layout(), rig.dir / "old")
    b.prime("lib")
    b.push("./layout", *rig.sign, "--replace")
    c = Laptop(rig, "client", rig.dir / "place")
    shutil.copytree(rig.layout(), rig.dir / "place")
    check(c.compiles()[0] == 0, "the new one")
    before = c.entries()
    shutil.rmtree(rig.dir / "place")
    shutil.copytree(old, rig.dir / "place")
    (c.home / "state/caches").rename(c.home / "forgotten")
    check(c.compiles()[0] == 0 and c.entries() == before, "what is there stays")
    d = Laptop(rig, "late", rig.dir / "place")
    compiled, (one,) = d.compiles()
    check(compiled == 1 and one["entries"] == 1 and d.entries() == before, f"who comes later gets what the old one has: {one}")


def enrol(rig):
    """One command enrols a machine: what its login runs then takes all from the source, also what was never primed there."""
    place = pushed(rig)
    c = Laptop(rig, "laptop", key=False, XDG_RUNTIME_DIR=str(rig.dir))
    del c.env["CUDA_CACHE_PATH"]  # of this shell alone: a login would not have it
    c.cache = c.home / ".nv/ComputeCache"
    c.env["JITWARM_SYSROOT"] = str(rig.dir / "machine")
    (rig.dir / "machine/run/systemd/system").mkdir(parents=True)
    conf = c.home / ".config/jitwarm/jitwarm.conf"
    mine = f"# mine\nroots = {rig.dir / 'lib'}  # where it is"
    conf.write_text(mine)
    key = rig.dir / "k.pub"
    for args, why in ((["--source", "nonsense", "--trust", key], "not a reference"), (["--source", "./x", "--trust", key], "not an absolute path"),
                      (["--source", place], "needs --trust"), (["--source", place, "--trust", rig.dir / "none.pub"], "none.pub")):
        done = c.run("startup", "install", "--as-root", *args, code=None)
        check(done.returncode in (2, 4, 6) and why in done.stderr and conf.read_text() == mine, f"{args}: {done.returncode} {done.stderr}")
    check("belong to" in c.run("startup", "remove", "--source", place, code=2).stderr, "only install takes them")
    done = c.run("startup", "install", "--as-root", "--source", place, "--trust", key)
    public = key.read_text().splitlines()[1]
    text = conf.read_text()
    check(text.startswith(mine + "\n") and f"source = {place} " in text and f"trust = {public} " in text and "Added to" in done.stdout,
          f"the lines, and all that was there: {text}")
    check("Already installed" in c.run("startup", "install", "--as-root", "--source", place, "--trust", key).stdout, "again: nothing to do")
    check(c.run("startup", "install", "--as-root") and conf.read_text() == text, "without the options the lines stay")
    key.unlink()  # the key itself stands in the file
    answer = c.primes("--if-stale", "--background")
    check(answer["counts"]["warmed"] == 0 and answer["sources"][0]["entries"] == 2 and c.entries() == rig.builder.entries(), f"warm: {answer['sources']}")
    again = c.primes("--if-stale", "--background")
    check(again["receipt"] and not again["sources"], "the next login does nothing")
    c.run("startup", "remove", "--as-root")
    check(conf.read_text() == mine + "\n", f"remove takes them out: {conf.read_text()}")
    c.run("startup", "install", "--system", "--source", place, "--trust", public)
    system = rig.dir / "machine/etc/jitwarm/jitwarm.conf"
    check(f"source = {place} " in system.read_text() and system.stat().st_mode & 0o777 == 0o644, "for everybody, in everybody's file")
    c.run("startup", "remove", "--system")
    check(not system.exists(), "which goes again")
    without = rig.dir / "without"
    without.mkdir()
    for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
        (without / name).write_bytes(b"")  # no library: the loader stops there
    c.env.update(LD_LIBRARY_PATH=str(without), SUDO_USER="nobody")
    said = c.run("startup", "install", "--system", "--source", "oci://127.0.0.1:1/team/jit", "--trust", public).stderr
    nowhere = c.run("startup", "install", "--system", "--source", rig.dir / "nowhere", "--trust", public).stderr
    check("cannot be asked yet: there is no such folder now" in nowhere and "was started" not in nowhere, f"nor a folder that is not there: {nowhere}")
    check("cannot be asked yet: libcurl is not installed" in said and "was started" not in said, f"said where somebody reads it: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "sim", "gen"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    cases = {f.__name__.replace('_', '-'): f for f in (folder, packs, web, registry, silent, locked, hanging, hostile, replaced, stalls, no_room, thousand, older, enrol)}
    parser.add_argument("case", choices=cases)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        cases[opt.case](Rig(opt, pathlib.Path(scratch).resolve()))


if __name__ == "__main__":
    sys.exit(main())
