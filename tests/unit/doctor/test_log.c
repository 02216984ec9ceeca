/* Logs: real ones, of several frameworks and ages, and what is none. */
#include "doctor/log/log.h"
#include "doctor/log/log_lines.h"

#include "cache/place/other_caches.h"

#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct jw_arena arena;

static void feed(struct jw_log *log, const char *text)
{
    memset(log, 0, sizeof *log);
    jw_log_feed(log, text, strlen(text));
    jw_log_end(log);
}

TEST(a_gap)
{
    static struct jw_log log;

    feed(&log, "2020-11-22 22:35:25.212344: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1858] Adding "
               "visible gpu "
               "devices: 0\r\n"
               "no time in this one\r\n"
               "2020-11-22 22:39:20.945012: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1257] Device "
               "interconnect\n");
    CHECK_NUM(log.lines, 3);
    CHECK_NUM(log.stamped, 2);
    CHECK(log.gap.seconds > 235.7 && log.gap.seconds < 235.8);
    CHECK(log.gap.compiling);
    CHECK_HAS(log.gap.before, "Adding visible gpu devices: 0");
    CHECK(log.tensorflow && !log.pytorch);
}

TEST(other_clocks)
{
    static struct jw_log log;

    feed(&log,
         "2021-12-31 23:59:50,123 INFO a\n2022-01-01 00:00:20,123 INFO b\n"); /* over midnight and the year */
    CHECK(log.gap.seconds > 29.9 && log.gap.seconds < 30.1);
    CHECK(!log.gap.compiling);
    feed(&log, "[2024-02-28T23:59:59] a\n[2024-03-01T00:00:09] b\n"); /* a leap day lies between */
    CHECK_NUM((unsigned)log.gap.seconds, 0);                          /* more than a day is no start-up */
    feed(&log, "I1122 22:35:25.000000 1 x.cc:1] a\nI1122 22:36:25.000000 1 x.cc:1] b\n");
    CHECK(log.gap.seconds > 59.9 && log.gap.seconds < 60.1);
    feed(&log, "2020-11-22 22:35:25: a\n2020-11-22 22:35:30: b\n"); /* five seconds happen to everybody */
    CHECK(log.gap.seconds == 0);
    feed(&log, "2020-11-22 22:35:25: a\n2020-11-22 21:35:25: b\n"); /* backwards */
    CHECK(log.gap.seconds == 0);
    feed(&log, "2020-99-22 22:35:25: a\n9999-99-99 99:99:99: b\n2020-11-22 2\n2020-11-22 22:35\n");
    CHECK_NUM(log.stamped, 0);
    feed(&log,
         "2020-11-22 22:00:00: a\n2020-11-22 22:01:00: b\n2020-11-22 22:05:00: c\n2020-11-22 22:05:20: d\n");
    CHECK(log.gap.seconds > 239 && log.gap.seconds < 241); /* the longest */
    CHECK_NUM(log.gap.line, 2);
}

TEST(what_the_kernel_module_says)
{
    static struct jw_log log;

    feed(&log, "[    5.1] NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b81)\n"
               "[    5.1] NVRM: installed in this system is not supported by the\n"
               "[    5.1] NVRM: NVIDIA 361.42 driver release.\n"
               "[    5.1] nvidia: probe of 0000:01:00.0 failed with error -1\n");
    CHECK_NUM(log.n_complaints, 2);
    CHECK_HAS(log.complaints[0].text, "is not supported by the NVIDIA 361.42 driver release.");
    CHECK_TEXT(log.driver, "361.42");
    CHECK_NUM(log.n_gpus, 1);
    CHECK_NUM(log.gpus[0].sm, 61);
    /* a message that another line breaks off is no other message's beginning */
    feed(&log, "NVRM: API mismatch: the client has the version 1.2, but\nusb 1-1: new device\n"
               "NVRM: this kernel module has the version 1.3.\n");
    CHECK_NUM(log.n_complaints, 0);
    feed(&log, "NVRM: The NVIDIA \nNVRM: \nNVRM:\nNVRM: Xid (\nNVRM: Xid (): x\n");
    CHECK_NUM(log.n_complaints, 1);
}

TEST(a_last_line_that_sounds_like_a_failure)
{
    static const struct {
        const char *line;
        bool fails;
    } lines[] = { { "cannot map the weights", true },
                  { "load failed with code 3", true },
                  { "3 errors", true },
                  { "errors=3", true },
                  { "epoch 3: validation error 0.02", false },
                  { "Minibatch error: 90.6%", false },
                  { "test error: 1.35, best 1.2", false },
                  { "error: 3.5 GiB are not there", true },
                  { "error: 90", true },
                  { "error 0x3 of the disk", true },
                  { "12 passed, 0 failed", false },
                  { "0 errors", false },
                  { "10 errors", true },
                  { "ok=3 failed=0 unreachable=0", false },
                  { "failed=10", true },
                  { "\"errors\": 0}", false },
                  { "finished without errors", false },
                  { "Done 12000 files, 0 with no tgt_mats, 0 with other errors. [12.3 min]", false },
                  { "Done 12000 files, 3 with other errors. [12.3 min]", true },
                  { "Max error: 1.526e-05", false },
                  { "max error: 0", false },
                  { "Mean reprojection error: 0.51234px", false },
                  { "Rotation error: 0.5 deg, translation error: 1.2 cm", false },
                  { "validation error after 20 iterations: 12", false },
                  { "validation error: the file has 12 lines, and one is empty", true },
                  { "eval error rate: 41.0 %", false },
                  { "step=0 loss=3.21 error=0.91 accuracy=0.09", false },
                  { "[0] train-error:0.046522 eval-error:0.042831", false },
                  { "error loading 1.5 GB of weights", true },
                  { "CUDA error: 700", true },
                  { "training error: CUDA error 700", true },
                  { "The best model has been updated: valid.error", false },
                  { "tests/test_cuda_errors.py ....", false },
                  { "tests/test_gpu.py::test_failed_load PASSED [ 80%]", false },
                  { "tests/test_gpu.py::test_load FAILED [ 80%]", true },
                  { "Building CUDA object app.dir/error.cu.o", false },
                  { "-- Performing Test HAS_WERROR - Failed", false },
                  { "2 passed, 1 failed in 3.1s", true },
                  { "RuntimeError: it stopped", true },
                  { "app.cu(12): error: identifier is undefined", true },
                  { "3 failures", true },
                  { "cuInit returned CUDA_ERROR_OF_TOMORROW", true },
                  { "cudaErrorOfTomorrow", true },
                  { "make: *** [Makefile:12: all] Error 1", true },
                  { "Process failed.", true },
                  { "validation error: schema mismatch in line 12", true },
                  { "ERR_DLOPEN_FAILED", true },
                  { "NCCL_ASYNC_ERROR_HANDLING=1", false },
                  { "0: NCCL_ASYNC_ERROR_HANDLING set by user to 1.", false },
                  { "IGNORE_ERRORS=1", false },
                  { "the status is GL_NO_ERROR", false },
                  { "exited with GL_OUT_OF_MEMORY_ERROR", true },
                  { "ERR_LOAD_FAILURE", true },
                  { "no CUDA-capable device error", true },
                  { "stopped with a no space left on device error, see above", true },
                  { "no CUDA GPUs are available, so the run failed", true },
                  { "no such file, load failed", true },
                  { "done, no compile errors", false },
                  { "there were no other errors", false },
                  { "no warnings or errors", false },
                  { "ended without a single error", false },
                  { "build without CUDA failed", true },
                  { "no test failed", false },
                  { "fatal: error 3e", true },
                  { "fatal: error 3e+", true },
                  { "WARNING: could not import flash_attn", false },
                  { "unable to use it, falling back to the other", false },
                  { "all is well", false } };

    for (size_t i = 0; i < JW_COUNT(lines); i++)
        if (jw_log_is_failure(lines[i].line) != lines[i].fails)
            CHECK_TEXT(lines[i].line, lines[i].fails ? "a failure" : "no failure");
    CHECK(!jw_log_sounds_failed("IGNORE_ERRORS=1"));
    CHECK(jw_log_is_failure("error: 3e\0"
                            "5%")); /* what lies behind its end is no part of it */
}

static const char *ollama(const char *version, const char *build, unsigned sm)
{
    static struct jw_log log;
    static char text[400];

    (void)snprintf(
        text, sizeof text,
        "msg=\"Listening on 127.0.0.1:11434 (version %s)\"\nmsg=\"inference compute\" library=cuda %s "
        "compute=%u.%u driver=12.4 name=\"a GPU\" total=x\n",
        version, build, sm / 10, sm % 10);
    feed(&log, text);
    return !log.made_by ? "not known" : jw_log_ollama_is_native(&log) ? "native" : log.ptx;
}

