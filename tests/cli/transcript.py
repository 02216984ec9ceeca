"""The files tests/cli/SUBJECT.t: cases of one verb, each a command with what must come out.

    === name                 the case SUBJECT/name
    skip on windows: why     also `on aarch64`, `with a GPU`: it does not run there
    on the disk: why         it asks of what kind the disk below it is; others may work in memory (JW_TEST_MEMORY)
    in: NAME                 it begins with what begin.py knows as NAME; else in an empty folder
    $ COMMAND                lines of one shell script; setups.sh has the functions that cases share
      TEXT                   a line of stdout, to the byte
    * TEXT                   the same, where * stands for anything
    - TEXT, -* TEXT          the same, which a Windows program does not print
    + TEXT, +* TEXT          the same, which only a Windows program prints
    !  TEXT, !* TEXT, !- ... likewise of stderr
    exit N                   the exit code; none: 0

An empty line between two lines of stdout is an empty line of it. `\\` and `!\\` say that the stream ends without a line break.
"""
import copy
import difflib
import fnmatch
import re

# A folder of one run (run.py makes it), from its root on.
OF_THIS_RUN = re.compile(r"/[^\s:\"'=]*/jitwarm-cli-\w+")
SKIPS = {"skip on windows": "windows", "skip on aarch64": "aarch64", "skip with a GPU": "gpu"}


class Stream:
    """Lines that must come out: (may it hold *, text)."""

    def __init__(self):
        self.lines, self.broken = [], False

    def text(self):
        return "\n".join(line for _, line in self.lines) + ("\n" if self.lines and not self.broken else "")

    def matches(self, text):
        broken = bool(text) and not text.endswith("\n")
        lines = as_lines(text)
        return broken == self.broken and len(lines) == len(self.lines) and all(map(agrees, self.lines, lines))

    def learn(self, text):
        """Takes what came out; a line with * stays where it still holds, and * stands for a path of this run."""
        old = [line for line in self.lines if line[0]]
        learnt, at = [], 0
        for i, line in enumerate(as_lines(text)):
            same_place = self.lines[i] if i < len(self.lines) else (False, "")
            found = next((k for k in range(at, len(old)) if agrees(old[k], line)), None)
            if same_place[0] and agrees(same_place, line):
                learnt.append(same_place)
            elif found is not None and len(old[found][1].replace("*", "").strip()) > 3:
                learnt.append(old[found])
                at = found + 1
            else:
                lasting = OF_THIS_RUN.sub("*", line)
                learnt.append((lasting != line, lasting))
        self.lines, self.broken = learnt, bool(text) and not text.endswith("\n")

    def write(self, mark, windows=None):
        """`windows`: what a Windows program prints instead."""
        windows = windows or self
        out = []
        for what, a, b, c, d in difflib.SequenceMatcher(None, self.lines, windows.lines, autojunk=False).get_opcodes():
            out += [spell(mark, "" if what == "equal" else "-", *line) for line in self.lines[a:b]]
            out += [spell(mark, "+", *line) for line in windows.lines[c:d] if what != "equal"]
        if out and not out[-1]:
            out[-1] = "*"
        both = self.broken and windows.broken
        return out + [f"{mark}\\"] * both + [f"{mark}-\\"] * (self.broken and not both) + [f"{mark}+\\"] * (windows.broken and not both)


def spell(mark, who, globbed, text):
    if not text and not globbed:
        return f"{mark}{who}"
    return f"{mark}{who}{'*' if globbed else '' if who else ' '} {text}"


def as_lines(text):
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def agrees(wanted, line):
    """Only * is special."""
    globbed, text = wanted
    return text == line or (globbed and fnmatch.fnmatchcase(line, re.sub(r"([?\[])", r"[\1]", text)))


class Case:
    def __init__(self, subject, name):
        self.name, self.short = f"{subject}/{name}", name
        self.skips, self.on_disk, self.folder, self.commands, self.code = {}, None, None, [], 0
        self.streams = {False: {"": Stream(), "!": Stream()}, True: {}}

    def command(self):
        return "\n".join(self.commands) + "\n"

    def wanted(self, windows):
        """{mark: stream} of this system."""
        return {**self.streams[False], **(self.streams[True] if windows else {})}

    def write(self):
        out = [f"=== {self.short}"]
        out += [f"{words}: {self.skips[key]}" for words, key in SKIPS.items() if key in self.skips]
        out += [f"on the disk: {self.on_disk}"] if self.on_disk else []
        out += [f"in: {self.folder}"] if self.folder else []
        out += [f"$ {line}" for line in self.commands]
        for mark, stream in self.streams[False].items():
            out += stream.write(mark, self.streams[True].get(mark))
        out += [f"exit {self.code}"] if self.code else []
        return "\n".join(out) + "\n"


def take(case, line):
    """One line of a case; False: it means nothing."""
    words, _, rest = line.partition(": ")
    if words in SKIPS:
        case.skips[SKIPS[words]] = rest
    elif words == "on the disk":
        case.on_disk = rest
    elif words == "in":
        case.folder = rest
    elif line.startswith("$ "):
        case.commands.append(line[2:])
    elif re.fullmatch(r"exit \d+", line):
        case.code = int(line[5:])
    else:
        return take_output(case, line)
    return True


def take_output(case, line):
    mark = "!" if line.startswith("!") else ""
    rest = line[len(mark):]
    who = rest[0] if rest[:1] in ("-", "+") and rest else ""
    if who:
        rest = rest[1:] if rest[1:2] in ("*", "\\", "") else " " + rest[1:]
    if rest[:2] not in ("  ", "* ", "*", "\\", " ", ""):
        return False
    if who and mark not in case.streams[True]:
        case.streams[True][mark] = copy.deepcopy(case.streams[False][mark])
    for windows in (False, True):
        stream = case.streams[windows].get(mark)
        if stream is None or who == ("-" if windows else "+"):
            continue
        if rest == "\\":
            stream.broken = True
        else:
            stream.lines.append((rest[:1] == "*" and len(rest) > 1, rest[2:]))
    return True


def read(path):
    """The cases of a file, in order."""
    cases, empty = [], 0
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("=== "):
            cases.append(Case(path.stem, line[4:]))
            empty = 0
        elif not line:
            empty += 1
        else:
            for _ in range(empty):
                take_output(cases[-1], "")
            empty = 0
            if not cases or not take(cases[-1], line):
                raise SystemExit(f"{path}:{number}: this line means nothing: {line}")
    return cases


def write(path, cases):
    path.write_text("\n".join(case.write() for case in cases), encoding="utf-8")


def printed(path):
    """What a file says of both systems, each case whole: first what all but Windows print, then the streams of Windows. Another page as it is."""
    if path.suffix != ".t":
        return path.read_text(encoding="utf-8")
    out = []
    for case in read(path):
        on_windows, case.streams[True] = case.streams[True], {}
        out.append(case.write())
        if on_windows:
            out.append("on windows:\n" + "".join(line + "\n" for mark, stream in on_windows.items() for line in stream.write(mark)))
    return "\n".join(out)
