#include "base/json_write.h"
#include "base/text.h"
#include "startup/command/startup_view.h"

#include <string.h>

static void write_words(struct jw_json *j, const char *key, const char *const *words)
{
    jw_json_array(j, key);
    for (size_t i = 0; words && words[i]; i++)
        jw_json_text(j, NULL, words[i]);
    jw_json_close(j);
}

static void write_steps(struct jw_json *j, const struct startup_view *v)
{
    jw_json_array(j, "steps");
    for (size_t i = 0; i < v->report->n_steps; i++) {
        const struct jw_startup_step *s = &v->report->steps[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "kind", jw_startup_act_name(s->act));
        jw_json_text(j, "path", s->path);
        jw_json_text(j, "found", s->act == JW_STARTUP_COMMAND ? NULL : jw_startup_found_name(s->found));
        jw_json_bool(j, "done", s->done);
        jw_json_text(j, "why", s->why);
        write_words(j, "words", s->argv);
        jw_json_text(j, "content", v->dry_run ? s->text : NULL);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_last(struct jw_json *j, const struct jw_startup_report *r)
{
    struct jw_buf when = JW_BUF(64);

    if (!r->ran) {
        jw_json_null(j, "last");
        return;
    }
    jw_text_time(&when, r->last.when);
    jw_json_object(j, "last");
    jw_json_text(j, "when", jw_buf_cstr(&when));
    jw_json_bool(j, "running", r->last.began);
    jw_json_text(j, "end", r->last.began ? NULL : r->last.end);
    if (r->last.began)
        jw_json_null(j, "exit");
    else
        jw_json_number(j, "exit", r->last.exit);
    jw_json_number(j, "milliseconds", r->last.milliseconds);
    jw_json_text(j, "what", r->last.what);
    jw_json_close(j);
    jw_buf_free(&when);
}

bool startup_write_json(struct cli *cli, const struct startup_view *v, struct jw_err *err)
{
    const struct jw_startup_report *r = v->report;
    struct jw_json j;

    jw_output_json(&cli->out, &j, "jitwarm.startup/1", err);
    jw_json_text(&j, "action", startup_verb_name(v->verb));
    jw_json_bool(&j, "dry_run", v->dry_run);
    jw_json_text(&j, "end", jw_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_text(&j, "with", jw_startup_with_name(r->with));
    jw_json_text(&j, "for", r->everybody ? "everybody" : "user");
    jw_json_text(&j, "command", r->command);
    jw_json_text(&j, "program", r->program);
    if (v->verb == STARTUP_INSTALL)
        jw_json_text(&j, "packs", r->packs);
    jw_json_text(&j, "log", r->log);
    if (v->verb == STARTUP_STATUS) {
        jw_json_bool(&j, "installed", r->installed);
        jw_json_bool(&j, "enabled", r->enabled);
        jw_json_bool(&j, "working", r->working);
        write_last(&j, r);
    }
    write_steps(&j, v);
    jw_json_texts(&j, "notes", (const char *const *)r->notes.v, r->notes.n);
    jw_json_close(&j);
    return jw_json_end(&j);
}
