=== home-is-a-file
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ rmdir h
$ echo x >h
$ "$JITWARM" startup install --as-root --with systemd
!  jitwarm: {SCRATCH}/h/.config/systemd/user: part of the path is not a folder
exit 4

=== install
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
$ find h | sort
  Installed for you: runs 45 seconds after login
  wrote       ~/.config/systemd/user/jitwarm-startup.service
  wrote       ~/.config/systemd/user/jitwarm-startup.timer
  linked      ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --quiet --jobs 2 --as-root
  Log         ~/.local/state/jitwarm/startup.log
  jitwarm startup status shows whether it works; jitwarm startup remove undoes it.
  h
  h/.config
  h/.config/systemd
  h/.config/systemd/user
  h/.config/systemd/user/jitwarm-startup.service
  h/.config/systemd/user/jitwarm-startup.timer
  h/.config/systemd/user/timers.target.wants
  h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer

=== install-again
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ "$JITWARM" startup install --as-root --with systemd | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
  Already installed for you: runs 45 seconds after login
  unchanged   ~/.config/systemd/user/jitwarm-startup.service
  unchanged   ~/.config/systemd/user/jitwarm-startup.timer
  unchanged   ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --quiet --jobs 2 --as-root
  Log         ~/.local/state/jitwarm/startup.log
  jitwarm startup status shows whether it works; jitwarm startup remove undoes it.

=== install-dry-run
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd --prune --packs /data/packs --cache /data/c --dry-run | sed "s,[^\" ]*/jitwarm\b,JITWARM,; s/[0-9a-f]\{64\}/DIGEST/"
$ find h
  Would be installed for you: runs 45 seconds after login
  writes      JITWARM-startup.service
  writes      JITWARM-startup.timer
  links       JITWARM-startup.timer
  Command     JITWARM prime --if-stale --background --quiet --jobs 2 --as-root --prune --cache /data/c --packs /data/packs
  Packs       /data/packs
  Log         JITWARM/startup.log

              JITWARM-startup.service
      # Written by jitwarm {VERSION}: jitwarm startup install. jitwarm startup remove takes it away.
      # jitwarm-startup DIGEST folders=3
      # Program: JITWARM
      [Unit]
      Description=jitwarm: what CUDA programs need is compiled before they start
      ConditionACPower=true
      
      [Service]
      Type=oneshot
      ExecStart="JITWARM" prime --if-stale --background --quiet --jobs 2 --as-root --prune --cache "/data/c" --packs "/data/packs"
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

              JITWARM-startup.timer
      # Written by jitwarm {VERSION}: jitwarm startup install. jitwarm startup remove takes it away.
      # jitwarm-startup DIGEST folders=1
      [Unit]
      Description=jitwarm: after login or boot
      
      [Timer]
      # 45 seconds after this user's first login, or after boot where the user lingers.
      OnStartupSec=45s
      
      [Install]
      WantedBy=timers.target
  h

=== install-edited
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ echo Nice=5 >>h/.config/systemd/user/jitwarm-startup.service
$ "$JITWARM" startup install --as-root --with systemd
$ echo $?
$ "$JITWARM" startup remove
$ echo $?
$ "$JITWARM" startup remove --yes >/dev/null
$ echo $?
$ find h
  {SCRATCH}/h/.config/systemd/user/jitwarm-startup.service
  was edited by hand; use --yes to overwrite it
  7
  {SCRATCH}/h/.config/systemd/user/jitwarm-startup.service
  was edited by hand; use --yes to overwrite it
  7
  0
  h

=== install-json
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd --json | sed "s,\"[^\"]*/jitwarm,\"JITWARM,"
  {
    "schema": "jitwarm.startup/1",
    "action": "install",
    "dry_run": false,
    "end": "done",
    "why": null,
    "with": "systemd",
    "for": "user",
    "command": "JITWARM prime --if-stale --background --quiet --jobs 2 --as-root",
    "program": "JITWARM",
    "packs": null,
    "log": "JITWARM/startup.log",
    "steps": [
      {
        "kind": "file",
        "path": "JITWARM-startup.service",
        "found": "nothing",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "file",
        "path": "JITWARM-startup.timer",
        "found": "nothing",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "link",
        "path": "JITWARM-startup.timer",
        "found": "nothing",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      }
    ],
    "notes": []
  }

