=== cap
skip on windows: the configuration is elsewhere there
in: store-pack
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ echo "store_cap = 500M" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" unwrapped "$JITWARM" list | sed "s#, from .*#, from CONF#"
  Store    {SCRATCH}/packs
  Holds    1 pack: 808 B of 477 MiB, from CONF

  DRIVER      GPU    ENTRIES    RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86        1  3 KiB   808 B  0 m  no      libfirst.so
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== cut-off
in: store-pack
$ touch packs/*
$ head -c 300 packs/580.126.09-sm_86-20260107-625146.tar.zst >x
$ mv x packs/580.126.09-sm_86-20260107-625146.tar.zst
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 300 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  damaged    -   300 B  0 m  -       -

  * 580.126.09-sm_86-20260107-625146.tar.zst: trailer: the file does not end in
  one (0x12c): it is cut off, no pack, or something follows
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== empty
$ export JITWARM_STORE="$PWD/data"
$ "$JITWARM" list
  Store    {SCRATCH}/data
  Holds    no packs yet; import and prune add them

=== empty-json
$ export JITWARM_STORE="$PWD/data"
$ "$JITWARM" list --json
  {
    "schema": "jitwarm.list/1",
    "store": {
      "folder": "{SCRATCH}/data",
      "exists": false,
      "refused": null,
      "bytes": 0,
      "cap_bytes": 2147483648,
      "cap_from": "default"
    },
    "packs": [],
    "other_names": [],
    "notes": []
  }

=== json
in: store-with-strays
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list --json >out
$ code=$?
$ sed "s/_at\": [0-9]*/_at\": 0/" out
$ exit $code
  {
    "schema": "jitwarm.list/1",
    "store": {
      "folder": "{SCRATCH}/packs",
      "exists": true,
      "refused": null,
      "bytes": 3565,
      "cap_bytes": 2147483648,
      "cap_from": "default"
    },
    "packs": [
      {
        "file": "{SCRATCH}/packs/580.126.09-sm_86-20260107-625146.tar.zst",
        "driver": "580.126.09",
        "stamp": "Jan  7 202662:51:46",
        "simulated": true,
        "sm": 86,
        "current": false,
        "replaced": false,
        "packed_bytes": 2757,
        "added_at": 0,
        "used_at": 0,
        "damage": null,
        "manifest": {
          "entries": 5,
          "raw_bytes": 14336,
          "carried": 0,
          "forged": 0,
          "origins": [
            {
              "name": "libfirst.so",
              "version": "1.2"
            },
            {
              "name": "libsecond.so",
              "version": null
            }
          ],
          "others": true,
          "signed": true,
          "key": "0807060504030201",
          "trusted_from": null
        }
      },
      {
        "file": "{SCRATCH}/packs/580.126.09-sm_86-20260107-625146.old.tar.zst",
        "driver": "580.126.09",
        "stamp": "Jan  7 202662:51:46",
        "simulated": true,
        "sm": 86,
        "current": false,
        "replaced": true,
        "packed_bytes": 808,
        "added_at": 0,
        "used_at": 0,
        "damage": null,
        "manifest": {
          "entries": 1,
          "raw_bytes": 3072,
          "carried": 0,
          "forged": 0,
          "origins": [
            {
              "name": "libfirst.so",
              "version": "1.2"
            }
          ],
          "others": false,
          "signed": false,
          "key": null,
          "trusted_from": null
        }
      }
    ],
    "other_names": [
      "notes.txt"
    ],
    "notes": []
  }

=== link
skip on windows: rights and links are other ones there
in: store-pack
$ touch packs/*
$ mv packs/580.126.09-sm_86-20260107-625146.tar.zst x
$ ln -s ../x packs/580.126.09-sm_86-20260107-625146.tar.zst
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 0 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  refused    -       -    -  -       -

  * 580.126.09-sm_86-20260107-625146.tar.zst: is a link or not a regular file;
  ignored
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== no-pack-at-all
in: store-strays
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 71 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  damaged    -    71 B  0 m  -       -

  * 580.126.09-sm_86-20260107-625146.tar.zst: it is not a pack: it does not begin
  with a zstd frame
  * notes.txt: not a file of jitwarm, ignored
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== others-may-write
skip on windows: rights and links are other ones there
in: store-pack
$ chmod 777 packs
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
!  jitwarm: {SCRATCH}/packs: everybody may write to the folder; jitwarm does not use its content
exit 1

=== packs
in: store-two
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 8.9 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        3  74 MiB  8.9 KiB  0 m  08070605  libfirst.so, libsecond.so, others
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== relative-store
$ JITWARM_STORE=packs "$JITWARM" list
  Store    none
!  jitwarm: JITWARM_STORE=packs is not an absolute path
exit 1

=== signed
in: store-signed
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack and 1 replaced one (808 B): 3.8 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        5  14 KiB  2.7 KiB  0 m  08070605  libfirst.so, libsecond.so, others
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== takes-no-path
$ "$JITWARM" list packs
!  jitwarm list: takes no arguments, but got 'packs' (jitwarm help list)
exit 2

=== trusted-key
skip on windows: the configuration is elsewhere there
in: key
$ mkdir -p -m 700 "$XDG_CONFIG_HOME/jitwarm/keys"
$ cp key.pub "$XDG_CONFIG_HOME/jitwarm/keys/alice.pub"
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 2.7 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED  OF
  580.126.09  sm_86        5  14 KiB  2.7 KiB  0 m  alice   libfirst.so, libsecond.so, others
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== verbose
in: store-signed
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list -v
  Store    {SCRATCH}/packs
  Holds    1 pack and 1 replaced one (808 B): 3.8 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        5  14 KiB  2.7 KiB  0 m  08070605  libfirst.so, libsecond.so, others
  580.126.09  sm_86        1   3 KiB    808 B  0 m  no        libfirst.so

  * 580.126.09-sm_86-20260107-625146.tar.zst: driver build of Jan 7 2026 62:51:46
  * 580.126.09-sm_86-20260107-625146.old.tar.zst: driver build of Jan 7 2026
  62:51:46
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== wrong-name
in: store-wrong-name
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 808 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_90  damaged    -   808 B  0 m  -       -

  * 580.126.09-sm_90-20260107-225146.tar.zst: its name and its manifest disagree
  about the driver or GPU
