=== colour-of-errors
$ "$JITWARM" version --color=always extra
!  [31mjitwarm version:[0m takes no arguments, but got 'extra' (jitwarm help version)
exit 2

=== empty-verb
$ "$JITWARM" ''
!  jitwarm: '' is not a verb (jitwarm help)
exit 2

=== full-disk
skip on windows: /dev/full is a Linux device
$ "$JITWARM" help >/dev/full
!  jitwarm: cannot write the output: No space left on device
exit 4

=== full-disk-json
skip on windows: /dev/full is a Linux device
$ "$JITWARM" version --json >/dev/full
!  jitwarm: cannot write the output: No space left on device
exit 4

=== no-color-variable
$ NO_COLOR=1 "$JITWARM" version extra
!  jitwarm version: takes no arguments, but got 'extra' (jitwarm help version)
exit 2

=== no-verb
skip on windows: its own words for the system's folders
skip with a GPU: it would be named
$ "$JITWARM"
  CUDA software starts fast on GPUs it was not built for.
  GPU       no NVIDIA GPU found
  Driver    no NVIDIA driver found
* Cache     */home/.nv/ComputeCache (the driver's default)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing yet: the folder does not exist
  Warm      unknown: nothing was primed here yet

  Everyday  prime verify run scan doctor status report
  Sharing   export import push pull key list
  Upkeep    startup env prune uninstall
  Other     help completions version (jitwarm help VERB)

  To do     jitwarm doctor

=== no-verb-gpu-without-driver
skip on windows: sysfs is Linux's
$ gpu_on_the_bus 0x2204
$ "$JITWARM"
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA GeForce RTX 3090 (sm_86)
  Driver    no NVIDIA driver found
* Cache     */home/.nv/ComputeCache (the driver's default)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on Jetson)
  Used      nothing yet: the folder does not exist
  Warm      unknown: nothing was primed here yet

  Everyday  prime verify run scan doctor status report
  Sharing   export import push pull key list
  Upkeep    startup env prune uninstall
  Other     help completions version (jitwarm help VERB)

  To do     jitwarm doctor

=== no-verb-as-root
skip on windows: sysfs is Linux's
$ made_machine
$ gpu_on_the_bus 0x2330 570.124.06
$ SUDO_USER=ada "$JITWARM" >out
$ [ "$(id -u)" = 0 ] || echo "To do     sudo -u ada jitwarm prime" >out
$ grep "To do" out
$ SUDO_USER= "$JITWARM" >out
$ [ "$(id -u)" = 0 ] || echo "To do     jitwarm prime --as-root" >out
$ grep "To do" out
  To do     sudo -u ada jitwarm prime
  To do     jitwarm prime --as-root

=== no-verb-broken-index
skip on windows: the simulated driver is not in System32
$ two_libraries
$ simulated_driver
$ gpu_on_the_bus 0x2484 580.126.09
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null
$ next() { "$JITWARM" $1 | tr -s "\n " " " | grep -o "Used [^0-9]*\|To do [a-z -]* \|Everything primed is warm"; }
$ cp cache/index whole && echo nonsense >cache/index && next && next status
$ "$JITWARM" status --repair 2>&1 | head -n 1 && next
$ rm cache/index && next
$ records() { od -A n -v -t x1 -w16 -j 16 "$1" | sort; } # in any order: that of the files' times may be another
$ : >cache/index && next && "$JITWARM" status --repair >out 2>&1 && next && records cache/index >left && records whole | cmp - left
  Used unknown: the index is damaged (jitwarm status says more) Entries 
  To do jitwarm status --repair 
  Used 
  To do jitwarm status --repair 
  jitwarm: The index was damaged (cache index: it has 9 bytes, expected a header of 16). It was rebuilt from 2 valid entries; 0 damaged files got no record.
  Used 
  Everything primed is warm
  To do jitwarm prime --check 
  Used unknown: the index is missing or empty (jitwarm status says more) Entries 
  To do jitwarm status --repair 
  Used unknown: the index is missing or empty (jitwarm status says more) Entries 
  To do jitwarm status --repair 
  Used 
  Everything primed is warm
  To do jitwarm prime --check 

=== no-verb-narrow
skip on windows: sysfs is Linux's
$ gpu_on_the_bus 0x2330 570.124.06
$ touch "$JITWARM_SYSROOT/.dockerenv"
$ COLUMNS=60 "$JITWARM"
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA H100 80GB HBM3 (sm_90)
  Driver    570.124.06
* Cache     */home/.nv/ComputeCache
            (the driver's default)
  Limit     1 GiB by default (256 MiB before CUDA 12 and on
            Jetson)
  Used      nothing yet: the folder does not exist
  Warm      unknown: nothing was primed here yet

  Everyday  prime verify run scan doctor status report
  Sharing   export import push pull key list
  Upkeep    startup env prune uninstall
  Other     help completions version (jitwarm help VERB)

  To do     jitwarm prime

=== no-verb-primed
skip on windows: the simulated driver is not in System32
$ two_libraries
$ simulated_driver
$ gpu_on_the_bus 0x2484 580.126.09
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ [ "$(id -u)" = 0 ] && SUDO_USER= "$JITWARM" | grep Everything || echo "Everything primed is warm. To check all software here:"
$ touch "$JITWARM_SYSROOT/.dockerenv"
$ "$JITWARM" | head -7
$ COLUMNS=60 "$JITWARM" | grep -A1 Everything
$ touch lib/only-ptx.so
$ "$JITWARM" | grep "^Warm\|jitwarm prime\|jitwarm doctor"
$ CUDA_CACHE_DISABLE=1 "$JITWARM" | grep "^Warm\|To do"
$ rm -r cache
$ "$JITWARM" | grep "^Warm\|jitwarm prime\|jitwarm doctor"
$ head -c 300 "$GEN/elf/registered.so" >lib/cut.so
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null 2>&1
$ "$JITWARM" | grep "^Warm\|jitwarm prime\|jitwarm doctor"
$ rm -r cache
$ SIMCUDA_FAULTS="badptx@*" "$JITWARM" prime --as-root -j 1 -q lib >/dev/null 2>&1
$ "$JITWARM" | grep "^Warm\|jitwarm prime\|jitwarm doctor"
  Everything primed is warm. To check all software here:
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA GeForce RTX 3070 (sm_86)
  Driver    580.126.09 (build Jan 7 2026 22:51:46)
  Cache     {SCRATCH}/cache (from CUDA_CACHE_PATH)
  Limit     1 GiB, the default of driver 580.126.09
  Used      25 KiB in 2 entries: less than 1 % of the limit
* Warm      2 of 2 modules, primed *
  Everything primed is warm. To check all software here:
  To do     jitwarm prime --check
  Warm      unknown: changed since the last run:
  To do     jitwarm prime
  Warm      nothing: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every
  To do     unset CUDA_CACHE_DISABLE
  Warm      unknown: changed since the last run:
  To do     jitwarm prime
* Warm      2 of 2 modules that could be read and compiled, primed *
  To do     jitwarm doctor
  Warm      nothing: this driver cannot compile 2 modules, and another prime does
  To do     jitwarm doctor

=== no-verb-running
skip on windows: sysfs is Linux's
$ gpu_on_the_bus 0x2484 580.126.09
$ cp "$GEN/elf/tegra.so" first.so && cp "$GEN/elf/only-ptx.so" slow.so
$ export CUDA_CACHE_PATH="$PWD/cache"
$ prime() { "$WITH_SIMCUDA" --cost "$1" -- "$JITWARM" prime "$2" --yes --as-root >/dev/null 2>&1; }
$ CUDA_CACHE_PATH="$PWD/other" prime 0 first.so; prime 0+60000 slow.so &
$ for i in $(seq 600); do "$JITWARM" status --json | grep -q "\"slots\": \[$" && break; sleep 0.05; done
$ "$JITWARM" | grep "^Warm\|To do"
$ "$JITWARM" | tr -s "\n " " " | grep -o "Running .*failed"
$ stop_prime cache
* Running prime (process *), for *: 0 of 1 module, 0 B of 4.5 KiB, *0 failed

=== option-before-verb
$ "$JITWARM" --json version
  {
    "schema": "jitwarm.error/1",
    "verb": null,
    "exit": 2,
    "why": "options come after the verb: jitwarm VERB --json",
    "todo": [
      "jitwarm help"
    ]
  }
!  jitwarm: options come after the verb: jitwarm VERB --json (jitwarm help)
exit 2

=== reader-leaves
skip on windows: SIGPIPE is not known there
$ mkfifo gone
$ (read -r now <gone; "$JITWARM" completions bash; echo "exit $?" >&2) | (exec <&-; echo now >gone)
!  exit 141

=== reader-leaves-unnoticed
skip on windows: SIGPIPE is not known there
$ trap '' PIPE
$ mkfifo gone
$ (read -r now <gone; "$JITWARM" completions bash; echo "exit $?" >&2) | (exec <&-; echo now >gone)
!  exit 0

=== no-such-file
$ : >k.cu
$ t() { "$JITWARM" "$@"; echo "exit $?" >&2; }
$ t export --sign gone
$ t export gone
$ t export -o gone/x.tar.zst
$ t push --sign gone ./d
$ t push --pack gone ./d
$ t push --cacert gone ./d
$ t pull --cacert gone ./d
$ t import gone
$ t import --trust gone gone
$ t list gone
$ t key --new gone/key
$ t key --new k.cu/key
$ t report -o gone/x.html
$ t prime -o gone/x.ptx k.cu
$ t prime --pack gone/x k.cu
$ t scan --gpu sm_86 gone
$ t doctor --log gone
!  jitwarm export: --sign: gone: no such file (jitwarm help export)
!  exit 2
!  jitwarm export: gone: no such file or folder (jitwarm help export)
!  exit 2
!  jitwarm export: gone: no such folder (jitwarm help export)
!  exit 2
!  jitwarm push: --sign: gone: no such file (jitwarm help push)
!  exit 2
!  jitwarm push: --pack: gone: no such file (jitwarm help push)
!  exit 2
!  jitwarm push: --cacert: gone: no such file (jitwarm help push)
!  exit 2
!  jitwarm pull: --cacert: gone: no such file (jitwarm help pull)
!  exit 2
!  jitwarm import: gone: no such file (jitwarm help import)
!  exit 2
!  jitwarm import: gone: no such key file (jitwarm help import)
!  exit 2
!  jitwarm list: gone: no such file (jitwarm help list)
!  exit 2
!  jitwarm key: --new: gone: no such folder (jitwarm help key)
!  exit 2
!  jitwarm key: --new: k.cu: is not a folder (jitwarm help key)
!  exit 2
!  jitwarm report: --output: gone: no such folder (jitwarm help report)
!  exit 2
!  jitwarm prime: --output: gone: no such folder (jitwarm help prime)
!  exit 2
!  jitwarm prime: gone: no such folder (jitwarm help prime)
!  exit 2
!  jitwarm: gone: no such file; a package is named with its version: NAME==VERSION
!  exit 2
!  jitwarm doctor: --log: gone: no such file (jitwarm help doctor)
!  exit 2

=== empty-names
$ for verb in prime verify scan export import list push pull; do "$JITWARM" $verb ""; echo "exit $?" >&2; done
!  jitwarm prime: argument 1 is an empty name (jitwarm help prime)
!  exit 2
!  jitwarm verify: argument 1 is an empty name (jitwarm help verify)
!  exit 2
!  jitwarm scan: argument 1 is an empty name (jitwarm help scan)
!  exit 2
!  jitwarm export: argument 1 is an empty name (jitwarm help export)
!  exit 2
!  jitwarm import: argument 1 is an empty name (jitwarm help import)
!  exit 2
!  jitwarm list: argument 1 is an empty name (jitwarm help list)
!  exit 2
!  jitwarm push: argument 1 is an empty name (jitwarm help push)
!  exit 2
!  jitwarm pull: argument 1 is an empty name (jitwarm help pull)
!  exit 2

=== a-word-of-the-subject
$ for word in pruen primme docker frobnicate; do "$JITWARM" help $word; done
$ for word in exit-codes files login logs pack; do echo "== $word"; "$JITWARM" help $word; done
$ "$JITWARM" exit-codes
$ "$JITWARM" packs
  == exit-codes
  Exit codes:
    0    done, or nothing to do
    1    done in part, or a check failed
    2    wrong options, or no such file
    3    no usable GPU or driver
    4    cannot write: no space, no permission, or a limit
    5    the pack is for another machine
    6    the pack is damaged, or its signature is not trusted
    7    needs --yes, ran out of time, or another jitwarm is running
    8    a server or network failed
    70   a bug in jitwarm
    130  interrupted
  == files
  Files:
    $XDG_CONFIG_HOME/jitwarm/jitwarm.conf
         the user's settings (~/.config when XDG_CONFIG_HOME is unset; %APPDATA%
         on Windows)
    /etc/jitwarm/jitwarm.conf
         the machine's settings (%ProgramData% on Windows)
    $XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/
         trusted public keys, NAME.pub; only you or root may be able to write
         there
    $XDG_STATE_HOME/jitwarm/drivers/
         what jitwarm learned about each driver build (~/.local/state;
         %LOCALAPPDATA%\jitwarm\state on Windows)
    $XDG_STATE_HOME/jitwarm/caches/
         what was primed in each cache: journal, receipts, profiles, and skipped
         modules
  == login
  Verbs (jitwarm help VERB):
    verify     check that the next start compiles nothing
    scan       show which GPUs a file's CUDA code runs on
    status     show what the driver's cache holds
    push       share compiled code through a registry or a folder
    startup    prime at login and after driver updates
    env        show and set CUDA_CACHE_*, the driver's cache settings

  Variables of the environment:
    JITWARM_LOGIN
         USER:PASSWORD for the registry of push and pull
    DOCKER_CONFIG, REGISTRY_AUTH_FILE
         where docker and podman store logins, which push and pull also use
  == logs
  Verbs (jitwarm help VERB):
    doctor     find out why CUDA programs start slowly here
    startup    prime at login and after driver updates
  == pack
  Verbs (jitwarm help VERB):
    prime      compile CUDA code now, so that the next start is fast
    verify     check that the next start compiles nothing
    export     pack compiled code for machines of the same kind
    import     add a pack's code to the driver's cache
    push       share compiled code through a registry or a folder
    pull       fetch and import what another machine pushed
    key        show the key that equal machines share; make signing keys
    list       list the packs on this machine, or what is in one
    startup    prime at login and after driver updates
    prune      delete cache entries that no driver here can use
    uninstall  remove all that jitwarm has set up and stored for you

  Exit codes:
    5    the pack is for another machine
    6    the pack is damaged, or its signature is not trusted

  Variables of the environment:
    JITWARM_STORE
         the folder of stored packs
    SOURCE_DATE_EPOCH
         the current time for the age of packs, in reproducible builds
    XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME
         folders of settings, state and packs (~/.config, ~/.local/state,
         ~/.local/share)
!  jitwarm: 'pruen' is not a verb; did you mean prune? (jitwarm help)
!  jitwarm: 'primme' is not a verb; did you mean prime? (jitwarm help)
!  jitwarm: 'docker' is not a verb; did you mean doctor? (jitwarm help)
!  jitwarm: 'frobnicate' is not a verb (jitwarm help)
!  jitwarm: 'exit-codes' is not a verb; see jitwarm help exit-codes (jitwarm help)
!  jitwarm: 'packs' is not a verb; see jitwarm help export, import, list (jitwarm help)
exit 2

=== unknown-verb
$ "$JITWARM" versoin
!  jitwarm: 'versoin' is not a verb; did you mean version? (jitwarm help)
exit 2

=== unknown-verb-letters-swapped
$ "$JITWARM" pruen
!  jitwarm: 'pruen' is not a verb; did you mean prune? (jitwarm help)
exit 2

=== unknown-verb-far
$ "$JITWARM" frobnicate
!  jitwarm: 'frobnicate' is not a verb (jitwarm help)
exit 2

=== unknown-verb-start
$ "$JITWARM" comp
!  jitwarm: 'comp' is not a verb; did you mean completions? (jitwarm help)
exit 2

=== verb-with-control
$ "$JITWARM" "$(printf 'a\033[2Jb')"
!  jitwarm: 'a\x1b[2Jb' is not a verb (jitwarm help)
exit 2

=== failure-json
$ "$JITWARM" status --jsno --json
  {
    "schema": "jitwarm.error/1",
    "verb": "status",
    "exit": 2,
    "why": "--jsno is not an option; did you mean --json?",
    "todo": [
      "jitwarm help status"
    ]
  }
!  jitwarm status: --jsno is not an option; did you mean --json? (jitwarm help status)
exit 2

=== failures
$ "$JITWARM" scan --json --gpu sm_x >out 2>/dev/null; echo $?; grep '"why"\|"schema"\|"exit"' out
$ "$JITWARM" frob --json; echo $?
$ cd / && "$JITWARM" status --json --cache /dev/null/cache
  2
    "schema": "jitwarm.error/1",
    "exit": 2,
    "why": "--gpu: no GPU is called \"sm_x\"; the nearest names are Tesla M6, Tesla M4 and NB1Q. A PCI id (10de:2484) or a compute capability (sm_86, 8.6) is understood too",
  {
    "schema": "jitwarm.error/1",
    "verb": null,
    "exit": 2,
    "why": "'frob' is not a verb",
    "todo": [
      "jitwarm help"
    ]
  }
  2
  {
    "schema": "jitwarm.error/1",
    "verb": "status",
    "exit": 2,
    "why": "--cache /dev/null/cache leads to no folder: /dev/null is not one",
    "todo": [
      "jitwarm help status"
    ]
  }
!  jitwarm: 'frob' is not a verb (jitwarm help)
!  jitwarm status: --cache /dev/null/cache leads to no folder: /dev/null is not one (jitwarm help status)
exit 2
