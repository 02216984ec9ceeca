#include "pack/carry/carry.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "cache/change/prune_remove.h"
#include "cache/format/carry_entry.h"
#include "os/files/scratch.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "pack/carry/carry_choose.h"
#include "prime/prime_work.h"

#include <stdio.h>
#include <string.h>

struct carrying {
    const struct jw_carry_options *o;
    struct jw_carry_report *out;
    struct prime p;
    struct jw_publisher *publisher;
    uint64_t done, total; /* bytes */
};

/* ---- carry --undo: removes carried entries that are unchanged, and their records ---- */

/* Sorted by name, as the ledger. */
static void choose_carried(struct carrying *c, struct prune_victim **list, size_t *n)
{
    const struct jw_warm_state *m = &c->p.memory;

    *n = 0;
    *list = jw_arena_alloc(c->p.a, (m->n_ledger + 1) * sizeof **list);
    for (size_t i = 0; i < m->n_ledger; i++) {
        const struct jw_warm_ledger *l = &m->ledger[i];
        const struct jw_cache_file *f = jw_cache_file_find(&c->p.listing, l->name);

        if (!f || f->damage || f->entry.payload_hash != l->payload)
            continue; /* deleted, or replaced by the driver */
        (*list)[(*n)++] = (struct prune_victim){ .name = f->name, .size = f->size, .mtime = f->mtime };
        c->out->removed_bytes += f->entry.key_size + f->entry.payload_size;
    }
    c->out->removed = *n;
}

static bool forget_removed(struct carrying *c, const struct prune_victim *v, size_t n, struct jw_err *err)
{
    uint64_t *names = jw_arena_alloc(c->p.a, (n + 1) * sizeof *names);
    size_t gone = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++)
        if (v[i].gone) {
            struct jw_warm_ledger m = { .name = v[i].name, .made = JW_MADE_HERE, .when = jw_time_unix() };

            names[gone++] = v[i].name;
            ok = jw_warm_add_made(c->p.log, &m, err);
        }
    return ok && (!gone || jw_warm_forget(c->p.log, names, gone, err)) && jw_warm_sync(c->p.log, err);
}

static bool report_removed(struct carrying *c, const struct prune_removed *r)
{
    if (r->locked)
        return prime_end(&c->p, JW_END_PARTLY, "%s/index: %s; the other entries were not removed",
                         c->p.dir.root, r->locked);
    if (r->refused)
        return prime_end(&c->p, JW_END_PARTLY, "%llu entries could not be removed; the first: %s",
                         (unsigned long long)r->refused, r->why.msg);
    return true;
}

static bool remove_entries(struct carrying *c, struct prune_victim *v, size_t n, struct jw_err *err)
{
    struct publish_root root = { .path = c->p.dir.root, .tree = JW_TREE_CLOSED };
    struct prune_removed r = { 0 };
    struct index_heal healed;
    struct jw_err later = { 0 };
    bool ok = prune_heal(c->p.dir.root, c->p.log, c->p.o->interrupted, &healed, err)
              && jw_tree_open(&root.tree, c->p.dir.root, err)
              && prune_remove(&root, c->p.log, v, n, c->p.o->interrupted, &r, err);

    if (!ok)
        (void)!prune_heal(c->p.dir.root, c->p.log, NULL, &healed, &later);
    jw_tree_close(&root.tree);
    c->out->removed = r.files;
    c->out->removed_bytes = r.bytes;
    return forget_removed(c, v, n, ok ? err : &later) && ok && report_removed(c, &r);
}

static bool undo(struct carrying *c, struct jw_err *err)
{
    struct prune_victim *v;
    size_t n;

    if (!jw_cachedir_walk(c->p.dir.root, false, c->p.o->interrupted, c->p.a, &c->p.listing, err))
        return false;
    choose_carried(c, &v, &n);
    return !n || c->o->dry_run || remove_entries(c, v, n, err);
}

enum { BATCH = 64, THREADS = 16, FLUSH_MS = 10 * 1000 };

struct jw_carry_memory {
    struct jw_arena arena;
    struct jw_prime_options options;
};

const char *jw_carry_state_name(enum jw_carry_state s)
{
    static const char *const names[] = { "carried", "there", "no-room", "refused" };

    return names[s];
}

static void notify(const struct carrying *c, const char *what)
{
    if (c->o->progress)
        c->o->progress(c->o->ctx, what, c->done, c->total);
}

static bool load_records(struct carrying *c, struct jw_err *err)
{
    struct prime *p = &c->p;

    (void)err;
    jw_warm_load(p->dir.root, p->a, &p->memory);
    for (size_t i = 0; i < p->memory.notes.n; i++)
        prime_note(p, "%s", p->memory.notes.v[i]);
    return true;
}

