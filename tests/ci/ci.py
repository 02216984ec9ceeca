#!/usr/bin/env python3
"""ci.py CASE --tool JITWARM --sim LIBCUDA --gen GEN_SAMPLES --app DEMO_APP

The steps of action.yml, run as a runner runs them: GITHUB_* files, expressions, and a folder in
place of the cache service, on the simulated driver; by a user who is not root, in a container, as a
service account or as a person with a login. Exit 77: there is no PyYAML.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
# The login shell of the user who runs a job; in a container nobody logs in.
USERS = {"container": "/bin/sh", "service": "/usr/sbin/nologin", "person": "/bin/bash"}


def check(ok, what, seen=""):
    if not ok:
        sys.exit(f"not so: {what}\n{seen}")


class Service:
    """What actions/cache does: folders under keys; the newest whose key begins as asked."""

    def __init__(self, folder):
        self.folder, self.keys = folder, []

    def restore(self, to, prefix):
        for key in reversed(self.keys):
            if key.startswith(prefix):
                shutil.copytree(self.folder / key, to, dirs_exist_ok=True)
                return key
        return ""

    def save(self, what, key):
        check(key not in self.keys, "a key is saved once")
        shutil.copytree(what, self.folder / key)
        self.keys.append(key)


class Runner:
    """One job on one fresh runner."""

    def __init__(self, rig, number, branch="main", event=None, user="container", **env):
        self.rig, self.home = rig, rig.dir / f"runner{number}"
        self.github = {
            "run_id": str(1000 + number), "run_attempt": "1", "ref_name": branch,
            "event.repository.default_branch": "main", "event_name": "push", "token": "t0ken",
            "action_repository": "o/jitwarm", **(event or {})
        }
        for name in ("", "temp", "work"):
            (self.home / name).mkdir()
        self.files = {name: self.home / name for name in ("env", "output", "path")}
        for file in self.files.values():
            file.touch()
        self.env = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("CUDA_", "JITWARM", "XDG_", "SIMCUDA_", "JW_", "GITHUB_",
                                 "RUNNER_"))
        }
        (self.home / "machine").mkdir()
        if user == "container":
            (self.home / "machine/.dockerenv").touch()
        else:
            self.env.pop("container", None)
        self.env.update(HOME=str(self.home), LC_ALL="C.UTF-8", JITWARM_SYSROOT=str(
            self.home / "machine"), SHELL=USERS[user], JITWARM_DRIVER=str(rig.sim),
                        LD_LIBRARY_PATH=str(rig.sim.parent), RUNNER_OS="Linux",
                        RUNNER_TEMP=str(self.home / "temp"), GITHUB_ACTION_PATH=str(ROOT),
                        GITHUB_SERVER_URL=f"file://{rig.dir}/server", GITHUB_ENV=str(
                            self.files["env"]), GITHUB_PATH=str(self.files["path"]), **env)
        self.steps, self.log, self.saved, self.summaries = {}, "", "", []

    def value(self, expression):
        def name(match):
            kind, rest = match[1], match[2]
            if kind == "steps":
                step, output = rest.split(".outputs.")
                return repr(self.steps.get(step, {}).get(output, ""))
            return repr({"inputs": self.inputs, "env": self.env,
                         "github": self.github}[kind].get(rest, ""))
        text = re.sub(r"\b(steps|inputs|env|github)\.([\w.-]+)", name, expression)
        got = eval(text.replace("&&", " and ").replace("||", " or "))  # pylint: disable=eval-used
        return {True: "true", False: "false"}.get(got, got) if isinstance(got, bool) else got

    def filled(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda m: self.value(m[1]), str(text))

    def read_files(self, step):
        outputs = dict(line.split("=", 1) for line in self.files["output"].read_text().splitlines())
        self.steps.setdefault(step, {}).update(outputs)
        self.env.update(line.split("=", 1) for line in self.files["env"].read_text().splitlines())
        for line in self.files["path"].read_text().splitlines():
            if line not in self.env["PATH"].split(":"):
                self.env["PATH"] = f"{line}:{self.env['PATH']}"
        for file in ("output", "env", "path"):
            self.files[file].write_text("")

    def action(self, code=0, **given):
        """The action, with these inputs; the exit code of the first step that fails."""
        action = self.rig.action
        self.inputs = {k: str(v.get("default", "")) for k, v in action["inputs"].items()}
        check(
            set(given) <= {k.replace("-", "_")
                           for k in self.inputs}, "the inputs are the action's", given)
        self.inputs.update({k.replace("_", "-"): v for k, v in given.items()})
        for step in action["runs"]["steps"]:
            if "if" in step and self.value(step["if"]) in ("", "false"):
                continue
            wanted = {k: self.filled(v) for k, v in step.get("with", {}).items()}
            if "uses" in step:
                path = pathlib.Path(wanted["path"].replace("~", str(self.home), 1))
                check(re.fullmatch(r"[\w/]+@[0-9a-f]{40}", step["uses"]),
                      "a tag can be moved, a commit cannot", step["uses"])
                if step["uses"].startswith("actions/cache/restore@"):
                    self.steps[step["id"]] = {
                        "cache-matched-key": self.rig.service.restore(path, wanted["restore-keys"])
                    }
                else:
                    check(step["uses"].startswith("actions/cache/save@"), "no other action",
                          step["uses"])
                    self.rig.service.save(path, wanted["key"])
                    self.saved = wanted["key"]
                continue
            # The page shows each step's summary by itself.
            self.summaries.append(self.home / f"summary{len(self.summaries)}")
            env = {
                **self.env, **{k: self.filled(v)
                               for k, v in step.get("env", {}).items()}, "GITHUB_OUTPUT": str(
                    self.files["output"]), "GITHUB_STEP_SUMMARY": str(self.summaries[-1])
            }
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c",
                                   self.filled(step["run"])], env=env, cwd=self.home / "work",
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=200, check=False)
            self.log += done.stdout
            if done.returncode != 0:
                check(done.returncode == code, f"exit code {code} of step {step['id']}",
                      done.stdout)
                return
            self.read_files(step["id"])
        check(code == 0, "a step fails", self.log)

    def job(self):
        """A program whose code nobody primed."""
        done = subprocess.run([self.rig.app], env=self.env, text=True, capture_output=True,
                              timeout=200, check=False)
        check(done.returncode == 0, "the job's program runs", done.stderr)

    def table(self):
        rows = {}
        for page in (file.read_text() for file in self.summaries if file.exists()):
            check(re.match(r"### jitwarm.*\n\n\| \| \|\n\|---\|---\|\n", page),
                  "each step's summary is a table", page)
            rows.update(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", page, re.M))
        return rows

    def whole(self, lib="lib", **given):
        self.action(path=str(self.rig.tool), prime=str(self.rig.dir / lib))
        self.job()
        self.action(step="save", **given)
        return self.table()


class Rig:
    def __init__(self, opt, folder):
        import yaml
        self.tool, self.sim, self.app, self.dir = opt.tool.resolve(), opt.sim.resolve(
        ), opt.app.resolve(), folder
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        (folder / "service").mkdir()
        self.service = Service(folder / "service")
        subprocess.run([opt.gen.resolve(), folder / "gen"], check=True, stdout=subprocess.DEVNULL)
        for lib, names in (("lib", ("registered.so", "only-ptx.so")), ("other", ("tegra.so",))):
            (folder / lib).mkdir()
            for name in names:
                shutil.copy(folder / "gen/elf" / name, folder / lib)


def twice(rig):
    """A runner of one's own is started by a person who can log in."""
    first = Runner(rig, 1, user="person")
    table = first.whole()
    check(table["restored"].startswith("0 entries") and table["primed"].startswith("2 entries"),
          "a new runner compiles", table)
    check(table["compiled by the job itself"] == "16 entries" and first.saved,
          "and what the job compiled is saved", table)
    second = Runner(rig, 2, user="person")
    table = second.whole()
    check(table["restored"].startswith("18 entries") and first.saved in table["restored"],
          "the second restores all of it", table)
    check(
        table["primed"].startswith("0 entries")
        and table["compiled by the job itself"] == "0 entries", "and compiles nothing", table)
    check(not second.saved and "not restored" in table["saved"],
          "and saves nothing, for nothing grew", table)


