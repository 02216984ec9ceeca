#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/change/prune_remove.h"
#include "cache/change/publish_index.h"
#include "cache/place/cachedir.h"
#include "check.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/sys.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

enum { N = 12 };

struct rig {
    struct jw_arena a;
    const char *root, *index;
    uint64_t names[N]; /* in the order of the index */
    struct jw_warm_log *log;
};

static void begin(struct rig *r)
{
    struct cache c;

    *r = (struct rig){ .root = NULL };
    scratch_empty(tree_path(&r->a, "heal"));
    cache_env("JITWARM_STATE", tree_path(&r->a, "state"));
    c = cache_make(&r->a, "heal/cache");
    r->root = c.root;
    for (size_t i = 0; i < N; i++)
        r->names[i] = cache_add(&c, CACHE_NOW, "sm_86", (unsigned)i, 50 + i % 7);
    cache_done(&c);
    r->index = jw_path_join(&r->a, r->root, "index");
    r->log = warm_open(r->root);
}

static void end(struct rig *r)
{
    jw_warm_close(r->log);
    jw_arena_free(&r->a);
}

static struct jw_cache_listing list(struct rig *r)
{
    struct jw_cache_listing l;
    struct jw_err err = { 0 };

    CHECK(jw_cachedir_list(r->root, true, &r->a, &l, &err));
    return l;
}

static void in_order(struct rig *r, bool ordered)
{
    struct jw_cache_listing l = list(r);

    CHECK(l.n == N && l.index.n == N && !l.index_damage && !l.index_lost && !l.missing);
    for (size_t i = 0; i < N && ordered; i++)
        CHECK(l.index.list[i].hash == r->names[i]);
    jw_cache_listing_free(&l);
}

static const char *const spoils[] = { "missing", "empty", "short", "header", "large",
                                      "format",  "count", "sum",   "twice" };

static void grow(struct rig *r)
{
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err err = { 0 };
    bool found;

    CHECK(jw_tree_open(&t, r->root, &err) && jw_tree_open_file(&t, "index", JW_TREE_CHANGE, &f, &found, &err)
          && jw_file_cut(&f, JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_RECORDS + 1, &err));
    jw_file_close(&f);
    jw_tree_close(&t);
}

/* The file as a crash, a full disk or another program leaves it. */
static void spoil(struct rig *r, const char *how)
{
    struct jw_buf b = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 };
    bool found;

    CHECK(jw_file_slurp(r->index, &b, &found, &err) && found);
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
    else
        memcpy(b.p + 32, b.p + 16, 16);
    if (strcmp(how, "missing") != 0 && strcmp(how, "large") != 0)
        (void)tree_bytes(&r->a, "heal/cache/index", b.p, b.n);
    jw_buf_free(&b);
}

TEST(each_damage_is_told_and_healed)
{
    for (size_t i = 0; i < JW_COUNT(spoils); i++) {
        struct rig r;
        struct index_heal healed;
        struct jw_err err = { 0 };
        bool lost = i < 7, kept = i >= 3 && i < 8; /* the order, by the records that are there */

        begin(&r);
        spoil(&r, spoils[i]);

        struct jw_cache_listing l = list(&r);

        CHECK(l.index_lost == lost);
        jw_cache_listing_free(&l);
        CHECK(prune_heal(r.root, r.log, NULL, &healed, &err));
        CHECK_TEXT(err.msg, "");
        CHECK(healed.needed && healed.done && healed.lost == lost && healed.records == N
              && !healed.not_whole);
        CHECK(healed.damage[0]);
        in_order(&r, kept);
        CHECK(prune_heal(r.root, r.log, NULL, &healed, &err) && !healed.needed && !healed.done);
        end(&r);
    }
}

/* What is backed up gives the order where the file has lost it. */
TEST(records_that_were_kept_aside_come_first)
{
    struct rig r;
    struct jw_buf b = JW_BUF(JW_MAX_STATE);
    struct index_heal healed;
    struct jw_err err = { 0 };
    bool found;

    begin(&r);
    CHECK(jw_file_slurp(r.index, &b, &found, &err));
    CHECK(jw_warm_backup_index(r.log, b.p + 16, b.n - 16, &err));
    spoil(&r, "empty");
    CHECK(prune_heal(r.root, r.log, NULL, &healed, &err) && healed.done);
    in_order(&r, true);
    jw_buf_clear(&b);
    CHECK(jw_warm_read_backup(r.log, &b, &err) && !b.n);
    jw_buf_free(&b);
    end(&r);
}

TEST(what_is_not_whole_gets_no_record)
{
    struct rig r;
    struct jw_err err = { 0 };
    struct index_heal healed;
    char name[64];

    begin(&r);
    (void)snprintf(name, sizeof name, "heal/cache/%s", jw_cache_name(r.names[3]).text);
    (void)tree_bytes(&r.a, name, "torn", 4);
    spoil(&r, "header");
    CHECK(prune_heal(r.root, r.log, NULL, &healed, &err));
    CHECK(healed.records == N - 1 && healed.not_whole == 1);
    end(&r);
}

/* After an eviction the driver leaves stale records behind those that it counts: that is no damage. */
TEST(what_lies_behind_the_counted_records_is_no_damage)
{
    struct rig r;
    struct jw_buf b = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 };
    bool found;

    begin(&r);
    CHECK(jw_file_slurp(r.index, &b, &found, &err));
    jw_buf_add(&b, "0123456789abcdef", 16);
    (void)tree_bytes(&r.a, "heal/cache/index", b.p, b.n);
    in_order(&r, true);
    jw_buf_free(&b);
    end(&r);
}

