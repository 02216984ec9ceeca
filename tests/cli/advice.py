#!/usr/bin/env python3
"""advice.py PROGRAM: every command that jitwarm prints as advice is one that it takes. They are collected from the golden
transcripts and from what the scripts type and print, as far as a line is a command: options, paths and names in capitals after a
verb, and not the words of a sentence. In blocks for containers it is the words of an entrypoint, or what follows --entrypoint. PROGRAM (advice.c) parses them with the verbs' own tables."""
import json
import pathlib
import re
import subprocess
import sys

import transcript

HERE = pathlib.Path(__file__).resolve().parent
SUBCOMMANDS = {"apply", "undo", "install", "remove", "run", "bash", "zsh", "fish"}
# Words that are no command line: values of an option, paths, names to fill in, and a verb after help.
ARGUMENT = re.compile(r"-{1,2}[a-z][\w=,.:/{}$-]*|[A-Z][A-Z_]*\.?\w*|[\w.{}$~+-]*[/{=][\w./{}$~+=-]*|[\w-]+\.(?:zst|key|pub|so|tar\.zst|ptx|cu)|\d+[smhdGMB]?\w*")
AT_LEAST = 40


SCRIPTS = HERE.parent.parent / "scripts"


def pages():
    for page in sorted(HERE.glob("*.t")):
        yield page, "\n".join(line for line in transcript.printed(page).split("\n") if not line.startswith(("$ ", "> ")))
    for name in ("demo", "quickstart"):
        yield SCRIPTS / name, (SCRIPTS / name).read_text(encoding="utf-8").replace("build/release/", "").replace('"$tool"', "jitwarm")


def in_blocks(answers):
    """The commands of a Dockerfile."""
    for words in re.findall(r'(?:ENTRYPOINT|entrypoint:) (\["jitwarm".*\])$', answers, re.M):
        yield " ".join(json.loads(words)[1:])
    yield from re.findall(r"--entrypoint jitwarm \w+ (.*)$", answers, re.M)


def collect():
    found = {}
    for page, answers in pages():
        found.update({line: page.name for line in in_blocks(answers)})
        for match in re.finditer(r"(?<![\w/.-])jitwarm ([a-z]+)((?: [^\s]+)*)", answers):
            words = [match[1].rstrip(".,;:)")]
            for word in match[2].split():
                bare = word.rstrip(".,;:)'\"`").split("</", 1)[0]
                if word.startswith("(") or match[1][-1] in ".,;:)":
                    break
                if not (ARGUMENT.fullmatch(bare) or bare in SUBCOMMANDS):
                    break
                words.append(bare)
                if bare != word:
                    break
            if match[1] != "in":
                found.setdefault(" ".join(words), page.name)
    return found


def main():
    # A verb that stands in a sentence ("jitwarm compiled nothing") is none; one with an option always is.
    verbs = set(subprocess.run([sys.argv[2], "completions", "bash"], text=True, capture_output=True, check=True).stdout.replace("'", " ").replace('"', " ").split())
    found = {line: page for line, page in collect().items() if line.split()[0] in verbs or " --" in line}
    if missing := {"run --", "prime /app", "prime --dry-run"} - set(found):
        sys.exit(f"not collected: {missing}")
    if len(found) < AT_LEAST:
        sys.exit(f"only {len(found)} commands were found in the transcripts")
    done = subprocess.run([sys.argv[1]], input="\n".join(found) + "\n", text=True, capture_output=True, check=False)
    # A verb alone in a sentence, and a value that stands on the next line, are no wrong commands.
    refused = [line for line in done.stdout.splitlines() if not re.search(r": (--[\w-]+ needs a value: |.* is missing$)", line)]
    for line in refused:
        print(found.get(line.removeprefix("jitwarm ").split(": ", 1)[0], "?") + ": " + line)
    wrong = subprocess.run([sys.argv[1]], input="prime --no-such-option\n", text=True, capture_output=True, check=False)
    if wrong.returncode != 1:
        sys.exit("a wrong command was accepted")
    print(f"{len(found)} commands")
    sys.exit(1 if refused else 0)


main()
