/* Many workers on the simulated driver: the guilty module is named, and no other. */
#include "pool_rig.h"

#include "cache/format/jitcache.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "rigs/faults.h"

static bool seen_busy;

static void look_for_work(struct pool_play *p, const struct jw_pool_state *s)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].busy) {
            CHECK(s->slots[i].job < p->o.n_jobs && s->slots[i].since_ns <= jw_time_monotonic_ns());
            seen_busy = true;
        }
}

TEST(all_jobs_are_done)
{
    struct pool_play *p = pool_play(100);

    seen_busy = false;
    p->on_tick = look_for_work;
    set_variable("SIMCUDA_COST", "0+10");
    pool_run(p);
    pool_all(p, JW_JOB_LOADED);
    CHECK(p->report.why == NULL);
    CHECK_NUM(p->started, 4);
    CHECK_NUM(p->peak, 4);
    CHECK(p->ticks > 0 && seen_busy);
}

TEST(no_jobs_are_no_work)
{
    struct pool_play *p = pool_play(0);

    pool_run(p);
    CHECK(p->n_told == 0 && p->started == 0);
}

TEST(only_the_guilty_are_reported)
{
    static const struct {
        size_t job;
        enum jw_outcome outcome;
        int code;
        const char *name; /* a part of it; on Windows there are no signals */
    } guilty[] = {
        {3, JW_JOB_CRASHED, 0, "signal 11"}, {27, JW_JOB_KILLED, 0, "signal 9"},
        {31, JW_JOB_CRASHED, 0, "exit 3"},   {64, JW_JOB_TIMEOUT, 0, "timeout"},
        {90, JW_JOB_TIMEOUT, 0, "timeout"},  {111, JW_JOB_FAILED, 218, "CUDA_ERROR_INVALID_PTX"},
        {140, JW_JOB_FAILED, 2, ""},         {178, JW_JOB_CRASHED, 0, "signal 11"},
        {199, JW_JOB_CRASHED, 0, "exit 3"},
    };
    struct pool_play *p = pool_play(200);
    size_t next = 0;

    pool_faults(
        p,
        "crash@%3 kill@%27 exit@%31 hang@%64 spin@%90 badptx@%111 oom@%140 crash@%178 exit@%199");
    p->o.timeout_ms = 3000;
    pool_run(p);
    for (size_t i = 0; i < 200; i++) {
        bool is_guilty = next < JW_COUNT(guilty) && guilty[next].job == i;

        if (!is_guilty) {
            CHECK_NUM(p->told[i].outcome, JW_JOB_LOADED);
            continue;
        }

        /* On Windows to be killed looks like a crash. */
        bool killed = guilty[next].outcome == JW_JOB_KILLED && jw_os_is_windows();

        CHECK_NUM(p->told[i].outcome, killed ? JW_JOB_CRASHED : guilty[next].outcome);
        CHECK_NUM(p->told[i].code, guilty[next].code);
        if (!jw_os_is_windows() || strstr(guilty[next].name, "signal") == NULL)
            CHECK_HAS(p->told[i].name, guilty[next].name);
        next++;
    }
    CHECK(p->report.why == NULL);
}

TEST(a_driver_that_dies_in_its_start_ends_it_all_with_one_sentence)
{
    struct pool_play *p = pool_play(20);

    set_variable("SIMCUDA_FAULTS", "crash@init");
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK_HAS(p->report.why ? p->report.why : "", "no worker gets as far as a module: the driver ");
    CHECK_HAS(p->report.why ? p->report.why : "",
              jw_os_is_windows() ? "exception 0xc0000005" : "signal 11 (Segmentation fault)");
    CHECK(p->started == 0);
}

TEST(a_driver_without_a_gpu_ends_it_with_its_word)
{
    struct pool_play *p = pool_play(5);

    set_variable("SIMCUDA_GPUS", "none");
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK_HAS(p->report.why ? p->report.why : "", "CUDA_ERROR_NO_DEVICE");
    p = pool_play(5);
    set_variable("SIMCUDA_GPUS", "sm_86:One:8G:mode=prohibited");
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK_HAS(p->report.why ? p->report.why : "", "makes no context on the GPU: ");
}

static void stop_when_all_run(struct pool_play *p, const struct jw_pool_state *s)
{
    size_t busy = 0;

    for (size_t i = 0; i < s->n_slots; i++)
        busy += s->slots[i].busy;
    if (busy == 4)
        atomic_store(&p->stop, true);
}

TEST(a_stop_ends_what_hangs_at_once)
{
    struct pool_play *p = pool_play(20);

    set_variable("SIMCUDA_FAULTS", "hang@*");
    p->on_tick = stop_when_all_run;
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK(p->milliseconds < 20000 && p->report.why == NULL);

    p = pool_play(20);
    set_variable("SIMCUDA_FAULTS", "hang@init");
    atomic_store(&p->stop, true);
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK(p->milliseconds < 20000);
}

