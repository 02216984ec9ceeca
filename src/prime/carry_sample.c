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
static bool is_quick(const struct jw_look *l, const struct jw_job *j)
{
    unsigned branch = jw_branch_of(l->scope.version);
    double usual = jw_compile_seconds(branch, j->ptx_bytes, j->kernels);

    return usual * (l->slowness > 0 ? l->slowness : 1) <= MOMENT_S;
}

/* The smallest of each kind, and one more: the largest that is quick, for the more code is compared
 * the better; else the next one. */
static void choose(const struct jw_look *l, struct jw_job **jobs, size_t n)
{
    struct jw_job *other = NULL;

    for (size_t i = 0; i < n; i++) {
        jobs[i]->sampled = !has_kind(jobs, i, jobs[i]);
        if (!jobs[i]->sampled && (!other || is_quick(l, jobs[i])))
            other = jobs[i];
    }
    if (other)
        other->sampled = true;
}

static bool is_sampled(const struct jw_job *j) { return j->sampled; }

/* Is the entry that the driver made just now the old one with another stamp? */
static bool is_same(const struct jw_prime *p, const struct jw_job *j, const char *cache)
{
    const struct jw_scope *scope = &p->look->scope;
    const char *path = jw_cache_entry_path(cache, j->name, p->run->a);
    struct jw_buf made = JW_BUF((size_t)j->old->size + 1);
    struct jw_buf old = JW_BUF((size_t)j->old->size + 1);
    bool found = false;
    bool same = jw_file_slurp(path, &made, &found, JW_IGNORED) && found
                && restamp_read(scope->cache, j->old, scope->stamp, &old) && made.n == old.n
                && memcmp(made.p, old.p, old.n) == 0;

    jw_buf_free(&made);
    jw_buf_free(&old);
    return same;
}

bool carry_sample(struct jw_prime *p, struct jw_job **jobs, size_t n, const char **differs,
                  struct jw_err *err)
{
    char *cache = NULL;

    choose(p->look, jobs, n);
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
