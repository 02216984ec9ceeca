#include "check.h"

#include "base/fault.h"
#include "cache/memory/progress_json.h"
#include "cache/status/status.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#include "rigs/warm.h"

static struct jw_status_report status(struct cache *c, bool check)
{
    struct jw_session s = { .a = c->a, .cache = c->folder };
    const struct jw_driver_states *met = jw_session_drivers(&s);
    const struct jw_driver_file here = { .found = met->n > 0, .known = met->n ? &met->v[0] : NULL };
    const struct jw_status_options o = { .check = check };
    struct jw_status_report r;
    struct jw_err err = { 0 };

    s.file = &here; /* the one that was met last is installed */

    CHECK_OK(jw_status(&s, &o, &r, &err), err);
    return r;
}

/* Drivers were met, and none is here now: nothing is outdated, and no limit is a driver's default. */
static void without_driver(const struct cache *c)
{
    const struct jw_driver_file none = { .found = false };
    struct jw_session s = { .a = c->a, .cache = c->folder, .file = &none };
    const struct jw_status_options o = { .check = false };
    struct jw_status_report r;
    struct jw_err err = { 0 };

    CHECK(jw_status(&s, &o, &r, &err) && r.drivers.n);
    CHECK(!r.current && !r.outdated.entries && !r.dir.limit_known);
    for (size_t i = 0; i < r.n_groups; i++)
        CHECK(r.groups[i].relation == JW_BUILD_UNKNOWN);
    jw_status_free(&r);
}

static void remember(struct jw_arena *a, const char *folder, const char *build, const char *stamp,
                     int64_t when)
{
    struct jw_driver_state s = {
        .build = build, .stamp = stamp, .version = "580.126.09", .level = JW_LEVEL_READABLE, .proven_at = when
    };
    struct jw_err err = { 0 };

    set_variable("JITWARM_STATE", tree_path(a, folder));
    CHECK_OK(jw_state_save_driver(&s, &err), err);
}

static const struct jw_status_group *group_of(const struct jw_status_report *r, const char *stamp,
                                              const char *arch)
{
    static const struct jw_status_group none;

    for (size_t i = 0; i < r->n_groups; i++)
        if (strcmp(r->groups[i].stamp, stamp) == 0 && strcmp(r->groups[i].arch, arch) == 0)
            return &r->groups[i];
    check_failed(__FILE__, __LINE__, "a group like this");
    return &none;
}

TEST(stamps)
{
    CHECK_TEXT(jw_stamp_text(CACHE_NOW).text, "Jan  7 2026 22:51:46");
    CHECK_TEXT(jw_stamp_text("").text, "");
    CHECK_TEXT(jw_stamp_text("short").text, "");
    CHECK_TEXT(jw_stamp_iso("Jan  7 202622:51:46").text, "2026-01-07T22:51:46");
    CHECK_TEXT(jw_stamp_iso("Dec 31 202562:00:09").text, "2025-12-31T22:00:09"); /* simulated */
    CHECK_TEXT(jw_stamp_iso("").text, "");
    CHECK_TEXT(jw_stamp_iso("short").text, "");
}

