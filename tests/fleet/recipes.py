#!/usr/bin/env python3
"""recipes.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES CASE

The files of scripts/fleet do what they say, on simulated machines: with Slurm's own daemons, Ansible, and the schema of Kubernetes.
Exit 77: a program that the case needs is not here.
"""
import argparse
import getpass
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

from proof import Machine, Rig, check, other_tool
from registry import Registry
from slurm import Cluster

ROOT = pathlib.Path(__file__).resolve().parents[2] / "scripts/fleet"


def on_path(rig, machine):
    """jitwarm is what PATH finds."""
    folder = rig.dir / "bin"
    folder.mkdir(exist_ok=True)
    if not (folder / "jitwarm").exists():
        (folder / "jitwarm").symlink_to(rig.tool)
    machine.env.update(PATH=f"{folder}:{machine.env['PATH']}", CUDA_CACHE_PATH=str(machine.cache))
    return machine


def run(machine, *command, code=0, **more):
    done = subprocess.run([*map(str, command)], env={**machine.env, **more}, cwd=machine.rig.dir, text=True, capture_output=True, timeout=250, check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def trusting(rig, name):
    """A machine whose user trusts the builder's key."""
    m = on_path(rig, Machine(rig, name))
    keys = m.home / ".config/jitwarm/keys"
    keys.mkdir(parents=True)
    shutil.copy(rig.dir / "k.pub", keys)
    return m


def lab(rig):
    """Ten laptops, one of which has another GPU: the builder pushes, one command enrols a laptop, its login does the rest."""
    b = on_path(rig, rig.builder)
    run(b, "jitwarm", "prime", "--as-root", "-q", "lib")
    run(b, "jitwarm", "push", "./share", *rig.sign)
    for i in range(10):
        m = Machine(rig, f"laptop{i}", JITWARM_SYSROOT=str(rig.dir / "image"), XDG_RUNTIME_DIR=str(rig.dir))
        m.cache = m.home / ".nv/ComputeCache"
        (rig.dir / "image/run/systemd/system").mkdir(parents=True, exist_ok=True)
        if i == 9:
            m.env["SIMCUDA_GPUS"] = "sm_90:other:8G"
        m.settings(f"roots = {rig.dir / 'lib'}")
        m.run("startup", "install", "--as-root", "--source", rig.dir / "share", "--trust", rig.dir / "k.pub")
        unit = (m.home / ".config/systemd/user/jitwarm-startup.service").read_text()
        command = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.M)[1])
        answer = json.loads(run(m, *command, "--json").stdout)
        check((answer["counts"]["warmed"] > 0) == (i == 9) and answer["verify"]["verified"], f"laptop {i} is warm after its login: {answer['counts']}")
        check(i == 9 or m.entries() == b.entries(), "from the share")