=== install-nowhere
skip on windows: systemd's units are Linux'
$ unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CURRENT_DESKTOP DESKTOP_SESSION XDG_RUNTIME_DIR; mkdir h; export HOME="$PWD/h"; chmod 700 h; [ ! -d /run/systemd/system ] || { echo 1; exit 0; }; "$JITWARM" startup install --as-root 2>&1 | grep -c "^jitwarm: this machine does not run systemd" ; test -d /run/systemd/system || test ! -e h/.config
  1

=== install-others
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ mkdir -p h/.config/systemd/user
$ echo mine >h/.config/systemd/user/jitwarm-startup.timer
$ "$JITWARM" startup install --as-root --with systemd
$ echo $?
$ find h -type f
$ cat h/.config/systemd/user/*
  4
  h/.config/systemd/user/jitwarm-startup.timer
  mine
!  jitwarm: {SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer was not written by jitwarm; it was not changed

=== install-pinned
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ CUDA_CACHE_PATH="/data/a b" "$JITWARM" startup install --as-root --with systemd | grep ^Note
$ grep ^Env h/.config/systemd/user/*.service
  Note        the unit sets CUDA_CACHE_PATH=/data/a b, as in this shell
  Environment="CUDA_CACHE_PATH=/data/a b"

=== install-system-image
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ mkdir image
$ "$JITWARM" startup install --system --root "$PWD/image" | sed "s,^Command .*/jitwarm prime,Command     JITWARM prime,"
$ find image | sort
$ "$JITWARM" startup --system --root "$PWD/image"
$ "$JITWARM" startup remove --system --root "$PWD/image"
$ find image
  Installed for every user: runs 45 seconds after login
  wrote       {SCRATCH}/image/etc/systemd/user/jitwarm-startup.service
  wrote       {SCRATCH}/image/etc/systemd/user/jitwarm-startup.timer
  linked      {SCRATCH}/image/etc/systemd/user/timers.target.wants/jitwarm-startup.timer
  Command     JITWARM prime --if-stale --background --quiet --jobs 2 --profile everybody --packs /var/lib/jitwarm/packs
  Packs       /var/lib/jitwarm/packs
  After each login it warms what the user primed before, and imports packs that
  fit. jitwarm startup status shows whether it works; jitwarm startup remove
  --system undoes it.
  image
  image/etc
  image/etc/systemd
  image/etc/systemd/user
  image/etc/systemd/user/jitwarm-startup.service
  image/etc/systemd/user/jitwarm-startup.timer
  image/etc/systemd/user/timers.target.wants
  image/etc/systemd/user/timers.target.wants/jitwarm-startup.timer
  Installed: it runs 45 seconds after each user's login
  Removed
  removed     {SCRATCH}/image/etc/systemd/user/jitwarm-startup.service
  removed     {SCRATCH}/image/etc/systemd/user/jitwarm-startup.timer
  removed     {SCRATCH}/image/etc/systemd/user/timers.target.wants/jitwarm-startup.timer
  image

=== remove
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ "$JITWARM" startup remove
$ find h
  Removed
  removed     ~/.config/systemd/user/jitwarm-startup.service
  removed     ~/.config/systemd/user/jitwarm-startup.timer
  removed     ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  h

=== remove-json
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ "$JITWARM" startup remove --json | sed "s,\"[^\"]*/jitwarm\",\"JITWARM\","
  {
    "schema": "jitwarm.startup/1",
    "action": "remove",
    "dry_run": false,
    "end": "done",
    "why": null,
    "with": "systemd",
    "for": "user",
    "command": null,
    "program": "JITWARM",
    "log": "{SCRATCH}/h/.local/state/jitwarm/startup.log",
    "steps": [
      {
        "kind": "file",
        "path": "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.service",
        "found": "same",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "file",
        "path": "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer",
        "found": "same",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "link",
        "path": "{SCRATCH}/h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer",
        "found": "same",
        "done": true,
        "why": null,
        "words": [],
        "content": null
      }
    ],
    "notes": []
  }

