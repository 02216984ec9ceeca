#!/usr/bin/env python3
"""commands.py CASE (the options of real.py)
Recorded commands on NVIDIA's own drivers, over src/phantom. The programs share no code with jitwarm
and say themselves whether the driver's compiler is in their process (loader.py, starts.py).

    files      the modules of a command are in a library that it maps: recorded, lost with the
               cache, and warm again without starting it
    made       its PTX is in no file that it maps: it is kept, compiled again, and goes with the
               root
    asked      doctor --run says warm and cold as the program does; settings, links and a cache of
               its own are named
    strict     run --no-compile: warm code runs, the rest is error 223
    compilers  NVRTC and nvJitLink: which made what"""
import json
import pathlib
import shutil
import sys

import real
from real import PTX, Machine, check, container, item, library_of, unpack_wheel, why_not

HERE = pathlib.Path(__file__).parent
WEAK = PTX.split(".address_size 64\n")[1].replace("entry add", "entry _ZN3cub11EmptyKernelIvEEvv")


class Program(Machine):
    """A machine with one program, which is started by `words`."""

    def __init__(self, o, *words):
        super().__init__(o, alone=True)
        self.app = self.home / "app"
        self.app.mkdir()
        self.words = [sys.executable, *words]

    def own(self, *more, **variables):
        return json.loads(self.run(*self.words, *more, **variables))

    def verb(self, *words, warm=None, **more):
        """What jitwarm said on both streams, and what the program said. warm: True 0, False 1, None
        either."""
        said = self.jitwarm(*words, expect=(0, 1) if warm is None else (0, ) if warm else (1, ),
                            **more)
        lines = (said + self.errors).splitlines()
        own = next((json.loads(line) for line in lines if line.startswith("{")), None)
        return " ".join(" ".join(line for line in lines if not line.startswith("{")).split()), own

    def lose(self):
        shutil.rmtree(self.cache)

    def kept(self):
        return sorted(self.home.glob(".local/state/jitwarm/caches/*/*.kept"))


def files(o):
    """A kernel that several modules hold is taken from another one at each start: after the
    recording of one start none of the others compiles."""
    why_not(o)
    m = Program(o, HERE / "starts.py", "libcuda.so.1")
    library, same, turn = m.app / "libweak.so", m.app / "same.so", m.home / "turn"
    texts = [
        PTX.replace("42", str(n)).replace("entry add", f"entry own{n}") + WEAK for n in range(7)
    ]
    library.write_bytes(
        library_of(*(container(item(text, packed=n % 2)) for n, text in enumerate(texts))))
    same.write_bytes(library_of(container(item(
        texts[3], packed=False))))  # one of them in another form: another entry
    m.words += [turn, "0.5", library, same]
    turn.write_text("0")
    said, own = m.verb("prime", "--yes", "--run", *m.words, warm=True)
    check(own["compiler"] and "Loaded 2 Compiled 2, by the driver" in said, "recorded cold", said)
    made = m.entries()
    check(
        len(made) == 8 and not m.kept(),
        "all modules that share the kernel are warm, and no PTX is kept",
        (said, sorted(made), m.kept()))
    for n in range(7):
        turn.write_text(str(n))
        said, own = m.verb("doctor", "--run", *m.words, warm=True)
        check(not own["compiler"] and m.entries() == made, f"start {n} finds all", (said, own))
    m.lose(), turn.write_text("3")
    said, own = m.verb("run", "--", *m.words, warm=True)
    check(not own["compiler"] and m.entries() == made,
          "run primes it, byte for byte, before it becomes the command", (said, own))
    same.write_bytes(library_of(container(item(texts[0].removesuffix(WEAK)))))
    said, _ = m.verb("prime", "--yes", warm=False)
    check(f"{same}: other code than was recorded" in said,
          "a file that was replaced, whatever another one has", said)
    library.write_bytes(
        library_of(*(container(item(text.removesuffix(WEAK))) for text in texts[:3])))
    turn.write_text("0")
    said, _ = m.verb("prime", "--yes", "--run", "sh", "-c",
                     f"{' '.join(map(str, m.words))}; kill $$", warm=True)
    check(
        "All 2 modules that this start loaded until it was stopped" in said
        and f"(1): jitwarm prime {library}" in said, "what it had not loaded is named", said)


