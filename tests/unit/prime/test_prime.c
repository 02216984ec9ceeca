/* Prime through its library, on the simulated driver: real workers of the built program. tests/real
 * has the long proofs. */
#include "prime/prime.h"

#include "base/num.h"
#include "base/path.h"
#include "cache/place/listing.h"
#include "check.h"
#include "gen/samples.h"
#include "machine/run.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/faults.h"
#include "rigs/probe_rig.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <string.h>

static const char *cache;
static struct jw_session session;
static struct jw_run *frame;

/* What the next run is given. */
static struct {
    void (*progress)(void *ctx, const struct jw_progress *p);
    bool (*ask)(void *ctx, const char *question, bool usual);
    void *ctx;
    const atomic_bool *interrupted;
    bool yes;
} gives;

static void begin_run(void)
{
    const struct jw_run run = {.session = &session,
                               .a = &rig_arena,
                               .interrupted = gives.interrupted,
                               .progress = gives.progress,
                               .ask = gives.ask,
                               .ctx = gives.ctx,
                               .yes = gives.yes};

    frame = jw_arena_copy(&rig_arena, &run, sizeof run);
    jw_run_begin(frame);
}

/* An empty cache, and a library of three modules. */
static const char *begin(void)
{
    static const char *const words[] = {"P75:s", "P80:l", "P61"};
    FREED(jw_buf) fat = GEN_BUF, library = GEN_BUF;

    rig_begin();
    session = rig_session();
    memset(&gives, 0, sizeof gives);
    cache = tree_path(&rig_arena, "home/cache");
    scratch_empty(cache);
    set_variable("CUDA_CACHE_PATH", cache);
    for (size_t i = 0; i < JW_COUNT(words); i++)
        gen_fat(&fat, words[i]);
    (void)gen_library(&library, jw_buf_bytes(&fat), true);
    return tree_bytes(&rig_arena, "three.so", library.p, library.n);
}

static struct jw_prime_options options(const char **path)
{
    return (struct jw_prime_options){.want = {.paths = {path, 1}}};
}

static struct jw_prime r; /* of the last one */

static void prime_with(const struct jw_prime_options *o)
{
    struct jw_err err = {0};

    jw_prime_free(&r);
    session = rig_session();
    session.as_root = true;
    begin_run();
    CHECK_OK(jw_prime(frame, o, &r, &err), err);
}

static void ended(enum jw_end end, enum jw_answer_is is)
{
    CHECK_TEXT(jw_end_names[r.summary.end], jw_end_names[end]);
    CHECK_TEXT(jw_answer_names[jw_look_answer(r.look).is], jw_answer_names[is]);
}

/* Every file is whole, and the index names them all. */
static size_t sound_entries(void)
{
    FREED(jw_cache_listing) l;

    CHECK(jw_cache_list(cache, true, NULL, &rig_arena, &l, JW_IGNORED));
    for (size_t i = 0; i < l.n; i++)
        CHECK(!l.files[i].damage);
    CHECK(!l.index_damage && l.missing == 0);
    return l.n;
}

TEST(files_are_primed_proven_and_found_again)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);

    o.form = JW_PRIME_ANSWER;
    prime_with(&o);
    ended(JW_END_PARTLY, JW_COLD);
    CHECK(r.plan.seconds > 0 && jw_look_facts(r.look).found.cold_bytes > 0);
    CHECK(!scratch_there(cache) || scratch_count(cache) == 0);
    o.form = JW_PRIME_FILES;
    prime_with(&o);
    ended(JW_END_DONE, JW_WARM);
    CHECK(jw_is_proven(&r.look->proof));
    CHECK_NUM(
        jw_look_answer(r.look).proven, /* no more than the witness knows, and then it says why */
        r.look->proof.why ? JW_ADDED_NOTHING : JW_COMPILED_NOTHING);
    CHECK_NUM(jw_answer_count(r.look, jw_job_is_compiled), 3);
    CHECK_NUM(sound_entries(), 3);
    prime_with(&o);
    ended(JW_END_DONE, JW_WARM);
    CHECK(!jw_look_answer(r.look).proven && !r.look->proof.done);
    o.form = JW_PRIME_LOAD;
    prime_with(&o);
    ended(JW_END_DONE, JW_WARM);
    CHECK(jw_look_answer(r.look).proven);
}

