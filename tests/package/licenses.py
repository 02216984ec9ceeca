#!/usr/bin/env python3
"""licenses.py FOLDER: each package says MIT, carries LICENSE and the notices of what it links, and
names no made-up address."""
import email
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(sys.argv.pop(1))


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Licenses(unittest.TestCase):
    def test_every_library_that_is_linked_has_its_row_and_its_notice(self):
        page = text("scripts/package/third-party.md")
        linked = re.findall(r"^jw_dep\(jw_(\w+)", text("scripts/cmake/JitwarmDeps.cmake"), re.M)
        names = {
            "zstd": "zstd", "lz4": "LZ4", "cjson": "cJSON", "isal": "ISA-L", "sodium": "libsodium"
        }
        self.assertEqual(set(linked), set(names))
        for name in linked:
            self.assertIn(f"| {names[name]} |", page)
            self.assertRegex(page, rf"### {names[name]}\n\n    Copyright")

    def test_the_wheel_says_so_and_carries_both(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        program = FOLDER / "jitwarm"
        program.write_bytes(b"#!/bin/sh\n")
        made = subprocess.run([
            sys.executable, ROOT / "scripts/package/wheel.py", "--version", "1.0", "--platform",
            "any", "--out", FOLDER, program
        ], check=True, capture_output=True, text=True)
        with zipfile.ZipFile(made.stdout.strip()) as wheel:
            said = email.message_from_bytes(wheel.read("jitwarm-1.0.dist-info/METADATA"))
            self.assertEqual(said["License-Expression"], "MIT")
            self.assertEqual(said.get_all("License-File"), ["LICENSE", "third-party.md"])
            for name, path in (("LICENSE", "LICENSE"), ("third-party.md",
                                                        "scripts/package/third-party.md")):
                self.assertEqual(wheel.read(f"jitwarm-1.0.dist-info/licenses/{name}"),
                                 (ROOT / path).read_bytes())

    def test_the_packages_say_so(self):
        self.assertIn('CPACK_RPM_PACKAGE_LICENSE "MIT"', text("scripts/cmake/JitwarmPackage.cmake"))
        plain = "\n".join(line[1:] if line != " ." else ""
                          for line in text("scripts/package/copyright").splitlines())
        self.assertIn(text("LICENSE").split("\n\n", 2)[2].strip(), plain)
        for path in [
                ROOT / "scripts/release", *(ROOT / "scripts/package").iterdir(),
                *(ROOT / "scripts/cmake").iterdir()
        ]:
            self.assertNotIn(".invalid", path.read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    unittest.main()
