# run: each of its endings.

case not-recorded-and-strict: simulated_driver
skip windows
$ jitwarm run -v -- sh -c 'exit 3'
? 3
jitwarm: not recorded for this cache: jitwarm prime --run sh -c 'exit 3'
$ cp "$GEN/elf/only-ptx.so" .
$ jitwarm prime -qy only-ptx.so
$ rm -r cache
$ jitwarm run ls only-ptx.so
only-ptx.so
$ chmod +x only-ptx.so && mkdir app
$ jitwarm run app
? 127
[bad] jitwarm: app: not found
$ jitwarm doctor --run only-ptx.so
? 2
*did you mean ./only-ptx.so?
$ jitwarm prime --run "ls -l x"
? 2
- *./app*
*write the command without quotes
- *not recorded*
$ test ! -e cache
$ CUDA_CACHE_DISABLE=1 jitwarm run -v -- sh -c 'exit 3'
? 3
[warn] jitwarm: The driver's cache is turned off: jitwarm doctor
$ CUDA_CACHE_PATH=c jitwarm forget ./app --model tiny
? 2
[bad] jitwarm: --model is not an option; a command stands behind --run (jitwarm help forget)
$ jitwarm run -q --no-compile -- sh -c 'echo "$CUDA_DISABLE_PTX_JIT $CUDA_CACHE_PATH"'
1 {work}/cache
$ cp "$SIM/libcuda.so.1" libcuda.so.450.248.02; JITWARM_DRIVER="$PWD/libcuda.so.450.248.02" jitwarm run --no-compile -- sh -c 'echo started'
? 3
- started
[bad] jitwarm: driver 450.248.02 cannot be kept from compiling, so nothing was started; to start it all the same: jitwarm run sh -c 'echo started'
# --cache is CUDA_CACHE_PATH for the command and the answer; all other settings count for both.
$ CUDA_CACHE_DISABLE=1 jitwarm run -q --cache here -- sh -c 'echo "$CUDA_CACHE_PATH $CUDA_CACHE_DISABLE"'
{work}/here 1

case no-such-command: simulated_driver
$ jitwarm run -- no-such-command-of-ours
? 127
- *recorded*
[bad] jitwarm: no-such-command-of-ours: not found
$ jitwarm run
? 2
[bad] jitwarm: CMD... is missing (jitwarm help run)
$ jitwarm run -- "" 3
? 2
[bad] jitwarm: argument 1 is an empty name *

