=== what-was-named-to-prime
skip on windows: a login's files are Linux's
$ simulated_driver
$ made_machine
$ mkdir -p far/tests && cp "$GEN/elf/only-ptx.so" far/tests/
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q far >/dev/null
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" scan --gpu sm_86 --verbose | grep -e warm -e "named to"
  tests        1        1  warm
  sm_86: nothing has to be compiled; 1 package is warm
    searched     {SCRATCH}/far (named to jitwarm prime)

=== a-library-that-chooses-by-the-gpu
$ (tail -c +273 "$GEN/elf/only-sass.so" | head -c 1904; cat "$GEN/fatbin/layout-12.4.fatbin" "$GEN/fatbin/three-with-0-between.fatbin") >kernels.fatbin
$ cp kernels.fatbin libcublasLt.so.13 && "$JITWARM" scan --gpu sm_75 kernels.fatbin libcublasLt.so.13
  kernels.fatbin
    fatbin, 4.7 KiB, 5 modules: machine code for sm_75 sm_80 sm_86 sm_90; PTX for
    compute_75 compute_80 (ISA 8.4)
    jit      sm_75: 3 of 5 modules must be compiled from compute_75: 936 B of PTX,
             less than a second on one core, needs a driver >= 550; machine code
             for 1; the other 1 is for other GPUs

  libcublasLt.so.13
    fatbin, 4.7 KiB, 5 modules: machine code for sm_75 sm_80 sm_86 sm_90; PTX for
    compute_75 compute_80 (ISA 8.4)
    jit      sm_75: 3 of 5 modules are compiled when a program uses them, from
             compute_75: 936 B of PTX, less than a second on one core, needs a
             driver >= 550; machine code for 1; the other 1 is for other GPUs
*

=== a-screen-at-most
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "elf" "pe" "fatbin"
  FILE                             MODULES  sm_86
  elf/lld-zero-wrappers.so               2  jit, 4.5 KiB of PTX
  elf/only-ptx.so                        1  jit, 4.5 KiB of PTX
  elf/ptx-too-new.so                     2  jit, 4.5 KiB of PTX
  elf/registered.so                      3  jit, 4.5 KiB of PTX
  elf/tegra.so                           1  jit, 312 B of PTX
  pe/bigobj.obj                          2  jit, 312 B of PTX
  pe/library.dll                         2  jit, 312 B of PTX
  pe/object.obj                          2  jit, 312 B of PTX
  elf/family-and-specific.so             1  none
  elf/lazy.so                            0  lazy
  elf/all-packings.so                    1  native
  elf/executable                         1  native
  elf/extended-section-numbers.so        1  native
  elf/fatbin-after-bss.so                1  native
  elf/no-section-table.so                1  native
  and 22 more files (--verbose lists all)

  sm_86: 8 files of 37 must be compiled at the first start: 19 KiB of PTX, up to 2
    seconds on one core; 1 file has no code for it

=== check-native
$ cd "$GEN"
$ "$JITWARM" scan --check --gpu sm_86 "elf/only-sass.so"
  elf/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    native   sm_86: machine code for its one module
*

=== check-none
$ cd "$GEN"
$ "$JITWARM" scan --check --gpu sm_120 "elf/only-sass.so"
  elf/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    none     sm_120: nothing in it runs on this GPU, and nothing can be compiled
             for it: there is only machine code of other GPUs, no PTX; programs
             fail with "no kernel image is available" (error 209)
*
exit 1

=== check-of-nothing
$ mkdir empty && "$JITWARM" scan --check --gpu sm_86 empty >out; echo "exit $?"
$ echo text >README && "$JITWARM" scan --check --gpu sm_86 README >out; echo "exit $?"
  exit 1
  exit 1
!  jitwarm: --check: no CUDA code was found, so nothing was checked
!  jitwarm: --check: no CUDA code was found, so nothing was checked

=== check-stub
$ cd "$GEN"
$ "$JITWARM" scan --check --gpu sm_120 "elf/linker-stub.so"
  elf/linker-stub.so
    elf, 968 B, 1 module: machine code for sm_75
    none     sm_120: only a linker's stub, or PTX without a kernel: nothing to run
*

