#include "prime/prime_pass.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "driver/worker/worker.h"
#include "os/machine/time.h"

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

/* Judges a module by its time, if the driver keeps nothing and no file appears. A cached module loads in milliseconds,
 * on a busy machine in more, so a short time proves nothing. If the compiler was not opened, nothing was compiled,
 * however long it took. */
static const char *by_time(const struct pass *v, size_t at)
{
    const struct jw_job *j = &v->proof->jobs[at];
    double compiled_ms = j->milliseconds ? j->milliseconds : j->seconds * 1000;

    if (v->compiled_nothing && !j->module.places->link)
        return NULL;
    return compiled_ms > SLOW_MS && v->load_ms[at] > SLOW_MS && v->load_ms[at] > 0.6 * compiled_ms
               ? "as slow to load as to compile: this environment finds nothing, and caches nothing"
               : NULL;
}

/* ---- by the entries that appeared ---- */

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

/* Lists the known modules, sorted by text. */
static struct known *know(const struct prime_proof *proof)
{
    struct known *list = jw_alloc(proof->n_jobs * sizeof *list + 1);

    for (size_t i = 0; i < proof->n_jobs; i++) {
        memcpy(list[i].text, proof->jobs[i].module.text, JW_DIGEST);
        list[i].sm = proof->jobs[i].sm;
        list[i].job = i;
    }
    jw_sort(list, proof->n_jobs, sizeof *list, known_by_text);
    return list;
}

static const struct known *job_of_entry(const struct prime_driver *d, const struct prime_entry *e,
                                        const struct known *list, size_t n)
{
    struct known key = { .sm = prime_chosen_arch(d, e->key.sm) };

    memcpy(key.text, e->text, JW_DIGEST);
    return e->key.kind == JW_CACHE_CUDA && key.sm ? jw_search(&key, list, n, sizeof key, known_by_text)
                                                  : NULL;
}

/* Finds an entry of one of the modules under an unexpected name. */
static const char *by_key(const struct prime_driver *d, const struct prime_entry *e)
{
    if (d->probe->state.stamp && strcmp(e->key.stamp, d->probe->state.stamp) != 0)
        return "another build of the driver is loaded there (LD_LIBRARY_PATH decides which)";
    return "the driver made another entry for it: an environment variable there changes the result";
}

static bool check_new(struct pass *v, const struct jw_cache_file *f, const struct known *list,
                      uint64_t *new_entries, struct jw_err *err)
{
    const struct prime_driver *d = &v->proof->ctx->driver;
    const struct known *match;
    struct prime_entry e;

    if (d->probe->state.level < JW_LEVEL_READABLE || f->damage) {
        (*new_entries)++;
        return true;
    }
    bool ok = prime_entry_read(v->run->a, v->proof->ctx->cache.folder, f, &e, err);

    match = ok ? job_of_entry(d, &e, list, v->proof->n_jobs) : NULL;
    *new_entries += match != NULL;
    if (match && !v->causes[match->job])
        v->causes[match->job] = by_key(d, &e);
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

/* ---- links: a worker makes the link of a file's inputs as the driver does, once, and the time is remembered beside the names of
 * their entries ---- driver-fact: F95-link-cost */

enum { LINK_MS = 10 * 60 * 1000, MAX_LINKS = 1 << 16 };

/* The inputs of one file for one architecture. */
struct link {
    const struct scan_input *inputs;
    size_t n;
    uint64_t *names; /* of their entries, sorted */
    size_t n_names;
    uint64_t sum; /* of the names */
};

struct timing {
    struct jw_run *run;
    const struct prime_proof *proof;
    const struct jw_child_edit *edits;
    size_t n_edits;
    uint64_t *warm; /* names of jobs that are in the cache, sorted */
    size_t n_warm;
};

static bool is_input_of(const struct scan_input *x, const struct scan_input *first)
{
    return x->sm == first->sm && strcmp(x->place->path, first->place->path) == 0;
}

static struct link link_at(const struct timing *t, const struct scan_jobs *found, size_t first)
{
    struct link l = { .inputs = &found->inputs[first] };

    while (first + l.n < found->n_inputs && is_input_of(&l.inputs[l.n], l.inputs))
        l.n++;
    l.names = jw_arena_alloc(t->run->a, (l.n + 1) * sizeof *l.names);
    for (size_t i = 0; i < l.n; i++)
        if (l.inputs[i].compiled)
            l.names[l.n_names++] = l.inputs[i].name;
    jw_sort_u64(l.names, l.n_names, sizeof *l.names);
    for (size_t i = 0; i < l.n_names; i++)
        l.sum += l.names[i];
    return l;
}

static size_t count_warm(const struct timing *t, const struct link *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_names; i++)
        n += l->names[i] && jw_find_u64(t->warm, t->n_warm, sizeof *t->warm, l->names[i]);
    return n;
}

