#!/usr/bin/env python3
"""fetch.py TOOL CASE | list: how scan fetches packages. Wheels are made, and the index is a folder: of tests/fakes/pip, or of the real
pip where the case says so."""
import hashlib
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import wheels
from limit_question import on_terminal

MACHINE = platform.machine()
GPU = ["--gpu", "sm_86"]
CASES = {}


def case(f):
    CASES[f.__name__.replace("_", "-")] = f
    return f


class Rig:
    def __init__(self, tool, scratch):
        self.tool, self.scratch = tool, pathlib.Path(scratch)
        self.index, self.state, self.calls = (self.scratch / n for n in ("index", "state", "calls"))
        self.index.mkdir()
        self.env = {k: v for k, v in os.environ.items() if not re.match(r"CUDA_|NVIDIA_|JITWARM|XDG_|PYTHON|CONDA|VIRTUAL|PIP_|UV_|JW_PIP", k)}
        self.env.update(HOME=scratch, LC_ALL="C.UTF-8", JITWARM_STATE=str(self.state), TERM="dumb", JW_PIP_WHEELS=str(self.index),
                        JW_PIP_CALLS=str(self.calls), PATH=f"{HERE.parent / 'fakes'}:{os.environ['PATH']}")

    def wheels(self, *requirements):
        return [name for r in requirements for name in wheels.make(self.index, r)]

    def other(self, *names):
        """More files of the index: an empty wheel, a source, or the sign that a version was yanked."""
        for name in names:
            (self.index / name).write_bytes(b"")

    def scan(self, *args, code=0, **env):
        done = subprocess.run([self.tool, "scan", *args], cwd=self.scratch, env={**self.env, **env}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        self.out, self.err = (re.sub(r"\s+", " ", text) for text in (done.stdout, done.stderr))
        assert done.returncode == code, f"{args}: exit {done.returncode} instead of {code}\n{done.stdout}{done.stderr}"
        self.leaves_nothing()
        return done.stdout

    def leaves_nothing(self):
        left = [str(p) for p in self.state.rglob("*") if p.is_file() or p.name.startswith("wheels")]
        assert not left, f"left behind: {left}"

    def asked(self):
        """The packages for which the index was asked."""
        return [line.split(" -- ")[1] for line in self.calls.read_text().splitlines() if " -- " in line] if self.calls.exists() else []

    def fetches(self):
        return [line for line in self.calls.read_text().splitlines() if line.startswith("download")]


def has(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in: {text}"


@case
def asks_first(r):
    r.wheels("tensorflow==2.3.1")
    r.scan("tensorflow==2.3.1", *GPU, code=7)
    has(r.err, "scan would fetch tensorflow-2.3.1-cp38-cp38-manylinux2014_x86_64.whl (size unknown) with pip: confirm with --yes")
    assert not r.fetches() and not r.out


@case
def what_pip_is_told(r):
    r.wheels("tensorflow==2.3.1")
    r.scan("Tensorflow == 2.3.1", *GPU, "--yes")
    (line,) = r.fetches()
    has(line, "--no-deps --only-binary :all:", "--platform manylinux2014_x86_64 --python-version 3.8 --implementation cp --abi cp38",
        "-- tensorflow==2.3.1", "--no-input")


@case
def as_json(r):
    (wheel,) = r.wheels("pure==1.0")
    r.wheels("torch==2.8.0")
    answer = json.loads(r.scan("torch==2.8", "pure==1", "--json", "--yes", *GPU))
    assert [p["wheel"] for p in answer["packages"]] == ["torch-2.8.0-cp311-cp311-manylinux2014_x86_64.whl", wheel]
    assert [(f["package"]["name"], f["path"].split("!")[0]) for f in answer["files"]] == [
        ("pure", wheel), ("torch", "torch-2.8.0-cp311-cp311-manylinux2014_x86_64.whl")], answer["files"]
    answer = json.loads(r.scan("torch==2.9", "--json", "--yes", *GPU, code=8))
    assert answer["packages"][0]["wheel"] is None and "2.8.0" in answer["packages"][0]["not_scanned"] and "check" not in answer


@case
def no_such_version(r):
    r.wheels("torch==2.7.1", "torch==2.8.0")
    r.scan("torch==2.7.2", *GPU, "--yes", code=8)
    has(r.err, "torch==2.7.2: there is no wheel of this version. Versions with wheels: 2.7.1, 2.8.0")
    assert not r.out
    r.scan("torch==2.8", *GPU, "--yes", "--os", "windows", code=8)
    has(r.err, "it has no wheel for Windows (x86_64), only for manylinux2014_x86_64")
    r.scan("trch==2.8", *GPU, "--yes", code=8)
    has(r.err, "trch==2.8: the package index has no package of this name")


@case
def the_version_that_pip_takes(r):
    """For its Python, and none that was yanked, though the index has newer ones."""
    r.wheels("torch==2.8.0", "torch==2.7.1")
    r.other("torch-2.9.0-cp312-cp312-manylinux2014_x86_64.whl", "torch-2.11.0-cp312-cp312-manylinux2014_x86_64.whl")
    for asked, version in (">=2", "2.8.0"), ("~=2.7.0", "2.7.1"), ("!=2.8", "2.7.1"), ("<2.8", "2.7.1"):
        r.scan(f"torch{asked}", *GPU, code=7)
        has(r.err, f"scan would fetch torch-{version}-cp311-cp311-manylinux2014_x86_64.whl")
        assert "for Python" not in r.err and "pip would" not in r.err, r.err
    r.other("torch-2.8.0.yanked")
    r.scan("torch>=2", *GPU, code=7)
    has(r.err, "scan would fetch torch-2.7.1-cp311")
    r.scan("torch==2.8", *GPU, code=7)
    has(r.err, "scan would fetch torch-2.8.0-cp311")
    r.scan("torch>=2.8", *GPU, code=7)
    has(r.err, "torch==2.11.0 has no wheel for Python 3.11; scanning the one for Python 3.12")
    r.other("torch-2.9.0.tar.gz", "torch-2.12.0rc1-cp311-cp311-manylinux2014_x86_64.whl")
    r.scan("torch>=2", *GPU, code=7)
    has(r.err, "torch==2.9.0 has no wheel for Python 3.11; scanning the one for Python 3.12")
    r.other("torch-2.10.0.tar.gz")
    r.scan("torch>=2", *GPU, code=7)
    has(r.err, "pip would take torch==2.10.0, which has no wheel for Linux (x86_64); scanning 2.9.0")
    r.scan("torch>=2.7rc1", *GPU, code=7)
    has(r.err, "scan would fetch torch-2.12.0rc1-cp311")
    (r.scratch / "requirements.txt").write_text("torch\n--pre\n")
    r.scan("requirements.txt", *GPU, "--yes")
    has(r.fetches()[-1], "-- torch==2.12.0rc1")


@case
def an_old_pip(r):
    pip = r.scratch / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text("#!/bin/sh\necho 'pip 20.3.4 from /usr/lib/python3/pip (python 3.8)'\n")
    pip.chmod(0o755)
    r.scan("torch==2.8", *GPU, "--yes", code=8, PATH=str(pip.parent))
    has(r.err, "no pip 21.2 or newer, and no uv, is in PATH")


@case
def one_fails_and_the_others_are_scanned(r):
    r.wheels("tensorflow==2.10.0")
    r.scan("tensorflow==2.10.0", "torch==1.0", *GPU, "--yes", code=8)
    has(r.out, "native")
    has(r.err, "torch==1.0: ")
    r.scan("tensorflow==2.10.0", "torch==1.0", *GPU, "--yes", "--check", code=8)


@case
def offline(r):
    r.scan("torch==2.8", *GPU, "--yes", code=8,
           JW_PIP_FAILS="WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError': /simple/torch/")
    has(r.err, "torch==2.8: the package index cannot be reached",
        f"on another Linux ({MACHINE}) machine: pip download -d wheels --no-deps --only-binary :all: --python-version 3.11 torch==2.8 ",
        "then here, with that folder: jitwarm scan wheels")
    r.calls.unlink()
    (r.scratch / "base.txt").write_text("pure\n")
    (r.scratch / "requirements.txt").write_text("-r base.txt\ntorch\nnumpy<2\n")
    r.scan("requirements.txt", "xgboost==1", *GPU, "--yes", "--os", "windows", code=8,
           JW_PIP_FAILS="WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError': /simple/torch/")
    has(r.err, "requirements.txt:2 (torch) and 3 more: the package index cannot be reached",
        "on another machine: pip download -d wheels --no-deps --only-binary :all: --platform win_amd64 --python-version 3.11 -r requirements.txt "
        "xgboost==1", "then here, with that folder: jitwarm scan wheels")
    assert len(r.asked()) == 1, r.asked()  # it cannot be reached for the others either


@case
def no_pip(r):
    empty = r.scratch / "empty"
    empty.mkdir()
    r.scan("torch==2.8", *GPU, "--yes", code=8, PATH=str(empty))
    has(r.err, "torch==2.8: no pip 21.2 or newer, and no uv, is in PATH", "pip download -d wheels --no-deps --only-binary :all: torch==2.8 ",
        "jitwarm scan wheels")
    (r.scratch / "requirements.txt").write_text("--extra-index-url https://index.example\ntorch\nnumpy<2\n-e .\n")
    r.scan("requirements.txt", *GPU, code=8, PATH=str(empty))
    has(r.err, "requirements.txt:2 (torch) and 1 more: no pip", "requirements.txt:4 (-e .): a source tree",
        "pip download -d wheels --no-deps --only-binary :all: --extra-index-url=https://index.example torch 'numpy<2' ", "jitwarm scan wheels")


@case
def hostile_text_reaches_no_command(r):
    for text in ("torch @ file:///etc/passwd", "torch==2.8;x", "torch==2.8 --index-url=http://e", "torch==$(id)", "torch===2", "torch=="):
        r.scan(text, *GPU, "--yes", code=2)
        has(r.err, "is not a package and its version")
    for text in ("./torch==2", "--", "/x==1"):
        r.scan(*(["--yes", *GPU, "--", "-torch==2"] if text == "--" else [text, *GPU, "--yes"]), code=2)
        has(r.err, "no such file")
    assert not r.calls.exists(), r.calls.read_text()
    (r.scratch / "a==1").write_bytes(b"")  # a file of that name is a file
    r.scan("a==1", *GPU)
    assert not r.calls.exists()


@case
def interrupted(r):
    r.wheels("tensorflow==2.3.1")
    begun = r.scratch / "begun"
    for how, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        begun.unlink(missing_ok=True)
        p = subprocess.Popen([r.tool, "scan", "tensorflow==2.3.1", *GPU, "--yes"], cwd=r.scratch, env={**r.env, "JW_PIP_SLOW": str(begun)},
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not begun.exists():
            assert p.poll() is None
            time.sleep(0.01)
        assert list(r.state.glob("wheels-*/tmp/part")), list(r.state.rglob("*"))
        p.send_signal(how)
        assert p.wait(60) == code
        if how == signal.SIGINT:
            r.leaves_nothing()
    r.scan("tensorflow==2.3.1", *GPU, "--yes")  # which removes what the killed one left


@case
def requirements(r):
    r.wheels("torch==2.6.0", "torch==2.8.0", "pure==1.0")
    (r.scratch / "base.txt").write_text("pure\n")
    (r.scratch / "requirements.txt").write_text("# all\n-r base.txt\ntorch>=2.0,<2.8 ; python_version > '3'\n-e ./mine\n")
    r.scan("requirements.txt", *GPU, "--yes", code=8)
    has(r.out, "torch-2.6.0-cp311-cp311-manylinux2014_x86_64.whl!torch/kernels0.fatbin", "native")
    has(r.err, "requirements.txt:4 (-e ./mine): a source tree")
    assert len(r.fetches()) == 2, r.fetches()
    (r.scratch / "twice.txt").write_text("tensorflow==2.3.1\ntensorflow>=2.3\n")  # as a lock file has a package and its extras
    r.wheels("tensorflow==2.3.1")
    r.scan("twice.txt", *GPU, "--yes")
    assert r.err.count("for Python 3.8") == 1 and len(r.fetches()) == 3, (r.err, r.fetches())
    (r.scratch / "base.txt").write_text("torch==2.8.0\nBuy milk\n")
    r.scan("requirements.txt", *GPU, "--yes", code=6)
    has(r.err, "base.txt:2: ")


@case
def notes_are_no_requirements(r):
    """No word of a file that has a line of something else leaves the machine, with --yes neither."""
    r.wheels("pure==1.0")
    for text in ("pure\nThe password is hello\n", "- pure\n- torch\n", "See https://example.org/pure for pure\n", "pure\n...and so on\n",
                 "", "# a comment\n", "pure\n" * 3 + "x" * (17 << 20) + " y\n"):
        (r.scratch / "notes.txt").write_text(text)
        r.scan("notes.txt", *GPU, "--yes")
        has(r.out, "no format that can hold CUDA code" if text else "empty")
        assert ("not read as a requirements file" in r.err) == bool(text.strip("# a comment\n")), r.err
        assert not r.calls.exists(), r.calls.read_text()


@case
def names_of_a_file_leave_after_a_yes(r):
    r.wheels("torch==2.8.0", "pure==1.0")
    (r.scratch / "base.txt").write_text("pure\n")
    (r.scratch / "requirements.txt").write_text("--extra-index-url https://index.example\n-r base.txt\ntorch==2.8\n-e ./mine\n")
    r.scan("requirements.txt", *GPU, code=7)
    has(r.err, "scan would ask the package index (--extra-index-url=https://index.example) with pip for torch==2.8, pure: confirm with --yes")
    assert not r.out and not r.asked(), r.asked()
    for answers, asked in (["n"], []), (["y", "n"], ["torch", "pure"]):
        said, code = on_terminal([str(r.tool), "scan", "requirements.txt", *GPU], r.env, r.scratch, answers)
        has(re.sub(r"\s+", " ", said), "ask the package index (--extra-index-url=https://index.example) with pip for torch==2.8, pure? [Y/n]")
        assert code == 7 and r.asked() == asked and len(answers) == said.count("[Y/n]"), (code, said, r.asked())
        r.leaves_nothing()
    r.calls.unlink()
    (r.scratch / "words.txt").write_text("".join(f"word{i}\n" for i in range(40)))
    r.scan("words.txt", *GPU, code=7)
    has(r.err, "word0, word1, ", " and 32 more: confirm with --yes")
    assert not r.asked(), r.asked()


def lock(r, *names):
    """As uv writes it."""
    text = 'version = 1\n\n[[package]]\nname = "app"\nversion = "0"\nsource = { virtual = "." }\n'
    for name in names:
        package, version = name.split("-")[:2]
        digest = hashlib.sha256((r.index / name).read_bytes()).hexdigest()
        text += (f'\n[[package]]\nname = "{package}"\nversion = "{version}"\nsource = {{ registry = "https://pypi.example/simple" }}\nwheels = [\n'
                 f'    {{ url = "https://files.invalid/{name}", hash = "sha256:{digest}", size = {(r.index / name).stat().st_size} }},\n]\n')
    (r.scratch / "uv.lock").write_text(text)


@case
def lock_file(r):
    names = r.wheels("torch==2.8.0", "tensorflow==2.11.0")
    lock(r, names[1], names[-1])
    r.scan("uv.lock", *GPU, code=7)
    has(r.err, "scan would fetch torch-2.8.0-cp311-cp311-manylinux2014_x86_64.whl (", "KiB) with pip")
    r.scan("uv.lock", *GPU, "--yes", "-v", "--check")  # tensorflow is for Windows only, which the lock file says
    has(r.out, "tensorflow==2.11.0: it has no wheel for Linux (x86_64), only for win_amd64")
    has(r.fetches()[0], f"-- https://files.invalid/{names[1]}#sha256=")


@case
def pdm_lock(r):
    names = r.wheels("torch==2.8.0")
    files = "".join(f'    {{file = "{n}", hash = "sha256:{hashlib.sha256((r.index / n).read_bytes()).hexdigest()}"}},\n' for n in names)
    (r.scratch / "pdm.lock").write_text(f'[[package]]\nname = "torch"\nversion = "2.8.0"\nsummary = "x"\nfiles = [\n{files}]\n')
    r.scan("pdm.lock", *GPU, "--yes", "--check")
    has(r.out, "torch-2.8.0-cp311-cp311-manylinux2014_x86_64.whl!torch/kernels0.fatbin", "native")


@case
def files_that_are_not_read(r):
    """A sentence says what to do, and no exit code says that all is well."""
    for name, says in (("Pipfile.lock", "pipenv requirements > locked.txt"), ("environment.yml", "names packages of conda"), ("conda-lock.yml", "conda-lock install -p ./env"),
                       ("pixi.lock", "jitwarm scan .pixi")):
        (r.scratch / name).write_text("x\n")
        for check in [], ["--check"]:
            r.scan(name, *GPU, *check, code=8)
            has(r.err, f"{name}: it ", "not read; ", says)
            assert not r.out and not r.calls.exists()
        answer = json.loads(r.scan(name, "--json", *GPU, code=8))
        assert answer["packages"][0]["package"] == name and says in answer["packages"][0]["not_scanned"] and "check" not in answer


@case
def names_without_a_version(r):
    r.scan("jax-cuda12-plugin", *GPU, code=2)
    has(r.err, "jax-cuda12-plugin: no such file; a package is named with its version: NAME==VERSION")
    r.scan("ctranslate2=4.4.0", *GPU, code=2)
    has(r.err, '"ctranslate2=4.4.0" is not a package and its version: write NAME==VERSION')
    r.scan("libx.so", *GPU, code=2)
    assert "NAME" not in r.err, r.err


@case
def another_index(r):
    r.wheels("torch==2.8.0")
    r.scan("torch==2.8.0+cu118", *GPU, "--yes", code=8)
    has(r.err, "Versions with wheels: 2.8.0. A version with +cu118 may be on another index: name that in PIP_EXTRA_INDEX_URL",
        "https://download.pytorch.org/whl/cu118")


@case
def nothing_executed(r):
    """By the real pip, from a folder: its code would end with an error."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode:
        print("skipped: this Python has no pip")
        sys.exit(77)
    pip = r.scratch / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
    pip.chmod(0o755)
    r.env.update(PATH=f"{pip.parent}:{os.environ['PATH']}", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(r.index), PIP_CONFIG_FILE=os.devnull)
    r.wheels("tensorflow==2.3.1", "pure==1.0", "torch==2.8.0")
    r.scan("tensorflow==2.3.1", "pure==1", *GPU, "--yes", "--os", "windows")
    has(r.out, "tensorflow-2.3.1-cp38-cp38-win_amd64.whl!tensorflow/kernels0.fatbin", "jit", "pure-1.0-py3-none-any.whl")
    r.scan("torch>=2", *GPU, "--yes")
    has(r.out, "torch-2.8.0-cp3", "native")
    r.scan("torch==9", *GPU, "--yes", code=8)
    has(r.err, "Versions with wheels: 2.8.0")
    r.scan("absent==9", *GPU, "--yes", code=8)
    has(r.err, "absent==9: the package index has no package of this name")


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory(prefix="jitwarm-fetch-", dir=os.environ.get("JW_TEST_MEMORY")) as scratch:
        CASES[sys.argv[2]](Rig(sys.argv[1], scratch))


if __name__ == "__main__":
    main()
