#!/usr/bin/env python3
"""sbom.py --version V --deps FOLDER [--target NAME] --out FILE ARTEFACT...

The bill of materials of a release (CycloneDX 1.5): each file with its digest, and the libraries
that are linked into it, as scripts/deps noted them in the folder NAME, which the file's name says
where --target does not. The packages that use the distribution's own libraries name these
themselves.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import uuid

LICENSES = {
    "libzstd": "BSD-3-Clause", "lz4": "BSD-2-Clause", "cjson": "MIT", "libisal": "BSD-3-Clause",
    "libsodium": "ISC"
}


def targets_of(name):
    """The folders of scripts/deps whose libraries are linked into this file."""
    if re.search(r"win64|win_amd64|setup\.exe", name):
        return ["win64"]
    if name.endswith("-image.tar"):
        return ["portable-aarch64", "portable-x86_64"]
    if re.search(r"aarch64|arm64", name):
        return ["portable-aarch64"]
    return ["portable-x86_64"] if re.search(r"linux-x86_64|manylinux|rpm$", name) else []


def libraries(folder):
    """(reference, component) of each library in the list `versions` of this folder."""
    for line in (folder / "versions").read_text(encoding="utf-8").splitlines():
        name, version = line.split()
        escaped = version.replace("+", "%2B").replace(":", "%3A")
        purl = f"pkg:deb/debian/{name}@{escaped}?arch=source"
        yield purl, {
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [{"license": {"id": LICENSES[name]}}]
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--deps", type=pathlib.Path, required=True)
    parser.add_argument("--target")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("artefacts", type=pathlib.Path, nargs="+")
    opt = parser.parse_args()

    components, linked = {}, []
    for path in sorted(opt.artefacts):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        targets = [opt.target] if opt.target else targets_of(path.name)
        components[path.name] = {
            "type": "file", "bom-ref": path.name, "name": path.name,
            "hashes": [{"alg": "SHA-256",
                        "content": digest}], "licenses": [{"license": {"id": "MIT"}}]
        }
        if targets:
            found = dict(each for target in targets for each in libraries(opt.deps / target))
            components.update(found)
            linked.append({"ref": path.name, "dependsOn": sorted(found)})
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")),
                                           datetime.timezone.utc)
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": {
                "type": "application", "bom-ref": "jitwarm", "name": "jitwarm",
                "version": opt.version, "licenses": [{"license": {"id": "MIT"}}]
            }
        }, "components": list(components.values()), "dependencies": linked
    }
    bill["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill, sort_keys=True)).urn
    opt.out.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