static void let_no_time_be_left(void *ctx, const struct jw_progress *p)
{
    (void)ctx;
    if (p->phase == JW_PHASE_COMPILE && p->done == p->total)
        frame->deadline = 1;
}

TEST(all_is_warm_also_where_no_time_is_left_to_load_it_again)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);

    o.time_limit_s = 3600;
    gives.progress = let_no_time_be_left;
    prime_with(&o);
    ended(JW_END_DONE, JW_WARM);
    CHECK(!r.look->proof.done && r.look->proof.why);
}

TEST(members_of_a_wheel_are_primed_and_proven_without_a_path)
{
    FREED(jw_buf) library = GEN_BUF, wheel = GEN_BUF;
    bool found;

    CHECK(jw_file_slurp(begin(), &library, &found, &err));
    const struct gen_member m = {
        .name = "x/lib.so", .data = jw_buf_bytes(&library), .deflated = true};

    (void)gen_zip(&wheel, &m, 1, "");
    const char *path = tree_bytes(&rig_arena, "wheels/x-1-py3-none-any.WHL", wheel.p, wheel.n),
               *folder = tree_path(&rig_arena, "wheels");
    struct jw_prime_options o = options(&path);

    for (unsigned i = 0; i < 3; i++) {
        prime_with(&o);
        ended(JW_END_DONE, JW_WARM);
        CHECK_NUM(r.look->proof.loaded, 3);
        if (!i)
            scratch_empty(cache);
        o = i ? options(&folder) : (struct jw_prime_options){0};
        o.form = i ? JW_PRIME_LOAD : JW_PRIME_FILES;
    }
}

TEST(what_a_fresh_process_cannot_load_is_cold_and_not_refused)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    FREED(jw_look) l = {0};

    prime_with(&o);
    jw_run_begin(frame);
    struct jw_hold hold = {.run = frame};
    CHECK_OK(jw_scope_find(frame, &o.want, &jw_to_look, &l, &err) && jw_look(frame, &l, &err), err);
    const char *build = l.scope.build;

    l.scope.build = "gnu:another"; /* the library is replaced after the look, and then the file */
    CHECK_OK(jw_prove(frame, &l, &hold, &err), err);
    CHECK(frame->end == JW_END_STOPPED && !jw_look_answer(&l).is && !l.proof.loaded);
    l.scope.build = build;
    l.looked = true;
    jw_run_begin(frame);
    (void)tree_bytes(&rig_arena, "three.so", (const uint8_t *)"changed", 7);
    CHECK_OK(jw_prove(frame, &l, &hold, &err), err);
    CHECK_NUM(l.proof.failed, 3);
    CHECK(jw_look_answer(&l).is == JW_COLD && !jw_look_answer(&l).refused
          && jw_look_answer(&l).proven == JW_DISPROVED);
}

/* Of two kinds of GPUs the first one's modules are refused, and the second one starts no worker. */
TEST(what_a_fresh_process_showed_counts_also_where_the_next_one_does_not_start)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    FREED(jw_look) l = {0};

    set_variable("SIMCUDA_GPUS", "sm_86:One:8G;sm_90:Two:8G");
    prime_with(&o);
    ended(JW_END_DONE, JW_WARM);
    jw_run_begin(frame);
    struct jw_hold hold = {.run = frame};
    CHECK_OK(jw_scope_find(frame, &o.want, &jw_to_look, &l, &err) && jw_look(frame, &l, &err), err);
    CHECK_NUM(l.scope.sms.n, 2);
    CHECK_NUM(jw_look_answer(&l).is, JW_WARM);

    set_variable("SIMCUDA_GPUS", "sm_86:One:8G");
    (void)tree_bytes(&rig_arena, "three.so", (const uint8_t *)"changed", 7);
    CHECK_OK(jw_prove(frame, &l, &hold, &err), err);
    CHECK_TEXT(jw_end_names[frame->end], "no-gpu");
    CHECK_NUM(jw_answer_count(&l, jw_job_is_unstored), 3);
    CHECK_NUM(jw_look_answer(&l).is, JW_COLD);
}

static void add_module(struct jw_buf *fat, unsigned number, const char *options)
{
    const char *text = jw_arena_printf(&rig_arena,
                                       ".version 7.5\n.target sm_75\n.address_size 64\n"
                                       ".visible .entry _ZN2ns5k%04uIfEEvPf()\n{\n    ret;\n}\n",
                                       number);
    const struct gen_fat_image image = {
        JW_KIND_PTX, {75, '\0'},         7,
        5,           .options = options, .payload = {(const uint8_t *)text, strlen(text)}};

    gen_fat_images(fat, &image, 1);
}

