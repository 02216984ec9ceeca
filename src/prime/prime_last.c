#include "prime/prime_last.h"

#include "base/num.h"
#include "cache/place/lookup.h"
#include "driver/probe/driver_known.h"
#include "prime/prime_work.h"

#include <stdio.h>
#include <string.h>

static bool count_warm(struct jw_arena *a, const char *root, const struct jw_warm_receipt *r, uint64_t *warm,
                       struct jw_err *err)
{
    struct jw_cache_lookup lookup;
    uint64_t ignored;

    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0; i < r->n_entries; i++)
        *warm += jw_cache_finds_same(&lookup, &r->entries[i], &ignored);
    jw_cache_lookup_close(&lookup);
    return true;
}

/* Has it loaded no entry when it was recorded? Of which driver build that was is not recorded. */
static bool loads_nothing(const struct jw_warm_state *memory, const struct jw_warm_profile *p)
{
    for (size_t i = 0; i < memory->n_loads; i++)
        if (strcmp(memory->loads[i].key, p->key) == 0)
            return false;
    return !p->n && jw_warm_command(memory, p->key);
}

static bool look_at_commands(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                             const char *build, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0; i < memory->n_loads; i++) {
        const struct jw_warm_loads *one = &memory->loads[i];

        if (strcmp(one->build, build) != 0)
            continue;
        out->commands++;
        out->loads += one->n;
        for (size_t k = 0; k < one->n; k++)
            out->loads_found += jw_cache_finds_name(&lookup, one->list[k].name);
    }
    for (size_t i = 0; i < memory->n_profiles; i++)
        out->commands += loads_nothing(memory, &memory->profiles[i]);
    jw_cache_lookup_close(&lookup);
    return true;
}

/* What an unfinished prime, or packs, left in the cache. */
static bool count_compiled(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                           const char *build, uint64_t *n, struct jw_err *err)
{
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0; build && i < memory->n_jobs; i++)
        *n += strcmp(memory->jobs[i].build, build) == 0
              && (!memory->jobs[i].name || jw_cache_finds_name(&lookup, memory->jobs[i].name));
    for (size_t i = 0, jobs = *n; !jobs && i < memory->n_owned; i++)
        *n += jw_cache_finds_name(&lookup, memory->owned[i].name);
    jw_cache_lookup_close(&lookup);
    return true;
}

static bool look_at_receipt(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                            struct jw_prime_last *out, struct jw_err *err)
{
    const struct jw_warm_receipt *r = prime_newest_receipt(memory);
    struct jw_driver_state driver = { 0 };
    struct jw_notes notes = { 0 };
    struct jw_trace now;
    const char *what;

    out->driver = jw_driver_known(a, &driver, &notes);
    if (out->driver && !look_at_commands(a, root, memory, driver.build, out, err))
        return false;
    if (!r)
        return memory->n_receipts /* of software that was removed since */
               || count_compiled(a, root, memory, out->driver ? driver.build : NULL, &out->compiled, err);
    out->known = true;
    out->modules = jw_max(r->jobs, (uint64_t)r->n_entries);
    out->when = r->when;
    (void)snprintf(out->driver_version, sizeof out->driver_version, "%s",
                   r->driver_version ? r->driver_version : "");
    out->other_driver = !out->driver || strcmp(driver.build, r->build) != 0;
    out->partly = prime_is_partly(r);
    if (out->other_driver)
        return true;
    if (!jw_trace_machine(a, &now, err))
        return false;
    enum jw_trace_state state = jw_trace_replay(r, &now, &what);

    out->changed = state == JW_TRACE_CHANGED;
    out->gpus_unknown = state == JW_TRACE_ASK_DRIVER;
    (void)snprintf(out->what, sizeof out->what, "%s", what ? what : "");
    return count_warm(a, root, r, &out->warm, err);
}

bool jw_prime_last(const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };

    const char *setting = jw_cache_why_ignored(dir, &a);

    *out = (struct jw_prime_last){ .disabled = setting != NULL };
    (void)snprintf(out->setting, sizeof out->setting, "%s", setting ? setting : "");
    bool ok = !dir->root || look_at_receipt(&a, dir->root, memory, out, err);

    jw_arena_free(&a);
    return ok;
}

struct jw_next_start_facts jw_prime_last_facts(const struct jw_prime_last *l)
{
    return (struct jw_next_start_facts){
        .modules = l->modules,
        .warm = l->warm,
        .lost = l->loads - l->loads_found,
        .setting = l->disabled ? l->setting : NULL,
        .other_driver = l->other_driver,
        .changed = l->changed ? l->what : NULL,
        .gpus_unknown = l->gpus_unknown,
        .unasked = l->partly                 ? "not all could be read or compiled"
                   : l->known || l->commands ? NULL
                   : l->compiled             ? "no prime has finished here"
                                             : "nothing was primed here yet",
    };
}
