#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "software/scan/scan_work.h"

#include <string.h>

enum { MAX_JOBS = 32 };

static bool empty(struct jw_file_id id) { return id.volume == 0 && id.node == 0; }

static size_t slot_of(const struct scan_id *slots, size_t cap, struct jw_file_id id)
{
    uint64_t h = (id.node ^ id.volume * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
    size_t i = (size_t)(h >> 20) & (cap - 1);

    while (!empty(slots[i].id) && !jw_file_same(slots[i].id, id))
        i = (i + 1) & (cap - 1);
    return i;
}

static void grow(struct scan_ids *ids)
{
    size_t cap = ids->cap ? ids->cap * 2 : 256;
    struct scan_id *slots = jw_alloc(cap * sizeof *slots);

    for (size_t i = 0; i < ids->cap; i++)
        if (!empty(ids->slots[i].id))
            slots[slot_of(slots, cap, ids->slots[i].id)] = ids->slots[i];
    jw_free(ids->slots);
    ids->slots = slots;
    ids->cap = cap;
}

bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, unsigned round, unsigned *seen)
{
    *seen = round;
    if (empty(id)) /* no id: never equal to another file */
        return true;
    if (ids->n * 2 >= ids->cap)
        grow(ids);
    struct scan_id *slot = &ids->slots[slot_of(ids->slots, ids->cap, id)];
    bool fresh = empty(slot->id);

    if (fresh) {
        *slot = (struct scan_id){id, round};
        ids->n++;
    }
    *seen = slot->round;
    return fresh;
}

void scan_ids_free(struct scan_ids *ids)
{
    jw_free(ids->slots);
    *ids = (struct scan_ids){0};
}

/* What the lists of a report point to. */
struct jw_scan_memory {
    struct jw_arena arenas[MAX_JOBS];
};

static void work_off(void *ctx, unsigned number)
{
    struct scan *s = ctx;
    struct scan_worker w = {.scan = s, .results = &s->memory->arenas[number]};

    scan_run_tasks(&w);
}

/* Pushes the last folder first: the stack returns them in the order of the command line. */
static bool push_folders(struct scan *s, struct jw_err *err)
{
    for (size_t i = s->o->n_folders; i-- > 0;) {
        const struct jw_scan_folder *folder = &s->o->folders[i];

        bool vouched = jw_text_among(folder->path, s->o->vouched.v, s->o->vouched.n);
        const struct scan_task task = {
            .depth = folder->depth, .named = folder->named, .vouched = vouched};

        if (!scan_push(s, folder->path, task, err))
            return false;
    }
    return true;
}

/* Orders names of one file: named by the user first, then the smallest. */
static int by_identity(const void *a, const void *b)
{
    const struct scan_found *x = a;
    const struct scan_found *y = b;

    if (x->id.volume != y->id.volume)
        return x->id.volume < y->id.volume ? -1 : 1;
    if (x->id.node != y->id.node)
        return x->id.node < y->id.node ? -1 : 1;
    if (x->file.named != y->file.named)
        return x->file.named ? -1 : 1;
    int order = strcmp(x->path, y->path);

    order = order ? order : strcmp(x->file.path, y->file.path);
    if (order)
        return order;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static bool is_same_file(const struct scan_found *x, const struct scan_found *y)
{
    return (x->id.volume || x->id.node) && jw_file_same(x->id, y->id);
}

/* Keeps the names that the user gave, else the smallest one. */
static bool chosen(const struct scan_found *one, const struct scan_found *first)
{
    return first->file.named ? one->file.named : strcmp(one->path, first->path) == 0;
}

/* Keeps one name of each file, or all that the user gave, and the members of kept wheels. */
static size_t choose_names(struct scan_found *found, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        found[i].nth = i;
    jw_sort(found, n, sizeof *found, by_identity);
    for (size_t i = 0, next; i < n; i = next) {
        const struct scan_found first = found[i];
        size_t start = kept;

        for (next = i; next < n && (next == i || is_same_file(&first, &found[next])); next++) {
            bool again =
                kept > start && strcmp(found[kept - 1].file.path, found[next].file.path) == 0;

            /* of a wheel's members with one name an installer takes the last */
            if (chosen(&found[next], &first))
                found[again ? kept - 1 : kept++] = found[next];
        }
    }
    return kept;
}

static void drop_met(struct scan *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n_skipped; i++) {
        bool again = kept && strcmp(s->skipped[kept - 1].path, s->skipped[i].path) == 0;

        if (!again)
            s->skipped[kept++] = s->skipped[i];
        s->skipped[kept - 1].named |= s->skipped[i].named;
    }
    s->n_skipped = kept;
}

static void deliver(struct scan *s, struct jw_scan_report *out)
{
    size_t n = choose_names(s->files, s->n_files);

    jw_sort(s->skipped, s->n_skipped, sizeof *s->skipped, jw_by_text);
    drop_met(s);
    *out = (struct jw_scan_report){.files = jw_alloc(n * sizeof *out->files),
                                   .n_files = n,
                                   .skipped = s->skipped,
                                   .n_skipped = s->n_skipped,
                                   .zips = s->zips,
                                   .memory = s->memory};
    s->skipped = NULL;
    for (size_t i = 0; i < n; i++)
        out->files[i] = s->files[i].file;
    jw_sort(out->files, n, sizeof *out->files, jw_by_text);
    scan_find_variants(out->files, n, s->o->sms.n);
}

static void free_scan(struct scan *s)
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

bool scan_with(const struct jw_scan_options *options, struct finding *finding,
               struct jw_scan_report *out, struct jw_err *err)
{
    struct scan s = {.o = options, .finding = finding, .lock = jw_lock_new()};
    unsigned jobs = options->jobs ? options->jobs : jw_cpu_count();

    s.memory = jw_alloc(sizeof *s.memory);

    *out = (struct jw_scan_report){0};
    s.driver = jw_driver_limits(options->driver);
    bool ok = (!options->driver || jw_driver_parse(options->driver, &s.branch, err))
              && push_folders(&s, err);

    if (ok)
        jw_parallel(jobs > MAX_JOBS ? MAX_JOBS : jobs, work_off, &s);
    ok = ok && (!s.failed || jw_pass(err, s.err));
    if (ok)
        deliver(&s, out);
    else
        jw_scan_free(&(struct jw_scan_report){.memory = s.memory});
    free_scan(&s);
    return ok;
}

bool jw_scan(const struct jw_scan_options *options, struct jw_scan_report *out, struct jw_err *err)
{
    return scan_with(options, NULL, out, err);
}

void jw_scan_free(struct jw_scan_report *report)
{
    struct jw_scan_memory *memory = report->memory;

    if (memory) {
        for (unsigned i = 0; i < MAX_JOBS; i++)
            jw_arena_free(&memory->arenas[i]);
        jw_free(report->files);
        jw_free(report->skipped);
        jw_free(memory);
    }
    *report = (struct jw_scan_report){0};
}
