#!/usr/bin/env python3
"""passphrase.py JITWARM FOLDER [full]

key --new at a terminal: the passphrase is asked twice and never shown, whatever the standard streams are; nothing is written when
it is not given. full: a locked key is made, too, which costs minisign's scrypt (1 GiB, seconds), and minisign opens it.
"""
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import termios
import time

PASSPHRASE = "correct horse battery"


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


class Terminal:
    """A process whose terminal is this program's, and whose standard streams are pipes."""

    def __init__(self, *command, folder):
        self.shown, self.quiet = b"", b""
        read_end, write_end = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            nothing = os.open("/dev/null", os.O_RDONLY)
            kept = os.dup(0)  # while nobody has it open, a terminal counts as hung up
            for stream, to in ((0, nothing), (1, write_end), (2, write_end)):
                os.dup2(to, stream)
            os.set_inheritable(kept, True)
            os.execv(command[0], command)
        os.close(write_end)
        self.out = read_end

    def wait_for(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text not in self.shown:
            check(time.monotonic() < end, f"{text!r} is asked: {self.shown!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.fd, 4096)
                except OSError:
                    check(False, f"{text!r} is asked before the end: {self.shown!r}")

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        """(exit code, what the streams said)"""
        while True:
            part = os.read(self.out, 4096)
            if not part:
                break
            self.quiet += part
        try:
            while True:
                part = os.read(self.fd, 4096)
                if not part:
                    break
                self.shown += part
        except OSError:
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        os.close(self.out)
        return os.waitstatus_to_exitcode(status), self.quiet.decode()


def new_key(tool, folder, *answers):
    t = Terminal(str(tool), "key", "--new", "a.key", folder=folder)
    for prompt, answer in zip((b"Passphrase for the new key: ", b"Once more: "), answers):
        t.wait_for(prompt)
        t.type(answer)
    code, said = t.end()
    for answer in answers:
        secret = answer.strip().encode()
        check(not secret or secret not in t.shown, "the passphrase is not shown")
        check(not secret or secret not in t.quiet, "the passphrase is not told")
    return code, said


def nothing_there(folder):
    return not list(folder.iterdir())


def check_refusals(tool, folder):
    code, said = new_key(tool, folder, "one\n", "another\n")
    check(code == 7 and "the passphrases differ; no key was made" in said, f"two passphrases: {code} {said}")
    code, said = new_key(tool, folder, "\n")
    check(code == 7 and "the passphrase is empty; for a key without one add --no-passphrase" in said, f"empty: {code} {said}")
    code, said = new_key(tool, folder, "x" * 1500 + "\n")
    check(code == 2 and "the passphrase has more than 1023 bytes" in said, f"too long: {code} {said}")
    code, said = new_key(tool, folder, "\x04")
    check(code == 7 and "no passphrase was given" in said, f"the terminal ends: {code} {said}")
    code, said = new_key(tool, folder, "half\x03")
    check(code == 130 and "interrupted" in said, f"Ctrl-C: {code} {said}")
    check(nothing_there(folder), "nothing was written")


def check_killed(tool, folder):
    """At the prompt, by a signal: the terminal shows again what is typed."""
    t = Terminal(str(tool), "key", "--new", "a.key", folder=folder)
    t.wait_for(b"Passphrase for the new key: ")
    os.kill(t.pid, signal.SIGTERM)
    end = time.monotonic() + 20
    while not (shows := termios.tcgetattr(t.fd)[3] & termios.ECHO) and time.monotonic() < end:
        time.sleep(0.05)
    code, said = t.end()
    check(code == 130 and shows, f"SIGTERM: {code} {said}")
    check(nothing_there(folder), "nothing was written")


def check_locked(tool, folder):
    code, said = new_key(tool, folder, PASSPHRASE + "\n", PASSPHRASE + "\n")
    check(code == 0 and "a.key" in said, f"a locked key: {code} {said}")
    check((folder / "a.key").stat().st_mode & 0o777 == 0o600, "for its owner alone")
    check(sorted(p.name for p in folder.iterdir()) == ["a.key", "a.pub"], "and nothing else")
    if not shutil.which("minisign"):
        print("left out: there is no minisign")
        return
    (folder / "message").write_text("message")
    done = subprocess.run(["minisign", "-S", "-s", "a.key", "-m", "message"], cwd=folder, input=PASSPHRASE.encode() + b"\n",
                          capture_output=True)
    check(done.returncode == 0, f"minisign opens it: {done.stderr}")
    done = subprocess.run(["minisign", "-V", "-p", "a.pub", "-m", "message"], cwd=folder, capture_output=True)
    check(done.returncode == 0, f"minisign verifies it: {done.stderr}")


def main():
    tool, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if "full" in sys.argv[3:]:
        check_locked(tool, folder)
    else:
        check_refusals(tool, folder)
        check_killed(tool, folder)


if __name__ == "__main__":
    main()
