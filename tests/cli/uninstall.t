case dry-run: primed
$ jitwarm uninstall --dry-run
Removes *caches*
$ jitwarm status
*{work}/lib*

case removed: primed
$ jitwarm uninstall --yes
$ test ! -e "$XDG_STATE_HOME/jitwarm" -a -e cache
$ jitwarm status
Nothing was primed into this cache yet.
