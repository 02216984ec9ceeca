#!/usr/bin/env python3
"""release.py: what scripts/release says before it builds anything: which files it would make, as
the pages name them, and whether version, list of changes and tag agree. In a copy of the few files
that it reads, with commits and tags of its own."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(jitwarm VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(),
                    re.M)[1]
IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.com")


def check(ok, what, seen=""):
    if not ok:
        sys.exit(f"not so: {what}\n{seen}")


class Tree:
    def __init__(self, folder):
        self.dir, self.changes = folder, folder / "docs/CHANGELOG.md"
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        shutil.copy(ROOT / "CMakeLists.txt", folder)
        self.changes.parent.mkdir()
        self.git("init", "--quiet")

    def git(self, *words):
        subprocess.run(["git", *IDENTITY, *words], cwd=self.dir, check=True, capture_output=True)

    def commit(self, changes):
        self.changes.write_text(changes)
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", "changes")

    def release(self, *words, code=0):
        done = subprocess.run(["scripts/release", *words], cwd=self.dir, text=True, check=False,
                              capture_output=True)
        check(done.returncode == code, f"{words} ends with {code}, not {done.returncode}",
              done.stdout + done.stderr)
        return done.stdout + done.stderr

    def publish(self, code=0, version=VERSION):
        return self.release("--dry-run", "--version", version, "source", code=code)


def names(tree):
    """The files that README prints are those that are made."""
    made = re.findall(r"would make: (\S+)", tree.release("--dry-run"))
    printed = set(
        re.findall(rf"build/release-{re.escape(VERSION)}/(\S+)",
                   (ROOT / "README.md").read_text() + (ROOT / "docs/deploy.md").read_text()))
    check(len(printed) == 3, "README names deb, wheel and image", printed)
    check(printed <= set(made), "each is made", (printed, made))
    wheels = [name for name in re.findall(r"would make: (\S+)", tree.release("--dry-run", "wheel"))
              if name.endswith(".whl")]
    check(len(wheels) == 1 and wheels[0] in printed, "wheel is the one for x86-64", wheels)


def versions(tree):
    tree.commit(f"# Changes\n\n## {VERSION} (unreleased)\n\n* All.\n")
    check("rehearsal" in tree.publish(), "before there is a tag, it is a rehearsal")
    check("not 9.9.9" in tree.publish(1, "9.9.9"), "another version is refused")
    tree.git("tag", f"v{VERSION}")
    check("no heading" in tree.publish(1), "what has a tag has a day")
    tree.commit(f"# Changes\n\n## {VERSION} (2026-12-31)\n\n* All.\n")
    check("is another commit" in tree.publish(1), "the tag is this commit")
    tree.git("tag", "--force", f"v{VERSION}")
    check("NOTES.md" in tree.publish(), "where all agree, the notes are among the files")
    tree.commit(f"# Changes\n\n## {VERSION} (2026-12-31)\n\n## 0.0.1 (2026-01-01)\n\n* Old.\n")
    tree.git("tag", "--force", f"v{VERSION}")
    check("says nothing of" in tree.publish(1), "a version without a line is refused")


with tempfile.TemporaryDirectory() as scratch:
    rig = Tree(pathlib.Path(scratch))
    versions(rig)
    names(rig)
