#include "prime/plan.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "driver/worker/supervisor.h"
#include "facts/compile_time.h"
#include "facts/env_defaults.h"

#include <string.h>

enum { ENOUGH_ENTRIES = 8, SMALL_CHANGE = 3 << 10 };

/* ---- how large ---- */

/* Returns the bytes of machine code for each byte of PTX; negative: too few entries to know. */
static double learned_ratio(const struct jw_cache_listing *cache, uint16_t sm)
{
    double keys = 0, payloads = 0;
    size_t n = 0;

    for (size_t i = 0; i < cache->n; i++) {
        const struct jw_cache_file *f = &cache->files[i];

        if (f->damage || f->kind != JW_CACHE_CUDA || f->sm != sm)
            continue;
        keys += (double)f->entry.key_size;
        payloads += (double)f->entry.payload_size;
        n++;
    }
    return n >= ENOUGH_ENTRIES && keys > 0 ? payloads / keys : -1;
}

/* The ratio of each architecture, learned once. */
struct ratios {
    uint16_t sm[JW_MAX_SMS];
    double of[JW_MAX_SMS];
    size_t n;
};

static double ratio_of(struct ratios *r, const struct jw_cache_listing *cache, uint16_t sm)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->sm[i] == sm)
            return r->of[i];
    double ratio = learned_ratio(cache, sm);

    if (r->n < JW_MAX_SMS) {
        r->sm[r->n] = sm;
        r->of[r->n++] = ratio;
    }
    return ratio;
}

static uint64_t entry_bytes(double ratio, uint64_t ptx_bytes)
{
    return ratio < 0 ? jw_cache_bytes_for(ptx_bytes)
                     : ptx_bytes + SMALL_CHANGE + (uint64_t)((double)ptx_bytes * ratio);
}

/* ---- what is there ---- */

/* The entry's name identifies the module, and its size shows that it is complete. driver-fact: F02-name-is-fnv,
 * F28-index-needed */
static bool warm_by_name(const struct jw_cache_listing *cache, struct jw_job *j, bool *unindexed)
{
    const struct jw_cache_file *f = jw_cache_file_find(cache, j->name);

    if (!f || f->damage || f->entry.key_size != j->key_size)
        return false;
    j->entry_bytes = jw_cache_weight(&f->entry);
    *unindexed = !jw_cache_is_found(cache, f);
    return !*unindexed;
}

/* The driver may have used another name than predicted. The run that compiled the module recorded it. */
static void recall_name(const struct plan_input *in, const struct jw_warm_module *known, struct jw_job *j)
{
    bool there = !known || !known->name || jw_cache_file_find(in->cache, j->name);
    const struct jw_cache_file *f = there ? NULL : jw_cache_file_find(in->cache, known->name);

    if (!f)
        return;
    j->name = known->name;
    j->key_size = f->entry.key_size;
}

/* If names cannot be computed, the entry that an earlier run recorded must still exist. */
static bool warm_by_memory(const struct plan_input *in, const struct jw_warm_module *known, struct jw_job *j)
{
    const struct jw_cache_file *f;

    if (!known || !known->compiled)
        return false;
    f = known->name ? jw_cache_file_find(in->cache, known->name) : NULL;
    j->entry_bytes = known->bytes;
    if (!known->name)
        return in->cache->n + in->cache->foreign > 0;
    return f && jw_cache_is_found(in->cache, f) && jw_cache_weight(&f->entry) == known->bytes;
}

static const struct jw_warm_module *remembered(const struct plan_input *in, const struct jw_job *j)
{
    return jw_modules_find(&in->memory->modules, j->id, j->sm, in->build);
}

static const struct jw_device *hidden_of(const struct plan_input *in, uint16_t sm)
{
    for (size_t i = 0; i < in->n_hidden; i++)
        if (in->hidden[i].sm == sm)
            return &in->hidden[i];
    return NULL;
}

static void check_job(const struct plan_input *in, struct jw_arena *a, struct jw_job *j, bool *unindexed)
{
    const struct jw_warm_module *known = remembered(in, j);
    const struct jw_device *hidden = hidden_of(in, j->sm);

    *unindexed = false;
    if (j->predicted)
        recall_name(in, known, j);
    if (j->predicted ? warm_by_name(in->cache, j, unindexed) : warm_by_memory(in, known, j))
        j->state = JW_JOB_WARM;
    if (j->state != JW_JOB_TODO || *unindexed)
        return;
    if (known && !in->retry && jw_module_is_banned(known, in->compiler)) {
        j->state = JW_JOB_SKIPPED;
        j->why = j->hopeless = jw_arena_str(a, known->ban);
    } else if (in->cannot_compile) {
        j->state = JW_JOB_NO_COMPILER;
        j->why = in->cannot_compile;
    } else if (hidden) {
        j->state = JW_JOB_HIDDEN;
        j->why = jw_arena_printf(a, "%.100s (sm_%u) is hidden here, and left alone", hidden->name,
                                 (unsigned)hidden->sm);
    }
}

