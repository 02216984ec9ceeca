/* Writes files for workers, of PTX that none can read where it is: kept for a command, or in a
 * wheel. */
#include "prime/look_work.h"

#include "base/sort.h"
#include "os/files/scratch.h"

#include <string.h>

static bool spool_entries(struct jw_run *run, struct jw_look *look, const char *work,
                          bool (*wanted)(const struct jw_job *j), struct jw_err *err)
{
    for (size_t i = 0; i < look->n_jobs; i++) {
        const struct jw_job *j = &look->jobs[i];

        if (wanted(j) && !j->place->disk && j->place->entry
            && !jw_entry_spool(run->a, work, j, err))
            return false;
    }
    return true;
}

static int by_job(const void *a, const void *b)
{
    return memcmp(((const struct jw_job *)a)->id, ((const struct jw_job *)b)->id, JW_DIGEST);
}

/* Unpacks members of wheels that a worker has to read. The wheels are read a second time for
 * that. */
static bool spool_members(struct jw_run *run, struct jw_look *look, const char *work,
                          bool (*wanted)(const struct jw_job *j), struct jw_err *err)
{
    struct jw_scan_folder *wheels = jw_arena_alloc(run->a, (look->n_jobs + 1) * sizeof *wheels);
    struct scan_jobs members = {0};
    char *folder = NULL;
    size_t n = 0;

    for (size_t i = 0; i < look->n_jobs; i++) {
        const struct jw_place *at = look->jobs[i].place;

        if (wanted(&look->jobs[i]) && !at->disk && at->packed_in
            && !jw_named_above(wheels, n, at->packed_in) && jw_is_file(at->packed_in))
            wheels[n++] = (struct jw_scan_folder){.path = at->packed_in, .named = true};
    }
    if (!n)
        return true;
    struct scan_jobs_options o = look_files_scan(run->session, &look->scope, wheels, n);

    o.scan.all = true;
    bool ok = jw_scratch_make(work, "wheels", run->a, &folder, err);

    o.spool = folder;
    ok = ok && scan_jobs_find(&o, &members, err);

    jw_sort(members.list, members.n, sizeof *members.list, by_job);
    for (size_t i = 0; ok && i < look->n_jobs; i++) {
        struct jw_place *at = look->jobs[i].place;
        const struct jw_job *found = at->disk ? NULL
                                              : jw_search(&look->jobs[i], members.list, members.n,
                                                          sizeof *members.list, by_job);

        if (found) {
            const char *path = at->path;

            *at = *found->place;
            at->path = path;
            at->disk = jw_arena_str(run->a, at->disk);
        }
    }
    scan_jobs_free(&members);
    return ok;
}

bool spool_jobs(struct jw_run *run, struct jw_look *look, const char *work,
                bool (*wanted)(const struct jw_job *j), struct jw_err *err)
{
    return spool_entries(run, look, work, wanted, err)
           && spool_members(run, look, work, wanted, err);
}
