#include "cache/status/status.h"

#include "base/command.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/memory/state_folder.h"
#include "cache/memory/warmstate.h"
#include "cache/place/lookup.h"
#include "os/machine/env.h"
#include "os/machine/time.h"

#include <limits.h>
#include <string.h>

enum { ORIGINS = 256 }; /* further different ones are ignored */

struct origins {
    const struct jw_warm_state *memory;
    const char *texts[ORIGINS];
    size_t n;
};

/* ---- running prime ---- */

static void note_once(struct jw_status_report *out, struct jw_arena *a, const struct jw_err *why)
{
    struct jw_notes *notes = &out->memory.notes;

    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->v[i], why->msg) == 0)
            return;
    jw_note(notes, a, "%s", why->msg);
}

static void fill_silent(struct jw_progress_record *record)
{
    int64_t now = jw_time_unix(), since = record->who.since;

    record->now = (struct jw_prime_progress){ .phase = JW_PHASE_LOOK, .eta = -1 };
    if (since > 0 && since < now)
        record->now.seconds = (double)(now - since);
}

static void find_running(struct jw_status_report *out, struct jw_arena *a)
{
    struct jw_progress_record *record;
    struct jw_warm_holder holder;
    struct jw_err why = { 0 };
    bool busy, found;

    if (!jw_warm_busy(out->dir.folder, a, &busy, &holder, &why))
        note_once(out, a, &why);
    if (!busy)
        return;
    record = jw_arena_alloc(a, sizeof *record);
    record->who = holder;
    out->running = record;
    if (!jw_warm_read_progress(out->dir.folder, a, &record->now, &found, &why)) {
        note_once(out, a, &why);
        found = false;
    }
    out->running_silent = !found;
    if (!found)
        fill_silent(record);
}

/* Fills `running` and `memory`. Unreadable records become notes of `memory`. */
static void recall_cache(struct jw_session *s, struct jw_status_report *out)
{
    if (!out->state_dir)
        return;
    out->memory = *jw_session_memory(s, out->dir.folder);
    out->memory.notes = jw_notes_copy(&out->memory.notes, s->a);
    find_running(out, s->a);
}

/* ---- origins ---- */

static const char *same_origin(struct origins *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->texts[i], text) == 0)
            return s->texts[i];
    if (s->n == ORIGINS)
        return NULL;
    return s->texts[s->n++] = text;
}

/* Equal texts are the same pointer. NULL: unknown. */
static const char *entry_origin(struct origins *s, uint64_t name)
{
    const char *text = jw_warm_origin(s->memory, name);

    return text ? same_origin(s, text) : NULL;
}

/* ---- primed entries ---- */

/* The records of one entry. */
struct seen {
    uint64_t name, bytes; /* the largest recorded */
    bool recorded, needed, same;
    const char *origin; /* of its module; NULL: not known */
};

struct comparison {
    const struct jw_status_report *r;
    struct seen *there; /* one for each file */
    struct seen *gone;  /* one for each record without a file */
    size_t n_gone;
    /* origins of modules that are needed and there, sorted: their other modules are of an earlier version */
    const char **replaced;
    size_t n_replaced;
};

static void join_record(struct seen *s, const struct jw_warm_entry *e, bool needed)
{
    s->name = e->name;
    s->bytes = e->bytes > s->bytes ? e->bytes : s->bytes;
    s->recorded = true;
    s->needed |= needed;
}

static void compare_one(struct comparison *c, const struct jw_warm_entry *e, bool needed, const char *origin)
{
    const struct jw_cache_listing *l = &c->r->list;
    const struct jw_cache_file *f = jw_cache_file_find(l, e->name);
    struct seen *s = f ? &c->there[f - l->files] : &c->gone[c->n_gone++];

    join_record(s, e, needed);
    s->origin = origin && *origin ? origin : s->origin;
    s->same |= f && (f->damage || jw_cache_weight(&f->entry) == e->bytes);
}

