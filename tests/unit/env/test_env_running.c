/* A /proc of the test's own, with processes of this user in it. */
#include "check.h"
#include "env/env_running.h"
#include "machine/procs.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <stdio.h>
#include <string.h>

static void process(struct jw_arena *a, unsigned long pid, const char *comm, const char *cgroup,
                    const char *maps, const char *environ, size_t n, unsigned uid)
{
    char name[64], text[256];

    (void)snprintf(name, sizeof name, "proc/%lu/status", pid);
    (void)snprintf(text, sizeof text, "Name:\t%s\nUid:\t%u\t%u\t%u\t%u\n", comm, uid, uid, uid, uid);
    (void)tree_file(a, name, text);
    (void)snprintf(name, sizeof name, "proc/%lu/comm", pid);
    (void)snprintf(text, sizeof text, "%s\n", comm);
    (void)tree_file(a, name, text);
    (void)snprintf(name, sizeof name, "proc/%lu/cgroup", pid);
    (void)tree_file(a, name, cgroup);
    (void)snprintf(name, sizeof name, "proc/%lu/maps", pid);
    (void)tree_file(a, name, maps);
    (void)snprintf(name, sizeof name, "proc/%lu/environ", pid);
    (void)tree_bytes(a, name, environ, n);
}

#define OLD "A=1\0CUDA_CACHE_MAXSIZE=1\0B=2"
#define NEW "CUDA_CACHE_MAXSIZE=2\0"
#define SESSION "0::/user.slice/user-1000.slice/session-3.scope\n"

TEST(who_runs_with_other_values_is_named)
{
    static const struct jw_env_setting wanted[] = { { "CUDA_CACHE_MAXSIZE", "2", NULL } };
    struct jw_arena a = { 0 };
    struct jw_env_runnings out;

    if (jw_os_is_windows())
        SKIP("Windows does not show it");
    process(&a, jw_process_id(), "self", SESSION, "", NEW, sizeof NEW, 4711);
    process(&a, 10, "bash", SESSION, "", OLD, sizeof OLD, 4711);
    process(&a, 11, "zsh", SESSION, "", NEW, sizeof NEW, 4711);
    process(&a, 12, "python3", SESSION, "7f00-7f01 r-xp 0 0:0 1 /usr/lib/libcuda.so.580.1\n", "A=1", 4, 4711);
    process(&a, 13, "ollama", "0::/system.slice/ollama.service\n", "", OLD, sizeof OLD, 4711);
    process(&a, 14, "ollama", "0::/system.slice/ollama.service\n", "", OLD, sizeof OLD, 4711);
    process(&a, 15, "vim", SESSION, "", OLD, sizeof OLD, 4711);
    process(&a, 16, "bash", SESSION, "", OLD, sizeof OLD, 4712); /* somebody else's */
    (void)tree_dir(&a, "proc/17");
    (void)tree_dir(&a, "proc/sys");
    jw_env_running(tree_path(&a, "proc"), wanted, 1, false, &a, &out);
    CHECK_NUM(out.n, 3);
    CHECK_TEXT(out.n > 0 ? out.v[0].name : "", "ollama.service");
    CHECK_TEXT(out.n > 1 ? out.v[1].name : "", "python3");
    CHECK(out.n > 1 && out.v[1].kind == JW_ENV_RUN_CUDA && !out.v[1].value);
    CHECK_TEXT(out.n > 2 ? out.v[2].name : "", "bash");
    CHECK(out.n > 2 && out.v[2].kind == JW_ENV_RUN_SHELL && out.v[2].pid == 10);
    CHECK_TEXT(out.n > 2 ? out.v[2].value : "", "1");
    jw_env_running(tree_path(&a, "proc"), wanted, 1, true, &a, &out);
    CHECK_NUM(out.n, 4);
    jw_env_running(tree_path(&a, "nowhere"), wanted, 1, false, &a, &out);
    CHECK_NUM(out.n, 0);
    jw_arena_free(&a);
}

TEST(a_variable_in_a_block)
{
    struct jw_bytes block = JW_BYTES("A=1\0AB=2\0B=\0=x\0\0C=a=b");
    size_t n;
    const char *v;

    v = jw_env_block_value(block, "A", &n);
    CHECK(v && n == 1 && *v == '1');
    v = jw_env_block_value(block, "B", &n);
    CHECK(v && n == 0);
    v = jw_env_block_value(block, "C", &n);
    CHECK(v && n == 3 && memcmp(v, "a=b", 3) == 0);
    CHECK(!jw_env_block_value(block, "D", &n));
    CHECK(!jw_env_block_value((struct jw_bytes){ NULL, 0 }, "A", &n));
}

static void service_is(const char *cgroup, const char *want)
{
    struct jw_arena a = { 0 };
    const char *name = jw_cgroup_service(cgroup, &a);

    CHECK_TEXT(name ? name : "none", want);
    jw_arena_free(&a);
}

TEST(a_service_of_a_cgroup)
{
    service_is("0::/system.slice/ollama.service\n", "ollama.service");
    service_is("0::/user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service\n",
               "jupyter.service");
    service_is("0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", "none");
    service_is("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-foot.scope\n", "none");
    service_is("12:cpu:/system.slice/x.service\n0::/\n", "x.service");
    service_is("0::/user.slice/user-1000.slice/session-2.scope\n", "none");
    service_is("", "none");
    service_is("0::/\n", "none");
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(who_runs_with_other_values_is_named), T(a_variable_in_a_block),
               T(a_service_of_a_cgroup));
}
