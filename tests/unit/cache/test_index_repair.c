#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/change/index_repair.h"
#include "cache/place/listing.h"
#include "check.h"
#include "os/files/file.h"
#include "os/sys.h"
#include "rigs/cache.h"
#include "rigs/faults.h"
#include "rigs/memory.h"
#include "rigs/naps.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

enum { N = 12 };

struct rig {
    struct jw_arena a;
    const char *folder, *index;
    uint64_t names[N]; /* in the order of the index */
    struct jw_cache_memory memory;
    struct jw_cache_lock *lock;
};

static void begin(struct rig *r)
{
    struct cache c;

    naps = naps_none; /* others write only in between */
    *r = (struct rig){.folder = NULL};
    scratch_empty(tree_path(&r->a, "heal"));
    set_variable("JITWARM_STATE", tree_path(&r->a, "state"));
    c = cache_make(&r->a, "heal/cache");
    r->folder = c.folder;
    for (size_t i = 0; i < N; i++)
        r->names[i] = cache_add(&c, CACHE_NOW, "sm_86", (unsigned)i, 50 + i % 7);
    cache_done(&c);
    r->index = jw_path_join(&r->a, r->folder, "index");
    CHECK(jw_cache_memory_find(r->folder, &r->a, &r->memory, JW_IGNORED));
    r->lock = memory_lock(&r->memory);
}

static void end(struct rig *r)
{
    jw_cache_unlock(r->lock);
    jw_arena_free(&r->a);
}

static struct jw_cache_listing list(struct rig *r)
{
    struct jw_cache_listing l;

    CHECK(jw_cache_list(r->folder, true, NULL, &r->a, &l, JW_IGNORED));
    return l;
}

static void in_order(struct rig *r, bool ordered)
{
    FREED(jw_cache_listing) l = list(r);

    CHECK(l.n == N && l.index.n == N && !l.index_trouble && !l.index_damage && !l.missing);
    for (size_t i = 0; i < N && ordered; i++)
        CHECK(l.index.list[i].hash == r->names[i]);
}

static const char *const spoils[] = {"missing", "empty", "short", "header", "large",
                                     "format",  "count", "sum",   "twice",  "torn"};

static void grow(struct rig *r)
{
    struct jw_folder t = JW_FOLDER_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    bool found;

    CHECK(jw_folder_open(&t, r->folder, JW_IGNORED)
          && jw_folder_open_file(&t, "index", JW_FOLDER_CHANGE, &f, &found, JW_IGNORED)
          && jw_file_truncate(
              &f, JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_ENTRIES + 1, JW_IGNORED));
    jw_file_close(&f);
    jw_folder_close(&t);
}

/* The file as a crash, a full disk or another program leaves it. */
static void spoil(struct rig *r, const char *how)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_STATE);
    bool found;

    CHECK(jw_file_slurp(r->index, &b, &found, JW_IGNORED) && found);
    if (strcmp(how, "missing") == 0)
        jw_sys_remove(r->index);
    else if (strcmp(how, "large") == 0) /* more than any index has */
        grow(r);
    else if (strcmp(how, "empty") == 0)
        b.n = 0;
    else if (strcmp(how, "short") == 0)
        b.n = 9;
    else if (strcmp(how, "header") == 0)
        memset(b.p, 0, 16);
    else if (strcmp(how, "format") == 0)
        b.p[0] = 0x42;
    else if (strcmp(how, "count") == 0)
        b.p[4]++;
    else if (strcmp(how, "sum") == 0)
        b.p[8]++;
    else if (strcmp(how, "torn") == 0) { /* a prune was killed while its records moved forward */
        memmove(b.p + 16, b.p + 32, 6 * 16);
        b.p[4]--;
    } else
        memcpy(b.p + 32, b.p + 16, 16);
    if (strcmp(how, "missing") != 0 && strcmp(how, "large") != 0)
        (void)tree_bytes(&r->a, "heal/cache/index", b.p, b.n);
}

TEST(each_damage_is_told_and_healed)
{
    for (size_t i = 0; i < JW_COUNT(spoils); i++) {
        struct rig r;
        struct index_repair healed;
        bool lost = i < 7, kept = i >= 3 && i < 8; /* the order, by the records that are there */

        err = (struct jw_err){0};
        begin(&r);
        spoil(&r, spoils[i]);

        FREED(jw_cache_listing) l = list(&r);

        CHECK((l.index_trouble > JW_INDEX_MISCOUNTS) == lost);
        CHECK_OK(index_repair_at(r.folder, NULL, &healed, &err), err);
        CHECK(healed.needed && healed.done && healed.records == N);
        CHECK(healed.damage[0]);
        in_order(&r, kept);
        CHECK(index_repair_at(r.folder, NULL, &healed, &err) && !healed.needed && !healed.done);
        end(&r);
    }
}

