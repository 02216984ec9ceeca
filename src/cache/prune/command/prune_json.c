#include "base/json_write.h"
#include "cache/prune/command/prune_view.h"

static void write_sum(struct jw_json *j, const char *key, const struct jw_status_sum *sum)
{
    jw_json_object(j, key);
    jw_json_number(j, "entries", sum->entries);
    jw_json_number(j, "bytes", sum->bytes);
    jw_json_close(j);
}

static void write_unless_empty(struct jw_json *j, const char *key, const char *text)
{
    jw_json_text(j, key, *text ? text : NULL);
}

static void write_driver(struct jw_json *j, const struct jw_prune_report *r)
{
    jw_json_object(j, "driver");
    jw_json_bool(j, "asked", r->asked);
    jw_json_text(j, "not_asked_because", r->unasked);
    jw_json_text(j, "version", r->driver_version);
    jw_json_text(j, "build", r->build);
    jw_json_text(j, "stamp", r->stamp);
    jw_json_close(j);
}

static void write_builds(struct jw_json *j, const struct jw_prune_report *r)
{
    jw_json_array(j, "builds");
    for (size_t i = 0; i < r->n_builds; i++) {
        const struct jw_prune_build *b = &r->builds[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "stamp", b->stamp);
        jw_json_text(j, "version", b->driver ? b->driver->version : NULL);
        jw_json_text(j, "fate", jw_prune_fate_name(b->fate));
        jw_json_number(j, "alive_at", b->alive_at > 0 ? (uint64_t)b->alive_at : 0);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_groups(struct jw_json *j, const struct jw_prune_report *r)
{
    jw_json_array(j, "groups");
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct jw_prune_group *g = &r->groups[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "why", jw_prune_why_name(g->why));
        jw_json_text(j, "kind", jw_cache_kind_name(g->kind));
        write_unless_empty(j, "stamp", g->stamp);
        write_unless_empty(j, "arch", g->arch);
        jw_json_number(j, "entries", g->entries);
        jw_json_number(j, "bytes", g->bytes);
        jw_json_text(j, "pack", g->pack);
        jw_json_text(j, "not_saved_because", g->unsaved);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_whys(struct jw_json *j, const struct jw_prune_report *r)
{
    jw_json_object(j, "reasons");
    for (unsigned w = JW_PRUNE_KEEP + 1; w < JW_PRUNE_WHYS; w++)
        write_sum(j, jw_prune_why_name((enum jw_prune_why)w), &r->whys[w]);
    jw_json_close(j);
}

bool prune_write_json(struct cli *cli, const struct prune_view *v, struct jw_err *err)
{
    const struct jw_prune_report *r = v->report;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.prune/1", err);
    jw_json_flag(&j, "simulated", r->simulated);
    jw_json_text(&j, "end", jw_prune_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_text(&j, "root", r->root);
    jw_json_bool(&j, "exists", r->exists);
    write_driver(&j, r);
    write_sum(&j, "before", &r->before);
    write_sum(&j, "plan", &r->plan);
    write_whys(&j, r);
    jw_json_number(&j, "records_without_file", r->stale);
    jw_json_text(&j, "index_damage", r->index_damage);
    jw_json_bool(&j, "index_lost", r->index_lost);
    write_builds(&j, r);
    write_groups(&j, r);
    write_sum(&j, "removed", &r->removed);
    jw_json_number(&j, "records_removed", r->records_removed);
    jw_json_number(&j, "changed_meanwhile", r->changed);
    jw_json_texts(&j, "notes", (const char *const *)r->notes.v, r->notes.n);
    if (v->stats) {
        jw_json_object(&j, "totals");
        jw_json_number(&j, "milliseconds", r->milliseconds);
        jw_json_number(&j, "bytes_read", r->bytes_read);
        jw_json_number(&j, "longest_lock_microseconds", r->longest_lock_us);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    return jw_json_end(&j);
}
