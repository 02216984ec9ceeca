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
  Warm      unknown: nothing was primed here yet
  Start here: jitwarm doctor

  Everyday  prime plan verify scan doctor status report run
  Sharing   export import compile push pull key inspect list keygen
  Upkeep    startup env config carry prune clear uninstall
  Other     help completions version (jitwarm help VERB)

=== no-verb-gpu-without-driver
skip on windows: sysfs is Linux's
$ gpu_on_the_bus 0x2204
$ "$JITWARM"
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA GeForce RTX 3090 (sm_86)
  Driver    no NVIDIA driver found
  Warm      unknown: nothing was primed here yet
  Start here: jitwarm doctor

  Everyday  prime plan verify scan doctor status report run
  Sharing   export import compile push pull key inspect list keygen
  Upkeep    startup env config carry prune clear uninstall
  Other     help completions version (jitwarm help VERB)

=== no-verb-as-root
skip on windows: sysfs is Linux's
$ made_machine
$ gpu_on_the_bus 0x2330 570.124.06
$ unwrapped env SUDO_USER=ada "$JITWARM" >out
$ [ "$(id -u)" = 0 ] || echo "Start here: sudo -u ada jitwarm prime" >out
$ grep Start out
$ unwrapped env SUDO_USER= "$JITWARM" >out
$ [ "$(id -u)" = 0 ] || echo "Start here: jitwarm prime, as the user who runs CUDA programs (root itself: --as-root)" >out
$ grep Start out
  Start here: sudo -u ada jitwarm prime
  Start here: jitwarm prime, as the user who runs CUDA programs (root itself: --as-root)

=== no-verb-narrow
skip on windows: sysfs is Linux's
$ gpu_on_the_bus 0x2330 570.124.06
$ touch "$JITWARM_SYSROOT/.dockerenv"
$ COLUMNS=60 "$JITWARM"
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA H100 80GB HBM3 (sm_90)
  Driver    570.124.06
  Warm      unknown: nothing was primed here yet
  Start here: jitwarm prime

  Everyday  prime plan verify scan doctor status report run
  Sharing   export import compile push pull key inspect list
            keygen
  Upkeep    startup env config carry prune clear uninstall
  Other     help completions version (jitwarm help VERB)

=== no-verb-primed
skip on windows: the simulated driver is not in System32
$ two_libraries
$ simulated_driver
$ gpu_on_the_bus 0x2484 580.126.09
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null
$ rm "$JITWARM_SYSROOT/.dockerenv"
$ [ "$(id -u)" = 0 ] && SUDO_USER= "$JITWARM" | sed -n 5p || echo "Everything primed is warm. After installing software: jitwarm prime --as-root"
$ touch "$JITWARM_SYSROOT/.dockerenv"
$ "$JITWARM" | head -5
$ COLUMNS=60 "$JITWARM" | sed -n 5,6p
$ touch lib/only-ptx.so
$ "$JITWARM" | sed -n 4,5p
$ CUDA_CACHE_DISABLE=1 "$JITWARM" | sed -n 4,5p
$ rm -r cache
$ "$JITWARM" | sed -n 4,5p
$ head -c 300 "$GEN/elf/registered.so" >lib/cut.so
$ "$JITWARM" prime --as-root -j 1 -q lib >/dev/null 2>&1
$ "$JITWARM" | sed -n 4,5p
$ rm -r cache
$ SIMCUDA_FAULTS="badptx@*" "$JITWARM" prime --as-root -j 1 -q lib >/dev/null 2>&1
$ "$JITWARM" | sed -n 4,5p
  Everything primed is warm. After installing software: jitwarm prime --as-root
  CUDA software starts fast on GPUs it was not built for.
  GPU       NVIDIA GeForce RTX 3070 (sm_86)
  Driver    580.126.09
* Warm      2 of 2 modules, primed *
  Everything primed is warm. After installing software: jitwarm prime
  Everything primed is warm. After installing software:
  jitwarm prime
  Warm      2 of 2 modules, but software or settings changed since the last run
  Start here: jitwarm prime
  Warm      nothing: CUDA_CACHE_DISABLE turns off the driver's cache
  Start here: jitwarm doctor
  Warm      0 of 2 modules, but software or settings changed since the last run
  Start here: jitwarm prime
* Warm      2 of 2 modules that could be read and compiled, primed *
  See what is not warm: jitwarm prime
  Warm      nothing: the last run could not read or compile any module
  See what is not warm: jitwarm prime

=== option-before-verb
$ "$JITWARM" --json version
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

=== unknown-verb
$ "$JITWARM" versoin
!  jitwarm: 'versoin' is not a verb; did you mean version? (jitwarm help)
exit 2

=== unknown-verb-far
$ "$JITWARM" frobnicate
!  jitwarm: 'frobnicate' is not a verb (jitwarm help)
exit 2

=== unknown-verb-start
$ "$JITWARM" comp
!  jitwarm: 'comp' is not a verb; did you mean compile? (jitwarm help)
exit 2

=== verb-with-control
$ "$JITWARM" "$(printf 'a\033[2Jb')"
!  jitwarm: 'a\x1b[2Jb' is not a verb (jitwarm help)
exit 2