def slurm(rig):
    """Four nodes on this host, of two kinds: the array primes one of each, and a job's tasks find all of it warm."""
    place = rig.dir / "slurm"
    place.mkdir()
    rig.dir.chmod(0o755)
    # Each node has a home, a cache and a GPU of its own.
    nodes = [trusting(rig, f"jwn{i}") for i in range(1, 5)]
    folder = rig.dir / "nodebin"
    folder.mkdir()
    (folder / "jitwarm").write_text(f"""#!/bin/sh
home={rig.dir}/$SLURMD_NODENAME
case $SLURMD_NODENAME in jwn[12]) gpu=sm_86:small:8G ;; *) gpu=sm_90:large:8G ;; esac
exec env HOME="$home" JITWARM_DRIVER={rig.sim} JITWARM_STATE="$home/state" JITWARM_STORE="$home/store" CUDA_CACHE_PATH="$home/cache" \\
    SIMCUDA_GPUS="$gpu" XDG_CONFIG_HOME="$home/.config" {rig.tool} "$@"
""")
    (folder / "jitwarm").chmod(0o755)
    prolog = place / "task-prolog"
    prolog.write_text((ROOT / "slurm/task-prolog").read_text().replace("#!/bin/sh\n", f"#!/bin/sh\nPATH={folder}:$PATH\n", 1))
    prolog.chmod(0o755)
    with Cluster(place, folder, prolog) as cluster:
        env = {**cluster.env, "CLAIMS": str(rig.dir / "claims"), "SBATCH_WAIT": "1", "REST": "4"}
        subprocess.run([ROOT / "slurm/prime-each-kind", f"{rig.dir}/share", rig.dir / "k.key", rig.dir / "lib"], env=env, cwd=rig.dir, check=True,
                       timeout=200, stdout=subprocess.DEVNULL)
        logs = [p.read_text() for p in sorted((rig.dir / "claims").glob("*.log"))]
        check(len(logs) == 4 and sum("Pushed 2 layers" in t for t in logs) == 2 and sum("another node does that" in t for t in logs) == 2,
              f"one node of each kind works: {logs}")
        check(len([n for n in nodes if n.entries()]) == 2, "and no other")
        env["JITWARM_REF"] = f"{rig.dir}/share"
        # Tasks of a user's job: software of the cluster lies where every node finds it.
        for n in nodes:
            (n.home / "lib").symlink_to(rig.dir / "lib")
        done = subprocess.run(["srun", "-N4", "--ntasks-per-node=1", "sh", "-c", "echo $SLURMD_NODENAME $CUDA_CACHE_MAXSIZE"], env=env, cwd=rig.dir, text=True,
                              capture_output=True, timeout=200, check=False)
        check(done.returncode == 0, f"the job runs: {done.stderr}")
        check(sorted(done.stdout.split("\n"))[1:] == [f"jwn{i} {1 << 30}" for i in range(1, 5)], f"the task has the cache's settings: {done.stdout}")
        env["JITWARM_REF"] = "oci://127.0.0.1:1/team/jit"
        done = subprocess.run(["srun", "-N4", "hostname"], env=env, text=True, capture_output=True, timeout=200, check=False)
        check(done.returncode == 0 and subprocess.run(["sinfo", "-h", "-o", "%t"], env=env, text=True, capture_output=True, check=True).stdout.split() != ["drain"],
              "a registry that is away drains no node")


def documents(name):
    try:
        import yaml
    except ImportError:
        print("SKIP: there is no PyYAML")
        sys.exit(77)
    return [d for d in yaml.safe_load_all((ROOT / name).read_text()) if d]


def kubernetes(rig):
    """Valid by the schema of Kubernetes, and the commands are ones that jitwarm takes."""
    tool = other_tool("kubernetes-validate")
    files = sorted((ROOT / "kubernetes").glob("*.yaml"))
    check(len(files) == 3, "three manifests")
    for path in files:
        done = subprocess.run([tool, "--strict", path], text=True, capture_output=True, check=False)
        check(done.returncode == 0, f"{path.name} is valid: {done.stdout}{done.stderr}")
        broken = rig.dir / path.name
        broken.write_text(path.read_text().replace("containers:", "containrs:"))
        check(subprocess.run([tool, "--strict", broken], capture_output=True, check=False).returncode != 0, "and the check can fail")
    pod = documents("kubernetes/server.yaml")[0]["spec"]["template"]["spec"]
    c, command = trusting(rig, "node"), pod["initContainers"][0]["command"]
    rig.builder.prime("lib")
    rig.builder.push("./layout", *rig.sign)
    here = [rig.dir / "k.pub" if w.startswith("/trust/") else "./layout" if w.startswith("oci:") else w for w in command]
    run(c, *here)
    check(c.entries() == rig.builder.entries(), "the init container fills the cache")
    run(c, *[w if w != "./layout" else "oci://127.0.0.1:1/team/jit" for w in here])
    job = documents("kubernetes/prime-job.yaml")[0]["spec"]["template"]["spec"]["containers"][0]
    lines = job["args"][0].replace("/keys/jitwarm.key", str(rig.dir / "k.key")).replace("oci://reg.example/team/jit", "./pushed").replace("/app", "lib")
    check("Pushed 2 layers" in run(c, *job["command"], lines).stdout, "the job pushes")
    loop = documents("kubernetes/node-cache.yaml")[0]["spec"]["template"]["spec"]["containers"][0]["args"][0]
    once = re.search(r"jitwarm pull [^|]*", loop).group(0).replace("/trust/jitwarm.pub", str(rig.dir / "k.pub")).replace("oci://reg.example/team/jit", "./layout")
    run(trusting(rig, "daemon"), *shlex.split(once))


