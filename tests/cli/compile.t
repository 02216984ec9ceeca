=== pack
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" -o x.tar.zst add.ptx
* Compiled 1 module for sm_86 with ptxas 13.0.88 in * s
  For       sm_86 and the driver build of Jan 7 2026 62:51:46
  Pack      {SCRATCH}/x.tar.zst
*           1.5 KiB of cache, * KiB packed
  Note      compiled by a toolkit, not by the driver: import first tests that the
            target's driver runs it correctly
  To do     on the target: jitwarm import PACK
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== driver-files-of-another-compiler
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler ptxas --driver-files . add.ptx
!  jitwarm compile: --driver-files goes with --compiler driver (jitwarm help compile)
exit 2

=== run-of-another-compiler
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler ptxas -o packs --run ./app --check
!  jitwarm compile: --run goes with --compiler driver (jitwarm help compile)
exit 2

=== run-and-paths
in: ptx
$ "$JITWARM" compile --for sm=86 --compiler driver --driver-files . -o packs add.ptx --run ./app
!  jitwarm compile: --run packs what a command loads: not with paths, --only, --exclude or --all (jitwarm help compile)
exit 2

=== run-dry
$ "$JITWARM" compile --for sm=86 --compiler driver --driver-files . -n --run ./app
!  jitwarm compile: --run and --dry-run cannot be combined (jitwarm help compile)
exit 2

=== run-json-of-two
$ "$JITWARM" compile --json --for sm=86,sm=89 --compiler driver --driver-files . -o packs --run ./app
!  jitwarm compile: --run with --json: one GPU only, because each GPU has its own report (jitwarm help compile)
exit 2

=== no-target
in: ptx
$ "$JITWARM" compile --compiler "$SIM/simptxas" -o x.tar.zst add.ptx
!  jitwarm compile: name the target with --for "driver=STAMP,sm=86"; jitwarm doctor --probe --json prints the stamp there (jitwarm help compile)
exit 2

=== pack-json
skip on aarch64: the digest in it is that of a pack for x86-64
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" -o x.tar.zst add.ptx --json
  {
    "schema": "jitwarm.compile/1",
    "end": "done",
    "why": null,
    "dry_run": false,
    "stamp": "Jan  7 202662:51:46",
    "simulated": true,
    "sm": 86,
    "compiler": {
      "name": "ptxas",
      "version": "13.0.88",
      "isa": "9.0",
*     "path": "*/simptxas"
    },
    "modules": 1,
    "ptx_bytes": 244,
    "compiled": 1,
    "failed": [],
    "pack": {
      "path": "{SCRATCH}/x.tar.zst",
      "stored": false,
      "signature": null,
      "entries": 2,
      "bytes": 1529,
*     "packed_bytes": *,
      "manifest_digest": "5fcfa1543782ebf4f14ff28524a516cb6db5d9c58f86bf71428890555499562c"
    },
*   "milliseconds": *,
    "notes": []
  }
on windows:
  {
    "schema": "jitwarm.compile/1",
    "end": "done",
    "why": null,
    "dry_run": false,
    "stamp": "Jan  7 202662:51:46",
    "simulated": true,
    "sm": 86,
    "compiler": {
      "name": "ptxas",
      "version": "13.0.88",
      "isa": "9.0",
*     "path": "*/simptxas"
    },
    "modules": 1,
    "ptx_bytes": 244,
    "compiled": 1,
    "failed": [],
    "pack": {
      "path": "{SCRATCH}/x.tar.zst",
      "stored": false,
      "signature": null,
      "entries": 2,
      "bytes": 1529,
*     "packed_bytes": *,
*     "manifest_digest": "*"
    },
*   "milliseconds": *,
    "notes": []
  }

=== no-compiler
skip on windows: PATH leads to no shell there, which starts the tool here
in: ptx
$ PATH=/nowhere "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" add.ptx
!  jitwarm compile: there is no ptxas in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda: install a CUDA toolkit (a package called cuda-nvcc has it), or name one with --compiler /PATH/ptxas (jitwarm help compile)
exit 2

=== not-a-stamp
in: ptx
$ "$JITWARM" compile --for driver=580.126.09,sm=86 --compiler "$SIM/simptxas" add.ptx
!  jitwarm compile: --for: driver=580.126.09 is no stamp like "Jan  7 202622:51:46"; jitwarm doctor --probe --json prints it on the target machine (knowledge, stamp) (jitwarm help compile)
exit 2

=== nvjitlink
skip on windows: the pretended compiler is not called .exe there
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/libnvJitLink-sim.so" -o x.tar.zst add.ptx
* Compiled 1 module for sm_86 with nvJitLink 13.0.88 in * s
  For       sm_86 and the driver build of Jan 7 2026 62:51:46
  Pack      {SCRATCH}/x.tar.zst
*           1.5 KiB of cache, * KiB packed
  Note      compiled by a toolkit, not by the driver: import first tests that the
            target's driver runs it correctly
  To do     on the target: jitwarm import PACK
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== nvjitlink-wrong
skip on windows: the pretended compiler is not called .exe there
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler libnvJitLink.so.13 add.ptx
!  jitwarm compile: --compiler libnvJitLink.so.13: this jitwarm knows ptxas and nvjitlink, or the absolute path of one (jitwarm help compile)
exit 2

