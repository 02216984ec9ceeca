case shown: simulated_driver
$ CUDA_CACHE_MAXSIZE=4G CUDA_FORCE_JIT=1 CUDA_CACHE_DISABLE=0 jitwarm env
Limit 4 B*
CUDA_FORCE_JIT 1; in a fresh login unset
$ jitwarm env --json

case applied:
skip windows
$ : >~/.bash_profile
$ (unset SHELL; jitwarm env apply)
grep -qs * ~/.bash_profile || echo *>>~/.bash_profile
$ (unset SHELL; jitwarm env undo)
*environment.d/jitwarm.conf
$ rm ~/.bash_profile
$ jitwarm env apply
grep -qs * ~/.profile || echo *>>~/.profile
$ jitwarm env undo
[good] The settings are removed, from the next login on.
$ jitwarm env apply --path /proc/x || { code=$?; test ! -e "$XDG_CONFIG_HOME/environment.d" || echo written; (exit $code); }
? 2
- written
[bad] jitwarm: --path: this user can make no folder in /proc *
$ jitwarm env apply -n; test ! -e "$XDG_CONFIG_HOME/environment.d"
env apply would write this.
Writes *jitwarm.conf
$ jitwarm env apply --json; "$JITWARM" env undo >undone
.todo.0.where = "here"
$ jitwarm env apply --size 4
? 2
[bad] jitwarm: --size: the driver stores at most 4 GiB, and programs need 16 MiB *
$ HOME=/$(printf %4000s | tr ' ' h) jitwarm env; (umask 777; jitwarm env)
? 2
jitwarm: HOME has 4001 bytes: too many *
jitwarm: umask is 777: *

# The new cache gets what the old one holds, and is asked about the same paths.
case moved: simulated_driver two_libraries
skip windows
$ jitwarm prime -qy lib
$ jitwarm env apply --path "$PWD/new cache"
To do mkdir -p '{work}/new cache' && cp -a {work}/cache/. '{work}/new cache'
jitwarm prime --cache '{work}/new cache' {work}/lib
export CUDA_CACHE_PATH='{work}/new cache'
$ mkdir -p "new cache" && cp -a cache/. "new cache"
$ jitwarm prime --cache "$PWD/new cache" lib --json
.answer.is = "warm"
.compiled = 0
$ jitwarm env apply --path "$PWD/new cache" --size 2GiB  # it has a cache already
- *cp -a*

case written-and-not-in-force-here: simulated_driver
skip windows
$ SHELL=/bin/zsh jitwarm env apply --path "$PWD" --size 2GiB
[good] Login shells do not have these settings yet.
To do export CUDA_CACHE_PATH={work}
export CUDA_CACHE_MAXSIZE=2147483648
grep -qs environment.d/jitwarm.conf ~/.zprofile || echo 'f=/*; [ -r "$f" ] && set -a && . "$f"; set +a' >>~/.zprofile
$ jitwarm env apply --size 3GiB
[good] Login shells do not have these settings yet.
$ cat "$XDG_CONFIG_HOME"/environment.d/*
CUDA_CACHE_PATH="{work}"
CUDA_CACHE_MAXSIZE="3221225472"
$ jitwarm env
[warn] Neither this process nor a fresh login has the settings of env apply.
File *environment.d/jitwarm.conf (for desktops alone)
$ echo '. ~/.config/environment.d/jitwarm.conf' >~/.profile
$ jitwarm env undo
To do take its line out of ~/.profile
$ rm ~/.profile
$ (unset JITWARM_SYSROOT; "$JITWARM" prime --post-install; jitwarm env apply)  # what logins do not read
? 2
jitwarm: No prime was started: HOME is *
[bad] jitwarm: HOME is /*, but a login of * has /*: set HOME to that first *
$ unset XDG_CONFIG_HOME; jitwarm env apply --path "$PWD" >out; CUDA_CACHE_PATH=$PWD CUDA_CACHE_MAXSIZE=4294967295 "$JITWARM" env | sed -n 's/^To do *//p' >todo; . ./todo
$ jitwarm env apply --path "$PWD"
- To do *
File *environment.d/jitwarm.conf (from the next login on)
$ CUDA_CACHE_PATH=$PWD CUDA_CACHE_MAXSIZE=4294967295 jitwarm env --json
.in_force = "here"
$ echo A=1 >>"$HOME/.config/environment.d/jitwarm.conf"
$ jitwarm env undo
? 4
[bad] jitwarm: */home/.config/environment.d/jitwarm.conf: not as jitwarm wrote it, so it is yours to change or delete
$ jitwarm env apply
? 4
[bad] jitwarm: *environment.d/jitwarm.conf: not as jitwarm wrote it*
