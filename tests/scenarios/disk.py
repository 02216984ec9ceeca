"""A folder of a made machine, below /var/tmp, where people's homes may lie."""
import contextlib
import os
import pathlib
import subprocess
import tempfile


@contextlib.contextmanager
def folder_on_disk(prefix):
    """What is written there is in memory where that can be (JW_TEST_MEMORY, and rigs/alone gave this process mounts of its own): an overlay
    is a disk for every program, and thousands of syncs and removals take no time."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/var/tmp") as name, tempfile.TemporaryDirectory(dir=os.environ.get("JW_TEST_MEMORY")) as memory:
        parts = {part: pathlib.Path(memory, part) for part in ("lower", "upper", "work")}
        for part in parts.values():
            part.mkdir()
        words = ",".join(f"{part}dir={path}" for part, path in parts.items())
        mounted = "JW_TEST_MEMORY" in os.environ and os.getpid() == 1 and subprocess.run(
            ["mount", "-t", "overlay", "overlay", "-o", words, name], capture_output=True, check=False).returncode == 0
        pathlib.Path(name).chmod(0o755)
        try:
            yield pathlib.Path(name)
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", name], check=False)
