#!/usr/bin/env python3
"""registry.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

export and import over HTTP: Debian's docker-registry itself, with skopeo as another client, and
behind a proxy that fails as networks and registries do. Exit 77: docker-registry, or another
program that the case needs, is not here.
"""
import base64
import fcntl
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from proof import Machine, check, main, other_tool


def free_port():
    """Below those that the system gives connections: one of a test beside this one would have it
    before the server does."""
    while True:
        port = random.randrange(10000, 30000)
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) != 0:
                return port


def wait_for_port(port, process):
    """Fifty pulls beside it, or a build, and a server needs its time to begin."""
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(
        f"nothing listens on port {port}: {' '.join(map(str, process.args))}: {process.poll()}")


class Program:
    """`process`, as long as it is wanted."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Registry(Program):
    """docker-registry on a port of its own; with a login and TLS when it is asked for."""

    def __init__(self, rig, name, login=None, tls=True):
        self.port, folder = free_port(), rig.dir / name
        folder.mkdir()
        conf = {
            "version": "0.1", "log": {"level": "error"},
            "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
            "http": {"addr": f"127.0.0.1:{self.port}"}
        }
        self.ca = []
        if login:
            entry = subprocess.run([other_tool("htpasswd"), "-Bbn", *login], check=True,
                                   capture_output=True).stdout
            (folder / "htpasswd").write_bytes(entry)
            conf["auth"] = {"htpasswd": {"realm": "r", "path": str(folder / "htpasswd")}}
        if login and tls:
            subprocess.run([
                other_tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,DNS:registry.test", "-keyout", folder / "key.pem",
                "-out", folder / "cert.pem"
            ], check=True, capture_output=True)
            conf["http"]["tls"] = {
                "certificate": str(folder / "cert.pem"), "key": str(folder / "key.pem")
            }
            self.ca = [f"cacert = {folder / 'cert.pem'}"]
        (folder / "conf.yml").write_text(json.dumps(conf))
        self.process = subprocess.Popen(
            [other_tool("docker-registry"), "serve", folder / "conf.yml"],
            stdout=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)


class Proxy(http.server.BaseHTTPRequestHandler):
    """In front of a registry; `fault(handler, method, path, answer)` may answer in its place: True,
    it did."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self, body):
        there = http.client.HTTPConnection("127.0.0.1", self.server.behind)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection")}
        headers["Host"] = self.headers["Host"]
        headers["Content-Length"] = str(len(body))
        there.request(self.command, self.path, body, headers)
        answer = there.getresponse()
        return answer.status, answer.getheaders(), answer.read()

    def reply(self, status, headers, body, length=None):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "date", "transfer-encoding",
                                    "server"):
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, self.path, dict(self.headers)))
        if self.server.fault and self.server.fault(self, body):
            return
        status, headers, answer = self.forward(body)
        self.reply(
            status, headers, answer if self.command != "HEAD" else b"",
            next((v for k, v in headers
                  if k.lower() == "content-length"), 0) if self.command == "HEAD" else None)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = serve


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128  # of fifty that connect at once a queue of five drops most, which try again until their time is over

    def handle_error(self, *_):  # a client that goes away is what the cases are about
        pass


class Fronted:
    """A registry with packs in it, behind the proxy."""

    def __init__(self, rig, registry, pushed=True):
        self.server = Server(("127.0.0.1", 0), Proxy)
        self.server.behind, self.server.seen, self.server.fault = registry.port, [], None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.ref = f"oci://127.0.0.1:{self.server.server_port}/team/jit"
        rig.builder.prime("lib")
        if pushed:
            rig.builder.export(self.ref, *rig.sign)
        self.server.seen.clear()

    def count(self, method, part):
        return sum(1 for m, path, _ in self.server.seen if m == method and part in path)


def is_layer(h):
    return h.command == "GET" and "/blobs/sha256:" in h.path


