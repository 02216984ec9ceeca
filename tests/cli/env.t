=== apply
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'umask 022\n' > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ cat "$HOME/.profile" "$HOME/.config/environment.d/50-jitwarm.conf"
  CUDA_CACHE_MAXSIZE=2147483648
              set by --max-size
    New       ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="2147483648"
    Added to  ~/.profile
                export CUDA_CACHE_MAXSIZE=2147483648
  Checked: a fresh login has these values.
  Programs that run now keep their old values until they start again after a new
  login.
  To undo     jitwarm env undo
  umask 022
  # >>> jitwarm env >>>
  export CUDA_CACHE_MAXSIZE=2147483648
  # <<< jitwarm env <<<
  # >>> jitwarm env >>>
  CUDA_CACHE_MAXSIZE="2147483648"
  # <<< jitwarm env <<<

=== apply-bash-profile
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ touch "$HOME/.bash_profile" "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ wc -l "$HOME/.bash_profile" "$HOME/.profile" | sed 's|/[^ ]*/home|HOME|'
    4 HOME/.bash_profile
    0 HOME/.profile
    4 total

=== apply-crlf
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'a=1\r\nb=2' > "$HOME/.profile"
$ cp "$HOME/.profile" before
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ od -c "$HOME/.profile" | head -2
$ "$JITWARM" env undo > /dev/null
$ cmp "$HOME/.profile" before
$ echo same
  0000000   a   =   1  \r  \n   b   =   2  \n   #       >   >   >       j
  0000020   i   t   w   a   r   m       e   n   v       >   >   >       (
  same

=== apply-dry-run
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --dry-run --max-size 2GiB | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ (cd "$HOME"; find . -type f)
  CUDA_CACHE_MAXSIZE=2147483648
              set by --max-size
    New       ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="2147483648"
    New       ~/.profile
                export CUDA_CACHE_MAXSIZE=2147483648
  Nothing was written (--dry-run).

=== apply-file-for-a-folder
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo > "$HOME/.config"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls -A "$HOME"
  jitwarm: HOME/.config/environment.d/50-jitwarm.conf: part of the path is not a folder
  .config

=== apply-fish
skip on windows: the files of Linux
$ export SHELL=/usr/bin/fish
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ cat "$HOME/.config/fish/conf.d/jitwarm.fish" "$HOME/.config/environment.d/50-jitwarm.conf"
$ "$JITWARM" env undo > /dev/null
$ (cd "$HOME"; find . -type f)
  # >>> jitwarm env >>>
  set -gx CUDA_CACHE_MAXSIZE 2147483648
  # <<< jitwarm env <<<
  # >>> jitwarm env >>>
  CUDA_CACHE_MAXSIZE="2147483648"
  # <<< jitwarm env <<<

=== apply-folder-in-the-way
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ mkdir "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls "$HOME"
  jitwarm: HOME/.profile: is a folder

=== apply-hard-link
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x > "$HOME/.profile"
$ ln "$HOME/.profile" "$HOME/other"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls "$HOME"
$ cat "$HOME/.profile"
  jitwarm: HOME/.profile: has another name, too (a hard link), which would keep the old text: change it by hand
  other
  x

=== apply-huge
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ head -c 1100000 /dev/zero | tr '\0' '#' > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
  jitwarm: HOME/.profile: is larger than 1 MiB: change it by hand

=== apply-json
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB --json | sed "s|\"/[^ ]*/home|\"HOME|" | python3 -c "import json,sys; a=json.load(sys.stdin); a['notes']=[]; print(json.dumps(a,indent=2))"
  {
    "schema": "jitwarm.env/1",
    "action": "apply",
    "system": false,
    "dry_run": false,
    "nothing": false,
    "settings": [
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "value": "2147483648",
        "why": "set by --max-size"
      }
    ],
    "steps": [
      {
        "kind": "file",
        "path": "HOME/.config/environment.d/50-jitwarm.conf",
        "change": "created",
        "text": "CUDA_CACHE_MAXSIZE=\"2147483648\"\n",
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.profile",
        "change": "added",
        "text": "export CUDA_CACHE_MAXSIZE=2147483648\n",
        "why": null
      }
    ],
    "notes": []
  }

