/* Moves entries from the workers' caches into the user's cache. */
#include "prime/prime_run.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "formats/kernel_name.h"
#include "os/files/file.h"

#include <string.h>

void prime_end_job(struct prime_compiling *r, struct jw_job *j, enum jw_outcome state, const char *why)
{
    j->state = state;
    j->why = why ? jw_arena_str(r->p->run->a, why) : NULL;
    r->progress.done += state == JW_JOB_WARMED;
    r->progress.failed += state != JW_JOB_WARMED;
    r->progress.done_bytes += j->module.ptx_bytes;
    r->progress.finished = j;
    prime_show(r, NULL);
    r->progress.finished = NULL;
}

static void journal(struct prime_compiling *r, const struct jw_job *j)
{
    const char *build = r->p->ctx.driver.probe->driver.build, *origin = prime_new_origin(r->p, j);
    struct jw_warm_module m = jw_warm_recall(r->p->ctx.cache.log, j->id, j->sm, build ? build : "");
    struct jw_buf plain = JW_BUF(JW_MAX_LINE);

    jw_kernel_plain(&plain, j->module.kernel);
    m.compiled = true;
    m.name = j->name;
    m.bytes = j->entry_bytes;
    m.ptx_bytes = j->module.ptx_bytes;
    m.milliseconds = j->milliseconds;
    m.kernel = jw_buf_cstr(&plain);
    m.origin = origin ? origin : m.origin;
    m.ban = m.compiler = "";
    if (r->ok)
        r->ok = prime_remember(&r->p->ctx, &m, &r->err);
    jw_buf_free(&plain);
}

/* ---- the queue ---- */

/* The driver evicts the oldest record first, so the least valuable entries are published first. driver-fact:
 * F56-fifo */
int prime_publish_order(const void *a, const void *b)
{
    const struct jw_job *x = ((const struct prime_queued *)a)->job,
                        *y = ((const struct prime_queued *)b)->job;

    if (x->used != y->used)
        return x->used ? 1 : -1;
    return x->milliseconds < y->milliseconds ? -1 : x->milliseconds > y->milliseconds;
}

static void note_published(struct prime_compiling *r, const struct jw_pub_entry *e, struct jw_job *j)
{
    if (e->result == JW_PUB_REFUSED && !e->from) {
        r->p->plan.unindexed[j - r->p->plan.jobs] = false;
        return;
    }
    if (e->result == JW_PUB_REFUSED) {
        prime_end_job(r, j, JW_JOB_UNSTORED, e->why ? e->why : "its entry could not be kept");
        return;
    }
    j->entry_bytes = e->size;
    prime_end_job(r, j, JW_JOB_WARMED, NULL);
    journal(r, j);
}

void prime_publish(struct prime_compiling *r)
{
    struct jw_pub_entry list[PRIME_QUEUE];
    size_t n = r->n_queue;

    if (!n || !r->ok)
        return;
    jw_sort(r->queue, n, sizeof *r->queue, prime_publish_order);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct jw_pub_entry){ .name = r->queue[i].job->name, .from = r->queue[i].from };
    r->n_queue = 0;
    r->ok = jw_publisher_add(r->publisher, list, n, r->p->run->a, &r->err);
    for (size_t i = 0; r->ok && i < n; i++)
        note_published(r, &list[i], r->queue[i].job);
}

void prime_queue(struct prime_compiling *r, struct jw_job *j, const char *from)
{
    if (r->n_queue == PRIME_QUEUE)
        prime_publish(r);
    if (r->ok)
        r->queue[r->n_queue++] = (struct prime_queued){ j, from };
}

/* ---- what a worker left ---- */

static const char nothing_kept[] =
    "the driver loaded it, but did not cache it: it is too large for the cache";

static const char disk_was_full[] = "the driver loaded it, but did not cache it: the disk was full";

static const char something_else[] =
    "the driver loaded it and cached an entry, but not one with this module's PTX";

/* Returns the file's size as the driver counts it; 0: it does not exist. */
static uint64_t size_at(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;
    bool there = jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR;

    return there && info.size > JW_CACHE_HEADER ? info.size - JW_CACHE_HEADER : 0;
}

/* An entry may be larger than predicted. Beyond the limit it would evict another one. */
static void take_own(struct prime_compiling *r, struct jw_job *j, const char *path)
{
    uint64_t size = size_at(path);

    if (size > r->room)
        prime_end_job(r, j, JW_JOB_NO_ROOM,
                      "it turned out larger than predicted, and the cache has no room left for it");
    else {
        r->room -= size;
        prime_queue(r, j, path);
    }
}

/* Takes an entry that the worker's driver put into the user's cache. */
static void take_shared(struct prime_compiling *r, struct jw_job *j, const char *path)
{
    j->entry_bytes = size_at(path);
    prime_end_job(r, j, JW_JOB_WARMED, NULL);
    journal(r, j);
}

/* ---- under another name than was predicted ---- */

static bool is_anothers(const struct prime_compiling *r, const struct jw_job *j, uint64_t name)
{
    const struct plan *plan = &r->p->plan;

    for (size_t i = 0; i < plan->n_jobs; i++)
        if (&plan->jobs[i] != j && plan->jobs[i].name == name)
            return true;
    return false;
}