def registry(rig):
    with Registry(rig, "registry") as r:
        b, c = rig.builder, Machine(rig, "client")
        b.prime("lib")
        ref = f"oci://127.0.0.1:{r.port}/team/jit"
        out = b.export(ref, *rig.sign)
        check(out["moved"] == 1, "moved")
        check(b.export(ref, *rig.sign)["moved"] == 0, "and the second time none")
        check(c.pull(ref, *rig.trust)["added"] == 2 and c.entries() == b.entries(), "pulled")
        tool = other_tool("skopeo")
        for here, there in ((f"docker://127.0.0.1:{r.port}/team/jit:{out['packs'][0]['tag']}",
                             "oci:copied:v1"),
                            ("oci:copied:v1",
                             f"docker://127.0.0.1:{r.port}/back/jit:{out['packs'][0]['tag']}")):
            subprocess.run([
                tool, "--insecure-policy", "copy", "-q", "--all", "--src-tls-verify=false",
                "--dest-tls-verify=false", here, there
            ], cwd=rig.dir, check=True)
        d = Machine(rig, "second")
        check(
            d.pull(f"oci://127.0.0.1:{r.port}/back/jit", *rig.trust)["added"] == 2,
            "what skopeo copied back is pulled")


def login(rig):
    with Registry(rig, "registry", ("ada", "s3cret-word")) as r:
        b = rig.builder
        b.prime("lib")
        b.settings(*r.ca)
        ref = f"oci://localhost:{r.port}/team/jit"
        check("needs a login" in b.export(ref, *rig.sign, code=8).stderr,
              "without a login: a sentence")
        b.env["JITWARM_LOGIN"] = "ada:wr0ng-word"
        done = b.export(ref, *rig.sign, code=8)
        check("refused the login" in done.stderr and "wr0ng" not in done.stderr + done.stdout,
              "a wrong one is refused, and not repeated")
        b.env["JITWARM_LOGIN"] = "ada:s3cret-word"
        done = b.run("export", "-v", "--cache", b.cache, "-o", ref, *rig.sign)
        check("s3cret" not in done.stderr + done.stdout, "a password is in no message")
        b.settings(*r.ca, f"plain_http = localhost:{r.port}")
        check("may need https" in b.export(ref, *rig.sign, code=8).stderr,
              "and the registries that are asked by http")
        b.settings(*r.ca)
        (b.home / ".config/jitwarm/jitwarm.conf").chmod(0o666)
        told = b.export(ref, *rig.sign, code=8).stderr
        check("jitwarm.conf:1: line ignored: " in told and "everybody may write" in told,
              f"no login by what others may write: {told}")
        c = Machine(rig, "client", r.ca)
        (c.home / ".docker").mkdir()
        auth = base64.b64encode(b"ada:s3cret-word").decode()
        (c.home / ".docker/config.json").write_text(
            json.dumps({"auths": {f"localhost:{r.port}": {"auth": auth}}}))
        check(c.pull(ref, *rig.trust)["added"] == 2, "docker's file has the login")
        c.settings(f"cacert = {rig.dir / 'k.pub'}")
        check("ertificate" in c.pull(f"{ref}:x", code=8).stderr, "another authority is refused")


