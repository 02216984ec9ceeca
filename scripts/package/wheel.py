#!/usr/bin/env python3
"""wheel.py --version V --platform TAG --out DIR PROGRAM [LIBRARY]

A Python wheel that carries the program, its pages and its licenses: pip puts the program where
scripts are found, the pages into share/doc, and the library where the program looks for it. The
same program gives the same bytes. Made with the standard library alone.
"""
import argparse
import base64
import hashlib
import pathlib
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)
ROOT = pathlib.Path(__file__).resolve().parents[2]
LICENSES = (ROOT / "LICENSE", ROOT / "scripts/package/third-party.md")
PAGES = (ROOT / "README.md", ROOT / "LICENSE",
         *sorted(path for path in (ROOT / "docs").rglob("*") if path.is_file()))
SUMMARY = "CUDA software starts fast on GPUs its authors did not build for"


def metadata(version):
    return f"Metadata-Version: 2.4\nName: jitwarm\nVersion: {version}\nSummary: {SUMMARY}\nAuthor: the jitwarm authors\n" \
           "License-Expression: MIT\n" + "".join(f"License-File: {path.name}\n" for path in LICENSES) + \
           "Classifier: Environment :: GPU :: NVIDIA CUDA\n"


def wheel(platform):
    return f"Wheel-Version: 1.0\nGenerator: jitwarm\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"


def add(archive, records, name, data, mode):
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (0o100000 | mode) << 16
    archive.writestr(info, data, compresslevel=9)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(data)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--platform", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path, nargs="?")
    opt = parser.parse_args()

    info, path = f"jitwarm-{opt.version}.dist-info", opt.out / f"jitwarm-{opt.version}-py3-none-{opt.platform}.whl"
    records = []
    with zipfile.ZipFile(path, "w") as archive:
        add(archive, records, f"jitwarm-{opt.version}.data/scripts/{opt.program.name}",
            opt.program.read_bytes(), 0o755)
        if opt.library:
            add(archive, records, f"jitwarm-{opt.version}.data/data/lib/jitwarm/{opt.library.name}",
                opt.library.read_bytes(), 0o644)
        for page in PAGES:
            add(
                archive, records,
                f"jitwarm-{opt.version}.data/data/share/doc/jitwarm/{page.relative_to(ROOT).as_posix()}",
                page.read_bytes(), 0o644)
        add(archive, records, f"{info}/METADATA", metadata(opt.version).encode(), 0o644)
        add(archive, records, f"{info}/WHEEL", wheel(opt.platform).encode(), 0o644)
        for text in LICENSES:
            add(archive, records, f"{info}/licenses/{text.name}", text.read_bytes(), 0o644)
        records.append(f"{info}/RECORD,,")
        add(archive, [], f"{info}/RECORD", ("\n".join(records) + "\n").encode(), 0o644)
    print(path)


if __name__ == "__main__":
    main()
