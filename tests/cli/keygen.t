=== exists
skip on windows: modes and terminals are those of Linux
$ echo mine > a.key
$ "$JITWARM" keygen --no-passphrase -o a.key
$ echo $?
$ echo theirs > b.pub
$ "$JITWARM" keygen --no-passphrase -o b.key
$ echo $?
$ cat *
$ ls -A
  4
  4
  mine
  theirs
  a.key
  b.pub
!  jitwarm: a.key: already exists, and keygen never overwrites a key; move it away, or name another file with -o FILE
!  jitwarm: b.pub: already exists, and keygen never overwrites a key; move it away, or name another file with -o FILE

=== key
skip on windows: modes and terminals are those of Linux
$ umask 002
$ "$JITWARM" keygen --no-passphrase -o a.key
$ stat -c "%a %n" a.key
$ head -1 a.key a.pub
* Key         *, Ed25519, in minisign's formats, without a
              passphrase
  Secret      a.key
  Public      a.pub
  Sign packs with export --sign and the secret file, which only you should have.
  To import them, other people need the public file: import --trust FILE, or a
  copy in their key folder (jitwarm help keygen).
  600 a.key
  ==> a.key <==
  untrusted comment: minisign encrypted secret key

  ==> a.pub <==
* untrusted comment: minisign public key *

=== no-name
skip on windows: modes and terminals are those of Linux
$ "$JITWARM" keygen -o -
$ echo $?
$ "$JITWARM" keygen --no-passphrase -o none/at/all/a.key
$ ls -A
  2
!  jitwarm keygen: --output needs the name of a file for the secret key (jitwarm help keygen)
!  jitwarm: none/at/all: no such folder

=== no-terminal
skip on windows: modes and terminals are those of Linux
$ setsid "$JITWARM" keygen -o a.key < /dev/null
$ echo $?
$ ls -A
  7
!  jitwarm: there is no terminal to ask for the passphrase; for a key without one add --no-passphrase

=== usual-place
skip on windows: modes and terminals are those of Linux
$ "$JITWARM" keygen --no-passphrase --json
$ cd "$XDG_CONFIG_HOME/jitwarm"
$ { stat -c "%a %n" . jitwarm.key && ls -A; } >&2
  {
    "schema": "jitwarm.keygen/1",
*   "key": "*",
*   "secret_file": "*/home/config/jitwarm/jitwarm.key",
*   "public_file": "*/home/config/jitwarm/jitwarm.pub",
*   "public_key": "*",
    "passphrase": false
  }
!  700 .
!  600 jitwarm.key
!  jitwarm.key
!  jitwarm.pub
