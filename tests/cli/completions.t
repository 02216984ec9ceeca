=== bash
$ "$JITWARM" completions bash
  # bash completion for jitwarm, made by: jitwarm completions bash
  _jitwarm_words()
  {
      mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
  }

  _jitwarm_paths()
  {
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
  }

  _jitwarm()
  {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
      COMPREPLY=()
      # --name=value arrives as three words
      if [[ $cur == = ]]; then
          cur=
      elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then
          prev=${COMP_WORDS[COMP_CWORD-2]}
      fi
      if ((COMP_CWORD == 1)); then
          _jitwarm_words 'prime verify run scan doctor status report export import push pull key list startup env prune uninstall help completions version --help --version' "$cur"
          return
      fi
      case ${COMP_WORDS[1]} in
      prime)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --exclude) :; return ;;
          --run) _jitwarm_paths -f "$cur"; return ;;
          -j | --jobs) :; return ;;
          --time-box) :; return ;;
          --pack) _jitwarm_paths -f "$cur"; return ;;
          --driver-files) _jitwarm_paths -d "$cur"; return ;;
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --progress) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --exclude --all --run --dry-run --check --jobs --time-box --if-stale --background --post-install --pack --driver-files --output --yes --cache --as-root --progress --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      verify)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --exclude) :; return ;;
          --sample) :; return ;;
          --run) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --progress) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --exclude --all --sample --run --cache --as-root --progress --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      run)
          case $prev in
          --time-box) :; return ;;
          --pull) :; return ;;
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--time-box --pull --trust --allow-unsigned --everything --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      scan)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --driver) :; return ;;
          --exclude) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --driver --entries --deep --exclude --system --check --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      doctor)
          case $prev in
          --log) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --ignore) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--log --watch --probe --cache --ignore --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      status)
          case $prev in
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--cache --check --repair --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      report)
          case $prev in
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --format) _jitwarm_words 'html md' "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--output --format --yes --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      export)
          case $prev in
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --run) _jitwarm_paths -f "$cur"; return ;;
          --sign) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--output --gpu --everything --run --sign --cache --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      import)
          case $prev in
          --audit) :; return ;;
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--dry-run --everything --audit --no-verify --allow-unsigned --trust --cache --wait --yes --as-root --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      push)
          case $prev in
          --sign) _jitwarm_paths -f "$cur"; return ;;
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --pack) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --cacert) _jitwarm_paths -f "$cur"; return ;;
          --deadline) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--sign --gpu --pack --replace --cache --cacert --deadline --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      pull)
          case $prev in
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --cacert) _jitwarm_paths -f "$cur"; return ;;
          --deadline) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--dry-run --or-prime --everything --allow-unsigned --trust --no-verify --cache --as-root --cacert --deadline --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      key)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --new) _jitwarm_paths -f "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --new --no-passphrase --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      list)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      startup)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--system --as-root --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'install remove' "$cur"
          fi ;;
      env)
          case $prev in
          --shell) _jitwarm_words 'sh fish powershell docker compose slurm' "$cur"; return ;;
          --max-size) :; return ;;
          --path) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--shell --max-size --path --system --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'apply undo' "$cur"
          fi ;;
      prune)
          case $prev in
          --max-size) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--outdated --damaged --all --max-size --cache --no-pack --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      uninstall)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--cache-too --yes --dry-run --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      help)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'prime verify run scan doctor status report export import push pull key list startup env prune uninstall help completions version' "$cur"
          fi ;;
      completions)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'bash zsh fish' "$cur"
          fi ;;
      version)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      esac
  }
  complete -F _jitwarm jitwarm

