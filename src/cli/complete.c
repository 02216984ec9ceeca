#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"

/* Completions for a GPU; names and PCI ids are valid too. */
static const char gpu_words[] = "all known sm_61 sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120";

static void verb_words(struct jw_buf *out)
{
    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            jw_buf_printf(out, "%s%s", i ? " " : "", jw_cmds[i]->name);
}

/* Writes the words offered for a value; false: the value is not a choice of words. */
static bool words_for(enum opt_hint hint, const char *choices, struct jw_buf *out)
{
    jw_buf_clear(out);
    if (hint == HINT_GPUS)
        jw_buf_text(out, gpu_words);
    else if (hint == HINT_VERBS)
        verb_words(out);
    else if (hint == HINT_WORDS)
        jw_buf_text(out,
                    jw_text_starts(choices, JW_OPT_UNNAMED " ") ? choices + sizeof JW_OPT_UNNAMED : choices);
    return out->n > 0;
}

/* ---- bash ---- */

static const char bash_head[] = "# bash completion for jitwarm, made by: jitwarm completions bash\n"
                                "_jitwarm_words()\n"
                                "{\n"
                                "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
                                "}\n"
                                "\n"
                                "_jitwarm_paths()\n"
                                "{\n"
                                "    compopt -o filenames 2>/dev/null\n"
                                "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
                                "}\n"
                                "\n"
                                "_jitwarm()\n"
                                "{\n"
                                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                                "    COMPREPLY=()\n"
                                "    # --name=value arrives as three words\n"
                                "    if [[ $cur == = ]]; then\n"
                                "        cur=\n"
                                "    elif [[ $prev == = ]] && ((COMP_CWORD > 2)); then\n"
                                "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                                "    fi\n";

static void bash_action(struct jw_buf *out, enum opt_hint hint, const char *choices)
{
    struct jw_buf words = JW_BUF(4096);

    if (words_for(hint, choices, &words))
        jw_buf_printf(out, "_jitwarm_words '%s' \"$cur\"", jw_buf_cstr(&words));
    else if (jw_opt_is_file(hint) || hint == HINT_DIRS)
        jw_buf_printf(out, "_jitwarm_paths %s \"$cur\"", hint == HINT_DIRS ? "-d" : "-f");
    else
        jw_buf_text(out, ":");
    jw_buf_free(&words);
}

static void bash_verb(struct jw_buf *out, const struct cmd *cmd)
{
    struct opt_part all;

    jw_opt_all(cmd, &all);
    jw_buf_printf(out, "    %s)\n        case $prev in\n", cmd->name);
    for (size_t i = 0; i < all.n; i++) {
        const struct opt *o = all.rows[i];

        if (!jw_opt_value_follows(o))
            continue;
        jw_say(out, "        %s--%s) ", o->short_name ? JW_PHRASE("-%c | ", o->short_name) : "", o->name);
        bash_action(out, o->hint, o->choices);
        jw_buf_text(out, "; return ;;\n");
    }
    jw_buf_text(out, "        esac\n        if [[ $cur == -* ]]; then\n            _jitwarm_words '");
    for (size_t i = 0; i < all.n; i++)
        jw_buf_printf(out, "%s--%s", i ? " " : "", all.rows[i]->name);
    jw_buf_text(out, "' \"$cur\"\n        else\n            ");
    bash_action(out, cmd->max_pos ? cmd->pos_hint : HINT_NONE, cmd->pos_choices);
    jw_buf_text(out, "\n        fi ;;\n");
}

