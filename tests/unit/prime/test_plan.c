#include "base/sort.h"
#include "check.h"
#include "prime/plan.h"
#include "prime/prime_run.h"
#include "prime/prime_work.h"

#include <stdlib.h>
#include <time.h>

#define BUILD "gnu:aa"
#define MB 1000000ULL

static struct jw_arena arena;

/* A world to plan in: modules 1, 2, 3... of so many bytes, and a cache that holds some of them. */
static struct jw_job found[32];
static struct jw_cache_file files[32];
static struct jw_cache_listing cache;
static struct jw_warm_state memory;
static struct plan_input in;

static struct jw_job module(unsigned n, uint64_t bytes, const char *path)
{
    struct jw_place *place = jw_arena_alloc(&arena, sizeof *place);
    struct jw_job j = { .module = { .options = "", .ptx_bytes = bytes, .places = place, .n_places = 1 },
                        .sm = 86,
                        .name = 1000 + n,
                        .key_size = bytes + 50 };

    *place = (struct jw_place){ .path = path, .disk = path };
    j.id[0] = j.module.text[0] = (uint8_t)n;
    return j;
}

static void remember(const struct jw_warm_module *modules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_modules_put(&memory.modules, &arena, &modules[i]);
}

static void begin(size_t n, uint64_t bytes)
{
    memory = (struct jw_warm_state){ 0 };
    cache = (struct jw_cache_listing){ .files = files, .index_found = true };
    in = (struct plan_input){ .found = found,
                              .n_found = n,
                              .cache = &cache,
                              .memory = &memory,
                              .build = BUILD,
                              .compiler = "gnu:cc",
                              .level = JW_LEVEL_PLACEABLE,
                              .limit = 1000 * MB,
                              .disk = UINT64_MAX,
                              .workers = 2 };
    for (unsigned i = 0; i < n; i++)
        found[i] = module(i + 1, bytes * (i + 1), "lib.so");
}

static struct jw_cache_file *have(unsigned n, uint64_t key, uint64_t payload)
{
    struct jw_cache_file *f = &files[cache.n++];

    *f = (struct jw_cache_file){ .name = 1000 + n,
                                 .entry = { .key_size = key, .payload_size = payload },
                                 .indexed = true,
                                 .recorded = key + payload };
    return f;
}

static struct plan make(void)
{
    struct plan p;
    struct jw_err err = { 0 };

    plan_make(&in, &arena, &p);
    CHECK_TEXT(err.msg, "");
    return p;
}

static const struct jw_job *job(const struct plan *p, unsigned n)
{
    static const struct jw_job none;

    for (size_t i = 0; i < p->n_jobs; i++)
        if (p->jobs[i].id[0] == n)
            return &p->jobs[i];
    CHECK(!"the job is there");
    return &none;
}

TEST(longest_first_and_one_job_for_equal_modules)
{
    begin(3, MB);
    found[2] = module(3, 4 * MB, "lib.so");
    found[3] = module(2, 2 * MB, "other.so");
    in.n_found = 4;
    struct plan p = make();

    CHECK_NUM(p.n_jobs, 3);
    CHECK_NUM(p.n_todo, 3);
    CHECK_NUM(p.jobs[0].id[0], 3);
    CHECK_NUM(p.jobs[2].id[0], 1);
    CHECK_NUM(job(&p, 2)->module.n_places, 2);
    CHECK_TEXT(job(&p, 2)->module.places[1].path, "other.so");
    CHECK(p.jobs[0].predicted && p.jobs[0].name == 1003);
    CHECK(p.seconds > 4.6 && p.seconds < 4.8); /* the longest takes longer than half of all */
    CHECK(p.cpu_seconds > 8.5 && p.cpu_seconds < 8.7);
}

TEST(what_programs_load_comes_first)
{
    static uint8_t used[1][JW_DIGEST] = { { 1 } };
    static const struct jw_digest_set set = { used, 1, 1 };

    begin(3, MB);
    in.used = &set;
    struct plan p = make();

    CHECK_NUM(p.jobs[0].id[0], 1);
    CHECK(p.jobs[0].used && !p.jobs[1].used);
    CHECK_NUM(p.jobs[1].id[0], 3);
}

