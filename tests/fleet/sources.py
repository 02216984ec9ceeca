#!/usr/bin/env python3
"""sources.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

The `source =` lines of jitwarm.conf: prime takes from them what is for this kind of machine before
it compiles, and asks none where nothing is cold. Exit 77: a program that the case needs is not
here.
"""
import json
import os
import re
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from proof import Machine, check, main
from registry import Fronted, Registry, drip


def enrolled(rig, name, *sources, trust=True):
    m = Machine(rig, name)
    m.settings(*(f"source = {x}" for x in sources),
               *([f"trust = {rig.dir / 'k.pub'}"] if trust else []))
    return m


def primed(m, code=0):
    """What prime compiled, and its notes."""
    out = json.loads(
        m.run("prime", "--json", "--as-root", "--yes", "--cache", m.cache, m.rig.dir / "lib",
              code=code).stdout)
    return sum(j["state"] == "warmed" for j in out["jobs"]), "\n".join(note["text"]
                                                                       for note in out["notes"])


def pushed(rig, place="./share"):
    rig.builder.prime("lib")
    rig.builder.export(place, *rig.sign)
    return str((rig.dir / place).resolve()) if place.startswith(".") else place


def folder(rig):
    place = pushed(rig)
    c = enrolled(rig, "client", place)
    compiled, notes = primed(c)
    check(
        compiled == 0 and c.entries() == rig.builder.entries()
        and "2 entries were imported" in notes, f"taken, not compiled: {compiled} {notes}")
    shutil.move(place, place + "-away")
    compiled, notes = primed(c)
    check(compiled == 0 and place not in notes,
          "all is warm: no source is asked, not even one that is gone")
    compiled, notes = primed(enrolled(rig, "other", place + "-away", trust=False))
    check(compiled == 2 and "do not trust" in notes,
          f"a key that is not trusted: said, and compiled: {notes}")
    os.remove(c.cache / c.entries()[0])
    compiled, notes = primed(c)
    check(
        compiled == 1 and f"source {place} does not exist" in notes
        and not c.run("status", "--as-root", "--cache", c.cache, rig.dir / "lib").returncode,
        f"a share that is offline is no error: {notes}")


def registry(rig):
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)
        c = enrolled(rig, "client", f.ref)
        check(primed(c)[0] == 0 and c.entries() == rig.builder.entries(), "taken from a registry")
        f.server.seen.clear()
        check(primed(c)[0] == 0 and not f.server.seen, "nothing is cold: there is no request")
        e = enrolled(rig, "third", f.ref)
        e.env["JITWARM_LOGIN"] = "ada:s3cret-word"
        f.server.fault = lambda h, _: (h.reply(401, [("WWW-Authenticate", 'Basic realm="r"')], b""),
                                       True)[1]
        compiled, notes = primed(e)
        check(compiled == 2 and "needs a login" in notes,
              f"a source does not get JITWARM_LOGIN: {notes}")


def silent(rig):
    """Three that accept a connection and say nothing: five seconds in all."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        c = enrolled(rig, "client",
                     *(f"oci://127.0.0.1:{s.getsockname()[1]}/team/n{i}" for i in range(3)))
        with ThreadPoolExecutor() as pool:
            first = pool.submit(primed, c)
            connection = s.accept()  # while it waits for an answer, the cache is its own
            c.run("prime", "--as-root", "--cache", c.cache, "--background", rig.dir / "lib", code=7)
            compiled, notes = first.result()
        waited = [int(n) for n in re.findall(r"timed out after (\d+) milliseconds", notes)]
        check(
            connection and compiled == 2 and len(waited) == 3 == notes.count("127.0.0.1")
            and sum(waited) < 9000, f"compiled soon: {notes}")


def dripping(rig):
    """One that sends a layer byte by byte is left when compiling would have been done: for these
    two modules after five seconds, the least."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)
        f.server.fault = drip
        c = enrolled(rig, "client", f.ref)
        began = time.monotonic()
        compiled, notes = primed(c)
        check(compiled == 2 and f"source {f.ref}" in notes, notes)
        check(time.monotonic() - began < 20, f"{time.monotonic() - began:.1f} s: {notes}")


def hostile(rig):
    """What a source says decides nothing but what is tried: each is a note, and the modules are
    compiled."""
    with Registry(rig, "registry") as r:
        f = Fronted(rig, r)

        def with_answer(part, change):
            def fault(h, body):
                if h.command != "GET" or part not in h.path:
                    return False
                status, headers, answer = h.forward(body)
                h.reply(status, headers, change(answer))
                return True
            return fault

        for n, (part, change) in enumerate(
            (("/manifests/", lambda a: a[:-9]), ("/blobs/", lambda a: a + b"x"))):
            f.server.fault = with_answer(part, change)
            c = enrolled(rig, f"client{n}", f.ref)
            compiled, notes = primed(c)
            check(compiled == 2 and f"source {f.ref}" in notes,
                  f"{n}: said, and compiled: {compiled} {notes}")
        unsigned = rig.dir / "unsigned"
        rig.builder.export(unsigned)
        compiled, notes = primed(enrolled(rig, "unsigned-client", unsigned))
        check(compiled == 2 and "--allow-unsigned" not in notes,
              f"what nobody signed never comes from a source: {notes}")


def others_file(rig):
    """A line that others can write does not count."""
    c = enrolled(rig, "client", pushed(rig))
    (c.home / ".config/jitwarm/jitwarm.conf").chmod(0o666)
    compiled, notes = primed(c)
    check(compiled == 2 and "line ignored" in notes, notes)


def enrol(rig):
    """startup install --source --trust: a file of lines, and prime takes from there; remove deletes
    it."""
    place, c = pushed(rig), Machine(rig, "client")
    (rig.dir / "machine/run/systemd/system").mkdir(parents=True)
    c.run("startup", "install", "--as-root", "--source", place, *rig.trust)
    conf = c.home / ".config/jitwarm/startup.conf"
    check(conf.read_text().count(" = ") == 2, conf.read_text())
    for _ in range(100):  # who enrols is primed at once
        if len(c.entries()) == 2:
            break
        time.sleep(0.1)
    check(primed(c)[0] == 0 and len(c.entries()) == 2, "taken")
    c.run("startup", "remove", "--as-root")
    check(not conf.exists() and not (c.home / ".config/systemd").exists(), "nothing is left of it")


if __name__ == "__main__":
    main(__doc__, folder, registry, silent, dripping, hostile, others_file, enrol)