TEST_ARENA(builds_and_their_relation)
{
    struct cache c = cache_make(a, "relation");
    struct jw_status_report r;

    for (unsigned i = 0; i < 3; i++)
        (void)cache_add(&c, CACHE_NOW, "sm_86", i, 100);
    (void)cache_add(&c, CACHE_NOW, "sm_89", 1, 400);
    (void)cache_add(&c, CACHE_BEFORE, "sm_86", 1, 5000);
    (void)cache_add(&c, "Feb  9 201919:17:30", "sm_61", 1, 100);
    cache_done(&c);
    set_variable("JITWARM_STATE", tree_path(a, "no-state"));
    r = status(&c, false);
    CHECK_NUM(r.n_groups, 4);
    CHECK(!r.current && r.outdated.entries == 0);
    CHECK(group_of(&r, CACHE_NOW, "sm_86")->relation == JW_BUILD_UNKNOWN);
    jw_status_free(&r);
    remember(a, "state", "gnu:2", CACHE_NOW, 2000);
    remember(a, "state", "gnu:1", CACHE_BEFORE, 1000);
    without_driver(&c);
    r = status(&c, true);
    CHECK_NUM(r.n_groups, 4);
    CHECK(r.current && strcmp(r.current->build, "gnu:2") == 0);
    CHECK(group_of(&r, CACHE_NOW, "sm_86")->relation == JW_BUILD_CURRENT);
    CHECK_NUM(group_of(&r, CACHE_NOW, "sm_86")->entries, 3);
    CHECK(group_of(&r, CACHE_NOW, "sm_89")->relation == JW_BUILD_CURRENT);
    CHECK(group_of(&r, CACHE_BEFORE, "sm_86")->relation == JW_BUILD_EARLIER);
    CHECK(group_of(&r, "Feb  9 201919:17:30", "sm_61")->relation == JW_BUILD_FOREIGN);
    CHECK(!group_of(&r, "Feb  9 201919:17:30", "sm_61")->driver);
    CHECK_NUM(r.outdated.entries, 2);
    CHECK(r.groups[0].relation == JW_BUILD_CURRENT && strcmp(r.groups[0].arch, "sm_86") == 0);
    CHECK(r.groups[3].relation == JW_BUILD_FOREIGN);
    CHECK(jw_status_is_complete(&r));
    jw_status_free(&r);
}

TEST_ARENA(entries_of_another_compiler_are_not_outdated)
{
    static const char nvrtc[] = "May 27 202502:34:50HOST64sm_90BC\xc0\xde\0\1\2 -arch=sm_90";
    struct cache c = cache_make(a, "other-compiler");
    struct jw_status_report r;

    (void)cache_add(&c, CACHE_NOW, "sm_90", 1, 100);
    (void)cache_add_key(&c, (struct jw_bytes){ (const uint8_t *)nvrtc, sizeof nvrtc - 1 }, 100);
    cache_done(&c);
    remember(a, "state", "gnu:2", CACHE_NOW, 2000);
    r = status(&c, true);
    CHECK(group_of(&r, CACHE_NOW, "sm_90")->relation == JW_BUILD_CURRENT);
    CHECK(group_of(&r, "May 27 202502:34:50", "sm_90")->relation == JW_BUILD_OTHER_COMPILER);
    CHECK_NUM(r.outdated.entries, 0);
    CHECK_NUM(r.kinds[JW_CACHE_NVVM].entries, 1);
    jw_status_free(&r);
}

TEST_ARENA(sums)
{
    struct cache c = cache_make(a, "sums");
    struct jw_status_report r;
    uint64_t name[20], total, torn_size;

    for (unsigned i = 0; i < JW_COUNT(name); i++)
        name[i] = cache_add(&c, CACHE_NOW, "sm_86", i, 100 + 10 * i);
    cache_forget(&c, name[3]);
    total = c.index.total;
    cache_done(&c);

    struct jw_buf b = cache_get(&c, name[19]);

    torn_size = b.n - 1;
    cache_put(&c, jw_cache_name(name[19]).text, b.p, b.n - 1);
    jw_buf_free(&b);
    cache_remove(&c, name[4]);
    r = status(&c, false);
    CHECK_NUM(r.files.entries, 19);
    CHECK_NUM(r.sound.entries, 18);
    CHECK_NUM(r.damaged.entries, 1);
    CHECK_NUM(r.damaged.bytes, torn_size);
    CHECK_NUM(r.unindexed.entries, 1);
    CHECK_NUM(r.list.missing, 1);
    CHECK_NUM(r.recorded.entries, 19);
    CHECK_NUM(r.recorded.bytes, total);
    CHECK_NUM(r.used, total);
    CHECK_NUM(r.files.bytes, r.sound.bytes + 18 * JW_CACHE_HEADER + torn_size);
    CHECK_NUM(r.mismatched, 0);
    CHECK_NUM(jw_status_percent(r.used, total), 100);
    CHECK_NUM(jw_status_percent(r.used, total * 2), 50);
    CHECK_NUM(jw_status_percent(r.used, total + 1), 99);
    CHECK_NUM(jw_status_percent(r.used, 0), 0);
    jw_status_free(&r);
}

