#include "base/json_write.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"

enum { MOST_NAMED = 1000 }; /* damaged entries by name; all are counted */

static void write_unless_empty(struct jw_json *j, const char *key, const char *text)
{
    jw_json_text(j, key, *text ? text : NULL);
}

static void write_limit(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_maybe(j, "limit_bytes", r->dir.limit, r->dir.limit);
    jw_json_text(j, "limit_value", r->dir.limit_from.value);
    jw_json_text(j, "limit_from", r->dir.limit_from.origin);
    jw_json_bool(j, "limit_known", r->dir.limit_known);
    jw_json_object(j, "documented_limits");
    jw_json_number(j, "before_cuda_12", r->documented.before);
    jw_json_number(j, "since_cuda_12", r->documented.since);
    jw_json_number(j, "most", r->documented.most);
    jw_json_close(j);
}

static void write_cache(struct jw_json *j, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    jw_json_object(j, "cache");
    jw_json_text(j, "root", r->dir.root);
    jw_json_text(j, "root_from", r->dir.root_from.origin);
    write_limit(j, r);
    jw_json_bool(j, "disabled", r->dir.disabled);
    jw_json_text(j, "disabled_from", r->dir.disabled_from.origin);
    jw_json_bool(j, "exists", r->list.found);
    jw_json_text(j, "refused", r->list.refused);
    jw_json_text(j, "other_owner", r->trust.owner);
    jw_json_text(j, "other_writers", r->trust.writers);
    jw_json_number(j, "used_bytes", r->used);
    jw_json_maybe(j, "fill_percent", r->dir.limit_known, jw_status_fill(r, r->dir.limit));
    jw_json_close(j);
}

static void write_sum(struct jw_json *j, const char *key, const struct jw_status_sum *sum)
{
    jw_json_object(j, key);
    jw_json_number(j, "entries", sum->entries);
    jw_json_number(j, "bytes", sum->bytes);
    jw_json_close(j);
}

/* What a comparison would have counted, where there was none. */
static void write_sum_if(struct jw_json *j, const char *key, bool known, const struct jw_status_sum *sum)
{
    if (known)
        write_sum(j, key, sum);
    else
        jw_json_null(j, key);
}

static void write_primed(struct jw_json *j, const struct jw_status_primed *p)
{
    if (!p->known) {
        jw_json_null(j, "primed");
        return;
    }
    jw_json_object(j, "primed");
    write_sum(j, "recorded", &p->recorded);
    jw_json_bool(j, "emptied", p->emptied);
    write_sum_if(j, "gone", p->compared && !p->emptied, &p->gone);
    write_sum_if(j, "changed", p->compared && !p->emptied, &p->changed);
    write_sum(j, "needed", &p->need);
    jw_json_number(j, "compile_milliseconds", p->compile_milliseconds);
    jw_json_close(j);
}

static void write_counts(struct jw_json *j, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    jw_json_object(j, "counts");
    jw_json_text(j, "checked", v->check ? "all" : "headers");
    write_sum(j, "files", &r->files);
    write_sum(j, "sound", &r->sound);
    write_sum(j, "dead", &r->dead);
    write_sum(j, "carried", &r->carried);
    write_sum(j, "orphaned", &r->orphans);
    write_sum(j, "damaged", &r->damaged);
    write_sum(j, "unread", &r->unread);
    jw_json_number(j, "missing", r->list.missing);
    jw_json_number(j, "missing_bytes", r->list.missing_bytes);
    jw_json_number(j, "mismatched", r->mismatched);
    jw_json_number(j, "not_looked_at", r->list.more);
    jw_json_number(j, "other_names", r->list.foreign);
    jw_json_number(j, "links", r->list.links);
    jw_json_close(j);
    jw_json_object(j, "kinds");
    for (unsigned k = 0; k <= JW_CACHE_OTHER; k++)
        write_sum(j, jw_cache_kind_name((enum jw_cache_kind)k), &r->kinds[k]);
    jw_json_close(j);
}

static void write_index(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_object(j, "index");
    jw_json_bool(j, "exists", r->list.index_found);
    jw_json_number(j, "records", r->recorded.entries);
    jw_json_number(j, "bytes", r->recorded.bytes);
    jw_json_text(j, "damage", r->list.index_damage);
    jw_json_bool(j, "lost", r->list.index_lost);
    jw_json_close(j);
}

