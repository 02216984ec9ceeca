"""A Windows machine of a test's own: a copy of the Wine prefix that scripts/wine-run has made."""
import os
import shutil
import subprocess


def clone(source, prefix):
    """Another machine: programs and libraries are links, the registry and users are its own. Other
    programs may be at work in the source: what they save for a moment (*.tmp beside the registry,
    all of a Temp folder) is skipped, for it comes and goes."""
    if prefix.exists():
        shutil.rmtree(prefix)
    prefix.mkdir(parents=True)
    link = ["-l"] if prefix.stat().st_dev == source.stat().st_dev else []
    (prefix / "drive_c").mkdir()
    for path in source.iterdir():
        if path.name == "dosdevices":
            shutil.copytree(path, prefix / path.name, symlinks=True)
        elif path.suffix != ".tmp" and path.is_file():
            shutil.copy2(path, prefix / path.name)
    for path in (source / "drive_c").iterdir():
        if path.name not in ("users", "proof"):
            subprocess.run(["cp", "-a", *link, path, prefix / "drive_c"], check=True)
    shutil.copytree(source / "drive_c" / "users", prefix / "drive_c" / "users", symlinks=True,
                    ignore=inside_temp)


def inside_temp(folder, names):
    return names if os.path.basename(folder) == "Temp" else []
