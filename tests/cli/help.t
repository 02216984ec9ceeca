=== itself
$ "$JITWARM" help help
  jitwarm help: show help, or the help of one verb or topic
  Usage: jitwarm help [OPTION...] [VERB|TOPIC]

  Common options (jitwarm help): --color WHEN, -q/--quiet, -v/--verbose, -h/--help

=== options-print-the-overview
$ "$JITWARM" help >overview
$ for option in --help -h; do "$JITWARM" $option | cmp - overview; done

=== overview
$ "$JITWARM" help
  jitwarm makes CUDA software start fast on GPUs it was not built for.
  Usage: jitwarm VERB [OPTION...] [ARGUMENT...]   (more: jitwarm help VERB)

  Everyday  prime      compile CUDA code now, so that the next start is fast
            verify     check that the next start compiles nothing
            run        prime what a command loads, then run the command
            scan       show which GPUs a file's CUDA code runs on
            doctor     find out why CUDA programs start slowly here
            status     show what the driver's cache holds
            report     write a page about this machine
  Sharing   export     pack compiled code for machines of the same kind
            import     add a pack's code to the driver's cache
            push       share compiled code through a registry or a folder
            pull       fetch and import what another machine pushed
            key        show the key that equal machines share; make signing keys
            list       list the packs on this machine, or what is in one
  Upkeep    startup    prime at login and after driver updates
            env        show and set CUDA_CACHE_*, the driver's cache settings
            prune      delete cache entries that no driver here can use
            uninstall  remove all that jitwarm has set up and stored for you
  Other     help, completions, version
  Topics    exit-codes, environment, files, jitwarm.conf

  Every verb: --color WHEN, -q/--quiet, -v/--verbose, -h/--help; most: --json