/* ---- one job for equal modules ---- */

static int by_id(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a, *y = *(const struct jw_job *const *)b;
    int d = memcmp(x->id, y->id, sizeof x->id);

    if (d)
        return d;
    return (x > y) - (x < y); /* as they were found */
}

static const struct plan_rate *rate_of(const struct plan_input *in, uint16_t sm)
{
    static const struct plan_rate usual = { 0, JW_COMPILE_MODULE_S, JW_COMPILE_BYTE_S };

    for (size_t i = 0; i < in->n_rates; i++)
        if (in->rates[i].sm == sm)
            return &in->rates[i];
    return &usual;
}

/* A module that was stopped takes twice as long, as far as is known: the next time limit that begins it is a longer one. */
double plan_seconds(double predicted, double stopped)
{
    return predicted > 2 * stopped ? predicted : 2 * stopped;
}

bool plan_is_bound_by_one(const struct plan *p)
{
    return p->n_todo > 1 && p->longest >= p->seconds;
}

unsigned plan_round_time_limit(double seconds)
{
    unsigned whole = seconds > 1 ? (unsigned)seconds : 1;

    whole += whole < seconds; /* up */
    unsigned step = whole <= 30 ? 5 : whole <= 120 ? 10 : 60;

    return (whole + step - 1) / step * step;
}

static double stopped_after(const struct plan_input *in, const struct jw_job *j)
{
    const struct jw_warm_module *known = remembered(in, j);

    return known ? known->stopped / 1000.0 : 0;
}

struct jw_digest_set plan_recorded(const struct jw_warm_state *memory, struct jw_arena *a)
{
    struct jw_digest_set out = { 0 };

    for (size_t i = 0; i < memory->n_commands; i++)
        jw_digest_set_add_all(&out, a, memory->commands[i].ids, memory->commands[i].n);
    jw_digest_set_sort(&out);
    return out;
}

/* A running program has loaded its file. */
static bool is_loaded(const struct plan_input *in, const struct jw_place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < in->n_loaded; k++)
            if (strcmp(places[i].path, in->loaded[k]) == 0)
                return true;
    return false;
}

/* Makes one job of a group of found modules that are the same. */
static void make_job(const struct plan_input *in, const struct jw_job *const *group, size_t n,
                     struct jw_arena *a, struct jw_job *j)
{
    const struct plan_rate *rate = rate_of(in, group[0]->sm);
    struct jw_place *places = jw_arena_alloc(a, n * sizeof *places);

    for (size_t i = 0; i < n; i++)
        places[i] = *group[i]->module.places;
    *j = *group[0];
    j->module.places = places;
    j->module.n_places = n;
    j->used = (in->used && jw_digest_set_has(in->used, j->module.text)) || is_loaded(in, places, n);
    j->predicted = in->level >= JW_LEVEL_PREDICTABLE && j->name;
    if (!j->predicted)
        j->name = j->key_size = 0;
    j->memory = jw_sv_need(j->module.ptx_bytes);
    j->stopped = stopped_after(in, j);
    j->seconds = plan_seconds(rate->base_s + rate->per_byte_s * (double)j->module.ptx_bytes, j->stopped);
}

static void collect_jobs(const struct plan_input *in, struct jw_arena *a, struct plan *out)
{
    const struct jw_job **sorted = jw_alloc(in->n_found * sizeof(struct jw_job *) + 1);
    const struct jw_digest_set recorded = plan_recorded(in->memory, a);

    for (size_t i = 0; i < in->n_found; i++)
        sorted[i] = &in->found[i];
    jw_sort(sorted, in->n_found, sizeof *sorted, by_id);
    for (size_t i = 0, next; i < in->n_found; i = next) {
        const struct jw_job *j = sorted[i];

        for (next = i + 1; next < in->n_found && memcmp(sorted[next]->id, j->id, sizeof j->id) == 0;)
            next++;
        if (in->profile && !jw_digest_set_has(in->profile, j->id)) {
            out->unused.modules++;
            out->unused.ptx_bytes += j->module.ptx_bytes;
            continue;
        }

        struct jw_job *made = &out->jobs[out->n_jobs++];

        make_job(in, &sorted[i], next - i, a, made);
        made->used = made->used || jw_digest_set_has(&recorded, made->id);
    }
    jw_free(sorted);
}

