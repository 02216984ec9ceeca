/* The tables of verbs and options as JSON, for gen_pages.py. It is built beside jitwarm and is no
 * part of it. */
#include "base/compiler.h"
#include "base/json.h"
#include "cli/help.h"

#include <stdio.h>

static const char *hint_name(enum opt_hint hint)
{
    static const char *const names[] = {"none", "files", "folders", "gpus", "verbs", "words"};

    return names[hint];
}

static void put_option(struct jw_json *j, const struct opt *o)
{
    const char letter[] = {o->short_name, '\0'};

    jw_json_object(j, NULL);
    jw_json_text(j, "name", o->name);
    jw_json_text(j, "letter", letter);
    jw_json_text(j, "arg", o->arg);
    jw_json_bool(j, "maybe", (o->kind & OPT_MAYBE) != 0);
    jw_json_bool(j, "list", o->kind == OPT_LIST);
    jw_json_text(j, "help", o->help);
    jw_json_text(j, "choices", o->choices);
    jw_json_text(j, "hint", hint_name(o->hint));
    jw_json_close(j);
}

static void put_verb(struct jw_json *j, const struct cmd *cmd)
{
    const struct opt *o;
    bool shared;

    jw_json_object(j, NULL);
    jw_json_text(j, "name", cmd->name);
    jw_json_text(j, "summary", cmd->summary);
    jw_json_text(j, "args", cmd->synopsis_args);
    jw_json_text(j, "details", cmd->details);
    jw_json_text(j, "hint", cmd->max_pos ? hint_name(cmd->pos_hint) : "none");
    jw_json_text(j, "choices", cmd->pos_choices);
    jw_json_array(j, "options");
    for (size_t i = 0; (o = jw_opt_of(cmd, i, &shared)); i++)
        put_option(j, o);
    jw_json_close(j);
    jw_json_array(j, "examples");
    for (const struct example *e = cmd->examples; e->line; e++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "line", e->line);
        jw_json_text(j, "what", e->what);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_close(j);
}

int main(void)
{
    struct jw_buf out = JW_BUF((size_t)1 << 20);
    struct jw_json j = {.out = &out, .pretty = true};

    jw_json_object(&j, NULL);
    jw_json_array(&j, "verbs");
    for (const struct listed_verb *v = jw_verbs; v->title || v->cmd; v++)
        if (v->cmd && !v->cmd->hidden)
            put_verb(&j, v->cmd);
    jw_json_close(&j);
    jw_json_close(&j);
    bool ok = !out.bad && fwrite(out.p, 1, out.n, stdout) == out.n;

    jw_buf_free(&out);
    return ok ? 0 : 1;
}