/* Without a sound index nobody knows what has a record, so nothing is called an orphan. */
TEST_ARENA(no_index)
{
    struct cache c = cache_make(a, "no-index");
    struct jw_status_report r;

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    jw_cache_index_free(&c.index);
    r = status(&c, false);
    CHECK(!r.list.index_found && r.unindexed.entries == 0 && r.used == r.sound.bytes && r.used > 100);
    jw_status_free(&r);
    cache_put(&c, "index", "torn", 4);
    r = status(&c, false);
    CHECK(r.list.index_damage && r.unindexed.entries == 0 && r.used == r.sound.bytes);
    jw_status_free(&r);
}

/* The index says another size than the entry has: another module under its name, or a lost write. */
TEST_ARENA(another_size)
{
    struct cache c = cache_make(a, "size");
    struct jw_status_report r;

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    c.index.list[0].size += 1;
    c.index.total += 1;
    cache_done(&c);
    r = status(&c, false);
    CHECK_NUM(r.mismatched, 1);
    CHECK_NUM(r.sound.entries, 1);
    jw_status_free(&r);
}

/* A stranger may fill a cache with a stamp for each entry: groups are sorted, not searched for. */
TEST_ARENA(a_build_for_each_entry)
{
    struct cache c = cache_make(a, "builds");
    struct jw_status_report r;
    char stamp[32];

    for (unsigned i = 0; i < 300; i++) {
        (void)snprintf(stamp, sizeof stamp, "Jan  7 2026%02u:%02u:46", i / 60, i % 60);
        (void)cache_add(&c, stamp, "sm_86", i, 60);
    }
    cache_done(&c);
    r = status(&c, false);
    CHECK_NUM(r.n_groups, 300);
    CHECK_NUM(r.sound.entries, 300);
    jw_status_free(&r);
}

TEST_ARENA(nothing_there)
{
    struct cache c = { .a = a, .folder = tree_path(a, "nowhere") };
    struct jw_status_report r = status(&c, true);

    CHECK(!r.list.found && r.files.entries == 0 && r.n_groups == 0 && jw_status_is_complete(&r));
    jw_status_free(&r);
    c.folder = tree_file(a, "a-file", "x");
    r = status(&c, true);
    CHECK(r.list.refused && !jw_status_is_complete(&r));
    jw_status_free(&r);
}

TEST_ARENA(the_index_alone)
{
    struct cache c = cache_make(a, "brief");
    struct jw_session s = { .a = a, .cache = c.folder };
    const struct jw_status_options o = { .brief = true };
    struct jw_status_report r;
    struct jw_err err = { 0 };

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    cache_done(&c);
    CHECK(jw_status(&s, &o, &r, &err));
    CHECK(r.list.found && r.recorded.entries == 1 && r.used == r.recorded.bytes && r.used > 100);
    CHECK(r.files.entries == 0 && !r.list.n && !r.n_groups);
    jw_status_free(&r);
}

TEST_ARENA(every_call_fails_once)
{
    struct cache c = cache_make(a, "faults");
    const struct jw_status_options o = { .check = false };

    for (unsigned i = 0; i < 4; i++)
        (void)cache_add(&c, CACHE_NOW, "sm_86", i, 100);
    cache_done(&c);
    remember(a, "fault-state", "gnu:2", CACHE_NOW, 2000);
    for (unsigned long nth = 1;; nth++) {
        struct jw_arena own = { 0 };
        struct jw_session s = { .a = &own, .cache = c.folder };
        struct jw_status_report r;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_status(&s, &o, &r, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || (err.msg[0] && !r.list.files));
        if (ok && jw_status_is_complete(&r) && !r.drivers.notes.n && !r.list.index_damage)
            CHECK(r.sound.entries == 4 && r.used == r.sound.bytes);
        jw_status_free(&r);
        jw_arena_free(&own);
        if (!fired)
            break;
    }
}

