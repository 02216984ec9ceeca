/* Compares the newest receipt with the files and the cache as they are now. */
#include "prime/prime_work.h"

#include "base/num.h"
#include "cache/format/sorted.h"
#include "cache/place/cachedir.h"
#include "driver/probe/driver_known.h"

#include <stdio.h>
#include <string.h>

/* Counts by the index, which is a single file. */
static bool count_warm(const char *root, const struct jw_warm_receipt *r, uint64_t *warm, struct jw_err *err)
{
    struct jw_index_file index = { 0 };

    if (!jw_index_load(root, 3, &index, err))
        return false;
    const struct jw_cache_index *records = &index.records;

    if (index.found && !index.damage[0]) {
        jw_sort_u64(records->list, records->n, sizeof *records->list);
        for (size_t i = 0; i < r->n_entries; i++)
            *warm +=
                jw_find_u64(records->list, records->n, sizeof *records->list, r->entries[i].name) != NULL;
    }
    jw_cache_index_free(&index.records);
    return true;
}

static bool look_at_receipt(struct jw_arena *a, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_warm_state memory = { 0 };
    struct jw_driver_state driver = { 0 };
    struct jw_cachedir dir = { 0 };
    const struct jw_warm_receipt *r;
    struct jw_warm_holder holder = { 0 };
    struct jw_notes notes;
    bool found, busy = false;

    jw_cachedir_find(NULL, a, &dir);
    out->disabled = dir.disabled;
    if (!dir.root)
        return true;
    if (jw_warm_busy(dir.root, a, &busy, &holder, &(struct jw_err){ 0 }) && busy)
        out->running = holder.pid;
    jw_warm_load(dir.root, a, &memory);
    found = jw_driver_known(a, &driver, &notes);
    for (size_t i = 0; found && i < memory.n_jobs; i++)
        out->compiled += strcmp(memory.jobs[i].build, driver.build) == 0;
    if (!memory.n_receipts)
        return true;
    r = &memory.receipts[0];
    *out = (struct jw_prime_last){ .running = out->running,
                                   .compiled = out->compiled,
                                   .known = true,
                                   .disabled = dir.disabled,
                                   .modules = jw_max(r->jobs, (uint64_t)r->n_entries),
                                   .when = r->when };
    (void)snprintf(out->driver_version, sizeof out->driver_version, "%s",
                   r->driver_version ? r->driver_version : "");
    out->other_driver = !found || strcmp(driver.build, r->build) != 0;
    out->partly = prime_is_partly(r);
    out->changed = !prime_same_files(r);
    return out->other_driver || count_warm(dir.root, r, &out->warm, err);
}

bool jw_prime_last(struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };

    *out = (struct jw_prime_last){ 0 };
    bool ok = look_at_receipt(&a, out, err);

    jw_arena_free(&a);
    return ok;
}
