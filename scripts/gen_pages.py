#!/usr/bin/env python3
"""Writes the man pages and the completions of bash, zsh and fish from the tables of options.

    gen_pages.py TABLES VERSION DATE OUT

TABLES is what the built program jw_tables prints (scripts/pages/tables.c). The codes at the end of
a run come from docs/README.md.
"""
import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
GPUS = "all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120"
VARIABLES = (
    ("CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE",
     "The driver's own settings of its cache: folder, limit in bytes, 1 turns it off."),
    ("CUDA_CACHE_MAX_SIZE", "Has no effect: the driver reads CUDA_CACHE_MAXSIZE."),
    ("CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER, CUDA_FORCE_PTX_JIT, CUDA_DISABLE_PTX_JIT, "
     "CUDA_MODULE_LOADING",
     "The driver's own settings; prime follows them, and doctor explains them."),
    ("JITWARM_DRIVER", "The driver's library to use instead of the system's (Linux)."),
    ("QEMU_LD_PREFIX",
     "Where qemu-user finds the C library for aarch64, for --driver-files "
     "(/usr/aarch64-linux-gnu)."),
    ("LD_LIBRARY_PATH, NVIDIA_DRIVER_CAPABILITIES, SLURM_JOB_ID",
     "Read as the loader, NVIDIA's containers and Slurm do."),
    ("JITWARM_STATE", "Where jitwarm remembers this machine's drivers and what was primed."),
    ("JITWARM_LOGIN", "USER:PASSWORD for the registry of export and import."),
    ("DOCKER_CONFIG, REGISTRY_AUTH_FILE",
     "Where docker and podman store logins, which export and import also use."),
    ("HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY",
     "Proxies for registries (on Windows the system's settings)."),
    ("SOURCE_DATE_EPOCH", "The current time, for packs that are the same on every day."),
    ("NO_COLOR, CLICOLOR_FORCE, COLUMNS",
     "No colours; colours also in a pipe; the width of output that does not go to a terminal."),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME",
     "Folders of settings, state and packs (~/.config, ~/.local/state, ~/.local/share)."),
)
FILES = (
    ("$XDG_CONFIG_HOME/jitwarm/jitwarm.conf, /etc/jitwarm/jitwarm.conf",
     "The user's settings, and the machine's (%APPDATA%, %ProgramData% on Windows)."),
    ("$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/",
     "Trusted public keys, NAME.pub; only you or root may be able to write there."),
    ("$XDG_STATE_HOME/jitwarm/",
     "What is remembered: paths and commands, drivers, caches. Once deleted, paths are named again."
     ),
)
SETTINGS = (
    ("search = /opt/models",
     "A folder to search for CUDA software, besides the usual places. An absolute path, or one "
     "that begins with ~/."
     ),
    ("exclude = */old-envs/*",
     "Files and folders to skip. * and ? are as in a shell; a pattern without / is compared with "
     "names."
     ),
    ("jobs = 4", "How many modules prime compiles at the same time. Default: as many as CPUs."),
    ("timeout = 3600",
     "After how many seconds prime gives up on a module. Default: 30 minutes, or ten times the "
     "predicted time."
     ),
    ("trust = RWQ...",
     "A minisign public key, the second line of a .pub file. import accepts packs that are signed "
     "with it."
     ),
    ("source = oci://reg.example/team/jit",
     "Where others put packs: a registry or a folder. prime takes from there what "
     "fits this machine and is signed with a trusted key."),
    ("cacert = /etc/ssl/team-ca.pem",
     "The certificate authority of your registry. An absolute path; the last line counts. Default: "
     "the system's."
     ),
    ("plain_http = reg.example:5000", "A registry, HOST[:PORT], that is asked without TLS."),
)


# ---- man ----

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def term(name, what):
    return f".TP\n\\fB{roff(name)}\\fR\n{roff(what)}\n"


def header(name, section, version, date):
    kind = "User Commands" if section == 1 else "File Formats"
    return f'.TH {roff(name.upper())} {section} {date} "jitwarm {version}" "{kind}"\n'


def option_term(o):
    letter = f"\\fB\\-{o['letter']}\\fR, " if o["letter"] else ""
    arg = f"\\fI{roff(o['arg'])}\\fR" if o["arg"] else ""
    if arg:
        arg = f"[={arg}]" if o["maybe"] else f" {arg}"
    return f".TP\n{letter}\\fB\\-\\-{roff(o['name'])}\\fR{arg}\n{roff(o['help'])}\n"