def made(o):
    why_not(o)
    m = Program(o, HERE / "loader.py")
    files = [m.home / "one.fatbin", m.home / "text.ptx", m.home / "none.fatbin"]
    files[0].write_bytes(container(item(PTX)))
    files[1].write_text(PTX.replace("42", "43"))
    files[2].write_bytes(container(item(PTX.replace("42", "44"), nuls=0)))
    m.words += [*files, "--jit", "0=16"]  # each once more with an option that is in the key (F16)
    said, own = m.verb("prime", "--yes", "--run", *m.words, warm=True)
    first = m.entries()
    check(own["compiler"] and len(first) == 6 == len(m.kept()), "the PTX is kept",
          (said, own, m.kept()))
    check(
        sum(f.stat().st_size for f in m.kept()) < sum(map(len, first.values())), "without the code",
        m.kept())
    for file in files:
        file.rename(f"{file}.away")
    m.lose()
    said, _ = m.verb("prime", "--yes", warm=True)
    check(m.entries() == first, "the same entries, though no file has the PTX", said)
    for file in files:
        pathlib.Path(f"{file}.away").rename(file)
    own = m.own()
    check(own["loaded"] == 6 and not own["compiler"] and not own["new_entries"],
          "the program compiles nothing", own)
    m.verb("forget", "--run", *m.words, warm=True)
    check(not m.kept(), "what no root needs goes", m.kept())
    # F16, F90: loads with options, and one of the driver's linker, are made again, too.
    options = [
        f"{n}={value}" for n, value in ((0, 16), (7, 0), (7, 2), (7, 4), (11, 1), (13, 1), (14, 1),
                                        (16, 1), (30, 1), (31, 1), (32, 1), (33, 1))
    ]
    m.words = [
        sys.executable, HERE / "loader.py", files[1], "--linked",
        *(word for text in options for word in ("--jit", text))
    ]
    m.lose()
    said, own = m.verb("prime", "--yes", "--run", *m.words, warm=True)
    first = m.entries()
    check(
        len(first) == len(m.kept()) >= 10 and "cannot compile" not in said, "an entry for each",
        (said, sorted(first)))
    check({b" -O0", b" --maxrregcount 16"}
          <= {real.parts(entry)[0].rsplit(b"\0", 1)[1]
              for entry in first.values()}, "with the options", sorted(first))
    m.lose()
    said, own = m.verb("run", "--", *m.words, warm=True)
    check(m.entries() == first and not own["new_entries"], "the same entries", (said, own))
    m.lose()
    said, _ = m.verb("prime", "--yes", "--run", *m.words, warm=False, CUDA_CACHE_MAXSIZE="8000")
    check("The cache's limit is too small. All " in said and " found after this start are in" in said,
          "what the driver removed is not known", said)


def asked(o):
    """F86."""
    why_not(o)
    m = Program(o, HERE / "loader.py")
    text, other = m.app / "text.ptx", m.home / "other"
    text.write_text(PTX)
    m.words += [text, "--nap", "0.5"]
    said, own = m.verb("doctor", "--run", *m.words, warm=False)
    check(own["compiler"] and "This start compiled 1 module. The cache keeps it" in said
          and "Loaded 1 Compiled 1, by the driver" in said, "cold", said)
    for door in ["module"] if int(o.driver) < 525 else ["module", "library"]:
        said, own = m.verb("doctor", "--run", *m.words, "--door", door, warm=True)
        check(not own["compiler"] and "This start compiled nothing. Loaded 1" in said,
              f"warm, by {door}", said)
    script = 'find "$0" -type f -exec touch {} +; exec "$@"'  # as one that unpacks a cache
    said, own = m.verb("doctor", "--run", "sh", "-c", script, m.cache, *m.words, warm=True)
    check(not own["compiler"] and "This start compiled nothing. Loaded 1" in said,
          "what a script touches was not compiled", said)
    ptxas = m.home / "ptxas"
    shutil.copy(shutil.which("sleep"), ptxas)
    script = '"$0" 0.6; exec "$@"'
    said, own = m.verb("doctor", "--run", "sh", "-c", script, ptxas, *m.words, warm=False)
    check("Why ptxas was started, and what it compiles is not seen" in said,
          "what a compiler of the toolkit compiles is not known", said)
    check(not m.kept() and not list(m.home.glob(".local/state/jitwarm/caches/*/roots*")),
          "it records nothing", said)
    moved = [*m.words, "--default", f"CUDA_CACHE_PATH={other}"]
    for warm in False, True:
        said, own = m.verb("doctor", "--run", *moved, warm=warm)
        check(own["compiler"] != warm, f"a cache of its own, warm: {warm}", said)
    shutil.rmtree(other)
    said, own = m.verb("prime", "--yes", "--run", *moved, warm=False)
    check(f"prime --cache {other} --run" in said, "it is named, with the line that primes it", said)
    primed, own = m.verb("prime", "--yes", "--cache", str(other), "--run", *moved, warm=True)
    shutil.rmtree(other)
    said, own = m.verb("run", "--cache", str(other), "--", *moved, warm=True)
    check(f"run --cache {other} " in primed and not own["compiler"],
          "its line is named, and primes that one", primed + said)
    for setting in "CUDA_CACHE_DISABLE=1", "CUDA_CACHE_MAXSIZE=100", "CUDA_FORCE_PTX_JIT=1":
        for verb in "doctor", "prime":
            said, own = m.verb(verb, *(["--yes"] if verb == "prime" else []), "--run", *m.words,
                               "--set", setting, "--set", f"CUDA_CACHE_PATH={m.home / 'empty'}",
                               warm=False)
            check(own["compiler"] and f"take {setting} out" in said, setting, said)
    said, own = m.verb("prime", "--yes", "--run", *m.words, "--set", "CUDA_FORCE_PTX_JIT=1",
                       warm=False)
    keyless = int(
        o.driver
    ) < 525  # what is forced is stored without its key, so it is no module that the command loaded
    check("take CUDA_FORCE_PTX_JIT=1 out" in said and (keyless or "is in this cache" in said),
          "what a program forces counts, whatever is in the cache", said)
    said, own = m.verb("doctor", "--run", *m.words, "--link", warm=False)
    check(own["compiler"] and "is not known" in said, "a program that only begins to link", said)
    m.verb("doctor", "--run", *m.words, "--linked", warm=False)
    said, own = m.verb("doctor", "--run", *m.words, "--linked", warm=True)
    check(own["compiler"] and not own["new_entries"] and "Linked yes" in said,
          "a program that links what is in the cache", said)
    nvvm = shutil.copy(text, m.app / "libnvvm.so.4.0.0")
    mapped = (f"import mmap, runpy, sys; f = open({str(nvvm)!r}); m = mmap.mmap(f.fileno(), 0, "
              f"prot=1); del sys.argv[0]; sys.path.insert(0, {str(HERE)!r}); "
              f"runpy.run_path(sys.argv[0], run_name='__main__')")
    said, _ = m.verb("doctor", "--run", m.words[0], "-c", mapped, *m.words[1:], "--linked",
                     warm=False)
    check("Linked yes Why libnvvm.so.4.0.0 was loaded" in said,
          "the same, with an NVVM that it does not use", said)


