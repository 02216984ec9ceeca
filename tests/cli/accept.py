#!/usr/bin/env python3
"""accept.py bash|zsh|fish|man jitwarm|made-up COMMAND...

Runs COMMAND, which prints a completion script or a man page, and asks the shell (or mandoc and man) itself: is it
well-formed, and what does it complete? `made-up` is the table of tests/unit/cli/fake_commands.c. Exit 77: not here.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile

# What is typed, what must be offered, what must not.
JITWARM = [
    ("jitwarm ver", ["version"], ["help"]),
    ("jitwarm ", ["help", "completions", "version"], ["man"]),
    ("jitwarm completions ", ["bash", "zsh", "fish"], ["version"]),
    ("jitwarm help ", ["version", "completions"], ["bash"]),
    ("jitwarm version --", ["--json", "--color", "--help"], ["version"]),
    ("jitwarm version --color ", ["auto", "always", "never"], ["--json"]),
]
MADE_UP = [
    ("jitwarm ", ["paint", "explain"], ["hidden"]),
    ("jitwarm paint --", ["--deep", "--dir", "--json", "--help"], ["--hidden"]),
    ("jitwarm paint --mode ", ["fast", "slow"], ["afile"]),
    ("jitwarm paint --word ", ["alpha", "beta"], ["fast"]),
    ("jitwarm paint --gpu sm_8", ["sm_80", "sm_86", "sm_89"], ["sm_90"]),
    ("jitwarm paint --dir a", ["afolder"], ["afile"]),
    ("jitwarm paint --file a", ["afile"], ["alpha"]),
    ("jitwarm paint --name a", [], ["afile", "alpha"]),
    ("jitwarm paint --limit a", [], ["afile", "alpha"]),
    ("jitwarm paint --wait a", ["afile", "afolder"], ["alpha"]),
    ("jitwarm paint a", ["afile", "afolder"], ["alpha"]),
    ("jitwarm explain ", ["paint", "explain"], ["hidden", "afile"]),
]
BASH_ONLY = [("jitwarm version --color = a", ["auto", "always"], ["never"]),
             ("jitwarm version --color =", ["auto", "never"], ["="])]


def need(name):
    if not shutil.which(name):
        print(f"SKIP: there is no {name}")
        sys.exit(77)


def must(what, argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, **more)
    if done.returncode != 0 or done.stderr or (what == "quiet" and done.stdout):
        sys.exit(f"{' '.join(map(str, argv))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_offers(offers, cases):
    failed = 0
    for line, wanted, unwanted in cases:
        got = offers(line)
        missing, extra = [w for w in wanted if w not in got], [w for w in unwanted if w in got]
        if missing or extra:
            failed += 1
            print(f"'{line}' offers {sorted(got)}: missing {missing}, too much {extra}")
    print(f"{len(cases)} lines, {failed} failed")
    return 1 if failed else 0


def bash(script, cases, folder):
    must("quiet", ["bash", "-n", script])

    def offers(line):
        words = line.split(" ")
        code = f'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; _jitwarm && printf "%s\\n" "${{COMPREPLY[@]}}"'
        return set(must("", ["bash", "--norc", "-c", code, "bash", script, *words], cwd=folder).split())

    if cases is JITWARM:
        cases = JITWARM + BASH_ONLY
    return check_offers(offers, cases)


def fish(script, cases, folder):
    must("quiet", ["fish", "-n", script])

    def offers(line):
        out = must("", ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line], cwd=folder)
        return {row.split("\t")[0].rstrip("/") for row in out.splitlines()}

    return check_offers(offers, cases)


ZSHRC = """
stty -echo cols 200 rows 200
fpath=({functions} $fpath)
autoload -Uz compinit
compinit -u -d {folder}/.dump
unset zle_bracketed_paste
setopt no_list_ambiguous no_menu_complete no_auto_menu no_beep
zstyle ':completion:*' list-prompt ''
zstyle ':completion:*' verbose no
LISTMAX=0
bindkey '^I' list-choices
PROMPT='{prompt}'
"""
PROMPT = "zsh-is-ready>"


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def until(fd, end, quiet):
    """What comes until `end`, or until nothing came for `quiet` seconds."""
    got = ""
    while select.select([fd], [], [], quiet)[0]:
        got += os.read(fd, 65536).decode("utf-8", "replace")
        if plain(got).rstrip().endswith(end):
            break
    return plain(got)


def zsh_lists(line, folder, patience):
    """What an interactive zsh on a terminal of its own lists for a line: completion has no other door. `patience`: seconds without
    a word after which nothing will come."""
    env = {"PATH": os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C.UTF-8", "HOME": str(folder), "ZDOTDIR": str(folder)}
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-d", "-i"], env)
    try:
        if PROMPT not in until(fd, PROMPT, 30):
            sys.exit("zsh: no prompt")
        os.write(fd, f"{line}\t".encode())
        # The prompt and the line come again after a list; without one nothing comes.
        return until(fd, PROMPT + line.rstrip(), patience)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.close(fd)
        os.waitpid(pid, 0)


def zsh(script, cases, folder):
    must("quiet", ["zsh", "-n", script])
    code = f"autoload -Uz compinit; compinit -u -d {folder}/dump; source {script}; print $_comps[jitwarm]"
    if must("", ["zsh", "-f", "-c", code]).strip() != "_jitwarm":
        sys.exit("zsh: sourcing the script does not register _jitwarm")
    functions = folder / "functions"
    functions.mkdir()
    shutil.copy(script, functions / "_jitwarm")
    (folder / ".zshrc").write_text(ZSHRC.format(functions=functions, folder=folder, prompt=PROMPT))

    something = {line for line, wanted, _ in cases if wanted}

    def offers(line):
        rows = zsh_lists(line, folder, 60 if line in something else 4).replace("\r", "\n").splitlines()
        return {word.rstrip("/") for row in rows if not row.startswith(line) and PROMPT not in row for word in row.split()}

    return check_offers(offers, cases)


def man(page, _, folder):
    asked = 0
    if shutil.which("mandoc"):
        must("quiet", ["mandoc", "-T", "lint", "-W", "warning", page])
        asked += 1
    if shutil.which("man") and shutil.which("groff"):
        env = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFSEQ": ""}
        must("", ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], env=env)
        asked += 1
    if not asked:
        print("SKIP: there is neither mandoc nor man with groff")
        return 77
    print(f"{asked} of mandoc and man have nothing to say against it")
    return 0


def main():
    what, table, *command = sys.argv[1:]
    if what != "man":
        need(what)
    with tempfile.TemporaryDirectory(prefix="jitwarm-accept-", dir=os.environ.get("JW_TEST_MEMORY")) as name:
        folder = pathlib.Path(name)
        work = folder / "work"
        (work / "afolder").mkdir(parents=True)
        (work / "afile").write_text("")
        page = folder / "page"
        page.write_text(must("", command))
        os.environ["HOME"] = name  # fish makes folders of its own there
        for variable in [v for v in os.environ if v.startswith("XDG_")]:
            del os.environ[variable]
        cases = JITWARM if table == "jitwarm" else MADE_UP
        sys.exit({"bash": bash, "zsh": zsh, "fish": fish, "man": man}[what](page, cases, work))


if __name__ == "__main__":
    main()
