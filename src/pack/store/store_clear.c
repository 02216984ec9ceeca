/* The store, emptied. What somebody else put there stays, and so does the folder then. */
#include "pack/store/store_inner.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/scratch.h"

#include <string.h>

enum { PATIENCE_MS = 2000 };

struct clearing {
    const struct jw_store *store;
    struct jw_arena *a;
    struct jw_store_cleared *out;
    struct store_hold hold;
};

static void tell(struct clearing *c, const struct jw_err *why)
{
    if (c->out->why)
        return;
    c->out->why = jw_arena_str(c->a, why->msg);
}

/* The signature first, so that it never stands alone. */
static void remove_pack(struct clearing *c, const struct jw_store_pack *p)
{
    struct jw_err why = { 0 };

    if ((!p->signature || jw_tree_remove(&c->hold.tree, jw_path_base(p->signature), &why))
        && jw_tree_remove(&c->hold.tree, p->name, &why)) {
        c->out->packs++;
        c->out->bytes += p->weight;
        return;
    }
    jw_err_wrap(&why, "%s", p->path);
    tell(c, &why);
}

/* Folders for packs in the making: whoever made one cannot go on without the lock's file, and says so. */
static bool remove_work(struct clearing *c, struct jw_err *err)
{
    struct jw_listing names;
    struct jw_notes ignored = { 0 };

    if (!jw_listing_read(c->store->dir, STORE_WORK "-*", c->a, &names, &ignored, err))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct jw_scratch_owner owner;
        const char *path = jw_path_join(c->a, c->store->dir, names.names[i]);

        if (jw_scratch_owner(names.names[i], STORE_WORK, &owner))
            jw_scratch_remove(path);
    }
    return true;
}

static bool clear(struct clearing *c, struct jw_err *err)
{
    static const char *const ours[] = { STORE_USES, STORE_VOUCHED, STORE_NEW };
    struct jw_err ignored;

    for (size_t i = 0; i < c->store->n; i++)
        if (c->store->packs[i].key.stamp && !c->store->packs[i].refused)
            remove_pack(c, &c->store->packs[i]);
    for (size_t i = 0; i < JW_COUNT(ours); i++)
        (void)!jw_tree_remove(&c->hold.tree, ours[i], &ignored);
    return remove_work(c, err);
}

bool jw_store_clear(const struct jw_store *s, bool act, struct jw_arena *a, struct jw_store_cleared *out,
                    struct jw_err *err)
{
    struct clearing c = { .store = s, .a = a, .out = out, .hold = STORE_HOLD_NONE };
    struct jw_err why = { 0 };
    bool ok = true;

    *out = (struct jw_store_cleared){ 0 };
    if (!s->exists || s->refused)
        return true;
    for (size_t i = 0; !act && i < s->n; i++)
        if (s->packs[i].key.stamp && !s->packs[i].refused) {
            out->packs++;
            out->bytes += s->packs[i].weight;
        }
    if (!act)
        return true;
    if (!store_hold(&c.hold, s->dir, PATIENCE_MS, &why)) {
        tell(&c, &why);
        return true;
    }
    ok = clear(&c, err);
    jw_file_close(&c.hold.lock);
    (void)!jw_tree_remove(&c.hold.tree, STORE_LOCK, &why);
    store_release(&c.hold);
    jw_sys_rmdir(s->dir);
    return ok;
}
