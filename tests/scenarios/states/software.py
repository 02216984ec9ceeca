"""Software that was found or named, and then changed or went; primes that did not come to their end."""
import os
import pathlib
import shlex
import shutil
import time

from .row import state
from .rules import (all_name, doctor_is_content, doctor_names, doctor_says_that_nothing_is_wrong_and_ends_with_0, each_verb_names, next_start_is, no_command_is, nobody_is_content,
                    never_says, nobody_knows, says)

UNKNOWN_CODE = "nor the software of 1 module in the cache: name its folder"


@state()
def never_primed(m):
    m.own()


@state(nobody_knows(), person="no CUDA code was found, and nothing was primed here yet", but=(doctor_says_that_nothing_is_wrong_and_ends_with_0,))
def nothing_here(m):
    """No CUDA software: nobody knows what starts compile, and a prime after an install does not fail."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.prime()
    shutil.rmtree(m.home / ".local")


@state(no_command_is("jitwarm scan"))
def warm(m):
    m.prime()


@state(next_start_is("unknown"), all_name("jitwarm prime"), person="")
def folder_deleted(m):
    m.prime()
    shutil.rmtree(m.app, ignore_errors=True)


@state(next_start_is("unknown"), each_verb_names("jitwarm prune --gone"), person="what was primed holds no CUDA code any more")
def folder_deleted_and_primed(m):
    """It was the last software in a folder that is still there."""
    folder_deleted(m)
    m.prime()


@state(next_start_is("unknown"), says(UNKNOWN_CODE), person=UNKNOWN_CODE)
def forgotten(m):
    """What it had in the cache stays there, and nobody knows of what it is."""
    folder_deleted_and_primed(m)
    m.run("jitwarm prune --gone --yes")
    m.prime()


@state(person="what was primed holds no CUDA code any more")
def folder_deleted_and_primed_and_cache_deleted(m):
    folder_deleted_and_primed(m)
    shutil.rmtree(m.nv)


@state()
def package_uninstalled_and_primed_and_its_entry_deleted(m):
    """What is left is warm."""
    package_uninstalled(m)
    m.prime()
    min(m.entries(), key=lambda e: e.stat().st_size).unlink()


@state()
def package_uninstalled(m):
    """Another one is in the same folder, and warm."""
    solver = m.module(m.app.parent / "solver/k.ptx").parent
    m.prime()
    shutil.rmtree(solver)


@state()
def editable_install_came(m):
    """A .pth file names a folder that no search would find."""
    m.prime()
    m.module(m.home / "work/src/edit/edit/k.ptx")
    (m.app.parent / "__editable__.edit-0.1.pth").write_text(f"{m.home}/work/src/edit\n")


@state()
def editable_install_grew(m):
    editable_install_came(m)
    m.own()
    m.prime()
    m.module(m.home / "work/src/edit/edit/another.ptx")


@state(all_name("jitwarm prime"), nobody_is_content())
def editable_install_changed_during_the_prime(m):
    """What it had named when the search read it is what was primed. Its file keeps its inode and its folder its names."""
    m.module(m.home / "work/src/edit/edit/k.ptx")
    m.module(m.home / "work/src/more/more/k.ptx")
    pth = m.app.parent / "__editable__.edit-0.1.pth"
    pth.write_text(f"{m.home}/work/src/edit\n")
    m.probe()
    done = m.run(f"SIMCUDA_COST=0+1500 jitwarm prime --yes --jobs 1 --progress json >steps 2>&1 & until grep -q '\"done\":[1-9]' steps; do sleep 0.1; done; "
                 f"sed 's/edit$/more/' {pth} >new; cat new >{pth}; wait $!")
    if done.returncode or "more" not in pth.read_text():
        raise SystemExit(f"{done.stdout}{done.stderr}{(m.folder / 'steps').read_text()}")


@state(next_start_is("unknown"), each_verb_names("jitwarm prune --gone"), person="what was primed is gone")
def environment_deleted(m):
    """It was found, not named; other folders that are searched are still there."""
    m.prime()
    shutil.rmtree(m.home / "venv")


@state(next_start_is("unknown"), person="what was primed is gone")
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


@state(next_start_is("unknown"), person="")
def named_file_became_a_script(m):
    """An update left a launcher in place of the program."""
    named_file(m).write_text("#!/bin/sh\nexec solver.real\n")


@state(person="")
def named_file_became_a_script_and_cache_deleted(m):
    named_file_became_a_script(m)
    shutil.rmtree(m.nv)


@state(person="")
def named_folder_emptied(m):
    """Other software is here, and one folder never had code."""
    texts = m.home / "texts"
    texts.mkdir()
    (texts / "readme").write_text("text")
    m.prime(f"{m.module(m.home / 'solver/k.ptx').parent} {texts}")
    (m.home / "solver/k.ptx").write_text("")


@state()
def named_folder_emptied_and_forgotten(m):
    named_folder_emptied(m)
    m.own()
    m.run("jitwarm prime; jitwarm prune --gone --yes")


@state()
def named_folder_without_code(m):
    """It never had any: nobody misses it."""
    texts = m.home / "texts"
    texts.mkdir()
    (texts / "readme").write_text("text")
    m.prime(f"{m.app} {texts}")
    m.prime()


@state()
def named_file_closed(m):
    """Its name looks like a file and a reason."""
    named_file(m, "solver: new").chmod(0)


@state()
def folder_closed_inside_the_package(m):
    """Its owner can open it again."""
    m.module(m.app / "kernels/inner.ptx")
    m.prime()
    (m.app / "kernels").chmod(0)


@state(person="solver")
def named_file_cut(m):
    solver = named_file(m)
    solver.write_bytes(solver.read_bytes()[:4000])


@state(doctor_names("jitwarm prune --gone"), person="solver")
def named_file_cut_and_primed(m):
    named_file_cut(m)
    m.own()
    m.run("jitwarm prime")


@state(says(UNKNOWN_CODE), person=UNKNOWN_CODE)
def named_file_cut_and_forgotten(m):
    named_file_cut_and_primed(m)
    m.run("jitwarm prune --gone --yes")
    m.prime()


@state()
def named_file_closed_and_primed(m):
    """It is no file that is gone."""
    named_file_closed(m)
    m.own()
    m.run("jitwarm prime; jitwarm prune --gone --yes")


@state(doctor_names("jitwarm prune --gone"), person="solver")
def named_file_a_pipe_and_primed(m):
    named_file_a_pipe(m)
    m.own()
    m.run("jitwarm prime")


@state(person="solver")
def named_file_a_pipe(m):
    solver = named_file(m)
    solver.unlink()
    os.mkfifo(solver)


@state()
def library_gone_native(m):
    """A newer version of the software has machine code for this GPU."""
    m.prime()
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-sass.so", m.app / "libapp.so")
    m.own()


@state()
def one_of_two_files_deleted(m):
    m.module(m.app / "k2.ptx")
    m.prime(m.module(m.app / "k1.ptx").parent)
    (m.app / "k1.ptx").unlink()


@state(next_start_is("unknown"), person="what was primed is gone")
def one_of_two_folders_deleted(m):
    m.prime()
    for name in ("solver", "mixer"):
        m.prime(m.module(m.home / name / "k.ptx").parent)
    shutil.rmtree(m.home / "solver")


@state()
def another_folder_primed(m):
    """What is found without a PATH is colder."""
    m.prime(m.module(m.home / "solver/k.ptx").parent)


@state(says("1 of 1 module of finished primes; not finished", "status"), says("modules that are left", "status"))
def stopped_then_another(m):
    for i in range(6):
        m.module(m.home / f"mixer/k{i}.ptx")
    m.probe()
    m.run(f"SIMCUDA_COST=0+1500 jitwarm prime --yes --jobs 1 --time-limit 5s {m.home}/mixer")
    m.prime(m.module(m.home / "solver/k.ptx").parent)


@state(says("a prime was stopped before its end"))
def first_prime_killed(m):
    for i in range(6):
        m.module(m.app / f"k{i}.ptx")
    m.probe()
    m.run(f"SIMCUDA_COST=0+1000 jitwarm prime --yes --jobs 1 & until find {m.nv}/?/? -type f | grep -q .; do sleep 0.1; done; kill -9 $!; wait; sleep 2")


@state()
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


@state()
def refused_because_another_prime_ran_and_primed_since(m):
    """The next one, of what is found, takes it with it."""
    refused_because_another_prime_ran(m, "jitwarm prime")


@state()
def refused_because_nobody_was_asked(m):
    """More than a quarter of an hour, and no terminal."""
    m.prime()
    for i in range(3200):  # 0.3 s each
        m.module(m.folder / f"solver/k{i}.ptx")
    m.own()
    done = m.run(f"jitwarm prime {m.folder}/solver")
    if done.returncode != 7:
        raise SystemExit(f"it ends with {done.returncode}: {done.stdout}{done.stderr}")


@state()
def jitwarm_removed_meanwhile(m):
    """An upgrade, perhaps: what it had begun to compile is compiled, and no process starts that could verify it."""
    for i in range(6):
        m.module(m.home / f"solver/k{i}.ptx")
    shutil.rmtree(m.app, ignore_errors=True)
    m.probe()
    m.run(f"cp {m.o.tool} old; sed 's|{m.o.tool}|{m.folder}/old|' $(command -v jitwarm) >begin; SIMCUDA_COST=0+300 sh begin prime --yes --jobs 1 "
          f"--progress json {m.home}/solver >steps 2>&1 & until grep -q '\"done\":[1-9]' steps; do sleep 0.1; done; rm old; wait")


@state()
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


@state()
def a_variable_names_more_packages(m):
    m.prime()
    m.set["PYTHONPATH"] = str(elsewhere(m))


@state()
def a_variable_names_more_packages_and_all_are_primed(m):
    m.set["PYTHONPATH"] = str(elsewhere(m))
    m.prime()


@state()
def another_environment_is_active(m):
    m.prime()
    site = elsewhere(m)
    prefix = m.folder / "env"
    (prefix / "lib/python3.11").mkdir(parents=True)
    site.rename(prefix / "lib/python3.11/site-packages")
    m.set["VIRTUAL_ENV"] = str(prefix)


@state(person="libcut.so")
def unreadable(m):
    (m.app / "libcut.so").write_bytes((m.app / "libapp.so").read_bytes()[:4000])
    m.own()
    m.run("jitwarm prime")


@state(never_says("could not be read", "doctor"))
def a_file_was_half_written_when_it_was_primed(m):
    """As an install that was not over yet: what was wrong with the file then is wrong no more."""
    whole = (m.app / "libapp.so").read_bytes()
    (m.app / "libcut.so").write_bytes(whole[:4000])
    m.own()
    m.run(f"jitwarm prime {m.app}")
    time.sleep(1.1)  # what is remembered is dated in seconds
    (m.app / "libcut.so").write_bytes(whole)
    m.own()


def native_beside(m):
    """Software that needs no compiling is found, which says nothing of what was named."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.app.mkdir(parents=True)
    shutil.copyfile(pathlib.Path(m.o.gen) / "elf/only-sass.so", m.app / "libapp.so")
    m.own()


