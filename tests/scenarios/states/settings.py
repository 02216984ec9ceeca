"""What the shell of the person sets: the home, the cache's place and limit, the GPUs."""
import os
import shutil

from .row import state
from .rules import (END, all_verbs_name_the_same, each_verb_names, names_the_variable_that_changed, names_the_variable_that_hides_gpus, never_says, says, stays_warm)


@state(person="")
def home_moved(m):
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime(m.module(m.folder / "solver/k.ptx").parent)
    bob = m.home.with_name("bob")
    m.home.rename(bob)
    m.home, m.nv, m.set["HOME"] = bob, bob / ".nv/ComputeCache", str(bob)


@state()
def home_unset(m):
    m.prime()
    m.set["HOME"] = None


@state()
def home_missing(m):
    m.prime()
    m.set["HOME"] = str(m.folder / "nobody-is-here")


@state()
def home_is_a_file(m):
    m.own()
    (m.folder / "a-file").write_text("")
    m.set["HOME"] = str(m.folder / "a-file")


@state()
def home_relative(m):
    m.prime()
    m.set["HOME"] = os.path.relpath(m.home, m.folder)


@state()
def path_relative(m):
    m.own()
    m.set["CUDA_CACHE_PATH"] = "cache"


@state()
def path_of_the_kernel(m):
    m.own()
    m.set["CUDA_CACHE_PATH"] = "/proc/nothing"


@state()
def path_in_a_file(m):
    m.prime()
    (m.home / "file").write_text("")
    m.set["CUDA_CACHE_PATH"] = f"{m.home}/file/cache"


@state()
def home_read_only(m):
    m.own()
    m.home.chmod(0o555)


@state()
def disabled(m):
    m.prime()
    m.set["CUDA_CACHE_DISABLE"] = "1"


def stopped(m, setting):
    """What it was asked for no search finds, and no record but that of what is left to do."""
    shutil.rmtree(m.app)
    named = m.module(m.folder / "solver/k.ptx").parent
    m.own()
    done = m.run(f"{setting} jitwarm prime {named}")
    if done.returncode not in (1, 4):
        raise SystemExit(f"the prime ends with {done.returncode}: {done.stdout}{done.stderr}")


@state(says("not finished", "status"), never_says("no CUDA code was found", *END))
def prime_stopped_by_a_disabled_cache(m):
    stopped(m, "CUDA_CACHE_DISABLE=1")


@state(says("not finished", "status"), never_says("no CUDA code was found", *END))
def prime_stopped_by_a_driver_that_may_not_compile(m):
    stopped(m, "CUDA_DISABLE_PTX_JIT=1")


@state(says("not finished", "status"), never_says("no CUDA code was found", *END))
def prime_stopped_by_a_path_of_the_kernel(m):
    stopped(m, "CUDA_CACHE_PATH=/proc/nothing")


@state(says("not finished", "status"), never_says("no CUDA code was found", *END))
def prime_stopped_by_a_cache_that_cannot_be_written(m):
    m.nv.mkdir(parents=True)
    stopped(m, f"chmod 555 {m.nv}; trap 'chmod 755 {m.nv}' EXIT; ")


@state(names_the_variable_that_hides_gpus())
def gpus_hidden(m):
    m.prime()
    m.set["CUDA_VISIBLE_DEVICES"] = ""


@state(names_the_variable_that_hides_gpus())
def gpus_hidden_and_never_primed(m):
    m.own()
    m.set["CUDA_VISIBLE_DEVICES"] = "-1"


@state(names_the_variable_that_changed("status", "plain"), names_the_variable_that_hides_gpus(*END))
def a_gpu_named_that_is_not_there(m):
    m.prime()
    m.set["CUDA_VISIBLE_DEVICES"] = "7"


@state(names_the_variable_that_hides_gpus())
def a_gpu_named_that_the_bus_has_not(m):
    """Without the driver it is known how many there are at most."""
    m.on_the_bus("0x2484")
    a_gpu_named_that_is_not_there(m)


@state(all_verbs_name_the_same())
def limit_too_small(m):
    m.prime()
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


@state(all_verbs_name_the_same(), each_verb_names("export CUDA_CACHE_MAXSIZE="))
def limit_below_one_module_and_a_prime_without_room(m):
    m.set["CUDA_CACHE_MAXSIZE"] = "300"
    m.own()
    m.run("jitwarm prime")


@state(each_verb_names("export CUDA_CACHE_MAXSIZE="))
def limit_of_nothing_and_never_primed(m):
    """A prime without a terminal would warm nothing. Which driver is here was asked before: its limit is that of a fresh login."""
    m.set["CUDA_CACHE_MAXSIZE"] = "0"
    m.own()
    m.run("jitwarm doctor")


@state(all_verbs_name_the_same(), each_verb_names("export CUDA_CACHE_MAXSIZE="))
def limit_below_one_module_and_never_primed(m):
    m.set["CUDA_CACHE_MAXSIZE"] = "300"
    m.own()
    m.run("jitwarm doctor")


@state(all_verbs_name_the_same())
def limit_too_small_at_login(m):
    """Of the login and of this shell: one line raises both."""
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=4096\n")
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


@state(all_verbs_name_the_same("export CUDA_CACHE_MAXSIZE=4294967296"))
def limit_too_small_here_alone(m):
    """The login has more than would be recommended: that is what this shell gets."""
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_MAXSIZE=4294967296\n")
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"


@state(stays_warm())
def limit_set_to_the_default(m):
    m.prime()
    m.set["CUDA_CACHE_MAXSIZE"] = "1073741824"


@state()
def forced(m):
    m.prime()
    m.set["CUDA_FORCE_PTX_JIT"] = "1"


@state(all_verbs_name_the_same())
def limit_lowered_and_one_deleted(m):
    m.module(m.app / "k.ptx")
    m.prime()
    m.entries()[0].unlink()
    m.set["CUDA_CACHE_MAXSIZE"] = "4096"
