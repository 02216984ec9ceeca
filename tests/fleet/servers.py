#!/usr/bin/env python3
"""servers.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

export and import against servers as companies have them: a registry whose tokens another server
gives out, credential helpers, proxies, nginx, a registry of another maker (crane), one that dies.
Exit 77: a program that the case needs is not here.
"""
import base64
import http.server
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

from proof import Machine, check, main, other_tool
from registry import Fronted, Program, Proxy, Registry, Server, free_port, is_layer, wait_for_port

PASSWORD = "s3cret-word"


def certificate(folder, name, *more):
    """NAME.pem and NAME.key for localhost."""
    subprocess.run([
        other_tool("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
        folder / f"{name}.key", "-out", folder / f"{name}.pem", *more
    ], check=True, capture_output=True)


class TokenServer(http.server.BaseHTTPRequestHandler):
    """Gives tokens out as docker's own does: to anybody for pulls of open/..., to ada for all."""

    def log_message(self, *_):
        pass

    def sign(self, scopes):
        def b64(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=")

        der = subprocess.run(
            ["openssl", "x509", "-in", self.server.folder / "issuer.pem", "-outform", "DER"],
            check=True, capture_output=True).stdout
        now, known = int(time.time()), self.server.who == "ada"
        access = [{
            "type": t, "name": n, "actions": [
                x for x in acts.split(",") if known or (x == "pull" and n.startswith("open/"))
            ]
        } for t, n, acts in (s.split(":") for s in scopes)]
        claims = {
            "iss": "tests", "sub": "x", "aud": "jit", "exp": now + 300, "nbf": now - 10, "iat": now,
            "jti": str(now), "access": access
        }
        head = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(der).decode()]}
        text = b64(json.dumps(head).encode()) + b"." + b64(json.dumps(claims).encode())
        made = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.server.folder / "issuer.key"], input=text,
            check=True, capture_output=True)
        return (text + b"." + b64(made.stdout)).decode()

    def give(self, query, name):
        self.server.asked.append((self.command, query.get("scope", [])))
        body = json.dumps({name: self.sign(query.get("scope", []))}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        given = self.headers.get("Authorization", "")
        right = "Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode()
        self.server.who = "ada" if given == right else None
        if given and given != right:
            self.send_error(401)
        else:
            self.give(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query), "token")

    def do_POST(self):
        query = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.who = "ada" if query.get("refresh_token") == [
            "an-identity"
        ] and query["grant_type"] == ["refresh_token"] else None
        if self.server.who:
            self.give(query, "access_token")
        else:
            self.send_error(401)


