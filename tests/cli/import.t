=== a-folder
$ mkdir d
$ "$JITWARM" import --as-root --cache "$PWD/c" d
!  jitwarm import: d has no pack (*.tar.zst) (jitwarm help import)
exit 2

=== a-folder-of-packs
$ pack_prelude
$ mkdir packs && cp x.tar.zst packs/here.tar.zst && SIMCUDA_STAMP="Feb 18 2026 01:02:03" JITWARM_STATE="$PWD/other-state" "$JITWARM" prime --as-root --cache "$PWD/other" -j 1 -q lib >/dev/null && SIMCUDA_STAMP="Feb 18 2026 01:02:03" JITWARM_STATE="$PWD/other-state" JITWARM_STORE="$PWD/other-store" "$JITWARM" export -q --cache "$PWD/other" -o packs/there.tar.zst >/dev/null
$ import --allow-unsigned packs lib; echo "exit $?"; test ! -e store || ls store
  1 of 2 packs fits this machine, and is in the cache
  Skipped   packs/there.tar.zst

* Imported 2 entries (25 KiB), in *
  Pack      packs/here.tar.zst, 29 KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Audit     2 entries compiled again here with an identical result
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  verified: a fresh process loaded both modules and compiled nothing
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads
  exit 0

=== again
$ pack_prelude
$ import --allow-unsigned x.tar.zst lib >/dev/null
$ import --allow-unsigned x.tar.zst lib
  Nothing to do: all 2 entries for this machine are already in the cache
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads

=== audit
$ pack_prelude
$ import --allow-unsigned --audit 100% x.tar.zst lib | grep Audit
  Audit     2 entries compiled again here with an identical result

=== audit-of-more-than-all
$ "$JITWARM" import --audit 101% x
!  jitwarm import: --audit: 101% is not a percentage from 1 to 100 (jitwarm help import)
exit 2

=== audit-of-nothing
$ "$JITWARM" import --audit 0 x
!  jitwarm import: --audit: 0 is not a percentage from 1 to 100 (jitwarm help import)
exit 2

=== cache-disabled
$ pack_prelude
$ CUDA_CACHE_DISABLE=1 "$JITWARM" import --as-root --allow-unsigned x.tar.zst lib
  Nothing was done: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every
  start compiles again
  To do     unset CUDA_CACHE_DISABLE && jitwarm import --as-root --allow-unsigned x.tar.zst lib
exit 1

=== dry-run
$ . "$(dirname "$WITH_SIMCUDA")/../tests/pack/prelude.sh"; import --allow-unsigned --dry-run x.tar.zst lib; code=$?; test ! -e two || echo "there is a cache"; exit $code
  2 entries (25 KiB) would be imported

  STATE    SIZE  ENTRY               OF
  new    13 KiB  3/6/58c91473d38423  lib
  new    13 KiB  5/1/4bcab44ff498be  lib

* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Cache     {SCRATCH}/two: would hold 25 KiB of 1 GiB

=== dry-run-json
$ pack_prelude
$ only "end dry_run totals.entries totals.drawn counts.new.entries entries.state verify.done store.path" import --allow-unsigned --dry-run --json x.tar.zst lib
  end: "done"
  dry_run: true
  totals.entries: 2
  totals.drawn: 0
  counts.new.entries: 2
  entries.state: ["new", "new"]
  verify.done: false
  store.path: null

=== empty-cache-name
$ "$JITWARM" import --cache "" x
!  jitwarm import: --cache: the name is empty (jitwarm help import)
exit 2

=== empty-file
$ : >x && "$JITWARM" import --as-root --cache "$PWD/c" x; code=$?; test ! -e c || echo "there is a cache"; exit $code
  Refused, nothing was changed: x: it is empty
exit 6

=== empty-file-quietly
$ : >x && "$JITWARM" import -q --as-root --cache "$PWD/c" x
!  jitwarm: Refused, nothing was changed: x: it is empty
exit 6

=== empty-name
$ "$JITWARM" import ""
!  jitwarm import: argument 1 is an empty name (jitwarm help import)
exit 2

=== everything
$ pack_prelude
$ import --allow-unsigned --everything x.tar.zst | grep -e Imported -e verified
* Imported 2 entries (25 KiB), in *
  verified: a fresh process loaded both modules and compiled nothing

