=== cache-untouched
$ mkdir -p "$HOME/.nv/ComputeCache"
$ echo mine >"$HOME/.nv/ComputeCache/index"
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE >/dev/null
$ (cd "$HOME" && find . -type f | sed "s/gnu-.*/BUILD/; s,walks/.*,walks/FOLDER," | sort -u && cat .nv/ComputeCache/index)
  ./.nv/ComputeCache/index
  ./state/jitwarm/drivers/BUILD
  ./state/jitwarm/walks/FOLDER
  mine

=== closed
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070:8G:mode=prohibited' --gpu 'sm_89:NVIDIA L4:24G:mode=exclusive' -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             built Jan  7 2026 22:51:46, build id gnu:*
+*             built Jan  7 2026 22:51:46, build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 (simulated), sm_86, 8 GiB, closed for
              computing
              GPU-b4dbac94-2261-c87d-847b-6a7985880494
  GPU 1       NVIDIA L4 (simulated), sm_89, 24 GiB, exclusive to one process
              GPU-be5bf93f-68b4-e56a-96d3-2ff940440e93
  Probe       3 of 3 steps proven now
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     NVIDIA GeForce RTX 3070 (simulated) does not accept compute programs
              [gpu-closed]
    Seen      its compute mode is prohibited
    So        programs cannot use it
    Do        open it:
*             *nvidia-smi --compute-mode=0

  Note        the GPUs here are of different kinds [gpus-differ]
    Seen      NVIDIA GeForce RTX 3070 (simulated) is sm_86, NVIDIA L4 (simulated)
              is sm_89
    So        GPU code fits one kind: a program may start at once on one GPU and
              compile for minutes on the other, and each kind needs its own space
              in the cache
    Do        to let a program see one GPU only (here the first by nvidia-smi):
              CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 PROGRAM

  Note        NVIDIA L4 (simulated) accepts one process at a time [gpu-exclusive]
    Seen      its compute mode is exclusive
    So        a second program fails while the first runs, and jitwarm warms with
              one worker
-   Do        the command of gpu-closed above does this, too
+   Do        if that is not meant:
+*             *nvidia-smi --compute-mode=0

  Verdict     1 warning, 2 notes
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
* To do       *nvidia-smi --compute-mode=0
exit 1

=== compat
skip on windows: cuda-compat is a package of Linux
skip with a GPU: the answer tells the GPUs on the bus
$ SIMCUDA_INIT=804 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
* Driver      580.126.09,*
*             */libcuda.so.580.126.09
*             build id gnu:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     programs load the cuda-compat library instead of the driver's own,
              and this GPU does not support that (error 804) [driver-compat]
*   Seen      the library is */libcuda.so.580.126.09
    So        no CUDA program can use a GPU: they fail, or run on the CPU
    Do        remove the folder with cuda-compat from LD_LIBRARY_PATH, or remove
              the package; for this shell:
*             export LD_LIBRARY_PATH=*

  Verdict     1 problem
* To do       export LD_LIBRARY_PATH=*
exit 1

=== container
skip on windows: containers are Linux's
skip with a GPU: the answer tells the GPUs on the bus
on the disk: a cache in memory is another answer
$ mkdir -p "$JITWARM_SYSROOT/proc/self"
$ echo "500 400 0:50 / / rw - overlay overlay rw" >"$JITWARM_SYSROOT/proc/self/mountinfo"
$ todo() { "$JITWARM" doctor --ignore cache-root-user 2>&1 | grep '\[driver-absent\|\[cache-container\|^To do'; }
$ with() { "$WITH_SIMCUDA" -- env "$@" "$JITWARM" doctor --ignore cache-root-user | sed -n 's/^To do  *//p'; }
$ todo
$ with A=1
$ with CUDA_FORCE_PTX_JIT=1
$ with CUDA_VISIBLE_DEVICES=
$ with CUDA_DISABLE_PTX_JIT=1 CUDA_CACHE_DISABLE=1
$ with SIMCUDA_INIT=803
$ SIMCUDA_INIT=803 "$WITH_SIMCUDA" -- "$JITWARM" report -q -o page.html; grep "<pre>.*on the host" page.html; grep -ci "no CUDA program" page.html
              library (libcuda.so.1); it comes from the host [driver-absent]
              [cache-container]
  To do       jitwarm report --yes -o jitwarm-report.html
  jitwarm env --shell docker
  unset CUDA_FORCE_PTX_JIT
  unset CUDA_VISIBLE_DEVICES
  unset CUDA_DISABLE_PTX_JIT
  sudo reboot
  <pre># on the host of this container:</pre>
  1

=== compiling-off
$ CUDA_DISABLE_PTX_JIT=1 "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       not known yet
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     a variable forbids the driver to compile [setting-forbids-compiling]
    Seen      CUDA_DISABLE_PTX_JIT=1, set in this environment only: a fresh login
              does not have it
-   So        programs whose code is neither for this GPU nor in the cache fail
-             with error 223 or 209
+   So        programs without machine code for this GPU fail with error 223 or
+             209
    Do        it is set for this shell or program only; remove it there:
-             unset CUDA_DISABLE_PTX_JIT
+             set "CUDA_DISABLE_PTX_JIT="

  Verdict     1 warning
- To do       unset CUDA_DISABLE_PTX_JIT
+ To do       set "CUDA_DISABLE_PTX_JIT="
exit 1

=== crash
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' --faults crash@3 -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       not known yet
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the probe of the driver's cache could not be finished
              [probe-incomplete]
    Seen      the driver ended its process over the test module "container packed
              with LZ4": signal 11 (SIGSEGV)
    So        jitwarm cannot warm anything until this works
    Do        repeat it:
              jitwarm doctor --probe

  Verdict     1 problem
  When        this only looks; its finding says what to do then:
  To do       jitwarm doctor --probe
exit 1

=== driver-crashes
skip with a GPU: the answer tells the GPUs on the bus
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' --faults crash@init -- "$JITWARM" doctor $ANYWHERE | tr -s "\n " " "
-* Driver it did not survive its start */libcuda.so.580.126.09 Cache */home/.nv/ComputeCache not there yet: no program has cached code in it Problem the driver does not start: the driver */libcuda.so.580.126.09 ended its process: signal 11 (SIGSEGV) [driver-broken] So no CUDA program can use a GPU: they fail, or run on the CPU Do *reboot* Ignored cache-container, cache-path-memory, cache-path-network, cache-disk-full, cache-home-differs, cache-root-user, cache-service-user Verdict 1 problem *To do * 
+ Driver it did not survive its start Cache /home/.nv/ComputeCache not there yet: no program has cached code in it Problem the driver does not start: the driver /libcuda.so.580.126.09 ended its process: signal 11 (SIGSEGV) [driver-broken] So no CUDA program can use a GPU: they fail, or run on the CPU Do reboot; if the finding is still there, reinstall the driver: shutdown /r Ignored cache-container, cache-path-memory, cache-path-network, cache-disk-full, cache-home-differs, cache-root-user, cache-service-user Verdict 1 problem To do shutdown /r 
\

=== fabric
skip with a GPU: the answer tells the GPUs on the bus
$ SIMCUDA_INIT=802 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the NVLink connections between the GPUs are not ready (error 802)
              [driver-not-ready]
    So        no CUDA program can use a GPU: they fail, or run on the CPU
    Do        start the service nvidia-fabricmanager, or wait until it is ready:
-*             *systemctl start nvidia-fabricmanager

  Verdict     1 problem
- When        on the host of this container:
-* To do       *systemctl start nvidia-fabricmanager
+ When        no command mends this here: see Do; for the person who can, this
+             makes a page:
+ To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== fault-a-file
$ echo x >taken
$ CUDA_CACHE_PATH=$PWD/taken "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p"
  Cache       {SCRATCH}/taken
-             0 B in 0 entries; the limit is 1 GiB
+             0 B in 0 entries; the limit is the driver's default

  Warning     the cache's path is not a folder:
              {SCRATCH}/taken [cache-path-file]
    Seen      CUDA_CACHE_PATH={SCRATCH}/taken, set in this
              environment only: a fresh login does not have it
    So        nothing is cached: programs compile at every start
    Do        it is set for this shell or program only; remove it there:
-             unset CUDA_CACHE_PATH
+             set "CUDA_CACHE_PATH="

  Verdict     1 warning
- To do       unset CUDA_CACHE_PATH
+ To do       set "CUDA_CACHE_PATH="