static void compare_all(struct comparison *c)
{
    const struct jw_warm_state *m = &c->r->memory;
    const char *build = (c->r->current ? c->r->current : &c->r->drivers.v[0])->build;

    for (size_t i = 0; i < m->modules.n; i++) {
        const struct jw_warm_module *one = &m->modules.list[i];

        if (one->compiled && one->name && strcmp(one->build, build) == 0)
            compare_one(c, &(struct jw_warm_entry){ one->name, one->bytes, 0 }, false, one->origin);
    }
    for (size_t i = 0; i < m->n_receipts; i++)
        for (size_t k = 0; strcmp(m->receipts[i].build, build) == 0 && k < m->receipts[i].n_entries; k++)
            compare_one(c, &m->receipts[i].entries[k], true, NULL);
}

static void find_replaced(struct comparison *c)
{
    for (size_t i = 0; i < c->r->list.n; i++)
        if (c->there[i].needed && c->there[i].origin)
            c->replaced[c->n_replaced++] = c->there[i].origin;
    jw_sort(c->replaced, c->n_replaced, sizeof *c->replaced, jw_by_text);
}

/* Compiled for a file that is another one now: no start looks for it. */
static bool is_replaced(const struct comparison *c, const struct seen *s)
{
    return !s->needed && s->origin
           && jw_search(&s->origin, c->replaced, c->n_replaced, sizeof *c->replaced, jw_by_text);
}

static void join_gone(struct seen *s, const struct seen *more)
{
    join_record(s, &(struct jw_warm_entry){ more->name, more->bytes, 0 }, more->needed);
    s->origin = s->origin ? s->origin : more->origin;
}

/* Joins several records of one entry. */
static void merge_gone(struct comparison *c)
{
    size_t n = 0;

    jw_sort_u64(c->gone, c->n_gone, sizeof *c->gone);
    for (size_t i = 0; i < c->n_gone; i++) {
        const struct seen s = c->gone[i];

        if (n && c->gone[n - 1].name == s.name)
            join_gone(&c->gone[n - 1], &s);
        else
            c->gone[n++] = s;
    }
    c->n_gone = n;
}

void jw_status_add(struct jw_status_sum *sum, uint64_t bytes)
{
    sum->entries++;
    if (!jw_add(sum->bytes, bytes, &sum->bytes)) /* sparse files can claim anything */
        sum->bytes = UINT64_MAX;
}

static void count_seen(struct jw_status_primed *out, const struct seen *s, struct jw_status_sum *missing)
{
    if (!s->recorded)
        return;
    jw_status_add(&out->recorded, s->bytes);
    if (s->needed)
        jw_status_add(&out->need, s->bytes);
    if (!s->same)
        jw_status_add(missing, s->bytes);
}

static void count_all(const struct comparison *c, struct jw_status_primed *out)
{
    for (size_t i = 0; i < c->r->list.n; i++)
        count_seen(out, &c->there[i], &out->changed);
    for (size_t i = 0; i < c->n_gone; i++)
        if (!is_replaced(c, &c->gone[i]))
            count_seen(out, &c->gone[i], &out->gone);
    out->known = out->recorded.entries != 0;
    out->compared = out->known && jw_status_is_complete(c->r);
    out->emptied = out->compared && !c->r->files.entries;
    if (!out->compared || out->emptied)
        out->gone = out->changed = (struct jw_status_sum){ 0 };
}

static size_t count_records(const struct jw_warm_state *m)
{
    size_t n = m->modules.n;

    for (size_t i = 0; i < m->n_receipts; i++)
        n += m->receipts[i].n_entries;
    return n;
}

/* Compares records with the listing: `primed`. */
static void compare_recorded(struct jw_status_report *out)
{
    size_t records = out->drivers.n ? count_records(&out->memory) : 0;
    struct comparison c = { .r = out };

    if (!records)
        return;
    c.there = jw_alloc((out->list.n + 1) * sizeof *c.there);
    c.gone = jw_alloc(records * sizeof *c.gone);
    c.replaced = jw_alloc((out->list.n + 1) * sizeof *c.replaced);

    compare_all(&c);
    merge_gone(&c);
    find_replaced(&c);
    count_all(&c, &out->primed);

    jw_free(c.there);
    jw_free(c.gone);
    jw_free(c.replaced);
}