TEST(what_ollama_is_built_for)
{
    CHECK_TEXT(ollama("0.5.12", "variant=v12", 90), "native");
    CHECK_TEXT(ollama("0.5.12", "variant=v12", 120), "60 61 62 70 72 75 80 86 87 89 90 90a");
    CHECK_TEXT(ollama("0.5.13", "variant=v12", 120), "native");
    CHECK_TEXT(ollama("0.11.10", "variant=v13", 86), "not known");
    CHECK_TEXT(ollama("0.11.11", "variant=v13", 86), "75 80 86 87 89 90 90a 100 110 120 121");
    CHECK_TEXT(ollama("0.12.7", "libdirs=ollama,cuda_v12", 121), "native");
    CHECK_TEXT(ollama("0.12.7", "libdirs=ollama,cuda_v12", 88), "50 52 60 61 70 75 80 86 89 90 90a 120");
    CHECK_TEXT(ollama("0.31.0", "libdirs=ollama,cuda_v12", 61), "50 52 60 61 70 75 80 86 89 90 90a 120");
    CHECK_TEXT(ollama("0.32.0", "libdirs=ollama,cuda_v12", 61), "native");
    CHECK_TEXT(ollama("0.34.0", "libdirs=ollama,cuda_v12", 61), "not known"); /* newer than the table */
    CHECK_TEXT(ollama("0.5.6", "variant=v12", 90), "not known");
    CHECK_TEXT(ollama("0.0.0", "variant=v12", 90), "not known");
    CHECK_TEXT(ollama("0.12.7-rc1", "variant=v12", 90), "not known");
    CHECK_TEXT(ollama("0.12.7", "variant=jetpack6", 87), "not known");
}

static const struct jw_finding *pause_of(const char *text, struct jw_findings *f)
{
    static struct jw_log log;

    feed(&log, text);
    *f = JW_FINDINGS(&arena);
    jw_doctor_log(&log, "serve.log", f);
    return jw_finding_of(f, "log-gap");
}

static const struct jw_finding *finding_in(const char *text, const char *id)
{
    static struct jw_findings f;
    static struct jw_log log;

    f = JW_FINDINGS(&arena);
    feed(&log, text);
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 1);
    CHECK_TEXT(f.n ? f.v[0].id : "", id);
    return f.n ? &f.v[0] : NULL;
}

/* As TensorRT-LLM's and SGLang's logs have them: the compiler says when it begins and when it has ended. */
TEST(a_pause_of_another_compiler_names_it)
{
    struct jw_findings f;
    const struct jw_finding *p = pause_of(
        "[2025-05-02 16:14:33] Capture cuda graph bs [1, 2, 4, 8]\n"
        "2025-05-02 16:14:34,907 - INFO - flashinfer.jit: Loading JIT ops: batch_decode_with_kv_cache\n"
        "2025-05-02 16:17:57,224 - INFO - flashinfer.jit: Finished loading JIT ops: "
        "batch_decode_with_kv_cache\n",
        &f);

    CHECK_NUM(f.n, 1); /* one finding: the pause and its reason */
    CHECK_TEXT(p->text, "the log pauses for 3 min 22 s after line 2, where FlashInfer compiles");
    CHECK_HAS(p->evidence, "line 3: 2025-05-02 16:17:57,224 - INFO - flashinfer.jit: Finished");
    CHECK_HAS(p->consequence, "~/.cache/flashinfer, or where FLASHINFER_WORKSPACE_BASE says");
    CHECK_HAS(p->fix, "set FLASHINFER_WORKSPACE_BASE to a folder on a volume");
    CHECK(!p->command); /* priming does not shorten it */
    p = pause_of(
        "[2025-06-01 10:00:00 TP0] Entering DeepGEMM JIT Pre-Compile session. It may takes a long "
        "time\nDeepGEMM warmup:   0%|   | 0/16384\n[2025-06-01 10:12:00 TP0] Capture cuda graph end\n",
        &f);
    CHECK_HAS(p->text, "where DeepGEMM compiles");
    CHECK_HAS(p->evidence, "line 1: ");
    CHECK_HAS(p->fix, "SGLANG_DG_CACHE_DIR");
}

/* vLLM's own times, behind the name of the process; other lines of the log have a year. */
TEST(a_pause_in_vllm)
{
    struct jw_findings f;
    const struct jw_finding *p = pause_of(
        "(Worker_TP0 pid=57) INFO 06-21 07:50:00 [gpu_model_runner.py:3012] Starting to load model\n"
        "(Worker_TP0 pid=57) 2026-06-21 07:50:02  [TileLang:tilelang.jit.kernel:INFO] (kernel.py:133): "
        "TileLang begins to compile kernel `mhc_pre_big_fuse` with `out_idx=None`\n"
        "(Worker_TP0 pid=57) 2026-06-21 07:54:46  [TileLang:tilelang.jit.kernel:INFO] (kernel.py:141): "
        "TileLang completes to compile kernel `mhc_pre_big_fuse`\n"
        "(Worker_TP0 pid=57) INFO 06-21 07:55:48 [gpu_worker.py:298] Available KV cache memory: 50 GiB\n",
        &f);

    CHECK_NUM(f.n, 1); /* the longest pause alone */
    CHECK_HAS(p->text, "pauses for 4 min 44 s after line 2, where TileLang compiles");
    CHECK_HAS(p->fix, "TILELANG_CACHE_DIR");
    p = pause_of("(EngineCore pid=284) INFO 05-30 07:48:05 [core.py:1] request\n"
                 "(EngineCore pid=284) WARNING 05-30 07:48:45 [jit_monitor.py:103] Triton kernel JIT "
                 "compilation during inference: _zero_kv_blocks_kernel.\n",
                 &f);
    CHECK_HAS(p->text, "where Triton compiles");
    CHECK_HAS(p->consequence, "~/.triton/cache");
    p = pause_of("INFO 10-14 22:48:40 [backends.py:197] Cache the graph for dynamic shape for later use\n"
                 "INFO 10-14 22:49:05 [backends.py:218] Compiling a graph for dynamic shape takes 28.96 s\n",
                 &f);
    CHECK_HAS(p->fix, "VLLM_CACHE_ROOT");
}

/* What has ended is no reason of the pause after it. A longer pause of another reason does not hide one of a compiler. */
TEST(a_pause_after_a_compiler_is_not_its)
{
    struct jw_findings f;
    const struct jw_finding *p =
        pause_of("2025-06-08 21:06:35,733 - INFO - flashinfer.jit: Loading JIT ops: cascade\n"
                 "2025-06-08 21:06:35,741 - INFO - flashinfer.jit: Finished loading JIT ops: cascade\n"
                 "[2025-06-08 21:09:36] Decode batch. #running-req: 1\n",
                 &f);

    CHECK_NUM(f.n, 1);
    CHECK(!strstr(p->text, "FlashInfer"));
    p = pause_of("INFO 10-14 22:00:00 [core.py:1] Starting to load model\n"
                 "INFO 10-14 22:10:00 [core.py:2] Model loading took 14 GiB\n"
                 "INFO 10-14 22:10:40 [backends.py:218] Compiling a graph for dynamic shape takes 28.96 s\n",
                 &f);
    CHECK_NUM(f.n, 2);
    CHECK(!strstr(f.v[0].text, "compiles"));
    CHECK_HAS(f.v[1].text, "where vLLM's torch.compile compiles");
}

