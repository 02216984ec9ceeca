#include "cache/change/publish.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "cache/change/index_repair.h"
#include "cache/change/publish_index.h"
#include "facts/driver_settings.h"
#include "machine/trust.h"
#include "os/machine/time.h"

enum {
    PATIENCE_MS = 2000, /* for the lock, in one call */
    SLICE_MS = 100,     /* between checks for interruption */
    FEW = 16            /* files: below, syncing others' files on the same disk would take longer */
};

struct jw_publisher {
    struct jw_arena a;
    struct publish_folder folder;
    struct publish_queue queue, added; /* records that wait; records to check again */
};

static bool open_folder(struct publish_folder *folder, struct jw_err *err)
{
    return jw_trust_make(folder->path, err) && jw_folder_open(&folder->open, folder->path, err)
           && publish_check_owner(&folder->open, err);
}

bool jw_publisher_open(struct jw_publisher **out, const char *folder, struct jw_err *err)
{
    struct jw_publisher *p = jw_alloc(sizeof *p);

    *out = NULL;
    p->folder = (struct publish_folder){.open = JW_FOLDER_CLOSED};
    p->folder.path = jw_arena_str(&p->a, folder);
    if (open_folder(&p->folder, err)) {
        *out = p;
        return true;
    }
    jw_publisher_close(p);
    return jw_wrap(err, "%s", folder);
}

void jw_publisher_close(struct jw_publisher *p)
{
    if (!p)
        return;
    jw_folder_close(&p->folder.open);
    publish_queue_free(&p->queue);
    publish_queue_free(&p->added);
    jw_arena_free(&p->a);
    jw_free(p);
}

static bool place_one(struct jw_publisher *p, struct jw_publish_entry *e, struct jw_arena *a,
                      struct jw_err *err)
{
    bool ok = publish_place(&p->folder, e, a, err);
    bool there = e->result != JW_PUBLISH_REFUSED;

    e->reached = true;
    if (there) {
        publish_queue_add(&p->queue, (struct jw_cache_record){e->name, e->size});
        publish_queue_add(&p->added, (struct jw_cache_record){e->name, e->size});
    }
    if (!ok && !e->why)
        e->why = jw_arena_str(a, err->msg);
    return ok;
}

static void refuse_all(struct jw_publish_entry *list, size_t n, const struct jw_err *why,
                       struct jw_arena *a)
{
    const char *text = jw_arena_str(a, why->msg);

    for (size_t i = 0; i < n; i++) {
        list[i].why = text;
        list[i].reached = true;
    }
}

static bool repair(const struct jw_publisher *p, struct jw_err *err)
{
    struct index_repair ignored;

    return index_repair(&p->folder, true, NULL, &ignored, err);
}

/* Reserves room in the queue first, so that each file that is moved gets its record. */
static bool place_all(struct jw_publisher *p, struct jw_publish_entry *list, size_t n,
                      struct jw_arena *a, struct jw_err *err)
{
    struct jw_err why = {0};
    bool moves = false;
    bool ok = publish_queue_room(&p->queue, n, err) && publish_queue_room(&p->added, n, err);

    for (size_t i = 0; i < n; i++) {
        list[i].result = JW_PUBLISH_REFUSED;
        list[i].reached = false;
        list[i].size = list[i].synced ? list[i].size : 0;
        list[i].why = "was not reached";
        moves |= list[i].from != NULL;
    }
    /* With a damaged index the next program that stores an entry deletes all others. */
    if (ok && moves && !repair(p, &why)) {
        ok = publish_is_unsound(&why) || jw_pass(err, why); /* refuse each entry */
        refuse_all(list, n, &why, a);
        return ok;
    }
    for (size_t i = 0; ok && i < n; i++)
        ok = place_one(p, &list[i], a, err);
    return ok;
}

/* Appends the pending records. */
static bool record(struct jw_publisher *p, unsigned patience_ms, struct jw_err *err)
{
    bool ok =
        publish_sync(&p->folder, err) && publish_index(&p->folder, &p->queue, patience_ms, err);

    if (ok && p->folder.waits.damaged && repair(p, JW_IGNORED))
        ok = publish_index(&p->folder, &p->queue, patience_ms, err);

    if (!ok)
        p->folder.waits = (struct publish_waits){.why = *err};
    return ok;
}