static void write_origins(struct jw_json *j, const struct jw_status_group *g)
{
    jw_json_text(j, "origin", g->n_origins ? g->origins[0].origin : NULL);
    jw_json_array(j, "origins");
    for (size_t i = 0; i < g->n_origins; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "origin", g->origins[i].origin);
        jw_json_number(j, "entries", g->origins[i].sum.entries);
        jw_json_number(j, "bytes", g->origins[i].sum.bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_number(j, "more_origins", g->more_origins);
}

static void write_groups(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_array(j, "builds");
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "kind", jw_cache_kind_name(g->kind));
        write_unless_empty(j, "stamp", jw_stamp_text(g->stamp).text);
        write_unless_empty(j, "arch", g->arch);
        jw_json_text(j, "standing", jw_standing_name(g->standing));
        jw_json_text(j, "driver", g->driver ? g->driver->version : NULL);
        jw_json_number(j, "entries", g->entries);
        jw_json_number(j, "bytes", g->bytes);
        write_origins(j, g);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_largest(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_array(j, "largest");
    for (size_t i = 0; i < r->n_largest; i++) {
        const struct jw_cache_file *f = r->largest[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "name", jw_cache_name(f->name).text);
        jw_json_number(j, "key_bytes", f->entry.key_size);
        jw_json_number(j, "payload_bytes", f->entry.payload_size);
        jw_json_text(j, "kind", jw_cache_kind_name(f->kind));
        write_unless_empty(j, "stamp", jw_stamp_text(f->stamp).text);
        write_unless_empty(j, "arch", f->arch);
        jw_json_text(j, "origin", r->largest_origin[i]);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_damage(struct jw_json *j, const struct jw_status_report *r)
{
    size_t named = 0;

    jw_json_array(j, "damage");
    for (size_t i = 0; i < r->list.n && named < MOST_NAMED; i++) {
        const struct jw_cache_file *f = &r->list.files[i];

        if (!f->damage)
            continue;
        jw_json_object(j, NULL);
        jw_json_text(j, "name", jw_cache_name(f->name).text);
        jw_json_text(j, "reason", f->damage);
        jw_json_bool(j, "unread", f->unread);
        jw_json_close(j);
        named++;
    }
    jw_json_close(j);
}

static void write_store(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_object(j, "store");
    jw_json_text(j, "folder", r->store.dir);
    jw_json_text(j, "refused", r->store.refused);
    jw_json_number(j, "packs", r->store_packs);
    jw_json_number(j, "for_this_driver", r->store_current);
    jw_json_number(j, "bytes", r->store.bytes);
    jw_json_close(j);
}

static void write_running(struct jw_json *j, const struct jw_status_report *r)
{
    const struct jw_progress_told *running = r->running;

    if (!running) {
        jw_json_null(j, "running");
        return;
    }
    jw_json_object(j, "running");
    if (r->running_silent)
        jw_json_bool(j, "told", false);
    jw_progress_fields(j, &running->who, &running->now);
    jw_json_close(j);
}

static void write_drivers(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_array(j, "drivers");
    for (size_t i = 0; i < r->drivers.n; i++) {
        const struct jw_driver_state *d = &r->drivers.v[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "build", d->build);
        jw_json_text(j, "stamp", d->stamp ? jw_stamp_text(d->stamp).text : NULL);
        jw_json_text(j, "version", d->version);
        jw_json_text(j, "level", jw_level_name(d->level));
        jw_json_number(j, "proven_at", (uint64_t)d->proven_at);
        jw_json_bool(j, "simulated", d->simulated);
        jw_json_bool(j, "current", d == r->current);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_notes(struct jw_json *j, const struct jw_status_report *r)
{
    const struct jw_notes *all[] = { &r->dir.notes, &r->list.notes, &r->drivers.notes, &r->memory.notes };

    jw_json_array(j, "notes");
    for (size_t i = 0; i < JW_COUNT(all); i++)
        for (size_t k = 0; k < all[i]->n; k++)
            jw_json_text(j, NULL, all[i]->v[k]);
    jw_json_close(j);
}

static void write_contents(struct jw_json *j, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    write_running(j, r);
    write_counts(j, v);
    write_primed(j, &r->primed);
    write_store(j, r);
    write_index(j, r);
    write_groups(j, r);
    write_largest(j, r);
    write_damage(j, r);
    if (v->stats) {
        jw_json_object(j, "stats");
        jw_json_number(j, "bytes_read", r->list.bytes_read);
        jw_json_number(j, "milliseconds", r->milliseconds);
        jw_json_close(j);
    }
}

bool status_write_json(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.status/1", err);
    jw_json_flag(&j, "simulated", v->report->current && v->report->current->simulated);
    write_cache(&j, v);
    write_contents(&j, v);
    write_drivers(&j, v->report);
    write_notes(&j, v->report);
    jw_json_close(&j);
    return jw_json_end(&j);
}