/* A program may say itself how long its work took, in parts of which none is a pause. */
TEST(what_a_program_says_of_its_own_time)
{
    struct jw_findings f;
    const struct jw_finding *p = pause_of(
        "INFO 07-10 12:50:00 [loader.py:1] Starting to load model x\n"
        "INFO 07-10 12:51:00 [loader.py:458] Loading weights took 59.80 seconds\n"
        "INFO 07-10 12:51:09 [backends.py:181] Compiling a graph for compile range (1, 64) takes 8.81 s\n"
        "INFO 07-10 12:51:18 [backends.py:181] Compiling a graph for compile range (64, 99) takes 8.9 s\n"
        "INFO 07-10 12:51:19 [monitor.py:34] torch.compile takes 84.12 s in total\n",
        &f);

    CHECK_NUM(f.n, 2);
    CHECK_TEXT(p->text, "vLLM's torch.compile compiles for 1 min 24 s, as the log says");
    CHECK_HAS(p->evidence, "line 5: ");
    CHECK_HAS(p->fix, "VLLM_CACHE_ROOT");
    CHECK_HAS(f.v[1].text, "pauses for 1 min");
    CHECK_HAS(f.v[1].consequence, "line 2 says what took so long: ");
    CHECK_HAS(f.v[1].consequence, "Loading weights took 59.80 seconds");
    CHECK(!f.v[1].command);
    /* One work, one finding: the pause is a part of what the log says. */
    p = pause_of("INFO 07-10 12:50:22 [backends.py:519] Dynamo bytecode transform time: 7.10 s\n"
                 "INFO 07-10 12:51:40 [backends.py:181] Compiling a graph for dynamic shape takes 77.02 s\n"
                 "INFO 07-10 12:51:44 [monitor.py:34] torch.compile takes 84.12 s in total\n",
                 &f);
    CHECK_NUM(f.n, 1);
    CHECK_HAS(p->text, "pauses for 1 min 18 s after line 1, where vLLM's torch.compile compiles; it "
                       "says that it took 1 min 24 s");
    /* Without a time stamp. */
    p = pause_of("WARNING:jax._src.dispatch:Finished XLA compilation of jit(step) in 94.25 sec\n", &f);
    CHECK_HAS(p->text, "XLA compiles for 1 min 34 s, as the log says");
    CHECK_NUM((unsigned)jw_log_stated_seconds("The operation took 1h6m29.04s"), 3989);
    CHECK_NUM((unsigned)jw_log_stated_seconds("Model loading took 14.99 GiB and 31.5 seconds"), 31);
    /* Memory, parts of a second, and what no program waits for are no such time. */
    CHECK(!pause_of("vllm\nINFO 07-10 12:51:01 [a.py:1] torch.compile takes 1e999 s in total\n"
                    "INFO 07-10 12:51:01 [a.py:1] torch.compile takes 99999999999999999999 s in total\n"
                    "INFO 07-10 12:51:01 [a.py:1] torch.compile takes 9e99m9e99s in total\n"
                    "llama_perf_context_print: load time = 1e999 ms\n",
                    &f));
    CHECK(!pause_of("INFO 07-10 12:51:00 [a.py:1] Graph capturing finished in 4 secs, took 51.00 GiB\n"
                    "INFO 07-10 12:51:01 [a.py:1] torch.compile takes 8412.5 ms in total\n",
                    &f));
}

/* What TensorFlow says for certain stays, and the pause is a part of it. */
TEST(a_certain_word_stays_beside_a_pause)
{
    const struct jw_finding *f = finding_in(
        "2024-03-02 10:00:00.000000: W tensorflow/core/common_runtime/gpu/gpu_device.cc:1858] TensorFlow was "
        "not built with CUDA kernel binaries compatible with compute capability 8.9. CUDA kernels will be "
        "jit-compiled from PTX, which could take 30 minutes or longer.\n"
        "2024-03-02 10:12:00.100000: I tensorflow/x.cc:1] go\n",
        "log-complaint");

    CHECK_HAS(f->text, "no machine code for this GPU");
    CHECK_HAS(f->consequence, "the log pauses for 12 min after line 1");
    CHECK_TEXT(f->command, "jitwarm prime");
}

/* Three steps are enough to see that each takes as long; of two other lines nothing is known. */
TEST(few_steps)
{
#define STEP(time, n) "2026-11-27 10:" time " cuda:0 epoch " n "\n"
    static const struct {
        const char *log;
        bool gap;
    } rows[] = {
        { STEP("00:00", "1, loss 1.25") STEP("00:40", "2, loss .5") STEP("01:21", "3, loss 0"), false },
        { STEP("00:00", "1") STEP("00:40", "2"), true },
        { STEP("00:00", "1") STEP("00:40", "2") STEP("01:10", "3"), true },
        { STEP("00:00", "1") STEP("00:40", "one") STEP("01:20", "3"), true },
        { STEP("00:00", "loading") STEP("00:40", "1") STEP("01:20", "2"), true },
        { STEP("00:00", "loading") STEP("00:40", "1") STEP("01:20", "2") STEP("02:00", "3"), false },
        { STEP("00:00", "loading") STEP("01:00", "1") STEP("01:40", "2") STEP("02:20", "3"), true }
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct jw_findings f;
        const struct jw_finding *gap = pause_of(rows[i].log, &f);

        CHECK(!gap == !rows[i].gap);
        CHECK(gap || jw_finding_of(&f, "log-quiet"));
    }
#undef STEP
}

TEST(a_render_of_blender)
{
#define FRAME "Fra:1 Mem:512.11M (Peak 520.20M) | Time:"
    struct jw_findings f;
    const struct jw_finding *p = pause_of(
        FRAME
        "00:00.53 | Scene, ViewLayer | Loading render kernels (may take a few minutes the first time)\n" FRAME
        "03:41.87 | Scene, ViewLayer | Updating Scene\n",
        &f);

    CHECK_HAS(p->text, "pauses for 3 min 41 s after line 1, where Blender loads the kernels of Cycles");
    CHECK_HAS(p->consequence, "the driver compiles them where this Blender has no machine code");
    CHECK_TEXT(p->command, "jitwarm doctor --watch=60s");
#undef FRAME
}

/* A server that is ready waits for its clients, and not for a compiler, until it works again or says that it compiles. */
TEST(a_server_that_waits)
{
#define READY "INFO 10-14 22:00:00 [launcher.py:1] vLLM\nINFO:     Application startup complete.\n"
    struct jw_findings f;
    const struct jw_finding *p =
        pause_of(READY "INFO 10-14 23:00:00 [loggers.py:1] Engine 000: Avg prompt throughput: 1.1\n", &f);

    CHECK(!p);
    CHECK_HAS(f.v[0].text, "a server that is ready: it waits for a request");
    CHECK_TEXT(f.v[0].id, "log-quiet");
    p = pause_of(READY "INFO 10-14 23:00:00 [loggers.py:1] Received request cmpl-1: prompt: 'a'\n"
                       "INFO 10-14 23:02:00 [loggers.py:1] Added request cmpl-1.\n",
                 &f);
    CHECK_HAS(p->text, "pauses for 2 min");
    p = pause_of(READY "INFO 10-14 22:01:00 [jit_monitor.py:103] Triton kernel JIT compilation during "
                       "inference: x.\n",
                 &f);
    CHECK_HAS(p->text, "where Triton compiles");
    p = pause_of("INFO 10-14 21:59:00 [launcher.py:1] vLLM\n" READY, &f); /* before it was ready */
    CHECK_HAS(p->text, "pauses for 1 min");
#undef READY
}

static bool is_idle(const char *ready, const char *next)
{
    struct jw_findings f;
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "2025-10-14 22:00:00 cuda\n%s\n2025-10-14 22:00:01 cuda\n%s\n2025-10-14 23:00:00 cuda\n",
                   ready, next);
    return !pause_of(text, &f);
}

/* By what it does: it says at which address of this machine it listens, or has answered a request. */
TEST(a_server_shows_that_it_is_ready)
{
    static const char *const ready[] = {
        "INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)",
        "main: server is listening on http://127.0.0.1:8080 - starting the main loop",
        "* Running on local URL:  http://127.0.0.1:7860",
        " * Running on http://127.0.0.1:5000",
        "I1107 19:16:10.190609 27653 http_server.cc:3558] Started HTTPService at 0.0.0.0:8000",
        "time=2025-10-14T22:00:00.000Z level=INFO source=routes.go:1205 msg=\"Listening on [::]:11434 "
        "(version 0.3.12)\"",
        "[2025-10-14 22:00:00 +0000] [7] [INFO] Listening at: http://0.0.0.0:8000 (7)",
        "To see the GUI go to: http://127.0.0.1:8188",
        "Prompt executed in 131.91 seconds",
        "srv  update_slots: all slots are idle",
        "srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 200",
        "[GIN] 2025/10/14 - 22:00:00 | 200 |   18.1074617s |       127.0.0.1 | POST     \"/api/chat\"",
        "INFO:     10.0.0.7:50412 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK",
    };
    static const char *const not_ready[] = {
        "world_size=1 rank=0 distributed_init_method=tcp://127.0.0.1:46637 backend=nccl",
        "Started a local Ray instance. View the dashboard at 127.0.0.1:8265",
        "INFO:httpx:HTTP Request: GET https://huggingface.co/api/models \"HTTP/1.1 200 OK\"",
        "HTTP server is listening, hostname: 127.0.0.1, port: 8080, http threads: 23",
        "time=2025-10-14T22:00:00.000Z level=INFO source=runner.go:1286 msg=\"Server listening on "
        "127.0.0.1:36215\"",
        "[GIN] 2025/10/14 - 22:00:00 | 200 |  97.856us |       127.0.0.1 | GET      \"/api/ps\"",
    };
    static const char *const works[] = { "srv    load_model: loading model 'x.gguf'",
                                         "slot launch_slot_: id  0 | task 0 | processing task",
                                         "[8] [INFO] Booting worker with pid: 8", "got prompt",
                                         "[2025-10-14 22:00:01 TP0] Prefill batch. #new-seq: 1" };

    for (size_t i = 0; i < JW_COUNT(ready); i++)
        CHECK(is_idle(ready[i], ""));
    for (size_t i = 0; i < JW_COUNT(not_ready); i++)
        CHECK(!is_idle(not_ready[i], ""));
    for (size_t i = 0; i < JW_COUNT(works); i++)
        CHECK(!is_idle(ready[0], works[i]));
}

