"""Commands that were recorded, and what they load."""
import os
import py_compile
import re
import shutil
import subprocess
import sys
import time
import zipfile

from .drivers import another_driver
from .machine import Skip
from .row import state
from .rules import END, each_command_is, each_verb_names, never_says, next_start_is, no_command_is, nobody_is_content, one_command_mends_it, says, stays_warm
from .software import native_beside

AGAIN = re.compile(r"^cd \S+ && jitwarm prime --run ")
RECORDS_AGAIN = (one_command_mends_it("jitwarm prime --run "), next_start_is("unknown"))


@state(each_verb_names(AGAIN))
def cache_of_a_command_became_a_link(m):
    """No search finds what it loads: a prime of what is found brings nothing."""
    a_command_recorded(m)
    (m.home / ".nv").rename(m.home / "larger")
    (m.home / ".nv").symlink_to(m.home / "larger")


LOAD = """import ctypes, sys
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
for path in sys.argv[1:]:
    cuda.cuModuleLoadData(ctypes.byref(ctypes.c_void_p()), open(path, "rb").read() + bytes(1))
"""


def loader(m, script=LOAD):
    """A script that loads modules, and no other software. Returns the folder of both."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(script)
    return kept


@state(no_command_is("jitwarm scan"))
def a_command_recorded(m, option=""):
    """No other software is here. Returns the folder that its words are meant in; what follows is asked elsewhere."""
    kept = loader(m)
    m.module(kept / "k2.ptx")
    m.do(f"cd {kept} && jitwarm prime {option} --run {sys.executable} load.py k1.ptx k2.ptx; rc=$?; cd {m.folder}; (exit $rc)")
    return kept


@state(nobody_is_content())
def a_command_recorded_and_eager_since(m):
    """Its starts load all modules of its libraries, and not those alone that they use."""
    a_command_recorded(m)
    m.set["CUDA_MODULE_LOADING"] = "EAGER"


@state(stays_warm())
def a_job_with_another_gpu_of_its_kind(m):
    """As a cluster gives them to jobs: what was primed and recorded in one is warm in the next."""
    m.plays("580.126.09", "sm_86 --gpu sm_86")
    m.on_the_bus("0x2484")
    m.on_the_bus("0x2484", slot=2)
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    a_command_recorded(m)
    m.set["CUDA_VISIBLE_DEVICES"] = "1"


@state(stays_warm())
def folders_of_other_libraries_named_since(m):
    """As doctor has a person do it for cuBLAS: the loader takes the same driver, and the folder was searched."""
    m.prime()
    (m.app / "lib").mkdir(exist_ok=True)
    (m.app / "lib/libcublas.so.12").write_text("")
    m.prime()
    m.set["LD_LIBRARY_PATH"] = f"{m.app}/lib:{m.folder}/nothing"


@state(stays_warm())
def a_command_recorded_and_an_empty_folder_of_libraries_since(m):
    a_command_recorded(m)
    (m.folder / "empty").mkdir()
    m.set["LD_LIBRARY_PATH"] = f"{m.folder}/empty:{m.folder}/nothing"


@state(nobody_is_content(), each_verb_names(AGAIN), says("was started with other settings: LD_LIBRARY_PATH"))
def a_command_recorded_and_other_libraries_since(m):
    """It may load what it did not find before."""
    a_command_recorded(m)
    (m.folder / "libraries").mkdir()
    (m.folder / "libraries/libcublas.so.12").write_text("")
    m.set["LD_LIBRARY_PATH"] = f"{m.folder}/libraries"


@state(nobody_is_content())
def a_job_with_more_gpus_of_its_kind(m):
    """Its programs may use all of them, with code that one does not need."""
    a_job_with_another_gpu_of_its_kind(m)
    m.set["CUDA_VISIBLE_DEVICES"] = "0,1"


@state(nobody_is_content())
def a_job_with_another_gpu(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.on_the_bus("0x2484")
    m.on_the_bus("0x2330", slot=2)
    m.set["CUDA_VISIBLE_DEVICES"] = "0"
    a_command_recorded(m)
    m.set["CUDA_VISIBLE_DEVICES"] = "1"


@state(nobody_is_content())
def a_command_without_modules_that_loads_one_since(m):
    """verify --run has seen it."""
    kept = loader(m, LOAD.replace("sys.argv[1:]", "open(sys.path[0] + '/list').read().split()"))
    (kept / "list").write_text("")
    m.own()
    said = m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py")
    (kept / "list").write_text(f"{kept}/k1.ptx")
    m.own()
    done = m.run(f"jitwarm verify --run {sys.executable} {kept}/load.py")
    if said.returncode or done.returncode != 1:
        raise SystemExit(f"{said.stdout}{done.stdout}{done.stderr}")


@state(stays_warm())
def a_command_recorded_again_with_other_modules(m):
    """What it loads is in a file that its words do not name. A prime compiles what each of its starts made."""
    kept = loader(m, LOAD.replace("sys.argv[1:]", "open(sys.path[0] + '/list').read().split()"))
    for name in ("k1", "k2"):
        (kept / "list").write_text(str(m.module(kept / f"{name}.ptx")))
        m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py")


@state(nobody_is_content())
def a_command_recorded_again_with_other_modules_and_one_of_before_deleted(m):
    a_command_recorded_again_with_other_modules(m)
    of_first = [entry for entry in m.entries() if b"solver_k1" in entry.read_bytes()]
    if len(of_first) != 1:
        raise SystemExit(f"entries of the first start: {of_first}")
    of_first[0].unlink()


@state()
def a_command_that_goes_on(m):
    """Its program works in the background, a while after it has ended itself: run does not wait for that."""
    kept = loader(m)
    (kept / "serve").write_text(f"#!/bin/sh\n(sleep 2; exec {sys.executable} {kept}/load.py {kept}/k1.ptx) >/dev/null 2>&1 &\n")
    (kept / "serve").chmod(0o755)
    m.own()
    done = m.run(f"jitwarm run -- {kept}/serve; rc=$?; until find {m.nv}/?/? -type f | grep -q .; do sleep 0.1; done; sleep 0.5; (exit $rc)")
    if done.returncode or "not recorded: jitwarm prime --run" not in done.stderr:
        raise SystemExit(f"{done.stdout}{done.stderr}")


def recording(m, ends, beside="", begin=""):
    """A command that only ends when a file is gone: it is recorded, and has loaded its module. `ends`: what happens to jitwarm then."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "serve.py").write_text(begin + LOAD + f"import os, pathlib, time\npathlib.Path({str(m.folder / 'loaded')!r}).write_text(str(os.getppid()))\nwhile os.path.exists({str(m.folder / 'wait')!r}):\n    time.sleep(0.05)\n{beside}")
    (m.folder / "wait").touch()
    m.own()
    done = m.run(f"jitwarm run -- {sys.executable} {kept}/serve.py {kept}/k1.ptx & for i in $(seq 200); do [ -s loaded ] && break; sleep 0.1; done; {ends}; wait $!; rm -f wait loaded")
    if "recording what this start loads" not in done.stderr:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    return kept


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_recording_killed(m):
    """By the OOM killer, or by who stops a container."""
    recording(m, "kill -KILL $(cat loaded)")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_recording_killed_and_cache_lost(m):
    a_recording_killed(m)
    shutil.rmtree(m.nv)


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_command_terminated_and_a_file_added_to_its_folder(m):
    """As each server ends."""
    kept = recording(m, "kill -TERM $(cat loaded)")
    m.module(kept / "k2.ptx")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_command_failed_and_a_file_added_to_its_folder(m):
    kept = recording(m, "rm wait", "sys.exit(3)\n")
    m.module(kept / "k2.ptx")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_command_terminated_and_cache_lost(m):
    recording(m, "kill -TERM $(cat loaded)")
    shutil.rmtree(m.nv)


