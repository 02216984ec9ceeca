#include "base/mem.h"
#include "engine/scan_work.h"
#include "facts/drivers.h"
#include "os/env.h"
#include "os/time.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 32 };

/* Everything that a report points to. */
struct jw_scan_memory {
    struct jw_arena arenas[MAX_JOBS];
    struct jw_scan_file *files;
    struct jw_scan_skipped *skipped;
};

struct pool {
    struct scan *scan;
    struct jw_scan_memory *memory;
};

static void work(void *ctx, unsigned number)
{
    struct pool *pool = ctx;
    struct scan_worker w = { pool->scan, &pool->memory->arenas[number] };
    struct jw_err err = { 0 };

    (void)scan_run_tasks(&w, &err); /* a failure is kept in the scan */
}

static unsigned choose_jobs(const struct jw_scan_options *o)
{
    unsigned jobs = o->jobs ? o->jobs : jw_cpu_count();

    if (o->extract) /* in the order of the walk, one at a time */
        return 1;
    return jobs > MAX_JOBS ? MAX_JOBS : jobs;
}

static bool judge_by_driver(struct scan *s, struct jw_err *err)
{
    struct jw_driver_version v;
    unsigned major, minor;

    if (!s->o->driver)
        return true;
    if (!jw_driver_parse(s->o->driver, &v, err))
        return false;
    if (!jw_driver_max_isa(&v, &major, &minor))
        major = minor = UINT16_MAX; /* newer than all that we know: trusted with any PTX */
    s->driver =
        (struct jw_driver_limits){ true, (uint16_t)major, (uint16_t)minor, v.branch >= JW_ZSTD_FIRST_BRANCH };
    return true;
}

/* The last root is pushed first: the stack gives them back in the order of the command line. */
static bool push_roots(struct scan *s, struct jw_err *err)
{
    for (size_t i = s->o->n_roots; i-- > 0;)
        if (!scan_push(s, s->o->roots[i].path, s->o->roots[i].depth, s->o->roots[i].named, err))
            return false;
    return true;
}

static int by_file(const void *a, const void *b)
{
    const struct jw_scan_file *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static int by_skipped(const void *a, const void *b)
{
    const struct jw_scan_skipped *x = a, *y = b;

    return strcmp(x->path, y->path);
}

static void deliver(struct scan *s, struct jw_scan_memory *memory, struct jw_scan_report *out)
{
    if (s->n_files)
        qsort(s->files, s->n_files, sizeof *s->files, by_file);
    if (s->n_skipped)
        qsort(s->skipped, s->n_skipped, sizeof *s->skipped, by_skipped);
    memory->files = s->files;
    memory->skipped = s->skipped;
    *out = (struct jw_scan_report){ .files = s->files,
                                    .n_files = s->n_files,
                                    .skipped = s->skipped,
                                    .n_skipped = s->n_skipped,
                                    .folders_walked = s->progress.folders,
                                    .files_walked = s->progress.files,
                                    .bytes_read = s->bytes_read,
                                    .memory = memory };
    for (size_t i = 0; i < s->n_files; i++)
        out->bytes += s->files[i].size;
    s->files = NULL;
    s->skipped = NULL;
}

static void drop(struct scan *s)
{
    for (size_t i = 0; i < s->n_tasks; i++)
        jw_free(s->tasks[i].path);
    for (size_t i = 0; i < s->n_links; i++)
        jw_free(s->links[i].path);
    jw_free(s->tasks);
    jw_free(s->links);
    jw_free(s->files);
    jw_free(s->skipped);
    scan_ids_free(&s->seen_files);
    scan_ids_free(&s->seen_folders);
    jw_lock_free(s->lock);
}

bool jw_scan(const struct jw_scan_options *options, struct jw_scan_report *out, struct jw_err *err)
{
    struct scan s = { .o = options, .lock = jw_lock_new() };
    struct jw_scan_memory *memory = jw_alloc(sizeof *memory);
    struct pool pool = { &s, memory };
    uint64_t began = jw_time_monotonic_ns();
    bool ok = (s.lock && memory) || jw_nomem(err, sizeof *memory);

    *out = (struct jw_scan_report){ 0 };
    ok = ok && judge_by_driver(&s, err) && scan_extract_begin(&s, err) && push_roots(&s, err);
    if (ok) {
        jw_parallel(choose_jobs(options), work, &pool);
        if (s.failed) {
            *err = s.err;
            ok = false;
        }
    }
    if (ok) {
        deliver(&s, memory, out);
        out->milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    } else if (memory) {
        for (unsigned i = 0; i < MAX_JOBS; i++)
            jw_arena_free(&memory->arenas[i]);
        jw_free(memory);
    }
    drop(&s);
    return ok;
}

void jw_scan_free(struct jw_scan_report *report)
{
    struct jw_scan_memory *memory = report->memory;

    if (memory) {
        for (unsigned i = 0; i < MAX_JOBS; i++)
            jw_arena_free(&memory->arenas[i]);
        jw_free(memory->files);
        jw_free(memory->skipped);
        jw_free(memory);
    }
    *report = (struct jw_scan_report){ 0 };
}
