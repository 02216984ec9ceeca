=== begun
skip on windows: the simulated driver is not in System32
$ primed_libraries
$ mkdir -p cache/7/d && : >cache/7/d/d025747b0aa9ef
$ "$JITWARM" status --check --cache cache >out; echo $?; unwrapped "$JITWARM" status --check --cache cache | grep d025747b
$ touch -d "2 minutes ago" cache/7/d/d025747b0aa9ef
$ "$JITWARM" status --check --cache cache >out; echo $?; unwrapped "$JITWARM" status --check --cache cache | grep d025747b
  1
  * 1 entry could not be read: 7/d/d025747b0aa9ef (is empty: a program seems to be writing it now)
  6
  * 1 entry of the cache is damaged (cache/7/d/d025747b0aa9ef: cache entry: it has 0 bytes, expected a header of 28). A program was killed while writing, or the disk was full; at best the driver compiles such an entry again

=== damaged
in: cache-index-damaged
$ "$JITWARM" status --cache cache --check
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      153 B in 1 entry (4 files are there): less than 1 % of 1 GiB, less
            than 1 % of 256 MiB
  Entries   1 of programs (153 B)
  Checked   every byte of 4 entries: 3 damaged
  Warm      unknown: nothing was primed here yet

  * the cache's index is damaged (cache/index: cache index: it has 75 bytes,
    expected 80 (4 records)). Programs find nothing in the cache: the next one
    that compiles something deletes all else
  * 3 entries of the cache are damaged (cache/0/9/875688ddeacf20: cache entry:
    payload at 0x75 hashes to a2c4d10d117899f0, expected a2c4d20d11789ba3 (0x14)).
    A program was killed while writing, or the disk was full; at best the driver
    compiles such an entry again
  To do     jitwarm status --repair --cache cache
exit 6

=== damaged-headers
in: cache-index-damaged
$ "$JITWARM" status --cache cache
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      306 B in 2 entries (4 files are there): less than 1 % of 1 GiB, less
            than 1 % of 256 MiB
  Entries   2 of programs (306 B)
  Warm      unknown: nothing was primed here yet

  * the cache's index is damaged (cache/index: cache index: it has 75 bytes,
    expected 80 (4 records)). Programs find nothing in the cache: the next one
    that compiles something deletes all else
  * 2 entries of the cache are damaged (cache/9/6/20a9d4b410bf07: cache entry: it
    has 0 bytes, expected a header of 28). A program was killed while writing, or
    the disk was full; at best the driver compiles such an entry again
  To do     jitwarm status --repair --cache cache

=== damaged-json
in: cache-index-damaged
$ export JITWARM_STORE=/srv/packs
$ only "cache.used_bytes counts.checked counts.damaged counts.sound next_start_why index damage builds.status todo" "$JITWARM" status --cache cache --check --json
  cache.used_bytes: 153
  counts.checked: "all"
  counts.damaged: {"entries": 3, "bytes": 355}
  counts.sound: {"entries": 1, "bytes": 153}
  next_start_why: "the driver is not found where it was at the last prime"
  index: {"exists": true, "records": 3, "bytes": 459, "damage": "cache index: it has 75 bytes, expected 80 (4 records)", "lost": true}
  damage: [{"name": "0/9/875688ddeacf20", "reason": "cache entry: payload at 0x75 hashes to a2c4d10d117899f0, expected a2c4d20d11789ba3 (0x14)", "unread": false}, {"name": "9/6/20a9d4b410bf07", "reason": "cache entry: it has 0 bytes, expected a header of 28", "unread": false}, {"name": "f/c/8333e3c3f72dcd", "reason": "cache entry: it has 174 bytes, expected 181 (key 89, payload 64)", "unread": false}]
  builds.status: ["unknown"]
  todo: ["jitwarm status --repair --cache cache"]
exit 6

=== empty
$ mkdir cache
$ "$JITWARM" status --cache cache
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing: the folder is empty
  Warm      unknown: nothing was primed here yet
  To do     jitwarm doctor --cache cache

=== empty-name
$ "$JITWARM" status --cache ""
!  jitwarm status: --cache: the name is empty (jitwarm help status)
exit 2