#define TEST_CACHE(id) TEST_WITH(id, struct rig, r, (void), end)

TEST_CACHE(what_is_not_whole_gets_no_record)
{
    struct index_repair healed;
    char name[64];

    begin(r);
    (void)snprintf(name, sizeof name, "heal/cache/%s", jw_cache_name(r->names[3]).text);
    (void)tree_bytes(&r->a, name, "torn", 4);
    spoil(r, "header");
    CHECK(index_repair_at(r->folder, NULL, &healed, &err));
    CHECK_NUM(healed.records, N - 1);
}

/* A prune that dies behind the header, before a record moved. Where what it removes and what its
 * header does not count are of one size, nothing tells the index from a whole one: an entry is
 * without its record, which is found, and the next run gives it one. */
TEST_CACHE(a_torn_prune_whose_sizes_add_up_loses_no_entry)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_STATE);
    bool found;

    begin(r);
    CHECK(jw_file_slurp(r->index, &b, &found, &err));
    b.p[4]--;
    jw_put64(b.p + 8, jw_le64(b.p + 8) - jw_le64(b.p + b.n - 8));
    (void)tree_bytes(&r->a, "heal/cache/index", b.p, b.n);

    FREED(jw_cache_listing) l = list(r);

    CHECK(l.index_trouble == JW_INDEX_WHOLE && l.index.n == N - 1 && l.n == N && !l.missing);
    for (size_t i = 0; i < N; i++)
        CHECK(!l.files[i].damage && l.files[i].indexed == (l.files[i].name != r->names[N - 1]));
}

/* After an eviction the driver leaves stale records behind those that it counts: that is no
 * damage. */
TEST_CACHE(what_lies_behind_the_counted_records_is_no_damage)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_STATE);
    bool found;

    begin(r);
    CHECK(jw_file_slurp(r->index, &b, &found, &err));
    jw_buf_add(&b, "0123456789abcdef", 16);
    (void)tree_bytes(&r->a, "heal/cache/index", b.p, b.n);
    in_order(r, true);
}

/* A cache of nothing needs no index, and gets none. */
TEST_CACHE(an_empty_cache_is_left_alone)
{
    struct index_repair healed;

    begin(r);
    scratch_empty(tree_path(&r->a, "heal/cache"));
    CHECK(index_repair_at(r->folder, NULL, &healed, &err) && !healed.needed);
    CHECK(!scratch_there(r->index));
}

#ifndef _WIN32
/* The cache of another user, or one that others may write to, is never changed; a sound index there
 * is no error. */
TEST_CACHE(a_cache_that_others_may_write_to_is_not_healed)
{
    FREED(jw_buf) before = JW_BUF(JW_MAX_STATE), after = JW_BUF(JW_MAX_STATE);
    struct index_repair healed;
    bool found;

    begin(r);
    CHECK(chmod(r->folder, 0777) == 0);
    CHECK(index_repair_at(r->folder, NULL, &healed, &err) && !healed.needed);
    spoil(r, "header");
    CHECK(jw_file_slurp(r->index, &before, &found, &err));
    CHECK(!index_repair_at(r->folder, NULL, &healed, &err) && !healed.done);
    CHECK_HAS(err.msg, "everybody may write to it");
    if (geteuid() == 0) {
        CHECK(chmod(r->folder, 0700) == 0 && chown(r->folder, 1000, 1000) == 0);
        CHECK(!index_repair_at(r->folder, NULL, &healed, &err) && !healed.done);
        CHECK_HAS(err.msg, "not by you");
    }
    CHECK(jw_file_slurp(r->index, &after, &found, &err));
    CHECK(before.n == after.n && memcmp(before.p, after.p, before.n) == 0);
}
#endif

/* ---- beside a program that stores ---- */

/* What happens right after the files were walked, and how often the disk is asked for one then. */
static struct {
    void (*walked)(struct rig *);
    struct rig *rig;
    unsigned asked;
} beside;

bool __wrap_jw_cache_list(const char *cache, bool check, const atomic_bool *interrupted,
                          struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err);
bool __real_jw_cache_list(const char *cache, bool check, const atomic_bool *interrupted,
                          struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err);
bool __wrap_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err);
bool __real_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err);

bool __wrap_jw_cache_list(const char *cache, bool check, const atomic_bool *interrupted,
                          struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err)
{
    void (*walked)(struct rig *) = beside.walked;
    bool ok = __real_jw_cache_list(cache, check, interrupted, a, out, err);

    beside.walked = NULL;
    if (walked)
        walked(beside.rig);
    return ok;
}

bool __wrap_publish_there(const struct publish_folder *folder, const struct jw_cache_record *record,
                          bool *there, struct jw_err *err)
{
    beside.asked++;
    return __real_publish_there(folder, record, there, err);
}

