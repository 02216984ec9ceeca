=== a-named-file-that-is-cut-off
$ simulated_driver
$ head -c 40 "$GEN/elf/only-sass.so" >x.so && "$JITWARM" prime --as-root x.so; echo "exit $?"
  exit 6
!  jitwarm: {SCRATCH}/x.so: the file is cut off after 40 bytes; if it is damaged, copy or install it again

=== a-start-file-that-appears
skip on windows: a login's files are Linux's
$ cold_libraries
$ made_machine
$ P="env SHELL=/bin/sh $JITWARM prime --as-root -j 1"
$ $P lib | sed -n "1s/ for.*//p"
$ $P lib | head -n 1
$ echo "export CUDA_CACHE_PATH=/elsewhere" >"$HOME/.profile"
$ unwrapped $P lib | head -n 1
  Warmed 2 modules
  Nothing to do: both modules are warm; nothing in what was named has changed
  Nothing was done: CUDA_CACHE_PATH is unset here, but /elsewhere in a fresh login, so programs started there use another cache

=== a-terminal-that-turns-the-cache-off
skip on windows: a terminal's files are Linux's
$ cold_libraries
$ made_machine
$ P="env SHELL=/bin/bash $JITWARM prime --as-root -j 1"
$ $P lib | sed -n "1s/ for.*//p"
$ echo "export CUDA_CACHE_DISABLE=1" >"$HOME/.bashrc"
$ unwrapped $P lib | head -n 1
  Warmed 2 modules
  Nothing was done: programs of a new terminal use no cache, and compile at every start: CUDA_CACHE_DISABLE=1 is set there, by {SCRATCH}/root/home/ada/.bashrc

=== again
$ primed_libraries
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
* Cache     {SCRATCH}/cache: 25 KiB used, the limit is the driver's default; * free on the disk
  verified before; the entries' bytes were not read again
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm verify --cache {SCRATCH}/cache lib
            # proves again that the next start compiles nothing

=== again-json
$ primed_libraries
$ only "schema end receipt counts.warm totals.warm files jobs verify.done todo" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --json lib
  schema: "jitwarm.prime/1"
  end: "nothing"
  receipt: true
  counts.warm: 2
  totals.warm: 2
  files: []
  jobs: []
  verify.done: false
  todo: ["jitwarm verify --cache {SCRATCH}/cache lib"]

=== asks-above-15-minutes
skip on windows: the simulated driver is not in System32
$ primed_libraries
$ rm -r cache "$XDG_STATE_HOME/jitwarm/caches"
$ rate() { remember rate="$1"; "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib </dev/null >out; echo $?; head -n 1 out | cut -c1-40; }
$ rate 450.1
$ rate 449.9
  7
  Nothing was compiled yet: compiling 2 mo
  0
  Warmed 2 modules for NVIDIA GeForce RTX 

=== cache-disabled
$ cold_libraries
$ CUDA_CACHE_DISABLE=1 unwrapped "$JITWARM" prime --as-root lib
  Nothing was done: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every start compiles again
  To do     unset CUDA_CACHE_DISABLE && jitwarm prime --as-root lib
exit 1

=== cold
$ cold_libraries
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 25 KiB added to 0 B, the limit is 1 GiB; * free on the disk
  verified: a fresh process loaded both modules and compiled nothing
  To do     jitwarm status --cache {SCRATCH}/cache
            # what the cache holds

=== crashed-before
$ cold_libraries
$ "$JITWARM" doctor -q >/dev/null
$ SIMCUDA_FAULTS="crash@*" "$JITWARM" prime -q --as-root --cache "$PWD/cache" -j 1 lib >/dev/null
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Not all: 0 of 2 modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Not warm  2 modules: skipped, because this driver could not compile them before: its process ended twice: signal 11 (SIGSEGV); the first is in {SCRATCH}/lib/only-ptx.so (kernel k0)
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 0 B used, the limit is 1 GiB; * free on the disk
  Note      what this driver could not compile is skipped until the driver, its compiler or the file changes; to try it once more: jitwarm prime --cache {SCRATCH}/cache {SCRATCH}/lib/only-ptx.so
  not verified: nothing was loaded
  To do     jitwarm doctor --cache {SCRATCH}/cache
            # says what helps where this driver cannot compile it
!  jitwarm: Not all: 0 of 2 modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
!  jitwarm: 2 modules: the driver crashed on them: its process ended twice: signal 11 (SIGSEGV); the first is in {SCRATCH}/lib/only-ptx.so
exit 1

=== command-loads-nothing
skip on windows: there is no true to be started there
$ simulated_driver
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" --run true | grep -v ^Cache
* Nothing was recorded of true: *

=== crash-of-the-only-module
$ simulated_driver
$ "$JITWARM" doctor -q >/dev/null
$ SIMCUDA_FAULTS="crash@*" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 "$GEN/elf/only-ptx.so" 2>/dev/null | head -1
  Not all: 0 of 1 module is warm for NVIDIA GeForce RTX 3070 Laptop GPU

=== crashes
$ cold_libraries
$ "$JITWARM" doctor -q >/dev/null
$ SIMCUDA_FAULTS="crash@*" unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Not all: 0 of 2 modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Not warm  2 modules: the driver crashed on them: its process ended twice: signal 11 (SIGSEGV); the first is in {SCRATCH}/lib/only-ptx.so (kernel k0)
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 0 B used, the limit is 1 GiB; * free on the disk
  not verified: nothing was loaded
  To do     jitwarm doctor --cache {SCRATCH}/cache
            # says what helps where this driver cannot compile it
exit 1

=== the-module-that-scan-misses
$ simulated_driver
$ mkdir lib && cp "$GEN/far/alone.so" lib
$ "$JITWARM" scan --json --gpu sm_86 lib | grep -c '"lazy_jit": 1'
$ "$JITWARM" prime --dry-run --all --cache "$PWD/cache" lib | grep -e compiled -e alone
$ "$JITWARM" prime --as-root --all --cache "$PWD/cache" -j 1 -q lib; echo "exit $?"; "$JITWARM" verify --as-root --all --cache "$PWD/cache" lib | head -n 1
  0
  1 module would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated)
        1  308 B     0.3 s  3.6 KiB     0  {SCRATCH}/lib/alone.so
  exit 0
  Loaded 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in

=== dry-run
$ cold_libraries
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 lib
$ ls -A
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, less than a second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed; 0 B of 1 GiB used; * free on the disk
  To do     jitwarm prime --cache {SCRATCH}/cache lib
  lib

