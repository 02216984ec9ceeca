"""Cases of proof.py about the network: WinHTTP against docker-registry, proxies, and faults."""
import contextlib
import hashlib
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading
from types import SimpleNamespace

from wine import ROOT, Windows
import packs
from cases import Skip, check, same


@contextlib.contextmanager
def trusted(machines, pem):
    """The stores of these users hold the authority, as certutil -user -addstore Root puts it there."""
    der = subprocess.run(["openssl", "x509", "-in", pem, "-outform", "DER"], check=True, capture_output=True).stdout
    key = "HKCU\\Software\\Microsoft\\SystemCertificates\\Root\\Certificates\\" + hashlib.sha1(der).hexdigest().upper()
    blob = struct.pack("<III", 32, 1, len(der)) + der  # CERT_CERT_PROP_ID
    for x in machines:
        x.wine("reg", "add", key, "/v", "Blob", "/t", "REG_BINARY", "/d", blob.hex(), "/f")
    try:
        yield
    finally:
        for x in machines:
            x.wine("reg", "delete", key, "/f", check=False)


class Net:
    """A builder with one primed library and a key, and a second machine that has the library and the public key."""

    def __init__(self, m):
        sys.path.insert(0, str(ROOT / "tests" / "fleet"))
        if not all(shutil.which(x) for x in ("docker-registry", "htpasswd", "openssl")):
            raise Skip("there is no docker-registry, htpasswd or openssl")
        if not m.opt.other:
            raise Skip("--other names no second machine")
        self.m, self.other = m, Windows(m.opt, m.folder, m.opt.other)
        self.lib = m.library("app/lib.dll", count=4)
        (self.other.folder / "app").mkdir()
        self.there = pathlib.Path(shutil.copy(self.lib, self.other.folder / "app"))
        _, code = m.answer("prime", self.lib)
        same(code, 0, "prime")
        same(m.run("key", "--no-passphrase", "--new", m.folder / "k.key").returncode, 0, "key --new")
        self.public = pathlib.Path(shutil.copy(m.folder / "k.pub", self.other.folder))
        self.sign = ["--sign", m.folder / "k.key"]

    def push(self, ref, *args, moved=1, **env):
        answer, code = self.m.answer("push", ref, self.lib, *self.sign, *args, **env)
        same((code, answer["layers_moved"]), (0, moved), f"push: {answer}")

    def fails(self, why, ref, *args, code=8, **env):
        done = self.m.run("push", ref, self.lib, *self.sign, *args, **env)
        same((done.returncode, why in done.stderr, done.stderr.count("\n")), (code, True, 1), f"{why}: {done.stderr}")
        check("s3cret" not in done.stderr and "wr0ng" not in done.stderr, "no password is printed")
        return done.stderr

    def pull(self, ref, *args, fetched=1, code=0, **env):
        """Into an empty cache, when something is to be fetched."""
        o = self.other
        if fetched:
            shutil.rmtree(o.root, ignore_errors=True)
        words = [o.path(shutil.copy(a, o.folder)) if isinstance(a, pathlib.Path) else a for a in args]
        done = o.run("pull", "--json", ref, o.path(self.there), "--trust", o.path(self.public), *words, **env)
        same(done.returncode, code, f"pull: {done.stderr}")
        if code == 0:
            check(f'"layers_fetched": {fetched},' in done.stdout, f"{fetched} fetched: {done.stdout}")
            same(packs.files_of(o.root), packs.files_of(self.m.root), "the same entries, to the byte")
        return done.stderr

    def trusted(self, pem):
        return trusted((self.m, self.other), pem)

    def registry(self, name, login=None, tls=True):
        from registry import Registry
        return Registry(SimpleNamespace(dir=self.m.folder), name, login, tls)

    def front(self, registry, handler=None):
        """A server of the test before the registry, or a proxy to it."""
        from registry import Proxy, Server
        server = Server(("127.0.0.1", 0), handler or Proxy)
        server.behind, server.seen, server.fault = registry.port, [], None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


