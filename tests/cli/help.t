case first-screen:
$ jitwarm
jitwarm prime PATH *
Other machines export, import, key
$ COLUMNS=60 "$JITWARM" help | awk 'length > 60 { print "long", $0 } END { print NR " lines" }'
22 lines
- long *

case fits-two-screens:
$ for v in prime run scan doctor status export import key startup env forget prune uninstall; do n=$(COLUMNS=80 "$JITWARM" $v --help | wc -l); [ $n -le 48 ] || echo "long $v $n"; COLUMNS=80 "$JITWARM" help $v | awk 'length > 80 { print "long", $0 }'; done
- long *

case unknown:
$ for verb in skan 'remove python serve.py' watch; do "$JITWARM" $verb; done
? 2
jitwarm: 'skan' is not a verb; did you mean jitwarm scan? (jitwarm help)
jitwarm: 'remove' is not a verb; did you mean jitwarm forget python serve.py? (jitwarm help)
jitwarm: 'watch' is not a verb; did you mean jitwarm doctor --watch? (jitwarm help)
$ jitwarm scan --chek x --json
? 2
.exit = 2
[bad] jitwarm: --chek is not an option; did you mean --check? (jitwarm help scan)
$ jitwarm prime x -n
? 2
jitwarm: -n is not an option; did you mean jitwarm status x? *
$ jitwarm prime --check 'a b' --gpu sm_86
? 2
jitwarm: --check is not an option; did you mean jitwarm status 'a b' --gpu sm_86? *
$ jitwarm --chek=native x
? 2
jitwarm: '--chek=native' is not a verb: options come after it (jitwarm help)
$ jitwarm prime --jobs 1 --post-install
? 2
[bad] jitwarm: --post-install and --jobs cannot be combined *
$ jitwarm doctor --all --run x
? 2
[bad] jitwarm: --run and --all cannot be combined *
$ jitwarm export --whole-cache x
? 2
[bad] jitwarm: --whole-cache and 'x' cannot be combined *

case another-word-was-meant: simulated_driver
$ echo '#!/bin/sh' >app && chmod +x app
$ jitwarm ./app
? 2
*did you mean jitwarm prime ./app?*
$ jitwarm ./app --port 80
? 2
*did you mean jitwarm prime --run ./app --port 80?*
$ jitwarm reset
? 2
*did you mean jitwarm uninstall?*
$ jitwarm sync x.tar
? 2
*did you mean jitwarm import x.tar?*
$ jitwarm init
? 2
*did you mean jitwarm startup?*
$ jitwarm move /data
? 2
*did you mean jitwarm env apply --path /data?*
$ jitwarm ./x.so
? 2
jitwarm: ./x.so: no such file or folder *
$ jitwarm 4711
? 2
*'4711' is not a verb; a process: jitwarm doctor --watch*
$ jitwarm keygen a.key
? 2
*did you mean jitwarm key --new a.key?*
$ jitwarm oci://lab/jit
? 2
*did you mean jitwarm import oci://lab/jit?*
$ jitwarm prime oci://lab/jit
? 2
*a registry: jitwarm import oci://lab/jit*
$ echo a >out.log
$ jitwarm doctor out.log
? 2
*out.log is a text; did you mean jitwarm doctor --log out.log?*
$ jitwarm out.log
? 2
*did you mean jitwarm doctor --log out.log?*
$ jitwarm doctor --watch 2
? 2
*--watch takes a time, --watch=60s, and no process: it lists all that compile*
$ jitwarm doctor --watch 2s
? 2
*write --watch=2s, or ./2s for a file*
$ jitwarm doctor sh
? 2
*; of a program: doctor --run CMD, prime --run CMD*
$ jitwarm prune --all --yes
? 2
*--all is not an option; did you mean jitwarm prune --whole-cache --yes?*
$ jitwarm status 4711
? 2
*a process: jitwarm doctor --watch*
$ jitwarm prime "~/app"
? 2
*a shell replaces ~ only without quotes*
