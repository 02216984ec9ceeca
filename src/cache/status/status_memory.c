#include "cache/status/status_memory.h"

#include "base/mem.h"
#include "base/num.h"
#include "cache/memory/progress_json.h"
#include "os/machine/time.h"

#include <stdlib.h>
#include <string.h>

/* ---- who works on it ---- */

/* Two questions may meet the same obstacle. */
static void note_once(struct jw_status_report *out, struct jw_arena *a, const struct jw_err *why)
{
    struct jw_notes *notes = &out->memory.notes;

    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->v[i], why->msg) == 0)
            return;
    jw_note(notes, a, "%s", why->msg);
}

static void say_who_alone(const struct jw_warm_holder *holder, struct jw_progress_record *told)
{
    int64_t now = jw_time_unix();

    *told = (struct jw_progress_record){ .who = { .pid = holder->pid, .started = holder->since },
                                         .now = { .phase = JW_PHASE_LOOK, .eta = -1 } };
    if (holder->since > 0 && holder->since < now)
        told->now.seconds = (double)(now - holder->since);
}

static void find_running(struct jw_status_report *out, struct jw_arena *a)
{
    struct jw_progress_record *told;
    struct jw_warm_holder holder;
    struct jw_err why = { 0 };
    const char *text;
    bool busy, ok = jw_warm_busy(out->dir.root, a, &busy, &holder, &text, &why);

    if (!ok)
        note_once(out, a, &why);
    if (!busy)
        return;
    told = jw_arena_alloc(a, sizeof *told);
    out->running = told;
    out->running_silent =
        !text || !jw_progress_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, a, told, &why);
    if (!out->running_silent)
        return;
    say_who_alone(&holder, told);
    if (text)
        note_once(out, a, &why);
}

bool status_recall(struct jw_status_report *out, struct jw_arena *a, struct jw_err *err)
{
    if (!out->state_dir)
        return true;
    if (!jw_warm_load(out->dir.root, a, &out->memory, err))
        return false;
    find_running(out, a);
    return true;
}

/* ---- whose the entries are ---- */

void status_origins_begin(struct status_origins *s, const struct jw_warm_state *memory)
{
    *s = (struct status_origins){ .memory = memory };
}

/* Neighbours in the cache are of different software, but there is little of it. */
static const char *same_text(struct status_origins *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->texts[i], text) == 0)
            return s->texts[i];
    if (s->n == STATUS_TEXTS)
        return NULL;
    return s->texts[s->n++] = text;
}

const char *status_origin(struct status_origins *s, uint64_t name)
{
    const struct jw_warm_state *m = s->memory;

    while (s->at < m->n_owned && m->owned[s->at].name < name)
        s->at++;
    if (s->at == m->n_owned || m->owned[s->at].name != name)
        return NULL;
    return same_text(s, m->owned[s->at].by->origin);
}

/* ---- what is gone ---- */

/* What the records say of one entry. */
struct seen {
    uint64_t name, bytes; /* the most that one says */
    bool recorded, needed, same;
};

struct comparison {
    const struct jw_status_report *r;
    struct seen *there; /* one for each file */
    struct seen *gone;  /* one for each record without a file */
    size_t n_gone;
};

static int by_file(const void *name, const void *file)
{
    uint64_t x = *(const uint64_t *)name, y = ((const struct jw_cache_file *)file)->name;

    return x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static void join(struct seen *s, const struct jw_warm_entry *e, bool needed)
{
    s->name = e->name;
    s->bytes = e->bytes > s->bytes ? e->bytes : s->bytes;
    s->recorded = true;
    s->needed |= needed;
}

/* A file that is damaged is told elsewhere. */
static void consider(struct comparison *c, const struct jw_warm_entry *e, bool needed)
{
    const struct jw_cache_listing *l = &c->r->list;
    const struct jw_cache_file *f = l->n ? bsearch(&e->name, l->files, l->n, sizeof *f, by_file) : NULL;
    struct seen *s = f ? &c->there[f - l->files] : &c->gone[c->n_gone++];

    join(s, e, needed);
    s->same |= f && (f->damage || f->entry.key_size + f->entry.payload_size == e->bytes);
}

static void consider_all(struct comparison *c, uint64_t *saved)
{
    const struct jw_warm_state *m = &c->r->memory;
    const char *build = c->r->drivers.v[0].build;

    for (size_t i = 0; i < m->n_jobs; i++)
        if (m->jobs[i].name && strcmp(m->jobs[i].build, build) == 0) {
            size_t before = c->n_gone;

            consider(c, &(struct jw_warm_entry){ m->jobs[i].name, m->jobs[i].bytes }, false);
            *saved += c->n_gone == before ? m->jobs[i].milliseconds : 0;
        }
    for (size_t i = 0; i < m->n_receipts; i++)
        for (size_t k = 0; strcmp(m->receipts[i].build, build) == 0 && k < m->receipts[i].n_entries; k++)
            consider(c, &m->receipts[i].entries[k], true);
}

/* Several records of one entry become one. */
static void merge_gone(struct comparison *c)
{
    size_t n = 0;

    if (c->n_gone)
        qsort(c->gone, c->n_gone, sizeof *c->gone, by_name);
    for (size_t i = 0; i < c->n_gone; i++) {
        const struct seen s = c->gone[i];

        if (n && c->gone[n - 1].name == s.name)
            join(&c->gone[n - 1], &(struct jw_warm_entry){ s.name, s.bytes }, s.needed);
        else
            c->gone[n++] = s;
    }
    c->n_gone = n;
}

static void add(struct jw_status_sum *sum, uint64_t bytes)
{
    sum->entries++;
    if (!jw_add(sum->bytes, bytes, &sum->bytes))
        sum->bytes = UINT64_MAX;
}

static void count(struct jw_status_primed *out, const struct seen *s, struct jw_status_sum *otherwise)
{
    if (!s->recorded)
        return;
    add(&out->recorded, s->bytes);
    if (s->needed)
        add(&out->need, s->bytes);
    if (!s->same)
        add(otherwise, s->bytes);
}

static void count_all(const struct comparison *c, struct jw_status_primed *out)
{
    for (size_t i = 0; i < c->r->list.n; i++)
        count(out, &c->there[i], &out->changed);
    for (size_t i = 0; i < c->n_gone; i++)
        count(out, &c->gone[i], &out->gone);
    out->known = out->recorded.entries != 0;
    out->compared = out->known && jw_status_whole(c->r);
    out->emptied = out->compared && !c->r->files.entries;
    if (!out->compared || out->emptied)
        out->gone = out->changed = (struct jw_status_sum){ 0 };
}

static size_t count_records(const struct jw_warm_state *m)
{
    size_t n = m->n_jobs;

    for (size_t i = 0; i < m->n_receipts; i++)
        n += m->receipts[i].n_entries;
    return n;
}

bool status_compare(struct jw_status_report *out)
{
    size_t records = out->drivers.n ? count_records(&out->memory) : 0;
    struct comparison c = { .r = out };

    if (!records)
        return true;
    c.there = jw_alloc((out->list.n + 1) * sizeof *c.there);
    c.gone = jw_alloc(records * sizeof *c.gone);

    consider_all(&c, &out->primed.compile_milliseconds);
    merge_gone(&c);
    count_all(&c, &out->primed);

    jw_free(c.there);
    jw_free(c.gone);
    return true;
}
