=== home-is-a-file
skip on windows: systemd's units are Linux'
$ own_systemd
$ rmdir h
$ echo x >h
$ "$JITWARM" startup install --as-root
!  jitwarm: {SCRATCH}/h/.config/systemd/user/jitwarm-startup.service: part of the path is not a folder
exit 4

=== install
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
$ find h | sort
  Installed for you: runs 45 seconds after login
  Wrote       ~/.config/systemd/user/jitwarm-startup.service
  Wrote       ~/.config/systemd/user/jitwarm-startup.path
  Wrote       ~/.config/systemd/user/jitwarm-startup.timer
  Linked      ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --jobs 2 --as-root
  jitwarm startup shows whether it works; jitwarm startup remove undoes it.
  h
  h/.config
  h/.config/systemd
  h/.config/systemd/user
  h/.config/systemd/user/jitwarm-startup.path
  h/.config/systemd/user/jitwarm-startup.service
  h/.config/systemd/user/jitwarm-startup.timer
  h/.config/systemd/user/timers.target.wants
  h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer

=== install-again
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ "$JITWARM" startup install --as-root | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
  Already installed for you: runs 45 seconds after login
  Unchanged   ~/.config/systemd/user/jitwarm-startup.service
  Unchanged   ~/.config/systemd/user/jitwarm-startup.path
  Unchanged   ~/.config/systemd/user/jitwarm-startup.timer
  Unchanged   ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --jobs 2 --as-root
  jitwarm startup shows whether it works; jitwarm startup remove undoes it.

=== install-dry-run
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root  --dry-run | sed "s,[^\" ]*/jitwarm\b,JITWARM,"
$ find h
  Would be installed for you: runs 45 seconds after login
  Writes      JITWARM-startup.service
  Writes      JITWARM-startup.path
  Writes      JITWARM-startup.timer
  Links       JITWARM-startup.timer
  Command     JITWARM prime --if-stale --background --jobs 2 --as-root

              JITWARM-startup.service
      # Written by jitwarm {VERSION}: jitwarm startup install. jitwarm startup remove takes it away.
      # Lines of your own: systemctl --user edit jitwarm-startup.service
      # Program: JITWARM
      [Unit]
      Description=jitwarm: what CUDA programs need is compiled before they start
      ConditionACPower=true
      # An update changes the driver's library several times.
      StartLimitIntervalSec=0
      
      [Service]
      Type=oneshot
      ExecStart="JITWARM" prime --if-stale --background --jobs 2 --as-root
      # 7: another jitwarm was at work, or there was more to do than time.
      SuccessExitStatus=7
      KillMode=mixed
      TimeoutStartSec=infinity
      TimeoutStopSec=20s
      # Everybody else goes first. The process itself is batch work and not idle, because it
      # locks the cache's index for moments; the workers make themselves idle.
      Nice=19
      CPUSchedulingPolicy=batch
      IOSchedulingClass=idle
      CPUWeight=1
      IOWeight=1
      OOMScoreAdjust=800
      NoNewPrivileges=true
      # What a user's manager can take away from a service without new user namespaces. In those, files of root
      # would seem to be nobody's, and jitwarm could not see whom it may trust: so no ProtectSystem and the like.
      LockPersonality=true
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
      RestrictNamespaces=true
      RestrictRealtime=true
      RestrictSUIDSGID=true
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallErrorNumber=EPERM

              JITWARM-startup.path
      # Written by jitwarm {VERSION}: jitwarm startup install. jitwarm startup remove takes it away.
      [Unit]
      Description=jitwarm: after an update of NVIDIA's driver
      # It comes and goes with the timer, which is the one that is enabled.
      PartOf=jitwarm-startup.timer
      
      [Path]
      # Where loaders have the driver's library; of a place that does not exist nothing is to be seen.
      PathChanged=/usr/lib/x86_64-linux-gnu/libcuda.so.1
      PathChanged=/usr/lib/aarch64-linux-gnu/libcuda.so.1
      PathChanged=/usr/lib64/libcuda.so.1
      PathChanged=/usr/lib/libcuda.so.1
      PathChanged=/run/opengl-driver/lib/libcuda.so.1
      Unit=jitwarm-startup.service

              JITWARM-startup.timer
      # Written by jitwarm {VERSION}: jitwarm startup install. jitwarm startup remove takes it away.
      [Unit]
      Description=jitwarm: after login or boot
      Wants=jitwarm-startup.path
      
      [Timer]
      # After this user's first login, or after boot where the user lingers.
      OnStartupSec=45s
      
      [Install]
      WantedBy=timers.target
  h

