=== bad-size
$ "$JITWARM" prune --max-size much
!  jitwarm prune: --max-size: 'much' is not a size such as 512M or 4GiB (jitwarm help prune)
exit 2

=== damaged
in: cache-damaged
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --damaged --yes
$ code=$?
$ find cache -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    536 B in 4 entries

  WHAT     KIND  DRIVER BUILD  GPU  ENTRIES   SIZE
  damaged  -     -             -          3  355 B


  Removed 3 entries: 355 B are free.
  2

=== damaged-headers
in: cache-damaged
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    536 B in 4 entries

  WHAT     KIND  DRIVER BUILD  GPU  ENTRIES   SIZE
  damaged  -     -             -          2  174 B


  174 B in 2 entries can be removed. Nothing was removed; run again with --yes to
  remove it.

=== outdated-no-pack
skip on windows: the version of a driver is in the registry there, beside a GPU
$ export XDG_DATA_HOME="$PWD/data"
$ cp "$GEN/elf/only-ptx.so" lib.so
$ "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated --yes --no-pack
$ code=$?
$ ls data 2>&1
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   580.126.09 (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT      KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  outdated  CUDA  Sep  4 2024 01:52:30  sm_86        1  13 KiB

  * entries of driver 570.124.06 (build Sep 4 2024 01:52:30) are outdated: it was
  last used here today

  Removed 1 entry: 13 KiB are free.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  ls: cannot access 'data': No such file or directory

=== outdated-listed
$ cp "$GEN/elf/only-ptx.so" lib.so
$ "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated
  Cache    {SCRATCH}/cache
- Driver   580.126.09 (build Jan 7 2026 22:51:46)
+ Driver   unknown version (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT      KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  outdated  CUDA  Sep  4 2024 01:52:30  sm_86        1  13 KiB

- * entries of driver 570.124.06 (build Sep 4 2024 01:52:30) are outdated: it was
- last used here today
+ * entries of driver build Sep 4 2024 01:52:30 are outdated: it was last used
+ here today

  13 KiB in 1 entry can be removed. Nothing was removed; run again with --yes to
  remove it.

=== outdated-yes
$ export XDG_DATA_HOME="$PWD/data"; cp "$GEN/elf/only-ptx.so" lib.so; "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null && "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null; "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated --yes; code=$?; (cd data/jitwarm/packs && for f in *.zst; do tar --zstd -tf $f | wc -l; done); exit $code
  Cache    {SCRATCH}/cache
- Driver   580.126.09 (build Jan 7 2026 22:51:46)
+ Driver   unknown version (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT      KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  outdated  CUDA  Sep  4 2024 01:52:30  sm_86        1  13 KiB

- * entries of driver 570.124.06 (build Sep 4 2024 01:52:30) are outdated: it was
- last used here today
+ * entries of driver build Sep 4 2024 01:52:30 are outdated: it was last used
+ here today

- Saved    {SCRATCH}/data/jitwarm/packs/570.124.06-sm_86-20240904-415230-{DIGEST}.tar.zst
+ Saved    {SCRATCH}/data/jitwarm/packs/driver-sm_86-20240904-415230-{DIGEST}.tar.zst
  Removed 1 entry: 13 KiB are free.
  2

=== dry-run
$ cp "$GEN/elf/only-ptx.so" lib.so
$ "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated --yes -n
$ code=$?
$ find cache -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
- Driver   580.126.09 (build Jan 7 2026 22:51:46)
+ Driver   unknown version (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT      KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  outdated  CUDA  Sep  4 2024 01:52:30  sm_86        1  13 KiB

- * entries of driver 570.124.06 (build Sep 4 2024 01:52:30) are outdated: it was
- last used here today
+ * entries of driver build Sep 4 2024 01:52:30 are outdated: it was last used
+ here today

  13 KiB in 1 entry can be removed. Nothing was removed; run again with --yes to
  remove it.
  3

=== empty-name
$ "$JITWARM" prune --cache ""
!  jitwarm prune: --cache: the name is empty (jitwarm help prune)
exit 2

=== index-damaged
in: cache-index-damaged
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --yes
$ code=$?
$ find cache -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    536 B in 4 entries

  WHAT       KIND  DRIVER BUILD          GPU    ENTRIES   SIZE
  damaged    -     -                     -            2  174 B
  unindexed  CUDA  Jan  7 2026 22:51:46  sm_86        1  181 B

  * the index was damaged (cache index: it has 75 bytes, expected 80 (4 records)):
  it was rebuilt from 1 whole entries

  Removed 3 entries: 355 B are free.
  2

=== json
skip on windows: the fields are those of Linux, and other cases show what differs
$ export XDG_DATA_HOME="$PWD/data"
$ cp "$GEN/elf/only-ptx.so" lib.so
$ "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated --yes --json >out
$ code=$?
$ sed "s/\"build\": \".*\"/\"build\": \"X\"/" out
$ exit $code
  {
    "schema": "jitwarm.prune/1",
    "end": "done",
    "why": null,
    "cache": "{SCRATCH}/cache",
    "exists": true,
    "driver": {
      "asked": true,
      "not_asked_because": null,
      "version": "580.126.09",
      "build": "X",
      "stamp": "2026-01-07T22:51:46",
      "simulated": true
    },
    "before": {
      "entries": 2,
      "bytes": 25846
    },
    "plan": {
      "entries": 1,
      "bytes": 12923
    },
    "reasons": {
      "outdated": {
        "entries": 1,
        "bytes": 12923
      }
    },
    "builds": [
      {
        "stamp": "2024-09-04T01:52:30",
        "version": "570.124.06",
        "status": "outdated"
      },
      {
        "stamp": "2026-01-07T22:51:46",
        "version": "580.126.09",
        "status": "current"
      }
    ],
    "groups": [
      {
        "why": "outdated",
        "kind": "cuda",
        "stamp": "2024-09-04T01:52:30",
        "arch": "sm_86",
        "entries": 1,
        "bytes": 12923,
        "pack": "{SCRATCH}/data/jitwarm/packs/570.124.06-sm_86-20240904-415230-{DIGEST}.tar.zst"
      }
    ],
    "notes": [],
    "removed": {
      "entries": 1,
      "bytes": 12923
    },
    "records_removed": 1,
    "changed_meanwhile": 0,
*   "longest_lock_microseconds": *,
    "gone": [],
    "forgotten": false,
    "stored": null
  }

=== link-in-the-way
skip on windows: rights and links are other ones there
in: cache-several-builds
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ mkdir elsewhere
$ mv cache/0 elsewhere/0
$ ln -s "$PWD/elsewhere/0" cache/0
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --max-size 1 --yes
$ code=$?
$ find elsewhere -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    2.4 KiB in 8 entries

  WHAT       KIND    DRIVER BUILD          GPU    ENTRIES     SIZE
  unindexed  CUDA    Jan  7 2026 22:51:46  sm_86        1    182 B
  excess     CUDA    Feb  9 2019 19:17:30  sm_61        1    181 B
  excess     CUDA    Jan  7 2026 22:51:46  sm_86        2  1.3 KiB
  excess     CUDA    Jan  7 2026 22:51:46  sm_89        1    181 B
  excess     CUDA    Jun 14 2025 15:40:11  sm_86        1    181 B
  excess     NVRTC   Jan  7 2026 22:51:46  sm_86        1    218 B
  excess     OpenCL  -                     sm_86        1    195 B

  * 2 index records have no file, but count against the limit

  Removed 8 entries: 2.4 KiB are free; the rest could not be removed.
  1
!  jitwarm: one entry could not be removed: {SCRATCH}/cache/0: is a link
exit 1

=== max-size
in: cache-several-builds
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --max-size 1k --yes
$ code=$?
$ find cache -type f | LC_ALL=C sort
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    4.6 KiB in 9 entries

  WHAT       KIND    DRIVER BUILD          GPU    ENTRIES     SIZE
  unindexed  CUDA    Jan  7 2026 22:51:46  sm_86        1    182 B
  excess     CUDA    Jan  7 2026 22:51:46  sm_86        3  3.5 KiB
  kept       NVRTC   Jan  7 2026 22:51:46  sm_86        1    218 B
  kept       OpenCL  -                     sm_86        1    195 B

  * 1 entry of NVRTC (218 B) is kept: nothing shows whether it is outdated
  * 1 entry of OpenCL (195 B) is kept: nothing shows whether it is outdated
  * 1 index record has no file, but counts against the limit

  Removed 4 entries: 3.6 KiB are free.
  cache/2/c/5148b0d48b048e
  cache/5/c/be08f2fa5e5c23
  cache/7/a/99f70ac6549e12
  cache/8/c/c1354e5d52bb6d
  cache/e/8/c27de653bec296
  cache/index
  cache/notes.txt

=== max-size-of-nothing
$ "$JITWARM" prune --max-size 0
!  jitwarm prune: --max-size 0 would delete everything: use --all for that (jitwarm help prune)
exit 2

=== missing
$ "$JITWARM" prune --cache cache
  Cache    cache
  Holds    nothing: the folder does not exist

=== no-driver
in: cache-several-builds
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    4.6 KiB in 9 entries

  WHAT       KIND    DRIVER BUILD          GPU    ENTRIES   SIZE
  unindexed  CUDA    Jan  7 2026 22:51:46  sm_86        1  182 B
  kept       NVRTC   Jan  7 2026 22:51:46  sm_86        1  218 B
  kept       OpenCL  -                     sm_86        1  195 B

  * 1 entry of NVRTC (218 B) is kept: nothing shows whether it is outdated
  * 1 entry of OpenCL (195 B) is kept: nothing shows whether it is outdated
  * 1 index record has no file, but counts against the limit

  182 B in 1 entry, and 1 index record without a file can be removed. Nothing was
  removed; run again with --yes to remove it.

=== no-driver-yes
in: cache-several-builds
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --yes
$ code=$?
$ find cache -type f | LC_ALL=C sort
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    4.6 KiB in 9 entries

  WHAT       KIND    DRIVER BUILD          GPU    ENTRIES   SIZE
  unindexed  CUDA    Jan  7 2026 22:51:46  sm_86        1  182 B
  kept       NVRTC   Jan  7 2026 22:51:46  sm_86        1  218 B
  kept       OpenCL  -                     sm_86        1  195 B

  * 1 entry of NVRTC (218 B) is kept: nothing shows whether it is outdated
  * 1 entry of OpenCL (195 B) is kept: nothing shows whether it is outdated
  * 1 index record has no file, but counts against the limit

  Removed 1 entry: 182 B are free.
  cache/0/9/875688ddeacf20
  cache/2/c/5148b0d48b048e
  cache/5/c/be08f2fa5e5c23
  cache/6/f/bec0da9f7e48ee
  cache/7/a/99f70ac6549e12
  cache/8/c/c1354e5d52bb6d
  cache/e/8/c27de653bec296
  cache/f/c/8333e3c3f72dcd
  cache/index
  cache/notes.txt

=== not-a-folder
$ echo x >cache
$ "$JITWARM" prune --cache cache
!  jitwarm prune: --cache cache leads to no folder: cache is a file (jitwarm help prune)
exit 2

=== others-may-write
skip on windows: rights and links are other ones there
in: cache-several-builds
$ chmod 777 cache
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --yes
$ code=$?
$ find cache -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
  11
!  jitwarm: {SCRATCH}/cache: everybody may write to it, and so replace the GPU code that your programs run. To fix it: chmod go-w
exit 4

=== recent-stays
$ cp "$GEN/elf/only-ptx.so" lib.so
$ "$WITH_SIMCUDA" --driver 570.124.06 -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prime lib.so -q --yes --as-root --cache "$PWD/cache" >/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --yes
  Cache    {SCRATCH}/cache
- Driver   580.126.09 (build Jan 7 2026 22:51:46)
+ Driver   unknown version (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT  KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  kept  CUDA  Sep  4 2024 01:52:30  sm_86        1  13 KiB

- * entries of driver 570.124.06 (build Sep 4 2024 01:52:30) are kept: it was last
- used here today. They are outdated after 90 days; --outdated deletes them now
+ * entries of driver build Sep 4 2024 01:52:30 are kept: it was last used here
+ today. They are outdated after 90 days; --outdated deletes them now

  Nothing to remove.

=== simulated-checks-no-real-one
skip on windows: the version of a driver is in the registry there, beside a GPU
in: cache-simulated-now
$ "$WITH_SIMCUDA" -- "$JITWARM" prune --cache cache --outdated --yes
  Cache    {SCRATCH}/cache
  Driver   580.126.09 (build Jan 7 2026 22:51:46)
  Holds    4.6 KiB in 9 entries

  WHAT  KIND    DRIVER BUILD          GPU    ENTRIES   SIZE
  kept  CUDA    Feb  9 2019 19:17:30  sm_61        1  181 B
  kept  CUDA    Jun 14 2025 15:40:11  sm_86        1  181 B
  kept  NVRTC   Jan  7 2026 22:51:46  sm_86        1  218 B
  kept  OpenCL  -                     sm_86        1  195 B

  * entries of driver build Jun 14 2025 15:40:11 are kept: a real driver made
  them, and the driver here is none
  * entries of driver build Feb 9 2019 19:17:30 are kept: a real driver made them,
  and the driver here is none
  * 1 entry of NVRTC (218 B) is kept: nothing shows whether it is outdated
  * 1 entry of OpenCL (195 B) is kept: nothing shows whether it is outdated
  * 1 index record has no file, but counts against the limit

  Removed 1 index record without a file.

=== takes-no-path
$ "$JITWARM" prune cache
!  jitwarm prune: takes no arguments, but got 'cache' (jitwarm help prune)
exit 2

=== then-prime
$ primed_libraries
$ find cache -type f ! -name index -exec touch -d "2 days ago" {} +
$ "$JITWARM" prune --cache cache --max-size 1 --yes
$ "$JITWARM" status --cache cache | grep -E "Used|Warm"
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 | sed -n "s/ in [0-9].*//;1p"
  Cache    {SCRATCH}/cache
  Driver   unknown version (build Jan 7 2026 22:51:46)
  Holds    25 KiB in 2 entries

  WHAT    KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  excess  CUDA  Jan  7 2026 22:51:46  sm_86        2  25 KiB

  Removed 2 entries: 25 KiB are free.
  Used      nothing: the folder is empty
  Warm      unknown: changed since the last run: entries that were removed
  Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in

=== young-damage-stays
in: cache-damaged
$ touch cache/*/*/*
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prune --cache cache --yes
$ code=$?
$ find cache -type f | wc -l
$ exit $code
  Cache    {SCRATCH}/cache
  Driver   unknown, so no entry counts as outdated: no CUDA driver was found
  Holds    536 B in 4 entries

  * 2 damaged entries are less than a minute old, and may still be being written:
  try again in a minute

  Nothing to remove.
  5

=== all
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state" CUDA_CACHE_PATH="$PWD/cache"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" prune --all | sed -e "s/: [0-9.]* [kKM]*i*B$/: SIZE/"
$ find cache state -type f | wc -l
$ "$JITWARM" prune --all --yes | sed -e "s/: [0-9.]* [kKM]*i*B$/: SIZE/"
$ find . -type f
$ "$JITWARM" prune --all
  Cache    {SCRATCH}/cache
  Holds    13 KiB in 1 entry

  WHAT  KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  all   CUDA  Jan  7 2026 22:51:46  sm_86        1  13 KiB

  State    {SCRATCH}/state
           1 cache record, 1 driver record: SIZE
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  All of this can be removed. Nothing was removed; run again with --yes to remove
  it.
  5
  Cache    {SCRATCH}/cache
  Holds    13 KiB in 1 entry

  WHAT  KIND  DRIVER BUILD          GPU    ENTRIES    SIZE
  all   CUDA  Jan  7 2026 22:51:46  sm_86        1  13 KiB

  State    {SCRATCH}/state
           1 cache record, 1 driver record: SIZE
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  Removed all of this.
  ./cache/index
  ./lib.so
  Cache    {SCRATCH}/cache
  Holds    0 B in 0 entries

  State    {SCRATCH}/state
           nothing
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  There is nothing to remove.

=== all-of-one-cache
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state" CUDA_CACHE_PATH="$PWD/cache"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" prune --all --yes --cache cache --json >out
$ code=$?
$ grep -e '"end"' -e stored out
$ find cache state -type f | wc -l
$ exit $code
    "end": "done",
    "stored": null
  4
