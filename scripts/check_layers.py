#!/usr/bin/env python3
"""check_layers.py [ROOT]: a layer of src/ includes only itself, the public headers, and what stands
above it in src/CMakeLists.txt and is not kept from it there; verbs/ and a verb's folder command/
count as cli. There are at most 19 rooms, each with a README of at most 30 lines and a row of the
map in src/README.md; no folder has more than 40 files of its own. A static function's name stands
in at most three files (the files of one noun for several systems count once), because a name that
stands everywhere names nothing. What stands on session/ asks the machine through it: the functions
of ASKED are called there alone, and it reads no file by which the system shows GPUs and drivers. A
header that says that it is for its room alone is included there alone. One line for each offence,
exit 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) >
                    1 else pathlib.Path(__file__).resolve().parent.parent)
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([\w/-]+)/', re.M)
STATIC = re.compile(r"^static [^;={]*?\b(\w+)\([^;{]*\)\n\{", re.M)
CODE = {".c", ".h"}
ROOMS_MAX, FILES_MAX, README_LINES, SAME_NAMES = 19, 40, 30, 3
OF_A_TABLE = {"run", "show"}  # of a verb: the member of struct cmd, and its report

ASKED = [
    "jw_probe", "jw_config_load", "jw_whoami", "jw_host_gpus", "jw_cache_env_find",
    "jw_drivers_load", "jw_discover", "jw_driver_file_here", "jw_container_here",
    "jw_compiler_file_of"
]
# Where the system shows GPUs and drivers.
SHOWN = re.compile(
    r'"((?:%s)?/(?:dev/nvidia|dev/dxg|proc/driver/nvidia|etc/ld\.so\.(?:cache|preload))[^"]*)"')

ALONE = re.compile(r"Other rooms must not include it|files of this (?:room|folder)(?: only)?\.")


def declared():
    """What each layer may include, and the offences in saying so."""
    text = re.sub(r"#.*", "", (SRC / "CMakeLists.txt").read_text(encoding="utf-8"))
    layers, wrong = {}, []
    for name, how, words in re.findall(r"^\s*jw_layer\(\s*([\w/]+)\s*(ONLY|BUT)?([^)]*)\)", text,
                                       re.M):
        unknown = [other for other in words.split() if other not in layers]
        wrong += [
            f"src/CMakeLists.txt: {name} names {other}, which is not declared above it"
            for other in unknown
        ]
        layers[name] = words.split() if how == "ONLY" else [
            other for other in layers if other not in words.split()
        ]
    for name, words in re.findall(r"^\s*jw_reserve\(\s*([\w/]+)([^)]*)\)", text, re.M):
        wrong += [
            f"src/CMakeLists.txt: jw_reserve names {other}, which is no layer"
            for other in [name, *words.split()] if other not in layers
        ]
        for other in layers.keys() - set(words.split()):
            layers[other] = [below for below in layers[other] if below != name]
    return layers, wrong


def layer_of(folder, layers):
    """The layer that a folder of src/ belongs to: the longest name that is declared; None: to
    none."""
    if folder == "verbs" or folder.endswith("/command"):
        return "cli"
    while folder and folder not in layers:
        folder = folder.rpartition("/")[0]
    return folder or None


def includes(folder):
    for file in sorted(folder.rglob("*.[ch]")):
        for there in INCLUDE.findall(file.read_text(encoding="utf-8")):
            yield file, there


def crowded():
    for folder in sorted(path for path in SRC.rglob("*") if path.is_dir()):
        n = sum(1 for file in folder.iterdir() if file.suffix in CODE)
        if n > FILES_MAX:
            yield f"{folder.relative_to(ROOT)}: {n} files; which rooms are in it?"
    rooms = sorted(path for path in SRC.iterdir() if path.is_dir())
    if len(rooms) > ROOMS_MAX:
        yield f"src: {len(rooms)} rooms; which of them is a folder of another?"
    mapped = set(
        re.findall(r"^\| `(\w+)/` \|", (SRC / "README.md").read_text(encoding="utf-8"), re.M))
    for name in sorted(mapped ^ {room.name for room in rooms}):
        yield f"src/README.md: the map and the folders differ in {name}/"
    for room in rooms:
        readme = room / "README.md"
        if not readme.is_file():
            yield f"{readme.relative_to(ROOT)}: is missing; a room says what a line in it knows"
        elif len(readme.read_text(encoding="utf-8").splitlines()) > README_LINES:
            yield f"{readme.relative_to(ROOT)}: more than {README_LINES} lines"


def nameless():
    holders = {}
    for file in sorted(SRC.rglob("*.c")):
        noun = re.sub(r"_(posix|windows|linux)$", "",
                      file.with_suffix("").relative_to(SRC).as_posix())
        for name in STATIC.findall(file.read_text(encoding="utf-8")):
            holders.setdefault(name, set()).add(noun)
    for name, files in sorted(holders.items()):
        if len(files) > SAME_NAMES and name not in OF_A_TABLE:
            yield f"static {name}() stands in {', '.join(sorted(files))}: of what?"


def beside_session(layers):
    """What goes around the session."""
    for file in sorted(SRC.rglob("*.c")):
        where = file.relative_to(SRC).as_posix()
        if "session" not in layers.get(
                layer_of(file.parent.relative_to(SRC).as_posix(), layers) or "", []):
            continue
        text = file.read_text(encoding="utf-8")
        for name in sorted(set(re.findall(rf"\b({'|'.join(ASKED)})\(", text))):
            yield f"src/{where}: calls {name}(); session/session.h has the answer"
        for path in sorted(set(SHOWN.findall(text))):
            yield f"src/{where}: names {path}; session/session.h has the answer"


def private():
    """Headers that say that they are for their room alone, included elsewhere."""
    texts = {
        file.relative_to(SRC).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(SRC.rglob("*.[ch]"))
    }
    alone = {name for name, text in texts.items() if name.endswith(".h") and ALONE.search(text)}
    for where, text in texts.items():
        for header in sorted(alone & set(re.findall(r'^#include "([^"]+)"', text, re.M))):
            if where.split("/")[0] != header.split("/")[0]:
                yield f"src/{where}: includes {header}, which is for its own room"


def offences(layers, wrong):
    yield from wrong
    for file, there in includes(SRC):
        if there == "jitwarm":
            continue
        here = layer_of(file.parent.relative_to(SRC).as_posix(), layers)
        target = layer_of(there, layers)
        where = file.relative_to(ROOT)
        if here is None:
            yield f"{where}: lies in no declared layer"
        elif target is None:
            yield f"{where}: {there}/ is no declared layer"
        elif target != here and target not in layers[here]:
            yield f"{where}: {here} may not include {target}"
    for file, there in includes(ROOT / "include"):
        if there != "jitwarm":
            yield f"{file.relative_to(ROOT)}: a public header may not include {there}/"
    yield from crowded()
    yield from nameless()
    yield from beside_session(layers)
    yield from private()


if __name__ == "__main__":
    found = list(offences(*declared()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
