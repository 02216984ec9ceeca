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
!    scan         tell what CUDA code files hold, and what that means for each GPU
!    plan         tell what prime would compile, and how long that takes
!    prime        compile now what the driver would compile at the next start
!    verify       prove that programs find in the cache what was primed
!    run          warm what a command loads, then become that command
!    status       tell what the driver's cache of compiled code holds
!    carry        after a driver update: keep what the older driver compiled
!    export       pack what was compiled here for machines of the same kind
!    import       take over entries that another machine compiled
!    push         share what was compiled here through a registry or a folder
!    pull         take over what another machine pushed
!    key          print a line that is the same on all machines that can share
!                 packs
!    inspect      tell what a pack says of itself
!    keygen       make a key pair to sign packs with
!    list         tell which packs are kept on this machine
!    prune        remove what is of no use in the driver's cache: dead, damaged,
!                 lost
!    clear        remove all that jitwarm keeps on this machine for you
!    doctor       tell what makes CUDA programs start slowly here, and what to do
!                 about it
!    env          tell and set the environment variables that decide what the
!                 driver keeps
!    startup      keep all warm by itself: at login, and after driver and software
!                 updates
!    help         explain jitwarm, or one verb
!    completions  print a completion script for bash, zsh or fish
!    version      print the version
!
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
