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
#include "prime/prime_steps.h"

#include <stdio.h>
#include <string.h>

struct carrying {
    const struct jw_carry_options *o;
    struct jw_carry_report *out;
    struct jw_run *run;
    struct prime_here here;
    struct jw_publisher *publisher;
    uint64_t done, total; /* bytes */
};

/* ---- carry --undo: removes carried entries that are unchanged, and their records ---- */

/* Sorted by name, as the ledger. */
static void choose_carried(struct carrying *c, struct prune_victim **list, size_t *n)
{
    const struct jw_warm_state *m = &c->here.cache.memory;

    *n = 0;
    *list = jw_arena_alloc(c->run->a, (m->n_ledger + 1) * sizeof **list);
    for (size_t i = 0; i < m->n_ledger; i++) {
        const struct jw_warm_ledger *l = &m->ledger[i];
        const struct jw_cache_file *f = jw_cache_file_find(&c->here.cache.listing, l->name);

        if (!f || f->damage || f->entry.payload_hash != l->payload)
            continue; /* deleted, or replaced by the driver */
        (*list)[(*n)++] = (struct prune_victim){ .name = f->name, .size = f->size, .mtime = f->mtime };
        c->out->removed_bytes += jw_cache_weight(&f->entry);
    }
    c->out->removed = *n;
}

static bool forget_removed(struct carrying *c, const struct prune_victim *v, size_t n, struct jw_err *err)
{
    uint64_t *names = jw_arena_alloc(c->run->a, (n + 1) * sizeof *names);
    size_t gone = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++)
        if (v[i].gone) {
            struct jw_warm_ledger m = { .name = v[i].name, .made = JW_MADE_HERE, .when = jw_time_unix() };

            names[gone++] = v[i].name;
            ok = jw_warm_add(c->here.cache.log, &(struct jw_warm_fact){ JW_WARM_MADE, .as.made = m }, err);
        }
    return ok && (!gone || jw_warm_forget(c->here.cache.log, names, gone, err))
           && jw_warm_sync(c->here.cache.log, err);
}

static bool report_removed(struct carrying *c, const struct prune_removed *r)
{
    if (r->locked)
        return jw_run_end(c->run, JW_END_PARTLY, "%s/index: %s; the other entries were not removed",
                          c->here.cache.dir.root, r->locked);
    if (r->refused)
        return jw_run_end(c->run, JW_END_PARTLY, "%llu entries could not be removed; the first: %s",
                          (unsigned long long)r->refused, r->why.msg);
    return true;
}

static bool remove_entries(struct carrying *c, struct prune_victim *v, size_t n, struct jw_err *err)
{
    struct publish_root root = { .path = c->here.cache.dir.root, .tree = JW_TREE_CLOSED };
    struct prune_removed r = { 0 };
    struct index_heal healed;
    struct jw_err later = { 0 };
    bool ok = prune_heal(c->here.cache.dir.root, c->here.cache.log, c->run->interrupted, &healed, err)
              && jw_tree_open(&root.tree, c->here.cache.dir.root, err)
              && prune_remove(&root, c->here.cache.log, v, n, c->run->interrupted, &r, err);

    if (!ok)
        (void)!prune_heal(c->here.cache.dir.root, c->here.cache.log, NULL, &healed, &later);
    jw_tree_close(&root.tree);
    c->out->removed = r.files;
    c->out->removed_bytes = r.bytes;
    return forget_removed(c, v, n, ok ? err : &later) && ok && report_removed(c, &r);
}

static bool undo(struct carrying *c, struct jw_err *err)
{
    struct prune_victim *v;
    size_t n;

    prime_recall(c->run, &c->here);
    if (!jw_cachedir_walk(c->here.cache.dir.root, false, c->run->interrupted, c->run->a,
                          &c->here.cache.listing, err))
        return false;
    choose_carried(c, &v, &n);
    return !n || c->o->dry_run || remove_entries(c, v, n, err);
}

enum { BATCH = 64, THREADS = 16, FLUSH_MS = 10 * 1000 };

const char *jw_carry_state_name(enum jw_carry_state s)
{
    static const char *const names[] = { "carried", "there", "no-room", "refused" };

    return names[s];
}

static void notify_carry(const struct carrying *c, const char *what)
{
    if (c->run->progress)
        c->run->progress(c->run->ctx,
                         &(struct jw_progress){ .what = what, .done = c->done, .total = c->total });
}

/* No option skips this check. */
static bool check_proof(struct carrying *c, struct jw_err *err)
{
    const struct jw_probe_report *probe = &c->here.driver.probe;
    const struct jw_driver_state *s = &probe->state;

    (void)err;
    c->out->played = jw_probe_played(probe);
    c->out->proven = s->level >= JW_LEVEL_CARRYABLE && s->stamp && jw_cache_stamp_time(s->stamp);
    if (c->out->proven)
        return true;
    c->out->unproven = probe->unproven ? probe->unproven
                       : s->n_evidence ? s->evidence[s->n_evidence - 1]
                                       : "jitwarm does not know this driver's cache format";
    return jw_run_end(c->run, JW_END_STOPPED,
                      "cannot carry entries: it is not proven that this driver runs them correctly: %s",
                      c->out->unproven);
}

