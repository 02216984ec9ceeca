#!/usr/bin/env python3
"""image.py --version V --from URL --out FILE ARCHITECTURE=FOLDER...

A container image to copy the program from, for each ARCHITECTURE (amd64, arm64), as an archive of
the OCI layout (skopeo and podman: oci-archive:FILE). FOLDER has jitwarm and its bill of materials,
jitwarm.cdx.json. The image has these, the licenses, and nothing else: no shell and no C library, so
it is no image to run. The same folders give the same bytes. Made with the standard library alone.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LICENSES = (ROOT / "LICENSE", ROOT / "scripts/package/third-party.md")
SUMMARY = "CUDA software starts fast on GPUs its authors did not build for"
USE = "COPY --from=IMAGE /jitwarm /usr/bin/"
TYPE = "application/vnd.oci.image"


class Layout:
    """The files of the layout, by name."""

    def __init__(self):
        self.files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}

    def add(self, kind, data, **more):
        """A blob; its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": f"{TYPE}.{kind}", "digest": f"sha256:{digest}", "size": len(data),
                **more}

    def add_json(self, kind, value, **more):
        return self.add(kind, as_json(value), **more)


def as_json(value):
    return json.dumps(value, separators=(",", ":")).encode()


def archive(files, when):
    """A tar of (name, data, mode), in this order, with the folders that they need."""
    out, made = io.BytesIO(), set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:

        def add(name, data, mode, kind):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime, entry.type = len(data), mode, when, kind
            tar.addfile(entry, io.BytesIO(data))
        for name, data, mode in files:
            for folder in reversed(pathlib.PurePosixPath(name).parents[:-1]):
                if folder not in made:
                    made.add(folder)
                    add(f"{folder}/", b"", 0o755, tarfile.DIRTYPE)
            add(name, data, mode, tarfile.REGTYPE)
    return out.getvalue()


def day_of(when):
    return datetime.datetime.fromtimestamp(when, datetime.timezone.utc).isoformat()


def image_of(layout, architecture, folder, labels, when):
    files = [("jitwarm", (folder / "jitwarm").read_bytes(), 0o755),
             ("jitwarm.cdx.json", (folder / "jitwarm.cdx.json").read_bytes(), 0o644)]
    files += [(f"licenses/{text.name}", text.read_bytes(), 0o644) for text in LICENSES]
    layer = archive(files, when)
    created = day_of(when)
    config = layout.add_json("config.v1+json", {
        "created": created, "architecture": architecture, "os": "linux",
        "config": {"Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "comment": USE}]
    })
    packed = layout.add("layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0))
    manifest = {"schemaVersion": 2, "mediaType": f"{TYPE}.manifest.v1+json", "config": config,
                "layers": [packed], "annotations": labels}
    return layout.add_json("manifest.v1+json", manifest,
                           platform={"architecture": architecture, "os": "linux"})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True)
    parser.add_argument("--from", dest="url", default="")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("folders", nargs="+")
    opt = parser.parse_args()

    when = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    labels = {"title": "jitwarm", "description": f"{SUMMARY}. Use: {USE}", "version": opt.version,
              "licenses": "MIT", **({"url": opt.url} if opt.url else {})}
    labels = {f"org.opencontainers.image.{name}": text for name, text in labels.items()}
    layout = Layout()
    images = [
        image_of(layout, architecture, pathlib.Path(folder), labels, when)
        for architecture, _, folder in (word.partition("=") for word in opt.folders)
    ]
    index = {"schemaVersion": 2, "mediaType": f"{TYPE}.index.v1+json"}
    name = {"org.opencontainers.image.ref.name": f"jitwarm:{opt.version}"}
    whole = layout.add_json("index.v1+json", {**index, "manifests": images, "annotations": labels},
                            annotations=name)
    layout.files["index.json"] = as_json({**index, "manifests": [whole]})
    files = [(name, data, 0o644) for name, data in sorted(layout.files.items())]
    opt.out.write_bytes(archive(files, when))
    print(opt.out)


if __name__ == "__main__":
    main()
