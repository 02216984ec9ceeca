/* Moves entries from the workers' caches into the user's cache. */
#include "prime/compile.h"

#include "base/num.h"
#include "base/sort.h"

/* Sorts the least valuable entries first, because the driver evicts the oldest record first.
 * driver-fact: F56-fifo */
static int publish_order(const void *a, const void *b)
{
    const struct jw_job *x = ((const struct compile_queued *)a)->job;
    const struct jw_job *y = ((const struct compile_queued *)b)->job;

    if (x->used != y->used)
        return x->used ? 1 : -1;
    return x->milliseconds < y->milliseconds ? -1 : x->milliseconds > y->milliseconds;
}

static void note_published(struct compiling *r, const struct jw_publish_entry *e, struct jw_job *j)
{
    if (e->result == JW_PUBLISH_REFUSED) {
        compile_end_job(r, j, JW_MODULE_UNSTORED,
                        jw_arena_printf(r->p->run->a, "not stored: %s", e->why));
        return;
    }
    j->entry_bytes = e->size;
    compile_end_job(r, j, JW_MODULE_WARM, NULL);
}

void compile_publish(struct compiling *r)
{
    struct jw_publish_entry list[COMPILE_QUEUE];
    size_t n = r->n_queue;

    if (!n || !r->ok)
        return;
    jw_sort(r->queue, n, sizeof *r->queue, publish_order);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct jw_publish_entry){
            .name = r->queue[i].job->name, .from = r->queue[i].from, .replaces = true};
    r->n_queue = 0;
    r->ok = jw_publisher_add(r->publisher, list, n, r->p->run->a, &r->err);
    for (size_t i = 0; i < n && (r->ok || list[i].reached); i++)
        note_published(r, &list[i], r->queue[i].job);
}

/* ---- what a worker left in its cache ---- */

/* Returns the size of the file as the driver counts it; 0: there is no file. */
static uint64_t size_at(const char *path)
{
    struct jw_file_info info;
    bool there = jw_file_stat(path, &info, JW_IGNORED) && info.kind == JW_FILE_REGULAR;

    return there && info.size > JW_CACHE_HEADER ? info.size - JW_CACHE_HEADER : 0;
}

/* Queues an entry. If it is larger than predicted and beyond the cache's limit, it would evict
 * another one, and is left out. */
static void take_own(struct compiling *r, struct jw_job *j, const char *path, uint64_t size)
{
    struct jw_scope *s = &r->p->look->scope;
    uint64_t more = size - jw_min(size, j->entry_bytes); /* its record grows by this */

    if (more > jw_cache_room(s->limit, s->used)) {
        compile_end_job(
            r, j, JW_MODULE_NO_ROOM,
            "it turned out larger than predicted, and the cache has no room left for it");
        return;
    }
    s->used += more;
    if (r->n_queue == COMPILE_QUEUE)
        compile_publish(r);
    if (r->ok)
        r->queue[r->n_queue++] = (struct compile_queued){j, path};
}

void compile_collect(struct compiling *r, struct jw_job *j, unsigned slot)
{
    const char *cache = r->caches ? r->caches[slot] : r->p->look->scope.cache;

    if (!j->name) { /* without names only a fresh process shows whether the driver found it or
                       compiled it */
        compile_end_job(r, j, JW_MODULE_WARM, NULL);
        return;
    }
    const char *path = jw_cache_entry_path(cache, j->name, r->p->run->a);
    uint64_t size = size_at(path);

    if (!size) {
        compile_end_job(
            r, j, JW_MODULE_UNSTORED,
            compile_disk_is_full(r)
                ? "the driver loaded it, but did not cache it: the disk was full"
                : "the driver loaded it, but cached it under no predicted name: it may be too "
                  "large for the cache, or for ulimit -f");
    } else if (r->caches) {
        take_own(r, j, path, size);
    } else {
        j->entry_bytes = size;
        compile_end_job(r, j, JW_MODULE_WARM, NULL);
    }
}