def registry(m):
    """docker-registry: push, what is there is not made again, login, pull on another machine."""
    n = Net(m)
    with n.registry("registry", ("ada", "s3cret-word"), tls=False) as r:
        ref, login = f"oci://localhost:{r.port}/team/jit", {"JITWARM_LOGIN": "ada:s3cret-word"}
        n.fails("needs a login", ref)
        n.fails("refused the login", ref, JITWARM_LOGIN="ada:wr0ng-word")
        n.push(ref, **login)
        n.push(ref, moved=0, **login)
        n.pull(ref, **login)
        n.pull(ref, fetched=0, **login)
    check("cannot connect" in n.pull(ref, code=8, fetched=0, **login), "a registry that is gone")


def proxy(m):
    """HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; a proxy that wants a login gets none."""
    n = Net(m)
    from servers import Forward

    class Guarded(Forward):
        def serve(self):
            self.reply(407, [("Proxy-Authenticate", 'Basic realm="proxy"')], b"no")

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = serve

    with n.registry("registry", ("ada", "s3cret-word")) as r:
        p, ref, authority = n.front(r, Forward), "oci://registry.test/team/jit", m.folder / "registry" / "cert.pem"
        login = {"JITWARM_LOGIN": "ada:s3cret-word", "HTTPS_PROXY": f"http://127.0.0.1:{p.server_port}/"}
        n.fails("TLS failed", ref, **login)  # Wine has no word for a certificate alone
        n.fails("certutil", ref, "--cacert", authority, code=2, **login)
        p.seen.clear()
        with n.trusted(authority):
            n.push(ref, **login)
        check({c for c, *_ in p.seen} == {"CONNECT"} and p.seen[0][1] == "registry.test:443", f"pushed through the tunnel: {p.seen}")
    with n.registry("near") as r:
        p, ref = n.front(r, Forward), f"oci://localhost:{r.port}/team/jit"
        n.push(ref, HTTP_PROXY=f"http://127.0.0.1:{p.server_port}")
        check(p.seen, "HTTP_PROXY decides for this machine, too")
        p.seen.clear()
        n.pull(ref, ALL_PROXY=f"http://127.0.0.1:{p.server_port}", NO_PROXY="elsewhere.test, localhost")
        check(not p.seen, "NO_PROXY")
    with n.registry("plain") as r:
        ref = "oci://registry.test/team/jit"
        with m.configured("plain_http = registry.test\n"):
            n.fails("the proxy refused the login", ref, HTTP_PROXY=f"http://127.0.0.1:{n.front(r, Guarded).server_port}/")
            p = n.front(r, Forward)
            n.push(ref, HTTP_PROXY=f"http://127.0.0.1:{p.server_port}/")
        check(p.seen and all(h.get("Host") == "registry.test" for _, _, h in p.seen), "the proxy looks the name up")


def faults(m):
    """A server that asks for a login again and again, one that redirects, one that breaks off."""
    n = Net(m)
    with n.registry("registry") as r:
        f, other = n.front(r), n.front(r)
        ref = f"oci://127.0.0.1:{f.server_port}/team/jit"
        n.push(ref)
        f.fault = lambda h, _: (h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b""), True)[1]
        f.seen.clear()
        check("refused the login" in n.pull(ref, code=8, JITWARM_LOGIN="ada:wr0ng"), "a login that is asked for again")
        same(len(f.seen), 3, "is tried twice")
        f.fault = lambda h, _: (h.reply(307, [("Location", h.path)], b""), True)[1]
        check("too often" in n.pull(ref, code=8), "redirects end")

        def elsewhere(h, _):
            if "Authorization" not in h.headers:
                h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b"")
            elif h.command == "GET" and "/blobs/" in h.path:
                h.reply(307, [("Location", f"http://127.0.0.1:{other.server_port}{h.path}")], b"")
            else:
                return False
            return True

        f.fault = elsewhere
        n.pull(ref, JITWARM_LOGIN="ada:s3cret-word")
        check(other.seen and not any("Authorization" in h for *_, h in other.seen), "another host does not get the login")
        cut = []

        def breaks(h, body):
            if h.command != "GET" or "/blobs/" not in h.path or cut:
                return False
            status, headers, answer = h.forward(body)
            cut.append(len(answer) // 2)
            h.reply(status, headers, answer[: cut[0]], len(answer))
            h.close_connection = True
            h.connection.shutdown(socket.SHUT_RDWR)
            return True

        f.fault = breaks
        f.seen.clear()
        n.pull(ref)
        check(any(h.get("Range", "").startswith("bytes=") for *_, h in f.seen), "a download that broke off goes on")


CASES = (registry, proxy, faults)
