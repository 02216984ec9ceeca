/*
 * Prometheus' text format. Names and labels are promises: dashboards hang on them. What is not known has no sample; no
 * number stands for it.
 */
#include "base/limits.h"
#include "base/text.h"
#include "cache/status/command/status_view.h"

struct metrics {
    struct jw_answer *to;
    struct jw_buf line;
    bool bad;
};

static void head(struct metrics *m, const char *name, const char *help)
{
    jw_answer_printf(m->to, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* A label's value: backslash, quote and line feed are escaped, and so is, before that, what is no text. */
static void label(struct metrics *m, const char *name, const char *value)
{
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);

    jw_text_clean(&clean, value ? value : "");
    m->bad |= clean.bad;
    jw_buf_printf(&m->line, "%s%s=\"", m->line.n ? "," : "", name);
    for (const char *p = jw_buf_cstr(&clean); *p; p++) {
        if (*p == '\\' || *p == '"')
            jw_buf_text(&m->line, "\\");
        jw_buf_add(&m->line, p, 1);
    }
    jw_buf_text(&m->line, "\"");
    jw_buf_free(&clean);
}

/* With the labels that were given since the last sample. */
static void sample(struct metrics *m, const char *name, uint64_t value)
{
    m->bad |= m->line.bad;
    if (m->line.n)
        jw_answer_printf(m->to, "%s{%s} %llu\n", name, jw_buf_cstr(&m->line), (unsigned long long)value);
    else
        jw_answer_printf(m->to, "%s %llu\n", name, (unsigned long long)value);
    jw_buf_clear(&m->line);
}

static void one(struct metrics *m, const char *name, const char *help, uint64_t value)
{
    head(m, name, help);
    sample(m, name, value);
}

static void write_cache(struct metrics *m, const struct jw_status_report *r)
{
    head(m, "jitwarm_cache_info", "The driver's JIT cache of this user; always 1.");
    label(m, "root", r->dir.root);
    label(m, "root_from", r->dir.root_from.origin);
    label(m, "limit_from", r->dir.limit_from.origin);
    sample(m, "jitwarm_cache_info", 1);
    one(m, "jitwarm_cache_readable", "1 unless the root, or part of what is in it, could not be read.",
        jw_status_whole(r));
    one(m, "jitwarm_cache_disabled", "1 when CUDA_CACHE_DISABLE switches the cache off.", r->dir.disabled);
    if (r->dir.limit_known)
        one(m, "jitwarm_cache_limit_bytes",
            "The limit in force: CUDA_CACHE_MAXSIZE, or the default of the driver; absent when neither is "
            "known.",
            r->dir.limit);
}

static void write_sums(struct metrics *m, const struct jw_status_report *r)
{
    one(m, "jitwarm_cache_bytes", "What counts against the limit, by the driver's index.", r->used);
    one(m, "jitwarm_cache_file_bytes", "Sizes of all entry files together.", r->files.bytes);
    one(m, "jitwarm_cache_index_sound", "0 when the index is missing or damaged.",
        r->list.index_found && !r->list.index_damage);
}

/* One sample for each group, of its entries or of its bytes. */
static void write_groups(struct metrics *m, const struct jw_status_report *r, const char *name,
                         const char *help, bool bytes)
{
    head(m, name, help);
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct jw_status_group *g = &r->groups[i];

        label(m, "build", jw_stamp_text(g->stamp).text);
        label(m, "arch", g->arch);
        label(m, "kind", jw_cache_kind_name(g->kind));
        label(m, "standing", jw_standing_name(g->standing));
        sample(m, name, bytes ? g->bytes : g->entries);
    }
}

static void write_faults(struct metrics *m, const struct jw_status_report *r)
{
    one(m, "jitwarm_cache_dead_entries", "Entries of other driver builds than the one that was probed last.",
        r->dead.entries);
    one(m, "jitwarm_cache_dead_bytes", "Bytes of these.", r->dead.bytes);
    one(m, "jitwarm_cache_carried_entries",
        "Entries with another build's code, which jitwarm carried or forged.", r->carried.entries);
    one(m, "jitwarm_cache_orphaned_entries", "Files without a record in the index.", r->orphans.entries);
    one(m, "jitwarm_cache_missing_entries", "Records of the index without a file.", r->list.missing);
    one(m, "jitwarm_cache_damaged_entries", "Files that are not whole entries.", r->damaged.entries);
    one(m, "jitwarm_cache_unread_entries", "Files that could not be read.", r->unread.entries);
    one(m, "jitwarm_cache_other_names", "Names below the root that are no entries.",
        r->list.foreign + r->list.links);
}

static void write_primed(struct metrics *m, const struct jw_status_primed *p)
{
    if (!p->known)
        return;
    one(m, "jitwarm_primed_entries", "Entries that jitwarm recorded for the driver that was probed last.",
        p->recorded.entries);
    one(m, "jitwarm_primed_bytes", "Bytes of these.", p->recorded.bytes);
    one(m, "jitwarm_primed_needed_bytes", "Bytes of those that recorded targets need.", p->need.bytes);
    if (!p->compared || p->emptied)
        return;
    one(m, "jitwarm_primed_gone_entries", "Those that are no longer there; absent when the cache is empty.",
        p->gone.entries);
    one(m, "jitwarm_primed_gone_bytes", "Bytes of these.", p->gone.bytes);
    one(m, "jitwarm_primed_changed_entries", "Those that have another size now.", p->changed.entries);
}

static void write_drivers(struct metrics *m, const struct jw_status_report *r)
{
    static const char name[] = "jitwarm_driver_level";

    head(m, name, "How far a driver build is understood, from 0 (opaque); absent when nothing is known.");
    for (size_t i = 0; i < r->drivers.n; i++) {
        const struct jw_driver_state *d = &r->drivers.v[i];

        if (d->level < JW_LEVEL_OPAQUE)
            continue;
        label(m, "build", d->stamp ? jw_stamp_text(d->stamp).text : "");
        label(m, "library", d->build);
        label(m, "version", d->version);
        label(m, "simulated", d->simulated ? "true" : "false");
        sample(m, name, (uint64_t)d->level);
    }
}

static void write_contents(struct metrics *m, const struct jw_status_report *r)
{
    write_sums(m, r);
    write_groups(m, r, "jitwarm_cache_entries", "Sound entries.", false);
    write_groups(m, r, "jitwarm_cache_entry_bytes", "Key and payload bytes of the sound entries.", true);
    write_faults(m, r);
    write_primed(m, &r->primed);
}

bool status_write_metrics(struct cli *cli, const struct status_view *v, struct jw_err *err)
{
    cli->answer.muted = false; /* for a program, not for people */
    struct metrics m = { .to = &cli->answer, .line = JW_BUF(JW_MAX_LINE / 2) };
    bool known = v->report->dir.root && !v->report->list.refused;

    write_cache(&m, v->report);
    if (known)
        write_contents(&m, v->report);
    write_drivers(&m, v->report);
    if (!v->report->store.refused) {
        one(&m, "jitwarm_store_packs", "Packs that are kept on this machine.", v->report->store_packs);
        one(&m, "jitwarm_store_bytes", "What they take on the disk, those that they replaced included.",
            v->report->store.bytes);
    }
    jw_buf_free(&m.line);
    return !m.bad || jw_fail(err, JW_E_LIMIT, "a label is longer than %zu bytes", JW_MAX_LINE / 2);
}