/* Trees that real drivers wrote. */
TEST_ARENA(real_trees)
{
    const char *samples = jw_env(a, "JITWARM_SAMPLES");
    static const struct {
        const char *name;
        size_t entries, orphans, missing;
    } trees[] = { { "computecache/drjit-sm120", 85, 0, 1 },
                  { "computecache/linux-580.126.09-opencl-orphans", 56, 5, 0 },
                  { "computecache/tensorflow-sm120", 3, 0, 2 } };

    if (!samples)
        SKIP("JITWARM_SAMPLES does not name a folder of cache trees");
    for (size_t i = 0; i < JW_COUNT(trees); i++) {
        struct jw_buf path = JW_BUF(4096);

        jw_buf_printf(&path, "%s/%s", samples, trees[i].name);

        struct cache c = { .a = a, .folder = jw_buf_cstr(&path) };
        struct jw_status_report r = status(&c, true);

        if (r.list.found) {
            CHECK_NUM(r.sound.entries, trees[i].entries);
            CHECK_NUM(r.damaged.entries + r.unread.entries, 0);
            CHECK_NUM(r.unindexed.entries, trees[i].orphans);
            CHECK_NUM(r.list.missing, trees[i].missing);
            CHECK_NUM(r.kinds[JW_CACHE_OTHER].entries, 0);
            CHECK(!r.list.index_damage);
        }
        jw_status_free(&r);
        jw_buf_free(&path);
    }
}

/* What status makes of jitwarm's own memory of a cache. */

enum { ENTRIES = 4 };

/* A cache of four entries, a state folder that knows its driver, and a log that is open. */
struct rig {
    struct jw_arena a;
    struct cache c;
    struct jw_warm_log *log;
    char folder[32]; /* of the cache */
    uint64_t name[ENTRIES], bytes[ENTRIES];
};

static void begin(struct rig *r, const char *name)
{
    struct jw_driver_state s = { .build = "gnu:1",
                                 .stamp = CACHE_NOW,
                                 .version = "580.126.09",
                                 .level = JW_LEVEL_PLACEABLE,
                                 .proven_at = 2 };
    struct jw_err err = { 0 };

    *r = (struct rig){ 0 };
    (void)warm_begin(&r->a, name);
    CHECK(jw_state_save_driver(&s, &err));
    s = (struct jw_driver_state){ .build = "gnu:0", .stamp = CACHE_BEFORE, .proven_at = 1 };
    CHECK_OK(jw_state_save_driver(&s, &err), err);
    (void)snprintf(r->folder, sizeof r->folder, "cache-%s", name);
    r->c = cache_make(&r->a, r->folder);
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t before = r->c.index.total;

        r->name[i] = cache_add(&r->c, i < 3 ? CACHE_NOW : CACHE_BEFORE, "sm_86", i, 100 + 100 * i);
        r->bytes[i] = r->c.index.total - before;
    }
    r->log = warm_open(r->c.folder);
}

static struct jw_status_report status_of(struct rig *r)
{
    struct jw_session s = { .a = &r->a, .cache = r->c.folder };
    const struct jw_status_options o = { .check = false };
    struct jw_status_report out;
    struct jw_err err = { 0 };

    CHECK_OK(jw_status(&s, &o, &out, &err), err);
    return out;
}

static struct jw_status_report closed_status(struct rig *r)
{
    jw_warm_close(r->log);
    r->log = NULL;
    return status_of(r);
}

