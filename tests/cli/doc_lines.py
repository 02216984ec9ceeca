#!/usr/bin/env python3
"""doc_lines.py --tool JITWARM --sim FOLDER --gen FOLDER: every command line of README.md and docs is run, as a person would run it,
in a made home on the simulated driver; and what stands in backticks names verbs and options that there are. Recipes (a block of shell,
a unit, the scripts of scripts/fleet that prime for a job) are run whole by a person with a login: each jitwarm in them ends with 0.

A line that cannot be run here stands in CANNOT with its reason. A new line that is in a block of its own is run at once.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANGELOG = ROOT / "docs/CHANGELOG.md"  # about versions as they were

# What begins a line that a person types. "laptop$ ", "$ " and "# " are prompts.
COMMAND = re.compile(r"(?:(?P<who>\w*)\$ +)?(?P<line>(?:[A-Z_]+=\S+ )*(?:jitwarm |(?:jitwarm|scripts/[\w./-]+|build/\S+)(?= |$)|(?:sudo|cmake|sh|pip|uvx|apt-get|docker) ).*)")

CANNOT = {
    r"python serve\.py|serve\.tar\.zst": "its program is made up: the tests prime.profiles and pack.what-a-command-loads run such lines",
    r"^jitwarm prime --jobs 4 app$": "its program is the demonstration's: the test demo.simulated runs it",
    r"scripts/(bench|demo|fetch-corpus|build|dev fuzz|fuzz-corpus|gpu-lab)|build/fuzz|cmake": "works on the source tree, for minutes",
    r"scripts/with-driver|scripts/fetch-driver|--driver-files|NVIDIA-Linux|packs/jitwarm-580": "needs NVIDIA's driver: the tests real.* run it",
    r"scripts/fleet/": "needs a cluster: the tests fleet.recipes* run it",
    r"jitwarm startup": "asks the systemd of this machine: the tests startup.* run it",
    r"scan (\S+==|requirements\.txt|uv\.lock)": "fetches packages: the tests fetch.* and scenario.* run it",
}
# Scripts that would change this machine say what they would do.
DRY = r"scripts/(quickstart|test|release)\b"
# Lines whose exit code is not 0 alone: it says what was found.
EXIT = {r"scan --check": {1, 2}, r"jitwarm doctor": {0, 1}}


def lines(page):
    """(number, who, line) of each command in an indented or fenced block."""
    fenced = False
    for number, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("```"):
            fenced = not fenced
        elif fenced or text.startswith("    "):
            found = COMMAND.fullmatch(text.strip())
            if found:
                yield number, found["who"] or "", re.split(r"\s{3,}|\s+# ", found["line"])[0]


def recipes(page):
    """(number, variables, script) of each block that is copied whole: a fenced one, a script with its first line, a unit of systemd."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".yml":
        for found in re.finditer(r"^ *run: (jitwarm prime.*)$", text, re.M):
            yield text.count("\n", 0, found.start()) + 1, {"CUDA_CACHE_PATH": "job/cache"}, found[1]
        return
    if text.startswith("#!"):
        yield 1, {"CUDA_CACHE_PATH": "job/cache"}, GIVEN.get(page.name, "") + text
        return
    for found in re.finditer(r"^```(sh|ini)\n(.*?)^```|^    #!/bin/sh\n((?:    [^\n]*\n)+)", text, re.M | re.S):
        number = text.count("\n", 0, found.start()) + 1
        if found[1] == "ini":
            variables = dict(word.split("=", 1) for line in re.findall(r"^Environment=(.*)$", found[2], re.M) for word in line.split())
            for before in re.findall(r"^Exec\w+=-?(.*)$", found[2], re.M):
                yield number, variables, before
        else:
            yield number, {} if found[2] else {"CUDA_CACHE_PATH": "job/cache"}, found[2] or re.sub("^    ", "", found[3], flags=re.M)


# Files that are copied whole, too: the variables of a job are set for them.
FILES = ["scripts/fleet/slurm/task-prolog", "scripts/fleet/slurm/prime-each-kind", "scripts/fleet/github/warm.yml"]
# What a script's caller gives it.
GIVEN = {"task-prolog": "mkdir -p packs; (unset CUDA_CACHE_PATH; jitwarm prime -q .venv && jitwarm push ./packs --sign jitwarm.key >/dev/null); export JITWARM_REF=./packs\n",
         "prime-each-kind": "mkdir -p claims; export CLAIMS=claims SLURM_ARRAY_TASK_ID=1; set -- ./share jitwarm.key .venv\n"}


