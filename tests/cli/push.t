case nothing: simulated_driver
$ mkdir reg && jitwarm push "$PWD/reg"
? 1
[warn] Nothing was pushed: no pack could be made
To do jitwarm prime

case pushed-and-pulled: primed make_key
$ mkdir reg && jitwarm push --sign a.key "$PWD/reg" lib
$ rm -r cache && jitwarm pull --trust a.pub "$PWD/reg"
$ jitwarm prime --check lib
[good] All 2 modules *

# A pack whose signature is a file beside it is one of an earlier push.
case signed-beside: primed
$ mkdir reg && jitwarm push "$PWD/reg" lib/registered.so && echo of-another >"$(ls reg/*.tar.zst).minisig"
$ jitwarm push --replace "$PWD/reg" lib/only-ptx.so --json
.replaced = 1

case no-such-place: simulated_driver
$ jitwarm pull "$PWD/reg"
? 8
[bad] jitwarm: {work}/reg does not exist
