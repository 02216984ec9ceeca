#include "check.h"

#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/probe_rig.h"
#include "rigs/variables.h"
#include "rigs/warm.h"
#include "session/session.h"

#include <string.h>

static struct jw_session begin(void)
{
    rig_begin();
    return rig_session();
}

TEST_ARENA(what_is_set_is_not_asked)
{
    const struct jw_config config = { .jobs_count = 3 };
    const struct jw_whoami user = { .user = "ada" };
    const struct jw_host_gpus gpus = { .n = 0, .driver = "580.126.09" };
    const struct jw_cachedir dir = { .folder = "/nowhere/at/all" };
    const struct jw_driver_states drivers = { .n = 0 };
    const struct jw_login_env login = { .known = true, .shell = "/bin/made" };
    const struct jw_probe_report probe = { .n_devices = 7 };
    struct jw_session s = { .a = a,
                            .config = &config,
                            .user = &user,
                            .gpus = &gpus,
                            .dir = &dir,
                            .drivers = &drivers,
                            .login = &login,
                            .probe = &probe };
    const struct jw_login_env *l;
    const struct jw_probe_report *p;
    struct jw_err err = { 0 };

    CHECK(jw_session_config(&s) == &config && jw_session_user(&s) == &user && jw_session_gpus(&s) == &gpus);
    CHECK(jw_session_cache(&s) == &dir && jw_session_drivers(&s) == &drivers);
    CHECK(jw_session_login(&s, &l, &err) && l == &login);
    CHECK(jw_session_driver(&s, &p, &err) && p == &probe);
    CHECK(a->used == 0); /* the system gave nothing */
}

TEST_ARENA(a_driver_that_cannot_be_started_is_the_one_that_is_here)
{
    struct jw_driver_state met[2] = { { .version = "580.126.09" }, { .version = "550.163.01" } };
    const struct jw_driver_states two = { .v = met, .n = 2 }, none = { .n = 0 };
    const struct jw_driver_file older = { .found = true, .known = &met[1] }, unknown = { .found = true };
    struct jw_session s = { .a = a, .drivers = &two, .file = &older };

    CHECK(jw_session_known_driver(&s) == &met[1]);
    s.file = &unknown;
    CHECK(jw_session_known_driver(&s) == &met[0]); /* the one that was met last */
    s.drivers = &none;
    CHECK(!jw_session_known_driver(&s));
}

TEST_ARENA(a_question_is_asked_once)
{
    struct jw_session s = { .a = a };
    const struct jw_cachedir *dir;
    const struct jw_config *config;

    set_variable("XDG_CONFIG_HOME", tree_dir(a, "once"));
    (void)tree_file(a, "once/jitwarm/jitwarm.conf", "jobs = 3\n");
    set_variable("CUDA_CACHE_PATH", tree_path(a, "first"));
    dir = jw_session_cache(&s);
    CHECK_TEXT(dir->folder, tree_path(a, "first"));
    config = jw_session_config(&s);

    set_variable("CUDA_CACHE_PATH", tree_path(a, "second"));
    (void)tree_file(a, "once/jitwarm/jitwarm.conf", "jobs = 5\n");
    CHECK(jw_session_cache(&s) == dir && jw_session_config(&s) == config);
    if (!jw_os_is_windows())
        CHECK_NUM(config->jobs_count, 3);

    struct jw_session next = { .a = a, .cache = tree_path(a, "named") };

    CHECK_TEXT(jw_session_cache(&next)->folder, tree_path(a, "named"));
    if (!jw_os_is_windows())
        CHECK_NUM(jw_session_config(&next)->jobs_count, 5);
    set_variable("CUDA_CACHE_PATH", NULL);
    set_variable("XDG_CONFIG_HOME", NULL);
}

static bool is_root(const struct jw_discovery *d, const char *path)
{
    for (size_t i = 0; i < d->n_roots; i++)
        if (strcmp(d->roots[i].path, path) == 0)
            return true;
    return false;
}

TEST_ARENA(what_is_excluded_is_excluded_everywhere)
{
    static const char *const now[] = { "of-this-run" };
    struct jw_session s = { .a = a, .exclude = now, .n_exclude = 1 };
    const char *one = tree_dir(a, "software/one"), *two = tree_dir(a, "software/two"),
               *home = jw_env(a, "HOME");
    struct jw_discovery *software;
    size_t n = 0;

    set_variable("XDG_CONFIG_HOME", tree_dir(a, "excludes"));
    set_variable("JITWARM_STATE", tree_dir(a, "excludes-state"));
    set_variable("JITWARM_SYSROOT", tree_dir(a, "excludes-machine"));
    set_variable("HOME", tree_dir(a, "excludes-home"));
    (void)tree_file(a, "excludes/jitwarm/jitwarm.conf",
                    jw_arena_printf(a, "roots = %s\nroots = %s\nexclude = two\n", one, two));
    if (!jw_os_is_windows()) {
        const char *const *all = jw_session_excludes(&s, &n);

        CHECK_NUM(n, 2);
        CHECK_TEXT(all[0], "of-this-run");
        CHECK_TEXT(all[1], "two");
        software = jw_session_software(&s, false);
        CHECK(is_root(software, one));
        CHECK(jw_session_software(&s, false) == software); /* once */
        jw_session_changed(&s);
        CHECK(jw_session_software(&s, false) != software);
    }
    set_variable("XDG_CONFIG_HOME", NULL);
    set_variable("JITWARM_STATE", NULL);
    set_variable("JITWARM_SYSROOT", NULL);
    set_variable("HOME", home);
}