/* The variable is the one that other findings name. */
TEST(compilers_of_logs_are_known_caches)
{
    static const char *const lines[] = { "flashinfer.jit: Loading JIT ops: x",
                                         "TileLang begins to compile kernel `x`",
                                         "Triton kernel JIT compilation during inference",
                                         "Compiling a graph for dynamic shape" };
    struct jw_other_cache list[JW_OTHER_CACHES];
    size_t n, same = 0;

    jw_other_caches(&arena, list, &n);
    for (size_t i = 0; i < JW_COUNT(lines); i++) {
        const struct jw_log_compiler *c = jw_log_compiler_begins(lines[i]);
        const char *variable = NULL;

        c = c ? c : jw_log_compiler_ends(lines[i]);
        CHECK_HAS(jw_other_cache_usual(c->owner, &arena, &variable), "~/");
        for (size_t k = 0; k < n; k++)
            same += strcmp(list[k].owner, c->owner) == 0 && strcmp(list[k].variable, variable) == 0;
    }
    CHECK_NUM(same, JW_COUNT(lines));
    CHECK(!jw_other_cache_usual("nobody", &arena, &(const char *){ NULL }));
}

TEST(gpus)
{
    static struct jw_log log;

    feed(&log, "pciBusID: 0000:2b:00.0 name: GeForce RTX 3070 computeCapability: 8.6\n"
               "physical GPU (device: 0, name: GeForce RTX 3070, pci bus id: 0000:2b:00.0, compute "
               "capability: 8.6)\n"
               "-> device: 1, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5\n");
    CHECK_NUM(log.n_gpus, 2);
    CHECK_TEXT(log.gpus[0].name, "GeForce RTX 3070");
    CHECK_NUM(log.gpus[0].sm, 86);
    CHECK_TEXT(log.gpus[1].name, "Tesla T4");
    CHECK_NUM(log.gpus[1].sm, 75);
    feed(&log, "name: GeForce GTX 1080 major: 6 minor: 1 memoryClockRate(GHz): 1.7335\n");
    CHECK_NUM(log.n_gpus, 1);
    CHECK_TEXT(log.gpus[0].name, "GeForce GTX 1080");
    CHECK_NUM(log.gpus[0].sm, 61);
    feed(&log, "I tensorflow/core/common_runtime/gpu/gpu_init.cc:102] Found device 0 with properties: \n"
               "name: GeForce GTX 1070\nmajor: 6 minor: 1 memoryClockRate (GHz) 1.7715\n");
    CHECK_NUM(log.n_gpus, 1);
    CHECK_TEXT(log.gpus[0].name, "GeForce GTX 1070");
    feed(&log, "UserWarning: \nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with "
               "the current PyTorch "
               "installation.\n");
    CHECK_NUM(log.n_gpus, 1);
    CHECK_TEXT(log.gpus[0].name, "NVIDIA GeForce RTX 5090");
    CHECK_NUM(log.gpus[0].sm, 120);
    CHECK_NUM(log.n_complaints, 1);
    feed(&log,
         "name: computeCapability: 8.6\nname: x compute capability: y\nmajor:  minor: \nname:\n"
         "computeCapability: 8.6 name: late\n with CUDA capability sm_\ncompute capability: 999.9 name: \n");
    CHECK_NUM(log.n_gpus, 0);
}

TEST(libraries)
{
    static struct jw_log log;
    struct jw_release s;
    bool guessed;

    feed(&log, "2020-11-22 22:35:24.1: I tensorflow/stream_executor/platform/default/dso_loader.cc:48] "
               "Successfully opened "
               "dynamic library cudart64_101.dll\nSuccessfully opened dynamic library cudnn64_7.dll\n");
    CHECK_NUM(log.cudart, 1001);
    CHECK_NUM(log.cudnn, 700);
    CHECK(log.windows && !log.linux);
    CHECK(jw_log_software(&log, &s, &guessed));
    CHECK_TEXT(s.version, "2.3");
    feed(&log, "W tensorflow/x] Could not load dynamic library 'libcudart.so.11.0'; dlerror: "
               "libcudart.so.11.0: cannot open\n"
               "W tensorflow/x] Could not load dynamic library 'libcudart.so.11.0'; again\n"
               "W tensorflow/x] Could not load dynamic library 'libcudnn.so.8'; dlerror\n");
    CHECK_NUM(log.n_missing, 2);
    CHECK_TEXT(log.missing[1], "libcudnn.so.8");
    CHECK_NUM(log.cudart, 1100);
    feed(&log, "cudart64_12.dll tensorflow/\n");
    CHECK_NUM(log.cudart, 1200);
    feed(&log, "nothing of it\n");
    CHECK(!jw_log_software(&log, &s, &guessed));
}

TEST(complaints)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(&log, "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
               "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
               "\x1b]0;t\athe provided PTX was compiled with an unsupported toolchain\n");
    CHECK_NUM(log.n_complaints, 2);
    CHECK_NUM(log.complaints[0].times, 2);
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 2);
    CHECK_HAS(f.v[0].evidence, "line 1, and 1 more like it");
    CHECK_HAS(f.v[1].evidence, "\\x1b]0;t");
}

static void pauses(const char *text, unsigned seconds)
{
    static struct jw_log log;

    feed(&log, text);
    CHECK_NUM(log.stamped, 2);
    CHECK_NUM((unsigned)(log.gap.seconds + 0.5), seconds);
}

/* vLLM (with its colours), Ollama alone and in the journal, docker compose, a bare clock. */
TEST(clocks_behind_prefixes)
{
    pauses("(EngineCore_0 pid=812) INFO 09-02 10:00:15 [x.py:1] a\n"
           "\x1b[1;36m(EngineCore_0 pid=812)\x1b[0;0m INFO 09-02 10:06:15 [x.py:1] b\n",
           360);
    pauses("time=2024-05-01T10:00:00.000Z level=INFO msg=a\ntime=2024-05-01T10:00:30.000Z level=WARN msg=b\n",
           30);
    pauses("Oct 18 19:07:48 host ollama[1016]: time=x msg=a\nOct 18 19:08:48 host ollama[1016]: msg=b\n", 60);
    pauses("web-1  | 2024-05-01 10:00:00 a\nweb-1  | 2024-05-01 10:00:30 b\n", 30);
    pauses("[INFO] 2024-05-01 10:00:00 a\n[INFO] 2024-05-01 10:00:30 b\n", 30);
    pauses("[01/20/2025-12:00:00] [TRT-LLM] [I] a\n[01/20/2025-12:04:00] [TRT] [I] b\n", 240); /* TensorRT */
    pauses("[12/31/24 23:59:00] INFO a\n[01/01/25 00:01:00] INFO b\n", 120);                   /* rich */
    pauses("[I 2025-01-05 09:00:03,120] a\n[I 2025-01-05 09:02:45,120] b\n", 162);
    pauses("[rank0]:I0109 13:20:11.1 12 a.py:1] a\n[rank0]:I0109 13:21:11.1 12 a.py:1] b\n", 60);
    pauses(
        "E0000 00:00:1712000001.000000     500 a.cc:1] a\nI0000 00:00:1712000045.000000     500 a.cc:1] b\n",
        44);
    pauses("17:19:26-223456 WARNING  a\n17:21:36-323456 INFO     b\n", 130);
    pauses("23:59:58 start\n00:03:58 model loaded\n", 240); /* over midnight */
    pauses("2024-02-28 23:59:58 start\n[00:00:28] loaded\n", 30);
}

/* As ONNX Runtime 1.20 writes into a file. */
TEST(clocks_behind_colours)
{
    struct jw_log log;

    feed(&log, "\x1b[0;93m2026-11-25 17:10:37.856626459 [W:onnxruntime:Default, a.cc:993 A] CUDA begins\n"
               "\x1b[m\n"
               "\x1b[0;93m2026-11-25 17:12:37.856626459 [W:onnxruntime:Default, a.cc:994 A] then\x1b[m\n");
    CHECK_NUM(log.stamped, 2);
    CHECK_NUM((long)log.gap.seconds, 120);
    CHECK_TEXT(log.gap.before,
               "2026-11-25 17:10:37.856626459 [W:onnxruntime:Default, a.cc:993 A] CUDA begins");
    feed(&log, "2026-11-25 17:10:37 cut off \x1b[1;3");
    CHECK_NUM(log.stamped, 1);
}

