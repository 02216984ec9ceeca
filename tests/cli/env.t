=== apply
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'umask 022\n' > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ cat "$HOME/.profile" "$HOME/.config/environment.d/50-jitwarm.conf" "$HOME/.config/jitwarm/env.sh"
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
    new       ~/.config/jitwarm/
    new       ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=2147483648
    added to  ~/.profile
                [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  Checked: a new login has these values.
  to undo     jitwarm env undo
  umask 022
  [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  # Written by jitwarm env apply; jitwarm env undo removes it.
  CUDA_CACHE_MAXSIZE="2147483648"
  # Written by jitwarm env apply; jitwarm env undo removes it.
  export CUDA_CACHE_MAXSIZE=2147483648

=== apply-bash-profile
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ touch "$HOME/.bash_profile" "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ wc -l "$HOME/.bash_profile" "$HOME/.profile" | sed 's|/[^ ]*/home|HOME|'
    2 HOME/.bash_profile
    0 HOME/.profile
    2 total

=== apply-crlf
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'a=1\r\nb=2' > "$HOME/.profile"
$ cp "$HOME/.profile" before
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ od -c "$HOME/.profile" | head -2
$ "$JITWARM" env undo > /dev/null
$ cmp "$HOME/.profile" before
$ echo same
  0000000   a   =   1  \r  \n   b   =   2  \n   [       !       -   r    
  0000020   "   $   H   O   M   E   /   .   c   o   n   f   i   g   /   j
  same

=== apply-csh
skip on windows: the files of Linux
$ export SHELL=/bin/tcsh
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ cat "$HOME/.login" "$HOME/.config/jitwarm/env.csh"
$ "$JITWARM" env undo > /dev/null
$ (cd "$HOME"; find . -type f)
  if ( -r "$HOME/.config/jitwarm/env.csh" ) source "$HOME/.config/jitwarm/env.csh" # jitwarm env
  # Written by jitwarm env apply; jitwarm env undo removes it.
  setenv CUDA_CACHE_MAXSIZE 2147483648

=== apply-dry-run
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --dry-run --maxsize 2GiB | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ (cd "$HOME"; find . -type f)
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
    new       ~/.config/jitwarm/
    new       ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=2147483648
    new       ~/.profile
                [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  Nothing was written (--dry-run).

=== apply-file-for-a-folder
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo > "$HOME/.config"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls -A "$HOME"
  jitwarm: HOME/.config/environment.d/50-jitwarm.conf: part of the path is not a folder
  .config

=== apply-fish
skip on windows: the files of Linux
$ export SHELL=/usr/bin/fish
$ "$JITWARM" env apply --maxsize 2GiB | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ "$JITWARM" env undo > /dev/null
$ (cd "$HOME"; find . -type f)
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
    new       ~/.config/fish/
    new       ~/.config/fish/conf.d/
    new       ~/.config/fish/conf.d/jitwarm.fish
                # Written by jitwarm env apply; jitwarm env undo removes it.
                set -gx CUDA_CACHE_MAXSIZE 2147483648
  to undo     jitwarm env undo

=== apply-folder-in-the-way
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ mkdir "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls "$HOME"
  jitwarm: HOME/.profile: is a folder

=== apply-hard-link
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x > "$HOME/.profile"
$ ln "$HOME/.profile" "$HOME/other"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ ls "$HOME"
$ cat "$HOME/.profile"
  jitwarm: HOME/.profile: has another name, too (a hard link), which would keep the old text: change it by hand
  other
  x

=== apply-huge
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ head -c 1100000 /dev/zero | tr '\0' '#' > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
  jitwarm: HOME/.profile: is larger than 1 MiB, and is left alone

=== apply-json
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB --json | sed "s|\"/[^ ]*/home|\"HOME|" | python3 -c "import json,sys; a=json.load(sys.stdin); a['running']=[]; a['notes']=[]; print(json.dumps(a,indent=2))"
  {
    "schema": "jitwarm.env/1",
    "action": "apply",
    "scope": "user",
    "dry_run": false,
    "nothing": false,
    "settings": [
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "value": "2147483648",
        "why": "set by --maxsize"
      }
    ],
    "steps": [
      {
        "kind": "folder",
        "path": "HOME/.config",
        "done": "made",
        "text": null,
        "why": null
      },
      {
        "kind": "folder",
        "path": "HOME/.config/environment.d",
        "done": "made",
        "text": null,
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.config/environment.d/50-jitwarm.conf",
        "done": "made",
        "text": "# Written by jitwarm env apply; jitwarm env undo removes it.\nCUDA_CACHE_MAXSIZE=\"2147483648\"\n",
        "why": null
      },
      {
        "kind": "folder",
        "path": "HOME/.config/jitwarm",
        "done": "made",
        "text": null,
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.config/jitwarm/env.sh",
        "done": "made",
        "text": "# Written by jitwarm env apply; jitwarm env undo removes it.\nexport CUDA_CACHE_MAXSIZE=2147483648\n",
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.profile",
        "done": "added",
        "text": "[ ! -r \"$HOME/.config/jitwarm/env.sh\" ] || . \"$HOME/.config/jitwarm/env.sh\" # jitwarm env\n",
        "why": null
      }
    ],
    "checked_in_new_login": true,
    "running": [],
    "notes": []
  }

=== apply-link-to-nothing
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ ln -s nowhere "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
$ (cd "$HOME"; find . -type f)
  jitwarm: HOME/.profile: is a link to nothing

=== apply-linked-dotfile
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ mkdir "$HOME/dotfiles"
$ echo x=1 > "$HOME/dotfiles/profile"
$ chmod 600 "$HOME/dotfiles/profile"
$ ln -s dotfiles/profile "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ readlink "$HOME/.profile"
$ cat "$HOME/dotfiles/profile"
$ stat -c %a "$HOME/dotfiles/profile"
$ "$JITWARM" env undo > /dev/null
$ readlink "$HOME/.profile"
$ cat "$HOME/dotfiles/profile"
  dotfiles/profile
  x=1
  [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  600
  dotfiles/profile
  x=1

=== apply-no-home
skip on windows: the files of Linux
$ env -u HOME SHELL=/bin/bash "$JITWARM" env apply --dry-run --maxsize 2GiB > /dev/null
$ echo "the home of the user database"
  the home of the user database

=== apply-nul
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'a\0b' > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|'
  jitwarm: HOME/.profile: is not a text (there is a NUL at 1), and is left alone

=== apply-open-home
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ chmod 777 "$HOME"
$ echo x > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB 2>&1 | sed 's|/[^ ]*/home|HOME|g'
  jitwarm: HOME/.profile: everybody may write to its folder, so that it may be another's next time: chmod o-w HOME

=== apply-other-shell
skip on windows: the files of Linux
$ export SHELL=/opt/nu
$ "$JITWARM" env apply --maxsize 2GiB --dry-run | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
    new       ~/.config/jitwarm/
    new       ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=2147483648
    new       ~/.profile
                [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  note        jitwarm does not know the login shell /opt/nu: make it read
              ~/.profile, or ~/.config/jitwarm/env.sh
  Nothing was written (--dry-run).

=== apply-other-size
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x=1 > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ "$JITWARM" env apply --maxsize 1GiB | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ cat "$HOME/.profile" "$HOME/.config/jitwarm/env.sh"
$ "$JITWARM" env undo | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ cat "$HOME/.profile"
  CUDA_CACHE_MAXSIZE=1073741824
              set by --maxsize
    changed   ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="1073741824"
    changed   ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=1073741824
    unchanged ~/.profile
  Checked: a new login has these values.
  to undo     jitwarm env undo
  x=1
  [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  # Written by jitwarm env apply; jitwarm env undo removes it.
  export CUDA_CACHE_MAXSIZE=1073741824
    restored  ~/.profile
    removed   ~/.config/jitwarm/env.sh
    removed   ~/.config/environment.d/50-jitwarm.conf
  x=1

=== apply-path
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --maxsize 2GiB --path "$PWD/it's a/cache" | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d' | sed "s|$PWD|PWD|"
$ stat -c %a "it's a/cache"
$ sh -c '. "$HOME/.profile"; cd "$CUDA_CACHE_PATH" && echo there'
$ "$JITWARM" env undo > /dev/null
$ ls
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
  CUDA_CACHE_PATH=PWD/it's a/cache
              set by --path
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
                CUDA_CACHE_PATH="PWD/it's a/cache"
    new       ~/.config/jitwarm/
    new       ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=2147483648
                export CUDA_CACHE_PATH='PWD/it'\''s a/cache'
    new       ~/.profile
                [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
    new       PWD/it's a/
    new       PWD/it's a/cache/
  Checked: a new login has these values.
  to undo     jitwarm env undo
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
  jitwarm: PWD/open: everybody may write to it, and so have other code run in your programs: chmod 700 PWD/open

=== apply-switched-off
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo 'export CUDA_CACHE_DISABLE=1' > "$HOME/.bashrc"
$ CUDA_CACHE_DISABLE=1 "$JITWARM" env apply --maxsize 2GiB | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d' | sed 's|/[^ ]*/home|HOME|g'
  CUDA_CACHE_MAXSIZE=2147483648
              set by --maxsize
  CUDA_CACHE_DISABLE=0
              with 1 the driver caches nothing, and compiles at every start
    new       ~/.config/
    new       ~/.config/environment.d/
    new       ~/.config/environment.d/50-jitwarm.conf
                # Written by jitwarm env apply; jitwarm env undo removes it.
                CUDA_CACHE_MAXSIZE="2147483648"
                CUDA_CACHE_DISABLE="0"
    new       ~/.config/jitwarm/
    new       ~/.config/jitwarm/env.sh
                # Written by jitwarm env apply; jitwarm env undo removes it.
                export CUDA_CACHE_MAXSIZE=2147483648
                export CUDA_CACHE_DISABLE=0
    new       ~/.profile
                [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env
  note        HOME/.bashrc:1 sets CUDA_CACHE_DISABLE=1,
              which may override the new value: remove that line
  Checked: a new login has these values.
  to undo     jitwarm env undo

=== apply-twice
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ cp -a "$HOME" before
$ "$JITWARM" env apply | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ diff -r "$HOME" before
$ echo same
  CUDA_CACHE_MAXSIZE=2147483648
              written by an earlier env apply
  Already written:
    unchanged ~/.config/environment.d/50-jitwarm.conf
    unchanged ~/.config/jitwarm/env.sh
    unchanged ~/.profile
  Checked: a new login has these values.
  to undo     jitwarm env undo
  same

=== apply-zsh
skip on windows: the files of Linux
$ export SHELL=/usr/bin/zsh
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ cat "$HOME/.zshenv"
$ "$JITWARM" env undo > /dev/null
$ (cd "$HOME"; find . -type f)
  [ ! -r "$HOME/.config/jitwarm/env.sh" ] || . "$HOME/.config/jitwarm/env.sh" # jitwarm env

=== hostile-files
skip on windows: the shells' files of Linux
$ printf "CUDA_CACHE_MAXSIZE=1\0" > "$HOME/.profile"
$ printf "export CUDA_CACHE_PATH=\"/x\r\n" > "$HOME/.bashrc"
$ head -c 2000000 /dev/zero | tr "\0" "#" > "$HOME/.zshrc"
$ mkdir "$HOME/.zshenv"
$ "$JITWARM" env | grep "^note"
* note  *.profile*
* note  *.zshenv: is a folder
* note  *.zshrc: is larger than*

=== relative
$ "$JITWARM" env --path cache
!  jitwarm env: --path: cache is not an absolute path (jitwarm help env)
exit 2

=== shell-cmd
$ "$JITWARM" env --shell cmd --maxsize 2GiB --path "/data/it's 50%; \$x"
  set "CUDA_CACHE_MAXSIZE=2147483648"
  set "CUDA_CACHE_PATH=/data/it's 50%%; $x"

=== shell-cmd-quote
$ "$JITWARM" env --shell cmd --path "/a\"b"
!  jitwarm env: CUDA_CACHE_PATH: cmd cannot hold a value with a double quote in it (jitwarm help env)
exit 2

=== shell-conda
$ "$JITWARM" env --shell conda --maxsize 2GiB --path "/data/50;1 x"
  conda env config vars set CUDA_CACHE_MAXSIZE=2147483648
  conda env config vars set "CUDA_CACHE_PATH=/data/50;1 x"

=== shell-conda-quote
$ "$JITWARM" env --shell conda --path "/data/it's"
!  jitwarm env: CUDA_CACHE_PATH: conda cannot hold a value with a single quote in it (jitwarm help env)
exit 2

=== shell-docker
$ "$JITWARM" env --shell docker --maxsize 2GiB --path "/data/it's 50%; \$x"
  ENV CUDA_CACHE_MAXSIZE="2147483648"
  ENV CUDA_CACHE_PATH="/data/it's 50%; \$x"

=== shell-fish
$ "$JITWARM" env --shell fish --maxsize 2GiB --path "/data/it's 50%; \$x"
  set -gx CUDA_CACHE_MAXSIZE 2147483648
  set -gx CUDA_CACHE_PATH '/data/it\'s 50%; $x'

=== shell-off
$ CUDA_CACHE_DISABLE=1 "$JITWARM" env show --shell sh --maxsize 1GiB
  export CUDA_CACHE_MAXSIZE=1073741824
  export CUDA_CACHE_DISABLE=0

=== shell-powershell
$ "$JITWARM" env --shell powershell --maxsize 2GiB --path "/data/it's 50%; \$x"
  $env:CUDA_CACHE_MAXSIZE = '2147483648'
  $env:CUDA_CACHE_PATH = '/data/it''s 50%; $x'

=== shell-sh
$ "$JITWARM" env --shell sh --maxsize 2GiB --path "/data/it's 50%; \$x"
  export CUDA_CACHE_MAXSIZE=2147483648
  export CUDA_CACHE_PATH='/data/it'\''s 50%; $x'

=== shell-sh-eval
$ eval "$("$JITWARM" env --shell sh --maxsize 1GiB --path "/a b/c'd")"; printf "%s|%s\n" "$CUDA_CACHE_MAXSIZE" "$CUDA_CACHE_PATH"
  1073741824|/a b/c'd

=== shell-systemd
$ "$JITWARM" env --shell systemd --maxsize 2GiB --path "/data/it's 50%; \$x"
  [Service]
  Environment="CUDA_CACHE_MAXSIZE=2147483648"
  Environment="CUDA_CACHE_PATH=/data/it's 50%%; $x"

=== show
skip on windows: the shells' files of Linux
$ printf "export CUDA_CACHE_MAXSIZE=4G\nunset CUDA_CACHE_DISABLE\n" > "$HOME/.profile"
$ CUDA_CACHE_PATH=/nowhere/cache CUDA_CACHE_MAXSIZE=4G CUDA_FORCE_PTX_JIT=1 "$JITWARM" env --maxsize 2GiB >out; sed -e "/new logins/d" -e "/now *.nowhere/,/^\$/{/^  \(recommended\|why\|  \)/d}" out
  CUDA_CACHE_MAXSIZE
    what        maximum size of the cache in bytes; a larger module is compiled at
                every start
    now         4G
    from        ~/.profile:1
    set in      ~/.profile:1 sets 4G
    recommended 2147483648 (2 GiB)
    why         set by --maxsize

  CUDA_CACHE_PATH
    what        folder of the driver's cache
    now         /nowhere/cache
    from        this process: the program that started it set the variable

  CUDA_CACHE_DISABLE
    what        1: the driver caches nothing, and compiles at every start
    now         not set here
    set in      ~/.profile:2 unsets it
    recommended no change
    why         the driver caches what it compiles

  CUDA_FORCE_PTX_JIT
    what        1: the driver ignores machine code and compiles all PTX
    now         1
    from        this process: the program that started it set the variable
    recommended unset it where it is set, unless you are testing

  note          CUDA_CACHE_MAXSIZE=4G: the driver reads only the first digits (4
                bytes), and caches nothing. Use digits only; jitwarm env
                recommends a value
  this shell    eval "$(jitwarm env --shell sh)"
  permanently   jitwarm env apply
                (--dry-run only shows it; jitwarm env undo restores everything)

=== show-json
skip on windows: the shells' files of Linux
$ printf "export CUDA_CACHE_MAXSIZE=4G\n" > "$HOME/.profile"
$ CUDA_CACHE_MAXSIZE=4G "$JITWARM" env show --json | sed "s/\"need_bytes\".*/\"need_bytes\": null,/"
  {
    "schema": "jitwarm.env/1",
    "action": "show",
*   "cache": "*/home/.nv/ComputeCache",
    "need_bytes": null,
*   "login_known": *
*   "login_why": *
    "variables": [
      {
        "name": "CUDA_CACHE_MAXSIZE",
        "what": "maximum size of the cache in bytes; a larger module is compiled at every start",
        "meant": null,
        "value": "4G",
*       "from": "*/home/.profile:1",
*       "login_value": *
*       "login_from": *
        "sources": [
          {
*           "origin": "*/home/.profile",
            "line": 1,
            "value": "4G",
            "exact": true,
            "by_jitwarm": false
          }
        ],
        "recommended": "1073741824",
*       "why": "*
        "wrong": true
      },
      {
        "name": "CUDA_CACHE_PATH",
        "what": "folder of the driver's cache",
        "meant": null,
        "value": null,
        "from": null,
*       "login_value": *
*       "login_from": *
        "sources": [],
        "recommended": null,
*       "why": "*
        "wrong": false
      },
      {
        "name": "CUDA_CACHE_DISABLE",
        "what": "1: the driver caches nothing, and compiles at every start",
        "meant": null,
        "value": null,
        "from": null,
*       "login_value": *
*       "login_from": *
        "sources": [],
        "recommended": null,
*       "why": "*
        "wrong": false
      }
    ],
    "notes": [
      "CUDA_CACHE_MAXSIZE=4G: the driver reads only the first digits (4 bytes), and caches nothing. Use digits only; jitwarm env recommends a value"
    ]
  }

=== too-large
$ "$JITWARM" env --maxsize 5GiB
!  jitwarm env: --maxsize: 5368709120 is too large; drivers accept at most 4294967296 (jitwarm help env)
exit 2

=== undo
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'no end of line' > "$HOME/.profile"
$ chmod 604 "$HOME/.profile"
$ cp -a "$HOME" before
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ "$JITWARM" env undo | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ diff -r "$HOME" before
$ stat -c %a "$HOME/.profile"
    restored  ~/.profile
    removed   ~/.config/jitwarm/env.sh
    removed   ~/.config/environment.d/50-jitwarm.conf
  604

=== undo-after-edit
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ printf 'first' > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ echo last >> "$HOME/.profile"
$ echo A=1 >> "$HOME/.config/jitwarm/env.sh"
$ "$JITWARM" env undo | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ cat "$HOME/.profile" "$HOME/.config/jitwarm/env.sh"
    restored  ~/.profile
    restored  ~/.config/jitwarm/env.sh
    removed   ~/.config/environment.d/50-jitwarm.conf
  first
  last
  A=1

=== undo-changed-by-hand
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ sed -i s/2147483648/1/ "$HOME/.config/jitwarm/env.sh"
$ "$JITWARM" env undo | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ ls -A "$HOME"
    removed   ~/.profile
    removed   ~/.config/jitwarm/env.sh
    removed   ~/.config/environment.d/50-jitwarm.conf

=== undo-dry-run
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ cp -a "$HOME" before
$ "$JITWARM" env undo --dry-run | sed -e '/^These programs are running/,/^$/d' -e '/^$/d' -e '/in a container, set/,/prints the lines/d'
$ diff -r "$HOME" before
$ echo same
    removed   ~/.profile
    removed   ~/.config/jitwarm/env.sh
    removed   ~/.config/environment.d/50-jitwarm.conf
  same

=== undo-json
skip on windows: the files of Linux
$ export SHELL=/bin/bash
$ echo x > "$HOME/.profile"
$ "$JITWARM" env apply --maxsize 2GiB > /dev/null
$ "$JITWARM" env undo --json | sed "s|\"/[^ ]*/home|\"HOME|" | python3 -c "import json,sys; a=json.load(sys.stdin); a['running']=[]; a['notes']=[]; print(json.dumps(a,indent=2))"
  {
    "schema": "jitwarm.env/1",
    "action": "undo",
    "scope": "user",
    "dry_run": false,
    "nothing": false,
    "settings": [],
    "steps": [
      {
        "kind": "file",
        "path": "HOME/.profile",
        "done": "taken",
        "text": "[ ! -r \"$HOME/.config/jitwarm/env.sh\" ] || . \"$HOME/.config/jitwarm/env.sh\" # jitwarm env\n",
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.config/jitwarm/env.sh",
        "done": "removed",
        "text": "# Written by jitwarm env apply; jitwarm env undo removes it.\nexport CUDA_CACHE_MAXSIZE=2147483648\n",
        "why": null
      },
      {
        "kind": "file",
        "path": "HOME/.config/environment.d/50-jitwarm.conf",
        "done": "removed",
        "text": "# Written by jitwarm env apply; jitwarm env undo removes it.\nCUDA_CACHE_MAXSIZE=\"2147483648\"\n",
        "why": null
      }
    ],
    "checked_in_new_login": false,
    "running": [],
    "notes": []
  }

=== undo-nothing
skip on windows: the files of Linux
$ "$JITWARM" env undo
  Nothing to undo: jitwarm env apply has not written anything for this user.

=== unknown-action
$ "$JITWARM" env aply
!  jitwarm env: "aply" is not an action: use show, apply or undo (jitwarm help env)
exit 2

=== unknown-shell
$ "$JITWARM" env --shell csh
!  jitwarm env: --shell takes sh, fish, powershell, cmd, docker, systemd or conda, not 'csh' (jitwarm help env)
exit 2

=== usage
skip on windows: the files of Linux
$ for o in "apply --shell sh" "show --system" "undo --maxsize 1G" "apply --user --system" "apply --system --path /x"; do "$JITWARM" env $o; echo "$?"; done 2>&1
  jitwarm env: --shell cannot be combined with apply or undo (jitwarm help env)
  2
  jitwarm env: --user, --system and --dry-run need apply or undo (jitwarm help env)
  2
  jitwarm env: --maxsize and --path cannot be combined with undo (jitwarm help env)
  2
  jitwarm env: --user and --system cannot be combined (jitwarm help env)
  2
  jitwarm env: --path cannot be combined with --system: in a shared cache users could replace each other's GPU code. Each user runs jitwarm env apply --path DIR (jitwarm help env)
  2