TEST(the_deadline_ends_what_runs)
{
    struct pool_play *p = pool_play(20);

    pool_faults(p, "hang@%15 hang@%14 hang@%13 hang@%12");
    for (size_t i = 0; i < 20; i++)
        p->jobs[i].seconds = 0; /* nobody knew that these hang */
    p->o.max_workers = 5;
    p->o.plan.deadline_ns =
        jw_time_monotonic_ns()
        + (uint64_t)6000 * 1000000; /* the others are done by then on a busy machine, too */
    pool_run(p);
    CHECK(p->milliseconds >= 5900 && p->milliseconds < 40000);
    CHECK_NUM(pool_count(p, JW_JOB_TODO), 4);
    CHECK_NUM(pool_count(p, JW_JOB_LOADED), 16);
    for (size_t i = 12; i < 16; i++)
        CHECK(p->told[i].milliseconds > 0 && p->told[i].milliseconds < 40000); /* its time so far */

    p = pool_play(20);
    p->o.plan.deadline_ns = 1;
    pool_run(p);
    pool_all(p, JW_JOB_TODO);
    CHECK_NUM(p->started, 0);
}

TEST(a_small_gpu_is_not_overrun)
{
    struct pool_play *p = pool_play(60);

    set_variable("SIMCUDA_GPUS", "sm_86:Small:4G");
    set_variable("SIMCUDA_CONTEXT_BYTES", "1G");
    set_variable("SIMCUDA_COST", "0+5");
    p->device.memory = (uint64_t)4 << 30;
    p->o.max_workers = 8;
    pool_run(p);
    pool_all(p, JW_JOB_LOADED);
    CHECK(p->peak <= 4);
}

static void find_devices(struct jw_device *devices, size_t n)
{
    struct jw_worker_options o = {.driver = built_path(SIMCUDA)};
    const struct jw_device *seen;
    struct jw_worker *w = NULL;
    size_t there = 0;

    CHECK(jw_worker_start(&w, &o, JW_IGNORED));
    seen = jw_worker_devices(w, &there);
    CHECK_NUM(there, n);
    for (size_t i = 0; i < n && i < there; i++)
        devices[i] = seen[i];
    jw_worker_stop(w);
}

TEST(two_groups_are_worked_off_side_by_side)
{
    struct pool_play *p = pool_play(60);
    struct jw_device devices[2];
    char roots_text[3][64];
    const char *caches[3];
    size_t entries = 0;

    set_variable("SIMCUDA_GPUS", "sm_86:One:64G;sm_90:Two:64G");
    set_variable("SIMCUDA_COST", "0+5");
    find_devices(devices, 2);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(roots_text[i], sizeof roots_text[i], "root%zu", i);
        caches[i] = scratch(roots_text[i]);
    }
    for (size_t i = 0; i < 60; i++)
        p->jobs[i].sm = i % 3 == 0 ? 90 : 86;
    p->o.plan.devices = devices;
    p->o.plan.n_devices = 2;
    p->o.max_workers = 3;
    p->o.caches = caches;
    pool_run(p);
    pool_all(p, JW_JOB_LOADED);
    for (size_t i = 0; i < 60; i++) {
        char path[6000];

        (void)snprintf(path, sizeof path, "%s/%s", caches[p->told[i].slot],
                       jw_cache_name(p->names[i]).text);
        CHECK(scratch_there(path) == (p->jobs[i].sm == 86)); /* an sm_90 makes another entry */
        entries += scratch_there(path);
    }
    CHECK_NUM(entries, 40);
}

TEST(sixty_four_workers_get_along)
{
    struct pool_play *p = pool_play(200);

    p->o.max_workers = 64;
    pool_run(p);
    pool_all(p, JW_JOB_LOADED);
    CHECK(p->started <= 64);
}