=== apply-linked-dotfile
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ mkdir "$HOME/dotfiles"
$ echo x=1 > "$HOME/dotfiles/profile"
$ chmod 600 "$HOME/dotfiles/profile"
$ ln -s dotfiles/profile "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ readlink "$HOME/.profile"
$ cat "$HOME/dotfiles/profile"
$ stat -c %a "$HOME/dotfiles/profile"
$ "$JITWARM" env undo > /dev/null
$ readlink "$HOME/.profile"
$ cat "$HOME/dotfiles/profile"
  dotfiles/profile
  x=1
  600
  dotfiles/profile
  x=1
!* jitwarm: */home/.profile: is a link, and jitwarm changes no file behind a link: put the lines there yourself

=== apply-no-home
skip on windows: the files of Linux
$ env -u HOME SHELL=/bin/bash "$JITWARM" env apply --dry-run --max-size 2GiB > /dev/null
$ echo "the home of the user database"
  the home of the user database

=== apply-nul
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'a\0b' > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
  jitwarm: HOME/.profile: is not a text (there is a NUL at 1)

=== apply-open-home
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ chmod 777 "$HOME"
$ echo x > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|g'
  jitwarm: HOME/.config/environment.d/50-jitwarm.conf: its folder HOME may be changed by everybody, who could replace it: run chmod go-w on it

=== apply-other-shell
skip on windows: the files of Linux
$ export SHELL=/opt/nu
$ "$JITWARM" env apply --max-size 2GiB --dry-run | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
  CUDA_CACHE_MAXSIZE=2147483648
              set by --max-size
    New       ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="2147483648"
    New       ~/.profile
                export CUDA_CACHE_MAXSIZE=2147483648
  Note        jitwarm does not know the login shell /opt/nu: make it read
              ~/.profile
  Nothing was written (--dry-run).

=== apply-other-size
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x=1 > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ "$JITWARM" env apply --max-size 1GiB | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ cat "$HOME/.profile"
$ "$JITWARM" env undo | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ cat "$HOME/.profile"
  CUDA_CACHE_MAXSIZE=1073741824
              set by --max-size
    Changed   ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="1073741824"
    Changed   ~/.profile
                export CUDA_CACHE_MAXSIZE=1073741824
  Checked: a fresh login has these values.
  Programs that run now keep their old values until they start again after a new
  login.
  To undo     jitwarm env undo
  x=1
  # >>> jitwarm env >>>
  export CUDA_CACHE_MAXSIZE=1073741824
  # <<< jitwarm env <<<
    Restored  ~/.profile
    Removed   ~/.config/environment.d/50-jitwarm.conf
  Programs that run now keep their old values until they start again after a new
  login.
  x=1

=== apply-path
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --max-size 2GiB --path "$PWD/it's a/cache" | sed -e '/^$/d' -e '/programs of a container/,/docker)/d' | sed "s|$PWD|PWD|"
$ stat -c %a "it's a/cache"
$ sh -c '. "$HOME/.profile"; cd "$CUDA_CACHE_PATH" && echo there'
$ "$JITWARM" env undo > /dev/null
$ ls
  CUDA_CACHE_MAXSIZE=2147483648
              set by --max-size
  CUDA_CACHE_PATH=PWD/it's a/cache
              set by --path
    New       ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="2147483648"
                CUDA_CACHE_PATH="PWD/it's a/cache"
    New       ~/.profile
                export CUDA_CACHE_MAXSIZE=2147483648
                export CUDA_CACHE_PATH='PWD/it'\''s a/cache'
    New       PWD/it's a/cache/
  Checked: a fresh login has these values.
  Programs that run now keep their old values until they start again after a new
  login.
  To undo     jitwarm env undo
  700
  there
  it's a

=== apply-path-is-a-file
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo > file
$ "$JITWARM" env apply --path "$PWD/file" 2>&1 | sed "s|$PWD|PWD|g"
$ (cd "$HOME"; find . -type f)
  jitwarm: PWD/file: is not a folder

=== apply-path-of-everybody
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ mkdir open
$ chmod 777 open
$ "$JITWARM" env apply --path "$PWD/open" 2>&1 | sed "s|$PWD|PWD|g"
$ (cd "$HOME"; find . -type f)
  jitwarm: PWD/open: everybody may write to it, and so have other code run in your programs: run chmod 700 on it