def man_verb(verb, version, date):
    out = header(f"jitwarm-{verb['name']}", 1, version, date)
    out += f".SH NAME\njitwarm\\-{verb['name']} \\- {roff(verb['summary'])}\n"
    out += (f".SH SYNOPSIS\n\\fBjitwarm {verb['name']}\\fR [\\fIOPTION\\fR...] "
            f"{roff(verb['args'])}\n")
    if verb["details"]:
        out += ".SH DESCRIPTION\n" + roff(verb["details"]).replace("\n\n", "\n.PP\n") + "\n"
    out += ".SH OPTIONS\n" + "".join(map(option_term, verb["options"]))
    if verb["examples"]:
        out += ".SH EXAMPLES\n" + "".join(term(e["line"], e["what"]) for e in verb["examples"])
    return out + ".SH SEE ALSO\n\\fBjitwarm\\fR(1), \\fBjitwarm.conf\\fR(5)\n"


def exit_codes():
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    return re.findall(r"(?m)^\| (\d+) \| (.*?) \|",
                      text) or sys.exit("docs/README.md has no exit codes for the manual")


def man_overview(verbs, version, date):
    out = header("jitwarm", 1, version, date)
    out += ".SH NAME\njitwarm \\- make CUDA software start fast on GPUs that it was not built for\n"
    out += (".SH SYNOPSIS\n\\fBjitwarm\\fR \\fIVERB\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
            ".SH VERBS\n")
    out += "".join(term(f"jitwarm-{v['name']}(1)", v["summary"]) for v in verbs)
    out += ".SH EXIT STATUS\n" + "".join(term(*row) for row in exit_codes())
    out += ".SH ENVIRONMENT\n" + "".join(term(*row) for row in VARIABLES)
    return out + ".SH FILES\n" + "".join(term(*row) for row in FILES)


def man_conf(version, date):
    out = header("jitwarm.conf", 5, version, date)
    out += ".SH NAME\njitwarm.conf \\- settings of jitwarm\n.SH DESCRIPTION\n"
    out += roff(
        "Lines of the form KEY = VALUE. # at the start of a line or after a blank begins a "
        "comment. The machine's file is read "
        "first; the user's value replaces the machine's, and a list (all but jobs and timeout) has "
        "a line for each value and adds "
        "up. An invalid line is reported with its file and number, and ignored.") + "\n.SH KEYS\n"
    return out + "".join(term(*row) for row in SETTINGS) + ".SH FILES\n" + "".join(
        term(*row) for row in FILES[:1])


# ---- completions ----

BASH_HEAD = """\
# bash completion for jitwarm
_jitwarm()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    # --name=value arrives as three words
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '@VERBS@ --help --version' -- "$cur")
        return
    fi
    case ${COMP_WORDS[1]} in
"""
BASH_REST_OF_VERB = """\
        esac
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W '@OPTIONS@' -- "$cur")
        else
            @ARGUMENT@
        fi ;;
"""
BASH_TAIL = """\
    esac
}
complete -F _jitwarm jitwarm
"""
ZSH_HEAD = """\
#compdef jitwarm
_jitwarm()
{
    local curcontext=$curcontext state line
    local -a verbs
    verbs=(
"""
ZSH_BODY = (
    "    )\n"
    "    _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' "
    "'1:verb:->verb' '*::argument:->rest'\n") + """\
    case $state in
    verb) _describe verb verbs ;;
    rest)
        case $words[1] in
"""
ZSH_TAIL = """\
        esac ;;
    esac
}

if [[ $funcstack[1] == _jitwarm ]]; then
    _jitwarm "$@"
else
    compdef _jitwarm jitwarm
fi
"""
FISH_HEAD = """\
# fish completion for jitwarm
function __jitwarm_verb
    set -l words (commandline -opc)
    if test (count $argv) -eq 0
        test (count $words) -eq 1
    else
        test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
    end
end

complete -c jitwarm -f
complete -c jitwarm -n __jitwarm_verb -s h -l help -d 'show help'
complete -c jitwarm -n __jitwarm_verb -l version -d 'show the version'
"""


def words(hint, choices, verbs):
    """What is offered for a value; "": no words."""
    if hint == "words":
        return choices or ""
    offered = {"gpus": GPUS, "verbs": " ".join(v["name"] for v in verbs)}
    return choices or offered.get(hint, "")


