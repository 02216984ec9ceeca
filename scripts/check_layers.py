#!/usr/bin/env python3
"""check_layers.py [ROOT]: a layer of src/ includes only itself, the public headers, and what follows
its name in src/CMakeLists.txt. One line for each offence, exit 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
SRC = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([\w-]+)/', re.M)


def declared():
    text = re.sub(r"#.*", "", (SRC / "CMakeLists.txt").read_text(encoding="utf-8"))
    return {name: below.split() for name, below in re.findall(r"^\s*jw_layer\(\s*(\w+)([^)]*)\)", text, re.M)}


def includes(folder):
    for file in sorted(folder.rglob("*.[ch]")):
        for there in INCLUDE.findall(file.read_text(encoding="utf-8")):
            yield file.relative_to(ROOT), there


def offences(layers):
    seen = set()
    for name, below in layers.items():
        for other in below:
            if other not in seen:
                yield f"src/CMakeLists.txt: {name} stands on {other}, which is not declared above it"
        seen.add(name)
        for file, there in includes(SRC / name):
            if there not in {name, "jitwarm", *below}:
                yield f"{file}: {name}/ may not include {there}/"
    for folder in sorted(path.name for path in SRC.iterdir() if path.is_dir()):
        if folder not in layers and any((SRC / folder).rglob("*.[ch]")):
            yield f"src/CMakeLists.txt: {folder}/ is no declared layer"
    for file, there in includes(ROOT / "include"):
        if there != "jitwarm":
            yield f"{file}: a public header may not include {there}/"


if __name__ == "__main__":
    found = list(offences(declared()))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
