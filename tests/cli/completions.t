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
          _jitwarm_words 'prime plan verify scan doctor status report run export import compile push pull key inspect list keygen startup env config carry prune clear uninstall help completions version --help --version' "$cur"
          return
      fi
      case ${COMP_WORDS[1]} in
      prime)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --only) :; return ;;
          --exclude) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          -j | --jobs) :; return ;;
          --timeout) :; return ;;
          --time-box) :; return ;;
          --packs) _jitwarm_paths -d "$cur"; return ;;
          --run) _jitwarm_paths -f "$cur"; return ;;
          --progress) :; return ;;
          --pack) _jitwarm_paths -f "$cur"; return ;;
          --push) :; return ;;
          --sign) _jitwarm_paths -f "$cur"; return ;;
          --profile) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --only --exclude --all --cache --jobs --timeout --as-root --time-box --wait --no-verify --retry --if-stale --background --packs --prune --run --progress --pack --push --sign --stop --profile --yes --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      plan)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --only) :; return ;;
          --exclude) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          -j | --jobs) :; return ;;
          --timeout) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --only --exclude --all --cache --jobs --timeout --as-root --check --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      verify)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --only) :; return ;;
          --exclude) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          -j | --jobs) :; return ;;
          --timeout) :; return ;;
          --sample) :; return ;;
          --run) _jitwarm_paths -f "$cur"; return ;;
          --progress) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --only --exclude --all --cache --jobs --timeout --as-root --sample --run --progress --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      scan)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --driver) :; return ;;
          --extract) _jitwarm_paths -d "$cur"; return ;;
          --exclude) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --driver --entries --deep --extract --exclude --system --check --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      doctor)
          case $prev in
          --framework) :; return ;;
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --driver) :; return ;;
          --os) :; return ;;
          --python) :; return ;;
          --cuda) :; return ;;
          --cudnn) :; return ;;
          --env) :; return ;;
          --log) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --ignore) :; return ;;
          --bundle) _jitwarm_paths -f "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--framework --gpu --driver --os --python --cuda --cudnn --env --container --log --probe --cache --ignore --portable --bundle --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      status)
          case $prev in
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--cache --check --repair --metrics --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      report)
          case $prev in
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --format) _jitwarm_words 'html md json' "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--output --format --portable --merge --force --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      run)
          case $prev in
          --time-box) :; return ;;
          --pull) :; return ;;
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --cacert) _jitwarm_paths -f "$cur"; return ;;
          --cert) _jitwarm_paths -f "$cur"; return ;;
          --cert-key) _jitwarm_paths -f "$cur"; return ;;
          --deadline) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--time-box --pull --trust --allow-unsigned --foreign --cacert --cert --cert-key --plain-http --deadline --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      export)
          case $prev in
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --level) :; return ;;
          --sign) _jitwarm_paths -f "$cur"; return ;;
          --exclude) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          -j | --jobs) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--output --gpu --everything --from-store --vouch --no-store --level --sign --include-carried --exclude --cache --jobs --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      import)
          case $prev in
          --audit) :; return ;;
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --signature) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--dry-run --foreign --audit --no-audit --verify --no-verify --allow-unsigned --trust --signature --force --cache --wait --yes --as-root --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      compile)
          case $prev in
          --for) :; return ;;
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --compiler) _jitwarm_paths -f "$cur"; return ;;
          --driver-files) _jitwarm_paths -d "$cur"; return ;;
          --sign) _jitwarm_paths -f "$cur"; return ;;
          -I | --include) _jitwarm_paths -d "$cur"; return ;;
          --only) :; return ;;
          --exclude) :; return ;;
          -j | --jobs) :; return ;;
          --timeout) :; return ;;
          --run) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--for --output --compiler --driver-files --sign --include --only --exclude --all --jobs --timeout --yes --dry-run --run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      push)
          case $prev in
          --sign) _jitwarm_paths -f "$cur"; return ;;
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --pack) _jitwarm_paths -f "$cur"; return ;;
          --exclude) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          -j | --jobs) :; return ;;
          --mount-from) :; return ;;
          --attach) :; return ;;
          --cacert) _jitwarm_paths -f "$cur"; return ;;
          --cert) _jitwarm_paths -f "$cur"; return ;;
          --cert-key) _jitwarm_paths -f "$cur"; return ;;
          --deadline) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--sign --gpu --pack --from-store --include-carried --replace --exclude --cache --jobs --mount-from --attach --cacert --cert --cert-key --plain-http --deadline --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      pull)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --trust) _jitwarm_paths -f "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --cacert) _jitwarm_paths -f "$cur"; return ;;
          --cert) _jitwarm_paths -f "$cur"; return ;;
          --cert-key) _jitwarm_paths -f "$cur"; return ;;
          --deadline) :; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--dry-run --or-prime --gpu --foreign --allow-unsigned --trust --no-audit --verify --no-verify --force --cache --wait --as-root --cacert --cert --cert-key --plain-http --deadline --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      key)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--gpu --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      inspect)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--entries --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_paths -f "$cur"
          fi ;;
      list)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      keygen)
          case $prev in
          -o | --output) _jitwarm_paths -f "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--output --no-passphrase --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      startup)
          case $prev in
          --packs) _jitwarm_paths -d "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --with) _jitwarm_words 'auto systemd task' "$cur"; return ;;
          --root) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--system --prune --packs --cache --with --root --as-root --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'status install remove run' "$cur"
          fi ;;
      env)
          case $prev in
          --shell) _jitwarm_words 'sh fish powershell cmd docker systemd conda' "$cur"; return ;;
          --maxsize) :; return ;;
          --path) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--shell --maxsize --path --user --system --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              _jitwarm_words 'show apply undo' "$cur"
          fi ;;
      config)
          case $prev in
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--sample --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      carry)
          case $prev in
          --gpu) _jitwarm_words 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' "$cur"; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--carry-only --compile --renew --undo --gpu --cache --wait --as-root --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      prune)
          case $prev in
          --older-than) :; return ;;
          --max-size) :; return ;;
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--outdated --damaged --older-than --max-size --cache --no-pack --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
          else
              :
          fi ;;
      clear)
          case $prev in
          --cache) _jitwarm_paths -d "$cur"; return ;;
          --color) _jitwarm_words 'auto always never' "$cur"; return ;;
          esac
          if [[ $cur == -* ]]; then
              _jitwarm_words '--cache-too --cache --yes --dry-run --json --stats --color --quiet --verbose --help' "$cur"
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
              _jitwarm_words 'prime plan verify scan doctor status report run export import compile push pull key inspect list keygen startup env config carry prune clear uninstall help completions version' "$cur"
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
  complete -c jitwarm -n '__jitwarm_verb prime' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070"; may be repeated (default: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime: with --pack or --cache); fleet: the GPUs of jitwarm.conf'
  complete -c jitwarm -n '__jitwarm_verb prime' -l only -x -d 'only files with this name (* and ? as in a shell); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb prime' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb prime' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb prime' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb prime' -s j -l jobs -x -d 'number of parallel workers (default: half the CPUs)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l timeout -x -d 'give up on a module after 90s, 5m or 2h (default: 30m)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l as-root -d 'as root: fill root\'s own cache (prime refuses it otherwise)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l time-box -x -d 'stop after this time, and exit with 7 if something is left; the next run goes on from there'
  complete -c jitwarm -n '__jitwarm_verb prime' -l wait -d 'if another prime uses this cache, wait until it ends, or this long (default: exit with 7 at once)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l no-verify -d 'skip the check in a fresh process'
  complete -c jitwarm -n '__jitwarm_verb prime' -l retry -d 'also modules on which this driver crashed or hung before'
  complete -c jitwarm -n '__jitwarm_verb prime' -l if-stale -d 'do not search: warm again what was primed before, if a file, the driver or a setting changed'
  complete -c jitwarm -n '__jitwarm_verb prime' -l background -d 'run with idle priority and write a log; with --if-stale also wait for mains power, until the machine is not busy, and for the reboot that a driver update needs'
  complete -c jitwarm -n '__jitwarm_verb prime' -l packs -xa '(__fish_complete_directories)' -d 'first import what fits from the packs in this folder, if the folder or the driver changed'
  complete -c jitwarm -n '__jitwarm_verb prime' -l prune -d 'afterwards, if something was compiled and all is warm: run jitwarm prune --yes'
  complete -c jitwarm -n '__jitwarm_verb prime' -l run -rF -d 'run this command once, warm everything it loads, and remember that as its profile (jitwarm run)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l progress -x -d 'how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l pack -rF -d 'pack what was primed for machines of the same kind, into this file or folder (jitwarm export)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l push -x -d 'afterwards share what was primed through this registry or folder (jitwarm push)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l sign -rF -d 'with --pack or --push: sign with this secret key (jitwarm keygen)'
  complete -c jitwarm -n '__jitwarm_verb prime' -l stop -d 'stop the prime that runs on this cache, and wait for its end'
  complete -c jitwarm -n '__jitwarm_verb prime' -l profile -x -d 'behave as this caller expects: slurm-prolog (a minute at most, never a failure), slurm-task (the same, and prints export lines as TaskProlog reads them), intune (its exit codes, no output), container (no questions), postinst (queue it for the invoking user), everybody (skip files that other users can change, except in the roots of jitwarm.conf)'
  complete -c jitwarm -n '__jitwarm_verb prime' -s y -l yes -d 'do not ask; --yes=limit also raises a cache limit that is too small, as jitwarm env apply does'
  complete -c jitwarm -n '__jitwarm_verb prime' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb prime' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb prime' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb prime' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb prime' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb prime' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb prime' -F

  complete -c jitwarm -n __jitwarm_verb -a plan -d 'show what prime would compile, and how long it takes'
  complete -c jitwarm -n '__jitwarm_verb plan' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070"; may be repeated (default: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime: with --pack or --cache); fleet: the GPUs of jitwarm.conf'
  complete -c jitwarm -n '__jitwarm_verb plan' -l only -x -d 'only files with this name (* and ? as in a shell); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb plan' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb plan' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb plan' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb plan' -s j -l jobs -x -d 'number of parallel workers (default: half the CPUs)'
  complete -c jitwarm -n '__jitwarm_verb plan' -l timeout -x -d 'give up on a module after 90s, 5m or 2h (default: 30m)'
  complete -c jitwarm -n '__jitwarm_verb plan' -l as-root -d 'as root: fill root\'s own cache (prime refuses it otherwise)'
  complete -c jitwarm -n '__jitwarm_verb plan' -l check -d 'exit with 1 unless all of it is warm already'
  complete -c jitwarm -n '__jitwarm_verb plan' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb plan' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb plan' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb plan' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb plan' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb plan' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb plan' -F

  complete -c jitwarm -n __jitwarm_verb -a verify -d 'check that the next start compiles nothing'
  complete -c jitwarm -n '__jitwarm_verb verify' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070"; may be repeated (default: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime: with --pack or --cache); fleet: the GPUs of jitwarm.conf'
  complete -c jitwarm -n '__jitwarm_verb verify' -l only -x -d 'only files with this name (* and ? as in a shell); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb verify' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb verify' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb verify' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb verify' -s j -l jobs -x -d 'number of parallel workers (default: half the CPUs)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l timeout -x -d 'give up on a module after 90s, 5m or 2h (default: 30m)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l as-root -d 'as root: fill root\'s own cache (prime refuses it otherwise)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l sample -x -d 'load this many modules, spread over all of them (default: all)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l run -rF -d 'run this command instead, and count what the driver compiles for it; a single word with blanks goes to the shell'
  complete -c jitwarm -n '__jitwarm_verb verify' -l progress -x -d 'how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)'
  complete -c jitwarm -n '__jitwarm_verb verify' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb verify' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb verify' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb verify' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb verify' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb verify' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb verify' -F

  complete -c jitwarm -n __jitwarm_verb -a scan -d 'show which GPUs a file\'s CUDA code runs on, and what must be compiled first'
  complete -c jitwarm -n '__jitwarm_verb scan' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'judge for this GPU: sm_86, 8.6, 10de:2484, "RTX 3070", its number here, all or known; may be repeated (default: the GPUs of this machine, else all)'
  complete -c jitwarm -n '__jitwarm_verb scan' -l driver -x -d 'judge by this driver: 580.126.09, 590, or a CUDA version such as 13.0 (default: this machine\'s, for its own GPUs)'
  complete -c jitwarm -n '__jitwarm_verb scan' -l entries -d 'list every module and what it holds'
  complete -c jitwarm -n '__jitwarm_verb scan' -l deep -d 'search every byte, for code outside of the usual sections'
  complete -c jitwarm -n '__jitwarm_verb scan' -l extract -xa '(__fish_complete_directories)' -d 'write the decoded PTX and machine code to this folder, which must be new or empty'
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
  complete -c jitwarm -n '__jitwarm_verb doctor' -l framework -x -d 'check this software: tensorflow==2.3.1, torch==2.9+cu130, onnxruntime-gpu, matlab==R2020b; may be repeated (default: the installed software)'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'for this GPU: sm_86, 8.6, 10de:2484, "RTX 3070", its number here, all or known; may be repeated, twice the same for two of them (default: the GPUs of this machine)'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l driver -x -d 'with this driver: 580.126.09, 456.71, or a CUDA version such as 13.0'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l os -x -d 'on this system: here, linux (x86-64), linux-aarch64, windows or wsl'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l python -x -d 'with this Python, such as 3.11'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l cuda -x -d 'with this CUDA toolkit installed, such as 11.2, or none'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l cudnn -x -d 'with this cuDNN installed, such as 8.1, or none'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l env -x -d 'with this environment variable, such as CUDA_CACHE_MAXSIZE=268435456; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l container -d 'in a container, whose files are lost when it ends'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l log -rF -d 'read what a program printed (- for standard input): its pauses, errors, GPUs and libraries'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l probe -d 'repeat the probe of the driver, instead of showing the saved result'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l cache -xa '(__fish_complete_directories)' -d 'look at this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l ignore -x -d 'hide this finding, also from the exit code; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l portable -d 'print only what two equal machines share, to compare them with diff'
  complete -c jitwarm -n '__jitwarm_verb doctor' -l bundle -rF -d 'also write everything to a new file for a bug report, without names and folders'
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
  complete -c jitwarm -n '__jitwarm_verb status' -l metrics -d 'print in Prometheus\' text format'
  complete -c jitwarm -n '__jitwarm_verb status' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb status' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb status' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb status' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb status' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb status' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a report -d 'write a page about this machine: software, cache, findings'
  complete -c jitwarm -n '__jitwarm_verb report' -s o -l output -rF -d 'write the report to this new file (default: standard output)'
  complete -c jitwarm -n '__jitwarm_verb report' -l format -xa 'html md json' -d 'html (the default), md for an issue, or json for --merge'
  complete -c jitwarm -n '__jitwarm_verb report' -l portable -d 'leave out names of users and machines, and folders'
  complete -c jitwarm -n '__jitwarm_verb report' -l merge -d 'put the reports FILE..., made with --format json, on one page'
  complete -c jitwarm -n '__jitwarm_verb report' -l force -d 'replace the file of -o if it exists'
  complete -c jitwarm -n '__jitwarm_verb report' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb report' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb report' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb report' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb report' -F

  complete -c jitwarm -n __jitwarm_verb -a run -d 'prime what a command loads, then run the command'
  complete -c jitwarm -n '__jitwarm_verb run' -l time-box -x -d 'start the command after this time even if not all of it is warm'
  complete -c jitwarm -n '__jitwarm_verb run' -l pull -x -d 'first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says so'
  complete -c jitwarm -n '__jitwarm_verb run' -l trust -rF -d 'with --pull: trust packs that this public key has signed; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb run' -l allow-unsigned -d 'with --pull: accept unsigned packs'
  complete -c jitwarm -n '__jitwarm_verb run' -l foreign -d 'with --pull: also entries of software that is not found here'
  complete -c jitwarm -n '__jitwarm_verb run' -l cacert -rF -d 'trust this certificate authority instead of the system\'s'
  complete -c jitwarm -n '__jitwarm_verb run' -l cert -rF -d 'client certificate (Windows: a PFX file, or store:SUBJECT)'
  complete -c jitwarm -n '__jitwarm_verb run' -l cert-key -rF -d 'key of the client certificate'
  complete -c jitwarm -n '__jitwarm_verb run' -l plain-http -d 'allow unencrypted http to other machines'
  complete -c jitwarm -n '__jitwarm_verb run' -l deadline -x -d 'give up after 90s, 5m or 2h (default: 1h)'
  complete -c jitwarm -n '__jitwarm_verb run' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb run' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb run' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb run' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb run' -F

  complete -c jitwarm -n __jitwarm_verb -a export -d 'pack compiled code for machines of the same kind'
  complete -c jitwarm -n '__jitwarm_verb export' -s o -l output -rF -d 'write the pack to this file or folder; - is standard output (default: this folder)'
  complete -c jitwarm -n '__jitwarm_verb export' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or "RTX 3070", or all, which includes every GPU in the cache; may be repeated (default: the GPUs here)'
  complete -c jitwarm -n '__jitwarm_verb export' -l everything -d 'all entries of this driver in the cache, of any program; asks first'
  complete -c jitwarm -n '__jitwarm_verb export' -l from-store -d 'pack the entries of this machine\'s store (jitwarm list), not of the cache'
  complete -c jitwarm -n '__jitwarm_verb export' -l vouch -d 'with --sign: also sign entries of packs that no trusted key signed'
  complete -c jitwarm -n '__jitwarm_verb export' -l no-store -d 'keep no copy in this machine\'s store'
  complete -c jitwarm -n '__jitwarm_verb export' -l level -x -d 'compression level, 1 to 19 (default: 3)'
  complete -c jitwarm -n '__jitwarm_verb export' -l sign -rF -d 'sign with this secret key (jitwarm keygen, minisign); its passphrase is asked for on the terminal'
  complete -c jitwarm -n '__jitwarm_verb export' -l include-carried -d 'also entries that were carried over from an older driver or compiled by a toolkit'
  complete -c jitwarm -n '__jitwarm_verb export' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb export' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb export' -s j -l jobs -x -d 'number of compression threads (default: one per CPU); the pack is the same'
  complete -c jitwarm -n '__jitwarm_verb export' -s y -l yes -d 'do not ask before --everything, or before replacing a file that is not a pack'
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
  complete -c jitwarm -n '__jitwarm_verb import' -l foreign -d 'also entries of software that is not here (default: only entries whose PTX was found in files here)'
  complete -c jitwarm -n '__jitwarm_verb import' -l audit -x -d 'first compile this share of the new entries again, chosen at random, and refuse the pack if any result differs (default: 8 entries in at most a minute; none if a key that is trusted for everything signed the pack)'
  complete -c jitwarm -n '__jitwarm_verb import' -l no-audit -d 'skip the audit, and accept toolkit code, which cannot be audited: only if you trust the person who gave you the pack'
  complete -c jitwarm -n '__jitwarm_verb import' -l verify -d 'load every entry in a fresh process afterwards (default: 16 new entries)'
  complete -c jitwarm -n '__jitwarm_verb import' -l no-verify -d 'load none'
  complete -c jitwarm -n '__jitwarm_verb import' -l allow-unsigned -d 'accept an unsigned pack'
  complete -c jitwarm -n '__jitwarm_verb import' -l trust -rF -d 'trust this public key for this run; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb import' -l signature -rF -d 'the signature (default: FILE.minisig beside the pack, or the one in it)'
  complete -c jitwarm -n '__jitwarm_verb import' -l force -d 'may exceed the cache\'s limit; damaged or untrusted packs are still refused'
  complete -c jitwarm -n '__jitwarm_verb import' -l cache -xa '(__fish_complete_directories)' -d 'import into this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb import' -l wait -d 'if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 at once)'
  complete -c jitwarm -n '__jitwarm_verb import' -s y -l yes -d 'do not ask: import only what fits, and accept a pack that is older than one imported before'
  complete -c jitwarm -n '__jitwarm_verb import' -l as-root -d 'as root: import into root\'s own cache'
  complete -c jitwarm -n '__jitwarm_verb import' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb import' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb import' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb import' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb import' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb import' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb import' -F

  complete -c jitwarm -n __jitwarm_verb -a compile -d 'compile a .cu file, or make packs for other machines without a GPU'
  complete -c jitwarm -n '__jitwarm_verb compile' -l for -x -d 'the target: sm=86,sm=89 with --compiler driver; else driver=STAMP,sm=86 with the stamp that jitwarm doctor --probe --json prints there (knowledge, stamp), such as "Jan  7 202622:51:46"; for a .cu file sm=86 (default: the oldest GPU here)'
  complete -c jitwarm -n '__jitwarm_verb compile' -s o -l output -rF -d 'write the pack to this file or folder (default: the store), or the PTX of the .cu file to this file'
  complete -c jitwarm -n '__jitwarm_verb compile' -l compiler -rF -d 'driver (needs --driver-files, but no GPU); ptxas (the default) or nvjitlink, from CUDA_HOME, CUDA_PATH, /usr/local/cuda, PATH or Python\'s packages; or the absolute path of one'
  complete -c jitwarm -n '__jitwarm_verb compile' -l driver-files -xa '(__fish_complete_directories)' -d 'with --compiler driver: NVIDIA\'s driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only)'
  complete -c jitwarm -n '__jitwarm_verb compile' -l sign -rF -d 'sign the pack with this secret key (jitwarm keygen)'
  complete -c jitwarm -n '__jitwarm_verb compile' -s I -l include -xa '(__fish_complete_directories)' -d 'also search this folder for headers of a .cu file; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb compile' -l only -x -d 'only files with this name (* and ? as in a shell); may be repeated'
  complete -c jitwarm -n '__jitwarm_verb compile' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb compile' -l all -d 'also NVIDIA\'s own libraries, and modules that are loaded on demand only'
  complete -c jitwarm -n '__jitwarm_verb compile' -s j -l jobs -x -d 'number of parallel compilers (default: half the CPUs)'
  complete -c jitwarm -n '__jitwarm_verb compile' -l timeout -x -d 'give up on a module after 90s, 5m or 2h (default: 30m)'
  complete -c jitwarm -n '__jitwarm_verb compile' -s y -l yes -d 'replace the file of --output'
  complete -c jitwarm -n '__jitwarm_verb compile' -s n -l dry-run -d 'show what would be compiled, and compile nothing'
  complete -c jitwarm -n '__jitwarm_verb compile' -l run -x -d 'with --compiler driver: run this command for each GPU, on emulated GPUs, and pack what it loads'
  complete -c jitwarm -n '__jitwarm_verb compile' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb compile' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb compile' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb compile' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb compile' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb compile' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb compile' -F

  complete -c jitwarm -n __jitwarm_verb -a push -d 'share compiled code through a registry or a folder'
  complete -c jitwarm -n '__jitwarm_verb push' -l sign -rF -d 'sign each layer with this secret key (jitwarm keygen); its passphrase is asked for on the terminal'
  complete -c jitwarm -n '__jitwarm_verb push' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only entries for this GPU: its number, UUID, sm_86, 8.6 or "RTX 3070"; may be repeated (default: this machine\'s GPUs)'
  complete -c jitwarm -n '__jitwarm_verb push' -l pack -rF -d 'push this pack file instead of entries of the cache; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb push' -l from-store -d 'push entries from stored packs (jitwarm list), not from the cache'
  complete -c jitwarm -n '__jitwarm_verb push' -l include-carried -d 'also push entries that were carried over from an older driver'
  complete -c jitwarm -n '__jitwarm_verb push' -l replace -d 'keep no layer of earlier pushes (default: keep those of other software)'
  complete -c jitwarm -n '__jitwarm_verb push' -l exclude -x -d 'skip files and folders with this name; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb push' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb push' -s j -l jobs -x -d 'compress with this many threads (default: one per CPU)'
  complete -c jitwarm -n '__jitwarm_verb push' -l mount-from -x -d 'mount layers from this repository of the same registry instead of sending them'
  complete -c jitwarm -n '__jitwarm_verb push' -l attach -x -d 'make the packs referrers of this image (tag or digest) in the same repository'
  complete -c jitwarm -n '__jitwarm_verb push' -l cacert -rF -d 'trust this certificate authority instead of the system\'s'
  complete -c jitwarm -n '__jitwarm_verb push' -l cert -rF -d 'client certificate (Windows: a PFX file, or store:SUBJECT)'
  complete -c jitwarm -n '__jitwarm_verb push' -l cert-key -rF -d 'key of the client certificate'
  complete -c jitwarm -n '__jitwarm_verb push' -l plain-http -d 'allow unencrypted http to other machines'
  complete -c jitwarm -n '__jitwarm_verb push' -l deadline -x -d 'give up after 90s, 5m or 2h (default: 1h)'
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
  complete -c jitwarm -n '__jitwarm_verb pull' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'packs for this architecture: sm_86, 8.6 or "RTX 3070"; may be repeated (default: this machine\'s GPUs)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l foreign -d 'also import entries of software that is not installed here'
  complete -c jitwarm -n '__jitwarm_verb pull' -l allow-unsigned -d 'accept unsigned packs'
  complete -c jitwarm -n '__jitwarm_verb pull' -l trust -rF -d 'trust this public key for this pull; may be repeated'
  complete -c jitwarm -n '__jitwarm_verb pull' -l no-audit -d 'skip the audit, and accept toolkit code, which cannot be audited: trust the person who pushed the pack'
  complete -c jitwarm -n '__jitwarm_verb pull' -l verify -d 'then load every entry in a new process (default: a sample of the new entries)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l no-verify -d 'load no entry'
  complete -c jitwarm -n '__jitwarm_verb pull' -l force -d 'import more than the cache\'s limit allows'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cache -xa '(__fish_complete_directories)' -d 'into this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l wait -d 'if another jitwarm uses this cache, wait for it, at most this long (default: exit with 7)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l as-root -d 'as root: for root itself, which is refused otherwise'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cacert -rF -d 'trust this certificate authority instead of the system\'s'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cert -rF -d 'client certificate (Windows: a PFX file, or store:SUBJECT)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l cert-key -rF -d 'key of the client certificate'
  complete -c jitwarm -n '__jitwarm_verb pull' -l plain-http -d 'allow unencrypted http to other machines'
  complete -c jitwarm -n '__jitwarm_verb pull' -l deadline -x -d 'give up after 90s, 5m or 2h (default: 1h)'
  complete -c jitwarm -n '__jitwarm_verb pull' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb pull' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb pull' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb pull' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb pull' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb pull' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb pull' -F

  complete -c jitwarm -n __jitwarm_verb -a key -d 'show the key that machines of the same kind share'
  complete -c jitwarm -n '__jitwarm_verb key' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'for this architecture: sm_86, 8.6 or "RTX 3070"; may be repeated (default: this machine\'s GPUs)'
  complete -c jitwarm -n '__jitwarm_verb key' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb key' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb key' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb key' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a inspect -d 'show what is in a pack'
  complete -c jitwarm -n '__jitwarm_verb inspect' -l entries -d 'list every entry'
  complete -c jitwarm -n '__jitwarm_verb inspect' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb inspect' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb inspect' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb inspect' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb inspect' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb inspect' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb inspect' -F

  complete -c jitwarm -n __jitwarm_verb -a list -d 'list the packs on this machine'
  complete -c jitwarm -n '__jitwarm_verb list' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb list' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb list' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb list' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb list' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb list' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a keygen -d 'create a key pair for signing packs'
  complete -c jitwarm -n '__jitwarm_verb keygen' -s o -l output -rF -d 'file of the secret key (default: jitwarm.key beside jitwarm.conf); the public key goes beside it'
  complete -c jitwarm -n '__jitwarm_verb keygen' -l no-passphrase -d 'do not lock the secret key: anyone who can read the file can sign'
  complete -c jitwarm -n '__jitwarm_verb keygen' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb keygen' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb keygen' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb keygen' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb keygen' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb keygen' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a startup -d 'prime at login and after driver updates'
  complete -c jitwarm -n '__jitwarm_verb startup' -l system -d 'for every user of this machine, with that user\'s rights'
  complete -c jitwarm -n '__jitwarm_verb startup' -l prune -d 'with install: after a driver update, once all is warm again, delete entries of earlier drivers'
  complete -c jitwarm -n '__jitwarm_verb startup' -l packs -xa '(__fish_complete_directories)' -d 'with install: each run first imports packs that fit from this folder (with --system: /var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs)'
  complete -c jitwarm -n '__jitwarm_verb startup' -l cache -xa '(__fish_complete_directories)' -d 'with install: use this cache (default: the one that CUDA programs use)'
  complete -c jitwarm -n '__jitwarm_verb startup' -l with -xa 'auto systemd task' -d 'start it with systemd, or a task on Windows (default: what this system has)'
  complete -c jitwarm -n '__jitwarm_verb startup' -l root -xa '(__fish_complete_directories)' -d 'with --system: install into the system image in this folder'
  complete -c jitwarm -n '__jitwarm_verb startup' -l as-root -d 'allow root to install it for root\'s own programs'
  complete -c jitwarm -n '__jitwarm_verb startup' -s y -l yes -d 'overwrite or remove files that were edited by hand'
  complete -c jitwarm -n '__jitwarm_verb startup' -s n -l dry-run -d 'print the exact files, and change nothing'
  complete -c jitwarm -n '__jitwarm_verb startup' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb startup' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb startup' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb startup' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb startup' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb startup' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb startup' -a 'status install remove run'

  complete -c jitwarm -n __jitwarm_verb -a env -d 'show and set the variables that control the driver\'s cache'
  complete -c jitwarm -n '__jitwarm_verb env' -l shell -xa 'sh fish powershell cmd docker systemd conda' -d 'print only the recommended settings, in this form: sh, fish, powershell, cmd (a batch file), docker (a Dockerfile), systemd (a unit) or conda'
  complete -c jitwarm -n '__jitwarm_verb env' -l maxsize -x -d 'limit for the cache, at most 4GiB (default: what programs need and a quarter more)'
  complete -c jitwarm -n '__jitwarm_verb env' -l path -xa '(__fish_complete_directories)' -d 'folder for the cache (default: where it is, unless that is unsuitable)'
  complete -c jitwarm -n '__jitwarm_verb env' -l user -d 'apply, undo: for this user (the default)'
  complete -c jitwarm -n '__jitwarm_verb env' -l system -d 'apply, undo: for all users of this machine; needs root, or an administrator'
  complete -c jitwarm -n '__jitwarm_verb env' -s n -l dry-run -d 'apply, undo: show what would be written, and write nothing'
  complete -c jitwarm -n '__jitwarm_verb env' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb env' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb env' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb env' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb env' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb env' -s h -l help -d 'show this help'
  complete -c jitwarm -n '__jitwarm_verb env' -a 'show apply undo'

  complete -c jitwarm -n __jitwarm_verb -a config -d 'show each setting and where it comes from'
  complete -c jitwarm -n '__jitwarm_verb config' -l sample -d 'print a jitwarm.conf with every key explained and commented out'
  complete -c jitwarm -n '__jitwarm_verb config' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb config' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb config' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb config' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb config' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb config' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a carry -d 'after a driver update: keep using what the old driver compiled'
  complete -c jitwarm -n '__jitwarm_verb carry' -l carry-only -d 'do not compile again in the background; if carrying is not possible, do nothing'
  complete -c jitwarm -n '__jitwarm_verb carry' -l compile -d 'carry nothing: compile the modules of older drivers\' entries again'
  complete -c jitwarm -n '__jitwarm_verb carry' -l renew -d 'compile carried entries again and replace them'
  complete -c jitwarm -n '__jitwarm_verb carry' -l undo -d 'delete carried entries that were not compiled again'
  complete -c jitwarm -n '__jitwarm_verb carry' -l gpu -xa 'all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120' -d 'only entries for this GPU of the machine; may be repeated (default: all GPUs)'
  complete -c jitwarm -n '__jitwarm_verb carry' -l cache -xa '(__fish_complete_directories)' -d 'use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb carry' -l wait -d 'if a prime uses this cache, wait until it ends, or this long (default: exit with 7 at once)'
  complete -c jitwarm -n '__jitwarm_verb carry' -l as-root -d 'as root: use root\'s own cache'
  complete -c jitwarm -n '__jitwarm_verb carry' -s n -l dry-run -d 'show what would be carried, and change nothing'
  complete -c jitwarm -n '__jitwarm_verb carry' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb carry' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb carry' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb carry' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb carry' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb carry' -s h -l help -d 'show this help'

  complete -c jitwarm -n __jitwarm_verb -a prune -d 'delete cache entries that no driver here can use'
  complete -c jitwarm -n '__jitwarm_verb prune' -l outdated -d 'delete the entries of all other driver builds, even if they were used in the last 90 days'
  complete -c jitwarm -n '__jitwarm_verb prune' -l damaged -d 'read every byte, and delete entries with wrong checksums too'
  complete -c jitwarm -n '__jitwarm_verb prune' -l older-than -x -d 'delete entries that were compiled longer ago, even if they are in use: 90d'
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

  complete -c jitwarm -n __jitwarm_verb -a clear -d 'delete everything that jitwarm stores for you'
  complete -c jitwarm -n '__jitwarm_verb clear' -l cache-too -d 'also delete the driver\'s whole cache, with the entries of other programs'
  complete -c jitwarm -n '__jitwarm_verb clear' -l cache -xa '(__fish_complete_directories)' -d 'with --cache-too: use this cache (default: the one of CUDA programs started from this shell)'
  complete -c jitwarm -n '__jitwarm_verb clear' -s y -l yes -d 'do not ask'
  complete -c jitwarm -n '__jitwarm_verb clear' -s n -l dry-run -d 'show the list and change nothing'
  complete -c jitwarm -n '__jitwarm_verb clear' -l json -d 'print JSON'
  complete -c jitwarm -n '__jitwarm_verb clear' -l stats -d 'also print times and bytes read'
  complete -c jitwarm -n '__jitwarm_verb clear' -l color -xa 'auto always never' -d 'colour the output: auto (on a terminal), always or never'
  complete -c jitwarm -n '__jitwarm_verb clear' -s q -l quiet -d 'print errors only'
  complete -c jitwarm -n '__jitwarm_verb clear' -s v -l verbose -d 'print more'
  complete -c jitwarm -n '__jitwarm_verb clear' -s h -l help -d 'show this help'

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
  complete -c jitwarm -n '__jitwarm_verb help' -a 'prime plan verify scan doctor status report run export import compile push pull key inspect list keygen startup env config carry prune clear uninstall help completions version'

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
          'plan:show what prime would compile, and how long it takes'
          'verify:check that the next start compiles nothing'
          'scan:show which GPUs a file'\''s CUDA code runs on, and what must be compiled first'
          'doctor:find out why CUDA programs start slowly here'
          'status:show what the driver'\''s cache holds'
          'report:write a page about this machine\: software, cache, findings'
          'run:prime what a command loads, then run the command'
          'export:pack compiled code for machines of the same kind'
          'import:add a pack'\''s code to the driver'\''s cache'
          'compile:compile a .cu file, or make packs for other machines without a GPU'
          'push:share compiled code through a registry or a folder'
          'pull:fetch and import what another machine pushed'
          'key:show the key that machines of the same kind share'
          'inspect:show what is in a pack'
          'list:list the packs on this machine'
          'keygen:create a key pair for signing packs'
          'startup:prime at login and after driver updates'
          'env:show and set the variables that control the driver'\''s cache'
          'config:show each setting and where it comes from'
          'carry:after a driver update\: keep using what the old driver compiled'
          'prune:delete cache entries that no driver here can use'
          'clear:delete everything that jitwarm stores for you'
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
                  '*--gpu=[only for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070"; may be repeated (default\: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime\: with --pack or --cache); fleet\: the GPUs of jitwarm.conf]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--only=[only files with this name (* and ? as in a shell); may be repeated]:PATTERN: ' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of parallel workers (default\: half the CPUs)]:N: ' \
                  '--timeout=[give up on a module after 90s, 5m or 2h (default\: 30m)]:TIME: ' \
                  '--as-root[as root\: fill root'\''s own cache (prime refuses it otherwise)]' \
                  '--time-box=[stop after this time, and exit with 7 if something is left; the next run goes on from there]:TIME: ' \
                  '--wait=-[if another prime uses this cache, wait until it ends, or this long (default\: exit with 7 at once)]::TIME: ' \
                  '--no-verify[skip the check in a fresh process]' \
                  '--retry[also modules on which this driver crashed or hung before]' \
                  '--if-stale[do not search\: warm again what was primed before, if a file, the driver or a setting changed]' \
                  '--background[run with idle priority and write a log; with --if-stale also wait for mains power, until the machine is not busy, and for the reboot that a driver update needs]' \
                  '--packs=[first import what fits from the packs in this folder, if the folder or the driver changed]:DIR:_files -/' \
                  '--prune[afterwards, if something was compiled and all is warm\: run jitwarm prune --yes]' \
                  '--run=[run this command once, warm everything it loads, and remember that as its profile (jitwarm run)]:CMD...:_files' \
                  '--progress=[how to show progress\: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)]:FORM: ' \
                  '--pack=[pack what was primed for machines of the same kind, into this file or folder (jitwarm export)]:FILE:_files' \
                  '--push=[afterwards share what was primed through this registry or folder (jitwarm push)]:REF: ' \
                  '--sign=[with --pack or --push\: sign with this secret key (jitwarm keygen)]:KEY:_files' \
                  '--stop[stop the prime that runs on this cache, and wait for its end]' \
                  '--profile=[behave as this caller expects\: slurm-prolog (a minute at most, never a failure), slurm-task (the same, and prints export lines as TaskProlog reads them), intune (its exit codes, no output), container (no questions), postinst (queue it for the invoking user), everybody (skip files that other users can change, except in the roots of jitwarm.conf)]:NAME: ' \
                  '(-y --yes)'{-y,--yes=-}'[do not ask; --yes=limit also raises a cache limit that is too small, as jitwarm env apply does]::limit: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          plan)
              _arguments -s \
                  '*--gpu=[only for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070"; may be repeated (default\: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime\: with --pack or --cache); fleet\: the GPUs of jitwarm.conf]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--only=[only files with this name (* and ? as in a shell); may be repeated]:PATTERN: ' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of parallel workers (default\: half the CPUs)]:N: ' \
                  '--timeout=[give up on a module after 90s, 5m or 2h (default\: 30m)]:TIME: ' \
                  '--as-root[as root\: fill root'\''s own cache (prime refuses it otherwise)]' \
                  '--check[exit with 1 unless all of it is warm already]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          verify)
              _arguments -s \
                  '*--gpu=[only for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070"; may be repeated (default\: all GPUs of this machine). The driver also compiles for a GPU that is not here (prime\: with --pack or --cache); fleet\: the GPUs of jitwarm.conf]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--only=[only files with this name (* and ? as in a shell); may be repeated]:PATTERN: ' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of parallel workers (default\: half the CPUs)]:N: ' \
                  '--timeout=[give up on a module after 90s, 5m or 2h (default\: 30m)]:TIME: ' \
                  '--as-root[as root\: fill root'\''s own cache (prime refuses it otherwise)]' \
                  '--sample=[load this many modules, spread over all of them (default\: all)]:N: ' \
                  '--run=[run this command instead, and count what the driver compiles for it; a single word with blanks goes to the shell]:CMD...:_files' \
                  '--progress=[how to show progress\: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)]:FORM: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          scan)
              _arguments -s \
                  '*--gpu=[judge for this GPU\: sm_86, 8.6, 10de\:2484, "RTX 3070", its number here, all or known; may be repeated (default\: the GPUs of this machine, else all)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--driver=[judge by this driver\: 580.126.09, 590, or a CUDA version such as 13.0 (default\: this machine'\''s, for its own GPUs)]:VERSION: ' \
                  '--entries[list every module and what it holds]' \
                  '--deep[search every byte, for code outside of the usual sections]' \
                  '--extract=[write the decoded PTX and machine code to this folder, which must be new or empty]:DIR:_files -/' \
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
                  '*--framework=[check this software\: tensorflow==2.3.1, torch==2.9+cu130, onnxruntime-gpu, matlab==R2020b; may be repeated (default\: the installed software)]:NAME==VER: ' \
                  '*--gpu=[for this GPU\: sm_86, 8.6, 10de\:2484, "RTX 3070", its number here, all or known; may be repeated, twice the same for two of them (default\: the GPUs of this machine)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--driver=[with this driver\: 580.126.09, 456.71, or a CUDA version such as 13.0]:VERSION: ' \
                  '--os=[on this system\: here, linux (x86-64), linux-aarch64, windows or wsl]:SYSTEM: ' \
                  '--python=[with this Python, such as 3.11]:VERSION: ' \
                  '--cuda=[with this CUDA toolkit installed, such as 11.2, or none]:VERSION: ' \
                  '--cudnn=[with this cuDNN installed, such as 8.1, or none]:VERSION: ' \
                  '*--env=[with this environment variable, such as CUDA_CACHE_MAXSIZE=268435456; may be repeated]:NAME=VALUE: ' \
                  '--container[in a container, whose files are lost when it ends]' \
                  '--log=[read what a program printed (- for standard input)\: its pauses, errors, GPUs and libraries]:FILE:_files' \
                  '--probe[repeat the probe of the driver, instead of showing the saved result]' \
                  '--cache=[look at this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '*--ignore=[hide this finding, also from the exit code; may be repeated]:ID: ' \
                  '--portable[print only what two equal machines share, to compare them with diff]' \
                  '--bundle=[also write everything to a new file for a bug report, without names and folders]:FILE:_files' \
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
                  '--metrics[print in Prometheus'\'' text format]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          report)
              _arguments -s \
                  '(-o --output)'{-o+,--output=}'[write the report to this new file (default\: standard output)]:FILE:_files' \
                  '--format=[html (the default), md for an issue, or json for --merge]:FORMAT:(html md json)' \
                  '--portable[leave out names of users and machines, and folders]' \
                  '--merge[put the reports FILE..., made with --format json, on one page]' \
                  '--force[replace the file of -o if it exists]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          run)
              _arguments -s \
                  '--time-box=[start the command after this time even if not all of it is warm]:TIME: ' \
                  '--pull=[first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says so]:REF: ' \
                  '*--trust=[with --pull\: trust packs that this public key has signed; may be repeated]:KEYFILE:_files' \
                  '--allow-unsigned[with --pull\: accept unsigned packs]' \
                  '--foreign[with --pull\: also entries of software that is not found here]' \
                  '--cacert=[trust this certificate authority instead of the system'\''s]:FILE:_files' \
                  '--cert=[client certificate (Windows\: a PFX file, or store\:SUBJECT)]:FILE:_files' \
                  '--cert-key=[key of the client certificate]:FILE:_files' \
                  '--plain-http[allow unencrypted http to other machines]' \
                  '--deadline=[give up after 90s, 5m or 2h (default\: 1h)]:TIME: ' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          export)
              _arguments -s \
                  '(-o --output)'{-o+,--output=}'[write the pack to this file or folder; - is standard output (default\: this folder)]:FILE:_files' \
                  '*--gpu=[only entries for this GPU\: its number, UUID, sm_86, 8.6, 10de\:2484 or "RTX 3070", or all, which includes every GPU in the cache; may be repeated (default\: the GPUs here)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--everything[all entries of this driver in the cache, of any program; asks first]' \
                  '--from-store[pack the entries of this machine'\''s store (jitwarm list), not of the cache]' \
                  '--vouch[with --sign\: also sign entries of packs that no trusted key signed]' \
                  '--no-store[keep no copy in this machine'\''s store]' \
                  '--level=[compression level, 1 to 19 (default\: 3)]:N: ' \
                  '--sign=[sign with this secret key (jitwarm keygen, minisign); its passphrase is asked for on the terminal]:KEY:_files' \
                  '--include-carried[also entries that were carried over from an older driver or compiled by a toolkit]' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of compression threads (default\: one per CPU); the pack is the same]:N: ' \
                  '(-y --yes)'{-y,--yes}'[do not ask before --everything, or before replacing a file that is not a pack]' \
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
                  '--foreign[also entries of software that is not here (default\: only entries whose PTX was found in files here)]' \
                  '--audit=[first compile this share of the new entries again, chosen at random, and refuse the pack if any result differs (default\: 8 entries in at most a minute; none if a key that is trusted for everything signed the pack)]:PERCENT: ' \
                  '--no-audit[skip the audit, and accept toolkit code, which cannot be audited\: only if you trust the person who gave you the pack]' \
                  '--verify[load every entry in a fresh process afterwards (default\: 16 new entries)]' \
                  '--no-verify[load none]' \
                  '--allow-unsigned[accept an unsigned pack]' \
                  '*--trust=[trust this public key for this run; may be repeated]:KEYFILE:_files' \
                  '--signature=[the signature (default\: FILE.minisig beside the pack, or the one in it)]:FILE:_files' \
                  '--force[may exceed the cache'\''s limit; damaged or untrusted packs are still refused]' \
                  '--cache=[import into this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--wait=-[if another jitwarm uses this cache, wait until it ends, or this long (default\: exit with 7 at once)]::TIME: ' \
                  '(-y --yes)'{-y,--yes}'[do not ask\: import only what fits, and accept a pack that is older than one imported before]' \
                  '--as-root[as root\: import into root'\''s own cache]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          compile)
              _arguments -s \
                  '--for=[the target\: sm=86,sm=89 with --compiler driver; else driver=STAMP,sm=86 with the stamp that jitwarm doctor --probe --json prints there (knowledge, stamp), such as "Jan  7 202622\:51\:46"; for a .cu file sm=86 (default\: the oldest GPU here)]:TARGET: ' \
                  '(-o --output)'{-o+,--output=}'[write the pack to this file or folder (default\: the store), or the PTX of the .cu file to this file]:FILE:_files' \
                  '--compiler=[driver (needs --driver-files, but no GPU); ptxas (the default) or nvjitlink, from CUDA_HOME, CUDA_PATH, /usr/local/cuda, PATH or Python'\''s packages; or the absolute path of one]:NAME:_files' \
                  '--driver-files=[with --compiler driver\: NVIDIA'\''s driver, unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only)]:DIR:_files -/' \
                  '--sign=[sign the pack with this secret key (jitwarm keygen)]:KEY:_files' \
                  '*'{-I+,--include=}'[also search this folder for headers of a .cu file; may be repeated]:DIR:_files -/' \
                  '*--only=[only files with this name (* and ? as in a shell); may be repeated]:PATTERN: ' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--all[also NVIDIA'\''s own libraries, and modules that are loaded on demand only]' \
                  '(-j --jobs)'{-j+,--jobs=}'[number of parallel compilers (default\: half the CPUs)]:N: ' \
                  '--timeout=[give up on a module after 90s, 5m or 2h (default\: 30m)]:TIME: ' \
                  '(-y --yes)'{-y,--yes}'[replace the file of --output]' \
                  '(-n --dry-run)'{-n,--dry-run}'[show what would be compiled, and compile nothing]' \
                  '--run=[with --compiler driver\: run this command for each GPU, on emulated GPUs, and pack what it loads]:CMD...: ' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '*:argument:_files' ;;
          push)
              _arguments -s \
                  '--sign=[sign each layer with this secret key (jitwarm keygen); its passphrase is asked for on the terminal]:KEY:_files' \
                  '*--gpu=[only entries for this GPU\: its number, UUID, sm_86, 8.6 or "RTX 3070"; may be repeated (default\: this machine'\''s GPUs)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '*--pack=[push this pack file instead of entries of the cache; may be repeated]:FILE:_files' \
                  '--from-store[push entries from stored packs (jitwarm list), not from the cache]' \
                  '--include-carried[also push entries that were carried over from an older driver]' \
                  '--replace[keep no layer of earlier pushes (default\: keep those of other software)]' \
                  '*--exclude=[skip files and folders with this name; may be repeated]:PATTERN: ' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-j --jobs)'{-j+,--jobs=}'[compress with this many threads (default\: one per CPU)]:N: ' \
                  '--mount-from=[mount layers from this repository of the same registry instead of sending them]:NAME: ' \
                  '--attach=[make the packs referrers of this image (tag or digest) in the same repository]:IMAGE: ' \
                  '--cacert=[trust this certificate authority instead of the system'\''s]:FILE:_files' \
                  '--cert=[client certificate (Windows\: a PFX file, or store\:SUBJECT)]:FILE:_files' \
                  '--cert-key=[key of the client certificate]:FILE:_files' \
                  '--plain-http[allow unencrypted http to other machines]' \
                  '--deadline=[give up after 90s, 5m or 2h (default\: 1h)]:TIME: ' \
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
                  '*--gpu=[packs for this architecture\: sm_86, 8.6 or "RTX 3070"; may be repeated (default\: this machine'\''s GPUs)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--foreign[also import entries of software that is not installed here]' \
                  '--allow-unsigned[accept unsigned packs]' \
                  '*--trust=[trust this public key for this pull; may be repeated]:KEYFILE:_files' \
                  '--no-audit[skip the audit, and accept toolkit code, which cannot be audited\: trust the person who pushed the pack]' \
                  '--verify[then load every entry in a new process (default\: a sample of the new entries)]' \
                  '--no-verify[load no entry]' \
                  '--force[import more than the cache'\''s limit allows]' \
                  '--cache=[into this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--wait=-[if another jitwarm uses this cache, wait for it, at most this long (default\: exit with 7)]::TIME: ' \
                  '--as-root[as root\: for root itself, which is refused otherwise]' \
                  '--cacert=[trust this certificate authority instead of the system'\''s]:FILE:_files' \
                  '--cert=[client certificate (Windows\: a PFX file, or store\:SUBJECT)]:FILE:_files' \
                  '--cert-key=[key of the client certificate]:FILE:_files' \
                  '--plain-http[allow unencrypted http to other machines]' \
                  '--deadline=[give up after 90s, 5m or 2h (default\: 1h)]:TIME: ' \
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
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          inspect)
              _arguments -s \
                  '--entries[list every entry]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:_files' ;;
          list)
              _arguments -s \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          keygen)
              _arguments -s \
                  '(-o --output)'{-o+,--output=}'[file of the secret key (default\: jitwarm.key beside jitwarm.conf); the public key goes beside it]:FILE:_files' \
                  '--no-passphrase[do not lock the secret key\: anyone who can read the file can sign]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          startup)
              _arguments -s \
                  '--system[for every user of this machine, with that user'\''s rights]' \
                  '--prune[with install\: after a driver update, once all is warm again, delete entries of earlier drivers]' \
                  '--packs=[with install\: each run first imports packs that fit from this folder (with --system\: /var/lib/jitwarm/packs, %ProgramData%\\jitwarm\\packs)]:DIR:_files -/' \
                  '--cache=[with install\: use this cache (default\: the one that CUDA programs use)]:DIR:_files -/' \
                  '--with=[start it with systemd, or a task on Windows (default\: what this system has)]:WHAT:(auto systemd task)' \
                  '--root=[with --system\: install into the system image in this folder]:DIR:_files -/' \
                  '--as-root[allow root to install it for root'\''s own programs]' \
                  '(-y --yes)'{-y,--yes}'[overwrite or remove files that were edited by hand]' \
                  '(-n --dry-run)'{-n,--dry-run}'[print the exact files, and change nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(status install remove run)' ;;
          env)
              _arguments -s \
                  '--shell=[print only the recommended settings, in this form\: sh, fish, powershell, cmd (a batch file), docker (a Dockerfile), systemd (a unit) or conda]:SHELL:(sh fish powershell cmd docker systemd conda)' \
                  '--maxsize=[limit for the cache, at most 4GiB (default\: what programs need and a quarter more)]:SIZE: ' \
                  '--path=[folder for the cache (default\: where it is, unless that is unsuitable)]:DIR:_files -/' \
                  '--user[apply, undo\: for this user (the default)]' \
                  '--system[apply, undo\: for all users of this machine; needs root, or an administrator]' \
                  '(-n --dry-run)'{-n,--dry-run}'[apply, undo\: show what would be written, and write nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' \
                  '1:argument:(show apply undo)' ;;
          config)
              _arguments -s \
                  '--sample[print a jitwarm.conf with every key explained and commented out]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          carry)
              _arguments -s \
                  '--carry-only[do not compile again in the background; if carrying is not possible, do nothing]' \
                  '--compile[carry nothing\: compile the modules of older drivers'\'' entries again]' \
                  '--renew[compile carried entries again and replace them]' \
                  '--undo[delete carried entries that were not compiled again]' \
                  '*--gpu=[only entries for this GPU of the machine; may be repeated (default\: all GPUs)]:GPU:(all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120)' \
                  '--cache=[use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '--wait=-[if a prime uses this cache, wait until it ends, or this long (default\: exit with 7 at once)]::TIME: ' \
                  '--as-root[as root\: use root'\''s own cache]' \
                  '(-n --dry-run)'{-n,--dry-run}'[show what would be carried, and change nothing]' \
                  '--json[print JSON]' \
                  '--stats[also print times and bytes read]' \
                  '--color=[colour the output\: auto (on a terminal), always or never]:WHEN:(auto always never)' \
                  '(-q --quiet)'{-q,--quiet}'[print errors only]' \
                  '(-v --verbose)'{-v,--verbose}'[print more]' \
                  '(-h --help)'{-h,--help}'[show this help]' ;;
          prune)
              _arguments -s \
                  '--outdated[delete the entries of all other driver builds, even if they were used in the last 90 days]' \
                  '--damaged[read every byte, and delete entries with wrong checksums too]' \
                  '--older-than=[delete entries that were compiled longer ago, even if they are in use\: 90d]:AGE: ' \
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
          clear)
              _arguments -s \
                  '--cache-too[also delete the driver'\''s whole cache, with the entries of other programs]' \
                  '--cache=[with --cache-too\: use this cache (default\: the one of CUDA programs started from this shell)]:DIR:_files -/' \
                  '(-y --yes)'{-y,--yes}'[do not ask]' \
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
                  '1:argument:(prime plan verify scan doctor status report run export import compile push pull key inspect list keygen startup env config carry prune clear uninstall help completions version)' ;;
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
