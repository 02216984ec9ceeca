=== cache-off
skip on windows: there is no sh to be started there
$ CUDA_CACHE_DISABLE=1 "$JITWARM" run -- true
!  jitwarm: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every start compiles again; starting the command anyway
!  jitwarm: To do: unset CUDA_CACHE_DISABLE && jitwarm run -- true

=== no-such-command
skip on windows: there is no sh to be started there
$ "$JITWARM" run -- no-such-command
!  jitwarm: no-such-command: not found
exit 127

=== not-a-program
skip on windows: there is no sh to be started there
$ touch text
$ "$JITWARM" run -- ./text
!  jitwarm: no CUDA driver was found: libcuda.so.1: cannot open shared object file: No such file or directory; starting the command anyway
!  jitwarm: ./text: permission denied
exit 126

=== not-all-warm
skip on windows: there is no sh to be started there
$ cold_libraries
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime -q --yes --as-root lib >/dev/null
$ head -c 300 "$GEN/elf/registered.so" >lib/cut.so
$ "$JITWARM" run -- true
!  jitwarm: 1 file could not be read (jitwarm prime shows more); starting the command anyway
!  jitwarm: recording what this start loads, so that the next one can be warmed before it begins

=== not-known
skip on windows: there is no sh to be started there
$ "$JITWARM" run -v -- true
!  jitwarm: no CUDA driver was found: libcuda.so.1: cannot open shared object file: No such file or directory; starting the command anyway

=== nothing
$ "$JITWARM" run
!  jitwarm run: -- CMD... is missing (jitwarm help run)
exit 2

=== stale
skip on windows: there is no sh to be started there
$ cold_libraries
$ export CUDA_CACHE_PATH="$PWD/cache"
$ "$JITWARM" prime -q --yes --as-root lib >/dev/null
$ rm -r cache
$ "$JITWARM" run -- sh -c "find cache -type f | wc -l"
  3
!  jitwarm: recording what this start loads, so that the next one can be warmed before it begins

=== streams-and-code
skip on windows: there is no sh to be started there
$ echo hello | "$JITWARM" run -- sh -c "cat; echo told >&2; exit 3"
  hello
!  jitwarm: no CUDA driver was found: libcuda.so.1: cannot open shared object file: No such file or directory; starting the command anyway
!  told
exit 3

=== as-root-is-taken
skip on windows: there is no sh to be started there
$ CUDA_CACHE_DISABLE=1 "$JITWARM" run --as-root -- true
!  jitwarm: CUDA_CACHE_DISABLE=1: the driver caches nothing, and every start compiles again; starting the command anyway
!  jitwarm: To do: unset CUDA_CACHE_DISABLE && jitwarm run --as-root -- true
