case imported: packed
$ jitwarm import --json --dry-run --trust a.pub packs lib
.added = 2
.answer.is = "cold"
.result = "done"
$ printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n' >new.ptx; jitwarm import --trust a.pub packs new.ptx
? 1
[good] Imported.
Added 2
- Signed*
To do jitwarm prime new.ptx
$ jitwarm import -q --trust a.pub packs new.ptx
? 1
All of it was in the cache already.
[warn] Cold: 1 of 1 module missing *
To do jitwarm prime new.ptx
$ jitwarm forget lib new.ptx
[good] Forgotten, and nothing was deleted.
$ jitwarm import --trust a.pub packs lib 'not yet'
Note not yet is not here yet: jitwarm prime *not yet* when it is
$ jitwarm status
2 of 2 {work}/lib
$ mkdir cache/jitwarm-work-00000000-1-0 && touch -d '2 days ago' cache/jitwarm-work-*; jitwarm import --trust a.pub packs
All of it was in the cache already.
$ test ! -e cache/jitwarm-work-*

case over-the-limit: packed
$ CUDA_DISABLE_JIT=1 CUDA_CACHE_MAXSIZE=2000 jitwarm import --trust a.pub packs
? 4
[bad] Nothing was imported.
Why no entry fits under the limit of the cache
The cache's limit is too small (CUDA_CACHE_MAXSIZE=2000: 2 KiB; about * are needed)
To do *CUDA_CACHE_MAXSIZE=*
- *CUDA_DISABLE_JIT*
$ CUDA_CACHE_MAXSIZE=2000 jitwarm import --trust a.pub packs lib
? 4
Cold: 2 of 2 modules *
The cache's limit is too small *

