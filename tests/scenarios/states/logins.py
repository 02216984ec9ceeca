"""Settings of this shell against those of a fresh login and a new terminal."""
import json
import pathlib
import re
import shutil
import sys

from .commands import CUPY, LOAD, a_command_recorded, loader, other_cache_of_a_command_gone
from .machine import Skip
from .row import state
from .rules import (END, a_command_sees_another_gpu, a_login_of_a_container_is_a_note, a_login_starts_otherwise, all_name, another_cache_at_login,
                    names_the_hidden_gpu, no_gpu_is_seen_there, nobody_is_content, stays_warm)


@state(a_login_of_a_container_is_a_note())
def login_of_a_container(m):
    """Its shells may read these files (`bash -l`); its entry point does not."""
    (m.root / ".dockerenv").write_text("")
    m.prime()
    (m.home / ".profile").write_text("export CUDA_CACHE_DISABLE=1\n")


def recorded_with_another_compiler(m):
    """CuPy keeps a file where CUPY_CACHE_DIR says."""
    other_cache_of_a_command_gone(m)
    m.run(f"jitwarm prime --run {sys.executable} {m.home}/solver/load.py {m.home}/solver/k1.ptx")


@state(nobody_is_content(), another_cache_at_login())
def other_cache_of_a_login(m):
    recorded_with_another_compiler(m)
    a_login_sets(m, "export CUPY_CACHE_DIR=$HOME/kernels")


@state(nobody_is_content(), another_cache_at_login("Numba", "XDG_CACHE_HOME"))
def folder_of_caches_of_a_login(m):
    """No variable of the compiler alone: all of them have it there."""
    of_cupy = 'os.environ.get("CUPY_CACHE_DIR", os.environ["HOME"] + "/.cupy/kernel_cache")'
    kept = loader(m, CUPY.replace(of_cupy, 'os.environ.get("XDG_CACHE_HOME", os.environ["HOME"] + "/.cache") + "/numba"') + LOAD)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx && test -d $HOME/.cache/numba")
    a_login_sets(m, "export XDG_CACHE_HOME=$HOME/kernels")


@state(nobody_is_content(), another_cache_at_login())
def other_cache_of_a_terminal(m):
    recorded_with_another_compiler(m)
    a_terminal_sets(m, "export CUPY_CACHE_DIR=$HOME/kernels")


@state(stays_warm())
def other_cache_of_a_login_at_the_same_place(m):
    recorded_with_another_compiler(m)
    a_login_sets(m, "export CUPY_CACHE_DIR=$HOME/.cupy/kernel_cache")
    m.run("jitwarm prime")


def a_login_sets(m, line, file=".profile"):
    path = m.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{line}\n")


@state(a_login_starts_otherwise("CUDA_FORCE_PTX_JIT=1 is set there, by …/.profile"))
def login_forces(m):
    m.prime()
    a_login_sets(m, "export CUDA_FORCE_PTX_JIT=1")


@state(a_login_starts_otherwise("CUDA_FORCE_PTX_JIT=1 is set there, by …/.config/environment.d/90.conf"))
def login_forces_and_never_primed(m):
    a_login_sets(m, "CUDA_FORCE_PTX_JIT=1", ".config/environment.d/90.conf")
    m.own()


@state(a_login_starts_otherwise("CUDA_FORCE_PTX_JIT=1 is set there, by …/.config/environment.d/90.conf"))
def login_forces_native_software(m):
    """It has PTX beside its machine code, as most wheels."""
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/registered.so", m.app / "libapp.so")
    m.prime()
    a_login_sets(m, "CUDA_FORCE_PTX_JIT=1", ".config/environment.d/90.conf")


def is_searched(m, path):
    """prime has primed it, and scan lists it."""
    said = json.loads(m.run("jitwarm prime --check --json").stdout)
    places = m.run("jitwarm scan -v").stdout
    if str(path) not in said["targets"]["paths"] or not re.search(rf"{re.escape(str(path))} \([^)]*of a (fresh login|new terminal)", " ".join(places.split())):
        raise SystemExit(f"{path} is not searched: {said['targets']}\n{places}")


def cold_elsewhere(m):
    """The same with something to compile."""
    return m.module(m.folder / "apps/site-packages/other/other.ptx").parent.parent


@state(stays_warm())
def login_names_more_packages(m):
    """A cron job's shell has not what a login has."""
    a_login_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


