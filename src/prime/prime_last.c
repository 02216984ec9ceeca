/* Compares the newest receipt with the files and the cache as they are now. */
#include "prime/prime_work.h"

#include "base/num.h"
#include "cache/place/lookup.h"
#include "driver/probe/driver_known.h"

#include <stdio.h>
#include <string.h>

static bool count_warm(struct jw_arena *a, const char *root, const struct jw_warm_receipt *r, uint64_t *warm,
                       struct jw_err *err)
{
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0; i < r->n_entries; i++)
        *warm += jw_cache_finds(&lookup, r->entries[i].name, r->entries[i].bytes);
    jw_cache_lookup_close(&lookup);
    return true;
}

static bool look_at_receipt(const char *cache, struct jw_arena *a, struct jw_prime_last *out,
                            struct jw_err *err)
{
    struct jw_warm_state memory = { 0 };
    struct jw_driver_state driver = { 0 };
    struct jw_cachedir dir = { 0 };
    const struct jw_warm_receipt *r;
    struct jw_warm_holder holder = { 0 };
    struct jw_notes notes;
    bool found, busy = false;

    jw_cachedir_find(cache, a, &dir);
    out->disabled = dir.disabled;
    if (!dir.root)
        return true;
    if (jw_warm_busy(dir.root, a, &busy, &holder, &(struct jw_err){ 0 }) && busy)
        out->running = holder.pid;
    jw_warm_load(dir.root, a, &memory);
    found = jw_driver_known(a, &driver, &notes);
    out->driver = found;
    for (size_t i = 0; found && i < memory.n_jobs; i++)
        out->compiled += strcmp(memory.jobs[i].build, driver.build) == 0;
    r = prime_newest_receipt(&memory);
    if (!r) {
        out->compiled = memory.n_receipts ? 0 : out->compiled; /* of software that was removed since */
        return true;
    }
    *out = (struct jw_prime_last){ .running = out->running,
                                   .compiled = out->compiled,
                                   .driver = found,
                                   .known = true,
                                   .disabled = dir.disabled,
                                   .modules = jw_max(r->jobs, (uint64_t)r->n_entries),
                                   .when = r->when };
    (void)snprintf(out->driver_version, sizeof out->driver_version, "%s",
                   r->driver_version ? r->driver_version : "");
    out->other_driver = !found || strcmp(driver.build, r->build) != 0;
    out->partly = prime_is_partly(r);
    out->changed = !prime_same_files(r);
    return out->other_driver || count_warm(a, dir.root, r, &out->warm, err);
}

bool jw_prime_last(const char *cache, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };

    *out = (struct jw_prime_last){ 0 };
    bool ok = look_at_receipt(cache, &a, out, err);

    jw_arena_free(&a);
    return ok;
}