static void end(struct rig *r, struct jw_status_report *report)
{
    jw_status_free(report);
    jw_warm_close(r->log);
    jw_arena_free(&r->a);
}

static void compiled(struct rig *r, unsigned n, const char *build, uint64_t bytes)
{
    struct jw_warm_module m = warm_module(n, bytes);

    m.build = build;
    m.name = r->name[n];
    warm_add(r->log, m);
}

static void verified(struct rig *r, const char *key, const char *build, const struct jw_warm_entry *list,
                     size_t n)
{
    struct jw_warm_receipt receipt = {
        .asked.command = key, .build = build, .entries = list, .n_entries = n
    };
    struct jw_err err = { 0 };

    CHECK(jw_warm_add(r->log, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = receipt }, &err));
}

static void from(struct rig *r, const char *origin, const uint64_t *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct jw_warm_module m = { .build = "gnu:1", .sm = 86, .name = names[i], .origin = origin };

        jw_warm_id_of_name(m.id, names[i]);
        warm_add(r->log, m);
    }
}

/* ---- what is gone ---- */

TEST(nothing_is_remembered)
{
    struct rig r;

    begin(&r, "none");
    cache_done(&r.c);
    /* for a driver that was here before: what it had is outdated, there or not */
    compiled(&r, 0, "gnu:0", 5);

    struct jw_status_report s = closed_status(&r);

    CHECK(!s.primed.known && !s.primed.compared && !s.running && s.memory.notes.n == 0);
    CHECK(s.groups[0].n_origins == 0);
    end(&r, &s);
}

TEST(what_is_gone_and_what_is_needed)
{
    struct rig r;

    begin(&r, "gone");
    compiled(&r, 0, "gnu:1", 7); /* compiled again since: the newest record counts */
    compiled(&r, 0, "gnu:1", r.bytes[0]);
    compiled(&r, 1, "gnu:1", r.bytes[1]);
    compiled(&r, 2, "gnu:1", r.bytes[2]);

    const struct jw_warm_entry one[] = { { r.name[0], r.bytes[0], 1 }, { 77, 1000, 1 } };
    const struct jw_warm_entry two[] = { { r.name[0], r.bytes[0], 1 }, { r.name[1], r.bytes[1], 1 } };

    verified(&r, "one", "gnu:1", two, 2); /* superseded */
    verified(&r, "one", "gnu:1", one, 2);
    verified(&r, "two", "gnu:1", two, 2);
    verified(&r, "before", "gnu:0", &(struct jw_warm_entry){ 78, 1000, 1 }, 1);
    cache_forget(&r.c, r.name[1]);
    cache_done(&r.c);
    cache_remove(&r.c, r.name[1]);

    struct jw_status_report s = closed_status(&r);

    CHECK(s.primed.known && s.primed.compared && !s.primed.emptied);
    CHECK_NUM(s.primed.recorded.entries, 4);
    CHECK_NUM(s.primed.recorded.bytes, r.bytes[0] + r.bytes[1] + r.bytes[2] + 1000);
    CHECK_NUM(s.primed.gone.entries, 2);
    CHECK_NUM(s.primed.gone.bytes, r.bytes[1] + 1000);
    CHECK_NUM(s.primed.changed.entries, 0);
    CHECK_NUM(s.primed.need.entries, 3);
    CHECK_NUM(s.primed.need.bytes, r.bytes[0] + r.bytes[1] + 1000);
    end(&r, &s);
}

TEST(another_size_memory)
{
    struct rig r;

    begin(&r, "changed");
    compiled(&r, 0, "gnu:1", r.bytes[0] + 1);
    compiled(&r, 1, "gnu:1", r.bytes[1] + 1);
    verified(&r, "one", "gnu:1", &(struct jw_warm_entry){ r.name[1], r.bytes[1], 1 }, 1);
    compiled(&r, 2, "gnu:1", r.bytes[2] + 1);
    cache_done(&r.c);
    cache_put(&r.c, jw_cache_name(r.name[2]).text, "torn", 4);

    struct jw_status_report s = closed_status(&r);

    /* A torn one is damaged, which is reported by itself. */
    CHECK(s.damaged.entries == 1 && s.primed.gone.entries == 0);
    CHECK_NUM(s.primed.changed.entries, 1);
    CHECK_NUM(s.primed.changed.bytes, r.bytes[0] + 1);
    end(&r, &s);
}

