/* An NVRTC in a process of its own: what it tells and makes, and what is said of one that cannot. */
#include "base/limits.h"
#include "check.h"
#include "driver/worker/child.h"
#include "driver/worker/nvrtc_worker.h"
#include "driver/worker/proto.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/child.h"
#include "rigs/nvrtc_rig.h"

#include <stdlib.h>

static const char source[] = "extern \"C\" __global__ void first(int *p) {}\n";

static bool start(const char *library, const char *script, struct jw_nvrtc_worker **w, struct jw_err *err)
{
    nvrtc_rig_env("FAKE_NVRTC", script);
    return jw_nvrtc_worker_start(
        w, &(struct jw_nvrtc_worker_options){ .library = library, .timeout_ms = 60000 }, err);
}

static struct jw_nvrtc_worker *started(const char *library, const char *script)
{
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err err = { 0 };

    CHECK(start(nvrtc_rig_path(library), script, &w, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(w != NULL);
    return w;
}

static struct jw_nvrtc_job job_of(const char *text, const char *const *options, size_t n)
{
    return (struct jw_nvrtc_job){ "x.cu", { (const uint8_t *)text, strlen(text) }, options, n };
}

struct answer {
    struct jw_buf ptx, log;
    struct jw_nvrtc_result result;
    struct jw_err err;
    bool ok;
};

static struct answer compile(struct jw_nvrtc_worker *w, const struct jw_nvrtc_job *job)
{
    struct answer a = { .ptx = JW_BUF(JW_MAX_PLAIN), .log = JW_BUF(JW_MAX_RTC_LOG) };

    a.ok = jw_nvrtc_worker_compile(w, job, &a.ptx, &a.log, &a.result, &a.err);
    return a;
}

static void answer_free(struct answer *a)
{
    jw_buf_free(&a->ptx);
    jw_buf_free(&a->log);
}

TEST(a_library_tells_what_it_is)
{
    struct jw_nvrtc_worker *w = started(SIMNVRTC, "");
    const struct jw_nvrtc_library *lib = jw_nvrtc_worker_library(w);

    CHECK(lib->major == 13 && lib->minor == 0);
    CHECK(lib->n_archs == 12 && lib->archs[0] == 75 && lib->archs[11] == 121);
    CHECK_HAS(lib->path, "nvrtc");
    jw_nvrtc_worker_stop(w);

    w = started(FAKE_NVRTC, "version=12.9 archs=50,90");
    lib = jw_nvrtc_worker_library(w);
    CHECK(lib->major == 12 && lib->minor == 9 && lib->n_archs == 2 && lib->archs[1] == 90);
    jw_nvrtc_worker_stop(w);

    w = started(FAKE_NVRTC_OLD, "version=11.1");
    lib = jw_nvrtc_worker_library(w);
    CHECK(lib->major == 11 && lib->minor == 1 && lib->n_archs == 0);
    jw_nvrtc_worker_stop(w);
}

TEST(it_compiles_one_after_the_other)
{
    static const char *const options[] = { "--gpu-architecture=compute_86" };
    struct jw_nvrtc_worker *w = started(SIMNVRTC, "");

    for (int i = 0; i < 2; i++) {
        struct jw_nvrtc_job good = job_of(source, options, 1), bad = job_of("#error no\n", options, 1);
        struct answer a = compile(w, &good);

        CHECK(a.ok && a.result.code == 0);
        CHECK_TEXT(a.result.name, "NVRTC_SUCCESS");
        CHECK_HAS(jw_buf_cstr(&a.ptx), ".target sm_86");
        CHECK_HAS(jw_buf_cstr(&a.ptx), ".visible .entry first(");
        CHECK(a.ptx.n && a.ptx.p[a.ptx.n - 1] == '\n' && a.log.n == 0);
        answer_free(&a);

        a = compile(w, &bad);
        CHECK(a.ok && a.result.code == 6 && a.ptx.n == 0);
        CHECK_TEXT(a.result.name, "NVRTC_ERROR_COMPILATION");
        CHECK_HAS(jw_buf_cstr(&a.log), "#error directive");
        answer_free(&a);
    }
    jw_nvrtc_worker_stop(w);
}

TEST(name_options_and_source_arrive)
{
    static const char *const options[] = { "-a", "--include-path=a b", "" };
    struct jw_nvrtc_worker *w = started(FAKE_NVRTC, "");
    struct jw_nvrtc_job job = job_of("int x;", options, 3);
    struct answer a = compile(w, &job);

    CHECK(a.ok);
    CHECK_TEXT(jw_buf_cstr(&a.log), "x.cu\n6 bytes\n-a\n--include-path=a b\n\n");
    CHECK_HAS(jw_buf_cstr(&a.ptx), ".entry fake()");
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
}

TEST(a_large_source_arrives_whole)
{
    enum { SIZE = 3 * (1 << 20) + 5 };
    char *text = malloc(SIZE + 1), want[64];
    struct jw_nvrtc_worker *w = started(FAKE_NVRTC, "");

    memset(text, ' ', SIZE);
    text[SIZE] = '\0';
    (void)snprintf(want, sizeof want, "x.cu\n%d bytes\n", SIZE);

    struct jw_nvrtc_job job = job_of(text, NULL, 0);
    struct answer a = compile(w, &job);

    CHECK(a.ok);
    CHECK_TEXT(jw_buf_cstr(&a.log), want);
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
    free(text);
}

TEST(a_long_log_is_cut)
{
    struct jw_nvrtc_worker *w = started(FAKE_NVRTC, "log=3000000");
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct answer a = compile(w, &job);

    CHECK(a.ok && a.log.n == JW_MAX_RTC_LOG);
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
}

TEST(sizes_that_cannot_be_are_refused)
{
    static const char *many[JW_MAX_RTC_OPTIONS + 1];
    struct jw_nvrtc_worker *w = started(FAKE_NVRTC, "ptx=huge");
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct answer a = compile(w, &job);

    CHECK(!a.ok);
    CHECK_NUM(a.err.code, JW_E_LIMIT);
    CHECK_HAS(a.err.msg, "the PTX: no room for more than");
    answer_free(&a);

    job.options = many;
    job.n_options = JW_COUNT(many);
    a = compile(w, &job);
    CHECK_TEXT(a.err.msg, "more than 256 options for NVRTC");
    answer_free(&a);

    job.n_options = 0;
    job.source.n = JW_MAX_CU_SOURCE + 1;
    a = compile(w, &job);
    CHECK_TEXT(a.err.msg, "a source of more than 67108864 bytes");
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
}

/* ---- those that cannot ---- */

static const char *start_fails(const char *library, const char *script)
{
    static struct jw_err err;
    struct jw_nvrtc_worker *w = NULL;

    err = (struct jw_err){ 0 };
    CHECK(!start(library, script, &w, &err));
    CHECK(w == NULL);
    CHECK_NUM(err.code, JW_E_DRIVER);
    return err.msg;
}

TEST(no_library)
{
    const char *missing = jw_os_is_windows() ? "Z:\\nowhere\\nvrtc64_130_0.dll" : "/nowhere/libnvrtc.so.13";

    CHECK_HAS(start_fails(missing, ""), missing);
    CHECK_HAS(start_fails(jw_os_is_windows() ? "nvrtc64_nowhere.dll" : "libnvrtc-nowhere.so", ""), "nowhere");
    CHECK_HAS(start_fails("relative/x", ""), "neither a file name nor an absolute path");
    CHECK_TEXT(start_fails(nvrtc_rig_path(FAKE_EMPTY), ""), "it is no NVRTC: it has no nvrtcVersion");
    CHECK_TEXT(start_fails(nvrtc_rig_path(FAKE_NVRTC), "version=0.0"), "it is no NVRTC: it has no version");
}

TEST(one_that_dies_when_it_is_loaded)
{
    const char *said = start_fails(nvrtc_rig_path(FAKE_NVRTC), "load-crash");

    CHECK_HAS(said, "fake_nvrtc");
    CHECK_HAS(said, " ended its process while it was loaded: ");
    CHECK_HAS(said, jw_os_is_windows() ? "exception 0xc0000005 (access violation)" : "signal 11 (SIGSEGV)");
    CHECK_HAS(start_fails(nvrtc_rig_path(FAKE_NVRTC), "load-exit"), "while it was loaded: exit 7");
}

TEST(one_that_hangs_when_it_is_loaded)
{
    struct jw_nvrtc_worker_options o = { .library = nvrtc_rig_path(FAKE_NVRTC), .timeout_ms = 1500 };
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err err = { 0 };

    nvrtc_rig_env("FAKE_NVRTC", "load-hang");
    CHECK(!jw_nvrtc_worker_start(&w, &o, &err));
    CHECK_HAS(err.msg, "could not be loaded within 1.5 s and was ended");
}

/* The sentence with which the compilation ends that way; the worker is used up. */
static const char *compile_fails(const char *script, unsigned timeout_ms, const atomic_bool *interrupted)
{
    struct jw_nvrtc_worker_options o = { .library = nvrtc_rig_path(FAKE_NVRTC),
                                         .timeout_ms = timeout_ms,
                                         .interrupted = interrupted };
    static struct jw_err err;
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct jw_nvrtc_worker *w = NULL;

    err = (struct jw_err){ 0 };
    nvrtc_rig_env("FAKE_NVRTC", script);
    if (!jw_nvrtc_worker_start(&w, &o, &err)) {
        CHECK_TEXT(err.msg, "it starts");
        return "";
    }

    struct answer a = compile(w, &job);

    CHECK(!a.ok && a.ptx.n == 0);
    CHECK_NUM(a.err.code, JW_E_DRIVER);
    err = a.err;
    answer_free(&a);
    a = compile(w, &job);
    CHECK(!a.ok);
    CHECK_TEXT(a.err.msg, "the worker has ended");
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
    return err.msg;
}

TEST(one_that_dies_of_a_source)
{
    const char *said = compile_fails("crash", 60000, NULL);

    CHECK_HAS(said, "NVRTC 12.4 (");
    CHECK_HAS(said, " ended its process while it compiled: ");
    CHECK_HAS(said, jw_os_is_windows() ? "exception 0xc0000005 (access violation)" : "signal 11 (SIGSEGV)");
    CHECK_HAS(compile_fails("exit=3", 60000, NULL), ": exit 3");
    CHECK_HAS(compile_fails("exit=0", 60000, NULL), ": exit 0");
}

TEST(one_that_hangs_on_a_source)
{
    uint64_t before = jw_time_monotonic_ns();
    atomic_bool never = false;

    /* Its start has the same time: under Wine on a busy machine that takes a while. */
    unsigned ms = jw_os_is_windows() ? 12000 : 2000;
    const char *words = jw_os_is_windows() ? " did not finish within 12 s and was ended"
                                           : " did not finish within 2 s and was ended";

    CHECK_HAS(compile_fails("hang", ms, NULL), words);
    CHECK_HAS(compile_fails("hang", ms, &never), words);
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)60 * 1000000000);
}

