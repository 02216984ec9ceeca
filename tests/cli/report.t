=== file-name-with-markup
skip on windows: such a name is none there
$ simulated_driver
$ cp "$GEN/elf/only-ptx.so" '<img src=x onerror=alert(1)>&.so'
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" prime --as-root -j 1 -q './<img src=x onerror=alert(1)>&.so' >/dev/null
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" report -q -o page.html
$ grep -o "&lt;img[^<]*" page.html
$ grep -c "<img\|<script" page.html
$ CUDA_CACHE_PATH="$PWD/cache" "$JITWARM" report --format md | grep "img src"
  &lt;img src=x onerror=alert(1)&gt;&amp;.so
  0
  | k0 | \<img src=x onerror=alert(1)\>\&.so | sm\_86 | 4.5 KiB | 0.0 s |

=== html
in: report
$ "$JITWARM" report --merge a.json | sed "1,/^<body>/d"
  <h1>jitwarm report: node&lt;1&gt;.lab</h1>
  <dl>
  <dt>GPU</dt><dd>NVIDIA GeForce RTX 3090 (sm_86), NVIDIA H100 80GB HBM3 (sm_90)</dd>
  <dt>Driver</dt><dd>580.126.09</dd>
  <dt>Warm</dt><dd>4,990 of 5,000 modules (last prime: 2026-11-20 08:00 UTC)</dd>
  <dt>Cache</dt><dd>900 MiB of 1 GiB, in /home/&quot;ada&quot;/.nv/ComputeCache</dd>
  <dt>Time saved</dt><dd>2 h 55 min of compiling for 5,000 modules, measured by prime; a start does not wait for it again</dd>
  <dt>Report</dt><dd>2026-11-21 13:09 UTC, by jitwarm 9.9.9</dd>
  </dl>
  <h3>Next</h3>
  <pre>jitwarm env apply</pre>
  <pre>jitwarm prime</pre>
  <h3>Findings</h3>
  <div class="finding warn"><strong>Warning</strong><p>the cache&#39;s limit is &lt;too&gt; small</p>
  <p>entries are pushed out</p>
  <p>Fix: raise it</p>
  <pre>jitwarm env apply</pre>
  </div>
  <div class="finding dim"><strong>Note</strong><p>a tab\x09here and \x1b[31m red</p>
  </div>
  <h3>Software</h3>
  <div class="wide"><table class="stack"><tr><th>Software<th>GPU<th>Verdict<th>What happens<th class="n">PTX to compile</tr>
  <tr><td class="name">PyTorch 2.9 &amp; friends</td><td>NVIDIA GeForce RTX 3090</td><td class="v warn">JIT_FIRST</td><td>compiled at the first start (compute_75)</td><td class="n">5 MiB</td></tr>
  <tr><td class="name">커널 1.0</td><td>NVIDIA H100 80GB HBM3</td><td class="v good">NATIVE</td><td>starts at once</td><td class="n"></td></tr>
  </table></div>
  <h3>Cache by driver build</h3>
  <svg viewBox="0 0 1000 24" preserveAspectRatio="none" style="height:24px" role="img" aria-label="How full the cache is"><rect class="rail" width="1000" height="24"/><rect class="bar" x="0.00" width="683.59" height="24"/><rect class="old" x="683.59" width="195.31" height="24"/></svg>
  <div class="wide"><table><tr><th>Driver build<th>GPU<th>State<th class="n">Entries<th class="n">Size</tr>
  <tr><td>Jan  7 2026 22:51:46</td><td>sm_86</td><td>current</td><td class="n">4,990</td><td class="n">700 MiB</td></tr>
  <tr><td>Sep  4 2024 01:52:30</td><td>sm_86</td><td>earlier</td><td class="n">900</td><td class="n">200 MiB</td></tr>
  </table></div>
  <h3>Last prime, by worker</h3>
  <table class="lanes"><tr><td>1</td><td><svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label="Worker 1"><rect x="0.00" width="995.58" height="12"><title>mul_mat_q, 1 min 30 s</title></rect><rect x="996.68" width="3.32" height="12"><title>&lt;img src=x&gt;, 0.3 s</title></rect></svg></td></tr>
  <tr><td>2</td><td><svg viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label="Worker 2"><rect x="0.55" width="442.48" height="12"><title>no kernel named, 40 s</title></rect></svg></td></tr>
  </table>
  <p class="dim">3 modules, 2 workers, 1 min 30 s</p>
  <h3>Slowest modules</h3>
  <div class="wide"><table class="slow"><tr><th>Kernel<th>Software<th>GPU<th class="n">PTX<th class="n">Time<th></tr>
  <tr><td class="name">mul_mat_q</td><td class="name">&lt;img src=x onerror=&quot;document.title=&#39;hit&#39;&quot;&gt;.so</td><td>sm_86</td><td class="n">4 MiB</td><td class="n">1 min 30 s</td><td style="width:30%;min-width:5rem"><svg viewBox="0 0 100 6" preserveAspectRatio="none" style="height:.8rem" aria-hidden="true"><rect class="bar" width="100.0" height="6"/></svg></td></tr>
  <tr><td class="name">&lt;b&gt;x&lt;/b&gt;</td><td class="name">&lt;/td&gt;&lt;/table&gt;&lt;script&gt;document.title=&#39;hit&#39;&lt;/script&gt;</td><td>sm_90</td><td class="n">1 KiB</td><td class="n">0.3 s</td><td style="width:30%;min-width:5rem"><svg viewBox="0 0 100 6" preserveAspectRatio="none" style="height:.8rem" aria-hidden="true"><rect class="bar" width="0.3" height="6"/></svg></td></tr>
  </table></div>
  <p class="dim">2 of 5000 modules</p>
  </body>
  </html>

=== json-comes-back
skip on windows: the simulated driver is not in System32
$ simulated_driver
$ "$JITWARM" report --format json -o a.json -q
$ "$JITWARM" report --format json >b.json
$ "$JITWARM" report --merge a.json b.json | grep -c "<details"
  2

=== markdown
in: report
$ "$JITWARM" report --merge a.json --format md
  ## node\<1\>.lab

  * GPU: NVIDIA GeForce RTX 3090 (sm\_86), NVIDIA H100 80GB HBM3 (sm\_90)
  * Driver: 580.126.09
  * Warm: 4,990 of 5,000 modules (last prime: 2026-11-20 08:00 UTC)
  * Cache: 900 MiB of 1 GiB, in /home/"ada"/.nv/ComputeCache
  * Time saved: 2 h 55 min of compiling for 5,000 modules, measured by prime; a start does not wait for it again
  * Report: 2026-11-21 13:09 UTC, by jitwarm 9.9.9

  | software | GPU | verdict | what happens | PTX to compile |
  |---|---|---|---|---:|
  | PyTorch 2.9 \& friends | NVIDIA GeForce RTX 3090 | JIT\_FIRST | compiled at the first start (compute\_75) | 5 MiB |
  | 커널 1.0 | NVIDIA H100 80GB HBM3 | NATIVE | starts at once |  |

  * **Warning**: the cache's limit is \<too\> small. entries are pushed out. Fix: raise it
  * **Note**: a tab\\x09here and \\x1b\[31m red

  | slowest modules | software | GPU | PTX | time |
  |---|---|---|---:|---:|
  | mul\_mat\_q | \<img src=x onerror="document.title='hit'"\>.so | sm\_86 | 4 MiB | 1 min 30 s |
  | \<b\>x\</b\> | \</td\>\</table\>\<script\>document.title='hit'\</script\> | sm\_90 | 1 KiB | 0.3 s |

  Next:

      jitwarm env apply
      jitwarm prime

=== merged
in: report
$ "$JITWARM" report --merge a.json b.json | grep -E "<h1>|#m|<details|not primed"
  <h1>jitwarm report: 2 machines</h1>
  <tr><td class="name"><a href="#m0">node&lt;1&gt;.lab</a></td><td>NVIDIA GeForce RTX 3090 and 1 more</td><td>580.126.09</td><td class="n warn">4,990 of 5,000</td><td class="n">900 MiB</td><td class="n warn">1</td></tr>
  <tr><td class="name"><a href="#m1">other</a></td><td>none</td><td>none</td><td class="n dim">not primed</td><td class="n">900 MiB</td><td class="n good">0</td></tr>
  <details><summary>node&lt;1&gt;.lab</summary>
  <details><summary>other</summary>

=== merge-not-a-report
in: report
$ "$JITWARM" report --merge a.json not.json
!  jitwarm: not.json: not a report: make one with jitwarm report --format json
exit 6

=== merge-nothing
$ "$JITWARM" report --merge
!  jitwarm report: --merge wants reports: FILE..., made with --format json (jitwarm help report)
exit 2

=== merge-no-such-file
$ "$JITWARM" report --merge none.json
!  jitwarm report: none.json: there is no such file (jitwarm help report)
exit 2

=== next-without-a-driver
skip with a GPU: it would be named
$ JITWARM_DRIVER=/none "$JITWARM" report --format md | tail -1
      jitwarm doctor

=== no-overwriting
in: report
$ "$JITWARM" report --merge a.json -o b.json
$ "$JITWARM" report --merge a.json -o b.json --force
!  jitwarm: b.json: already exists
!  jitwarm: wrote b.json

=== portable
skip on windows: the simulated driver is not in System32
$ simulated_driver
$ export CUDA_CACHE_PATH="$PWD/secret-folder/cache"
$ "$JITWARM" report --portable >page.html
$ grep -c "secret-folder\|$(hostname)" page.html
$ "$JITWARM" report --format md --portable | head -1
  0
  ## This machine

=== stray-file
$ "$JITWARM" report page.html
!  jitwarm report: 'page.html': files go with --merge; -o names the file to write (jitwarm help report)
exit 2