=== fault-damaged
$ cp "$GEN/elf/only-ptx.so" lib.so; "$WITH_SIMCUDA" -- "$JITWARM" prime -q --cache cache --yes lib.so >/dev/null; rm lib.so; for f in cache/?/?/*; do head -c 40 "$f" >cut && cp cut "$f"; break; done; "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE --cache cache | sed -n "/^Cache /,\$p"
  Cache       cache
-             13 KiB in 1 entry; the limit is 1 GiB
+             13 KiB in 1 entry; the limit is the driver's default

  Warning     1 entry of the cache is damaged [cache-damaged]
    Seen      cache/5/1/4bcab44ff498be: cache entry: it has 40 bytes, expected
              12923 (key 4615, payload 8280)
    So        a program was killed while writing, or the disk was full; at best
              the driver compiles such an entry again
-   Do        remove the damaged entries; the driver compiles them again:
+   Do        remove the damaged entries; the driver or jitwarm prime compiles
+             them again:
              jitwarm prune --damaged --yes --cache cache

- Warning     what was primed is gone: {SCRATCH}/lib.so
-             [primed-gone]
-   So        whether its next start compiles something is not known
-   Do        if it is elsewhere now, name it: jitwarm prime PATH. If it will not
-             come back, this lists it, and asks in a terminal whether to forget
-             it (--yes: at once):
-             jitwarm prune --gone --cache cache
-
- Verdict     2 warnings
+ Verdict     1 warning
  To do       jitwarm prune --damaged --yes --cache cache

=== fault-emptied
$ cp "$GEN/elf/only-ptx.so" lib.so; "$WITH_SIMCUDA" -- "$JITWARM" prime -q --cache cache --yes lib.so >/dev/null; rm lib.so
$ rm -r cache
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE --cache cache | sed -n "/^Cache /,\$p"
  Cache       cache
              not there any more

  Warning     what was primed is gone: {SCRATCH}/lib.so
              [primed-gone]
    So        whether its next start compiles something is not known
    Do        if it is elsewhere now, name it: jitwarm prime PATH. If it will not
              come back, this lists it, and asks in a terminal whether to forget
              it (--yes: at once):
              jitwarm prune --gone --cache cache

  Verdict     1 warning
  When        this lists it, and asks in a terminal whether to forget it:
  To do       jitwarm prune --gone --cache cache

=== fault-forced
skip on windows: LD_LIBRARY_PATH is a variable of Linux
$ CUDA_FORCE_PTX_JIT=1 LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p"
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     the CUDA toolkit's folder of stubs is on the library path
              [driver-stub-path]
    Seen      LD_LIBRARY_PATH holds /usr/local/cuda/lib64/stubs
    So        programs may load the stub instead of the driver, and then find no
              GPU (error 34)
    Do        the stub is for linking only; remove it where it is set. For this
              shell:
*             export LD_LIBRARY_PATH=*

  Warning     a variable makes the driver compile all GPU code, even where machine
              code exists [setting-forces-compiling]
    Seen      CUDA_FORCE_PTX_JIT=1, set in this environment only: a fresh login
              does not have it
    So        starts are slow, and programs without PTX do not run at all
    Do        it is set for this shell or program only; remove it there:
              unset CUDA_FORCE_PTX_JIT

  Verdict     2 warnings
* To do       export LD_LIBRARY_PATH=*

=== fault-hidden
$ CUDA_VISIBLE_DEVICES= "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n '/^Warning/,$p'
  Warning     all GPUs are hidden from programs [gpu-hidden]
    Seen      CUDA_VISIBLE_DEVICES=, set in this environment only: a fresh login
              does not have it
    So        programs run on the CPU, or say that there is no GPU
    Do        it is set for this shell or program only; remove it there:
-             unset CUDA_VISIBLE_DEVICES
+             set "CUDA_VISIBLE_DEVICES="

  Verdict     1 warning
- To do       unset CUDA_VISIBLE_DEVICES
+ To do       set "CUDA_VISIBLE_DEVICES="

=== fault-index
$ cp "$GEN/elf/only-ptx.so" lib.so; "$WITH_SIMCUDA" -- "$JITWARM" prime -q --cache cache --yes lib.so >/dev/null; rm lib.so
$ echo junk >cache/index
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE --cache cache | sed -n "/^Cache /,\$p"
  Cache       cache
-             13 KiB in 1 entry; the limit is 1 GiB
+             13 KiB in 1 entry; the limit is the driver's default

  Problem     the cache's index is damaged [cache-index-damaged]
    Seen      cache/index: cache index: it has 5 bytes, expected a header of 16
-   So        programs still find what is there, until one compiles something:
-             that deletes all else in the cache
+   So        the next program that compiles something deletes every other entry
+             of the cache
    Do        rebuild it, before a CUDA program starts:
              jitwarm status --repair --cache cache

- Warning     what was primed is gone: {SCRATCH}/lib.so
-             [primed-gone]
-   So        whether its next start compiles something is not known
-   Do        if it is elsewhere now, name it: jitwarm prime PATH. If it will not
-             come back, this lists it, and asks in a terminal whether to forget
-             it (--yes: at once):
-             jitwarm prune --gone --cache cache
-
- Verdict     1 problem, 1 warning
+ Verdict     1 problem
  To do       jitwarm status --repair --cache cache

=== fault-missing
on the disk: a cache in memory is another answer
$ CUDA_CACHE_PATH=$PWD/not/yet "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p"
  Cache       {SCRATCH}/not/yet
              not there yet: no program has cached code in it

- Note        CUDA_CACHE_PATH is set, and no file of the image sets it
+ Warning     CUDA_CACHE_PATH differs from a fresh login
              [setting-differs-at-login]
-   Seen      CUDA_CACHE_PATH={SCRATCH}/not/yet
-   So        if it was set in this shell, the next container has none
-   Do        set it with docker run -e, environment: in compose.yaml, or ENV in
-             the image
+   Seen      here CUDA_CACHE_PATH={SCRATCH}/not/yet; in a
+             login CUDA_CACHE_PATH not set
+   So        programs started from a desktop, a service or over the network may
+             not find what is warmed here
+   Do        make it permanent (jitwarm env apply --path
+             {SCRATCH}/not/yet), or remove it here; for
+             this shell:
+             set "CUDA_CACHE_PATH="

- Checked     the driver: its library, its start, a test of its compiler and cache
-             the GPUs: whether the driver drives each, and who may use them
-             the settings of this environment
-             the cache: 0 entries by their first bytes (jitwarm status --check
-             reads all)
-             the settings of a fresh login, by /bin/sh
-             the CUDA software that is installed: 0 packages where it was looked
-             for (jitwarm scan -v); elsewhere: jitwarm prime PATH
- Verdict     not known what starts compile: no CUDA code was found, and nothing
-             was primed here yet (1 note above)
- When        if something is slow: start it, and run this beside it:
- To do       jitwarm doctor --watch=60s
+ Note        the cache's folder {SCRATCH}/not/yet does not
+             exist yet [cache-path-missing]
+   Seen      CUDA_CACHE_PATH={SCRATCH}/not/yet, set in
+             this environment only: a fresh login does not have it
+   So        the driver may create it at the first start; it is not known whether
+             it also creates parent folders
+   Do        make it:
+             mkdir {SCRATCH}/not/yet
+
+ Verdict     1 warning, 1 note
+ To do       set "CUDA_CACHE_PATH="

=== fault-no-home
skip on windows: HOME is a variable of Linux
$ env -u HOME XDG_STATE_HOME="$PWD/state" "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Warning/,\$p"
  Warning     the driver has no place for its cache: HOME is not set
              [cache-no-home]
    Seen      HOME is not set, and neither is CUDA_CACHE_PATH
    So        nothing is cached: programs compile at every start
    Do        set HOME where the program or service is started:
*             export HOME=/*

  Verdict     1 warning
* To do       export HOME=/*

=== fault-off
$ CUDA_CACHE_DISABLE=1 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p"
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     the driver's cache of compiled GPU code is switched off
              [cache-disabled]
    Seen      CUDA_CACHE_DISABLE=1, set in this environment only: a fresh login
              does not have it
    So        every program compiles its GPU code again at each start, which takes
              from seconds to many minutes
    Do        it is set for this shell or program only; remove it there:
-             unset CUDA_CACHE_DISABLE
+             set "CUDA_CACHE_DISABLE="

  Verdict     1 warning
- To do       unset CUDA_CACHE_DISABLE
+ To do       set "CUDA_CACHE_DISABLE="

=== fault-open-to-all
$ mkdir -m 777 open
$ chmod 777 open
$ CUDA_CACHE_PATH=$PWD/open "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p"
  Cache       {SCRATCH}/open
-             0 B in 0 entries; the limit is 1 GiB
+             0 B in 0 entries; the limit is the driver's default

  Warning     everybody may write to the cache's folder [cache-writable-by-others]
    Seen      CUDA_CACHE_PATH={SCRATCH}/open, set in this
              environment only: a fresh login does not have it
    So        anyone who can put a file there controls the GPU code that your
              programs run
    Do        it is set for this shell or program only; remove it there:
-             unset CUDA_CACHE_PATH
+             set "CUDA_CACHE_PATH="

  Verdict     1 warning
- To do       unset CUDA_CACHE_PATH
+ To do       set "CUDA_CACHE_PATH="

=== fault-relative
$ CUDA_CACHE_PATH=nv/cache "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p" | sed "/^  Do /,/^\$/d"
  Cache       nv/cache
              not there yet: no program has cached code in it

  Warning     the path of the cache is relative [cache-path-relative]
    Seen      CUDA_CACHE_PATH=nv/cache, set in this environment only: a fresh
              login does not have it
    So        programs started in different folders have different caches, and
              compile again
  Verdict     1 warning
- To do       unset CUDA_CACHE_PATH
+ To do       set "CUDA_CACHE_PATH="

=== fault-suffix
$ CUDA_CACHE_MAXSIZE=4G "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n "/^Cache /,\$p" | sed "/^  Do /,/^\$/d"
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     the cache's limit is not a plain number of bytes [cache-limit-junk]
    Seen      CUDA_CACHE_MAXSIZE=4G, set in this environment only: a fresh login
              does not have it
    So        the driver reads only leading digits (4G is 4, a word is 0): here 4
-             bytes. It stores nothing more: what is in the cache is used, all
-             else is compiled at each start
+             bytes. Nothing is cached, and every program compiles at each start
  Verdict     1 warning
- To do       export CUDA_CACHE_MAXSIZE=4294967296
+ To do       jitwarm env apply --max-size 4294967296 & set "CUDA_CACHE_MAXSIZE=4294967296"

=== ignore-unknown
$ "$JITWARM" doctor --ignore cache-ful
!  jitwarm doctor: --ignore: there is no finding "cache-ful"; doctor prints the id of each finding in brackets (jitwarm help doctor)
exit 2

=== json
skip on windows: the fields are those of Linux, and other cases show what differs
skip with a GPU: the answer tells the GPUs on the bus
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE --json
  {
    "schema": "jitwarm.doctor/1",
    "simulated": true,
    "driver": {
      "found": true,
      "broken": null,
      "version": "580.126.09",
      "cuda_version": 13000,
*     "library": "*/libcuda.so.580.126.09",
*     "build": "gnu:*",
*     "wsl": *,
*     "container": *
    },
    "devices": [
      {
        "index": 0,
        "name": "NVIDIA GeForce RTX 3070 Laptop GPU (simulated)",
        "gpu": "sm_86",
        "uuid": "GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc",
        "pci": "0000:01:00.0",
        "memory_bytes": 8589934592,
        "mig": false,
        "integrated": false
      }
    ],
    "plugged_in": [],
    "knowledge": {
      "level": 3,
      "name": "placeable",
      "stamp": "2026-01-07T22:51:46",
      "evidence": [
        "the driver compiled 5 tiny modules for NVIDIA GeForce RTX 3070 Laptop GPU (simulated), and cached 5 files",
        "all files could be read: checksums, index, and the very code that was handed over",
        "all 5 file names could be computed beforehand",
        "put into another cache folder, all 5 files were used by a fresh process, which added and changed nothing"
      ]
    },
    "cache": {
*     "folder": "*/home/.nv/ComputeCache",
      "exists": false,
      "disabled": false,
      "limit": 1073741824,
      "used": 0,
      "files": {
        "entries": 0,
        "bytes": 0
      },
      "outdated": {
        "entries": 0,
        "bytes": 0
      },
      "unindexed": {
        "entries": 0,
        "bytes": 0
      },
      "damaged": {
        "entries": 0,
        "bytes": 0
      },
      "groups": [],
*     "disk": *
    },
    "software": [],
    "findings": [],
    "checked": [
      "the driver: its library, its start, a test of its compiler and cache",
      "the GPUs: whether the driver drives each, and who may use them",
      "the settings of this environment",
      "the cache: 0 entries by their first bytes (jitwarm status --check reads all)",
      "the settings of a fresh login, by /bin/sh",
      "the CUDA software that is installed: 0 packages where it was looked for (jitwarm scan -v); elsewhere: jitwarm prime PATH"
    ],
    "not_checked": [],
    "ignored": [
      "cache-container",
      "cache-path-memory",
      "cache-path-network",
      "cache-disk-full",
      "cache-home-differs",
      "cache-root-user",
      "cache-service-user"
    ],
    "settings": [
      {
        "name": "CUDA_CACHE_PATH",
*       "value": "*/home/.nv/ComputeCache",
        "from": "the driver's default"
      },
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "value": null,
        "from": "the driver's default"
      },
      {
        "name": "CUDA_CACHE_DISABLE",
        "value": "0",
        "from": "the driver's default"
      },
      {
        "name": "roots",
        "value": null,
        "from": "default"
      },
      {
        "name": "exclude",
        "value": null,
        "from": "default"
      },
      {
        "name": "jobs",
        "value": "half the CPUs",
        "from": "default"
      },
      {
        "name": "store_cap",
        "value": "2GiB",
        "from": "default"
      },
      {
        "name": "trust",
        "value": null,
        "from": "default"
      },
      {
        "name": "source",
        "value": null,
        "from": "default"
      },
      {
        "name": "cacert",
        "value": null,
        "from": "default"
      },
      {
        "name": "plain_http",
        "value": null,
        "from": "default"
      },
      {
        "name": "JITWARM_STATE",
*       "value": "*/home/state/jitwarm",
        "from": "default"
      },
      {
        "name": "JITWARM_STORE",
*       "value": "*/home/data/jitwarm/packs",
        "from": "default"
      },
      {
        "name": "JITWARM_DRIVER",
*       "value": "*/libcuda.so.1",
        "from": "environment"
      },
      {
        "name": "JITWARM_LOGIN",
        "value": null,
        "from": "default"
      }
    ],
    "todo": [
      "jitwarm doctor --watch=60s"
    ]
  }

