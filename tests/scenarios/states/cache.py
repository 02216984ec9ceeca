"""What happens to the driver's cache: its entries, its index, its folder, its disk, its owner."""
import os
import pathlib
import re
import shutil
import subprocess

from .logins import a_login_sets
from .machine import Skip, State
from .row import state
from .rules import (all_name, all_verbs_name_what_doctor_does, each_command_is, each_verb_names, everybody_may_write_there, never_says, next_start_is, nobody_is_content,
                    one_command_mends_it, says)
from .software import named_file, native_beside

MOVES = re.compile(r"mv \S+/.nv \S+/.nv.old( && |$)")
OPENS = re.compile("chmod (-R )?u[+]rw|jitwarm prime")
NOT_MINE = re.compile("unset CUDA_CACHE_PATH( && |   #|$)")


@state()
def entry_damaged(m):
    m.prime()
    entry = m.entries()[0]
    data = bytearray(entry.read_bytes())
    data[len(data) // 2:len(data) // 2 + 64] = bytes(64)
    entry.write_bytes(data)


@state()
def entry_deleted(m):
    m.prime()
    m.entries()[0].unlink()


@state(all_name("jitwarm status --repair"))
def index_deleted(m):
    m.prime()
    (m.nv / "index").unlink()


def index_changed(m, at, data):
    m.module(m.app / "k.ptx")
    m.prime()
    index = bytearray((m.nv / "index").read_bytes())
    index[at:at + len(data)] = data
    (m.nv / "index").write_bytes(index)


@state(all_name("jitwarm status --repair"))
def index_record_damaged(m):
    index_changed(m, 24, b"XXXXXXXX")


@state(all_name("jitwarm status --repair"))
def index_counts_more(m):
    index_changed(m, 4, b"X")


@state(all_name("jitwarm status --repair"))
def index_of_another_format(m):
    index_changed(m, 0, b"X")


@state(all_name("jitwarm status --repair"))
def index_damaged_and_one_deleted(m):
    index_changed(m, 24, b"XXXXXXXX")
    m.entries()[0].unlink()


@state()
def cache_deleted(m):
    m.prime()
    shutil.rmtree(m.nv)


@state()
def cache_became_a_link(m):
    """To a larger disk; its path is another one now, and what is in it the same."""
    named_file(m)
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


@state(never_says("nothing was primed here"))
def cache_of_found_software_became_a_link(m):
    """Nothing is named, and nothing recorded."""
    m.prime()
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


@state(person="which is gone")
def cache_gone_and_another_chosen(m):
    """As doctor says where nothing can be kept in the old one any more."""
    named_file(m)
    shutil.rmtree(m.home / ".nv")
    (m.home / ".nv").symlink_to("/nonexistent")
    m.set["CUDA_CACHE_PATH"] = str(m.home / "new")


@state(says("jitwarm prune --yes", "status", "doctor"))
def index_record_without_a_file(m):
    """Another program had it compiled, and its entry was deleted."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    m.entries()[0].unlink()
    shutil.rmtree(m.home / ".local")
    shutil.rmtree(m.home / "solver")
    m.prime()


@state(one_command_mends_it(MOVES, check=4, verify=4))
def place_is_a_link_to_nowhere(m):
    m.own()
    (m.home / ".nv").symlink_to(m.folder / "a-disk-that-is-not-mounted")


@state(one_command_mends_it(MOVES, check=4, verify=4))
def place_is_a_file(m):
    m.own()
    (m.home / ".nv").write_text("")


@state()
def cache_read_only(m):
    m.own()
    m.nv.mkdir(parents=True)
    m.own()
    m.nv.chmod(0o555)


@state()
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


@state()
def disk_full(m):
    m.prime()
    full(m, m.home)


@state(person="is full")
def disk_full_and_one_deleted(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home)


@state(person="is full")
def state_full(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home / ".local")


@state(person="is full")
def cache_full(m):
    m.prime()
    m.entries()[0].unlink()
    full(m, m.home / ".nv")


NEW_CACHE = 'export CUDA_CACHE_PATH="$(mktemp -d /var/tmp/cuda-cache.XXXXXXXX)" && jitwarm env apply --path "$CUDA_CACHE_PATH"'


@state(each_verb_names(NEW_CACHE))
def disk_too_small(m):
    """An empty disk for the cache alone, and one module that is larger."""
    path = m.module(m.app / "k.ptx")
    path.write_text(path.read_text() + f"// {'x' * (12 << 20)}\n")
    m.own()
    (m.home / ".nv").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", m.home / ".nv"], capture_output=True, check=False).returncode:
        raise Skip("a tmpfs cannot be mounted here")
    m.mounted.append(m.home / ".nv")
    m.own()
    if m.run("jitwarm prime").returncode != 7:
        raise SystemExit("prime does not ask")


@state(each_verb_names(NEW_CACHE))
def disk_too_small_and_a_part_primed(m):
    disk_too_small(m)
    m.run("jitwarm prime --yes")


@state()
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


def closed(m, path, mode):
    m.prime()
    m.own()
    path().chmod(mode)


@state(each_command_is(OPENS, "doctor"), never_says("damaged"))
def entry_closed(m):
    closed(m, lambda: m.entries()[0], 0)


@state(each_command_is(OPENS, "doctor"), all_verbs_name_what_doctor_does())
def closed_index(m):
    closed(m, lambda: m.nv / "index", 0)


@state(each_command_is(OPENS, "doctor"), all_verbs_name_what_doctor_does())
def index_read_only(m):
    closed(m, lambda: m.nv / "index", 0o444)


@state(each_command_is(OPENS, "doctor"), all_verbs_name_what_doctor_does())
def folder_of_the_cache_closed(m):
    closed(m, lambda: m.nv, 0)


@state(each_command_is(OPENS, "doctor"), all_verbs_name_what_doctor_does())
def folder_above_the_cache_closed(m):
    closed(m, lambda: m.nv.parent, 0)


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


@state(each_command_is(NOT_MINE), never_says("jitwarm prune"))
def cache_of_another_user(m):
    of_another_user(m, 54321, 0o755)


@state(each_command_is(NOT_MINE), never_says("jitwarm prune"))
def cache_of_root(m):
    of_another_user(m, 0, 0o755)


@state(each_command_is(NOT_MINE), never_says("jitwarm prune"))
def closed_cache_of_another_user(m):
    of_another_user(m, 54321, 0o700)


@state(each_command_is(NOT_MINE), never_says("jitwarm prune"))
def closed_cache_of_root(m):
    of_another_user(m, 0, 0o700)


@state(each_command_is(NOT_MINE))
def empty_folder_of_another_user(m):
    of_another_user(m, 54321, 0o755)
    for path in m.others.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)


@state()
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


@state()
def cache_moved_and_back(m):
    m.prime()
    m.nv.rename(m.home / "moved")
    m.run("jitwarm status; jitwarm prime --check; jitwarm verify")
    if m.nv.exists():
        shutil.rmtree(m.nv)
    (m.home / "moved").rename(m.nv)


@state()
def cache_moved_and_copied_back(m):
    m.prime()
    shutil.copytree(m.nv, m.home / "moved")
    shutil.rmtree(m.nv)
    shutil.copytree(m.home / "moved", m.nv)


@state()
def two_caches(m):
    m.prime()
    m.prime(f"--cache {m.home}/second")
    shutil.rmtree(m.home / "second")


@state(says("nothing was primed for this cache yet; what was primed is in"), person="CUDA_CACHE_PATH")
def second_cache_is_cold(m):
    m.prime()
    m.set["CUDA_CACHE_PATH"] = str(m.home / "second")
    m.nv = m.home / "second"


@state(all_name("jitwarm prime"), nobody_is_content(), says("nothing was primed for this cache yet; what was primed is in"))
def variable_forgotten(m):
    """What was named was primed for a cache that a variable names; another shell does not have it."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime(f"--cache {m.home}/second {m.module(m.home / 'solver/k.ptx').parent}")


@state(all_name("jitwarm prime"), nobody_is_content(), says("nothing was primed for this cache yet; what was primed is in"))
def variable_forgotten_beside_native_software(m):
    native_beside(m)
    m.prime(f"--cache {m.home}/second {m.module(m.home / 'solver/k.ptx').parent}")


@state(all_name("jitwarm prime"), nobody_is_content())
def other_cache_gone_beside_native_software(m):
    variable_forgotten_beside_native_software(m)
    shutil.rmtree(m.home / "second")


@state()
def read_only_after_prime(m):
    m.prime()
    for path in (m.nv, *m.nv.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


@state()
def index_lost_and_read_only(m):
    m.prime()
    (m.nv / "index").unlink()
    for path in (m.nv, *m.nv.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


@state()
def index_lost_and_disabled(m):
    m.prime()
    (m.nv / "index").unlink()
    m.set["CUDA_CACHE_DISABLE"] = "1"


@state(all_name("jitwarm status --repair"))
def index_lost_and_another_driver(m):
    m.prime()
    (m.nv / "index").unlink()
    m.plays("590.44.01")


@state()
def pruned(m):
    m.prime()
    m.run("jitwarm prune --all --yes")


@state(everybody_may_write_there("chmod go-w "))
def cache_open_to_others(m):
    m.nv.mkdir(parents=True)
    m.nv.chmod(0o777)
    m.own()


@state(everybody_may_write_there("jitwarm env apply --path"))
def cache_open_to_others_at_login_too(m):
    shared = m.folder / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    a_login_sets(m, f"export CUDA_CACHE_PATH={shared}")
    m.set["CUDA_CACHE_PATH"] = str(shared)
    m.own()


@state(everybody_may_write_there("chmod go-w "))
def cache_open_to_others_and_a_prime_refused(m):
    """It was never begun: none was stopped."""
    cache_open_to_others(m)
    m.run(f"jitwarm prime; jitwarm prime {m.app}")


@state(next_start_is("warm"))
def cache_open_to_others_and_warm(m):
    m.prime()
    m.nv.chmod(0o777)


@state()
def cache_in_a_file_at_login_too(m):
    (m.home / "file").write_text("")
    a_login_sets(m, f"export CUDA_CACHE_PATH={m.home}/file/cache")
    m.set["CUDA_CACHE_PATH"] = f"{m.home}/file/cache"
    m.own()


@state()
def cache_in_memory_at_login_too(m):
    shared = pathlib.Path(f"/dev/shm/jitwarm-{os.getpid()}")
    if not shared.parent.is_dir():
        raise Skip("there is no /dev/shm")
    State.made.add(str(shared))
    a_login_sets(m, f"export CUDA_CACHE_PATH={shared}/cache")
    m.set["CUDA_CACHE_PATH"] = f"{shared}/cache"
    m.own()
