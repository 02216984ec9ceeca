=== dry-run
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null
$ "$JITWARM" pull --as-root --dry-run --cache "$PWD/two" ./d lib
  2 layers would be downloaded

  LAYER   SIZE  SOFTWARE
  new    4 KiB  only-ptx.so
  new    4 KiB  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  Cache     {SCRATCH}/two
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== folder-missing
$ simulated_driver; "$JITWARM" pull --as-root ./d
!  jitwarm: ./d does not exist, or has no index.json
exit 8

=== state-relative
$ simulated_driver; JITWARM_STATE=state "$JITWARM" pull --as-root ./d
!  jitwarm: JITWARM_STATE=state is not an absolute path
!  To do     unset JITWARM_STATE
exit 2

=== itself
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null
$ "$JITWARM" pull --as-root --allow-unsigned --cache "$PWD/two" ./d lib; "$JITWARM" pull --as-root --allow-unsigned --cache "$PWD/two" ./d lib
* Imported 2 entries (25 KiB); downloaded 8 KiB in *

  LAYER      SIZE  SOFTWARE
  imported  4 KiB  only-ptx.so
  imported  4 KiB  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  Signed    no: nothing shows who made the packs
  Cache     {SCRATCH}/two
  Nothing to do: all 2 layers for this machine are in the cache already

  LAYER     SIZE  SOFTWARE
  present  4 KiB  only-ptx.so
  present  4 KiB  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  Cache     {SCRATCH}/two

=== json
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null
$ "$JITWARM" pull --json --as-root --allow-unsigned --cache "$PWD/two" ./d lib
  {
    "schema": "jitwarm.pull/1",
    "from": "./d",
    "dry_run": false,
    "changed": true,
    "end": "done",
    "why": null,
    "next_start": "warm",
    "next_start_why": null,
    "driver": null,
    "stamp": "2026-01-07T22:51:46",
    "simulated": true,
    "kinds": [
      {
        "gpu": "sm_86",
*       "tag": "jitwarm2-linux-*-sm_86-20260107-625146",
*       "digest": "sha256:*",
        "missing": null,
        "layers": [
          {
            "software": "only-ptx.so",
*           "digest": "sha256:*",
            "bytes": 4100,
            "state": "imported",
            "end": "done",
            "why": null,
            "key": null
          },
          {
            "software": "registered.so",
*           "digest": "sha256:*",
            "bytes": 4096,
            "state": "imported",
            "end": "done",
            "why": null,
            "key": null
          }
        ]
      }
    ],
    "entries": {
      "new": 0,
      "imported": 2,
      "present": 0,
      "foreign": 0,
      "no-room": 0,
      "unproven": 0,
      "rejected": 0
    },
    "cache": "{SCRATCH}/two",
    "layers": 2,
    "layers_fetched": 2,
    "bytes_fetched": 8196,
    "notes": [],
*   "milliseconds": *
  }

=== nothing-fits
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null; sed -i s/sm_86/sm_90/ d/index.json
$ SIMCUDA_GPUS=sm_90:other:8G "$JITWARM" pull --as-root --cache "$PWD/two" ./d lib
* No pack fits this machine: jitwarm2-linux-*-sm_90-20260107-625146 has*
* *only for other drivers or GPUs
  For       driver built Jan 7 2026 22:51:46, sm_90
  Cache     {SCRATCH}/two
  To do     jitwarm prime && jitwarm push ./d
            # on a machine of this kind
exit 5

=== cache-of-this-shell
skip on windows: a terminal's files are Linux's
$ pack_prelude
$ made_machine
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null
$ echo "export CUDA_CACHE_PATH=/elsewhere" >"$HOME/.profile"
$ SHELL=/bin/sh "$JITWARM" pull --as-root --allow-unsigned ./d lib
  Not imported: CUDA_CACHE_PATH is unset here, but /elsewhere in a fresh login, so
  programs started there use another cache
  Cache     {SCRATCH}/root/home/ada/.nv/ComputeCache
  To do     jitwarm pull --cache {SCRATCH}/root/home/ada/.nv/ComputeCache --as-root --allow-unsigned ./d lib
            # fills the cache of this shell; or set CUDA_CACHE_PATH for both
exit 1

=== software-elsewhere
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null; mkdir none
$ "$JITWARM" pull --as-root --allow-unsigned --cache "$PWD/two" ./d none
  Nothing was imported

  LAYER     SIZE  SOFTWARE
  skipped  4 KiB  only-ptx.so
  skipped  4 KiB  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  Signed    no: nothing shows who made the packs
  Skipped   2 entries (25 KiB) of software that was not found here; name its
            folder or use --everything
  Cache     {SCRATCH}/two
exit 1

=== unsigned
$ pack_prelude
$ "$JITWARM" push -q --cache "$PWD/one" ./d >/dev/null
$ unwrapped "$JITWARM" pull --as-root --cache "$PWD/two" ./d lib
  Refused: the pack of only-ptx.so is not signed, so anybody could have made it; if you know its source, add --allow-unsigned

  LAYER     SIZE  SOFTWARE
  refused  4 KiB  only-ptx.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  Signed    no: nothing shows who made the packs
  Cache     {SCRATCH}/two
exit 6