TEST(one_that_prints_disturbs_nobody)
{
    struct jw_nvrtc_worker *w = started(FAKE_NVRTC, "noise");
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct answer a = compile(w, &job);

    CHECK(a.ok && a.ptx.n);
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
}

TEST(a_wait_can_be_interrupted)
{
    atomic_bool stop = false;
    struct jw_nvrtc_worker_options o = { .library = nvrtc_rig_path(FAKE_NVRTC), .interrupted = &stop };
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err err = { 0 };

    nvrtc_rig_env("FAKE_NVRTC", "hang");
    CHECK(jw_nvrtc_worker_start(&w, &o, &err));
    atomic_store(&stop, true);

    uint64_t before = jw_time_monotonic_ns();
    struct answer a = compile(w, &job);

    CHECK(!a.ok);
    CHECK_NUM(a.err.code, JW_E_INTERRUPTED);
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
    CHECK(!jw_nvrtc_worker_start(&w, &o, &err));
    CHECK_TEXT(err.msg, "interrupted");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)50 * 1000000000); /* no timeout */
}

TEST(the_program_itself_serves)
{
    struct jw_nvrtc_worker_options o = { .library = nvrtc_rig_path(SIMNVRTC),
                                         .exe = nvrtc_rig_path(JITWARM) };
    struct jw_nvrtc_job job = job_of(source, NULL, 0);
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err err = { 0 };

    CHECK(jw_nvrtc_worker_start(&w, &o, &err));
    CHECK_TEXT(err.msg, "");

    struct answer a = compile(w, &job);

    CHECK(a.ok && a.ptx.n);
    answer_free(&a);
    jw_nvrtc_worker_stop(w);
}