/* Into the cache, as another process would. */
static struct jw_bytes stored = {(const uint8_t *)"torn", 4};

static void store_meanwhile(void *name, const struct jw_progress *p)
{
    if (p->phase == JW_PHASE_VERIFY)
        (void)tree_bytes(&rig_arena, jw_arena_printf(&rig_arena, "home/cache/%s", (char *)name),
                         stored.p, stored.n);
}

TEST(a_load_ends_in_part_where_an_entry_was_stored_meanwhile)
{
    (void)begin();
    FREED(jw_buf) fat = GEN_BUF, entry = GEN_BUF;
    bool found;

    add_module(&fat, 0, NULL);
    add_module(&fat, 0, "-lineinfo");
    const char *path = tree_bytes(&rig_arena, "two.fatbin", fat.p, fat.n);
    struct jw_prime_options o = options(&path);

    prime_with(&o);
    o.form = JW_PRIME_LOAD;
    gives.progress = store_meanwhile;
    gives.ctx = (char[]){"0/0/00000000000000"};
    prime_with(&o);
    CHECK_NUM(r.look->proof.loaded, 2);
    CHECK_NUM(r.look->proof.new_entries, 1);
    ended(JW_END_PARTLY, JW_INCOMPLETE);
    /* of two with this text the one with these options */
    struct jw_cache_name name = jw_cache_name(r.look->jobs[1].name);

    gives.ctx = name.text;
    CHECK(jw_file_slurp(jw_path_join(&rig_arena, cache, gives.ctx), &entry, &found, &err));
    stored = jw_buf_bytes(&entry);
    prime_with(&o);
    CHECK(jw_job_is_warm(&r.look->jobs[0]) && jw_job_is_unstored(&r.look->jobs[1]));
    CHECK_NUM(r.look->proof.misses, 1);
}

/* A library of many small modules, which are expected to take seconds, from a driver that needs
 * half a second for each. */
static const char *many_slow_modules(void)
{
    FREED(jw_buf) fat = GEN_BUF, library = GEN_BUF;

    (void)begin();
    for (unsigned i = 0; i < 2500; i++)
        add_module(&fat, i, NULL);
    (void)gen_library(&library, jw_buf_bytes(&fat), true);
    return tree_bytes(&rig_arena, "many.so", library.p, library.n);
}

/* Who is asked at a terminal while modules compile, and interrupts the run soon after. */
static unsigned asked;
static bool says;
static atomic_bool leaves;
static uint64_t enough = 24;

static bool answer(void *ctx, const char *question, bool usual)
{
    (void)ctx;
    CHECK_HAS(question, "longer than estimated");
    CHECK(usual);
    asked++;
    return says;
}

static void leave(void *ctx, const struct jw_progress *p)
{
    (void)ctx;
    CHECK(p->phase != JW_PHASE_COMPILE || !p->at || strcmp(p->at, "many.so") == 0
          || strcmp(p->at, "three.so") == 0);
    if (p->phase == JW_PHASE_COMPILE && p->done >= enough)
        atomic_store(&leaves, true);
}

/* Another process probes the build while modules compile. */
static void probe_anew(void *ctx, const struct jw_progress *p)
{
    struct jw_drivers all;
    struct jw_err err = {0};

    leave(ctx, p);
    if (p->phase != JW_PHASE_COMPILE || p->done < 6)
        return;
    jw_drivers_load(&rig_arena, &all);
    CHECK_NUM(all.n, 1);
    all.v->level = JW_LEVEL_PREDICTABLE;
    CHECK_OK(jw_driver_save(all.v, &err), err);
}

static void prime_slowly(const char *path, const char *end)
{
    struct jw_prime_options o = options(&path);

    o.jobs = 1;
    o.form = JW_PRIME_ANSWER; /* probes the driver, which needs no time for that */
    scratch_empty(cache);
    scratch_empty(rig_path("state")); /* the speed, too */
    set_variable("SIMCUDA_COST", NULL);
    prime_with(&o);
    o.form = JW_PRIME_FILES;
    set_variable("SIMCUDA_COST", "0+500");
    prime_with(&o);
    CHECK_TEXT(jw_end_names[r.summary.end], end);
    CHECK(r.plan.seconds < 60 && jw_look_answer(r.look).is == JW_COLD);
    CHECK(jw_answer_count(r.look, jw_job_is_compiled) >= 5
          && sound_entries() >= jw_answer_count(r.look, jw_job_is_compiled));
}

