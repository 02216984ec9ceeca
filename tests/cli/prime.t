case warmed: simulated_driver two_libraries
$ jitwarm prime --yes -v lib
[good] All 2 modules of these files are in this cache for sm_86, driver *. A fresh process loaded them and *
Compiled 2 modules in *
$ CUDA_DISABLE_JIT=1 jitwarm prime --yes lib --json  # nothing is to be compiled
.compiled = 0
$ jitwarm doctor lib --json
.result = "warm"
.proof.proven = true
.jobs = []
$ rm -r cache; SIMCUDA_COST=0+9000 jitwarm prime --yes --jobs 1 --time-limit 2s --cache new lib
? 7
Note the folder that --cache names is new
To do jitwarm prime --yes --jobs 1 --cache new lib

case packs-are-proven: packed
skip windows
$ mkdir -p "$XDG_DATA_HOME/jitwarm" "$XDG_CONFIG_HOME/jitwarm/keys" && mv packs "$XDG_DATA_HOME/jitwarm" && mv a.pub "$XDG_CONFIG_HOME/jitwarm/keys"; jitwarm prime --yes lib --json
.compiled = 0
.proof.proven = true
.notes.0.id = "cache-short-lived"
$ rm -r cache
$ jitwarm import "$XDG_DATA_HOME/jitwarm/packs"
Note Entries do not last (container's layer)*
$ rm -r cache && mkdir -m 777 cache
$ jitwarm prime --yes lib
? 4
- *source*

# An entry whose bytes are whole and whose code the driver refuses: it is damaged from then on, and compiled anew.
case refused-by-a-fresh-process: primed make_key
skip windows
$ printf 'import pathlib, struct\nat = sorted(f for f in pathlib.Path("cache").rglob("*") if f.is_file() and f.name != "index")\nold = at[0].read_bytes()\nkey, size = struct.unpack_from("<QQ", old, 4)\ncode, h = old[28 + key:68 + key] + bytes([255] * 8) + old[76 + key:], 0xcbf29ce484222325\nfor b in code:\n    h = (h ^ b) * 0x100000001b3 %% 2**64\nat[0].write_bytes(old[:20] + struct.pack("<Q", h) + old[28:28 + key] + code)\n' >spoil.py
$ jitwarm export -q --sign a.key -o . lib
$ python3 spoil.py
$ jitwarm status lib -q
$ jitwarm doctor lib
? 1
[warn] Cold: 1 of 2 modules *
$ jitwarm status --gpu sm_86 lib
? 1
To do jitwarm prime --gpu sm_86 lib
$ jitwarm export --dry-run lib --json
? 1
.packs.0.damaged = 1
$ jitwarm import --trust a.pub . --json
.added = 1
$ jitwarm status lib -q  # a pack's good copy replaces it
$ python3 spoil.py; rm $(find cache -type f ! -name index | sort | tail -n 1); jitwarm prime --yes lib --json
.result = "warm"
.compiled = 2
.proof.proven = true

case links-out-and-a-cache-that-nobody-can-list-or-lock: primed
skip windows
$ chmod 111 cache/*/*; mkdir -m 0 shut; [ "$(id -u)" != 0 ] || drop="setpriv --bounding-set -all --inh-caps -all"; unset JITWARM_DRIVER; export LD_LIBRARY_PATH="$PWD/shut"; $drop "$JITWARM" doctor; rmdir shut; : >libcuda.so.1; chmod 0 libcuda.so.1; LD_LIBRARY_PATH="$PWD:$SIM"; $drop "$JITWARM" doctor lib; rm libcuda.so.1; chmod 755 cache/*/*
Why no libcuda.so.1; *; {work}/shut/libcuda.so.1 is no file that this user can read
All 2 modules *
# What is in a cache that nobody can look into is not known.
$ printf 'import fcntl, json, subprocess, sys\nf = open("cache/index", "r+b")\nfcntl.lockf(f, fcntl.LOCK_EX)\nfor how in sys.argv[2:]:\n    run = subprocess.run([sys.argv[1], *how.split(), "lib", "--json"], stdout=-1)\n    print(how, run.returncode, json.loads(run.stdout)["message"], *[x["command"][:8] for x in json.loads(run.stdout)["todo"]])' >lock.py
$ JW_TEST_HURRY=10 python3 lock.py "$JITWARM" status "prime --yes"
status 1 Incomplete: 0 of 2 modules * fuser -v
prime --yes 4 The cache cannot be looked into now. fuser -v
$ python3 -c "import fcntl, subprocess; f = open('cache/index', 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX); subprocess.run(['$JITWARM', 'status'])"
Used * KiB of *
unknown {work}/lib
$ head -c 3000 lib/only-ptx.so >lib/a.so; cp lib/registered.so lib/b.so; chmod 0 lib/b.so; $drop "$JITWARM" status lib; rm lib/[ab].so
Not read {work}/lib/b.so: permission denied (and 1 more: -v)
To do chmod u+rX {work}/lib/b.so
# A link to all of the machine, as Wine has it, and what each disk has.
$ mkdir lib/lost+found && chmod 0 lib/lost+found && ln -s / lib/z: && ln -s /proc lib/p && ln -s .. lib/up && jitwarm status lib
[good] All 2 modules of these files are in this cache for sm_86, driver *.

case nothing: simulated_driver
$ mkdir empty && : >e.ptx
$ jitwarm prime --yes e.ptx
? 1
Note not remembered, *e.ptx
$ jitwarm prime --yes empty
? 1
[warn] No CUDA code was found in {work}/empty.
$ jitwarm doctor empty
? 1
[warn] No CUDA code was found in {work}/empty.
$ jitwarm status empty --json
? 1
.answer.is = "incomplete"
.todo = []
$ jitwarm status --json
? 1
.result = "nothing"

case cold-and-stopped: simulated_driver two_libraries
$ jitwarm status lib; test $? = 1 && test ! -e cache
[warn] Cold: 2 of 2 modules missing from this cache for sm_86, driver *, the first: *
$ CUDA_CACHE_DISABLE=1 jitwarm prime --yes lib --json
? 1
.cause.id = "cache-disabled"
$ CUDA_CACHE_MAXSIZE=1000 jitwarm prime --yes lib
? 4
[bad] The cache's limit is too small.

# What was named is remembered for when there is a driver, but not beside another reason to stop.
case named-before-the-driver: simulated_driver two_libraries
skip windows
$ ln -s loop loop && echo >s && chmod +x s
$ jitwarm prime s
? 1
Note a program may load code of other files: *
$ JITWARM_DRIVER=/nowhere jitwarm doctor
? 1
Why JITWARM_DRIVER names no library that is there
$ jitwarm scan --gpu sm_86 loop
? 2
[bad] jitwarm: loop: a link that leads nowhere
$ jitwarm prime loop
? 2
[bad] jitwarm: loop: a link that leads nowhere
$ JITWARM_DRIVER=/nowhere jitwarm prime nowhere
? 2
[bad] jitwarm*: nowhere: no such file or folder
$ CUDA_CACHE_PATH=/proc/x jitwarm prime --post-install --as-root
[warn] jitwarm: No prime was started. The cache's folder cannot be used as it is: CUDA_CACHE_PATH=/proc/x, *
$ JITWARM_DRIVER=/nowhere jitwarm status lib
? 3
[bad] Programs find no NVIDIA driver library that works.
$ CUDA_CACHE_DISABLE=1 JITWARM_DRIVER=/nowhere jitwarm prime lib
? 3
[bad] Programs find no NVIDIA driver library that works.
$ jitwarm status
? 1
Nothing is remembered for this cache, *
$ jitwarm doctor python3 prog.py
? 2
[bad] jitwarm*: python3: no such file or folder; of a program: doctor --run CMD, prime --run CMD*
$ JITWARM_DRIVER=/nowhere jitwarm prime --yes lib
? 3
[bad] Programs find no NVIDIA driver library that works.
$ echo 1 >prog.py && : >e.ptx
$ JITWARM_DRIVER=/nowhere jitwarm prime prog.py e.ptx
? 3
Note not remembered, *prog.py
Note not remembered, *e.ptx
$ jitwarm status
? 1
0 of 2 {work}/lib

case a-driver-that-broke-since: simulated_driver two_libraries program
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ rtx_3070
$ jitwarm prime --yes lib/registered.so
[good] The only module of these files is in this cache for sm_86, driver *. A fresh process loaded it and compiled nothing.
$ SIMCUDA_INIT=100 jitwarm prime --yes lib
? 3
[bad] Programs have no GPU.
$ SIMCUDA_GPUS='sm_86:NVIDIA GPU:8G:mode=prohibited' jitwarm prime --yes lib
? 3
*nvidia-smi -c 0
$ SIMCUDA_FAULTS=crash@init jitwarm doctor lib/registered.so
? 1
Why the driver * ended its process: signal *
# Another program has it for itself: cuInit works, and a context does not; once where all is warm, and once where nothing is.
$ export SIMCUDA_SHARED="$PWD" SIMCUDA_GPUS='sm_86:NVIDIA GPU:8G:mode=exclusive'
$ $PROGRAM --nap 99 >out &
$ until [ -s out ]; do sleep 0.1; done
$ jitwarm doctor lib/registered.so
? 1
[bad] The driver does not work.
To do nvidia-smi
$ rm -r cache
$ jitwarm prime --yes lib
? 3
[bad] The driver does not work.
Why error 46, CUDA_ERROR_DEVICE_UNAVAILABLE
$ kill $!

case odd-config: simulated_driver two_libraries
skip windows
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ echo 'exlude = x' >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ JITWARM_DRIVER=/nowhere jitwarm doctor
? 1
[warn] jitwarm: *jitwarm.conf:1: unknown key "exlude"; *
$ jitwarm prime --yes lib
[warn] jitwarm: *jitwarm.conf:1: unknown key "exlude"; *
$ echo 'exclude = *.so' >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ jitwarm status lib
? 1
[warn] No CUDA code was found in *lib, apart from what exclude = in jitwarm.conf names.
$ jitwarm status lib/*
[good] All 2 modules *

case source: simulated_driver
skip windows
$ mkdir -p cuda/lib64 && cp "$SIM/libnvrtc-sim.so" cuda/lib64/libnvrtc.so.13 && export CUDA_HOME="$PWD/cuda"
$ echo 'extern "C" __global__ void add(int *p) {}' >add.cu; jitwarm prime --yes -q add.cu
$ echo 'extern "C" __global__ void sub(int *p) {}' >>add.cu; jitwarm status
? 1
[warn] Cold: 1 of 1 module *
$ rm cuda/lib64/*; jitwarm status
? 1
To do mend what keeps *add.cu from being compiled

case below-level-2: simulated_driver two_libraries
skip windows
$ export SIMCUDA_KNOWLEDGE=1; jitwarm prime --yes lib --json
.result = "warm"
.scope.level = "readable"
.proof.proven = true
.compiled = null
$ jitwarm status lib --json
? 1
.result = "incomplete"
.answer.unknown = 2
$ jitwarm status
? 1
To do jitwarm doctor
$ jitwarm doctor --json
.result = "warm"
.proof.loaded = 2
$ rm -r cache
$ SIMCUDA_FAULTS="short@*" jitwarm prime --yes lib
? 1
To do jitwarm prime lib
$ rm -r cache
$ jitwarm doctor lib
? 1
[warn] Cold: 2 of 2 modules *
To do jitwarm prime lib
$ test -z "$(find cache -type f ! -name index)"

# What speaks against no code: the next run tries it again, and no module is skipped.
case for-a-reason-that-passes: simulated_driver two_libraries
skip windows
$ for fault in kill oom short; do "$JITWARM" status lib; SIMCUDA_FAULTS="$fault@*" "$JITWARM" prime --yes lib; done >out; grep -c "To do *jitwarm prime lib$" out; cat out
6
- *{work}/cache/.jitwarm*
Why {work}/lib/only-ptx.so: its process was killed twice*
Why {work}/lib/only-ptx.so: CUDA_ERROR_OUT_OF_MEMORY (2)*
Why {work}/lib/only-ptx.so: not stored: *
$ jitwarm prime --yes lib --json
.result = "warm"
$ rm -r cache
$ jitwarm forget -q lib
$ SIMCUDA_FAULTS="badptx@*" jitwarm prime --yes -q lib/only-ptx.so
? 1
To do replace {work}/lib/only-ptx.so by another build of it
$ jitwarm prime
? 1
Or jitwarm forget {work}/lib/only-ptx.so

# Each cache has its own list, by the path that names it.
case moved-emptied-and-gone: primed
$ [ -n "$MACHINE" ] || { mv cache disk && ln -s disk cache && set -- --cache ./cache/; }; jitwarm status "$@"
[good] All 2 modules *
$ export CUDA_CACHE_PATH="$PWD/new"; jitwarm status
? 1
Nothing is remembered for this cache, *
$ mv cache new; jitwarm prime lib --json
.compiled = 0
# It was there when it was named: a disk that was full, a layer of an image.
$ for f in lib/*; do : >"$f"; done; jitwarm status lib
? 1
[warn] No CUDA code was found in {work}/lib.
$ jitwarm status
? 1
no code {work}/lib
# What was named is gone: nobody takes the answer for one with it.
$ rm -r lib; for verb in status doctor; do jitwarm $verb; done
? 1
[warn] No module was looked up: {work}/lib: no such file*
[warn] No module was looked up: {work}/lib: no such file*
$ jitwarm forget -q lib
$ jitwarm status --json
? 1
.result = "nothing"

# A source that cannot be reached, and an entry that is damaged: all verbs say it as one, until it is mended.
case source-and-damage: primed
skip windows
$ mkdir -p $XDG_CONFIG_HOME/jitwarm; echo "source = oci://localhost:1/packs" >$XDG_CONFIG_HOME/jitwarm/jitwarm.conf
$ for f in $(find cache -type f -name "*[0-9a-f]" ! -name index | head -n 1); do printf x | dd of="$f" bs=1 seek=200 conv=notrunc 2>/dev/null; done
$ for verb in status doctor; do jitwarm $verb lib; done | grep -c "entries gone or damaged: 1"
2
$ jitwarm prime --yes lib >out 2>&1; test "$(grep -c "source oci://localhost" out)" = 1 && cat out
- *damaged*
[good] All 2 modules *

# Ctrl-C at a question is an answer: nothing is compiled; at the second one, what was compiled stays.
case interrupted-question: simulated_driver two_libraries
skip windows
$ { printf '.version 6.4\n.target sm_50\n.address_size 64\n.visible .entry add()\n{\n    ret;\n}\n'; yes // | head -c 17000000; } >lib/large.ptx; export CUDA_CACHE_MAXSIZE=17000000
$ "$SOURCE/tests/cli/terminal.py" ctrl-c "Go on? [y/N]" "$JITWARM" prime lib
? 130
the cache has room for 2 of 3 modules, which need * Go on? [y/N] *Stopped; the next run continues.
jitwarm prime lib
$ jitwarm status -q lib; test $? = 1 && test -z "$(find cache -type f)"
$ "$SOURCE/tests/cli/terminal.py" n "Go on? [y/N]" "$JITWARM" prime lib
? 7
Or jitwarm prime --yes lib
$ "$SOURCE/tests/cli/terminal.py" y "Go on? [y/N]" "$JITWARM" prime lib
? 4
$ mkdir out && jitwarm export --yes --gpu sm_90 -o out lib  # in a cache of its own, with a limit of its own
Packed.
- *CUDA_CACHE_MAXSIZE*

# A file without code for this GPU may be a variant of another one, but not where it is named.
case without-code: simulated_driver two_libraries
$ export SIMCUDA_GPUS='sm_61:NVIDIA GPU:8G'; jitwarm prime --yes lib
[good] The only module of these files is in this cache for sm_61*
Note 3 modules without code for sm_61 and this driver: an error when loaded, the first: {work}/lib/registered.so
$ export SIMCUDA_GPUS='sm_61:NVIDIA GPU:8G;sm_86:NVIDIA GPU:8G;sm_86:NVIDIA GPU:8G:mode=prohibited'; jitwarm prime --yes lib && ! jitwarm status lib/only-ptx.so lib/registered.so && mkdir alone && mv lib/registered.so alone && ! jitwarm status alone
Note 3 modules without code for sm_61 and this driver: an error when loaded, the first: {work}/lib/registered.so
Note GPU 2, * is skipped: its compute mode is prohibited (nvidia-smi -c 0 opens it)
[warn] Incomplete: 3 modules do not run on sm_61, driver *, the first: {work}/lib/registered.so
[warn] Incomplete: 3 modules do not run on sm_61, driver *, the first: {work}/alone/registered.so

case left-out: simulated_driver
$ mkdir lib; cp "$GEN/elf/lazy.so" "$GEN/elf/only-sass.so" lib; printf '.version 7.0\n.target sm_%%d\n\0' >>lib/only-sass.so; jitwarm prime lib
[good] No module has to be compiled at the start for sm_86, driver *
Skipped 1 module that loads on demand (--all takes them)
Note PTX in pieces, *, the first: {work}/lib/only-sass.so
$ jitwarm status
none to compile {work}/lib
$ cp lib/lazy.so libcufft.so.11; jitwarm status libcufft.so.11
? 1
[warn] Cold: 1 of 1 module missing from this cache for sm_86, driver *
$ mkdir fft; cp lib/lazy.so fft/libcufft.so.11; SIMCUDA_GPUS='sm_90:NVIDIA GPU:8G' jitwarm status fft
? 1
[warn] No module was looked up for sm_90, driver *
Skipped 2 modules that load on demand (--all takes them)

# Beside other files, too: what a program would load is not known, so that the answer is not good.
case texts-side-by-side: simulated_driver
$ mkdir lib; cp "$GEN/elf/only-ptx.so" lib; cp "$GEN/elf/only-sass.so" lib/go; chmod +x lib/go; printf 'main.go\n.version 7.0\n.target sm_50\n.entry k() { ret; }\n\nUsage: a\0' >>lib/go; jitwarm prime --yes lib
? 1
[warn] Incomplete: 1 of 1 module in this cache for sm_86, driver *; 1 path not looked up.
Not read {work}/lib/go: 1 PTX text whose end is not known (prime --run CMD finds what a program loads)
To do jitwarm prime --run {work}/lib/go
$ jitwarm status lib
? 1
[warn] Incomplete: 1 of 1 module in this cache for sm_86, driver *; 1 path not looked up.

case named-and-damaged: primed
$ cp lib/only-ptx.so n.so && jitwarm prime --yes n.so && head -c 3000 lib/only-ptx.so >n.so
$ jitwarm status n.so lib
? 1
Not read {work}/n.so: the file is cut off (*
To do replace {work}/n.so
$ CUDA_CACHE_DISABLE=1 jitwarm status n.so "$GEN/elf/only-sass.so"
? 1
To do replace {work}/n.so
$ jitwarm status
? 1
$ jitwarm status --gpu sm_90 lib
? 3
[bad] The GPU that --gpu names is not in this machine.
$ jitwarm prime --gpu sm_131 lib
? 2
*this jitwarm knows no GPU of sm_131*
$ jitwarm status --gpu sm_86,nosuch lib
? 2
jitwarm: --gpu: no GPU is called "nosuch"; *
$ jitwarm status --gpu= lib
? 2
jitwarm: --gpu: no GPU is called ""; *

# A driver update that kept the compiler: entries get the new build's key instead of being compiled again.
case carried-over: driver_updates
skip windows
$ $FIRST jitwarm prime --yes lib
[good] All 5 modules *
Compiled 5 modules in *
- Carried over *
$ $SECOND jitwarm status lib
? 1
[warn] Cold: 5 of 5 modules missing *, driver 535.261.03 *
Compiler that of driver 535.216.03: jitwarm prime carries 5 modules over, in seconds
To do jitwarm prime lib
- Estimate *
$ $SECOND jitwarm status lib --json
? 1
.carry.modules = 5
.carry.driver = "535.216.03"
.predicted_seconds = 0
$ $SECOND jitwarm doctor lib
? 1
Compiler that of driver 535.216.03: jitwarm prime carries 5 modules over, in seconds
$ $SECOND jitwarm prime lib
[good] All 5 modules of these files are in this cache *, driver 535.261.03 *. A fresh process loaded them and *
Carried over 5 modules from driver 535.216.03, whose compiler is the same
- Compiled *
$ $SECOND jitwarm status lib
[good] All 5 modules *
- Compiler *
$ $FIRST jitwarm status lib  # the old entries stay
[good] All 5 modules *

# A recorded command: jitwarm run carries over what it loads, and starts it.
case carried-over-before-a-command-starts: driver_updates
skip windows
$ loader="$SOURCE/tests/real/loader.py"
$ $FIRST jitwarm prime --yes -q --run python3 "$loader" lib/1.ptx lib/2.ptx lib/3.ptx lib/4.ptx lib/5.ptx
$ $SECOND jitwarm run python3 "$loader" lib/1.ptx lib/2.ptx lib/3.ptx lib/4.ptx lib/5.ptx
.new_entries = 0
.compiler = false

# The smallest entry would be in the sample. The next one takes its place, and one module is compiled.
case carried-over-past-a-damaged-entry: driver_updates
skip windows
$ $FIRST jitwarm prime --yes -q lib
$ smallest=$(ls -S cache/?/?/* | tail -n 1) && printf x | dd of="$smallest" bs=1 seek=$(($(wc -c <"$smallest") - 1)) conv=notrunc status=none
$ $SECOND jitwarm prime lib --json
.carried = 4
.compiled = 1
.proof.proven = true

case carried-over-in-json: driver_updates
skip windows
$ $FIRST jitwarm prime --yes --background lib
$ $SECOND jitwarm prime --background lib --json
.carried = 5
.compiled = 0
.proof.proven = true
.jobs.4.state = "carried"

# Of a pack of another build only what is cold comes in: the cache holds 3 old and 3 new entries, not 8.
case from-a-pack-of-another-build: driver_updates make_key
skip windows
$ packs="$XDG_DATA_HOME/jitwarm/packs" && mkdir -p "$packs" "$XDG_CONFIG_HOME/jitwarm/keys" && cp a.pub "$XDG_CONFIG_HOME/jitwarm/keys"
$ $FIRST jitwarm prime --yes -q lib
$ $FIRST jitwarm export -q --sign a.key -o "$packs/first.tar.zst" lib
$ rm -r cache "$XDG_STATE_HOME/jitwarm"; mkdir few && cp lib/[123].ptx few
$ $SECOND jitwarm prime --yes few --json
.carried = 3
.compiled = 0
$ find cache/?/?/* | wc -l
6
# A pack of this very build is taken first, so the other one brings nothing.
$ $SECOND jitwarm prime --yes -q lib
$ $SECOND jitwarm export -q --sign a.key -o "$packs/second.tar.zst" lib
$ rm -r cache; $SECOND jitwarm prime --yes lib --json
.carried = 0
.compiled = 0
$ find cache/?/?/* | wc -l
5

# The build calls its compiler in another way, which the probe's small modules do not show: the sample does.
case another-way-to-compile: driver_updates
skip windows
$ $FIRST jitwarm prime --yes -q lib
$ $CALLS jitwarm status lib
? 1
Compiler that of driver 535.216.03: *
$ $CALLS jitwarm prime lib
[good] All 5 modules *
Compiled 5 modules in *
Note nothing is carried over from driver 535.216.03: this driver does not make the same code of {work}/lib/5.ptx
- Carried over *

case another-compiler: driver_updates
skip windows
$ $FIRST jitwarm prime --yes -q lib
$ $OTHER jitwarm status lib
? 1
Estimate *
- Compiler *
$ $OTHER jitwarm prime lib --json
.carried = 0
.compiled = 5

case nothing-is-to-be-carried-over: driver_updates
skip windows
$ $FIRST jitwarm prime --yes -q lib
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm" && echo 'carry = no' >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ $SECOND jitwarm status lib
? 1
Estimate *
- Compiler *
$ rm "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"; $SECOND jitwarm prime --retry lib
Compiled 5 modules in *
- Carried over *

# The compiler's file alone was exchanged: what is in the cache may be of either, and is not carried over.
case another-compiler-under-the-same-driver: driver_updates
skip windows
$ folder='dirname "$JITWARM_DRIVER"'
$ $FIRST jitwarm prime --yes -q lib
$ cp "$($SWAPPED sh -c "$folder")/libnvidia-ptxjitcompiler.so.1" "$($FIRST sh -c "$folder")"
$ $FIRST jitwarm doctor lib
$ $SWAPPED jitwarm status lib
? 1
- Compiler *
$ $SECOND jitwarm prime lib --json
.carried = 0
.compiled = 5