/* ---- what fits ---- */

/* Modules that programs are known to load come first, then those with the most seconds for each byte of cache. */
static int jobs_by_worth(const void *a, const void *b)
{
    const struct jw_job *x = a, *y = b;
    double worth_x = x->seconds / (double)(x->cache_bytes + 1),
           worth_y = y->seconds / (double)(y->cache_bytes + 1);

    if ((x->state == JW_JOB_TODO) != (y->state == JW_JOB_TODO))
        return x->state == JW_JOB_TODO ? -1 : 1;
    if (x->used != y->used)
        return x->used ? -1 : 1;
    if (worth_x > worth_y || worth_x < worth_y)
        return worth_x > worth_y ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

static void refuse_room(struct jw_job *j, struct jw_arena *a, uint64_t room, bool disk, uint64_t limit)
{
    struct jw_buf text = JW_LINE(a);

    if (disk)
        jw_say(&text, "the disk has only %s left for it", JW_SIZE(room));
    else if (j->cache_bytes > limit)
        jw_say(&text, "it is larger than the whole cache may be (%s), so the driver never caches it",
               JW_SIZE(limit));
    else
        jw_say(&text, "the cache may grow to %s, and only %s are left", JW_SIZE(limit), JW_SIZE(room));
    j->state = JW_JOB_NO_ROOM;
    j->why = jw_buf_cstr(&text);
}

static void fit_jobs(const struct plan_input *in, struct jw_arena *a, struct plan *out)
{
    uint64_t room = in->limit > in->taken ? in->limit - in->taken : 0, disk = in->disk;

    for (size_t i = 0; i < out->n_jobs; i++) {
        struct jw_job *j = &out->jobs[i];

        if (j->state != JW_JOB_TODO)
            continue;
        j->cache_bytes = j->entry_bytes ? j->entry_bytes : j->cache_bytes;
        out->need += j->cache_bytes;
        if (j->cache_bytes > room || j->cache_bytes > disk) {
            refuse_room(j, a, jw_min(room, disk), j->cache_bytes <= room, in->limit);
            continue;
        }
        room -= j->cache_bytes;
        disk -= disk == UINT64_MAX ? 0 : j->cache_bytes;
    }
}

/* ---- in which order ---- */

static int by_start(const void *a, const void *b)
{
    const struct jw_job *x = a, *y = b;

    if ((x->state == JW_JOB_TODO) != (y->state == JW_JOB_TODO))
        return x->state == JW_JOB_TODO ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->used != y->used)
        return x->used ? -1 : 1;
    if (x->module.ptx_bytes != y->module.ptx_bytes)
        return x->module.ptx_bytes > y->module.ptx_bytes ? -1 : 1;
    return memcmp(x->id, y->id, sizeof x->id);
}

static void sum_jobs(const struct plan_input *in, struct plan *out)
{
    double workers = in->workers ? in->workers : 1, share;

    for (size_t i = 0; i < out->n_jobs && out->jobs[i].state == JW_JOB_TODO; i++) {
        if (out->unindexed[i])
            out->jobs[i].seconds = 0;
        out->n_todo++;
        out->lazy |= out->jobs[i].module.lazy;
        out->cpu_seconds += out->jobs[i].seconds;
        if (out->jobs[i].seconds > out->longest)
            out->longest = out->jobs[i].seconds;
    }
    share = out->cpu_seconds / workers;
    out->seconds = share > out->longest ? share : out->longest;
}

void plan_make(const struct plan_input *in, struct jw_arena *a, struct plan *out)
{
    struct ratios ratios = { .n = 0 };
    bool unindexed;

    *out = (struct plan){ .jobs = jw_arena_alloc(a, in->n_found * sizeof *out->jobs + 1),
                          .unindexed = jw_arena_alloc(a, in->n_found + 1) };
    collect_jobs(in, a, out);
    for (size_t i = 0; i < out->n_jobs; i++) {
        struct jw_job *j = &out->jobs[i];

        check_job(in, a, j, &unindexed); /* sets `unindexed` again, because the order changes */
        j->cache_bytes = entry_bytes(ratio_of(&ratios, in->cache, j->sm), j->module.ptx_bytes);
    }
    jw_sort(out->jobs, out->n_jobs, sizeof *out->jobs, jobs_by_worth);
    fit_jobs(in, a, out);
    jw_sort(out->jobs, out->n_jobs, sizeof *out->jobs, by_start);
    for (size_t i = 0; i < out->n_jobs; i++)
        if (out->jobs[i].predicted && out->jobs[i].state == JW_JOB_TODO)
            (void)warm_by_name(in->cache, &out->jobs[i], &out->unindexed[i]);
    sum_jobs(in, out);
}

