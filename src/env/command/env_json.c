#include "base/json_write.h"
#include "env/command/env_view.h"

#include <string.h>

static void write_sources(struct jw_json *j, const struct jw_env_var *v)
{
    jw_json_array(j, "sources");
    for (size_t i = 0; i < v->n_sources; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "origin", v->sources[i].origin);
        jw_json_maybe(j, "line", v->sources[i].line, v->sources[i].line);
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

    jw_answer_json(&cli->answer, &j, "jitwarm.env/1", err);
    jw_json_text(&j, "action", "show");
    jw_json_text(&j, "cache", s->facts.dir->root);
    jw_json_maybe(&j, "need_bytes", s->facts.need_known, s->facts.need);
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

/* ---- apply and undo ---- */

static void write_steps(struct jw_json *j, const struct jw_env_report *r)
{
    static const char *const kinds[] = { "folder", "file", "registry" };

    jw_json_array(j, "steps");
    for (size_t i = 0; i < r->n; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "kind", kinds[r->steps[i].kind]);
        jw_json_text(j, "path", r->steps[i].path);
        jw_json_text(j, "done", jw_env_done_name(r->steps[i].done));
        jw_json_text(j, "text", r->steps[i].text);
        jw_json_text(j, "why", r->steps[i].why);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_running(struct jw_json *j, const struct jw_env_runnings *list)
{
    jw_json_array(j, "running");
    for (size_t i = 0; i < list->n; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "kind", jw_env_run_kind_name(list->v[i].kind));
        jw_json_number(j, "pid", list->v[i].pid);
        jw_json_text(j, "name", list->v[i].name);
        jw_json_text(j, "variable", list->v[i].variable);
        jw_json_text(j, "value", list->v[i].value);
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool env_write_done_json(struct cli *cli, const struct env_done *d, struct jw_err *err)
{
    const struct jw_env_report *r = d->report;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.env/1", err);
    jw_json_text(&j, "action", d->undo ? "undo" : "apply");
    jw_json_text(&j, "scope", jw_env_scope_name(r->scope));
    jw_json_bool(&j, "dry_run", d->dry_run);
    jw_json_bool(&j, "nothing", r->nothing);
    jw_json_array(&j, "settings");
    for (size_t i = 0; i < r->n_settings; i++) {
        jw_json_object(&j, NULL);
        jw_json_text(&j, "name", r->settings[i].name);
        jw_json_text(&j, "value", r->settings[i].value);
        jw_json_text(&j, "why", r->why[i]);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    write_steps(&j, r);
    jw_json_bool(&j, "checked_in_new_login", r->checked);
    write_running(&j, &r->running);
    jw_json_array(&j, "notes");
    write_notes(&j, &r->notes);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}
