/* export --from-store: unpacks the store's packs into a temporary cache and exports it. Also copies new packs to the
 * store. */
#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "pack/file/pack_read.h"
#include "pack/store/store.h"

#include <string.h>

struct unpacking {
    struct export *x;
    const struct jw_store *store;
    const struct jw_pack_manifest *manifest;
    uint32_t first; /* index of its first origin in the candidates */
};

static bool add_origins(struct unpacking *u, struct jw_err *err)
{
    struct export_candidates *c = &u->x->candidates;

    u->first = (uint32_t)c->n;
    for (size_t i = 0; i < u->manifest->n_origins; i++) {
        struct export_candidate *slot =
            jw_list_add(u->x->run->a, &c->list, &c->n, sizeof *slot, JW_MAX_OWNED, err);

        if (!slot)
            return false;
        slot->is = u->manifest->origins[i];
    }
    return true;
}

static bool add_entry(struct unpacking *u, const struct jw_pack_entry *e, struct jw_err *err)
{
    struct export *x = u->x;
    struct jw_warm_job *job =
        jw_list_add(x->run->a, &x->kept, &x->n_kept, sizeof *job, JW_MAX_CACHE_FILES, err);

    if (!job)
        return false;
    *job = (struct jw_warm_job){ .build = x->driver.build,
                                 .sm = u->manifest->sm,
                                 .name = e->name,
                                 .bytes = e->key_bytes + e->payload_bytes,
                                 .made = e->made == JW_PACK_CARRIED  ? JW_MADE_CARRIED
                                         : e->made == JW_PACK_FORGED ? JW_MADE_FORGED
                                                                     : JW_MADE_HERE };
    struct export_wanted w = { .name = e->name,
                               .bytes = job->bytes,
                               .sm = u->manifest->sm,
                               .needed = true,
                               .origin = e->origin == JW_PACK_NO_ORIGIN ? JW_PACK_NO_ORIGIN
                                                                        : u->first + e->origin };

    return (x->o->n_paths || export_want(x, &w, err))
           && jw_make_dirs(
               jw_path_dir(x->run->a, jw_path_join(x->run->a, x->unpacked, jw_cache_name(e->name).text)),
               err);
}

static bool add_all(struct unpacking *u, struct jw_err *err)
{
    bool ok = add_origins(u, err);

    for (size_t i = 0; ok && i < u->manifest->n_entries; i++)
        ok = add_entry(u, &u->manifest->entries[i], err);
    return ok;
}

static bool write_unpacked(const struct unpacking *u, uint64_t name, struct jw_bytes file, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_append out = JW_APPEND_CLOSED;
    const char *path = jw_path_join(&a, u->x->unpacked, jw_cache_name(name).text);
    bool ok = jw_append_open(&out, path, err) && jw_append_write(&out, file.p, file.n, err);

    jw_append_close(&out);
    jw_arena_free(&a);
    return ok;
}

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_digest_text *files,
                       struct jw_err *err)
{
    const struct unpacking *u = ctx;
    bool ok = true;

    for (size_t i = 0; ok && i < n; i++)
        ok = write_unpacked(u, u->manifest->entries[first + i].name, files[i].bytes, err);
    return ok;
}

/* ---- trust ---- */

/* Is the whole pack trusted? A key for certain software is not enough. */
static bool is_trusted(const struct unpacking *u, const struct jw_pack_in *in,
                       const struct jw_pack_verdict *v)
{
    if (v->kind == JW_PACK_SIGNED && !v->by->n_origins)
        return true;
    return v->kind != JW_PACK_SIGNED_WRONG && jw_store_vouched(u->store, in->trailer.digest, u->x->run->a);
}

static bool may_sign(const struct unpacking *u, const struct jw_pack_in *in, const struct jw_pack_verdict *v)
{
    struct export *x = u->x;

    if (!x->o->key || x->o->vouch || is_trusted(u, in, v))
        return true;
    export_advise(x, "jitwarm export --from-store --sign KEY --vouch   (signs it anyway)");
    return export_end(x, JW_END_CONSENT,
                      "%.200s was not made here, and no key that is trusted here for everything signed it; "
                      "your signature would say that you trust it",
                      in->name);
}

