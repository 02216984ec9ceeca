#include "cli/help.h"

#include "base/command.h"
#include "cli/cli.h"
#include "cli/report.h"

#include <string.h>

const struct listed_verb jw_verbs[] = {
#define G(title) {title, NULL},
#define V(verb) {NULL, &jw_cmd_##verb},
#include "cli/verbs.def"
#undef V
#undef G
    {NULL, NULL}};

const struct cmd *jw_verb_find(const char *name)
{
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->cmd && strcmp(v->cmd->name, name) == 0)
            return v->cmd;
    return NULL;
}

/* Returns "-n, --dry-run", "    --gpu GPU" or "    --watch[=TIME]". */
static const char *term_of(const struct opt *o, struct jw_arena *a)
{
    const char *letter = o->short_name ? jw_arena_printf(a, "-%c, ", o->short_name) : "    ";
    const char *arg =
        !o->arg ? "" : jw_arena_printf(a, o->kind & OPT_MAYBE ? "[=%s]" : " %s", o->arg);

    return jw_arena_printf(a, "  %s--%s%s", letter, o->name, arg);
}

/* Those that few people need are named alone, but for -v. */
static void say_options(struct rep *r, const struct cmd *cmd)
{
    struct jw_buf also = JW_LINE(r->a);
    const struct opt *o;
    bool shared, brief = false;

    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++) {
        brief |= !r->cli->shared.verbose && jw_choice_of(JW_OF_ALL, o->name);
        if (brief)
            jw_buf_printf(&also, "%s%s--%s", also.n ? ", " : "",
                          o->short_name ? JW_PHRASE("-%c/", o->short_name) : "", o->name);
        else
            rep_say(r, REP_PLAIN, term_of(o, r->a), "%s", o->help);
    }
    if (also.n)
        rep_say(r, REP_PLAIN, NULL, "Also (jitwarm help %s -v): %s", cmd->name, jw_buf_cstr(&also));
}

static void say_examples(struct rep *r, const struct cmd *cmd)
{
    rep_say(r, REP_PLAIN, NULL, "%s", cmd->examples->line ? "Examples:" : "");
    for (const struct example *e = cmd->examples; e->line; e++) {
        rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, NULL, "  %s", e->line);
        rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, NULL, "      %s", e->what);
    }
}

/* The first paragraph, and the last, which has the exit codes; with -v all. */
static void say_details(struct rep *r, const char *text)
{
    const char *first = text;

    for (const char *end; *text; text = end + strspn(end, "\n")) {
        end = text + strcspn(text, "\n");
        if (text > first && *end && !r->cli->shared.verbose)
            continue;
        rep_say(r, REP_PLAIN, NULL, "%s", "");
        rep_say(r, REP_PLAIN, NULL, "%s", jw_arena_text(r->a, text, (size_t)(end - text)));
    }
}

static void say_verb(struct rep *r, const struct cmd *cmd)
{
    rep_head(r, JW_END_LISTED, "done", "jitwarm %s: %s", cmd->name, cmd->summary);
    rep_say(r, REP_PLAIN, NULL, "Usage: jitwarm %s [OPTION...] %s", cmd->name, cmd->synopsis_args);
    say_examples(r, cmd);
    say_details(r, cmd->details ? cmd->details : "");
    rep_say(r, REP_PLAIN, NULL, "%s", "");
    say_options(r, cmd);
}

/* The first group with examples, of the others the names: no more than a tired person reads. */
static void say_first(struct rep *r)
{
    const struct listed_verb *v = jw_verbs + 1;

    rep_head(r, JW_END_LISTED, "done",
             "jitwarm compiles CUDA code now, so that programs start fast");
    rep_say(r, REP_PLAIN, NULL, "%s", "");
    for (; v->cmd; v++)
        rep_say(r, REP_PLAIN, v->cmd->examples->line, "%s", v->cmd->examples->what);
    rep_say(r, REP_PLAIN, NULL, "%s", "");
    rep_say(r, REP_PLAIN, NULL, "%s", "When you need more:");
    while (v[1].cmd != &jw_cmd_help) {
        struct jw_buf names = JW_LINE(r->a);
        const char *title = v->title;

        while ((++v)->cmd)
            jw_buf_printf(&names, "%s%s", names.n ? ", " : "", v->cmd->name);
        rep_say(r, REP_PLAIN, title, "%s", jw_buf_cstr(&names));
    }
    rep_say(r, REP_PLAIN, NULL, "%s", "");
    rep_say(r, REP_PLAIN, "jitwarm help", "all of these, a line each");
    rep_say(r, REP_PLAIN, "jitwarm help VERB", "one of them, with examples");
}

