/*
 * Chooses the files and folders to prime: the given paths, or those that earlier runs recorded and the software found
 * now.
 */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/place/cacheplace.h"
#include "machine/config.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "software/find/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_target(struct prime *p, const char *path, unsigned depth, bool named, struct jw_err *err)
{
    for (size_t i = 0; i < p->n_targets; i++)
        if (strcmp(p->targets[i].path, path) == 0) {
            p->targets[i].named |= named;
            if (depth > p->targets[i].depth)
                p->targets[i].depth = depth;
            return true;
        }
    struct prime_target *t = jw_list_add(p->a, &p->targets, &p->n_targets, sizeof *t, JW_MAX_ROOTS, err);

    if (t)
        *t = (struct prime_target){ .path = path, .depth = depth, .named = named };
    return t != NULL;
}

/* Makes the given paths absolute, so that a run in another folder means the same. */
static bool add_given(struct prime *p, struct jw_err *err)
{
    for (size_t i = 0; i < p->o->n_paths; i++) {
        const char *path = p->o->paths[i], *real;
        struct jw_file_info info;

        if (!jw_file_stat(path, &info, err) || !jw_real_path(path, p->a, &real, err))
            return jw_wrap(err, "%s", path);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", path);
        if (info.kind == JW_FILE_REGULAR && jw_text_ends(path, ".cu"))
            return jw_fail(err, JW_E_USAGE, "%s is a source: jitwarm compile %s -o FILE.ptx makes PTX of it",
                           path, path);
        if (!add_target(p, real, JW_MAX_DEPTH, true, err))
            return false;
    }
    p->out->targets_from = "given";
    return true;
}

/* A receipt has "=PATH" for named paths, and "DEPTH PATH" for found ones. */
static bool add_recorded_one(struct prime *p, const char *text, struct jw_err *err)
{
    char *path;
    unsigned long depth;

    if (*text == '=')
        return add_target(p, text + 1, JW_MAX_DEPTH, true, err);
    depth = strtoul(text, &path, 10);
    if (*path != ' ' || depth > JW_MAX_DEPTH)
        return true;
    return add_target(p, path + 1, (unsigned)depth, false, err);
}

/* Is it, or a folder above it, excluded now? */
static bool is_excluded(const struct prime *p, const char *path)
{
    for (const char *below = NULL; path && (!below || strcmp(path, below) != 0);
         below = path, path = jw_path_dir(p->a, path))
        for (size_t i = 0; i < p->o->n_exclude; i++)
            if (jw_path_match(p->o->exclude[i], path))
                return true;
    return false;
}

/* Forgets targets that are gone, such as a removed environment. */
static bool add_recorded(struct prime *p, struct jw_err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->memory.n_receipts; i++)
        for (size_t k = 0; k < p->memory.receipts[i].n_targets; k++)
            if (!add_recorded_one(p, p->memory.receipts[i].targets[k], err))
                return false;
    for (size_t i = 0; i < p->n_targets; i++) {
        struct jw_file_info info;
        struct jw_err ignored;

        if (jw_file_stat(p->targets[i].path, &info, &ignored) && info.kind != JW_FILE_NONE
            && (p->targets[i].named || !is_excluded(p, p->targets[i].path)))
            p->targets[kept++] = p->targets[i];
    }
    p->n_targets = kept;
    p->out->targets_from = "recorded";
    return true;
}

/* Accepts these roots even if other users may write there: this user or root named them in jitwarm.conf. */
static bool accept_roots(struct prime *p, const struct jw_conf_list *roots, struct jw_err *err)
{
    for (size_t i = 0; p->o->own && i < roots->n; i++) {
        const char *path = roots->v[i].value, **slot;

        if (roots->v[i].doubt || !jw_is_folder(path))
            continue;
        slot = jw_list_add(p->a, &p->vouched, &p->n_vouched, sizeof *slot, JW_MAX_ROOTS, err);
        if (!slot || !add_target(p, path, JW_MAX_DEPTH, false, err))
            return false;
        *slot = path;
    }
    return true;
}

/* A folder that one search leaves out may be below a root of another. */
static bool is_searched(const struct jw_discovery *d, const char *folder)
{
    for (size_t i = 0; i < d->n_roots; i++)
        if (prime_below(d->roots[i].path, folder))
            return true;
    return false;
}

