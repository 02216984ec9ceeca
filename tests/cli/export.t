=== all-damaged
$ export JITWARM_DRIVER="$SIM/libcuda.so.1" JITWARM_STORE="$PWD/store"; mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib && "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q lib >/dev/null && for f in $(find cache/?/? -type f); do printf x | dd of="$f" bs=1 seek=2000 conv=notrunc 2>/dev/null; done; mkdir packs; "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out; code=$?; sed -z "s/\n \{10,\}/ /g" out; ls -A packs; exit $code
  No pack was written: all of these entries are damaged or unreadable; see jitwarm
  status --check
exit 1

=== damaged-entry
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ f=$(find cache/?/? -type f | sort | head -n 1)
$ printf x | dd of="$f" bs=1 seek=2000 conv=notrunc 2>/dev/null
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 1 entry (13 KiB) into 4 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                 1  13 KiB
  Skipped   1 entry is damaged or half-written (jitwarm status --check)
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  app.tar.zst
exit 1

=== damaged-file-below
$ primed_libraries
$ store_of_its_own
$ head -c 9000 "$GEN/elf/registered.so" >lib/cut.so
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst lib >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Note      1 file could not be read; {SCRATCH}/lib/cut.so: elf: section table at 0x66e8 runs past the end
  app.tar.zst

=== damaged-file-named
$ primed_libraries
$ store_of_its_own
$ head -c 9000 "$GEN/elf/registered.so" >cut.so
$ "$JITWARM" export --cache "$PWD/cache" -o app.tar.zst cut.so
!  jitwarm: {SCRATCH}/cut.so: elf: section table at 0x66e8 runs past the end
exit 6

=== driver-away
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ SIMCUDA_INIT=100 "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  Note      cannot ask the driver (CUDA_ERROR_NO_DEVICE): using it as it was seen here before
  app.tar.zst

=== driver-not-understood
$ export SIMCUDA_KNOWLEDGE=2
$ primed_libraries
$ store_of_its_own
$ unwrapped "$JITWARM" export --cache "$PWD/cache" 
  No pack was written: this driver is not proven to accept entries from a pack (the probe of its cache proved 2 of 3 steps, and packs need all); jitwarm doctor --probe shows why
exit 3

=== dry-run
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -n -o packs/app.tar.zst >out
$ answer_and_packs
  Would pack 2 entries (25 KiB)
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB

=== empty-cache-name
$ "$JITWARM" export --cache ""
!  jitwarm export: --cache: the name is empty (jitwarm help export)
exit 2

=== empty-name
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o ""
!  jitwarm export: --output: the name is empty (jitwarm help export)
exit 2

=== everything-and-paths
$ "$JITWARM" export --cache "$PWD/cache" --everything lib
!  jitwarm export: --everything and PATH cannot be combined (jitwarm help export)
exit 2

=== run-and-paths
$ "$JITWARM" export --cache "$PWD/cache" lib --run app
!  jitwarm export: --run cannot be combined with PATH (jitwarm help export)
exit 2

=== run-empty-cache
$ simulated_driver
$ store_of_its_own
$ mkdir cache
$ "$JITWARM" export --cache "$PWD/cache" --run python c.py -o s.zst
  No pack was written: nothing is recorded that could be packed of python c.py -o
  s.zst (all words after --run are the command; jitwarm prime --run records what
  it keeps)
exit 1

=== run-not-recorded
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" --run app --check
  No pack was written: what this command loads with this driver was not recorded:
  prime it first
  To do     jitwarm prime --run app --check
exit 1

=== everything-dry-run
$ primed_libraries
$ store_of_its_own
$ unwrapped "$JITWARM" export --cache "$PWD/cache" --everything -n
  Would pack 2 entries (25 KiB)
  Pack      {SCRATCH}/jitwarm-driver-sm_86.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE  KERNELS
  only-ptx.so                   1  13 KiB  k0
  registered.so                 1  13 KiB  k0