=== fish
$ "$JITWARM" completions fish
  # fish completion for jitwarm, made by: jitwarm completions fish
  function __jitwarm_verb
      set -l words (commandline -opc)
      if test (count $argv) -eq 0
          test (count $words) -eq 1
      else
          test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
      end
  end

  complete -c jitwarm -f
  complete -c jitwarm -n __jitwarm_verb -s h -l help -d 'show help'
  complete -c jitwarm -n __jitwarm_verb -l version -d 'show the version'

  complete -c jitwarm -n __jitwarm_verb -a prime -d 'compile CUDA code now, so that the next start is fast'
  complete -c jitwarm -n '__jitwarm_verb prime' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070"; may be repeated (default: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime: with --pack or --cache)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb prime' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb prime' -l run -rF -d 'run this command once, warm everything it loads, and remember that as its profile (jitwarm run)'
  complete -c jitwarm -n '__jitwarm_verb prime' -s n -l dry-run -d 'compile nothing: show how many modules, how much time and room'
  complete -c jitwarm -n '__jitwarm_verb prime' -l check -d 'the same, and exit with 1 unless all of it is warm'
  complete -c jitwarm -n '__jitwarm_verb prime' -s j -l jobs -x -d 'number of parallel workers (default: half the CPUs)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l time-box -x -d 'stop after this time, and exit with 7 if something is left; the next run goes on from there. So long it also waits for another prime'
  complete -c jitwarm -n '__jitwarm_verb prime' -l if-stale -d 'do not search: warm again what was primed before, if a file, the driver or a setting changed'
  complete -c jitwarm -n '__jitwarm_verb prime' -l background -d 'run with idle priority; with --if-stale also wait for mains power, and for the reboot that a driver update needs'
  complete -c jitwarm -n '__jitwarm_verb prime' -l post-install -d 'for a package\'s script: prime in the background for the user who installs, and always succeed'
  complete -c jitwarm -n '__jitwarm_verb prime' -l pack -rF -d 'pack what was primed for machines of the same kind, into this file or folder (jitwarm export)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l driver-files -xa '(__fish_complete_directories)' -d 'make packs for machines that are not here, on this one without a GPU: with NVIDIA\'s driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only); needs --gpu and --pack DIR'
  complete -c jitwarm -n '__jitwarm_verb prime' -s o -l output -rF -d 'also write the PTX of the .cu file to this file'
  complete -c jitwarm -n '__jitwarm_verb prime' -s y -l yes -d 'do not ask; --yes=limit also raises a cache limit that is too small'
  complete -c jitwarm -n '__jitwarm_verb prime' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l as-root -d 'as root: for root\'s own programs (refused otherwise)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l progress -x -d 'how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb prime' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb prime' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb prime' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb prime' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb prime' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb prime' -F

  complete -c jitwarm -n __jitwarm_verb -a verify -d 'check that the next start compiles nothing'
  complete -c jitwarm -n '__jitwarm_verb verify' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070"; may be repeated (default: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime: with --pack or --cache)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb verify' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb verify' -l sample -x -d 'load this many modules, spread over all of them (default: all)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l run -rF -d 'run this command, and count what is compiled for it; a single word with blanks goes to the shell'
  complete -c jitwarm -n '__jitwarm_verb verify' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l as-root -d 'as root: for root\'s own programs (refused otherwise)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l progress -x -d 'how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb verify' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb verify' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb verify' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb verify' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb verify' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb verify' -F

  complete -c jitwarm -n __jitwarm_verb -a run -d 'prime what a command loads, then run the command'
  complete -c jitwarm -n '__jitwarm_verb run' -l time-box -x -d 'start the command after this time even if not all of it is warm'
  complete -c jitwarm -n '__jitwarm_verb run' -l pull -x -d 'first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says so'
  complete -c jitwarm -n '__jitwarm_verb run' -l trust -rF -d 'trust packs that this public key signed, for --pull (a file, or the key\'s text); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb run' -l allow-unsigned -d 'accept unsigned packs, for --pull'
  complete -c jitwarm -n '__jitwarm_verb run' -l everything -d 'also entries of software that is not found here, for --pull'
  complete -c jitwarm -n '__jitwarm_verb run' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb run' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb run' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb run' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb run' -F

  complete -c jitwarm -n __jitwarm_verb -a scan -d 'show which GPUs a file\'s CUDA code runs on'
  complete -c jitwarm -n '__jitwarm_verb scan' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'say what this GPU would do: sm_86, 8.6, 10de:2484, "RTX 3070", its number here, all or known; may be repeated (default: the GPUs of this machine, else all)'
  complete -c jitwarm -n '__jitwarm_verb scan' -l driver -x -d 'say what this driver would do: 580.126.09, 590, or a CUDA version such as 13.0 (default: this machine\'s, for its own GPUs)'
  complete -c jitwarm -n '__jitwarm_verb scan' -l entries -d 'list every module and what it holds'
  complete -c jitwarm -n '__jitwarm_verb scan' -l deep -d 'search every byte, for code outside of the usual sections'
  complete -c jitwarm -n '__jitwarm_verb scan' -l exclude -x -d 'skip files and folders with this name (* and ? as in a shell); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb scan' -l system -d 'without PATH, as root: search the homes of all users, too'
  complete -c jitwarm -n '__jitwarm_verb scan' -l check -d 'exit with 1 unless all that was found runs natively or is warm'
  complete -c jitwarm -n '__jitwarm_verb scan' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb scan' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb scan' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb scan' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb scan' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb scan' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb scan' -F

  complete -c jitwarm -n __jitwarm_verb -a doctor -d 'find out why CUDA programs start slowly here'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l log -rF -d 'read what a program printed (- for standard input): its pauses, errors, GPUs and libraries'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l watch -d 'show live which programs make the driver compile, for this long (default: until Ctrl-C); --json: a line for each event'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l probe -d 'repeat the probe of the driver, instead of showing the saved result'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l cache -xa '(__fish_complete_directories)' -d 'look at this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l ignore -x -d 'hide this finding, also from the exit code; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb doctor' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb doctor' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb doctor' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a status -d 'show what the driver\'s cache holds'
  complete -c jitwarm -n '__jitwarm_verb status' -l cache -xa '(__fish_complete_directories)' -d 'look at this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb status' -l check -d 'read every byte of every entry, and exit with 6 if one is damaged'
  complete -c jitwarm -n '__jitwarm_verb status' -l repair -d 'rebuild the cache\'s index first, if it is missing or damaged; no entry is removed'
  complete -c jitwarm -n '__jitwarm_verb status' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb status' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb status' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb status' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb status' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb status' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a report -d 'write a page about this machine'
  complete -c jitwarm -n '__jitwarm_verb report' -s o -l output -rF -d 'write the report to this new file (default: standard output)'
  complete -c jitwarm -n '__jitwarm_verb report' -l format -xa 'html md' -d 'html (the default), or md for an issue'
  complete -c jitwarm -n '__jitwarm_verb report' -s y -l yes -d 'replace the file of -o if it exists'
  complete -c jitwarm -n '__jitwarm_verb report' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb report' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb report' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb report' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a export -d 'pack compiled code for machines of the same kind'
  complete -c jitwarm -n '__jitwarm_verb export' -s o -l output -rF -d 'write the pack to this file or folder; - is standard output (default: this folder)'
  complete -c jitwarm -n '__jitwarm_verb export' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070", or all, which includes every GPU in the cache; may be repeated (default: the GPUs here)'
  complete -c jitwarm -n '__jitwarm_verb export' -l everything -d 'all entries of this driver in the cache, of any program; asks first'
  complete -c jitwarm -n '__jitwarm_verb export' -l run -rF -d 'exactly what this command loads, as jitwarm prime --run CMD recorded it, also what is made while it runs; comes last'
  complete -c jitwarm -n '__jitwarm_verb export' -l sign -rF -d 'sign with this secret key (jitwarm key --new, minisign); its passphrase is asked for on the terminal'
  complete -c jitwarm -n '__jitwarm_verb export' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb export' -s y -l yes -d 'do not ask: pack --everything, replace a file that is not a pack, sign entries of others'
  complete -c jitwarm -n '__jitwarm_verb export' -s n -l dry-run -d 'show what would be packed, and write nothing'
  complete -c jitwarm -n '__jitwarm_verb export' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb export' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb export' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb export' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb export' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb export' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb export' -F

  complete -c jitwarm -n __jitwarm_verb -a import -d 'add a pack\'s code to the driver\'s cache'
  complete -c jitwarm -n '__jitwarm_verb import' -s n -l dry-run -d 'show what would happen to each entry, and change nothing'
  complete -c jitwarm -n '__jitwarm_verb import' -l everything -d 'also entries of software that is not here (default: only entries whose PTX was found in files here)'
  complete -c jitwarm -n '__jitwarm_verb import' -l audit -x -d 'compile this share of the new entries again and compare, chosen at random; refuse the pack if any result differs (default: 8 entries in at most a minute; none if a trusted key signed the pack)'
  complete -c jitwarm -n '__jitwarm_verb import' -l no-verify -d 'do not load a sample of the new entries in fresh processes afterwards'
  complete -c jitwarm -n '__jitwarm_verb import' -l allow-unsigned -d 'accept an unsigned pack'
  complete -c jitwarm -n '__jitwarm_verb import' -l trust -rF -d 'trust this public key (a file, or its text) for this run; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb import' -l cache -xa '(__fish_complete_directories)' -d 'import into this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb import' -l wait -d 'if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 at once)'
  complete -c jitwarm -n '__jitwarm_verb import' -s y -l yes -d 'do not ask: import only what fits'
  complete -c jitwarm -n '__jitwarm_verb import' -l as-root -d 'as root: import into root\'s own cache'
  complete -c jitwarm -n '__jitwarm_verb import' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb import' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb import' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb import' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb import' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb import' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb import' -F

  complete -c jitwarm -n __jitwarm_verb -a push -d 'share compiled code through a registry or a folder'
  complete -c jitwarm -n '__jitwarm_verb push' -l sign -rF -d 'sign each layer with this secret key (jitwarm key --new); its passphrase is asked for on the terminal'
  complete -c jitwarm -n '__jitwarm_verb push' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only entries for this GPU: its number, UUID, sm_86, 8.6 or "RTX 3070"; may be repeated (default: this machine\'s GPUs)'
  complete -c jitwarm -n '__jitwarm_verb push' -l pack -rF -d 'push this pack file instead of entries of the cache; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb push' -l replace -d 'keep no layer of earlier pushes (default: keep those of other software)'
  complete -c jitwarm -n '__jitwarm_verb push' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb push' -l cacert -rF -d 'trust this certificate authority instead of the system\'s'
  complete -c jitwarm -n '__jitwarm_verb push' -l deadline -x -d 'fail if it takes longer than 90s, 5m or 2h (default: 1h)'
  complete -c jitwarm -n '__jitwarm_verb push' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb push' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb push' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb push' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb push' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb push' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb push' -F

  complete -c jitwarm -n __jitwarm_verb -a pull -d 'fetch and import what another machine pushed'
  complete -c jitwarm -n '__jitwarm_verb pull' -s n -l dry-run -d 'print which layers would be fetched, and change nothing'
  complete -c jitwarm -n '__jitwarm_verb pull' -l or-prime -d 'then compile what no pack had (jitwarm prime --yes), also if the remote cannot be reached'
  complete -c jitwarm -n '__jitwarm_verb pull' -l everything -d 'also import entries of software that is not installed here'
  complete -c jitwarm -n '__jitwarm_verb pull' -l allow-unsigned -d 'accept unsigned packs'
  complete -c jitwarm -n '__jitwarm_verb pull' -l trust -rF -d 'trust this public key (a file, or its text) for this pull; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb pull' -l no-verify -d 'load no entry afterwards (default: load a sample of the new entries in a new process)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cache -xa '(__fish_complete_directories)' -d 'into this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l as-root -d 'as root: for root itself, which is refused otherwise'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cacert -rF -d 'trust this certificate authority instead of the system\'s'
  complete -c jitwarm -n '__jitwarm_verb pull' -l deadline -x -d 'fail if it takes longer than 90s, 5m or 2h (default: 1h)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb pull' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb pull' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb pull' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb pull' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb pull' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb pull' -F

  complete -c jitwarm -n __jitwarm_verb -a key -d 'show the key that equal machines share; make signing keys'
  complete -c jitwarm -n '__jitwarm_verb key' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'for this architecture: sm_86, 8.6 or "RTX 3070"; may be repeated (default: this machine\'s GPUs)'
  complete -c jitwarm -n '__jitwarm_verb key' -l new -rF -d 'instead make a key pair for signing packs: the secret key in FILE, the public key beside it'
  complete -c jitwarm -n '__jitwarm_verb key' -l no-passphrase -d 'with --new: do not lock the secret key; anyone who can read the file can sign'
  complete -c jitwarm -n '__jitwarm_verb key' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb key' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb key' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb key' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb key' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb key' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a list -d 'list the packs on this machine, or what is in one'
  complete -c jitwarm -n '__jitwarm_verb list' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb list' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb list' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb list' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb list' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb list' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb list' -F

  complete -c jitwarm -n __jitwarm_verb -a startup -d 'prime at login and after driver updates'
  complete -c jitwarm -n '__jitwarm_verb startup' -l system -d 'for every user of this machine, with that user\'s rights'
  complete -c jitwarm -n '__jitwarm_verb startup' -l as-root -d 'allow root to install it for root\'s own programs'
  complete -c jitwarm -n '__jitwarm_verb startup' -s n -l dry-run -d 'print the exact files, and change nothing'
  complete -c jitwarm -n '__jitwarm_verb startup' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb startup' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb startup' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb startup' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb startup' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb startup' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb startup' -a 'install remove'

  complete -c jitwarm -n __jitwarm_verb -a env -d 'show and set CUDA_CACHE_*, the driver\'s cache settings'
  complete -c jitwarm -n '__jitwarm_verb env' -l shell -xa 'sh fish powershell docker compose slurm' -d 'only the settings for a shell or docker or compose (sh, fish, powershell, or slurm\'s TaskProlog); docker and compose get a block that keeps the cache in a volume (--path: where it is mounted)'
  complete -c jitwarm -n '__jitwarm_verb env' -l max-size -x -d 'limit for the cache, at most 4GiB (default: what programs need and a quarter more)'
  complete -c jitwarm -n '__jitwarm_verb env' -l path -xa '(__fish_complete_directories)' -d 'folder for the cache (default: where it is)'
  complete -c jitwarm -n '__jitwarm_verb env' -l system -d 'apply, undo: for all users of this machine; needs root, or an administrator'
  complete -c jitwarm -n '__jitwarm_verb env' -s n -l dry-run -d 'apply, undo: show what would be written, and write nothing'
  complete -c jitwarm -n '__jitwarm_verb env' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb env' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb env' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb env' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb env' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb env' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb env' -a 'apply undo'

  complete -c jitwarm -n __jitwarm_verb -a prune -d 'delete cache entries that no driver here can use'
  complete -c jitwarm -n '__jitwarm_verb prune' -l outdated -d 'delete the entries of all other driver builds, even if they were used in the last 90 days'
  complete -c jitwarm -n '__jitwarm_verb prune' -l damaged -d 'delete entries with wrong checksums too: reads every byte'
  complete -c jitwarm -n '__jitwarm_verb prune' -l all -d 'delete every entry of every program, jitwarm\'s records and the packs of its store'
  complete -c jitwarm -n '__jitwarm_verb prune' -l max-size -x -d 'delete until at most this much is left: first other builds, then what no prime needs, oldest first'
  complete -c jitwarm -n '__jitwarm_verb prune' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb prune' -l no-pack -d 'do not save outdated entries as a pack first'
  complete -c jitwarm -n '__jitwarm_verb prune' -s y -l yes -d 'delete the entries; without this they are only listed'
  complete -c jitwarm -n '__jitwarm_verb prune' -s n -l dry-run -d 'show the list and change nothing'
  complete -c jitwarm -n '__jitwarm_verb prune' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb prune' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb prune' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb prune' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb prune' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb prune' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a uninstall -d 'remove all that jitwarm has set up and stored for you'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -l cache-too -d 'also delete the driver\'s whole cache, with the entries of other programs'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -s y -l yes -d 'do not ask'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -s n -l dry-run -d 'show the list and change nothing'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb uninstall' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a help -d 'show help, or the help of one verb'
  complete -c jitwarm -n '__jitwarm_verb help' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb help' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb help' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb help' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb help' -a 'prime verify run scan doctor status report export import push pull key list startup env prune uninstall help completions version'

  complete -c jitwarm -n __jitwarm_verb -a completions -d 'print shell completions for bash, zsh or fish'
  complete -c jitwarm -n '__jitwarm_verb completions' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb completions' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb completions' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb completions' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb completions' -a 'bash zsh fish'

  complete -c jitwarm -n __jitwarm_verb -a version -d 'show the version'
  complete -c jitwarm -n '__jitwarm_verb version' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb version' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb version' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb version' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb version' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb version' -s h -l help -d 'show this help'

=== missing
$ "$JITWARM" completions
!  jitwarm completions: SHELL is missing (jitwarm help completions)
exit 2

=== unknown
$ "$JITWARM" completions tcsh
!  jitwarm completions: SHELL must be bash, zsh or fish, not 'tcsh' (jitwarm help completions)
exit 2

=== zsh
$ "$JITWARM" completions zsh
  #compdef jitwarm
  # zsh completion for jitwarm, made by: jitwarm completions zsh
  _jitwarm()
  {
      local curcontext=$curcontext state line
      local -a verbs
      verbs=(
          'prime:compile CUDA code now, so that the next start is fast'
          'verify:check that the next start compiles nothing'
          'run:prime what a command loads, then run the command'
          'scan:show which GPUs a file'\''s CUDA code runs on'
          'doctor:find out why CUDA programs start slowly here'
          'status:show what the driver'\''s cache holds'
          'report:write a page about this machine'
          'export:pack compiled code for machines of the same kind'
          'import:add a pack'\''s code to the driver'\''s cache'
          'push:share compiled code through a registry or a folder'
          'pull:fetch and import what another machine pushed'
          'key:show the key that equal machines share; make signing keys'
          'list:list the packs on this machine, or what is in one'
          'startup:prime at login and after driver updates'
          'env:show and set CUDA_CACHE_*, the driver'\''s cache settings'
          'prune:delete cache entries that no driver here can use'
          'uninstall:remove all that jitwarm has set up and stored for you'
          'help:show help, or the help of one verb'
          'completions:print shell completions for bash, zsh or fish'
          'version:show the version'
      )
      _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \
          '1:verb:->verb' '*::argument:->rest'
      case $state in
      verb) _describe verb verbs ;;
      rest)
          case $words[1] in
          prime)
              _arguments -s \
                  '*--gpu=[only for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070"; may be repeated (default\: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime\: with --pack or --cache)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '--run=[run this command once, warm everything it loads, and remember that as its profile (jitwarm run)]:CMD...:_files' \
                  '(-n --dry-run)'{-n,--dry-run}'[compile nothing\: show how many modules, how much time and room]' \
                  '--check[the same, and exit with 1 unless all of it is warm]' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of parallel workers (default\: half the CPUs)]:N: ' \
                  '--time-box=[stop after this time, and exit with 7 if something is left; the next run goes on from there. So long it also waits for another prime]:TIME: ' \
                  '--if-stale[do not search\: warm again what was primed before, if a file, the driver or a setting changed]' \
                  '--background[run with idle priority; with --if-stale also wait for mains power, and for the reboot that a driver update needs]' \
                  '--post-install[for a package'\''s script\: prime in the background for the user who installs, and always succeed]' \
                  '--pack=[pack what was primed for machines of the same kind, into this file or folder (jitwarm export)]:FILE:_files' \
                  '--driver-files=[make packs for machines that are not here, on this one without a GPU\: with NVIDIA'\''s driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only); needs --gpu and --pack DIR]:DIR:_files -/' \
                  '(-o --output)'{-o+,--output=}'[also write the PTX of the .cu file to this file]:FILE:_files' \
                  '(-y --yes)'{-y,--yes=-}'[do not ask; --yes=limit also raises a cache limit that is too small]::limit: ' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--as-root[as root\: for root'\''s own programs (refused otherwise)]' \
                  '--progress=[how to show progress\: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)]:FORM: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          verify)
              _arguments -s \
                  '*--gpu=[only for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070"; may be repeated (default\: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime\: with --pack or --cache)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '--sample=[load this many modules, spread over all of them (default\: all)]:N: ' \
                  '--run=[run this command, and count what is compiled for it; a single word with blanks goes to the shell]:CMD...:_files' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--as-root[as root\: for root'\''s own programs (refused otherwise)]' \
                  '--progress=[how to show progress\: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)]:FORM: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          run)
              _arguments -s \
                  '--time-box=[start the command after this time even if not all of it is warm]:TIME: ' \
                  '--pull=[first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says so]:REF: ' \
                  '*--trust=[trust packs that this public key signed, for --pull (a file, or the key'\''s text); may be repeated]:KEY:_files' \
                  '--allow-unsigned[accept unsigned packs, for --pull]' \
                  '--everything[also entries of software that is not found here, for --pull]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          scan)
              _arguments -s \
                  '*--gpu=[say what this GPU would do\: sm_86, 8.6, 10de\:2484, "RTX 3070", its number here, all or known; may be repeated (default\: the GPUs of this machine, else all)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--driver=[say what this driver would do\: 580.126.09, 590, or a CUDA version such as 13.0 (default\: this machine'\''s, for its own GPUs)]:VERSION: ' \
                  '--entries[list every module and what it holds]' \
                  '--deep[search every byte, for code outside of the usual sections]' \
                  '*--exclude=[skip files and folders with this name (* and ? as in a shell); may be repeated]:PATTERN: ' \
                  '--system[without PATH, as root\: search the homes of all users, too]' \
                  '--check[exit with 1 unless all that was found runs natively or is warm]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          doctor)
              _arguments -s \
                  '--log=[read what a program printed (- for standard input)\: its pauses, errors, GPUs and libraries]:FILE:_files' \
                  '--watch=-[show live which programs make the driver compile, for this long (default\: until Ctrl-C); --json\: a line for each event]::TIME: ' \
                  '--probe[repeat the probe of the driver, instead of showing the saved result]' \
                  '--cache=[look at this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '*--ignore=[hide this finding, also from the exit code; may be repeated]:ID: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          status)
              _arguments -s \
                  '--cache=[look at this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--check[read every byte of every entry, and exit with 6 if one is damaged]' \
                  '--repair[rebuild the cache'\''s index first, if it is missing or damaged; no entry is removed]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          report)
              _arguments -s \
                  '(-o --output)'{-o+,--output=}'[write the report to this new file (default\: standard output)]:FILE:_files' \
                  '--format=[html (the default), or md for an issue]:FORMAT:(html md)' \
                  '(-y --yes)'{-y,--yes}'[replace the file of -o if it exists]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          export)
              _arguments -s \
                  '(-o --output)'{-o+,--output=}'[write the pack to this file or folder; - is standard output (default\: this folder)]:FILE:_files' \
                  '*--gpu=[only entries for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070", or all, which includes every GPU in the cache; may be repeated (default\: the GPUs here)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--everything[all entries of this driver in the cache, of any program; asks first]' \
                  '--run=[exactly what this command loads, as jitwarm prime --run CMD recorded it, also what is made while it runs; comes last]:CMD...:_files' \
                  '--sign=[sign with this secret key (jitwarm key --new, minisign); its passphrase is asked for on the terminal]:KEY:_files' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-y --yes)'{-y,--yes}'[do not ask\: pack --everything, replace a file that is not a pack, sign entries of others]' \
                  '(-n --dry-run)'{-n,--dry-run}'[show what would be packed, and write nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          import)
              _arguments -s \
                  '(-n --dry-run)'{-n,--dry-run}'[show what would happen to each entry, and change nothing]' \
                  '--everything[also entries of software that is not here (default\: only entries whose PTX was found in files here)]' \
                  '--audit=[compile this share of the new entries again and compare, chosen at random; refuse the pack if any result differs (default\: 8 entries in at most a minute; none if a trusted key signed the pack)]:PERCENT: ' \
                  '--no-verify[do not load a sample of the new entries in fresh processes afterwards]' \
                  '--allow-unsigned[accept an unsigned pack]' \
                  '*--trust=[trust this public key (a file, or its text) for this run; may be repeated]:KEY:_files' \
                  '--cache=[import into this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--wait=-[if another jitwarm uses this cache, wait until it ends, or this long (default\: exit with 7 at once)]::TIME: ' \
                  '(-y --yes)'{-y,--yes}'[do not ask\: import only what fits]' \
                  '--as-root[as root\: import into root'\''s own cache]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          push)
              _arguments -s \
                  '--sign=[sign each layer with this secret key (jitwarm key --new); its passphrase is asked for on the terminal]:KEY:_files' \
                  '*--gpu=[only entries for this GPU\: its number, UUID, sm_86, 8.6 or "RTX 3070"; may be repeated (default\: this machine'\''s GPUs)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--pack=[push this pack file instead of entries of the cache; may be repeated]:FILE:_files' \
                  '--replace[keep no layer of earlier pushes (default\: keep those of other software)]' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--cacert=[trust this certificate authority instead of the system'\''s]:FILE:_files' \
                  '--deadline=[fail if it takes longer than 90s, 5m or 2h (default\: 1h)]:TIME: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          pull)
              _arguments -s \
                  '(-n --dry-run)'{-n,--dry-run}'[print which layers would be fetched, and change nothing]' \
                  '--or-prime[then compile what no pack had (jitwarm prime --yes), also if the remote cannot be reached]' \
                  '--everything[also import entries of software that is not installed here]' \
                  '--allow-unsigned[accept unsigned packs]' \
                  '*--trust=[trust this public key (a file, or its text) for this pull; may be repeated]:KEY:_files' \
                  '--no-verify[load no entry afterwards (default\: load a sample of the new entries in a new process)]' \
                  '--cache=[into this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--as-root[as root\: for root itself, which is refused otherwise]' \
                  '--cacert=[trust this certificate authority instead of the system'\''s]:FILE:_files' \
                  '--deadline=[fail if it takes longer than 90s, 5m or 2h (default\: 1h)]:TIME: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          key)
              _arguments -s \
                  '*--gpu=[for this architecture\: sm_86, 8.6 or "RTX 3070"; may be repeated (default\: this machine'\''s GPUs)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--new=[instead make a key pair for signing packs\: the secret key in FILE, the public key beside it]:FILE:_files' \
                  '--no-passphrase[with --new\: do not lock the secret key; anyone who can read the file can sign]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          list)
              _arguments -s \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:_files' ;;
          startup)
              _arguments -s \
                  '--system[for every user of this machine, with that user'\''s rights]' \
                  '--as-root[allow root to install it for root'\''s own programs]' \
                  '(-n --dry-run)'{-n,--dry-run}'[print the exact files, and change nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(install remove)' ;;
          env)
              _arguments -s \
                  '--shell=[only the settings for a shell or docker or compose (sh, fish, powershell, or slurm'\''s TaskProlog); docker and compose get a block that keeps the cache in a volume (--path\: where it is mounted)]:NAME:(sh fish powershell docker compose slurm)' \
                  '--max-size=[limit for the cache, at most 4GiB (default\: what programs need and a quarter more)]:SIZE: ' \
                  '--path=[folder for the cache (default\: where it is)]:DIR:_files -/' \
                  '--system[apply, undo\: for all users of this machine; needs root, or an administrator]' \
                  '(-n --dry-run)'{-n,--dry-run}'[apply, undo\: show what would be written, and write nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(apply undo)' ;;
          prune)
              _arguments -s \
                  '--outdated[delete the entries of all other driver builds, even if they were used in the last 90 days]' \
                  '--damaged[delete entries with wrong checksums too\: reads every byte]' \
                  '--all[delete every entry of every program, jitwarm'\''s records and the packs of its store]' \
                  '--max-size=[delete until at most this much is left\: first other builds, then what no prime needs, oldest first]:SIZE: ' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--no-pack[do not save outdated entries as a pack first]' \
                  '(-y --yes)'{-y,--yes}'[delete the entries; without this they are only listed]' \
                  '(-n --dry-run)'{-n,--dry-run}'[show the list and change nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          uninstall)
              _arguments -s \
                  '--cache-too[also delete the driver'\''s whole cache, with the entries of other programs]' \
                  '(-y --yes)'{-y,--yes}'[do not ask]' \
                  '(-n --dry-run)'{-n,--dry-run}'[show the list and change nothing]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          help)
              _arguments -s \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(prime verify run scan doctor status report export import push pull key list startup env prune uninstall help completions version)' ;;
          completions)
              _arguments -s \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(bash zsh fish)' ;;
          version)
              _arguments -s \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          esac ;;
      esac
  }

  if [[ $funcstack[1] == _jitwarm ]]; then
      _jitwarm "$@"
  else
      compdef _jitwarm jitwarm
  fi