def resume(rig):
    with Registry(rig, "registry") as r:
        f, c, cut = Fronted(rig, r), Machine(rig, "client"), set()

        def fault(h, body):
            if not is_layer(h) or h.path in cut:
                return False
            cut.add(h.path)
            status, headers, answer = h.forward(body)
            h.reply(status, headers, answer[: len(answer) // 2], len(answer))
            h.close_connection = True
            h.connection.shutdown(socket.SHUT_RDWR)
            return True

        f.server.fault = fault
        check(
            c.pull(f.ref, *rig.trust)["added"] == 2 and c.entries() == rig.builder.entries(),
            "what was cut off is gone on with")
        ranges = [
            h.get("Range") for m, path, h in f.server.seen
            if m == "GET" and "/blobs/" in path and h.get("Range")
        ]
        check(
            len(ranges) == 1 and all(int(x[6:-1]) > 0 for x in ranges), "from where it was cut off")

        def without_ranges(h, body):
            del h.headers["Range"]
            return fault(h, body)

        f.server.fault, d = without_ranges, Machine(rig, "second")
        cut.clear()
        f.server.seen.clear()
        check(
            d.pull(f.ref, *rig.trust)["added"] == 2 and d.entries() == rig.builder.entries(),
            "a server without ranges sends all of it again")
        check(
            len([h for *_, h in f.server.seen if h.get("Range")]) == 1,
            "although it was asked for the rest")


def forever(rig):
    """A layer of 2 GiB, as it says, of which each answer is another MiB: ended after a thousand."""
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client", JW_TEST_HURRY="2000")

        def fault(h, body):
            if "/manifests/" in h.path and h.command == "GET":
                doc = json.loads(h.forward(body)[2])
                doc["layers"][0]["size"] = 2 << 30
                h.reply(200, [], json.dumps(doc).encode())
            elif is_layer(h):
                h.reply(206, [], bytes(1 << 20), 2 << 20)
                h.close_connection = True
                h.connection.shutdown(socket.SHUT_RDWR)
            return is_layer(h) or "/manifests/" in h.path

        f.server.fault = fault
        c.pull(f.ref, *rig.trust, code=8)
        check(1000 < f.count("GET", "/blobs/") < 1010 and not c.entries(),
              f"it ends: {f.count('GET', '/blobs/')}")


def upload(rig):
    """A layer whose connection breaks is sent again, from the beginning."""
    with Registry(rig, "registry") as r:
        f, c, broken = Fronted(rig, r, pushed=False), Machine(rig, "client"), []

        def fault(h, _):
            if h.command != "PUT" or "/uploads/" not in h.path or len(broken) >= 2:
                return False
            broken.append(h.path)
            h.close_connection = True
            h.connection.shutdown(socket.SHUT_RDWR)
            return True

        f.server.fault = fault
        check(
            rig.builder.export(f.ref, *rig.sign)["moved"] == 1 and len(broken) == 2,
            "pushed although the connection broke twice")
        check(c.pull(f.ref, *rig.trust)["added"] == 2, "and it is whole")
        f.server.fault = lambda h, _: h.command == "PUT" and (h.connection.shutdown(socket.SHUT_RDWR
                                                                                    ), True)[1]
        check("Empty reply" in rig.builder.export(f.ref + "2", *rig.sign, code=8).stderr,
              "that each connection is closed is what is said")
        f.server.fault = lambda h, _: h.command == "PUT" and "/blobs/" in h.path and (h.reply(
            403, [], b""), True)[1]
        done = rig.builder.export(f.ref + "3", *rig.sign, code=8)
        check(
            done.stderr.count("\n") == 1 and "denies access" in done.stderr,
            f"one fault is one sentence: {done.stderr}")


def busy(rig):
    with Registry(rig, "registry") as r:
        f, c, left = Fronted(rig, r), Machine(rig, "client", JW_TEST_HURRY="20"), [429, 503]

        def fault(h, _):
            if not is_layer(h) or not left:
                return False
            h.reply(left.pop(0),
                    [("Retry-After", "1" if left else "Fri, 31 Dec 1999 23:59:59 GMT")], b"busy")
            return True

        f.server.fault = fault
        check(c.pull(f.ref, *rig.trust)["added"] == 2 and not left, "429 and 503 are waited for")
        f.server.fault = lambda h, _: (h.reply(503, [("Retry-After", "3600")], b""), True)[1]
        began = time.monotonic()
        check("503" in c.pull(f.ref, *rig.trust, code=8).stderr and time.monotonic() - began < 20,
              "an hour is not")
        f.server.fault = lambda h, _: (h.reply(503, [("Retry-After", "1")], b""), True)[1]
        f.server.seen.clear()
        began = time.monotonic()
        refused = c.pull(f"oci://127.0.0.1:{free_port()}/x", *rig.trust, code=8).stderr
        check("does the registry run" in refused and time.monotonic() - began < 5,
              f"one that refuses connections is asked once (four times take 7 s): {refused}")
        check("503" in c.pull(f.ref, *rig.trust, code=8).stderr and len(f.server.seen) == 4,
              "three tries more, as docs/packs.md says")


def lies(rig):
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")

        def with_answer(change):
            def fault(h, body):
                if not is_layer(h):
                    return False
                status, headers, answer = h.forward(body)
                h.reply(status, headers, change(answer))
                return True
            return fault

        for name, change in (("another byte", lambda a: a[:50] + bytes([a[50] ^ 1]) + a[51:]),
                             ("more bytes", lambda a: a + b"x" * 100), ("no bytes", lambda a: b"")):
            f.server.fault = with_answer(change)
            done = c.pull(f.ref, *rig.trust, code=8)
            check(
                done.stderr.count("\n") == 1 and "imported" not in done.stderr and not c.entries(),
                f"{name}: one sentence, and nothing is imported")

        def not_the_index(h, body):
            if "/manifests/" not in h.path:
                return False
            status, headers, answer = h.forward(body)
            h.reply(status, headers,
                    answer.replace(b'"size":', b'"size":1') if b"sha256" in answer else answer)
            return True

        f.server.fault = not_the_index
        c.pull(f.ref, *rig.trust, code=8)
        f.server.fault = lambda h, _: (h.reply(200, [], b"x" * (5 << 20)), True)[1]
        check("more bytes" in c.pull(f.ref, *rig.trust, code=8).stderr,
              "an index has at most 4 MiB")
        f.server.fault = lambda h, _: (h.reply(200, [], b"<html>"), True)[1]
        for done in c.pull(f.ref, *rig.trust, code=8), rig.builder.export(f.ref, *rig.sign, code=8):
            check("is a web page" in done.stderr and done.stderr.count("\n") == 1,
                  f"what is no index: {done.stderr}")
        doc = json.dumps({
            "schemaVersion": 2, "layers": [{
                "mediaType": "application/vnd.jitwarm.pack.v1.tar+zstd",
                "digest": "sha256:../" + "0" * 61, "size": 2
            }]
        }).encode()
        for body, why in ((b"", "is not valid (it is empty)"), (b"{",
                                                                "is not valid (json: damaged"),
                          (doc, "the digest of a pack is not SHA-256"),
                          (b'{"schemaVersion": 2, "manifests": []}', "not an image manifest")):
            f.server.fault = lambda h, _, text=body: (h.reply(200, [], text), True)[1]
            done = c.pull(f.ref, *rig.trust, code=8)
            check(why in done.stderr and f.ref in done.stderr and done.stderr.count("\n") == 1,
                  f"{body}: {done.stderr}")


def little_disk(rig):
    """A layer that would fit into what stays free on the disk is not fetched."""
    if os.geteuid():
        sys.exit(77)
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")
        state = c.home / "state"
        state.mkdir(mode=0o700)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=130m,mode=700", "tmpfs", state],
                          check=False).returncode:
            sys.exit(77)
        try:
            with open(state / "filler", "wb") as filler:
                os.posix_fallocate(filler.fileno(), 0, 115 << 20)
            told = c.pull(f.ref, *rig.trust, code=4).stdout
        finally:
            subprocess.run(["umount", state], check=True)
        check("has a layer of " in told and not f.count("GET", "/blobs/"),
              f"it is not begun: {told}")


def loops(rig):
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client", JITWARM_LOGIN="ada:word")
        f.server.fault = lambda h, _: (h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b""),
                                       True)[1]
        c.pull(f.ref, *rig.trust, code=8)
        check(len(f.server.seen) == 3, "a login is tried twice, and no more")
        f.server.seen.clear()
        f.server.fault = lambda h, _: (h.reply(307, [("Location", h.path)], b""), True)[1]
        check("too often" in c.pull(f.ref, *rig.trust, code=8).stderr and len(f.server.seen) < 10,
              "redirects end")


def drip(h, body):
    """A fault: a layer comes at five bytes a second."""
    if not is_layer(h):
        return False
    status, headers, answer = h.forward(body)
    h.reply(status, headers, b"", len(answer))
    for byte in answer:
        try:
            h.wfile.write(bytes([byte]))
            time.sleep(0.2)
        except OSError:
            break
    return True


def slow(rig):
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")
        f.server.fault = drip
        began = time.monotonic()
        check(
            "too slow" in c.pull(f.ref, *rig.trust, code=8).stderr
            and time.monotonic() - began < 90, "less than 512 bytes a second for half a minute")


def elsewhere(rig):
    """Blobs on another host, as registries with an object store have it: the login does not go
    there."""
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client", JITWARM_LOGIN="ada:s3cret-word")
        other = Fronted(rig, r, pushed=False)

        def fault(h, _):
            if "Authorization" not in h.headers:
                h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b"")
                return True
            if not is_layer(h):
                return False
            h.reply(404 if "?" in h.path else 307,
                    [("Location", f"http://127.0.0.1:{other.server.server_port}?{h.path}")], b"")
            return True

        f.server.fault = fault

        def around(h, _):  # beside a URL without a path, beside this one, then by a path
            path, mark, there = h.path.partition("?")
            to = there[
                1:] if path == "/" else path + "?there" if mark else f"./{path.rpartition('/')[2]}?"
            return (path == "/" or not there) and (h.reply(302, [("Location", to)], b""), True)[1]

        other.server.fault = around
        check(
            c.pull(f.ref, *rig.trust)["added"] == 2,
            "redirects are followed, on the other host, too")
        check(other.server.seen and not any("Authorization" in h for _, _, h in other.server.seen),
              "without the login")