=== source
skip on windows: no NVRTC is put in its place there
$ nvrtc
$ "$JITWARM" compile --for sm=86 k.cu -o k.ptx
$ grep -o '^.target sm_[0-9]*' k.ptx
  Compiled 1 kernel for compute_86 with NVRTC 13.0
  PTX       k.ptx
  To do     jitwarm prime k.ptx
  .target sm_86

=== source-here
skip on windows: no NVRTC is put in its place there
$ nvrtc
$ simulated_driver
$ "$JITWARM" compile k.cu -o k.ptx
  Compiled 1 kernel for compute_86 with NVRTC 13.0
  PTX       k.ptx
  To do     jitwarm prime k.ptx

=== source-json
skip on windows: no NVRTC is put in its place there
$ nvrtc
$ "$JITWARM" compile --for sm=86 k.cu -o k.ptx --json
  {
    "schema": "jitwarm.ptx/1",
    "path": "k.ptx",
    "arch": "compute_86",
    "kernels": 1,
    "nvrtc": "13.0",
    "library": "{SCRATCH}/cuda/lib64/libnvrtc.so.13",
    "log": null,
*   "milliseconds": *,
    "notes": []
  }

=== source-no-output
$ "$JITWARM" compile k.cu
!  jitwarm compile: k.cu needs an output file: -o FILE.ptx (jitwarm help compile)
exit 2

=== source-of-a-pack
$ "$JITWARM" compile k.cu -o k.ptx --sign key
!  jitwarm compile: --sign is for packs, not for a .cu file (jitwarm help compile)
exit 2

=== source-driver-files
$ "$JITWARM" compile k.cu -o k.ptx --driver-files .
!  jitwarm compile: --driver-files is for packs, not for a .cu file (jitwarm help compile)
exit 2

=== source-two
$ "$JITWARM" compile k.cu lib.so -o k.ptx
!  jitwarm compile: a .cu file must be the only path, but there are 2 (jitwarm help compile)
exit 2

=== source-missing
$ "$JITWARM" compile --for sm=86 missing.cu -o k.ptx
!  jitwarm compile: missing.cu: no such file or folder (jitwarm help compile)
exit 2

=== source-not-an-architecture
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" k.cu -o k.ptx
!  jitwarm compile: k.cu: no such file or folder (jitwarm help compile)
exit 2

=== source-no-gpu
$ touch k.cu; JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" compile k.cu -o k.ptx
!  jitwarm: no usable GPU here; name one with --for sm=86
exit 3

=== pack-to-nowhere
in: ptx
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" -o nowhere/x.tar.zst add.ptx
!  jitwarm compile: nowhere: no such folder (jitwarm help compile)
exit 2

=== no-such-path
$ "$JITWARM" compile --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" missing.so
!  jitwarm compile: missing.so: no such file or folder (jitwarm help compile)
exit 2

=== nothing-named
$ "$JITWARM" compile
!  jitwarm compile: PATH... is missing (jitwarm help compile)
exit 2

=== driver-damaged
skip on windows: there is no emulated GPU
in: ptx
$ mkdir d && printf "\177ELF\2\1" >d/libcuda.so.550.1
$ JITWARM_PHANTOM=add.ptx "$JITWARM" compile --compiler driver --driver-files d --for sm=86 -o packs add.ptx
$ ls
!  jitwarm: --driver-files: {SCRATCH}/d/libcuda.so.550.1 is not a whole library; unpack the driver again
  add.ptx
  d
exit 0

=== driver-no-path
skip on windows: paths are written in another way there
$ mkdir d && "$JITWARM" compile --compiler driver --driver-files d --for sm=86 -o packs x.ptx
!  jitwarm compile: x.ptx: no such file or folder (jitwarm help compile)
exit 2

=== driver-packs-are-no-file
skip on windows: there is no emulated GPU
in: ptx
$ "$JITWARM" compile --compiler driver --driver-files d --for sm=86 -o add.ptx add.ptx
!  jitwarm compile: -o: the packs go into a folder, and add.ptx is a file (jitwarm help compile)
exit 2

=== driver-usage
skip on windows: paths are written in another way there
$ "$JITWARM" compile --compiler driver --for sm=86 -o packs x.ptx
$ mkdir empty && touch x.ptx && "$JITWARM" compile --compiler driver --driver-files empty --for sm=86 -o packs x.ptx
$ "$JITWARM" compile --compiler driver --driver-files nowhere --for sm=86 -o packs x.ptx
$ "$JITWARM" compile --compiler driver --driver-files empty --for 'driver=580.1' -o packs x.ptx
$ "$JITWARM" compile --compiler driver --driver-files empty --for 'gpu=86' -o packs x.ptx
$ "$JITWARM" compile --compiler driver --driver-files empty --for 'sm=86' x.ptx
!  jitwarm compile: --compiler driver needs --driver-files DIR: NVIDIA's driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only) (jitwarm help compile)
!  jitwarm compile: --driver-files empty: found no libcuda.so.VERSION there. Unpack a driver: sh NVIDIA-Linux-x86_64-VERSION.run --extract-only, or the packages of your distribution (jitwarm help compile)
!  jitwarm compile: --driver-files nowhere: no such folder (jitwarm help compile)
!  jitwarm compile: --for names the GPUs, as in --for sm=86,sm=89 (jitwarm help compile)
!  jitwarm compile: --for: "gpu=86" is neither driver=DRIVER nor sm=NUMBER, as in --for driver=580.178.04,sm=86,sm=89 (jitwarm help compile)
!  jitwarm compile: --compiler driver needs -o DIR: the folder for the packs, one for each GPU (jitwarm help compile)
exit 2
