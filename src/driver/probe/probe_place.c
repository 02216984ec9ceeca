#include "driver/probe/probe_place.h"

#include "cache/change/publish.h"

/* Why a part of the listing could not be read; NULL: it is whole. */
static const char *why_partly(const struct jw_cache_listing *l, struct jw_arena *a)
{
    if (l->refused || l->index_trouble == JW_INDEX_UNREAD)
        return l->refused ? l->refused : jw_arena_printf(a, "index: %s", l->index_damage);
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].unread)
            return jw_arena_printf(a, "%s: %s", jw_cache_name(l->files[i].name).text,
                                   l->files[i].damage);
    return l->notes.n ? l->notes.v[0] : NULL;
}

bool probe_list(const char *cache, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err)
{
    const char *why;

    if (!jw_cache_list(cache, true, NULL, a, out, err))
        return false;
    why = why_partly(out, a);
    if (why)
        jw_cache_listing_free(out);
    return !why || jw_fail(err, JW_E_IO, "%s: %s", cache, why);
}

/* driver-fact: F27-merge-copy-append, F28-index-needed */
bool probe_place(const char *from, const struct jw_cache_file *entry, const char *to,
                 struct jw_arena *a, struct jw_err *err)
{
    struct jw_publish_entry e = {
        .name = entry->name,
        .from = jw_cache_entry_path(from, entry->name, a),
        .checked = true,
        .synced = true, /* after a crash of the machine nobody needs this folder */
        .size = jw_cache_weight(&entry->entry)};
    struct jw_publisher *p = NULL;
    bool ok = jw_publisher_open(&p, to, err) && jw_publisher_add(p, &e, 1, a, err);

    jw_publisher_close(p);
    return ok;
}

size_t probe_whole(const struct jw_cache_listing *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++)
        n += !l->files[i].damage && l->files[i].indexed;
    return n;
}

bool probe_same(const struct jw_cache_listing *before, const struct jw_cache_listing *after)
{
    bool same = before->n == after->n && before->index.n == after->index.n
                && before->missing == after->missing && before->foreign == after->foreign;

    for (size_t i = 0; same && i < before->n; i++) {
        const struct jw_cache_file *b = &before->files[i];
        const struct jw_cache_file *f = &after->files[i];

        same = b->name == f->name && b->identity == f->identity && b->recorded == f->recorded;
    }
    return same;
}