def strict(o):
    """F104."""
    why_not(o)
    m = Program(o, HERE / "loader.py")
    library = m.app / "lib.so"
    library.write_bytes(library_of(*(container(item(PTX.replace("42", str(n)))) for n in range(3))))
    m.words += [library]
    m.verb("prime", "--yes", "--run", *m.words, warm=True)
    m.lose()
    for cold in (3, 0):
        _, own = m.verb("run", "--no-compile", "--", *m.words, warm=True)
        check(
            own["failed"].get("223", 0) == cold and own["loaded"] == 3 - cold
            and not own["compiler"] and not own["new_entries"], f"{cold} cold", own)
        m.verb("prime", "--yes", warm=True)
    (m.app / "more.ptx").write_text(PTX.replace("42", "99"))
    own = m.own(m.app / "more.ptx", CUDA_DISABLE_PTX_JIT="1")
    check(own["loaded"] == 3 and own["failed"] == {"223": 1}, "warm ones run, the rest fails", own)


def compilers(o):
    why_not(o)
    for package, place, maker, code, text in (
        ("nvidia-cuda-nvrtc-cu12==12.9.86", "cuda_nvrtc/lib/libnvrtc.so.12", "NVRTC", real.NVRTC,
         'extern "C" __global__ void f(int *p) {{ *p = {}; }}'),
        ("nvidia-nvjitlink-cu12==12.9.86", "nvjitlink/lib/libnvJitLink.so.12", "nvJitLink",
         real.NVJITLINK + "import time; time.sleep(0.5)\n", PTX.replace("{", "{{").replace(
             "}", "}}").replace("42", "{}"))):
        m = Program(o)
        unpack_wheel(o, package, m.home / "wheel")
        library, turn = m.home / "wheel/nvidia" / place, m.app / "turn"
        script = m.app / "program.py"
        script.write_text(
            "import ctypes, os, sys\nassert ctypes.CDLL('libcuda.so.1').cuInit(0) == 0\nmore = "
            "[*map(ctypes.CDLL, sys.argv[2:])]\n"
            + code.replace("sys.argv[2]", f"{text!r}.format(open({str(turn)!r}).read())"))
        m.words += [script, library]
        turn.write_text("1")
        said, _ = m.verb("prime", "--yes", "--run", *m.words, warm=True)
        check(
            "only the program makes again" in said and f" of {maker}" in said
            and "if its next start compiles, too" in said, "what jitwarm cannot make is named",
            said)
        said, _ = m.verb("doctor", "--run", *m.words, warm=True)
        said, _ = m.verb("doctor", "--run", *m.words, shutil.copy(library, m.app / "libnvvm.so.4"),
                         warm=False)
        check("The driver compiled nothing. Why libnvvm.so.4 was loaded" in said,
              "of NVVM their entries tell nothing", said)
        turn.write_text("2")
        said, _ = m.verb("doctor", "--run", *m.words, warm=False)
        check(
            f"by {maker}" in said
            and "To do start it again: if that compiles, too, each start does" in said,
            "which compiler made it", said)


CASES = {f.__name__: f for f in (files, made, asked, strict, compilers)}

if __name__ == "__main__":
    real.CASES = CASES
    sys.exit(real.main())
