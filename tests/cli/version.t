case version:
$ jitwarm version
jitwarm {version}
$ "$JITWARM" version --json
.schema = "jitwarm.version/1"
.version = "{version}"