/* No option skips this check. */
static bool check_proof(struct carrying *c, struct jw_err *err)
{
    const struct jw_probe_report *probe = &c->p.probe;
    const struct jw_driver_state *s = &probe->state;

    (void)err;
    c->out->played = jw_probe_played(probe);
    c->out->proven = s->level >= JW_LEVEL_CARRYABLE && s->stamp && jw_cache_stamp_time(s->stamp);
    if (c->out->proven)
        return true;
    c->out->unproven = probe->unproven ? probe->unproven
                       : s->n_evidence ? s->evidence[s->n_evidence - 1]
                                       : "jitwarm does not know this driver's cache format";
    return prime_end(&c->p, JW_END_STOPPED,
                     "cannot carry entries: it is not proven that this driver runs them correctly: %s",
                     c->out->unproven);
}

/* ---- which entries ---- */

static const char *path_of(const struct carrying *c, uint64_t name)
{
    return jw_path_join(c->p.a, c->p.dir.root, jw_cache_name(name).text);
}

static bool name_doubtful(struct carrying *c, struct jw_err *err)
{
    for (size_t i = 0; i < c->out->n_entries; i++) {
        struct jw_carry_entry *e = &c->out->entries[i];
        struct jw_err ignored = { 0 };

        if (!e->doubtful)
            continue;
        if (prime_interrupted(&c->p))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!carry_name(path_of(c, e->from), c->p.probe.state.stamp, &e->name, &ignored))
            e->name = 0;
    }
    return true;
}

static uint64_t room(const struct carrying *c)
{
    const struct jw_prime_report *r = &c->out->prime;
    uint64_t limit = r->limit > r->used ? r->limit - r->used : 0;
    uint64_t disk = r->free_disk == UINT64_MAX     ? UINT64_MAX
                    : r->free_disk > JW_SPARE_DISK ? r->free_disk - JW_SPARE_DISK
                                                   : 0;

    return jw_min(limit, disk);
}

/* Reads entries of other builds. */
static const struct carry_compiler *compilers_of(const struct carrying *c)
{
    const struct jw_cache_listing *l = &c->p.listing;
    struct carry_compiler *v = jw_arena_alloc(c->p.a, (l->n + 1) * sizeof *v);

    for (size_t i = 0; i < l->n && !prime_interrupted(&c->p); i++) {
        const struct jw_cache_file *f = &l->files[i];

        if (!f->damage && strcmp(f->stamp, c->p.probe.state.stamp) != 0)
            v[i] = carry_compiler(path_of(c, f->name), f->entry.key_size);
    }
    return v;
}

static bool choose(struct carrying *c, struct jw_err *err)
{
    struct prime *p = &c->p;
    unsigned cuda = p->probe.driver.cuda_version;
    struct carry_choose_input in = { .cache = &p->listing,
                                     .cuda = cuda / 100 + cuda % 100 / 10,
                                     .stamp = p->probe.state.stamp,
                                     .sms = p->sms,
                                     .n_sms = p->n_sms };
    struct jw_carry_report *r = c->out;

    notify(c, "reading the cache");
    if (!jw_cachedir_walk(p->dir.root, false, p->o->interrupted, p->a, &p->listing, err))
        return false;
    in.compilers = compilers_of(c);
    carry_choose(&in, p->a, &r->entries, &r->n_entries, &r->newer);
    if (!name_doubtful(c, err))
        return false;
    carry_drop_doubles(r->entries, r->n_entries, &p->listing);
    carry_fit(r->entries, r->n_entries, room(c));
    for (size_t i = 0; i < r->n_entries; i++)
        c->total += r->entries[i].state == JW_CARRY_CARRIED ? r->entries[i].bytes : 0;
    return true;
}

/* ---- copies: made by several threads, then published ---- */

struct copying {
    struct jw_carry_entry *e;
    const char *from, *to;
    struct carried_entry now;
    bool ok;
    struct jw_err why;
};

struct batch {
    struct copying list[BATCH];
    size_t n;
    atomic_size_t next;
    struct carrying *c;
};

static void refuse(struct carrying *c, struct jw_carry_entry *e, const char *why)
{
    e->state = JW_CARRY_REFUSED;
    e->why = jw_arena_str(c->p.a, why);
}

