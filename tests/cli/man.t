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
  \fBsource\fR (list)
  Where others put packs: a registry (oci://HOST/NAME), a web server (https://HOST/PATH) or a folder. Before it compiles, prime takes from there what fits this machine and is signed with a trusted key.
  .TP
  \fBcacert\fR
  The certificate authority of your registry, for push, pull, \(garun \-\-pull\(ga and sources. An absolute path; the last line counts. Default: the system\(aqs.
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
  \fB$XDG_STATE_HOME/jitwarm/caches/\fR
  what was primed in each cache: journal, receipts, profiles, and skipped modules
  .SH EXAMPLES
  .nf
  roots = /opt/models
  exclude = */old\-envs/*
  jobs = 4
  timeout = 3600
  store_cap = 8GiB
  trust = RWQ...
  source = oci://reg.example/team/jit
  cacert = /etc/ssl/team\-ca.pem
  plain_http = reg.example:5000
  .fi
  .SH SEE ALSO
  \fBjitwarm\fR(1), \fBjitwarm\-doctor\fR(1)

=== unknown
$ "$JITWARM" man pirme
!  jitwarm: 'pirme' is not a verb; did you mean prime? (jitwarm help)
exit 2

=== verb
$ "$JITWARM" man key
  .TH JITWARM\-KEY 1 2026-11-20 "jitwarm {VERSION}" "User Commands"
  .SH NAME
  jitwarm\-key \- show the key that equal machines share; make signing keys
  .SH SYNOPSIS
  \fBjitwarm key\fR [\fIOPTION\fR...]
  .SH DESCRIPTION
  A machine\(aqs key: entries work on machines with the same system, driver build and GPU architecture. The key names these and the pack format, as in jitwarm2\-linux\-x86_64\-sm_86\-20260107\-225146. It has only letters, digits, \- _ and ., so it can be the key of a CI cache, a tag or a file name. push and pull use it as their default tag.
  .PP
  A key pair: \-\-new writes two files in minisign\(aqs format: the secret key, which only you can read and which a passphrase locks, and the public key beside it. It never overwrites a file, and makes the folder of jitwarm.conf for it. import accepts packs of export \-\-sign if the public key is trusted: with import \-\-trust FILE; as a file NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, to which only you and root can write; or by a line \(dqtrust = KEY\(dq in jitwarm.conf.
  .PP
  Exit codes: 0; 2 wrong option; 3 unknown driver or GPU; 4 the key cannot be written; 7 no terminal to ask for the passphrase; 130 Ctrl\-C.
  .SH OPTIONS
  .SS The key of this machine
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  the key for this architecture: sm_86, 8.6 or \(dqRTX 3070\(dq; several with commas, or repeated (default: this machine\(aqs GPUs)
  .SS A key pair for signing packs
  .TP
  \fB\-\-new\fR \fIFILE\fR
  make a key pair for signing packs: the secret key in FILE, the public key beside it
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
