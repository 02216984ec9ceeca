# The gate and the report of CUDA code in files. No driver and no GPU is asked.
case native:
$ jitwarm scan --gpu sm_86 "$GEN/elf/only-sass.so"
[good] Runs on sm_86, nothing to compile.
sm_86 FILE
native {gen}/elf/only-sass.so
$ jitwarm scan -v --gpu sm_86 "$GEN/elf/only-sass.so"
Holds *: elf, machine code for sm_75 sm_80 sm_86 sm_90
Why *only-sass.so on sm_86: machine code: 1

case compiles:
$ jitwarm scan --gpu sm_86,sm_90 "$GEN/elf/only-ptx.so" "$GEN/elf/registered.so"
[warn] Runs on sm_86, sm_90, compiled first: 2 files, 4 of 4 modules, * KiB, under 1 s.
sm_86,90 COMPILES FILE
$ jitwarm scan --gpu sm_90 "$GEN/elf/only-ptx.so" "$GEN/elf/rdc-and-linked.so" "$GEN/elf/only-sass.so"
[warn] Runs on sm_90, compiled first: 2 of 3 files, * modules, *.
Note The driver links 1 file at each start, which no cache keeps, the first: *rdc-and-linked.so

case some-gpus:
$ jitwarm scan --gpu sm_86,sm_70,sm_80 "$GEN/elf/only-sass.so" "$GEN/elf/tegra.so"
[bad] Does not run on sm_70, sm_80: 2 files.
sm_70 sm_80 sm_86 COMPILES FILE
[bad] none none compiles 1 of 1, * B, under 1 s {gen}/elf/tegra.so
[bad] none native native {gen}/elf/only-sass.so
Why *tegra.so on sm_70: nothing in it runs on this GPU: the oldest code is for sm_86 (*) (and 2 more: -v)
$ jitwarm scan "$GEN/elf/registered.so" --json
.result = "none"
.message = "Does not run on sm_61."
.verdicts.0.runs = false
.verdicts.1.state = "compiles"
.notes.0.text = "No GPU is known here: this is about common ones (--gpu names one)"
$ python3 -m zipfile -c a.whl "$GEN/elf/only-sass.so"; COLUMNS=30 "$JITWARM" scan --gpu sm_75,sm_80,sm_86,sm_120 a.whl
sm_120 FILE
none only-sass.so
1 column not shown (-v)

case too-new:
$ jitwarm scan --gpu sm_86 --driver 470 "$GEN/elf/only-ptx.so" --json
.result = "blocked"
.verdicts.0.needs_driver = "550"
$ cp "$GEN/elf/only-ptx.so" l_cuda130.so && cp "$GEN/elf/only-sass.so" l_cuda11.so
$ jitwarm scan --gpu sm_86 --driver 470 *.so
[bad] Does not run on sm_86: 1 of 2 files.
$ jitwarm scan -v --gpu sm_86 --driver 470 .
[good] Runs on sm_86, nothing to compile.
*l_cuda130.so on sm_86: for newer drivers: a library beside it is for this one

# Some of its modules are too new; the others run.
case runs-in-part:
$ jitwarm scan --gpu sm_86 --driver 470 "$GEN/elf/registered.so"
[bad] Runs in part on sm_86.
[bad] blocked *registered.so
Why *registered.so on sm_86: too new for driver 470: *; machine code: *

case of-the-driver: simulated_driver
$ jitwarm scan "$GEN/elf/only-ptx.so"
[warn] Runs on *RTX 3070* (sm_86), compiled first: 1 of 1 module, 4.5 KiB, under 1 s.