=== colours
$ cd "$GEN"
$ "$JITWARM" scan --color always --gpu sm_86 --gpu sm_90 "elf/registered.so"
  [1melf/registered.so[0m
    elf, 26 KiB, 3 modules: machine code for sm_86 sm_89 sm_120a sm_121a; PTX for
    compute_75 compute_80 compute_90 (ISA 8.4)
  [33m  jit      [0msm_86: 1 of 3 modules must be compiled from compute_80: 4.5 KiB of
             PTX, less than a second on one core, needs a driver >= 550
  [33m  jit      [0msm_90: all 3 modules must be compiled from compute_90, compute_80 and
             compute_75: 13 KiB of PTX, less than a second on one core, needs a
             driver >= 550
*

=== compiled-kernels-of-the-device-linker
in: compiled
$ "$JITWARM" scan --check --gpu sm_80 "linked-kernel.o" "linked-nothing.o"
  linked-kernel.o
    elf, 7.5 KiB, 1 module: machine code for sm_90
    none     sm_80: nothing in it runs on this GPU, and nothing can be compiled
             for it: the oldest code is for sm_90; programs fail with "no kernel
             image is available" (error 209)

  linked-nothing.o
    elf, 6 KiB, 1 module: machine code for sm_90
    none     sm_80: only a linker's stub, or PTX without a kernel: nothing to run
*
exit 1

=== compiled-specific-to-one-gpu
in: compiled
$ "$JITWARM" scan --gpu sm_100 --gpu sm_103 "sm_100a.cubin"
  sm_100a.cubin
    cubin, 4.8 KiB, 1 module: machine code for sm_100a
    native   sm_100: machine code for its one module
    none     sm_103: nothing in it runs on this GPU, and nothing can be compiled
             for it: there is only machine code of other GPUs, no PTX; programs
             fail with "no kernel image is available" (error 209)
*

=== compiled-tile-ir
in: tileir
$ "$JITWARM" scan --gpu sm_86 --gpu sm_100 --gpu sm_103 --gpu sm_120 --gpu sm_121 "sm_80.cubin.zst" "sm_100.cubin.zst" "sm_120.cubin.zst"
  sm_100.cubin.zst!sm_100.cubin
    cubin, 21 KiB, 1 module: machine code for sm_100a
    none     sm_86, sm_120: for other GPUs: a file beside it is for this GPU
    native   sm_100: machine code for its one module
    none     sm_103, sm_121: nothing in it runs on this GPU, and nothing can be
             compiled for it: there is only machine code of other GPUs, no PTX;
             programs fail with "no kernel image is available" (error 209)

  sm_120.cubin.zst!sm_120.cubin
    cubin, 21 KiB, 1 module: machine code for sm_120a
    none     sm_86, sm_100: for other GPUs: a file beside it is for this GPU
    none     sm_103: nothing in it runs on this GPU, and nothing can be compiled
             for it: the oldest code is for sm_120; programs fail with "no kernel
             image is available" (error 209)
    native   sm_120: machine code for its one module
    none     sm_121: nothing in it runs on this GPU, and nothing can be compiled
             for it: there is only machine code of other GPUs, no PTX; programs
             fail with "no kernel image is available" (error 209)

  sm_80.cubin.zst!sm_80.cubin
    cubin, 13 KiB, 1 module: machine code for sm_80
    native   sm_86: machine code for its one module; needs a driver >= 580
    none     sm_100, sm_120: for other GPUs: a file beside it is for this GPU
    none     sm_103, sm_121: nothing in it runs on this GPU, and nothing can be
             compiled for it: there is only machine code of other GPUs, no PTX;
             programs fail with "no kernel image is available" (error 209)
*

=== compiled-zstd
in: compiled
$ "$JITWARM" scan --gpu sm_86 --gpu sm_90 "kernel.cubin.zst" "kernel.ptx.zst"
  kernel.cubin.zst!kernel.cubin
    cubin, 2.8 KiB, 1 module: machine code for sm_90
    none     sm_86: nothing in it runs on this GPU, and nothing can be compiled
             for it: the oldest code is for sm_90; programs fail with "no kernel
             image is available" (error 209)
    native   sm_90: machine code for its one module

  kernel.ptx.zst!kernel.ptx
    ptx, 455 B, 1 module: PTX for compute_75 (ISA 6.4)
    jit      sm_86, sm_90: its one module must be compiled from compute_75: 455 B
             of PTX, less than a second on one core, needs a driver >= 418
*

=== compiled-zstd-cut-off
in: compiled
$ head -c 100 kernel.cubin.zst > cut.cubin.zst
$ "$JITWARM" scan --gpu sm_86 cut.cubin.zst
!  jitwarm: cut.cubin.zst: fatbin: entry at 0x0: zstd: the stream is cut off; if it is damaged, copy or install it again
exit 6

=== compiled-zstd-in-a-folder
in: compiled
$ "$JITWARM" scan --gpu sm_86 "."
  FILE                             MODULES  sm_86
  ./kernel.ptx.zst!kernel.ptx            1  jit, 455 B of PTX
  ./kernel.cubin.zst!kernel.cubin        1  none
  ./linked-kernel.o                      1  none
  ./sm_100a.cubin                        1  none
  ./linked-nothing.o                     1  -

  sm_86: 1 file of 5 must be compiled at the first start: 455 B of PTX, less than
    a second on one core; 3 files have no code for it

=== cut-off-in-a-folder
$ mkdir d && head -c 40 "$GEN/elf/only-sass.so" >d/x.so && "$JITWARM" scan --gpu sm_86 d
  not read:
    d/x.so: the file is cut off after 40 bytes
exit 1

=== cut-off-to-nothing
$ : >a.ptx; printf "%100s" x >b.ptx; : >a.cubin; printf "%100s" x >b.cubin; : >a.so; printf "%100s" x >b.so
$ for f in a.ptx b.ptx a.cubin b.cubin a.so b.so; do "$JITWARM" scan --gpu sm_86 $f 2>&1; echo "exit $?"; done
  jitwarm: a.ptx: the file is cut off after 0 bytes; if it is damaged, copy or install it again
  exit 6
  jitwarm: b.ptx: ptx: .version is missing at 0x63; if it is damaged, copy or install it again
  exit 6
  jitwarm: a.cubin: the file is cut off after 0 bytes; if it is damaged, copy or install it again
  exit 6
  jitwarm: b.cubin: its name is that of CUDA code, and its content is not; if it is damaged, copy or install it again
  exit 6
  a.so
    empty

  exit 0
  b.so
    no format that can hold CUDA code

  exit 0

=== cut-off-head
$ head -c 40 "$GEN/elf/only-sass.so" >x.so && "$JITWARM" scan --gpu sm_86 x.so; echo "exit $?"
$ printf 'PK\003\004' >x.whl && "$JITWARM" scan --gpu sm_86 x.whl; echo "exit $?"
  exit 6
  exit 6
!  jitwarm: x.so: the file is cut off after 40 bytes; if it is damaged, copy or install it again
!  jitwarm: x.whl: the file is cut off after 4 bytes; if it is damaged, copy or install it again

=== damaged-container
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "traps/fat_size_past_the_end-x.fatbin"
  traps/fat_size_past_the_end-x.fatbin
    fatbin, 496 B, 2 modules: PTX for compute_80 compute_90 (ISA 8.4)
    Damaged  fatbin: container at 0x80 (1048576 bytes) runs past the end, 0x1f0
    none     sm_86: nothing in it runs on this GPU, and nothing can be compiled
             for it: its PTX is for other GPUs; programs fail with "no kernel
             image is available" (error 209)
*
exit 6

=== damaged-path
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "traps/elf_sections_past_the_end-x.so"
!  jitwarm: traps/elf_sections_past_the_end-x.so: elf: section table at 0x7fffffff runs past the end; if it is damaged, copy or install it again
exit 6

=== deep
$ cd "$GEN"; for f in hidden-in-data no-section-table; do "$JITWARM" scan --gpu sm_86 "elf/$f.so"; "$JITWARM" scan --deep --gpu sm_86 "elf/$f.so"; done
  elf/hidden-in-data.so
    elf, 1.3 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module

  elf/hidden-in-data.so
    elf, 1.3 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module

  elf/no-section-table.so
    elf, 1 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module

  elf/no-section-table.so
    elf, 1 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module
*

=== check-no-gpu-here
skip on windows: a machine without a GPU is made by a folder
$ made_machine
$ "$JITWARM" scan --check "$GEN/elf/only-sass.so"; echo "exit $?"
$ cd "$GEN" && "$JITWARM" scan --check --gpu all elf/only-sass.so; echo "exit $?"
  exit 2
  elf/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    none     sm_61: nothing in it runs on this GPU, and nothing can be compiled
             for it: the oldest code is for sm_75; programs fail with "no kernel
             image is available" (error 209)
    native   sm_75, sm_80, sm_86, sm_89, sm_90: machine code for its one module
    none     sm_100, sm_120: nothing in it runs on this GPU, and nothing can be
             compiled for it: there is only machine code of other GPUs, no PTX;
             programs fail with "no kernel image is available" (error 209)

  exit 1
!  jitwarm scan: --check: no NVIDIA GPU was found here; name the GPUs that are meant: --gpu sm_90, or --gpu all for the usual ones (jitwarm help scan)

=== no-gpu-listed-and-a-driver
skip on windows: a machine without a GPU is made by a folder
$ made_machine
$ simulated_driver
$ "$JITWARM" scan --check "$GEN/elf/only-sass.so"; echo "exit $?"
$ "$JITWARM" scan "$GEN/elf/only-sass.so" >/dev/null
  exit 2
!  jitwarm scan: --check: the system lists no NVIDIA GPU here; name the GPUs that are meant: --gpu sm_90, or --gpu all for the usual ones (jitwarm help scan)
!  jitwarm: no GPU is listed here, so usual ones are shown
!  jitwarm: --gpu names others; jitwarm doctor asks the driver which are here

=== driver-does-not-drive
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_61 --driver 590 "elf/only-sass.so"
  elf/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    blocked  sm_61: driver 590 does not drive this GPU: no program can use it; 580
             is the last branch that does
*
!  jitwarm: driver 590 is too new for sm_61: it does not drive this GPU at all
exit 1

=== driver-nonsense
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_61 --driver five "elf/only-sass.so"
!  jitwarm scan: --driver: "five" is not a driver version; it looks like 580.126.09, 591.44, 580, or the CUDA version that nvidia-smi shows, 13.0 (jitwarm help scan)
exit 2

=== driver-too-old
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_120 --driver 580.95.05 "elf/ptx-too-new.so"
  elf/ptx-too-new.so
    elf, 9.8 KiB, 2 modules: PTX for compute_75 compute_120 (ISA 9.1)
    blocked  sm_120: 1 of 2 modules cannot be loaded by driver 580.95.05: its PTX
             is of ISA 9.1, which needs a driver >= 590; then 9 KiB of PTX, less
             than a second on one core
*

=== entries
$ cd "$GEN"
$ "$JITWARM" scan --entries --gpu sm_90 "elf/family-and-specific.so" "fatbin/layout-11.8-options-identifier.fatbin"
  elf/family-and-specific.so
    elf, 3.6 KiB, 1 module: machine code for sm_90a sm_100f sm_120f sm_121a; PTX
    for compute_100f compute_103a (ISA 9.1)
    native   sm_90: machine code for its one module
    module 0 at 0x110, 3024 bytes, registered, section .nv_fatbin
      0x120        elf  sm_90a       1.7   none             408 -> 408
      0x2f8        elf  sm_100f      1.8   none             496 -> 496
      0x540        elf  sm_120f      1.8   none             496 -> 496
      0x788        elf  sm_121a      1.8   none             496 -> 496
      0x9d0        ptx  compute_100f 9.1   none             312 -> 312
      0xb58        ptx  compute_103a 9.1   none             312 -> 312

  fatbin/layout-11.8-options-identifier.fatbin
    fatbin, 304 B, 1 module: machine code for sm_80; PTX for compute_80 (ISA 8.4)
    none     sm_90: only a linker's stub, or PTX without a kernel: nothing to run
    module 0 at 0x0, 304 bytes, registered
      0x10         ptx  compute_80   8.4   none              48 -> 48  kernels.cu  options: -maxrregcount=96
      0xb0         elf  sm_80        8.4   none              48 -> 48  kernels.cu
*

=== every-format
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 --gpu sm_90 -v "elf" "pe" "ar" "cubin" "ptx" "fatbin" "wheel"
  FILE                                              MODULES  sm_86   sm_90
  elf/registered.so                                       3  jit     jit
  elf/lld-zero-wrappers.so                                2  jit     jit
  elf/only-ptx.so                                         1  jit     jit
  elf/ptx-too-new.so                                      2  jit     jit
  ar/windows.lib                                          2  jit     jit
  fatbin/three-with-0-between.fatbin                      3  native  jit
  fatbin/three-with-24-between.fatbin                     3  native  jit
  fatbin/three-with-8-between.fatbin                      3  native  jit
  pe/bigobj.obj                                           2  jit     jit
  pe/library.dll                                          2  jit     jit
  pe/object.obj                                           2  jit     jit
  ptx/compute80.ptx                                       1  jit     jit
  ar/gnu.a                                                2  native  jit
  elf/tegra.so                                            1  jit     jit
  ar/k.o                                                  1  native  jit
  elf/executable                                          1  native  jit
  elf/extended-section-numbers.so                         1  native  jit
  elf/fatbin-after-bss.so                                 1  native  jit
  elf/no-section-table.so                                 1  native  jit
  elf/object.o                                            1  native  jit
  elf/rdc-and-linked.so                                   1  native  jit
  wheel/pkg-1.0-py3-none-any.whl!pkg/deflated.so          1  native  jit
  wheel/pkg-1.0-py3-none-any.whl!pkg/stored.so            1  native  jit
  wheel/zip64-1.0-py3-none-any.whl!pkg/deflated.so        1  native  jit
  wheel/zip64-1.0-py3-none-any.whl!pkg/stored.so          1  native  jit
  cubin/cuda13-sm100a.cubin                               1  none    none
  elf/family-and-specific.so                              1  none    native
  elf/lazy.so                                             0  lazy    lazy
  cubin/cuda12-sm86.cubin                                 1  native  -
  cubin/cuda12-sm90a.cubin                                1  -       native
  elf/all-packings.so                                     1  native  native
  elf/only-sass.so                                        1  native  native
  fatbin/layout-11.8-identifier.fatbin                    1  native  -
  fatbin/layout-11.8-options-identifier.fatbin            1  native  -
  fatbin/layout-11.8-options.fatbin                       1  native  -
  fatbin/layout-11.8.fatbin                               1  native  -
  fatbin/layout-12.4-identifier.fatbin                    1  native  -
  fatbin/layout-12.4-options-identifier.fatbin            1  native  -
  fatbin/layout-12.4-options.fatbin                       1  native  -
  fatbin/layout-12.4.fatbin                               1  native  -
  fatbin/layout-12.5-identifier.fatbin                    1  native  -
  fatbin/layout-12.5-options-identifier.fatbin            1  native  -
  fatbin/layout-12.5-options.fatbin                       1  native  -
  fatbin/layout-12.5.fatbin                               1  native  -
  cubin/cuda13-sm120-relocatable.cubin                    0  rdc     rdc
  elf/object-rdc.o                                        0  rdc     rdc
  fatbin/relocatable-ptx.fatbin                           1  rdc     rdc
  elf/linker-stub.so                                      1  -       -
  elf/lto.so                                              2  -       -
  ptx/compute120f.ptx                                     1  -       -

  sm_86: 10 files of 50 must be compiled at the first start: 20 KiB of PTX, up to
    3 seconds on one core; 2 files have no code for it; 2 files are for other
    GPUs, beside one for it
  sm_90: 25 files of 50 must be compiled at the first start: 41 KiB of PTX, up to
    12 seconds on one core; 1 file has no code for it; 2 files are for other GPUs,
    beside one for it
  not read:
    wheel/unreadable-1.0-py3-none-any.whl!pkg/deflated.so: zip: the member is compressed by method 12 (stored and deflated are known)
    wheel/unreadable-1.0-py3-none-any.whl!pkg/stored.so: zip: the member is encrypted
exit 1

=== evil-names
skip on windows: names with control characters do not exist on Windows
$ n=$(printf "a\033[31mb.so")
$ cp "$GEN/elf/only-sass.so" "$n"
$ "$JITWARM" scan --gpu sm_86 "$n"
  a\x1b[31mb.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    native   sm_86: machine code for its one module
*

=== exclude
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 --exclude "*.so" --exclude elf/executable --exclude "*.debug" "elf"
  elf/object-rdc.o
    elf, 1.1 KiB, 0 modules, 1 for the device linker: machine code for sm_86; PTX
    for compute_75 (ISA 8.4)
    rdc      sm_86: only inputs of the device linker, which no driver loads by
             themselves (1 module)

  elf/object.o
    elf, 1.1 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module
*

=== full-disk
skip on windows: there is no /dev/full on Windows
$ "$JITWARM" scan --gpu sm_86 "$GEN/elf/only-sass.so" >/dev/full
!  jitwarm: cannot write the output: No space left on device
exit 4

=== gpu-ambiguous
$ cd "$GEN"
$ "$JITWARM" scan --gpu "RTX 6000" "elf/only-sass.so"
!  jitwarm scan: --gpu: RTX 6000 exists with two kinds of chip: TU102 (sm_75, such as 10de:1e30) and AD102 (sm_89, such as 10de:26b1); give its PCI id or its sm_ number (jitwarm help scan)
exit 2

=== gpu-known
$ cd "$GEN"
$ "$JITWARM" scan --gpu known "elf/family-and-specific.so"
  elf/family-and-specific.so
    elf, 3.6 KiB, 1 module: machine code for sm_90a sm_100f sm_120f sm_121a; PTX
    for compute_100f compute_103a (ISA 9.1)
    none     sm_20, sm_21, sm_30, sm_32, sm_35, sm_37, sm_50, sm_52, sm_53, sm_60,
             sm_61, sm_62, sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_88, sm_89:
             nothing in it runs on this GPU, and nothing can be compiled for it:
             the oldest code is for sm_90; programs fail with "no kernel image is
             available" (error 209)
    native   sm_90, sm_100, sm_103, sm_107, sm_120, sm_121: machine code for its
             one module
    none     sm_101, sm_110: nothing in it runs on this GPU, and nothing can be
             compiled for it: its PTX is for other GPUs; programs fail with "no
             kernel image is available" (error 209)
*

=== gpu-of-another-vendor
$ cd "$GEN"
$ "$JITWARM" scan --gpu 1002:744c "elf/only-sass.so"
!  jitwarm scan: --gpu: 1002:744c is made by AMD; CUDA needs a GPU of NVIDIA (vendor 10de) (jitwarm help scan)
exit 2

=== gpu-unknown
$ cd "$GEN"
$ "$JITWARM" scan --gpu "RTX 3075" "elf/only-sass.so"
!  jitwarm scan: --gpu: no GPU is called "RTX 3075"; the nearest names are GeForce RTX 3070, NVIDIA GeForce RTX 2070 and Quadro RTX 3000. A PCI id (10de:2484) or a compute capability (sm_86, 8.6) is understood too (jitwarm help scan)
exit 2

=== gpu-uuid
$ cd "$GEN"
$ "$JITWARM" scan --gpu GPU-5f0e1d3c-0000-0000-0000-000000000000 "elf/only-sass.so"
!  jitwarm scan: --gpu: "GPU-5f0e1d3c-0000-0000-0000-000000000000" is a UUID, which only the driver of its machine can resolve; give the GPU's index, PCI id, name or sm_ number (jitwarm help scan)
exit 2

=== json
$ cd "$GEN"
$ "$JITWARM" scan --json --gpu sm_90 --gpu 10de:2484 "elf/lazy.so"
  {
    "schema": "jitwarm.scan/1",
    "gpus": [
      {
        "gpu": "sm_90",
        "name": null,
        "source": "option"
      },
      {
        "gpu": "sm_86",
        "name": "NVIDIA GeForce RTX 3070",
        "source": "option"
      }
    ],
    "driver": null,
    "driver_build": null,
    "files": [
      {
        "path": "elf/lazy.so",
        "size": 10304,
        "format": "elf",
        "vendor": false,
        "package": {
          "name": "lazy.so",
          "version": null,
          "vendor": false
        },
        "containers": 0,
        "lazy_containers": 2,
        "rdc_containers": 0,
        "entries": [
          {
            "kind": "elf",
            "arch": "sm_86",
            "code_version": "1.7",
            "compression": "none",
            "count": 1,
            "stored_bytes": 472,
            "plain_bytes": 408,
            "lazy": true
          },
          {
            "kind": "ptx",
            "arch": "compute_75",
            "isa": "8.4",
            "compression": "none",
            "count": 1,
            "stored_bytes": 4664,
            "plain_bytes": 4584,
            "lazy": true
          },
          {
            "kind": "ptx",
            "arch": "compute_80",
            "isa": "8.4",
            "compression": "none",
            "count": 1,
            "stored_bytes": 4664,
            "plain_bytes": 4584,
            "lazy": true
          }
        ],
        "verdicts": [
          {
            "gpu": "sm_90",
            "verdict": "lazy",
            "native": 0,
            "jit": 0,
            "warm": 0,
            "blocked": 0,
            "none": 0,
            "unknown": 0,
            "mostly_none": false,
            "beside": false,
            "links": 0,
            "inputs": 0,
            "inputs_native": 0,
            "inputs_missing": 0,
            "link_milliseconds": null,
            "rdc": 0,
            "lto": 0,
            "lazy_jit": 2,
            "left_out": 0,
            "from": [],
            "jit_ptx_bytes": 0,
            "lazy_ptx_bytes": 9168,
            "needs_driver": null
          },
          {
            "gpu": "sm_86",
            "verdict": "lazy",
            "native": 0,
            "jit": 0,
            "warm": 0,
            "blocked": 0,
            "none": 0,
            "unknown": 0,
            "mostly_none": false,
            "beside": false,
            "links": 0,
            "inputs": 0,
            "inputs_native": 0,
            "inputs_missing": 0,
            "link_milliseconds": null,
            "rdc": 0,
            "lto": 0,
            "lazy_jit": 1,
            "left_out": 0,
            "from": [],
            "jit_ptx_bytes": 0,
            "lazy_ptx_bytes": 4584,
            "needs_driver": null
          }
        ],
        "problems": []
      }
    ],
    "skipped": [],
    "totals": {
      "files": 1,
      "bytes": 10304
    }
  }

=== json-of-two-files
$ cd "$GEN"
$ only "check files.path files.containers files.lazy_containers files.entries.arch files.entries.count files.verdicts.gpu files.verdicts.verdict files.verdicts.native files.verdicts.jit files.verdicts.lazy_jit files.verdicts.from files.verdicts.jit_ptx_bytes files.verdicts.needs_driver totals" "$JITWARM" scan --check --json --gpu sm_90 --gpu 10de:2484 "elf/registered.so" "elf/lazy.so"
  check: "failed"
  files.path: ["elf/lazy.so", "elf/registered.so"]
  files.containers: [0, 3]
  files.lazy_containers: [2, 0]
  files.entries.arch: [["sm_86", "compute_75", "compute_80"], ["sm_86", "sm_89", "sm_120a", "sm_121a", "compute_75", "compute_80", "compute_90"]]
  files.entries.count: [[1, 1, 1], [2, 1, 1, 1, 2, 2, 1]]
  files.verdicts.gpu: [["sm_90", "sm_86"], ["sm_90", "sm_86"]]
  files.verdicts.verdict: [["lazy", "lazy"], ["jit", "jit"]]
  files.verdicts.native: [[0, 0], [0, 2]]
  files.verdicts.jit: [[0, 0], [3, 1]]
  files.verdicts.lazy_jit: [[2, 1], [0, 0]]
  files.verdicts.from: [[[], []], [["compute_90", "compute_80", "compute_75"], ["compute_80"]]]
  files.verdicts.jit_ptx_bytes: [[0, 0], [13752, 4584]]
  files.verdicts.needs_driver: [[null, null], ["550", "550"]]
  totals: {"files": 2, "bytes": 36968}
exit 1

=== json-entries
$ cd "$GEN"
$ only "driver files.path files.verdicts.verdict files.verdicts.left_out files.modules.offset files.modules.bytes files.modules.section files.modules.member files.modules.role files.modules.entries.offset files.modules.entries.kind files.modules.entries.arch files.modules.entries.stored_bytes files.modules.entries.options files.modules.entries.identifier" "$JITWARM" scan --json --entries --gpu sm_90 --driver 535 "elf/rdc-and-linked.so" "fatbin/layout-12.5-options-identifier.fatbin" "ar/gnu.a"
  driver: "535"
  files.path: ["ar/gnu.a", "elf/rdc-and-linked.so", "fatbin/layout-12.5-options-identifier.fatbin"]
  files.verdicts.verdict: [["blocked"], ["blocked"], ["none"]]
  files.verdicts.left_out: [[0], [0], [1]]
  files.modules.offset: [[298, 1582], [176, 1056], [0]]
  files.modules.bytes: [[880, 880], [880, 880], [304]]
  files.modules.section: [[".nv_fatbin", ".nv_fatbin"], ["__nv_relfatbin", ".nv_fatbin"], [null]]
  files.modules.member: [["k.o", "kernels_with_a_long_name.cu.o"], [null, null], [null]]
  files.modules.role: [["registered", "registered"], ["rdc", "registered"], ["registered"]]
  files.modules.entries.offset: [[[314, 706], [1598, 1990]], [[192, 584], [1072, 1464]], [[16, 176]]]
  files.modules.entries.kind: [[["ptx", "elf"], ["ptx", "elf"]], [["ptx", "elf"], ["ptx", "elf"]], [["ptx", "elf"]]]
  files.modules.entries.arch: [[["compute_75", "sm_86"], ["compute_75", "sm_86"]], [["compute_75", "sm_86"], ["compute_75", "sm_86"]], [["compute_80", "sm_80"]]]
  files.modules.entries.stored_bytes: [[[312, 408], [312, 408]], [[312, 408], [312, 408]], [[48, 48]]]
  files.modules.entries.options: [[[null, null], [null, null]], [[null, null], [null, null]], [["-maxrregcount=96", null]]]
  files.modules.entries.identifier: [[[null, null], [null, null]], [[null, null], [null, null]], [["kernels.cu", "kernels.cu"]]]

=== lazy-none
$ cd "$GEN"
$ "$JITWARM" scan --check --gpu sm_70 "elf/lazy.so"
  elf/lazy.so
    elf, 10 KiB, 0 modules and 2 that it loads on demand: machine code for sm_86;
    PTX for compute_75 compute_80 (ISA 8.4)
    none     sm_70: nothing in it runs on this GPU, and nothing can be compiled
             for it: the oldest code is for sm_75; programs fail with "no kernel
             image is available" (error 209)
*
exit 1

=== lto
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "elf/lto.so" "elf/linker-stub.so"
  elf/linker-stub.so
    elf, 968 B, 1 module: machine code for sm_75
    none     sm_86: only a linker's stub, or PTX without a kernel: nothing to run

  elf/lto.so
    elf, 800 B, 2 modules: linker code for lto_75 lto_80
    none     sm_86: only code for nvJitLink, which a library links while it runs:
             nothing for the driver
*

=== lto-beside-machine-code
$ (tail -c +273 "$GEN/elf/only-sass.so" | head -c 1904; tail -c +193 "$GEN/elf/lto.so" | head -c 320) >kernels.fatbin
$ "$JITWARM" scan --gpu sm_86 kernels.fatbin
  kernels.fatbin
    fatbin, 2.2 KiB, 3 modules: machine code for sm_75 sm_80 sm_86 sm_90; linker
    code for lto_75 lto_80
    native   sm_86: machine code for 1 of 3 modules; 2 are link-time code (LTO)
             for nvJitLink, and nothing for the driver
*

=== many-gpus
$ cd "$GEN"
$ "$JITWARM" scan --gpu known elf
  FILE                             MODULES  VERDICT BY sm_
  elf/registered.so                      3  jit 75-121; none 20-72
  elf/lld-zero-wrappers.so               2  jit 75-121; none 20-72
  elf/only-ptx.so                        1  jit 52-121; none 20-50
  elf/ptx-too-new.so                     2  jit 75-121; none 20-72
  elf/all-packings.so                    1  jit 87-88 100-121; none 20-72; native 75-86 89-90
  elf/executable                         1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/extended-section-numbers.so        1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/fatbin-after-bss.so                1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/no-section-table.so                1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/object.o                           1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/rdc-and-linked.so                  1  jit 75-80 87-88 90-121; none 20-72; native 86 89
  elf/tegra.so                           1  jit 86 88-121; none 20-80; native 87
  elf/family-and-specific.so             1  none 20-89 101 110; native 90-100 103-107 120-121
  elf/lazy.so                            0  none 20-72; lazy 75-121
  elf/only-sass.so                       1  none 20-72 87-88 100-121; native 75-86 89-90
  and 3 more files (--verbose lists all)

  sm_20, sm_21, sm_30, sm_32, sm_35, sm_37, sm_50: 15 files have no code for it
  sm_52, sm_53, sm_60, sm_61, sm_62, sm_70, sm_72: 1 file of 18 must be compiled
    at the first start: 4.5 KiB of PTX, less than a second on one core; 14 files
    have no code for it
  sm_75: 10 files of 18 must be compiled at the first start: 24 KiB of PTX, up to
    3 seconds on one core; 2 files have no code for it
  sm_80: 10 files of 18 must be compiled at the first start: 33 KiB of PTX, up to
    4 seconds on one core; 2 files have no code for it
  sm_86, sm_89: 5 files of 18 must be compiled at the first start: 18 KiB of PTX,
    up to 2 seconds on one core; 1 file has no code for it
  sm_87: 11 files of 18 must be compiled at the first start: 38 KiB of PTX, up to
    4 seconds on one core; 2 files have no code for it
  sm_88, sm_101, sm_110: 12 files of 18 must be compiled at the first start:
    38 KiB of PTX, up to 5 seconds on one core; 2 files have no code for it
  sm_90: 11 files of 18 must be compiled at the first start: 33 KiB of PTX, up to
    4 seconds on one core
  sm_100, sm_103, sm_107, sm_120, sm_121: 12 files of 18 must be compiled at the
    first start: 38 KiB of PTX, up to 5 seconds on one core; 1 file has no code
    for it

=== missing-path
$ "$JITWARM" scan --gpu sm_86 not/there "$GEN/elf/only-sass.so"
  {GEN}/elf/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    native   sm_86: machine code for its one module
*
!  jitwarm: not/there: no such file
exit 2

=== missing-path-json
$ "$JITWARM" scan --json --gpu sm_86 not/there
  {
    "schema": "jitwarm.scan/1",
    "gpus": [
      {
        "gpu": "sm_86",
        "name": null,
        "source": "option"
      }
    ],
    "driver": null,
    "driver_build": null,
    "files": [],
    "skipped": [
      {
        "path": "not/there",
        "reason": "no such file"
      }
    ],
    "totals": {
      "files": 0,
      "bytes": 0
    }
  }
!  jitwarm: not/there: no such file
exit 2

=== named-twice
$ mkdir d
$ cp "$GEN/elf/no-cuda.so" "$GEN/elf/only-sass.so" d
$ "$JITWARM" scan --gpu sm_86 d d/no-cuda.so d/only-sass.so ./d/only-sass.so
  ./d/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    native   sm_86: machine code for its one module

  d/no-cuda.so
    elf, 328 B, no CUDA code in it

  d/only-sass.so
    elf, 2.5 KiB, 1 module: machine code for sm_75 sm_80 sm_86 sm_90
    native   sm_86: machine code for its one module
*

=== no-code
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "elf/no-cuda.so" "pe/no-cuda.dll"
  elf/no-cuda.so
    elf, 328 B, no CUDA code in it

  pe/no-cuda.dll
    pe, 1 KiB, no CUDA code in it
*

=== no-code-folder
$ mkdir empty
$ "$JITWARM" scan --gpu sm_86 empty
  No CUDA code in 0 files.

=== one-bad-file
$ mkdir d
$ printf "plain text, and no more of it\n" >d/a.txt
$ cp "$GEN/traps/elf_sections_past_the_end-x.so" d/b.so
$ "$JITWARM" scan --gpu sm_86 d
  No CUDA code in 1 file.
  not read:
    d/b.so: elf: section table at 0x7fffffff runs past the end
exit 1

=== one-library
$ cd "$GEN"
$ "$JITWARM" scan --gpu 8.6 --gpu h100 --gpu "GTX 1080" "elf/registered.so"
  elf/registered.so
    elf, 26 KiB, 3 modules: machine code for sm_86 sm_89 sm_120a sm_121a; PTX for
    compute_75 compute_80 compute_90 (ISA 8.4)
    jit      sm_86: 1 of 3 modules must be compiled from compute_80: 4.5 KiB of
             PTX, less than a second on one core, needs a driver >= 550
    jit      NVIDIA H100 (sm_90): all 3 modules must be compiled from compute_90,
             compute_80 and compute_75: 13 KiB of PTX, less than a second on one
             core, needs a driver >= 550
    none     GeForce GTX 1080 (sm_61): nothing in it runs on this GPU, and nothing
             can be compiled for it: the oldest code is for sm_75; programs fail
             with "no kernel image is available" (error 209)
*

=== sixty-columns
$ cd "$GEN"
$ COLUMNS=60 "$JITWARM" scan --gpu sm_86 --gpu sm_90 elf/registered.so elf/only-ptx.so elf/executable | sed -n 1,10p
$ COLUMNS=60 "$JITWARM" scan --gpu sm_86 --gpu sm_90 elf fatbin | sed -n 1,10p
  elf/executable
    elf, 1.3 KiB, 1 module: machine code for sm_86; PTX for
    compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module
    jit      sm_90: its one module must be compiled from
             compute_75: 312 B of PTX, less than a second on
             one core, needs a driver >= 550

  elf/only-ptx.so
    elf, 5.2 KiB, 1 module: PTX for compute_52 (ISA 8.4)
  FILE                             MODULES  VERDICT BY sm_
  elf/registered.so                      3  jit 86-90
  elf/lld-zero-wrappers.so               2  jit 86-90
  elf/only-ptx.so                        1  jit 86-90
  elf/ptx-too-new.so                     2  jit 86-90
  fa…/three-with-0-between.fatbin        3  jit 90; native 86
  f…/three-with-24-between.fatbin        3  jit 90; native 86
  fa…/three-with-8-between.fatbin        3  jit 90; native 86
  elf/tegra.so                           1  jit 86-90
  elf/executable                         1  jit 90; native 86

=== tegra
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_87 --gpu sm_86 --gpu sm_88 "elf/tegra.so"
  elf/tegra.so
    elf, 1.3 KiB, 1 module: machine code for sm_87; PTX for compute_86 (ISA 8.4)
    native   sm_87: machine code for its one module
    jit      sm_86, sm_88: its one module must be compiled from compute_86: 312 B
             of PTX, less than a second on one core, needs a driver >= 550
*

=== traps-for-people
$ cd "$GEN"
$ "$JITWARM" scan -v --gpu sm_86 traps | grep -v "/zip_"
  FILE                                            MODULES  sm_86
  traps/ptx_of_32_bits-x.ptx                            1  jit, 44 B of PTX
  traps/arch_of_1000-x.fatbin                           3  none
  traps/arch_of_zero-x.fatbin                           3  none
  traps/arch_that_fits_in_16_bits_only-x.fatbin         3  none
  traps/both_a_and_f-x.fatbin                           3  none
  traps/code_of_32_bits-x.fatbin                        3  none
  traps/container_header_of_20-x.fatbin                 2  none
  traps/container_header_of_24-x.fatbin                 3  none
  traps/container_header_of_8-x.fatbin                  2  none
  traps/container_of_version_2-x.fatbin                 2  none
  traps/cubin_compat_cut_off-x.cubin                    1  none
  traps/decompression_bomb-x.fatbin                     3  none
  traps/elf_garbage_container-x.so                      2  none
  traps/elf_sections_overlap-x.so                       3  none
  traps/elf_segments_overlap-x.so                       3  none
  traps/fat_size_not_a_multiple_of_8-x.fatbin           2  none
  traps/fat_size_of_2_gib-x.fatbin                      2  none
  traps/fat_size_of_zero-x.fatbin                       3  none
  traps/fat_size_overflows-x.fatbin                     2  none
  traps/fat_size_past_the_end-x.fatbin                  2  none
  traps/header_below_64-x.fatbin                        2  none
  traps/header_not_a_multiple_of_8-x.fatbin             2  none
  traps/header_of_zero-x.fatbin                         2  none
  traps/header_too_large-x.fatbin                       2  none
  traps/identifier_outside-x.fatbin                     3  none
  traps/kind_mercury-x.fatbin                           3  none
  traps/kind_unknown-x.fatbin                           3  none
  traps/nested_container_in_a_payload-x.fatbin          3  none
  traps/options_descriptor_outside-x.fatbin             3  none
  traps/options_in_the_fixed_part-x.fatbin              3  none
  traps/options_length_overflows-x.fatbin               3  none
  traps/options_outside-x.fatbin                        3  none
  traps/other_bytes_between_containers-x.fatbin         3  none
  traps/packed_from_nothing-x.fatbin                    3  none
  traps/packed_larger_than_its_payload-x.fatbin         3  none
  traps/packed_to_nothing-x.fatbin                      3  none
  traps/packed_twice-x.fatbin                           3  none
  traps/packed_without_a_flag-x.fatbin                  3  none
  traps/partial_entry_at_the_end-x.fatbin               2  none
  traps/payload_not_a_multiple_of_8-x.fatbin            2  none
  traps/payload_of_zero-x.fatbin                        2  none
  traps/payload_overflows-x.fatbin                      2  none
  traps/payload_past_the_end-x.fatbin                   2  none
  traps/pe_virtual_size_too_small-x.dll                 3  none
  traps/zero_stride-x.fatbin                            2  none
  traps/ar_damaged_container-x.a                        1  -
  traps/ar_damaged_member-x.a                           1  -
  traps/ar_name_past_the_names-x.a                      2  -
  traps/container_cut_off_in_its_header-x.fatbin        2  -
  traps/elf_name_past_the_names-x.so                    1  -
  traps/elf_names_without_nul-x.so                      1  -
  traps/elf_no_names-x.so                               1  -
  traps/elf_no_sections-x.so                            1  -
  traps/elf_other_section_past_the_end-x.so             1  -
  traps/elf_wrappers_lie-x.so                           1  -
  traps/pe_other_section_past_the_end-x.dll             1  -
  traps/pe_virtual_size_too_large-x.dll                 1  -

  sm_86: 1 file of 57 must be compiled at the first start: 44 B of PTX, less than
    a second on one core; 44 files have no code for it
  damaged:
    traps/ar_damaged_container-x.a: bad.o: fatbin: entry at 0x50 has a header of 0 bytes (at least 64)
    traps/ar_damaged_member-x.a: bad.o: elf: section table at 0x7fffffff runs past the end
    traps/arch_of_1000-x.fatbin: fatbin: entry at 0x90 is for an architecture number outside of 1 to 999
    traps/arch_of_zero-x.fatbin: fatbin: entry at 0x90 is for an architecture number outside of 1 to 999
    traps/arch_that_fits_in_16_bits_only-x.fatbin: fatbin: entry at 0x90 is for an architecture number outside of 1 to 999
    traps/both_a_and_f-x.fatbin: fatbin: entry at 0x90 is marked both architecture-specific and family-specific
    traps/container_cut_off_in_its_header-x.fatbin: fatbin: container at 0x170 is cut off in its header
    traps/container_header_of_20-x.fatbin: fatbin: container at 0x80 has a header of 20 bytes (16 is usual)
    traps/container_header_of_8-x.fatbin: fatbin: container at 0x80 has a header of 8 bytes (16 is usual)
    traps/container_of_version_2-x.fatbin: fatbin: container at 0x80 has version 2 (only 1 is known)
    traps/decompression_bomb-x.fatbin: fatbin: entry at 0x90 claims to unpack to more than 512 MiB
    traps/elf_garbage_container-x.so: fatbin: entry at 0x120 has a header of 0 bytes (at least 64)
    traps/elf_sections_overlap-x.so: __nv_relfatbin at 0x110 overlaps another section
    traps/fat_size_not_a_multiple_of_8-x.fatbin: fatbin: container at 0x80 has a size of 228 (not a multiple of 8)
    traps/fat_size_of_2_gib-x.fatbin: fatbin: container at 0x80 claims 2147483648 bytes; no driver loads more than 2 GiB
    traps/fat_size_overflows-x.fatbin: fatbin: container at 0x80 claims 18446744073709551608 bytes; no driver loads more than 2 GiB
    traps/fat_size_past_the_end-x.fatbin: fatbin: container at 0x80 (1048576 bytes) runs past the end, 0x1f0
    traps/header_below_64-x.fatbin: fatbin: entry at 0x90 has a header of 56 bytes (at least 64)
    traps/header_not_a_multiple_of_8-x.fatbin: fatbin: entry at 0x90 has a header of 68 bytes (not a multiple of 8)
    traps/header_of_zero-x.fatbin: fatbin: entry at 0x90 has a header of 0 bytes (at least 64)
    traps/header_too_large-x.fatbin: fatbin: entry at 0x90 has a header of 65544 bytes (at most 65536)
    traps/identifier_outside-x.fatbin: fatbin: entry at 0x90 has options or an identifier outside of its header
    traps/options_descriptor_outside-x.fatbin: fatbin: entry at 0x90 has options or an identifier outside of its header
    traps/options_in_the_fixed_part-x.fatbin: fatbin: entry at 0x90 has options or an identifier outside of its header
    traps/options_length_overflows-x.fatbin: fatbin: entry at 0x90 has options or an identifier outside of its header
    traps/options_outside-x.fatbin: fatbin: entry at 0x90 has options or an identifier outside of its header
    traps/packed_from_nothing-x.fatbin: fatbin: entry at 0x90 is marked compressed, but its compressed size is 0
    traps/packed_larger_than_its_payload-x.fatbin: fatbin: entry at 0x90 has a compressed size larger than its payload
    traps/packed_to_nothing-x.fatbin: fatbin: entry at 0x90 is marked compressed, but its unpacked size is 0
    traps/packed_twice-x.fatbin: fatbin: entry at 0x90 is marked with two compressions at once
    traps/packed_without_a_flag-x.fatbin: fatbin: entry at 0x90 has a compressed size, but no compression
    traps/partial_entry_at_the_end-x.fatbin: fatbin: 32 bytes are left over at 0x170 (an entry has at least 64)
    traps/payload_not_a_multiple_of_8-x.fatbin: fatbin: entry at 0x90 has a payload of 31 bytes (not a multiple of 8)
    traps/payload_of_zero-x.fatbin: fatbin: entry at 0x100 has no payload
    traps/payload_overflows-x.fatbin: fatbin: entry at 0x100 runs past the end of its container
    traps/payload_past_the_end-x.fatbin: fatbin: entry at 0x100 runs past the end of its container
    traps/pe_virtual_size_too_small-x.dll: fatbin: container at 0x380 (112 bytes) runs past the end, 0x3c0
    traps/zero_stride-x.fatbin: fatbin: entry at 0x90 has a header of 0 bytes (at least 64)
  not read:
    traps/ar_member_cut_off-x.a: ar: member at 0x268 is cut off
    traps/ar_member_past_the_end-x.a: ar: member at 0x268 (9999999 bytes) runs past the end
    traps/ar_no_member_header-x.a: ar: no member header at 0x268
    traps/ar_size_is_no_number-x.a: ar: no member header at 0x268
    traps/coff_fatbin_past_the_end-x.obj: pe: section 1 (.nv_fatbin) at 0x7fffffff runs past the end: the file is cut off
    traps/cubin_without_an_architecture-x.cubin: cubin: e_flags 0x00000000 name no architecture
    traps/elf_extended_count_lies-x.so: elf: 1099511627776 sections (at most 262144 are looked at)
    traps/elf_extended_table_past_the_end-x.so: elf: section table at 0x7fffffff runs past the end
    traps/elf_fatbin_past_the_end-x.so: elf: .nv_fatbin at 0x110 (0x100000 bytes) runs past the end: the file is cut off
    traps/elf_name_section_lies-x.so: elf: names are in section 99, but there are only 5
    traps/elf_names_past_the_end-x.so: elf: section names at 0x1000000 run past the end
    traps/elf_names_too_large-x.so: elf: section names of 4294967296 bytes (at most 16777216)
    traps/elf_names_without_bytes-x.so: elf: the section names are not in the file
    traps/elf_program_headers_overflow-x.so: elf: program header 0 at 0xffffffffffff0001 runs past the end
    traps/elf_program_headers_past_the_end-x.so: elf: program header 0 at 0x7fffffff runs past the end
    traps/elf_section_count_lies-x.so: elf: section table at 0x1d8 runs past the end
    traps/elf_sections_overflow-x.so: elf: section table at 0xfffffffffffffff0 runs past the end
    traps/elf_sections_past_the_end-x.so: elf: section table at 0x7fffffff runs past the end
    traps/elf_segment_past_the_end-x.so: elf: segment 1 at 0x7fffffff runs past the end
    traps/elf_small_section_headers-x.so: elf: section headers of 40 bytes (at least 64)
    traps/pe_fatbin_past_the_end-x.dll: pe: section 1 (.nv_fatb) at 0x7fffffff runs past the end: the file is cut off
    traps/pe_section_count_lies-x.dll: pe: section table at 0x148 (65535 sections) runs past the end
    traps/ptx_comment_without_end-x.ptx: ptx: .version is missing at 0x11
    traps/ptx_of_a_strange_target-x.ptx: ptx: .target at 0x15 is not an sm_NN
    traps/ptx_of_a_strange_version-x.ptx: ptx: .version at 0x9 is not two numbers
    traps/ptx_without_target-x.ptx: ptx: .target is missing at 0xd
    traps/ptx_without_version-x.ptx: ptx: .version is missing at 0x0

=== unknown-option
$ "$JITWARM" scan --gpuu sm_86 .
!  jitwarm scan: --gpuu is not an option; did you mean --gpu? (jitwarm help scan)
exit 2

=== wide-names
$ mkdir -p 한글/폴더; for i in 가 나다 라마바 x; do cp "$GEN/elf/only-sass.so" "한글/폴더/$i.so"; done; "$JITWARM" scan --gpu sm_86 한글
  FILE                 MODULES  sm_86
  한글/폴더/x.so             1  native
  한글/폴더/가.so            1  native
  한글/폴더/나다.so          1  native
  한글/폴더/라마바.so        1  native

  sm_86: nothing has to be compiled

=== warm
skip on windows: on a Windows program there is no venv of this shape
$ unset CUDA_FORCE_PTX_JIT CUDA_FORCE_JIT
$ site=venv/lib/python3.11/site-packages
$ mkdir -p venv/bin "$site/demo" "$site/demo-1.0.dist-info"
$ echo "home = /usr" >venv/pyvenv.cfg
$ cp "$GEN/elf/only-ptx.so" "$GEN/elf/registered.so" "$site/demo"
$ printf "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n" >"$site/demo-1.0.dist-info/METADATA"
$ printf "demo/only-ptx.so,,\ndemo/registered.so,,\n" >"$site/demo-1.0.dist-info/RECORD"
$ export VIRTUAL_ENV="$PWD/venv" CUDA_CACHE_PATH="$PWD/cache"
$ gpu_on_the_bus 0x2236; scan() { "$JITWARM" scan --check "$@"; echo "exit $?"; }
$ export JITWARM_DRIVER="$SIM/libcuda.so.1"
$ echo "--- half of it"; "$JITWARM" prime --as-root -q "$site/demo/only-ptx.so" >/dev/null; scan; scan "$site/demo"
$ echo "--- all of it"; "$JITWARM" prime --as-root -q "$site/demo" >/dev/null; scan; scan "$site/demo"
$ echo "--- of machines with that GPU: their caches are others"; "$JITWARM" scan --check --gpu sm_86 "$site/demo" | grep -c ' jit '
$ echo "--- another GPU, another driver, the cache off"
$ "$JITWARM" scan --gpu sm_75 "$site/demo/only-ptx.so" | grep -c ' jit '
$ "$JITWARM" scan --driver 580 --gpu sm_86 "$site/demo/only-ptx.so" | grep -c ' jit '
$ CUDA_CACHE_DISABLE=1 "$JITWARM" scan --gpu sm_86 "$site/demo/only-ptx.so" | grep -c ' jit '
$ CUDA_FORCE_PTX_JIT=1 "$JITWARM" scan --gpu sm_86 "$site/demo/only-ptx.so" | grep -c ' jit '
$ echo "--- JSON"; "$JITWARM" scan --json --gpu sm_86 "$site/demo/only-ptx.so" | grep -E '"(driver_build|verdict|jit|warm|jit_ptx_bytes)"' | sed 's/gnu:[0-9a-f]*/BUILD/'
$ echo "--- found by the loader's path: warm; after a driver update: not known"; unset JITWARM_DRIVER
$ on() { v=$1; shift; "$WITH_SIMCUDA" --driver "$v" -- "$JITWARM" "$@"; }
$ on 580.126.09 prime --as-root -q "$site/demo/only-ptx.so" >/dev/null
$ on 580.126.09 scan --gpu sm_86 "$site/demo/only-ptx.so" | grep -c ' warm '
$ on 590.44.01 scan --gpu sm_86 "$site/demo/only-ptx.so" | grep -c ' jit '
  --- half of it
  PACKAGE   FILES  MODULES  sm_86
  demo 1.0      2        4  jit, 4.5 KiB of PTX, 1 of 2 warm

  NVIDIA A10 (sm_86): 1 package of 1 must be compiled at the first start: 4.5 KiB
    of PTX, less than a second on one core
  To do      jitwarm prime
  exit 1
  venv/lib/python3.11/site-packages/demo/only-ptx.so
    elf, 5.2 KiB, 1 module: PTX for compute_52 (ISA 8.4)
    warm     NVIDIA A10 (sm_86): its one module is in the driver's cache: nothing
             is compiled at the next start

  venv/lib/python3.11/site-packages/demo/registered.so
    elf, 26 KiB, 3 modules: machine code for sm_86 sm_89 sm_120a sm_121a; PTX for
    compute_75 compute_80 compute_90 (ISA 8.4)
    jit      NVIDIA A10 (sm_86): 1 of 3 modules must be compiled from compute_80:
             4.5 KiB of PTX, less than a second on one core, needs a driver >= 550

  To do      jitwarm prime venv/lib/python3.11/site-packages/demo
  exit 1
  --- all of it
  PACKAGE   FILES  MODULES  sm_86
  demo 1.0      2        4  warm

  NVIDIA A10 (sm_86): nothing has to be compiled; 1 package is warm
  exit 0
  venv/lib/python3.11/site-packages/demo/only-ptx.so
    elf, 5.2 KiB, 1 module: PTX for compute_52 (ISA 8.4)
    warm     NVIDIA A10 (sm_86): its one module is in the driver's cache: nothing
             is compiled at the next start

  venv/lib/python3.11/site-packages/demo/registered.so
    elf, 26 KiB, 3 modules: machine code for sm_86 sm_89 sm_120a sm_121a; PTX for
    compute_75 compute_80 compute_90 (ISA 8.4)
    warm     NVIDIA A10 (sm_86): the 1 module without machine code is in the
             driver's cache: nothing is compiled at the next start

  exit 0
  --- of machines with that GPU: their caches are others
  2
  --- another GPU, another driver, the cache off
  1
  1
  1
  1
  --- JSON
    "driver_build": "BUILD",
            "verdict": "warm",
            "jit": 0,
            "warm": 1,
            "jit_ptx_bytes": 0,
  --- found by the loader's path: warm; after a driver update: not known
  1
  1

=== far-in-data
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_86 "far/in-data.so"
  far/in-data.so
    elf, 189 KiB, 1 module: machine code for sm_86; PTX for compute_75 (ISA 8.4)
    native   sm_86: machine code for its one module
*

=== alone-among-data
$ cd "$GEN"
$ "$JITWARM" scan -v --gpu sm_86 "far/alone.so"
$ "$JITWARM" scan -v --check --gpu sm_86 "far/alone.so"
$ "$JITWARM" scan --json --gpu sm_86 "far/alone.so" | grep -e lazy_containers -e sampled_bytes
$ "$JITWARM" scan --json --entries --gpu sm_86 "far/alone.so" | grep -e lazy_containers -e sampled_bytes
  far/alone.so
    elf, 3 MiB, no CUDA code found in samples of its data

  Searched in samples only: 3 MiB of data, in large sections of 1 file. With
  --check all of it is searched.
  far/alone.so
    elf, 3 MiB, 0 modules and 1 that it loads on demand: PTX for compute_75 (ISA
    8.4)
    lazy     sm_86: nothing is compiled at start; up to 1 module (312 B of PTX)
             when the library asks for one

        "lazy_containers": 0,
        "sampled_bytes": 3146136,
        "lazy_containers": 1,

=== driver-does-not-know-the-gpu
$ cd "$GEN"
$ "$JITWARM" scan --gpu sm_120 --driver 550 "elf/registered.so"
  elf/registered.so
    elf, 26 KiB, 3 modules: machine code for sm_86 sm_89 sm_120a sm_121a; PTX for
    compute_75 compute_80 compute_90 (ISA 8.4)
    blocked  sm_120: driver 550 does not drive this GPU: no program can use it; it
             needs a driver >= 570
*
!  jitwarm: driver 550 is too old for sm_120: it does not drive this GPU at all
exit 1

=== found-of-all-kinds
skip on windows: its own kinds are in tests/unit/software/test_discover.c
$ home_of_all_kinds
$ "$JITWARM" scan -v --gpu sm_86 | sed -n "2,/^$/p" | cut -c1-45 | sed "s/ *$//" | LC_ALL=C sort
$ "$JITWARM" scan -v --gpu sm_86 | grep -c "^  searched "
$ find root -type d -exec touch -d 2020-01-01 {} + && "$JITWARM" scan --gpu sm_86 >first; "$JITWARM" scan --gpu sm_86 | diff - first && echo "the same when remembered"

  .asdf_installs_python_3.9.2.so
  .cache_pypoetry_virtualenvs_poetry.so
  .conda_envs_conda.so
  .local_share_hatch_env_virtual_app_x_hatch.so
  .local_share_mise_installs_python_3.9.3.so
  .local_share_pdm_venvs_pdm.so
  .local_share_pipx_venvs_pipx.so
  .local_share_uv_python_uvpython.so
  .local_share_uv_tools_uvtool.so
  .local_share_virtualenvs_pipenv.so
  .pixi_envs_pixi.so
  .pyenv_versions_3.9.1.so
  .rye_py_rye.so
  .rye_tools_ryetool.so
  .virtualenvs_wrapper.so
  Blender
  ComfyUI_venv.so
  GPT4All
  Jan
  LM Studio
  Ollama
  anaconda3_envs_ana.so
  jupyter.so
  libggml-cuda.so
  listed.so
  llama
  mambaforge_envs_mamba.so
  micromamba_envs_micro.so
  miniconda3_envs_mini.so
  miniforge3_envs_forge.so
  onnx
  opt_my-conda.so
  pycharm.so
  running.so
  stable-diffusion-webui_venv.so
  tf 2.3.1
  tf.so
  torch
  vscode.so
  work_deep_er_venv.so
  work_pixi-project_.pixi_envs_default.so
  work_project_.venv.so
  42
  the same when remembered

=== found-libraries-of-nvidia
skip on windows: its own kinds are in tests/unit/software/test_discover.c
$ made_machine && made_environment "$HOME/one" registered.so
$ nvidia="$HOME/one/lib/python3.8/site-packages/nvidia" && mkdir -p "$nvidia/cublas/lib" "$nvidia/nvvm/lib"
$ cp "$GEN/elf/only-ptx.so" "$nvidia/cublas/lib/libcublas.so.12" && cp "$GEN/elf/only-ptx.so" "$nvidia/nvvm/lib/libnvvm.so.4"
$ "$JITWARM" scan --gpu sm_86
$ "$JITWARM" scan -v --gpu sm_86 | grep "driver and"
$ cp "$GEN/elf/only-sass.so" "$nvidia/cublas/lib/libcublas.so.12" && "$JITWARM" scan --gpu sm_120
$ rm -r "$HOME"/one/lib/python3.8/site-packages/tensorflow && "$JITWARM" scan --check --gpu sm_120
  PACKAGE                 FILES  MODULES  sm_86
  tensorflow                  1        3  jit, 4.5 KiB of PTX
  NVIDIA's own libraries      1        1  jit, 4.5 KiB of PTX

  sm_86: 1 package of 1 must be compiled at the first start: 4.5 KiB of PTX, less
    than a second on one core; 1 module of NVIDIA's own libraries is compiled when
    a program uses it (4.5 KiB of PTX; prime --all compiles it now)
  NVIDIA's driver and compilers      1        1  -
  PACKAGE                 FILES  MODULES  sm_120
  tensorflow                  1        3  jit, 9 KiB of PTX
  NVIDIA's own libraries      1        1  none

  sm_120: 1 package of 1 must be compiled at the first start: 9 KiB of PTX, less
    than a second on one core; NVIDIA's own libraries here have no code for it: a
    program that uses them needs those of another CUDA version
  PACKAGE                 FILES  MODULES  sm_120
  NVIDIA's own libraries      1        1  none

  sm_120: nothing has to be compiled; NVIDIA's own libraries here have no code for
    it: a program that uses them needs those of another CUDA version

=== found-tests-of-a-package
skip on windows: its own kinds are in tests/unit/software/test_discover.c
$ made_machine && made_environment "$HOME/one" registered.so
$ tests="$HOME/one/lib/python3.8/site-packages/tensorflow/tests"
$ mkdir "$tests" && cp "$GEN/elf/only-ptx.so" "$tests/k.so"
$ "$JITWARM" scan --gpu sm_86
$ rm "$HOME"/one/lib/python3.8/site-packages/tensorflow/*.so && "$JITWARM" scan --check --gpu sm_86
  PACKAGE                       FILES  MODULES  sm_86
  tensorflow                        1        3  jit, 4.5 KiB of PTX
  files of packages' own tests      1        1  jit, 4.5 KiB of PTX

  sm_86: 1 package of 1 must be compiled at the first start: 4.5 KiB of PTX, less
    than a second on one core
  PACKAGE                       FILES  MODULES  sm_86
  files of packages' own tests      1        1  jit, 4.5 KiB of PTX

  sm_86: nothing has to be compiled

=== found-places
skip on windows: its own kinds are in tests/unit/software/test_discover.c
$ made_machine
$ made_environment "$HOME/tf"
$ made_environment "$HOME/old"
$ made_environment "$PWD/root/home/bob/tf" registered.so
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm" && echo "exclude = $HOME/old" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ mkdir here && cd here
$ "$JITWARM" scan -v --gpu sm_86 | sed -n "/^Places/,\$p" | grep -v "anybody may put" | sed "s|[^ ]*/root/|root/|"
$ [ "$(id -u)" != 0 ] || "$JITWARM" scan -v --system --gpu sm_86 | grep -c "bob/tf" >count; cat count 2>/dev/null || echo 1
  Places:
    searched     root/home/ada/tf/lib/python3.8/site-packages (environment found in the home folder)
    not searched root/home/ada/old (exclude names it)
    Not searched in the home: hidden folders but .venv, .env, .pixi, .conda, .tox
    and .nox; data, datasets, caches and version control; more than 4 levels of
    folders. Homes of other users (--system searches them, as root or
    administrator).
  1

=== found-in-wsl
skip on windows: WSL is Linux
$ simulated_driver
$ made_machine
$ profile=$PWD/root/mnt/c/Users/ada
$ mkdir -p root/dev root/proc/sys/kernel && : >root/dev/dxg && echo 5.15.153.1-microsoft-standard-WSL2 >root/proc/sys/kernel/osrelease
$ made_environment "$HOME/tf"
$ made_environment "$profile/work/.venv" registered.so
$ made_environment "$PWD/root/mnt/c/Users/Public/.venv" registered.so
$ chmod -R a+w root/mnt
$ places() { "$JITWARM" scan -v --gpu sm_86 | sed -n "/^Places/,/^  *Not/p" | grep "root/home\|root/mnt" | sed "s|[^ ]*/root/|root/|"; }
$ mkdir here && (cd here && places)
$ cd "$profile/work" && places
$ cd "$profile/../Public" && places
$ cd "$profile/work" && $P | grep -o "Warmed 2 modules"
$ "$JITWARM" doctor $ANYWHERE | grep -o -e "under WSL" -e driver-wsl
    searched     root/home/ada/tf/lib/python3.8/site-packages (environment found in the home folder)
    not searched root/mnt/c (Windows programs have their own cache: run jitwarm in Windows. For Linux programs there, name their folder under roots)
    searched     root/mnt/c/Users/ada/work/.venv/lib/python3.8/site-packages (environment below the working folder)
    searched     root/home/ada/tf/lib/python3.8/site-packages (environment found in the home folder)
    not searched root/mnt/c (Windows programs have their own cache: run jitwarm in Windows. For Linux programs there, name their folder under roots)
    not searched root/mnt/c/Users (anybody may put an environment there)
    not searched root/mnt (anybody may put an environment there)
    searched     root/home/ada/tf/lib/python3.8/site-packages (environment found in the home folder)
    not searched root/mnt/c (Windows programs have their own cache: run jitwarm in Windows. For Linux programs there, name their folder under roots)
    not searched root/mnt/c/Users/Public (anybody may put an environment there)
    not searched root/mnt/c/Users/Public/.venv (anybody may write in the folder above it)
    not searched root/mnt/c/Users (anybody may put an environment there)
    not searched root/mnt (anybody may put an environment there)
  Warmed 2 modules
  under WSL
  driver-wsl
!  jitwarm: WSL: the GPU is not a PCI device here; ask the driver
!  jitwarm: WSL: the GPU is not a PCI device here; ask the driver
!  jitwarm: WSL: the GPU is not a PCI device here; ask the driver

=== todo
skip on windows: a GPU is a folder
$ made_machine && touch root/.dockerenv && gpu_on_the_bus 0x2484 580.126.09
$ "$JITWARM" scan "$GEN/elf/only-ptx.so" | sed -n '/To do/,$p'
$ made_environment "$HOME/one" && "$JITWARM" scan
$ "$JITWARM" scan --exclude 'a b' --gpu 0 "$GEN/elf/only-ptx.so" | sed -n '/To do/,$p'
$ CUDA_CACHE_DISABLE=1 "$JITWARM" scan | sed -n '/To do/,$p'
$ CUDA_VISIBLE_DEVICES= "$JITWARM" scan | sed -n '/To do/,$p'
$ echo "--- too old a driver; a GPU without code; a GPU that is not here; a wheel; nothing to compile"
$ gpu_on_the_bus 0x2484 390.157; "$JITWARM" scan | sed -n '/To do/,$p'
$ gpu_on_the_bus 0x1b80 470.256.02; made_environment "$HOME/one" only-sass.so; "$JITWARM" scan | sed -n '/To do/,$p'
$ cd "$GEN"; for f in "--gpu h100 elf/only-ptx.so" wheel elf/executable; do "$JITWARM" scan $f | grep "To do"; done
  To do      jitwarm prime {GEN}/elf/only-ptx.so
  PACKAGE     FILES  MODULES  sm_86
  tensorflow      1        1  jit, 4.5 KiB of PTX

  NVIDIA GeForce RTX 3070 (sm_86): 1 package of 1 must be compiled at the first
    start: 4.5 KiB of PTX, less than a second on one core
  To do      jitwarm prime
  To do      jitwarm prime --gpu 0 --exclude 'a b' {GEN}/elf/only-ptx.so
  To do      jitwarm doctor
  To do      jitwarm doctor
  --- too old a driver; a GPU without code; a GPU that is not here; a wheel; nothing to compile
  To do      jitwarm doctor
  To do      jitwarm doctor
!  jitwarm: driver 390.157 is too old for sm_86: it does not drive this GPU at all
exit 1

=== todo-without-a-visible-gpu
skip on windows: a GPU is a folder
$ simulated_driver
$ made_machine && touch root/.dockerenv && made_environment "$HOME/one"
$ todo() { echo "--- $1"; "$JITWARM" scan 2>/dev/null | sed -n '/To do/,$p'; }
$ todo "before the driver was asked"
$ "$JITWARM" prime --as-root -q -j 1 >/dev/null; todo "primed"
$ rm -r "$HOME"/.nv; todo "the cache is gone"
$ export CUDA_VISIBLE_DEVICES=-1; todo "all GPUs are hidden"
  --- before the driver was asked
  --- primed
  --- the cache is gone
  To do      jitwarm prime --check
             # asks the driver which GPUs are here
  --- all GPUs are hidden
  To do      jitwarm doctor