=== half-the-software
$ pack_prelude
$ import --allow-unsigned x.tar.zst lib/only-ptx.so
* Imported 1 entry (13 KiB), in *
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Skipped   1 entry (13 KiB) belongs to software that was not found here: lib (--everything imports it, too)
  Audit     1 entry compiled again here with an identical result
  Cache     {SCRATCH}/two: 13 KiB of 1 GiB
  verified: a fresh process loaded the one module and compiled nothing
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads

=== json
$ pack_prelude
$ only "-driver -cache -verify" import --allow-unsigned --json x.tar.zst lib
$ fields driver.stamp driver.level cache.folder cache.limit_bytes verify.verified verify.passes.hits verify.misses
  {
    "schema": "jitwarm.import/1",
    "end": "done",
    "why": null,
    "next_start": "warm",
    "next_start_why": null,
    "dry_run": false,
    "pack": {
      "name": "x.tar.zst",
      "bytes": 29812,
      "tool": "{VERSION}",
      "os": "linux",
*     "arch": "*",
      "driver": "580.126.09",
      "stamp": "2026-01-07T22:51:46",
      "simulated": true,
      "gpu": "sm_86",
      "signature": {
        "state": "unsigned",
        "key": null,
        "trusted_comment": null,
        "where": null
      }
    },
    "differs": [],
    "other_caches": [],
    "counts": {
      "new": {
        "entries": 0,
        "bytes": 0
      },
      "imported": {
        "entries": 2,
        "bytes": 25790
      },
      "present": {
        "entries": 0,
        "bytes": 0
      },
      "foreign": {
        "entries": 0,
        "bytes": 0
      },
      "no-room": {
        "entries": 0,
        "bytes": 0
      },
      "unproven": {
        "entries": 0,
        "bytes": 0
      },
      "rejected": {
        "entries": 0,
        "bytes": 0
      }
    },
    "totals": {
      "entries": 2,
      "need_bytes": 25790,
      "drawn": 2,
      "audited": 2
    },
    "store": {
      "path": null
    },
    "entries": [
      {
        "name": "3/6/58c91473d38423",
        "state": "imported",
        "why": null,
        "bytes": 12895,
        "origin": "lib",
        "digest": "88a38c563aab1b356a755c8d0154f96d6b9a7eaf4912a21546335493daf2144e"
      },
      {
        "name": "5/1/4bcab44ff498be",
        "state": "imported",
        "why": null,
        "bytes": 12895,
        "origin": "lib",
        "digest": "41f158b0a597b810c67bd730369649cc2fe4d87da712bc767bbe76587f801b72"
      }
    ],
    "todo": [
      "jitwarm verify --cache {SCRATCH}/two"
    ],
    "notes": []
  }
  driver.stamp: "2026-01-07T22:51:46"
  driver.level: 3
  cache.folder: "{SCRATCH}/two"
  cache.limit_bytes: 1073741824
  verify.verified: true
  verify.passes.hits: [2]
  verify.misses: []

=== little-room
$ pack_prelude
$ CUDA_CACHE_MAXSIZE=14000 import --allow-unsigned x.tar.zst lib
  Nothing was imported yet: 25 KiB needed, but the cache can grow by 14 KiB only:
  1 of 2 entries do not fit; import the others?
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Skipped   1 entry (13 KiB) does not fit under the cache's limit: lib
  Cache     {SCRATCH}/two: 0 B of 14 KiB
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
- To do     export CUDA_CACHE_MAXSIZE=1073741824 # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last jitwarm import --yes --as-root --cache {SCRATCH}/two --allow-unsigned x.tar.zst lib # imports what fits
+ To do     set "CUDA_CACHE_MAXSIZE=1073741824" jitwarm import --yes --as-root --cache {SCRATCH}/two --allow-unsigned x.tar.zst lib # imports what fits
exit 7

=== little-room-yes
$ pack_prelude
$ CUDA_CACHE_MAXSIZE=14000 import --allow-unsigned --yes x.tar.zst lib
  Not all: 1 of 2 entries is in the cache
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Skipped   1 entry (13 KiB) does not fit under the cache's limit: lib
  Audit     1 entry compiled again here with an identical result
  Cache     {SCRATCH}/two: 13 of 14 KiB
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  verified: a fresh process loaded the one module and compiled nothing
- To do     export CUDA_CACHE_MAXSIZE=1073741824 # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
+ To do     set "CUDA_CACHE_MAXSIZE=1073741824"
exit 1

