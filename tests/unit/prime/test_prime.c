/* Prime through its library, on the simulated driver: real workers of the built program. tests/prime has the long proofs. */
#include "cache/format/jitcache.h"
#include "rigs/probe_rig.h"

#include "base/fault.h"
#include "cache/memory/warmstate.h"
#include "cache/place/listing.h"
#include "gen/samples.h"
#include "jitwarm/prime.h"
#include "os/machine/time.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

static const char *cache;
static struct jw_session session;
static struct jw_run frame;

/* An empty cache, and a library of three modules. */
static const char *begin(void)
{
    static const char *const words[] = { "P75:s", "P80:l", "P61" };
    struct jw_buf fat = GEN_BUF, library = GEN_BUF;

    rig_begin();
    session = rig_session();
    frame = (struct jw_run){ .session = &session };
    cache = tree_path(&rig_arena, "home/cache");
    scratch_empty(cache);
    set_variable("CUDA_CACHE_PATH", cache);
    for (size_t i = 0; i < JW_COUNT(words); i++)
        gen_fat(&fat, words[i]);
    (void)gen_library(&library, jw_buf_bytes(&fat), true);
    const char *path = tree_bytes(&rig_arena, "three.so", library.p, library.n);

    jw_buf_free(&fat);
    jw_buf_free(&library);
    return path;
}

struct result {
    struct jw_prime_report report;
    struct jw_prime_memory *memory;
};

static struct jw_prime_options options(const char **path)
{
    return (struct jw_prime_options){ .paths = { path, 1 }, .as_root = true, .same_login = true };
}

static struct result prime_with(const struct jw_prime_options *o)
{
    struct result r;
    struct jw_err err = { 0 };

    session = rig_session();
    CHECK_OK(jw_prime(&frame, o, &r.report, &r.memory, &err), err);
    return r;
}

static void ended(const struct result *r, enum jw_end end)
{
    CHECK_TEXT(jw_end_names[r->report.run->end], jw_end_names[end]);
}

static void done(struct result *r)
{
    jw_prime_free(r->memory);
}

/* Every file is whole, and the index names them all. */
static size_t sound_entries(void)
{
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    size_t n;

    CHECK(jw_cachedir_list(cache, true, &rig_arena, &l, &err));
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage);
    CHECK(!l.index_damage && l.missing == 0);
    n = l.n;
    jw_cache_listing_free(&l);
    return n;
}

static void same_origins(const char *origin, size_t n)
{
    struct jw_arena a = { 0 };
    struct jw_warm_state s;

    jw_warm_load(cache, &a, &s);
    CHECK_NUM(s.modules.n, n);
    for (size_t i = 0; i < s.modules.n; i++)
        CHECK_TEXT(s.modules.list[i].origin, origin);
    jw_arena_free(&a);
}

/* Also of what programs had compiled before the first prime. */
TEST(whose_the_entries_are)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    struct result r = prime_with(&o);

    done(&r);
    same_origins("three.so", 3);
    set_variable("JITWARM_STATE", rig_path("another-state")); /* as if others had compiled it */
    r = prime_with(&o);
    ended(&r, JW_END_NOTHING);
    CHECK(!r.report.receipt);
    done(&r);
    same_origins("three.so", 3);
}

TEST(verify_names_what_is_cold)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);

    o.verify_only = true;
    struct result r = prime_with(&o);

    ended(&r, JW_END_PARTLY);
    CHECK_NUM(r.report.verify.n_misses, 3);
    CHECK_TEXT(r.report.verify.misses[0].cause, "not in the cache");
    CHECK(!scratch_there(cache) || scratch_count(cache) == 0); /* and nothing was compiled to find that out */
    done(&r);
}

TEST(an_interruption_is_an_answer)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    atomic_bool stop;

    atomic_init(&stop, true);
    frame.interrupted = &stop;
    struct result r = prime_with(&o);

    frame.interrupted = NULL;
    ended(&r, JW_END_INTERRUPTED);
    done(&r);
}

/* The verbs and allocations of this process fail in turn: whatever happens, the cache is sound, no run says that it did
 * all where an entry is missing, and the next run ends it. */
TEST(every_failure_leaves_a_sound_cache)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    unsigned long step = check_fault_step(11);
    bool fired = true;

    for (unsigned long nth = 1; fired; nth += step) {
        struct jw_prime_report report;
        struct jw_prime_memory *memory = NULL;
        struct jw_err err = { 0 };

        if (nth % 3 == 0)
            scratch_empty(cache);
        session = rig_session();
        jw_fault_arm(nth);
        bool ok = jw_prime(&frame, &o, &report, &memory, &err);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        size_t n = sound_entries();
        CHECK(!ok || (report.run->end != JW_END_DONE && report.run->end != JW_END_NOTHING) || n == 3);
        jw_prime_free(memory);
    }
    struct result r = prime_with(&o);

    CHECK(r.report.run->end == JW_END_DONE || r.report.run->end == JW_END_NOTHING);
    CHECK_NUM(sound_entries(), 3);
    done(&r);
}

static void remember_start(const char *key, int64_t age)
{
    struct jw_warm_holder holder;
    struct jw_warm_log *log = NULL;
    struct jw_err err = { 0 };
    const struct jw_warm_fact fact = {
        JW_WARM_COMMAND, .as.command = { .key = key, .cache = "", .when = jw_time_unix() - age }
    };

    CHECK(jw_warm_open(cache, NULL, &log, &holder, &err) && log && jw_warm_add(log, &fact, &err));
    jw_warm_close(log);
}

TEST(a_start_without_a_driver_is_watched_again_on_another_day)
{
    enum { HOUR = 60 * 60, DAY = 24 * HOUR };
    static const struct {
        const char *key;
        int64_t age; /* -1: never started */
        bool known, again;
    } rows[] = { { "today", HOUR, true, false },
                 { "two days ago", 2 * DAY, false, true },
                 { "never", -1, false, false } };

    (void)begin();
    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct jw_prime_options o = options(NULL);

        if (rows[i].age >= 0)
            remember_start(rows[i].key, rows[i].age);
        o.paths.n = 0;
        o.profile = rows[i].key;
        struct result r = prime_with(&o);

        CHECK(r.report.start_known == rows[i].known && r.report.start_again == rows[i].again);
        done(&r);
    }
}
