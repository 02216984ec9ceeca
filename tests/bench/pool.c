/*
 * pool DRIVER TOOL FOLDER WORKERS JOBS SECONDS
 *
 * Lets so many workers of TOOL compile so many modules, whose costs are known to the millisecond
 * and differ by 16 to 1, on the simulated driver: it sleeps. FOLDER must be empty. Prints
 * nanoseconds: how long it took, and how long it had to take, which is the larger of SECONDS /
 * WORKERS and the longest module.
 */
#include "driver/worker/pool.h"
#include "base/buf.h"
#include "base/digest.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MS_PER_MB = 1000,
    SKEW = 16,
    MAX_WORKERS = 64
}; /* so that a module of 1,000 bytes takes a millisecond */

struct bench {
    struct jw_job *jobs;
    struct jw_place *places;
    size_t n, bad;
    unsigned workers;
    uint64_t total_ms, longest_ms;
    const char *file, *caches[MAX_WORKERS];
};

static void must(bool ok, const struct jw_err *err)
{
    if (ok)
        return;
    (void)fprintf(stderr, "pool: %s\n", err->msg);
    exit(2);
}

static double dice(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return (double)(*seed >> 8) / (1 << 24);
}

/* Many small ones, few large ones; the smallest is 1. */
static double relative_cost(uint32_t *seed)
{
    double d = dice(seed);

    return 1 + (SKEW - 1) * d * d * d;
}

static void add_text(struct jw_buf *file, size_t number, size_t size)
{
    size_t end = file->n + size;

    jw_buf_printf(
        file,
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k%zu()\n{\n\tret;\n}\n//",
        number);
    jw_buf_fill(file, '-', end > file->n ? end - file->n : 0);
}

static void add_job(struct bench *b, struct jw_buf *file, uint64_t ms)
{
    struct jw_job *job = &b->jobs[b->n];
    struct jw_place *place = &b->places[b->n];
    size_t at = file->n;

    add_text(file, b->n++, (size_t)ms * 1000000 / MS_PER_MB);
    *place = (struct jw_place){.disk = b->file, .at = at, .size = file->n - at, .text = true};
    jw_digest(place->digest, file->p + at, file->n - at);
    *job = (struct jw_job){.ptx_bytes = file->n - at, .place = place, .seconds = (double)ms / 1000};
    b->total_ms += ms;
    b->longest_ms = ms > b->longest_ms ? ms : b->longest_ms;
}

static void make_jobs(struct bench *b, size_t n, double seconds)
{
    struct jw_buf file = JW_BUF((size_t)1 << 30);
    struct jw_err err = {0};
    uint32_t seed = 1;
    double sum = 0;

    b->jobs = calloc(n, sizeof *b->jobs);
    b->places = calloc(n, sizeof *b->places);
    for (size_t i = 0; i < n; i++)
        sum += relative_cost(&seed);
    seed = 1;
    while (b->n < n)
        add_job(b, &file, (uint64_t)(relative_cost(&seed) / sum * seconds * 1000 + 0.5));
    must(jw_buf_ok(&file, &err) && jw_file_put(b->file, JW_OUT_NEW, jw_buf_bytes(&file), &err),
         &err);
    jw_buf_free(&file);
}

static const char *below(const char *folder, const char *name, unsigned number)
{
    static char texts[MAX_WORKERS + 1][4096];
    static size_t next;
    char *text = texts[next++ % (MAX_WORKERS + 1)];

    (void)snprintf(text, sizeof texts[0], "%s/%s%u", folder, name, number);
    return text;
}

static void on_done(void *ctx, size_t job, unsigned slot, const struct jw_worker_result *r)
{
    struct bench *b = ctx;

    (void)job;
    (void)slot;
    b->bad += r->outcome != JW_JOB_LOADED;
}

static void run(struct bench *b, const char *driver, const char *tool)
{
    static const struct jw_device gpu = {.memory = (uint64_t)1 << 40};
    struct jw_pool_options o = {
        .plan = {.jobs = b->jobs, .devices = &gpu, .n_devices = 1, .n_run = b->n},
        .n_jobs = b->n,
        .max_workers = b->workers,
        .caches = b->caches,
        .worker = {.exe = tool, .driver = driver},
        .done = on_done,
        .ctx = b};
    struct jw_pool_report report;
    struct jw_err err = {0};
    uint64_t before = jw_time_monotonic_ns();

    must(jw_pool_run(&o, &report, &err), &err);
    uint64_t took = jw_time_monotonic_ns() - before;
    uint64_t share = b->total_ms * 1000000 / b->workers, longest = b->longest_ms * 1000000;

    if (b->bad)
        must(jw_fail(&err, JW_E_DRIVER, "%zu modules were not compiled: %s", b->bad,
                     report.why ? report.why : "their own fault"),
             &err);
    (void)printf("%llu %llu\n", (unsigned long long)took,
                 (unsigned long long)(share > longest ? share : longest));
}

int main(int argc, char **argv)
{
    struct bench b = {.workers = argc == 7 ? (unsigned)strtoul(argv[4], NULL, 10) : 0};
    struct jw_err err = {0};

    if (!b.workers || b.workers > MAX_WORKERS) {
        (void)fprintf(stderr, "usage: pool DRIVER TOOL FOLDER WORKERS JOBS SECONDS\n");
        return 2;
    }
    b.file = below(argv[3], "modules", 0);
    for (unsigned i = 0; i < b.workers; i++) {
        b.caches[i] = below(argv[3], "root", i);
        must(jw_make_private_dir(b.caches[i], &err), &err);
    }
    make_jobs(&b, strtoul(argv[5], NULL, 10), strtod(argv[6], NULL));
    run(&b, argv[1], argv[2]);
    free(b.jobs);
    free(b.places);
    return 0;
}
