/* Which entries of another driver build may be carried over: asked of a made cache, and of records
 * of builds. No driver is asked. */
#include "prime/carry.h"

#include "cache/change/restamp.h"

#include "check.h"
#include "os/files/file.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#define STAMP "Sep  4 202510:00:00"
#define OLD "Oct 25 202410:00:00"
#define OLDER "Jun  1 202410:00:00"

enum { MODULES = 4 };

static struct jw_arena arena;
static struct jw_gpu gpu = {.sm = 86, .name = "NVIDIA GeForce RTX 3070"};
static struct jw_driver_state builds[3]; /* the one that is here, and two of before */
static struct jw_drivers met = {builds, 3};
static struct jw_driver_file driver = {.known = &builds[0]};
static struct jw_compiler_file compiler;
static struct jw_config config;
static struct jw_discovery software;
static struct jw_facts facts;

struct world {
    struct jw_session session;
    struct jw_run *run;
    struct jw_look look;
    const char *cache, *folder;
};

static struct jw_driver_state build_of(const char *build, const char *stamp, const char *version)
{
    return (struct jw_driver_state){.build = build,
                                    .compiler = "gnu:cc",
                                    .code = "c0de",
                                    .probe_payload = "sm_86 aa",
                                    .stamp = stamp,
                                    .version = version,
                                    .level = JW_LEVEL_PLACEABLE};
}