void jw_complete_bash(struct jw_buf *out)
{
    jw_buf_text(out, bash_head);
    jw_buf_text(out, "    if ((COMP_CWORD == 1)); then\n        _jitwarm_words '");
    verb_words(out);
    jw_buf_text(out, " --help --version' \"$cur\"\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            bash_verb(out, jw_cmds[i]);
    jw_buf_text(out, "    esac\n}\ncomplete -F _jitwarm jitwarm\n");
}

/* ---- zsh ---- */

static const char zsh_head[] = "#compdef jitwarm\n"
                               "# zsh completion for jitwarm, made by: jitwarm completions zsh\n"
                               "_jitwarm()\n"
                               "{\n"
                               "    local curcontext=$curcontext state line\n"
                               "    local -a verbs\n"
                               "    verbs=(\n";

static const char zsh_middle[] =
    "    )\n"
    "    _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \\\n"
    "        '1:verb:->verb' '*::argument:->rest'\n"
    "    case $state in\n"
    "    verb) _describe verb verbs ;;\n"
    "    rest)\n"
    "        case $words[1] in\n";

static const char zsh_tail[] = "        esac ;;\n"
                               "    esac\n"
                               "}\n"
                               "\n"
                               "if [[ $funcstack[1] == _jitwarm ]]; then\n"
                               "    _jitwarm \"$@\"\n"
                               "else\n"
                               "    compdef _jitwarm jitwarm\n"
                               "fi\n";

static void zsh_value(struct jw_buf *out, const char *arg, enum opt_hint hint, const char *choices)
{
    struct jw_buf words = JW_BUF(4096);

    jw_buf_printf(out, ":%s:", arg);
    if (words_for(hint, choices, &words))
        jw_buf_printf(out, "(%s)", jw_buf_cstr(&words));
    else
        jw_buf_text(out, jw_opt_is_file(hint) ? "_files" : hint == HINT_DIRS ? "_files -/" : " ");
    jw_buf_free(&words);
}

/* Inside single quotes. */
static const char *const zsh_rules[] = { "[\\[", "]\\]", "''\\''", ":\\:", "\\\\\\", NULL };

/* "=-": the optional value is in the same word. */
static const char *zsh_equals(const struct opt *o)
{
    return o->kind == OPT_FLAG ? "" : jw_opt_maybe(o) ? "=-" : "=";
}

static void zsh_opt(struct jw_buf *out, const struct opt *o)
{
    const char *equals = zsh_equals(o), *plus = o->kind == OPT_MAYBE_CHOICE ? ""
                                                : jw_opt_maybe(o)           ? "-"
                                                                            : "+";

    jw_buf_printf(out, " \\\n                '%s", o->kind == OPT_LIST ? "*" : "");
    if (o->short_name && o->kind == OPT_LIST)
        jw_buf_printf(out, "'{-%c+,--%s=}'", o->short_name, o->name);
    else if (o->short_name)
        jw_buf_printf(out, "(-%c --%s)'{-%c%s,--%s%s}'", o->short_name, o->name, o->short_name,
                      o->kind == OPT_FLAG ? "" : plus, o->name, equals);
    else
        jw_buf_printf(out, "--%s%s", o->name, equals);
    jw_buf_text(out, "[");
    jw_text_escape(out, o->help, zsh_rules);
    jw_buf_text(out, jw_opt_maybe(o) ? "]:" : "]"); /* a second colon: optional */
    if (o->kind != OPT_FLAG)
        zsh_value(out, o->arg, o->hint, o->choices);
    jw_buf_text(out, "'");
}

static void zsh_verb(struct jw_buf *out, const struct cmd *cmd)
{
    struct opt_part all;

    jw_opt_all(cmd, &all);
    jw_buf_printf(out, "        %s)\n            _arguments -s", cmd->name);
    for (size_t i = 0; i < all.n; i++)
        zsh_opt(out, all.rows[i]);
    if (cmd->max_pos) {
        jw_buf_printf(out, " \\\n                '%s", cmd->max_pos == 1 ? "1" : "*");
        zsh_value(out, "argument", cmd->pos_hint, cmd->pos_choices);
        jw_buf_text(out, "'");
    }
    jw_buf_text(out, " ;;\n");
}

void jw_complete_zsh(struct jw_buf *out)
{
    jw_buf_text(out, zsh_head);
    for (size_t i = 0; jw_cmds[i]; i++) {
        if (jw_cmds[i]->hidden)
            continue;
        jw_buf_printf(out, "        '%s:", jw_cmds[i]->name);
        jw_text_escape(out, jw_cmds[i]->summary, zsh_rules + 2); /* brackets mean nothing here */
        jw_buf_text(out, "'\n");
    }
    jw_buf_text(out, zsh_middle);
    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            zsh_verb(out, jw_cmds[i]);
    jw_buf_text(out, zsh_tail);
}

/* ---- fish ---- */

static const char fish_head[] = "# fish completion for jitwarm, made by: jitwarm completions fish\n"
                                "function __jitwarm_verb\n"
                                "    set -l words (commandline -opc)\n"
                                "    if test (count $argv) -eq 0\n"
                                "        test (count $words) -eq 1\n"
                                "    else\n"
                                "        test (count $words) -gt 1; and test \"$words[2]\" = \"$argv[1]\"\n"
                                "    end\n"
                                "end\n"
                                "\n"
                                "complete -c jitwarm -f\n"
                                "complete -c jitwarm -n __jitwarm_verb -s h -l help -d 'show help'\n"
                                "complete -c jitwarm -n __jitwarm_verb -l version -d 'show the version'\n";

static void fish_about(struct jw_buf *out, const char *text)
{
    static const char *const rules[] = { "'\\'", "\\\\\\", NULL };

    jw_buf_text(out, " -d '");
    jw_text_escape(out, text, rules);
    jw_buf_text(out, "'");
}

/* `value`: complete the value of an option, and no file names unless it is one. */
static void fish_hint(struct jw_buf *out, enum opt_hint hint, const char *choices, bool value)
{
    struct jw_buf words = JW_BUF(4096);

    if (jw_opt_is_file(hint))
        jw_buf_text(out, value ? " -rF" : " -F");
    else if (hint == HINT_DIRS)
        jw_buf_printf(out, " %s '(__fish_complete_directories)'", value ? "-xa" : "-a");
    else if (words_for(hint, choices, &words))
        jw_buf_printf(out, " %s '%s'", value ? "-xa" : "-a", jw_buf_cstr(&words));
    else if (value)
        jw_buf_text(out, " -x");
    jw_buf_free(&words);
}

static void fish_verb(struct jw_buf *out, const struct cmd *cmd)
{
    struct opt_part all;

    jw_opt_all(cmd, &all);
    jw_buf_printf(out, "\ncomplete -c jitwarm -n __jitwarm_verb -a %s", cmd->name);
    fish_about(out, cmd->summary);
    jw_buf_text(out, "\n");
    for (size_t i = 0; i < all.n; i++) {
        const struct opt *o = all.rows[i];

        jw_buf_printf(out, "complete -c jitwarm -n '__jitwarm_verb %s'", cmd->name);
        if (o->short_name)
            jw_buf_printf(out, " -s %c", o->short_name);
        jw_buf_printf(out, " -l %s", o->name);
        if (jw_opt_value_follows(o))
            fish_hint(out, o->hint, o->choices, true);
        fish_about(out, o->help);
        jw_buf_text(out, "\n");
    }
    if (cmd->max_pos && cmd->pos_hint != HINT_NONE) {
        jw_buf_printf(out, "complete -c jitwarm -n '__jitwarm_verb %s'", cmd->name);
        fish_hint(out, cmd->pos_hint, cmd->pos_choices, false);
        jw_buf_text(out, "\n");
    }
}

void jw_complete_fish(struct jw_buf *out)
{
    jw_buf_text(out, fish_head);
    for (size_t i = 0; jw_cmds[i]; i++)
        if (!jw_cmds[i]->hidden)
            fish_verb(out, jw_cmds[i]);
}

struct completions_args {
    struct jw_texts shells;
};

static int completions_run(struct cli *cli, const void *args)
{
    static void (*const make[])(struct jw_buf * out) = { jw_complete_bash, jw_complete_zsh,
                                                         jw_complete_fish };
    const struct completions_args *a = args;
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);
    struct jw_err err = { 0 };
    unsigned shell;

    if (!jw_opt_choice(cli->cmd->pos_choices, a->shells.items[0], &shell)) {
        (void)jw_fail(&err, JW_E_USAGE, "SHELL must be bash, zsh or fish, not '%s'", a->shells.items[0]);
        return jw_cli_usage(cli, &err);
    }
    make[shell](&out);
    return jw_cli_page(cli, &out);
}

static const struct example completions_examples[] = {
    { "source <(jitwarm completions bash)", "for this bash; add the line to ~/.bashrc for every bash" },
    { "jitwarm completions fish >~/.config/fish/completions/jitwarm.fish", "for every fish of this user" },
    { NULL, NULL },
};

const struct cmd jw_cmd_completions = {
    .name = "completions",
    .summary = "print shell completions for bash, zsh or fish",
    .synopsis_args = "SHELL",
    .details =
        "Packages install these scripts already. Use this for a jitwarm that was copied or built by hand.",
    .examples = completions_examples,
    .args_size = sizeof(struct completions_args),
    .positional_at = offsetof(struct completions_args, shells),
    .min_pos = 1,
    .max_pos = 1,
    .pos_hint = HINT_WORDS,
    .pos_choices = "bash zsh fish",
    .stateless = true,
    .run = completions_run,
};