=== entry-gone
$ primed_libraries
$ rm -r cache/[0-4]
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
* Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *; 1 more was warm already
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 13 KiB added to 25 KiB, the limit is 1 GiB; * free on the disk
  verified: a fresh process loaded both modules and compiled nothing
  To do     jitwarm status --cache {SCRATCH}/cache
            # what the cache holds

=== file-changed
$ primed_libraries
$ cp "$GEN/ptx/compute80.ptx" lib
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
* Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *; 2 more were warm already
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 1.2 KiB added to 25 KiB, the limit is 1 GiB; * free on the disk
  verified: a fresh process loaded all 3 and compiled nothing
  To do     jitwarm status --cache {SCRATCH}/cache
            # what the cache holds

=== found-after-install
$ simulated_driver
$ made_machine
$ made_environment "$HOME/one"
$ $P | head -1 | cut -d, -f1
$ made_environment "$HOME/two" registered.so
$ "$JITWARM" prime --dry-run --check --cache "$PWD/cache" >/dev/null; echo "plan --check: $?"
$ $P | head -1 | cut -d, -f1
$ $P | sed -n "1p;/^Searched/p"
$ rm -r "$HOME/two"
$ $P | head -1
  Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  plan --check: 1
  Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Nothing to do: both modules are warm; nothing known has changed since the last
  Searched  2 places (jitwarm scan -v lists them)
  Nothing to do: the one module is warm; nothing known has changed since the last

=== starts-by-itself-already
skip on windows: systemd's units are Linux'
$ simulated_driver
$ made_machine
$ made_environment "$HOME/one"
$ touch root/.dockerenv
$ export CUDA_CACHE_PATH="$PWD/cache"
$ mkdir -p machine/run/systemd/system
$ JITWARM_SYSROOT="$PWD/machine" "$JITWARM" startup install --as-root >/dev/null
$ "$JITWARM" prime --as-root -j 1 | grep "^To do"
  To do     jitwarm status

=== found-by-postinst
skip on windows: there are no packages that would call it
$ simulated_driver
$ made_machine
$ touch root/.dockerenv
$ export CUDA_CACHE_PATH="$PWD/cache"
$ made_environment "$HOME/one"
$ $P -q >/dev/null
$ made_environment "$HOME/two" registered.so
$ "$JITWARM" prime --dry-run --check >/dev/null; echo "installed: $?"
$ SUDO_USER= "$JITWARM" prime --as-root --post-install; echo "postinst: $?"
$ for i in $(seq 300); do "$JITWARM" prime --dry-run --check >/dev/null && break; sleep 0.1; done
$ "$JITWARM" prime --dry-run --check >/dev/null; echo "then: $?"
  installed: 1
  postinst: 0
  then: 0
!  jitwarm: a prime was started in the background; jitwarm status shows how far it is, and how it ended

=== an-entry-without-code
skip on windows: entries are made by a script
$ primed_libraries
$ no_code cache/[0-4]/*/*
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" lib/registered.so
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib/registered.so | sed -n "1s/ for.*//p"
  Nothing is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Missing   1 module: damaged in the cache; in {SCRATCH}/lib/registered.so
  Cache     {SCRATCH}/cache
  Note      1 entry in the cache is damaged: 3/6/58c91473d38423 (unknown payload at 0x1223, expected an ELF or PTX text)
  not verified: in this environment 1 of 1 module was not found
  To do     jitwarm prime --cache {SCRATCH}/cache lib/registered.so
  Warmed 1 module

=== another-cache-at-login
skip on windows: a login's files are Linux's
$ cold_libraries
$ made_machine
$ P="env SHELL=/bin/sh $JITWARM prime --as-root -j 1"
$ echo "unset CUDA_CACHE_PATH CUDA_CACHE_DISABLE" >"$HOME/.profile"
$ $P lib | sed -n "1s/ for.*//p"
$ $P lib | head -n 1
$ echo "export CUDA_CACHE_PATH=/elsewhere" >>"$HOME/.profile"
$ "$JITWARM" | grep ^Warm
$ unwrapped $P lib >out; echo "$?"; grep -e ^Nothing -e "^To do" out | sed "s/cache .*Cache/cache .../"
  Warmed 2 modules
  Nothing to do: both modules are warm; nothing in what was named has changed
  Warm      2 of 2 modules of what was primed; programs of a fresh login use
  1
  Nothing was done: CUDA_CACHE_PATH is unset here, but /elsewhere in a fresh login, so programs started there use another cache
  To do     jitwarm prime --cache ... --as-root -j 1 lib

=== driver-of-this-shell-alone
skip on windows: there is no LD_LIBRARY_PATH
skip with a GPU: a fresh login has its driver
$ two_libraries
$ made_machine
$ P="env -u JITWARM_DRIVER SHELL=/bin/sh $JITWARM prime --as-root -j 1"
$ unwrapped "$WITH_SIMCUDA" -- $P lib >out; echo "$?"; sed -n -e "1s/ for.*//p" -e "s/is .* here/is X here/;s/worker.*/.../" -e "/^Note/,/^verified/p" out
  0
  Warmed 2 modules
  Note      LD_LIBRARY_PATH is X here, but unset in a fresh login
            a fresh login cannot use the driver, so only this environment was verified: no ...
  verified: a fresh process loaded both modules and compiled nothing

=== nothing-found
skip on windows: a machine is made of a folder tree
$ simulated_driver
$ made_machine
$ $P >out
$ grep -e "^Not" -e "To do" out
$ "$JITWARM" prime --dry-run --cache "$PWD/cache" >out
$ grep -e "^Not" -e "To do" out
$ $P root | head -n 1
  Not known what starts compile: no CUDA code was found, and nothing was primed
  To do     jitwarm scan -v
  Not known what starts compile: no CUDA code was found, and nothing was primed
  To do     jitwarm scan -v
  Not known what starts compile: no CUDA code was found in what was named

=== postinst-of-root-alone
skip on windows: there are no packages that would call it
$ made_machine
$ [ "$(id -u)" = 0 ] || { echo 0; echo "jitwarm: nothing was primed: no user is behind this root" >&2; exit 0; }
$ SUDO_USER= "$JITWARM" prime --post-install 2>out; echo "$?"; sed "s/ (.*//" out >&2
  0
!  jitwarm: nothing was primed: no user is behind this root

=== found-damaged-and-excluded
$ simulated_driver
$ made_machine
$ made_environment "$HOME/good"
$ made_environment "$HOME/bad"
$ truncate -s 300 "$HOME/bad/lib/python3.8/site-packages/tensorflow/lib.so"
$ $P >out 2>&1; echo "prime: $?"
$ tr -s "\n " " " <out | grep -o "lib.so: elf: section table\|exclude = PATH in jitwarm.conf"
$ $P >out 2>&1; echo "again: $?"
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"; echo "exclude = $HOME/bad" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ $P >out 2>&1; echo "excluded: $?"
$ head -1 out
  prime: 1
  lib.so: elf: section table
  exclude = PATH in jitwarm.conf
  again: 1
  excluded: 0
  Nothing to do: the one module is warm for NVIDIA GeForce RTX 3070 Laptop GPU

