#include "pack/store/store_list.h"

#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "machine/config.h"

#include <string.h>

struct listing {
    struct jw_arena *a;
    struct jw_store_report *out;
    struct jw_trusted_keys keys;
    const char *current; /* stamp of the last driver seen here, or NULL */
};

/* ---- one pack ---- */

static void find_unnamed(struct jw_store_shown *s, const struct jw_pack_manifest *m)
{
    for (size_t i = 0; i < m->n_entries; i++)
        s->unnamed |= m->entries[i].origin == JW_PACK_NO_ORIGIN;
}

static const char *trusted_from(const struct listing *l, const char *id)
{
    char shown[sizeof((struct jw_pack_peeked *)0)->key];

    for (size_t i = 0; *id && i < l->keys.n; i++) {
        jw_minisign_show_id(shown, l->keys.v[i].key.id);
        if (strcmp(shown, id) == 0)
            return l->keys.v[i].from;
    }
    return NULL;
}

static void find_key(const struct listing *l, struct jw_store_shown *s, const struct jw_pack_peeked *seen)
{
    s->is_signed = seen->signature != JW_PACK_SEEN_NONE;
    memcpy(s->key, seen->key, sizeof s->key);
    s->key_file = trusted_from(l, seen->key);
}

static bool is_named_so(const struct jw_store_key *k, const struct jw_pack_manifest *m)
{
    return strcmp(k->stamp, m->stamp) == 0 && k->sm == m->sm;
}

/* Removes the path at the start of `why`. */
static void report_damage(const struct listing *l, struct jw_store_shown *s, const char *why)
{
    size_t n = strlen(s->pack->path);

    if (jw_text_starts(why, s->pack->path) && strncmp(why + n, ": ", 2) == 0)
        why += n + 2;
    s->damage = jw_arena_str(l->a, why);
}

static void peek_shown(struct listing *l, struct jw_store_shown *s)
{
    struct jw_pack_peeked seen = { .bytes = 0 };
    struct jw_err why = { 0 };

    if (s->pack->refused) {
        report_damage(l, s, s->pack->refused);
        return;
    }
    if (!jw_pack_peek(s->pack->path, NULL, l->a, &seen, &why)) {
        report_damage(l, s, why.msg);
        return;
    }
    if (!is_named_so(&s->pack->key, &seen.manifest)) {
        report_damage(l, s, "its name and its manifest disagree about the driver or GPU");
        return;
    }
    s->entries = seen.manifest.n_entries;
    s->raw = seen.tar_bytes;
    s->origins = seen.manifest.origins;
    s->n_origins = seen.manifest.n_origins;
    find_unnamed(s, &seen.manifest);
    find_key(l, s, &seen);
}

/* ---- all of them ---- */

static int by_use(const void *a, const void *b)
{
    const struct jw_store_shown *x = a, *y = b;

    if (x->current != y->current)
        return x->current ? -1 : 1;
    if (x->pack->added_at != y->pack->added_at)
        return x->pack->added_at > y->pack->added_at ? -1 : 1;
    return strcmp(x->pack->name, y->pack->name);
}

static void show_all(struct listing *l)
{
    struct jw_store_report *out = l->out;
    size_t n = out->store.n;

    out->shown = jw_arena_alloc(l->a, (n + 1) * sizeof *out->shown);
    out->others = jw_arena_alloc(l->a, (n + 1) * sizeof(const void *));
    for (size_t i = 0; i < n; i++) {
        const struct jw_store_pack *p = &out->store.packs[i];
        struct jw_store_shown s = { .pack = p };

        if (!p->key.stamp) {
            out->others[out->n_others++] = p;
            continue;
        }
        s.current = l->current && strcmp(p->key.stamp, l->current) == 0;
        peek_shown(l, &s);
        out->shown[out->n_shown++] = s;
    }
    jw_sort(out->shown, out->n_shown, sizeof *out->shown, by_use);
}

/* If keys cannot be loaded, the list shows ids in place of their names. */
static void load_shown_keys(struct listing *l, const struct jw_config *config)
{
    struct jw_keys_options o = { .conf = config };
    struct jw_err why = { 0 };

    if (jw_keys_load(&o, l->a, &l->keys, &why))
        return;
    l->keys = (struct jw_trusted_keys){ 0 };
    jw_note(&l->out->notes, l->a, "cannot read the trusted keys: %s", why.msg);
}

bool jw_store_list(struct jw_session *s, struct jw_store_report *out, struct jw_err *err)
{
    const struct jw_driver_states *drivers = jw_session_drivers(s);
    const struct jw_config *config = jw_session_config(s);
    struct listing l = { .a = s->a, .out = out, .current = drivers->n ? drivers->v[0].stamp : NULL };

    *out = (struct jw_store_report){ .cap = jw_config_store_cap(config),
                                     .cap_origin =
                                         config->store_cap.value ? config->store_cap.origin : "default" };
    for (size_t i = 0; i < config->warnings.n; i++)
        jw_note(&out->notes, s->a, "%s", config->warnings.v[i]);
    load_shown_keys(&l, config);
    if (!jw_store_load(s->a, &out->store, err))
        return false;
    show_all(&l);
    return true;
}
