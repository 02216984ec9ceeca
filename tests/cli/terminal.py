#!/usr/bin/env python3
"""terminal.py ANSWER QUESTION COMMAND...: runs it at a terminal, and types ANSWER ("ctrl-c": that) once it shows QUESTION. Says what it
showed, and ends as it does; 99: it did not ask."""
import os
import pty
import select
import sys

answer, question, *command = sys.argv[1:]
pid, master = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, asked = b"", False
while select.select([master], [], [], 120)[0]:
    try:
        piece = os.read(master, 65536)
    except OSError:  # its end closed the terminal
        break
    shown += piece
    if not asked and question.encode() in shown:
        asked = True
        os.write(master, b"\3" if answer == "ctrl-c" else answer.encode() + b"\n")
os.close(master)
_, status = os.waitpid(pid, 0)
sys.stdout.write(shown.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n"))
sys.exit(os.waitstatus_to_exitcode(status) if asked else 99)