=== found-of-path
$ simulated_driver
$ made_machine
$ made_environment root/srv/tf
$ printf '#!/bin/sh\nexit 1\n' >root/srv/tf/bin/python3; chmod +x root/srv/tf/bin/python3; top=$PWD; mkdir here; cd here
$ $P | head -1 | cut -d, -f1
$ PATH="$top/root/srv/tf/bin:$PATH" $P | head -1 | cut -d, -f1
  Not known what starts compile: no CUDA code was found
  Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)

=== found-of-the-working-folder
$ simulated_driver
$ made_machine
$ made_environment project/.venv
$ made_environment project/deep/er/env registered.so
$ cd project/deep
$ $P | head -1 | cut -d, -f1
  Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)

=== found-where-anybody-may-write
skip on windows: no folder of the tests is open to everybody
$ simulated_driver
$ made_machine
$ made_environment shared/.venv
$ chmod 777 shared
$ cd shared
$ unwrapped $P | grep -e "^Not" -e "/shared/.venv was" | sed "s|[^ ]*/shared|shared|"
  Not known what starts compile: no CUDA code was found, and nothing was primed here yet
  Note      shared/.venv was not searched: anybody may write in the folder above it

=== found-of-jitwarm-conf
$ simulated_driver
$ made_machine
$ mkdir -p root/srv/app "$XDG_CONFIG_HOME/jitwarm"; cp "$GEN/elf/only-ptx.so" root/srv/app
$ echo "roots = $PWD/root/srv/app" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ $P | head -1 | cut -d, -f1
$ rm -r root/srv/app; unwrapped $P | grep -o "was not searched: .*("
$ rm "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ $P | head -1 | cut -d, -f1
  Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  was not searched: it is not a folder here (
  Not known what starts compile: what was primed is gone:

=== if-stale-first
$ cold_libraries
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --if-stale
  Nothing was done: nothing was primed here yet (run jitwarm prime once)
* Cache     {SCRATCH}/cache: 0 B used, the limit is the driver's default; * free on the disk

=== jit-disabled
$ cold_libraries
$ CUDA_DISABLE_PTX_JIT=1 unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Nothing was done: CUDA_DISABLE_PTX_JIT is set: the driver compiles nothing, and programs fail where neither they nor the cache have machine code for the GPU
  To do     unset CUDA_DISABLE_PTX_JIT && jitwarm prime --as-root --cache {SCRATCH}/cache -j 1 lib
exit 1

=== json
$ cold_libraries
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --json lib
  {
    "schema": "jitwarm.prime/1",
    "end": "done",
    "why": null,
    "next_start": "warm",
    "next_start_why": null,
    "receipt": false,
    "link_milliseconds": null,
    "driver": {
      "version": null,
      "build": "gnu:6a69747761726d2d73696d637564612d30303030",
      "stamp": "2026-01-07T22:51:46",
      "simulated": true,
      "level": 3,
      "cannot_compile": null
    },
    "gpus": [
      {
        "index": 0,
        "name": "NVIDIA GeForce RTX 3070 Laptop GPU (simulated)",
        "gpu": "sm_86",
        "uuid": "GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc",
        "pci": "0000:01:00.0",
        "memory_bytes": 8589934592,
        "mig": false,
        "chosen": true
      }
    ],
    "predicted": {
      "seconds": 0.610,
      "lazy": true,
      "workers": 1
    },
    "totals": {
      "jobs": 2,
      "warm": 2,
      "ptx_bytes": 9156,
      "warmed_bytes": 25790
    },
    "files": [
      {
        "path": "{SCRATCH}/lib/only-ptx.so",
        "package": null,
        "jobs": 1,
        "warm": 0,
        "ptx_bytes": 4578,
        "seconds": 0.305
      },
      {
        "path": "{SCRATCH}/lib/registered.so",
        "package": null,
        "jobs": 1,
        "warm": 0,
        "ptx_bytes": 4578,
        "seconds": 0.305
      }
    ],
    "jobs": [
      {
        "id": "6357143da4cbabeb907dbb6bdbeb8fee950819b236ade21ed9c3d8bf7c6e57f3",
        "gpu": "sm_86",
        "target": "compute_52",
        "options": "",
        "ptx_bytes": 4578,
        "used": false,
        "state": "warmed",
*       "milliseconds": *,
        "code": null,
        "code_name": null,
        "why": null,
        "log": null,
        "kernel": "k0",
        "entry": {
          "name": "5/1/4bcab44ff498be",
          "predicted": true,
          "key_bytes": 4615,
          "bytes": 12895
        },
        "predicted": {
          "seconds": 0.305,
          "memory_bytes": 314755920
        },
        "places": [
          {
            "path": "{SCRATCH}/lib/only-ptx.so",
            "disk": "{SCRATCH}/lib/only-ptx.so",
            "at": 272,
            "size": 4680,
            "package": null,
            "digest": "2838a449267ed4e461f8ec85d18b8c484189480a30f203a134156f51efc0ca46"
          }
        ]
      },
      {
        "id": "82b7642ec32081decf195f3e172875160c44f0f19372ea3f38e710aba45e6e1a",
        "gpu": "sm_86",
        "target": "compute_80",
        "options": "",
        "ptx_bytes": 4578,
        "used": false,
        "state": "warmed",
*       "milliseconds": *,
        "code": null,
        "code_name": null,
        "why": null,
        "log": null,
        "kernel": "k0",
        "entry": {
          "name": "3/6/58c91473d38423",
          "predicted": true,
          "key_bytes": 4615,
          "bytes": 12895
        },
        "predicted": {
          "seconds": 0.305,
          "memory_bytes": 314755920
        },
        "places": [
          {
            "path": "{SCRATCH}/lib/registered.so",
            "disk": "{SCRATCH}/lib/registered.so",
            "at": 21544,
            "size": 4680,
            "package": null,
            "digest": "628854278b5e6bc35a01b2664f36868b7c051cb6482d7810326613b5fefadba5"
          }
        ]
      }
    ],
    "unread": [],
    "sources": [],
    "targets": {
      "from": "given",
      "searched": false,
      "paths": [
        "{SCRATCH}/lib"
      ],
      "files": 2,
      "bytes": 32008
    },
    "counts": {
      "todo": 0,
      "warm": 0,
      "warmed": 2,
      "failed": 0,
      "timeout": 0,
      "crashed": 0,
      "skipped": 0,
      "no-compiler": 0,
      "hidden": 0,
      "no-room": 0,
      "changed": 0,
      "unstored": 0
    },
    "left_out": {
      "native": {
        "modules": 2,
        "ptx_bytes": 816
      }
    },
    "compiled_on_use": 0,
    "needs_driver": null,
    "cache": {
      "folder": "{SCRATCH}/cache",
      "limit_bytes": 1073741824,
      "limit_known": true,
      "used_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 24456
    },
    "run": null,
    "own_caches": [],
    "notes": [],
    "verify": {
      "done": true,
      "verified": true,
      "why": null,
      "passes": [
        {
          "where": "this environment",
          "loaded": 2,
          "inputs": 0,
          "hits": 2,
          "misses": 0,
          "failed": 0,
          "new_entries": 0,
*         "compiled": *
*         "milliseconds": *
        }
      ],
      "misses": [],
      "links": []
    },
    "todo": [
      "jitwarm status --cache {SCRATCH}/cache"
    ]
  }

=== little-room
$ cold_libraries
$ CUDA_CACHE_MAXSIZE=14000 unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Nothing was compiled yet: 24 KiB are needed, more than the cache may grow by: 1 of 2 modules will not be warm

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  Not warm  1 module: there is no room for it in the cache: the cache may grow to 14 KiB, and only 1.7 KiB are left; in {SCRATCH}/lib/registered.so
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed, but only 14 KiB left under the limit of 14 KiB; * free on the disk
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
            jitwarm prime --yes --as-root --cache {SCRATCH}/cache -j 1 lib
            # does not ask
exit 7

=== a-limit-below-what-is-warm
skip on windows: export is another shell's
$ cold_libraries
$ P="$JITWARM prime --as-root --cache $PWD/cache -j 1 lib"
$ $P -q
$ export CUDA_CACHE_MAXSIZE=14000
$ unwrapped $P
$ unwrapped $P | tail -n 5
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 lib | tail -n 4
  Both modules are warm, but the cache holds more than its limit: what is stored next evicts some
* Cache     {SCRATCH}/cache: 25 KiB used, the limit is 14 KiB; * free on the disk
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  verified before; the entries' bytes were not read again
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  verified before; the entries' bytes were not read again
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last

=== little-room-json
$ cold_libraries
$ CUDA_CACHE_MAXSIZE=14000 only "end why cache.limit_bytes cache.need_bytes counts.todo counts.no-room jobs.state jobs.why verify.done todo notes" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --json lib
  end: "consent"
  why: "24 KiB are needed, more than the cache may grow by: 1 of 2 modules will not be warm"
  cache.limit_bytes: 14000
  cache.need_bytes: 24456
  counts.todo: 1
  counts.no-room: 1
  jobs.state: ["todo", "no-room"]
  jobs.why: [null, "the cache may grow to 14 KiB, and only 1.7 KiB are left"]
  verify.done: false
  todo: ["export CUDA_CACHE_MAXSIZE=1073741824", "jitwarm prime --yes --as-root --cache {SCRATCH}/cache -j 1 --json lib"]
  notes: ["CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process"]
exit 7

=== little-room-yes
$ cold_libraries
$ CUDA_CACHE_MAXSIZE=14000 unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --yes lib
  Not all: 1 of 2 modules is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Not warm  1 module: there is no room for it in the cache: the cache may grow to 14 KiB, and only 1.7 KiB are left; in {SCRATCH}/lib/registered.so
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 13 KiB added to 0 B, the limit is 14 KiB; * free on the disk
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  verified: a fresh process loaded the one module and compiled nothing
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
exit 1

=== missing-path
$ "$JITWARM" prime --as-root nothing-there
!  jitwarm prime: nothing-there: no such file or folder (jitwarm help prime)
exit 2

=== new-software
$ export JITWARM_DRIVER="$SIM/libcuda.so.1"; P="$JITWARM prime --as-root --cache $PWD/cache -j 1"; export HOME="$PWD/home"; mkdir -p lib home; cp "$GEN/elf/registered.so" lib; $P -q lib >/dev/null || exit 9; S="$HOME/tf/lib/python3.8/site-packages/tensorflow"; mkdir -p "$S"; : >"$HOME/tf/pyvenv.cfg"; cp "$GEN/elf/only-ptx.so" "$S"; "$JITWARM" prime --dry-run --check --cache "$PWD/cache" >/dev/null 2>&1; echo "plan --check: $?"; $P -q >/dev/null; echo "prime: $?"; "$JITWARM" prime --dry-run --check --cache "$PWD/cache" >/dev/null 2>&1; echo "plan --check: $?"; $P | head -1; rm -r "$HOME/tf"; $P -q >/dev/null; $P | head -1
  plan --check: 1
  prime: 0
  plan --check: 0
  Nothing to do: both modules are warm; nothing known has changed since the last
  Nothing to do: the one module is warm; nothing known has changed since the last

=== no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 "$GEN/elf/only-ptx.so"
- Nothing was compiled: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
+ Nothing was compiled: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing
* Cache     {SCRATCH}/cache: 0 B used, the limit is the driver's default; * free on the disk
  To do     jitwarm doctor --cache {SCRATCH}/cache
exit 3

=== no-driver-json
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 only "schema end why driver.level gpus cache.limit_known jobs verify.done verify.verified todo" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --json "$GEN/elf/only-ptx.so"
  schema: "jitwarm.prime/1"
  end: "no-gpu"
- why: "no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory"
+ why: "no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing"
  driver.level: null
  gpus: []
  cache.limit_known: false
  jobs: []
  verify.done: false
  verify.verified: false
  todo: ["jitwarm doctor --cache {SCRATCH}/cache"]
exit 3

=== pack
$ cold_libraries
$ store_of_its_own
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --pack app.tar.zst lib >out
$ code=$?
$ sed -n "/^Packed/,\$p" out
$ tar --zstd -tf app.tar.zst
$ exit $code
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/app.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Signed    no: who can change the pack decides what the other machine runs
            (--sign KEY)
* Contents  *
  Use it    jitwarm import app.tar.zst --allow-unsigned
  cache/3/6/58c91473d38423
  cache/5/1/4bcab44ff498be
  jitwarm/manifest.json

=== pack-json
$ cold_libraries
$ store_of_its_own
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --pack app.tar.zst --json lib 2>story | grep schema
$ grep -v "^Contents" story
$ ls -A app.tar.zst
    "schema": "jitwarm.prime/1",
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/app.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Signed    no: who can change the pack decides what the other machine runs
            (--sign KEY)
  Use it    jitwarm import app.tar.zst --allow-unsigned
  app.tar.zst

=== pack-of-what-is-warm
$ cold_libraries
$ store_of_its_own
$ "$JITWARM" doctor -q >/dev/null
$ SIMCUDA_FAULTS="badptx@2" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --pack app.tar.zst lib >out
$ echo "$?: $(grep ^Packed out)"
$ SIMCUDA_INIT=100 "$JITWARM" prime --as-root --cache "$PWD/new" -j 1 --pack other.tar.zst lib >out
$ echo "$?: $(grep ^Packed out)"
$ ls *.zst
$ "$JITWARM" prime --cache "$PWD/cache" --pack - lib
  1: Packed 1 entry (13 KiB) into 4 KiB
  3: 
  app.tar.zst
!  jitwarm prime: --pack: standard output is prime's report; jitwarm export -o - pipes a pack (jitwarm help prime)
exit 2

=== pack-missing-folder
$ cold_libraries
$ store_of_its_own
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --pack nowhere/app.tar.zst lib
$ ls -A
  lib
!  jitwarm prime: nowhere: no such folder (jitwarm help prime)

=== pack-two-architectures
$ cold_libraries
$ store_of_its_own
$ export SIMCUDA_GPUS='sm_86:NVIDIA GeForce RTX 3070:8G;sm_89:NVIDIA L4:24G'
$ "$JITWARM" prime --as-root --yes --cache "$PWD/cache" -j 1 --pack app.tar.zst lib
$ echo $?
$ ls -A
$ "$JITWARM" prime --as-root --yes --cache "$PWD/cache" -j 1 --gpu sm_89 --pack app.tar.zst lib >out
$ ls -A
$ "$JITWARM" prime --as-root --yes --cache "$PWD/cache" -j 1 --pack packs lib >out
$ ls -A packs
  2
  lib
  app.tar.zst
  cache
  lib
  out
  jitwarm-driver-sm_86.tar.zst
  jitwarm-driver-sm_89.tar.zst
!  jitwarm prime: --pack: a pack is for one architecture, and these GPUs are sm_86 and sm_89; name a folder with --pack, or one GPU with --gpu (jitwarm help prime)

=== packs
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ prime_from_packs
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
!  jitwarm: 2 entries imported from 1 of 1 pack

=== packs-for-no-file
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ "$JITWARM" prime --as-root --cache "$PWD/cache" lib nothing-there
$ ls cache 2>/dev/null || echo "nothing was imported"
  nothing was imported
!  jitwarm prime: nothing-there: no such file or folder (jitwarm help prime)

=== packs-a-file
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ rmdir "$packs"
$ echo x >"$packs"
$ prime_from_packs
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
!  jitwarm: packs: {SCRATCH}/root/var/lib/jitwarm/packs: is not a folder

=== packs-again
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ prime_from_packs
$ prime_from_packs
$ printf x | dd of="$XDG_STATE_HOME/jitwarm/packs-seen" bs=1 seek=20 conv=notrunc 2>/dev/null
$ prime_from_packs
$ rm -r cache
$ prime_from_packs
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
!  jitwarm: 2 entries imported from 1 of 1 pack
!  jitwarm: 2 entries imported from 1 of 1 pack

=== packs-damaged
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ printf xyzw | dd of="$packs/app.tar.zst" bs=1 seek=100 conv=notrunc 2>/dev/null
$ prime_from_packs
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
!  jitwarm: 0 entries imported from 0 of 1 pack, 1 refused ({SCRATCH}/root/var/lib/jitwarm/packs/app.tar.zst: wrong digest: the pack is damaged or was changed)

=== packs-missing
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ rmdir "$packs"
$ prime_from_packs
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run

=== packs-untrusted
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ pack_in_folder
$ prime_from_packs
$ rm -r cache
$ trusted_key
$ prime_from_packs
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Nothing to do: both modules are warm; nothing in what was named has changed since the last run
!* jitwarm: 0 entries imported from 0 of 1 pack, 1 refused ({SCRATCH}/root/var/lib/jitwarm/packs/app.tar.zst is signed with key *, which you do not trust; get the public key from the person who gave you the pack, and add it to your keys (jitwarm help key))
!  jitwarm: 2 entries imported from 1 of 1 pack

=== packs-file-writable
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ chmod 0666 "$packs/app.tar.zst"
$ prime_from_packs
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
!  jitwarm: 0 entries imported from 0 of 1 pack, 1 refused ({SCRATCH}/root/var/lib/jitwarm/packs/app.tar.zst: may be changed by everybody)

=== packs-writable
skip on windows: the machine's folder is below %ProgramData% there
$ simulated_driver
$ folder_of_packs
$ trusted_key
$ pack_in_folder
$ chmod 0777 "$packs"
$ prime_from_packs
* Warmed 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
!  jitwarm: packs: {SCRATCH}/root/var/lib/jitwarm/packs: nothing was imported from this folder: may be changed by everybody

=== recorded
$ primed_libraries
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1
  Nothing to do: both modules are warm; nothing known has changed since the last run, and no new software was found
* Cache     {SCRATCH}/cache: 25 KiB used, the limit is *; * free on the disk
  verified before; the entries' bytes were not read again
  To do     jitwarm verify --cache {SCRATCH}/cache
            # proves again that the next start compiles nothing

=== quiet
$ cold_libraries
$ P="$JITWARM prime -q --as-root --cache $PWD/cache -j 1 lib"
$ $P; echo "all is warm: $?"
$ rm -rf cache; SIMCUDA_FAULTS="badptx@*" $P; echo "refused: $?"
  all is warm: 0
  refused: 1
!  jitwarm: Not all: 0 of 2 modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
!  jitwarm: 2 modules: the driver refused them: CUDA_ERROR_INVALID_PTX (218); the first is in {SCRATCH}/lib/only-ptx.so

=== refused
$ cold_libraries
$ "$JITWARM" doctor -q >/dev/null
$ SIMCUDA_FAULTS="badptx@*" unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib
  Not all: 0 of 2 modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)
  Not warm  2 modules: the driver refused them: CUDA_ERROR_INVALID_PTX (218); the first is in {SCRATCH}/lib/only-ptx.so (kernel k0): simulated ptxas: a PTX JIT compilation failed
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 0 B used, the limit is 1 GiB; * free on the disk
  not verified: nothing was loaded
  To do     jitwarm doctor --cache {SCRATCH}/cache
            # says what helps where this driver cannot compile it
