/* A look at made files and a made cache, for a driver build that is remembered: no driver is
 * asked. */
#include "prime/kept.h"
#include "prime/look_work.h"
#include "prime/remember.h"

#include "check.h"
#include "gen/samples.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/sys.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <time.h>
#ifndef _WIN32
#include <utime.h>
#endif

#define STAMP "Apr  8 202512:10:18"
#define OTHER "Jan  7 202622:51:46"

static struct jw_arena arena;
static struct jw_gpu gpu = {.sm = 86, .name = "NVIDIA GeForce RTX 3070"};
static struct jw_driver_state state;
static struct jw_driver_file driver = {.known = &state};
static struct jw_config config;
static struct jw_discovery software;
static struct jw_facts facts = {.host = {.gpus = &gpu, .n = 1, .driver = "550.163.01"},
                                .driver.n_gpus = 1,
                                .scope = {.build = "gnu:aa",
                                          .stamp = STAMP,
                                          .version = "550.163.01",
                                          .compiler = "gnu:cc",
                                          .level = JW_LEVEL_PLACEABLE}};

struct world {
    struct jw_session session;
    struct jw_run *run;
    struct jw_look look;
    const char *cache, *folder;
    bool listed; /* the cache is listed first, as by status */
};

static void ptx(struct jw_buf *out, unsigned n)
{
    jw_buf_printf(
        out, ".version 6.4\n.target sm_50\n.address_size 64\n.visible .entry k%u() { ret; }\n", n);
}

/* Each test has a cache of its own. */
static const char *root = "cache0";

static struct cache empty(void)
{
    static unsigned n;

    root = jw_arena_printf(&arena, "cache%u", ++n);
    return cache_make(&arena, root);
}

/* Three texts of PTX in a folder. */
static void begin(struct world *w)
{
    scratch_empty("state");
    set_variable("JITWARM_STATE", tree_path(&arena, "state"));
    set_variable("CUDA_CACHE_PATH", tree_path(&arena, root));
    set_variable("CUDA_VISIBLE_DEVICES", NULL);
    *w = (struct world){.session = {.a = &arena, .driver_file = &driver, .facts = &facts},
                        .folder = tree_path(&arena, "app")};
    w->session.config = &config;
    w->session.software = &software;
    for (unsigned n = 0; n < 3; n++) {
        FREED(jw_buf) text = JW_BUF(1000);

        ptx(&text, n);
        (void)tree_bytes(&arena, jw_arena_printf(&arena, "app/%u.ptx", n), text.p, text.n);
    }
    const struct jw_run run = {.session = &w->session, .a = &arena};

    w->run = jw_arena_copy(&arena, &run, sizeof run);
}

/* The key that this driver makes of text number `n`. */
static uint64_t add(struct cache *c, const char *stamp, unsigned n)
{
    FREED(jw_buf) key = JW_BUF(4000), text = JW_BUF(1000);

    ptx(&text, n);
    jw_cache_key_make(&key, stamp, "sm_86", jw_buf_bytes(&text), 1, NULL);
    return cache_add_key(c, jw_buf_bytes(&key), 500);
}

static struct jw_answer look(struct world *w, struct jw_want want)
{
    struct jw_err err = {0};

    jw_look_free(&w->look);
    w->session.cache_env = NULL;
    CHECK_OK(jw_scope_find(w->run, &want, &jw_to_look, &w->look, &err) && !w->run->ended
                 && (!w->listed || jw_look_cache_list(w->run, &w->look, &err))
                 && jw_look(w->run, &w->look, &err),
             err);
    return jw_look_answer(&w->look);
}

static struct jw_answer look_at(struct world *w, const char *path)
{
    return look(w, (struct jw_want){.paths = {&path, 1}});
}

TEST(each_module_is_judged_by_its_entry)
{
    struct world w;
    struct cache c = empty();
    uint64_t name[3];
    FREED(jw_buf) text = JW_BUF(1000);

    begin(&w);
    cache_done(&c);
    ptx(&text, 1);
    (void)tree_bytes(&arena, "app/again.ptx", text.p, text.n); /* a module of two files is one */
    CHECK_NUM(look_at(&w, w.folder).is, JW_COLD);
    CHECK_NUM(jw_look_answer(&w.look).modules, 3);
    CHECK_NUM(w.look.scope.sms.v[0], 86);
    c = cache_make(&arena, root);
    for (unsigned i = 0; i < 3; i++)
        (void)add(&c, STAMP, i);
    cache_done(&c);
    CHECK_NUM(look_at(&w, w.folder).is, JW_WARM);

    c = cache_make(&arena, root);
    for (unsigned i = 0; i < 3; i++)
        name[i] = add(&c, STAMP, i);
    FREED(jw_buf) bytes = cache_get(&c, name[1]);

    bytes.p[bytes.n - 1] ^= 1;
    cache_put(&c, jw_cache_name(name[1]).text, bytes.p, bytes.n);
    cache_forget(&c, name[2]);
    cache_done(&c);
    CHECK(look_cache_judge(w.run, &w.look, &(struct jw_err){0})
          && jw_look_answer(&w.look).warm == 2); /* after it was sound */
    CHECK_NUM(look_at(&w, w.folder).is, JW_COLD);
    CHECK_NUM(jw_look_answer(&w.look).warm,
              2); /* whatever the index names. driver-fact: F28-index-needed */
    CHECK_NUM(jw_look_facts(&w.look).found.needed,
              w.look.scope.used); /* its record counts it already */
    jw_look_free(&w.look);
}