TEST_ARENA(another_cache_is_named)
{
    struct jw_session s = { .a = a, .cache = tree_path(a, "one") };
    const struct jw_config *config = jw_session_config(&s);

    CHECK_TEXT(jw_session_cache(&s)->folder, tree_path(a, "one"));

    CHECK_TEXT(jw_session_cache_of(&s, tree_path(a, "two"))->folder, tree_path(a, "two"));
    CHECK(jw_session_cache_of(&s, tree_path(a, "one")) == jw_session_cache(&s)); /* once each */

    struct jw_arena own = { 0 };
    struct jw_session apart = jw_session_copy(&s, &own);

    CHECK(jw_session_config(&apart) == config && own.used == 0); /* the machine is the same */
    CHECK_NUM(jw_session_memory(&apart, tree_path(a, "one"))->modules.n, 0);
    CHECK(own.blocks != NULL && !s.memories);
    jw_arena_free(&own);

    set_variable("CUDA_CACHE_PATH", tree_path(a, "usual"));
    s.cache = NULL;
    CHECK_TEXT(jw_session_cache(&s)->folder, tree_path(a, "usual"));
    set_variable("CUDA_CACHE_PATH", NULL);
}

TEST_ARENA(each_cache_has_a_memory_of_its_own)
{
    struct jw_session s = { .a = a };
    struct cache one = cache_make(a, "memory-one"), other = cache_make(a, "memory-other");
    const struct jw_warm_state *before, *after;
    struct jw_warm_log *log;

    set_variable("JITWARM_STATE", tree_path(a, "memory-state"));
    before = jw_session_memory(&s, one.folder);
    CHECK_NUM(before->modules.n, 0);
    CHECK(jw_session_memory(&s, other.folder) != before);

    log = warm_open(one.folder);
    warm_add_module(log, 1, 100);
    jw_warm_close(log);
    CHECK(jw_session_memory(&s, one.folder) == before && before->modules.n == 0);
    jw_session_changed(&s);
    after = jw_session_memory(&s, one.folder);
    CHECK(after != before && after->modules.n == 1 && before->modules.n == 0);
    CHECK_NUM(jw_session_memory(&s, other.folder)->modules.n, 0);
    set_variable("JITWARM_STATE", NULL);
}

static void add_job(struct jw_session *s, const char *cache, uint8_t id)
{
    struct jw_warm_log *log = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    CHECK(jw_session_lock(s, cache, &log, &holder, &err) && log);
    if (log)
        warm_add_module(log, id, 100);
    jw_warm_close(log);
}

TEST_ARENA(a_memory_is_read_again_only_where_it_changed)
{
    struct jw_session s = { .a = a }, beside = { .a = a };
    struct cache c = cache_make(a, "memory-now");
    const struct jw_warm_state *first, *second;

    set_variable("JITWARM_STATE", tree_path(a, "memory-now-state"));
    CHECK_NUM(jw_session_memory(&s, c.folder)->modules.n, 0); /* there is no file yet */
    add_job(&s, c.folder, 1);
    first = jw_session_memory_now(&s, c.folder);
    CHECK_NUM(first->modules.n, 1);
    CHECK(jw_session_memory_now(&s, c.folder) == first && jw_session_memory(&s, c.folder) == first);

    /* What another one records before the lock is taken is neither lost nor missed. */
    add_job(&beside, c.folder, 2);
    add_job(&s, c.folder, 3);
    CHECK(jw_session_memory(&s, c.folder) == first && first->modules.n == 1);
    second = jw_session_memory_now(&s, c.folder);
    CHECK(second != first && second->modules.n == 3);

    /* With the lock and without a change: the same answer. */
    struct jw_warm_log *log = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    CHECK(jw_session_lock(&s, c.folder, &log, &holder, &err) && log);
    CHECK(jw_session_memory_now(&s, c.folder) == second);
    jw_warm_close(log);
    CHECK(jw_session_memory_now(&s, c.folder) == second);
    set_variable("JITWARM_STATE", NULL);
}

TEST(the_driver_is_started_once)
{
    struct jw_session s = begin();
    const struct jw_probe_report *first, *again;
    struct jw_err err = { 0 };

    CHECK_NUM(jw_session_drivers(&s)->n, 0);
    CHECK(jw_session_driver(&s, &first, &err) && first->proven_now && first->n_devices);
    CHECK(jw_session_driver(&s, &again, &err) && again == first);
    CHECK_NUM(jw_session_drivers(&s)->n, 1); /* it was met now */

    /* What is asked more of it is asked of it, and then known. */
    CHECK(jw_session_driver_for(&s, 80, NULL, NULL, &again, &err) && again != first);
    CHECK(again->state.compiles_absent || again->why_no_absent);
    first = again;
    CHECK(jw_session_driver_for(&s, 80, NULL, NULL, &again, &err) && again == first);
    CHECK(jw_session_driver(&s, &again, &err) && again == first);
    rig_check_clean();
}

TEST(a_driver_that_is_not_there_is_an_answer)
{
    struct jw_session s = begin();
    const struct jw_probe_report *first, *again;
    struct jw_err err = { 0 };

    s.driver = rig_path("no-such-library.so");
    CHECK(jw_session_driver(&s, &first, &err) && jw_probe_why_no_driver(first));
    CHECK(jw_session_driver_for(&s, 80, NULL, NULL, &again, &err) && again == first);
}

TEST(a_failure_is_kept)
{
    struct jw_session s = begin();
    const struct jw_probe_report *p;
    const char *exe = s.exe;
    struct jw_err first = { 0 }, again = { 0 };

    s.exe = rig_path("no-such-program");
    CHECK(!jw_session_driver(&s, &p, &first) && !p && first.code && first.msg[0]);
    s.exe = exe;
    CHECK(!jw_session_driver(&s, &p, &again) && !p && again.code == first.code);
    CHECK_TEXT(again.msg, first.msg);
}