static bool record_made(struct carrying *c, const struct jw_carry_entry *e, bool carried, struct jw_err *err)
{
    struct jw_warm_ledger m = { .name = e->name,
                                .bytes = e->bytes,
                                .payload = e->payload,
                                .made = carried ? JW_MADE_CARRIED : JW_MADE_HERE,
                                .build = c->p.probe.driver.build,
                                .stamp = e->stamp,
                                .when = jw_time_unix() };

    return jw_warm_add_made(c->p.log, &m, err);
}

static void copy_some(void *ctx, unsigned worker)
{
    struct batch *b = ctx;
    size_t i;

    (void)worker;
    while ((i = atomic_fetch_add(&b->next, 1)) < b->n) {
        struct copying *one = &b->list[i];

        one->ok =
            !prime_interrupted(&b->c->p)
            && carry_entry(one->from, one->e->from, one->to, b->c->p.probe.state.stamp, &one->now, &one->why);
    }
}

/* An invalid entry is refused; other errors, such as a full disk, end the run. */
static bool check_copy(struct carrying *c, const struct copying *one, struct jw_err *err)
{
    if (one->ok || !one->why.code) /* no code: interrupted */
        return true;
    if (one->why.code != JW_E_FORMAT && one->why.code != JW_E_LIMIT) {
        *err = one->why;
        return false;
    }
    refuse(c, one->e, one->why.msg);
    return true;
}

static bool finish_entry(struct carrying *c, const struct jw_pub_entry *published, struct jw_carry_entry *e,
                         struct jw_err *err)
{
    if (published->result == JW_PUB_REFUSED)
        refuse(c, e, published->why);
    else if (published->result == JW_PUB_THERE && !jw_warm_made(&c->p.memory, e->name, e->payload))
        e->state = JW_CARRY_THERE; /* else an earlier carry published it and was killed */
    return e->state == JW_CARRY_CARRIED || record_made(c, e, false, err);
}

/* Writes the ledger first, so that no carried entry is without a record. */
static bool publish(struct carrying *c, const struct batch *b, struct jw_err *err)
{
    struct jw_pub_entry list[BATCH];
    struct jw_carry_entry *of[BATCH];
    size_t n = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < b->n; i++) {
        const struct copying *one = &b->list[i];

        if (!one->ok)
            continue;
        one->e->name = one->now.name;
        list[n] = (struct jw_pub_entry){ .name = one->now.name, .from = one->to, .checked = true };
        of[n++] = one->e;
        ok = record_made(c, one->e, true, err);
    }
    ok = ok && jw_warm_sync(c->p.log, err) && jw_publisher_add(c->publisher, list, n, c->p.a, err);
    for (size_t i = 0; ok && i < n; i++)
        ok = finish_entry(c, &list[i], of[i], err);
    return ok;
}

static bool run_batch(struct carrying *c, struct batch *b, struct jw_err *err)
{
    struct jw_err first = { 0 };
    bool sound = true;

    atomic_init(&b->next, 0);
    jw_parallel(THREADS, copy_some, b);
    for (size_t i = 0; i < b->n; i++) {
        sound = check_copy(c, &b->list[i], &first) && sound;
        c->done += b->list[i].e->bytes;
    }
    notify(c, "copying");
    bool ok = publish(c, b, err);

    if (ok && !sound)
        *err = first;
    b->n = 0;
    return ok && sound;
}

static void add_to_batch(struct carrying *c, struct jw_carry_entry *e, struct batch *b)
{
    char name[24];

    (void)snprintf(name, sizeof name, "%016llx", (unsigned long long)e->from);
    b->list[b->n++] =
        (struct copying){ .e = e, .from = path_of(c, e->from), .to = jw_path_join(c->p.a, c->p.work, name) };
}

static bool copy_all(struct carrying *c, struct jw_err *err)
{
    struct batch b = { .c = c };
    bool ok = true;

    for (size_t i = 0; ok && i < c->out->n_entries && !prime_interrupted(&c->p); i++)
        if (c->out->entries[i].state == JW_CARRY_CARRIED) {
            add_to_batch(c, &c->out->entries[i], &b);
            ok = b.n < BATCH || run_batch(c, &b, err);
        }
    return ok && (!b.n || run_batch(c, &b, err));
}

static bool finish(struct carrying *c, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!jw_publisher_flush(c->publisher, FLUSH_MS, c->p.o->interrupted, &why))
        prime_note(&c->p, "%zu entries are in the cache but not in its index yet: %s",
                   jw_publisher_stats(c->publisher)->pending, why.msg);
    if (!prime_interrupted(&c->p))
        return jw_warm_sync(c->p.log, err);
    for (size_t i = 0; i < c->out->n_entries; i++)
        if (c->out->entries[i].state == JW_CARRY_CARRIED && !c->out->entries[i].name)
            refuse(c, &c->out->entries[i], "interrupted before it was copied");
    return prime_end(&c->p, JW_END_INTERRUPTED, "%s", "");
}