/* ---- which entries ---- */

static const char *entry_path_of(const struct carrying *c, uint64_t name)
{
    return jw_path_join(c->run->a, c->here.cache.dir.root, jw_cache_name(name).text);
}

static bool name_doubtful(struct carrying *c, struct jw_err *err)
{
    for (size_t i = 0; i < c->out->n_entries; i++) {
        struct jw_carry_entry *e = &c->out->entries[i];
        struct jw_err ignored = { 0 };

        if (!e->doubtful)
            continue;
        if (prime_interrupted(c->run, &c->here))
            return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!carry_name(entry_path_of(c, e->from), c->here.driver.probe.state.stamp, &e->name, &ignored))
            e->name = 0;
    }
    return true;
}

static uint64_t room(const struct carrying *c)
{
    const struct jw_cache_here *r = &c->out->cache;

    return jw_min(r->limit > r->used ? r->limit - r->used : 0, prime_usable_disk(&c->here.cache));
}

/* Reads entries of other builds. */
static const struct carry_compiler *compilers_of(const struct carrying *c)
{
    const struct jw_cache_listing *l = &c->here.cache.listing;
    struct carry_compiler *v = jw_arena_alloc(c->run->a, (l->n + 1) * sizeof *v);

    for (size_t i = 0; i < l->n && !prime_interrupted(c->run, &c->here); i++) {
        const struct jw_cache_file *f = &l->files[i];

        if (!f->damage && strcmp(f->stamp, c->here.driver.probe.state.stamp) != 0)
            v[i] = carry_compiler(entry_path_of(c, f->name), f->entry.key_size);
    }
    return v;
}

static bool choose_older(struct carrying *c, struct jw_err *err)
{
    struct prime_cache *k = &c->here.cache;
    const struct prime_driver *d = &c->here.driver;
    unsigned cuda = d->probe.driver.cuda_version;
    struct carry_choose_input in = { .cache = &k->listing,
                                     .cuda = cuda / 100 + cuda % 100 / 10,
                                     .stamp = d->probe.state.stamp,
                                     .sms = d->sms,
                                     .n_sms = d->n_sms };
    struct jw_carry_report *r = c->out;

    prime_recall(c->run, &c->here);
    notify_carry(c, "reading the cache");
    if (!jw_cachedir_walk(k->dir.root, false, c->run->interrupted, c->run->a, &k->listing, err))
        return false;
    in.compilers = compilers_of(c);
    carry_choose(&in, c->run->a, &r->entries, &r->n_entries, &r->newer);
    if (!name_doubtful(c, err))
        return false;
    carry_drop_doubles(r->entries, r->n_entries, &k->listing);
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

static void refuse_entry(struct carrying *c, struct jw_carry_entry *e, const char *why)
{
    e->state = JW_CARRY_REFUSED;
    e->why = jw_arena_str(c->run->a, why);
}

static bool record_made(struct carrying *c, const struct jw_carry_entry *e, bool carried, struct jw_err *err)
{
    struct jw_warm_ledger m = { .name = e->name,
                                .bytes = e->bytes,
                                .payload = e->payload,
                                .made = carried ? JW_MADE_CARRIED : JW_MADE_HERE,
                                .build = c->here.driver.probe.driver.build,
                                .stamp = e->stamp,
                                .when = jw_time_unix() };

    return jw_warm_add(c->here.cache.log, &(struct jw_warm_fact){ JW_WARM_MADE, .as.made = m }, err);
}

static void copy_some(void *ctx, unsigned worker)
{
    struct batch *b = ctx;
    size_t i;

    (void)worker;
    while ((i = atomic_fetch_add(&b->next, 1)) < b->n) {
        struct copying *one = &b->list[i];

        one->ok = !prime_interrupted(b->c->run, &b->c->here)
                  && carry_entry(one->from, one->e->from, one->to, b->c->here.driver.probe.state.stamp,
                                 &one->now, &one->why);
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
    refuse_entry(c, one->e, one->why.msg);
    return true;
}

static bool finish_entry(struct carrying *c, const struct jw_pub_entry *published, struct jw_carry_entry *e,
                         struct jw_err *err)
{
    if (published->result == JW_PUB_REFUSED)
        refuse_entry(c, e, published->why);
    else if (published->result == JW_PUB_THERE && !jw_warm_made(&c->here.cache.memory, e->name, e->payload))
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
    ok =
        ok && jw_warm_sync(c->here.cache.log, err) && jw_publisher_add(c->publisher, list, n, c->run->a, err);
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
    notify_carry(c, "copying");
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
    b->list[b->n++] = (struct copying){ .e = e,
                                        .from = entry_path_of(c, e->from),
                                        .to = jw_path_join(c->run->a, c->here.cache.work, name) };
}

static bool copy_all(struct carrying *c, struct jw_err *err)
{
    struct batch b = { .c = c };
    bool ok = true;

    for (size_t i = 0; ok && i < c->out->n_entries && !prime_interrupted(c->run, &c->here); i++)
        if (c->out->entries[i].state == JW_CARRY_CARRIED) {
            add_to_batch(c, &c->out->entries[i], &b);
            ok = b.n < BATCH || run_batch(c, &b, err);
        }
    return ok && (!b.n || run_batch(c, &b, err));
}

static bool finish_copies(struct carrying *c, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!jw_publisher_flush(c->publisher, FLUSH_MS, c->run->interrupted, &why))
        JW_NOTE(c->run, "%zu entries are in the cache but not in its index yet: %s",
                jw_publisher_stats(c->publisher)->pending, why.msg);
    if (!prime_interrupted(c->run, &c->here))
        return jw_warm_sync(c->here.cache.log, err);
    for (size_t i = 0; i < c->out->n_entries; i++)
        if (c->out->entries[i].state == JW_CARRY_CARRIED && !c->out->entries[i].name)
            refuse_entry(c, &c->out->entries[i], "interrupted before it was copied");
    return jw_run_end(c->run, JW_END_INTERRUPTED, "%s", "");
}

static bool carry(struct carrying *c, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!c->total)
        return true;
    if (!jw_publisher_open(&c->publisher, c->here.cache.dir.root, &why)) {
        return jw_run_end(c->run, JW_END_CANNOT_WRITE, "%s", why.msg);
    }
    return copy_all(c, err) && finish_copies(c, err);
}

