=== driver-away
$ JITWARM_DRIVER=/nowhere/libcuda.so.1 JITWARM_STATE="$PWD/state" "$JITWARM" key
!  jitwarm: the driver is unknown (no CUDA driver was found), and no driver was used here before
exit 3

=== gpu
$ simulated_driver; "$JITWARM" key --gpu sm_90 --gpu 8.6
* jitwarm2-linux-*-sm_86-sm_90-20260107-625146

=== gpu-no-architecture
$ simulated_driver; "$JITWARM" key --gpu sm_999
!  jitwarm key: --gpu: "sm_999" is no architecture that CUDA has: known are sm_20 to sm_121 (jitwarm help key)
exit 2

=== gpu-unknown
$ simulated_driver; "$JITWARM" key --gpu sm
!  jitwarm key: --gpu: no GPU is called "sm"; name one as sm_86, 8.6, 10de:2484 or "RTX 3070" (jitwarm help key)
exit 2

=== itself
$ simulated_driver; "$JITWARM" key
* jitwarm2-linux-*-sm_86-20260107-625146

=== new-exists
skip on windows: modes and terminals are those of Linux
$ echo mine > a.key
$ "$JITWARM" key --no-passphrase --new a.key
$ echo $?
$ echo theirs > b.pub
$ "$JITWARM" key --no-passphrase --new b.key
$ echo $?
$ cat *
$ ls -A
  4
  4
  mine
  theirs
  a.key
  b.pub
!  jitwarm: a.key: already exists, and a key is never overwritten; move it away, or name another file
!  jitwarm: b.pub: already exists, and a key is never overwritten; move it away, or name another file

=== new-home
skip on windows: modes and terminals are those of Linux
$ unset XDG_CONFIG_HOME; mkdir home; export HOME="$PWD/home"; umask 022
$ "$JITWARM" key --no-passphrase --new "$HOME/.config/jitwarm/jitwarm.key" | sed -n 's/ file .*home/: /p'
$ (cd home; stat -c "%a %n" .config/jitwarm .config/jitwarm/*)
  Secret: /.config/jitwarm/jitwarm.key
  Public: /.config/jitwarm/jitwarm.pub
  700 .config/jitwarm
  600 .config/jitwarm/jitwarm.key
  644 .config/jitwarm/jitwarm.pub

=== new-json
skip on windows: modes and terminals are those of Linux
$ "$JITWARM" key --no-passphrase --json --new lab.key
$ { stat -c "%a %n" lab.key && ls -A; } >&2
  {
    "schema": "jitwarm.new-key/1",
*   "key": "*",
    "secret_file": "lab.key",
    "public_file": "lab.pub",
*   "public_key": "*",
    "passphrase": false
  }
!  600 lab.key
!  lab.key
!  lab.pub

=== new-key
skip on windows: modes and terminals are those of Linux
$ umask 002
$ "$JITWARM" key --no-passphrase --new a.key
$ stat -c "%a %n" a.key
$ head -1 a.key a.pub
* Key         *
  Secret file a.key
  Public file a.pub
* Public key  *
  Passphrase  no
  Sign packs with export --sign and the secret file, which only you should have.
  To import them, other people need the public key: import --trust KEY, or a copy
  of its file in their key folder (jitwarm help key).
  600 a.key
  ==> a.key <==
  untrusted comment: minisign encrypted secret key

  ==> a.pub <==
* untrusted comment: minisign public key *

=== new-no-name
skip on windows: modes and terminals are those of Linux
$ "$JITWARM" key --new -
$ echo $?
$ "$JITWARM" key --no-passphrase --new none/at/all/a.key
$ ls -A
  2
!  jitwarm key: --new needs the name of a file for the secret key (jitwarm help key)
!  jitwarm key: --new: none/at/all: no such folder (jitwarm help key)

=== new-no-terminal
skip on windows: modes and terminals are those of Linux
$ setsid "$JITWARM" key --new a.key < /dev/null
$ echo $?
$ ls -A
  7
!  jitwarm: there is no terminal to ask for the passphrase; for a key without one add --no-passphrase

=== no-passphrase-alone
$ "$JITWARM" key --no-passphrase
!  jitwarm key: --no-passphrase needs --new FILE (jitwarm help key)
exit 2