=== everything-nobody-to-ask
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --everything -o packs/app.tar.zst >out
$ answer_and_packs
  No pack was written: anyone who gets this pack can read the source (PTX) of 2
  entries, of everything that this user ran; pack it all?
  To do     jitwarm export --yes --cache {SCRATCH}/cache --everything -o packs/app.tar.zst # does not ask
!  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
!  SOFTWARE       VERSION  ENTRIES    SIZE  KERNELS
!  only-ptx.so                   1  13 KiB  k0
!  registered.so                 1  13 KiB  k0
exit 7

=== everything-yes
$ primed_libraries
$ store_of_its_own
$ export JITWARM_STATE="$PWD/another-state"
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --everything --yes -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  (unknown)                 2  25 KiB  k0, k0
  Use it    jitwarm import app.tar.zst --allow-unsigned --everything # also for software that is not found there
  app.tar.zst

=== evicted-entry
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ rm $(find cache/?/? -type f | sort | head -n 1)
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 1 entry (13 KiB) into 4 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                 1  13 KiB
  Skipped   1 entry is not in the cache: not primed, or evicted since
  app.tar.zst
exit 1

=== gpu
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --gpu 0 --gpu 8.6 -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  app.tar.zst

=== gpu-away
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" --gpu 7
  No pack was written: none of the GPUs that --gpu names is here
  Note      --gpu 7: there is no such GPU here
exit 3

=== gpu-unknown
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" --gpu "no such thing"
!  jitwarm export: --gpu: no GPU is called "no such thing"; name one as sm_86, 8.6, 10de:2484 or "RTX 3070" (jitwarm help export)
exit 2

=== gpu-without-entries
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" --gpu sm_90
  No pack was written: the cache has no such entries for sm_90: not primed, or
  evicted since; prime first
  To do     jitwarm prime && jitwarm export --cache {SCRATCH}/cache --gpu sm_90
exit 1

=== half-written-entry
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ f=$(find cache/?/? -type f | sort | head -n 1)
$ truncate -s 900 "$f"
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 1 entry (13 KiB) into 4 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                 1  13 KiB
  Skipped   1 entry is damaged or half-written (jitwarm status --check)
  app.tar.zst
exit 1

=== json
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o app.tar.zst --json
  {
    "schema": "jitwarm.export/1",
    "end": "done",
    "why": null,
    "dry_run": false,
    "driver": {
      "version": null,
      "build": "gnu:6a69747761726d2d73696d637564612d30303030",
      "stamp": "2026-01-07T22:51:46",
      "simulated": true,
      "asked": true
    },
    "cache": "{SCRATCH}/cache",
    "command": null,
    "key": null,
    "packs": [
      {
        "gpu": "sm_86",
        "path": "{SCRATCH}/app.tar.zst",
        "written": true,
        "signature": null,
        "kept": "{SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst",
        "entries": 2,
        "bytes": 25790,
        "not_compiled_again": 0,
*       "packed_bytes": *,
*       "manifest_digest": "*",
        "left_out": {},
        "origins": [
          {
            "name": "only-ptx.so",
            "version": null,
            "entries": 1,
            "bytes": 12895,
            "kernels": []
          },
          {
            "name": "registered.so",
            "version": null,
            "entries": 1,
            "bytes": 12895,
            "kernels": []
          }
        ]
      }
    ],
    "todo": [],
    "notes": []
  }

=== listed-by-tar
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o - 2>story | tar --zstd -t
  cache/3/6/58c91473d38423
  cache/5/1/4bcab44ff498be
  jitwarm/manifest.json

=== missing-folder
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o nowhere/app.tar.zst
!  jitwarm export: nowhere: no such folder (jitwarm help export)
exit 2

=== missing-path
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" nothing/here.so
!  jitwarm export: nothing/here.so: no such file or folder (jitwarm help export)
exit 2

=== named-file
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst lib/only-ptx.so >out
$ answer_and_packs
  Packed 1 entry (13 KiB) into 4 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                 1  13 KiB
  app.tar.zst

