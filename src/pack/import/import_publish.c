/* Publishes unpacked entries, and proves a sample of them. */
#include "pack/import/import_run.h"

#include "base/num.h"
#include "base/sort.h"
#include "cache/change/publish.h"
#include "prime/entry.h"

enum {
    BATCH = 4096,
    SAMPLE = 20,
    SAMPLE_BYTES = 8 << 20 /* of keys: to load more would take as long as all else of an import */
};

/* The driver evicts the oldest record first, so entries that are cheap to compile again go first.
 * driver-fact: F56-fifo */
static int by_cost(const void *a, const void *b)
{
    const struct jw_pack_entry *x = *(const struct jw_pack_entry *const *)a;
    const struct jw_pack_entry *y = *(const struct jw_pack_entry *const *)b;

    if (x->key_bytes != y->key_bytes)
        return x->key_bytes < y->key_bytes ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* The fresh ones. */
static const struct jw_pack_entry **make_queue(const struct importing *p)
{
    const struct jw_pack_entry **queue =
        jw_arena_alloc(p->im->run->a, p->n_fresh * sizeof(const void *));
    size_t n = 0;

    for (size_t i = 0; i < p->pack->manifest->n_entries; i++)
        if (p->fresh[i])
            queue[n++] = &p->pack->manifest->entries[i];
    jw_sort(queue, n, sizeof(const void *), by_cost);
    return queue;
}

static bool note_added(struct importing *p, const struct jw_pack_entry *e, struct jw_err *err)
{
    struct jw_import *im = p->im;
    struct jw_job *to =
        jw_list_add(im->run->a, &im->added, &im->n_added, sizeof *to, SIZE_MAX, err);

    if (!to)
        return false;
    *to = (struct jw_job){.name = e->name, .key_size = e->key_bytes, .sm = p->pack->manifest->sm};
    p->pack->added++;
    if (p->names)
        import_took(p->filter, p->names[e - p->pack->manifest->entries]);
    return true;
}

static bool publish_batch(struct importing *p, const struct jw_pack_entry *const *queue, size_t n,
                          struct jw_err *err)
{
    struct jw_import *im = p->im;
    struct jw_publish_entry *list = jw_arena_alloc(im->run->a, n * sizeof *list);
    const char *folder = import_staged_folder(im);

    for (size_t i = 0; i < n; i++)
        list[i] =
            (struct jw_publish_entry){.name = queue[i]->name,
                                      .from = jw_staged_path(folder, queue[i]->name, im->run->a),
                                      .replaces = p->refused[queue[i] - p->pack->manifest->entries],
                                      .checked = true,
                                      .synced = p->synced,
                                      .size = queue[i]->key_bytes + queue[i]->payload_bytes};
    bool ok = jw_publisher_add(p->publisher, list, n, im->run->a, err);

    for (size_t i = 0; i < n; i++) {
        p->pack->there +=
            list[i].result == JW_PUBLISH_THERE; /* meanwhile, or only its record was missing */
        if ((list[i].result == JW_PUBLISH_PLACED || list[i].result == JW_PUBLISH_REPLACED)
            && !note_added(p, queue[i], ok ? err : JW_IGNORED))
            return false;
        if (ok && list[i].result == JW_PUBLISH_REFUSED)
            JW_NOTE(im->run, "entry %s was not added: %s", jw_cache_name(list[i].name).text,
                    list[i].why);
    }
    return ok;
}

/* driver-fact: F54-accounting */
static bool flush_records(struct importing *p, struct jw_err *err)
{
    struct jw_import *im = p->im;
    struct jw_err why = {0};

    if (jw_publisher_flush(p->publisher, JW_PUBLISH_PATIENCE_MS, im->run->interrupted, &why))
        return true;
    if (why.code == JW_E_INTERRUPTED)
        return jw_pass(err, why);
    return import_end_pack(
        p, JW_END_PARTLY,
        jw_arena_printf(
            im->run->a,
            "the last entries may not count, because the cache's index could not be written: %s",
            why.msg));
}

bool import_publish(struct importing *p, struct jw_err *err)
{
    struct jw_run *run = p->im->run;
    const struct jw_pack_entry **queue = make_queue(p);
    struct jw_err why = {0};

    if (!jw_publisher_open(&p->publisher, p->here->cache, &why))
        return import_end_pack(p, JW_END_CANNOT_WRITE, why.msg);
    for (size_t at = 0; at < p->n_fresh; at += BATCH) {
        jw_run_show(run, "putting entries into the cache", at, p->n_fresh);
        if (!jw_not_interrupted(run->interrupted, err)
            || !publish_batch(p, queue + at, (size_t)jw_min(p->n_fresh - at, BATCH), err))
            return false;
    }
    return flush_records(p, err);
}

/* ---- the sample ---- */

/* How many of what was added, evenly spread. */
static size_t choose_sample(const struct jw_import *im)
{
    uint64_t bytes = 1;

    for (size_t i = 0; i < im->n_added; i++)
        bytes += im->added[i].key_size;
    return (size_t)jw_max(1,
                          jw_min(jw_min(im->n_added, SAMPLE), im->n_added * SAMPLE_BYTES / bytes));
}

/* Entries of NVRTC, nvJitLink and OpenCL are not in the sample: no known call makes the driver load
 * them. */
static bool look_at_sample(struct jw_import *im, struct jw_run *run, struct jw_look *sample,
                           struct jw_err *err)
{
    size_t n = choose_sample(im);
    struct jw_job *jobs = jw_arena_alloc(run->a, n * sizeof *jobs);

    for (size_t i = 0; i < n; i++)
        jobs[i] = im->added[i * im->n_added / n];
    return jw_look_entries(run, sample, jobs, n, err);
}

/* A driver that starts and opens no GPU proves nothing, and is no failure of the import. The facts
 * of the session are asked, since those of the sample's look say by now that it fails. */
static bool opens_no_gpu(const struct jw_run *run)
{
    return run->end == JW_END_NO_GPU
           && jw_session_facts(run->session)->driver.is == JW_DRIVER_STARTS;
}

/* Takes over how the sample was proven. */
static void keep_proof(struct jw_import *im, struct jw_look *look, const struct jw_run *own,
                       const struct jw_look *sample)
{
    im->sample = sample->proof;
    im->n_sample = sample->n_jobs;
    if (opens_no_gpu(own)) {
        im->sample.why = sample->stop ? sample->stop->text : own->why;
        return;
    }
    look->stop = sample->stop;
    jw_run_end_as(im->run, own);
}

/* Added entries stay in the cache, also where they cannot be proven. The proof is a run of its own,
 * with a look of its own. */
bool import_prove(struct jw_import *im, struct jw_look *look, struct jw_err *err)
{
    struct jw_run own = jw_run_part(im->run);
    struct jw_look sample = {.purpose = look->purpose,
                             .machine = look->machine,
                             .scope = look->scope,
                             .memory = look->memory,
                             .sound = look->sound};
    struct jw_err why = {0};

    if (!im->n_added)
        return true;
    bool ok = look_at_sample(im, &own, &sample, &why)
              && (!sample.n_jobs || jw_prove(&own, &sample, im->hold, &why));

    jw_run_join(im->run, &own);
    if (ok)
        keep_proof(im, look, &own, &sample);
    else
        im->sample.why = jw_arena_str(own.a, why.msg);
    jw_look_free(&sample);
    return ok || why.code != JW_E_INTERRUPTED || jw_pass(err, why);
}
