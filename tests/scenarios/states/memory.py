"""What jitwarm remembers is lost, damaged, or cannot be kept."""
import re
import shutil

from .row import state
from .rules import each_verb_names, next_start_is, one_command_mends_it, what_is_remembered_is_lost
from .software import named_file


@state(person="")
def record_damaged_and_primed_again(m):
    """What was named is not found without its name."""
    named_file(m)
    for log in m.home.rglob("warm.log"):
        log.write_bytes(b"x" * 64 + log.read_bytes()[64:])
    m.prime()
    m.prime()


@state(next_start_is("unknown"), each_verb_names("jitwarm prune --gone"), person="name yours again")
def record_damaged_and_other_software_found(m):
    """What was named has its entries in the cache, and no run knows of what they are."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    for log in m.home.rglob("warm.log"):
        log.write_bytes(b"x" * 64 + log.read_bytes()[64:])
    m.prime()
    m.prime()


@state(one_command_mends_it(re.compile("unset JITWARM_STATE( && |$)"), check=2, verify=2, doctor=2))
def state_relative(m):
    m.prime()
    m.set["JITWARM_STATE"] = "memory"


@state()
def state_read_only(m):
    m.own()
    (m.home / ".local").mkdir()
    (m.home / ".local").chmod(0o555)


@state()
def state_forgotten(m):
    m.prime()
    shutil.rmtree(m.home / ".local")


def record(m):
    """What jitwarm remembers of this cache."""
    m.prime()
    path, = (m.home / ".local/state/jitwarm/caches").glob("*/warm.log")
    return path


@state(what_is_remembered_is_lost("warm.log is damaged from its first byte on"))
def record_of_garbage(m):
    record(m).write_bytes(bytes(i * 37 % 251 for i in range(3000)))


@state(what_is_remembered_is_lost("warm.log is damaged from its first byte on"))
def record_of_zeros(m):
    path = record(m)
    path.write_bytes(bytes(path.stat().st_size))


@state(what_is_remembered_is_lost("warm.log is empty"))
def record_emptied(m):
    record(m).write_bytes(b"")


@state(what_is_remembered_is_lost("warm.log is missing"))
def record_deleted(m):
    """Its lock says that there was one."""
    record(m).unlink()


@state(what_is_remembered_is_lost("warm.log is damaged from byte"))
def record_cut(m):
    path = record(m)
    path.write_bytes(path.read_bytes()[:-20])


@state(what_is_remembered_is_lost("warm.log is damaged from byte"))
def record_damaged_inside(m):
    path = record(m)
    data = bytearray(path.read_bytes())
    data[300:304] = b"XXXX"
    path.write_bytes(data)


@state(what_is_remembered_is_lost("warm.log is about another cache"))
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


@state(what_is_remembered_is_lost("warm.log is not a file"))
def record_a_folder(m):
    in_place_of(record(m), True)


@state(what_is_remembered_is_lost("warm.log: permission denied"))
def record_closed(m):
    m.prime()
    path, = (m.home / ".local/state/jitwarm/caches").glob("*/warm.log")
    path.chmod(0)


@state(what_is_remembered_is_lost("lock is not a file"))
def lock_a_folder(m):
    in_place_of(record(m).parent / "lock", True)


@state(what_is_remembered_is_lost("caches is not a folder"))
def records_a_file(m):
    in_place_of(record(m).parent.parent, False)


@state(what_is_remembered_is_lost("jitwarm is not a folder"))
def state_a_file(m):
    in_place_of(record(m).parent.parent.parent, False)


@state()
def probe_garbage(m):
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        path.write_bytes(bytes(i * 37 % 251 for i in range(3000)))


@state()
def probe_gone(m):
    """Of the driver that is here: its library says which build it is."""
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        path.unlink()


@state(what_is_remembered_is_lost(".record is not a file"))
def probe_a_folder(m):
    m.prime()
    for path in (m.home / ".local/state/jitwarm/drivers").iterdir():
        in_place_of(path, True)


@state(what_is_remembered_is_lost("/proc/x/jitwarm (XDG_STATE_HOME): it is where the kernel shows itself"))
def state_of_the_kernel(m):
    m.prime()
    m.set["XDG_STATE_HOME"] = "/proc/x"


@state(what_is_remembered_is_lost("notes/jitwarm (XDG_STATE_HOME): it leads to no folder"))
def state_in_a_file(m):
    m.prime()
    (m.home / "notes").write_text("")
    m.set["XDG_STATE_HOME"] = str(m.home / "notes")


@state(what_is_remembered_is_lost("/dev/null/jitwarm (XDG_STATE_HOME): it leads to no folder"))
def state_is_a_device(m):
    """A person who wants no state: it is no folder, and the variable is what mends it."""
    m.prime()
    m.set["XDG_STATE_HOME"] = "/dev/null"


@state(what_is_remembered_is_lost("notes (JITWARM_STATE): it is not a folder"))
def own_state_is_a_file(m):
    m.prime()
    (m.home / "notes").write_text("")
    m.set["JITWARM_STATE"] = str(m.home / "notes")


@state()
def primed_with_an_open_umask(m):
    m.own()
    done = m.run("umask 0; jitwarm prime")
    if done.returncode or (m.home / ".local/state/jitwarm").stat().st_mode & 0o22:
        raise SystemExit(f"made a folder that it does not use: {done.stdout}{done.stderr}")


@state()
def state_open_to_others(m):
    """As a person with an open umask may have made it."""
    m.prime()
    (m.home / ".local/state/jitwarm").chmod(0o777)