exit 1

=== run-with-paths
$ "$JITWARM" prime lib --run true
!  jitwarm prime: --run cannot be combined with paths (jitwarm help prime)
exit 2

=== unreadable-below
$ simulated_driver
$ P="$JITWARM prime --as-root --cache $PWD/cache -j 1"
$ mkdir lib
$ cp "$GEN/elf/registered.so" lib
$ head -c 300 "$GEN/elf/only-ptx.so" >lib/cut.so
$ COLUMNS=1000 $P lib >out 2>&1
$ code=$?
$ grep -o "cut.so: .*" out
$ exit $code
* cut.so: elf: section table at * runs past the end
exit 1

=== named-otherwise
$ simulated_driver
$ export SIMCUDA_GPUS='sm_90:H100:80G' SIMCUDA_KEY_ARCH=suffixed
$ printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n' >k.ptx
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 k.ptx
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" k.ptx
* Warmed 1 module for H100 (simulated) (sm_90), in *
* Cache     {SCRATCH}/cache: 516 B added to 0 B, the limit is 1 GiB; * free on the disk
  Note      the driver gave 1 entry another name than predicted; they were identified by their content
  verified: a fresh process loaded the one module and compiled nothing
  To do     jitwarm status --cache {SCRATCH}/cache
            # what the cache holds