TEST(what_is_no_clock)
{
    static struct jw_log log;

    feed(&log,
         "00:00:01<00:20:00 of a bar\nshape=12:30\nexpires 2024-05-01 10:00:00\n25:00:00 a\nJun 45:12:12\n"
         "(EngineCore pid=\n\x1b[\n\x1b\nMon 12 10:00:00 a\n13/20/2025-12:00:00 "
         "a\n01/20/2025\n01/20/20\nI\nI \n");
    CHECK_NUM(log.stamped, 0);
}

TEST(a_missing_nvcc)
{
    const struct jw_finding *f =
        finding_in("2025-03-01 10:00:20,411 - INFO - flashinfer.jit: Loading JIT ops: batch_decode\n"
                   "RuntimeError: Ninja build failed. Ninja output:\n"
                   "FAILED: /root/.cache/flashinfer/90/batch_decode.cuda.o \n"
                   "/bin/sh: 1: /usr/local/cuda/bin/nvcc: not found\n"
                   "ninja: build stopped: subcommand failed.\n",
                   "log-complaint");

    CHECK_HAS(f->text, "finds no nvcc");
    CHECK_HAS(f->evidence, "line 4: ");
}

/* The newest cuDNN is not that of an older program: what the message or the version of the software says. */
TEST(a_command_for_the_cudnn_that_it_needs)
{
    static const char missing[] = "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded\n";
    /* The loader's line behind it, and its quotes, are those of the system. */
    bool windows = jw_os_is_windows();

    CHECK_HAS(finding_in(jw_arena_printf(&arena, "INFO ctranslate2 4.4.0 loads the model\n%s", missing),
                         "log-complaint")
                  ->command,
              windows ? "pip install nvidia-cublas-cu12 \"nvidia-cudnn-cu12==8.*\""
                      : "pip install nvidia-cublas-cu12 'nvidia-cudnn-cu12==8.*' && ");
    CHECK_HAS(finding_in(jw_arena_printf(&arena, "INFO ctranslate2 4.5.0 loads the model\n%s", missing),
                         "log-complaint")
                  ->command,
              windows ? "pip install nvidia-cublas-cu12 \"nvidia-cudnn-cu12==9.*\""
                      : "pip install nvidia-cublas-cu12 'nvidia-cudnn-cu12==9.*' && ");
    CHECK_HAS(finding_in(missing, "log-complaint")->command,
              windows ? "pip install nvidia-cublas-cu12 nvidia-cudnn-cu12"
                      : "pip install nvidia-cublas-cu12 nvidia-cudnn-cu12 && ");
    CHECK_HAS(finding_in("Could not load library cudnn_cnn_infer64_8.dll. Error code 127\n", "log-complaint")
                  ->command,
              "nvidia-cudnn-cu12==8.*");
}

/* An error that nobody knows is not "nothing wrong", whatever it speaks of and whatever else the log has. */
TEST(an_error_at_the_end)
{
    const struct jw_finding *f =
        finding_in("2024-01-01 10:00:00 INFO a\n2024-01-01 10:00:01 INFO b\n"
                   "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n"
                   "ValueError: bad thing\n",
                   "log-not-understood");

    CHECK_TEXT(f->text, "the log ends with an error that jitwarm does not know; nothing in it is about CUDA");
    CHECK_TEXT(f->evidence, "line 5: ValueError: bad thing");
    CHECK_NUM(f->severity, JW_WARNING);
    f = finding_in("(EngineCore pid=2) ERROR 03-05 09:56:09 [core.py:1] Traceback (most recent call last):\n"
                   "(EngineCore pid=2) ERROR 03-05 09:56:09 [core.py:1]   File \"x.py\", line 1, in f\n"
                   "(EngineCore pid=2) ERROR 03-05 09:56:09 [core.py:1] zmq.error.Again\n",
                   "log-not-understood");
    CHECK_HAS(f->evidence, "zmq.error.Again");
    f = finding_in("Traceback (most recent call last):\n  File \"x.py\", line 1\n", "log-not-understood");
    CHECK_HAS(f->text, "ends within a traceback");
    /* No Python: a crash, a logger's word, Docker. What follows an exception is not said instead of it. */
    CHECK_HAS(finding_in("INFO a\nINFO b\nSegmentation fault\n", "log-not-understood")->evidence,
              "line 3: Seg");
    CHECK_HAS(finding_in("time=2024-05-01T10:00:00Z level=ERROR msg=\"bad\"\n", "log-not-understood")->text,
              "ends with an error");
    CHECK_HAS(finding_in("docker: Error response from daemon: no such image.\n", "log-not-understood")->text,
              "ends with an error");
    CHECK_HAS(finding_in("ValueError: bad thing\nAborted (core dumped)\n", "log-not-understood")->evidence,
              "line 1: ValueError");
    /* One that was caught long before the end. */
    f = finding_in("OSError: x\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\n",
                   "log-not-understood");
    CHECK_HAS(f->text, "the log has an error that jitwarm does not know");
    /* Known notes do not hide it; a known problem explains it; Ctrl-C is none. */
    struct jw_findings all = JW_FINDINGS(&arena);
    static struct jw_log log;

    feed(&log,
         "W tensorflow/compiler/x.cc:38] TF-TRT Warning: Could not find TensorRT\nValueError: bad thing\n");
    jw_doctor_log(&log, "a.log", &all);
    CHECK_NUM(all.n, 2);
    CHECK(jw_finding_of(&all, "log-not-understood") != NULL);
    (void)finding_in("RuntimeError: No CUDA GPUs are available\nOSError: worker died\n", "log-complaint");
    (void)finding_in(
        "2024-01-01 10:00:00 INFO torch\n2024-01-01 10:00:01 INFO b\nTraceback (most recent call last):\n"
        "  File \"x.py\", line 1\nKeyboardInterrupt\n",
        "log-quiet");
}

/* A GPU needs a driver of its time, whatever the program needs. */
TEST(too_new_ptx_on_a_gpu_that_is_named)
{
#define UNSUPPORTED                                                                                          \
    "CUDA error 222 at ggml-cuda.cu:6466: the provided PTX was compiled with an unsupported toolchain.\n"
    static const struct {
        const char *log, *fix;
    } rows[] = { { "  Device 0: NVIDIA GeForce RTX 5090, compute capability 12.0, VMM: yes\n" UNSUPPORTED,
                   "NVIDIA GeForce RTX 5090 (compute capability 12.0) needs driver 570 or newer" },
                 { "NVIDIA GeForce RTX 5090\n" UNSUPPORTED, "needs driver 570 or newer" },
                 { "  Device 0: Tesla T4, compute capability 7.5, VMM: yes\n" UNSUPPORTED, NULL },
                 { UNSUPPORTED, NULL } };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        const struct jw_finding *one = finding_in(rows[i].log, "log-complaint");

        CHECK_TEXT(one->command, "jitwarm doctor");
        if (rows[i].fix)
            CHECK_HAS(one->fix, rows[i].fix);
        else
            CHECK(!strstr(one->fix, "needs driver"));
    }
#undef UNSUPPORTED
}

TEST(an_error_by_its_sentence_and_number)
{
    CHECK_HAS(finding_in("cuModuleLoad(nothere.ptx) failed: file not found (301)\n", "log-complaint")->text,
              "a file with GPU code was not found");
    (void)finding_in("GET /x failed: file not found (404)\n", "log-not-understood");
    CHECK_TEXT(finding_in("CUDA_ERROR_INVALID_PTX (218) for /data/k1.ptx\n", "log-complaint")->command,
               "jitwarm prime /data/k1.ptx");
    CHECK_TEXT(
        finding_in("CUDA_ERROR_INVALID_PTX (218) for /data/it's here/k 1.ptx\n", "log-complaint")->command,
        "jitwarm doctor");
}