=== full
in: cache-several-builds
$ CUDA_CACHE_MAXSIZE=4600 "$JITWARM" status --cache cache
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     cache (from --cache)
  Limit     4.5 KiB (CUDA_CACHE_MAXSIZE=4600)
  Used      4.3 KiB in 9 entries: 96 % of the limit
  Entries   7 of programs (4 KiB), 1 of NVRTC (190 B), 1 of OpenCL (167 B)
  Warm      unknown: nothing was primed here yet

  * the cache is full: 4.3 KiB of 4.5 KiB (CUDA_CACHE_MAXSIZE=4600). Newly
    compiled code evicts older code
  * the cache's index does not know 1 of its files (182 B). The driver does not
    find them, and no limit counts their disk space
  * 1 record of the cache's index (154 B) has no file. A program that needs it
    compiles it again, and the index counts it against the limit until then. To
    change that: jitwarm prune --yes --cache cache
  * CUDA_CACHE_MAXSIZE=4600 is small: a module larger than the limit is never
    cached, and compiled again in every process
  * 1 other file or folder that the driver does not use: skipped
  To do     jitwarm doctor --cache cache

=== json
in: cache-and-state
$ export JITWARM_STORE=/srv/packs
$ JITWARM_STATE="$PWD/state" CUDA_CACHE_MAXSIZE=1073741824 "$JITWARM" status --cache cache --json
  {
    "schema": "jitwarm.status/1",
    "gpus": [],
    "driver": "580.126.09",
    "cache": {
      "folder": "cache",
      "limit_bytes": 1073741824,
      "limit_known": true,
      "disabled": false,
      "exists": true,
      "refused": null,
      "other_writers": null,
      "used_bytes": 4429
    },
    "kinds": {
      "cuda": {
        "entries": 7,
        "bytes": 4072
      },
      "nvrtc": {
        "entries": 1,
        "bytes": 190
      },
      "opencl": {
        "entries": 1,
        "bytes": 167
      }
    },
    "counts": {
      "checked": "headers",
      "files": {
        "entries": 9,
        "bytes": 4681
      },
      "sound": {
        "entries": 9,
        "bytes": 4429
      },
      "outdated": {
        "entries": 2,
        "bytes": 306
      },
      "unindexed": {
        "entries": 1,
        "bytes": 182
      },
      "damaged": {
        "entries": 0,
        "bytes": 0
      },
      "unread": {
        "entries": 0,
        "bytes": 0
      },
      "missing": 1,
      "links": 0
    },
    "last_prime": null,
    "next_start": "unknown",
    "next_start_why": "nothing was primed here yet",
    "software": [],
    "commands": [],
    "running": null,
    "background": null,
    "store": {
      "folder": "/srv/packs",
      "refused": null,
      "packs": 0,
      "bytes": 0
    },
    "sources": [],
    "primed": null,
    "index": {
      "exists": true,
      "records": 9,
      "bytes": 4429,
      "damage": null,
      "lost": false
    },
    "builds": [
      {
        "kind": "cuda",
        "stamp": "2026-01-07T22:51:46",
        "arch": "sm_86",
        "status": "current",
        "driver": "580.126.09",
        "entries": 4,
        "bytes": 3613,
        "origin": null,
        "origins": []
      },
      {
        "kind": "cuda",
        "stamp": "2026-01-07T22:51:46",
        "arch": "sm_89",
        "status": "current",
        "driver": "580.126.09",
        "entries": 1,
        "bytes": 153,
        "origin": null,
        "origins": []
      },
      {
        "kind": "cuda",
        "stamp": "2025-06-14T15:40:11",
        "arch": "sm_86",
        "status": "earlier",
        "driver": "535.261.03",
        "entries": 1,
        "bytes": 153,
        "origin": null,
        "origins": []
      },
      {
        "kind": "cuda",
        "stamp": "2019-02-09T19:17:30",
        "arch": "sm_61",
        "status": "foreign",
        "driver": null,
        "entries": 1,
        "bytes": 153,
        "origin": null,
        "origins": []
      },
      {
        "kind": "nvrtc",
        "stamp": "2026-01-07T22:51:46",
        "arch": "sm_86",
        "status": "other-compiler",
        "driver": null,
        "entries": 1,
        "bytes": 190,
        "origin": null,
        "origins": []
      },
      {
        "kind": "opencl",
        "stamp": null,
        "arch": "sm_86",
        "status": "other-compiler",
        "driver": null,
        "entries": 1,
        "bytes": 167,
        "origin": null,
        "origins": []
      }
    ],
    "damage": [],
    "drivers": [
      {
        "build": "b2:34e687b197e5b539ed1da0afacd857715bb9bdf7c6c745a6b5d37c068e07ba10",
        "stamp": "2026-01-07T22:51:46",
        "version": "580.126.09",
        "level": "placeable",
        "current": true
      },
      {
        "build": "gnu:0ldbu1ld",
        "stamp": "2025-06-14T15:40:11",
        "version": "535.261.03",
        "level": "readable",
        "current": false
      }
    ],
    "notes": [],
    "todo": [
      "jitwarm prime --cache cache"
    ]
  }