@state(nobody_is_content(), one_command_mends_it("jitwarm prune --gone"), person="")
def a_command_terminated_and_its_file_gone(m):
    kept = recording(m, "kill -TERM $(cat loaded)")
    (kept / "k1.ptx").unlink()
    shutil.rmtree(m.nv)


@state(person="")
def software_and_a_command_gone_with_another_driver(m):
    """What the first driver was primed for no run with this one finds: it is not to be primed again and again."""
    another_driver(m)
    a_command_terminated_and_its_file_gone(m)


@state()
def a_command_recorded_with_another_driver(m):
    a_command_recorded(m)
    m.plays("590.44.01")


@state(says("1 recorded command was started with another driver"), each_command_is(AGAIN))
def a_command_recorded_with_another_driver_and_primed(m):
    """Its modules are warm for this one, too; whether it loads others with it, its start shows."""
    a_command_recorded_with_another_driver(m)
    m.own()
    m.run("jitwarm prime")


CUPY = """import os
path = os.environ.get("CUPY_CACHE_DIR", os.environ["HOME"] + "/.cupy/kernel_cache") + "/0123456789abcdef0123456789abcdef.cubin"
if os.path.exists(path) and open(path, "rb").read() == b"x" * 1000:
    pass
else:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(b"x" * 1000)
"""


@state(says("1 of 1 file of CuPy's cache that", "status", *END))
def other_cache_of_a_command_gone(m):
    """What the driver compiles for it is there, and what CuPy had compiled is not."""
    kept = loader(m, CUPY + LOAD)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    shutil.rmtree(m.home / ".cupy")


@state(nobody_is_content())
def another_version_of_a_compiler_of_a_command(m):
    """Its package was upgraded in the environment: it finds none of what the earlier one keeps in its cache."""
    shutil.rmtree(m.app, ignore_errors=True)
    env = m.home / "env"
    tool_of(env / "bin", m.module(m.home / "solver/k1.ptx"))
    (env / "bin/load.py").write_text(CUPY + LOAD)
    package = env / "lib/python3.11/site-packages/cupy_cuda12x-13.4.0.dist-info"
    package.mkdir(parents=True)
    m.do(f"jitwarm prime --run {env}/bin/solve && test -d $HOME/.cupy")
    package.rename(package.with_name("cupy_cuda12x-14.0.1.dist-info"))


@state(nobody_is_content(), says("the packages of the environment have changed since", "check", "verify"))
def another_package_beside_a_command(m):
    """Kernels that are compiled while it runs are in any package: which one it uses is not known."""
    another_version_of_a_compiler_of_a_command(m)
    site = m.home / "env/lib/python3.11/site-packages"
    (site / "cupy_cuda12x-14.0.1.dist-info").rename(site / "cupy_cuda12x-13.4.0.dist-info")
    (site / "kernels-1.dist-info").mkdir()


NUMBA = """import os
lib = os.environ["HOME"] + "/lib"
path, source = lib + "/__pycache__/kern.go-3.py311.nbi", open(lib + "/kern.py").read() * 1000
if not os.path.exists(path) or open(path).read() != source:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(source)
"""


@state(nobody_is_content(), says("…/lib/kern.py was written after", "check", "verify"))
def kernels_of_a_command_saved_again_elsewhere(m, text="1"):
    """Numba keeps them beside their module, which does not lie beside the script, and looks at its time, whatever is in it."""
    (m.home / "lib").mkdir()
    (m.home / "lib/kern.py").write_text("1")
    kept = loader(m, NUMBA + LOAD)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx && test -f $HOME/lib/__pycache__/kern.go-3.py311.nbi")
    time.sleep(1.1)  # the last start is dated in seconds
    (m.home / "lib/kern.py").write_text(text)


