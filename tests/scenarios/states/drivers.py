"""Another driver, another GPU, a driver that is not whole, and code that it cannot compile."""
import shutil

from .row import state
from .rules import doctor_is_content, doctor_names, names_the_library_that_is_cut_off, never_says, says
from .software import native_beside


@state()
def another_gpu(m):
    m.prime()
    m.plays("580.126.09", "sm_90")


@state()
def another_driver(m):
    m.prime()
    m.plays("590.44.01")


@state(person="newer driver")
def older_driver(m):
    m.prime()
    m.plays("390.157", "sm_70")


@state(says("cannot compile", "status"), person="cannot compile")
def refused(m):
    m.prime(m.module(m.app / "bad.ptx"))
    name = "".join(m.entries()[0].relative_to(m.nv).parts)
    m.set["SIMCUDA_FAULTS"] = f"badptx@{name}"
    shutil.rmtree(m.nv)
    shutil.rmtree(m.home / ".local")
    m.run("jitwarm prime")


@state(never_says("cannot compile 2 modules"), says("cannot compile", "status"), person="cannot compile")
def refused_by_two_names(m):
    """Its folder was named, and then the file."""
    refused(m)
    m.run(f"jitwarm prime {m.app}; jitwarm prime {m.app}/bad.ptx")


@state(says("its process ended", "status"), person="its process ended")
def crashed(m):
    m.prime(m.module(m.app / "bad.ptx"))
    name = "".join(m.entries()[0].relative_to(m.nv).parts)
    m.set["SIMCUDA_FAULTS"] = f"crash@{name}"
    shutil.rmtree(m.nv)
    shutil.rmtree(m.home / ".local")
    m.run("jitwarm prime")


@state()
def crashed_on_it_with_another_compiler(m):
    """The driver crashed while its compiler was damaged; an update brought a whole one, and libcuda is the same."""
    m.own()
    m.run("jitwarm doctor --probe")
    m.set["SIMCUDA_FAULTS"] = "crash@*"
    m.run("jitwarm prime")
    m.set["SIMCUDA_FAULTS"] = None
    with m.compiler().open("ab") as library:
        library.write(b"another one")


@state(names_the_library_that_is_cut_off(), person="is not a whole library")
def driver_cut(m):
    """The file is shorter than its headers say. Returns it; what it was is beside it."""
    m.prime()
    library, = m.compiler().parent.glob("libcuda.so.*.*")
    shutil.copyfile(library, m.folder / "whole")
    library.write_bytes(library.read_bytes()[:library.stat().st_size // 2])
    return library


@state(names_the_library_that_is_cut_off(), person="is not a whole library")
def driver_cut_before_its_headers_end(m):
    library = driver_cut(m)
    library.write_bytes(library.read_bytes()[:40])


@state(names_the_library_that_is_cut_off(), person="is not a whole library")
def driver_cut_in_a_container(m):
    driver_cut(m)
    (m.root / ".dockerenv").write_text("")


@state(names_the_library_that_is_cut_off(), doctor_names("sudo apt-get install --reinstall libnvidia-compute-580:amd64"))
def driver_cut_of_a_package(m):
    """dpkg has that file."""
    library = driver_cut(m)
    of = m.root / "var/lib/dpkg/info"
    of.mkdir(parents=True)
    (of / "libnvidia-compute-580:amd64.list").write_text(f"/.\n{library.parent}\n{library}\n")
    (of / "libnvidia-gl-580:amd64.list").write_text(f"{library}.other\n")
    m.program("apt-get", f'[ "$*" = "install --reinstall libnvidia-compute-580:amd64" ] && cp {m.folder}/whole {library}')


@state(person="libnvidia-ptxjitcompiler.so.1")
def compiler_missing(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().unlink()


@state(person="libnvidia-ptxjitcompiler.so.1")
def compiler_cut_short(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().write_bytes(m.compiler().read_bytes()[:8])  # less than a header, of which the loader says "file too short"


@state(person="libnvidia-ptxjitcompiler.so.1")
def compiler_damaged(m):
    """Its code is not what was installed; its size, its build id and its tables are. A prime meets it."""
    m.prime()
    m.entries()[0].unlink()
    with m.compiler().open("r+b") as library:
        library.seek(4096)
        library.write(bytes(256))
    m.run("jitwarm prime")


@state(person="libnvidia-ptxjitcompiler.so.1")
def compiler_closed(m):
    m.prime()
    m.entries()[0].unlink()
    m.compiler().chmod(0)


@state()
def compiler_missing_and_all_warm(m):
    m.prime()
    m.compiler().unlink()


@state(person="libnvidia-ptxjitcompiler.so.1")
def compiler_never_there(m):
    m.own()
    m.run("jitwarm version")  # which plays the driver
    m.compiler().unlink()


@state(says("newer driver", "status"), person="newer driver")
def too_new(m):
    path = m.module(m.app / "new.ptx")
    path.write_text(path.read_text().replace(".version 7.0", ".version 9.9"))
    m.own()
    m.run("jitwarm prime")


@state(says("high.ptx", "status"), person="high.ptx")
def without_code_for_this_gpu(m):
    m.prime()
    path = m.module(m.home / "solver/high.ptx")
    path.write_text(path.read_text().replace("sm_70", "sm_90"))
    m.own()
    m.run(f"jitwarm prime {path}")


@state(doctor_is_content())
def driver_rolled_back(m):
    """The first driver compiles again what was evicted meanwhile: entries of both were written in turn."""
    m.module(m.app / "k.ptx")
    m.prime()
    m.entries()[0].unlink()
    m.plays("590.44.01")
    m.prime()
    m.plays("580.126.09")
    m.prime()


@state()
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


@state()
def native_software_and_another_driver(m):
    """It had nothing to compile for the first one."""
    native_beside(m)
    another_driver(m)


@state()
def two_gpus(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.prime("--gpu 0")


@state()
def driver_and_software_changed(m):
    m.prime()
    m.plays("590.44.01")
    m.module(m.app / "new.ptx")


@state()
def a_gpu_gone(m):
    m.plays("580.126.09", "sm_86 --gpu sm_90")
    m.prime()
    m.plays("580.126.09", "sm_86")
