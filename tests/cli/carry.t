=== cache-empty
$ "$JITWARM" carry --cache ''
!  jitwarm carry: --cache: the name is empty (jitwarm help carry)
exit 2

=== carried
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only
* Carried 2 entries (25 KiB) in * ms: programs do not compile them again
  From      2 entries, 25 KiB of the build of Jun 14 2025 55:40:11
  Note      this is code of the older compiler, which ran correctly on this driver. Fixes in the newer compiler do not reach it until it is compiled again
  To do     jitwarm carry --renew compiles them again; jitwarm carry --undo removes them
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== dry-run
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --dry-run
  Would carry 2 entries (25 KiB), which programs would not compile again
  From      2 entries, 25 KiB of the build of Jun 14 2025 55:40:11
  To do     jitwarm carry
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== json
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ only "-driver" "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only --json
$ fields driver.stamp driver.level_name
  {
    "schema": "jitwarm.carry/1",
    "end": "done",
    "why": null,
    "dry_run": false,
    "undo": false,
    "proven": true,
    "unproven": null,
    "renewing": false,
    "cache": {
      "root": "{SCRATCH}/cache",
      "limit_bytes": 1073741824,
      "used_bytes": 25790
    },
    "counts": {
      "carried": 2,
      "there": 0,
      "no-room": 0,
      "refused": 0,
      "newer": 0,
      "removed": 0
    },
    "carried_bytes": 25790,
    "removed_bytes": 0,
    "entries": [
      {
        "from": "c/a/7706090b165cae",
        "name": "3/6/58c91473d38423",
        "stamp": "Jun 14 202555:40:11",
        "gpu": "sm_86",
        "bytes": 12895,
        "state": "carried",
        "why": null
      },
      {
        "from": "0/1/e7a64bec715d9f",
        "name": "5/1/4bcab44ff498be",
        "stamp": "Jun 14 202555:40:11",
        "gpu": "sm_86",
        "bytes": 12895,
        "state": "carried",
        "why": null
      }
    ],
*   "milliseconds": *,
    "advice": [],
    "notes": []
  }
  driver.stamp: "Jan  7 202662:51:46"
  driver.level_name: "carryable"

=== no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache"
  Not done: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
exit 3
on windows:
  Not done: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing

=== not-proven
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ SIMCUDA_WRONG_NUMBERS=1 unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only
  Not done: cannot carry entries: it is not proven that this driver runs them correctly: the code of an entry with another build's stamp changed computed 4294962986 where 6309 is right
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
exit 1

=== not-proven-dry-run
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ SIMCUDA_KNOWLEDGE=2 unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" -n
  Not done: cannot carry entries: it is not proven that this driver runs them correctly: files that were put into another cache folder were not used as they are: file 3/4/f3c829363873b0 was written again
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
exit 1

=== nothing
$ simulated_driver
$ mkdir -m 700 cache
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only
  Nothing to carry: the cache has no entries of an older build of this driver
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== renew
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only -q >/dev/null
$ unwrapped "$JITWARM" carry --renew --as-root --cache "$PWD/cache"
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
* Cache     {SCRATCH}/cache: 50 KiB used, the limit is 1 GiB, 25 KiB of it by other driver builds; * free on the disk
  verified: a fresh process loaded both modules and compiled nothing
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm status --cache {SCRATCH}/cache   (what the cache holds, and the time saved so far)

=== there
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only -q >/dev/null
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only
  Nothing to carry: this driver already has all entries of older builds
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== undo-and-carry-only
$ "$JITWARM" carry --undo --carry-only
!  jitwarm carry: --carry-only, --compile, --renew and --undo cannot be combined (jitwarm help carry)
exit 2

=== undo-nothing
$ simulated_driver
$ mkdir -m 700 cache
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --undo
  Nothing to undo: no entry here was carried

=== undone
$ simulated_driver
$ two_libraries
$ JITWARM_STATE="$PWD/old" SIMCUDA_STAMP="Jun 14 2025 15:40:11" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --no-verify lib >/dev/null
$ "$JITWARM" carry --as-root --cache "$PWD/cache" --carry-only -q >/dev/null
$ "$JITWARM" carry --as-root --cache "$PWD/cache" --undo --dry-run
$ unwrapped "$JITWARM" carry --as-root --cache "$PWD/cache" --undo
  Would remove 2 carried entries (25 KiB); the original entries stay
  Removed 2 carried entries (25 KiB); the original entries stay
