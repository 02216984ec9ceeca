#!/usr/bin/env python3
"""conda.py --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES HOOK

HOOK (docs/examples/post-install) as the post-link script of a conda package with CUDA code, installed by rattler, the library of pixi: the installation
succeeds with a driver and without one, and afterwards the code is warm. Exit 77: neither this Python nor PyPI has py-rattler.
"""
import argparse
import asyncio
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

LINK = "bin/.framework-post-link.sh"


def check(ok, what, *more):
    if not ok:
        sys.exit(f"not so: {what} {' '.join(map(str, more))}")


def again_with_rattler():
    """This test, in an environment of its own that has py-rattler."""
    with tempfile.TemporaryDirectory() as scratch:
        python = pathlib.Path(scratch) / "bin/python"
        for command in ([sys.executable, "-m", "venv", scratch], [python, "-m", "pip", "install", "-q", "py-rattler"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"SKIP: no py-rattler: {done.stdout}{done.stderr}")
                sys.exit(77)
        if subprocess.run([python, "-c", "import rattler"], check=False).returncode:
            sys.exit(1)
        sys.exit(subprocess.run([python, "-B", *sys.argv], check=False).returncode)


def make_package(channel, library, hook):
    files = {LINK: (hook.read_bytes(), 0o755), "lib/framework.so": (library.read_bytes(), 0o644)}
    index = {"name": "framework", "version": "1.0", "build": "0", "build_number": 0, "depends": [], "subdir": "linux-64"}
    paths = {"paths_version": 1, "paths": [{"_path": name, "path_type": "hardlink", "sha256": hashlib.sha256(body).hexdigest(), "size_in_bytes": len(body)}
                                           for name, (body, _) in files.items()]}
    files["info/index.json"] = (json.dumps(index).encode(), 0o644)
    files["info/paths.json"] = (json.dumps(paths).encode(), 0o644)
    package = channel / "linux-64/framework-1.0-0.tar.bz2"
    package.parent.mkdir(parents=True)
    with tarfile.open(package, "w:bz2") as tar:
        for name, (body, mode) in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(body), mode
            tar.addfile(member, io.BytesIO(body))
    return package


async def install(rattler, package, prefix, cache):
    record = await rattler.RepoDataRecord.from_package_archive(package)
    await rattler.install([record], prefix, cache_dir=cache, platform=rattler.Subdir("linux-64"), execute_link_scripts=True, show_progress=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--tool", "--sim", "--gen", "hook"):
        parser.add_argument(name, type=lambda p: pathlib.Path(p).resolve())
    opt = parser.parse_args()
    try:
        import rattler
    except ImportError:
        again_with_rattler()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = pathlib.Path(scratch).resolve()
        subprocess.run([opt.gen, place / "gen"], check=True, stdout=subprocess.DEVNULL)
        (place / "bin").mkdir()
        (place / "bin/jitwarm").symlink_to(opt.tool)
        package = make_package(place / "channel", place / "gen/elf/registered.so", opt.hook)
        for name, driver in (("without", place / "none.so"), ("with", opt.sim)):
            home, prefix = place / name, place / f"{name}/prefix"
            (home / ".config/jitwarm").mkdir(parents=True)
            (home / ".config/jitwarm/jitwarm.conf").write_text(f"roots = {prefix}\n")
            for variable in [v for v in os.environ if v.startswith(("JITWARM", "CUDA_", "XDG_", "SUDO_"))]:
                del os.environ[variable]
            os.environ.update(HOME=str(home), JITWARM_DRIVER=str(driver), JITWARM_STATE=str(home / "state"), JITWARM_STORE=str(home / "store"),
                              CUDA_CACHE_PATH=str(home / "cache"), PATH=f"{place / 'bin'}:{os.environ['PATH']}", LC_ALL="C.UTF-8", container="test")
            asyncio.run(install(rattler, package, prefix, home / "packages"))
            check((prefix / "lib/framework.so").exists(), f"{name} a driver: it is installed")
            if name == "without":
                check(not (home / "cache").exists(), "nothing was started")
                continue
            for _ in range(600):
                status = subprocess.run(["jitwarm", "status"], capture_output=True, text=True, check=False).stdout
                if "a prime in the background ended" in status:
                    break
                time.sleep(0.1)
            check("a prime in the background ended" in status, "status says how it ended", status)
            done = subprocess.run(["jitwarm", "prime", "--dry-run", "--check", prefix], capture_output=True, text=True, check=False)
            check(done.returncode == 0, "and it is warm", done.stdout, done.stderr)


if __name__ == "__main__":
    main()