def pages():
    return [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page != CHANGELOG)]


class Machine:
    """A folder in which all that the pages name is there, for a user who is not root."""

    def __init__(self, opt, top):
        self.top, self.opt = top, opt
        for folder in ("opt/app", "opt/llama", "srv", "bin", "work", "root", "tmp"):
            (top / folder).mkdir(parents=True)
        shutil.copy2(opt.tool, top / "bin/jitwarm")
        shutil.copytree(opt.sim, top / "simcuda")
        for folder in (top / "opt/app", top / "opt/llama", top / "work"):
            for name in ("libggml-cuda.so", "libnccl.so.2", "x.so"):
                shutil.copy2(opt.gen / "elf/only-ptx.so", folder / name)
        serve = top / "opt/app/serve"
        serve.write_text("#!/bin/sh\n", encoding="utf-8")
        serve.chmod(0o755)
        wheel = next((opt.gen / "wheel").glob("*.whl"))
        (top / "work/.venv").mkdir()
        shutil.copy2(opt.gen / "elf/only-ptx.so", top / "work/.venv")
        (top / "bin/pytest").symlink_to("/bin/true")
        # The exit codes of a recipe, which may hide them.
        (top / "recipe").mkdir()
        (top / "recipe/jitwarm").write_text(f'#!/bin/sh\n{top}/bin/jitwarm "$@"\ncode=$?\necho "$code jitwarm $*" >>{top}/tmp/codes\nexit $code\n', encoding="utf-8")
        (top / "recipe/jitwarm").chmod(0o755)
        shutil.copy2(wheel, top / "work/tensorflow-2.3.1-cp38-cp38-manylinux2010_x86_64.whl")
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", "65534:65534", top], check=True)
            top.chmod(0o755)

    def home_of(self, who):
        """The home of a person: with a key, which all trust, and something primed in the homes that packs come from."""
        home = self.top / "home" / who
        if not home.exists():
            keys = home / ".config/jitwarm"
            self.bash(home, f"mkdir -p -m 700 {keys}/keys && cd {self.top}/work && if [ -e jitwarm.key ]; then cp jitwarm.key jitwarm.pub {keys}; "
                            f"else jitwarm key --no-passphrase --new {keys}/jitwarm.key && cp {keys}/jitwarm.* .; fi && cp jitwarm.pub {keys}/keys && "
                            f"printf 'roots = %s\\n' {self.top}/opt/app {self.top}/work >{keys}/jitwarm.conf"
                      ).check_returncode()
            if who in ("laptop", "builder", "ada"):
                self.bash(home, f"jitwarm prime -q {self.top}/opt/app {self.top}/work/libggml-cuda.so").check_returncode()
        return home

    def run(self, who, line):
        for path in ("/opt/app", "/opt/llama", "/srv/jit"):
            line = line.replace(path, f"{self.top}{path}")
        line = line.replace("202622:51:46", "202662:51:46")  # the stamp of the simulated driver
        if "jitwarm key --new" in line:  # as a user whose first line it is; without a terminal, and with what home_of made after it
            keys = "~/.config/jitwarm"
            line = f"mv ~/.config {self.top}/tmp/config && {line} --no-passphrase && cp {keys}/jitwarm.* . && mkdir -m 700 {keys}/keys && "
            line += f"cp jitwarm.pub {keys}/keys && mv {self.top}/tmp/config/jitwarm/jitwarm.conf {keys}"
        line = re.sub(r"\bKEY\b", f"{self.top}/work/jitwarm.key", line)
        line = re.sub(r"\bscripts/", f"{ROOT}/scripts/", line)
        if re.search(DRY, line):
            line += " --dry-run"
        return self.bash(self.home_of(who or "laptop"), line)

    def recipe(self, variables, script):
        """What is wrong with it: its end, and each jitwarm in it that does not end with 0."""
        for there, here in (("/usr/bin/jitwarm", "jitwarm"), ("/opt/server", f"{self.top}/opt/app"), ("/var/cache/server", f"{self.top}/srv")):
            script = script.replace(there, here)
            variables = {name: value.replace(there, here) for name, value in variables.items()}
        home, codes = self.home_of("ada"), self.top / "tmp/codes"
        codes.unlink(missing_ok=True)
        given = "".join(f'export {name}="{value if value[0] == "/" or "/" not in value else f"{self.top}/{value}"}"\n' for name, value in variables.items())
        cache = 'mkdir -p "${CUDA_CACHE_PATH:-.}"\n'
        done = self.bash(home, f"\nPATH={self.top}/recipe:$PATH\n{given}{cache}{script}")
        said = codes.read_text(encoding="utf-8").splitlines() if codes.exists() else ["no jitwarm was started"]
        return [f"exit {done.returncode}"] * (done.returncode != 0) + [line for line in said if not line.startswith("0 ")], done.stdout + done.stderr

    def bash(self, home, line):
        env = {"PATH": f"{self.top}/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", "JITWARM_SYSROOT": str(self.top / "root"),
               "JITWARM_DRIVER": f"{self.top}/simcuda/libcuda.so.1", "SIMCUDA_DIR": f"{self.top}/simcuda", "TMPDIR": f"{self.top}/tmp",
               "JITWARM_NEED": "skip", "SHELL": "/bin/sh"}
        script = f'umask 077 && mkdir -p "$HOME" && cd "{self.top}/work" && {line}'
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run(["bash", "-c", script], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **user)


