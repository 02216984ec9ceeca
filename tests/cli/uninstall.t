case removed: primed
$ jitwarm uninstall --json
? 7
.result = "consent"
.message = "Nothing was removed: confirm with --yes."
.todo.0.command = "jitwarm uninstall --yes --json"
.steps.0.done = false
$ jitwarm uninstall -n
This can be removed.
$ jitwarm status
*{work}/lib*
$ jitwarm uninstall --yes
[good] Removed.
$ test ! -e "$XDG_STATE_HOME/jitwarm" -a -e cache && echo jitwarm >~/.profile && jitwarm uninstall
Nothing is left that jitwarm can remove.

case a-link: primed
skip windows
$ mkdir elsewhere && echo 1 >elsewhere/kept && rm -r "$XDG_STATE_HOME/jitwarm/ledger" && ln -s "$PWD/elsewhere" "$XDG_STATE_HOME/jitwarm/ledger"
$ ! unshare -rm mount -t tmpfs none /proc || in="unshare -rm sh -c"; ${in-sh -c} '[ -z "$1" ] || mount -t tmpfs none /proc; "$0" uninstall --yes' "$JITWARM" "$in"
Removed */jitwarm
$ test ! -e "$XDG_STATE_HOME/jitwarm" -a -e elsewhere/kept
$ unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME
$ jitwarm prime --yes lib
[good] All 2 modules of these files are in this cache for sm_86, driver *.
$ jitwarm env apply
[good] Login shells do not have these settings yet.
$ jitwarm uninstall --yes
[good] Removed.
$ test -z "$(ls -A ~)"

case one-that-cannot-be-removed: primed
skip windows
$ packs=$XDG_DATA_HOME/jitwarm/packs d=$XDG_STATE_HOME/jitwarm && mkdir -m 700 -p "$d/absent-gpus/$(printf 'd/%.0s' $(seq 200))" && mkdir -p "$XDG_CONFIG_HOME/jitwarm" && : >"$XDG_CONFIG_HOME/jitwarm/own.key" && : >"$XDG_CONFIG_HOME/jitwarm/lab.key" && mkdir -p "$packs/z.tar.zst/in" && touch "$packs/b.tar.zst"; jitwarm uninstall
? 7
Note */packs and own.key, which signed them, are kept (uninstall --packs removes them)
$ jitwarm uninstall --packs --yes
? 1
[warn] Not all is removed.
Stays *prune --whole-cache --no-pack*; type it before uninstall), the program, your settings and keys in */jitwarm
- To do *
Note *absent-gpus was not removed: *not empty*
Note *z.tar.zst was not removed: is a folder
$ chmod o+w "$d" && test ! -e "$d/caches" -a ! -e "$XDG_CONFIG_HOME/jitwarm/own.key" -a -e "$XDG_CONFIG_HOME/jitwarm/lab.key" -a ! -e "$XDG_DATA_HOME/jitwarm/packs/b.tar.zst" && jitwarm uninstall --yes
? 1
Note what is remembered is kept: *jitwarm: *everybody*
$ jitwarm env apply
[good] Login shells do not have these settings yet.
$ echo A=1 >>"$XDG_CONFIG_HOME/environment.d/jitwarm.conf"
$ echo jitwarm >~/.profile
$ jitwarm uninstall --yes
? 1
Note *environment.d/jitwarm.conf: not as jitwarm wrote it*
To do take the lines of jitwarm out of ~/.profile (grep -n jitwarm ~/.profile)
