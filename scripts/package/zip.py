#!/usr/bin/env python3
"""zip.py ARCHIVE FOLDER: the files below FOLDER, sorted, with one date: the same files give the
same bytes."""
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[2])
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 0
        archive.writestr(info, path.read_bytes(), compresslevel=9)
