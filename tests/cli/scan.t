# The gate and the report of CUDA code in files. No driver and no GPU is asked.
case native:
$ jitwarm scan --gpu sm_86 "$GEN/elf/only-sass.so"
[good] Nothing has to be compiled on sm_86: 1 file with CUDA code.
native sm_86: *

case compiles:
$ jitwarm scan --gpu sm_86,sm_90 "$GEN/elf/only-ptx.so" "$GEN/elf/registered.so"
[warn] Compiled at the first start or use: 2 of 2 files on sm_86 and sm_90.
jit 86, 90 1 * {gen}/elf/only-ptx.so
$ jitwarm scan --gpu sm_90 "$GEN/elf/only-ptx.so" "$GEN/elf/rdc-and-linked.so" "$GEN/elf/only-sass.so"
[warn] Compiled or linked at the first start or use: 2 of 3 files on sm_90.
$ jitwarm scan -v --gpu sm_86,sm_90 "$GEN/elf/only-ptx.so" "$GEN/elf/registered.so"
[warn] jit sm_86, sm_90: *

case some-gpus:
$ jitwarm scan --gpu sm_86,sm_70,sm_80 "$GEN/elf/only-sass.so" "$GEN/elf/tegra.so"
[bad] Does not run: 2 of 2 files on sm_70, 1 of 2 on sm_80.
$ jitwarm scan "$GEN/elf/only-sass.so" --json
.result = "no-gpu"
.message = "No GPU is known here (--gpu names one): 1 file on sm_61, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 and sm_120."
$ jitwarm scan "$GEN/elf/registered.so"
GPU VERDICT DRIVER NATIVE JIT PTX
sm_86 jit 550 2 1 4.5 KiB
none sm_61: *

case of-the-driver: simulated_driver
$ jitwarm scan "$GEN/elf/only-ptx.so"
[warn] Compiled at the first start or use: 1 of 1 file on sm_86.

case table:
$ mkdir lib; cp "$GEN"/elf/* lib; for n in $(seq 9); do cp lib/native.so lib/z$n.so; done; jitwarm scan --gpu sm_86 lib
sm_86 MODULES PTX FILE
jit 3 * registered.so
native 1 native.so
and * more (-v)

case nothing-to-run:
$ for n in 80 90; do printf '.version 8.0\n.target sm_%s\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n' $n >k_sm$n.ptx; done; jitwarm scan --gpu sm_86 k_sm80.ptx k_sm90.ptx
nothing 1 k_sm90.ptx

# A narrow table lacks columns, of which it has all with -v; what fails is its first row.
case table-of-a-gate: two_libraries
$ cp "$GEN/elf/only-ptx.so" lib/y.so; cp "$GEN/elf/only-sass.so" lib/zz.so; COLUMNS=40 jitwarm scan --check --gpu sm_86,sm_120 lib
? 1
[bad] Failed: 1 of 4 files on sm_120, *
VERDICT BY sm_ FILE
none 120; native 86 zz.so

case gate-passed:
$ echo >a.py; python3 -m zipfile -c a.whl a.py; jitwarm scan --check=native --gpu sm_86 "$GEN/elf/only-sass.so" a.whl --json
.message = "Passed: 1 file on sm_86."
.verdicts.1.state = "nothing"

case gate-without-code:
$ mkdir -p site-packages/p/tests; cp "$GEN/elf/only-ptx.so" site-packages/p/tests; cd site-packages; echo text >a.txt; jitwarm scan --check --gpu sm_86 a.txt p
? 1
[bad] No CUDA code for a driver: nothing was checked.
$ jitwarm scan --check=native --gpu sm_86 a.txt p/tests/only-ptx.so
? 1
[bad] Failed: 1 of 1 file on sm_86, *

case the-kernels-own-files:
skip windows
$ mkdir d; ln -s /proc d/l; jitwarm scan --gpu sm_86 /proc d
No CUDA code was found.

case zip:
$ mkdir lib; cp "$GEN/elf/only-sass.so" lib; printf 'PK\3\4 more than sixteen bytes' >lib/a.zip; jitwarm scan --gpu sm_86 lib
Note not looked into: 1 .zip file; name one to scan it
$ jitwarm scan --gpu sm_86 --exclude '*.so' --exclude '*.zip' lib
No CUDA code was found.

case gate-without-gpu:
$ jitwarm scan --check "$GEN/elf/only-ptx.so"
? 2
[bad] jitwarm: --check: no GPU was found here; name some: *

case not-there:
$ jitwarm scan --gpu sm_86 nowhere.so
? 2
[bad] nowhere.so: no such file

case damaged:
$ : >e.so; jitwarm scan --gpu sm_86 e.so
? 6
[bad] e.so: the file is empty
$ echo '<html>an error</html>' >x.whl; jitwarm scan -v --gpu sm_86 e.so x.whl
? 6
[bad] 2 files could not be read.
*x.whl: its content is not what its name says
$ printf 'P\355U\272\1\0\20\0\0\0\0\0\0\0\0\200xxxxxxxxxxxxxxxx' >x.fatbin; jitwarm scan --gpu sm_86 x.fatbin
? 6
[bad] Not known: 1 of 1 file on sm_86.
Note damaged: x.fatbin: *

# The headers are whole and a payload is not: the gate decodes what each GPU takes, a plain scan reads headers.
case gate-payload:
$ sed 's/\.version/.versoin/' "$GEN/elf/only-ptx.so" >text.so; sed 's/\x7fELF\x02\x01\x01\x33/\x7fFLE\x02\x01\x01\x33/' "$GEN/elf/only-sass.so" >code.so
$ jitwarm scan --check --gpu sm_86 text.so
? 6
[bad] Failed: 1 of 1 file on sm_86, the first: * (*)
Note damaged: text.so: fatbin: entry at 0x*: ptx: .version is missing at 0x*; copy or install the file again
$ mkdir lib; cp code.so text.so lib; jitwarm scan --check --gpu sm_86 lib
? 1
[bad] Failed: 2 of 2 files on sm_86, the first: lib/code.so (*)
Note damaged: lib/code.so: fatbin: entry at 0x*: is no machine code of a GPU; copy or install the file again
$ jitwarm scan --gpu sm_86 text.so code.so
[warn] Compiled at the first start or use: 1 of 2 files on sm_86.

case own-gpu: rtx_3070
skip windows
$ jitwarm scan "$GEN/elf/only-ptx.so"
[warn] Compiled at the first start or use: 1 of 1 file on sm_86.
Driver 550.163.01
To do jitwarm prime *only-ptx.so