/* ---- the run ---- */

struct step {
    bool (*shared)(struct jw_run *run, struct prime_here *h, struct jw_err *err); /* with prime and import */
    bool (*own)(struct carrying *c, struct jw_err *err);
    bool changes; /* skip in a dry run */
};

static const struct step carry_steps[] = {
    { .shared = prime_judge_user, .changes = true },
    { .shared = prime_judge_variables },
    { .shared = prime_find_root },
    { .shared = prime_take_lock, .changes = true },
    { .shared = prime_ask_login, .changes = true },
    { .shared = prime_ask_driver },
    { .own = check_proof },
    { .shared = prime_make_work, .changes = true },
    { .own = choose_older },
    { .own = carry, .changes = true },
    { 0 },
};

static const struct step undo_steps[] = {
    { .shared = prime_judge_user, .changes = true },
    { .shared = prime_find_root },
    { .shared = prime_take_lock, .changes = true },
    { .own = undo },
    { 0 },
};

static bool run_steps(struct carrying *c, const struct step *s, struct jw_err *err)
{
    for (; (s->shared || s->own) && !c->run->ended; s++) {
        struct jw_err why = { 0 };

        if (s->changes && c->o->dry_run)
            continue;
        if (prime_interrupted(c->run, &c->here))
            return jw_run_end(c->run, JW_END_INTERRUPTED, "%s", "");
        bool ok = s->own ? s->own(c, &why) : s->shared(c->run, &c->here, &why);

        if (!ok && !jw_run_end_by(c->run, &why, err))
            return false;
    }
    return true;
}

static void fill_carry_report(struct carrying *c)
{
    struct jw_carry_report *r = c->out;

    for (size_t i = 0; i < r->n_entries; i++) {
        r->counts[r->entries[i].state]++;
        r->carried_bytes += r->entries[i].state == JW_CARRY_CARRIED ? r->entries[i].bytes : 0;
    }
    if (!c->run->ended && c->o->undo)
        c->run->end = r->removed ? JW_END_DONE : JW_END_NOTHING;
    else if (!c->run->ended)
        c->run->end = r->counts[JW_CARRY_NO_ROOM] || r->counts[JW_CARRY_REFUSED] ? JW_END_PARTLY
                      : r->counts[JW_CARRY_CARRIED]                              ? JW_END_DONE
                                                                                 : JW_END_NOTHING;
    c->run->milliseconds = (jw_time_monotonic_ns() - c->run->began) / 1000000;
}

bool jw_carry(struct jw_run *run, const struct jw_carry_options *o, struct jw_carry_report *out,
              struct jw_err *err)
{
    struct carrying c = { .o = o,
                          .out = out,
                          .run = run,
                          .here = { .verb = "carry",
                                    .as_root = o->as_root,
                                    .reads_only = o->dry_run,
                                    .wait_s = o->wait_s,
                                    .cache = { .asked = o->cache, .out = &out->cache },
                                    .driver = { .exe = o->exe,
                                                .library = o->driver,
                                                .names = o->gpus,
                                                .n_names = o->n_gpus,
                                                .carry = true,
                                                .out = &out->driver } } };

    *out = (struct jw_carry_report){ .run = run, .driver = { .level = JW_LEVEL_NONE } };
    jw_run_begin(run);
    bool ok = run_steps(&c, o->undo ? undo_steps : carry_steps, err);

    fill_carry_report(&c);
    jw_publisher_close(c.publisher);
    prime_close_cache(&c.here.cache);
    return ok;
}