static bool load_signing_keys(struct export *x, struct jw_trusted_keys *keys, struct jw_err *err)
{
    struct jw_config config = { 0 };
    struct jw_keys_options o = { .conf = &config };

    if (!x->o->key || x->o->vouch)
        return true;
    jw_config_load(x->run->a, &config);
    return jw_keys_load(&o, x->run->a, keys, err);
}

/* ---- unpacking ---- */

static bool unpack_pack(struct export *x, const struct jw_store *store, const struct jw_store_pack *pack,
                        struct jw_err *err)
{
    struct unpacking u = { .x = x, .store = store };
    struct jw_pack_open_options open = { .interrupted = x->run->interrupted };
    struct jw_pack_check_options check = { .interrupted = x->run->interrupted };
    struct jw_pack_read_options read = { .threads = x->o->threads, .interrupted = x->run->interrupted };
    struct jw_trusted_keys keys = { 0 };
    struct jw_pack_verdict verdict;
    struct jw_pack_in in = { 0 };
    struct jw_err ignored;

    export_notify(x, pack->path);
    bool ok =
        load_signing_keys(x, &keys, err) && jw_pack_open(&in, pack->path, &open, err)
        && jw_pack_check(&in, &keys, &check, x->run->a, &verdict, err) && may_sign(&u, &in, &verdict)
        && (x->run->ended
            || (jw_pack_manifest(&in, x->run->a, &u.manifest, err) && add_all(&u, err)
                && jw_pack_read(&in, u.manifest, (struct jw_pack_visitor){ on_entries, &u }, &read, err)));

    jw_pack_close(&in);
    x->out->bytes_read += pack->size;
    if (ok)
        (void)!jw_store_used(pack, &ignored);
    return ok;
}

static bool is_for_driver(const struct export *x, const struct jw_store_pack *pack)
{
    return !pack->refused && !pack->older && pack->key.stamp && strcmp(pack->key.stamp, x->driver.stamp) == 0;
}

bool export_open_store(struct export *x, struct jw_err *err)
{
    struct jw_store store;
    size_t n = 0;

    if (!x->o->from_store)
        return true;
    if (!jw_store_load(x->run->a, &store, err))
        return false;
    export_notes(x, &store.notes);
    if (store.refused)
        return jw_fail(err, JW_E_IO, "%.200s: %s", store.dir, store.refused);
    for (size_t i = 0; i < store.n; i++) {
        if (!is_for_driver(x, &store.packs[i]))
            continue;
        if ((!x->unpacked && !jw_store_work(x->run->a, &x->unpacked, err))
            || !unpack_pack(x, &store, &store.packs[i], err))
            return false;
        if (x->run->ended)
            return true;
        n++;
    }
    x->out->root = store.dir;
    if (n) {
        x->dir.root = x->unpacked;
        x->memory.jobs = x->kept;
        x->memory.n_jobs = x->n_kept;
        x->memory.n_ledger = 0;
        return true;
    }
    export_advise(x, "jitwarm list");
    return export_end(x, JW_END_NOTHING,
                      "%.200s has no pack for this driver build; without --from-store export packs the cache",
                      store.dir);
}

/* For when this cache is cleared or a driver update is undone. A pack of some files would replace a more complete
 * one. */
bool export_store(struct export *x, size_t pack, struct jw_err *err)
{
    const struct jw_export_pack *p = &x->out->packs[pack];
    struct jw_err why = { 0 };
    struct jw_store_add add = { .key = { .stamp = x->driver.stamp, .sm = p->sm, .driver = x->driver.version },
                                .file = p->path,
                                .digest = p->body_digest,
                                .vouched =
                                    x->o->vouch || !export_untrusted(x, pack) ? JW_STORE_MADE_HERE : NULL,
                                .signature = p->signature,
                                .current = x->driver.stamp,
                                .cap = x->o->store_cap };

    if (!x->o->store_cap || !p->path || x->o->n_paths || x->o->from_store || x->o->everything)
        return true;
    export_notify(x, "copying to the store");
    if (jw_store_add(&add, x->run->a, &why)) {
        x->out->packs[pack].kept = add.path;
        return true;
    }
    if (why.code != JW_E_INTERRUPTED) {
        export_note(x, "cannot copy the pack to the store: %s", why.msg);
        return true;
    }
    *err = why;
    return false;
}