const char *const jw_build_relation_names[] = { "current", "earlier", "foreign", "unknown",
                                                "other-compiler" };
const char *const jw_cache_kind_names[] = { "cuda", "nvrtc", "nvjitlink", "opencl", "other" };

/* ---- driver builds ---- */

/* `current`: that programs load here.
 * driver-fact: F06-stamp-is-build, F35-update-changes-keys */
static void find_group_driver(const struct jw_status_report *r, struct jw_status_group *g)
{
    if (g->kind != JW_CACHE_CUDA) {
        g->relation = JW_BUILD_OTHER_COMPILER;
        return;
    }
    g->driver = *g->stamp ? jw_state_of_stamp(&r->drivers, g->stamp) : NULL;
    if (!*g->stamp || !r->current)
        g->relation = JW_BUILD_UNKNOWN;
    else if (strcmp(r->current->stamp, g->stamp) == 0)
        g->relation = JW_BUILD_CURRENT;
    else
        g->relation = g->driver ? JW_BUILD_EARLIER : JW_BUILD_FOREIGN;
}

/* ---- groups ---- */

/* An undamaged entry; sorted by group, then by origin. */
struct member {
    const struct jw_cache_file *file;
    const char *origin; /* equal ones are the same pointer; or NULL */
};

static int compare_groups(const struct jw_cache_file *x, const struct jw_cache_file *y)
{
    int d;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    d = strcmp(x->stamp, y->stamp);
    return d ? d : strcmp(x->arch, y->arch);
}

static int by_group(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int d = compare_groups(x->file, y->file);

    if (d || x->origin == y->origin)
        return d;
    return !x->origin ? -1 : !y->origin ? 1 : strcmp(x->origin, y->origin);
}

static int by_weight(const void *a, const void *b)
{
    const struct jw_status_group *x = a, *y = b;
    int d;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->relation != y->relation)
        return x->relation < y->relation ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    d = strcmp(x->stamp, y->stamp);
    return d ? d : strcmp(x->arch, y->arch);
}

static bool same_group(const struct jw_cache_file *f, const struct jw_status_group *g)
{
    return f->kind == g->kind && strcmp(f->stamp, g->stamp) == 0 && strcmp(f->arch, g->arch) == 0;
}

static void start_group(struct jw_status_report *out, const struct jw_cache_file *f)
{
    struct jw_status_group *g = &out->groups[out->n_groups++];

    *g = (struct jw_status_group){ .kind = f->kind };
    memcpy(g->stamp, f->stamp, sizeof g->stamp);
    memcpy(g->arch, f->arch, sizeof g->arch);
    find_group_driver(out, g);
}

/* Inserts into a short list, largest first. */
static void offer_origin(struct jw_status_group *g, const struct jw_status_origin *o)
{
    size_t at = g->n_origins;

    while (at && g->origins[at - 1].sum.bytes < o->sum.bytes)
        at--;
    if (g->n_origins < JW_STATUS_ORIGINS)
        g->n_origins++;
    else
        g->more_origins++;
    if (at == JW_STATUS_ORIGINS)
        return;
    for (size_t i = g->n_origins - 1; i > at; i--)
        g->origins[i] = g->origins[i - 1];
    g->origins[at] = *o;
}

static void add_software(struct jw_status_report *out, const struct jw_status_origin *o)
{
    size_t i = 0;

    while (i < out->n_software && out->software[i].origin != o->origin)
        i++;
    if (i == out->n_software)
        out->software[out->n_software++] = (struct jw_status_origin){ .origin = o->origin };
    out->software[i].sum.entries += o->sum.entries;
    out->software[i].sum.bytes += o->sum.bytes;
}