/* Number `n`; all texts are equally long. */
static void ptx(struct jw_buf *out, unsigned n)
{
    jw_buf_printf(
        out, ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k%u() { ret; }\n", n);
}

static void forget_builds(void)
{
    builds[0] = build_of("gnu:aa", STAMP, "535.274.02");
    builds[1] = build_of("gnu:bb", OLD, "535.216.03");
    builds[2] = build_of("gnu:cc", OLDER, "535.183.01");
    builds[2].code = "another";
    compiler = (struct jw_compiler_file){.id = "gnu:cc"};
    config = (struct jw_config){0};
    facts = (struct jw_facts){.host = {.gpus = &gpu, .n = 1, .driver = "535.274.02"},
                              .driver.n_gpus = 1,
                              .scope = {.build = "gnu:aa",
                                        .stamp = STAMP,
                                        .version = "535.274.02",
                                        .compiler = "gnu:cc",
                                        .level = JW_LEVEL_PLACEABLE}};
}

/* Texts of PTX in a folder, and an empty cache. */
static void begin(struct world *w)
{
    static unsigned worlds;

    forget_builds();
    scratch_empty("state");
    set_variable("JITWARM_STATE", tree_path(&arena, "state"));
    *w = (struct world){.session = {.a = &arena,
                                    .driver_file = &driver,
                                    .drivers = &met,
                                    .compiler = &compiler,
                                    .config = &config,
                                    .software = &software,
                                    .facts = &facts},
                        .cache = jw_arena_printf(&arena, "cache%u", ++worlds),
                        .folder = tree_path(&arena, "app")};
    set_variable("CUDA_CACHE_PATH", tree_path(&arena, w->cache));
    set_variable("CUDA_VISIBLE_DEVICES", NULL);
    for (unsigned n = 0; n < MODULES; n++) {
        FREED(jw_buf) text = JW_BUF(1000);

        ptx(&text, n);
        (void)tree_bytes(&arena, jw_arena_printf(&arena, "app/%u.ptx", n), text.p, text.n);
    }
    const struct jw_run run = {.session = &w->session, .a = &arena};

    w->run = jw_arena_copy(&arena, &run, sizeof run);
}

static void end(struct world *w) { jw_look_free(&w->look); }

static uint64_t add(struct cache *c, const char *stamp, const char *arch, unsigned n,
                    const char *options)
{
    FREED(jw_buf) key = JW_BUF(4000);
    FREED(jw_buf) text = JW_BUF(1000);

    ptx(&text, n);
    jw_cache_key_make(&key, stamp, arch, jw_buf_bytes(&text), 1, options);
    return cache_add_key(c, jw_buf_bytes(&key), 500);
}

/* The entries that a build made of the first modules. */
static void fill(const struct world *w, const char *stamp, unsigned n)
{
    struct cache c = cache_make(&arena, w->cache);

    for (unsigned i = 0; i < n; i++)
        (void)add(&c, stamp, "sm_86", i, NULL);
    cache_done(&c);
}

/* How many modules prime would carry over. */
static uint64_t carried(struct world *w, bool retry)
{
    struct jw_err err = {0};
    struct jw_want want = {.paths = {&w->folder, 1}, .retry = retry};

    jw_look_free(&w->look);
    w->session.cache_env = NULL;
    CHECK_OK(jw_scope_find(w->run, &want, &jw_to_look, &w->look, &err) && !w->run->ended
                 && jw_look(w->run, &w->look, &err),
             err);
    return jw_answer_count(&w->look, jw_job_has_old);
}

static bool reads(const struct world *w, const struct jw_job *j)
{
    FREED(jw_buf) bytes = JW_BUF(10000);
    const struct restamp_entry e = {.old = j->old, .name = j->name};

    return restamp_read(w->look.scope.cache, &e, STAMP, &bytes);
}

TEST_WITH(entries_of_the_same_compiler_are_carried_over, struct world, w, begin, end)
{
    fill(w, OLD, MODULES);
    CHECK_NUM(carried(w, false), MODULES);
    CHECK_TEXT(w->look.seen.carries_from->version, "535.216.03");
    for (size_t i = 0; i < w->look.n_jobs; i++)
        CHECK(reads(w, &w->look.jobs[i]));
}

TEST_WITH(what_is_warm_is_not_carried_over, struct world, w, begin, end)
{
    struct cache c = cache_make(&arena, w->cache);

    for (unsigned i = 0; i < MODULES; i++)
        (void)add(&c, OLD, "sm_86", i, NULL);
    (void)add(&c, STAMP, "sm_86", 0, NULL);
    cache_done(&c);
    CHECK_NUM(carried(w, false), MODULES - 1);
}

/* Each of these alone makes prime compile. */
TEST_WITH(a_doubt_about_the_builds_makes_prime_compile, struct world, w, begin, end)
{
    struct jw_conf_item no = {.value = "no"};

    fill(w, OLD, MODULES);
    for (unsigned doubt = 0; doubt < 8; doubt++) {
        forget_builds();
        switch (doubt) {
        case 0: builds[1].code = "c0df"; break;
        case 1: builds[1].code = NULL; break;
        case 2: builds[0].code = NULL; break;
        case 3: builds[1].probe_payload = "sm_86 ab"; break;
        case 4: builds[1].level = JW_LEVEL_PREDICTABLE; break;
        case 5: compiler.id = "gnu:cc, written to later"; break;
        case 6: facts.scope.level = JW_LEVEL_PREDICTABLE; break;
        default: config.carry = (struct jw_conf_list){&no, 1}; break;
        }
        CHECK_NUM(carried(w, false), 0);
    }
    forget_builds();
    CHECK_NUM(carried(w, true), 0); /* --retry */
    CHECK_NUM(carried(w, false), MODULES);
}

/* The build of a pack, and one that was probed on another GPU: the sample decides. */
TEST_WITH(probes_that_cannot_be_compared_are_no_doubt, struct world, w, begin, end)
{
    fill(w, OLD, MODULES);
    builds[1].probe_payload = NULL;
    CHECK_NUM(carried(w, false), MODULES);
    builds[1].probe_payload = "sm_90 ab";
    CHECK_NUM(carried(w, false), MODULES);
}

TEST_WITH(an_entry_of_something_else_is_not_carried_over, struct world, w, begin, end)
{
    struct cache c = cache_make(&arena, w->cache);

    (void)add(&c, OLD, "sm_80", 0, NULL);                      /* another GPU */
    (void)add(&c, OLD, "sm_86", 0, "-g");                      /* other options */
    (void)add(&c, OLD, "sm_86", MODULES, NULL);                /* as long, and another text */
    (void)add(&c, OLD, "sm_86", 1, " --reserve-null-pointer"); /* OpenCL's */
    (void)add(&c, OLD, "sm_86", 2, " -arch=sm_86 -c");         /* nvJitLink's */
    (void)add(&c, OLDER, "sm_86", 3, NULL);                    /* another compiler's */
    cache_done(&c);
    CHECK_NUM(carried(w, false), 0);
}

/* To compare two modules, the driver compiles them. */
TEST_WITH(two_modules_are_compiled, struct world, w, begin, end)
{
    fill(w, OLD, 2);
    CHECK_NUM(carried(w, false), 0);
    fill(w, OLD, 3);
    CHECK_NUM(carried(w, false), 3);
}

/* So the sample is of the build whose entries are carried over. */
TEST_WITH(all_are_of_one_build, struct world, w, begin, end)
{
    struct cache c = cache_make(&arena, w->cache);

    builds[2].code = builds[1].code;
    (void)add(&c, OLD, "sm_86", 0, NULL);
    for (unsigned i = 1; i < MODULES; i++)
        (void)add(&c, OLDER, "sm_86", i, NULL);
    cache_done(&c);
    CHECK_NUM(carried(w, false), MODULES - 1);
    CHECK_TEXT(w->look.seen.carries_from->version, "535.183.01");
}

/* What is known to be refused is no good copy. */
TEST_WITH(an_entry_that_a_fresh_process_refused_stays, struct world, w, begin, end)
{
    struct cache c = cache_make(&arena, w->cache);
    uint64_t name = add(&c, OLD, "sm_86", 0, NULL);
    struct jw_file_info info;

    for (unsigned i = 1; i < MODULES; i++)
        (void)add(&c, OLD, "sm_86", i, NULL);
    cache_done(&c);
    CHECK_NUM(carried(w, false), MODULES);
    CHECK_OK(jw_file_stat(jw_cache_entry_path(w->look.scope.cache, name, &arena), &info, &err),
             err);
    struct jw_sound_entry refused = {name, jw_cache_identity(&info), true};

    jw_sound_save(w->look.memory, &refused, 1);
    CHECK_NUM(carried(w, false), MODULES - 1);
}

/* An entry may change or disappear until it is carried over, and may be damaged. */
TEST_WITH(an_entry_that_changed_is_left_out, struct world, w, begin, end)
{
    struct cache c = cache_make(&arena, w->cache);
    FREED(jw_buf) file = JW_BUF(10000);
    bool found;

    for (unsigned i = 0; i < MODULES; i++)
        (void)add(&c, OLD, "sm_86", i, NULL);
    cache_done(&c);
    CHECK_NUM(carried(w, false), MODULES);
    const struct jw_job *j = &w->look.jobs[0];
    const char *path = jw_cache_entry_path(w->look.scope.cache, j->old->name, &arena);

    CHECK(jw_file_slurp(path, &file, &found, &err) && found);
    for (size_t at = 0; at < file.n; at += 7) {
        bool counts = at < JW_CACHE_HEADER || at >= JW_CACHE_HEADER + JW_CACHE_STAMP;

        file.p[at] ^= 1;
        cache_put(&c, jw_cache_name(j->old->name).text, file.p, file.n);
        CHECK(reads(w, j) == !counts);
        file.p[at] ^= 1;
    }
    cache_put(&c, jw_cache_name(j->old->name).text, file.p, file.n);
    CHECK(reads(w, j));
    cache_put(&c, jw_cache_name(j->old->name).text, "short", 5);
    CHECK(!reads(w, j));
    cache_remove(&c, j->old->name);
    CHECK(!reads(w, j));
}

MAIN(argc, argv)
{
    scratch_begin();
    int code = RUN(argc, argv);

    jw_arena_free(&arena);
    return code;
}
