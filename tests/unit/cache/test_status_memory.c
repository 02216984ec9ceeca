/* What status makes of jitwarm's own memory of a cache. */
#include "base/fault.h"
#include "cache/memory/progress_json.h"
#include "cache/status/status.h"
#include "check.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/warm.h"

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
    CHECK(jw_state_save_driver(&s, &err));
    CHECK_TEXT(err.msg, "");
    (void)snprintf(r->folder, sizeof r->folder, "cache-%s", name);
    r->c = cache_make(&r->a, r->folder);
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t before = r->c.index.total;

        r->name[i] = cache_add(&r->c, i < 3 ? CACHE_NOW : CACHE_BEFORE, "sm_86", i, 100 + 100 * i);
        r->bytes[i] = r->c.index.total - before;
    }
    r->log = warm_open(r->c.root);
}

static struct jw_status_report status_of(struct rig *r)
{
    struct jw_status_options o = { .cache = r->c.root, .look = true };
    struct jw_status_report out;
    struct jw_err err = { 0 };

    CHECK(jw_status(&o, &r->a, &out, &err));
    CHECK_TEXT(err.msg, "");
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
    struct jw_warm_job j = { .build = build, .sm = 86, .name = r->name[n], .bytes = bytes };
    struct jw_err err = { 0 };

    (void)snprintf((char *)j.id, sizeof j.id, "job %u", n);
    CHECK(jw_warm_add_job(r->log, &j, &err));
}

static void verified(struct rig *r, const char *key, const char *build, const struct jw_warm_entry *list,
                     size_t n)
{
    struct jw_warm_receipt receipt = { .key = key, .build = build, .entries = list, .n_entries = n };
    struct jw_err err = { 0 };

    CHECK(jw_warm_add_receipt(r->log, &receipt, &err));
}

static void from(struct rig *r, const char *origin, const uint64_t *names, size_t n)
{
    struct jw_err err = { 0 };

    CHECK(jw_warm_add_origin(r->log, &(struct jw_warm_origin){ origin, "gnu:1", names, n }, &err));
}

/* ---- what is gone ---- */

TEST(nothing_is_remembered)
{
    struct rig r;

    begin(&r, "none");
    cache_done(&r.c);
    compiled(&r, 0, "gnu:0", 5); /* for a driver that was here before: what it had is dead, there or not */

    struct jw_status_report s = closed_status(&r);

    CHECK(!s.primed.known && !s.primed.compared && !s.running && s.memory.notes.n == 0);
    CHECK(s.groups[0].n_origins == 0 && !s.largest[0].origin);
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

    const struct jw_warm_entry one[] = { { r.name[0], r.bytes[0] }, { 77, 1000 } };
    const struct jw_warm_entry two[] = { { r.name[0], r.bytes[0] }, { r.name[1], r.bytes[1] } };

    verified(&r, "one", "gnu:1", two, 2); /* superseded */
    verified(&r, "one", "gnu:1", one, 2);
    verified(&r, "two", "gnu:1", two, 2);
    verified(&r, "before", "gnu:0", &(struct jw_warm_entry){ 78, 1000 }, 1);
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

TEST(another_size)
{
    struct rig r;

    begin(&r, "changed");
    compiled(&r, 0, "gnu:1", r.bytes[0] + 1);
    compiled(&r, 1, "gnu:1", r.bytes[1] + 1);
    verified(&r, "one", "gnu:1", &(struct jw_warm_entry){ r.name[1], r.bytes[1] }, 1);
    compiled(&r, 2, "gnu:1", r.bytes[2] + 1);
    cache_done(&r.c);
    cache_put(&r.c, jw_cache_name(r.name[2]).text, "torn", 4);

    struct jw_status_report s = closed_status(&r);

    /* A torn one is damaged, which is told by itself. */
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
    r.c.root = tree_file(&r.a, "no-folder", "");
    r.log = warm_open(r.c.root);
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
    CHECK(s.largest[0].file->name == r.name[3]);
    CHECK_TEXT(s.largest[0].origin, "libold.so");
    CHECK_TEXT(s.largest[1].origin, "libggml-cuda.so");
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

    struct jw_status_report s = closed_status(&r);
    const struct jw_status_group *g = &s.groups[0];

    CHECK_TEXT(g->arch, "sm_90");
    CHECK_NUM(g->entries, MANY);
    CHECK_NUM(g->n_origins, JW_STATUS_ORIGINS);
    CHECK_NUM(g->more_origins, TOLD - JW_STATUS_ORIGINS);
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
    CHECK(s.running && s.running->who.started <= jw_time_unix());
    end(&r, &s);
}

TEST(one_that_tells)
{
    static const struct jw_progress_who who = { .pid = 4711, .started = 1790000000 };
    static const struct jw_prime_progress now = {
        .phase = JW_PHASE_COMPILE, .done = 41, .total = 143, .eta = -1
    };
    struct jw_buf text = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    struct rig r;

    begin(&r, "telling");
    cache_done(&r.c);
    CHECK(jw_progress_write(&text, &who, &now, &err));
    CHECK(jw_warm_write_status(r.log, (const char *)text.p, text.n, &err));

    struct jw_status_report s = status_of(&r);

    CHECK(s.running && !s.running_silent && s.memory.notes.n == 0);
    CHECK(s.running && s.running->who.pid == 4711 && s.running->now.done == 41);
    end(&r, &s);
    jw_buf_free(&text);
}

TEST(one_whose_words_make_no_sense)
{
    static const char junk[] = "{ \"schema\": \"jitwarm.progress/9\" }";
    struct jw_err err = { 0 };
    struct rig r;

    begin(&r, "senseless");
    cache_done(&r.c);
    CHECK(jw_warm_write_status(r.log, junk, sizeof junk - 1, &err));

    struct jw_status_report s = status_of(&r);

    CHECK(s.running && s.running_silent && s.running->who.pid == jw_process_id());
    CHECK_NUM(s.memory.notes.n, 1);
    CHECK_HAS(s.memory.notes.n ? s.memory.notes.v[0] : "", "another version of jitwarm wrote it");
    CHECK(jw_status_whole(&s));
    end(&r, &s);
}

/* ---- faults ---- */

TEST(every_call_fails_once)
{
    struct rig r;

    begin(&r, "faults");
    compiled(&r, 0, "gnu:1", r.bytes[0]);
    verified(&r, "one", "gnu:1", &(struct jw_warm_entry){ 77, 1000 }, 1);
    from(&r, "torch", r.name, 1);
    cache_done(&r.c);
    for (unsigned long nth = 1;; nth++) {
        struct jw_status_options o = { .cache = r.c.root, .look = true };
        struct jw_arena own = { 0 };
        struct jw_status_report s;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_status(&o, &own, &s, &err), fired = jw_fault_fired();
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

int main(int argc, char **argv)
{
    scratch_begin();
    cache_env("CUDA_CACHE_MAXSIZE", NULL);
    return RUN(argc, argv, T(nothing_is_remembered), T(what_is_gone_and_what_is_needed), T(another_size),
               T(a_cache_that_is_gone_as_a_whole), T(a_cache_that_was_not_read_whole), T(origins_by_size),
               T(only_the_largest_origins_are_listed), T(one_that_has_not_told_yet), T(one_that_tells),
               T(one_whose_words_make_no_sense), T(every_call_fails_once));
}
