=== after-two-dashes
$ "$JITWARM" version -- --json
!  jitwarm version: takes no arguments, but got '--json' (jitwarm help version)
exit 2

=== bad-choice
$ "$JITWARM" version --color=red
!  jitwarm version: --color takes auto, always or never, not 'red' (jitwarm help version)
exit 2

=== flag-with-value
$ "$JITWARM" version --json=1
!  jitwarm version: --json takes no value (jitwarm help version)
exit 2

=== json
$ "$JITWARM" version --json
  {
    "schema": "jitwarm.version/1",
    "version": "{VERSION}",
*   "commit": "*",
*   "build": "*",
*   "compiler": "*",
*   "platform": "*",
    "libraries": {
*     "ISA-L": "*.*",
*     "cJSON": "*.*",
*     "libsodium": "*.*",
*     "lz4": "*.*",
*     "zstd": "*.*"
    }
  }

=== missing-value
$ "$JITWARM" version --color
!  jitwarm version: --color needs a value: --color WHEN (jitwarm help version)
exit 2

=== one-dash
$ "$JITWARM" version -json
!  jitwarm version: -json is not an option; did you mean --json? (jitwarm help version)
exit 2

=== option
$ "$JITWARM" --version
  jitwarm {VERSION}

=== option-as-value
$ "$JITWARM" version --color --json
  {
    "schema": "jitwarm.error/1",
    "verb": "version",
    "exit": 2,
    "why": "--color needs a value, but --json looks like an option (if it is the value, write --color=--json)",
    "todo": [
      "jitwarm help version"
    ]
  }
!  jitwarm version: --color needs a value, but --json looks like an option (if it is the value, write --color=--json) (jitwarm help version)
exit 2

=== json-by-other-options
$ "$JITWARM" version --json >answer
$ "$JITWARM" --version --json | cmp - answer
$ "$JITWARM" version --color always --color never --json -qv | cmp - answer

=== text
$ "$JITWARM" version
  jitwarm {VERSION}

=== verbose
$ "$JITWARM" version -v
  jitwarm {VERSION}
* Commit    *
* Build     *
* Compiler  * *
* Platform  *
* Libraries ISA-L *.*, cJSON *.*, libsodium *.*, lz4 *.*, zstd *.*

=== too-many
$ "$JITWARM" version 1
!  jitwarm version: takes no arguments, but got '1' (jitwarm help version)
exit 2

=== unknown-option
$ "$JITWARM" version --jsno
!  jitwarm version: --jsno is not an option; did you mean --json? (jitwarm help version)
exit 2

=== unknown-short
$ "$JITWARM" version -x
!  jitwarm version: -x is not an option (jitwarm help version)
exit 2
