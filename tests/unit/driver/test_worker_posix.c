/* Deaths, and what they leave behind. */
#include "rig.h"

#include "base/buf.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "rigs/faults.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* The number in a file that another process is about to write; 0: none did. */
static pid_t pid_in(const char *path)
{
    for (int i = 0; i < 3000; i++) {
        FREED(jw_buf) text = JW_BUF(100);
        bool found = false;
        uint64_t n = 0;
        bool ok = jw_file_slurp(path, &text, &found, JW_IGNORED) && found
                  && jw_text_u64(jw_buf_cstr(&text), &n);

        if (ok)
            return (pid_t)n;
        jw_time_sleep_ms(10);
    }
    return 0;
}

static const char *hanging(const char *what, const char *pid_file)
{
    static char script[5000];

    (void)snprintf(script, sizeof script, "%s pid=%s", what, pid_file);
    return script;
}

/* It may be a zombie for a moment, until its parent waits for it. */
static bool alive(pid_t pid)
{
    char path[64], state = 'Z';
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d %*s %c", &state) != 1)
        state = 'Z';
    (void)fclose(f);
    return state != 'Z';
}

static bool dies(pid_t pid)
{
    for (int i = 0; i < 1000 && alive(pid); i++)
        jw_time_sleep_ms(10);
    return !alive(pid);
}

static void killed_parent(const char *what, const char *file, bool load)
{
    pid_t parent = fork();

    if (parent == 0) {
        struct jw_worker_options o = {.driver = FAKE_DRIVER};
        struct jw_place fat = rig_fatbin("b.so", "P50", 0);
        struct jw_worker_result r;
        struct jw_worker *w;

        set_variable("FAKE_DRIVER", hanging(what, file));
        if (jw_worker_start(&w, &o, JW_IGNORED) && load)
            (void)jw_worker_load(w, &fat, &(struct jw_load){0}, &r, JW_IGNORED);
        _exit(0);
    }
    pid_t worker = pid_in(file);

    CHECK(worker > 0 && alive(worker));
    CHECK(kill(parent, SIGKILL) == 0 && waitpid(parent, NULL, 0) == parent);
    CHECK(dies(worker));
}

TEST(a_killed_parent_leaves_no_worker)
{
    killed_parent("hang@1", scratch("pid2"), true);
    killed_parent("hang", scratch("pid3"), false);
}

TEST(a_worker_without_a_parent_says_so)
{
    char *argv[] = {(char[]){"x"}, (char[]){"worker"}, (char[]){"-"}, (char[]){"-"}};

    CHECK(freopen("/dev/null", "r", stdin) != NULL);
    CHECK_NUM(rig_worker(4, argv), 1);
}

/* Every allocation and system call of the parent, failing in turn. */
TEST(any_failure_is_a_sentence)
{
    struct jw_place fat = rig_fatbin("d.so", "P50", 0);
    int before = rig_lowest_free();

    set_variable("FAKE_DRIVER", "");
    EACH_FAULT (f, 1) {
        struct jw_worker_options o = {.driver = FAKE_DRIVER, .cache_folder = "/x"};
        struct jw_worker_result r;
        struct jw_worker *w = NULL;
        bool ok = FAULTED(f, jw_worker_start(&w, &o, &err)
                                 && jw_worker_load(w, &fat, &(struct jw_load){0}, &r, &err));

        /* What only adorns the answer may be missing. */
        CHECK(ok || (f.fired && err.msg[0] && err.code != JW_OK));
        CHECK(ok || w == NULL || r.outcome != JW_JOB_LOADED);
        jw_worker_stop(w);
    }
    CHECK_NUM(rig_lowest_free(), before);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1);
}

PLAYS(rig_worker)
