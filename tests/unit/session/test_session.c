#include "check.h"

#include "rigs/probe_rig.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

static struct jw_session begin(void)
{
    rig_begin();
    return rig_session();
}

TEST_ARENA(a_question_is_asked_once)
{
    struct jw_session s = {.a = a};
    const struct jw_cache_env *env;

    set_variable("CUDA_CACHE_PATH", tree_path(a, "first"));
    env = jw_session_cache(&s);
    CHECK_TEXT(env->folder, tree_path(a, "first"));
    set_variable("CUDA_CACHE_PATH", tree_path(a, "second"));
    CHECK(jw_session_cache(&s) == env);
    set_variable("CUDA_CACHE_PATH", NULL);
}

TEST_ARENA(where_nothing_can_be_remembered_it_says_why)
{
    struct jw_cache_env none = {.why_none = "there is no cache"};
    struct jw_session s = {.a = a, .cache = tree_path(a, "one")},
                      without = {.a = a, .cache_env = &none};

    set_variable("JITWARM_STATE", "relative");
    CHECK_HAS(jw_session_memory(&s)->unusable, "JITWARM_STATE=relative is not an absolute path");
    CHECK_TEXT(jw_session_memory(&without)->unusable, "there is no cache");
    set_variable("JITWARM_STATE", NULL);
}

TEST_ARENA(what_is_excluded_is_excluded_everywhere)
{
    const char *now[] = {"of-this-run"};
    const struct jw_conf_item lasting[] = {{.value = "two"}};
    struct jw_config config = {.exclude = {.v = (struct jw_conf_item *)lasting, .n = 1}};
    struct jw_session s = {.a = a, .exclude = {now, 1}, .config = &config};
    struct jw_scan_options scan = jw_session_scan(&s);

    CHECK_NUM(scan.exclude.n, 2);
    CHECK_TEXT(scan.exclude.v[0], "of-this-run");
    CHECK_TEXT(scan.exclude.v[1], "two");
}

TEST(the_driver_is_asked_once_and_met)
{
    struct jw_session s = begin();
    const struct jw_probe_report *first = NULL, *second = NULL;

    CHECK_NUM(jw_session_drivers(&s)->n, 0);
    CHECK(jw_session_facts(&s)->driver.is == JW_DRIVER_UNASKED);
    CHECK_OK(jw_session_probe(&s, &first, &err), err);
    CHECK_OK(jw_session_probe(&s, &second, &err), err);
    CHECK(first && first == second && first->n_devices > 0);
    CHECK_NUM(jw_session_drivers(&s)->n, 1);
    CHECK(jw_session_compiler(&s) == &first->compiler);
    const struct jw_facts *met = jw_session_facts(&s);

    CHECK(met->driver.is == JW_DRIVER_STARTS);
    CHECK_OK(jw_session_probe_for(&s, 80, NULL, NULL, &second, &err), err);
    CHECK(second != first && jw_session_facts(&s) != met); /* each probe is in the facts */
}

TEST(a_failure_is_repeated)
{
    struct jw_session s = begin();
    const struct jw_probe_report *p = NULL;
    struct jw_err again = {0};

    s.exe = "/no/such/jitwarm";
    CHECK_REFUSED(jw_session_probe(&s, &p, &err), err, "/no/such/jitwarm");
    s.exe = rig_session().exe;
    CHECK(!jw_session_probe(&s, &p, &again) && !p);
    CHECK_TEXT(again.msg, err.msg);
}