/* Adds the first entries of the list that have one group and one origin; returns how many. */
static size_t add_run(struct jw_status_report *out, struct jw_status_group *g, const struct member *v,
                      size_t n)
{
    struct jw_status_origin run = { .origin = v->origin };
    size_t i = 0;

    for (; i < n && same_group(v[i].file, g) && v[i].origin == run.origin; i++)
        jw_status_add(&run.sum, jw_cache_weight(&v[i].file->entry));
    g->entries += run.sum.entries;
    g->bytes += run.sum.bytes;
    if (run.origin)
        offer_origin(g, &run);
    if (run.origin && g->relation == JW_BUILD_CURRENT)
        add_software(out, &run);
    return i;
}

static int larger_first(const void *a, const void *b)
{
    const struct jw_status_origin *x = a, *y = b;

    return x->sum.bytes != y->sum.bytes ? (x->sum.bytes < y->sum.bytes ? 1 : -1)
                                        : strcmp(x->origin, y->origin);
}

static void add_groups(struct jw_status_report *out, const struct member *sound, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (!out->n_groups || !same_group(sound[i].file, &out->groups[out->n_groups - 1]))
            start_group(out, sound[i].file);
        i += add_run(out, &out->groups[out->n_groups - 1], &sound[i], n - i);
    }
    for (size_t i = 0; i < out->n_groups; i++) {
        const struct jw_status_group *g = &out->groups[i];

        if (g->relation == JW_BUILD_EARLIER || g->relation == JW_BUILD_FOREIGN) {
            out->outdated.entries += g->entries;
            out->outdated.bytes += g->bytes;
        }
    }
    jw_sort(out->groups, out->n_groups, sizeof *out->groups, by_weight);
    jw_sort(out->software, out->n_software, sizeof *out->software, larger_first);
}

/* Sorts them; counts the groups, and the runs of one origin in them, which are no fewer than the origins. */
static size_t count_groups(struct member *sound, size_t n, size_t *runs)
{
    size_t groups = n != 0;

    jw_sort(sound, n, sizeof *sound, by_group);
    *runs = n != 0;
    for (size_t i = 1; i < n; i++) {
        bool other = by_group(&sound[i - 1], &sound[i]) != 0;

        *runs += other;
        groups += other && compare_groups(sound[i - 1].file, sound[i].file) != 0;
    }
    return groups;
}

/* ---- sums ---- */

static void count_file(struct jw_status_report *out, const struct jw_cache_file *f)
{
    bool has_index = out->list.index_found && !out->list.index_damage;

    jw_status_add(&out->files, f->size);
    if (has_index && !f->indexed)
        jw_status_add(&out->unindexed, f->size);
    if (f->damage) {
        jw_status_add(f->unread ? &out->unread : &out->damaged, f->size);
        return;
    }
    jw_status_add(&out->sound, jw_cache_weight(&f->entry));
    jw_status_add(&out->kinds[f->kind], jw_cache_weight(&f->entry));
    out->mismatched += has_index && f->indexed && f->recorded != jw_cache_weight(&f->entry);
}

/* A program creates the file, writes it, and records it last. A file that stays empty was left by one that died. */
static void mark_begun(struct jw_cache_file *f)
{
    enum { WRITING_S = 60 };

    if (f->size || f->indexed || !f->damage || f->unread
        || jw_time_unix() - f->mtime / 1000000000 > WRITING_S)
        return;
    f->unread = true;
    f->damage = "is empty: a program seems to be writing it now";
}

