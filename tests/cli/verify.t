=== beside-a-prime
skip on windows: a program in the background
$ export JITWARM_DRIVER="$SIM/libcuda.so.1"
$ prime() { SIMCUDA_COST="$1" "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 --no-verify -q "$2"; }
$ cp "$GEN/elf/tegra.so" first.so && cp "$GEN/elf/only-ptx.so" slow.so
$ prime 0 first.so; prime 0+60000 slow.so 2>/dev/null &
$ for i in $(seq 200); do "$JITWARM" status --cache "$PWD/cache" | grep -q Running && break; sleep .05; done
$ unwrapped "$JITWARM" verify --as-root --cache "$PWD/cache" first.so slow.so | grep -e Note -e "To do"
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" | grep -A 1 Warm
$ "$JITWARM" prime --stop --as-root --cache "$PWD/cache" -q; wait; true
* Note      a prime is running on this cache (process *): modules that it has not compiled yet are missing; jitwarm status shows its progress
  To do     jitwarm status --cache {SCRATCH}/cache   (how far the prime is)
  Warm      1 module compiled, but no complete run is recorded
  A prime is running. See its progress: jitwarm status

=== command-compiles-nothing
skip on windows: there is no sh to be started there
$ CUDA_CACHE_PATH="$PWD/cache" unwrapped "$JITWARM" verify --run sh -c "exit 3"
* sh -c exit 3: the driver compiled nothing for it, in *; exit code 3
  Cache     {SCRATCH}/cache
  To do     jitwarm prime --run COMMAND
exit 1

=== entry-gone
$ simulated_driver
$ two_libraries
$ prime_quietly lib
$ rm -r cache/[0-5]
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" -j 1 lib
$ "$JITWARM" verify -q --cache "$PWD/cache" -j 1 lib
* Loaded 1 module for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Missing   1 module: not in the cache; in {SCRATCH}/lib/only-ptx.so
  Cache     {SCRATCH}/cache
  not verified: in this environment 1 of 2 modules was not found
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  To do     jitwarm prime --cache {SCRATCH}/cache lib
!  jitwarm: not verified: in this environment 1 of 2 modules was not found
exit 1

=== entry-gone-json
$ simulated_driver
$ two_libraries
$ prime_quietly lib
$ rm -r cache/[0-5]
$ "$JITWARM" verify --cache "$PWD/cache" -j 1 --json lib
  {
    "schema": "jitwarm.verify/1",
    "simulated": true,
    "end": "partly",
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
      "used_bytes": 25790,
      "outdated_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 12228
    },
    "predicted": {
      "seconds": 0.305,
      "cpu_seconds": 0.305,
      "lazy": true,
      "workers": 1
    },
    "totals": {
      "jobs": 2,
      "warm": 1,
      "ptx_bytes": 9156,
      "warmed_bytes": 0,
      "warmed_ptx_bytes": 0,
*     "milliseconds": *,
*     "compile_milliseconds": *
    },
    "counts": {
      "todo": 1,
      "warm": 1,
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
        "warm": 1,
        "not_warm": 0,
        "ptx_bytes": 4578,
        "seconds": 0.000,
        "cache_bytes": 0
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
        "state": "warm",
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
          "bytes": 12895
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
    "verify": {
      "done": true,
      "verified": false,
      "login_same": false,
      "why": null,
      "passes": [
        {
          "where": "this environment",
          "loaded": 1,
          "hits": 1,
          "misses": 1,
          "failed": 0,
          "new_entries": 0,
*         "milliseconds": *
        }
      ],
      "misses": [
        {
          "job": 0,
          "cause": "not in the cache"
        }
      ]
    },
    "run": null,
    "unread": [],
    "advice": [
      "jitwarm prime --cache {SCRATCH}/cache lib"
    ],
    "notes": []
  }
exit 1

=== json
$ simulated_driver
$ two_libraries
$ prime_quietly lib
$ "$JITWARM" verify --cache "$PWD/cache" -j 1 --json lib
  {
    "schema": "jitwarm.verify/1",
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
      "used_bytes": 25790,
      "outdated_bytes": 0,
*     "free_disk_bytes": *,
      "need_bytes": 0
    },
    "predicted": {
      "seconds": 0.000,
      "cpu_seconds": 0.000,
      "lazy": false,
      "workers": 1
    },
    "totals": {
      "jobs": 2,
      "warm": 2,
      "ptx_bytes": 9156,
      "warmed_bytes": 0,
      "warmed_ptx_bytes": 0,
*     "milliseconds": *,
*     "compile_milliseconds": *
    },
    "counts": {
      "todo": 0,
      "warm": 2,
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
        "warm": 1,
        "not_warm": 0,
        "ptx_bytes": 4578,
        "seconds": 0.000,
        "cache_bytes": 0
      },
      {
        "path": "{SCRATCH}/lib/registered.so",
        "package": null,
        "jobs": 1,
        "warm": 1,
        "not_warm": 0,
        "ptx_bytes": 4578,
        "seconds": 0.000,
        "cache_bytes": 0
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
        "state": "warm",
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
          "bytes": 12895
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
        "state": "warm",
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
          "bytes": 12895
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
    "verify": {
      "done": true,
      "verified": true,
      "login_same": false,
      "why": null,
      "passes": [
        {
          "where": "this environment",
          "loaded": 2,
          "hits": 2,
          "misses": 0,
          "failed": 0,
          "new_entries": 0,
*         "milliseconds": *
        }
      ],
      "misses": []
    },
    "run": null,
    "unread": [],
    "advice": [],
    "notes": []
  }

=== no-driver
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 unwrapped "$JITWARM" verify --cache "$PWD/cache" -j 1 "$GEN/elf/only-ptx.so"
  Nothing was verified: no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory
  Cache     {SCRATCH}/cache
  To do     jitwarm doctor --cache {SCRATCH}/cache
exit 3
on windows:
  Nothing was verified: no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing
  Cache     {SCRATCH}/cache
  To do     jitwarm doctor --cache {SCRATCH}/cache

=== recorded
$ simulated_driver
$ two_libraries
$ prime_quietly lib
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" -j 1
* Loaded 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Cache     {SCRATCH}/cache
  verified: a fresh process loaded both modules and compiled nothing
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== whole
$ simulated_driver
$ two_libraries
$ prime_quietly lib
$ unwrapped "$JITWARM" verify --cache "$PWD/cache" -j 1 lib
* Loaded 2 modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86), in *
  Cache     {SCRATCH}/cache
  verified: a fresh process loaded both modules and compiled nothing
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