=== scan
$ "$JITWARM" help scan
  jitwarm scan: show which GPUs a file's CUDA code runs on
  Usage: jitwarm scan [OPTION...] [PATH|NAME==VERSION...]

  Reads the headers of the CUDA code in each file and shows for each GPU whether
  it runs natively, must be compiled by the driver at the first start (jit), is in
  the driver's cache already (warm), needs a newer driver (blocked), is compiled
  only when a library asks for it (lazy), is for the device linker (rdc), or does
  not run at all (none). Nothing is changed, and the driver is not loaded.

  PATH may be a library, program, object, static library, .fatbin, .cubin, .ptx,
  wheel, or a folder, which is searched with all that is below it. Without PATH
  the CUDA software that you run is searched for: Python, conda and Node.js
  environments of your home, of the working folder and the folders above it, what
  running programs have loaded, LD_LIBRARY_PATH and PYTHONPATH (of this shell and
  of a fresh login), CUDA toolkits, known applications, and the roots of
  jitwarm.conf without its exclude. --verbose lists each place, how it was found,
  and what was not searched.

  NAME==VERSION is a package that is not here. jitwarm asks the pip in PATH (or
  uv) for its wheel, with your own indexes and settings, into a folder that is
  removed afterwards. The index gets the name; before the wheel is fetched, scan
  shows the size and asks. Scripts say --yes. What the package depends on is not
  fetched, and nothing of it is executed. A requirements file (*.txt, *.in) or a
  lock file (uv.lock, poetry.lock, pdm.lock, pylock.toml) as PATH does the same
  for each package that it names, and scan asks before it sends these names to the
  index, too. A text with a line that is neither a package nor an option is no
  requirements file: nothing of it is sent.

  With --check the exit code is 1 when something would be compiled, or when there
  was nothing to check. It asks for the GPUs of this machine, or for those of
  --gpu. It is 2 when there are neither or a named PATH cannot be read, 6 when one
  is damaged, 7 when --yes is missing, and 8 when a package cannot be fetched. A
  file in a folder that is damaged or cannot be read is listed, and the exit code
  is 1, also without --check.

  Options:
        --gpu GPU          say what this GPU would do: sm_86, 8.6, 10de:2484, "RTX
                           3070", its number here, all or known; several with
                           commas, or repeated (default: the GPUs of this machine,
                           else all)
        --driver VERSION   say what this driver would do: 580.126.09, 590, or a
                           CUDA version such as 13.0 (default: this machine's, for
                           its own GPUs)
        --entries          list every module and what it holds
        --deep             search every byte, for code outside of the usual
                           sections
        --exclude PATTERN  skip files and folders with this name (* and ? as in a
                           shell); may be repeated
        --system           without PATH, as root: search the homes of all users,
                           too
        --os SYSTEM        of a package, fetch the wheel for linux or windows
                           (default: this system's)
    -y, --yes              send names and fetch packages without asking
        --check            exit with 1 unless all that was found runs natively or
                           is warm here

  Common options (jitwarm help): --json, --color WHEN, -q/--quiet, -v/--verbose,
    -h/--help

  Examples:
    jitwarm scan
        the CUDA software of this machine, for its GPUs
    jitwarm scan --gpu "RTX 3070" libggml-cuda.so
        one library, for a GPU that is not here
    jitwarm scan --gpu h100 --driver 580 torch-2.9.0-cp312-linux_x86_64.whl
        a wheel that is not installed yet
    jitwarm scan tensorflow==2.3.1 --gpu "RTX 3070"
        a package that is not here: fetched by pip
    jitwarm scan uv.lock --os windows --gpu 5090 --yes
        all packages of a lock file
    jitwarm scan --check --exclude '*.a' /opt/app
        in a script: exit 1 if anything would be compiled at first start

=== too-many
$ "$JITWARM" help version help
!  jitwarm help: too many arguments: 'help' (jitwarm help help)
exit 2

=== unknown-verb
$ "$JITWARM" help versoin
!  jitwarm: 'versoin' is not a verb; did you mean version? (jitwarm help)
exit 2

=== verb
$ "$JITWARM" help completions
  jitwarm completions: print shell completions for bash, zsh or fish
  Usage: jitwarm completions [OPTION...] SHELL

  Packages install these scripts already. Use this for a jitwarm that was copied
  or built by hand.

  Common options (jitwarm help): --color WHEN, -q/--quiet, -v/--verbose, -h/--help

  Examples:
    source <(jitwarm completions bash)
        for this bash; add the line to ~/.bashrc for every bash
    jitwarm completions fish >~/.config/fish/completions/jitwarm.fish
        for every fish of this user

=== verb-option
$ "$JITWARM" completions --help
  jitwarm completions: print shell completions for bash, zsh or fish
  Usage: jitwarm completions [OPTION...] SHELL

  Examples:
    source <(jitwarm completions bash)
        for this bash; add the line to ~/.bashrc for every bash
    jitwarm completions fish >~/.config/fish/completions/jitwarm.fish
        for every fish of this user

  More: jitwarm help completions

=== verb-option-wins-over-count
$ "$JITWARM" completions --help >help
$ "$JITWARM" completions a b c -h | cmp - help

=== version
$ "$JITWARM" help version
  jitwarm version: show the version
  Usage: jitwarm version [OPTION...]

  Common options (jitwarm help): --json, --color WHEN, -q/--quiet, -v/--verbose,
    -h/--help

  Examples:
    jitwarm version -v
        also commit, build, compiler, platform and libraries, for a bug report

=== short-has-no-more-than-ten-options
$ for verb in prime plan verify doctor export import push pull; do "$JITWARM" $verb -h >out; echo "$verb: $(grep -cE "^(      |  -., )--" out) options, $(grep -c "^  jitwarm" out) examples, $(grep "^More" out)"; done
  prime: 10 options, 3 examples, More: jitwarm help prime
  plan: 0 options, 0 examples, 
  verify: 4 options, 2 examples, More: jitwarm help verify
  doctor: 5 options, 3 examples, More: jitwarm help doctor
  export: 8 options, 3 examples, More: jitwarm help export
  import: 7 options, 3 examples, More: jitwarm help import
  push: 8 options, 3 examples, More: jitwarm help push
  pull: 9 options, 3 examples, More: jitwarm help pull
!  jitwarm: 'plan' is not a verb; did you mean scan? (jitwarm help)

=== pages-that-man-has
$ "$JITWARM" help jitwarm.conf | head -n 10
$ "$JITWARM" help jitwarm-verify | head -n 1
$ "$JITWARM" help jitwarm | head -n 1
  Settings of jitwarm, lines of the form KEY = VALUE. The user's file has the last
  word, and lists add up. jitwarm doctor -v shows which value applies, and where
  it comes from.

  Keys:
    roots = /opt/models
        A folder to search for CUDA software, besides the usual places. An
        absolute path, or one that begins with ~/.
        A line for each value
    exclude = */old-envs/*
  jitwarm verify: check that the next start compiles nothing
  jitwarm makes CUDA software start fast on GPUs it was not built for.

=== whole-has-groups
$ "$JITWARM" help prime | grep "^[A-Z].*:$"
  What to prime:
  How:
  Scheduling:
  Sharing:
  Examples:
