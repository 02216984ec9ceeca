#include "cache/prune/prune_save.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/config.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/file/pack_write.h"
#include "pack/store/store.h"

#include <stdlib.h>
#include <string.h>

struct saving {
    const struct prune_saving *s;
    struct jw_arena *a;
    struct jw_pack_entry *entries;
    struct jw_pack_manifest manifest;
    char *work; /* a folder in the store */
};

/* "sm_86"; 0 for "sm_90a" and the like, for which no pack has a name. */
static uint16_t number_of(const char *arch)
{
    uint64_t n;

    return jw_text_starts(arch, "sm_") && jw_text_u64(arch + 3, &n) && n <= UINT16_MAX ? (uint16_t)n : 0;
}

const char *prune_unsavable(const struct jw_prune_build *build, const char *arch, enum jw_cache_kind kind)
{
    if (kind != JW_CACHE_CUDA || !number_of(arch))
        return "only modules of CUDA programs are";
    if (!build || !build->driver)
        return "jitwarm never met that driver here";
    if (build->driver->level < JW_LEVEL_PLACEABLE)
        return "too little was known of that driver";
    return NULL;
}

/* ---- which of them ---- */

/* Headers were read; a pack takes whole entries alone. */
static bool is_whole(const struct publish_root *root, const struct jw_cache_file *file, struct jw_err *err)
{
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;
    bool found = false;
    bool ok =
        publish_enter(root, file->name, false, &home, &found, err)
        && (!found
            || jw_tree_open_file(&home, jw_cache_name(file->name).text + 4, JW_TREE_READ, &f, &found, err))
        && (found || jw_fail(err, JW_E_FORMAT, "is gone"));
    struct jw_source source = jw_file_source(&f, file->size);

    ok = ok && jw_cache_entry_check(&source, file->name, &entry, err);
    jw_file_close(&f);
    jw_tree_close(&home);
    return ok;
}

bool prune_whole(const struct publish_root *root, const struct jw_cache_file *file, bool *whole,
                 struct jw_err *err)
{
    struct jw_err why = { 0 };

    *whole = is_whole(root, file, &why);
    if (*whole || why.code == JW_E_FORMAT || why.code == JW_E_LIMIT)
        return true;
    *err = why;
    return false;
}

/* ---- the manifest ---- */

static enum jw_pack_made made_of(const struct jw_warm_state *m, const struct jw_cache_file *f)
{
    const struct jw_warm_ledger *l = jw_warm_made(m, f->name, f->entry.payload_hash);

    return !l                           ? JW_PACK_COMPILED
           : l->made == JW_MADE_CARRIED ? JW_PACK_CARRIED
           : l->made == JW_MADE_FORGED  ? JW_PACK_FORGED
                                        : JW_PACK_COMPILED;
}

