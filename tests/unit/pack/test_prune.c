#include "check.h"

#include "base/path.h"
#include "base/sort.h"
#include "cache/change/index_repair.h"
#include "cache/change/prune_remove.h"
#include "cache/change/publish_index.h"
#include "cache/place/listing.h"
#include "machine/run.h"
#include "os/sys.h"
#include "pack/prune/prune.h"
#include "rigs/cache.h"
#include "rigs/faults.h"
#include "rigs/memory.h"
#include "rigs/naps.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#include "session/session.h"

#define NO_WORKER                                                                                  \
    "/no/such/jitwarm" /* this program would be its own, and empty the scratch folder */

enum { MAX = 300, FEW = 20 }; /* more than are removed at once; under Wine time ends each turn */

struct rig {
    struct jw_arena a;
    const char *folder;
    uint64_t names[MAX]; /* in the order of the index */
    size_t n;
    struct jw_cache_memory memory;
    struct jw_cache_lock *lock;
    struct publish_folder at;
};

/* A cache of `n` entries, all of them recorded, and its lock. */
static void begin(struct rig *r, const char *name, size_t n)
{
    char below[64];
    struct cache c;

    naps = naps_none; /* no other program is there */
    *r = (struct rig){.n = n, .at = {.open = JW_FOLDER_CLOSED}};
    (void)snprintf(below, sizeof below, "%s/cache", name);
    scratch_empty(tree_path(&r->a, name));
    set_variable("JITWARM_STATE", tree_path(&r->a, "state"));
    c = cache_make(&r->a, below);
    r->folder = c.folder;
    for (size_t i = 0; i < n; i++)
        r->names[i] = cache_add(&c, CACHE_NOW, "sm_86", (unsigned)i, 50 + i % 7);
    cache_done(&c);
    CHECK(jw_cache_memory_find(r->folder, &r->a, &r->memory, JW_IGNORED));
    r->lock = memory_lock(&r->memory);
    r->at.path = r->folder;
    CHECK(jw_folder_open(&r->at.open, r->folder, JW_IGNORED));
}

static void end(struct rig *r)
{
    jw_cache_unlock(r->lock);
    jw_folder_close(&r->at.open);
    jw_arena_free(&r->a);
}

#define TEST_CACHE(id) TEST_WITH(id, struct rig, r, (void), end) /* what it begins ends */

static int by_name(const void *a, const void *b)
{
    const struct prune_victim *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static struct jw_cache_listing list(struct rig *r)
{
    struct jw_cache_listing l;
    struct jw_err err = {0};

    CHECK_OK(jw_cache_list(r->folder, true, NULL, &r->a, &l, &err), err);
    return l;
}

static const struct jw_cache_file *find(const struct jw_cache_listing *l, uint64_t name)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].name == name)
            return &l->files[i];
    return NULL;
}

/* Longer than its listing. */
static struct jw_cache_file *keep(struct rig *r, const struct jw_cache_file *f)
{
    struct jw_cache_file *kept = jw_arena_alloc(&r->a, sizeof *kept);

    *kept = *f;
    return kept;
}

/* Each `every`-th of the index, as a plan would have it. */
static size_t choose(struct rig *r, size_t every, struct prune_victim *v)
{
    FREED(jw_cache_listing) l = list(r);
    size_t n = 0;

    for (size_t i = 0; i < r->n; i += every) {
        const struct jw_cache_file *f = find(&l, r->names[i]);

        if (f)
            v[n++] = (struct prune_victim){.name = f->name, .file = keep(r, f)};
    }
    jw_sort(v, n, sizeof *v, by_name);
    return n;
}

/* As if the file had been another one when it was listed. */
static void list_otherwise(struct rig *r, struct prune_victim *v, uint64_t more_bytes,
                           int64_t later)
{
    struct jw_cache_file *other = keep(r, v->file);

    other->size += more_bytes;
    other->mtime += later;
    v->file = other;
}

static size_t place(const struct rig *r, uint64_t name)
{
    size_t i = 0;

    while (i < r->n && r->names[i] != name)
        i++;
    return i;
}

/* The cache is sound: each record has its file, each file is whole, what stays is recorded in its
 * old order. */
static void sound(struct rig *r, size_t every, bool all_gone)
{
    FREED(jw_cache_listing) l = list(r);
    size_t stays = 0, next = 0;

    CHECK(!l.index_damage && l.missing == 0);
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage);
    for (size_t i = 0; i < r->n; i++) {
        CHECK(i % every == 0 || find(&l, r->names[i]));
        stays += i % every != 0;
    }
    for (size_t i = 0; i < l.index.n; i++) {
        size_t at = place(r, l.index.list[i].hash);

        if (at % every == 0)
            continue;
        CHECK(at >= next);
        next = at + 1;
        stays--;
    }
    CHECK_NUM(stays, 0);
    CHECK(!all_gone || l.n == l.index.n);
    CHECK_NUM(all_gone ? l.n : r->n, all_gone ? r->n - (r->n + every - 1) / every : r->n);
}

static struct prune_removed take(struct rig *r, struct prune_victim *v, size_t n)
{
    struct prune_removed out;
    struct jw_err err = {0};

    CHECK_OK(prune_remove(&r->at, v, n, NULL, &out, &err), err);
    return out;
}

TEST(what_goes_and_what_stays)
{
    static const size_t everies[] = {1, 3};

    for (size_t k = 0; k < JW_COUNT(everies); k++) {
        static struct prune_victim v[MAX];
        struct rig r;

        begin(&r, "some", check_many(MAX, FEW));

        size_t n = choose(&r, everies[k], v);
        struct prune_removed out = take(&r, v, n);

        CHECK_NUM(out.files, n);
        CHECK_NUM(out.records, n);
        CHECK(out.refused == 0 && out.changed == 0 && !out.locked);
        for (size_t i = 0; i < n; i++)
            CHECK(v[i].gone);
        sound(&r, everies[k], true);
        end(&r);
    }
}

TEST_CACHE(what_was_written_again_stays)
{
    struct prune_victim v[8];

    begin(r, "again", 8);
    CHECK_NUM(choose(r, 1, v), 8);
    list_otherwise(r, &v[2], 0, 1);
    list_otherwise(r, &v[5], 1, 0);

    struct prune_removed out = take(r, v, 8);
    FREED(jw_cache_listing) l = list(r);

    CHECK(out.files == 6 && out.changed == 2 && !v[2].gone && !v[5].gone);
    CHECK(l.n == 2 && l.index.n == 2 && l.missing == 0 && !l.index_damage);
}

TEST_CACHE(records_of_nothing_go)
{
    struct prune_victim v[8];

    begin(r, "stale", 8);
    CHECK_NUM(choose(r, 1, v), 8);
    for (size_t i = 0; i < 8; i++) {
        v[i] = (struct prune_victim){.name = v[i].name};
        if (i < 3)
            cache_remove(&(struct cache){.a = &r->a, .folder = r->folder}, v[i].name);
    }

    struct prune_removed out = take(r, v, 8);
    FREED(jw_cache_listing) l = list(r);

    CHECK(out.files == 0 && out.records == 3 && out.changed == 5);
    CHECK(l.n == 5 && l.index.n == 5 && l.missing == 0);
}

TEST_CACHE(files_that_no_record_counts)
{
    struct prune_victim v[8];

    begin(r, "unindexed", 8);
    CHECK_NUM(choose(r, 2, v), 4);

    struct cache c = {.a = &r->a, .name = "lost/cache", .folder = r->folder};

    cache_done(&c); /* an index of nothing */
    CHECK_NUM(take(r, v, 4).files, 4);
    jw_sys_remove(jw_path_join(&r->a, r->folder, "index"));
    CHECK_NUM(choose(r, 1, v), 4);
    CHECK_NUM(take(r, v, 4).files, 4); /* nor is there one to lock */
    CHECK(!scratch_there(jw_path_join(&r->a, r->folder, "index")));
}

TEST_CACHE(a_damaged_index_is_left_alone)
{
    struct prune_victim v[8];

    begin(r, "bad", 8);
    CHECK_NUM(choose(r, 1, v), 8);
    (void)tree_file(&r->a, "bad/cache/index", "this is no index, and of no use to anybody");

    struct prune_removed out = take(r, v, 8);

    CHECK(out.files == 0 && out.locked);
    CHECK_TEXT(out.locked, "the index is damaged");
    scratch_holds(jw_path_join(&r->a, r->folder, "index"),
                  "this is no index, and of no use to anybody");
}

/* What was looked at before the index is not reported beside it: nothing was decided about it. */
TEST_CACHE(beside_a_damaged_index_nothing_counts_as_changed)
{
    struct prune_victim v[8];

    begin(r, "bad-and-changed", 8);
    CHECK_NUM(choose(r, 1, v), 8);
    for (size_t i = 0; i < 4; i++)
        list_otherwise(r, &v[i], 0, -1);
    (void)tree_file(&r->a, "bad-and-changed/cache/index",
                    "this is no index, and of no use to anybody");

    struct prune_removed out = take(r, v, 8);

    CHECK_TEXT(out.locked, "the index is damaged");
    CHECK(out.files == 0 && out.changed == 0 && out.refused == 0);
}

static unsigned replaced; /* so often the index has another file than the one that was opened */

bool __real_publish_locked(struct publish_lock *l, unsigned patience_ms,
                           bool (*work)(void *ctx, struct jw_err *err), void *ctx,
                           struct jw_err *err);
bool __wrap_publish_locked(struct publish_lock *l, unsigned patience_ms,
                           bool (*work)(void *ctx, struct jw_err *err), void *ctx,
                           struct jw_err *err);
bool __wrap_publish_locked(struct publish_lock *l, unsigned patience_ms,
                           bool (*work)(void *ctx, struct jw_err *err), void *ctx,
                           struct jw_err *err)
{
    if (!replaced)
        return __real_publish_locked(l, patience_ms, work, ctx, err);
    replaced--;
    l->taken = true;
    l->current = false;
    return true;
}

/* As on a file system whose files have another number each time. */
TEST_CACHE(an_index_that_is_replaced_each_time_ends_it)
{
    struct prune_victim v[8];

    begin(r, "replaced", 8);
    CHECK_NUM(choose(r, 1, v), 8);
    replaced = PUBLISH_REOPENED - 1;
    CHECK_NUM(take(r, v, 4).files, 4);
    replaced = 1000;

    struct prune_removed out = take(r, v + 4, 4);

    CHECK(out.files == 0 && 1000 - replaced == PUBLISH_REOPENED);
    CHECK_TEXT(out.locked, "another program keeps replacing it");
    replaced = 0;
}

TEST_CACHE(an_interruption_comes_before_a_batch)
{
    struct prune_victim v[8];
    struct prune_removed out;
    atomic_bool stop = true;

    begin(r, "stop", 8);

    size_t n = choose(r, 1, v);

    CHECK(!prune_remove(&r->at, v, n, &stop, &out, &err) && err.code == JW_E_INTERRUPTED
          && out.files == 0);
}

TEST(every_call_fails_once)
{
    enum { EVERY = 3 };

    EACH_FAULT (f, check_fault_step(1)) {
        struct prune_victim v[6];
        struct prune_removed out;
        struct index_repair healed;
        struct rig r;

        begin(&r, "faults", 6);

        size_t n = choose(&r, EVERY, v);
        bool ok = FAULTED(f, prune_remove(&r.at, v, n, NULL, &out, &err));

        CHECK(ok || (f.fired && err.code && err.msg[0]));
        CHECK(f.fired || (out.refused == 0 && out.files == n));
        err = (struct jw_err){0};
        CHECK_OK(index_repair_at(r.folder, NULL, &healed, &err), err);
        sound(&r, EVERY, ok && out.refused == 0);
        (void)take(&r, v, choose(&r, EVERY, v));
        sound(&r, EVERY, true);
        end(&r);
        CHECK(f.fired || (ok && f.nth > 20));
    }
}