=== apply-switched-off
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo 'export CUDA_CACHE_DISABLE=1' > "$HOME/.profile"
$ CUDA_CACHE_DISABLE=1 "$JITWARM" env apply --max-size 2GiB | sed -e '/^$/d' -e '/programs of a container/,/docker)/d' | sed 's|/[^ ]*/home|HOME|g'
  CUDA_CACHE_MAXSIZE=2147483648
              set by --max-size
  CUDA_CACHE_DISABLE=0
              with 1 the driver caches nothing, and compiles at every start
    New       ~/.config/environment.d/50-jitwarm.conf
                CUDA_CACHE_MAXSIZE="2147483648"
                CUDA_CACHE_DISABLE="0"
    Added to  ~/.profile
                export CUDA_CACHE_MAXSIZE=2147483648
                export CUDA_CACHE_DISABLE=0
  Checked: a fresh login has these values.
  Programs that run now keep their old values until they start again after a new
  login.
  To undo     jitwarm env undo

=== apply-twice
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ cp -a "$HOME" before
$ "$JITWARM" env apply | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ diff -r "$HOME" before
$ echo same
  CUDA_CACHE_MAXSIZE=2147483648
              written by an earlier env apply
  Already written:
    Unchanged ~/.config/environment.d/50-jitwarm.conf
    Unchanged ~/.profile
  Checked: a fresh login has these values.
  To undo     jitwarm env undo
  same

=== apply-zsh
skip on windows: the files of Linux
$ export SHELL=/usr/bin/zsh
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ cat "$HOME/.zshenv"
$ "$JITWARM" env undo > /dev/null
$ (cd "$HOME"; find . -type f)
  # >>> jitwarm env >>>
  export CUDA_CACHE_MAXSIZE=2147483648
  # <<< jitwarm env <<<

=== relative
$ "$JITWARM" env --path cache
!  jitwarm env: --path: cache is not an absolute path (jitwarm help env)
exit 2

=== shell-docker
skip on windows: a container's user has numbers
$ "$JITWARM" env --shell docker --max-size 2GiB | sed "s/[0-9][0-9]*:[0-9][0-9]*/UID:GID/g"
$ "$JITWARM" env --shell docker --path /a:b
  # Compiled GPU code stays in a volume. Put this above USER and CMD; the image has jitwarm.
  ENV CUDA_CACHE_PATH="/var/cache/jitwarm/cuda"
  ENV CUDA_CACHE_MAXSIZE="2147483648"
  ENV JITWARM_STATE="/var/cache/jitwarm/jitwarm"
  # A fresh named volume takes the owner of this folder. Put the image's USER here if it is not UID:GID.
  # Without it the volume belongs to root, and nothing that is compiled can be kept.
  RUN mkdir -p /var/cache/jitwarm/cuda && chown -R UID:GID /var/cache/jitwarm && chmod 700 /var/cache/jitwarm
  ENTRYPOINT ["jitwarm", "run", "--"]
  # Start it:
  #   docker run --gpus all -v jit-cache:/var/cache/jitwarm IMAGE
  # First start: the driver compiles while the program starts, and the volume keeps it.
  # To compile before, once, on all processors:
  #   docker run --gpus all -v jit-cache:/var/cache/jitwarm --entrypoint jitwarm IMAGE prime /app
  # Second start: nothing is compiled. After a driver update, jitwarm run first compiles again
  # what was primed, and then starts the program.
!  jitwarm env: --path: /a:b has a colon in it, which a volume cannot have (jitwarm help env)
exit 2

=== shell-fish
$ "$JITWARM" env --shell fish --max-size 2GiB --path "/data/it's 50%; \$x"
  set -gx CUDA_CACHE_MAXSIZE 2147483648
  set -gx CUDA_CACHE_PATH '/data/it\'s 50%; $x'