TEST(what_a_running_program_has_loaded_counts_as_used)
{
    static const char *const loaded[] = { "/opt/other.so", "engine.so" };

    begin(2, MB);
    found[0].module.places->path = "engine.so";
    in.loaded = loaded;
    in.n_loaded = JW_COUNT(loaded);

    struct plan p = make();

    CHECK_NUM(p.jobs[0].id[0], 1); /* the smaller one, before the larger one that nobody uses */
    CHECK(p.jobs[0].used && !p.jobs[1].used);
}

TEST(an_estimate_is_the_most_for_software_that_loads_lazily)
{
    begin(2, MB);
    CHECK(!make().lazy);
    found[1].module.lazy = true;
    CHECK(make().lazy);
    (void)have(2, 2 * MB + 50, MB); /* warm: nothing is estimated for it */
    CHECK(!make().lazy);
}

TEST(what_a_profile_names_counts_as_used)
{
    static const uint8_t seen[][JW_DIGEST] = { { 9 }, { 1 } }, other[][JW_DIGEST] = { { 8 } };
    static struct jw_warm_command commands[] = { { .key = "python x.py", .ids = seen, .n = 2 },
                                                 { .key = "python y.py", .ids = other, .n = 1 } };
    static struct jw_warm_state known = { .commands = commands, .n_commands = 2 };

    begin(3, MB);
    in.memory = &known;
    struct plan p = make();

    CHECK_NUM(p.jobs[0].id[0], 1);
    CHECK(p.jobs[0].used && !p.jobs[1].used);
}

TEST(warm_is_a_sound_entry_of_the_right_size_with_its_record)
{
    begin(5, MB);
    have(1, MB + 50, 300);     /* whole */
    have(2, 2 * MB + 49, 300); /* of another key */
    have(3, 3 * MB + 50, 300)->damage = "torn";
    have(4, 4 * MB + 50, 300)->indexed = false;
    have(5, 5 * MB + 50, 300)->recorded = 7;
    struct plan p = make();

    CHECK_NUM(job(&p, 1)->state, JW_JOB_WARM);
    CHECK_NUM(job(&p, 1)->entry_bytes, MB + 350);
    CHECK_NUM(job(&p, 2)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 4)->state, JW_JOB_TODO);
    CHECK_NUM(p.n_todo, 4);
    for (size_t i = 0; i < p.n_todo; i++) /* 4 and 5 lack a record alone */
        CHECK(p.unindexed[i] == (p.jobs[i].id[0] >= 4));
    CHECK(p.cpu_seconds > 6 && p.cpu_seconds < 6.2); /* of 2 and 3 */
}

TEST(below_predicted_names_the_journal_speaks)
{
    const struct jw_warm_module modules[] = {
        { .id = { 1 },
          .build = BUILD,
          .sm = 86,
          .compiled = true,
          .name = 1001,
          .bytes = MB + 350,
          .ban = "",
          .compiler = "" },
        { .id = { 2 },
          .build = "gnu:bb",
          .sm = 86,
          .compiled = true,
          .name = 1002,
          .bytes = 1,
          .ban = "",
          .compiler = "" },
        { .id = { 3 },
          .build = BUILD,
          .sm = 86,
          .compiled = true,
          .name = 1003,
          .bytes = 9,
          .ban = "",
          .compiler = "" },
    };

    begin(4, MB);
    in.level = JW_LEVEL_READABLE;
    remember(modules, JW_COUNT(modules));
    have(1, MB + 50, 300);
    have(2, 2 * MB + 50, 300);
    have(3, 3 * MB + 50, 300); /* another size than was remembered */
    struct plan p = make();

    CHECK_NUM(job(&p, 1)->state, JW_JOB_WARM);
    CHECK(!job(&p, 1)->predicted && !job(&p, 1)->name);
    CHECK_NUM(job(&p, 2)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 4)->state, JW_JOB_TODO);
}