# What keeps entries from being added stops a dry run, too: it would say yes to what is refused.
case nothing-may-be-added: packed
skip windows
$ CUDA_CACHE_DISABLE=1 jitwarm import --dry-run --trust a.pub packs
? 1
[bad] The driver's cache is turned off.
$ CUDA_CACHE_DISABLE=1 jitwarm import --dry-run --json --trust a.pub packs/*.tar.zst lib
? 1
.result = "stopped"
.cause.id = "cache-disabled"
.todo.0.command = "unset CUDA_CACHE_DISABLE"
.packs.0.state = "stopped"
$ CUDA_CACHE_PATH=/proc/nv jitwarm import --dry-run --trust a.pub packs
? 4
[bad] The cache's folder cannot be used as it is.
$ mkdir -m 777 open
$ CUDA_CACHE_PATH=$PWD/open jitwarm import --dry-run --trust a.pub packs
? 4
[bad] Another user can write to the cache, or replace it.
To do chmod go-w {work}/open
$ CUDA_CACHE_PATH=$PWD/open jitwarm import --trust a.pub packs lib
? 4
[bad] Another user can write to the cache, or replace it.

# 24 entries: 20 of them are loaded as a sample.
case sample: packed
$ for i in $(seq 22); do printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k%d() { ret; }\n' $i >lib/$i.ptx; done
$ jitwarm prime -q --yes lib
$ jitwarm export -q --sign a.key -o 24.tar.zst lib
$ rm -r cache
$ jitwarm import --trust a.pub 24.tar.zst
[good] Imported.
[good] A fresh process loaded a sample of 20 entries and *ed no*.
Added 24

case a-part-fits: packed
$ CUDA_CACHE_MAXSIZE=20000 jitwarm import --trust a.pub packs
? 1
[warn] Imported, but not all of it.
[good] A fresh process loaded 1 entry and *ed no*.
Why The cache's limit is too small (CUDA_CACHE_MAXSIZE=20000: 20 KiB; about * are needed)
Added 1
Do not fit 1

# A pack for another machine, and what there is to do for the software.
case another-machine: packed
$ export SIMCUDA_GPUS='sm_90:NVIDIA GPU:8G'; jitwarm import packs/*.tar.zst
? 5
[warn] Nothing was imported: nothing there is for this machine.
Why made for sm_86; this machine has sm_90
To do compile here *
$ (unset SIMCUDA_GPUS; "$JITWARM" prime -q --yes lib/only-ptx.so); jitwarm import --trust a.pub packs/*.tar.zst lib
? 5
Cold: 4 of 4 modules *
Why made for *
- Why This cache *
To do jitwarm prime lib
- *compile here*
$ rm lib/*; cp "$GEN/elf/only-sass.so" lib; jitwarm import --trust a.pub packs lib
? 5
Nothing has to be compiled *
- To do *

case without-code: packed
$ mkdir empty; jitwarm import --trust a.pub packs/*.tar.zst empty
? 1
Added 2
$ ! jitwarm status --json | grep /empty

case not-trusted: packed
$ jitwarm import packs/*.tar.zst
? 6
[bad] Nothing was imported: a pack was refused.
Why it is signed with key *
Pack packs/sm_*
To do jitwarm import --trust KEY.pub packs/sm_*
$ jitwarm import -vn packs/*.tar.zst
? 6
[bad] It fits this machine, and would be refused.
For *, sm_*
$ jitwarm key --no-passphrase --new b.key
[good] A key pair for signing packs was made.
$ jitwarm import --trust b.pub packs/*.tar.zst
? 6
Why it is signed with key *, and --trust gives key *
- *KEY.pub*
- Entries *

case some-of-a-folder: packed program
skip windows
$ jitwarm import "$SOURCE/tests/samples/packs/one.tar.zst" lib || test -e cache
? 1
To do ask its maker to sign it: jitwarm export --sign KEY *
$ cp packs/* . && cp "$SOURCE/tests/samples/packs/one.tar.zst" .
$ head -c 1000 packs/*.tar.zst >a.tar.zst
$ jitwarm import --trust a.pub packs
[good] Imported.
$ jitwarm import --trust a.pub . lib
? 6
[bad] Nothing was imported: a pack was refused.
Packs ./a.tar.zst: refused: it is cut off*
./one.tar.zst: refused: it is not signed*
./sm_*: there
To do ask its maker to sign it: *
$ rm -r cache; export SIMCUDA_SHARED="$PWD" SIMCUDA_GPUS='sm_86:NVIDIA GPU:8G:mode=exclusive'; $PROGRAM --nap 99 >out & until [ -s out ]; do sleep 0.1; done; jitwarm import --trust a.pub packs; code=$?; kill $!; (exit $code)
Why *
$ chmod 666 a.pub; jitwarm import --trust a.pub packs
? 6
[bad] Nothing was imported: a key was refused.
Why *a.pub: everybody may write to this key file *

case not-there: packed
$ jitwarm export -o -
? 2
[bad] jitwarm: -: a pack is a file: *
$ jitwarm import -
? 2
[bad] jitwarm: -: a pack is a file: *
$ jitwarm import nowhere.tar.zst
? 2
[bad] jitwarm: nowhere.tar.zst: no such file
$ jitwarm import packs/*.tar.zst lab.tar.zst
? 2
[bad] jitwarm: lab.tar.zst: import takes one pack, or a folder of packs*
$ test ! -e cache && file=$(echo packs/*) && mkdir $file.minisig && jitwarm import --trust a.pub $file
? 2
[bad] jitwarm: packs/sm_*.minisig: is a folder

case several-refused: packed
$ head -c 1000 packs/*.tar.zst >packs/a.tar.zst; jitwarm import packs
? 6
[bad] Nothing was imported: a pack was refused.
Packs packs/a.tar.zst: refused: it*
packs/sm_*: refused: it is signed with key *
$ jitwarm import packs/a.tar.zst --json
? 6
.todo.0.text ~ "name another file, or get"
.packs.0.entries = null
.packs.0.signature = null
$ rm packs/a.tar.zst
$ jitwarm prime -q --yes lib/only-ptx.so
$ jitwarm export -q -o packs/a.tar.zst lib/only-ptx.so
$ jitwarm import --dry-run --trust a.pub packs
Packs packs/a.tar.zst: there
packs/sm_*: 1 to add
$ rm -r cache
$ jitwarm import --dry-run --trust a.pub packs
? 6
[bad] 1 of 2 packs refused; 2 entries to add.
packs/sm_*: 2 to add

# A pack of another build of the driver, whose compiler is the same: prime carries its entries over.
case of-another-build: driver_updates
skip windows
$ jitwarm key --new k.key --no-passphrase
$ $FIRST jitwarm prime --yes -q lib
$ $FIRST jitwarm export -q -o plain.tar.zst lib
$ $FIRST jitwarm export -q --sign k.key -o signed.tar.zst lib
$ rm -r cache "$XDG_STATE_HOME/jitwarm"
$ $SECOND jitwarm import --allow-unsigned plain.tar.zst
? 5
[warn] Nothing was imported: nothing there is for this machine.
Why made by another build of this driver's compiler, and no trusted key signed it
$ $SECOND jitwarm import signed.tar.zst lib
? 1
Compiler that of driver 535.216.03: jitwarm prime carries 5 modules over, in seconds
Added 5
To do jitwarm prime lib
$ $SECOND jitwarm prime lib
[good] All 5 modules *
Carried over 5 modules from driver 535.216.03, whose compiler is the same
$ $OTHER jitwarm import signed.tar.zst
? 5
Why made for driver 535.216.03 *; this machine has driver 550.163.01 *
