case version:
$ jitwarm version
jitwarm {version}
- Commit *
$ jitwarm version -v
jitwarm {version}
Commit *
$ jitwarm --version >/dev/null
$ jitwarm -V
jitwarm {version}
$ "$JITWARM" version --json

case a-full-disk:
skip windows
$ "$JITWARM" version >/dev/full
? 4
jitwarm: cannot write the output: *
