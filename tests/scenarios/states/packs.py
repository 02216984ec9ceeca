"""What a pack brought."""
import os
import shutil

from .row import state
from .rules import each_verb_names_the_pack, misses_nothing_of_a_pack, misses_of_a_pack, no_command_is
from .software import native_beside

GONE = "1 of 3 imported modules is gone from the cache"


def imported(m, more, then):
    m.prime()
    m.do(f"jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.tar.zst --allow-unsigned {more}")
    then()


@state()
def import_then_another_driver(m):
    imported(m, m.app, lambda: m.plays("590.44.01"))


@state()
def import_and_verified_then_another_file(m):
    imported(m, m.app, lambda: (m.run("jitwarm verify"), m.module(m.app / "new.ptx")))


@state()
def import_then_one_deleted(m):
    m.module(m.app / "k.ptx")
    imported(m, m.app, lambda: m.entries()[0].unlink())


@state()
def pack_for_another_gpu(m):
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local")
    m.plays("580.126.09", "sm_90")
    m.run(f"jitwarm import {m.home}/p.tar.zst --allow-unsigned {m.app}")


@state()
def imported_and_index_lost(m):
    imported(m, m.app, lambda: (m.nv / "index").unlink())


@state()
def import_of_a_folder(m):
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r .nv {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.jwpack --allow-unsigned {m.app}")


@state()
def import_of_what_is_found(m):
    """Software is here, and nothing was asked for by its name."""
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r {m.home}/.nv {m.home}/.local; jitwarm import {m.home}/p.jwpack --allow-unsigned --everything")


@state(person="")
def import_of_everything(m):
    m.prime()
    m.run(f"jitwarm export -o {m.home}/p.jwpack && rm -r {m.home}/.nv {m.home}/.local {m.app}; jitwarm import {m.home}/p.jwpack --allow-unsigned --everything")


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


@state(misses_nothing_of_a_pack())
def everything_imported_and_all_there(m):
    everything_imported(m, lambda: None)


@state(misses_of_a_pack(GONE), each_verb_names_the_pack())
def everything_imported_and_one_deleted(m):
    everything_imported(m, lambda: m.entries()[0].unlink())


@state(misses_of_a_pack("1 of 3 imported modules is damaged in the cache"), each_verb_names_the_pack())
def everything_imported_and_one_damaged(m):
    def damaged():
        entry = m.entries()[0]
        entry.write_bytes(b"x" * entry.stat().st_size)
        os.utime(entry, (1e9, 1e9))  # a younger one may still be being written
    everything_imported(m, damaged)


@state(misses_of_a_pack(GONE), each_verb_names_the_pack())
def everything_imported_and_verified_and_one_deleted(m):
    everything_imported(m, lambda: (m.run("jitwarm verify"), m.entries()[0].unlink()))


@state(misses_of_a_pack("3 of 3 imported modules are gone from the cache"), each_verb_names_the_pack())
def everything_imported_and_cache_deleted(m):
    everything_imported(m, lambda: shutil.rmtree(m.nv))


@state(misses_of_a_pack(GONE), each_verb_names_the_pack(), person="1 of 3 imported modules")
def everything_imported_and_nothing_found_and_one_deleted(m):
    everything_imported(m, lambda: m.entries()[0].unlink(), lambda m: None)


@state(misses_of_a_pack(GONE), each_verb_names_the_pack())
def everything_imported_and_one_deleted_and_the_record_pruned(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.run("jitwarm prune --yes")))


@state(misses_nothing_of_a_pack())
def everything_imported_and_one_deleted_and_imported_again(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.run(EVERYTHING.format(m.home))))


@state(misses_nothing_of_a_pack())
def everything_imported_and_pruned(m):
    everything_imported(m, lambda: m.run("jitwarm prune --all --yes"))


@state(misses_of_a_pack(GONE), no_command_is("jitwarm import"), person="1 of 3 imported modules is gone from the cache, and the pack is not there any more")
def everything_imported_and_one_deleted_and_the_pack_gone(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), (m.home / "p.tar.zst").unlink()))


@state(misses_nothing_of_a_pack())
def everything_imported_then_another_driver(m):
    everything_imported(m, lambda: (m.entries()[0].unlink(), m.plays("590.44.01")))