def bash(verbs):
    def action(hint, choices):
        offered = words(hint, choices, verbs)
        if offered:
            return f"mapfile -t COMPREPLY < <(compgen -W '{offered}' -- \"$cur\")"
        flag = {"files": "-f", "folders": "-d"}.get(hint)
        if not flag:
            return ":"
        return f"compopt -o filenames; mapfile -t COMPREPLY < <(compgen {flag} -- \"$cur\")"

    def value_of_option(o):
        letter = f"-{o['letter']} | " if o["letter"] else ""
        offer = action(o["hint"], o["choices"])
        return f"        {letter}--{o['name']}) {offer}; return ;;\n"

    out = BASH_HEAD.replace("@VERBS@", " ".join(v["name"] for v in verbs))
    for v in verbs:
        out += f"    {v['name']})\n        case $prev in\n"
        out += "".join(value_of_option(o) for o in v["options"] if o["arg"] and not o["maybe"])
        rest = BASH_REST_OF_VERB.replace("@OPTIONS@",
                                         " ".join("--" + o["name"] for o in v["options"]))
        out += rest.replace("@ARGUMENT@", action(v["hint"], v["choices"]))
    return out + BASH_TAIL


def zsh(verbs):
    def quoted(text, more=""):
        for c in "\\:" + more:
            text = text.replace(c, "\\" + c)
        return text.replace("'", "'\\''")

    def value(name, hint, choices):
        offered = words(hint, choices, verbs)
        if offered:
            return f":{name}:({offered})"
        return f":{name}:" + {"files": "_files", "folders": "_files -/"}.get(hint, " ")

    def about(o):
        text = f"[{quoted(o['help'], '[]')}]"
        if not o["arg"]:
            return text
        return text + (":" if o["maybe"] else "") + value(o["arg"], o["hint"], o["choices"])

    def option(o):
        takes_value, may_take_it = o["arg"] and not o["maybe"], o["arg"] and o["maybe"]
        equals = "=" if takes_value else "=-" if may_take_it else ""
        star = "*" if o["list"] else ""
        if not o["letter"]:
            return f"'{star}--{o['name']}{equals}{about(o)}'"
        plus = "+" if takes_value else "-" if may_take_it else ""
        apart = "" if star else f"(-{o['letter']} --{o['name']})"
        return f"'{star}{apart}'{{-{o['letter']}{plus},--{o['name']}{equals}}}'{about(o)}'"

    out = ZSH_HEAD
    out += "".join(f"        '{v['name']}:{quoted(v['summary'])}'\n" for v in verbs)
    out += ZSH_BODY
    for v in verbs:
        parts = [option(o) for o in v["options"]]
        if v["hint"] != "none":
            parts.append(f"'*{value('argument', v['hint'], v['choices'])}'")
        out += f"        {v['name']})\n            _arguments -s \\\n                "
        out += " \\\n                ".join(parts) + " ;;\n"
    return out + ZSH_TAIL


def fish(verbs):
    def about(text):
        return " -d '" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def hint(kind, choices, is_value):
        if kind == "files":
            return " -rF" if is_value else " -F"
        flag = "-xa" if is_value else "-a"
        if kind == "folders":
            return f" {flag} '(__fish_complete_directories)'"
        offered = words(kind, choices, verbs)
        if offered:
            return f" {flag} '{offered}'"
        return " -x" if is_value else ""

    out = FISH_HEAD
    for v in verbs:
        out += f"\ncomplete -c jitwarm -n __jitwarm_verb -a {v['name']}{about(v['summary'])}\n"
        of_verb = f"complete -c jitwarm -n '__jitwarm_verb {v['name']}'"
        for o in v["options"]:
            letter = f" -s {o['letter']}" if o["letter"] else ""
            given = hint(o["hint"], o["choices"], True) if o["arg"] and not o["maybe"] else ""
            out += f"{of_verb}{letter} -l {o['name']}{given}{about(o['help'])}\n"
        if v["hint"] != "none":
            out += f"{of_verb}{hint(v['hint'], v['choices'], False)}\n"
    return out


def main():
    tables, version, date, folder = sys.argv[1:]
    tables = json.loads(pathlib.Path(tables).read_text(encoding="utf-8"))
    verbs, out = tables["verbs"], pathlib.Path(folder)
    pages = {f"man1/jitwarm-{v['name']}.1": man_verb(v, version, date) for v in verbs}
    pages |= {
        "man1/jitwarm.1": man_overview(verbs, version, date),
        "man5/jitwarm.conf.5": man_conf(version, date),
        "bash/jitwarm": bash(verbs),
        "zsh/_jitwarm": zsh(verbs),
        "fish/jitwarm.fish": fish(verbs),
    }
    for name, text in pages.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