static bool carry(struct carrying *c, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!c->total)
        return true;
    if (!jw_publisher_open(&c->publisher, c->p.dir.root, &why)) {
        return prime_end(&c->p, JW_END_CANNOT_WRITE, "%s", why.msg);
    }
    return copy_all(c, err) && finish(c, err);
}

/* ---- the run ---- */

struct step {
    bool (*carry)(struct carrying *c, struct jw_err *err);
    bool (*prime)(struct prime *p, struct jw_err *err);
    bool changes; /* skip in a dry run */
};

static const struct step carry_steps[] = {
    { .prime = prime_judge_user },
    { .prime = prime_judge_variables },
    { .prime = prime_find_root },
    { .carry = load_records },
    { .prime = prime_take_lock, .changes = true },
    { .prime = prime_ask_login, .changes = true },
    { .prime = prime_ask_driver },
    { .carry = check_proof },
    { .prime = prime_make_work, .changes = true },
    { .carry = choose },
    { .carry = carry, .changes = true },
    { .carry = NULL },
};

static const struct step undo_steps[] = {
    { .prime = prime_judge_user },
    { .prime = prime_find_root },
    { .prime = prime_take_lock, .changes = true },
    { .carry = load_records },
    { .carry = undo },
    { .carry = NULL },
};

static bool run_steps(struct carrying *c, const struct step *s, struct jw_err *err)
{
    for (; (s->carry || s->prime) && !c->p.ended; s++) {
        struct jw_err why = { 0 };

        if (s->changes && c->o->dry_run)
            continue;
        if (prime_interrupted(&c->p))
            return prime_end(&c->p, JW_END_INTERRUPTED, "%s", "");
        if (!(s->carry ? s->carry(c, &why) : s->prime(&c->p, &why)) && !prime_end_by(&c->p, &why, err))
            return false;
    }
    return true;
}

static void fill_report(struct carrying *c)
{
    struct jw_carry_report *r = c->out;

    for (size_t i = 0; i < r->n_entries; i++) {
        r->counts[r->entries[i].state]++;
        r->carried_bytes += r->entries[i].state == JW_CARRY_CARRIED ? r->entries[i].bytes : 0;
    }
    if (!c->p.ended && c->o->undo)
        r->prime.end = r->removed ? JW_END_DONE : JW_END_NOTHING;
    else if (!c->p.ended)
        r->prime.end = r->counts[JW_CARRY_NO_ROOM] || r->counts[JW_CARRY_REFUSED] ? JW_END_PARTLY
                       : r->counts[JW_CARRY_CARRIED]                              ? JW_END_DONE
                                                                                  : JW_END_NOTHING;
    r->prime.notes = c->p.notes.v;
    r->prime.n_notes = c->p.notes.n;
    r->prime.advice = c->p.advice.v;
    r->prime.n_advice = c->p.advice.n;
    r->prime.milliseconds = (jw_time_monotonic_ns() - c->p.began) / 1000000;
}

bool jw_carry(const struct jw_carry_options *o, struct jw_carry_report *out, struct jw_carry_memory **memory,
              struct jw_err *err)
{
    struct jw_carry_memory *m = *memory = jw_alloc(sizeof *m);
    struct carrying c = { .o = o, .out = out };

    *out = (struct jw_carry_report){ .prime = { .level = JW_LEVEL_NONE } };
    m->options = (struct jw_prime_options){ .cache = o->cache,
                                            .gpus = o->gpus,
                                            .n_gpus = o->n_gpus,
                                            .dry_run = o->dry_run,
                                            .wait_s = o->wait_s,
                                            .as_root = o->as_root,
                                            .exe = o->exe,
                                            .driver = o->driver,
                                            .interrupted = o->interrupted };
    c.p = (struct prime){
        .o = &m->options, .out = &out->prime, .a = &m->arena, .carry = true, .began = jw_time_monotonic_ns()
    };
    bool ok = run_steps(&c, o->undo ? undo_steps : carry_steps, err);

    fill_report(&c);
    jw_publisher_close(c.publisher);
    jw_cache_listing_free(&c.p.listing);
    jw_scratch_remove(c.p.work);
    jw_warm_close(c.p.log);
    return ok;
}

void jw_carry_free(struct jw_carry_memory *m)
{
    if (!m)
        return;
    jw_arena_free(&m->arena);
    jw_free(m);
}
