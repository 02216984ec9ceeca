=== colour-of-errors
$ "$JITWARM" version --color=always extra
!  [31mjitwarm version:[0m takes no arguments, and 'extra' is one (jitwarm help version)
exit 2

=== empty-verb
$ "$JITWARM" ''
!  jitwarm: '' is not a verb (jitwarm help)
exit 2

=== full-disk
skip on windows: /dev/full is a Linux device
$ "$JITWARM" help >/dev/full
!  jitwarm: cannot write the answer: No space left on device
exit 4

=== full-disk-json
skip on windows: /dev/full is a Linux device
$ "$JITWARM" version --json >/dev/full
!  jitwarm: cannot write the answer: No space left on device
exit 4

=== no-color-variable
$ NO_COLOR=1 "$JITWARM" version extra
!  jitwarm version: takes no arguments, and 'extra' is one (jitwarm help version)
exit 2

=== no-verb
$ "$JITWARM"
!  Usage: jitwarm VERB [OPTION...] [ARGUMENT...]
!
!  Everyday:
!    prime        compile CUDA code now, so that the next start is fast
!    plan         show what prime would compile, and how long it takes
!    verify       check that the next start compiles nothing
!    scan         show which GPUs a file's CUDA code runs on, and what must be
!                 compiled first
!    doctor       find out why CUDA programs start slowly here
!    status       show what the driver's cache holds
!    run          prime what a command loads, then run the command
!
!  Sharing:
!    export       pack compiled code for machines of the same kind
!    import       add a pack's code to the driver's cache
!    push         share compiled code through a registry or a folder
!    pull         fetch and import what another machine pushed
!    key          show the one line that machines of the same kind have in common
!    inspect      show what is in a pack
!    list         list the packs on this machine
!    keygen       create a key pair for signing packs
!
!  Upkeep:
!    startup      prime at login and after driver updates
!    env          show and set the variables that control the driver's cache
!    carry        after a driver update: keep using what the old driver compiled
!    prune        delete cache entries that no driver here can use
!    clear        delete everything that jitwarm stores for you
!
!  Other:
!    help         show help, or the help of one verb
!    completions  print shell completions for bash, zsh or fish
!    version      show the version
!
!  Start here: jitwarm prime
!  More: jitwarm help, jitwarm help VERB
exit 2

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
!  jitwarm: 'comp' is not a verb; did you mean completions? (jitwarm help)
exit 2

=== verb-with-control
$ "$JITWARM" "$(printf 'a\033[2Jb')"
!  jitwarm: 'a\x1b[2Jb' is not a verb (jitwarm help)
exit 2
