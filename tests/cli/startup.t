case not-installed:
skip windows
$ jitwarm startup install; SHELL=/bin/zsh jitwarm startup
? 1
[bad] Nothing to install: this machine does not run systemd
Nothing to install: this machine does not run systemd
Note Whether a start file of the login shell primes is not known here.*
To do grep -qs * ~/.zprofile || echo 'sh -c "/*jitwarm prime --background *"' >>~/.zprofile
$ jitwarm startup install --system --as-root
? 1
- To do *
$ mkdir -p "$JITWARM_SYSROOT/run/systemd/system"; jitwarm startup
? 1
To do jitwarm startup install*
$ jitwarm startup --json
? 1