=== laptop
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             built Jan  7 2026 22:51:46, build id gnu:*
+*             built Jan  7 2026 22:51:46, build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       3 of 3 steps proven now
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it
-
  Checked     the driver: its library, its start, a test of its compiler and cache
              the GPUs: whether the driver drives each, and who may use them
              the settings of this environment
              the cache: 0 entries by their first bytes (jitwarm status --check
              reads all)
-             the settings of a fresh login, by /bin/sh
+             the settings of a fresh login
              the CUDA software that is installed: 0 packages where it was looked
              for (jitwarm scan -v); elsewhere: jitwarm prime PATH
  Verdict     not known what starts compile: no CUDA code was found, and nothing
              was primed here yet
- When        if something is slow: start it, and run this beside it:
- To do       jitwarm doctor --watch=60s
+ When        if something is slow:
+ To do       jitwarm doctor -v

=== last-branch
$ "$WITH_SIMCUDA" --gpu 'sm_61:NVIDIA GeForce GTX 1080:8G' -- "$JITWARM" doctor $ANYWHERE | sed -n '/^Note/,/^$/p;/^Verdict/p'
  Note        drivers newer than branch 580 do not support NVIDIA GeForce GTX 1080
              (simulated) [driver-last-branch]
    Seen      Pascal, sm_61
    So        after a newer update no program can use this GPU
    Do        branch 580 is the last that drives this GPU

  Verdict     not known what starts compile: no CUDA code was found, and nothing

=== level-0
$ SIMCUDA_KNOWLEDGE=0 "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE --probe
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       0 of 3 steps proven now
              - the driver compiled 5 tiny modules for NVIDIA GeForce RTX 3070
              Laptop GPU (simulated), and cached 5 files
              - file 3/4/f3c829363873b0 is not as expected: format 0x5a5a5a1b at
              0x0, expected 0x41
  Allows      warming one module at a time, in the user's own cache
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     jitwarm cannot read this driver's cache: it can warm one module at a
              time, but cannot show what is cached [probe-level]
    Do        a newer jitwarm may know this driver better

  Verdict     1 warning
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== level-2
$ SIMCUDA_KNOWLEDGE=2 "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE --probe
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             built Jan  7 2026 22:51:46, build id gnu:*
+*             built Jan  7 2026 22:51:46, build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       2 of 3 steps proven now
              - the driver compiled 5 tiny modules for NVIDIA GeForce RTX 3070
              Laptop GPU (simulated), and cached 5 files
              - all files could be read: checksums, index, and the very code that
              was handed over
              - all 5 file names could be computed beforehand
              - files that were put into another cache folder were not used as
              they are: file 3/4/f3c829363873b0 was written again
  Allows      knowing what is warm without the driver, exact plans, export by file
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Warning     this driver ignores entries that others write: jitwarm warms one
              module at a time, and cannot import from another machine
              [probe-level]
    Do        a newer jitwarm may know this driver better

  Verdict     1 warning
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== log
in: tf-log
$ "$JITWARM" doctor --log tf.log
  SOFTWARE        GPU                     VERDICT    WHAT HAPPENS
  TensorFlow 2.3  GeForce RTX 3070 (8.6)  JIT_FIRST  compiled at the first start (compute_70)

  Warning     TensorFlow 2.3 has no machine code for GeForce RTX 3070 (compute
              capability 8.6); the driver compiles its PTX (compute_70) at the
              first start [framework-jit-first]
    Seen      the log names CUDA 10.1 and no version: taken for TensorFlow 2.3,
              the newest built with it at the time of the log
    So        the first start seems to hang: one CPU core is busy and nothing is
              printed; in this log it took 3 min 56 s. This happens once per
              driver version, if the cache is large enough
    Do        set CUDA_CACHE_MAXSIZE=1073741824 before the next start, because the
              default may be too small; jitwarm prime compiles all of it ahead of
              time, in parallel. To avoid compiling: TensorFlow 2.5 to 2.6 (CUDA
              11.2) has machine code for it
              jitwarm env apply --max-size 1073741824 & set "CUDA_CACHE_MAXSIZE=1073741824" & jitwarm prime

  Warning     the log pauses for 3 min 56 s after line 12 [log-gap]
    Seen      line 12: 2020-11-22 22:35:25.212344: I
              tensorflow/core/common_runtime/gpu/gpu_device.cc:1858] Adding
              visible gpu devices: 0
    So        here TensorFlow waits while the driver compiles its GPU code, where
              it has none for the GPU
    Do        a pause that is gone at the second start was compiling; on that
              machine this compiles ahead of time, in parallel:
              jitwarm prime

  Verdict     2 warnings
  When        where the program ran, in its container if it has one:
  To do       jitwarm env apply --max-size 1073741824 & set "CUDA_CACHE_MAXSIZE=1073741824" & jitwarm prime
exit 1

=== log-binary
$ printf "\177ELF\002\001\000" >a.log
$ "$JITWARM" doctor --log a.log
!  jitwarm doctor: --log: a.log: not a text file (zero bytes: 1 of the first 7); --log expects the output of a program (jitwarm help doctor)
exit 2

=== log-names-no-gpu
skip on windows: the folder of the bus is Linux'
skip with a GPU: the answer tells the GPUs on the bus
$ echo "ModuleNotFoundError: No module named 'torch'" >a.log
$ gpu_on_the_bus 0x1db1 550.163.01
$ "$JITWARM" doctor --log a.log | sed -n "/^Problem/,/^To do/p" | tr -s "\n " " " && echo
$ echo 0x2b85 >"$JITWARM_SYSROOT/sys/bus/pci/devices/0000:01:00.0/device"
$ "$JITWARM" doctor --log a.log | tail -1
  Problem the Python that ran has no PyTorch [log-complaint] Seen line 1: ModuleNotFoundError: No module named 'torch'; the log names no GPU, this machine's is taken: Tesla V100 SXM2 16GB (sm_70) So it is another environment than the one where the program was installed Do install it in that environment pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu126 Verdict 1 problem When where the program ran, in the program's Python environment: To do pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu126 
  To do       pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128