static void sum_up_entries(struct jw_status_report *out, struct jw_arena *a)
{
    const struct jw_cache_listing *l = &out->list;
    struct member *sound = jw_alloc(l->n * sizeof *sound + 1);
    struct origins origins = { .memory = &out->memory };
    size_t n = 0, groups, runs;

    for (size_t i = 0; i < l->n; i++) {
        mark_begun(&out->list.files[i]);
        count_file(out, &l->files[i]);
        if (!l->files[i].damage)
            sound[n++] = (struct member){ &l->files[i], entry_origin(&origins, l->files[i].name) };
    }
    out->recorded = (struct jw_status_sum){ l->index.n, l->index.total };
    out->used = l->index_found && !l->index_damage ? l->index.total : out->sound.bytes;
    groups = count_groups(sound, n, &runs);
    out->groups = jw_arena_alloc(a, groups * sizeof *out->groups);
    out->software = jw_arena_alloc(a, runs * sizeof *out->software);
    add_groups(out, sound, n);
    jw_free(sound);
}

/* ---- software and commands ---- */

static struct jw_status_command *command_named(struct jw_status_report *out, const char *words)
{
    for (size_t i = 0; i < out->n_commands; i++)
        if (strcmp(out->commands[i].words, words) == 0)
            return &out->commands[i];
    out->commands[out->n_commands] = (struct jw_status_command){ .words = words };
    return &out->commands[out->n_commands++];
}

static int newer_first(const void *a, const void *b)
{
    const struct jw_status_command *x = a, *y = b;

    return x->when != y->when ? (x->when < y->when ? 1 : -1) : strcmp(x->words, y->words);
}

static void list_commands(struct jw_status_report *out, struct jw_arena *a)
{
    const struct jw_warm_state *m = &out->memory;

    out->commands = jw_arena_alloc(a, (m->n_commands + out->n_kits) * sizeof *out->commands);
    for (size_t i = 0; i < m->n_commands; i++) {
        const struct jw_warm_command *one = &m->commands[i];

        if (!*one->cache && !one->cold && !one->warm && !jw_warm_profile(m, one->key))
            continue; /* it used no driver */
        struct jw_status_command *c = command_named(out, one->key);

        c->cache = *one->cache ? one->cache : NULL;
        c->when = one->when > one->recorded ? one->when : one->recorded;
        c->modules = one->n;
        c->cold = one->cold;
        c->warm = one->warm;
    }
    for (size_t i = 0; i < out->n_kits; i++) {
        const struct jw_kit_last *last = &out->kits[i].last;
        struct jw_status_command *c = last->command ? command_named(out, last->command) : NULL;

        if (!c)
            continue;
        c->start = last;
        c->when = (int64_t)last->when > c->when ? (int64_t)last->when : c->when;
    }
    jw_sort(out->commands, out->n_commands, sizeof *out->commands, newer_first);
}

/* ---- the whole ---- */

/* The index alone. `tells`: it says what the cache holds; else the entries do. */
static bool look_at_index(struct jw_arena *a, struct jw_status_report *out, bool *tells, struct jw_err *err)
{
    enum { TRIES = 3 };
    struct jw_index_file index = { 0 };

    if (!jw_index_load(out->dir.folder, TRIES, &index, err))
        return false;
    out->list.found = out->list.index_found = index.found;
    out->list.index = index.records;
    out->list.index_damage = index.damage[0] ? jw_arena_str(a, index.damage) : NULL;
    out->recorded = (struct jw_status_sum){ index.records.n, index.records.total };
    out->used = index.records.total;
    *tells = index.unread || (index.found && !index.damage[0]);
    out->list.index_unread = index.unread;
    out->list.index_trouble = *tells ? JW_INDEX_WHOLE : index.trouble;
    return true;
}

static bool look_at_cache(struct jw_session *s, const struct jw_status_options *o,
                          struct jw_status_report *out, struct jw_err *err)
{
    struct jw_arena *a = s->a;
    struct jw_err why = { 0 };
    bool tells = false;