=== named-folder-not-all-primed
$ cold_libraries
$ store_of_its_own
$ "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q lib/only-ptx.so >/dev/null
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst lib >out
$ answer_and_packs
  Packed 1 entry (13 KiB) into 4 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                 1  13 KiB
  Skipped   1 entry is not in the cache: not primed, or evicted since
  app.tar.zst
exit 1

=== native-code-only
$ primed_libraries
$ store_of_its_own
$ unwrapped "$JITWARM" export --cache "$PWD/cache" "$GEN/cubin"
  No pack was written: these files need no pack: they have machine code for this GPU, the driver compiles nothing
exit 1

=== native-code-that-a-setting-ignores
$ primed_libraries
$ store_of_its_own
$ for name in CUDA_FORCE_PTX_JIT CUDA_FORCE_JIT; do unwrapped env $name=1 "$JITWARM" export --cache "$PWD/cache" "$GEN/cubin"; code=$?; done; exit $code
  No pack was written: CUDA_FORCE_PTX_JIT is set: the driver ignores machine code, and these files have no PTX that it compiles for this GPU
  No pack was written: CUDA_FORCE_JIT is set: the driver ignores machine code, and these files have no PTX that it compiles for this GPU
exit 1

=== no-driver
$ "$JITWARM" export --cache "$PWD/cache" 2>&1 >out
$ code=$?
$ sed -z "s/\n \{10,\}/ /g" out
$ exit $code
  No pack was written: jitwarm does not know which driver made these entries: no
  CUDA driver was found, and no driver was seen here before
exit 3

=== nothing-primed
$ simulated_driver
$ "$JITWARM" export --cache "$PWD/cache"  >out
$ code=$?
$ tr "\n" " " <out
$ ls -A packs 2>/dev/null
$ exit $code
  No pack was written: the cache {SCRATCH}/cache is empty: prime first To do     jitwarm prime simulated: this was jitwarm's own simulated driver; nothing here is about hardware 
\
exit 1

=== over-a-pack
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst lib/only-ptx.so >/dev/null
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  app.tar.zst

=== over-another-file
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ echo mine >packs/notes.txt
$ "$JITWARM" export --cache "$PWD/cache" -o packs/notes.txt >out
$ code=$?
$ tr "\n" " " <out
$ ls -A packs 2>/dev/null
$ exit $code
  No pack was written: {SCRATCH}/packs/notes.txt exists and is not a pack; replace it? To do     jitwarm export --yes --cache {SCRATCH}/cache -o packs/notes.txt           # does not ask simulated: this was jitwarm's own simulated driver; nothing here is about hardware notes.txt
exit 7

=== over-another-file-yes
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ echo mine >packs/notes.txt
$ "$JITWARM" export --cache "$PWD/cache" --yes -o packs/notes.txt >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/notes.txt
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  Use it    jitwarm import notes.txt --allow-unsigned
  notes.txt

=== piped
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o - 2>story >pack
$ code=$?
$ cat story
$ "$JITWARM" export --cache "$PWD/cache" -q -o file >/dev/null
$ cmp pack file
$ tail -c 8 pack
$ exit $code
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      standard output
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Signed    no: who can change the pack decides what the other machine runs
            (--sign KEY)
* Contents  *
  jitwend2
\

=== piped-into-a-full-disk
skip on windows: /dev/full is a Linux device
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o - >/dev/full
!  No pack was written: standard output: No space left on device
exit 4

=== piped-json
$ "$JITWARM" export --cache "$PWD/cache" -o - --json
  {
    "schema": "jitwarm.error/1",
    "verb": "export",
    "exit": 2,
    "why": "-o - and --json cannot be combined: both use standard output",
    "todo": [
      "jitwarm help export"
    ]
  }
!  jitwarm export: -o - and --json cannot be combined: both use standard output (jitwarm help export)
exit 2

