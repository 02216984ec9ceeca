#!/usr/bin/env python3
"""agree.py --tool TOOL --sim FOLDER --gen FOLDER state|each|show NAME | list

Every verb says the same of one machine, and what they say to do is done. Each state is a made machine (machines.py) on which something
was primed, and then one thing was changed. `status`, `prime --check`, `verify`, `doctor`, `report` and plain `jitwarm` are asked: none
says that the next start compiles nothing where another says that it compiles, exit codes are those of docs/exit-codes.md, and each line
"To do" is a command that runs. Then the lines are followed as a person would follow them, those of status ("state") or of each verb ("each"): within five steps the machine is warm and
nobody asks for anything, or the state's own words say what only a person can do, and no line that compiles stands there twice.
"""
import argparse
import json
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from disk import folder_on_disk  # noqa: E402
from machines import SCRUBBED, Machine  # noqa: E402

NOBODY = next((one.pw_uid for one in pwd.getpwall() if one.pw_name == "_apt"), 65534)  # not that of the machines: doctor sees what it runs
STEPS = 5
ASKED = {  # what is asked: its words and its JSON, of which `is` is the answer
    "status": ("status", "status --json"),
    "check": ("prime --check", "prime --check --json"),
    "verify": ("verify", "verify --json"),
    "doctor": ("doctor", "doctor --json"),
    "plain": ("", None),
}


class Skip(Exception):
    """This cannot be made here."""


class State(Machine):
    mounted = []  # of all machines of this run
    made = set()  # new folders that lines "To do" made below /var/tmp, of the same

    def __init__(self, o, folder):
        super().__init__(o, folder)
        self.app = self.environment("app")[1] / "app"
        self.out = folder / "out"
        self.nv = self.home / ".nv/ComputeCache"
        self.set = {}  # what the person's shell sets
        self.others = None  # a folder of another user
        self.env = {k: v for k, v in os.environ.items() if not SCRUBBED.match(k)}
        self.env.update(HOME=str(self.home), LOGNAME="ada", JITWARM_SYSROOT=str(self.root), SHELL="/bin/sh", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="100",
                        PATH=f"{self.bin}:{self.env['PATH']}", SIMCUDA_DIR=o.sim, OUT=str(self.out), TMPDIR=str(folder))

    @staticmethod
    def clear(folder):
        """What all machines of this run have left."""
        for path in State.mounted:
            subprocess.run(["umount", path], check=False)
        for path in State.made:
            shutil.rmtree(path, ignore_errors=True)
        State.mounted.clear()
        State.made.clear()
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)

    def own_but_rights(self):
        """What was made after the last prime is the person's, too."""
        self.own()

    def own(self):
        if os.getuid() == 0:
            for path in (self.folder, *self.folder.rglob("*")):
                if path.lstat().st_uid != NOBODY and not (self.others and path.is_relative_to(self.others)):  # else it would be a change
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def run(self, shell, env=None):
        """As the person. What the shell sets is kept."""
        def nobody():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        env = dict(self.env, **self.set) if env is None else env
        env = {k: v for k, v in env.items() if v is not None}
        done = subprocess.run(["bash", "-c", f"{shell}\nrc=$?; env -0 >\"$OUT/env\"; exit $rc"], cwd=str(self.folder), env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=200, preexec_fn=nobody if os.getuid() == 0 else None, check=False)
        kept = dict(one.split("=", 1) for one in (self.out / "env").read_bytes().decode().split("\0") if "=" in one)
        State.made |= {v for v in kept.values() if re.fullmatch(r"/var/tmp/(cuda-cache|jitwarm-state|home)\.\w{8}", v)}
        for name in set(env) - set(kept):
            self.set[name] = None
        self.set.update({k: v for k, v in kept.items() if env.get(k) != v and k not in ("_", "SHLVL", "PWD", "OLDPWD")})
        return done

    def prime(self, more=""):
        self.own()
        done = self.run(f"jitwarm prime {more}")
        if done.returncode:
            raise SystemExit(f"the prime of the state: {done.returncode}\n{done.stdout}{done.stderr}")

    def module(self, path):
        """A PTX file, whose code no other path has."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {path.parent.name}_{path.stem}()\n{{\n ret;\n}}\n")
        return path

    def compiler(self):
        """Of the driver that is played in this machine (with-simcuda)."""
        path, = self.folder.glob("simcuda-*/d*/lib/libnvidia-ptxjitcompiler.so.1")
        return path

    def entries(self):
        return [p for p in self.nv.glob("?/?/*") if p.is_file()]

    def ask(self, verb):
        words, as_json = ASKED[verb]
        done = self.run_and_put_back(f"jitwarm {words}")
        answer = {"text": done.stdout + done.stderr, "code": done.returncode, "todo": re.findall(r"^ *To do  +(.*)$", done.stdout + done.stderr, re.M)}
        if as_json:
            text = self.run_and_put_back(f"jitwarm {as_json}").stdout
            try:
                answer["json"] = json.loads(text)
            except ValueError:
                answer["json"] = {}
        return answer

    def stored(self):
        """All that lies in drivers' caches of this machine, as far as this process may read it."""
        found = {}
        for path in self.root.rglob("ComputeCache/**/*"):
            try:
                found[path] = path.read_bytes() if path.is_file() else None
            except OSError:
                found[path] = None
        return found

    def run_and_put_back(self, command):
        """verify remembers what it found: what is asked next is the same machine. No verb that asks changes a driver's cache."""
        stored, state, kept = self.stored(), self.home / ".local/state", self.folder.parent / "kept"
        known = state.is_dir() and os.access(state, os.R_OK)
        if known:
            shutil.copytree(state, kept, symlinks=True)
        done = self.run(command)
        if self.stored() != stored:
            raise SystemExit(f"{command} changed the driver's cache: {done.stdout}{done.stderr}")
        if known:
            shutil.rmtree(state)
            shutil.move(kept, state)
            self.own()
        return done

    def answers(self):
        return {verb: self.ask(verb) for verb in ASKED}


# ---- the states: each changes a machine, and returns what must be among the answers' words where only a person can mend it ----

def never_primed(m):
    m.own()


def nothing_here(m):
    """No CUDA software: nobody knows what starts compile, and a prime after an install does not fail."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime()
    shutil.rmtree(m.home / ".local")


def warm(m):
    m.prime()


def entry_damaged(m):
    m.prime()
    entry = m.entries()[0]
    data = bytearray(entry.read_bytes())
    data[len(data) // 2:len(data) // 2 + 64] = bytes(64)
    entry.write_bytes(data)


def entry_deleted(m):
    m.prime()
    m.entries()[0].unlink()


def index_deleted(m):
    m.prime()
    (m.nv / "index").unlink()


def index_changed(m, at, data):
    m.module(m.app / "k.ptx")
    m.prime()
    index = bytearray((m.nv / "index").read_bytes())
    index[at:at + len(data)] = data
    (m.nv / "index").write_bytes(index)


def index_record_damaged(m):
    index_changed(m, 24, b"XXXXXXXX")


def index_counts_more(m):
    index_changed(m, 4, b"X")


def index_of_another_format(m):
    index_changed(m, 0, b"X")


def index_damaged_and_one_deleted(m):
    index_changed(m, 24, b"XXXXXXXX")
    m.entries()[0].unlink()


def cache_deleted(m):
    m.prime()
    shutil.rmtree(m.nv)


def folder_deleted(m):
    m.prime()
    shutil.rmtree(m.app, ignore_errors=True)


def folder_deleted_and_primed(m):
    """It was the last software in a folder that is still there."""
    folder_deleted(m)
    m.prime()


def forgotten(m):
    """What it had in the cache stays there, and nobody knows of what it is."""
    folder_deleted_and_primed(m)
    m.run("jitwarm prune --gone --yes")
    m.prime()


def folder_deleted_and_primed_and_cache_deleted(m):
    folder_deleted_and_primed(m)
    shutil.rmtree(m.nv)


def package_uninstalled_and_primed_and_its_entry_deleted(m):
    """What is left is warm."""
    package_uninstalled(m)
    m.prime()
    min(m.entries(), key=lambda e: e.stat().st_size).unlink()


def package_uninstalled(m):
    """Another one is in the same folder, and warm."""
    solver = m.module(m.app.parent / "solver/k.ptx").parent
    m.prime()
    shutil.rmtree(solver)


def editable_install_came(m):
    """A .pth file names a folder that no search would find."""
    m.prime()
    m.module(m.home / "work/src/edit/edit/k.ptx")
    (m.app.parent / "__editable__.edit-0.1.pth").write_text(f"{m.home}/work/src/edit\n")


def editable_install_grew(m):
    editable_install_came(m)
    m.own()
    m.prime()
    m.module(m.home / "work/src/edit/edit/another.ptx")


def editable_install_changed_during_the_prime(m):
    """What it had named when the search read it is what was primed. Its file keeps its inode and its folder its names."""
    m.module(m.home / "work/src/edit/edit/k.ptx")
    m.module(m.home / "work/src/more/more/k.ptx")
    pth = m.app.parent / "__editable__.edit-0.1.pth"
    pth.write_text(f"{m.home}/work/src/edit\n")
    m.own()
    done = m.run(f"SIMCUDA_COST=0+1500 jitwarm prime --yes --jobs 1 --progress json >steps 2>&1 & until grep -q '\"done\":[1-9]' steps; do sleep 0.1; done; "
                 f"sed 's/edit$/more/' {pth} >new; cat new >{pth}; wait $!")
    if done.returncode or "more" not in pth.read_text():
        raise SystemExit(f"{done.stdout}{done.stderr}{(m.folder / 'steps').read_text()}")


def environment_deleted(m):
    """It was found, not named; other folders that are searched are still there."""
    m.prime()
    shutil.rmtree(m.home / "venv")


def named_folder_deleted(m):
    """Other software is here, and compiles nothing."""
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-sass.so", m.app / "libapp.so")
    solver = m.home / "solver"
    solver.mkdir()
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-ptx.so", solver / "libsolver.so")
    m.prime(str(solver))
    shutil.rmtree(solver)


def named_file(m, name="solver"):
    shutil.rmtree(m.app, ignore_errors=True)
    solver = m.home / name
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-ptx.so", solver)
    m.prime(shlex.quote(str(solver)))
    return solver


def named_file_became_a_script(m):
    """An update left a launcher in place of the program."""
    named_file(m).write_text("#!/bin/sh\nexec solver.real\n")


def named_file_became_a_script_and_cache_deleted(m):
    named_file_became_a_script(m)
    shutil.rmtree(m.nv)


def named_folder_emptied(m):
    """Other software is here, and one folder never had code."""
    texts = m.home / "texts"
    texts.mkdir()
    (texts / "readme").write_text("text")
    m.prime(f"{m.module(m.home / 'solver/k.ptx').parent} {texts}")
    (m.home / "solver/k.ptx").write_text("")


def named_folder_emptied_and_forgotten(m):
    named_folder_emptied(m)
    m.own()
    m.run("jitwarm prime; jitwarm prune --gone --yes")


def named_folder_without_code(m):
    """It never had any: nobody misses it."""
    texts = m.home / "texts"
    texts.mkdir()
    (texts / "readme").write_text("text")
    m.prime(f"{m.app} {texts}")
    m.prime()


def named_file_closed(m):
    """Its name looks like a file and a reason."""
    named_file(m, "solver: new").chmod(0)


def folder_closed_inside_the_package(m):
    """Its owner can open it again."""
    m.module(m.app / "kernels/inner.ptx")
    m.prime()
    (m.app / "kernels").chmod(0)


def named_file_cut(m):
    solver = named_file(m)
    solver.write_bytes(solver.read_bytes()[:4000])


def named_file_cut_and_primed(m):
    named_file_cut(m)
    m.own()
    m.run("jitwarm prime")


def named_file_cut_and_forgotten(m):
    named_file_cut_and_primed(m)
    m.run("jitwarm prune --gone --yes")
    m.prime()


def named_file_closed_and_primed(m):
    """It is no file that is gone."""
    named_file_closed(m)
    m.own()
    m.run("jitwarm prime; jitwarm prune --gone --yes")


def named_file_a_pipe_and_primed(m):
    named_file_a_pipe(m)
    m.own()
    m.run("jitwarm prime")


def cache_became_a_link(m):
    """To a larger disk; its path is another one now, and what is in it the same."""
    named_file(m)
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


def cache_of_found_software_became_a_link(m):
    """Nothing is named, and nothing recorded."""
    m.prime()
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


def cache_of_a_command_became_a_link(m):
    """No search finds what it loads: a prime of what is found brings nothing."""
    a_command_recorded(m)
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


def cache_gone_and_another_chosen(m):
    """As doctor says where nothing can be kept in the old one any more."""
    named_file(m)
    shutil.rmtree(m.home / ".nv")
    (m.home / ".nv").symlink_to("/nonexistent")
    m.set["CUDA_CACHE_PATH"] = str(m.home / "new")


def record_damaged_and_primed_again(m):
    """What was named is not found without its name."""
    named_file(m)
    for log in m.home.rglob("warm.log"):
        log.write_bytes(b"x" * 64 + log.read_bytes()[64:])
    m.prime()
    m.prime()


def record_damaged_and_other_software_found(m):
    """What was named has its entries in the cache, and no run knows of what they are."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    for log in m.home.rglob("warm.log"):
        log.write_bytes(b"x" * 64 + log.read_bytes()[64:])
    m.prime()
    m.prime()


def index_record_without_a_file(m):
    """Another program had it compiled, and its entry was deleted."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    m.entries()[0].unlink()
    shutil.rmtree(m.home / ".local")
    shutil.rmtree(m.home / "solver")
    m.prime()


def named_file_a_pipe(m):
    solver = named_file(m)
    solver.unlink()
    os.mkfifo(solver)


def library_gone_native(m):
    """A newer version of the software has machine code for this GPU."""
    m.prime()
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-sass.so", m.app / "libapp.so")
    m.own()


def one_of_two_files_deleted(m):
    m.module(m.app / "k2.ptx")
    m.prime(m.module(m.app / "k1.ptx").parent)
    (m.app / "k1.ptx").unlink()


def one_of_two_folders_deleted(m):
    m.prime()
    for name in ("solver", "mixer"):
        m.prime(m.module(m.home / name / "k.ptx").parent)
    shutil.rmtree(m.home / "solver")


def another_folder_primed(m):
    """What is found without a PATH is colder."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)


