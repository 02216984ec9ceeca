case dry-run: primed
$ jitwarm uninstall --dry-run
Removes */jitwarm/caches
$ test -e "$XDG_STATE_HOME/jitwarm/caches"

case removed: primed
$ jitwarm uninstall --yes
$ test ! -e "$XDG_STATE_HOME/jitwarm" -a -e cache