=== junk-settings
$ CUDA_CACHE_DISABLE=yes CUDA_CACHE_MAXSIZE=4G CUDA_CACHE_PATH=.nv "$JITWARM" status
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     .nv (from CUDA_CACHE_PATH)
  Limit     4 B (CUDA_CACHE_MAXSIZE=4G)
  Used      nothing yet: the folder does not exist
  Warm      nothing: CUDA_CACHE_PATH=.nv is not an absolute path: programs started
            in different folders use different caches

  * CUDA_CACHE_MAXSIZE=4G: the driver reads only the first digits (4 bytes), and
    stores nothing more. Use digits only; jitwarm env recommends a value
  * CUDA_CACHE_DISABLE=yes is not the number 1: the driver still uses its cache
- To do     unset CUDA_CACHE_PATH
+ To do     set "CUDA_CACHE_PATH="

=== missing
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" status
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     {SCRATCH}/cache (from CUDA_CACHE_PATH)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing yet: the folder does not exist
  Warm      unknown: nothing was primed here yet
  To do     jitwarm doctor

=== no-home
skip on windows: its driver asks the system for the folder
$ simulated_driver
$ gpu_on_the_bus 0x2484 580.126.09
$ env -u HOME "$JITWARM" status
  GPU       NVIDIA GeForce RTX 3070 (sm_86)
  Driver    580.126.09
  Cache     none: HOME is not set
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Warm      nothing: HOME is not set: the driver has no folder for its cache, and
            compiles again in every process
  To do     export HOME=/root

=== not-a-folder
$ echo text > file
$ "$JITWARM" status --cache file
!  jitwarm status: --cache file leads to no folder: file is a file (jitwarm help status)
exit 2

=== off
$ CUDA_CACHE_DISABLE=1 "$JITWARM" status --cache nowhere
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     nowhere (from --cache)
  Off       CUDA_CACHE_DISABLE=1: programs do not use the cache, and compile again
            at every start
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing yet: the folder does not exist
  Warm      nothing: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every
            start compiles again
- To do     unset CUDA_CACHE_DISABLE
+ To do     set "CUDA_CACHE_DISABLE="
exit 1

=== primed
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
- GPU       not listed here; jitwarm doctor asks the driver
- Driver    580.126.09 (build Jan 7 2026 22:51:46)
- Cache     cache (from --cache)
- Limit     1 GiB, the default of driver 580.126.09
- Used      14 KiB in 2 entries: less than 1 % of the limit
- Entries   2 of programs (14 KiB)
- Warm      2 of 2 modules, primed just now
- Software  libggml-cuda.so (13 KiB), libwhisper.so (951 B)
- Everything primed is warm. To check all software here:
- To do     jitwarm prime --check --cache cache
+ Cache    cache (from --cache)
+ Limit    unknown: the driver does not say its version, and CUDA_CACHE_MAXSIZE is
+          not set. The default is 1 GiB for drivers of CUDA 12 and newer, 256 MiB
+          for older ones and Jetson
+ Used     14 KiB in 2 entries: less than 1 % of 1 GiB, less than 1 % of 256 MiB
+ Primed   2 entries (14 KiB) for this machine's driver, all still there; primed
+          modules need 14 KiB: less than 1 % of 1 GiB, less than 1 % of 256 MiB
+ Checked  headers only (--check reads every byte)
+* Driver   pe:* (build Jan 7 2026 22:51:46): placeable,
+          entries can be predicted, added and shipped
+
+ KIND  DRIVER BUILD          GPU    ENTRIES    SIZE  STATUS          FROM
+ CUDA  Jan  7 2026 22:51:46  sm_86        2  14 KiB  current driver  libggml-cuda.so, libwhisper.so
+
+ LARGEST               SIZE  GPU    KIND  DRIVER BUILD          FROM
+ 5/1/4bcab44ff498be  13 KiB  sm_86  CUDA  Jan  7 2026 22:51:46  libggml-cuda.so
+ 2/6/4d56183a90ce5c   951 B  sm_86  CUDA  Jan  7 2026 22:51:46  libwhisper.so
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== primed-away
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ rm -r cache
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
- GPU       not listed here; jitwarm doctor asks the driver
- Driver    580.126.09 (build Jan 7 2026 22:51:46)
- Cache     cache (from --cache)
- Limit     1 GiB, the default of driver 580.126.09
- Used      nothing: the folder no longer exists
- Warm      0 of 2 modules, primed just now
+ Cache    cache (from --cache)
+ Limit    unknown: the driver does not say its version, and CUDA_CACHE_MAXSIZE is
+          not set. The default is 1 GiB for drivers of CUDA 12 and newer, 256 MiB
+          for older ones and Jetson
+ Used     nothing: the folder no longer exists
+ Primed   2 entries (14 KiB) for this machine's driver, all gone; primed modules
+          need 14 KiB: less than 1 % of 1 GiB, less than 1 % of 256 MiB
+* Driver   pe:* (build Jan 7 2026 22:51:46): placeable,
+          entries can be predicted, added and shipped