* Loaded 1 module for H100 (simulated) (sm_90), in *
  Cache     {SCRATCH}/cache
  verified: a fresh process loaded the one module and compiled nothing

=== absent-gpus
$ cold_libraries
$ store_of_its_own
$ printf '.version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n' >lib/k.ptx
$ "$JITWARM" prime --dry-run --gpu sm_86 --gpu sm_89 --gpu sm_90 lib | grep -e compiled -e lib/ -e 'To do'
$ unwrapped "$JITWARM" prime --as-root -j 1 --gpu sm_89 --gpu sm_90 --pack packs lib | grep -v -e Cache -e disk -e Contents
$ ls packs
$ unwrapped "$JITWARM" verify --as-root --gpu sm_89 lib | head -n 1
  3 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated)
        1  4.5 KiB     0.3 s   12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s   12 KiB     0  {SCRATCH}/lib/registered.so
        1     74 B     0.3 s  3.1 KiB     0  {SCRATCH}/lib/k.ptx
  To do     jitwarm prime --gpu sm_86 lib
  8 modules would be compiled for sm_89 and sm_90, which are not here, by NVIDIA
        4   18 KiB     1.2 s   48 KiB     0  {SCRATCH}/lib/registered.so
        2  8.9 KiB     0.6 s   24 KiB     0  {SCRATCH}/lib/only-ptx.so
        2    148 B     0.6 s  6.3 KiB     0  {SCRATCH}/lib/k.ptx
  To do     jitwarm prime --gpu sm_89 --gpu sm_90 --pack jitwarm-packs lib
