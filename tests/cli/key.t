case pair:
$ jitwarm key
No key is trusted here: import takes packs only with --trust or --allow-unsigned.
$ jitwarm key --new a.key --no-passphrase
[good] A key pair for signing packs was made.
Trusted here *jitwarm*keys*.pub
- *Roaming/jitwarm*
$ conf=$XDG_CONFIG_HOME; [ -z "$MACHINE" ] || conf=$MACHINE/drive_c/users/ada/AppData/Roaming; printf 'trust = %s\n' "$(tail -n 1 a.pub)" >"$conf/jitwarm/jitwarm.conf"; jitwarm key
Packs are taken if one of these keys signed them.
* RW* *jitwarm*keys*.pub
* RW* *jitwarm.conf:1
$ jitwarm key --new c.key --no-passphrase --json | grep -q '"secret_file": "c.key"'
$ jitwarm key --json
.keys.0.public_key ~ "RW"
$ jitwarm key --new a.key --no-passphrase
? 4
[bad] jitwarm: a.key: already exists, and a key is never overwritten; *
$ jitwarm key --no-passphrase --new none/x.key
? 2
[bad] jitwarm: none: no such folder *
$ jitwarm key --no-passphrase
? 2
[bad] jitwarm: --no-passphrase needs --new FILE (jitwarm help key)
$ jitwarm key --new b.key
? 7
[bad] jitwarm: there is no terminal to ask for the passphrase; for a key without one add --no-passphrase
$ test ! -e b.key -a ! -e b.pub

case empty-passphrase-and-a-file-that-is-no-key: make_key
skip windows
$ echo junk >"$XDG_CONFIG_HOME/jitwarm/keys/a.pub"; jitwarm key
? 6
[bad] No pack is taken: *a.pub: * delete it, or put the whole .pub file there
* RW* *keys*.pub
$ "$SOURCE/tests/cli/terminal.py" "" "Passphrase for the new key" "$JITWARM" key --new b.key
? 2
*no key was made: the passphrase is empty