TEST(a_cache_that_is_gone_as_a_whole)
{
    struct rig r;

    begin(&r, "emptied");
    compiled(&r, 0, "gnu:1", r.bytes[0]);
    jw_cache_index_free(&r.c.index);
    for (unsigned i = 0; i < ENTRIES; i++)
        cache_remove(&r.c, r.name[i]);

    struct jw_status_report s = closed_status(&r);

    CHECK(s.list.found && s.primed.known && s.primed.emptied);
    CHECK(s.primed.recorded.entries == 1 && s.primed.gone.entries == 0);
    end(&r, &s);
}

/* What was not read may be there. */
TEST(a_cache_that_was_not_read_whole)
{
    struct rig r;

    begin(&r, "refused");
    cache_done(&r.c);
    jw_warm_close(r.log);
    r.c.folder = tree_file(&r.a, "no-folder", "");
    r.log = warm_open(r.c.folder);
    compiled(&r, 0, "gnu:1", r.bytes[0]);

    struct jw_status_report s = closed_status(&r);

    CHECK(s.list.refused && s.primed.known && !s.primed.compared && !s.primed.emptied);
    CHECK_NUM(s.primed.gone.entries, 0);
    end(&r, &s);
}

/* ---- whose the entries are ---- */

TEST(origins_by_size)
{
    struct rig r;

    begin(&r, "origins");
    cache_done(&r.c);
    from(&r, "libggml-cuda.so", &r.name[2], 1);
    from(&r, "torch", r.name, 2);
    from(&r, "libold.so", &r.name[3], 1);

    struct jw_status_report s = closed_status(&r);

    CHECK_NUM(s.n_groups, 2);
    CHECK(s.groups[0].n_origins == 2 && s.groups[0].more_origins == 0);
    CHECK_TEXT(s.groups[0].origins[0].origin, "torch");
    CHECK_NUM(s.groups[0].origins[0].sum.entries, 2);
    CHECK_NUM(s.groups[0].origins[0].sum.bytes, r.bytes[0] + r.bytes[1]);
    CHECK_TEXT(s.groups[0].origins[1].origin, "libggml-cuda.so");
    CHECK_TEXT(s.groups[1].origins[0].origin, "libold.so");
    end(&r, &s);
}

TEST(only_the_largest_origins_are_listed)
{
    enum { MANY = 300, TOLD = 256 };
    struct rig r;
    char text[16];

    begin(&r, "many");
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t name = cache_add(&r.c, CACHE_NOW, "sm_90", i, 1000 + i);

        (void)snprintf(text, sizeof text, "lib%u.so", i);
        from(&r, text, &name, 1);
    }
    cache_done(&r.c);

    jw_warm_close(r.log);
    r.log = NULL;

    struct jw_status_report s = status(&r.c, false);
    const struct jw_status_group *g = &s.groups[0];

    CHECK_TEXT(g->arch, "sm_90");
    CHECK_NUM(g->entries, MANY);
    CHECK_NUM(g->n_origins, JW_STATUS_ORIGINS);
    CHECK_NUM(g->more_origins, TOLD - JW_STATUS_ORIGINS);
    CHECK_NUM(s.n_software, TOLD); /* all of them: who shows fewer says how many more there are */
    for (size_t i = 1; i < g->n_origins; i++)
        CHECK(g->origins[i - 1].sum.bytes >= g->origins[i].sum.bytes);
    end(&r, &s);
}

/* ---- who is at work ---- */

