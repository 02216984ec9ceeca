/* Explains failed modules: finds their kernels, and the driver's log in a second attempt. */
#include "prime/prime_run.h"

#include "base/limits.h"
#include "base/path.h"
#include "formats/fatbin_unpack.h"
#include "formats/ptx.h"
#include "formats/select.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <string.h>

enum { MAX_KERNELS = 3, MAX_EXPLAINED = 4, EXPLAIN_MS = 120 * 1000 };

/* ---- kernels ---- */

static bool unpack_module(const struct prime *p, const struct jw_job *j, const struct jw_source *src,
                          struct jw_buf *ptx, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_fats fats = { .arena = &a };
    struct jw_window w = { .src = src };
    struct jw_driver_limits limits = { .force_jit = p->ctx.software.force_jit };
    bool ok = jw_fat_read(&fats, &w, 0, src->size, err);

    if (ok && fats.n == 1) {
        struct jw_choice c = jw_select(&fats.list[0], fats.entries, j->sm, &limits);

        ok = !c.entry || jw_fat_unpack(src, c.entry, jw_sink_buf(ptx), err);
    }
    jw_fats_free(&fats);
    jw_arena_free(&a);
    return ok;
}

/* Reads the module from the file again; if it is gone, there is nothing to explain. */
static void read_ptx(const struct prime *p, const struct jw_job *j, struct jw_buf *ptx)
{
    const struct jw_place *at = j->module.places;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_source file, src;
    struct jw_err ignored;

    if (!at->disk || !jw_file_open(&f, at->disk, &ignored))
        return;
    if (jw_file_info(&f, &info, &ignored)) {
        file = jw_file_source(&f, info.size);
        if (jw_source_window(&file, at->at, at->size, &src, &ignored)) {
            if (at->text) {
                jw_buf_fill(ptx, 0, (size_t)at->size);
                if (ptx->bad || !jw_source_read(&src, 0, ptx->p, ptx->n, &ignored))
                    jw_buf_clear(ptx);
            } else if (!unpack_module(p, j, &src, ptx, &ignored))
                jw_buf_clear(ptx);
        }
    }
    jw_file_close(&f);
}

static bool name_kernels(const struct prime *p, struct jw_job *j)
{
    const char **list = jw_arena_alloc(p->run->a, MAX_KERNELS * sizeof *list);
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
    struct jw_bytes name;
    size_t at = 0;
    bool ok = true;

    read_ptx(p, j, &ptx);
    while (ok && (name = jw_ptx_next_kernel(jw_buf_bytes(&ptx), &at)).n) {
        if (j->n_kernels == MAX_KERNELS) {
            j->more_kernels++;
            continue;
        }
        list[j->n_kernels] = jw_arena_text(p->run->a, (const char *)name.p, name.n);
        ok = list[j->n_kernels++];
    }
    j->kernels = list;
    jw_buf_free(&ptx);
    return ok;
}

/* ---- the driver's words ---- */

static const struct jw_device *gpu_for(const struct prime *p, uint16_t sm)
{
    for (size_t i = 0; i < p->out->driver.n_gpus; i++)
        if (p->ctx.driver.gpus[i].chosen && p->ctx.driver.gpus[i].sm == sm)
            return &p->ctx.driver.gpus[i];
    return NULL;
}

/* Uses a separate root, because asking for the log may make another entry. driver-fact: F18-jit-options-in-key */
static bool explain(struct prime_compiling *r, struct jw_job *j, const char *root, struct jw_err *err)
{
    const struct jw_device *g = gpu_for(r->p, j->sm);
    struct jw_worker_options o = { .exe = r->p->o->exe,
                                   .driver = r->p->o->driver,
                                   .cache_root = root,
                                   .device = g && *g->uuid ? g->uuid : NULL,
                                   .timeout_ms = EXPLAIN_MS,
                                   .eager = true,
                                   .interrupted = r->p->run->interrupted };
    const struct jw_place *at = j->module.places;
    struct jw_load how = { .explain = true };
    struct jw_worker_result result = { 0 };
    struct jw_err why = { 0 };
    struct jw_worker *w = NULL;
    bool ok;
    size_t n;

    if (!g || !at->disk)
        return true;
    ok = jw_worker_start(&w, &o, &why);
    if (ok) {
        const struct jw_device *d = jw_worker_devices(w, &n);

        how.device = o.device && n ? d[0].index : g->index;
        ok = jw_worker_load(w, at, &how, &result, &why);
    }
    if (ok && result.log && *result.log)
        j->log = jw_arena_str(r->p->run->a, result.log);
    jw_worker_stop(w);
    if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    return true;
}

static bool seen_before(const struct prime_compiling *r, size_t at)
{
    const struct jw_job *jobs = r->p->plan.jobs;

    for (size_t i = 0; i < at; i++)
        if (jobs[i].state == JW_JOB_FAILED && jobs[i].log && jobs[i].code == jobs[at].code
            && jobs[i].module.places->package == jobs[at].module.places->package)
            return true;
    return false;
}

static bool deadly(enum jw_outcome s)
{
    return s == JW_JOB_CRASHED || s == JW_JOB_TIMEOUT;
}

bool prime_explain_failures(struct prime_compiling *r, struct jw_err *err)
{
    char *root = NULL;
    unsigned explained = 0;

    for (size_t i = 0; i < r->p->plan.n_todo; i++) {
        struct jw_job *j = &r->p->plan.jobs[i];

        if (j->state != JW_JOB_FAILED && !deadly(j->state))
            continue;
        if (!name_kernels(r->p, j))
            return false;
        if (j->state != JW_JOB_FAILED || explained == MAX_EXPLAINED || seen_before(r, i)
            || prime_interrupted(r->p->run)
            || (r->p->run->deadline && jw_time_monotonic_ns() >= r->p->run->deadline))
            continue;
        if (!root) {
            root = jw_path_join(r->p->run->a, r->p->ctx.cache.work, "explain");
            if (!jw_make_private_dir(root, err))
                return jw_wrap(err, "%s", root);
        }
        explained++;
        if (!explain(r, j, root, err))
            return false;
    }
    return true;
}

/* ---- in the report ---- */

#define J struct jw_job

const struct jw_row prime_job_failure_rows[] = {
    { JW_ROW("log", J, log), JW_NULLABLE, JW_ABOUT("the driver's words") },
    { JW_TEXTS("kernels", J, kernels, n_kernels), JW_ABOUT("of a module that failed; the first few") },
    { JW_ROW("more_kernels", J, more_kernels) },
    { 0 },
};