@state(nobody_is_content(), says("changed since a command that reads it was recorded: …/lib/kern.py"))
def kernels_of_a_command_edited_elsewhere(m):
    kernels_of_a_command_saved_again_elsewhere(m, "2")


@state(says("1 of 1 file of CuPy's cache that", "status", *END))
def other_cache_of_a_command_emptied(m):
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").touch()


@state(says("1 of 1 file of CuPy's cache that", "status", *END))
def other_cache_of_a_command_damaged(m):
    """As many bytes, and other ones: CuPy knows that by its checksum."""
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").write_bytes(b"y" * 1000)


@state(says("1 of 1 file of CuPy's cache that", "status", *END))
def other_cache_of_a_command_elsewhere(m):
    """It is still there, and the command looks into another folder now."""
    other_cache_of_a_command_gone(m)
    (m.home / ".cupy/kernel_cache").mkdir(parents=True)
    (m.home / ".cupy/kernel_cache/0123456789abcdef0123456789abcdef.cubin").write_bytes(b"x" * 1000)
    m.set["CUPY_CACHE_DIR"] = str(m.home / "kernels")
    m.own()


@state(nobody_is_content(), each_command_is(re.compile(r"^jitwarm prime --run ")))
def a_file_of_a_long_command_replaced(m):
    """Its words are longer than a line of a terminal, and of a page."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    (kept / "load.py").write_text(LOAD.replace("sys.argv[1:]", "sys.argv[1:2]"))
    m.own()
    m.prime(f"--run {sys.executable} {kept}/load.py {kept}/k1.ptx {' '.join(f'--option-{i}' for i in range(80))}")
    (kept / "k1.ptx").write_text((kept / "k1.ptx").read_text().replace("k1", "other"))


@state()
def a_file_of_a_command_replaced(m):
    kept = a_command_recorded(m)
    m.module(kept / "k2.ptx").write_text((kept / "k1.ptx").read_text().replace("k1", "other"))


LOAD_FOLDERS = LOAD.replace("sys.argv[1:]", "sorted(p for f in (sys.argv[1], sys.path[0]) for p in __import__('glob').glob(f + '/*.ptx'))")


@state()
def a_command_of_a_folder(m):
    """What it loads is in a folder that it is given, and beside its script. Returns both folders."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept, tool = m.module(m.home / "solver/k1.ptx").parent, m.home / "tool"
    m.module(kept / "k2.ptx")
    m.module(tool / "beside.ptx")
    (tool / "load.py").write_text(LOAD_FOLDERS)
    m.do(f"jitwarm prime --run {sys.executable} {tool}/load.py {kept}")
    return kept, tool


@state(nobody_is_content())
def a_file_changed_in_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    (kept / "k2.ptx").write_text((kept / "k1.ptx").read_text().replace("k1", "other"))


@state(nobody_is_content())
def a_file_added_to_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    m.module(kept / "k3.ptx")


@state(nobody_is_content())
def a_file_removed_from_the_folder_of_a_command(m):
    kept, _ = a_command_of_a_folder(m)
    (kept / "k2.ptx").unlink()


@state(stays_warm())
def a_log_in_the_folder_of_a_command(m):
    for folder in a_command_of_a_folder(m):
        (folder / "run.log").write_text("step 1\n")


@state(nobody_is_content())
def a_kernel_changed_beside_the_script_of_a_command(m):
    _, tool = a_command_of_a_folder(m)
    (tool / "beside.ptx").write_text((tool / "beside.ptx").read_text().replace("beside", "other"))


@state(stays_warm())
def a_command_with_modules_of_its_own(m):
    """Its script imports one that is beside it, and a package below. Returns their folder."""
    shutil.rmtree(m.app, ignore_errors=True)
    tool, kept = m.home / "tool", m.home / "solver"
    for name in "k1", "k2":
        m.module(kept / f"{name}.ptx")
    (tool / "pack/deep").mkdir(parents=True)
    (tool / "names.py").write_text(f"folder = '{kept}'\n")
    (tool / "pack/__init__.py").write_text("from .deep.which import which\n")
    (tool / "pack/deep/which.py").write_text("which = 'k1.ptx'\n")
    (tool / "load.py").write_text("import names, pack\n" + LOAD.replace("sys.argv[1:]", "[names.folder + '/' + pack.which]"))
    m.do(f"jitwarm prime --run {sys.executable} {tool}/load.py")
    return tool


@state(says("changed since a command that names its folder was recorded: …/tool/names.py"), *RECORDS_AGAIN)
def a_module_beside_the_script_of_a_command_changed(m):
    (a_command_with_modules_of_its_own(m) / "names.py").write_text(f"folder = '{m.home}/tool/../solver'\n")


