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


def two_gpus(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.on_the_bus("0x2484")
    m.on_the_bus("0x2330", slot=2)


def one_gpu(m):
    m.plays("580.126.09", "sm_86")
    shutil.rmtree(m.root / "sys/bus/pci/devices/0000:02:00.0")


@state()
def a_pulled_pack_and_one_of_its_gpus_gone(m):
    """Its entries for that one stay, and nothing needs them."""
    two_gpus(m)
    m.do(f"mkdir {m.home}/packs; jitwarm prime && jitwarm push {m.home}/packs && rm -r {m.home}/.nv {m.home}/.local && jitwarm pull {m.home}/packs --allow-unsigned")
    one_gpu(m)


@state()
def a_pulled_pack_and_its_only_gpu_gone(m):
    """A pack of the GPU that is here was never made."""
    two_gpus(m)
    m.do(f"mkdir {m.home}/packs; jitwarm prime --gpu 1 && jitwarm push {m.home}/packs && rm -r {m.home}/.nv {m.home}/.local")
    m.run(f"jitwarm pull {m.home}/packs --allow-unsigned")
    one_gpu(m)


def imported_with_a_hidden_gpu(m):
    """Everything of a pack for the second GPU, of software that is not here; and once more in a shell that shows the first one alone."""
    two_gpus(m)
    m.do(f"jitwarm prime --gpu 1 && jitwarm export -o {m.home}/p.tar.zst && rm -r {m.home}/.nv {m.home}/.local {m.app} && {EVERYTHING.format(m.home)}")
    native_beside(m)
    m.own()
    done = m.run(f"CUDA_VISIBLE_DEVICES=0 {EVERYTHING.format(m.home)}")
    if done.returncode != 5:
        raise SystemExit(f"the second import: {done.returncode} {done.stdout}{done.stderr}")


@state(misses_nothing_of_a_pack())
def imported_again_while_its_gpu_is_hidden(m):
    imported_with_a_hidden_gpu(m)


@state(misses_of_a_pack("1 of 1 imported module is gone from the cache"))
def imported_again_while_its_gpu_is_hidden_and_one_deleted(m):
    imported_with_a_hidden_gpu(m)
    m.entries()[0].unlink()


@state()
def imported_again_while_its_gpu_is_hidden_and_one_deleted_there(m):
    """The shell that does not show it: an import there is refused."""
    imported_again_while_its_gpu_is_hidden_and_one_deleted(m)
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
