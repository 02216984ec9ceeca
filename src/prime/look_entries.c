/* Modules whose PTX an entry has: those of recorded commands that are in no file, and those that an
 * import asks about. */
#include "prime/look_work.h"

#include "prime/kept.h"

static void take_kept(struct jw_run *run, struct looking *x, const struct jw_root *r, size_t module)
{
    struct jw_look *look = x->look;
    const char *path = jw_kept_path(look->memory, r->modules[module].id, run->a);
    struct jw_file_info info;
    struct jw_err gone = {0};
    bool there = jw_file_stat(path, &info, &gone) && info.size > JW_CACHE_HEADER;
    bool any = false;

    for (size_t i = 0; there && i < look->scope.sms.n; i++) {
        uint16_t needs = 0;
        struct jw_job j = {.key_size = info.size - JW_CACHE_HEADER, .sm = look->scope.sms.v[i]};

        if (!jw_entry_job(run->a, &look->scope, path, &needs, &j))
            continue;
        any = j.used = true;
        if (needs)
            look_block(look, j.place->path, needs);
        else
            look_add(x, &j);
    }
    if (!any) {
        look->sourceless++;
        look_lost(run, look, r);
    }
}

void look_entries_kept(struct jw_run *run, struct looking *x)
{
    const struct jw_roots *roots = &x->look->roots;

    for (const struct jw_root *r = roots->v; r < roots->v + roots->n; r++) {
        if (!look_files_want(x, r))
            continue;
        for (size_t i = 0; i < r->n_modules; i++)
            if (!r->modules[i].file)
                take_kept(run, x, r, i);
    }
}

bool jw_look_entries(struct jw_run *run, struct jw_look *look, struct jw_job *jobs, size_t n,
                     struct jw_err *err)
{
    if (!jw_cache_lookup_open(look->scope.cache, run->a, &look->cache, err))
        return false;
    look->jobs = jobs;
    for (size_t i = 0; i < n; i++) {
        const char *path = jw_cache_entry_path(look->scope.cache, jobs[i].name, run->a);

        jw_job_becomes(&jobs[i], JW_MODULE_WARM, NULL);
        if (!jw_not_interrupted(run->interrupted, err))
            return false;
        if (jw_entry_job(run->a, &look->scope, path, NULL, &jobs[i]))
            jobs[look->n_jobs++] = jobs[i];
    }
    look->looked = true;
    return true;
}