=== log-empty
$ : >empty.log
$ "$JITWARM" doctor --log empty.log
!  jitwarm doctor: --log: empty.log: the log is empty; run the program again and redirect its output to it (jitwarm help doctor)
exit 2

=== log-folder
$ mkdir d
$ "$JITWARM" doctor --log d
!  jitwarm doctor: --log: d: is a folder (jitwarm help doctor)
exit 2

=== log-huge
$ yes "2020-11-22 22:35:25: I tensorflow/x.cc:1] the same line again and again" | head -c 3000000 >a.log
$ "$JITWARM" doctor --log a.log
  Note        no known error in the log, and no pause of 10 s or more (41667 lines
              read) [log-quiet]

  Checked     the log: 41667 lines, for pauses and known errors
  Verdict     nothing wrong was found (1 note above)
  When        to look at the machine where the program ran:
  To do       jitwarm doctor

=== log-json
in: tf-log
$ "$JITWARM" doctor --json --log tf.log
  {
    "schema": "jitwarm.doctor/1",
    "log": {
      "path": "tf.log",
      "lines": 16
    },
    "software": [
      {
        "name": "TensorFlow",
        "version": "2.3",
        "known_from": "table",
        "path": null,
        "verdicts": [
          {
            "gpu": "sm_86",
            "name": "GeForce RTX 3070",
            "verdict": "JIT_FIRST",
            "from": "compute_70",
            "jit": 240,
            "warm": 0,
            "jit_ptx_bytes": 156000000
          }
        ]
      }
    ],
    "findings": [
      {
        "id": "framework-jit-first",
        "severity": "warning",
        "subject": "TensorFlow 2.3",
        "evidence": "the log names CUDA 10.1 and no version: taken for TensorFlow 2.3, the newest built with it at the time of the log",
        "text": "TensorFlow 2.3 has no machine code for GeForce RTX 3070 (compute capability 8.6); the driver compiles its PTX (compute_70) at the first start",
        "consequence": "the first start seems to hang: one CPU core is busy and nothing is printed; in this log it took 3 min 56 s. This happens once per driver version, if the cache is large enough",
        "fix": "set CUDA_CACHE_MAXSIZE=1073741824 before the next start, because the default may be too small; jitwarm prime compiles all of it ahead of time, in parallel. To avoid compiling: TensorFlow 2.5 to 2.6 (CUDA 11.2) has machine code for it",
        "command": "jitwarm env apply --max-size 1073741824 & set \"CUDA_CACHE_MAXSIZE=1073741824\" & jitwarm prime"
      },
      {
        "id": "log-gap",
        "severity": "warning",
        "subject": "tf.log",
        "evidence": "line 12: 2020-11-22 22:35:25.212344: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1858] Adding visible gpu devices: 0",
        "text": "the log pauses for 3 min 56 s after line 12",
        "consequence": "here TensorFlow waits while the driver compiles its GPU code, where it has none for the GPU",
        "fix": "a pause that is gone at the second start was compiling; on that machine this compiles ahead of time, in parallel:",
        "command": "jitwarm prime"
      }
    ],
    "checked": [
      "the log: 16 lines, for pauses and known errors",
      "TensorFlow 2.3 on 1 GPU"
    ],
    "not_checked": [],
    "ignored": [],
    "todo": [
      "jitwarm env apply --max-size 1073741824 & set \"CUDA_CACHE_MAXSIZE=1073741824\" & jitwarm prime"
    ]
  }
exit 1

=== log-missing
$ "$JITWARM" doctor --log no-such.log
!  jitwarm doctor: --log: no-such.log: no such file (jitwarm help doctor)
exit 2

=== log-quiet
$ echo "Epoch 1/10" >a.log
$ "$JITWARM" doctor --log a.log
  Warning     nothing in this log was understood (1 line read): no GPU, CUDA
              library, known software or timestamp [log-not-understood]
    Seen      its last line, 1: Epoch 1/10
    Do        log everything that the program prints from its start, errors
              included
              python3 program.py > start.log 2>&1

  Verdict     1 warning
  When        to look at the machine where the program ran:
  To do       jitwarm doctor
exit 1

=== mig
$ "$WITH_SIMCUDA" --gpu 'sm_90:NVIDIA H100 80GB HBM3:80G:mig=1g.10gb+2g.20gb' -- "$JITWARM" doctor $ANYWHERE | sed -n '/^GPU/,/^Probe/p'
  GPU 0       NVIDIA H100 80GB HBM3 MIG 1g.10gb (simulated), sm_90, 10 GiB, a MIG
              slice
              MIG-4e69bbbe-53b0-3e20-a7b1-bd5d788dee06
  Probe       3 of 3 steps proven now

=== mismatch
skip with a GPU: the answer tells the GPUs on the bus
$ SIMCUDA_INIT=803 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the driver was updated, and the kernel still runs the old one (error
              803) [driver-mismatch]
*   Seen      the library is */libcuda.so.580.126.09
    So        no CUDA program can use a GPU: they fail, or run on the CPU
-   Do        the host of this container has to reboot; if it has done so, start
-             this container again. On the host:
-             sudo reboot
+   Do        reboot before you warm anything: then both are the new driver:
+             shutdown /r

  Verdict     1 problem
- When        on the host of this container:
- To do       sudo reboot
+ To do       shutdown /r
exit 1

=== no-compiler
on the disk: a cache in memory is another answer
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' --jit none -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       not known yet
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     this driver cannot compile, because its compiler library is missing
              [compiler-missing]
    Seen      the driver refused the test module "plain text":
              CUDA_ERROR_JIT_COMPILER_NOT_FOUND (error 221)
-   So        programs whose code is neither for this GPU nor in the cache fail
-             (error 221)
-   Do        install the driver's compiler library, libnvidia-ptxjitcompiler.so.1
-             (Debian: libnvidia-ptxjitcompiler1); in a container, set
-             NVIDIA_DRIVER_CAPABILITIES=compute,utility
+   So        programs without machine code for this GPU fail (error 221)
+   Do        reinstall the driver: its compiler library (nvptxJITCompiler64) is
+             missing

  Verdict     1 problem
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== no-device
skip with a GPU: the answer tells the GPUs on the bus
on the disk: a cache in memory is another answer
$ SIMCUDA_INIT=100 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the driver is installed, but it sees no GPU (error 100), and none
              was seen on the bus [no-device]
    So        no CUDA program can use a GPU: they fail, or run on the CPU
-   Do        what starts this container has to give it a GPU and all of the
-             driver (docker run --gpus all -e
-             NVIDIA_DRIVER_CAPABILITIES=compute,utility)
+   Do        look in the device manager whether the GPU is enabled, and at
+             CUDA_VISIBLE_DEVICES

  Verdict     1 problem
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== no-driver
skip with a GPU: the answer tells the GPUs on the bus
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 "$JITWARM" doctor $ANYWHERE
  Driver      none was found
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

- Problem     the driver that JITWARM_DRIVER names could not be loaded:
-             /no-such-folder/libcuda.so.1: cannot open shared object file: No
-             such file or directory [driver-absent]
-   So        no CUDA program can use a GPU: they fail, or run on the CPU
-   Do        unset JITWARM_DRIVER to use the system's driver
-             unset JITWARM_DRIVER
+ Warning     no NVIDIA GPU was seen, and there is no NVIDIA driver library
+             (nvcuda.dll) [driver-absent]
+   Do        if there is a GPU, install the NVIDIA driver; without one there is
+             nothing to do

- Verdict     1 problem
- To do       unset JITWARM_DRIVER
+ Verdict     1 warning
+ When        no command mends this here: see Do; for the person who can, this
+             makes a page:
+ To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== no-driver-json
skip with a GPU: the answer tells the GPUs on the bus
$ JITWARM_DRIVER=/no-such-folder/libcuda.so.1 only "driver.found driver.library devices knowledge.name cache.exists findings todo not_checked" "$JITWARM" doctor $ANYWHERE --json
  driver.found: false
  driver.library: null
  devices: []
  knowledge.name: "none"
  cache.exists: false
- findings: [{"id": "driver-absent", "severity": "error", "subject": null, "evidence": null, "text": "the driver that JITWARM_DRIVER names could not be loaded: /no-such-folder/libcuda.so.1: cannot open shared object file: No such file or directory", "consequence": "no CUDA program can use a GPU: they fail, or run on the CPU", "fix": "unset JITWARM_DRIVER to use the system's driver", "command": "unset JITWARM_DRIVER"}]
- todo: ["unset JITWARM_DRIVER"]
- not_checked: []
+ findings: [{"id": "driver-absent", "severity": "warning", "subject": null, "evidence": null, "text": "no NVIDIA GPU was seen, and there is no NVIDIA driver library (nvcuda.dll)", "consequence": null, "fix": "if there is a GPU, install the NVIDIA driver; without one there is nothing to do", "command": null}]
+ todo: "jitwarm report --yes -o jitwarm-report.html"
+ not_checked: []
exit 1

=== no-memory
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' --faults oom@1 -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       not known yet
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the probe of the driver's cache could not be finished
              [probe-incomplete]
    Seen      the driver refused the test module "plain text":
              CUDA_ERROR_OUT_OF_MEMORY (error 2)
    So        jitwarm cannot warm anything until this works
    Do        end programs that use the GPU's memory, and run this again

  Verdict     1 problem
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html
exit 1

=== not-a-driver
skip on windows: a driver library that can be put anywhere is Linux'
skip on aarch64: the file of the case is of x86-64, which another machine's loader does not look into
skip with a GPU: the answer tells the GPUs on the bus
$ cp "$GEN/elf/linker-stub.so" libcuda.so.1
$ JITWARM_DRIVER=$PWD/libcuda.so.1 "$JITWARM" doctor $ANYWHERE | tr -s "\n " " "
* Driver none was found Cache */home/.nv/ComputeCache not there yet: no program has cached code in it Problem the driver that JITWARM_DRIVER names could not be loaded: {SCRATCH}/libcuda.so.1: object file has no dynamic section [driver-absent] So no CUDA program can use a GPU: they fail, or run on the CPU Do unset JITWARM_DRIVER to use the system's driver unset JITWARM_DRIVER Ignored cache-container, cache-path-memory, cache-path-network, cache-disk-full, cache-home-differs, cache-root-user, cache-service-user Verdict 1 problem To do unset JITWARM_DRIVER 
\

