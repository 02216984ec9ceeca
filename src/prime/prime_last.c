#include "prime/prime_last.h"

#include "base/num.h"
#include "cache/place/lookup.h"
#include "driver/probe/driver_known.h"
#include "prime/prime_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct jw_warm_entry *x = *(const struct jw_warm_entry *const *)a,
                               *y = *(const struct jw_warm_entry *const *)b;

    return x->name < y->name ? -1 : x->name > y->name;
}

/* One entry may be of modules of several receipts. */
static bool count_warm(struct jw_arena *a, const char *root, const struct prime_held *held, size_t n_held,
                       struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_cache_lookup lookup;
    const struct jw_warm_entry **all;
    uint64_t ignored;
    size_t n = 0;

    for (size_t i = 0; i < n_held; i++)
        n += held[i].receipt->n_entries;
    all = jw_arena_alloc(a, (n + 1) * sizeof *all);
    n = 0;
    for (size_t i = 0; i < n_held; i++) {
        const struct jw_warm_receipt *r = held[i].receipt;

        out->modules += jw_max(r->jobs, (uint64_t)r->n_entries) - r->n_entries;
        for (size_t k = 0; k < r->n_entries; k++)
            all[n++] = &r->entries[k];
    }
    if (n)
        qsort(all, n, sizeof *all, by_name);
    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0, next; i < n; i = next) {
        bool found = false;

        for (next = i; next < n && all[next]->name == all[i]->name; next++)
            found = found || jw_cache_finds_same(&lookup, all[next], &ignored);
        out->modules++;
        out->warm += found && !out->other_driver;
    }
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

/* The first that does not hold is named. */
static void replay(const struct prime_held *held, size_t n, const struct jw_trace *now,
                   struct jw_prime_last *out)
{
    for (size_t i = 0; i < n && !out->changed; i++) {
        const char *what;
        enum jw_trace_state state = prime_replay_held(held, i, now, &what);

        out->changed = state == JW_TRACE_CHANGED;
        out->gpus_unknown |= state == JW_TRACE_ASK_DRIVER;
        (void)snprintf(out->what, sizeof out->what, "%s", what ? what : "");
    }
    out->gpus_unknown &= !out->changed;
}

static bool look_at_receipts(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                             const struct jw_config *config, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_driver_state driver = { 0 };
    struct jw_notes notes = { 0 };
    struct prime_held *held;
    struct jw_trace now;
    size_t n;

    out->driver = jw_driver_known(a, &driver, &notes);
    if (out->driver && !look_at_commands(a, root, memory, driver.build, out, err))
        return false;
    prime_held_receipts(memory, config, a, &held, &n);
    if (!n)
        return memory->n_receipts /* of software that was removed since */
               || count_compiled(a, root, memory, out->driver ? driver.build : NULL, &out->compiled, err);
    out->known = true;
    out->other_driver = !out->driver;
    for (size_t i = 0; i < n; i++) {
        const struct jw_warm_receipt *r = held[i].receipt;

        if (r->when >= out->when) {
            out->when = r->when;
            (void)snprintf(out->driver_version, sizeof out->driver_version, "%s",
                           r->driver_version ? r->driver_version : "");
        }
        out->other_driver |= out->driver && strcmp(driver.build, r->build) != 0;
        out->partly |= prime_is_partly(r);
        if (held[i].narrow && !*out->narrow)
            (void)snprintf(out->narrow, sizeof out->narrow, "%s", held[i].narrow);
    }
    if (!count_warm(a, root, held, n, out, err))
        return false;
    if (out->other_driver)
        return true;
    if (!jw_trace_machine(a, &now, err))
        return false;
    replay(held, n, &now, out);
    return true;
}

bool jw_prime_last(const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   const struct jw_config *config, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };

    const char *setting = jw_cache_why_ignored(dir, &a);

    *out = (struct jw_prime_last){ .disabled = setting != NULL };
    (void)snprintf(out->setting, sizeof out->setting, "%s", setting ? setting : "");
    bool ok = !dir->root || look_at_receipts(&a, dir->root, memory, config, out, err);

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
                   : *l->narrow              ? l->narrow
                   : l->known || l->commands ? NULL
                   : l->compiled             ? "no prime has finished here"
                                             : "nothing was primed here yet",
    };
}
