/* Does this driver make the same bytes? It compiles a few modules in a folder of its own, and each
 * of its entries is compared with the one that would be carried over. */
#include "prime/carry.h"

#include "cache/change/restamp.h"
#include "facts/compile_time.h"
#include "os/files/scratch.h"
#include "prime/compile.h"
#include "prime/look_work.h"

#include <string.h>

#define MOMENT_S 0.5

/* Has the sample one of this architecture, a module or an input of the linker as it is? */
static bool has_kind(struct jw_job *const *jobs, size_t n, const struct jw_job *of)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i]->sampled && jobs[i]->sm == of->sm && jobs[i]->place->link == of->place->link)
            return true;
    return false;
}

/* Is it compiled within a moment, as far as is known before? */
static bool is_quick(const struct jw_look *look, const struct jw_job *j)
{
    unsigned branch = jw_branch_of(look->scope.version);
    double usual = jw_compile_seconds(branch, j->ptx_bytes, j->kernels);

    return usual * (look->slowness > 0 ? look->slowness : 1) <= MOMENT_S;
}

/* Reads the old entry with the new stamp; false: it is damaged or gone. */
static bool read_old(const struct jw_prime *p, const struct jw_job *j, struct jw_buf *out)
{
    const struct jw_scope *scope = &p->look->scope;
    const struct restamp_entry e = {.old = j->old, .name = j->name};

    return restamp_read(scope->cache, &e, scope->stamp, out);
}

/* A module whose old entry is damaged is compiled like those that have none. */
static bool take_whole(const struct jw_prime *p, struct jw_job *j)
{
    struct jw_buf old = JW_BUF((size_t)j->old->size + 1);

    j->sampled = read_old(p, j, &old);
    if (!j->sampled)
        j->old = NULL;
    jw_buf_free(&old);
    return j->sampled;
}

/* One more than the smallest of each kind: the largest that is quick, for the more code is compared
 * the better; else the smallest. */
static void take_another(const struct jw_prime *p, struct jw_job **jobs, size_t n)
{
    for (size_t i = n; i--;)
        if (jobs[i]->old && !jobs[i]->sampled && is_quick(p->look, jobs[i])
            && take_whole(p, jobs[i]))
            return;
    for (size_t i = 0; i < n; i++)
        if (jobs[i]->old && !jobs[i]->sampled && take_whole(p, jobs[i]))
            return;
}

static void choose(const struct jw_prime *p, struct jw_job **jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!has_kind(jobs, i, jobs[i]))
            (void)take_whole(p, jobs[i]);
    take_another(p, jobs, n);
}

static bool is_sampled(const struct jw_job *j) { return j->sampled; }

/* Is the entry that the driver made just now the old one with another stamp? */
static bool is_same(const struct jw_prime *p, const struct jw_job *j, const char *cache)
{
    const char *path = jw_cache_entry_path(cache, j->name, p->run->a);
    struct jw_buf made = JW_BUF((size_t)j->old->size + 1);
    struct jw_buf old = JW_BUF((size_t)j->old->size + 1);
    bool found = false;
    bool same = jw_file_slurp(path, &made, &found, JW_IGNORED) && found && read_old(p, j, &old)
                && made.n == old.n && memcmp(made.p, old.p, old.n) == 0;

    jw_buf_free(&made);
    jw_buf_free(&old);
    return same;
}

bool carry_sample(struct jw_prime *p, struct jw_job **jobs, size_t n, const char **differs,
                  struct jw_err *err)
{
    char *cache = NULL;

    choose(p, jobs, n);
    bool ok = jw_scratch_make(p->hold.work, "sample", p->run->a, &cache, err)
              && spool_jobs(p->run, p->look, p->hold.work, is_sampled, err);

    for (size_t i = 0; ok && !*differs && i < n; i++) {
        if (!jobs[i]->sampled)
            continue;
        jw_run_show(p->run, "comparing with entries of another driver", 0, 0);
        ok = compile_apart(p, jobs[i], cache, NULL, err);
        if (ok && !is_same(p, jobs[i], cache))
            *differs = jobs[i]->place->path;
    }
    jw_scratch_remove(cache);
    return ok;
}