- * all that jitwarm warmed is gone: the cache was emptied (warmed for this
-   driver: 2 entries, 14 KiB in all). Programs compile that again at their next
-   start
- To do     jitwarm prime --cache cache
+ * the folder is gone: 2 entries (14 KiB) that jitwarm compiled or verified no
+   longer exist. The next starts compile them again. Run jitwarm prime --cache
+   cache first
exit 1

=== primed-nothing-beside-a-driver
skip on windows: the simulated driver is not in System32
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
  GPU       not listed here; jitwarm doctor asks the driver
  Driver    found; jitwarm doctor asks for its version
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing yet: the folder does not exist
  Warm      unknown: nothing was primed here yet
  To do     jitwarm prime --cache cache
exit 1

=== primed-changed
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ find cache -type f -size -3 ! -name index -exec cp {} small \;
$ find cache -type f -size +8k -exec cp small {} \;
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache | sed -n "/^Primed/,/^Checked/p;/^\*/,\$p"
  * 1 entry has a different size than jitwarm recorded: another program wrote it.
    jitwarm verify --cache cache checks that the next start compiles nothing
  * 1 entry has a different size in the index
  To do     jitwarm prime --cache cache

=== primed-emptied
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ rm -r cache/*
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
- GPU       not listed here; jitwarm doctor asks the driver
- Driver    580.126.09 (build Jan 7 2026 22:51:46)
- Cache     cache (from --cache)
- Limit     1 GiB, the default of driver 580.126.09
- Used      nothing: the folder is empty
- Warm      0 of 2 modules, primed just now
+ Cache    cache (from --cache)
+ Limit    unknown: the driver does not say its version, and CUDA_CACHE_MAXSIZE is
+          not set. The default is 1 GiB for drivers of CUDA 12 and newer, 256 MiB
+          for older ones and Jetson
+ Used     nothing: the folder is empty
+ Primed   2 entries (14 KiB) for this machine's driver, all gone; primed modules
+          need 14 KiB: less than 1 % of 1 GiB, less than 1 % of 256 MiB
+* Driver   pe:* (build Jan 7 2026 22:51:46): placeable,
+          entries can be predicted, added and shipped

- * all that jitwarm warmed is gone: the cache was emptied (warmed for this
-   driver: 2 entries, 14 KiB in all). Programs compile that again at their next
-   start
- To do     jitwarm prime --cache cache
+ * the folder is empty: 2 entries (14 KiB) that jitwarm compiled or verified no
+   longer exist. The next starts compile them again. Run jitwarm prime --cache
+   cache first

=== primed-evicted
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ find cache -type f -size +8k -delete
$ rm cache/index
$ CUDA_CACHE_MAXSIZE=10000 "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
- GPU       not listed here; jitwarm doctor asks the driver
- Driver    580.126.09 (build Jan 7 2026 22:51:46)
- Cache     cache (from --cache)
- Limit     9.8 KiB (CUDA_CACHE_MAXSIZE=10000)
- Used      951 B in 1 entry: 9 % of the limit
- Entries   1 of programs (951 B)
- Warm      1 of 2 modules of what was primed; the cache's index is missing or
-           damaged: programs still find what is there, but the next one that
-           compiles something deletes all else
- Software  libwhisper.so (951 B)
+ Cache    cache (from --cache)
+ Limit    9.8 KiB (CUDA_CACHE_MAXSIZE=10000)
+ Used     951 B in 1 entry: 9 % of the limit
+ Primed   2 entries (14 KiB) for this machine's driver, 1 of them gone
+ Checked  headers only (--check reads every byte)
+* Driver   pe:* (build Jan 7 2026 22:51:46): placeable,
+          entries can be predicted, added and shipped

- * the cache has entries, but no index (cache/index is missing or empty).
-   Programs still find what is there, until one compiles something: that deletes
-   all else in the cache
- * gone from the cache: 1 entry that jitwarm warmed (13 KiB) (warmed for this
-   driver: 2 entries, 14 KiB in all). Programs compile that again at their next
-   start
- * the cache is too small for what was warmed: 14 KiB are needed, the limit is
-   9.8 KiB (CUDA_CACHE_MAXSIZE=10000). Programs evict each other's code from the
-   cache, and compile it again and again
+ KIND  DRIVER BUILD          GPU    ENTRIES   SIZE  STATUS          FROM
+ CUDA  Jan  7 2026 22:51:46  sm_86        1  951 B  current driver  libwhisper.so
+
  * CUDA_CACHE_MAXSIZE=10000 is small: a module larger than the limit is never
    cached, and compiled again in every process
- To do     jitwarm status --repair --cache cache
+ * EMERGENCY: the index is missing or empty. The next program that compiles
+   something deletes all other entries. Run jitwarm status --repair first: it
+   rebuilds the index
+ * 1 entry (13 KiB) that jitwarm compiled or verified was evicted or removed. The
+   next starts compile it again. Run jitwarm prime --cache cache first. All
+   entries together exceed the limit (9.8 KiB). Set CUDA_CACHE_MAXSIZE=1073741824

=== primed-gone
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ find cache -type f -size +8k -delete
$ "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
- GPU       not listed here; jitwarm doctor asks the driver
- Driver    580.126.09 (build Jan 7 2026 22:51:46)
- Cache     cache (from --cache)
- Limit     1 GiB, the default of driver 580.126.09
- Used      14 KiB in 2 entries by the index (1 file is there): less than 1 % of
-           the limit
- Entries   1 of programs (951 B)
- Warm      1 of 2 modules, primed just now
- Software  libwhisper.so (951 B)
+ Cache    cache (from --cache)
+ Limit    unknown: the driver does not say its version, and CUDA_CACHE_MAXSIZE is
+          not set. The default is 1 GiB for drivers of CUDA 12 and newer, 256 MiB
+          for older ones and Jetson
+ Used     14 KiB in 2 entries by the index (1 file is there): less than 1 % of
+          1 GiB, less than 1 % of 256 MiB
+ Primed   2 entries (14 KiB) for this machine's driver, 1 of them gone; primed
+          modules need 14 KiB: less than 1 % of 1 GiB, less than 1 % of 256 MiB
+ Checked  headers only (--check reads every byte)
+* Driver   pe:* (build Jan 7 2026 22:51:46): placeable,
+          entries can be predicted, added and shipped

- * gone from the cache: 1 entry that jitwarm warmed (13 KiB) (warmed for this
-   driver: 2 entries, 14 KiB in all). Programs compile that again at their next
-   start
- To do     jitwarm prime --cache cache
+ KIND  DRIVER BUILD          GPU    ENTRIES   SIZE  STATUS          FROM
+ CUDA  Jan  7 2026 22:51:46  sm_86        1  951 B  current driver  libwhisper.so
+
+ * 1 entry (13 KiB) that jitwarm compiled or verified was evicted or removed. The
+   next starts compile it again. Run jitwarm prime --cache cache first
+ * 1 record (13 KiB) has no file: the driver compiles that code again, and the
+   index still counts it against the limit

=== primed-json
skip on windows: it has no driver and no GPU there, which other cases show
$ export JITWARM_STORE=/srv/packs
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ only "counts.checked last_prime.modules last_prime.warm last_prime.partly next_start software primed index.records builds drivers.level drivers.simulated todo" "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache --json
  counts.checked: "headers"
  last_prime.modules: 2
  last_prime.warm: 2
  last_prime.partly: false
  next_start: "warm"
  software: [{"origin": "libggml-cuda.so", "entries": 1, "bytes": 12895}, {"origin": "libwhisper.so", "entries": 1, "bytes": 951}]
  primed: {"recorded": {"entries": 2, "bytes": 13846}, "emptied": false, "gone": {"entries": 0, "bytes": 0}, "changed": {"entries": 0, "bytes": 0}, "needed": {"entries": 2, "bytes": 13846}}
  index.records: 2
  builds: [{"kind": "cuda", "stamp": "2026-01-07T22:51:46", "arch": "sm_86", "status": "current", "driver": "580.126.09", "entries": 2, "bytes": 13846, "origin": "libggml-cuda.so", "origins": [{"origin": "libggml-cuda.so", "entries": 1, "bytes": 12895}, {"origin": "libwhisper.so", "entries": 1, "bytes": 951}]}]
  drivers.level: ["placeable"]
  drivers.simulated: [true]
  todo: ["jitwarm prime --check --cache cache"]

=== primed-thrash
skip on windows: the version of a driver is in the registry there, beside a GPU
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ CUDA_CACHE_MAXSIZE=10000 "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache
  GPU       not listed here; jitwarm doctor asks the driver
  Driver    580.126.09 (build Jan 7 2026 22:51:46)
  Cache     cache (from --cache)
  Limit     9.8 KiB (CUDA_CACHE_MAXSIZE=10000)
  Used      14 KiB in 2 entries: 138 % of the limit
  Entries   2 of programs (14 KiB)
  Warm      2 of 2 modules of what was primed; the cache holds more than its
            limit: what is stored next evicts some
  Software  libggml-cuda.so (13 KiB), libwhisper.so (951 B)

  * the cache is too small for what was warmed: 14 KiB are needed, the limit is
    9.8 KiB (CUDA_CACHE_MAXSIZE=10000). Programs evict each other's code from the
    cache, and compile it again and again
  * CUDA_CACHE_MAXSIZE=10000 is small: a module larger than the limit is never
    cached, and compiled again in every process
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last

=== primed-thrash-not-warm
skip on windows: the version of a driver is in the registry there, beside a GPU
skip with a GPU: the answer tells the GPUs on the bus
$ named_libraries
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ CUDA_CACHE_MAXSIZE=10000 "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache | sed -n '/^Warm/,/^Software/p; /Everything/p; /^To do/p'
$ CUDA_CACHE_MAXSIZE=10000 "$WITH_SIMCUDA" -- "$JITWARM" status --cache cache --json | grep next_start
  Warm      2 of 2 modules of what was primed; the cache holds more than its
            limit: what is stored next evicts some
  Software  libggml-cuda.so (13 KiB), libwhisper.so (951 B)
  To do     export CUDA_CACHE_MAXSIZE=1073741824
    "next_start": "unknown",
    "next_start_why": "the cache holds more than its limit: what is stored next evicts some",

=== primed-then-no-driver
$ mkdir libs && cp "$GEN/elf/only-ptx.so" libs/libggml-cuda.so && cp "$GEN/elf/tegra.so" libs/libwhisper.so
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ JITWARM_DRIVER=/nowhere/libcuda.so.1 "$JITWARM" status --cache cache | sed -n '/^Warm/,/^Software/p'
$ JITWARM_DRIVER=/nowhere/libcuda.so.1 "$JITWARM" status --cache cache --json | grep '"next_start'
  Warm      unknown: the driver is not found where it was at the last prime
            (before, 2 of 2 modules were warm)
  To do     jitwarm doctor --cache cache
    "next_start": "unknown",
    "next_start_why": "the driver is not found where it was at the last prime",

=== primed-torn
$ mkdir libs && cp "$GEN/elf/only-ptx.so" libs/libggml-cuda.so && cp "$GEN/elf/tegra.so" libs/libwhisper.so
$ "$WITH_SIMCUDA" -- "$JITWARM" prime libs --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1
$ for f in "$XDG_STATE_HOME"/jitwarm/caches/*/warm.log; do printf x >>"$f"; done
$ "$JITWARM" status --cache cache | tr -s "\n " " " | grep -o "Warm .*"
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor --cache "$PWD/cache" $ANYWHERE | sed -n "/records-damaged/,/^$/p"
* Warm unknown: */warm.log is damaged from byte * of * on: what jitwarm remembered after that is lost To do jitwarm doctor --cache cache 
* *lost [records-damaged]
    Seen      the cache is {SCRATCH}/cache (--cache)
    So        what was warmed here before is not known, nor whether it still is
    Do        look at all software here, and remember it again:
              jitwarm prime --cache {SCRATCH}/cache
