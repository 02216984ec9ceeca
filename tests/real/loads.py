"""What loader.py says, for programs of another architecture: loads.c loads the modules, and this
process, which sees the same files, looks at the cache after each."""
import collections
import pathlib
import subprocess

from linker import containers
from real import check, with_driver


def entries(cache):
    return {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in cache.glob("?/?/*")}


def modules_of(file, folder):
    """Files with one module each: the containers of a library, or the file itself."""
    data = file.read_bytes()
    if data[:4] != b"\x7fELF":
        return [file]
    found = []
    for number, image in enumerate(containers(data, b".nv_fatbin")):
        found.append(folder / f"{file.stem}-{number}.fatbin")
        found[-1].write_bytes(image)
    return found


class Program:
    """loads.c at work: modules are loaded one at a time."""

    def __init__(self, machine, cache, gpus=None, **variables):
        words = [word for gpu in gpus or [machine.o.gpu] for word in ("--gpu", gpu)]
        command = [*with_driver(machine.o, machine.driver), *words, "--", machine.o.loads]
        variables |= {"CUDA_CACHE_PATH": str(cache)}
        self.process = subprocess.Popen(command, env=machine.env | variables, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def load(self, file):
        """The driver's answer, 0 where all is well."""
        self.process.stdin.write(f"{file}\n")
        answer = self.process.stdout.readline()
        check(answer.strip(), "the program loads", file)
        return int(answer)

    def end(self):
        """Whether the driver's compiler was in its process."""
        said, _ = self.process.communicate(timeout=120)
        check(self.process.returncode == 0, "the program ends", said)
        return said.split() == ["compiler"]


def loaded(machine, files, cache, **more):
    program, answers, made = Program(machine, cache, **more), collections.Counter(), []
    first = last = entries(cache)
    for file in files:
        results = [program.load(module) for module in modules_of(file, machine.home)]
        answers.update(results)
        now = entries(cache)
        if any(results) or any(last.get(p) != of for p, of in now.items()):
            made.append(str(file))
        last = now
    return {
        "made": made, "loaded": answers.pop(0, 0), "failed": answers, "new_entries": sum(
            first.get(p) != of for p, of in last.items()), "compiler": program.end()
    }