TEST(banned_for_this_driver_alone)
{
    const struct jw_warm_module modules[] = {
        { .id = { 1 }, .build = BUILD, .sm = 86, .ban = "signal 11", .compiler = "gnu:cc" },
        { .id = { 2 }, .build = "gnu:bb", .sm = 86, .ban = "signal 11", .compiler = "gnu:cc" },
        { .id = { 3 }, .build = BUILD, .sm = 86, .ban = "timeout", .compiler = "gnu:cc" },
        { .id = { 4 },
          .build = BUILD,
          .sm = 86,
          .ban = "signal 11",
          .compiler = "gnu:c" }, /* of another compiler */
    };

    begin(5, MB);
    remember(modules, JW_COUNT(modules));
    have(3, 3 * MB + 50, 300); /* warm all the same: another machine's, imported */
    struct plan p = make();

    CHECK_NUM(job(&p, 1)->state, JW_JOB_SKIPPED);
    CHECK_TEXT(job(&p, 1)->why, "signal 11");
    CHECK_NUM(job(&p, 2)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_WARM);
    CHECK_NUM(job(&p, 4)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 5)->state, JW_JOB_TODO);
    CHECK_NUM(p.n_todo, 3);
    in.retry = true;
    p = make();
    CHECK_NUM(p.n_todo, 4);
}

/* Nothing is planned for the cold ones; that is no fault of theirs. */
TEST(a_driver_that_compiles_nothing)
{
    const struct jw_warm_module modules[] = {
        { .id = { 1 }, .build = BUILD, .sm = 86, .ban = "signal 11", .compiler = "gnu:cc" },
    };

    begin(3, MB);
    remember(modules, JW_COUNT(modules));
    have(3, 3 * MB + 50, 300);
    in.cannot_compile = "its compiler is missing";
    struct plan p = make();

    CHECK_TEXT(job(&p, 1)->why, "signal 11");
    CHECK_TEXT(job(&p, 2)->why, "its compiler is missing");
    CHECK(job(&p, 2)->state == JW_JOB_NO_COMPILER && !job(&p, 2)->hopeless);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_WARM);
    CHECK(p.n_todo == 0 && p.need == 0);
}

TEST(what_was_cut_off_takes_longer_than_that)
{
    const struct jw_warm_module modules[] = {
        { .id = { 1 }, .build = BUILD, .sm = 86, .stopped = 20000, .ban = "", .compiler = "" },
        { .id = { 2 }, .build = "gnu:bb", .sm = 86, .stopped = 20000, .ban = "", .compiler = "" },
        { .id = { 3 }, .build = BUILD, .sm = 86, .stopped = 5, .ban = "", .compiler = "" },
    };
    struct plan before;

    begin(3, MB);
    before = make();
    remember(modules, JW_COUNT(modules));
    struct plan p = make();

    CHECK(job(&p, 1)->seconds >= 40 && job(&p, 1)->seconds < 41);
    CHECK(job(&p, 2)->seconds == job(&before, 2)->seconds); /* of another driver */
    CHECK(job(&p, 3)->seconds == job(&before, 3)->seconds);
    CHECK(p.longest == job(&p, 1)->seconds && p.seconds == p.longest);
}

TEST(more_workers_do_not_help_where_one_module_is_most_of_it)
{
    begin(3, MB); /* about 1, 2 and 3 s */
    in.workers = 2;
    struct plan p = make();

    CHECK(plan_is_bound_by_one(&p) == (p.longest >= p.cpu_seconds / 2));
    in.workers = 1;
    p = make();
    CHECK(!plan_is_bound_by_one(&p));
    in.workers = 8;
    p = make();
    CHECK(plan_is_bound_by_one(&p) && p.seconds == p.longest);
    begin(1, MB);
    p = make();
    CHECK(!plan_is_bound_by_one(&p));
}

TEST(a_time_limit_is_named_in_round_seconds)
{
    CHECK_NUM(plan_round_time_limit(0.2), 5);
    CHECK_NUM(plan_round_time_limit(5), 5);
    CHECK_NUM(plan_round_time_limit(5.1), 10);
    CHECK_NUM(plan_round_time_limit(51), 60);
    CHECK_NUM(plan_round_time_limit(121), 180);
}