*

=== repair-not-a-folder
$ echo text > file
$ "$JITWARM" status --repair --cache file
$ code=$?
$ cat file
$ exit $code
  text
!  jitwarm status: --cache file leads to no folder: file is a file (jitwarm help status)
exit 2

=== running
$ cp "$GEN/elf/tegra.so" first.so && cp "$GEN/elf/only-ptx.so" slow.so
$ prime() { "$WITH_SIMCUDA" --cost "$1" -- "$JITWARM" prime "$2" --cache "$PWD/cache" --yes --as-root >/dev/null 2>&1; }
$ prime 0 first.so; prime 0+60000 slow.so &
$ for i in $(seq 600); do "$JITWARM" status --cache cache --json | grep -q "\"slots\": \[$" && break; sleep 0.05; done
$ "$JITWARM" status --cache cache | tr -s "\n " " " | grep -o "Running .*more:\|Running .*k0 ([^)]*)"
$ stop_prime cache
* Running prime (process *), for *: 0 of 1 module, 0 B of 4.5 KiB, *0 failed; now slow.so: k0 (*)

=== screen
skip on windows: sysfs is Linux's
$ two_libraries
$ simulated_driver
$ gpu_on_the_bus 0x2484 580.126.09
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null
$ "$JITWARM" run --as-root -- true >/dev/null 2>&1
$ "$JITWARM" status >out; cat out
$ "$JITWARM" | sed "/^CUDA software/d; /^$/,/^$/d" | diff - out
$ [ "$(wc -l <out)" -le 24 ]
  GPU       NVIDIA GeForce RTX 3070 (sm_86)
  Driver    580.126.09 (build Jan 7 2026 22:51:46)
  Cache     {SCRATCH}/cache (from CUDA_CACHE_PATH)
  Limit     1 GiB, the default of driver 580.126.09
  Used      25 KiB in 2 entries: less than 1 % of the limit
  Entries   2 of programs (25 KiB)
