case packed: primed
$ mkdir packs && jitwarm export -o packs
Packed.
Signed no. Anyone who can change the pack controls *Sign it: --sign KEY
Pack {work}/packs/sm_86-*.tar.zst
Entries 2
To import jitwarm import packs --allow-unsigned {work}/lib
$ jitwarm export lib/*
To import jitwarm import sm_86-* --allow-unsigned {work}/lib/only-ptx.so {work}/lib/registered.so
$ printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n' >lib/new.ptx; jitwarm export --all lib
? 1
[warn] Packed, but not all of it.
To import jitwarm import sm_86-*.tar.zst --allow-unsigned --all {work}/lib
Note not packed for sm_86: 1 missing (one of {work}/lib/new.ptx)
To do jitwarm prime --all lib
$ rm lib/new.ptx; jitwarm import sm_86-*-lib.tar.zst --allow-unsigned --all lib
All 2 modules *
$ jitwarm export -o packs lib --json
.packs.0.entries = 2
$ cp lib/only-ptx.so lib/cut.so; truncate -s 300 lib/cut.so; jitwarm export -o packs lib || mv lib/cut.so .
[warn] Packed, but not all of it.
To do replace {work}/lib/cut.so; *
$ mkdir "$(ls -d packs/sm_86-*.zst)".minisig; jitwarm export --yes -o packs lib
? 4
Why {work}/packs/sm_86-* is there and cannot be read: *.minisig: is a folder
$ mv lib moved
$ jitwarm export
? 1
[warn] No module was looked up: {work}/lib: no such file or folder
$ mv moved lib
$ jitwarm export --gpu sm_90
? 1
Why the cache {work}/cache has none of these entries: name the software, which export then compiles
To do jitwarm export --gpu sm_90 PATH
$ jitwarm export --whole-cache --json
? 7

case nothing: simulated_driver two_libraries
$ mkdir empty
$ jitwarm export empty | tee out
[warn] No CUDA code was found in {work}/empty.
$ grep -q "nothing to pack" out
? 1
$ jitwarm export lib
? 1
[warn] No pack was written.
To do jitwarm prime lib
$ jitwarm export --gpu sm_131 lib
? 2
*this jitwarm knows no GPU of sm_131*
$ jitwarm export -o y.tar.zst --json
? 1
.todo.0.command = "jitwarm export PATH"

# What prime skips, export does.
case nothing-to-pack: simulated_driver
$ mkdir lib && cp "$GEN/elf/lazy.so" "$GEN/elf/only-sass.so" lib
$ jitwarm prime -q lib
$ jitwarm export
[good] No module has to be compiled at the start for sm_86, driver *
Skipped 1 module that loads on demand (--all takes them)
Why there is nothing to pack
$ jitwarm export --gpu sm_90 lib
[good] No module has to be compiled at the start for sm_90, driver *.
$ cp "$GEN/elf/only-ptx.so" lib
$ jitwarm prime --yes -q lib
$ jitwarm export lib
[good] Packed.
$ jitwarm export --all lib
? 1
[warn] Packed, but not all of it.

# For a GPU that is not here it compiles first, in a cache of its own.
case absent-gpu: simulated_driver two_libraries
$ jitwarm export --dry-run --gpu sm_90 lib
This would be packed.
To compile 4 modules, *
$ jitwarm export --gpu sm_90 --gpu sm_86 -o one.tar.zst lib
? 2
[bad] jitwarm: several GPUs make several packs: *
$ SIMCUDA_SHARED=. SIMCUDA_FAULTS=badptx@1 jitwarm export --gpu sm_90 lib
? 1
[warn] Packed, but not all of it.
Why {work}/lib/*: CUDA_ERROR_INVALID_PTX *
Entries 3
$ test ! -e cache

case signed: primed make_key
skip windows
$ mv lib "$HOME/a b"; cd "$HOME"; jitwarm export --sign "$OLDPWD/a.key" -o './-x y.tar.zst' 'a b'
To import jitwarm import './-x y.tar.zst' *--trust=RW* ~/'a b'
- Signed*
$ jitwarm export --sign "$OLDPWD/a.pub" -o y.tar.zst 'a b'
? 2
$ jitwarm export nowhere
? 2
[bad] jitwarm: nowhere: no such file or folder
$ mkdir d && cp "$SIM"/*.so.1 d && mv d/libcuda.so.1 d/libcuda.so.550.163.01
$ JITWARM_DRIVER=$PWD/d/libcuda.so.550.163.01 jitwarm export --gpu sm_120 'a b'
? 3
Why driver 550.163.01 is too old for sm_120, which needs 570 or newer

case into-a-folder: primed make_key
$ mkdir reg && jitwarm export -o reg --sign a.key lib
To import jitwarm import reg --trust=*
$ jitwarm export --yes -o reg lib
? 6
[bad] No pack was written.
Why * is signed by key *, and the new pack is not: --sign KEY, or delete it first
$ jitwarm import "$PWD/none"
? 2
[bad] jitwarm: {work}/none: no such file
$ jitwarm export -o share lib
? 2
[bad] jitwarm: share: no such folder, and a new file has to end in .tar.zst *
$ jitwarm export -o oci:/x
? 2
[bad] jitwarm: oci:/x: not a reference; *
$ jitwarm import http://h/x
? 2
[bad] jitwarm: http://h/x: not a reference; *
$ jitwarm export -o oci://h
? 2
[bad] jitwarm: oci://h: the repository is missing, *
$ jitwarm export -o oci://localhost:1/jit a.tar.zst lib
? 2
[bad] jitwarm: packs (*.tar.zst) and software cannot be exported together *
$ jitwarm export a.tar.zst
? 2
[bad] jitwarm: a.tar.zst is a pack already: copy it as any file, *
$ jitwarm export -o oci://localhost:1/jit -n a.tar.zst
? 2
[bad] jitwarm: a.tar.zst is a pack already: --sign, *
$ jitwarm export -o oci://localhost:1/jit --dry-run lib
This would be packed.
Pack oci://localhost:1/jit
$ JW_TEST_HURRY=20 jitwarm export -o oci://localhost:1/jit lib
? 8
[bad] jitwarm: localhost:1: *

# Byte 18 of an ELF file is its processor: 183 is aarch64. Whether its programs run here is asked of
# one; what runs them is tests/real/aarch64.py's.
case driver-for-aarch64:
skip aarch64 windows
$ mkdir -p p/bin d; cp "$(sed -n 's/^exec \(.*\) "$@"$/\1/p' "$JITWARM")" p/bin/jitwarm; cp -L /bin/sh d/libcuda.so.550.1; touch lib.so
$ printf '\267' | dd of=d/libcuda.so.550.1 bs=1 seek=18 conv=notrunc status=none
$ p/bin/jitwarm export --driver-files d --gpu sm_90 lib.so
? 2
jitwarm: --driver-files: the driver is for aarch64, and jitwarm for aarch64 is not installed: tar * --one-top-level={work}/p/lib/jitwarm/aarch64 *
$ mkdir -p p/lib/jitwarm/aarch64/bin; cp d/libcuda.so.550.1 p/lib/jitwarm/aarch64/bin/jitwarm
$ p/bin/jitwarm export --driver-files d --gpu sm_90 lib.so
? 2
jitwarm: --driver-files: the driver is for aarch64, and programs for aarch64 do not run here: apt-get install qemu-user-static libc6-arm64-cross *

# An x86-64 shell with the number of another processor.
case other-processors:
$ mkdir d; cp -L /bin/sh d/libcuda.so.550.1; printf '\026' | dd of=d/libcuda.so.550.1 bs=1 seek=18 conv=notrunc status=none
$ touch lib.so; jitwarm export --driver-files d --gpu sm_90 lib.so
? 2
[bad] jitwarm: --driver-files: the driver in {work}/d is for another processor *
