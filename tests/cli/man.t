=== page
$ "$JITWARM" man
  .TH JITWARM 1 2026-11-20 "jitwarm {VERSION}" "User Commands"
  .SH NAME
  jitwarm \- find CUDA code in files and say what it means for each GPU
  .SH SYNOPSIS
  \fBjitwarm\fR \fIVERB\fR [\fIOPTION\fR...] [\fIARGUMENT\fR...]
  .SH DESCRIPTION
  The answer goes to standard output, everything else that there is to tell to standard error.
  Options come after the verb, before, between or after its arguments;
  \fB\-\-\fR ends them.
  Of an option that is given twice the last counts,
  unless it is one that adds to a list.
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
  .SH VERBS
  .SS jitwarm prime [OPTION...] [PATH...]
  \fBprime\fR: compile CUDA code now, so that the next start is fast.
  .PP
  Hands the driver the very modules that CUDA programs will hand it, in worker processes side by side, so that what they need is in the driver\(aqs cache before they start. Then fresh processes load all of it again, and prove that nothing is compiled any more.
  .PP
  PATH may be whatever scan takes. Without PATH it is what was primed before and the CUDA software that is found now (jitwarm scan \-v lists the places), without NVIDIA\(aqs own libraries and without what is loaded on demand only. What was removed is forgotten.
  .PP
  A module that crashes or hangs the driver costs that module alone, and is left out until the driver changes. Ctrl\-C stops cleanly, and what is compiled stays; the next run goes on from there.
  .PP
  You are asked before more than 15 minutes of computing (of all workers together), and when the cache has too little room; then modules are compiled as far as they are expected to fit. Without a terminal nobody can be asked: without \-\-yes the answer is then the plan, and nothing is compiled.
  .PP
  \-\-run comes last: all that is behind it is the command. jitwarm run knows the command by its words, so they must be the same there.
  .PP
  \-\-offline needs no GPU and no driver. It finds the modules that the target\(aqs driver would compile, has a toolkit\(aqs ptxas or nvJitLink compile them, and packs the results as entries of that driver\(aqs cache. The driver cannot tell them from its own, so jitwarm import takes them only after its machine has proven, with a small kernel that is in the pack, that its driver runs such code rightly.
  .PP
  The exit code is 0 when all is warm, also when it was so before; 1 when a module is not warm, or was not found again, or a setting makes warming useless; 2 for a wrong option or path; 3 without a usable driver or GPU; 4 when the cache cannot be written; 7 when a yes or time is lacking or another prime is at work; 130 after Ctrl\-C.
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only for this GPU: its number here, UUID, sm_86, 8.6, 10de:2484 or \(dqRTX 3070\(dq; may be repeated (default: all that are here). For one that is not here (prime: with \-\-pack or \-\-cache) this machine\(aqs driver compiles, too; fleet: those of jitwarm.conf
  .TP
  \fB\-\-only\fR \fIPATTERN\fR
  only files of this name (* and ? as in a shell); may be repeated
  .TP
  \fB\-\-skip\fR \fIPATTERN\fR
  not the files of this name; may be repeated
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  do not even look at files and folders of this name; may be repeated
  .TP
  \fB\-\-all\fR
  also NVIDIA\(aqs own libraries, and modules that are loaded on demand only
  .TP
  \fB\-\-system\fR
  without PATH, as root: the software in the homes of all users, too
  .TP
  \fB\-\-from\-cache\fR
  what the cache still holds of earlier drivers, instead of files
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-j\fR, \fB\-\-jobs\fR \fIN\fR
  at most so many workers at once (default: half of the processors)
  .TP
  \fB\-\-mem\fR \fISIZE\fR
  memory for all workers together (default: what is free, less \-\-keep\-free)
  .TP
  \fB\-\-keep\-free\fR \fISIZE\fR
  memory that is left to others (default: an eighth of the machine\(aqs)
  .TP
  \fB\-\-timeout\fR \fITIME\fR
  give up on a module after 90s, 5m or 2h (default: 30m)
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .TP
  \fB\-\-time\-box\fR \fITIME\fR
  stop after this time, and exit with 7 if something is left; the next run goes on from there
  .TP
  \fB\-\-wait\fR[=\fITIME\fR]
  when another prime is at work on this cache, wait until it ends, or so long (default: exit with 7 at once)
  .TP
  \fB\-\-no\-verify\fR
  do not prove in a fresh process that all is found again
  .TP
  \fB\-\-renew\fR
  what jitwarm carry kept from earlier drivers: compile it anew, and put that in its place
  .TP
  \fB\-\-retry\fR
  also what was left alone because this driver crashed or hung on it before
  .TP
  \fB\-\-if\-stale\fR
  do not search; only what was warmed before, if a file, the driver or a setting has changed since
  .TP
  \fB\-\-tune\fR
  when the cache may not grow as large as is needed, raise its limit for good, as jitwarm env apply does (jitwarm env undo takes it back)
  .TP
  \fB\-\-background\fR
  step aside for everything else that this machine does, and keep a log; with \-\-if\-stale also wait for mains power and a quiet machine, and for the reboot that a driver update needs
  .TP
  \fB\-\-packs\fR \fIDIR\fR
  first import what fits from the packs in this folder, when it or the driver has changed since
  .TP
  \fB\-\-prune\fR
  afterwards, when something was done and all is warm: jitwarm prune \-\-yes
  .TP
  \fB\-\-run\fR \fICMD...\fR
  run this command once, warm all that it loads, and remember that as its profile (jitwarm run)
  .TP
  \fB\-I\fR, \fB\-\-include\fR \fIDIR\fR
  look for the headers of .cu files there, too; may be repeated
  .TP
  \fB\-o\fR, \fB\-\-output\fR \fIFILE.ptx\fR
  write the PTX that the one .cu file was made into: what a program has to load
  .TP
  \fB\-\-pack\fR \fIFILE\fR
  pack what was primed for machines of the same kind, into this file or folder (jitwarm export)
  .TP
  \fB\-\-push\fR \fIREF\fR
  afterwards share what was primed through this registry or folder (jitwarm push), signed with \-\-sign
  .TP
  \fB\-\-cacert\fR \fIFILE\fR
  trust this certificate authority, in place of the system\(aqs
  .TP
  \fB\-\-cert\fR \fIFILE\fR
  show this client certificate
  .TP
  \fB\-\-cert\-key\fR \fIFILE\fR
  the key of the client certificate
  .TP
  \fB\-\-plain\-http\fR
  use http without TLS, which is else done for this machine alone
  .TP
  \fB\-\-deadline\fR \fITIME\fR
  give up on the place after 90s, 5m or 2h (default: 1h)
  .TP
  \fB\-\-offline\fR
  make a pack for another machine, whose driver and GPU are not here, with a CUDA toolkit\(aqs compiler: with \-\-for, and PATHs; into \-\-pack, else into the store
  .TP
  \fB\-\-for\fR \fITARGET\fR
  with \-\-offline: driver=STAMP,sm=86, the stamp as jitwarm doctor \-\-probe \-\-json tells it there (knowledge, stamp), such as \(dqJan  7 202622:51:46\(dq
  .TP
  \fB\-\-compiler\fR \fINAME\fR
  with \-\-offline: ptxas (the default) or nvjitlink, looked for in CUDA_HOME, CUDA_PATH, /usr/local/cuda and PATH (of nvjitlink Python\(aqs packages), or the absolute path of one
  .TP
  \fB\-\-sign\fR \fIKEY\fR
  with \-\-push or \-\-offline: sign with this secret key (jitwarm keygen)
  .TP
  \fB\-\-stop\fR
  end the prime that is at work on this cache, and wait until it has ended
  .TP
  \fB\-\-profile\fR \fINAME\fR
  behave as this caller expects: slurm\-prolog (a minute at most, never a failure), intune (its exit codes, no output), container (no questions), postinst (queue it for the invoking user)
  .TP
  \fB\-\-task\fR
  with \-\-profile slurm\-prolog: print export lines for the task, as Slurm\(aqs TaskProlog reads them
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  do not ask, however much it is
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  tell what would be compiled, and compile nothing: jitwarm plan
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm plan [OPTION...] [PATH...]
  \fBplan\fR: show what prime would compile, and how long it takes.
  .PP
  Looks for what prime would look for, and tells by file how many modules the driver would compile, how much PTX that is, the time, the room that it takes in the cache, and what is warm already. Nothing is compiled, and the cache is not changed.
  .PP
  The time is a prediction: from what modules took on this machine before or, as long as it has not primed yet, from what they take on an ordinary processor.
  .PP
  The exit code is 0, whether anything is to be done or not. With \-\-check it is 1 unless all is known to be warm: so also when there is no driver to ask, or a setting forbids compiling.
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only for this GPU: its number here, UUID, sm_86, 8.6, 10de:2484 or \(dqRTX 3070\(dq; may be repeated (default: all that are here). For one that is not here (prime: with \-\-pack or \-\-cache) this machine\(aqs driver compiles, too; fleet: those of jitwarm.conf
  .TP
  \fB\-\-only\fR \fIPATTERN\fR
  only files of this name (* and ? as in a shell); may be repeated
  .TP
  \fB\-\-skip\fR \fIPATTERN\fR
  not the files of this name; may be repeated
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  do not even look at files and folders of this name; may be repeated
  .TP
  \fB\-\-all\fR
  also NVIDIA\(aqs own libraries, and modules that are loaded on demand only
  .TP
  \fB\-\-system\fR
  without PATH, as root: the software in the homes of all users, too
  .TP
  \fB\-\-from\-cache\fR
  what the cache still holds of earlier drivers, instead of files
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-j\fR, \fB\-\-jobs\fR \fIN\fR
  at most so many workers at once (default: half of the processors)
  .TP
  \fB\-\-mem\fR \fISIZE\fR
  memory for all workers together (default: what is free, less \-\-keep\-free)
  .TP
  \fB\-\-keep\-free\fR \fISIZE\fR
  memory that is left to others (default: an eighth of the machine\(aqs)
  .TP
  \fB\-\-timeout\fR \fITIME\fR
  give up on a module after 90s, 5m or 2h (default: 30m)
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .TP
  \fB\-I\fR, \fB\-\-include\fR \fIDIR\fR
  look for the headers of .cu files there, too; may be repeated
  .TP
  \fB\-\-check\fR
  exit with 1 unless all of it is warm already
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm verify [OPTION...] [PATH...]
  \fBverify\fR: check that the next start compiles nothing.
  .PP
  Fresh processes load every module that should be warm, one in the environment of this shell and, where that differs, one in that of a fresh login. It is proven when all is found and not one file appears in the cache; else it is told what is missing, and why. What is known to be missing beforehand is told, and not compiled.
  .PP
  Without PATH it is what was primed before and what is found, as prime has it.
  .PP
  The exit code is 0 when nothing was missing, 1 when something was, 3 without a usable driver or GPU. With \-\-run it is 1 when the driver compiled anything for the command, or the command failed.
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only for this GPU: its number here, UUID, sm_86, 8.6, 10de:2484 or \(dqRTX 3070\(dq; may be repeated (default: all that are here). For one that is not here (prime: with \-\-pack or \-\-cache) this machine\(aqs driver compiles, too; fleet: those of jitwarm.conf
  .TP
  \fB\-\-only\fR \fIPATTERN\fR
  only files of this name (* and ? as in a shell); may be repeated
  .TP
  \fB\-\-skip\fR \fIPATTERN\fR
  not the files of this name; may be repeated
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  do not even look at files and folders of this name; may be repeated
  .TP
  \fB\-\-all\fR
  also NVIDIA\(aqs own libraries, and modules that are loaded on demand only
  .TP
  \fB\-\-system\fR
  without PATH, as root: the software in the homes of all users, too
  .TP
  \fB\-\-from\-cache\fR
  what the cache still holds of earlier drivers, instead of files
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-j\fR, \fB\-\-jobs\fR \fIN\fR
  at most so many workers at once (default: half of the processors)
  .TP
  \fB\-\-mem\fR \fISIZE\fR
  memory for all workers together (default: what is free, less \-\-keep\-free)
  .TP
  \fB\-\-keep\-free\fR \fISIZE\fR
  memory that is left to others (default: an eighth of the machine\(aqs)
  .TP
  \fB\-\-timeout\fR \fITIME\fR
  give up on a module after 90s, 5m or 2h (default: 30m)
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .TP
  \fB\-\-sample\fR \fIN\fR
  load so many of the modules, spread over all (default: all)
  .TP
  \fB\-\-run\fR \fICMD...\fR
  run this command instead, and count what the driver compiles for it; one word with blanks is a line for the shell
  .TP
  \fB\-I\fR, \fB\-\-include\fR \fIDIR\fR
  look for the headers of .cu files there, too; may be repeated
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm scan [OPTION...] [PATH...]
  \fBscan\fR: show which GPUs a file\(aqs CUDA code runs on, and what must be compiled first.
  .PP
  Reads the headers of the CUDA code in each file and tells for each GPU whether it runs natively, must be compiled by the driver at the first start (jit), is in the driver\(aqs cache already (warm), needs a newer driver (blocked), is compiled only when a library asks for it (lazy), is for the device linker (rdc), or does not run at all (none). Nothing is changed, and the driver is not loaded.
  .PP
  PATH may be a library, program, object, static library, .fatbin, .cubin, .ptx, wheel, or a folder, which is searched with all that is below it. Without PATH the CUDA software that you run is searched for: Python, conda and Node.js environments of your home, of the working folder and the folders above it, what running programs have loaded, LD_LIBRARY_PATH, CUDA toolkits, known applications, and the roots of jitwarm.conf without its exclude. \-\-verbose lists each place, how it was found, and what was not searched.
  .PP
  The exit code is 2 when a named PATH cannot be read, and 6 when one is damaged.
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  judge for this GPU: sm_86, 8.6, 10de:2484, \(dqRTX 3070\(dq, its number here, all or known; may be repeated (default: the GPUs of this machine, else all)
  .TP
  \fB\-\-driver\fR \fIVERSION\fR
  judge by this driver: 580.126.09, 590, or a CUDA version such as 13.0 (default: this machine\(aqs, for its own GPUs)
  .TP
  \fB\-\-entries\fR
  list every module and what it holds
  .TP
  \fB\-\-deep\fR
  search every byte, for code outside of the usual sections
  .TP
  \fB\-\-extract\fR \fIDIR\fR
  write the decoded PTX and machine code to this folder, which must be new or empty
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  pass over files and folders of this name (* and ? as in a shell); may be repeated
  .TP
  \fB\-\-system\fR
  without PATH, as root: search the homes of all users, too
  .TP
  \fB\-\-check\fR
  exit with 1 unless all that was found runs natively or is warm
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm doctor [OPTION...]
  \fBdoctor\fR: find out why CUDA programs start slowly here.
  .PP
  Looks at the driver, the GPUs, the settings, the driver\(aqs cache of compiled GPU code and the CUDA software that is installed, and tells what is wrong: what was seen, what follows from it, and the command that mends it. Nothing is changed.
  .PP
  Software is judged for each GPU: NATIVE starts at once; JIT_FIRST is compiled by the driver at the first start, JIT_EVERY at every start; NO_KERNEL does not run; DRIVER_OLD and PTX_TOO_NEW need a newer driver; CPU_BUILD and LIBS_MISSING compute without the GPU, or not at all; WRONG_RESULT_RISK was reported to compute wrong results; NOT_COMPAT: what hurts is no matter of compatibility. What is installed is read from its files, for another GPU or driver (\-\-gpu, \-\-driver), too. About a version, or a system (\-\-os), that is not here a table of known builds tells, and the answer says how sure that is.
  .PP
  The driver is loaded by a separate process: whatever that does, this one lives to tell. NVIDIA does not document how its driver keeps compiled code. So on the first run with a driver, or with \-\-probe, a handful of tiny modules is compiled into an empty folder of jitwarm\(aqs own, and what appears there is compared with what was expected. Each level of understanding that is proven unlocks features; the result is remembered for this very build of the driver, and for no other. The cache of your programs is not touched.
  .PP
  The exit code is 1 when there is a warning or a problem; notes do not count. So a machine on which prime has proven all its software warm gets 0, and monitoring may call doctor: 0 healthy, 1 a finding (\-\-json lists their ids, \-\-ignore leaves one out), 2 wrong options, 130 interrupted, any other code: doctor itself failed.
  .TP
  \fB\-\-framework\fR \fINAME==VER\fR
  judge this software: tensorflow==2.3.1, torch==2.9+cu130, onnxruntime\-gpu, matlab==R2020b; may be repeated (default: what is installed here)
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  for this GPU: sm_86, 8.6, 10de:2484, \(dqRTX 3070\(dq, its number here, all or known; may be repeated, twice the same for two of them (default: the GPUs of this machine)
  .TP
  \fB\-\-driver\fR \fIVERSION\fR
  with this driver: 580.126.09, 456.71, or a CUDA version such as 13.0
  .TP
  \fB\-\-os\fR \fISYSTEM\fR
  on this system: here, linux (x86\-64), linux\-aarch64, windows or wsl
  .TP
  \fB\-\-python\fR \fIVERSION\fR
  with this Python, such as 3.11
  .TP
  \fB\-\-cuda\fR \fIVERSION\fR
  with this CUDA toolkit installed, such as 11.2, or none
  .TP
  \fB\-\-cudnn\fR \fIVERSION\fR
  with this cuDNN installed, such as 8.1, or none
  .TP
  \fB\-\-env\fR \fINAME=VALUE\fR
  with this environment variable, such as CUDA_CACHE_MAXSIZE=268435456; may be repeated
  .TP
  \fB\-\-container\fR
  in a container, whose files are lost when it ends
  .TP
  \fB\-\-symptom\fR \fISYMPTOM\fR
  what hurts: slow\-start or slow\-training
  .TP
  \fB\-\-log\fR \fIFILE\fR
  read what a program printed: where it stood still, which GPUs and libraries it found
  .TP
  \fB\-\-probe\fR
  prove again how far the driver is understood, instead of telling what was proven before
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  look at this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-ignore\fR \fIID\fR
  leave this finding out, of the answer and of the exit code; may be given several times
  .TP
  \fB\-\-portable\fR
  tell only what two equal machines have in common: compare with diff
  .TP
  \fB\-\-bundle\fR \fIFILE\fR
  also write all of it, without names and folders of yours, to a new file for a bug report
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm status [OPTION...]
  \fBstatus\fR: show what the driver\(aqs cache holds.
  .PP
  Tells where the NVIDIA driver keeps the code that it compiled for this user (its JIT cache, \(dqComputeCache\(dq), how large that may grow, and what is in it: entries by the driver build that made them and by GPU architecture, those of OpenCL and NVRTC, the largest, and what is damaged or lost. An entry serves only the driver build that made it; which build is this machine\(aqs is known once it was probed.
  .PP
  What prime recorded is held against what is there: entries that are gone, whether all that is needed fits under the limit, and which software the entries are of. A prime that is at work on this cache is told with how far it is.
  .PP
  The environment of this shell decides: a service or another login may have another cache. Without \-\-repair nothing is changed or locked, and the driver is not loaded. Caches of other programs (shader caches, PyTorch\(aqs, Triton\(aqs, CuPy\(aqs) are not looked at.
  .PP
  \-\-repair: a cache whose index is missing or damaged loses all other entries when the next program compiles something. The index is rebuilt from the records that are left and from whole entries.
  .PP
  The exit code is 1 when part of the cache could not be read.
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  look at this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-check\fR
  read every byte of every entry, and exit with 6 if one is damaged
  .TP
  \fB\-\-repair\fR
  rebuild the cache\(aqs index first, if it is missing or damaged; no entry is removed
  .TP
  \fB\-\-metrics\fR
  answer in Prometheus\(aq text format
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm run [OPTION...] \-\- CMD...
  \fBrun\fR: prime what a command loads, then run the command.
  .PP
  Warms what the command was seen to load (jitwarm prime \-\-run CMD, with the same words, learns it), unless that is warm already, which takes milliseconds to see. Of a command that is not known, what was primed before is warmed again if it is stale; nothing is searched for. With \-\-pull, what another machine compiled is fetched first. Then the command takes the place of jitwarm: its standard streams, signals and exit code are its own.
  .PP
  No question is asked, however long it takes; \-\-time\-box sets an end. Whatever goes wrong before, the command is started. The exit code is that of the command; 127 when there is no such command, 126 when it cannot be run.
  .TP
  \fB\-\-time\-box\fR \fITIME\fR
  start the command after this time even if not all of it is warm
  .TP
  \fB\-\-pull\fR \fIREF\fR
  first fetch what fits from this registry or folder (jitwarm pull); if that fails, one sentence says so
  .TP
  \fB\-\-trust\fR \fIKEYFILE\fR
  with \-\-pull: trust packs that this public key has signed; may be repeated
  .TP
  \fB\-\-allow\-unsigned\fR
  with \-\-pull: take packs that nobody has signed
  .TP
  \fB\-\-foreign\fR
  with \-\-pull: also entries of software that is not found here
  .TP
  \fB\-\-cacert\fR \fIFILE\fR
  trust this certificate authority, in place of the system\(aqs
  .TP
  \fB\-\-cert\fR \fIFILE\fR
  show this client certificate
  .TP
  \fB\-\-cert\-key\fR \fIFILE\fR
  the key of the client certificate
  .TP
  \fB\-\-plain\-http\fR
  use http without TLS, which is else done for this machine alone
  .TP
  \fB\-\-deadline\fR \fITIME\fR
  give up on the place after 90s, 5m or 2h (default: 1h)
  .SS jitwarm export [OPTION...] [PATH...]
  \fBexport\fR: pack compiled code for machines of the same kind.
  .PP
  Packs entries of the driver\(aqs cache: what a machine with the same driver build and the same GPU architecture takes over with jitwarm import, so that it compiles nothing of it. A pack is a .tar.zst; tar \-\-zstd \-tf lists it.
  .PP
  With PATH, whatever scan takes, it is the entries of these files; without, of what was primed. An entry holds the source (PTX) of its kernels, so nothing else leaves; \-\-everything tells first what all it would give away. The pack names packages and files, and no path, host, user or variable.
  .PP
  A damaged entry, or one that a running program is about to write, is left out and told. FILE is replaced in one step: at any instant it is the old one or all of the new one. A file that is no pack is only replaced after a yes.
  .PP
  \-\-sign writes minisign\(aqs signature beside the pack, as FILE.minisig, and into it. With \-\-from\-store each kept pack is verified again. A pack is signed that this machine made, or that a key signed which was trusted here for everything; \-\-vouch signs others, too.
  .PP
  The exit code is 0 when all that was asked for is in the pack; 1 when something was left out, or there was nothing to pack; 2 for a wrong option or path; 3 when the driver is not known or not understood well enough; 4 when the pack cannot be written; 6 for a key that cannot be used; 7 when a yes or a passphrase is lacking; 130 after Ctrl\-C.
  .TP
  \fB\-o\fR, \fB\-\-output\fR \fIFILE\fR
  write the pack there; \- is standard output, and in a folder it gets a name of its own (default: this folder)
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \(dqRTX 3070\(dq; may be repeated; all are those of the cache, too (default: the GPUs that are here)
  .TP
  \fB\-\-everything\fR
  all that the cache holds of this driver, whoever had it compiled: told first, and asked for
  .TP
  \fB\-\-from\-store\fR
  entries of the packs that are kept on this machine (jitwarm list), and not of the cache
  .TP
  \fB\-\-vouch\fR
  with \-\-from\-store and \-\-sign: also sign packs that were not made here, and that no trusted key signed
  .TP
  \fB\-\-no\-store\fR
  keep no copy for this machine, as is done of a pack of what was primed
  .TP
  \fB\-\-level\fR \fIN\fR
  how hard to compress: 1 to 19, above 9 over long distances, too (default: 3)
  .TP
  \fB\-\-sign\fR \fIKEY\fR
  sign with this secret key (jitwarm keygen, minisign); its passphrase is asked for on the terminal
  .TP
  \fB\-\-include\-carried\fR
  also entries that were not made by this driver, but carried over from an older one
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  do not even look at files and folders of this name; may be repeated
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-j\fR, \fB\-\-jobs\fR \fIN\fR
  compress with so many threads (default: one for each processor); the pack is the same
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  do not ask before everything leaves, or before a file that is no pack is replaced
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  tell what would be packed, and write nothing
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm import [OPTION...] FILE|\- [PATH...]
  \fBimport\fR: add a pack\(aqs code to the driver\(aqs cache.
  .PP
  Puts the entries of a pack into the driver\(aqs cache, so that the next start compiles nothing, and keeps the pack in the store. A pack is of use on a machine with the same system, the same build of the driver and the same GPU architecture; another one goes to the store alone, and what differs is told.
  .PP
  Before anything is unpacked its bytes must have their digest and a signature by a key that is trusted here: *.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, trust lines of jitwarm.conf, or \-\-trust. A key can be bound to the software that it may vouch for: then an entry is taken only if such software asks for it here, and \-\-foreign is refused. Whatever is wrong with a pack leaves the cache as it was, to the byte.
  .PP
  Only entries are taken whose source is in CUDA software here: in PATH; without PATH in what was primed before and in what is found on this machine. \-\-foreign takes all.
  .PP
  A pack has a date, which its signature covers. One that is older than what was imported here before, for the same build of the driver and any of the same software, needs a yes (\-\-yes): it could bring back code that was replaced since. One without a date is older than any with one.
  .PP
  What is proven, and what is believed: jitwarm proves that the pack is whole, that each entry is filed under its own source, and that the driver finds it. It cannot see what machine code does. Of an unsigned pack, and of one whose key is bound to some software, it compiles 8 new entries again, drawn by chance, for at most a minute, and compares every byte. A difference refuses the pack. The code of the other entries is believed: trust the person who gave you the pack as you trust a program from the same person. \-\-audit 100% proves all of them.
  .PP
  A pack of jitwarm prime \-\-offline holds code that a CUDA toolkit\(aqs compiler made, and not the driver\(aqs. It is taken only after this machine has proven that this build of its driver runs such code rightly: with a small kernel of the pack, in a folder of jitwarm\(aqs own. Otherwise nothing of it is imported, whatever the options say.
  .PP
  Programs that use the cache may run on. Afterwards a fresh process loads a sample, and must compile nothing. What was begun and not ended leaves whole entries only; the same command goes on from there.
  .PP
  The exit code is 0 when all that is for this machine is in the cache; 1 when some of it is not, or nothing is for software here; 2 for a wrong option or file; 3 without a usable driver or GPU; 4 when the cache cannot be written or the disk is full; 5 when the pack is for another machine; 6 when it is damaged or not to be believed; 7 when a yes is lacking or another jitwarm is at work; 130 after Ctrl\-C.
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  tell what would become of each entry, and change nothing
  .TP
  \fB\-\-foreign\fR
  also entries of software that is not here (default: only those whose source was found in files here)
  .TP
  \fB\-\-audit\fR \fIPERCENT\fR
  first compile so many of the new entries again, drawn by chance; any difference refuses the pack (default: 8 entries, as far as a minute goes, unless a key that is trusted for everything signed it)
  .TP
  \fB\-\-no\-audit\fR
  compile none again: believe the code of whoever gave you the pack
  .TP
  \fB\-\-verify\fR
  load every entry in a fresh process afterwards (default: 16 of the new ones)
  .TP
  \fB\-\-no\-verify\fR
  load none
  .TP
  \fB\-\-allow\-unsigned\fR
  take a pack that nobody has signed
  .TP
  \fB\-\-trust\fR \fIKEYFILE\fR
  believe packs that this public key has signed, for this once; may be repeated
  .TP
  \fB\-\-signature\fR \fIFILE\fR
  the signature (default: FILE.minisig beside the pack, or the one in it)
  .TP
  \fB\-\-force\fR
  import more than the cache\(aqs limit allows; never what is damaged or not trusted
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  into this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-wait\fR[=\fITIME\fR]
  when another jitwarm is at work on this cache, wait until it ends, or so long (default: exit with 7 at once)
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  do not ask: import what fits when not all of it does, and also a pack that is older than one imported before
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm push [OPTION...] REF [PATH...]
  \fBpush\fR: share compiled code through a registry or a folder.
  .PP
  Packs entries of the driver\(aqs cache as jitwarm export does, one pack for each piece of software, and puts them where REF says. Packs that are there already are not moved again, so after an update of one library only that library\(aqs pack moves. With PATH it is the entries of these files; without, of what was primed.
  .PP
  REF is oci://HOST[:PORT]/NAME[:TAG], a registry; or oci\-layout:DIR[:TAG] or dir:PATH, a folder in OCI\(aqs image layout, which skopeo and umoci read. Without a tag each kind of machine has its own, the line of jitwarm key. A tag that you name can hold packs for many kinds of machines. The login of a registry is the one of docker login or podman login, or JITWARM_LOGIN.
  .PP
  Sign packs that others shall trust: pull refuses unsigned ones unless it is told otherwise. Entries hold the source (PTX) of their kernels, so everybody who can pull can read that.
  .PP
  The exit code is 0 when all is there; 1 when there was nothing to push; 2 for a wrong option or REF; 3 when the driver is not known or not understood well enough; 4 when the place cannot be written; 6 for a key or a pack that cannot be used; 7 when another push is at work there or a passphrase is lacking; 8 when the place is at fault; 130 after Ctrl\-C.
  .TP
  \fB\-\-sign\fR \fIKEY\fR
  sign each layer with this secret key (jitwarm keygen); its passphrase is asked for on the terminal
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only entries for this GPU: its number, UUID, sm_86, 8.6 or \(dqRTX 3070\(dq; may be repeated (default: the GPUs that are here)
  .TP
  \fB\-\-pack\fR \fIFILE\fR
  push this pack as it is, in place of entries of the cache; may be repeated
  .TP
  \fB\-\-from\-store\fR
  push entries of the packs that are kept on this machine (jitwarm list), not of the cache
  .TP
  \fB\-\-include\-carried\fR
  also entries that were carried over from an older driver
  .TP
  \fB\-\-exclude\fR \fIPATTERN\fR
  skip files and folders of this name; may be repeated
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-j\fR, \fB\-\-jobs\fR \fIN\fR
  compress with this many threads (default: one for each processor)
  .TP
  \fB\-\-mount\-from\fR \fINAME\fR
  take layers from this other repository of the same registry where it has them; nothing is sent then
  .TP
  \fB\-\-cacert\fR \fIFILE\fR
  trust this certificate authority, in place of the system\(aqs
  .TP
  \fB\-\-cert\fR \fIFILE\fR
  show this client certificate
  .TP
  \fB\-\-cert\-key\fR \fIFILE\fR
  the key of the client certificate
  .TP
  \fB\-\-plain\-http\fR
  use http without TLS, which is else done for this machine alone
  .TP
  \fB\-\-deadline\fR \fITIME\fR
  give up on the place after 90s, 5m or 2h (default: 1h)
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm pull [OPTION...] REF [PATH...]
  \fBpull\fR: fetch and import what another machine pushed.
  .PP
  Looks up this machine\(aqs driver build and GPUs in the index at REF, and imports the packs that fit, as jitwarm import does: with digest, signature and trusted keys checked before anything is written. Packs whose entries are in the cache since an earlier pull are not fetched again.
  .PP
  REF is as in jitwarm push. Without a tag it is the line of jitwarm key. The folder may be read\-only, on a network drive or a mounted volume: nothing is written to it.
  .PP
  Only entries are taken whose source is in CUDA software here: in PATH; without PATH in what was primed before and in what is found on this machine. \-\-foreign takes all.
  .PP
  The exit code is 0 when all that is for this machine is in the cache; 1 when some of it is not; 2 for a wrong option or REF; 3 without a known driver or GPU; 4 when the cache cannot be written; 5 when no pack there is for this machine; 6 when one is damaged or not signed by a trusted key; 7 when another jitwarm is at work; 8 when the place cannot be reached or holds other bytes than it says; 130 after Ctrl\-C. With \-\-or\-prime it is the exit code of jitwarm prime.
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  print which layers would be fetched, and change nothing
  .TP
  \fB\-\-or\-prime\fR
  then compile what no pack had (jitwarm prime \-\-yes); a place that cannot be reached is no failure
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  packs for this architecture: sm_86, 8.6 or \(dqRTX 3070\(dq; may be repeated (default: the GPUs that are here)
  .TP
  \fB\-\-foreign\fR
  also entries of software that is not here
  .TP
  \fB\-\-allow\-unsigned\fR
  take packs that nobody has signed
  .TP
  \fB\-\-trust\fR \fIKEYFILE\fR
  trust packs that this public key has signed, this once; may be repeated
  .TP
  \fB\-\-verify\fR
  load every entry in a fresh process afterwards (default: a sample of the new ones)
  .TP
  \fB\-\-no\-verify\fR
  load none
  .TP
  \fB\-\-force\fR
  import more than the cache\(aqs limit allows; never what is damaged or not trusted
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  into this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-wait\fR[=\fITIME\fR]
  when another jitwarm is at work on this cache, wait until it ends, or this long (default: exit with 7)
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .TP
  \fB\-\-cacert\fR \fIFILE\fR
  trust this certificate authority, in place of the system\(aqs
  .TP
  \fB\-\-cert\fR \fIFILE\fR
  show this client certificate
  .TP
  \fB\-\-cert\-key\fR \fIFILE\fR
  the key of the client certificate
  .TP
  \fB\-\-plain\-http\fR
  use http without TLS, which is else done for this machine alone
  .TP
  \fB\-\-deadline\fR \fITIME\fR
  give up on the place after 90s, 5m or 2h (default: 1h)
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm key [OPTION...]
  \fBkey\fR: show the one line that machines of the same kind have in common.
  .PP
  Packs fit machines with the same system, the same build of the driver and the same GPU architecture. The key is made of these and of the packs\(aq format, as in jitwarm1\-linux\-x86_64\-sm_86\-20260107\-225146. It has letters, digits, \- _ and . only, so it can be the key of a CI cache, a tag or a file name. It is the tag that push and pull use.
  .PP
  The exit code is 0; 2 for a wrong option; 3 when no driver or GPU is known; 130 after Ctrl\-C.
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  for this architecture: sm_86, 8.6 or \(dqRTX 3070\(dq; may be repeated (default: the GPUs that are here)
  .SS jitwarm inspect [OPTION...] FILE|\-
  \fBinspect\fR: show what is in a pack.
  .PP
  Reads the pack\(aqs manifest, which is its first part, and nothing else: of standard input no more is read than that. Nothing is verified, neither a digest nor a signature; import does that before it uses anything, and import \-\-dry\-run does it without changing anything.
  .PP
  Exits with 6 when it is no pack, or its manifest is damaged.
  .TP
  \fB\-\-entries\fR
  list every entry
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm list [OPTION...]
  \fBlist\fR: list the packs on this machine.
  .PP
  The store holds one pack for each driver build and GPU architecture, and the one that it replaced: packs that were imported for another driver or GPU, and what prune saved of a driver that is gone. It grows up to 2 GiB (store_cap in jitwarm.conf); then the ones that were used least recently make room, but none of this machine\(aqs driver.
  .PP
  What is told is what the packs say of themselves; import verifies it. RAW is what a pack unpacks to, SIGNED by whom: a key that is trusted here by its file\(aqs name, another one by its id.
  .PP
  The exit code is 1 when the store cannot be read, or others may write to it.
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm keygen [OPTION...]
  \fBkeygen\fR: create a key pair for signing packs.
  .PP
  Writes two files that minisign reads, too: the secret key, which only you can read and which is locked with a passphrase, and the public key beside it. Files that are there are never overwritten.
  .PP
  A pack from export \-\-sign is believed where the public key is trusted: with import \-\-trust FILE, or as a file NAME.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, which nobody but you or root may write to, or by a line \(dqtrust = KEY\(dq in jitwarm.conf. A third line \(dq# origins: torch libfoo*\(dq in the file, or such names behind KEY in jitwarm.conf, let it vouch for the code of these packages and libraries alone.
  .PP
  Exits with 7 when the passphrase cannot be asked for, because there is no terminal.
  .TP
  \fB\-o\fR, \fB\-\-output\fR \fIFILE\fR
  the file of the secret key (default: jitwarm.key beside jitwarm.conf); the public one is beside it
  .TP
  \fB\-\-no\-passphrase\fR
  do not lock the secret key: whoever can read the file can sign
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm startup [OPTION...] [install|remove|run|status]
  \fBstartup\fR: prime at login and after driver updates.
  .PP
  install has this system run jitwarm prime \-\-if\-stale \-\-background \-\-quiet, with two workers, 45 seconds after each login and every four hours: by a timer of systemd for this user, by a desktop\(aqs autostart where there is no systemd, or by a task of Windows. When nothing has changed since the last prime, that ends in milliseconds, and neither loads the driver nor wakes a GPU. After a driver or software update it warms again what was primed before.
  .PP
  It waits for mains power, gives way to everything else at the processors and the disk, and stops while the machine is short of memory. After a driver update that needs a reboot it waits for that.
  .PP
  With \-\-system each user\(aqs run also imports what fits from packs in /var/lib/jitwarm/packs (%ProgramData%\ejitwarm\epacks) that are signed by a key in /etc/jitwarm/keys, so that one machine may compile for all that are like it.
  .PP
  Only files of jitwarm\(aqs own are written, and never over somebody else\(aqs. remove takes them away, with the folders that install made.
  .PP
  status, which needs not be said, is one line. The exit code is 0 when it works, 1 when it does not or is not installed; of install and remove 0 also when there was nothing to do, 4 when something of others is in the way or cannot be written, 7 when files were changed by hand and \-\-yes lacks.
  .TP
  \fB\-\-system\fR
  for every user of this machine, each as themselves
  .TP
  \fB\-\-prune\fR
  with install: after a driver update, and when all is warm again, remove what earlier drivers left in the cache
  .TP
  \fB\-\-packs\fR \fIDIR\fR
  with install: each run first imports what fits from the packs in this folder (with \-\-system: /var/lib/jitwarm/packs, %ProgramData%\ejitwarm\epacks)
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  with install: look after this cache (default: the one that CUDA programs use)
  .TP
  \fB\-\-with\fR \fIWHAT\fR
  who starts it: systemd, autostart (a desktop), task (Windows); default: what is here
  .TP
  \fB\-\-root\fR \fIDIR\fR
  with \-\-system: into the system below this folder, an image that is being made
  .TP
  \fB\-\-as\-root\fR
  as root, for root\(aqs own programs
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  write over, or remove, what was changed by hand since it was installed
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  print what would be written, to the byte, and change nothing
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm env [OPTION...] [show|apply|undo]
  \fBenv\fR: show and set the variables that control the driver\(aqs cache.
  .PP
  The NVIDIA driver keeps what it compiled in a cache whose size and place come from environment variables. Their defaults are too small for some frameworks, and then much is compiled again at every start.
  .PP
  show (or no word) tells of each: its value, which file set it, what a fresh login will have, and what is recommended and why. Nothing is changed.
  .TP
  \fB\-\-shell\fR \fISHELL\fR
  print the recommended settings as this one reads them, and nothing else: sh, fish, powershell, cmd (a batch file), docker (a Dockerfile), systemd (a unit) or conda
  .TP
  \fB\-\-maxsize\fR \fISIZE\fR
  this limit for the cache, at most 4GiB (default: what is needed and a quarter more)
  .TP
  \fB\-\-path\fR \fIDIR\fR
  this folder for the cache (default: where it is, unless that is bad)
  .TP
  \fB\-\-user\fR
  apply, undo: for this user (the default)
  .TP
  \fB\-\-system\fR
  apply, undo: for everybody on this machine; needs root, or an administrator
  .TP
  \fB\-\-for\fR \fIPREFIX\fR
  apply, undo: for the Python of this conda or virtual environment alone, with a cache of its own
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  apply, undo: tell what would be written, and write nothing
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm config [OPTION...]
  \fBconfig\fR: show each setting and where it comes from.
  .PP
  A setting comes from an option, an environment variable, jitwarm.conf or a default. The environment is that of this shell; another login or a service may have another one (jitwarm env). A line of jitwarm.conf that makes no sense is a warning with its file and line.
  .TP
  \fB\-\-sample\fR
  print a jitwarm.conf with every key explained and commented out
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm carry [OPTION...]
  \fBcarry\fR: after a driver update: keep using what the old driver compiled.
  .PP
  A driver update makes every entry of the driver\(aqs cache useless, though most of the code in them is still good: the driver looks for entries of its own build alone. carry copies what older builds of this driver compiled, for the GPUs that are here, under the names at which the current one looks. Only the name of the build changes; the code is what it was. That takes as long as copying the files. The old entries stay.
  .PP
  The driver cannot tell such an entry from its own, and a fix in the newer compiler does not reach it. So nothing is carried unless this very build was seen on this machine to take such an entry and to run its code rightly (jitwarm doctor \-\-probe tells); else the entries are compiled again from the PTX that they keep, as jitwarm prime \-\-from\-cache does. Nothing is carried from a newer build to an older one. Which entries were carried is remembered; jitwarm status tells of them, and exports leave them out. And unless \-\-carry\-only is given, a prime in the background compiles them anew and puts the driver\(aqs own in their place.
  .PP
  The exit code is 0 when all is carried or nothing was to do; 1 when something was not, or may not be; 3 without a usable driver or GPU; 4 when the cache cannot be written; 7 when another jitwarm is at work on the cache.
  .TP
  \fB\-\-carry\-only\fR
  no prime in the background that compiles them anew; and where nothing may be carried, do nothing
  .TP
  \fB\-\-undo\fR
  take away what was carried, and not compiled anew since
  .TP
  \fB\-\-gpu\fR \fIGPU\fR
  only entries for this GPU of the machine; may be repeated (default: all of them)
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-wait\fR[=\fITIME\fR]
  when a prime is at work on this cache, wait until it ends, or so long (default: exit with 7 at once)
  .TP
  \fB\-\-as\-root\fR
  as root, for root: without a user behind it that is refused
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  tell what would be carried, and change nothing
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm prune [OPTION...]
  \fBprune\fR: delete cache entries that no driver here can use.
  .PP
  Tells which entries of the driver\(aqs cache of compiled code are of no use any more, and removes them with \-\-yes:
  .PP
  dead: made by a driver build that is not this machine\(aqs, and that was not alive here (met by jitwarm, or compiling) for 90 days. A driver reads nothing that another build made, but its entries count against the limit. Before they go they are saved as a pack in jitwarm\(aqs store, for the day when that driver comes back. On a disk that other machines share no build is called dead.
  .PP
  damaged: what does not fit its own header; with \-\-damaged, its checksums, too.
  .PP
  lost: files of which the cache\(aqs index has had no record for a day, and which no prime remembers. Records without a file go as well.
  .PP
  Entries of other builds that are alive are kept unless \-\-older\-than or \-\-max\-size reaches them. CUDA programs may run meanwhile. What is removed is compiled again if a program needs it; prime knows that it is gone.
  .TP
  \fB\-\-dead\fR
  every driver build but this machine\(aqs is dead now, not only those that were not alive here for 90 days
  .TP
  \fB\-\-damaged\fR
  read every byte, and remove also what only that shows to be damaged
  .TP
  \fB\-\-older\-than\fR \fIAGE\fR
  remove what was compiled longer ago than that, whoever needs it: 90d
  .TP
  \fB\-\-max\-size\fR \fISIZE\fR
  remove until no more than that is left: other builds first, then what no prime needs, the oldest first
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  look at this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-\-no\-pack\fR
  do not save what a dead driver made as a pack first
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  remove it; without this it is only told
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  only tell, also with \-\-yes
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm clear [OPTION...]
  \fBclear\fR: delete everything that jitwarm stores for you.
  .PP
  What jitwarm remembers of drivers and caches, its logs, and the packs of its store. The driver\(aqs cache is left as it is, and what was warmed stays warm, unless \-\-cache\-too says otherwise: then every entry in it goes, and CUDA programs compile anew what they need.
  .PP
  What you made stays: jitwarm.conf, keys, packs outside the store. So does what other commands take back: jitwarm env undo the settings, jitwarm startup remove the startup task.
  .PP
  Asks before anything is removed. Without a terminal and without \-\-yes it tells what would go, and exits with 7, as it does while another jitwarm is at work.
  .TP
  \fB\-\-cache\-too\fR
  also all that the driver keeps in its cache, whoever had it compiled
  .TP
  \fB\-\-cache\fR \fIDIR\fR
  with \-\-cache\-too: this cache (default: the one that CUDA programs use when they are started from here)
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  ask nothing
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  only tell, also with \-\-yes
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
  .SS jitwarm uninstall [OPTION...]
  \fBuninstall\fR: remove all that jitwarm has set up and stored for you.
  .PP
  Undoes \(gaenv apply\(ga, removes the startup task, and deletes what jitwarm remembers and the packs of its store. Shows the list first and asks. The driver\(aqs cache stays, and what is warm stays warm, unless you add \-\-cache\-too.
  .PP
  What you made stays: jitwarm.conf, keys, packs outside the store. The program itself stays, too: remove it as it was installed. What was set up for the whole machine is removed by root: \(gajitwarm env undo \-\-system\(ga and \(gajitwarm startup remove \-\-system\(ga.
  .PP
  Without a terminal and without \-\-yes nothing is removed, and the exit code is 7.
  .TP
  \fB\-\-cache\-too\fR
  also delete everything in the driver\(aqs cache, whatever program compiled it
  .TP
  \fB\-y\fR, \fB\-\-yes\fR
  do not ask
  .TP
  \fB\-n\fR, \fB\-\-dry\-run\fR
  show the list and change nothing
  .SS jitwarm help [OPTION...] [VERB]
  \fBhelp\fR: show help, or the help of one verb.
  .SS jitwarm completions [OPTION...] SHELL
  \fBcompletions\fR: print shell completions for bash, zsh or fish.
  .PP
  An installed jitwarm has put these scripts where the shells look for them; this is for the others.
  .SS jitwarm version [OPTION...]
  \fBversion\fR: show the version.
  .PP
  This verb has a report: it takes \fB\-\-json\fR and \fB\-\-stats\fR.
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
  a confirmation (\-\-yes) or time is missing, or another jitwarm is at work
  .TP
  \fB8\fR
  a server or network failed
  .TP
  \fB70\fR
  a defect in jitwarm
  .TP
  \fB130\fR
  interrupted
  .PP
  When the reader of the answer leaves early, SIGPIPE ends jitwarm as it ends other tools.
  .SH ENVIRONMENT
  .TP
  \fBCUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE\fR
  the driver\(aqs own settings of its cache; status shows them
  .TP
  \fBJITWARM_LOGIN\fR
  USER:PASSWORD for the registry that push and pull are given
  .TP
  \fBJITWARM_STATE\fR
  where jitwarm stores what it learned about this machine\(aqs driver, and what it primed
  .TP
  \fBNO_COLOR\fR
  when it is set and not empty, output is not coloured unless \-\-color asks for it
  .SH FILES
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/jitwarm.conf\fR
  the user\(aqs settings (\(ti/.config when XDG_CONFIG_HOME is unset; %APPDATA% on Windows)
  .TP
  \fB/etc/jitwarm/jitwarm.conf\fR
  the machine\(aqs settings (%ProgramData% on Windows)
  .TP
  \fB$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/\fR
  public keys, NAME.pub, whose packs are trusted; nobody but you or root may write there
  .TP
  \fB$XDG_STATE_HOME/jitwarm/drivers/\fR
  what is known of each driver build (\(ti/.local/state; %LOCALAPPDATA%\ejitwarm\estate on Windows)
  .TP
  \fB$XDG_STATE_HOME/jitwarm/roots/\fR
  what was warmed in each cache: journal, receipts, profiles, and which modules are left alone
  .SH EXAMPLES
  .TP
  \fBjitwarm prime\fR
  warm the CUDA software of this machine for its GPUs
  .TP
  \fBjitwarm prime /opt/app\fR
  one application, with all that is in its folder
  .TP
  \fBjitwarm prime \-\-jobs 4 \-\-keep\-free 8G\fR
  leave room for the work that goes on beside it
  .TP
  \fBjitwarm prime \-\-yes \-\-time\-box 10m \-\-wait=5m\fR
  in a script: no questions, and an end in sight
  .TP
  \fBjitwarm prime \-\-run python serve.py \-\-check\fR
  what this program loads, no more and no less
  .TP
  \fBjitwarm prime kernels.cu \-o kernels.ptx\fR
  compile a source to PTX, and warm that
  .TP
  \fBjitwarm prime \-\-offline \-\-for \(dqdriver=Jan  7 202622:51:46,sm=86\(dq /opt/app\fR
  on a build machine: a pack for GPUs and a driver that are elsewhere
  .TP
  \fBjitwarm prime \-\-if\-stale \-\-background\fR
  at logon: milliseconds, unless there is something to do
  .TP
  \fBjitwarm plan\fR
  what would prime do here, and how long would it take?
  .TP
  \fBjitwarm plan \-\-gpu 0 /opt/app/lib\fR
  for the first GPU, and this folder
  .TP
  \fBjitwarm plan \-\-check\fR
  in a script: exit 1 if the next start would compile anything
  .TP
  \fBjitwarm verify\fR
  is what was primed still found by programs that start now?
  .TP
  \fBjitwarm verify \-\-sample 20\fR
  the same, quickly
  .TP
  \fBjitwarm verify \-\-run \(aqpython serve.py \-\-once\(aq\fR
  does this program still compile anything?
  .TP
  \fBjitwarm scan\fR
  the CUDA software of this machine, for its GPUs
  .TP
  \fBjitwarm scan \-\-gpu \(dqRTX 3070\(dq libggml\-cuda.so\fR
  one library, for a GPU that is not here
  .TP
  \fBjitwarm scan \-\-gpu h100 \-\-driver 580 torch\-2.9.0\-cp312\-cp312\-manylinux_2_28_x86_64.whl\fR
  a wheel that is not installed yet
  .TP
  \fBjitwarm scan \-\-check \-\-exclude \(aq*.a\(aq /opt/app\fR
  in a script: exit 1 if anything would be compiled at first start
  .TP
  \fBjitwarm doctor\fR
  what is wrong here, and what to do about it
  .TP
  \fBjitwarm doctor \-\-probe\fR
  prove again how far the driver is understood
  .TP
  \fBjitwarm doctor \-\-framework tensorflow==2.3.1 \-\-gpu 10de:2484 \-\-os windows \-\-driver 456.71\fR
  will this start slowly there, and why?
  .TP
  \fBjitwarm doctor \-\-framework torch==2.9+cu130 \-\-gpu \(dqRTX PRO 6000\(dq \-\-driver 570.124\fR
  before a GPU is bought or rented
  .TP
  \fBjitwarm doctor \-\-log training.log\fR
  where did the time go?
  .TP
  \fBjitwarm doctor \-\-symptom slow\-training\fR
  is compatibility to blame at all?
  .TP
  \fBjitwarm doctor \-\-portable >mine.txt\fR
  for a diff with another machine\(aqs
  .TP
  \fBjitwarm doctor \-\-bundle report.json\fR
  something to attach to a bug report
  .TP
  \fBjitwarm status\fR
  what the driver keeps for CUDA programs that you start from this shell
  .TP
  \fBjitwarm status \-\-check \-\-cache /srv/cache/ComputeCache\fR
  is every entry of that cache whole?
  .TP
  \fBjitwarm status \-\-metrics > /var/lib/node_exporter/jitwarm.prom\fR
  for the node exporter\(aqs text collector
  .TP
  \fBjitwarm run \-\- python serve.py\fR
  the entrypoint of a container
  .TP
  \fBjitwarm run \-\-pull oci://reg.example/team/jit \-\- python serve.py\fR
  the same where another machine has compiled already
  .TP
  \fBjitwarm run \-\-time\-box 30s \-\- ./server \-p 80\fR
  wait half a minute at most
  .TP
  \fBjitwarm export\fR
  a pack of what was primed here, into this folder
  .TP
  \fBjitwarm export /opt/app \-o app.tar.zst\fR
  only the entries of one application
  .TP
  \fBjitwarm export \-\-sign \(ti/.minisign/minisign.key \-\-level 19\fR
  small and signed, for many machines
  .TP
  \fBjitwarm export \-o \- | ssh node7 jitwarm import \- \-\-allow\-unsigned\fR
  to another machine at once
  .TP
  \fBjitwarm export \-\-everything \-\-dry\-run\fR
  what is in this cache that a pack would give away?
  .TP
  \fBjitwarm import llama.tar.zst\fR
  entries of the CUDA software here, out of a pack that a trusted key signed
  .TP
  \fBjitwarm import \-\-dry\-run llama.tar.zst\fR
  what would become of each entry
  .TP
  \fBjitwarm import llama.tar.zst /opt/llama\fR
  for software in a place where it would not be looked for
  .TP
  \fBjitwarm import \-\-allow\-unsigned \-\-audit 5% mine.tar.zst\fR
  an unsigned pack, a sample of it compiled again
  .TP
  \fBssh other jitwarm export \-o \- | jitwarm import \-\-allow\-unsigned \-\fR
  from one machine to its twin
  .TP
  \fBjitwarm push oci\-layout:/srv/jit \-\-sign jitwarm.key\fR
  what was primed here, into a folder that others mount
  .TP
  \fBjitwarm push dir:/srv/jit /opt/app\fR
  only the entries of one application
  .TP
  \fBjitwarm push oci://reg.example/team/jit \-\-sign jitwarm.key\fR
  the same into a registry
  .TP
  \fBjitwarm push oci\-layout:/srv/jit:v3 \-\-pack app.tar.zst\fR
  a pack that was made before, under a tag
  .TP
  \fBjitwarm pull dir:/srv/jit\fR
  what fits this machine, out of a shared folder
  .TP
  \fBjitwarm pull oci://reg.example/team/jit \-\-deadline 2m\fR
  out of a registry, in two minutes or not at all
  .TP
  \fBjitwarm pull dir:/srv/jit \-\-or\-prime\fR
  and compile what no pack has
  .TP
  \fBjitwarm pull oci\-layout:/srv/jit:v3 /opt/app\fR
  for software in a place where it would not be looked for
  .TP
  \fBjitwarm pull \-\-dry\-run dir:/srv/jit\fR
  which layers would be fetched?
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
  \fBjitwarm inspect laptop.tar.zst\fR
  for which driver and GPU is it, and whose code is in it?
  .TP
  \fBcurl \-s https://example.org/laptop.tar.zst | jitwarm inspect \-\fR
  the same without fetching all of it
  .TP
  \fBjitwarm list\fR
  which packs are kept here, for which drivers and GPUs?
  .TP
  \fBjitwarm list \-v\fR
  also the one that each replaced, and where they lie
  .TP
  \fBjitwarm keygen\fR
  a key pair of your own; its passphrase is asked twice
  .TP
  \fBjitwarm keygen \-\-no\-passphrase \-o /srv/ci/packs.key\fR
  a key for a machine that signs alone
  .TP
  \fBjitwarm startup install\fR
  from the next login on, what a driver update made cold is warmed again
  .TP
  \fBjitwarm startup\fR
  is it working? The last run, what it did, and where its log is
  .TP
  \fBjitwarm startup install \-\-dry\-run\fR
  print every file first
  .TP
  \fBsudo jitwarm startup install \-\-system\fR
  for every user of this machine
  .TP
  \fBjitwarm startup remove\fR
  leaves everything as it was before
  .TP
  \fBjitwarm env\fR
  which settings of the driver\(aqs cache hold here, who said so, and what would be better
  .TP
  \fBeval \(dq$(jitwarm env \-\-shell sh)\(dq\fR
  the recommended settings, for this shell
  .TP
  \fBjitwarm env apply \-\-dry\-run\fR
  what would be written so that they last
  .TP
  \fBjitwarm env apply \-\-maxsize 2GiB\fR
  write it: this limit, for all that this user starts from new logins on
  .TP
  \fBjitwarm env apply \-\-for \(ti/miniconda3/envs/vision\fR
  a cache of its own for one environment
  .TP
  \fBjitwarm env undo\fR
  restore every file as it was
  .TP
  \fBjitwarm config\fR
  which settings apply, and where each comes from
  .TP
  \fBjitwarm config \-\-sample >\(ti/.config/jitwarm/jitwarm.conf\fR
  begin a jitwarm.conf
  .TP
  \fBjitwarm carry\fR
  after a driver update: keep what is compiled, and renew it in the background
  .TP
  \fBjitwarm carry \-\-dry\-run\fR
  what would that be?
  .TP
  \fBjitwarm carry \-\-undo\fR
  take it away again
  .TP
  \fBjitwarm prune\fR
  what of the driver\(aqs cache is of no use any more? Nothing is removed
  .TP
  \fBjitwarm prune \-\-yes\fR
  remove that; what a dead driver made is kept as a pack
  .TP
  \fBjitwarm prune \-\-dead \-\-yes\fR
  after a driver update that will not be taken back
  .TP
  \fBjitwarm prune \-\-max\-size 1GiB \-\-yes\fR
  make room, the least useful first
  .TP
  \fBjitwarm clear\fR
  tell all that jitwarm keeps for you, and remove it after a yes
  .TP
  \fBjitwarm clear \-\-cache\-too \-\-yes\fR
  as if neither jitwarm nor a CUDA program had been there
  .TP
  \fBjitwarm uninstall\fR
  show what would go, and remove it after a yes
  .TP
  \fBjitwarm uninstall \-\-yes \-\-cache\-too\fR
  remove everything, the driver\(aqs cache included
  .TP
  \fBsource <(jitwarm completions bash)\fR
  completes in this bash; as a line of \(ti/.bashrc, in every one
  .TP
  \fBjitwarm completions fish >\(ti/.config/fish/completions/jitwarm.fish\fR
  completes in every fish of this user
  .TP
  \fBjitwarm version \-v\fR
  also commit, build, compiler, platform and libraries, for a report of a defect