=== primed-by-others
$ primed_libraries
$ store_of_its_own
$ JITWARM_STATE="$PWD/another-state" "$JITWARM" export --cache "$PWD/cache"  >out
$ code=$?
$ tr "\n" " " <out
$ ls -A packs 2>/dev/null
$ exit $code
  No pack was written: jitwarm primed nothing into {SCRATCH}/cache for this driver: prime first, or name files To do     jitwarm prime && jitwarm export --cache {SCRATCH}/cache simulated: this was jitwarm's own simulated driver; nothing here is about hardware 
\
exit 1

=== sign
$ primed_libraries
$ store_of_its_own
$ make_key a.key
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --sign a.key -o packs/app.tar.zst >out
$ code=$?
$ sed "s/[0-9A-F]\{16\}/KEY/;s/RW[^ ]\{54\}/KEY/" out
$ ls -A packs
$ head -n 1 packs/app.tar.zst.minisig
$ sed -n 3p packs/app.tar.zst.minisig
$ exit $code
  Packed 2 entries (25 KiB) into 7 KiB
  Pack      {SCRATCH}/packs/app.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Signed    with key KEY: app.tar.zst.minisig beside the pack, and in
            it
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
* Contents  *
  Use it    jitwarm import app.tar.zst --trust KEY --everything
            # also for software that is not found there
  app.tar.zst
  app.tar.zst.minisig
  untrusted comment: signature from minisign secret key
  trusted comment: jitwarm pack for sm_86, libcuda of Jan  7 2026 22:51:46, 2 entries

=== sign-a-pipe
$ primed_libraries
$ store_of_its_own
$ make_key a.key
$ "$JITWARM" export --cache "$PWD/cache" --sign a.key -o - 2>story >pack
$ code=$?
$ grep Signed story | sed "s/[0-9A-F]\{16\}/KEY/"
$ grep -ac "trusted comment: jitwarm pack" pack
$ exit $code
  Signed    with key KEY
  1

=== sign-dry-run
$ primed_libraries
$ store_of_its_own
$ echo mine >some.key
$ unwrapped "$JITWARM" export --cache "$PWD/cache" --sign some.key -n -o app.tar.zst
  Would pack 2 entries (25 KiB)
  Pack      {SCRATCH}/app.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB

=== sign-missing-key
$ "$JITWARM" export --cache "$PWD/cache" --sign nowhere.key
!  jitwarm export: --sign: nowhere.key: no such file (jitwarm help export)
exit 2

=== sign-no-key
$ echo mine >notes.txt
$ "$JITWARM" export --cache "$PWD/cache" --sign notes.txt
!  jitwarm: --sign: notes.txt: minisign secret key: line 1 does not begin with "untrusted comment: "
exit 6

=== sign-then-unsigned
$ primed_libraries
$ store_of_its_own
$ make_key a.key
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --sign a.key -o packs/app.tar.zst >/dev/null
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst >/dev/null
$ ls -A packs
  app.tar.zst

=== sign-with-minisign-verified
$ export JITWARM_DRIVER="$SIM/libcuda.so.1" JITWARM_STORE="$PWD/store"; mkdir lib && cp "$GEN/elf/registered.so" "$GEN/elf/only-ptx.so" lib && "$JITWARM" prime --as-root --cache "$PWD/cache" -j 1 -q lib >/dev/null && "$JITWARM" key --no-passphrase --new a.key >/dev/null && "$JITWARM" export --cache "$PWD/cache" --sign a.key -o app.tar.zst >/dev/null && if command -v minisign >/dev/null; then minisign -Vqm app.tar.zst -p a.pub; fi

=== sign-writable-key
$ make_key a.key
$ chmod 666 a.key
$ "$JITWARM" export --cache "$PWD/cache" --sign a.key
!- jitwarm: --sign: a.key: everybody may write to this key file and so could decide whose packs you trust; take that right away first (chmod go-w)
!+ jitwarm: --sign: a.key: everybody may write to this key file and so could decide whose packs you trust; take that right away first (icacls)
exit 6

=== to-a-device
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o /dev/null
!  jitwarm export: /dev/null is not a regular file; -o - writes to standard output (jitwarm help export)
exit 2