TEST(no_more_than_fits)
{
    begin(4, 100 * MB); /* about 200, 400, 600 and 800 MB */
    in.limit = 900 * MB;
    in.taken = 90 * MB;
    struct plan p = make();
    uint64_t sum = 0;

    CHECK(p.need > 1900 * MB && p.need < 2100 * MB);
    for (size_t i = 0; i < p.n_todo; i++)
        sum += p.jobs[i].cache_bytes;
    CHECK(sum <= 810 * MB && p.n_todo >= 1);
    for (size_t i = p.n_todo; i < p.n_jobs; i++) {
        CHECK_NUM(p.jobs[i].state, JW_JOB_NO_ROOM);
        CHECK_HAS(p.jobs[i].why, "the cache may grow to 858 MiB");
    }
}

TEST(what_is_larger_than_the_limit_is_never_kept)
{
    begin(1, 100 * MB);
    in.limit = 100 * MB;
    CHECK_HAS(make().jobs[0].why, "it is larger than the whole cache may be (95 MiB)");
    in.limit = 1000 * MB;
    in.disk = 10 * MB;
    CHECK_HAS(make().jobs[0].why, "the disk has only 9.5 MiB left for it");
}

TEST(used_modules_are_the_last_to_be_left_out)
{
    static uint8_t used[1][JW_DIGEST] = { { 4 } };
    static const struct jw_digest_set set = { used, 1, 1 };

    begin(4, 100 * MB);
    in.limit = 850 * MB;
    in.used = &set;
    struct plan p = make();

    CHECK_NUM(job(&p, 4)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_NO_ROOM);
}

/* A module has a cost of its own, whatever its size: the small ones have most seconds for each byte. */
TEST(what_saves_most_for_its_bytes_fits_first)
{
    static const uint64_t megabytes[] = { 4, 2, 3, 1 }; /* about twice as much in the cache */

    begin(4, MB);
    for (unsigned i = 0; i < 4; i++)
        found[i] = module(i + 1, megabytes[i] * MB, "lib.so");
    in.limit = 9 * MB;
    struct plan p = make();

    CHECK_NUM(job(&p, 4)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 2)->state, JW_JOB_TODO);
    CHECK_NUM(job(&p, 3)->state, JW_JOB_NO_ROOM);
    CHECK_NUM(job(&p, 1)->state, JW_JOB_NO_ROOM);
}

/* A full cache loses its oldest records: what programs load comes last, then what took longest. */
TEST(the_least_valuable_is_published_first)
{
    struct jw_job jobs[] = { { .milliseconds = 900 },
                             { .milliseconds = 10, .used = true },
                             { .milliseconds = 5 },
                             { .milliseconds = 70, .used = true } };
    struct prime_queued queue[] = {
        { &jobs[3], NULL }, { &jobs[0], NULL }, { &jobs[1], NULL }, { &jobs[2], NULL }
    };

    jw_sort(queue, 4, sizeof *queue, prime_publish_order);
    CHECK(queue[0].job == &jobs[2] && queue[1].job == &jobs[0]);
    CHECK(queue[2].job == &jobs[1] && queue[3].job == &jobs[3]);
}

TEST(a_profile_leaves_the_rest_out)
{
    static uint8_t profile[2][JW_DIGEST] = { { 1 }, { 3 } };
    static const struct jw_digest_set set = { profile, 2, 2 };

    begin(4, MB);
    in.profile = &set;
    struct plan p = make();

    CHECK_NUM(p.n_jobs, 2);
    CHECK_NUM(p.unused.modules, 2);
    CHECK_NUM(p.unused.ptx_bytes, 6 * MB);
}

TEST(sizes_are_learned_from_the_cache)
{
    begin(1, 10 * MB);
    for (unsigned i = 0; i < 8; i++) {
        struct jw_cache_file *f = have(100 + i, MB, 2 * MB);

        f->kind = JW_CACHE_CUDA;
        f->sm = 86;
    }
    uint64_t bytes = make().jobs[0].cache_bytes;

    CHECK(bytes > 30 * MB && bytes < 31 * MB);
    cache.n = 7; /* too few to learn from */
    bytes = make().jobs[0].cache_bytes;
    CHECK(bytes > 20 * MB && bytes < 21 * MB);
}

