=== missing
$ "$JITWARM" completions
!  jitwarm completions: SHELL is missing (jitwarm help completions)
exit 2

=== unknown
$ "$JITWARM" completions tcsh
!  jitwarm completions: SHELL must be bash, zsh or fish, not 'tcsh' (jitwarm help completions)
exit 2
