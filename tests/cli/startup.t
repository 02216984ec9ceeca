case not-installed:
skip windows
$ jitwarm startup install; SHELL=/bin/zsh jitwarm startup
? 1
[bad] Not installed: this machine does not run systemd*
Not installed: this machine does not run systemd*
To do grep -qs * ~/.zprofile || echo 'sh -c "jitwarm prime --background *"' >>~/.zprofile
$ jitwarm startup install --system --as-root
? 1
- To do *
$ mkdir -p "$JITWARM_SYSROOT/run/systemd/system"; jitwarm startup
? 1
To do jitwarm startup install*
$ jitwarm startup --json
? 1