def requests(rig):
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")
        c.pull(f.ref + ":none", *rig.trust, code=5)
        check(len(f.server.seen) == 1, "that nothing fits is known after one request")
        told = c.pull(f.ref, "--dry-run", *rig.trust)
        check(told["added"] == 2 and told["packs"][0]["signature"] == "trusted" and not c.entries(),
              f"a dry run checks what it fetched, and adds nothing: {told}")
        c.pull(f.ref, *rig.trust)
        f.server.seen.clear()
        c.pull(f.ref, *rig.trust)
        check([m for m, *_ in f.server.seen] == ["GET"] and f.count("GET", "/manifests/") == 1,
              "all is here: the manifest alone")


def names(rig):
    """The names beside a pack are its pusher's word: wrong ones cost a download or leave modules
    cold, and are never more."""
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")

        def exchanged(h, body):
            if h.command != "GET" or "/manifests/" not in h.path:
                return False
            doc = json.loads(h.forward(body)[2])
            check([len(x["annotations"]["io.jitwarm.names"]) for x in doc["layers"]] == [48],
                  f"two names of sixteen digits, with the sizes of their keys: {doc}")
            doc["layers"][0]["annotations"]["io.jitwarm.names"] = wrong
            h.reply(200, [], json.dumps(doc).encode())
            return True

        f.server.fault = exchanged
        for wrong in ("0" * 48, "", "x" * 24, "0" * 23):
            check(c.pull(f.ref, *rig.trust)["fetched"] == 1, f"{wrong}: it is downloaded each time")
        check(c.entries() == rig.builder.entries(), "and imported")


