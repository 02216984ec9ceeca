/* What a worker says about the driver, and what is said about a worker that cannot. */
#include "rig.h"

#include "base/buf.h"
#include "driver/worker/proto.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdlib.h>

static const struct jw_worker_options plain = {.timeout_ms = 60000};

TEST(no_library_is_an_answer)
{
    const char *missing = jw_os_is_windows() ? "Z:\\nowhere\\nvcuda.dll" : "/nowhere/libcuda.so.1";
    struct jw_worker *w =
        rig_start_with("", &(struct jw_worker_options){.driver = missing, .timeout_ms = 60000});
    const struct jw_worker_driver *d = jw_worker_driver(w);
    size_t n;

    CHECK(d->init_result == -1);
    CHECK_HAS(d->init_name, jw_os_is_windows() ? "nvcuda.dll" : "/nowhere/libcuda.so.1");
    CHECK(d->library == NULL && d->version == NULL);
    CHECK_TEXT(d->build, "");
    CHECK_NUM(d->cuda_version, 0);
    CHECK(jw_worker_devices(w, &n) == NULL && n == 0);
    jw_worker_stop(w);
}

TEST(a_library_that_is_no_driver_is_named)
{
    struct jw_worker *w =
        rig_start_with("", &(struct jw_worker_options){.driver = built_path(FAKE_EMPTY)});
    const struct jw_worker_driver *d = jw_worker_driver(w);
    struct jw_place job = rig_fatbin("none.fatbin", "P50", 0);
    struct jw_worker_result r;

    CHECK(d->init_result == -1);
    CHECK_TEXT(d->init_name, "it is no CUDA driver: it has no cuInit");
    CHECK_HAS(d->library ? d->library : "", "fake_empty");
    CHECK_SAYS(jw_worker_load(w, &job, &(struct jw_load){0}, &r, &err), err, "there is no driver");
    jw_worker_stop(w);
}

TEST(a_driver_and_its_devices)
{
    struct jw_worker *w = rig_start("devices=2");
    const struct jw_worker_driver *d = jw_worker_driver(w);
    size_t n;
    const struct jw_device *g = jw_worker_devices(w, &n);

    CHECK(d->init_result == 0);
    CHECK_TEXT(d->init_name, "CUDA_SUCCESS");
    CHECK_NUM(d->cuda_version, 12080);
    CHECK_HAS(d->library, "fake_driver");
    CHECK(strncmp(d->build, jw_os_is_windows() ? "pe:" : "gnu:", 3) == 0 && strlen(d->build) > 8);
    CHECK_NUM(n, 2);
    for (unsigned i = 0; i < n && i < 2; i++) {
        CHECK_NUM(g[i].index, i);
        CHECK_TEXT(g[i].uuid, i ? "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae01"
                                : "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00");
        CHECK_TEXT(g[i].name, i ? "Fake GPU 1" : "Fake GPU 0");
        CHECK_NUM(g[i].sm, i ? 89 : 86);
        CHECK_NUM(g[i].memory, (8 + (uint64_t)i) << 30);
        CHECK_NUM(g[i].compute_mode, 3);
    }
    jw_worker_stop(w);
}

TEST(a_slice_of_a_gpu_is_told_by_its_own_uuid)
{
    struct jw_worker *w = rig_start("slice");
    size_t n;

    CHECK_TEXT(jw_worker_devices(w, &n)[0].uuid, "MIG-10111213-1415-1617-1819-1a1b1c1d1e00");
    jw_worker_stop(w);
}

TEST(one_device_can_be_chosen)
{
    struct jw_worker_options o = {
        .device = &(struct jw_device){.uuid = "gpu-A0a1a2a3-a4a5-a6a7-a8a9-aaabacadae01"}};
    struct jw_worker *w = rig_start_with("devices=2", &o);
    size_t n;
    const struct jw_device *g = jw_worker_devices(w, &n);

    CHECK_NUM(n, 1);
    CHECK_NUM(g[0].index, 1);
    jw_worker_stop(w);
    o.device = &(struct jw_device){.uuid = "GPU-00000000"};
    CHECK_TEXT(rig_start_fails("devices=2", &o),
               "the driver shows no GPU with the UUID GPU-00000000");
}

TEST(what_cuinit_answers_is_passed_on)
{
    static const struct {
        const char *script, *name;
        int result;
    } all[] = {
        {"init=100", "CUDA_ERROR_NO_DEVICE", 100},
        {"init=803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", 803},
        {"init=46", "CUDA_ERROR_DEVICE_UNAVAILABLE", 46}, /* the driver's own word */
        {"init=12345", "CUresult 12345", 12345},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct jw_worker *w = rig_start(all[i].script);
        size_t n;

        CHECK_NUM(jw_worker_driver(w)->init_result, all[i].result);
        CHECK_TEXT(jw_worker_driver(w)->init_name, all[i].name);
        CHECK_NUM(jw_worker_driver(w)->cuda_version, 12080);
        (void)jw_worker_devices(w, &n);
        CHECK_NUM(n, 0);
        jw_worker_stop(w);
    }
}