* Warm      2 of 2 modules, primed *
  Software  only-ptx.so (13 KiB), registered.so (13 KiB)
  Everything primed is warm. To check all software here:
  To do     jitwarm prime --check
  5a6
  > Entries   2 of programs (25 KiB)
  6a8
  > Software  only-ptx.so (13 KiB), registered.so (13 KiB)

=== several-builds
in: cache-and-state
$ JITWARM_STATE="$PWD/state" "$JITWARM" status --cache cache -v
  GPU       not listed here; jitwarm doctor asks the driver
  Driver    580.126.09 (build Jan 7 2026 22:51:46); also seen here: 535.261.03
            (build Jun 14 2025 15:40:11): jitwarm can read its cache and make no
            packs for it
  Cache     cache (from --cache)
  Limit     1 GiB, the default of driver 580.126.09
  Used      4.3 KiB in 9 entries: less than 1 % of the limit
  Entries   7 of programs (4 KiB), 1 of NVRTC (190 B), 1 of OpenCL (167 B)
  Warm      unknown: nothing was primed here yet

  KIND    DRIVER BUILD          GPU    ENTRIES     SIZE  STATUS
  CUDA    Jan  7 2026 22:51:46  sm_86        4  3.5 KiB  current driver, 580.126.09
  CUDA    Jan  7 2026 22:51:46  sm_89        1    153 B  current driver, 580.126.09
  CUDA    Jun 14 2025 15:40:11  sm_86        1    153 B  outdated: earlier driver here, 535.261.03
  CUDA    Feb  9 2019 19:17:30  sm_61        1    153 B  outdated: unknown driver
  NVRTC   Jan  7 2026 22:51:46  sm_86        1    190 B  its own
  OpenCL  -                     sm_86        1    167 B  its own

  * the cache's index does not know 1 of its files (182 B). The driver does not
    find them, and no limit counts their disk space
  * 1 record of the cache's index (154 B) has no file. A program that needs it
    compiles it again, and the index counts it against the limit until then. To
    change that: jitwarm prune --yes --cache cache
  * the cache holds 2 entries (306 B) of other drivers than the one that is here.
    This driver cannot use them, but they count against the limit until they are
    evicted. To change that: jitwarm prune --outdated --yes --cache cache
  * 1 other file or folder that the driver does not use: skipped
  To do     jitwarm prime --cache cache