=== shell-nothing-to-set
$ export CUDA_CACHE_MAXSIZE=4294967296
$ why() { sed "s/^# The settings of the driver's cache are good/# WHY/;s/^# A setting of the driver's cache needs your decision/# WHY/"; }
$ for form in sh fish powershell slurm; do "$JITWARM" env --shell $form | why; done
$ eval "$("$JITWARM" env --shell sh)"; echo "$?"
  # WHY (jitwarm env shows more).
  # WHY (jitwarm env shows more).
  # WHY (jitwarm env shows more).
  # WHY (jitwarm env shows more).
  0

=== shell-off
$ CUDA_CACHE_DISABLE=1 "$JITWARM" env --shell sh --max-size 1GiB
  export CUDA_CACHE_MAXSIZE=1073741824
  export CUDA_CACHE_DISABLE=0

=== shell-powershell
$ "$JITWARM" env --shell powershell --max-size 2GiB --path "/data/it's 50%; \$x"
  $env:CUDA_CACHE_MAXSIZE = '2147483648'
  $env:CUDA_CACHE_PATH = '/data/it''s 50%; $x'

=== shell-slurm
$ "$JITWARM" env --shell slurm --max-size 2GiB --path "/data/it's 50%; \$x"
  export CUDA_CACHE_MAXSIZE=2147483648
  export CUDA_CACHE_PATH=/data/it's 50%; $x

=== shell-sh
$ "$JITWARM" env --shell sh --max-size 2GiB --path "/data/it's 50%; \$x"
  export CUDA_CACHE_MAXSIZE=2147483648
  export CUDA_CACHE_PATH='/data/it'\''s 50%; $x'

=== shell-sh-eval
$ eval "$("$JITWARM" env --shell sh --max-size 1GiB --path "/a b/c'd")"; printf "%s|%s\n" "$CUDA_CACHE_MAXSIZE" "$CUDA_CACHE_PATH"
  1073741824|/a b/c'd

=== show
skip on windows: the shells' files of Linux
on the disk: a cache in memory is another answer
$ export SHELL=/bin/bash
$ echo "export CUDA_CACHE_MAXSIZE=2147483648" > "$HOME/.profile"
$ CUDA_CACHE_MAXSIZE=4G "$JITWARM" env | sed "/^CUDA_CACHE_PATH/,/^$/d"
  The settings of the driver's cache are good.

  CUDA_CACHE_MAXSIZE
    In force    2147483648 (2 GiB), by the login shell /bin/bash
    This shell  4G
    Advised     no change
    Why         it is large enough for most programs

  CUDA_CACHE_DISABLE
    In force    not set
    Advised     no change
    Why         the driver caches what it compiles
*

=== show-bad
skip on windows: the shells' files of Linux
$ export SHELL=/bin/bash
$ printf "export CUDA_CACHE_MAXSIZE=4G\nexport CUDA_CACHE_DISABLE=1\nexport CUDA_CACHE_PATH=cache\n" > "$HOME/.profile"
$ "$JITWARM" env
  2 of 3 settings of the driver's cache should change.

  CUDA_CACHE_MAXSIZE
    In force    4G, by the login shell /bin/bash
    This shell  not set
    Advised     4294967296 (4 GiB)
    Why         jitwarm has not measured yet what your programs need (run jitwarm
                prime --dry-run); this is only a limit, and takes no space until
                it is used

  CUDA_CACHE_PATH
    In force    cache, by the login shell /bin/bash
    This shell  not set
    Advised     your decision
    Why         it is not an absolute path: programs started in different folders
                use different caches. Name a folder of yours on a local disk with
                --path

  CUDA_CACHE_DISABLE
    In force    1, by the login shell /bin/bash
    This shell  not set
    Advised     0
    Why         with 1 the driver caches nothing, and compiles at every start

  Note          CUDA_CACHE_PATH=cache is not an absolute path: programs started in
                different folders use different caches
  Note          CUDA_CACHE_MAXSIZE=4G: the driver reads only the first digits (4
                bytes), and stores nothing more. Use digits only; jitwarm env
                recommends a value
  This shell    eval "$(jitwarm env --shell sh)"
  For good      jitwarm env apply