=== two-gpus
$ export SIMCUDA_GPUS="sm_86:Left:8G;sm_89:Right:8G"
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs >out
$ answer_and_packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/jitwarm-driver-sm_86.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/jitwarm-driver-sm_89.tar.zst
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Kept      {SCRATCH}/store/driver-sm_89-20260107-625146-{DIGEST}.tar.zst
  jitwarm-driver-sm_86.tar.zst
  jitwarm-driver-sm_89.tar.zst

=== two-gpus-one-file
$ export SIMCUDA_GPUS="sm_86:Left:8G;sm_89:Right:8G"
$ primed_libraries
$ store_of_its_own
$ "$JITWARM" export --cache "$PWD/cache" -o app.tar.zst
!  jitwarm export: several GPUs make several packs: make a folder for them (mkdir packs) and use -o packs, or choose one GPU (--gpu sm_86) (jitwarm help export)
exit 2

=== unreadable-file
$ primed_libraries
$ store_of_its_own
$ echo "not CUDA" >notes.txt
$ "$JITWARM" export --cache "$PWD/cache" notes.txt
  No pack was written: the driver compiles nothing of these files for this GPU;
  jitwarm scan shows their contents
exit 1

=== what-was-primed
$ primed_libraries
$ store_of_its_own
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" -o packs >out
$ sed -z "s/\n \{10,\}/ /g" out
$ ls -A packs
  Packed 2 entries (25 KiB) into 6.7 KiB
  Pack      {SCRATCH}/packs/jitwarm-driver-sm_86.tar.zst
  For       sm_86 and the driver, build of Jan 7 2026 22:51:46 only
  SOFTWARE       VERSION  ENTRIES    SIZE
  only-ptx.so                   1  13 KiB
  registered.so                 1  13 KiB
  Signed    no: who can change the pack decides what the other machine runs (--sign KEY)
  Kept      {SCRATCH}/store/driver-sm_86-20260107-625146-{DIGEST}.tar.zst
* Contents  *
  Use it    jitwarm import jitwarm-driver-sm_86.tar.zst --allow-unsigned
  jitwarm-driver-sm_86.tar.zst

=== the-command-of-a-signed-pack-works-where-it-is-pasted
skip on windows: the command is written for its own shell
$ primed_libraries
$ store_of_its_own
$ make_key a.key
$ mkdir packs
$ "$JITWARM" export --cache "$PWD/cache" --sign a.key -o packs/app.tar.zst lib >out
$ rm a.key a.pub && mv lib nowhere
$ cd packs
$ jitwarm() { "$JITWARM" "$@" --as-root --cache "$PWD/../there" | sed -n "s/^Signed *by key [0-9A-F]\{16\}/signed/p;s/^Imported 2 entries.*/imported/p"; }
$ eval "$(sed -n 's/^Use it *//p' ../out)"
  imported
  signed (--trust): jitwarm pack for sm_86, libcuda of

=== the-command-works-where-it-is-pasted
skip on windows: the command is written for its own shell
$ primed_libraries
$ store_of_its_own
$ mkdir packs other
$ "$JITWARM" export --cache "$PWD/cache" -o packs/app.tar.zst lib >out
$ jitwarm() { "$JITWARM" "$@" ../lib --as-root --cache "$PWD/../there" -q; }
$ cd packs && HOME="$PWD/../other" JITWARM_STATE="$PWD/../other/state"
$ export HOME JITWARM_STATE
$ eval "$(sed -n 's/^Use it *//p' ../out)"
$ echo "$?: $(find ../there/?/? -type f | wc -l) entries"
$ jitwarm() { "$JITWARM" "$@"; }
$ mv ../lib ../nowhere
$ jitwarm import app.tar.zst --allow-unsigned --as-root --cache "$PWD/../third" | sed -n 's/^To do *//p' >advice
$ cat advice
$ eval "$(cat advice)" >out
$ echo "$?: $(find ../third/?/? -type f | wc -l) entries"
  0: 2 entries
  jitwarm import app.tar.zst --allow-unsigned --cache {SCRATCH}/packs/../third --as-root --everything
  0: 2 entries