static const struct jw_scan_file *file_of(const struct scan_jobs *found, const struct link *l)
{
    return jw_search(&l->inputs->place->path, found->scan.files, found->scan.n_files,
                     sizeof *found->scan.files, jw_by_text);
}

static const struct jw_scan_verdict *verdict_of(const struct timing *t, const struct jw_scan_file *file,
                                                const struct link *l)
{
    const struct prime_driver *d = &t->proof->ctx->driver;

    for (size_t i = 0; file && i < file->n_verdicts && i < d->n_sms; i++)
        if (d->sms[i] == l->inputs->sm)
            return &file->verdicts[i];
    return NULL;
}

/* Returns why the inputs of a file are not one link; NULL: they are. driver-fact: F88-link-list */
static const char *why_not_one(const struct timing *t, const struct scan_jobs *found, const struct link *l)
{
    const struct jw_scan_verdict *v = verdict_of(t, file_of(found, l), l);

    if (v && v->inputs_lto)
        return "inputs have link-time code (LTO) alone";
    if (!v || v->inputs - v->inputs_missing != l->n)
        return "not all of its inputs could be read";
    if (v->links > 1)
        return jw_arena_printf(t->run->a,
                               "its %llu results share the inputs, and the file does not say which has which",
                               (unsigned long long)v->links);
    return NULL;
}

/* Does the file hold nothing but these inputs? Beside other modules they may belong to several links, which may succeed
 * where all inputs in one link do not. driver-fact: F88-link-list */
static bool is_all_there_is(const struct timing *t, const struct scan_jobs *found, const struct link *l)
{
    const struct jw_scan_file *file = file_of(found, l);
    const struct jw_scan_verdict *v = verdict_of(t, file, l);

    return v && v->links == 1 && file->containers + file->lazy_containers == 1;
}

static const struct jw_device *device_of(const struct prime_driver *d, unsigned sm)
{
    for (size_t i = 0; !d->absent_gpus && i < d->out->n_gpus; i++)
        if (d->gpus[i].chosen && !d->gpus[i].hidden && d->gpus[i].sm == sm)
            return &d->gpus[i];
    return NULL;
}

/* Returns why the link failed, with the first line of the driver's words: for most failures the number alone says
 * *unknown*. */
static const char *why_failed(const struct timing *t, const struct jw_worker_result *r)
{
    static const char error[] = "error   : "; /* the linker's lines begin so */
    const char *log = r->log + (strncmp(r->log, error, sizeof error - 1) == 0 ? sizeof error - 1 : 0);

    if (!r->code)
        return jw_arena_printf(t->run->a, "the driver did not end the link: %s", r->name);
    return jw_arena_printf(t->run->a, "the driver could not link it: %s (error %d)%s%.*s", r->name, r->code,
                           *log ? ": " : "", (int)strcspn(log, "\r\n"), log);
}

/* Hands the inputs to one process, one after the other. False: it was interrupted. */
static bool add_inputs(const struct timing *t, struct jw_worker *w, const struct link *l, unsigned device,
                       struct jw_link_time *out, struct jw_err *err)
{
    struct jw_worker_result r = { .name = "" };
    struct jw_err why = { 0 };

    for (size_t i = 0; i < l->n; i++) {
        const struct jw_load how = { .device = device,
                                     .step = i + 1 == l->n ? JW_LINK_LAST : JW_LINK_ADD,
                                     .explain = true };
        bool ok = jw_worker_load(w, l->inputs[i].place, &how, &r, &why);

        if (!ok && why.code == JW_E_INTERRUPTED) {
            *err = why;
            return false;
        }
        if (ok && r.outcome == JW_JOB_LOADED)
            continue;
        out->why = ok ? why_failed(t, &r) : jw_arena_str(t->run->a, why.msg);
        out->fails = ok;
        return true;
    }
    out->milliseconds = jw_max(r.milliseconds, 1U);
    return true;
}

