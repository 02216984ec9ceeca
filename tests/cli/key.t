case pair:
$ jitwarm key --new a.key --no-passphrase
[good] A key pair for signing packs was made.
Secret file a.key
Public file a.pub
Trusted here */jitwarm/keys/*.pub
$ jitwarm key --new a.key --no-passphrase
? 4
[bad] jitwarm: a.key: already exists, and a key is never overwritten; *
$ jitwarm key --no-passphrase
? 2

case no-terminal:
$ jitwarm key --new b.key
? 7
[bad] jitwarm: there is no terminal to ask for the passphrase; for a key without one add --no-passphrase
$ test ! -e b.key -a ! -e b.pub

case of-a-machine: simulated_driver
$ CUDA_CACHE_PATH= jitwarm key
sm_*-*
$ jitwarm key --gpu sm_90 --json
.keys.0 ~ "sm_90-"
$ jitwarm key --gpu sm_99
? 3
[bad] jitwarm: this jitwarm knows no GPU of sm_99