static void say_table(struct rep *r)
{
    rep_head(r, JW_END_LISTED, "done", "jitwarm VERB [OPTION...]: see jitwarm help VERB");
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->title)
            rep_say(r, REP_PLAIN, NULL, "%s", v->title);
        else if (!v->cmd->hidden)
            rep_say(r, REP_PLAIN, jw_arena_printf(r->a, "  %s", v->cmd->name), "%s",
                    v->cmd->summary);
}

/* What people type who know other tools or earlier versions, and what it is here. */
static const struct {
    const char *typed, *means;
} others[] = {
    {"verify prove", "doctor"},
    {"remove rm delete unprime", "forget"},
    {"undo reset", "uninstall"},
    {"list ls show info cache", "status"},
    {"pull fetch download sync", "import"},
    {"push upload publish", "export -o"},
    {"pack share", "export"},
    {"clean clear gc purge", "prune"},
    {"check test", "status"},
    {"compile precompile warm warmup build add update", "prime"},
    {"record", "prime --run"},
    {"setup init", "startup"},
    {"install enable", "startup install"},
    {"diagnose diag why fix", "doctor"},
    {"watch ps top", "doctor --watch"},
    {"keygen genkey", "key --new"},
    {"log logs", "doctor --log"},
    {"config settings", "env"},
    {"move migrate", "env apply --path"},
    {"start exec serve", "run"},
    {"gpu gpus", "scan"},
    {"gate", "scan --check"},
    {"prime--check prime--n prime--dry-run", "status"},
    {"prune--everything prune--all", "prune --whole-cache"},
    {"export--everything", "export --whole-cache"},
    {"key--trust", "key"},
};

bool jw_help_is_log(const char *path)
{
    return (jw_text_ends(path, ".log") || jw_text_ends(path, ".txt")) && jw_is_file(path);
}

/* What a path or a program without a verb means. */
static const char *meaning_of_line(const char *const *words, struct jw_arena *a)
{
    if (strstr(*words, "://"))
        return "import";
    if (!words[1] && jw_help_is_log(*words))
        return "doctor --log";
    if (!words[1] && !jw_is_absent(*words))
        return "prime";
    return jw_is_file(*words) || jw_process_path(*words, a) ? "prime --run" : NULL;
}

/* Returns the verb, perhaps with an option, that this word stands for; NULL: none is known. */
static const char *meaning_of(const char *word)
{
    for (size_t i = 0; i < JW_COUNT(others); i++)
        if (jw_choice_of(others[i].typed, word))
            return others[i].means;
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->cmd && !v->cmd->hidden && jw_is_near(word, strlen(word), v->cmd->name))
            return v->cmd->name;
    return NULL;
}

const char *jw_help_meant(const char *word, const char *const *rest, const char *but,
                          struct jw_arena *a)
{
    const char *means = meaning_of(word);
    struct jw_texts kept = {0};

    if (!means && !but) /* of a verb: the word belongs to the line */
        means = meaning_of_line(--rest, a);
    if (!means)
        return "";
    for (; *rest; rest++)
        if (*rest != but)
            jw_texts_add(&kept, a, *rest);
    if (!kept.n)
        return jw_arena_printf(a, "; did you mean jitwarm %s?", means);
    return jw_arena_printf(a, "; did you mean jitwarm %s %s?", means,
                           jw_command_text(a, kept.v, jw_os_is_windows()));
}

/* A path, a process or a misspelling, with what to type instead. */
static const char *why_no_verb(const char *const *words, struct jw_arena *a)
{
    const char *word = *words;

    if (*word == '-')
        return jw_arena_printf(a, "'%s' is not a verb: options come after it", word);
    if (*word && !word[strspn(word, "0123456789")])
        return jw_arena_printf(a, "'%s' is not a verb; a process: jitwarm doctor --watch", word);
    if (strchr(word, '/') && !strstr(word, "://") && jw_is_absent(word))
        return jw_arena_printf(a, "%s: %s", word, jw_why_absent(word));
    return jw_arena_printf(a, "'%s' is not a verb%s", word,
                           jw_help_meant(word, words + 1, NULL, a));
}

int jw_help_print(struct cli *cli, const char *const *words, bool whole)
{
    const struct cmd *cmd = words ? jw_verb_find(*words) : NULL;
    struct jw_err err = {0};
    struct rep *r;

    if (words && !cmd) {
        cli->cmd = NULL; /* the help of another one says nothing of it */
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "%s", why_no_verb(words, cli->arena));
    }
    cli->shared.json = cli->messages.quiet = false; /* it is a text, and was asked for */
    r = rep_open(cli, "help");
    if (cmd)
        say_verb(r, cmd);
    else
        (whole ? say_table : say_first)(r);
    return rep_close(r);
}
