case nothing: simulated_driver
$ jitwarm status
? 1
Nothing is remembered for this cache, *
Cache {work}/cache
$ jitwarm doctor --cache typo
? 1
Cache {work}/typo

# scripts/quickstart shows its demo at code 3: files of a driver that was removed start none.
case left-over-device-file:
skip windows
$ mkdir -p "$JITWARM_SYSROOT/dev" && : >"$JITWARM_SYSROOT/dev/nvidiactl"
$ jitwarm status
? 3
Programs find no NVIDIA driver library that works.

case warm: simulated_driver two_libraries
$ jitwarm prime --yes lib
$ CUDA_CACHE_MAX_SIZE=4294967296 jitwarm status lib
Note CUDA_CACHE_MAX_SIZE has no effect: the driver reads CUDA_CACHE_MAXSIZE
$ jitwarm status lib
[good] All * modules of these files are in this cache for sm_*, driver *.
$ jitwarm status
[good] All * modules of these files are in this cache for sm_*, driver *.
- Found in *
$ CUDA_CACHE_MAXSIZE=4 jitwarm status
[good] All 2 modules of these files *
[warn] But The cache's limit is too small *
$ jitwarm status -v
Probe level placeable
* yes 20260107-*
$ CUDA_CACHE_DISABLE=1 jitwarm status
? 1
The driver's cache is turned off.
Used * KiB of *
unknown {work}/lib
$ export CUDA_VISIBLE_DEVICES=; jitwarm status
? 3
[bad] Programs have no GPU.
$ unset CUDA_VISIBLE_DEVICES; jitwarm status --json
.builds.0.current = true
.remembered.0.modules = 2
.remembered.0.warm = 2

case cold: simulated_driver two_libraries
$ jitwarm prime --yes lib
$ SIMCUDA_GPUS='sm_89:NVIDIA L4:24G' jitwarm status
? 1
Why This cache has no entries of this driver for this GPU (entries here for sm_86, none for sm_89)
$ SIMCUDA_GPUS='sm_89:NVIDIA L4:24G' jitwarm doctor -v lib
? 1
- Note Not all *
$ cp "$GEN/elf/tegra.so" lib; CUDA_CACHE_MAXSIZE=4 jitwarm status
? 1
Why The cache's limit is too small *
To do *CUDA_CACHE_MAXSIZE*
- jitwarm prime