def home_moved(m):
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime(m.module(m.folder / "solver/k.ptx").parent)
    bob = m.home.with_name("bob")
    m.home.rename(bob)
    m.home, m.nv, m.set["HOME"] = bob, bob / ".nv/ComputeCache", str(bob)


def stopped_then_another(m):
    for i in range(6):
        m.module(m.home / f"mixer/k{i}.ptx")
    m.own()
    m.run(f"SIMCUDA_COST=0+1500 jitwarm prime --yes --jobs 1 --time-box 5s {m.home}/mixer")
    m.prime(m.module(m.home / "solver/k.ptx").parent)


def first_prime_killed(m):
    for i in range(6):
        m.module(m.app / f"k{i}.ptx")
    m.own()
    m.run(f"SIMCUDA_COST=0+1000 jitwarm prime --yes --jobs 1 & until find {m.nv}/?/? -type f | grep -q .; do sleep 0.1; done; kill -9 $!; wait; sleep 2")


def refused_because_another_prime_ran(m, more=""):
    """What it was asked for no search finds."""
    m.prime()
    for i in range(4):
        m.module(m.folder / f"mixer/k{i}.ptx")
    m.module(m.folder / "solver/k.ptx")
    m.own()
    done = m.run(f"SIMCUDA_COST=0+700 jitwarm prime --yes --jobs 1 --progress json {m.folder}/mixer >steps 2>&1 & until grep -q '\"done\":[1-9]' steps; do sleep 0.1; done; "
                 f"jitwarm prime {m.folder}/solver; rc=$?; wait; {more or 'true'}; exit $rc")
    if done.returncode != 7:
        raise SystemExit(f"the second prime ends with {done.returncode}: {done.stdout}{done.stderr}{(m.folder / 'steps').read_text()}")


def refused_because_another_prime_ran_and_primed_since(m):
    """The next one, of what is found, takes it with it."""
    refused_because_another_prime_ran(m, "jitwarm prime")


def refused_because_nobody_was_asked(m):
    """More than a quarter of an hour, and no terminal."""
    m.prime()
    for i in range(3200):  # 0.3 s each
        m.module(m.folder / f"solver/k{i}.ptx")
    m.own()
    done = m.run(f"jitwarm prime {m.folder}/solver")
    if done.returncode != 7:
        raise SystemExit(f"it ends with {done.returncode}: {done.stdout}{done.stderr}")


def jitwarm_removed_meanwhile(m):
    """An upgrade, perhaps: what it had begun to compile is compiled, and no process starts that could verify it."""
    for i in range(6):
        m.module(m.home / f"solver/k{i}.ptx")
    shutil.rmtree(m.app, ignore_errors=True)
    m.own()
    m.run(f"cp {m.o.tool} old; sed 's|{m.o.tool}|{m.folder}/old|' $(command -v jitwarm) >begin; SIMCUDA_COST=0+300 sh begin prime --yes --jobs 1 "
          f"--progress json {m.home}/solver >steps 2>&1 & until grep -q '\"done\":[1-9]' steps; do sleep 0.1; done; rm old; wait")


def library_replaced(m):
    m.prime()
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/all-packings.so", m.app / "libapp.so")
    m.own()


def elsewhere(m):
    """A folder of packages that no search knows."""
    site = m.folder / "apps/site-packages"
    (site / "other").mkdir(parents=True)
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/all-packings.so", site / "other/libother.so")
    return site


def a_variable_names_more_packages(m):
    m.prime()
    m.set["PYTHONPATH"] = str(elsewhere(m))


def a_variable_names_more_packages_and_all_are_primed(m):
    m.set["PYTHONPATH"] = str(elsewhere(m))
    m.prime()


def another_environment_is_active(m):
    m.prime()
    site = elsewhere(m)
    prefix = m.folder / "env"
    (prefix / "lib/python3.11").mkdir(parents=True)
    site.rename(prefix / "lib/python3.11/site-packages")
    m.set["VIRTUAL_ENV"] = str(prefix)


def another_gpu(m):
    m.prime()
    m.plays("580.126.09", "sm_90")


def another_driver(m):
    m.prime()
    m.plays("590.44.01")


def older_driver(m):
    m.prime()
    m.plays("390.157", "sm_70")


def home_unset(m):
    m.prime()
    m.set["HOME"] = None


def home_missing(m):
    m.prime()
    m.set["HOME"] = str(m.folder / "nobody-is-here")


def home_is_a_file(m):
    m.own()
    (m.folder / "a-file").write_text("")
    m.set["HOME"] = str(m.folder / "a-file")


def home_relative(m):
    m.prime()
    m.set["HOME"] = os.path.relpath(m.home, m.folder)


def place_is_a_link_to_nowhere(m):
    m.own()
    (m.home / ".nv").symlink_to(m.folder / "a-disk-that-is-not-mounted")


def place_is_a_file(m):
    m.own()
    (m.home / ".nv").write_text("")


def state_relative(m):
    m.prime()
    m.set["JITWARM_STATE"] = "memory"


def path_relative(m):
    m.own()
    m.set["CUDA_CACHE_PATH"] = "cache"


def path_of_the_kernel(m):
    m.own()
    m.set["CUDA_CACHE_PATH"] = "/proc/nothing"


def path_in_a_file(m):
    m.prime()
    (m.home / "file").write_text("")
    m.set["CUDA_CACHE_PATH"] = f"{m.home}/file/cache"


def home_read_only(m):
    m.own()
    m.home.chmod(0o555)


def state_read_only(m):
    m.own()
    (m.home / ".local").mkdir()
    (m.home / ".local").chmod(0o555)


def cache_read_only(m):
    m.own()
    m.nv.mkdir(parents=True)
    m.own()
    m.nv.chmod(0o555)


