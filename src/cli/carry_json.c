#include "base/json_write.h"
#include "cli/carry_view.h"
#include "engine/status.h"
#include "host/state.h"

static void write_texts(struct jw_json *j, const char *key, const char *const *texts, size_t n)
{
    jw_json_array(j, key);
    for (size_t i = 0; i < n; i++)
        jw_json_text(j, NULL, texts[i]);
    jw_json_close(j);
}

static void write_driver(struct jw_json *j, const struct jw_prime_report *p)
{
    jw_json_object(j, "driver");
    jw_json_text(j, "version", p->driver_version);
    jw_json_text(j, "build", p->build);
    jw_json_text(j, "stamp", p->stamp);
    if (p->level == JW_LEVEL_NONE)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)p->level);
    jw_json_text(j, "level_name", jw_level_name((enum jw_level)p->level));
    jw_json_close(j);
}

static void write_entry(struct jw_json *j, const struct jw_carry_entry *e)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "from", jw_cache_name(e->from).text);
    jw_json_text(j, "name", e->name ? jw_cache_name(e->name).text : NULL);
    jw_json_text(j, "stamp", e->stamp);
    jw_json_text(j, "gpu", e->arch);
    jw_json_number(j, "bytes", e->bytes);
    jw_json_text(j, "state", jw_carry_state_name(e->state));
    jw_json_text(j, "why", e->why);
    jw_json_close(j);
}

static void write_counts(struct jw_json *j, const struct jw_carry_report *r)
{
    jw_json_object(j, "counts");
    for (unsigned s = 0; s < JW_CARRY_STATES; s++)
        jw_json_number(j, jw_carry_state_name((enum jw_carry_state)s), r->counts[s]);
    jw_json_number(j, "newer", r->newer);
    jw_json_number(j, "removed", r->removed);
    jw_json_close(j);
    jw_json_number(j, "carried_bytes", r->carried_bytes);
    jw_json_number(j, "removed_bytes", r->removed_bytes);
}

bool carry_write_json(struct cli *cli, const struct carry_view *v, struct jw_err *err)
{
    const struct jw_carry_report *r = v->report;
    const struct jw_prime_report *p = &r->prime;
    struct jw_json j;

    jw_json_begin(&j, jw_answer_sink(&cli->answer), true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.carry/1");
    if (p->simulated)
        jw_json_bool(&j, "simulated", true);
    jw_json_text(&j, "end", jw_prime_end_name(p->end));
    jw_json_text(&j, "why", p->why);
    jw_json_bool(&j, "dry_run", v->dry_run);
    jw_json_bool(&j, "undo", v->undo);
    jw_json_bool(&j, "proven", r->proven);
    jw_json_text(&j, "unproven", r->unproven);
    jw_json_bool(&j, "renewing", v->renewing);
    write_driver(&j, p);
    jw_json_object(&j, "cache");
    jw_json_text(&j, "root", p->root);
    jw_json_number(&j, "limit_bytes", p->limit);
    jw_json_number(&j, "used_bytes", p->used);
    jw_json_close(&j);
    write_counts(&j, r);
    jw_json_array(&j, "entries");
    for (size_t i = 0; i < r->n_entries; i++)
        write_entry(&j, &r->entries[i]);
    jw_json_close(&j);
    jw_json_number(&j, "milliseconds", p->milliseconds);
    write_texts(&j, "advice", p->advice, p->n_advice);
    write_texts(&j, "notes", p->notes, p->n_notes);
    jw_json_close(&j);
    return jw_json_end(&j);
}