=== several-builds-unprobed
in: cache-several-builds
$ "$JITWARM" status --cache cache
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      4.3 KiB in 9 entries: less than 1 % of 1 GiB, less than 1 % of 256 MiB
  Entries   7 of programs (4 KiB), 1 of NVRTC (190 B), 1 of OpenCL (167 B)
  Warm      unknown: nothing was primed here yet

  * the cache's index does not know 1 of its files (182 B). The driver does not
    find them, and no limit counts their disk space
  * 1 record of the cache's index (154 B) has no file. A program that needs it
    compiles it again, and the index counts it against the limit until then. To
    change that: jitwarm prune --yes --cache cache
  * 1 other file or folder that the driver does not use: skipped
  To do     jitwarm doctor --cache cache

=== simulated
in: cache-simulated
$ JITWARM_STATE="$PWD/state" "$JITWARM" status --cache cache
  GPU       not listed here; jitwarm doctor asks the driver
  Driver    580.126.09 (build Jan 7 2026 22:51:46)
  Cache     cache (from --cache)
  Limit     1 GiB, the default of driver 580.126.09
  Used      4.3 KiB in 9 entries: less than 1 % of the limit
  Entries   7 of programs (4 KiB), 1 of NVRTC (190 B), 1 of OpenCL (167 B)
  Warm      unknown: nothing was primed here yet

  * the cache's index does not know 1 of its files (182 B). The driver does not
    find them, and no limit counts their disk space
  * 1 record of the cache's index (154 B) has no file. A program that needs it
    compiles it again, and the index counts it against the limit until then. To
    change that: jitwarm prune --yes --cache cache
  * the cache holds 2 entries (306 B) of other drivers than the one that is here.
    This driver cannot use them, but they count against the limit until they are
    evicted. To change that: jitwarm prune --outdated --yes --cache cache
  * 1 other file or folder that the driver does not use: skipped
  To do     jitwarm prime --cache cache