TEST(the_line_of_ptxas_decides)
{
    const struct jw_finding *f = finding_in(
        "CUDA_ERROR_INVALID_PTX (218)\nptxas fatal   : Unresolved extern function 'foo'\n", "log-complaint");

    CHECK_HAS(f->text, "a function or variable that is not in it");
    CHECK_HAS(f->evidence, "line 2: ptxas fatal");
    CHECK_TEXT(f->command, "jitwarm doctor");
    f = finding_in("ptxas fatal   : Unresolved extern function 'foo'\n"
                   "cuModuleLoad(/opt/app/k.ptx): CUDA_ERROR_INVALID_PTX (218)\n",
                   "log-complaint");
    CHECK_TEXT(f->command, "jitwarm scan /opt/app/k.ptx");
    f = finding_in(
        "cuModuleLoadData failed: CUDA_ERROR_INVALID_PTX (218)\nptxas application ptx input, line 9; "
        "fatal   : Unsupported .version 8.6; current version is '8.4'\n",
        "log-complaint");
    CHECK_HAS(f->text, "the driver's compiler is older");
    CHECK_TEXT(f->command, "jitwarm doctor");
    f = finding_in(
        "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n"
        "cuModuleLoad(/opt/app/k90.ptx): CUDA_ERROR_INVALID_PTX (218)\n",
        "log-complaint");
    CHECK_TEXT(f->command, "jitwarm scan /opt/app/k90.ptx"); /* named behind it */
    f = finding_in(
        "CUDA_ERROR_INVALID_PTX (218)\nptxas application ptx input, line 4; error   : Unknown symbol "
        "'x'\n",
        "log-complaint");
    CHECK_HAS(f->evidence,
              "line 2: ptxas application ptx input, line 4; error   : Unknown symbol 'x'; line 1: ");
    CHECK_TEXT(f->command, "jitwarm doctor");
}

TEST(an_error_after_which_the_program_tried_again)
{
    const struct {
        const char *log;
        bool survived;
    } rows[] = {
        { "RuntimeError: CUDA out of memory\nretrying with batch 8\nepoch 1\ntraining finished\n", true },
        { "CUDA out of memory; retrying with batch 8\nepoch 1\ntraining finished\n", true },
        { "CUDA out of memory; retrying with batch 8\nCUDA out of memory\nbye\nbye\n", false },
        { "CUDA out of memory; retrying with batch 8\na\nOSError: worker died\n", false },
        { "RuntimeError: CUDA out of memory\na\nb\nretrying the download\n", false },
        { "CUDA out of memory; retrying with batch 8\n", false }, /* what came of it is not in the log */
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        const struct jw_finding *f = finding_in(rows[i].log, "log-complaint");

        CHECK_NUM(f->severity, rows[i].survived ? JW_WARNING : JW_PROBLEM);
        CHECK(!strstr(f->consequence, "tried again") == !rows[i].survived);
    }
}

/* No time stamp is needed for a known text. */
TEST(lines_of_jax_and_ollama)
{
    CHECK_HAS(
        finding_in("2024-03-01 10:00:00.000000: W external/xla/xla/service/gpu/nvptx_compiler.cc:760] The "
                   "NVIDIA driver's CUDA version is 12.2 which is older than the ptxas CUDA version "
                   "(12.4.99).\n",
                   "log-complaint")
            ->text,
        "does not compile in parallel");
    CHECK_HAS(finding_in("time=2024-05-01T10:00:00.000Z level=INFO source=gpu.go:199 msg=\"no nvidia devices "
                         "detected by library /usr/lib/x86_64-linux-gnu/libcuda.so.470.256.02\"\n",
                         "log-complaint")
                  ->text,
              "Ollama computes on the processor");
}

/* Each of the two takes the memory by a variable of its own. */
TEST(memory_as_it_is_needed)
{
    CHECK_HAS(
        finding_in(
            "2026-03-01 09:11:32.01: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:502] Could "
            "not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n",
            "log-complaint")
            ->command,
        "TF_FORCE_GPU_ALLOW_GROWTH=true");
    CHECK_HAS(
        finding_in(
            "2023-03-01 09:11:32.01: E external/org_tensorflow/tensorflow/compiler/xla/stream_executor/cuda/"
            "cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR\n",
            "log-complaint")
            ->command,
        "XLA_PYTHON_CLIENT_PREALLOCATE=false");
}

/* libcuda is no library to install; what the log says itself is said in words. */
TEST(what_the_line_itself_says)
{
    const struct jw_finding *f = finding_in(
        "2023-06-01 12:00:01.0: W tensorflow/x.cc:64] Could not load dynamic library 'libcuda.so.1'; "
        "dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\n",
        "log-complaint");

    CHECK_TEXT(f->command, "jitwarm doctor");
    CHECK_HAS(
        finding_in("W tensorflow/x] Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not "
                   "found\n",
                   "log-complaint")
            ->text,
        "found no NVIDIA driver");
    f = finding_in("RuntimeError: The NVIDIA driver on your system is too old (found version 10010).\n",
                   "log-complaint");
    CHECK_TEXT(f->consequence, "the driver serves CUDA up to 10.1, as the message says");
    CHECK_TEXT(f->command, "jitwarm doctor"); /* no build is that old */
    f = finding_in("RuntimeError: The NVIDIA driver on your system is too old (found version 12080).\n",
                   "log-complaint");
    CHECK_HAS(f->command, "torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128");
    CHECK_HAS(f->fix, "update the driver, or install a build for a CUDA that it serves");
    f = finding_in("NVIDIA GeForce RTX 5090\nRuntimeError: The NVIDIA driver on your system is too old "
                   "(found version 12040).\n",
                   "log-complaint");
    CHECK_TEXT(f->command, "jitwarm doctor"); /* no build for CUDA 12.4 has code for it */
    f = finding_in("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please\n",
                   "log-complaint");
    CHECK_TEXT(f->consequence, "the image wants CUDA 12.4, which driver 550 and newer ones serve");
    f = finding_in(
        "torch 2.1.0\n2024-05-01 10:00:00 Downloading model.safetensors: 100%\n2024-05-01 10:05:00 done\n",
        "log-gap");
    CHECK_HAS(f->consequence, "a download");
    f = finding_in("Failed to initialize NVML: Driver/library version mismatch\n", "log-complaint");
    CHECK_TEXT(f->command, "jitwarm doctor"); /* a container may bring its own library: no restart then */
    f = finding_in(">>> torch.cuda.is_available()\nFalse\n", "log-complaint");
    CHECK_TEXT(f->text, "PyTorch sees no GPU");
    CHECK_HAS(f->evidence, "line 2: ");
    (void)finding_in(">>> torch.cuda.is_available()\nTrue\nFalse\n", "log-quiet");
    f = finding_in("PyTorch version: 2.4.0+cpu\n", "log-complaint");
    CHECK_TEXT(f->text, "this PyTorch is the build for the processor");
}

static unsigned sm_of(const char *text)
{
    static struct jw_log log;

    feed(&log, text);
    return log.n_gpus == 1 ? log.gpus[0].sm : 0;
}

/* Where no line says a compute capability. */
TEST(gpus_by_their_product)
{
    CHECK_NUM(sm_of("Device: cuda:0 NVIDIA GeForce RTX 5090 : cudaMallocAsync\n"), 120);
    CHECK_NUM(sm_of("torch 2.1.0+cu118, NVIDIA GeForce RTX 4070\n"), 89);
    CHECK_NUM(sm_of("Using GeForce GTX 1060 6GB\nagain: NVIDIA GeForce GTX 1060 6GB (UUID: GPU-1)\n"), 61);
    CHECK_NUM(sm_of("[gpu] 'Tesla V100-SXM2-16GB'\n"), 70);
    CHECK_NUM(sm_of("NVIDIA H100 80GB HBM3, 81559MiB\n"), 90);
    /* Two that differ, none, and a name that is not one GPU's. */
    CHECK_NUM(sm_of("NVIDIA GeForce RTX 4070 or NVIDIA GeForce RTX 3070\n"
                    "NVIDIA GeForce RTX 3070\nNVIDIA GeForce RTX 4070\n"),
              0);
    CHECK_NUM(sm_of("NVIDIA Container Runtime\nNVIDIA \nTesla\n"), 0);
    /* What a line says of it is more. */
    CHECK_NUM(sm_of("NVIDIA GeForce RTX 4070\nbut your GPU has capability (12, 0) (too new)\n"), 120);
}

/* One clock counts from 1970, the other one is that of some time zone: nothing passed between them. */
TEST(two_clocks)
{
    static struct jw_log log;

    feed(&log, "2024-04-01 21:33:20.0: I a.cc:1] a\nE0000 00:00:1712000001.000000     500 a.cc:1] b\n"
               "2024-04-01 21:33:22.0: I a.cc:1] c\n");
    CHECK_NUM(log.stamped, 3);
    CHECK(log.gap.seconds == 0);
}

/* One error is one finding. */
TEST(no_kernel_image_is_said_once)
{
    const struct jw_finding *f =
        finding_in("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current "
                   "PyTorch installation.\n"
                   "RuntimeError: CUDA error: no kernel image is available for execution on the device\n",
                   "log-complaint");

    CHECK_HAS(f->text, "holds no code for the GPU");
}