=== other-caches
skip on windows: the caches of other tools are elsewhere there
$ mkdir -p "$HOME/.triton/cache" "$HOME/.cupy/kernel_cache"
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor --json | grep -A6 '"id": "other-caches"' | sed "s|$HOME|~|g"
        "id": "other-caches",
        "severity": "note",
        "subject": null,
        "evidence": "Triton (~/.triton/cache), CuPy (~/.cupy/kernel_cache)",
        "text": "more than one cache besides the driver's holds compiled GPU code",
        "consequence": "it does not count against the driver's limit; export --run packs what a recorded command used of it, and jitwarm deletes nothing there",
        "fix": null,

=== proven-again
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE >/dev/null
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE --probe
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             built Jan  7 2026 22:51:46, build id gnu:*
+*             built Jan  7 2026 22:51:46, build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       3 of 3 steps proven now
              - the driver compiled 5 tiny modules for NVIDIA GeForce RTX 3070
              Laptop GPU (simulated), and cached 5 files
              - all files could be read: checksums, index, and the very code that
              was handed over
              - all 5 file names could be computed beforehand
              - put into another cache folder, all 5 files were used by a fresh
              process, which added and changed nothing
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it
-
  Checked     the driver: its library, its start, a test of its compiler and cache
              the GPUs: whether the driver drives each, and who may use them
              the settings of this environment
              the cache: 0 entries by their first bytes (jitwarm status --check
              reads all)
-             the settings of a fresh login, by /bin/sh
+             the settings of a fresh login
              the CUDA software that is installed: 0 packages where it was looked
              for (jitwarm scan -v); elsewhere: jitwarm prime PATH
  Verdict     not known what starts compile: no CUDA code was found, and nothing
              was primed here yet
- When        if something is slow: start it, and run this beside it:
- To do       jitwarm doctor --watch=60s
+ When        if something is slow:
+ To do       jitwarm doctor -v

=== remembered
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE >/dev/null
$ SIMCUDA_JIT=none "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE | grep -e ^Probe -e ^Allows
  Probe       3 of 3 steps proven before (--probe proves them again)
  Allows      warming in parallel, packs, import and prune

=== sixty-columns
skip on windows: the simulated driver is not in System32
$ cold_libraries
$ export COLUMNS=60 CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null
$ "$JITWARM" doctor $ANYWHERE >out
$ sed -n '/built/,/Allows/p' out
              built Jan 7 2026 22:51:46, build id
              gnu:6a69747761726d2d73696d637564612d30303030
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated),
              sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       3 of 3 steps proven before (--probe proves them
              again)
  Allows      warming in parallel, packs, import and prune

=== state-in-the-way
$ echo a file >state
$ JITWARM_STATE=$PWD/state "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE | grep -E "^(GPU|Probe |Problem|what)"
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
  Probe       not known yet
  Problem     jitwarm prime would stop at its first step: what jitwarm remembers

=== stub
skip on windows: a driver library that can be put anywhere is Linux'
skip with a GPU: the answer tells the GPUs on the bus
$ SIMCUDA_INIT=34 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
  Driver      580.126.09, in a container
*             */libcuda.so.580.126.09
*             build id gnu:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     programs load the CUDA toolkit's stub instead of the driver (error
              34); the stub is for linking only [driver-stub]
*   Seen      the library is */libcuda.so.580.126.09
    So        no CUDA program can use a GPU: they fail, or run on the CPU
    Do        remove the folder with the stub from LD_LIBRARY_PATH; for this
              shell:
*             export LD_LIBRARY_PATH=*

  Verdict     1 problem
* To do       export LD_LIBRARY_PATH=*
exit 1

=== two-cards
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' --gpu 'sm_120:NVIDIA GeForce RTX 5090:32G' -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             built Jan  7 2026 22:51:46, build id gnu:*
+*             built Jan  7 2026 22:51:46, build id pe:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  GPU 1       NVIDIA GeForce RTX 5090 (simulated), sm_120, 32 GiB
              GPU-be5bc5cd-8902-f1ee-79f9-bfc090024eb5
  Probe       3 of 3 steps proven now
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Note        the GPUs here are of different kinds [gpus-differ]
    Seen      NVIDIA GeForce RTX 3070 Laptop GPU (simulated) is sm_86, NVIDIA
              GeForce RTX 5090 (simulated) is sm_120
    So        GPU code fits one kind: a program may start at once on one GPU and
              compile for minutes on the other, and each kind needs its own space
              in the cache
    Do        to let a program see one GPU only (here the first by nvidia-smi):
              CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 PROGRAM

  Checked     the driver: its library, its start, a test of its compiler and cache
              the GPUs: whether the driver drives each, and who may use them
              the settings of this environment
              the cache: 0 entries by their first bytes (jitwarm status --check
              reads all)
-             the settings of a fresh login, by /bin/sh
+             the settings of a fresh login
              the CUDA software that is installed: 0 packages where it was looked
              for (jitwarm scan -v); elsewhere: jitwarm prime PATH
  Verdict     not known what starts compile: no CUDA code was found, and nothing
              was primed here yet (1 note above)
- When        if something is slow: start it, and run this beside it:
- To do       jitwarm doctor --watch=60s
+ When        if something is slow:
+ To do       jitwarm doctor -v

=== unknown-error
skip with a GPU: the answer tells the GPUs on the bus
$ SIMCUDA_INIT=999 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE
-* Driver      580.126.09,*
+ Driver      unknown version, for CUDA up to 13.0
*             */libcuda.so.580.126.09
-*             build id gnu:*
+*             build id pe:*
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the driver does not start: CUDA_ERROR_UNKNOWN (error 999): the
              driver gives no reason [driver-error]
    So        no CUDA program can use a GPU: they fail, or run on the CPU
-   Do        the kernel's messages name the cause (sudo dmesg | grep -i nvrm).
-             Reboot; if the finding is still there, reinstall the driver:
-*             *reboot
+   Do        reboot; if the finding is still there, reinstall the driver:
+             shutdown /r

  Verdict     1 problem
- When        on the host of this container:
-* To do       *reboot
+ To do       shutdown /r
exit 1