TEST(nothing_to_plan)
{
    begin(0, 0);
    struct plan p = make();

    CHECK(p.n_jobs == 0 && p.n_todo == 0 && p.seconds < 0.001);
}

static bool refuse(void *ctx, const char *question, bool usual)
{
    CHECK_HAS(question, "ompiling 1 module takes");
    CHECK(!usual);
    ++*(unsigned *)ctx;
    return false;
}

/* How often is a person asked about one module that takes so long, and does it go on? */
static unsigned asked(double seconds, unsigned time_limit, bool *ended)
{
    unsigned n = 0;
    struct jw_run run = { .a = &arena, .ask = refuse, .ctx = &n };
    struct jw_prime_options o = { .time_limit_s = time_limit };
    struct jw_prime_report r = { .run = &run, .cache.free_disk = UINT64_MAX };
    struct prime p = { .o = &o,
                       .out = &r,
                       .run = &run,
                       .ctx = { .run = &run, .cache.out = &r.cache, .driver.probe = &prime_no_probe } };
    struct jw_err err = { 0 };

    begin(1, 1 * MB);
    found[0] = module(1, 1 * MB, "a.so");
    p.plan = make();
    CHECK_NUM(p.plan.n_todo, 1);
    p.plan.cpu_seconds = seconds;
    CHECK_OK(prime_consent(&p, &err), err);
    CHECK(!run.ended || run.end == JW_END_CONSENT);
    *ended = run.ended;
    return n;
}

TEST(what_takes_more_than_a_quarter_of_an_hour_needs_a_yes)
{
    bool ended;

    CHECK(asked(15 * 60, 0, &ended) == 0 && !ended);
    CHECK(asked(15 * 60 + 1, 0, &ended) == 1 && ended);
    CHECK(asked(15 * 60 + 1, 15 * 60 + 1, &ended) == 1 && ended);
    CHECK(asked(15 * 60 + 1, 15 * 60, &ended) == 0 && !ended);
}

/* ---- very many ---- */

static void number(uint8_t id[JW_DIGEST], uint32_t n)
{
    for (size_t b = 0; b < 4; b++)
        id[b] = (uint8_t)(n >> 8 * b);
}

/* Of processor time, the shortest of a few tries: a plan of `n` modules of one library, and of all that a journal holds of others. */
static double seconds_of_a_plan(uint32_t n, uint32_t records)
{
    struct jw_job *many = jw_arena_alloc(&arena, n * sizeof *many);
    double shortest = 1e9;

    begin(0, MB);
    for (uint32_t i = 0; i < n; i++) {
        many[i] = module(i, MB + i, "lib.so");
        many[i].name = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        number(many[i].id, i);
        number(many[i].module.text, i);
    }
    for (uint32_t i = 0; i < records; i++) {
        struct jw_warm_module m = {
            .build = BUILD, .sm = 86, .name = i * UINT64_C(0x9e3779b97f4a7c15), .ban = "", .compiler = ""
        };

        number(m.id, i + n / 2);
        remember(&m, 1);
    }
    in.found = many;
    in.n_found = n;
    for (int i = 0; i < 5; i++) {
        clock_t before = clock();
        struct plan p = make();
        double took = (double)(clock() - before) / CLOCKS_PER_SEC;

        CHECK_NUM(p.n_jobs, n);
        shortest = took < shortest ? took : shortest;
    }
    return shortest;
}

/* Ten times as many take ten times as long; looking through a list for each takes two hundred times. */
TEST(very_many_modules_take_as_long_as_they_are_many)
{
    double few = seconds_of_a_plan(1000, 6553), many = seconds_of_a_plan(10000, 65536);

    few = few < 0.002 ? 0.002 : few; /* a clock of some systems has ticks of a millisecond */
    CHECK(many < 80 * few);
    if (many >= 80 * few)
        (void)fprintf(stderr, "1,000 modules take %.4f s, 10,000 take %.4f s\n", few, many);
}
