=== cap
skip on windows: the configuration is elsewhere there
in: store-pack
$ mkdir -p "$XDG_CONFIG_HOME/jitwarm"
$ echo "store_cap = 500M" >"$XDG_CONFIG_HOME/jitwarm/jitwarm.conf"
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" unwrapped "$JITWARM" list | sed "s#, from .*#, from CONF#"
  Store    {SCRATCH}/packs
  Holds    1 pack: 759 B of 477 MiB, from CONF

  DRIVER      GPU    ENTRIES    RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86        1  3 KiB   759 B  0 m  no      libfirst.so

=== absent-home
skip on windows: its folders are others
$ HOME=/nowhere/ada XDG_DATA_HOME= "$JITWARM" list
  Store    /nowhere/ada/.local/share/jitwarm/packs
!  jitwarm: /nowhere/ada/.local/share/jitwarm/packs: the home folder /nowhere/ada does not exist
exit 1

=== cut-off
in: store-pack
$ touch packs/*
$ head -c 300 packs/580.126.09-sm_86-20260107-625146-1c0f8e0a7b6d.tar.zst >x
$ mv x packs/580.126.09-sm_86-20260107-625146-1c0f8e0a7b6d.tar.zst
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 300 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  damaged    -   300 B  0 m  -       -

  * 580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst: it is cut off, or no
  pack: its 300 bytes do not end as those of a pack
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== empty
$ export JITWARM_STORE="$PWD/data"
$ "$JITWARM" list
  Store    {SCRATCH}/data
  Holds    no packs yet; import, prune and export without PATH add them

=== empty-json
$ export JITWARM_STORE="$PWD/data"
$ "$JITWARM" list --json
  {
    "schema": "jitwarm.list/1",
    "store": {
      "folder": "{SCRATCH}/data",
      "exists": false,
      "refused": null,
      "bytes": 0
    },
    "packs": [],
    "notes": []
  }

=== file-beside
in: entry-and-log
$ "$JITWARM" list x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 22:51:46
  Made     by jitwarm 0.0.1
  Holds    1 entry, 3 KiB unpacked, 759 B packed
  Signed   with key 0807060504030201, not verified (.minisig beside it)

  ENTRIES   SIZE  VERSION  FROM
        1  423 B  1.2      libfirst.so

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.

=== file-cut-off
in: pack-cut
$ head -c 300 x.tar.zst > part
$ "$JITWARM" list part
$ echo $?
$ "$JITWARM" list - < part
  6
!  jitwarm: part: it is cut off, or no pack: its 300 bytes do not end as those of a pack
!  jitwarm: standard input: it is cut off, or no pack: its 300 bytes do not end as those of a pack
exit 6

=== file-empty-name
$ "$JITWARM" list ""
!  jitwarm list: argument 1 is an empty name (jitwarm help list)
exit 2

=== file-entries
in: pack
$ "$JITWARM" list -v x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 22:51:46
  Made     by jitwarm 0.0.1
  Holds    5 entries, 14 KiB unpacked, 2.7 KiB packed; the largest entry has 4 KiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES   SIZE  VERSION  FROM
        2  5 KiB  1.2      libfirst.so
        2  2 KiB  -        libsecond.so
        1  1 KiB  -        unknown software

  ENTRY               KEY  CODE  FROM
  1/a/833add760d0a8c   90   905  libsecond.so
  4/0/391505b39f2ece   90   905  -
  5/6/2dd48545ce7de7   90   905  libfirst.so
  9/d/86a395c400cdd0   90  4005  libfirst.so
  a/6/0a7696b72e9791   90   905  libsecond.so

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.

=== file-frames
in: pack-frames
$ "$JITWARM" list - < x.tar.zst
  Pack     standard input
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 22:51:46
  Made     by jitwarm 0.0.1
  Holds    3 entries, 74 MiB unpacked, 8.6 KiB packed; the largest entry has
           40 MiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES    SIZE  VERSION  FROM
        1  40 MiB  1.2      libfirst.so
        1  17 MiB  -        libsecond.so
        1  17 MiB  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.

=== file-json
in: pack-cut
$ "$JITWARM" list --json x.tar.zst
  {
    "schema": "jitwarm.contents/1",
    "file": "x.tar.zst",
    "tool": "0.0.1",
    "os": "linux",
    "arch": "x86_64",
    "driver": "580.126.09",
    "stamp": "2026-01-07T22:51:46",
    "simulated": true,
    "sm": 86,
    "bytes": 759,
    "signature": {
      "where": "none",
      "key": null
    },
    "origins": [
      {
        "name": "libfirst.so",
        "version": "1.2",
        "entries": 1,
        "bytes": 423
      }
    ],
    "entries": [
      {
        "name": "9/d/86a395c400cdd0",
        "key_bytes": 90,
        "payload_bytes": 305,
        "digest": "305a8eb21f621c2838e11fa65ecaedbcf57f8dd54096434da83d573208469e4b",
        "origin": 0
      }
    ]
  }

=== file-missing
$ "$JITWARM" list none.tar.zst
!  jitwarm list: none.tar.zst: no such file (jitwarm help list)
exit 2

=== file-no-pack
$ echo "no pack at all" > note.txt
$ : > empty
$ "$JITWARM" list note.txt
$ echo $?
$ "$JITWARM" list empty
$ echo $?
$ "$JITWARM" list - < note.txt
$ echo $?
$ "$JITWARM" list - < empty
$ echo $?
$ "$JITWARM" list --json .
  6
  6
  6
  6
  {
    "schema": "jitwarm.error/1",
    "verb": "list",
    "exit": 2,
    "why": ".: is a folder; a pack is a file",
    "todo": [
      "jitwarm help list"
    ]
  }
!  jitwarm: note.txt: it is not a pack: it does not begin with a zstd frame
!  jitwarm: empty: it is empty
!  jitwarm: standard input: it is not a pack: it does not begin with a zstd frame
!  jitwarm: standard input: it is empty
!  jitwarm list: .: is a folder; a pack is a file (jitwarm help list)
exit 2

=== file-text
in: pack
$ "$JITWARM" list x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 22:51:46
  Made     by jitwarm 0.0.1
  Holds    5 entries, 14 KiB unpacked, 2.7 KiB packed; the largest entry has 4 KiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES   SIZE  VERSION  FROM
        2  5 KiB  1.2      libfirst.so
        2  2 KiB  -        libsecond.so
        1  1 KiB  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.

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
      "bytes": 3491
    },
    "packs": [
      {
        "file": "{SCRATCH}/packs/580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst",
        "driver": "580.126.09",
        "stamp": "2026-01-07T22:51:46",
        "simulated": true,
        "sm": 86,
        "packed_bytes": 2732,
        "current": false,
        "damage": null,
        "manifest": {
          "entries": 5,
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
          "key": "0807060504030201"
        }
      },
      {
        "file": "{SCRATCH}/packs/580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst",
        "driver": "580.126.09",
        "stamp": "2026-01-07T22:51:46",
        "simulated": true,
        "sm": 86,
        "packed_bytes": 759,
        "current": false,
        "damage": null,
        "manifest": {
          "entries": 1,
          "origins": [
            {
              "name": "libfirst.so",
              "version": "1.2"
            }
          ],
          "others": false,
          "signed": false,
          "key": null
        }
      }
    ],
    "notes": []
  }

=== link
skip on windows: rights and links are other ones there
in: store-pack
$ touch packs/*
$ mv packs/580.126.09-sm_86-20260107-625146-1c0f8e0a7b6d.tar.zst x
$ ln -s ../x packs/580.126.09-sm_86-20260107-625146-1c0f8e0a7b6d.tar.zst
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 0 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  refused    -       -    -  -       -

  * 580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst: is a link or not a
  regular file; ignored

=== no-pack-at-all
in: store-strays
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 71 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_86  damaged    -    71 B  0 m  -       -

  * 580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst: it is not a pack: it
  does not begin with a zstd frame
  * notes.txt: not a file of jitwarm, ignored

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
  Holds    1 pack: 8.6 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        3  74 MiB  8.6 KiB  0 m  08070605  libfirst.so, libsecond.so, others

=== store-where-none-can-be
skip on windows: its store is below the profile
$ : >file
$ JITWARM_STORE= XDG_DATA_HOME=$PWD/file "$JITWARM" list
$ JITWARM_STORE= XDG_DATA_HOME=/proc/none "$JITWARM" list
  Store    {SCRATCH}/file/jitwarm/packs
  Store    /proc/none/jitwarm/packs
!  jitwarm: {SCRATCH}/file/jitwarm/packs: no pack can be kept there (XDG_DATA_HOME): it leads to no folder: {SCRATCH}/file is a file
!  jitwarm: /proc/none/jitwarm/packs: no pack can be kept there (XDG_DATA_HOME): it is where the kernel shows itself: no file can be made there
exit 1

=== relative-store
$ JITWARM_STORE=packs "$JITWARM" list
!  jitwarm: JITWARM_STORE=packs is not an absolute path
exit 1

=== signed
in: store-signed
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    2 packs: 3.7 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        5  14 KiB  2.7 KiB  0 m  08070605  libfirst.so, libsecond.so, others
  580.126.09  sm_86        1   3 KiB    759 B  0 m  no        libfirst.so

=== takes-one-file
$ "$JITWARM" list one two
!  jitwarm list: too many arguments: 'two' (jitwarm help list)
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

=== verbose
in: store-signed
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list -v
  Store    {SCRATCH}/packs
  Holds    2 packs: 3.7 KiB of 2 GiB

  DRIVER      GPU    ENTRIES     RAW   PACKED  AGE  SIGNED    OF
  580.126.09  sm_86        5  14 KiB  2.7 KiB  0 m  08070605  libfirst.so, libsecond.so, others
  580.126.09  sm_86        1   3 KiB    759 B  0 m  no        libfirst.so

  * 580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst: driver build of Jan 7
  2026 22:51:46
  * 580.126.09-sm_86-20260107-625146-{DIGEST}.tar.zst: driver build of Jan 7
  2026 22:51:46

=== wrong-name
in: store-wrong-name
$ touch packs/*
$ JITWARM_STORE="$PWD/packs" "$JITWARM" list
  Store    {SCRATCH}/packs
  Holds    1 pack: 759 B of 2 GiB

  DRIVER      GPU    ENTRIES  RAW  PACKED  AGE  SIGNED  OF
  580.126.09  sm_90  damaged    -   759 B  0 m  -       -

  * 580.126.09-sm_90-20260107-225146-{DIGEST}.tar.zst: its name and its
  manifest disagree about the driver or GPU
