/* The fault script: each fault costs the process that it strikes, or the module, and shows in its own way. */
#include "rig.h"

#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdlib.h>

static const char *one, *two;

static void begin(const char *script)
{
    rig_begin();
    rig_set("SIMCUDA_FAULTS", script);
    one = rig_ptx("1.ptx", "7.0", "sm_75", 1, 5000);
    two = rig_ptx("2.ptx", "7.0", "sm_75", 2, 5000);
}

/* Loads both in one process. */
static const char *load_both(void)
{
    static char first[4200], second[4200];

    (void)snprintf(first, sizeof first, "load %s", one);
    (void)snprintf(second, sizeof second, "load %s", two);
    return rig_play("init", "ctx 0", first, second, NULL);
}

static bool is_there(const char *ptx)
{
    return scratch_there(rig_entry(rig_name(ptx, "sm_86", 1, "")));
}

static size_t loads(const char *said)
{
    size_t n = 0;

    for (const char *at = strstr(said, "load 0"); at; at = strstr(at + 1, "load 0"))
        n++;
    return n;
}

TEST(crash_at_the_second)
{
    begin("crash@2");
    CHECK_NUM(loads(load_both()), 1);
    CHECK(rig_ended[0] || rig_code != 0);
    if (!jw_os_is_windows())
        CHECK_HAS(rig_ended, "11");
    CHECK(is_there(one) && !is_there(two));
    CHECK_NUM(loads(load_both()), 2); /* the first is warm, and the second the first to be compiled */
}

TEST(kill_and_exit)
{
    begin("kill@1");
    CHECK_NUM(loads(load_both()), 0);
    CHECK(rig_ended[0] || rig_code != 0);
    begin("exit@1");
    CHECK_NUM(loads(load_both()), 0);
    CHECK_NUM(rig_code, 3);
}

TEST(hang_and_spin)
{
    begin("hang@1");
    rig_timeout = 500;
    CHECK_NUM(loads(load_both()), 0);
    CHECK(rig_ended[0] != '\0');
    begin("spin@2");
    rig_timeout = 3000;
    CHECK_NUM(loads(load_both()), 1);
    CHECK(rig_ended[0] != '\0');
}

TEST(oom_and_badptx_cost_the_module)
{
    begin("oom@1 badptx@2");
    CHECK_HAS(load_both(), "load 2\nload 218");
    CHECK_NUM(rig_files(), 0);
    CHECK_NUM(rig_code, 0);
}

TEST(slow_takes_as_long_as_it_says)
{
    begin("slow@1=400ms");
    uint64_t start = jw_time_monotonic_ns();

    CHECK_NUM(loads(load_both()), 2);
    CHECK(jw_time_monotonic_ns() - start >= 400u * 1000000u);
}

TEST(full_disk_leaves_a_torn_orphan)
{
    begin("enospc@1");
    CHECK_NUM(loads(load_both()), 2);
    struct rig_look l = rig_look();

    CHECK(l.files == 2 && l.damaged == 1 && l.orphans == 1 && l.records == 1 && l.index_sound);
    rig_look_free(&l);
}

TEST(a_short_entry_is_recorded_all_the_same)
{
    begin("short@1");
    CHECK_NUM(loads(load_both()), 2);
    struct rig_look l = rig_look();

    CHECK(l.files == 2 && l.damaged == 1 && l.orphans == 0 && l.records == 2);
    rig_look_free(&l);
    rig_set("SIMCUDA_FAULTS", NULL);
    CHECK_NUM(loads(load_both()), 2);
    l = rig_look();
    CHECK_NUM(l.damaged, 0);
    rig_look_free(&l);
}

TEST(by_the_name_of_the_entry)
{
    char script[64];

    begin(NULL);
    (void)snprintf(script, sizeof script, "badptx@%08llx",
                   (unsigned long long)(rig_name(two, "sm_86", 1, "") >> 32));
    rig_set("SIMCUDA_FAULTS", script);
    CHECK_HAS(load_both(), "load 0\nload 218");
}

TEST(each_and_in_init)
{
    begin("badptx@*");
    CHECK_HAS(load_both(), "load 218\nload 218");
    begin("exit@init");
    CHECK_NUM(strlen(load_both()), 0);
    CHECK_NUM(rig_code, 3);
    begin("print@init");
    CHECK_HAS(load_both(), "a driver may print what it likes\ninit 0\n");
}

TEST(numbers_go_on_over_processes_that_share)
{
    struct jw_err err = { 0 };

    begin("badptx@2");
    CHECK(jw_make_dirs(scratch("shared"), &err));
    rig_set("SIMCUDA_SHARED", scratch("shared"));
    rig_set("CUDA_CACHE_DISABLE", "1");
    CHECK_HAS(load_both(), "load 0\nload 218");
    CHECK_HAS(load_both(), "load 0\nload 0");
}

struct pair {
    char load[4200];
    int got[2];
};

static void one_context(void *ctx, unsigned worker)
{
    struct pair *p = ctx;
    const char *argv[] = { PLAY, SIMCUDA, "init", "ctx 0", p->load, NULL };
    struct jw_buf out = JW_BUF(4096);
    struct jw_err err = { 0 };
    int code = -1;

    if (jw_process_capture(PLAY, argv, 60000, &out, &code, &err)) {
        const char *at = strstr(jw_buf_cstr(&out), "ctx ");

        p->got[worker] = at ? atoi(at + 4) : -1;
    }
    jw_buf_free(&out);
}

TEST(an_exclusive_gpu_takes_one_process)
{
    struct pair p = { .got = { -1, -1 } };
    struct jw_err err = { 0 };

    begin(NULL);
    CHECK(jw_make_dirs(scratch("shared"), &err));
    rig_set("SIMCUDA_SHARED", scratch("shared"));
    rig_set("SIMCUDA_GPUS", "sm_86:Own:8G:mode=exclusive");
    rig_set("SIMCUDA_COST", "0+3000");
    (void)snprintf(p.load, sizeof p.load, "load %s", one);
    jw_parallel(2, one_context, &p);
    CHECK_NUM(p.got[0] + p.got[1], 46);
    CHECK_HAS(load_both(), "ctx 0"); /* its holder is gone */
}
