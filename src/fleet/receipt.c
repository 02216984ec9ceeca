#include "fleet/receipt.h"

#include "base/buf.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "cache/place/listing.h"
#include "machine/trust.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { LAYER = 45 /* the kind of its record */ };

/* FOLDER/HEX.done */
struct layer {
    const char *cache; /* of the cache */
    struct jw_warm_entry *v;
    size_t n;
};

static const struct jw_field entry_fields[] = { JW_FIELD(struct jw_warm_entry, name),
                                                JW_FIELD(struct jw_warm_entry, bytes),
                                                JW_FIELD(struct jw_warm_entry, identity),
                                                { 0 } };
static const struct jw_field layer_fields[] = { JW_FIELD(struct layer, cache),
                                                JW_FIELD_LIST_OF(struct layer, v, n, entry_fields),
                                                { 0 } };

const char *fleet_folder(struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_state_path(JW_STATE_LAYERS, a, err);

    return folder && jw_trust_make(folder, err) && jw_trust_check_own(folder, "folder", a, err) ? folder
                                                                                                : NULL;
}

static const char *receipt_path(const char *folder, const char *digest, struct jw_arena *a)
{
    char name[80];

    (void)snprintf(name, sizeof name, "%.64s.done", digest + 7);
    return jw_path_join(a, folder, name);
}

/* False: there is no such file. */
static bool stat_entry(const char *cache, uint64_t name, struct jw_file_info *info)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored;

    jw_buf_printf(&path, "%s/%s", cache, jw_cache_name(name).text);
    bool ok = jw_buf_ok(&path, &ignored) && jw_file_stat(jw_buf_cstr(&path), info, &ignored)
              && info->kind == JW_FILE_REGULAR;

    jw_buf_free(&path);
    return ok;
}

bool fleet_receipt_holds(const char *folder, const char *digest, const struct jw_cache_lookup *cache,
                         struct jw_arena *a)
{
    struct layer l = { 0 };
    struct jw_err ignored;
    uint64_t identity;
    bool found;
    bool ok = jw_trust_load(receipt_path(folder, digest, a), LAYER, layer_fields, a, &l, &found, &ignored)
              && found && strcmp(l.cache, cache->folder) == 0 && l.n;

    for (size_t i = 0; ok && i < l.n; i++)
        ok = cache->trouble == JW_INDEX_WHOLE && jw_cache_finds_same(cache, &l.v[i], &identity);
    return ok;
}

void fleet_receipt_write(const char *folder, const char *digest, const char *cache,
                         const struct jw_import_report *r, struct jw_arena *a)
{
    struct layer l = { .cache = cache, .v = jw_arena_alloc(a, (r->n_entries + 1) * sizeof *l.v) };
    struct jw_err ignored;

    for (size_t i = 0; i < r->n_entries; i++) {
        const struct jw_pack_entry *e = r->entries[i].of;
        struct jw_file_info info;

        if (!stat_entry(cache, e->name, &info))
            return; /* evicted already */
        l.v[l.n++] = (struct jw_warm_entry){ e->name, jw_pack_entry_bytes(e) - JW_CACHE_HEADER,
                                             jw_cache_identity(&info) };
    }
    (void)!jw_trust_save(receipt_path(folder, digest, a), LAYER, layer_fields, &l, &ignored);
}
