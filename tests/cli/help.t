case overview:
$ jitwarm help
jitwarm: *
scan *
$ jitwarm --help
scan *

case of-a-verb:
$ jitwarm help scan
--check* *
* of every verb
$ jitwarm scan -h
More: jitwarm help scan

case unknown:
$ jitwarm skan
? 2
jitwarm: 'skan' is not a verb; did you mean scan? (jitwarm help)
$ jitwarm scan --chek x --json
? 2
.schema = "jitwarm.error/1"
.result = "error"
.verb = "scan"
.exit = 2
[bad] jitwarm: --chek is not an option; did you mean --check? (jitwarm help scan)
$ jitwarm --json scan
? 2
jitwarm: options come after the verb: *
