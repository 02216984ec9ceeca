=== file-name-with-markup
skip on windows: such a name is none there
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" '<img src=x onerror=alert(1)>&.so'
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" prime --as-root -j 1 -q './<img src=x onerror=alert(1)>&.so' >/dev/null
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" report -q -o page.html
$ grep -o "&lt;img[^<]*" page.html
$ grep -c "<img\|<script" page.html
  &lt;img src=x onerror=alert(1)&gt;&amp;.so is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (compute capability 8.6): the driver&#39;s cache has the one module that would be compiled
  &lt;img src=x onerror=alert(1)&gt;&amp;.so
  &lt;img src=x onerror=alert(1)&gt;&amp;.so
  0
exit 1

=== next-without-a-driver
skip with a GPU: it would be named
$ JITWARM_DRIVER=/none "$JITWARM" report | grep -A1 "<h3>Next"
  <h3>Next</h3>
  <pre>unset JITWARM_DRIVER</pre>

=== another-format-by-its-name
$ for f in page.pdf page.md; do "$JITWARM" report -o $f; echo "exit $?"; done; ls
  exit 2
  exit 2
!  jitwarm report: page.pdf: a report is HTML: name it .html (jitwarm help report)
!  jitwarm report: page.md: a report is HTML: name it .html (jitwarm help report)

=== missing-folder
$ JITWARM_DRIVER=/none "$JITWARM" report -o missing/page.html
!  jitwarm report: --output: missing: no such folder (jitwarm help report)
exit 2

=== no-overwriting
$ JITWARM_DRIVER=/none "$JITWARM" report -q -o page.html
$ JITWARM_DRIVER=/none "$JITWARM" report -o page.html
!  jitwarm: page.html: already exists; --yes replaces it
exit 4

=== standard-output
$ JITWARM_DRIVER=/none "$JITWARM" report -o - | head -c 15; ls
  <!doctype html>
\
