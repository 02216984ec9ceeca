#include "base/path.h"
#include "check.h"
#include "driver/witness/loaded.h"
#include "driver/witness/witness.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/running.h"
#include "os/process/watch.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;
static char folder[4096];
static atomic_bool stopped; /* by Ctrl-C, behind the command's end */

static char *beside_the_driver(const char *name)
{
    static char path[8192];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void opened_and_gone(const char *name)
{
    FILE *f = fopen(beside_the_driver(name), "rb");

    CHECK(f);
    if (f)
        (void)fclose(f);
}

/* ---- the command, played by this program: its words, one after the other ---- */

static void load(const char *name)
{
    if (!dlopen(beside_the_driver(name), RTLD_NOW))
        _exit(90);
}

/* On a busy machine a look comes later than after a nap. */
static void await_look(void)
{
    FILE *asks = fopen(beside_the_driver("asks"), "w");

    if (!asks || fclose(asks) != 0)
        _exit(91);
    while (access(beside_the_driver("asks"), F_OK) == 0)
        jw_time_sleep_ms(10);
}

static int play(char **words)
{
    for (; *words; words++) {
        if (strcmp(*words, "driver") == 0)
            load("libcuda.so.1");
        else if (strcmp(*words, "compiler") == 0)
            load("libnvidia-ptxjitcompiler.so.1");
        else if (strcmp(*words, "nvvm") == 0)
            load("libnvidia-nvvm.so.4");
        else if (strcmp(*words, "other") == 0)
            load("other/libcuda.so.1");
        else if (strcmp(*words, "nap") == 0)
            jw_time_sleep_ms(400);
        else if (strcmp(*words, "look") == 0)
            await_look();
        else if (strcmp(*words, "exec") == 0) {
            *words = own_program();
            return execv(*words, words);
        } else if (strncmp(*words, "CUDA_", 5) == 0)
            (void)putenv(*words);
        else if (strcmp(*words, "read") == 0)
            opened_and_gone("libnvidia-ptxjitcompiler.so.1");
        else if (strcmp(*words, "in-a-child") == 0) {
            pid_t child = fork();
            int status;

            if (child > 0)
                return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 91;
        } else if (strcmp(*words, "behind") == 0) {
            if (fork() > 0)
                return 0; /* the rest goes on without a parent */
        } else {
            return atoi(*words);
        }
    }
    return 0;
}

/* ---- the witness ---- */

static struct jw_witness *begin_watch(struct jw_arena *a)
{
    return jw_witness_begin(jw_path_join(a, folder, "libcuda.so.1"),
                            jw_path_join(a, folder, "libnvidia-ptxjitcompiler.so.1"), NULL, NULL);
}

/* The process by which AddressSanitizer looks for leaks would be one more with the driver. */
static const struct jw_child_edit edits[] = {
    {"WITNESS_TEST", folder}, {"CUDA_CACHE_PATH", "/before"}, {"ASAN_OPTIONS", "detect_leaks=0"}};

#define ACTOR(...)                                                                                 \
    (struct jw_command)                                                                            \
    {                                                                                              \
        .argv = (const char *const[]){program, __VA_ARGS__, NULL}, .edits = edits,                 \
        .n_edits = JW_COUNT(edits)                                                                 \
    }
#define WATCH(a, ...) watch(a, ACTOR(__VA_ARGS__))

static void look_if_asked(void *witness)
{
    if (access(beside_the_driver("asks"), F_OK) == 0) {
        jw_witness_look(witness);
        (void)remove(beside_the_driver("asks"));
    }
}

static struct jw_witness_report watch(struct jw_arena *a, struct jw_command c)
{
    struct jw_witness *w = begin_watch(a);
    struct jw_witness_report out;
    struct jw_err err = {0};
    struct jw_process_end end;

    c.look = look_if_asked;
    c.ctx = w;
    CHECK_OK(jw_process_foreground(&c, &end, &err), err);
    jw_witness_end(w, &stopped, a, &out);
    return out;
}

TEST_ARENA(what_compiled_is_named_and_what_did_not_is_so_for_certain)
{
    struct jw_witness_report r = WATCH(a, "driver", "nap", "0");

    CHECK_NUM(r.answer, JW_WITNESS_NOTHING);
    CHECK(!r.why);
    CHECK_NUM(r.n, 1);
    r = WATCH(a, "nap", "driver", "compiler", "nap", "0");
    CHECK_NUM(r.answer, JW_WITNESS_COMPILED);
    CHECK(r.n == 1 && r.processes[0].compiled);
    r = WATCH(a, "in-a-child", "driver", "in-a-child", "compiler", "nap", "3");
    CHECK_NUM(r.answer, JW_WITNESS_COMPILED);
    CHECK_NUM(r.n, 2); /* a child of the one that loaded it has it, too */
}

TEST_ARENA(a_variable_that_the_command_changed_is_seen)
{
    struct jw_witness_report r =
        WATCH(a, "CUDA_CACHE_PATH=/after", "CUDA_CACHE_DISABLE=1", "driver", "nap", "0");

    CHECK_NUM(r.n, 1);
    CHECK_TEXT(r.processes[0].cache, "/after");
    CHECK_TEXT(r.processes[0].no_cache, "CUDA_CACHE_DISABLE=1");
    r = WATCH(a, "CUDA_FORCE_PTX_JIT=1", "driver", "nap", "0");
    CHECK(r.n == 1);
    CHECK_TEXT(r.processes[0].forced, "CUDA_FORCE_PTX_JIT=1");
    r = WATCH(a, "driver", "nap", "0");
    CHECK(r.n == 1 && !r.processes[0].no_cache);
    CHECK_TEXT(r.processes[0].cache, "/before");
}

/* A process that preloads the compiler may compile or not. */
TEST_ARENA(what_preloads_the_compiler_is_in_doubt)
{
    static const char variable[] = "CUDA_FORCE_PRELOAD_LIBRARIES";
    struct jw_witness_report r =
        WATCH(a, "CUDA_FORCE_PRELOAD_LIBRARIES=1", "driver", "compiler", "nap", "0");

    CHECK_NUM(r.answer, JW_WITNESS_UNKNOWN);
    CHECK_HAS(r.why, variable);
    CHECK(r.n == 1 && !r.processes[0].compiled);
    r = WATCH(a, "CUDA_FORCE_PRELOAD_LIBRARIES=0", "driver", "compiler", "nap", "0");
    CHECK_NUM(r.answer, JW_WITNESS_COMPILED);
    r = WATCH(a, "CUDA_FORCE_PRELOAD_LIBRARIES=1", "driver", "nap", "0");
    CHECK_NUM(r.answer, JW_WITNESS_NOTHING);
}

/* So do its other compilers, of bitcode and of tiles. */
TEST_ARENA(other_compilers_of_the_driver_count)
{
    struct jw_witness_report r = WATCH(a, "driver", "nvvm", "nap", "0");

    CHECK_NUM(r.answer, JW_WITNESS_COMPILED);
}

/* The driver reads them once, in cuInit: those of before count, too. */
TEST_ARENA(a_variable_that_the_command_changes_later_is_seen_as_it_was)
{
    struct jw_witness_report r = WATCH(a, "driver", "look", "CUDA_CACHE_PATH=/after", "look", "0");

    CHECK_NUM(r.n, 2);
    CHECK_TEXT(r.processes[0].cache, "/before");
    CHECK_TEXT(r.processes[1].cache, "/after");
}

/* `environ` is in the shell itself, whose path ends that of another file that it has mapped,
 * too. */
TEST_ARENA(a_program_is_found_by_its_whole_path)
{
    FREED(jw_buf) exe = JW_BUF(4096);
    FREED(jw_buf) maps = JW_BUF((size_t)1 << 20);
    struct jw_variable v = {.name = "PATH"};
    bool refused;
    pid_t shell = fork();

    if (!shell)
        _exit(execl("/bin/sh", "sh", "-c", "kill -STOP $$", (char *)NULL));
    CHECK(waitpid(shell, NULL, WUNTRACED) == shell);
    CHECK(jw_running_link((unsigned long)shell, "exe", &exe));
    CHECK(jw_running_text((unsigned long)shell, "maps", &maps, &refused));
    CHECK(jw_running_is_own((unsigned long)shell));
    const char *more =
        jw_arena_printf(a, "0-1 r--p 0 0:0 5 /x%s\n%s", jw_buf_cstr(&exe), jw_buf_cstr(&maps));

    CHECK(jw_variables_now((unsigned long)shell, more, a, &v, 1));
    CHECK_TEXT(v.value, getenv("PATH"));
    CHECK(kill(shell, SIGKILL) == 0 && waitpid(shell, NULL, 0) == shell);
}

/* What the command left behind is a child of this process now, and would be a user of the driver in
 * the next test. */
static void await_left_behind(void)
{
    while (wait(NULL) > 0)
        continue;
}

TEST_ARENA(what_is_not_known_is_not_called_nothing)
{
    struct jw_witness_report r = WATCH(a, "nap", "0");

    CHECK_NUM(r.answer, JW_WITNESS_UNUSED);
    CHECK_HAS(r.why, "no process of it was seen to load");
    r = WATCH(a, "driver", "other", "nap", "0");
    CHECK_HAS(r.why, "another driver");
    r = WATCH(a, "nap", "exec", "other", "nap",
              "0"); /* it was looked at before it became this program */
    CHECK_HAS(r.why, "another driver");
    r = WATCH(a, "behind", "driver", "other", "nap", "nap", "nap", "nap", "0");
    CHECK_HAS(r.why, "another driver"); /* what it left behind is waited for */
    await_left_behind();
}

TEST_ARENA(what_begins_in_the_background_when_the_command_has_ended_is_seen)
{
    struct jw_witness_report r = WATCH(a, "behind", "nap", "driver", "compiler", "nap", "0");

    CHECK_NUM(r.answer, JW_WITNESS_COMPILED);
    await_left_behind();
    stopped = true; /* and not waited for */
    r = WATCH(a, "behind", "driver", "nap", "0");
    stopped = false;
    CHECK_TEXT(r.why, "a process of it still runs");
    await_left_behind();
}

/* The program that opened it may have compiled, whether it lives on, has ended, or was never
 * seen. */
TEST_ARENA(an_open_that_nobody_is_found_for_is_not_called_nothing)
{
    struct jw_witness_report r = WATCH(a, "driver", "read", "nap", "0");

    CHECK_HAS(r.why, "ended before it could be looked at");
    r = WATCH(a, "driver", "nap", "read", "0");
    CHECK_HAS(r.why, "ended before it could be looked at");
}

/* A process that has the driver, and ends at once. */
static void play_a_driver(void)
{
    const struct jw_command c = ACTOR("driver", "nap", "0");
    struct jw_process_end end;

    CHECK(jw_process_foreground(&c, &end, JW_IGNORED));
}

/* One process is seen with the driver, and beside it one that was never looked at compiles: their
 * opens are one event. */
TEST_ARENA(a_process_that_was_never_seen_is_not_hidden_by_another)
{
    struct jw_witness *w = begin_watch(a);
    struct jw_witness_report r;

    opened_and_gone("libcuda.so.1");
    opened_and_gone("libnvidia-ptxjitcompiler.so.1");
    play_a_driver();
    jw_witness_end(w, NULL, a, &r);
    CHECK_NUM(r.n, 1);
    CHECK_NUM(r.answer, JW_WITNESS_UNKNOWN);
}

TEST_ARENA(a_driver_without_its_compiler_is_not_watched)
{
    struct jw_witness_report out;
    const char *library = scratch("driver/libcuda.so.1"),
               *compiler = scratch("driver/other/libnvidia-ptxjitcompiler.so.1");

    jw_witness_end(jw_witness_begin(library, NULL, NULL, NULL), NULL, a, &out);
    CHECK_HAS(out.why, "libnvidia-ptxjitcompiler.so.1, was not found");
    jw_witness_end(jw_witness_begin(library, compiler, NULL, NULL), NULL, a, &out);
    CHECK_HAS(out.why, "other/libnvidia-ptxjitcompiler.so.1 is no file");
    jw_witness_end(jw_witness_begin(NULL, compiler, NULL, NULL), NULL, a, &out);
    CHECK_NUM(out.answer, JW_WITNESS_UNKNOWN);
    CHECK_HAS(out.why, "no NVIDIA driver was found");
}

/* ---- pure ---- */

TEST_ARENA(every_doubt_is_said)
{
    static const struct {
        struct jw_witness_seen seen;
        enum jw_witness_answer answer;
        const char *why;
    } cases[] = {
        {{.users = 1}, JW_WITNESS_NOTHING, "known"},
        {{.users = 1, .compilers = 1}, JW_WITNESS_COMPILED, "known"},
        {{.users = 1, .compilers = 1, .lost = true}, JW_WITNESS_COMPILED, "known"},
        {{0}, JW_WITNESS_UNUSED, "no process"},
        {{.unseen = true}, JW_WITNESS_UNKNOWN, "ended before it could be looked at"},
        {{.users = 1, .lost = true}, JW_WITNESS_UNKNOWN, "dropped events"},
        {{.users = 1, .missed = true}, JW_WITNESS_UNKNOWN, "ended before it could be looked at"},
        {{.users = 1, .missed = true, .strangers = 1}, JW_WITNESS_UNKNOWN, "another program"},
        {{.users = 1, .others = 1}, JW_WITNESS_UNKNOWN, "another driver"},
        {{.users = 1, .hidden = 1}, JW_WITNESS_UNKNOWN, "another user"},
        {{.users = 1, .closed = 1}, JW_WITNESS_UNKNOWN, "not dumpable"},
        {{.users = 1, .left = 1}, JW_WITNESS_UNKNOWN, "still runs"},
        {{.left = 1}, JW_WITNESS_UNKNOWN, "still runs"},
        {{.users = 1, .unable = "why"}, JW_WITNESS_UNKNOWN, "why"},
        {{.users = 1, .preloading = 1}, JW_WITNESS_UNKNOWN, "CUDA_FORCE_PRELOAD_LIBRARIES"},
        {{.users = 2, .preloading = 1, .compilers = 1}, JW_WITNESS_COMPILED, "known"},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_witness_report out = {0};

        jw_witness_answer(&cases[i].seen, a, &out);
        CHECK_NUM(out.answer, cases[i].answer);
        CHECK_HAS(out.why ? out.why : "known", cases[i].why);
    }
}

TEST(maps_name_the_watched_files_and_others)
{
    static const struct jw_loaded_ask ask = {
        {"/d/libcuda.so.550", 7},
        {{"/d/libnvidia-ptxjitcompiler.so.550", 8}, {"/d/libnvidia-nvvm.so.550", 10}},
        2};
    struct jw_loaded l =
        jw_loaded_of("7f00-7f01 r-xp 00000000 08:01 7    /d/libcuda.so.550\n"
                     "7f00-7f01 r-xp 00000000 08:01 8    /d/libnvidia-ptxjitcompiler.so.550\n",
                     &ask);

    CHECK(l.driver && l.compiler && !l.other);
    l = jw_loaded_of("7f00-7f01 r-xp 00000000 08:01 10 /d/libnvidia-nvvm.so.550\n", &ask);
    CHECK(l.compiler && !l.other);
    l = jw_loaded_of(
        "7f00-7f01 r-xp 00000000 08:01 9 /d/libcuda.so.550\n"
        "7f00-7f01 r-xp 00000000 08:01 8 /e/libnvidia-ptxjitcompiler.so.550 (deleted)\n",
        &ask);
    CHECK(!l.driver && !l.compiler && l.other);
    l = jw_loaded_of(
        "7f00-7f01 r-xp 00000000 08:01 1 /x/libcudart.so.12\n7f00-7f01 r-xp 0 0:0 0\n7f00 [heap]\n"
        "7f00-7f01 r-xp 00000000 08:01 1 /libcuda.so.1/readme",
        &ask);
    CHECK(!l.driver && !l.compiler && !l.other);
    CHECK(!jw_loaded_of("", &ask).driver);
    l = jw_loaded_of("7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/wsl/lib/libcuda.so.1\n"
                     "7f00-7f01 r-xp 00000000 08:01 7 /d/libcuda.so.550\n",
                     &ask);
    CHECK(l.driver && !l.other);
}

TEST(what_is_loaded_of_a_library_of_data)
{
    const char *at =
        "7f00-7f01 r--p 00000000 08:01 5 /x/libdata.so\n7f00-7f01 rw-s 00000000 08:01 6 /x/log\n"
        "7f00-7f01 r-xp 00003000 08:01 7 /x/app\n7f00-7f01 r--p 00000000 08:01 8 /x/libdata.so.1\n"
        "7f00 [heap]\n";
    struct jw_loaded_file f;

    CHECK(jw_loaded_next(&at, &f) && f.node == 5 && jw_loaded_next(&at, &f) && f.node == 7);
    CHECK(jw_loaded_next(&at, &f) && f.node == 8);
    CHECK(!jw_loaded_next(&at, &f));
}

/* ---- the watch ---- */

static void note_open(void *ctx, size_t i, const char *name)
{
    (void)snprintf((char *)ctx + strlen(ctx), 20, "%u%s;", (unsigned)i, name);
}

TEST(an_open_is_seen_once_and_a_lost_file_is_said)
{
    const char *paths[] = {scratch("watched-1"), scratch("watched-2"), scratch("watched")};
    struct jw_watch *w;
    char opened[200] = "";

    scratch_write(paths[0], "1");
    scratch_write(paths[1], "2");
    CHECK(jw_make_dirs(scratch("watched/below"), &err));
    scratch_write(scratch("watched/name"), "3");
    scratch_write(scratch("watched/below/name"), "4");
    CHECK(jw_watch_start(&w, paths, 3, &err));
    CHECK(jw_watch_next(w, 0, note_open, opened));
    CHECK_TEXT(opened, "");
    scratch_holds(paths[1], "2");
    scratch_holds(scratch("watched/name"), "3");
    scratch_holds(scratch("watched/below/name"), "4");
    CHECK(jw_watch_next(w, 1000, note_open, opened));
    CHECK_TEXT(opened, "1;2name;");
    jw_watch_wake(w);
    CHECK(jw_watch_next(w, 60000, note_open, opened));
    CHECK_TEXT(opened, "1;2name;");
    CHECK(remove(paths[0]) == 0);
    CHECK(!jw_watch_next(w, 1000, note_open, opened));
    jw_watch_free(w);
    CHECK_REFUSED(jw_watch_start(&w, (const char *const[]){"/nowhere"}, 1, &err), err, "/nowhere");
    jw_watch_free(w);
}

MAIN(argc, argv)
{
    program = own_program();
    (void)snprintf(folder, sizeof folder, "%s",
                   getenv("WITNESS_TEST") ? getenv("WITNESS_TEST") : "");
    if (*folder)
        return play(argv + 1);
    scratch_begin();
    (void)snprintf(folder, sizeof folder, "%s", scratch("driver"));
    CHECK(jw_make_dirs(scratch("driver/other"), JW_IGNORED) && chdir(folder) == 0);
    CHECK(system("cp '" COMPILER_LIBRARY "' libnvidia-ptxjitcompiler.so.1") == 0);
    CHECK(system("cp libnvidia-ptxjitcompiler.so.1 libcuda.so.1 && cp libcuda.so.1 other && cp "
                 "libcuda.so.1 libnvidia-nvvm.so.4")
          == 0);
    return RUN(argc, argv);
}