def branches(rig):
    Runner(rig, 1).whole()
    branch = Runner(rig, 2, branch="feature")
    table = branch.whole(lib="other")
    check(table["restored"].startswith("18 entries") and "1 entries" in table["primed"],
          "a branch has what main saved, and compiles more", table)
    check(not branch.saved and "does not save" in table["saved"], "and does not save it", table)
    check(
        Runner(rig, 3, branch="feature").whole(lib="other",
                                               save="always")["saved"].startswith("`sm_"),
        "unless it is told to")
    nightly = Runner(rig, 5,
                     event={"event_name": "schedule",
                            "event.repository.default_branch": ""}, SIMCUDA_GPUS="sm_80:third:8G")
    check(nightly.whole()["saved"].startswith("`sm_") and nightly.saved,
          "a schedule runs on the default branch, and its event does not name it", nightly.table())
    never = Runner(rig, 4, SIMCUDA_GPUS="sm_90:another:8G")
    check("does not save" in never.whole(save="never")["saved"] and not never.saved,
          "never is never", never.table())


def machines(rig):
    Runner(rig, 1).whole()
    other = Runner(rig, 2, SIMCUDA_GPUS="sm_90:another:8G")
    check(other.whole()["restored"].startswith("0 entries") and other.saved,
          "another GPU has another cache")
    none = Runner(rig, 3, SIMCUDA_GPUS="none")
    none.action(path=str(rig.tool), prime=str(rig.dir / "lib"))
    none.action(step="save")
    check("::warning" in none.log and "not used" in none.table() and not none.saved,
          "without a GPU the job goes on, with a warning", none.log)
    without = Runner(rig, 4)
    without.action(path=str(rig.dir / "lib"))
    check("::warning" in without.log and "there is no program" in without.table()["not used"],
          "without the program the job goes on, too", without.log)