/* Finds a new entry by the module's text, under any name that is not predicted for another module. `*other`: a new
 * entry has another text. */
static bool is_of(struct prime_compiling *r, const struct jw_job *j, const char *cache,
                  const struct jw_cache_file *f, bool *other)
{
    struct prime_entry e = { 0 };
    bool yes = false;

    if (f->damage || is_anothers(r, j, f->name))
        return false;
    if (!r->caches && jw_cache_file_find(&r->p->ctx.cache.listing, f->name))
        return false;
    r->ok = prime_entry_read(r->p->run->a, cache, f, &e, &r->err);
    if (r->ok && e.key.kind == JW_CACHE_CUDA)
        yes = prime_chosen_arch(&r->p->ctx.driver, e.key.sm) == j->sm
              && memcmp(e.text, j->module.text, JW_DIGEST) == 0;
    *other |= !yes;
    prime_entry_free(&e);
    return yes;
}

static bool find_by_content(struct prime_compiling *r, struct jw_job *j, const char *cache, bool *other)
{
    struct jw_cache_listing now = { 0 };
    bool found = false;

    r->ok = jw_cachedir_list(cache, false, r->p->run->a, &now, &r->err);
    for (size_t i = 0; r->ok && !found && i < now.n; i++) {
        found = is_of(r, j, cache, &now.files[i], other);
        if (!found)
            continue;
        j->name = now.files[i].name;
        j->key_size = now.files[i].entry.key_size;
        r->renamed++;
    }
    jw_cache_listing_free(&now);
    return found;
}

/* Returns NULL where there is no entry, and the job has failed. */
static const char *find_entry(struct prime_compiling *r, struct jw_job *j, const char *cache)
{
    const char *path = jw_path_join(r->p->run->a, cache, jw_cache_name(j->name).text);
    bool other = false;

    if (!size_at(path)) {
        if (!find_by_content(r, j, cache, &other)) {
            if (r->ok)
                prime_end_job(r, j, JW_JOB_UNSTORED,
                              other                   ? something_else
                              : prime_disk_is_full(r) ? disk_was_full
                                                      : nothing_kept);
            return NULL;
        }
        path = jw_path_join(r->p->run->a, cache, jw_cache_name(j->name).text);
    }
    return path;
}

void prime_collect(struct prime_compiling *r, struct jw_job *j, unsigned slot)
{
    const char *cache = r->caches ? r->caches[slot] : r->p->ctx.cache.folder, *path;

    if (!j->predicted) { /* its name is found at the end */
        prime_end_job(r, j, JW_JOB_WARMED, NULL);
        journal(r, j);
        return;
    }
    path = find_entry(r, j, cache);
    if (path && r->caches)
        take_own(r, j, path);
    else if (path)
        take_shared(r, j, path);
}

/* ---- names that cannot be computed, but read ---- */

/* Returns a compiled job with this text whose entry is not known yet. */
static struct jw_job *job_of_text(struct prime_compiling *r, const uint8_t text[JW_DIGEST],
                                  const struct jw_cache_key *key)
{
    uint16_t sm = prime_chosen_arch(&r->p->ctx.driver, key->sm);

    for (size_t i = 0; i < r->p->plan.n_jobs; i++) {
        struct jw_job *j = &r->p->plan.jobs[i];

        if (j->sm == sm && j->state == JW_JOB_WARMED && !j->name
            && memcmp(j->module.text, text, JW_DIGEST) == 0)
            return j;
    }
    return NULL;
}

static bool name_one(struct prime_compiling *r, const struct jw_cache_file *f, struct jw_err *err)
{
    struct prime_entry e = { 0 };
    struct jw_job *j;
    bool ok = prime_entry_read(r->p->run->a, r->p->ctx.cache.folder, f, &e, err);

    if (ok && e.key.kind == JW_CACHE_CUDA && (j = job_of_text(r, e.text, &e.key)) != NULL) {
        j->name = f->name;
        j->entry_bytes = jw_cache_weight(&f->entry);
        journal(r, j);
        ok = r->ok;
    }
    prime_entry_free(&e);
    return ok;
}

static void report_renamed(const struct prime_compiling *r)
{
    prime_note(r->p,
               "the driver gave %zu entr%s another name than predicted; they were identified by their "
               "content",
               r->renamed, r->renamed == 1 ? "y" : "ies");
}

bool prime_name_by_content(struct prime_compiling *r, struct jw_err *err)
{
    struct prime *p = r->p;
    struct jw_cache_listing now = { 0 };
    bool ok;

    if (r->renamed) {
        report_renamed(r);
        return prime_keep_origins(p, err);
    }
    if (p->ctx.driver.probe->state.level != JW_LEVEL_READABLE || !r->n_run)
        return true;
    ok = jw_cachedir_list(p->ctx.cache.folder, false, p->run->a, &now, err);
    for (size_t i = 0; ok && i < now.n; i++)
        if (!now.files[i].damage && !jw_cache_file_find(&p->ctx.cache.listing, now.files[i].name))
            ok = name_one(r, &now.files[i], err);
    jw_cache_listing_free(&now);
    return ok && prime_keep_origins(p, err);
}
