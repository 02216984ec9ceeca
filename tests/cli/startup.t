case not-installed:
skip windows
$ jitwarm startup install; SHELL=/bin/zsh jitwarm startup
? 1
[bad] Nothing to install: this machine does not run systemd
To do grep -qs 'prime --background' ~/.zprofile || echo 'sh -c "/*jitwarm prime --background *"' >>~/.zprofile
$ for i in 1 2; do "$JITWARM" startup install | sed -n 's/^To do *//p' >todo$i; done; . ./todo1; . ./todo2; test $(wc -l <~/.profile) = 1 && jitwarm startup remove; jitwarm startup install
To do take the line of jitwarm out of ~/.profile
Already installed: ~/.profile has the line that primes at a login.
$ jitwarm startup install --source /n --trust none || jitwarm startup install --system --as-root
? 1
- To do *
[bad] jitwarm: --trust: none: no such key file
$ mkdir -p "$JITWARM_SYSROOT/run/systemd/system"; jitwarm startup
? 1
To do jitwarm startup install*
$ jitwarm startup --json
? 1