#ifndef _WIN32
/* A change of it in the same tick of the clock would not show. */
TEST(an_entry_is_remembered_as_sound_when_it_is_old_enough_until_a_process_refuses_it)
{
    struct world w;
    struct cache c = empty();
    const char *path = tree_path(
        &arena, jw_arena_printf(&arena, "%s/%s", root, jw_cache_name(add(&c, STAMP, 0)).text));
    struct jw_sound sound;

    begin(&w);
    cache_done(&c);
    for (size_t i = 0; i < 2; i++) {
        time_t at = time(NULL) + (i ? -3600 : 3600);

        CHECK(utime(path, &(struct utimbuf){at, at}) == 0);
        jw_time_sleep_ms(50);
        CHECK_NUM(look_at(&w, tree_path(&arena, "app/0.ptx")).is, JW_WARM);
        jw_sound_load(w.look.memory, &arena, &sound);
        CHECK_NUM(sound.n, i);
    }
    look_cache_refuse(
        w.run, &w.look,
        &(struct jw_cache_file){.name = sound.v->name, .identity = sound.v->identity});
    CHECK_NUM(look_at(&w, tree_path(&arena, "app/0.ptx")).is, JW_COLD);
    jw_look_free(&w.look);
}
#endif

static void ban(const struct world *w, const char *build, enum jw_outcome how)
{
    struct jw_ban one = {.sm = 86,
                         .build = build,
                         .compiler = "gnu:cc",
                         .how = how,
                         .why = "signal 11",
                         .stopped_ms = 2000};

    memcpy(one.id, w->look.jobs->id, sizeof one.id);
    (void)!jw_bans_change(w->look.memory, &(struct jw_bans){&one, 1}, JW_IGNORED);
}

TEST(what_this_build_refused_is_skipped_unless_it_is_retried)
{
    struct world w;
    struct cache c = empty();
    const char *path = tree_path(&arena, "app/0.ptx");

    begin(&w);
    cache_done(&c);
    (void)look_at(&w, path);
    ban(&w, "gnu:bb", JW_JOB_CRASHED);
    CHECK_NUM(look_at(&w, path).refused, 0);
    ban(&w, "gnu:aa", JW_JOB_TODO); /* a time limit stopped it; now its process is killed */
    (void)look_at(&w, path);
    w.look.jobs->ended = JW_JOB_KILLED;
    CHECK(w.look.jobs->stopped > 0 && !jw_look_answer(&w.look).refused
          && jw_look_facts(&w.look).found.unstored);
    ban(&w, "gnu:aa", JW_JOB_CRASHED);
    CHECK_NUM(look_at(&w, path).refused, 1);
    CHECK_NUM(jw_look_facts(&w.look).found.crashed, 1);
    CHECK_TEXT(w.look.jobs->why, "signal 11");
    CHECK_NUM(look(&w, (struct jw_want){.paths = {&path, 1}, .retry = true}).refused, 0);
    jw_look_free(&w.look);
}

/* Of roots: named paths, one that is gone. What only an entry of another build has, nobody asked
 * for. */
TEST(without_paths_the_roots_count)
{
    struct world w;
    struct cache c = empty();

    begin(&w);
    (void)add(&c, STAMP, 0);
    (void)add(&c, OTHER, 0);
    (void)add(&c, OTHER, 7); /* in no file */
    cache_done(&c);
    (void)look_at(&w, w.folder);
    struct jw_roots roots = {0};

    (void)jw_roots_name(&roots, tree_path(&arena, "app/0.ptx"), 1, &arena);
    CHECK_OK(jw_roots_save(w.look.memory, &roots, &err), err);
    for (unsigned again = 0; again < 2; again++) { /* by a listing, too */
        w.listed = again == 1;
        CHECK_NUM(look(&w, (struct jw_want){0}).is, JW_WARM);
        CHECK_NUM(w.look.n_jobs, 1);
    }
    for (unsigned i = 0; i < 70; i++)
        (void)jw_roots_name(&roots, tree_path(&arena, JW_PHRASE("app/gone%u", i)), 2, &arena);
    CHECK(jw_roots_save(w.look.memory, &roots, &err));
    CHECK_NUM(look(&w, (struct jw_want){0}).unread, 70);
    jw_look_free(&w.look);
}

/* Of a recorded command: what is too new for the driver is blocked, in a file or kept. A module
 * that its file holds no more is not what the command would load, though the cache has it. */
