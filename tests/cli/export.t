case packed: primed
$ mkdir packs && jitwarm export -o packs lib
Packed
Pack {work}/packs/sm_86-*.tar.zst
Entries 2
Signed no: *
$ jitwarm export -o packs lib --json
keys export
.result = "done"
.packs.0.entries = 2

case nothing: simulated_driver two_libraries
$ jitwarm export lib
? 1
[warn] No pack was written
To do jitwarm prime

case signed: primed make_key
$ jitwarm export --sign a.key -o x.tar.zst lib
To import jitwarm import x.tar.zst lib --trust RW*
- Signed*
$ jitwarm export --sign b.key -o y.tar.zst lib
? 2

case no-such-file: primed
$ jitwarm export nowhere
? 2