/* ---- the words of JSON output: scripts depend on them ---- */

const char *const jw_outcome_names[] = {
    [JW_JOB_TODO] = "todo",       [JW_JOB_WARM] = "warm",
    [JW_JOB_WARMED] = "warmed",   [JW_JOB_FAILED] = "failed",
    [JW_JOB_TIMEOUT] = "timeout", [JW_JOB_CRASHED] = "crashed",
    [JW_JOB_SKIPPED] = "skipped", [JW_JOB_NO_COMPILER] = "no-compiler",
    [JW_JOB_HIDDEN] = "hidden",   [JW_JOB_NO_ROOM] = "no-room",
    [JW_JOB_CHANGED] = "changed", [JW_JOB_UNSTORED] = "unstored",
};

const char *const jw_left_out_names[] = {
    [JW_OUT_IS_NATIVE] = "native",   [JW_OUT_IS_LAZY] = "lazy",       [JW_OUT_IS_RDC] = "rdc",
    [JW_OUT_IS_BLOCKED] = "blocked", [JW_OUT_IS_NOTHING] = "nothing", [JW_OUT_IS_VENDOR] = "vendor",
    [JW_OUT_IS_TEST] = "test",       [JW_OUT_IS_UNUSED] = "unused",   [JW_OUT_IS_DOUBTFUL] = "doubtful",
    [JW_OUT_IS_MADE] = "made",       [JW_OUT_IS_LTO] = "lto",
};

/* ---- in the report: a job, before and after what became of it ---- */

#define P struct jw_place
#define J struct jw_job

static const struct jw_row places[] = {
    { JW_ROW("path", P, path),
      JW_ABOUT("as it is shown: of a wheel NAME.whl!member, of cached code its entry") },
    { JW_ROW("disk", P, disk), JW_NULLABLE, JW_ABOUT("the file that is read") },
    { JW_ROW("at", P, at) },
    { JW_ROW("size", P, size) },
    { JW_ROW("package", P, package), JW_NULLABLE },
    { JW_SPELT("digest", P, digest, &jw_spell_digest), JW_ABOUT("BLAKE2b-256 of these bytes") },
    { 0 },
};

static const struct jw_row entry[] = {
    { JW_SPELT("name", J, name, &jw_spell_entry), JW_NULLABLE,
      JW_ABOUT("its file below the cache's root; null: not known") },
    { JW_ROW("predicted", J, predicted), JW_ABOUT("the name was computed beforehand") },
    { JW_ROW("key_bytes", J, key_size) },
    { JW_ROW("bytes", J, entry_bytes),
      JW_ABOUT("of key and payload, of the entry that is there now; 0: there is none") },
    { 0 },
};

static const struct jw_row predicted[] = {
    { JW_ROW("seconds", J, seconds) },
    { JW_ROW("memory_bytes", J, memory) },
    { 0 },
};

const struct jw_row plan_module_rows[] = {
    { JW_SPELT("id", J, id, &jw_spell_digest),
      JW_ABOUT("BLAKE2b-256 of PTX, options and architecture: the same on every machine") },
    { JW_SPELT("gpu", J, sm, &jw_spell_sm) },
    { JW_ROW("target", J, module.target), JW_ABOUT("what the PTX was made for: compute_75") },
    { JW_ROW("options", J, module.options), JW_ABOUT("as stored with the PTX") },
    { JW_ROW("ptx_bytes", J, module.ptx_bytes) },
    { JW_ROW("used", J, used), JW_ABOUT("programs of this user are known to load it") },
    { 0 },
};

const struct jw_row plan_place_rows[] = {
    { JW_SUB_OF("entry", entry) },
    { JW_SUB_OF("predicted", predicted), JW_ABOUT("of one worker") },
    { JW_LIST("places", J, module.places, module.n_places, places),
      JW_ABOUT("where its PTX was found; the first is what the driver gets") },
    { 0 },
};
