case nothing: primed
$ jitwarm prune
There is nothing to delete.
$ jitwarm prune --whole-cache --yes -q
$ jitwarm key
Note prune made *
$ jitwarm prune --json >json
$ jitwarm prime -q lib
$ head -c 20 cache/index >i && cp i cache/index
$ jitwarm prune --yes
There is nothing to delete.
$ for e in cache/*/*/*; do printf x >>"$e"; break; done; jitwarm prune
Nothing can be deleted now.

case a-version: simulated_driver two_libraries
skip windows
$ cp -r "$SIM" d; mv d/libcuda.so.1 d/libcuda.so.550.163.01; ln -s libcuda.so.550.163.01 d/libcuda.so.1; JITWARM_DRIVER=$PWD/d/libcuda.so.1 jitwarm prime --yes -q lib; asked() { "$SOURCE/tests/cli/terminal.py" $1 "Delete all of this? [y/N]" "$JITWARM" prune --whole-cache; }; asked n; test $? = 7 && asked y && ! ls -d cache/*/
* 550.163.01 sm_86 2 *
- To do *

case all: primed
$ mv cache/index i && mkdir cache/index; jitwarm prune --whole-cache --yes
? 4
Why *index: is a folder; nothing was removed
$ rmdir cache/index && mv i cache/index
$ jitwarm prune --whole-cache --cache cache
? 7
[warn] Nothing was deleted: confirm with --yes.
all unknown sm_86 2 *
To do jitwarm prune --yes --whole-cache --cache cache
$ jitwarm prune --whole-cache --no-pack --yes
Deleted.
- Note *
$ test -f cache/index && test -z "$(find cache -mindepth 1 -type d)"

case dry-run: primed
$ jitwarm prune -n --whole-cache --yes
This can be deleted.
$ jitwarm forget -n lib
This would be forgotten, and nothing deleted.
$ jitwarm status
- To do jitwarm prune *
[good] All 2 modules *

case behind-a-link: primed
skip windows
$ for e in cache/*/*/*; do mv "$e" away; ln -s "$PWD/away" "$e"; break; done
$ jitwarm prune --whole-cache --no-pack --yes
? 1
[warn] Deleted, but not all of it.
Entries 1 of 2 *
Why what lies behind a link stays: 1 entry
$ test -f away && chmod go+w cache && jitwarm prune --whole-cache --yes
? 4
Why *: everybody may write to it, and so replace the GPU code *

case forget: primed
$ cp -r lib two
$ jitwarm prime -q two
$ jitwarm prime -q two/only-ptx.so
$ jitwarm forget two/../two
FORGOTTEN
{work}/two
$ jitwarm forget nowhere lib b
? 1
Nothing was forgotten. This is not remembered here: nowhere b
{work}/lib
$ mv lib l && mv two t; COLUMNS=40 jitwarm status; mv l lib; mv t two
To do jitwarm forget {work}/lib {work}/two/only-ptx.so
$ jitwarm forget
? 2
[bad] jitwarm: PATH or --run CMD is missing (jitwarm help forget)
$ jitwarm forget --json /nosuch
? 1
.remembered.1.what ~ "/lib"
$ jitwarm forget ./lib/ two/only-ptx.so lib
[good] Forgotten, and nothing was deleted.
$ jitwarm forget lib
? 1
Nothing is remembered for this cache.

# A driver whose files cannot be read: its index and entries stay as they are.
case opaque: simulated_driver two_libraries
$ export SIMCUDA_KNOWLEDGE=0; jitwarm prime --yes -q lib; cp -r cache before
$ jitwarm prime --yes lib || true
- *damaged*
$ touch -d "10 minutes ago" cache/*/*/*; jitwarm prune --yes
? 4
*cannot read the entries of *, so it removes none: delete {work}/cache yourself*
$ diff -r before cache