TEST(one_that_has_not_told_yet)
{
    struct rig r;

    begin(&r, "silent");
    cache_done(&r.c);

    struct jw_status_report s = status_of(&r);

    CHECK(s.running && s.running_silent && s.memory.notes.n == 0);
    CHECK(s.running && s.running->who.pid == jw_process_id() && s.running->now.total == 0);
    CHECK(s.running && s.running->who.since <= jw_time_unix());
    end(&r, &s);
}

TEST(one_that_tells)
{
    static const struct jw_prime_progress now = {
        .phase = JW_PHASE_COMPILE, .done = 41, .total = 143, .eta = -1
    };
    struct jw_err err = { 0 };
    struct rig r;

    begin(&r, "telling");
    cache_done(&r.c);
    CHECK(jw_warm_write_progress(r.log, &now, &err));

    struct jw_status_report s = status_of(&r);

    CHECK(s.running && !s.running_silent && s.memory.notes.n == 0);
    CHECK(s.running && s.running->who.pid == jw_process_id() && s.running->now.done == 41);
    end(&r, &s);
}

TEST(one_whose_words_make_no_sense)
{
    struct rig r;

    begin(&r, "senseless");
    cache_done(&r.c);
    warm_spoil(warm_place(&r.a, r.c.folder).progress, "{}", 2);

    struct jw_status_report s = status_of(&r);

    CHECK(s.running && s.running_silent && s.running->who.pid == jw_process_id());
    CHECK_NUM(s.memory.notes.n, 1);
    CHECK_HAS(s.memory.notes.n ? s.memory.notes.v[0] : "", "progress: it is damaged");
    CHECK(jw_status_is_complete(&s));
    end(&r, &s);
}

/* ---- what is wrong ---- */

