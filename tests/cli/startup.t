case not-installed:
skip windows
$ jitwarm startup install
? 1
[bad] Not installed: this machine does not run systemd; the line below primes at a login
$ SHELL=/bin/zsh jitwarm startup
? 1
To do grep -qs 'prime --background' ~/.zprofile || echo 'sh -c "*jitwarm prime --background *"' >>~/.zprofile
$ make_key
$ jitwarm startup install --as-root --source /nowhere --trust a.pub
? 1
[bad] Packs are taken, but no task is installed: this machine does not run systemd*
Packs from /nowhere (does not exist)
$ "$JITWARM" startup
? 1
$ rm "$XDG_CONFIG_HOME/jitwarm/startup.conf"
$ "$JITWARM" startup install -q --system --source /n --trust a.pub
? 1
$ jitwarm startup remove
To do *jitwarm startup remove --system
$ "$JITWARM" startup remove -q --system
$ for i in 1 2; do "$JITWARM" startup install | sed -n 's/^To do *//p' >todo$i; done
$ . ./todo1 && . ./todo2 && test $(wc -l <~/.profile) = 1
$ jitwarm startup remove
? 1
Not removed: ~/.profile has the line that primes at a login.
To do take this line out of ~/.profile: sh -c "/*jitwarm prime --background *"
$ jitwarm startup install
Already installed: ~/.profile has the line that primes at a login.
$ jitwarm startup install --source /n --trust none
? 2
[bad] jitwarm: --trust: none: no such key file
$ jitwarm startup install --system --as-root
? 1
To do each user: jitwarm startup install *
$ mkdir -p "$JITWARM_SYSROOT/run/systemd/system"; jitwarm startup --json
? 1
.todo.0.command ~ "jitwarm startup install"
