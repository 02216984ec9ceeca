case not-installed:
skip windows
$ jitwarm startup
? 1
Not installed: this machine does not run systemd*
$ mkdir -p "$JITWARM_SYSROOT/run/systemd/system"; jitwarm startup
? 1
To do jitwarm startup install*
