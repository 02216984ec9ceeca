=== empty-cache
$ simulated_driver; mkdir c; "$JITWARM" push --cache "$PWD/c" ./d
!  Nothing was pushed: the cache {SCRATCH}/c is empty: prime
!  first
!  To do     jitwarm prime
exit 1

=== empty-cache-quietly
$ simulated_driver; mkdir c; "$JITWARM" push -q --cache "$PWD/c" ./d
!  jitwarm: Nothing was pushed: the cache {SCRATCH}/c is empty: prime first
exit 1

=== itself
$ pack_prelude
$ "$JITWARM" push --cache "$PWD/one" ./d; "$JITWARM" push --cache "$PWD/one" ./d
  Pushed 2 layers (8 KiB)

  LAYER    SIZE  ENTRIES  SOFTWARE
  pushed  4 KiB        1  only-ptx.so
  pushed  4 KiB        1  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  To        ./d
* Digest    sha256:*
  Use it    jitwarm pull ./d --allow-unsigned --everything
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
  Nothing to push: all 2 layers (8 KiB) are there already

  LAYER   SIZE  ENTRIES  SOFTWARE
  there  4 KiB        1  only-ptx.so
  there  4 KiB        1  registered.so

  For       driver built Jan 7 2026 22:51:46, sm_86
  To        ./d
* Digest    sha256:*
  Use it    jitwarm pull ./d --allow-unsigned --everything
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== json
$ pack_prelude
$ "$JITWARM" push --json --cache "$PWD/one" ./d
  {
    "schema": "jitwarm.push/1",
    "to": "./d",
    "changed": true,
    "layers": 2,
    "layers_moved": 2,
    "bytes": 8196,
    "bytes_moved": 8196,
    "kinds": [
      {
*       "tag": "jitwarm2-linux-*-sm_86-20260107-625146",
*       "digest": "sha256:*",
        "driver": null,
        "stamp": "2026-01-07T22:51:46",
        "simulated": true,
*       "system": "linux-*",
        "gpu": "sm_86",
        "replaced": 0,
        "layers": [
          {
            "software": "only-ptx.so",
*           "digest": "sha256:*",
            "bytes": 4100,
            "entries": 1,
            "key": null,
            "moved": true,
            "kept": false
          },
          {
            "software": "registered.so",
*           "digest": "sha256:*",
            "bytes": 4096,
            "entries": 1,
            "key": null,
            "moved": true,
            "kept": false
          }
        ]
      }
    ],
*   "milliseconds": *
  }

=== no-reference
$ "$JITWARM" push packs
!  jitwarm push: packs: not a reference; write ./DIR or /DIR for a folder, oci://HOST/NAME, or to read https://HOST/PATH (jitwarm help push)
exit 2

=== not-a-pack
$ simulated_driver; echo x >x; "$JITWARM" push ./d --pack x
!  jitwarm: x: it is not a pack: it does not begin with a zstd frame
exit 6

=== pack
$ pack_prelude
$ "$JITWARM" push ./d --pack x.tar.zst
  Pushed 1 layer (29 KiB)

  LAYER     SIZE  ENTRIES  SOFTWARE
  pushed  29 KiB        2  lib

  For       driver 580.126.09, sm_86
  To        ./d
* Digest    sha256:*
  Use it    jitwarm pull ./d --allow-unsigned --everything

=== pack-and-path
$ : >x
$ "$JITWARM" push ./d --pack x lib
!  jitwarm push: --pack cannot be combined with PATH, --sign, --gpu or --cache (jitwarm help push)
exit 2

=== password
$ "$JITWARM" push oci://me:secret@localhost/x
!  jitwarm push: a reference must not contain a user name or password; see JITWARM_LOGIN in jitwarm help push (jitwarm help push)
exit 2

=== the-command-of-a-signed-push-works-where-it-is-pasted
skip on windows: the command is written for its own shell
$ pack_prelude
$ make_key a.key
$ "$JITWARM" push --cache "$PWD/one" --sign a.key "$PWD/a folder" >out
$ "$JITWARM" push --cache "$PWD/one" "$PWD/unsigned" >unsigned.out
$ rm a.key a.pub && mv lib nowhere && mkdir other && cd other
$ export HOME="$PWD" JITWARM_STATE="$PWD/state"
$ jitwarm() { "$JITWARM" "$@" --as-root --cache "$PWD/$at" | sed -n "s/ (.*//;/^Imported/p"; }
$ at=there; eval "$(sed -n 's/^Use it *//p' ../out)"
$ at=unsigned; eval "$(sed -n 's/^Use it *//p' ../unsigned.out)"
  Imported 2 entries
  Imported 2 entries

=== what-was-signed-before-asks-for-its-key
$ pack_prelude
$ make_key a.key
$ "$JITWARM" export --cache "$PWD/one" --sign a.key -o signed.tar.zst >out
$ "$JITWARM" push ./d --pack signed.tar.zst | sed -n '/^Use it/,/KEY:/p'
  Use it    jitwarm pull ./d --trust KEY --everything
            # KEY: the public key of the signer
