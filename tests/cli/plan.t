=== changes-nothing
$ simulated_driver
$ two_libraries
$ "$JITWARM" plan --cache "$PWD/cache" -j 1 lib >/dev/null
$ find . "$HOME" -type f | sed "s/gnu-.*/BUILD/;s|$HOME|HOME|" | sort
  ./lib/only-ptx.so
  ./lib/registered.so
  HOME/state/jitwarm/drivers/BUILD

=== check
$ simulated_driver
$ two_libraries
$ "$JITWARM" plan --cache "$PWD/cache" -j 1 --check -q lib >/dev/null
$ echo $?
$ prime_quietly lib
$ unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 --check lib
  1
  Nothing to do: both modules are warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86)

  MODULES      PTX  CPU TIME  CACHE  WARM  FILE
        1  4.5 KiB         -    0 B     1  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB         -    0 B     1  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 25 KiB used, the limit is 1 GiB; * free on the disk
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm verify --cache {SCRATCH}/cache lib   (proves that the next start compiles nothing)

=== cold
$ simulated_driver
$ two_libraries
$ unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 lib
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, less than a second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed; 0 B of 1 GiB used; * free on the disk
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm prime --cache {SCRATCH}/cache lib

=== json
$ simulated_driver
$ two_libraries
$ "$JITWARM" plan --cache "$PWD/cache" -j 1 --json lib
  {
    "schema": "jitwarm.plan/1",
    "simulated": true,
    "end": "done",
    "why": null,
    "receipt": false,
    "driver": {
      "version": null,
      "build": "gnu:6a69747761726d2d73696d637564612d30303030",
      "stamp": "Jan  7 202622:51:46",
      "level": 3,
      "level_name": "placeable"
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
        "exclusive": false,
        "chosen": true
      }
    ],
    "targets": {
      "from": "given",
      "paths": [
        "{SCRATCH}/lib"
      ],
      "files": 2,
      "bytes": 32008
    },
    "cache": {
      "root": "{SCRATCH}/cache",
      "limit_bytes": 1073741824,
      "limit_known": true,
      "used_bytes": 0,
      "outdated_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 24456
    },
    "predicted": {
      "seconds": 0.610,
      "cpu_seconds": 0.610,
      "lazy": true,
      "workers": 1
    },
    "totals": {
      "jobs": 2,
      "warm": 0,
      "ptx_bytes": 9156,
      "warmed_bytes": 0,
      "warmed_ptx_bytes": 0,
*     "milliseconds": *,
*     "compile_milliseconds": *
    },
    "counts": {
      "todo": 2,
      "warm": 0,
      "warmed": 0,
      "failed": 0,
      "timeout": 0,
      "crashed": 0,
      "banned": 0,
      "no-room": 0,
      "changed": 0,
      "unstored": 0
    },
    "left_out": {
      "native": {
        "modules": 2,
        "ptx_bytes": 816
      },
      "lazy": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "rdc": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "blocked": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "nothing": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "vendor": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "filtered": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "unused": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "doubtful": {
        "modules": 0,
        "ptx_bytes": 0
      }
    },
    "files": [
      {
        "path": "{SCRATCH}/lib/only-ptx.so",
        "package": null,
        "jobs": 1,
        "warm": 0,
        "not_warm": 1,
        "ptx_bytes": 4578,
        "seconds": 0.305,
        "cache_bytes": 12228
      },
      {
        "path": "{SCRATCH}/lib/registered.so",
        "package": null,
        "jobs": 1,
        "warm": 0,
        "not_warm": 1,
        "ptx_bytes": 4578,
        "seconds": 0.305,
        "cache_bytes": 12228
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
        "state": "todo",
*       "milliseconds": *,
        "code": null,
        "code_name": null,
        "why": null,
        "log": null,
        "kernels": [],
        "more_kernels": 0,
        "entry": {
          "name": "1/5/18da12cb42b50a",
          "predicted": true,
          "key_bytes": 4615,
          "bytes": 0
        },
        "predicted": {
          "seconds": 0.305,
          "cache_bytes": 12228,
          "memory_bytes": 314755920
        },
        "places": [
          {
            "path": "{SCRATCH}/lib/only-ptx.so",
            "disk": "{SCRATCH}/lib/only-ptx.so",
            "at": 272,
            "size": 4680,
            "package": null,
            "digest": "2838a449267ed4e461f8ec85d18b8c484189480a30f203a134156f51efc0ca46",
            "form": "container"
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
        "state": "todo",
*       "milliseconds": *,
        "code": null,
        "code_name": null,
        "why": null,
        "log": null,
        "kernels": [],
        "more_kernels": 0,
        "entry": {
          "name": "6/8/27baaab3f95017",
          "predicted": true,
          "key_bytes": 4615,
          "bytes": 0
        },
        "predicted": {
          "seconds": 0.305,
          "cache_bytes": 12228,
          "memory_bytes": 314755920
        },
        "places": [
          {
            "path": "{SCRATCH}/lib/registered.so",
            "disk": "{SCRATCH}/lib/registered.so",
            "at": 21544,
            "size": 4680,
            "package": null,
            "digest": "628854278b5e6bc35a01b2664f36868b7c051cb6482d7810326613b5fefadba5",
            "form": "container"
          }
        ]
      }
    ],
    "unread": [],
    "advice": [
      "jitwarm prime --cache {SCRATCH}/cache lib"
    ],
    "notes": []
  }

=== little-room
$ simulated_driver
$ two_libraries
$ CUDA_CACHE_MAXSIZE=14000 unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 lib
  1 module would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 4.5 KiB of PTX, less than a second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  Not warm  1 module: there is no room for it in the cache: the cache may grow to 14 KiB, and only 1.7 KiB are left; in {SCRATCH}/lib/registered.so
  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed, but only 14 KiB left under the limit of 14 KiB; * free on the disk
  Note      CUDA_CACHE_MAXSIZE=14000 is small: a module larger than the limit is never cached, and compiled again in every process
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     export CUDA_CACHE_MAXSIZE=1073741824   (jitwarm env apply --maxsize 1073741824 makes it last)
            jitwarm prime --cache {SCRATCH}/cache lib

=== no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 "$GEN/elf/only-ptx.so"
  There is no plan: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
* Cache     {SCRATCH}/cache: 0 B used, the limit is the driver's default; * free on the disk
  To do     jitwarm doctor --cache {SCRATCH}/cache
on windows:
  There is no plan: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing
* Cache     {SCRATCH}/cache: 0 B used, the limit is the driver's default; * free on the disk
  To do     jitwarm doctor --cache {SCRATCH}/cache

=== no-driver-check
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" plan --cache "$PWD/cache" -j 1 --check --json "$GEN/elf/only-ptx.so"
  {
    "schema": "jitwarm.plan/1",
    "end": "no-gpu",
    "why": "no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory",
    "receipt": false,
    "driver": {
      "version": null,
      "build": null,
      "stamp": null,
      "level": null,
      "level_name": "none"
    },
    "gpus": [],
    "targets": {
      "from": "given",
      "paths": [
        "{GEN}/elf/only-ptx.so"
      ],
      "files": 0,
      "bytes": 0
    },
    "cache": {
      "root": "{SCRATCH}/cache",
      "limit_bytes": 268435456,
      "limit_known": false,
      "used_bytes": 0,
      "outdated_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 0
    },
    "predicted": {
      "seconds": 0.000,
      "cpu_seconds": 0.000,
      "lazy": false,
      "workers": 0
    },
    "totals": {
      "jobs": 0,
      "warm": 0,
      "ptx_bytes": 0,
      "warmed_bytes": 0,
      "warmed_ptx_bytes": 0,
*     "milliseconds": *,
*     "compile_milliseconds": *
    },
    "counts": {
      "todo": 0,
      "warm": 0,
      "warmed": 0,
      "failed": 0,
      "timeout": 0,
      "crashed": 0,
      "banned": 0,
      "no-room": 0,
      "changed": 0,
      "unstored": 0
    },
    "left_out": {
      "native": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "lazy": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "rdc": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "blocked": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "nothing": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "vendor": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "filtered": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "unused": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "doubtful": {
        "modules": 0,
        "ptx_bytes": 0
      }
    },
    "files": [],
    "jobs": [],
    "unread": [],
    "advice": [
      "jitwarm doctor --cache {SCRATCH}/cache"
    ],
    "notes": []
  }
exit 1
on windows:
  {
    "schema": "jitwarm.plan/1",
    "end": "no-gpu",
    "why": "no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing",
    "receipt": false,
    "driver": {
      "version": null,
      "build": null,
      "stamp": null,
      "level": null,
      "level_name": "none"
    },
    "gpus": [],
    "targets": {
      "from": "given",
      "paths": [
        "{GEN}/elf/only-ptx.so"
      ],
      "files": 0,
      "bytes": 0
    },
    "cache": {
      "root": "{SCRATCH}/cache",
      "limit_bytes": 268435456,
      "limit_known": false,
      "used_bytes": 0,
      "outdated_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 0
    },
    "predicted": {
      "seconds": 0.000,
      "cpu_seconds": 0.000,
      "lazy": false,
      "workers": 0
    },
    "totals": {
      "jobs": 0,
      "warm": 0,
      "ptx_bytes": 0,
      "warmed_bytes": 0,
      "warmed_ptx_bytes": 0,
*     "milliseconds": *,
*     "compile_milliseconds": *
    },
    "counts": {
      "todo": 0,
      "warm": 0,
      "warmed": 0,
      "failed": 0,
      "timeout": 0,
      "crashed": 0,
      "banned": 0,
      "no-room": 0,
      "changed": 0,
      "unstored": 0
    },
    "left_out": {
      "native": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "lazy": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "rdc": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "blocked": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "nothing": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "vendor": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "filtered": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "unused": {
        "modules": 0,
        "ptx_bytes": 0
      },
      "doubtful": {
        "modules": 0,
        "ptx_bytes": 0
      }
    },
    "files": [],
    "jobs": [],
    "unread": [],
    "advice": [
      "jitwarm doctor --cache {SCRATCH}/cache"
    ],
    "notes": []
  }

=== sixty-columns
skip on windows: paths are longer there
$ simulated_driver
$ two_libraries
$ COLUMNS=60 "$JITWARM" plan --cache cache -j 1 lib >out
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

=== quoted-to-copy
skip on windows: another shell
$ simulated_driver
$ two_libraries
$ mkdir "my app"
$ mv lib "my app/it's"
$ "$JITWARM" plan --cache "a cache" -j 1 "my app/it's" | grep '^To do'
  To do     jitwarm prime --cache 'a cache' 'my app/it'\''s'

=== unread
skip on windows: the simulated driver is not in System32
$ simulated_driver
$ two_libraries
$ head -c 300 "$GEN/elf/registered.so" >lib/cut.so
$ prime_quietly lib 2>/dev/null
$ "$JITWARM" plan --check --cache "$PWD/cache" -j 1 lib >out; echo $?; head -n 1 out | cut -c1-32; grep -c "^Not read" out
$ "$JITWARM" plan -q --cache "$PWD/cache" -j 1 lib
$ "$JITWARM" verify --cache "$PWD/cache" -j 1 lib | sed -n '/^To do/,$p'
  1
  Both modules are warm for NVIDIA
  1
!  jitwarm: {SCRATCH}/lib/cut.so: elf: section table at 0x66e8 runs past the end

=== verbose
$ simulated_driver
$ two_libraries
$ unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 --verbose lib
  2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 8.9 KiB of PTX, less than a second with 1 worker

  MODULES      PTX  CPU TIME   CACHE  WARM  FILE
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/only-ptx.so
        1  4.5 KiB     0.3 s  12 KiB     0  {SCRATCH}/lib/registered.so

  STATE  GPU        PTX   TIME   CACHE  FILE
  todo   sm_86  4.5 KiB  0.3 s  12 KiB  {SCRATCH}/lib/only-ptx.so
  todo   sm_86  4.5 KiB  0.3 s  12 KiB  {SCRATCH}/lib/registered.so

  Skipped   2 modules run natively
* Cache     {SCRATCH}/cache: 24 KiB needed; 0 B of 1 GiB used; * free on the disk
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm prime --cache {SCRATCH}/cache lib

=== above-five-minutes
skip on windows: what it says is the same there, and 300 MB are much for Wine
$ simulated_driver
$ for i in 1 2 3 4; do { printf '.version 8.3\n.target sm_80\n.address_size 64\n// %s' $i; head -c 75000000 /dev/zero | tr '\0' ' '; printf '\n.visible .entry k(){ret;}\n'; } >$i.ptx; done
$ unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 1.ptx 2.ptx 3.ptx 4.ptx | grep -v MODULES
  4 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 286 MiB of PTX, up to 6 minutes with 1 worker

        1  72 MiB  1 min 22 s  143 MiB     0  {SCRATCH}/1.ptx
        1  72 MiB  1 min 22 s  143 MiB     0  {SCRATCH}/2.ptx
        1  72 MiB  1 min 22 s  143 MiB     0  {SCRATCH}/3.ptx
        1  72 MiB  1 min 22 s  143 MiB     0  {SCRATCH}/4.ptx

* Cache     {SCRATCH}/cache: 572 MiB needed; 0 B of 1 GiB used; * free on the disk
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm prime --run COMMAND   (compiles only what that program loads: most programs use a part of it)
            jitwarm prime --cache {SCRATCH}/cache 1.ptx 2.ptx 3.ptx 4.ptx