static bool make_link(const struct timing *t, const struct link *l, struct jw_link_time *out,
                      struct jw_err *err)
{
    const struct prime_driver *d = &t->proof->ctx->driver;
    const struct jw_device *device = device_of(d, l->inputs->sm);
    struct jw_worker_options o = jw_session_worker(t->run->session);
    struct jw_worker *w = NULL;
    struct jw_err why = { 0 };

    if (!device || !l->inputs->place->disk) {
        out->why = device ? "its file is packed" : "a GPU of this kind is not here";
        return true;
    }
    if (t->run->deadline && jw_time_monotonic_ns() >= t->run->deadline) {
        out->why = "there was no time";
        return true;
    }
    o.timeout_ms = t->proof->timeout_ms ? t->proof->timeout_ms : LINK_MS;
    o.eager = o.inherit = true;
    o.edits = t->edits;
    o.n_edits = t->n_edits;
    if (!jw_worker_start(&w, &o, &why)) {
        *err = why;
        out->why = jw_arena_str(t->run->a, why.msg);
        return why.code != JW_E_INTERRUPTED;
    }
    bool ok = add_inputs(t, w, l, device->index, out, err);

    jw_worker_stop(w);
    return ok;
}

static bool remember(const struct timing *t, const struct link *l, const struct jw_link_time *of,
                     struct jw_err *err)
{
    struct jw_warm_log *log = t->proof->ctx->cache.log;
    struct jw_warm_module link = { .build = "",
                                   .milliseconds =
                                       of->fails ? 0 : (uint32_t)jw_min(of->milliseconds, UINT32_MAX),
                                   .inputs = l->names,
                                   .n_inputs = l->n_names };

    jw_warm_id_of_name(link.id, l->sum);
    return !log || jw_warm_add(log, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = link }, err);
}

/* Is this link measured already? A file that a person named and that a recorded command loads is found twice. */
static bool is_timed(const struct pass_links *out, const struct link *l)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].sm == l->inputs->sm && strcmp(out->v[i].path, l->inputs->place->path) == 0)
            return true;
    return false;
}

static bool time_link(const struct timing *t, const struct scan_jobs *found, const struct link *l,
                      struct pass_links *out, struct jw_err *err)
{
    uint32_t before = jw_warm_link(t->proof->ctx->cache.memory, l->sum, l->n_names);
    size_t warm = count_warm(t, l);
    struct jw_link_time *one;

    if (!warm || is_timed(out, l))
        return true;
    one = jw_list_add(t->run->a, &out->v, &out->n, sizeof *one, MAX_LINKS, err);
    if (!one)
        return false;
    *one = (struct jw_link_time){ .path = l->inputs->place->path, .sm = l->inputs->sm, .inputs = l->n };
    if (warm < l->n_names) { /* the driver would compile the others meanwhile */
        one->why = "not all of its inputs are in the cache";
        return true;
    }
    if (before && !t->proof->cold) { /* verify measures again */
        one->milliseconds = before;
        return true;
    }
    one->why = why_not_one(t, found, l);
    if (one->why)
        return true;
    if (!make_link(t, l, one, err))
        return false;
    one->fails = one->fails && is_all_there_is(t, found, l);
    return (one->why && !one->fails) || remember(t, l, one, err);
}

static void list_warm(struct timing *t)
{
    const struct prime_proof *proof = t->proof;

    t->warm = jw_arena_alloc(t->run->a, (proof->n_jobs + 1) * sizeof *t->warm);
    for (size_t i = 0; i < proof->n_jobs; i++)
        if (proof->jobs[i].name && jw_job_is_warm(&proof->jobs[i]))
            t->warm[t->n_warm++] = proof->jobs[i].name;
    jw_sort_u64(t->warm, t->n_warm, sizeof *t->warm);
}

bool pass_time_links(const struct pass *v, const struct jw_child_edit *edits, size_t n_edits,
                     struct pass_links *out, struct jw_err *err)
{
    const struct scan_jobs *found[] = { &v->proof->ctx->software.found, v->proof->of_command };
    struct timing t = { .run = v->run, .proof = v->proof, .edits = edits, .n_edits = n_edits };

    list_warm(&t);
    for (size_t k = 0; k < JW_COUNT(found); k++)
        for (size_t i = 0; found[k] && i < found[k]->n_inputs;) {
            const struct link l = link_at(&t, found[k], i);

            if (!time_link(&t, found[k], &l, out, err))
                return false;
            i += l.n;
        }
    return true;
}