static bool add_found(struct prime *p, struct jw_err *err)
{
    struct jw_config config;
    struct jw_discovery d;

    if (!jw_config_load(p->a, &config, err))
        return false;
    for (size_t i = 0; i < config.warnings.n; i++)
        prime_note(p, "%s", config.warnings.v[i]);
    /* With recorded targets this runs every time, so it starts no process. */
    struct jw_err no_state = { 0 };
    const char *state = jw_state_dir(p->a, &no_state);
    struct jw_discover_options o = { .roots = config.roots.v,
                                     .n_roots = config.roots.n,
                                     .ask_nobody = p->n_targets > 0,
                                     .memory = state ? jw_path_join(p->a, state, "walks") : NULL,
                                     .exclude = p->o->exclude,
                                     .n_exclude = p->o->n_exclude };
    size_t before = p->n_targets;

    if (!jw_discover(&o, p->a, &d, err))
        return false;
    p->loaded = d.loaded;
    for (size_t i = 0; i < d.n_roots; i++)
        if (!add_target(p, d.roots[i].path, d.roots[i].depth, false, err))
            return false;
    if (!accept_roots(p, &config.roots, err))
        return false;
    for (size_t i = 0; d.cut_short && i < d.notes.n; i++)
        prime_note(p, "%s", d.notes.v[i]);
    for (size_t i = 0; i < config.roots.n; i++)
        if (!jw_is_folder(config.roots.v[i].value))
            prime_note(p, "%s was not searched: it is not a folder here (%s)", config.roots.v[i].value,
                       config.roots.v[i].origin);
    if (!before)
        p->out->targets_from = "found";
    p->out->places = d.n_roots;
    for (size_t i = 0; i < d.n_passed; i++)
        if (d.passed[i].important && !is_searched(&d, d.passed[i].path))
            prime_note(p, "%s was not searched: %s", d.passed[i].path, d.passed[i].why);
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct prime_target *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static void report(struct prime *p)
{
    const char **list = jw_arena_alloc(p->a, (p->n_targets + 1) * sizeof *list);

    for (size_t i = 0; i < p->n_targets; i++)
        list[i] = p->targets[i].path;
    p->out->targets = list;
    p->out->n_targets = p->n_targets;
}

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, JW_DIGEST);
}

static bool recall_profile(struct prime *p)
{
    for (size_t i = 0; i < p->memory.n_profiles; i++) {
        const struct jw_warm_profile *known = &p->memory.profiles[i];

        if (strcmp(known->key, p->o->profile) != 0)
            continue;
        p->profile = jw_arena_copy(p->a, known->ids, known->n * sizeof *known->ids);
        p->n_profile = known->n;
        qsort(p->profile, p->n_profile, sizeof *p->profile, by_digest);
        p->out->profile_known = true;
        p->out->profile_modules = known->n;
        return true;
    }
    return prime_end(p, JW_END_NOTHING, "%s", "");
}

/* Users may mistake other programs' caches for the driver's. */
static void name_others(struct prime *p)
{
    struct jw_other_cache list[JW_OTHER_CACHES];
    size_t n;

    if (p->o->n_paths || p->o->profile || p->o->run || p->wide)
        return;
    jw_other_caches(p->a, list, &n);
    for (size_t i = 0; i < n; i++)
        prime_note(p, "%s has a cache of its own in %s, which jitwarm does not change", list[i].owner,
                   list[i].path);
}

bool prime_choose_targets(struct prime *p, struct jw_err *err)
{
    jw_warm_load(p->dir.root, p->a, &p->memory);
    for (size_t i = 0; i < p->memory.notes.n; i++)
        prime_note(p, "%s", p->memory.notes.v[i]);
    if (p->o->renew)
        return true; /* the targets come from the cache */
    if (p->o->n_paths ? !add_given(p, err) : !add_recorded(p, err))
        return false;
    if (p->o->profile && !recall_profile(p))
        return false;
    if (p->ended)
        return true;
    if (!p->n_targets && p->o->if_stale)
        return prime_end(p, JW_END_NOTHING, "nothing was primed here yet (run jitwarm prime once)");
    bool look = !p->o->n_paths && !p->o->run && !p->o->profile;

    if ((look || (p->wide && !p->o->n_paths)) && !add_found(p, err))
        return false;
    if (p->n_targets)
        qsort(p->targets, p->n_targets, sizeof *p->targets, by_path);
    name_others(p);
    report(p);
    return true;
}