* Warmed 8 modules for sm_89 and sm_90, which are not here, by NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Skipped   2 modules run natively
  verified: a fresh process loaded all 8 and compiled nothing
  Packed 3 entries (26 KiB) into 7 KiB
  Pack      {SCRATCH}/packs/jitwarm-driver-sm_89.tar.zst
  For       sm_89 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  k.ptx                         1   514 B
  Signed    no: who can change the pack decides what the other machine runs (--sign KEY)
  Use it    jitwarm import jitwarm-driver-sm_89.tar.zst --allow-unsigned
  Packed 5 entries (51 KiB) into 12 KiB
  Pack      {SCRATCH}/packs/jitwarm-driver-sm_90.tar.zst
  For       sm_90 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  registered.so                 3  38 KiB
  only-ptx.so                   1  13 KiB
  k.ptx                         1   514 B
  Signed    no: who can change the pack decides what the other machine runs (--sign KEY)
  Use it    jitwarm import jitwarm-driver-sm_90.tar.zst --allow-unsigned
  jitwarm-driver-sm_89.tar.zst
  jitwarm-driver-sm_90.tar.zst
* Loaded 3 modules for sm_89, which is not here, by NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *

=== absent-gpus-nowhere
$ cold_libraries
$ "$JITWARM" prime --as-root --gpu sm_89 lib | head -n 2
  Nothing was compiled: none of the GPUs that --gpu names is here (jitwarm doctor
  lists them; prime --pack DIR compiles for others, too)

=== absent-gpus-and-here
$ cold_libraries
$ "$JITWARM" prime --dry-run --gpu sm_86 --gpu sm_120 lib | grep compiled
$ "$JITWARM" export --gpu sm_86 --gpu sm_120 -o packs 2>&1 | head -n 1
$ mkdir packs && "$JITWARM" export --gpu sm_86 --gpu sm_120 -o packs | cut -c1-20 | grep written
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated)
  3 modules would be compiled for sm_120, which is not here, by NVIDIA GeForce RTX
  jitwarm export: several GPUs make several packs: make a folder for them (mkdir packs) and use -o packs, or choose one GPU (--gpu sm_86) (jitwarm help export)
  No pack was written:
  No pack was written:

=== absent-gpus-not-driven
skip on windows: with-simcuda is for Linux
$ two_libraries
$ "$WITH_SIMCUDA" --driver 550.163.01 -- "$JITWARM" prime --dry-run --gpu sm_120 lib | head -n 2
$ "$WITH_SIMCUDA" --driver 590.44.01 -- "$JITWARM" prime --dry-run --gpu sm_60 lib | head -n 2
$ "$WITH_SIMCUDA" -- "$JITWARM" prime --dry-run --gpu sm_87 lib | head -n 2
$ "$WITH_SIMCUDA" --gpu sm_87:Orin:16G -- "$JITWARM" prime --dry-run --gpu sm_89 lib | head -n 2
  There is no plan: driver 550.163.01 is too old for sm_120: that needs 570 or
  newer
  There is no plan: driver 590.44.01 no longer drives sm_60: that needs 580 or
  older
  There is no plan: sm_87 is in a Jetson, whose driver is another build: make its
  packs there
  There is no plan: sm_89 is not in a Jetson, and its driver is another build:
  make its packs there

=== absent-gpus-not-proven
$ cold_libraries
$ export SIMCUDA_TARGET_STORES=0
$ "$JITWARM" prime --dry-run --gpu sm_89 lib | head -n 2
  There is no plan: this driver is not proven to compile for GPUs that are not
  here: it caches nothing of what it compiles for them

=== wrong-jitwarm-conf
skip on windows: the folder of jitwarm.conf is another one there
$ cold_libraries
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm" && echo "root = /x" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ unwrapped "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 lib 2>&1 | grep root | sed "s|$HOME|HOME|"
$ only "end notes" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --json lib 2>&1 | sed "s|$HOME|HOME|"
  Note      HOME/config/jitwarm/jitwarm.conf:1: unknown key "root"; did you mean "roots"?
  jitwarm: HOME/config/jitwarm/jitwarm.conf:1: unknown key "root"; did you mean "roots"?
  end: "nothing"
  notes: ["HOME/config/jitwarm/jitwarm.conf:1: unknown key \"root\"; did you mean \"roots\"?"]