def cache_read_only_and_one_deleted(m):
    m.prime()
    m.entries()[0].unlink()
    for path in (m.nv, *m.nv.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def full(m, path):
    """Its disk has no room for a byte."""
    kept = path.with_name("kept")
    path.rename(kept)
    path.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", path], capture_output=True, check=False).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    m.mounted.append(path)
    shutil.copytree(kept, path, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(kept)
    out = os.open(path / "fill", os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(out, bytes(4096))
    except OSError:
        os.close(out)


def disk_full(m):
    m.prime()
    full(m, m.home)


def disk_full_and_one_deleted(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home)


def state_full(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home / ".local")


def cache_full(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home / ".nv")


def disabled(m):
    m.prime()
    m.set["CUDA_CACHE_DISABLE"] = "1"


def gpus_hidden(m):
    m.prime()
    m.set["CUDA_VISIBLE_DEVICES"] = ""


def gpus_hidden_and_never_primed(m):
    m.own()
    m.set["CUDA_VISIBLE_DEVICES"] = "-1"


def a_gpu_named_that_is_not_there(m):
    m.prime()
    m.set["CUDA_VISIBLE_DEVICES"] = "7"


def a_gpu_named_that_the_bus_has_not(m):
    """Without the driver it is known how many there are at most."""
    device = m.root / "sys/bus/pci/devices/0000:01:00.0"
    device.mkdir(parents=True)
    for name, text in dict(vendor="0x10de", device="0x2484", subsystem_vendor="0x10de", subsystem_device="0x146b").items():
        (device / name).write_text(text + "\n")
    (device / "class").write_text("0x030000\n")
    a_gpu_named_that_is_not_there(m)


def limit_too_small(m):
    m.prime()
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


def limit_below_one_module_and_a_prime_without_room(m):
    m.set["CUDA_CACHE_MAXSIZE"] = "300"
    m.own()
    m.run("jitwarm prime")


def limit_of_nothing_and_never_primed(m):
    """A prime without a terminal would warm nothing. Which driver is here was asked before: its limit is that of a fresh login."""
    m.set["CUDA_CACHE_MAXSIZE"] = "0"
    m.own()
    m.run("jitwarm doctor")


def limit_below_one_module_and_never_primed(m):
    m.set["CUDA_CACHE_MAXSIZE"] = "300"
    m.own()
    m.run("jitwarm doctor")


def limit_too_small_at_login(m):
    """Of the login and of this shell: one line raises both."""
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=4096\n")
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


def limit_too_small_here_alone(m):
    """The login has more than would be recommended: that is what this shell gets."""
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=4294967296\n")
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


def limit_set_to_the_default(m):
    m.prime()
    m.set["CUDA_CACHE_MAXSIZE"] = "1073741824"


def forced(m):
    m.prime()
    m.set["CUDA_FORCE_PTX_JIT"] = "1"


def refused(m):
    m.prime(m.module(m.app / "bad.ptx"))
    name = "".join(m.entries()[0].relative_to(m.nv).parts)
    m.set["SIMCUDA_FAULTS"] = f"badptx@{name}"
    shutil.rmtree(m.nv)
    shutil.rmtree(m.home / ".local")
    m.run("jitwarm prime")


def refused_by_two_names(m):
    """Its folder was named, and then the file."""
    refused(m)
    m.run(f"jitwarm prime {m.app}; jitwarm prime {m.app}/bad.ptx")


def crashed(m):
    m.prime(m.module(m.app / "bad.ptx"))
    name = "".join(m.entries()[0].relative_to(m.nv).parts)
    m.set["SIMCUDA_FAULTS"] = f"crash@{name}"
    shutil.rmtree(m.nv)
    shutil.rmtree(m.home / ".local")
    m.run("jitwarm prime")


def crashed_on_it_with_another_compiler(m):
    """The driver crashed while its compiler was damaged; an update brought a whole one, and libcuda is the same."""
    m.own()
    m.run("jitwarm doctor --probe")
    m.set["SIMCUDA_FAULTS"] = "crash@*"
    m.run("jitwarm prime")
    m.set["SIMCUDA_FAULTS"] = None
    with m.compiler().open("ab") as library:
        library.write(b"another one")


def driver_cut(m):
    """The file is shorter than its headers say. Returns it; what it was is beside it."""
    m.prime()
    library, = m.compiler().parent.glob("libcuda.so.*.*")
    shutil.copyfile(library, m.folder / "whole")
    library.write_bytes(library.read_bytes()[:library.stat().st_size // 2])
    return library


def driver_cut_before_its_headers_end(m):
    library = driver_cut(m)
    library.write_bytes(library.read_bytes()[:40])


def driver_cut_in_a_container(m):
    driver_cut(m)
    (m.root / ".dockerenv").write_text("")


def driver_cut_of_a_package(m):
    """dpkg has that file."""
    library = driver_cut(m)
    of = m.root / "var/lib/dpkg/info"
    of.mkdir(parents=True)
    (of / "libnvidia-compute-580:amd64.list").write_text(f"/.\n{library.parent}\n{library}\n")
    (of / "libnvidia-gl-580:amd64.list").write_text(f"{library}.other\n")
    m.program("apt-get", f'[ "$*" = "install --reinstall libnvidia-compute-580:amd64" ] && cp {m.folder}/whole {library}')


def login_of_a_container(m):
    """Its shells may read these files (`bash -l`); its entry point does not."""
    (m.root / ".dockerenv").write_text("")
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_DISABLE=1\n")


def compiler_missing(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().unlink()


def compiler_cut_short(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().write_bytes(m.compiler().read_bytes()[:8])  # less than a header, of which the loader says "file too short"


def compiler_damaged(m):
    """Its code is not what was installed; its size, its build id and its tables are. A prime meets it."""
    m.prime()
    m.entries()[0].unlink()
    with m.compiler().open("r+b") as library:
        library.seek(4096)
        library.write(bytes(256))
    m.run("jitwarm prime")


def compiler_closed(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().chmod(0)


def compiler_missing_and_all_warm(m):
    m.prime()
    m.compiler().unlink()


def compiler_never_there(m):
    m.own()
    m.run("jitwarm version")  # which plays the driver
    m.compiler().unlink()


def too_new(m):
    path = m.module(m.app / "new.ptx")
    path.write_text(path.read_text().replace(".version 7.0", ".version 9.9"))
    m.own()
    m.run("jitwarm prime")


def without_code_for_this_gpu(m):
    m.prime()
    path = m.module(m.home / "solver/high.ptx")
    path.write_text(path.read_text().replace("sm_70", "sm_90"))
    m.own()
    m.run(f"jitwarm prime {path}")


def unreadable(m):
    (m.app / "libcut.so").write_bytes((m.app / "libapp.so").read_bytes()[:4000])
    m.own()
    m.run("jitwarm prime")


LOAD = """import ctypes, sys
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
for path in sys.argv[1:]:
    cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), open(path, "rb").read() + bytes(1))
"""


def a_command_recorded(m, option=""):
    """No other software is here. Returns the folder that its words are meant in; what follows is asked elsewhere."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    m.module(kept / "k2.ptx")
    (kept / "load.py").write_text(LOAD)
    m.own()
    done = m.run(f"cd {kept} && jitwarm prime {option} --run {sys.executable} load.py k1.ptx k2.ptx; rc=$?; cd {m.folder}; (exit $rc)")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return kept


def a_command_recorded_again_with_other_modules(m):
    """What it loads is in a file that its words do not name. A prime compiles what each of its starts made."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD.replace("sys.argv[1:]", "open(sys.path[0] + '/list').read().split()"))
    for name in ("k1", "k2"):
        (kept / "list").write_text(str(m.module(kept / f"{name}.ptx")))
        m.own()
        done = m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py")
        if done.returncode:
            raise SystemExit(f"{done.stdout}{done.stderr}")


def a_command_recorded_again_with_other_modules_and_one_of_before_deleted(m):
    a_command_recorded_again_with_other_modules(m)
    of_first = [entry for entry in m.entries() if b"solver_k1" in entry.read_bytes()]
    if len(of_first) != 1:
        raise SystemExit(f"entries of the first start: {of_first}")
    of_first[0].unlink()


def a_command_that_goes_on(m):
    """Its program works in the background, a while after it has ended itself: run does not wait for that."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD)
    (kept / "serve").write_text(f"#!/bin/sh\n(sleep 2; exec {sys.executable} {kept}/load.py {kept}/k1.ptx) >/dev/null 2>&1 &\n")
    (kept / "serve").chmod(0o755)
    m.own()
    done = m.run(f"jitwarm run -- {kept}/serve; rc=$?; sleep 5; (exit $rc)")
    if done.returncode or "not recorded: jitwarm prime --run" not in done.stderr:
        raise SystemExit(f"{done.stdout}{done.stderr}")


def recording(m, ends, beside=""):
    """A command that only ends when a file is gone: it is recorded, and has loaded its module. `ends`: what happens to jitwarm then."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "serve.py").write_text(LOAD + f"import os, pathlib, time\npathlib.Path({str(m.folder / 'loaded')!r}).write_text(str(os.getppid()))\nwhile os.path.exists({str(m.folder / 'wait')!r}):\n    time.sleep(0.05)\n{beside}")
    (m.folder / "wait").touch()
    m.own()
    done = m.run(f"jitwarm run -- {sys.executable} {kept}/serve.py {kept}/k1.ptx & for i in $(seq 200); do [ -s loaded ] && break; sleep 0.1; done; {ends}; wait $!; rm -f wait loaded")
    if "recording what this start loads" not in done.stderr:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return kept


def a_recording_killed(m):
    """By the OOM killer, or by who stops a container."""
    recording(m, "kill -KILL $(cat loaded)")


def a_recording_killed_and_cache_lost(m):
    a_recording_killed(m)
    shutil.rmtree(m.nv)


def a_command_terminated_and_a_file_added_to_its_folder(m):
    """As each server ends."""
    kept = recording(m, "kill -TERM $(cat loaded)")
    m.module(kept / "k2.ptx")


def a_command_failed_and_a_file_added_to_its_folder(m):
    kept = recording(m, "rm wait", "sys.exit(3)\n")
    m.module(kept / "k2.ptx")


def a_command_terminated_and_cache_lost(m):
    recording(m, "kill -TERM $(cat loaded)")
    shutil.rmtree(m.nv)


def a_command_terminated_and_its_file_gone(m):
    kept = recording(m, "kill -TERM $(cat loaded)")
    (kept / "k1.ptx").unlink()
    shutil.rmtree(m.nv)


def software_and_a_command_gone_with_another_driver(m):
    """What the first driver was primed for no run with this one finds: it is not to be primed again and again."""
    another_driver(m)
    a_command_terminated_and_its_file_gone(m)


def a_command_recorded_with_another_driver(m):
    a_command_recorded(m)
    m.plays("590.44.01")


def a_command_recorded_with_another_driver_and_primed(m):
    """Its modules are warm for this one, too; whether it loads others with it, its start shows."""
    a_command_recorded_with_another_driver(m)
    m.own()
    m.run("jitwarm prime")


def another_cache_is_asked_about(m):
    """The same options lead on in that one."""
    m.prime()
    m.module(m.home / "solver/k.ptx")
    m.prime(f"--cache {m.home}/other {m.home}/solver")
    m.own()
    for verb in ("doctor", "status", "prime --check", "verify"):
        said = m.run(f"jitwarm {verb} --cache {m.home}/other").stdout
        if f"--cache {m.home}/other" not in re.findall(r"^ *To do  +(.*)$", said, re.M)[-1]:
            raise SystemExit(f"{verb} --cache forgets the cache: {said}")


CUPY = """import os
path = os.environ.get("CUPY_CACHE_DIR", os.environ["HOME"] + "/.cupy/kernel_cache") + "/0123456789abcdef0123456789abcdef.cubin"
if os.path.exists(path) and open(path, "rb").read() == b"x" * 1000:
    pass
else:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(b"x" * 1000)
"""


def other_cache_of_a_command_gone(m):
    """What the driver compiles for it is there, and what CuPy had compiled is not."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(CUPY + LOAD)
    m.own()
    done = m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    if done.returncode or not (m.home / ".cupy").exists():
        raise SystemExit(f"{done.stdout}{done.stderr}")
    shutil.rmtree(m.home / ".cupy")


def another_version_of_a_compiler_of_a_command(m):
    """Its package was upgraded in the environment: it finds none of what the earlier one keeps in its cache."""
    shutil.rmtree(m.app, ignore_errors=True)
    env = m.home / "env"
    tool_of(env / "bin", m.module(m.home / "solver/k1.ptx"))
    (env / "bin/load.py").write_text(CUPY + LOAD)
    package = env / "lib/python3.11/site-packages/cupy_cuda12x-13.4.0.dist-info"
    package.mkdir(parents=True)
    m.own()
    done = m.run(f"jitwarm prime --run {env}/bin/solve")
    if done.returncode or not (m.home / ".cupy").exists():
        raise SystemExit(f"{done.stdout}{done.stderr}")
    package.rename(package.with_name("cupy_cuda12x-14.0.1.dist-info"))


def other_cache_of_a_command_emptied(m):
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").touch()


def other_cache_of_a_command_damaged(m):
    """As many bytes, and other ones: CuPy knows that by its checksum."""
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").write_bytes(b"y" * 1000)


def other_cache_of_a_command_elsewhere(m):
    """It is still there, and the command looks into another folder now."""
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").write_bytes(b"x" * 1000)
    m.set["CUPY_CACHE_DIR"] = str(m.home / "kernels")
    m.own()


def recorded_with_another_compiler(m):
    """CuPy keeps a file where CUPY_CACHE_DIR says."""
    other_cache_of_a_command_gone(m)
    m.run(f"jitwarm prime --run {sys.executable} {m.home}/solver/load.py {m.home}/solver/k1.ptx")


def other_cache_of_a_login(m):
    recorded_with_another_compiler(m)
    a_login_sets(m, "export CUPY_CACHE_DIR=$HOME/kernels")


def other_cache_of_a_terminal(m):
    recorded_with_another_compiler(m)
    a_terminal_sets(m, "export CUPY_CACHE_DIR=$HOME/kernels")


def other_cache_of_a_login_at_the_same_place(m):
    recorded_with_another_compiler(m)
    a_login_sets(m, "export CUPY_CACHE_DIR=$HOME/.cupy/kernel_cache")
    m.run("jitwarm prime")


def a_file_of_a_command_replaced(m):
    kept = a_command_recorded(m)
    m.module(kept / "k2.ptx").write_text((kept / "k1.ptx").read_text().replace("k1", "other"))


LOAD_FOLDERS = LOAD.replace("sys.argv[1:]", "sorted(p for f in (sys.argv[1], sys.path[0]) for p in __import__('glob').glob(f + '/*.ptx'))")


def a_command_of_a_folder(m):
    """What it loads lies in a folder that it is given, and beside its script. Returns both folders."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept, tool = m.module(m.home / "solver/k1.ptx").parent, m.home / "tool"
    m.module(kept / "k2.ptx")
    m.module(tool / "beside.ptx")
    (tool / "load.py").write_text(LOAD_FOLDERS)
    m.own()
    done = m.run(f"jitwarm prime --run {sys.executable} {tool}/load.py {kept}")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return kept, tool


def a_file_changed_in_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    (kept / "k2.ptx").write_text((kept / "k1.ptx").read_text().replace("k1", "other"))


def a_file_added_to_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    m.module(kept / "k3.ptx")


def a_file_removed_from_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    (kept / "k2.ptx").unlink()


def a_log_in_the_folder_of_a_command(m):
    for folder in a_command_of_a_folder(m):
        (folder / "run.log").write_text("step 1\n")


def a_kernel_changed_beside_the_script_of_a_command(m):
    _, tool = a_command_of_a_folder(m)
    (tool / "beside.ptx").write_text((tool / "beside.ptx").read_text().replace("beside", "other"))


def a_command_with_modules_of_its_own(m):
    """Its script imports one that lies beside it, and a package below. Returns their folder."""
    shutil.rmtree(m.app, ignore_errors=True)
    tool, kept = m.home / "tool", m.home / "solver"
    for name in "k1", "k2":
        m.module(kept / f"{name}.ptx")
    (tool / "pack/deep").mkdir(parents=True)
    (tool / "names.py").write_text(f"folder = '{kept}'\n")
    (tool / "pack/__init__.py").write_text("from .deep.which import which\n")
    (tool / "pack/deep/which.py").write_text("which = 'k1.ptx'\n")
    (tool / "load.py").write_text("import names, pack\n" + LOAD.replace("sys.argv[1:]", "[names.folder + '/' + pack.which]"))
    m.own()
    done = m.run(f"jitwarm prime --run {sys.executable} {tool}/load.py")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return tool


def a_module_beside_the_script_of_a_command_changed(m):
    (a_command_with_modules_of_its_own(m) / "names.py").write_text(f"folder = '{m.home}/tool/../solver'\n")


def a_module_of_a_package_of_a_command_changed(m):
    (a_command_with_modules_of_its_own(m) / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


def a_module_added_beside_the_script_of_a_command(m):
    (a_command_with_modules_of_its_own(m) / "plugin.py").write_text("name = 'k2.ptx'\n")


def a_module_removed_beside_the_script_of_a_command(m):
    tool = a_command_with_modules_of_its_own(m)
    (tool / "pack/deep/which.py").rename(tool / "pack/which.py")
    (tool / "pack/__init__.py").write_text("from .which import which\n")


def modules_of_a_command_checked_out_again(m):
    """The same bytes, with other times; and what no command imports."""
    tool = a_command_with_modules_of_its_own(m)
    for path in (*tool.rglob("*.py"),):
        text = path.read_bytes()
        path.unlink()
        path.write_bytes(text)
    (tool / "pack/notes.txt").write_text("none\n")
    (tool / "venv/bin").mkdir(parents=True)
    (tool / "venv/pyvenv.cfg").touch()
    (tool / "venv/other.py").touch()


LOAD_MAPPED = """import mmap, os
with open(os.environ["HOME"] + "/engine/k1.ptx", "rb") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
""" + LOAD.replace("sys.argv[1:]", "[library]").replace('open(path, "rb").read()', "path[:]")


LOAD_READ = LOAD.replace("sys.argv[1:]", "[__import__('os').environ['HOME'] + '/engine/k1.ptx']")


def a_library_of_a_command_replaced(m, load=LOAD_MAPPED):
    """No word of the command says where it lies."""
    shutil.rmtree(m.app, ignore_errors=True)
    library = m.module(m.home / "engine/k1.ptx")
    script = m.home / "tool/load.py"
    script.parent.mkdir()
    script.write_text(load)
    m.own()
    done = m.run(f"jitwarm prime --run {sys.executable} {script}")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    library.write_text(library.read_text().replace("k1", "other"))


def a_library_without_machine_code_of_a_command_replaced(m):
    """None of it is executable: the loader maps its data alone."""
    a_library_of_a_command_replaced(m, LOAD_MAPPED.replace("mmap.PROT_READ | mmap.PROT_EXEC", "mmap.PROT_READ"))


def a_kernel_file_of_a_command_replaced(m):
    """It is read, and not mapped."""
    a_library_of_a_command_replaced(m, LOAD_READ)


LOAD_WITH_COMPILER = """import mmap, os
with open(os.environ["HOME"] + "/engine/libnvrtc.so.12", "rb") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
""" + LOAD


def a_compiler_of_a_command_replaced(m):
    """It holds no CUDA code, and makes some: another version makes other code."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    compiler = m.home / "engine/libnvrtc.so.12"
    compiler.parent.mkdir()
    compiler.write_text("NVRTC 12.4" + 8192 * " ")
    (kept / "load.py").write_text(LOAD_WITH_COMPILER)
    m.own()
    done = m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    compiler.write_text("NVRTC 12.9" + 8192 * " ")


def tool_of(folder, module):
    """A program of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "solve").write_text(f"#!/bin/sh\nexec {sys.executable} {folder}/load.py {module}\n")
    (folder / "load.py").write_text(LOAD)
    (folder / "solve").chmod(0o755)
    return folder


def a_command_of_another_program_of_that_name(m, command="solve"):
    """As an environment that is activated: PATH leads to another one first."""
    shutil.rmtree(m.app, ignore_errors=True)
    one, other = (tool_of(m.home / f"env{k}/bin", m.module(m.home / f"solver{k}/k.ptx")) for k in (1, 2))
    m.own()
    done = m.run(f"PATH={one}:$PATH jitwarm prime --run {command}")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    m.set["PATH"] = f"{other}:{one}:{m.env['PATH']}"


def a_command_of_env_and_another_program(m):
    a_command_of_another_program_of_that_name(m, "env LANGUAGE=C nice -n 1 solve")


def a_command_whose_script_has_another_interpreter(m):
    """#!/usr/bin/env NAME"""
    script = m.home / "tool/start"
    script.parent.mkdir()
    script.write_text("#!/usr/bin/env solve\n")
    script.chmod(0o755)
    a_command_of_another_program_of_that_name(m, script)


def command_with_its_own_cache(m):
    """It chooses a cache itself. Returns that folder."""
    kept, own = m.module(m.home / "solver/k1.ptx").parent, m.home / "own"
    shutil.rmtree(m.app, ignore_errors=True)
    (kept / "load.py").write_text(LOAD)
    m.own()
    done = m.run(f"jitwarm prime --run env CUDA_CACHE_PATH={own} {sys.executable} {kept}/load.py {kept}/k1.ptx")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return own


def a_command_that_chose_a_cache_since(m):
    """It was recorded with the cache of this shell, and then again with one of its own."""
    kept = m.module(m.home / "solver/k1.ptx").parent
    shutil.rmtree(m.app, ignore_errors=True)
    (kept / "load.py").write_text(LOAD)
    for chooses in ("", f"export CUDA_CACHE_PATH={m.home}/own\n"):
        (kept / "serve").write_text(f"#!/bin/sh\n{chooses}exec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
        (kept / "serve").chmod(0o755)
        m.own()
        done = m.run(f"jitwarm prime --run {kept}/serve")
        if done.returncode:
            raise SystemExit(f"{done.stdout}{done.stderr}")


def a_file_added_to_the_folder_of_a_command_with_its_own_cache(m):
    """Only its start shows what it loads now."""
    command_with_its_own_cache(m)
    m.module(m.home / "solver/k.ptx")


def a_command_that_disables_its_cache_since(m, again=False):
    """Nobody but who wrote its script can mend that."""
    kept = m.module(m.home / "solver/k1.ptx").parent
    shutil.rmtree(m.app)
    (kept / "load.py").write_text(LOAD)
    m.set["SIMCUDA_COST"] = "0+1500"  # long enough to be seen, also where a line is followed
    for chooses in ("", "export CUDA_CACHE_DISABLE=1\n"):
        (kept / "serve").write_text(f"#!/bin/sh\n{chooses}exec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
        (kept / "serve").chmod(0o755)
        m.own()
        done = m.run(f"jitwarm prime --run {kept}/serve") if not chooses or again else None
        if done and done.returncode != (1 if chooses else 0):
            raise SystemExit(f"{done.returncode} {done.stdout}{done.stderr}")
        m.note = done.stdout + done.stderr if done else ""


def a_command_that_disables_its_cache_and_primed(m):
    a_command_that_disables_its_cache_since(m, True)


def own_cache_of_a_command_deleted(m):
    shutil.rmtree(command_with_its_own_cache(m))


# ---- what its owner may not read ----

def closed(m, path, mode):
    m.prime()
    m.own()
    path().chmod(mode)


def entry_closed(m):
    closed(m, lambda: m.entries()[0], 0)


def closed_index(m):
    closed(m, lambda: m.nv / "index", 0)


def index_read_only(m):
    closed(m, lambda: m.nv / "index", 0o444)


def folder_of_the_cache_closed(m):
    closed(m, lambda: m.nv, 0)


def folder_above_the_cache_closed(m):
    closed(m, lambda: m.nv.parent, 0)


# ---- what belongs to another user ----

def of_another_user(m, user, mode):
    """CUDA_CACHE_PATH names it, and it may be what a lab shares: nobody takes it from its owner."""
    if os.getuid():
        raise Skip("only root makes what belongs to another user")
    m.prime()
    m.others = m.folder / "shared"
    shutil.copytree(m.nv, m.others)
    for path in (m.others, *m.others.rglob("*")):
        os.chown(path, user, user)
    m.others.chmod(mode)
    m.set["CUDA_CACHE_PATH"] = str(m.others)


def cache_of_another_user(m):
    of_another_user(m, 54321, 0o755)


def cache_of_root(m):
    of_another_user(m, 0, 0o755)


def closed_cache_of_another_user(m):
    of_another_user(m, 54321, 0o700)


def closed_cache_of_root(m):
    of_another_user(m, 0, 0o700)


def empty_folder_of_another_user(m):
    of_another_user(m, 54321, 0o755)
    for path in m.others.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)


def made_by_root_in_the_home(m):
    """By a container, or with sudo; and there is no sudo now."""
    m.bin.joinpath("sudo").unlink()
    m.env["PATH"] = f"{m.bin}:{no_sudo(m)}"
    if os.getuid():
        raise Skip("only root makes what belongs to root")
    m.prime()
    m.others = m.nv
    for path in (m.nv, *m.nv.rglob("*")):
        os.chown(path, 0, 0)


def no_sudo(m):
    """A PATH with all that the person has, and without that program."""
    folder = m.folder / "programs"
    folder.mkdir()
    for path in (p for d in os.environ["PATH"].split(":") if os.path.isdir(d) for p in pathlib.Path(d).iterdir()):
        if path.name != "sudo" and not (folder / path.name).is_symlink():
            (folder / path.name).symlink_to(path)
    return folder


# ---- two changes at once ----

def imported(m, more, then):
    m.prime()
    done = m.run(f"jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.tar.zst --allow-unsigned {more}")
    if done.returncode:
        raise SystemExit(f"the import: {done.stdout}{done.stderr}")
    then()


def driver_rolled_back(m):
    """The first driver compiles again what was evicted meanwhile: entries of both were written in turn."""
    m.module(m.app / "k.ptx")
    m.prime()
    m.entries()[0].unlink()
    m.plays("590.44.01")
    m.prime()
    m.plays("580.126.09")
    m.prime()


def driver_rolled_back_to_one_that_primed_a_path(m):
    """The other driver's prime searched folders, too, in which nothing has to be compiled: they do not lack it with this one."""
    native_beside(m)
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    m.plays("590.44.01")
    m.prime()
    m.plays("580.126.09")
    said = m.run("jitwarm status").stdout
    if "not primed with this driver" in " ".join(said.split()):
        raise SystemExit(f"where nothing has to be compiled nothing lacks: {said}")


def native_software_and_another_driver(m):
    """It had nothing to compile for the first one."""
    native_beside(m)
    another_driver(m)


def import_then_another_driver(m):
    imported(m, m.app, lambda: m.plays("590.44.01"))


def import_and_verified_then_another_file(m):
    imported(m, m.app, lambda: (m.run("jitwarm verify"), m.module(m.app / "new.ptx")))


def import_then_one_deleted(m):
    m.module(m.app / "k.ptx")
    imported(m, m.app, lambda: m.entries()[0].unlink())


def pack_for_another_gpu(m):
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local")
    m.plays("580.126.09", "sm_90")
    m.run(f"jitwarm import {m.home}/p.tar.zst --allow-unsigned {m.app}")


def cache_moved_and_back(m):
    m.prime()
    m.nv.rename(m.home / "moved")
    m.run("jitwarm status; jitwarm prime --check; jitwarm verify")
    if m.nv.exists():
        shutil.rmtree(m.nv)
    (m.home / "moved").rename(m.nv)


def cache_moved_and_copied_back(m):
    m.prime()
    shutil.copytree(m.nv, m.home / "moved")
    shutil.rmtree(m.nv)
    shutil.copytree(m.home / "moved", m.nv)


def two_caches(m):
    m.prime()
    m.prime(f"--cache {m.home}/second")
    shutil.rmtree(m.home / "second")


def second_cache_is_cold(m):
    m.prime()
    m.set["CUDA_CACHE_PATH"] = str(m.home / "second")
    m.nv = m.home / "second"


def variable_forgotten(m):
    """What was named was primed for a cache that a variable names; another shell does not have it."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime(f"--cache {m.home}/second {m.module(m.home / 'solver/k.ptx').parent}")


def native_beside(m):
    """Software that needs no compiling is found, which says nothing of what was named."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.app.mkdir(parents=True)
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-sass.so", m.app / "libapp.so")
    m.own()


def native_software_alone(m):
    native_beside(m)
    m.prime()
    again = m.run("jitwarm prime").stdout
    if "jitwarm verify" in again or "verified before" in again or "has to be compiled" not in " ".join(again.split()):
        raise SystemExit(f"nothing is to be verified: {again}")


def variable_forgotten_beside_native_software(m):
    native_beside(m)
    m.prime(f"--cache {m.home}/second {m.module(m.home / 'solver/k.ptx').parent}")


def other_cache_gone_beside_native_software(m):
    variable_forgotten_beside_native_software(m)
    shutil.rmtree(m.home / "second")


def command_elsewhere_beside_native_software(m):
    """The command was recorded for a cache that a variable named."""
    a_command_recorded(m, f"--cache {m.home}/second")
    native_beside(m)


def read_only_after_prime(m):
    m.prime()
    for path in (m.nv, *m.nv.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def limit_lowered_and_one_deleted(m):
    m.module(m.app / "k.ptx")
    m.prime()
    m.entries()[0].unlink()
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


def clock_set_back(m):
    m.prime()
    for path in (m.nv, *m.nv.rglob("*"), m.app, *m.app.rglob("*")):
        os.utime(path, (2**31, 2**31))


def index_lost_and_read_only(m):
    m.prime()
    (m.nv / "index").unlink()
    for path in (m.nv, *m.nv.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def index_lost_and_disabled(m):
    m.prime()
    (m.nv / "index").unlink()
    m.set["CUDA_CACHE_DISABLE"] = "1"


def index_lost_and_another_driver(m):
    m.prime()
    (m.nv / "index").unlink()
    m.plays("590.44.01")


def imported_and_index_lost(m):
    imported(m, m.app, lambda: (m.nv / "index").unlink())


def software_moved(m):
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    (m.home / "solver").rename(m.home / "solver2")


def two_gpus(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.prime("--gpu 0")


def pruned(m):
    m.prime()
    m.run("jitwarm prune --all --yes")


def state_forgotten(m):
    m.prime()
    shutil.rmtree(m.home / ".local")


def record(m):
    """What jitwarm remembers of this cache."""
    m.prime()
    path, = (m.home / ".local/state/jitwarm/roots").glob("*/warm.log")
    return path


def record_of_garbage(m):
    record(m).write_bytes(bytes(i * 37 % 251 for i in range(3000)))


def record_of_zeros(m):
    path = record(m)
    path.write_bytes(bytes(path.stat().st_size))


def record_emptied(m):
    record(m).write_bytes(b"")


def record_deleted(m):
    """Its lock says that there was one."""
    record(m).unlink()


def record_cut(m):
    path = record(m)
    path.write_bytes(path.read_bytes()[:-20])


def record_damaged_inside(m):
    path = record(m)
    data = bytearray(path.read_bytes())
    data[300:304] = b"XXXX"
    path.write_bytes(data)


def record_of_another_cache(m):
    """A backup of another home was put there."""
    path = record(m)
    path.write_bytes(path.read_bytes()[:0])
    m.run(f"jitwarm prime --cache {m.home}/other")
    other, = (p for p in path.parent.parent.glob("*/warm.log") if p != path)
    path.write_bytes(other.read_bytes())


def in_place_of(path, folder):
    path.unlink() if path.is_file() else shutil.rmtree(path) if path.is_dir() else None
    path.mkdir() if folder else path.write_text("not jitwarm's")


def record_a_folder(m):
    in_place_of(record(m), True)


def record_closed(m):
    m.prime()
    path, = (m.home / ".local/state/jitwarm/roots").glob("*/warm.log")
    path.chmod(0)


def lock_a_folder(m):
    in_place_of(record(m).parent / "lock", True)


def records_a_file(m):
    in_place_of(record(m).parent.parent, False)


def state_a_file(m):
    in_place_of(record(m).parent.parent.parent, False)


def probe_garbage(m):
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        path.write_bytes(bytes(i * 37 % 251 for i in range(3000)))


def probe_gone(m):
    """Of the driver that is here: its library says which build it is."""
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        path.unlink()


def probe_a_folder(m):
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        in_place_of(path, True)


def state_of_the_kernel(m):
    m.prime()
    m.set["XDG_STATE_HOME"] = "/proc/x"


def state_in_a_file(m):
    m.prime()
    (m.home / "notes").write_text("")
    m.set["XDG_STATE_HOME"] = str(m.home / "notes")


def state_is_a_device(m):
    """A person who wants no state: it is no folder, and the variable is what mends it."""
    m.prime()
    m.set["XDG_STATE_HOME"] = "/dev/null"


def own_state_is_a_file(m):
    m.prime()
    (m.home / "notes").write_text("")
    m.set["JITWARM_STATE"] = str(m.home / "notes")


def driver_and_software_changed(m):
    m.prime()
    m.plays("590.44.01")
    m.module(m.app / "new.ptx")


def import_of_a_folder(m):
    m.prime()
    done = m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r .nv {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.jwpack --allow-unsigned {m.app}")
    m.note = done.stdout + done.stderr


def import_of_what_is_found(m):
    """Software is here, and nothing was asked for by its name."""
    m.prime()
    done = m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.jwpack --allow-unsigned --everything")
    m.note = done.stdout + done.stderr


def import_of_everything(m):
    m.prime()
    done = m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r {m.home}/.nv {m.home}/.local {m.app}; jitwarm import {m.home}/p.jwpack --allow-unsigned --everything")
    m.note = done.stdout + done.stderr


EVERYTHING = "jitwarm import {0}/p.tar.zst --allow-unsigned --everything"


def everything_imported(m, then, beside=native_beside):
    """Of software that is not found here: its modules are gone from the search, and the pack's are in the cache."""
    for name in ("k2", "k3"):
        m.module(m.app / f"{name}.ptx")
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local {m.app}")
    beside(m)
    done = m.run(EVERYTHING.format(m.home))
    if done.returncode or len(m.entries()) < 3:
        raise SystemExit(f"the import: {done.stdout}{done.stderr}")
    then()


def everything_imported_and_all_there(m):
    everything_imported(m, lambda: None)


def everything_imported_and_one_deleted(m):
    everything_imported(m, lambda: m.entries()[0].unlink())


def everything_imported_and_one_damaged(m):
    def damaged():
        entry = m.entries()[0]
        entry.write_bytes(b"x" * entry.stat().st_size)
        os.utime(entry, (1e9, 1e9))  # a younger one may still be being written
    everything_imported(m, damaged)


def everything_imported_and_verified_and_one_deleted(m):
    everything_imported(m, lambda: (m.run("jitwarm verify"), m.entries()[0].unlink()))


def everything_imported_and_cache_deleted(m):
    everything_imported(m, lambda: shutil.rmtree(m.nv))


def everything_imported_and_nothing_found_and_one_deleted(m):
    everything_imported(m, lambda: m.entries()[0].unlink(), lambda m: None)


def everything_imported_and_one_deleted_and_the_record_pruned(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.run("jitwarm prune --yes")))


def everything_imported_and_one_deleted_and_imported_again(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.run(EVERYTHING.format(m.home))))


def everything_imported_and_pruned(m):
    everything_imported(m, lambda: m.run("jitwarm prune --all --yes"))


def everything_imported_and_one_deleted_and_the_pack_gone(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), (m.home / "p.tar.zst").unlink()))


def everything_imported_then_another_driver(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.plays("590.44.01")))


def a_gpu_gone(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.prime()
    m.plays("580.126.09", "sm_86")


# ---- settings of this shell against those of a fresh login ----

def a_login_sets(m, line, file=".profile"):
    path = m.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{line}\n")


def login_forces(m):
    m.prime()
    a_login_sets(m, "export CUDA_FORCE_PTX_JIT=1")


def login_forces_and_never_primed(m):
    a_login_sets(m, "CUDA_FORCE_PTX_JIT=1", ".config/environment.d/90.conf")
    m.own()


def login_forces_native_software(m):
    """It has PTX beside its machine code, as most wheels."""
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/registered.so", m.app / "libapp.so")
    m.prime()
    a_login_sets(m, "CUDA_FORCE_PTX_JIT=1", ".config/environment.d/90.conf")


def primed_with_an_open_umask(m):
    m.own()
    done = m.run("umask 0; jitwarm prime")
    if done.returncode or (m.home / ".local/state/jitwarm").stat().st_mode & 0o22:
        raise SystemExit(f"made a folder that it does not use: {done.stdout}{done.stderr}")


def state_open_to_others(m):
    """As a person with an open umask may have made it."""
    m.prime()
    (m.home / ".local/state/jitwarm").chmod(0o777)


def is_searched(m, path):
    """prime has primed it, and scan lists it."""
    said = json.loads(m.run("jitwarm prime --check --json").stdout)
    places = m.run("jitwarm scan -v").stdout
    if str(path) not in said["targets"]["paths"] or not re.search(rf"{re.escape(str(path))} \([^)]*of a (fresh login|new terminal)", " ".join(places.split())):
        raise SystemExit(f"{path} is not searched: {said['targets']}\n{places}")


def cold_elsewhere(m):
    """The same with something to compile."""
    return m.module(m.folder / "apps/site-packages/other/other.ptx").parent.parent


def login_names_more_packages(m):
    """A cron job's shell has not what a login has."""
    a_login_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


def login_names_more_packages_since(m):
    m.prime()
    a_login_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")


def login_names_packages_that_came_since(m):
    a_login_sets(m, f"export PYTHONPATH={m.folder}/apps/site-packages")
    m.prime()
    cold_elsewhere(m)


def login_names_more_extensions(m):
    a_login_sets(m, f"export TORCH_EXTENSIONS_DIR={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


def terminal_names_more_environments_with_packages(m):
    """As conda does it, behind the guard of ~/.bashrc."""
    site = m.module(m.folder / "apps/env/lib/python3.11/site-packages/other/other.ptx").parent.parent
    a_terminal_sets(m, f"export VIRTUAL_ENV={m.folder}/apps/env")
    m.prime()
    is_searched(m, site)


def login_names_more_libraries(m):
    site = cold_elsewhere(m)
    a_login_sets(m, f"export LD_LIBRARY_PATH={site}/other")
    m.prime()
    is_searched(m, site / "other")


def login_names_more_libraries_since(m):
    m.prime()
    a_login_sets(m, f"export LD_LIBRARY_PATH={cold_elsewhere(m)}/other")


def terminal_names_more_packages(m):
    a_terminal_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


def hides(m, kind="sm_90"):
    m.plays("580.126.09", f"sm_86 --gpu {kind}")
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    m.own()


def shell_hides_another_gpu(m):
    """As Slurm and Jupyter do. A login shows programs both; the hidden one may be at another person's work, and nothing is compiled on it."""
    hides(m)
    done = m.run("jitwarm prime")
    if done.returncode != 1 or not m.entries() or any(b"sm_90" in entry.read_bytes()[:200] for entry in m.entries()):
        raise SystemExit(f"the hidden GPU is left alone: {done.returncode} {done.stdout}")


def shell_hides_another_gpu_that_is_warm(m):
    """What is in the cache for it counts, and is not loaded on it."""
    hides(m)
    m.run("env -u CUDA_VISIBLE_DEVICES jitwarm prime")
    if not any(b"sm_90" in entry.read_bytes()[:200] for entry in m.entries()):
        raise SystemExit("nothing was compiled for the other GPU")
    m.prime()
    said = " ".join(m.run("jitwarm verify").stdout.split())
    if "(sm_90) is hidden here, and left alone: its 1 module is in the cache, and was not loaded" not in said or "sm_90" in said.split(" Searched")[0]:
        raise SystemExit(f"verify does not say what it left alone: {said}")


def shell_hides_another_gpu_of_its_kind(m):
    hides(m, "sm_86")
    m.prime()
    said = m.run("jitwarm prime --check; jitwarm verify").stdout
    if "CUDA_VISIBLE_DEVICES" in said or "hidden" in said:
        raise SystemExit(f"that is normal: {said}")


def shell_hides_another_gpu_since(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=0")
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    m.prime()
    a_login_sets(m, "")


def login_shows_a_command_another_gpu(m):
    """Of another kind: here it started on the first one."""
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    a_command_recorded(m)
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1")


def login_shows_a_command_another_gpu_and_primed(m):
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    m.prime()
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD)
    m.prime(f"--run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1,0")
    m.run("jitwarm prime")


def terminal_shows_a_command_another_gpu(m):
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    a_command_recorded(m)
    a_terminal_sets(m, "export CUDA_VISIBLE_DEVICES=1")


def login_shows_a_command_another_gpu_of_its_kind(m):
    m.plays("580.126.09", "sm_86 --gpu sm_86")
    a_command_recorded(m)
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1")
    m.run("jitwarm prime")


def login_hides_all_gpus(m, file=".profile"):
    """Nothing compiles there, and doctor alone has what to do."""
    m.prime()
    a_login_sets(m, 'export CUDA_VISIBLE_DEVICES=""')
    m.own()
    m.run("jitwarm prime")


def terminal_hides_all_gpus(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_VISIBLE_DEVICES=-1")
    m.own()
    m.run("jitwarm prime")


def a_command_recorded_again_after_verify(m):
    """verify saw that it was recorded with other GPUs, and wrote that down."""
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    m.prime()
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD)
    start = f"{sys.executable} {kept}/load.py {kept}/k1.ptx"
    m.prime(f"--run {start}")
    m.set["CUDA_VISIBLE_DEVICES"] = "1"
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1")
    m.own()
    m.run(f"jitwarm verify; jitwarm run -- {start}")
    m.run("jitwarm prime")


def login_limit_was_raised(m):
    """verify saw a limit that is too low, and env apply mended it."""
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_MAXSIZE=100")
    m.run("jitwarm verify")
    m.run("jitwarm env apply --max-size 1073741824")


def a_terminal_sets(m, line):
    """Where people put it: behind the line with which ~/.bashrc ends for shells that are not asked by a person."""
    m.env["SHELL"] = "/bin/bash"
    (m.home / ".profile").write_text('[ -z "$BASH_VERSION" ] || . "$HOME/.bashrc"\n')
    (m.home / ".bashrc").write_text(f'case $- in\n*i*) ;;\n*) return ;;\nesac\nif [ -d /usr ]; then\n    {line}\nfi\n')


def terminal_forces(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_FORCE_PTX_JIT=1")


def loads_another_driver(m, sets):
    m.plays("590.44.01")
    m.prime()
    other, = m.folder.glob("simcuda-*/d*/lib/libcuda.so.590.44.01")
    m.plays("580.126.09")
    m.prime()
    sets(m, f"export LD_LIBRARY_PATH={other.parent}")


def terminal_loads_another_driver(m):
    loads_another_driver(m, a_terminal_sets)


def login_loads_another_driver(m):
    loads_another_driver(m, a_login_sets)


def preloads_a_library(m, sets, functions):
    m.prime()
    library = m.home / "libbefore.so"
    library.write_bytes(b"\x7fELF\0" + functions + b"\0")
    sets(m, f"export LD_PRELOAD={library}")
    m.own()


def login_preloads_a_library_before_the_driver(m):
    preloads_a_library(m, a_login_sets, b"cuModuleLoadData")


def terminal_preloads_a_library_before_the_driver(m):
    preloads_a_library(m, a_terminal_sets, b"cuModuleLoadData")


def login_preloads_an_allocator(m):
    """It is never before the driver."""
    preloads_a_library(m, a_login_sets, b"malloc")


def a_driver_comes_where_it_looks_first(m, sets, what):
    """An installer of cuda-compat fills a folder that a start file names already."""
    m.plays("590.44.01")
    m.prime()
    other, = m.folder.glob("simcuda-*/d*/lib/libcuda.so.590.44.01")
    shutil.rmtree(m.home / ".local/state")
    m.plays("580.126.09")
    m.run("jitwarm version")
    here, = m.folder.glob("simcuda-*/d*/lib/libcuda.so.580.126.09")
    front = m.home / "compat"
    front.mkdir()
    sets(m, f"export LD_LIBRARY_PATH={front}:{here.parent}")
    m.own()
    m.run(f"jitwarm prime {what}")
    for file in other.parent.iterdir():
        shutil.copy(file, front, follow_symlinks=False)


def login_finds_another_driver(m):
    a_driver_comes_where_it_looks_first(m, a_login_sets, m.app)


def terminal_finds_another_driver(m):
    a_driver_comes_where_it_looks_first(m, a_terminal_sets, "")


def terminal_limit_too_low(m):
    """env apply writes what a terminal's file overrules."""
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_MAXSIZE=100")


def terminal_limit_too_low_and_primed(m):
    terminal_limit_too_low(m)
    m.run("jitwarm prime")


def login_and_terminal_limit_too_low(m):
    """The first line of Debian's own file, which a login reads, too."""
    m.prime()
    a_terminal_sets(m, ":")
    (m.home / ".bashrc").write_text("export CUDA_CACHE_MAXSIZE=100\n" + (m.home / ".bashrc").read_text())


def terminal_names_another_cache(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")


def terminal_names_the_cache_of_this_shell(m):
    """A shell that a terminal started: programs of a service use the driver's own place."""
    m.set["CUDA_CACHE_PATH"] = str(m.home / "cc")
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.prime()


def terminal_disables(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_DISABLE=1")


def login_execs_and_disables(m):
    """As people write exec zsh: the login shell never reads what it was asked."""
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1\nexec sh")


def terminal_execs_and_disables(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_DISABLE=1; exec sh")


def login_execs_a_shell_whose_terminals_disable(m):
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    m.prime()
    a_login_sets(m, "exec zsh")
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1", ".zshrc")


def login_execs_and_starts_as_here(m):
    """It answers as any other."""
    a_login_sets(m, "exec sh")
    m.prime()


def login_ends(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1\nexit 3")


def login_ends_and_never_primed(m):
    a_login_sets(m, "exit 3")
    m.own()


def login_ends_and_primed(m):
    """prime compiles what it can, and claims nothing of a login."""
    a_login_sets(m, "exit 3")
    m.own()
    done = m.run("jitwarm prime; jitwarm prime")
    if done.returncode != 1:
        raise SystemExit(f"a second prime ends with {done.returncode}: {done.stdout}{done.stderr}")


def terminal_ends(m):
    m.prime()
    a_terminal_sets(m, "exit 3")


def login_ends_in_another_file(m):
    """Its own line is one of a file that it reads."""
    a_login_sets(m, "if true; then  # exit 3\n  [ -t 0 ] || exit 3\nfi", "settings.sh")
    a_login_sets(m, '. "$HOME/settings.sh"')
    m.prime(f"--cache {m.nv}")


def login_ends_by_exec(m):
    """What is to stand there only a person knows."""
    a_login_sets(m, "export A=1\nexec true")
    m.prime(f"--cache {m.nv}")


def login_ends_in_two_places(m):
    """Its trace shows where."""
    a_login_sets(m, "false && exit 3\nexit 3")
    m.prime(f"--cache {m.nv}")


def login_forbids(m):
    m.prime()
    a_login_sets(m, "export CUDA_DISABLE_PTX_JIT=1")


def login_disables(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1")


def login_names_a_closed_cache(m):
    m.prime()
    (m.home / "shut").mkdir()
    (m.home / "shut").chmod(0o555)
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/shut/cache")


def terminal_names_a_file_as_cache(m):
    m.prime()
    (m.home / "notes").write_text("")
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/notes")


def login_names_a_relative_cache(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_PATH=cc")


def login_names_another_cache(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")


def login_names_another_cache_and_never_primed(m):
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.own()


def login_names_the_primed_cache(m):
    """A job of cron has not what a login sets."""
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.own()
    done = m.run("export CUDA_CACHE_PATH=$HOME/cc; jitwarm prime; rc=$?; unset CUDA_CACHE_PATH; (exit $rc)")
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")


def login_names_a_link_to_the_cache(m):
    """It is the same one."""
    m.prime()
    (m.home / "link").symlink_to(m.nv)
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/link")
    m.prime()


def cache_open_to_others(m):
    m.nv.mkdir(parents=True)
    m.nv.chmod(0o777)
    m.own()


def cache_open_to_others_at_login_too(m):
    shared = m.folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    a_login_sets(m, f"export CUDA_CACHE_PATH={shared}")
    m.set["CUDA_CACHE_PATH"] = str(shared)
    m.own()


def cache_open_to_others_and_a_prime_refused(m):
    """It was never begun: none was stopped."""
    cache_open_to_others(m)
    m.run(f"jitwarm prime; jitwarm prime {m.app}")


def cache_open_to_others_and_warm(m):
    m.prime()
    m.nv.chmod(0o777)


def cache_in_a_file_at_login_too(m):
    (m.home / "file").write_text("")
    a_login_sets(m, f"export CUDA_CACHE_PATH={m.home}/file/cache")
    m.set["CUDA_CACHE_PATH"] = f"{m.home}/file/cache"
    m.own()


def cache_in_memory_at_login_too(m):
    shared = pathlib.Path(f"/dev/shm/jitwarm-{os.getpid()}")
    if not shared.parent.is_dir():
        raise Skip("there is no /dev/shm")
    State.made.add(str(shared))
    a_login_sets(m, f"export CUDA_CACHE_PATH={shared}/cache")
    m.set["CUDA_CACHE_PATH"] = f"{shared}/cache"
    m.own()


STATES = {f.__name__.replace("_", "-"): f for f in (
    never_primed, nothing_here, warm, entry_damaged, entry_deleted, index_deleted, index_record_damaged, index_counts_more, index_of_another_format, index_damaged_and_one_deleted, cache_deleted, folder_deleted, folder_deleted_and_primed, folder_deleted_and_primed_and_cache_deleted, forgotten, package_uninstalled, package_uninstalled_and_primed_and_its_entry_deleted, environment_deleted, editable_install_came, editable_install_grew, editable_install_changed_during_the_prime, named_folder_deleted, named_file_became_a_script, named_file_became_a_script_and_cache_deleted, named_folder_emptied, named_folder_emptied_and_forgotten, named_folder_without_code, named_file_closed, folder_closed_inside_the_package, named_file_closed_and_primed, named_file_cut, named_file_cut_and_primed, named_file_cut_and_forgotten, cache_became_a_link, cache_of_found_software_became_a_link, cache_of_a_command_became_a_link, cache_gone_and_another_chosen, record_damaged_and_primed_again, record_damaged_and_other_software_found, index_record_without_a_file, named_file_a_pipe, named_file_a_pipe_and_primed, library_replaced, a_variable_names_more_packages, a_variable_names_more_packages_and_all_are_primed, another_environment_is_active, another_gpu, another_driver, older_driver,
    library_gone_native, one_of_two_files_deleted, one_of_two_folders_deleted, another_folder_primed, home_moved, stopped_then_another, refused_because_another_prime_ran, refused_because_another_prime_ran_and_primed_since, refused_because_nobody_was_asked, first_prime_killed, jitwarm_removed_meanwhile,
    home_unset, home_missing, home_is_a_file, home_relative, home_read_only, state_read_only, cache_read_only, cache_read_only_and_one_deleted,
    disk_full, disk_full_and_one_deleted, state_full, cache_full, disabled, gpus_hidden, gpus_hidden_and_never_primed, a_gpu_named_that_is_not_there, a_gpu_named_that_the_bus_has_not, limit_too_small, limit_too_small_at_login, limit_too_small_here_alone, limit_below_one_module_and_a_prime_without_room, limit_below_one_module_and_never_primed, limit_of_nothing_and_never_primed, limit_set_to_the_default, forced, refused, refused_by_two_names, crashed, too_new, without_code_for_this_gpu, unreadable,
    a_command_recorded, a_command_recorded_again_with_other_modules, a_command_recorded_again_with_other_modules_and_one_of_before_deleted, a_command_that_goes_on, a_recording_killed, a_recording_killed_and_cache_lost, a_command_terminated_and_a_file_added_to_its_folder, a_command_failed_and_a_file_added_to_its_folder, a_command_terminated_and_cache_lost, a_command_terminated_and_its_file_gone, software_and_a_command_gone_with_another_driver, other_cache_of_a_command_gone, another_version_of_a_compiler_of_a_command, other_cache_of_a_command_emptied, other_cache_of_a_command_damaged, other_cache_of_a_command_elsewhere, other_cache_of_a_login, other_cache_of_a_terminal, other_cache_of_a_login_at_the_same_place, a_file_of_a_command_replaced, a_command_of_a_folder, a_file_changed_in_the_folder_of_a_command, a_file_added_to_the_folder_of_a_command,
    a_file_removed_from_the_folder_of_a_command, a_log_in_the_folder_of_a_command, a_kernel_changed_beside_the_script_of_a_command, a_library_of_a_command_replaced, a_library_without_machine_code_of_a_command_replaced, a_kernel_file_of_a_command_replaced, a_compiler_of_a_command_replaced, a_command_with_modules_of_its_own, a_module_beside_the_script_of_a_command_changed, a_module_of_a_package_of_a_command_changed, a_module_added_beside_the_script_of_a_command, a_module_removed_beside_the_script_of_a_command, modules_of_a_command_checked_out_again, a_command_of_another_program_of_that_name, a_command_of_env_and_another_program, a_command_whose_script_has_another_interpreter, path_relative, path_of_the_kernel, path_in_a_file, place_is_a_link_to_nowhere, place_is_a_file, state_relative,
    crashed_on_it_with_another_compiler, driver_cut, driver_cut_before_its_headers_end, driver_cut_in_a_container, driver_cut_of_a_package, login_of_a_container, compiler_missing, compiler_cut_short, compiler_damaged, compiler_closed, compiler_missing_and_all_warm, compiler_never_there,
    command_with_its_own_cache, a_command_that_chose_a_cache_since, a_command_that_disables_its_cache_since, a_command_that_disables_its_cache_and_primed, a_file_added_to_the_folder_of_a_command_with_its_own_cache, own_cache_of_a_command_deleted, entry_closed, closed_index, index_read_only, folder_of_the_cache_closed, folder_above_the_cache_closed, cache_of_another_user, cache_of_root, closed_cache_of_another_user, closed_cache_of_root, empty_folder_of_another_user, made_by_root_in_the_home, driver_rolled_back, driver_rolled_back_to_one_that_primed_a_path,
    import_of_a_folder, import_of_what_is_found, import_of_everything, a_gpu_gone,
    everything_imported_and_all_there, everything_imported_and_one_deleted, everything_imported_and_one_damaged, everything_imported_and_verified_and_one_deleted, everything_imported_and_cache_deleted, everything_imported_and_nothing_found_and_one_deleted,
    everything_imported_and_one_deleted_and_the_record_pruned, everything_imported_and_one_deleted_and_imported_again, everything_imported_and_pruned, everything_imported_and_one_deleted_and_the_pack_gone, everything_imported_then_another_driver,
    native_software_and_another_driver, import_then_another_driver, import_and_verified_then_another_file, import_then_one_deleted, pack_for_another_gpu, cache_moved_and_back, cache_moved_and_copied_back,
    index_lost_and_read_only, index_lost_and_disabled, index_lost_and_another_driver, imported_and_index_lost, software_moved, two_gpus, pruned, two_caches, second_cache_is_cold, variable_forgotten, native_software_alone, variable_forgotten_beside_native_software, other_cache_gone_beside_native_software, command_elsewhere_beside_native_software, read_only_after_prime, limit_lowered_and_one_deleted, clock_set_back, state_forgotten, driver_and_software_changed,
    record_of_garbage, record_of_zeros, record_emptied, record_deleted, record_cut, record_damaged_inside, record_of_another_cache, record_a_folder, record_closed, lock_a_folder, records_a_file, state_a_file,
    cache_open_to_others, cache_open_to_others_at_login_too, cache_open_to_others_and_a_prime_refused, cache_open_to_others_and_warm, cache_in_a_file_at_login_too, cache_in_memory_at_login_too,
    a_command_recorded_with_another_driver, a_command_recorded_with_another_driver_and_primed, another_cache_is_asked_about,
    login_forces, login_forces_and_never_primed, login_forces_native_software, login_forbids, login_disables, primed_with_an_open_umask, state_open_to_others, login_names_more_packages, login_names_more_packages_since, login_names_packages_that_came_since, login_names_more_extensions, terminal_names_more_environments_with_packages, login_names_more_libraries, login_names_more_libraries_since, terminal_names_more_packages, shell_hides_another_gpu, shell_hides_another_gpu_that_is_warm, shell_hides_another_gpu_of_its_kind, shell_hides_another_gpu_since, login_limit_was_raised, terminal_forces, terminal_loads_another_driver, login_loads_another_driver, login_preloads_a_library_before_the_driver, terminal_preloads_a_library_before_the_driver, login_preloads_an_allocator, login_finds_another_driver, terminal_finds_another_driver, terminal_limit_too_low, terminal_limit_too_low_and_primed, login_and_terminal_limit_too_low, terminal_names_another_cache, terminal_names_the_cache_of_this_shell, terminal_disables, login_execs_and_disables, terminal_execs_and_disables, login_execs_a_shell_whose_terminals_disable, login_execs_and_starts_as_here, login_ends, login_ends_in_another_file, login_ends_by_exec, login_ends_in_two_places, login_ends_and_never_primed, login_ends_and_primed, terminal_ends, login_names_a_closed_cache, terminal_names_a_file_as_cache, login_names_a_relative_cache, login_names_another_cache, login_names_another_cache_and_never_primed, login_names_the_primed_cache, login_names_a_link_to_the_cache,
    login_shows_a_command_another_gpu, login_shows_a_command_another_gpu_and_primed, terminal_shows_a_command_another_gpu, login_shows_a_command_another_gpu_of_its_kind,
    a_command_recorded_again_after_verify, login_hides_all_gpus, terminal_hides_all_gpus,
    probe_garbage, probe_gone, probe_a_folder, state_of_the_kernel, state_in_a_file, state_is_a_device, own_state_is_a_file)}


# Only a person can mend these: the words that each verb then has.
PERSON = {**dict.fromkeys(("driver-cut", "driver-cut-before-its-headers-end", "driver-cut-in-a-container"), "is not a whole library"), "compiler-missing": "libnvidia-ptxjitcompiler.so.1", "compiler-cut-short": "libnvidia-ptxjitcompiler.so.1",
          "compiler-damaged": "libnvidia-ptxjitcompiler.so.1", "compiler-closed": "libnvidia-ptxjitcompiler.so.1", "compiler-never-there": "libnvidia-ptxjitcompiler.so.1",
          "disk-full-and-one-deleted": "is full", "state-full": "is full", "cache-full": "is full", "refused": "cannot compile", "refused-by-two-names": "cannot compile", "crashed": "its process ended", "home-moved": "", "import-of-everything": "", "a-command-terminated-and-its-file-gone": "", "software-and-a-command-gone-with-another-driver": "", "everything-imported-and-nothing-found-and-one-deleted": "1 of 3 imported modules", "everything-imported-and-one-deleted-and-the-pack-gone": "1 of 3 imported modules is gone from the cache, and the pack is not there any more", "older-driver": "newer driver", "folder-deleted": "", "folder-deleted-and-primed": "what was primed holds no CUDA code any more", "folder-deleted-and-primed-and-cache-deleted": "what was primed holds no CUDA code any more", "forgotten": "nor the software of 1 module in the cache: name its folder", "environment-deleted": "what was primed is gone", "named-folder-deleted": "what was primed is gone", "one-of-two-folders-deleted": "what was primed is gone", "unreadable": "libcut.so", "too-new": "newer driver", "without-code-for-this-gpu": "high.ptx", "second-cache-is-cold": "CUDA_CACHE_PATH", "software-moved": "",
          "cache-gone-and-another-chosen": "which is gone", "record-damaged-and-primed-again": "", "record-damaged-and-other-software-found": "name yours again", "named-file-became-a-script": "", "named-file-became-a-script-and-cache-deleted": "", "named-folder-emptied": "", "named-file-cut": "solver", "named-file-a-pipe": "solver", "named-file-cut-and-primed": "solver", "named-file-a-pipe-and-primed": "solver", "named-file-cut-and-forgotten": "nor the software of 1 module in the cache: name its folder", "nothing-here": "no CUDA code was found, and nothing was primed here yet"}


# What jitwarm remembers is lost, or cannot be kept: each verb says which file it is and why, and none that nothing was primed.
REMEMBERED = {"record-of-garbage": "warm.log is damaged from its first byte on", "record-of-zeros": "warm.log is damaged from its first byte on", "record-emptied": "warm.log is empty", "record-deleted": "warm.log is missing",
              "record-cut": "warm.log is damaged from byte", "record-damaged-inside": "warm.log is damaged from byte", "record-of-another-cache": "warm.log is about another cache",
              "record-a-folder": "warm.log is not a file", "record-closed": "warm.log: permission denied", "lock-a-folder": "lock is not a file", "records-a-file": "roots is not a folder", "state-a-file": "jitwarm is not a folder",
              "probe-a-folder": ".record is not a file", "state-of-the-kernel": "/proc/x/jitwarm (XDG_STATE_HOME): it is where the kernel shows itself",
              "state-is-a-device": "/dev/null/jitwarm (XDG_STATE_HOME): it leads to no folder",
              "state-in-a-file": "notes/jitwarm (XDG_STATE_HOME): it leads to no folder", "own-state-is-a-file": "notes (JITWARM_STATE): it is not a folder"}


# What a pack brought is not all there any more: no verb is content.
LOST_IMPORTS = {f"everything-imported-and-{name}": f"{n} of 3 imported modules {'is' if n == 1 else 'are'} {'damaged in' if 'damaged' in name else 'gone from'} the cache" for name, n in (
    ("one-deleted", 1), ("one-damaged", 1), ("verified-and-one-deleted", 1), ("cache-deleted", 3), ("nothing-found-and-one-deleted", 1), ("one-deleted-and-the-record-pruned", 1), ("one-deleted-and-the-pack-gone", 1))}
CLOSED = ("entry-closed", "closed-index", "index-read-only", "folder-of-the-cache-closed", "folder-above-the-cache-closed")
GONE = ("folder-deleted", "folder-deleted-and-primed", "forgotten", "environment-deleted", "named-folder-deleted", "one-of-two-folders-deleted", "named-file-became-a-script", "record-damaged-and-other-software-found")
LOGIN = {"login-forces": "CUDA_FORCE_PTX_JIT=1 is set there, by {home}/.profile", "login-forces-and-never-primed": "CUDA_FORCE_PTX_JIT=1 is set there, by {home}/.config/environment.d/90.conf",
         "login-forces-native-software": "CUDA_FORCE_PTX_JIT=1 is set there, by {home}/.config/environment.d/90.conf", "login-forbids": "CUDA_DISABLE_PTX_JIT=1 is set there, by {home}/.profile",
         "login-disables": "use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by {home}/.profile", "login-names-another-cache": "use another cache: CUDA_CACHE_PATH is {home}/cc there",
         "login-execs-and-disables": "programs of a fresh login use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by {home}/.profile",
         "terminal-execs-and-disables": "programs of a new terminal use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by {home}/.bashrc",
         "login-execs-a-shell-whose-terminals-disable": "programs of a new terminal use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by {home}/.zshrc",
         "login-ends": "how programs of a fresh login start is not known: its shell, /bin/sh, ended before it showed its environment; its last command was: exit 3, in line 2 of {home}/.profile",
         "login-ends-and-primed": "its last command was: exit 3, in line 1 of {home}/.profile", "login-ends-in-another-file": "its last command was: exit 3, in line 2 of {home}/settings.sh",
         "login-ends-by-exec": "its last command was: exec true, in line 2 of {home}/.profile", "login-ends-in-two-places": "its last command was: exit 3",
         "terminal-finds-another-driver": "programs of a new terminal is not known: they load another driver", "login-finds-another-driver": "programs of a fresh login is not known: they load another driver",
         "login-preloads-a-library-before-the-driver": "programs of a fresh login is not known: their LD_PRELOAD has {home}/libbefore.so", "terminal-preloads-a-library-before-the-driver": "programs of a new terminal is not known: their LD_PRELOAD has {home}/libbefore.so",
         "terminal-loads-another-driver": "programs of a new terminal is not known: they load another driver", "login-loads-another-driver": "programs of a fresh login is not known: they load another driver",
         "terminal-ends": "how programs of a new terminal start is not known: its shell, /bin/bash, ended before it showed its environment; its last command was: exit 3",
         "login-names-another-cache-and-never-primed": "", "login-names-the-primed-cache": "", "login-ends-and-never-primed": ""}
PERSON.update({name: "its last command was: ex" for name in ("login-ends-by-exec", "login-ends-in-two-places")})  # what is to stand there
PERSON.update({name: "they load another driver" for name in LOGIN if name.endswith("another-driver")})  # the machine's own one is always in front of a made shell
PERSON.update({name: "has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start" for name in ("a-command-that-disables-its-cache-and-primed",)})
PERSON["a-command-that-disables-its-cache-since"] = ""
PERSON.update({name: "CUDA_CACHE_PATH" for name in LOGIN if name.startswith("login-names")})
LOGIN.update({"login-names-a-closed-cache": "programs of a fresh login keep nothing, and compile at every start", "terminal-names-a-file-as-cache": "programs of a new terminal keep nothing, and compile at every start",
              "login-names-a-relative-cache": "programs of a fresh login have another cache in each working folder, or none"})  # which cache is meant
OTHER_MODULE = {"a-module-beside-the-script-of-a-command-changed": ("changed", "names.py"), "a-module-of-a-package-of-a-command-changed": ("changed", "pack/deep/which.py"),
                "a-module-added-beside-the-script-of-a-command": ("new", "plugin.py"), "a-module-removed-beside-the-script-of-a-command": ("(changed|gone)", "pack/")}
OTHER_PROGRAM = ("a-command-of-another-program-of-that-name", "a-command-of-env-and-another-program", "a-command-whose-script-has-another-interpreter")
ELSEWHERE = ("variable-forgotten", "variable-forgotten-beside-native-software", "other-cache-gone-beside-native-software")
# status speaks of what was primed, the others of all software: it says so, and how to ask.
SCOPE = "Everything primed is warm. Whether all software here is:"


def answer_of(a):
    return a.get("json", {}).get("next_start")


def cold(a):
    """doctor: of which software it says that it is compiled; None: of none it says anything."""
    ids = [f["id"] for f in a["json"].get("findings", [])]
    return True if any(i.startswith("framework-jit") for i in ids) else False if "framework-warm" in ids else None


def disagreements(answers):
    """What verbs do not say of any one machine."""
    status, check, verify, doctor = (answers[v] for v in ("status", "check", "verify", "doctor"))
    said = {v: answer_of(answers[v]) for v in ("status", "check", "verify")}
    narrow = SCOPE in status["text"] and SCOPE in answers["plain"]["text"] and status["todo"] == ["jitwarm prime --check"]
    if {"warm", "compiles"} <= set(said.values()) and not narrow:
        yield f"they differ: {said}"
    for v in ("check", "verify"):
        if (answers[v]["code"] == 0) != (said[v] == "warm"):
            yield f"{v} ends with {answers[v]['code']} and says {said[v]}"
    apart = "use another cache" in (check["json"].get("next_start_why") or "")  # doctor speaks of what this shell starts, and then of a login
    gone = any(f["id"] == "import-gone" for f in doctor["json"].get("findings", []))  # and no software of it is found
    if (cold(doctor) is True and said["check"] == "warm") or (cold(doctor) is False and said["check"] == "compiles" and not apart and not gone):
        yield f"doctor says {[f['id'] for f in doctor['json']['findings']]}, prime --check {said['check']}"
    if said["check"] == "warm" and any(f["id"] == "framework-no-kernel" for f in doctor["json"].get("findings", [])):
        yield "prime --check says warm, and doctor that software does not run"
    if said["check"] == "compiles" and status["json"].get("last_prime") and said["status"] != "warm" and not doctor["code"]:
        yield "what was primed compiles, and doctor ends with 0"
    asked_again = any(f["id"] == "state-damaged" for f in doctor["json"].get("findings", []))  # doctor, check and verify ask the driver, and know then
    if said["status"] != "warm" and not doctor["code"] and not asked_again and not re.match("nothing was primed here yet|the last prime found nothing", status["json"].get("next_start_why") or ""):
        yield f"status says {status['json'].get('next_start_why')}, and doctor ends with 0"
    if "nothing is wrong" in doctor["text"] and any(c.startswith("jitwarm prime") for c in doctor["todo"]):
        yield "doctor says that nothing is wrong, and what to do is to prime"
    for v in ("check", "verify"):
        if "could not be read" in "".join(answers[v]["todo"]) and "could not be read" not in answers[v]["text"].split("To do")[0]:
            yield f"{v} speaks of what could not be read: {answers[v]['todo']}"
    proof = re.search(r"^verified: .*", verify["text"], re.M | re.S)
    if proof and verify["code"] and ", but " not in " ".join(proof[0].split()):
        yield f"verify ends with {verify['code']} and {proof[0]!r}"
    if status["todo"] != answers["plain"]["todo"]:
        yield f"status and jitwarm alone: {status['todo']} {answers['plain']['todo']}"


def contradictions(answers, name):
    status, check, verify, doctor = (answers[v] for v in ("status", "check", "verify", "doctor"))
    said = {v: answer_of(answers[v]) for v in ("status", "check", "verify")}
    yield from disagreements(answers)
    if name in GONE and set(said.values()) != {"unknown"}:
        yield f"they differ: {said}"
    if name != "nothing-here" and (re.search("nothing (else )?is wrong", " ".join(doctor["text"].split())) is not None) != (not doctor["code"]):
        yield f"doctor ends with {doctor['code']}"
    if name == "nothing-here":
        for v in ("check", "verify", "doctor"):
            if f"not known what starts compile: {PERSON[name]}" not in " ".join(answers[v]["text"].split()).lower().replace("cuda", "CUDA") or "othing to do" in answers[v]["text"]:
                yield f"{v} has other words"
    if re.search("(in|to|from)-the-folder-of-a-command|beside-the-script-of-a-command", name):
        log = name.startswith("a-log")
        if log != (set(said.values()) == {"warm"}) or (not log and {"warm"} & set(said.values())) or log == bool(doctor["code"]):
            yield f"of a folder that a command names: {said}, and doctor ends with {doctor['code']}"
    if name == "command-with-its-own-cache" and "verified: fresh processes loaded the one module of the start that was recorded" not in " ".join(verify["text"].split()):
        yield f"verify does not verify the cache that a command chose: {verify['text']}"
    if name == "native-software-alone":
        clause = "no module of what was found here has to be compiled"
        if any(clause not in " ".join(answers[v]["text"].split()) for v in ("check", "verify")) or any("jitwarm verify" in t for a in answers.values() for t in a["todo"]):
            yield "there is nothing to verify, and the verbs say it in other words"
    if name == "driver-rolled-back" and doctor["code"]:
        yield "doctor warns of a driver that was taken back, and all is warm"
    if name in LOST_IMPORTS:
        for v, a in answers.items():
            text = " ".join(a["text"].split())
            if not re.search(LOST_IMPORTS[name], text) or re.search("[Nn]othing to do|is nothing to verify|nothing is wrong", text) or "warm" in said.values() or (v in ("check", "verify", "doctor") and a["code"] != 1):
                yield f"{v} ends with {a['code']} and does not say {LOST_IMPORTS[name]!r}"
            if name in PERSON and "jitwarm import" in "".join(a["todo"]) and name.endswith("the-pack-gone"):
                yield f"{v} names a pack that is not there: {a['todo']}"
            if not name.endswith("the-pack-gone") and not any(c.startswith("jitwarm import") for c in a["todo"]):
                yield f"{v} does not name the pack: {a['todo']}"
    if name.startswith("everything-imported") and name not in LOST_IMPORTS and any("imported module" in a["text"] and "gone from the cache" in a["text"] for a in answers.values()):
        yield "an import is missed, and nothing of it is"
    if name in CLOSED and not all(re.match("chmod (-R )?u[+]rw|jitwarm prime", c) for c in doctor["todo"]):
        yield f"doctor does not open what its owner closed: {doctor['todo']}"
    if name in CLOSED and name != "entry-closed" and any(a["todo"] != doctor["todo"] for a in answers.values()):
        yield f"what is closed is opened by other commands: {[a['todo'] for a in answers.values()]}"
    if name.endswith(("cache-of-another-user", "cache-of-root")) and any("jitwarm prune" in a["text"] for a in answers.values()):
        yield "files that were not seen are said to be gone"
    if name == "login-of-a-container":
        for v in ("check", "verify", "doctor"):
            if answers[v]["code"] == 1 and v != "doctor" or "CUDA_CACHE_DISABLE" not in answers[v]["text"]:
                yield f"{v} ends with {answers[v]['code']}, or has no word on the login"
        if "setting-differs-at-login" not in [f["id"] for f in doctor["json"]["findings"] if f["severity"] == "note"]:
            yield "doctor has no note on the login"
    if name.startswith("driver-cut"):
        for v, a in answers.items():
            text = " ".join(a["text"].split())
            if "libcuda.so.580.126.09, is not a whole library" not in text or "reboot" in text or said.get(v, "unknown") != "unknown":
                yield f"{v} does not say which file is cut off: {said}"
        if name == "driver-cut-of-a-package" and doctor["todo"] != ["sudo apt-get install --reinstall libnvidia-compute-580:amd64"]:
            yield f"doctor does not name the package: {doctor['todo']}"
    if name.endswith(("of-another-user", "cache-of-root")) and any(re.split(" && |   #", c)[0] != "unset CUDA_CACHE_PATH" for a in answers.values() for c in a["todo"]):
        yield f"a cache of another user: {[a['todo'] for a in answers.values()]}"
    if re.match("place-is-a|state-relative", name):
        line = "unset JITWARM_STATE" if name == "state-relative" else r"mv \S+/.nv \S+/.nv.old"
        for v, a in answers.items():
            if len(a["todo"]) != 1 or not re.match(f"{line}( && |$)", a["todo"][0]) or (v in ("check", "verify", "doctor") and a["code"] != (2 if name == "state-relative" else 1 if v == "doctor" else 4)):
                yield f"{v} ends with {a['code']} and does not name {line}: {a['todo']}"
    if re.match("(login|terminal)-names-.*(packages|libraries|extensions)", name):
        since = name.endswith("since")
        if ("warm" in said.values()) is since or [a["todo"] != ["jitwarm prime"] for a in answers.values()].count(True) * since or any(bool(answers[v]["code"]) is not since for v in ("check", "verify", "doctor")):
            yield f"what a login's variables name: {said} {[(a['code'], a['todo']) for a in answers.values()]}"
    if name.startswith("shell-hides"):
        lacks = not name.endswith(("warm", "kind"))
        if ("warm" in said.values()) is lacks or any(bool(answers[v]["code"]) is not lacks for v in ("check", "verify", "doctor")):
            yield f"GPUs that a login alone shows: {said} {[(a['code'], a['todo']) for a in answers.values()]}"
        asking = [answers[v] for v in ("check", "verify", "doctor") + (() if name.endswith("since") else ("status", "plain"))] if lacks else []
        if any("sm_90" not in answers[v]["text"] for v in ("check", "verify")) and not name.endswith("kind"):
            yield "a GPU that a login shows is not named"
        if any(not a["todo"] or not a["todo"][-1].startswith("env -u CUDA_VISIBLE_DEVICES jitwarm prime") for a in asking):
            yield f"it does not name the line that compiles for the hidden GPU: {[a['todo'] for a in asking]}"
    if "-shows-a-command-another-gpu" in name:
        same, where = name.endswith("kind"), "a new terminal" if name.startswith("terminal") else "a fresh login"
        if same != (set(said.values()) == {"warm"}) or (not same and "warm" in said.values()) or any(bool(answers[v]["code"]) is same for v in ("check", "verify", "doctor")):
            yield f"a command that another GPU is shown: {said} {[(a['code'], a['todo']) for a in answers.values()]}"
        for v in () if same else ("check", "verify", "doctor"):
            if f"was started with other GPUs than {where} shows: CUDA_VISIBLE_DEVICES=1" not in " ".join(answers[v]["text"].split()) or not all(c.startswith("export CUDA_VISIBLE_DEVICES=1") for c in answers[v]["todo"]):
                yield f"{v} does not say which GPUs, or another line: {answers[v]['todo']}"
    if name.endswith("-hides-all-gpus"):
        file = "bashrc" if name.startswith("terminal") else "profile"
        if set(said.values()) != {"warm"} or not doctor["code"] or not re.fullmatch(rf"sed -i.bak .*CUDA_VISIBLE_DEVICES=/d' \S+/.{file}", doctor["todo"][-1]):
            yield f"a login without a GPU: {said}, and doctor ends with {doctor['code']}: {doctor['todo']}"
        if any("see no GPU: CUDA_VISIBLE_DEVICES=" not in " ".join(answers[v]["text"].split()) for v in ("check", "verify")):
            yield "check and verify do not note it"
    if name == "a-command-recorded-again-after-verify" and (set(said.values()) != {"warm"} or doctor["code"]):
        yield f"prime said that all is warm: {said}, and doctor ends with {doctor['code']}"
    if name == "editable-install-changed-during-the-prime" and (answers["check"]["code"] != 1 or "warm" in said.values() or any(a["todo"] != ["jitwarm prime"] for a in answers.values())):
        yield f"what a .pth file names now was not primed: {said} {[a['todo'] for a in answers.values()]}"
    if re.search("next starts compile (it|them) again", " ".join(status["text"].split())) and (said["status"] == "warm" or "jitwarm prune --gone" in " ".join(status["todo"])):
        yield f"status says what the next starts compile, and that nothing needs it: {status['text']}"
    if name == "entry-closed" and any("damaged" in a["text"] for a in answers.values()):
        yield "an entry that cannot be read is called damaged"
    if re.match("limit-(too-small|below|lowered)", name):
        todo = {c.split("   #")[0] for a in answers.values() for c in a["todo"]}
        if len(todo) != 1 or (name.endswith("here-alone") and todo != {"export CUDA_CACHE_MAXSIZE=4294967296"}):
            yield f"what raises the limit is not one line: {todo}"
    if name == "limit-set-to-the-default" and (set(said.values()) != {"warm"} or doctor["code"]):
        yield f"a limit that is high enough: {said}, and doctor ends with {doctor['code']}"
    if name == "index-record-without-a-file" and not all("jitwarm prune --yes" in " ".join(answers[v]["text"].split()) for v in ("status", "doctor")):
        yield "status and doctor do not both name what removes the record"
    if re.match("index-(?!.*(read-only|disabled|without-a-file))", name) and any(a["todo"] != ["jitwarm status --repair"] for a in answers.values()):
        yield f"the index: {[a['todo'] for a in answers.values()]}"
    if name in LOGIN:
        todo = {tuple(c.split("   #")[0].split(" && ")[0] for c in a["todo"]) for a in answers.values()}
        if len(todo) != 1 or (not re.match("login-(names|ends-and-never)", name) and any(c.startswith("jitwarm prime") for one in todo for c in one)):
            yield f"what mends the login: {todo}"
        for v, a in answers.items():
            words = re.compile(re.escape(LOGIN[name]).replace("\\{home\\}", "[^ ]*"))
            if v != "doctor" and not words.search(" ".join(a["text"].split())):
                yield f"{v} does not say {LOGIN[name]!r}"
            if (v in ("check", "verify", "doctor") and a["code"] != 1) or "warm" in said.values() or re.search("[Nn]othing to do|othing to verify|nothing is wrong|next start compiles nothing", a["text"]):
                yield f"{v} is content with a login that starts otherwise, and ends with {a['code']}"
    if re.match("cache-open-to-others", name) and not name.endswith("warm"):
        if any(not c.startswith("jitwarm env apply --path" if "login" in name else "chmod go-w ") for a in answers.values() for c in a["todo"]) or len({tuple(a["todo"]) for a in answers.values()}) != 1:
            yield f"one line closes the folder: {[a['todo'] for a in answers.values()]}"
        for v, a in answers.items():
            if (v != "plain" and "everybody may write to the cache's folder" not in " ".join(a["text"].split())) or "was stopped" in a["text"]:
                yield f"{v} does not say who may write there, or that a prime was stopped"
    if name == "a-command-recorded-with-another-driver-and-primed":
        for v, a in answers.items():
            if "1 recorded command was started with another driver" not in " ".join(a["text"].split()) or not all(re.match(r"cd \S+ && jitwarm prime --run ", c) for c in a["todo"]):
                yield f"{v} has another reason, or another line: {a['todo']}"
    if re.match("a-(recording-|command-(terminated|failed))", name):
        line = "jitwarm prune --gone" if name.endswith("gone") else "jitwarm prime --run "
        for v, a in answers.items():
            if len(a["todo"]) != 1 or not a["todo"][0].startswith(line) or said.get(v) == "warm" or (v in ("check", "verify", "doctor") and a["code"] != 1):
                yield f"{v} ends with {a['code']}, and does not name {line!r}: {a['todo']}"
    if name in ("a-command-with-modules-of-its-own", "modules-of-a-command-checked-out-again") and (set(said.values()) != {"warm"} or doctor["code"]):
        yield f"nothing has changed: {said}, and doctor ends with {doctor['code']}"
    if name in OTHER_MODULE:
        why = f"{OTHER_MODULE[name][0]} since a command that names its folder was recorded: "
        for v, a in answers.items():
            text = " ".join(a["text"].split())
            if not re.search(why + r"\S+/tool/" + OTHER_MODULE[name][1], text) or len(a["todo"]) != 1 or not a["todo"][0].startswith("jitwarm prime --run ") or said.get(v, "unknown") != "unknown" or (v in ("check", "verify", "doctor") and a["code"] != 1):
                yield f"{v} ends with {a['code']}, and does not say {why + OTHER_MODULE[name][1]}: {a['todo']}"
    if name in OTHER_PROGRAM:
        for v, a in answers.items():
            text = " ".join(a["text"].split())
            if not re.search(r"solve is now \S+/env2/bin/solve, and not \S+/env1/bin/solve, which was recorded", text) or len(a["todo"]) != 1 or not a["todo"][0].startswith("jitwarm prime --run ") or said.get(v, "unknown") != "unknown" or (v in ("check", "verify", "doctor") and a["code"] != 1):
                yield f"{v} ends with {a['code']}, and does not say which program it is now: {a['todo']}"
    if re.match("a-(library|kernel-file)-(without-machine-code-)?of-a-command-replaced", name) and "warm" in said.values():
        yield f"what a command loads is another file now: {said}"
    if name.startswith("other-cache-of-a-command") and any("1 of 1 file of cupy's cache that" not in " ".join(a["text"].split()) for v, a in answers.items() if v != "plain"):
        yield "not each verb says which file of another cache is not as it was"
    if re.match("other-cache-of-a-(login|terminal)", name):
        same = name.endswith("place")
        if ("warm" in said.values()) is not same or any(bool(answers[v]["code"]) is same for v in ("check", "verify", "doctor")):
            yield f"a cache that a login names: {said}, and doctor ends with {doctor['code']}"
        for v, a in () if same else answers.items():
            if v != "plain" and "has another one of cupy's caches than" not in " ".join(a["text"].split()):
                yield f"{v} does not say which cache"
            if any(not re.match(r"export CUPY_CACHE_DIR=\S+/kernels && ", c) for c in a["todo"]):
                yield f"{v} does not give this shell that cache: {a['todo']}"
    if re.match("limit-(below-one-module|of-nothing)", name) and any("export CUDA_CACHE_MAXSIZE=" not in c for a in answers.values() for c in a["todo"] or [""]):
        yield f"not each verb raises the limit: {[a['todo'] for a in answers.values()]}"
    if name == "a-command-that-disables-its-cache-and-primed":
        for v, a in answers.items():
            if len(a["todo"]) != 1 or not re.match(r"grep -n CUDA_CACHE_DISABLE \S+/solver/serve( |$)", a["todo"][0]) or (v in ("check", "verify", "doctor") and a["code"] != 1) or "warm" in said.values():
                yield f"{v} ends with {a['code']}, and does not show the line: {a['todo']}"
    if name == "cache-of-a-command-became-a-link" and any(not re.match(r"cd \S+ && jitwarm prime --run ", c) for a in answers.values() for c in a["todo"] or [""]):
        yield f"not each verb starts the command again: {[a['todo'] for a in answers.values()]}"
    if name == "cache-of-found-software-became-a-link" and any("nothing was primed here" in " ".join(a["text"].split()) for a in answers.values()):
        yield "what was primed is where the link leads"
    if name == "cache-open-to-others-and-warm" and set(said.values()) != {"warm"}:
        yield f"what is warm stays: {said}"
    if name in ("login-names-a-link-to-the-cache", "login-execs-and-starts-as-here") and (set(said.values()) != {"warm"} or doctor["code"]):
        yield f"it is as here: {said}, and doctor ends with {doctor['code']}"
    if re.match("gpus-hidden|a-gpu-named", name):
        for v, a in answers.items():
            if v in ("status", "plain") and name == "a-gpu-named-that-is-not-there":  # it takes the driver to know that: so does prime
                if "changed since the last run: CUDA_VISIBLE_DEVICES" not in a["text"] or a["todo"] != ["jitwarm prime"]:
                    yield f"{v} does not say what has changed: {a['todo']}"
            elif "CUDA_VISIBLE_DEVICES=" not in a["text"] or not all(c.startswith("unset CUDA_VISIBLE_DEVICES") for c in a["todo"]):
                yield f"{v} does not name the variable: {a['todo']}"
    if name in ("folder-deleted-and-primed", "environment-deleted", "record-damaged-and-other-software-found") and any("jitwarm prune --gone" not in " ".join(a["todo"]) for a in answers.values()):
        yield f"what is gone: {[a['todo'] for a in answers.values()]}"
    if name == "folder-deleted" and any(a["todo"] != ["jitwarm prime"] for a in answers.values()):
        yield f"not all name the prime that remembers it: {[a['todo'] for a in answers.values()]}"
    if re.match("named-file-(cut|a-pipe)-and-primed", name) and doctor["todo"] != ["jitwarm prune --gone"]:
        yield f"doctor knows no way out: {doctor['todo']}"
    if "nor the software of" in PERSON.get(name, "") and any(PERSON[name] not in " ".join(a["text"].split()) for a in answers.values()):
        yield "not all say whose code is not known"
    for v, a in answers.items():
        if name in ("warm", "a-command-recorded") and any(c.startswith("jitwarm scan") for c in a["todo"]):
            yield f"{v}: all is warm, and what to do is {a['todo']}"
    if name in ELSEWHERE and any(a["todo"] != ["jitwarm prime"] for a in answers.values()):
        yield f"what to do: {[a['todo'] for a in answers.values()]}"
    if (name in ELSEWHERE or name.startswith("command-elsewhere")) and ("warm" in said.values() or not doctor["code"]):
        yield f"another cache was primed: {said}, and doctor ends with {doctor['code']}"
    if name == "stopped-then-another" and not ("1 of 1 module of finished primes; not finished" in " ".join(status["text"].split()) and "modules that are left" in status["text"]):
        yield "status does not say what was stopped, and what its line goes on with"
    for v, a in answers.items() if name in REMEMBERED else ():
        text = " ".join(a["text"].split())
        if REMEMBERED[name] not in text or "nothing was primed here" in text or "nothing is wrong" in text:
            yield f"{v} does not say {REMEMBERED[name]!r}, or says that nothing was primed, or that nothing is wrong"
        if a["todo"] != answers["status"]["todo"] and [c.split(" && ")[0] for c in a["todo"]] != answers["status"]["todo"]:
            yield f"{v} has another To do than status: {a['todo']} {answers['status']['todo']}"
    for v, a in answers.items():
        if name == "first-prime-killed" and "a prime was stopped before its end" not in " ".join(a["text"].split()):
            yield f"{v} does not say that a prime was stopped"
        if name in ("second-cache-is-cold", *ELSEWHERE[:2]) and "nothing was primed for this cache yet; what was primed is in" not in " ".join(a["text"].split()):
            yield f"{v} does not say which cache was primed"
        if name == "refused-by-two-names" and "cannot compile 2 modules" in " ".join(a["text"].split()):
            yield f"{v} counts one module twice"
        if said["check"] != "warm" and not a["todo"] and name not in PERSON:
            yield f"{v} has no To do"
        if PERSON.get(name) and v in ("check", "doctor", *(["status"] if name in ("refused", "refused-by-two-names", "crashed", "too-new", "without-code-for-this-gpu") else [])) and PERSON[name] not in " ".join(a["text"].split()):
            yield f"{v} does not say {PERSON[name]!r}"


def followed(m, verb):
    """What a person does who reads one verb: (what was typed, whether it is warm then)."""
    typed, shown = [], m.ask(verb)
    for _ in range(STEPS):
        if answer_of(m.ask("check")) == "warm":
            return typed, True
        command = (shown["todo"] or m.ask(verb)["todo"] or [None])[-1]
        if not command:
            break
        command = command.split("   #")[0]
        typed.append(command)
        done = m.run(command)
        text = done.stdout + done.stderr
        if done.returncode in (2, 126, 127):
            raise SystemExit(f"{typed}: ended with {done.returncode}: {text}")
        if re.match(r"jitwarm prime\b(?!.*--check)", command) and any(re.search("(HOME|CUDA_CACHE_PATH)=.*mktemp", c) for c in typed) and "of this shell alone" not in " ".join(text.split()):
            raise SystemExit(f"{typed}: another shell does not see it, and nobody says so: {text}")
        shown = {"todo": re.findall(r"^ *To do  +(.*)$", text, re.M)}
    return typed, answer_of(m.ask("check")) == "warm"


def settled(m):
    """What verify has found is remembered: status says the same after it, and names no other command for it."""
    passed = m.run("jitwarm verify").returncode == 0
    status = m.ask("status")
    if any(c.startswith("jitwarm verify") for c in status["todo"]):
        yield f"verify ran, and then status says {status['todo']}"
    if passed and answer_of(status) != "warm":
        yield f"verify passed, and then status says {status['json'].get('next_start_why')!r}"


def judge(o, name, scratch):
    bad, number = [], 0

    def made():
        nonlocal number
        number += 1
        m = State(o, scratch / str(number))
        m.note = ""
        STATES[name](m)
        m.own_but_rights()
        return m
    answers = made().answers()
    bad += contradictions(answers, name)
    asks = any(re.match("jitwarm verify(?! --cache)", c) for c in answers["status"]["todo"]) and answer_of(answers["verify"]) != "compiles"
    if asks or answer_of(answers["verify"]) == "warm" != answer_of(answers["status"]) and not re.search("is full|no CUDA code was found", answers["check"]["text"]):
        bad += settled(made())
    if name in PERSON:  # a line that compiles does so once
        typed, _ = followed(made(), "status")
        again = [c for c in set(typed) if typed.count(c) > 1 and re.search(r"^jitwarm prime(?!.*--check)", c)]
        bad += [f"status: {c!r} changes nothing: {typed}" for c in again]
    for verb in () if name in PERSON else ("status", "check", "verify", "doctor") if o.what == "each" else ("status",):
        typed, warm = followed(made(), verb)
        if not warm:
            bad.append(f"{verb}: not warm after {typed}")
    return bad, answers


def main():
    p = argparse.ArgumentParser()
    for name in ("tool", "sim", "gen"):
        p.add_argument(f"--{name}")
    p.add_argument("what", choices=("state", "each", "list", "show"))
    p.add_argument("name", nargs="?")
    o = p.parse_args()
    if o.what == "list":
        print("\n".join(STATES))
        return
    with folder_on_disk("jitwarm-state-") as folder:
        try:
            bad, answers = judge(o, o.name, folder)
        except Skip as why:
            print(why)
            sys.exit(77)
        finally:
            State.clear(folder)
    if bad or o.what == "show":
        print("\n".join([*bad, *(f"--- {v}: exit {a['code']}, {answer_of(a)}\n{a['text']}" for v, a in answers.items())]))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