/* ---- children that are no workers ---- */

static int play(const char *role, char **argv)
{
    struct jw_parent p;
    struct jw_err err;
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_rtc_msg m = { .kind = JW_RTC_HELLO };

    if (strcmp(role, "silent") == 0 || !jw_parent_open(&p, argv[3], argv[4], &err))
        return 0;
    m.as.hello.protocol = strcmp(role, "newer") == 0 ? 99 : JW_RTC_PROTO_VERSION;
    m.as.hello.program = "9.9 with more to say";
    if (strcmp(role, "rude") != 0)
        jw_rtc_put(&out, &m);
    m = (struct jw_rtc_msg){ .kind = JW_RTC_DONE };
    m.as.done.name = "";
    jw_rtc_put(&out, &m);
    if (strcmp(role, "long") == 0)
        memset(out.p, 0xff, out.n);
    (void)!jw_parent_write(&p, out.p, out.n, &err);
    jw_time_sleep_ms(200);
    return 0;
}

TEST(a_program_that_is_no_worker_is_refused)
{
    static const struct {
        const char *role, *sentence;
    } all[] = {
        { "newer", "the worker has protocol 99 instead of 5: its program is another version of jitwarm" },
        { "rude", "the worker is another program: its first record is no greeting" },
        { "long", "worker: no record has 4294967295 bytes" },
        { "early", "NVRTC worker: a record of kind 8 comes too early" },
        { "silent", "ended its process while it was loaded: exit 0" },
    };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_nvrtc_worker *w = NULL;
        struct jw_err err = { 0 };

        nvrtc_rig_env("RIG_ROLE", all[i].role);
        CHECK(!start(nvrtc_rig_path(SIMNVRTC), "", &w, &err));
        CHECK_HAS(err.msg, all[i].sentence);
    }
    nvrtc_rig_env("RIG_ROLE", NULL);
}

int main(int argc, char **argv)
{
    const char *role = getenv("RIG_ROLE");
    int code = role && *role && argc == 5 ? play(role, argv) : nvrtc_rig_worker(argc, argv);

    if (code >= 0)
        return code;
    nvrtc_rig_env("SIMNVRTC_VERSION", NULL);
    return RUN(argc, argv, T(a_library_tells_what_it_is), T(it_compiles_one_after_the_other),
               T(name_options_and_source_arrive), T(a_large_source_arrives_whole), T(a_long_log_is_cut),
               T(sizes_that_cannot_be_are_refused), T(no_library), T(one_that_dies_when_it_is_loaded),
               T(one_that_hangs_when_it_is_loaded), T(one_that_dies_of_a_source),
               T(one_that_hangs_on_a_source), T(one_that_prints_disturbs_nobody),
               T(a_wait_can_be_interrupted), T(the_program_itself_serves),
               T(a_program_that_is_no_worker_is_refused));
}
