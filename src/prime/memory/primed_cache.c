#include "prime/memory/primed_cache.h"

#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "machine/listing.h"
#include "os/files/real.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"

#include <string.h>

/* Returns the newest receipt of a prime that found something; NULL: there is none. */
static const struct jw_warm_receipt *newest(const struct jw_warm_state *memory)
{
    for (size_t i = 0; i < memory->n_receipts; i++)
        if (!prime_is_empty(&memory->receipts[i]))
            return &memory->receipts[i];
    return NULL;
}

static bool is_unknown(const struct jw_warm_state *memory, struct jw_arena *a)
{
    return !memory->n_receipts && !prime_has_commands(memory, a);
}

/* jitwarm makes caches of its own in the state folder, for GPUs that are not here. */
static bool is_own(const char *cache, struct jw_arena *a)
{
    struct jw_err ignored;
    const char *state = jw_state_dir(a, &ignored), *real;

    return state && jw_real_path(state, a, &real, &ignored) && jw_path_below(cache, real);
}

/* True if a recorded command chose this cache. Its entries are counted for that command. */
static bool is_chosen(const struct jw_warm_state *memory, const char *cache, struct jw_arena *a)
{
    struct jw_err ignored;

    for (size_t i = 0; i < memory->n_commands; i++) {
        const char *chosen = memory->commands[i].cache, *real = chosen;

        if (*chosen
            && (strcmp(chosen, cache) == 0
                || (jw_real_path(chosen, a, &real, &ignored) && strcmp(real, cache) == 0)))
            return true;
    }
    return false;
}

/* Found software is found again without a name. */
static void add_named(struct jw_texts *list, const char *target)
{
    const char *path = *target == '=' ? prime_target_path(target) : NULL;

    for (size_t i = 0; path && i < list->n; i++)
        if (strcmp(list->items[i], path) == 0)
            path = NULL;
    if (path && !jw_is_absent(path))
        list->items[list->n++] = path;
}

static struct jw_texts ever_named(const struct jw_warm_state *memory, struct jw_arena *a)
{
    size_t n;
    const char *const *targets = jw_warm_targets(memory, a, &n);
    struct jw_texts list = { .items = jw_arena_alloc(a, (n + 1) * sizeof *list.items) };

    for (size_t i = 0; i < n; i++)
        add_named(&list, targets[i]);
    return list;
}

/* Returns what is remembered of the cache that had this real path. `*there`: it still has it. */
static const struct jw_warm_state *memory_of(struct jw_session *s, const char *cache, struct jw_arena *a,
                                             bool *there)
{
    const char *now;
    struct jw_err ignored;

    *there = jw_is_folder(cache) && jw_real_path(cache, a, &now, &ignored) && strcmp(now, cache) == 0;
    if (*there)
        return jw_session_memory(s, cache);

    struct jw_warm_state *gone = jw_arena_alloc(a, sizeof *gone);

    jw_warm_load_cache(cache, a, gone);
    return gone;
}

bool prime_is_recorded_anywhere(struct jw_session *s, const struct jw_warm_state *memory, const char *command,
                                struct jw_arena *a)
{
    bool there, is = jw_warm_profile(memory, command) != NULL;
    size_t n = 0;
    const char *const *caches = is ? NULL : jw_warm_caches(a, &n);

    for (size_t i = 0; i < n && !is; i++)
        is = !is_own(caches[i], a) && jw_warm_profile(memory_of(s, caches[i], a, &there), command);
    return is;
}

/* Was the cache moved, and does a link lead from its path to where it is now? */
static bool leads_to(const char *cache, const char *real, struct jw_arena *a)
{
    struct jw_err ignored;
    const char *now;

    return jw_real_path(cache, a, &now, &ignored) && strcmp(now, real) == 0;
}

bool prime_find_primed_cache(struct jw_session *s, const char *cache, const struct jw_warm_state *memory,
                             struct jw_arena *a, struct prime_primed_cache *out)
{
    const struct jw_warm_receipt *last = NULL;
    const char *why, *usual = jw_cachedir_default(a, &why), *real = cache;
    struct jw_err ignored;
    size_t n = 0;

    *out = (struct prime_primed_cache){ 0 };
    if (!is_unknown(memory, a) || !jw_real_path(cache, a, &real, &ignored) || is_own(real, a))
        return false;
    const char *const *caches = jw_warm_caches(a, &n);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(caches[i], real) == 0 || is_own(caches[i], a) || is_chosen(memory, caches[i], a))
            continue;
        bool there;
        const struct jw_warm_state *other = memory_of(s, caches[i], a, &there);
        const struct jw_warm_receipt *r = newest(other);

        if (!r || (last && r->when <= last->when))
            continue;
        const struct jw_texts named = ever_named(other, a);
        const char *folder, *command = prime_recorded_start(other, &folder);

        if (!there && !named.n && !command && !leads_to(caches[i], real, a))
            continue; /* a cache that was made for a while, as its software, which is gone, too */
        last = r;
        out->path = caches[i];
        out->there = there;
        out->named = named;
        out->command = command;
        out->folder = folder;
    }
    if (!last)
        return false;
    if (usual && jw_real_path(usual, a, &usual, &ignored))
        out->usual = strcmp(usual, out->path) == 0;
    out->words = jw_arena_printf(a, "nothing was primed for this cache yet; what was primed %s in %s%s",
                                 out->there ? "is" : "was", out->path,
                                 out->there                ? ""
                                 : jw_is_folder(out->path) ? ", which is a link now"
                                                           : ", which is gone");
    return true;
}