class Tokens(Program):
    """docker-registry that takes the tokens of a TokenServer."""

    def __init__(self, rig):
        self.folder = rig.dir / "tokens"
        self.folder.mkdir()
        certificate(self.folder, "issuer")
        self.server = Server(("127.0.0.1", 0), TokenServer)
        self.server.folder, self.server.asked = self.folder, []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = free_port()
        conf = {
            "version": "0.1", "log": {"level": "error"},
            "storage": {"filesystem": {"rootdirectory": str(self.folder / "data")}},
            "http": {"addr": f"127.0.0.1:{self.port}"}, "auth": {
                "token": {
                    "realm": f"http://127.0.0.1:{self.server.server_port}/token", "service": "jit",
                    "issuer": "tests", "rootcertbundle": str(self.folder / "issuer.pem")
                }
            }
        }
        (self.folder / "conf.yml").write_text(json.dumps(conf))
        self.process = subprocess.Popen(
            [other_tool("docker-registry"), "serve", self.folder / "conf.yml"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)


def tokens(rig):
    with Tokens(rig) as r:
        b, c = rig.builder, Machine(rig, "client")
        b.prime("lib")
        here = f"oci://127.0.0.1:{r.port}"
        check(
            "needs a login: run docker login or podman login, or set JITWARM_LOGIN"
            in b.export(f"{here}/team/jit", *rig.sign,
                        code=8).stderr, "a token for nobody is not enough")
        b.env["JITWARM_LOGIN"] = "ada:wr0ng"
        done = b.export(f"{here}/team/jit", *rig.sign, code=8)
        check("the token server refused the login" in done.stderr and "wr0ng" not in done.stderr,
              "the token server refuses a wrong password")
        b.env["JITWARM_LOGIN"] = f"ada:{PASSWORD}"
        r.server.asked.clear()
        for name in ("team", "open"):
            check(b.export(f"{here}/{name}/jit", *rig.sign)["moved"] == 1, "pushed with a token")
        check(
            any(s[0].startswith("repository:team/jit:") and "push" in s[0]
                for _, s in r.server.asked if len(s) == 1),
            f"asked for with the scope that the registry names: {r.server.asked}")
        check(
            c.pull(f"{here}/open/jit", *rig.trust)["added"] == 2, "pulled with a token for nobody")
        check("needs a login" in c.pull(f"{here}/team/jit", *rig.trust, code=8).stderr,
              "what is not open is not")
        (c.home / ".docker").mkdir()
        (c.home / ".docker/config.json").write_text(
            json.dumps({"auths": {f"127.0.0.1:{r.port}": {"identitytoken": "an-identity"}}}))
        r.server.asked.clear()
        check(
            c.pull(f"{here}/team/jit", *rig.trust, code=None) and r.server.asked[0][0] == "POST",
            "an identity token is posted")
        check(c.pull(f"{here}/team/jit", *rig.trust)["result"] in ("there", "done"), "and taken")


def renewed(rig):
    """A token that ends while layers are sent."""
    with Tokens(rig) as r:
        rig.builder.env["JITWARM_LOGIN"] = f"ada:{PASSWORD}"
        f, ended, first = Fronted(rig, r, pushed=False), [], threading.Semaphore(1)

        def fault(h, _):
            if h.command == "PUT" and "/uploads/" in h.path and first.acquire(blocking=False):
                ended.append(h.headers["Authorization"])
                del h.headers["Authorization"]
            return False

        f.server.fault = fault
        check(rig.builder.export(f.ref, *rig.sign)["moved"] == 1 and ended, "pushed all the same")
        sent = [
            h.get("Authorization") for m, path, h in f.server.seen
            if m == "PUT" and "sha256" in path
        ]
        check(len(sent) == 3, "with a new token, the layer is sent again")


def helper(rig):
    """docker's credential helpers, by host and for all."""
    with Registry(rig, "registry", ("ada", PASSWORD)) as r:
        b, c, bin_dir = rig.builder, Machine(rig, "client", r.ca), rig.dir / "bin"
        b.prime("lib")
        b.settings(*r.ca)
        b.env["JITWARM_LOGIN"] = f"ada:{PASSWORD}"
        ref = f"oci://localhost:{r.port}/team/jit"
        b.export(ref, *rig.sign)
        bin_dir.mkdir()
        (bin_dir / "docker-credential-tests").write_text(f"""#!/bin/sh
[ "$1" = get ] || exit 9
read -r host
echo "$host" >>"{rig.dir}/asked"
[ "$host" = localhost:{r.port} ] && [ ! -e "{rig.dir}/locked" ] || {{
    echo "{PASSWORD} is not told"; exit 1; }}
echo '{{"ServerURL":"x","Username":"ada","Secret":"{PASSWORD}"}}'
""")
        (bin_dir / "docker-credential-tests").chmod(0o755)
        c.env["PATH"] = f"{bin_dir}:{c.env['PATH']}"
        (c.home / ".docker").mkdir()
        (rig.dir / "locked").touch()
        for n, conf in enumerate(({"credHelpers": {f"localhost:{r.port}": "tests"}},
                                  {"auths": {f"localhost:{r.port}": {}}, "credsStore": "tests"})):
            (c.home / ".docker/config.json").write_text(json.dumps(conf))
            (rig.dir / "locked").touch()
            done = c.pull(ref + ":x", code=8)
            check("needs a login" in done.stderr and PASSWORD not in done.stderr,
                  f"a helper that knows none: {done.stderr}")
            (rig.dir / "locked").unlink()
            d = Machine(rig, f"d{n}", r.ca)
            d.env["PATH"] = c.env["PATH"]
            shutil.copytree(c.home / ".docker", d.home / ".docker")
            check(d.pull(ref, *rig.trust)["added"] == 2, f"the helper's login is taken: {conf}")
        (bin_dir / "docker-credential-mute").symlink_to("/bin/true")
        for name, why in (("nowhere", "not in PATH"), ("../x", "credential helper"),
                          ("mute", "docker-credential-mute: ")):
            (c.home / ".docker/config.json").write_text(json.dumps({"credsStore": name}))
            check(why in c.pull(ref, code=8).stderr, f"{name}: {why}")


def secrets(rig):
    """A password is in no process list, no environment, no core file."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)

        def stalled(name, **env):
            m, there = Machine(rig, name, **env), threading.Event()

            def fault(h, _):
                if env and "Authorization" not in h.headers:
                    h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b"")
                else:
                    there.set()
                    time.sleep(20)
                return True

            f.server.fault = fault
            folder = rig.dir / f"{name}-cwd"
            folder.mkdir()
            p = subprocess.Popen(
                [rig.tool, "import", "--as-root", "--cache", m.cache, f.ref], env=m.env, cwd=folder,
                stderr=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE,
                                                      (resource.RLIM_INFINITY, ) * 2))
            check(there.wait(30), "it asks")
            return p

        p = stalled("client", JITWARM_LOGIN=f"ada:{PASSWORD}")
        seen = pathlib.Path(f"/proc/{p.pid}/cmdline").read_bytes()
        try:
            seen += pathlib.Path(f"/proc/{p.pid}/environ").read_bytes()
        except PermissionError:
            check(os.geteuid() != 0, "root reads every environment"
                  )  # the program hides it from all others, its own user included
        check(b"import" in seen and PASSWORD.encode() not in seen,
              "it is in neither command line nor environment")
        p.send_signal(signal.SIGABRT)
        with_login = os.waitpid(p.pid, 0)[1]
        p = stalled("other")
        p.send_signal(signal.SIGABRT)
        without = os.waitpid(p.pid, 0)[1]
        check(
            os.WIFSIGNALED(with_login) and not os.WCOREDUMP(with_login),
            "with a login there is no core file")
        if not os.WCOREDUMP(without):
            print("SKIP: this system writes no core files at all")
            sys.exit(77)


class Forward(Proxy):
    """A company's proxy: CONNECT, and plain requests with whole URLs. It knows where registry.test
    is."""

    def do_CONNECT(self):
        self.server.seen.append(("CONNECT", self.path, dict(self.headers)))
        with socket.create_connection(("127.0.0.1", self.server.behind)) as there:
            self.send_response(200)
            self.end_headers()

            def pump(a, b):
                try:
                    while data := a.recv(65536):
                        b.sendall(data)
                    b.shutdown(socket.SHUT_WR)
                except OSError:
                    pass

            back = threading.Thread(target=pump, args=(there, self.connection))
            back.start()
            pump(self.connection, there)
            back.join()
        self.close_connection = True

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        self.path = urllib.parse.urlunsplit(("", "", url.path, url.query, ""))
        super().serve()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = serve


def proxies(rig):
    with Registry(rig, "registry") as r:
        Fronted(rig, r)
        server = Server(("127.0.0.1", 0), Forward)
        server.behind, server.seen, server.fault = r.port, [], None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        c = Machine(rig, "client",
                    http_proxy=f"http://ada:{PASSWORD}@127.0.0.1:{server.server_port}")
        c.env["no_proxy"] = ""
        c.settings("plain_http = registry.test")
        rig.builder.export(f"oci://127.0.0.1:{r.port}/team/jit", *rig.sign)
        check(
            c.pull("oci://registry.test/team/jit", *rig.trust)["added"] == 2,
            "pulled through http_proxy")
        check(server.seen and all(h.get("Host") == "registry.test" for _, _, h in server.seen),
              "which looks the name up")
    with Registry(rig, "secure", ("ada", PASSWORD)) as r:
        rig.builder.env["JITWARM_LOGIN"] = f"ada:{PASSWORD}"
        rig.builder.settings(*r.ca)
        rig.builder.export(f"oci://localhost:{r.port}/team/jit", *rig.sign)
        server.behind = r.port
        server.seen.clear()
        d = Machine(rig, "second", r.ca, https_proxy=f"http://127.0.0.1:{server.server_port}",
                    JITWARM_LOGIN=f"ada:{PASSWORD}")
        d.env["no_proxy"] = ""
        check(
            d.pull(f"oci://localhost:{r.port}/team/jit", *rig.trust)["added"] == 2,
            "pulled through https_proxy")
        check({m
               for m, *_ in server.seen} == {"CONNECT"}
              and not any("Authorization" in h for *_, h in server.seen),
              "which sees neither request nor login")
        d.env["no_proxy"] = "localhost"
        server.seen.clear()
        d.pull(f"oci://localhost:{r.port}/team/jit", *rig.trust, code=None)
        check(not server.seen, "no_proxy goes past it")
        d.env["no_proxy"] = ""
        d.pull("oci://docker.io/library/jit", *rig.trust, code=8)
        check(server.seen and server.seen[0][1] == "registry-1.docker.io:443",
              "docker.io is the registry that docker means")


class Nginx(Program):
    """nginx with TLS in front of a registry."""

    def __init__(self, rig, behind):
        self.port, self.folder = free_port(), rig.dir / "nginx"
        self.folder.mkdir(exist_ok=True)
        certificate(self.folder, "localhost")
        (self.folder / "conf").write_text(f"""
daemon off; worker_processes 1; pid {self.folder}/pid; error_log {self.folder}/error; events {{}}
http {{
  access_log {self.folder}/access; client_body_temp_path {self.folder}/t1;
  proxy_temp_path {self.folder}/t2; fastcgi_temp_path {self.folder}/t3;
  uwsgi_temp_path {self.folder}/t4; scgi_temp_path {self.folder}/t5; client_max_body_size 0;
  server {{
    listen 127.0.0.1:{self.port} ssl; server_name localhost;
    ssl_certificate {self.folder}/localhost.pem; ssl_certificate_key {self.folder}/localhost.key;
    location /v2/ {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto https;
    }}
  }}
}}
""")
        os.chmod(rig.dir, 0o755)
        self.process = subprocess.Popen(
            [other_tool("nginx"), "-c", self.folder / "conf", "-p", self.folder],
            stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)
        self.ca = [f"cacert = {self.folder}/localhost.pem"]


def nginx(rig):
    with Registry(rig, "registry") as r, Nginx(rig, r.port) as n:
        rig.builder.prime("lib")
        ref = f"oci://localhost:{n.port}/team/jit"
        rig.builder.settings(*n.ca)
        check(rig.builder.export(ref, *rig.sign)["moved"] == 1, "a registry behind nginx")
        c = Machine(rig, "client", n.ca)
        check(
            c.pull(ref, *rig.trust)["added"] == 2 and c.entries() == rig.builder.entries(),
            "pulled from there")


def crane(rig):
    """go-containerregistry's registry, by another maker than docker-registry; crane itself reads
    what was pushed."""
    port = free_port()
    with subprocess.Popen(
        [other_tool("crane"), "registry", "serve", "--address", f"127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port, process)
            b, c = rig.builder, Machine(rig, "client")
            b.prime("lib")
            ref = f"127.0.0.1:{port}/team/jit"
            out = b.export(f"oci://{ref}", *rig.sign)
            check(out["moved"] == 1 and b.export(f"oci://{ref}", *rig.sign)["moved"] == 0,
                  "pushed, once")
            check(
                c.pull(f"oci://{ref}", *rig.trust)["added"] == 2 and c.entries() == b.entries(),
                "pulled")
            tag = out["packs"][0]["tag"]
            index = json.loads(
                subprocess.run(["crane", "manifest", f"{ref}:{tag}"], check=True,
                               capture_output=True).stdout)
            check(index["layers"][0]["digest"] == out["packs"][0]["digest"],
                  "crane reads the manifest")
            subprocess.run(["crane", "copy", f"{ref}:{tag}", f"127.0.0.1:{port}/copied/jit:{tag}"],
                           check=True, capture_output=True)
            check(
                Machine(rig, "second").pull(f"oci://127.0.0.1:{port}/copied/jit",
                                            *rig.trust)["added"] == 2,
                "what crane copied is pulled")
        finally:
            process.terminate()


def dies(rig):
    """In the middle of a layer, for good, and back again later."""
    r = Registry(rig, "registry")
    with r:
        f, c = Fronted(rig, r), Machine(rig, "client", JW_TEST_HURRY="20")

        def fault(h, body):
            if not is_layer(h):
                return False
            status, headers, answer = h.forward(body)
            r.process.kill()
            h.reply(status, headers, answer[: len(answer) // 2], len(answer))
            h.close_connection = True
            h.connection.shutdown(socket.SHUT_RDWR)
            f.server.fault = lambda h, _: (h.connection.shutdown(socket.SHUT_RDWR), True)[1]
            return True

        f.server.fault = fault
        done = c.pull(f.ref, *rig.trust, code=8)
        check(done.stderr.count("\n") == 1 and not c.entries(), "one sentence, exit 8")
        check(not list((c.home / "state").glob("jitwarm-work-*")),
              "half a layer is not left behind")
    r.process = subprocess.Popen(["docker-registry", "serve", rig.dir / "registry/conf.yml"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with r:
        wait_for_port(r.port, r.process)
        f.server.fault = None
        f.server.seen.clear()
        check(
            c.pull(f.ref, *rig.trust)["added"] == 2 and c.entries() == rig.builder.entries(),
            "when it is back, the rest is fetched")


def crowd(rig):
    """50 machines at once; and six pulls of one user on one machine."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)
        machines = [Machine(rig, f"m{i}") for i in range(50)]

        def start(m, cache):
            return subprocess.Popen(
                [rig.tool, "import", "-q", "--as-root", "--cache", cache, f.ref, *rig.trust],
                env=m.env, cwd=rig.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True)

        running = [start(m, m.cache) for m in machines]
        for p in running:
            check(p.wait(200) == 0, f"fifty at once: {p.stderr.read()}")
        check(all(m.entries() == rig.builder.entries() for m in machines), "all have all")
        one = Machine(rig, "one")
        running = [start(one, one.home / f"cache{i}") for i in range(6)]
        for p in running:
            check(p.wait(200) == 0, f"six of one user: {p.stderr.read()}")
        check(
            all(
                len([p
                     for p in (one.home / f"cache{i}").glob("?/?/*")]) == len(rig.builder.entries())
                for i in range(6)), "all have all")
        check(not list((one.home / "state").glob("jitwarm-work-*")), "and nothing is left behind")


if __name__ == "__main__":
    main(__doc__, tokens, renewed, helper, secrets, proxies, nginx, crane, dies, crowd)