static bool check_added(struct jw_publisher *p, struct jw_err *err)
{
    bool ok = publish_check_added(&p->folder, &p->added, SLICE_MS, err);

    if (ok && p->folder.waits.damaged && repair(p, JW_IGNORED))
        ok = publish_check_added(&p->folder, &p->added, SLICE_MS, err);
    return ok;
}

/* The last records of the queue are this list's. */
static void report_pending(const struct jw_publisher *p, struct jw_publish_entry *list, size_t n,
                           struct jw_arena *a)
{
    size_t left = p->queue.n;
    const char *why = left ? jw_arena_str(a, p->folder.waits.why.msg) : NULL;

    while (left && n) {
        struct jw_publish_entry *e = &list[--n];

        if (e->result == JW_PUBLISH_REFUSED)
            continue;
        if (!e->why)
            e->why = why;
        left--;
    }
}

bool jw_publisher_add(struct jw_publisher *p, struct jw_publish_entry *list, size_t n,
                      struct jw_arena *a, struct jw_err *err)
{
    struct jw_err later = {0};
    bool ok = place_all(p, list, n, a, err);

    ok = record(p, PATIENCE_MS, ok ? err : &later) && ok;
    report_pending(p, list, n, a);
    return ok;
}

bool jw_publisher_flush(struct jw_publisher *p, unsigned patience_ms,
                        const atomic_bool *interrupted, struct jw_err *err)
{
    uint64_t end = jw_time_after_ms(patience_ms);

    for (;;) {
        uint64_t now = jw_time_monotonic_ns();

        if (jw_interrupted(interrupted))
            return !p->queue.n || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
        if (!record(p, (unsigned)jw_min(now < end ? (end - now) / 1000000 : 0, SLICE_MS), err))
            return false;
        if (!p->queue.n && !check_added(p, err))
            return false;
        if (!p->queue.n && !p->folder.waits.why.msg[0])
            return true;
        if (p->folder.waits.damaged || now >= end)
            return jw_fail(err, JW_E_IO, "%s; the records of %zu entries wait",
                           p->folder.waits.why.msg, p->queue.n ? p->queue.n : p->added.n);
    }
}

#define STAGED "%016llx"

const char *jw_staged_path(const char *folder, uint64_t name, struct jw_arena *a)
{
    return jw_arena_printf(a, "%s/" STAGED, folder, (unsigned long long)name);
}

bool jw_stage_entry(const struct jw_folder *folder, uint64_t name, struct jw_bytes bytes,
                    struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    char staged[20];
    bool found;

    (void)snprintf(staged, sizeof staged, STAGED, (unsigned long long)name);
    bool ok = jw_folder_open_file(folder, staged, JW_FOLDER_MAKE, &f, &found, err)
              && jw_file_write(&f, 0, bytes.p, bytes.n, err);

    if (ok)
        jw_file_start_writing(&f);
    jw_file_close(&f);
    return ok;
}

bool jw_stage_sync(const struct jw_folder *folder, size_t n, bool *synced, struct jw_err *err)
{
    *synced = false;
    return n < FEW || jw_folder_sync_files(folder, synced, err);
}

bool jw_publish_records(struct jw_run *run, const struct jw_cache_lookup *l,
                        const struct jw_job *jobs, size_t n, struct jw_scope *scope,
                        struct jw_err *err)
{
    struct jw_publish_entry *list = jw_arena_alloc(run->a, (n + 1) * sizeof *list);
    struct jw_publisher *p = NULL;
    uint64_t used = scope->used;
    size_t missing = 0;

    for (const struct jw_job *j = jobs; j < jobs + n; j++)
        if (jw_job_is_warm(j) && j->name && j->entry_bytes <= jw_cache_room(scope->limit, used)
            && !jw_find_u64(l->index.list, l->index.n, sizeof *l->index.list, j->name)) {
            list[missing++] = (struct jw_publish_entry){.name = j->name};
            used += j->entry_bytes;
        }
    bool ok =
        !missing
        || (jw_publisher_open(&p, l->folder, err) && jw_publisher_add(p, list, missing, run->a, err)
            && jw_publisher_flush(p, PATIENCE_MS, run->interrupted, err));

    jw_publisher_close(p);
    if (ok || l->trouble) /* which hides the records that are there */
        scope->used = used;
    return ok;
}