@state(says("no module of what was found here has to be compiled", "check", "verify"), no_command_is("jitwarm verify"))
def native_software_alone(m):
    native_beside(m)
    m.prime()
    again = m.run("jitwarm prime").stdout
    if "jitwarm verify" in again or "verified before" in again or "has to be compiled" not in " ".join(again.split()):
        raise SystemExit(f"nothing is to be verified: {again}")


@state()
def clock_set_back(m):
    m.prime()
    for path in (m.nv, *m.nv.rglob("*"), m.app, *m.app.rglob("*")):
        os.utime(path, (2**31, 2**31))


@state(person="")
def software_moved(m):
    m.prime(m.module(m.home / "solver/k.ptx").parent)
    (m.home / "solver").rename(m.home / "solver2")


@state(doctor_is_content(), says("what numba-cuda 0.30.4 compiles while it runs (jitwarm prime --run CMD records a start)", "doctor"))
def a_package_that_compiles_while_it_runs(m):
    """It holds no CUDA code, and finds the libraries that it compiles with."""
    venv = m.home / "numba"
    site = venv / "lib/python3.11/site-packages"
    for folder in (site / "numba_cuda-0.30.4.dist-info", site / "pip", venv / "bin"):
        folder.mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /usr\n")
    (venv / "bin/python").write_text("")
    for name in ("cudart", "nvrtc", "nvvm"):
        library = site / f"nvidia/{name}/lib/lib{name}.so.12"
        library.parent.mkdir(parents=True)
        library.write_text("")
    m.set["VIRTUAL_ENV"] = str(venv)
    m.prime()
