#!/usr/bin/env python3
"""recipes.py conda-forge|winget --version V --from URL --release FOLDER OUT

Writes what conda-forge's staged-recipes or winget-pkgs takes: the files of the release FOLDER, as
they are downloaded from URL.
"""
import argparse
import hashlib
import pathlib

SUMMARY = "CUDA software starts fast on GPUs its authors did not build for"
CONDA = """schema_version: 1

context:
  version: "{version}"

package:
  name: jitwarm
  version: ${{{{ version }}}}

source:
  url: {url}/jitwarm-{version}.tar.gz
  sha256: {source}

build:
  number: 0
  skip: not linux
  script:
    - cmake -G Ninja -S . -B build ${{CMAKE_ARGS}} -DCMAKE_BUILD_TYPE=Release -DJW_TESTS=OFF -DCMAKE_INSTALL_PREFIX=${{PREFIX}}
    - cmake --build build
    - cmake --install build --component runtime

requirements:
  build:
    - ${{{{ compiler("c") }}}}
    - ${{{{ stdlib("c") }}}}
    - cmake >=3.25
    - ninja
    - python
  host:
    - cjson
    - isa-l
    - libsodium
    - lz4-c
    - zstd

tests:
  - script:
      - jitwarm version
      - jitwarm help prime

about:
  homepage: {url}
  summary: {summary}
  license: MIT
  license_file:
    - LICENSE
    - scripts/package/third-party.md
"""
# What the sources need to be built; the program itself runs with 2.27.
CONDA_CONFIG = """c_stdlib_version:
  - "2.28"
"""
HEAD = """# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.1.6.0.schema.json
PackageIdentifier: jitwarm.jitwarm
PackageVersion: {version}
"""
WINGET = {
    "version": (".yaml", """DefaultLocale: en-US
ManifestType: version
ManifestVersion: 1.6.0
"""),
    "defaultLocale": (".locale.en-US.yaml", """PackageLocale: en-US
Publisher: the jitwarm authors
PackageName: jitwarm
License: MIT
ShortDescription: {summary}
Moniker: jitwarm
Tags:
- cuda
- gpu
- nvidia
ManifestType: defaultLocale
ManifestVersion: 1.6.0
"""),
    "installer": (".installer.yaml", """Platform:
- Windows.Desktop
MinimumOSVersion: 10.0.17763.0
InstallerType: nullsoft
ProductCode: jitwarm
Commands:
- jitwarm
Installers:
- Architecture: x64
  Scope: user
  InstallerUrl: {url}/jitwarm-setup.exe
  InstallerSha256: {setup}
  InstallerSwitches:
    Custom: /CurrentUser
- Architecture: x64
  Scope: machine
  InstallerUrl: {url}/jitwarm-setup.exe
  InstallerSha256: {setup}
  InstallerSwitches:
    Custom: /AllUsers
ManifestType: installer
ManifestVersion: 1.6.0
"""),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("of", choices=["conda-forge", "winget"])
    parser.add_argument("--version", required=True)
    parser.add_argument("--from", dest="url", required=True)
    parser.add_argument("--release", type=pathlib.Path, required=True)
    parser.add_argument("out", type=pathlib.Path)
    opt = parser.parse_args()

    def digest(name):
        return hashlib.sha256((opt.release / name).read_bytes()).hexdigest()

    opt.out.mkdir(parents=True, exist_ok=True)
    words = {"version": opt.version, "url": opt.url, "summary": SUMMARY}
    if opt.of == "conda-forge":
        text = CONDA.format(source=digest(f"jitwarm-{opt.version}.tar.gz"), **words)
        (opt.out / "recipe.yaml").write_text(text, encoding="utf-8")
        (opt.out / "conda_build_config.yaml").write_text(CONDA_CONFIG, encoding="utf-8")
        return
    words["setup"] = digest("jitwarm-setup.exe").upper()
    for kind, (end, text) in WINGET.items():
        (opt.out / f"jitwarm.jitwarm{end}").write_text((HEAD + text).format(kind=kind, **words),
                                                       encoding="utf-8")


if __name__ == "__main__":
    main()
