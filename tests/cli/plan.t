=== another-cache-at-login
skip on windows: a login's files are Linux's
$ simulated_driver
$ two_libraries
$ made_machine
$ export SHELL=/bin/sh CUDA_CACHE_PATH="$PWD/cache"
$ unwrapped "$JITWARM" plan -j 1 lib | grep -e ^Note -e "^To do"
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -q lib && "$JITWARM" verify -q --cache "$PWD/cache" lib
$ echo $?
  Note      CUDA_CACHE_PATH is {SCRATCH}/cache here, but unset in a fresh login
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  0

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
$ only "schema end driver.level_name gpus.gpu targets.paths cache.need_bytes predicted.seconds predicted.lazy counts.todo left_out.native.modules files.path jobs.state advice" "$JITWARM" plan --cache "$PWD/cache" -j 1 --json lib
  schema: "jitwarm.plan/1"
  end: "done"
  driver.level_name: "placeable"
  gpus.gpu: ["sm_86"]
  targets.paths: ["{SCRATCH}/lib"]
  cache.need_bytes: 24456
  predicted.seconds: 0.61
  predicted.lazy: true
  counts.todo: 2
  left_out.native.modules: 2
  files.path: ["{SCRATCH}/lib/only-ptx.so", "{SCRATCH}/lib/registered.so"]
  jobs.state: ["todo", "todo"]
  advice: ["jitwarm prime --cache {SCRATCH}/cache lib"]

=== little-room
$ simulated_driver
$ two_libraries
$ CUDA_CACHE_MAXSIZE=14000 unwrapped "$JITWARM" plan --cache "$PWD/cache" -j 1 lib
  1 of 2 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (sm_86): 4.5 KiB of PTX, less than a second with 1 worker; there is no room for the rest

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
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 only "schema end why driver.level gpus jobs advice" "$JITWARM" plan --cache "$PWD/cache" -j 1 --check --json "$GEN/elf/only-ptx.so"
  schema: "jitwarm.plan/1"
  end: "no-gpu"
  why: "no CUDA driver was found: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory"
  driver.level: null
  gpus: []
  jobs: []
  advice: ["jitwarm doctor --cache {SCRATCH}/cache"]
exit 1
on windows:
  schema: "jitwarm.plan/1"
  end: "no-gpu"
  why: "no CUDA driver was found: nvcuda.dll: there is no such library, or one that it needs is missing"
  driver.level: null
  gpus: []
  jobs: []
  advice: ["jitwarm doctor --cache {SCRATCH}/cache"]

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

=== next-of-root
skip on windows: there is no root
$ simulated_driver
$ two_libraries
$ made_machine
$ next() { [ "$(id -u)" = 0 ] && grep -e "To do" out || echo "To do     $1"; }
$ unwrapped env SUDO_USER= "$JITWARM" plan --cache "$PWD/cache" lib >out; next "jitwarm prime --as-root --cache $PWD/cache lib"
$ unwrapped env SUDO_USER=ada "$JITWARM" plan --cache "$PWD/cache" lib >out; next "sudo -u ada jitwarm prime --cache $PWD/cache lib"
$ unwrapped env SUDO_USER= "$JITWARM" verify --cache "$PWD/cache" lib >out; next "jitwarm prime --as-root --cache $PWD/cache lib"
$ unwrapped env SUDO_USER= SIMCUDA_FAULTS="badptx@*" $P lib >out; next "jitwarm prime --as-root -v --cache $PWD/cache lib   (lists every module)"
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  To do     sudo -u ada jitwarm prime --cache {SCRATCH}/cache lib
  To do     jitwarm prime --as-root --cache {SCRATCH}/cache lib
  To do     jitwarm prime --as-root -v --cache {SCRATCH}/cache lib   (lists every module)