static const char *advice(const char *text, struct jw_findings *f)
{
    static struct jw_log log;

    feed(&log, text);
    jw_doctor_log(&log, "a.log", f);
    return f->n ? f->v[f->n - 1].command : NULL;
}

/* What to scan is what the log names: a library, the package of the innermost frame, or the software. */
TEST(what_to_scan)
{
    static const char frames[] =
        "Traceback (most recent call last):\n"
        "  File \"/home/ada/run.py\", line 3, in <module>\n"
        "  File \"/home/ada/my env/site-packages/torch/nn/x.py\", line 9, in f\n"
        "  File \"/home/ada/my env/site-packages/flash_attn/ops.py\", line 90, in g\n"
        "  File \"/home/ada/my env/site-packages/six.py\", line 1, in h\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n";
    struct jw_findings f = JW_FINDINGS(&arena);

    CHECK_TEXT(advice("dlopen /opt/app/libx.so.1: CUDA_ERROR_INVALID_IMAGE\n", &f),
               "jitwarm scan /opt/app/libx.so.1");
    CHECK_TEXT(advice("C:\\app\\x.dll: CUDA_ERROR_INVALID_IMAGE\n", &f), "jitwarm scan C:\\app\\x.dll");
    CHECK_TEXT(advice(frames, &f), "jitwarm scan '/home/ada/my env/site-packages/flash_attn'");
    CHECK_TEXT(advice("torch 2.4.0+cu121\nCUDA_ERROR_NO_BINARY_FOR_GPU\n", &f),
               "jitwarm scan torch==2.4.0+cu121");
    CHECK_HAS(advice("PyTorch: CUDA_ERROR_NO_BINARY_FOR_GPU\n", &f), "torch.cuda.get_arch_list()");
    CHECK_TEXT(advice("CUDA_ERROR_NO_BINARY_FOR_GPU\n", &f), "jitwarm doctor"); /* scan has nothing to read */
}

/* A version that only follows from CUDA libraries is a guess. */
TEST(a_guessed_version)
{
    static struct jw_log log;
    struct jw_release s;
    bool guessed;

    feed(&log, "2020-11-22 22:35:25: I tensorflow/x] opened dynamic library cudart64_101.dll\n");
    CHECK(jw_log_software(&log, &s, &guessed) && guessed);
    feed(&log, "tensorflow==2.3.1\nopened dynamic library cudart64_101.dll\n");
    CHECK(jw_log_software(&log, &s, &guessed) && !guessed);
}

/* The list of architectures names the software, but no version to ask doctor about. */
TEST(missing_libraries_of_an_unknown_version)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(&log,
         "system_info: CUDA : ARCHS = 600,610 | x\nCould not load dynamic library 'libcudart.so.11.0'; y\n");
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 1);
    CHECK_HAS(f.v[0].command, "tensorflow.sysconfig");
}

static void says(const char *text, const char *software)
{
    static struct jw_log log;

    feed(&log, text);
    CHECK_TEXT(log.release, software);
}

/* The log's own words come before what its libraries let one guess. */
TEST(its_own_words)
{
    static struct jw_log log;
    struct jw_release s;
    bool guessed;

    says("TensorFlow version 2.4.1\n", "tensorflow==2.4.1");
    says("tf.__version__: 2.10.0\n", "tensorflow==2.10.0");
    says("PyTorch version: 2.1.0+cu121\n", "torch==2.1.0+cu121");
    says("Collecting torch==2.9.0\n", "torch==2.9.0");
    says("INFO 07-05 14:58:21 [llm_engine.py:240] Initializing a V0 LLM engine (v0.8.5.post1) with config: "
         "x\n",
         "vllm==0.8.5");
    says("jaxlib                    0.3.25+cuda11.cudnn805          pypi_0    pypi\n", "jaxlib==0.3.25");
    says("- ONNX Runtime version: 1.11.0\n", "onnxruntime-gpu==1.11.0");
    says("torchvision 0.20.1 and libtorchx 1.2\n", "");
    says("upgrade to TensorFlow >= 2.4\n", "");
    says("/usr/lib/python3.10/site-packages/tensorflow/x.py\n", "");
    feed(&log, "Driver Version: 535.54.03    CUDA Version: 12.2\n");
    CHECK_TEXT(log.driver, "535.54.03");
    /* A log of December 2020 is none of TensorFlow 2.10. */
    feed(&log,
         "2020-12-20 10:00:00.1: I tensorflow/x] Successfully opened dynamic library cudart64_110.dll\n");
    CHECK(jw_log_software(&log, &s, &guessed));
    CHECK_TEXT(s.version, "2.4");
}

static void lists(const char *text, const char *sass, const char *ptx, unsigned sm)
{
    static struct jw_log log;

    feed(&log, text);
    CHECK_TEXT(log.sass, sass);
    CHECK_TEXT(log.ptx, ptx);
    CHECK_NUM(log.n_gpus ? log.gpus[0].sm : 0, sm);
}

TEST(lists_of_architectures)
{
    lists("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch "
          "installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 "
          "sm_80 sm_86 "
          "sm_90.\n",
          "50 60 70 75 80 86 90", "", 120);
    lists("['sm_37', 'sm_90a', 'compute_37']\n", "37 90a", "37", 0);
    lists("ggml-cuda.cu:1412: ERROR: CUDA kernel x has no device code compatible with CUDA arch 600. "
          "ggml-cuda.cu was "
          "compiled for: 500,610,1210\n",
          "50 61 121", "", 60);
    lists("  Device 0: Quadro P2000, compute capability 6.1, VMM: yes\nsystem_info: n_threads = 4 | CUDA : "
          "ARCHS = "
          "600,610,860 | F16 = 1\n",
          "60 61 86", "60 61 86", 61); /* machine code or PTX: it does not say */
    lists("Mismatched GPU Architecture: The installed PaddlePaddle package was compiled for 61 70, but your "
          "current "
          "GPU is 120\n",
          "61 70", "", 120);
    lists("supports CUDA capabilities sm_99999999999 sm_ sm_1\n", "", "", 0);
}

TEST(nothing_in_it)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(&log, "Epoch 1/10\n");
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 1);
    CHECK_TEXT(f.v[0].id, "log-not-understood");
    CHECK_NUM(f.v[0].severity, JW_WARNING);
    CHECK_HAS(f.v[0].text, "1 line read");
    f.n = 0;
    feed(&log, "INFO:tensorflow:TensorFlow starts\n");
    jw_doctor_log(&log, "a.log", &f);
    CHECK_TEXT(f.v[0].id, "log-quiet");
    CHECK_NUM(f.v[0].severity, JW_NOTE);
}

/* A pause of a program that has nothing to do with CUDA is no word of a compiler; what its clients ask for is none either. */
TEST(a_log_of_others)
{
    static struct jw_log log;
    struct jw_findings all = JW_FINDINGS(&arena);
    const struct jw_finding *f =
        finding_in("2024-05-01 10:00:00 cron: backup begins\n2024-05-01 10:00:15 cron: backup done\n",
                   "log-not-understood");

    CHECK_NUM(f->severity, JW_NOTE);
    CHECK_HAS(f->text, "nothing in this log is about CUDA (2 lines read)");
    CHECK_HAS(f->text, "; its longest pause is 15 s");
    CHECK(!f->command);
    /* How long it waited and where, and what shows the reason at the next start. */
    feed(&log, "2024-05-01 10:00:00 \"GET /cuda/gpu.html HTTP/1.1\" 200\n"
               "2024-05-01 11:00:00 \"GET / HTTP/1.1\" 200\n");
    jw_doctor_log(&log, "a.log", &all);
    CHECK_NUM(all.n, 2);
    f = &all.v[0];
    CHECK_TEXT(f->id, "log-gap");
    CHECK_NUM(f->severity, JW_NOTE);
    CHECK_TEXT(f->text, "the log pauses for 1 h after line 1");
    CHECK_TEXT(f->consequence, "the log does not say what it waited for");
    CHECK_TEXT(f->evidence, "line 1: 2024-05-01 10:00:00 \"GET /cuda/gpu.html HTTP/1.1\" 200; "
                            "line 2: 2024-05-01 11:00:00 \"GET / HTTP/1.1\" 200");
    CHECK_TEXT(f->command, "jitwarm doctor --watch=60s");
    CHECK_TEXT(all.v[1].id, "log-not-understood");
    f = finding_in("2024-05-01 10:00:00 cron: begins\n2024-05-01 11:00:00 cron: [GPU] done\n", "log-gap");
    CHECK_NUM(f->severity, JW_WARNING);
}