# Of many files those of one folder or package with the same verdicts are a row.
case many:
$ mkdir -p lib/site-packages/p; cp "$GEN"/elf/* lib; for n in $(seq 9); do cp lib/native.so lib/site-packages/p/z$n.so; done; jitwarm scan --gpu sm_86 lib
sm_86 COMPILES FILES FILE OR PACKAGE
none 1 family-and-specific.so
compiles 4 of 7, * KiB, under 1 s 6 lib
native 9 p
$ jitwarm scan -v --gpu sm_86 lib
native site-packages/p/z9.so

case nothing-to-run:
$ for n in 80 90; do printf '.version 8.0\n.target sm_%s\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n' $n >k_sm$n.ptx; done; jitwarm scan --gpu sm_86 k_sm80.ptx k_sm90.ptx
*- k_sm90.ptx

# The table of a gate has what fails.
case failed: two_libraries
$ cp "$GEN/elf/only-ptx.so" lib/y.so; cp "$GEN/elf/only-sass.so" lib/zz.so; jitwarm scan --check --gpu sm_86,sm_120 lib
? 1
[bad] Failed on sm_120: 1 of 4 files.
sm_120 sm_86 FILE
[bad] none native zz.so
- *y.so

case passed:
$ echo >a.py; python3 -m zipfile -c a.whl a.py; jitwarm scan --check=native --gpu sm_86 "$GEN/elf/only-sass.so" a.whl --json
.message = "Passed on sm_86."
.verdicts.1.state = null

case gate-without-code:
$ mkdir -p site-packages/p/tests; cp "$GEN/elf/only-ptx.so" site-packages/p/tests; cd site-packages; echo text >a.txt; jitwarm scan --check --gpu sm_86 a.txt p
? 1
[bad] No CUDA code that a driver loads was found.
$ jitwarm scan --check=native --gpu sm_86 a.txt p/tests/only-ptx.so
? 1
[bad] Failed on sm_86, compiled first: 1 of 1 module, 4.5 KiB, under 1 s.
Why p/tests/only-ptx.so on sm_86: compiled: 1 of 1 module, * of PTX
$ jitwarm scan --gpu sm_86 "dist/*.whl"
? 2
jitwarm: dist/*.whl: the pattern matched no file
$ jitwarm scan --gpu "RTX 3070," p
? 2
*--gpu: a name is missing beside a comma of *RTX 3070,*

# What is compiled of them is known only when they run.
case pieces:
$ cp "$GEN/elf/only-sass.so" a.so; printf '.version 7.0\n.target sm_%%d\n\0' >>a.so; jitwarm scan --check --gpu sm_86 a.so
[good] Passed on sm_86.
Note PTX in pieces, from which a program makes PTX while it runs (prime --run CMD finds it), the first: a.so
$ jitwarm scan --check=native --gpu sm_86 a.so
? 1
compiles a.so

# A program without a NUL behind its texts, as in Go: nothing says where they end.
case texts-side-by-side:
$ cp "$GEN/elf/only-sass.so" a.so; printf 'main.go\n.version 7.0\n.target sm_50\n.entry k() { ret; }\n\nUsage: a\0' >>a.so; jitwarm scan --check --gpu sm_86 a.so
? 1
[bad] Failed on sm_86.
[warn] ? a.so
Why a.so: PTX texts whose end is not known: 1; machine code: *
$ jitwarm scan --gpu sm_86 a.so
? 1
[warn] Not known whether it runs on sm_86.

# --driver-files is a gate with a driver: it needs GPUs and files, and has the driver's version.
case driver-files:
$ jitwarm scan --driver-files d --gpu sm_86 a.so
? 2
[bad] jitwarm: --driver-files is for the gate: --check *
$ jitwarm scan --check --driver-files d --driver 550 --gpu sm_86 a.so
? 2
[bad] jitwarm: --driver-files has the driver: leave --driver out *
$ jitwarm scan --check --driver-files d a.so
? 2
[bad] jitwarm: --driver-files: name the GPUs (--gpu sm_86) and the files *

# What has to be unpacked first is said, and so is what the other files are.
case unpacked-first:
$ printf '!<arch>\ndebian-binary   ' >b.deb; jitwarm scan --gpu sm_86 "$GEN/elf/only-sass.so" b.deb
? 1
[warn] Not known whether it runs: 1 of 2 files.
[good] native *only-sass.so
Why b.deb: has to be unpacked first (dpkg-deb -x b.deb FOLDER)
$ jitwarm scan --gpu sm_86 b.deb
? 2
[warn] Not known whether it runs.

case the-kernels-own-files:
skip windows
$ mkdir d; ln -s /proc d/l; jitwarm scan --gpu sm_86 /proc d
No CUDA code that a driver loads was found.

case zip:
$ mkdir lib; cp "$GEN/elf/only-sass.so" lib; printf 'PK\3\4 more than sixteen bytes' >lib/a.zip; jitwarm scan --gpu sm_86 lib
Note not looked into: 1 .zip file; name one to scan it
$ jitwarm scan --gpu sm_86 --exclude '*.so' --exclude '*.zip' lib
No CUDA code that a driver loads was found.

case gate-without-gpu:
$ jitwarm scan --check "$GEN/elf/only-ptx.so"
? 2
[bad] jitwarm: --check: no GPU was found here; name some: *

case not-there:
$ jitwarm scan --gpu sm_86 "$GEN/elf/only-sass.so" nowhere.so
? 2
[bad] jitwarm: nowhere.so: no such file or folder

case damaged:
$ : >e.so; echo '<html>an error</html>' >x.whl; jitwarm scan -v --gpu sm_86 e.so x.whl "$GEN/elf/only-sass.so"
? 1
[warn] Not known whether it runs: 2 of 3 files.
*x.whl: its content is not what its name says
$ printf 'P\355U\272\1\0\20\0\0\0\0\0\0\0\0\200xxxxxxxxxxxxxxxx' >x.fatbin; printf '.version 6.0\n.target sm_50\n.entry k() {' >k.ptx; jitwarm scan -v --gpu sm_86 x.fatbin k.ptx
? 1
[warn] Not known whether it runs on sm_86: 2 files.
[warn] ? x.fatbin
Why *k.ptx: damaged: ptx: the text is cut off; copy or install the file again; *

# The headers are whole and a payload is not: the gate decodes what each GPU takes, a plain scan reads headers.
case gate-payload:
$ sed 's/\.version/.versoin/' "$GEN/elf/only-ptx.so" >text.so; sed 's/\x7fELF\x02\x01\x01\x33/\x7fFLE\x02\x01\x01\x33/' "$GEN/elf/only-sass.so" >code.so
$ jitwarm scan --check --gpu sm_86 text.so --json
? 1
.result = "failed"
.verdicts.0.state = null
.unread.0.path = "text.so"
$ mkdir lib; cp code.so text.so lib; jitwarm scan --check --gpu sm_86 lib
? 1
[bad] Failed on sm_86: 2 files.
Why lib/code.so: damaged: fatbin: entry at 0x*: is no machine code of a GPU; copy or install the file again*
$ jitwarm scan --gpu sm_86 text.so code.so
[warn] Runs on sm_86, compiled first: 1 of 2 files, 1 of 1 module, 4.5 KiB, under 1 s.

case own-gpu: rtx_3070
skip windows
$ : >e.so; ! jitwarm scan --check "$GEN/elf/only-ptx.so" e.so | grep "To do" && jitwarm scan "$GEN/elf/only-ptx.so" e.so
? 1
[warn] Runs on *RTX 3070 (sm_86), compiled first: 1 of 2 files, 1 of 1 module, 4.5 KiB, under 1 s.
Driver 550.163.01
- To do *

case gate-without-a-file:
$ jitwarm scan --check --gpu sm_86
? 2
[bad] jitwarm: --check: PATH is missing*

case own-gpu-named: rtx_3070
skip windows
$ jitwarm scan --gpu sm_86 "$GEN/elf/only-sass.so"
Note No driver is asked about; for the one here: --driver 550.163.01
