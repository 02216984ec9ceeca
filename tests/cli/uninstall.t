=== everything
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ export JITWARM_STATE="$PWD/state" JITWARM_STORE="$PWD/store"
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" lib.so
$ prime_quietly lib.so
$ echo "export EDITOR=vi" >h/.profile
$ "$JITWARM" env apply --maxsize 2GiB >/dev/null
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
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
            {SCRATCH}/h/.config/jitwarm/env.sh (removed)
            {SCRATCH}/h/.config/environment.d/50-jitwarm.conf (removed)
  Startup   {SCRATCH}/h/.config/systemd/user/jitwarm-startup.service
            {SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer
            {SCRATCH}/h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  State     {SCRATCH}/state
            1 cache record, 1 driver record
  Store     {SCRATCH}/store
            nothing

  Kept      jitwarm.conf, keys, packs outside the store, the driver's cache (--cache-too), and the program ITSELF
  --- nothing is gone:
  8
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