case a-root-lost-its-code: simulated_driver two_libraries
skip windows
$ mkdir other twin && echo >s && cp "$GEN/elf/tegra.so" other && ln lib/*.so twin && jitwarm prime --yes lib other twin s
- Note no CUDA *
$ rm other/* && jitwarm status
[good] All 2 modules of these files are in this cache for sm_86, driver *.
2 of 2 {work}/twin
no code {work}/other
Note no CUDA code is in {work}/other
$ head -c 3000 lib/only-ptx.so >lib/cut.so; jitwarm status
? 1
2 of 2 {work}/twin
2 of 2, not all read {work}/lib

case damaged: simulated_driver two_libraries
$ jitwarm prime --yes lib
$ for f in $(find cache -type f -name "*[0-9a-f]" ! -name index | head -n 1); do printf x | dd of="$f" bs=1 seek=200 conv=notrunc 2>/dev/null; done
$ jitwarm status -v
? 1
Damaged */*: its code is not as the driver stored it
$ rm -r cache
$ jitwarm prime --yes -q
$ printf x | dd of=cache/index bs=1 seek=8 conv=notrunc
$ jitwarm status
[warn] But Something in the cache is damaged (its index has a wrong sum*
Used * KiB of *
To do jitwarm prime
$ printf junk >cache/index
$ jitwarm status
[good] All 2 modules *
[warn] But Something in the cache is damaged (its index: the next program that compiles deletes all entries)
$ rm cache/index
$ jitwarm status
[warn] But Something in the cache is damaged (its index: the next program *
$ jitwarm doctor lib
? 1
Why its index: the next program that compiles deletes all entries

case hidden-gpu: simulated_driver two_libraries rtx_3070
skip windows
$ gpu_on_the_bus 0x2330 "" 02 && export SIMCUDA_GPUS='sm_90:NVIDIA H100:8G'
$ jitwarm prime --yes lib
Note *RTX 3070* is hidden from this environment and not looked at
$ jitwarm status
[good] All 4 modules of these files are in this cache for sm_90, driver *.

case damaged-roots: simulated_driver two_libraries
$ jitwarm prime --yes lib && find "$HOME" "$PWD" "$XDG_STATE_HOME" $MACHINE -name "roots.*" -type f 2>/dev/null | sort -u | while read -r f; do echo x >>"$f"; done
$ jitwarm status
? 1
[warn] No module was looked up *
Why The list of what was primed cannot be read (*roots.*: it is damaged*
$ jitwarm forget lib
? 6
[bad] jitwarm*roots.*: it is damaged

case damaged-roots-and-a-start: simulated_driver two_libraries
skip windows
$ jitwarm prime --yes lib
$ find "$XDG_STATE_HOME" -name "roots.*" -type f | while read -r f; do echo x >>"$f"; done
$ jitwarm run "$JITWARM" version
jitwarm: *roots.*: it is damaged: jitwarm prime --run *
$ jitwarm prime --yes
? 1
Note what was named and recorded before is lost: *
$ jitwarm status
? 1
Nothing is remembered for this cache.
To do jitwarm prime PATH, or *

case a-damaged-file: simulated_driver
$ echo x >broken.whl; jitwarm status broken.whl
? 1
[warn] No module was looked up: *

case files-of-another-kind: simulated_driver two_libraries
skip windows
$ SIMCUDA_KNOWLEDGE=0 jitwarm prime --yes -q lib
$ SIMCUDA_KNOWLEDGE=0 jitwarm status --json
? 1
.damaged = 0
.unindexed = 0
.remembered.0.warm = null

# Nothing is written there, and no link of another user is followed.
case state-of-everybody: primed
$ mkdir -p open/below victim && chmod 777 open && ln -s "$PWD/victim" open/drivers && ls -lR open victim >before
$ export JITWARM_STATE=$PWD/open; jitwarm status lib
Note The state folder cannot be used *
$ jitwarm doctor lib
[good] All 2 modules of these files are in this cache for sm_86, driver *. A fresh process loaded them and *.
$ jitwarm export -q -o packs.tar.zst lib
$ [ -n "$MACHINE" ] || JITWARM_STATE=$PWD/open/below jitwarm doctor lib  # on Windows the way to the folder is not asked
$ jitwarm doctor lib
Note The state folder cannot be used *
$ jitwarm prime lib
[good] All 2 modules of these files are in this cache *
Note nothing new is remembered
$ jitwarm status
? 1
[warn] No module was looked up *
Why The state folder cannot be used (*open*may be changed by everybody*
$ rm -r cache; jitwarm prime --yes lib
? 4
[bad] The state folder cannot be used.
To do *
$ test ! -e cache && ls -lR open victim >after && cmp before after

# A list that is whole, but not believed, stays: who mends its rights has it back.
case list-of-everybody: primed
skip windows
$ chmod 666 "$XDG_STATE_HOME"/jitwarm/caches/*/roots.*; jitwarm prime --yes
? 1
[warn] No module was looked up *
Why The list of what was primed cannot be read (*roots.*: *everybody*
To do chmod -R u+rwX,go-w *jitwarm/caches/*
$ jitwarm prime --yes lib
Note The list of what was primed cannot be read (*roots.*: the file may be changed by everybody*
chmod -R u+rwX,go-w *
$ jitwarm export -q -o p.tar.zst lib
$ rm -r cache
$ jitwarm import --allow-unsigned p.tar.zst lib
Note The list of what was primed cannot be read *
$ chmod 600 "$XDG_STATE_HOME"/jitwarm/caches/*/roots.*; jitwarm status
[good] All 2 modules of these files are in this cache for sm_86, driver *.

case other-driver: primed
$ rm -r cache && JITWARM_STATE=$PWD/other SIMCUDA_STAMP='Feb 18 202601:02:03' jitwarm prime --yes -q lib; jitwarm status
? 1
*(entries of driver 20260218-*

case too-long:
$ jitwarm status --cache /$(printf %01023d 0)
? 2
[bad] jitwarm: --cache: the driver ignores a path of more than 1,023 bytes; this one has 1024 *

case many: primed
skip windows
$ mkdir many; touch $(seq -f many/%g 4097); jitwarm status many/*
? 2
[bad] jitwarm*: 4,097 paths are named, and at most 4,096 can be: name a folder that has them *
