/* Judges one pass of a proof: compares the cache before and after it for each module. */
#include "prime/prove.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/gpus.h"
#include "prime/entry.h"

#include <string.h>

enum { SLOW_MS = 500 };

/* ---- by its own entry ---- */

static const char *by_entry(const struct prove_pass *v, const struct jw_job *j)
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

/* Judges a module by its time, if the driver keeps nothing and no file appears. A cached module loads in milliseconds,
 * on a busy machine in more, so a short time proves nothing. If the compiler was not opened, nothing was compiled,
 * however long it took. */
static const char *by_time(const struct prove_pass *v, size_t at)
{
    const struct jw_job *j = &v->look->jobs[at];
    double compiled_ms = j->milliseconds ? j->milliseconds : j->seconds * 1000;

    if (v->compiled_nothing && !j->module.places->link)
        return NULL;
    return compiled_ms > SLOW_MS && v->load_ms[at] > SLOW_MS && v->load_ms[at] > 0.6 * compiled_ms
               ? "as slow to load as to compile: this environment finds nothing, and caches nothing"
               : NULL;
}

/* ---- by the entries that appeared ---- */

/* A module, identified by its text. */
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

static struct known *know(const struct jw_look *l)
{
    struct known *list = jw_alloc((l->n_jobs + 1) * sizeof *list);

    for (size_t i = 0; i < l->n_jobs; i++) {
        memcpy(list[i].text, l->jobs[i].module.text, JW_DIGEST);
        list[i].sm = l->jobs[i].sm;
        list[i].job = i;
    }
    jw_sort(list, l->n_jobs, sizeof *list, known_by_text);
    return list;
}

static const char *other_name(const struct jw_scope *scope, const struct jw_cache_file *f)
{
    if (scope->stamp && strcmp(f->stamp, scope->stamp) != 0)
        return "another build of the driver is loaded there (LD_LIBRARY_PATH decides which)";
    return "the driver made another entry for it: an environment variable there changes the result";
}

static bool judge_new(struct prove_pass *v, const struct jw_cache_file *f, const struct known *list,
                      uint64_t *new_entries, struct jw_err *err)
{
    const struct jw_scope *scope = &v->look->scope;
    const char *path = jw_path_join(v->run->a, scope->cache, jw_cache_name(f->name).text);
    const struct known *match;
    struct known key = { .sm = f->sm };
    struct jw_job j;
    bool made;

    if (scope->level < JW_LEVEL_READABLE || f->damage) {
        (*new_entries)++;
        return true;
    }
    if (f->kind != JW_CACHE_CUDA || !jw_sms_have(scope->sms, scope->n_sms, f->sm))
        return true;
    if (!jw_entry_job(v->run->a, scope, path, 0, f->entry.key_size, f->sm, NULL, &j, &made, err))
        return false;
    memcpy(key.text, j.module.text, JW_DIGEST);
    match = made ? jw_search(&key, list, v->look->n_jobs, sizeof key, known_by_text) : NULL;
    *new_entries += match != NULL;
    if (match && !v->causes[match->job])
        v->causes[match->job] = other_name(scope, f);
    return true;
}

bool prove_judge(struct prove_pass *v, uint64_t *new_entries, struct jw_err *err)
{
    struct known *list = know(v->look);
    bool ok = true;

    *new_entries = v->after.foreign > v->before.foreign ? v->after.foreign - v->before.foreign : 0;
    for (size_t i = 0; i < v->n_jobs; i++) {
        size_t at = v->of[i];

        if (!v->failed[at] && v->look->jobs[at].name)
            v->causes[at] = by_entry(v, &v->look->jobs[at]);
        if (!v->failed[at] && !v->causes[at])
            v->causes[at] = by_time(v, at);
    }
    for (size_t i = 0; ok && i < v->after.n; i++)
        if (!jw_cache_file_find(&v->before, v->after.files[i].name))
            ok = judge_new(v, &v->after.files[i], list, new_entries, err);
    jw_free(list);
    return ok;
}
