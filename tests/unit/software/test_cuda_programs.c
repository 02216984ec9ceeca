#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "software/find/cuda_programs.h"

#include <stdlib.h>

#define MAPS                                                                                                 \
    "55d0-55d1 r--p 00000000 08:01 77 /usr/bin/python3.11\n"                                                 \
    "7f00-7f01 r-xp 00000000 08:01 131 /usr/lib/x86_64-linux-gnu/libcuda.so.580.126.09\n"                    \
    "7ffe-7fff rw-p 00000000 00:00 0 [stack]\n"

TEST_ARENA(mappings)
{
    CHECK_TEXT(jw_maps_driver(MAPS, a), "/usr/lib/x86_64-linux-gnu/libcuda.so.580.126.09");
    CHECK(jw_maps_driver("7f00-7f01 r-xp 00000000 08:01 131 /usr/lib/libcudart.so.12\n", a) == NULL);
    CHECK(jw_maps_driver("7f00-7f01 r-xp 0 08:01 1 /home/libcuda.so/x\n", a) == NULL);
    CHECK(jw_maps_driver("", a) == NULL);
    CHECK_TEXT(jw_maps_driver("7f r-xp 0 08:01 1 /a b/libcuda.so.1", a), "/a b/libcuda.so.1");
}

static void program(const char *pid, const char *maps, const char *name, const char *cgroup)
{
    struct jw_err err = { 0 };
    char path[64];

    (void)snprintf(path, sizeof path, "proc/%s", pid);
    CHECK(jw_make_dirs(scratch(path), &err));
    (void)snprintf(path, sizeof path, "proc/%s/maps", pid);
    scratch_write(scratch(path), maps);
    (void)snprintf(path, sizeof path, "proc/%s/comm", pid);
    scratch_write(scratch(path), name);
    (void)snprintf(path, sizeof path, "proc/%s/cgroup", pid);
    scratch_write(scratch(path), cgroup);
}

/* NULs stand between them. */
static void environment(const char *path, const char *text, size_t n)
{
    struct jw_err err = { 0 };

    CHECK(jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){ (const uint8_t *)text, n }, &err));
}

TEST_ARENA(what_runs)
{
    static const char env[] =
        "PATH=/bin\0CUDA_CACHE_MAXSIZE=268435456\0HOME=/home/anna\0broken\0=x\0CUDA_CACHE_DISABLE=";
    struct jw_cuda_programs p;
    struct jw_err err = { 0 };

    if (jw_os_is_windows())
        SKIP("Windows does not tell");
    program("4711", MAPS, "python3\n", "0::/system.slice/trainer.service\n");
    environment(scratch("proc/4711/environ"), env, sizeof env);
    program("4712", "", "bash\n", "");
    program("4713", MAPS, "jitwarm\n", "");
    CHECK(jw_cuda_programs(scratch("proc"), a, &p, &err));
    CHECK(p.known);
    CHECK_NUM(p.n, 1); /* the shell does not use the GPU, and jitwarm is us */
    if (p.n == 1) {
        CHECK_NUM(p.v[0].pid, 4711);
        CHECK_TEXT(p.v[0].name, "python3");
        CHECK_TEXT(p.v[0].unit, "trainer.service");
        CHECK_NUM(p.v[0].sets.n, 3);
        CHECK_TEXT(jw_env_set_find(&p.v[0].sets, "CUDA_CACHE_MAXSIZE")->value, "268435456");
        CHECK_TEXT(jw_env_set_find(&p.v[0].sets, "CUDA_CACHE_DISABLE")->value, "");
    }
    CHECK(jw_cuda_programs(scratch("no-proc"), a, &p, &err));
    CHECK(!p.known && p.why);
}
