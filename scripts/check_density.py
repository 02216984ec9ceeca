#!/usr/bin/env python3
"""check_density.py [--list WHAT] [--complexity LOG] [ROOT]: what a reader has to hold at once.

It counts tokens and statements, not lines: splitting a line or a statement never makes a number
worse, and packing gains nothing. Each number is the most that there may be; it only falls, and any
commit may lower it. The reader decides what reads well: a macro for a chain of ?:, a table indexed
by booleans or a helper without a name is worse than what it replaces, whatever the numbers say.

  --list WHAT        the places of one measure, the worst first
  --complexity LOG   functions that clang-tidy finds too complex, in its output (scripts/dev tidy)

Exit 1: a number is larger than it may be.
"""
import argparse
import pathlib
import re
import subprocess
import sys

WIDE = 100

# The goals are 0; 40 for the two that the best projects have, too.
MOST_PLACES = {
    "two ?:": 29,              # statements with two conditional operators or more
    "mixed && and ||": 29,     # statements with four of them or more, of both kinds or beside a ?:
    "two initialisers": 4,     # declarations of two variables with a value each
    "for with &&": 129,        # loops whose condition has two parts
    "wide": 13,                # lines of C over 100 columns
    "wide in scripts": 82,     # lines of Python and shell over 100 columns
    "packed $ lines": 0,       # lines of a transcript that start jitwarm twice
}
# The goals are 11.5, 7.9, 15 and 9.
MOST_FIGURES = {
    "tokens a statement": 13.8,
    "tokens a line": 9.1,
    "?: in 1000 lines": 34.9,
    "names of one letter, %": 16.9,
}
MOST_COMPLEX = 21  # functions of cognitive complexity over 15

TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    r"|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d[\w.]*"
    r"|<<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^]=|[^\s\w]"
)
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")|(\'(?:\\.|[^\'\\\n])+\')', re.S
)
DIRECTIVE = re.compile(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$")
TYPE_WORDS = (
    r"(?:const|static|struct \w+|enum \w+|unsigned|bool|size_t|char|int|long|u?int\d+_t"
    r"|double|void)"
)
TWO_INITIALISERS = re.compile(
    r"(?m)^\s+(?:" + TYPE_WORDS + r"\s+)+\**\s*\w+ = [^;{}]*?,\s*\**\w+ = [^;{}]*;"
)
FOR_WITH_AND = re.compile(r"\bfor \([^;{}]*;[^;{}]*&&[^;{}]*;[^{};]*\)")
STARTS_JITWARM = re.compile(r"(?:^\s*\$ |[;&|(]\s*)(?:[A-Z_]+=\S* )*jitwarm\b")


def tracked(root, *patterns):
    command = ["git", "-C", str(root), "ls-files", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    files = [root / name for name in names if not name.startswith("src/phantom/")]
    return [file for file in files if file.is_file()]


def read(file):
    return file.read_text(encoding="utf-8", errors="replace")


def without_comments(text):
    """The code alone, each of its lines where it was."""

    def blank(hit):
        return hit.group(1) or hit.group(2) or re.sub(r"[^\n]", " ", hit.group())

    text = COMMENT_OR_TEXT.sub(blank, text)
    return DIRECTIVE.sub(lambda hit: "\n" * hit.group().count("\n"), text)


def statements(code):
    """(line of its end, tokens) of each: it ends at a ; or a brace that no parentheses enclose."""
    depth, line, before, current = 0, 1, 0, []
    for hit in TOKEN.finditer(code):
        line += code.count("\n", before, hit.start())
        before = hit.start()
        token = hit.group()
        current.append(token)
        if token == "(":
            depth += 1
        elif token == ")":
            depth = max(0, depth - 1)
        if depth == 0 and token in ";{}":
            if len(current) > 1:
                yield line, current
            current = []


class Density:
    def __init__(self, root):
        self.root = root
        self.places = {what: [] for what in MOST_PLACES}
        self.tokens = self.code_lines = self.statements = 0
        self.names = self.letters = self.conditionals = 0

    def add(self, what, weight, file, line):
        self.places[what].append((weight, f"{file.relative_to(self.root)}:{line}"))

    def add_wide_lines(self, what, file, text):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > WIDE:
                self.add(what, len(line), file, number)

    def add_statement(self, file, line, tokens):
        self.statements += 1
        asks = tokens.count("?")
        joins = tokens.count("&&") + tokens.count("||")
        self.conditionals += asks
        if asks >= 2:
            self.add("two ?:", asks, file, line)
        # A straight chain of steps reads well.
        mixed = asks > 0 or ("&&" in tokens and "||" in tokens)
        if joins >= 4 and mixed:
            self.add("mixed && and ||", joins, file, line)

    def add_matches(self, what, pattern, file, code):
        for hit in pattern.finditer(code):
            line = code.count("\n", 0, hit.start()) + 1
            self.add(what, len(hit.group()), file, line)

    def add_source(self, file):
        text = read(file)
        code = without_comments(text)
        tokens = TOKEN.findall(code)
        names = [token for token in tokens if token[0].isalpha() or token[0] == "_"]
        self.tokens += len(tokens)
        self.code_lines += sum(1 for line in code.splitlines() if line.strip())
        self.names += len(names)
        self.letters += sum(1 for name in names if len(name) == 1)
        for line, statement in statements(code):
            self.add_statement(file, line, statement)
        self.add_matches("two initialisers", TWO_INITIALISERS, file, code)
        self.add_matches("for with &&", FOR_WITH_AND, file, code)
        self.add_wide_lines("wide", file, text)

    def add_transcript(self, file):
        for number, line in enumerate(read(file).splitlines(), 1):
            if not line.lstrip().startswith("$"):
                continue
            starts = len(STARTS_JITWARM.findall(line))
            if starts >= 2:
                self.add("packed $ lines", starts, file, number)

    def add_script(self, file):
        if file.suffix in (".py", ".sh") or file.read_bytes()[:2] == b"#!":
            self.add_wide_lines("wide in scripts", file, read(file))

    def figures(self):
        lines = max(self.code_lines, 1)
        return {
            "tokens a statement": self.tokens / max(self.statements, 1),
            "tokens a line": self.tokens / lines,
            "?: in 1000 lines": 1000 * self.conditionals / lines,
            "names of one letter, %": 100 * self.letters / max(self.names, 1),
        }


def measure(root):
    density = Density(root)
    for file in tracked(root, "src", "include"):
        if file.suffix in (".c", ".h", ".def"):
            density.add_source(file)
    for file in tracked(root, "tests/cli/*.t"):
        density.add_transcript(file)
    for file in tracked(root, "scripts", "tests", ".ci"):
        density.add_script(file)
    return density


def show(what, has, most, form):
    """Prints one row; returns 1 if there is more than there may be."""
    over = has > most
    print(f"{what:28}{has:{form}} of at most {most:{form}}{'  TOO MANY' if over else ''}")
    return over


def check_complexity(log):
    """Counts the functions that clang-tidy names, each once: it reads a header several times."""
    pattern = r"^(.+?):(\d+):.*'(\w+)' has cognitive complexity of (\d+)"
    found = {}
    for file, line, name, complexity in re.findall(pattern, read(log), re.M):
        found[file, name] = (int(complexity), f"{file}:{line}: {name}")
    for complexity, where in sorted(found.values(), reverse=True):
        print(complexity, where)
    return show("functions too complex", len(found), MOST_COMPLEX, "8,")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("root", nargs="?", default=here, type=pathlib.Path)
    parser.add_argument("--list", metavar="WHAT", choices=MOST_PLACES)
    parser.add_argument("--complexity", metavar="LOG", type=pathlib.Path)
    options = parser.parse_args()
    if options.complexity:
        return 1 if check_complexity(options.complexity) else 0
    density = measure(options.root.resolve())
    if options.list:
        for weight, where in sorted(density.places[options.list], reverse=True):
            print(weight, where)
        return 0
    over = 0
    figures = density.figures()
    for what, most in MOST_FIGURES.items():
        over += show(what, figures[what], most, "8.1f")
    for what, most in MOST_PLACES.items():
        over += show(what, len(density.places[what]), most, "8,")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
