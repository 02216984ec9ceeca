case nothing: simulated_driver
$ mkdir reg && jitwarm push "$PWD/reg"
? 1
[warn] Nothing was pushed: no pack could be made
To do jitwarm push {work}/reg PATH

case pushed-and-imported: primed make_key
$ mkdir reg && jitwarm push --sign a.key "$PWD/reg" lib
To import jitwarm import {work}/reg --trust=*
$ jitwarm push --json --sign a.key "$PWD/reg" lib
.packs.0.state = "there"
$ rm -r cache && jitwarm import --json --trust a.pub "$PWD/reg"
$ jitwarm prime --check lib
[good] All 2 modules *

case no-such-place: simulated_driver
$ jitwarm import "$PWD/reg"; touch file; jitwarm push "$PWD/file"; jitwarm import --cacert ca.pem oci://localhost:1/jit
? 2
[bad] jitwarm: {work}/reg: no such file
[bad] jitwarm: {work}/file is not a folder *
[bad] jitwarm: --cacert: ca.pem: no such file *
