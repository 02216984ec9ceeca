=== beside
in: entry-and-log
$ "$JITWARM" inspect x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 62:51:46
  Made     by jitwarm 0.0.1, cache format known to level 3 (placeable)
  Holds    1 entry, 3 KiB unpacked, 808 B packed
  Signed   with key 0807060504030201, not verified (.minisig beside it)

  ENTRIES   SIZE  VERSION  FROM
        1  423 B  1.2      libfirst.so

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== cut-off
in: pack-cut
$ head -c 300 x.tar.zst > part
$ "$JITWARM" inspect part
$ echo $?
$ "$JITWARM" inspect - < part
  6
!  jitwarm: part: trailer: the file does not end in one (0x12c): it is cut off, no pack, or something follows
!  jitwarm: standard input: trailer: the file does not end in one (0x12c): it is cut off, no pack, or something follows
exit 6

=== empty-name
$ "$JITWARM" inspect ""
$ echo $?
$ "$JITWARM" inspect
  2
!  jitwarm inspect: the name of the pack is empty (jitwarm help inspect)
!  jitwarm inspect: FILE|- is missing (jitwarm help inspect)
exit 2

=== entries
in: pack
$ "$JITWARM" inspect --entries x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 62:51:46
  Made     by jitwarm 0.0.1, cache format known to level 3 (placeable)
  Holds    5 entries, 14 KiB unpacked, 2.7 KiB packed; the largest entry has 4 KiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES   SIZE  VERSION  FROM
        2  5 KiB  1.2      libfirst.so
        2  2 KiB  -        libsecond.so
        1  1 KiB  -        unknown software

  ENTRY               KEY  CODE  MADE      FROM
  1/a/833add760d0a8c   90   905  compiled  libsecond.so
  4/0/391505b39f2ece   90   905  compiled  -
  5/6/2dd48545ce7de7   90   905  compiled  libfirst.so
  9/d/86a395c400cdd0   90  4005  compiled  libfirst.so
  a/6/0a7696b72e9791   90   905  compiled  libsecond.so

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== frames
in: pack-frames
$ "$JITWARM" inspect - < x.tar.zst
  Pack     standard input
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 62:51:46
  Made     by jitwarm 0.0.1, cache format known to level 3 (placeable)
  Holds    3 entries, 74 MiB unpacked, 8.9 KiB packed; the largest entry has
           40 MiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES    SIZE  VERSION  FROM
        1  40 MiB  1.2      libfirst.so
        1  17 MiB  -        libsecond.so
        1  17 MiB  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== forged
in: ptx
$ "$JITWARM" compile --quiet --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" -o x.tar.zst add.ptx > /dev/null
$ "$JITWARM" inspect x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver unknown, build of Jan 7 2026 62:51:46
  Made     at 2026-09-21T14:13:20Z, number 1, by jitwarm {VERSION}, on a machine
           without that driver
* Holds    2 entries, 5.5 KiB unpacked, * KiB packed; the largest entry has
           865 B
  Signed   no
  Note     2 entries were made by another compiler, ptxas 13.0.88, not compiled by
           the driver that the pack is for

  ENTRIES   SIZE  VERSION  FROM
        1  720 B  -        add.ptx
        1  865 B  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== forged-json
in: ptx
$ "$JITWARM" compile --quiet --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/simptxas" -o x.tar.zst add.ptx > /dev/null
$ "$JITWARM" inspect x.tar.zst --json
  {
    "schema": "jitwarm.inspect/1",
    "file": "x.tar.zst",
*   "bytes": *,
    "tar_bytes": 5632,
    "signature": {
      "where": "none",
      "key": null,
      "verified": false
    },
    "format": "jitwarm.pack/1",
    "tool": "{VERSION}",
    "os": "linux",
*   "arch": "*",
    "driver": null,
    "stamp": "Jan  7 202662:51:46",
    "simulated": true,
    "sm": 86,
    "level": 5,
    "date": 1790000000,
    "counter": 1,
    "compiler": {
      "name": "ptxas",
      "version": "13.0.88"
    },
    "origins": [
      {
        "name": "add.ptx",
        "version": null,
        "build": null,
        "digest": "2855d5c80624f7581760f5800e3060fc160d7a30b0b007261860f234b63f1bdd",
        "entries": 1,
        "bytes": 720
      }
    ],
    "unnamed": {
      "entries": 1,
      "bytes": 865
    },
    "made": {
      "compiled": {
        "entries": 0,
        "bytes": 0
      },
      "carried": {
        "entries": 0,
        "bytes": 0
      },
      "forged": {
        "entries": 2,
        "bytes": 1585
      }
    },
    "totals": {
      "entries": 2,
      "bytes": 1585
    }
  }

=== forged-nvjitlink
skip on windows: the pretended compiler is not called .exe there
in: ptx
$ "$JITWARM" compile --quiet --for "driver=Jan  7 202662:51:46,sm=86" --compiler "$SIM/libnvJitLink-sim.so" -o x.tar.zst add.ptx > /dev/null
$ "$JITWARM" inspect x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver unknown, build of Jan 7 2026 62:51:46
  Made     at 2026-09-21T14:13:20Z, number 1, by jitwarm {VERSION}, on a machine
           without that driver
* Holds    2 entries, 5.5 KiB unpacked, * KiB packed; the largest entry has
           865 B
  Signed   no
  Note     2 entries were made by another compiler, nvJitLink 13.0.88, not
           compiled by the driver that the pack is for

  ENTRIES   SIZE  VERSION  FROM
        1  720 B  -        add.ptx
        1  865 B  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware

=== json
in: pack-cut
$ "$JITWARM" inspect --json x.tar.zst
  {
    "schema": "jitwarm.inspect/1",
    "file": "x.tar.zst",
    "bytes": 808,
    "tar_bytes": 3072,
    "signature": {
      "where": "none",
      "key": null,
      "verified": false
    },
    "format": "jitwarm.pack/1",
    "tool": "0.0.1",
    "os": "linux",
    "arch": "x86_64",
    "driver": "580.126.09",
    "stamp": "Jan  7 202662:51:46",
    "simulated": true,
    "sm": 86,
    "level": 3,
    "origins": [
      {
        "name": "libfirst.so",
        "version": "1.2",
        "build": "gnu:5a17",
        "digest": null,
        "entries": 1,
        "bytes": 423
      }
    ],
    "unnamed": {
      "entries": 0,
      "bytes": 0
    },
    "made": {
      "compiled": {
        "entries": 1,
        "bytes": 423
      },
      "carried": {
        "entries": 0,
        "bytes": 0
      },
      "forged": {
        "entries": 0,
        "bytes": 0
      }
    },
    "totals": {
      "entries": 1,
      "bytes": 423
    }
  }

=== json-entries
in: pack
$ "$JITWARM" inspect --json --entries - < x.tar.zst
  {
    "schema": "jitwarm.inspect/1",
    "file": "-",
    "bytes": 2757,
    "tar_bytes": 14336,
    "signature": {
      "where": "inside",
      "key": "0807060504030201",
      "verified": false
    },
    "format": "jitwarm.pack/1",
    "tool": "0.0.1",
    "os": "linux",
    "arch": "x86_64",
    "driver": "580.126.09",
    "stamp": "Jan  7 202662:51:46",
    "simulated": true,
    "sm": 86,
    "level": 3,
    "origins": [
      {
        "name": "libfirst.so",
        "version": "1.2",
        "build": "gnu:5a17",
        "digest": null,
        "entries": 2,
        "bytes": 5146
      },
      {
        "name": "libsecond.so",
        "version": null,
        "build": null,
        "digest": null,
        "entries": 2,
        "bytes": 2046
      }
    ],
    "unnamed": {
      "entries": 1,
      "bytes": 1023
    },
    "made": {
      "compiled": {
        "entries": 5,
        "bytes": 8215
      },
      "carried": {
        "entries": 0,
        "bytes": 0
      },
      "forged": {
        "entries": 0,
        "bytes": 0
      }
    },
    "entries": [
      {
        "name": "1/a/833add760d0a8c",
        "key_bytes": 90,
        "payload_bytes": 905,
        "digest": "03f5f01f102a08197403917e9d479376d5f534c0dbe0810e96d03ad9575bca06",
        "origin": 1,
        "made": "compiled"
      },
      {
        "name": "4/0/391505b39f2ece",
        "key_bytes": 90,
        "payload_bytes": 905,
        "digest": "eb4c888202d2599935cc60c372f0f41c4abab55bde3dc27a1dd80ecb0b247e9d",
        "origin": null,
        "made": "compiled"
      },
      {
        "name": "5/6/2dd48545ce7de7",
        "key_bytes": 90,
        "payload_bytes": 905,
        "digest": "bf0333d4a0dd0c3ab2ad09a4327614eb2d39698eaed80a379ed7388d5523053c",
        "origin": 0,
        "made": "compiled"
      },
      {
        "name": "9/d/86a395c400cdd0",
        "key_bytes": 90,
        "payload_bytes": 4005,
        "digest": "81d93deb9ffea67dd5aba4f00bd898f306f479b28fbc1dde0ec50aa2ac4f3f9a",
        "origin": 0,
        "made": "compiled"
      },
      {
        "name": "a/6/0a7696b72e9791",
        "key_bytes": 90,
        "payload_bytes": 905,
        "digest": "3bb5033656b24c02c4cba09073dcecac3d2603869dbf2dbf4ebe48b767ff5240",
        "origin": 1,
        "made": "compiled"
      }
    ],
    "totals": {
      "entries": 5,
      "bytes": 8215
    }
  }

=== missing
$ "$JITWARM" inspect none.tar.zst
!  jitwarm inspect: none.tar.zst: no such file (jitwarm help inspect)
exit 2

=== no-pack
$ echo "no pack at all" > note.txt
$ : > empty
$ "$JITWARM" inspect note.txt
$ echo $?
$ "$JITWARM" inspect empty
$ echo $?
$ "$JITWARM" inspect - < note.txt
$ echo $?
$ "$JITWARM" inspect - < empty
$ echo $?
$ "$JITWARM" inspect --json .
  6
  6
  6
  6
!  jitwarm: note.txt: it is not a pack: it does not begin with a zstd frame
!  jitwarm: empty: it is empty
!  jitwarm: standard input: it is not a pack: it does not begin with a zstd frame
!  jitwarm: standard input: it is empty
!  jitwarm inspect: .: is a folder; a pack is a file (jitwarm help inspect)
exit 2

=== text
in: pack
$ "$JITWARM" inspect x.tar.zst
  Pack     x.tar.zst
  For      sm_86 on linux x86_64, driver 580.126.09, build of Jan 7 2026 62:51:46
  Made     by jitwarm 0.0.1, cache format known to level 3 (placeable)
  Holds    5 entries, 14 KiB unpacked, 2.7 KiB packed; the largest entry has 4 KiB
  Signed   with key 0807060504030201, not verified (signature in the pack)

  ENTRIES   SIZE  VERSION  FROM
        2  5 KiB  1.2      libfirst.so
        2  2 KiB  -        libsecond.so
        1  1 KiB  -        unknown software

  Not verified; jitwarm import --dry-run verifies a pack without changing
  anything.
  simulated: this was jitwarm's own simulated driver; nothing here is about hardware