TEST(a_recorded_module_that_its_file_lost_is_not_warm)
{
    static const struct jw_want recorded = {0};
    struct world w;
    struct cache c = empty();
    struct jw_roots roots = {0};
    struct jw_root_module modules[2] = {{.file = tree_path(&arena, "app/0.ptx")}};
    const char *const words[] = {tree_path(&arena, "app/gone"), NULL};
    struct jw_root command = {JW_ROOT_COMMAND, tree_path(&arena, "app"), words, 1, modules, 2, 0};
    uint64_t room = JW_MAX_KEPT;

    begin(&w);
    const char *entry = tree_path(
        &arena, jw_arena_printf(&arena, "%s/%s", root, jw_cache_name(add(&c, STAMP, 0)).text));

    cache_done(&c);
    (void)look_at(&w, modules[0].file);
    memcpy(modules[0].digest, w.look.jobs->text, JW_DIGEST);
    memcpy(modules[1].id, w.look.jobs->id, JW_DIGEST);
    jw_roots_record(&roots, &command, &arena);
    CHECK_OK(jw_roots_save(w.look.memory, &roots, &err), err);
    CHECK_OK(jw_kept_put(w.look.memory, entry, w.look.jobs->key_size, modules[1].id, &room, &err),
             err);
    CHECK_NUM(look(&w, recorded).is, JW_WARM);
    CHECK_NUM(jw_look_answer(&w.look).modules, 1);
    facts.scope.version = "390.157";
    CHECK_NUM(look(&w, recorded).blocked, 2);
    CHECK(jw_look_answer(&w.look).needs == 418 && !jw_look_answer(&w.look).sourceless
          && !jw_look_facts(&w.look).found.lost && !jw_look_facts(&w.look).met.lost_code);
    facts.scope.version = "550.163.01";
    for (unsigned gone = 0; gone < 3;
         gone++) { /* with machine code for this GPU, replaced, removed */
        FREED(jw_buf) code = GEN_BUF;

        if (gone)
            ptx(&code, 5);
        else
            gen_fat(&code, "P50 E86");
        (void)tree_bytes(&arena, "app/0.ptx", code.p, code.n);
        if (gone == 2)
            jw_sys_remove(modules[0].file);
        CHECK_NUM(look(&w, recorded).is, gone ? JW_INCOMPLETE : JW_WARM);
        CHECK_NUM(jw_look_answer(&w.look).found, gone ? 1 : 2);
        CHECK(jw_look_answer(&w.look).sourceless == (gone > 0)
              && jw_look_answer(&w.look).changed == (gone == 1));
        CHECK_TEXT(gone ? jw_look_answer(&w.look).first : "", gone ? modules[0].file : "");
    }
    (void)jw_roots_name(&roots, modules[0].file, 1, &arena);
    command =
        (struct jw_root){JW_ROOT_COMMAND, NULL, words, 1, modules + 1, 1, 0}; /* of any folder */
    jw_roots_record(&roots, &command, &arena);
    CHECK_OK(jw_roots_save(w.look.memory, &roots, &err), err);
    (void)look(&w, (struct jw_want){.by_root = true});
    CHECK(w.look.of_roots[0].sourceless == 1 && w.look.of_roots[1].unread == 1
          && w.look.of_roots[2].found == 1 && !w.look.of_roots[2].sourceless);
    CHECK_TEXT(jw_look_facts(&w.look).found.lost[0][0], modules[0].file);
    CHECK_TEXT(jw_look_facts(&w.look).found.lost[1][1], words[0]); /* behind --run */
    CHECK(!jw_look_facts(&w.look).found.lost[2]);
    jw_look_free(&w.look);
}

/* The line that status prints for the one that is gone may be pasted in the folder of the other. */
TEST(of_commands_with_the_same_words_the_one_that_is_gone_is_forgotten_first)
{
    const char *words[] = {"python", "serve.py", NULL};
    const struct jw_root of = {JW_ROOT_COMMAND, tree_path(&arena, "app"), words, 2, NULL, 0, 1};
    struct jw_root v[] = {of, of, of};
    struct jw_forgotten done;
    struct world w;

    begin(&w);
    v[0].path = tree_path(&arena, "away");
    CHECK(
        jw_real_path(".", &arena, &v[2].path, &err)
        && jw_roots_save(jw_session_memory(&w.session), &(struct jw_roots){.v = v, .n = 3}, &err));
    for (size_t i = 0; i <= 4;
         i += 2) { /* the one that is gone, that of this folder, and no other */
        CHECK_OK(
            jw_forget(w.run, (struct jw_texts){0}, (struct jw_texts){words, 2}, false, &done, &err),
            err);
        CHECK(i < 4 ? done.gone.n == 1 && strcmp(done.gone.v->path, v[i].path) == 0
                    : done.missing.n && done.left.n == 1);
    }
}

/* Root is told to let the user call what root typed. */
TEST(a_remedy_repeats_the_verb_that_was_typed)
{
    static const char *const typed[] = {"a.tar.zst", "lib", NULL};
    const char *path = "lib";
    const struct jw_want want = {.paths = {&path, 1}, .verb = "import", .typed = typed};
    struct world w;

    begin(&w);
    const struct jw_facts f = jw_scope_facts(&w.session, &want, &arena);

    CHECK_TEXT(f.asked.verb, "import");
    CHECK_TEXT(f.asked.typed[0], "a.tar.zst");
    CHECK_TEXT(f.asked.words[0], "lib");
}
