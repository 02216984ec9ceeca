/* Kills from outside: of workers, again and again, and of the process that has them. */
#include "pool_rig.h"

#include "os/machine/env.h"
#include "os/machine/time.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CHILDREN = 64, DONE_BETWEEN = 5 };

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

    while (proc && n < MOST_CHILDREN && (e = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)atoi(e->d_name);

        if (pid > 0 && parent_of(pid) == parent)
            out[n++] = pid;
    }
    (void)closedir(proc);
    return n;
}

static int done_pipe[2];

static void tell_done(struct pool_play *p, const struct jw_pool_result *r)
{
    (void)p;
    if (r->outcome == JW_POOL_DONE)
        CHECK(write(done_pipe[1], "x", 1) == 1);
}

/* Kills one child of ours after the other until it is killed itself; writes how many into the pipe. Between two kills some
 * modules are compiled, however slow the machine is: that workers die before they get so far is another story. */
static pid_t begin_killing(int tell)
{
    pid_t victim_of = getpid(), killer = fork();
    char done;

    if (killer != 0)
        return killer;
    for (unsigned i = 0;; i++) {
        pid_t all[MOST_CHILDREN];
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
    rig_env("SIMCUDA_COST", "0+20");
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
    CHECK(pool_count(p, JW_POOL_KILLED) <= (size_t)n / 2);
    CHECK_NUM(pool_count(p, JW_POOL_KILLED) + pool_count(p, JW_POOL_DONE), 200);
    CHECK(pool_count(p, JW_POOL_DONE) > 20);
    for (size_t i = 0; i < 200; i++)
        if (p->told[i].outcome == JW_POOL_KILLED)
            CHECK_TEXT(p->told[i].name, "signal 9 (SIGKILL)");
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

TEST(a_killed_parent_leaves_no_worker)
{
    struct pool_play *p = pool_play(20);
    pid_t workers[MOST_CHILDREN], parent;
    size_t n = 0;

    rig_env("SIMCUDA_FAULTS", "hang@*");
    parent = fork();
    if (parent == 0) {
        pool_run(p);
        _exit(0);
    }
    for (int i = 0; i < 3000 && n < 4; i++) {
        jw_time_sleep_ms(10);
        n = children_of(parent, workers);
    }
    CHECK_NUM(n, 4);
    CHECK(kill(parent, SIGKILL) == 0 && waitpid(parent, NULL, 0) == parent);
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < 1000 && parent_of(workers[k]); i++)
            jw_time_sleep_ms(10);
        CHECK(parent_of(workers[k]) == 0);
    }
}

static int lowest_free(void)
{
    int fd = dup(0);

    (void)close(fd);
    return fd;
}

TEST(nothing_is_left_open)
{
    int before = lowest_free();

    for (int i = 0; i < 3; i++) {
        struct pool_play *p = pool_play(30);

        pool_faults(p, "crash@%3 exit@%9 badptx@%12");
        pool_run(p);
    }
    CHECK_NUM(lowest_free(), before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

int main(int argc, char **argv)
{
    int code = rig_worker(argc, argv);

    if (code >= 0)
        return code;
    scratch_begin();
    return RUN(argc, argv, T(workers_that_are_killed_again_and_again), T(a_killed_parent_leaves_no_worker),
               T(nothing_is_left_open));
}