=== install-everybody
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --system | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
$ find machine | sort
$ "$JITWARM" startup
$ "$JITWARM" startup remove --system
$ find machine -type f
  Installed for every user: runs 45 seconds after login
  Wrote       {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.service
  Wrote       {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.path
  Wrote       {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.timer
  Linked      {SCRATCH}/machine/etc/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --jobs 2
  Who is logged in now runs jitwarm prime once. jitwarm startup shows whether it
  works; jitwarm startup remove --system undoes it.
  machine
  machine/etc
  machine/etc/systemd
  machine/etc/systemd/user
  machine/etc/systemd/user/jitwarm-startup.path
  machine/etc/systemd/user/jitwarm-startup.service
  machine/etc/systemd/user/jitwarm-startup.timer
  machine/etc/systemd/user/timers.target.wants
  machine/etc/systemd/user/timers.target.wants/jitwarm-startup.timer
  machine/run
  machine/run/systemd
  machine/run/systemd/system
  Installed: it runs 45 seconds after each user's login; its log: journalctl --user -u jitwarm-startup.service
  Removed
  Removed     {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.service
  Removed     {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.path
  Removed     {SCRATCH}/machine/etc/systemd/user/jitwarm-startup.timer
  Removed     {SCRATCH}/machine/etc/systemd/user/timers.target.wants/jitwarm-startup.timer

=== install-json
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root --json | sed "s,\"[^\"]*/jitwarm,\"JITWARM,"
  {
    "schema": "jitwarm.startup/1",
    "action": "install",
    "dry_run": false,
    "end": "done",
    "why": null,
    "system": false,
    "installed": false,
    "command": "JITWARM prime --if-stale --background --jobs 2 --as-root",
    "program": "JITWARM",
    "log": null,
    "last": null,
    "steps": [
      {
        "kind": "file",
        "path": "JITWARM-startup.service",
        "found": false,
        "same": false,
        "done": true,
        "why": null,
        "content": null
      },
      {
        "kind": "file",
        "path": "JITWARM-startup.path",
        "found": false,
        "same": false,
        "done": true,
        "why": null,
        "content": null
      },
      {
        "kind": "file",
        "path": "JITWARM-startup.timer",
        "found": false,
        "same": false,
        "done": true,
        "why": null,
        "content": null
      },
      {
        "kind": "link",
        "path": "JITWARM-startup.timer",
        "found": false,
        "same": false,
        "done": true,
        "why": null,
        "content": null
      }
    ],
    "notes": []
  }

=== install-no-systemd
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ JITWARM_SYSROOT="$PWD" "$JITWARM" startup install --as-root
$ JITWARM_SYSROOT="$PWD" "$JITWARM" startup install --system --source /srv/jit
$ find h
  h
!  jitwarm: this machine does not run systemd. Have what starts programs after a login run: jitwarm prime --if-stale --background
!  jitwarm: this machine does not run systemd. Have what starts programs after a login run: jitwarm prime --if-stale --background; its source = REF and trust = KEY are lines of /etc/jitwarm/jitwarm.conf

=== install-others
skip on windows: systemd's units are Linux'
$ own_systemd
$ mkdir -p h/.config/systemd/user
$ echo mine >h/.config/systemd/user/jitwarm-startup.timer
$ "$JITWARM" startup install --as-root
$ echo $?
$ find h -type f
$ cat h/.config/systemd/user/*
  4
  h/.config/systemd/user/jitwarm-startup.timer
  mine
!  jitwarm: {SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer was not written by jitwarm; it was not changed

=== install-pinned
skip on windows: systemd's units are Linux'
$ own_systemd
$ CUDA_CACHE_PATH="/data/a b" "$JITWARM" startup install --as-root | grep ^Note
$ grep ^Env h/.config/systemd/user/*.service
  Note        the unit sets CUDA_CACHE_PATH=/data/a b, as in this shell
  Environment="CUDA_CACHE_PATH=/data/a b"

=== remove
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ "$JITWARM" startup remove
$ find h
  Removed
  Removed     ~/.config/systemd/user/jitwarm-startup.service
  Removed     ~/.config/systemd/user/jitwarm-startup.path
  Removed     ~/.config/systemd/user/jitwarm-startup.timer
  Removed     ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  h

=== remove-nothing
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup remove
  Nothing to remove: not installed

=== status
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup
  Not installed: jitwarm startup install
exit 1

=== status-failed
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ with_manager 4
$ "$JITWARM" startup
  Not working: its last run ended with 4; its log: journalctl --user -u jitwarm-startup.service
exit 1

=== status-installed
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ "$JITWARM" startup
  Installed: it runs 45 seconds after the next login; its log: journalctl --user -u jitwarm-startup.service

=== status-json
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ with_manager 0
$ only "action end installed program log last steps.kind steps.path steps.found steps.same steps.done" "$JITWARM" startup --json | sed "s,\"[^\"]*/jitwarm\",\"JITWARM\","
  action: "status"
  end: "done"
  installed: true
  program: "JITWARM"
  log: "journalctl --user -u jitwarm-startup.service"
  last: {"ended": "Mon 2026-11-23 02:54:33 UTC", "exit": 0}
  steps.kind: ["file", "file", "file", "link"]
  steps.path: ["{SCRATCH}/h/.config/systemd/user/jitwarm-startup.service", "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.path", "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer", "{SCRATCH}/h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer"]
  steps.found: [true, true, true, true]
  steps.same: [false, false, false, true]
  steps.done: [false, false, false, false]

=== status-works
skip on windows: systemd's units are Linux'
$ own_systemd
$ with_manager 0
$ "$JITWARM" startup install --as-root | grep systemctl
$ "$JITWARM" startup
$ "$JITWARM" startup remove | grep systemctl
  Ran         systemctl --user daemon-reload
  Ran         systemctl --user restart jitwarm-startup.timer
  Working: last run Mon 2026-11-23 02:54:33 UTC, exit code 0; its log: journalctl --user -u jitwarm-startup.service
  Ran         systemctl --user stop jitwarm-startup.timer
  Ran         systemctl --user daemon-reload

=== verbose
skip on windows: systemd's units are Linux'
$ own_systemd
$ "$JITWARM" startup install --as-root >/dev/null
$ "$JITWARM" startup -v | sed "s,^Program .*,Program     JITWARM,"
  Installed: it runs 45 seconds after the next login; its log: journalctl --user -u jitwarm-startup.service
  File        ~/.config/systemd/user/jitwarm-startup.service
  File        ~/.config/systemd/user/jitwarm-startup.path
  File        ~/.config/systemd/user/jitwarm-startup.timer
  Link        ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  Program     JITWARM

=== wrong-word
$ "$JITWARM" startup enable
!  jitwarm startup: 'enable' is not an action: use install or remove (jitwarm help startup)
exit 2