=== remove-nothing
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup remove
  Nothing to remove: not installed

=== run
skip on windows: systemd's units are Linux'
$ unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CURRENT_DESKTOP DESKTOP_SESSION XDG_RUNTIME_DIR; mkdir h; export HOME="$PWD/h"; chmod 700 h; "$JITWARM" startup install --as-root --with systemd >/dev/null; JITWARM_DRIVER=/none "$JITWARM" startup run --as-root; i=0; while [ ! -s h/.local/state/jitwarm/startup.log ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done; cut -f2,3,5 h/.local/state/jitwarm/startup.log
  Started; jitwarm startup status shows the result
  nothing	0	nothing was primed here yet (run jitwarm prime once)

=== run-not-installed
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup run
  it is not installed: jitwarm startup install
exit 1

=== status
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup
  Not installed: jitwarm startup install
exit 1

=== status-failed
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ mkdir -p h/.local/state/jitwarm
$ chmod 700 h/.local h/.local/state h/.local/state/jitwarm
$ printf "2026-11-20T15:40:12Z\tcannot-write\t4\t12\tthe disk is full\t4711@1-x\n" >h/.local/state/jitwarm/startup.log
$ "$JITWARM" startup status | sed "s/last run .* ago/last run WHEN ago/"
  Not working: last run WHEN ago, exit 4, 12 ms: the disk is full; log ~/.local/state/jitwarm/startup.log

=== status-installed
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ "$JITWARM" startup status
  Installed: it has not run yet. It runs 45 seconds after the next login, or now with jitwarm startup run; log ~/.local/state/jitwarm/startup.log

=== status-json
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ mkdir -p h/.local/state/jitwarm
$ chmod 700 h/.local h/.local/state h/.local/state/jitwarm
$ printf "2026-11-20T15:40:12Z\tdone\t0\t61000\t2 modules compiled (26 kB), 2 modules are warm\t4711@1-x\n" >h/.local/state/jitwarm/startup.log
$ "$JITWARM" startup status --json | sed "s,\"[^\"]*/jitwarm\",\"JITWARM\","
  {
    "schema": "jitwarm.startup/1",
    "action": "status",
    "dry_run": false,
    "end": "done",
    "why": null,
    "with": "systemd",
    "for": "user",
    "command": null,
    "program": "JITWARM",
    "log": "{SCRATCH}/h/.local/state/jitwarm/startup.log",
    "installed": true,
    "enabled": true,
    "working": true,
    "last": {
      "when": "2026-11-20T15:40:12Z",
      "running": false,
      "end": "done",
      "exit": 0,
      "milliseconds": 61000,
      "what": "2 modules compiled (26 kB), 2 modules are warm"
    },
    "steps": [
      {
        "kind": "file",
        "path": "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.service",
        "found": "same",
        "done": false,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "file",
        "path": "{SCRATCH}/h/.config/systemd/user/jitwarm-startup.timer",
        "found": "same",
        "done": false,
        "why": null,
        "words": [],
        "content": null
      },
      {
        "kind": "link",
        "path": "{SCRATCH}/h/.config/systemd/user/timers.target.wants/jitwarm-startup.timer",
        "found": "same",
        "done": false,
        "why": null,
        "words": [],
        "content": null
      }
    ],
    "notes": []
  }

=== status-works
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ mkdir -p h/.local/state/jitwarm
$ chmod 700 h/.local h/.local/state h/.local/state/jitwarm
$ printf "2026-11-20T15:40:12Z\tnothing\t0\t12\tnothing has changed; 41 modules are warm for driver 580.95.05\t4711@1-x\n" >h/.local/state/jitwarm/startup.log
$ "$JITWARM" startup status | sed "s/last run .* ago/last run WHEN ago/"
  Working: last run WHEN ago, exit 0, 12 ms: nothing has changed; 41 modules are warm for driver 580.95.05; log ~/.local/state/jitwarm/startup.log

=== task-elsewhere
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with task
$ echo $?
$ "$JITWARM" startup install --as-root --with task --dry-run | sed "s,<Command>.*</,<Command>JITWARM</,; s,^Command .*/jitwarm prime,Command     JITWARM prime,"
  2
  Would be installed for you: runs 45 seconds after login
  registers   \jitwarm startup S-1-0-0
  Command     JITWARM prime --if-stale --background --quiet --jobs 2 --as-root
  Log         ~/.local/state/jitwarm/startup.log

              \jitwarm startup S-1-0-0
      <?xml version="1.0" encoding="UTF-16"?>
      <Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
        <RegistrationInfo>
          <Source>jitwarm</Source>
          <Author>jitwarm</Author>
          <Version>{VERSION}</Version>
          <Description>What CUDA programs need is compiled before they start. jitwarm startup remove takes this task away.</Description>
          <URI>\jitwarm startup S-1-0-0</URI>
        </RegistrationInfo>
        <Triggers>
          <LogonTrigger>
            <Enabled>true</Enabled>
            <UserId>S-1-0-0</UserId>
            <Delay>PT45S</Delay>
          </LogonTrigger>
        </Triggers>
        <Principals>
          <Principal id="Author">
            <UserId>S-1-0-0</UserId>
            <LogonType>InteractiveToken</LogonType>
            <RunLevel>LeastPrivilege</RunLevel>
          </Principal>
        </Principals>
        <Settings>
          <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
          <DisallowStartIfOnBatteries>true</DisallowStartIfOnBatteries>
          <StopIfGoingOnBatteries>true</StopIfGoingOnBatteries>
          <AllowHardTerminate>true</AllowHardTerminate>
          <StartWhenAvailable>false</StartWhenAvailable>
          <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
          <AllowStartOnDemand>true</AllowStartOnDemand>
          <Enabled>true</Enabled>
          <Hidden>false</Hidden>
          <RunOnlyIfIdle>false</RunOnlyIfIdle>
          <WakeToRun>false</WakeToRun>
          <ExecutionTimeLimit>PT24H</ExecutionTimeLimit>
          <Priority>7</Priority>
        </Settings>
        <Actions Context="Author">
          <Exec>
            <Command>JITWARM</Command>
            <Arguments>prime --if-stale --background --quiet --jobs 2 --as-root</Arguments>
          </Exec>
        </Actions>
      </Task>
!  jitwarm startup: --with task needs Windows; --dry-run works here, too (jitwarm help startup)

=== verbose
skip on windows: systemd's units are Linux'
$ no_xdg_folders
$ home_of_its_own
$ "$JITWARM" startup install --as-root --with systemd >/dev/null
$ "$JITWARM" startup -v | sed "s,^program .*,program     JITWARM,"
  Installed: it has not run yet. It runs 45 seconds after the next login, or now with jitwarm startup run; log ~/.local/state/jitwarm/startup.log
  file        ~/.config/systemd/user/jitwarm-startup.service
  file        ~/.config/systemd/user/jitwarm-startup.timer
  link        ~/.config/systemd/user/timers.target.wants/jitwarm-startup.timer
  program     JITWARM

=== wrong-options
skip on windows: systemd's units are Linux'
$ "$JITWARM" startup remove --prune
$ echo $?
$ "$JITWARM" startup status --packs /x
$ echo $?
$ "$JITWARM" startup install --packs x
$ echo $?
$ "$JITWARM" startup status --cache /x
$ echo $?
$ "$JITWARM" startup install --root /x
$ echo $?
$ "$JITWARM" startup install --cache rel
$ echo $?
$ "$JITWARM" startup install --system --cache /x
$ echo $?
  2
  2
  2
  2
  2
  2
  2
!  jitwarm startup: --prune needs install (jitwarm help startup)
!  jitwarm startup: --packs needs install (jitwarm help startup)
!  jitwarm startup: --packs: x is not an absolute path (jitwarm help startup)
!  jitwarm startup: --cache needs install (jitwarm help startup)
!  jitwarm startup: --root needs --system (jitwarm help startup)
!  jitwarm startup: --cache: rel is not an absolute path (jitwarm help startup)
!  jitwarm startup: --cache cannot be combined with --system: each user has a cache (jitwarm help startup)

=== wrong-word
$ "$JITWARM" startup enable
!  jitwarm startup: 'enable' is not an action: use install, remove, run or status (jitwarm help startup)
exit 2
