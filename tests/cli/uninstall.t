case dry-run: primed
$ jitwarm uninstall --dry-run
Removes *caches*
$ jitwarm status
*{work}/lib*

case removed: primed
$ jitwarm uninstall --yes
$ test ! -e "$XDG_STATE_HOME/jitwarm" -a -e cache
$ jitwarm status
No path and no command is remembered for this cache.