=== show-json
skip on windows: the shells' files of Linux
on the disk: a cache in memory is another answer
$ export SHELL=/bin/bash
$ echo "export CUDA_CACHE_MAXSIZE=4G" > "$HOME/.profile"
$ CUDA_CACHE_PATH=/nowhere "$JITWARM" env --json | sed "s/\"need_bytes\".*/\"need_bytes\": null,/"
  {
    "schema": "jitwarm.env/1",
    "action": "show",
*   "cache": "*/home/.nv/ComputeCache",
    "need_bytes": null,
    "variables": [
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "what": "maximum size of the cache in bytes; a larger module is compiled at every start",
        "value": "4G",
        "from": "the login shell /bin/bash",
        "here": null,
        "advised": "4294967296",
        "why": "jitwarm has not measured yet what your programs need (run jitwarm prime --dry-run); this is only a limit, and takes no space until it is used",
        "wrong": true
      },
      {
        "name": "CUDA_CACHE_PATH",
        "what": "folder of the driver's cache",
        "value": null,
        "from": null,
        "here": "/nowhere",
        "advised": null,
*       "why": "the default is fine if a volume is mounted at */home/.nv/ComputeCache; else the cache is lost with the container",
        "wrong": false
      },
      {
        "name": "CUDA_CACHE_DISABLE",
        "what": "1: the driver caches nothing, and compiles at every start",
        "value": null,
        "from": null,
        "here": null,
        "advised": null,
        "why": "the driver caches what it compiles",
        "wrong": false
      }
    ],
    "notes": [
      "CUDA_CACHE_MAXSIZE=4G: the driver reads only the first digits (4 bytes), and stores nothing more. Use digits only; jitwarm env recommends a value"
    ]
  }

=== too-large
$ "$JITWARM" env --max-size 5GiB
!  jitwarm env: --max-size: 5368709120 is too large; drivers accept at most 4294967296 (jitwarm help env)
exit 2

=== undo
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'no end of line' > "$HOME/.profile"
$ chmod 604 "$HOME/.profile"
$ cp -a "$HOME" before
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ "$JITWARM" env undo | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ diff -r "$HOME" before
$ stat -c %a "$HOME/.profile"
    Restored  ~/.profile
    Removed   ~/.config/environment.d/50-jitwarm.conf
  Programs that run now keep their old values until they start again after a new
  login.
  604

=== undo-after-edit
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'first' > "$HOME/.profile"
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ echo last >> "$HOME/.profile"
$ echo A=1 >> "$HOME/.config/environment.d/50-jitwarm.conf"
$ "$JITWARM" env undo | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ cat "$HOME/.profile" "$HOME/.config/environment.d/50-jitwarm.conf"
    Restored  ~/.profile
    Restored  ~/.config/environment.d/50-jitwarm.conf
  Programs that run now keep their old values until they start again after a new
  login.
  first
  last
  A=1

=== undo-dry-run
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --max-size 2GiB > /dev/null
$ cp -a "$HOME" before
$ "$JITWARM" env undo --dry-run | sed -e '/^$/d' -e '/programs of a container/,/docker)/d'
$ diff -r "$HOME" before
$ echo same
    Removed   ~/.profile
    Removed   ~/.config/environment.d/50-jitwarm.conf
  Nothing was written (--dry-run).
  same

=== undo-nothing
skip on windows: the files of Linux
$ "$JITWARM" env undo
  Nothing to undo: jitwarm env apply has not written anything for this user.

=== unknown-action
$ "$JITWARM" env aply
!  jitwarm env: "aply" is not an action: use apply or undo (jitwarm help env)
exit 2

=== unknown-shell
$ "$JITWARM" env --shell csh
!  jitwarm env: --shell takes sh, fish, powershell, docker or slurm, not 'csh' (jitwarm help env)
exit 2

=== usage
skip on windows: the files of Linux
$ for o in "apply --shell sh" "--system" "undo --max-size 1G" "apply --system --path /x"; do "$JITWARM" env $o; echo "$?"; done 2>&1
  jitwarm env: --shell cannot be combined with apply or undo (jitwarm help env)
  2
  jitwarm env: --system and --dry-run need apply or undo (jitwarm help env)
  2
  jitwarm env: --max-size and --path cannot be combined with undo (jitwarm help env)
  2
  jitwarm env: --path cannot be combined with --system: in a shared cache users could replace each other's GPU code. Each user runs jitwarm env apply --path DIR (jitwarm help env)
  2