=== yes-and-the-limit
skip on windows: the limit is kept in the registry there
$ cold_libraries
$ home_of_its_own
$ P="env CUDA_CACHE_MAXSIZE=14000 SHELL=/bin/sh $JITWARM prime --as-root --cache $PWD/cache -j 1"
$ $P --yes lib >out; echo "$?"; head -n 1 out | cut -c1-40; grep -rl CUDA_CACHE_MAXSIZE h | wc -l
$ $P --yes=limit lib >out; echo "$?"; head -n 1 out | cut -c1-40; grep -rh "^[^#]*CUDA_CACHE_MAXSIZE" h | sort
$ $P --yes=much lib
  1
  Not all: 1 of 2 modules is warm for NVID
  0
  0
  Warmed 1 module for NVIDIA GeForce RTX 3
  CUDA_CACHE_MAXSIZE="1073741824"
  export CUDA_CACHE_MAXSIZE=1073741824
!  jitwarm prime: --yes takes yes or limit, not 'much' (jitwarm help prime)
exit 2

=== source
skip on windows: no NVRTC is put in its place there
$ nvrtc
$ simulated_driver
$ "$JITWARM" prime k.cu -o k.ptx
$ grep -o '^.target sm_[0-9]*' k.ptx
  Warmed 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in
* *
* Cache     */home/.nv/ComputeCache: 776 B added to 0 B,
*           the limit is 1 GiB; * free on the disk
  verified: a fresh process loaded the one module and compiled nothing
  To do     jitwarm status
            # what the cache holds
  .target sm_86
!  jitwarm: Compiled k.cu for compute_86 with NVRTC 13.0: k.ptx

=== source-no-gpu
$ touch k.cu; JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" prime k.cu -o k.ptx
!  jitwarm: no usable GPU here; name one with --gpu sm_86
exit 3

=== source-missing
$ "$JITWARM" prime --gpu sm_86 missing.cu -o k.ptx
!  jitwarm prime: missing.cu: no such file or folder (jitwarm help prime)
exit 2

=== source-two
$ touch k.cu; "$JITWARM" prime --gpu sm_86 k.cu lib.so -o k.ptx
!  jitwarm prime: --output goes with one .cu file: it gets that file's PTX (jitwarm help prime)
exit 2

=== driver-files-damaged
skip on windows: there is no emulated GPU
in: ptx
$ mkdir d && printf "\177ELF\2\1" >d/libcuda.so.550.1
$ JITWARM_PHANTOM=add.ptx "$JITWARM" prime --driver-files d --gpu sm_86 --pack packs add.ptx
$ ls
  add.ptx
  d
!  jitwarm: --driver-files: {SCRATCH}/d/libcuda.so.550.1 is not a whole library; unpack the driver again

=== driver-files-usage
skip on windows: paths are written in another way there
$ mkdir empty && touch x.ptx && "$JITWARM" prime --driver-files empty --gpu sm_86 --pack packs x.ptx
$ "$JITWARM" prime --driver-files nowhere --gpu sm_86 --pack packs x.ptx
$ "$JITWARM" prime --driver-files empty --pack packs x.ptx
$ "$JITWARM" prime --driver-files empty --gpu 0 --pack packs x.ptx
$ "$JITWARM" prime --driver-files empty --gpu sm_86 x.ptx
$ "$JITWARM" prime --driver-files empty --gpu sm_86 --pack packs
$ "$JITWARM" prime --driver-files empty --gpu sm_86 --pack packs y.ptx
$ "$JITWARM" prime --driver-files empty --gpu sm_86 --pack x.ptx x.ptx
$ "$JITWARM" prime --driver-files empty --gpu sm_86 --pack packs --all --run ./app
$ "$JITWARM" prime --driver-files empty --gpu sm_86 --gpu sm_89 --pack packs --json --run ./app
  {
    "schema": "jitwarm.error/1",
    "verb": "prime",
    "exit": 2,
    "why": "--run with --json: one GPU only, because each GPU has its own report",
    "todo": [
      "jitwarm help prime"
    ]
  }
!  jitwarm prime: --driver-files empty: found no libcuda.so.VERSION there. Unpack a driver: sh NVIDIA-Linux-x86_64-VERSION.run --extract-only, or the packages of your distribution (jitwarm help prime)
!  jitwarm prime: --driver-files nowhere: no such folder. It takes that of an unpacked driver: sh NVIDIA-Linux-x86_64-VERSION.run --extract-only (jitwarm help prime)
!  jitwarm prime: --driver-files: name the GPUs, as in --gpu sm_86 --gpu sm_89 (jitwarm help prime)
!  jitwarm prime: --gpu 0: with --driver-files name an architecture or a model, such as sm_86 (jitwarm help prime)
!  jitwarm prime: --driver-files needs --pack DIR: the folder for the packs, one for each GPU (jitwarm help prime)
!  jitwarm prime: --driver-files: name the files to compile, or use --run CMD (jitwarm help prime)
!  jitwarm prime: y.ptx: no such file or folder (jitwarm help prime)
!  jitwarm prime: --pack: the packs go into a folder, and x.ptx is a file (jitwarm help prime)
!  jitwarm prime: --run packs what a command loads: not with --exclude or --all (jitwarm help prime)
!  jitwarm prime: --run with --json: one GPU only, because each GPU has its own report (jitwarm help prime)
exit 2

=== dry-run-another-cache-at-login
skip on windows: a login's files are Linux's
$ cold_libraries
$ made_machine
$ export SHELL=/bin/sh CUDA_CACHE_PATH="$PWD/cache"
$ unwrapped "$JITWARM" prime --dry-run -j 1 lib | grep -e ^Note -e "^To do"
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -q lib && "$JITWARM" verify -q --cache "$PWD/cache" lib
$ echo $?
  Note      CUDA_CACHE_PATH is {SCRATCH}/cache here, but unset in a fresh login
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  0

=== dry-run-changes-nothing
$ cold_libraries
$ "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 lib >/dev/null
$ find . "$HOME" -type f | sed "s/gnu-.*/BUILD/;s|$HOME|HOME|" | sort
  ./lib/only-ptx.so
  ./lib/registered.so
  HOME/state/jitwarm/drivers/BUILD

=== dry-run-check
$ cold_libraries
$ "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 --check -q lib >/dev/null
$ echo $?
$ prime_quietly lib
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 --check lib
  1
  Nothing to do: both modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)

  MODULES      PTX  CPU TIME  CACHE  WARM  FILE
        1  4.5 KiB         -      -     1  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB         -      -     1  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 25 KiB used, the limit is 1 GiB; * free on the disk
  To do     jitwarm verify --cache {SCRATCH}/cache lib
            # proves that the next start compiles nothing