TEST(a_driver_that_prints_disturbs_nobody)
{
    struct jw_worker *w = rig_start("noise devices=2");
    size_t n;

    (void)jw_worker_devices(w, &n);
    CHECK_NUM(n, 2);
    jw_worker_stop(w);
}

TEST(a_driver_that_dies_is_named_with_the_cause)
{
    const char *said = rig_start_fails("crash", &plain);

    CHECK_HAS(said, "the driver ");
    CHECK_HAS(said, "fake_driver");
    CHECK_HAS(said, jw_os_is_windows() ? "exception 0xc0000005" : "signal 11 (Segmentation fault)");
    CHECK_HAS(rig_start_fails("exit=5", &plain), " ended its process: exit 5");
}

TEST(a_driver_that_hangs_is_ended)
{
    uint64_t before = jw_time_monotonic_ns();

    CHECK_HAS(rig_start_fails("hang", &(struct jw_worker_options){.timeout_ms = 1500}),
              " did not respond within 1.5 s and was ended");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)30 * 1000000000);
}

TEST(a_wait_can_be_interrupted)
{
    atomic_bool stop = true;
    uint64_t before = jw_time_monotonic_ns();

    CHECK_TEXT(rig_start_fails("hang", &(struct jw_worker_options){.interrupted = &stop}),
               "interrupted");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)50 * 1000000000); /* no timeout */
}

TEST(a_program_that_is_no_worker_is_refused)
{
    struct jw_worker_options o = plain;

    o.exe = jw_os_is_windows() ? "C:\\nowhere\\x.exe" : "/nowhere/x";
    CHECK_HAS(rig_start_fails("", &o), "no such file");
    o.exe = "relative";
    CHECK_HAS(rig_start_fails("", &o), "is not an absolute path");

    set_variable("RIG_ROLE", "newer");
    CHECK_TEXT(
        rig_start_fails("", &plain),
        "the worker has protocol 99 instead of 13: its program is another version of jitwarm");
    set_variable("RIG_ROLE", "silent");
    CHECK_HAS(rig_start_fails("", &plain),
              "a worker that loads the driver ended its process: exit 0");
    set_variable("RIG_ROLE", "rude");
    CHECK_TEXT(rig_start_fails("", &plain), "the worker is another program: it sent no greeting");
    set_variable("RIG_ROLE", "long");
    CHECK_TEXT(rig_start_fails("", &plain), "worker: no message has 4294967295 bytes");
    set_variable("RIG_ROLE", NULL);
}

/* It may have been written to by a driver. */
TEST(texts_of_a_worker_end)
{
    set_variable("RIG_ROLE", "unended");
    struct jw_worker *w = rig_start("");
    size_t n;
    const struct jw_device *g = jw_worker_devices(w, &n);

    set_variable("RIG_ROLE", NULL);
    CHECK(n == 1 && strlen(g->name) == sizeof g->name - 1 && strlen(g->uuid) == sizeof g->uuid - 1);
    jw_worker_stop(w);
}

/* The value that a worker sees. */
static void sees(const char *name, const struct jw_worker_options *o, const char *want)
{
    char script[256];
    struct jw_worker *w;
    size_t n;

    (void)snprintf(script, sizeof script, "tell=%s", name);
    w = rig_start_with(script, o);
    CHECK_TEXT(jw_worker_devices(w, &n)[0].name, want);
    jw_worker_stop(w);
}