@state(says("changed since a command that names its folder was recorded: …/tool/pack/deep/which.py"), *RECORDS_AGAIN)
def a_module_of_a_package_of_a_command_changed(m):
    (a_command_with_modules_of_its_own(m) / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


@state(says("new since a command that names its folder was recorded: …/tool/plugin.py"), *RECORDS_AGAIN)
def a_module_added_beside_the_script_of_a_command(m):
    (a_command_with_modules_of_its_own(m) / "plugin.py").write_text("name = 'k2.ptx'\n")


@state(says(re.compile(r"(changed|gone) since a command that names its folder was recorded: \S+/tool/pack/")), *RECORDS_AGAIN)
def a_module_removed_beside_the_script_of_a_command(m):
    tool = a_command_with_modules_of_its_own(m)
    (tool / "pack/deep/which.py").rename(tool / "pack/which.py")
    (tool / "pack/__init__.py").write_text("from .which import which\n")


@state(stays_warm())
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


@state(stays_warm())
def a_command_with_modules_elsewhere(m, site="lib", python=sys.executable):
    """Its script finds them by sys.path: `which` says which modules it loads. Returns their folder."""
    shutil.rmtree(m.app, ignore_errors=True)
    lib, kept = m.home / site, m.home / "solver"
    for name in "k1", "k2":
        m.module(kept / f"{name}.ptx")
    (lib / "pack/deep").mkdir(parents=True)
    (lib / "pack/__init__.py").write_text("from .deep.which import which\n")
    (lib / "pack/deep/which.py").write_text("which = 'k1.ptx'\n")
    (lib / "pack/unused.py").write_text("\n")
    script = m.home / "tool/load.py"
    script.parent.mkdir()
    script.write_text(f"import sys\nsys.path.insert(0, {str(lib)!r})\nimport pack\n" + LOAD.replace("sys.argv[1:]", f"['{kept}/' + pack.which]"))
    m.do(f"jitwarm prime --run {python} {script}")
    return lib


WHICH_CHANGED = (says("changed since a command that reads it was recorded: …/pack/deep/which.py"), *RECORDS_AGAIN)


@state(*WHICH_CHANGED)
def a_module_elsewhere_of_a_command_changed(m):
    (a_command_with_modules_elsewhere(m) / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


@state(*WHICH_CHANGED)
def a_module_of_a_command_changed_in_its_environment(m):
    """In place, as who looks for a fault in a package does."""
    (a_command_with_modules_elsewhere(m, "env/lib/python3.11/site-packages") / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


@state(*WHICH_CHANGED)
def a_module_of_a_command_changed_whose_code_was_cached(m):
    """Python opened its code in __pycache__ alone."""
    lib = a_command_with_modules_elsewhere(m)
    if not (lib / "pack/deep/__pycache__").is_dir():
        raise SystemExit("no code was cached")
    m.do(f"jitwarm prime --run {sys.executable} {m.home}/tool/load.py")
    (lib / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


@state(*WHICH_CHANGED)
def a_module_of_a_command_changed_whose_code_is_cached_elsewhere(m):
    m.set["PYTHONPYCACHEPREFIX"] = str(m.home / "cached")
    lib = a_command_with_modules_elsewhere(m)
    if not list((m.home / "cached").rglob("which.*.pyc")):
        raise SystemExit("no code was cached")
    m.do(f"jitwarm prime --run {sys.executable} {m.home}/tool/load.py")
    (lib / "pack/deep/which.py").write_text("which = 'k2.ptx'\n")


@state(stays_warm())
def modules_of_a_command_that_no_start_reads_changed(m):
    (a_command_with_modules_elsewhere(m) / "pack/unused.py").write_text("which = 'k2.ptx'\n")


def installed_again(lib, which):
    """The same version of the package: its files are others, and their content is or is not."""
    (lib / "pack").rename(lib / "before")
    shutil.copytree(lib / "before", lib / "pack", copy_function=shutil.copyfile, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(lib / "before")
    (lib / "pack/deep/which.py").write_text(f"which = {which!r}\n")


@state(stays_warm())
def a_package_of_a_command_installed_again(m):
    installed_again(a_command_with_modules_elsewhere(m, "env/lib/python3.11/site-packages"), "k1.ptx")


@state(*WHICH_CHANGED)
def a_package_of_a_command_installed_again_with_other_content(m):
    installed_again(a_command_with_modules_elsewhere(m, "env/lib/python3.11/site-packages"), "k2.ptx")


@state(stays_warm())
def modules_elsewhere_of_a_command_touched(m):
    for path in a_command_with_modules_elsewhere(m).rglob("*.py"):
        path.touch()


@state(stays_warm())
def modules_elsewhere_of_a_command_copied(m):
    copied(a_command_with_modules_elsewhere(m))


@state(*WHICH_CHANGED)
def modules_elsewhere_of_a_command_copied_and_other_code_as_large_and_old(m):
    lib = a_command_with_modules_elsewhere(m)
    copied(lib)
    same_but_for(lib / "pack/deep/which.py", b"k1", b"k2")


@state(says("gone since a command that reads it was recorded: …/pack/deep/which.py"), *RECORDS_AGAIN)
def a_module_elsewhere_of_a_command_moved(m):
    lib = a_command_with_modules_elsewhere(m)
    (lib / "pack/deep/which.py").unlink()
    (lib / "pack/deep/which").mkdir()
    (lib / "pack/deep/which/__init__.py").write_text("which = 'k2.ptx'\n")


@state(nobody_is_content(), says("gone since a command that reads it was recorded: …/pack/deep/which.py"), person="")
def a_module_elsewhere_of_a_command_deleted(m):
    """Its next start fails."""
    (a_command_with_modules_elsewhere(m) / "pack/deep/which.py").unlink()


@state(says("changed since a command that reads it was recorded: …/lib/which.pyc"), *RECORDS_AGAIN)
def a_module_without_its_source_changed(m):
    """As programs come whose code is not shown."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept, lib = loader(m, f"import sys\nsys.path.insert(0, {str(m.home / 'lib')!r})\nimport which\n" + LOAD.replace("sys.argv[1:]", "[sys.path[1] + '/' + which.which]")), m.home / "lib"
    m.module(kept / "k2.ptx")
    lib.mkdir()
    for number, step in enumerate((lambda: m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py"), lambda: None), 1):
        (m.folder / "which.py").write_text(f"which = 'k{number}.ptx'\n")
        py_compile.compile(str(m.folder / "which.py"), str(lib / "which.pyc"), doraise=True)
        (m.folder / "which.py").unlink()
        step()


@state(says("changed since a command that reads it was recorded: …/lib/which.zip"), *RECORDS_AGAIN)
def an_archive_of_modules_of_a_command_changed(m, name="which.py"):
    """Data in an archive, which changes with each start, is nothing."""
    kept = loader(m, f"import sys\nsys.path.insert(0, {str(m.home / 'lib/which.zip')!r})\nimport which\nopen({str(m.home / 'lib/data.zip')!r})\n" + LOAD.replace("sys.argv[1:]", "[sys.path[1] + '/' + which.which]"))
    m.module(kept / "k2.ptx")
    (m.home / "lib").mkdir()
    for number, step in enumerate((lambda: m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py"), lambda: None), 1):
        for archive, member in ("which.zip", "which.py"), ("data.zip", "data.txt"):
            with zipfile.ZipFile(m.home / "lib" / archive, "w") as z:
                z.writestr(member, f"which = 'k{number}.ptx'\n")
        step()


@state(stays_warm())
def an_archive_of_data_of_a_command_changed(m):
    kept = loader(m, f"open({str(m.home / 'lib/data.zip')!r})\n" + LOAD)
    (m.home / "lib").mkdir()
    for number in 1, 2:
        with zipfile.ZipFile(m.home / "lib/data.zip", "w") as z:
            z.writestr("data.txt", str(number))
        if number == 1:
            m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(says("changed since a command that reads it was recorded: …/lib/kernels.cu"), *RECORDS_AGAIN)
def a_cuda_source_that_a_command_reads_changed(m):
    """It compiles it while it runs."""
    kept = loader(m, f"open({str(m.home / 'lib/kernels.cu')!r}).read()\n" + LOAD)
    (m.home / "lib").mkdir()
    (m.home / "lib/kernels.cu").write_text("// 1\n")
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (m.home / "lib/kernels.cu").write_text("// 2\n")


@state(stays_warm())
def modules_that_a_command_writes_itself(m):
    """Each start of it, with other content: as some make their code."""
    lib = m.home / "lib"
    kept = loader(m, f"import pathlib, sys, time\npathlib.Path({str(lib / 'made.py')!r}).write_text(f'now = {{time.time()}}')\nsys.path.insert(0, {str(lib)!r})\nimport made\n" + LOAD)
    lib.mkdir()
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (lib / "made.py").write_text("now = 0\n")


@state(stays_warm())
def modules_that_a_command_writes_itself_without_a_cache(m):
    """Python looks for the code of the module, and finds none."""
    m.set["PYTHONDONTWRITEBYTECODE"] = "1"
    modules_that_a_command_writes_itself(m)


@state(nobody_is_content(), says("changed since a command that reads it was recorded: …/lib/which.py"), one_command_mends_it("jitwarm prime --run "))
def a_module_of_a_command_changed_while_it_runs(m):
    """What the program holds is the module as it was: its record at its end is not about the one that is there."""
    lib = m.home / "lib"
    lib.mkdir()
    (lib / "which.py").write_text("which = 1\n")
    recording(m, f"echo 'which = 2' > {lib}/which.py; rm wait", begin=f"import sys\nsys.path.insert(0, {str(lib)!r})\nimport which\n")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_command_terminated_and_a_module_elsewhere_changed(m):
    lib = m.home / "lib"
    lib.mkdir()
    (lib / "which.py").write_text("which = 1\n")
    recording(m, "kill -TERM $(cat loaded)", begin=f"import sys\nsys.path.insert(0, {str(lib)!r})\nimport which\n")
    (lib / "which.py").write_text("which = 2\n")


def copied(folder):
    """The same bytes and times, and other files: as in a container of the same image on another machine, or a backup."""
    folder.rename(folder.with_name("before"))
    shutil.copytree(folder.with_name("before"), folder)
    shutil.rmtree(folder.with_name("before"))


def same_but_for(path, old, new):
    """As large and as old as before: as files of packages are that were built with SOURCE_DATE_EPOCH."""
    time = path.stat().st_mtime_ns
    path.write_bytes(path.read_bytes().replace(old, new))
    os.utime(path, ns=(time, time))


@state(stays_warm())
def software_of_a_command_copied(m):
    a_command_recorded(m)
    copied(m.home / "solver")


@state(stays_warm())
def a_hard_link_to_a_file_of_a_command(m):
    kept = a_command_recorded(m)
    os.link(kept / "k1.ptx", m.home / "k1.ptx")


@state(nobody_is_content(), says("changed since a command that names it was recorded: …/solver/k1.ptx"))
def software_of_a_command_copied_and_other_code_as_large_and_old(m):
    kept = a_command_recorded(m)
    copied(kept)
    same_but_for(kept / "k1.ptx", b"solver_k1", b"solver_k9")


def in_container(m, number):
    """The image of a container that starts: what is installed is in another mount of the same files. Returns the mount."""
    image, upper, work = m.folder / "image", m.folder / f"upper{number}", m.folder / f"work{number}"
    for folder in (image, upper, work):
        folder.mkdir(exist_ok=True)
    path = m.home / "solver"
    path.mkdir(exist_ok=True)
    options = f"lowerdir={image},upperdir={upper},workdir={work}"
    if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, path], capture_output=True, check=False).returncode:
        raise Skip("an overlay cannot be mounted here")
    return path


def next_container(m, then=lambda: None):
    """Of the same image, after the first one. Its script imports a module that does not lie beside it."""
    shutil.rmtree(m.app, ignore_errors=True)
    m.module(m.folder / "image/app/k1.ptx")
    (m.folder / "image/lib").mkdir()
    (m.folder / "image/lib/which.py").write_text("which = 1\n")
    (m.folder / "image/app/load.py").write_text(f"import sys\nsys.path.insert(0, {str(m.home / 'solver/lib')!r})\nimport which\n" + LOAD)
    m.own()  # what changes its owner in a mount is copied to its upper folder
    mount = in_container(m, 1)
    m.do(f"jitwarm prime --run {sys.executable} {mount}/app/load.py {mount}/app/k1.ptx && jitwarm prime {mount}/app")
    subprocess.run(["umount", mount], check=True)
    then()
    m.mounted.append(in_container(m, 2))


@state(stays_warm())
def a_command_in_another_container_of_its_image(m):
    next_container(m)


@state(nobody_is_content())
def a_command_in_a_container_of_another_image(m):
    next_container(m, lambda: same_but_for(m.folder / "image/app/k1.ptx", b"k1", b"k9"))


@state(nobody_is_content(), says("changed since a command that reads it was recorded: …/solver/lib/which.py"))
def a_command_in_a_container_of_another_module(m):
    next_container(m, lambda: same_but_for(m.folder / "image/lib/which.py", b"1", b"2"))


LOAD_MAPPED = """import mmap, os
with open(os.environ["HOME"] + "/engine/k1.ptx", "rb") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
""" + LOAD.replace("sys.argv[1:]", "[library]").replace('open(path, "rb").read()', "path[:]")


LOAD_READ = LOAD.replace("sys.argv[1:]", "[__import__('os').environ['HOME'] + '/engine/k1.ptx']")


@state(nobody_is_content())
def a_library_of_a_command_replaced(m, load=LOAD_MAPPED):
    """No word of the command says where it is."""
    shutil.rmtree(m.app, ignore_errors=True)
    library = m.module(m.home / "engine/k1.ptx")
    script = m.home / "tool/load.py"
    script.parent.mkdir()
    script.write_text(load)
    m.do(f"jitwarm prime --run {sys.executable} {script}")
    library.write_text(library.read_text().replace("k1", "other"))


@state(nobody_is_content())
def a_library_without_machine_code_of_a_command_replaced(m):
    """None of it is executable: the loader maps its data alone."""
    a_library_of_a_command_replaced(m, LOAD_MAPPED.replace("mmap.PROT_READ | mmap.PROT_EXEC", "mmap.PROT_READ"))


@state(nobody_is_content())
def a_kernel_file_of_a_command_replaced(m):
    """It is read, and not mapped."""
    a_library_of_a_command_replaced(m, LOAD_READ)


LOAD_WITH_COMPILER = """import mmap, os
with open(os.environ["HOME"] + "/engine/libnvrtc.so.12", "rb") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
""" + LOAD


@state(nobody_is_content())
def a_compiler_of_a_command_replaced(m):
    """It holds no CUDA code, and makes some: another version makes other code."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept = m.module(m.home / "solver/k1.ptx").parent
    compiler = m.home / "engine/libnvrtc.so.12"
    compiler.parent.mkdir()
    compiler.write_text("NVRTC 12.4" + 8192 * " ")
    (kept / "load.py").write_text(LOAD_WITH_COMPILER)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    compiler.write_text("NVRTC 12.9" + 8192 * " ")


def tool_of(folder, module):
    """A program of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "solve").write_text(f"#!/bin/sh\nexec {sys.executable} {folder}/load.py {module}\n")
    (folder / "load.py").write_text(LOAD)
    (folder / "solve").chmod(0o755)
    return folder


@state(says("solve is now …/env2/bin/solve, and not …/env1/bin/solve, which was recorded"), *RECORDS_AGAIN)
def a_command_of_another_program_of_that_name(m, command="solve"):
    """As an environment that is activated: PATH leads to another one first."""
    shutil.rmtree(m.app, ignore_errors=True)
    one, other = (tool_of(m.home / f"env{k}/bin", m.module(m.home / f"solver{k}/k.ptx")) for k in (1, 2))
    m.do(f"PATH={one}:$PATH jitwarm prime --run {command}")
    m.set["PATH"] = f"{other}:{one}:{m.env['PATH']}"


@state(says("solve is now …/env2/bin/solve, and not …/env1/bin/solve, which was recorded"), *RECORDS_AGAIN)
def a_command_of_env_and_another_program(m):
    a_command_of_another_program_of_that_name(m, "env LANGUAGE=C nice -n 1 solve")


@state(says("solve is now …/env2/bin/solve, and not …/env1/bin/solve, which was recorded"), *RECORDS_AGAIN)
def a_command_whose_script_has_another_interpreter(m):
    """#!/usr/bin/env NAME"""
    script = m.home / "tool/start"
    script.parent.mkdir()
    script.write_text("#!/usr/bin/env solve\n")
    script.chmod(0o755)
    a_command_of_another_program_of_that_name(m, script)


@state(says("the folder …/env/bin is now …/env-2/bin, and not …/env-1/bin, which was recorded"), never_says("gone since"), *RECORDS_AGAIN)
def a_command_of_a_link_that_leads_to_another_environment(m):
    """Another release or environment takes its place by a link, with the same Python, and the same script."""
    shutil.rmtree(m.app, ignore_errors=True)
    kept, link = m.home / "solver", m.home / "env"
    for k in "1", "2":
        m.module(kept / f"k{k}.ptx")
        env = m.home / f"env-{k}"
        site = env / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        site.mkdir(parents=True)
        (env / "bin").mkdir()
        (env / "bin/python").symlink_to(os.path.realpath(sys.executable))
        (env / "pyvenv.cfg").write_text(f"home = {os.path.dirname(os.path.realpath(sys.executable))}\n")
        (site / "which.py").write_text(f"which = 'k{k}.ptx'\n")
    (kept / "load.py").write_text("import sys, which\n" + LOAD.replace("sys.argv[1:]", "[sys.path[0] + '/' + which.which]"))
    link.symlink_to("env-1")
    m.do(f"jitwarm prime --run {link}/bin/python {kept}/load.py")
    link.unlink()
    link.symlink_to("env-2")


@state(says("verified: fresh processes loaded the one module of the start that was recorded", "verify"))
def command_with_its_own_cache(m):
    """It chooses a cache itself. Returns that folder."""
    kept, own = loader(m), m.home / "own"
    m.do(f"jitwarm prime --run env CUDA_CACHE_PATH={own} {sys.executable} {kept}/load.py {kept}/k1.ptx")
    return own


@state()
def a_command_that_chose_a_cache_since(m):
    """It was recorded with the cache of this shell, and then again with one of its own."""
    kept = loader(m)
    for chooses in ("", f"export CUDA_CACHE_PATH={m.home}/own\n"):
        (kept / "serve").write_text(f"#!/bin/sh\n{chooses}exec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
        (kept / "serve").chmod(0o755)
        m.do(f"jitwarm prime --run {kept}/serve")


@state(nobody_is_content())
def a_file_added_to_the_folder_of_a_command_with_its_own_cache(m):
    """Only its start shows what it loads now."""
    command_with_its_own_cache(m)
    m.module(m.home / "solver/k.ptx")


@state(person="")
def a_command_that_disables_its_cache_since(m, again=False):
    """Nobody but who wrote its script can mend that."""
    kept = loader(m)
    m.probe()
    m.set["SIMCUDA_COST"] = "0+1500"  # long enough to be seen, also where a line is followed
    for chooses in ("", "export CUDA_CACHE_DISABLE=1\n"):
        (kept / "serve").write_text(f"#!/bin/sh\n{chooses}exec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
        (kept / "serve").chmod(0o755)
        m.own()
        done = m.run(f"jitwarm prime --run {kept}/serve") if not chooses or again else None
        if done and done.returncode != (1 if chooses else 0):
            raise SystemExit(f"{done.returncode} {done.stdout}{done.stderr}")


@state(nobody_is_content(),
       one_command_mends_it(re.compile(r"grep -n CUDA_CACHE_DISABLE \S+/solver/serve( |$)")),
       person="has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start")
def a_command_that_disables_its_cache_and_primed(m):
    a_command_that_disables_its_cache_since(m, True)


@state(nobody_is_content(),
       one_command_mends_it(re.compile(r"grep -n CUDA_CACHE_DISABLE \S+/solver/serve( |$)")),
       person="has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start")
def a_command_that_always_disabled_its_cache(m):
    """The prime that was asked for it names the line, too."""
    kept = loader(m)
    m.probe()
    (kept / "serve").write_text(f"#!/bin/sh\nexport CUDA_CACHE_DISABLE=1\nexec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
    (kept / "serve").chmod(0o755)
    m.own()
    m.set["SIMCUDA_COST"] = "0+1500"
    done = m.run(f"jitwarm prime --run {kept}/serve")
    if done.returncode != 1 or not re.search(r"To do +grep -n CUDA_CACHE_DISABLE \S+/solver/serve", done.stdout):
        raise SystemExit(f"{done.returncode} {done.stdout}{done.stderr}")


@state()
def a_command_that_disabled_its_cache_until_now(m):
    """Its script is another one: what the prime saw of it says nothing any more."""
    a_command_that_always_disabled_its_cache(m)
    serve = m.home / "solver/serve"
    serve.write_text(serve.read_text().replace("export CUDA_CACHE_DISABLE=1\n", ""))
    m.do(f"jitwarm prime --run {serve}")


def serve_by_settings(m, *settings, first=""):
    """The script sources them, behind its line `first`; each is primed."""
    kept = loader(m)
    m.set["SIMCUDA_COST"] = "0+1500"
    (kept / "serve").write_text(f"#!/bin/sh\n{first}. {kept}/settings\nexec {sys.executable} {kept}/load.py {kept}/k1.ptx\n")
    (kept / "serve").chmod(0o755)
    for setting in settings:
        (kept / "settings").write_text(setting)
        m.own()
        done = m.run(f"jitwarm prime --run {kept}/serve")
        if setting and not re.search(r"To do +grep -n CUDA_CACHE_\w+ \S+/solver/settings\s", done.stdout):
            raise SystemExit(f"{done.returncode} {done.stdout}{done.stderr}")
    return kept


IN_SETTINGS = one_command_mends_it(re.compile(r"grep -n CUDA_CACHE_(DISABLE|PATH) \S+/solver/settings( |$)"))


@state(nobody_is_content(), IN_SETTINGS, next_start_is("compiles"), person="has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start")
def a_command_that_disables_its_cache_elsewhere_and_primed(m):
    """In a file that no word names, and that its script opens."""
    serve_by_settings(m, "", "export CUDA_CACHE_DISABLE=1\n")


@state(nobody_is_content(), IN_SETTINGS, person="has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start")
def a_command_that_always_disabled_its_cache_elsewhere(m):
    serve_by_settings(m, "export CUDA_CACHE_DISABLE=1\n")


@state(nobody_is_content(), IN_SETTINGS, person="has the driver keep nothing (CUDA_CACHE_DISABLE=1), so every start")
def a_command_that_disables_its_cache_beside_a_text_that_names_it(m):
    """A text that it opens first mentions the variable, and gives another one a value."""
    about = m.home / "solver/about"
    about.parent.mkdir(exist_ok=True)
    about.write_text("CUDA_CACHE_DISABLE is in the settings.\nNAME=solver\n")
    serve_by_settings(m, "export CUDA_CACHE_DISABLE=1\n", first=f"cat {about}\n")


@state(nobody_is_content(), IN_SETTINGS, person="has the driver keep nothing (CUDA_CACHE_PATH=")
def a_command_with_a_cache_that_cannot_be_made(m):
    (m.folder / "closed").mkdir()
    (m.folder / "closed").chmod(0o555)
    serve_by_settings(m, f"export CUDA_CACHE_PATH={m.folder}/closed/cache\n")


@state(never_says("keep nothing"))
def a_command_that_disabled_its_cache_elsewhere_until_now(m):
    """Its script is the same, and verify has seen that it keeps what it compiles."""
    kept = serve_by_settings(m, "", "export CUDA_CACHE_DISABLE=1\n")
    (kept / "settings").write_text("# export CUDA_CACHE_DISABLE=1\n")
    m.own()
    m.run(f"jitwarm verify --run {kept}/serve")


NVVM = "no cache keeps what libnvvm.so.4 compiles for"
KERNELS = "# @cuda.jit\nopen({!r}).close()\n"


def opens_nvvm(m, script):
    (m.home / "nvvm").mkdir(parents=True, exist_ok=True)
    (m.home / "nvvm/libnvvm.so.4").write_text("x")
    kept = loader(m, script.format(str(m.home / "nvvm/libnvvm.so.4")) + LOAD)
    (kept / "model.py").write_text("")
    m.own()
    m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    return kept


@state(nobody_is_content(), one_command_mends_it(re.compile(r"grep -n @cuda.jit \S+/load.py( |$)")), next_start_is("compiles"), person=NVVM)
def a_command_whose_kernels_no_cache_keeps(m):
    """As Numba's are without cache=True: each start opens the compiler, and makes no file."""
    opens_nvvm(m, KERNELS)


@state(nobody_is_content(), next_start_is("compiles"), person=NVVM)
def a_command_whose_kernels_no_cache_keeps_run_again(m):
    """`jitwarm run` records what it loads, and does not see that a cache keeps its kernels now."""
    kept = opens_nvvm(m, "import model\n" + KERNELS)
    (kept / "model.py").write_text("edited = True\n")
    m.own()
    m.do(f"jitwarm run -- {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(nobody_is_content(), next_start_is("compiles"), person=NVVM)
def a_command_whose_kernels_no_cache_keeps_and_that_writes(m):
    """A start that verify watches makes a file, which may be a cache, and opens the compiler all the same."""
    logs = m.home / "logs"
    kept = opens_nvvm(m, f"import os\nif os.path.exists({str(logs)!r}):\n    open({str(logs / 'log')!r}, 'w').close()\n" + KERNELS)
    logs.mkdir()
    m.own()
    m.run(f"jitwarm verify --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(never_says("no cache keeps"))
def a_command_whose_kernels_verify_saw_kept(m):
    """Its script is the same, and a start of it opens no compiler."""
    kept = opens_nvvm(m, "import model, os\nif not hasattr(model, 'kept'):\n    " + KERNELS.split("\n")[1] + "\n# @cuda.jit\n")
    (kept / "model.py").write_text("kept = True\n")
    m.own()
    m.run(f"jitwarm verify --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(nobody_is_content(), one_command_mends_it("jitwarm verify --run "), person=NVVM)
def a_command_with_kernels_elsewhere_that_no_cache_keeps(m):
    opens_nvvm(m, KERNELS.replace("@cuda.jit", "kernels"))


@state(stays_warm())
def a_command_whose_kernels_a_cache_keeps_now(m):
    kept = opens_nvvm(m, KERNELS)
    (kept / "load.py").write_text("# @cuda.jit(cache=True)\n" + LOAD)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_prime_of_a_command_stopped_by_a_disabled_cache(m):
    """A person who has mended that is led to the same command."""
    kept = loader(m)
    m.probe()
    if m.run(f"CUDA_CACHE_DISABLE=1 jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx").returncode != 1:
        raise SystemExit("it is not stopped")


@state(nobody_is_content(), one_command_mends_it("jitwarm verify --run "), person="ended with exit code 3 before it loaded a module")
def a_command_that_fails_since_and_primed(m):
    """Another start of it under prime shows no more."""
    kept = loader(m)
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (kept / "load.py").write_text("raise SystemExit(3)\n" + LOAD)
    m.own()
    m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(nobody_is_content(), one_command_mends_it("jitwarm prime --run "))
def a_command_that_failed_and_works_again(m):
    """What it lacked is there again, and verify has seen it start."""
    kept = loader(m, f"open({str(m.home / 'license')!r})\n" + LOAD)
    (m.home / "license").touch()
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (m.home / "license").unlink()
    (kept / "load.py").write_text((kept / "load.py").read_text() + "# edited\n")
    m.own()
    m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (m.home / "license").touch()
    m.run(f"jitwarm verify --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state(stays_warm())
def a_command_recorded_and_failing_once(m):
    """As where its port is taken: what it was recorded with is still there."""
    kept = loader(m, f"open({str(m.home / 'license')!r})\n" + LOAD)
    (m.home / "license").touch()
    m.do(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")
    (m.home / "license").unlink()
    m.own()
    m.run(f"jitwarm prime --run {sys.executable} {kept}/load.py {kept}/k1.ptx")


@state()
def own_cache_of_a_command_deleted(m):
    shutil.rmtree(command_with_its_own_cache(m))


@state()
def own_cache_of_a_command_deleted_and_its_file_excluded(m):
    """What jitwarm.conf excludes is not searched, and what was recorded is warmed all the same, as in the cache of this shell."""
    own = command_with_its_own_cache(m)
    (m.home / ".config/jitwarm").mkdir(parents=True, exist_ok=True)
    (m.home / ".config/jitwarm/jitwarm.conf").write_text(f"exclude = {m.home}/solver/k1.ptx\n")
    shutil.rmtree(own)


@state(nobody_is_content(), one_command_mends_it("jitwarm prime"))
def own_cache_of_a_command_deleted_after_a_prime_with_its_file_excluded(m):
    own_cache_of_a_command_deleted_and_its_file_excluded(m)
    m.do("jitwarm prime")
    shutil.rmtree(m.home / "own")


@state(nobody_is_content())
def command_elsewhere_beside_native_software(m):
    """The command was recorded for a cache that a variable named."""
    a_command_recorded(m, f"--cache {m.home}/second")
    native_beside(m)