=== dry-run-json
$ cold_libraries
$ only "schema end driver.level gpus.gpu targets.paths cache.need_bytes predicted.seconds predicted.lazy counts.todo left_out.native.modules files.path jobs.state todo" "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 --json lib
  schema: "jitwarm.prime/1"
  end: "done"
  driver.level: 3
  gpus.gpu: ["sm_86"]
  targets.paths: ["{SCRATCH}/lib"]
  cache.need_bytes: 24456
  predicted.seconds: 0.61
  predicted.lazy: true
  counts.todo: 2
  left_out.native.modules: 2
  files.path: ["{SCRATCH}/lib/only-ptx.so", "{SCRATCH}/lib/registered.so"]
  jobs.state: ["todo", "todo"]
  todo: ["jitwarm prime --cache {SCRATCH}/cache lib"]

=== dry-run-little-room
$ cold_libraries
$ CUDA_CACHE_MAXSIZE=14000 unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 lib
  1 of 2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 4.5 KiB of PTX, less than a second with 1 worker; there is no room for the rest

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  Not warm  1 module: there is no room for it in the cache: the cache may grow to 14 KiB, and only 1.7 KiB are left; in {SCRATCH}/lib/registered.so
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed, but only 14 KiB left under the limit of 14 KiB; * free on the disk
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  To do     export CUDA_CACHE_MAXSIZE=1073741824
            # ENV CUDA_CACHE_MAXSIZE=1073741824 in the image makes it last
            jitwarm prime --cache {SCRATCH}/cache lib

=== dry-run-no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 "$GEN/elf/only-ptx.so"
- There is no plan: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
+ There is no plan: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing
* Cache     {SCRATCH}/cache: 0 B used, the limit is the driver's default; * free on the disk
  To do     jitwarm doctor --cache {SCRATCH}/cache

=== dry-run-no-driver-check
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 only "schema end why driver.level gpus jobs todo" "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 --check --json "$GEN/elf/only-ptx.so"
- schema: "jitwarm.prime/1"
+ schema: "jitwarm.plan/1"
  end: "no-gpu"
- why: "no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory"
+ why: "no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing"
  driver.level: null
  gpus: []
  jobs: []
  todo: ["jitwarm doctor --cache {SCRATCH}/cache"]
exit 1

=== dry-run-sixty-columns
skip on windows: paths are longer there
$ cold_libraries
$ COLUMNS=60 "$JITWARM" prime --dry-run --cache cache -j 1 lib >out
$ sed '/^Cache/,/disk$/d' out
  2 modules would be compiled for NVIDIA GeForce RTX 3070
  Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, less than a
  second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
*       1  4.5 KiB     0.3 s  12 KiB     0  /*
*       1  4.5 KiB     0.3 s  12 KiB     0  /*

  Skipped   2 modules run natively
  simulated: this was jitwarm's own simulated driver; nothing
  here is about hardware
  To do     jitwarm prime --cache cache lib

=== dry-run-quoted-to-copy
skip on windows: another shell
$ cold_libraries
$ mkdir "my app"
$ mv lib "my app/it's"
$ "$JITWARM" prime --dry-run --cache "a cache" -j 1 "my app/it's" | grep '^To do'
  To do     jitwarm prime --cache 'a cache' 'my app/it'\''s'

=== dry-run-unread
skip on windows: the simulated driver is not in System32
$ cold_libraries
$ head -c 300 "$GEN/elf/registered.so" >lib/cut.so
$ prime_quietly lib 2>/dev/null
$ "$JITWARM" prime --dry-run --check --cache "$PWD/cache" -j 1 lib >out; echo $?; head -n 1 out | cut -c1-32; grep -c "^Not read" out
$ "$JITWARM" prime --dry-run -q --cache "$PWD/cache" -j 1 lib
$ "$JITWARM" verify --cache "$PWD/cache" lib | sed -n '/^To do/,$p'
  1
  Both modules are warm for NVIDIA
  1
  To do     jitwarm doctor --cache {SCRATCH}/cache
            # says what could not be read
!  jitwarm: {SCRATCH}/lib/cut.so: elf: section table at 0x66e8 runs past the end

=== dry-run-verbose
$ cold_libraries
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 --verbose lib
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, less than a second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  STATE  GPU        PTX   TIME   CACHE  FILE
  todo   sm_86  4.5 KiB  0.3 s  12 KiB  {SCRATCH}/lib/only-ptx.so
  todo   sm_86  4.5 KiB  0.3 s  12 KiB  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed; 0 B of 1 GiB used; * free on the disk
  To do     jitwarm prime --cache {SCRATCH}/cache lib

=== dry-run-above-five-minutes
skip on windows: the simulated driver is not in System32
$ primed_libraries
$ rm -r cache "$XDG_STATE_HOME/jitwarm/caches"; remember rate=180
$ unwrapped "$JITWARM" prime --dry-run --cache "$PWD/cache" -j 1 lib | grep -v MODULES
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, about 6 minutes with 1 worker, longer on a busy machine

        1  4.5 KiB     3 min  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     3 min  12 KiB     0  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed; 0 B of 1 GiB used; * free on the disk
  Note      most programs load a part of this: jitwarm prime --cache {SCRATCH}/cache --run COMMAND compiles only what COMMAND loads
  To do     jitwarm prime --cache {SCRATCH}/cache lib

=== dry-run-next-of-root
skip on windows: there is no root
$ cold_libraries
$ made_machine
$ next() { [ "$(id -u)" = 0 ] && grep -e "To do" out || echo "To do     $1"; }
$ unwrapped env SUDO_USER= "$JITWARM" prime --dry-run --cache "$PWD/cache" lib >out; next "jitwarm prime --as-root --cache $PWD/cache lib"
$ unwrapped env SUDO_USER=ada "$JITWARM" prime --dry-run --cache "$PWD/cache" lib >out; next "sudo -u ada jitwarm prime --cache $PWD/cache lib"
$ unwrapped env SUDO_USER= "$JITWARM" verify --cache "$PWD/cache" lib >out; next "jitwarm prime --as-root --cache $PWD/cache lib"
$ unwrapped env SUDO_USER= SIMCUDA_FAULTS="badptx@*" $P lib >out; next "jitwarm prime --as-root -v --cache $PWD/cache lib"
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  To do     sudo -u ada jitwarm prime --cache {SCRATCH}/cache lib
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  To do     jitwarm doctor --cache {SCRATCH}/cache

=== no-jobs
$ "$JITWARM" prime --jobs 0
!  jitwarm prime: --jobs takes a whole number from 1 on, not 0 (jitwarm help prime)
exit 2
