#include "prime/prime_pass.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SLOW_MS = 500 };

/* ---- by its own entry ---- */

static const char *by_entry(const struct pass *v, const struct jw_job *j)
{
    const struct jw_cache_file *was = jw_cache_file_find(&v->before, j->name),
                               *is = jw_cache_file_find(&v->after, j->name);

    if (was && is && was->mtime == is->mtime && was->size == is->size && !was->damage)
        return NULL;
    if (was && is && !was->damage && !was->indexed)
        return "in the cache, but its index did not name it";
    if (!was && is)
        return "gone from the cache: evicted, or removed by another program";
    if (!was)
        return "not cached: larger than the limit of this environment, or the cache is not used at all";
    if (!is)
        return "evicted while others were loaded: the limit is too small for all";
    return was->damage ? "damaged in the cache" : "not taken as it was: the driver wrote it again";
}

/* If the driver keeps nothing, no file appears. A cached module loads in milliseconds, on a busy machine in more, so a
 * module that compiles fast proves nothing. */
static const char *by_time(const struct pass *v, size_t at)
{
    const struct jw_job *j = &v->proof->jobs[at];
    double compiled_ms = j->milliseconds ? j->milliseconds : j->seconds * 1000;

    return compiled_ms > SLOW_MS && v->load_ms[at] > SLOW_MS && v->load_ms[at] > 0.6 * compiled_ms
               ? "as slow to load as to compile: this environment finds nothing, and caches nothing"
               : NULL;
}

/* ---- by what appeared ---- */

/* A module, identified by an entry. */
struct known {
    uint8_t text[JW_DIGEST];
    uint16_t sm;
    size_t job;
};

static int known_by_text(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    int d = memcmp(x->text, y->text, JW_DIGEST);

    return d ? d : (int)x->sm - (int)y->sm;
}

/* Sorted by text. */
static struct known *know(const struct prime_proof *proof)
{
    struct known *list = jw_alloc(proof->n_jobs * sizeof *list + 1);

    for (size_t i = 0; i < proof->n_jobs; i++) {
        memcpy(list[i].text, proof->jobs[i].module.text, JW_DIGEST);
        list[i].sm = proof->jobs[i].sm;
        list[i].job = i;
    }
    if (proof->n_jobs)
        qsort(list, proof->n_jobs, sizeof *list, known_by_text);
    return list;
}

static const struct known *whose(const struct prime_driver *d, const struct prime_entry *e,
                                 const struct known *list, size_t n)
{
    struct known key = { .sm = prime_arch(d, e->key.arch) };

    memcpy(key.text, e->text, JW_DIGEST);
    return n && e->key.kind == JW_CACHE_CUDA && key.sm ? bsearch(&key, list, n, sizeof key, known_by_text)
                                                       : NULL;
}

/* Finds an entry of one of the modules under an unexpected name. */
static const char *by_key(const struct prime_driver *d, const struct prime_entry *e)
{
    if (d->probe.state.stamp && strcmp(e->key.stamp, d->probe.state.stamp) != 0)
        return "another build of the driver is loaded there (LD_LIBRARY_PATH decides which)";
    return "the driver made another entry for it: an environment variable there changes the result";
}

static bool check_new(struct pass *v, const struct jw_cache_file *f, const struct known *list,
                      uint64_t *new_entries, struct jw_err *err)
{
    const struct prime_driver *d = &v->proof->ctx->driver;
    const struct known *own;
    struct prime_entry e;

    if (d->probe.state.level < JW_LEVEL_READABLE || f->damage) {
        (*new_entries)++;
        return true;
    }
    bool ok = prime_entry_read(v->run->a, v->proof->ctx->cache.dir.root, f, &e, err);

    own = ok ? whose(d, &e, list, v->proof->n_jobs) : NULL;
    *new_entries += own != NULL;
    if (own && !v->causes[own->job])
        v->causes[own->job] = by_key(d, &e);
    prime_entry_free(&e);
    return ok;
}

bool pass_check(struct pass *v, uint64_t *new_entries, struct jw_err *err)
{
    struct known *list = know(v->proof);
    bool ok = true;

    *new_entries = v->after.foreign > v->before.foreign ? v->after.foreign - v->before.foreign : 0;
    for (size_t i = 0; ok && i < v->n_jobs; i++) {
        size_t at = v->of[i];

        if (!v->failed[at] && v->proof->jobs[at].name)
            v->causes[at] = by_entry(v, &v->proof->jobs[at]);
        if (!v->failed[at] && !v->causes[at])
            v->causes[at] = by_time(v, at);
    }
    for (size_t i = 0; ok && i < v->after.n; i++)
        if (!jw_cache_file_find(&v->before, v->after.files[i].name))
            ok = check_new(v, &v->after.files[i], list, new_entries, err);
    jw_free(list);
    return ok;
}