/* A cache of nothing needs no index, and gets none. */
TEST(an_empty_cache_is_left_alone)
{
    struct rig r;
    struct jw_err err = { 0 };
    struct index_heal healed;

    begin(&r);
    scratch_empty(tree_path(&r.a, "heal/cache"));
    CHECK(prune_heal(r.root, r.log, NULL, &healed, &err) && !healed.needed);
    CHECK(!scratch_there(r.index));
    end(&r);
}

#ifndef _WIN32
/* The cache of another user, or one that others may write to, is never changed; a sound index there is no error. */
TEST(a_cache_that_others_may_write_to_is_not_healed)
{
    struct rig r;
    struct jw_buf before = JW_BUF(JW_MAX_STATE), after = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 };
    struct index_heal healed;
    bool found;

    begin(&r);
    CHECK(chmod(r.root, 0777) == 0);
    CHECK(prune_heal(r.root, r.log, NULL, &healed, &err) && !healed.needed);
    spoil(&r, "header");
    CHECK(jw_file_slurp(r.index, &before, &found, &err));
    CHECK(!prune_heal(r.root, r.log, NULL, &healed, &err) && !healed.done);
    CHECK_HAS(err.msg, "everybody may write to it");
    if (geteuid() == 0) {
        CHECK(chmod(r.root, 0700) == 0 && chown(r.root, 1000, 1000) == 0);
        CHECK(!prune_heal(r.root, r.log, NULL, &healed, &err) && !healed.done);
        CHECK_HAS(err.msg, "not by you");
    }
    CHECK(jw_file_slurp(r.index, &after, &found, &err));
    CHECK(before.n == after.n && memcmp(before.p, after.p, before.n) == 0);
    jw_buf_free(&before);
    jw_buf_free(&after);
    end(&r);
}
#define POSIX T(a_cache_that_others_may_write_to_is_not_healed),
#else
#define POSIX
#endif

/* ---- beside a program that stores ---- */

enum { ATTEMPTS = 12, LARGE = 1000 * 1000, STORED = 1000 };

struct beside {
    struct rig r;
    unsigned delay_ms;
    uint64_t name; /* of the entry that is stored */
};

/* As a driver does it: the file, then its record, under the lock. An index that is not sound is begun anew. */
static void store(struct beside *b)
{
    struct jw_arena a = { 0 };
    struct cache c = cache_make(&a, "heal/cache");
    struct jw_tree t = JW_TREE_CLOSED;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_index index = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err err = { 0 }, unsound = { 0 };
    bool found, taken = false;
    size_t size, end;

    b->name = cache_add(&c, CACHE_NOW, "sm_86", STORED + b->delay_ms, 60);
    CHECK(jw_tree_open(&t, b->r.root, &err) && jw_tree_open_file(&t, "index", JW_TREE_MAKE, &f, &found, &err)
          && jw_filelock_take(f.handle, true, 10000, &taken, &err) && taken);
    if (!publish_index_read(&f, &index, &size, &end, &unsound))
        jw_cache_index_free(&index);
    CHECK(jw_cache_index_add(&index, c.index.list[0], &err) && jw_cache_index_write(&index, &text, &err)
          && jw_file_write(&f, 0, text.p, text.n, &err) && jw_file_cut(&f, text.n, &err)
          && jw_filelock_drop(f.handle, &err));
    CHECK_TEXT(err.msg, "");
    jw_file_close(&f);
    jw_tree_close(&t);
    jw_buf_free(&text);
    jw_cache_index_free(&index);
    jw_cache_index_free(&c.index);
    jw_arena_free(&a);
}

static void heal_or_store(void *ctx, unsigned worker)
{
    struct beside *b = ctx;
    struct index_heal healed;
    struct jw_err err = { 0 };

    if (worker) {
        jw_time_sleep_ms(b->delay_ms);
        store(b);
        return;
    }
    CHECK(prune_heal(b->r.root, b->r.log, NULL, &healed, &err));
    CHECK_TEXT(err.msg, "");
}

/* Whenever it is stored, its record is there in the end. */
TEST(what_is_stored_meanwhile_keeps_its_record)
{
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        struct beside b = { .delay_ms = 2 * i };

        begin(&b.r);

        struct cache c = cache_make(&b.r.a, "heal/cache");

        for (unsigned k = 0; k < N; k++)
            (void)cache_add(&c, CACHE_NOW, "sm_86", 100 + k, LARGE);
        jw_cache_index_free(&c.index);
        spoil(&b.r, i % 2 ? "empty" : "sum");
        jw_parallel(2, heal_or_store, &b);

        struct jw_cache_listing l = list(&b.r);
        const struct jw_cache_file *f = jw_cache_file_find(&l, b.name);

        CHECK(!l.index_damage && f && f->indexed);
        jw_cache_listing_free(&l);
        end(&b.r);
    }
}

/* Each call fails once: the next run heals it all the same. */
TEST(every_call_fails_once)
{
    for (unsigned long nth = 1;; nth += check_fault_step(1)) {
        struct rig r;
        struct index_heal healed;
        struct jw_err err = { 0 };

        begin(&r);
        spoil(&r, "header");
        jw_fault_arm(nth);

        bool ok = prune_heal(r.root, r.log, NULL, &healed, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || (fired && err.code && err.msg[0]));
        err = (struct jw_err){ 0 };
        CHECK(prune_heal(r.root, r.log, NULL, &healed, &err));
        in_order(&r, false);
        end(&r);
        if (!fired) {
            CHECK(ok && nth > 10);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, POSIX T(each_damage_is_told_and_healed),
               T(records_that_were_kept_aside_come_first), T(what_is_not_whole_gets_no_record),
               T(what_lies_behind_the_counted_records_is_no_damage), T(an_empty_cache_is_left_alone),
               T(what_is_stored_meanwhile_keeps_its_record), T(every_call_fails_once));
}