=== sixty-columns
skip on windows: the simulated driver is not in System32
$ primed_libraries
$ COLUMNS=60 "$JITWARM" status --cache cache
  GPU       not listed here; jitwarm doctor asks the driver
  Driver    of unknown version (build Jan 7 2026 22:51:46)
  Cache     cache (from --cache)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on
            Jetson)
  Used      25 KiB in 2 entries: less than 1 % of 1 GiB, less
            than 1 % of 256 MiB
  Entries   2 of programs (25 KiB)
* Warm      2 of 2 modules, primed *
  Software  only-ptx.so (13 KiB), registered.so (13 KiB)
  Everything primed is warm. To check all software here:
  To do     jitwarm prime --check --cache cache
  simulated: this was jitwarm's own simulated driver; nothing
  here is about hardware

=== store
in: cache-and-store
$ JITWARM_STORE="$PWD/packs" JITWARM_STATE="$PWD/state" "$JITWARM" status --cache cache | grep -A1 Store
  Store     2 packs (9.4 KiB), 1 for this machine's driver
*

=== store-theirs
skip on windows: rights are other ones there
$ mkdir packs
$ chmod 777 packs
$ JITWARM_STORE="$PWD/packs" "$JITWARM" status --cache cache | sed -n "/^Store/,\$p" | tr -s "\n " " "
  Store {SCRATCH}/packs: everybody may write to the folder; jitwarm does not use its content To do jitwarm doctor --cache cache 
\

=== imported-and-never-primed
$ pack_prelude
$ make_key a.key
$ "$JITWARM" export --cache "$PWD/one" --sign a.key -o signed.tar.zst >/dev/null
$ import --trust a.pub signed.tar.zst lib >/dev/null
$ JITWARM_STATE="$PWD/state" "$JITWARM" status --cache "$PWD/two" | grep -E "^(Warm|Software|Start)"
  Warm      unknown: 2 modules compiled or imported; whether that is all was not
  Software  only-ptx.so (13 KiB), registered.so (13 KiB)

=== no-such-folder
$ JITWARM_DRIVER=/none "$JITWARM" status --cache /nonexistent >/dev/null
exit 1