=== missing-path
$ pack_prelude
$ import --allow-unsigned x.tar.zst nowhere
!  jitwarm import: nowhere: no such file or folder (jitwarm help import)
exit 2

=== no-driver
$ pack_prelude
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 import --allow-unsigned x.tar.zst lib
- Nothing was imported: no CUDA driver was found: /no-such-folder/libcuda.so.1:
- cannot open shared object file: No such file or directory
+ Nothing was imported: no CUDA driver was found: nvcuda.dll: there is no such
+ library, or one that it needs is missing
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
exit 3

=== no-file
$ "$JITWARM" import
!  jitwarm import: FILE|DIR|- is missing (jitwarm help import)
exit 2

=== no-software
$ pack_prelude
$ mkdir empty
$ import --allow-unsigned x.tar.zst empty
  Nothing was imported: all entries belong to software that was not found here
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Skipped   2 entries (25 KiB) belong to software that was not found here: lib (--everything imports them, too)
  Cache     {SCRATCH}/two: 0 B of 1 GiB
  To do     jitwarm prime --cache {SCRATCH}/two
exit 1

=== no-such-file
$ "$JITWARM" import --as-root --cache "$PWD/c" nowhere.tar.zst
!  jitwarm import: nowhere.tar.zst: no such file (jitwarm help import)
exit 2

=== no-such-key
$ pack_prelude
$ import --trust nowhere.pub x.tar.zst lib
!  jitwarm import: nowhere.pub: no such key file (jitwarm help import)
exit 2

=== no-verify
$ pack_prelude
$ import --allow-unsigned --no-verify x.tar.zst lib | grep -e Imported -e verified
* Imported 2 entries (25 KiB), in *
  not verified

=== not-a-pack
$ echo hello >x && "$JITWARM" import --as-root --cache "$PWD/c" x; code=$?; test ! -e c || echo "there is a cache"; exit $code
  Refused, nothing was changed: x: it is not a pack: it does not begin with a zstd
  frame
exit 6

=== not-a-pack-json
$ echo hello >x
$ only "end why pack.name pack.tool pack.signature.state entries verify.done store.path" "$JITWARM" import --as-root --cache "$PWD/c" --json x
  end: "refused"
  why: "x: it is not a pack: it does not begin with a zstd frame"
  pack.name: "x"
  pack.tool: null
  pack.signature.state: null
  entries: []
  verify.done: false
  store.path: null
exit 6

=== other-build
$ . "$(dirname "$WITH_SIMCUDA")/../tests/pack/prelude.sh"; SIMCUDA_STAMP="Feb  8 2026 01:02:03" import --allow-unsigned x.tar.zst lib; code=$?; test ! -e two || echo "there is a cache"; exit $code
  Does not fit this machine: the pack is for driver build Jan 7 2026 22:51:46,
  version 580.126.09 (here: Feb 8 2026 01:02:03)
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  To do     jitwarm prime --cache {SCRATCH}/two lib
exit 5

=== other-build-json
$ pack_prelude
$ SIMCUDA_STAMP="Feb  8 2026 01:02:03" only "end why differs driver.stamp counts.new.entries entries verify.done store.path todo" import --allow-unsigned --json x.tar.zst lib
  end: "unfit"
  why: "the pack is for driver build Jan  7 2026 22:51:46, version 580.126.09 (here: Feb  8 2026 01:02:03)"
  differs: [{"factor": "stamp", "pack": "Jan  7 2026 22:51:46, version 580.126.09", "here": "Feb  8 2026 01:02:03"}]
  driver.stamp: "2026-02-08T01:02:03"
  counts.new.entries: 0
  entries: []
  verify.done: false
  store.path: null
  todo: ["jitwarm prime --cache {SCRATCH}/two lib"]
exit 5

=== other-system
skip on aarch64: the pack of the case is of that architecture
$ . "$(dirname "$WITH_SIMCUDA")/../tests/pack/prelude.sh"; python3 "$packs" one x.tar.zst os=windows arch=aarch64; import --allow-unsigned x.tar.zst lib; code=$?; test ! -e two || echo "there is a cache"; exit $code
- Does not fit this machine: the pack is for operating system windows (here:
- linux), processor aarch64 (here: x86_64)
+ Does not fit this machine: the pack is for processor aarch64 (here: x86_64)
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
- To do     jitwarm prime --cache {SCRATCH}/two lib
+ To do     jitwarm doctor --cache {SCRATCH}/two
exit 5

