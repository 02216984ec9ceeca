"""push and pull through docker-registry on this machine, for bench.py: against skopeo, which copies the same blobs, and against curl,
followed by tar --zstd or by jitwarm import of the same files. The driver is simulated; what is moved are entries of made PTX.
Yardsticks run in turn with the tool.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fleet"))
from registry import Registry  # noqa: E402

PROGRAMS = ("docker-registry", "skopeo", "curl", "tar", "zstd")
LAYERS, MODULES, LEAST, MAX = 8, 24, 980_000, 2_030_000


class Rig:
    def __init__(self, folder):
        self.dir = folder


def timed(command, env, cwd):
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    took, spent = time.perf_counter() - began, os.times()
    took = (took, spent.children_user + spent.children_system - before.children_user - before.children_system)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return took, done.stdout


def measure(build, folder, runs, row):
    """`row`: gets what was measured, lists of (seconds, processor seconds) of the tool and of its yardstick, and a budget of the ratio."""
    tool, modules = build.resolve() / "jitwarm", build.resolve() / "tests/gen/gen_modules"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SIMCUDA_", "CUDA_", "JITWARM", "XDG_"))}
    env |= {"HOME": str(folder), "JITWARM_STATE": f"{folder}/state", "JITWARM_STORE": f"{folder}/store", "SIMCUDA_COST": "0+0", "no_proxy": "*",
            "JITWARM_DRIVER": str(build.resolve() / "simcuda/libcuda.so.1"), "CUDA_CACHE_MAXSIZE": "4294967296", "SHELL": "/bin/false"}
    (folder / "libs").mkdir()
    for i in range(LAYERS):
        subprocess.run([modules, folder / f"libs/lib{i}.so", str(MODULES), str(LEAST), str(MAX), str(i)], check=True, stdout=subprocess.DEVNULL)
    timed([tool, "prime", "-q", "--yes", "--as-root", "--cache", folder / "cache", "libs"], env, folder)
    timed([tool, "key", "--no-passphrase", "--new", folder / "k.key"], env, folder)

    def push(ref, *paths):
        took, out = timed([tool, "push", "--json", "--sign", folder / "k.key", "--cache", folder / "cache", ref, *paths], env, folder)
        return took, json.loads(out)

    with Registry(Rig(folder), "registry") as r:
        base = f"127.0.0.1:{r.port}"
        _, first = push("./layout", "libs")
        tag, layers = first["kinds"][0]["tag"], first["kinds"][0]["layers"]
        entries = sum(p.stat().st_size for p in (folder / "cache").glob("?/?/*"))
        packs = [str(folder / "layout/blobs/sha256" / x["digest"].split(":")[1]) for x in layers]
        size = f"{entries / 1e6:.0f} MB in {len(layers)} layers of {first['bytes'] / 1e6:.1f} MB"
        given = [x for p in packs for x in ("--pack", p)]
        ours, theirs = [], []
        for i in range(runs):
            ours.append(timed([tool, "push", "-q", *given, f"oci://{base}/ours{i}/jit"], env, folder)[0])
            with Registry(Rig(folder), f"theirs{i}") as other:  # in one registry skopeo would have it mount what it sent the last time
                theirs.append(timed(["skopeo", "--insecure-policy", "copy", "-q", "--all", "--dest-tls-verify=false", f"oci:layout:{tag}",
                                     f"docker://127.0.0.1:{other.port}/theirs/jit:{tag}"], env, folder)[0])
        row(f"push of packs, {size}: skopeo copy oci: docker:", ours, theirs)
        ref, blobs = f"oci://{base}/ours0/jit", " ".join(f"http://{base}/v2/ours0/jit/blobs/{x['digest']}" for x in layers)
        pull = ["sh", "-c", 'rm -rf new state2; exec env JITWARM_STATE="$PWD/state2" "$@"', "sh", tool, "pull", "--json", "--as-root", "--trust", folder / "k.pub",
                "--everything", "--no-verify", "--cache", folder / "new", ref]
        get = f'rm -rf new got state2; mkdir got; n=0; for u in {blobs}; do n=$((n+1)); curl -sSf -o got/$n.tar.zst "$u" || exit 1; done'
        importing = ["sh", "-c", f'{get}; for p in got/*; do env JITWARM_STATE="$PWD/state2" "$0" import -q --as-root --trust k.pub --everything --no-verify '
                     '--cache "$PWD/new" "$p" || exit 1; done', tool]
        unpack = ["sh", "-c", f'rm -rf new; mkdir new; for u in {blobs}; do curl -sSf "$u" | tar --zstd -x -C new || exit 1; done']
        skopeo = ["sh", "-c", f'rm -rf out; skopeo --insecure-policy copy -q --all --src-tls-verify=false docker://{base}/ours0/jit:{tag} oci:out:x']
        taken = [[], [], [], []]
        for _ in range(runs):
            for i, command in enumerate((pull, importing, unpack, skopeo)):
                taken[i].append(timed(command, env, folder)[0])
        row("pull into an empty cache: curl, jitwarm import of each", taken[0], taken[1], 1.1)
        row("the same: curl | tar --zstd -x, nothing checked", taken[0], taken[2], 1.3)
        row("the same: skopeo copy docker: oci:, nothing unpacked", taken[0], taken[3])
        timed(pull, env, folder)
        again = [timed([*pull[4:]], env | {"JITWARM_STATE": f"{folder}/state2"}, folder) for _ in range(runs)]
        if any(json.loads(out)["bytes_fetched"] for _, out in again):
            sys.exit("something was fetched although nothing changed")
        row("pull when nothing changed: 0 bytes", [t for t, _ in again])
        for paths, what in (((), ""), (("libs",), ", by paths, which are scanned")):
            push(ref, *paths)
            again = [push(ref, *paths) for _ in range(runs)]
            if any(out["bytes_moved"] for _, out in again):
                sys.exit("something was moved although nothing changed")
            row(f"push when nothing changed: 0 bytes{what}", [t for t, _ in again])
        subprocess.run([modules, folder / "libs/lib3.so", str(MODULES), str(LEAST), str(MAX), "99"], check=True, stdout=subprocess.DEVNULL)
        timed([tool, "prime", "-q", "--yes", "--as-root", "--cache", folder / "cache", "libs"], env, folder)
        took, out = push(ref, "libs")
        row(f"push after one of {out['layers']} libraries changed: {out['layers_moved']} layer, {out['bytes_moved'] / 1e6:.2f} of {out['bytes'] / 1e6:.2f} MB",
            [took])