def behind(rig):
    """A layer with a bad digest behind a good one of the same title: the good one is imported
    before the other comes, nothing of that, and nothing stays on the disk."""
    with Registry(rig, "registry") as r:
        b, c = rig.builder, Machine(rig, "client")
        f = Fronted(rig, r, pushed=False)
        for lib in rig.libs:
            b.export(f.ref, *rig.sign, lib)
        f.server.seen.clear()
        layers = []

        def fault(h, body):
            status, headers, answer = h.forward(body)
            second = is_layer(h) and len(m.entries())
            layers.extend([len(list((m.home / "state").glob("jitwarm-work-*/*")))] * is_layer(h))
            if second and m is not c:
                running.send_signal(signal.SIGINT)
                time.sleep(1)
            h.reply(
                status, headers, answer[:50] + bytes([answer[50] ^ 1]) + answer[51:] if second else
                re.sub(rb'(image.title":")[^"]*', rb"\1same", answer) if m is c else answer)
            return True

        f.server.fault, m = fault, c
        told = c.pull(f.ref, *rig.trust, "--allow-unsigned", code=8).stderr
        check(
            "1 entry was imported, then: " in told and "does not match" in told
            and layers == [1, 1] and len(c.entries()) == 1,
            f"one of two, and one at a time on the disk: {layers} {told}")
        m = Machine(rig, "interrupted")
        words = [rig.tool, "import", "-q", "--as-root", "--cache", m.cache, f.ref, *rig.trust]
        running = subprocess.Popen(words, env=m.env, cwd=rig.dir)
        check(running.wait() == 130 and len(m.entries()) == 1 and layers == [1] * 4,
              f"Ctrl-C: what came before stays, and is not on the disk any more: {layers}")
        with next((m.home / "state/caches").glob("*/lock")).open("r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            shutil.rmtree(m.cache)
            running = subprocess.Popen(words, env=m.env, cwd=rig.dir)
            while len(layers) < 5:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            check(running.wait() == 130 and layers == [1] * 5,
                  "one that waits for the cache fetches no other layer")
        check(not [work for one in (c, m) for work in (one.home / "state").glob("jitwarm-work-*")],
              "no layer is left behind")
        f.server.fault = None
        check(
            c.pull(f.ref, *rig.trust)["added"] == 1 and c.entries() == b.entries(),
            "and afterwards the other one")


def nothing(rig):
    """A tag without a pack, as of a container's image, has nothing for this machine: it is not
    called warm."""
    with Registry(rig, "registry") as r:
        f, c = Fronted(rig, r), Machine(rig, "client")
        image = {
            "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
            "digest": "sha256:" + "0" * 64, "size": 9
        }
        for layers in ([], [image]):
            f.server.fault = lambda h, _: (h.reply(
                200, [],
                json.dumps({"schemaVersion": 2, "layers": layers}).encode()), True)[1]
            for more in ((), ("--dry-run",)):
                check(
                    c.pull(f.ref, *rig.trust, *more, code=5)["result"] == "unfit",
                    f"{layers} {more}: exit 5")


def added(rig):
    """Layers of other software stay; of the same software they are replaced, and of a part of it; a
    lost one is not named any more."""
    with Registry(rig, "registry") as r:
        b, c, ref = rig.builder, Machine(rig, "client"), f"oci://127.0.0.1:{r.port}/team/jit"
        b.prime("lib")
        b.export(ref, *rig.sign, rig.libs[0])
        out = b.export(ref, *rig.sign, rig.libs[1])
        check((len(out["packs"]), out["moved"], out["kept"]) == (2, 1, ["registered.so"]),
              f"the first push's layer is kept: {out}")
        check(
            c.pull(ref, *rig.trust)["added"] == 2 and c.entries() == b.entries(),
            "and both are pulled")
        check("is signed by key" in b.export(ref, "--yes", rig.libs[1], code=6).stderr,
              "a signed layer is not replaced by an unsigned one")
        out = b.export(ref, *rig.sign)
        check((len(out["packs"]), out["replaced"]) == (1, 2),
              "without PATH it is one layer of both, in the place of its parts")
        ref += ":lost"
        layer = b.export(ref, *rig.sign, rig.libs[0])["packs"][-1]["digest"].split(":")[1]
        shutil.rmtree(rig.dir / "registry/data/docker/registry/v2/blobs/sha256" / layer[:2] / layer)
        out = b.export(ref, *rig.sign, rig.libs[1])
        check([x["software"] for x in out["packs"]] == ["only-ptx.so"],
              f"a layer that is lost there is not named any more: {out}")


def software(rig):
    """A layer goes for one that has all of its software: behind the first kilobyte of names, too,
    and a name may have blanks."""
    with Registry(rig, "registry") as r:
        b, ptx, alone = rig.builder, pathlib.Path(rig.libs[1]).read_bytes(), rig.dir / "alone.so"
        long, blank = ([rig.dir / "many" / f"{name}.so" for name in names]
                       for names in ((str(i) * 240 for i in range(6)), ("x.so y", "x", "y")))
        (rig.dir / "many").mkdir()
        for i, file in enumerate((*long, *blank, alone)):
            file.write_bytes(ptx.replace(b"k0(", b"%c0(" % (97 + i)))
        b.prime("many")
        b.env["LD_LIBRARY_PATH"] = str(
            rig.sim.parent)  # what a command loads is of no known software
        b.run("prime", "--as-root", "--yes", "--cache", b.cache, "--run", sys.executable,
              pathlib.Path(__file__).parents[1] / "real/loader.py", alone)
        for tag, old, new, both in ("long", long, long[:5], long), ("blank", blank[:1], blank[1:],
                                                                    blank), ("nameless", (),
                                                                             (*long, *blank), ()):
            ref = f"oci://127.0.0.1:{r.port}/team/jit:{tag}"
            b.export(ref, *rig.sign, *old)
            out = b.export(ref, *rig.sign, *new)
            check((out["replaced"], len(out["kept"])) == (0, 1),
                  f"a layer is replaced by one without a part of its software: {out}")
            check(not b.export(ref, *rig.sign, *both)["kept"], "one with all of it replaces it")


def merged_tag(rig):
    """Two kinds of machines under one tag, one of them from a pack file."""
    with Registry(rig, "registry") as r:
        b, c, other = rig.builder, Machine(rig, "client"), Machine(rig, "other",
                                                                   SIMCUDA_GPUS="sm_90:other:8G")
        ref, pack = f"oci://127.0.0.1:{r.port}/team/jit:all", rig.dir / "other.tar.zst"
        b.prime("lib")
        b.export(ref, *rig.sign)
        other.prime("lib")
        other.run("export", "--cache", other.cache, "-o", pack, "--sign", rig.sign[1])
        bad = rig.dir / "bad.tar.zst"
        bad.write_bytes(pack.read_bytes()[:50] + b"x" + pack.read_bytes()[51:])
        check(f"{bad}: wrong digest" in b.run("export", "-o", ref, bad, code=6).stderr,
              "a damaged pack is not sent")
        pathlib.Path(f"{bad}.minisig").touch()
        bad.write_bytes(pack.read_bytes())
        check("in a separate file" in b.run("export", "-o", ref, bad, code=2).stderr,
              "nor one whose signature would be lost")
        b.run("export", "-o", ref, pack)
        for m, source in ((c, b), (Machine(rig, "third", SIMCUDA_GPUS="sm_90:other:8G"), other)):
            out = m.pull(ref, *rig.trust)
            check(out["added"] == len(source.entries()) and m.entries() == source.entries(),
                  f"each takes its own: {out}")


if __name__ == "__main__":
    main(__doc__, registry, login, resume, forever, upload, busy, lies, little_disk, loops, slow,
         elsewhere, requests, names, behind, nothing, added, software, merged_tag)
