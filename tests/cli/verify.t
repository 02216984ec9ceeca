=== an-entry-without-code
skip on windows: entries are made by a script
$ primed_libraries
$ no_code cache/[0-4]/*/*
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" lib
* Found 1 of 2 modules in the cache for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Missing   1 module: damaged in the cache; in {SCRATCH}/lib/registered.so
  Cache     {SCRATCH}/cache
  Note      1 entry in the cache is damaged: 3/6/58c91473d38423 (unknown payload at 0x1223, expected an ELF or PTX text)
  not verified: in this environment 1 of 2 modules was not found
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm prime --cache {SCRATCH}/cache lib
exit 1

=== an-index-that-is-missing-and-quiet
$ primed_libraries
$ rm cache/index
$ "$JITWARM" verify -q --as-root --cache "$PWD/cache" lib
!  jitwarm: verified: a fresh process loaded both modules and compiled nothing, but the cache's index is missing or damaged: programs still find what is there, but the next one that compiles something deletes all else
exit 1

=== another-cache-at-login
skip on windows: a login's files are Linux's
$ cold_libraries
$ made_machine
$ prime_quietly lib
$ export SHELL=/bin/sh CUDA_CACHE_PATH="$PWD/cache"
$ unwrapped "$JITWARM" verify lib | grep -e ^Missing -e verified -e "^To do"
$ "$JITWARM" verify -q --cache "$PWD/cache" lib
  verified: a fresh process loaded both modules and compiled nothing, but programs of a fresh login use another cache: CUDA_CACHE_PATH is not set there
  To do     unset CUDA_CACHE_PATH

=== beside-a-prime
skip on windows: a program in the background
$ export JITWARM_DRIVER="$SIM/libcuda.so.1"
$ prime() { SIMCUDA_COST="$1" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q "$2"; }
$ cp "$GEN/elf/tegra.so" first.so && cp "$GEN/elf/only-ptx.so" slow.so
$ prime 0 first.so; prime 0+60000 slow.so 2>/dev/null &
$ for i in $(seq 200); do "$JITWARM" status --cache "$PWD/cache" | grep -q Running && break; sleep .05; done
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" first.so slow.so | grep -e Note -e "To do"
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" first.so slow.so | grep -e Note -e "To do"
$ CUDA_CACHE_PATH="$PWD/cache" unwrapped "$JITWARM" | grep -A 1 Warm
$ stop_prime "$PWD/cache"
* Note      a prime is running on this cache (process *): modules that it has not compiled yet are missing; jitwarm status shows its progress
  To do     jitwarm status --cache {SCRATCH}/cache
* Note      a prime is running on this cache (process *): modules that it has not compiled yet are missing; jitwarm status shows its progress
  To do     jitwarm status --cache {SCRATCH}/cache
  Warm      unknown: changed since the last run: CUDA_CACHE_PATH (before, 1 of 1 module was warm)
* Running   prime (process *), for *: 0 of 1 module, *B of*

=== command-compiles-nothing
skip on windows: there is no sh to be started there
$ CUDA_CACHE_PATH="$PWD/cache" unwrapped "$JITWARM" verify --run sh -c "exit 3"
  sh -c 'exit 3': not known whether the driver compiled for it: no driver was found that it would load; exit code 3
  Cache     {SCRATCH}/cache
exit 1

=== entry-gone
$ primed_libraries
$ rm -r cache/[0-4]
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" lib
$ "$JITWARM" verify -q --cache "$PWD/cache" lib
* Found 1 of 2 modules in the cache for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Missing   1 module: not in the cache; in {SCRATCH}/lib/registered.so
  Cache     {SCRATCH}/cache
  not verified: in this environment 1 of 2 modules was not found
  To do     jitwarm prime --cache {SCRATCH}/cache lib
!  jitwarm: not verified: in this environment 1 of 2 modules was not found
exit 1

=== entries-of-every-kind
skip on windows: entries are made by a script
$ simulated_driver
$ two_libraries && cp "$GEN/ptx/compute80.ptx" lib
$ prime_quietly lib
$ set -- cache/[0-9a-f]/*/*; no_code "$1"; rm "$2"
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" lib
* Found 1 of 3 modules in the cache for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Missing   1 module: damaged in the cache; in {SCRATCH}/lib/registered.so
            1 module: not in the cache; in {SCRATCH}/lib/only-ptx.so
  Cache     {SCRATCH}/cache
  Note      1 entry in the cache is damaged: 3/6/58c91473d38423 (unknown payload at 0x1223, expected an ELF or PTX text)
  not verified: in this environment 2 of 3 modules were not found
  To do     jitwarm prime --cache {SCRATCH}/cache lib
exit 1

=== entries-without-room
skip on windows: entries are made by a script
$ simulated_driver
$ two_libraries && export CUDA_CACHE_MAXSIZE=14000
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" lib
  Nothing is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Missing   1 module: not in the cache; in {SCRATCH}/lib/only-ptx.so
            1 module: not in the cache, which has no room for it; in {SCRATCH}/lib/registered.so
  Cache     {SCRATCH}/cache
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  not verified: in this environment 2 of 2 modules were not found
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
            jitwarm prime --cache {SCRATCH}/cache lib
exit 1

=== entry-gone-json
$ primed_libraries
$ rm -r cache/[0-4]
$ only "schema end counts.warm counts.todo jobs.state verify.verified verify.misses todo" "$JITWARM" verify --cache "$PWD/cache" --json lib
  schema: "jitwarm.verify/1"
  end: "partly"
  counts.warm: 1
  counts.todo: 1
  jobs.state: ["todo", "warm"]
  verify.verified: false
  verify.misses: [{"job": 0, "pass": 0, "cause": "not in the cache"}]
  todo: ["jitwarm prime --cache {SCRATCH}/cache lib"]
exit 1

=== json
$ primed_libraries
$ only "schema end counts.warm jobs.state verify.verified verify.misses todo" "$JITWARM" verify --cache "$PWD/cache" --json lib
  schema: "jitwarm.verify/1"
  end: "done"
  counts.warm: 2
  jobs.state: ["warm", "warm"]
  verify.verified: true
  verify.misses: []
  todo: []

=== no-room
$ cold_libraries
$ export CUDA_CACHE_MAXSIZE=14000
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q --yes lib >/dev/null 2>&1
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" lib | grep -A 1 "^To do"
- To do     export CUDA_CACHE_MAXSIZE=1073741824
-           # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
+ To do     jitwarm env apply --max-size 1073741824
+           # for new consoles; jitwarm env undo takes it back

=== no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" verify --cache "$PWD/cache" "$GEN/elf/only-ptx.so"
- Nothing was verified: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
+ Nothing was verified: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing
  Cache     {SCRATCH}/cache
  To do     jitwarm doctor --cache {SCRATCH}/cache
exit 3

=== recorded
$ primed_libraries
$ unwrapped "$JITWARM" verify --cache "$PWD/cache"
* Loaded 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Cache     {SCRATCH}/cache
  verified: a fresh process loaded both modules and compiled nothing

=== whole
$ primed_libraries
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" lib
* Loaded 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Cache     {SCRATCH}/cache
  verified: a fresh process loaded both modules and compiled nothing
