case nothing: primed
$ jitwarm prune --dry-run
There is nothing to delete
$ jitwarm prune --dry-run --json
keys prune
.result = "nothing"

case root: primed
$ jitwarm prune --root nowhere
? 1
Left {work}/lib
$ jitwarm prune --root "$PWD/lib"
Forgotten: *
$ jitwarm status
Nothing was primed into this cache yet.