    out->finds_nothing = jw_cache_why_unreadable(out->dir.folder, a);
    if (out->finds_nothing)
        jw_note(&out->dir.notes, a, "%s", out->finds_nothing);
    recall_cache(s, out);
    list_commands(out, a);
    if (o->brief && !look_at_index(a, out, &tells, err))
        return false;
    if (tells)
        return true;
    if (!jw_cachedir_walk(out->dir.folder, o->check, s->interrupted, a, &out->list, err))
        return jw_wrap(err, "%s", out->dir.folder);
    if (out->list.found && !jw_trust_read(out->dir.folder, a, &out->trust, &why))
        jw_note_failure(&out->list.notes, a, &why, out->dir.folder);
    sum_up_entries(out, a);
    compare_recorded(out);
    return true;
}

static bool look_at_store(struct jw_status_report *out, struct jw_arena *a, struct jw_err *err)
{
    if (!jw_store_load(a, &out->store, err))
        return false;
    for (size_t i = 0; i < out->store.n; i++) {
        const struct jw_store_pack *p = &out->store.packs[i];
        bool counts = p->key.stamp && !p->refused;

        out->store_packs += counts;
        out->store_current += counts && out->current && strcmp(p->key.stamp, out->current->stamp) == 0;
    }
    return true;
}

/* The driver that a program started here loads: one that was asked last does not become this machine's, and one that
 * is gone says nothing of its limit and its entries. */
static const struct jw_driver_state *find_current(struct jw_session *s)
{
    const struct jw_driver_state *here = jw_session_driver_file(s)->known;

    return here && here->stamp ? here : NULL;
}

bool jw_status(struct jw_session *s, const struct jw_status_options *o, struct jw_status_report *out,
               struct jw_err *err)
{
    struct jw_arena *a = s->a;
    struct jw_err ignored = { 0 };
    bool ok;

    *out = (struct jw_status_report){ .documented = jw_cache_limits() };
    if (o->variables)
        jw_cachedir_of(s->cache, o->variables, a, &out->dir);
    else
        out->dir = *jw_session_cache(s);
    out->dir.notes = jw_notes_copy(&out->dir.notes, a);
    out->drivers = *jw_session_drivers(s);
    out->state_dir = jw_state_dir(a, &ignored);
    out->current = find_current(s);
    jw_cachedir_default_limit(&out->dir, out->current ? out->current->version : NULL);
    out->kits = jw_kit_records(a, &out->n_kits, &out->dir.notes);
    ok = (o->brief || look_at_store(out, a, err)) && (!out->dir.folder || look_at_cache(s, o, out, err));
    if (!ok)
        jw_status_free(out);
    return ok;
}

void jw_status_free(struct jw_status_report *r)
{
    jw_cache_listing_free(&r->list);
    *r = (struct jw_status_report){ 0 };
}

bool jw_status_is_complete(const struct jw_status_report *r)
{
    return !r->list.refused && !r->list.notes.n && !r->list.more && !r->unread.entries
           && !r->list.index_unread;
}

uint64_t jw_status_need(const struct jw_status_report *r)
{
    /* The index may still count entries that are gone. */
    uint64_t there = r->used - jw_min(r->used, r->list.missing_bytes), whole;

    if (!jw_add(there, r->primed.gone.bytes, &whole))
        whole = UINT64_MAX;
    return jw_max(jw_max(r->used, whole), jw_max(r->primed.need.bytes, r->memory.left.need));
}

uint64_t jw_status_limit(const struct jw_status_report *r)
{
    return jw_cache_limit_for(jw_status_need(r), jw_cachedir_least(&r->dir));
}

const char *jw_status_command_of(const struct jw_status_report *r, const char *verb, struct jw_arena *a)
{
    if (!jw_cachedir_is_named(&r->dir))
        return verb;
    return jw_arena_printf(a, "%s %s", verb, JW_COMMAND(a, jw_os_is_windows(), "--cache", r->dir.folder));
}

unsigned jw_status_percent(uint64_t bytes, uint64_t limit)
{
    uint64_t percent;

    if (!limit)
        return 0;
    percent = bytes < UINT64_MAX / 100 ? bytes * 100 / limit : bytes / (limit / 100 + 1);
    return percent < UINT_MAX ? (unsigned)percent : UINT_MAX;
}