enum { STORED = 1000, FALSE_NAMES = 65000 };

static struct jw_cache_index read_index(struct rig *r)
{
    FREED(jw_buf) b = JW_BUF(JW_MAX_STATE);
    struct jw_cache_index index = {0};
    struct jw_err err = {0};
    bool found;

    CHECK(jw_file_slurp(r->index, &b, &found, &err) && found);
    (void)jw_cache_index_read(jw_buf_bytes(&b), &index, &err); /* damaged: another begins anew */
    return index;
}

/* As a driver does it: the file, then its record. */
static void store(struct rig *r)
{
    struct cache c = cache_make(&r->a, "heal/cache");

    c.index = read_index(r);
    (void)cache_add(&c, CACHE_NOW, "sm_86", STORED, 60);
    cache_done(&c);
}

static void evict_first(struct rig *r)
{
    struct cache c = cache_make(&r->a, "heal/cache");

    cache_remove(&c, r->names[0]);
}

/* Programs begin an index anew that they do not believe, and remove all entries. This one then
 * stores the first again. */
static void store_anew(struct rig *r)
{
    struct cache c = cache_make(&r->a, "heal/cache");

    for (size_t i = 1; i < N; i++)
        cache_remove(&c, r->names[i]);
    (void)cache_add(&c, CACHE_NOW, "sm_86", STORED, 60);
    (void)cache_add(&c, CACHE_NOW, "sm_86", 0, 50);
    cache_done(&c);
}

/* A walk sees half of the file. */
static void begin_storing(struct rig *r)
{
    struct cache c = cache_make(&r->a, "heal/cache");
    uint64_t name = cache_add(&c, CACHE_NOW, "sm_86", STORED, 60);
    FREED(jw_buf) whole = cache_get(&c, name);

    cache_put(&c, jw_cache_name(name).text, whole.p, whole.n / 2);
    jw_cache_index_free(&c.index);
}

static void heal_while(struct rig *r, void (*walked)(struct rig *), struct index_repair *healed)
{
    struct jw_err err = {0};

    beside.walked = walked;
    beside.rig = r;
    beside.asked = 0;
    CHECK_OK(index_repair_at(r->folder, NULL, healed, &err), err);
}

TEST(what_is_stored_meanwhile_keeps_its_record)
{
    static const struct {
        const char *spoil;
        void (*before)(struct rig *), (*walked)(struct rig *);
        size_t entries;
    } cases[] = {
        {"sum", NULL, store, N + 1},
        {"empty", NULL, store, N + 1},
        {"sum", begin_storing, store, N + 1},
        {"count", evict_first, store_anew, 2},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct rig r;
        struct index_repair healed;

        begin(&r);
        spoil(&r, cases[i].spoil);
        if (cases[i].before)
            cases[i].before(&r);
        heal_while(&r, cases[i].walked, &healed);

        FREED(jw_cache_listing) l = list(&r);

        CHECK(!l.index_damage);
        CHECK_NUM(l.n, cases[i].entries);
        for (size_t k = 0; k < l.n; k++)
            CHECK(l.files[k].indexed);
        end(&r);
    }
}

/* They are gone before the walk: only for what is stored after it the disk is asked. */
TEST(false_names_cost_no_search)
{
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        struct index_repair healed;
        struct cache c;

        begin(&r);
        c = cache_make(&r.a, "heal/cache");
        c.index.list = jw_alloc((N + FALSE_NAMES) * sizeof *c.index.list);
        c.index.n = c.index.cap = FALSE_NAMES;
        for (size_t k = 0; k < FALSE_NAMES; k++)
            c.index.list[k] = (struct jw_cache_record){(k + 1) << 40, 100};
        for (size_t k = 0; k < N; k++)
            c.index.list[c.index.n++] = (struct jw_cache_record){r.names[k], 0};
        cache_done(&c);
        spoil(&r, "sum");
        heal_while(&r, i ? store : NULL, &healed);
        CHECK_NUM(beside.asked, i);
        CHECK_NUM(healed.records, N + i);
        end(&r);
    }
}

/* Each call fails once: the next run heals it all the same. */
TEST(every_call_fails_once)
{
    EACH_FAULT (f, check_fault_step(1)) {
        struct rig r;
        struct index_repair healed;

        begin(&r);
        spoil(&r, "header");
        bool ok = FAULTED(f, index_repair_at(r.folder, NULL, &healed, &err));

        CHECK(ok || (f.fired && err.code && err.msg[0]));
        err = (struct jw_err){0};
        CHECK(index_repair_at(r.folder, NULL, &healed, &err));
        in_order(&r, false);
        end(&r);
        CHECK(f.fired || (ok && f.nth > 10));
    }
}