def container(rig):
    b, script = rig.builder, ROOT / "container/entrypoint"
    b.prime("lib")
    b.push("./layout", *rig.sign)
    c = trusting(rig, "image")
    done = run(c, script, "sh", "-c", "echo started; exit 3", code=3, JITWARM_REF="./layout")
    check(done.stdout == "started\n" and c.entries() == b.entries(), f"pulled, then started: {done.stderr}")
    run(c, script, "sh", "-c", "exit 4", code=4, JITWARM_REF="oci://127.0.0.1:1/x")
    run(c, script, "true", JITWARM_TIME_LIMIT="5s")
    if os.geteuid() == 0 and shutil.which("setpriv"):  # root writes everywhere
        reader = Machine(rig, "reader")
        reader.env.update(PATH=c.env["PATH"], CUDA_CACHE_PATH=str(c.cache), TMPDIR=str(reader.home))
        for path in (rig.dir, c.home, c.cache, *c.cache.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o444)
        reader.home.chmod(0o777)
        done = run(reader, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", script, "sh", "-c", "echo $CUDA_CACHE_PATH; : >>$CUDA_CACHE_PATH/index")
        check("is read-only" in done.stderr and done.stdout.startswith(str(reader.home)), f"a read-only cache is copied: {done.stderr}")
    image = (ROOT / "container/Dockerfile").read_text()
    check(re.search(r"^RUN .*apt-get install .* /tmp/jitwarm\.deb ", image, re.M), "apt installs the libraries that the package needs")
    check(re.findall(r"^ENTRYPOINT (.*)$", image, re.M) == ['["/entrypoint"]'] and "gpus" not in image.split("FROM")[1], "built without a GPU")


def podman(rig):
    """An image of the recipe's files is built without a GPU and pushed; the packs lie beside it. It is not run."""
    tool, folder = other_tool("podman"), rig.dir / "context"
    other_tool("docker-registry")
    folder.mkdir()
    for name in ("jitwarm.deb", "jitwarm.pub", "app"):
        (folder / name).write_text(name)
    shutil.copy(ROOT / "container/entrypoint", folder)
    recipe = (ROOT / "container/Dockerfile").read_text()
    lines = [x for x in recipe.splitlines() if not x.startswith("RUN")]  # they need Debian's mirror
    (folder / "Dockerfile").write_text("\n".join(lines).replace("FROM debian:12-slim", "FROM scratch") + "\n")
    store = [tool, "--root", rig.dir / "root", "--runroot", rig.dir / "run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
             "--events-backend", "file"]
    with Registry(rig, "registry") as r:
        image = f"127.0.0.1:{r.port}/team/server"
        done = subprocess.run([*store, "build", "-q", "-t", f"{image}:1", folder], text=True, capture_output=True, check=False)
        if "ermitted" in done.stderr or "permission" in done.stderr:
            print(f"SKIP: podman may build nothing here: {done.stderr.strip().splitlines()[-1]}")
            sys.exit(77)
        check(done.returncode == 0, f"the image is built: {done.stderr}")
        for form, tag in (("oci", "1"), ("v2s2", "2")):
            subprocess.run([*store, "push", "-q", "--tls-verify=false", "--format", form, f"{image}:1", f"{image}:{tag}"], check=True, capture_output=True)
        seen = json.loads(subprocess.run([*store, "inspect", f"{image}:1"], check=True, capture_output=True).stdout)[0]["Config"]
        check(seen["Entrypoint"] == ["/entrypoint"] and "CUDA_CACHE_PATH=/var/cache/jitwarm/cuda" in seen["Env"], "with the entrypoint and the cache's place")
        b = rig.builder
        b.prime("lib")
        for tag in ("1", "2"):
            b.push(f"oci://{image}:jit-{tag}", *rig.sign)
            check(Machine(rig, f"c{tag}").pull(f"oci://{image}:jit-{tag}", "lib", *rig.trust)["changed"], "packs of an image")
        subprocess.run([*store, "rmi", "-f", f"{image}:1"], check=True, capture_output=True)
        subprocess.run([*store, "pull", "-q", "--tls-verify=false", f"{image}:1"], check=True, capture_output=True)


def podman_run(rig):
    """A container runs with the recipe's entrypoint: it takes the pack from a read-only volume, fills its cache, and becomes its command."""
    tool, root, cache = other_tool("podman"), rig.dir / "root", rig.dir / "cuda-cache"
    if os.geteuid() != 0 or not pathlib.Path("/lib").is_symlink():
        print("SKIP: a container with this system's /usr needs root, and a system whose programs are all below /usr")
        sys.exit(77)
    rig.builder.prime("lib")
    rig.builder.push("./layout", *rig.sign)
    for name in ("usr", "tmp", "proc", "sys", "dev", "cache", "packs", "driver", "jit", "etc/jitwarm/keys"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    shutil.copy(rig.dir / "k.pub", root / "etc/jitwarm/keys/jitwarm.pub")
    shutil.copy(ROOT / "container/entrypoint", root)
    cache.mkdir()
    volumes = {"/usr": "/usr:ro", rig.dir / "layout": "/packs:ro", rig.sim.parent: "/driver:ro", rig.tool.parent: "/jit:ro", cache: "/cache"}
    env = {"PATH": "/jit:/usr/bin", "JITWARM_DRIVER": f"/driver/{rig.sim.name}", "JITWARM_REF": "/packs", "CUDA_CACHE_PATH": "/cache/cuda",
           "JITWARM_STATE": "/cache/jitwarm", "HOME": "/tmp", "LC_ALL": "C.UTF-8"}
    nproc = min(n for n in (*resource.getrlimit(resource.RLIMIT_NPROC), 4096) if n > 0)
    why = "no runtime is here"
    for runtime in filter(shutil.which, ("crun", "runc")):
        done = subprocess.run([tool, "--root", rig.dir / "storage", "--runroot", rig.dir / "run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
                               "--events-backend", "file", "--runtime", runtime, "run", "--rm", "--network", "none", "--ulimit", "nofile=1024:1024",
                               "--ulimit", f"nproc={nproc}:{nproc}", *(x for k, v in volumes.items() for x in ("-v", f"{k}:{v}")),
                               *(x for k, v in env.items() for x in ("-e", f"{k}={v}")), "--entrypoint", "/entrypoint", "--rootfs", root,
                               "sh", "-c", "echo started as $$; exit 3"], text=True, capture_output=True, timeout=250, check=False)
        if done.returncode == 3:
            check(done.stdout == "started as 1\n", f"the command is the container's first process: {done.stdout}{done.stderr}")
            got = sorted(p.relative_to(cache / "cuda").as_posix() for p in cache.glob("cuda/?/?/*"))
            check(got == rig.builder.entries(), f"its cache is warm: {done.stderr}")
            return
        check("Error: " in done.stderr and done.returncode in (125, 126, 127), f"exit {done.returncode}: {done.stdout}{done.stderr}")
        why = done.stderr.strip().splitlines()[-1]
    print(f"SKIP: podman runs nothing here: {why}")
    sys.exit(77)


def schema(rig):
    """The workflow is one by GitHub's schema."""
    tool, flow = other_tool("check-jsonschema"), ROOT / "github/warm.yml"
    broken = rig.dir / "broken.yml"
    broken.write_text(flow.read_text().replace("runs-on:", "run-on:"))
    for path, ok in ((flow, True), (broken, False)):
        done = subprocess.run([tool, "--builtin-schema", "vendor.github-workflows", path], text=True, capture_output=True, check=False)
        check((done.returncode == 0) == ok, f"{path.name}: {done.stdout}{done.stderr}")


def github(rig):
    """The steps' own commands, one after the other."""
    flow = documents("github/warm.yml")[0]
    steps = flow["jobs"]["test"]["steps"]
    c = on_path(rig, Machine(rig, "runner"))
    shutil.copytree(rig.dir / "lib", rig.dir / ".venv")
    out = rig.dir / "output"
    run(c, "sh", "-e", "-c", steps[1]["run"], GITHUB_OUTPUT=str(out))
    key = out.read_text().strip()
    check(re.fullmatch(r"key=jitwarm2-[A-Za-z0-9._-]+", key), "the key of the cache")
    check(steps[2]["uses"].startswith("actions/cache@") and f"steps.{steps[1]['id']}.outputs.key" in steps[2]["with"]["key"], "is what the cache is stored under")
    # A job of a runner runs as its user; root's own cache needs a word more.
    prime = next(s["run"] for s in steps if "jitwarm prime" in s.get("run", "")).replace("jitwarm prime", "jitwarm prime --as-root")
    run(c, "sh", "-e", "-c", prime)
    check(len(c.entries()) == 2, "compiled")
    check("Nothing to do" in run(c, "sh", "-e", "-c", prime).stdout, "with the cache restored there is nothing to do")


def ansible(rig):
    """Two machines; the second run changes nothing, the run after a push does."""
    tool, b = other_tool("ansible-playbook"), rig.builder
    b.prime(rig.libs[0])
    b.push("./layout", *rig.sign)
    bin_dir = on_path(rig, b).env["PATH"].split(":")[0]
    hosts = []
    for i in range(2):
        m = trusting(rig, f"host{i}")
        env = {k: m.env[k] for k in ("HOME", "JITWARM_DRIVER", "JITWARM_STATE", "JITWARM_STORE", "CUDA_CACHE_PATH")}
        env["PATH"] = f"{bin_dir}:/usr/bin:/bin"
        hosts.append((m, {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3", "jitwarm_etc": str(m.home / "etc"),
                          "jitwarm_key_file": str(rig.dir / "k.pub"), "jitwarm_ref": str(rig.layout()), "jitwarm_startup": False,
                          "jitwarm_environment": env}))
    (rig.dir / "hosts.json").write_text(json.dumps({"all": {"hosts": {f"host{i}": v for i, (_, v) in enumerate(hosts)}}}))
    play = rig.dir / "site.yml"
    play.write_text((ROOT / "ansible/site.yml").read_text().replace("become: true", "become: false\n  gather_facts: false"))
    env = {**os.environ, "ANSIBLE_ROLES_PATH": str(ROOT / "ansible/roles"), "HOME": str(rig.dir), "ANSIBLE_LOCALHOST_WARNING": "0", "USER": getpass.getuser(),
           "PATH": f"{bin_dir}:{os.environ['PATH']}", "ANSIBLE_NOCOLOR": "1"}

    def changed():
        done = subprocess.run([tool, "-i", rig.dir / "hosts.json", play], env=env, cwd=rig.dir, text=True, capture_output=True, timeout=250, check=False)
        check(done.returncode == 0, f"the play runs: {done.stdout}{done.stderr}")
        return [int(n) for n in re.findall(r"changed=(\d+)", done.stdout)]

    check(changed() == [3, 3], "folder, key and packs")
    check(all(m.entries() == b.entries() for m, _ in hosts), "all caches are filled")
    check(changed() == [0, 0], "the second run changes nothing")
    b.prime("lib")
    b.push("./layout", *rig.sign)
    check(changed() == [1, 1], "after a push it is the packs alone")
    shutil.rmtree(rig.layout())
    check(changed() == [0, 0], "a place that is away is no failure")


def options(rig):
    """Every option that a recipe gives to jitwarm is one that the verb has."""
    seen = 0
    for path in ROOT.rglob("*"):
        if not path.is_file():
            continue
        lines = [x.split("#")[0] for x in path.read_text().replace("\\\n", " ").replace('",\n', '", ').splitlines()]
        for line in lines:
            line = re.sub(r'[\[\]",\']+', " ", line)
            for verb, rest in re.findall(r"\bjitwarm (prime|pull|push|run|export|verify|startup|key)\b([^|&;]*)", line):
                known = subprocess.run([rig.tool, "help", verb], text=True, capture_output=True, check=True).stdout
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest.split(" -- ")[0]):
                    seen += 1
                    check(re.search(rf"{option}\b", known), f"{path.name}: {verb} {option}")
    check(seen > 20, f"options were found: {seen}")
    for path in (*(ROOT / "slurm").iterdir(), ROOT / "container/entrypoint"):
        subprocess.run(["sh", "-n", path], check=True)
        check(os.access(path, os.X_OK), f"{path.name} can be run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "sim", "gen"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    cases = {f.__name__: f for f in (lab, slurm, kubernetes, container, podman, podman_run, github, schema, ansible, options)}
    parser.add_argument("case", choices=cases)
    opt = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:  # podman may still write
        cases[opt.case](Rig(opt, pathlib.Path(scratch).resolve()))


if __name__ == "__main__":
    main()
