#!/usr/bin/env python3
"""terminal.py ANSWER QUESTION COMMAND...: runs it at a terminal, and types ANSWER ("ctrl-c": that)
once it shows QUESTION. Says what it showed, and ends as it does; 99: it did not ask. ASKED in the
environment: a file that is made then. SLOWLY in the environment: until then it runs a tenth of the
time, and is stopped while it is looked at, so that what ends soon is there when the answer
comes."""
import os
import pty
import select
import signal
import sys
import time

answer, question, *command = sys.argv[1:]
pid, master = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, asked, slowly = b"", False, "SLOWLY" in os.environ
while True:
    if slowly and not asked:
        time.sleep(0.01)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.1)
    if not select.select([master], [], [], 0 if slowly and not asked else 120)[0]:
        if not slowly or asked or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        os.kill(pid, signal.SIGCONT)
        continue
    try:
        piece = os.read(master, 65536)
    except OSError:  # its end closed the terminal
        break
    shown += piece
    if not asked and question.encode() in shown:
        asked = True
        open(os.environ.get("ASKED", os.devnull), "w").close()
        os.write(master, b"\3" if answer == "ctrl-c" else answer.encode() + b"\n")
    if slowly:
        os.kill(pid, signal.SIGCONT)
os.close(master)
_, status = os.waitpid(pid, 0)
sys.stdout.write(shown.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n"))
sys.exit(os.waitstatus_to_exitcode(status) if asked else 99)