@state(all_name("jitwarm prime"), nobody_is_content())
def login_names_more_packages_since(m):
    m.prime()
    a_login_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")


@state(all_name("jitwarm prime"), nobody_is_content())
def login_names_packages_that_came_since(m):
    a_login_sets(m, f"export PYTHONPATH={m.folder}/apps/site-packages")
    m.prime()
    cold_elsewhere(m)


@state(stays_warm())
def login_names_more_extensions(m):
    a_login_sets(m, f"export TORCH_EXTENSIONS_DIR={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


@state(stays_warm())
def terminal_names_more_environments_with_packages(m):
    """As conda does it, behind the guard of ~/.bashrc."""
    site = m.module(m.folder / "apps/env/lib/python3.11/site-packages/other/other.ptx").parent.parent
    a_terminal_sets(m, f"export VIRTUAL_ENV={m.folder}/apps/env")
    m.prime()
    is_searched(m, site)


@state(stays_warm())
def login_names_more_libraries(m):
    site = cold_elsewhere(m)
    a_login_sets(m, f"export LD_LIBRARY_PATH={site}/other")
    m.prime()
    is_searched(m, site / "other")


@state(all_name("jitwarm prime"), nobody_is_content())
def login_names_more_libraries_since(m):
    m.prime()
    a_login_sets(m, f"export LD_LIBRARY_PATH={cold_elsewhere(m)}/other")


@state(stays_warm())
def terminal_names_more_packages(m):
    a_terminal_sets(m, f"export PYTHONPATH={cold_elsewhere(m)}")
    m.prime()
    is_searched(m, m.folder / "apps/site-packages")


def hides(m, kind="sm_90"):
    m.plays("580.126.09", f"sm_86 --gpu {kind}")
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    m.own()


@state(nobody_is_content(), names_the_hidden_gpu("status", "plain", *END))
def shell_hides_another_gpu(m):
    """As Slurm and Jupyter do. A login shows programs both; the hidden one may be at another person's work, and nothing is compiled on it."""
    hides(m)
    done = m.run("jitwarm prime")
    if done.returncode != 1 or not m.entries() or any(b"sm_90" in entry.read_bytes()[:200] for entry in m.entries()):
        raise SystemExit(f"the hidden GPU is left alone: {done.returncode} {done.stdout}")


@state(stays_warm(), names_the_hidden_gpu())
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


@state(stays_warm())
def shell_hides_another_gpu_of_its_kind(m):
    hides(m, "sm_86")
    m.prime()
    said = m.run("jitwarm prime --check; jitwarm verify").stdout
    if "CUDA_VISIBLE_DEVICES" in said or "hidden" in said:
        raise SystemExit(f"that is normal: {said}")


@state(nobody_is_content(), names_the_hidden_gpu(*END))
def shell_hides_another_gpu_since(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=0")
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    m.prime()
    a_login_sets(m, "")


@state(nobody_is_content(), a_command_sees_another_gpu("a fresh login"))
def login_shows_a_command_another_gpu(m):
    """Of another kind: here it started on the first one."""
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    a_command_recorded(m)
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1")


@state(nobody_is_content(), a_command_sees_another_gpu("a fresh login"))
def login_shows_a_command_another_gpu_and_primed(m):
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    m.prime()
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD)
    m.prime(f"--run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1,0")
    m.run("jitwarm prime")


@state(nobody_is_content())
def login_starts_a_command_eagerly(m):
    a_command_recorded(m)
    a_login_sets(m, "export CUDA_MODULE_LOADING=EAGER")


@state(nobody_is_content())
def terminal_starts_a_command_eagerly(m):
    a_command_recorded(m)
    a_terminal_sets(m, "export CUDA_MODULE_LOADING=EAGER")


@state(nobody_is_content(), a_command_sees_another_gpu("a new terminal"))
def terminal_shows_a_command_another_gpu(m):
    m.plays("580.126.09", "sm_90 --gpu sm_86")
    a_command_recorded(m)
    a_terminal_sets(m, "export CUDA_VISIBLE_DEVICES=1")


@state(stays_warm())
def login_shows_a_command_another_gpu_of_its_kind(m):
    m.plays("580.126.09", "sm_86 --gpu sm_86")
    a_command_recorded(m)
    a_login_sets(m, "export CUDA_VISIBLE_DEVICES=1")
    m.run("jitwarm prime")


@state(no_gpu_is_seen_there(".profile"))
def login_hides_all_gpus(m, file=".profile"):
    """Nothing compiles there, and doctor alone has what to do."""
    m.prime()
    a_login_sets(m, 'export CUDA_VISIBLE_DEVICES=""')
    m.own()
    m.run("jitwarm prime")


@state(no_gpu_is_seen_there(".bashrc"))
def terminal_hides_all_gpus(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_VISIBLE_DEVICES=-1")
    m.own()
    m.run("jitwarm prime")


@state(stays_warm())
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


@state()
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


@state()
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


@state(a_login_starts_otherwise("programs of a new terminal is not known: they load another driver"), person="they load another driver")
def terminal_loads_another_driver(m):
    loads_another_driver(m, a_terminal_sets)


@state(a_login_starts_otherwise("programs of a fresh login is not known: they load another driver"), person="they load another driver")
def login_loads_another_driver(m):
    loads_another_driver(m, a_login_sets)


def preloads_a_library(m, sets, functions, variable="LD_PRELOAD"):
    m.prime()
    library = m.home / "libbefore.so"
    library.write_bytes(b"\x7fELF\0" + functions + b"\0")
    sets(m, f"export {variable}={library}")
    m.own()


@state(a_login_starts_otherwise("programs of a fresh login is not known: their LD_PRELOAD has …/libbefore.so"))
def login_preloads_a_library_before_the_driver(m):
    preloads_a_library(m, a_login_sets, b"cuModuleLoadData")


@state(a_login_starts_otherwise("programs of a new terminal is not known: their LD_PRELOAD has …/libbefore.so"))
def terminal_preloads_a_library_before_the_driver(m):
    preloads_a_library(m, a_terminal_sets, b"cuModuleLoadData")


@state(a_login_starts_otherwise("programs of a fresh login is not known: their LD_AUDIT has …/libbefore.so"))
def login_has_an_auditor(m):
    """It need not have functions of the driver: it says where the loader finds them."""
    preloads_a_library(m, a_login_sets, b"la_objsearch", "LD_AUDIT")


@state()
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


@state(a_login_starts_otherwise("programs of a fresh login is not known: they load another driver"), person="they load another driver")
def login_finds_another_driver(m):
    a_driver_comes_where_it_looks_first(m, a_login_sets, m.app)


@state(a_login_starts_otherwise("programs of a new terminal is not known: they load another driver"), person="they load another driver")
def terminal_finds_another_driver(m):
    a_driver_comes_where_it_looks_first(m, a_terminal_sets, "")


@state()
def terminal_limit_too_low(m):
    """env apply writes what a terminal's file overrules."""
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_MAXSIZE=100")


@state()
def terminal_limit_too_low_and_primed(m):
    terminal_limit_too_low(m)
    m.run("jitwarm prime")


@state()
def login_and_terminal_limit_too_low(m):
    """The first line of Debian's own file, which a login reads, too."""
    m.prime()
    a_terminal_sets(m, ":")
    (m.home / ".bashrc").write_text("export CUDA_CACHE_MAXSIZE=100\n" + (m.home / ".bashrc").read_text())


@state()
def terminal_names_another_cache(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")


@state()
def terminal_names_the_cache_of_this_shell(m):
    """A shell that a terminal started: programs of a service use the driver's own place."""
    m.set["CUDA_CACHE_PATH"] = str(m.home / "cc")
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.prime()


@state()
def terminal_disables(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_DISABLE=1")


@state(a_login_starts_otherwise("programs of a fresh login use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by …/.profile"))
def login_execs_and_disables(m):
    """As people write exec zsh: the login shell never reads what it was asked."""
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1\nexec sh")


@state(a_login_starts_otherwise("programs of a new terminal use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by …/.bashrc"))
def terminal_execs_and_disables(m):
    m.prime()
    a_terminal_sets(m, "export CUDA_CACHE_DISABLE=1; exec sh")


@state(a_login_starts_otherwise("programs of a new terminal use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by …/.zshrc"))
def login_execs_a_shell_whose_terminals_disable(m):
    if not shutil.which("zsh"):
        raise Skip("there is no zsh")
    m.prime()
    a_login_sets(m, "exec zsh")
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1", ".zshrc")


@state(stays_warm())
def login_execs_and_starts_as_here(m):
    """It answers as any other."""
    a_login_sets(m, "exec sh")
    m.prime()


@state(a_login_starts_otherwise("how programs of a fresh login start is not known: its shell, /bin/sh, ended before it showed its environment; its last command was: exit 3, in line 2 of …/.profile"))
def login_ends(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1\nexit 3")


@state(a_login_starts_otherwise(primes=True))
def login_ends_and_never_primed(m):
    a_login_sets(m, "exit 3")
    m.own()


@state(a_login_starts_otherwise("its last command was: exit 3, in line 1 of …/.profile"))
def login_ends_and_primed(m):
    """prime compiles what it can, and claims nothing of a login."""
    a_login_sets(m, "exit 3")
    m.own()
    done = m.run("jitwarm prime; jitwarm prime")
    if done.returncode != 1:
        raise SystemExit(f"a second prime ends with {done.returncode}: {done.stdout}{done.stderr}")


@state(a_login_starts_otherwise("how programs of a new terminal start is not known: its shell, /bin/bash, ended before it showed its environment; its last command was: exit 3"))
def terminal_ends(m):
    m.prime()
    a_terminal_sets(m, "exit 3")


@state(a_login_starts_otherwise("its last command was: exit 3, in line 2 of …/settings.sh"))
def login_ends_in_another_file(m):
    """Its own line is one of a file that it reads."""
    a_login_sets(m, "if true; then  # exit 3\n  [ -t 0 ] || exit 3\nfi", "settings.sh")
    a_login_sets(m, '. "$HOME/settings.sh"')
    m.prime(f"--cache {m.nv}")


@state(a_login_starts_otherwise("its last command was: exit 0, in line 1 of …/.profile"))
def login_ends_and_logs_out(m):
    """Its shell then runs the file of its end, as Debian's accounts have one."""
    a_login_sets(m, "exit 0")
    a_login_sets(m, "true that clears the screen", ".bash_logout")
    m.env["SHELL"] = "/bin/bash"
    m.prime(f"--cache {m.nv}")


@state(a_login_starts_otherwise("its last command was: exec true, in line 2 of …/.profile"), person="its last command was: ex")
def login_ends_by_exec(m):
    """What is to stand there only a person knows."""
    a_login_sets(m, "export A=1\nexec true")
    m.prime(f"--cache {m.nv}")


@state(a_login_starts_otherwise("its last command was: exit 3"), person="its last command was: ex")
def login_ends_in_two_places(m):
    """Its trace shows where."""
    a_login_sets(m, "false && exit 3\nexit 3")
    m.prime(f"--cache {m.nv}")


@state(a_login_starts_otherwise("CUDA_DISABLE_PTX_JIT=1 is set there, by …/.profile"))
def login_forbids(m):
    m.prime()
    a_login_sets(m, "export CUDA_DISABLE_PTX_JIT=1")


@state(a_login_starts_otherwise("use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by …/.profile"))
def login_disables(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_DISABLE=1")


@state(a_login_starts_otherwise("programs of a fresh login keep nothing, and compile at every start", primes=True))
def login_names_a_closed_cache(m):
    m.prime()
    (m.home / "shut").mkdir()
    (m.home / "shut").chmod(0o555)
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/shut/cache")


@state(a_login_starts_otherwise("programs of a new terminal keep nothing, and compile at every start"))
def terminal_names_a_file_as_cache(m):
    m.prime()
    (m.home / "notes").write_text("")
    a_terminal_sets(m, "export CUDA_CACHE_PATH=$HOME/notes")


@state(a_login_starts_otherwise("programs of a fresh login have another cache in each working folder, or none", primes=True))
def login_names_a_relative_cache(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_PATH=cc")


@state(a_login_starts_otherwise("use another cache: CUDA_CACHE_PATH is …/cc there", primes=True), person="CUDA_CACHE_PATH")
def login_names_another_cache(m):
    m.prime()
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")


@state(a_login_starts_otherwise(primes=True), person="CUDA_CACHE_PATH")
def login_names_another_cache_and_never_primed(m):
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.own()


@state(a_login_starts_otherwise(primes=True), person="CUDA_CACHE_PATH")
def login_names_the_primed_cache(m):
    """A job of cron has not what a login sets."""
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/cc")
    m.do("export CUDA_CACHE_PATH=$HOME/cc; jitwarm prime; rc=$?; unset CUDA_CACHE_PATH; (exit $rc)")


@state(stays_warm())
def login_names_a_link_to_the_cache(m):
    """It is the same one."""
    m.prime()
    (m.home / "link").symlink_to(m.nv)
    a_login_sets(m, "export CUDA_CACHE_PATH=$HOME/link")
    m.prime()
