case version:
$ jitwarm version
jitwarm {version}
- Commit *
$ jitwarm version -v
jitwarm {version}
Commit *
$ jitwarm --version
jitwarm {version}
$ "$JITWARM" version --json
.schema = "jitwarm.version/1"

case a-full-disk:
skip windows
$ "$JITWARM" version >/dev/full
? 4
jitwarm: cannot write the output: *
