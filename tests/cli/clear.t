=== cache-alone
$ "$JITWARM" clear --cache cache
!  jitwarm clear: --cache needs --cache-too: without that, clear changes no cache (jitwarm help clear)
exit 2

=== cache-too
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" clear --cache-too --cache cache --yes >out
$ code=$?
$ sed "s/: [0-9.]* k*B$//" out
$ ls
$ find cache -type f
$ exit $code
  Cache    {SCRATCH}/cache
           1 entry: 13 KiB
  State    {SCRATCH}/state
*          1 cache record, 1 driver record: * KiB
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  All of this was removed.
  cache
  lib.so
  out
  cache/index

=== dry-run
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" clear --yes -n --cache-too --cache cache | sed "s/: [0-9.]* k*B$//"
$ find cache state -type f | wc -l
  Cache    {SCRATCH}/cache
           1 entry: 13 KiB
  State    {SCRATCH}/state
*          1 cache record, 1 driver record: * KiB
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  jitwarm clear would remove all of this.
  5

=== empty
$ export JITWARM_STORE="$PWD/data" JITWARM_STATE="$PWD/state"
$ "$JITWARM" clear
  State    {SCRATCH}/state
           nothing
  Store    {SCRATCH}/data
           nothing

  There is nothing to remove.

=== empty-name
$ "$JITWARM" clear --cache-too --cache ""
!  jitwarm clear: --cache: the name is empty (jitwarm help clear)
exit 2

=== json-needs-yes
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" clear --json >out
$ code=$?
$ sed "s/\"bytes\": [0-9]*/\"bytes\": 0/" out
$ exit $code
  {
    "schema": "jitwarm.clear/1",
    "end": "listed",
    "why": null,
    "memory": {
      "folder": "{SCRATCH}/state",
      "caches": 1,
      "drivers": 1,
      "others": 0,
      "bytes": 0
    },
    "store": {
      "folder": "{SCRATCH}/data/jitwarm/packs",
      "packs": 0,
      "bytes": 0
    },
    "cache": null,
    "notes": []
  }
!  jitwarm: nothing was removed: confirm with --yes
exit 7

=== links-are-not-followed
skip on windows: links are other ones there
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"; export JITWARM_DRIVER="$SIM/libcuda.so.1"; cp "$GEN/elf/only-ptx.so" lib.so; "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q lib.so >/dev/null; mkdir victim; for f in state/roots/*/warm.log; do mv $f victim/warm.log; ln -s "$PWD/victim/warm.log" $f; done; mv state/drivers victim/drivers; ln -s "$PWD/victim/drivers" state/drivers; "$JITWARM" clear --yes >out 2>&1; code=$?; sed "s/: [0-9.]* k*B$//;s#roots/[0-9a-f]*#roots/X#" out; find victim -type f | wc -l; exit $code
  jitwarm: some of it could not be removed
  State    {SCRATCH}/state
           1 cache record
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  *
  {SCRATCH}/state/roots/X/warm.log:
  is not a regular file; skipped
  * {SCRATCH}/state/drivers: is a link
  This was removed; some could not be.
  2
exit 1

=== needs-yes
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" clear | sed "s/: [0-9.]* k*B$//"
$ find state -type f | wc -l
  State    {SCRATCH}/state
*          1 cache record, 1 driver record: * KiB
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  jitwarm clear would remove all of this.
  3
!  jitwarm: nothing was removed: confirm with --yes

=== others-may-write
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ chmod 777 state
$ "$JITWARM" clear --yes
$ code=$?
$ find state -type f | wc -l
$ exit $code
  State    {SCRATCH}/state
           nothing
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  * {SCRATCH}/state: everybody may write to the folder;
  jitwarm does not use its content
  This was removed; some could not be.
  3
!  jitwarm: some of it could not be removed
exit 1
on windows:
  State    {SCRATCH}/state
           nothing
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  * {SCRATCH}/state: everybody may write to the folder;
  jitwarm does not use its content
  This was removed; some could not be.
  3

=== strangers-stay
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ echo mine >state/notes.txt
$ mkdir -p data/jitwarm/packs
$ echo mine >data/jitwarm/packs/notes.txt
$ "$JITWARM" clear --yes >out
$ code=$?
$ sed "s/: [0-9.]* k*B$//" out
$ find state data -type f | LC_ALL=C sort
$ exit $code
  State    {SCRATCH}/state
*          1 cache record, 1 driver record: * KiB
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  All of this was removed.
  data/jitwarm/packs/notes.txt
  state/notes.txt

=== yes
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" clear --yes >out
$ code=$?
$ sed "s/: [0-9.]* k*B$//" out
$ ls
$ find cache -type f | wc -l
$ exit $code
  State    {SCRATCH}/state
*          1 cache record, 1 driver record: * KiB
  Store    {SCRATCH}/data/jitwarm/packs
           nothing

  All of this was removed.
  cache
  lib.so
  out
  2