TEST(a_run_that_takes_longer_than_was_said_asks_again_once)
{
    const char *path = many_slow_modules();

    gives.ask = answer;
    prime_slowly(path, "consent");
    CHECK_NUM(asked, 1);
    CHECK(!jw_look_facts(r.look).found.index_damaged); /* there was none before */
    says = true;
    gives.interrupted = &leaves;
    gives.progress = leave;
    prime_slowly(path, "interrupted");
    CHECK_NUM(asked, 2);
    atomic_store(&leaves, false);
    gives.progress = probe_anew;
    gives.ask = NULL; /* nobody is there */
    prime_slowly(path, "consent");
    CHECK(jw_driver_save_slowness(r.look->scope.build, 500, JW_IGNORED));
    struct jw_prime_options o = {.want = {.paths = {&path, 1}}};
    unsigned cpus = jw_cpu_count();

    prime_with(&o);
    CHECK_NUM(r.plan.workers, jw_min(cpus, JW_MAX_WORKERS));
    o.background = true;
    prime_with(&o);
    CHECK_HAS(frame->why,
              JW_PHRASE("with %s. Most programs load a part of this: jitwarm prime --run CMD",
                        JW_N(jw_min((cpus + 1) / 2, JW_MAX_WORKERS), "worker", "workers")));
    gives.yes = true;
    prime_slowly(path, "interrupted");
    set_variable("SIMCUDA_COST", NULL);
    struct jw_drivers all;

    jw_drivers_load(&rig_arena, &all);
    CHECK(all.n == 1 && all.v->level == JW_LEVEL_PREDICTABLE);
}

static struct jw_bans bans;

/* When the second module has crashed. */
static void load_bans(void *ctx, const struct jw_progress *p)
{
    (void)ctx;
    if (p->failed == 2 && !bans.n)
        jw_bans_load(jw_session_memory(frame->session), &rig_arena, &bans);
}

/* Another run bans a module meanwhile. */
static void ban_another(void *ctx, const struct jw_progress *p)
{
    struct jw_ban ban = {.sm = 7, .build = "gnu:another", .why = ""};

    leave(ctx, p);
    (void)!jw_bans_change(jw_session_memory(frame->session), &(struct jw_bans){&ban, 1},
                          JW_IGNORED);
}

TEST(a_crash_bans_a_module_at_once_until_it_is_compiled_also_where_ctrl_c_ends_that_run)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);

    o.form = JW_PRIME_ANSWER; /* probes the driver */
    prime_with(&o);
    o = options(&path);
    o.jobs = 1;
    set_variable("SIMCUDA_FAULTS", "crash@*");
    gives.progress = load_bans;
    prime_with(&o);
    set_variable("SIMCUDA_FAULTS", NULL);
    CHECK(bans.n == 1 && jw_look_facts(r.look).found.crashed == 3);
    o.want.retry = true;
    enough = 1;
    atomic_store(&leaves, false);
    gives.interrupted = &leaves;
    gives.progress = ban_another; /* whose stays */
    prime_with(&o);
    CHECK_TEXT(jw_end_names[r.summary.end], "interrupted");
    jw_bans_load(r.look->memory, &rig_arena, &bans);
    CHECK(bans.n < 4 && bans.n == 4 - jw_answer_count(r.look, jw_job_is_compiled));
}

/* System calls and allocations of this process fail in turn: whatever happens, the cache is sound,
 * no run says that it did all where an entry is missing, and the next run ends it. */
TEST(every_failure_leaves_a_sound_cache)
{
    const char *path = begin();
    struct jw_prime_options o = options(&path);
    unsigned long step = check_fault_step(11);

    EACH_FAULT (f, step) {
        struct jw_prime report;

        if (f.nth % 3 == 0)
            scratch_empty(cache);
        session = rig_session();
        begin_run();
        bool ok = FAULTED(f, jw_prime(frame, &o, &report, &err));

        CHECK(ok || err.msg[0]);
        size_t n = sound_entries();
        CHECK(!ok || report.summary.end != JW_END_DONE || n == 3);
        jw_prime_free(&report);
    }
    prime_with(&o);
    CHECK(jw_look_answer(r.look).is == JW_WARM);
    CHECK_NUM(sound_entries(), 3);
}