/* Each alone, in a cache that --cache named or not. */
TEST_ARENA(what_is_wrong_is_a_sentence)
{
    static const struct jw_blocker well = { .is = JW_BLOCKER_NONE },
                                   open = { .is = JW_BLOCKER_OPEN, .what = "others may write to it" };
    static const struct {
        struct jw_status_report report;
        const struct jw_blocker *blocker;
        const char *says; /* begins so */
    } rows[] = {
        { { .trust.owner = "ada" }, &well, "the folder is owned by ada, not by you:" },
        { { .trust.writers = "all users", .trust.fix_command = "chmod go-w /srv/nv" },
          &well,
          "all users may write to the folder," },
        { { .trust.writers = "all users" }, &open, "others may write to it" },
        { { .unread = { 1, 1000 } }, &well, "1 entry could not be read:  and 1 more (--json names them)" },
        { { .list.index_unread = true, .list.index_damage = "cache index: Permission denied" },
          &well,
          "the index could not be read: Permission denied;" },
        { { .mismatched = 2 }, &well, "2 entries have a different size in the index" },
        { { .primed = { .known = true, .changed = { 1, 1000 } } },
          &well,
          "1 entry has a different size than jitwarm recorded: another program wrote it. jitwarm verify "
          "--cache "
          "/srv/nv checks" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct jw_status_report r = rows[i].report;

        r.dir.folder = "/srv/nv";
        r.dir.folder_from.origin = "--cache";
        const struct jw_notes said = jw_status_problems(&r, rows[i].blocker, NULL, a);

        CHECK_NUM(said.n, 1);
        CHECK_TEXT(jw_arena_text(a, said.n ? said.v[0] : "", strlen(rows[i].says)), rows[i].says);
    }
}

/* One limit is enough for all of it. */
TEST(one_limit_is_recommended)
{
    enum { MIB = 1 << 20 };
    static const struct {
        struct jw_status_report report;
        uint64_t need;
    } rows[] = {
        { { .used = 700 * MIB, .primed = { .known = true, .need = { 9, 800 * MIB } } }, 800 * MIB },
        { { .used = 700 * MIB, .primed = { .known = true, .gone = { 2, 300 * MIB } } }, 1000 * MIB },
        { { .used = 700 * MIB,
            .list.missing_bytes = 300 * MIB,
            .primed = { .known = true, .gone = { 2, 300 * MIB } } },
          700 * MIB },
        { { .used = 510 * MIB, .memory.left.need = 900 * MIB }, 900 * MIB },
        { { .used = 510 * MIB,
            .primed = { .known = true, .need = { 9, 600 * MIB }, .gone = { 2, 490 * MIB } } },
          1000 * MIB },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct jw_status_report r = rows[i].report;

        r.dir.limit = 512 * MIB;
        r.dir.limit_known = true;
        r.list.found = true;
        CHECK_NUM(jw_status_need(&r), rows[i].need);
    }
}

/* The line "Warm" is not said again. */
TEST_ARENA(what_is_not_wrong_is_not_said)
{
    const char *notes[] = { "HOME is not set", "the record is damaged" };
    const struct jw_blocker blocker = { .is = JW_BLOCKER_NO_HOME, .what = "HOME is not set" };
    const struct jw_status_report r = { .dir = { .folder_from.origin = "default", .notes = { notes, 1 } },
                                        .memory.notes = { &notes[1], 1 } };

    CHECK_NUM(jw_status_problems(&r, &blocker, notes[1], a).n, 0);
    CHECK_NUM(jw_status_problems(&r, &blocker, NULL, a).n, 1);
}

/* ---- faults ---- */

TEST(every_call_fails_once_memory)
{
    struct rig r;

    begin(&r, "faults");
    compiled(&r, 0, "gnu:1", r.bytes[0]);
    verified(&r, "one", "gnu:1", &(struct jw_warm_entry){ 77, 1000, 1 }, 1);
    from(&r, "torch", r.name, 1);
    cache_done(&r.c);
    for (unsigned long nth = 1;; nth++) {
        const struct jw_status_options o = { .check = false };
        struct jw_arena own = { 0 };
        struct jw_session of = { .a = &own, .cache = r.c.folder };
        struct jw_status_report s;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_status(&of, &o, &s, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || (err.msg[0] && !s.list.files));
        if (ok && s.primed.compared)
            CHECK(s.primed.gone.entries <= 1 && s.primed.changed.entries == 0);
        jw_status_free(&s);
        jw_arena_free(&own);
        if (!fired)
            break;
    }
    jw_warm_close(r.log);
    jw_arena_free(&r.a);
}

static void log_fact(struct rig *r, struct jw_warm_fact fact)
{
    struct jw_err err = { 0 };

    CHECK(jw_warm_add(r->log, &fact, &err));
}

TEST(commands_are_the_newest_first_with_their_starts)
{
    static const uint8_t ids[2][32] = { { 1 }, { 2 } };
    struct jw_status_report s;
    struct rig r;

    begin(&r, "commands");
    cache_done(&r.c);
    log_fact(&r, (struct jw_warm_fact){
                     JW_WARM_COMMAND, .as.command = { .key = "train", .ids = ids, .n = 1, .recorded = 8 } });
    log_fact(&r, (struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = { .key = "serve",
                                                                         .ids = ids,
                                                                         .n = 2,
                                                                         .recorded = 7,
                                                                         .when = 9,
                                                                         .cold = 12400,
                                                                         .warm = 1100 } });
    s = closed_status(&r);
    CHECK(s.n_commands == 2);
    CHECK_TEXT(s.commands[0].words, "serve");
    CHECK(s.commands[0].modules == 2 && s.commands[0].cold == 12400 && s.commands[0].warm == 1100);
    CHECK_TEXT(s.commands[1].words, "train");
    CHECK(s.commands[1].modules == 1 && !s.commands[1].cold && !s.commands[1].warm);
    end(&r, &s);
}

MAIN(argc, argv)
{
    scratch_begin();
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
    return RUN(argc, argv);
}
