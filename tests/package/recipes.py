#!/usr/bin/env python3
"""recipes.py: what passes jitwarm on (conda-forge, winget, an apt repository, a GitHub Action) and
its bill of materials, made of small files. Where check-jsonschema or cyclonedx is installed, the
schemas are asked, too."""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts/package"
VERSION = re.search(r"^project\(jitwarm VERSION (\S+)",
                    (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M).group(1)
URL = "https://example.org/jitwarm"


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Recipes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jitwarm-recipes-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def made(self, name, text="x"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_tool(self, *args, **more):
        return subprocess.run(args, check=True, capture_output=True, text=True, timeout=60, **more)

    def recipe(self, of):
        self.run_tool(sys.executable, PACKAGE / "recipes.py", of, "--version", VERSION, "--from",
                      URL, "--release", self.folder, self.folder / of)
        return {
            path.name: path.read_text(encoding="utf-8")
            for path in (self.folder / of).iterdir()
        }

    def test_twice_wants_a_commit(self):
        tree = self.folder / "tree"
        for name in ("scripts/release", "CMakeLists.txt"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        git = ["git", "-C", tree, "-c", "user.name=ada", "-c", "user.email=ada@example.org"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            self.run_tool(*git, *words)
        (tree / "CMakeLists.txt").write_text("# another\n", encoding="utf-8")
        done = subprocess.run([tree / "scripts/release", "--twice", "source"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(
            (done.returncode, done.stderr),
            (1, "release: --twice compares with what git has: commit your changes first\n"))
        self.assertFalse((tree / "build").exists())

    def test_conda_forge_names_the_source_and_its_digest(self):
        source = self.made(f"jitwarm-{VERSION}.tar.gz")
        files = self.recipe("conda-forge")
        self.assertEqual(files["conda_build_config.yaml"], 'c_stdlib_version:\n  - "2.28"\n')
        text = files["recipe.yaml"]
        self.assertIn(f"url: {URL}/{source.name}\n  sha256: {sha(source)}\n", text)
        for part in ('${{ compiler("c") }}', "${CMAKE_ARGS}", "license: MIT", "- isa-l",
                     "- libsodium"):
            self.assertIn(part, text)

    def test_winget_names_the_installer_and_its_digest(self):
        setup = self.made("jitwarm-setup.exe")
        files = self.recipe("winget")
        self.assertEqual(
            set(files), {
                "jitwarm.jitwarm.yaml", "jitwarm.jitwarm.locale.en-US.yaml",
                "jitwarm.jitwarm.installer.yaml"
            })
        for text in files.values():
            self.assertIn(f"PackageIdentifier: jitwarm.jitwarm\nPackageVersion: {VERSION}\n", text)
        self.assertIn(
            f"InstallerUrl: {URL}/jitwarm-setup.exe\n  InstallerSha256: {sha(setup).upper()}\n",
            files["jitwarm.jitwarm.installer.yaml"])
        # What the schemas 1.6.0 of winget's manifests require.
        common = {"PackageIdentifier", "PackageVersion", "ManifestType", "ManifestVersion"}
        for kind, required in (("", {"DefaultLocale"}), (".locale.en-US", {
                "PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"
        }), (".installer", {"Installers"})):
            text = files[f"jitwarm.jitwarm{kind}.yaml"]
            keys = re.findall(r"^(\w+):", text, re.M)
            self.assertEqual((common | required) - set(keys), set())
            self.assertEqual(len(keys), len(set(keys)))
            self.assertIn("\nManifestVersion: 1.6.0\n", text)
        installers = files["jitwarm.jitwarm.installer.yaml"].split("Installers:\n")[1].split("\n- ")
        self.assertEqual(len(installers), 2)
        for one in installers:
            self.assertEqual(
                {"Architecture", "InstallerUrl", "InstallerSha256"} -
                set(re.findall(r"^(?:- |  )(\w+):", "- " + one.removeprefix("- "), re.M)), set())
        # The switches are those of the installer itself.
        for switch in re.findall(r"Custom: /(\w+)", files["jitwarm.jitwarm.installer.yaml"]):
            self.assertIn(f"/{switch}", (PACKAGE / "jitwarm.nsi").read_text(encoding="utf-8"))

    @unittest.skipUnless(shutil.which("makensis"), "there is no makensis")
    def test_the_installer_has_the_same_bytes_from_a_checkout_of_another_day(self):
        made = []
        for day in (1, 2):
            for name in ("jitwarm.exe", "LICENSE", "docs/README.md")[::3 - 2 * day]:
                path = self.made(f"{day}/{name}")
                os.utime(path, (86400 * day, 86400 * day))
            made.append(self.folder / f"setup-{day}.exe")
            self.run_tool("makensis", "-V2", f"-DVERSION={VERSION}", f"-DFILES={self.folder}/{day}",
                          f"-DOUT={made[-1]}", PACKAGE / "jitwarm.nsi")
        self.assertEqual(sha(made[0]), sha(made[1]))

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
    def test_the_apt_repository_lists_each_package_with_its_digest(self):
        debs = []
        for machine in ("amd64", "arm64"):
            self.made(
                f"{machine}/DEBIAN/control",
                f"Package: jitwarm\nVersion: {VERSION}\nArchitecture: {machine}\nMaintainer: "
                f"nobody\nDescription: made\n\n"
            )
            debs.append(self.folder / f"jitwarm_{VERSION}_{machine}.deb")
            self.run_tool("dpkg-deb", "--root-owner-group", "--build", self.folder / machine,
                          debs[-1])
        made = [self.folder / name for name in ("first", "second")]
        for out in made:
            self.run_tool(PACKAGE / "apt-repository", out, *debs,
                          env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
        release = (made[0] / "dists/stable/Release").read_text(encoding="utf-8")
        self.assertIn("Architectures: amd64 arm64\nDate: Tue, 14 Nov 2023 22:13:20 +0000\n",
                      release)
        for digest, size, name in re.findall(r"^ (\w{64}) (\d+) (\S+)$", release, re.M):
            path = made[0] / "dists/stable" / name
            self.assertEqual((digest, int(size)), (sha(path), path.stat().st_size))
            self.assertEqual(path.read_bytes(), (made[1] / "dists/stable" / name).read_bytes())
        packages = (made[0] / "dists/stable/main/binary-arm64/Packages").read_text(encoding="utf-8")
        self.assertIn(
            f"Filename: pool/{debs[1].name}\nSize: {debs[1].stat().st_size}\nSHA256: "
            f"{sha(debs[1])}\n",
            packages)
        self.assertNotIn("amd64", packages)
        self.assertNotIn("\n\n", packages.rstrip("\n"), "one entry, without an empty line in it")

    def test_the_bill_names_each_file_and_what_is_linked_into_it(self):
        names = [
            f"jitwarm-{VERSION}-linux-x86_64.tar.gz", "jitwarm-setup.exe",
            f"jitwarm-{VERSION}-1.x86_64.rpm", f"jitwarm_{VERSION}_amd64.deb"
        ]
        paths = [self.made(name, name) for name in names]
        for target, sodium in (("portable-x86_64", "1:1.0.18-1"), ("win64", "1.0.18+dfsg-1")):
            self.made(
                f"deps/{target}/versions",
                f"libzstd 1.5.4-1\nlz4 1.9.4-1\ncjson 1.7.15-1\nlibisal 2.30.0-5\nlibsodium "
                f"{sodium}\n"
            )
        out = self.folder / "bill.json"
        self.run_tool(sys.executable, PACKAGE / "sbom.py", "--version", VERSION, "--deps",
                      self.folder / "deps", "--out", out, *paths)
        bill = json.loads(out.read_text(encoding="utf-8"))
        files = {
            c["name"]: c["hashes"][0]["content"]
            for c in bill["components"] if c["type"] == "file"
        }
        self.assertEqual(files, {path.name: sha(path) for path in paths})
        linked = {d["ref"]: d["dependsOn"] for d in bill["dependencies"]}
        self.assertEqual(set(linked), set(names[:3]))
        self.assertIn("pkg:deb/debian/libsodium@1.0.18%2Bdfsg-1?arch=source",
                      linked["jitwarm-setup.exe"])
        self.assertEqual([len(v) for v in linked.values()], [5, 5, 5])
        if importlib.util.find_spec("cyclonedx") and importlib.util.find_spec("jsonschema"):
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            self.assertIsNone(
                JsonStrictValidator(SchemaVersion.V1_5).validate_str(
                    out.read_text(encoding="utf-8")))

    def test_every_library_that_is_linked_has_a_license_in_the_bill(self):
        spec = importlib.util.spec_from_file_location("sbom", PACKAGE / "sbom.py")
        sbom = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sbom)
        table = re.search(r"every_library\(\)\n\{\n    cat <<'END'\n(.*?)END",
                          (ROOT / "scripts/deps").read_text(encoding="utf-8"), re.S).group(1)
        linked = {line.split()[0] for line in table.splitlines()} - {"zlib"}  # tests alone use it
        self.assertEqual(linked, set(sbom.LICENSES))


class Action(unittest.TestCase):
    def test_its_version_is_that_of_this_tree(self):
        """The action names none, so scripts/ci asks the release of the tree that it lies in."""
        action = (ROOT / "action.yml").read_text(encoding="utf-8")
        self.assertNotIn(VERSION, action)
        said = subprocess.run([ROOT / "scripts/release", "--print-version"], check=True,
                              capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), VERSION)

    @unittest.skipUnless(shutil.which("check-jsonschema"), "there is no check-jsonschema")
    def test_it_is_an_action(self):
        subprocess.run(
            ["check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"],
            check=True, capture_output=True)


if __name__ == "__main__":
    unittest.main()