def release(rig):
    """Without `path` the release's archive is taken, that of the action's own version. One that is
    not what its digest or its attestation says is not unpacked, and ends the job."""
    version = re.search(r"^project\(jitwarm VERSION ([\d.]+)",
                        (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    name = f"jitwarm-{version}-linux-{os.uname().machine}"
    files = rig.dir / f"server/o/jitwarm/releases/download/v{version}"
    files.mkdir(parents=True)
    gh, asked = rig.dir / "bin/gh", rig.dir / "asked"
    gh.parent.mkdir()
    path = f"{gh.parent}:{os.environ['PATH']}"

    def attested(code):
        gh.write_text(f'#!/bin/sh\necho "$GH_TOKEN $*" >>{asked}\nexit {code}\n')
        gh.chmod(0o755)

    def archive(program):
        with tarfile.open(files / f"{name}.tar.gz", "w:gz") as tar:
            # A shell finds its completions under the program's name, too.
            tar.add(ROOT / "action.yml", f"{name}/share/bash-completion/completions/jitwarm")
            tar.add(program, f"{name}/bin/jitwarm")

    def refused(number):
        changed = Runner(rig, number, PATH=path)
        changed.action(code=1, prime=str(rig.dir / "lib"))
        check("::error" in changed.log and "was not unpacked" in changed.log,
              "one that was changed is an error", changed.log)
        check(not list((changed.home / "temp").rglob("bin")), "and nothing of it is unpacked")
    attested(0)
    archive(rig.tool)
    whole = (files / f"{name}.tar.gz").read_bytes()
    (files / "SHA256SUMS").write_text(f"{hashlib.sha256(whole).hexdigest()}  {name}.tar.gz\n")
    runner = Runner(rig, 1, PATH=path)
    runner.action(prime=str(rig.dir / "lib"))
    table = runner.table()
    check(table["primed"].startswith("2 entries"), "the release primes", table)
    check(
        asked.read_text() == f"t0ken attestation verify {name}.tar.gz --repo o/jitwarm "
        "--signer-workflow o/jitwarm/.github/workflows/release.yml\n",
        "gh is asked whether the release's workflow made it", asked.read_text())
    attested(1)
    refused(2)
    attested(0)
    archive(rig.app)
    refused(3)
    (files / "SHA256SUMS").unlink()
    absent = Runner(rig, 4, PATH=path)
    absent.action(prime=str(rig.dir / "lib"))
    check("could not be downloaded" in absent.table()["not used"],
          "one that cannot be downloaded is not used, and the job goes on", absent.log)
    gh.unlink()
    if not shutil.which("gh"):
        unasked = Runner(rig, 5, PATH=path)
        unasked.action(prime=str(rig.dir / "lib"))
        check("gh, which checks" in unasked.table()["not used"], "without gh nothing is taken",
              unasked.log)


def shell(rig):
    """The three lines of docs/deploy.md, in two jobs that share a folder."""
    lines = re.search(r"```sh\n(.*?)```", (ROOT / "docs/deploy.md").read_text(), re.S)[1]
    (rig.dir / "bin").mkdir()
    (rig.dir / "bin/jitwarm").symlink_to(rig.tool)
    for number, user in enumerate(USERS):
        runner = Runner(rig, number, user=user, PATH=f"{rig.dir / 'bin'}:{os.environ['PATH']}")
        (rig.dir / "bin/pytest").symlink_to(rig.app)
        shutil.copytree(rig.dir / "lib", runner.home / "work/.venv")
        counts = []
        for _ in range(2):
            done = subprocess.run(["sh", "-e", "-c", lines], env=runner.env,
                                  cwd=runner.home / "work", text=True, capture_output=True,
                                  timeout=200, check=False)
            check(done.returncode == 0, f"the lines succeed: {user}", done.stdout + done.stderr)
            counts.append(len(list((runner.home / "work/.jit").glob("?/?/*"))))
        check(counts == [18, 18], f"the software's and the job's own entries, in both jobs: {user}",
              counts)
        check(
            "All 2 modules" in done.stdout
            and "A fresh process" not in " ".join(done.stdout.split()),
            f"the second job compiles nothing: {user}", done.stdout)
        # A runner without a GPU runs its tests, too.
        (rig.dir / "bin/pytest").unlink()
        (rig.dir / "bin/pytest").symlink_to(shutil.which("true"))
        done = subprocess.run(["sh", "-e", "-c", lines + "\necho all"],
                              env={**runner.env, "JITWARM_DRIVER": "/none"},
                              cwd=runner.home / "work", text=True, capture_output=True, timeout=200,
                              check=False)
        check(done.stdout.endswith("all\n"), f"without a GPU the tests run: {user}",
              done.stdout + done.stderr)
        (rig.dir / "bin/pytest").unlink()


def service(rig):
    """The unit of docs/deploy.md: a server whose watchdog stops it when it compiles starts after
    ExecStartPre."""
    whole = re.search(r"```ini\n(.*?)```", (ROOT / "docs/deploy.md").read_text(), re.S)[1]
    (rig.dir / "server").mkdir()
    shutil.copy(rig.app, rig.dir / "server/serve")
    serve = ["timeout", "5", str(rig.dir / "server/serve")]
    for number, user in enumerate(USERS):
        unit = whole
        for there, here in (("/usr/bin/jitwarm", rig.tool), ("/var/cache/server",
                                                             rig.dir / f"cache{number}"),
                            ("/opt/server", rig.dir / "server")):
            check(there in unit, f"the unit names {there}", unit)
            unit = unit.replace(there, str(here))
        (rig.dir / f"cache{number}").mkdir()
        runner = Runner(rig, number, user=user, SIMCUDA_COST="1000" if number == 0 else "10")
        home = runner.env["HOME"] if user == "person" else str(rig.dir / f"nowhere{number}")
        env = dict(runner.env, HOME=home)
        for line in re.findall(r"^Environment=(.*)$", unit, re.M):
            env.update(word.split("=", 1) for word in line.split())
        # As systemd replaces variables, in the words that it has split.
        before = [
            re.sub(r"\$\{(\w+)\}", lambda m, env=env: env[m[1]], word)
            for word in re.search(r"^ExecStartPre=-(.*)$", unit, re.M)[1].split()
        ]

        if number == 0:
            check(
                subprocess.run(serve, env={**env, "CUDA_CACHE_DISABLE": "1"},
                               check=False).returncode == 124,
                "the watchdog stops a server that compiles")
        done = subprocess.run(before, env=env, cwd="/", text=True, capture_output=True, timeout=200,
                              check=False)
        check(done.returncode == 0 and "All 16 modules" in " ".join(done.stdout.split()),
              f"ExecStartPre compiles: {user}", done.stdout + done.stderr)
        check(
            subprocess.run(serve, env=env, check=False).returncode == 0,
            f"then it starts in time: {user}")
        check(user == "person" or not pathlib.Path(home).exists(), "no home is made")


def may_run(python):
    try:
        return subprocess.run([python, "-c", ""], cwd="/", user=NOBODY, group=NOBODY,
                              extra_groups=[], check=False).returncode == 0
    except OSError:
        return False


def as_a_person(folder):
    """Root's jobs are another thing: the same case, by a user who is not root, whom a Python below
    /root is closed to."""
    python = next(filter(may_run, (sys.executable, "/usr/bin/python3")), None)
    if not python:
        print(f"SKIP: only root may run {sys.executable}")
        sys.exit(77)
    own = folder / "own"
    own.mkdir()
    folder.chmod(0o755)
    os.chown(own, NOBODY, NOBODY)
    done = subprocess.run([python, *sys.argv], env={**os.environ, "JW_TEST_MEMORY": str(own)},
                          user=NOBODY, group=NOBODY, extra_groups=[], check=False)
    sys.exit(done.returncode)


def main():
    cases = {f.__name__: f for f in (twice, branches, machines, release, shell, service)}
    p = argparse.ArgumentParser()
    p.add_argument("case", choices=cases)
    for name in ("tool", "sim", "gen", "app"):
        p.add_argument("--" + name, type=pathlib.Path, required=True)
    opt = p.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as folder:
        if os.geteuid() == 0:
            as_a_person(pathlib.Path(folder))
        try:
            cases[opt.case](Rig(opt, pathlib.Path(folder).resolve()))
        except ImportError:
            print("SKIP: there is no PyYAML")
            sys.exit(77)


main()