TEST(its_environment_is_the_one_that_compiles)
{
    struct jw_worker_options o = {.cache_folder = "/some/root"}, inherit = {.inherit = true};
    struct jw_worker_options named = {.inherit = true, .cache_folder = "/named"},
                             asks = {.asks = true};

    set_variable("CUDA_CACHE_DISABLE", "1");
    set_variable("CUDA_CACHE_PATH", "/users/own");
    set_variable("CUDA_INJECTION64_PATH", "/x.so");
    set_variable("CUDA_VISIBLE_DEVICES", "3");
    set_variable("CUDA_MODULE_LOADING", "LAZY");
    set_variable("CUDA_FORCE_PTX_JIT", "1");
    set_variable("CUDA_BINARY_LOADER_THREAD_COUNT", "8");
    set_variable("CUDA_FORCE_PRELOAD_LIBRARIES", "1");
    set_variable("LD_PRELOAD", "");
    sees("CUDA_CACHE_DISABLE", &o, "0");
    sees("CUDA_CACHE_PATH", &o, "/some/root");
    sees("CUDA_CACHE_MAXSIZE", &o, "4294967295");
    sees("CUDA_MODULE_LOADING", &o, "EAGER");
    sees("CUDA_INJECTION64_PATH", &o, "(unset)");
    sees("CUDA_BINARY_LOADER_THREAD_COUNT", &o, "(unset)");
    sees("CUDA_BINARY_LOADER_THREAD_COUNT", &plain, "(unset)");
    sees("CUDA_VISIBLE_DEVICES", &o, "3");
    sees("CUDA_FORCE_PTX_JIT", &o, "(unset)");
    sees("CUDA_CACHE_PATH", &plain, "/users/own");
    sees("CUDA_CACHE_MAXSIZE", &plain, "(unset)");
    if (!jw_os_is_windows()) {
        sees("LD_PRELOAD", &o, "(unset)");
        sees("CUDA_MPS_PIPE_DIRECTORY", &o, "/proc/self/task");
        sees("CUDA_MPS_PIPE_DIRECTORY", &inherit, "(unset)");
    }
    sees("CUDA_CACHE_DISABLE", &inherit, "1");
    sees("CUDA_MODULE_LOADING", &inherit, "EAGER");
    sees("CUDA_MODULE_LOADING", &asks, "LAZY");
    sees("CUDA_INJECTION64_PATH", &inherit, "/x.so");
    sees("CUDA_BINARY_LOADER_THREAD_COUNT", &inherit, "8"); /* as the programs that it stands for */
    sees("CUDA_MODULE_LOADING", &named, "EAGER");
    sees("CUDA_CACHE_PATH", &inherit, "/users/own");
    sees("CUDA_CACHE_PATH", &named, "/named");
    sees("CUDA_CACHE_DISABLE", &named, "1");
    sees("CUDA_FORCE_PTX_JIT", &named, "1");
    sees("CUDA_FORCE_PRELOAD_LIBRARIES", &o, "0");
    sees("CUDA_FORCE_PRELOAD_LIBRARIES", &inherit, "0");
    sees("CUDA_FORCE_PRELOAD_LIBRARIES", &asks, "1");
    asks.asks_preload = true;
    sees("CUDA_FORCE_PRELOAD_LIBRARIES", &asks, "(unset)");
    set_variable("CUDA_FORCE_PRELOAD_LIBRARIES", NULL);
    set_variable("CUDA_CACHE_DISABLE", NULL);
    set_variable("CUDA_CACHE_PATH", NULL);
    set_variable("CUDA_INJECTION64_PATH", NULL);
    set_variable("CUDA_VISIBLE_DEVICES", NULL);
    set_variable("CUDA_MODULE_LOADING", NULL);
    set_variable("CUDA_FORCE_PTX_JIT", NULL);
    set_variable("CUDA_BINARY_LOADER_THREAD_COUNT", NULL);
    set_variable("LD_PRELOAD", NULL);
}

TEST(the_program_itself_serves)
{
    struct jw_worker_options o = {.exe = built_path(JITWARM), .timeout_ms = 60000};
    struct jw_worker *w = rig_start_with("noise devices=2", &o);
    struct jw_place job = rig_fatbin("verb.so", "P50", 0);
    size_t n;

    (void)jw_worker_devices(w, &n);
    CHECK_NUM(n, 2);
    CHECK(rig_load(w, &job).outcome == JW_JOB_LOADED);
    jw_worker_stop(w);
}

TEST(a_variable_names_another_driver)
{
    struct jw_worker *w = NULL;

    if (jw_os_is_windows())
        SKIP("the variable is for Linux");
    set_variable("FAKE_DRIVER", "");
    set_variable("JITWARM_DRIVER", FAKE_OLD);
    CHECK(jw_worker_start(&w, &plain, &err));
    CHECK_HAS(jw_worker_driver(w)->library, "fake_driver_old");
    jw_worker_stop(w);
    set_variable("JITWARM_DRIVER", "relative/libcuda.so");
    CHECK(jw_worker_start(&w, &plain, &err));
    CHECK_HAS(jw_worker_driver(w)->init_name, "neither a file name nor an absolute path");
    jw_worker_stop(w);
    set_variable("JITWARM_DRIVER", NULL);
}

/* ---- children that are no workers ---- */

static int play(const char *role)
{
    struct jw_parent p;
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_msg m = {.kind = JW_MSG_HELLO};

    if (strcmp(role, "silent") == 0 || !jw_parent_open(&p, JW_IGNORED))
        return 0;
    if (strcmp(role, "newer") == 0)
        m.as.hello.protocol = 99;
    else if (strcmp(role, "rude") == 0)
        m.kind = JW_MSG_READY;
    if (strcmp(role, "unended") == 0) {
        m.as.hello.protocol = JW_PROTO_VERSION;
        jw_proto_put(&out, &m);
        m.kind = JW_MSG_DEVICE;
        memset(&m.as.device, 'x', sizeof m.as.device);
        jw_proto_put(&out, &m);
        m.kind = JW_MSG_READY;
    }
    jw_proto_put(&out, &m);
    if (strcmp(role, "long") == 0)
        memset(out.p, 0xff, out.n);
    (void)!jw_parent_write(&p, out.p, out.n, JW_IGNORED);
    jw_time_sleep_ms(200);
    return 0;
}

MAIN(argc, argv)
{
    const char *role = getenv("RIG_ROLE");

    if (role && argc == 4)
        return play(role);

    int code = rig_worker(argc, argv);

    if (code >= 0)
        return code;
    scratch_begin();
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
    return RUN(argc, argv);
}
