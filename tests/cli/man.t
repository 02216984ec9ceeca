=== conf
$ "$JITWARM" man jitwarm.conf
  .TH JITWARM.CONF 5 2026-11-20 "jitwarm {VERSION}" "File Formats"
  .SH NAME
  jitwarm.conf \- settings of jitwarm
  .SH DESCRIPTION
  Lines of the form \fIkey\fR = \fIvalue\fR. Empty lines are skipped. A \fB#\fR at the start of a line or after a blank begins a comment.
  .PP
  jitwarm reads the file of the machine first, then the file of the user. The user's value replaces the machine's; lists add up. A list has a line for each value.
  .PP
  An invalid line is reported with its file and number, and ignored. \fBjitwarm doctor \-v\fR shows which value applies and where it comes from.
  .SH KEYS
  .TP
  \fBroots\fR (list)
  A folder to search for CUDA software, besides the usual places. An absolute path, or one that begins with \(ti/.
  .TP
  \fBexclude\fR (list)
  Files and folders that scan, plan and prime skip. * and ? are as in a shell; a pattern without / is compared with names.
  .TP
  \fBjobs\fR
  How many modules prime compiles at the same time. Default: half the CPUs.
  .TP
  \fBtimeout\fR
  After how many seconds prime gives up on a module. Default: 30 minutes, or ten times the predicted time.
  .TP
  \fBstore_cap\fR
  How large the store of packs may grow. Over this, import deletes the packs that were used longest ago. Default: 2GiB.
  .TP
  \fBtrust\fR (list)
  A minisign public key. import accepts packs that are signed with it. It is the second line of a .pub file.
  .TP
  \fBcacert\fR
  The certificate authority of your registry, for push, pull and \(garun \-\-pull\(ga. An absolute path; the last line counts. Default: the system\(aqs.
  .TP
  \fBplain_http\fR (list)
  A registry, HOST[:PORT], that is asked without TLS.
  .SH FILES
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/jitwarm.conf\fR
  the user\(aqs settings (\(ti/.config when XDG_CONFIG_HOME is unset; %APPDATA% on Windows)
  .TP
  \fB/etc/jitwarm/jitwarm.conf\fR
  the machine\(aqs settings (%ProgramData% on Windows)
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/\fR
  trusted public keys, NAME.pub; only you or root may be able to write there
  .TP
  \fB$XDG_STATE_HOME/jitwarm/drivers/\fR
  what jitwarm learned about each driver build (\(ti/.local/state; %LOCALAPPDATA%\ejitwarm\estate on Windows)
  .TP
  \fB$XDG_STATE_HOME/jitwarm/roots/\fR
  what was primed in each cache: journal, receipts, profiles, and skipped modules
  .SH EXAMPLES
  .nf
  roots = /opt/models
  exclude = */old\-envs/*
  jobs = 4
  timeout = 3600
  store_cap = 8GiB
  trust = RWQ...
  cacert = /etc/ssl/team\-ca.pem
  plain_http = reg.example:5000
  .fi
  .SH SEE ALSO
  \fBjitwarm\fR(1), \fBjitwarm\-doctor\fR(1)

=== page
$ "$JITWARM" man
  .TH JITWARM 1 2026-11-20 "jitwarm {VERSION}" "User Commands"
  .SH NAME
  jitwarm \- make CUDA software start fast on GPUs it was not built for
  .SH SYNOPSIS
  \fBjitwarm\fR \fIVERB\fR [\fIOPTION\fR...] [\fIARGUMENT\fR...]
  .SH DESCRIPTION
  CUDA software holds machine code for some GPUs and PTX for the rest. On the rest, the NVIDIA driver compiles the PTX at the first start. jitwarm has the driver compile it before that, and checks that the next start compiles nothing.
  .PP
  Without a verb jitwarm shows this machine, how much is warm, and the next command.
  .PP
  Reports go to standard output; errors and progress go to standard error.
  Options come after the verb, before, between or after its arguments;
  \fB\-\-\fR ends them.
  If an option is repeated, the last value counts; lists add up.
  .SH VERBS
  .SS Everyday
  .TP
  \fBjitwarm\-prime\fR(1)
  compile CUDA code now, so that the next start is fast
  .TP
  \fBjitwarm\-verify\fR(1)
  check that the next start compiles nothing
  .TP
  \fBjitwarm\-run\fR(1)
  prime what a command loads, then run the command
  .TP
  \fBjitwarm\-scan\fR(1)
  show which GPUs a file\(aqs CUDA code runs on
  .TP
  \fBjitwarm\-doctor\fR(1)
  find out why CUDA programs start slowly here
  .TP
  \fBjitwarm\-status\fR(1)
  show what the driver\(aqs cache holds
  .TP
  \fBjitwarm\-report\fR(1)
  write a page about this machine
  .SS Sharing
  .TP
  \fBjitwarm\-export\fR(1)
  pack compiled code for machines of the same kind
  .TP
  \fBjitwarm\-import\fR(1)
  add a pack\(aqs code to the driver\(aqs cache
  .TP
  \fBjitwarm\-push\fR(1)
  share compiled code through a registry or a folder
  .TP
  \fBjitwarm\-pull\fR(1)
  fetch and import what another machine pushed
  .TP
  \fBjitwarm\-key\fR(1)
  show the key that equal machines share; make signing keys
  .TP
  \fBjitwarm\-list\fR(1)
  list the packs on this machine, or what is in one
  .SS Upkeep
  .TP
  \fBjitwarm\-startup\fR(1)
  prime at login and after driver updates
  .TP
  \fBjitwarm\-env\fR(1)
  show and set CUDA_CACHE_*, the driver\(aqs cache settings
  .TP
  \fBjitwarm\-prune\fR(1)
  delete cache entries that no driver here can use
  .TP
  \fBjitwarm\-uninstall\fR(1)
  remove all that jitwarm has set up and stored for you
  .SS Other
  .TP
  \fBjitwarm\-help\fR(1)
  show help, or the help of one verb
  .TP
  \fBjitwarm\-completions\fR(1)
  print shell completions for bash, zsh or fish
  .TP
  \fBjitwarm\-version\fR(1)
  show the version
  .SH OPTIONS OF EVERY VERB
  .TP
  \fB\-\-color\fR \fIWHEN\fR
  colour the output: auto (on a terminal), always or never
  .TP
  \fB\-q\fR, \fB\-\-quiet\fR
  print errors only
  .TP
  \fB\-v\fR, \fB\-\-verbose\fR
  print more
  .TP
  \fB\-h\fR, \fB\-\-help\fR
  show this help
  .SH OPTIONS OF EVERY VERB WITH A REPORT
  .TP
  \fB\-\-json\fR
  print JSON
  .TP
  \fB\-\-stats\fR
  also print times and bytes read
  .SH OPTIONS OF PRIME AND VERIFY
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  use this cache (default: the one of CUDA programs started from this shell)
  .TP
  \fB\-\-as\-root\fR
  as root: for root\(aqs own programs (refused otherwise)
  .TP
  \fB\-\-progress\fR \fIFORM\fR
  how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line on standard output, and nothing else there)
  .SH EXIT STATUS
  .TP
  \fB0\fR
  done, or nothing to do
  .TP
  \fB1\fR
  done in part, or a check failed
  .TP
  \fB2\fR
  wrong options, or no such file
  .TP
  \fB3\fR
  no usable GPU or driver
  .TP
  \fB4\fR
  cannot write: no space, no permission, or a limit
  .TP
  \fB5\fR
  the pack is for another machine
  .TP
  \fB6\fR
  the pack is damaged, or its signature is not trusted
  .TP
  \fB7\fR
  needs \-\-yes, ran out of time, or another jitwarm is running
  .TP
  \fB8\fR
  a server or network failed
  .TP
  \fB9\fR
  jitwarm\(aqs table does not know this software
  .TP
  \fB70\fR
  a bug in jitwarm
  .TP
  \fB130\fR
  interrupted
  .PP
  If the reader of a report stops early, SIGPIPE ends jitwarm, as with other tools.
  .SH ENVIRONMENT
  .TP
  \fBCUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE\fR
  the driver\(aqs own settings of its cache: folder, limit in bytes, 1 turns it off
  .TP
  \fBCUDA_VISIBLE_DEVICES, CUDA_FORCE_PTX_JIT, CUDA_DISABLE_PTX_JIT\fR
  the driver\(aqs own settings; prime follows them, and doctor explains them
  .TP
  \fBCUDA_HOME, CUDA_PATH\fR
  the CUDA toolkit whose compilers jitwarm uses
  .TP
  \fBJITWARM_DRIVER\fR
  the driver\(aqs library to use instead of the system\(aqs (Linux)
  .TP
  \fBJITWARM_PHANTOM\fR
  the libjitwarm\-phantom.so that prime \-\-driver\-files uses (Linux)
  .TP
  \fBJITWARM_LOGIN\fR
  USER:PASSWORD for the registry of push and pull
  .TP
  \fBDOCKER_CONFIG, REGISTRY_AUTH_FILE\fR
  where docker and podman store logins, which push and pull also use
  .TP
  \fBHTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY\fR
  proxies for registries
  .TP
  \fBJITWARM_STATE\fR
  where jitwarm stores what it learned about this machine\(aqs driver, and what it primed
  .TP
  \fBJITWARM_STORE\fR
  the folder of stored packs
  .TP
  \fBLD_LIBRARY_PATH\fR
  searched for software and the driver\(aqs library, as the loader does
  .TP
  \fBCONDA_PREFIX, VIRTUAL_ENV\fR
  environments that are searched for software
  .TP
  \fBSOURCE_DATE_EPOCH\fR
  the current time for the age of packs, in reproducible builds
  .TP
  \fBNO_COLOR\fR
  if set and not empty, output has no colours unless \-\-color=always is given
  .TP
  \fBCOLUMNS\fR
  width of output that does not go to a terminal; unset: text is 80 wide, and tables show whole paths
  .TP
  \fBXDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME\fR
  folders of settings, state and packs (\(ti/.config, \(ti/.local/state, \(ti/.local/share)
  .SH FILES
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/jitwarm.conf\fR
  the user\(aqs settings (\(ti/.config when XDG_CONFIG_HOME is unset; %APPDATA% on Windows)
  .TP
  \fB/etc/jitwarm/jitwarm.conf\fR
  the machine\(aqs settings (%ProgramData% on Windows)
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/\fR
  trusted public keys, NAME.pub; only you or root may be able to write there
  .TP
  \fB$XDG_STATE_HOME/jitwarm/drivers/\fR
  what jitwarm learned about each driver build (\(ti/.local/state; %LOCALAPPDATA%\ejitwarm\estate on Windows)
  .TP
  \fB$XDG_STATE_HOME/jitwarm/roots/\fR
  what was primed in each cache: journal, receipts, profiles, and skipped modules
  .SH SEE ALSO
  \fBjitwarm.conf\fR(5)

=== unknown
$ "$JITWARM" man pirme
!  jitwarm man: 'pirme' is not a verb; did you mean prime? (jitwarm help man)
exit 2

=== verb
$ "$JITWARM" man key
  .TH JITWARM\-KEY 1 2026-11-20 "jitwarm {VERSION}" "User Commands"
  .SH NAME
  jitwarm\-key \- show the key that equal machines share; make signing keys
  .SH SYNOPSIS
  \fBjitwarm key\fR [\fIOPTION\fR...]
  .SH DESCRIPTION
  Entries work on machines with the same system, driver build and GPU architecture. The key names these and the pack format, as in jitwarm2\-linux\-x86_64\-sm_86\-20260107\-225146. It has only letters, digits, \- _ and ., so it can be the key of a CI cache, a tag or a file name. push and pull use it as their default tag.
  .PP
  \-\-new writes two files in minisign\(aqs format: the secret key, which only you can read and which a passphrase locks, and the public key beside it. It never overwrites a file. import accepts packs of export \-\-sign if the public key is trusted: with import \-\-trust FILE; as a file NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, to which only you and root can write; or by a line \(dqtrust = KEY\(dq in jitwarm.conf.
  .PP
  Exit codes: 0; 2 wrong option; 3 unknown driver or GPU; 4 the key cannot be written; 7 no terminal to ask for the passphrase; 130 Ctrl\-C.
  .SH OPTIONS
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  for this architecture: sm_86, 8.6 or \(dqRTX 3070\(dq; may be repeated (default: this machine\(aqs GPUs)
  .TP
  \fB\-\-new\fR \fIFILE\fR
  instead make a key pair for signing packs: the secret key in FILE, the public key beside it
  .TP
  \fB\-\-no\-passphrase\fR
  with \-\-new: do not lock the secret key; anyone who can read the file can sign
  .SH COMMON OPTIONS
  .TP
  \fB\-\-color\fR \fIWHEN\fR
  colour the output: auto (on a terminal), always or never
  .TP
  \fB\-q\fR, \fB\-\-quiet\fR
  print errors only
  .TP
  \fB\-v\fR, \fB\-\-verbose\fR
  print more
  .TP
  \fB\-h\fR, \fB\-\-help\fR
  show this help
  .TP
  \fB\-\-json\fR
  print JSON
  .TP
  \fB\-\-stats\fR
  also print times and bytes read
  .SH EXAMPLES
  .TP
  \fBjitwarm key\fR
  this machine\(aqs key
  .TP
  \fBjitwarm key \-\-gpu sm_90\fR
  the key of a machine with this driver and another GPU
  .TP
  \fBdocker pull registry/app:$(jitwarm key)\fR
  an image for each kind of machine
  .TP
  \fBjitwarm key \-\-new \(ti/packs.key\fR
  a key pair of your own; asks for a passphrase twice
  .SH SEE ALSO
  \fBjitwarm\fR(1), \fBjitwarm.conf\fR(5)