enum { N = 5 };

/* A cache of N entries, for which no driver need be asked. */
static const char *prepare(struct jw_arena *a)
{
    struct cache c;

    scratch_empty(tree_path(a, "faults"));
    set_variable("JITWARM_STATE", tree_path(a, "faults/state"));
    c = cache_make(a, "faults/cache");
    for (unsigned i = 0; i < N; i++)
        (void)cache_add(&c, CACHE_BEFORE, "sm_86", i, 50);
    cache_done(&c);
    return c.folder;
}

/* Each record has its file, each file is whole; how many there are. */
static size_t sound_faults(struct jw_arena *a, const char *cache)
{
    FREED(jw_cache_listing) l;

    CHECK(jw_cache_list(cache, true, NULL, a, &l, JW_IGNORED));
    CHECK(!l.index_damage && l.missing == 0);
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage);
    return l.n;
}

TEST(every_call_of_a_prune_fails_once)
{
    EACH_FAULT (f, check_fault_step(1)) {
        FREED(jw_arena) a = {0};
        const struct jw_prune_options o = {.all = true, .act = true};
        struct jw_session s = {.a = &a, .cache = prepare(&a), .exe = NO_WORKER};
        struct jw_run run = {.session = &s, .a = &a};
        struct jw_prune_report r;

        jw_run_begin(&run);
        bool ok = FAULTED(f, jw_prune(&run, &o, &r, &err));

        CHECK(ok || (f.fired && err.code && err.msg[0]));
        CHECK(!ok || run.end == JW_END_DONE
              || (f.fired && (run.why || run.notes.n || run.end == JW_END_NOTHING)));
        (void)sound_faults(&a, s.cache);
        s = (struct jw_session){
            .a = &a, .cache = s.cache, .exe = NO_WORKER}; /* it keeps what failed */
        jw_run_begin(&run);
        CHECK(jw_prune(&run, &o, &r, &err));
        CHECK(run.end == JW_END_DONE || run.end == JW_END_NOTHING);
        CHECK_NUM(sound_faults(&a, s.cache), 0);
        CHECK(f.fired || (ok && f.nth > 100));
    }
}

static size_t n_saved;
static bool save_fails;

bool __wrap_jw_export_files(const struct jw_run *run, struct jw_cache_file *files, size_t n,
                            struct jw_export_report *out, struct jw_err *err);
bool __wrap_jw_export_files(const struct jw_run *run, struct jw_cache_file *files, size_t n,
                            struct jw_export_report *out, struct jw_err *err)
{
    (void)run, (void)out;
    n_saved = n;
    for (size_t i = 1; i < n; i++)
        CHECK(files[i - 1].name < files[i].name);
    return !save_fails || jw_fail(err, JW_E_IO, "the disk is full");
}

/* What cannot be saved stays; a dry run saves nothing. */
TEST_ARENA(what_goes_is_saved_first)
{
    struct jw_prune_options o = {.all = true, .act = true, .save = true};
    struct jw_session session = {.a = a, .cache = prepare(a), .exe = NO_WORKER};
    struct jw_run run = {.session = &session, .a = a};
    struct jw_prune_report r;

    save_fails = true;
    jw_run_begin(&run);
    CHECK_OK(jw_prune(&run, &o, &r, &err), err);
    CHECK(n_saved == N && run.end == JW_END_CANNOT_WRITE);
    CHECK_HAS(run.why ? run.why : "", "the disk is full");
    CHECK_NUM(sound_faults(a, session.cache), N);
    save_fails = false;
    n_saved = 0;
    o.act = false;
    jw_run_begin(&run);
    CHECK_OK(jw_prune(&run, &o, &r, &err), err);
    CHECK(n_saved == 0 && run.end == JW_END_LISTED && r.plan.entries == N);
    o.act = true;
    jw_run_begin(&run);
    CHECK_OK(jw_prune(&run, &o, &r, &err), err);
    CHECK(n_saved == N && run.end == JW_END_DONE && r.removed.entries == N);
    CHECK_NUM(sound_faults(a, session.cache), 0);
}