def help_of(tool, verb, cache={}):
    if verb not in cache:
        done = subprocess.run([tool, "help", verb], capture_output=True, text=True, timeout=20)
        cache[verb] = done.stdout if done.returncode == 0 else None
    return cache[verb]


def check_inline(tool, page):
    """Verbs and options of `jitwarm VERB --option` in a sentence or a table."""
    text = re.sub(r"^(?: {4}.*\n|```[^`]*```)", "", page.read_text(encoding="utf-8"), flags=re.M)
    for found in re.finditer(r"`jitwarm ([a-z]\w*)([^`]*)`", text):
        verb, rest = found[1], found[2].split(" -- ")[0]
        said = help_of(tool, verb)
        if said is None:
            yield f"{page.relative_to(ROOT)}: `{found[0]}`: there is no verb {verb}"
            continue
        for option in re.findall(r"(?<=\s)--[a-z][\w-]*", rest):
            if option not in said and not re.match(r"--(help|json|verbose|quiet|color)\b", option):
                yield f"{page.relative_to(ROOT)}: `{found[0]}`: {verb} has no option {option}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    parser.add_argument("--sim", type=pathlib.Path, required=True)
    parser.add_argument("--gen", type=pathlib.Path, required=True)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    opt = parser.parse_args()
    bad, ran, left, used = [], 0, 0, set()
    for page in [page.resolve() for page in opt.pages] or [*pages(), *(ROOT / name for name in FILES)]:
        bad += check_inline(opt.tool, page)
        machine = None
        with tempfile.TemporaryDirectory(prefix="jitwarm-docs-", dir=os.environ.get("JW_TEST_MEMORY"), ignore_cleanup_errors=True) as name:
            for number, who, line in lines(page) if page.suffix == ".md" else ():
                reason = next((pattern for pattern in CANNOT if re.search(pattern, line)), None)
                if reason:
                    used.add(reason)
                    left += 1
                    continue
                machine = machine or Machine(opt, pathlib.Path(name))
                done = machine.run(who, line)
                want = next((codes for pattern, codes in EXIT.items() if re.search(pattern, line)), {0})
                ran += 1
                if opt.v:
                    print(f"{page.relative_to(ROOT)}:{number}: {line}\n{done.stdout[-600:]}{done.stderr[-600:]}-> {done.returncode}")
                if done.returncode not in want:
                    bad.append(f"{page.relative_to(ROOT)}:{number}: {line}\n  exit {done.returncode}: {(done.stderr + done.stdout)[-500:]}")
            for number, variables, script in recipes(page):
                machine = machine or Machine(opt, pathlib.Path(name))
                ran += 1
                wrong, said = machine.recipe(variables, script)
                if opt.v:
                    print(f"{page.relative_to(ROOT)}:{number}: recipe\n{script}\n{said[-600:]}-> {wrong}")
                bad += [f"{page.relative_to(ROOT)}:{number}: a recipe, as a person with a login: {what}\n  {said[-500:]}" for what in wrong]
    if not opt.pages:
        bad += [f"CANNOT: no line is like {pattern}" for pattern in set(CANNOT) - used]
    print("\n".join(bad) + f"\n{ran} lines run, {left} cannot be run here, {len(bad)} wrong")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