case recorded: simulated_driver program
skip windows
$ jitwarm doctor --run $PROGRAM
? 1
[warn] This start compiled 1 module.
The cache keeps it: the next start that loads the same finds it there.
Command python3 *
- To do *
$ rm -r cache
$ jitwarm prime --yes --json --run $PROGRAM | grep -q '"by": \["the driver"\]'
$ rm -r cache; jitwarm run $PROGRAM
{*"loaded": 1, *"new_entries": 0, "compiler": false*
- *not recorded*
$ JITWARM_LOGIN=ada:word jitwarm run -- sh -c 'echo "login [$JITWARM_LOGIN]"; exec '"$PROGRAM"
login []
$ CUDA_CACHE_DISABLE=1 jitwarm doctor --cache here --run $PROGRAM; test ! -e here/index
*(CUDA_CACHE_DISABLE=1)
$ jitwarm doctor --run sh -c "'$JITWARM' status -q; $PROGRAM"
? 1
Why another jitwarm looked at this cache *
$ jitwarm doctor --cache /proc/x --run $PROGRAM
? 1
To do name another folder by --cache
$ jitwarm run --no-compile -- $PROGRAM
{*"loaded": 1, *"new_entries": 0, "compiler": false*
$ mv cache away
$ jitwarm run --no-compile -- $PROGRAM
{*"loaded": 0, *"new_entries": 0, "compiler": false*
- *not recorded*
[warn] Cold: 1 of 1 module missing from this cache for *
Note the command is started anyway
To do jitwarm prime
$ rm -rf cache && mv away cache
# At a terminal: where there is no cache, a word about recording, and none where the start may be warm.
$ for cache in nothing cache; do "$SOURCE/tests/cli/terminal.py" "" started "$JITWARM" run --cache $PWD/$cache echo started; done
jitwarm: not recorded for this cache: jitwarm prime --run echo started
started
started
# Two programs may both be called ./app or serve.py, in their folders. What a command makes there changes nothing, nor what is lost later.
$ (mkdir b && cp module.ptx b && cd b && jitwarm prime --yes -q --run $PROGRAM)
$ jitwarm status
1 of 1 --run python3 *(in {work}/b)
$ printf '#!/bin/sh\nmkdir -p $1\nexec %s\n' "$PROGRAM" >app && chmod +x app && mkdir other && cp app module.ptx other && jitwarm prime --yes -q --run ./app out
$ cd other
$ jitwarm run -v -- ./app out
*not recorded*
$ jitwarm run -v --no-compile -- ./app out
*not recorded*
$ jitwarm forget --run ./app out
? 1
To do cd {work} && jitwarm forget --run ./app out
$ cd ..
$ jitwarm forget ./app out
? 1
To do jitwarm forget --run ./app out
$ jitwarm run -v -- ./app out
- *not recorded*
$ printf '#!/bin/sh\nCUDA_CACHE_DISABLE=1 exec %s\n' "$PROGRAM" >app
$ jitwarm doctor --run ./app
? 1
To do take CUDA_CACHE_DISABLE=1 *
$ mv app kept && cp module.ptx app
$ jitwarm prime -q app
$ mv kept app
$ jitwarm forget ./app --cache "$CUDA_CACHE_PATH"
[good] Forgotten, and nothing was deleted.
$ rm -r out
$ jitwarm forget --run ./app out
[good] Forgotten, and nothing was deleted.
$ cd b && rm module.ptx
$ jitwarm forget -q --run $PROGRAM
$ cd ..
$ (JITWARM_DRIVER=/nowhere; export JITWARM_DRIVER; jitwarm doctor --run true)
? 1
- Why no NVIDIA driver was found*
$ for i in 1 2 3; do { cat module.ptx; echo "// $i"; yes // | head -c 8000000; } >$i.ptx; done; CUDA_CACHE_MAXSIZE=17000000 jitwarm doctor --run ${PROGRAM% --*} 1.ptx 2.ptx 3.ptx --nap 0.3
? 1
Compiled at least *, by the driver
Why The cache's limit is too small (CUDA_CACHE_MAXSIZE=17000000: 16 MiB, and the cache is full)

case cannot-prime: simulated_driver program
skip windows
$ jitwarm prime --yes --run sh -c "$PROGRAM; exit 3" --retry
? 1
[warn] The command failed. *
The only module that this start loaded is in this cache for *
Its exit code 3
Note --retry went to the command; options stand before --run
Note *recorded is what the command loaded before it failed
$ jitwarm prime --yes --run $PROGRAM
[good] The only module that this start loaded is in this cache for *. A fresh process loaded it and *
$ CUDA_CACHE_DISABLE=1 jitwarm run $PROGRAM
{*"loaded": 1, *
*CUDA_CACHE_DISABLE=1*
$ echo '//' >>module.ptx; jitwarm prime --yes --run $PROGRAM
[good] The only module that this start loaded is in this cache *
$ jitwarm prime --yes --run sh -c "$PROGRAM; kill \$\$"
The only module that this start loaded until it was stopped is in this cache *
# Of this command jitwarm can compile nothing: another driver makes its entry, as NVRTC would. It is forgotten by its line.
$ cp "$SIM"/lib*.so.1 . && export JITWARM_DRIVER="$PWD/libcuda.so.1" LD_LIBRARY_PATH="$PWD"; for i in 1 2; do jitwarm prime --yes --cache c --run env SIMCUDA_STAMP='Feb 18 202601:02:03' $PROGRAM; done; jitwarm status --cache c && eval "jitwarm forget --cache c --run $("$JITWARM" status --json --cache c | sed -n 's/ *"what": "\(.*\)"/\1/p')"
Nothing has to be compiled for sm_86, driver *
makes its own --run env *
- *not recorded*

case busy: simulated_driver program
skip windows
$ jitwarm prime --yes --run $PROGRAM
$ (jitwarm prime --yes --run sh -c 'for i in $(seq 600); do [ -e asked ] && break; sleep 0.1; done' >/dev/null 2>&1 &); for i in $(seq 100); do jitwarm status --json | grep -q '"pid"' && break; sleep 0.1; done
$ jitwarm run $PROGRAM
Why another jitwarm * is using *
$ jitwarm prime --background >/dev/null
? 7
$ jitwarm prime --yes --time-limit 1s
? 7
To do jitwarm prime --yes
$ terminal() { "$SOURCE/tests/cli/terminal.py" "$1" "for another jitwarm (process " "$JITWARM" "$2" --yes $3; }
$ terminal ctrl-c prime
? 130
Interrupted*
$ ASKED=asked terminal "" prune --whole-cache
Deleted.

# Where cuInit loads the compiler, only new entries show what a start compiled. jitwarm's own processes do not preload.
# With a driver of its own: other tests open the files of the common one.
case preloaded-compiler: simulated_driver program
skip windows
$ cp "$SIM"/lib*.so.1 . && export JITWARM_DRIVER="$PWD/libcuda.so.1" LD_LIBRARY_PATH="$PWD"
$ CUDA_FORCE_PRELOAD_LIBRARIES=1 jitwarm prime --yes module.ptx
[good] The only module of these files *A fresh process loaded it and compiled nothing.
$ CUDA_FORCE_PRELOAD_LIBRARIES=1 jitwarm doctor --run $PROGRAM
? 1
[warn] Whether this start compiled is not known.
Why the driver loads its compiler at each start (CUDA_FORCE_PRELOAD_LIBRARIES), so only a new entry would show that it compiled
$ SIMCUDA_PRELOAD=1 jitwarm doctor --run $PROGRAM
? 1
[warn] Whether this start compiled is not known.
Why the driver loads its compiler at each start *
$ SIMCUDA_PRELOAD=1 CUDA_FORCE_PRELOAD_LIBRARIES=0 jitwarm doctor --run $PROGRAM
[good] *compiled nothing*

# With a driver of its own: each jitwarm that reads the driver's files opens them, too.
case another-program-compiles-or-nvrtc-does: simulated_driver program
skip windows
$ cp "$SIM"/lib*.so.1 . && export JITWARM_DRIVER="$PWD/libcuda.so.1" LD_LIBRARY_PATH="$PWD" UNTIL='until [ -e done ]; do sleep 0.1; done'
$ (sleep 0.5; $PROGRAM >/dev/null; : >done) & CUDA_CACHE_DISABLE=1 jitwarm doctor --run sh -c "$UNTIL"
? 1
[warn] This start was not seen to load the driver.
- To do *
$ rm done; (sleep 0.5; rm -r cache; $PROGRAM >/dev/null; : >done) & jitwarm prime --run sh -c "$UNTIL"
? 1
- Loaded *
$ rm done; (sleep 0.5; rm -r cache; $PROGRAM >/dev/null; : >done) & jitwarm doctor --run sh -c "$UNTIL; $PROGRAM"
? 1
[warn] Whether this start compiled is not known.
- Loaded *
$ (for i in 1 2 3 4 5 6 7 8; do jitwarm doctor --run python3 -c "import ctypes as c, os, time; c.CDLL('libcuda.so.1').cuInit(0); time.sleep(.3); c.CDLL('$SIM/libnvrtc-sim.so'); time.sleep(.03); os._exit(0)" || exit 1; done)
? 1
[warn] The driver compiled nothing.
Why libnvrtc-sim.so was loaded, *
$ jitwarm prime --run python3 -c "import ctypes as c, time; c.CDLL('libcuda.so.1').cuInit(0); c.CDLL('$SIM/libnvrtc-sim.so'); time.sleep(2)"
Note nothing was recorded: *
$ cp "$SIM/libnvrtc-sim.so" libnvvm.so.4; jitwarm doctor --json --run python3 -c "import ctypes as c, os, time; p = os.fork(); c.CDLL('libcuda.so.1' if p else './libnvvm.so.4'); time.sleep(.5); os.wait() if p else os.remove('libnvvm.so.4')"
? 1
.result = "unknown"
.command.why = "libnvvm.so.4 was loaded, and what it compiles is not seen"
$ jitwarm doctor --json --run python3 -c "import ctypes as c, time; c.CDLL('libcuda.so.1').cuInit(0); time.sleep(.3)"
.result = "compiled-nothing"
$ jitwarm doctor --json --run python3 -c "import ctypes as c, time; c.CDLL('libcuda.so.1').cuInit(0); time.sleep(.3); exit(3)"
? 1
.result = "compiled-nothing"
.command.compiled = "nothing"
.message = "The command failed. Until then this start compiled nothing."
$ jitwarm doctor --run python3 -c "import ctypes as c, time; c.CDLL('libcuda.so.1').cuInit(0); time.sleep(.3)"
[good] This start compiled nothing.
Loaded no module of this cache
$ CUDA_CACHE_PATH=/sys/x jitwarm doctor --run $PROGRAM
? 1
[warn] This start compiled.
