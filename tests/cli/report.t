=== file-name-with-markup
skip on windows: such a name is none there
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" '<img src=x onerror=alert(1)>&.so'
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" prime --as-root -j 1 -q './<img src=x onerror=alert(1)>&.so' >/dev/null
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" report -q -o page.html
$ grep -o "&lt;img[^<]*" page.html
$ grep -c "<img\|<script" page.html
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" report --format md | grep "img src"
  &lt;img src=x onerror=alert(1)&gt;&amp;.so is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (compute capability 8.6): the driver&#39;s cache has the one module that would be compiled
  &lt;img src=x onerror=alert(1)&gt;&amp;.so
  &lt;img src=x onerror=alert(1)&gt;&amp;.so
  0
  | \<img src=x onerror=alert(1)\>\&.so | NVIDIA GeForce RTX 3070 Laptop GPU (simulated) | WARM | in the cache |  |
  * **Note**: \<img src=x onerror=alert(1)\>\&.so is warm for NVIDIA GeForce RTX 3070 Laptop GPU (simulated) (compute capability 8.6): the driver's cache has the one module that would be compiled. The next start compiles nothing
* | k0 | \<img src=x onerror=alert(1)\>\&.so | sm\_86 | 4.5 KiB | *0.1 s |

=== next-without-a-driver
skip with a GPU: it would be named
$ JITWARM_DRIVER=/none "$JITWARM" report --format md | sed '1,/^Next/d' | grep .
      unset JITWARM_DRIVER

=== another-format-by-its-name
$ for f in page.pdf page.json; do "$JITWARM" report -o $f; echo "exit $?"; done; ls
  exit 2
  exit 2
!  jitwarm report: page.pdf: a report is HTML or Markdown: name it .html or .md, or say --format (jitwarm help report)
!  jitwarm report: page.json: a report is HTML or Markdown: name it .html or .md, or say --format (jitwarm help report)

=== missing-folder
$ JITWARM_DRIVER=/none "$JITWARM" report -o missing/page.html
!  jitwarm: missing: no such folder
exit 4

=== no-overwriting
$ JITWARM_DRIVER=/none "$JITWARM" report -q -o page.html
$ JITWARM_DRIVER=/none "$JITWARM" report -o page.html
!  jitwarm: page.html: already exists; --yes replaces it
exit 4

=== markdown-by-its-name
$ JITWARM_DRIVER=/none "$JITWARM" report -q -o page.md && head -c 3 page.md
$ JITWARM_DRIVER=/none "$JITWARM" report -q -o page.html && head -c 9 page.html
$ JITWARM_DRIVER=/none "$JITWARM" report -q --format html -o other.md && head -c 9 other.md
  ## <!doctype<!doctype
\
