#include "cache/place/listing.h"
#include "lab.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LIST = 1 << 20, MANY_MS = 200000 };

static bool make_one(struct lab *l, struct lab_set_item *item, const char *prefix, unsigned number,
                     unsigned steps, struct jw_err *err)
{
    struct lab_module m;
    char name[64];
    bool ok = steps ? lab_heavy(l, &m, number, steps, err) : lab_canary(l, &m, number, number, err);

    (void)snprintf(name, sizeof name, "%s-%u.ptx", prefix, number);
    item->path = lab_path(l, name);
    memcpy(item->kernel, m.kernel, sizeof item->kernel);
    item->add = number;
    ok = ok && item->path && lab_write(l, item->path, jw_buf_bytes(&m.ptx), err);
    lab_module_free(&m);
    return ok;
}

bool lab_set_make(struct lab *l, struct lab_set *s, const char *prefix, unsigned first, unsigned n,
                  unsigned steps, struct jw_err *err)
{
    s->n = n;
    s->items = jw_arena_alloc(&l->arena, n * sizeof *s->items);
    bool ok = true;

    for (unsigned i = 0; ok && i < n; i++)
        ok = make_one(l, &s->items[i], prefix, first + i, steps, err);
    return ok;
}

const char *lab_set_list(struct lab *l, const struct lab_set *s, size_t from, size_t stride,
                         struct jw_err *err)
{
    struct jw_buf text = JW_BUF(MAX_LIST);
    char name[64];

    (void)snprintf(name, sizeof name, "list-%u-%zu-%zu-%zu", s->items[0].add, s->n, from, stride);
    const char *path = lab_path(l, name);

    for (size_t i = from; i < s->n; i += stride)
        jw_buf_printf(&text, "%s %s %u\n", s->items[i].path, s->items[i].kernel, s->items[i].add);
    bool ok = path && jw_buf_ok(&text, err) && lab_write(l, path, jw_buf_bytes(&text), err);

    jw_buf_free(&text);
    return ok ? path : NULL;
}

bool lab_set_load(struct lab *l, const struct lab_set *s, const char *root, bool launch,
                  struct lab_reload *out, struct jw_err *err)
{
    const char *list = lab_set_list(l, s, 0, 1, err);
    struct lab_step step = { .cache = root,
                             .loading = "EAGER",
                             .silent_ms = MANY_MS,
                             .ops = { "context",
                                      list ? lab_op_text(l, launch ? "manyrun" : "many", list) : NULL } };
    struct lab_done done;

    memset(out, 0, sizeof *out);
    if (!list || !lab_run(l, &step, &done, err))
        return false;
    const struct lab_op *op = done.n > 1 ? &done.ops[1] : NULL;

    memcpy(out->how, done.how, sizeof out->how);
    out->whole = done.whole;
    if (op) {
        out->right = (unsigned)op->value;
        out->fresh = op->fresh;
        out->changed = op->changed;
        out->gone = op->gone;
        out->us = op->us;
    }
    return true;
}

bool lab_census(struct lab *l, const char *root, struct lab_census *out, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };

    memset(out, 0, sizeof *out);
    if (!jw_cachedir_list(root, true, &l->arena, &listing, err))
        return false;
    out->entries = listing.n;
    for (size_t i = 0; i < listing.n; i++) {
        out->torn += listing.files[i].damage != NULL;
        out->orphans += !listing.files[i].indexed;
    }
    out->records = listing.index.n;
    out->total = listing.index.total;
    out->lost = listing.missing;
    out->index = listing.index_found;
    out->index_damage = listing.index_damage;
    jw_cache_listing_free(&listing);
    return true;
}

void lab_say_census(struct lab *l, const char *key, const struct lab_census *c)
{
    jw_json_object(&l->json, key);
    jw_json_number(&l->json, "entries", c->entries);
    jw_json_number(&l->json, "torn", c->torn);
    jw_json_number(&l->json, "records", c->records);
    jw_json_number(&l->json, "entries_without_record", c->orphans);
    jw_json_number(&l->json, "records_without_entry", c->lost);
    jw_json_number(&l->json, "total", c->total);
    jw_json_bool(&l->json, "index", c->index);
    jw_json_text(&l->json, "index_damage", c->index_damage);
    jw_json_close(&l->json);
}