/* Its lines are short and long, and it speaks of an error, which is shown. */
TEST(a_letter_is_no_log)
{
    CHECK_HAS(
        finding_in("Dear Ada,\n\nI saw an error in the report yesterday.\nPlease look at it when you have "
                   "time, the numbers do not add up.\n\nBest regards\nBob\n",
                   "log-not-understood")
            ->text,
        "this does not look like what a program printed (7 lines read)");
    CHECK_HAS(finding_in("Loading\nSorry, an error occurred while loading the model, please try again.\n",
                         "log-not-understood")
                  ->evidence,
              "line 2: Sorry, an error occurred");
}

/* Prose speaks of software, libraries and cards, too; that it has no error is no all-clear. */
TEST(prose_is_no_log)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(&log, "The paper asks for tensorflow-gpu 2.10.0 with CUDA 11.2.\n"
               "TensorFlow listed the CPU alone until we put cudart64_110.dll on the PATH.\n");
    CHECK(!jw_log_understood(&log));
    jw_doctor_log(&log, "a.txt", &f);
    CHECK_NUM(f.n, 1);
    CHECK_TEXT(f.v[0].id, "log-not-understood");
    CHECK_NUM(f.v[0].severity, JW_WARNING);
    CHECK_HAS(f.v[0].text, "not what a program printed");
    /* A text that speaks of an error is no log of it; a short log in whole words is. */
    CHECK_HAS(finding_in("On Tuesday Ada asked what CUDA error 218 means, and nobody knew.\n"
                         "We agreed to write it down in the handbook for all.\n"
                         "The next meeting of the team is on Friday.\n",
                         "log-not-understood")
                  ->text,
              "not what a program printed");
    CHECK_HAS(finding_in("Ada asked what CUDA error 218 means. Nobody in the room could say it.\n",
                         "log-not-understood")
                  ->text,
              "not what a program printed");
    CHECK_HAS(finding_in("the load of the first module of app failed with CUDA error 218\n"
                         "the program gives up now and goes home\n",
                         "log-complaint")
                  ->text,
              "(218)");
    CHECK_HAS(finding_in("The program stopped. It printed: CUDA error 218 in the load of a module.\n"
                         "Then it was started again by the service. It stopped again.\n",
                         "log-complaint")
                  ->text,
              "(218)");
    CHECK_HAS(finding_in("When I installed the driver I got an error and could not use the GPU.\n",
                         "log-not-understood")
                  ->text,
              "not what a program printed");
    CHECK_HAS(finding_in("error: the driver gave up after I asked it to load\n", "log-not-understood")->text,
              "an error that jitwarm does not know");
}

/* Where the log names cuBLAS alone, its number is that of CUDA from 10.1 on; and a pause is reported with what to do. */
TEST(cublas_alone_names_cuda_10)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(&log,
         "2020-12-02 10:11:02.1: I tensorflow/x.cc:48] Successfully opened dynamic library libcublas.so.10\n"
         "2020-12-02 10:11:03.0: I tensorflow/x.cc:1402] Created TensorFlow device (name: GeForce RTX 3090, "
         "compute capability: 8.6)\n"
         "2020-12-02 10:22:33.1: I tensorflow/x.cc:48] end\n");
    CHECK_NUM(log.cudart, 1001);
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 1);
    CHECK_HAS(f.v[0].consequence, "where it has none for the GPU");
    CHECK_TEXT(f.v[0].command, "jitwarm prime");
    feed(&log, "tensorflow/x.cc:48] Successfully opened dynamic library libcublas.so.10.0\n");
    CHECK_NUM(log.cudart, 1000);
}

/* A program that prints neither levels nor times: what sounds like a failure is no all-clear; where nothing does, it is a log all the same. */
TEST(a_short_log_without_levels)
{
    static struct jw_log log;

    feed(&log, "Using device 0: NVIDIA GeForce RTX 3090\nPhysX: cannot start the solver\n");
    CHECK(jw_log_understood(&log));
    CHECK_TEXT(log.error, "PhysX: cannot start the solver");
    feed(&log, "Using device 0: NVIDIA GeForce RTX 3090\nok\n");
    CHECK(jw_log_understood(&log));
    CHECK(!log.error[0] && !log.exception_line);
    feed(&log, "Using device 0: NVIDIA GeForce RTX 3090\nmodel.bin: No such file or directory\n");
    CHECK_NUM(log.exception_line, 2);
    feed(&log, "INFO the GPU did 3 steps, 0 failures\n");
    CHECK(!log.error[0]);
}

TEST(an_error_that_is_not_in_the_table)
{
    static struct jw_log log;
    struct jw_findings f = JW_FINDINGS(&arena);

    feed(
        &log,
        "Epoch 1/10\n"
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 "
        "and cpu!\n"
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4)\n");
    jw_doctor_log(&log, "a.log", &f);
    CHECK_NUM(f.n, 1);
    CHECK_TEXT(f.v[0].id, "log-not-understood");
    CHECK_NUM(f.v[0].severity, JW_WARNING);
    CHECK_HAS(f.v[0].evidence, "line 2: ");
    CHECK_HAS(f.v[0].evidence, "Expected all tensors");
}

TEST(long_lines_and_zero_bytes)
{
    static struct jw_log log;
    static char line[100000];

    memset(line, 'x', sizeof line);
    memset(&log, 0, sizeof log);
    jw_log_feed(&log, line, sizeof line);
    jw_log_feed(&log, "\n", 1);
    jw_log_feed(&log, "a\0b\n", 4);
    jw_log_feed(&log, "no end", 6);
    jw_log_end(&log);
    CHECK_NUM(log.lines, 3);
}

/* ---- files ---- */

static const char *file(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch(name);
    FILE *out = fopen(path, "wb");

    CHECK(out != NULL);
    if (out) {
        CHECK(fwrite(bytes, 1, n, out) == n);
        CHECK(fclose(out) == 0);
    }
    return path;
}

static void refuses(const char *path, int code, const char *said)
{
    static struct jw_log log;
    struct jw_err err = { 0 };

    CHECK(!jw_log_read(path, NULL, &log, &err));
    CHECK_NUM(err.code, code);
    CHECK_HAS(err.msg, said);
    CHECK_HAS(err.msg, path);
}

TEST(files_that_are_no_log)
{
    refuses(file("empty.log", "", 0), JW_E_FORMAT, "is empty");
    refuses(file("binary.log",
                 "\x7f"
                 "ELF\x02\x01\x01\0\0",
                 9),
            JW_E_FORMAT, "zero bytes");
    refuses(file("wide.log", "n\0o\0 \0m\0a\0r\0k\0", 14), JW_E_FORMAT, "zero bytes");
    refuses(scratch("no.log"), JW_E_IO, "no.log");
    refuses(scratch(""), JW_E_IO, "");
}

/* Numba prints nvJitLink's words with the NUL at their end. */
TEST(a_nul_in_a_text)
{
    static const char text[] =
        "numba: Traceback (most recent call last):\nnvJitLinkError: ERROR_INTERNAL (6)\n"
        "nvJitLink error log: ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer "
        "version of nvJitLink library\n\0\n";
    static struct jw_log log;
    struct jw_err err = { 0 };

    static char hole[100000];

    CHECK(jw_log_read(file("zero.log", text, sizeof text - 1), NULL, &log, &err));
    CHECK_NUM(log.n_complaints, 1);
    memcpy(hole + sizeof hole - sizeof text, text, sizeof text); /* logrotate's copytruncate leaves one */
    CHECK(jw_log_read(file("hole.log", hole, sizeof hole), NULL, &log, &err));
    CHECK_NUM(log.n_complaints, 1);
    refuses(file("zeros.log", hole, 1000), JW_E_FORMAT, "is empty");
}

TEST(what_powershell_writes)
{
    static const char text[] = "2020-11-22 22:35:25: a\r\n2020-11-22 22:36:25: b\r\n";
    static struct jw_log log;
    static char wide[256];
    struct jw_err err = { 0 };
    size_t n = 2;

    memcpy(wide, "\xff\xfe", 2);
    for (size_t i = 0; text[i]; i++, n += 2)
        wide[n] = text[i];
    CHECK(jw_log_read(file("wide.log", wide, n), NULL, &log, &err));
    CHECK_NUM(log.lines, 2);
    CHECK(log.gap.seconds > 59 && log.gap.seconds < 61);
    CHECK(jw_log_read(file("odd.log", wide, n - 1), NULL, &log, &err)); /* cut within a character */
    CHECK_NUM(log.stamped, 2);
}

TEST(an_interruption)
{
    static struct jw_log log;
    atomic_bool stop = true;
    struct jw_err err = { 0 };

    CHECK(!jw_log_read(file("a.log", "a\n", 2), &stop, &log, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
}