TEST(a_file_that_changed_is_nobodys_crash)
{
    struct pool_play *p = pool_play(10);

    p->places[4].digest[0] ^= 1;
    p->places[5].disk = scratch("nowhere.ptx");
    p->o.max_workers = 1;
    pool_run(p);
    CHECK_NUM(pool_count(p, JW_JOB_LOADED), 8);
    CHECK_NUM(p->told[4].outcome, JW_JOB_CHANGED);
    CHECK_HAS(p->told[4].name, "jobs.ptx: the file has changed since it was scanned");
    CHECK_NUM(p->told[5].outcome, JW_JOB_CHANGED);
    CHECK_HAS(p->told[5].name, "nowhere.ptx: no such file");
    CHECK_NUM(p->started, 1);
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

TEST(under_pressure_one_goes_on)
{
    struct pool_play *p = pool_play(30);

    p->o.pressed = always;
    set_variable("SIMCUDA_COST", "0+5");
    pool_run(p);
    pool_all(p, JW_JOB_LOADED);
    CHECK_NUM(p->peak, 1);
}

/* Every allocation and every call of the system fails in turn: all jobs are reported, or a sentence
 * says why not. */
TEST(any_failure_leaves_a_whole_answer)
{
    unsigned each = jw_os_is_windows() ? 9 : 1; /* processes are slow to start there */

    EACH_FAULT (f, each) {
        struct pool_play *p = pool_play(3);

        p->o.max_workers = 2;
        bool ok = FAULTED(f, jw_pool_run(&p->o, &p->report, &err));

        CHECK(ok ? p->n_told == 3 : p->n_told == 0 && err.msg[0] != '\0');
        if (ok && !p->report.why)
            CHECK_NUM(pool_count(p, JW_JOB_LOADED) + pool_count(p, JW_JOB_CRASHED), 3);
    }
}

#ifndef _WIN32
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kills from outside: of workers, again and again, and of the process that has them. */

enum { MAX_CHILDREN = 64, DONE_BETWEEN = 5 };

/* The parent of a process that lives; 0: it does not. */
static pid_t parent_of(pid_t pid)
{
    char path[64], state = 'Z';
    int parent = 0;
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%*d (%*[^)]) %c %d", &state, &parent) != 2)
        state = 'Z';
    (void)fclose(f);
    return state == 'Z' || state == 'X' ? 0 : (pid_t)parent;
}

static size_t children_of(pid_t parent, pid_t *out)
{
    DIR *proc = opendir("/proc");
    const struct dirent *e;
    size_t n = 0;

    while (proc && n < MAX_CHILDREN && (e = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)atoi(e->d_name);

        if (pid > 0 && parent_of(pid) == parent)
            out[n++] = pid;
    }
    (void)closedir(proc);
    return n;
}

static int done_pipe[2];

static void tell_done(struct pool_play *p, const struct jw_worker_result *r)
{
    (void)p;
    if (r->outcome == JW_JOB_LOADED)
        CHECK(write(done_pipe[1], "x", 1) == 1);
}

/* Kills one child of this process after the other until it is killed itself; writes how many into
 * the pipe. Between two kills some modules are compiled, however slow the machine is: that workers
 * die before they get so far is another story. */
static pid_t begin_killing(int tell)
{
    pid_t victim_of = getpid(), killer = fork();
    char done;

    if (killer != 0)
        return killer;
    for (unsigned i = 0;; i++) {
        pid_t all[MAX_CHILDREN];
        size_t n;

        for (size_t k = 0; k < DONE_BETWEEN; k++)
            if (read(done_pipe[0], &done, 1) != 1)
                _exit(1);
        n = children_of(victim_of, all);
        for (size_t k = 0; k < n; k++) {
            pid_t one = all[(k + i) % n];

            if (one != getpid() && kill(one, SIGKILL) == 0) {
                if (write(tell, "x", 1) != 1)
                    _exit(1);
                break;
            }
        }
    }
}

TEST(workers_that_are_killed_again_and_again)
{
    struct pool_play *p = pool_play(200);
    int tell[2], status;
    char kills[4096];

    CHECK(pipe(tell) == 0 && pipe(done_pipe) == 0);
    set_variable("SIMCUDA_COST", "0+20");
    p->on_done = tell_done;
    pid_t killer = begin_killing(tell[1]);

    (void)close(tell[1]);
    pool_run(p);
    (void)close(done_pipe[0]);
    (void)close(done_pipe[1]);
    CHECK(kill(killer, SIGKILL) == 0 && waitpid(killer, &status, 0) == killer);
    ssize_t n = read(tell[0], kills, sizeof kills);

    (void)close(tell[0]);
    CHECK(n > 3);
    CHECK(p->report.why == NULL);
    /* Two kills cost a module. */
    CHECK(pool_count(p, JW_JOB_KILLED) <= (size_t)n / 2);
    CHECK_NUM(pool_count(p, JW_JOB_KILLED) + pool_count(p, JW_JOB_LOADED), 200);
    CHECK(pool_count(p, JW_JOB_LOADED) > 20);
    for (size_t i = 0; i < 200; i++)
        if (p->told[i].outcome == JW_JOB_KILLED)
            CHECK_TEXT(p->told[i].name, "signal 9 (Killed)");
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

TEST(nothing_is_left_open)
{
    int before = rig_lowest_free();

    for (int i = 0; i < 3; i++) {
        struct pool_play *p = pool_play(30);

        pool_faults(p, "crash@%3 exit@%9 badptx@%12");
        pool_run(p);
    }
    CHECK_NUM(rig_lowest_free(), before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

#endif

PLAYS(rig_worker)