=== pipe
$ pack_prelude
$ import --allow-unsigned - lib <x.tar.zst | grep -e Imported -e Pack -e verified
* Imported 2 entries (25 KiB), in *
  Pack      standard input, 29 KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  verified: a fresh process loaded both modules and compiled nothing

=== secret-key
skip on windows: modes and terminals are those of Linux
$ "$JITWARM" key --no-passphrase --new packs.key >/dev/null
$ : > x.tar.zst
$ "$JITWARM" import --as-root --cache "$PWD/c" --trust packs.key x.tar.zst
  Refused, nothing was changed: packs.key: this is a secret key; name the public
  key (.pub), and keep the secret key to yourself
exit 6

=== several-json
$ pack_prelude
$ cp x.tar.zst y.tar.zst
$ only "end packs.end skipped" "$JITWARM" import --as-root --json --allow-unsigned --cache "$PWD/two" x.tar.zst y.tar.zst lib
  end: "done"
  packs.end: ["done", "nothing"]
  skipped: []

=== several-none-fits
$ pack_prelude
$ cp x.tar.zst y.tar.zst
$ SIMCUDA_STAMP="Feb 18 2026 01:02:03" import --allow-unsigned x.tar.zst y.tar.zst lib
  Nothing was imported: none of 2 packs is for this machine
  Skipped   x.tar.zst y.tar.zst
  To do     jitwarm prime --cache {SCRATCH}/two lib
exit 5

=== several-one-missing
$ "$JITWARM" import x.tar.zst y.tar.zst
!  jitwarm import: x.tar.zst: no such file (jitwarm help import)
exit 2

=== unsigned
$ pack_prelude
$ import x.tar.zst lib
  Refused, nothing was changed: x.tar.zst is not signed, so anybody could have
  made it; if you know its source, add --allow-unsigned
exit 6

=== verbose
$ pack_prelude
$ import --allow-unsigned -v x.tar.zst lib
* Imported 2 entries (25 KiB), in *

  STATE       SIZE  ENTRY               OF
  imported  13 KiB  3/6/58c91473d38423  lib
  imported  13 KiB  5/1/4bcab44ff498be  lib

* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Audit     2 entries compiled again here with an identical result
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  verified: a fresh process loaded both modules and compiled nothing
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads

=== whole
$ pack_prelude
$ import --allow-unsigned x.tar.zst lib
* Imported 2 entries (25 KiB), in *
* Pack      x.tar.zst, * KiB: 2 entries for driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86
  Signed    no: nothing shows who made the pack
  Audit     2 entries compiled again here with an identical result
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  verified: a fresh process loaded both modules and compiled nothing
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads

=== signed
$ pack_prelude
$ make_key a.key && JITWARM_STORE="$PWD/other-store" "$JITWARM" export --cache "$PWD/one" --sign a.key -o y.tar.zst >/dev/null
$ import --trust a.pub y.tar.zst lib >/dev/null; echo "exit $?"; test ! -e store || ls store
$ rm -r two state; keys="$XDG_CONFIG_HOME/jitwarm/keys"; mkdir -p "$keys" && chmod 700 "$XDG_CONFIG_HOME/jitwarm" "$keys" && trusted_key
$ import --trust a.pub y.tar.zst lib && import --trust a.pub y.tar.zst lib && ls store
  exit 0
* Imported 2 entries (25 KiB), in *
* Pack      y.tar.zst, * KiB: 2 entries for driver of unknown version (built Jan 7 2026 22:51:46), sm_86
* Signed    by key * (a.pub): jitwarm pack for sm_86, libcuda of Jan 7 2026 22:51:46, 2 entries
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  Store     keeps the pack: driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  verified: a fresh process loaded both modules and compiled nothing
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads
  Nothing to do: all 2 entries for this machine are already in the cache
* Pack      y.tar.zst, * KiB: 2 entries for driver of unknown version (built Jan 7 2026 22:51:46), sm_86
* Signed    by key * (a.pub): jitwarm pack for sm_86, libcuda of Jan 7 2026 22:51:46, 2 entries
  Cache     {SCRATCH}/two: 25 KiB of 1 GiB
  Store     has the pack already: driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  To do     jitwarm verify --cache {SCRATCH}/two # checks whether that is all that the software here loads
  driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  driver-sm_86-20260107-625146-{DIGEST}.tar.zst.minisig
  lock
