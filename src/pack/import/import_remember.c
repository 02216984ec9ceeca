/* Remembers entries for software that nobody looked for (--everything): if some are gone later, each verb says so. */
#include "pack/import/import_work.h"

#include "cache/place/lookup.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

/* The file of a folder of packs, and a path that depends on no folder. */
static const char *whole_path(const struct import *im, const char *path)
{
    struct jw_err ignored;
    const char *whole;

    return jw_real_path(path, im->run->a, &whole, &ignored) ? whole : path;
}

static void add_paths(const struct import *im, const struct jw_texts *paths, const char *option,
                      const char **words, size_t *n)
{
    for (size_t i = 0; i < paths->n; i++) {
        if (option)
            words[(*n)++] = option;
        words[(*n)++] = whole_path(im, paths->items[i]);
    }
}

/* None for a stream. */
static void find_words(const struct import *im, struct jw_warm_import *out)
{
    const struct jw_import_options *o = im->o;
    const char **words = jw_arena_alloc(im->run->a, (o->paths.n + 2 * o->trust.n + 5) * sizeof *words);
    size_t n = 0;

    if (!o->pulled && strcmp(o->file, "-") == 0)
        return;
    words[n++] = o->pulled ? "pull" : "import";
    if (o->allow_unsigned)
        words[n++] = "--allow-unsigned";
    if (o->everything)
        words[n++] = "--everything";
    if (o->as_root)
        words[n++] = "--as-root";
    add_paths(im, &o->trust, "--trust", words, &n);
    words[n++] = o->pulled ? o->pulled : out->pack;
    add_paths(im, &o->paths, NULL, words, &n);
    out->words = words;
    out->n_words = n;
}

/* Another shell's programs may use it. If the system lists no GPU, a variable alone may hide it. */
static bool is_gpu_hidden(const struct import *im)
{
    const struct jw_host_gpus *here = jw_session_gpus(im->run->session);
    bool hidden = !here->n && jw_env(im->run->a, "CUDA_VISIBLE_DEVICES");

    for (size_t i = 0; i < here->n && !hidden; i++)
        hidden = here->gpus[i].sm == im->manifest->sm;
    return hidden;
}

/* Another import would not bring it, either: it is not missed any more. */
void import_withdraw(struct import *im)
{
    const char *pack = whole_path(im, im->o->file), *build = prime_build(&im->ctx.driver);
    const struct jw_warm_state *memory;
    struct jw_err ignored;

    if (!im->ctx.cache.log || im->out->n_factors > 1 || strcmp(im->out->factors[0].name, "sm") != 0
        || is_gpu_hidden(im))
        return;
    memory = jw_session_memory_now(im->run->session, im->ctx.cache.folder);
    for (size_t i = 0; i < memory->n_imports; i++) {
        struct jw_warm_import of = memory->imports[i];

        if (of.sm != im->manifest->sm || strcmp(of.pack, pack) != 0 || strcmp(of.build, build) != 0)
            continue;
        of.n_words = of.n_entries = 0;
        if (jw_warm_add(im->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_IMPORT, .as.import = of },
                        &ignored))
            JW_NOTE(im->run, "what an import of it brought for sm_%u is not looked for any more",
                    (unsigned)of.sm);
    }
}

static bool is_in_cache(const struct jw_import_entry *e)
{
    return e->state == JW_IMPORT_IMPORTED || e->state == JW_IMPORT_PRESENT;
}

static bool list_entries(const struct import *im, struct jw_warm_import *out, struct jw_err *err)
{
    struct jw_warm_entry *entries = jw_arena_alloc(im->run->a, (im->out->n_entries + 1) * sizeof *entries);
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(im->ctx.cache.folder, im->run->a, &lookup, err))
        return false;
    for (size_t i = 0; i < im->out->n_entries; i++) {
        const struct jw_pack_entry *of = im->out->entries[i].of;

        if (is_in_cache(&im->out->entries[i]))
            entries[out->n_entries++] = (struct jw_warm_entry){ .name = of->name,
                                                                .bytes = import_bytes(of),
                                                                .identity = jw_cache_identity_of(
                                                                    &lookup, of->name, import_bytes(of)) };
    }
    jw_cache_lookup_close(&lookup);
    out->entries = entries;
    return true;
}

/* Entries that software here asks for are remembered with it (import_remember_targets), those that a command loads
 * with the command, and what comes from this user's own store was primed. */
bool import_remember(struct import *im, struct jw_err *err)
{
    const struct jw_import_options *o = im->o;
    struct jw_warm_import of = { .build = prime_build(&im->ctx.driver), .sm = im->manifest->sm };
    struct jw_warm_fact fact = { .kind = JW_WARM_IMPORT };
    struct jw_err why = { 0 };

    if (!import_wants_all(im) || im->manifest->command || o->of_source || o->from_own_store
        || !(im->out->counts[JW_IMPORT_IMPORTED] + im->out->counts[JW_IMPORT_PRESENT]))
        return true;
    of.pack = strcmp(o->file, "-") == 0 ? "" : whole_path(im, o->file);
    find_words(im, &of);
    if (!list_entries(im, &of, err))
        return false;
    fact.as.import = of;
    if (jw_warm_add(im->ctx.cache.log, &fact, &why))
        return jw_warm_sync(im->ctx.cache.log, err);
    if (why.code != JW_E_LIMIT)
        return jw_fail(err, why.code, "%s", why.msg);
    JW_NOTE(im->run, "what it brought could not be remembered, and is not missed when it is gone: %s",
            why.msg);
    return true;
}
