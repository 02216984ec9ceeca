=== everything
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ export JITWARM_STATE="$PWD/state" JITWARM_STORE="$PWD/store"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ echo "export EDITOR=vi" >h/.profile
$ "$JITWARM" env apply --max-size 2GiB >/dev/null
$ mkdir -p machine/run/systemd/system state/walks && : >state/walks/0123456789abcdef
$ JITWARM_SYSROOT="$PWD/machine" "$JITWARM" startup install --as-root >/dev/null
$ COLUMNS=400 "$JITWARM" uninstall | sed -e "s/: [0-9.]* [kKM]*i*B$//" -e "s/the program .*/the program ITSELF/"
$ echo "--- nothing is gone:"
$ find h state -type f | wc -l
$ "$JITWARM" uninstall --yes >out
$ echo "exit $?"
$ head -1 out
$ cat h/.profile
$ find h -type f; ls -d state store 2>/dev/null
$ find cache -type f | wc -l
$ "$JITWARM" uninstall | head -1
  jitwarm uninstall would remove:
  Settings  {SCRATCH}/h/.profile (restored)
            {SCRATCH}/h/.config/environment.d/50-jitwarm.conf (removed)
  Startup   {SCRATCH}/h/.config/systemd/user/jitwarm-startup.service
            {SCRATCH}/h/.config/systemd/user/jitwarm-startup.path
            {SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer
            {SCRATCH}/h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  State     {SCRATCH}/state
            1 cache record, 1 driver record, 1 other file or folder
  Store     {SCRATCH}/store
            nothing

  Kept      jitwarm.conf, keys, packs outside the store, the driver's cache (--cache-too), and the program ITSELF
  --- nothing is gone:
  9
  exit 0
  Removed:
  export EDITOR=vi
  h/.profile
  2
  There is nothing to remove.
!  jitwarm: nothing was removed: confirm with --yes

=== refused
$ export JITWARM_STATE="$PWD/state" JITWARM_STORE="$PWD/store"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" uninstall >/dev/null
!  jitwarm: nothing was removed: confirm with --yes
exit 7

=== with-the-cache
$ export JITWARM_STATE="$PWD/state" JITWARM_STORE="$PWD/store" CUDA_CACHE_PATH="$PWD/cache"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ "$JITWARM" uninstall --cache-too --yes >/dev/null
$ find cache -type f; ls -d state 2>/dev/null; true
  cache/index

=== links-are-not-followed
skip on windows: links are other ones there
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"; export JITWARM_DRIVER="$SIM/libcuda.so.1"; cp "$GEN/elf/only-ptx.so" lib.so; "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q lib.so >/dev/null; mkdir victim; for f in state/caches/*/warm.log; do mv $f victim/warm.log; ln -s "$PWD/victim/warm.log" $f; done; mv state/drivers victim/drivers; ln -s "$PWD/victim/drivers" state/drivers; "$JITWARM" uninstall --yes >out 2>&1; code=$?; sed "s/: [0-9.]* k*B$//;s#caches/[0-9a-f]*#caches/X#;s/the program .*/the program ITSELF/" out; find victim -type f | wc -l; exit $code
  jitwarm: some of it could not be removed
  Removed:
  State     {SCRATCH}/state
            1 cache record
  Store     {SCRATCH}/data/jitwarm/packs
            nothing

  *
  {SCRATCH}/state/caches/X/warm.log:
  is not a regular file; skipped
  * {SCRATCH}/state/drivers: is a link
  Kept      jitwarm.conf, keys, packs outside the store, the driver's cache
            (--cache-too), and the program ITSELF
  2
exit 1

=== others-may-write
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ chmod 777 state
$ "$JITWARM" uninstall --yes >out
$ code=$?
$ sed -e "s/the program .*/the program ITSELF/" out
$ find state -type f | wc -l
$ exit $code
  Removed:
  State     {SCRATCH}/state
            nothing
  Store     {SCRATCH}/data/jitwarm/packs
            nothing

  * {SCRATCH}/state: everybody may write to the folder;
  jitwarm does not use its content
  Kept      jitwarm.conf, keys, packs outside the store, the driver's cache
            (--cache-too), and the program ITSELF
  3
!  jitwarm: some of it could not be removed
exit 1

=== strangers-stay
$ export XDG_DATA_HOME="$PWD/data" JITWARM_STATE="$PWD/state"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ echo mine >state/notes.txt
$ mkdir -p data/jitwarm/packs
$ echo mine >data/jitwarm/packs/notes.txt
$ "$JITWARM" uninstall --yes >out
$ code=$?
$ sed -e "s/: [0-9.]* [kKM]*i*B$//" -e "s/the program .*/the program ITSELF/" out
$ find state data -type f | LC_ALL=C sort
$ exit $code
  Removed:
  State     {SCRATCH}/state
            1 cache record, 1 driver record
  Store     {SCRATCH}/data/jitwarm/packs
            nothing

  Kept      jitwarm.conf, keys, packs outside the store, the driver's cache
            (--cache-too), and the program ITSELF
  data/jitwarm/packs/notes.txt
  state/notes.txt

=== no-home
skip on windows: a home is a folder there, too
$ unset XDG_STATE_HOME XDG_CONFIG_HOME JITWARM_STATE && HOME=/nonexistent "$JITWARM" uninstall | sed -n 1,5p
  jitwarm uninstall would remove:
  State     no folder
            nothing
* Store     */home/data/jitwarm/packs
            nothing
!  jitwarm: nothing was removed: confirm with --yes
