#include "pack/carry/carry_work.h"

#include "base/mem.h"
#include "cache/change/prune_remove.h"
#include "os/machine/time.h"

#include <string.h>

/* The ledger is sorted by name, and so are these. */
static void choose(struct carrying *c, struct prune_victim **list, size_t *n)
{
    const struct jw_warm_state *m = &c->p.memory;

    *n = 0;
    *list = jw_arena_alloc(c->p.a, (m->n_ledger + 1) * sizeof **list);
    for (size_t i = 0; i < m->n_ledger; i++) {
        const struct jw_warm_ledger *l = &m->ledger[i];
        const struct jw_cache_file *f = jw_cache_file_find(&c->p.listing, l->name);

        if (!f || f->damage || f->entry.payload_hash != l->payload)
            continue; /* gone, or in its place is the driver's own work */
        (*list)[(*n)++] = (struct prune_victim){ .name = f->name, .size = f->size, .mtime = f->mtime };
        c->out->removed_bytes += f->entry.key_size + f->entry.payload_size;
    }
    c->out->removed = *n;
}

static bool strike(struct carrying *c, uint64_t name, struct jw_err *err)
{
    struct jw_warm_ledger m = { .name = name, .made = JW_MADE_HERE, .when = jw_time_unix() };

    return jw_warm_add_made(c->p.log, &m, err);
}

/* What is gone was primed by nobody. */
static bool forget(struct carrying *c, const struct prune_victim *v, size_t n, struct jw_err *err)
{
    uint64_t *names = jw_arena_alloc(c->p.a, (n + 1) * sizeof *names);
    size_t gone = 0;
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++)
        if (v[i].gone) {
            names[gone++] = v[i].name;
            ok = strike(c, v[i].name, err);
        }
    return ok && (!gone || jw_warm_forget(c->p.log, names, gone, err)) && jw_warm_sync(c->p.log, err);
}

static bool report_end(struct carrying *c, const struct prune_removed *r, struct jw_err *err)
{
    (void)err;
    if (r->locked)
        return prime_end(&c->p, JW_END_PARTLY, "%s/index: %s; what is left was not touched", c->p.dir.root,
                         r->locked);
    if (r->refused)
        return prime_end(&c->p, JW_END_PARTLY, "%llu entries could not be removed; the first: %s",
                         (unsigned long long)r->refused, r->why.msg);
    return true;
}

static bool remove_them(struct carrying *c, struct prune_victim *v, size_t n, struct jw_err *err)
{
    struct publish_root root = { .path = c->p.dir.root, .tree = JW_TREE_CLOSED };
    struct prune_removed r = { 0 };
    struct index_heal healed;
    struct jw_err later = { 0 };
    bool ok = prune_heal(c->p.dir.root, false, c->p.log, c->p.o->interrupted, &healed, err)
              && jw_tree_open(&root.tree, c->p.dir.root, err)
              && prune_remove(&root, c->p.log, v, n, c->p.o->interrupted, &r, err);

    if (!ok)
        (void)!prune_heal(c->p.dir.root, false, c->p.log, NULL, &healed, &later);
    jw_tree_close(&root.tree);
    c->out->removed = r.files;
    c->out->removed_bytes = r.bytes;
    return forget(c, v, n, ok ? err : &later) && ok && report_end(c, &r, err);
}

bool carry_undo(struct carrying *c, struct jw_err *err)
{
    struct prune_victim *v;
    size_t n;

    if (!jw_cachedir_walk(c->p.dir.root, false, c->p.o->interrupted, c->p.a, &c->p.listing, err))
        return false;
    choose(c, &v, &n);
    return (!n || c->o->dry_run || remove_them(c, v, n, err));
}