static int by_text(const void *a, const void *b)
{
    const struct jw_pack_origin *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static uint32_t place_of(const struct jw_pack_manifest *m, const char *origin)
{
    struct jw_pack_origin key = { .name = origin };
    const struct jw_pack_origin *hit =
        origin && m->n_origins ? bsearch(&key, m->origins, m->n_origins, sizeof key, by_text) : NULL;

    return hit ? (uint32_t)(hit - m->origins) : JW_PACK_NO_ORIGIN;
}

/* What was remembered when they were primed: names alone. */
static void find_origins(struct saving *v)
{
    struct jw_pack_origin *list = jw_arena_alloc(v->a, (v->s->n + 1) * sizeof *list);
    size_t n = 0, joined = 0;

    for (size_t i = 0; i < v->s->n; i++) {
        const char *name = jw_warm_origin(v->s->memory, v->s->files[i]->name);

        if (name)
            list[n++] = (struct jw_pack_origin){ .name = name };
    }
    qsort(list, n, sizeof *list, by_text);
    for (size_t i = 0; i < n; i++)
        if (!joined || strcmp(list[joined - 1].name, list[i].name) != 0)
            list[joined++] = list[i];
    v->manifest.origins = list;
    v->manifest.n_origins = joined;
    for (size_t i = 0; i < v->s->n; i++)
        v->entries[i].origin = place_of(&v->manifest, jw_warm_origin(v->s->memory, v->s->files[i]->name));
}

static void forget_origins(struct saving *v)
{
    v->manifest.origins = NULL;
    v->manifest.n_origins = 0;
    for (size_t i = 0; i < v->s->n; i++)
        v->entries[i].origin = JW_PACK_NO_ORIGIN;
}

/* Names that no pack may hold are left out: what counts is the code. */
static bool fill(struct saving *v, struct jw_err *err)
{
    const struct prune_saving *s = v->s;
    const struct jw_driver_state *d = s->build->driver;
    struct jw_err why = { 0 };

    v->entries = jw_arena_alloc(v->a, (s->n + 1) * sizeof *v->entries);
    for (size_t i = 0; i < s->n; i++)
        v->entries[i] = (struct jw_pack_entry){ .name = s->files[i]->name,
                                                .key_bytes = s->files[i]->entry.key_size,
                                                .payload_bytes = s->files[i]->entry.payload_size,
                                                .made = made_of(s->memory, s->files[i]) };
    v->manifest = (struct jw_pack_manifest){ .tool = JITWARM_VERSION,
                                             .os = jw_os_name(),
                                             .arch = jw_os_arch(),
                                             .driver = d->version,
                                             .stamp = s->build->stamp,
                                             .sm = number_of(s->arch),
                                             .level = (uint8_t)d->level,
                                             .simulated = d->simulated,
                                             .entries = v->entries,
                                             .n_entries = s->n };
    find_origins(v);
    if (jw_pack_manifest_check(&v->manifest, &why))
        return true;
    forget_origins(v);
    return jw_pack_manifest_check(&v->manifest, err);
}

/* ---- the bytes ---- */

static bool read_entry(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err)
{
    const struct saving *v = ctx;
    uint64_t name = v->entries[entry].name;
    struct jw_tree home = JW_TREE_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    bool found = false;
    size_t got = 0;
    bool ok =
        publish_enter(v->s->root, name, false, &home, &found, err)
        && (!found || jw_tree_open_file(&home, jw_cache_name(name).text + 4, JW_TREE_READ, &f, &found, err))
        && (found || jw_fail(err, JW_E_IO, "%s: is gone", jw_cache_name(name).text))
        && jw_file_read(&f, 0, dst, n, &got, err)
        && (got == n || jw_fail(err, JW_E_FORMAT, "%s: shrank meanwhile", jw_cache_name(name).text));

    jw_file_close(&f);
    jw_tree_close(&home);
    return ok;
}

static bool write_pack(struct saving *v, const char *path, struct jw_err *err)
{
    struct jw_pack_write_options o = { .interrupted = v->s->interrupted };
    struct jw_pack_source from = { read_entry, v };
    struct jw_pack_written written;
    struct jw_out out = { .handle = -1 };
    bool ok = jw_out_open(&out, path, false, err)
              && jw_pack_write(jw_out_sink(&out), &v->manifest, v->entries, from, &o, &written, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool put(struct saving *v, const char *file, const char **path, struct jw_err *err)
{
    struct jw_store_add add = { .key = { v->manifest.stamp, v->manifest.sm, v->manifest.simulated,
                                         v->manifest.driver },
                                .file = file,
                                .take = true,
                                .vouched = JW_STORE_MADE_HERE,
                                .current = v->s->current };
    struct jw_config config;

    if (!jw_config_load(v->a, &config, err))
        return false;
    add.cap = jw_config_store_cap(&config);
    if (!jw_store_add(&add, v->a, err))
        return false;
    *path = add.path;
    return true;
}

bool prune_save(const struct prune_saving *s, struct jw_arena *a, const char **path, struct jw_err *err)
{
    struct saving v = { .s = s, .a = a };
    const char *file = NULL;
    bool ok = fill(&v, err) && jw_store_work(a, &v.work, err);

    if (ok) {
        file = jw_path_join(a, v.work, "pack");
        ok = write_pack(&v, file, err) && put(&v, file, path, err);
    }
    jw_scratch_remove(v.work);
    return ok;
}
