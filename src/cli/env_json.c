#include "base/json_write.h"
#include "cli/env_view.h"

#include <string.h>

static void write_sources(struct jw_json *j, const struct jw_env_var *v)
{
    jw_json_array(j, "sources");
    for (size_t i = 0; i < v->n_sources; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "origin", v->sources[i].origin);
        if (v->sources[i].line)
            jw_json_number(j, "line", v->sources[i].line);
        else
            jw_json_null(j, "line");
        jw_json_text(j, "value", v->sources[i].value);
        jw_json_bool(j, "exact", v->sources[i].exact);
        jw_json_bool(j, "by_jitwarm", v->sources[i].ours);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_variable(struct jw_json *j, const struct jw_env_state *s, const struct jw_env_var *v)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "name", v->name);
    jw_json_text(j, "what", v->known ? v->known->what : NULL);
    jw_json_text(j, "meant", v->meant ? v->meant->name : NULL);
    jw_json_text(j, "value", v->here);
    jw_json_text(j, "from", v->from);
    jw_json_text(j, "login_value", v->login);
    jw_json_text(j, "login_from", v->login_from);
    write_sources(j, v);
    for (size_t i = 0; i < JW_ENV_ADVICES; i++) {
        if (strcmp(s->advice[i].name, v->name) != 0)
            continue;
        jw_json_text(j, "recommended", s->advice[i].value);
        jw_json_text(j, "why", s->advice[i].why);
        jw_json_bool(j, "wrong", s->advice[i].wrong);
    }
    jw_json_close(j);
}

static void write_notes(struct jw_json *j, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        jw_json_text(j, NULL, notes->v[i]);
}

bool env_write_show_json(struct cli *cli, const struct jw_env_state *s, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, jw_answer_sink(&cli->answer), true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.env/1");
    jw_json_text(&j, "action", "show");
    jw_json_text(&j, "cache", s->facts.dir->root);
    if (s->facts.need_known)
        jw_json_number(&j, "need_bytes", s->facts.need);
    else
        jw_json_null(&j, "need_bytes");
    jw_json_bool(&j, "login_known", s->look.login.known);
    jw_json_text(&j, "login_why", s->look.login.why);
    jw_json_array(&j, "variables");
    for (size_t i = 0; i < s->look.n; i++)
        write_variable(&j, s, &s->look.v[i]);
    jw_json_close(&j);
    jw_json_array(&j, "notes");
    write_notes(&j, &s->facts.dir->notes);
    write_notes(&j, &s->look.notes);
    write_notes(&j, &s->look.login.notes);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}