=== warm
skip on windows: on a Windows program there is no venv of this shape
on the disk: a cache in memory is another answer
$ site=venv/lib/python3.11/site-packages
$ mkdir -p home venv/bin "$site/demo" "$site/demo-1.0.dist-info"
$ echo "home = /usr" >venv/pyvenv.cfg
$ { cat "$GEN/ptx/compute80.ptx"; head -c 4000000 /dev/zero | tr "\0" "/"; echo; } >"$site/demo/big.ptx"
$ cp "$GEN/elf/only-ptx.so" "$site/demo"
$ printf "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n" >"$site/demo-1.0.dist-info/METADATA"
$ printf "demo/only-ptx.so,,\ndemo/big.ptx,,\n" >"$site/demo-1.0.dist-info/RECORD"
$ export VIRTUAL_ENV="$PWD/venv" HOME="$PWD/home"
$ on() { "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070:8G' -- "$JITWARM" "$@"; }
$ health() { on doctor $ANYWHERE "$@" >out; code=$?; sed -n '/^SOFTWARE/,/^Checked/{/^Checked/d;p}' out | sed 's/JIT_[A-Z]*/JIT_*/; s/compiled at .* start/compiled at * start/'; echo "exit $code"; }
$ on prime --as-root -q "$site/demo/only-ptx.so" >/dev/null; echo "--- a part of it"; health | grep -e " JIT" -e "^exit"
$ on prime --as-root -q "$site/demo" >/dev/null; echo "--- all of it"; health
$ cp -r venv other; echo "--- twice"; health | grep -e "read from" -e "^exit"; rm -r other
$ jax() { mkdir -p "$site/$1" "$site/$1-0.4.30.dist-info"; cp "$GEN/elf/only-ptx.so" "$site/$1/$2"; printf "Metadata-Version: 2.1\nName: $1\nVersion: 0.4.30\n" >"$site/$1-0.4.30.dist-info/METADATA"; printf "$1/$2,,\n" >"$site/$1-0.4.30.dist-info/RECORD"; }
$ jax jaxlib a.so; jax jax_cuda12_plugin b.so; jax jax_cuda12_pjrt c.so; echo "--- packages of one name"; health | grep "^JAX"; rm -r "$site"/jax*
$ echo "--- more than the limit"; CUDA_CACHE_MAXSIZE=1000 health | grep -e " JIT" -e WARM -e "compiles nothing"
  --- a part of it
  demo 1.0  GeForce RTX 3070 (simulated) (8.6)  JIT_*  compiled at * start, and in each new container (compute_80)
  exit 1
  --- all of it
  SOFTWARE  GPU                                 VERDICT  WHAT HAPPENS
  demo 1.0  GeForce RTX 3070 (simulated) (8.6)  WARM     in the cache (compute_80)

  Note        demo 1.0 is warm for NVIDIA GeForce RTX 3070 (simulated) (compute
              capability 8.6): the driver's cache has all 2 modules that would be
              compiled [framework-warm]
    Seen      read from its files (2 modules): certain
    So        the next start compiles nothing, if the program gives the driver no
              options of its own (jitwarm verify --run CMD asks the driver)

  exit 0
  --- twice
    Seen      read from its files (2 modules): certain
  exit 0
  --- packages of one name
  JAX 0.4.30  GeForce RTX 3070 (simulated) (8.6)  WARM     in the cache (compute_52)
  --- more than the limit
  demo 1.0  GeForce RTX 3070 (simulated) (8.6)  WARM     in the cache, over its limit (compute_80)

=== folder-of-loose-files
skip on windows: its paths are others
on the disk: a cache in memory is another answer
$ mkdir -p home app other; for i in 1 2 3 4 5; do { cat "$GEN/ptx/compute80.ptx"; echo "// $i"; } >app/m$i.ptx; done; export HOME="$PWD/home"
$ on() { "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070:8G' -- "$JITWARM" "$@"; }
$ health() { COLUMNS=600 on doctor $ANYWHERE "$@" | sed -n '/^SOFTWARE/d; /^app\|^m1/{s/  */ /g;s/JIT_.*/compiled/;p}; / of app for\|^[PWN][a-z]* *app/{s/ at the first start.*in each container//;s/ at the first start//;p}; /read from/{s/; of what.*//;p}'; }
$ cp app/m1.ptx other; on prime --as-root -q app >/dev/null; echo "--- all of it"; health
$ for i in 6 7 8 9; do { cat "$GEN/ptx/compute80.ptx"; echo "// $i"; } >app/m$i.ptx; done; echo "--- four more"; health
$ for i in 1 2; do { cat "$GEN/ptx/compute80.ptx" | sed s/sm_80/sm_120/; echo "// $i"; } >app/new$i.ptx; done; echo "--- two for newer GPUs"; health
$ rm app/m[2-9].ptx app/new*; echo "--- one file"; health
$ mv app/m1.ptx app/m1.bin; echo "--- PTX of another name"; on doctor $ANYWHERE | grep -A1 "So .*compiles nothing"
  --- all of it
  app GeForce RTX 3070 (simulated) (8.6) WARM in the cache (compute_80)
  Note        app is warm for NVIDIA GeForce RTX 3070 (simulated) (compute capability 8.6): the driver's cache has all 5 modules that would be compiled [framework-warm]
    Seen      read from 5 files of {SCRATCH}/app (m1.ptx, m2.ptx, m3.ptx and 2 more): certain
  --- four more
  app GeForce RTX 3070 (simulated) (8.6) compiled
  Warning     the driver compiles 4 of 9 modules of app for NVIDIA GeForce RTX 3070 (simulated) (compute capability 8.6) (compute_80); 5 modules are warm already [framework-jit-little]
    Seen      read from 9 files of {SCRATCH}/app (m1.ptx, m2.ptx, m3.ptx and 6 more): certain; whether what was primed is warm is not known: changed since the last run: {SCRATCH}/app
  --- two for newer GPUs
  app (2 of its files) GeForce RTX 3070 (simulated) (8.6) NO_KERNEL does not run
  app (9 of its files) GeForce RTX 3070 (simulated) (8.6) compiled
  Problem     app (2 of its files) cannot run on NVIDIA GeForce RTX 3070 (simulated) (compute capability 8.6): it is PTX for newer GPUs [framework-no-kernel]
    Seen      read from 2 files of {SCRATCH}/app (new1.ptx and new2.ptx): certain
    Seen      read from 9 files of {SCRATCH}/app (m1.ptx, m2.ptx, m3.ptx and 6 more): certain; whether what was primed is warm is not known: changed since the last run: {SCRATCH}/app
  --- one file
  m1.ptx GeForce RTX 3070 (simulated) (8.6) WARM in the cache (compute_80)
    Seen      read from its files (1 module): certain
  --- PTX of another name
    So        the next start compiles nothing, if the program gives the driver no
              options of its own (jitwarm verify --run CMD asks the driver)

=== log-of-pytorch
$ printf '%s\n' "UserWarning: NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation." "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90." | "$JITWARM" doctor --log -
  SOFTWARE  GPU                      VERDICT    WHAT HAPPENS
  PyTorch   GeForce RTX 5090 (12.0)  NO_KERNEL  does not run

  Problem     this PyTorch holds no code for the GPU; the lines after it name the
              GPUs that it is built for [log-complaint]
    Seen      line 1: UserWarning: NVIDIA GeForce RTX 5090 with CUDA capability
              sm_120 is not compatible with the current PyTorch installation...
    So        this build was made before the GPU, or after PyTorch gave it up
    Do        install a build for this GPU, with its sister packages; CUDA 12.8
              knows 7.5 to 12.0, and 12.6 what is older
              pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128

  Verdict     1 problem
  When        where the program ran, in the program's Python environment:
  To do       pip install --force-reinstall torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
exit 1

=== log-of-llama.cpp
$ printf '%s\n' "  Device 0: Quadro P2000, compute capability 6.1, VMM: yes" "ggml-cuda.cu:1412: ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 610. ggml-cuda.cu was compiled for: 750,800,860,890" "CUDA error: unspecified launch failure" | "$JITWARM" doctor --log -
  SOFTWARE   GPU                 VERDICT    WHAT HAPPENS
  llama.cpp  Quadro P2000 (6.1)  NO_KERNEL  does not run

  Problem     llama.cpp (ggml) holds no code for this GPU; the message says for
              which it does [log-complaint]
    Seen      line 2: ggml-cuda.cu:1412: ERROR: CUDA kernel mul_mat_q has no
              device code compatible with CUDA arch 610. ggml-cuda.cu was compi...
    So        it was built for other architectures
    Do        build it for this GPU
              cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native && cmake --build build --config Release

  Problem     CUDA_ERROR_LAUNCH_FAILED (719): the program failed on the GPU:
              unspecified launch failure [log-complaint]
    Seen      line 3: CUDA error: unspecified launch failure
    So        a bug in the program or in a library of it, or (rarely) the GPU
              itself; compiling and caches have no part in it
    Do        find the call that fails: start it once with this setting, and
              report that to its authors
-             export CUDA_LAUNCH_BLOCKING=1
+             set "CUDA_LAUNCH_BLOCKING=1"

  Verdict     2 problems
  To do       cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native && cmake --build build --config Release
exit 1

=== log-that-names-its-version
$ printf '%s\n' "2020-12-20 10:00:00.1: I tensorflow/x] Successfully opened dynamic library cudart64_110.dll" "2020-12-20 10:00:01.1: W tensorflow/x] Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found" "TensorFlow version 2.4.1" "Created device /job (device: 0, name: GeForce RTX 3070, pci bus id: 0000:2b:00.0, compute capability: 8.6)" | "$JITWARM" doctor --log -
  SOFTWARE          GPU                     VERDICT  WHAT HAPPENS
  TensorFlow 2.4.1  GeForce RTX 3070 (8.6)  NATIVE   starts at once

  Problem     the program could not load CUDA libraries [log-libs-missing]
    Seen      cudnn64_8.dll
    So        TensorFlow then runs on the CPU
    Do        install the libraries of CUDA 11 and cuDNN 8 where the program finds
              them, as this does in a conda environment: conda install -c
              conda-forge cudatoolkit=11.2 cudnn=8.1
              python -c "import tensorflow; print(tensorflow.sysconfig.get_build_info())"

  Warning     ptxas of CUDA 11.0 does not know sm_86 [ptxas-old]
    Seen      jitwarm's table of frameworks: TensorFlow 2.4, CUDA 11.0
    So        its own kernels run; the driver compiles what ptxas should (XLA,
              autotuning)
    Do        put ptxas of CUDA >= 11.1 first on the PATH

  Note        TensorFlow 2.4.1 has machine code for GeForce RTX 3070 (compute
              capability 8.6): the driver compiles nothing at its start
              [not-compat]
    Seen      jitwarm's table of frameworks: TensorFlow 2.4, CUDA 11.0
    So        if it is slow, check CPU load, batch size and data loading

  Verdict     1 problem, 1 warning, 1 note
  When        this only looks; its finding says what to do then:
  To do       python -c "import tensorflow; print(tensorflow.sysconfig.get_build_info())"
exit 1

=== files-unread
skip on windows: on a Windows program there is no venv of this shape
$ site=venv/lib/python3.11/site-packages
$ mkdir -p venv/bin "$site/tensorflow/python" "$site/tensorflow-2.3.1.dist-info"
$ echo "home = /usr" >venv/pyvenv.cfg
$ cp "$GEN/elf/only-ptx.so" "$site/tensorflow/python/_pywrap.so"
$ head -c 300 "$GEN/elf/registered.so" >"$site/tensorflow/python/_cut.so"
$ printf "Metadata-Version: 2.1\nName: tensorflow\nVersion: 2.3.1\n" >"$site/tensorflow-2.3.1.dist-info/METADATA"
$ echo "tensorflow/python/_pywrap.so,," >"$site/tensorflow-2.3.1.dist-info/RECORD"
$ export VIRTUAL_ENV="$PWD/venv"
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor | sed -n -E '/could not be read/,/Do  /p;/needs the libraries/,/Seen/p'
  Problem     TensorFlow 2.3.1 needs the libraries of CUDA 10.1 and cuDNN 7.6, and
              jitwarm did not find them [framework-libs-missing]
    Seen      read from its files (1 module): certain
  Warning     1 file that may hold CUDA code could not be read [files-unread]
    Seen      {SCRATCH}/venv/lib/python3.11/site-packages/tensorflow/python/_cut.so:
              elf: section table at 0x66e8 runs past the end
    So        doctor cannot check them, and jitwarm prime skips them
    Do        repair or remove them; exclude = PATH in jitwarm.conf skips a file

=== state-folder-is-a-file
skip on windows: the folder has another name there
$ touch file
$ JITWARM_STATE="$PWD/file/x" "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | grep -A 6 ^Problem
  Problem     jitwarm prime would stop at its first step: what jitwarm remembers
              cannot be kept in {SCRATCH}/file/x
              (JITWARM_STATE): it leads to no folder:
              {SCRATCH}/file is a file [prime-stops]
    So        nothing can be compiled ahead of time until this is mended
    Do        run this:
              unset JITWARM_STATE

=== the-table-is-what-status-says
$ mkdir lib && cp "$GEN/elf/only-ptx.so" lib && "$WITH_SIMCUDA" -- "$JITWARM" doctor -q >/dev/null; SIMCUDA_FAULTS="badptx@*" "$WITH_SIMCUDA" -- "$JITWARM" prime --as-root -q lib 2>/dev/null
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n -E '/^(only|SOFT)/,/^$/p;/^Warning/,/Do  /p;/jit-little/p'
$ "$WITH_SIMCUDA" -- "$JITWARM" prime --as-root -q lib/only-ptx.so; CUDA_CACHE_MAXSIZE=4096 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n -E '/^(only|SOFT)/,/^$/p;/framework-warm/,/So  /p'
$ CUDA_FORCE_PTX_JIT=1 "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | sed -n -E '/^(only|SOFT)/,/^$/p;/the driver compiles/,/jit-little/p'
  SOFTWARE     GPU                                            VERDICT  WHAT HAPPENS
  only-ptx.so  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  REFUSED  refused by this driver

  Warning     this driver cannot compile 1 module [modules-refused]
    Seen      {SCRATCH}/lib/only-ptx.so: the driver refused
              it: CUDA_ERROR_INVALID_PTX (218): simulated ptxas: a PTX JIT
              compilation failed
    So        programs that load it fail, and another prime does not help
    Do        take another version of the software where the compiler names an
  SOFTWARE     GPU                                            VERDICT  WHAT HAPPENS
  only-ptx.so  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  WARM     in the cache, over its limit (compute_52)

              module that would be compiled [framework-warm]
    Seen      read from its files (1 module): certain
    So        the cache holds more than its limit: what is stored next evicts some
  SOFTWARE     GPU                                            VERDICT    WHAT HAPPENS
  only-ptx.so  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  JIT_EVERY  compiled at every start (compute_52)

  Warning     the driver compiles only-ptx.so for NVIDIA GeForce RTX 3070 Laptop
              GPU (simulated) (compute capability 8.6) at every start (compute_52)
              [framework-jit-little]

=== home-that-is-gone
skip on windows: the folder has another name there
$ HOME="$PWD/gone" JITWARM_STATE="$PWD/state" "$WITH_SIMCUDA" -- "$JITWARM" doctor $ANYWHERE | grep -A 5 ^Problem
  Problem     jitwarm prime would stop at its first step: the home folder
              {SCRATCH}/gone does not exist, and jitwarm
              makes none [prime-stops]
    So        nothing can be compiled ahead of time until this is mended
    Do        run this:
*             export *

=== damaged-memory
$ "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE >/dev/null && for f in "$XDG_STATE_HOME"/jitwarm/drivers/*; do echo junk >"$f"; done && "$WITH_SIMCUDA" --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE | grep -E "^(Probe |Note)"
  Probe       3 of 3 steps proven now
  Note        the saved probe result of this driver could not be used, and the

=== old-driver
skip on windows: the version of a driver is in the registry there, beside a GPU
$ "$WITH_SIMCUDA" --driver 535.261.03 --gpu 'sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G' -- "$JITWARM" doctor $ANYWHERE | sed '/^$/,$d'
* Driver      535.261.03,*
*             */libcuda.so.535.261.03
*             built Jan 26 2019 04:22:59, build id gnu:*
  GPU 0       NVIDIA GeForce RTX 3070 Laptop GPU (simulated), sm_86, 8 GiB
              GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc
  Probe       3 of 3 steps proven now
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

=== pro-6000-old-driver
skip on windows: the version of a driver is in the registry there, beside a GPU
$ "$WITH_SIMCUDA" --driver 550.54.14 --gpu 'sm_120:NVIDIA RTX PRO 6000 Blackwell Server Edition:96G' -- "$JITWARM" doctor $ANYWHERE | sed "/^  Do /,/^\$/d"
* Driver      550.54.14,*
*             */libcuda.so.550.54.14
*             built Aug 16 2025 17:00:48, build id gnu:*
  GPU 0       NVIDIA RTX PRO 6000 Blackwell Server Edition (simulated), sm_120,
              96 GiB
              GPU-0d87c770-1861-ea3d-220b-f1a85155889c
  Probe       3 of 3 steps proven now
  Allows      warming in parallel, packs, import and prune
* Cache       */home/.nv/ComputeCache
              not there yet: no program has cached code in it

  Problem     the driver is too old for NVIDIA RTX PRO 6000 Blackwell Server
              Edition (simulated) [driver-old-for-gpu]
    Seen      driver 550.54.14 is installed; this GPU (Blackwell, sm_120) needs
              570 or newer
    So        programs do not see this GPU, or fail as soon as they use it
  Verdict     1 problem
  When        no command mends this here: see Do; for the person who can, this
              makes a page:
  To do       jitwarm report --yes -o jitwarm-report.html

=== log-of-numba
$ printf '%s\n' "Driver Version: 550.120    CUDA Version: 12.4" "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in CUDA_ERROR_UNSUPPORTED_PTX_VERSION" "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.7; current version is '8.4'" | "$JITWARM" doctor --log -
  Problem     the driver's compiler is older than what made the PTX
              [log-complaint]
    Seen      line 3: ptxas application ptx input, line 9; fatal : Unsupported
              .version 8.7; current version is '8.4'
    So        the PTX comes from a newer CUDA than the driver reads; 8.4 is CUDA
              12.4, 8.7 is 12.8
    Do        update the driver, or take a build for an older CUDA; Numba's CUDA
              package links by nvJitLink of its own CUDA instead of the driver
              pip install --upgrade "numba-cuda[cu12]"

  Verdict     1 problem
  When        where the program ran, in the program's Python environment:
  To do       pip install --upgrade "numba-cuda[cu12]"
exit 1

=== log-of-one-toolkit
$ site=venv/lib/python3.11/site-packages; mkdir -p $site/pip $site/nvidia_nvjitlink_cu12-12.4.127.dist-info $site/nvidia_cuda_runtime_cu12-12.4.127.dist-info venv/bin && : >venv/bin/python
$ printf '%s\n' "  File \"$PWD/$site/numba_cuda/numba/cuda/cudadrv/nvvm.py\", line 96, in get_ir_version" 'cuda.pathfinder._dynamic_libs.load_dl_common.DynamicLibNotFoundError: Failure finding "libnvvm.so.4 or libnvvm.so": No such file: libnvvm.so.4' >a.log
$ "$JITWARM" doctor --log a.log | tail -1
$ mkdir $site/nvidia_cuda_nvrtc_cu12-12.9.86.dist-info $site/nvidia_cuda_nvcc_cu12-12.9.86.dist-info
$ printf '%s\n' "  File \"$PWD/$site/numba_cuda/numba/cuda/cudadrv/driver.py\", line 2473, in complete" "cuda.bindings.nvjitlink.nvJitLinkError: ERROR_INTERNAL (6)" "nvJitLink error log: ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library" >a.log
$ "$JITWARM" doctor --log a.log
  To do       {SCRATCH}/venv/bin/python3.11 -m pip install 'nvidia-cuda-nvcc-cu12==12.4.*' 'nvidia-cuda-nvrtc-cu12==12.4.*'
  Problem     nvJitLink is older than the compiler that made the code
              [log-complaint]
    Seen      line 3: nvJitLink error log: ERROR 4 in
              nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink
              library
    So        libNVVM, which compiles, and nvJitLink, which links, are of
              different CUDA toolkits
    Do        bring all of them to one toolkit
              {SCRATCH}/venv/bin/python3.11 -m pip install 'nvidia-cuda-nvcc-cu12==12.4.*' 'nvidia-cuda-nvrtc-cu12==12.4.*'

  Verdict     1 problem
  When        where the program ran:
  To do       {SCRATCH}/venv/bin/python3.11 -m pip install 'nvidia-cuda-nvcc-cu12==12.4.*' 'nvidia-cuda-nvrtc-cu12==12.4.*'
exit 1

=== log-of-tensorflow-0
$ printf '%s\n' "I tensorflow/stream_executor/dso_loader.cc:105] successfully opened CUDA library libcublas.so.7.5 locally" "I tensorflow/stream_executor/dso_loader.cc:105] successfully opened CUDA library libcudnn.so.4 locally" "I tensorflow/core/common_runtime/gpu/gpu_init.cc:102] Found device 0 with properties: " "name: GeForce GTX 1070" "major: 6 minor: 1 memoryClockRate (GHz) 1.797" | "$JITWARM" doctor --log -
  Problem     programs of CUDA 7.5 may compute wrong results on GeForce GTX 1070
              (compute capability 6.1) [framework-wrong-results]
    Seen      reports: tensorflow #3507 #3068 #3925; BVLC/caffe #4371
    So        Its cuBLAS and cuDNN were never built for this GPU, and training on
              it gave random results without any error
    Do        use a build for CUDA 8.0 or newer (with cuDNN 5 or newer)

  Verdict     1 problem
  When        no command mends this: see Do; to look at the machine where the
              program ran:
  To do       jitwarm doctor
exit 1

=== log-of-two-unlike-gpus
$ printf '%s\n' "2019-10-05 12:00:00.1: I tensorflow/stream_executor/platform/default/dso_loader.cc:44] Successfully opened dynamic library libcudart.so.10.0" "TensorFlow version: 2.0.0" "name: GeForce GTX 1080 major: 6 minor: 1 memoryClockRate(GHz): 1.7335" "name: GeForce RTX 3070 major: 8 minor: 6 memoryClockRate(GHz): 1.725" "Adding visible gpu devices: 0, 1" | "$JITWARM" doctor --log -
  SOFTWARE          GPU                     VERDICT    WHAT HAPPENS
  TensorFlow 2.0.0  GeForce GTX 1080 (6.1)  NATIVE     starts at once
                    GeForce RTX 3070 (8.6)  JIT_FIRST  compiled at the first start (compute_70)

  Warning     TensorFlow 2.0.0 has no machine code for GeForce RTX 3070 (compute
              capability 8.6); the driver compiles its PTX (compute_70) at the
              first start [framework-jit-first]
    Seen      jitwarm's table of frameworks: TensorFlow 1.13 to 2.0, CUDA 10.0
    So        the first start seems to hang: one CPU core is busy and nothing is
              printed; others waited 2 to 5 minutes (RTX 3070 and RTX 3060 Ti).
              This happens once per driver version, if the cache is large enough
    Do        set CUDA_CACHE_MAXSIZE=1073741824 before the next start, because the
              default may be too small; jitwarm prime compiles all of it ahead of
              time, in parallel. To avoid compiling: TensorFlow 2.5 to 2.6 (CUDA
              11.2) has machine code for it
              jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824 && jitwarm prime

  Note        TensorFlow 2.0.0 has machine code for GeForce GTX 1080 (compute
              capability 6.1): the driver compiles nothing at its start
              [not-compat]
    Seen      jitwarm's table of frameworks: TensorFlow 1.13 to 2.0, CUDA 10.0
    So        if it is slow, check CPU load, batch size and data loading

  Verdict     1 warning, 1 note
  When        where the program ran, in its container if it has one:
  To do       jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824 && jitwarm prime
exit 1

=== installed
skip on windows: on a Windows program there is no venv of this shape
$ site=venv/lib/python3.11/site-packages
$ mkdir -p venv/bin "$site/torch/lib" "$site/tensorflow/python" "$site/torch-2.9.1+cu128.dist-info" "$site/tensorflow-2.3.1.dist-info" "$site/onnxruntime-1.20.0.dist-info"
$ echo "home = /usr" >venv/pyvenv.cfg
$ cp "$GEN/elf/only-sass.so" "$site/torch/lib/libtorch_cuda.so"
$ cp "$GEN/elf/only-ptx.so" "$site/tensorflow/python/_pywrap.so"
$ for p in torch-2.9.1+cu128 tensorflow-2.3.1 onnxruntime-1.20.0; do
$     printf "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" "${p%%-*}" "${p#*-}" >"$site/$p.dist-info/METADATA"
$     echo "${p%%-*}/x,," >"$site/$p.dist-info/RECORD"
$ done
$ export VIRTUAL_ENV="$PWD/venv"
$ "$WITH_SIMCUDA" -- "$JITWARM" doctor --json | sed -n '/"software"/,/"findings"/p' | grep -E '"(name|version|known_from|path|verdict|from)"' | sed 's/JIT_[A-Z]*/JIT_*/'
$ CUDA_FORCE_JIT=1 "$WITH_SIMCUDA" -- "$JITWARM" doctor --json | grep '"verdict"'
        "name": "ONNX Runtime",
        "version": "1.20.0",
        "known_from": "files",
        "path": "{SCRATCH}/venv/lib/python3.11/site-packages/onnxruntime-1.20.0.dist-info",
            "name": "NVIDIA GeForce RTX 3070 Laptop GPU (simulated)",
            "verdict": "CPU_BUILD",
            "from": null,
        "name": "PyTorch",
        "version": "2.9.1+cu128",
        "known_from": "files",
        "path": "{SCRATCH}/venv/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so",
            "name": "NVIDIA GeForce RTX 3070 Laptop GPU (simulated)",
            "verdict": "NATIVE",
            "from": null,
        "name": "TensorFlow",
        "version": "2.3.1",
        "known_from": "files",
        "path": "{SCRATCH}/venv/lib/python3.11/site-packages/tensorflow/python/_pywrap.so",
            "name": "NVIDIA GeForce RTX 3070 Laptop GPU (simulated)",
            "verdict": "LIBS_MISSING",
            "from": "compute_52",
            "verdict": "CPU_BUILD",
            "verdict": "NO_KERNEL",
            "verdict": "LIBS_MISSING",

=== compiles-while-it-runs
skip on windows: its paths are others
$ site=venv/lib/python3.11/site-packages
$ mkdir -p venv/bin "$site/numba_cuda-0.30.4.dist-info" "$site/triton-3.1.0.dist-info" "$site/pip" && echo "home = /usr" >venv/pyvenv.cfg && : >venv/bin/python
$ export VIRTUAL_ENV="$PWD/venv" JITWARM_SYSROOT="$PWD/root"; mkdir root
$ health() { "$WITH_SIMCUDA" -- "$JITWARM" doctor | sed -n -e "/^SOFT/,/^\$/p" -e "/^Problem/,/pip install/p"; }
$ health
$ "$JITWARM" scan 2>/dev/null | tail -n 2
$ for lib in cudart nvrtc nvvm; do mkdir -p "$site/nvidia/$lib/lib" && : >"$site/nvidia/$lib/lib/lib$lib.so.12"; done; health
$ other=work/venv/lib/python3.11/site-packages; mkdir -p "$other/numba_cuda-0.30.4.dist-info" work/venv/bin && cp venv/pyvenv.cfg work/venv; health | grep -e "^numba" -e "^Problem" -e "work/"
  SOFTWARE           GPU                                            VERDICT       WHAT HAPPENS
  numba-cuda 0.30.4  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  LIBS_MISSING  CUDA libraries are missing
  triton 3.1.0       GeForce RTX 3070 Laptop GPU (simulated) (8.6)  RUN_TIME      compiles while it runs

  Problem     numba-cuda 0.30.4 needs CUDA libraries that are not here: libcudart,
              libnvrtc, libnvvm [framework-libs-missing]
    Seen      it loads them when it compiles, while a program runs
              ({SCRATCH}/venv/lib/python3.11/site-packages/numba_cuda-0.30.4.dist-info)
    So        it stops when it needs them, and names the missing library
    Do        install the packages that hold them, beside it:
              {SCRATCH}/venv/bin/python -m pip install "nvidia-cuda-runtime==13.*" "nvidia-cuda-nvrtc==13.*" "nvidia-nvvm==13.*" "nvidia-nvjitlink==13.*"
  numba-cuda 0.30.4 and triton 3.1.0 compile GPU code while they run: jitwarm
  prime --run CMD records what a start compiles
  SOFTWARE           GPU                                            VERDICT   WHAT HAPPENS
  numba-cuda 0.30.4  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  RUN_TIME  compiles while it runs
  triton 3.1.0       GeForce RTX 3070 Laptop GPU (simulated) (8.6)  RUN_TIME  compiles while it runs

  numba-cuda 0.30.4  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  RUN_TIME      compiles while it runs
  numba-cuda 0.30.4  GeForce RTX 3070 Laptop GPU (simulated) (8.6)  LIBS_MISSING  CUDA libraries are missing
  Problem     numba-cuda 0.30.4 needs CUDA libraries that are not here: libcudart,
              ({SCRATCH}/work/venv/lib/python3.11/site-packages/numba_cuda-0.30.4.dist-info)

=== settings
skip on windows: the configuration folder is another one there
$ export JITWARM_STORE=/srv/packs
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ printf "roots = /opt/ai\nroots = /srv/models\njobs = 4\n" > "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ CUDA_CACHE_PATH=/fast/cache CUDA_CACHE_MAXSIZE=2147483648 JITWARM_STATE="$PWD/state" JITWARM_LOGIN=ada:secret JITWARM_DRIVER=/opt/libcuda.so.1 "$JITWARM" doctor -v | sed -n "/SETTING/,\$p" | sed "s|/[^ ]*/jitwarm/jitwarm.conf|CONF|; s|$PWD|HERE|"
  SETTING             VALUE                                 FROM
  CUDA_CACHE_PATH     /fast/cache                           environment
  CUDA_CACHE_MAXSIZE  2147483648                            environment
  CUDA_CACHE_DISABLE  0                                     the driver's default
  roots               /opt/ai                               CONF:1
  roots               /srv/models                           CONF:2
  exclude             -                                     default
  jobs                4                                     CONF:3
  store_cap           2GiB                                  default
  trust               -                                     default
  source              -                                     default
  cacert              -                                     default
  plain_http          -                                     default
  JITWARM_STATE       HERE/state  environment
  JITWARM_STORE       /srv/packs                            environment
  JITWARM_DRIVER      /opt/libcuda.so.1                     environment
  JITWARM_LOGIN       (not shown)                           environment
  To do       unset JITWARM_DRIVER

=== log-nobody-writes
skip on windows: a pipe is not a file there
$ mkfifo pipe
$ "$JITWARM" doctor --log pipe &
$ for i in $(seq 600); do readlink /proc/$!/fd/0 | grep -q "/pipe$" && break; sleep .1; done
$ kill -TERM $!; wait $!; echo "exit $?"
  exit 130
!  jitwarm: --log: pipe: interrupted

=== log-pipe-by-name
skip on windows: a pipe is not a file there
$ mkfifo pipe
$ echo "TensorFlow version 2.4.1" >pipe &
$ "$JITWARM" doctor --log pipe | head -1
  Note        no known error in the log (1 lines read, without timestamps)

=== watch-time
$ "$JITWARM" doctor --watch 20x
$ "$JITWARM" doctor 20s
$ "$JITWARM" doctor --watch --log run.log
$ JITWARM_DRIVER=/none "$JITWARM" doctor --watch 20s
!  jitwarm doctor: takes no arguments, but got '20x' (jitwarm help doctor)
!  jitwarm doctor: takes no arguments, but got '20s' (jitwarm help doctor)
!  jitwarm doctor: --watch looks at what runs now, and --log at what ran before: give one (jitwarm help doctor)
!  jitwarm: no CUDA driver was found
exit 3
